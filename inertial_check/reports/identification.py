"""Tables on how sure an identification is: base parameters, deviations, runs, residuals.

Tables of reports for people, before they are text, Markdown or LaTeX.

Tables as LaTeX: booktabs tables to be included in a paper, in which every name is text.

The package booktabs is all that they need. Characters beyond ASCII depend on the engine and its
fonts, so they are printed as [U+00E9]: the result compiles everywhere.

The report of an identification as text, Markdown, LaTeX or HTML, which show the same tables.

The report of an identification as JSON, and the members that all forms of `identify` share.
"""

from __future__ import annotations

import html
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor, isfinite, isnan, log10
from typing import NamedTuple

from inertial_check.checking.report import Severity
from inertial_check.documents.escaping import dump_json, guard_diff, printable
from inertial_check.documents.model import ENTRIES
from inertial_check.inertia import tolerances
from inertial_check.reports import View
from inertial_check.reports.identification_types import (
    THETA,
    BaseTable,
    BaseValue,
    FrictionValue,
    IdentificationReport,
    IdentifiedBody,
    JointResiduals,
    LoadValue,
    MergedBody,
    Remark,
    SolverCertificate,
    TorqueFit,
    WrittenModel,
)
from inertial_check.reports.json import TOOL, plain
from inertial_check.reports.text import Style, align_columns, plural, round_together


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
        return {"inf": r"$\infty$", "+-": r"$\pm$", "!": "!"}.get(text)
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
    parts = []
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
        parts.append("\n".join([*lines, r"\end{table}", ""]))
    return "\n".join(parts)


def _format_row(table: Table, row: int) -> str:
    first, *others = table.rows[row]
    name = table.math[row] if table.math else escape(first)
    return " & ".join([name, *map(format_cell, others)]) + r" \\"


SURE = 10.0
"""Deviation in per cent below which the field calls a parameter well identified."""

COLOURED = 1.2
"""Factor from which on deviations that are too small, by residuals with a colour, are mentioned."""

_NOTHING = "-"


def list_tables(found: IdentificationReport, *, verbose: bool) -> Iterator[Table]:
    """List the tables of an assessment.

    Args:
        found: Report on the identification.
        verbose: Whether to list every parameter of every body, runs and velocities.
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
        yield _base(found.base)
        if verbose and found.base.runs:
            yield _runs(found.base)
    if found.residuals:
        yield _residuals(found.residuals)
        if verbose and any(own.course is not None for own in found.residuals):
            yield _courses(found.residuals)


def list_sentences(found: IdentificationReport) -> Iterator[str]:
    """List what a line can say of the assessment."""
    base = found.base
    if base is not None and base.parameters:
        sure = sum(each.percent < SURE for each in base.parameters)
        yield (
            f"Base parameters: {len(base.parameters)}, {sure} with a deviation below {SURE:g} %; "
            f"condition {base.condition:.3g}."
        )
        known = [each for each in base.parameters if isfinite(each.bias)]
        shifts = [(abs(each.bias) / each.standard_deviation, each.name) for each in known]
        if shifts:
            largest, name = max(shifts)
            hint = "; --cutoff lower, or --method iv" if largest > 1 else ""
            yield (
                f"Noise of positions and velocities that passes the filter biases base parameters "
                f"by up to {largest:.2g} deviations ({name}){hint}."
            )
        if isfinite(base.birge_ratio):
            runs = plural(len(base.runs), "recording")
            yield f"Between {runs} base parameters spread by {base.birge_ratio:.3g} deviations."
    # Find the factor by which residuals with a colour make deviations too small.
    alike = [own.whiteness.alike for own in found.residuals if own.whiteness is not None]
    largest = max((each for each in alike if isfinite(each)), default=1.0)
    if found.deviation_factor > 1:
        yield f"Deviations are multiplied by {found.deviation_factor:.3g}, as stretches differ."
    factor = float((largest / found.redundancy) ** 0.5) / found.deviation_factor
    if factor > COLOURED:
        yield f"Residuals are not white: deviations are too small by up to {factor:.2g} times."


def _base(base: BaseTable) -> Table:
    several = bool(base.runs)
    parameters = sorted(base.parameters, key=lambda each: each.percent)
    rows = [
        (
            each.name,
            each.unit or _NOTHING,
            *_mark(_pair(each.value, each.standard_deviation), each.impossible),
            _percent(each.percent),
            _pair(each.identified, each.standard_deviation)[0],
            *([f"{each.birge_ratio:.2g}" if isfinite(each.birge_ratio) else _NOTHING] * several),
        )
        for each in parameters
    ]
    head = ("parameter", "unit", "value", "deviation", "%", "robot", *(["spread"] * several))
    remark = "by weighted least squares, surest first; %: of the value; robot: of its bodies"
    remark += "; spread: of the recordings" if several else ""
    remark += _MARKED if any(each.impossible for each in parameters) else ""
    return Table(
        "Base parameters",
        head,
        tuple(rows),
        remark,
        _format_sums(parameters),
    )


def _format_sums(parameters: Iterable[BaseValue]) -> tuple[str, ...]:
    """Format base parameters as formulas of LaTeX."""
    return tuple(
        " ".join(format_term(*term, first=place == 0) for place, term in enumerate(each.terms))
        for each in parameters
    )


_MARKED = "; !: no body has it, by five deviations"
"""Explanation of the mark of impossible rows."""


def _mark(cells: tuple[str, ...], impossible: bool) -> tuple[str, ...]:
    """Mark the first cell of an impossible row."""
    return (f"{cells[0]} !", *cells[1:]) if impossible else cells


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
        _format_sums(base.parameters),
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


SCHEMA_VERSION = "1"
"""Version of the JSON forms of `identify`."""


def as_json(found: IdentificationReport, view: View) -> str:
    """A JSON document, ASCII only; NaN and the infinities are null.

    inertial_check/reports/identification.schema.json describes it.
    """
    document = {
        **make_head(
            {
                "bodies": len(found.bodies),
                **count_remarks(found.remarks),
                "total_mass": found.total_mass,
                "prior_mass": found.prior_mass,
                "total_mass_share": found.total_mass_share,
                "exit_code": view.exit_code,
            }
        ),
        "model": _path(found.model),
        "data": list(map(_path, found.data)),
        "problem": {name: getattr(found, name) for name in _PROBLEM.split()},
        "solution": {
            "objective": found.objective,
            "data_term": found.data_term,
            "prior_term": found.prior_term,
            "status": "certified" if found.certificate.proven else "uncertified",
            **found.certificate._asdict(),
        },
        "fits": found.fits,
        "bodies": [_body(body) for body in found.bodies],
        "base": found.base,
        "residuals": found.residuals,
        "left": [{"name": name, "reason": reason} for name, reason in found.left],
        "friction": found.friction,
        "gains": found.gains,
        "gain_scale": found.gain_scale or None,
        "loads": found.loads,
        "merged": [describe_merged(each) for each in found.merged],
        "remarks": found.remarks,
        "findings": found.findings,
        "written": None if found.written is None else describe_written(found.written),
    }
    return dump_json(plain(document), indent=2) + "\n"


_PROBLEM = (
    "prior metric loss method simulations change regularization redundancy deviation_factor "
    "weighings weights columns rank condition"
)
"""Fields of a report that are the member "problem" of its JSON form."""


def make_head(summary: Mapping[str, object]) -> dict[str, object]:
    """Make the first members of a JSON form: versions and summary."""
    return {"schema_version": SCHEMA_VERSION, "tool": TOOL, "summary": dict(summary)}


def count_remarks(remarks: Sequence[Remark]) -> dict[str, int]:
    """Count remarks by severity, as the members errors, warnings and notes of a summary."""
    return {
        f"{severity.word}s": sum(each.severity == severity for each in remarks)
        for severity in reversed(Severity)
    }


def _body(body: IdentifiedBody) -> dict[str, object]:
    return {
        **{name: getattr(body, name) for name in ("name", "id", "line", "mass")},
        "com": body.p_BoBcm_B,
        # The six of I_BBcm_B stand in order "urdf", xx xy xz yy yz zz.
        "inertia": dict(zip(ENTRIES, body.I_BBcm_B, strict=True)),
        **{name: getattr(body, name) for name in _JUDGED.split()},
        "parameters": {
            name: {
                "value": body.theta[index],
                "prior": body.prior[index],
                "standard_deviation": body.standard_deviation[index],
                "share": body.share[index],
                "decided_by": body.decided_by[index],
                "unsupported": name in body.unsupported,
            }
            for index, name in enumerate(THETA)
        },
    }


_JUDGED = "principal_moments verdict margin distance least_squares_verdict impossible prior_moved"
"""Fields of a body that its JSON form has by the same names, behind its inertia."""


def describe_merged(merged: MergedBody) -> dict[str, object]:
    """Describe bodies that were identified as one, as JSON has them."""
    return {
        "name": merged.name,
        "method": merged.method,
        "parts": [
            {
                "name": part.name,
                "id": part.id,
                "kept": part.kept,
                "mass": part.mass,
                "com": part.p_BoBcm_B,
                "inertia": dict(zip(ENTRIES, part.I_BBcm_B, strict=True)),
                "theta": part.theta,
            }
            for part in merged.parts
        ],
    }


def describe_written(written: WrittenModel) -> dict[str, object]:
    """Describe the file that was to be written, as JSON has it in every form of `identify`."""
    return {
        "path": _path(written.path),
        "done": written.done,
        "reason": written.reason or None,
        "diff": written.diff or None,
        "complete": written.complete,
        "bodies": [{**each._asdict(), "reason": each.reason or None} for each in written.bodies],
        "joints": [{**each._asdict(), "reason": each.reason or None} for each in written.joints],
    }


def _path(path: str) -> str:
    return path.replace(os.sep, "/")


FORMS = ("text", "json", "markdown", "latex", "html")
"""Formats of the report of `identify`, as its option --output-format takes them."""

_DIGITS = 4

_WIDEST_SUM = 44
"""Length of the sum of a base parameter at which it goes on in the next row."""


def render(found: IdentificationReport, form: str, view: View) -> str:
    """The report in one of FORMS, with its last line end."""
    forms = {"text": text, "markdown": markdown, "json": as_json, "latex": latex, "html": as_html}
    return forms[form](found, view)


def text(found: IdentificationReport, view: View) -> str:
    """For people, in a terminal of a hundred columns."""
    style = Style(view.color)
    blocks = [style("path", printable(_title(found))) + "\n"]
    for table in (*_tables(found), *list_tables(found, verbose=view.verbose)):
        blocks.append("".join(_align(table, style)))
    said = (*_sentences(found), *list_sentences(found))
    blocks.append("".join(f"{printable(line)}\n" for line in said))
    remarks = "".join(
        f"{style(remark.severity.word, remark.severity.word)}: {printable(remark.message)}\n"
        for remark in found.remarks
    )
    blocks += [remarks, _diff(found)]
    if view.summary:
        blocks.append(f"{_summary(found)}\n")
    return "\n".join(block for block in blocks if block)


def markdown(found: IdentificationReport, view: View) -> str:
    """For the summary of a job, and for comments."""
    blocks = [f"## {_cell(_title(found))}\n"]
    for table in (*_tables(found), *list_tables(found, verbose=view.verbose)):
        blocks.append(f"### {_cell(table.title)}\n")
        rows = [table.head, ("---",) * len(table.head), *table.rows]
        blocks.append("".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows))
        if table.remark:
            blocks.append(f"{_cell(table.remark)}\n")
    sentences = (*_sentences(found), *list_sentences(found))
    blocks.append("".join(f"* {_cell(line)}\n" for line in sentences))
    if found.remarks:
        blocks.append("### Remarks\n")
        said = [f"* **{each.severity.word}** {_cell(each.message)}\n" for each in found.remarks]
        blocks.append("".join(said))
    if diff := _diff(found):
        fence = "`" * (max(map(len, re.findall("`+", diff)), default=2) + 3)
        blocks.append(f"{fence}diff\n{diff}{fence}\n")
    if view.summary:
        blocks.append(f"{_summary(found)}\n")
    return "\n".join(blocks)


def latex(found: IdentificationReport, view: View) -> str:
    """For a paper: booktabs tables, and all sentences as comments."""
    sentences = (*_sentences(found), *list_sentences(found))
    remarks = (f"{each.severity.word}: {each.message}" for each in found.remarks)
    lines = [_title(found), r"The tables need \usepackage{booktabs}.", *sentences, *remarks]
    lines += _diff(found).splitlines()
    if view.summary:
        lines.append(_summary(found))
    blocks = ["".join(f"% {printable(line)}\n" for line in lines)]
    tables = (*list_tables(found, verbose=view.verbose), *_tables(found))
    return "\n".join([*blocks, *map(format_table, tables)])


def as_html(found: IdentificationReport, view: View) -> str:
    """A page that loads nothing: remarks, then tables, then plots, each an image of its own."""
    from inertial_check.reports.page.page import write_text_page  # few reports are pages

    blocks = [f"<h1>{_as_html(_title(found))}</h1>"]
    if view.summary:
        blocks.append(f"<p>{_as_html(_summary(found))}</p>")
    for each in found.remarks:
        word = each.severity.word
        blocks.append(f'<p><b class="sev-{word}">{word}</b> {_as_html(each.message)}</p>')
    for table in (*list_tables(found, verbose=view.verbose), *_tables(found)):
        blocks.append(f'<h2>{_as_html(table.title)}</h2>\n<div class="scroll"><table>')
        for tag, row in (("th", table.head), *(("td", row) for row in table.rows)):
            cells = "".join(f"<{tag}>{_as_html(cell)}</{tag}>" for cell in row)
            blocks.append(f"<tr>{cells}</tr>")
        blocks.append(f'</table></div>\n<p class="quiet">{_as_html(table.remark)}</p>')
    blocks.append("<h2>Fit</h2>")
    blocks += [f"<p>{_as_html(line)}</p>" for line in (*_sentences(found), *list_sentences(found))]
    for name, picture in view.pictures:
        source = f"data:image/svg+xml;base64,{b64encode(picture).decode()}"
        blocks.append(f'<img alt="{_as_html(name)}" src="{source}">')
    if diff := _diff(found):
        blocks.append(f'<h2>Changes</h2>\n<pre class="lines">{html.escape(diff)}</pre>')
    return write_text_page("".join(f"{block}\n" for block in blocks))


def _as_html(text: str) -> str:
    """Escape a text so that a page shows it as it is, on one line."""
    return html.escape(printable(text))


def _diff(found: IdentificationReport) -> str:
    """The diff of a dry run, in which nothing from a document acts on a terminal."""
    return "" if found.written is None else guard_diff(found.written.diff)


def _title(found: IdentificationReport) -> str:
    bodies, recordings = plural(len(found.bodies), "body"), ", ".join(found.data)
    return f"{found.model}: {bodies} identified from {recordings}"


def _tables(found: IdentificationReport) -> Iterator[Table]:
    for fit in found.fits:
        yield _fit(fit)
    yield _bodies(found.bodies)
    rows = [
        (
            body.name,
            *(
                f"{100 * share:.0f}{'*' if name in body.unsupported else ''}"
                for name, share in zip(THETA, body.share, strict=True)
            ),
        )
        for body in found.bodies
    ]
    any_unsupported = any(body.unsupported for body in found.bodies)
    star = "; *: moved without support by the data" if any_unsupported else ""
    yield Table(
        "What the data decide [%]",
        ("body", *THETA),
        tuple(rows),
        f"100: the data alone decide, 0: the prior alone{star}",
    )
    if found.friction:
        yield _friction(found.friction)
    if found.gains:
        yield _gains(found)
    if found.loads:
        yield _loads(found.loads)
    if found.weighings:
        weighings_rows = [
            (
                f"{each.weight:.3g}",
                f"{each.error:.4f} +- {each.standard_error:.4f}"
                if isfinite(each.error)
                else _NOTHING,
                f"{each.data_term:.6g}",
                f"{each.prior_term:.4g}",
                f"{each.mass:.4g}",
                "<-" if each.chosen else "",
            )
            for each in found.weighings
        ]
        head = ("weight", "left out", "data term", "prior term", "mass kg", "taken")
        yield Table(
            "Weight of the prior",
            head,
            tuple(weighings_rows),
            "left out: weighted RMS of what was not fitted, +- one standard error",
        )


def _fit(fit: TorqueFit) -> Table:
    rows = [
        (
            f"{each.joint} [{each.unit}]",
            *round_together([each.rms, each.before, each.after], 3),
            f"{each.r_squared_before:.4f}" if isfinite(each.r_squared_before) else _NOTHING,
            f"{each.r_squared:.4f}" if isfinite(each.r_squared) else _NOTHING,
        )
        for each in fit.joints
    ]
    what = "fitted" if fit.role == "train" else "validation"
    return Table(
        f"Torques, {what}: {fit.path}, {fit.samples:,} samples",
        ("joint", "measured RMS", "RMSE before", "after", "R^2 before", "after"),
        tuple(rows),
        f"weighted RMS {fit.weighted_before:.4g} -> {fit.weighted:.4g}; before: the prior's bodies "
        "with friction fitted to them",
    )


def _bodies(bodies: Sequence[IdentifiedBody]) -> Table:
    rows = [
        (
            body.name,
            *round_together([body.prior[0]], _DIGITS),
            *round_together([body.mass], _DIGITS),
            " ".join(round_together(body.p_BoBcm_B, 3)),
            " ".join(round_together(body.principal_moments, 3)),
            f"{body.margin:.2g}",
            f"{body.distance:.2g}",
            *_mark((body.least_squares_verdict,), body.impossible),
        )
        for body in bodies
    ]
    head = ("body", "prior kg", "mass kg", "centre m", "moments kg m^2", "margin", "moved", "alone")
    remark = (
        "margin >= 0: such a body exists; moved: from the prior, in its own size; alone: least "
        "squares"
    ) + (_MARKED if any(body.impossible for body in bodies) else "")
    return Table("Bodies", head, tuple(rows), remark)


def _friction(values: Sequence[FrictionValue]) -> Table:
    joints = list(dict.fromkeys(value.joint for value in values))
    kinds = list(dict.fromkeys((value.meaning, value.unit) for value in values))
    cells = {(value.joint, value.meaning, value.unit): value for value in values}
    stated = {(value.meaning, value.unit) for value in values if value.model is not None}
    head, columns = ["joint"], [joints]
    for kind in kinds:
        own = [cells.get((joint, *kind)) for joint in joints]
        head.append(" ".join(kind))
        columns.append([_NOTHING if each is None else _format_value(each) for each in own])
        if kind in stated:
            head.append("model")
            columns.append(
                [
                    (_NOTHING if each is None or each.model is None else f"{each.model:.6g}")
                    for each in own
                ]
            )
    remark = "+-: one standard deviation" + ("; model: as the file states it" if stated else "")
    rows = tuple(zip(*columns, strict=True))
    return Table("Friction and other torques", tuple(head), rows, remark)


def _gains(found: IdentificationReport) -> Table:
    rows = [
        (
            each.joint,
            *round_together([each.value, each.standard_deviation], 3),
            f"{100 * each.standard_deviation / abs(each.value):.2g}",
            f"{100 * each.ratio_standard_deviation:.2g}",
        )
        for each in found.gains
    ]
    scale = {
        "loads": "by known loads",
        "masses": "by known masses",
        "prior": "by the masses of the prior only",
    }
    return Table(
        "Drive gains",
        ("joint", "gain", "deviation", "%", "ratio %"),
        tuple(rows),
        f"common scale {scale[found.gain_scale]}; ratio %: deviation of the gain relative to the "
        "others",
    )


def _loads(loads: Sequence[LoadValue]) -> Table:
    rows = [
        (
            each.name,
            each.link,
            " ".join(round_together([each.mass, each.standard_deviation[0]], 3)),
            " ".join(round_together(each.com, 3)),
            " ".join(round_together(each.inertia, 3)),
            f"{each.margin:.2g}",
            ", ".join(each.known) or _NOTHING,
        )
        for each in loads
    ]
    head = ("load", "link", "mass, deviation kg", "centre m", "inertia kg m^2", "margin", "known")
    remark = "inertia: xx xy xz yy yz zz about the centre of mass, in the axes of the link"
    return Table("Loads", head, tuple(rows), remark)


def _format_value(value: FrictionValue) -> str:
    number, deviation = (
        round_together([value.value, value.standard_deviation], 3)
        if isfinite(value.standard_deviation)
        else (*round_together([value.value], 3), "inf")
    )
    bound = " (bound)" if value.value in (value.lower, value.upper) else ""
    return f"{number} +- {deviation}{bound}"


def _sentences(found: IdentificationReport) -> Iterator[str]:
    """What a line can say."""
    change = 100 * (found.total_mass / found.prior_mass - 1)
    yield (
        f"Total mass {found.total_mass:.5g} kg; prior {found.prior_mass:.5g} kg ({change:+.2g} %). "
        f"The data decide {100 * found.total_mass_share:.0f} % of it."
    )
    yield (
        f"Rank {found.rank} of {found.columns} columns; condition {found.condition:.3g} of those "
        "that can be seen."
    )
    # The weight of the prior, beside independent samples and beside those that there are.
    if found.weighings or found.redundancy == 1:
        weight = f"{found.regularization:.4g}"
    else:
        weight = (
            f"{found.regularization / found.redundancy:.4g} x {found.redundancy:.3g}, as so many "
            "samples say what one would"
        )
    yield (f"Prior: {found.prior}; metric {found.metric}, weight {weight}; loss {found.loss}.")
    if found.simulations:
        yield (
            f"Method: {found.method}; {plural(found.simulations, 'simulation')} of the robot, the "
            f"last one changed the predicted torques by {found.change:.1e} of their size."
        )
    yield (
        f"Objective {found.objective:.6g}: data {found.data_term:.6g}, prior "
        f"{found.prior_term:.4g}."
    )
    if found.certificate.rounds:
        rounds = plural(found.certificate.rounds, "round")
        yield (
            f"Nonlinear friction: {rounds}; the last one changed it by "
            f"{found.certificate.step:.1e} standard deviations."
        )
    word = "Optimal" if found.certificate.proven else "Uncertified"
    yield f"{word}: {_proof(found.certificate)}; {found.certificate.solver}."
    if found.written is not None:
        yield from list_written(found.written)
    for reason in dict.fromkeys(reason for _, reason in found.left):
        names = [name for name, why in found.left if why == reason]
        yield f"As written: {', '.join(names)} ({reason})."


def _proof(proof: SolverCertificate) -> str:
    """How near to the optimum; numbers below what is asked for are rounding, and not shown."""
    if proof.proven:
        return f"residuals and gap below {tolerances.CERTIFIED:g}"
    return (
        f"primal residual {proof.primal_residual:.1e}, dual residual {proof.dual_residual:.1e}, "
        f"gap {proof.gap:.1e}"
    )


def list_written(written: WrittenModel) -> Iterator[str]:
    """List sentences on the robot's file: whether it was written, and what was left out."""
    if written.done:
        yield f"Written: {written.path}."
    else:
        yield f"Not written: {written.path}: {written.reason}."
    for body in written.bodies:
        if body.reason:
            yield f"{body.name}: {body.status}: {body.reason}."
    for joint in written.joints:
        if joint.reason:
            yield f"{joint.name}: {joint.status}: {joint.reason}."
    if written.done and written.joints:
        yield f"Joints written: {', '.join(joint.name for joint in written.joints)}."


def _summary(found: IdentificationReport) -> str:
    counts = [
        plural(found.count(severity), severity.word)
        for severity in reversed(Severity)
        if found.count(severity)
    ]
    bodies = plural(len(found.bodies), "body")
    return f"Identified {bodies}: {', '.join(counts) or 'nothing to remark'}."


def _align(table: Table, style: Style) -> Iterator[str]:
    """Align a table in columns, names to the left and numbers to the right."""
    shown = [tuple(map(printable, row)) for row in (table.head, *table.rows)]
    rows = [part for row in shown for part in _wrap(row)] if table.math else shown
    head, *lines = (f"  {line}" for line in align_columns(rows, 1))
    yield f"{style('code', printable(table.title))}\n"
    yield from (f"{line}\n" for line in (style("label", head), *lines))
    if table.remark:
        yield f"  {printable(table.remark)}\n"


def _wrap(row: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Wrap a long sum in the first cell of a row before its signs, into rows of their own."""
    first, *others = row
    line = ""
    for term in re.split(r" (?=[+-] )", first):
        if line and len(line) + len(term) >= _WIDEST_SUM:
            yield (line, *others)
            line, others = f"    {term}", [""] * len(others)
        else:
            line = f"{line} {term}" if line else term
    yield (line, *others)


def _cell(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    shown = printable(text)
    for char in r"\`*_[]|<>~":
        shown = shown.replace(char, f"\\{char}")
    return shown
