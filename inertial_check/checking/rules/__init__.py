"""The rules: each is one class with its code, its severity and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inertial_check.checking.rules.base import HEADINGS, Rule
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.rules.document import UnreadableDocument, UnresolvedReference

if TYPE_CHECKING:
    from inertial_check.checking.pages import describe_rule, find_rule, rule_page


__all__ = [
    "ALL_RULES",
    "HEADINGS",
    "Rule",
    "UnreadableDocument",
    "UnresolvedReference",
    "describe_rule",
    "find_rule",
    "rule_page",
]


def __getattr__(name: str) -> object:
    """Load a name of `pages`, which no check needs."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from inertial_check.checking import pages

    return getattr(pages, name)
