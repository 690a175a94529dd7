"""Intervals of masses, centres and tensors that density bounds and known sums allow.

Known sums of masses meet a body in its mass alone. So the least and the largest mass of each body
are linear programs over masses, and between them every other number is a program over the cells of
one body. Sorting solves it: of all densities with one mass, those that fill the cells with the
largest coefficients have the largest sum. A known centre of mass of the model is left out here:
intervals then hold, and may be wider than they need be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.filling.equations import MassSum
from inertial_check.filling.pieces import BodyPieces


class BodyInterval(NamedTuple):
    """Intervals of the numbers of one body.

    Attributes:
        mass: (2,) least and largest mass [kg].
        com: (2, 3) least and largest coordinates of the centre of mass in the body [m].
        inertia: (2, 6) least and largest entries of the tensor about the centre of mass of the
            answer, in the axes of the body [kg m^2], in the order of model.ENTRIES.
    """

    mass: Floats
    com: Floats
    inertia: Floats


def find_intervals(
    pieces: Sequence[BodyPieces],
    sums: Sequence[MassSum],
    bounds: Floats,
    centers: Floats,
    masses: Floats,
) -> list[BodyInterval]:
    """Find the intervals of all bodies.

    Args:
        pieces: Pieces of the bodies.
        sums: Known sums of masses.
        bounds: (n, 2) least and largest density of the parts of each body [kg/m^3].
        centers: (n, 3) centres of mass of the answer, about which tensors are taken [m].
        masses: (n,) masses of the answer, which lie in the intervals [kg].
    """
    volumes = np.array([own.volume for own in pieces])
    low, high = volumes[:, None].T * bounds.T
    ranges = find_mass_ranges(low, high, sums, masses)
    return [
        _find_interval(own, bounds[at], ranges[at], centers[at]) for at, own in enumerate(pieces)
    ]


def find_mass_ranges(low: Floats, high: Floats, sums: Sequence[MassSum], masses: Floats) -> Floats:
    """(n, 2) least and largest masses [kg] between bounds (n,) that meet known sums."""
    found = np.stack([low, high], axis=1)
    for bodies, rows in _split(len(low), sums):
        if len(rows) == 1:
            found[bodies] = _solve_single(low, high, sums[rows[0]])
        else:
            found[bodies] = _solve_programs(low, high, [sums[row] for row in rows], bodies)
    found[:, 0] = np.minimum(found[:, 0], masses)  # rounding of the answer or of a program
    found[:, 1] = np.maximum(found[:, 1], masses)
    return found


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
) -> Floats:
    """Ranges of masses that several sums hold together: two linear programs a body."""
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
    found = bounds.copy()
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
    return found


def _find_interval(own: BodyPieces, bounds: Floats, mass: Floats, center: Floats) -> BodyInterval:
    moments = np.concatenate([piece.moments for piece in own.pieces])
    cells = _Cells.of(moments[:, 0], bounds, mass)
    com = [cells.find_range(moments[:, 1 + axis] / moments[:, 0], mean=True) for axis in range(3)]
    tensor = _about(moments, center)
    inertia = [cells.find_range(tensor[:, entry] / moments[:, 0]) for entry in range(6)]
    return BodyInterval(mass, np.array(com).T, np.array(inertia).T)


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


def _about(moments: Floats, center: Floats) -> Floats:
    """(n, 6) tensors about a point of cells with moments (n, 10) about the origin."""
    i, j = np.triu_indices(3)
    first, volume = moments[:, 1:4], moments[:, :1]
    # I about p is I about o - [2 (h . p) 1 - h p^T - p h^T] + v [(p . p) 1 - p p^T].
    same = (i == j).astype(float)
    mixed = 2 * (first @ center)[:, None] * same - first[:, i] * center[j] - center[i] * first[:, j]
    own = (center @ center) * same - center[i] * center[j]
    found: Floats = moments[:, 4:] - mixed + volume * own
    return found
