"""Samples of one recording: motions of the joints, or equations that are given ready."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.dynamics.equations import GRAVITY
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import ROWS
from inertial_check.identification.estimation.sampled import Block, Samples
from inertial_check.identifying.carrying.load import FilteredLoad
from inertial_check.identifying.floating.whole_motion import build_equations
from inertial_check.identifying.friction import FilteredSteps
from inertial_check.identifying.options import IdentifyOptions
from inertial_check.identifying.recordings.motion import JointMotion
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia.representations import Order, reorder


class RecordedSamples(Protocol):
    """Samples of one recording."""

    def __len__(self) -> int:
        """Number of samples."""

    @property
    def times(self) -> Floats:
        """(S,) times [s]; numbers of the samples in the recording if it has no time."""

    @property
    def joins(self) -> tuple[int, ...]:
        """Samples at which a new stretch of the recording begins, besides the first."""

    def part(self, rows: Mask) -> RecordedSamples:
        """Select some samples."""

    def equations(self, options: IdentifyOptions, robot: Robot, nuisance: Nuisance) -> Samples:
        """Return the equations of motion."""

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) largest factor of each friction number."""


@dataclass(frozen=True, eq=False)
class MotionSamples:
    """Recording of a motion.

    Attributes:
        motion: Motion of the joints.
        steps: Filtered columns in place of the discontinuous ones; None to use those.
        joins: Samples at which a new stretch of the recording begins, besides the first.
        load: Filtered rows of the friction of the load; None to use those of the motion.
    """

    motion: JointMotion
    steps: FilteredSteps | None = None
    joins: tuple[int, ...] = ()
    load: FilteredLoad | None = None

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.motion)

    @property
    def times(self) -> Floats:
        """(S,) times [s]; numbers of the samples if the recording has no time."""
        return self.motion.t

    def part(self, rows: Mask) -> MotionSamples:
        """Select some samples."""
        steps = self.steps and self.steps.part(rows)
        load = self.load and self.load.part(rows)
        return MotionSamples(self.motion.part(rows), steps, _select_joins(self.joins, rows), load)

    def filter_steps(
        self, nuisance: Nuisance, options: IdentifyOptions, robot: Robot
    ) -> MotionSamples:
        """Pass discontinuous columns through the filter that the torques passed."""
        if self.motion.cutoff == inf:
            return MotionSamples(self.motion, None, self.joins)
        steps = FilteredSteps.of(nuisance, self.motion)
        load = FilteredLoad.of(nuisance, self.motion, options, robot)
        return MotionSamples(self.motion, steps, self.joins, load)

    def equations(self, options: IdentifyOptions, robot: Robot, nuisance: Nuisance) -> Samples:
        """Return the equations of motion, which are computed block by block."""
        motion, steps, gravity = self.motion, self.steps, options.robot.gravity
        if motion.whole is not None:
            return build_equations(
                robot,
                motion.whole,
                (motion.q, motion.u, motion.du, motion.tau),
                nuisance,
                gravity=GRAVITY if gravity is None else gravity,
                steps=steps,
            )
        found = Samples.of_trajectory(
            robot.tree,
            motion.q,
            motion.u,
            motion.du,
            motion.tau,
            nuisance,
            bodies=robot.bodies,
            gravity=GRAVITY if gravity is None else gravity,
            load_rows=None if self.load is None else self.load.values,
        )
        if steps is None:
            return found

        def source() -> Iterator[Block]:
            start = 0
            for Y, F, tau in found.source():
                rows = slice(start, start + len(tau))
                yield Y, steps.replace_in(F, rows), tau
                start = rows.stop

        return replace(found, source=source)

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) largest factor of each friction number."""
        largest, motion = np.zeros(len(nuisance)), self.motion
        for start in range(0, len(motion), ROWS):
            rows = slice(start, start + ROWS)
            columns = np.abs(nuisance.columns(motion.u[rows], motion.du[rows]))
            largest = np.maximum(largest, columns.max(axis=(0, 1)))
        return largest


@dataclass(frozen=True, eq=False)
class EquationSamples:
    """Recording that holds the equations of motion themselves.

    Attributes:
        Y: (S, n, 10 L) regressor.
        tau: (S, n) torques.
        F: (S, n, k) further columns; k can be 0.
        names: Names of the columns of F; None for f1, f2, ...
        order: Order of the last six of each body's columns.
        numbers: (S,) numbers of the samples in the recording; None for all of them.
        joins: Samples at which a new stretch of the recording begins, besides the first.
    """

    Y: Floats
    tau: Floats
    F: Floats
    names: tuple[str, ...] | None
    order: Order
    numbers: Floats | None = None
    joins: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.tau)

    @property
    def times(self) -> Floats:
        """(S,) numbers of the samples in the recording, which has no time."""
        return np.arange(float(len(self))) if self.numbers is None else self.numbers

    def part(self, rows: Mask) -> EquationSamples:
        """Select some samples."""
        Y, tau, F, numbers = (each[rows] for each in (self.Y, self.tau, self.F, self.times))
        joins = _select_joins(self.joins, rows)
        return replace(self, Y=Y, tau=tau, F=F, numbers=numbers, joins=joins)

    def equations(self, options: IdentifyOptions, robot: Robot, nuisance: Nuisance) -> Samples:
        """Return the equations as they are, about the body origins, in order "urdf"."""
        bodies = self.Y.reshape(*self.tau.shape, -1, 10)
        Y = reorder(bodies, self.order, "urdf").reshape(self.Y.shape)
        return Samples.of_arrays(Y, self.tau, Nuisance.from_columns(self.F, self.names))

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) largest factor of each friction number."""
        return np.asarray(np.abs(self.F).max(axis=(0, 1), initial=0.0))


def _select_joins(joins: tuple[int, ...], rows: Mask) -> tuple[int, ...]:
    """Find the joins of some samples: where the old ones were, and where samples were left out."""
    kept = np.flatnonzero(rows)
    stretch = np.searchsorted(np.array(joins, dtype=np.intp), kept, side="right")
    return tuple((np.flatnonzero((np.diff(kept) > 1) | (np.diff(stretch) > 0)) + 1).tolist())
