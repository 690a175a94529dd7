"""Numbers that another body has with the same digits: a proof where a reading leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.checking.causes.base import (
    Cause,
    Meant,
    Proposal,
    Subject,
    enumerate_words,
    number,
)
from inertial_check.checking.causes.weighing import gains, tidy, twin_of
from inertial_check.checking.evidence.fingerprints import (
    CENTER,
    NAMES,
    OF_TERM,
    SIGNS,
    SLOTS,
    TENSOR,
    find_own_term,
    list_contradictions,
)
from inertial_check.checking.evidence.readings import FORMULA, moments_of
from inertial_check.documents.model import ENTRIES, Judgement
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, Mask

_OF_ENTRIES = frozenset(
    {"decimal-slip", "wrong-entry", "component-order", "negative-diagonal", "sign-of-products"}
)
"""Causes that know no shapes and keep most of the tensor: the solid they lead to is a proof. A unit
may be one of the shapes as well."""

_OF_OTHERS = frozenset({"other-text", "mirror"})
"""Causes that propose the numbers of others, so that these are no witnesses for them."""

EXACT = 1e3
"""Times as probable as by itself that a cause is right whose numbers are those of another body, as
it is, mirrored or turned. Chosen: chance gives three digits of one number."""


def weigh_copies(
    subject: Subject, proposed: Sequence[tuple[Cause, Proposal]]
) -> list[tuple[float, str]]:
    """Weigh proposals by whether they lead to numbers that stand elsewhere, digit for digit.

    Those of the twin, of a body with the same digits, of another text, or of the one solid that is
    drawn; or by whether the products of the body are the parallel-axis term that they undo.

    Returns:
        For each proposal its factor, and the clause that names the other texts, or the solid, that
        have these numbers; "" without any.
    """
    assembly = subject.examination.assembly
    others = [
        found.of(subject.index)[0]
        for found in list_contradictions(assembly)
        if subject.index in found.bodies
    ]
    judgements, twin = subject.examination.judgements, twin_of(subject)
    if twin is not None and assembly.stated[twin]:
        others.append(twin)
    bodies = [(judgements[i], "") for i in dict.fromkeys(others)]
    for each in list_other_texts(subject):
        bodies.append((each.judgement, f"; {name_texts(each.texts)} these numbers"))
    found = []
    solids = _list_solids(subject)
    proven = OF_TERM.get(find_own_term(subject.body, subject.judgement), ())
    theirs = np.array([each.ten for each, _ in bodies])
    for cause, proposal in proposed:
        told = bodies and cause.name not in _OF_OTHERS
        images = _find_images(subject, proposal, theirs).tolist() if told else []
        clauses = [words for image, (_, words) in zip(images, bodies, strict=False) if image]
        if cause.name in _OF_ENTRIES:
            clauses += [words for six, words in solids if _is_solid(subject, proposal, six)]
        if cause.name in proven:
            clauses.append("; its products are those of the parallel-axis term, digit for digit")
        found.append((EXACT if clauses else 1.0, next(filter(None, clauses), "")))
    return found


def _list_solids(subject: Subject) -> list[tuple[Floats, str]]:
    """List the solids that stand for a body alone, but for those whose moments it has as written.

    Returns:
        For each role of shapes with one primitive its (6,) tensor per kilogram in the body's axes
        [m^2], and the clause that names it.
    """
    found = []
    for role in ("visual", "collision"):
        shapes = [shape for shape in subject.body.shapes if shape.role == role]
        moments = moments_of(shapes[0]) if len(shapes) == 1 else None
        if moments is not None:
            R_BG = np.array(shapes[0].R_BG)
            solid = resemblance.entries(R_BG @ np.diag(moments) @ R_BG.T)
            if not _is_solid(subject, Proposal(1.0, ""), solid):
                clause = f"; these are the moments of its {role} {shapes[0].kind}"
                found.append((solid, clause))
    return found


def _is_solid(subject: Subject, proposal: Proposal, solid: Floats) -> bool:
    """Whether what was meant has the tensor (6,) of a solid per kilogram, to three digits."""
    tensor = subject.I_BBcm_Bi if proposal.I_BBcm_Bi is None else proposal.I_BBcm_Bi
    mass = subject.mass if proposal.mass is None else proposal.mass
    six = resemblance.entries(resemblance.rotate(subject.R_BBi, tensor))
    largest = mass * float(np.max(solid))
    return bool(np.max(np.abs(six - mass * solid)) <= FORMULA * largest)


def _find_images(subject: Subject, proposal: Proposal, theirs: Floats) -> Mask:
    """Tell to which of other bodies' numbers an exchange of axes takes what was meant."""
    meant = proposal.mass, proposal.p_BoBcm_B, proposal.I_BBcm_Bi
    if all(each is None for each in meant):
        return np.zeros(len(theirs), dtype=bool)
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
    # A zero that stands in a text was never another number's last digits.
    part = np.where(theirs == 0, tolerances.COPIED_ZERO, tolerances.COPIED_NUMBER)
    close: Mask = np.all(off <= part * largest, axis=-1).any(axis=0)
    return close


_FURTHER = 0.1
"""Probability of one more edit of a copied block, beside the first; chosen: a body with two has
rather one mistake that other causes name."""


class EditedCopy(Cause):
    """The block of another body was copied, or mirrored, and one number of it was edited.

    ## What happened
    A digit was mistyped, lost or doubled, two numbers changed places, or a sign was not mirrored
    with the others, in a block whose other numbers are those of its twin.

    ## Signature
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

    ## Remedy
    The number that the other body has for it.

    ## Searched for
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
            copied |= subject.examination.assembly.share_copy(*found.bodies)
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


SHOWN = 3
"""Largest number of texts that a sentence names."""

SOUND = 40.0
"""Times as probable as by itself that a body which cannot exist as written has lost its numbers to
an edit, where another text has the part with numbers that can; chosen: copies are seldom another
revision where the digits agree."""

_STALE = 20.0
"""The same for a mass that was changed beside a tensor that was not, as an older version shows."""


class OtherNumbers(NamedTuple):
    """Numbers that other texts have for a body, and with which a body can exist.

    Attributes:
        judgement: The numbers, judged.
        texts: The texts that have them.
        older: Whether all of these are older versions of the document.
        agreeing: Number of texts that have the numbers as the document states them.
    """

    judgement: Judgement
    texts: tuple[str, ...]
    older: bool
    agreeing: int

    def express_tensor(self, subject: Subject) -> Floats:
        """Express the tensor in the inertial's own axes [kg m^2]."""
        six = resemblance.matrices(np.array(self.judgement.I_BBcm_B))
        return tidy(resemblance.rotate(subject.R_BBi.T, six))


def list_other_texts(subject: Subject) -> list[OtherNumbers]:
    """List the numbers that other texts have for a body, each with all texts that have it."""
    own, agreeing = subject.judgement, 0
    groups: list[OtherNumbers] = []
    for copy in subject.examination.find_copies(subject.index):
        other = copy.judgement
        if not list_differences(own, other):
            agreeing += 1
        elif other.verdict in ("consistent", "boundary"):
            alike = (not list_differences(each.judgement, other) for each in groups)
            place = next((at for at, same in enumerate(alike) if same), len(groups))
            if place == len(groups):
                groups.append(OtherNumbers(other, (), True, 0))
            known = groups[place]
            texts, older = (*known.texts, copy.where), known.older and copy.older
            groups[place] = known._replace(texts=texts, older=older)
    return [each._replace(agreeing=agreeing) for each in groups]


def name_texts(texts: Sequence[str]) -> str:
    """Name the texts that have something: the first of them, and the verb."""
    return f"{enumerate_words(texts[:SHOWN])} {'has' if len(texts) == 1 else 'have'}"


def list_differences(one: Judgement, other: Judgement) -> set[str]:
    """List the numbers of two bodies, by name, that differ by more than other digits and axes."""
    return {NAMES[row] for row in find_differences(np.array(one.ten), np.array(other.ten))}


def find_differences(mine: Floats, theirs: Floats) -> list[int]:
    """Find the rows of ten numbers that differ by more than other digits and axes."""
    off = np.abs(mine - theirs)
    for kind in (slice(0, 1), CENTER, TENSOR):
        off[kind] -= tolerances.SAME_READING * np.max(np.abs(theirs[kind]))
    return list(np.flatnonzero(off > 0).tolist())


class OtherText(Cause):
    """Another text has this body with other numbers: a comment, a file beside it, an older version.

    ## What happened
    A number was changed in one copy of the robot and not in the others, or a block was put into a
    comment and replaced by a worse one, or a mass was changed and its tensor was not.

    ## Signature
    A body of the same name repeats some of the body's numbers digit for digit, and has another for
    the rest, with which a body can exist. Read are comments inside the link, documents beside this
    one and in urdf, sdf, mjcf and such folders beside its own, the table that the URDF exporter of
    SolidWorks writes, reports of mass properties of SolidWorks and Fusion (.txt, .csv), and with
    --history N the N older versions that git has. Names of numbers in xacro are read, formulas and
    files of more than 512 kB are not. The mass alone in a CAD text says nothing: its frame is
    unknown.

    ## Example
        <link name="forearm">
          <inertial>
            <mass value="1.263"/>
            <!-- <inertia ixx="0.00801" iyy="0.00801" izz="0.00081" ixy="0" ixz="0" iyz="0"/> -->
            <inertia ixx="0.00801" iyy="0.00801" izz="0.0281" ixy="0" ixz="0" iyz="0"/>
          </inertial>
        </link>

    ## Remedy
    The numbers that the other text has.

    ## Searched for
    "inertia changed between versions of URDF".

    ## References
    The plausibility page, "Other texts".
    """

    name, prior = "other-text", 0.05
    kinds = frozenset({"impossible", "stated"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Propose the numbers of other texts that the witnesses here do not contradict."""
        own = subject.judgement
        for others in list_other_texts(subject):
            meant, tensor = others.judgement, others.express_tensor(subject)
            differ, has = list_differences(own, meant), name_texts(others.texts)
            if others.older and differ == {"mass"}:
                # The mass is the newer number; a tensor grows with it where the density does not.
                yield Proposal(
                    _STALE,
                    f"{has} {number(meant.mass)} kg beside this tensor: the mass was changed and "
                    "the tensor was not",
                    I_BBcm_Bi=own.mass / meant.mass * tensor,
                )
                continue
            if others.older and not subject.broken:
                continue  # newer numbers that a body can have are rather a correction
            C_BBcm_B = resemblance.spread(meant.mass, tensor)
            C_BBcm_B = resemblance.rotate(subject.R_BBi, C_BBcm_B)
            body = Meant(np.array([meant.mass]), np.array([meant.p_BoBcm_B]), C_BBcm_B[None])
            gain = 1.0 if subject.broken else float(gains(subject, body)[0])
            votes = gain * len(others.texts)
            words = (
                f"{name} = {number(value)}"
                for name, value in zip(NAMES, meant.ten, strict=True)
                if name in differ
            )
            yield Proposal(
                SOUND if subject.broken else gain,
                f"{has} the body with {enumerate_words([*words])}, and its other numbers digit for "
                "digit",
                mass=meant.mass if "mass" in differ else None,
                p_BoBcm_B=None if differ.isdisjoint("xyz") else np.array(meant.p_BoBcm_B),
                I_BBcm_Bi=None if differ.isdisjoint(ENTRIES) else tensor,
                guilt=1.0 if subject.broken else votes / (votes + 1 + others.agreeing),
            )
