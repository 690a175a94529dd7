"""One class, one rule: what is said of a body, how severe it is, and its page."""

from __future__ import annotations

from inertial_check.rules._base import HEADINGS, Rule
from inertial_check.rules.document import (
    MalformedInertial,
    NonStrictDocument,
    UnreadableDocument,
    UnresolvedReference,
)
from inertial_check.rules.formats import CompiledOtherwise
from inertial_check.rules.inertia import (
    NegativePrincipalMoment,
    NumericallyZeroInertia,
    RoundingViolation,
    SingularInertia,
    TriangleInequalityViolation,
    ZeroInertia,
)
from inertial_check.rules.mass import (
    DefaultedInertial,
    MasslessWithInertia,
    MissingInertial,
    NegativeMass,
    NonFiniteNumber,
)
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

ALL_RULES: tuple[type[Rule], ...] = (
    UnreadableDocument,
    NonStrictDocument,
    UnresolvedReference,
    MalformedInertial,
    NegativeMass,
    MasslessWithInertia,
    MissingInertial,
    NonFiniteNumber,
    DefaultedInertial,
    TriangleInequalityViolation,
    NegativePrincipalMoment,
    ZeroInertia,
    NumericallyZeroInertia,
    RoundingViolation,
    SingularInertia,
    CompiledOtherwise,
)
"""Every rule, in the order of the codes."""
