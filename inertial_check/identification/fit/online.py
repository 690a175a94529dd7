"""Recursive estimate of the inertial parameters of all bodies, consistent after every sample.

Detection of a load that a body picks up or drops, from the innovations of an online estimate.

One primal-dual step towards the entropic estimate of all bodies, from where the last step ended.

    minimise x^T H x / 2 - g^T x + mu sum_i (tr X_i - log det X_i) + numbers' prior terms

with X_i = L_i^-1 Pi_i L_i^-T of each body in units of its prior, and H, g the information of all
samples so far. This is the problem of `identify(..., metric="entropic")` with mu half of its
regularization. The multipliers Z_i = mu X_i^-1 are tracked, too: with the scaling of Nesterov and
Todd, one step follows the minimum from sample to sample also where it lies at the edge of the cone,
where Newton's method on x alone would be stopped by it.

Source: Nesterov, Todd, Math. Oper. Res. 22 (1997); Lee, Wensing, Park, IEEE Trans. Robot. 36
(2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from inertial_check.errors import ParameterError, ProjectionError, expect
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.payload import identify_payload
from inertial_check.identification.fit.result import MISFIT
from inertial_check.identification.fit.samples import label_columns
from inertial_check.identification.fit.solve import Loss, prepare_priors
from inertial_check.identification.fit.weights import BEND
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, quiet, read_floats
from inertial_check.inertia.consistency import Consistency, check
from inertial_check.inertia.parameters import InertialParameters, body_names
from inertial_check.inertia.representations import Order, pseudo_inertia, reorder, state_form
from inertial_check.projection.quadratic import BOUNDARY_FRACTION, length_to_boundary
from inertial_check.projection.svec import FROM_SVEC, congruence, factors, pack, unpack

ALARM = 50.0
"""Statistic from which on a change is reported: chi-squared of four degrees of freedom, the mass
and the first moment, exceeds it by chance once in three billion windows."""

SETTLE = 5
"""Windows at the beginning in which nothing is reported: the noise is measured then."""


@dataclass(frozen=True)
class LoadChange:
    """A change of what a body carries.

    Attributes:
        sample: Number of samples up to the one at which it was noticed.
        body: Index of the body.
        statistic: Chi-squared of the evidence, of four degrees of freedom.
    """

    sample: int
    body: int
    statistic: float


@dataclass
class LoadDetector:
    """Test of the innovations of the last samples for a mass and a first moment that came new.

    Attributes:
        body: Index of the body that can carry a load.
        window: Samples after which a sample counts for 1/e.
        redundancy: Number of samples that carry as much information as one independent sample.
    """

    body: int
    window: int
    redundancy: float = 1.0
    _score: Floats = field(default_factory=lambda: np.zeros(4))
    _variance: Floats = field(default_factory=lambda: np.zeros((4, 4)))
    _noise: float = 0.0
    _seen: int = 0
    _quiet: int = 0

    def observe(self, innovation: Floats, columns: Floats, sample: int) -> LoadChange | None:
        """Take the innovation of a sample, and test for a change.

        Args:
            innovation: (n,) weighted by its expected deviation: of unit variance by the model.
            columns: (n, 4) regressor of mass and first moment of the body, weighted alike.
            sample: Number of samples so far.
        """
        keep = 1 - 1 / self.window
        self._score = keep * self._score + columns.T @ innovation
        self._variance = keep**2 * self._variance + columns.T @ columns
        self._seen += 1
        ready = self._seen > SETTLE * self.window and sample > self._quiet
        found = self._test(sample) if ready else None
        # The noise is that of longer ago than the window, which a load would be in.
        slow = 1 / min(self._seen, 10 * self.window)
        self._noise += slow * (
            min(float(innovation @ innovation) / len(innovation), 9.0) - self._noise
        )
        if found is not None:
            self._score, self._quiet = np.zeros(4), sample + self.window
            self._variance = np.zeros((4, 4))
        return found

    def _test(self, sample: int) -> LoadChange | None:
        sizes = np.sqrt(np.diag(self._variance))
        if not np.all(np.isfinite(sizes)) or not sizes[0] > 0:
            return None
        units = 1 / np.where(sizes > 0, sizes, 1.0)
        values, vectors = np.linalg.eigh(self._variance * units[:, None] * units)
        seen = values > tolerances.RANK * values[-1]
        along = vectors[:, seen].T @ (units * self._score)
        noise = max(self._noise, 1.0) * self.redundancy
        statistic = float(np.sum(along**2 / values[seen])) / noise
        if statistic <= ALARM:
            return None
        return LoadChange(sample, self.body, statistic)


class LoadEstimate(NamedTuple):
    """Load that a body picked up or dropped, in the frame of that body.

    Attributes:
        parameters: The load, which some body has.
        standard_deviation: (10,) by the samples since the change, in order "urdf".
        picked_up: Whether it was picked up; False for a load that was dropped.
    """

    parameters: InertialParameters
    standard_deviation: Floats
    picked_up: bool


@dataclass
class LoadRecord:
    """Information of the samples since a change on the load that made it.

    Attributes:
        x: (p,) parameters of the whole robot before the change, in the units of the estimate.
        covariance: (p, p) their covariance.
        redundancy: Number of samples that carry as much information as one independent sample.
        information: (10, 10) of the load, in order "urdf" [SI].
        score: (10,) information times the load of least squares.
        cross: (10, p) products of the columns of the load and of the robot: how errors of `x` enter
            the score.
    """

    x: Floats
    covariance: Floats
    redundancy: float
    information: Floats = field(default_factory=lambda: np.zeros((10, 10)))
    score: Floats = field(default_factory=lambda: np.zeros(10))
    cross: Floats = field(default_factory=lambda: np.zeros((10, 0)))

    def observe(self, A: Floats, b: Floats, columns: Floats) -> None:
        """Take a sample.

        Args:
            A: (n, p) weighted regressor of the robot, in the units of the estimate.
            b: (n,) weighted torques.
            columns: (n, 10) regressor of the load, weighted alike.
        """
        self.information += columns.T @ columns
        self.score += columns.T @ (b - A @ self.x)
        cross = columns.T @ A
        self.cross = self.cross + cross if self.cross.size else cross

    def estimate(self, prior: ArrayLike | None = None) -> LoadEstimate:
        """Estimate the load: the nearest body in the metric of the information.

        Raises:
            ParameterError: The samples leave a part of it open, and there is no prior.
        """
        units = np.sqrt(np.diag(self.information))
        if not units.all() and prior is None:
            raise ParameterError("no sample shows the whole load so far: go on, or give prior=")
        units = np.where(units > 0, units, 1.0)
        values, vectors = np.linalg.eigh(self.information / (units[:, None] * units))
        values = np.maximum(values, 0.0)
        seen = values > tolerances.RANK * values[-1]
        rows = np.sqrt(values[seen])[:, None] * vectors[:, seen].T * units
        left = vectors[:, seen].T @ (self.score / units) / np.sqrt(values[seen])
        mass = float(vectors[0, seen] @ (left / np.sqrt(values[seen])))
        sign = 1.0 if mass >= 0 else -1.0
        found = identify_payload(rows[:, None, :], sign * left[:, None], weights=1.0, prior=prior)
        inverse = (vectors[:, seen] / values[seen]) @ vectors[:, seen].T
        gain = inverse @ (self.cross / units[:, None])
        spread = self.redundancy * inverse + gain @ self.covariance @ gain.T
        deviation = np.sqrt(np.maximum(np.diag(spread), 0.0)) / units
        open_ = np.linalg.norm(vectors[:, ~seen], axis=1) > tolerances.RANK**0.5
        return LoadEstimate(found.parameters, np.where(open_, np.inf, deviation), sign > 0)


@dataclass(frozen=True, eq=False)
class TrackedProblem:
    """The parts of the problem that no sample changes.

    Attributes:
        bodies: Number of bodies L.
        mu: Weight of tr X - log det X of each body.
        pull: (k,) diagonal of the prior terms of the further numbers.
        center: (k,) their priors, in their units.
        lower: (k,) their bounds, in their units.
        upper: (k,).
    """

    bodies: int
    mu: float
    pull: Floats
    center: Floats
    lower: Floats
    upper: Floats

    @cached_property
    def blocks(self) -> tuple[Integers, Integers]:
        """(L, 10, 10) rows and columns of the bodies' blocks in the matrix of the problem."""
        own = 10 * np.arange(self.bodies)[:, None] + np.arange(10)
        return own[:, :, None], own[:, None, :]

    @cached_property
    def numbers(self) -> Integers:
        """(k,) places of the further numbers."""
        return 10 * self.bodies + np.arange(len(self.pull))

    @cached_property
    def identity(self) -> Floats:
        """(10 L,) svec of the bodies' priors, which are 1 in these units."""
        return np.tile(pack(np.eye(4)), self.bodies)


@dataclass
class Track:
    """Point of the estimate: bodies and numbers x, and the multipliers of the bodies.

    Attributes:
        x: (p,) svec of X of each body, then the further numbers.
        Z: (L, 4, 4) multipliers.
        factor: (p, p) lower triangular factor of the matrix of the last step, in `units`.
        units: (p,) units of its rows and columns.
        decrement: Newton decrement of the last step: half the squared length of the step in the
            metric of its matrix, in the unit of the objective; infinite before the first.
    """

    x: Floats
    Z: Floats
    factor: Floats
    units: Floats
    decrement: float = np.inf

    def solve(self, right: Floats) -> Floats:
        """Solve the equations of the last step for right sides (p, r)."""
        found, _ = lapack.dpotrs(self.factor, self.units[:, None] * right, lower=1)
        return np.asarray(self.units[:, None] * found)


def begin(problem: TrackedProblem) -> Track:
    """Begin at the priors, which are on the central path."""
    count = 10 * problem.bodies + len(problem.pull)
    Z = np.tile(problem.mu * np.eye(4), (problem.bodies, 1, 1))
    x = np.concatenate([problem.identity, problem.center])
    track = Track(x, Z, np.eye(count, order="F"), np.ones(count))
    advance(problem, np.zeros((count, count)), np.zeros(count), track)
    return track


def advance(problem: TrackedProblem, H: Floats, g: Floats, track: Track) -> None:
    """Make one step to the minimum for the information H (p, p), g (p,); X and Z stay inside."""
    count = 10 * problem.bodies
    X = unpack(track.x[:count].reshape(-1, 10))
    try:
        root_X, root_Z = np.linalg.cholesky(X), np.linalg.cholesky(track.Z)
    except np.linalg.LinAlgError:  # rounding at the edge: what was found stays
        track.decrement = np.inf
        return
    _, middle, Vt = np.linalg.svd(np.matmul(root_Z.transpose(0, 2, 1), root_X))
    scale = np.sqrt(middle)
    inverse = (scale[:, :, None] * Vt) @ np.linalg.inv(root_X)  # R^-1, with R^-1 X R^-T diagonal
    weight = np.matmul(inverse.transpose(0, 2, 1), inverse)
    matrix = np.array(H, order="F")
    matrix[problem.blocks] += congruence(weight)
    matrix[problem.numbers, problem.numbers] += problem.pull
    # R^-T diag(mu / middle) R^-1 = mu X^-1 is the gradient of the barrier.
    push = np.matmul(inverse.transpose(0, 2, 1) * (problem.mu / middle)[:, None, :], inverse)
    right = g - H @ track.x
    right[:count] += pack(push).ravel() - problem.mu * problem.identity
    right[count:] -= problem.pull * (track.x[count:] - problem.center)
    # Hold further numbers at bounds that they press against, in the equations of a step.
    f, force = track.x[10 * problem.bodies :], right[10 * problem.bodies :]
    held = ((f <= problem.lower) & (force < 0)) | ((f >= problem.upper) & (force > 0))
    places = problem.numbers[held]
    if len(places):
        sizes = matrix[places, places]
        matrix[places, :] = matrix[:, places] = 0.0
        matrix[places, places] = sizes
        right[places] = 0.0
    track.units = 1 / np.sqrt(np.diag(matrix))
    matrix *= track.units[:, None] * track.units
    factor, failed = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
    if failed or not np.all(np.isfinite(right)):
        track.decrement = np.inf
        return
    track.factor = factor
    step = track.solve(right[:, None])[:, 0]
    step[count:][held] = 0.0
    track.decrement = float(right @ step) / 2
    _move(problem, track, step, (inverse, middle))


def _move(
    problem: TrackedProblem, track: Track, step: Floats, scaling: tuple[Floats, Floats]
) -> None:
    """Move along a step as far as X and Z stay inside; numbers stop at their bounds."""
    count, (inverse, middle) = 10 * problem.bodies, scaling
    dX = unpack(step[:count].reshape(-1, 10))
    ds = np.matmul(np.matmul(inverse, dX), inverse.transpose(0, 2, 1))
    dz = -ds
    dz[:, range(4), range(4)] += problem.mu / middle - middle
    root = np.sqrt(middle)
    both = np.concatenate([ds, dz])
    both /= np.concatenate([root[:, :, None] * root[:, None, :]] * 2)
    shrinkage = float(np.max(-np.linalg.eigvalsh((both + both.transpose(0, 2, 1)) / 2)))
    length = length_to_boundary(max(shrinkage, 0.0), BOUNDARY_FRACTION)
    track.x = track.x + length * step
    track.x[count:] = np.clip(track.x[count:], problem.lower, problem.upper)
    dZ = np.matmul(np.matmul(inverse.transpose(0, 2, 1), dz), inverse)
    track.Z = track.Z + length * (dZ + dZ.transpose(0, 2, 1)) / 2


LIFT = 2.0**-30
"""Part of a body's size, in units of its prior, that is added to it where it is returned: rounding
of its ten numbers would else take a body at the edge out of the cone."""

MEDIAN = 0.6745
"""Median of the size of a normal number of deviation 1."""

MEDIAN_STEP = 1.1
"""Factor by which the median of the innovations follows them in a sample: a hundredfold change
takes 50 samples."""

SETTLED = 1 / 64
"""Newton decrement, times sqrt(eps) of the objective's size, below which an estimate is settled."""

SETTLING_STEPS = 200
"""Steps of `settle` at most; five to thirty are usual."""


class OnlineIdentification:
    """Recursive identification with a forgetting factor; every estimate is consistent.

    After each sample the estimate moves one Newton step, warm-started, towards

        minimise sum_s forgetting^(S - s) ||w (Y_s theta + F_s f - tau_s)||^2
        + regularization (sum_i D(Pi_i, P_i) + sum_k ((f_k - prior_k) / scale_k)^2)

    with the log-det divergence D of `identify(..., metric="entropic")`, which keeps every body
    strictly inside the cone. Samples are forgotten, the prior never: where a motion says little of
    a parameter for longer than the memory, its estimate goes back to the prior.

    Args:
        prior: InertialParameters or (L, 10), the expected bodies. Those that are not strictly
            inside the cone are moved there.
        weights: (n,) one over the standard deviation of the noise of each row [1/(N m)]; or one
            number for all.
        forgetting: Factor by which all samples count less with each new one, above 0 to 1. The
            memory is 1 / (1 - forgetting) samples.
        regularization: Weight of the priors, as for `identify`.
        nuisance: Torques besides those of the bodies, each number with a finite scale: a Nuisance
            of terms or of columns, of which only names, bounds and priors count.
        order: Order of the last six entries of each body.
        loss: "squares", or "huber", under which an innovation beyond 1.345 of its expected
            deviations counts by its size and not by its square.
        carrier: Name or index of the body that may pick up a load; None to look for none.
        window: Samples in which a load has to show.
        redundancy: Number of samples that carry as much information as one independent sample.
        bodies: L names.

    Raises:
        ParameterError: Shapes or numbers out of range; the message names the argument.
    """

    def __init__(  # noqa: PLR0913 - what is known beforehand
        self,
        prior: InertialParameters | ArrayLike,
        weights: ArrayLike = 1.0,
        *,
        forgetting: float = 1.0,
        regularization: float = 1.0,
        nuisance: Nuisance | None = None,
        order: Order = "urdf",
        loss: Loss = "squares",
        carrier: int | str | None = None,
        window: int = 200,
        redundancy: float = 1.0,
        bodies: Sequence[str] | None = None,
    ) -> None:
        expect("number", forgetting=forgetting, regularization=regularization)
        expect("number", redundancy=redundancy)
        expect("whole", window=window)
        expect("whole", "text", "nothing", carrier=carrier)
        expect("text", loss=loss, order=order)
        expect(Nuisance, "nothing", nuisance=nuisance)
        count = _count_bodies(prior)
        self.bodies = body_names(bodies, count)
        self.order: Order = order
        self.loss: Loss = loss
        self.forgetting, self.regularization = float(forgetting), float(regularization)
        self.redundancy, self.samples, self.memory = float(redundancy), 0, 0.0
        self._squares = 0.0
        self._refuse_options(window)
        beside = nuisance or Nuisance()
        if not np.all(np.isfinite(beside.scale)):
            free = [beside.names[k] for k in np.flatnonzero(~np.isfinite(beside.scale))]
            raise ParameterError(
                f"nuisance {', '.join(free)} has no scale: before the first motion nothing else "
                "decides it; give scale="
            )
        self.names = beside.names
        self._scale = np.asarray(beside.scale)
        self._weights = _read_weights(weights)
        theta0 = prepare_priors(prior, count, order, tolerances.PRIOR_MARGIN, self.bodies).theta
        self._to_theta = np.matmul(FROM_SVEC, congruence(factors(pseudo_inertia(theta0))[0]))
        further = 10 * count + np.arange(len(self.names))
        self._places = np.concatenate([label_columns(count, order), further])
        # (p, p) map of x to the parameters in SI, in order "urdf".
        self._map = np.diag(np.append(np.zeros(10 * count), self._scale))
        for i, own in enumerate(self._to_theta):
            self._map[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = own
        self._problem = TrackedProblem(
            count,
            self.regularization / 2,
            np.full(len(beside), self.regularization),
            beside.prior / self._scale,
            beside.lower / self._scale,
            beside.upper / self._scale,
        )
        size = 10 * count + len(beside)
        self._H, self._g = np.zeros((size, size)), np.zeros(size)
        self._track = begin(self._problem)
        self._detector: LoadDetector | None = None
        if carrier is not None:
            self._detector = LoadDetector(self._find_body(carrier), window, self.redundancy)
        self.changes: tuple[LoadChange, ...] = ()
        self._load: LoadRecord | None = None
        self._usual: Floats | None = None

    def __repr__(self) -> str:
        """Name the sizes and the samples."""
        return (
            f"OnlineIdentification({len(self.bodies)} bodies, {len(self.names)} further, "
            f"{self.samples} samples, {float(self.theta[:, 0].sum()):.6g} kg)"
        )

    @quiet
    def update(self, Y: ArrayLike, tau: ArrayLike, F: ArrayLike | None = None) -> LoadChange | None:
        """Take a sample, and move the estimate.

        Args:
            Y: (n, 10 L) regressor of the sample, about the body origins.
            tau: (n,) torques [N m] or forces [N].
            F: (n, k) columns of the further numbers; None without them.

        Returns:
            The load that was picked up or dropped, where the sample gave that away; else None.

        Raises:
            ParameterError: Shapes that do not fit, or numbers that are not finite or overflow; the
                estimate is then as it was.
        """
        A, b = self._read_sample(Y, tau, F)
        innovation = b - A @ self._track.x
        added = A.T @ np.column_stack([A, b])
        if not np.isfinite(added.sum()):
            raise ParameterError("the sample overflows: expected torques and a regressor in SI")
        change = None
        if self._detector is not None or self.loss == "huber":
            # Covariance of the prediction itself: large before the parameters are known.
            spread = A @ self._track.solve(A.T)
            change = self._detect(A, b, innovation, spread)
            if self.loss == "huber":
                # (n,) innovations over the bend of the loss.
                expected = np.sqrt(1 + np.diag(spread))
                sizes = np.abs(innovation) / expected
                if self._usual is None:
                    self._usual = np.ones_like(sizes)
                ratio = sizes / (BEND * np.maximum(self._usual, 1.0))
                # A step up and a step down are equally frequent where the median is found.
                step = np.where(sizes > MEDIAN * self._usual, MEDIAN_STEP, 1 / MEDIAN_STEP)
                self._usual = np.maximum(self._usual * step, 1.0)
                ratio = np.asarray(ratio)
                part = A / np.maximum(ratio, 1.0)[:, None]
                added = part.T @ np.column_stack([A, b])
        self._H = self.forgetting * self._H + added[:, :-1]
        self._g = self.forgetting * self._g + added[:, -1]
        self.samples += 1
        self.memory = self.forgetting * self.memory + 1
        advance(self._problem, self._H, self._g, self._track)
        left = b - A @ self._track.x
        self._squares = self.forgetting * self._squares + float(left @ left) / len(left)
        return change

    def settle(self) -> OnlineIdentification:
        """Move the estimate all the way to the minimum for the samples so far.

        Raises:
            ProjectionError: It is not there after many steps; the estimate is the best so far.
        """
        for _ in range(SETTLING_STEPS):
            advance(self._problem, self._H, self._g, self._track)
            size = 1 + abs(float(self._g @ self._track.x))
            least = SETTLED * tolerances.EPS**0.5 * size
            if self._track.decrement <= least:
                return self
        raise ProjectionError(
            f"the estimate has not settled after {SETTLING_STEPS} steps: its decrement is "
            f"{self._track.decrement:.3g}, expected at most {least:.3g}; a larger "
            "regularization makes the problem better posed"
        )

    @property
    def weighted_rms(self) -> float:
        """Weighted RMS of the torques after each sample: 1 if weights and equations are right."""
        return float(np.sqrt(self._squares / max(self.memory, 1.0)))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on why the estimate is not to be written as the robot's bodies; () if nothing."""
        lines = []
        if self.weighted_rms > MISFIT:
            lines.append(
                f"weighted RMS {self.weighted_rms:.4g}, where noise alone leaves 1: no bodies move "
                "as recorded with these torques, or the weights are those of less noise"
            )
        flat = np.asarray(self.consistency.margin) < tolerances.EDGE
        if flat.any():
            names = [name for name, own in zip(self.bodies, flat.tolist(), strict=True) if own]
            lines.append(f"at the edge of what exists, flat or of few points: {', '.join(names)}")
        return tuple(lines)

    @property
    def theta(self) -> Floats:
        """(L, 10) estimate about the body origins, in the caller's order [kg, kg m, kg m^2]."""
        own = np.array(reorder(self._theta, "urdf", self.order))
        return state_form(own, self.order, "origin")

    @property
    def parameters(self) -> InertialParameters:
        """The bodies of the estimate; each is consistent."""
        return InertialParameters.from_theta(self._theta)

    @property
    def consistency(self) -> Consistency:
        """Consistency of the bodies."""
        return check(self._theta)

    @property
    def nuisance(self) -> Mapping[str, float]:
        """The further numbers by name [SI]."""
        own = self._track.x[10 * len(self.bodies) :] * self._scale
        return dict(zip(self.names, own.tolist(), strict=True))

    @property
    def covariance(self) -> Floats:
        """(p, p) covariance by the remembered samples and the prior, in the caller's order [SI].

        The cones are not counted: they can only make an estimate more certain.
        """
        count = len(self._H)
        prior = np.full(count, self._problem.mu)
        prior[10 * len(self.bodies) :] = self._problem.pull
        information = self._H / self.redundancy + np.diag(prior)
        inverse = np.linalg.inv(information)
        places = self._places
        found = self._map @ inverse @ self._map.T
        return np.asarray((found + found.T)[np.ix_(places, places)] / 2)

    @property
    def standard_deviation(self) -> Floats:
        """(L, 10) standard deviations of theta, in the caller's order."""
        variances = np.diag(self.covariance)[: 10 * len(self.bodies)]
        return np.asarray(np.sqrt(np.maximum(variances, 0.0)).reshape(-1, 10))

    def estimate_load(self, prior: ArrayLike | None = None) -> LoadEstimate:
        """Estimate the load of the last change, by the samples since then.

        Args:
            prior: (10,) expected load in order "urdf", where the samples do not show all of it.

        Raises:
            ParameterError: No change was found, or the samples leave a part of the load open.
        """
        if self._load is None:
            raise ParameterError("no load was picked up or dropped so far")
        return self._load.estimate(prior)

    @property
    def _theta(self) -> Floats:
        """(L, 10) estimate in order "urdf", kept off the edge."""
        X = self._track.x[: 10 * len(self.bodies)].reshape(-1, 10)
        sizes = X @ pack(np.eye(4)) / 4
        lifted = X + LIFT * sizes[:, None] * pack(np.eye(4))
        return np.asarray(np.matmul(self._to_theta, lifted[:, :, None])[:, :, 0])

    def _detect(
        self, A: Floats, b: Floats, innovation: Floats, spread: Floats
    ) -> LoadChange | None:
        """Test for a load, and give the carrier's parameters room where it has changed."""
        detector = self._detector
        if detector is None:
            return None
        own = slice(10 * detector.body, 10 * detector.body + 10)
        columns = A[:, own] @ self._from_theta
        try:
            root = np.linalg.cholesky(np.eye(len(A)) + spread)
        except np.linalg.LinAlgError:  # a prediction that rounding decides tests nothing
            return None
        white = np.linalg.solve(root, np.column_stack([innovation, columns[:, :4]]))
        change = detector.observe(white[:, 0], white[:, 1:], self.samples + 1)
        if change is not None:
            self.changes = (*self.changes, change)
            covariance = self.redundancy * self._track.solve(np.eye(len(self._H)))
            self._load = LoadRecord(np.array(self._track.x), covariance, self.redundancy)
            self._make_room(own)
        if self._load is not None:
            self._load.observe(A, b, columns)
        return change

    def _make_room(self, own: slice) -> None:
        """Add a covariance of a body's own size to its parameters; those of the others stay known.

        In information form, x + n with n of covariance 1 on the columns E of the body has
        H - H E (1 + E^T H E)^-1 E^T H.
        """
        block = self._H[:, own]
        # The identity of Woodbury: no inverse of H, which is singular before all parameters show.
        gain = np.linalg.solve(np.eye(10) + self._H[own, own], block.T)
        g = self._g - gain.T @ self._g[own]
        H = self._H - block @ gain
        self._H, self._g = (H + H.T) / 2, g

    @cached_property
    def _from_theta(self) -> Floats:
        """(10, 10) map of the carrier's theta, in order "urdf", to its part of x."""
        assert self._detector is not None
        return np.asarray(np.linalg.inv(self._to_theta[self._detector.body]))

    def _read_sample(
        self, Y: ArrayLike, tau: ArrayLike, F: ArrayLike | None
    ) -> tuple[Floats, Floats]:
        """Read a sample as weighted rows in the units of the problem."""
        (Y,), (tau,) = read_floats((), Y=Y), read_floats((), tau=tau)
        further = np.zeros((len(tau) if tau.ndim else 0, 0)) if F is None else np.asarray(F)
        rows, width = len(tau) if tau.ndim == 1 else -1, 10 * len(self.bodies)
        if Y.shape != (rows, width) or further.shape != (rows, len(self.names)):
            raise ParameterError(
                f"Y has shape {Y.shape}, tau {tau.shape} and F {further.shape}, expected "
                f"(n, {width}), (n,) and (n, {len(self.names)})"
            )
        if self._weights.ndim and len(self._weights) != rows:
            raise ParameterError(f"{rows} rows, and weights of {len(self._weights)}")
        whole = np.concatenate([Y, further], axis=1)
        if not (np.all(np.isfinite(whole)) and np.all(np.isfinite(tau))):
            raise ParameterError("the sample holds a number that is not finite: leave it out")
        weights = np.broadcast_to(self._weights, (rows,))
        ordered = np.empty_like(whole)
        ordered[:, self._places] = whole
        return weights[:, None] * (ordered @ self._map), weights * tau

    def _find_body(self, carrier: int | str) -> int:
        if isinstance(carrier, str):
            if carrier not in self.bodies:
                raise ParameterError(
                    f"carrier is {carrier!r}, expected one of {', '.join(self.bodies)}"
                )
            return self.bodies.index(carrier)
        if not -len(self.bodies) <= carrier < len(self.bodies):
            raise ParameterError(f"carrier is {carrier!r}, and there are {len(self.bodies)} bodies")
        return int(carrier) % len(self.bodies)

    def _refuse_options(self, window: int) -> None:
        """Refuse numbers out of range.

        Raises:
            ParameterError: The message names the argument.
        """
        if not 0 < self.forgetting <= 1:
            raise ParameterError(f"forgetting is {self.forgetting!r}, expected above 0, at most 1")
        if not 0 < self.regularization < np.inf:
            raise ParameterError(
                f"regularization is {self.regularization!r}, expected above 0: it keeps every "
                "estimate inside the cone"
            )
        if not 1 <= self.redundancy < np.inf:
            raise ParameterError(f"redundancy is {self.redundancy!r}, expected a number from 1 on")
        if self.loss not in ("squares", "huber"):
            raise ParameterError(f"loss is {self.loss!r}; available are 'squares', 'huber'")
        if window < 2:
            raise ParameterError(f"window is {window!r}, expected at least 2 samples")


def _count_bodies(prior: InertialParameters | ArrayLike) -> int:
    """Count the bodies of a prior."""
    if isinstance(prior, InertialParameters):
        return len(np.atleast_1d(np.asarray(prior.mass)))
    (array,) = read_floats((), prior=prior)
    if array.size == 0 or array.size % 10:
        raise ParameterError(f"prior has shape {array.shape}, expected (L, 10): one row for a body")
    return array.size // 10


def _read_weights(weights: ArrayLike) -> Floats:
    """Read the weights of the rows.

    Raises:
        ParameterError: One is negative or not finite, or all are 0.
    """
    (found,) = read_floats((), weights=weights)
    if found.ndim > 1 or not np.all(np.isfinite(found) & (found >= 0)) or not found.any():
        raise ParameterError(f"weights are {found.tolist()}, expected positive numbers [1/(N m)]")
    return found
