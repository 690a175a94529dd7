"""Hover of an editor over the numbers of an inertial: what they mean, in Markdown."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np
from lsprotocol.types import Hover, MarkupContent, MarkupKind, Position, Range

from inertial_check.fixing.case import collect_numbers
from inertial_check.inertia.intervals import admissible_intervals
from inertial_check.lsp.checking import Document, DocumentCheck
from inertial_check.lsp.diagnostics import find_within
from inertial_check.lsp.texts import Text
from inertial_check.model import ENTRIES, Body, BodyReport, Finding, Number, Span
from inertial_check.reports.details import Row, describe_box, describe_engines
from inertial_check.reports.escaping import fence, printable
from inertial_check.reports.text import interval, number, plural, round_together
from inertial_check.rules.pages import as_dict, find

_LENGTH_DIGITS = 4
"""Significant digits of lengths, which are for reading only."""


class _BodyAtPosition(NamedTuple):
    """Body whose numbers are under the cursor.

    Attributes:
        body: The body as written.
        report: Its report.
        name: Name of the number under the cursor: mass, x, y, z or one of ENTRIES; None beside
            them.
        span: Span of the number or the inertial under the cursor.
    """

    body: Body
    report: BodyReport
    name: str | None
    span: Span


def describe_position(
    document: Document, checks: Sequence[DocumentCheck], position: Position
) -> Hover | None:
    """The hover over a position: the body whose numbers are there, and the rules of findings."""
    parts: list[str] = []
    where: Range | None = None
    index = document.text.index(position)
    for checked in checks:
        found = _hits(checked, document.path, document.text, index)
        if found and checked.model is not None:
            parts.append(_describe_body(found))
            where = document.text.range(checked.model.place(found[0].span))
            break
    here = Range(position, position)
    findings = [each for checked in checks for each, _ in find_within(checked, document, here)]
    parts += _describe_rules(findings)
    if not parts:
        return None
    content = MarkupContent(MarkupKind.Markdown, "\n\n".join(parts))
    return Hover(content, where)


def _hits(checked: DocumentCheck, path: str, text: Text, index: int) -> list[_BodyAtPosition]:
    """The bodies with a number at a place; without any, those whose inertial contains it.

    Args:
        checked: A check.
        path: Path of the document that was checked, or of one that it includes.
        text: Text of that document.
        index: Index of the character.
    """
    file = _number_of(checked, path, text)
    if file is None or checked.model is None or checked.file is None:
        return []
    offset = text.byte(index)
    on_number: list[_BodyAtPosition] = []
    beside: list[_BodyAtPosition] = []
    for body, report in zip(checked.model.bodies, checked.file.bodies, strict=True):
        if body.inertial is None:
            continue
        for name, each in collect_numbers(body).items():
            if _holds(each.span, file, offset):
                on_number.append(_BodyAtPosition(body, report, name, each.span or body.span))
        if _holds(body.inertial.span, file, offset):
            beside.append(_BodyAtPosition(body, report, None, body.inertial.span))
    return on_number or beside


def _describe_body(found: list[_BodyAtPosition]) -> str:
    """The numbers of the first of these bodies, and how many others share its number."""
    hit = found[0]
    others = {each.body.id for each in found} - {hit.body.id}
    also = f" (and {plural(len(others), 'other body')})" if others else ""
    rows = list(_rows(hit))
    width = max(len(row.label) for row in rows)
    lines = [f"{printable(hit.body.name)}{also}: {hit.report.judgement.verdict}"]
    lines += [f"{row.label:<{width}}  {row.text}".rstrip() for row in rows]
    return fence(lines)


def _describe_rules(findings: Iterable[Finding]) -> Iterator[str]:
    """The summaries of the rules of findings, each once."""
    for code in dict.fromkeys(finding.code for finding in findings):
        rule = find(code)
        if rule is not None:
            page = as_dict(rule)
            paragraphs = (page["summary"], *page["explanation"].values())
            said = "\n\n".join(paragraphs[:3])
            yield f"**{rule.code} {rule.name}**\n\n{said}"


def _number_of(checked: DocumentCheck, path: str, text: Text) -> int | None:
    """The number of a model's document by its path; None if it has changed since it was read."""
    if path == checked.document.path:
        return 0 if text == checked.document.text else None
    for number_, source in enumerate(() if checked.model is None else checked.model.others, 1):
        if os.path.abspath(source.path) == path:
            return number_ if source.data == text.data else None
    return None


def _holds(span: Span | None, file: int, offset: int) -> bool:
    """Whether a byte is in a span, or right behind it, where a cursor touches it, too."""
    return (
        span is not None
        and span.file == file
        and span.start <= offset <= span.end
        and span.start < span.end
    )


def _rows(hit: _BodyAtPosition) -> Iterator[Row]:
    judgement = hit.report.judgement
    yield Row("mass", f"{number(judgement.mass)} kg" if isfinite(judgement.mass) else "none")
    yield Row("centre of mass", f"{', '.join(_lengths(judgement.p_BoBcm_B))} m")
    moments = ", ".join(map(number, judgement.principal_moments))
    yield Row("principal moments", f"{moments} kg m^2")
    edges = [edge if isfinite(edge) else None for edge in judgement.equivalent_box]
    yield Row("equivalent box", describe_box(edges))
    if isfinite(judgement.margin):
        yield Row("margin", f"{judgement.margin:.4g} ({100 * judgement.margin:.4g} %)")
    if hit.name in ENTRIES:
        yield Row(f"{hit.name} admissible", _admissible(hit))
    told = list(describe_engines(hit.report))
    yield from told or [Row("engines", "all take it as it is")]


def _lengths(values: Iterable[float]) -> list[str]:
    return round_together([value if isfinite(value) else None for value in values], _LENGTH_DIGITS)


def _admissible(hit: _BodyAtPosition) -> str:
    """The interval in which the entry under the cursor is consistent, in the document's units."""
    inertial = hit.body.inertial
    entries: dict[str, Number] = {} if inertial is None else dict(inertial.I_BBcm_Bi)
    six = np.array([entries[name].value if name in entries else 0.0 for name in ENTRIES])
    low, high = admissible_intervals(six)[ENTRIES.index(hit.name or "")].tolist()
    if not isfinite(low):
        return "no value of it alone, with the others as written"
    si = inertial is None or inertial.kilograms_per_unit == inertial.meters_per_unit == 1
    unit = " kg m^2" if si else ", in the units of the document"
    return f"{interval(low, high)}{unit}, with the others as written"
