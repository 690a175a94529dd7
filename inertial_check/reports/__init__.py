"""Reports of a check as text, in the forms of --output-format; `render` makes them."""

from __future__ import annotations

from collections.abc import Callable

from inertial_check.checking.report import Report
from inertial_check.reports.text import RulePage, View

__all__ = ["RulePage", "View", "render"]


def render(report: Report, form: str, view: View) -> str:
    """The report in one of FORMS but html, with its last line end; "" if it is empty."""
    return _import_renderer(form)(report, view)


def _import_renderer(form: str) -> Callable[[Report, View], str]:
    """Import the function that writes a form, and no other form."""
    if form in ("full", "concise"):
        from inertial_check.reports.terminal import render_concise, render_full

        return render_full if form == "full" else render_concise
    if form in ("json", "jsonl"):
        from inertial_check.reports import json

        return json.render if form == "json" else json.render_lines
    if form == "sarif":
        from inertial_check.reports import sarif

        return sarif.render
    if form == "markdown":
        from inertial_check.reports import markdown

        return markdown.render
    from inertial_check.reports import hosts

    return {
        "junit": hosts.render_junit,
        "github": hosts.render_github,
        "gitlab": hosts.render_gitlab,
        "rdjson": hosts.render_rdjson,
        "badge": hosts.render_badge,
    }[form]
