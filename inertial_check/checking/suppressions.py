"""Comments that suppress findings: the rules that they name, and the findings that they concern.

Suppression of findings by comments in a document or by a configuration.

Accepted entries of configurations that no finding on the checked files needs any more.

The comment `inertial-check: ignore[IC101, IC3] reason`, first inside an element, concerns that
element; `ignore-next[...]` the next element; `ignore-file[...]`, at the top, the whole document.
With `accept` in place of `ignore` a finding is accepted as known, for which a reason is needed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from inertial_check.checking.limits import MOST_SUPPRESSIONS, MOST_TOLD
from inertial_check.checking.report import FileReport, Finding, Report, Suppression
from inertial_check.checking.rules.document import InvalidSuppression, UnusedSuppression
from inertial_check.checking.settings import Exemption, Settings, codes_of, validate_selector
from inertial_check.documents.comments import Comment, find_comments
from inertial_check.documents.files.access import contains
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Place, Span
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError

MARK = "inertial-check:"


class SortedFindings(NamedTuple):
    """Findings of one document.

    Attributes:
        counting: The findings that count.
        suppressed: The findings that do not count, each with its suppression.
    """

    counting: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]


def sort_findings(findings: Iterable[Finding], model: Model, settings: Settings) -> SortedFindings:
    """Separate the findings on a model that count from suppressed ones, and check the comments.

    Args:
        findings: Findings of all rules except those about suppressions, which are added here.
        model: The model.
        settings: Settings of the check; exemptions apply to findings that no comment concerns.
    """
    sources = (model.source, *model.others)
    if not any(MARK.encode(source.encoding) in source.data for source in sources):
        return apply_exemptions(findings, model.source.path, settings)

    directives = Directives(model, settings)
    if not directives.found and not directives.invalid:
        return apply_exemptions(findings, model.source.path, settings)
    judged = [directives.apply(finding) for finding in (*findings, *directives.invalid)]
    unused = list(islice(directives.report_unused_selectors(), MOST_TOLD))
    judged += [directives.apply(finding) for finding in unused]
    return apply_exemptions(judged, model.source.path, settings)


def apply_exemptions(findings: Iterable[Finding], path: str, settings: Settings) -> SortedFindings:
    """Separate the findings on a document that count from those that a configuration exempts."""
    counting: list[Finding] = []
    suppressed: list[Finding] = []
    for finding in findings:
        each = finding
        if each.suppression is None:
            covering = (x for x in settings.exemptions if x.covers(finding, path))
            if (exemption := next(covering, None)) is not None:
                suppression = Suppression("external", exemption.reason, exemption.accepted)
                each = finding._replace(suppression=suppression)
        (counting if each.suppression is None else suppressed).append(each)
    return SortedFindings(tuple(counting), tuple(suppressed))


_DIRECTIVE = re.compile(
    rf"\s*{MARK}\s*(?P<word>[\w-]*)\s*(?P<bracket>\[(?P<codes>[^\]]*)\])?(?P<reason>.*)", re.DOTALL
)
_WORDS = ("ignore", "ignore-next", "ignore-file", "accept", "accept-next", "accept-file")
_ACCEPT = "accept"
_BLANKETS = frozenset(["ALL", "IC"])


class _Directive:
    """The suppression that one comment states.

    Attributes:
        selectors: Selectors of the rules that it names.
        reason: The reason given in the comment.
        scope: The element or document that it concerns.
        span: Place of the comment.
        accepted: Whether it accepts the findings as known.
        used: The selectors by which it has suppressed a finding.
    """

    def __init__(
        self,
        selectors: tuple[str, ...],
        reason: str,
        scope: Place,
        span: Span,
        accepted: bool = False,
    ) -> None:
        self.selectors = selectors
        self.reason = reason
        self.scope = scope
        self.span = span
        self.accepted = accepted
        self.used: set[str] = set()

    def suppresses(self, finding: Finding, places: Iterable[Place]) -> bool:
        """Whether it concerns a finding at these places; records the selectors that were used."""
        meant = {each for each in self.selectors if finding.code in codes_of(each)}
        if not meant or not any(_holds(self.scope, place) for place in places):
            return False
        self.used |= meant
        return True


class Directives:
    """The directives of a model's documents."""

    def __init__(self, model: Model, settings: Settings) -> None:
        self._model = model
        self._on = {rule.code for rule in settings.rules()}
        self._settings = settings
        self.found: list[_Directive] = []
        self.invalid: list[Finding] = []
        self._named = 0
        for number, source in enumerate((model.source, *model.others)):
            for comment in find_comments(source, MARK, number, MOST_SUPPRESSIONS + 1):
                if self._named <= MOST_SUPPRESSIONS:
                    self._read(comment)
        self._bodies = (
            {body.id: body for body in (*model.bodies, *model.macros)} if self.found else {}
        )

    def apply(self, finding: Finding) -> Finding:
        """Add the suppression of the innermost comment that concerns a finding, if there is one."""
        places = self._places(finding)
        covering = [each for each in self.found if each.suppresses(finding, places)]
        if not covering:
            return finding
        inner = max(covering, key=lambda each: (each.scope.line, each.scope.column))
        suppression = Suppression("inSource", inner.reason, inner.accepted)
        return finding._replace(suppression=suppression)

    def report_unused_selectors(self) -> Iterator[Finding]:
        """Report each selector that could have suppressed a finding, but has not.

        Templates and included documents are exempt, as other models may need their comments; so
        are rules that examine more than the document.
        """
        if UnusedSuppression.code not in self._on or self._model.format == "xacro":
            return
        rule = UnusedSuppression(self._model, self._settings.severity(UnusedSuppression))
        for directive in self.found:
            for selector in directive.selectors:
                codes = codes_of(selector)
                if directive.span.file or selector in directive.used or not codes <= self._on:
                    continue
                if not any(code.startswith(UnusedSuppression.UNDECIDED) for code in codes):
                    yield rule.on_comment(selector, len(directive.selectors), directive.span)

    def _places(self, finding: Finding) -> Sequence[Place]:
        """The places of a finding: its numbers and its body, in whatever file they are written."""
        body: Body | None = self._bodies.get(finding.body_id or "")
        if body is None:
            return [finding.place]
        places = [finding.place, self._model.place(body.span)]
        if body.inertial is not None and not _holds(places[1], finding.place):
            places.append(self._model.place(body.inertial.span))
        return places

    def _read(self, comment: Comment) -> None:
        match = _DIRECTIVE.match(comment.text)
        if match is None:
            return  # a comment in prose that only mentions the program
        word, codes = match["word"], match["codes"]
        if word not in _WORDS:
            hint = suggest_name(word, _WORDS, f": expected {', '.join(_WORDS)}")
            self._complain(comment, f"{MARK} knows no {word!r}{hint}")
            return
        names = [name.strip() for name in (codes or "").split(",") if name.strip()]
        self._named += max(len(names), 1)
        if self._named > MOST_SUPPRESSIONS:
            what = f"comments of this document name more than {MOST_SUPPRESSIONS} rules, which is "
            what += "the limit: this comment and those behind it suppress nothing"
            self.invalid = self.invalid[: MOST_TOLD - 1]
            self._complain(comment, f"{what}; write per-body-ignores into a configuration")
            return
        if not names:
            self._complain(comment, f"{word} names no rules: write {word}[IC301], with their codes")
            return
        reason, accepted = " ".join(match["reason"].split()), word.startswith(_ACCEPT)
        if accepted and not reason:
            self._complain(comment, f"{word} gives no reason: write it after the brackets")
            return
        selectors = tuple(name for name in dict.fromkeys(names) if self._is_known(name, comment))
        scope = self._scope(word, comment)
        if scope is not None and selectors:
            self.found.append(_Directive(selectors, reason, scope, comment.span, accepted))

    def _is_known(self, name: str, comment: Comment) -> bool:
        if name in _BLANKETS:
            self._complain(comment, f"{name} would ignore every rule: name those that are meant")
            return False
        try:
            validate_selector(name)
        except UsageError as error:
            self._complain(comment, str(error))
            return False
        return True

    def _scope(self, word: str, comment: Comment) -> Place | None:
        """The place that a comment concerns; None, with a finding, in a wrong position."""
        if word.endswith("-file") and comment.top:
            here = self._model.place(comment.span)
            return Place(1, 1, sys.maxsize, 1, here.path)
        if word.endswith("-file"):
            where = "inside an element: put it at the top of the document"
        elif word.endswith("-next") and comment.next is not None:
            return self._model.place(comment.next)
        elif word.endswith("-next"):
            where = "behind the last element: put it before the one that it is about"
        elif comment.inside is not None and not comment.follows:
            return self._model.place(comment.inside)
        elif comment.inside is None:
            where = "outside of all elements: put it first inside the one that it is about, or "
            where += f"write {word}-file"
        else:
            where = "behind another element: put it first inside the one that it is about, or "
            where += f"before that as {word}-next"
        self._complain(comment, f"{word} stands {where}")
        return None

    def _complain(self, comment: Comment, message: str) -> None:
        if InvalidSuppression.code in self._on and len(self.invalid) < MOST_TOLD:
            severity = self._settings.severity(InvalidSuppression)
            rule = InvalidSuppression(self._model, severity)
            self.invalid.append(rule.at(comment.span, message))


def _holds(scope: Place, place: Place) -> bool:
    """Whether a place lies within another."""
    begins = (scope.line, scope.column) <= (place.line, place.column)
    ends = (place.end_line, place.end_column) <= (scope.end_line, scope.end_column)
    return scope.path == place.path and begins and ends


class _State:
    """The state of an accepted entry after those files of a run that were told so far.

    Attributes:
        seen: The first file, by path, whose configuration has the entry, and its place there.
        file: Report of the first file, by path, that the entry is about; None without any.
        unused: Whether the silence of the rules on all these files proves that nothing needs it.
    """

    def __init__(self, seen: tuple[str, int]) -> None:
        self.seen = seen
        self.file: FileReport | None = None
        self.unused = True


class Acceptances:
    """The accepted entries of the configurations of a run, which may be idle.

    Files are told one by one, as soon as they are checked and in any order; of each entry the
    report of one file is kept.

    Args:
        settings_of: Gives the settings of the file at a path.
    """

    def __init__(self, settings_of: Callable[[str], Settings]) -> None:
        self._settings_of = settings_of
        self._states: dict[tuple[Place, Exemption], _State] = {}

    def add(self, file: FileReport) -> None:
        """Tell the report of a file."""
        settings = self._settings_of(file.path)
        for at, entry in enumerate(settings.exemptions):
            if not entry.accepted or entry.place is None:
                continue
            state = self._states.setdefault((entry.place, entry), _State((file.path, at)))
            state.seen = min(state.seen, (file.path, at))
            if entry.concerns(file.path, (body.file for body in file.bodies)):
                state.unused = state.unused and _is_silent(entry, file, settings)
                if state.file is None or file.path < state.file.path:
                    state.file = file

    def report_unused(self, report: Report, folders: Sequence[str]) -> Report:
        """Report the entries that no finding on the files needs.

        An entry becomes a finding on the first of its files that was checked. One that is about no
        file becomes a note. A run that did not search the folder of the configuration may have left
        out the files that need an entry, so that it is silent, unless the entry names one file and
        no pattern.

        Args:
            report: Report of the run; a file that gets a finding is replaced by what was told.
            folders: Folders that the run searched as a whole.
        """
        real = [os.path.realpath(folder) for folder in folders]
        changed: dict[str, FileReport] = {}
        notes: list[str] = []
        states = sorted(self._states.items(), key=lambda item: item[1].seen)
        for (place, entry), state in states:
            file = state.file
            whole = any(contains(each, os.path.realpath(entry.files.folder)) for each in real)
            exact = entry.files.exact_path
            if not (whole or (file is not None and exact == os.path.abspath(file.path))):
                continue
            if file is None and not (exact is not None and os.path.lexists(exact)):
                idle = f"accepted: no file that was checked matches {entry.files.pattern}"
                notes.append(f"{place.path}:{place.line}: {idle}")
            elif file is not None and state.unused and _has_silent_rules(entry):
                severity = self._settings_of(file.path).severity(UnusedSuppression)
                finding = UnusedSuppression.on_entry(place, severity, entry.files.pattern)
                so_far = changed.get(file.path, file)
                changed[file.path] = so_far._replace(findings=(*so_far.findings, finding))
        if not changed and not notes:
            return report
        files = tuple(changed.get(file.path, file) for file in report.files)
        return replace(report, files=files, notes=(*report.notes, *notes))


def _list_codes(entry: Exemption) -> frozenset[str]:
    return frozenset(code for selector in entry.selectors for code in codes_of(selector))


def _is_silent(entry: Exemption, file: FileReport, settings: Settings) -> bool:
    """Whether all rules of an entry ran on a file, and none has found anything."""
    on = {rule.code for rule in settings.rules()}
    codes = _list_codes(entry)
    if UnusedSuppression.code not in on or not codes <= on or settings.geometry != "auto":
        return False
    if file.format is None:  # its bodies were not checked
        return False
    return not any(entry.covers(each, file.path) for each in (*file.findings, *file.suppressed))


def _has_silent_rules(entry: Exemption) -> bool:
    """Whether the silence of the rules of an entry proves anything."""
    undecided = any(code.startswith(UnusedSuppression.UNDECIDED) for code in _list_codes(entry))
    return "ALL" in entry.selectors or not undecided
