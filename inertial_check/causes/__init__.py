"""The probable causes of wrong numbers: one class, one cause, with the edit that undoes it."""

from __future__ import annotations

from inertial_check.causes._base import HEADINGS, Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes.catalogue import ALL_CAUSES
from inertial_check.causes.pages import as_dict, find, page, summary
from inertial_check.causes.ranking import explain

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
