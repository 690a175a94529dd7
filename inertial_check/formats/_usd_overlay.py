"""Writes a text layer over a USD document: the same stage, with other moments of inertia."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inertial_check.errors import UsageError
from inertial_check.formats._context import Context
from inertial_check.formats._usd_process import compose
from inertial_check.model.body import Model


def write_layer(model: Model, texts: Mapping[str, Sequence[str]], path: str) -> bytes:
    """A text layer over a document, with other moments of inertia for some of its bodies.

    Args:
        model: The document, which lies on the disk and stays as it is.
        texts: Of the six entries of the bodies to change, by id; the products are 0.
        path: Where the layer will be written; it refers to the document from there.

    Raises:
        UsageError: The path is not that of a text layer, or no layer reaches a body.
    """
    if os.path.splitext(path)[1] not in (".usd", ".usda"):
        raise UsageError(f"{path}: the layer over {model.source.path} is text: name it .usda")
    moments = {id_: (six[0], six[3], six[5]) for id_, six in texts.items()}
    stage = compose(model.source, Context())
    for body in stage["bodies"]:
        if body["instance"] and body["path"] in moments:
            raise UsageError(
                f"{model.source.path}: {body['path']} stands in an instance, which no layer over "
                "the document reaches: fix the file that holds its numbers"
            )
    return "\n".join(_layer_lines(model.source.path, stage, moments, path)).encode()


def _layer_lines(
    source: str, stage: Mapping[str, Any], moments: Mapping[str, Sequence[str]], path: str
) -> Iterator[str]:
    below = _reference(source, os.path.dirname(os.path.abspath(path)))
    yield "#usda 1.0"
    yield "("
    if stage["name"]:
        yield f'    defaultPrim = "{stage["name"]}"'
    yield f"    kilogramsPerUnit = {stage['kilograms']!r}"
    if stage["meters_written"]:
        yield f"    metersPerUnit = {stage['meters']!r}"
    yield f'    subLayers = [{below}]\n    upAxis = "{stage["up"]}"'
    yield ")"
    tree: dict[str, Any] = {}
    for prim, texts in moments.items():
        node = tree
        for name in prim.strip("/").split("/"):
            node = node.setdefault(name, {})
        node[""] = texts
    yield from _overs(tree, "")
    yield ""


def _overs(tree: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, inside in tree.items():
        if name:
            yield f'\n{indent}over "{name}"\n{indent}{{'
            yield from _overs(inside, f"{indent}    ")
            yield f"{indent}}}"
        else:
            yield f"{indent}float3 physics:diagonalInertia = ({', '.join(inside)})"


def _reference(source: str, folder: str) -> str:
    """The asset path of a file as seen from a folder."""
    try:
        path = os.path.relpath(os.path.abspath(source), folder).replace(os.sep, "/")
    except ValueError:  # another drive
        path = os.path.abspath(source).replace(os.sep, "/")
    anchored = path if path.startswith(("../", "/")) or ":" in path else f"./{path}"
    return f"@@@{anchored}@@@" if "@" in anchored else f"@{anchored}@"
