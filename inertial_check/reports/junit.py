"""Report as JUnit XML for build servers: a suite for each file, a case for each body."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from inertial_check.model import FileReport, Finding, Report
from inertial_check.reports import View
from inertial_check.reports.details import list_causes, pinpoint
from inertial_check.reports.escaping import clip, guard_xml
from inertial_check.reports.text import Style, location, statistics, summary

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_LENGTH = 10_000
"""Longest name or message that is shown in full [code points]."""


def render(report: Report, view: View) -> str:
    """XML, ASCII only. A finding at or above View.fail_on fails its case; others are its output."""
    from xml.etree.ElementTree import Element, indent, tostring

    root = Element("testsuites", name="inertial-check")
    for file in report.files:
        # Add the suite of a file: a case for the document, then one for each body.
        suite_suite = _add(root, "testsuite", name=clip(file.path, _LENGTH))
        of_bodies: dict[str | None, list[Finding]] = defaultdict(list)
        ids = {body.id for body in file.bodies}
        for finding in file.findings:
            of_bodies[finding.body_id if finding.body_id in ids else None].append(finding)
        names = Counter(body.name for body in file.bodies)
        failing = [_add_case(suite_suite, file, "(document)", of_bodies[None], view)]
        for body in file.bodies:
            name = body.name if names[body.name] == 1 else f"{body.name} {body.id}"
            failing.append(_add_case(suite_suite, file, name, of_bodies[body.id], view))
        for name, suite_count in (("tests", len(suite_suite)), ("failures", sum(failing))):
            suite_suite.set(name, str(suite_count))
        for name in ("errors", "skipped"):
            suite_suite.set(name, "0")
    if report.failures:
        # Add a suite of the failures of the run.
        failures = report.failures
        failures_count = str(len(failures))
        counts = {
            "tests": failures_count,
            "failures": "0",
            "errors": failures_count,
            "skipped": "0",
        }
        suite = _add(root, "testsuite", name="(run)", **counts)
        for index, line in enumerate(failures, 1):
            case = _add(suite, "testcase", classname="(run)", name=f"failure {index}")
            _add(case, "error", message=clip(line, _LENGTH), type="failure")
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    if view.statistics:
        _add(root, "system-out", statistics(report) + summary(report))
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{guard_xml(tostring(root).decode("ascii"))}\n'


def _add(parent: Element, tag: str, text: str | None = None, **attributes: str) -> Element:
    from xml.etree.ElementTree import SubElement

    element = SubElement(parent, tag, attributes)
    element.text = text
    return element


def _add_case(
    suite: Element, file: FileReport, name: str, findings: Sequence[Finding], view: View
) -> bool:
    """Add a case, and return whether it fails; it fails once, as some readers take no more."""
    case = _add(suite, "testcase", classname=clip(file.path, _LENGTH), name=clip(name, _LENGTH))
    failing = [each for each in findings if _fails(each, view)]
    others = [each for each in findings if not _fails(each, view)]
    if failing:
        message = clip(failing[0].message, _LENGTH)
        if len(failing) > 1:
            message += f" (and {len(failing) - 1} more)"
        kinds = " ".join(dict.fromkeys(each.code for each in failing))
        _add(case, "failure", _text(file, failing), message=message, type=kinds)
    if others:
        _add(case, "system-out", _text(file, others))
    return bool(failing)


def _fails(finding: Finding, view: View) -> bool:
    return view.fail_on is not None and finding.severity >= view.fail_on


def _text(file: FileReport, findings: Sequence[Finding]) -> str:
    lines = []
    for finding in findings:
        found = finding._replace(place=pinpoint(finding))
        where = location(Style(color=False), file.path, found)
        what = f"{finding.severity.word} {finding.code} {finding.name}"
        lines.append(f"{where}: {what}: {clip(finding.message, _LENGTH)}")
        lines += [f"  {line}" for line in list_causes(finding)]
    return "\n".join(lines)
