"""Suggested edits at the findings of a report: the numbers that `fix --unsafe` would write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import inf

from inertial_check.checking.check import Document
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.fix import fix_model
from inertial_check.fixing.result import Fix
from inertial_check.formats import load
from inertial_check.model import (
    Body,
    Edit,
    FileReport,
    Model,
    Report,
    Source,
    Span,
    Suggestion,
    TextReplacement,
)
from inertial_check.settings.settings import Settings

_WORD = re.compile(r"[^\s\"'<>=,;()\[\]{}]+")
"""A word of a document: numbers are separated by white space, quotes, brackets and the like."""


def add_suggestions(
    report: Report,
    settings_of: Callable[[str], Settings],
    stdin: Document | None = None,
) -> Report:
    """The report with the edits of `fix --unsafe` at the findings that they remove.

    Every file that has such findings is read once more; nothing is written. A file that cannot be
    fixed as a whole, or whose numbers are binary data, keeps its findings as they are.

    Args:
        report: Report of a check.
        settings_of: Gives the settings of the file at a path.
        stdin: The document read from standard input, if it was checked.
    """
    files = tuple(_add_to_file(file, settings_of(file.path), stdin) for file in report.files)
    return replace(report, files=files)


def _add_to_file(file: FileReport, settings: Settings, stdin: Document | None) -> FileReport:
    ids = {each.body_id for each in file.findings if each.fix is not None and each.body_id}
    if not ids:
        return file
    data = stdin.data if stdin is not None and stdin.path == file.path else None
    try:
        path = file.path
        model = load(path if data is None else data, path=path, context=settings.context)
        fix = fix_model(
            model,
            unsafe=True,
            bodies=ids,
            tolerance=settings.tolerance,
            context=settings.context,
        )
    except InertialCheckError:
        return file  # a suggestion is an extra; `fix` itself reports the reason
    suggestions = suggest_edits(model, fix)
    return file._replace(
        findings=tuple(
            finding
            if finding.fix is None
            else finding._replace(suggestion=suggestions.get(finding.body_id or ""))
            for finding in file.findings
        )
    )


def suggest_edits(model: Model, fix: Fix) -> Mapping[str, Suggestion]:
    """The suggestion for each body that is fixed, by its id."""
    if fix.layer is not None:
        return {}
    edits = list(_find_changed_words(fix.source, fix.data, 0))
    numbers = {id(source): number for number, source in enumerate(model.others, 1)}
    for source, data in fix.others:
        edits += _find_changed_words(source, data, numbers[id(source)])
    fixed = {result.id: result for result in fix.bodies if result.status == "fixed"}
    spans = {body.id: _spans(body) for body in model.bodies if body.id in fixed}
    edits_of: dict[str, list[Edit]] = {id_: [] for id_ in spans}
    for edit in edits:
        for id_ in _find_owners(edit.span, spans):
            edits_of[id_].append(edit)
    return {
        id_: Suggestion(
            f"The nearest inertia that a body can have; {fixed[id_].reason}",
            tuple(TextReplacement(model.place(edit.span), edit.text) for edit in sorted(own)),
        )
        for id_, own in edits_of.items()
        if own
    }


def _find_changed_words(source: Source, data: bytes, file: int) -> Iterator[Edit]:
    """The edits between a document and its new bytes, word by word; none where words are added."""
    if data == source.data:
        return
    first = len(source.bom)
    old = source.data[first:].decode(source.encoding, "surrogateescape")
    new = data[first:].decode(source.encoding, "surrogateescape")
    words = list(_WORD.finditer(old)), _WORD.findall(new)
    if len(words[0]) != len(words[1]):
        return
    at, offset = 0, first
    for word, text in zip(*words, strict=True):
        if word[0] != text:
            offset += len(old[at : word.start()].encode(source.encoding, "surrogateescape"))
            end = offset + len(word[0].encode(source.encoding, "surrogateescape"))
            yield Edit(Span(offset, end, file), text)
            at, offset = word.end(), end


def _spans(body: Body) -> list[Span]:
    entries = body.inertial.I_BBcm_Bi.values() if body.inertial is not None else ()
    return [number.span for number in entries if number.span is not None]


def _find_owners(span: Span, spans: Mapping[str, list[Span]]) -> list[str]:
    """Ids of the bodies whose numbers an edit changes.

    An edit beside all numbers of bodies repeats one of them, as iyx beside ixy does: it belongs to
    the nearest.
    """

    def distance(other: Span) -> float:
        if other.file != span.file:
            return inf
        return max(other.start - span.end, span.start - other.end, 0)

    distances = {id_: min(map(distance, own), default=inf) for id_, own in spans.items()}
    least = min(distances.values(), default=inf)
    return [id_ for id_, each in distances.items() if each == least < inf]
