"""Drive gains as unknowns: recorded currents become torques by one factor for each joint.

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
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats, Integers, Mask
from inertial_check.errors import ParameterError
from inertial_check.identification.assessment.base_estimate import BaseEstimate
from inertial_check.identification.estimation.identify import FitOptions, Measurements, estimate
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction, System
from inertial_check.identification.estimation.result import Identification
from inertial_check.inertia import tolerances
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order
from inertial_check.projection._constraint import read_constraints
from inertial_check.projection.constraints import FixedMass, TotalMass

ScaleSource = Literal["loads", "masses", "prior"]
"""Statement that decides the common scale of drive gains and masses."""

ROUNDS = 50
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

OPEN = 0.1
"""Squared part of a direction that no sample shows, from which on it is told of a gain."""


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

    def remarks(self) -> tuple[str, ...]:
        """Remarks on what the gains rest on, and on whether they settled."""
        found = []
        if self.scale == "prior":
            worst = 100 * float(self.ratio_standard_deviation.max(initial=0.0))
            found.append(
                "only the masses of the prior decide the common scale of the drive gains: where "
                "those are too large by a factor, all gains and masses are; the ratios of the "
                f"gains are known to {worst:.2g} %; a known load, the mass of a body or the total "
                "mass decides the scale"
            )
        if self.open:
            which = ", ".join(str(joint) for joint in self.open)
            found.append(f"only the prior decides the drive gains of joints {which}")
        if not self.settled:
            found.append(
                f"drive gains still change by {self.change:.2g} of themselves after {self.rounds} "
                "rounds: they are not proven to be the best"
            )
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
    return np.asarray(_invert(problem.H) @ scaled)


def _invert(H: Floats) -> Floats:
    """Invert an information matrix; directions of which it says nothing get a large variance."""
    size = np.sqrt(np.maximum(np.diag(H), 0.0))
    size = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(H / np.multiply.outer(size, size))
    least = len(H) * tolerances.EPS * float(values.max(initial=0.0))
    inverse = (vectors / np.maximum(values, least)) @ vectors.T
    return np.asarray(inverse / np.multiply.outer(size, size))


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
    recorded = _reduce(data)
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


def _reduce(data: Measurements) -> Reduction:
    """Reduce the samples as recorded, in order "urdf", with the torque of known loads last."""
    labels = np.append(data.labels, len(data.labels))
    if data.samples is not None:
        rows = data.samples.recorded_rows()
        return Reduction.of(rows, len(labels)).relabel(labels)
    return replace(data.whole, columns=len(labels))


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
        self.prior = None if prior is None else _read_theta(prior, order)
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
        for _ in range(ROUNDS):
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
        factor = state.factor * _free_scale(found.problem, new)
        return _State(inverse, new, factor, moved, state.rounds + 1, found.problem)

    def _objective(
        self, found: Identification, weights: Floats, x: Floats, inverse: Floats
    ) -> float:
        """Compute the objective in what was recorded, weights being one over its deviation."""
        reduction = scale_torques(self.recorded, 1 / inverse)
        data = float((weights * np.abs(inverse)) ** 2 @ reduction.residual_squares(x))
        return data + found.problem.prior_term(_to_units(found.problem, x))

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
        for _ in range(ROUNDS):
            found = self.at(state.inverse, regularization=regularization, constraints=())
            problem = found.problem.independent(self.options.redundancy)
            rows, known, errors = self._list_masses(problem)
            slopes = find_slopes(
                found.problem, correlate_torques(self.recorded, 1 / state.inverse), found.weights
            ).sum(axis=1)
            masses, along = rows @ found.x, rows @ slopes
            V = rows @ _invert(problem.H) @ rows.T + np.diag(errors**2)
            told = np.linalg.lstsq(V, along, rcond=None)[0]
            information = float(told @ along)
            if not information > 0:
                break
            own = told / information
            deviation = float(
                np.hypot(_measure_mass_error(problem, rows.T @ own), np.linalg.norm(own * errors))
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
        own = _measure_covariance(problem, _to_units(problem, state.x), joints)
        if self.scale != "loads":
            centre = np.eye(joints) - 1 / joints
            own = centre @ own @ centre + deviation**2
        covariance = np.zeros((self.recorded.joints, self.recorded.joints))
        covariance[np.ix_(active, active)] = own
        return GainEstimate(
            1 / state.inverse,
            covariance,
            self.scale,
            tuple(active[list(_find_open(state.problem, joints))].tolist()),
            state.change,
            state.rounds,
            correlate_torques(self.recorded, 1 / state.inverse),
        )


def scale_torques(recorded: Reduction, gains: Floats) -> Reduction:
    """Multiply recorded torques by drive gains (n,), and subtract those of known loads.

    Args:
        recorded: Reduction as recorded, with the torque of known loads in the last column.
        gains: (n,) drive gains.

    Returns:
        The reduction without that column. Its sums of torques and squares are of what was
        measured, loads included.
    """
    last = recorded.columns - 1
    systems = []
    for system, gain in zip(recorded.systems, gains.tolist(), strict=True):
        own = system.columns != last
        load = system.R[:, ~own].sum(axis=1)
        systems.append(
            System(
                system.columns[own],
                system.R[:, own],
                gain * system.rho - load,
                gain**2 * system.rss,
                system.samples,
                gain * system.total,
                gain**2 * system.squares,
            )
        )
    return Reduction(last, tuple(systems))


def add_gain_columns(recorded: Reduction, gains: Floats, x: Floats, joints: Integers) -> Reduction:
    """Multiply recorded torques by drive gains, and add a column for each gain.

    The column of a gain is the torque of its joint that the parameters predict, loads included, and
    its number the relative change of the inverse of the gain.

    Args:
        recorded: Reduction as recorded, with the torque of known loads in the last column.
        gains: (n,) drive gains.
        x: (p,) parameters in the order of the columns [SI].
        joints: Indices of the joints whose gains are unknown.
    """
    reduction, whole = scale_torques(recorded, gains), np.append(x, 1.0)
    count, systems = reduction.columns, list(reduction.systems)
    for place, joint in enumerate(joints.tolist()):
        own, system = recorded.systems[joint], systems[joint]
        predicted = own.R @ whole[own.columns]
        systems[joint] = system._replace(
            columns=np.append(system.columns, count + place),
            R=np.column_stack([system.R, predicted]),
        )
    return Reduction(count + len(joints), tuple(systems))


def correlate_torques(recorded: Reduction, gains: Floats) -> Floats:
    """Products (p, n) of all columns with the measured torque of each joint, loads included."""
    last = recorded.columns - 1
    found = np.zeros((last, recorded.joints))
    for joint, (system, gain) in enumerate(zip(recorded.systems, gains.tolist(), strict=True)):
        own = system.columns != last
        found[system.columns[own], joint] = gain * system.R[:, own].T @ system.rho
    return found


def _to_units(problem: Problem, x: Floats) -> Floats:
    """Convert parameters (p,) [SI] to the units of a problem, with gains that do not change."""
    count = 10 * problem.bodies
    numbers = np.zeros(problem.A.shape[1] - count)
    numbers[: len(x) - count] = x[count:]
    return problem.x(x[:count].reshape(-1, 10), numbers)


def _free_scale(problem: Problem, x: Floats) -> float:
    """Find the factor of the prior at which its term does not change with the scale of x (p,)."""
    if problem.regularization == 0:
        return 1.0
    own = _to_units(problem, x)
    count = 10 * problem.bodies
    own[count:] = 0.0
    pull = problem.K @ own
    along = float(pull[:count] @ problem.prior[:count])
    return float(pull @ own) / along if along > 0 else 1.0


def _measure_mass_error(problem: Problem, row: Floats) -> float:
    """Measure the standard deviation of a sum of masses that bodies at given gains have.

    What the samples leave open of it is as the prior has it. Two things make the prior's own error
    larger than the weight says that the samples suggest: they show few directions, and a wrong
    guess of the shape is the same for all bodies. So the prior is trusted no more than to the
    bodies' own size, a weight of 1, and the errors of the bodies add up with one sign.

    Args:
        problem: Problem of independent samples.
        row: (p,) slopes of the sum by the parameters in their units.
    """
    along = _invert(problem.H) @ row
    squares = along * (problem.K @ along)
    count = 10 * problem.bodies
    bodies = np.maximum(squares[:count].reshape(-1, 10).sum(axis=1), 0.0)
    prior = max(1.0, problem.regularization) * float(np.sqrt(bodies).sum()) ** 2
    beside = max(float(squares[count:].sum()), 0.0)
    return float(np.sqrt(np.sum((problem.A @ along) ** 2) + prior + beside))


def _measure_covariance(problem: Problem, x: Floats, joints: int) -> Floats:
    """Measure the covariance (n, n) of the relative errors of the gains.

    The prior does not pull at the common scale, so it tells nothing along the answer itself.

    Args:
        problem: Problem with the gains' numbers last, of independent samples.
        x: (p + n,) answer in its units.
        joints: n.
    """
    own = np.array(x)
    own[10 * problem.bodies :] = 0.0
    pull = problem.K @ own
    H, along = problem.H, float(pull @ own)
    if along > 0:
        H = H - np.outer(pull, pull) / along
    units = problem.unit[-joints:]
    return np.asarray(_invert(H)[-joints:, -joints:] * np.multiply.outer(units, units))


def _find_open(problem: Problem, joints: int) -> tuple[int, ...]:
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


def _read_theta(prior: InertialParameters | ArrayLike, order: Order) -> Floats:
    """Read the prior (L, 10) in order "urdf"."""
    if isinstance(prior, InertialParameters):
        return np.asarray(prior.as_theta(), dtype=np.float64)
    return np.asarray(InertialParameters.from_theta(prior, order=order).as_theta())
