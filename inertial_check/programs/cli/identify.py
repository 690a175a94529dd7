"""Identify the inertial parameters of a robot from the recorded torques of its joints.

The torques are linear in the ten parameters of each body. All bodies are fitted together, each
constrained to be physically consistent; the prior decides what the data leave open. Prints the
result and how far it can be trusted; writes no robot file unless -o or --write is given.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.errors import UsageError
from inertial_check.programs.cli import output
from inertial_check.programs.cli.identify_options import add_arguments
from inertial_check.programs.cli.payload import (
    is_failing,
    read_options,
    run_from_base,
    run_payload,
    write_model,
)

if TYPE_CHECKING:
    from inertial_check.identification.command import RobotIdentification
    from inertial_check.reports.identification_types import IdentificationReport

__all__ = ["add_arguments", "run"]


def run(args: argparse.Namespace) -> int:
    """Identify the bodies, write the files that were asked for, and return the exit code."""
    from inertial_check.identification.command import identify_robot
    from inertial_check.reports import View
    from inertial_check.reports.identification import render

    _refuse_same_files(args)
    if args.write_joints and not (args.write or args.output is not None or args.dry_run):
        raise UsageError("--write-joints adds to what -o FILE or --write writes: give one of them")
    if args.from_base is not None:
        return run_from_base(args, read_options(args))
    if not args.data:
        raise UsageError("the following arguments are required: DATA, or --from-base FILE")
    if args.payload is not None:
        return run_payload(args, read_options(args))
    if args.wrench is not None:
        raise UsageError("--wrench is of a payload: give --payload LINK")
    if args.plot is not None:
        from inertial_check.reports import plots

        plots.check_target(args.plot, folder=True)
    found = identify_robot(read_options(args))
    report, failure = found.report, ""
    failed = is_failing(report.remarks, args.fail_on)
    if args.write or args.output is not None or args.dry_run:
        report, failure = _write_model(args, found)
    if args.plot is not None and not args.dry_run:
        found.plot(args.plot)
    code = _exit_code(report, failed, failure)
    view = View(
        exit_code=code,
        color=output.wants_color(args.color, None if args.output_file else sys.stdout),
        summary=not args.quiet,
        verbose=args.verbose,
    )
    target = None if args.dry_run else args.output_file
    output.write(render(report, args.output_format, view), target)
    _note_dry_run(args)
    if failure:
        output.failure(failure)
    return code


def _note_dry_run(args: argparse.Namespace) -> None:
    """Note which further files a run without --dry-run would write."""
    others = [path for path in (args.output_file, args.plot) if path is not None]
    if args.dry_run and others:
        output.note(f"--dry-run: not written: {', '.join(others)}")


def _exit_code(report: IdentificationReport, failed: bool, failure: str) -> int:
    """Return 2 for a failure, 1 if a remark fails the run or a body is not written, else 0."""
    if failure:
        return output.FAILURE
    complete = report.written is None or report.written.complete
    return output.CLEAN if complete and not failed else output.FINDINGS


def _write_model(
    args: argparse.Namespace, found: RobotIdentification
) -> tuple[IdentificationReport, str]:
    """Write the robot's file; return the report on it, and the reason if it cannot be written.

    Raises:
        InertialCheckError: The new document does not read back as these numbers.
    """
    from inertial_check.identification.motion.friction import remark_on_joints

    joints = found.fix_joints() if args.write_joints else None
    fix = found.fix() if joints is None else joints.fix
    written, failure = write_model(args, fix, found.report.remarks, joints)
    said = (
        ()
        if joints is None
        else remark_on_joints(found.robot, found.report.friction, joints.joints)
    )
    remarks = sorted([*found.report.remarks, *said], key=lambda remark: -remark.severity)
    return replace(found.report, written=written, remarks=tuple(remarks)), failure


def _refuse_same_files(args: argparse.Namespace) -> None:
    """Stop before a file is written over another that is read or written.

    Raises:
        UsageError: Names the options.
    """
    from inertial_check.documents.files.writing import same_file

    if args.write and args.output is not None:
        raise UsageError("--write changes the robot's file itself, -o writes another: choose one")
    read = [("DATA", path) for path in args.data]
    read += [("--validation", path) for path in getattr(args, "validation", ())]
    read += [("--with", path.rpartition("=")[2]) for path in getattr(args, "beside", ())]
    if hasattr(args, "columns"):
        read.append(("--columns", args.columns))
    written = [("-o", args.output), ("--output-file", args.output_file), ("--plot", args.plot)]
    for place, (option, path) in enumerate(written):
        if path is None:
            continue
        others = [*read, *(each for each in written[:place] if each[1] is not None)]
        if option != "-o":
            others.append(("--model", args.model))
        for name, other in others:
            if path == other or same_file(path, other):
                raise UsageError(f"{option} and {name} name one file, {path}")
