"""A report as text: one module a form, each with `render(report, view) -> str`."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from inertial_check.model import Report, Severity

FORMS = ("full", "concise", "json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown")
"""What --output-format takes."""

SUGGESTING = ("sarif",)
"""The forms that show Finding.suggestion; it costs a `fix` of every file that can be mended."""


class RulePage(NamedTuple):
    """What a report can say of a rule.

    Attributes:
        code: IC301, ...
        name: triangle-inequality-violation, ...
        severity: In this run.
        summary: One sentence.
        description: What it does: a paragraph.
        page: The whole page, as Markdown.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    description: str
    page: str


class View(NamedTuple):
    """How a report is to be shown.

    Attributes:
        exit_code: Of the process.
        color: Whether forms for people use colour.
        summary: Whether forms for people end with a sentence on the whole run.
        statistics: Whether to count the findings of each rule.
        fail_on: Findings of this severity or above fail the run; None for never.
        rules: The rules of this run, by code.
    """

    exit_code: int
    color: bool = False
    summary: bool = True
    statistics: bool = False
    fail_on: Severity | None = Severity.ERROR
    rules: tuple[RulePage, ...] = ()


def render(report: Report, form: str, view: View) -> str:
    """The report in one of FORMS, with its last line end; "" where there is nothing to say."""
    text: str = import_module(f"inertial_check.reports.{form}").render(report, view)
    return text
