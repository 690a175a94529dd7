"""The facts behind findings: a robot that is in ten files has each of its mistakes once."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from math import isfinite
from typing import Any

from inertial_check.model import Body, Finding, Judgement, Model

_LENGTH = 32
"""Number of hexadecimal digits of a fact: 128 bits."""


def identify_facts(
    findings: Sequence[Finding], model: Model, judgements: Sequence[Judgement]
) -> list[Finding]:
    """Give each finding the digest of its fact.

    Two findings of one rule are one fact where the bodies have the same mass, inertia and shapes,
    whatever their names, their places and their files. A finding on the document, or on a body
    without numbers, is a fact of its own, without a digest.
    """
    if not findings:
        return []
    known = {
        body.id: (body, judgement)
        for body, judgement in zip(model.bodies, judgements, strict=True)
        if isfinite(judgement.mass)
    }
    contents: dict[str, str] = {}  # a body often has several findings
    texts: dict[int, str] = {}

    def describe(id_: str) -> str:
        if id_ not in contents:
            contents[id_] = _describe_content(*known[id_], texts)
        return contents[id_]

    sha256 = _find_sha256()
    result = []
    for finding in findings:
        ids = finding.body_ids or (() if finding.body_id is None else (finding.body_id,))
        if ids and all(each in known for each in ids):
            content = (finding.code, *sorted(map(describe, ids)))
            digest = sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()
            finding = finding._replace(fact=digest[:_LENGTH])  # noqa: PLW2901 - the same, complete
        result.append(finding)
    return result


@cache  # a module that is not there would be sought for each document
def _find_sha256() -> Callable[[bytes], Any]:
    """Find a SHA-256 that does not load OpenSSL, as hashlib does.

    That takes a tenth of the start of a check with findings. Python's own random does without in
    the same way; the name of the module depends on the version.
    """
    for name in ("_sha2", "_sha256"):
        with suppress(ImportError):
            found: Callable[[bytes], Any] = import_module(name).sha256
            return found
    from hashlib import sha256

    return sha256


def _describe_content(body: Body, judgement: Judgement, texts: dict[int, str]) -> str:
    """The numbers and the shapes of a body; meshes by the names of their files, not of folders.

    Args:
        body: The body.
        judgement: Its numbers.
        texts: Of the objects of the model that were described before, by their identity. Readers
            share those of poses and scales; equal ones may differ in the sign of a zero.
    """

    def describe(numbers: object) -> str:
        if (key := id(numbers)) not in texts:
            texts[key] = repr(numbers)
        return texts[key]

    shapes = sorted(
        f"({shape.role!r}, {shape.kind!r}, {shape.dimensions!r}, "
        f"{posixpath.basename(shape.uri or '')!r}, {describe(shape.scale)}, "
        f"{describe(shape.p_BoGo_B)}, {describe(shape.R_BG)})"
        for shape in body.shapes
    )
    return repr((judgement.mass, judgement.I_BBcm_B, shapes))
