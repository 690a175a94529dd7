"""Centres of mass where no body is."""

from __future__ import annotations

import numpy as np

from inertial_check.evidence import Examination
from inertial_check.rules._phrases import length, point
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import (
    Doubt,
    Doubts,
    Found,
    explain_weakness,
    find_mildest,
    is_weak,
)
from inertial_check.rules.screens._limits import Limits


def centers(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Centres of mass where no body is."""
    likeness, assembly = examination.likeness, examination.assembly
    allowed = limits.outside * np.where(likeness.partial, _limits.PARTLY_SEEN_OUTSIDE, 1.0)
    # Shapes that stand in for unread ones, and are smaller than the body, do not enclose it, and
    # may stand beside its centre as far as the body reaches.
    small = likeness.unseen & (likeness.size_ratio > _limits.FITTING_SIZE)
    small &= likeness.excess * likeness.extent < _limits.REACH * assembly.size[likeness.body]
    for index in np.flatnonzero(likeness.all_of(likeness.excess > allowed)).tolist():
        rows = likeness.body == index
        weak = is_weak(examination, ~small[rows])
        row = find_mildest(rows, likeness.excess)
        excess = float(likeness.excess[row])
        message = (
            f"the centre of mass {point(assembly.p_BoBcm_B[index])} lies outside the hull of the "
            f"body's shapes and joints, by {length(excess * likeness.extent[row])}, "
            f"{100 * excess:.0f} % of their extent{explain_weakness(likeness, index, weak)}"
        )
        yield index, Doubt("IC201", "center", message, {"excess": excess}, weak)
    with np.errstate(all="ignore"):
        distance = np.linalg.norm(assembly.p_BoBcm_B, axis=1)
        reach = assembly.size + np.fmax(assembly.skeleton, np.nan_to_num(assembly.scale))
        far = assembly.stated & ~likeness.known & (distance > limits.far * reach)
    for index in np.flatnonzero(far).tolist():
        joints = float(assembly.skeleton[index])
        message = (
            f"the centre of mass is {length(distance[index])} from the body's origin, while the "
            f"mass spreads over {length(assembly.size[index])}"
            + (f" and the joints over {length(joints)}" if joints else "")
            + ": as millimetres do in a file of metres"
        )
        yield index, Doubt("IC202", "center", message, {"distance": float(distance[index])})
