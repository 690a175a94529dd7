"""Motion of a recording: in SI units, smooth, and in the order of the robot's joints.

Motion of a whole tree: base, joints and forces from outside, and the rows of its equations.

Motion of a floating base, read from a recording: pose, twist and acceleration in tree order.

Wrenches on a robot from outside: contacts, a force plate; their columns, axes and points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple, Protocol

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.diagnosis.diagnosis import diagnose
from inertial_check.identification.diagnosis.mistakes import AGREEMENT, CLOCKS, SignalRemark
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.samples import Block, Samples
from inertial_check.identification.motion.reading import drop_constant
from inertial_check.identification.motion.signals import (
    Smoothing,
    bridge_spikes,
    describe_spikes,
    filter_signals,
    find_spikes,
    smooth,
)
from inertial_check.identification.options import (
    EVERY_BODY,
    FORCES,
    MOMENTS,
    ContactOptions,
    RecordingOptions,
)
from inertial_check.identification.recordings.recording import Recording
from inertial_check.identification.robot.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, Mask
from inertial_check.inertia.frames import homogeneous
from inertial_check.mechanics.contacts import generalized_forces
from inertial_check.mechanics.jacobians import poses
from inertial_check.mechanics.kinematics import rates
from inertial_check.mechanics.rotations import matrix_from_quaternion
from inertial_check.mechanics.tree import Tree
from inertial_check.reports.identification_types import Remark

UNIT_LENGTH = 0.01
"""Largest deviation of a quaternion's length from 1: printed digits and filters leave less."""

_COLUMNS = {
    "base_pose": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "base_twist": ("vx", "vy", "vz", "wx", "wy", "wz"),
    "base_acceleration": ("ax", "ay", "az", "alphax", "alphay", "alphaz"),
}
"""Endings of the names of the columns, behind "base_", that make each array."""


class BaseSignals(NamedTuple):
    """Motion of the base as recorded, and as rates of the coordinates [p_IoBo_I, q_IB].

    Attributes:
        pose: (S, 7) origin [m] and quaternion (w, x, y, z).
        pose_rate: (S, 7) rates of the pose; None if no twist was recorded.
        twist: (S, 6) v_IBo_I [m/s] and w_IB_B [rad/s], or None.
        acceleration: (S, 6) rates of the twist, or None.
    """

    pose: Floats
    pose_rate: Floats | None
    twist: Floats | None
    acceleration: Floats | None


def read_base(recording: Recording, options: ContactOptions) -> tuple[BaseSignals, list[Remark]]:
    """Read the motion of the base; without any it stands still in the axes of the world.

    Raises:
        UsageError: Columns are lacking, or quaternions are none.
    """
    pose, twist, acceleration = (_collect(recording, name) for name in _COLUMNS)
    if pose is None:
        if twist is not None or acceleration is not None:
            raise UsageError(f"{recording.path}: a base twist, and no base pose beside it")
        assert recording.q is not None
        still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (len(recording.q), 1))
        none = np.zeros((len(still), 6))
        message = (
            f"{recording.path}: no pose of the base: it is taken to stand still at the origin, in "
            "the axes of the world"
        )
        note = Remark(Severity.NOTE, "base-still", message)
        return BaseSignals(still, np.zeros_like(still), none, none), [note]
    if "base_pose" in recording.further and options.quaternion_order == "xyzw":
        pose = pose[:, [0, 1, 2, 6, 3, 4, 5]]
    pose = _check_quaternions(recording.path, pose)
    R_IB = np.asarray(matrix_from_quaternion(pose[:, 3:]))
    if twist is not None:
        twist = _turn(twist, R_IB, options.twist_axes)
    if acceleration is not None:
        acceleration = _turn(acceleration, R_IB, options.twist_axes)
    rate = None
    if twist is not None:
        turned = rates(pose[:, 3:], twist[:, 3:], "quaternion", "B")
        rate = np.concatenate([twist[:, :3], np.asarray(turned)], axis=1)
    return BaseSignals(pose, rate, twist, acceleration), []


def _collect(recording: Recording, name: str) -> Floats | None:
    """Collect an array, or the columns that make it; None if the recording has none of them.

    Raises:
        UsageError: Some columns are lacking, or the array has another shape.
    """
    held, endings = recording.further, _COLUMNS[name]
    if name in held:
        whole = held[name]
        if whole.ndim != 2 or whole.shape[1] != len(endings):
            raise UsageError(
                f"{recording.path}: {name} has shape {whole.shape}, expected (S, {len(endings)})"
            )
        return whole
    columns = [f"base_{ending}" for ending in endings]
    lacking = [column for column in columns if column not in held]
    if len(lacking) == len(columns):
        return None
    if lacking:
        raise UsageError(f"{recording.path}: no column {', '.join(lacking)} beside those of {name}")
    return np.stack([held[column] for column in columns], axis=1)


def _check_quaternions(path: str, pose: Floats) -> Floats:
    """Scale quaternions to length 1 and turn their signs so that none jumps.

    Raises:
        UsageError: One is far from length 1.
    """
    lengths = np.linalg.norm(pose[:, 3:], axis=1)
    bad = np.flatnonzero(np.abs(lengths - 1) > UNIT_LENGTH)
    if len(bad):
        raise UsageError(
            f"{path}: the base quaternion of sample {bad[0]} has length {lengths[bad[0]]:.6g}, "
            "expected 1"
        )
    turns = pose[:, 3:] / lengths[:, None]
    jumps = np.sum(turns[1:] * turns[:-1], axis=1) < 0
    signs = np.where(np.cumsum(np.concatenate([[False], jumps])) % 2, -1.0, 1.0)
    return np.concatenate([pose[:, :3], turns * signs[:, None]], axis=1)


def _turn(values: Floats, R_IB: Floats, axes: str) -> Floats:
    """Turn linear and angular parts (S, 6): linear to the world, angular to the body."""
    linear, angular = values[:, :3], values[:, 3:]
    if axes == "body":
        linear = np.einsum("sij,sj->si", R_IB, linear)
    if axes == "world":
        angular = np.einsum("sji,sj->si", R_IB, angular)
    return np.concatenate([linear, angular], axis=1)


def normalize_rates(pose: Floats, rate: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
    """Scale filtered quaternions to length 1, and find twist and acceleration of the base.

    With n = q / |q|, w_IB_B = 2 vec(n* dn) and its rate is 2 vec(n* ddn), since dn* dn is real.

    Args:
        pose: (S, 7) filtered pose.
        rate: (S, 7) its first derivative.
        second: (S, 7) its second derivative.

    Returns:
        Pose (S, 7), twist (S, 6) and acceleration (S, 6), as the tree has them.
    """
    length = np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    n, dq, ddq = pose[:, 3:] / length, rate[:, 3:], second[:, 3:]
    growth = np.sum(n * dq, axis=1, keepdims=True)
    dn = (dq - n * growth) / length
    ddn = (ddq - 2 * dn * growth) / length  # but for a part along n, which drops out
    return (
        np.concatenate([pose[:, :3], n], axis=1),
        np.concatenate([rate[:, :3], 2 * _vector_part(n, dn)], axis=1),
        np.concatenate([second[:, :3], 2 * _vector_part(n, ddn)], axis=1),
    )


def _vector_part(a: Floats, b: Floats) -> Floats:
    """Vector part (S, 3) of the product a* b of quaternions (S, 4)."""
    scalar, vector = a[:, :1], a[:, 1:]
    return np.asarray(scalar * b[:, 1:] - b[:, :1] * vector - np.cross(vector, b[:, 1:]))


_PREFIX = "wrench_"
"""Beginning of the names of columns and arrays of wrenches; the name of the body follows."""

_PLATE = "plate"
"""Name of the array, and beginning of the names of the columns, of a force plate."""

_ROWS = 4096
"""Number of samples whose poses are in memory at a time."""


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


def read_wrenches(
    recording: Recording, options: ContactOptions, robot: Robot
) -> tuple[list[Wrench], list[Remark]]:
    """Read the wrenches of a recording.

    Raises:
        UsageError: A column that is lacking, or a wrench on a body that does not exist.
    """
    asked = dict(options.contact)
    for name in _list_frames(recording):
        taken = any(f"{_PREFIX}{name}" in each for each in asked.values())
        asked.setdefault(name, (f"{_PREFIX}{name}",)) if not taken else None
    found, remarks = [], []
    for name, columns in asked.items():
        body, X_BF = _find_frame(robot, name, f"{recording.path}: wrench on {name}")
        values, places = _collect_contacts(recording, name, columns)
        in_world = options.wrench_axes == "world"
        found.append(Wrench(name, body, values, in_world, None, places, X_BF=X_BF))
    if options.force_plate is not None:
        found.append(_read_plate(recording, options, robot))
    for place, wrench in enumerate(found):
        if wrench.values.shape[1] == 3:
            remarks.append(
                Remark(
                    Severity.NOTE,
                    "point-contact",
                    f"{recording.path}: {wrench.name}: three columns of forces; the moments about "
                    "its origin are taken for zero",
                )
            )
        # (S, 6) force and moment on the robot, in that order.
        values = wrench.values
        if values.shape[1] == 3:
            values = np.concatenate([values, np.zeros_like(values)], axis=1)
        elif options.wrench_order == "moment-first":
            values = exchange(values)
        found[place] = wrench._replace(
            values=-values if wrench.name in options.reverse_wrench else values
        )
    # Refuse to turn wrenches that do not exist.
    names = [wrench.name for wrench in found]
    for name in options.reverse_wrench:
        if name not in names:
            hint = suggest_name(name, names, f"; there are {', '.join(names) or 'none'}")
            raise UsageError(f"--reverse-wrench: no wrench on {name!r}{hint}")
    return found, remarks


def _list_frames(recording: Recording) -> Iterator[str]:
    """List the bodies that the names of columns and arrays say wrenches act on."""
    seen = set()
    for key, values in recording.further.items():
        if not key.startswith(_PREFIX):
            continue
        name = key.removeprefix(_PREFIX)
        if values.ndim == 1 and name[-3:-2] == "_" and name[-2:] in (*FORCES, *MOMENTS):
            name = name[:-3]
        if name not in seen:
            seen.add(name)
            yield name


def _find_frame(robot: Robot, name: str, what: str) -> tuple[int, Floats | None]:
    """Find a body by its name or id, or a named frame: its body, and its pose there.

    Raises:
        UsageError: Nothing or several things have this name.
    """
    bodies = robot.model.bodies
    if any(name in (body.name, body.id) for body in bodies):
        return find_body(robot, name, what), None
    named = [frame for frame in robot.model.frames if frame.name == name and frame.body]
    if len(named) != 1:
        return find_body(robot, name, what), None  # which says what there is
    (frame,) = named
    places = [index for index, body in enumerate(bodies) if body.id == frame.body]
    return places[0], np.asarray(homogeneous(frame.X_BF.R_PB, frame.X_BF.p_PoBo_P))


def find_body(robot: Robot, name: str, what: str) -> int:
    """Find the index of a body by its name or id.

    Raises:
        UsageError: No body or several have it.
    """
    bodies = robot.model.bodies
    found = [index for index, body in enumerate(bodies) if name in (body.name, body.id)]
    if len(found) != 1:
        names = [body.name for body in bodies]
        hint = suggest_name(name, names, f"; there are {', '.join(names[:12])}")
        several = "several bodies are called so: give the id of one" if found else "no such body"
        raise UsageError(f"{what}: {several}{'' if found else hint}; --contact BODY=COLUMNS")
    return found[0]


def _collect_contacts(
    recording: Recording, name: str, columns: tuple[str, ...]
) -> tuple[Floats, tuple[str, ...]]:
    """Collect the columns of a wrench, (S, 3) or (S, 6), and their names.

    Raises:
        UsageError: A column is lacking, or an array has another shape.
    """
    held = recording.further
    if len(columns) == 1 and (whole := held.get(columns[0])) is not None and whole.ndim == 2:
        if whole.shape[1] not in (3, 6):
            raise UsageError(
                f"{recording.path}: {columns[0]} has {whole.shape[1]} columns, expected 6 or 3"
            )
        return whole, columns
    if len(columns) == 1:
        parts = [f"{columns[0]}_{part}" for part in (*FORCES, *MOMENTS)]
        has_moments = any(part in held for part in parts[3:])
        columns = tuple(parts if has_moments else parts[:3])
    lacking = [column for column in columns if column not in held or held[column].ndim != 1]
    if lacking:
        raise UsageError(f"{recording.path}: wrench on {name}: no column {', '.join(lacking)}")
    return np.stack([held[column] for column in columns], axis=1), columns


def _read_plate(recording: Recording, options: ContactOptions, robot: Robot) -> Wrench:
    """Read the wrench of a force plate.

    Raises:
        UsageError: Its columns are lacking, or the base does not float.
    """
    if robot.base is None:
        raise UsageError(
            "--force-plate measures what carries the base, and the base is fixed: give --base "
            "floating"
        )
    asked = options.force_plate or ""
    option = f"--force-plate {asked}"
    body = robot.base if asked in ("", EVERY_BODY) else find_body(robot, asked, option)
    values, columns = _collect_contacts(recording, "the force plate", (_PLATE,))
    if values.shape[1] != 6:
        raise UsageError(f"{recording.path}: the force plate has no moments: expected six columns")
    point = tuple(float(number) for number in options.plate_at)
    return Wrench(_PLATE, body, values, True, point, columns, asked == EVERY_BODY)


def exchange(values: Floats) -> Floats:
    """Exchange force and moment of wrenches (..., 6)."""
    return np.concatenate([values[..., 3:], values[..., :3]], axis=-1)


def sum_forces(tree: Tree, q: Floats, wrenches: Sequence[Wrench]) -> Floats:
    """Sum of J^T w of wrenches: forces of the joints (S, n_u), at coordinates (S, n_q)."""
    total = np.zeros((len(q), tree.n_u))
    for start in range(0, len(q) if wrenches else 0, _ROWS):
        rows = slice(start, start + _ROWS)
        X_IB = np.asarray(poses(tree, q[rows]))
        for wrench in wrenches:
            own = X_IB[:, wrench.body]
            frame = own if wrench.X_BF is None else own @ wrench.X_BF
            force, moment = wrench.values[rows, :3], wrench.values[rows, 3:]
            if not wrench.in_world:
                force, moment = (
                    np.einsum("sij,sj->si", frame[:, :3, :3], w) for w in (force, moment)
                )
            origin = frame[:, :3, 3] if wrench.point is None else np.array(wrench.point)
            moment = moment + np.cross(origin - own[:, :3, 3], force)
            total[rows] += generalized_forces(tree, q[rows], wrench.body, force, moment)
    return total


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


class ColumnSteps(Protocol):
    """Columns of friction after the filter that the torques passed."""

    def replace_in(self, F: Floats, samples: slice) -> Floats:
        """Put these columns in their places in the columns F (s, n, k) of some samples."""


def build_equations(  # noqa: PLR0913 - a motion, and what stands in its equations
    robot: Robot,
    whole: WholeMotion,
    signals: tuple[Floats, Floats, Floats, Floats],
    nuisance: Nuisance,
    *,
    gravity: ArrayLike,
    steps: ColumnSteps | None = None,
    count: int | None = None,
) -> Samples:
    """Build the equations Y theta + F f = S^T tau + sum of J^T w, in the rows of a whole motion.

    Args:
        robot: Robot.
        whole: Base, wrenches and rows.
        signals: q, u, du and tau of the joints, (S, n) each.
        nuisance: Friction of the joints.
        gravity: (3,) in the axes of the world [m/s^2].
        steps: Filtered columns in place of discontinuous ones; None to use those.
        count: Number of samples in memory at a time; None for some megabytes.
    """
    q, u, du, tau = signals
    tree_motion = whole.assemble(robot, q, u, du)
    samples = Samples.of_trajectory(
        robot.tree,
        *tree_motion,
        whole.spread(robot, tau),
        bodies=robot.bodies,
        gravity=gravity,
        rows=count,
    )
    slowest = tolerances.REST * np.abs(u).max(axis=0, initial=0.0)

    def source() -> Iterator[Block]:
        start = 0
        for Y, _, forces in samples.source():
            part = slice(start, start + len(forces))
            own = nuisance.columns(u[part], du[part], slowest)
            if steps is not None:
                own = steps.replace_in(own, part)
            F = np.zeros((*forces.shape, len(nuisance)))
            F[:, list(robot.velocities)] = own
            yield tuple(whole.combine(each, part) for each in (Y, F, forces))  # type: ignore[misc]
            start = part.stop

    return replace(samples, joints=len(whole.rows.names), nuisance=nuisance, source=source)


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
    "velocity": _Grade(Severity.WARNING),
    "acceleration": _Grade(Severity.WARNING),
    "spikes": _Grade(Severity.WARNING, "--loss huber weighs down what is left of them"),
    "unit": _Grade(Severity.ERROR, "--gain multiplies them"),
    "gear": _Grade(Severity.ERROR, "--gain multiplies them"),
    "sign": _Grade(Severity.ERROR, "--gain=-1 turns them"),
    "gain": _Grade(Severity.WARNING),
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
    return Remark(severity, remark.kind, f"{path}: {remark.message}{option}")


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Motion of the joints with their torques.

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

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.t)

    def part(self, rows: Mask) -> JointMotion:
        """Select some samples, which belong to no run any more."""
        signals = {name: getattr(self, name)[rows] for name in ("t", "q", "u", "du", "tau")}
        whole = None if self.whole is None else self.whole.part(rows)
        return replace(self, **signals, runs=(), whole=whole)

    def filter(self, signals: Floats) -> Floats:
        """Pass signals (S, ...) of the same samples through the filter that the torques passed."""
        if not np.isfinite(self.cutoff):
            return signals
        passed = np.empty_like(signals)
        for rows in self.runs:
            steps = np.diff(self.t[rows])
            passed[rows] = filter_signals(signals[rows], 1 / steps.mean(), self.cutoff, self.order)
        return passed


class JointSignals(NamedTuple):
    """Signals of the joints in SI units, before any filter.

    Attributes:
        recording: Recording, its time in seconds.
        q: (S, n) positions.
        u: (S, n) velocities, or None.
        du: (S, n) accelerations, or None.
        tau: (S, n) torques, without spikes; or None.
        remarks: Remarks on them.
    """

    recording: Recording
    q: Floats
    u: Floats | None
    du: Floats | None
    tau: Floats | None
    remarks: list[Remark]


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
    raw = read_signals(recording, columns, gain, options, robot, unmeasured)
    recording, q, u, du, tau, remarks = raw
    assert tau is not None
    if u is not None and du is not None and smoothing == Smoothing():
        t = np.arange(len(q), dtype=np.float64) if recording.t is None else recording.t
        remarks.append(_note(recording, "q, qd, qdd and tau as they are, not filtered"))
        return JointMotion(t, q, u, du, tau), remarks
    refuse_no_clock(recording, smoothing)
    try:
        signals = smooth(recording.t, q, tau, u, du, smoothing, breaks=recording.breaks)
    except ParameterError as error:
        raise ParameterError(f"{recording.path}: {error}") from None
    names = ("t", "q", "u", "du", "tau", "redundancy", "cutoff", "rate", "runs")
    found = JointMotion(**{name: getattr(signals, name) for name in names}, order=smoothing.order)
    return found, [*remarks, *(_note(recording, note) for note in signals.notes)]


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
) -> tuple[Recording, Floats, Floats | None, Floats | None]:
    """Convert a recording to SI units and the signs of the joints, unless it states its units.

    Returns:
        The recording with its time in seconds, and q, u and du (S, n) of the robot's joints.

    Raises:
        UsageError: It has no positions.
    """
    if recording.t is not None and options.time_unit != "s" and "t" not in recording.stated:
        recording = replace(recording, t=recording.t / CLOCKS[options.time_unit])
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
    if q is None:
        raise UsageError(f"{recording.path}: no q, the positions of the joints")
    return recording, q, u, du


def read_signals(
    recording: Recording,
    columns: Sequence[int],
    gain: Floats,
    options: RecordingOptions,
    robot: Robot,
    unmeasured: Sequence[int] = (),
) -> JointSignals:
    """Read the signals of the joints in SI units; arguments and errors are those of read_motion."""
    recording, q, u, du = convert_units(recording, columns, options, robot)
    tau = None if recording.tau is None else recording.tau[:, columns] * gain
    remarks = _diagnose(recording, (q, tau, u, du), robot, unmeasured)
    if tau is None:
        return JointSignals(recording, q, u, du, None, remarks)
    spikes = find_spikes(tau)
    if spikes.any():
        said = describe_spikes(tau, spikes, robot.joints)
        remarks.append(grade_remark(recording.path, said))
        tau = bridge_spikes(tau, spikes)
    return JointSignals(recording, q, u, du, _advance(recording, tau, options.delay), remarks)


def _advance(recording: Recording, tau: Floats, delay: float) -> Floats:
    """Move torques to the time of their motion; at the ends the last torque is repeated.

    Raises:
        UsageError: The recording has no time.
    """
    if delay == 0:
        return tau
    if recording.t is None:
        raise UsageError(f"{recording.path}: no t, and without it no --delay")
    wanted = recording.t + delay
    return np.stack([np.interp(wanted, recording.t, column) for column in tau.T], axis=1)


def _diagnose(
    recording: Recording,
    signals: tuple[Floats | None, ...],
    robot: Robot,
    unmeasured: Sequence[int],
) -> list[Remark]:
    """Diagnose the signals of a recording.

    Raises:
        ParameterError: They cannot be used.
    """
    q, tau, u, du = signals
    assert q is not None
    try:
        found = diagnose(q, tau, u, du, recording.t, limits=robot.limits, joints=robot.joints)
    except ParameterError as error:
        raise ParameterError(f"{recording.path}: {error}") from None
    return [grade_remark(recording.path, each) for each in drop_constant(found, unmeasured)]


def _note(recording: Recording, message: str) -> Remark:
    return Remark(Severity.NOTE, "signals", f"{recording.path}: {message}")
