"""Numbers that stand for none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Cause, Proposal, Subject
from inertial_check.causes._witnesses import I_BBcm_Bi, box_text, is_stated
from inertial_check.evidence.assembly import times_the_identity

SAME = 3
"""Bodies with one tensor, of different masses, from which it is nobody's."""


class Placeholder(Cause):
    """The inertia was filled in so that something stands there.

    ## What happened
    The engine asks for an inertia, nobody had one: so the identity was typed, or 0.001 on the
    diagonal, or the tensor of one link was pasted into all.

    ## How it is recognised
    A power of ten times the identity; or the same six numbers, digit by digit, on three or more
    bodies of different masses.

    ## Example
        <mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>

    ## What undoes it
    The inertia from CAD; else that of the body's shapes with this mass, evenly spread, which is
    what the edit writes where the shapes can be read.

    ## What people search for
    "default inertia URDF"; "inertia 1 1 1"; "robot moves as if in honey".

    ## References
    The plausibility page.
    """

    name, prior = "placeholder", 0.25

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor of the shapes, where they can be read."""
        if not is_stated(subject):
            return
        if is_placeholder(subject):
            moment = subject.judgement.principal_moments[0]
            what = times_the_identity(moment)
            weight = 200.0
        elif sharers := _sharers(subject):
            what, weight = f"that of {len(sharers)} bodies with other masses", 50.0
        else:
            return
        yield Proposal(
            weight,
            f"the tensor is {what}; at {subject.mass:.6g} kg it is that of "
            + box_text(subject.mass, subject.examination.assembly.C_BBcm_B[subject.index]),
            I_BBcm_Bi=uniform(subject),
        )


def is_placeholder(subject: Subject) -> bool:
    """Whether the tensor is a power of ten times the identity."""
    return bool(subject.examination.assembly.placeholders[subject.index])


def _sharers(subject: Subject) -> list[int]:
    """Bodies with the same tensor and another mass, where it is on three or more."""
    assembly = subject.examination.assembly
    for group in assembly.same_tensor:
        if subject.index in group and len(group) >= SAME:
            ratio = assembly.mass[list(group)] / subject.mass
            return [i for i, r in zip(group, ratio.tolist(), strict=True) if not 2 / 3 < r < 1.5]
    return []


def uniform(subject: Subject) -> Floats | None:
    """The tensor of the body's first trustworthy geometry, evenly filled with its mass."""
    likeness = subject.examination.likeness
    rows = np.flatnonzero(likeness.body == subject.index)
    if not len(rows):
        return None
    return I_BBcm_Bi(subject, subject.mass, likeness.C_GGcm_B[rows[0]])
