"""Joint fit of all bodies to reduced samples, for given weights of the joints and the prior."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.estimation import constrained, interior_point, regularisers
from inertial_check.identification.estimation.fit_options import FitOptions
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.projection._constraint import read_constraints
from inertial_check.projection.closed_form import read_margin
from inertial_check.solvers.certificate import Certificate

_MARGIN_ROUNDS = 60
"""Largest number of rounds that lift bodies to a margin, which depends on their own size."""

_MARGIN_STEP = 1.01
"""Factor by which each round lifts a body more than it lacks, since the body grows with it."""


class JointSolution(NamedTuple):
    """Certified solution of one joint problem."""

    problem: Problem
    x: Floats
    certificate: Certificate
    prior_term: float
    steps: int
    solver: str
    proof: Callable[[], Certificate]

    @property
    def si(self) -> Floats:
        """(p,) parameters in SI units, in order "urdf"."""
        return self.problem.si(self.x)


class JointFit:
    """Fit of all bodies to reduced samples, for any weights of joints and prior.

    Args:
        theta0: (L, 10) priors in order "urdf".
        nuisance: Torques besides those of the bodies.
        options: Options of the fit.
        names: (L,) of the bodies.

    Raises:
        ParameterError: Options that exclude each other. The message names both.
    """

    def __init__(
        self, theta0: Floats, nuisance: Nuisance, options: FitOptions, names: tuple[str, ...]
    ) -> None:
        self.theta0, self.nuisance, self.names = theta0, nuisance, names
        self.constraints = read_constraints(options.constraints)
        self.margin = read_margin(options.margin)
        self.metric, self.solver = options.metric, options.solver
        if self.metric in ("prior", "euclidean"):
            return
        given = {"constraints": self.constraints, "margin": self.margin, "solver": self.solver}
        for name, value in given.items():
            if value:
                raise ParameterError(
                    f"metric {self.metric!r} takes no {name}: 'prior' does, and 'euclidean'"
                )

    def solve(self, reduction: Reduction, weights: Floats, regularization: float) -> JointSolution:
        """Solve for bodies with at least the margin.

        A margin is a bound on the least eigenvalue of the central second moment relative to its
        trace, which is not convex. So bodies that lack it get a floor of their present trace, in
        rounds.

        Raises:
            ProjectionError: The margin is not reached.
        """
        system = reduction.stack(weights)
        spread = np.zeros(len(self.theta0))
        found = self._solve(system, regularization, spread)
        for _ in range(_MARGIN_ROUNDS if self.margin else 0):
            theta = found.problem.theta(found.x)
            short = check(theta).margin < self.margin
            if not np.any(short):
                return found
            moments = InertialParameters.from_theta(theta).central_second_moment
            wanted = _MARGIN_STEP * self.margin * np.trace(moments, axis1=1, axis2=2)
            spread = np.where(short, np.maximum(_MARGIN_STEP * spread, wanted), spread)
            found = self._solve(system, regularization, spread)
        if self.margin:
            margins = check(found.problem.theta(found.x)).margin
            worst = int(np.argmin(margins))
            raise ProjectionError(
                f"no margin of {self.margin:g}: {self.names[worst]} comes to "
                f"{float(margins[worst]):.6g}; ask for less",
                found.problem,
            )
        return found

    def _solve(
        self, system: tuple[Floats, Floats, float], regularization: float, spread: Floats
    ) -> JointSolution:
        pull = regularisers.euclidean_pull(self.theta0) if self.metric == "euclidean" else None
        problem = Problem.of(
            system, self.theta0, self.nuisance, regularization, spread=spread, pull=pull
        )
        proof: Callable[[], Certificate]
        if self.constraints or self.solver is not None:
            solver = self.solver or "clarabel"
            conic = constrained.solve(problem, self.constraints, solver)
            x, certificate, steps, proof = conic.x, conic.certificate, conic.steps, conic.certify
            return JointSolution(
                problem, x, certificate, problem.prior_term(x), steps, solver.lower(), proof
            )
        if self.metric == "entropic" or self.metric == "affine-invariant":  # noqa: PLR1714 - narrows
            answer = regularisers.solve(problem, self.metric)
            term = regularisers.prior_term(problem, answer.x, self.metric)
            proof = partial(regularisers.certify, problem, answer.x, self.metric)
        else:
            answer = interior_point.solve(problem)
            term = problem.prior_term(answer.x)
            proof = partial(problem.certify, answer.x)
        return JointSolution(
            problem, answer.x, answer.certificate, term, answer.steps, "interior point", proof
        )
