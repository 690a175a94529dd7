"""What a document says of the joints that move a body: names and limits. Plain data."""

from __future__ import annotations

from typing import NamedTuple

from inertial_check.model.deferred import Deferred


class Mimic(NamedTuple):
    """A joint that follows another: q = multiplier q_other + offset.

    Attributes:
        joint: The name of the other.
        multiplier: In [rad] or [m] per [rad] or [m].
        offset: [rad] or [m].
    """

    joint: str
    multiplier: float
    offset: float


class Joint(NamedTuple):
    """One joint between a body and its parent, as the document states it.

    A number is None where the document states none, infinite where it states that there is no
    limit, and NaN where what stands there is no number. A lower limit above the upper one stays
    as it is. The limits are those of joints about or along one axis; the position counts from
    where the document places the body. The forces are those of one such joint, too.

    Attributes:
        name: As written; "" where it has none; can repeat.
        type: As written, or what the format takes for it.
        lower: Least position [rad] or [m].
        upper: Largest position [rad] or [m].
        velocity: Largest speed [rad/s] or [m/s].
        acceleration: Largest acceleration [rad/s^2] or [m/s^2].
        effort: Largest torque or force that moves it [N m] or [N].
        damping: Viscous friction [N m s/rad] or [N s/m].
        friction: Coulomb friction [N m] or [N].
        armature: Inertia of the rotor, as the joint feels it [kg m^2] or [kg].
        mimic: The joint that it follows; None where it moves by itself.
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
    """The joints of a body, read from the document when they are first looked at."""

    __slots__ = ()
