"""The causes that shapes reveal: size, reference point, frame, formula, place.

The causes by convention: the sign of the products, the order of the six numbers.

The causes by reference point: parallel-axis terms missing, doubled or subtracted twice.

Pairs of causes, for bodies that no single cause explains.

A compound stands under the name of its first cause; its evidence tells both, and its edit undoes
both. Only pairs that are met together are tried: what a converter does to the six numbers (order,
sign of the products), the point about which they are taken, and their unit.

The causes by axes: principal moments without them, and axes that were transposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from inertial_check.checking.causes.base import (
    NOTHING,
    Cause,
    Meant,
    Proposal,
    Subject,
    a_body,
    heavy_tail,
    margins,
    number,
    tensor,
    times_as_probable,
)
from inertial_check.checking.causes.base import tensor as show
from inertial_check.checking.causes.weighing import (
    I_BBcm_Bi,
    box_text,
    find_gains,
    gains,
    name_witnesses,
    naturalness,
    reflect_twin,
    tidy,
    twin_of,
    with_centers,
    with_spreads,
)
from inertial_check.checking.evidence.formulas import list_mismatches
from inertial_check.checking.evidence.likeness import HONEST_MISFITS
from inertial_check.checking.evidence.readings import (
    APART,
    PRODUCTS_NEGATED,
    UNITS,
    Reading,
    list_mirrored,
    list_orders,
    list_slips,
    list_slots,
    list_transposed,
)
from inertial_check.checking.evidence.twins import SIGNS
from inertial_check.documents.model import ENTRIES
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.eigen import eigensystem
from inertial_check.inertia.representations import second_moment, symmetric
from inertial_check.inertia.resemblance import entries

_BLUR = 0.03
"""Angle scale of the parallel-axis evidence: by how much 1 - cosine the spread of the body itself
turns the direction away from c."""

_SHARE = 0.7
"""Weight of the parallel-axis evidence: how much of the likelihood ratio 1 / (1 - cosine) remains
after chance agreement."""


_BY_DESIGN = 2.0
"""Weight of that evidence where centre and axis both lie along one axis of the link; chosen below
3, as one of three axes is the right one by chance."""


class DoubleParallelAxis(Cause):
    """The parallel axis term was subtracted from a tensor already about the centre of mass.

    ## What happened
    A CAD report or a converter had subtracted m (|c|^2 1 - c c^T) already.

    ## Signature
    No body can have the tensor, but with m (|c|^2 1 - c c^T) added once some body can. It counts
    for more, the more parallel to c the direction is in which the mass would have negative spread.

    ## Example
        <origin xyz="0.18 0 0.5"/>
        <mass value="120"/>
        <inertia ixx="-4.98" ixy="0" ixz="2.7" iyy="-5.952" iyz="0" izz="0.828"/>

    ## Remedy
    The term added once.

    ## Searched for
    The messages of IC302.

    ## References
    Heins, Rigid Body Inertial Parameters, "Parallel Axis Theorem".
    """

    name, prior, mends = "double-parallel-axis", 0.06, True
    kinds = frozenset({"impossible"})

    def candidates(self, subject: Subject) -> Floats:
        """The tensor with the term added."""
        if not is_shifted(subject):
            return NOTHING
        return printable(subject.six + subject.numbers.parallel_axis_term)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor with the term added, where the mass is missing along c."""
        tensors, margin, consistent = self.trials(subject)
        if not consistent.any():
            return
        c = subject.p_BoBcm_Bi
        lowest = eigensystem(second_moment(subject.six))[1][:, 0]
        cosine = float(abs(lowest @ c) / np.linalg.norm(c))
        # Centres and principal axes that both lie along an axis of the link, as of a part with an
        # axis of symmetry, are parallel in one case of three by design.
        along = max(np.max(np.abs(lowest)), np.max(np.abs(c)) / np.linalg.norm(c))
        straight = along > 1 - tolerances.SAME_READING and cosine > 1 - tolerances.SAME_READING
        straight &= bool(np.all(subject.six[[0, 3, 5]] > 0))  # what else leaves moments below 0?
        yield Proposal(
            _BY_DESIGN if straight else _SHARE / (_BLUR + 1 - cosine),
            f"along c = ({', '.join(f'{x:.4g}' for x in c)}) m mass is missing (cosine "
            f"{cosine:.4f}), and m (|c|^2 1 - c c^T) added once, with m = {subject.mass:.6g} kg, "
            f"makes the tensor {a_body(margin[0])}: {tensor(tensors[0])}",
            I_BBcm_Bi=symmetric(tensors[0]),
        )


class OriginTensorReadAsCom(Cause):
    """The tensor is about the link's origin, with products of the other sign, or only half moved.

    ## What happened
    The tensor about the link's origin alone is always that of a body (about-link-origin). It shows
    where the products have the opposite sign as well, as in a SolidWorks report "taken at the
    output coordinate system" in positive notation.

    ## Signature
    No body can have the tensor; with its products negated, and m (|c|^2 1 - c c^T) subtracted, some
    body can.

    ## Example
        <origin xyz="0.1 0.08 -0.05"/>
        <mass value="2"/>
        <inertia ixx="0.0198" ixy="0.0162" ixz="-0.0101" iyy="0.0271" iyz="-0.0079" izz="0.0338"/>

    ## Remedy
    The tensor about the centre of mass, in the format's sign.

    ## Searched for
    "taken at the output coordinate system" (SolidWorks).

    ## References
    Heins, Rigid Body Inertial Parameters, "Parallel Axis Theorem"; the theory page.
    """

    name, prior, mends = "origin-tensor-read-as-com", 0.04, True
    kinds = frozenset({"impossible"})

    def candidates(self, subject: Subject) -> Floats:
        """The term subtracted, from the tensor with its products negated."""
        if not is_shifted(subject):
            return NOTHING
        return printable(subject.six * PRODUCTS_NEGATED - subject.numbers.parallel_axis_term)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor about the centre of mass."""
        tensors, margin, consistent = self.trials(subject)
        if consistent.any():
            yield Proposal(
                40.0,
                "with its products negated, and m (|c|^2 1 - c c^T) subtracted, "
                f"m = {subject.mass:.6g} kg, |c| = {np.linalg.norm(subject.p_BoBcm_B):.4g} m, the "
                f"tensor is {a_body(margin[0])}: {tensor(tensors[0])}",
                I_BBcm_Bi=symmetric(tensors[0]),
            )


class ComTensorReadAsOrigin(Cause):
    """A tensor about the centre of mass was taken for one about the origin, in the other sign.

    ## What happened
    An importer moved the tensor to the centre of mass, where it already was, and the products of
    one of the two had the opposite sign (else it is double-parallel-axis); or about="origin" is
    said of rows of a table about the centre of mass.

    ## Signature
    No body can have the tensor, even with m (|c|^2 1 - c c^T) added; with the products of term or
    sum negated, too, some body can.

    ## Example
        <origin xyz="0.1 0.08 -0.05"/>
        <mass value="2"/>
        <inertia ixx="-0.0138" ixy="-0.0158" ixz="0.0099" iyy="-0.0189" iyz="0.0081" izz="-0.0258"/>

    ## Remedy
    The term added once, and the products in the format's sign. For a table: --about com.

    ## Searched for
    The messages of IC302.

    ## References
    Heins, Rigid Body Inertial Parameters, "Parallel Axis Theorem"; the theory page.
    """

    name, prior, mends = "com-tensor-read-as-origin", 0.02, True
    kinds = frozenset({"impossible"})

    def candidates(self, subject: Subject) -> Floats:
        """The term added; with its products negated; with those of the sum negated."""
        if not is_shifted(subject):
            return NOTHING
        (term,) = subject.numbers.parallel_axis_term
        added = subject.six + term
        own = subject.six + term * PRODUCTS_NEGATED
        return printable(np.stack([added, own, added * PRODUCTS_NEGATED]))

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor about the centre of mass, where the plain term does not mend it."""
        tensors, margin, consistent = self.trials(subject)
        if not len(tensors) or consistent[0]:
            return
        for row in np.flatnonzero(consistent).tolist():
            whose = ("", "its products", "the products of the sum")[row]
            yield Proposal(
                10.0,
                f"m (|c|^2 1 - c c^T) added, m = {subject.mass:.6g} kg, "
                f"|c| = {np.linalg.norm(subject.p_BoBcm_B):.4g} m, and {whose} negated, makes the "
                f"tensor {a_body(margin[row])}: {tensor(tensors[row])}",
                I_BBcm_Bi=symmetric(tensors[row]),
            )


def is_shifted(subject: Subject) -> bool:
    """Whether the body is broken and has its centre of mass elsewhere than its origin."""
    return subject.broken and subject.mass > 0 and bool(np.any(subject.p_BoBcm_B))


def printable(six: Floats) -> Floats:
    """Sums to the 15 digits that are theirs: 4.716 in place of 4.715999999999998."""
    digits = [float(f"{value:.15g}") for value in six.ravel().tolist()]
    return np.array(digits).reshape(six.shape)


_ALONG_LINK, _ALONG_SHAPES = 1 / 5, 1 / 30
"""Shares of the axes that the moments may belong to: one of five other orders of the link's own
axes; the axes of the shapes, which always fit and are therefore worth less; 1/30 was chosen."""

_LINKS = 4
"""Least number of bodies whose diagonals are all in one order: of random orders three are all
ascending or all descending in one case of 108, and four in one of 648."""

_COMMON = 20.0
"""Likelihood ratio of moments that are in one order on all links. Chosen, far below the 648 of
random orders: links that are built alike, along one axis, have one order too."""


class SortedPrincipalMoments(Cause):
    """The principal moments were written in the order of their size, without their axes.

    ## What happened
    CAD and mesh tools print principal moments sorted by size, which became ixx, iyy, izz of every
    link.

    ## Signature
    No link of the model has products, and the moments of all are ascending, or all descending. In
    another order, or along the axes of the shapes, they fit these better; without shapes it takes
    four different parts (IC507), and the axes cannot be restored.

    ## Example
        <robot name="arm">
          <link name="a">
            <inertial><mass value="2"/>
              <inertia ixx="0.0033" ixy="0" ixz="0" iyy="0.0111" iyz="0" izz="0.0140"/></inertial>
            <visual><geometry><box size="0.25 0.04 0.14"/></geometry></visual>
          </link>
          <link name="b">
            <inertial><mass value="1"/>
              <inertia ixx="0.0006" ixy="0" ixz="0" iyy="0.0021" iyz="0" izz="0.0025"/></inertial>
            <visual><geometry><box size="0.04 0.15 0.07"/></geometry></visual>
          </link>
          <link name="c">
            <inertial><mass value="3"/>
              <inertia ixx="0.0040" ixy="0" ixz="0" iyy="0.0104" iyz="0" izz="0.0136"/></inertial>
            <visual><geometry><box size="0.2 0.06 0.11"/></geometry></visual>
          </link>
          <link name="d">
            <inertial><mass value="1"/>
              <inertia ixx="0.0005" ixy="0" ixz="0" iyy="0.0010" iyz="0" izz="0.0013"/></inertial>
            <visual><geometry><box size="0.04 0.1 0.06"/></geometry></visual>
          </link>
          <joint name="ab" type="revolute"><parent link="a"/><child link="b"/></joint>
          <joint name="bc" type="revolute"><parent link="b"/><child link="c"/></joint>
          <joint name="cd" type="revolute"><parent link="c"/><child link="d"/></joint>
        </robot>

    ## Remedy
    The tensor in the link's axes: R diag(J) R^T with the axes that the program printed. The edit
    gives the moments the order, or the axes, of the shapes.

    ## Searched for
    "principal moments of inertia URDF ixx iyy izz".

    ## References
    The plausibility page.
    """

    name, prior = "sorted-principal-moments", 0.03
    kinds = frozenset({"stated"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The moments in another order, and along the axes of the shapes."""
        found = subject.examination.votes.sorted_moments
        if found is None or np.sum(found.distinct & found.voters) < _LINKS:
            return
        if not found.bodies[subject.index]:
            return
        # The moments in the five other orders, and along the axes of each geometry by size.
        C_BBcm_Bi = resemblance.spread(subject.mass, subject.I_BBcm_Bi)
        meant: list[tuple[Floats, float, str]] = []
        for order in permutations(range(3)):
            if order != (0, 1, 2):
                turned = resemblance.rotate(subject.R_BBi, C_BBcm_Bi[np.ix_(order, order)])
                names = " ".join("xyz"[axis] for axis in order)
                meant.append((turned, _ALONG_LINK, f"about {names}"))
        likeness = subject.examination.likeness
        spreads = np.linalg.eigvalsh(subject.examination.assembly.C_BBcm_B[subject.index])
        for row in likeness.places_of(subject.index):
            _, axes = np.linalg.eigh(likeness.C_GGcm_B[row])
            along = (axes * spreads) @ axes.T
            meant.append((along, _ALONG_SHAPES, "along the axes of the shapes"))
        ratio = gains(subject, with_spreads(subject, np.array([each for each, _, _ in meant])))
        best = int(np.argmax(ratio * [share for _, share, _ in meant]))
        C_BBcm_B, share, what = meant[best]
        if ratio[best] > 2:
            yield Proposal(
                _COMMON * share * float(ratio[best]),
                f"{np.sum(found.bodies)} links have products of 0 and {found.order} moments; "
                f"{what} the body is {times_as_probable(float(ratio[best]))}: "
                + box_text(subject.mass, C_BBcm_B),
                I_BBcm_Bi=I_BBcm_Bi(subject, subject.mass, C_BBcm_B),
                gain=float(ratio[best]),
            )


PLAIN = 2.0
"""Least likelihood ratio at which a reading is named as a cause."""

_TRANSPOSED, _MIRRORED = 0.15, 0.1
"""Shares of transposed principal axes and of mirrored axes among all wrong frames."""

_MISREADING = 0.1
"""Share of one misreading among the ten of the formulas of a primitive."""

_SIZE_OF_FORMULA = 50.0
"""Likelihood ratio of a size that a misread formula gives to three digits, beside any other wrong
size, where the misreading changes the size."""

_AXIS_OF_FORMULA = 10.0
"""The same of a cylinder's moments about another of its axes, beside axes that were exchanged in
any other way: numbers that were no formula's are seldom those of the shape to three digits."""

_SIZE_OF_TWIN = 0.003
"""Likelihood ratio of a size that was chosen to agree with the twin: twins agree to three digits,
and a size that was chosen does so by itself."""

_LEAST_OF_FORMULA = 500.0
"""Least likelihood ratio of a tensor that agrees with a misread formula to three digits in all
entries, whatever the other shapes of the body say."""


def find_readings(subject: Subject, cause: str) -> list[tuple[Reading, float]]:
    """The readings of a body that a cause explains, with the share of each among them."""
    if subject.body.inertial is None:
        return []
    parts = [(1.0, [each for each in subject.readings if each.cause == cause])]
    if cause == "wrong-frame":
        parts = [
            (1 - _TRANSPOSED - _MIRRORED, parts[0][1]),
            (_TRANSPOSED, list_transposed(subject.numbers)),
            (_MIRRORED, list_mirrored(subject.numbers)),
        ]
    return [(reading, share / len(readings)) for share, readings in parts for reading in readings]


def _tell_reading(subject: Subject, reading: Reading, gain: float) -> str:
    """Tell what a reading of the tensor makes of the body, and who fits it better."""
    who = name_witnesses(subject, with_spreads(subject, reading.C_BBcm_B[None]))
    likeness, told = subject.examination.likeness, times_as_probable(gain)
    rows = likeness.body == subject.index
    if np.any(rows):
        after = resemblance.misfit(reading.C_BBcm_B, likeness.C_GGcm_B[rows])
        best = int(np.argmin(after))
        told = f"misfit {likeness.misfit[rows][best]:.3g}, then {after[best]:.3g}; {told}"
    made = box_text(subject.mass, reading.C_BBcm_B)
    return f"{reading.what} the tensor fits {who} far better ({told}): {made}"


class ReadingCause(Cause):
    """A cause that other readings of the tensor undo, each with its share among them."""

    def meant(self, subject: Subject) -> Meant | None:
        """The body with the spread of each reading; None without any."""
        readings = find_readings(subject, self.name) if subject.kind == "stated" else []
        if not readings:
            return None
        return with_spreads(subject, np.array([reading.C_BBcm_B for reading, _ in readings]))

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The readings that make the body far more probable."""
        own = find_readings(subject, self.name)
        written = subject.examination.assembly.C_BBcm_B[subject.index]
        slack = tolerances.SAME_READING * np.max(np.abs(written))
        for (reading, share), gain in zip(own, find_gains(self, subject).tolist(), strict=True):
            if gain > PLAIN and np.max(np.abs(reading.C_BBcm_B - written)) > slack:
                yield Proposal(
                    gain * share,
                    partial(_tell_reading, subject, reading, gain),
                    I_BBcm_Bi=I_BBcm_Bi(subject, subject.mass, reading.C_BBcm_B),
                    gain=gain,
                )


class SizeMismatch(Cause):
    """Mass and inertia are of another size than the shapes, by no unit's factor.

    ## What happened
    The part was scaled, the numbers are those of another version or of a whole subassembly, or only
    the mass was adapted.

    ## Signature
    The root mean square distance of the mass from its centre differs from that of the shapes by
    more than honest links do, and no unit explains it.

    ## Example
        <link name="link">
          <inertial>
            <mass value="2"/>
            <inertia ixx="0.08" ixy="0" ixz="0" iyy="0.08" iyz="0" izz="0.016"/>
          </inertial>
          <visual><geometry><box size="0.1 0.1 0.24"/></geometry></visual>
        </link>

    ## Remedy
    The numbers of this part. The edit scales the tensor to the size of the shapes.

    ## Searched for
    "scale mesh URDF inertia".

    ## References
    The plausibility page.
    """

    name, prior = "size-mismatch", 0.05
    kinds = frozenset({"stated"})
    any_size = True

    def meant(self, subject: Subject) -> Meant | None:
        """The body with its tensor scaled to the size of the shapes, and to that of the twin."""
        ratios = np.array([*self._ratios(subject).values()])
        return with_spreads(subject, _scale_down(subject, ratios)) if len(ratios) else None

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor scaled to the size of the shapes."""
        gain = find_gains(self, subject).copy()
        if not len(gain):
            return
        gain[1:] *= _SIZE_OF_TWIN
        best = int(np.argmax(gain))
        if gain[best] > PLAIN:
            found = self._ratios(subject)
            ratios = np.array([*found.values()])
            (C_BBcm_B,) = _scale_down(subject, ratios[[best]])
            yield Proposal(
                float(gain[best]),
                f"mass and inertia are those of a body {ratios[best]:.3g} times the size of "
                f"{[*found][best]}; scaled, of {box_text(subject.mass, C_BBcm_B)}",
                I_BBcm_Bi=tidy(subject.I_BBcm_Bi / ratios[best] ** 2),
            )

    def _ratios(self, subject: Subject) -> dict[str, float]:
        """Compute the ratios of the size of the body to those that it is compared with, by name."""
        assembly, likeness = subject.examination.assembly, subject.examination.likeness
        ratios = likeness.size_ratio[likeness.body == subject.index]
        if not len(ratios):
            return {}
        found = {"the shapes": float(np.exp(np.mean(np.log(ratios))))}
        other = twin_of(subject)
        if other is not None:
            name = subject.examination.model.bodies[other].name
            found[name] = float(assembly.size[subject.index] / assembly.size[other])
        return found


def _scale_down(subject: Subject, ratios: Floats) -> Floats:
    """(n, 3, 3) spreads of the body made smaller by (n,) ratios [m^2]."""
    C_BBcm_B: Floats = subject.examination.assembly.C_BBcm_B[subject.index]
    return C_BBcm_B / ratios[:, None, None] ** 2


class AboutLinkOrigin(ReadingCause):
    """The tensor is about the link's origin, not about the centre of mass.

    ## What happened
    CAD reports both; the wrong block was copied.

    ## Signature
    Less m (|c|^2 1 - c c^T) the tensor is still some body's, and fits the shapes or the twin far
    better. A centre of mass that was left out is put where the tensor about it has the form of the
    shapes, near their middle.

    ## Example
        <link name="link">
          <inertial>
            <origin xyz="0 0 0.2"/>
            <mass value="2"/>
            <inertia ixx="0.107" ixy="0" ixz="0" iyy="0.107" iyz="0" izz="0.0008"/>
          </inertial>
          <visual><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.4"/></geometry></visual>
        </link>

    ## Remedy
    The parallel-axis term subtracted once, and the centre of mass written; not where it is so far
    away that its last digits decide.

    ## Searched for
    "moments of inertia taken at the output coordinate system".

    ## References
    Heins, Rigid Body Inertial Parameters, "Parallel Axis Theorem".
    """

    name, prior = "about-link-origin", 0.08
    kinds = frozenset({"stated"})

    _LEFT_OUT = 0.3
    """Share of links whose centre of mass was left out, too, among all tensors about the origin."""

    _STEADY = 2.5
    """Largest ratio of the term that is taken off to the tensor that it leaves, up to which that is
    written: a centre that is 1 % off changes the term by 2 %, and the tensor by 5 % then."""

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor about the centre of mass as written, or about one that shapes tell."""
        yield from super().proposals(subject)
        likeness = subject.examination.likeness
        places = list(likeness.places_of(subject.index))
        centers, C_BBcm_B, rest = likeness.find_left_out(subject.index)
        known = np.flatnonzero(np.isfinite(rest))
        if not len(known):
            return
        centers, C_BBcm_B = centers[known], C_BBcm_B[known]
        mass = np.full(len(known), subject.mass)
        gain = gains(subject, Meant(mass, centers, C_BBcm_B))
        forms = resemblance.misfit(C_BBcm_B, likeness.C_GGcm_B[places][known])
        best = int(np.argmin(np.where(gain > PLAIN, forms, np.inf)))
        if gain[best] > PLAIN:
            far = np.linalg.norm(centers[best])
            center = np.round(centers[best], 3 - int(np.floor(np.log10(far)))) + 0.0
            C = subject.examination.assembly.C_BBcm_B[subject.index] - np.outer(center, center)
            place = ", ".join(f"{x:.4g}" for x in center)
            meant = I_BBcm_Bi(subject, subject.mass, C)
            taken = np.linalg.norm(subject.I_BBcm_Bi - meant) / np.linalg.norm(meant)
            yield Proposal(
                float(gain[best]) * self._LEFT_OUT,
                "the centre of mass is left out, and moved from the link's origin to where the "
                f"tensor has the form of the shapes, near ({place}) m, it is "
                f"{times_as_probable(float(gain[best]))}: {box_text(subject.mass, C)}",
                p_BoBcm_B=center,
                I_BBcm_Bi=meant,
                editable=bool(forms[best] <= HONEST_MISFITS[0] and taken <= self._STEADY),
            )


class WrongFrame(ReadingCause):
    """The right tensor stands in the wrong axes.

    ## What happened
    Axes were exchanged (y up, z up) or shifted cyclically, or the rotation of the inertial's origin
    was left out, applied twice, or inverted.

    ## Signature
    The principal moments fit the shapes, the principal axes are 20 degrees or more away, and one of
    these turns brings them there.

    ## Example
        <link name="wheel">
          <inertial>
            <mass value="2.6"/>
            <inertia ixx="0.0247" ixy="0" ixz="0" iyy="0.0247" iyz="0" izz="0.0435"/>
          </inertial>
          <collision>
            <origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.18" length="0.11"/></geometry>
          </collision>
        </link>

    ## Remedy
    The six numbers in the link's axes, or the rotation of the inertial's origin.

    ## Searched for
    "Blender y up z up URDF".

    ## References
    husky/husky_description (the wheels' axis).
    """

    name, prior = "wrong-frame", 0.08
    kinds = frozenset({"stated"})


_BY_DIMENSION = 1e3
"""Times as probable as by itself that a formula is wrong whose terms cannot be added."""


class WrongFormula(Cause):
    """A textbook formula was misread.

    ## What happened
    The formula was used about another axis, without the mass, with 1/12 for 1/4, with the diameter
    for the radius, or for a thin rod.

    ## Signature
    To three digits the moments are what such a misreading gives for the body's one shape.

    ## Example
        <link name="wheel">
          <inertial>
            <mass value="2"/>
            <inertia ixx="0.0036" ixy="0" ixz="0" iyy="0.0084667" iyz="0" izz="0.0084667"/>
          </inertial>
          <collision><geometry><cylinder radius="0.06" length="0.2"/></geometry></collision>
        </link>

    ## Remedy
    Box: m/12 (y^2 + z^2) about x. Cylinder along z: m/12 (3 r^2 + h^2) about x and y, m/2 r^2 about
    z. Sphere: 2/5 m r^2.

    ## Searched for
    "moment of inertia cylinder URDF formula".

    ## References
    Heins, Rigid Body Inertial Parameters, appendix (moments of solids).
    """

    name, prior = "wrong-formula", 0.06
    kinds = frozenset({"impossible", "stated", "placeholder"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The moments of the formula as it is meant."""
        mismatches = list_mismatches(subject.examination.model, subject.body)
        complaint = next((text for _, _, text in mismatches), "")
        found = subject.examination.find_misreading(subject.index)
        found = None if found is None or found.of_one_entry else found
        if found is None and complaint:
            yield Proposal(_BY_DIMENSION, complaint, editable=False)
        elif found is not None:
            moments = ", ".join(f"{moment:.6g}" for moment in found.moments)
            meant = resemblance.spread(subject.mass, np.diag(found.moments))
            spread = resemblance.rotate(subject.R_BBi, meant)
            gain = gains(subject, with_spreads(subject, spread[None]))
            resized = abs(np.sum(found.moments) / np.trace(subject.I_BBcm_Bi) - 1) > APART
            about = _AXIS_OF_FORMULA if found.kind == "cylinder" else 1.0
            yield Proposal(
                max(float(gain[0]), _LEAST_OF_FORMULA)
                * _MISREADING
                * (_SIZE_OF_FORMULA if resized else about),
                f"the moments are those of the body's {found.kind} with {found.mistake}; the "
                f"formula gives {moments} kg m^2" + (f"; {complaint}" if complaint else ""),
                I_BBcm_Bi=tidy(np.diag(found.moments)),
                gain=float(gain[0]),
            )


class ComOutside(Cause):
    """The centre of mass is in another frame, has a wrong sign, or is in another unit.

    ## What happened
    CAD gave coordinates in the frame of the assembly, the parent or the mesh; a minus was lost or
    added; or they are in millimetres or centimetres.

    ## Signature
    Taken from that frame to the link's, or with other signs, the centre of mass lies within the
    shapes, the nearer to their middle the better, and where the twin has it. Another unit counts
    only where no frame explains the place, and the centre is farther away than the model is long.

    ## Example
        <link name="link">
          <inertial>
            <origin xyz="0 0 -0.1"/>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.0001"/>
          </inertial>
          <visual><origin xyz="0 0 0.1"/><geometry><box size="0.03 0.03 0.2"/></geometry></visual>
        </link>

    ## Remedy
    The coordinates in the link's own frame, the sign, or metres.

    ## Searched for
    "center of mass outside of link RViz".

    ## References
    The plausibility page.
    """

    name, prior = "com-outside", 0.08
    kinds = frozenset({"stated", "placeholder"})

    _SCALES = (("in millimetres", 1e-3), ("in centimetres", 1e-2), ("in inches", 0.0254))

    _MIDDLE = 0.15
    """Distance from the centre of the shapes, in parts of their extent, at which a place counts
    for less; chosen: honest centres are 1 to 6 % away, those of links with a motor 25 %."""

    _CHILDREN = 4
    """Number of children in whose frames the centre is read; a hub has more, and nobody's."""

    def meant(self, subject: Subject) -> Meant | None:
        """The body with each of these centres of mass."""
        if not any(subject.judgement.p_BoBcm_B):
            return None
        return with_centers(subject, np.array(list(self._centers(subject).values())))

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Other frames, every choice of signs, and other units."""
        ratio = find_gains(self, subject)
        if not (ratio > PLAIN).any():
            return
        meant, likeness = self._centers(subject), subject.examination.likeness
        rows = list(likeness.places_of(subject.index))
        middles = np.array([likeness.rows[row].p_BoGcm_B for row in rows]).reshape(-1, 3)
        for (what, center), gain in zip(meant.items(), ratio.tolist(), strict=True):
            if gain > PLAIN:
                away = resemblance.norm(center - middles) / likeness.extent[rows]
                usual = np.max(heavy_tail(away / self._MIDDLE)) if rows else 1.0
                place = ", ".join(f"{x:.6g}" for x in center)
                who = name_witnesses(subject, with_centers(subject, center[None]))
                yield Proposal(
                    gain * float(usual) / len(meant),
                    f"{what} the centre of mass ({place}) m fits {who} far better",
                    p_BoBcm_B=tidy(center),
                )

    def _centers(self, subject: Subject) -> dict[str, Floats]:
        """Other centres of mass, by how the written one is read."""
        p_BoBcm_B, assembly = subject.p_BoBcm_B, subject.examination.assembly
        turn = np.eye(4)
        turn[:3, :3] = subject.R_BBi
        frames = {
            "taken from the base's frame to the link's": np.linalg.inv(
                assembly.poses[subject.index]
            ),
            "taken from the parent's frame to the link's": np.linalg.inv(
                assembly.parent_poses[subject.index]
            ),
            "turned by the rotation of the inertial": turn,
        }
        for child in assembly.children[subject.index][: self._CHILDREN]:
            name = subject.examination.model.bodies[child].name
            pose = assembly.parent_poses[child]
            frames[f"taken from the frame of {name} to the link's"] = pose
        for shape in subject.body.shapes:
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = shape.R_BG, shape.p_BoGo_B
            frames.setdefault(f"taken from the frame of its {shape.role} shape to the link's", pose)
        meant: dict[str, Floats] = {}
        slack = tolerances.SAME_READING * np.linalg.norm(p_BoBcm_B)
        for what, X in frames.items():
            place = X[:3, :3] @ p_BoBcm_B + X[:3, 3]
            others = np.array([p_BoBcm_B, *meant.values()])
            if np.isfinite(place).all() and np.min(resemblance.norm(others - place)) > slack:
                meant[what] = place
        for signs in product((1.0, -1.0), repeat=3):
            flipped = [axis for axis, sign in zip("xyz", signs, strict=True) if sign < 0]
            if flipped and all(p_BoBcm_B["xyz".index(axis)] for axis in flipped):
                meant[f"with the other sign of {' and '.join(flipped)}"] = p_BoBcm_B * signs
        extents = subject.examination.likeness.extent
        whole = assembly.span + 2 * float(np.max(extents, initial=0.0))
        if np.linalg.norm(p_BoBcm_B) > whole:
            meant |= {f"read {what}": factor * p_BoBcm_B for what, factor in self._SCALES}
        return meant


class RotorInertia(Cause):
    """The inertia of a motor, as the joint feels it, was added to the link.

    ## What happened
    A rotor behind a gear of ratio n resists with n^2 times its inertia about the joint's axis. That
    belongs into armature (MJCF), rotor inertia (Drake) or a transmission.

    ## Signature
    The tensor is larger than that of the shapes, or of the twin, about the joint's axis alone.

    ## Example
        <link name="finger">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.0034" ixy="0" ixz="0" iyy="0.0017" iyz="0" izz="0.0021"/>
          </inertial>
          <visual><geometry><box size="0.2 0.1 0.03"/></geometry></visual>
        </link>

    ## Remedy
    The inertia of the link alone, and that of the rotor where the format has a place for it.

    ## Searched for
    "reflected inertia URDF".

    ## References
    The plausibility page.
    """

    name, prior = "rotor-inertia", 0.03
    kinds = frozenset({"stated"})

    _LEAST = 0.2
    """Share of the trace from which an addition about one axis shows."""

    _SEEN = 40.0
    """Other errors hardly choose the joint's axis, and leave the rest as it was."""

    _REST = 0.15
    """Share of the trace that may be left besides."""

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor without what it has about the joint's axis beyond the twin or the shapes."""
        axis_B = subject.body.axis_B
        if axis_B is None:
            return
        axis = np.array(axis_B)
        across = np.outer(axis, axis)
        I_BBcm_B = resemblance.rotate(subject.R_BBi, subject.I_BBcm_Bi)
        for what, link in self._links(subject):
            beyond = I_BBcm_B - link
            J = float(axis @ beyond @ axis)
            size = float(np.trace(I_BBcm_B))
            rest = float(np.linalg.norm(beyond - J * across))
            if self._LEAST * size < J and rest < self._REST * size:
                tensor = resemblance.rotate(subject.R_BBi.T, I_BBcm_B - J * across)
                meant = resemblance.spread(subject.mass, I_BBcm_B - J * across)
                gain = float(gains(subject, with_spreads(subject, meant[None]))[0])
                yield Proposal(
                    min(self._SEEN, gain),
                    f"about the joint's axis the tensor has {J:.4g} kg m^2 more than {what}, and "
                    "besides it is the same",
                    I_BBcm_Bi=tidy(tensor),
                )
                return

    def _links(self, subject: Subject) -> Iterator[tuple[str, Floats]]:
        """Tensors that the link may have without a rotor, body axes [kg m^2]."""
        assembly, likeness = subject.examination.assembly, subject.examination.likeness
        other = twin_of(subject)
        if other is not None and abs(assembly.mass[other] - subject.mass) < 0.05 * subject.mass:
            _, C_BBcm_B = reflect_twin(subject, other)
            theirs = resemblance.inertia(assembly.mass[other], C_BBcm_B)
            name = subject.examination.model.bodies[other].name
            written = resemblance.rotate(subject.R_BBi, subject.I_BBcm_Bi)
            reflected = SIGNS[:, :, None] * theirs * SIGNS[:, None, :]
            best = np.argmin(np.linalg.norm(reflected - written, axis=(1, 2)))
            yield f"that of {name}", reflected[best]
        for row in likeness.places_of(subject.index):
            C_G = likeness.C_GGcm_B[row]
            yield "that of the shapes, evenly filled,", resemblance.inertia(subject.mass, C_G)


class SignOfProducts(ReadingCause):
    """The products of inertia have the opposite sign convention.

    ## What happened
    The tensor has I_xy = -sum m x y off its diagonal, but some CAD programs print +sum m x y
    (SolidWorks asks, as "positive tensor notation"), and some importers negate once too often.

    ## Signature
    No body can have the tensor, and with all three products negated some body can. It happens by
    chance with 5 to 21 % of tensors that are wrong for another reason, and says much where several
    bodies of the model agree. Most tensors with the wrong signs are bodies all the same.

    ## Example
        <mass value="2.083078"/>
        <inertia ixx="0.003003" ixy="0.002396" ixz="0.001531"
                 iyy="0.008613" iyz="0.000588" izz="0.009348"/>

    ## Remedy
    The three products of this body negated, and those of every body that came the same way.

    ## Searched for
    "positive tensor notation".

    ## References
    Heins, Rigid Body Inertial Parameters, "Rotational Inertia" (the sign of the products).
    """

    name, prior, mends = "sign-of-products", 0.06, True
    kinds = frozenset({"impossible", "stated"})

    _BY_CHANCE = 0.1
    """Fraction of tensors broken by noise that negated products make valid by chance."""

    def candidates(self, subject: Subject) -> Floats:
        """The products negated."""
        if not subject.broken:
            return NOTHING
        return np.asarray(subject.six[None] * PRODUCTS_NEGATED)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor with its products negated, where that makes a body of it."""
        if subject.kind == "stated":
            yield from super().proposals(subject)  # of a body that shows nothing by itself
        six, margin, consistent = self.trials(subject)
        if consistent.any():
            yield Proposal(
                1 / self._BY_CHANCE,
                f"negating the three products makes the tensor {a_body(margin[0])}: "
                f"{tensor(six[0])}",
                I_BBcm_Bi=symmetric(six[0]),
            )


class ComponentOrder(Cause):
    """The six numbers were written in one order and read in another.

    ## What happened
    URDF and SDF name xx xy xz yy yz zz, MuJoCo's fullinertia is xx yy zz xy xz yz, Pinocchio's
    vector xx xy yy xz yz zz, Wensing's xx yy zz yz xz xy, KSL's xx yy zz xy yz zx. Or the first six
    of the nine numbers of the matrix were written, row by row, two numbers changed places, or all
    six slipped by one place.

    ## Signature
    No body can have the tensor as written, and in another order some body can. Row by row, the
    second and the fourth number are the same product, and I_zz is lost. Two that changed places,
    and a list that slipped, show by a moment of 0 alone.

    ## Example
        <mass value="1.2"/>
        <inertia ixx="0.0041" ixy="0.0052" ixz="0.0027" iyy="0.00031" iyz="-0.00012" izz="0.00008"/>

    ## Remedy
    The numbers in the order of the format.

    ## Searched for
    "fullinertia order".

    ## References
    MuJoCo XML reference, body/inertial/fullinertia; Pinocchio, Inertia::toDynamicParameters.
    """

    name, prior, mends = "component-order", 0.05, True
    kinds = frozenset({"impossible"})

    BY_CHANCE = 0.02
    """Fraction of otherwise broken tensors that one given order makes valid by chance."""

    _MOVED, _UNTANGLED = 10.0, 50.0
    """Likelihood ratios of zeros that belong off the diagonal and stand on it, and of a reading in
    which all products are zero: neither happens by chance."""

    def candidates(self, subject: Subject) -> Floats:
        """The six in every other order."""
        if not subject.broken:
            return NOTHING
        return np.asarray(subject.six[np.array([slots for slots, _, _ in list_slips()])])

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor read in another order; what is left of a matrix written row by row."""
        # The first six of nine numbers, where the second and the fourth are the same.
        if subject.broken:
            slots = list_slots(subject.examination.model.format)
            xx, xy, xz, yx, yy, yz = subject.six[slots].tolist()
            names = [ENTRIES[slot] for slot in slots]
            if not (xy != yx or not xx > 0 or not yy > 0 or yz == yy == xy):
                low, high = abs(xx - yy), xx + yy
                digits = len(f"{abs(xy):.10e}".partition("e")[0].rstrip("0")) - 1 if xy else 2
                yield Proposal(
                    10.0 ** min(digits, 5),
                    f"{names[1]} and {names[3]} are both {number(xy)}, as the second and fourth "
                    "of a "
                    f"matrix's nine numbers are: row by row it begins {number(xx)}, {number(xy)}, "
                    f"{number(xz)}, {number(yx)}, {number(yy)}, {number(yz)}; izz is not among "
                    "them and "
                    f"lies between {low:.4g} and {high:.4g}",
                    I_BBcm_Bi=np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, (low + high) / 2]]),
                    editable=False,
                )
        six, margin, consistent = self.trials(subject)
        alike: dict[bytes, list[int]] = {}
        for row in np.flatnonzero(consistent).tolist():
            alike.setdefault(six[row].tobytes(), []).append(row)
        for rows in alike.values():
            row = max(rows, key=lambda row: list_slips()[row][2])
            share = sum(list_slips()[row][2] for row in rows)
            moved = np.count_nonzero(six[row][[0, 3, 5]]) - np.count_nonzero(subject.six[[0, 3, 5]])
            if not moved and all(row >= len(list_orders()) for row in rows):
                continue  # a slip whose result is a body by chance, as that of many is
            untangled = not six[row][[1, 2, 4]].any()
            weight = share / self.BY_CHANCE
            if moved:
                weight *= self._UNTANGLED if untangled else self._MOVED
            yield Proposal(
                weight,
                f"with {list_slips()[row][1]}, the tensor is {a_body(margin[row])}: "
                f"{tensor(six[row])}" + ("; all its products are then 0" if untangled else ""),
                I_BBcm_Bi=symmetric(six[row]),
            )


_SECOND = 0.1
"""Probability that a second mistake comes with a first one; the same for a wrong unit, all units
together."""

_POINT_BY_CHANCE = 0.1
"""Fraction of otherwise broken tensors that a parallel-axis term makes valid by chance, whatever
their unit."""

_TERM = "m (|c|^2 1 - c c^T)"

_GAIN = 5.0
"""Factor by which a unit must make the body more natural to count as a second cause."""


class _Pair(NamedTuple):
    """A cause with a second one: its weight, both in words, and what they make of the tensor."""

    cause: type[Cause]
    weight: float
    text: str
    six: Floats


def pairs_of(subject: Subject) -> list[tuple[Cause, Proposal]]:
    """Proposals of two causes together for a body that no single one explains."""
    if not subject.broken or not subject.mass > 0:
        return []
    found: list[tuple[Cause, Proposal]] = []
    term = subject.numbers.parallel_axis_term[0] if is_shifted(subject) else None
    pairs = [*_pairs(subject.six, term)]
    tensors = printable(np.stack([pair.six for pair in pairs]))
    margin, consistent = margins(tensors)
    for row in np.flatnonzero(consistent).tolist():
        pair = pairs[row]
        evidence = f"{pair.text}, the tensor is {a_body(margin[row])}: {show(tensors[row])}"
        meant = symmetric(tensors[row])
        found.append((pair.cause(), Proposal(pair.weight, evidence, I_BBcm_Bi=meant)))
    return found


def _pairs(written: Floats, term: Floats | None) -> Iterator[_Pair]:
    """Order and sign; order and point; sign and point; unit and point."""
    for slots, words, share in list_orders():
        reread, weight = written[list(slots)], _SECOND * share / ComponentOrder.BY_CHANCE
        negated = f"with {words}, and the products negated (sign-of-products)"
        yield _Pair(ComponentOrder, weight, negated, reread * PRODUCTS_NEGATED)
        if term is not None:
            moved = f"with {words}, and {_TERM} added (double-parallel-axis)"
            yield _Pair(ComponentOrder, weight, moved, reread + term)
    if term is None:
        return
    weight = _SECOND / len(UNITS) / _POINT_BY_CHANCE
    for unit, size in UNITS.items():
        added = f"in {unit} (units), and with {_TERM} added"
        yield _Pair(DoubleParallelAxis, weight, added, size * written + term)
        taken = f"in {unit} (units), with its products negated and {_TERM} subtracted"
        yield _Pair(OriginTensorReadAsCom, weight, taken, size * written * PRODUCTS_NEGATED - term)


_SCALABLE = (ComponentOrder, SignOfProducts)
"""Causes that commute with a change of unit."""


def with_units(
    subject: Subject, single: Sequence[tuple[Cause, Proposal]]
) -> Iterator[tuple[Cause, Proposal]]:
    """Single causes whose body has an odd size, with the unit that makes it a usual one.

    Args:
        subject: The body.
        single: What single causes propose.
    """
    if not subject.broken or not subject.mass > 0:
        return
    chosen = [
        (cause, p, p.I_BBcm_Bi)
        for cause, p in single
        if isinstance(cause, _SCALABLE) and p.I_BBcm_Bi is not None
    ]
    if not chosen:
        return
    sizes = np.array([1.0, *UNITS.values()])
    tensors = entries(np.stack([tensor for _, _, tensor in chosen]))
    every = (tensors[:, None] * sizes[:, None]).reshape(-1, 6)
    mass = np.full(len(every), subject.mass)
    natural = naturalness(mass, every, subject.geometry, subject.R_BBi).reshape(len(chosen), -1)
    for row, (cause, proposal, _) in enumerate(chosen):
        best = int(np.argmax(natural[row]))
        if natural[row, best] <= _GAIN * natural[row, 0]:
            continue
        unit = list(UNITS)[best - 1]
        scaled = printable(tensors[row] * sizes[best])
        evidence = (
            f"{proposal.evidence}; and in {unit} (units), as its size for {subject.mass:.6g} kg "
            f"says: {show(scaled)}"
        )
        weight = proposal.weight * _SECOND
        yield (
            cause,
            proposal._replace(weight=weight, words=evidence, I_BBcm_Bi=symmetric(scaled)),
        )
