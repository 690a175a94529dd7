"""Insertion of mass properties that no layer states into the text of a prim.

Damping, friction and armature of a joint, written into the text of its prim.

Writer of a text layer over a USD document: the same stage with other mass properties.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isclose
from typing import NamedTuple

from inertial_check.documents.context import Context
from inertial_check.documents.edits import (
    CENTER,
    MOMENTS,
    PRODUCTS,
    JointEdits,
    NotInsertable,
    make_comment_line,
)
from inertial_check.documents.files.access import Access, JsonObject
from inertial_check.documents.files.walking import relative_path
from inertial_check.documents.model import NEWTON_ORDER, Body, Model
from inertial_check.documents.source import Edit, Span
from inertial_check.documents.usd import TEXT
from inertial_check.documents.usd.reading import DYNAMICS, compose_stage, find_unit
from inertial_check.documents.usd.text import LayerPlaces, Token, scan, tokenize
from inertial_check.errors import UsageError

_SCHEMA = b'"PhysicsMassAPI"'
_STEP = b"    "
"""Indentation of what is inside a prim where the layer shows none."""

_LINE_END = re.compile(rb"\r\n|\r|\n")
_REST_OF_LINE = re.compile(rb"[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")
_BLANKS = re.compile(rb"[ \t\r\n]*")


class _Property(NamedTuple):
    """A mass property: its type, its name, the names of its numbers, and a placeholder."""

    type: str
    name: str
    numbers: tuple[str, ...]
    placeholder: str


_PROPERTIES = (
    _Property("float", "physics:mass", ("mass",), "1"),
    _Property("point3f", "physics:centerOfMass", CENTER, "(0, 0, 0)"),
    _Property("float3", "physics:diagonalInertia", MOMENTS, "(1, 1, 1)"),
    # Products of inertia are stated by axes in which there are none.
    _Property("quatf", "physics:principalAxes", PRODUCTS, "(1, 0, 0, 0)"),
)
# USD takes a mass or moments of 0 for unwritten ones, so that no placeholder of them is 0.


class _Prim(NamedTuple):
    """Tokens of the beginning of a prim.

    Attributes:
        name: The string after its specifier.
        metadata: Tokens of its metadata, with the parentheses; () without any.
        brace: The brace that opens it.
    """

    name: Token
    metadata: tuple[Token, ...]
    brace: Token


def insert_numbers(
    model: Model, body: Body, names: frozenset[str], comment: str
) -> tuple[Edit, ...]:
    """Insert numbers; arguments and errors are those of documents.writing.insert."""
    data = model.source_of(body.span).data
    path = _find_prim(data, body)
    if body.inertial and not all(number.literal for number in body.inertial.p_BoBcm_B):
        raise NotInsertable("the scale of its prim multiplies its centre of mass")
    wanted = [each for each in _PROPERTIES if not names.isdisjoint(each.numbers)]
    values = _scan(data).values
    stated = {each: values.get(f"{path}.{each.name}") for each in wanted}
    prim = read_prim(data, body.span.start)
    file = body.span.file
    edits = [
        Edit(Span(value.start, value.end, file), each.placeholder)
        for each, value in stated.items()
        if value is not None
    ]
    lines = [
        f"{each.type} {each.name} = {each.placeholder}"
        for each, value in stated.items()
        if value is None
    ]
    if comment and len(lines) > 1:
        lines.insert(0, f"# {make_comment_line(comment)}")
    edits += insert_lines(data, prim, lines, file)
    return (*edits, *apply_schema(data, body.span.start, prim, file))


@lru_cache(maxsize=1)  # a layer's bodies are asked for one after another
def _scan(data: bytes) -> LayerPlaces:
    return scan(data, [each.name for each in _PROPERTIES])


def _find_prim(data: bytes, body: Body) -> str:
    """Find the path of the prim of a body in the layer in which it is defined.

    Raises:
        NotInsertable: No text layer defines it.
    """
    name = body.id.rpartition("/")[2]
    if data.startswith(TEXT):
        for path, prim in _scan(data).prims.items():
            if (prim.start, prim.end) == body.span[:2] and path.endswith((f"/{name}", f"}}{name}")):
                return path
    raise NotInsertable("no text layer defines its prim")


def read_prim(data: bytes, start: int) -> _Prim:
    """Read the beginning of the prim that begins at a position.

    Raises:
        NotInsertable: None begins there.
    """
    name: Token | None = None
    metadata: list[Token] = []
    depth = 0
    for token in tokenize(data, start):
        if token.kind == "end":
            break
        if name is None:
            name = token if token.kind == "string" else None
        elif token.text == b"{" and depth == 0:
            return _Prim(name, tuple(metadata), token)
        else:
            metadata.append(token)
            depth += (token.text in (b"(", b"[", b"{")) - (token.text in (b")", b"]", b"}"))
    raise NotInsertable("its prim cannot be read")


def _indent_of(data: bytes, at: int) -> bytes:
    """Return the blanks at the beginning of the line of a position."""
    line = max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1
    return data[line : line + len(data[line:at]) - len(data[line:at].lstrip(b" \t"))]


def _newline(data: bytes) -> bytes:
    found = _LINE_END.search(data)
    return found[0] if found else b"\n"


def _inner_indent(data: bytes, start: int, opening: Token) -> bytes:
    """Return the indentation of what stands inside a bracket, on the next line that has anything.

    Args:
        data: The layer.
        start: Where the prim begins.
        opening: The bracket.
    """
    outer = _indent_of(data, start)
    blanks = _BLANKS.match(data, opening.end)
    found = blanks.end() if blanks else opening.end
    inner = _indent_of(data, found)
    closes = data[found : found + 1] in (b")", b"}", b"")
    own_line = bool(_LINE_END.search(data, opening.end, found))
    return inner if own_line and not closes else outer + _STEP


def insert_lines(data: bytes, prim: _Prim, lines: list[str], file: int) -> Iterator[Edit]:
    """Insert lines at the beginning of a prim, below a comment beside its brace."""
    if not lines:
        return
    newline, brace = _newline(data), prim.brace
    indent = _inner_indent(data, prim.name.start, brace)
    rest = _REST_OF_LINE.match(data, brace.end)
    at = rest.end() if rest else brace.end
    text = b"".join(newline + indent + line.encode() for line in lines)
    if rest is None:  # something else stands on the line of the brace
        ends = data[_BLANKS.match(data, at).end() :][:1] == b"}"  # type: ignore[union-attr]
        text += newline + (_indent_of(data, prim.name.start) if ends else indent)
    yield Edit(Span(at, at, file), text.decode())


def apply_schema(
    data: bytes, start: int, prim: _Prim, file: int, schema: bytes = _SCHEMA
) -> Iterator[Edit]:
    """Apply a schema to a prim, without which engines ignore its properties.

    Raises:
        NotInsertable: The list of its schemas has another form.
    """
    tokens = prim.metadata
    places = [i for i, token in enumerate(tokens) if token.text == b"apiSchemas"]
    named = schema.decode()
    word = named.strip('"')
    written = f"prepend apiSchemas = [{named}]"
    newline, outer = _newline(data), _indent_of(data, start)
    if not tokens:
        at = prim.name.end
        text = newline + outer + _STEP + written.encode() + newline + outer
        yield Edit(Span(at, at, file), f" ({text.decode()})")
        return
    if not places:
        opening = tokens[0]
        text = newline + _inner_indent(data, start, opening) + written.encode()
        if not _LINE_END.match(data, opening.end):
            text += newline + _inner_indent(data, start, opening)
        yield Edit(Span(opening.end, opening.end, file), text.decode())
        return
    for place in places:
        before = tokens[place - 1].text
        group = list(_read_list(tokens, place))
        if any(token.text.replace(b"'", b'"') == schema for token in group):
            if before in (b"delete", b"reorder"):
                raise NotInsertable(f"its prim has {before.decode()} apiSchemas of {word}")
            return
    adding = [place for place in places if tokens[place - 1].text not in (b"delete", b"reorder")]
    group = list(_read_list(tokens, adding[0])) if adding else []
    if not group or group[0].text[:1] != b"[":
        raise NotInsertable(f"the apiSchemas of its prim are no list: add {word} to them")
    strings = [token for token in group if token.kind == "string"]
    if strings:
        at = strings[-1].end
        yield Edit(Span(at, at, file), f", {named}")
    else:
        at = group[0].start + 1
        yield Edit(Span(at, at, file), named)


def _read_list(tokens: tuple[Token, ...], place: int) -> Iterator[Token]:
    """Read the value after `name =`: the tokens up to the closing bracket."""
    for token in tokens[place + 2 :]:
        yield token
        if token.text == b"]" or token.kind == "numbers" or token.text[:1] not in b"[,\"'":
            return


_INSERTED = {"damping": "mjc:damping", "friction": "mjc:frictionloss", "armature": "mjc:armature"}
"""Attributes that are inserted where none is authored: those of MuJoCo have a unit for each."""

_JOINT_SCHEMA = b'"MjcJointAPI"'
"""Schema of the attributes that are inserted."""

_SINGLE = 2.0**-24
"""Relative rounding of a float32, as which most layers state these numbers."""


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of documents.writing.set_joint."""
    joint = body.joints[0]
    # Find the prim of a joint: number of its layer, its path, and the places of that layer.
    wanted = [own for names in DYNAMICS.values() for own in names]
    layers = [
        (file, scan(source.data, wanted))
        for file, source in enumerate((model.source, *model.others))
        if source.data.startswith(TEXT)
    ]
    endings = (f"/{joint.name}", f"}}{joint.name}")
    found = [
        (file, path, places)
        for file, places in layers
        for path in places.prims
        if path.endswith(endings)
    ]
    if len(found) != 1:
        raise NotInsertable(f"{len(found) or 'no'} prims {joint.name!r} are defined in text layers")
    file, path, places = found[0]
    data = (model.source, *model.others)[file].data
    prim = places.prims[path]
    inertials = [each.inertial for each in model.bodies if each.inertial is not None]
    if not inertials:
        raise NotInsertable("no body of the stage states its units")
    kilograms, meters = inertials[0].kilograms_per_unit, inertials[0].meters_per_unit
    edits: list[Edit] = []
    lines: list[str] = []
    for name, value in values.items():
        stated = [own for own in DYNAMICS[name] if f"{path}.{own}" in places.values]
        for own in stated:
            text = repr(value / find_unit(own, joint.type, kilograms, meters))
            pieces = places.values[f"{path}.{own}"].pieces
            if len(pieces) != 1:
                raise NotInsertable(f"its {own} is no number")
            if not isclose(float(pieces[0].text), float(text), rel_tol=_SINGLE, abs_tol=0.0):
                edits.append(Edit(Span(pieces[0].start, pieces[0].end, file), text))
        if not stated:
            own = _INSERTED[name]
            number = value / find_unit(own, joint.type, kilograms, meters)
            lines.append(f"uniform double {own} = {number!r}")
    if lines:
        opened = read_prim(data, prim.start)
        edits += insert_lines(data, opened, lines, file)
        edits += apply_schema(data, prim.start, opened, file, _JOINT_SCHEMA)
    return JointEdits(tuple(edits))


_LAYER_NUMBERS = {
    "float physics:mass": ("mass",),
    "point3f physics:centerOfMass": ("x", "y", "z"),
    "float3 physics:diagonalInertia": ("ixx", "iyy", "izz"),
    "quatf physics:principalAxes": ("qw", "qx", "qy", "qz"),
    "double[] newton:inertia": tuple(f"newton:{name}" for name in NEWTON_ORDER),
}
"""Declaration of each property, and the names of its numbers."""


def write_layer(model: Model, texts: Mapping[str, Mapping[str, str]], path: str) -> bytes:
    """Write a layer; arguments and errors are those of usd.overlay."""
    if os.path.splitext(path)[1] not in (".usd", ".usda"):
        raise UsageError(f"{path}: the layer over {model.source.path} is text: name it .usda")
    # The document has been read: its layers are files that the caller allows.
    stage = compose_stage(model.source, Context(access=Access(follow_outside=True)), whole=False)
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
    # Make the asset path of a file relative to a folder.
    folder = os.path.dirname(os.path.abspath(path))
    anchored = relative_path(os.path.abspath(source), folder)
    if not anchored.startswith(("../", "/")) and ":" not in anchored:
        anchored = f"./{anchored}"
    below = f"@@@{anchored}@@@" if "@" in anchored else f"@{anchored}@"
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
            for declared, names in _LAYER_NUMBERS.items():
                if names[0] in inside:
                    shown = ", ".join(inside[each] for each in names)
                    brackets = "[]" if "[]" in declared else "()"[: 2 * (len(names) > 1)]
                    yield f"{indent}{declared} = {brackets[:1]}{shown}{brackets[1:]}"
