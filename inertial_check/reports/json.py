"""Reports for programs: a JSON document, or a JSON object on each line.

The file `check.schema.json` beside this one describes the document. Both forms are ASCII only, as a
name may hold characters that no encoding can write. Numbers have full precision; NaN and the
infinities are null.

Identity of a finding from run to run: the path of its file, and a fingerprint.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from math import isfinite
from urllib.parse import quote

from inertial_check import __version__
from inertial_check.checking.report import (
    BodyReport,
    FileReport,
    Finding,
    FindingEntry,
    Remedy,
    Report,
    Severity,
)
from inertial_check.documents.escaping import dump_json
from inertial_check.documents.files.access import Json
from inertial_check.documents.model import ENTRIES
from inertial_check.reports.terminal import select_disagreements
from inertial_check.reports.text import View

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
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        **run_members(report, view),
        "files": [_file_members(file) for file in report.files],
        **statistics_members(report, view),
    }
    return "".join(_write_lines(document, 4)) + "\n"


def render_lines(report: Report, view: View) -> str:
    """A line of type "file" for each file, by path; last the line of type "summary"."""
    head = {"type": "file", "schema_version": SCHEMA_VERSION}
    summary = {
        "type": "summary",
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        **run_members(report, view),
        **statistics_members(report, view),
    }
    lines = ["".join(_write_lines({**head, **_file_members(file)}, 0)) for file in report.files]
    return "".join(f"{line}\n" for line in (*lines, _dump(summary)))


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
        "account": {
            "inertials": report.account.inertials,
            "judged": dict(report.account.judged),
            "unjudged": [
                {name: value for name, value in each._asdict().items() if name != "new" or value}
                for each in report.account.unjudged
            ],
            "skipped": [vars(each) for each in report.account.skipped],
            "lowered_by": [each._asdict() for each in report.account.lowered_by],
        },
        "failures": list(report.failures),
        "notes": list(report.notes),
    }


def statistics_members(report: Report, view: View) -> dict[str, Json]:
    """The number of findings of each rule, if the view asks for it."""
    counts = Counter(finding.code for finding in report.findings)
    return {"statistics": dict(sorted(counts.items()))} if view.statistics else {}


def _file_members(file: FileReport) -> dict[str, str | list[_Json] | None]:
    """The members about one file."""
    return {
        "path": file.path,
        "format": file.format,
        "model": file.model,
        "bodies": [_Json(_dump(_body(body))) for body in file.bodies],
        "findings": [_Json(_dump(_finding(finding))) for finding in file.findings],
        **({"validators": _Json(_dump(plain(file.validators)))} if file.validators else {}),
    }


def plain(value: object) -> object:
    """The value as JSON can write it: null for NaN and infinities, records by their fields."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Severity):
        return value.word
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _body(body: BodyReport) -> dict[str, Json]:
    judgement, predictions = body.judgement, body.predictions
    return {
        "name": body.name,
        "id": body.id,
        "file": body.file,
        "line": body.line,
        "mass": judgement.mass,
        "com": list(judgement.p_BoBcm_B),
        "inertia": dict(zip(ENTRIES, judgement.I_BBcm_B, strict=True)),
        "verdict": judgement.verdict,
        "margin": judgement.margin,
        "tolerance": judgement.tolerance,
        "principal_moments": list(judgement.principal_moments),
        "equivalent_box": list(judgement.equivalent_box),
        "witness": None if judgement.witness is None else list(judgement.witness),
        "engines": {name: each.action for name, each in predictions.items()},
        "engine_details": {
            name: {
                "action": each.action,
                "version": each.version,
                "message": each.message or None,
                "becomes": each.becomes or None,
            }
            for name, each in select_disagreements(predictions.items()).items()
        },
        **({"attributes": dict(body.attributes)} if body.attributes else {}),
    }


def _finding(finding: Finding) -> dict[str, Json]:
    place = finding.place
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "body": finding.body,
        "body_id": finding.body_id,
        "bodies": list(finding.bodies),
        "uses": [{"path": path, "body": body} for path, body in finding.uses],
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
        "remedy": None if finding.remedy is None else _remedy(finding.remedy),
        "entries": [_entry(each) for each in finding.entries],
    }


def _remedy(remedy: Remedy) -> dict[str, Json]:
    """What to write, with the digits of the document."""
    pairs = zip(remedy.bodies, remedy.body_ids, remedy.edits, strict=False)
    return {
        "bodies": list(remedy.bodies),
        "edits": [
            {"body": name, "body_id": id_, "entries": dict(edit)} for name, id_, edit in pairs
        ],
        "source": remedy.source,
        "why": remedy.why,
        "confidence": remedy.confidence,
        "others": list(remedy.others),
        "leaves": [{"code": code, "body_id": id_} for code, id_ in remedy.leaves],
        "safe": remedy.safe,
        "helps": remedy.helps,
        "change": remedy.change,
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
    if levels > 0 and isinstance(value, list) and isinstance(value[0], _Json):
        yield f"[{start}{between.join(value)}{end}]"
        return
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


_DRIVE = re.compile(r"[A-Za-z]:/")
_LENGTH = 32
"""Number of hexadecimal digits of a fingerprint: 128 bits."""


def normalize_path(path: str) -> str:
    """The path as a code host writes it: without "./", and "." for the empty path."""
    return posixpath.normpath(path.replace("\\", "/") if _DRIVE.match(path) else path)


def is_absolute(path: str) -> bool:
    """Whether a path begins at a root or a drive."""
    return path.startswith("/") or _DRIVE.match(path) is not None


def uri(path: str) -> str:
    """The path as a URI reference: bytes that are no text, and reserved characters, are escaped.

    An absolute path becomes file://...; a relative one stays relative.
    """
    normal = normalize_path(path)
    prefix = ("file://" if normal.startswith("/") else "file:///") if is_absolute(path) else ""
    # Lone surrogates stand for bytes that are not UTF-8, as os.fsdecode gives them.
    errors = (
        "surrogatepass"
        if any("\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff" for char in normal)
        else "surrogateescape"
    )
    data = normal.encode("utf-8", errors)
    # A colon in the first segment would read as the end of a scheme.
    return prefix + quote(data, safe="/:" if prefix else "/")


def fingerprints(file: FileReport, findings: Iterable[Finding]) -> list[str]:
    """Fingerprints of findings: digests of file, body and rule, without lines and numbers.

    Several findings of a rule on one body differ by their sequence number.
    """
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        key = "\0".join((normalize_path(file.path), finding.body_id or "", finding.code))
        seen[key] += 1
        result.append(fingerprint_of(f"{key}\0{seen[key]}"))
    return result


def fingerprint_of(text: str) -> str:
    """Digest of a text, in hexadecimal digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
