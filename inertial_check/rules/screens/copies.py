"""The same ten numbers on bodies that look different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import dist
from typing import NamedTuple

import numpy as np

from inertial_check.evidence import Examination
from inertial_check.evidence.assembly import Indices
from inertial_check.inertia import resemblance
from inertial_check.rules._phrases import having, length
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import (
    Doubt,
    Doubts,
    Flags,
    Found,
    find_fitting,
    is_explained,
)
from inertial_check.rules.screens._limits import Limits


def copies(examination: Examination, limits: Limits, found: Found) -> Doubts:
    """The same ten numbers on bodies that look different."""
    assembly, bodies = examination.assembly, examination.model.bodies
    groups = [
        group
        for group in assembly.same_numbers
        if not all(is_explained(found, index) for index in group)
    ]
    if not groups:
        return
    fitting, looks = find_fitting(examination), _look_at_all(examination)
    for group in groups:
        members = np.array(group)
        unlike = _find_unlike(examination, members, looks)
        fits = fitting[members]
        unlike &= ~(fits[:, None] & ~fits)  # the numbers are those of the one that fits
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
                    f"{_describe_difference(examination, index, others[0], looks)}"
                )
                yield index, Doubt("IC602", "inertial", message, {"same_numbers": names})


def _find_unlike(examination: Examination, members: Indices, looks: _Looks) -> Flags:
    """(G, G) which bodies of a group are different parts, by the best evidence there is."""
    assembly = examination.assembly
    by_shapes, known = _compare_looks([looks.get(index, {}) for index in members.tolist()])
    skeleton = assembly.skeleton[members]
    with np.errstate(all="ignore"):
        ratio = np.abs(np.log(skeleton[:, None] / skeleton))
    joined = (skeleton[:, None] > 0) & (skeleton > 0)
    far = joined & (ratio > np.log(_limits.OTHER_JOINTS))
    moved = (skeleton[:, None] > 0) ^ (skeleton > 0)
    moved |= joined & (ratio > np.log(_limits.OTHER_HOLES))
    others = ~known & moved
    if np.any(others):
        others &= _have_other_shapes(examination, members)
    if np.any(others):
        if not _is_drawn(examination, int(members[0])):
            others &= _are_of_other_kinds(examination, members)
        # The one whose centre lies between its joints owns the numbers.
        owns = np.array([_is_between_joints(examination, i) for i in members.tolist()])
        others &= ~(owns[:, None] & ~owns)
    unlike: Flags = by_shapes | (~known & far) | others
    return unlike


def _have_other_shapes(examination: Examination, members: Indices) -> Flags:
    """(G, G) which bodies have shapes, and none in common by its content."""
    drawn = [_name_shapes(examination, index) for index in members.tolist()]
    return np.array([[bool(a and b) and not a & b for b in drawn] for a in drawn], dtype=bool)


def _is_drawn(examination: Examination, index: int) -> bool:
    """Whether the numbers of a body come from the drawing of one part.

    Those of a formula hold for all parts of about one size; they have no products, and a centre on
    an axis of symmetry with two equal moments across it, or one at the origin.
    """
    judgement = examination.judgements[index]
    six, center = judgement.I_BBcm_Bi, judgement.p_BoBcm_B
    different = len({six[entry] for entry in (0, 3, 5)}) == len(center)
    return any(six[entry] for entry in (1, 2, 4)) or (different and any(center))


def _are_of_other_kinds(examination: Examination, members: Indices) -> Flags:
    """(G, G) which bodies have no kind of shape in common: a box and a mesh are two parts."""
    bodies = examination.model.bodies
    kinds = [{shape.kind for shape in bodies[index].shapes} for index in members.tolist()]
    return np.array([[not one & other for other in kinds] for one in kinds], dtype=bool)


def _is_between_joints(examination: Examination, index: int) -> bool:
    """Whether the centre of mass of a body lies between its own joint and the farthest other."""
    assembly = examination.assembly
    joints, center = assembly.joints[index], assembly.p_BoBcm_B[index]
    if not len(joints):
        return False
    farthest = joints[np.argmax(np.linalg.norm(joints, axis=1))]
    along, length = float(center @ farthest), float(farthest @ farthest)
    beside = float(np.linalg.norm(center * length - along * farthest))
    return 0 < along < length and beside < along * np.sqrt(length)


def _name_shapes(examination: Examination, index: int) -> frozenset[str]:
    """The shapes of a body by their content, as far as the document tells it: file, or lengths."""
    return frozenset(
        shape.uri or f"{shape.kind} {shape.dimensions}"
        for shape in examination.model.bodies[index].shapes
    )


class _Look(NamedTuple):
    """Measures of the shapes of one role, which do not depend on the pose or side of the part.

    Attributes:
        size: Root mean square distance from their centre [m].
        volume: Inside them [m^3]; NaN where it is not known.
        shares: Their three principal spreads, as shares.
        offset: Distance of the centre of mass from their centre, in parts of their extent.
        misfit: Between them and the stated tensor.
    """

    size: float
    volume: float
    shares: tuple[float, ...]
    offset: float
    misfit: float

    def is_like(self, other: _Look) -> bool:
        """Whether both may be one part, mounted in one way or mirrored."""
        if self == other:
            return True
        larger, smaller = max(self.volume, other.volume), min(self.volume, other.volume)
        return (
            max(self.size, other.size) <= _limits.OTHER_SIZE * min(self.size, other.size)
            and not larger > _limits.OTHER_VOLUME * smaller  # also where one is NaN
            and dist(self.shares, other.shares) <= _limits.OTHER_FORM
            and abs(self.offset - other.offset) <= _limits.OTHER_PLACE
            and abs(self.misfit - other.misfit) <= _limits.OTHER_FORM
        )


_Looks = Mapping[int, Mapping[str, _Look]]
"""Measures of the shapes of bodies, by the index of the body and the role of the shapes."""


def _look_at_all(examination: Examination) -> _Looks:
    """Measure the shapes of all bodies."""
    likeness = examination.likeness
    if not likeness.rows:
        return {}
    found: dict[int, dict[str, _Look]] = {}
    mass = examination.assembly.mass[likeness.body]
    rows = zip(
        likeness.body.tolist(),
        likeness.rows,
        resemblance.size(likeness.C_GGcm_B).tolist(),
        (mass / likeness.density[:, 1]).tolist(),
        map(tuple, resemblance.shares(likeness.C_GGcm_B).tolist()),
        likeness.offset.tolist(),
        likeness.misfit.tolist(),
        strict=True,
    )
    for index, shapes, *numbers in rows:
        # The surface of an open mesh comes before its hull.
        found.setdefault(index, {}).setdefault(shapes.role, _Look(*numbers))
    return found


def _compare_looks(looks: Sequence[Mapping[str, _Look]]) -> tuple[Flags, Flags]:
    """(G, G) which bodies differ in every role known of both, and where there is such a role."""
    count = len(looks)
    unlike, known = np.zeros((count, count), dtype=bool), np.zeros((count, count), dtype=bool)
    for i, one in enumerate(looks):
        for j, other in enumerate(looks[:i]):
            common = one.keys() & other.keys()
            known[i, j] = known[j, i] = bool(common)
            alike = any(one[role].is_like(other[role]) for role in common)
            unlike[i, j] = unlike[j, i] = bool(common) and not alike
    return unlike, known


def _describe_difference(examination: Examination, one: int, other: int, looks: _Looks) -> str:
    """In what two bodies differ that are not the same part."""
    ours, theirs = looks.get(one, {}), looks.get(other, {})
    for role in ("visual", "collision"):
        if role in ours and role in theirs:
            mine, its = ours[role], theirs[role]
            if max(mine.size, its.size) > _limits.OTHER_SIZE * min(mine.size, its.size):
                return f"its shapes spread over {length(its.size)}, these over {length(mine.size)}"
            if dist(mine.shares, its.shares) > _limits.OTHER_FORM:
                return "its shapes have another form than these"
            if abs(mine.offset - its.offset) > _limits.OTHER_PLACE:
                return "its shapes lie elsewhere beside the centre of mass than these"
            return "its shapes have another volume, or stand otherwise, than these"
    ours_far, theirs_far = examination.assembly.skeleton[[one, other]].tolist()
    if ours_far and theirs_far:
        return f"its joints are {length(theirs_far)} apart, these {length(ours_far)}"
    return "its shapes are other ones, and only one of both carries a further joint"
