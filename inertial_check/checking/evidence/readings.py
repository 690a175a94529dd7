"""Readings of inertial numbers: what they mean if a known mistake was made, which each one undoes.

Every mistake stands here once: signs, points, frames, orders and units, of one body and of all
bodies of a model; and textbook moments of primitives with what misread formulas make of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations, product
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.documents.model import ENTRIES, Body, Shape
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import ORDERS, Order

if TYPE_CHECKING:
    from inertial_check.checking.evidence.examination import Examination


UNITS: Mapping[str, float] = MappingProxyType(
    {
        "g mm^2": 1e-9,
        "g cm^2": 1e-7,
        "kg mm^2": 1e-6,
        "kg cm^2": 1e-4,
        "lb in^2": 2.926397e-4,
        "oz in^2": 1.828998e-5,
        "g m^2": 1e-3,
    }
)
"""Size of each unit of inertia in kg m^2."""

MASSES: Mapping[str, float] = MappingProxyType({"grams": 1e-3, "milligrams": 1e-6, "tonnes": 1e3})
"""Size of each unit of mass in kg."""

PRODUCTS_NEGATED = np.array([1.0, -1, -1, 1, -1, 1])
"""Factors of the six entries that negate the three products of inertia."""


def _turn(axis: int) -> Floats:
    """A quarter turn about an axis."""
    R = np.zeros((3, 3))
    one, other = (axis + 1) % 3, (axis + 2) % 3
    R[axis, axis], R[other, one], R[one, other] = 1.0, 1.0, -1.0
    return R


SWAPS: Mapping[str, Floats] = MappingProxyType(
    {
        "y and z exchanged": np.abs(_turn(0)),
        "x and z exchanged": np.abs(_turn(1)),
        "x and y exchanged": np.abs(_turn(2)),
        "a quarter turn about x": _turn(0),
        "a quarter turn about y": _turn(1),
        "a quarter turn about z": _turn(2),
        "the axes x y z read as y z x": np.eye(3)[[1, 2, 0]],
        "the axes x y z read as z x y": np.eye(3)[[2, 0, 1]],
    }
)
"""Frames that are mistaken for each other: y up and z up, and cyclic shifts."""

_MIRRORED_AXES = np.array([[1.0, -1, -1, 1, 1, 1], [1.0, -1, 1, 1, -1, 1], [1.0, 1, -1, 1, -1, 1]])
"""(3, 6) factors of the six entries that mirror the x, y or z axis."""

EXCHANGES: Floats = np.array(
    [
        matrix
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
        for matrix in (np.eye(3)[:, list(order)] * signs,)
        if np.linalg.det(matrix) > 0
    ]
)
"""(24, 3, 3) the proper rotations among all exchanges and signs of three axes."""


class Reading(NamedTuple):
    """What else the numbers of one body could mean.

    Attributes:
        cause: The cause's name: sign-of-products, about-link-origin, wrong-frame.
        what: The reading in words, as the end of "the tensor ...".
        C_BBcm_B: (3, 3) the spread that is meant, in the body's axes [m^2].
    """

    cause: str
    what: str
    C_BBcm_B: Floats


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

    @property
    def parallel_axis_term(self) -> Floats:
        """(N, 6) terms m (|c|^2 1 - c c^T) in the inertials' own axes [kg m^2]."""
        p_BoBcm_Bi = np.einsum("nji,nj->ni", self.R_BBi, self.p_BoBcm_B)
        outer = p_BoBcm_Bi[:, :, None] * p_BoBcm_Bi[:, None, :]
        return resemblance.entries(resemblance.inertia(self.mass, outer))

    def turn(self, turns: Floats) -> Floats:
        """Turn the tensors in the inertials' own axes by rotations (..., N, 3, 3)."""
        tensors = resemblance.matrices(self.I_BBcm_Bi)
        return resemblance.entries(resemblance.rotate(turns, tensors))

    def find_spreads(self, six: Floats) -> Floats:
        """(..., N, 3, 3) spreads of other tensors (..., N, 6), in body axes [m^2]."""
        spreads = resemblance.spread(self.mass, resemblance.matrices(six))
        return resemblance.rotate(self.R_BBi, spreads)


def read_body(examination: Examination, index: int) -> WrittenNumbers:
    """Read the numbers of one body of a model."""
    body, judgement = examination.model.bodies[index], examination.judgements[index]
    R_BBi = np.eye(3) if body.inertial is None else np.array(body.inertial.R_BBi)
    six, p_BoBcm_B = np.array([judgement.I_BBcm_Bi]), np.array([judgement.p_BoBcm_B])
    return WrittenNumbers(np.array([judgement.mass]), six, p_BoBcm_B, R_BBi[None])


class _Form(NamedTuple):
    """A mistake in the form of a tensor, undone.

    Attributes:
        cause: Name of the cause.
        of_one: The reading in words, as the end of "the tensor ...".
        of_all: The same of several bodies, as the end of "the tensors ...".
        I_BBcm_Bi: (N, 6) tensors that are meant, in the inertials' own axes [kg m^2].
    """

    cause: str
    of_one: str
    of_all: str
    I_BBcm_Bi: Floats


def _undo_form(numbers: WrittenNumbers) -> Iterator[_Form]:
    """Undo each mistake in the form of tensors that one body or all bodies can have."""
    six, term = numbers.I_BBcm_Bi, numbers.parallel_axis_term
    yield _Form(
        "sign-of-products",
        "with its products negated",
        "with their products negated",
        six * PRODUCTS_NEGATED,
    )
    yield _Form(
        "about-link-origin",
        "moved from the link's origin to the centre",
        "moved from the links' origins to the centres of mass",
        six - term,
    )
    yield _Form(
        "double-parallel-axis",
        "with the parallel-axis term, which was subtracted once too often",
        "with the parallel-axis term, which was subtracted once too often",
        six + term,
    )
    R, R_T = numbers.R_BBi, np.swapaxes(numbers.R_BBi, 1, 2)
    if np.array_equal(R, np.broadcast_to(np.eye(3), R.shape)):
        return  # no inertial is turned
    for end, turn in (("", R_T), (" inverted", R_T @ R_T), (" twice", R)):
        how = "with" if end else "without"
        yield _Form(
            "wrong-frame",
            f"{how} the rotation of its origin{end}",
            f"{how} the rotations of their origins{end}",
            numbers.turn(turn),
        )


def list_forms(numbers: WrittenNumbers) -> Iterator[ModelReading]:
    """List the readings that change the form of the tensors of a model."""
    for each in _undo_form(numbers):
        yield ModelReading(each.cause, each.of_all, numbers.mass, each.I_BBcm_Bi)
    for slots, words, _ in list_orders():
        six = numbers.I_BBcm_Bi[:, slots]
        yield ModelReading("component-order", f"with {words}", numbers.mass, six)


def list_readings(numbers: WrittenNumbers) -> list[Reading]:
    """List what else the numbers of one body are known to have meant, where a body has them.

    Args:
        numbers: Of a single body.
    """
    found, forms = [], [*_undo_form(numbers)]
    tensors = np.stack([numbers.I_BBcm_Bi, *(each.I_BBcm_Bi for each in forms)])
    written, *meant = numbers.find_spreads(tensors)[:, 0]
    for each, C_BBcm_B in zip(forms, meant, strict=True):
        shifted = each.cause == "about-link-origin"
        if each.cause == "double-parallel-axis" or (
            shifted and not np.linalg.eigvalsh(C_BBcm_B)[0] >= 0
        ):
            continue
        found.append(Reading(each.cause, each.of_one, C_BBcm_B))
    swapped = resemblance.rotate(np.array([*SWAPS.values()]), written)
    pairs = zip(SWAPS, swapped, strict=True)
    return found + [Reading("wrong-frame", f"with {what}", C) for what, C in pairs]


def list_mirrored(numbers: WrittenNumbers) -> list[Reading]:
    """Mirror one axis of the tensor of a body, which negates two of the three products."""
    six = numbers.I_BBcm_Bi * _MIRRORED_AXES[:, None]
    spreads = numbers.find_spreads(six)[:, 0]
    pairs = zip("xyz", spreads, strict=True)
    return [Reading("wrong-frame", f"with its {axis} axis mirrored", C) for axis, C in pairs]


def list_transposed(numbers: WrittenNumbers) -> list[Reading]:
    """Transpose the principal axes of the tensor of a body: R^T D R was written for R D R^T.

    The order and signs in which a program wrote the axes are not known: of a tensor V D V^T, R is
    any (V Q)^T, where Q exchanges and turns the axes; 24 tensors in all.
    """
    (C_BBcm_Bi,) = resemblance.spread(numbers.mass, resemblance.matrices(numbers.I_BBcm_Bi))
    off = np.max(np.abs(C_BBcm_Bi - np.diag(np.diag(C_BBcm_Bi))))
    if not off > tolerances.ROTATED_ZERO * np.trace(C_BBcm_Bi):
        return []
    spreads, V = np.linalg.eigh(C_BBcm_Bi)
    R = np.swapaxes(V @ EXCHANGES, 1, 2)
    meant = R @ (np.swapaxes(EXCHANGES, 1, 2) @ np.diag(spreads) @ EXCHANGES)
    what = "with the matrix of its principal axes transposed"
    spreads_B = resemblance.rotate(numbers.R_BBi, meant @ np.swapaxes(R, 1, 2))
    return [Reading("wrong-frame", what, C) for C in spreads_B]


def list_units(mass: Floats, six: Floats) -> Iterator[ModelReading]:
    """List the readings in other units, of (N,) masses [kg] and (N, 6) tensors [kg m^2]."""
    for name, unit in UNITS.items():
        yield ModelReading("units", f"read as {name}", mass, six * unit)
        yield ModelReading("units", f"divided by 1 {name}", mass, six / unit)
    for name, unit in MASSES.items():
        both = f"with mass and tensor read in {name}"
        # A whole model of a thousandth is rather one of the density 1 in place of 1000 kg/m^3.
        cause = "units" if unit < 1 else "density"
        yield ModelReading(cause, both, mass * unit, six * unit)
        yield ModelReading("density", f"with the mass in {name}", mass * unit, six)


def list_slots(format: str) -> list[int]:
    """List where a format has each of its six entries, in its own order, among ENTRIES."""
    order: Order = "mujoco" if format == "mjcf" else "urdf"
    return [ORDERS["urdf"].index(entry) for entry in ORDERS[order]]


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


_EXCHANGED, _SLIPPED = 0.03, 0.1
"""How often two given entries change places, or all six move on by one, beside the orders of
programs, which are 1 together; chosen: a list is pasted into a form field by field."""


@cache
def list_slips() -> list[tuple[tuple[int, ...], str, float]]:
    """List every other order of the six entries, as list_orders does, with those of a slip."""
    orders = list_orders()
    slips: list[tuple[tuple[int, ...], str, float]] = [
        (slots, "the six numbers moved on by one place", _SLIPPED)
        for slots in ((5, 0, 1, 2, 3, 4), (1, 2, 3, 4, 5, 0))
    ]
    for one, other in combinations(range(6), 2):
        moved = {one: other, other: one}
        slots = tuple([moved.get(slot, slot) for slot in range(6)])
        slips.append((slots, f"{ENTRIES[one]} and {ENTRIES[other]} exchanged", _EXCHANGED))
    known = {slots for slots, _, _ in orders}
    return [*orders, *(slip for slip in slips if slip[0] not in known)]


_SCALED: Mapping[str, float] = MappingProxyType(
    {"times 4, for lengths taken half": 4.0, "divided by 4, for lengths taken twice": 0.25}
)
"""Factors that undo a formula in which all lengths were misread."""


def list_undone(numbers: WrittenNumbers) -> Iterator[tuple[str, str, float, Floats]]:
    """Undo every mistake that the mass and the tensor of one body may hold.

    What it leads to is no evidence by itself, since most of it are bodies; beside a witness it is.

    Args:
        numbers: Of a single body.

    Yields:
        The cause, what undoes it in words as the beginning of "..., the tensor", and the mass [kg]
        and the tensor (3, 3) in the body's axes [kg m^2] without it.
    """
    mass, six = float(numbers.mass[0]), numbers.I_BBcm_Bi
    forms = [(each.cause, each.of_one, mass, each.I_BBcm_Bi[0]) for each in _undo_form(numbers)]
    for slots, words, _ in list_slips():
        forms.append(("component-order", f"with {words}", mass, six[0, list(slots)]))
    for unit in list_units(numbers.mass, six):
        forms.append((unit.cause, unit.what, float(unit.mass[0]), unit.I_BBcm_Bi[0]))
    for what, factor in _SCALED.items():
        forms.append(("wrong-formula", what, mass, factor * six[0]))
    forms.append(("wrong-formula", "times the mass, which was left out", mass, mass * six[0]))
    tensors = resemblance.matrices(np.array([meant for *_, meant in forms]))
    for (cause, what, kilograms, _), I_BBcm_Bi in zip(forms, tensors, strict=True):
        yield cause, what, kilograms, resemblance.rotate(numbers.R_BBi[0], I_BBcm_Bi)
    written = numbers.find_spreads(six)[0]
    turned = [("wrong-frame", f"with {what}", R @ written @ R.T) for what, R in SWAPS.items()]
    for cause, what, C_BBcm_B in (*turned, *list_mirrored(numbers), *list_transposed(numbers)):
        yield cause, what, mass, resemblance.inertia(mass, C_BBcm_B)


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
        of_one_entry: Whether two of the three are right, which is no mistake of a formula.
    """

    kind: str
    mistake: str
    moments: Floats
    of_one_entry: bool = False


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
        return np.full(3, 0.4 * (sizes[0] * sizes[0]))
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
        pairs = zip(moments, right, strict=True)
        off = [abs(moment - mass * each) > FORMULA * mass * each for moment, each in pairs]
        if sum(off) == 1:
            axis = "xyz"[off.index(True)]
            mistake = f"another number for i{axis}{axis}"
            return Misreading(shapes[0].kind, mistake, mass * solid, of_one_entry=True)
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
            more = mass * (edge - edge * edge) / 12
            moments = [mass * each + more * (k != axis) for k, each in enumerate(right)]
            yield f"the edge {'xyz'[axis]} in place of its square", moments
    elif shape.kind == "cylinder":
        r, length = (each * each for each in shape.dimensions)
        across = mass * ((r + length) / 12)
        yield "1/12 in place of 1/4 for the radius", [across, across, mass * (r / 2)]
        across = mass * (r + length / 12)
        yield "the diameter for the radius", [across, across, mass * (2 * r)]
        about_axis = [mass * right[0], mass * right[1], mass * (r / 4)]
        yield "1/4 in place of 1/2 about its axis", about_axis
        full = [mass * right[0], mass * right[1], mass * r]
        yield "the factor 1/2 left out about its axis", full
        radius = shape.dimensions[0]
        plain = mass * (3 * radius + length) / 12
        yield "3 r in place of 3 r^2", [plain, plain, mass * right[2]]
        yield "r in place of r^2", [plain, plain, mass * radius / 2]
        plain_height = mass * (3 * r + shape.dimensions[1]) / 12
        yield "h in place of h^2", [plain_height, plain_height, mass * right[2]]
        for along in (2, 1, 0):
            mixed = [mass * r / 12] * 3
            mixed[along] = plain
            yield "3 r in place of 3 r^2, and 1/12 r^2 about two axes", mixed
            rod = [mass * length] * 3
            rod[along] = 0.0
            yield "the cylinder taken for a thin rod", [each / 12 for each in rod]
            yield "the cylinder taken for a thin rod about its end", [each / 3 for each in rod]
    elif shape.kind == "sphere":
        yield "the diameter for the radius", [mass * each * 4 for each in right]
        yield "r in place of r^2", [mass * each / shape.dimensions[0] for each in right]
        hollow = "2/3, the factor of a hollow sphere, in place of 2/5"
        yield hollow, [mass * each * 5 / 3 for each in right]
