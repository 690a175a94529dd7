"""The list of all rules."""

from __future__ import annotations

from inertial_check.checking.rules.base import Rule
from inertial_check.checking.rules.document import (
    CompiledOtherwise,
    InvalidSuppression,
    MalformedInertial,
    NonStrictDocument,
    UnreadableDocument,
    UnresolvedReference,
    UnusedSuppression,
)
from inertial_check.checking.rules.engines import EngineChangesBody, EngineWarns
from inertial_check.checking.rules.numbers import (
    AddedMassNotPositiveDefinite,
    CenterFarAway,
    CenterOutsideGeometry,
    DefaultedInertial,
    DigitsLost,
    MasslessWithInertia,
    MissingInertial,
    NegativeMass,
    NegativePrincipalMoment,
    NonFiniteNumber,
    NumericallyZeroInertia,
    RoundingViolation,
    SingularInertia,
    TriangleInequalityViolation,
    ZeroInertia,
)
from inertial_check.checking.rules.plausibility import (
    AxesMismatch,
    CopiedInertial,
    ImplausibleDensity,
    ModelWideMistake,
    PlaceholderInertia,
    RepeatedTensor,
    SizeMismatch,
    TotalMass,
    TwinsDiffer,
    UnlikeGeometry,
    UnusableMesh,
)

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
    CenterOutsideGeometry,
    CenterFarAway,
    TriangleInequalityViolation,
    NegativePrincipalMoment,
    ZeroInertia,
    NumericallyZeroInertia,
    RoundingViolation,
    SingularInertia,
    DigitsLost,
    AddedMassNotPositiveDefinite,
    PlaceholderInertia,
    SizeMismatch,
    ImplausibleDensity,
    AxesMismatch,
    UnlikeGeometry,
    UnusableMesh,
    ModelWideMistake,
    TwinsDiffer,
    CopiedInertial,
    RepeatedTensor,
    TotalMass,
    EngineChangesBody,
    EngineWarns,
    CompiledOtherwise,
    UnusedSuppression,
    InvalidSuppression,
)
"""Every rule, in the order of the codes."""
