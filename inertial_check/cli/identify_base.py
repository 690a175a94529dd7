"""The form `identify --from-base` of the command: bodies for published base parameters."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from inertial_check import __version__
from inertial_check.cli import exit_codes, output
from inertial_check.errors import UsageError
from inertial_check.model import Severity
from inertial_check.reports.escaping import dump_json, guard_diff, printable
from inertial_check.reports.identification import describe_merged
from inertial_check.reports.json import plain
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.identifying.options import IdentifyOptions
    from inertial_check.identifying.published.from_base import BodiesFromBase

SCHEMA_VERSION = "1"
"""Version of the JSON form."""


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
    found = identify_base_file(options, args.from_base)
    fail_on = None if args.fail_on == "never" else Severity[args.fail_on.upper()]
    failed = fail_on is not None and any(each.severity >= fail_on for each in found.remarks)
    code = exit_codes.FINDINGS if failed else exit_codes.CLEAN
    sentence, diff, failure = "", "", ""
    if args.write or args.output is not None or args.dry_run:
        sentence, diff, complete, failure = _write(args, found, failed)
        code = code if complete else exit_codes.FINDINGS
        code = exit_codes.FAILURE if failure else code
    text = _as_json if args.output_format == "json" else _as_text
    target = None if args.dry_run else args.output_file
    output.write(text(found, code, sentence, diff), target)
    if failure:
        output.failure(failure)
    return code


def _write(
    args: argparse.Namespace, found: BodiesFromBase, failed: bool
) -> tuple[str, str, bool, str]:
    """Write the robot's file: a sentence on it, the diff of a dry run, completeness, failure."""
    fix = found.fix
    path = fix.source.path if args.output is None else args.output
    errors = any(each.severity == Severity.ERROR for each in found.remarks)
    if (failed or errors) and not args.force:
        return f"Not written: {path}: there are remarks that fail; --force writes it.", "", True, ""
    if not fix.complete:
        reasons = "; ".join(f"{own.name}: {own.reason}" for own in fix.bodies if own.reason)
        return f"Not written: {path}: all bodies or none: {reasons}.", "", False, ""
    try:
        if args.dry_run:
            fix.check_write(args.output)
            return f"Not written: {path}: it would be, without --dry-run.", fix.diff(), True, ""
        fix.write(args.output)
    except UsageError as error:
        return f"Not written: {path}.", "", True, str(error)
    return f"Written: {path}.", "", True, ""


def _as_text(found: BodiesFromBase, code: int, sentence: str, diff: str) -> str:
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
    lines += [sentence] if sentence else []
    lines += [""] if found.remarks else []
    lines += [f"{each.severity.word}: {each.message}" for each in found.remarks]
    text = "".join(f"{printable(line)}\n" for line in lines)
    return f"{text}\n{guard_diff(diff)}" if diff else text


def _as_json(found: BodiesFromBase, code: int, sentence: str, diff: str) -> str:
    own, table = found.found, found.table
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "inertial-check", "version": __version__},
        "summary": {
            **{
                f"{severity.word}s": sum(each.severity == severity for each in found.remarks)
                for severity in reversed(Severity)
            },
            "exit_code": code,
        },
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
        "written": sentence or None,
        "diff": diff or None,
        "remarks": [
            {"severity": each.severity.word, "kind": each.kind, "message": each.message}
            for each in found.remarks
        ],
    }
    return dump_json(plain(document))
