"""Check of the robot that an identification writes, by the rules that `check` applies to files."""

from __future__ import annotations

import os
from collections.abc import Set
from dataclasses import replace

from inertial_check.checking.check import FINDINGS_ONLY, check_model
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.result import Fix
from inertial_check.formats import Context, load
from inertial_check.model import Finding, Model, Severity
from inertial_check.model.identified import Remark, RuleFinding
from inertial_check.settings.settings import Settings

_DENSITY = "IC503"
"""Rule about densities that no material has."""

_MISTAKES = ("IC505", "IC507")
"""Rules about mistakes of people who write numbers, which identified numbers can resemble only by
chance: a wrong formula, and one unit all through a file."""


def check_written(
    model: Model, fix: Fix, names: tuple[str, ...], context: Context
) -> tuple[RuleFinding, ...]:
    """Check the document with the identified numbers, and list what is found on these bodies.

    Args:
        model: Model as it was read.
        fix: Its document with the identified numbers.
        names: Names of the identified bodies.
        context: Where the files are that the document includes.
    """
    if fix.layer is not None:  # binary numbers stand in a layer that is not on the disk yet
        return ()
    overlay = {os.path.abspath(source.path): data for source, data in fix.others}
    within = replace(context, overlay={**context.overlay, **overlay})
    try:
        again = load(fix.data, format=fix.format, path=model.source.path, context=within)
        report = check_model(again, Settings(ignore=_MISTAKES, context=within), FINDINGS_ONLY)
    except InertialCheckError:  # a rule that cannot look at a document says nothing about it
        return ()
    identified = set(names)
    return tuple(
        RuleFinding(each.code, each.name, each.severity, each.body, each.bodies, each.message)
        for file in report.files
        for each in file.findings
        if each.suppression is None and _is_about(each, identified)
    )


def _is_about(finding: Finding, names: set[str]) -> bool:
    """Decide whether a finding is about one of these bodies."""
    return finding.body in names or bool(names.intersection(finding.bodies))


def describe_finding(path: str, finding: RuleFinding, flat: Set[str] = frozenset()) -> Remark:
    """Describe a finding as a remark on the identification.

    A body at the edge of what exists has no volume, and so any density: that is a note beside the
    one that says where it is.

    Args:
        path: Path of the robot.
        finding: The finding.
        flat: Names of bodies at the edge of what exists.
    """
    where = finding.body or ", ".join(finding.bodies[:6])
    message = f"{path}, as identified: {where}: {finding.code}: {finding.message}"
    severity = Severity(finding.severity)
    if finding.code == _DENSITY and finding.body in flat:
        severity = Severity.NOTE
    return Remark(severity, "check", message)
