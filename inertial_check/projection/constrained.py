"""Projection under constraints: the problems that the conic solver is given, one after another."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.representations import Point
from inertial_check.projection.general import DIVERGENCES, Answered, looked_over, posed
from inertial_check.projection.given import seen_from, seen_from_com
from inertial_check.projection.holding import (
    Held,
    isotropic,
    lacks,
    least_mass,
    spread_about_origin,
)
from inertial_check.projection.metrics import METRICS
from inertial_check.projection.options import Options
from inertial_check.projection.outcome import MatrixOutcome
from inertial_check.projection.quadratic import Quadratic, Solution

RISE = 1.25
"""What the share of a body under an answer is multiplied by where it does not hold the margin."""


def answer(theta: Floats, about: Point, rows: Mask, options: Options) -> Answered:
    """Find all bodies, those that meet everything as they are among them: these do not change.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) which are to be looked at.
        options: What is wanted.

    Raises:
        ParameterError: Arguments that are none, or a metric that takes no constraints.
        ProjectionError: The constraints exclude each other, or leave no room for the margin.
    """
    if options.metric in DIVERGENCES:
        raise ParameterError(
            f"metric {options.metric!r} takes no constraints; pose the problem in cvxpy with "
            "inertial_check.projection.conic"
        )
    prior, weights = looked_over(theta, about, rows, options)
    theta0, p_BoFo_B = seen_from_com(theta[rows], about)
    Pi = None if prior is None else seen_from(prior, p_BoFo_B)
    W = None if weights is None else weights.matrices(slice(None))
    names = np.flatnonzero(rows.reshape(-1))
    problem = posed(options, theta0, W, Pi)
    asker = _Asker(options, names, p_BoFo_B)
    held = asker.sound(asker.with_mass(problem))
    if options.margin > 0:
        held = asker.with_margin(held, Pi)
    outcome = MatrixOutcome(about, held.problem, held.solution, p_BoFo_B, asker.measure)
    return Answered(outcome, held.floored, asker.solver, held.solution.iterations)


class _Asker:
    """Asks the conic solver, and keeps the proof of its last answer."""

    def __init__(self, options: Options, names: np.ndarray, p_BoFo_B: Floats) -> None:
        self.solver = (options.solver or "clarabel").lower()
        self._options = options
        self._names = names
        self._shifts = p_BoFo_B

    def solve(self, problem: Quadratic) -> Solution:
        """The nearest with Pi >= Delta."""
        from inertial_check.projection import conic

        options, names = self._options, self._names.tolist()
        found, self._proof = conic.proven(
            problem, options.constraints, self.solver, rows=names, shifts=self._shifts
        )
        return found

    def measure(
        self, problem: Quadratic, theta: Floats, dual: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The residuals of the problem with its constraints."""
        return self._proof.residuals(theta)

    def with_mass(self, problem: Quadratic) -> Held:
        """The answers, again with the least mass where they have none."""
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

    def sound(self, held: Held) -> Held:
        """The answers with a crumb of a body around points, whose numbers are rounding else."""
        crumbs = spread_about_origin(held, np.arange(len(held.floored)))
        return self._raised(held, crumbs, 0.0, tolerances.SOUND_SHARE) or held

    def with_margin(self, held: Held, prior: Floats | None) -> Held:
        """The answers with a share of a body under them, raised until they have the margin.

        Raises:
            ProjectionError: A whole body is not enough.
        """
        every = np.arange(len(held.floored))
        for body in ([] if prior is None else [prior]) + [isotropic(held, every)]:
            raised = self._raised(held, body, self._options.margin, 3 * self._options.margin)
            if raised is not None:
                return raised
        raise ProjectionError(
            f"the margin {self._options.margin:g} cannot be reached under the constraints",
            {"theta0": held.problem.theta0.tolist(), "margin": self._options.margin},
        )

    def _raised(self, held: Held, body: Floats, margin: float, first: float) -> Held | None:
        """The answers above a share of these bodies (n, 4, 4), at first this one.

        None where a whole one is too little.
        """
        problem, found, share = held.problem, held.solution, np.zeros(len(body))
        short = lacks(found.theta, margin)
        while short.any():
            share[short] = np.where(share[short] > 0, RISE * share[short], first)
            if share.max() > 1:
                return None
            Delta = held.problem.Delta + share[:, None, None] * body
            problem = held.problem._replace(Delta=Delta)
            found = self.solve(problem)
            short = lacks(found.theta, margin)
        return Held(problem, found, held.floored)


def looked_at(judged: Consistency, finite: Mask, metric: str) -> Mask:
    """Rows (...,) that have a nearest under constraints: all but those that no metric can move."""
    if metric in METRICS:
        return np.asarray(judged.verdict_code < int(Verdict.INVALID))
    return finite
