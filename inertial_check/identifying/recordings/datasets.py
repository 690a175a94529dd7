"""Datasets of an identification: recordings that are fitted, and those that are predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.identification.estimation.joint_friction import OperatingPoint
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.sampled import Block, Samples
from inertial_check.identifying.recordings.motion import JointMotion
from inertial_check.identifying.recordings.recorded_samples import MotionSamples, RecordedSamples
from inertial_check.identifying.robot.robot import Robot
from inertial_check.model.identified import Remark

ChangeMotion = Callable[[JointMotion], JointMotion]
"""Function that gives another motion of the same samples, such as a simulated one."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """One recording, or a part of one.

    Attributes:
        path: Path of the file, with the part.
        recorded: Samples as recorded.
        samples: Equations of the bodies to identify.
    """

    path: str
    recorded: RecordedSamples
    samples: Samples

    @cached_property
    def reduction(self) -> Reduction:
        """Triangular systems of the samples, which least squares needs."""
        return self.samples.reduce()

    def largest(self) -> Floats:
        """(k,) largest factor of each friction number."""
        return self.recorded.largest(self.samples.nuisance)

    def torques(self, x: Floats, most: int | None = None) -> tuple[Floats, ...]:
        """Return the measured torques (S, n), and those that each set of parameters predicts.

        Args:
            x: (c, p) sets of parameters, bodies first.
            most: Largest number of samples, from the first on; None for all.
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

    def row_velocities(self, robot: Robot) -> Floats | None:
        """(S, r) velocity that the torque of each row acts on; None if the file holds equations."""
        if self.motion is None or self.motion.whole is None:
            return None if self.motion is None else self.motion.u
        return self.motion.whole.row_velocities(robot, self.motion.u)

    @property
    def motion(self) -> JointMotion | None:
        """Motion of the joints; None if the file holds equations."""
        return self.recorded.motion if isinstance(self.recorded, MotionSamples) else None


@dataclass(frozen=True, eq=False)
class Datasets:
    """All recordings of an identification.

    Attributes:
        train: Recordings to fit; at least one.
        validation: Recordings to predict.
        joints: Names of the joints whose torques the equations are of; those of a floating base
            stand behind them.
        units: Unit of each of these torques.
        remarks: Remarks on the signals and on their processing.
        friction: Friction as it is declared.
        linearise: Makes the datasets with nonlinear friction about an operating point, or without
            it; None where there is none.
        moved: Makes the datasets of changed motions with the same torques.
    """

    train: tuple[Dataset, ...]
    validation: tuple[Dataset, ...]
    joints: tuple[str, ...]
    units: tuple[str, ...]
    remarks: tuple[Remark, ...]
    friction: Nuisance = field(default_factory=Nuisance)
    linearise: Callable[[OperatingPoint | None], Datasets] | None = None
    moved: Callable[[ChangeMotion], Datasets] | None = None

    def change_motions(self, change: ChangeMotion) -> Datasets:
        """Make the datasets of other motions, split and with friction filtered as these are."""
        assert self.moved is not None
        return self.moved(change)

    @property
    def fastest(self) -> Floats:
        """(n,) highest speeds of the joints in what is fitted; 0 where the motion is not known."""
        speeds = [np.abs(own.motion.u).max(axis=0) for own in self.train if own.motion is not None]
        return np.asarray(np.max(speeds, axis=0)) if speeds else np.zeros(len(self.joints))

    @property
    def nuisance(self) -> Nuisance:
        """Torques besides those of the bodies, with the same names in all recordings."""
        return self.train[0].samples.nuisance

    @property
    def redundancy(self) -> float:
        """Number of fitted samples that carry as much information as one independent sample."""
        counts = [len(own.recorded) for own in self.train]
        independent = [
            count / (1.0 if own.motion is None else own.motion.redundancy)
            for count, own in zip(counts, self.train, strict=True)
        ]
        return sum(counts) / sum(independent)

    @cached_property
    def reduction(self) -> Reduction:
        """Reduction of all fitted samples."""
        first, *others = (own.reduction for own in self.train)
        return first.merge(*others)

    @property
    def samples(self) -> Samples:
        """All fitted samples, one recording after the other."""

        def source() -> Iterator[Block]:
            return chain.from_iterable(own.samples.source() for own in self.train)

        count = sum(own.samples.samples for own in self.train)
        return replace(self.train[0].samples, source=source, samples=count)

    def with_gains(self, gains: Floats) -> Datasets:
        """The same recordings, torques multiplied by drive gains (n,)."""
        train, validation = (
            tuple(replace(own, samples=own.samples.with_gains(gains)) for own in chosen)
            for chosen in (self.train, self.validation)
        )
        return replace(self, train=train, validation=validation)
