r"""Tables as LaTeX: booktabs tables to be included in a paper, in which every name is text.

The package booktabs is all that they need. Characters beyond ASCII depend on the engine and its
fonts, so they are printed as [U+00E9]: the result compiles everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inertial_check.reports.escaping import printable
from inertial_check.reports.tables import Table

ROWS = 38
"""Largest number of rows of a table on one page; a longer one is continued in another."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    # After the end of a row, LaTeX would read an option in brackets, and a star.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    **{char: f"\\{char}" for char in "{}$&#_%"},
}

_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?:e([+-]?\d+))?")


def escape(text: str) -> str:
    """Escape a text so that LaTeX prints it and runs nothing in it."""
    return "".join(
        _SPECIAL.get(char, char) if char.isascii() else f"{{[}}U+{ord(char):04X}{{]}}"
        for char in printable(text)
    )


def format_number(text: str) -> str | None:
    r"""Typeset a number, as $1.2\cdot 10^{-5}$; None for a text that is none."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return {"inf": r"$\infty$", "+-": r"$\pm$"}.get(text)
    mantissa, exponent = found.groups()
    power = "" if exponent is None else rf"\cdot 10^{{{int(exponent)}}}"
    return f"${mantissa}{power}$"


def format_cell(text: str) -> str:
    """Typeset the numbers of a cell that has nothing else; else escape its text."""
    numbers = [format_number(token) for token in text.split()]
    if numbers and None not in numbers:
        return "~".join(number for number in numbers if number)
    return escape(text)


def format_term(coefficient: float, parameter: str, body: str | None, first: bool) -> str:
    r"""Typeset a term of a base parameter, as $+0.16\,m_{\mbox{\scriptsize forearm}}$."""
    if body is None:
        name = rf"\mbox{{{escape(parameter)}}}"
    else:
        # Names stand in text mode: some of their characters would be errors in formulas.
        place = f"{parameter[1:]}," if parameter[1:] else ""
        name = rf"{parameter[0]}_{{{place}\mbox{{\scriptsize {escape(body)}}}}}"
    sign = "-" if coefficient < 0 else "" if first else "+"
    factor = f"{abs(coefficient):.6g}"
    number = format_number(factor)
    shown = "" if factor == "1" or number is None else number.strip("$") + r"\,"
    return f"${sign}{shown}{name}$"


def format_table(table: Table) -> str:
    """Write a table, in parts where it is longer than a page."""
    return "\n".join(_format_parts(table))


def _format_parts(table: Table) -> Iterator[str]:
    for start in range(0, max(len(table.rows), 1), ROWS):
        rows = range(start, min(start + ROWS, len(table.rows)))
        first = r"p{0.5\linewidth}" if table.math else "l"
        again = " (continued)" if start else ""
        lines = [
            r"\begin{table}",
            r"\centering\small",
            rf"\caption{{{escape(table.title)}{again}}}",
            rf"\begin{{tabular}}{{{first}{'r' * (len(table.head) - 1)}}}",
            r"\toprule",
            " & ".join(map(escape, table.head)) + r" \\",
            r"\midrule",
            *(_format_row(table, row) for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
        if table.remark:
            lines.append(rf"\par\smallskip{{\footnotesize {escape(table.remark)}\par}}")
        yield "\n".join([*lines, r"\end{table}", ""])


def _format_row(table: Table, row: int) -> str:
    first, *others = table.rows[row]
    name = table.math[row] if table.math else escape(first)
    return " & ".join([name, *map(format_cell, others)]) + r" \\"
