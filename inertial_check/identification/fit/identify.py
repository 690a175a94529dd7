"""Identification: consistent inertial parameters of all bodies together, from measured torques.

Drive gains as unknowns: recorded currents become torques by one factor for each joint.

A recorded current i_j is the torque over the drive gain g_j, with noise of its own:

    i_j = (Y_j theta + F_j f + k_j) / g_j + noise

k_j is the torque of known loads. The prediction is regressed on nothing that has noise: with
c = 1 / g the weighted squares of i_j - c_j (Y_j theta + F_j f + k_j) are minimised over theta, f
and c together, so that noise does not shrink the gains. Each round is the linear problem at the
present answer, with one further column for each joint, its predicted torque, whose number is the
relative change of c_j. Everything is computed from the triangular systems of the samples.

Torques tell the ratios of the gains. Bodies, friction and gains have one common scale, of which the
shape of the prior says nothing: in each round the prior is scaled so that it does not pull at it.
Known loads decide the scale by their torques. Without one, the masses of a fit at given gains are
compared with those that are known, or with the total mass of the prior.

Source: Gautier, Briot, Global identification of joint drive gains and dynamic parameters of robots,
J. Dyn. Syst. Meas. Control 136 (2014).

Nonlinear friction by repeated linear problems, from a profile over the Stribeck velocity.

Each round linearises the friction about the last answer (Gauss and Newton) and solves the convex
problem of all bodies. Where a round changes nothing, its certificate is one of the model itself:
the gradients of both are equal there, so that the answer is stationary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.identification.fit.base import BaseEstimate
from inertial_check.identification.fit.nuisance import (
    FASTEST,
    SLOWEST,
    Nuisance,
    OperatingPoint,
    Stribeck,
)
from inertial_check.identification.fit.problem import Problem
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.samples import (
    Measurements,
    Reduction,
    Samples,
    System,
    add_gain_columns,
    correlate_torques,
    scale_torques,
)
from inertial_check.identification.fit.solve import (
    FitOptions,
    GainRule,
    JointFit,
    Loss,
    PriorMetric,
    WeightRule,
    prepare_priors,
    priors_from_samples,
    read_rule,
    refuse_unknown,
)
from inertial_check.identification.fit.weights import (
    choose_weight,
    iterate_huber,
    read_weights,
    weigh_down_outliers,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, Mask
from inertial_check.inertia.parameters import InertialParameters, body_names, read_about_origin
from inertial_check.inertia.representations import Order
from inertial_check.projection.constraint import Constraint, read_constraints
from inertial_check.projection.constraints import FixedMass, TotalMass


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
        expected = priors_from_samples(data.whole, data.nuisance)
        regularization = 0.0
    else:
        margin = options.prior_margin
        expected = prepare_priors(prior, data.bodies, order, margin, names)
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


ScaleSource = Literal["loads", "masses", "prior"]
"""Statement that decides the common scale of drive gains and masses."""


class GainRemark(NamedTuple):
    """Doubt about drive gains.

    Attributes:
        kind: "gain-scale" where the common scale rests on the prior, else "gain".
        message: One line with the numbers.
    """

    kind: Literal["gain-scale", "gain"]
    message: str


@dataclass(frozen=True, eq=False, repr=False)
class GainEstimate:
    """Drive gains of the joints.

    Attributes:
        values: (n,) factors from what was recorded to torques [N m/A, or what the recording needs].
        covariance: (n, n) covariance of the relative errors of the gains (dimensionless).
        scale: What decides the common scale of all gains: known loads, known masses, or the prior.
        open: Indices of joints whose gain only the prior ties to those of the others.
        change: Largest relative change of a gain in the last round.
        rounds: Number of rounds.
        along: (p, n) products of the columns in order "urdf" with the torques of the joints [SI].
    """

    values: Floats
    covariance: Floats
    scale: ScaleSource
    open: tuple[int, ...]
    change: float
    rounds: int
    along: Floats

    def __repr__(self) -> str:
        """Show the gains with their standard deviations, and what decides their scale."""
        pairs = zip(self.values.tolist(), self.standard_deviation.tolist(), strict=True)
        shown = ", ".join(f"{value:.4g} +- {deviation:.2g}" for value, deviation in pairs)
        return f"GainEstimate({shown}; scale by {self.scale})"

    @property
    def relative_standard_deviation(self) -> Floats:
        """(n,) standard deviations relative to the gains."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def standard_deviation(self) -> Floats:
        """(n,) standard deviations in the unit of the gains."""
        return np.asarray(self.relative_standard_deviation * np.abs(self.values))

    @property
    def ratio_standard_deviation(self) -> Floats:
        """(n,) relative standard deviations of the ratios of the gains to their geometric mean."""
        count = len(self.values)
        centre = np.eye(count) - 1 / count
        return np.asarray(np.sqrt(np.maximum(np.diag(centre @ self.covariance @ centre), 0.0)))

    @property
    def settled(self) -> bool:
        """Whether the rounds came to an end."""
        return self.change <= tolerances.GAIN_SETTLED

    def remarks(self) -> tuple[GainRemark, ...]:
        """Remarks on what the gains rest on, and on whether they settled."""
        found = []
        if self.scale == "prior":
            worst = 100 * float(self.ratio_standard_deviation.max(initial=0.0))
            message = (
                "only the masses of the prior decide the common scale of the drive gains: "
                "where those are too large by a factor, all gains and masses are; the ratios "
                f"of the gains are known to {worst:.2g} %; a known load, the mass of a body or "
                "the total mass decides the scale"
            )
            found.append(GainRemark("gain-scale", message))
        if self.open:
            which = ", ".join(str(joint) for joint in self.open)
            message = f"only the prior decides the drive gains of joints {which}"
            found.append(GainRemark("gain", message))
        if not self.settled:
            message = (
                f"drive gains still change by {self.change:.2g} of themselves after "
                f"{self.rounds} rounds: they are not proven to be the best"
            )
            found.append(GainRemark("gain", message))
        return tuple(found)

    def widen_base(
        self, base: BaseEstimate, reduction: Reduction, weights: Floats, labels: Integers
    ) -> BaseEstimate:
        """Add the uncertainty of the gains to that of base parameters that take them as known.

        The covariance is that given the gains, and J C J^T with J the slopes of the estimate.

        Args:
            base: Base parameters at these gains.
            reduction: The samples in torques.
            weights: (n,) factors of the residuals of each joint.
            labels: (p,) place of each of their columns in order "urdf".
        """
        A, _, _ = reduction.stack(weights)
        kept = A[:, base.independent]
        sizes = np.linalg.norm(kept, axis=0)
        R = np.linalg.qr(kept / sizes, mode="r")
        inverse = np.linalg.solve(R, np.eye(len(R))) / sizes[:, None]
        J = inverse @ (inverse.T @ (self.along[labels] * weights**2)[base.independent])
        return replace(base, covariance=base.covariance + J @ self.covariance @ J.T)

    def spread(self, problem: Problem, weights: Floats) -> Floats:
        """Covariance (p, p) that the uncertainty of the gains gives an answer x, in its units.

        Args:
            problem: Problem at these gains.
            weights: (n,) factors of the residuals of each joint.
        """
        J = find_slopes(problem, self.along, weights)
        return np.asarray(J @ self.covariance @ J.T)


def find_slopes(problem: Problem, along: Floats, weights: Floats) -> Floats:
    """Find the changes (p, n) of an answer x by a relative change of each gain.

    Args:
        problem: Problem at these gains.
        along: (p, n) products of the columns with the torques of the joints [SI].
        weights: (n,) factors of the residuals of each joint.
    """
    along, count = along * weights**2, 10 * problem.bodies
    bodies = along[:count].reshape(problem.bodies, 10, -1)
    scaled = np.concatenate(
        [
            np.matmul(problem.to_theta.transpose(0, 2, 1), bodies).reshape(count, -1),
            along[count:] * problem.unit[:, None],
        ]
    )
    return np.asarray(invert_information(problem.H) @ scaled)


def invert_information(H: Floats) -> Floats:
    """Invert an information matrix; directions of which it says nothing get a large variance."""
    size = np.sqrt(np.maximum(np.diag(H), 0.0))
    size = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(H / np.multiply.outer(size, size))
    least = len(H) * tolerances.EPS * float(values.max(initial=0.0))
    inverse = (vectors / np.maximum(values, least)) @ vectors.T
    return np.asarray(inverse / np.multiply.outer(size, size))


OPEN = 0.1
"""Squared part of a direction that no sample shows, from which on it is told of a gain."""


def convert_to_units(problem: Problem, x: Floats) -> Floats:
    """Convert parameters (p,) [SI] to the units of a problem, with gains that do not change."""
    count = 10 * problem.bodies
    numbers = np.zeros(problem.A.shape[1] - count)
    numbers[: len(x) - count] = x[count:]
    return problem.x(x[:count].reshape(-1, 10), numbers)


def find_free_scale(problem: Problem, x: Floats) -> float:
    """Find the factor of the prior at which its term does not change with the scale of x (p,)."""
    if problem.regularization == 0:
        return 1.0
    own = convert_to_units(problem, x)
    count = 10 * problem.bodies
    own[count:] = 0.0
    pull = problem.K @ own
    along = float(pull[:count] @ problem.prior[:count])
    return float(pull @ own) / along if along > 0 else 1.0


def find_open_gains(problem: Problem, joints: int) -> tuple[int, ...]:
    """Find the joints whose gain no sample ties to the gains of the others."""
    sizes = np.linalg.norm(problem.A, axis=0)
    _, values, V = np.linalg.svd(problem.A / np.where(sizes > 0, sizes, 1.0), full_matrices=True)
    rank = int(np.sum(values > tolerances.RANK * values.max(initial=0.0)))
    blind = V[rank:, -joints:]
    if np.sum(blind**2, axis=0).max(initial=0.0) <= tolerances.BLIND:
        return ()
    blind = blind * problem.unit[-joints:] / np.where(sizes > 0, sizes, 1.0)[-joints:]
    largest = np.abs(blind).max()
    # The common scale of all gains is one of these directions, and is told of by itself.
    beside = (blind - blind.mean(axis=1, keepdims=True)) / largest
    return tuple(np.flatnonzero(np.sum(beside**2, axis=0) > OPEN).tolist())


GAIN_ROUNDS = 50
"""Largest number of rounds; four to eight are usual."""

LARGEST_STEP = 0.7
"""Largest relative change of the inverse of a gain in one round, which keeps its sign."""

HALVINGS = 20
"""Largest number of times that a step is halved."""

SET_ASIDE = 2.0**-10
"""Factor of the weight of a joint that is compared with the others: only its own friction and what
no other joint shows are still fitted to it."""

CLEAR = 3.0
"""Standard deviations that a gain has to be from 0 to be a starting value."""

_SCALE_STEP = (-1.0, 1.0)
"""Least and largest change of the logarithm of the common scale in one round."""


def estimate_with_gains(
    data: Measurements,
    prior: InertialParameters | ArrayLike | None,
    options: FitOptions,
    order: Order = "urdf",
) -> Identification:
    """Fit consistent bodies and the drive gains of all joints together.

    Args:
        data: Measurements whose torques are what was recorded, currents say. Weights, where they
            are given, are one over the deviation of the noise of what was recorded.
        prior: As for `identify`.
        options: As the arguments of `identify`.
        order: Order of the last six entries of a prior that is an array.

    Returns:
        The identification at these gains; its `gains` holds them, and its standard deviations
        count their uncertainty.

    Raises:
        ParameterError: As for `identify`; an option that does not go with unknown gains; nothing
            decides the common scale of gains and masses.
    """
    # Reduce the samples as recorded, in order "urdf", with the torque of known loads last.
    labels = np.append(data.labels, len(data.labels))
    if data.samples is not None:
        rows = data.samples.recorded_rows()
        recorded = Reduction.of(rows, len(labels)).relabel(labels)
    else:
        recorded = replace(data.whole, columns=len(labels))
    scale = _find_scale(recorded, prior, options)
    number = options.regularization
    weight = number if not isinstance(number, str) else 1.0
    fit = _GainFit(recorded, data, prior, options, order, scale)
    state = fit.settle(fit.start(weight), weight)
    choice = None
    if isinstance(number, str):
        choice = fit.at(state.inverse, regularization=number, constraints=()).choice
        assert choice is not None
        weight = choice.weight / options.redundancy
        state = fit.settle(state, weight)
    state, deviation = fit.match_masses(state, weight)
    found = fit.at(state.inverse, regularization=weight)
    gains = fit.conclude(state, deviation)
    return replace(found, gains=gains, choice=choice)


def _find_scale(
    recorded: Reduction, prior: InertialParameters | ArrayLike | None, options: FitOptions
) -> ScaleSource:
    """Find what decides the common scale of gains and masses, and refuse what does not go together.

    Raises:
        ParameterError: Nothing decides it, or an option does not go with unknown gains.
    """
    if options.loss != "squares" or options.metric not in ("prior", "euclidean"):
        raise ParameterError(
            "unknown drive gains go with loss 'squares' and with the metrics 'prior' and "
            f"'euclidean', not with loss {options.loss!r} and metric {options.metric!r}"
        )
    if any(np.any(system.columns == recorded.columns - 1) for system in recorded.systems):
        return "loads"
    constraints = read_constraints(options.constraints)
    if any(isinstance(each, (FixedMass, TotalMass)) for each in constraints):
        return "masses"
    if prior is None or options.regularization == 0:
        raise ParameterError(
            "nothing decides the common scale of drive gains and masses: give a known load, the "
            "mass of a body, the total mass, or a prior with a positive regularization"
        )
    return "prior"


class _State(NamedTuple):
    """Answer of a round.

    Attributes:
        inverse: (n,) inverses of the gains.
        x: (p,) parameters in order "urdf" [SI].
        factor: Factor of the prior at which it does not pull at the common scale.
        change: Largest relative change of a gain.
        rounds: Number of rounds.
        problem: Problem of the round, with the gains' numbers after the others.
    """

    inverse: Floats
    x: Floats
    factor: float
    change: float = np.inf
    rounds: int = 0
    problem: Problem | None = None


class _GainFit:
    """Fit of bodies and gains to recorded torques.

    Args:
        recorded: Reduction as recorded, with the torque of known loads last.
        data: Measurements.
        prior: As for `identify`.
        options: Options of the fit.
        order: Order of a prior that is an array.
        scale: What decides the common scale.
    """

    def __init__(
        self,
        recorded: Reduction,
        data: Measurements,
        prior: InertialParameters | ArrayLike | None,
        options: FitOptions,
        order: Order,
        scale: ScaleSource,
    ) -> None:
        self.recorded, self.data, self.options = recorded, data, options
        self.scale = scale
        self.prior = None if prior is None else read_about_origin(prior, order)
        self.count = self.recorded.columns - 1
        self.active = np.flatnonzero(self.recorded.squares > 0)
        free = np.full(len(self.active), np.inf)
        own = data.nuisance
        self.nuisance = Nuisance(
            (*own.names, *(f"gain{joint + 1}" for joint in self.active.tolist())),
            np.append(own.lower, -free),
            np.append(own.upper, free),
            np.append(own.prior, np.zeros(len(free))),
            np.append(own.scale, free),
        )

    def start(self, regularization: float) -> _State:
        """Find gains at which the prior's bodies explain the torques, and fit the bodies to them.

        Joints whose torque the prior does not tell start at the median of the others.
        """
        inverse, clear = self._compare(self.prior)
        found = self.at(inverse, regularization=regularization, constraints=())
        if not clear.all():  # bodies as the other joints show them tell more than the prior
            weights = (
                found.weights * np.where(clear, 1.0, SET_ASIDE) if clear.any() else found.weights
            )
            found = self.at(inverse, regularization=regularization, constraints=(), weights=weights)
            again, _ = self._compare(found.problem.theta(found.x))
            inverse = np.where(clear, inverse, again)
            found = self.at(inverse, regularization=regularization, constraints=())
        return _State(inverse, found.problem.si(found.x), 1.0)

    def _compare(self, theta: Floats | None) -> tuple[Floats, Mask]:
        """Regress recorded torques on those of bodies (L, 10) and friction.

        Returns:
            (n,) inverses of the gains, and (n,) whether they are clearly not 0.
        """
        if theta is None:
            return np.ones(self.recorded.joints), np.ones(self.recorded.joints, dtype=bool)
        bodies, found = theta.size, []
        for system in self.recorded.systems:
            own = system.columns < bodies
            torque = system.R[:, own] @ theta.ravel()[system.columns[own]]
            torque = torque + system.R[:, system.columns == self.count].sum(axis=1)
            further = (system.columns >= bodies) & (system.columns < self.count)
            found.append(_regress(torque, system.R[:, further], system))
        values, errors = np.array(found).T
        clear = np.abs(values) > CLEAR * errors
        usual = float(np.median(values[clear])) if clear.any() else 1.0
        return np.where(clear, values, usual), clear | (self.recorded.squares == 0)

    def at(self, inverse: Floats, **changes: object) -> Identification:
        """Identify at given gains, with some options changed."""
        reduction = scale_torques(self.recorded, 1 / inverse)
        back = reduction.relabel(np.argsort(self.data.labels))
        samples = self.data.samples
        whole = None if samples is None else samples.with_gains(1 / inverse)
        data = Measurements(whole, back, self.data.nuisance, self.data.order)
        return estimate(data, self.prior, self._change(inverse, **changes))

    def _change(self, inverse: Floats, **changes: object) -> FitOptions:
        """Change options, and give the weights of recorded torques the unit of torques."""
        weights = self.options.weights
        if weights is not None:
            changes.setdefault("weights", np.asarray(weights) * np.abs(inverse))
        options: FitOptions = replace(self.options, **cast("Any", changes))
        return options

    def settle(self, state: _State, regularization: float) -> _State:
        """Repeat rounds until the gains change no more, and with other signs where those fit."""
        for _ in range(self.recorded.joints):
            state = self._repeat(state, regularization)
            inverse = self._check_signs(state.inverse, regularization)
            if np.array_equal(inverse, state.inverse):
                break
            found = self.at(inverse, regularization=regularization, constraints=())
            state = _State(inverse, found.problem.si(found.x), 1.0, rounds=state.rounds)
        return state

    def _check_signs(self, inverse: Floats, regularization: float) -> Floats:
        """Compare each joint with bodies that the others show: a wrong sign is a local minimum."""
        found = self.at(inverse, regularization=regularization, constraints=())
        for joint in self.active.tolist() if len(self.active) > 1 else ():
            weights = np.array(found.weights)
            weights[joint] *= SET_ASIDE
            other = self.at(inverse, regularization=regularization, constraints=(), weights=weights)
            values, clear = self._compare(other.problem.theta(other.x))
            if clear[joint] and values[joint] * inverse[joint] < 0:
                return np.where(np.arange(len(inverse)) == joint, values, inverse)
        return inverse

    def _repeat(self, state: _State, regularization: float) -> _State:
        """Repeat rounds until the gains change no more."""
        state = state._replace(change=np.inf)
        for _ in range(GAIN_ROUNDS):
            state = self._step(state, regularization)
            if state.change <= tolerances.GAIN_SETTLED:
                break
        return state

    def _step(self, state: _State, regularization: float) -> _State:
        """Take a Gauss-Newton step, halved while the objective rises."""
        options = self._change(state.inverse, regularization=regularization, constraints=())
        reduction = add_gain_columns(self.recorded, 1 / state.inverse, state.x, self.active)
        data = Measurements(None, reduction, self.nuisance)
        prior = None if self.prior is None else state.factor * self.prior
        found = estimate(data, prior, options)
        x, change = found.si[: self.count], np.zeros(self.recorded.joints)
        change[self.active] = found.si[self.count :]
        weights = found.weights / np.abs(state.inverse)
        before = self._objective(found, weights, state.x, state.inverse)
        limit = LARGEST_STEP / max(float(np.abs(change).max()), tolerances.EPS)
        # The whole step comes first: it can give a gain the other sign, which a short one cannot.
        whole = [1.0] if np.all(np.abs(1 + change) > 1 - LARGEST_STEP) else []
        for length in [*whole, *(min(1.0, limit) / 2**k for k in range(HALVINGS))]:
            new = state.x + length * (x - state.x)
            inverse = state.inverse * (1 + length * change)
            if self._objective(found, weights, new, inverse) <= before:
                break
        if self.scale != "loads":  # nothing else decides it here
            ratios = (inverse / state.inverse)[self.active]
            common = float(np.exp(np.mean(np.log(np.abs(ratios)))))
            inverse, new = inverse / common, new * common
        moved = float(np.abs(inverse / state.inverse - 1).max())
        factor = state.factor * find_free_scale(found.problem, new)
        return _State(inverse, new, factor, moved, state.rounds + 1, found.problem)

    def _objective(
        self, found: Identification, weights: Floats, x: Floats, inverse: Floats
    ) -> float:
        """Compute the objective in what was recorded, weights being one over its deviation."""
        reduction = scale_torques(self.recorded, 1 / inverse)
        data = float((weights * np.abs(inverse)) ** 2 @ reduction.residual_squares(x))
        return data + found.problem.prior_term(convert_to_units(found.problem, x))

    def match_masses(self, state: _State, regularization: float) -> tuple[_State, float]:
        """Scale gains so that the masses of a fit at these gains are those that are known.

        Generalised least squares of the masses: each counts by what samples and prior leave open of
        it at given gains.

        Returns:
            The scaled answer, and the standard deviation of the logarithm of the scale; NaN where
            known loads decide the scale.
        """
        if self.scale == "loads":
            return state, float("nan")
        deviation = np.inf
        for _ in range(GAIN_ROUNDS):
            found = self.at(state.inverse, regularization=regularization, constraints=())
            problem = found.problem.independent(self.options.redundancy)
            rows, known, errors = self._list_masses(problem)
            slopes = find_slopes(
                found.problem, correlate_torques(self.recorded, 1 / state.inverse), found.weights
            ).sum(axis=1)
            masses, along = rows @ found.x, rows @ slopes
            V = rows @ invert_information(problem.H) @ rows.T + np.diag(errors**2)
            told = np.linalg.lstsq(V, along, rcond=None)[0]
            information = float(told @ along)
            if not information > 0:
                break
            own = told / information
            # Measure the standard deviation of a sum of masses that bodies at given gains have.
            row = rows.T @ own
            spread = invert_information(problem.H) @ row
            squares = spread * (problem.K @ spread)
            count = 10 * problem.bodies
            bodies = np.maximum(squares[:count].reshape(-1, 10).sum(axis=1), 0.0)
            prior = max(1.0, problem.regularization) * float(np.sqrt(bodies).sum()) ** 2
            beside = max(float(squares[count:].sum()), 0.0)
            deviation = float(
                np.hypot(
                    float(np.sqrt(np.sum((problem.A @ spread) ** 2) + prior + beside)),
                    np.linalg.norm(own * errors),
                )
            )
            step = float(np.clip(told @ (known - masses) / information, *_SCALE_STEP))
            state = state._replace(inverse=state.inverse / np.exp(step))
            if abs(step) <= tolerances.GAIN_SETTLED:
                break
        return state, deviation

    def _list_masses(self, problem: Problem) -> tuple[Floats, Floats, Floats]:
        """List known masses: rows (c, p) of x, masses (c,) and their deviations [kg]."""
        rows, known, errors = [], [], []
        own = np.zeros((problem.bodies, problem.A.shape[1]))
        for body, row in enumerate(own):
            row[10 * body : 10 * body + 10] = problem.to_theta[body][0]
        prior = problem.theta0[:, 0]
        for constraint in read_constraints(self.options.constraints):
            if not isinstance(constraint, (FixedMass, TotalMass)):
                continue
            bodies = constraint.bodies
            chosen = list(range(problem.bodies) if bodies is None else bodies)
            if isinstance(constraint, TotalMass):
                rows.append(own[chosen].sum(axis=0))
                known.append(constraint.mass)
                # What is anywhere between two bounds deviates by their distance over sqrt(12).
                errors.append(constraint.tolerance * constraint.mass / np.sqrt(3))
            else:
                rows += list(own[chosen])
                masses = (
                    prior[chosen] if constraint.mass is None else [constraint.mass] * len(chosen)
                )
                known += list(masses)
                errors += [0.0] * len(chosen)
        if not rows:
            rows, known = [own.sum(axis=0)], [float(prior.sum())]
            # All masses of the prior can be wrong together by as much as each of them.
            errors = [known[0] / np.sqrt(problem.regularization)]
        return np.array(rows), np.array(known), np.array(errors)

    def conclude(self, state: _State, deviation: float) -> GainEstimate:
        """Measure the uncertainty of settled gains.

        Args:
            state: Answer of the last round.
            deviation: Standard deviation of the logarithm of the common scale; NaN where known
                loads decide it.
        """
        assert state.problem is not None
        active, joints = self.active, len(self.active)
        problem = state.problem.independent(self.options.redundancy)
        # Measure the covariance (n, n) of the relative errors of the gains.
        x = convert_to_units(problem, state.x)
        own = np.array(x)
        own[10 * problem.bodies :] = 0.0
        pull = problem.K @ own
        H, along = problem.H, float(pull @ own)
        if along > 0:
            H = H - np.outer(pull, pull) / along
        units = problem.unit[-joints:]
        own = np.asarray(
            invert_information(H)[-joints:, -joints:] * np.multiply.outer(units, units)
        )
        if self.scale != "loads":
            centre = np.eye(joints) - 1 / joints
            own = centre @ own @ centre + deviation**2
        covariance = np.zeros((self.recorded.joints, self.recorded.joints))
        covariance[np.ix_(active, active)] = own
        return GainEstimate(
            1 / state.inverse,
            covariance,
            self.scale,
            tuple(active[list(find_open_gains(state.problem, joints))].tolist()),
            state.change,
            state.rounds,
            correlate_torques(self.recorded, 1 / state.inverse),
        )


def _regress(torque: Floats, further: Floats, system: System) -> tuple[float, float]:
    """Regress what was recorded on a torque and further columns: factor and standard error."""
    columns = np.column_stack([torque, further])
    sizes = np.linalg.norm(columns, axis=0)
    kept = sizes > 0
    if not kept[0]:
        return 0.0, np.inf
    Q, R = np.linalg.qr(columns[:, kept] / sizes[kept])
    if np.abs(np.diag(R)).min() < tolerances.RANK:
        return 0.0, np.inf
    inverse = np.linalg.inv(R)
    x = inverse @ (Q.T @ system.rho)
    left = float(np.sum((system.rho - Q @ (Q.T @ system.rho)) ** 2)) + system.rss
    variance = left / max(system.samples - len(x), 1)
    error = float(np.sqrt(variance * np.sum(inverse[0] ** 2)))
    return float(x[0] / sizes[0]), error / float(sizes[0])


PROFILE = (0.01, 0.03, 0.1, 0.2, 0.4)
"""Stribeck velocities of the profile, relative to the highest speed of each joint."""

NONLINEAR_ROUNDS = 60
"""Largest number of rounds; five to twenty are usual."""

SEEN = 4.0
"""Standard deviations by which Stribeck's friction has to differ from 0 before its velocity is
sought: a velocity of no friction means nothing."""

_SLOW = 0.8
"""Part of the last step above which the next ones are shortened."""

_FINE = 1e-2
"""Standard deviations below which steps that do not fall go to and fro about a sample whose load
is zero: the signs of the loads stay from there on."""

_SHORTER, _LONGER = 0.5, 1.5
"""Factors by which steps are shortened where they do not fall, and grow again where they do."""

Solve = Callable[[OperatingPoint | None, float | None], Identification]
"""Function that solves the linear problem about a point, with a weight of the prior or its rule."""


def solve_nonlinear(
    solve: Solve, nuisance: Nuisance, fastest: Floats
) -> tuple[Identification, OperatingPoint]:
    """Find bodies and friction of a nonlinear model.

    The weight of the prior is chosen twice: without the nonlinear friction, and with it.

    Args:
        solve: Solves the linear problem about an operating point, or without nonlinear friction.
        nuisance: Friction as declared.
        fastest: (n,) highest speeds of the joints.

    Returns:
        The answer, and the point about which its problem is linear.
    """
    first = solve(None, None)
    weight = first.regularization / first.redundancy
    point = _find_start(solve, nuisance, fastest, first, weight)
    found, point = _iterate(solve, point, weight, NONLINEAR_ROUNDS)
    chosen = solve(point, None)
    if chosen.choice is None and chosen.regularization == found.regularization:
        return found, point
    weight = chosen.regularization / chosen.redundancy
    again, point = _iterate(solve, point, weight, NONLINEAR_ROUNDS)
    return replace(again, choice=chosen.choice, rounds=found.rounds + again.rounds), point


def _find_start(
    solve: Solve, nuisance: Nuisance, fastest: Floats, first: Identification, weight: float
) -> OperatingPoint:
    """Find the point from which rounds start: that of the best profile of each joint."""
    theta = first.si[: 10 * len(first.bodies)]
    none = np.zeros(len(fastest))
    terms = [term for term in nuisance.terms if isinstance(term, Stribeck)]
    best: OperatingPoint | None = None
    least = np.full(len(fastest), np.inf)
    for part in PROFILE:
        velocity = terms[0].start(fastest, part) if terms else np.ones(len(fastest))
        point = OperatingPoint(velocity, none, none, theta, fastest)
        if best is None:
            best = point
        if not terms:
            return point
        trial = solve(point, weight)
        excess = _read(trial, "fst", none)
        least_seen = SEEN * _read_deviations(trial, "fst", none)
        better = trial.rmse < least
        best = best._replace(
            velocity=np.where(better, velocity, best.velocity),
            excess=np.where(better, np.where(excess > least_seen, excess, 0.0), best.excess),
        )
        least = np.where(better, trial.rmse, least)
        if terms[0].fixed:
            break
    assert best is not None
    return best


def _iterate(
    solve: Solve, point: OperatingPoint, weight: float, rounds: int
) -> tuple[Identification, OperatingPoint]:
    """Repeat linear problems until the point stays."""
    last: dict[str, float] = {}
    lengths: dict[str, float] = {}
    before, stays = np.inf, False
    for count in range(1, rounds + 1):
        found = solve(point, weight)
        steps = dict(zip(found.names, found.problem.numbers(found.x).tolist(), strict=True))
        moved = {name: step for name, step in steps.items() if name.startswith(("vs", "fl"))}
        # Measure the largest change in standard deviations.
        deviations = found.nuisance_standard_deviation
        sizes = [
            abs(step) / deviations[name] if deviations[name] > 0 else float(step != 0) * np.inf
            for name, step in moved.items()
            if step != 0
        ]
        step = float(max(sizes, default=0.0))
        found = replace(found, rounds=count, step=step)
        if step <= tolerances.STATIONARY and _same_signs(found, point):
            return found, point
        if count == rounds:
            break
        stays = stays or (step < _FINE and step > _SLOW * before)
        before = step
        for name, own in moved.items():
            slow = abs(own) > _SLOW * abs(last.get(name, np.inf))
            factor = _SHORTER if slow else _LONGER
            lengths[name] = min(1.0, factor * lengths.get(name, 1.0))
        shortened = {name: lengths[name] * own for name, own in moved.items()}
        ahead = _advance(found, point, shortened)
        point, last = ahead._replace(theta=point.theta) if stays else ahead, moved
    return found, point


def _same_signs(found: Identification, point: OperatingPoint) -> bool:
    """Decide whether the excess of the point, by which slopes are scaled, is that of the answer."""
    excess = _read(found, "fst", point.excess)
    slopes = np.array([f"vs{joint + 1}" in found.names for joint in range(len(excess))])
    near = np.abs(excess - point.excess) <= np.sqrt(tolerances.STATIONARY) * np.abs(excess)
    return bool(np.all(near | ~slopes))


def _advance(
    found: Identification, point: OperatingPoint, moved: dict[str, float]
) -> OperatingPoint:
    """Move a point to an answer."""
    velocity, load = np.array(point.velocity), np.array(point.load)
    for name, step in moved.items():
        joint = int(name.removeprefix("vs").removeprefix("fl")) - 1
        if name.startswith("vs"):
            most = point.fastest[joint]
            velocity[joint] = np.clip(velocity[joint] + step, SLOWEST * most, FASTEST * most)
        else:
            load[joint] += step
    theta = found.si[: 10 * len(found.bodies)]
    excess = np.where(point.excess > 0, _read(found, "fst", point.excess), 0.0)
    return OperatingPoint(velocity, excess, load, theta, point.fastest)


def _read(found: Identification, symbol: str, before: Floats) -> Floats:
    """Read the numbers (n,) of one kind from an answer."""
    numbers = found.nuisance
    return np.array(
        [numbers.get(f"{symbol}{joint + 1}", own) for joint, own in enumerate(before.tolist())]
    )


def _read_deviations(found: Identification, symbol: str, before: Floats) -> Floats:
    """Read the standard deviations (n,) of one kind; infinite where a joint has none."""
    deviations = found.nuisance_standard_deviation
    return np.array(
        [deviations.get(f"{symbol}{joint + 1}", np.inf) for joint in range(len(before))]
    )
