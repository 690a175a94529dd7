"""Writer of a text layer over a USD document: the same stage with other mass properties."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from inertial_check.errors import UsageError
from inertial_check.files.access import Access
from inertial_check.files.json import JsonObject
from inertial_check.files.patterns import relative_path
from inertial_check.formats.context import Context
from inertial_check.formats.usd.process import compose_stage
from inertial_check.model.body import Model

_PROPERTIES = {
    "float physics:mass": ("mass",),
    "point3f physics:centerOfMass": ("x", "y", "z"),
    "float3 physics:diagonalInertia": ("ixx", "iyy", "izz"),
    "quatf physics:principalAxes": ("qw", "qx", "qy", "qz"),
}
"""Declaration of each property, and the names of its numbers."""


def write_layer(model: Model, texts: Mapping[str, Mapping[str, str]], path: str) -> bytes:
    """Write a layer; arguments and errors are those of usd.overlay."""
    if os.path.splitext(path)[1] not in (".usd", ".usda"):
        raise UsageError(f"{path}: the layer over {model.source.path} is text: name it .usda")
    # The document has been read: its layers are files that the caller allows.
    stage = compose_stage(model.source, Context(access=Access(follow_outside=True)), "bodies")
    for body in stage["bodies"]:
        if body["instance"] and body["path"] in texts:
            raise UsageError(
                f"{model.source.path}: {body['path']} stands in an instance, which no layer over "
                "the document reaches: fix the file that holds its numbers"
            )
    return "\n".join(_layer_lines(model.source.path, stage, texts, path)).encode()


def _layer_lines(
    source: str, stage: JsonObject, texts: Mapping[str, Mapping[str, str]], path: str
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
    tree: JsonObject = {}
    for prim, numbers in texts.items():
        node = tree
        for name in prim.strip("/").split("/"):
            node = node.setdefault(name, {})
        node[""] = numbers
    yield from _overs(tree, "")
    yield ""


def _overs(tree: JsonObject, indent: str) -> Iterator[str]:
    for name, inside in tree.items():
        if name:
            yield f'\n{indent}over "{name}"\n{indent}{{'
            yield from _overs(inside, f"{indent}    ")
            yield f"{indent}}}"
        else:
            for declared, names in _PROPERTIES.items():
                if names[0] in inside:
                    shown = ", ".join(inside[each] for each in names)
                    yield f"{indent}{declared} = {shown if len(names) == 1 else f'({shown})'}"


def _reference(source: str, folder: str) -> str:
    """Make the asset path of a file relative to a folder."""
    path = relative_path(os.path.abspath(source), folder)
    anchored = path if path.startswith(("../", "/")) or ":" in path else f"./{path}"
    return f"@@@{anchored}@@@" if "@" in anchored else f"@{anchored}@"
