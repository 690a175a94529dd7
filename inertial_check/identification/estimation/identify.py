"""Identification: consistent inertial parameters of all bodies together, from measured torques."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from inertial_check.arrays.types import ArrayLike
from inertial_check.errors import ParameterError, expect
from inertial_check.identification.estimation import priors
from inertial_check.identification.estimation.fit_options import (
    FitOptions,
    GainRule,
    Loss,
    PriorMetric,
    WeightRule,
    read_rule,
    refuse_unknown,
)
from inertial_check.identification.estimation.joint_fit import JointFit
from inertial_check.identification.estimation.joint_friction import OperatingPoint
from inertial_check.identification.estimation.measurements import Measurements
from inertial_check.identification.estimation.nonlinear import solve_nonlinear
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.result import Identification
from inertial_check.identification.estimation.sampled import Samples
from inertial_check.identification.estimation.weighing import (
    choose_weight,
    iterate_huber,
    read_weights,
    weigh_down_outliers,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.parameters import InertialParameters, body_names
from inertial_check.inertia.representations import Order
from inertial_check.projection._constraint import Constraint


def identify(  # noqa: PLR0913 - the public signature
    Y: ArrayLike | Samples | Reduction,
    tau: ArrayLike | None = None,
    prior: InertialParameters | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    constraints: Constraint | Iterable[Constraint] = (),
    nuisance: Nuisance | Mapping[str, ArrayLike] | ArrayLike | None = None,
    order: Order = "urdf",
    regularization: float | WeightRule = 1.0,
    metric: PriorMetric = "prior",
    loss: Loss = "squares",
    margin: float = 0.0,
    prior_margin: float = tolerances.PRIOR_MARGIN,
    redundancy: float = 1.0,
    bodies: Sequence[str] | None = None,
    solver: str | None = None,
    gain: GainRule | None = None,
    instruments: ArrayLike | Samples | None = None,
) -> Identification:
    """Find the consistent bodies that explain measured torques best, near a prior.

        minimise ||w (Y theta + F f - tau)||^2
        + regularization (sum_i D(Pi_i, P_i) + sum_k ((f_k - prior_k) / scale_k)^2)
        over bodies with Pi_i >= 0, and lower_k <= f_k <= upper_k

    All bodies are solved for together: torques decide combinations of several bodies, and a body
    that is made consistent by itself afterwards spoils the fit. `metric` chooses the distance D:

    * "prior" (default): ||L^-1 (Pi - P) L^-T||_F^2 with P = L L^T the prior's pseudo-inertia; it
      depends neither on frames nor on units;
    * "entropic": the log-det Bregman divergence tr(P^-1 Pi) - log det(P^-1 Pi) - 4;
    * "affine-invariant": ||log(L^-1 Pi L^-T)||_F^2, not convex, so the result is a local minimum;
    * "euclidean": ||theta - prior||^2 in units of the prior's mass m and radius of gyration k: kg
      by m, kg m by m k, kg m^2 by m k^2. It depends on the origin and the axes.

    The samples are reduced joint by joint, by QR in blocks, so that the problem to be solved has
    the size of the parameters and not of the samples.

    Sources: Wensing, Kim, Slotine, IEEE Robot. Autom. Lett. 3 (2018); Sousa, Cortesao, Int. J.
    Robot. Res. 33 (2014); Lee, Wensing, Park, IEEE Trans. Robot. 36 (2020).

    Args:
        Y: (S, n, 10 L) with tau = Y theta, theta of the bodies about their origins, one after
            another; (S, 10 L), which counts as one joint; Samples, also of a trajectory, which need
            not be in memory at once; or a Reduction.
        tau: (S, n) or (S,) torques [N m] or forces [N]; None beside Samples and a Reduction.
        prior: InertialParameters or (L, 10), the expected bodies, in the same order. Those that are
            not strictly inside the cone are moved there, and a remark says which. None is allowed
            only if the samples decide every parameter.
        weights: (n,) factors of the residuals of each joint, one over the standard deviation of its
            noise [1/(N m)]; or one number for all. None estimates them from the residuals of
            iterated least squares.
        constraints: Constraints of inertial_check.projection.constraints, whose `bodies` are
            indices 0 to L - 1. Only the metrics "prior" and "euclidean" take them.
        nuisance: Torques besides those of the bodies: a Nuisance, a mapping of names to columns
            (S, n), or one array of columns (S, n, k). Samples have their own.
        order: Order of the last six entries of each body: urdf, pinocchio, mujoco, wensing or ksl.
        regularization: Weight of the priors: at 1, a body that differs from its prior by the
            prior's own size costs as much as one residual of one standard deviation. "evidence"
            chooses the weight that makes the torques most probable, "k-fold" by cross-validation,
            "l-curve" at the corner of the L-curve.
        metric: Distance of a body from its prior.
        loss: "squares", or "huber", under which residuals beyond 1.345 standard deviations count by
            their size and not by their square.
        margin: Least margin of the bodies, 0 to 1/3.
        prior_margin: Margin that a prior with a smaller one is moved to.
        redundancy: Number of samples that carry as much information as one independent sample, as
            signals.smooth reports it for its filter. A regularization that is a number is
            multiplied by it, and standard deviations count independent samples.
        bodies: L names, for the remarks.
        solver: None for the interior-point method of this package or, with constraints, Clarabel.
            The name of an installed conic solver ("clarabel", "scs") gives the same answer by it.
        gain: "unknown" if tau is what was recorded, motor currents say, and the drive gains that
            make torques of it are to be found with the bodies; see `Identification.gains`. Weights
            are then one over the deviation of the noise of what was recorded.
        instruments: Regressor Z of the same shape as Y, of a motion without the noise of Y, such as
            that of a simulated robot; or Samples of it, with the columns of friction of that
            motion. The bodies solve Z^T w^2 (Y theta + F f - tau) = 0 then, as far as prior and
            cones allow, and noise in Y does not bias them. Beside an array, the nuisance columns
            are their own instruments.

    Returns:
        The bodies, with fit, rank, the parameters that the samples decide, and a proof of
        optimality. Its status is "uncertified" where rounding left a gap above 1e-9 of the
        objective: the bodies are consistent, and `gap` bounds how much better others can be.

    Raises:
        ParameterError: Shapes do not fit, a number is not finite, a name is unknown, or neither
            samples nor prior decide a parameter. The message names the place.
        ProjectionError: The solver found no answer, or the constraints contradict each other.

    Example:
        >>> # Sixty torques that are linear in the ten numbers of one link
        >>> rng = np.random.default_rng(0)
        >>> Y = rng.normal(size=(60, 10))
        >>> link = np.array([2.0, 0, 0, 0.2, 0.05, 0, 0, 0.05, 0, 0.01])
        >>> found = ic.identify(Y, Y @ link, prior=[1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1])
        >>> print(found.theta.round(3) + 0.0, found.consistency.verdict)
        [[2.   0.   0.   0.2  0.05 0.   0.   0.05 0.   0.01]] ['consistent']
    """
    expect("text", metric=metric)
    expect("number", prior_margin=prior_margin, redundancy=redundancy)
    expect("text", "nothing", gain=gain)
    options = FitOptions(
        weights=weights,
        constraints=constraints,
        regularization=regularization,
        metric=metric,
        loss=loss,
        margin=margin,
        prior_margin=prior_margin,
        redundancy=redundancy,
        bodies=bodies,
        solver=solver,
    )
    data = Measurements.read(Y, tau, nuisance, order)
    if instruments is not None:
        if gain is not None:
            raise ParameterError("instruments go with known gains: give one of gain, instruments")
        data = data.with_instruments(instruments)
    if gain is None:
        return estimate(data, prior, options, order)
    refuse_unknown("gain", gain, get_args(GainRule))
    from inertial_check.identification.gains.fit import estimate_with_gains

    return estimate_with_gains(data, prior, options, order)


def estimate(
    data: Measurements,
    prior: InertialParameters | ArrayLike | None,
    options: FitOptions,
    order: Order = "urdf",
) -> Identification:
    """Fit consistent bodies to measurements, and nonlinear friction where it is declared.

    Args:
        data: The measurements.
        prior: As for `identify`.
        options: As the arguments of `identify`.
        order: Order of the last six entries of a prior that is an array.

    Raises:
        ParameterError: As for `identify`.
        ProjectionError: As for `identify`.
    """
    samples = data.samples
    if samples is None or samples.linearised is None or samples.fastest is None:
        return estimate_linear(data, prior, options, order)
    linearised = samples.linearised

    def solve(point: OperatingPoint | None, weight: float | None) -> Identification:
        own = linearised(point)
        linear = Measurements(own, None, own.nuisance, own.order)
        chosen = options if weight is None else replace(options, regularization=weight)
        return estimate_linear(linear, prior, chosen, order)

    return solve_nonlinear(solve, samples.nuisance, samples.fastest)[0]


def estimate_linear(
    data: Measurements,
    prior: InertialParameters | ArrayLike | None,
    options: FitOptions,
    order: Order = "urdf",
) -> Identification:
    """Fit consistent bodies to measurements: prior, weights, weight of the prior, solution.

    Args:
        data: The measurements; their nonlinear friction is linearised.
        prior: As for `identify`.
        options: As the arguments of `identify`.
        order: Order of the last six entries of a prior that is an array.

    Raises:
        ParameterError: As for `identify`.
        ProjectionError: As for `identify`.
    """
    names = body_names(options.bodies, data.bodies)
    regularization = options.regularization
    _refuse_beside_instruments(data, options)
    if prior is None:
        expected = priors.priors_from_samples(data.whole, data.nuisance)
        regularization = 0.0
    else:
        margin = options.prior_margin
        expected = priors.prepare_priors(prior, data.bodies, order, margin, names)
    rule = read_rule(regularization)
    fit = JointFit(expected.theta, data.nuisance, options, names)
    reduction = fitted = data.whole
    weights, remarks = read_weights(options.weights, reduction, fit)
    choice = None
    if rule is None:
        weight = float(regularization) * options.redundancy
    else:
        if options.loss == "huber" and data.samples is not None:
            fitted, weights = weigh_down_outliers(data, fit, weights, options)
        choice = choose_weight(rule, data, fit, weights, options.redundancy, fitted)
        fitted, weight = reduction, choice.weight
    solution = fit.solve(reduction, weights, weight)
    if options.loss == "huber":
        weights, remarks, solution, fitted = iterate_huber(
            data, fit, weights, remarks, solution, options.weights is None
        )
    columns = np.argsort(data.labels)
    return Identification(
        bodies=names,
        order=data.order,
        problem=solution.problem,
        x=solution.x,
        reduction=reduction.relabel(columns),
        fitted=fitted.relabel(columns),
        weights=weights,
        metric=options.metric,
        loss=options.loss,
        solver=solution.solver,
        iterations=solution.steps,
        certificate=solution.certificate,
        prior_term=solution.prior_term,
        names=data.nuisance.names,
        given=expected.given,
        proof=solution.proof,
        redundancy=float(options.redundancy),
        noted=(*expected.remarks, *remarks),
        choice=choice,
        reference=data.nuisance.reference,
        method="least-squares" if data.instruments is None else "instrumental-variables",
    )


def _refuse_beside_instruments(data: Measurements, options: FitOptions) -> None:
    """Refuse options that look at samples one by one, which projected equations do not have.

    Raises:
        ParameterError: The message names the option.
    """
    if data.instruments is None:
        return
    if options.loss != "squares":
        raise ParameterError(f"instruments go with loss 'squares', not with {options.loss!r}")
    if options.regularization == "k-fold":
        raise ParameterError(
            "instruments go with regularization 'evidence', 'l-curve' or a number, not with "
            "'k-fold', which compares residuals that hold the noise of the regressor"
        )
