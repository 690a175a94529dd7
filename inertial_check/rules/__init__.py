"""The rules: each is one class with its code, its severity and its page."""

from __future__ import annotations

from inertial_check.rules._base import HEADINGS, Rule
from inertial_check.rules.catalogue import ALL_RULES
from inertial_check.rules.document import UnreadableDocument, UnresolvedReference
from inertial_check.rules.pages import as_dict, find, page

__all__ = [
    "ALL_RULES",
    "HEADINGS",
    "Rule",
    "UnreadableDocument",
    "UnresolvedReference",
    "as_dict",
    "find",
    "page",
]
