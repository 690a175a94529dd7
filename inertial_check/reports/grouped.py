"""Groups of findings as text: four lines each, and the places where the mistake is."""

from __future__ import annotations

from collections.abc import Iterator

from inertial_check.model import Finding, Hypothesis, Severity
from inertial_check.reports.escaping import clip, printable
from inertial_check.reports.grouping import FindingGroup
from inertial_check.reports.layout import (
    count_columns,
    cut_sentence,
    cut_text,
    draw_carets,
    fit_source,
    list_names,
    split_command,
    wrap,
    wrap_command,
)
from inertial_check.reports.text import PATH_LENGTH, Style, number, plural

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

_WITH_VALUE = ("--body", "--cause", "--select")
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
            places_lines = [f"{_INDENT}{lead}:"] if len(by_file) > 1 else []
            for places_path, places_names in by_file.items():
                title = clip(places_path, PATH_LENGTH) if len(by_file) > 1 else lead
                text = f"{title}: {', '.join(places_names)}" if places_names else title
                places_lines += wrap(text, self._width, _INDENT * (1 + (len(by_file) > 1)))
            return places_lines
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
        evidence = clip(cause.evidence, _LONGEST_SENTENCE).partition("; ")[0]
        edit = "" if finding.bodies else _shorten_edit(cause, finding)
        text = f"{cause.cause} ({100 * cause.confidence:.0f} %{of}): "
        both = wrap(f"{text}{evidence}{f' ({edit})' if edit else ''}", room)
        return both if len(both) <= 2 else wrap(f"{text}{edit or evidence}", room, most=2)

    def _offer_fix(self, group: FindingGroup) -> list[str]:
        if group.command is None:
            lead = "by hand" if group.severity > Severity.NOTE else "not needed by itself"
            return [f"{lead}; inertial-check explain {group.code}"]
        # The arguments of a command, each option that takes a value joined with it.
        arguments = split_command(group.command)
        pairs: list[str] = []
        for argument in arguments:
            if pairs and pairs[-1] in _WITH_VALUE:
                pairs[-1] += f" {argument}"
            else:
                pairs.append(argument)
        arguments = pairs
        lines = wrap_command(arguments, self._width - len("  fix: "), "")
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
