"""Reading of recordings as samples, with the remarks on their signals and equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identification.estimation.reduction import list_columns
from inertial_check.identification.recordings.signals import MOST_OF_NYQUIST
from inertial_check.identifying.floating.whole_recordings import (
    needs_whole_motion,
    read_whole_motion,
)
from inertial_check.identifying.options import UNKNOWN, IdentifyOptions
from inertial_check.identifying.recordings.matching import match_joints
from inertial_check.identifying.recordings.motion import read_motion
from inertial_check.identifying.recordings.reading import remark_on_others, remark_on_reading
from inertial_check.identifying.recordings.recorded_samples import (
    EquationSamples,
    MotionSamples,
    RecordedSamples,
)
from inertial_check.identifying.recordings.unmeasured import clear_unmeasured, list_unmeasured
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia.representations import Order
from inertial_check.model import Severity
from inertial_check.model.identified import Remark

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
    gain = _read_gain(options.recordings.gain, robot)
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


def _read_gain(gain: tuple[float, ...] | str | None, robot: Robot) -> Floats:
    """(n,) factors of the torques.

    Raises:
        UsageError: Their number does not fit the joints, or one is 0 or not finite.
    """
    given = np.array([1.0] if gain is None or gain == UNKNOWN else gain)
    if len(given) not in (1, len(robot.joints)):
        raise UsageError(
            f"--gain has {len(given)} numbers, expected one, or one for each of the "
            f"{len(robot.joints)} joints: {', '.join(robot.joints)}"
        )
    if not np.all(np.isfinite(given) & (given != 0)):
        raise UsageError(f"--gain is {given.tolist()}, expected finite numbers other than 0")
    return np.broadcast_to(given, (len(robot.joints),))
