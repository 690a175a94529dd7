"""Size, form and axes of bodies, where another reading of the numbers fits the shapes."""

from __future__ import annotations

import numpy as np

from inertial_check.evidence import Examination
from inertial_check.evidence.likeness import Likeness, best_reading, readings_of
from inertial_check.inertia import resemblance
from inertial_check.rules._phrases import box
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import (
    Doubt,
    Doubts,
    Evidence,
    Flags,
    Found,
    explain_weakness,
    find_mildest,
    is_weak,
)
from inertial_check.rules.screens._limits import Limits

_WHOLE_TENSOR: frozenset[Evidence] = frozenset({"amount", "form"})
"""Evidence of a tensor of which size and form are wrong by one mistake."""


def forms(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Size, shape and axes, where another reading of the numbers fits the geometry."""
    likeness = examination.likeness
    odd = likeness.all_of(likeness.discrepancy > _limits.FIT)
    if not np.any(odd):
        return
    far = likeness.all_of(likeness.discrepancy > limits.discrepancy)
    unlike = likeness.all_of(_find_unlike(likeness))
    for index in np.flatnonzero(odd).tolist():
        doubt = _other_reading(examination, index, limits) if far[index] else None
        if doubt is None or doubt.code != "IC504":
            doubt = _misread(examination, index) or doubt
        if doubt is None and unlike[index]:
            doubt = _doubt_form(examination, index)
        if doubt is not None:
            yield index, doubt


def _find_unlike(likeness: Likeness) -> Flags:
    """(R,) geometries of another form than their bodies, where they show where the mass is."""
    standing = np.maximum(_limits.STANDING * likeness.honest_misfit_of_form, _limits.LEAST_UNLIKE)
    limit = np.minimum(standing, _limits.UNLIKE)
    return (likeness.misfit > limit) & ~likeness.unseen


def _misread(examination: Examination, index: int) -> Doubt | None:
    """A tensor that the formula of the body's one shape gives, if it is misread."""
    found = examination.find_misreading(index)
    if found is None:
        return None
    message = (
        f"the inertia is what the formula of the body's {found.kind} gives with {found.mistake}; "
        f"the moments are {', '.join(f'{moment:.6g}' for moment in found.moments)} kg m^2"
    )
    values: dict[str, object] = {"shape": found.kind, "reading": found.mistake}
    return Doubt("IC505", "tensor", message, values, against=_WHOLE_TENSOR)


def _other_reading(examination: Examination, index: int, limits: Limits) -> Doubt | None:
    """What else the numbers of a body can mean, where that fits its geometry far better."""
    likeness = examination.likeness
    written, rows = examination.assembly.C_BBcm_B[index], likeness.body == index
    shapes = list(likeness.C_GGcm_B[rows])
    found = best_reading(readings_of(examination, index), written, shapes, _limits.FIT)
    slack = _limits.PARTLY_SEEN_GAIN if np.any(likeness.partial[rows]) else 1.0
    if found is None or found.gain < limits.gain * slack or found.rest > _limits.CLOSE:
        return None
    if np.nanmin(found.drops) < limits.drop:
        return None
    what, shifted = found.reading.what, found.reading.cause == "about-link-origin"
    angle = min(float(resemblance.misalignment(written, C_G)) for C_G in shapes)
    values: dict[str, object] = {
        "gain": found.gain, "angle": angle, "reading": what, "cause": found.reading.cause,
        "rest": found.rest, "nearest": found.nearest,
    }  # fmt: skip
    honest = likeness.honest_misfit if shifted else likeness.honest_misfit_of_form
    turned = found.reading.cause == "wrong-frame"
    least = (_limits.CLEAR_TURN if turned else _limits.CLEAR) * honest[rows]
    clear = (found.drops >= least) | (found.rest <= _limits.EXACT)
    weak = is_weak(examination, clear)
    better = (
        f"{what} it fits {found.gain:.2g} times better{explain_weakness(likeness, index, weak)}"
    )
    if turned and angle >= limits.angle:
        degrees = f"{np.degrees(angle):.0f} degrees"
        message = f"its principal axes are {degrees} away from those of the body's shapes; {better}"
        return Doubt("IC504", "tensor", f"the tensor is turned: {message}", values, weak)
    message = f"the tensor does not look like the body's shapes; {better}"
    against = _WHOLE_TENSOR if shifted else None
    return Doubt("IC505", "tensor", message, values, weak, against)


def _doubt_form(examination: Examination, index: int) -> Doubt:
    """A tensor of another form than all shapes of its body, which no reading mends."""
    likeness = examination.likeness
    row = find_mildest(likeness.body == index, likeness.misfit)
    misfit = float(likeness.misfit[row])
    edges = np.sqrt(12 * np.maximum(np.linalg.eigvalsh(likeness.C_GGcm_B[row]), 0.0))
    message = (
        f"the tensor is that of a body of another form than its shapes, a box of "
        f"{box(examination.assembly.box[index])}, while they are as a box of {box(edges)}, or it "
        "lies along other axes; no known misreading explains it: write the inertia of this body"
    )
    return Doubt("IC505", "tensor", message, {"misfit": misfit}, against=_WHOLE_TENSOR)
