"""Search for mistakes of a recording: turned joints, exchanged columns, units of angle and time.

Each hypothesis undoes one mistake. Consistent bodies and friction are fitted to the recording as it
stands, and to the recording without the mistake: a mistake is found if that leaves a small part of
the variance of the torques that was unexplained before. Friction that would have to be negative
and bodies that would have to be inconsistent tell a turned joint apart from other links.

Remarks on the clock, the positions, their rates and the torques of one recording by itself.

Names of joints and ranges of numbers as the remarks on recordings write them.

Remark on the signals of a recording, with its numbers.

Slopes of one signal over another, column by column, and the share of the variance explained.

Thresholds from which on the diagnosis of a recording speaks, all ratios, and its units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.errors import InertialCheckError, ParameterError
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem
from inertial_check.identification.fit.reduction import Reduction
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, Mask
from inertial_check.inertia.tolerances import GAP


def name_joints(joints: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return the names of joints, or number them from 1.

    Raises:
        ParameterError: Their number is not that of the columns.
    """
    names = tuple(f"joint {k + 1}" for k in range(count)) if joints is None else tuple(joints)
    if len(names) != count:
        raise ParameterError(f"{len(names)} names of joints for {count} columns")
    return names


def list_joints(joints: tuple[str, ...], which: Mask) -> str:
    """List the names of some joints."""
    return ", ".join(name for name, own in zip(joints, which, strict=True) if own)


def format_range(values: Floats) -> str:
    """Format one number, or the least and the largest."""
    least, largest = f"{values.min():.3g}", f"{values.max():.3g}"
    return least if least == largest else f"{least} to {largest}"


def list_floats(values: Floats) -> tuple[float, ...]:
    """Convert an array to the floats of a remark."""
    return tuple(map(float, values))


Values = Mapping[str, float | tuple[float, ...]]
"""Numbers of a remark by name."""


@dataclass(frozen=True)
class SignalRemark:
    """Something about a recording that its user should know.

    Attributes:
        kind: One word: clock, still, constant, degrees, limits, time, velocity, acceleration, unit,
            sign, lag.
        message: One line with the numbers.
        values: The numbers by name.
    """

    kind: str
    message: str
    values: Mapping[str, float | tuple[float, ...]]


def make_basis(predicted: Floats, u: Floats | None) -> Floats:
    """(S, n, c) what a torque may be made of, the predicted one last; orthonormal columns.

    Columns that the ones before them make up are zero.
    """
    rest = [] if u is None else [u, np.sign(u)]
    columns: list[Floats] = []
    for column in (np.ones_like(predicted), *rest, predicted):
        own = column
        for _ in range(2):  # once more: the first pass leaves rounding along the others
            for other in columns:
                own = own - other * (other * own).sum(axis=0)
        size = np.linalg.norm(own, axis=0)
        kept = size > tolerances.MADE_UP * np.linalg.norm(column, axis=0)
        columns.append(np.where(kept, own, 0.0) / np.where(kept, size, 1.0))
    return np.stack(columns, axis=2)


def fit_slopes(tau: Floats, predicted: Floats, u: Floats | None) -> tuple[Floats, Floats]:
    """(n,) slope over the predicted torque, and the share that it explains of what is left to it.

    Both are 0 where the prediction is made up of friction and offset.
    """
    basis = make_basis(predicted, u)
    parts = np.einsum("snc,sn->nc", basis, tau)
    own = (basis[:, :, -1] * predicted).sum(axis=0)
    left = np.maximum((tau**2).sum(axis=0) - (parts[:, :-1] ** 2).sum(axis=1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(own > 0, parts[:, -1] / own, 0.0)
        return slopes, np.where((own > 0) & (left > 0), parts[:, -1] ** 2 / left, 0.0)


def measure_shifts(tau: Floats, predicted: Floats, u: Floats | None, most: int) -> Floats:
    """(2 most + 1, n) share of the variance left when the torques come -most to most later."""
    count = len(tau) - 2 * most
    middle = slice(most, most + count)
    basis = make_basis(predicted[middle], None if u is None else u[middle])
    left = np.ones((2 * most + 1, tau.shape[1]))
    for shift in range(2 * most + 1):
        own = tau[shift : shift + count]
        parts = np.einsum("snc,sn->nc", basis, own)
        squares = (own**2).sum(axis=0)
        varies = squares - parts[:, 0] ** 2
        rest = np.maximum(squares - (parts**2).sum(axis=1), 0.0)
        np.divide(rest, varies, out=left[shift], where=varies > 0)
    return left


def find_vertex(three: Floats) -> float:
    """Where the parabola through three values at -1, 0, 1 is highest."""
    bend = three[0] - 2 * three[1] + three[2]
    return float((three[0] - three[2]) / (2 * bend)) if bend < 0 else 0.0


SPREAD = 3.0
"""Times the noise of a position: a spread of less is no motion."""

JITTER = 0.1
"""Largest deviation of a time step from the median step, relative to it: velocities by differences
at supposedly uniform steps are wrong by as much."""

MISMATCH = 0.05
"""Deviation of a ratio from the one it should have: neither noise nor a filter makes so much."""

AGREEMENT = 0.5
"""Share of the variance that has to be explained before a slope or a lag means something."""

TURNS = 2.0
"""Full turns: most joints turn less far, and most ranges in degrees, read as radians, are more."""

UNLIKE = 3.0
"""Factor between torques and those of a prior, which for masses that are guessed is mostly 2."""

FACTOR = 1.5
"""Factor between a slope and the one of a unit that may explain it, as the prior is inexact."""

GAIN = 1.08
"""Common multiple of the torques from which on it is told: drive gains are rarely known better."""

SCATTER = 0.25
"""Largest deviation of the logarithms of a common multiple, relative to its logarithm: those of
priors that are wrong link by link scatter by half and more."""

LAG_GAIN = 0.02
"""Share of the squared residuals that a shift must save; less is saved by chance."""

LAGS = 25
"""Samples by which one signal is shifted at most, and a tenth of all of them."""

DEGREES = float(np.rad2deg(1.0))

UNITS: Mapping[str, float] = MappingProxyType(
    {
        "N cm": 100.0,
        "N mm": 1000.0,
        "kgf cm": 10.197162,
        "lbf in": 8.8507458,
        "ozf in": 141.61193,
        "kgf m": 0.10197162,
        "kN m": 0.001,
    }
)
"""Units of torque, and how many of each are one newton metre."""

CLOCKS: Mapping[str, float] = MappingProxyType({"ms": 1e3, "us": 1e6, "ns": 1e9, "min": 1 / 60})
"""Units of time, and how many of each are one second."""


Kind = Literal[
    "torque-sign",
    "position-sign",
    "torques-exchanged",
    "positions-exchanged",
    "joints-exchanged",
    "degrees",
    "time",
    "wrench-sign",
    "wrench-exchanged",
    "wrench-axes",
]
"""Kind of a mistake of a recording."""

SAMPLES = 400
"""Largest number of samples that hypotheses are compared on: enough for 100 unknowns a joint."""

NOISE = 0.05
"""Deviation of the torque noise in the comparison, relative to the torque of each joint."""

EXPLAINED = 0.02
"""Unexplained part of a torque's variance below which a smaller one is no better evidence: friction
that is no straight line leaves as much."""

STEP = 1.6
"""Least factor, the product over all joints, by which undoing one more mistake has to lower the
unexplained parts."""

EVIDENCE = 4.0
"""Least factor by which undoing all mistakes found has to lower the unexplained parts: sound
recordings of three robots stay below 1.1."""

ALIKE = 1.3
"""Factor between the evidence for two hypotheses on the same joint below which both are named."""

MOST_PAIRS = 300
"""Largest number of pairs of joints whose columns are exchanged on trial."""

FROZEN = 2.0**-17
"""Torques of inertia over measured torques below which the clock is suspected: a joint that swings
once in a minute has a hundred times more."""


def select_rows(count: int, most: int = SAMPLES) -> Integers:
    """Select at most so many of some samples, spread evenly."""
    return np.unique(np.linspace(0, count - 1, min(most, count)).round()).astype(np.intp)


WRENCH_KINDS: tuple[Kind, ...] = ("wrench-sign", "wrench-exchanged", "wrench-axes")
"""Kinds of mistakes of wrenches from outside, in the order of the variants of their forces."""


class Motion(NamedTuple):
    """Motion and torques of the joints, (S, n) each [rad or m, and N m or N].

    Attributes:
        q: Positions.
        u: Velocities.
        du: Accelerations.
        tau: Torques.
        base: (S, 19) pose, twist and acceleration of a base that moves; None for a fixed one.
        forces: (S, c, 1 + w, n_u) generalised forces of c wrenches as recorded, and without each
            kind of mistake in WRENCH_KINDS; None without wrenches.
    """

    q: Floats
    u: Floats
    du: Floats
    tau: Floats
    base: Floats | None = None
    forces: Floats | None = None

    def thin(self, most: int = SAMPLES) -> Motion:
        """Select at most so many samples, spread evenly."""
        rows = select_rows(len(self.q), most)
        return Motion(*(None if each is None else each[rows] for each in self))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Mistake:
    """One mistake of a recording.

    Attributes:
        kind: Kind of the mistake.
        joints: Indices of the joints whose columns it is in, or of the wrenches.
        factor: Units of time in a second; degrees in a radian, or radians in a degree.
        unit: Name of the unit of time.
    """

    kind: Kind
    joints: tuple[int, ...] = ()
    factor: float = 1.0
    unit: str = ""

    @property
    def is_in_torques(self) -> bool:
        """Whether the motion is as it should be."""
        return self.kind.startswith(("torque", "wrench"))

    def undo(self, motion: Motion) -> Motion:
        """Return the recording without the mistake."""
        q, u, du, tau = motion[:4]
        if self.kind in WRENCH_KINDS:
            # Take the forces of some wrenches from their variant without the mistake.
            forces = motion.forces
            assert forces is not None
            changed = np.array(forces)
            variant, own = 1 + WRENCH_KINDS.index(self.kind), list(self.joints)
            if self.kind == "wrench-sign":
                changed[:, own] *= -1.0
            else:
                changed[:, own, 0], changed[:, own, variant] = (
                    forces[:, own, variant],
                    forces[:, own, 0],
                )
            return motion._replace(forces=changed)
        if self.kind.endswith("exchanged"):
            return self._exchange(motion)
        if self.kind == "time":
            powers = np.repeat([0, 1, 2], [7, 6, 6])
            base = motion.base
            if base is not None:
                base = base * self.factor ** powers[: base.shape[1]]
            return motion._replace(u=u * self.factor, du=du * self.factor**2, base=base)
        scale = np.ones(q.shape[1])
        scale[list(self.joints)] = -1.0 if self.kind.endswith("sign") else 1 / self.factor
        if self.kind == "torque-sign":
            return motion._replace(tau=tau * scale)
        return motion._replace(q=q * scale, u=u * scale, du=du * scale)

    def _exchange(self, motion: Motion) -> Motion:
        """Exchange the columns of two joints."""
        q, u, du, tau = motion[:4]
        columns, joints = np.arange(q.shape[1]), list(self.joints)
        columns[joints] = columns[joints[::-1]]
        if self.kind != "torques-exchanged":
            motion = motion._replace(q=q[:, columns], u=u[:, columns], du=du[:, columns])
        return (
            motion if self.kind == "positions-exchanged" else motion._replace(tau=tau[:, columns])
        )


class Finding(NamedTuple):
    """Mistakes that were found together.

    Attributes:
        mistakes: In the order of their evidence.
        before: (n,) unexplained parts of the torques' variances, in the recording as it stands.
        after: (n,) the same without the mistakes.
        alternatives: For each mistake, others of the same joints with nearly the same evidence.
    """

    mistakes: tuple[Mistake, ...]
    before: Floats
    after: Floats
    alternatives: tuple[tuple[Mistake, ...], ...]

    @property
    def pairs(self) -> Iterator[tuple[Mistake, tuple[Mistake, ...]]]:
        """Iterate over the mistakes, each with its alternatives."""
        return zip(self.mistakes, self.alternatives, strict=True)


Columns = Callable[[Motion], Floats]
"""Computes A (S, n, p), the columns of bodies and friction, of a motion."""


class Comparison:
    """Comparison of hypotheses by the fit of consistent bodies and friction.

    Args:
        columns: Computes the columns of a motion.
        theta0: (L, 10) priors in order "urdf".
        nuisance: Torques besides those of the bodies.
        regularization: Weight of the prior.
        target: Computes the torques (S, n) of the rows; None for those of the joints.
    """

    def __init__(
        self,
        columns: Columns,
        theta0: Floats,
        nuisance: Nuisance,
        regularization: float = 1.0,
        target: Columns | None = None,
    ) -> None:
        self._columns, self._theta0, self._nuisance = columns, theta0, nuisance
        self._target = target
        self._regularization = regularization

    def measure_unexplained(self, motion: Motion, A: Floats | None = None) -> Floats | None:
        """(n,) parts of the torques' variances that no fit explains; None if there is no fit."""
        tau = motion.tau if self._target is None else self._target(motion)
        variance = ((tau - tau.mean(axis=0)) ** 2).sum(axis=0)
        varies = variance > 0
        weights = np.where(
            varies, 1 / (NOISE * np.sqrt(np.where(varies, variance, 1.0) / len(tau))), 0.0
        )
        try:
            own = self._columns(motion) if A is None else A
            reduction = Reduction.of([(own, tau)], own.shape[2])
            problem = Problem.of(
                reduction.stack(weights), self._theta0, self._nuisance, self._regularization
            )
            x = problem.si(interior_point.solve(problem).x)
        except (InertialCheckError, np.linalg.LinAlgError):
            return None
        left = reduction.residual_squares(x) / np.where(varies, variance, 1.0)
        found = np.where(varies, left, 0.0)
        return found if np.all(np.isfinite(found)) else None

    def columns(self, motion: Motion) -> Floats:
        """A (S, n, p) of a motion."""
        return self._columns(motion)


def score(unexplained: Floats, least: float = EXPLAINED) -> float:
    """Sum of the logarithms of unexplained parts, each at least `least`; less is better."""
    return float(np.log(np.maximum(unexplained, least)).sum())


def list_mistakes(joints: int, moving: Mask, revolute: Mask, degrees: bool) -> Iterator[Mistake]:
    """List the mistakes that a recording of joints can have.

    Args:
        joints: Number of joints.
        moving: (n,) joints that move.
        revolute: (n,) joints whose positions are angles.
        degrees: Whether the recording was already converted from degrees.
    """
    moved = np.flatnonzero(moving).tolist()
    for joint in range(joints):
        yield Mistake("torque-sign", (joint,))
    if joints > 1:
        yield Mistake("torque-sign", tuple(range(joints)))
    for joint in moved:
        yield Mistake("position-sign", (joint,))
    pairs = sorted(combinations(range(joints), 2), key=lambda pair: pair[1] - pair[0])
    for pair in pairs[:MOST_PAIRS]:
        yield Mistake("torques-exchanged", pair)
        if moving[list(pair)].any():
            yield Mistake("positions-exchanged", pair)
            yield Mistake("joints-exchanged", pair)
    angles = tuple(np.flatnonzero(revolute).tolist())
    if angles:
        own = float(np.deg2rad(1.0) if degrees else np.rad2deg(1.0))
        yield Mistake("degrees", angles, own)
    for unit, factor in CLOCKS.items():
        yield Mistake("time", (), factor, unit)


def find_mistakes(
    comparison: Comparison, motion: Motion, hypotheses: list[Mistake]
) -> Finding | None:
    """Find the mistakes without which a recording is explained far better; None for none.

    One mistake is undone at a time, that with the most evidence, until no other one helps.

    Args:
        comparison: Comparison of hypotheses.
        motion: Recording, thinned.
        hypotheses: Mistakes to try.
    """
    before = comparison.measure_unexplained(motion)
    if before is None:
        return None
    now, shares = motion, before
    chosen: list[Mistake] = []
    alternatives: list[tuple[Mistake, ...]] = []
    left = list(hypotheses)
    best_of_all = len(before) * np.log(EXPLAINED)
    while left and score(shares) - best_of_all >= np.log(STEP):
        A = comparison.columns(now)
        trials = [
            (score(own, tolerances.MADE_UP), each, own)
            for each in left
            if (
                own := comparison.measure_unexplained(
                    each.undo(now), A if each.is_in_torques else None
                )
            )
            is not None
        ]
        if not trials:
            break
        best, mistake, own = min(trials, key=lambda trial: trial[0])
        if score(shares) - score(own) < np.log(STEP):
            break
        alternatives.append(
            tuple(
                other
                for value, other, _ in trials
                if other is not mistake
                and set(other.joints) == set(mistake.joints)
                and value - best < np.log(ALIKE)
            )
        )
        chosen.append(mistake)
        now, shares = mistake.undo(now), own
        left.remove(mistake)
        if mistake.kind in ("time", "degrees"):
            left = [each for each in left if each.kind != mistake.kind]
    if score(before) - score(shares) < np.log(EVIDENCE):
        return None
    return Finding(tuple(chosen), before, shares, tuple(alternatives))


def find_clock(comparison: Comparison, motion: Motion, slowness: float) -> Mistake | None:
    """Find the unit of time of a recording in which nothing seems to move; None for none.

    Args:
        comparison: Comparison of hypotheses.
        motion: Recording, thinned.
        slowness: Torques of inertia that the prior predicts, relative to those measured.
    """
    if not 0 < slowness < FROZEN:
        return None
    before = comparison.measure_unexplained(motion)
    found = []
    for unit, factor in CLOCKS.items():
        if factor <= 1 or not FROZEN < slowness * factor**2 < 1 / FROZEN:
            continue
        mistake = Mistake("time", (), factor, unit)
        own = comparison.measure_unexplained(mistake.undo(motion))
        if own is not None and (before is None or score(own) <= score(before) + np.log(ALIKE)):
            found.append((score(own), mistake))
    return min(found, key=lambda each: each[0])[1] if found else None


def remark_on_clock(t: Floats) -> list[SignalRemark]:
    """Remark on a clock whose steps vary or that has gaps."""
    steps = np.diff(t)
    median = float(np.median(steps))
    wide = steps > GAP * median
    jitter = float(np.std(steps[~wide]) / median)
    if jitter <= JITTER and not wide.any():
        return []
    longest = int(np.argmax(steps))
    return [
        SignalRemark(
            "clock",
            f"steps of {steps.min() * 1e3:.4g} to {steps.max() * 1e3:.4g} ms, median "
            f"{median * 1e3:.4g} ms, jitter {jitter:.1%}; gaps of more than {GAP:g} "
            f"steps: {int(wide.sum())}, the longest step at t = {t[longest]:.6g} s; resample "
            "before differentiating",
            {
                "median": median,
                "least": float(steps.min()),
                "largest": float(steps.max()),
                "jitter": jitter,
                "gaps": float(wide.sum()),
            },
        )
    ]


def _spreads(q: Floats) -> tuple[Floats, Floats]:
    """Standard deviation of positions, and that of their noise: of white noise, exactly."""
    noise = np.diff(q, 2, axis=0).std(axis=0) / np.sqrt(6) if len(q) > 3 else np.zeros(q.shape[1])
    return q.std(axis=0), noise


def find_still(q: Floats) -> Mask:
    """Find the joints (n,) whose positions spread no more than their noise."""
    spread, noise = _spreads(q)
    return np.asarray((spread <= tolerances.STILL * spread.max()) | (spread <= SPREAD * noise))


def remark_on_still(q: Floats, joints: tuple[str, ...]) -> list[SignalRemark]:
    """Remark on joints that never move."""
    spread, noise = _spreads(q)
    still = find_still(q)
    if not still.any():
        return []
    which = "no joint moves" if still.all() else f"{list_joints(joints, still)}: never moves"
    return [
        SignalRemark(
            "still",
            f"{which}: positions spread by {format_range(spread[still])}, noise "
            f"{format_range(noise[still])}, and the joint that moves most by {spread.max():.3g}; "
            "what only its motion shows stays open",
            {"spread": list_floats(spread), "noise": list_floats(noise)},
        )
    ]


def remark_on_constant(tau: Floats | None, joints: tuple[str, ...]) -> list[SignalRemark]:
    """Remark on torques that are the same in all samples."""
    if tau is None:
        return []
    constant = np.ptp(tau, axis=0) == 0
    if not constant.any():
        return []
    return [
        SignalRemark(
            "constant",
            f"{list_joints(joints, constant)}: the torque is {format_range(tau[0, constant])} in "
            f"all {len(tau)} samples; was it recorded?",
            {"torque": list_floats(np.where(constant, tau[0], np.nan))},
        )
    ]


def measure_rate_ratios(t: Floats, signal: Floats, rate: Floats) -> Floats:
    """(n,) slope of a signal over the integral of what should be its rate; NaN where it is none.

    Integrals do not amplify noise as differences do. What passed in gaps is left out.
    """
    steps = np.diff(t)
    inside = (steps <= GAP * np.median(steps))[:, None]
    integral = np.cumsum(inside * (rate[1:] + rate[:-1]) / 2 * steps[:, None], axis=0)
    path = np.cumsum(inside * np.diff(signal, axis=0), axis=0)
    # Slope of y over x, column by column, and the share of the variance of y it explains.
    x = integral
    y = path
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    xx, xy, yy = (x * x).sum(axis=0), (x * y).sum(axis=0), (y * y).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes, shares = (
            np.where(xx > 0, xy / xx, np.nan),
            np.where(xx * yy > 0, xy**2 / (xx * yy), 0.0),
        )
    return np.where(shares >= AGREEMENT, slopes, np.nan)


def remark_on_rates(
    kind: str, ratios: Floats, moves: Mask, joints: tuple[str, ...]
) -> list[SignalRemark]:
    """Remark on rates of moving joints whose ratios to the changes of their signals are not 1."""
    of, plural = _RATES[kind]
    values = {"ratios": list_floats(ratios)}
    remarks = []
    strange = moves & ~np.isfinite(ratios)
    if strange.any():
        text = (
            f"{list_joints(joints, strange)}: {plural} have nothing to do with the change of {of}"
        )
        remarks.append(SignalRemark(kind, text, values))
    told = moves & np.isfinite(ratios)
    wrong = told & (np.abs(ratios - 1) > MISMATCH)
    if not wrong.any():
        return remarks
    begin = (
        f"{of} change at {format_range(ratios[wrong])} times the {plural} that stand beside them"
    )
    common = float(np.median(ratios[told]))
    if np.all(np.abs(ratios[told] / common - 1) <= MISMATCH):
        causes = {
            ("degrees", f"{of} are in degrees, not in radians"): DEGREES,
            ("degrees", f"{plural} are in degrees, not in radians"): 1 / DEGREES,
        } | {("time", f"time is in {unit}, not in s"): 1 / own for unit, own in CLOCKS.items()}
        (cause, text), ratio = min(causes.items(), key=lambda item: abs(common / item[1] - 1))
        if abs(common / ratio - 1) <= MISMATCH:
            return [*remarks, SignalRemark(cause, f"{begin}: {text}", {"ratio": ratio, **values})]
    return [
        *remarks,
        SignalRemark(kind, f"{begin}: {list_joints(joints, wrong)}; expected 1", values),
    ]


_RATES = {"velocity": ("positions", "velocities"), "acceleration": ("velocities", "accelerations")}
"""Names of the signal that a rate is the derivative of, and of the rate itself."""


def remark_on_ranges(
    q: Floats, limits: ArrayLike | None, joints: tuple[str, ...]
) -> list[SignalRemark]:
    """Remark on positions outside their limits, and on joints that turn further than joints do."""
    spans = np.ptp(q, axis=0)
    if limits is None:
        far = spans > TURNS * 2 * np.pi
        if far.sum() <= len(far) / 2:
            return []
        return [
            SignalRemark(
                "degrees",
                f"{list_joints(joints, far)}: positions range over "
                f"{format_range(spans[far] / (2 * np.pi))} full turns; are they in degrees?",
                {"ranges": list_floats(spans)},
            )
        ]
    bounds = np.asarray(limits, dtype=np.float64)
    if bounds.shape != (q.shape[1], 2):
        raise ParameterError(f"limits has shape {bounds.shape}, expected ({q.shape[1]}, 2)")
    outside = _outside(q, bounds)
    if not outside.any():
        return []
    too_far = spans[outside] > UNLIKE / 2 * np.ptp(bounds[outside], axis=1)
    in_degrees = bool(too_far.any()) and not _outside(q / DEGREES, bounds).any()
    hint = "; as degrees they are all inside" if in_degrees else ""
    shown = ", ".join(
        f"{joints[k]} {q[:, k].min():.4g} to {q[:, k].max():.4g} "
        f"(limits {bounds[k, 0]:.4g} to {bounds[k, 1]:.4g})"
        for k in np.flatnonzero(outside)
    )
    return [
        SignalRemark(
            "degrees" if in_degrees else "limits",
            f"positions outside their limits{hint}: {shown}",
            {"least": list_floats(q.min(axis=0)), "largest": list_floats(q.max(axis=0))},
        )
    ]


def _outside(q: Floats, bounds: Floats) -> Mask:
    least, largest = bounds.T
    has_both = np.isfinite(bounds).all(axis=1)
    slack = MISMATCH * np.where(has_both, largest - least, 0.0)
    return np.asarray((q.min(axis=0) < least - slack) | (q.max(axis=0) > largest + slack))
