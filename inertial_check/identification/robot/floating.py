"""Reader of recordings of a whole tree: a base that floats, wrenches from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.motion.motion import (
    BaseSignals,
    JointMotion,
    JointSignals,
    Rows,
    WholeMotion,
    Wrench,
    normalize_rates,
    read_base,
    read_signals,
    read_wrenches,
    refuse_no_clock,
    sum_forces,
)
from inertial_check.identification.motion.reading import list_unmeasured
from inertial_check.identification.motion.signals import Signals, Smoothing, smooth
from inertial_check.identification.options import IdentifyOptions
from inertial_check.identification.recordings.recording import Recording
from inertial_check.identification.robot.loops import LoopJoints, close_motion, complete_positions
from inertial_check.identification.robot.robot import (
    Robot,
    are_numbers,
    match_joints,
    resolve_names,
)
from inertial_check.inertia.arrays import Floats
from inertial_check.reports.identification_types import Remark


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


def motions_without_torque(motions: Sequence[JointMotion], robot: Robot) -> list[int]:
    """List the joints whose torque whole motions do not have."""
    whole = motions[0].whole if motions else None
    if whole is None:
        return []
    return [joint for joint in range(len(robot.joints)) if joint not in whole.joints]


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
    raw = _read_shown(recording, places, gain, options, robot, measured)
    base, said = (None, []) if robot.base is None else read_base(recording, options.contacts)
    if base is not None and said and not wrenches:
        raise UsageError(
            f"{recording.path}: --base floating, and the recording has neither a pose of the base "
            "(base_x base_y base_z base_qw base_qx base_qy base_qz) nor a wrench (wrench_BODY_fx "
            "..., plate_fx ...); --base fixed needs none"
        )
    tau = np.zeros_like(raw.q) if raw.tau is None else np.array(raw.tau)
    tau[:, unmeasured] = 0.0
    rows = Rows.of(robot, measured, True)
    if not rows.names:
        raise UsageError(f"{recording.path}: neither a torque nor a base that floats: no equation")
    whole = WholeMotion(rows, measured, _pack_base(base, len(tau)), np.zeros(0), tuple(wrenches))
    raw = raw._replace(q=complete_positions(robot, whole, raw.q, joints))
    coordinates, _, _ = whole.assemble(robot, raw.q, raw.q, raw.q)
    whole = replace(whole, forces=sum_forces(robot.tree, coordinates, wrenches))
    remarks += [*raw.remarks, *said]
    if not robot.loops:
        remarks += _remark_on_rows(recording, robot, measured, wrenches)
    smoothing = options.recordings.smoothing
    has_rates = raw.u is not None and raw.du is not None
    if base is not None:
        has_rates &= base.twist is not None and base.acceleration is not None
    if has_rates and smoothing == Smoothing():
        t = np.arange(float(len(tau))) if raw.recording.t is None else raw.recording.t
        message = f"{recording.path}: the motion, torques and wrenches as they are, not filtered"
        remarks.append(Remark(Severity.NOTE, "signals", message))
        assert raw.u is not None
        assert raw.du is not None
        motion = JointMotion(t, raw.q, raw.u, raw.du, tau, whole=whole)
        return _close(robot, motion, joints, remarks)
    refuse_no_clock(raw.recording, smoothing)
    try:
        motion, notes = _smooth_whole(raw._replace(tau=tau), base, whole, smoothing)
    except ParameterError as error:
        raise ParameterError(f"{recording.path}: {error}") from None
    remarks += [Remark(Severity.NOTE, "signals", f"{recording.path}: {note}") for note in notes]
    return _close(robot, motion, joints, remarks)


def _close(
    robot: Robot, motion: JointMotion, joints: LoopJoints, remarks: list[Remark]
) -> tuple[JointMotion, list[Remark]]:
    """Complete a motion by the closed loops of its robot, if it has some."""
    if not robot.loops:
        return motion, remarks
    closed, said = close_motion(robot, motion, joints)
    return closed, [*remarks, *said]


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
) -> JointSignals:
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
    raw = read_signals(given, columns, gain[shown], options.recordings, own, without)

    def spread(signal: Floats | None) -> Floats | None:
        if signal is None:
            return None
        whole = np.zeros((len(signal), len(robot.joints)))
        whole[:, shown] = signal
        return whole

    q = spread(raw.q)
    assert q is not None
    return raw._replace(q=q, u=spread(raw.u), du=spread(raw.du), tau=spread(raw.tau))


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


def _pack_base(base: BaseSignals | None, count: int) -> Floats:
    """(S, 19) pose, twist and acceleration; zeros for rates that were not recorded."""
    if base is None:
        return np.zeros((count, 0))
    none = np.zeros((count, 6))
    twist, acceleration = (none if x is None else x for x in (base.twist, base.acceleration))
    return np.concatenate([base.pose, twist, acceleration], axis=1)


def _smooth_whole(
    raw: JointSignals, base: BaseSignals | None, whole: WholeMotion, smoothing: Smoothing
) -> tuple[JointMotion, tuple[str, ...]]:
    """Pass joints, base, torques and wrenches through one filter."""
    t, q, tau, breaks = raw.recording.t, raw.q, raw.tau, raw.recording.breaks
    assert tau is not None
    count, n = q.shape
    pose = np.zeros((count, 0)) if base is None else base.pose
    forces = [tau, whole.forces, *(wrench.values for wrench in whole.wrenches)]
    passed = smooth(
        t,
        *_pad(np.concatenate([q, pose], axis=1), np.concatenate(forces, axis=1)),
        how=smoothing,
        breaks=breaks,
    )
    again = replace(smoothing, cutoff=passed.cutoff)
    u, du = passed.u[:, :n], passed.du[:, :n]
    notes = list(passed.notes)
    if raw.u is not None:
        own = smooth(t, q, tau, raw.u, raw.du, again, breaks=breaks)
        u, du, notes = own.u, own.du, list(own.notes)
    moved = np.zeros((len(passed.t), 0))
    if base is not None:
        moved = _smooth_base(raw.recording, base, passed, n, again)
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
    return motion, tuple(notes)


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


def _pad(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Pad two arrays (S, a) and (S, b) by columns of zeros to the same width."""
    width = max(first.shape[1], second.shape[1])
    return tuple(  # type: ignore[return-value]
        np.concatenate([each, np.zeros((len(each), width - each.shape[1]))], axis=1)
        for each in (first, second)
    )
