"""Weight of the prior by evidence maximisation: what makes the measured torques most probable.

Bodies are drawn from the prior, whose variance is one over the weight, and torques from the bodies;
the deviation of the noise is left open. The logarithm of the probability of the torques is

    -(N / 2) log(data term + prior term) - log det(A^T A + K) / 2 + (k / 2) log(weight)

for N independent samples and k numbers with a prior. Residuals of neighbouring samples repeat each
other, so N is the number of samples over their redundancy: with all samples counted, the rule would
trust what a rigid robot does not explain.

Source: MacKay, Bayesian Interpolation, Neural Computation 4 (1992).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ProjectionError
from inertial_check.identification.estimation import interior_point
from inertial_check.identification.estimation.choosing import Choice, read_candidates
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.regularisers import euclidean_pull
from inertial_check.identification.estimation.sampled import Samples

MOST_BODIES = 12
"""Number of bodies up to which every trial is consistent; with more, regularised least squares
stands in, whose evidence is greatest at nearly the same weight."""

RESIDUALS = 20_000
"""Largest number of samples whose residuals tell the redundancy."""

POWER = 0.8
"""Part of the power of the residuals below the frequency up to which they are taken for white. The
rest is in the steps of friction, which reach far beyond what a filter lets pass."""


def maximize_evidence(
    reduction: Reduction,
    weights: Floats,
    theta0: Floats,
    nuisance: Nuisance,
    redundancy: float,
    *,
    euclidean: bool = False,
) -> Choice:
    """Choose the weight of the prior that makes the measured torques most probable.

    Args:
        reduction: Reduction of the samples, in order "urdf".
        weights: (n,) factors of the residuals of each joint.
        theta0: (L, 10) priors.
        nuisance: Torques besides those of the bodies.
        redundancy: Number of samples that tell as much as one independent sample.
        euclidean: Whether the prior's metric is the Euclidean one.
    """
    tried = read_candidates(None, reduction, weights)
    system = reduction.stack(weights)
    pull = euclidean_pull(theta0) if euclidean else None
    independent = float(reduction.samples[weights > 0].sum()) / redundancy
    rows = []
    for weight in tried.tolist():
        problem = Problem.of(system, theta0, nuisance, weight, pull=pull)
        x = _solve(problem)
        known = 10 * problem.bodies + int(np.count_nonzero(problem.beside))
        log_det = float(np.linalg.slogdet(problem.H)[1])
        objective = max(problem.objective(x), np.finfo(np.float64).tiny)
        evidence = known * np.log(weight) - log_det - independent * np.log(objective)
        terms = problem.data_term(x), problem.prior_term(x) / weight
        rows.append((evidence / 2, *terms, float(problem.theta(x)[:, 0].sum())))
    evidences, data_terms, prior_terms, masses = np.array(rows).T
    best = int(np.argmax(evidences))
    note = (
        f"{tried[best] / redundancy:.3g} x {redundancy:.3g} has the greatest evidence: it makes "
        "the measured torques most probable"
    )
    if best in (0, len(tried) - 1):
        note += f"; it is the {'least' if best == 0 else 'largest'} weight tried"
    unknown = np.full(len(tried), np.nan)
    return Choice(
        float(tried[best]),
        "evidence",
        tried,
        unknown,
        unknown,
        data_terms,
        prior_terms,
        masses,
        note,
    )


def _solve(problem: Problem) -> Floats:
    """Solve a trial; without the cones where there are many bodies or no certified answer."""
    if problem.bodies <= MOST_BODIES:
        try:
            return interior_point.solve(problem).x
        except ProjectionError:
            pass
    return problem.free


def measure_redundancy(
    samples: Samples, reduction: Reduction, weights: Floats, theta0: Floats
) -> float:
    """Measure how many samples tell as much as one, by the band of the residuals' spectrum.

    Residuals of filtered signals have no power above the cut-off of the filter.

    Args:
        samples: Samples at uniform steps, as far as one knows, in any order of columns.
        reduction: Their reduction, with the same columns.
        weights: (n,) factors of the residuals of each joint; 0 for joints to leave out.
        theta0: (L, 10) priors, in whose units least squares is solved.
    """
    problem = Problem.of(reduction.stack(weights), theta0, _free(samples.nuisance), 0.0)
    x = problem.si(problem.least_squares[0])
    residuals = np.concatenate(list(_residuals(samples, x)))[:, weights > 0]
    if len(residuals) < 2:
        return 1.0
    residuals = residuals - residuals.mean(axis=0)
    power = np.abs(np.fft.rfft(residuals * np.hanning(len(residuals))[:, None], axis=0)) ** 2
    whole = power.sum(axis=0)
    if not np.all(whole > 0):
        return 1.0
    below = np.cumsum((power / whole).mean(axis=1))
    return max(1.0, len(below) / (int(np.searchsorted(below, POWER)) + 1))


def _residuals(samples: Samples, x: Floats) -> Iterator[Floats]:
    count = 0
    for A, tau in samples.rows():
        yield tau - A @ x
        count += len(tau)
        if count >= RESIDUALS:
            return


def _free(nuisance: Nuisance) -> Nuisance:
    """Return the same numbers without bounds and priors."""
    none = np.full(len(nuisance), np.inf)
    return Nuisance(nuisance.names, -none, none, np.zeros(len(nuisance)), none)
