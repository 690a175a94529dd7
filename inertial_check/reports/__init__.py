"""Reports of a check as text, in the forms of --output-format; `render` makes them."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from inertial_check.checking.report import Report, Severity

_RENDERERS = {
    "full": "terminal.render_full",
    "concise": "terminal.render_concise",
    "json": "json.render",
    "jsonl": "json.render_lines",
    "sarif": "sarif.render",
    "junit": "hosts.render_junit",
    "github": "hosts.render_github",
    "gitlab": "hosts.render_gitlab",
    "markdown": "markdown.render",
    "rdjson": "hosts.render_rdjson",
    "badge": "hosts.render_badge",
}
"""Module and function of each form; a module is imported when its form is asked for."""

SUGGESTING = ("sarif",)
"""Forms that show Finding.suggestion, which costs a `fix` of every file that can be fixed."""

UNDOING = ("rdjson",)
"""Forms that show Finding.cause_edit, which costs a `fix --cause 1` of every such file."""


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
        left: Number of files that an interrupted run has not checked; None for a complete run.
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
    left: int | None = None


def render(report: Report, form: str, view: View) -> str:
    """The report in one of FORMS but html, with its last line end; "" if it is empty."""
    module, _, function = _RENDERERS[form].partition(".")
    text: str = getattr(import_module(f"inertial_check.reports.{module}"), function)(report, view)
    return text
