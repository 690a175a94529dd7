"""Tables on how sure an identification is: base parameters, deviations, runs, residuals.

Tables of reports for people, before they are text, Markdown or LaTeX.

Tables as LaTeX: booktabs tables to be included in a paper, in which every name is text.

The package booktabs is all that they need. Characters beyond ASCII depend on the engine and its
fonts, so they are printed as [U+00E9]: the result compiles everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import floor, isfinite, isnan, log10
from typing import NamedTuple

from inertial_check.documents.escaping import printable
from inertial_check.reports.identification_types import (
    THETA,
    BaseTable,
    IdentificationReport,
    JointResiduals,
)
from inertial_check.reports.text import plural


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


LONG = 40
"""Largest number of base parameters that the text lists without -v."""

SURE = 10.0
"""Deviation in per cent below which the field calls a parameter well identified."""

COLOURED = 1.2
"""Factor from which on deviations that are too small, by residuals with a colour, are mentioned."""

_NOTHING = "-"


def list_tables(found: IdentificationReport, *, verbose: bool, whole: bool) -> Iterator[Table]:
    """List the tables of an assessment.

    Args:
        found: Report on the identification.
        verbose: Whether to list every parameter of every body, runs and velocities.
        whole: Whether to list the base parameters however many there are.
    """
    rows = [
        (body.name, *(_short(deviation) for deviation in body.standard_deviation))
        for body in found.bodies
    ]
    yield Table(
        "Standard deviations [kg, kg m, kg m^2]",
        ("body", *THETA),
        tuple(rows),
        "about the body origins, by data and prior together",
    )
    if verbose:
        parameters_rows = [
            (
                f"{name} {body.name}",
                *_pair(value, deviation),
                _percent(100 * deviation / abs(value) if value else deviation * float("inf")),
                f"{prior:.4g}",
                decided,
            )
            for body in found.bodies
            for name, value, deviation, prior, decided in zip(
                THETA, body.theta, body.standard_deviation, body.prior, body.decided_by, strict=True
            )
        ]
        head = ("parameter", "value", "deviation", "%", "prior", "decided by")
        yield Table("Parameters of the bodies about their origins", head, tuple(parameters_rows))
    if found.base is not None and found.base.parameters:
        if whole or verbose or len(found.base.parameters) <= LONG:
            yield _base(found.base)
        if verbose and found.base.runs:
            yield _runs(found.base)
    if found.residuals:
        yield _residuals(found.residuals)
        if verbose and any(own.course is not None for own in found.residuals):
            yield _courses(found.residuals)


def list_sentences(found: IdentificationReport, *, listed: bool) -> Iterator[str]:
    """List what a line can say of the assessment.

    Args:
        found: Report on the identification.
        listed: Whether the table of the base parameters is shown however long it is.
    """
    base = found.base
    if base is not None and base.parameters:
        sure = sum(each.percent < SURE for each in base.parameters)
        hint = "" if listed or len(base.parameters) <= LONG else " -v lists them."
        yield (
            f"Base parameters: {len(base.parameters)}, {sure} with a deviation below {SURE:g} %; "
            f"condition {base.condition:.3g}.{hint}"
        )
        if isfinite(base.birge_ratio):
            yield (
                f"Between {plural(len(base.runs), 'recording')} base parameters spread by "
                f"{base.birge_ratio:.3g} of their deviations (1: noise alone)."
            )
    # Find the factor by which residuals with a colour make deviations too small.
    alike = [own.whiteness.alike for own in found.residuals if own.whiteness is not None]
    largest = max((each for each in alike if isfinite(each)), default=1.0)
    factor = float((largest / found.redundancy) ** 0.5)
    if factor > COLOURED:
        yield (
            "Residuals are not white beyond the filter: deviations are too small, by up to about "
            f"{factor:.2g} times."
        )


def _base(base: BaseTable) -> Table:
    several = bool(base.runs)
    rows = [
        (
            each.name,
            each.unit or _NOTHING,
            *_pair(each.value, each.standard_deviation),
            _percent(each.percent),
            _pair(each.identified, each.standard_deviation)[0],
            *([f"{each.birge_ratio:.2g}" if isfinite(each.birge_ratio) else _NOTHING] * several),
        )
        for each in base.parameters
    ]
    head = ("parameter", "unit", "value", "deviation", "%", "robot", *(["spread"] * several))
    spread = "; spread: of the recordings" if several else ""
    return Table(
        "Base parameters",
        head,
        tuple(rows),
        f"by weighted least squares; %: of the value; robot: of its bodies{spread}",
        tuple(
            " ".join(format_term(*term, first=place == 0) for place, term in enumerate(each.terms))
            for each in base.parameters
        ),
    )


def _runs(base: BaseTable) -> Table:
    rows = []
    for place, each in enumerate(base.parameters):
        cells = [
            " +- ".join(_pair(run.values[place], run.standard_deviations[place]))
            if isfinite(run.standard_deviations[place])
            else _NOTHING
            for run in base.runs
        ]
        rows.append((each.name, *cells))
    return Table(
        "Base parameters of each recording alone",
        ("parameter", *(run.path for run in base.runs)),
        tuple(rows),
        "weighted least squares +- one standard deviation",
        tuple(
            " ".join(format_term(*term, first=place == 0) for place, term in enumerate(each.terms))
            for each in base.parameters
        ),
    )


def _residuals(joints: tuple[JointResiduals, ...]) -> Table:
    rows = []
    for own in joints:
        white, spectrum, course = own.whiteness, own.spectrum, own.course
        rows.append(
            (
                f"{own.joint} [{own.unit}]",
                f"{own.rms:.3g}",
                _NOTHING if white is None else f"{white.p_value:.2g}",
                _NOTHING if white is None else f"{white.alike:.3g}",
                _NOTHING if spectrum is None else f"{spectrum.peak:.3g}",
                _NOTHING if spectrum is None else f"{100 * spectrum.peak_share:.0f}",
                _NOTHING if spectrum is None else f"{100 * spectrum.slow_share:.0f}",
                _NOTHING if course is None else f"{100 * course.share:.1f}",
            )
        )
    return Table(
        "Residuals of what was fitted",
        ("joint", "RMS", "white p", "alike", "peak Hz", "peak %", "slow %", "velocity %"),
        tuple(rows),
        "white p: Ljung-Box; alike: samples that say what one would; % of the power, or variance",
    )


def _courses(joints: tuple[JointResiduals, ...]) -> Table:
    rows = [
        (f"{own.joint} [{own.unit}]", f"{velocity:.3g}", *_pair(mean, error))
        for own in joints
        if own.course is not None
        for velocity, mean, error in zip(*own.course[:3], strict=True)
    ]
    return Table(
        "Mean residual by velocity",
        ("joint", "velocity", "mean", "deviation"),
        tuple(rows),
        "measured less predicted; beyond its deviations it is friction that the model lacks",
    )


def _pair(value: float, deviation: float) -> tuple[str, str]:
    """Format a value to the second digit of its deviation, and the deviation."""
    if not (isfinite(value) and isfinite(deviation) and deviation > 0):
        return _number(value, 5), _number(deviation, 2)
    decimals = 1 - floor(log10(deviation))
    if 0 <= decimals <= 7:
        return f"{round(value, decimals) + 0.0:.{decimals}f}", f"{deviation:.{decimals}f}"
    largest = abs(value) if abs(value) > deviation else deviation
    return _number(value, max(floor(log10(largest)) + decimals + 1, 2)), _number(deviation, 2)


def _number(value: float, digits: int) -> str:
    return (
        f"{value:.{digits}g}" if isfinite(value) else "inf" if value == float("inf") else _NOTHING
    )


def _percent(percent: float) -> str:
    """Format a relative deviation; one of ten times the value and more tells no more."""
    if isnan(percent):
        return _NOTHING
    return f"{percent:.2g}" if percent < 99.5 else f"{percent:.0f}" if percent < 999.5 else ">999"


def _short(value: float) -> str:
    """Format a deviation in few characters: 1.2e-5 rather than 1.2e-05."""
    text = _number(value, 2)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text
