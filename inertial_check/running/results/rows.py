"""Rows of a table of results: one for each document, and one for each of its bodies.

A row is a mapping that JSON can write, with the members of COLUMNS; the row of a document has no
body, and carries the findings on the document itself and on the whole model.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from inertial_check.checking.check import DocumentResult
from inertial_check.checking.report import BodyReport, Finding
from inertial_check.documents.model import ENTRIES

Row = dict[str, Any]  # Any: each column has a type of its own

NUMBERS = ("mass", "x", "y", "z", *ENTRIES)
"""Columns of the ten inertial parameters: mass [kg], centre of mass in the body frame [m], inertia
about the centre of mass in the body's axes [kg m^2]."""

COLUMNS = (
    *("upstream", "path", "digest", "key", "inputs", "status", "note", "format", "model"),
    *("bodies", "inertials", "judged", "body", "body_id", "body_file", "line"),
    *("verdict", "margin", "tolerance", *NUMBERS),
    "findings",
    "engines",
)
"""Names of the columns, in their order."""

CHECKED, FAILED, SKIPPED, ARCHIVE = "checked", "failed", "skipped", "archive"
"""Statuses of a document: it was checked, could not be, or is no model; or it is an archive, whose
members have rows of their own."""

SURE = 0.5
"""Probability from which a finding counts for its first cause."""


def build_rows(
    upstream: str, result: DocumentResult, digest: str, key: str, inputs: str | None
) -> list[Row]:
    """Build the rows of a document: first its own, then those of its bodies in file order.

    Args:
        upstream: Name of the collection to which the document belongs.
        result: Result of the check.
        digest: Digest of the bytes of the document; "" if it cannot be read.
        key: Digest of the program, the settings and the path.
        inputs: Fingerprints of all files on which the result depends, as JSON; None if files do not
            determine it.
    """
    file = result.file
    hows = [each.how for counted in result.counted for each in counted.inertials]
    row: Row = {
        "upstream": upstream,
        "path": result.path,
        "digest": digest,
        "key": key,
        "inputs": inputs,
        "status": CHECKED,
        "note": result.failure or result.note,
        "format": None,
        "model": None,
        "bodies": 0,
        "inertials": len(hows),
        "judged": len(hows) - hows.count(""),
        "findings": [],
    }
    rows = [row]
    if file is not None:
        row |= {"format": file.format, "model": file.model, "bodies": len(file.bodies)}
        # The findings that count, by the id of their body; None for those on the whole document.
        known = {body.id for body in file.bodies}
        by_body: dict[str | None, list[Row]] = {}
        for finding in file.findings:
            where = finding.body_id if finding.body_id in known else None
            by_body.setdefault(where, []).append(describe_finding(finding))
        row["findings"] = by_body.get(None, [])
        same = {"upstream": upstream, "path": result.path, "format": file.format, "status": CHECKED}
        rows += (_body_row(same, body, by_body.get(body.id, [])) for body in file.bodies)
    elif result.failure is None:
        row["status"] = SKIPPED
    if result.failure is not None:
        row["status"] = FAILED
    return rows


def describe_finding(finding: Finding) -> Row:
    """Describe a finding by the members of its row: code, place, message and first cause."""
    cause = finding.causes[0] if finding.causes else None
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "line": finding.place.line,
        "column": finding.place.column,
        "message": finding.message,
        "fact": finding.fact or None,
        "cause": None if cause is None else cause.cause,
        "confidence": None if cause is None else cause.confidence,
    }


def _body_row(same: Row, body: BodyReport, findings: Sequence[Row]) -> Row:
    judgement = body.judgement
    numbers = judgement.ten
    return {
        **same,
        "body": body.name,
        "body_id": body.id,
        "body_file": body.file,
        "line": body.line,
        "verdict": judgement.verdict,
        "margin": _finite(judgement.margin),
        "tolerance": _finite(judgement.tolerance),
        **{name: _finite(value) for name, value in zip(NUMBERS, numbers, strict=True)},
        "findings": findings,
        "engines": {name: each.action for name, each in body.predictions.items()},
    }


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
