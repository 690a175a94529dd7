"""A report as text: one module a form, each with `render(report, view) -> str`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from inertial_check.model import Report

FORMS = ("full", "concise", "json")
"""What --output-format takes."""


class View(NamedTuple):
    """How a report is to be shown.

    Attributes:
        exit_code: Of the process.
        color: Whether forms for people use colour.
        summary: Whether the full form ends with a sentence on the whole run.
        statistics: Whether to count the findings of each rule.
    """

    exit_code: int
    color: bool = False
    summary: bool = True
    statistics: bool = False


def render(report: Report, form: str, view: View) -> str:
    """The report in one of FORMS, with its last line end; "" where there is nothing to say."""
    text: str = import_module(f"inertial_check.reports.{form}").render(report, view)
    return text
