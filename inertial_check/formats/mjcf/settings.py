"""Settings of an MJCF document that apply to all of its bodies: <compiler> and <default>."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from inertial_check.formats.mjcf.constants import MAIN, ORIENTATIONS
from inertial_check.formats.mjcf.tree import MjcfDocument, MjcfElement
from inertial_check.formats.numbers import parse_number, quote
from inertial_check.formats.xml.markup import PlacedText
from inertial_check.model.body import Problem
from inertial_check.model.source import Span

_WORDS = {
    "angle": ("degree", "radian"),
    "balanceinertia": ("false", "true"),
    "inertiafromgeom": ("false", "true", "auto"),
    "coordinate": ("local", "global"),
    "strippath": ("false", "true"),
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
            value, expected = _setting(name, text)
            span = node.document.span(*text.trim()[1:])
            if value is not None:
                setattr(compiler, name, value)
                compiler.spans[name] = span
            elif expected:
                whole = quote(text.trim()[0])
                message = f"{name} of <compiler>: {whole}, which MuJoCo refuses: write {expected}"
                problems.append(Problem("malformed", message, span))
    return compiler, [*problems, *_note_document_effects(compiler)]


def _setting(name: str, text: PlacedText) -> tuple[str | float | tuple[float, ...] | None, str]:
    """Parse a setting: its value, None if it is refused or unknown, and what is expected."""
    whole = text.trim()[0]
    if name in _WORDS:
        words = _WORDS[name]
        return whole if text.value in words else None, " or ".join(words)
    if name == "eulerseq":
        good = len(text.value) == 3 and set(text.value) <= set("xyzXYZ")
        return text.value if good else None, "three of the letters xyzXYZ"
    if name in _FOLDERS:
        return whole, ""
    if name in _NUMBERS:
        values = [parse_number(piece)[0] for piece, _, _ in text.pieces()]
        count = _NUMBERS[name]
        if len(values) != count or any(map(math.isnan, values)):
            return None, "a number" if count == 1 else f"{count} numbers"
        return values[0] if count == 1 else tuple(values), ""
    return None, ""


def _note_document_effects(compiler: Compiler) -> Iterator[Problem]:
    """Note the effects of settings on the document as a whole."""
    if compiler.settotalmass > 0:
        message = (
            f"settotalmass: MuJoCo scales every mass and inertia so that the total mass is "
            f"{compiler.settotalmass:.6g} kg; the numbers here are those written"
        )
        yield Problem("engine", message, compiler.spans["settotalmass"])
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
