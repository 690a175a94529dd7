"""Accepted entries of configurations that no finding on the checked files needs any more."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from inertial_check.files.folders import contains
from inertial_check.model import FileReport, Finding, Place, Report
from inertial_check.rules.configuration import UnusedSuppression
from inertial_check.settings.settings import Exemption, Settings, codes_of


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
                changed[file.path] = _add_finding(so_far, finding)
        if not changed and not notes:
            return report
        files = tuple(changed.get(file.path, file) for file in report.files)
        return replace(report, files=files, notes=(*report.notes, *notes))


def _add_finding(file: FileReport, finding: Finding) -> FileReport:
    return file._replace(findings=(*file.findings, finding))


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
