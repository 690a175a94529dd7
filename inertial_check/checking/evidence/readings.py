"""Readings of the numbers of a whole model: the conventions, orders and units it may be in.

Textbook moments of primitives, and what comes out when the formula is misread.

Numbers that were printed with so few decimals that little of the tensor is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from inertial_check.documents.model import Body, Shape
from inertial_check.inertia import resemblance
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.intervals import decimal_places
from inertial_check.inertia.representations import ORDERS

UNITS: Mapping[str, float] = MappingProxyType(
    {
        "g mm^2": 1e-9,
        "g cm^2": 1e-7,
        "kg mm^2": 1e-6,
        "kg cm^2": 1e-4,
        "lb in^2": 2.926397e-4,
        "g m^2": 1e-3,
    }
)
"""Size of each unit of inertia in kg m^2."""

MASSES: Mapping[str, float] = MappingProxyType({"grams": 1e-3, "milligrams": 1e-6, "tonnes": 1e3})
"""Size of each unit of mass in kg."""

PRODUCTS_NEGATED = np.array([1.0, -1, -1, 1, -1, 1])
"""Factors of the six entries that negate the three products of inertia."""


class ModelReading(NamedTuple):
    """Another reading of the numbers of all bodies of a model.

    Attributes:
        cause: Name of the cause, such as sign-of-products.
        what: The reading in words, as the end of "the tensors ...".
        mass: (N,) masses that are meant [kg].
        I_BBcm_Bi: (N, 6) tensors that are meant, in the inertials' own axes [kg m^2].
    """

    cause: str
    what: str
    mass: Floats
    I_BBcm_Bi: Floats


class WrittenNumbers(NamedTuple):
    """The inertial numbers of N bodies, as their document has them.

    Attributes:
        mass: (N,) [kg].
        I_BBcm_Bi: (N, 6) tensors about the centres of mass, in the inertials' own axes [kg m^2].
        p_BoBcm_B: (N, 3) centres of mass in the body frames [m].
        R_BBi: (N, 3, 3) from the inertials' own axes to those of the bodies.
    """

    mass: Floats
    I_BBcm_Bi: Floats
    p_BoBcm_B: Floats
    R_BBi: Floats


def list_forms(numbers: WrittenNumbers) -> Iterator[ModelReading]:
    """List the readings that change the form of the tensors."""
    six, mass = numbers.I_BBcm_Bi, numbers.mass
    yield ModelReading(
        "sign-of-products", "with their products negated", mass, six * PRODUCTS_NEGATED
    )
    # (N, 6) parallel-axis terms m (|c|^2 1 - c c^T) in the inertials' own axes [kg m^2].
    p_BoBcm_Bi = np.einsum("nji,nj->ni", numbers.R_BBi, numbers.p_BoBcm_B)
    outer = p_BoBcm_Bi[:, :, None] * p_BoBcm_Bi[:, None, :]
    shift = resemblance.entries(resemblance.inertia(numbers.mass, outer))
    what = "moved from the links' origins to the centres of mass"
    yield ModelReading("about-link-origin", what, mass, six - shift)
    what = "with the parallel-axis term, which was subtracted once too often"
    yield ModelReading("double-parallel-axis", what, mass, six + shift)
    # List the readings with other rotations of the inertials; none where no inertial is turned.
    R = numbers.R_BBi
    if not np.array_equal(R, np.broadcast_to(np.eye(3), R.shape)):
        tensors, R_T = resemblance.matrices(numbers.I_BBcm_Bi), np.swapaxes(R, 1, 2)
        turns = {
            "without the rotations of their origins": R_T,
            "with the rotations of their origins inverted": R_T @ R_T,
            "with the rotations of their origins twice": R,
        }
        for turns_what, turn in turns.items():
            turns_six = resemblance.entries(resemblance.rotate(turn, tensors))
            yield ModelReading("wrong-frame", turns_what, numbers.mass, turns_six)
    for slots, words, _ in list_orders():
        yield ModelReading("component-order", f"with {words}", mass, six[:, slots])


def list_units(mass: Floats, six: Floats) -> Iterator[ModelReading]:
    """List the readings in other units, of (N,) masses [kg] and (N, 6) tensors [kg m^2]."""
    for name, unit in UNITS.items():
        yield ModelReading("units", f"read as {name}", mass, six * unit)
        yield ModelReading("units", f"divided by 1 {name}", mass, six / unit)
    for name, unit in MASSES.items():
        both = f"with mass and tensor read in {name}"
        yield ModelReading("density", both, mass * unit, six * unit)
        yield ModelReading("density", f"with the mass in {name}", mass * unit, six)


@cache
def list_orders() -> tuple[tuple[tuple[int, ...], str, float], ...]:
    """List every other order of the six entries.

    Returns:
        For each where each of ENTRIES stands now, the order in words, and how often it happens.
    """
    known: dict[tuple[int, ...], tuple[str, float]] = {}
    usual = {"urdf": 1.0, "mujoco": 0.25, "pinocchio": 0.2, "wensing": 0.1, "ksl": 0.1}
    for written, read in permutations(ORDERS, 2):
        # Slot k of `read` holds what `written` has there.
        slots = tuple(
            ORDERS["urdf"].index(ORDERS[read][ORDERS[written].index(entry)])
            for entry in ORDERS["urdf"]
        )
        share = usual[written] * usual[read] * (1.0 if "urdf" in (written, read) else 0.2)
        if slots not in known or share > known[slots][1]:
            words = f"{' '.join(ORDERS[written])} written where {' '.join(ORDERS[read])} belong"
            known[slots] = words, share
    total = sum(share for _, share in known.values())
    return tuple((slots, words, share / total) for slots, (words, share) in known.items())


FORMULA = 2e-3
"""Relative deviation up to which moments are those of a formula: three printed digits."""

APART = 0.05
"""Relative deviation of the right moments from which a misreading shows at all."""


class Misreading(NamedTuple):
    """A formula that was misread.

    Attributes:
        kind: Of the shape.
        mistake: In words, as the end of "the formula with ...".
        moments: (3,) that the right one gives about x, y and z of the shape [kg m^2].
    """

    kind: str
    mistake: str
    moments: Floats


def moments_of(shape: Shape) -> Floats | None:
    """(3,) moments of the full solid about the axes of the shape, per kilogram [m^2].

    None for meshes, and for what has no textbook formula.
    """
    sizes = shape.dimensions
    if shape.note is not None or not sizes or min(sizes) <= 0:
        return None
    if shape.kind == "box":
        x, y, z = np.square(sizes)
        return np.array([y + z, x + z, x + y]) / 12
    if shape.kind == "cylinder":
        r, length = np.square(sizes)
        across = r / 4 + length / 12
        return np.array([across, across, r / 2])
    if shape.kind == "sphere":
        return np.full(3, 0.4 * sizes[0] ** 2)
    return None


def misread_formula(body: Body, mass: float, six: Sequence[float] | Floats) -> Misreading | None:
    """The misreading of a formula that gives exactly the written tensor.

    Args:
        body: Whose shapes are looked at: roles with one primitive.
        mass: [kg].
        six: (6,) the tensor in the inertial's own axes [kg m^2].

    Returns:
        None where no role has one primitive, its right formula gives the tensor, or no known
        misreading does.
    """
    xx, xy, xz, yy, yz, zz = (float(each) for each in six)
    size = max(abs(xx), abs(xy), abs(xz), abs(yy), abs(yz), abs(zz))
    if max(abs(xy), abs(xz), abs(yz)) > FORMULA * size:
        return None
    moments = (xx, yy, zz)
    for role in ("visual", "collision"):
        shapes = [shape for shape in body.shapes if shape.role == role]
        solid = moments_of(shapes[0]) if len(shapes) == 1 else None
        if solid is None:
            continue
        right = solid.tolist()
        if _agree([mass * each for each in right], moments, APART * size):
            continue
        for mistake, wrong in _misread(shapes[0], right, mass):
            if _agree(wrong, moments, FORMULA * size):
                return Misreading(shapes[0].kind, mistake, mass * solid)
    return None


def _agree(moments: Sequence[float], others: Sequence[float], allowed: float) -> bool:
    """Whether moments differ from others by no more than this; never if one is NaN."""
    a, b, c = moments
    x, y, z = others
    return abs(a - x) <= allowed and abs(b - y) <= allowed and abs(c - z) <= allowed


def _misread(
    shape: Shape, right: Sequence[float], mass: float
) -> Iterator[tuple[str, Sequence[float]]]:
    """Moments that each mistake makes of those of a shape: floats, as three need no array."""
    yield "the mass left out", right
    for order in permutations(range(3)):
        if order != (0, 1, 2):
            yield "the axes exchanged", [mass * right[axis] for axis in order]
    if shape.kind == "box":
        yield "half edges for edges", [mass * each / 4 for each in right]
        yield "edges for half edges", [mass * each * 4 for each in right]
        for axis, edge in enumerate(shape.dimensions):
            rod = [mass * (edge * edge / 12)] * 3
            rod[axis] = 0.0
            yield "the box taken for a thin rod", rod
    elif shape.kind == "cylinder":
        r, length = (each * each for each in shape.dimensions)
        across = mass * ((r + length) / 12)
        yield "1/12 in place of 1/4 for the radius", [across, across, mass * (r / 2)]
        across = mass * (r + length / 12)
        yield "the diameter for the radius", [across, across, mass * (2 * r)]
        about_axis = [mass * right[0], mass * right[1], mass * (r / 4)]
        yield "1/4 in place of 1/2 about its axis", about_axis
        for along in (2, 1, 0):
            rod = [mass * length] * 3
            rod[along] = 0.0
            yield "the cylinder taken for a thin rod", [each / 12 for each in rod]
            yield "the cylinder taken for a thin rod about its end", [each / 3 for each in rod]
    elif shape.kind == "sphere":
        yield "the diameter for the radius", [mass * each * 4 for each in right]
        hollow = "2/3, the factor of a hollow sphere, in place of 2/5"
        yield hollow, [mass * each * 5 / 3 for each in right]


COARSE = 0.04
"""Share of the trace above which half a count of the last decimal is a coarse one: 24 of 32 tensors
printed with so few decimals exceed it, and none of 3,136 clean bodies does."""

_FEW_DIGITS = 2
"""Digits that no entry of a tensor exceeds whose trace is that of so few counts."""

COUNTS = 2.5
"""Counts of the last printed decimal below which a moment has less than one significant digit."""

_DIGITS_OF_MASS = 3
"""Significant digits of a mass, without zeros at its ends, from which the numbers were measured or
computed, not guessed: 100. and 1.0 have one."""


def is_measured(mass: str) -> bool:
    """Whether a mass as printed has so many digits that it was measured or computed."""
    return count_digits(mass) >= _DIGITS_OF_MASS


def last_count(texts: Sequence[str], unit: float) -> float | None:
    """One count of the last decimal that any entry of a tensor shows [kg m^2].

    Args:
        texts: The six entries as printed.
        unit: Size of the document's unit of inertia [kg m^2].

    Returns:
        None where an entry is missing, has an exponent, or none has a decimal.
    """
    together = " ".join(texts)
    if "e" in together or "E" in together or not all(texts):
        return None
    places = [each for each in map(decimal_places, texts) if each is not None]
    if len(places) < 3 or max(places) < 1:
        return None
    return unit * float(f"1e-{max(places)}") or None


def has_lost_decimals(texts: Sequence[str], six: Iterable[float], unit: float, mass: str) -> bool:
    """Whether a tensor that a body has was printed with too few decimals to tell which.

    Half a count of the last decimal is more than COARSE of the trace, and that is no guess of a
    person: the mass was measured, or the zeros have as many decimals as the moments, as a program
    prints them. Three equal moments without products are guessed more often than printed: the
    zeros have to have the decimals, and a power of ten needs the measured mass as well. A zero with
    a minus is a number that was rounded away.

    Args:
        texts: The six entries as printed.
        six: (6,) the same as numbers [kg m^2].
        unit: Size of the document's unit of inertia [kg m^2].
        mass: The mass as printed.
    """
    for text in texts:
        if len(text) > _FEW_DIGITS and len(text.strip("-+0.")) > _FEW_DIGITS:
            return False  # a trace of at most 12 counts has no longer entry
    xx, xy, xz, yy, yz, zz = (float(each) for each in six)
    count = last_count(texts, unit)
    if count is None or not 0 < xx + yy + zz < count / 2 / COARSE:
        return False
    places = {decimal_places(text) for text in texts}
    zeros = [text for text in texts if not text.strip("-+0.")]
    padded = bool(zeros) and len(places) == 1 and max(filter(None, places)) > 1
    if padded and any(text.startswith("-") for text in zeros):
        return True
    measured = is_measured(mass)
    if not xx == yy == zz or xy or xz or yz:
        return padded or measured
    power = texts[0].strip("+0.") == "1"
    return padded and (measured or not power)


def is_padded(texts: Sequence[str]) -> bool:
    """Whether numbers have one number of decimals, and a zero at the end of one of them.

    A format such as "%.3f" prints so: 0.120, 0.000. A person leaves such zeros out.
    """
    if not any(text.endswith("0") for text in texts):
        return False
    places = set(map(decimal_places, texts))
    together = " ".join(texts)
    exponents = "e" in together or "E" in together
    return len(places) == 1 and None not in places and not exponents


def count_digits(text: str) -> int:
    """Number of significant digits of a printed number, zeros at its ends left out."""
    mantissa = text.lower().partition("e")[0]
    return len("".join(filter(str.isdigit, mantissa)).strip("0"))
