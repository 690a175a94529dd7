"""The list of the causes that can explain unsound numbers: those that no body has, or missing ones.

All others explain the numbers of some body alone. They are most of the causes, and a check that has
found no such body does without them.
"""

from __future__ import annotations

from inertial_check.causes._base import Cause
from inertial_check.causes.conventions import ComponentOrder, SignOfProducts
from inertial_check.causes.digits import FewDigits, FixedDecimals
from inertial_check.causes.points import (
    ComTensorReadAsOrigin,
    DoubleParallelAxis,
    OriginTensorReadAsCom,
)
from inertial_check.causes.siblings import CopiedBlock
from inertial_check.causes.slips import CopiedEntry, DecimalSlip, NegativeDiagonal
from inertial_check.causes.unwritten import SameNumberEverywhere, Unpopulated

CAUSES_OF_UNSOUND: tuple[type[Cause], ...] = (
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
    CopiedBlock,
)
"""Every cause of unsound numbers, in the order of ALL_CAUSES."""
