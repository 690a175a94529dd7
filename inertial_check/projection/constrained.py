"""Projection under constraints: the problems that the conic solver is given, one after another."""

from __future__ import annotations

from functools import partial

import numpy as np

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.representations import Point
from inertial_check.projection.general import DIVERGENCES, build_problems
from inertial_check.projection.holding import (
    Held,
    isotropic,
    lacks_margin,
    least_mass,
    spread_about_origin,
)
from inertial_check.projection.metrics import METRICS
from inertial_check.projection.options import Options
from inertial_check.projection.quadratic import Quadratic, Solution
from inertial_check.projection.solver_result import SolverResult, result_of_matrices
from inertial_check.solvers.certificate import Certificate

RISE = 1.25
"""Factor by which the share of a body under an answer grows where it does not hold the margin."""


def project_with_constraints(
    theta: Floats, about: Point, rows: Mask, options: Options
) -> SolverResult:
    """Find all bodies; those that meet everything as they are do not change.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) rows that have a nearest.
        options: The request.

    Raises:
        ParameterError: Arguments that are none, or a metric that takes no constraints.
        ProjectionError: The constraints exclude each other, or leave no room for the margin.
    """
    if options.metric in DIVERGENCES:
        raise ParameterError(
            f"metric {options.metric!r} takes no constraints; pose the problem in cvxpy with "
            "inertial_check.projection.conic"
        )
    whole = max(int(np.count_nonzero(rows)), 1)
    problem, prior, p_BoFo_B = next(build_problems(theta, about, rows, options, whole))
    asker = _Asker(options, np.flatnonzero(rows.reshape(-1)), p_BoFo_B)
    held = asker.leave_crumbs(asker.keep_mass(problem))
    if options.margin > 0:
        held = asker.keep_margin(held, prior)
    return result_of_matrices(
        about, p_BoFo_B, *held, asker.solver, partial(asker.certify, held.solution.theta)
    )


class _Asker:
    """Conversation with the conic solver, which keeps the proof of its last answer."""

    def __init__(self, options: Options, names: Integers, p_BoFo_B: Floats) -> None:
        self.solver = (options.solver or "clarabel").lower()
        self._options = options
        self._names = names
        self._shifts = p_BoFo_B

    def solve(self, problem: Quadratic) -> Solution:
        """Find the nearest with Pi >= Delta."""
        from inertial_check.projection import conic

        found, self._proof = conic.prove_nearest(
            problem,
            self._options.constraints,
            self.solver,
            rows=self._names.tolist(),
            shifts=self._shifts,
        )
        return found

    def certify(self, theta: Floats) -> Certificate:
        """Compute the residuals of the problem with its constraints."""
        return self._proof.certify(theta)

    def keep_mass(self, problem: Quadratic) -> Held:
        """Find the answers, and again with the least mass where they have none."""
        found = self.solve(problem)
        least = least_mass(problem, self._options.mass_min)
        nothing = ~problem.theta0.any(axis=1)
        floored = (found.theta[:, 0] < least) & ~nothing
        if floored.any():
            Delta = np.array(problem.Delta)
            Delta[floored, 3, 3] = least[floored]
            problem = problem._replace(Delta=Delta)
            found = self.solve(problem)
        return Held(problem, found, floored)

    def leave_crumbs(self, held: Held) -> Held:
        """Put a crumb of a body around points, whose numbers would otherwise be rounding."""
        crumbs = spread_about_origin(held, np.arange(len(held.floored)))
        return self._raise_floor(held, crumbs, 0.0, tolerances.SOUND_SHARE) or held

    def keep_margin(self, held: Held, prior: Floats | None) -> Held:
        """Put a share of a body under the answers, raised until they have the margin.

        Raises:
            ProjectionError: A whole body is not enough.
        """
        every = np.arange(len(held.floored))
        for body in ([] if prior is None else [prior]) + [isotropic(held, every)]:
            raised = self._raise_floor(held, body, self._options.margin, 3 * self._options.margin)
            if raised is not None:
                return raised
        raise ProjectionError(
            f"the margin {self._options.margin:g} cannot be reached under the constraints",
            {"theta0": held.problem.theta0.tolist(), "margin": self._options.margin},
        )

    def _raise_floor(self, held: Held, body: Floats, margin: float, first: float) -> Held | None:
        """Raise the answers above a share of these bodies (n, 4, 4), beginning with `first`.

        None is returned where a whole body is too little.
        """
        problem, found, share = held.problem, held.solution, np.zeros(len(body))
        short = lacks_margin(found.theta, margin)
        while short.any():
            share[short] = np.where(share[short] > 0, RISE * share[short], first)
            if share.max() > 1:
                return None
            Delta = held.problem.Delta + share[:, None, None] * body
            problem = held.problem._replace(Delta=Delta)
            found = self.solve(problem)
            short = lacks_margin(found.theta, margin)
        return Held(problem, found, held.floored)


def has_nearest(judged: Consistency, finite: Mask, metric: str) -> Mask:
    """Find the rows (...,) that have a nearest under constraints: those that a metric can move."""
    if metric in METRICS:
        return np.asarray(judged.verdict_code < int(Verdict.INVALID))
    return finite
