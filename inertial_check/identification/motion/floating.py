"""Motions of whole trees: a base that floats, wrenches from outside, closed loops.

Contacts and force plates differ by their columns, axes and points. Closed loops complete the
positions that a recording lacks, and their forces are eliminated from the equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.motion.motion import (
    JointMotion,
    Rows,
    WholeMotion,
    Wrench,
    list_unmeasured,
    read_signals,
    refuse_no_clock,
)
from inertial_check.identification.motion.signals import (
    Signals,
    Smoothing,
    smooth,
)
from inertial_check.identification.options import (
    EVERY_BODY,
    FORCES,
    MOMENTS,
    ContactOptions,
    IdentifyOptions,
)
from inertial_check.identification.recordings.recording import Recording
from inertial_check.identification.robot import (
    Robot,
    are_numbers,
    match_joints,
    resolve_names,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.frames import homogeneous
from inertial_check.mechanics.contacts import generalized_forces
from inertial_check.mechanics.jacobians import poses
from inertial_check.mechanics.kinematics import rates
from inertial_check.mechanics.loops import (
    JointCoupling,
    close_loops,
    loop_drift,
    loop_jacobian,
    loop_residuals,
    null_space,
)
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
    # q and -q are one rotation, but a filter would pass through 0 from one to the other.
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
            message = (
                f"{recording.path}: {wrench.name}: three columns of forces; the moments about "
                "its origin are taken for zero"
            )
            remarks.append(Remark(Severity.NOTE, "point-contact", message))
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
        return find_body(robot, name, what, _OTHER_COLUMNS), None
    named = [frame for frame in robot.model.frames if frame.name == name and frame.body]
    if len(named) != 1:
        return find_body(robot, name, what, _OTHER_COLUMNS), None  # which says what there is
    (frame,) = named
    places = [index for index, body in enumerate(bodies) if body.id == frame.body]
    return places[0], np.asarray(homogeneous(frame.X_BF.R_PB, frame.X_BF.p_PoBo_P))


_OTHER_COLUMNS = "; --contact BODY=COLUMNS"
"""Advice where the names of columns name no body."""


def find_body(robot: Robot, name: str, what: str, advice: str = "") -> int:
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
        raise UsageError(f"{what}: {several}{'' if found else hint}{advice}")
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


def needs_whole_motion(recording: Recording, options: IdentifyOptions, robot: Robot) -> bool:
    """Tell whether the rows of a recording are more than the torques of its joints.

    Raises:
        UsageError: The file holds equations, which have no room for wrenches.
    """
    has_wrenches = any(name.startswith("wrench_") for name in recording.further)
    contacts = options.contacts
    asked = bool(contacts.contact) or contacts.force_plate is not None
    needed = robot.base is not None or has_wrenches or asked or bool(robot.loops)
    if needed and recording.Y is not None and asked:
        raise UsageError(f"{recording.path} has Y, which no wrench is added to: add it to its tau")
    return needed and recording.Y is None


def read_whole_motion(
    recording: Recording, gain: Floats, options: IdentifyOptions, robot: Robot
) -> tuple[JointMotion, list[Remark]]:
    """Make the motion of a whole tree smooth, with the forces of wrenches beside the torques.

    Args:
        recording: Recording with q.
        gain: (n,) factors of the torques.
        options: Options of the identification.
        robot: Robot with these joints.

    Raises:
        UsageError: Columns are lacking, or no torque and no wrench is left.
        ParameterError: Numbers that cannot be used.
    """
    shown, columns = _match_columns(recording, robot)
    wrenches, remarks = read_wrenches(recording, options.contacts, robot)
    places = dict(zip(shown, columns, strict=True))
    measured = _list_quantities(recording, places, wrenches, options, robot)
    unmeasured = [joint for joint in range(len(robot.joints)) if joint not in measured]
    unknown = list_unmeasured(options.robot, robot) if options.robot.unmeasured else []
    lacking = tuple(joint for joint in range(len(robot.joints)) if joint not in places)
    joints = LoopJoints(recording.path, lacking, tuple(measured), tuple(unknown))
    raw, said = _read_shown(recording, places, gain, options, robot, measured)
    remarks += said
    base, said = (None, []) if robot.base is None else read_base(recording, options.contacts)
    if base is not None and said and not wrenches:
        raise UsageError(
            f"{recording.path}: --base floating, and the recording has neither a pose of the base "
            "(base_x base_y base_z base_qw base_qx base_qy base_qz) nor a wrench (wrench_BODY_fx "
            "..., plate_fx ...); --base fixed needs none"
        )
    assert raw.q is not None
    tau = np.zeros_like(raw.q) if raw.tau is None else np.array(raw.tau)
    tau[:, unmeasured] = 0.0
    rows = Rows.of(robot, measured, True)
    if not rows.names:
        raise UsageError(f"{recording.path}: neither a torque nor a base that floats: no equation")
    # (S, 19) pose, twist and acceleration of the base; zeros for rates that were not recorded.
    none, parts = np.zeros((len(tau), 6)), [np.zeros((len(tau), 0))]
    if base is not None:
        given = (none if each is None else each for each in (base.twist, base.acceleration))
        parts = [base.pose, *given]
    packed = np.concatenate(parts, axis=1)
    whole = WholeMotion(rows, measured, packed, np.zeros(0), tuple(wrenches))
    q = complete_positions(robot, whole, raw.q, joints)
    coordinates, _, _ = whole.assemble(robot, q, q, q)
    whole = replace(whole, forces=sum_forces(robot.tree, coordinates, wrenches))
    remarks += said
    if not robot.loops:
        remarks += _remark_on_rows(recording, robot, measured, wrenches)
    smoothing = options.recordings.smoothing
    has_rates = base is None or (base.twist is not None and base.acceleration is not None)
    if raw.u is not None and raw.du is not None and has_rates and smoothing == Smoothing():
        t = np.arange(float(len(tau))) if raw.t is None else raw.t
        notes = ["the motion, torques and wrenches as they are, not filtered"]
        motion = JointMotion(t, q, raw.u, raw.du, tau, whole=whole)
    else:
        refuse_no_clock(raw, smoothing)
        try:
            motion, notes = _smooth_whole(replace(raw, q=q, tau=tau), base, whole, smoothing)
        except ParameterError as error:
            raise ParameterError(f"{recording.path}: {error}") from None
    remarks += [Remark(Severity.NOTE, "signals", f"{recording.path}: {note}") for note in notes]
    if robot.loops:
        motion, said = close_motion(robot, motion, joints)
        remarks += said
    return motion, remarks


def _match_columns(recording: Recording, robot: Robot) -> tuple[list[int], list[int]]:
    """Find the joints that a recording has, and the column of each.

    Raises:
        UsageError: A joint is in no column although no loop tells its position.
    """
    names = resolve_names(recording.joints, robot.every)
    if not robot.loops or names is None or are_numbers(names):
        return list(range(len(robot.joints))), match_joints(recording, robot)
    shown = [joint for joint, name in enumerate(robot.joints) if name in names]
    own = robot._replace(joints=tuple(robot.joints[joint] for joint in shown))
    return shown, match_joints(recording, own)


def _read_shown(
    recording: Recording,
    places: Mapping[int, int],
    gain: Floats,
    options: IdentifyOptions,
    robot: Robot,
    measured: Sequence[int],
) -> tuple[Recording, list[Remark]]:
    """Read the signals of the joints that a recording has; those of the others are zero."""
    shown = list(places)
    own = robot._replace(
        joints=tuple(robot.joints[joint] for joint in shown),
        units=tuple(robot.units[joint] for joint in shown),
        limits=robot.limits[shown],
    )
    without = [place for place, joint in enumerate(shown) if joint not in measured]
    given = recording if measured else replace(recording, tau=None)
    columns = list(places.values())
    raw, said = read_signals(given, columns, gain[shown], options.recordings, own, without)

    def spread(signal: Floats | None) -> Floats | None:
        if signal is None:
            return None
        whole = np.zeros((len(signal), len(robot.joints)))
        whole[:, shown] = signal
        return whole

    q, u, du, tau = map(spread, (raw.q, raw.u, raw.du, raw.tau))
    return replace(raw, q=q, u=u, du=du, tau=tau), said


def _list_quantities(
    recording: Recording,
    places: Mapping[int, int],
    wrenches: Sequence[Wrench],
    options: IdentifyOptions,
    robot: Robot,
) -> tuple[int, ...]:
    """List the joints whose equations can be used: their torque is measured, and all wrenches."""
    if recording.tau is None or any(wrench.only_base for wrench in wrenches):
        return ()
    given_up = list_unmeasured(options.robot, robot) if options.robot.unmeasured else []
    return tuple(
        joint
        for joint, column in places.items()
        if joint not in given_up and column not in recording.unmeasured
    )


def _remark_on_rows(
    recording: Recording, robot: Robot, measured: Sequence[int], wrenches: Sequence[Wrench]
) -> list[Remark]:
    """Remark on joints without a row, and on a base on which nothing seems to act."""
    found = []
    lacking = [name for joint, name in enumerate(robot.joints) if joint not in measured]
    if lacking:
        names = ", ".join(lacking[:12]) + (", ..." if len(lacking) > 12 else "")
        why = "the torque is not measured"
        if any(wrench.only_base for wrench in wrenches):
            why = "which bodies touch the force plate is not known"
        message = f"{recording.path}: {names}: {why}; these rows are left out of the fit"
        found.append(Remark(Severity.NOTE, "unmeasured", message))
    if robot.base is not None and not wrenches:
        message = (
            f"{recording.path}: no wrench acts on the robot: its base falls freely, or columns "
            "wrench_BODY_fx ... or plate_fx ... are lacking; --contact BODY=COLUMNS names others"
        )
        found.append(Remark(Severity.WARNING, "no-wrench", message))
    return found


def _smooth_whole(
    raw: Recording, base: BaseSignals | None, whole: WholeMotion, smoothing: Smoothing
) -> tuple[JointMotion, list[str]]:
    """Pass joints, base, torques and wrenches through one filter."""
    t, q, tau, breaks = raw.t, raw.q, raw.tau, raw.breaks
    assert q is not None
    assert tau is not None
    count, n = q.shape
    pose = np.zeros((count, 0)) if base is None else base.pose
    moves = np.concatenate([q, pose], axis=1)
    every = [tau, whole.forces, *(wrench.values for wrench in whole.wrenches)]
    forces = np.concatenate(every, axis=1)
    # The filter takes as many columns of forces as of positions.
    moves, forces = pad(moves, forces.shape[1]), pad(forces, moves.shape[1])
    passed = smooth(t, moves, forces, how=smoothing, breaks=breaks)
    again = replace(smoothing, cutoff=passed.cutoff)
    u, du = passed.u[:, :n], passed.du[:, :n]
    notes = list(passed.notes)
    if raw.u is not None:
        own = smooth(t, q, tau, raw.u, raw.du, again, breaks=breaks)
        u, du, notes = own.u, own.du, list(own.notes)
    moved = np.zeros((len(passed.t), 0))
    if base is not None:
        moved = _smooth_base(raw, base, passed, n, again)
        how = "measured" if base.twist is not None else "derivative of its pose"
        notes.append(f"base: twist: {how}")
    ends = np.cumsum([n, whole.forces.shape[1], *(6 for _ in whole.wrenches)]).tolist()
    parts = np.split(passed.tau[:, : ends[-1]], ends[:-1], axis=1)
    wrenches = tuple(
        wrench._replace(values=values)
        for wrench, values in zip(whole.wrenches, parts[2:], strict=True)
    )
    motion = JointMotion(
        passed.t,
        passed.q[:, :n],
        u,
        du,
        parts[0],
        passed.redundancy,
        passed.cutoff,
        passed.rate,
        smoothing.order,
        passed.runs,
        replace(whole, base=moved, forces=parts[1], wrenches=wrenches),
    )
    return motion, notes


def _smooth_base(
    recording: Recording, base: BaseSignals, passed: Signals, n: int, smoothing: Smoothing
) -> Floats:
    """(S, 19) smooth pose, twist and acceleration of the base.

    Args:
        recording: Recording with the time of the samples.
        base: Signals as recorded.
        passed: Smooth signals, among them the pose behind the joints.
        n: Number of joints.
        smoothing: Filter that all signals passed.
    """
    t, breaks, own = recording.t, recording.breaks, slice(n, n + 7)
    pose, twist, acceleration = normalize_rates(
        passed.q[:, own], passed.u[:, own], passed.du[:, own]
    )
    if base.twist is not None:
        measured = smooth(
            t, base.twist, base.twist, base.acceleration, how=smoothing, breaks=breaks
        )
        twist, acceleration = measured.q, measured.u
    return np.concatenate([pose, twist, acceleration], axis=1)


def pad(signals: Floats, width: int) -> Floats:
    """Pad signals (S, a) by columns of zeros to this width at least."""
    further = max(width - signals.shape[1], 0)
    return np.concatenate([signals, np.zeros((len(signals), further))], axis=1)


MISMATCH = 0.05
"""Distance by which recorded positions leave a loop open, relative to the mechanism, from which on
they are not those of the robot; sensors and calibration leave a hundredth."""


class LoopJoints(NamedTuple):
    """Joints of a robot with loops, by what a recording has of them.

    Attributes:
        path: Path of the recording.
        lacking: Indices of the joints whose positions the loops have to tell.
        driven: Indices of the joints whose torque is measured; others are passive.
        unknown: Indices of the joints with motors whose torque is not measured.
    """

    path: str
    lacking: tuple[int, ...]
    driven: tuple[int, ...]
    unknown: tuple[int, ...]


def close_motion(
    robot: Robot, motion: JointMotion, joints: LoopJoints
) -> tuple[JointMotion, list[Remark]]:
    """Complete a motion by its loops, and find the equations without their forces.

    Raises:
        UsageError: The loops do not close, or leave a position or every motion open.
    """
    whole = motion.whole
    assert whole is not None
    if joints.lacking:
        motion = _solve(robot, motion, joints)
    q, _, _ = whole.assemble(robot, motion.q, motion.u, motion.du)
    remarks = _judge_closure(robot, q, joints, motion.t)
    A = loop_jacobian(robot.loop_tree, q, robot.loops)
    held = np.zeros((len(q), len(joints.unknown), robot.tree.n_u))
    for row, joint in enumerate(joints.unknown):  # virtual motions that leave this motor still
        held[:, row, robot.velocities[joint]] = 1.0
    preferred = [robot.velocities[joint] for joint in joints.driven]
    if robot.base is not None:
        own = robot.tree.velocities[robot.base]
        preferred += range(own.start, own.stop)
    try:
        found = null_space(np.concatenate([A, held], axis=1), preferred)
    except ParameterError as error:
        raise UsageError(f"{joints.path}: {error}") from None
    count = int(found.singular.sum())
    if count:
        message = (
            f"{joints.path}: {count} of {len(q)} samples are near a singular configuration of the "
            "closed loops and are left out of the fit"
        )
        remarks.append(Remark(Severity.NOTE, "singular", message))
    rows = Rows.of_velocities(robot, found.independent.tolist())
    friction = [j for j in joints.driven if robot.velocities[j] in rows.velocities]
    changed = replace(
        whole, rows=rows, joints=tuple(friction), maps=np.swapaxes(found.N, 1, 2).copy()
    )
    passive = [name for joint, name in enumerate(robot.joints) if joint not in joints.driven]
    names = ", ".join(loop.name for loop in robot.loops[:8])
    message = (
        f"{joints.path}: closed loops: {names}; their forces are eliminated: equations of "
        f"{', '.join(rows.names)}; without a torque: {', '.join(passive) or 'none'}"
    )
    remarks.append(Remark(Severity.NOTE, "loops", message))
    return replace(motion, whole=changed), remarks


def complete_positions(robot: Robot, whole: WholeMotion, q: Floats, joints: LoopJoints) -> Floats:
    """(S, n) positions of all joints, those that are lacking by the closure of the loops."""
    if not joints.lacking:
        return q
    coordinates, _, _ = whole.assemble(robot, q, q, q)
    unknown = [robot.velocities[joint] for joint in joints.lacking]
    closed = close_loops(robot.loop_tree, coordinates, robot.loops, unknown)
    _refuse_open(robot, closed, joints)
    return closed[:, list(robot.coordinates)]


def _solve(robot: Robot, motion: JointMotion, joints: LoopJoints) -> JointMotion:
    """Solve the loops for the positions, velocities and accelerations that are lacking.

    Raises:
        UsageError: They do not decide them.
    """
    whole = motion.whole
    assert whole is not None
    position = complete_positions(robot, whole, motion.q, joints)
    unknown = [robot.velocities[joint] for joint in joints.lacking]
    q, u, du = whole.assemble(robot, position, motion.u, motion.du)
    u[:, unknown] = du[:, unknown] = 0.0
    A = loop_jacobian(robot.loop_tree, q, robot.loops)
    own = A[:, :, unknown]
    sizes = np.median(np.linalg.svd(own, compute_uv=False), axis=0)
    if own.shape[1] < len(unknown) or sizes[-1] <= tolerances.LOOP_RANK * sizes[0]:
        names = ", ".join(robot.joints[joint] for joint in joints.lacking)
        raise UsageError(
            f"{joints.path}: the positions of {names} are not recorded, and the closed loops do "
            "not tell all of them: record them, or hold the "
            "joints that no recording has by --locked others"
        )
    inverse = np.linalg.pinv(own)
    u[:, unknown] = -np.einsum("sij,sj->si", inverse, np.einsum("sij,sj->si", A, u))
    drift = loop_drift(robot.loop_tree, q, u, robot.loops)
    du[:, unknown] = -np.einsum("sij,sj->si", inverse, np.einsum("sij,sj->si", A, du) + drift)
    own_u = list(robot.velocities)
    return replace(motion, q=position, u=u[:, own_u], du=du[:, own_u])


def _measure_size(tree: Tree) -> float:
    """Longest distance between the origins of two joined bodies [m]; 1 if all coincide."""
    return float(np.linalg.norm(tree.X_PB[:, :3, 3], axis=1).max(initial=0.0)) or 1.0


def _refuse_open(robot: Robot, q: Floats, joints: LoopJoints) -> None:
    """Refuse positions at which a loop is not closed.

    Raises:
        UsageError: The message names the loop and the first sample.
    """
    for loop in robot.loops:
        left = np.abs(loop_residuals(robot.loop_tree, q, [loop])).max(axis=1, initial=0.0)
        scale = 1.0 if isinstance(loop, JointCoupling) else _measure_size(robot.tree)
        bad = np.flatnonzero(~(left <= tolerances.LOOP_OPEN * scale))
        if len(bad):
            names = ", ".join(robot.joints[joint] for joint in joints.lacking)
            raise UsageError(
                f"{joints.path}: sample {bad[0]}: {loop.name} cannot be closed: {left[bad[0]]:.3g} "
                f"is left, in {len(bad)} of {len(q)} samples; the positions of {names} are not "
                "recorded, and no position of them fits those of the other joints"
            )


def _judge_closure(robot: Robot, q: Floats, joints: LoopJoints, t: Floats) -> list[Remark]:
    """Remark on recorded positions that leave a loop open."""
    remarks = []
    for loop in robot.loops:
        left = np.abs(loop_residuals(robot.loop_tree, q, [loop])).max(axis=1, initial=0.0)
        scale = 1.0 if isinstance(loop, JointCoupling) else _measure_size(robot.tree)
        if np.median(left) > MISMATCH * scale:
            worst = int(np.argmax(left))
            message = (
                f"{joints.path}: the recorded positions leave {loop.name} open by "
                f"{np.median(left):.3g} in the median, {left[worst]:.3g} at t = {t[worst]:.6g}: "
                "they are of other joints, or count from elsewhere; without the columns of passive "
                "joints they are computed"
            )
            remarks.append(Remark(Severity.ERROR, "open-loop", message))
    return remarks
