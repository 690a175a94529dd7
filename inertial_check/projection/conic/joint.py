"""The nearest bodies under constraints, by a conic solver whose answer is polished and certified.

Rows that no constraint couples are problems of their own; the others are solved together. What
comes back is inside the cone, meets what was fixed to the last bit, and proves itself by residuals
that are computed from the problem, in its units, after rounding.

`CoupledProblem` is one quadratic over bodies and other numbers together, under cones of any kind:
minimise d^T M d / 2 over the change d and the auxiliary y, with g + Gu d + Gy y in a product of
cones. Unlike a `JointProblem`, M couples everything, so that no pattern of it is worth keeping.

`try_inertias` asks a solver for the metrics inertia and covariance: the same answers as in closed
form, certified. It is asked for the change, in units of the violation, of a body in units of its
own size: posed in theta itself, its tolerance would hide a small violation. Between 0.3333 and 1/3
the cone of the margin is so thin that few answers can be certified: there it refuses, where the
closed form does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Floats, Integers, Mask, array_namespace
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import (
    Point,
    about_origin,
    inertia_from_second_moment,
    join,
    second_moment,
)
from inertial_check.projection.certificate import Conflict, certify_moments
from inertial_check.projection.conic.cones import (
    ConePoint,
    Part,
    complementarity,
    distance,
    polish,
    project,
)
from inertial_check.projection.conic.problem import (
    Applied,
    Frames,
    JointProblem,
    Piece,
    Proof,
    are_infeasible,
    build_joint_problem,
    certify,
    describe,
    find_fixed_places,
    find_place,
    irreducible,
    name_bodies,
    row_lengths,
    shift_map,
)
from inertial_check.projection.conic.solvers import NoAnswer, ask_in_turn, find_solver
from inertial_check.projection.constraint import Block, Constraint, UnmetError, read_constraints
from inertial_check.projection.constraints import FixedEntries
from inertial_check.projection.margin import MarginAbout
from inertial_check.projection.moments import ISOTROPIC, MomentMetric, central_inertia, with_margin
from inertial_check.projection.quadratic import Quadratic, Solution
from inertial_check.projection.svec import Certificate, triangle

Group = tuple[npt.NDArray[np.intp], tuple[Applied, ...]]
"""Rows of the batch, and the constraints on them by index within the group."""


def find_tied_to_missing(constraints: Iterable[Constraint], present: Mask) -> Mask:
    """Find rows (n,) that constraints couple, also through others, with a row that is not present.

    Args:
        constraints: By row.
        present: (n,) rows that have numbers.
    """
    missing = ~present
    coupling = [one for one in constraints if one.coupling]
    while True:
        before = np.array(missing)
        for one in coupling:
            rows = slice(None) if one.bodies is None else list(one.bodies)
            if missing[rows].any():
                missing[rows] = True
        if np.array_equal(before, missing):
            return np.asarray(missing & present)


def groups(
    constraints: tuple[Constraint, ...], names: Sequence[int], *, whole: bool
) -> list[Group]:
    """The bodies that belong together, by row, and the constraints on each group.

    Args:
        constraints: By the caller's indices.
        names: (n,) the caller's index of each body that is here.
        whole: Whether these are all bodies that there are; else a constraint on another one is
            none of ours, unless it couples it with these.

    Raises:
        ParameterError: A constraint names a body that there is not.
    """
    place = {name: i for i, name in enumerate(names)}
    leader = list(range(len(names)))

    def root(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    touched: list[tuple[Constraint, list[int]]] = []
    for one in constraints:
        wanted = list(names) if one.bodies is None else list(one.bodies)
        missing = [body for body in wanted if body not in place]
        if missing and (whole or (one.coupling and len(missing) < len(wanted))):
            raise ParameterError(
                f"{one!r} names body {missing[0]}, but the bodies are "
                f"{', '.join(map(str, list(names)[:10]))}{', ...' if len(names) > 10 else ''}"
            )
        own = [place[body] for body in wanted if body in place]
        if not own:
            continue
        if one.coupling:
            touched.append((one, own))
            for i in own[1:]:
                leader[root(i)] = root(own[0])
        else:
            touched.extend((one, [i]) for i in own)
    members: dict[int, list[int]] = {}
    for i in range(len(names)):
        members.setdefault(root(i), []).append(i)
    applied: dict[int, list[Applied]] = {}
    for one, own in touched:
        at = members[root(own[0])]
        bodies = tuple(at.index(i) for i in own)
        applied.setdefault(root(own[0]), []).append(Applied(one, bodies))
    return [(np.array(at), tuple(applied.get(key, ()))) for key, at in members.items()]


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


def try_nearest(problem: Quadratic, solver: str = "clarabel") -> Solution:
    """Find the nearest without constraints; bodies without a certified answer come back as given.

    Their residuals are infinite.

    Raises:
        ParameterError: No such solver.
    """
    found = Solution.keep(problem.theta0, np.inf)
    for i in range(len(problem.theta0)):
        row = slice(i, i + 1)
        with suppress(ProjectionError):
            found.put(row, nearest(problem.rows(row), (), solver))
    return found


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
    found = Solution.keep(problem.theta0)
    pieces = []
    for group, applied in groups(read_constraints(constraints), names, whole=rows is None):
        its_names = tuple(names[i] for i in group)
        request = GroupRequest(problem.rows(group), applied, shifts[group], name, its_names)
        answer = solve_group(request)
        if answer.reason is not None:
            raise ProjectionError(answer.reason, request.instance())
        answer.store(group, found)
        pieces.append(answer.piece(group))
    return found, Proof(tuple(pieces))


class GroupRequest(NamedTuple):
    """Request for the answer of bodies that belong together, by a solver.

    Attributes:
        problem: Problem of the bodies.
        applied: The constraints on them.
        shifts: (n, 3) p_BoFo_B [m].
        solver: As cvxpy calls it.
        names: The caller's index of each body.
    """

    problem: Quadratic
    applied: tuple[Applied, ...]
    shifts: Floats
    solver: str
    names: tuple[int, ...]

    @property
    def limits(self) -> tuple[Applied, ...]:
        """The constraints, with what the metric fixes before them."""
        count = len(self.problem.theta0) if self.problem.fixed else 0
        return (*(Applied(_FixedByMetric(), (i,)) for i in range(count)), *self.applied)

    def build(self, frames: Frames | None = None) -> JointProblem:
        """Build the joint problem.

        Raises:
            ParameterError: A body cannot be constrained so.
        """
        return build_joint_problem(self.problem, self.limits, self.shifts, frames)

    def frames(self) -> Frames:
        """Build units in which the place and the mass of the constraints are of size one."""
        given = [shift_map(s) @ t for s, t in zip(self.shifts, self.problem.theta0, strict=True)]
        found = []
        for i, theta in enumerate(given):
            own = [
                (one.constraint, theta[None])
                for one in self.limits
                if i in one.bodies and not one.constraint.in_frame
            ]
            place = find_place(own, theta[None])
            found.append(place._replace(center=place.center - self.shifts[i]).frame())
        return np.array([L for L, _ in found]), np.array([inverse for _, inverse in found])

    def find_fixed_places(self) -> dict[int, Floats]:
        """Find the centres of mass (3,) that are fixed, by body, in the problem's frame [m]."""
        return find_fixed_places(self.limits, self.problem.theta0, self.shifts)

    def instance(self) -> dict[str, object]:
        """Describe the problem, so that it can be solved again."""
        W = self.problem.W
        return {
            "theta0": self.problem.theta0.tolist(),
            "W": None if W is None else W.tolist(),
            "Delta": self.problem.Delta.tolist(),
            "reference": self.problem.reference.tolist(),
            "constraints": [repr(one.constraint) for one in self.limits],
            "bodies": list(self.names),
            "solver": self.solver,
        }


class GroupAnswer(NamedTuple):
    """Answer for bodies that belong together.

    Attributes:
        theta: (n, 10) the bodies; as given where there is none.
        y: (aux,) auxiliary variables.
        z: (k,) multipliers of the rows.
        certificate: How far it is from the nearest.
        steps: Iterations.
        problem: The problem, in its units; None where there is none.
        reason: Why the answer is not certified, as a sentence; None where it is.
        conflict: The constraints that exclude each other, where that is the reason.
    """

    theta: Floats
    y: Floats
    z: Floats
    certificate: Certificate
    steps: int
    problem: JointProblem | None = None
    reason: str | None = None
    conflict: Conflict | None = None

    def store(self, rows: Integers, solution: Solution) -> None:
        """Write it into some rows of a solution, in place."""
        solution.theta[rows] = self.theta
        if self.problem is not None:
            solution.dual[rows] = self.problem.multipliers(self.z)
        for whole, value in zip(solution.certificate, self.certificate, strict=True):
            whole[rows] = value
        solution.iterations[rows] = self.steps

    def piece(self, rows: Integers) -> Piece:
        """Describe its proof."""
        assert self.problem is not None  # only what is infeasible has no problem
        return Piece(rows, self.problem, self.y, self.z)


def solve_group(request: GroupRequest) -> GroupAnswer:
    """Find the certified answer of bodies that belong together, or say why there is none."""
    try:
        problem = request.build()
    except UnmetError as error:  # as the centre of mass of a body without mass
        return find_conflict(request) or _refuse(request, str(error))
    without_aux = problem.Gy.shape[1] == 0
    if without_aux and problem.violation <= ROUNDING:
        kept = _keep_bodies(problem, np.zeros(0), 0)
        if kept is not None:
            return kept
    # In units of the reference and then of the constraints; after the first answer without a proof
    # the constraints are asked whether they have one at all.
    failures: list[str] = []
    best: GroupAnswer | None = None
    for again in (False, True):
        own = request.build(request.frames()) if again else problem
        for found in _attempt(request, own, failures):
            if found.certificate.worst <= tolerances.CERTIFIED:
                return found
            conflict = find_conflict(request) if best is None else None
            if conflict is not None:
                return conflict
            if best is None or found.certificate.worst < best.certificate.worst:
                best = found
    bodies = name_bodies(request.names)
    reason = (
        f"{request.solver} gave no certified answer for {bodies} "
        f"({'; '.join(dict.fromkeys(failures))})"
    )
    if best is not None:
        return best._replace(reason=reason)
    return find_conflict(request) or _refuse(request, reason, problem)


def _attempt(
    request: GroupRequest, problem: JointProblem, failures: list[str]
) -> Iterator[GroupAnswer]:
    """Yield the answers of a solver, for one setting of its tolerances after the other."""
    steps = 0
    without_aux = problem.Gy.shape[1] == 0
    change = max(problem.violation, tolerances.LEAST_CHANGE) if without_aux else 1.0
    try:
        for start, more in ask_in_turn(problem, change, request.solver, failures):
            steps += more
            answer = _finish(request, problem, start, steps)
            failures.append(
                f"residual {answer.certificate.worst:.1e}, expected at most "
                f"{tolerances.CERTIFIED:.0e}"
            )
            yield answer
    except NoAnswer as error:
        failures.append(str(error))


def find_conflict(request: GroupRequest, margin: float | None = None) -> GroupAnswer | None:
    """Find the constraints that exclude each other; None where bodies meet all of them.

    With a margin, those that leave no room for it; None where that cannot be shown: at a fixed
    centre of mass the bodies with a margin are a convex set, and only there.
    """
    theta0, shifts = request.problem.theta0, request.shifts

    def infeasible(applied: tuple[Applied, ...]) -> bool:
        if margin is not None:
            places = find_fixed_places(applied, theta0, shifts)
            own = (Applied(MarginAbout(margin, p), (i,)) for i, p in places.items())
            applied = (*applied, *own)
        return are_infeasible(applied, theta0, shifts)

    limits = request.limits
    if margin is None:
        limits = tuple(one for one in limits if not one.constraint.in_frame)
    if not limits or not infeasible(limits):
        return None
    conflict = describe(irreducible(limits, infeasible), request.names, margin or 0.0)
    return _refuse(request, conflict)


def refuse_numbers(request: GroupRequest, error: Exception) -> GroupAnswer:
    """Return the bodies as given where the products of their numbers and limits overflow."""
    bodies = name_bodies(request.names)
    reason = (
        f"float64 cannot compute with the sizes of {bodies} and of its constraints together "
        f"({error})"
    )
    return _refuse(request, reason)


def _refuse(
    request: GroupRequest, why: str | Conflict, problem: JointProblem | None = None
) -> GroupAnswer:
    """Return the bodies as they were given, with the reason why."""
    return GroupAnswer(
        np.array(request.problem.theta0),
        np.zeros(0 if problem is None else problem.Gy.shape[1]),
        np.zeros(0) if problem is None else np.zeros_like(problem.g),
        Certificate(np.inf, np.inf, np.inf),
        0,
        problem,
        str(why),
        None if isinstance(why, str) else why,
    )


def _finish(
    request: GroupRequest, problem: JointProblem, start: ConePoint, steps: int
) -> GroupAnswer:
    """Polish a solver's answer, round it to what was fixed, and lift it inside where needed."""
    # Find the auxiliary variables nearest to a solver's with which equalities hold to rounding.
    rows = [np.arange(p.rows.start, p.rows.stop) for p in problem.parts if p.cone == "zero"]
    if not rows or not problem.Gy.size:
        equalities = start.y
    else:
        equal = np.concatenate(rows)
        short = problem.g[equal] + problem.Gy[equal] @ start.y
        equalities = np.asarray(start.y - np.linalg.lstsq(problem.Gy[equal], short, rcond=None)[0])
    kept = _keep_bodies(problem, equalities, steps)
    if kept is not None:
        return kept
    point, residual = polish(problem, start)
    # Polished again where the guess of the step was far off: rounding of the value is relative to
    # it.
    moved = float(np.linalg.norm(point.d)) * point.step
    far = not 1 / RESCALED < moved / point.step < RESCALED
    vague = residual > tolerances.CERTIFIED * tolerances.BEYOND_CERTIFIED * moved / point.step
    if far and vague and moved > max(residual, ROUNDING):
        s = project(point.w, problem.parts)
        ratio = point.step / moved
        point, _ = polish(
            problem, ConePoint(point.d * ratio, point.y, s - (s - point.w) * ratio, moved)
        )
    kept = _keep_bodies(problem, point.y, steps)
    if kept is not None:
        return kept
    answer = _round(request, problem, point, steps)
    return answer if _is_body(answer.theta) else _lift(request, problem, point, answer)


def _lift(
    request: GroupRequest, problem: JointProblem, point: ConePoint, answer: GroupAnswer
) -> GroupAnswer:
    """Move an answer a little inside Pi >= Delta, where rounding left it no sound verdict."""
    # Build isotropic bodies (n, 10) at the places of these, as spread as they about the origin.
    theta = answer.theta
    mass = np.where(theta[:, :1] > 0, theta[:, :1], 1.0)
    com = np.where(theta[:, :1] > 0, theta[:, 1:4] / mass, 0.0)
    spread = np.abs(theta[:, [4, 7, 9]]).sum(axis=1, keepdims=True) / 3
    six = about_origin(mass[:, 0], mass * com, spread * np.array([1.0, 0, 0, 1, 0, 1]))
    isotropic = np.asarray(join(mass[:, 0], mass * com, six))
    # Addition alone tells with which lift to begin: each costs a polish.
    tried = (_is_body(_snap(request, answer.theta + lift * isotropic)) for lift in LIFTS)
    first = next((place for place, good in enumerate(tried) if good), 0)
    around = problem.image(isotropic)
    for lift in LIFTS[first:]:
        g = np.array(problem.g)
        g[: len(around)] -= lift * around
        point, _ = polish(problem._replace(g=g), point, along_path=False)
        inner = _round(request, problem, point, answer.steps)
        if inner.certificate.worst > tolerances.CERTIFIED:  # what is fixed leaves no room inside
            break
        if _is_body(inner.theta):
            return inner
    return answer


def _keep_bodies(problem: JointProblem, y: Floats, steps: int) -> GroupAnswer | None:
    """Return the given bodies, if these auxiliary variables show that they meet the constraints."""
    outside = distance(problem.g + problem.Gy @ y, problem.parts)
    if outside > tolerances.MEETS:
        return None
    # Vanished mass is the caller's to judge.
    code = Consistency(problem.theta0, "origin").verdict_code
    if np.any((problem.theta0[:, 0] > 0) & (code == int(Verdict.INCONSISTENT))):
        return None
    zero = np.zeros_like(problem.g)
    return GroupAnswer(problem.theta0, y, zero, Certificate(outside, 0.0, 0.0), steps, problem)


def _round(
    request: GroupRequest, problem: JointProblem, point: ConePoint, steps: int
) -> GroupAnswer:
    """Convert the answer to SI units, with what was fixed exactly so, and certify that."""
    theta = _snap(request, problem.theta(point.step * point.d))
    z = (project(point.w, problem.parts) - point.w) * point.step
    return GroupAnswer(theta, point.y, z, certify(problem, theta, point.y, z), steps, problem)


def _snap(request: GroupRequest, theta: Floats) -> Floats:
    """Set fixed numbers exactly, in place; twice, because a centre of mass follows the mass."""
    for one in (*request.limits, *request.limits):
        rows = list(one.bodies)
        if request.shifts[rows].any() and not one.constraint.anywhere:
            continue
        theta[rows] = one.constraint.snap(theta[rows], request.problem.theta0[rows])
    return theta


def _is_body(theta: Floats) -> bool:
    """Decide whether the numbers of every body with mass say that it is consistent."""
    judged = Consistency(theta, "origin")
    return bool(np.all((theta[:, 0] <= 0) | judged.consistent))


class CoupledProblem(NamedTuple):
    """A quadratic problem over a vector d whose M couples everything.

    Attributes:
        M: (p, p) positive definite.
        Gu: (k, p).
        Gy: (k, aux).
        g: (k,).
        parts: The cones of the rows.
    """

    M: Floats
    Gu: Floats
    Gy: Floats
    g: Floats
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, M: Floats, groups: Iterable[Sequence[Block]]) -> CoupledProblem:
        """Build the problem of groups of blocks; those of a group share auxiliary variables."""
        groups = list(groups)
        widths = [max(block.B.shape[1] for block in group) for group in groups]
        Gu, Gy, g, parts = [], [], [], []
        rows = column = 0
        for group, width in zip(groups, widths, strict=True):
            for block in group:
                length = row_lengths(block.cone, block.A, block.B)
                B = np.zeros((len(block.b), sum(widths)))
                B[:, column : column + block.B.shape[1]] = block.B
                Gu.append(block.A / length[:, None])
                Gy.append(B / length[:, None])
                g.append(block.b / length)
                parts.append(Part(block.cone, slice(rows, rows + len(block.b))))
                rows += len(block.b)
            column += width
        return cls(M, np.concatenate(Gu), np.concatenate(Gy), np.concatenate(g), tuple(parts))


class CoupledAnswer(NamedTuple):
    """Answer of a solver to a coupled problem.

    Attributes:
        d: (p,) the change.
        y: (aux,) auxiliary variables.
        z: (k,) multipliers of the rows: M d = Gu^T z.
        steps: Iterations.
    """

    d: Floats
    y: Floats
    z: Floats
    steps: int


def solve_coupled_problem(problem: CoupledProblem, solver: str) -> list[CoupledAnswer]:
    """Find the polished answers of a solver, for one setting of its tolerances after the other.

    Args:
        problem: A problem in units in which everything has size one.
        solver: Name of an installed cvxpy solver with semidefinite cones, in any case.

    Returns:
        At least one answer, none of them certified.

    Raises:
        ParameterError: No such solver.
        NoAnswer: It says that there is none.
        ProjectionError: It broke at every setting.
    """
    name = find_solver(solver)
    failures: list[str] = []
    found = []
    for start, steps in ask_in_turn(problem, 1.0, name, failures):
        point, _ = polish(problem, start)
        z = project(point.w, problem.parts) - point.w
        found.append(CoupledAnswer(point.d, point.y, z, steps))
    if not found:
        raise ProjectionError(f"{name} gave no answer ({'; '.join(failures)})", problem)
    return found


_ROW, _COLUMN, _SCALE = triangle(3)
_UNIT = np.where(_ROW == _COLUMN, 1.0, 0.0)
_DEVIATOR = np.eye(6) - np.outer(_UNIT, _UNIT) / 3
"""Map (6, 6) of svec of a 3x3 matrix to that of its deviator."""


def try_inertias(
    theta: Array, about: Point, metric: MomentMetric, margin: float, solver: str
) -> tuple[Array, Array, Array, tuple[tuple[int, ProjectionError], ...]]:
    """Move rows as `closed_form.move_inertias` does, by a conic solver.

    Args:
        theta: (..., 10) in order urdf, finite, of positive mass.
        about: "origin" or "com".
        metric: Which change is least.
        margin: What the result has at least.
        solver: Name of an installed solver, in any case.

    Returns:
        (..., 6) inertias about the centre of mass before and after, as before for rows without a
        certified answer; (...,) iterations; and, for each row without one, its index in the
        flattened batch and the error, whose `instance` holds body, metric and margin.

    Raises:
        ParameterError: No such solver, or one without semidefinite cones; lists those that can.
    """
    name, xp = find_solver(solver), array_namespace(theta)
    before = central_inertia(theta, about)
    rows = np.asarray(before, dtype=np.float64).reshape(-1, 6)
    moved, counts = np.array(rows), np.zeros(len(rows), dtype=np.int32)
    errors = []
    for i, row in enumerate(rows):
        try:
            if row.any():  # the zero tensor, which has no size to be posed in, is its own nearest
                moved[i], counts[i] = _move_body(row, metric, margin, name)
        except ProjectionError as error:
            errors.append((i, error))
    after: Array = moved
    steps: Array = counts.reshape(before.shape[:-1])
    if xp is not np:
        after = xp.asarray(after, dtype=before.dtype, device=before.device)
        steps = xp.asarray(steps, device=before.device)
    after = xp.astype(xp.reshape(after, before.shape), before.dtype)
    raised = with_margin(theta, about, after, margin)
    for i, _ in errors:
        np.asarray(raised).reshape(-1, 6)[i] = rows[i]
    return before, raised, steps, tuple(errors)


def _move_body(
    I_BBcm: Floats, metric: MomentMetric, margin: float, solver: str
) -> tuple[Floats, int]:
    """Move one body: solve, polish and certify, until an attempt succeeds.

    Raises:
        ProjectionError: None does.
    """
    given = np.asarray(second_moment(I_BBcm))
    size = float(np.abs(eigenvalues(given)).sum())
    s = given / size * _SCALE
    problem = _build_problem(s, metric, margin)
    step = max(distance(problem.g, problem.parts), tolerances.LEAST_CHANGE)
    rounding = tolerances.SOLVED_FACTOR * tolerances.EPS
    failures: list[str] = []
    try:
        for start, steps in ask_in_turn(problem, step, solver, failures):
            point, _ = polish(problem, start)
            inside = project(point.w, problem.parts)
            # At the apex of the cone the nearest is the zero tensor, and not its rounding.
            change = point.step * point.d if inside.any() else -s
            after = np.asarray(inertia_from_second_moment(size * (s + change) / _SCALE))
            # Of one eigensystem both, so that they are orthogonal to the digits of each.
            free = np.array([cone == "zero" for cone, _ in problem.parts]).repeat(
                [rows.stop - rows.start for _, rows in problem.parts]
            )
            z = np.where(free, -point.w, project(-point.w, problem.parts)) * point.step
            # Measure how far a change (6,) and multipliers z (6,) fail the optimality conditions.
            short = float(np.linalg.norm(problem.g + problem.Gu @ change - inside))
            pull = float(np.linalg.norm(problem.M @ change - problem.Gu.T @ z))
            length = max(float(np.linalg.norm(z)), float(np.finfo(np.float64).tiny))
            product = complementarity(inside, z, problem.parts) / length
            residual = max(short, pull, distance(z, problem.parts, dual=True), product)
            move = float(np.linalg.norm(change))
            # Held against the size of the move, the residual tells the nearest body from one ten
            # times as far, where both are next to the given one and certify_moments sees rounding.
            proved = residual <= tolerances.CERTIFIED * move + rounding
            certificate = certify_moments(I_BBcm, after, metric, margin)
            if proved and max(certificate) <= tolerances.CERTIFIED:
                return after, steps
            failures.append(f"residual {residual:.1e} for a move of {move:.1e} of the body's size")
    except NoAnswer as error:
        failures.append(str(error))
    raise ProjectionError(
        f"{solver} gave no certified answer ({'; '.join(failures)}); "
        "the closed form (solver=None) needs no solver",
        {"I_BBcm": I_BBcm.tolist(), "metric": metric.name, "margin": margin, "solver": solver},
    )


def _build_problem(s: Floats, metric: MomentMetric, margin: float) -> CoupledProblem:
    """Build the problem of the change d of s, svec (6,) of a central second moment.

    A spread S has the margin mu where S - mu tr(S) 1 is positive semidefinite; at 1/3 that leaves
    only multiples of 1, which are said by equations because such a cone has no inside.
    """
    M = np.eye(6) + metric.trace_weight * np.outer(_UNIT, _UNIT)
    if margin < ISOTROPIC:
        G = np.eye(6) - margin * np.outer(_UNIT, _UNIT)
        parts: tuple[Part, ...] = (Part("psd", slice(0, 6)),)
    else:  # the last diagonal entry of a deviator follows from the others
        G = np.concatenate([_DEVIATOR[:5], _UNIT[None]])
        parts = (Part("zero", slice(0, 5)), Part("nonneg", slice(5, 6)))
    return CoupledProblem(M, G, np.zeros((6, 0)), G @ s, parts)
