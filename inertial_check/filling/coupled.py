"""Intervals under a known centre of mass, which couples the cells of all bodies.

Each number of each body has two linear programs over all cells. They are solved over groups of
cells; then their multipliers give a bound over all cells, which holds whatever the groups are, by
weak duality. A bound that the bodies of the groups reach as well is exact; the others are outer.

All programs of a model have the same rows and bounds, and each has its own costs g of the masses x
of the cells:

    minimise g . x  with  sum over i of x_ji = M_j,  G M + P x = b + s,
    lower <= x <= upper,  least <= M <= most,  |s| <= deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.filling.densities.equations import CenterSum, MassSum
from inertial_check.filling.shapes.grouping import group_points
from inertial_check.filling.shapes.pieces import BodyPieces
from inertial_check.inertia import tolerances

_GROUPS = 512
"""Cells of all bodies together in one program: bounds over 512 groups are a few percent wider than
over all cells where they are wider at all, and a hundred programs take 0.2 s."""

_MOST_BODIES = 12
"""Largest number of bodies whose centres and tensors have programs: 20 to 60 programs a body. One
equation for a whole model says little of where the mass lies inside one of many bodies, so that the
ranges of the masses hold nearly all that it says; measured with 10 bodies of 300 cells."""

_MOST_SUMS = 12
"""Largest number of sums of masses in a program, those of the most bodies: a step costs the square
of it. The ranges of the masses hold the others."""

_ROUNDS = 8
"""Largest number of programs for one coordinate of a centre of mass: a fraction, which Dinkelbach's
method reaches in three to six."""


_TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""Options of HiGHS: its defaults of 1e-7 are near tolerances.INTERVAL_REACHED."""


class CoupledRanges(NamedTuple):
    """Bounds of ten numbers of each body: mass, coordinates of the centre of mass, tensor.

    Attributes:
        bounds: (n, 2, 10) least and largest numbers [kg, m, kg m^2]; infinite where none are known.
        reached: (n, 2, 10) numbers of bodies that meet all sums, next to the bounds.
    """

    bounds: Floats
    reached: Floats


class CoupledBodies(NamedTuple):
    """Cells of n bodies, q cells each, and the rows between them.

    Attributes:
        lower: (n, q) least masses of the cells [kg].
        upper: (n, q) largest masses of the cells [kg]; equal to lower for cells that are none.
        least: (n,) least masses of the bodies [kg].
        most: (n,) largest masses of the bodies [kg].
        G: (k, n) coefficients of the bodies' masses.
        P: (c, n, q) coefficients of the cells' masses in the last c rows.
        wanted: (k,) the sums b [kg].
        deviation: (k,) by how much they may differ [kg].
    """

    lower: Floats
    upper: Floats
    least: Floats
    most: Floats
    G: Floats
    P: Floats
    wanted: Floats
    deviation: Floats


class _Cells(NamedTuple):
    """Cells of one body.

    Attributes:
        volumes: (N,) volumes [m^3].
        lower: (N,) least masses [kg].
        upper: (N,) largest masses [kg].
        arms: (3, N) coordinates about the known centre of mass, in parts of the reach, relative to
            the body's mean arm.
        numbers: (10, N) 1, coordinates [m] and entries of the tensor [m^2] per mass.
        group: (N,) groups, from 0.
    """

    volumes: Floats
    lower: Floats
    upper: Floats
    arms: Floats
    numbers: Floats
    group: Integers

    def average(self, values: Floats) -> Floats:
        """(m, q) means of values (m, N) over the volume of each group."""
        total = np.bincount(self.group, self.volumes)
        return np.array([np.bincount(self.group, self.volumes * row) for row in values]) / total


def find_coupled_ranges(
    pieces: Sequence[BodyPieces],
    sums: Sequence[MassSum],
    centers: Sequence[CenterSum],
    bounds: Floats,
    masses: Floats,
    numbers: Sequence[Floats],
) -> CoupledRanges:
    """Find the ranges of all bodies' numbers under a known centre of mass.

    Args:
        pieces: Pieces of the bodies.
        sums: Known sums of masses.
        centers: The known first moments.
        bounds: (n, 2) least and largest densities [kg/m^3].
        masses: (n, 2) ranges of the masses without the centre of mass [kg].
        numbers: For each body (10, N) of its cells: 1, coordinates, entries of the tensor per mass.
    """
    reach, means, cells = _collect_cells(pieces, centers, bounds, masses, numbers)
    bodies = _join(cells, bounds, sums, centers, masses, (means, reach))
    programs = _Programs(cells, bodies)
    n = len(cells)
    unknown = np.array([-np.inf, np.inf])[None, :, None] * np.ones((n, 1, 10))
    found = CoupledRanges(unknown, -unknown)
    every = n <= _MOST_BODIES
    targets = _Targets.of(n, (0, *range(4, 10)) if every else (0,))
    lowest, reached, _ = programs.solve(targets, np.zeros(len(targets.body)))
    found.bounds[targets] = targets.sign * lowest
    found.reached[targets] = targets.sign * reached
    if every:
        _find_fractions(_Targets.of(n, (1, 2, 3)), programs, found)
    return found


def _collect_cells(
    pieces: Sequence[BodyPieces],
    centers: Sequence[CenterSum],
    bounds: Floats,
    masses: Floats,
    numbers: Sequence[Floats],
) -> tuple[float, Floats, list[_Cells]]:
    """The reach of all cells from the known centre [m], (3, n) mean arms, and the cells."""
    groups = 1 << max(int(np.log2(_GROUPS / len(pieces))), 1)
    placed = []
    for at, own in enumerate(pieces):
        pose = centers[0].poses[at]
        points = np.concatenate([piece.points for piece in own.pieces])
        placed.append((points @ pose[:3, :3].T + pose[:3, 3] - centers[0].center).T)
    reach = max(float(np.max(np.abs(arms))) for arms in placed) or 1.0
    means = np.array([arms.mean(axis=1) for arms in placed]).T / reach
    found = []
    for at, own in enumerate(pieces):
        volumes = np.concatenate([piece.volumes for piece in own.pieces])
        lower = volumes * bounds[at, 0]
        room = max(float(masses[at, 1] - lower.sum()), 0.0)
        upper = np.minimum(volumes * bounds[at, 1], lower + room)
        arms = placed[at] / reach - means[:, at, None]
        group = group_points(placed[at].T, groups)
        found.append(_Cells(volumes, lower, upper, arms, numbers[at], group))
    return reach, means, found


def _join(
    cells: Sequence[_Cells],
    bounds: Floats,
    sums: Sequence[MassSum],
    centers: Sequence[CenterSum],
    masses: Floats,
    frame: tuple[Floats, float],
) -> CoupledBodies:
    """The bodies of the programs, in groups; frame has the mean arms and the reach."""
    means, reach = frame
    n, q = len(cells), max(int(own.group.max()) + 1 for own in cells)
    axes = [one.axis for one in centers]
    lower, upper, arms = np.zeros((n, q)), np.zeros((n, q)), np.zeros((len(axes), n, q))
    for at, own in enumerate(cells):
        volumes = np.bincount(own.group, own.volumes)
        count = len(volumes)
        lower[at, :count] = volumes * bounds[at, 0]
        room = max(float(masses[at, 1] - own.lower.sum()), 0.0)
        upper[at, :count] = np.minimum(volumes * bounds[at, 1], lower[at, :count] + room)
        arms[:, at, :count] = own.average(own.arms)[axes]
    shared = [one for one in sums if len(one.coefficients) > 1]
    shared = sorted(shared, key=_count_bodies)[-_MOST_SUMS:]
    G = np.zeros((len(shared), n))
    for row, one in enumerate(shared):
        G[row, list(one.coefficients)] = list(one.coefficients.values())
    wanted = [one.wanted for one in shared] + [one.wanted / reach for one in centers]
    deviation = [one.deviation for one in shared] + [0.0] * len(centers)
    rows = np.concatenate([G, means[axes]])
    return CoupledBodies(
        lower, upper, masses[:, 0], masses[:, 1], rows, arms, np.array(wanted), np.array(deviation)
    )


def _count_bodies(one: MassSum) -> int:
    return len(one.coefficients)


class _Targets(NamedTuple):
    """Numbers of bodies whose bounds are asked for; one program each.

    Attributes:
        body: (T,) places of the bodies.
        side: (T,) 0 for the least, 1 for the largest.
        number: (T,) places of the numbers, 0 to 9.
    """

    body: Integers
    side: Integers
    number: Integers

    @classmethod
    def of(cls, bodies: int, numbers: Sequence[int]) -> _Targets:
        """Both sides of some numbers of all bodies."""
        grid = np.meshgrid(np.arange(bodies), [0, 1], numbers, indexing="ij")
        return cls(*(axis.ravel() for axis in grid))

    @property
    def sign(self) -> Floats:
        """(T,) factors that make every program a minimum."""
        return np.where(self.side == 0, 1.0, -1.0)


class _Programs:
    """Programs over all cells, by way of their groups."""

    def __init__(self, cells: Sequence[_Cells], bodies: CoupledBodies) -> None:
        from scipy.sparse import block_array, csr_array, eye_array, vstack

        self._cells, self._bodies = cells, bodies
        n, q = bodies.lower.shape
        self._numbers = np.zeros((n, 10, q))
        for at, own in enumerate(cells):
            means = own.average(own.numbers)
            self._numbers[at, :, : means.shape[1]] = means
        # Columns: masses of cells, of bodies, deviations; all in parts of the largest bound.
        k, c = len(bodies.G), len(bodies.P)
        members = csr_array(np.repeat(np.eye(n), q, axis=1))
        sums = np.zeros((k, n * q))
        sums[k - c :] = bodies.P.reshape(c, n * q)
        coupling = np.concatenate([sums, bodies.G, -np.eye(k)], axis=1)
        own_rows = block_array([[members, -eye_array(n), csr_array((n, k))]])
        self._rows = vstack([own_rows, csr_array(coupling)], format="csr")
        lower = np.concatenate([bodies.lower.ravel(), bodies.least, -bodies.deviation])
        upper = np.concatenate([bodies.upper.ravel(), bodies.most, bodies.deviation])
        self._unit = float(np.max(np.abs(upper)))
        self._bounds = np.stack([lower, upper], axis=1) / self._unit
        self._wanted = np.concatenate([np.zeros(n), bodies.wanted / self._unit])

    def extents(self, targets: _Targets) -> Floats:
        """(T,) largest sizes of the targets' numbers in their bodies."""
        values = np.abs(self._numbers[targets.body, targets.number])
        return np.asarray(values.max(axis=1))

    def centers(self, targets: _Targets) -> Floats:
        """(T,) the targets' numbers of uniform bodies, at which fractions begin."""
        means = [own.numbers @ own.volumes / own.volumes.sum() for own in self._cells]
        return np.array(means)[targets.body, targets.number]

    def solve(self, targets: _Targets, level: Floats) -> tuple[Floats, Floats, Floats]:
        """Minimise sign (number - level) of the targets' bodies, each by a linear program of HiGHS.

        Returns:
            (T,) lower bounds of the minima; (T,) what the groups reach, and with which mass [kg],
            both NaN where a program was not solved.
        """
        from scipy.optimize import linprog

        n, q = self._bodies.lower.shape
        values = self._numbers[targets.body, targets.number] - level[:, None]
        values *= targets.sign[:, None]
        multipliers = np.zeros((len(level), len(self._wanted)))
        reached, mass = np.full((2, len(level)), np.nan)
        for at, (body, own) in enumerate(zip(targets.body, values, strict=True)):
            scale = float(np.max(np.abs(own))) or 1.0  # costs of the order of 1
            costs = np.zeros(len(self._bounds))
            costs[body * q : (body + 1) * q] = own / scale
            answer = linprog(
                costs,
                A_eq=self._rows,
                b_eq=self._wanted,
                bounds=self._bounds,
                method="highs",
                options=_TIGHT,
            )
            if answer.status == 0:
                cells = self._unit * answer.x[body * q : (body + 1) * q]
                reached[at], mass[at] = own @ cells, cells.sum()
                multipliers[at] = scale * answer.eqlin.marginals
        # Multipliers of zero, where a program was not solved, give a bound that holds, too.
        return self._bound(targets, level, multipliers[:, :n], multipliers[:, n:]), reached, mass

    def _bound(self, targets: _Targets, level: Floats, y: Floats, rows: Floats) -> Floats:
        """(T,) the dual function over all cells, below the minima whatever the multipliers are.

        Args:
            targets: The T numbers.
            level: (T,) what is taken from each number.
            y: (T, n) multipliers of the bodies' rows.
            rows: (T, k) multipliers of the sums.
        """
        bodies = self._bodies
        found = rows @ bodies.wanted - np.abs(rows) @ bodies.deviation
        reduced = y - rows @ bodies.G
        found += np.minimum(reduced * bodies.least, reduced * bodies.most).sum(axis=1)
        along = rows[:, rows.shape[1] - len(bodies.P) :]
        for at, cells in enumerate(self._cells):
            costs = -y[:, at, None] - along @ cells.arms
            own = np.flatnonzero(targets.body == at)
            values = cells.numbers[targets.number[own]] - level[own, None]
            costs[own] += targets.sign[own, None] * values
            found += costs @ cells.lower + np.minimum(costs, 0.0) @ (cells.upper - cells.lower)
        return found


def _find_fractions(targets: _Targets, programs: _Programs, found: CoupledRanges) -> None:
    """Find the ranges of centres of mass: first moments per mass."""
    level = programs.centers(targets)
    for _ in range(_ROUNDS):
        lowest, reached, mass = programs.solve(targets, level)
        ends = found.bounds[targets.body, :, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            # The number is level + F / m, and F is at least `lowest`: the bound has the mass that
            # makes it least, and holds whatever the level is. No mass may be 0: then it is none.
            bound = level + targets.sign * lowest / np.where(lowest < 0, ends[:, 0], ends[:, 1])
            better = level + targets.sign * reached / mass
        found.bounds[targets], found.reached[targets] = bound, better
        moved = np.abs(better - level) > tolerances.INTERVAL_REACHED * programs.extents(targets) / 8
        if not np.any(moved):
            return
        level = better[moved]
        targets = _Targets(*(each[moved] for each in targets))
