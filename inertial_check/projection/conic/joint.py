"""The nearest bodies under constraints, by a conic solver whose answer is polished and certified.

Rows that no constraint couples are problems of their own; the others are solved together. What
comes back is inside the cone, meets what was fixed to the last bit, and proves itself by residuals
that are computed from the problem, in its units, after rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.representations import about_origin, join
from inertial_check.projection._constraint import Constraint, read_constraints
from inertial_check.projection.conic import conflicts
from inertial_check.projection.conic.cones import distance, projected
from inertial_check.projection.conic.groups import groups
from inertial_check.projection.conic.polish import ENOUGH, Point, polished
from inertial_check.projection.conic.posed import Applied, Posed, posed
from inertial_check.projection.conic.program import solved
from inertial_check.projection.conic.proof import Piece, Proof, residuals
from inertial_check.projection.conic.solvers import NoAnswer, capable
from inertial_check.projection.constraints import FixedEntries
from inertial_check.projection.quadratic import Quadratic, Solution

ATTEMPTS: dict[str, tuple[dict[str, float], ...]] = {
    "CLARABEL": tuple(
        {"tol_gap_abs": t, "tol_gap_rel": t, "tol_feas": t} for t in (1e-9, 1e-7, 1e-4)
    ),
    "SCS": tuple({"eps_abs": t, "eps_rel": t, "max_iters": 20_000} for t in (1e-7, 1e-4)),
}
"""Options to try in turn; tighter ones make Clarabel stall or panic, and the polish goes on."""

LEAST_STEP = 1e-5
"""Least unit of the change in which a solver is asked: smaller ones leave its tables in tatters."""

RESCALED = 16.0
"""A change so much smaller or larger than it was posed is polished again in its own units."""

ROUNDING = tolerances.SOLVED_FACTOR * float(np.finfo(np.float64).eps)
"""Residuals and changes of a problem of unit size that are rounding."""

LIFTS = tuple(2.0**k for k in range(-50, -29, 3))
"""Parts of a body at its place that an answer is kept inside by, where rounding left it outside."""


@dataclass(frozen=True, eq=False, repr=False)
class _Kept(FixedEntries):
    """Mass and first moment stay, because the metric says so."""

    entries: Any = ("m", "hx", "hy", "hz")

    @property
    def anywhere(self) -> bool:
        """With the mass, the first moment about any point stays."""
        return True

    def describe(self) -> str:
        """Why it is there."""
        return "the metric's fixed mass and centre of mass"


class _Answer(NamedTuple):
    """What was found for the bodies of a joint problem."""

    theta: Floats
    y: Floats
    z: Floats
    residuals: tuple[float, float, float]
    steps: int

    @property
    def worst(self) -> float:
        return max(self.residuals)


def nearest(
    problem: Quadratic,
    constraints: Constraint | Iterable[Constraint] = (),
    solver: str = "clarabel",
    *,
    rows: Sequence[int] | None = None,
    shifts: Floats | None = None,
) -> Solution:
    """The nearest bodies with Pi - Delta >= 0 that meet the constraints; `proven` says why as well.

    Bodies that are consistent (or on the boundary) and meet the constraints come back bit for bit.

    Args:
        problem: What is least, of the bodies.
        constraints: On them; their `bodies` are indices into `rows`.
        solver: Name of an installed cvxpy solver with semidefinite cones, in any case.
        rows: (n,) index of each body in the caller's batch; 0, 1, ... by default.
        shifts: (n, 3) p_BoFo_B [m]: where the problem is about another point Fo than the body
            origin Bo that the constraints refer to. Zero by default; anything else costs the bits
            of what is fixed about Bo: of a centre of mass that is said, and of single entries.

    Returns:
        The answers. Residuals count constraints too; where bodies are coupled they share them.

    Raises:
        ParameterError: No such solver, no such body, something that is no constraint.
        ProjectionError: The constraints conflict: names an irreducible set of them and the body; or
            no answer could be certified. `instance` holds what was being solved.
    """
    return proven(problem, constraints, solver, rows=rows, shifts=shifts)[0]


def proven(
    problem: Quadratic,
    constraints: Constraint | Iterable[Constraint] = (),
    solver: str = "clarabel",
    *,
    rows: Sequence[int] | None = None,
    shifts: Floats | None = None,
) -> tuple[Solution, Proof]:
    """What `nearest` gives, with the multipliers of every constraint that prove it."""
    name, count = capable(solver), len(problem.theta0)
    names = range(count) if rows is None else [int(row) for row in rows]
    shifts = np.zeros((count, 3)) if shifts is None else shifts
    found = Solution(
        np.array(problem.theta0),
        np.zeros((count, 10)),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, dtype=np.int32),
    )
    pieces = []
    for group, applied in groups(read_constraints(constraints), names, whole=rows is None):
        kept = [Applied(_Kept(), (i,)) for i in range(len(group) if problem.fixed else 0)]
        own = problem.rows(group)
        asked = _Asked(own, (*kept, *applied), shifts[group], name, tuple(names[i] for i in group))
        answer, posed_as = _answered(asked)
        found.theta[group] = answer.theta
        found.dual[group] = posed_as.multipliers(answer.z)
        pieces.append(Piece(group, posed_as, answer.y, answer.z))
        for whole, value in zip(found[2:5], answer.residuals, strict=True):
            whole[group] = value
        found.iterations[group] = answer.steps
    return found, Proof(tuple(pieces))


class _Asked(NamedTuple):
    """A joint problem and how to solve it."""

    problem: Quadratic
    applied: tuple[Applied, ...]
    shifts: Floats
    solver: str
    names: tuple[int, ...]

    def posed(self) -> Posed:
        return posed(self.problem, self.applied, self.shifts)

    def instance(self) -> dict[str, Any]:
        """Enough to solve it again."""
        W = self.problem.W
        return {
            "theta0": self.problem.theta0.tolist(),
            "W": None if W is None else W.tolist(),
            "Delta": self.problem.Delta.tolist(),
            "reference": self.problem.reference.tolist(),
            "constraints": [repr(one.constraint) for one in self.applied],
            "bodies": list(self.names),
            "solver": self.solver,
        }


def _answered(asked: _Asked) -> tuple[_Answer, Posed]:
    """The certified answer of a joint problem, and the problem in its units.

    Raises:
        ProjectionError: A conflict, or no certified answer.
    """
    problem = asked.posed()
    without_aux = problem.Gy.shape[1] == 0
    if without_aux and problem.violation <= ROUNDING:
        kept = _staying(problem, np.zeros(0), 0)
        if kept is not None:
            return kept, problem
    failures: list[str] = []
    steps = 0
    change = max(problem.violation, LEAST_STEP) if without_aux else 1.0
    for options in ATTEMPTS.get(asked.solver, ({},)):
        try:
            start, more = solved(problem, change, asked.solver, options)
        except NoAnswer as error:
            if error.infeasible:
                _refuse_conflict(asked)
            failures.append(f"{error}")
            continue
        steps += more
        answer = _finished(asked, problem, start, steps)
        if answer.worst <= tolerances.CERTIFIED:
            return answer, problem
        failures.append(f"residual {answer.worst:.1e}, expected at most {tolerances.CERTIFIED:.0e}")
    bodies = conflicts.named(asked.names)
    raise ProjectionError(
        f"{asked.solver} gave no certified answer for {bodies} ({'; '.join(failures)})",
        asked.instance(),
    )


def _finished(asked: _Asked, problem: Posed, start: Point, steps: int) -> _Answer:
    """A solver's answer, polished, rounded to what was fixed, and lifted inside where rounding."""
    kept = _staying(problem, _exact_equalities(problem, start), steps)
    if kept is not None:
        return kept
    point, residual = polished(problem, start)
    moved = float(np.linalg.norm(point.d)) * point.step
    far = not 1 / RESCALED < moved / point.step < RESCALED
    vague = residual > tolerances.CERTIFIED * ENOUGH * moved / point.step
    if far and vague and moved > max(residual, ROUNDING):
        point, _ = polished(problem, _rescaled(problem, point, moved))
    kept = _staying(problem, point.y, steps)
    if kept is not None:
        return kept
    answer = _rounded(asked, problem, point, steps)
    return answer if _verified(answer.theta) else _lifted(asked, problem, point, answer)


def _lifted(asked: _Asked, problem: Posed, point: Point, answer: _Answer) -> _Answer:
    """The answer a little inside Pi >= Delta, where rounding left it without a sound verdict."""
    around = problem.image(_spread_out(answer.theta))
    for lift in LIFTS:
        g = np.array(problem.g)
        g[: len(around)] -= lift * around
        point, _ = polished(problem._replace(g=g), point, along_path=False)
        inner = _rounded(asked, problem, point, answer.steps)
        if inner.worst > tolerances.CERTIFIED:  # what is fixed leaves no room inside
            break
        if _verified(inner.theta):
            return inner
    return answer


def _spread_out(theta: Floats) -> Floats:
    """Isotropic bodies (n, 10) at the places of these, as spread as they are about the origin."""
    mass = np.where(theta[:, :1] > 0, theta[:, :1], 1.0)
    com = np.where(theta[:, :1] > 0, theta[:, 1:4] / mass, 0.0)
    spread = np.abs(theta[:, [4, 7, 9]]).sum(axis=1, keepdims=True) / 3
    six = about_origin(mass[:, 0], mass * com, spread * np.array([1.0, 0, 0, 1, 0, 1]))
    return np.asarray(join(mass[:, 0], mass * com, six))


def _rescaled(problem: Posed, point: Point, step: float) -> Point:
    s = projected(point.w, problem.parts)
    ratio = point.step / step
    return Point(point.d * ratio, point.y, s - (s - point.w) * ratio, step)


def _staying(problem: Posed, y: Floats, steps: int) -> _Answer | None:
    """The given bodies, where these auxiliary variables show that they meet the constraints."""
    outside = distance(problem.g + problem.Gy @ y, problem.parts)
    if outside > tolerances.MEETS or not _sound(problem.theta0):
        return None
    zero = np.zeros_like(problem.g)
    return _Answer(problem.theta0, y, zero, (outside, 0.0, 0.0), steps)


def _exact_equalities(problem: Posed, point: Point) -> Floats:
    """The auxiliary variables nearest to a solver's with which equalities hold to rounding."""
    rows = [np.arange(p.rows.start, p.rows.stop) for p in problem.parts if p.cone == "zero"]
    if not rows or not problem.Gy.size:
        return point.y
    equal = np.concatenate(rows)
    short = problem.g[equal] + problem.Gy[equal] @ point.y
    return np.asarray(point.y - np.linalg.lstsq(problem.Gy[equal], short, rcond=None)[0])


def _rounded(asked: _Asked, problem: Posed, point: Point, steps: int) -> _Answer:
    """The answer in SI units with what was fixed as it was fixed, and by how much that fails."""
    theta = problem.theta(point.step * point.d)
    theta = _snapped(asked, theta)
    z = (projected(point.w, problem.parts) - point.w) * point.step
    return _Answer(theta, point.y, z, residuals(problem, theta, point.y, z), steps)


def _snapped(asked: _Asked, theta: Floats) -> Floats:
    """Fixed numbers as they were fixed; twice, for a centre of mass follows the mass."""
    for one in (*asked.applied, *asked.applied):
        assert one.constraint is not None
        rows = list(one.bodies)
        if asked.shifts[rows].any() and not one.constraint.anywhere:
            continue
        theta[rows] = one.constraint.snapped(theta[rows], asked.problem.theta0[rows])
    return theta


def _sound(theta: Floats) -> bool:
    """Whether no body with mass is inconsistent; where mass vanished the caller has to say."""
    judged = Consistency(theta, "origin")
    return not np.any((theta[:, 0] > 0) & (judged.verdict_code == int(Verdict.INCONSISTENT)))


def _verified(theta: Floats) -> bool:
    """Whether every body with mass is consistent or on the boundary, and its numbers can tell."""
    judged = Consistency(theta, "origin")
    return bool(np.all((theta[:, 0] <= 0) | judged.consistent))


def _refuse_conflict(asked: _Asked) -> None:
    """Name the constraints that exclude each other, if the solver says so of them alone as well.

    Raises:
        ProjectionError: They do.
    """

    def infeasible(applied: tuple[Applied, ...]) -> bool:
        problem = posed(asked.problem, applied, asked.shifts)
        try:
            solved(problem, 1.0, asked.solver, ATTEMPTS.get(asked.solver, ({},))[0])
        except NoAnswer as error:
            return error.infeasible
        return False

    if asked.applied and infeasible(asked.applied):
        conflict = conflicts.irreducible(asked.applied, infeasible)
        raise ProjectionError(conflicts.sentence(conflict, asked.names), asked.instance())
