"""The causes by omission: tensors left empty, half filled in, or the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.causes._base import Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._wording import enumerate_words, number, tensor
from inertial_check.inertia import tolerances
from inertial_check.model import ENTRIES

_MOMENTS, _PRODUCTS = (0, 3, 5), (1, 2, 4)


class Unpopulated(Cause):
    """The inertia was never filled in, or only in part.

    ## What happened
    An exporter without support for inertias wrote what it had, often one number about the joint's
    axis; a template's zeros stayed; or a zero that an engine refused was replaced in one place and
    not in the next. Or the file holds crumbs, 1e-16 and less: zeros that went through a rotation.

    ## How it is recognised
    A moment of inertia that is exactly 0 beside others that are not, or a tensor under m (1e-6 m)^2
    that is not 0, or all of it 0. Nothing tells what was meant.

    ## Example
        <mass value="850.6"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="108.5602"/>

    ## What undoes it
    The inertia of the body: from CAD, or from its shape (`inertial-check fix --method geometry`).

    ## What people search for
    "mass and inertia of moving bodies must be larger than mjMINVAL" and "inertia must have positive
    eigenvalues" (MuJoCo); "A link named ... has invalid inertia." (Gazebo).

    ## References
    The example is from kroshu/kuka_robot_descriptions; a zero that was repaired by half was
    reported to haosulab/SAPIEN.
    """

    name, prior = "unpopulated", 0.15
    kinds = frozenset({"impossible", "stated", "other"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """That it is, without saying what was meant."""
        six = subject.six
        if not np.all(np.isfinite(six)) or subject.judgement.verdict in ("missing", "derived"):
            return
        if subject.judgement.numerically_zero:
            size = float(np.max(np.abs(six)))
            evidence = (
                f"the largest of the six is {size:.3g} kg m^2, for {subject.mass:.6g} kg: "
                + ("nothing was written" if size == 0 else "a zero that went through arithmetic")
            )
            yield Proposal(20.0, evidence, editable=False)
            return
        largest = float(np.max(np.abs(six)))
        empty = np.abs(six) <= tolerances.EMPTY_MOMENT * largest
        zeros = [i for i in _MOMENTS if empty[i]]
        if not zeros:
            return
        products = [ENTRIES[i] for i in _PRODUCTS if not empty[i]]
        if not subject.broken:
            weight = 1.0  # a rod, or digits that were not printed
        elif products:
            weight = 8.0 if len(zeros) == 1 else 0.5
        else:
            weight = 200.0
        exactly = "exactly 0" if not np.any(six[zeros]) else f"{np.max(np.abs(six[zeros])):.1e}"
        filled = np.where(empty, 0.0, six)
        yield Proposal(
            weight,
            f"{enumerate_words([ENTRIES[i] for i in zeros])} "
            f"{'are' if len(zeros) > 1 else 'is'} {exactly} "
            f"beside {tensor(filled)}: no body has two moments of 0, and one only where the others "
            "are equal"
            + (f"; {enumerate_words(products)} not 0: filled in by half" if products else ""),
            editable=False,
        )


class SameNumberEverywhere(Cause):
    """All six entries are the same number, products of inertia included.

    ## What happened
    A placeholder was written six times. A diagonal of equal numbers would be a ball; with products
    as large as the moments no body is like it: one principal moment is 3 times that number, the two
    others are 0.

    ## How it is recognised
    Six equal numbers that are not 0; or three equal products beside three equal moments.

    ## Example
        <mass value="0.1"/>
        <inertia ixx="0.01" ixy="0.01" ixz="0.01" iyy="0.01" iyz="0.01" izz="0.01"/>

    ## What undoes it
    Products of 0 make a body of it, though hardly the one that is meant: the number was chosen for
    no reason. That is the edit which is proposed; the inertia of the body's shape is better.

    ## What people search for
    "inertia must have positive eigenvalues" (MuJoCo); "did not pass the test
    CouldBePhysicallyValid" (Drake).

    ## References
    Sixteen links of twelve public models, ANYmal's simplified base and Sawyer's right hand among
    them.
    """

    name, prior = "same-number-everywhere", 0.05
    kinds = frozenset({"impossible", "other"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor without its products."""
        if not subject.broken and not subject.judgement.numerically_zero:
            return
        six = subject.six
        moments, products = six[list(_MOMENTS)], six[list(_PRODUCTS)]
        if not np.all(products == products[0]) or not np.all(moments == moments[0]):
            return
        if not products[0] or not moments[0] > 0:
            return
        same = moments[0] == products[0]
        what = (
            f"all six entries are {number(moments[0])}"
            if same
            else f"three moments are {number(moments[0])} and three products {number(products[0])}"
        )
        yield Proposal(
            1e4 if same else 100.0,
            f"{what}; with products of 0 it would be a ball (margin 0.33)",
            I_BBcm_Bi=np.diag(moments),
        )
