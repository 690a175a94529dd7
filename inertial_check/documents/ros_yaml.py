"""Reader of parameter files of ROS descriptions, which xacro files load for every link.

Two forms are known, at any depth of a YAML document. Most files have one mapping for each link,
with its `mass`, `origin` and `inertia`. Those of Universal Robots have one mapping for all links,
with `NAME_mass` and, by name, `center_of_mass`, `rotation` and `tensor` (or `inertia`). The numbers
have the same meaning as in the URDF that they become part of. The files do not name joints.

Position of the text of a YAML scalar, from the marks of PyYAML.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from inertial_check.documents.context import MOST_ELEMENTS, Head, NestingError, compose_yaml
from inertial_check.documents.model import (
    ENTRIES,
    ZERO,
    Body,
    Inertial,
    Model,
    Number,
    Problem,
    ThreeNumbers,
)
from inertial_check.documents.numbers import parse_number, quote
from inertial_check.documents.poses import IDENTITY, UNKNOWN, digest_rest, from_rpy
from inertial_check.documents.source import Source, Span
from inertial_check.documents.xml.encoding import Decoded, Unreadable, decode
from inertial_check.documents.xml.encoding import head as beginning
from inertial_check.errors import DocumentError, NotAModelError

if TYPE_CHECKING:
    from yaml import Node


NAME = "ros-yaml"


SUFFIXES: tuple[str, ...] = ()
"""No endings: a directory search does not take .yaml files, because few of them are models."""

# Compiled when they are first used, so that reading other formats does not wait for it.
_MASS = r"\b\w*mass[\"']?[ \t]*:"
_TENSOR = r"(?m)\b(?:inertia|tensor|inertia_tensor)[\"']?[ \t]*:[ \t\r]*(?:#.*|[&{].*)?$"
_ENTRY = r"(?i)\bi?xx[\"']?[ \t]*:"


def matches(head: Head) -> bool:
    """Return whether a document is no XML and has keys for masses and for mappings of inertias."""
    if head.root_tag is not None:
        return False
    text = beginning(head.data, len(head.data))
    return all(re.search(pattern, text) for pattern in (_MASS, _TENSOR, _ENTRY))


_PROPERTIES = r"(?:[&!]\S*\s+)*"
"""Pattern of the anchor and tag of a node; compiled when it is first used."""


def scalar_start(node: Node, text: str) -> int | None:
    """Find the character at which the value of a scalar begins; None if it is not written as such.

    A value with escapes in quotes, or on several lines, is not written as such.

    Args:
        node: Node that PyYAML composed from `text`.
        text: Text of the document.
    """
    if node.id != "scalar":
        return None
    start, end = node.start_mark.index, node.end_mark.index
    properties = re.match(_PROPERTIES, text[start:end])
    start += properties.end() if properties else 0
    if node.style in ("'", '"'):
        start, end = start + 1, end - 1
    return start if text[start:end] == node.value else None


_TENSORS = ("inertia", "tensor", "inertia_tensor")
_CENTERS = ("com", "cog", "center_of_mass")
_ANGLES = ("roll", "pitch", "yaw")
_SUFFIX = r"_(?:mass|cog|com)$"
_WORD = r"(?i)([+-]?)\.(inf|nan)"
_PIECE = r"[^ \t\r\n]+"
_MERGE = "<<"
_CORE = "tag:yaml.org,2002:"
_MOST_BODIES = 10_000
"""Largest number of links of a document, in which aliases can multiply them."""

_MOST_VISITS = 50 * _MOST_BODIES
"""Largest number of mappings that are visited on the way to links, each as often as it is aliased.
"""

_ENOUGH = 4
"""Number of entries of a list of three numbers that are read: with one more it is too long."""

_LONGEST_PATH = 50
"""Largest depth of a link in the document."""

Members = Mapping[str, "Node"]


def read_model(source: Source) -> Model:
    """Read a parameter file; errors are those of ros_yaml.read."""
    reader = _ParameterFile(source)
    try:
        bodies = tuple(reader.bodies())
    except RecursionError:  # a mapping that is merged into another, and that again, and so on
        raise DocumentError(source.path, "nested too deep: no parameter file") from None
    if not bodies:
        reason = "no mapping with a mass and an inertia: expected the parameters of links"
        raise NotAModelError(source.path, reason)
    problems = tuple(reader.problems)
    return Model(reader.source, NAME, "", bodies, problems, (), digest_rest(source.data, bodies))


class _ParameterFile:
    """Finds the links of a document and the places of their numbers."""

    def __init__(self, source: Source) -> None:
        try:
            self._decoded: Decoded = decode(source.data)
        except Unreadable as error:
            raise DocumentError(source.path, error.reason, 1, 1) from None
        found = self._decoded
        self.source = Source(source.path, source.data, found.encoding, found.bom)
        self.problems = [
            Problem("repair", message, self.span(start, end))
            for message, start, end in found.complaints
        ]
        self._root = self._compose()
        self._members: dict[int, Members] = {}
        self._holding: dict[int, bool] = {}
        self._count = self._visits = self._merged = 0

    def span(self, start: int, end: int) -> Span:
        """Return the bytes between two characters."""
        return Span(self._decoded.index.byte(start), self._decoded.index.byte(end))

    def node_span(self, node: Node) -> Span:
        """Return the bytes of a node."""
        return self.span(node.start_mark.index, node.end_mark.index)

    def bodies(self) -> Iterator[Body]:
        """Read every link, in the order of the document."""
        if self._root is not None:
            yield from self._bodies((), self._root)

    def members(self, node: Node | None) -> Members:
        """Read the values of a mapping by key, with merged ones; {} for another node.

        If a key comes twice, the last one counts, as for YAML loaders.
        """
        if node is None or node.id != "mapping":
            return {}
        if id(node) not in self._members:
            own: dict[str, Node] = {}
            merged: dict[str, Node] = {}
            self._members[id(node)] = own  # ends the recursion if a mapping is merged into itself
            for key, value in node.value:
                if key.id != "scalar":
                    continue
                if key.value == _MERGE:
                    merged = {**self._merge(value), **merged}
                    continue
                if key.value in own:
                    message = f"the key {quote(key.value)} comes twice: the last counts; delete one"
                    self.problems.append(Problem("malformed", message, self.node_span(key)))
                own[key.value] = value
            self._members[id(node)] = {**merged, **own}
        return self._members[id(node)]

    def text(self, node: Node) -> tuple[str, int] | None:
        """Return the text of a scalar and its position; None if it is not written as such."""
        start = scalar_start(node, self._decoded.text)
        known = node.tag.startswith(_CORE)  # other tags, such as !degrees, ask for a conversion
        return (node.value, start) if known and start is not None else None

    def _compose(self) -> Node | None:
        import yaml

        try:
            return compose_yaml(self._decoded.text)
        except NestingError as error:
            raise DocumentError(self.source.path, str(error)) from None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            reason = " ".join(filter(None, (error.context, error.problem)))
            place = (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
            raise DocumentError(self.source.path, f"not YAML: {reason}", *place) from None
        except yaml.YAMLError as error:
            reason = " ".join(str(error).split())
            raise DocumentError(self.source.path, f"not YAML: {reason}") from None
        except RecursionError:
            raise DocumentError(self.source.path, "nested too deep: no parameter file") from None

    def _merge(self, value: Node) -> Members:
        nodes = value.value if value.id == "sequence" else [value]
        found: dict[str, Node] = {}
        for node in reversed(nodes):
            members = self.members(node)
            self._merged += len(members)
            if self._merged > MOST_ELEMENTS:
                reason = f"more than {MOST_ELEMENTS} merged keys: do aliases repeat them?"
                raise DocumentError(self.source.path, reason)
            found.update(members)
        return found

    def _holds(self, node: Node) -> bool:
        """Return whether a node contains a link; each node is visited once, despite aliases."""
        if id(node) not in self._holding:
            self._holding[id(node)] = False
            members = self.members(node)
            self._holding[id(node)] = (
                _is_link(self, members)
                or bool(_tensors(self, members))
                or any(map(self._holds, members.values()))
            )
        return self._holding[id(node)]

    def _bodies(self, path: tuple[str, ...], node: Node) -> Iterator[Body]:
        members = self.members(node)
        if len(path) > _LONGEST_PATH or not self._holds(node):
            return
        self._visits += 1
        if self._visits > _MOST_VISITS:
            reason = f"more than {_MOST_VISITS} mappings: do aliases repeat them without bound?"
            raise DocumentError(self.source.path, reason)
        if _is_link(self, members):
            yield self._count_body(_ParameterReader(self, path, node).of_mapping(members))
            return
        tensors = _tensors(self, members)
        for name, tensor in tensors.items():
            inside = (*path, name)
            yield self._count_body(_ParameterReader(self, inside, tensor).of_table(name, members))
        for key, value in members.items():
            if not (tensors and key in _TENSORS):
                yield from self._bodies((*path, key), value)

    def _count_body(self, body: Body) -> Body:
        self._count += 1
        if self._count > _MOST_BODIES:
            reason = f"more than {_MOST_BODIES} links: do aliases repeat them without bound?"
            raise DocumentError(self.source.path, reason)
        return body


def _is_link(reader: _ParameterFile, members: Members) -> bool:
    mass = members.get("mass")
    tensor = next((members[key] for key in _TENSORS if key in members), None)
    return mass is not None and mass.id == "scalar" and _is_tensor(reader.members(tensor))


def _tensors(reader: _ParameterFile, members: Members) -> Members:
    """Find the tensors by name in a mapping for all links; {} if it is no such mapping."""
    if not any(key.endswith("_mass") for key in members):
        return {}
    for key in _TENSORS:
        named = reader.members(members.get(key)).items()
        found = {name: node for name, node in named if _is_tensor(reader.members(node))}
        if found:
            return found
    return {}


def _is_tensor(members: Members) -> bool:
    return any(_entry(key) in ("ixx", "iyy", "izz") for key in members)


def _entry(key: str) -> str | None:
    """Return the entry of the inertia that a key names."""
    name = key.lower()
    name = name if name.startswith("i") else f"i{name}"
    name = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}.get(name, name)
    return name if name in ENTRIES else None


class _ParameterReader:
    """Reads one link and collects the problems of its text."""

    def __init__(self, reader: _ParameterFile, path: tuple[str, ...], node: Node) -> None:
        self._reader = reader
        self._node = node
        self._id = "/".join(path)
        named = path[:-1] if len(path) > 1 and path[-1] in ("inertial", "inertials") else path
        self._name = named[-1] if named else ""
        self._problems: list[Problem] = []

    def of_mapping(self, members: Members) -> Body:
        """Read a link that has a mapping of its own."""
        origin = self._reader.members(members.get("origin"))
        center = origin.get("xyz") or (members["origin"] if "x" in origin else None)
        center = center or next((members[key] for key in _CENTERS if key in members), None)
        rotation = origin.get("rpy") or members.get("rpy")
        tensor = next(members[key] for key in _TENSORS if key in members)
        return self._body(members["mass"], center, rotation, tensor)

    def of_table(self, name: str, members: Members) -> Body:
        """Read a link whose parameters are in mappings for all links, by its name."""
        masses = {key: value for key, value in members.items() if key.endswith("_mass")}
        centers = next((members[key] for key in _CENTERS if key in members), None)
        center = _find_value(name, self._reader.members(centers))
        rotation = _find_value(name, self._reader.members(members.get("rotation")))
        mass = _find_value(name, masses)
        if mass is None:
            self._problem(f"has no mass: write {name}_mass", self._reader.node_span(self._node))
        return self._body(mass, center, rotation, self._node)

    def _body(
        self, mass: Node | None, center: Node | None, rotation: Node | None, tensor: Node
    ) -> Body:
        inertial = Inertial(
            self._reader.node_span(self._node),
            None if mass is None else self._number("mass", mass),
            self._triple("xyz", center, ("x", "y", "z")),
            IDENTITY
            if rotation is None
            else from_rpy(*(each.value for each in self._triple("rpy", rotation, _ANGLES)))
            or UNKNOWN,
            self._entries(tensor),
        )
        span = self._reader.node_span(self._node)
        return Body(self._name, self._id, span, None, False, inertial, tuple(self._problems))

    def _problem(self, message: str, span: Span) -> None:
        self._problems.append(Problem("malformed", f"link {quote(self._name)}: {message}", span))

    def _entries(self, tensor: Node) -> dict[str, Number]:
        found: dict[str, Number] = {}
        for key, node in self._reader.members(tensor).items():
            entry = _entry(key)
            if entry is None:
                continue
            number = self._number(key, node)
            if entry in found and found[entry].value != number.value:
                message = f"{key} is {number.text}, and {entry} {found[entry].text}: not symmetric"
                self._problem(message, self._reader.node_span(node))
            elif entry not in found:
                found[entry] = number
        if missing := [entry for entry in ENTRIES if entry not in found]:
            what = f"its inertia has no {', '.join(missing)}: write {missing[0]}"
            self._problem(what, self._reader.node_span(tensor))
        return {entry: found[entry] for entry in ENTRIES if entry in found}

    def _number(self, key: str, node: Node) -> Number:
        found = self._reader.text(node)
        if found is None:
            self._problem(f"{key}: expected a number", self._reader.node_span(node))
            return Number(math.nan, "", self._reader.node_span(node))
        return self._parse_number(key, *found)

    def _parse_number(self, key: str, text: str, at: int) -> Number:
        value, complaint = parse_number(re.sub(_WORD, r"\1\2", text))
        span = self._reader.span(at, at + len(text))
        if complaint:
            self._problem(f"{key}: {complaint}", span)
        return Number(value, text, span)

    def _triple(self, key: str, node: Node | None, names: Sequence[str]) -> ThreeNumbers:
        """Read three numbers from a list, a mapping or one text; zeros without a node."""
        if node is None:
            return ZERO, ZERO, ZERO
        numbers = list(self._numbers(key, node, names))
        if len(numbers) == 3:
            return numbers[0], numbers[1], numbers[2]
        span = self._reader.node_span(node)
        self._problem(f"{key}: expected three numbers, {' '.join(names)}", span)
        return Number(math.nan, "", span), Number(math.nan, "", span), Number(math.nan, "", span)

    def _numbers(self, key: str, node: Node, names: Sequence[str]) -> Iterable[Number]:
        if node.id == "sequence":
            return [self._number(key, item) for item in node.value[:_ENOUGH]]
        if node.id == "mapping":
            members = self._reader.members(node)
            return [self._number(name, members[name]) for name in names if name in members]
        found = self._reader.text(node)
        if found is None:
            return []
        text, start = found
        pieces = re.finditer(_PIECE, text)
        return [
            self._parse_number(key, match[0], start + match.start())
            for match in islice(pieces, _ENOUGH)
        ]


def _find_value(name: str, members: Members) -> Node | None:
    """Find the value of a link, for which upper_arm, upper_arm_cog and upperarm_mass are equal."""
    plain = name.replace("_", "")
    for key, value in members.items():
        if re.sub(_SUFFIX, "", key).replace("_", "") == plain:
            return value
    return None
