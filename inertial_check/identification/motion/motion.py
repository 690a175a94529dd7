"""Motion of a recording: in SI units, smooth, in the order of the robot's joints; and its samples.

A motion of a whole tree has its base, wrenches from outside and the rows of its equations, too.
A recording can hold the equations themselves in place of a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.diagnosis.diagnosis import (
    AGREEMENT,
    CLOCKS,
    SignalRemark,
    diagnose,
    nearest_unit,
)
from inertial_check.identification.fit.nuisance import (
    Nuisance,
    OperatingPoint,
    find_load_rows,
    has_load,
)
from inertial_check.identification.fit.samples import ROWS, Block, Reduction, Samples, list_columns
from inertial_check.identification.motion.friction import DISCONTINUOUS, find_number
from inertial_check.identification.motion.signals import (
    Smoothing,
    bridge_spikes,
    describe_spikes,
    differentiate,
    filter_signals,
    find_spikes,
    smooth,
)
from inertial_check.identification.options import (
    RecordingOptions,
    RobotOptions,
)
from inertial_check.identification.recordings.recording import Recording
from inertial_check.identification.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.mechanics.equations import regressor
from inertial_check.reports.identification_types import Edit, Remark, Remedy


class Wrench(NamedTuple):
    """Wrench of the surroundings on one body, as recorded but in the order force, moment.

    Attributes:
        name: Name of the body, or of the plate.
        body: Index of the body in the tree.
        values: (S, 6) force and moment [N and N m].
        in_world: Whether the components are in the axes of the world.
        point: (3,) point of the world about which moments are taken; None for the body's origin.
        columns: Names of its columns in the recording; one name for an array.
        only_base: Whether other bodies than this one may touch what measures it, so that only the
            equations of the base can take it.
        X_BF: (4, 4) pose in the body of the frame whose origin and axes are those of the wrench;
            None for the body's own frame.
    """

    name: str
    body: int
    values: Floats
    in_world: bool
    point: tuple[float, ...] | None
    columns: tuple[str, ...]
    only_base: bool = False
    X_BF: Floats | None = None


BASE_ROWS = ("fx", "fy", "fz", "mx", "my", "mz")
"""Endings of the names of the six equations of the base: forces in the axes of the world, and
moments about its origin in its own axes."""


class Rows(NamedTuple):
    """Equations that a recording gives, in their order.

    Attributes:
        names: Names: those of joints, or of the base with BASE_ROWS.
        units: Units, N m or N.
        velocities: Index of the tree's velocity that each equation belongs to.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    velocities: tuple[int, ...]

    @classmethod
    def of(cls, robot: Robot, measured: Sequence[int], base: bool) -> Rows:
        """List the equations of joints with a torque, and those of the base behind them."""
        names = [robot.joints[joint] for joint in measured]
        units = [robot.units[joint] for joint in measured]
        velocities = [robot.velocities[joint] for joint in measured]
        if base and robot.base is not None:
            root = robot.tree.names[robot.base]
            names += [f"{root}.{ending}" for ending in BASE_ROWS]
            units += ["N"] * 3 + ["N m"] * 3
            own = robot.tree.velocities[robot.base]
            velocities += range(own.start, own.stop)
        return cls(tuple(names), tuple(units), tuple(velocities))

    @classmethod
    def of_velocities(cls, robot: Robot, velocities: Sequence[int]) -> Rows:
        """List equations by the velocities of the tree: joints first, then those of the base."""
        joints = [joint for joint, own in enumerate(robot.velocities) if own in velocities]
        found = cls.of(robot, joints, robot.base is not None)
        kept = [k for k, own in enumerate(found.velocities) if own in velocities]
        return cls(*(tuple(each[k] for k in kept) for each in found))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class WholeMotion:
    """Motion and forces of a tree besides those of its recorded joints.

    Attributes:
        rows: Equations.
        joints: Indices of the joints whose torque is measured.
        base: (S, 19) pose, twist and acceleration of the base; no columns if it is fixed.
        forces: (S, n_u) forces of the joints that the wrenches are worth [N m or N].
        wrenches: Wrenches, filtered.
        maps: (S, r, n_u) combinations of the tree's equations in which no force of a loop is left;
            None for those of `rows.velocities` as they are.
    """

    rows: Rows
    joints: tuple[int, ...]
    base: Floats
    forces: Floats
    wrenches: tuple[Wrench, ...] = ()
    maps: Floats | None = None

    def part(self, rows: slice | Integers | Mask) -> WholeMotion:
        """Select some samples."""
        wrenches = tuple(each._replace(values=each.values[rows]) for each in self.wrenches)
        maps = None if self.maps is None else self.maps[rows]
        return replace(
            self, base=self.base[rows], forces=self.forces[rows], wrenches=wrenches, maps=maps
        )

    def combine(self, forces: Floats, rows: slice | None = None) -> Floats:
        """Combine forces (s, n_u, ...) of the tree's velocities to the equations (s, r, ...)."""
        if self.maps is None:
            return forces[:, list(self.rows.velocities)]
        maps = self.maps if rows is None else self.maps[rows]
        flat = forces.reshape(*forces.shape[:2], -1)
        return np.asarray(np.matmul(maps, flat).reshape(*maps.shape[:2], *forces.shape[2:]))

    def assemble(
        self, robot: Robot, q: Floats, u: Floats, du: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Assemble coordinates, velocities and accelerations of the tree from those of joints."""
        tree = robot.tree
        count, n_u = len(q), tree.n_u
        whole: tuple[Floats, Floats, Floats] = (
            np.zeros((count, tree.n_q)),
            np.zeros((count, n_u)),
            np.zeros((count, n_u)),
        )
        for array, own, places in zip(
            whole, (q, u, du), (robot.coordinates, robot.velocities, robot.velocities), strict=True
        ):
            array[:, list(places)] = own
        if robot.base is not None:
            own_q, own_u = tree.coordinates[robot.base], tree.velocities[robot.base]
            for array, place, columns in zip(
                whole,
                (own_q, own_u, own_u),
                (slice(0, 7), slice(7, 13), slice(13, 19)),
                strict=True,
            ):
                array[:, place] = self.base[:, columns]
        return whole

    def row_velocities(self, robot: Robot, u: Floats) -> Floats:
        """(S, r) velocity that each equation belongs to."""
        _, whole, _ = self.assemble(robot, u, u, u)
        return np.asarray(whole[:, list(self.rows.velocities)])

    def spread(self, robot: Robot, tau: Floats) -> Floats:
        """(S, n_u) torques of joints (S, n) as forces of all velocities, and those of wrenches."""
        whole = np.array(self.forces)
        whole[:, list(robot.velocities)] += tau
        return whole


MOST_BYTES = 2_000_000_000
"""Largest size of the rows of one recording [bytes], which all pass the filter together."""


class FilteredSteps(NamedTuple):
    """Discontinuous friction columns, after the filter that the torques passed.

    Attributes:
        columns: (c,) indices of the nuisance columns that they replace.
        rows: (n, c) joints in whose torques each column stands.
        values: (S, c) values.
    """

    columns: Integers
    rows: Mask
    values: Floats


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Motion of the joints with their torques, as it is recorded, filtered and split.

    Attributes:
        t: (S,) time [s]; the number of the sample if the recording has no time.
        q: (S, n) positions [rad or m].
        u: (S, n) velocities.
        du: (S, n) accelerations.
        tau: (S, n) torques [N m] or forces [N].
        redundancy: Number of samples that carry as much information as one independent sample.
        cutoff: Cut-off frequency of the filter [Hz]; infinite without one.
        rate: Samples a second [Hz]; None if the steps are not known to be uniform.
        order: Order of the filter.
        runs: Rows at uniform steps that passed the filter together.
        whole: Base, wrenches and rows of the equations; None for a tree on a fixed base, whose rows
            are its joints.
        joins: Samples at which a new stretch of the recording begins, besides the first.
        steps: Filtered columns in place of the discontinuous ones; None to use those.
        load: (S, n, 10 L) filtered rows of the friction of the load; None for those of the motion.
        noise: (2, n) deviations of the white noise that positions and velocities had before the
            filter; None where it is not known.
    """

    t: Floats
    q: Floats
    u: Floats
    du: Floats
    tau: Floats
    redundancy: float = 1.0
    cutoff: float = inf
    rate: float | None = None
    order: int = 0
    runs: tuple[slice, ...] = ()
    whole: WholeMotion | None = None
    joins: tuple[int, ...] = ()
    steps: FilteredSteps | None = None
    load: Floats | None = None
    noise: Floats | None = None

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.t)

    def part(self, rows: Mask | Integers) -> JointMotion:
        """Select some samples, which belong to no run any more."""
        signals = {name: getattr(self, name)[rows] for name in ("t", "q", "u", "du", "tau")}
        return replace(
            self,
            **signals,
            runs=(),
            whole=self.whole and self.whole.part(rows),
            joins=_select_joins(self.joins, np.arange(len(self))[rows]),
            steps=self.steps and self.steps._replace(values=self.steps.values[rows]),
            load=None if self.load is None else self.load[rows],
        )

    def filter(self, signals: Floats) -> Floats:
        """Pass signals (S, ...) of the same samples through the filter that the torques passed."""
        if not np.isfinite(self.cutoff):
            return signals
        passed = np.empty_like(signals)
        for rows in self.runs:
            steps = np.diff(self.t[rows])
            passed[rows] = filter_signals(signals[rows], 1 / steps.mean(), self.cutoff, self.order)
        return passed

    def add_noise(self, sign: float = 1.0) -> JointMotion:
        """Add as much noise to the motion as was measured in it, or subtract the same."""
        if self.noise is None:
            return self
        rng, signals = np.random.default_rng(0), np.stack([self.q, self.u, self.du])
        for rows in self.runs:
            rate = 1 / np.diff(self.t[rows]).mean()
            white = self.noise[:, None] * rng.normal(size=(2, *self.q[rows].shape))
            q, u = (filter_signals(own, rate, self.cutoff, self.order) for own in white)
            u = np.where(self.noise[1] > 0, u, differentiate(q, rate))
            signals[:, rows] += sign * np.stack([q, u, differentiate(u, rate)])
        return replace(self, **dict(zip(("q", "u", "du"), signals, strict=True)))

    def filter_friction(self, nuisance: Nuisance, robot: Robot) -> JointMotion:
        """Pass the columns of friction that jump through the filter that the torques passed.

        A filter turns the steps that Coulomb friction makes in the torques into slopes. With
        columns that still jump, each change of direction would leave a spike in the residual.

        Raises:
            UsageError: The rows of the friction of the load would take too much memory.
        """
        if self.cutoff == inf:
            return self
        rest = tolerances.REST * np.abs(self.u).max(axis=0)
        blocks = [slice(start, start + ROWS) for start in range(0, len(self), ROWS)]
        names = map(find_number, nuisance.names)
        chosen = np.array(
            [k for k, own in enumerate(names) if own and own[0] in DISCONTINUOUS], dtype=np.intp
        )
        steps = None
        if len(chosen):
            joints = np.zeros((self.u.shape[1], len(chosen)), dtype=bool)
            values = np.zeros((len(self), len(chosen)))
            for rows in blocks:
                own = nuisance.columns(self.u[rows], self.du[rows], rest)[:, :, chosen]
                joints |= own.any(axis=0)
                values[rows] = np.take_along_axis(own, np.abs(own).argmax(axis=1)[:, None], 1)[:, 0]
            steps = FilteredSteps(chosen, joints, self.filter(values))
        point = nuisance.point
        if point is None or not has_load(nuisance):
            return replace(self, steps=steps)
        shape = (len(self), len(robot.joints), 10 * len(robot.bodies))
        if 8 * int(np.prod(shape)) > MOST_BYTES:
            raise UsageError(
                f"--friction load: {len(self):,} samples of {shape[1]} joints and "
                f"{len(robot.bodies)} bodies need {8 * int(np.prod(shape)) / 10**9:.1f} GB: "
                "--decimate N keeps every N-th sample"
            )
        load = np.empty(shape)
        for rows in blocks:
            q, u, du = self.q[rows], self.u[rows], self.du[rows]
            whole = np.asarray(regressor(robot.tree, q, u, du, gravity=robot.gravity))
            Y = whole[:, :, list_columns(robot.bodies)]
            signs = find_load_rows(Y, np.where(np.abs(u) <= rest, 0.0, u), point.theta)
            load[rows] = signs[:, :, None] * Y
        return replace(self, steps=steps, load=self.filter(load))

    def equations(self, robot: Robot, nuisance: Nuisance, count: int | None = None) -> Samples:
        """Build the equations of motion, which are computed block by block.

        With a whole motion they are Y theta + F f = S^T tau + sum of J^T w, in its rows.

        Args:
            robot: Robot with these joints.
            nuisance: Friction of the joints.
            count: Number of samples in memory at a time; None for some megabytes.
        """
        whole, steps, motion = self.whole, self.steps, (self.q, self.u, self.du)
        found = Samples.of_trajectory(
            robot.tree,
            *(motion if whole is None else whole.assemble(robot, *motion)),
            self.tau if whole is None else whole.spread(robot, self.tau),
            nuisance if whole is None else None,
            bodies=robot.bodies,
            gravity=robot.gravity,
            rows=count,
            load_rows=self.load,
        )
        if whole is None and steps is None:
            return found
        slowest = tolerances.REST * np.abs(self.u).max(axis=0, initial=0.0)

        def source() -> Iterator[Block]:
            start = 0
            for Y, F, tau in found.source():
                rows = slice(start, start + len(tau))
                start = rows.stop
                own = F
                if whole is not None:
                    own = nuisance.columns(self.u[rows], self.du[rows], slowest)
                if steps is not None:
                    own[:, :, steps.columns] = steps.values[rows][:, None, :] * steps.rows
                if whole is None:
                    yield Y, own, tau
                    continue
                spread = np.zeros((*tau.shape, len(nuisance)))
                spread[:, list(robot.velocities)] = own
                yield tuple(whole.combine(each, rows) for each in (Y, spread, tau))  # type: ignore[misc]

        joints = found.joints if whole is None else len(whole.rows.names)
        return replace(found, joints=joints, nuisance=nuisance, source=source)

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) largest factor of each friction number."""
        largest = np.zeros(len(nuisance))
        for start in range(0, len(self), ROWS):
            rows = slice(start, start + ROWS)
            columns = np.abs(nuisance.columns(self.u[rows], self.du[rows]))
            largest = np.maximum(largest, columns.max(axis=(0, 1)))
        return largest


@dataclass(frozen=True, eq=False)
class EquationSamples:
    """Recording that holds the equations of motion themselves.

    Attributes:
        t: (S,) numbers of the samples in the recording, which has no time.
        Y: (S, n, 10 L) regressor about the body origins, in order "urdf".
        tau: (S, n) torques.
        F: (S, n, k) further columns; k can be 0.
        names: Names of the columns of F; None for f1, f2, ...
        joins: Samples at which a new stretch of the recording begins, besides the first.
    """

    t: Floats
    Y: Floats
    tau: Floats
    F: Floats
    names: tuple[str, ...] | None
    joins: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.tau)

    def part(self, rows: Mask | Integers) -> EquationSamples:
        """Select some samples."""
        t, Y, tau, F = (each[rows] for each in (self.t, self.Y, self.tau, self.F))
        joins = _select_joins(self.joins, np.arange(len(self))[rows])
        return replace(self, t=t, Y=Y, tau=tau, F=F, joins=joins)

    def equations(self, robot: Robot, nuisance: Nuisance) -> Samples:
        """Return the equations as they are."""
        return Samples.of_arrays(self.Y, self.tau, Nuisance.from_columns(self.F, self.names))

    def largest(self, nuisance: Nuisance) -> Floats:
        """(k,) largest factor of each friction number."""
        return np.asarray(np.abs(self.F).max(axis=(0, 1), initial=0.0))


def _select_joins(joins: tuple[int, ...], kept: Integers) -> tuple[int, ...]:
    """Find the joins of some samples: where the old ones were, and where samples were left out."""
    stretch = np.searchsorted(np.array(joins, dtype=np.intp), kept, side="right")
    return tuple((np.flatnonzero((np.diff(kept) > 1) | (np.diff(stretch) > 0)) + 1).tolist())


ChangeMotion = Callable[[JointMotion], JointMotion]
"""Function that gives another motion of the same samples, such as a simulated one."""


STRETCHES = 20
"""Number of stretches of a recording whose spread is compared with deviations: so long that one
hardly knows of the next, and as many as tell a spread to a sixth."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """One recording, or a part of one.

    Attributes:
        path: Path of the file, with the part.
        recorded: Samples as recorded.
        samples: Equations of the bodies to identify.
    """

    path: str
    recorded: JointMotion | EquationSamples
    samples: Samples

    @cached_property
    def stretches(self) -> list[Reduction]:
        """Triangular systems of stretches of equal length."""
        return self.samples.folds(STRETCHES)

    @cached_property
    def reduction(self) -> Reduction:
        """Triangular systems of the samples, which least squares needs."""
        first, *others = self.stretches
        return first.merge(*others)

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
        return self.recorded if isinstance(self.recorded, JointMotion) else None


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


GRAVE_LAG = 0.25
"""Part of the squared residuals that a lag makes from which on it is a warning: what controllers
filter out of velocities makes 15 % on a sound recording."""


class _Grade(NamedTuple):
    """Severity of a kind of remark, and the option that answers it; "" for none."""

    severity: Severity
    option: str = ""


_GRADES = {
    "clock": _Grade(Severity.NOTE),
    "still": _Grade(Severity.WARNING, "--locked JOINT=POSITION leaves a joint out"),
    "constant": _Grade(Severity.WARNING),
    "limits": _Grade(Severity.WARNING),
    "time": _Grade(Severity.ERROR, "--time-unit {unit} reads it so"),
    "degrees": _Grade(Severity.ERROR, "--degrees reads them so"),
    "wrapped": _Grade(Severity.ERROR, "numpy.unwrap joins the turns"),
    "frozen": _Grade(Severity.ERROR, "leave these samples out"),
    "saturated": _Grade(Severity.ERROR, "leave these samples out, or record a slower motion"),
    "coarse": _Grade(Severity.WARNING, "record more digits, or set --cutoff lower"),
    "velocity": _Grade(Severity.WARNING),
    "acceleration": _Grade(Severity.WARNING),
    "spikes": _Grade(Severity.WARNING, "--loss huber weighs down what is left of them"),
    "unit": _Grade(Severity.ERROR, "--gain multiplies them"),
    "gear": _Grade(Severity.ERROR, "--gain multiplies them"),
    "sign": _Grade(Severity.ERROR, "--gain=-1 turns them"),
    "gain": _Grade(Severity.ERROR),
    "lag": _Grade(Severity.WARNING),
}
"""Grades by kind. A remark is an error if the recording holds something else than it was taken for,
so that all results are wrong, and a warning if a part of it may."""


def grade_remark(path: str, remark: SignalRemark) -> Remark:
    """Give a remark on the signals of a recording its severity and the option that answers it."""
    grade = _GRADES.get(remark.kind, _Grade(Severity.WARNING))
    severity = grade.severity
    if remark.kind == "sign":  # of a single joint it may be chance
        slopes, shares = (np.array(remark.values[name]) for name in ("slopes", "shares"))
        if not np.mean(slopes[shares >= AGREEMENT] < 0) > 0.5:
            severity = Severity.WARNING
    units = [unit for unit, size in CLOCKS.items() if remark.values.get("ratio") == 1 / size]
    if remark.kind == "lag" and float(np.max(remark.values["saved"])) < GRAVE_LAG:
        severity = Severity.NOTE
    option = f"; {grade.option.format(unit=''.join(units))}" if grade.option else ""
    remedy = None
    if remark.kind in ("unit", "gain"):
        remedy = Remedy((f"--gain={1 / nearest_unit(float(np.max(remark.values['ratio']))):.6g}",))
    if remark.kind == "wrapped":
        remedy = Remedy((), (Edit("unwrap", ("q",), (), 0.0),), grade.option)
    return Remark(severity, remark.kind, f"{path}: {remark.message}{option}", (), remedy)


SAMPLES_OF_A_LOG = 100
"""Samples in which no torque that was recorded stays the same."""


def read_motion(
    recording: Recording,
    columns: Sequence[int],
    gain: Floats,
    options: RecordingOptions,
    robot: Robot,
    unmeasured: Sequence[int] = (),
) -> tuple[JointMotion, list[Remark]]:
    """Make the motion of a recording smooth.

    Complete positions, velocities and accelerations pass as they are, unless smoothing is asked
    for.

    Args:
        recording: Recording with q and tau.
        columns: Column of the recording for each joint.
        gain: (n,) factors of the torques.
        options: Units, delay and smoothing.
        robot: Robot with these joints.
        unmeasured: Indices of joints whose torque is not recorded.

    Raises:
        UsageError: There is neither time nor a rate.
        ParameterError: Numbers that cannot be used.
    """
    smoothing = options.smoothing
    raw, remarks = read_signals(recording, columns, gain, options, robot, unmeasured)
    assert raw.q is not None
    assert raw.tau is not None
    if raw.u is not None and raw.du is not None and smoothing == Smoothing():
        t = np.arange(float(len(raw.q))) if raw.t is None else raw.t
        message = f"{raw.path}: q, qd, qdd and tau as they are, not filtered"
        remarks.append(Remark(Severity.NOTE, "signals", message))
        return JointMotion(t, raw.q, raw.u, raw.du, raw.tau), remarks
    refuse_no_clock(raw, smoothing)
    try:
        signals = smooth(raw.t, raw.q, raw.tau, raw.u, raw.du, smoothing, breaks=raw.breaks)
    except ParameterError as error:
        raise ParameterError(f"{raw.path}: {error}") from None
    names = ("t", "q", "u", "du", "tau", "redundancy", "cutoff", "rate", "runs", "noise")
    found = JointMotion(**{name: getattr(signals, name) for name in names}, order=smoothing.order)
    notes = (f"{raw.path}: {note}" for note in signals.notes)
    return found, [*remarks, *(Remark(Severity.NOTE, "signals", note) for note in notes)]


def refuse_no_clock(recording: Recording, smoothing: Smoothing) -> None:
    """Refuse a recording that has to be filtered and has neither time nor a rate.

    Raises:
        UsageError: It is one.
    """
    if recording.t is None and smoothing.rate is None:
        raise UsageError(
            f"{recording.path}: no t, and without it neither velocities nor a filter: give "
            "--rate HZ of the samples, or qd and qdd"
        )


def convert_units(
    recording: Recording, columns: Sequence[int], options: RecordingOptions, robot: Robot
) -> Recording:
    """Convert t, q, u and du to SI units and the signs of the joints, unless units are stated.

    Returns:
        The recording with t in seconds, and q, u and du (S, n) of the robot's joints.

    Raises:
        UsageError: It has no positions.
    """
    if recording.q is None:
        raise UsageError(f"{recording.path}: no q, the positions of the joints")
    t = recording.t
    if t is not None and options.time_unit != "s" and "t" not in recording.stated:
        t = t / CLOCKS[options.time_unit]
    revolute = np.array([unit == "N m" for unit in robot.units])
    degrees = np.where(revolute & options.degrees, np.pi / 180, 1.0)
    signs = np.ones(len(robot.joints))
    signs[[robot.joint(name, "--reverse") for name in options.reverse]] *= -1.0
    q, u, du = (
        None
        if (signal := getattr(recording, name)) is None
        else signal[:, columns] * (signs if name in recording.stated else signs * degrees)
        for name in ("q", "u", "du")
    )
    return replace(recording, t=t, q=q, u=u, du=du)


def read_signals(
    recording: Recording,
    columns: Sequence[int],
    gain: Floats,
    options: RecordingOptions,
    robot: Robot,
    unmeasured: Sequence[int] = (),
) -> tuple[Recording, list[Remark]]:
    """Read and diagnose the signals of the robot's joints, in SI units, torques without spikes.

    The arguments and errors are those of `read_motion`.
    """
    found = convert_units(recording, columns, options, robot)
    assert found.q is not None
    t, tau = found.t, None if found.tau is None else found.tau[:, columns] * gain
    constant = [] if tau is None else np.flatnonzero(np.ptp(tau, axis=0) == 0).tolist()
    moves = np.ptp(found.q, axis=0) > 0
    dead = [robot.joints[k] for k in constant if k not in unmeasured and moves[k]]
    if 0 < len(dead) < len(moves) and len(found.q) > SAMPLES_OF_A_LOG:
        raise UsageError(
            f"{found.path}: {', '.join(dead)}: the torque is constant in all {len(found.q)} "
            f"samples: it was not recorded; {' '.join(f'--unmeasured {name}' for name in dead)} "
            "leaves out these rows"
        )
    try:
        said = diagnose(
            found.q, tau, found.u, found.du, t, limits=robot.limits, joints=robot.joints
        )
    except ParameterError as error:
        raise ParameterError(f"{found.path}: {error}") from None
    remarks = [
        grade_remark(found.path, each)
        for each in said
        # Torques of unmeasured joints are constant because nobody recorded them.
        if each.kind != "constant"
        or not set(np.flatnonzero(np.isfinite(each.values["torque"])).tolist()) <= set(unmeasured)
    ]
    bridged = {"positions": found.q, "torques": tau}
    for name, signal in bridged.items():
        if signal is None or not (spikes := find_spikes(signal)).any():
            continue
        told = describe_spikes(name, signal, spikes, robot.joints)
        remarks.append(grade_remark(found.path, told))
        bridged[name] = bridge_spikes(signal, spikes)
    found, tau = replace(found, q=bridged["positions"]), bridged["torques"]
    if tau is None:
        return found, remarks
    if options.delay != 0:
        if t is None:
            raise UsageError(f"{found.path}: no t, and without it no --delay")
        # Torques move to the time of their motion; at the ends the last torque is repeated.
        wanted = t + options.delay
        tau = np.stack([np.interp(wanted, t, column) for column in tau.T], axis=1)
    return replace(found, tau=tau), remarks


def clear_unmeasured(
    recording: Recording, columns: Sequence[int], unmeasured: Sequence[int], robot: Robot
) -> Recording:
    """Set the torques of unmeasured joints to 0, whatever the file has.

    Raises:
        UsageError: The torque of another joint is missing. The message names the joint.
    """
    lacking = [joint for joint, own in enumerate(columns) if own in recording.unmeasured]
    others = [robot.joints[joint] for joint in lacking if joint not in unmeasured]
    if others:
        raise UsageError(
            f"{recording.path}: no torque of {', '.join(others)}; "
            f"{' '.join(f'--unmeasured {name}' for name in others)} leaves out these rows"
        )
    if recording.tau is None or not unmeasured:
        return recording
    tau = np.array(recording.tau)
    tau[:, [columns[joint] for joint in unmeasured]] = 0.0
    return replace(recording, tau=tau)


def list_unmeasured(options: RobotOptions, robot: Robot) -> list[int]:
    """List the indices of the joints that --unmeasured names.

    Raises:
        UsageError: No joint has such a name, or no torque is left.
    """
    found = sorted({robot.joint(name, "--unmeasured") for name in options.unmeasured})
    if len(found) == len(robot.joints):
        raise UsageError("--unmeasured names every joint, so there is no torque to identify from")
    return found


def leave_out_rows(samples: Samples, unmeasured: Sequence[int]) -> Samples:
    """Set the rows of unmeasured joints to 0 in all equations, so that they say nothing."""
    if not unmeasured:
        return samples

    def source() -> Iterator[Block]:
        for block in samples.source():
            Y, F, tau = map(np.array, block)
            for array in (Y, F, tau):
                array[:, list(unmeasured)] = 0.0
            yield Y, F, tau

    return replace(samples, source=source)
