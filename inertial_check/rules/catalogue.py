"""The list of all rules."""

from __future__ import annotations

from inertial_check.rules._base import Rule
from inertial_check.rules.added_mass import AddedMassNotPositiveDefinite
from inertial_check.rules.assembly import (
    CopiedInertial,
    RepeatedTensor,
    TotalMass,
    TwinsDiffer,
)
from inertial_check.rules.center import CenterFarAway, CenterOutsideGeometry
from inertial_check.rules.configuration import InvalidSuppression, UnusedSuppression
from inertial_check.rules.document import (
    MalformedInertial,
    NonStrictDocument,
    UnreadableDocument,
    UnresolvedReference,
)
from inertial_check.rules.engines import EngineChangesBody, EngineWarns
from inertial_check.rules.formats import CompiledOtherwise
from inertial_check.rules.geometry import UnusableMesh
from inertial_check.rules.inertia import (
    DigitsLost,
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
from inertial_check.rules.plausibility import (
    AxesMismatch,
    ImplausibleDensity,
    ModelWideMistake,
    PlaceholderInertia,
    SizeMismatch,
    UnlikeGeometry,
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
