"""Check of a filled model before it is written: it is read again, and its findings compared."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from inertial_check.filling.selection import examine_model
from inertial_check.fixing.result import INTACT, Fix, layer_path
from inertial_check.formats import load
from inertial_check.formats.context import Context
from inertial_check.model import FileReport, Model, Severity

_DOUBTS = "IC5"
"""Codes of findings that doubt numbers beside the shapes, which new numbers must not have."""


def check_again(
    model: Model, report: FileReport, fix: Fix, context: Context
) -> tuple[dict[str, str], list[str]]:
    """Check the document with new numbers.

    Args:
        model: The model without them.
        report: What check finds of it.
        fix: The new numbers.
        context: Where meshes and included files are.

    Returns:
        By the ids of bodies, findings against their new numbers; and one line for each finding
        on the whole model that comes or goes with them.
    """
    if not fix.changed:
        return {}, []
    overlay = {os.path.abspath(source.path): data for source, data in fix.others}
    context = replace(context, overlay={**context.overlay, **overlay})
    source = model.source
    path = source.path if fix.layer is None else layer_path(source.path)
    again = load(fix.data, model.format, path, context)
    filled = {body.id for body in fix.bodies if body.status in INTACT}
    found: dict[str, str] = {}
    after = examine_model(again, context)
    for finding in after.findings:
        if finding.severity is Severity.ERROR or finding.code.startswith(_DOUBTS):
            own = filled.intersection((finding.body_id or "", *finding.body_ids))
            for id_ in own:
                found.setdefault(id_, f"{finding.code}: {finding.message}")
    return found, [] if found else list(_compare_findings(report, after))


def _compare_findings(before: FileReport, after: FileReport) -> Iterator[str]:
    """Say which findings on the whole model come and go with the new numbers."""
    old, new = (
        {each.code: each.message for each in report.findings if each.body_id is None}
        for report in (before, after)
    )
    for code, message in new.items():
        if code not in old:
            yield f"with the new numbers check finds {code}: {message}"
    for code, message in old.items():
        if code not in new:
            yield f"with the new numbers check no longer finds {code}: {message}"
