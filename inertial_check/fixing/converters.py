"""Mistakes of format converters, and which of them explain the deviations between two bodies.

A mistake is a change of one body's mass properties. It explains a difference if it turns the
numbers of one body into those of the other, to the digits in which they are written. Only the
factor of `density` is fitted; every other mistake either gives the numbers or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations, product
from math import atan2, cos, degrees, hypot, inf, isfinite, pi, radians, sin
from typing import NamedTuple, TypeVar

import numpy as np

from inertial_check.checking.report import (
    QUANTITIES,
    Deviations,
    Explanation,
    MassProperty,
    Which,
    fits,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import ORDERS, about_origin
from inertial_check.inertia.resemblance import entries, matrices
from inertial_check.mechanics.rotations import matrix_from_quaternion, quaternion_from_matrix

Choice = TypeVar("Choice")

_AXES = "xyz"
_WORDS = ("mass", "centre of mass", "inertia")
_WATER = 1000.0
"""Density [kg/m^3] of the sphere that Drake puts in place of a missing inertia."""

_BALL = 0.1
"""Radius [m] of the sphere that UsdPhysics puts in place of a missing inertia."""

_DECIMALS = range(16, -1, -1)
"""Numbers of digits to which a converter may have rounded, the finest first."""

_POUND, _INCH = 0.45359237, 0.0254  # exact, in kg and m
_MASSES = {"g": 1e-3, "lb": _POUND, "oz": _POUND / 16, "slug": _POUND * 9.80665 / 0.3048, "t": 1e3}
"""Units of mass [kg]."""

_LENGTHS = {"mm": 1e-3, "cm": 1e-2, "in": _INCH, "ft": 12 * _INCH}
"""Units of length [m]."""

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
"""Units of inertia [kg m^2]."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass properties of one body as a converter meets them, in SI units.

    Attributes:
        mass: Mass [kg].
        p_BoBcm_B: (3,) centre of mass [m].
        R_BBi: (3, 3) rotation from the axes of the printed tensor to those of the body.
        I_BBcm_Bi: (3, 3) printed tensor about the centre of mass, in its own axes [kg m^2].
        half_units: (10,) half a unit of the last printed digit of the mass [kg], of the centre of
            mass [m] and of the six entries of the tensor in its own axes [kg m^2].
        half_turn: Angle by which these axes may turn within the digits of their quaternion [rad].
        lumped: The body with all that is fixed to it; None where nothing is.
        merged: Names of what is fixed to it.
    """

    mass: float
    p_BoBcm_B: Floats
    R_BBi: Floats
    I_BBcm_Bi: Floats
    half_units: Floats = field(default_factory=lambda: np.zeros(10))
    half_turn: float = 0.0
    lumped: MassProperties | None = None
    merged: tuple[str, ...] = ()

    @cached_property
    def I_BBcm_B(self) -> Floats:
        """Tensor (3, 3) in the axes of the body; bit for bit as printed if those are its own."""
        return _in_axes(self.R_BBi, self.I_BBcm_Bi) if self.turned else self.I_BBcm_Bi

    @cached_property
    def turned(self) -> bool:
        """True if the printed tensor has axes of its own."""
        return not np.array_equal(self.R_BBi, np.eye(3))

    @cached_property
    def digits(self) -> Deviations:
        """Deviation of each quantity that the printed digits leave open."""
        size = scales(self)
        offset = hypot(*self.p_BoBcm_B.tolist())  # never overflows on its way, unlike norm
        mass = share(float(self.half_units[0]), abs(self.mass))
        center, inertia = hypot(*self.half_units[1:4]), hypot(*self.half_units[4:])
        # The tensor about the centre depends on m c^2, so that it is as open as m and twice c are.
        moved = mass + 2 * share(center, offset)
        return Deviations(mass, share(center, size.com), share(inertia, size.inertia) + moved)


def share(part: float, whole: float) -> float:
    """Relate a size to another; 0 where that is 0."""
    return part / whole if whole > 0 else 0.0


class Conversion(NamedTuple):
    """Mass properties of a body after a conversion; None for those that stay.

    Attributes:
        clause: The conversion in words, to follow "A is B".
        mass: Mass [kg].
        com: (3,) centre of mass p_BoBcm_B [m].
        inertia: (3, 3) tensor I_BBcm_B [kg m^2].
    """

    clause: str
    mass: float | None = None
    com: Floats | None = None
    inertia: Floats | None = None


Converter = Callable[[MassProperties, MassProperties], Iterator[Conversion]]
"""Yields every form of one mistake: from the body that is converted, and the body to be met."""


class ConverterMistake(NamedTuple):
    """Mistake of a converter.

    Attributes:
        name: The name in reports.
        convert: Makes the mistake, in each of its forms. From the body to be met, its second
            argument, only factors are taken.
        forgets: Whether the result has nothing of the body's own numbers. A body with such numbers
            was not necessarily made from the other one, as long as anything else differs.
    """

    name: str
    convert: Converter
    forgets: bool = False


def _in_axes(R_AB: Floats, M_B: Floats) -> Floats:
    turned = R_AB @ M_B @ R_AB.T
    return np.asarray((turned + turned.T) / 2)


def _list_printed_axes(body: MassProperties) -> Iterator[tuple[Floats, Callable[[Floats], Floats]]]:
    """Yield the tensor in the axes that a converter may have read it in, and the way back."""
    if body.turned:
        R_BBi = body.R_BBi
        yield body.I_BBcm_Bi, lambda M_Bi: _in_axes(R_BBi, M_Bi)
    yield body.I_BBcm_B, lambda M_B: M_B


# Material counted in, left out or made up.


def _merge_children(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Count the bodies fixed to a body into it."""
    if body.lumped is not None:
        lumped, names = body.lumped, _join_words(body.merged)
        clause = f"with what is fixed to it ({names}) merged into it, as --lump-fixed does"
        yield Conversion(clause, lumped.mass, lumped.p_BoBcm_B, lumped.I_BBcm_B)


def _leave_out(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Leave out the inertial, or only its tensor."""
    zero = np.zeros((3, 3))
    yield Conversion("with its inertial left out", 0.0, None, zero)
    yield Conversion("with its inertia left out", inertia=zero)


def _take_defaults(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Take the defaults of a format: 1 kg, and the unit tensor."""
    one, origin = np.eye(3), np.zeros(3)
    yield Conversion("with the defaults 1 kg, diag(1, 1, 1) and no offset", 1.0, origin, one)
    yield Conversion("with the defaults 1 kg and diag(1, 1, 1)", 1.0, None, one)
    yield Conversion("with the default inertia diag(1, 1, 1)", inertia=one)
    yield Conversion("with the default mass of 1 kg", mass=1.0)


def _replace_by_sphere(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Put the sphere of an engine in place of the inertia."""
    for mass in (None, 1.0):
        kilograms = body.mass if mass is None else mass
        heavy = "" if mass is None else " of 1 kg"
        if kilograms > 0:
            radius = (3 * kilograms / (4 * pi * _WATER)) ** (1 / 3)
            clause = f"with Drake's stand-in, a sphere{heavy} with {_WATER:g} kg/m^3"
            yield Conversion(clause, mass, None, _sphere(kilograms, radius))
            clause = f"with UsdPhysics' stand-in, a sphere{heavy} with a radius of {_BALL:g} m"
            yield Conversion(clause, mass, None, _sphere(kilograms, _BALL))


def _sphere(mass: float, radius: float) -> Floats:
    return np.asarray(0.4 * mass * radius**2 * np.eye(3))


def _average_moments(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Make the three principal moments equal, as an engine can."""
    mean = np.trace(body.I_BBcm_Bi) / 3
    clause = "with each principal moment replaced by their mean (MuJoCo's balanceinertia)"
    yield Conversion(clause, inertia=mean * np.eye(3))


# Axes of the inertial.


def _drop_rotation(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Take the tensor as if it were in the axes of the body, or its moments about them."""
    if body.turned:
        yield Conversion("with the rotation of its inertial left out", inertia=body.I_BBcm_Bi)
    tensor = body.I_BBcm_B
    if np.count_nonzero(tensor - np.diag(np.diag(tensor))):
        for moments in permutations(np.linalg.eigvalsh(tensor)):
            clause = "with its principal moments about the body's own axes"
            yield Conversion(clause, inertia=np.diag(moments))


def _transpose_rotation(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Use the inverse of the rotation."""
    if body.turned:
        inertia = _in_axes(body.R_BBi.T, body.I_BBcm_Bi)
        clause = "with the rotation of its inertial transposed (as by a conjugated quaternion)"
        yield Conversion(clause, inertia=inertia)


def _rotate_twice(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Rotate a tensor that is in the axes of the body into them once more."""
    if body.turned:
        clause = "with the rotation of its inertial applied twice"
        yield Conversion(clause, inertia=_in_axes(body.R_BBi, body.I_BBcm_B))


def _permute_quaternion(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Read the four numbers of a quaternion in another order."""
    if body.turned:
        w, x, y, z = np.asarray(quaternion_from_matrix(body.R_BBi)).tolist()
        for read, (W, X, Y, Z) in (
            ("w x y z read as x y z w", (z, w, x, y)),
            ("x y z w read as w x y z", (x, y, z, w)),
        ):
            R = np.asarray(matrix_from_quaternion([W, X, Y, Z]))
            inertia = _in_axes(R, body.I_BBcm_Bi)
            yield Conversion(f"with its quaternion's {read}", inertia=inertia)


def _permute_rpy(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Apply roll, pitch and yaw in another order."""
    if not body.turned:
        return
    for roll, pitch, yaw in _both_rpy(body.R_BBi):
        R = _rotation_about(0, roll) @ _rotation_about(1, pitch) @ _rotation_about(2, yaw)
        clause = "with roll, pitch, yaw about the axes as they turn, not as they were"
        yield Conversion(clause, inertia=_in_axes(R, body.I_BBcm_Bi))
        clause = "with roll and yaw exchanged"
        yield Conversion(clause, inertia=_in_axes(_from_rpy(yaw, pitch, roll), body.I_BBcm_Bi))
    for roll, pitch, yaw in _both_rpy(body.R_BBi.T):
        clause = "with roll, pitch, yaw about the axes as they were, not as they turn"
        R = _from_rpy(-roll, -pitch, -yaw)
        yield Conversion(clause, inertia=_in_axes(R, body.I_BBcm_Bi))


def _confuse_degrees(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Take degrees for radians, or radians for degrees."""
    if not body.turned:
        return
    for converted, read in ((degrees, "in degrees"), (radians, "read as degrees")):
        for angles in _both_rpy(body.R_BBi):
            R = _from_rpy(*map(converted, angles))
            clause = f"with roll, pitch, yaw {read}"
            yield Conversion(clause, inertia=_in_axes(R, body.I_BBcm_Bi))


def _rotation_about(axis: int, angle: float) -> Floats:
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = cos(angle)
    R[j, i], R[i, j] = sin(angle), -sin(angle)
    return R


def _from_rpy(roll: float, pitch: float, yaw: float) -> Floats:
    return np.asarray(
        _rotation_about(2, yaw) @ _rotation_about(1, pitch) @ _rotation_about(0, roll)
    )


def _both_rpy(R: Floats) -> tuple[tuple[float, float, float], ...]:
    """Find the two triples of roll, pitch, yaw that give a rotation."""
    pitch, yaw = atan2(-R[2, 0], hypot(R[2, 1], R[2, 2])), atan2(R[1, 0], R[0, 0])
    # At a pitch of 90 degrees only one of roll and yaw is determined: roll follows from the yaw
    # that was chosen.
    s, c = sin(yaw), cos(yaw)
    roll = atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return (roll, pitch, yaw), (roll - pi * _sign(roll), pi - pitch, yaw - pi * _sign(yaw))


def _sign(value: float) -> int:
    return 1 if value > 0 else -1


# Frame of the body.


def _turn_frame(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Exchange the axes of the body frame, as between z up and y up."""
    for P, clause in _SIGNED_AXES:
        yield Conversion(clause, None, P @ body.p_BoBcm_B, _in_axes(P, body.I_BBcm_B))


def _list_signed_axes() -> Iterator[tuple[Floats, str]]:
    """Yield the 23 proper ways to rename the axes, and the three ways to mirror one."""
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


_SIGNED_AXES = tuple(_list_signed_axes())


# Points.


def _misplace_tensor(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Take the tensor about the origin of the body for that about the centre of mass."""
    first_moment = body.mass * body.p_BoBcm_B
    if first_moment.any():
        six = about_origin(body.mass, first_moment, entries(body.I_BBcm_B))
        clause = "with its inertia about the body's origin in place of the centre of mass"
        yield Conversion(clause, inertia=matrices(np.asarray(six)))


def _drop_com(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Leave out the offset of the centre of mass."""
    if body.p_BoBcm_B.any():
        yield Conversion("with its centre of mass put at the origin", com=np.zeros(3))


def _negate_com(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Change the sign of coordinates of the centre of mass."""
    for axes in _subsets(np.flatnonzero(body.p_BoBcm_B).tolist()):
        signs = np.array([-1.0 if axis in axes else 1.0 for axis in range(3)])
        named = _join_words([_AXES[axis] for axis in axes])
        clause = f"with {named} of its centre of mass negated"
        yield Conversion(clause, com=signs * body.p_BoBcm_B)


def _rotate_com(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Rotate the offset of the centre of mass into the axes of the inertial, or out of them."""
    if body.turned:
        for R, which in ((body.R_BBi, "the rotation"), (body.R_BBi.T, "the inverse rotation")):
            clause = f"with its centre of mass turned by {which} of its inertial"
            yield Conversion(clause, com=R @ body.p_BoBcm_B)


# Entries of the tensor.


def _negate_products(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Take products of inertia with the opposite sign."""
    for tensor, back in _list_printed_axes(body):
        written = [(i, j) for i, j in combinations(range(3), 2) if tensor[i, j] != 0]
        for chosen in _subsets(written):
            changed = tensor.copy()
            for i, j in chosen:
                changed[i, j] = changed[j, i] = -tensor[i, j]
            names = [f"i{_AXES[i]}{_AXES[j]}" for i, j in chosen]
            yield Conversion(f"with {_join_words(names)} negated", inertia=back(changed))


def _drop_products(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Take only the diagonal of the tensor."""
    for tensor, back in _list_printed_axes(body):
        clause = "with its products of inertia left out"
        yield Conversion(clause, inertia=back(np.diag(np.diag(tensor))))


def _permute_components(body: MassProperties, _: MassProperties) -> Iterator[Conversion]:
    """Write the six entries in one order and read them in another."""
    for tensor, back in _list_printed_axes(body):
        six = dict(zip(ORDERS["urdf"], entries(tensor), strict=True))
        for written, read in permutations(ORDERS.values(), 2):
            slots = dict(zip(read, (six[entry] for entry in written), strict=True))
            changed = np.array([slots[entry] for entry in ORDERS["urdf"]])
            clause = f"with its six in the order {' '.join(written)} read as {' '.join(read)}"
            yield Conversion(clause, inertia=back(matrices(changed)))
        rows = tensor.reshape(9)[:6]
        clause = "with the first six of its nine, row by row, taken for xx xy xz yy yz zz"
        yield Conversion(clause, inertia=back(matrices(rows)))


# Units and sizes.


def _confuse_units(body: MassProperties, target: MassProperties) -> Iterator[Conversion]:
    """Take numbers in other units for kg, m and kg m^2, or the reverse."""
    mass = _find_unit(_MASSES, np.array([body.mass]), np.array([target.mass]))
    com = _find_unit(_LENGTHS, body.p_BoBcm_B, target.p_BoBcm_B)
    inertia = _find_unit(_INERTIAS, body.I_BBcm_B, target.I_BBcm_B)
    found = zip(_WORDS, (mass, com, inertia), strict=True)
    clauses = [f"its {what} {unit[0]}" for what, unit in found if unit is not None]
    if clauses:
        yield Conversion(
            f"with {_join_words(clauses)}",
            None if mass is None else body.mass * mass[1],
            None if com is None else body.p_BoBcm_B * com[1],
            None if inertia is None else body.I_BBcm_B * inertia[1],
        )


def _find_unit(known: dict[str, float], source: Floats, target: Floats) -> tuple[str, float] | None:
    """Find the unit that would lead from some numbers to others, and its factor."""
    square = float(np.vdot(source, source))
    ratio = float(np.vdot(source, target)) / square if square > 0 else 0.0
    if ratio <= 0:
        return None
    for name, size in known.items():
        for verb, factor in ((f"in {name}", 1 / size), (f"read as {name}", size)):
            if abs(ratio / factor - 1) < tolerances.UNIT_TRIED:
                return verb, factor
    return None


def _change_density(body: MassProperties, target: MassProperties) -> Iterator[Conversion]:
    """Give the same shape another density, or another mass."""
    if body.mass > 0 and target.mass > 0:
        factor = target.mass / body.mass
        clause = f"with another density, its mass and inertia multiplied by {factor:.6g}"
        yield Conversion(clause, target.mass, None, factor * body.I_BBcm_B)


# Digits.


def _round_numbers(body: MassProperties, target: MassProperties) -> Iterator[Conversion]:
    """Write the digits that the target prints, where its numbers are the body's to half a unit."""
    writings: dict[str, Callable[[float], float]] = {}
    for digits in _DECIMALS:
        plural = "s" if digits != 1 else ""
        if digits:
            writings[f"{digits} significant digit{plural}"] = _print_as(f".{digits}g")
        writings[f"{digits} decimal{plural}"] = _print_as(f".{digits}f")
    R_BBi = target.R_BBi
    pairs = (
        (np.array([body.mass]), np.array([target.mass])),
        (body.p_BoBcm_B, target.p_BoBcm_B),
        (entries(_in_axes(R_BBi.T, body.I_BBcm_B)), entries(target.I_BBcm_Bi)),
    )
    size, floors = scales(body, target), rounding_floors(body, target)
    found: dict[int, dict[str, Floats]] = {}  # by quantity, by form
    for place, (own, wanted) in enumerate(pairs):
        apart, half = np.abs(own - wanted), np.split(target.half_units, [1, 4])[place]
        rounding = floors[place] * size[place]
        if not apart.max() > rounding:
            continue
        explained = np.all(apart <= half + tolerances.SAME_BODY * size[place])
        for form, write in {**(writings if explained else {}), "float32": _single}.items():
            written = np.array([write(value) for value in own.tolist()])
            left = np.abs(written - wanted).max()
            if written.any() and left <= tolerances.EXPLAINED * apart.max():
                found.setdefault(place, {})[form] = written
    if 2 not in found and _is_turned_by_digits(body, target, rounding):
        found[2] = {"the digits of its quaternion": pairs[2][1]}
    if not found:
        return
    first = {place: next(iter(forms)) for place, forms in found.items()}
    for form in next(iter(found.values())):
        if all(form in forms for forms in found.values()):
            first, clause = dict.fromkeys(found, form), f"rounded to {form}"
            break
    else:
        parts = [f"its {_WORDS[place]} rounded to {form}" for place, form in first.items()]
        clause = f"with {_join_words(parts)}"
    values = [found[place][first[place]] if place in found else None for place in range(3)]
    mass, com, six = values
    yield Conversion(
        clause,
        None if mass is None else float(mass[0]),
        com,
        None if six is None else _in_axes(R_BBi, matrices(six)),
    )


def _is_turned_by_digits(body: MassProperties, target: MassProperties, rounding: float) -> bool:
    """Whether the printed moments of the target are the body's, turned within its quaternion."""
    printed, half = np.diag(target.I_BBcm_Bi), target.half_units[[4, 7, 9]]
    order = np.argsort(printed)
    off = np.abs(np.linalg.eigvalsh(body.I_BBcm_B) - printed[order])
    open_to = hypot(*half) + target.half_turn * float(np.ptp(printed))
    apart = float(np.linalg.norm(body.I_BBcm_B - target.I_BBcm_B, 2))
    same = bool(np.all(off <= half[order] + rounding))
    return target.half_turn > 0 and same and rounding < apart <= open_to


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _print_as(form: str) -> Callable[[float], float]:
    """Make the function that prints a number in a form and reads it again."""
    return lambda value: float(format(value, form))


# Helpers.


def _subsets(choices: Sequence[Choice]) -> Sequence[tuple[Choice, ...]]:
    """List every non-empty subset, the largest first."""
    return [c for size in range(len(choices), 0, -1) for c in combinations(choices, size)]


def _join_words(words: Sequence[str]) -> str:
    shown = [*words[:6], f"{len(words) - 6} more"] if len(words) > 6 else list(words)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


MISTAKES = (
    ConverterMistake("merged-children", _merge_children),
    ConverterMistake("default-inertial", _take_defaults, forgets=True),
    ConverterMistake("left-out", _leave_out, forgets=True),
    ConverterMistake("rotation-transposed", _transpose_rotation),
    ConverterMistake("rotation-dropped", _drop_rotation),
    ConverterMistake("rotation-twice", _rotate_twice),
    ConverterMistake("quaternion-order", _permute_quaternion),
    ConverterMistake("rpy-order", _permute_rpy),
    ConverterMistake("rpy-degrees", _confuse_degrees),
    ConverterMistake("about-body-origin", _misplace_tensor),
    ConverterMistake("com-dropped", _drop_com, forgets=True),
    ConverterMistake("com-sign", _negate_com),
    ConverterMistake("com-rotated", _rotate_com),
    ConverterMistake("products-sign", _negate_products),
    ConverterMistake("products-dropped", _drop_products),
    ConverterMistake("component-order", _permute_components),
    ConverterMistake("frame-turned", _turn_frame),
    ConverterMistake("units", _confuse_units),
    ConverterMistake("density", _change_density),
    ConverterMistake("replaced-by-sphere", _replace_by_sphere),
    ConverterMistake("moments-averaged", _average_moments),
    ConverterMistake("rounded", _round_numbers),
)
"""Mistakes that are looked for; of those that fit equally well the first is named first."""


_ALIKE = 10.0
"""Factor to the smallest residual within which residuals rank alike: they differ by rounding."""

_FORGETFUL = frozenset(mistake.name for mistake in MISTAKES if mistake.forgets)
"""Names of the mistakes whose result has nothing of the body's own numbers."""


class Scales(NamedTuple):
    """Scales of deviations: mass [kg], radius of gyration [m], largest moment [kg m^2]."""

    mass: float
    com: float
    inertia: float


def scales(*bodies: MassProperties) -> Scales:
    """Find the largest mass, radius of gyration and moment among some bodies.

    Point masses have no radius of gyration: their largest distance from the origin stands in.
    """
    radii = [_radius_of_gyration(body) for body in bodies]
    offsets = [float(np.linalg.norm(body.p_BoBcm_B)) for body in bodies]
    return Scales(
        max(abs(body.mass) for body in bodies),
        max(radii) or max(offsets),
        max(float(np.linalg.norm(body.I_BBcm_B, 2)) for body in bodies),
    )


def _radius_of_gyration(body: MassProperties) -> float:
    if body.mass == 0:
        return 0.0
    return float(np.sqrt(abs(np.trace(body.I_BBcm_B) / 2 / body.mass)))


def deviations(a: MassProperties, b: MassProperties) -> Deviations:
    """Measure how far two bodies differ, without units; see Deviations."""
    size = scales(a, b)
    # Without mass a body has no centre of mass that could differ.
    moved = 0.0 if 0 in (a.mass, b.mass) else _deviation(a.p_BoBcm_B, b.p_BoBcm_B, size.com)
    return Deviations(
        _deviation(a.mass, b.mass, size.mass),
        moved,
        _deviation(a.I_BBcm_B, b.I_BBcm_B, size.inertia),
    )


def _deviation(
    one: float | Floats, other: float | Floats, scale: float, enough: float = inf
) -> float:
    """Measure the length of a vector, or the largest eigenvalue of a tensor, over a scale.

    A lower bound is returned where it exceeds `enough`, which saves the eigenvalues.
    """
    apart = np.asarray(one) - np.asarray(other)
    length = float(np.max(np.abs(apart)))
    if length == 0:
        return 0.0
    if not scale > 0 or not isfinite(length):
        return inf
    if apart.ndim and length <= enough * scale:
        length = float(np.linalg.norm(apart, 2))
    return length / scale


def rounding_floors(a: MassProperties, b: MassProperties) -> Deviations:
    """Bound the deviation by rounding of two equal bodies that are written in different axes."""
    floor = float(tolerances.floor(np.ones(())))
    size = scales(a, b)
    offset = max(float(np.linalg.norm(body.p_BoBcm_B)) for body in (a, b))
    return Deviations(floor, floor * (1 + offset / size.com if size.com else 1), floor)


def explain(
    a: MassProperties, b: MassProperties, differs: Sequence[MassProperty], tolerance: float
) -> list[Explanation]:
    """Find the mistakes that turn one body into the other, to the digits that are written.

    Args:
        a: The body of the first model.
        b: The body of the second model.
        differs: The quantities that differ.
        tolerance: Largest deviation that counts as none.

    Returns:
        Explanations, the best first: those that explain more quantities, then those that leave less
        of the difference. Each name comes once at most, and none explains only part of what another
        explains.
    """
    digits = [max(tolerance, sum(pair)) for pair in zip(a.digits, b.digits, strict=True)]
    directions: tuple[tuple[Which, MassProperties, _Goal], ...] = (
        ("a", a, _make_goal(a, b, differs, tolerance, digits)),
        ("b", b, _make_goal(b, a, differs, tolerance, digits)),
    )
    found: list[Explanation] = []
    for mistake in MISTAKES:
        own = [
            Explanation(mistake.name, of, conversion.clause, *fit)
            for of, body, goal in directions
            for conversion in mistake.convert(body, goal.body)
            if (fit := _fit(conversion, goal)) is not None
        ]
        found += _rank(own)[:1]
    if {quantity for each in found for quantity in each.explains} != set(differs):
        found = [each for each in found if each.name not in _FORGETFUL]
    ranked = _rank(found)
    return [
        explanation
        for explanation in ranked
        if not any(set(explanation.explains) < set(other.explains) for other in ranked)
    ]


def rank_by_model(each: Sequence[Sequence[Explanation]]) -> list[tuple[Explanation, ...]]:
    """Rank the explanations of many bodies: of equal ones, that which explains more bodies first.

    A converter makes the same mistake in every body.
    """
    bodies = fits(each)
    return [tuple(_rank(own, bodies)) for own in each]


class _Goal(NamedTuple):
    """Body that a conversion has to give.

    Attributes:
        body: The body.
        differs: Whether each quantity differs.
        sizes: Scale of each quantity.
        open_to: Largest deviation at which each quantity counts as met.
        before: Deviation of each quantity before any conversion.
    """

    body: MassProperties
    differs: Sequence[bool]
    sizes: Scales
    open_to: Sequence[float]
    before: Sequence[float]


def _make_goal(
    start: MassProperties,
    body: MassProperties,
    differs: Sequence[MassProperty],
    tolerance: float,
    digits: Sequence[float],
) -> _Goal:
    """Make the goal of conversions that start from one body and shall give another."""
    sizes = scales(body)
    before = [_deviation(*each) for each in zip(_parts(start), _parts(body), sizes, strict=True)]
    different = [quantity in differs for quantity in QUANTITIES]
    open_to = [
        min(max(tolerance, d), tolerances.EXPLAINED * far) if differ else tolerance
        for differ, d, far in zip(different, digits, before, strict=True)
    ]
    return _Goal(body, different, sizes, open_to, before)


def _fit(conversion: Conversion, goal: _Goal) -> tuple[tuple[MassProperty, ...], float] | None:
    """Find the quantities that a conversion explains, and the share of the difference it leaves.

    Every quantity that it changes has to meet the goal; None if one does not.
    """
    left = 0.0
    explained: list[MassProperty] = []
    for place, wanted in enumerate(_parts(goal.body)):
        changed = conversion[1 + place]
        if changed is None or isinstance(changed, str):
            continue
        residual = _deviation(changed, wanted, goal.sizes[place], goal.open_to[place])
        if residual > goal.open_to[place]:
            return None
        if goal.differs[place]:
            explained.append(QUANTITIES[place])
            left = max(left, residual / goal.before[place])
    return (tuple(explained), left) if explained else None


def _parts(body: MassProperties) -> tuple[float | Floats, ...]:
    return body.mass, body.p_BoBcm_B, body.I_BBcm_B


def _rank(
    explanations: Sequence[Explanation], bodies: dict[str, int] | None = None
) -> list[Explanation]:
    """Sort explanations, the best first; equal ones by the number of bodies, then as they came."""
    least: dict[int, float] = {}
    for each in explanations:
        count = len(each.explains)
        least[count] = min(least.get(count, inf), each.residual)

    def key(each: Explanation) -> tuple[int, float, int]:
        count = len(each.explains)
        alike = each.residual <= max(_ALIKE * least[count], tolerances.EXPLANATION_ROUNDING)
        return -count, 0.0 if alike else each.residual, -(bodies or {}).get(each.name, 0)

    return sorted(explanations, key=key)
