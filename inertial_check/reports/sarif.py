"""Report as SARIF 2.1.0, for code hosts and editors.

Section numbers are those of the OASIS standard "Static Analysis Results Interchange Format (SARIF)
Version 2.1.0". GitHub takes at most 25,000 results and 10 MB, compressed. Of a longer report, the
least severe results are left out, and a notification says how many.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby

from inertial_check import __version__
from inertial_check.checking.report import FileReport, Finding, Remedy, Report, TextReplacement
from inertial_check.checking.standards import STANDARDS, list_requirements, list_requirements_of
from inertial_check.documents.escaping import clip, dump_json, sarif_text
from inertial_check.documents.files.access import Json
from inertial_check.documents.source import Place
from inertial_check.reports.grouping import describe_remedy
from inertial_check.reports.hosts import find_address, find_rule_page
from inertial_check.reports.json import (
    fingerprints,
    is_absolute,
    run_members,
    statistics_members,
    uri,
)
from inertial_check.reports.terminal import list_causes, list_disagreements, list_places, pinpoint
from inertial_check.reports.text import RulePage, View, describe_account, plural

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MOST_RESULTS = 25_000
"""Most results that GitHub takes."""

MOST_BYTES = 10_000_000
"""Largest document that GitHub takes, compressed [bytes]."""

_ROOT = "%SRCROOT%"
"""Name of the folder that relative paths start from."""

_SUPPRESSED = 8
"""Number that is taken from the rank of a suppressed result: more than any severity."""

_NAME_LENGTH = 1_000
"""Longest name that is shown in full [code points]; the fingerprint is that of the whole name."""

_MESSAGE_LENGTH = 10_000
"""Longest message that is shown in full [code points]."""


def render(report: Report, view: View) -> str:
    """A SARIF log with one run, ASCII only, with a line for each rule and each result."""
    index = {rule.code: i for i, rule in enumerate(view.rules)}
    results: list[str] = []
    ranks: list[int] = []
    for file in report.files:
        for finding, result in _results(file, index):
            results.append(dump_json(result))
            ranks.append(finding.severity - _SUPPRESSED * (finding.suppression is not None))
    # Where GitHub takes no more, the suppressed and the least severe results are left out.
    worst = sorted(range(len(results)), key=lambda place: -ranks[place])
    count = min(len(results), MOST_RESULTS)
    while True:
        kept = [results[place] for place in sorted(worst[:count])]
        text = _write_log(report, view, kept, len(results) - count)
        size = len(text)
        if size > MOST_BYTES:  # it is sent compressed
            size = len(zlib.compress(text.encode("ascii")))
        if not count or size <= MOST_BYTES:
            return text
        count = min(count - 1, int(0.95 * count * MOST_BYTES / size))


def _write_log(report: Report, view: View, results: Sequence[str], left_out: int) -> str:
    """Write a log with one run (3.14) around results, of which so many others are left out."""
    documentation = find_address("documentation")
    driver = {
        "name": "inertial-check",
        "version": __version__,
        "semanticVersion": __version__,
        **({} if documentation is None else {"informationUri": documentation}),
    }
    rules = _format_array([dump_json(_rule(rule)) for rule in view.rules], "     ")
    # The taxonomies (3.14.8): the requirements that the rules cover, by standard.
    codes = {rule.code for rule in view.rules}
    taxonomies = [
        {
            "name": standard.name,
            "shortDescription": {"text": standard.title},
            "taxa": [
                {"id": each.id, "shortDescription": {"text": each.asks}}
                for each in list_requirements(standard.name)
                if not codes.isdisjoint(each.codes)
            ],
        }
        for standard in STANDARDS
    ]
    members = {
        "tool": f'{{"driver": {{{dump_json(driver)[1:-1]}, "rules": {rules}}}}}',
        "taxonomies": dump_json([each for each in taxonomies if each["taxa"]]),
        "columnKind": dump_json("unicodeCodePoints"),
        "originalUriBaseIds": dump_json(
            {_ROOT: {"description": {"text": "The folder in which inertial-check was started."}}}
        ),
        "invocations": dump_json([_invocation(report, view, left_out)]),
        "properties": dump_json(
            {"summary": run_members(report, view)["summary"], **statistics_members(report, view)}
        ),
        "results": _format_array(results, "    "),
    }
    run = ",\n   ".join(f'"{name}": {text}' for name, text in members.items())
    return (
        f'{{\n "$schema": {dump_json(SCHEMA)},\n "version": "2.1.0",\n "runs": [\n  {{\n   {run}\n'
        "  }\n ]\n}\n"
    )


def _format_array(items: Sequence[str], indent: str) -> str:
    """Format an array with a line for each item."""
    if not items:
        return "[]"
    inside = f",\n{indent}".join(items)
    return f"[\n{indent}{inside}\n{indent[1:]}]"


def _rule(rule: RulePage) -> dict[str, Json]:
    """A reporting descriptor (3.49). Its texts are not messages, so braces stay single."""
    url = find_rule_page(rule.code)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.description},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": rule.severity.word},
        **({} if url is None else {"helpUri": url}),
        "relationships": [
            {
                "target": {"id": each.id, "toolComponent": {"name": each.standard}},
                "kinds": ["equal" if each.relation == "equal" else "relevant"],
                "properties": {"relation": each.relation},
            }
            for each in list_requirements_of(rule.code)
        ],
    }


def _invocation(report: Report, view: View, left_out: int) -> dict[str, Json]:
    """The invocation (3.20): failures, notes, and how many results are left out."""
    notifications = [("error", line) for line in report.failures]
    account = [describe_account(report.account)] if report.account.unjudged else []
    notifications += [("note", line) for line in (*report.notes, *account)]
    if left_out:
        told = f"{plural(left_out, 'finding')} left out, the least severe: GitHub takes at most "
        told += f"{MOST_RESULTS} results and {MOST_BYTES / 1e6:.0f} MB, compressed"
        notifications.append(("warning", told))
    return {
        "executionSuccessful": not report.failures,
        "exitCode": view.exit_code,
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": sarif_text(clip(line, _MESSAGE_LENGTH))}}
            for level, line in notifications
        ],
    }


def _results(file: FileReport, index: dict[str, int]) -> Iterator[tuple[Finding, dict[str, Json]]]:
    """The results (3.27) of one document, suppressed ones included."""
    findings = sorted((*file.findings, *file.suppressed), key=_place)
    engines = {body.id: list_disagreements(body) for body in file.bodies}
    for finding, fingerprint in zip(findings, fingerprints(file, findings), strict=True):
        text = "\n".join((clip(finding.message, _MESSAGE_LENGTH), *list_causes(finding)))
        result: dict[str, Json] = {
            "ruleId": finding.code,
            "level": finding.severity.word,
            "message": {"text": sarif_text(text)},
            "locations": [_location(file, finding)],
            # GitHub compares the second; without it, it would take a hash of the line's text.
            "partialFingerprints": {
                "inertialCheck/v1": fingerprint,
                "primaryLocationLineHash": fingerprint,
            },
            # All results of a run must have the member, or none (3.27.23).
            "suppressions": [],
        }
        # The related locations (3.27.22): the numbers of a finding besides the first.
        first = pinpoint(finding)
        others = [(place, text) for place, text in list_places(finding) if place != first]
        if others:
            result["relatedLocations"] = [
                {
                    "id": number,
                    "physicalLocation": _physical_location(file, place),
                    "message": {"text": sarif_text(text)},
                }
                for number, (place, text) in enumerate(others, 1)
            ]
        if finding.suppression is not None:
            suppression: dict[str, str] = {"kind": finding.suppression.kind}
            if finding.suppression.reason:
                suppression["justification"] = clip(finding.suppression.reason, _MESSAGE_LENGTH)
            result["suppressions"] = [suppression]
        if finding.remedy is not None and finding.remedy.replacements:
            result["fixes"] = [_fix(file, finding.remedy)]
        if finding.code in index:
            result["ruleIndex"] = index[finding.code]
            result["taxa"] = [
                {"id": each.id, "toolComponent": {"name": each.standard}}
                for each in list_requirements_of(finding.code)
            ]
        if predictions := engines.get(finding.body_id or ""):
            actions = {name: each.action for name, each in predictions.items()}
            result["properties"] = {"engines": actions}
        yield finding, result


def _place(finding: Finding) -> tuple[str, int, int, str]:
    place = finding.place
    return place.path or "", place.line, place.column, finding.code


def _location(file: FileReport, finding: Finding) -> dict[str, Json]:
    """The location (3.28): the numbers in the file, and the body in the model."""
    location: dict[str, Json] = {"physicalLocation": _physical_location(file, pinpoint(finding))}
    if finding.body is not None:
        names = [clip(name, _NAME_LENGTH) for name in (file.model, finding.body) if name]
        location["logicalLocations"] = [
            {
                "name": clip(finding.body, _NAME_LENGTH),
                "fullyQualifiedName": "::".join(names),
                "kind": "body",
            }
        ]
    return location


def _physical_location(file: FileReport, place: Place) -> dict[str, Json]:
    """A physical location (3.29)."""
    return {"artifactLocation": _artifact(place.path or file.path), "region": _region(place)}


def _artifact(path: str) -> dict[str, str]:
    location = {"uri": uri(path)}
    return location if is_absolute(path) else location | {"uriBaseId": _ROOT}


def _region(place: Place) -> dict[str, int]:
    """A region (3.30); its end column is the one after the last, as in a Place."""
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _fix(file: FileReport, remedy: Remedy) -> dict[str, Json]:
    """A fix (3.55): the replacements in each file."""

    def path(replacement: TextReplacement) -> str:
        return replacement.place.path or file.path

    return {
        "description": {"text": sarif_text(clip(describe_remedy(remedy), _MESSAGE_LENGTH))},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(name),
                "replacements": [
                    {"deletedRegion": _region(each.place), "insertedContent": {"text": each.text}}
                    for each in group
                ],
            }
            for name, group in groupby(sorted(remedy.replacements, key=path), key=path)
        ],
    }
