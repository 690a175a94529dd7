"""The list of all causes."""

from __future__ import annotations

from inertial_check.causes._base import Cause
from inertial_check.causes.axes import SortedPrincipalMoments
from inertial_check.causes.conventions import ComponentOrder, SignOfProducts
from inertial_check.causes.digits import FewDigits, FixedDecimals
from inertial_check.causes.geometric import (
    AboutLinkOrigin,
    ComOutside,
    RotorInertia,
    SizeMismatch,
    WrongFormula,
    WrongFrame,
)
from inertial_check.causes.placeholders import Placeholder
from inertial_check.causes.points import (
    ComTensorReadAsOrigin,
    DoubleParallelAxis,
    OriginTensorReadAsCom,
)
from inertial_check.causes.replaced import MassReplaced
from inertial_check.causes.siblings import CopiedBlock, Mirror, TotalMass
from inertial_check.causes.slips import CopiedEntry, DecimalSlip, NegativeDiagonal
from inertial_check.causes.units import Density, Units
from inertial_check.causes.unwritten import SameNumberEverywhere, Unpopulated

ALL_CAUSES: tuple[type[Cause], ...] = (
    DecimalSlip,
    NegativeDiagonal,
    CopiedEntry,
    SignOfProducts,
    ComponentOrder,
    DoubleParallelAxis,
    OriginTensorReadAsCom,
    ComTensorReadAsOrigin,
    Unpopulated,
    SameNumberEverywhere,
    FewDigits,
    FixedDecimals,
    Placeholder,
    Units,
    Density,
    SizeMismatch,
    MassReplaced,
    AboutLinkOrigin,
    WrongFrame,
    SortedPrincipalMoments,
    WrongFormula,
    ComOutside,
    RotorInertia,
    Mirror,
    CopiedBlock,
    TotalMass,
)
"""Every cause, in the order of its page."""
