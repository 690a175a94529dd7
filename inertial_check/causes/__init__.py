"""Why a body's numbers are wrong, probably: one class, one cause, with the edit that undoes it."""

from __future__ import annotations

from inertial_check.causes._base import HEADINGS, Cause, Proposal, Subject
from inertial_check.causes.pages import as_dict, find, page
from inertial_check.causes.ranking import explained

__all__ = [
    "ALL_CAUSES",
    "HEADINGS",
    "Cause",
    "Proposal",
    "Subject",
    "as_dict",
    "explained",
    "find",
    "page",
]

ALL_CAUSES: tuple[type[Cause], ...] = ()
"""Every cause, in the order of its page."""
