"""The rotations that documents state, as row-major matrices of plain tuples.

The functions that build a rotation return None if the numbers state none: they are not finite, an
axis has no length, or two axes are parallel.

Poses of frames in each other, on plain tuples: products and inverses.

Frames of joints that close a kinematic loop, and the motions that each type of joint holds.

Digest of a document without its inertial numbers, to show that a fix changed nothing else.

Numbers of shapes, for the readers of all formats; a shape that cannot be used says why.

Nothing here is a problem of the document, since no inertia depends on a shape.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from inertial_check.documents.model import Body, LoopFrame, Pose, Role, Shape
from inertial_check.documents.numbers import parse_number, quote
from inertial_check.documents.source import Span

Vector = tuple[float, float, float]
Rotation = tuple[tuple[float, float, float], ...]
Quaternion = tuple[float, float, float, float]
"""A quaternion in the order w, x, y, z."""

IDENTITY: Rotation = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

UNKNOWN: Rotation = ((math.nan,) * 3,) * 3
"""Rotation of a frame whose text states none; a problem of the document says so."""

_PARALLEL = 4 * sys.float_info.epsilon
"""Largest length that rounding leaves of a unit vector minus its projection on a parallel one."""


def from_rpy(roll: float, pitch: float, yaw: float) -> Rotation | None:
    """Build Rz(yaw) Ry(pitch) Rx(roll) [rad]: turns about fixed axes, roll first."""
    if not all(map(math.isfinite, (roll, pitch, yaw))):
        return None
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def from_quaternion(x: float, y: float, z: float, w: float) -> Rotation | None:
    """Build the rotation of a quaternion of any length except zero."""
    length = math.hypot(x, y, z, w)
    if not math.isfinite(length) or length == 0.0:
        return None
    x, y, z, w = x / length, y / length, z / length, w / length
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )


def from_wxyz(w: float, x: float, y: float, z: float) -> Rotation | None:
    """Build the rotation of a quaternion whose scalar part comes first, as MuJoCo writes it."""
    return from_quaternion(x, y, z, w)


def from_axis_angle(vector: Sequence[float], angle: float) -> Rotation | None:
    """Build a turn by an angle [rad] about an axis of any length except zero."""
    axis = unit(vector)
    if axis is None or not math.isfinite(angle):
        return None
    return from_wxyz(*_turn(axis, angle))


def from_xy_axes(*six: float) -> Rotation | None:
    """Build a frame from its x axis and a vector in its xy plane, which gives y; z = x cross y."""
    x, y = unit(six[:3]), unit(six[3:])
    if x is None or y is None:
        return None
    along = sum(map(float.__mul__, x, y))
    across = (y[0] - along * x[0], y[1] - along * x[1], y[2] - along * x[2])
    y = unit(across)
    if y is None or math.hypot(*across) <= _PARALLEL:
        return None
    return tuple(zip(x, y, cross(x, y), strict=True))


def from_z_axis(*three: float) -> Rotation | None:
    """Build the smallest turn that takes the z axis to a vector; about x if that is -z."""
    z = unit(three)
    if z is None:
        return None
    axis = unit((-z[1], z[0], 0.0)) or (1.0, 0.0, 0.0)
    return from_wxyz(*_turn(axis, math.atan2(math.hypot(z[0], z[1]), z[2])))


def from_euler(angles: Sequence[float], sequence: str) -> Rotation | None:
    """Build three turns [rad], one for each letter: moving axes x y z, or fixed axes X Y Z."""
    if not all(map(math.isfinite, angles)):
        return None
    total: Quaternion = (1.0, 0.0, 0.0, 0.0)
    for angle, letter in zip(angles, sequence, strict=True):
        axis = tuple(float(letter.lower() == name) for name in "xyz")
        turn = _turn((axis[0], axis[1], axis[2]), angle)
        (aw, ax, ay, az), (bw, bx, by, bz) = (total, turn) if letter.islower() else (turn, total)
        total = (
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        )
    return from_wxyz(*total)


def rotate(R: Rotation, v: Sequence[float]) -> Vector:
    """Compute R v."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = v
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def compose(R_AB: Rotation, R_BC: Rotation) -> Rotation:
    """Compute R_AC = R_AB R_BC."""
    x, y, z = (rotate(R_AB, column) for column in zip(*R_BC, strict=True))
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


def transpose(R_AB: Rotation) -> Rotation:
    """Compute R_BA, the inverse of R_AB."""
    return tuple(zip(*R_AB, strict=True))


def unit(v: Sequence[float]) -> Vector | None:
    """Compute the direction of a vector; None if its length is zero or not finite."""
    # Dividing by the largest entry first keeps the square of a tiny or huge one within float64.
    scale = max(map(abs, v))
    if not all(map(math.isfinite, v)) or scale == 0.0:
        return None
    x, y, z = (entry / scale for entry in v)
    length = math.hypot(x, y, z)  # at least 1: no division by zero
    return x / length, y / length, z / length


def cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Compute the cross product of two vectors."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _turn(axis: Vector, angle: float) -> Quaternion:
    sine = math.sin(angle / 2)
    return math.cos(angle / 2), sine * axis[0], sine * axis[1], sine * axis[2]


SAME_FRAME = Pose((0.0, 0.0, 0.0), IDENTITY)
"""Pose of a frame in itself; compared by identity, so that its products cost nothing."""


def product(X_AB: Pose, X_BC: Pose) -> Pose:
    """Compute X_AC = X_AB X_BC."""
    if X_AB is SAME_FRAME:
        return X_BC
    x, y, z = rotate(X_AB.R_PB, X_BC.p_PoBo_P)
    a, b, c = X_AB.p_PoBo_P
    return Pose((a + x, b + y, c + z), compose(X_AB.R_PB, X_BC.R_PB))


def inverse(X_AB: Pose) -> Pose:
    """Compute X_BA, the inverse of X_AB."""
    if X_AB is SAME_FRAME:
        return SAME_FRAME
    R_BA = transpose(X_AB.R_PB)
    x, y, z = rotate(R_BA, X_AB.p_PoBo_P)
    return Pose((-x, -y, -z), R_BA)


def is_finite(X_AB: Pose) -> bool:
    """Return whether every number of a pose is finite."""
    return all(map(math.isfinite, X_AB.p_PoBo_P)) and all(
        map(math.isfinite, chain.from_iterable(X_AB.R_PB))
    )


HOLDS: dict[str, tuple[int, ...]] = {
    "fixed": (0, 1, 2, 3, 4, 5),
    "revolute": (0, 1, 2, 3, 4),
    "continuous": (0, 1, 2, 3, 4),
    "prismatic": (0, 1, 3, 4, 5),
    "ball": (0, 1, 2),
    "spherical": (0, 1, 2),
}
"""Motions that types of joints hold, in a frame whose z axis is that of the joint: 0 to 2 along its
axes, 3 to 5 about them."""

ONE_AXIS = frozenset(("revolute", "continuous", "prismatic"))
"""Types of joints whose axis has to be known."""


def place_joint(kind: str, X_BJ: Pose | None, axis_B: Vector | None) -> LoopFrame | None:
    """Place a joint that closes a loop in its second body; None if it cannot be modelled.

    Args:
        kind: Type of the joint.
        X_BJ: Pose of the joint in its second body; the first stands where the document puts it.
        axis_B: Axis of the joint in the second body.
    """
    if kind not in HOLDS or X_BJ is None or not is_finite(X_BJ):
        return None
    rotation = X_BJ.R_PB
    if kind in ONE_AXIS:
        turned = None if axis_B is None else from_z_axis(*axis_B)
        if turned is None:
            return None
        rotation = turned
    return LoopFrame(None, (X_BJ.p_PoBo_P, rotation), HOLDS[kind])


def digest_rest(data: bytes, bodies: Iterable[Body]) -> str:
    """Digest a document without the masses, centres of mass and inertias of its bodies.

    Args:
        data: The document in which the spans of these numbers lie.
        bodies: The bodies read from it.
    """
    from hashlib import sha256

    inertials = (body.inertial for body in bodies if body.inertial is not None)
    numbers = ((one.mass, *one.p_BoBcm_B, *one.I_BBcm_Bi.values()) for one in inertials)
    spans = {number.span for ten in numbers for number in ten if number and number.span}
    digest, at = sha256(), 0
    for span in sorted(spans):
        digest.update(data[at : span.start])
        at = span.end
    digest.update(data[at:])
    return digest.hexdigest()


Forms = Mapping[str, tuple[tuple[str, int], ...]]
"""Names of the dimensions of each kind of shape, and how many numbers each holds."""

COMMON_FORMS: Forms = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
}
"""Shapes that URDF and SDF state by the same names."""


class Unusable(Exception):
    """Reason why a shape cannot be used, and what to do about it."""


def check_usable(shape: Shape) -> Shape:
    """Return the shape if all its numbers are finite.

    Raises:
        Unusable: A number is beyond the range of float64.
    """
    X_BG = Pose(shape.p_BoGo_B, shape.R_BG)
    if not is_finite(X_BG) or not all(map(math.isfinite, shape.dimensions)):
        raise Unusable("its numbers come to more than float64 holds")
    return shape


def unusable_shape(kind: str, role: Role, span: Span, why: object) -> Shape:
    """Make a shape without numbers that says why it cannot be used."""
    return Shape(kind, role, (), (math.nan,) * 3, UNKNOWN, span, note=str(why))


def parse_numbers(text: str, count: int, what: str) -> tuple[float, ...]:
    """Parse finite numbers separated by space.

    Args:
        text: The text of the document.
        count: Expected number of numbers.
        what: Name of the quantity, for the reason.

    Raises:
        Unusable: There are fewer or more numbers, or one of them is not finite.
    """
    words = text.split()
    if len(words) != count:
        expected = "a number" if count == 1 else f"{count} numbers"
        raise Unusable(f"{what} is {quote(text)}: expected {expected}")
    values = []
    for word in words:
        value, complaint = parse_number(word)
        if complaint or not math.isfinite(value):
            raise Unusable(f"{what}: {complaint or f'{quote(word)} is not finite'}")
        values.append(value)
    return tuple(values)


def parse_factors(text: str, what: str) -> tuple[float, float, float]:
    """Parse the three factors on the coordinates of a mesh.

    Raises:
        Unusable: As for parse_numbers, or a factor is 0.
    """
    x, y, z = parse_numbers(text, 3, what)
    if 0.0 in (x, y, z):
        raise Unusable(f"{what} is 0: it leaves no volume")
    return x, y, z


def read_dimensions(
    kind: str, forms: Forms, format: str, find_text: Callable[[str], str | None], where: str
) -> tuple[float, ...]:
    """Read the dimensions of a shape [m].

    Args:
        kind: Name of the shape in the document.
        forms: Shapes of the format.
        format: Name of the format, for the reason.
        find_text: Function that finds the text of a dimension by its name; None if it is absent.
        where: Form in which the reason names a dimension, such as "<{}>".

    Raises:
        Unusable: The format has no such shape, or a dimension is absent or no length.
    """
    if kind not in forms:
        raise Unusable(f"<{kind}> is no shape of {format}: expected {', '.join(forms)}")
    found: tuple[float, ...] = ()
    for name, count in forms[kind]:
        text = find_text(name)
        if text is None:
            raise Unusable(f"<{kind}> has no {name}")
        # Parse lengths [m], which must not be negative.
        what = f"{where.format(name)} of <{kind}>"
        values = parse_numbers(text, count, what)
        if min(values) < 0:
            raise Unusable(f"{what} is {min(values)!r}: lengths are positive")
        found += values
    return found
