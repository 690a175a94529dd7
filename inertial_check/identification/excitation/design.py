"""The search for a motion within limits: coefficients of Fourier series, improved by SLSQP.

Position, velocity and acceleration are linear in the coefficients, and so are all limits; what is
best is not. A descent holds torques and distances by penalties at few times; its answer is then
checked at many, and what is violated there is held more tightly in the next round. The last word
has a pull back towards the start, which is known to hold everything.

Torques are predicted with a margin from the bodies and from known friction. How far off they may be
is the sum of two parts: each body off by a share of itself, independently of the others, and
friction by the same share of itself. Coulomb friction counts against the joint at all times, so
that nothing jumps.

Motions that show a robot's parameters: how well one does, and one that does it well.

A motion is a finite Fourier series for each joint (Swevers, Ganseman, Tükel, de Schutter and Van
Brussel, Optimal Robot Excitation and Identification, 1997). Position, velocity and acceleration are
linear in its coefficients, and so are all limits; what is best is not, and is sought by SLSQP.

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.identification.excitation.design import Limits
>>> from inertial_check.identification.excitation.design import TorqueLimits
>>> from inertial_check.identification.excitation import design
>>> tree = ic.load("data/recordings/arm.urdf").tree()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect, show_value
from inertial_check.identification.excitation.convex import Clearance, Closest, Obstacles
from inertial_check.identification.excitation.fourier import (
    CRITERIA,
    PROVEN_AT,
    Basis,
    Criterion,
    FourierSeries,
    Motion,
    between,
    measure,
    report,
)
from inertial_check.identification.excitation.visibility import Visibility, Weights, prior_of
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Mask, read_floats
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.mechanics.equations import GRAVITY
from inertial_check.mechanics.tree import Tree

__all__ = [
    "Condition",
    "Excitation",
    "Limits",
    "Trajectory",
    "condition_number",
    "optimise",
    "predict_torques",
]

SEEN_AT = 12
"""Times in a period of the highest harmonic at which the regressor is looked at."""

HELD_AT = 8
"""The same for the limits while searching; SLSQP's work grows with them."""

WATCHED_AT = 24
"""The same for distances, which change fast beside the sizes of shapes."""

HELD_TO = 0.98
"""Share of the limits that is used at these times while searching: between them it may be more."""

STEPS = 200
"""Largest number of SLSQP steps from one start; thirty to sixty are usual."""

_STEP = 0.05
"""Step in velocity and acceleration for differences of friction, of their limits: it rounds the
steps of Coulomb friction."""


class Limits(NamedTuple):
    """Limits of the joints, each (n,) and finite: [rad] or [m], and per second.

    Attributes:
        lower: Least positions.
        upper: Largest positions.
        velocity: Largest speeds.
        acceleration: Largest accelerations.
    """

    lower: Floats
    upper: Floats
    velocity: Floats
    acceleration: Floats


class LimitUse(NamedTuple):
    """Largest share of its limits that each joint uses, 0 to 1.

    Attributes:
        position: (n,) of the larger distance to the middle of the range, in half ranges.
        velocity: (n,).
        acceleration: (n,).
    """

    position: Floats
    velocity: Floats
    acceleration: Floats


class Held(NamedTuple):
    """Torques and distances to hold while searching, with a penalty of squares.

    Attributes:
        target: (n,) share of each torque limit that may be used.
        slack: Distance beyond the least one [m].
        weight: Factor of the penalty, beside the criterion.
    """

    target: Floats
    slack: float
    weight: float


@dataclass(frozen=True, eq=False)
class Search:
    """The search for coefficients.

    A point is (T, n, 2 N - 1): for each trajectory and joint the mean position, from the middle of
    the range in half ranges, and coordinates of the coefficients that start at rest, in velocity
    limits. What the trajectories show adds up.

    Attributes:
        visible: What is to be seen.
        limits: Of the joints.
        duration: Of a period.
        harmonics: Of the series.
        trajectories: Number T of motions that are designed together.
        criterion: Name of what is made small.
        torques: Torque limits; None for none.
        clearance: Shapes that are to stay apart; None for none.
    """

    visible: Visibility
    limits: Limits
    duration: float
    harmonics: int
    trajectories: int = 1
    criterion: Criterion = "condition"
    torques: TorqueBound | None = None
    clearance: Clearance | None = None

    @cached_property
    def rest(self) -> Floats:
        """(2 N, 2 N - 2) orthonormal: coefficients [a b] with u(0) = du(0) = 0.

        That is sum a_k = 0 and sum k b_k = 0.
        """
        at_rest = np.zeros((2, 2 * self.harmonics))
        at_rest[0, : self.harmonics] = 1.0
        at_rest[1, self.harmonics :] = np.arange(1, self.harmonics + 1)
        return np.asarray(np.linalg.svd(at_rest)[2][2:].T)

    @cached_property
    def middle(self) -> Floats:
        """(n,) of the ranges."""
        return np.asarray((self.limits.upper + self.limits.lower) / 2)

    @cached_property
    def half(self) -> Floats:
        """(n,) of the ranges."""
        return np.asarray((self.limits.upper - self.limits.lower) / 2)

    @cached_property
    def units(self) -> Floats:
        """(3, n) what positions, velocities and accelerations are measured in: the limits."""
        return np.stack([self.half, self.limits.velocity, self.limits.acceleration])

    @cached_property
    def seen(self) -> Floats:
        """From points to the motion at the times at which the regressor is looked at."""
        return self._basis(SEEN_AT * self.harmonics)

    @cached_property
    def held(self) -> Floats:
        """(3 M, n, 2 N - 1) positions, velocities and accelerations of each joint in its limits."""
        return self._in_limits(HELD_AT)

    @cached_property
    def proven(self) -> Floats:
        """The same, as densely as for the result."""
        return self._in_limits(PROVEN_AT)

    def _basis(self, count: int) -> Floats:
        """(3, count, 2 N - 1): of the mean and of coordinates, to q, u and du in a period."""
        t: Floats = np.arange(count, dtype=np.float64) * (self.duration / count)
        oscillation = np.stack(Basis.at(t, self.harmonics, self.duration)) @ self.rest
        mean = np.zeros((3, count, 1))
        mean[0] = 1.0
        return np.concatenate([mean, oscillation], axis=2)

    @cached_property
    def scale(self) -> Floats:
        """(n, 2 N - 1) the units of a point."""
        speeds = np.repeat(self.limits.velocity[:, None], self.rest.shape[1], axis=1)
        return np.concatenate([self.half[:, None], speeds], axis=1)

    def _in_limits(self, density: int) -> Floats:
        basis = self._basis(density * self.harmonics)[:, :, None, :]
        rows = basis * self.scale / self.units[:, None, :, None]
        return np.asarray(rows.reshape(-1, *self.scale.shape))

    @cached_property
    def watched(self) -> Floats:
        """From points to the motion at the times at which distances are looked at."""
        return self._basis(WATCHED_AT * self.harmonics)

    def motion(self, point: Floats, basis: Floats | None = None) -> Motion:
        """q, u and du (T S, n) of all trajectories in a period."""
        rows = self.seen if basis is None else basis
        q, u, du = np.einsum("wsc,tjc->wtsj", rows, point * self.scale).reshape(
            3, -1, point.shape[1]
        )
        return q + self.middle, u, du

    def series(self, point: Floats) -> list[FourierSeries]:
        """The series of each trajectory of a point."""
        found = []
        for own in point * self.scale:
            both = own[:, 1:] @ self.rest.T
            a, b = both[:, : self.harmonics], both[:, self.harmonics :]
            found.append(FourierSeries(self.duration, own[:, 0] + self.middle, a, b))
        return found

    def random(self, rng: np.random.Generator) -> Floats:
        """A random point, as wide as the limits allow."""
        point = rng.normal(size=(self.trajectories, *self.scale.shape))
        point[..., 0] = rng.uniform(-0.5, 0.5, point.shape[:2])
        return self.fit_limits(point, self.held, HELD_TO, np.inf)

    def fit_limits(self, point: Floats, rows: Floats, share: float, most: float = 1.0) -> Floats:
        """Scale a point about its mean until each joint is as wide as its limits allow.

        Args:
            point: (T, n, 2 N - 1).
            rows: held or proven.
            share: Of the limits that may be used at these times.
            most: Factor that no joint is widened by.
        """
        found = np.array(point)
        for own in found:
            mean = rows[:, :, 0] * own[:, 0]
            swing = np.einsum("mjc,jc->mj", rows[:, :, 1:], own[:, 1:])
            room = share - np.sign(swing) * mean
            wide = np.abs(swing) > 0
            factors = np.where(wide, room / np.where(wide, np.abs(swing), 1.0), np.inf)
            own[:, 1:] *= np.clip(factors.min(axis=0), 0.0, most)[:, None]
        return found

    def use(self, point: Floats) -> LimitUse:
        """Share of the limits that each joint uses, at all times."""
        used = np.abs(np.einsum("mjc,tjc->tmj", self.proven, point))
        used = used.reshape(len(point), 3, -1, point.shape[1])
        return LimitUse(*(used.max(axis=(0, 2)) / between(PROVEN_AT)))

    def value(self, point: Floats) -> float:
        """The criterion, such as the logarithm of the smooth bound of the condition number."""
        sizes = _spectrum(self.visible.project_rows(*self.motion(point)))[0]
        return measure(self.criterion, sizes)[0]

    def value_and_slope(self, point: Floats, held: Held | None = None) -> tuple[float, Floats]:
        """The same with what exceeds torques and distances, and its derivatives (T, n, 2 N - 1)."""
        motion = self.motion(point)
        rows = self.visible.body_rows(*motion)
        seen = self.visible.project_rows(*motion, bodies=rows)
        sizes, V = _spectrum(seen)
        value, slopes = measure(self.criterion, sizes)
        dual = seen @ ((V * (slopes / np.where(sizes > 0, sizes, 1.0))) @ V.T)
        further, beside = None, np.zeros(())
        if held is not None and self.torques is not None:
            excess, further, beside = self.torques.excess(motion, rows, held.target)
            value += held.weight * excess
            further *= held.weight
            beside = beside * held.weight
        changes = self.visible.differentiate_rows(motion, dual, further, self._steps) + beside
        slope = self._collect(changes, self.seen)
        if held is not None and self.clearance is not None:
            short, with_q = self.clearance.shortfall(
                self.motion(point, self.watched)[0], held.slack
            )
            value += held.weight * short
            slope += held.weight * self._collect(with_q[None], self.watched[:1])
        return value, slope

    def _collect(self, changes: Floats, basis: Floats) -> Floats:
        """Turn derivatives with the motion (w, T S, n) into those with a point (T, n, 2 N - 1)."""
        own = changes.reshape(len(changes), self.trajectories, -1, changes.shape[-1])
        return np.asarray(np.einsum("wtsj,wsc->tjc", own, basis) * self.scale)

    @cached_property
    def _steps(self) -> Floats:
        """(3, n) for differences of friction with q, u and du."""
        return _STEP * self.units

    def descend(
        self, start: Floats, held: Held | None, watch: Callable[[float], None] | None = None
    ) -> Floats:
        """Go down to a local minimum, within the limits of the joints at all times.

        Args:
            start: Point to start from.
            held: Torques and distances to hold; None for none.
            watch: Receives the value at each step.
        """
        from scipy.optimize import minimize

        shape = start.shape
        limited = self._limited

        def objective(x: Floats) -> tuple[float, Floats]:
            value, slope = self.value_and_slope(x.reshape(shape), held)
            if watch is not None:
                watch(value)
            return value, slope.ravel()

        found = minimize(
            objective,
            start.ravel(),
            jac=True,
            method="SLSQP",
            constraints=[
                {"type": "ineq", "fun": lambda x: HELD_TO - limited @ x, "jac": lambda x: -limited}
            ],
            options={"maxiter": STEPS, "ftol": tolerances.SEARCH_SETTLED},
        )
        return self.fit_limits(found.x.reshape(shape), self.proven, between(PROVEN_AT))

    @cached_property
    def _limited(self) -> Floats:
        """All positions, velocities and accelerations as rows over points, and their negatives."""
        count, n, width = self.held.shape
        whole = np.zeros((n, count, n, width))
        for joint in range(n):
            whole[joint, :, joint] = self.held[:, joint]
        one = whole.reshape(n * count, n * width)
        rows = np.kron(np.eye(self.trajectories), one)
        return np.concatenate([rows, -rows])


def _spectrum(seen: Floats) -> tuple[Floats, Floats]:
    """Singular values (r,) of rows (S, n, r), descending, and right singular vectors as columns."""
    rows = seen.reshape(-1, seen.shape[-1])
    # The Gram matrix takes a tenth of the time of a decomposition, and squares the condition: it is
    # used only where its least eigenvalue is well above rounding.
    squares, V = np.linalg.eigh(rows.T @ rows)
    if squares[0] > tolerances.GRAM_PRECISE * squares[-1]:
        return np.sqrt(squares[::-1]), V[:, ::-1]
    _, found, Vt = np.linalg.svd(rows)
    sizes = np.zeros(len(Vt))
    sizes[: len(found)] = found
    return sizes, Vt.T


ROUNDS = 4
"""Largest number of descents from one start, each of which holds more tightly."""

HOLD = 0.998
"""Share of a torque limit that the samples of a proof may use: between them it may be more."""

_TARGET = 0.97
"""Share of a torque limit that the first round holds at its few samples."""

_WEIGHT = 100.0
"""Weight of the penalty in the first round: a limit exceeded by a tenth outweighs a tenth less of
the logarithm of a condition number."""

_SLACK = 0.1
"""Distance that the first round holds beyond the least, in median radii of the shapes."""

_GRID = 400
"""Random configurations among which one is looked for that holds everything while at rest."""

_WIDTHS = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0.05, 0.02)
"""Widths of the swing about its mean that are tried for a start, from the widest."""

_BACK = (1.0, 0.98, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.0)
"""Shares of the way from the start to the result of a descent, from the farthest."""


class Proof(NamedTuple):
    """Torques and distances of a motion, at many times.

    Attributes:
        torque: (n,) largest share of each torque limit, at 128 times in a period of the highest
            harmonic; None without limits.
        closest: Closest approach of its shapes; None without shapes.
        kept: Whether everything is kept.
    """

    torque: Floats | None
    closest: Closest | None
    kept: bool


def check_point(search: Search, point: Floats) -> Proof:
    """Check the torques and the distances of a point, at many times."""
    torque, closest, kept = None, None, True
    if search.torques is not None:
        basis = search._basis(PROVEN_AT * search.harmonics)
        found = search.torques.use(search.motion(point, basis)).share
        torque = found.max(axis=0)
        kept = bool(np.all(torque <= HOLD))
    if search.clearance is not None:
        each = [search.clearance.prove(series) for series in search.series(point)]
        least = search.clearance.obstacles.least
        closest = min(each, key=lambda own: own.distance - least[own.pair])
        closest = closest._replace(kept=all(own.kept for own in each))
        kept = kept and closest.kept
    return Proof(torque, closest, kept)


def draw_starts(search: Search, rng: np.random.Generator, count: int) -> list[Floats]:
    """Draw random points that hold torques and distances at the few times of a search.

    Raises:
        ParameterError: No configuration was found in which the robot can be at rest.
    """
    drawn = [search.random(rng) for _ in range(count)]
    if search.torques is None and search.clearance is None:
        return drawn
    means = _find_rests(search, rng)
    for number, point in enumerate(drawn):
        chosen = means[rng.integers(len(means), size=len(point))]
        point[..., 0] = chosen
        wide = search.fit_limits(point, search.held, 1.0, np.inf)
        for width in _WIDTHS:
            drawn[number] = _widen(wide, width)
            if np.all(_hold(search, drawn[number])):
                break
    return drawn


def improve(search: Search, start: Floats, watch: Callable[[float], None] | None = None) -> Floats:
    """Improve a start to a local minimum that holds everything; else return the start.

    Raises:
        ParameterError: Not even the narrowest motion about the start holds everything.
    """
    if search.torques is None and search.clearance is None:
        point = search.descend(start, None, watch)
        return point if search.value(point) < search.value(start) else start
    held = Held(np.full(len(search.scale), _TARGET), 0.0, _WEIGHT)
    if search.clearance is not None:
        held = held._replace(slack=_SLACK * search.clearance.size)
    point = start
    for _ in range(ROUNDS):
        point = search.descend(point, held, watch)
        proof = check_point(search, point)
        if proof.kept:
            break
        target = held.target
        if proof.torque is not None:
            target = target * np.minimum(1.0, HOLD / np.maximum(proof.torque, 1.0))
        loose = proof.closest is not None and not proof.closest.kept
        held = Held(target, held.slack * (2.0 if loose else 1.0), held.weight * 4)
    # Narrow the start until it holds everything at all times.
    narrow = (_widen(start, width) for width in _WIDTHS)
    held_start = next((each for each in narrow if check_point(search, each).kept), None)
    if held_start is None:
        raise ParameterError(
            "no motion was found that holds torque limits and distances at all times: allow larger "
            "torques, smaller distances or other positions"
        )
    start = held_start
    if not proof.kept:  # go as far towards the point as everything is held
        back = (start + share * (point - start) for share in _BACK)
        point = next((each for each in back if check_point(search, each).kept), start)
    return point if search.value(point) < search.value(start) else start


def _find_rests(search: Search, rng: np.random.Generator) -> Floats:
    """Find means (k, n) in half ranges at which everything is held at rest."""
    n = len(search.scale)
    means = rng.uniform(-0.7, 0.7, (_GRID, n))
    home = -search.middle / search.half
    means[0] = np.clip(home, -0.7, 0.7)
    q = means * search.half + search.middle
    held, why = np.ones(len(q), dtype=bool), []
    if search.torques is not None:
        share = search.torques.use((q, np.zeros_like(q), np.zeros_like(q))).share
        fits = np.all(share <= _TARGET, axis=1)
        held &= fits
        if not fits.any():
            least = share.min(axis=0)
            joint = int(np.argmax(least))
            most = search.torques.limits.most[joint]
            why.append(
                f"joint {joint} takes {most * least[joint]:.3g} of its {most:.3g} N m or N at rest"
                if least[joint] > _TARGET
                else "the torque limits"
            )
    if search.clearance is not None:
        clear = search.clearance
        apart = clear.distances(q, 0.0) - clear.obstacles.least
        fits = np.all(apart > 0, axis=1)
        held &= fits
        if not fits.any():
            why.append("the distances to keep")
    if not held.any():
        raise ParameterError(
            f"none of {_GRID} configurations holds torque limits and distances at rest: "
            f"{' and '.join(why) or 'both together'}"
        )
    return means[held]


def _hold(search: Search, point: Floats) -> Mask:
    """Whether a point holds everything at the few times of a search (one entry each)."""
    held = []
    if search.torques is not None:
        held.append(np.all(search.torques.use(search.motion(point)).share <= _TARGET))
    if search.clearance is not None:
        q = search.motion(point, search.watched)[0]
        apart = search.clearance.distances(q, 0.0) - search.clearance.obstacles.least
        held.append(np.all(apart > 0))
    return np.array(held)


def _widen(point: Floats, width: float) -> Floats:
    """Scale the swing of a point about its mean."""
    return np.concatenate([point[..., :1], point[..., 1:] * width], axis=-1)


class TorqueLimits(NamedTuple):
    """Largest torques of the joints, and their friction as far as it is known, each (n,).

    Attributes:
        most: Largest torques [N m] or forces [N]; infinite for none.
        viscous: Viscous friction [N m s/rad] or [N s/m].
        coulomb: Coulomb friction [N m] or [N].
        rotor: Inertia of the rotor as the joint feels it [kg m^2] or [kg].
        margin: Standard deviation of each body and of the friction, as a share of itself.
    """

    most: Floats
    viscous: Floats
    coulomb: Floats
    rotor: Floats
    margin: float


class TorqueUse(NamedTuple):
    """Torques of a motion, each (S, n).

    Attributes:
        predicted: Torques of the bodies, of rotors and of viscous friction.
        beyond: What is to be added to their absolute value: Coulomb friction and the margin.
        share: Sum of both, of the limits.
    """

    predicted: Floats
    beyond: Floats
    share: Floats


@dataclass(frozen=True, eq=False)
class TorqueBound:
    """Torques that motions need, of those that the joints can give.

    Attributes:
        visible: The robot, and the units of its bodies.
        theta: (N, 10) parameters of all bodies.
        limits: Torques, friction and margin.
    """

    visible: Visibility
    theta: Floats
    limits: TorqueLimits

    def use(self, motion: Motion) -> TorqueUse:
        """Predict the torques of a motion (S, n)."""
        return self._use(self.visible.body_rows(*motion), motion)[0]

    def excess(self, motion: Motion, rows: Floats, target: Floats) -> tuple[float, Floats, Floats]:
        """Sum the squares of what exceeds a share of the limits, and how it depends on the motion.

        Args:
            motion: (S, n) each.
            rows: (S, n, N, 10) its regressor.
            target: (n,) share of each limit that may be used.

        Returns:
            The sum; weights (S, n, N, 10) by which its slope is their product with the slope of the
            regressor; derivatives (3, S, n) with q, u and du by friction and rotors.
        """
        use, deviation = self._use(rows, motion)
        over = np.maximum(use.share - target, 0.0)
        slope = 2 * over / self.limits.most
        sign = np.sign(use.predicted)
        weights = (slope * sign)[..., None, None] * self.theta
        factor = np.where(
            deviation > 0, self.limits.margin / np.where(deviation > 0, deviation, 1), 0
        )
        own = np.matmul(
            self._in_units(rows)[..., None, :], np.swapaxes(self.visible.to_theta, 1, 2)
        )[..., 0, :]
        bodies = list(self.visible.bodies)
        weights[:, :, bodies] += (slope * factor)[..., None, None] * own
        viscous = self.limits.viscous * (np.sign(motion[1]) * self.limits.margin + sign)
        rotor = self.limits.rotor * sign
        beside = slope * np.stack([np.zeros_like(viscous), viscous, rotor])
        return float(np.sum(over**2)), weights, beside

    def _in_units(self, rows: Floats) -> Floats:
        """Rows (S, n, L, 10) of the bodies, in units of which 1 is a change by the whole body."""
        own = rows[..., list(self.visible.bodies), :]
        return np.asarray(np.matmul(own[..., None, :], self.visible.to_theta)[..., 0, :])

    def _use(self, rows: Floats, motion: Motion) -> tuple[TorqueUse, Floats]:
        """Torques by the rows (S, n, N, 10) of the regressor, and the deviation of the bodies'."""
        limits = self.limits
        viscous = limits.viscous * motion[1]
        bodies = np.einsum("snbk,bk->sn", rows, self.theta)
        predicted = bodies + limits.rotor * motion[2] + viscous
        deviation = np.sqrt(np.sum(self._in_units(rows) ** 2, axis=(2, 3)))
        friction = limits.coulomb + limits.margin * (np.abs(viscous) + limits.coulomb)
        beyond = limits.margin * deviation + friction
        return TorqueUse(predicted, beyond, (np.abs(predicted) + beyond) / limits.most), deviation


CANDIDATES = 24
"""Random motions, of which the best are improved."""

USUAL_STEPS = 60
"""Steps of a descent that progress is estimated with."""


class Condition(NamedTuple):
    """How evenly a motion shows what can be seen of a robot.

    Attributes:
        number: The largest singular value over the least, in all directions that any motion shows;
            infinite if this one leaves one of them out.
        rank: In how many directions this motion shows anything.
        columns: In how many any motion does: the count of base parameters.
        singular_values: (columns,) descending, without units.
    """

    number: float
    rank: int
    columns: int
    singular_values: Floats


class Trajectory(NamedTuple):
    """One of the motions that are designed together.

    Attributes:
        series: The motion.
        t: (S,) times [s].
        q: (S, n) positions.
        u: (S, n) velocities.
        du: (S, n) accelerations.
    """

    series: FourierSeries
    t: Floats
    q: Floats
    u: Floats
    du: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Excitation:
    """A motion within limits that shows a robot's parameters, or several that do so together.

    Attributes:
        series: The motion, of which one period takes all of the duration; of several the first.
        t: (S,) times from 0 to the duration [s].
        q: (S, n) positions then.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        condition: Of this motion, or of all together.
        condition_start: Of the random motion that it was improved from.
        use: Of the limits, at all times.
        trajectories: All motions, in the order of their design.
        criterion: Name of what was made small or large.
        value: Of the criterion.
        value_start: The same of the start.
        torque: (n,) largest share of each torque limit, with its margin; None without limits.
        closest: Closest approach of the shapes; None without shapes.
    """

    series: FourierSeries
    t: Floats
    q: Floats
    u: Floats
    du: Floats
    condition: Condition
    condition_start: Condition
    use: LimitUse
    trajectories: tuple[Trajectory, ...] = ()
    criterion: Criterion = "condition"
    value: float = float("nan")
    value_start: float = float("nan")
    torque: Floats | None = None
    closest: Closest | None = None

    def __repr__(self) -> str:
        """The motion, and what was gained."""
        before, after = self.condition_start.number, self.condition.number
        return f"Excitation({self.series!r}, condition {before:.4g} -> {after:.4g})"


def condition_number(  # noqa: PLR0913 - a motion, and the units
    tree: Tree,
    q: ArrayLike,
    u: ArrayLike,
    du: ArrayLike,
    *,
    prior: InertialParameters | ArrayLike | None = None,
    nuisance: Nuisance | None = None,
    noise: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    tolerance: float = tolerances.RANK,
    weights: Weights | None = None,
) -> Condition:
    """How evenly a motion shows what can be seen of a robot's parameters.

    Without units: every body in those of its prior, ||L^-1 dPi L^-T||_F with P = L L^T, as in
    identify; bodies whose prior has no extent, and numbers beside the bodies that have no scale, so
    that their columns are as long over random motions as those of the other bodies on average;
    torques in units of `noise`. Over the directions that any motion shows, so that it is that of no
    choice of base parameters.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        q: (S, n) coordinates.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        prior: (N, 10) in order "urdf" about the body origins, or InertialParameters; None for the
            tree's own. Bodies of zeros are frames, and left out.
        nuisance: What is identified beside the bodies, as terms.
        noise: (n,) standard deviation of each joint's torque; None for one in proportion to
            sqrt(m J), of the mass m that the joint carries and its inertia J at the joint.
        gravity: (3,) in the axes of I [m/s^2].
        tolerance: Directions that are weaker, of the strongest, are not seen. Angles that were
            typed with few digits, as 1.5708, show some as weak as their last digit.
        weights: Importance of bodies and of numbers beside them; None for 1.

    Raises:
        ParameterError: Shapes that do not fit, numbers that are not finite, a floating joint, no
            body with mass.

    Example:
        >>> q, u, du = np.random.default_rng(0).normal(size=(3, 200, 3))
        >>> found = design.condition_number(tree, q, u, du)
        >>> print(found.rank, found.columns)
        15 15
    """
    expect(Tree, tree=tree)
    expect(Nuisance, "nothing", nuisance=nuisance)
    expect("number", tolerance=tolerance)
    visible = Visibility.of(
        tree,
        prior=prior,
        nuisance=nuisance,
        noise=noise,
        gravity=gravity,
        tolerance=tolerance,
        weights=weights,
    )
    return _condition(visible, _motion(tree, q, u, du), tolerance)


def predict_torques(
    tree: Tree,
    motion: Sequence[ArrayLike],
    limits: TorqueLimits,
    *,
    prior: InertialParameters | ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
) -> TorqueUse:
    """Predict the torques of a motion, and how much of their limits they may take.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        motion: q, u and du, each (S, n).
        limits: Torques, friction and margin.
        prior: As for condition_number.
        gravity: As for condition_number.

    Raises:
        ParameterError: Shapes that do not fit, numbers that are not finite, a floating joint.

    Example:
        >>> known = TorqueLimits([60.0, 60.0, 30.0], *np.zeros((3, 3)), margin=0.1)
        >>> still = np.zeros((1, 3))
        >>> bent = np.array([[0.0, 1.0, 0.0]])
        >>> use = design.predict_torques(tree, (bent, still, still), known)
        >>> print(use.predicted.round(2), use.share.round(2))
        [[ 0.   -9.58 -1.49]] [[0.   0.17 0.05]]
    """
    q, u, du = motion
    visible = Visibility.of(tree, prior=prior, gravity=gravity)
    return _bound_torques(visible, prior, limits).use(_motion(tree, q, u, du))


def optimise(  # noqa: PLR0913 - what is moved, within what, and how hard to look
    tree: Tree,
    limits: Limits,
    *,
    duration: float,
    harmonics: int = 5,
    rate: float | None = None,
    seed: int = 0,
    prior: InertialParameters | ArrayLike | None = None,
    nuisance: Nuisance | None = None,
    noise: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    tolerance: float = tolerances.RANK,
    starts: int = 3,
    trajectories: int = 1,
    criterion: Criterion = "condition",
    weights: Weights | None = None,
    torques: TorqueLimits | None = None,
    obstacles: Obstacles | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Excitation:
    """Find a motion within the limits whose condition number is small, or several together.

    It starts and ends at rest, u = du = 0. The limits hold at all times, not only at samples: see
    FourierSeries.peaks. What is least is the smooth bound of the condition number

        (sum lambda_i^2 sum lambda_i^-2)^(1/4),   lambda_i the squared singular values,

    which is at most sqrt(r) times as large, for r directions; a local minimum, the best of several.
    Torque limits and distances between shapes are held by penalties while searching; the motion
    that is returned is checked at 128 times in a period of the highest harmonic, and distances
    between these, too, by the speeds of the joints.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        limits: Arrays lower, upper, velocity and acceleration (n,), as of Limits.
        duration: Of the motion, one period [s].
        harmonics: Of the series, 2 or more.
        rate: Samples of a second; None for 32 of a period of the highest harmonic.
        seed: Of the random motions it starts from: the same seed gives the same motion.
        prior: As for condition_number.
        nuisance: As for condition_number.
        noise: As for condition_number.
        gravity: As for condition_number.
        tolerance: As for condition_number.
        starts: How many of the random motions are improved.
        trajectories: Number of motions; what they show adds up.
        criterion: "condition", "log-det" or "mean-variance", as of criteria.
        weights: Importance of bodies and of numbers beside them; None for 1.
        torques: Limits of the torques that are predicted with the prior; None for none.
        obstacles: Shapes that have to stay apart; None for none.
        progress: Receives the share of the search that is done, 0 to 1, and the least logarithm
            that the criterion has had.

    Returns:
        The motion. Its condition and that of its start are those of condition_number, of the
        samples of one period.

    Raises:
        ParameterError: A limit that is not finite or leaves no room, fewer than two harmonics, no
            positive duration or rate, harmonics that are too few to show everything, torques or
            distances that nothing holds.

    Example:
        >>> limits = Limits([-2.0] * 3, [2.0] * 3, [2.0] * 3, [8.0] * 3)
        >>> motion = design.optimise(tree, limits, duration=4.0, harmonics=2, rate=10.0, starts=1)
        >>> print(motion.condition.number < motion.condition_start.number)
        True
    """
    expect(Tree, tree=tree)
    expect("number", duration=duration, tolerance=tolerance)
    expect("whole", harmonics=harmonics, seed=seed, starts=starts, trajectories=trajectories)
    expect("number", "nothing", rate=rate)
    expect(Nuisance, "nothing", nuisance=nuisance)
    expect("text", criterion=criterion)
    expect(TorqueLimits, "nothing", torques=torques)
    expect(Obstacles, "nothing", obstacles=obstacles)
    expect("function", "nothing", progress=progress)
    visible = Visibility.of(
        tree,
        prior=prior,
        nuisance=nuisance,
        noise=noise,
        gravity=gravity,
        tolerance=tolerance,
        weights=weights,
    )
    for name, number in (("duration", duration), ("rate", rate)):
        if number is not None and not 0 < number < np.inf:
            raise ParameterError(f"{name} is {number!r}, expected a positive number")
    if harmonics != int(harmonics) or harmonics < 2:
        raise ParameterError(
            f"harmonics is {harmonics!r}, expected 2 or more: one alone cannot start at rest"
        )
    if starts != int(starts) or starts < 1:
        raise ParameterError(f"starts is {starts!r}, expected 1 or more")
    if criterion not in CRITERIA:
        raise ParameterError(f"criterion is {criterion!r}, expected one of {', '.join(CRITERIA)}")
    if trajectories != int(trajectories) or trajectories < 1:
        raise ParameterError(f"trajectories is {trajectories!r}, expected 1 or more")
    search = Search(
        visible,
        _limits(tree, limits),
        float(duration),
        int(harmonics),
        trajectories=int(trajectories),
        criterion=criterion,
        torques=None if torques is None else _bound_torques(visible, prior, torques),
        clearance=None if obstacles is None else Clearance(tree, obstacles),
    )
    drawn = draw_starts(search, np.random.default_rng(seed), max(CANDIDATES, starts))
    drawn.sort(key=search.value)
    steps = _Steps(starts, progress)
    improved = [(improve(search, start, steps), start) for start in steps.each(drawn[:starts])]
    best, start = min(improved, key=lambda pair: search.value(pair[0]))
    series = search.series(best)
    condition = _condition(visible, search.motion(best), tolerance)
    if condition.rank < condition.columns:
        raise ParameterError(
            f"no motion with {harmonics} harmonics was found that shows more than {condition.rank} "
            f"of the {condition.columns} directions that can be seen: give more harmonics"
        )
    rate = rate or 32 * harmonics / duration
    t = np.linspace(0.0, duration, max(round(duration * rate), 1) + 1)
    found = tuple(Trajectory(each, t, *each.at(t)) for each in series)
    before, proof = _condition(visible, search.motion(start), tolerance), check_point(search, best)
    samples = len(search.seen[0])
    return Excitation(
        *found[0],
        condition,
        before,
        search.use(best),
        found,
        criterion,
        report(criterion, condition.singular_values, samples),
        report(criterion, before.singular_values, samples),
        proof.torque,
        proof.closest,
    )


class _Steps:
    """Steps of a search, of which the share that is done is told.

    Args:
        starts: Number of descents.
        progress: Receives the share and the least value.
    """

    def __init__(self, starts: int, progress: Callable[[float, float], None] | None) -> None:
        self._starts, self._progress = starts, progress
        self._begun, self._taken, self._least = -1, 0, float("inf")

    def each(self, drawn: Sequence[Floats]) -> Iterator[Floats]:
        """Go through the starts."""
        for self._begun, start in enumerate(drawn):
            self._taken = 0
            yield start

    def __call__(self, value: float) -> None:
        """Count a step with this value."""
        self._taken += 1
        self._least = min(self._least, value)
        if self._progress is not None:
            part = self._taken / (self._taken + USUAL_STEPS)  # never done before the descent is
            self._progress((self._begun + part) / self._starts, self._least)


def _bound_torques(
    visible: Visibility,
    prior: InertialParameters | ArrayLike | None,
    limits: TorqueLimits,
) -> TorqueBound:
    """Make a bound of the torques of the prior's bodies.

    Raises:
        ParameterError: A shape that does not fit, or a number that no joint has.
    """
    arrays = {
        name: np.asarray(each, dtype=np.float64)
        for name, each in limits._asdict().items()
        if name != "margin"
    }
    for name, array in arrays.items():
        good = array > 0 if name == "most" else (array >= 0) & np.isfinite(array)
        if array.shape != (visible.tree.n_u,) or not np.all(good):
            raise ParameterError(f"torques.{name}: expected {visible.tree.n_u} numbers above 0")
    if not 0 <= limits.margin < np.inf:
        raise ParameterError(f"torques.margin is {limits.margin!r}, expected 0 or more")
    return TorqueBound(
        visible,
        prior_of(visible.tree, prior),
        limits._replace(**arrays, margin=float(limits.margin)),
    )


def _motion(tree: Tree, q: ArrayLike, u: ArrayLike, du: ArrayLike) -> Motion:
    arrays = []
    for name, value in (("q", q), ("u", u), ("du", du)):
        (array,) = read_floats((), **{name: value})
        if array.ndim != 2 or array.shape[1] != tree.n_u or len(array) != len(np.asarray(q)):
            raise ParameterError(f"{name} has shape {array.shape}, expected (S, {tree.n_u})")
        bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
        if bad.size:
            raise ParameterError(f"{name} of sample {int(bad[0])} is not finite")
        arrays.append(array)
    if not len(arrays[0]):
        raise ParameterError("the motion has no samples")
    return arrays[0], arrays[1], arrays[2]


def _condition(visible: Visibility, motion: Motion, tolerance: float) -> Condition:
    rows = visible.project_rows(*motion)
    sizes = np.zeros(visible.rank)
    found = np.linalg.svd(rows.reshape(-1, visible.rank), compute_uv=False)
    sizes[: len(found)] = found
    rank = int(np.count_nonzero(sizes > tolerance * sizes[0]))
    number = float(sizes[0] / sizes[-1]) if rank == visible.rank else float("inf")
    return Condition(number, rank, visible.rank, sizes)


def _limits(tree: Tree, limits: Limits) -> Limits:
    """The limits as arrays.

    Raises:
        ParameterError: One that is not finite, or leaves no room; names the body that it moves.
    """
    moved = [tree.names[i] for i, joint in enumerate(tree.joints) if joint != "fixed"]
    arrays = []
    for name in Limits._fields:
        if not hasattr(limits, name):
            raise ParameterError(f"limits is {show_value(limits)}, which has no {name}")
        (array,) = read_floats((), **{f"limits.{name}": getattr(limits, name)})
        if array.shape != (tree.n_u,):
            raise ParameterError(
                f"limits: {name} has shape {array.shape}, expected ({tree.n_u},): one a joint"
            )
        for joint in np.flatnonzero(~np.isfinite(array)):
            raise ParameterError(
                f"limits: {name} of joint {joint}, which moves {moved[joint]}, is "
                f"{float(array[joint])}, expected a finite number: where a joint turns "
                "without end, give the range that it is to move in"
            )
        arrays.append(array)
    found = Limits(*arrays)
    for what, room in (
        ("upper - lower", found.upper - found.lower),
        ("velocity", found.velocity),
        ("acceleration", found.acceleration),
    ):
        for joint in np.flatnonzero(~(room > 0)):
            raise ParameterError(
                f"limits: {what} of joint {joint}, which moves {moved[joint]}, is "
                f"{float(room[joint])!r}, expected a positive number"
            )
    return found
