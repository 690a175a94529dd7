"""Report as SARIF 2.1.0, for code hosts and editors.

Section numbers are those of the OASIS standard "Static Analysis Results Interchange Format (SARIF)
Version 2.1.0". GitHub takes at most 25,000 results and 10 MB, compressed. Of a longer report, the
least severe results are left out, and a notification says how many.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from inertial_check import __version__
from inertial_check.files.json import Json
from inertial_check.model import (
    FileReport,
    Finding,
    Place,
    Report,
    Severity,
    Suggestion,
    TextReplacement,
)
from inertial_check.reports import RulePage, View
from inertial_check.reports.details import (
    list_causes,
    list_disagreements,
    list_places,
    pinpoint,
)
from inertial_check.reports.escaping import clip, dump_json, sarif_text
from inertial_check.reports.homepage import find_documentation, find_rule_page
from inertial_check.reports.identity import fingerprints, is_absolute, uri
from inertial_check.reports.json import run_members, statistics_members
from inertial_check.reports.text import plural

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MOST_RESULTS = 25_000
"""Most results that GitHub takes."""

MOST_BYTES = 10_000_000
"""Largest document that GitHub takes, compressed [bytes]."""

_ROOT = "%SRCROOT%"
"""Name of the folder that relative paths start from."""

_NAME_LENGTH = 1_000
"""Longest name that is shown in full [code points]; the fingerprint is that of the whole name."""

_MESSAGE_LENGTH = 10_000
"""Longest message that is shown in full [code points]."""


class _Result(NamedTuple):
    """A result as JSON text, and what decides whether it is kept."""

    severity: Severity
    suppressed: bool
    text: str


def render(report: Report, view: View) -> str:
    """A SARIF log with one run, ASCII only, with a line for each rule and each result."""
    index = {rule.code: i for i, rule in enumerate(view.rules)}
    results = [result for file in report.files for result in _results(file, index)]
    worst = sorted(range(len(results)), key=lambda i: (results[i].suppressed, -results[i].severity))
    count = min(len(results), MOST_RESULTS)
    while True:
        kept = [results[i].text for i in sorted(worst[:count])]
        text = _log(report, view, kept, len(results) - count)
        if not count or (size := _measure_upload(text)) <= MOST_BYTES:
            return text
        count = min(count - 1, int(0.95 * count * MOST_BYTES / size))


def _measure_upload(text: str) -> int:
    """Measure an upload [bytes], which is compressed unless it fits as it is."""
    return len(text) if len(text) <= MOST_BYTES else len(zlib.compress(text.encode("ascii")))


def _log(report: Report, view: View, results: Sequence[str], left_out: int) -> str:
    """The log with its results: one run (3.14), in lines that can be read and compared."""
    documentation = find_documentation()
    driver = {
        "name": "inertial-check",
        "version": __version__,
        "semanticVersion": __version__,
        **({} if documentation is None else {"informationUri": documentation}),
    }
    rules = _format_array([_json(_rule(rule)) for rule in view.rules], "     ")
    summary = run_members(report, view)["summary"]
    members = {
        "tool": f'{{"driver": {{{_json(driver)[1:-1]}, "rules": {rules}}}}}',
        "columnKind": _json("unicodeCodePoints"),
        "originalUriBaseIds": _json(
            {_ROOT: {"description": {"text": "The folder in which inertial-check was started."}}}
        ),
        "invocations": _json([_invocation(report, view, left_out)]),
        "properties": _json({"summary": summary, **statistics_members(report, view)}),
        "results": _format_array(results, "    "),
    }
    run = ",\n   ".join(f'"{name}": {text}' for name, text in members.items())
    return (
        f'{{\n "$schema": {_json(SCHEMA)},\n "version": "2.1.0",\n "runs": [\n  {{\n   {run}\n'
        "  }\n ]\n}\n"
    )


def _json(value: Json) -> str:
    return dump_json(value)


def _format_array(items: Sequence[str], indent: str) -> str:
    """Format an array with a line for each item."""
    if not items:
        return "[]"
    inside = f",\n{indent}".join(items)
    return f"[\n{indent}{inside}\n{indent[1:]}]"


def _message(text: str) -> dict[str, str]:
    """A message (3.11) in plain text."""
    return {"text": sarif_text(text)}


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
    }


def _invocation(report: Report, view: View, left_out: int) -> dict[str, Json]:
    """The invocation (3.20): failures, notes, and how many results are left out."""
    notifications = [("error", line) for line in report.failures]
    notifications += [("note", line) for line in report.notes]
    if left_out:
        told = f"{plural(left_out, 'finding')} left out, the least severe: GitHub takes at most "
        told += f"{MOST_RESULTS} results and {MOST_BYTES / 1e6:.0f} MB, compressed"
        notifications.append(("warning", told))
    return {
        "executionSuccessful": not report.failures,
        "exitCode": view.exit_code,
        "toolExecutionNotifications": [
            {"level": level, "message": _message(clip(line, _MESSAGE_LENGTH))}
            for level, line in notifications
        ],
    }


def _results(file: FileReport, index: dict[str, int]) -> Iterable[_Result]:
    """The results (3.27) of one document, suppressed ones included."""
    findings = sorted((*file.findings, *file.suppressed), key=_place)
    engines = {body.id: list_disagreements(body) for body in file.bodies}
    for finding, fingerprint in zip(findings, fingerprints(file, findings), strict=True):
        result = _result(file, finding, fingerprint)
        if finding.code in index:
            result["ruleIndex"] = index[finding.code]
        if predictions := engines.get(finding.body_id or ""):
            actions = {name: each.action for name, each in predictions.items()}
            result["properties"] = {"engines": actions}
        yield _Result(finding.severity, finding.suppression is not None, _json(result))


def _place(finding: Finding) -> tuple[str, int, int, str]:
    place = finding.place
    return place.path or "", place.line, place.column, finding.code


def _result(file: FileReport, finding: Finding, fingerprint: str) -> dict[str, Json]:
    text = "\n".join((clip(finding.message, _MESSAGE_LENGTH), *list_causes(finding)))
    result: dict[str, Json] = {
        "ruleId": finding.code,
        "level": finding.severity.word,
        "message": _message(text),
        "locations": [_location(file, finding)],
        # GitHub compares the second; without it, it would take a hash of the line's text.
        "partialFingerprints": {
            "inertialCheck/v1": fingerprint,
            "primaryLocationLineHash": fingerprint,
        },
        # All results of a run must have the member, or none (3.27.23).
        "suppressions": [],
    }
    if related := _related_locations(file, finding):
        result["relatedLocations"] = related
    if finding.suppression is not None:
        suppression: dict[str, str] = {"kind": finding.suppression.kind}
        if finding.suppression.reason:
            suppression["justification"] = clip(finding.suppression.reason, _MESSAGE_LENGTH)
        result["suppressions"] = [suppression]
    if finding.suggestion is not None:
        result["fixes"] = [_fix(file, finding.suggestion)]
    return result


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


def _related_locations(file: FileReport, finding: Finding) -> list[Json]:
    """The related locations (3.27.22): the numbers of a finding besides the first."""
    first = pinpoint(finding)
    others = [(place, text) for place, text in list_places(finding) if place != first]
    return [
        {
            "id": number,
            "physicalLocation": _physical_location(file, place),
            "message": _message(text),
        }
        for number, (place, text) in enumerate(others, 1)
    ]


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


def _fix(file: FileReport, suggestion: Suggestion) -> dict[str, Json]:
    """A fix (3.55): the replacements in each file."""

    def path(replacement: TextReplacement) -> str:
        return replacement.place.path or file.path

    return {
        "description": _message(clip(suggestion.description, _MESSAGE_LENGTH)),
        "artifactChanges": [
            {
                "artifactLocation": _artifact(name),
                "replacements": [
                    {"deletedRegion": _region(each.place), "insertedContent": {"text": each.text}}
                    for each in group
                ],
            }
            for name, group in groupby(sorted(suggestion.replacements, key=path), key=path)
        ],
    }
