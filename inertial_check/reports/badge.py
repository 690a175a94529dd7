"""Badge of a repository: an SVG image with the number of bodies and what is wrong with them."""

from __future__ import annotations

from inertial_check.model import Report, Severity
from inertial_check.reports import View

_LABEL = "inertias"

_HEIGHT = 20
"""Height of the badge, as of other badges of README files [pixels]."""

_LETTER = 6.6
"""Width of a letter of Verdana at 11 pixels, on average [pixels]; textLength makes texts fit."""

_PADDING = 10
"""Space beside each of the two texts, both sides together [pixels]."""

_COLORS = {"broken": "#c92a2a", "doubtful": "#b35c00", "sound": "#2b8a3e", "unknown": "#5c636a"}
"""Colour of the right half; white text on each has a contrast of at least 4.5."""


def render(report: Report, view: View) -> str:
    """Draw the badge; it states numbers only, and no text of a document."""
    text, kind = _describe(report)
    left, right = (round(_LETTER * len(each)) for each in (_LABEL, text))
    widths = (left + _PADDING, right + _PADDING)
    total = sum(widths)
    parts = (
        f'<rect width="{widths[0]}" height="{_HEIGHT}" fill="#343a40"/>',
        f'<rect x="{widths[0]}" width="{widths[1]}" height="{_HEIGHT}" fill="{_COLORS[kind]}"/>',
        _draw_text(_LABEL, _PADDING / 2, left),
        _draw_text(text, widths[0] + _PADDING / 2, right),
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" role="img" '
        f'aria-label="{_LABEL}: {text}"><title>{_LABEL}: {text}</title>'
        f'<clipPath id="r"><rect width="{total}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        f'fill="#fff">{"".join(parts)}</g></svg>\n'
    )


def _describe(report: Report) -> tuple[str, str]:
    """Say in a few words how the run ended, and choose the colour."""
    errors, warnings = report.count(Severity.ERROR), report.count(Severity.WARNING)
    bodies = report.body_count
    if errors:
        return f"{errors} error{'s' * (errors != 1)}", "broken"
    if report.failures:
        return "not everything checked", "unknown"
    if not bodies:
        return "no bodies", "unknown"
    if warnings:
        return f"{warnings} warning{'s' * (warnings != 1)}", "doubtful"
    return f"no errors in {bodies} bod{'ies' if bodies > 1 else 'y'}", "sound"


def _draw_text(text: str, x: float, width: int) -> str:
    return f'<text x="{x:g}" y="14" textLength="{width}">{text}</text>'
