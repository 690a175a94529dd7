"""Motions that show a robot's parameters: how well one does, and one that does it well.

A motion is a finite Fourier series for each joint (Swevers, Ganseman, Tükel, de Schutter and Van
Brussel, Optimal Robot Excitation and Identification, 1997). Position, velocity and acceleration are
linear in its coefficients, and so are all limits; what is best is not, and is sought by SLSQP.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, pi
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from inertial_check.dynamics.equations import GRAVITY
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import ParameterError
from inertial_check.identification.nuisance import Nuisance
from inertial_check.identification.visibility import Visibility
from inertial_check.inertia import tolerances

Floats = npt.NDArray[np.float64]
Motion = tuple[Floats, Floats, Floats]
"""q, u and du, each (S, n)."""

POWER = 2
"""Of the means that stand for the extreme eigenvalues: 1 cares for all of them, 4 has kinks."""

SEEN_AT = 12
"""Times in a period of the highest harmonic at which the regressor is looked at."""

HELD_AT = 8
"""The same for the limits while searching; SLSQP's work grows with them."""

HELD_TO = 0.98
"""Share of the limits that is used at these times while searching: between them it may be more."""

PROVEN_AT = 128
"""The same for the limits of what is returned: 1 / cos(pi / 128) = 1.0003."""

CANDIDATES = 24
"""Random motions, of which the best are improved."""

STEPS = 200
"""Of SLSQP, for each start; thirty to sixty are usual."""

PROGRESS = 1e-5
"""In the logarithm of the condition number, below which SLSQP stops."""

_SMALL = 1e-6
"""Step in a position for its derivative, of one radian or half the range: half the digits hold."""

_STEP = 0.05
"""Step in velocity and acceleration, of their limits: exact for the bodies, whose regressor is a
quadratic in the one and linear in the other, and it rounds the steps of Coulomb friction."""


_PRECISE = 1e-12
"""Least eigenvalues of a Gram matrix, of the largest, that keep four digits."""


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


class Limits(NamedTuple):
    """What the joints can do, each (n,) and finite: [rad] or [m], and per second.

    Attributes:
        lower: Least positions.
        upper: Largest positions.
        velocity: Largest speeds.
        acceleration: Largest accelerations.
    """

    lower: Any
    upper: Any
    velocity: Any
    acceleration: Any


class _Limited(Protocol):
    """Anything with the arrays of Limits."""

    @property
    def lower(self) -> Any: ...
    @property
    def upper(self) -> Any: ...
    @property
    def velocity(self) -> Any: ...
    @property
    def acceleration(self) -> Any: ...


@dataclass(frozen=True, eq=False, repr=False)
class FourierSeries:
    """q(t) = q0 + sum_k a_k / (w k) sin(w k t) - b_k / (w k) cos(w k t), w = 2 pi / duration.

    Attributes:
        duration: Of a period [s].
        q0: (n,) the mean position.
        a: (n, N) amplitudes of the velocity's cosines, in the unit of u.
        b: (n, N) those of its sines.
    """

    duration: float
    q0: Floats
    a: Floats
    b: Floats

    def __repr__(self) -> str:
        """The sizes."""
        joints, harmonics = self.a.shape
        return f"FourierSeries({joints} joints, {harmonics} harmonics of {self.duration:g} s)"

    @property
    def w(self) -> float:
        """The angular frequency of the first harmonic [rad/s]."""
        return 2 * pi / self.duration

    def at(self, t: Any) -> Motion:
        """Position, velocity and acceleration at times t (S,), each (S, n), exactly."""
        basis = _Basis.at(np.asarray(t, dtype=np.float64), self.a.shape[1], self.duration)
        both = np.concatenate([self.a, self.b], axis=1).T
        return basis.q @ both + self.q0, basis.u @ both, basis.du @ both

    @cached_property
    def peaks(self) -> Motion:
        """Bounds (n,) of |q - q0|, |u| and |du| at all times; above the maxima by at most 0.03 %.

        A trigonometric polynomial T of degree N that is at most m at M > 2 N equidistant points of
        a period is nowhere above m / cos(pi N / M): at an angle x from where it is largest it is at
        least max|T| cos(N x) (M. Riesz, 1914), and some point lies within pi / M of there.
        """
        harmonics = self.a.shape[1]
        samples = PROVEN_AT * harmonics
        q, u, du = self.at(np.arange(samples) * (self.duration / samples))
        factor = _between(PROVEN_AT)
        parts = [np.abs(each).max(axis=0) / factor for each in (q - self.q0, u, du)]
        return parts[0], parts[1], parts[2]


class Use(NamedTuple):
    """How much of its limits each joint uses at most, 0 to 1.

    Attributes:
        position: (n,) of the larger distance to the middle of the range, in half ranges.
        velocity: (n,).
        acceleration: (n,).
    """

    position: Floats
    velocity: Floats
    acceleration: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Excitation:
    """A motion within limits that shows a robot's parameters.

    Attributes:
        series: The motion, of which one period takes all of the duration.
        t: (S,) times from 0 to the duration [s].
        q: (S, n) positions then.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        condition: Of this motion.
        condition_start: Of the random motion that it was improved from.
        use: Of the limits, at all times.
    """

    series: FourierSeries
    t: Floats
    q: Floats
    u: Floats
    du: Floats
    condition: Condition
    condition_start: Condition
    use: Use

    def __repr__(self) -> str:
        """The motion, and what was gained."""
        before, after = self.condition_start.number, self.condition.number
        return f"Excitation({self.series!r}, condition {before:.4g} -> {after:.4g})"


def condition_number(  # noqa: PLR0913 - a motion, and the units
    tree: Tree,
    q: Any,
    u: Any,
    du: Any,
    *,
    prior: Any = None,
    nuisance: Nuisance | None = None,
    noise: Any = None,
    gravity: Any = GRAVITY,
    tolerance: float = tolerances.RANK,
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

    Raises:
        ParameterError: Shapes that do not fit, numbers that are not finite, a floating joint, no
            body with mass.
    """
    visible = Visibility.of(
        tree, prior=prior, nuisance=nuisance, noise=noise, gravity=gravity, tolerance=tolerance
    )
    return _condition(visible, _motion(tree, q, u, du), tolerance)


def optimised(  # noqa: PLR0913 - what is moved, within what, and how hard to look
    tree: Tree,
    limits: _Limited,
    *,
    duration: float,
    harmonics: int = 5,
    rate: float | None = None,
    seed: int = 0,
    prior: Any = None,
    nuisance: Nuisance | None = None,
    noise: Any = None,
    gravity: Any = GRAVITY,
    tolerance: float = tolerances.RANK,
    starts: int = 3,
) -> Excitation:
    """Find a motion within the limits whose condition number is small.

    It starts and ends at rest, u = du = 0. The limits hold at all times, not only at samples: see
    FourierSeries.peaks. What is least is the smooth bound of the condition number

        (sum lambda_i^2 sum lambda_i^-2)^(1/4),   lambda_i the squared singular values,

    which is at most sqrt(r) times as large, for r directions; a local minimum, the best of several.
    Nothing knows of collisions, with the robot itself or others, or of torque limits.

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

    Returns:
        The motion. Its condition and that of its start are those of condition_number, of the
        samples of one period.

    Raises:
        ParameterError: A limit that is not finite or leaves no room, fewer than two harmonics, no
            positive duration or rate, harmonics that are too few to show everything.
    """
    visible = Visibility.of(
        tree, prior=prior, nuisance=nuisance, noise=noise, gravity=gravity, tolerance=tolerance
    )
    _refuse_numbers(duration, harmonics, rate, starts)
    search = _Search.of(visible, _limits(tree, limits), float(duration), int(harmonics))
    rng = np.random.default_rng(seed)
    drawn = [search.random(rng) for _ in range(max(CANDIDATES, starts))]
    drawn.sort(key=search.value)
    improved = [(search.improved(start), start) for start in drawn[:starts]]
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
    start_condition = _condition(visible, search.motion(start), tolerance)
    return Excitation(series, t, *series.at(t), condition, start_condition, search.use(best))


def _motion(tree: Tree, q: Any, u: Any, du: Any) -> Motion:
    arrays = []
    for name, value in (("q", q), ("u", u), ("du", du)):
        array = np.asarray(value, dtype=np.float64)
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
    rows = visible.seen(*motion)
    sizes = np.zeros(visible.rank)
    found = np.linalg.svd(rows.reshape(-1, visible.rank), compute_uv=False)
    sizes[: len(found)] = found
    rank = int(np.count_nonzero(sizes > tolerance * sizes[0]))
    number = float(sizes[0] / sizes[-1]) if rank == visible.rank else float("inf")
    return Condition(number, rank, visible.rank, sizes)


def _between(density: int) -> float:
    """What a polynomial keeps, at points of such a density, of its largest value between them."""
    return cos(pi / density)


def _refuse_numbers(duration: float, harmonics: int, rate: float | None, starts: int) -> None:
    for name, number in (("duration", duration), ("rate", rate)):
        if number is not None and not 0 < number < np.inf:
            raise ParameterError(f"{name} is {number!r}, expected a positive number")
    if harmonics != int(harmonics) or harmonics < 2:
        raise ParameterError(
            f"harmonics is {harmonics!r}, expected 2 or more: one alone cannot start at rest"
        )
    if starts != int(starts) or starts < 1:
        raise ParameterError(f"starts is {starts!r}, expected 1 or more")


def _limits(tree: Tree, limits: _Limited) -> Limits:
    """The limits as arrays.

    Raises:
        ParameterError: One that is not finite, or leaves no room; names the body that it moves.
    """
    moved = [tree.names[i] for i, joint in enumerate(tree.joints) if joint != "fixed"]
    arrays = []
    for name in Limits._fields:
        array = np.asarray(getattr(limits, name), dtype=np.float64)
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


class _Basis(NamedTuple):
    """What the coefficients [a b] of one joint are multiplied by, each (S, 2 N)."""

    q: Floats
    u: Floats
    du: Floats

    @classmethod
    def at(cls, t: Floats, harmonics: int, duration: float) -> _Basis:
        """At times t (S,)."""
        wk = 2 * pi / duration * np.arange(1, harmonics + 1)
        sine, cosine = np.sin(t[:, None] * wk), np.cos(t[:, None] * wk)
        return cls(
            np.concatenate([sine / wk, -cosine / wk], axis=1),
            np.concatenate([cosine, sine], axis=1),
            np.concatenate([-sine * wk, cosine * wk], axis=1),
        )


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for coefficients.

    A point is (n, 2 N - 1): for each joint the mean position, from the middle of the range in half
    ranges, and coordinates of the coefficients that start at rest, in velocity limits.

    Attributes:
        visible: What is to be seen.
        limits: Of the joints.
        duration: Of a period.
        rest: (2 N, 2 N - 2) orthonormal: coefficients [a b] with u(0) = du(0) = 0, which is
            sum a_k = 0 and sum k b_k = 0.
        seen: (3, S, 2 N - 1) from points, in the units above, to q less its middle, u and du, at
            the times at which the regressor is looked at.
        held: (3, M, 2 N - 1) the same at the times at which limits are held.
    """

    visible: Visibility
    limits: Limits
    duration: float
    harmonics: int
    rest: Floats

    @classmethod
    def of(cls, visible: Visibility, limits: Limits, duration: float, harmonics: int) -> _Search:
        """The search."""
        at_rest = np.zeros((2, 2 * harmonics))
        at_rest[0, :harmonics] = 1.0
        at_rest[1, harmonics:] = np.arange(1, harmonics + 1)
        rest = np.linalg.svd(at_rest)[2][2:].T
        return cls(visible, limits, duration, harmonics, rest)

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
        oscillation = np.stack(_Basis.at(t, self.harmonics, self.duration)) @ self.rest
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

    def motion(self, point: Floats) -> Motion:
        """q, u and du (S, n) in a period."""
        q, u, du = self.seen @ (point * self.scale).T
        return q + self.middle, u, du

    def series(self, point: Floats) -> FourierSeries:
        """The series of a point."""
        own = point * self.scale
        both = own[:, 1:] @ self.rest.T
        a, b = both[:, : self.harmonics], both[:, self.harmonics :]
        return FourierSeries(self.duration, own[:, 0] + self.middle, a, b)

    def random(self, rng: np.random.Generator) -> Floats:
        """A random point, as wide as the limits allow."""
        point = rng.normal(size=self.scale.shape)
        point[:, 0] = rng.uniform(-0.5, 0.5, len(point))
        return self.fitted(point, self.held, HELD_TO, np.inf)

    def fitted(self, point: Floats, rows: Floats, share: float, most: float = 1.0) -> Floats:
        """The same about the same mean, each joint as wide as its limits allow.

        Args:
            point: (n, 2 N - 1).
            rows: held or proven.
            share: Of the limits that may be used at these times.
            most: Factor that no joint is widened by.
        """
        mean = rows[:, :, 0] * point[:, 0]
        swing = np.einsum("mjc,jc->mj", rows[:, :, 1:], point[:, 1:])
        room = share - np.sign(swing) * mean
        wide = np.abs(swing) > 0
        factors = np.where(wide, room / np.where(wide, np.abs(swing), 1.0), np.inf)
        factor = np.clip(factors.min(axis=0), 0.0, most)
        return np.concatenate([point[:, :1], point[:, 1:] * factor[:, None]], axis=1)

    def use(self, point: Floats) -> Use:
        """How much of the limits is used, at all times."""
        used = np.abs(np.einsum("mjc,jc->mj", self.proven, point)).reshape(3, -1, len(point))
        return Use(*(used.max(axis=1) / _between(PROVEN_AT)))

    def value(self, point: Floats) -> float:
        """The logarithm of the smooth bound of the condition number."""
        return _bound(_spectrum(self.visible.seen(*self.motion(point)))[0])[0]

    def value_and_slope(self, point: Floats) -> tuple[float, Floats]:
        """The same, and its derivatives (n, 2 N - 1)."""
        motion = self.motion(point)
        seen = self.visible.seen(*motion)
        sizes, V = _spectrum(seen)
        value, slopes = _bound(sizes)
        dual = seen @ ((V * (slopes / np.where(sizes > 0, sizes, 1.0))) @ V.T)
        changes = self._changes(motion, np.einsum("snr,snr->s", seen, dual), dual)
        slope = np.einsum("wsj,wsc->jc", changes, self.seen)
        return value, slope * self.scale

    def _changes(self, motion: Motion, still: Floats, dual: Floats) -> Floats:
        """Changes (3, S, n) with q, u and du of what dual times the rows is at each time."""
        joints = motion[0].shape[1]
        changes = np.empty((3, len(still), joints))
        for joint in range(joints):
            steps = self._steps[:, joint]
            moved = [(0, steps[0]), (1, steps[1]), (1, -steps[1]), (2, steps[2])]
            q, ahead, back, du = self.visible.along(_with(motion, joint, moved), dual)
            changes[0, :, joint] = (q - still) / steps[0]
            changes[1, :, joint] = (ahead - back) / (2 * steps[1])
            changes[2, :, joint] = (du - still) / steps[2]
        return changes

    @cached_property
    def _steps(self) -> Floats:
        """(3, n) for the derivatives in q, u and du."""
        return np.stack(
            [
                _SMALL * np.minimum(self.half, 1.0),
                _STEP * self.limits.velocity,
                _STEP * self.limits.acceleration,
            ]
        )

    def improved(self, start: Floats) -> Floats:
        """A local minimum from a start, within the limits at all times."""
        from scipy.optimize import minimize

        shape = start.shape
        limited = self._limited

        def objective(x: Floats) -> tuple[float, Floats]:
            value, slope = self.value_and_slope(x.reshape(shape))
            return value, slope.ravel()

        found = minimize(
            objective,
            start.ravel(),
            jac=True,
            method="SLSQP",
            constraints=[
                {"type": "ineq", "fun": lambda x: HELD_TO - limited @ x, "jac": lambda x: -limited}
            ],
            options={"maxiter": STEPS, "ftol": PROGRESS},
        )
        point = self.fitted(found.x.reshape(shape), self.proven, _between(PROVEN_AT))
        return point if self.value(point) < self.value(start) else start

    @cached_property
    def _limited(self) -> Floats:
        """(6 M n, n (2 N - 1)) all positions, velocities and accelerations, and their negatives."""
        count, n, width = self.held.shape
        whole = np.zeros((n, count, n, width))
        for joint in range(n):
            whole[joint, :, joint] = self.held[:, joint]
        rows = whole.reshape(n * count, n * width)
        return np.concatenate([rows, -rows])


def _with(motion: Motion, joint: int, steps: Sequence[tuple[int, float]]) -> Motion:
    """The motion once for each step, which is added to its q, u or du (0, 1, 2) of a joint."""
    found = [np.tile(array, (len(steps), 1, 1)) for array in motion]
    for variant, (which, step) in enumerate(steps):
        found[which][variant, :, joint] += step
    return found[0], found[1], found[2]


def _spectrum(seen: Floats) -> tuple[Floats, Floats]:
    """Singular values (r,) of rows (S, n, r), descending, and right singular vectors as columns."""
    rows = seen.reshape(-1, seen.shape[-1])
    squares, V = np.linalg.eigh(rows.T @ rows)  # takes a tenth of the time of a decomposition
    if squares[0] > _PRECISE * squares[-1]:
        return np.sqrt(squares[::-1]), V[:, ::-1]
    _, found, Vt = np.linalg.svd(rows)
    sizes = np.zeros(len(Vt))
    sizes[: len(found)] = found
    return sizes, Vt.T


def _bound(sizes: Floats) -> tuple[float, Floats]:
    """Log of (sum s^(2 p) sum s^(-2 p))^(1 / 2 p) of sizes s, p = POWER, and its slopes (r,)."""
    if not sizes[-1] > 0:
        return float("inf"), np.zeros_like(sizes)
    square = 2 * np.log(sizes)
    up, down = POWER * (square - square.max()), -POWER * (square - square.min())
    largest, least = np.exp(up), np.exp(down)
    log_sums = np.log(largest.sum()) + np.log(least.sum())
    value = float((log_sums / POWER + square.max() - square.min()) / 2)
    return value, (largest / largest.sum() - least / least.sum()) / sizes
