"""Numbers that stand for none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._witnesses import I_BBcm_Bi, box_text
from inertial_check.evidence.assembly import times_the_identity

SAME = 3
"""Bodies with one tensor, of different masses, from which it is nobody's."""


class Placeholder(Cause):
    """The inertia was filled in so that something stands there.

    ## What happened
    The engine asks for an inertia, nobody had one: so the identity was typed, or 0.001 on the
    diagonal, or the tensor of one link was pasted into all.

    ## How it is recognised
    A power of ten times the identity, or three such moments with products beside them; or the same
    six numbers, of one or two digits and without products, on three or more bodies of different
    masses. The same six numbers with more digits are those of one of these bodies: copied-block.

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
    kinds = frozenset({"stated", "placeholder"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor of the shapes, where they can be read."""
        if subject.kind == "placeholder":
            moment = subject.judgement.principal_moments[0]
            what = times_the_identity(moment)
            weight = 200.0
        elif power := _power_of_ten(subject):
            what, weight = f"{power} on the diagonal, with products beside it", 200.0
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


def _sharers(subject: Subject) -> list[int]:
    """Bodies with the same tensor and another mass, where it is on three or more."""
    assembly = subject.examination.assembly
    if not is_rough(subject):
        return []
    for group in assembly.same_tensor:
        if subject.index in group and len(group) >= SAME:
            ratio = assembly.mass[list(group)] / subject.mass
            return [i for i, r in zip(group, ratio.tolist(), strict=True) if not 2 / 3 < r < 1.5]
    return []


def _power_of_ten(subject: Subject) -> str:
    """The power of ten that all three moments are, with products beside them; "" for another."""
    moments = {text.lstrip("+") for text in (subject.texts[i] for i in (0, 3, 5))}
    same = len({float(value) for value in subject.six[[0, 3, 5]]}) == 1
    digits = [each for text in moments for each in text.lower().partition("e")[0].strip("0.")]
    return moments.pop() if same and len(digits) == len(moments) and set(digits) == {"1"} else ""


def is_rough(subject: Subject) -> bool:
    """Whether a tensor has no products, and moments of one or two digits."""
    moments = [f"{value:.12e}".partition("e")[0] for value in subject.six[[0, 3, 5]].tolist()]
    few = all(len(text.rstrip("0")) <= len("1.2") for text in moments)
    return few and not np.any(subject.six[[1, 2, 4]])


def uniform(subject: Subject) -> Floats | None:
    """The tensor of the body's first trustworthy geometry, evenly filled with its mass."""
    likeness = subject.examination.likeness
    rows = likeness.places_of(subject.index)
    if not rows:
        return None
    return I_BBcm_Bi(subject, subject.mass, likeness.C_GGcm_B[rows[0]])
