"""Recordings as samples of the equations of motion: of a motion, or the equations themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import inf
from typing import Protocol

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.dynamics.equations import GRAVITY
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import ROWS, Reduction
from inertial_check.identification.estimation.sampled import Block, Samples
from inertial_check.identifying.motion import Motion
from inertial_check.identifying.request import Request
from inertial_check.identifying.robot import Robot
from inertial_check.identifying.torques import Steps, nuisance_given
from inertial_check.inertia.representations import Order, reorder
from inertial_check.model.identified import Remark


class Rows(Protocol):
    """What a recording became, sample by sample."""

    def __len__(self) -> int:
        """How many samples there are."""

    def part(self, rows: Mask) -> Rows:
        """Some of them."""

    def samples(self, request: Request, robot: Robot, nuisance: Nuisance) -> Samples:
        """The equations of motion."""

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) the largest factor that each number beside the bodies has."""


@dataclass(frozen=True, eq=False)
class Moved:
    """A recording of a motion.

    Attributes:
        motion: What the joints did.
        steps: What stands in place of columns that jump; None for themselves.
    """

    motion: Motion
    steps: Steps | None = None

    def __len__(self) -> int:
        """How many samples there are."""
        return len(self.motion)

    def part(self, rows: Mask) -> Moved:
        """Some of them."""
        return Moved(self.motion.part(rows), self.steps and self.steps.part(rows))

    def smooth(self, nuisance: Nuisance) -> Moved:
        """The same, with columns that jump after the filter that the torques passed."""
        steps = None if self.motion.cutoff == inf else Steps.of(nuisance, self.motion)
        return Moved(self.motion, steps)

    def samples(self, request: Request, robot: Robot, nuisance: Nuisance) -> Samples:
        """The equations, made of the motion block by block."""
        motion, steps = self.motion, self.steps
        found = Samples.of_trajectory(
            robot.tree,
            motion.q,
            motion.u,
            motion.du,
            motion.tau,
            nuisance,
            bodies=robot.bodies,
            gravity=GRAVITY if request.gravity is None else request.gravity,
        )
        if steps is None:
            return found

        def source() -> Iterator[Block]:
            start = 0
            for Y, F, tau in found.blocks():
                rows = slice(start, start + len(tau))
                yield Y, steps.into(F, rows), tau
                start = rows.stop

        return replace(found, source=source)

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) the largest factor that each number beside the bodies has."""
        largest, motion = np.zeros(len(nuisance)), self.motion
        for start in range(0, len(motion), ROWS):
            rows = slice(start, start + ROWS)
            columns = np.abs(nuisance.columns(motion.u[rows], motion.du[rows]))
            largest = np.maximum(largest, columns.max(axis=(0, 1)))
        return largest


@dataclass(frozen=True, eq=False)
class Given:
    """A recording that holds the equations themselves.

    Attributes:
        Y: (S, n, 10 L).
        tau: (S, n).
        F: (S, n, k); k can be 0.
        names: Of the columns of F; None for f1, f2, ...
        order: Of the last six of each body's columns.
    """

    Y: Floats
    tau: Floats
    F: Floats
    names: tuple[str, ...] | None
    order: Order

    def __len__(self) -> int:
        """How many samples there are."""
        return len(self.tau)

    def part(self, rows: Mask) -> Given:
        """Some of them."""
        return replace(self, Y=self.Y[rows], tau=self.tau[rows], F=self.F[rows])

    def samples(self, request: Request, robot: Robot, nuisance: Nuisance) -> Samples:
        """The equations as they are, about the body origins, in order "urdf"."""
        bodies = self.Y.reshape(*self.tau.shape, -1, 10)
        Y = reorder(bodies, self.order, "urdf").reshape(self.Y.shape)
        return Samples.of_arrays(Y, self.tau, nuisance_given(self.F, self.names))

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) the largest factor that each number beside the bodies has."""
        return np.asarray(np.abs(self.F).max(axis=(0, 1), initial=0.0))


@dataclass(frozen=True, eq=False)
class Run:
    """A recording, or a part of one.

    Attributes:
        path: Of the file.
        rows: What it holds.
        samples: Of the bodies to identify.
    """

    path: str
    rows: Rows
    samples: Samples

    @cached_property
    def reduction(self) -> Reduction:
        """What least squares needs of the samples."""
        return self.samples.reduce()

    def largest(self) -> Floats:
        """(k,) the largest factor that each number beside the bodies has."""
        return self.rows.largest(self.samples.nuisance)

    def torques(self, x: Floats, most: int | None = None) -> tuple[Floats, ...]:
        """Torques as measured (S, n), and as each of some parameters predicts them.

        Args:
            x: (c, p) sets of parameters, bodies first.
            most: Samples at most, from the first on; None for all.
        """
        measured: list[Floats] = []
        predicted: list[Floats] = []
        for A, tau in self.samples.rows():
            measured.append(tau)
            predicted.append(np.moveaxis(A @ x.T, 2, 0))
            if most is not None and sum(map(len, measured)) >= most:
                break
        whole = np.concatenate(measured), *np.concatenate(predicted, axis=1)
        return tuple(each[:most] for each in whole)

    @property
    def motion(self) -> Motion | None:
        """What the joints did; None where the file holds equations."""
        return self.rows.motion if isinstance(self.rows, Moved) else None


@dataclass(frozen=True, eq=False)
class Runs:
    """All recordings of a request.

    Attributes:
        train: To be fitted; at least one.
        validation: To be predicted.
        joints: Names of the joints.
        remarks: What was done to the signals, and what looks wrong with them.
    """

    train: tuple[Run, ...]
    validation: tuple[Run, ...]
    joints: tuple[str, ...]
    remarks: tuple[Remark, ...]

    @property
    def nuisance(self) -> Nuisance:
        """What stands beside the bodies, with the same names in all."""
        return self.train[0].samples.nuisance

    @property
    def redundancy(self) -> float:
        """How many samples that are fitted say what one independent one would, at least 1."""
        counts = [len(run.rows) for run in self.train]
        independent = [
            count / (1.0 if run.motion is None else run.motion.redundancy)
            for count, run in zip(counts, self.train, strict=True)
        ]
        return sum(counts) / sum(independent)

    @cached_property
    def reduction(self) -> Reduction:
        """Of everything that is fitted."""
        first, *others = (run.reduction for run in self.train)
        return first.merge(*others)

    @property
    def samples(self) -> Samples:
        """Everything that is fitted, one recording after the other."""

        def source() -> Iterator[Block]:
            return chain.from_iterable(run.samples.blocks() for run in self.train)

        count = sum(run.samples.samples for run in self.train)
        return replace(self.train[0].samples, source=source, samples=count)
