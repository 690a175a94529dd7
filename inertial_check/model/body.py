"""A robot model as its file states it: texts, values and where they stand. No judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from inertial_check.model.joint import Joint
from inertial_check.model.shape import Shape
from inertial_check.model.source import Place, Source, Span

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The six entries of a rotational inertia, in the order in which this package keeps them."""

InertiaOrigin = Literal["file", "geometry", "default"]
"""Where a body's inertia comes from: written; taken from its geometry; the format's stand-in."""

ProblemKind = Literal["repair", "reference", "malformed", "engine"]
"""repair: read only after a mending; reference: not found; malformed: not as the format asks;
engine: read as written, where the document has its engine use something else."""


class Number(NamedTuple):
    """One number of a document.

    Attributes:
        value: What the text says; NaN where it is no number (a Problem then says so).
        text: As written, without surrounding space; the format's default where nothing is written.
        span: Where it stands; None where the format's default stands in; empty where it is written
            as binary data, near what can be shown of it.
        literal: The text stands there as such. False where an expression stands there, whose value
            it is.
    """

    value: float
    text: str
    span: Span | None
    literal: bool = True


class Problem(NamedTuple):
    """What a reader could not take as it stands.

    Attributes:
        kind: repair, reference, malformed or engine.
        message: One sentence: the value, the expected, the way out.
        span: Where.
    """

    kind: ProblemKind
    message: str
    span: Span


class Inertial(NamedTuple):
    """The inertial element of a body, in its own axes Bi with the origin at the centre of mass.

    Attributes:
        span: The element.
        mass: [kg]; None where the document has none.
        p_BoBcm_B: Centre of mass in the body frame [m].
        R_BBi: Row-major rotation from the inertial's own axes to the body frame.
        I_BBcm_Bi: The six entries about the centre of mass in the inertial's own axes [kg m^2], by
            name; entries that are absent from the document are absent here. An entry that the
            document's form implies (the products beside principal moments) has no span.
        kilograms_per_unit: What one of the document's units of mass weighs [kg].
        meters_per_unit: How long one of its units of length is [m].
        fluid_added_mass: 6x6, symmetric, rows x y z and rotations about them, about the body's
            origin in its axes [kg, kg m, kg m^2]; () where the document states none.
        quaternion: The numbers w, x, y, z, of any length, in which the document states the own
            axes; None where it states none, or states them in other numbers.
    """

    span: Span
    mass: Number | None
    p_BoBcm_B: tuple[Number, Number, Number]
    R_BBi: tuple[tuple[float, float, float], ...]
    I_BBcm_Bi: Mapping[str, Number]
    kilograms_per_unit: float = 1.0
    meters_per_unit: float = 1.0
    fluid_added_mass: tuple[tuple[Number, ...], ...] = ()
    quaternion: tuple[Number, Number, Number, Number] | None = None


class Pose(NamedTuple):
    """Where a frame B stands in a frame P.

    Attributes:
        p_PoBo_P: Origin of B in P [m].
        R_PB: Row-major rotation from the axes of B to those of P.
    """

    p_PoBo_P: tuple[float, float, float]
    R_PB: tuple[tuple[float, float, float], ...]


class Body(NamedTuple):
    """One rigid body (link) of a model.

    Attributes:
        name: As written; can repeat.
        id: An XPath-like string, unique in the document.
        span: The element.
        joint: Type of the joint whose child the body is; None for a root.
        moved: Whether a joint that is not fixed moves the body relative to its parent.
        inertial: None where the document has none.
        problems: What is wrong with this body's text.
        shapes: For looks and for contact, in document order.
        inertia_from: Where its inertia comes from. "geometry": `inertial` is None, or holds what
            is written beside it. "default": `inertial` holds the format's stand-in.
        parent: The id of the body to which its joint ties it; None for a root, for a body that is
            tied to the world, and where the reader of the format does not tell.
        X_PB: The body's frame in its parent's, as the document places it: where the joint between
            them is at its zero (MJCF: at its ref). None without a parent, and where it cannot be
            told.
        axis_B: Direction, of length 1, about or along which the joint moves the body relative to
            its parent, in the body's frame; the normal of the plane of a planar joint. None where
            there is no single one (fixed, floating, ball and two-axis joints, several joints) and
            where it cannot be told.
        p_BoJo_B: A point on that axis, in the body's frame [m]; None without an axis, and where it
            cannot be told.
        joints: All that move the body relative to its parent, with their names and limits, as the
            document orders them; empty where the reader of the format does not tell.
    """

    name: str
    id: str
    span: Span
    joint: str | None
    moved: bool
    inertial: Inertial | None
    problems: tuple[Problem, ...] = ()
    shapes: Sequence[Shape] = ()
    inertia_from: InertiaOrigin = "file"
    parent: str | None = None
    X_PB: Pose | None = None
    axis_B: tuple[float, float, float] | None = None
    p_BoJo_B: tuple[float, float, float] | None = None
    joints: Sequence[Joint] = ()


@dataclass(frozen=True)
class Model:
    """A document that holds a robot.

    Attributes:
        source: The bytes.
        format: "urdf", ...
        name: The model's own name; "" where it has none.
        bodies: In document order.
        problems: What is wrong with the document as a whole.
        others: Further documents that were read for it; Span.file counts them from 1.
        rest: Stands for all that the document says besides the inertias, where one text can have
            several effects, as in a template; "" where every number stands for itself.
    """

    source: Source
    format: str
    name: str
    bodies: tuple[Body, ...]
    problems: tuple[Problem, ...] = field(default=())
    others: tuple[Source, ...] = field(default=())
    rest: str = field(default="", repr=False)

    def source_of(self, span: Span) -> Source:
        """The document in which a span stands."""
        return self.others[span.file - 1] if span.file else self.source

    def place(self, span: Span) -> Place:
        """Where a span stands for a reader."""
        source = self.source_of(span)
        place = source.place(span)
        return place._replace(path=source.path) if span.file else place
