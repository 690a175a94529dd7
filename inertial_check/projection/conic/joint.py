"""The nearest bodies under constraints, by a conic solver whose answer is polished and certified.

Rows that no constraint couples are problems of their own; the others are solved together. What
comes back is inside the cone, meets what was fixed to the last bit, and proves itself by residuals
that are computed from the problem, in its units, after rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.representations import about_origin, join
from inertial_check.projection._constraint import Constraint, read_constraints
from inertial_check.projection.conic import conflicts
from inertial_check.projection.conic.cones import distance, project
from inertial_check.projection.conic.groups import groups
from inertial_check.projection.conic.joint_problem import (
    Applied,
    JointProblem,
    Piece,
    Proof,
    build_joint_problem,
    certify,
)
from inertial_check.projection.conic.polish import Point, polish
from inertial_check.projection.conic.program import ask_solver
from inertial_check.projection.conic.solvers import NoAnswer, find_solver
from inertial_check.projection.constraints import FixedEntries
from inertial_check.projection.quadratic import Quadratic, Solution
from inertial_check.solvers.certificate import Certificate

ATTEMPTS: dict[str, tuple[dict[str, float], ...]] = {
    "CLARABEL": tuple(
        {"tol_gap_abs": t, "tol_gap_rel": t, "tol_feas": t} for t in (1e-9, 1e-7, 1e-4)
    ),
    "SCS": tuple({"eps_abs": t, "eps_rel": t, "max_iters": 20_000} for t in (1e-7, 1e-4)),
}
"""Options of each solver to try in turn: tighter ones make Clarabel stall or panic, and the polish
goes on from these."""

RESCALED = 16.0
"""Ratio of a change to the unit in which it was posed, beyond which it is polished again in its own
units."""

ROUNDING = tolerances.SOLVED_FACTOR * tolerances.EPS
"""Residuals and changes of a problem of unit size below which they are rounding."""

LIFTS = tuple(2.0**k for k in range(-50, -29, 3))
"""Parts of an isotropic body at its place, in turn, that lie under an answer which rounding left
outside the cone."""


@dataclass(frozen=True, eq=False, repr=False)
class _FixedByMetric(FixedEntries):
    """Mass and first moment stay, because the metric says so."""

    entries: tuple[str, ...] = ("m", "hx", "hy", "hz")

    @property
    def anywhere(self) -> bool:
        """With the mass, the first moment about any point stays."""
        return True

    def describe(self) -> str:
        """Why it is there."""
        return "the metric's fixed mass and centre of mass"


class _Answer(NamedTuple):
    """Answer for the bodies of a joint problem: theta, auxiliary variables, and multipliers."""

    theta: Floats
    y: Floats
    z: Floats
    certificate: Certificate
    steps: int


def nearest(
    problem: Quadratic,
    constraints: Constraint | Iterable[Constraint] = (),
    solver: str = "clarabel",
    *,
    rows: Sequence[int] | None = None,
    shifts: Floats | None = None,
) -> Solution:
    """Find the nearest bodies with Pi - Delta >= 0 that meet the constraints.

    Bodies that are consistent (or on the boundary) and meet the constraints come back bit for bit.

    Args:
        problem: Change that is least, of the bodies.
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
    return prove_nearest(problem, constraints, solver, rows=rows, shifts=shifts)[0]


def prove_nearest(
    problem: Quadratic,
    constraints: Constraint | Iterable[Constraint] = (),
    solver: str = "clarabel",
    *,
    rows: Sequence[int] | None = None,
    shifts: Floats | None = None,
) -> tuple[Solution, Proof]:
    """Find what `nearest` finds, with the multipliers of every constraint that prove it."""
    name, count = find_solver(solver), len(problem.theta0)
    names = range(count) if rows is None else [int(row) for row in rows]
    shifts = np.zeros((count, 3)) if shifts is None else shifts
    found = Solution(
        np.array(problem.theta0),
        np.zeros((count, 10)),
        Certificate(*np.zeros((3, count))),
        np.zeros(count, dtype=np.int32),
    )
    pieces = []
    for group, applied in groups(read_constraints(constraints), names, whole=rows is None):
        fixed = [Applied(_FixedByMetric(), (i,)) for i in range(len(group) if problem.fixed else 0)]
        own, its_names = problem.rows(group), tuple(names[i] for i in group)
        request = _Request(own, (*fixed, *applied), shifts[group], name, its_names)
        answer, joint = _answer(request)
        found.theta[group] = answer.theta
        found.dual[group] = joint.multipliers(answer.z)
        pieces.append(Piece(group, joint, answer.y, answer.z))
        for whole, value in zip(found.certificate, answer.certificate, strict=True):
            whole[group] = value
        found.iterations[group] = answer.steps
    return found, Proof(tuple(pieces))


class _Request(NamedTuple):
    """Request for the answer of a joint problem by a solver."""

    problem: Quadratic
    applied: tuple[Applied, ...]
    shifts: Floats
    solver: str
    names: tuple[int, ...]

    def build(self, applied: tuple[Applied, ...]) -> JointProblem:
        return build_joint_problem(self.problem, applied, self.shifts)

    def instance(self) -> dict[str, object]:
        """Describe the problem, so that it can be solved again."""
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


def _answer(request: _Request) -> tuple[_Answer, JointProblem]:
    """Find the certified answer of a joint problem; beside it the problem, in its units.

    Raises:
        ProjectionError: A conflict, or no certified answer.
    """
    problem = request.build(request.applied)
    without_aux = problem.Gy.shape[1] == 0
    if without_aux and problem.violation <= ROUNDING:
        kept = _keep_bodies(problem, np.zeros(0), 0)
        if kept is not None:
            return kept, problem
    failures: list[str] = []
    steps = 0
    change = max(problem.violation, tolerances.LEAST_CHANGE) if without_aux else 1.0
    for options in ATTEMPTS.get(request.solver, ({},)):
        try:
            start, more = ask_solver(problem, change, request.solver, options)
        except NoAnswer as error:
            if error.infeasible:
                _refuse_conflict(request)
            failures.append(f"{error}")
            continue
        steps += more
        answer = _finish(request, problem, start, steps)
        if answer.certificate.worst <= tolerances.CERTIFIED:
            return answer, problem
        failures.append(
            f"residual {answer.certificate.worst:.1e}, expected at most {tolerances.CERTIFIED:.0e}"
        )
    bodies = conflicts.name_bodies(request.names)
    raise ProjectionError(
        f"{request.solver} gave no certified answer for {bodies} ({'; '.join(failures)})",
        request.instance(),
    )


def _finish(request: _Request, problem: JointProblem, start: Point, steps: int) -> _Answer:
    """Polish a solver's answer, round it to what was fixed, and lift it inside where needed."""
    kept = _keep_bodies(problem, _exact_equalities(problem, start), steps)
    if kept is not None:
        return kept
    point, residual = polish(problem, start)
    moved = float(np.linalg.norm(point.d)) * point.step
    far = not 1 / RESCALED < moved / point.step < RESCALED
    vague = residual > tolerances.CERTIFIED * tolerances.BEYOND_CERTIFIED * moved / point.step
    if far and vague and moved > max(residual, ROUNDING):
        point, _ = polish(problem, _rescale(problem, point, moved))
    kept = _keep_bodies(problem, point.y, steps)
    if kept is not None:
        return kept
    answer = _round(request, problem, point, steps)
    return answer if _is_body(answer.theta) else _lift(request, problem, point, answer)


def _lift(request: _Request, problem: JointProblem, point: Point, answer: _Answer) -> _Answer:
    """Move an answer a little inside Pi >= Delta, where rounding left it no sound verdict."""
    around = problem.image(_isotropic(answer.theta))
    for lift in LIFTS:
        g = np.array(problem.g)
        g[: len(around)] -= lift * around
        point, _ = polish(problem._replace(g=g), point, along_path=False)
        inner = _round(request, problem, point, answer.steps)
        if inner.certificate.worst > tolerances.CERTIFIED:  # what is fixed leaves no room inside
            break
        if _is_body(inner.theta):
            return inner
    return answer


def _isotropic(theta: Floats) -> Floats:
    """Build isotropic bodies (n, 10) at the places of these, as spread as they about the origin."""
    mass = np.where(theta[:, :1] > 0, theta[:, :1], 1.0)
    com = np.where(theta[:, :1] > 0, theta[:, 1:4] / mass, 0.0)
    spread = np.abs(theta[:, [4, 7, 9]]).sum(axis=1, keepdims=True) / 3
    six = about_origin(mass[:, 0], mass * com, spread * np.array([1.0, 0, 0, 1, 0, 1]))
    return np.asarray(join(mass[:, 0], mass * com, six))


def _rescale(problem: JointProblem, point: Point, step: float) -> Point:
    s = project(point.w, problem.parts)
    ratio = point.step / step
    return Point(point.d * ratio, point.y, s - (s - point.w) * ratio, step)


def _keep_bodies(problem: JointProblem, y: Floats, steps: int) -> _Answer | None:
    """Return the given bodies, if these auxiliary variables show that they meet the constraints."""
    outside = distance(problem.g + problem.Gy @ y, problem.parts)
    if outside > tolerances.MEETS or not _sound(problem.theta0):
        return None
    zero = np.zeros_like(problem.g)
    return _Answer(problem.theta0, y, zero, Certificate(outside, 0.0, 0.0), steps)


def _exact_equalities(problem: JointProblem, point: Point) -> Floats:
    """Find the auxiliary variables nearest to a solver's with which equalities hold to rounding."""
    rows = [np.arange(p.rows.start, p.rows.stop) for p in problem.parts if p.cone == "zero"]
    if not rows or not problem.Gy.size:
        return point.y
    equal = np.concatenate(rows)
    short = problem.g[equal] + problem.Gy[equal] @ point.y
    return np.asarray(point.y - np.linalg.lstsq(problem.Gy[equal], short, rcond=None)[0])


def _round(request: _Request, problem: JointProblem, point: Point, steps: int) -> _Answer:
    """Convert the answer to SI units, with what was fixed exactly so, and certify that."""
    theta = _snap(request, problem.theta(point.step * point.d))
    z = (project(point.w, problem.parts) - point.w) * point.step
    return _Answer(theta, point.y, z, certify(problem, theta, point.y, z), steps)


def _snap(request: _Request, theta: Floats) -> Floats:
    """Set fixed numbers exactly, in place; twice, because a centre of mass follows the mass."""
    for one in (*request.applied, *request.applied):
        rows = list(one.bodies)
        if request.shifts[rows].any() and not one.constraint.anywhere:
            continue
        theta[rows] = one.constraint.snap(theta[rows], request.problem.theta0[rows])
    return theta


def _sound(theta: Floats) -> bool:
    """Decide whether no body with mass is inconsistent; vanished mass is the caller's to judge."""
    judged = Consistency(theta, "origin")
    return not np.any((theta[:, 0] > 0) & (judged.verdict_code == int(Verdict.INCONSISTENT)))


def _is_body(theta: Floats) -> bool:
    """Decide whether the numbers of every body with mass say that it is consistent."""
    judged = Consistency(theta, "origin")
    return bool(np.all((theta[:, 0] <= 0) | judged.consistent))


def _refuse_conflict(request: _Request) -> None:
    """Name the constraints that exclude each other, if the solver says so of them alone as well.

    Raises:
        ProjectionError: They do.
    """

    def infeasible(applied: tuple[Applied, ...]) -> bool:
        problem = request.build(applied)
        try:
            ask_solver(problem, 1.0, request.solver, ATTEMPTS.get(request.solver, ({},))[0])
        except NoAnswer as error:
            return error.infeasible
        return False

    if request.applied and infeasible(request.applied):
        conflict = conflicts.irreducible(request.applied, infeasible)
        raise ProjectionError(conflicts.sentence(conflict, request.names), request.instance())
