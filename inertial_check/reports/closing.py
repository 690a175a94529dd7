"""The last lines of a report for people: rules by count, what was checked, and the next step."""

from __future__ import annotations

from collections import Counter

from inertial_check.model import Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.escaping import printable
from inertial_check.reports.grouping import MOST_NAMES, list_explained
from inertial_check.reports.layout import write_command
from inertial_check.reports.text import count_rules, plural, statistics, summary

_MOST_RULES = 8
"""Largest number of rules in the table; the others are counted in one line."""

_MOST_PATHS = 3
"""Largest number of files with findings that the next step names, instead of the paths given."""

_LONGEST = 1000
"""Longest path in a command that is offered [code points]."""

BASELINE = "inertial-baseline.json"
"""File that the next step names for a baseline."""


def write_closing(report: Report, view: View) -> str:
    """The last lines, which are the same in all forms for people at a terminal; "" if unwanted."""
    lines = []
    if view.statistics:
        lines += statistics(report).splitlines()
    elif view.summary:
        # A line for each of the most frequent rules, with its number of findings.
        counts = count_rules(report)
        width = max((len(str(count)) for count, _ in counts), default=0)
        shown = counts if len(counts) <= _MOST_RULES else counts[: _MOST_RULES - 1]
        rules_lines = [f"{count:>{width}}  {rule}" for count, rule in shown]
        rest = counts[len(shown) :]
        if rest:
            findings = sum(count for count, _ in rest)
            rules_lines.append(
                f"{findings:>{width}}  of {len(rest)} more rules: --statistics lists them"
            )
        lines += rules_lines
    if view.summary:
        # The sentence on the run, and those on what an interrupted or failed run has left.
        text = summary(report, complete=view.left is None)
        clean = sum(not file.findings for file in report.files)
        if clean and clean < len(report.files):
            text += f" {plural(clean, 'file')} without findings."
        summarize_lines = [text]
        if view.left is not None:
            left = plural(view.left, "file")
            summarize_lines.append(
                f"Partial report: the check was interrupted with {left} left unchecked."
            )
        lines += summarize_lines  # sentences that scripts look for are never broken
        lines += _suggest_next_steps(report, view)
    return "".join(f"{line}\n" for line in lines)


def _suggest_next_steps(report: Report, view: View) -> list[str]:
    """Up to three lines: the commands that fix what can be fixed, and that of a baseline.

    Where a cause is probable, its command is named, and those of other bodies name these bodies.
    """
    lines = []
    told = {
        id(each)
        for file in report.files
        if (explained := list_explained(file))
        for each in file.findings
        if each.fix is not None and each.body_id in explained
    }
    for severity in reversed(Severity):
        findings = [each for each in report.findings if each.severity == severity]
        fixable = [each for each in findings if each.fix is not None]
        caused = [each for each in fixable if id(each) in told]
        others = [each for each in fixable if id(each) not in told]
        unsafe = ["--unsafe"] if any(each.fix == "unsafe" for each in others) else []
        for option, part in ((["--cause", "1"], caused), (unsafe, others)):
            if part:
                of = f"{len(part)} of {plural(len(findings), severity.word)} can be fixed: "
                lines += _offer(of, _write_fix(report, part, option, bool(told), view))
        if fixable:
            break
    failing = view.fail_on is not None and any(
        each.severity >= view.fail_on for each in report.findings
    )
    if failing and view.paths and view.offers_baseline and view.left is None:
        command = _write(["check", *view.paths, "--write-baseline", BASELINE])
        lines += _offer("To fail on new findings only: ", command)
    return lines


def _write_fix(
    report: Report, fixable: list[Finding], options: list[str], named: bool, view: View
) -> str | None:
    """The command that shows the fixes of findings; None if they are too many to name.

    Args:
        report: The report that has the findings.
        fixable: The findings.
        options: How they are fixed.
        named: Whether the command has to leave other bodies alone, and so names those it means.
        view: What the user asked for.
    """
    chosen = {id(each) for each in fixable}
    files = [file for file in report.files if any(id(each) in chosen for each in file.findings)]
    paths = [file.path for file in files]
    if not named:
        paths = paths if len(paths) <= _MOST_PATHS else list(view.paths)
        return _write(["fix", *options, *paths]) if paths else None
    names: dict[str, None] = {}
    meant: set[str] = set()
    for file in files:
        own = [each for each in file.findings if id(each) in chosen]
        counts = Counter(body.name for body in file.bodies)
        for each in own:
            name = each.body or ""
            names[name if counts[name] <= 1 else each.body_id or name] = None
        meant |= {f"{file.path}\0{each.body_id}" for each in own}
    strangers = (
        body.name in names and f"{file.path}\0{body.id}" not in meant
        for file in files
        for body in file.bodies
    )
    if any(strangers) or len(names) > MOST_NAMES or len(paths) > _MOST_PATHS or not all(names):
        return None
    return _write(["fix", *options, *(w for name in names for w in ("--body", name)), *paths])


def _write(arguments: list[str]) -> str | None:
    """A command; None if one of its arguments is too long for a line that people read."""
    if sum(map(len, arguments)) > _LONGEST:
        return None
    return write_command(*arguments)


def _offer(lead: str, command: str | None) -> list[str]:
    return [] if command is None else [printable(lead) + command]
