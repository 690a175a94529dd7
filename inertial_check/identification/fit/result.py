"""Result of an identification: bodies, residuals, certificate, and what the samples decide.

Identifications in notebooks.

For each parameter, whether the samples decide it, or only the prior.

Samples whose residuals have deviation 1, and a prior whose change has variance 1 / regularization
in units of each body's own size, leave a normal distribution of the parameters. How much narrower
it is than the prior alone is what the samples told. Cones and bounds are left out: they narrow it
further, and tell nothing of this robot.

Many directions stay open in any regressor, and a prior that hardly weighs holds nothing there: a
cone that binds, or noise, moves bodies far along them. So what a value moved is held against a
prior of weight 1, for which a body is as uncertain as it is large: of a change d along a singular
value s the samples account for d s^2 / (s^2 + 1), and the rest has no support.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit.base import name_entries
from inertial_check.identification.fit.problem import Problem, bend_like
from inertial_check.identification.fit.samples import Reduction, label_columns
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, EqualByValue, Floats, Mask, cached_array
from inertial_check.inertia.consistency import Consistency, check
from inertial_check.inertia.notebook import (
    MOST_ROWS,
    count,
    escape_text,
    read_consistency,
    write_box,
    write_number,
    write_table,
)
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, reorder, state_form
from inertial_check.projection.svec import Certificate, pack, unpack

if TYPE_CHECKING:
    from inertial_check.identification.fit.base import BaseEstimate
    from inertial_check.identification.fit.identify import GainEstimate
    from inertial_check.identification.fit.weights import Choice


Status = Literal["certified", "uncertified"]
"""Whether a result is proven optimal."""


def describe_gap(certificate: Certificate) -> str:
    """Say of an uncertified result how far it can be from the optimum, and what helps."""
    outside = float(certificate.primal_residual)
    beyond = f", outside its bounds by {outside:.1e}" if outside > tolerances.CERTIFIED else ""
    return (
        f"no certified answer: gap {certificate.gap:.2e}{beyond}, expected at most "
        f"{tolerances.CERTIFIED:.0e} of the objective; a larger regularization makes the problem "
        "better posed"
    )


@dataclass(frozen=True, eq=False, repr=False)
class Identification(EqualByValue):
    """Consistent bodies that explain samples, with the evidence.

    Attributes:
        bodies: Names of the L bodies.
        order: The caller's order of the last six entries.
        problem: What was solved, in units of the priors.
        x: (p,) its answer.
        reduction: The samples.
        fitted: The samples as the loss weighs them; `reduction` itself for squares.
        weights: (n,) by which residuals were multiplied: one over the deviation of each joint's
            noise [1/(N m)].
        metric: Of the prior term.
        loss: "squares" or "huber".
        solver: What found the answer.
        iterations: Of the solver.
        certificate: How far the answer can be from the best.
        prior_term: Of the objective, with the regularization.
        names: Of the k further numbers.
        given: (L, 10) the prior as it was given, in order "urdf".
        proof: Computes the certificate anew.
        redundancy: How many samples say what one independent one would.
        noted: What was assumed or moved on the way, one line each.
        choice: How the regularization was chosen; None where it was given.
        gains: Drive gains that were found with the bodies; None where they were given.
        reference: (k,) what the further numbers of x are differences from; None for 0. They are
            numbers of friction models that are not linear.
        rounds: Number of linear problems in whose turn nonlinear friction was found; 0 without it.
        step: Largest change of a number of nonlinear friction in the last round, in its standard
            deviations.
        method: "least-squares", "instrumental-variables" or "didim".
        lighter: Answer with the weight that a rule chose, where a heavier prior keeps bodies solid:
            the standard deviations are those of that weight. None where it is this one.
        simulations: Number of simulations of the robot.
        change: Relative change of the predicted torques by the last one.
    """

    bodies: tuple[str, ...]
    order: Order
    problem: Problem
    x: Floats
    reduction: Reduction
    fitted: Reduction
    weights: Floats
    metric: str
    loss: str
    solver: str
    iterations: int
    certificate: Certificate
    prior_term: float
    names: tuple[str, ...]
    given: Floats
    proof: Callable[[], Certificate]
    redundancy: float = 1.0
    lighter: Identification | None = None
    noted: tuple[str, ...] = ()
    choice: Choice | None = None
    gains: GainEstimate | None = None
    reference: Floats | None = None
    rounds: int = 0
    step: float = 0.0
    method: str = "least-squares"
    simulations: int = 0
    change: float = 0.0

    def __repr__(self) -> str:
        """The sizes, the rank and the fit."""
        return (
            f"Identification({len(self.bodies)} bodies, rank {self.rank} of {len(self.x)}, "
            f"weighted RMS {self.weighted_rms:.4g}, regularization {self.regularization:g}, "
            f"{'gap' if self.status == 'certified' else 'uncertified, gap'} {self.gap:.1e})"
        )

    def _values(self) -> tuple[object, ...]:
        """Values that decide equality: the answer and how it was weighed, not the samples."""
        return (
            *(self.bodies, self.order, self.metric, self.loss, self.solver, self.names),
            *(self.x, self.weights, self.given, self.theta, self.prior_term),
        )

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        # Show an identification: each body, its mass before and after, and what decided it.
        shown = read_consistency(self.consistency, self.bodies)
        prior = np.asarray(self.given, dtype=np.float64)[:, 0]
        by_data = np.mean(np.asarray(self.identifiability.decided_by) == "data", axis=1)
        rows = [
            (
                escape_text(self.bodies[i]),
                write_number(float(prior[i])),
                write_number(float(shown.mass[i])),
                write_number(float(shown.margin[i])),
                f"{10 * by_data[i]:.0f} of 10",
            )
            for i in range(min(len(self.bodies), MOST_ROWS))
        ]
        columns = ("body", ">prior kg", ">mass kg", ">margin", ">decided by the data")
        subtitle = (
            f"{count(len(self.bodies), 'body')}; rank {self.rank} of {len(self.x)} columns; "
            f"torque errors (RMS) {', '.join(map(write_number, self.rmse[:8].tolist()))}"
            f"{', ...' if len(self.rmse) > 8 else ''}; gap {self.gap:.1e}"
        )
        table = write_table(columns, rows, len(self.bodies), "bodies")
        return write_box("Identification", subtitle, table, shown.draw_triangle())

    @cached_array
    def theta(self) -> Floats:
        """(L, 10) about the body origins, in the caller's order [kg, kg m, kg m^2]; knows both."""
        return self._restore_order(self._canonical)

    @cached_property
    def parameters(self) -> InertialParameters:
        """The bodies as InertialParameters."""
        return InertialParameters.from_theta(self._canonical)

    @cached_property
    def nuisance(self) -> dict[str, float]:
        """The further numbers by name [SI]."""
        numbers = self.problem.numbers(self.x) + self._reference
        return dict(zip(self.names, numbers.tolist(), strict=True))

    @cached_property
    def _reference(self) -> Floats:
        return np.zeros(len(self.names)) if self.reference is None else self.reference

    @cached_array
    def prior(self) -> Floats:
        """(L, 10) the prior as it was used, in the caller's order."""
        return self._restore_order(self.problem.theta0)

    @cached_property
    def prior_moved(self) -> Mask:
        """(L,) whether a prior had to be moved strictly inside the cone."""
        return np.asarray(np.any(self.given != self.problem.theta0, axis=1))

    @property
    def regularization(self) -> float:
        """Weight of the prior terms."""
        return self.problem.regularization

    @cached_property
    def data_term(self) -> float:
        """Weighted squares of all residuals; under "huber", of those at their final weights."""
        return self.problem.data_term(self.x)

    @property
    def objective(self) -> float:
        """Objective that was minimised: the data term and the prior term."""
        return self.data_term + self.prior_term

    @cached_property
    def consistency(self) -> Consistency:
        """Consistency of each body: all are consistent or on the boundary."""
        return check(self._canonical)

    @cached_property
    def rmse(self) -> Floats:
        """(n,) root mean squares of the residuals [N m]."""
        return self.reduction.rmse(self.si)

    @cached_property
    def r_squared(self) -> Floats:
        """(n,) parts of the variance of the torque that are explained."""
        return self.reduction.r_squared(self.si)

    @property
    def weighted_rms(self) -> float:
        """RMS of all weighted residuals: 1 where they are what the weights say."""
        return self.weighted_rms_of(self.reduction)

    @cached_property
    def noise(self) -> Floats:
        """(n,) deviation of each joint's noise that the weights stand for [N m]; infinite if 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / self.weights)

    @cached_property
    def singular_values(self) -> Floats:
        """Of the weighted regressor and the further columns, in units of the priors, descending."""
        return np.asarray(np.linalg.svd(self.problem.A, compute_uv=False))

    @property
    def rank(self) -> int:
        """How many combinations of all parameters the samples decide."""
        return len(self._seen)

    @property
    def condition(self) -> float:
        """Largest over least singular value, of those that are not rounding."""
        seen = self._seen
        return float(seen[0] / seen[-1]) if len(seen) else np.inf

    @cached_property
    def base(self) -> BaseEstimate:
        """The base parameters with values, covariance, and their names in symbols.

        The combinations that the samples decide, as publications print them: see BaseEstimate.
        """
        linear = self.linear_base
        shift = self.base_reference
        if not shift.any():
            return linear
        values, identified = linear.values + shift, linear.identified + shift
        return replace(linear, values=values, identified=identified)

    @cached_property
    def base_reference(self) -> Floats:
        """(b,) what the base parameters of the linear problem are differences from."""
        bodies = np.zeros(10 * len(self.bodies))
        parameters = self.linear_base.parameters
        return np.asarray(parameters.of(np.concatenate([bodies, self._reference])))

    @cached_property
    def linear_base(self) -> BaseEstimate:
        """The base parameters of the linear problem: see `base_reference`."""
        from inertial_check.identification.fit.base import estimate_base, find_base

        further = tuple(self.names)
        found = find_base(self.fitted, self.weights, self.bodies, further, self.order)
        base = estimate_base(self.fitted, self.weights, self.si, found, self.redundancy)
        if self.gains is None:
            return base
        count = 10 * len(self.bodies)
        labels = np.append(
            label_columns(len(self.bodies), self.order), np.arange(count, len(self.x))
        )
        return self.gains.widen_base(base, self.fitted, self.weights, labels)

    @cached_property
    def identifiability(self) -> Identifiability:
        """Share of each parameter that the samples decide, and not only the prior."""
        found = identifiability(self._independent, self.x, self.order)
        if self._gain_spread is None:
            return found
        count = 10 * len(self.bodies)
        spread = self._convert(self._gain_spread[:count, :count])
        return found.widen(spread, self._independent.regularization)

    def _convert(self, covariance: Floats) -> Floats:
        """Convert a covariance (10 L, 10 L) of the bodies of x to that of theta [SI]."""
        whole = np.zeros_like(covariance)
        for i, own in enumerate(self.problem.to_theta):
            whole[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = own
        return whole @ covariance @ whole.T

    @cached_property
    def _covariance(self) -> Floats:
        """(10 L, 10 L) covariance of the bodies of x, by samples and prior."""
        count = 10 * len(self.bodies)
        return np.asarray(np.linalg.inv(self._independent.H)[:count, :count])

    @cached_property
    def body_deviation(self) -> Floats:
        """(L, 10) deviations of theta that hold where the prior of a body is far off [SI].

        The prior has one weight for all bodies. A body is taken to lie from its prior, in all
        directions, as far as in that of those that the samples know in which it lies furthest.
        """
        problem, C, decided = self._independent, self._covariance, self.identifiability
        move, more = (problem.free - problem.prior)[: len(C)], np.zeros_like(C)
        for k in range(0, len(C) if problem.regularization * problem.pull.any() else 0, 10):
            own = slice(k, k + 10)
            root = np.linalg.cholesky(problem.K[own, own]).T  # in units of the prior's deviation
            variance, directions = np.linalg.eigh(root @ C[own, own] @ root.T)
            squares = (directions.T @ root @ move[own]) ** 2
            # The squares are expected to be what the samples took away of a variance of one; one
            # on both sides stands for the prior, so that few samples tell little.
            excess = np.max((squares + 1) / (2 - np.minimum(variance, 1.0))) - 1
            more += max(excess, 0.0) * C[:, own] @ problem.K[own, own] @ C[own]
        return decided.widen(self._convert(more), problem.regularization).standard_deviation

    @cached_property
    def nuisance_standard_deviation(self) -> dict[str, float]:
        """Standard deviation of each further number [SI]; infinite where nothing decides it."""
        H = self._independent.H
        size = np.sqrt(np.diag(H))
        size = np.where(size > 0, size, 1.0)
        values, vectors = np.linalg.eigh(H / np.multiply.outer(size, size))
        seen = values > len(H) * np.finfo(np.float64).eps * values.max(initial=0.0)
        variance = vectors[:, seen] ** 2 @ (1 / values[seen])
        blind = np.sum(vectors[:, ~seen] ** 2, axis=1) > tolerances.BLIND
        deviations = np.where(blind, np.inf, np.sqrt(variance) / size)[10 * len(self.bodies) :]
        if self._gain_spread is not None:
            deviations = np.hypot(
                deviations, np.sqrt(np.diag(self._gain_spread)[10 * len(self.bodies) :])
            )
        return dict(zip(self.names, (deviations * self.problem.unit).tolist(), strict=True))

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on what is not proven, was assumed, or moved without support of samples."""
        unproven = () if self.status == "certified" else (self.doubt,)
        if self.gains is not None:
            unproven = (*unproven, *(each.message for each in self.gains.remarks()))
        if self.regularization == 0:  # the samples decide all
            return (*unproven, *self.noted)
        return (*unproven, *self.noted, *self.identifiability.remarks(self.bodies))

    @cached_property
    def least_squares(self) -> Floats:
        """(L, 10) what fits best, consistent or not, with the least change from the prior."""
        return self._restore_order(self.problem.theta(self.problem.least_squares[0]))

    @cached_property
    def least_squares_consistency(self) -> Consistency:
        """Consistency of least squares without the constraints."""
        return check(self.problem.theta(self.problem.least_squares[0]))

    @cached_property
    def least_squares_rmse(self) -> Floats:
        """(n,) root mean squares of its residuals [N m]."""
        return self.reduction.rmse(self._si(self.problem.least_squares[0]))

    @cached_property
    def prior_rmse(self) -> Floats:
        """(n,) root mean squares with the prior's bodies and the further numbers fitted to them."""
        return self.reduction.rmse(self._si(self._prior_fit))

    @cached_property
    def si(self) -> Floats:
        """(p,) the parameters in SI units, as the regressor's columns have them."""
        return self._si(self.x)

    @cached_property
    def prior_x(self) -> Floats:
        """(p,) the prior's bodies and the further numbers fitted to them, SI, as `predict` has."""
        return self._si(self._prior_fit)

    @cached_property
    def total_mass(self) -> float:
        """Of all bodies [kg]."""
        return float(self._canonical[:, 0].sum())

    @cached_property
    def prior_mass(self) -> float:
        """Of all priors [kg]."""
        return float(self.problem.theta0[:, 0].sum())

    @cached_property
    def distance(self) -> Floats:
        """(L,) ||L^-1 (Pi - P) L^-T||_F of each body from its prior P = L L^T, dimensionless."""
        change = (self.x - self.problem.prior)[: 10 * len(self.bodies)]
        return np.asarray(np.linalg.norm(change.reshape(-1, 10), axis=1))

    @property
    def is_plain(self) -> bool:
        """Whether it is the least squares of the recorded regressor at known gains."""
        return self.loss == "squares" and self.gains is None and self.method == "least-squares"

    @cached_property
    def free_theta(self) -> Floats:
        """(L, 10) the bodies by samples and prior without cones and bounds [SI]."""
        return self._restore_order(self._independent.theta(self._independent.free))

    @cached_property
    def outside(self) -> Floats:
        """(L,) deviations by which each body lies outside the cone where only the prior holds it.

        They are those of its least eigenvalue, in units of the prior: a moment, or the mass.
        """
        C = self._covariance
        values, v = np.linalg.eigh(unpack(self._independent.free[: len(C)].reshape(-1, 10)))
        along = pack(np.einsum("lak,lbk->lkab", v, v))
        own = np.stack([C[k : k + 10, k : k + 10] for k in range(0, len(C), 10)])
        variance = np.einsum("lki,lij,lkj->lk", along, own, along)
        return np.asarray(np.max(-values / np.sqrt(variance), axis=1))

    @property
    def primal_residual(self) -> float:
        """See Certificate."""
        return float(self.certificate.primal_residual)

    @property
    def dual_residual(self) -> float:
        """See Certificate."""
        return float(self.certificate.dual_residual)

    @property
    def gap(self) -> float:
        """See Certificate: relative to the objective, the proven distance from the optimum."""
        return float(self.certificate.gap)

    @property
    def status(self) -> Status:
        """Whether the result is "certified", or consistent with a gap above 1e-9: "uncertified".

        With nonlinear friction, a certified result is also stationary: the linear problem about its
        own friction has no other answer.
        """
        proven = self.certificate.proves and self.step <= tolerances.STATIONARY
        return "certified" if proven else "uncertified"

    @property
    def doubt(self) -> str:
        """The reason why a result is uncertified, and what helps."""
        if self.certificate.proves:
            return (
                f"nonlinear friction is not stationary: in round {self.rounds} a number of it "
                f"still changes by {self.step:.2g} of its standard deviations, expected "
                f"{tolerances.STATIONARY:.0e}; slow and fast motion decide it, or give its velocity"
            )
        return describe_gap(self.certificate)

    def require_certificate(self) -> Identification:
        """Return this result if it is certified.

        Raises:
            ProjectionError: It is not; the message has the gap.
        """
        if self.status == "uncertified":
            raise ProjectionError(self.doubt, self.problem)
        return self

    def certify(self) -> Certificate:
        """Compute the residuals anew, from the problem's own data and the answer alone."""
        return self.proof()

    def predict(self, Y: ArrayLike, F: ArrayLike | None = None) -> Floats:
        """The torques (..., n) of a regressor.

        Args:
            Y: (..., n, 10 L), in the caller's order.
            F: (..., n, k) columns of the further numbers; needed where there are any.

        Raises:
            ParameterError: The shapes do not fit.
        """
        Y = np.asarray(Y, dtype=np.float64)
        if Y.shape[-1:] != (self.theta.size,):
            raise ParameterError(f"Y has shape {Y.shape}, expected (..., {self.theta.size})")
        tau: Floats = Y @ self.theta.ravel()
        if not self.names:
            return tau
        F = np.asarray(F, dtype=np.float64)
        if F.shape != (*Y.shape[:-1], len(self.names)):
            raise ParameterError(
                f"F has shape {F.shape}, expected {(*Y.shape[:-1], len(self.names))}"
            )
        return np.asarray(tau + F @ self.problem.numbers(self.x))

    def weighted_rms_of(self, other: Reduction) -> float:
        """RMS of the weighted residuals of other samples."""
        return float(np.sqrt(other.weighted_mean_square(self.weights, self.si)))

    @cached_property
    def _independent(self) -> Problem:
        """Problem of independent samples, whose prior terms bend as those of the metric do."""
        return bend_like(self.problem, self.metric).independent(self.redundancy)

    @cached_property
    def _gain_spread(self) -> Floats | None:
        """(p, p) covariance of x that comes from the gains; None where they were given."""
        if self.gains is None:
            return None
        return self.gains.spread(self.problem, self.weights)

    @cached_property
    def _canonical(self) -> Floats:
        return self.problem.theta(self.x)

    @cached_property
    def _seen(self) -> Floats:
        values = self.singular_values
        floor = len(self.x) * np.finfo(np.float64).eps * values.max(initial=0.0)
        return np.asarray(values[values > floor])

    @cached_property
    def _prior_fit(self) -> Floats:
        return self.problem.fit_numbers(self.problem.prior)

    def _si(self, x: Floats) -> Floats:
        """The parameters (p,) as the reduction's columns have them."""
        theta = self._restore_order(self.problem.theta(x)).ravel()
        return np.concatenate([theta, self.problem.numbers(x)])

    def _restore_order(self, theta: Floats) -> Floats:
        return state_form(reorder(theta, "urdf", self.order), self.order, "origin")


Words = npt.NDArray[np.str_]

DECIDED = 0.9
"""Part of the prior's variance above which the samples decide: a third of its deviation is left."""

UNDECIDED = 0.1
"""Part below which the prior does: its deviation is as it was, to 5 %."""

FAR = 1.0
"""Own sizes that a value may lie off without support: a mass doubled, or gone."""

MISFIT = 2.0
"""Weighted RMS of fitted torques or base parameters above which the answer is none: in units of
the noise it is 1 but for what the prior and the cone forbid; chosen."""

ROUNDING = tolerances.SOLVED_FACTOR * float(np.finfo(np.float64).eps)
"""Cosines below it are those of a right angle."""


class Unsupported(NamedTuple):
    """A value that a body can have, and that no sample asked for.

    Attributes:
        body: Index of the body.
        entry: Place in its theta.
        change: How far it lies from the prior, in units of the prior's own size.
        unaccounted: The part of it that the samples do not account for.
    """

    body: int
    entry: int
    change: float
    unaccounted: float


@dataclass(frozen=True, eq=False, repr=False)
class Identifiability:
    """Share of each parameter that the samples decide, in the caller's order of the last six.

    Attributes:
        order: Of the last six entries.
        share: (L, 10) part of the prior's variance that the samples took away, 0 to 1.
        standard_deviation: (L, 10) that is left [SI]; infinite where nothing decides.
        size: (L, 10) of the prior: the deviation of a prior of weight 1 [SI]. Of a mass it is the
            mass.
        change: (L, 10) from the prior, in units of size.
        unaccounted: (L, 10) the part of it that the samples do not account for, in the same.
        total_mass_share: As share, of the mass of all bodies.
        total_mass_standard_deviation: As standard_deviation [kg].
        total_mass_change: As change.
        total_mass_unaccounted: As unaccounted.
    """

    order: Order
    share: Floats
    standard_deviation: Floats
    size: Floats
    change: Floats
    unaccounted: Floats
    total_mass_share: float
    total_mass_standard_deviation: float
    total_mass_change: float
    total_mass_unaccounted: float

    def __repr__(self) -> str:
        """How many parameters who decides, and how many lack support."""
        words, counts = np.unique(self.decided_by, return_counts=True)
        found = ", ".join(f"{count} by {word}" for word, count in zip(words, counts, strict=True))
        return f"Identifiability(decided {found}; {len(self.unsupported)} unsupported)"

    def widen(self, covariance: Floats, weight: float) -> Identifiability:
        """Add a covariance to what the samples leave open, as that of gains found with the bodies.

        Args:
            covariance: (10 L, 10 L) of all parameters, in order "urdf" [SI].
            weight: Weight of the prior, whose variance is one over it.
        """
        own = np.diag(covariance).reshape(-1, 10)
        own = np.asarray(reorder(np.maximum(own, 0.0), "urdf", self.order))
        masses = covariance[::10, ::10].sum()
        whole = float(np.sqrt(max(float(masses), 0.0)))
        return replace(
            self,
            standard_deviation=np.hypot(self.standard_deviation, np.sqrt(own)),
            share=np.clip(self.share - weight * own / self.size**2, 0.0, 1.0),
            total_mass_standard_deviation=float(
                np.hypot(self.total_mass_standard_deviation, whole)
            ),
        )

    @property
    def decided_by(self) -> Words:
        """(L, 10) "data" from a share of 0.9 on, "prior" up to 0.1, else "both"."""
        return np.where(
            self.share >= DECIDED, "data", np.where(self.share <= UNDECIDED, "prior", "both")
        )

    @property
    def total_mass_supported(self) -> bool:
        """Whether the samples account for the mass of all bodies, but for its own size."""
        return abs(self.total_mass_unaccounted) <= FAR

    @property
    def unsupported(self) -> tuple[Unsupported, ...]:
        """Values that lie more than the prior's size off without support, body by body."""
        far = np.argwhere(np.abs(self.unaccounted) > FAR).tolist()
        return tuple(
            Unsupported(i, k, float(self.change[i, k]), float(self.unaccounted[i, k]))
            for i, k in far
        )

    def remarks(self, bodies: Sequence[str]) -> tuple[str, ...]:
        """Describe changes without support of samples: the mass of all, then a line for each body.

        Args:
            bodies: (L,) names.
        """
        lines = []
        if not self.total_mass_supported:
            lines.append(
                f"the total mass lies {abs(self.total_mass_unaccounted):.3g} times the prior's own "
                f"uncertainty {_side(self.total_mass_unaccounted)} it without support of the "
                "samples: a larger regularization keeps to the prior what they do not decide"
            )
        entries = name_entries(self.order)
        for body, name in enumerate(bodies):
            own = np.abs(self.unaccounted[body])
            if (own > FAR).any():
                which = ", ".join(entries[k] for k in np.flatnonzero(own > FAR))
                lines.append(
                    f"{name}: {which} moved by up to {own.max():.3g} times the prior's own size "
                    "without support of the samples"
                )
        return tuple(lines)


def identifiability(problem: Problem, x: Floats, order: Order = "urdf") -> Identifiability:
    """Ask of each parameter how much the samples tell of it beside the prior.

    Args:
        problem: The joint problem, its residuals in units of their noise.
        x: (p,) its answer, for what moved without support.
        order: Of the last six entries, as the results are to have them.

    Returns:
        Shares, deviations and what lacks support. Further numbers (friction, offsets) count as
        unknown beside the bodies: what one of them explains as well is not decided.
    """
    count = 10 * problem.bodies
    # Where the prior pulls on nothing, the barrier or the plain weight stands in, in its units.
    pull, weight = problem.pull, problem.regularization
    if not pull.any():
        pull = np.tile(np.eye(10), (problem.bodies, 1, 1))
        weight = problem.barrier if problem.barrier > 0 else weight
    root = np.linalg.cholesky(pull).transpose(0, 2, 1)  # (L, 10, 10): ||root x||^2
    inverse = np.linalg.inv(root)
    values, V = _directions(problem, inverse)
    theta = np.matmul(problem.to_theta, inverse)
    along = np.einsum("lij,ljp->lip", theta, V.reshape(problem.bodies, 10, count))
    change = (x - problem.prior)[:count].reshape(-1, 10, 1)
    moved = np.matmul(root, change).ravel() @ V
    told = values**2 / np.where(values > 0, values**2 + weight, 1.0)

    def measure(rows: Floats) -> tuple[Floats, ...]:
        """Measure share, deviation, size, change and unaccounted of directions (..., 10 L)."""
        size = np.linalg.norm(rows, axis=-1)
        unit = rows / size[..., None]
        unit = np.where(np.abs(unit) > ROUNDING, unit, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.where(unit == 0, 0.0, unit**2 / (values**2 + weight))
        share = np.clip(unit**2 @ told, 0.0, 1.0)
        deviation = size * np.sqrt(left.sum(axis=-1))
        return share, deviation, size, unit @ moved, unit @ (moved / (values**2 + 1))

    single = [np.asarray(reorder(each, "urdf", order)) for each in measure(along)]
    whole = [float(each) for each in measure(along[:, 0].sum(axis=0))]
    share, deviation, size, moves, rest = single
    return Identifiability(
        order, share, deviation, size, moves, rest, whole[0], whole[1], whole[3], whole[4]
    )


def _directions(problem: Problem, inverse: Floats) -> tuple[Floats, Floats]:
    """Singular values (10 L,) and directions (10 L, 10 L) of the samples, for the bodies alone.

    In units in which the prior term is the square of the change. The further numbers are fitted to
    whatever the bodies are, so what they explain is taken out of the rows, as far as their own
    priors let them.
    """
    count = 10 * problem.bodies
    bodies = problem.A[:, :count].reshape(-1, problem.bodies, 10)
    rows = np.einsum("rij,ijk->rik", bodies, inverse).reshape(-1, count)
    if len(problem.beside):
        beside = np.concatenate([problem.A[:, count:], np.diag(np.sqrt(problem.beside))])
        padded = np.concatenate([rows, np.zeros((len(problem.beside), count))])
        U, sizes, _ = np.linalg.svd(beside, full_matrices=False)
        U = U[:, sizes > tolerances.RANK * sizes.max()]
        rows = padded - U @ (U.T @ padded)
    _, values, Vt = np.linalg.svd(np.concatenate([rows, np.zeros((0, count))]), full_matrices=True)
    values = np.append(values, np.zeros(count - len(values)))
    values[values <= tolerances.RANK * values.max(initial=0.0)] = 0.0
    return values, Vt.T


def _side(number: float) -> str:
    return "above" if number > 0 else "below"
