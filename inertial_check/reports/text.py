"""Texts that the reports share: colour, safe text, numbers with sensible digits, counts.

Lines of a terminal: the columns that a text takes, wrapping, and cutting around a mark.

Widths are counted in columns: a wide character takes two, a combining one none. Texts have to be
printable (see reports.escaping), so that no character moves the cursor.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import floor, log10
from sys import float_info
from typing import NamedTuple

from inertial_check.checking.report import Account, Finding, Report, Severity
from inertial_check.documents.escaping import clip, guard_log, printable
from inertial_check.inertia import tolerances

_DIGITS = 6
"""Significant digits of a number for reading."""

PATH_LENGTH = 4096
"""Longest path that is shown in full [code points]; no system takes a longer one."""

_COLORS = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "path": "1",
    "code": "1",
    "label": "2",
}


COLOR = re.compile("\x1b\\[[0-9;]*m")
"""A change of colour in a text with a style."""


class RulePage(NamedTuple):
    """Description of a rule for a report.

    Attributes:
        code: IC301, ...
        name: triangle-inequality-violation, ...
        severity: Severity in this run.
        summary: Summary in one sentence.
        description: What the rule does, in one paragraph.
        page: The whole page, in Markdown.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    description: str
    page: str


class View(NamedTuple):
    """Options of a report.

    Attributes:
        exit_code: Exit code of the process.
        color: Whether forms for people use colour.
        summary: Whether forms for people end with a sentence on the whole run.
        statistics: Whether to count the findings of each rule.
        fail_on: Findings of this severity or above fail the run; None for never.
        rules: The rules of this run, by code.
        verbose: Whether the full form has all details of each finding, one by one.
        width: Width of the lines of the full form [columns].
        most_lines: Largest number of lines of the full form, as far as the groups of findings are
            concerned; None to show every group with all its places.
        paths: Paths of the command line, for the commands that the report offers.
        offers_baseline: Whether the report offers the command that writes a baseline.
        offers_fixes: Whether the report offers the command that writes remedies, if it has any.
        left: Number of files that an interrupted run has not checked; None for a complete run.
        pictures: Names and SVG of the plots of an identification, for the form html alone.
    """

    exit_code: int
    color: bool = False
    summary: bool = True
    statistics: bool = False
    fail_on: Severity | None = Severity.ERROR
    rules: tuple[RulePage, ...] = ()
    verbose: bool = False
    width: int = 100
    most_lines: int | None = None
    paths: tuple[str, ...] = ()
    offers_baseline: bool = False
    offers_fixes: bool = True
    left: int | None = None
    pictures: tuple[tuple[str, bytes], ...] = ()


class Style(NamedTuple):
    """Style of a terminal's text: with colours, or without."""

    color: bool

    def __call__(self, kind: str, text: str) -> str:
        """The text in the colour of its kind: error, warning, note, path, code, label."""
        return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if self.color else text


def location(style: Style, path: str, finding: Finding) -> str:
    """The place path:line:column, which editors and terminals turn into a link."""
    place = finding.place
    return f"{style('path', clip(place.path or path, PATH_LENGTH))}:{place.line}:{place.column}"


def number(value: float) -> str:
    """A number for reading, with six digits."""
    return f"{value:.{_DIGITS}g}"


def round_together(values: Iterable[float | None], digits: int) -> list[str]:
    """Numbers of one kind, none finer than a hundredth of the largest's last digit; - for None.

    Rounding noise beside the largest becomes 0.
    """
    known = list(values)
    largest = max((abs(value) for value in known if value), default=1.0)
    decimals = digits + 1 - floor(log10(largest))
    return ["-" if v is None else f"{round(v, decimals) + 0.0:.{digits}g}" for v in known]


def interval(low: float, high: float) -> str:
    """An interval, its ends rounded inwards: a printed end can be copied and still lies inside."""
    shown_low, shown_high = _inwards(low, up=True), _inwards(high, up=False)
    if float(shown_low) > float(shown_high):
        shown_low, shown_high = repr(low), repr(high)
    return f"{shown_low} to {shown_high}" if shown_low != shown_high else f"exactly {shown_low}"


def _inwards(value: float, up: bool) -> str:
    value = max(-float_info.max, min(value, float_info.max))  # an end beyond float64
    # Relative to its size, the margin moves by no more than the entry. So an end that is shown
    # outside the interval by this slack is still accepted: the verdict's floor covers twice that.
    slack = tolerances.FLOOR_FACTOR / 2 * float_info.epsilon * abs(value)
    text = number(value)
    beyond = value - float(text) if up else float(text) - value
    if beyond <= slack:
        return text
    unit = 10.0 ** (floor(log10(abs(value))) - _DIGITS + 1)
    return number(value + unit if up else value - unit)


def summary(report: Report, complete: bool = True) -> str:
    """The numbers of files, bodies and findings, in one sentence.

    Args:
        report: The report.
        complete: Whether the run was not interrupted.
    """
    counts = [(report.count(severity), severity.word) for severity in reversed(Severity)]
    # A run that could not do its job does not say that there is nothing to find.
    clean = complete and not report.failures
    nothing = "no findings" if clean else "nothing found in what was checked"
    found = ", ".join(plural(count, word) for count, word in counts if count) or nothing
    if report.distinct < len(report.findings):
        found += f" ({report.distinct} distinct)"
    if report.suppressed:
        found += f"; {len(report.suppressed)} suppressed"
        if report.accepted:
            found += f", of which {report.accepted} accepted (known, with reason)"
    bodies, files = plural(report.body_count, "body"), plural(len(report.files), "file")
    failures = ""
    if report.failures:
        failures = f" {plural(len(report.failures), 'failure')}: not everything could be checked."
    return f"Checked {bodies} in {files}: {found}.{failures}"


_HOWS = {
    "written": "as written",
    "expanded": "as expanded",
    "macro": "in macros",
    "part": "in part",
    "derived": "derived from shapes",
}
"""Words for how inertials were judged."""

_MOST_REASONS = 3
"""Largest number of reasons that the line of the account names."""

_REASON_LENGTH = 120
"""Longest of these reasons that is shown in full [code points]."""


def describe_account(account: Account) -> str:
    """The inertials that were found, how they were judged, and why others were not; "" of none."""
    if not account.inertials:
        return ""
    kinds = [f"{count} {_HOWS[how]}" for how, count in account.judged.items() if count]
    judged = f"{sum(account.judged.values())} judged" if kinds else ""
    if kinds and not all(how == "written" for how, count in account.judged.items() if count):
        judged += f" ({', '.join(kinds)})"
    reasons = Counter(
        printable(clip(f"needs {each.needs}" if each.needs else each.reason, _REASON_LENGTH))
        for each in account.unjudged
    )
    shown = [f"{reason} ({count})" for reason, count in reasons.most_common(_MOST_REASONS)]
    if len(reasons) > len(shown):
        shown.append(f"{plural(len(reasons) - len(shown), 'other reason')}")
    left = f"{len(account.unjudged) if judged else 'none'} {'not ' if judged else ''}judged"
    left = f"{left}: {', '.join(shown)}" if shown else ""
    found = plural(account.inertials, "inertial")
    return f"{found} found, {'; '.join(filter(None, (judged, left)))}."


def statistics(report: Report) -> str:
    """A line for each rule with its number of findings, most first; "" without findings."""
    counts = count_rules(report)
    width = max((len(str(count)) for count, _ in counts), default=0)
    return "".join(f"{count:>{width}}  {rule}\n" for count, rule in counts)


def count_rules(report: Report) -> list[tuple[int, str]]:
    """The number of findings of each rule, most first, with the rule's code and name."""
    counts = Counter((finding.code, finding.name) for finding in report.findings)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(count, f"{code} {name}") for (code, name), count in ordered]


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun.removesuffix('y') + 'ies' if noun.endswith('y') else noun + 's'}"


WIDTH = 100
"""Width of the lines of a report that is no terminal's [columns]."""

LEAST_WIDTH = 40
"""Smallest width to which lines are wrapped [columns]; on narrower terminals they run on."""

_CUT = "..."

_TAB = "    "
"""Replacement of a tab in a line of a document."""

_LEAD = 3
"""Share of a cut line that stays before its first mark is one in so many."""

_LEAST_CLAUSE = 20
"""Smallest width at which a sentence may be cut [columns]; shorter beginnings say too little."""

_ESCAPE_LENGTH = 3
"""Number of columns by which the escape of a command at the beginning of a line is longer."""

_CLAUSE_ENDS = ("; ", ": ", ". ", " (")


_UNQUOTED = dict.fromkeys(map(ord, "@%+=:,./-_"))
"""Characters besides letters and digits that no shell takes for its own."""

_ARGUMENT = re.compile(r"""(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|[^\s'"])+""")
"""An argument of a command line with its quotes."""


class SourceLine(NamedTuple):
    """A line of a document as it is shown.

    Attributes:
        text: Text without characters that act; "..." replaces parts that are cut.
        marks: First column of each mark, from 0, and its width [columns].
    """

    text: str
    marks: tuple[tuple[int, int], ...]


def align_columns(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Write rows in columns: the first of them aligned to the left, so many, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def count_columns(text: str) -> int:
    """Count the columns of a terminal that a printable text takes."""
    return len(text) if text.isascii() else sum(map(_count_column, text))


def _count_column(char: str) -> int:
    from unicodedata import category, east_asian_width  # hardly a text is not ASCII

    # Marks without a class of their own, such as the selector of emoji, take no column, either.
    return 0 if category(char) in ("Mn", "Me") else 2 if east_asian_width(char) in "WF" else 1


def count_rows(lines: Iterable[str], width: int) -> int:
    """Count the rows that printable lines take on a terminal, which breaks those that are wider."""
    return sum(max(1, -(-count_columns(line) // width)) for line in lines)


def show_source(text: str) -> str:
    """A line of a document without characters that move the cursor."""
    return printable(text.replace("\t", _TAB))


def cut_text(text: str, width: int) -> str:
    """The beginning of a printable text that fits into a width, with "..." if it is cut."""
    if count_columns(text) <= width:
        return text
    room = width - len(_CUT)
    taken = 0
    for index, char in enumerate(text):
        taken += _count_column(char)
        if taken > room:
            return text[:index] + _CUT
    return text


def cut_sentence(text: str, width: int) -> str:
    """The longest beginning of a text that fits and ends with a clause; the text where none does.

    What is left out is in the full report.
    """
    if count_columns(text) <= width:
        return text
    ends = [at for end in _CLAUSE_ENDS for at in _find_all(text, end) if at >= _LEAST_CLAUSE]
    heads = (text[:at] for at in sorted(ends, reverse=True) if count_columns(text[:at]) <= width)
    return next((head for head in heads if head.count("(") == head.count(")")), text)


def _find_all(text: str, part: str) -> Iterable[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def wrap(text: str, width: int, indent: str = "", most: int | None = None) -> list[str]:
    """Break a printable text at its spaces into lines of a width.

    Args:
        text: The text, on one line.
        width: Width of the lines, with the indentation [columns].
        indent: Beginning of each line.
        most: Largest number of lines; the last one is cut if there are more.

    Returns:
        One or more lines. A word that is wider than a line is broken; one that a build server
        would read as a command at the beginning of a line is escaped there.
    """
    room = max(width, LEAST_WIDTH) - len(indent)
    lines: list[str] = []
    line, taken = "", 0
    for word in _break_words(text.split(" "), room - _ESCAPE_LENGTH):
        needed = count_columns(word)
        if line and taken + 1 + needed > room:
            lines.append(line)
            line = ""
        if line:
            line, taken = f"{line} {word}", taken + 1 + needed
        else:
            line = guard_log(word)
            taken = count_columns(line)
    lines.append(line)
    if most is not None and len(lines) > most:
        lines[most - 1] = cut_text(f"{lines[most - 1]} {lines[most]} {_CUT}", room)
        del lines[most:]
    return [indent + each for each in lines]


def _break_words(words: Iterable[str], room: int) -> Iterable[str]:
    """The words; those wider than a line in pieces that fit."""
    for word in words:
        rest = word
        while count_columns(rest) > room:
            taken, at = 0, 0
            while taken + _count_column(rest[at]) <= room:
                taken += _count_column(rest[at])
                at += 1
            yield rest[:at]
            rest = rest[at:]
        yield rest


def write_command(*arguments: str) -> str:
    """A command line of this program that can be pasted into a shell, on one line."""
    return " ".join(("inertial-check", *map(_quote_argument, arguments)))


def plain_path(path: str) -> str:
    """A path as an argument that is taken for no option; "-" stays standard input."""
    return f"./{path}" if path[:1] == "-" != path else path


def _quote_argument(argument: str) -> str:
    """An argument in the quotes of a shell: $'...' of bash and zsh where it is not printable.

    The shell gives the program the argument itself, and not the escapes that a report shows.
    """
    if printable(argument) == argument:
        if argument.isascii() and argument.translate(_UNQUOTED).isalnum():
            return argument  # as most paths and all options
        from shlex import quote

        return quote(argument)
    acting = "#:\\'"  # the first two begin commands of a build server
    return f"$'{''.join(_escape_octal(c, c in acting) for c in argument)}'"


def _escape_octal(char: str, acting: bool) -> str:
    if char.isprintable() and not acting:
        return char
    data = os.fsencode(char) if "\udc80" <= char <= "\udcff" else char.encode("utf-8", "replace")
    return "".join(f"\\{byte:03o}" for byte in data)


def split_command(command: str) -> list[str]:
    """The arguments of a command from write_command, each with its quotes."""
    return _ARGUMENT.findall(command)


def wrap_command(arguments: Sequence[str], width: int, indent: str) -> list[str]:
    """Break a command between its arguments into lines that a shell reads as one.

    An argument is never broken, so a line with a long one may be wider.
    """
    room = max(width, LEAST_WIDTH) - len(indent) - len(" \\")
    lines = [arguments[0]]
    for argument in arguments[1:]:
        if count_columns(lines[-1]) + 1 + count_columns(argument) <= room:
            lines[-1] += f" {argument}"
        else:
            lines.append(argument)
    return [f"{indent}{line} \\" for line in lines[:-1]] + [indent + lines[-1]]


def list_names(names: Sequence[str], width: int, lead: str) -> str:
    """As many names after a lead as fit on one line, and the number of the others.

    At least one name is shown, cut if it is too wide.
    """
    text = f"{lead}{cut_text(names[0], max(width - len(lead), _LEAST_CLAUSE))}"
    shown = 1
    for name in names[1:]:
        rest = len(names) - shown - 1
        more = f", and {rest} more" if rest else ""
        if count_columns(text) + 2 + count_columns(name) + len(more) > width:
            break
        text += f", {name}"
        shown += 1
    rest = len(names) - shown
    return f"{text}, and {rest} more" if rest else text


def fit_source(text: str, marks: Sequence[tuple[int, int]], room: int) -> SourceLine:
    """Show a line of a document in a width, cut so that its first mark is seen.

    Args:
        text: The line as it is in the document.
        marks: First code point of each mark, and the one after its last.
        room: Width of the line [columns].
    """
    if count_columns(show_source(text)) > room:
        blank = len(text) - len(text.lstrip())
        blank = min([blank, *(start for start, _ in marks)])
        text, marks = text[blank:], [(start - blank, end - blank) for start, end in marks]
    lead = ""
    if count_columns(show_source(text)) > room and marks:
        first = marks[0][0]
        start = first
        while start and count_columns(show_source(text[start - 1 : first])) <= room // _LEAD:
            start -= 1
        if start:
            lead = _CUT
            text, marks = text[start:], [(a - start, b - start) for a, b in marks]
    shown = lead + show_source(text).rstrip()
    seen = room if count_columns(shown) <= room else room - len(_CUT)
    placed: list[tuple[int, int]] = []
    for start, end in marks:
        before = len(lead) + count_columns(show_source(text[:start]))
        width = max(count_columns(show_source(text[start:end])), 1)
        if before + width <= seen or not placed:
            placed.append((before, max(min(width, room - before), 1)))
    return SourceLine(cut_text(shown, room), tuple(placed))


def draw_carets(marks: Sequence[tuple[int, int]]) -> list[tuple[str, str]]:
    """The spaces and the carets of each mark, in their order."""
    pieces, at = [], 0
    for start, width in marks:
        pieces.append((" " * (start - at), "^" * width))
        at = start + width
    return pieces
