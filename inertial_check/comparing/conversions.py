"""Mistakes that converters make, each as a change to the numbers of one body.

A mistake explains a difference where the numbers of one body, so changed, are those of the other
to the digits in which they are written. Nothing is fitted but the factor of `density`; every other
mistake either gives the numbers or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations, product
from math import atan2, cos, degrees, hypot, pi, radians, sin
from typing import NamedTuple, TypeVar

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia.representations import ORDERS, about_origin
from inertial_check.model.difference import Deviations

Thing = TypeVar("Thing")

_AXES = "xyz"
_SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_WATER = 1000.0
"""[kg/m^3] Of the sphere that stands in for an inertia in Drake."""
_BALL = 0.1
"""[m] Radius of the one that stands in for it in UsdPhysics."""
_DECIMALS = range(16, -1, -1)

_POUND, _INCH = 0.45359237, 0.0254
_MASSES = {
    "g": 1e-3,
    "lb": _POUND,
    "oz": _POUND / 16,
    "slug": _POUND * 9.80665 / 0.3048,
    "t": 1e3,
}
_LENGTHS = {"mm": 1e-3, "cm": 1e-2, "in": _INCH, "ft": 12 * _INCH}
_INERTIAS = {
    "g m^2": 1e-3,
    "kg cm^2": 1e-4,
    "kg mm^2": 1e-6,
    "g cm^2": 1e-7,
    "g mm^2": 1e-9,
    "lb in^2": _POUND * _INCH**2,
    "lb ft^2": _POUND * (12 * _INCH) ** 2,
    "oz in^2": _POUND / 16 * _INCH**2,
    "slug ft^2": _POUND * 9.80665 / 0.3048 * (12 * _INCH) ** 2,
    "t mm^2": 1e-3,
}


_EXACT = Deviations(0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Reading:
    """The numbers of one body as a converter meets them, in SI units.

    Attributes:
        mass: [kg].
        p_BoBcm_B: (3,) [m].
        R_BBi: (3, 3) from the axes of the printed tensor to those of the body.
        I_BBcm_Bi: (3, 3) about the centre of mass, in its own axes [kg m^2].
        digits: How far the printed digits leave each quantity open, as a deviation.
        lumped: The body with all that is fixed to it; None where nothing is.
        merged: Names of what is fixed to it.
    """

    mass: float
    p_BoBcm_B: Floats
    R_BBi: Floats
    I_BBcm_Bi: Floats
    digits: Deviations = _EXACT
    lumped: Reading | None = None
    merged: tuple[str, ...] = ()

    @cached_property
    def I_BBcm_B(self) -> Floats:
        """(3, 3) in the body's axes; to the bit as printed where these are its own."""
        if not self.turned:
            return self.I_BBcm_Bi
        return _in_axes(self.R_BBi, self.I_BBcm_Bi)

    @cached_property
    def turned(self) -> bool:
        """Whether the printed tensor has axes of its own."""
        return not np.array_equal(self.R_BBi, np.eye(3))


class Change(NamedTuple):
    """What becomes of a body's numbers; None for those that stay.

    Attributes:
        clause: What was done, after "A is B".
        mass: [kg].
        com: (3,) p_BoBcm_B [m].
        inertia: (3, 3) I_BBcm_B [kg m^2].
    """

    clause: str
    mass: float | None = None
    com: Floats | None = None
    inertia: Floats | None = None


Changes = Callable[[Reading, Reading], Iterator[Change]]


class Mistake(NamedTuple):
    """A mistake of a converter.

    Attributes:
        name: By which it is reported.
        changes: What it makes of a body, in each of its forms; the second argument is the body
            that it shall give, from which only factors are taken.
        forgets: Its result has nothing of the body's own numbers. That a body has such numbers is
            no sign that they were made from another's, as long as anything else differs.
    """

    name: str
    changes: Changes
    forgets: bool = False


def _in_axes(R_AB: Floats, M_B: Floats) -> Floats:
    turned = R_AB @ M_B @ R_AB.T
    return np.asarray((turned + turned.T) / 2)


def _printed_axes(body: Reading) -> Iterator[tuple[Floats, Callable[[Floats], Floats]]]:
    """The tensor in the axes in which its numbers may have been taken, and the way back."""
    if body.turned:
        R_BBi = body.R_BBi
        yield body.I_BBcm_Bi, lambda M_Bi: _in_axes(R_BBi, M_Bi)
    yield body.I_BBcm_B, lambda M_B: M_B


# What is counted in, or left out


def merged_children(body: Reading, _: Reading) -> Iterator[Change]:
    """What is fixed to the body was counted into it."""
    if body.lumped is not None:
        lumped, names = body.lumped, _listed(body.merged)
        clause = f"with what is fixed to it ({names}) merged into it, as --lump-fixed does"
        yield Change(clause, lumped.mass, lumped.p_BoBcm_B, lumped.I_BBcm_B)


def left_out(body: Reading, _: Reading) -> Iterator[Change]:
    """The inertial, or only its tensor, was left out."""
    zero = np.zeros((3, 3))
    yield Change("with its inertial left out", 0.0, None, zero)
    yield Change("with its inertia left out", inertia=zero)


def default_inertial(body: Reading, _: Reading) -> Iterator[Change]:
    """The format's default stands in: 1 kg, and the unit tensor."""
    one, origin = np.eye(3), np.zeros(3)
    yield Change("with the defaults 1 kg, diag(1, 1, 1) and no offset", 1.0, origin, one)
    yield Change("with the defaults 1 kg and diag(1, 1, 1)", 1.0, None, one)
    yield Change("with the default inertia diag(1, 1, 1)", inertia=one)
    yield Change("with the default mass of 1 kg", mass=1.0)


def replaced_by_sphere(body: Reading, _: Reading) -> Iterator[Change]:
    """An engine's sphere stands in."""
    for mass in (None, 1.0):
        kilograms = body.mass if mass is None else mass
        heavy = "" if mass is None else " of 1 kg"
        if kilograms > 0:
            radius = (3 * kilograms / (4 * pi * _WATER)) ** (1 / 3)
            clause = f"with Drake's stand-in, a sphere{heavy} with {_WATER:g} kg/m^3"
            yield Change(clause, mass, None, _sphere(kilograms, radius))
            clause = f"with UsdPhysics' stand-in, a sphere{heavy} with a radius of {_BALL:g} m"
            yield Change(clause, mass, None, _sphere(kilograms, _BALL))


def _sphere(mass: float, radius: float) -> Floats:
    return np.asarray(0.4 * mass * radius**2 * np.eye(3))


def moments_averaged(body: Reading, _: Reading) -> Iterator[Change]:
    """An engine made the three moments equal."""
    mean = np.trace(body.I_BBcm_Bi) / 3
    clause = "with each principal moment replaced by their mean (MuJoCo's balanceinertia)"
    yield Change(clause, inertia=mean * np.eye(3))


# Axes of the inertial


def rotation_dropped(body: Reading, _: Reading) -> Iterator[Change]:
    """The tensor was taken to be in the body's axes, or its moments to be about them."""
    if body.turned:
        yield Change("with the rotation of its inertial left out", inertia=body.I_BBcm_Bi)
    tensor = body.I_BBcm_B
    if np.count_nonzero(tensor - np.diag(np.diag(tensor))):
        for moments in permutations(np.linalg.eigvalsh(tensor)):
            clause = "with its principal moments about the body's own axes"
            yield Change(clause, inertia=np.diag(moments))


def rotation_transposed(body: Reading, _: Reading) -> Iterator[Change]:
    """The inverse of the rotation was used."""
    if body.turned:
        inertia = _in_axes(body.R_BBi.T, body.I_BBcm_Bi)
        clause = "with the rotation of its inertial transposed (as by a conjugated quaternion)"
        yield Change(clause, inertia=inertia)


def rotation_twice(body: Reading, _: Reading) -> Iterator[Change]:
    """A tensor in the body's axes was rotated into them once more."""
    if body.turned:
        clause = "with the rotation of its inertial applied twice"
        yield Change(clause, inertia=_in_axes(body.R_BBi, body.I_BBcm_B))


def quaternion_order(body: Reading, _: Reading) -> Iterator[Change]:
    """The four numbers of a quaternion were read in another order."""
    if body.turned:
        w, x, y, z = _quaternion(body.R_BBi)
        for read, (W, X, Y, Z) in (
            ("w x y z read as x y z w", (z, w, x, y)),
            ("x y z w read as w x y z", (x, y, z, w)),
        ):
            inertia = _in_axes(_from_quaternion(W, X, Y, Z), body.I_BBcm_Bi)
            yield Change(f"with its quaternion's {read}", inertia=inertia)


def rpy_order(body: Reading, _: Reading) -> Iterator[Change]:
    """Three angles were applied in another order."""
    if not body.turned:
        return
    for roll, pitch, yaw in _both_rpy(body.R_BBi):
        R = _about(0, roll) @ _about(1, pitch) @ _about(2, yaw)
        clause = "with roll, pitch, yaw about the axes as they turn, not as they were"
        yield Change(clause, inertia=_in_axes(R, body.I_BBcm_Bi))
        clause = "with roll and yaw exchanged"
        yield Change(clause, inertia=_in_axes(_from_rpy(yaw, pitch, roll), body.I_BBcm_Bi))
    for roll, pitch, yaw in _both_rpy(body.R_BBi.T):
        clause = "with roll, pitch, yaw about the axes as they were, not as they turn"
        R = _from_rpy(-roll, -pitch, -yaw)
        yield Change(clause, inertia=_in_axes(R, body.I_BBcm_Bi))


def rpy_degrees(body: Reading, _: Reading) -> Iterator[Change]:
    """Degrees were taken for radians, or radians for degrees."""
    if not body.turned:
        return
    for converted, read in ((degrees, "in degrees"), (radians, "read as degrees")):
        for angles in _both_rpy(body.R_BBi):
            R = _from_rpy(*map(converted, angles))
            clause = f"with roll, pitch, yaw {read}"
            yield Change(clause, inertia=_in_axes(R, body.I_BBcm_Bi))


def _quaternion(R: Floats) -> tuple[float, float, float, float]:
    """Unit w, x, y, z of a rotation, from its largest component."""
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    rows = (
        (squares[0], h - f, c - g, d - b),
        (h - f, squares[1], b + d, c + g),
        (c - g, b + d, squares[2], f + h),
        (d - b, c + g, f + h, squares[3]),
    )
    w, x, y, z = rows[squares.index(max(squares))]
    length = hypot(w, x, y, z)
    return w / length, x / length, y / length, z / length


def _from_quaternion(w: float, x: float, y: float, z: float) -> Floats:
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2 * w * cross + 2 * cross @ cross)


def _about(axis: int, angle: float) -> Floats:
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = cos(angle)
    R[j, i], R[i, j] = sin(angle), -sin(angle)
    return R


def _from_rpy(roll: float, pitch: float, yaw: float) -> Floats:
    return np.asarray(_about(2, yaw) @ _about(1, pitch) @ _about(0, roll))


def _both_rpy(R: Floats) -> tuple[tuple[float, float, float], ...]:
    """The two triples of roll, pitch, yaw that give a rotation."""
    pitch, yaw = atan2(-R[2, 0], hypot(R[2, 1], R[2, 2])), atan2(R[1, 0], R[0, 0])
    # Of roll and yaw only one is told at a pitch of 90 degrees: roll goes by what yaw was taken as.
    s, c = sin(yaw), cos(yaw)
    roll = atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return (roll, pitch, yaw), (roll - pi * _sign(roll), pi - pitch, yaw - pi * _sign(yaw))


def _sign(value: float) -> int:
    return 1 if value > 0 else -1


# The body's own frame


def frame_turned(body: Reading, _: Reading) -> Iterator[Change]:
    """The axes of the body frame were exchanged, as between z up and y up."""
    for P, clause in _SIGNED_AXES:
        yield Change(clause, None, P @ body.p_BoBcm_B, _in_axes(P, body.I_BBcm_B))


def _signed_axes() -> Iterator[tuple[Floats, str]]:
    """Every other way to name three axes, and the three ways to mirror one."""
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            P = np.zeros((3, 3))
            P[range(3), order] = signs
            mirrors = np.linalg.det(P) < 0
            if np.array_equal(P, np.eye(3)) or (mirrors and order != (0, 1, 2)):
                continue
            if mirrors and signs.count(-1) != 1:
                continue
            axes = " ".join(
                ("-" if sign < 0 else "") + _AXES[axis]
                for sign, axis in zip(signs, order, strict=True)
            )
            verb = "mirrored" if mirrors else "turned"
            yield P, f"with its frame {verb}: {axes} for x y z"


_SIGNED_AXES = tuple(_signed_axes())


# The point


def about_body_origin(body: Reading, _: Reading) -> Iterator[Change]:
    """A tensor about the body's origin was taken to be about the centre of mass."""
    first_moment = body.mass * body.p_BoBcm_B
    if first_moment.any():
        six = about_origin(body.mass, first_moment, _six(body.I_BBcm_B))
        clause = "with its inertia about the body's origin in place of the centre of mass"
        yield Change(clause, inertia=_matrix(np.asarray(six)))


def com_dropped(body: Reading, _: Reading) -> Iterator[Change]:
    """The offset of the centre of mass was left out."""
    if body.p_BoBcm_B.any():
        yield Change("with its centre of mass put at the origin", com=np.zeros(3))


def com_sign(body: Reading, _: Reading) -> Iterator[Change]:
    """Coordinates of the centre of mass lost, or got, a sign."""
    for axes in _subsets(np.flatnonzero(body.p_BoBcm_B).tolist()):
        signs = np.array([-1.0 if axis in axes else 1.0 for axis in range(3)])
        named = _listed([_AXES[axis] for axis in axes])
        clause = f"with {named} of its centre of mass negated"
        yield Change(clause, com=signs * body.p_BoBcm_B)


def com_rotated(body: Reading, _: Reading) -> Iterator[Change]:
    """The offset was taken to be in the axes of the inertial, or brought into them."""
    if body.turned:
        for R, which in ((body.R_BBi, "the rotation"), (body.R_BBi.T, "the inverse rotation")):
            clause = f"with its centre of mass turned by {which} of its inertial"
            yield Change(clause, com=R @ body.p_BoBcm_B)


# The six numbers


def products_sign(body: Reading, _: Reading) -> Iterator[Change]:
    """Products of inertia were taken with the opposite sign."""
    for tensor, back in _printed_axes(body):
        written = [(i, j) for i, j in _SIX if i != j and tensor[i, j] != 0]
        for chosen in _subsets(written):
            changed = tensor.copy()
            for i, j in chosen:
                changed[i, j] = changed[j, i] = -tensor[i, j]
            names = [f"i{_AXES[i]}{_AXES[j]}" for i, j in chosen]
            yield Change(f"with {_listed(names)} negated", inertia=back(changed))


def products_dropped(body: Reading, _: Reading) -> Iterator[Change]:
    """Only the diagonal was taken."""
    for tensor, back in _printed_axes(body):
        clause = "with its products of inertia left out"
        yield Change(clause, inertia=back(np.diag(np.diag(tensor))))


def component_order(body: Reading, _: Reading) -> Iterator[Change]:
    """The six were written in one order and read in another."""
    for tensor, back in _printed_axes(body):
        six = dict(zip(ORDERS["urdf"], _six(tensor), strict=True))
        for written, read in permutations(ORDERS.values(), 2):
            slots = dict(zip(read, (six[entry] for entry in written), strict=True))
            changed = np.array([slots[entry] for entry in ORDERS["urdf"]])
            clause = f"with its six in the order {' '.join(written)} read as {' '.join(read)}"
            yield Change(clause, inertia=back(_matrix(changed)))
        rows = tensor.reshape(9)[:6]
        clause = "with the first six of its nine, row by row, taken for xx xy xz yy yz zz"
        yield Change(clause, inertia=back(_matrix(rows)))


# Size


def units(body: Reading, target: Reading) -> Iterator[Change]:
    """Numbers in other units, taken for kg, m and kg m^2; or the reverse."""
    mass = _unit(_MASSES, np.array([body.mass]), np.array([target.mass]))
    com = _unit(_LENGTHS, body.p_BoBcm_B, target.p_BoBcm_B)
    inertia = _unit(_INERTIAS, body.I_BBcm_B, target.I_BBcm_B)
    named = zip(("mass", "centre of mass", "inertia"), (mass, com, inertia), strict=True)
    said = [f"its {what} {unit[0]}" for what, unit in named if unit is not None]
    if said:
        yield Change(
            f"with {_listed(said)}",
            None if mass is None else body.mass * mass[1],
            None if com is None else body.p_BoBcm_B * com[1],
            None if inertia is None else body.I_BBcm_B * inertia[1],
        )


def _unit(known: dict[str, float], source: Floats, target: Floats) -> tuple[str, float] | None:
    """The unit that would lead from some numbers to others, and its factor."""
    square = float(np.vdot(source, source))
    ratio = float(np.vdot(source, target)) / square if square > 0 else 0.0
    if ratio <= 0:
        return None
    for name, size in known.items():
        for said, factor in ((f"in {name}", 1 / size), (f"read as {name}", size)):
            if abs(ratio / factor - 1) < _LIKE:
                return said, factor
    return None


_LIKE = 1e-2
"""Of a factor: near enough to try the unit; whether it fits is decided like any other change."""


def density(body: Reading, target: Reading) -> Iterator[Change]:
    """The same shape with another density, or with another mass given to it."""
    if body.mass > 0 and target.mass > 0:
        factor = target.mass / body.mass
        clause = f"with another density, its mass and inertia multiplied by {factor:.6g}"
        yield Change(clause, target.mass, None, factor * body.I_BBcm_B)


# Digits


def rounded(body: Reading, target: Reading) -> Iterator[Change]:
    """Fewer digits were written."""
    writings: list[tuple[str, Callable[[float], float]]] = []
    for digits in _DECIMALS:
        plural = "s" if digits != 1 else ""
        if digits:
            writings.append((f"{digits} significant digit{plural}", _significant(digits)))
        writings.append((f"{digits} decimal{plural}", _decimals(digits)))
    writings.append(("float32", _single))
    frames = [body.R_BBi] if body.turned else []
    frames += [np.eye(3)] + ([target.R_BBi] if target.turned else [])
    tensors = [(R, _six(_in_axes(R.T, body.I_BBcm_B)).tolist()) for R in frames]
    for form, write in writings:
        mass = write(body.mass)
        com = np.array([write(value) for value in body.p_BoBcm_B.tolist()])
        for R, six in tensors:
            inertia = _in_axes(R, _matrix(np.array([write(value) for value in six])))
            if not inertia.any():
                continue  # nothing is left of it
            yield Change(f"rounded to {form}", mass, com, inertia)
            yield Change(f"with its inertia rounded to {form}", inertia=inertia)


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _significant(digits: int) -> Callable[[float], float]:
    return lambda value: float(f"{value:.{digits}g}")


def _decimals(digits: int) -> Callable[[float], float]:
    return lambda value: float(f"{value:.{digits}f}")


# Help


def _subsets(things: Sequence[Thing]) -> Sequence[tuple[Thing, ...]]:
    """Every choice of some of the things, all of them first."""
    return [c for size in range(len(things), 0, -1) for c in combinations(things, size)]


def _six(tensor: Floats) -> Floats:
    return np.array([tensor[i, j] for i, j in _SIX])


def _matrix(six: Floats) -> Floats:
    return np.asarray(six)[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)


def _listed(words: Sequence[str]) -> str:
    shown = [*words[:6], f"{len(words) - 6} more"] if len(words) > 6 else list(words)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


MISTAKES = (
    Mistake("merged-children", merged_children),
    Mistake("default-inertial", default_inertial, forgets=True),
    Mistake("left-out", left_out, forgets=True),
    Mistake("rotation-transposed", rotation_transposed),
    Mistake("rotation-dropped", rotation_dropped),
    Mistake("rotation-twice", rotation_twice),
    Mistake("quaternion-order", quaternion_order),
    Mistake("rpy-order", rpy_order),
    Mistake("rpy-degrees", rpy_degrees),
    Mistake("about-body-origin", about_body_origin),
    Mistake("com-dropped", com_dropped, forgets=True),
    Mistake("com-sign", com_sign),
    Mistake("com-rotated", com_rotated),
    Mistake("products-sign", products_sign),
    Mistake("products-dropped", products_dropped),
    Mistake("component-order", component_order),
    Mistake("frame-turned", frame_turned),
    Mistake("units", units),
    Mistake("density", density),
    Mistake("replaced-by-sphere", replaced_by_sphere),
    Mistake("moments-averaged", moments_averaged),
    Mistake("rounded", rounded),
)
"""Every mistake that is looked for; of those that fit alike the first comes first."""
