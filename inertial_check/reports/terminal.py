"""Reports for people at a terminal: groups of findings, a paragraph or a line for each finding.

Groups of findings as text: four lines each, and the places where the mistake is.

The last lines of a report for people: rules by count, what was checked, and the next step.

Details of a finding: lines of the document, numbers, probable causes, engines, and the fix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from inertial_check.checking.report import (
    Action,
    BodyReport,
    Excerpt,
    FileReport,
    Finding,
    FindingEntry,
    Hypothesis,
    MarkedLine,
    Prediction,
    Report,
    Severity,
    Values,
)
from inertial_check.documents.escaping import clip, printable
from inertial_check.documents.source import Place
from inertial_check.reports.grouping import (
    FindingGroup,
    describe_remedy,
    group_findings,
    is_remedied,
    write_remedy_command,
)
from inertial_check.reports.text import (
    COLOR,
    PATH_LENGTH,
    Style,
    View,
    align_columns,
    count_columns,
    count_rows,
    count_rules,
    cut_sentence,
    cut_text,
    describe_account,
    draw_carets,
    fit_source,
    interval,
    list_names,
    location,
    number,
    plain_path,
    plural,
    round_together,
    show_source,
    split_command,
    statistics,
    summary,
    wrap,
    wrap_command,
    write_command,
)

_LONGEST_SENTENCE = 2000
"""Longest sentence of which a beginning is shown [code points]."""

_NAME_WIDTH = 60
"""Largest width of the name of a body [columns]."""

_LONGEST_NAME = 4 * _NAME_WIDTH
"""Longest name that is shown in full [code points]: combining characters take no column."""

_LONGEST_NUMBER = 24
"""Longest number of a document that is shown in full [code points]."""

_MOST_ENTRIES = 3
"""Largest number of entries of an edit that are shown; the full report has all."""

_WITH_VALUE = ("--body", "--config", "--expect", "--package-path", "--select", "--xacro-arg")
"""Options of a fix that are kept on one line with their values."""

_LEAST_ROOM = 50
"""Smallest width for a message behind its title [columns]; with less it has its own line."""

_INDENT = "  "


class GroupDrawing:
    """Drawing of groups as lines.

    Args:
        style: Colours.
        width: Width of the lines [columns].
        complete: Whether all places of a group are listed.
    """

    def __init__(self, style: Style, width: int, complete: bool = False) -> None:
        self._style = style
        self._width = width
        self._complete = complete

    def draw(self, group: FindingGroup) -> list[str]:
        """The lines of a group: title and message, source, places, cause and fix."""
        style, finding = self._style, group.representative.finding
        place = finding.place if finding.guilty is None else finding.guilty.place
        path = clip(place.path or group.representative.file.path, PATH_LENGTH)
        where = f":{place.line}:{place.column}: "
        body = "" if finding.body is None else f" [{_shorten_name(finding.body)}]"
        plain = f"{path}{where}{group.severity.word} {group.code}{body}"
        title = (
            f"{style('path', path)}{where}"
            f"{style(group.severity.word, group.severity.word)} {style('code', group.code)}{body}"
        )
        message = clip(group.message, _LONGEST_SENTENCE)
        room = self._width - count_columns(plain) - 1
        short = cut_sentence(message, room) if group.command else message
        if room >= _LEAST_ROOM and count_columns(short) <= room:
            lines = [f"{title} {short}"]
        else:
            room = self._width - len(_INDENT)
            short = cut_sentence(message, room) if group.command else message
            lines = [title, *wrap(short, self._width, _INDENT, most=3)]
        lines += self._draw_source(group)
        if group.findings > 1 or group.bodies > 1:
            lines += self._list_places(group)
        for label, texts in (("why:", self._explain(group)), ("fix:", self._offer_fix(group))):
            for index, text in enumerate(texts):
                lead = self._style("label", label) if index == 0 else " " * len(label)
                lines.append(f"{_INDENT}{lead} {text}")
        return lines

    def _draw_source(self, group: FindingGroup) -> Iterator[str]:
        """The line of the guilty number, and carets under it; nothing for binary documents."""
        finding = group.representative.finding
        if finding.guilty is not None:
            line, text, marks = (
                finding.guilty.place.line,
                finding.guilty.text,
                finding.guilty.marks,
            )
        elif finding.excerpt is not None:
            first = finding.excerpt.lines[0]
            line, text, marks = first.number, first.text, ((first.start, first.end),)
        else:
            return
        number, margin = f"{line} |", f"{'':>{len(str(line))}} |"
        shown = fit_source(text, marks, self._width - len(_INDENT) - len(number) - 1)
        yield f"{_INDENT}{self._style('label', number)} {shown.text}".rstrip()
        word = group.severity.word
        carets = [gap + self._style(word, mark) for gap, mark in draw_carets(shown.marks)]
        yield f"{_INDENT}{self._style('label', margin)} {''.join(carets)}"

    def _list_places(self, group: FindingGroup) -> list[str]:
        names = [_shorten_name(name) for name in _list_bodies(group)]
        files = list(dict.fromkeys(member.file.path for member in group.members))
        lead = plural(group.bodies, "body") if group.bodies else plural(group.findings, "finding")
        if group.bodies not in (0, group.findings):
            lead += f", {plural(group.findings, 'finding')}"
        if len(files) > 1:
            lead += f" in {len(files)} files"
        if self._complete:
            # Every place of a group, by its file.
            by_file: dict[str, list[str]] = {}
            for member in group.members:
                places = by_file.setdefault(member.file.path, [])
                finding = member.finding
                places += [
                    _shorten_name(name) for name in finding.bodies or (finding.body,) if name
                ]
            lines = [f"{_INDENT}{lead}:"] if len(by_file) > 1 else []
            for path, places in by_file.items():
                title = clip(path, PATH_LENGTH) if len(by_file) > 1 else lead
                text = f"{title}: {', '.join(places)}" if places else title
                lines += wrap(text, self._width, _INDENT * (1 + (len(by_file) > 1)))
            return lines
        width = self._width - len(_INDENT)
        lines = [_INDENT + list_names(names, width, f"{lead}: ")] if names else []
        if len(files) > 1:
            own = group.representative.file.path
            others = [clip(path, PATH_LENGTH) for path in files if path != own]
            shared = f"{'also in' if names else lead + ', also'}: "
            # The paths without the folder that they have in common.
            folder = others[0].split("/")[:-1]
            for path in others:
                while folder and path.split("/")[: len(folder)] != folder:
                    folder.pop()
            length = len("/".join(folder)) + 1 if folder else 0
            lines.append(_INDENT + list_names([path[length:] for path in others], width, shared))
        elif not names:
            lines.append(_INDENT + lead)
        return lines

    def _explain(self, group: FindingGroup) -> list[str]:
        """The first cause with its confidence, the first clause of its evidence, and its edit."""
        finding, cause = group.representative.finding, group.cause
        room = self._width - len("  why: ")
        if cause is None:
            text = f"no cause stands out: {finding.no_cause}" if finding.no_cause else ""
            return wrap(printable(text), room, most=2) if text else []
        of = ""
        if group.with_cause < group.findings:
            of = f", first of {group.with_cause} of {group.findings} findings"
        # One sentence stands for all: how sure it is of the others is not hidden.
        firsts = [each.finding.causes[0] for each in group.members if each.finding.causes]
        least = min(each.confidence for each in firsts if each.cause == cause.cause)
        low, high = (f"{100 * each:.0f}" for each in (least, cause.confidence))
        sure = high if low == high else f"{low} to {high}"
        evidence = clip(cause.evidence, _LONGEST_SENTENCE).partition("; ")[0]
        edit = "" if finding.bodies else _shorten_edit(cause, finding)
        text = f"{cause.cause} ({sure} %{of}): "
        both = wrap(f"{text}{evidence}{f' ({edit})' if edit else ''}", room)
        return both if len(both) <= 2 else wrap(f"{text}{edit or evidence}", room, most=2)

    def _offer_fix(self, group: FindingGroup) -> list[str]:
        remedy, cause = group.representative.finding.remedy, group.cause
        room = self._width - len("  fix: ")
        if group.command is None:
            if remedy is not None and (cause is None or cause.evidence not in remedy.why):
                return wrap(
                    printable(f"by hand: {remedy.why}"), self._width - len("  fix: "), most=2
                )
            lead = "by hand" if group.severity > Severity.NOTE else "not needed by itself"
            return [f"{lead}; inertial-check explain {group.code}"]
        # The arguments of a command, each option that takes a value joined with it.
        pairs: list[str] = []
        for argument in split_command(group.command):
            if pairs and pairs[-1] in _WITH_VALUE:
                pairs[-1] += f" {argument}"
            else:
                pairs.append(argument)
        lines = wrap_command(pairs, room, "")
        if group.more_files:
            lines.append(f"and so for {plural(group.more_files, 'more file')}")
        return lines


def _shorten_edit(cause: Hypothesis, finding: Finding) -> str:
    """The first numbers of an edit, as written and as meant, with few digits."""
    entries = (cause.edit or {}).get("entries") or {}
    texts = [
        f"{name} {clip(finding.written.get(name, '?'), _LONGEST_NUMBER)} -> {number(value)}"
        for name, value in entries.items()
    ]
    more = len(texts) - _MOST_ENTRIES
    return ", ".join(texts[:_MOST_ENTRIES]) + (f", and {more} more" if more > 0 else "")


def _shorten_name(name: str) -> str:
    shown = printable(name[:_LONGEST_NAME])
    return cut_text(shown + "..." * (len(name) > _LONGEST_NAME), _NAME_WIDTH)


def _list_bodies(group: FindingGroup) -> list[str]:
    """The names of the bodies of a group, each once, that of the representative first."""
    findings: list[Finding] = [group.representative.finding]
    findings += [member.finding for member in group.members]
    names = (name for each in findings for name in each.bodies or (each.body,) if name is not None)
    return list(dict.fromkeys(names))


_MOST_RULES = 8
"""Largest number of rules in the table; the others are counted in one line."""

_MOST_PATHS = 3
"""Largest number of files with findings that the next step names, instead of the paths given."""

_LONGEST = 1000
"""Longest path in a command that is offered [code points]."""

BASELINE = "inertial-baseline.json"
"""File that the next step names for a baseline."""


def write_closing(report: Report, view: View) -> str:
    """The last lines of the forms for people at a terminal; "" if unwanted.

    Where no remedies were made, as for one line a finding, no command is named that writes one.

    Args:
        report: The report.
        view: Options of the report.
    """
    lines = []
    if view.statistics:
        lines += statistics(report).splitlines()
    elif view.summary:
        # A line for each of the most frequent rules, with its number of findings.
        counts = count_rules(report)
        width = max((len(str(count)) for count, _ in counts), default=0)
        shown = counts if len(counts) <= _MOST_RULES else counts[: _MOST_RULES - 1]
        lines += [f"{count:>{width}}  {rule}" for count, rule in shown]
        if rest := counts[len(shown) :]:
            findings = sum(count for count, _ in rest)
            lines.append(f"{findings:>{width}}  of {len(rest)} more rules: --statistics lists them")
    if view.summary:
        # The sentence on the run, and those on what an interrupted or failed run has left.
        text = summary(report, complete=view.left is None)
        clean = sum(not file.findings for file in report.files)
        if clean and clean < len(report.files):
            text += f" {plural(clean, 'file')} without findings."
        lines.append(text)  # sentences that scripts look for are never broken
        lines += filter(None, [describe_account(report.account)])
        for each in report.account.unjudged:
            if view.verbose or each.new:
                place = f"{clip(each.path, PATH_LENGTH)}:{each.line}"
                told = f"newly not judged: {each.reason}" if each.new else each.reason
                needs = f" (needs {each.needs})" if each.needs else ""
                lines.append(printable(f"{_INDENT}{place}: {told}{needs}"))
        if view.left is not None:
            left = plural(view.left, "file")
            lines.append(f"Partial report: the check was interrupted with {left} left unchecked.")
        lines += _suggest_next_steps(report, view)
    return "".join(f"{line}\n" for line in lines)


def _suggest_next_steps(report: Report, view: View) -> list[str]:
    """Up to two lines: the command that shows the remedies, and that of a baseline."""
    offers: list[tuple[str, str | None]] = []
    for severity in reversed(Severity):
        findings = [each for each in report.findings if each.severity == severity]
        fixable = [each for each in findings if view.offers_fixes and is_remedied(each)]
        if fixable:
            of = f"{len(fixable)} of {plural(len(findings), severity.word)} can be fixed: "
            offers.append((of, _write_fix(report, fixable, view)))
            break
    failing = view.fail_on is not None and any(
        each.severity >= view.fail_on for each in report.findings
    )
    if failing and view.paths and view.offers_baseline and view.left is None:
        command = _write(["check", *map(plain_path, view.paths), "--write-baseline", BASELINE])
        offers.append(("To fail on new findings only: ", command))
    return [printable(lead) + command for lead, command in offers if command is not None]


def _write_fix(report: Report, fixable: list[Finding], view: View) -> str | None:
    """The command that shows the remedies of findings; None without a file to name."""
    chosen = {id(each) for each in fixable}
    files = [file for file in report.files if any(id(each) in chosen for each in file.findings)]
    if (
        len(files) == 1
        and (own := write_remedy_command(files[0], fixable, report.options)) is not None
    ):
        return own if len(own) <= _LONGEST else None
    paths = [file.path for file in files] if len(files) <= _MOST_PATHS else list(view.paths)
    unsafe = ["--unsafe"] if any(each.fix == "unsafe" for each in fixable) else []
    others = any(each.severity < Severity.ERROR for each in fixable)
    options = [*report.options, *unsafe, *(["--all-remedies"] if others else [])]
    return _write(["fix", *options, *map(plain_path, paths)]) if paths else None


def _write(arguments: list[str]) -> str | None:
    """A command; None if one of its arguments is too long for a line that people read."""
    return write_command(*arguments) if sum(map(len, arguments)) <= _LONGEST else None


def render_full(report: Report, view: View) -> str:
    """Groups of findings, worst first; if the view is verbose, a paragraph for each finding."""
    parts = _list_paragraphs(report, view) if view.verbose else _list_groups(report, view)
    for file in report.files if view.verbose else ():
        # How the prims of a USD document state their mass properties: a row for each body.
        bodies = [body for body in file.bodies if body.attributes]
        names = dict.fromkeys(name for body in bodies for name in body.attributes)
        rows = [["body", *(name.removeprefix("physics:") for name in names)]]
        rows += [
            [clip(body.name, _NAME_LENGTH), *(body.attributes.get(n, "absent") for n in names)]
            for body in bodies
        ]
        lines = align_columns(rows, len(rows[0]))
        for name, each in file.validators.items():
            said = (each.stage, plural(each.bodies, "body") if each.bodies else "")
            if each.action != "accept":
                lines.append(f"{name} {each.action}s the file: {'; '.join(filter(None, said))}")
        told = "".join(f"{printable(line)}\n" for line in (f"{file.path}: attributes", *lines))
        parts.append(told if bodies else "")
    parts.append(write_closing(report, view))
    return "\n".join(part for part in parts if part)


def render_concise(report: Report, view: View) -> str:
    """A line `path:line:column: severity code [body] message` for each finding, then counts."""
    style = Style(view.color)
    lines = [
        f"{_title(style, file.path, finding)} {printable(finding.message)}\n"
        for file in report.files
        for finding in file.findings
    ]
    return "".join(lines) + write_closing(report, view)


def _list_groups(report: Report, view: View) -> list[str]:
    """As many groups as the lines of the view allow, and a line that counts the others."""
    if not any(file.findings for file in report.files):
        return []

    groups = group_findings(report)
    drawing = GroupDrawing(Style(view.color), view.width, complete=view.most_lines is None)
    room = None
    if view.most_lines is not None:
        closing = write_closing(report, view)
        room = view.most_lines - _count_rows(closing.splitlines(), view) - (1 if closing else 0)
    parts: list[str] = []
    used = 0
    for index, group in enumerate(groups):
        lines = drawing.draw(group)
        used += _count_rows(lines, view) + (1 if parts else 0)
        # The rows that the count of the groups which are left out may take, and empty ones.
        rest = _count_left_out(groups[index + 1 :], len(groups), view) if room is not None else []
        kept = 1 + max(2, _count_rows(rest, view)) if rest else 0
        if room is not None and used + kept > room:
            lines = _count_left_out(groups[index:], len(groups), view)
            parts.append("".join(f"{line}\n" for line in lines))
            break
        parts.append("".join(f"{line}\n" for line in lines))
    return parts


def _count_rows(lines: Iterable[str], view: View) -> int:
    """Count the rows of lines on a terminal, where colours take none."""
    plain = (COLOR.sub("", line) if view.color else line for line in lines)
    return count_rows(plain, view.width)


def _count_left_out(groups: Sequence[FindingGroup], total: int, view: View) -> list[str]:
    """The lines that count the groups which are left out; none if there are none."""
    if not groups:
        return []
    counts: Counter[Severity] = Counter()
    for group in groups:
        counts[group.severity] += group.findings
    listed = ", ".join(
        plural(counts[each], each.word) for each in reversed(Severity) if counts[each]
    )
    more = "more " if len(groups) < total else ""
    text = f"... and {plural(len(groups), f'{more}group')} with {listed}: --all shows them"
    return wrap(text, view.width)


def _list_paragraphs(report: Report, view: View) -> list[str]:
    """A paragraph for each finding: title, message, lines of the document and details."""
    style = Style(view.color)
    parts = []
    for file in report.files:
        bodies = BodyDetails(file, report.options)
        for finding in file.findings:
            title = _title(style, file.path, finding, f" {finding.name}")
            lines = [title, f"  {printable(finding.message)}"]
            if finding.excerpt is not None:
                word = finding.severity.word
                excerpt = draw_excerpt(finding.excerpt, style, word, finding.guilty)
                lines += [f"  {line}" for line in excerpt]
            for label, text in bodies.details(finding):
                lines.append(f"    {style('label', f'{label:<{LABEL_WIDTH}}')} {text}")
            parts.append("".join(line + "\n" for line in lines))
    return parts


def _title(style: Style, path: str, finding: Finding, name: str = "") -> str:
    severity = style(finding.severity.word, finding.severity.word)
    body = "" if finding.body is None else f" [{printable(finding.body)}]"
    return f"{location(style, path, finding)}: {severity} {style('code', finding.code)}{name}{body}"


LABEL_WIDTH = 18
"""Width of the column of labels before the details [columns]."""

_SHORT = 4
"""Significant digits of numbers for reading that nobody copies."""

_NAME_LENGTH = 200
"""Longest name in a command that is offered [code points]."""

_MOST_BODIES = 3
"""Number of bodies whose edits are shown; JSON has those of all."""

_SENTENCE_LENGTH = 2000
"""Longest sentence that is shown in full [code points]."""

_WORST_FIRST: tuple[Action, ...] = ("reject", "drop", "replace", "alter", "warn")
"""Actions of engines that do not accept a body, worst first."""


class Row(NamedTuple):
    """A line of details.

    Attributes:
        label: Its label; "" where it continues the row before.
        text: Its text, on one line.
    """

    label: str
    text: str


class BodyDetails:
    """Details of the findings of a file, with what engines do with each body told once.

    Args:
        file: The file; each of its findings is shown once, in order.
        options: See Report.options.
    """

    def __init__(self, file: FileReport, options: Sequence[str] = ()) -> None:
        self._file, self._options = file, options
        self._by_id = {body.id: body for body in file.bodies}
        self._shown: set[str] = set()

    def details(self, finding: Finding) -> Iterator[Row]:
        """The rows of a finding; those about engines only for the first finding of a body."""
        yield from _numbers(finding.values)
        if finding.bodies:
            yield Row("bodies", clip(printable(", ".join(finding.bodies)), _SENTENCE_LENGTH))
        if finding.no_cause:
            yield Row("no cause", finding.no_cause)
        for index, cause in enumerate(finding.causes, 1):
            yield Row(f"cause {index}", describe_cause(cause))
            if not (cause.edit and (cause.edit["entries"] or cause.edit.get("bodies"))):
                continue
            yield Row("", describe_edit(cause, finding.written))
        body = self._by_id.get(finding.body_id or "")
        if body is not None and body.id not in self._shown:
            self._shown.add(body.id)
            yield from describe_engines(body)
        if finding.remedy is not None:
            yield Row("remedy", clip(describe_remedy(finding.remedy), _SENTENCE_LENGTH))
        if (command := write_remedy_command(self._file, [finding], self._options)) is not None:
            yield Row("fix", command)


def pinpoint(finding: Finding) -> Place:
    """The place of the first number that a finding is about; its own place if it has none."""
    return next((each.place for each in written_entries(finding)), finding.place)


def written_entries(finding: Finding) -> list[FindingEntry]:
    """The numbers that a finding is about and that are text; those in binary data have no place."""
    return [each for each in finding.entries if each.place[:2] != each.place[2:4]]


def list_places(finding: Finding) -> list[tuple[Place, str]]:
    """The places of the numbers that a finding is about, each with their names and texts.

    A finding on the whole model has one place for each body: that of the first of its numbers.
    """
    entries = [
        (each, f"{each.name} = {clip(each.text, _NAME_LENGTH)}")
        for each in written_entries(finding)
    ]
    if not finding.bodies:
        return [(each.place, text) for each, text in entries]
    places = []
    for id_, name in zip(finding.body_ids, finding.bodies, strict=True):
        own = [(each.place, text) for each, text in entries if each.body_id == id_]
        if own:
            numbers = ", ".join(text for _, text in own)
            places.append((own[0][0], f"{clip(name, _NAME_LENGTH)}: {numbers}"))
    return places


def describe_cause(cause: Hypothesis) -> str:
    """The name, the probability and the evidence of a cause."""
    return (
        f"{cause.cause} ({100 * cause.confidence:.0f} %): {clip(cause.evidence, _SENTENCE_LENGTH)}"
    )


def describe_edit(cause: Hypothesis, written: Mapping[str, str]) -> str:
    """The edit that undoes a cause: each entry as written and as meant; "" without an edit."""
    edit = cause.edit or {}
    if edit.get("bodies"):
        # The edits of the first bodies of a model, and the number of further ones.
        bodies = edit["bodies"]
        shown = [
            f"{clip(printable(name), _NAME_LENGTH)}: "
            + ", ".join(f"{entry} = {value!r}" for entry, value in edit["entries"].items())
            for name, edit in list(bodies.items())[:_MOST_BODIES]
        ]
        more = len(bodies) - len(shown)
        return "; ".join(shown) + (f"; and {more} more bodies" if more else "")
    entries = edit.get("entries", {})
    return ", ".join(
        f"{name} {clip(written[name], _NAME_LENGTH)} -> {value!r}"
        if name in written
        else f"{name} = {value!r}"
        for name, value in entries.items()
    )


def list_causes(finding: Finding) -> list[str]:
    """A line for each cause, with its edit, for forms without rows."""
    lines = []
    for index, cause in enumerate(finding.causes, 1):
        edit = describe_edit(cause, finding.written)
        lines.append(f"Cause {index}: {describe_cause(cause)}{f'; {edit}' if edit else ''}")
    if finding.no_cause:
        lines.append(f"No cause: {finding.no_cause}")
    return lines


def list_disagreements(body: BodyReport) -> dict[str, Prediction]:
    """Predictions of the engines that do not accept a body, by name, worst action first."""
    return select_disagreements(body.predictions.items())


def select_disagreements(predictions: Iterable[tuple[str, Prediction]]) -> dict[str, Prediction]:
    """The predictions among some by which an engine does not accept a body, worst action first."""
    others = [item for item in predictions if item[1].action != "accept"]
    return dict(sorted(others, key=lambda item: _WORST_FIRST.index(item[1].action)))


def _numbers(values: Values) -> Iterator[Row]:
    """The rows of a finding's numbers that a reader can use."""
    margin = values.get("margin")
    if margin is not None:
        yield Row("margin", f"{margin:.4g} ({100 * margin:.4g} %)")
    moments = values.get("principal_moments")
    if moments is not None:
        yield Row("principal moments", ", ".join(map(number, moments)) + " kg m^2")
    # At the boundary, where no value has to change, every entry is within its interval.
    violated = margin is not None and margin < -values.get("tolerance", 0.0)
    if violated and "admissible" in values:
        # The interval of each entry in which the body is consistent, with the others as written.
        intervals = values["admissible"]
        helpful = [
            f"{entry} {interval(*ends)} kg m^2"
            for entry, ends in intervals.items()
            if ends is not None
        ]
        if not helpful:
            yield Row("admissible", "none alone")
        else:
            yield Row("admissible", f"{helpful[0]} (one entry, the others as written)")
            for text in helpful[1:]:
                yield Row("", text)
    if "equivalent_box" in values:
        yield Row("equivalent box", describe_box(values["equivalent_box"]))
    witness = values.get("witness")
    if witness is not None:
        yield Row("negative along", f"({', '.join(round_together(witness, _SHORT))})")


def describe_box(edges: Sequence[float | None]) -> str:
    """The edges of an equivalent box [m], as millimetres."""
    if all(edge is None for edge in edges):
        return "none has these moments"
    millimetres = [None if edge is None else 1000 * edge for edge in edges]
    return " x ".join(round_together(millimetres, _SHORT)) + " mm"


def describe_engines(body: BodyReport) -> Iterator[Row]:
    """The row of the engines that do not load the body as it is; JSON has their messages."""
    alike: dict[tuple[Action, str], list[str]] = {}
    for name, each in list_disagreements(body).items():
        alike.setdefault((each.action, each.becomes), []).append(name)
    words = [
        f"{', '.join(names)} {action if len(names) > 1 else f'{action}s'}"
        f"{f' ({clip(becomes, _SENTENCE_LENGTH)})' if becomes else ''}"
        for (action, becomes), names in alike.items()
    ]
    if words:
        yield Row("engines", "; ".join(words))


def draw_excerpt(
    excerpt: Excerpt, style: Style, severity: str, guilty: MarkedLine | None = None
) -> Iterator[str]:
    """Each line of an excerpt with its number, and carets in the severity's colour under the place.

    Where it is one line with guilty numbers, the carets are under these.

    The lines are those of the document, without characters that move a cursor.
    """
    width = len(str(excerpt.lines[-1].number))
    margin = style("label", f"{'':>{width}} |")
    for line in excerpt.lines:
        before, marked = line.text[: line.start], line.text[line.start : line.end]
        number_ = style("label", f"{line.number:>{width}} |")
        yield f"{number_} {show_source(line.text).rstrip()}".rstrip()
        if guilty is not None and (guilty.place.line, guilty.text) == (line.number, line.text):
            shown = fit_source(line.text, guilty.marks, 2 * count_columns(show_source(line.text)))
            marks = (gap + style(severity, mark) for gap, mark in draw_carets(shown.marks))
            yield f"{margin} {''.join(marks)}"
            continue
        carets = style(severity, "^" * max(count_columns(show_source(marked)), 1))
        yield f"{margin} {' ' * count_columns(show_source(before))}{carets}"
    if excerpt.more:
        yield f"{margin} ..."
