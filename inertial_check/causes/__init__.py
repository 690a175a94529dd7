"""The probable causes of wrong numbers: one class, one cause, with the edit that undoes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inertial_check.causes._base import HEADINGS, Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes.ranking import explain

if TYPE_CHECKING:
    from inertial_check.causes.catalogue import ALL_CAUSES
    from inertial_check.causes.pages import as_dict, find, page, summary

__all__ = [
    "ALL_CAUSES",
    "HEADINGS",
    "Cause",
    "Proposal",
    "Subject",
    "as_dict",
    "explain",
    "find",
    "page",
    "summary",
]


def __getattr__(name: str) -> object:
    """Load a name of `pages` with all causes, of which a check needs some."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from inertial_check.causes import pages

    return getattr(pages, name)
