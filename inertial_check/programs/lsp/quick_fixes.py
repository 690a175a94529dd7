"""Quick fixes of findings: edits that have been tried before they are offered."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from inertial_check.checking.check import SURE
from inertial_check.checking.report import Finding, Suggestion, TextReplacement
from inertial_check.checking.suppressions import MARK
from inertial_check.documents.source import Place
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.edits import fix_model
from inertial_check.fixing.request import format_percent
from inertial_check.fixing.result import Fix
from inertial_check.fixing.suggestions import suggest_edits
from inertial_check.programs.lsp.documents import DocumentCheck, Text, recheck

_MOST_ENTRIES = 3
"""Most entries of an edit that a title shows."""

_LONGEST_NAME = 60
"""Longest name of a body in a title that is shown in full [code points]."""

_FIRST_LINE = re.compile(r"\ufeff?(?:<\?xml[^>]*\?>|#usda [^\r\n]*)")


class QuickFix(NamedTuple):
    """Edit that is offered for a finding.

    Attributes:
        title: Title, on one line.
        replacements: Replacements in the open document, or with the path of an included one.
        sure: Whether it is the one to be offered first.
        bodies: How many bodies it is about.
    """

    title: str
    replacements: tuple[TextReplacement, ...]
    sure: bool = False
    bodies: int = 1


class QuickFixes:
    """Quick fixes of the findings of one check; each is tried once.

    Args:
        checked: The check.
    """

    def __init__(self, checked: DocumentCheck) -> None:
        self._check = checked
        self._lock = Lock()
        self._known: dict[tuple[str, str | None, Place], tuple[QuickFix, ...]] = {}
        file = checked.file
        self._fixable = [each for each in (file.findings if file else ()) if each.fix is not None]

    def of(self, finding: Finding) -> tuple[QuickFix, ...]:
        """The quick fixes of a finding: undo its causes, best first; the nearest; a comment."""
        key = finding.code, finding.body_id, finding.place
        with self._lock:
            if key not in self._known:
                if finding.fix is None or finding.body_id is None:
                    nearest = None
                else:
                    fix, found = self._nearest
                    suggestion = found.get(finding.body_id)
                    if fix is None or suggestion is None:
                        nearest = None
                    else:
                        change = next(
                            each.relative_change
                            for each in fix.bodies
                            if each.id == finding.body_id
                        )
                        title = (
                            f"Move {_name(finding)} to the nearest consistent inertia "
                            f"(changes moments by {format_percent(change)})"
                        )
                        nearest = QuickFix(title, suggestion.replacements)
                comment = _suppress_in_comment(self._check, finding)
                others = [each for each in (nearest, comment) if each is not None]
                self._known[key] = (*_undo_causes(self._check, finding), *others)
            return self._known[key]

    def all(self, safe: bool) -> QuickFix | None:
        """The edit that moves all broken bodies of the document at once; None without such bodies.

        Args:
            safe: Move only bodies that `fix` moves without --unsafe.
        """
        with self._lock:
            found = self._nearest[1]
        wanted = {each.body_id or "" for each in self._fixable if each.fix == "safe" or not safe}
        wanted &= found.keys()
        if not wanted:
            return None
        replacements = dict.fromkeys(
            each for id_ in found if id_ in wanted for each in found[id_].replacements
        )
        which = "whatever has to change little" if safe else f"all {len(wanted)} broken bodies"
        title = f"Move {which} to the nearest consistent inertia"
        return QuickFix(title, tuple(replacements), bodies=len(wanted))

    @cached_property
    def _nearest(self) -> tuple[Fix | None, Mapping[str, Suggestion]]:
        """The fix of all broken bodies by method nearest, and the suggestions by their ids."""
        ids = {each.body_id for each in self._fixable if each.body_id is not None}
        fix = _fix(self._check, ids)
        return fix, _suggestions(self._check, fix)


def changes(
    checked: DocumentCheck, quick_fix: QuickFix
) -> dict[str, tuple[Text, list[TextReplacement]]]:
    """The texts that a quick fix changes, and how, by path; empty if one of them is unknown."""
    found: dict[str, tuple[Text, list[TextReplacement]]] = {}
    for each in quick_fix.replacements:
        text = checked.text_of(each.place.path)
        if text is None:
            return {}
        found.setdefault(checked.path_of(each.place), (text, []))[1].append(each)
    return found


def _fix(checked: DocumentCheck, bodies: Collection[str], cause: int | None = None) -> Fix | None:
    """The fix that `fix --unsafe` would write; None where it cannot."""
    model, settings = checked.model, checked.settings
    if model is None or settings is None or not bodies:
        return None
    try:
        return fix_model(
            model,
            unsafe=True,
            cause=cause,
            bodies=bodies,
            tolerance=settings.tolerance,
            context=settings.context,
        )
    except InertialCheckError:
        return None  # a quick fix is an offer; `fix` itself reports the reason


def _suggestions(checked: DocumentCheck, fix: Fix | None) -> Mapping[str, Suggestion]:
    if fix is None or checked.model is None:
        return {}
    return suggest_edits(checked.model, fix)


def _undo_causes(checked: DocumentCheck, finding: Finding) -> Iterator[QuickFix]:
    """The quick fixes that undo the probable causes of a finding, if they remove it."""
    if finding.bodies:
        yield from _undo_together(checked, finding)
        return
    body = finding.body_id
    for number, cause in enumerate(finding.causes, 1):
        if body is None or not (cause.edit and cause.edit["entries"]):
            continue
        fix = _fix(checked, {body}, number)
        suggestion = _suggestions(checked, fix).get(body)
        result = None if fix is None else next(each for each in fix.bodies if each.id == body)
        if suggestion is not None and result is not None and result.cause == cause.cause:
            sure = number == 1 and cause.confidence > SURE
            entries = cause.edit["entries"] if cause.edit else {}
            shown = [f"{name} = {value!r}" for name, value in entries.items()]
            if len(shown) > _MOST_ENTRIES:
                shown[_MOST_ENTRIES:] = [f"and {len(shown) - _MOST_ENTRIES} more"]
            likely = f"{100 * cause.confidence:.0f} %"
            yield QuickFix(
                f"Undo {cause.cause.replace('-', ' ')}: {', '.join(shown)} ({likely})",
                suggestion.replacements,
                sure=sure,
            )


def _undo_together(checked: DocumentCheck, finding: Finding) -> Iterator[QuickFix]:
    """The quick fixes that undo a cause of a finding on the whole model in all its bodies."""
    for number, cause in enumerate(finding.causes, 1):
        if not cause.edit:
            continue
        fix = _fix(checked, finding.body_ids, number)
        suggestions = _suggestions(checked, fix)
        mended = [
            suggestions[each.id]
            for each in (() if fix is None else fix.bodies)
            if each.id in suggestions and each.cause == cause.cause
        ]
        if mended:
            replacements = dict.fromkeys(each for one in mended for each in one.replacements)
            likely = f"{100 * cause.confidence:.0f} %"
            title = f"Undo {cause.cause.replace('-', ' ')} in {len(mended)} bodies ({likely})"
            sure = number == 1 and cause.confidence > SURE
            yield QuickFix(title, tuple(replacements), sure=sure, bodies=len(mended))


def _suppress_in_comment(checked: DocumentCheck, finding: Finding) -> QuickFix | None:
    """The quick fix that suppresses a finding by a comment; None where no comment can do that."""
    if checked.file is None or checked.model is None:
        return None
    before = (*checked.file.findings, *checked.file.suppressed)
    known = {(each.code, each.body_id) for each in before}
    known.remove((finding.code, finding.body_id))
    for replacement in _comments(checked, finding):
        text = checked.text_of(replacement.place.path)
        if text is None:
            continue
        path = checked.path_of(replacement.place)
        file = recheck(checked, {path: text.apply_replacements([replacement])})
        if file is not None and known >= {(each.code, each.body_id) for each in file.findings}:
            about = "in this file" if finding.body is None else f"of {_name(finding)}"
            return QuickFix(f"Suppress {finding.code} {about}", (replacement,))
    return None


def _comments(checked: DocumentCheck, finding: Finding) -> Iterator[TextReplacement]:
    """The comments that may suppress a finding, at their places, best first."""
    model = checked.model
    body = checked.bodies.get(finding.body_id or "")
    if body is not None and model is not None and body.span.start < body.span.end:
        place = model.place(body.span)
        text = checked.text_of(place.path)
        if text is not None:
            indent = text.before(text.span(place)[0]).removeprefix("\ufeff")
            gap = " " if indent.strip() else f"{text.line_end}{indent}"
            here = Place(place.line, place.column, place.line, place.column, place.path)
            # The body of a YAML file begins behind its key, so that a comment there is inside it.
            for word in ("ignore-next", "ignore"):
                comment = _comment(checked, f"{word}[{finding.code}]")
                yield TextReplacement(here, f"{comment}{gap}")
    elif body is None:
        text = checked.document.text
        first = _FIRST_LINE.match(text.content)
        comment = _comment(checked, f"ignore-file[{finding.code}]")
        marked = text.content.startswith("\ufeff")
        if first is None:
            yield TextReplacement(Place(1, 1, 1, 1), f"{comment}{text.line_end}")
        else:
            column = first.end() - marked + 1
            yield TextReplacement(Place(1, column, 1, column), f"{text.line_end}{comment}")


def _comment(checked: DocumentCheck, directive: str) -> str:
    text = f"{MARK} {directive}"
    unmarked = checked.document.text.content.lstrip("\ufeff")
    if unmarked.startswith("#usda") or (checked.file and checked.file.format == "ros-yaml"):
        return f"# {text}"
    return f"<!-- {text} -->"


def _name(finding: Finding) -> str:
    name = finding.body or ""
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
