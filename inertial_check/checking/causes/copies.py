"""Numbers that another body has with the same digits: a proof where a reading leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inertial_check.checking.causes.base import Cause, Proposal, Subject, enumerate_words, number
from inertial_check.checking.evidence.fingerprints import (
    CENTER,
    NAMES,
    SIGNS,
    SLOTS,
    TENSOR,
    list_contradictions,
)
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats

_EXACT = 1e3
"""Times as probable as by itself that a cause is right whose numbers are those of another body, as
it is, mirrored or turned. Chosen: chance gives three digits of one number."""


def weigh_copies(subject: Subject, proposals: Sequence[Proposal]) -> list[float]:
    """Weigh proposals by whether they lead to the numbers of a body with the same digits."""
    assembly = subject.examination.assembly
    others = [
        found.of(subject.index)[0]
        for found in list_contradictions(assembly)
        if subject.index in found.bodies
    ]
    if not others:
        return [1.0] * len(proposals)
    judgements = subject.examination.judgements
    bodies = [judgements[i] for i in dict.fromkeys(others)]
    theirs = np.array([(each.mass, *each.p_BoBcm_B, *each.I_BBcm_B) for each in bodies])
    return [_EXACT if _is_image(subject, each, theirs) else 1.0 for each in proposals]


def _is_image(subject: Subject, proposal: Proposal, theirs: Floats) -> bool:
    """Whether an exchange of axes takes what was meant to one of other bodies' numbers."""
    meant = proposal.mass, proposal.p_BoBcm_B, proposal.I_BBcm_Bi
    if all(each is None for each in meant):
        return False
    tensor = subject.I_BBcm_Bi if proposal.I_BBcm_Bi is None else proposal.I_BBcm_Bi
    center = subject.p_BoBcm_B if proposal.p_BoBcm_B is None else proposal.p_BoBcm_B
    mass = subject.mass if proposal.mass is None else proposal.mass
    ten = np.array([mass, *center, *resemblance.entries(resemblance.rotate(subject.R_BBi, tensor))])
    off = np.abs((ten[SLOTS] * SIGNS)[:, None] - theirs)
    largest = np.array(
        [
            [row[0], *[np.max(np.abs(row[CENTER]))] * 3, *[np.max(np.abs(row[TENSOR]))] * 6]
            for row in theirs
        ]
    )
    return bool(np.any(np.all(off <= tolerances.COPIED_NUMBER * largest, axis=-1)))


_FURTHER = 0.1
"""Probability of one more edit of a copied block, beside the first; chosen: a body with two has
rather one mistake that other causes name."""


class EditedCopy(Cause):
    """The block of another body was copied, or mirrored, and one number of it was edited.

    ## What happened
    A digit was mistyped, lost or doubled, two numbers changed places, or a sign was not mirrored
    with the others, in a block whose other numbers are those of its twin.

    ## How it is recognised
    IC605: the digits of another body, but for a number that no mirror image or turn explains. A
    sign, a power of ten or an order of the entries that other causes know is told by these.

    ## Example
        <link name="left">
          <inertial>
            <origin xyz="0.0612 0.0224 0.0128"/>
            <mass value="1.563"/>
            <inertia ixx="0.00247" ixy="0.00081" ixz="0.0012" iyy="0.00613" iyz="0.00049"
                     izz="0.00671"/>
          </inertial>
        </link>
        <link name="right">
          <inertial>
            <origin xyz="0.0612 0.0224 0.0128"/>
            <mass value="1.563"/>
            <inertia ixx="0.00247" ixy="0.00081" ixz="0.0012" iyy="0.00673" iyz="0.00049"
                     izz="0.00671"/>
          </inertial>
        </link>

    ## What undoes it
    The number that the other body has for it.

    ## What people search for
    "left and right link different inertia".

    ## References
    The plausibility page, "Equal digits".
    """

    name, prior = "edited-copy", 0.02
    kinds = frozenset({"impossible", "stated"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Propose the numbers that the body with the same digits has."""
        bodies = subject.examination.model.bodies
        contradictions = [
            found
            for found in list_contradictions(subject.examination.assembly)
            if subject.index in found.bodies and found.kind != "tensor"
        ]
        # Several masses beside one tensor are a tensor that was copied, and no edited mass.
        alone = [found.of(subject.index) for found in contradictions]
        masses = {float(meant[0]) for _, rows, meant in alone if set(rows) == {0}}
        for found in contradictions:
            other, rows, meant = found.of(subject.index)
            copied = set(rows) == {0} and len(masses) > 1
            if copied or found.blamed not in (None, subject.index):
                continue
            six = resemblance.matrices(meant[TENSOR])
            kinds = {0 if row == 0 else 1 if row < TENSOR.start else 2 for row in rows}
            words = [f"{NAMES[row]} = {number(float(meant[row]))}" for row in rows]
            edits = 1 if found.kind == "places" else len(rows)
            yield Proposal(
                _FURTHER ** (edits - 1),
                f"with {enumerate_words(words)} the ten numbers are those of "
                f"{bodies[other].name}, digit for digit",
                mass=float(meant[0]) if 0 in kinds else None,
                p_BoBcm_B=meant[CENTER] if 1 in kinds else None,
                I_BBcm_Bi=resemblance.rotate(subject.R_BBi.T, six) if 2 in kinds else None,
            )
