"""Weights of an identification: of the joints, of outliers by Huber's loss, and of the prior."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.broadcasting import read_floats
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.estimation import choosing, evidence, noise, robust
from inertial_check.identification.estimation.fit_options import FitOptions, WeightRule
from inertial_check.identification.estimation.joint_fit import JointFit, JointSolution
from inertial_check.identification.estimation.measurements import Measurements
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.result import describe_gap
from inertial_check.inertia import tolerances


def read_weights(weights: ArrayLike | None, reduction: Reduction, fit: JointFit) -> noise.Noise:
    """Read the weights of the joints, or estimate them from the residuals.

    Raises:
        ParameterError: Their number does not fit, or one is negative or not finite.
    """
    if weights is None:
        return noise.estimate_noise(reduction, fit.theta0, fit.nuisance)
    (given,) = read_floats((), weights=weights)
    if given.ndim > 1 or given.size not in (1, reduction.joints):
        raise ParameterError(
            f"weights has shape {given.shape}, expected ({reduction.joints},): one for each joint, "
            "or one for all"
        )
    given = np.broadcast_to(given, (reduction.joints,))
    if not np.all(np.isfinite(given) & (given >= 0)) or not given.any():
        raise ParameterError(f"weights are {given.tolist()}, expected positive numbers [1/(N m)]")
    return noise.Noise(np.array(given), ())


def iterate_huber(
    data: Measurements,
    fit: JointFit,
    weights: Floats,
    remarks: tuple[str, ...],
    solution: JointSolution,
    estimate_weights: bool,
) -> tuple[Floats, tuple[str, ...], JointSolution, Reduction]:
    """Minimise Huber's loss by reweighted least squares, in rounds until it falls no more.

    Returns:
        The weights of the joints, the remarks, the solution, and the samples as the loss weighs
        them there.

    Raises:
        ParameterError: There are no samples, only their reduction.
    """
    if data.samples is None:
        raise ParameterError("loss 'huber' looks at each sample: a Reduction has none")
    last = np.inf
    for _ in range(robust.ROUNDS):
        factors = robust.Huber(solution.si[data.labels], weights)
        reduction = data.samples.reduce(factors).relabel(data.labels)
        objective = factors.loss + solution.prior_term
        if not estimate_weights and objective >= last * (1 - tolerances.HUBER_SETTLED):
            break
        if estimate_weights:
            before, weights = weights, factors.reweigh(reduction.samples)
            moved = np.abs(weights - before) > noise.news(reduction.samples) * before
            estimate_weights = bool(moved.any())
        solution = fit.solve(reduction, weights, solution.problem.regularization)
        last = np.inf if estimate_weights else objective
    else:
        remarks = (*remarks, f"Huber's loss still falls after {robust.ROUNDS} rounds")
        last_factors = robust.Huber(solution.si[data.labels], weights)
        reduction = data.samples.reduce(last_factors).relabel(data.labels)
    count = int(data.samples.samples) * len(weights)
    remark = (
        f"{factors.bent} of {count} residuals are beyond {robust.BEND} deviations and count by "
        "their size"
    )
    return weights, (*remarks, remark), solution, reduction


def weigh_down_outliers(
    data: Measurements, fit: JointFit, weights: Floats, options: FitOptions
) -> tuple[Reduction, Floats]:
    """Reduce the samples as Huber's loss weighs them, and weigh the joints by what is left.

    Outliers would pass for noise otherwise, and a rule would give the prior too much weight.
    """
    assert data.samples is not None
    first = fit.solve(data.whole, weights, options.redundancy)
    weights, _, _, reduction = iterate_huber(data, fit, weights, (), first, options.weights is None)
    return reduction, weights


def choose_weight(
    rule: WeightRule,
    data: Measurements,
    fit: JointFit,
    weights: Floats,
    redundancy: float,
    reduction: Reduction,
) -> choosing.Choice:
    """Choose the weight of the prior from the samples."""
    if rule == "evidence":
        if redundancy == 1.0 and data.samples is not None:
            columns = reduction.relabel(np.argsort(data.labels))
            redundancy = evidence.measure_redundancy(data.samples, columns, weights, fit.theta0)
        euclidean = fit.metric == "euclidean"
        return evidence.maximize_evidence(
            reduction, weights, fit.theta0, fit.nuisance, redundancy, euclidean=euclidean
        )

    def solve(reduction: Reduction, regularization: float) -> JointSolution:
        found = fit.solve(reduction, weights, regularization)
        if not found.certificate.proves:  # candidates are compared by their objectives
            raise ProjectionError(describe_gap(found.certificate), found.problem)
        return found

    if rule == "k-fold":
        return choosing.k_fold(data.folds(choosing.FOLDS * choosing.STRETCHES), weights, solve)
    return choosing.l_curve(data.whole, weights, solve)
