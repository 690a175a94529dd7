"""Left and right bodies that differ."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence import Examination
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import Doubt, Doubts, Flags, Found
from inertial_check.rules.screens._limits import Limits


def twins(examination: Examination, limits: Limits, found: Found) -> Doubts:
    """Left and right that differ."""
    assembly, bodies = examination.assembly, examination.model.bodies
    if not assembly.twins:
        return
    pairs = assembly.twin_pairs
    heavier, unlike = pairs.mass > limits.twin_mass, pairs.moments > limits.twin
    apart = pairs.apart > limits.twin
    copied = _copied_sides(pairs.reflections, limits.twin)
    for row in np.flatnonzero(heavier | unlike | apart | copied).tolist():
        pair = pairs.bodies[row].tolist()
        if any(index in found for index in pair):
            continue
        if heavier[row]:
            masses = assembly.mass[pair].tolist()
            what = f"they weigh {masses[0]:.6g} and {masses[1]:.6g} kg"
        elif unlike[row]:
            what = f"their moments differ by {100 * pairs.moments[row]:.0f} % per kilogram"
        elif apart[row]:
            what = "no reflection and no exchange of axes brings one onto the other"
        else:
            what = "they are copies, where the model's other twins are reflections"
        for index, other in (pair, pair[::-1]):
            name = bodies[other].name
            message = f"it is no mirror image of {name}: {what}"
            yield index, Doubt("IC601", "inertial", message, {"twin": name})


def _copied_sides(reflections: Floats, tolerance: float) -> Flags:
    """Pairs that are copies, in a model whose twins are reflections of each other."""
    fits = reflections <= tolerance
    told = np.any(fits, axis=1) & ~np.all(fits, axis=1)
    reflected = fits & (told & ~fits[:, 0])[:, None]
    counts = np.sum(reflected, axis=0)
    usual = int(np.argmax(counts))
    enough = max(_limits.REPEATED, _limits.MOST_TWINS * np.sum(told))
    copied: Flags = told & ~fits[:, usual] & fits[:, 0]
    return copied & bool(counts[usual] >= enough)
