"""Tables of reports for people, before they are text, Markdown or LaTeX."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A table for people.

    Attributes:
        title: What it is about, a line.
        head: Of each column; the first holds names.
        rows: Cells.
        remark: What one must know to read it, a line; "" for nothing.
        math: First cell of each row in LaTeX, where it is a formula; () for names that are text.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str = ""
    math: tuple[str, ...] = ()
