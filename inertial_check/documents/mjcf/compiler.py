"""Settings of an MJCF document that apply to all of its bodies: <compiler> and <default>.

An MJCF document with its includes resolved by the rules of MuJoCo.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from inertial_check.documents.context import Context, note_lookup
from inertial_check.documents.mjcf import MAIN, ORIENTATIONS
from inertial_check.documents.model import Misreading, Problem, ProblemKind
from inertial_check.documents.numbers import parse_number, quote
from inertial_check.documents.source import Source, Span
from inertial_check.documents.xml.document import XmlDocument, parse
from inertial_check.documents.xml.markup import Element, PlacedText
from inertial_check.errors import DocumentError


class MjcfElement(NamedTuple):
    """An element and the document that contains it."""

    element: Element
    document: XmlDocument

    @property
    def tag(self) -> str:
        """Name of the element."""
        return self.element.tag

    @property
    def span(self) -> Span:
        """Span of the element."""
        return self.document.element_span(self.element)

    @property
    def tag_span(self) -> Span:
        """Span of the start tag."""
        return self.document.tag_span(self.element)

    def get(self, name: str) -> str | None:
        """Return the value of an attribute; None if it is missing or blank, as for MuJoCo."""
        value = self.element.attributes.get(name, "")
        return value if value.strip() else None

    def attributes(self) -> dict[str, PlacedText]:
        """Read the attributes that are not blank, with the position of every character."""
        texts = self.document.attributes(self.element)
        return {name: text for name, text in texts.items() if text.value.strip()}


class MjcfDocument:
    """A document and the documents that it includes.

    Attributes:
        root: Root element of the main document.
        others: The included documents, in the order in which they are read.
        problems: Repairs of all documents, and includes that could not be resolved.
    """

    def __init__(self, source: Source, context: Context) -> None:
        document = parse(source.path, source.data)
        self.root = MjcfElement(document.root, document)
        self.others: list[Source] = []
        self.problems = list(document.problems)
        self._context = context
        self._folder = os.path.dirname(source.path)
        self._read = {os.path.realpath(source.path)}
        self._included: dict[Element, MjcfElement] = {}
        # Read the included documents depth first, as MuJoCo does, and no file twice.
        pending = self._includes(self.root)
        while pending:
            include = pending.pop()
            included = self._resolve(include)
            if included is not None:
                self._included[include.element] = included
                pending += self._includes(included)

    def children(self, node: MjcfElement) -> Iterator[MjcfElement]:
        """Iterate over the children of an element; includes are replaced by what they include."""
        pending = [(iter(node.element.children), node.document)]
        while pending:
            elements, document = pending[-1]
            for element in elements:
                if element.tag != "include":
                    yield MjcfElement(element, document)
                elif element in self._included:
                    included = self._included[element]
                    pending.append((iter(included.element.children), included.document))
                    break
            else:
                pending.pop()

    @staticmethod
    def _includes(root: MjcfElement) -> list[MjcfElement]:
        """Find the include elements of one document, last first."""
        if "include" not in root.document.text:
            return []
        found = []
        pending = [root.element]
        while pending:
            element = pending.pop()
            if element.tag == "include":
                found.append(MjcfElement(element, root.document))
            else:
                pending += reversed(element.children)
        return found[::-1]

    def _resolve(self, include: MjcfElement) -> MjcfElement | None:
        """Read the document that an element includes; None, and a problem, if that fails."""
        path, why = self._path(include)
        document = None
        if not why:
            try:
                document = parse(path, self._context.read(path), len(self.others) + 1)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                why = f"it cannot be read ({reason}), so that nothing of it was checked"
            except DocumentError as error:
                place = f"{error.line}:{error.column}: " if error.line else ""
                why = f"nothing of it was checked, for it cannot be read: {place}{error.reason}"
        if document is not None:
            self.others.append(document.source)
            self.problems += document.problems
            if not document.root.children:
                why = "its root is empty, which MuJoCo refuses: delete the <include>"
        if why:
            message = f"include {quote(include.get('file') or '')}: {why}"
            kind: ProblemKind = "unread" if path and document is None else "reference"
            self.problems.append(Problem(kind, message, include.tag_span))
        return None if document is None else MjcfElement(document.root, document)

    def _path(self, include: MjcfElement) -> tuple[str, str]:
        """Find the path of an included document, and why it is not read.

        The path is empty where no file has it, and the reason where it may be read.
        """
        file = include.get("file")
        if file is None:
            return "", 'it has no file: write file="..." or delete it'
        if include.element.children or include.element.remarks:
            return "", "MuJoCo refuses an <include> with content: write <include file=.../>"
        file = file.replace("\\", "/")
        path = self._find(file, include.document)
        if path is None:
            folder = self._folder or "."
            if refusal := self.refuse(file):
                return file, f"no such file in {folder}, and it {refusal}"
            return "", f"no such file in {folder}; what it holds was not checked"
        real = os.path.realpath(path)
        if real in self._read:
            why = "this file is read already, and MuJoCo refuses to include it again: delete it"
            return "", why
        self._read.add(real)
        return path, ""

    def refuse(self, file: str) -> str | None:
        """Say why a file that the main document names must not be opened; None if it may be."""
        return self._context.granted.reason_against(os.path.join(self._folder, file))

    def _find(self, file: str, document: XmlDocument) -> str | None:
        """Find a file beside the main document, or else beside the including one."""
        for folder in (self._folder, os.path.dirname(document.source.path)):
            path = os.path.join(folder, file)
            note_lookup(path)
            if "\0" not in path and os.path.isfile(path):
                return path
        return None


_WORDS = {
    "angle": ("degree", "radian"),
    "balanceinertia": ("false", "true"),
    "inertiafromgeom": ("false", "true", "auto"),
    "coordinate": ("local", "global"),
    "strippath": ("false", "true"),
    "fusestatic": ("false", "true"),
}
_FOLDERS = frozenset(("assetdir", "meshdir"))
_NUMBERS = {"boundmass": 1, "boundinertia": 1, "settotalmass": 1, "inertiagrouprange": 2}
_WITHOUT_VOLUME = "plane"
_DENSITY = 1000.0
"""Density of a geom that states none [kg/m^3], as in MuJoCo."""


@dataclass
class Compiler:
    """Settings of <compiler> that affect inertias, with MuJoCo's defaults.

    Attributes:
        angle: "degree" or "radian".
        eulerseq: Three of x y z (moving axes) and X Y Z (fixed axes).
        inertiafromgeom: Whether inertias come from geoms: "auto" for bodies without an <inertial>,
            "true" for all, "false" for none.
        inertiagrouprange: First and last group of the geoms that have mass.
        boundmass: Lower bound to which masses are raised [kg].
        boundinertia: Lower bound to which principal moments are raised [kg m^2].
        balanceinertia: "true" if moments that violate A + B >= C are replaced by their mean.
        settotalmass: Total mass to which all bodies are scaled [kg]; not positive for none.
        coordinate: "local"; MuJoCo refuses "global" since 2.3.4.
        assetdir: Folder of meshes relative to the main document, if meshdir is empty.
        meshdir: Folder of meshes relative to the main document.
        strippath: "true" if folders in the path of a file are ignored.
        fusestatic: "true" if bodies without joints are merged into those that carry them.
        spans: Span of each setting that is written.
    """

    angle: str = "degree"
    eulerseq: str = "xyz"
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[float, float] = (0.0, 5.0)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: str = "false"
    settotalmass: float = -1.0
    coordinate: str = "local"
    assetdir: str = ""
    meshdir: str = ""
    strippath: str = "false"
    fusestatic: str = "false"
    spans: dict[str, Span] = field(default_factory=dict)

    def radians(self, angle: float) -> float:
        """Convert an angle of the document to radians."""
        return math.radians(angle) if self.angle == "degree" else angle

    def counts(self, geom: Mapping[str, str]) -> bool:
        """Return whether MuJoCo takes mass from a geom with these attributes."""
        first, last = self.inertiagrouprange
        if not first <= _value(geom, "group", 0.0) <= last or geom.get("type") == _WITHOUT_VOLUME:
            return False
        # A NaN counts as mass: MuJoCo refuses such a geom, which says nothing about the body.
        return not _value(geom, "mass" if "mass" in geom else "density", _DENSITY) <= 0


def _value(attributes: Mapping[str, str], name: str, default: float) -> float:
    text = attributes.get(name, "").strip()
    return parse_number(text)[0] if text else default


def read_compiler(tree: MjcfDocument) -> tuple[Compiler, list[Problem]]:
    """Read the settings, of which the last one counts, and note those that MuJoCo refuses."""
    compiler = Compiler()
    problems: list[Problem] = []
    for node in tree.children(tree.root):
        if node.tag != "compiler":
            continue
        for name, text in node.attributes().items():
            # Parse a setting: its value, None if it is refused or unknown, and what is expected.
            value: str | float | tuple[float, ...] | None
            whole = text.trim()[0]
            if name in _WORDS:
                words = _WORDS[name]
                value, expected = whole if text.value in words else None, " or ".join(words)
            elif name == "eulerseq":
                good = len(text.value) == 3 and set(text.value) <= set("xyzXYZ")
                value, expected = text.value if good else None, "three of the letters xyzXYZ"
            elif name in _FOLDERS:
                value, expected = whole, ""
            elif name in _NUMBERS:
                values = [parse_number(piece)[0] for piece, _, _ in text.pieces()]
                count = _NUMBERS[name]
                if len(values) != count or any(map(math.isnan, values)):
                    value, expected = None, "a number" if count == 1 else f"{count} numbers"
                else:
                    value, expected = values[0] if count == 1 else tuple(values), ""
            else:
                value, expected = None, ""
            span = node.document.span(*text.trim()[1:])
            if value is not None:
                setattr(compiler, name, value)
                compiler.spans[name] = span
            elif expected:
                whole = quote(text.trim()[0])
                message = f"{name} of <compiler>: {whole}, which MuJoCo refuses: write {expected}"
                problems.append(Problem("malformed", message, span))
    return compiler, [*problems, *_note_document_effects(compiler)]


def _note_document_effects(compiler: Compiler) -> Iterator[Problem]:
    """Note the effects of settings on the document as a whole."""
    if compiler.settotalmass > 0:
        message = (
            f"settotalmass: MuJoCo scales every mass and inertia so that the total mass is "
            f"{compiler.settotalmass:.6g} kg; the numbers here are those written"
        )
        becomes = f"all bodies scaled to a total mass of {compiler.settotalmass:.6g} kg"
        scaled = Misreading(("mujoco",), "alter", becomes)
        yield Problem("engine", message, compiler.spans["settotalmass"], (scaled,))
    if compiler.coordinate == "global":
        message = (
            "global coordinates, which MuJoCo refuses since 2.3.4: centres of mass and axes are "
            "those written, in the world's axes; verdicts do not depend on them"
        )
        yield Problem("engine", message, compiler.spans["coordinate"])


def note_bounds(compiler: Compiler, unwritten: int) -> Iterator[Problem]:
    """Note that the bounds give numbers to bodies that have none."""
    for name, bound, unit in (
        ("boundmass", compiler.boundmass, "kg"),
        ("boundinertia", compiler.boundinertia, "kg m^2"),
    ):
        if bound > 0 and unwritten:
            bodies = "one body" if unwritten == 1 else f"{unwritten} bodies"
            message = f"{name}: MuJoCo takes {bound:.6g} {unit} for {bodies} without any numbers"
            yield Problem("engine", message, compiler.spans[name])


class Defaults:
    """The default classes: attributes of geoms, joints, meshes and sites that do not state them."""

    def __init__(self, tree: MjcfDocument) -> None:
        self._classes: dict[str, dict[str, Mapping[str, str]]] = {MAIN: {tag: {} for tag in _KEPT}}
        for node in tree.children(tree.root):
            if node.tag == "default":
                self._read(tree, node)

    def _read(self, tree: MjcfDocument, section: MjcfElement) -> None:
        """Read a class, and then the classes inside it, which inherit from it."""
        pending = [(section, MAIN)]
        while pending:
            node, name = pending.pop()
            inside = list(tree.children(node))
            for child in inside:
                if child.tag in _KEPT:
                    known = self._classes[name]
                    known[child.tag] = _override(known[child.tag], child.element.attributes)
            for child in inside:
                inner = child.get("class")
                if child.tag == "default" and inner is not None:
                    self._classes[inner] = dict(self._classes[name])
                    pending.append((child, inner))

    def of(self, node: MjcfElement, name: str) -> Mapping[str, str]:
        """Return the attributes of an element in a class of this name, with inherited ones."""
        known = self._classes.get(node.get("class") or name, self._classes[MAIN])
        return _override(known[node.tag], node.element.attributes)


_KEPT = frozenset(("geom", "joint", "mesh", "site"))
"""Elements whose defaults are read."""


def _override(inherited: Mapping[str, str], own: Mapping[str, str]) -> Mapping[str, str]:
    """Override inherited attributes by an element's own ones.

    An orientation also replaces an inherited one in another form; sizes replace the first ones.
    """
    if not inherited:
        return own
    if not ORIENTATIONS.keys().isdisjoint(own):
        inherited = {name: text for name, text in inherited.items() if name not in ORIENTATIONS}
    merged = {**inherited, **own}
    if "size" in own and "size" in inherited:
        sizes = own["size"].split()
        merged["size"] = " ".join(sizes + inherited["size"].split()[len(sizes) :])
    return merged
