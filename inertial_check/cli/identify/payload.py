"""The form `identify --payload` of the command: a tool or a load on a robot that is known."""

from __future__ import annotations

import argparse
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.cli import exit_codes, output
from inertial_check.cli.identify.reading import refuse_unused
from inertial_check.cli.identify.writing import DRY_RUN, explain_withholding, is_failing
from inertial_check.errors import UsageError
from inertial_check.model.identified import WrittenModel
from inertial_check.reports.escaping import dump_json, printable
from inertial_check.reports.identification import list_written
from inertial_check.reports.identification_json import (
    count_remarks,
    describe_remark,
    describe_written,
    make_head,
)
from inertial_check.reports.json import plain
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.identifying.carrying.payload import CarriedPayload
    from inertial_check.identifying.options import IdentifyOptions

_NAMES = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options of a payload."""
    group.add_argument(
        "--payload",
        metavar="LINK",
        default=None,
        help="identify only what LINK carries: the robot's own bodies are those of its file",
    )
    group.add_argument(
        "--wrench",
        nargs="?",
        const="",
        default=None,
        metavar="LINK",
        help="with --payload: by a force-torque sensor with the frame of LINK (default: that of "
        "--payload), columns wrench_LINK_fx to wrench_LINK_mz, as it acts on the payload",
    )


def run(args: argparse.Namespace, options: IdentifyOptions) -> int:
    """Identify a payload, write what was asked for, and return the exit code.

    Raises:
        UsageError: An option that a payload has no use for.
    """
    from inertial_check.identifying.carrying.payload import identify_carried, write_snippet

    if args.write or args.plot is not None or args.output_format not in ("text", "json"):
        raise UsageError(
            "--payload prints text or json, and -o FILE writes an inertial element: it goes "
            "without --write, --plot, markdown and latex"
        )
    refuse_unused(args, "--payload", ("loads", "method"))
    wrench = args.payload if args.wrench == "" else args.wrench
    found = identify_carried(options, args.payload, wrench)
    snippet = None if args.output is None else write_snippet(found, args.output)
    written = None if snippet is None else _write(args, found, snippet)
    failed = is_failing(found.remarks, args.fail_on)
    code = exit_codes.FINDINGS if failed else exit_codes.CLEAN
    shown = snippet if written is not None and written.reason == DRY_RUN else None
    text = _as_json if args.output_format == "json" else _as_text
    target = None if args.dry_run else args.output_file
    output.write(text(found, code, written, shown), target)
    return code


def _write(args: argparse.Namespace, found: CarriedPayload, snippet: str) -> WrittenModel:
    """Write the inertial element of the payload, unless a remark or --dry-run withholds it."""
    reason = explain_withholding(args, found.remarks) or (DRY_RUN if args.dry_run else "")
    if not reason:
        output.write(snippet, args.output)
    return WrittenModel(args.output, not reason, reason, complete=True, bodies=())


def _as_text(
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
        _NAMES, theta.tolist(), found.standard_deviation.tolist(), _UNITS, strict=True
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


def _as_json(
    found: CarriedPayload, code: int, written: WrittenModel | None, snippet: str | None
) -> str:
    payload, parameters = found.payload, found.payload.parameters
    rows = zip(
        _NAMES,
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
        "remarks": [describe_remark(each) for each in found.remarks],
    }
    return dump_json(plain(document))
