"""The problem of `fill`: densities of cells that meet known sums and deviate least from nominal.

Minimise the sum over cells of v phi(rho), with A rho = b and lo <= rho <= hi. phi is the relative
entropy rho log(rho / rho0) - rho + rho0, or (rho - rho0)^2 / (2 rho0). A row of A has one number
for each cell, v times a coefficient a: 1 for a mass, a coordinate for a centre of mass. The inner
minimum over rho separates, so that the dual has as many variables as there are rows:

    g(y) = b . y + sum v min over rho of [phi(rho) - s rho],  s = A^T y / v,

with rho = clip(rho0 exp(s)), or clip(rho0 (1 + s)). Newton's method maximises it. Where the sums
exclude each other, the smallest set is named that no deletion leaves infeasible.

Likely densities of the links of robots, before any sum is met.

The logarithms of the mean densities of the bodies of one model are jointly normal. Their means
follow the size of a body and whether it carries a joint; they share an uncertain level and an
uncertain slope with the size; and each has a deviation of its own. Measured bodies and given masses
narrow what is shared, so that what is known of some bodies is passed on to the others, as far as
bodies of one model are alike. `benchmarks/likely_densities.py` finds the numbers below again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.projection.svec import Certificate

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Divergence = Literal["entropic", "quadratic"]

DIVERGENCES: tuple[Divergence, ...] = ("entropic", "quadratic")

_STEPS = 100
"""Largest number of Newton's steps; sums that can be met take about ten."""

_LARGEST_STEP = 8.0
"""Largest change of log density in one step: exp(8) = 3000 lies between foam and steel."""

_ROUNDING = 64 * float(np.finfo(float).eps)
"""Error of a row, of the sum of its terms' sizes, at which Newton's method ends."""


@dataclass(frozen=True, eq=False)
class DensityProblem:
    """Densities of cells under linear equations.

    Attributes:
        volumes: (n,) volumes v of the cells [m^3].
        nominal: (n,) nominal densities rho0 [kg/m^3], positive.
        lower: (n,) least densities [kg/m^3].
        upper: (n,) largest densities [kg/m^3].
        rows: (k, n) sparse, coefficients a: 1 for a mass, coordinates for a centre of mass, in
            units in which they are of the order of 1.
        wanted: (k,) the sums b [kg].
        names: Names of the k rows, for messages.
        divergence: Measure of deviation.
    """

    volumes: Floats
    nominal: Floats
    lower: Floats
    upper: Floats
    rows: csr_array
    wanted: Floats
    names: tuple[str, ...]
    divergence: Divergence = "entropic"

    def __post_init__(self) -> None:
        """Hold the arrays as floats: bounds may be infinite."""
        for name in ("volumes", "nominal", "lower", "upper", "wanted"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @cached_property
    def A(self) -> csr_array:
        """(k, n) the rows times the volumes: A rho are the sums [kg]."""
        from scipy.sparse import csr_array, diags_array

        return csr_array(self.rows @ diags_array(self.volumes))

    @cached_property
    def groups(self) -> list[Integers]:
        """Places of the rows of each group of several that share cells, or are joined by others."""
        from scipy.sparse.csgraph import connected_components

        shared = abs(self.rows) @ abs(self.rows).T
        count, group = connected_components(shared, directed=False)
        order = np.argsort(group, kind="stable")
        ends = np.cumsum(np.bincount(group, minlength=count))[:-1]
        return [rows for rows in np.split(order, ends) if len(rows) > 1]

    @property
    def mass(self) -> float:
        """Mass of the nominal densities [kg], the scale of the objective."""
        return float(self.volumes @ self.nominal)

    def objective(self, rho: Floats) -> float:
        """Deviation of densities from the nominal ones [kg]."""
        ratio = rho / self.nominal
        if self.divergence == "quadratic":
            terms = (ratio - 1) ** 2 / 2
        else:
            positive = np.where(ratio > 0, ratio, 1.0)  # 0 log 0 is 0
            terms = ratio * np.log(positive) - ratio + 1
        return float(self.volumes * self.nominal @ terms)

    def densities(self, y: Floats) -> Floats:
        """The densities (n,) that minimise the Lagrangian at multipliers (k,)."""
        s = self.rows.T @ y
        with np.errstate(over="ignore"):
            free = self.nominal * (1 + s if self.divergence == "quadratic" else np.exp(s))
        return np.asarray(np.clip(free, self.lower, self.upper))

    def dual(self, y: Floats, rho: Floats) -> float:
        """The dual function at y, whose densities are rho [kg]."""
        return self.objective(rho) + float(y @ (self.wanted - self.A @ rho))

    def residuals(self, rho: Floats) -> Floats:
        """(k,) errors of the sums, relative to the sizes of their terms."""
        size = abs(self.A) @ rho + np.abs(self.wanted)
        return np.asarray((self.wanted - self.A @ rho) / np.where(size > 0, size, 1.0))


@dataclass(frozen=True, eq=False)
class Densities:
    """Answer of a density problem.

    Attributes:
        rho: (n,) densities [kg/m^3].
        multipliers: (k,) of the rows, from which the gap can be verified.
        certificate: Residuals and duality gap, computed from the problem.
        steps: Number of the solver's steps.
    """

    rho: Floats
    multipliers: Floats
    certificate: Certificate
    steps: int

    @property
    def certified(self) -> bool:
        """Whether the answer is proven optimal, to tolerances.CERTIFIED."""
        return bool(self.certificate.worst <= tolerances.CERTIFIED)


class InfeasibleSumsError(ParameterError):
    """No densities between the bounds have the known sums.

    Attributes:
        conflict: Names of sums that exclude each other; without any one the others can be met.
    """

    def __init__(self, conflict: tuple[str, ...], bounds: str = "") -> None:
        """Name the conflict.

        Args:
            conflict: Names of the sums.
            bounds: The densities that take part in the conflict; "" if none do.
        """
        super().__init__(conflict, bounds)
        self.conflict = conflict
        self.bounds = bounds

    def __str__(self) -> str:
        """One line that names the sums."""
        sums = ", ".join(self.conflict[:-1]) + (" and " * (len(self.conflict) > 1))
        sums += self.conflict[-1] if self.conflict else "the densities"
        within = f" with densities {self.bounds}" if self.bounds else ""
        more = "; without any one of these the others can be met" * (len(self.conflict) > 1)
        return f"no bodies inside the shapes have {sums}{within}{more}"


def solve(problem: DensityProblem, solver: str | None = None) -> Densities:
    """Find the densities that deviate least from the nominal ones.

    Args:
        problem: The problem.
        solver: None for Newton's method on the dual; or the name of a solver of cvxpy with
            exponential cones, such as "clarabel".

    Raises:
        InfeasibleSumsError: No densities have the sums; names an irreducible conflict.
        ParameterError: The solver is not installed.
        ProjectionError: An answer could not be certified.
    """
    answer = None if solver else maximise_dual(problem, np.zeros(len(problem.wanted)))
    if answer is not None and answer.certified:
        return answer

    # Where sums conflict the dual function has no maximum. Linear programs say so in milliseconds;
    # cvxpy alone takes a second to import.
    if solver is None and (conflict := find_conflict(problem)) is not None:
        raise conflict
    from inertial_check.projection.conic.solvers import minimise_divergence

    rho, y, steps = minimise_divergence(problem, solver or "clarabel")
    if rho is not None:
        found = certify(problem, rho, y, steps)
        if solver is not None:
            return found
        # Newton's method stalls far from the answer where cells lie on their bounds, and not here.
        other = maximise_dual(problem, y)
        errors = [np.nan_to_num(each.certificate.worst, nan=np.inf) for each in (other, found)]
        answer = found if errors[1] < errors[0] else other
        if answer.certified:
            return answer
    if solver is not None and (conflict := find_conflict(problem)) is not None:
        raise conflict
    worst = "none" if answer is None else f"{float(answer.certificate.worst):.2g}"
    raise ProjectionError(f"the densities could not be certified: the residual is {worst}")


def certify(problem: DensityProblem, rho: Floats, y: Floats, steps: int) -> Densities:
    """Measure the residuals and the duality gap of densities and multipliers."""
    inside = np.clip(rho, problem.lower, problem.upper)
    outside = float(np.max(np.abs(rho - inside) / problem.nominal, initial=0.0))
    sums = float(np.max(np.abs(problem.residuals(rho)), initial=0.0))
    best = problem.densities(y)
    scale = max(problem.mass, float(problem.volumes @ rho), abs(problem.objective(rho)))
    gap = abs(problem.objective(inside) - problem.dual(y, best)) / scale
    # The minimiser of the Lagrangian is known in closed form, so that nothing is left of it.
    return Densities(rho, y, Certificate(max(outside, sums), 0.0, gap), steps)


def maximise_dual(problem: DensityProblem, y: Floats) -> Densities:
    """Newton's method on the dual from multipliers (k,), with a line search."""
    rho, steps = problem.densities(y), 0
    for _ in range(_STEPS):
        if np.max(np.abs(problem.residuals(rho)), initial=0.0) <= _ROUNDING:
            break
        gradient = problem.wanted - problem.A @ rho
        step = _find_step(problem, rho, gradient)
        taken = _search(problem, y, rho, gradient, step)
        if taken is None:
            break
        (y, rho), steps = taken, steps + 1
    return certify(problem, rho, y, steps)


def _find_step(problem: DensityProblem, rho: Floats, gradient: Floats) -> Floats:
    """Newton's direction, damped where cells on their bounds leave the Hessian singular.

    The Hessian has a block for each group of rows that share cells, and the blocks are solved one
    by one: hundreds of separate sums cost no more than their number.
    """
    free = (rho > problem.lower) & (rho < problem.upper)
    slope = problem.nominal if problem.divergence == "quadratic" else rho
    weights = problem.volumes * np.where(free, slope, 0.0)
    every = problem.volumes * np.clip(problem.nominal, problem.lower, problem.upper)
    rows = problem.rows
    scale = (rows.multiply(rows) @ every) + np.finfo(float).tiny
    root = np.sqrt(scale)
    hessian = (rows.multiply(weights) @ rows.T).tocsr()
    along = gradient / root
    own = hessian.diagonal() / scale  # all that there is of a row that shares no cell
    step = np.where(own > np.finfo(float).eps, along / np.maximum(own, np.finfo(float).eps), along)
    for group in problem.groups:
        block = hessian[group][:, group].toarray() / np.outer(root[group], root[group])
        step[group] = _solve_block(block, along[group])
    found: Floats = step / root
    return found


def _solve_block(hessian: Floats, gradient: Floats) -> Floats:
    """Newton's direction of rows that share cells, in units in which curvatures are about 1."""
    values, vectors = np.linalg.eigh(hessian)
    along = vectors.T @ gradient
    # Directions of no curvature: sums that repeat each other, with nothing left to do, or sums of
    # cells that all lie on a bound, which a long step brings off it.
    curvature = max(float(values[-1]), tolerances.LEAST_CURVATURE)
    rounding = len(values) * np.finfo(float).eps * curvature
    step = np.where(values > rounding, along / np.maximum(values, rounding), along)
    step[np.abs(along) <= tolerances.NO_GRADIENT * np.linalg.norm(along)] = 0.0
    found: Floats = vectors @ step
    return found


def _search(
    problem: DensityProblem, y: Floats, rho: Floats, gradient: Floats, step: Floats
) -> tuple[Floats, Floats] | None:
    """The point along a step where the dual function grows enough; None where it does not."""
    size = float(np.max(np.abs(problem.rows.T @ step), initial=0.0))
    slope = float(gradient @ step)
    if not (size > 0 and np.isfinite(size) and slope > 0):
        return None
    length = min(1.0, _LARGEST_STEP / size)
    before = problem.dual(y, rho)
    worst = float(np.max(np.abs(problem.residuals(rho))))
    for _ in range(50):
        at = y + length * step
        there = problem.densities(at)
        growth = problem.dual(at, there) - before
        better = float(np.max(np.abs(problem.residuals(there)))) < worst
        rounding = tolerances.DUAL_ROUNDING * (abs(before) + problem.mass)
        least = tolerances.SUFFICIENT_DECREASE * length * slope
        if growth >= least or (better and growth >= -rounding):
            return at, there
        length /= 2
    return None


def find_conflict(problem: DensityProblem) -> InfeasibleSumsError | None:
    """Find sums that exclude each other; None if densities between the bounds meet them all.

    One sum after the other is left out for good where the rest still conflict.
    """
    every = list(range(len(problem.wanted)))
    if _is_feasible(problem, every, problem.upper):
        return None
    kept = list(every)
    for candidate in every:
        rest = [row for row in kept if row != candidate]
        if rest and not _is_feasible(problem, rest, problem.upper):
            kept = rest
    unbounded = np.full_like(problem.upper, np.inf)
    needed = _is_feasible(problem, kept, unbounded, np.zeros_like(problem.lower))
    bounds = ""
    if needed:
        touched = np.asarray(abs(problem.rows[kept]).sum(axis=0)).ravel() > 0
        low, high = problem.lower[touched], problem.upper[touched]
        bounds = f"of {np.min(low, initial=np.inf):g} to {np.max(high, initial=0):g} kg/m^3"
    return InfeasibleSumsError(tuple(problem.names[row] for row in kept), bounds)


def _is_feasible(
    problem: DensityProblem, rows: list[int], upper: Floats, lower: Floats | None = None
) -> bool:
    """Whether densities exist with some of the sums: the least error of them is rounding."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    low = problem.lower if lower is None else lower
    masses = problem.volumes * problem.nominal  # unknowns are densities in units of the nominal
    A = csr_array(problem.rows[rows].multiply(masses))
    wanted = problem.wanted[rows]
    size = np.maximum(np.asarray(abs(A).sum(axis=1)).ravel(), np.abs(wanted))
    size = np.where(size > 0, size, 1.0)
    scaled = csr_array(A.multiply(1 / size[:, None]))
    both = hstack([scaled, eye_array(len(rows)), -eye_array(len(rows))], format="csr")
    costs = np.concatenate([np.zeros(len(masses)), np.ones(2 * len(rows))])
    bounds = np.concatenate(
        [
            np.stack([low / problem.nominal, upper / problem.nominal], axis=1),
            np.tile([0.0, np.inf], (2 * len(rows), 1)),
        ]
    )
    answer = linprog(costs, A_eq=both, b_eq=wanted / size, bounds=bounds, method="highs")
    return bool(answer.status == 0 and answer.fun <= tolerances.SUM_MET)


LEVEL = 700.0
"""Median density of bodies of LITRE that carry no joint [kg/m^3]: covers, tools and feet are hollow
or of plastic."""

LITRE = 1 / 1000
"""Volume at which LEVEL holds [m^3]."""

CARRIER = 0.5
"""Increase of the logarithm of the density where a body carries a joint that moves, as
the motor of that joint is in it: a factor of 1.6."""

SLOPE = -1 / 6
"""Change of the logarithm of the density per logarithm of the volume: half way between solids (0)
and walls of one thickness (-1/3), as small parts are solid and large ones hollow."""

LEVEL_SPREAD = 0.5
"""Standard deviation of the level between models, in logarithms: a factor of 1.6."""

SLOPE_SPREAD = 0.1
"""Standard deviation of the slope between models."""

OWN_SPREAD = 0.55
"""Standard deviation of bodies of one model about its level and slope, in logarithms."""

GUESS_SPREAD = 1.1
"""The same of bodies without shapes, whose volume is a guess too: twice as large."""

STATED_SPREAD = 0.2
"""The same of densities that a material or another model states, beside others that are unknown."""

CAUTION = 0.15
"""How far an estimate lies between the median of its density (0) and the value of the least
expected relative error (1), which is lower by the variance of the logarithm. The heaviest bodies,
which a sum determines, take what is left."""

FREEDOM = 4.0
"""Degrees of freedom of the Student distribution that weighs known densities: one body that is far
off, as a block of lead, then says little about the others."""

_WEIGHINGS = 20
"""Number of times that known densities are weighed by how far off they are; ten are enough."""

_LOG_STEPS = 200
"""Largest number of steps towards masses that meet the sums; sums that can be met take ten."""

_LARGEST_LOG_STEP = 0.5
"""Largest change of the logarithm of a mass in one step, within which a sum is nearly linear."""


class Sized(NamedTuple):
    """Bodies as far as their likely density depends on them.

    Attributes:
        volumes: (n,) [m^3].
        sizes: (n,) logarithms of the volumes in LITRE, as far as densities depend on them.
        carriers: (n,) whether each carries a joint that moves.
        spreads: (n,) standard deviations of the logarithms of their densities, each its own.
        stated: (n,) densities that are stated [kg/m^3]; NaN where none is.
    """

    volumes: Floats
    sizes: Floats
    carriers: Floats
    spreads: Floats
    stated: Floats

    @property
    def means(self) -> Floats:
        """(n,) means of the logarithms of the densities."""
        likely = np.log(LEVEL) + SLOPE * self.sizes + CARRIER * self.carriers
        found: Floats = np.where(np.isnan(self.stated), likely, np.log(self.stated))
        return found

    def covary(self, other: Sized) -> Floats:
        """(n, m) covariances that bodies share with others: level and slope of the model."""
        # 1 where a density follows those of the model, 0 where it is stated.
        one, two = (
            np.isnan(each.stated).astype(float)
            * np.stack([LEVEL_SPREAD + 0 * each.sizes, SLOPE_SPREAD * each.sizes])
            for each in (self, other)
        )
        shared: Floats = one.T @ two
        return shared


def find_common_density(densities: Floats) -> float | None:
    """The density that more than half of some bodies have, and two of them at least; else None.

    Who computes inertials with one density for a model leaves it in nearly all of its bodies.
    """
    logs = np.log(densities)
    near = np.abs(logs[:, None] - logs) <= tolerances.ONE_DENSITY
    counts = near.sum(axis=1)
    if not np.any((counts > 1) & (2 * counts > len(logs))):
        return None
    return float(np.median(densities[near[np.argmax(counts)]]))


class LogSum(NamedTuple):
    """A known sum of masses of bodies.

    Attributes:
        bodies: Their places.
        mass: The sum [kg], positive.
    """

    bodies: Sequence[int]
    mass: float


class Likely(NamedTuple):
    """Logarithms of densities, jointly normal: means (n,) and covariances (n, n)."""

    mean: Floats
    covariance: Floats

    def condition(self, rows: Floats, wanted: Floats) -> Likely:
        """The same where rows (k, n) of the logarithms have values (k,)."""
        if not len(rows):
            return self
        across = self.covariance @ rows.T
        # The pseudo-inverse: rows may repeat each other, as pairs of twins in a circle.
        gain = across @ np.linalg.pinv(rows @ across, hermitian=True)
        mean = self.mean + gain @ (wanted - rows @ self.mean)
        return Likely(mean, self.covariance - gain @ across.T)


def estimate_masses(
    bodies: Sized,
    known: Sized,
    densities: Floats,
    sums: Sequence[LogSum],
    equal: Sequence[tuple[int, int]],
) -> Floats:
    """The most probable masses (n,) that meet known sums [kg].

    A sum of one body is its mass. Where sums exclude each other, they are met as far as possible.

    Args:
        bodies: The bodies.
        known: Other bodies of the model, whose densities are known.
        densities: Their densities [kg/m^3].
        sums: Sums of masses.
        equal: Pairs of bodies that have one mass.
    """
    single = {each.bodies[0]: each.mass for each in sums if len(each.bodies) == 1}
    own = list(single)
    logs = np.log(np.array(list(single.values())) / bodies.volumes[own])
    seen = Sized(*(np.concatenate([a, b[own]]) for a, b in zip(known, bodies, strict=True)))
    values = np.concatenate([np.log(densities), logs])
    # Deviations (n,) of known densities, larger for those that are far off.
    spreads = seen.spreads
    shared, residual = seen.covary(seen), values - seen.means
    for _ in range(_WEIGHINGS if len(values) else 0):
        total = shared + np.diag(spreads**2)
        off = residual - shared @ np.linalg.solve(total, residual)
        weights = (FREEDOM + 1) / (FREEDOM + (off / seen.spreads) ** 2)
        spreads = seen.spreads / np.sqrt(weights)
    count = len(known.volumes)
    bodies = bodies._replace(spreads=bodies.spreads.copy())
    bodies.spreads[own] = spreads[count:]
    # Densities of bodies where those of others are known.
    known, values = known._replace(spreads=spreads[:count]), values[:count]
    mean, covariance = bodies.means, bodies.covary(bodies) + np.diag(bodies.spreads**2)
    likely = Likely(mean, covariance)
    if len(values):
        across = bodies.covary(known)
        inverse = np.linalg.inv(known.covary(known) + np.diag(known.spreads**2))
        gain = across @ inverse
        likely = Likely(mean + gain @ (values - known.means), covariance - gain @ across.T)
    rows = np.zeros((len(own) + len(equal), len(bodies.volumes)))
    rows[np.arange(len(own)), own] = 1.0
    sizes = np.log(bodies.volumes)
    for row, (i, j) in enumerate(equal, len(own)):
        rows[row, [i, j]] = 1.0, -1.0
    wanted = np.concatenate([logs, [sizes[j] - sizes[i] for i, j in equal]])
    likely = likely.condition(rows, wanted)
    uncertain = np.where(np.isnan(bodies.stated), np.diagonal(likely.covariance), 0.0)
    likely = likely._replace(mean=likely.mean - CAUTION * np.maximum(uncertain, 0.0))
    masses: Floats = np.exp(_meet_sums(likely, sizes, sums) + sizes)
    return masses


def _meet_sums(likely: Likely, sizes: Floats, sums: Sequence[LogSum]) -> Floats:
    """The most probable logarithms of densities (n,) with known sums of masses.

    Each step makes the sums' logarithms linear, and solves the quadratic problem that is left.
    """
    several = [each for each in sums if len(each.bodies) > 1]
    logs = likely.mean.copy()
    if not several:
        return logs
    wanted = np.log([each.mass for each in several])
    for _ in range(_LOG_STEPS):
        masses = np.exp(logs + sizes)
        rows, found = np.zeros((len(several), len(logs))), np.zeros(len(several))
        for row, each in enumerate(several):
            at = list(each.bodies)
            total = masses[at].sum()
            rows[row, at], found[row] = masses[at] / total, np.log(total)
        target = wanted - found + rows @ logs
        step = likely.condition(rows, target).mean - logs
        size = float(np.max(np.abs(step)))
        if size <= tolerances.CERTIFIED:
            break
        logs = logs + step * min(1.0, _LARGEST_LOG_STEP / size)
    return logs
