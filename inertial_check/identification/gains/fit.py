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

from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats, Mask
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.fit_options import FitOptions
from inertial_check.identification.estimation.identify import estimate
from inertial_check.identification.estimation.measurements import Measurements
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction, System
from inertial_check.identification.estimation.result import Identification
from inertial_check.identification.gains.estimate import (
    GainEstimate,
    ScaleSource,
    find_slopes,
    invert_information,
)
from inertial_check.identification.gains.reduction import (
    add_gain_columns,
    correlate_torques,
    scale_torques,
)
from inertial_check.identification.gains.uncertainty import (
    convert_to_units,
    find_free_scale,
    find_open_gains,
    measure_covariance,
    measure_mass_error,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order
from inertial_check.projection._constraint import read_constraints
from inertial_check.projection.constraints import FixedMass, TotalMass

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
        for _ in range(ROUNDS):
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
            deviation = float(
                np.hypot(measure_mass_error(problem, rows.T @ own), np.linalg.norm(own * errors))
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
        own = measure_covariance(problem, convert_to_units(problem, state.x), joints)
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


def _read_theta(prior: InertialParameters | ArrayLike, order: Order) -> Floats:
    """Read the prior (L, 10) in order "urdf"."""
    if isinstance(prior, InertialParameters):
        return np.asarray(prior.as_theta(), dtype=np.float64)
    return np.asarray(InertialParameters.from_theta(prior, order=order).as_theta())
