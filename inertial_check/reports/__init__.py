"""Reports of a check as text, in the forms of --output-format; `render` makes them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from inertial_check.checking.report import Report
from inertial_check.reports.text import RulePage, View

__all__ = ["RulePage", "View", "render"]

_WRITERS = {
    "full": ("terminal", "render_full"),
    "concise": ("terminal", "render_concise"),
    "json": ("json", "render"),
    "jsonl": ("json", "render_lines"),
    "sarif": ("sarif", "render"),
    "markdown": ("markdown", "render"),
    "junit": ("hosts", "render_junit"),
    "github": ("hosts", "render_github"),
    "gitlab": ("hosts", "render_gitlab"),
    "rdjson": ("hosts", "render_rdjson"),
    "badge": ("hosts", "render_badge"),
}
"""Module and function that write each form; a run imports those of its forms."""


def render(report: Report, form: str, view: View) -> str:
    """The report in one of FORMS but html, with its last line end; "" if it is empty."""
    module, name = _WRITERS[form]
    found = import_module(f"inertial_check.reports.{module}")
    write: Callable[[Report, View], str] = getattr(found, name)
    return write(report, view)
