"""The forms `--payload` and `--from-base` of `identify`, and what all its forms read and write.

A payload is a tool or a load on a robot that is known; --from-base finds bodies for published base
parameters. The robot's file is written with all identified bodies, or left with the reason.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.documents.escaping import dump_json, guard_diff, printable
from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output
from inertial_check.programs.cli.options import AddOption, read_group, read_texts
from inertial_check.reports.identification import (
    count_remarks,
    describe_merged,
    describe_written,
    list_written,
    make_head,
)
from inertial_check.reports.identification_types import (
    THETA,
    Remark,
    WrittenBody,
    WrittenJoint,
    WrittenModel,
)
from inertial_check.reports.json import plain
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.fixing.result import Fix
    from inertial_check.fixing.writing import JointsFix
    from inertial_check.identification.motion.signals import Smoothing
    from inertial_check.identification.options import IdentifyOptions
    from inertial_check.identification.payload import CarriedPayload
    from inertial_check.identification.published import BodiesFromBase


def read_options(args: argparse.Namespace) -> IdentifyOptions:
    """Read the options of the command line; those that are not given keep their defaults.

    Raises:
        UsageError: A text of another form, or a number out of range. The message names the option.
    """
    from inertial_check.identification import options as groups
    from inertial_check.identification.fit.solve import FitOptions

    context, smoothing = options.context_of(args), _read_smoothing(args)
    validation = getattr(args, "validation", ())
    if hasattr(args, "locked"):
        args.locked, args.lock_others = groups.read_locks(args.locked)
    read_texts(
        args,
        {
            "validation": tuple,
            "reverse": tuple,
            "beside": lambda texts: groups.read_beside(texts, [*args.data, *validation]),
            "clock_offset": groups.read_clock_offset,
            "unmeasured": tuple,
            "friction": groups.read_terms,
            "friction_prior": groups.read_scales,
            "coupling": groups.read_couplings,
            "total_mass": groups.read_total_mass,
            "mass": groups.read_masses,
            "contact": groups.read_contacts,
            "reverse_wrench": tuple,
        },
    )
    weight = getattr(args, "regularization", groups.DEFAULT_WEIGHT)
    return read_group(
        groups.IdentifyOptions,
        args,
        data=tuple(args.data),
        context=context,
        recordings=read_group(groups.RecordingOptions, args, smoothing=smoothing),
        robot=read_group(groups.RobotOptions, args),
        friction=read_group(groups.FrictionOptions, args),
        contacts=read_group(groups.ContactOptions, args),
        fit=read_group(FitOptions, args, regularization=weight),
    )


def _read_smoothing(args: argparse.Namespace) -> Smoothing:
    """Read the processing of the signals.

    Raises:
        UsageError: --no-filter and --cutoff exclude each other.
    """
    from inertial_check.identification.motion.signals import Smoothing

    if hasattr(args, "no_filter"):
        if hasattr(args, "cutoff"):
            raise UsageError("--no-filter leaves nothing for --cutoff: choose one")
        args.cutoff = inf
    # The order of Y is an argument of the same name.
    return read_group(Smoothing, args, order=Smoothing.order)


def refuse_unused(args: argparse.Namespace, form: str, names: tuple[str, ...]) -> None:
    """Refuse options that a form of the command does not use.

    Args:
        args: Arguments of the command line, without those that are not given.
        form: Option that chooses the form.
        names: Attributes of the options that it does not use.

    Raises:
        UsageError: One of them is given. The message names them.
    """
    given = [f"--{name.replace('_', '-')}" for name in names if hasattr(args, name)]
    if given:
        raise UsageError(f"{form} makes no use of {', '.join(given)}: leave out what it ignores")


DRY_RUN = "it would be, without --dry-run"
"""Reason why a dry run does not write a file."""


def is_failing(remarks: Sequence[Remark], fail_on: str) -> bool:
    """Tell whether a remark is at or above the severity that --fail-on names, or "never"."""
    if fail_on == "never":
        return False
    return any(each.severity >= Severity[fail_on.upper()] for each in remarks)


def exit_code(
    args: argparse.Namespace,
    remarks: Sequence[Remark],
    written: WrittenModel | None,
    failure: str = "",
) -> int:
    """Return 2 for a failure, 1 if a remark fails the run or a body is not written, else 0."""
    if failure:
        return output.FAILURE
    complete = written is None or written.complete
    return output.CLEAN if complete and not is_failing(remarks, args.fail_on) else output.FINDINGS


def explain_withholding(args: argparse.Namespace, remarks: Sequence[Remark]) -> str:
    """Explain which remarks keep a file from being written; "" if none does."""
    errors = any(each.severity == Severity.ERROR for each in remarks)
    if args.force or not (errors or is_failing(remarks, args.fail_on)):
        return ""
    least = "errors" if errors else f"remarks at or above --fail-on {args.fail_on}"
    return f"there are {least}; --force writes it"


def write_model(
    args: argparse.Namespace, fix: Fix, remarks: Sequence[Remark], joints: JointsFix | None = None
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


_UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)


def add_arguments(add: AddOption) -> None:
    """Declare the options of a payload."""
    add(
        "--payload LINK",
        "identify only what LINK carries: the robot's own bodies are those of its file",
        default=None,
    )
    add(
        "--wrench LINK",
        "with --payload: by a force-torque sensor with the frame of LINK (default: that of "
        "--payload), columns wrench_LINK_fx to wrench_LINK_mz, as it acts on the payload",
        nargs="?",
        const="",
        default=None,
    )


def run_payload(args: argparse.Namespace, options: IdentifyOptions) -> int:
    """Identify a payload, write what was asked for, and return the exit code.

    Raises:
        UsageError: An option that a payload has no use for.
    """
    from inertial_check.identification.payload import identify_carried, write_snippet

    if args.write or args.plot is not None or args.output_format not in ("text", "json"):
        raise UsageError(
            "--payload prints text or json, and -o FILE writes an inertial element: it goes "
            "without --write, --plot, markdown, latex and html"
        )
    refuse_unused(args, "--payload", ("loads", "method", "merge_fixed"))
    wrench = args.payload if args.wrench == "" else args.wrench
    found = identify_carried(options, args.payload, wrench)
    snippet = None if args.output is None else write_snippet(found, args.output)
    written = None if snippet is None else _write(args, found, snippet)
    code = exit_code(args, found.remarks, written)
    shown = snippet if written is not None and written.reason == DRY_RUN else None
    text = _payload_as_json if args.output_format == "json" else _payload_as_text
    target = None if args.dry_run else args.output_file
    output.write(text(found, code, written, shown), target)
    return code


def _write(args: argparse.Namespace, found: CarriedPayload, snippet: str) -> WrittenModel:
    """Write the inertial element of the payload, unless a remark or --dry-run withholds it."""
    reason = explain_withholding(args, found.remarks) or (DRY_RUN if args.dry_run else "")
    if not reason:
        output.write(snippet, args.output)
    return WrittenModel(args.output, not reason, reason, complete=True, bodies=())


def _payload_as_text(
    found: CarriedPayload, code: int, written: WrittenModel | None, snippet: str | None
) -> str:
    payload, parameters = found.payload, found.payload.parameters
    com = np.asarray(parameters.com)
    lines = [
        f"Payload of {found.link}, by {found.source}, {plural(found.samples, 'sample')}",
        "",
        f"mass    {float(parameters.mass):.6g} kg",
        f"centre  {' '.join(f'{own:.5g}' for own in com)} m",
        "inertia about the centre "
        + " ".join(f"{own:.5g}" for own in np.asarray(parameters.as_theta(about="com"))[4:])
        + " kg m^2 (xx xy xz yy yz zz)",
        f"it is {payload.consistency.verdict}; least squares alone: "
        f"{payload.least_squares_consistency.verdict}",
        "",
        "parameter about the origin of the link        value   deviation  unit",
    ]
    theta = np.asarray(parameters.as_theta())
    for name, value, deviation, unit in zip(
        THETA, theta.tolist(), found.standard_deviation.tolist(), _UNITS, strict=True
    ):
        known = f"{deviation:.2g}" if isfinite(deviation) else "open"
        lines.append(f"{name:<40s}{value:>11.5g} {known:>11s}  {unit}")
    for name, value in payload.nuisance.items():
        lines.append(f"{name:<40s}{value:>11.5g}")
    left = ", ".join(payload.open) or "nothing"
    lines += [
        "",
        f"The samples decide {payload.rank} of 10 combinations and leave open: {left}.",
        f"Weighted RMS {payload.weighted_rms_before:.4g} -> {payload.weighted_rms:.4g}; "
        f"least squares {payload.weighted_rms_least_squares:.4g}.",
    ]
    lines += [] if written is None else list_written(written)
    lines += ["", snippet.rstrip()] if snippet else []
    lines += [""] if found.remarks else []
    lines += [f"{each.severity.word}: {each.message}" for each in found.remarks]
    return "".join(f"{line}\n" for text in lines for line in map(printable, text.split("\n")))


def _payload_as_json(
    found: CarriedPayload, code: int, written: WrittenModel | None, snippet: str | None
) -> str:
    payload, parameters = found.payload, found.payload.parameters
    rows = zip(
        THETA,
        np.asarray(parameters.as_theta()).tolist(),
        found.standard_deviation.tolist(),
        np.asarray(payload.least_squares).tolist(),
        strict=True,
    )
    document = {
        **make_head({**count_remarks(found.remarks), "exit_code": code}),
        "link": found.link,
        "source": found.source,
        "samples": found.samples,
        "redundancy": found.redundancy,
        "mass": float(parameters.mass),
        "com": np.asarray(parameters.com).tolist(),
        "inertia": np.asarray(parameters.as_theta(about="com"))[4:].tolist(),
        "verdict": str(payload.consistency.verdict),
        "parameters": {
            name: {
                "value": value,
                "standard_deviation": deviation,
                "least_squares": alone,
                "open": name in payload.open,
            }
            for name, value, deviation, alone in rows
        },
        "nuisance": dict(payload.nuisance),
        "rank": payload.rank,
        "open": list(payload.open),
        "weighted_rms": {
            "before": payload.weighted_rms_before,
            "least_squares": payload.weighted_rms_least_squares,
            "after": payload.weighted_rms,
        },
        "written": None if written is None else describe_written(written),
        "snippet": snippet,
        "remarks": found.remarks,
    }
    return dump_json(plain(document))


def run_from_base(args: argparse.Namespace, options: IdentifyOptions) -> int:
    """Find bodies for base parameters, write what was asked for, and return the exit code.

    Raises:
        UsageError: An option that goes with recordings only.
    """
    from inertial_check.identification.published import identify_base_file

    if args.data or args.payload is not None or args.plot is not None or args.write_joints:
        raise UsageError("--from-base goes without DATA, --payload, --plot and --write-joints")
    if args.output_format not in ("text", "json"):
        raise UsageError("--from-base prints text or json")
    if options.robot.lock_others:
        raise UsageError("--locked others needs recordings, and --from-base has none")
    refuse_unused(args, "--from-base", ("mass", "total_mass", "loads", "method"))
    found = identify_base_file(options, args.from_base)
    written, failure = None, ""
    if args.write or args.output is not None or args.dry_run:
        written, failure = write_model(args, found.fix, found.remarks)
    code = exit_code(args, found.remarks, written, failure)
    text = _as_json if args.output_format == "json" else _as_text
    target = None if args.dry_run else args.output_file
    output.write(text(found, code, written), target)
    if failure:
        output.failure(failure)
    return code


def _as_text(found: BodiesFromBase, code: int, written: WrittenModel | None) -> str:
    own, table = found.found, found.table
    parameters, margins = own.identification.parameters, own.identification.consistency.margin
    bodies = plural(len(found.robot.names), "body")
    lines = [
        f"{found.robot.model.source.path}: {bodies} from {plural(len(table.entries), 'value')}",
        "",
        f"{'body':<24s}{'prior kg':>10s}{'mass kg':>10s}   centre m",
    ]
    prior = np.asarray(own.identification.prior)
    for k, name in enumerate(found.robot.names):
        centre = " ".join(f"{x:.4g}" for x in np.asarray(parameters.com)[k])
        mass = float(np.asarray(parameters.mass)[k])
        lines.append(
            f"{name:<24s}{prior[k, 0]:>10.4g}{mass:>10.4g}   {centre} (margin {margins[k]:.2g})"
        )
    lines += ["", f"{'published':>12s}{'deviation':>12s}{'robot':>12s}   base parameter"]
    for entry, value in zip(table.entries, own.beta.tolist(), strict=True):
        deviation = "-" if entry.deviation is None else f"{entry.deviation:.2g}"
        lines.append(f"{entry.value:>12.5g}{deviation:>12s}{value:>12.5g}   {entry.name}")
    said = "some bodies have them" if own.realisable else "no bodies have them exactly"
    far = f"these are {own.distance:.3g} deviations away, the nearest {own.least:.3g}"
    lines += ["", f"Of the published values {said}; {far}, over all together."]
    lines += [] if written is None else list_written(written)
    lines += [""] if found.remarks else []
    lines += [f"{each.severity.word}: {each.message}" for each in found.remarks]
    text = "".join(f"{printable(line)}\n" for line in lines)
    diff = "" if written is None else guard_diff(written.diff)
    return f"{text}\n{diff}" if diff else text


def _as_json(found: BodiesFromBase, code: int, written: WrittenModel | None) -> str:
    own, table = found.found, found.table
    document = {
        **make_head({**count_remarks(found.remarks), "exit_code": code}),
        "model": found.robot.model.source.path,
        "realisable": own.realisable,
        "distance": own.distance,
        "least": own.least,
        "bodies": [
            {"name": name, "theta": theta, "margin": float(margin)}
            for name, theta, margin in zip(
                found.robot.names,
                np.asarray(own.theta).tolist(),
                own.identification.consistency.margin,
                strict=True,
            )
        ],
        "base": [
            {
                "name": entry.name,
                "value": entry.value,
                "standard_deviation": entry.deviation,
                "robot": value,
            }
            for entry, value in zip(table.entries, own.beta.tolist(), strict=True)
        ],
        "merged": [describe_merged(each) for each in found.merged],
        "written": None if written is None else describe_written(written),
        "diff": None if written is None else written.diff or None,
        "remarks": found.remarks,
    }
    return dump_json(plain(document))
