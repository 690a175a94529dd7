"""Reader of the mass properties of one body of a stage, with the places of their text."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, isinf, isnan, nan

from inertial_check.documents.context import Context
from inertial_check.documents.files.access import JsonObject
from inertial_check.documents.model import (
    ENTRIES,
    NEWTON_ORDER,
    ZERO,
    Inertial,
    InertiaOrigin,
    Misreading,
    Number,
    Problem,
    ProblemKind,
    Spelling,
    SpellingState,
)
from inertial_check.documents.numbers import complain_of_length
from inertial_check.documents.poses import IDENTITY, UNKNOWN, Rotation, from_quaternion
from inertial_check.documents.source import Source, Span
from inertial_check.documents.usd import TEXT
from inertial_check.documents.usd.text import LayerPlaces, scan

_NAMES = {
    "physics:mass": 1,
    "physics:centerOfMass": 3,
    "physics:diagonalInertia": 3,
    "physics:principalAxes": 4,
    "newton:inertia": 6,
}
"""Mass properties, and how many numbers each has."""

_PHYSICS_NAMES = (
    "physics:mass",
    "physics:centerOfMass",
    "physics:diagonalInertia",
    "physics:principalAxes",
    "physics:density",
)
_DENSITY = "physics:density"
_OF_SHELLS = ("newton:massModel", "newton:shellThickness", "mjc:shellinertia", "mjc:inertia")
"""Attributes that spread the mass of a collider over a shell, whose places are found."""

_UNSEEN = Misreading(("usdphysics",), "replace", becomes="mass and inertia of its colliders")
"""Readings, by engines without Newton's schema, of a body that applies no other."""

_NEWTON_ONLY = Misreading(
    ("usdphysics",), "replace", becomes="its mass with an inertia that UsdPhysics computes"
)
"""Readings, by engines, of an inertia that stands in newton:inertia alone."""

_SPHERE_RADIUS = 0.1
"""Radius [m] of the sphere that UsdPhysics assumes for a body with mass but no inertia and no
collider."""


@dataclass(frozen=True)
class TextLayer:
    """A text layer: its number among the documents of the model, and its places."""

    file: int
    places: LayerPlaces

    def span(self, start: int, end: int) -> Span:
        """The span of bytes of the layer."""
        return Span(start, end, self.file)


@dataclass
class TextLayers:
    """The layers of a stage, scanned when a place in them is first needed."""

    source: Source
    context: Context
    paths: Sequence[str]
    others: list[Source] = field(default_factory=list)
    _scanned: dict[int, TextLayer | None] = field(default_factory=dict)

    def text(self, number: int) -> TextLayer | None:
        """Return the layer of this number; None if it is binary."""
        if number in self._scanned:
            return self._scanned[number]
        source, file = self.source, 0
        if number:
            try:
                data = self.context.read(self.paths[number])
            except (OSError, ValueError):  # inside an archive, or deleted meanwhile
                data = b""
            source = Source(self.display_path(self.paths[number]), data)
            file = len(self.others) + 1
        layer = None
        if source.data.startswith(TEXT):
            if file:
                self.others.append(source)
            layer = TextLayer(file, scan(source.data, [*_NAMES, _DENSITY, *_OF_SHELLS]))
        self._scanned[number] = layer
        return layer

    def find(self, path: str) -> TextLayer | None:
        """Return the layer at this path, if it defines bodies or numbers."""
        return self.text(self.paths.index(path)) if path in self.paths else None

    def span_of(self, path: str, prim: str) -> Span | None:
        """Return where a prim is, if the layer at this path has been scanned."""
        layer = self._scanned.get(self.paths.index(path)) if path in self.paths else None
        place = layer.places.prims.get(prim) if layer else None
        return layer.span(*place) if layer and place else None

    def display_path(self, path: str) -> str:
        """Make the path of a layer relative to the same folder as the path of the document."""
        folder = os.path.dirname(self.source.path)
        try:
            relative = os.path.relpath(path, os.path.abspath(folder))
        except ValueError:  # another drive
            return path
        return os.path.normpath(os.path.join(folder, relative)).replace(os.sep, "/")


class MassReader:
    """Reads the mass properties of one body and collects the problems of their text."""

    def __init__(self, body: JsonObject, span: Span, layers: TextLayers) -> None:
        self._body = body
        self._span = span
        self._nowhere = Span(span.start, span.start, span.file)
        self._layers = layers
        self._written: JsonObject = body["attributes"]
        self._read: dict[str, list[Number]] = {}
        self.problems: list[Problem] = []

    def inertial(self, kilograms: float, meters: float) -> tuple[Inertial | None, InertiaOrigin]:
        """Read the inertia of the body, and determine where engines take it from."""
        # Leave out attributes that engines ignore, because their schema is not applied.
        newton = "NewtonMassAPI" in self._body["applied"]
        if newton and self._written and "PhysicsMassAPI" not in self._body["applied"]:
            self._complain(
                "PhysicsMassAPI is applied by NewtonMassAPI alone, and engines without Newton's "
                "schema ignore the mass: write PhysicsMassAPI to the prim's apiSchemas, too",
                self._span,
                "differs",
                (_UNSEEN,),
            )
        for names, schema, applied in (
            (_PHYSICS_NAMES, "PhysicsMassAPI", bool(self._body["applied"])),
            (("newton:inertia",), "NewtonMassAPI", newton),
        ):
            wrong = [name for name in names if name in self._written]
            if wrong and not applied:
                engines = "Newton ignores" if schema == "NewtonMassAPI" else "engines ignore"
                self._complain(
                    f"{engines} {', '.join(wrong)}, because {schema} is not applied: write it to "
                    "the prim's apiSchemas",
                    self._span,
                )
                self._written = {k: v for k, v in self._written.items() if k not in wrong}
        mass, center, moments, axes, tensor = map(self._numbers, _NAMES)
        rotation = self._rotation(axes)
        if tensor and not moments:  # the only one: Newton simulates it, in the axes of the body
            axes, rotation = None, IDENTITY
            self._complain(
                "newton:inertia stands without physics:diagonalInertia: Newton takes it, and other "
                "engines an inertia from the colliders or of a small sphere: write "
                "physics:diagonalInertia and physics:principalAxes, too",
                tensor[0].span or self._nowhere,
                "differs",
                (_NEWTON_ONLY,),
            )
        stated = moments or tensor or ()
        numbers = [*(mass or ()), *stated]
        spans = [number.span for number in (stated or mass or ()) if number.span is not None]
        span = Span(spans[0].start, spans[-1].end, spans[0].file) if spans else self._nowhere
        weight = mass[0] if mass else None
        entries: dict[str, Number] = {}
        origin = self._origin(weight, bool(stated))
        if origin == "default" and weight is not None:
            radius = _SPHERE_RADIUS / meters
            moment = 0.4 * weight.value * radius * radius
            moments = [Number(moment, repr(moment), None)] * 3
        if moments:
            diagonal = dict(zip(("ixx", "iyy", "izz"), moments, strict=True))
            entries = {entry: diagonal.get(entry, ZERO) for entry in ENTRIES}
        elif tensor:
            named = dict(zip(NEWTON_ORDER, tensor, strict=True))
            entries = {entry: named[entry] for entry in ENTRIES}
        if not numbers:
            return None, origin
        if weight is None and origin == "file":
            # The value of an attribute that is not authored.
            weight = Number(0.0, "0", self._nowhere)
        x, y, z = center or self._scale([ZERO, ZERO, ZERO])
        found = Inertial(span, weight, (x, y, z), rotation, entries, kilograms, meters)
        if axes:
            w, x, y, z = axes
            found = found._replace(quaternion=(w, x, y, z))
        return found, origin

    def spellings(self) -> Iterator[Spelling]:
        """List the schemas and attributes of the body, its colliders and their materials."""
        own = {**self._body, "path": ""}
        for part in (own, *self._body["parts"]):
            for schema in ("PhysicsMassAPI", "NewtonMassAPI", "PhysicsMaterialAPI"):
                state: SpellingState = "written" if schema in part["applied"] else "absent"
                yield Spelling(schema, state, (), part["path"])
            for name in ("physics:mass", _DENSITY, *list(_NAMES)[1:]):
                written = part["attributes"].get(name)
                values = written["values"] if written else None
                # A value of another type is none; how long an array is, validators judge.
                if name != "newton:inertia" and len(values or ()) != _NAMES.get(name, 1):
                    values = None
                numbers = [_shortest_number(value, self._nowhere) for value in values or ()]
                state = "absent"
                if part is own and name == _DENSITY and name in self._written:
                    self._numbers(name)
                if written is not None:
                    state = "ignored"
                    if _is_fallback(name, values):
                        state = "fallback"
                    elif part is own and name in self._read:
                        state, numbers = "written", self._read[name]
                    elif part is not own and part["applied"]:
                        state = "written"
                yield Spelling(name, state, tuple(numbers), part["path"])
            for name, written in part["shells"].items():
                yield Spelling(name, "written", (self._locate(written),), part["path"])

    def _locate(self, written: JsonObject) -> Number:
        """Make a number of a word or of one value, with its place; NaN if it is no number."""
        number, path = written["place"] or (0, "")
        layer = self._layers.text(number)
        place = layer.places.values.get(path) if layer else None
        span = layer.span(place.start, place.end) if layer and place else self._nowhere
        values: list[float] = written["values"] or []
        if len(values) == 1:
            return _shortest_number(values[0], span)
        return Number(nan, written["shown"], span)

    def _origin(self, mass: Number | None, inertia: bool) -> InertiaOrigin:
        if inertia and mass is None and self._body["solid"]:
            self._complain(
                "the inertia stands beside a mass that engines take from the colliders and their "
                "density, and was not judged: write physics:mass",
                self._span,
                "repair",
            )
        if inertia and (mass is not None or not self._body["solid"]):
            return "file"
        if self._body["solid"]:
            return "geometry"
        return "file" if mass is None else "default"

    def _numbers(self, name: str) -> list[Number] | None:
        """Read an attribute; None if it is not authored or has the value of unauthored ones."""
        written = self._written.get(name)
        if written is None:
            return None
        values, count = written["values"], _NAMES.get(name, 1)
        if written["place"] is None:
            self._complain(
                f"{name} has values at times only, and engines read the one without a time: write "
                f"{name} = ...",
                self._span,
            )
            return None
        if _is_fallback(name, values):
            return None
        if values is None or len(values) != count:
            what = "one number" if count == 1 else f"{count} numbers"
            self._complain(f"{name} is {written['shown']}: write {what}", self._span)
            return None
        numbers = self._match_text(name, written["place"], values)
        if name == "newton:inertia" and not all(isfinite(number.value) for number in numbers):
            self._complain(
                f"{name} is {written['shown']}, and Newton ignores it: write six finite numbers",
                self._span,
            )
            return None
        numbers = self._scale(numbers) if name == "physics:centerOfMass" else numbers
        self._read[name] = numbers
        return numbers

    def _scale(self, center: Sequence[Number]) -> list[Number]:
        """Apply the scale of the prim to a centre of mass, as engines do."""
        return [
            number._replace(value=number.value * factor, literal=factor == 1)
            for number, factor in zip(center, self._body["scale"], strict=True)
        ]

    def _match_text(
        self, name: str, place: tuple[int, str], values: Sequence[float]
    ) -> list[Number]:
        """Make numbers with their texts and places in the layer, or else those of the library."""
        number, path = place
        layer = self._layers.text(number)
        value = layer.places.values.get(path) if layer else None
        if layer is None or value is None or len(value.pieces) != len(values):
            return [_shortest_number(v, self._nowhere) for v in values]
        found = []
        for (text, start, end), single in zip(value.pieces, values, strict=True):
            printed, span = float(text), layer.span(start, end)
            complaint = complain_of_length(text)
            if complaint is not None:
                self._complain(f"{name}: {complaint}", span)
                found.append(Number(nan, text, span))
                continue
            if not isnan(single) and single not in (printed, _single(printed)):
                return [_shortest_number(v, self._nowhere) for v in values]
            if isinf(single) and not isinf(printed):
                self._complain(f"{name}: {text} is beyond what float32 holds", span)
            elif printed != 0 and single == 0:
                self._complain(
                    f"{name}: {text} is below the smallest number that float32 holds, and "
                    "read as 0",
                    span,
                )
            found.append(Number(printed, text, span))
        return found

    def _rotation(self, axes: Sequence[Number] | None) -> Rotation:
        """Compute the rotation from principal axes to body axes; the order is w, x, y, z."""
        if not axes:
            return IDENTITY
        w, x, y, z = (number.value for number in axes)
        rotation = from_quaternion(x, y, z, w)
        if rotation is None:
            texts = ", ".join(number.text for number in axes)
            span = axes[0].span or self._span
            self._complain(
                f"physics:principalAxes ({texts}) is no rotation: write w, x, y, z", span
            )
            return UNKNOWN
        return rotation

    def _complain(
        self,
        message: str,
        span: Span,
        kind: ProblemKind = "malformed",
        misreadings: tuple[Misreading, ...] = (),
    ) -> None:
        where = self._body["path"]
        self.problems.append(Problem(kind, f"{where}: {message}", span, misreadings))


def _is_fallback(name: str, values: Sequence[float] | None) -> bool:
    """Whether an attribute has the value that its schema gives it where nobody writes it."""
    if values is None:
        return False
    fallback = -inf if name == "physics:centerOfMass" else 0
    return len(values) == (0 if name == "newton:inertia" else _NAMES.get(name, 1)) and all(
        value == fallback for value in values
    )


def _single(value: float) -> float:
    """Round a number to the nearest float32."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return inf if value > 0 else -inf


def _shortest_number(value: float, span: Span) -> Number:
    """Make a number without a text in the document from the shortest decimal of its float32.

    A number that is no float32 stays.
    """
    if _single(value) != value:
        return Number(value, repr(value), span)
    digits = next((n for n in range(1, 17) if _single(float(f"{value:.{n}g}")) == value), 17)
    text = f"{value:.{digits}g}"
    return Number(float(text), text, span)
