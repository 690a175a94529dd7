"""The list of all causes.

The sentence that stands in place of causes, where a suspicion has none.
"""

from __future__ import annotations

import numpy as np

from inertial_check.checking.causes.amounts import (
    CopiedBlock,
    Density,
    MassReplaced,
    Mirror,
    TotalMass,
    Units,
)
from inertial_check.checking.causes.base import Cause, Subject
from inertial_check.checking.causes.copies import EditedCopy, OtherText
from inertial_check.checking.causes.frames import (
    AboutLinkOrigin,
    ComOutside,
    ComponentOrder,
    ComTensorReadAsOrigin,
    DoubleParallelAxis,
    OriginTensorReadAsCom,
    RotorInertia,
    SignOfProducts,
    SizeMismatch,
    SortedPrincipalMoments,
    WrongFormula,
    WrongFrame,
)
from inertial_check.checking.causes.text import (
    CopiedEntry,
    DecimalSlip,
    FewDigits,
    FixedDecimals,
    NegativeDiagonal,
    Placeholder,
    SameNumberEverywhere,
    Unpopulated,
    WrongEntry,
)
from inertial_check.checking.causes.weighing import is_stated, twin_of
from inertial_check.checking.report import Finding

ALL_CAUSES: tuple[type[Cause], ...] = (
    DecimalSlip,
    WrongEntry,
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
    EditedCopy,
    OtherText,
    TotalMass,
)
"""Every cause, in the order of its page."""


FAMILIES = ("IC2", "IC5", "IC6")
"""Families of codes that are suspicions: each of their findings has a cause, or says why none."""

_UNLIKE = 0.6
"""Misfit by all shapes above which the numbers are those of another part: none of 1,022 honest
bodies reaches it, a rod beside a ball has 0.82."""


def say_why_none(finding: Finding, subject: Subject | None) -> str:
    """Say in one sentence why no cause of a finding is named.

    Args:
        finding: A finding without causes.
        subject: Its body; None for a finding on the document, or where nothing can be computed.

    Returns:
        "" for codes that are no suspicions.
    """
    if not finding.code.startswith(FAMILIES):
        return ""
    if finding.body_id is None:
        return "the numbers of the whole model do not tell which body is wrong"
    if subject is None or not is_stated(subject):
        return "the numbers of this body are too incomplete, or too extreme, to be read differently"
    likeness = subject.examination.likeness
    misfit = float(np.min(likeness.misfit[likeness.body == subject.index], initial=np.inf))
    if np.isfinite(misfit):
        # Say why nothing explains a body that has shapes.
        if misfit > _UNLIKE:
            return (
                f"the tensor is unlike the body's shapes (misfit {misfit:.2f}, honest bodies stay "
                f"below {_UNLIKE}), and no other unit, sign, axis or reference point makes it like "
                "them: it is probably the tensor of another part"
            )
        return (
            "no other unit, sign, axis or reference point brings the numbers nearer to the body's "
            "shapes: compare them with their source"
        )
    known = "a twin but no shapes" if twin_of(subject) is not None else "neither shapes nor a twin"
    return (
        f"the body has {known} that can be compared, and no known mistake explains its numbers: "
        "compare them with their source"
    )
