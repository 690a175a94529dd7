"""Reports for programs: a JSON document, or a JSON object on each line.

The file `check.schema.json` beside this one describes the document. Both forms are ASCII only, as a
name may hold characters that no encoding can write. Numbers have full precision; NaN and the
infinities are null.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import isfinite

from inertial_check import __version__
from inertial_check.files.json import Json
from inertial_check.model import (
    ENTRIES,
    BodyReport,
    FileReport,
    Finding,
    FindingEntry,
    Prediction,
    Report,
    Severity,
)
from inertial_check.reports import View
from inertial_check.reports.details import list_disagreements
from inertial_check.reports.escaping import dump_json

SCHEMA_VERSION = "1"
TOOL = {"name": "inertial-check", "version": __version__}


class _Json(str):
    """JSON that is written already, so that the writer of what contains it takes it as it is."""

    __slots__ = ()


def render(report: Report, view: View) -> str:
    """The report as one document.

    Its outer levels have a line for each item: the document, its files, a file and its lists. So
    each body and each finding is one line, which is quick to write and easy to read and compare.
    """
    document: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        **run_members(report, view),
    }
    parts = ["{"]
    for name, value in document.items():
        parts += [f'\n "{name}": ', *_write_lines(value, 3, " "), ","]
    parts.append('\n "files": ')
    parts += _write_lines(map(_file_members, report.files), 3, " ")
    for name, value in statistics_members(report, view).items():
        parts += [f',\n "{name}": ', *_write_lines(value, 3, " ")]
    parts.append("\n}\n")
    return "".join(parts)


def render_lines(report: Report, view: View) -> str:
    """A line of type "file" for each file, by path; last the line of type "summary"."""
    head = {"type": "file", "schema_version": SCHEMA_VERSION}
    parts: list[str] = []
    for file in report.files:
        parts += [*_write_lines({**head, **_file_members(file)}, 0), "\n"]
    summary = {
        "type": "summary",
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        **run_members(report, view),
        **statistics_members(report, view),
    }
    return "".join(parts) + _dump(summary) + "\n"


def run_members(report: Report, view: View) -> dict[str, Json]:
    """The members about the whole run."""
    return {
        "summary": {
            "files": len(report.files),
            "bodies": report.body_count,
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "notes": report.count(Severity.NOTE),
            "distinct_findings": report.distinct,
            "suppressed": len(report.suppressed),
            "accepted": report.accepted,
            "exit_code": view.exit_code,
        },
        "failures": list(report.failures),
        "notes": list(report.notes),
    }


def statistics_members(report: Report, view: View) -> dict[str, Json]:
    """The number of findings of each rule, if the view asks for it."""
    if not view.statistics:
        return {}
    counts = Counter(finding.code for finding in report.findings)
    return {"statistics": dict(sorted(counts.items()))}


def _file_members(file: FileReport) -> dict[str, str | list[_Json] | None]:
    """The members about one file."""
    return {
        "path": file.path,
        "format": file.format,
        "model": file.model,
        "bodies": [_Json(_body(body)) for body in file.bodies],
        "findings": [_Json(_dump(_finding(finding))) for finding in file.findings],
    }


_PLAIN = frozenset({str, int, bool, type(None)})
"""Classes of values that JSON can write as they are."""


def plain(value: object) -> object:
    """The value with null in place of NaN and infinities, which JSON cannot write."""
    if value.__class__ in _PLAIN:  # most values; subclasses are asked for below
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, str | int):
        return value
    if isinstance(value, dict | Mapping):  # a dict is known at once, the class of others is asked
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _body(body: BodyReport) -> str:
    """The members about one body, as JSON in one line.

    Bodies are most of a report: their numbers are written here, without a dict of each.
    """
    judgement = body.judgement
    inertia = zip(ENTRIES, judgement.I_BBcm_B, strict=True)
    moments = ", ".join([f'"{name}": {_number(value)}' for name, value in inertia])
    actions = tuple([(name, each.action) for name, each in body.predictions.items()])
    others = list_disagreements(body)
    return (
        f'{{"name": {dump_json(body.name)}, "id": {dump_json(body.id)}, '
        f'"file": {dump_json(body.file)}, "line": {body.line}, '
        f'"mass": {_number(judgement.mass)}, "com": {_numbers(judgement.p_BoBcm_B)}, '
        f'"inertia": {{{moments}}}, "verdict": "{judgement.verdict}", '
        f'"margin": {_number(judgement.margin)}, "tolerance": {_number(judgement.tolerance)}, '
        f'"principal_moments": {_numbers(judgement.principal_moments)}, '
        f'"equivalent_box": {_numbers(judgement.equivalent_box)}, '
        f'"witness": {_numbers(judgement.witness)}, "engines": {_write_actions(actions)}, '
        f'"engine_details": {_write_details(others) if others else "{}"}}}'
    )


def _number(value: float | None) -> str:
    """A number of a judgement as JSON: the shortest text that is read as the same float64."""
    return float.__repr__(value) if value is not None and isfinite(value) else "null"


def _numbers(values: Sequence[float] | None) -> str:
    """A vector of a judgement as JSON; null where it is not defined."""
    return "null" if values is None else f"[{', '.join(map(_number, values))}]"


@lru_cache(maxsize=256)  # few combinations of actions are met, the usual one for most bodies
def _write_actions(actions: tuple[tuple[str, str], ...]) -> str:
    """The action of each engine as JSON."""
    return dump_json(dict(actions))


def _write_details(others: Mapping[str, Prediction]) -> str:
    """The predictions of the engines that do not accept a body as JSON."""
    return dump_json(
        {
            name: {
                "action": each.action,
                "version": each.version,
                "message": each.message or None,
                "becomes": each.becomes or None,
            }
            for name, each in others.items()
        }
    )


def _finding(finding: Finding) -> dict[str, Json]:
    place = finding.place
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "body": finding.body,
        "body_id": finding.body_id,
        "bodies": list(finding.bodies),
        "message": finding.message,
        "file": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "values": finding.values,
        "fix": finding.fix,
        "causes": [each._asdict() for each in finding.causes],
        "no_cause": finding.no_cause or None,
        "entries": [_entry(each) for each in finding.entries],
    }


def _entry(entry: FindingEntry) -> dict[str, Json]:
    """A number that a finding is about; what is as usual is left out."""
    place = entry.place
    members: dict[str, Json] = {
        "name": entry.name,
        "text": entry.text,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
    if place.path is not None:
        members["path"] = place.path
    if not entry.literal:
        members["computed"] = True
    if entry.body_id is not None:
        members["body_id"] = entry.body_id
    return members


def _dump(value: object) -> str:
    """JSON in one line; only what the encoder refuses is made plain before, which takes longer."""
    try:
        return dump_json(value)
    except (TypeError, ValueError):  # other mappings than dict; NaN and infinities
        return dump_json(plain(value))


def _write_lines(value: object, levels: int, indent: str = "") -> Iterator[str]:
    """Write JSON in pieces, with a line for each item of the outer levels.

    Args:
        value: A value of JSON; an iterator is written as the list of its items.
        levels: Number of outer levels whose items have a line each.
        indent: Spaces before the end of the value.
    """
    if isinstance(value, _Json):
        yield value
        return
    if not isinstance(value, dict | list | Iterator) or not value:
        yield _dump(value)
        return
    deeper = indent + " "
    start, end = (f"\n{deeper}", f"\n{indent}") if levels > 0 else ("", "")
    between = f",{start}" if levels > 0 else ", "
    named = isinstance(value, dict)
    opening, closing = "{}" if named else "[]"
    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    separator = ""
    for name, item in items:
        yield separator or f"{opening}{start}"
        separator = between
        if name is not None:
            yield f"{dump_json(name)}: "
        yield from _write_lines(item, levels - 1, deeper)
    yield f"{end}{closing}" if separator else f"{opening}{closing}"
