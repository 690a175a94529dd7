"""The causes by reference point: parallel-axis terms missing, doubled or subtracted twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import NOTHING, Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._wording import a_body, tensor
from inertial_check.evidence.readings import PRODUCTS_NEGATED
from inertial_check.inertia.eigen import eigensystem
from inertial_check.inertia.representations import second_moment, symmetric
from inertial_check.inertia.resemblance import entries

_BLUR = 0.03
"""Angle scale of the parallel-axis evidence: by how much 1 - cosine the spread of the body itself
turns the direction away from c."""

_SHARE = 0.7
"""Weight of the parallel-axis evidence: how much of the likelihood ratio 1 / (1 - cosine) remains
after chance agreement."""


class DoubleParallelAxis(Cause):
    """The parallel axis term was subtracted from a tensor already about the centre of mass.

    ## What happened
    I_BBcm = I_BBo - m (|c|^2 1 - c c^T) leads from the link's origin to the centre of mass c. A CAD
    report or a converter had done that already, and it was done again.

    ## How it is recognised
    No body can have the tensor, but with m (|c|^2 1 - c c^T) added once it is one that a body can
    have. It counts for more, the more parallel to c the direction is in which the mass would have
    negative spread, because only there something was taken away: the cosine is above 0.9 but where
    the term is small beside the body.

    ## Example
        <origin xyz="0.18 0 0.5"/>
        <mass value="120"/>
        <inertia ixx="-4.98" ixy="0" ixz="2.7" iyy="-5.952" iyz="0" izz="0.828"/>

    ## What undoes it
    The term added once.

    ## What people search for
    "inertia must have positive eigenvalues" (MuJoCo); "A link named ... has invalid inertia."
    (Gazebo); "Bad inertia tensor properties, setting inertia to zero" (PyBullet).

    ## References
    The ABB link of the example, in the discussions of compas-dev/compas_fab; Heins, Rigid Body
    Inertial Parameters, "Parallel Axis Theorem".
    """

    name, prior, mends = "double-parallel-axis", 0.06, True
    kinds = frozenset({"impossible"})

    def candidates(self, subject: Subject) -> Floats:
        """The tensor with the term added."""
        if not is_shifted(subject):
            return NOTHING
        return printable(subject.six[None] + parallel_axis_term(subject))

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor with the term added, where the mass is missing along c."""
        tensors, margin, consistent = self.trials(subject)
        if not consistent.any():
            return
        c = subject.p_BoBcm_Bi
        lowest = eigensystem(second_moment(subject.six))[1][:, 0]
        cosine = float(abs(lowest @ c) / np.linalg.norm(c))
        yield Proposal(
            _SHARE / (_BLUR + 1 - cosine),
            f"along c = ({', '.join(f'{x:.4g}' for x in c)}) m mass is missing (cosine "
            f"{cosine:.4f}), and m (|c|^2 1 - c c^T) added once, with m = {subject.mass:.6g} kg, "
            f"makes the tensor {a_body(margin[0])}: {tensor(tensors[0])}",
            I_BBcm_Bi=symmetric(tensors[0]),
        )


class OriginTensorReadAsCom(Cause):
    """The tensor is about the link's origin, with products of the other sign, or only half moved.

    ## What happened
    The format wants the inertia about the centre of mass; what was written is about the link's
    origin. That alone is a body always, only a larger one (see about-link-origin). It shows where
    the products have the opposite sign as well, as in a SolidWorks report "taken at the output
    coordinate system" in positive notation: then the two mistakes do not cancel.

    ## How it is recognised
    No body can have the tensor; with its products negated, and m (|c|^2 1 - c c^T) subtracted, it
    is one that a body can have.

    ## Example
        <origin xyz="0.1 0.08 -0.05"/>
        <mass value="2"/>
        <inertia ixx="0.0198" ixy="0.0162" ixz="-0.0101" iyy="0.0271" iyz="-0.0079" izz="0.0338"/>

    ## What undoes it
    The tensor about the centre of mass, in the format's sign.

    ## What people search for
    "inertia must satisfy A + B >= C; use 'balanceinertia' to fix" and "inertia must have positive
    eigenvalues" (MuJoCo); "taken at the output coordinate system" (SolidWorks).

    ## References
    Heins, Rigid Body Inertial Parameters, "Parallel Axis Theorem"; the theory page.
    """

    name, prior, mends = "origin-tensor-read-as-com", 0.04, True
    kinds = frozenset({"impossible"})

    def candidates(self, subject: Subject) -> Floats:
        """The term subtracted, from the tensor with its products negated."""
        if not is_shifted(subject):
            return NOTHING
        return printable(subject.six[None] * PRODUCTS_NEGATED - parallel_axis_term(subject))

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
    An importer took a tensor for one about the link's origin and moved it to the centre of mass,
    where it already was; and the products of one of the two had the opposite sign, in the report or
    in the term. Without the second mistake the cause is double-parallel-axis. In a table of vectors
    the same happens without any importer, when about="origin" is said of rows that are about the
    centre of mass: then tr(S_c) can be negative, which no other mistake of the point gives.

    ## How it is recognised
    No body can have the tensor, not even with m (|c|^2 1 - c c^T) added; with the term added and
    products negated, those of the term or those of the sum, some body can have it.

    ## Example
        <origin xyz="0.1 0.08 -0.05"/>
        <mass value="2"/>
        <inertia ixx="-0.0138" ixy="-0.0158" ixz="0.0099" iyy="-0.0189" iyz="0.0081" izz="-0.0258"/>

    ## What undoes it
    The term added once, and the products in the format's sign. For a table: --about com.

    ## What people search for
    "inertia must have positive eigenvalues" (MuJoCo); "Bad inertia tensor properties, setting
    inertia to zero" (PyBullet).

    ## References
    Heins, Rigid Body Inertial Parameters, "Parallel Axis Theorem"; the theory page.
    """

    name, prior, mends = "com-tensor-read-as-origin", 0.02, True
    kinds = frozenset({"impossible"})

    def candidates(self, subject: Subject) -> Floats:
        """The term added; with its products negated; with those of the sum negated."""
        if not is_shifted(subject):
            return NOTHING
        term = parallel_axis_term(subject)
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


def parallel_axis_term(subject: Subject) -> Floats:
    """(6,) m (|c|^2 1 - c c^T), in the inertial's own axes [kg m^2]."""
    c = subject.p_BoBcm_Bi
    term: Floats = entries(subject.mass * (c @ c * np.eye(3) - np.outer(c, c)))
    return term


def printable(six: Floats) -> Floats:
    """Sums to the 15 digits that are theirs: 4.716 in place of 4.715999999999998."""
    digits = [float(f"{value:.15g}") for value in six.ravel().tolist()]
    return np.array(digits).reshape(six.shape)
