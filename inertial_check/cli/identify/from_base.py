"""The form `identify --from-base` of the command: bodies for published base parameters."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.cli import exit_codes, output
from inertial_check.cli.identify.reading import refuse_unused
from inertial_check.cli.identify.writing import is_failing, write_model
from inertial_check.errors import UsageError
from inertial_check.reports.escaping import dump_json, guard_diff, printable
from inertial_check.reports.identification import list_written
from inertial_check.reports.identification_json import (
    count_remarks,
    describe_merged,
    describe_remark,
    describe_written,
    make_head,
)
from inertial_check.reports.json import plain
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.identifying.options import IdentifyOptions
    from inertial_check.identifying.published.from_base import BodiesFromBase
    from inertial_check.model.identified import WrittenModel

_UNUSED = ("mass", "total_mass", "loads", "method")
"""Options of an identification that change its bodies, and that base parameters do not use."""


def run(args: argparse.Namespace, options: IdentifyOptions) -> int:
    """Find bodies for base parameters, write what was asked for, and return the exit code.

    Raises:
        UsageError: An option that goes with recordings only.
    """
    from inertial_check.identifying.published.from_base import identify_base_file

    if args.data or args.payload is not None or args.plot is not None or args.write_joints:
        raise UsageError("--from-base goes without DATA, --payload, --plot and --write-joints")
    if args.output_format not in ("text", "json"):
        raise UsageError("--from-base prints text or json")
    if options.robot.lock_others:
        raise UsageError("--locked others needs recordings, and --from-base has none")
    refuse_unused(args, "--from-base", _UNUSED)
    found = identify_base_file(options, args.from_base)
    written, failure = None, ""
    if args.write or args.output is not None or args.dry_run:
        written, failure = write_model(args, found.fix, found.remarks)
    complete = written is None or written.complete
    failed = is_failing(found.remarks, args.fail_on)
    code = exit_codes.CLEAN if complete and not failed else exit_codes.FINDINGS
    code = exit_codes.FAILURE if failure else code
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
        "remarks": [describe_remark(each) for each in found.remarks],
    }
    return dump_json(plain(document))
