"""Samples of one recording: motions of the joints, or equations that are given ready.

Reading of recordings as samples, with the remarks on their signals and equations.

Datasets of an identification: recordings that are fitted, and those that are predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import inf
from typing import Protocol

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.errors import UsageError
from inertial_check.identification.fit.nuisance import Nuisance, OperatingPoint
from inertial_check.identification.fit.reduction import ROWS, Reduction, list_columns
from inertial_check.identification.fit.samples import Block, Samples
from inertial_check.identification.motion.friction import FilteredSteps, filter_load_rows
from inertial_check.identification.motion.motion import JointMotion, build_equations, read_motion
from inertial_check.identification.motion.reading import (
    clear_unmeasured,
    list_unmeasured,
    remark_on_others,
    remark_on_reading,
)
from inertial_check.identification.motion.signals import MOST_OF_NYQUIST
from inertial_check.identification.options import UNKNOWN, IdentifyOptions
from inertial_check.identification.recordings.recording import Recording
from inertial_check.identification.robot.floating import needs_whole_motion, read_whole_motion
from inertial_check.identification.robot.robot import Robot, match_joints
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.representations import Order, reorder
from inertial_check.mechanics.equations import GRAVITY
from inertial_check.reports.identification_types import Remark


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
        load: (S, n, 10 L) filtered rows of the friction of the load; None for those of the motion.
    """

    motion: JointMotion
    steps: FilteredSteps | None = None
    joins: tuple[int, ...] = ()
    load: Floats | None = None

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
        load = None if self.load is None else self.load[rows]
        return MotionSamples(self.motion.part(rows), steps, _select_joins(self.joins, rows), load)

    def filter_steps(
        self, nuisance: Nuisance, options: IdentifyOptions, robot: Robot
    ) -> MotionSamples:
        """Pass discontinuous columns through the filter that the torques passed."""
        if self.motion.cutoff == inf:
            return MotionSamples(self.motion, None, self.joins)
        steps = FilteredSteps.of(nuisance, self.motion)
        load = filter_load_rows(nuisance, self.motion, options, robot)
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
            load_rows=self.load,
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


_DEFAULT_ORDER: Order = "urdf"
"""Order of the columns of a regressor Y from a file if none is declared, as in
inertial_check.identify; a warning says so."""


def refuse_mixture(recordings: Sequence[Recording]) -> None:
    """Refuse recordings whose equations cannot have the same parameters.

    Raises:
        UsageError: Two recordings differ. The message names them.
    """
    first = recordings[0]
    for other in recordings[1:]:
        if (first.Y is None) != (other.Y is None):
            raise UsageError(
                f"{first.path} has {'q' if first.Y is None else 'Y'} and {other.path} has "
                f"{'q' if other.Y is None else 'Y'}: give recordings of one kind"
            )
        counts = [0 if each.F is None else each.F.shape[2] for each in (first, other)]
        if counts[0] != counts[1] or first.columns != other.columns:
            raise UsageError(
                f"F of {first.path} and of {other.path} have other columns: {counts[0]} and "
                f"{counts[1]}, or other names"
            )


def read_all_samples(
    recordings: Sequence[Recording],
    options: IdentifyOptions,
    robot: Robot,
    remarks: list[Remark],
) -> list[RecordedSamples]:
    """Read the samples of all recordings through one filter, so that residuals compare.

    If no cut-off is asked for, it is the highest that suits a recording to be fitted, but not
    above what the slowest clock of all allows.
    """
    found = [_read_samples(each, options, robot) for each in recordings]
    motions = [own.motion for own, _ in found if isinstance(own, MotionSamples)]
    fitted = [motion.cutoff for motion in motions[: len(options.data)]]
    smoothing = options.recordings.smoothing
    if fitted and smoothing.cutoff is None and max(fitted) < inf:
        limits = [MOST_OF_NYQUIST * each.rate / 2 for each in motions if each.rate is not None]
        common = replace(smoothing, cutoff=min(max(fitted), *limits))
        again = replace(options, recordings=replace(options.recordings, smoothing=common))
        for place, motion in enumerate(motions):
            if motion.cutoff not in (common.cutoff, inf):
                found[place] = _read_samples(recordings[place], again, robot)
    for _, own_remarks in found:
        remarks += own_remarks
    return [own for own, _ in found]


def _read_samples(
    recording: Recording, options: IdentifyOptions, robot: Robot
) -> tuple[RecordedSamples, list[Remark]]:
    """Read the samples of a recording, in the order of the robot's joints."""
    remarks = remark_on_reading(recording, options.recordings)
    remarks += remark_on_others(recording, robot.every)
    if recording.ignored:
        message = f"{recording.path}: not used: {', '.join(recording.ignored)}"
        remarks.append(Remark(Severity.NOTE, "not-used", message))
    # (n,) factors of the torques.
    asked = options.recordings.gain
    factors = np.array([1.0] if asked is None or asked == UNKNOWN else asked)
    if len(factors) not in (1, len(robot.joints)):
        raise UsageError(
            f"--gain has {len(factors)} numbers, expected one, or one for each of the "
            f"{len(robot.joints)} joints: {', '.join(robot.joints)}"
        )
    if not np.all(np.isfinite(factors) & (factors != 0)):
        raise UsageError(f"--gain is {factors.tolist()}, expected finite numbers other than 0")
    gain = np.broadcast_to(factors, (len(robot.joints),))
    if recording.Y is None and options.robot.order is not None:
        raise UsageError(f"--order is for a given Y, and {recording.path} has q")
    if needs_whole_motion(recording, options, robot):
        whole, said = read_whole_motion(recording, gain, options, robot)
        joins = tuple(run.start for run in whole.runs[1:])
        return MotionSamples(whole, joins=joins), [*remarks, *said]
    columns = match_joints(recording, robot)
    unmeasured = list_unmeasured(options.robot, robot)
    recording = clear_unmeasured(recording, columns, unmeasured, robot)
    if recording.Y is None:
        motion, said = read_motion(recording, columns, gain, options.recordings, robot, unmeasured)
        joins = tuple(run.start for run in motion.runs[1:])
        return MotionSamples(motion, joins=joins), [*remarks, *said]
    order = options.robot.order or _DEFAULT_ORDER
    given = _read_equations(recording, columns, gain, order, robot)
    return given, [*remarks, *_remark_on_equations(options)]


def _read_equations(
    recording: Recording, columns: list[int], gain: Floats, order: Order, robot: Robot
) -> EquationSamples:
    """Read the equations of a file.

    Raises:
        UsageError: Y is of other bodies.
    """
    Y, tau, F = recording.Y, recording.tau, recording.F
    assert Y is not None
    assert tau is not None
    count, every = Y.shape[2] // 10, len(robot.model.bodies)
    if count == every and count != len(robot.bodies):  # the others do not move, or have no mass
        Y = Y[:, :, list_columns(robot.bodies)]
    elif count != len(robot.bodies):
        raise UsageError(
            f"{recording.path}: Y has columns of {count} bodies, and the robot has "
            f"{len(robot.bodies)} with mass that joints move: {', '.join(robot.names)}; or of all "
            f"{every} of the file"
        )
    further = np.zeros((*tau.shape, 0)) if F is None else F
    return EquationSamples(
        Y[:, columns], tau[:, columns] * gain, further[:, columns], recording.columns, order
    )


def _remark_on_equations(options: IdentifyOptions) -> list[Remark]:
    """Remark on an assumed order, and on options that have no effect on given equations."""
    remarks, friction = [], options.friction
    if options.robot.order is None:
        remarks.append(
            Remark(
                Severity.WARNING,
                "order",
                f"no --order: the last six columns of each body in Y are taken for "
                f"{_DEFAULT_ORDER} (xx xy xz yy yz zz), about the body origins",
            )
        )
    if friction.friction or friction.coupling or friction.friction_prior:
        remarks.append(
            Remark(
                Severity.WARNING,
                "friction-not-used",
                "--friction, --friction-prior and --coupling need the motion, and Y is given: F in "
                "the same file holds such columns",
            )
        )
    return remarks


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
        build: Makes the datasets anew: with nonlinear friction about an operating point, or without
            it; and with changed motions, split and filtered as these are, of the same torques.
    """

    train: tuple[Dataset, ...]
    validation: tuple[Dataset, ...]
    joints: tuple[str, ...]
    units: tuple[str, ...]
    remarks: tuple[Remark, ...]
    friction: Nuisance
    build: Callable[[OperatingPoint | None, ChangeMotion | None], Datasets]

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
