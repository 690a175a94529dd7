"""Projection under constraints: one problem after another for bodies that belong together.

Bodies that no constraint ties to others are solved for alone: whatever becomes of one, the others
have the answers that they have by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.eigen import eigensystem
from inertial_check.inertia.representations import Point, second_moment
from inertial_check.projection import newton
from inertial_check.projection.certificate import RowFailure, SolverResult, leave_points
from inertial_check.projection.conic.joint import (
    GroupAnswer,
    GroupRequest,
    find_conflict,
    groups,
    refuse_numbers,
    solve_group,
)
from inertial_check.projection.conic.problem import Applied, Piece, Proof
from inertial_check.projection.conic.solvers import find_solver
from inertial_check.projection.constraints import FixedEntries, FixedMass
from inertial_check.projection.margin import MarginAbout, bound_missing
from inertial_check.projection.metrics import Options
from inertial_check.projection.moments import ISOTROPIC, central_inertia
from inertial_check.projection.problems import (
    DIVERGENCES,
    find_points,
    lacks_margin,
    least_mass,
    read_request,
    result_of_matrices,
    spread_about_origin,
    weigh,
)
from inertial_check.projection.quadratic import Quadratic, Solution, measure_change
from inertial_check.projection.svec import TO_SVEC

RISE = 1.25
"""Factor by which the share of a body under an answer grows where it does not hold the verdict."""

FALL = 2.0**-10
"""Factor by which a floor of mass falls where the constraints leave no room for it."""

FLOORS = 6
"""Number of floors of mass that are tried, down to 1e-18 of the first."""

ROUNDS = 8
"""Rounds in which the point of the margin follows the centre of mass."""

PARTS = (0.5, 0.8)
"""Parts of the spread about the origin at which other places for a margin are tried."""

LEAST_STEP = 1 / 64
"""Part of a margin by which it is raised at least, where it is raised in steps."""

NO_SPREAD = "the nearest inertia with what the constraints ask is zero"
"""Reason why a body whose answer is a point mass, which no rounded numbers describe, stays."""


def project_with_constraints(
    theta: Floats, about: Point, rows: Mask, options: Options
) -> tuple[SolverResult, Mask]:
    """Find all bodies; those that meet everything as they are do not change.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) rows that have a nearest.
        options: The request.

    Returns:
        The result, and (n,) which of its rows end at the least mass.

    Raises:
        ParameterError: Arguments that are none, or a metric that takes no constraints.
    """
    if options.metric in DIVERGENCES:
        raise ParameterError(
            f"metric {options.metric!r} takes no constraints; pose the problem in cvxpy with "
            "inertial_check.projection.conic"
        )
    request = read_request(theta, about, rows, options)
    count = len(request.given)
    _, problem, _, p_BoFo_B = next(request.build_problems(max(count, 1)))
    solver, names = options.solver or "clarabel", np.flatnonzero(rows.reshape(-1)).tolist()
    name = find_solver(solver)
    solution, Delta = Solution.keep(problem.theta0), np.array(problem.Delta)
    bound = np.full(count, np.nan)
    floored, points = np.zeros((2, count), dtype=np.bool_)
    pieces: list[Piece] = []
    failures: list[RowFailure] = []
    for group, applied in groups(options.constraints, names, whole=False):
        its_names = tuple(names[i] for i in group)
        own = GroupRequest(problem.rows(group), applied, p_BoFo_B[group], name, its_names)
        with np.errstate(all="ignore"):
            try:
                held = _GroupSolver(own, options).solve()
            except (ArithmeticError, np.linalg.LinAlgError) as error:  # the numbers overflow
                answer = refuse_numbers(own, error)
                held = _HeldGroup(own.problem, np.zeros(len(group), dtype=np.bool_), answer)
        answer = held.answer
        answer.store(group, solution)
        Delta[group], floored[group], bound[group] = held.problem.Delta, held.floored, held.bound
        if answer.problem is not None:
            pieces.append(answer.piece(group))
        if answer.reason is not None:
            failures += [RowFailure(int(i), answer.conflict, answer.reason) for i in group]
            continue
        found = group[find_points(held.problem, answer.theta)]
        points[found] = True
        failures += [RowFailure(int(i), None, NO_SPREAD, nearest=False) for i in found]
    proof = Proof(tuple(pieces))
    result = result_of_matrices(request, solution, Delta, solver.lower(), tuple(failures), proof)
    vanished = result.vanished | points
    if not np.isnan(bound).all():
        result = replace(result, bound=bound)
    left = leave_points(replace(result, vanished=points), theta[rows])
    return replace(left, vanished=vanished), floored


class _HeldGroup(NamedTuple):
    """Answer for bodies that belong together, with the floors under it.

    Attributes:
        problem: The problem, with its floors of mass as Delta.
        floored: (n,) bodies that end at the least mass.
        answer: The answer.
        bound: Lower bounds (n,) of the distances; NaN where the certificate is the proof.
    """

    problem: Quadratic
    floored: Mask
    answer: GroupAnswer
    bound: Floats | float = np.nan

    @property
    def theta(self) -> Floats:
        """(n, 10) the bodies, which a caller may change."""
        return self.answer.theta


class _GroupSolver:
    """Solution of one group: the nearest, then with the least mass, a verdict, and the margin."""

    def __init__(self, request: GroupRequest, options: Options) -> None:
        self._request = request
        self._options = options
        self._solver = request.solver

    def solve(self) -> _HeldGroup:
        """Find the bodies, or the reason why there are none."""
        result = self._keep_mass()
        if result.answer.reason is None:
            result = self._leave_crumbs(result)
        if result.answer.reason is None and self._options.margin > 0:
            result = self._keep_margin(result)
        return result

    def _ask(
        self, problem: Quadratic, floored: Mask, extra: tuple[Applied, ...] = ()
    ) -> _HeldGroup:
        request = self._request._replace(problem=problem, applied=(*self._request.applied, *extra))
        answer = solve_group(request)
        return _HeldGroup(problem, floored, answer._replace(theta=np.array(answer.theta)))

    def _keep_mass(self) -> _HeldGroup:
        """Find the answers, and again with the least mass where they have none."""
        problem = self._request.problem
        nowhere = np.zeros(len(problem.theta0), dtype=np.bool_)
        first = self._ask(problem, nowhere)
        if first.answer.conflict is not None:
            return first
        least = least_mass(problem, self._options.mass_min)
        nothing = ~problem.theta0.any(axis=1)
        # A small mass that a constraint fixes is meant, and no floor is put under it.
        named = np.zeros(len(first.answer.theta), dtype=np.bool_)
        for constraint, bodies in self._request.applied:
            fixed = isinstance(constraint, FixedMass)
            if fixed or (isinstance(constraint, FixedEntries) and "m" in constraint.entries):
                named[list(bodies)] = first.answer.reason is None
        named &= first.answer.theta[:, 0] > 0
        floored = (first.answer.theta[:, 0] < least) & ~nothing & ~named
        if not floored.any():
            return first
        # Name the constraints that leave no positive mass; None where some do.
        refused = find_conflict(self._request)
        if refused is not None:
            return first._replace(answer=refused)
        best = first
        for _ in range(FLOORS):
            Delta = np.array(problem.Delta)
            Delta[floored, 3, 3] = least[floored]
            best = self._ask(problem._replace(Delta=Delta), floored)
            if best.answer.reason is None or self._options.mass_min is not None:
                break
            least = FALL * least
        return best

    def _leave_crumbs(self, result: _HeldGroup) -> _HeldGroup:
        """Put a crumb of a body around points, whose numbers would otherwise be rounding.

        Under a metric that keeps mass and first moment a point has no nearest, and gets none.
        """
        problem, theta = result.problem, result.theta
        points = find_points(problem, theta)
        short, share = lacks_margin(theta, 0.0) & ~points, np.zeros(len(theta))
        if not short.any():
            return result
        body = np.asarray(spread_about_origin(problem.reference, theta))
        latest = result
        while short.any():
            share[short] = np.where(share[short] > 0, RISE * share[short], tolerances.SOUND_SHARE)
            if share.max() > 1:
                return result
            Delta = problem.Delta + share[:, None, None] * body
            latest = self._ask(problem._replace(Delta=Delta), result.floored)
            if latest.answer.reason is not None:
                return result
            short = lacks_margin(latest.theta, 0.0) & ~points
        return latest

    def _keep_margin(self, result: _HeldGroup) -> _HeldGroup:
        """Find the nearest with the margin, about a point that follows the centre of mass."""
        margin, start = self._options.margin, result
        if not lacks_margin(result.theta, margin).any():
            return result
        latest = self._ask_margin(start, start, margin)
        if latest.answer.reason is not None:
            latest = self._search_margin(start)
        if latest.answer.reason is not None:
            # Name the constraints that leave no room for the margin, where that can be shown.
            found = find_conflict(self._request, self._options.margin)
            if found is not None:
                return latest._replace(answer=found)
            failed = latest.answer
            reason = f"the margin {self._options.margin:g} was not reached: {failed.reason}"
            return latest._replace(answer=failed._replace(reason=reason))
        for _ in range(ROUNDS):
            # Tell whether a centre of mass moved so far that the margin is another about it.
            old, new = start.theta, latest.theta
            heavy = (old[:, 0] > 0) & (new[:, 0] > 0)
            old, new = old[heavy], new[heavy]
            move = np.sum((new[:, 1:4] / new[:, :1] - old[:, 1:4] / old[:, :1]) ** 2, axis=1)
            six = np.asarray(central_inertia(new, "origin"))
            square = six[:, [0, 3, 5]].sum(axis=1) / 2 / new[:, 0]
            if not bool(np.any(move > tolerances.SETTLED_PLACE * np.abs(square))):
                break
            start = latest
            again = self._ask_margin(start, start, margin)
            if again.answer.reason is not None:
                break
            latest = again
        return latest._replace(bound=self._bound_margin(latest))

    def _bound_margin(self, latest: _HeldGroup) -> Floats | float:
        """Bound the distances where a centre of mass with the margin might be elsewhere."""
        joint, answer, problem = latest.answer.problem, latest.answer, weigh(latest.problem)
        free = len(self._request.find_fixed_places()) < len(self._request.names)
        if joint is None or problem.fixed or latest.floored.any() or not free:
            return np.nan
        distance = measure_change(problem, answer.theta)
        # The last parts are those of the margin, one for each body.
        own = slice(10 * len(distance), joint.parts[-len(distance)].rows.start)
        push = joint.multipliers(answer.z, own) @ TO_SVEC
        # The forces of constraints, at whichever answer, are those of a problem whose given bodies
        # are moved: the Lagrangian, which no body that meets them exceeds.
        assert problem.W is not None  # it has been weighed
        shift = np.matmul(newton.invert(problem.W), push[:, :, None])[:, :, 0]
        moved = problem._replace(theta0=problem.theta0 + shift)
        missing = bound_missing(moved, self._options.margin, answer.theta)
        whole = float(np.sum(distance**2))
        left = np.nan_to_num(1 - float(np.sum(missing)) / whole) if whole > 0 else 0.0
        return np.asarray(distance * np.sqrt(max(left, 0.0)))

    def _search_margin(self, result: _HeldGroup) -> _HeldGroup:
        """Find a point for bodies that have no room for the margin where they are.

        The margin rises in steps about the centre of mass; where that ends, other places within the
        spread about the origin are tried, because about a centre of symmetry no direction is better
        than its opposite, and steps from there stay.
        """
        latest = self._raise_margin(result)
        if latest.answer.reason is None:
            return latest
        if len(self._request.find_fixed_places()) == len(self._request.names):
            return latest  # no place is free
        for place in self._other_places(result):
            again = self._ask_margin(result, place, self._options.margin)
            if again.answer.reason is None:
                return again
        return latest

    def _other_places(self, result: _HeldGroup) -> Iterator[_HeldGroup]:
        """Yield the bodies at other places, as far out as their moments about the origin allow."""
        theta = result.theta
        spread = second_moment(theta[:, 4:])
        values, axes = eigensystem(spread)
        reach = np.sqrt(np.maximum(values, 0.0) * np.maximum(theta[:, :1], 0.0))
        for part, *signs in product(PARTS, (0, 1, -1), (0, 1, -1), (0, 1, -1)):
            if any(signs):
                moved = np.array(theta)
                arm = part * reach * np.array(signs) / np.sqrt(np.count_nonzero(signs))
                moved[:, 1:4] = np.einsum("nij,nj->ni", axes, arm)
                yield result._replace(answer=result.answer._replace(theta=moved))

    def _raise_margin(self, result: _HeldGroup) -> _HeldGroup:
        """Raise the margin in steps, for bodies that have no room for it where they are."""
        margin, reached, step = self._options.margin, 0.0, self._options.margin / 2
        latest = best = result
        while reached < margin:
            latest = self._ask_margin(result, best, min(reached + step, margin))
            if latest.answer.reason is None:
                reached, best = min(reached + step, margin), latest
            else:
                step /= 2
                if step < LEAST_STEP * margin:
                    return latest
        return best

    def _ask_margin(self, result: _HeldGroup, place: _HeldGroup, margin: float) -> _HeldGroup:
        """Ask for the nearest with a margin about the centres of mass of `place`."""
        theta = place.theta
        guard = np.asarray(Consistency(theta, "origin").tolerance)
        limits = []
        for i, row in enumerate(theta):
            if row[0] > 0:
                own = min(margin + min(float(guard[i]), tolerances.CERTIFIED), ISOTROPIC)
                limits.append(Applied(MarginAbout(own, row[1:4] / row[0]), (i,)))
        return self._ask(result.problem, result.floored, tuple(limits))
