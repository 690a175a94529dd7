"""Joints that move a body, as a document states them: names and limits. Plain data."""

from __future__ import annotations

from typing import NamedTuple

from inertial_check.model.deferred import Deferred


class Mimic(NamedTuple):
    """A joint that follows another: q = multiplier q_other + offset.

    Attributes:
        joint: Name of the other joint.
        multiplier: Ratio of the positions, [rad] or [m] per [rad] or [m].
        offset: Position at which the other joint is at zero [rad] or [m].
        coefficients: Coefficients of a polynomial of the other joint's position, constant first, if
            it is no straight line: multiplier and offset are NaN then.
    """

    joint: str
    multiplier: float
    offset: float
    coefficients: tuple[float, ...] = ()


class LoopFrame(NamedTuple):
    """Place of a loop's closure in its two bodies, and the motions that it holds.

    Attributes:
        first: Origin [m] and row-major rotation of the closure's frame in the first body; None for
            the place in which the document puts the second body.
        second: The same in the second body; None for the place where the document puts the first.
        holds: Directions that are held: 0 to 2 along the axes of the frame, 3 to 5 about them.
    """

    first: tuple[tuple[float, ...], tuple[tuple[float, ...], ...]] | None
    second: tuple[tuple[float, ...], tuple[tuple[float, ...], ...]] | None
    holds: tuple[int, ...]


class ClosedLoop(NamedTuple):
    """A joint or an equality that closes a kinematic loop: a tree of bodies is without it.

    Attributes:
        name: Name as written; "" if it has none.
        kind: What it is called in the format: connect, weld, or the type of a joint.
        bodies: Names of the two bodies that it ties, "world" for the world; "" if unknown.
        frame: Place of the closure and what it holds; None if it cannot be modelled.
        ids: Ids of the two bodies, for names that several bodies share; "" for the world, and where
            the names tell.
    """

    name: str
    kind: str
    bodies: tuple[str, str]
    frame: LoopFrame | None = None
    ids: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        """Kind and name of the loop, and its bodies."""
        name = f" {self.name!r}" if self.name else ""
        ends = [body or "a body" for body in self.bodies]
        return f"{self.kind}{name} between {' and '.join(ends)}"


class Joint(NamedTuple):
    """One joint between a body and its parent, as the document states it.

    A number is None if the document states none, infinite if it states that there is no limit, and
    NaN if the text is no number. A lower limit above the upper one is kept. Limits and forces are
    read for joints with one axis only; positions are relative to the place of the body in the
    document.

    Attributes:
        name: Name as written; "" if it has none; several joints may share it.
        type: Type as written, or the default of the format.
        lower: Least position [rad] or [m].
        upper: Largest position [rad] or [m].
        velocity: Largest speed [rad/s] or [m/s].
        acceleration: Largest acceleration [rad/s^2] or [m/s^2].
        effort: Largest torque or force that moves it [N m] or [N].
        damping: Viscous friction [N m s/rad] or [N s/m].
        friction: Coulomb friction [N m] or [N].
        armature: Inertia of the rotor, as the joint feels it [kg m^2] or [kg].
        mimic: The joint that it follows; None if it follows none.
    """

    name: str
    type: str
    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    acceleration: float | None = None
    effort: float | None = None
    damping: float | None = None
    friction: float | None = None
    armature: float | None = None
    mimic: Mimic | None = None


class Joints(Deferred[Joint]):
    """The joints of a body, read from the document when they are first used."""

    __slots__ = ()
