"""The values that every finding about an inertia carries."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.model import ENTRIES, Body, FixKind, Judgement


def evidence(judgements: Sequence[Judgement]) -> list[dict[str, object]]:
    """Margin, moments, box, witness and the admissible interval of each single entry, body by body.

    Intervals are of the entry as printed, in the inertial's own axes, with the others as written;
    None where no value of that entry alone gives a body.
    """
    from inertial_check.inertia.intervals import admissible_intervals  # few models need any

    every = admissible_intervals(np.array([each.I_BBcm_Bi for each in judgements])).tolist()
    return [
        _values(judgement, intervals)
        for judgement, intervals in zip(judgements, every, strict=True)
    ]


def _values(judgement: Judgement, intervals: list[list[float]]) -> dict[str, object]:
    return {
        "mass": judgement.mass,
        "margin": judgement.margin,
        "tolerance": judgement.tolerance,
        "principal_moments": list(judgement.principal_moments),
        "admissible": {
            entry: [low, high] if isfinite(low) else None
            for entry, (low, high) in zip(ENTRIES, intervals, strict=True)
        },
        "equivalent_box": [edge if isfinite(edge) else None for edge in judgement.equivalent_box],
        "witness": None if judgement.witness is None else list(judgement.witness),
    }


def find_fix_kinds(bodies: Sequence[Body], judgements: Sequence[Judgement]) -> list[FixKind | None]:
    """Whether the nearest consistent tensor of each body is near enough to take unasked.

    All bodies are projected in one call: one alone takes as long as a hundred.

    Returns:
        None for a body that has no such tensor, or where expressions would have to give other
        values.
    """
    kinds: list[FixKind | None] = [None] * len(bodies)
    chosen = [at for at, judgement in enumerate(judgements) if not judgement.numerically_zero]
    if not chosen:
        return kinds
    # Most models need no projection, and loading it costs as much as reading one.
    from inertial_check.projection.closed_form import nearest_inertia
    from inertial_check.projection.metrics import INERTIA

    before = np.array([judgements[at].I_BBcm_Bi for at in chosen])
    after = np.asarray(nearest_inertia(before))
    with np.errstate(all="ignore"):  # a tensor of zeros has no nearest one, and no kind
        change = INERTIA.distance(before, after) / INERTIA.distance(np.zeros_like(before), before)
    small = np.asarray(change <= tolerances.MAX_CHANGE).tolist()
    for at, old, new, safe in zip(chosen, before, after, small, strict=True):
        if np.any(new) and not _is_computed(bodies[at], old, new):
            kinds[at] = "safe" if safe else "unsafe"
    return kinds


def _is_computed(body: Body, before: Floats, after: Floats) -> bool:
    """Whether an entry that changes is the value of an expression; a zero is taken to stay one."""
    entries = body.inertial.I_BBcm_Bi if body.inertial is not None else {}
    computed = [entry in entries and not entries[entry].literal for entry in ENTRIES]
    return bool(np.any((after != before) & (before != 0) & computed))


def moments_text(judgement: Judgement) -> str:
    """The principal moments as a reader wants them."""
    return ", ".join(f"{moment:.6g}" for moment in judgement.principal_moments)
