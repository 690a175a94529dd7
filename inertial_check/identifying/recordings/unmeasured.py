"""Joints whose motion is recorded and whose torque is not: their rows are left out of the fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identification.estimation.sampled import Block, Samples
from inertial_check.identification.recordings.signal_remark import SignalRemark
from inertial_check.identifying.options import RobotOptions
from inertial_check.identifying.robot.robot import Robot
from inertial_check.model import Severity
from inertial_check.model.identified import Remark


def list_unmeasured(options: RobotOptions, robot: Robot) -> list[int]:
    """List the indices of the joints that --unmeasured names.

    Raises:
        UsageError: No joint has such a name, or no torque is left.
    """
    found = sorted({robot.joint(name, "--unmeasured") for name in options.unmeasured})
    if len(found) == len(robot.joints):
        raise UsageError("--unmeasured names every joint, so there is no torque to identify from")
    return found


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


def leave_out_rows(samples: Samples, unmeasured: Sequence[int]) -> Samples:
    """Set the rows of unmeasured joints to 0 in all equations, so that they say nothing."""
    if not unmeasured:
        return samples

    def source() -> Iterator[Block]:
        for Y, F, tau in samples.source():
            yield _clear(Y, unmeasured), _clear(F, unmeasured), _clear(tau, unmeasured)

    return replace(samples, source=source)


def _clear(array: Floats, rows: Sequence[int]) -> Floats:
    cleared = np.array(array)
    cleared[:, list(rows)] = 0.0
    return cleared


def drop_constant(remarks: Sequence[SignalRemark], unmeasured: Sequence[int]) -> list[SignalRemark]:
    """Drop the remark that torques are constant, where these are only the unmeasured ones."""
    return [
        each
        for each in remarks
        if each.kind != "constant"
        or not set(np.flatnonzero(np.isfinite(each.values["torque"])).tolist()) <= set(unmeasured)
    ]


def remark_on_unmeasured(robot: Robot, unmeasured: Sequence[int]) -> list[Remark]:
    """Remark on joints whose rows are left out."""
    if not unmeasured:
        return []
    names = ", ".join(robot.joints[joint] for joint in unmeasured)
    message = f"{names}: the torque is not measured; its rows are left out of every fit"
    return [Remark(Severity.NOTE, "unmeasured", message)]
