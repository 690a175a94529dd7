"""What an MJCF document says for all of its bodies: <compiler> and <default>."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inertial_check.formats.mjcf.constants import MAIN
from inertial_check.formats.mjcf.rotations import ORIENTATIONS
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
_DENSITY = 1000.0  # MuJoCo's default [kg/m^3]


@dataclass
class Compiler:
    """The settings of <compiler> that bear on inertias, with MuJoCo's defaults.

    Attributes:
        angle: "degree" or "radian".
        eulerseq: Three of x y z (moving axes) and X Y Z (fixed axes).
        inertiafromgeom: "auto": where nothing is written; "true": even then; "false": never.
        inertiagrouprange: First and last group of the geoms that count.
        boundmass: Smaller masses are raised to this [kg].
        boundinertia: Smaller principal moments are raised to this [kg m^2].
        balanceinertia: "true": moments that violate A + B >= C become their mean.
        settotalmass: All masses and inertias are scaled to this total [kg]; where positive.
        coordinate: "local"; MuJoCo refuses "global" since 2.3.4.
        assetdir: Folder of meshes, from that of the main document, where meshdir does not say.
        meshdir: The same, and first.
        strippath: "true": of the path of a file only its name counts.
        spans: Where each of these is set.
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
        """An angle of the document [rad]."""
        return math.radians(angle) if self.angle == "degree" else angle

    def counts(self, geom: Mapping[str, str]) -> bool:
        """Whether MuJoCo takes mass from a geom with these attributes."""
        first, last = self.inertiagrouprange
        if not first <= _value(geom, "group", 0.0) <= last or geom.get("type") == _WITHOUT_VOLUME:
            return False
        # A text that is no number makes MuJoCo refuse the geom; it says nothing of the body.
        return not _value(geom, "mass" if "mass" in geom else "density", _DENSITY) <= 0


def _value(attributes: Mapping[str, str], name: str, default: float) -> float:
    text = attributes.get(name, "").strip()
    return parse_number(text)[0] if text else default


def read_compiler(tree: MjcfDocument) -> tuple[Compiler, list[Problem]]:
    """The settings, the last of each kind, and what MuJoCo would refuse in them."""
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


def _setting(name: str, text: PlacedText) -> tuple[Any, str]:
    """The value of a setting and what is expected; None for one that is refused or unknown."""
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
    """What the settings do to the document as a whole."""
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
    """What the bounds do to bodies that have no numbers."""
    for name, bound, unit in (
        ("boundmass", compiler.boundmass, "kg"),
        ("boundinertia", compiler.boundinertia, "kg m^2"),
    ):
        if bound > 0 and unwritten:
            bodies = "one body" if unwritten == 1 else f"{unwritten} bodies"
            message = f"{name}: MuJoCo takes {bound:.6g} {unit} for {bodies} without any numbers"
            yield Problem("engine", message, compiler.spans[name])


class Defaults:
    """The default classes: what a geom, a joint or a mesh has where it says nothing."""

    def __init__(self, tree: MjcfDocument) -> None:
        self._classes: dict[str, dict[str, Mapping[str, str]]] = {MAIN: {tag: {} for tag in _KEPT}}
        for node in tree.children(tree.root):
            if node.tag == "default":
                self._read(tree, node)

    def _read(self, tree: MjcfDocument, section: MjcfElement) -> None:
        """Read a section: what stands in a class itself, then the classes in it."""
        pending = [(section, MAIN)]
        while pending:
            node, name = pending.pop()
            inside = list(tree.children(node))
            for child in inside:
                if child.tag in _KEPT:
                    known = self._classes[name]
                    known[child.tag] = _over(known[child.tag], child.element.attributes)
            for child in inside:
                inner = child.get("class")
                if child.tag == "default" and inner is not None:
                    self._classes[inner] = dict(self._classes[name])
                    pending.append((child, inner))

    def of(self, node: MjcfElement, name: str) -> Mapping[str, str]:
        """What one of these has, where the class around it is of this name."""
        known = self._classes.get(node.get("class") or name, self._classes[MAIN])
        return _over(known[node.tag], node.element.attributes)


_KEPT = frozenset(("geom", "joint", "mesh"))


def _over(inherited: Mapping[str, str], own: Mapping[str, str]) -> Mapping[str, str]:
    """What is inherited, and over it what is written.

    An orientation takes the place of one in another form; the first sizes, of the first alone.
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
