"""Quick fixes of findings: edits that have been tried before they are offered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Lock
from typing import NamedTuple

from inertial_check.checking.check import SURE
from inertial_check.checking.report import Finding, Severity, TextReplacement
from inertial_check.checking.suppressions import MARK
from inertial_check.documents.source import Place
from inertial_check.programs.lsp.documents import DocumentCheck, Text, recheck

_LONGEST_TITLE = 200
"""Longest title of a quick fix [code points]."""

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
    """Quick fixes of the findings of one check; a comment is tried once for each.

    Args:
        checked: The check.
    """

    def __init__(self, checked: DocumentCheck) -> None:
        self._check = checked
        self._lock = Lock()
        self._known: dict[tuple[str, str | None, Place], QuickFix | None] = {}
        self._findings = checked.file.findings if checked.file else ()

    def of(self, finding: Finding) -> tuple[QuickFix, ...]:
        """The quick fixes of a finding: its remedy, and a comment that suppresses it."""
        key = finding.code, finding.body_id, finding.place
        with self._lock:
            if key not in self._known:
                self._known[key] = _suppress_in_comment(self._check, finding)
            comment = self._known[key]
        remedy, found = finding.remedy, [] if comment is None else [comment]
        if remedy is not None and remedy.replacements:
            more = f" in {len(remedy.bodies)} bodies" if len(remedy.bodies) > 1 else ""
            sure = remedy.source != "nearest" and remedy.confidence > SURE
            likely = f" ({100 * remedy.confidence:.0f} %)" if remedy.source != "nearest" else ""
            title = f"Fix {_name(finding) or finding.code}{more}{likely}: {remedy.why}"
            title = title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE]}..."
            found.insert(0, QuickFix(title, remedy.replacements, sure, len(remedy.bodies)))
        return tuple(found)

    def all(self, safe: bool) -> QuickFix | None:
        """The edit that writes the remedies of all broken bodies at once; None without any.

        Args:
            safe: Write only what `fix` writes without --unsafe.
        """
        remedies = [
            each.remedy
            for each in self._findings
            if each.remedy is not None
            and each.severity is Severity.ERROR
            and each.remedy.replacements
            and (each.remedy.safe or not safe)
        ]
        if not remedies:
            return None
        bodies = {id_ for each in remedies for id_ in each.body_ids}
        replacements = dict.fromkeys(one for each in remedies for one in each.replacements)
        which = "what is sure" if safe else f"all {len(bodies)} broken bodies"
        return QuickFix(f"Fix {which}", tuple(replacements), bodies=len(bodies))


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
