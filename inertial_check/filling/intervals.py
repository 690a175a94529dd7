"""Intervals of masses, centres and tensors that density bounds and known sums allow.

Known sums of masses meet a body in its mass alone. So the least and the largest mass of each body
are linear programs over masses, in closed form where one sum holds bodies together. Between them
every other number is a program over the cells of one body, which sorting solves: of all densities
with one mass, those that fill the cells with the largest coefficients have the largest sum. A known
centre of mass of the model couples the cells of all bodies: filling.coupled has those programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.filling.coupled import find_coupled_ranges
from inertial_check.filling.densities.equations import CenterSum, MassSum
from inertial_check.filling.shapes.pieces import BodyPieces
from inertial_check.inertia import tolerances


class BodyInterval(NamedTuple):
    """Intervals of the numbers of one body.

    Attributes:
        mass: (2,) least and largest mass [kg].
        com: (2, 3) least and largest coordinates of the centre of mass in the body [m].
        inertia: (2, 6) least and largest entries of the tensor about the centre of mass of the
            answer, in the axes of the body [kg m^2], in the order of model.ENTRIES.
        exact: Whether some body that meets all sums reaches each of these bounds; else they are
            outer bounds, which hold and may be wider than they need be.
    """

    mass: Floats
    com: Floats
    inertia: Floats
    exact: bool = True


def find_intervals(
    pieces: Sequence[BodyPieces],
    sums: Sequence[MassSum],
    bounds: Floats,
    theta: Floats,
    centers: Sequence[CenterSum] = (),
) -> list[BodyInterval]:
    """Find the intervals of all bodies.

    Args:
        pieces: Pieces of the bodies.
        sums: Known sums of masses.
        bounds: (n, 2) least and largest density of the parts of each body [kg/m^3].
        theta: (n, 10) the answer, about the bodies' origins, in the order "urdf": it lies in the
            intervals, and tensors are taken about its centres of mass.
        centers: The known centre of mass of the model, one sum for each axis; none if unknown.
    """
    volumes = np.array([own.volume for own in pieces])
    answer = theta[:, 1:4] / theta[:, :1]
    low, high = volumes[:, None].T * bounds.T
    ranges, exact = find_mass_ranges(low, high, sums, theta[:, 0])
    numbers = [_list_numbers(own, center) for own, center in zip(pieces, answer, strict=True)]
    coupled = None
    if centers:
        coupled = find_coupled_ranges(pieces, sums, centers, bounds, ranges, numbers)
        ranges = _tighten(ranges[:, :, None], *(each[:, :, :1] for each in coupled))[0][:, :, 0]
    found = np.array(
        [_find_ranges(own, bounds[at], ranges[at], numbers[at]) for at, own in enumerate(pieces)]
    )
    sure = np.tile(np.array(exact)[:, None, None], (1, 2, 10))
    if coupled is not None:
        found, sure = _tighten(found, *coupled)
    about = np.concatenate([theta[:, :1], answer, _about(theta, answer)], axis=1)
    found[:, 0] = np.minimum(found[:, 0], about)  # rounding of the answer or of a program
    found[:, 1] = np.maximum(found[:, 1], about)
    return [
        BodyInterval(own[:, 0], own[:, 1:4], own[:, 4:], bool(np.all(sure[at])))
        for at, own in enumerate(found)
    ]


def _tighten(found: Floats, bounds: Floats, reached: Floats) -> tuple[Floats, Mask]:
    """Tighten ranges (n, 2, m) by bounds under a known centre of mass, and say which are exact.

    Args:
        found: Ranges of the mass and, if m is 10, of the coordinates and the tensor.
        bounds: Bounds of the same.
        reached: Numbers of bodies that meet all sums.
    """
    sign = np.array([1.0, -1.0])[:, None]
    tight = np.where(sign * bounds > sign * found, bounds, found)  # no number is no bound
    largest = np.max(np.abs(found), axis=1)
    groups = (
        slice(0, 1),
        slice(1, 4),
        slice(4, 10),
    )  # masses, lengths and tensors have a size each
    sizes = [largest[:, own] for own in groups if own.start < largest.shape[1]]
    size = np.hstack([0 * own + own.max(axis=1, keepdims=True) for own in sizes])
    return tight, sign * (reached - tight) <= tolerances.INTERVAL_REACHED * size[:, None]


def _list_numbers(own: BodyPieces, center: Floats) -> Floats:
    """(10, N) of the cells of a body per mass: 1, coordinates, entries of the tensor."""
    moments = np.concatenate([piece.moments for piece in own.pieces])
    tensors = _about(moments, np.tile(center, (len(moments), 1)))
    numbers: Floats = np.concatenate([moments[:, :4], tensors], axis=1) / moments[:, :1]
    return numbers.T


def find_mass_ranges(
    low: Floats, high: Floats, sums: Sequence[MassSum], masses: Floats
) -> tuple[Floats, list[bool]]:
    """Find the least and largest masses between bounds that meet known sums.

    Args:
        low: (n,) least masses [kg].
        high: (n,) largest masses [kg].
        sums: The known sums.
        masses: (n,) masses that meet them, to rounding [kg].

    Returns:
        (n, 2) masses [kg], and whether they are exact: a program that fails leaves the bounds.
    """
    leader, low, high, rest = _reduce(low, high, sums)
    found = np.stack([low, high], axis=1)
    exact = [True] * len(low)
    for bodies, rows in _split(len(low), rest):
        if len(rows) == 1:
            found[bodies] = _solve_single(low, high, rest[rows[0]])
        else:
            found[bodies], solved = _solve_programs(low, high, [rest[row] for row in rows], bodies)
            for body in bodies:
                exact[body] = solved
    found = found[leader]
    found[:, 0] = np.minimum(found[:, 0], masses)  # rounding of the answer or of a program
    found[:, 1] = np.maximum(found[:, 1], masses)
    return found, [exact[at] for at in leader]


def _reduce(
    low: Floats, high: Floats, sums: Sequence[MassSum]
) -> tuple[list[int], Floats, Floats, list[MassSum]]:
    """Take out known masses and equal ones: what is left rarely couples bodies more than once.

    Returns:
        For each body the one that stands for it, the bounds of those, and the other sums.
    """
    leader = list(range(len(low)))
    low, high = low.copy(), high.copy()
    rest = list(sums)
    while True:
        merged = [each._replace(coefficients=_merge(each.coefficients, leader)) for each in rest]
        rest = [each for each in merged if len(each.coefficients) > 1]
        equal = next((each for each in rest if _is_equality(each)), None)
        for each in merged:
            if len(each.coefficients) == 1:
                ((at, a),) = each.coefficients.items()
                ends = sorted([(each.wanted + s * each.deviation) / a for s in (-1, 1)])
                low[at] = min(max(low[at], ends[0]), high[at])
                high[at] = max(min(high[at], ends[1]), low[at])
        if equal is None:
            return leader, low, high, rest
        one, other = equal.coefficients
        low[one] = max(low[one], min(low[other], high[one]))
        high[one] = max(min(high[one], high[other]), low[one])
        leader = [one if at == other else at for at in leader]


def _merge(coefficients: Mapping[int, float], leader: Sequence[int]) -> dict[int, float]:
    """Coefficients of the bodies that stand for others; none that cancel."""
    found: dict[int, float] = {}
    for at, value in coefficients.items():
        found[leader[at]] = found.get(leader[at], 0.0) + value
    return {at: value for at, value in found.items() if value}


def _is_equality(each: MassSum) -> bool:
    """Whether a sum says that two masses are equal."""
    total = sum(each.coefficients.values())
    return len(each.coefficients) == 2 and total == each.wanted == each.deviation == 0


def _split(count: int, sums: Sequence[MassSum]) -> list[tuple[list[int], list[int]]]:
    """Groups of bodies that sums hold together, each with the places of its sums."""
    group = list(range(count))
    for each in sums:
        touched = {group[at] for at in each.coefficients}
        least = min(touched)
        group = [least if own in touched else own for own in group]
    rows: dict[int, list[int]] = {}
    for row, each in enumerate(sums):
        rows.setdefault(group[next(iter(each.coefficients))], []).append(row)
    return [([at for at in range(count) if group[at] == own], of) for own, of in rows.items()]


def _solve_single(low: Floats, high: Floats, each: MassSum) -> Floats:
    """Ranges of the masses of one sum: what it leaves when the others are least, or largest."""
    at = list(each.coefficients)
    a = np.array(list(each.coefficients.values()))
    ends = np.stack([a * low[at], a * high[at]])
    least, most = ends.min(axis=0), ends.max(axis=0)
    upper = each.wanted + each.deviation - (least.sum() - least)
    lower = each.wanted - each.deviation - (most.sum() - most)
    terms = np.stack([np.maximum(least, lower), np.minimum(most, upper)], axis=1) / a[:, None]
    order = np.argsort(at)
    found: Floats = np.sort(terms, axis=1)[order]
    return found


def _solve_programs(
    low: Floats, high: Floats, sums: Sequence[MassSum], bodies: Sequence[int]
) -> tuple[Floats, bool]:
    """Ranges of masses that several sums hold together, by two linear programs a body.

    Returns:
        (n, 2) ranges [kg], and whether every program was solved.
    """
    from scipy.optimize import linprog

    place = {index: at for at, index in enumerate(bodies)}
    A = np.zeros((len(sums), len(bodies)))
    for row, each in enumerate(sums):
        for index, value in each.coefficients.items():
            A[row, place[index]] = value
    wanted = np.array([each.wanted for each in sums])
    deviation = np.array([each.deviation for each in sums])
    bounds = np.stack([low[list(bodies)], high[list(bodies)]], axis=1)
    unit = max(float(np.max(np.abs(wanted))), float(np.finfo(float).tiny))
    upper = np.concatenate([wanted + deviation, deviation - wanted]) / unit
    found, solved = bounds.copy(), True
    for at in range(len(bodies)):
        for side, sign in enumerate((1.0, -1.0)):
            costs = np.zeros(len(bodies))
            costs[at] = sign
            answer = linprog(
                costs,
                A_ub=np.concatenate([A, -A]),
                b_ub=upper,
                bounds=bounds / unit,
                method="highs",
            )
            if answer.status == 0:
                found[at, side] = sign * answer.fun * unit
            else:
                solved = False
    return found, solved


def _find_ranges(own: BodyPieces, bounds: Floats, mass: Floats, numbers: Floats) -> Floats:
    """(2, 10) ranges of the numbers of a body whose mass has a range (2,) [kg]."""
    volumes = np.concatenate([piece.volumes for piece in own.pieces])
    cells = _Cells.of(volumes, bounds, mass)
    ranges = [(float(mass[0]), float(mass[1]))]
    ranges += [cells.find_range(numbers[at], mean=True) for at in (1, 2, 3)]
    ranges += [cells.find_range(numbers[at]) for at in range(4, 10)]
    return np.array(ranges).T


class _Cells(NamedTuple):
    """Cells of one body with bounds of their masses, and the range of its mass."""

    least: Floats
    extra: Floats
    mass: Floats

    @classmethod
    def of(cls, volumes: Floats, bounds: Floats, mass: Floats) -> _Cells:
        least = volumes * bounds[0]
        room = max(float(mass[1]) - float(least.sum()), 0.0)
        return cls(least, np.minimum(volumes * (bounds[1] - bounds[0]), room), mass)

    def find_range(self, coefficients: Floats, mean: bool = False) -> tuple[float, float]:
        """The range of a sum over the cells' masses, or of it per mass (mean)."""
        return -self._find_largest(-coefficients, mean), self._find_largest(coefficients, mean)

    def _find_largest(self, coefficients: Floats, mean: bool) -> float:
        order = np.argsort(-coefficients)
        masses = float(self.least.sum()) + np.concatenate([[0.0], np.cumsum(self.extra[order])])
        sums = float(self.least @ coefficients) + np.concatenate(
            [[0.0], np.cumsum((self.extra * coefficients)[order])]
        )
        inside = (masses > self.mass[0]) & (masses < self.mass[1])
        # Between breakpoints a sum is linear in the mass, and a mean a fraction of linear terms:
        # both are largest at an end.
        at = np.concatenate([self.mass, masses[inside]])
        values = np.interp(at, masses, sums)
        return float(np.max(values / at if mean else values))


def _about(moments: Floats, centers: Floats) -> Floats:
    """(n, 6) tensors about points (n, 3), from parameters (n, 10) about the origin."""
    i, j = np.triu_indices(3)
    first, volume = moments[:, 1:4], moments[:, :1]
    # I about p is I about o - [2 (h . p) 1 - h p^T - p h^T] + v [(p . p) 1 - p p^T].
    same = (i == j).astype(float)
    mixed = 2 * np.sum(first * centers, axis=1)[:, None] * same
    mixed = mixed - first[:, i] * centers[:, j] - centers[:, i] * first[:, j]
    own = np.sum(centers * centers, axis=1)[:, None] * same - centers[:, i] * centers[:, j]
    found: Floats = moments[:, 4:] - mixed + volume * own
    return found
