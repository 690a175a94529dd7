"""The probable causes of wrong numbers: one class, one cause, with the edit that undoes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inertial_check.checking.causes.base import HEADINGS, Cause, Proposal, Subject
from inertial_check.checking.causes.ranking import explain

if TYPE_CHECKING:
    from inertial_check.checking.causes.catalogue import ALL_CAUSES
    from inertial_check.checking.pages import (
        cause_page,
        describe_cause,
        find_cause,
        summarise_cause,
    )


__all__ = [
    "ALL_CAUSES",
    "HEADINGS",
    "Cause",
    "Proposal",
    "Subject",
    "cause_page",
    "describe_cause",
    "explain",
    "find_cause",
    "summarise_cause",
]


def __getattr__(name: str) -> object:
    """Load a name of `pages` with all causes, of which a check needs some."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from inertial_check.checking import pages

    return getattr(pages, name)
