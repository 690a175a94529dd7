"""Which bodies of real models are sound, and which findings on them are right all the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from decimal import InvalidOperation
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from _planting import (
    Site,
    exact,
    has_ten_numbers,
    is_consistent,
    is_numerically_zero,
    is_one_digit_of_identity,
)

import inertial_check as ic
from inertial_check.errors import DocumentError
from inertial_check.model import ENTRIES, Model

SAME_BLOCK = 3
"""Bodies with the same six numbers, but not the same mass, from which these are a placeholder."""
MADE_UP = ("gazebosim+sdformat/",)
"""Documents that test a parser: their numbers are those of no robot."""


def sound_by_numbers(corpus: Path) -> tuple[dict[str, Model], list[Site]]:
    """All models that could be read, and every body that its numbers alone call sound."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (corpus / "TRUTH.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows[row["file"]].append(row)
    models, sites = {}, []
    for file in sorted(rows):
        try:
            model = ic.load(str(corpus / file))
        except DocumentError:
            continue
        models[file] = model
        inconsistent = any(row.get("exact_psd") is False for row in rows[file])
        if not inconsistent and not file.startswith(MADE_UP):
            found = frozenset(_sound(model, rows[file]))
            sites += [Site(file, model, index, found) for index in sorted(found)]
    return models, sites


def _sound(model: Model, rows: list[dict[str, Any]]) -> Iterator[int]:
    consistent = {row["link"] for row in rows if row.get("exact_psd") and (row["mass"] or 0) > 0}
    consistent -= {row["link"] for row in rows if not row.get("exact_psd")}
    tensors: dict[tuple, list] = defaultdict(list)
    candidates = []
    for index, body in enumerate(model.bodies):
        tail = body.name.split("::")
        known = {body.name, "::".join(tail[-2:])} & consistent
        if not known or not has_ten_numbers(body) or body.problems or body.span.file:
            continue
        texts = Site("", model, index).texts
        try:
            six = tuple(exact(texts[entry]) for entry in ENTRIES)
            tensors[six].append(exact(texts["mass"]))
            stand_in = is_one_digit_of_identity(texts) or is_numerically_zero(texts)
        except InvalidOperation:
            continue
        if is_consistent(texts) and not stand_in:
            candidates.append((index, six))
    for index, six in candidates:
        masses = tensors[six]
        if len(masses) < SAME_BLOCK or len(set(masses)) == 1:
            yield index


class Review(NamedTuple):
    """A finding that is right, by patterns of its codes, file and body."""

    codes: str
    file: str
    body: str
    reason: str

    def covers(self, code: str, file: str, body: str) -> bool:
        """Whether it speaks of this finding."""
        return (
            code in self.codes.split(",")
            and fnmatchcase(file, self.file)
            and fnmatchcase(body, self.body)
        )


def reviews() -> list[Review]:
    """What reviewed_findings.txt says, beside this script."""
    lines = Path(__file__).with_name("reviewed_findings.txt").read_text().splitlines()
    kept = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return [Review(*parts) for parts in kept]
