"""Consistent inertial parameters of all bodies together, from measured torques."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.estimation import (
    interior_point,
    noise,
    priors,
    regularisers,
    robust,
)
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.result import Identification, body_names
from inertial_check.identification.estimation.sampled import Samples
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, reorder
from inertial_check.projection._constraint import Constraint, read_constraints
from inertial_check.projection.closed_form import read_margin
from inertial_check.solvers.certificate import Certificate

Metric = Literal["prior", "entropic", "affine-invariant", "euclidean"]
METRICS: tuple[Metric, ...] = get_args(Metric)
"""What the distance from the prior is."""

Loss = Literal["squares", "huber"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
"""What becomes of a residual."""

Rule = Literal["k-fold", "l-curve"]
RULES: tuple[Rule, ...] = get_args(Rule)
"""How the weight of the prior is chosen."""

MARGIN_ROUNDS = 60
"""Rounds in which bodies are lifted to a margin that depends on their own size."""

LIFT = 1.01
"""By how much each round lifts a body more than it lacks: it grows with it."""


def identify(  # noqa: PLR0913 - the public signature
    Y: Any,
    tau: Any = None,
    prior: Any = None,
    *,
    weights: Any = None,
    constraints: Any = (),
    nuisance: Any = None,
    order: Order = "urdf",
    regularization: float | str = 1.0,
    metric: str = "prior",
    loss: str = "squares",
    margin: float = 0.0,
    prior_margin: float = tolerances.PRIOR_MARGIN,
    redundancy: float = 1.0,
    bodies: Sequence[str] | None = None,
    solver: str | None = None,
) -> Identification:
    """Find the consistent bodies that explain measured torques best, near a prior.

        minimise ||w (Y theta + F f - tau)||^2 + regularization (sum_i D(Pi_i, P_i)
                 + sum_k ((f_k - prior_k) / scale_k)^2)
        over bodies with Pi_i >= 0, and lower_k <= f_k <= upper_k

    All bodies together: what torques tell is combinations of several bodies, and a body that is
    made consistent by itself afterwards spoils the fit. D is, by `metric`,

    * "prior" (default): ||L^-1 (Pi - P) L^-T||_F^2 with P = L L^T the prior's pseudo-inertia; it
      depends neither on frames nor on units;
    * "entropic": the log-det Bregman divergence tr(P^-1 Pi) - log det(P^-1 Pi) - 4;
    * "affine-invariant": ||log(L^-1 Pi L^-T)||_F^2, not convex: a minimum among its neighbours;
    * "euclidean": ||theta - prior||^2 in units of the prior's mass m and radius of gyration k: kg
      by m, kg m by m k, kg m^2 by m k^2. It depends on the origin and the axes.

    The samples are reduced by QR in blocks, joint by joint; only what is small is solved.

    Sources: Wensing, Kim, Slotine, IEEE Robot. Autom. Lett. 3 (2018); Sousa, Cortesao, Int. J.
    Robot. Res. 33 (2014); Lee, Wensing, Park, IEEE Trans. Robot. 36 (2020).

    Args:
        Y: (S, n, 10 L) with tau = Y theta, theta of the bodies about their origins, one after
            another; (S, 10 L), which counts as one joint; Samples, also of a trajectory, which need
            not be in memory at once; or a Reduction.
        tau: (S, n) or (S,) torques [N m] or forces [N]; None beside Samples and a Reduction.
        prior: InertialParameters or (L, 10), what the bodies are expected to be, in the same order.
            Those that are not strictly inside the cone are moved there, and a remark says which.
            None only where the samples decide every parameter.
        weights: (n,) factors of the residuals of each joint, one over the deviation of its noise
            [1/(N m)]; or one for all. None finds them: least squares, the deviation of each joint's
            residuals, and again until they agree.
        constraints: Of inertial_check.projection.constraints; `bodies` in them are indices 0 to
            L - 1. With the metrics prior and euclidean.
        nuisance: What is in the torques beside the bodies, a Nuisance, or a mapping of names to
            columns (S, n), or one array of columns (S, n, k). Samples have their own.
        order: Of the last six of each body: urdf, pinocchio, mujoco, wensing or ksl.
        regularization: Weight of the priors: at 1, a body changed by its prior's own size costs as
            much as one residual of one deviation. Or "k-fold", by validation, or "l-curve".
        metric: Of the priors.
        loss: "squares", or "huber": residuals beyond 1.345 deviations count by their size, not
            their square.
        margin: Least margin of the bodies, 0 to 1/3.
        prior_margin: What priors are given that have less.
        redundancy: How many samples say what one independent one would, as filters make them:
            signals.smoothed tells it. A regularization that is a number is multiplied by it, and
            standard deviations count independent samples.
        bodies: L names, for the remarks.
        solver: None for the interior-point method of this package or, with constraints, Clarabel;
            the name of an installed conic solver ("clarabel", "scs") for the same answer by that.

    Returns:
        The bodies, with fit, rank, what the samples decide, and a proof of optimality.

    Raises:
        ParameterError: Shapes that do not fit, numbers that are not finite, an unknown name; a
            parameter that neither samples nor prior decide. Names the place.
        ProjectionError: No answer could be certified, or the constraints exclude each other.
    """
    _refuse_unknown(metric=(metric, METRICS), loss=(loss, LOSSES))
    if not 1 <= redundancy < np.inf:
        raise ParameterError(f"redundancy is {redundancy!r}, expected a number from 1 on")
    data = _data(Y, tau, nuisance, order)
    names = body_names(bodies, data.count)
    if prior is None:
        believed, regularization = priors.without(data.whole, data.nuisance), 0.0
    else:
        believed = priors.prepare_priors(prior, data.count, order, prior_margin, names)
    rule = _rule(regularization)
    asked = _Asked(
        believed.theta,
        data.nuisance,
        metric,
        read_constraints(constraints),
        read_margin(margin),
        solver,
        names,
    )
    asked.validate()
    found = _weighed(data, asked, weights)
    choice = None if rule is None else _chosen(rule, data, asked, found.weights)
    weight = float(regularization) * redundancy if choice is None else choice.weight
    fit = asked.fit(found.reduction, found.weights, weight)
    if loss == "huber":
        found, fit = _robust(data, asked, found, fit, weights is None)
    return Identification(
        bodies=names,
        order=data.order,
        problem=fit.problem,
        x=fit.x,
        reduction=found.reduction.relabel(np.argsort(data.labels)),
        weights=found.weights,
        metric=metric,
        loss=loss,
        solver=fit.solver,
        iterations=fit.steps,
        certificate=fit.certificate,
        prior_term=fit.prior_term,
        names=data.nuisance.names,
        given=believed.given,
        proof=fit.proof,
        redundancy=float(redundancy),
        noted=(*believed.remarks, *found.remarks),
        choice=choice,
    )


@dataclass(frozen=True, eq=False)
class _Data:
    """The samples, and what their columns are.

    Attributes:
        samples: None where only their reduction is known.
        reduced: The reduction that was given.
        nuisance: The further numbers.
        order: Of the columns of each body.
    """

    samples: Samples | None
    reduced: Reduction | None
    nuisance: Nuisance
    order: Order

    @property
    def further(self) -> int:
        """How many further numbers there are."""
        return len(self.nuisance)

    @property
    def count(self) -> int:
        """How many bodies there are."""
        if self.samples is not None:
            return self.samples.bodies
        assert self.reduced is not None
        return (self.reduced.columns - self.further) // 10

    @property
    def labels(self) -> npt.NDArray[np.intp]:
        """(p,) the place of each column in order "urdf"."""
        own = np.asarray(reorder(np.arange(10.0), "urdf", self.order)).astype(np.intp)
        bodies = (10 * np.arange(self.count)[:, None] + own).ravel()
        return np.concatenate([bodies, 10 * self.count + np.arange(self.further)])

    @cached_property
    def whole(self) -> Reduction:
        """All samples, in order "urdf"."""
        if self.samples is None:
            assert self.reduced is not None
            return self.reduced.relabel(self.labels)
        return self.samples.reduce().relabel(self.labels)

    def folds(self, count: int) -> list[Reduction]:
        """In order "urdf".

        Raises:
            ParameterError: There is nothing but a reduction.
        """
        if self.samples is None:
            raise ParameterError(
                "regularization 'k-fold' leaves out samples in turn: a Reduction has none; give "
                "Samples, arrays, or a number"
            )
        return [fold.relabel(self.labels) for fold in self.samples.folds(count)]


class _Weighed(NamedTuple):
    """The samples, reduced, and what each joint counts."""

    reduction: Reduction
    weights: Floats
    remarks: tuple[str, ...]


class _Fit(NamedTuple):
    """An answer."""

    problem: Problem
    x: Floats
    certificate: Certificate
    prior_term: float
    steps: int
    solver: str
    proof: Callable[[], Certificate]

    @property
    def si(self) -> Floats:
        """The parameters (p,) [SI], in order "urdf"."""
        return np.concatenate([self.problem.theta(self.x).ravel(), self.problem.numbers(self.x)])


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is wanted of the samples, whatever their weights."""

    theta0: Floats
    nuisance: Nuisance
    metric: str
    constraints: tuple[Constraint, ...]
    margin: float
    solver: str | None
    names: tuple[str, ...]

    def validate(self) -> None:
        """Refuse what does not go together.

        Raises:
            ParameterError: Naming both.
        """
        if self.metric in ("prior", "euclidean"):
            return
        for name, value in (
            ("constraints", self.constraints),
            ("a margin", self.margin),
            ("a solver", self.solver),
        ):
            if value:
                raise ParameterError(
                    f"metric {self.metric!r} takes no {name.removeprefix('a ')}: 'prior' does, and "
                    "'euclidean'"
                )

    def fit(self, reduction: Reduction, weights: Floats, regularization: float) -> _Fit:
        """The answer, with the margin."""
        system = reduction.stack(weights)
        spread = np.zeros(len(self.theta0))
        found = self._fit(system, regularization, spread)
        for _ in range(MARGIN_ROUNDS if self.margin else 0):
            theta = found.problem.theta(found.x)
            short = check(theta).margin < self.margin
            if not np.any(short):
                return found
            moments = InertialParameters.from_theta(theta).central_second_moment
            wanted = LIFT * self.margin * np.trace(moments, axis1=1, axis2=2)
            spread = np.where(short, np.maximum(LIFT * spread, wanted), spread)
            found = self._fit(system, regularization, spread)
        if self.margin:
            margins = check(found.problem.theta(found.x)).margin
            worst = int(np.argmin(margins))
            raise ProjectionError(
                f"no margin of {self.margin:g}: {self.names[worst]} comes to "
                f"{float(margins[worst]):.6g}; ask for less",
                found.problem,
            )
        return found

    def _fit(
        self, system: tuple[Floats, Floats, float], regularization: float, spread: Floats
    ) -> _Fit:
        pull = regularisers.euclidean_pull(self.theta0) if self.metric == "euclidean" else None
        problem = Problem.of(
            system, self.theta0, self.nuisance, regularization, spread=spread, pull=pull
        )
        if self.constraints or self.solver is not None:
            return self._conic(problem)
        if self.metric in ("entropic", "affine-invariant"):
            answer = regularisers.solve(problem, self.metric)  # type: ignore[arg-type]
            term = regularisers.prior_term(problem, answer.x, self.metric)  # type: ignore[arg-type]
            proof = partial(regularisers.certify, problem, answer.x, self.metric)  # type: ignore[arg-type]
        else:
            answer = interior_point.solve(problem)
            term = problem.prior_term(answer.x)
            proof = partial(problem.certify, answer.x)
        return _Fit(
            problem, answer.x, answer.certificate, term, answer.steps, "interior point", proof
        )

    def _conic(self, problem: Problem) -> _Fit:
        from inertial_check.identification.estimation import constrained

        answer = constrained.solve(problem, self.constraints, self.solver or "clarabel")
        return _Fit(
            problem,
            answer.x,
            answer.certificate,
            problem.prior_term(answer.x),
            answer.steps,
            (self.solver or "clarabel").lower(),
            answer.certify,
        )


def _weighed(data: _Data, asked: _Asked, weights: Any) -> _Weighed:
    """The samples, reduced, with the weights that were given or are found."""
    reduction = data.whole
    if weights is None:
        found = noise.estimate_noise(reduction, asked.theta0, asked.nuisance)
        return _Weighed(reduction, *found)
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim > 1 or given.size not in (1, reduction.joints):
        raise ParameterError(
            f"weights has shape {given.shape}, expected ({reduction.joints},): one for each joint, "
            "or one for all"
        )
    given = np.broadcast_to(given, (reduction.joints,))
    if not np.all(np.isfinite(given) & (given >= 0)) or not given.any():
        raise ParameterError(f"weights are {given.tolist()}, expected positive numbers [1/(N m)]")
    return _Weighed(reduction, np.array(given), ())


def _robust(
    data: _Data, asked: _Asked, found: _Weighed, fit: _Fit, weigh: bool
) -> tuple[_Weighed, _Fit]:
    """Rounds of Huber's loss until it falls no more; the weights are found anew where `weigh`."""
    if data.samples is None:
        raise ParameterError("loss 'huber' looks at each sample: a Reduction has none")
    last, weights, remarks = np.inf, found.weights, list(found.remarks)
    for _ in range(robust.ROUNDS):
        factors = robust.Huber(fit.si[data.labels], weights)
        reduction = data.samples.reduce(factors).relabel(data.labels)
        objective = factors.loss + fit.prior_term
        if not weigh and objective >= last * (1 - robust.SETTLED):
            break
        if weigh:
            before, weights = weights, factors.reweigh(reduction.samples)
            moved = np.abs(weights - before) > noise.news(reduction.samples) * before
            weigh = bool(moved.any())
        fit = asked.fit(reduction, weights, fit.problem.regularization)
        last = np.inf if weigh else objective
    else:
        remarks.append(f"Huber's loss still falls after {robust.ROUNDS} rounds")
    remarks.append(
        f"{factors.bent} of {int(data.samples.samples) * len(weights)} residuals are beyond "
        f"{robust.BEND} deviations and count by their size"
    )
    return _Weighed(found.reduction, weights, tuple(remarks)), fit


def _chosen(rule: str, data: _Data, asked: _Asked, weights: Floats) -> Any:
    """The weight of the prior."""
    from inertial_check.identification.estimation import choosing

    def solve(reduction: Reduction, regularization: float) -> _Fit:
        return asked.fit(reduction, weights, regularization)

    if rule == "k-fold":
        return choosing.k_fold(data.folds(choosing.FOLDS * choosing.STRETCHES), weights, solve)
    return choosing.l_curve(data.whole, weights, solve)


def _data(Y: Any, tau: Any, nuisance: Any, order: Order) -> _Data:
    """The samples.

    Raises:
        ParameterError: Arguments that do not go together, shapes that do not fit.
    """
    reorder(np.zeros(10), "urdf", order)  # refuses an unknown order
    if isinstance(Y, (Samples, Reduction)) and tau is not None:
        raise ParameterError(f"{Y!r} holds its torques: expected tau=None beside it")
    if isinstance(Y, Samples):
        if nuisance is not None:
            raise ParameterError("Samples hold their nuisance: declare it where they are made")
        return _Data(Y, None, Y.nuisance, Y.order)
    beside = _nuisance(nuisance)
    if isinstance(Y, Reduction):
        if Y.columns <= len(beside) or (Y.columns - len(beside)) % 10:
            raise ParameterError(
                f"{Y!r} beside {len(beside)} nuisance columns: expected ten columns a body"
            )
        return _Data(None, Y, beside, order)
    if tau is None:
        raise ParameterError("tau is None: the torques (S, n) are needed beside a regressor")
    return _Data(Samples.of_arrays(Y, tau, beside, order), None, beside, order)


def _nuisance(given: Any) -> Nuisance:
    if given is None:
        return Nuisance()
    if isinstance(given, Nuisance):
        return given
    if isinstance(given, Mapping):
        columns = [np.asarray(column, dtype=np.float64) for column in given.values()]
        shapes = {column.shape for column in columns}
        if len(shapes) > 1:
            raise ParameterError(f"nuisance columns have shapes {shapes}, expected one for all")
        stacked = np.stack(columns, axis=-1)
        return Nuisance.given(stacked, list(given))
    return Nuisance.given(given)


def _rule(regularization: Any) -> str | None:
    """The rule by which the weight is chosen; None for a number."""
    if isinstance(regularization, str):
        _refuse_unknown(regularization=(regularization, RULES))
        return regularization
    if not 0 <= float(regularization) < np.inf:
        raise ParameterError(
            f"regularization is {regularization!r}, expected a number from 0 on, 'k-fold' or "
            "'l-curve'"
        )
    return None


def _refuse_unknown(**named: tuple[Any, Sequence[str]]) -> None:
    for name, (value, known) in named.items():
        if value not in known:
            raise ParameterError(
                f"{name} is {value!r}; available are {', '.join(map(repr, known))}"
            )
