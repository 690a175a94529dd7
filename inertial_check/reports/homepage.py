"""Addresses of the documentation: the Project-URL "Documentation" of the installed package.

Without it no report links anywhere: an address that is guessed would be a stranger's.
"""

from __future__ import annotations

from functools import cache

_LABEL = "documentation"


@cache
def find_documentation() -> str | None:
    """The address at which the documentation is published; None if the package states none."""
    from importlib import metadata  # only for forms that link to it

    try:
        urls = metadata.metadata("inertial-check").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # run from its sources
        return None
    for text in urls:
        label, _, url = text.partition(",")
        if label.strip().casefold() == _LABEL and url.strip().startswith("https://"):
            return str(url.strip().rstrip("/"))
    return None


def find_rule_page(code: str) -> str | None:
    """The address of the page of a rule; None if the documentation is published nowhere."""
    base = find_documentation()
    return None if base is None else f"{base}/rules/{code}.html"
