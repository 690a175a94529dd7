"""From files to runs: joints matched, one filter for all, a part held out, friction declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording, read_recording
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.recordings.signals import MOST_OF_NYQUIST
from inertial_check.identifying.motion import motion_of
from inertial_check.identifying.request import Request
from inertial_check.identifying.robot import Robot
from inertial_check.identifying.runs import Given, Moved, Rows, Run, Runs
from inertial_check.identifying.torques import nuisance_of
from inertial_check.inertia.representations import Order
from inertial_check.model import Severity
from inertial_check.model.identified import Remark

STRETCHES = 5
"""Of a recording: each gives its end for validation, so that what is held out is like the rest, and
only a few samples have neighbours on the other side."""

STILL = 1e-3
"""Of the speed of the fastest joint of its kind: a slower one shows no friction but noise."""


def read_runs(request: Request, robot: Robot) -> Runs:
    """The recordings of a request.

    Raises:
        DocumentError: A file cannot be read, or holds no recording.
        UsageError: It is not of this robot, or an option does not fit it.
        ParameterError: Its numbers cannot be used: time that runs backwards, only zeros.
    """
    recordings = [read_recording(path) for path in (*request.data, *request.validation)]
    _refuse_mixed(recordings)
    remarks: list[Remark] = []
    rows = _all_rows(recordings, request, robot, remarks)
    nuisance = _nuisance(rows[: len(request.data)], request, robot, remarks)
    rows = [own.smooth(nuisance) if isinstance(own, Moved) else own for own in rows]
    train: list[tuple[str, Rows]] = []
    kept: list[tuple[str, Rows]] = []
    for path, own in zip(request.data, rows, strict=False):
        held = _held_out(len(own), request.holdout)
        if held.all():
            raise UsageError(f"--holdout {request.holdout:g} leaves nothing of {path} to be fitted")
        train.append((path, own.part(~held) if held.any() else own))
        if held.any():
            kept.append((f"{path}, held out", own.part(held)))
    kept += zip(request.validation, rows[len(request.data) :], strict=True)
    return Runs(
        tuple(Run(path, own, own.samples(request, robot, nuisance)) for path, own in train),
        tuple(Run(path, own, own.samples(request, robot, nuisance)) for path, own in kept),
        robot.joints,
        tuple(dict.fromkeys(remarks)),
    )


def _held_out(count: int, part: float) -> Mask:
    """(count,) which samples are kept for validation: this part of each stretch, at its end."""
    held = np.zeros(count, dtype=bool)
    ends = np.linspace(0, count, STRETCHES + 1).round().astype(int).tolist()
    for start, end in pairwise(ends):
        held[end - round(part * (end - start)) : end] = True
    return held


def _nuisance(
    train: Sequence[Rows], request: Request, robot: Robot, remarks: list[Remark]
) -> Nuisance:
    """What stands beside the bodies; friction of joints only that move."""
    motions = [own.motion for own in train if isinstance(own, Moved)]
    if not motions:
        return Nuisance()
    fastest = np.max([np.abs(motion.u).max(axis=0) for motion in motions], axis=0)
    alike = np.equal.outer(robot.units, robot.units)
    moves = fastest > STILL * np.max(np.where(alike, fastest, 0.0), axis=1)
    still = [name for name, own in zip(robot.joints, moves.tolist(), strict=True) if not own]
    if still:
        remarks.append(
            Remark(
                Severity.WARNING,
                "no-friction",
                f"{', '.join(still)}: never moved, so without friction and rotor inertia here",
            )
        )
    return nuisance_of(request, robot, np.flatnonzero(moves).tolist())


def _refuse_mixed(recordings: Sequence[Recording]) -> None:
    """Refuse recordings whose equations could not be of the same parameters.

    Raises:
        UsageError: Names two that differ.
    """
    first = recordings[0]
    for other in recordings[1:]:
        if (first.Y is None) != (other.Y is None):
            raise UsageError(
                f"{first.path} has {'q' if first.Y is None else 'Y'} and {other.path} has "
                f"{'q' if other.Y is None else 'Y'}: give recordings of one kind"
            )
        beside = [0 if each.F is None else each.F.shape[2] for each in (first, other)]
        if beside[0] != beside[1] or first.columns != other.columns:
            raise UsageError(
                f"F of {first.path} and of {other.path} have other columns: {beside[0]} and "
                f"{beside[1]}, or other names"
            )


def _all_rows(
    recordings: Sequence[Recording], request: Request, robot: Robot, remarks: list[Remark]
) -> list[Rows]:
    """The samples of all recordings, which pass the same filter: their residuals are compared.

    Where no cut-off is asked for it is the highest that suits a recording to be fitted, but not
    above what the slowest clock of all allows.
    """
    found = [_rows(each, request, robot) for each in recordings]
    motions = [own.motion for own, _ in found if isinstance(own, Moved)]
    fitted = [motion.cutoff for motion in motions[: len(request.data)]]
    if fitted and request.smoothing.cutoff is None and max(fitted) < inf:
        limits = [MOST_OF_NYQUIST * each.rate / 2 for each in motions if each.rate is not None]
        common = replace(request.smoothing, cutoff=min(max(fitted), *limits))
        again = replace(request, smoothing=common)
        for place, motion in enumerate(motions):
            if motion.cutoff not in (common.cutoff, inf):
                found[place] = _rows(recordings[place], again, robot)
    for _, said in found:
        remarks += said
    return [own for own, _ in found]


USUAL_ORDER: Order = "urdf"
"""Of the columns of a given Y where none is declared, as in inertial_check.identify; and said."""


def _rows(recording: Recording, request: Request, robot: Robot) -> tuple[Rows, list[Remark]]:
    """The samples of a recording in the order of the robot's joints."""
    remarks = []
    if recording.ignored:
        message = f"{recording.path}: not used: {', '.join(recording.ignored)}"
        remarks.append(Remark(Severity.NOTE, "not-used", message))
    places = matched(recording, robot)
    gain = _gain(request.gain, robot)
    if recording.Y is None:
        if request.order is not None:
            raise UsageError(f"--order is for a given Y, and {recording.path} has q")
        motion, said = motion_of(recording, places, gain, request, robot)
        return Moved(motion), [*remarks, *said]
    given = _given(recording, places, gain, request, robot)
    return given, [*remarks, *_said_of_equations(request)]


def _given(
    recording: Recording, places: list[int], gain: Floats, request: Request, robot: Robot
) -> Given:
    """The equations of a file, looked over.

    Raises:
        UsageError: Y is of other bodies.
    """
    Y, tau, F = recording.Y, recording.tau, recording.F
    assert Y is not None
    assert tau is not None
    count, every = Y.shape[2] // 10, len(robot.model.bodies)
    if count == every and count != len(robot.bodies):  # the others do not move, or have no mass
        own = 10 * np.array(robot.bodies, dtype=np.intp)[:, None] + np.arange(10)
        Y = Y[:, :, own.ravel()]
    elif count != len(robot.bodies):
        raise UsageError(
            f"{recording.path}: Y has columns of {count} bodies, and the robot has "
            f"{len(robot.bodies)} with mass that joints move: {', '.join(robot.names)}; or of all "
            f"{every} of the file"
        )
    beside = np.zeros((*tau.shape, 0)) if F is None else F
    order = request.order or USUAL_ORDER
    return Given(Y[:, places], tau[:, places] * gain, beside[:, places], recording.columns, order)


def _said_of_equations(request: Request) -> list[Remark]:
    """What was taken for granted of given equations, and what options have no effect on them."""
    said = []
    if request.order is None:
        said.append(
            Remark(
                Severity.WARNING,
                "order",
                f"no --order: the last six columns of each body in Y are taken for {USUAL_ORDER} "
                "(xx xy xz yy yz zz), about the body origins",
            )
        )
    if request.friction or request.coupling or request.friction_prior:
        said.append(
            Remark(
                Severity.WARNING,
                "friction-not-used",
                "--friction, --friction-prior and --coupling need the motion, and Y is given: F in "
                "the same file holds such columns",
            )
        )
    return said


def matched(recording: Recording, robot: Robot) -> list[int]:
    """Which column of the recording each joint of the robot is.

    Raises:
        UsageError: They are not the same joints.
    """
    count, names = len(robot.joints), recording.joints
    if names is None or _numbered(names):
        if recording.count == len(robot.every):
            return [place for place, name in enumerate(robot.every) if name in robot.joints]
        if recording.count != count:
            raise UsageError(
                f"{recording.path}: {recording.count} joints, and the robot has {count} that move: "
                f"{', '.join(robot.joints)}; --locked JOINT holds those that were not recorded"
            )
        return list(range(count))
    missing = [joint for joint in robot.joints if joint not in names]
    if missing:
        raise UsageError(
            f"{recording.path}: nothing of {', '.join(missing)}; it has {', '.join(names)}, and "
            f"the robot {', '.join(robot.joints)}; --locked JOINT holds those that were not "
            "recorded"
        )
    further = [name for name in names if name not in robot.every]
    if further:
        raise UsageError(
            f"{recording.path}: {', '.join(further)}: no such joint of the robot moves; there are "
            f"{', '.join(robot.joints)}"
        )
    return [names.index(joint) for joint in robot.joints]


def _numbered(names: Sequence[str]) -> bool:
    """Whether the names are only the joints' numbers."""
    return [name.strip() for name in names] in (
        [str(number) for number in range(len(names))],
        [str(number) for number in range(1, len(names) + 1)],
    )


def _gain(gain: tuple[float, ...] | None, robot: Robot) -> Floats:
    """(n,) what the torques are multiplied by.

    Raises:
        UsageError: As many numbers as there are no joints.
    """
    given = np.array([1.0] if gain is None else gain)
    if len(given) not in (1, len(robot.joints)):
        raise UsageError(
            f"--gain has {len(given)} numbers, expected one, or one for each of the "
            f"{len(robot.joints)} joints: {', '.join(robot.joints)}"
        )
    if not np.all(np.isfinite(given) & (given != 0)):
        raise UsageError(f"--gain is {given.tolist()}, expected finite numbers other than 0")
    return np.broadcast_to(given, (len(robot.joints),))
