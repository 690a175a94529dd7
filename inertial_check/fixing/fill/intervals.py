"""Densities that meet the known sums, as bodies with intervals of what bounds and sums allow.

Known sums of masses meet a body in its mass alone. So the least and the largest mass of each body
are linear programs over masses. Between them every other number is a program over the cells of one
body, which sorting solves: of all densities with one mass, those that fill the cells with the
largest coefficients have the largest sum.

A known centre of mass couples the cells of all bodies. Each number of each body then has two linear
programs over all cells. They are solved over groups of cells; their multipliers give a bound over
all cells, which holds whatever the groups are, by weak duality. A bound that the bodies of the
groups reach as well is exact; the others are outer. All these programs of a model have the same
rows and bounds, and each has its own costs g of the masses x of the cells:

    minimise g . x  with  sum over i of x_ji = M_j,  G M + P x = b + s,
    lower <= x <= upper,  least <= M <= most,  |s| <= deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.fixing.fill.densities import Densities, InfeasibleSumsError, solve
from inertial_check.fixing.fill.equations import (
    Cells,
    CenterSum,
    MassSum,
    Unknowns,
    build_problem,
    find_nominal,
    list_coefficients,
    list_sums,
    use_deviations,
)
from inertial_check.fixing.fill.knowledge import Knowledge
from inertial_check.fixing.fill.overlaps import group_points
from inertial_check.fixing.fill.result import GUESS, BodyInterval, FilledBody
from inertial_check.fixing.fill.shapes import BodyPieces
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import about_point, split
from inertial_check.projection.svec import Certificate

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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


_HIGHS = {
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
    "presolve": False,
}
"""Options of HiGHS: its default tolerances of 1e-7 are near tolerances.INTERVAL_REACHED. Its
presolve would take three times as long as the programs."""

_STACKED = 16
"""Largest number of programs in one call of HiGHS. A call takes 3 ms before the program is looked
at, a program of 300 columns 1 ms: 370 programs took 3.5 s one by one, and take 0.7 s."""


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
        implied: (n,) whether cells and sums imply the least and the largest mass of the body.
    """

    lower: Floats
    upper: Floats
    least: Floats
    most: Floats
    G: Floats
    P: Floats
    wanted: Floats
    deviation: Floats
    implied: Mask


class _CoupledCells(NamedTuple):
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
) -> tuple[float, Floats, list[_CoupledCells]]:
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
        found.append(_CoupledCells(volumes, lower, upper, arms, numbers[at], group))
    return reach, means, found


def _join(
    cells: Sequence[_CoupledCells],
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
    implied = np.full(n, len(shared) <= _MOST_SUMS)
    implied[[at for one in sums if len(one.coefficients) == 1 for at in one.coefficients]] = False
    shared = sorted(shared, key=lambda one: len(one.coefficients))[-_MOST_SUMS:]
    wanted = np.array([one.wanted for one in shared] + [one.wanted / reach for one in centers])
    deviation = np.array([one.deviation for one in shared] + [0.0] * len(centers))
    rows = np.concatenate([list_coefficients(shared, n), means[axes]])
    least, most = masses.T
    return CoupledBodies(lower, upper, least, most, rows, arms, wanted, deviation, implied)


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

    def __init__(self, cells: Sequence[_CoupledCells], bodies: CoupledBodies) -> None:
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
        # A bound that other bounds imply leaves multipliers undetermined: those of the groups may
        # then say less about the cells (intervals were up to 4 % wider).
        least = np.where(bodies.implied, -np.inf, bodies.least)
        most = np.where(bodies.implied, np.inf, bodies.most)
        lower = np.concatenate([bodies.lower.ravel(), least, -bodies.deviation])
        upper = np.concatenate([bodies.upper.ravel(), most, bodies.deviation])
        self._unit = float(max(np.max(bodies.most), np.max(np.abs(bodies.deviation))))
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
        n, q = self._bodies.lower.shape
        values = self._numbers[targets.body, targets.number] - level[:, None]
        values *= targets.sign[:, None]
        scale = np.max(np.abs(values), axis=1)
        scale[scale == 0] = 1.0
        costs = np.zeros((len(level), len(self._bounds)))
        columns = targets.body[:, None] * q + np.arange(q)
        np.put_along_axis(costs, columns, values / scale[:, None], axis=1)  # of the order of 1
        solved, multipliers = _minimise(costs, self._rows, self._wanted, self._bounds)
        cells = self._unit * np.take_along_axis(solved, columns, axis=1)
        reached, mass = np.sum(values * cells, axis=1), np.sum(cells, axis=1)
        multipliers *= scale[:, None]
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


def _minimise(
    costs: Floats, rows: csr_array, wanted: Floats, bounds: Floats
) -> tuple[Floats, Floats]:
    """Solve linear programs that differ in their costs alone, several in one call of HiGHS.

    Args:
        costs: (T, m) costs of the variables x, one program a row.
        rows: (r, m) coefficients of the equations.
        wanted: (r,) their right sides.
        bounds: (m, 2) least and largest values of the variables.

    Returns:
        (T, m) minimisers, NaN where a program was not solved, and (T, r) multipliers of the
        equations, 0 there.
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_diag

    solved, multipliers = np.full(costs.shape, np.nan), np.zeros((len(costs), len(wanted)))
    waiting = [*np.array_split(np.arange(len(costs)), -(-len(costs) // _STACKED))]
    while waiting:
        some = waiting.pop()
        answer = linprog(
            costs[some].ravel(),
            A_eq=block_diag([rows] * len(some), format="csr"),
            b_eq=np.tile(wanted, len(some)),
            bounds=np.tile(bounds, (len(some), 1)),
            method="highs",
            options=_HIGHS,
        )
        if answer.status == 0:
            solved[some] = answer.x.reshape(len(some), -1)
            multipliers[some] = answer.eqlin.marginals.reshape(len(some), -1)
        elif len(some) > 1:
            waiting += np.array_split(some, 2)
    return solved, multipliers


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
    sure = np.tile(exact[:, None, None], (1, 2, 10))
    if coupled is not None:
        found, sure = _tighten(found, *coupled)
    about = np.concatenate([theta[:, :1], answer, about_point(*split(theta), answer)], axis=1)
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
    tensors = about_point(*split(moments), center)
    numbers: Floats = np.concatenate([moments[:, :4], tensors], axis=1) / moments[:, :1]
    return numbers.T


def find_mass_ranges(
    low: Floats, high: Floats, sums: Sequence[MassSum], masses: Floats
) -> tuple[Floats, Mask]:
    """Find the least and largest masses between bounds that meet known sums.

    Args:
        low: (n,) least masses [kg].
        high: (n,) largest masses [kg].
        sums: The known sums.
        masses: (n,) masses that meet them, to rounding [kg].

    Returns:
        (n, 2) masses [kg], and (n,) whether they are exact: a program that fails leaves the bounds.
    """
    from scipy.sparse import csr_array

    found, exact = np.stack([low, high], axis=1), np.ones(len(low), dtype=bool)
    for each in sums:
        if len(each.coefficients) == 1:  # a bound, and no row of a program
            ((at, a),) = each.coefficients.items()
            ends = [(each.wanted + sign * each.deviation) / a for sign in (-1, 1)]
            found[at] = np.clip(sorted(ends), *found[at])
    rows = [each for each in sums if len(each.coefficients) > 1]
    if rows:
        joined = np.array(sorted({at for each in rows for at in each.coefficients}))
        k, n = len(rows), len(joined)
        A = list_coefficients(rows, len(low))
        # Columns: masses, and by how much each sum differs.
        equations = csr_array(np.concatenate([A[:, joined], -np.eye(k)], axis=1))
        wanted = np.array([each.wanted for each in rows])
        deviation = np.array([each.deviation for each in rows])
        # Twins alone wish for a difference of 0, which is no unit.
        unit = float(np.max(np.abs(wanted))) or float(np.max(found[joined]))
        bounds = np.concatenate([found[joined], np.stack([-deviation, deviation], axis=1)]) / unit
        costs = np.concatenate([np.eye(n, n + k), -np.eye(n, n + k)])
        solved, _ = _minimise(costs, equations, wanted / unit, bounds)
        reached = unit * np.stack([np.diagonal(solved[:n]), np.diagonal(solved[n:])], axis=1)
        found[joined] = np.where(np.isnan(reached), found[joined], reached)
        exact[joined] = np.all(np.isfinite(reached), axis=1)
    found[:, 0] = np.minimum(found[:, 0], masses)  # rounding of the answer or of a program
    found[:, 1] = np.maximum(found[:, 1], masses)
    return found, exact


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


def solve_unknowns(
    unknowns: Unknowns, known: Knowledge, solver: str | None
) -> tuple[dict[int, FilledBody], Certificate, tuple[str, ...]]:
    """Solve for the densities of all bodies.

    Args:
        unknowns: The bodies.
        known: What is known.
        solver: None for Newton's method, or a solver of cvxpy.

    Returns:
        The bodies with their new numbers, by index, the certificate of the densities, and one line
        for each sum that is met in another way than it is stated.

    Raises:
        ParameterError: Sums that exclude each other (InfeasibleSumsError), or a mesh in
            millimetres.
        ProjectionError: The answer cannot be certified.
    """
    sums, centers = list_sums(unknowns, known)
    # Refuse meshes in which a known mass has a density that only millimetres explain.
    low, high = known.density_range
    for each in sums:
        own = [unknowns.pieces[at] for at in each.coefficients]
        uris = [shape.uri for one in own for shape in one.body.shapes if shape.uri]
        density = each.wanted / sum(one.volume for one in own)
        if uris and 0 < density < low <= 1e9 * density <= high:
            raise ParameterError(
                f"{each.name} in the shapes is {density:.2g} kg/m^3, so {uris[0]} is in "
                "millimetres: give it the scale 0.001 0.001 0.001"
            )
    cells, answer, met, usual, dropped = _solve_sums(unknowns, known, solver, sums, centers)
    stated = {each.name: each for each in sums}
    sums = [stated[each.name] for each in met]
    theta = np.zeros((len(unknowns.pieces), 10))
    np.add.at(theta, cells.body, answer.rho[:, None] * cells.moments)
    ranges = find_intervals(
        unknowns.shapes or unknowns.pieces,
        sums,
        np.tile(np.array(known.density_range), (len(unknowns.pieces), 1)),
        theta,
        centers,
    )
    bodies = {}
    for index, pieces, row, interval in zip(
        unknowns.indices, unknowns.pieces, theta, ranges, strict=True
    ):
        density, (least, most) = float(row[0]) / pieces.volume, map(float, interval.mass)
        bodies[index] = FilledBody(
            pieces.body.name,
            pieces.body.id,
            unknowns.model.place(pieces.body.span).line,
            "filled",
            "",
            describe_source(pieces, density),
            _about_com(row),
            density,
            None if pieces.skipped else interval,  # what is not read bounds nothing
            pieces.guess or pieces.skipped or most > GUESS * least,
            pieces.remarks,
        )
    notes = [unknowns.prior_note] if unknowns.prior_note else []
    if known.density is None and known.total_mass is None:
        notes.insert(0, f"the usual density is {usual}")
    for each in met:
        if move := each.wanted - stated[each.name].wanted:
            notes.append(
                f"{each.name} is met {abs(move):.3g} kg {'above' if move > 0 else 'below'}, within "
                "its deviation: the other sums exclude it as stated"
            )
    notes += [
        f"given sums exclude {name}, which was assumed of twins with equal shapes"
        for name in dropped
    ]
    return bodies, answer.certificate, tuple(notes)


def describe_source(own: BodyPieces, density: float) -> str:
    """Where the numbers of a body come from, in one line."""
    if own.guess:
        return f"a guess: {density:.4g} kg/m^3 in {own.pieces[0].label}"
    readings = dict.fromkeys(piece.reading for piece in own.pieces)
    taken = [name for name in readings if name != "solid"]
    kinds = dict.fromkeys(piece.label for piece in own.pieces)
    as_ = f" as {', '.join(taken)}" if taken else ""
    like = f", distributed as in {own.like}" if own.like else ""
    return f"{density:.4g} kg/m^3 in {', '.join(kinds)}{as_}{like}"


def _solve_sums(
    unknowns: Unknowns,
    known: Knowledge,
    solver: str | None,
    sums: list[MassSum],
    centers: Sequence[CenterSum],
) -> tuple[Cells, Densities, list[MassSum], str, tuple[str, ...]]:
    """The densities, without what is assumed of twins where the given sums exclude it.

    Returns:
        The cells, their densities, the sums that are met, the source of the nominal densities,
        and the names of the sums that are not met.

    Raises:
        InfeasibleSumsError: The given sums exclude each other.
        ProjectionError: The answer cannot be certified.
    """
    dropped: list[str] = []
    moving = False
    while True:
        nominal, usual = find_nominal(unknowns, known, sums)
        cells = build_problem(unknowns, known, sums, centers, nominal)
        assumed = {each.name for each in sums if each.assumed}
        try:
            answer = solve(cells.problem, solver)
            if answer.certified:
                return cells, answer, sums, usual, tuple(dropped)
            worst = float(answer.certificate.worst)
            error: ParameterError | ProjectionError = ProjectionError(
                f"the densities are not certified: their residual is {worst:.2g}"
            )
            excluded = assumed
        except InfeasibleSumsError as conflict:
            error, excluded = conflict, assumed.intersection(conflict.conflict)
        except ProjectionError as failure:  # printed masses contradict each other by rounding
            error, excluded = failure, assumed
        if not moving:  # what is assumed of twins stays where deviations are enough
            moving = True
            volumes = np.array([own.volume for own in unknowns.pieces])
            low, high = (volumes * density for density in known.density_range)
            if (moved := use_deviations(sums, low, high)) is not None:
                sums = moved
                continue
        if not excluded:
            raise error
        out = [each for each in sums if each.assumed and each.name in excluded]
        dropped += [each.name for each in out]
        sums = [each for each in sums if each not in out]


def _about_com(theta: Floats) -> InertialParameters:
    """One body about its centre of mass, from its parameters about the origin."""
    body = InertialParameters.from_theta(theta)
    mass, com, inertia = (np.asarray(x) for x in (body.mass, body.com, body.inertia_com))
    size = np.sqrt(np.trace(inertia) / mass) + np.linalg.norm(com)
    com = np.where(np.abs(com) <= tolerances.CANCELLED * size, 0.0, com)
    cancelled = np.abs(inertia) <= tolerances.CANCELLED * np.trace(inertia)
    inertia = np.where(cancelled & ~np.eye(3, dtype=bool), 0.0, inertia)
    return InertialParameters.from_com(mass, com, inertia)
