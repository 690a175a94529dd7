"""The same ten numbers on bodies that look different."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence import Examination
from inertial_check.rules._phrases import having, length
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import Doubt, Doubts, Flags, Found
from inertial_check.rules.screens._limits import Limits


def copies(examination: Examination, limits: Limits, _found: Found) -> Doubts:
    """The same ten numbers on bodies that look different."""
    assembly, bodies = examination.assembly, examination.model.bodies
    for group in assembly.same_numbers:
        members = np.array(group)
        unlike, known = _unlike(examination.likeness.sizes[members], _limits.OTHER_SIZE)
        by_joints, _ = _unlike(assembly.skeleton[members, None], _limits.OTHER_JOINTS)
        unlike |= by_joints & ~known
        for place in np.flatnonzero(np.any(unlike, axis=1)).tolist():
            index = group[place]
            others = [
                other
                for other in members[unlike[place]].tolist()
                if (min(index, other), max(index, other)) not in assembly.twins
            ]
            if others:
                names = [bodies[other].name for other in others]
                message = (
                    f"{having(names)} the same ten numbers, mass, centre and inertia, but "
                    f"{_difference(examination, index, others[0])}"
                )
                yield index, Doubt("IC602", "inertial", message, {"same_numbers": names})


def _unlike(sizes: Floats, factor: float) -> tuple[Flags, Flags]:
    """Which bodies are not the same part, by all sizes that are known of both.

    Args:
        sizes: (G, K) several sizes of G bodies; 0 or NaN where one is not known.
        factor: Above which a ratio of sizes is that of two parts.

    Returns:
        (G, G) whether they differ, and (G, G) whether any size is known of both.
    """
    count = len(sizes)
    known = np.zeros((count, count), dtype=bool)
    alike = np.zeros((count, count), dtype=bool)
    for size in sizes.T:
        given = size > 0
        if np.any(given):
            both = given[:, None] & given
            with np.errstate(all="ignore"):
                ratio = size[:, None] / size
            known |= both
            alike |= both & (ratio <= factor) & (ratio >= 1 / factor)
    return known & ~alike, known


def _difference(examination: Examination, one: int, other: int) -> str:
    """In what two bodies differ that are not the same part."""
    sizes = examination.likeness.sizes[[one, other]]
    for ours, theirs in sizes.T.tolist():
        if ours > 0 and theirs > 0:
            return f"its shapes spread over {length(theirs)}, these over {length(ours)}"
    ours, theirs = examination.assembly.skeleton[[one, other]].tolist()
    return f"its joints are {length(theirs)} apart, these {length(ours)}"
