"""Search for mistakes of a recording: turned joints, exchanged columns, units of angle and time.

Each hypothesis undoes one mistake. Consistent bodies and friction are fitted to the recording as it
stands, and to the recording without the mistake: a mistake is found if that leaves a small part of
the variance of the torques that was unexplained before. Friction that would have to be negative
and bodies that would have to be inconsistent tell a turned joint apart from other links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.errors import InertialCheckError
from inertial_check.identification.estimation import interior_point
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.recordings.thresholds import CLOCKS
from inertial_check.inertia import tolerances

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
            return motion._replace(forces=self._change_forces(motion.forces))
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

    def _change_forces(self, forces: Floats | None) -> Floats:
        """Take the forces of some wrenches from their variant without the mistake."""
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
        return changed


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
