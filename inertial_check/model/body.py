"""A robot model as its file states it: texts, values and where they stand. No judgement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from inertial_check.model.source import Source, Span

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The six entries of a rotational inertia, in the order in which this package keeps them."""

ProblemKind = Literal["repair", "reference", "malformed"]
"""repair: read only after a mending; reference: not found; malformed: not as the format asks."""


class Number(NamedTuple):
    """One number of a document.

    Attributes:
        value: What the text says; NaN where it is no number (a Problem then says so).
        text: As written, without surrounding space; the format's default where nothing is written.
        span: Where it stands; None where the format's default stands in.
    """

    value: float
    text: str
    span: Span | None


class Problem(NamedTuple):
    """What a reader could not take as it stands.

    Attributes:
        kind: repair, reference or malformed.
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
            name; entries that are absent from the document are absent here.
    """

    span: Span
    mass: Number | None
    p_BoBcm_B: tuple[Number, Number, Number]
    R_BBi: tuple[tuple[float, float, float], ...]
    I_BBcm_Bi: Mapping[str, Number]


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
    """

    name: str
    id: str
    span: Span
    joint: str | None
    moved: bool
    inertial: Inertial | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Model:
    """A document that holds a robot.

    Attributes:
        source: The bytes.
        format: "urdf", ...
        name: The model's own name; "" where it has none.
        bodies: In document order.
        problems: What is wrong with the document as a whole.
    """

    source: Source
    format: str
    name: str
    bodies: tuple[Body, ...]
    problems: tuple[Problem, ...] = field(default=())
