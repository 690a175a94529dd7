"""The lines of a document under a finding, as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining, east_asian_width

from inertial_check.model import Excerpt
from inertial_check.reports.text import Style, printable

_TAB = "    "


def numbered(excerpt: Excerpt, style: Style, severity: str) -> Iterator[str]:
    """Each line with its number, and carets in the severity's colour under what is marked."""
    width = len(str(excerpt.lines[-1].number))
    margin = style("label", f"{'':>{width}} |")
    for line in excerpt.lines:
        before, marked = line.text[: line.start], line.text[line.start : line.end]
        number = style("label", f"{line.number:>{width}} |")
        text = _shown(line.text).rstrip()
        yield f"{number} {text}".rstrip()
        carets = style(severity, "^" * max(_columns(_shown(marked)), 1))
        space = " " * _columns(_shown(before))
        yield f"{margin} {space}{carets}"
    if excerpt.more:
        yield f"{margin} ..."


def _shown(text: str) -> str:
    """The text without what would move a cursor; tabs have one width."""
    return printable(text.replace("\t", _TAB))


def _columns(text: str) -> int:
    """How many columns of a terminal a printable text takes."""
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )
