"""Identification: consistent inertial parameters of all bodies together, from measured torques."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, NamedTuple, get_args

import numpy as np

from inertial_check.arrays.arguments import explain_errors
from inertial_check.arrays.types import ArrayLike, Floats, Integers
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.estimation import (
    choosing,
    constrained,
    evidence,
    interior_point,
    noise,
    priors,
    regularisers,
    robust,
)
from inertial_check.identification.estimation.instruments import InstrumentedReduction
from inertial_check.identification.estimation.joint_friction import OperatingPoint
from inertial_check.identification.estimation.nonlinear import solve_nonlinear
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction, label_columns
from inertial_check.identification.estimation.result import (
    Identification,
    body_names,
    describe_gap,
)
from inertial_check.identification.estimation.sampled import Samples, read_reals
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, reorder
from inertial_check.projection._constraint import Constraint, read_constraints
from inertial_check.projection.closed_form import read_margin
from inertial_check.solvers.certificate import Certificate

PriorMetric = Literal["prior", "entropic", "affine-invariant", "euclidean"]
"""Distance of a body from its prior."""

Loss = Literal["squares", "huber"]
"""Loss function of a residual."""

WeightRule = Literal["evidence", "k-fold", "l-curve"]
"""Rule that chooses the weight of the prior from the samples."""

Method = Literal["least-squares", "instrumental-variables", "didim"]
"""Method of an identification; all but the first simulate the robot."""

GainRule = Literal["unknown"]
"""Word for drive gains that are identified with the bodies."""

_MARGIN_ROUNDS = 60
"""Largest number of rounds that lift bodies to a margin, which depends on their own size."""

_MARGIN_STEP = 1.01
"""Factor by which each round lifts a body more than it lacks, since the body grows with it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """Options of a fit, stated once from the command line to the solver.

    Attributes: As the arguments of `identify` of the same names.
    """

    weights: ArrayLike | None = None
    constraints: Constraint | Iterable[Constraint] = ()
    regularization: float | WeightRule = 1.0
    metric: PriorMetric = "prior"
    loss: Loss = "squares"
    margin: float = 0.0
    prior_margin: float = tolerances.PRIOR_MARGIN
    redundancy: float = 1.0
    bodies: Sequence[str] | None = None
    solver: str | None = None

    def __post_init__(self) -> None:
        """Refuse unknown names and a redundancy below one.

        Raises:
            ParameterError: The message names the option.
        """
        _refuse_unknown("metric", self.metric, get_args(PriorMetric))
        _refuse_unknown("loss", self.loss, get_args(Loss))
        if not 1 <= self.redundancy < np.inf:
            raise ParameterError(f"redundancy is {self.redundancy!r}, expected a number from 1 on")


@explain_errors
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
    _refuse_unknown("gain", gain, get_args(GainRule))
    from inertial_check.identification.estimation.gains import estimate_with_gains

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
    rule = _read_rule(regularization)
    fit = _JointFit(expected.theta, data.nuisance, options, names)
    reduction = data.whole
    weights, remarks = _read_weights(options.weights, reduction, fit)
    choice = None
    if rule is None:
        weight = float(regularization) * options.redundancy
    else:
        if options.loss == "huber" and data.samples is not None:
            reduction, weights = _weigh_down_outliers(data, fit, weights, options)
        choice = _choose_weight(rule, data, fit, weights, options.redundancy, reduction)
        reduction = data.whole
        weight = choice.weight
    solution = fit.solve(reduction, weights, weight)
    if options.loss == "huber":
        weights, remarks, solution = _iterate_huber(
            data, fit, weights, remarks, solution, options.weights is None
        )
    return Identification(
        bodies=names,
        order=data.order,
        problem=solution.problem,
        x=solution.x,
        reduction=reduction.relabel(np.argsort(data.labels)),
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


@dataclass(frozen=True, eq=False)
class Measurements:
    """Samples, or only their reduction, and the meaning of their columns.

    Attributes:
        samples: None if only the reduction is known.
        reduced: The reduction, if it is known or there are no samples.
        nuisance: Torques besides those of the bodies.
        order: Order of the last six columns of each body.
        instruments: Samples whose columns are instruments; None for least squares.
    """

    samples: Samples | None
    reduced: Reduction | None
    nuisance: Nuisance
    order: Order = "urdf"
    instruments: Samples | None = None

    def with_instruments(self, instruments: ArrayLike | Samples) -> Measurements:
        """Project the equations on instruments.

        Raises:
            ParameterError: There are no samples, only their reduction; friction is nonlinear; or
                the instruments have another shape.
        """
        samples = self.samples
        if samples is None:
            raise ParameterError(
                "instruments are columns for each sample: a Reduction has none; give Samples or "
                "arrays"
            )
        if samples.nuisance.nonlinear:
            raise ParameterError("instruments go with friction that is linear in its numbers")
        if not isinstance(instruments, Samples):
            Z = read_reals("instruments", instruments)
            expected = (samples.samples, samples.joints, 10 * samples.bodies)
            if Z.ndim == 2 and samples.joints == 1:
                Z = Z[:, None, :]
            if Z.shape != expected:
                raise ParameterError(
                    f"instruments have shape {Z.shape}, expected {expected}, as the regressor has"
                )
            beside = np.concatenate([F for _, F, _ in samples.blocks()])
            nuisance = replace(samples.nuisance, ready=beside)
            instruments = Samples.of_arrays(Z, 0 * Z[:, :, 0], nuisance, samples.order)
        return replace(self, reduced=None, instruments=instruments)

    @classmethod
    def read(
        cls,
        Y: ArrayLike | Samples | Reduction,
        tau: ArrayLike | None,
        nuisance: Nuisance | Mapping[str, ArrayLike] | ArrayLike | None,
        order: Order,
    ) -> Measurements:
        """Read the arguments of `identify`.

        Raises:
            ParameterError: Arguments contradict each other, or shapes do not fit.
        """
        reorder(np.zeros(10), "urdf", order)  # refuses an unknown order
        if isinstance(Y, (Samples, Reduction)) and tau is not None:
            raise ParameterError(f"{Y!r} holds its torques: expected tau=None beside it")
        if isinstance(Y, Samples):
            if nuisance is not None:
                raise ParameterError("Samples hold their nuisance: declare it where they are made")
            return cls(Y, None, Y.nuisance, Y.order)
        further = _read_nuisance(nuisance)
        if isinstance(Y, Reduction):
            if Y.columns <= len(further) or (Y.columns - len(further)) % 10:
                raise ParameterError(
                    f"{Y!r} beside {len(further)} nuisance columns: expected ten columns a body"
                )
            return cls(None, Y, further, order)
        if tau is None:
            raise ParameterError("tau is None: the torques (S, n) are needed beside a regressor")
        return cls(Samples.of_arrays(Y, tau, further, order), None, further, order)

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        if self.samples is not None:
            return self.samples.bodies
        assert self.reduced is not None
        return (self.reduced.columns - len(self.nuisance)) // 10

    @property
    def labels(self) -> Integers:
        """(p,) place of each column in order "urdf"."""
        further = 10 * self.bodies + np.arange(len(self.nuisance))
        return np.concatenate([label_columns(self.bodies, self.order), further])

    @cached_property
    def whole(self) -> Reduction:
        """Reduction of all samples, in order "urdf"."""
        if self.reduced is not None:
            return self.reduced.relabel(self.labels)
        assert self.samples is not None
        if self.instruments is not None:
            reduction = InstrumentedReduction.of_samples(self.samples, self.instruments)
            return reduction.relabel(self.labels)
        return self.samples.reduce().relabel(self.labels)

    def folds(self, count: int) -> list[Reduction]:
        """Reduce consecutive parts of the samples, each by itself, in order "urdf".

        Raises:
            ParameterError: There are no samples, only their reduction.
        """
        if self.samples is None:
            raise ParameterError(
                "regularization 'k-fold' leaves out samples in turn: a Reduction has none; give "
                "Samples, arrays, or a number"
            )
        return [fold.relabel(self.labels) for fold in self.samples.folds(count)]


class _Solution(NamedTuple):
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


class _JointFit:
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

    def solve(self, reduction: Reduction, weights: Floats, regularization: float) -> _Solution:
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
    ) -> _Solution:
        pull = regularisers.euclidean_pull(self.theta0) if self.metric == "euclidean" else None
        problem = Problem.of(
            system, self.theta0, self.nuisance, regularization, spread=spread, pull=pull
        )
        proof: Callable[[], Certificate]
        if self.constraints or self.solver is not None:
            solver = self.solver or "clarabel"
            conic = constrained.solve(problem, self.constraints, solver)
            x, certificate, steps, proof = conic.x, conic.certificate, conic.steps, conic.certify
            return _Solution(
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
        return _Solution(
            problem, answer.x, answer.certificate, term, answer.steps, "interior point", proof
        )


def _read_weights(weights: ArrayLike | None, reduction: Reduction, fit: _JointFit) -> noise.Noise:
    """Read the weights of the joints, or estimate them from the residuals.

    Raises:
        ParameterError: Their number does not fit, or one is negative or not finite.
    """
    if weights is None:
        return noise.estimate_noise(reduction, fit.theta0, fit.nuisance)
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim > 1 or given.size not in (1, reduction.joints):
        raise ParameterError(
            f"weights has shape {given.shape}, expected ({reduction.joints},): one for each joint, "
            "or one for all"
        )
    given = np.broadcast_to(given, (reduction.joints,))
    if not np.all(np.isfinite(given) & (given >= 0)) or not given.any():
        raise ParameterError(f"weights are {given.tolist()}, expected positive numbers [1/(N m)]")
    return noise.Noise(np.array(given), ())


def _iterate_huber(
    data: Measurements,
    fit: _JointFit,
    weights: Floats,
    remarks: tuple[str, ...],
    solution: _Solution,
    estimate_weights: bool,
) -> tuple[Floats, tuple[str, ...], _Solution]:
    """Minimise Huber's loss by reweighted least squares, in rounds until it falls no more.

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
    count = int(data.samples.samples) * len(weights)
    remark = (
        f"{factors.bent} of {count} residuals are beyond {robust.BEND} deviations and count by "
        "their size"
    )
    return weights, (*remarks, remark), solution


def _weigh_down_outliers(
    data: Measurements, fit: _JointFit, weights: Floats, options: FitOptions
) -> tuple[Reduction, Floats]:
    """Reduce the samples as Huber's loss weighs them, and weigh the joints by what is left.

    Outliers would pass for noise otherwise, and a rule would give the prior too much weight.
    """
    assert data.samples is not None
    first = fit.solve(data.whole, weights, options.redundancy)
    weights, _, found = _iterate_huber(data, fit, weights, (), first, options.weights is None)
    factors = robust.Huber(found.si[data.labels], weights)
    return data.samples.reduce(factors).relabel(data.labels), weights


def _choose_weight(
    rule: WeightRule,
    data: Measurements,
    fit: _JointFit,
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

    def solve(reduction: Reduction, regularization: float) -> _Solution:
        found = fit.solve(reduction, weights, regularization)
        if not found.certificate.proves:  # candidates are compared by their objectives
            raise ProjectionError(describe_gap(found.certificate), found.problem)
        return found

    if rule == "k-fold":
        return choosing.k_fold(data.folds(choosing.FOLDS * choosing.STRETCHES), weights, solve)
    return choosing.l_curve(data.whole, weights, solve)


def _read_nuisance(
    given: Nuisance | Mapping[str, ArrayLike] | ArrayLike | None,
) -> Nuisance:
    """Read the torques besides those of the bodies, in any of their forms.

    Raises:
        ParameterError: Columns of different shapes.
    """
    if given is None:
        return Nuisance()
    if isinstance(given, Nuisance):
        return given
    if isinstance(given, Mapping):
        columns = [np.asarray(column, dtype=np.float64) for column in given.values()]
        shapes = {column.shape for column in columns}
        if len(shapes) > 1:
            raise ParameterError(f"nuisance columns have shapes {shapes}, expected one for all")
        return Nuisance.from_columns(np.stack(columns, axis=-1), list(given))
    return Nuisance.from_columns(given)


def _read_rule(regularization: float | WeightRule) -> WeightRule | None:
    """Read the rule that chooses the weight of the prior; None if the weight is a number.

    Raises:
        ParameterError: An unknown rule, or a number that is negative or not finite.
    """
    if isinstance(regularization, str):
        _refuse_unknown("regularization", regularization, get_args(WeightRule))
        return regularization
    if not 0 <= float(regularization) < np.inf:
        raise ParameterError(
            f"regularization is {regularization!r}, expected a number from 0 on, 'evidence', "
            "'k-fold' or 'l-curve'"
        )
    return None


def _refuse_unknown(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParameterError(f"{name} is {value!r}; available are {', '.join(map(repr, known))}")
