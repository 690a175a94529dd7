"""Writing of the robot's file with identified bodies, or the reason why it is left as it is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from inertial_check.errors import UsageError
from inertial_check.model import Severity
from inertial_check.model.identified import Remark, WrittenBody, WrittenJoint, WrittenModel

if TYPE_CHECKING:
    from inertial_check.fixing.joints import JointsFix
    from inertial_check.fixing.result import Fix

DRY_RUN = "it would be, without --dry-run"
"""Reason why a dry run does not write a file."""


def is_failing(remarks: Sequence[Remark], fail_on: str) -> bool:
    """Tell whether a remark is at or above the severity that --fail-on names, or "never"."""
    if fail_on == "never":
        return False
    return any(each.severity >= Severity[fail_on.upper()] for each in remarks)


def explain_withholding(args: argparse.Namespace, remarks: Sequence[Remark]) -> str:
    """Explain which remarks keep a file from being written; "" if none does."""
    errors = any(each.severity == Severity.ERROR for each in remarks)
    if args.force or not (errors or is_failing(remarks, args.fail_on)):
        return ""
    least = "errors" if errors else f"remarks at or above --fail-on {args.fail_on}"
    return f"there are {least}; --force writes it"


def write_model(
    args: argparse.Namespace,
    fix: Fix,
    remarks: Sequence[Remark],
    joints: JointsFix | None = None,
) -> tuple[WrittenModel, str]:
    """Write the robot's file: all bodies or none, and with --dry-run only their diff.

    Args:
        args: Arguments of the command line.
        fix: The robot's file with the identified bodies.
        remarks: Remarks on the identification, which may withhold the file.
        joints: Numbers of the joints that are in the file, too; None for none.

    Returns:
        The result for the report, and the reason if the file cannot be written; else "".
    """
    diff, failure = "", ""
    reason = explain_withholding(args, remarks) or _explain_incomplete(fix, joints)
    if not reason:
        try:
            if args.dry_run:
                fix.check_write(args.output)
                reason, diff = DRY_RUN, fix.diff()
            else:
                fix.write(args.output)
        except UsageError as error:
            failure = reason = str(error)
    written = WrittenModel(
        path=fix.source.path if args.output is None else args.output,
        done=not reason,
        reason=reason,
        complete=fix.complete and (joints is None or joints.complete),
        bodies=tuple(WrittenBody(body.name, body.status, body.reason) for body in fix.bodies),
        diff=diff,
        joints=() if joints is None else tuple(WrittenJoint(*each[:4]) for each in joints.joints),
    )
    return written, failure


def _explain_incomplete(fix: Fix, joints: JointsFix | None) -> str:
    """Explain which bodies or joints the file cannot state; "" if it can state all."""
    from inertial_check.fixing.result import INTACT

    if not fix.complete:
        left = [body.name for body in fix.bodies if body.status not in (*INTACT, "withheld")]
        return f"all bodies are written or none, and {', '.join(left)} cannot be"
    if joints is not None and not joints.complete:
        left = [joint.name for joint in joints.joints if joint.status == "refused"]
        return f"joints {', '.join(left)} cannot be written; without --write-joints bodies are"
    return ""
