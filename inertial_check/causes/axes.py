"""The causes by axes: principal moments without them, and axes that were transposed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._witnesses import (
    I_BBcm_Bi,
    box_text,
    gains,
    with_spreads,
)
from inertial_check.causes._wording import times_as_probable
from inertial_check.evidence.axes import find_sorted_moments
from inertial_check.evidence.likeness import Reading
from inertial_check.inertia import resemblance, tolerances

_ALONG_LINK, _ALONG_SHAPES = 1 / 5, 1 / 30
"""Shares of the axes that the moments may belong to: one of five other orders of the link's own
axes; the axes of the shapes, which always fit and are therefore worth less; 1/30 was chosen."""

_MIRRORED: Floats = np.array([np.outer(signs, signs) for signs in 1 - 2 * np.eye(3)])
"""(3, 3, 3) the signs of the entries of a tensor with one axis mirrored."""

_LINKS = 4
"""Least number of bodies whose diagonals are all in one order: of random orders three are all
ascending or all descending in one case of 108, and four in one of 648."""

_COMMON = 20.0
"""Likelihood ratio of moments that are in one order on all links. Chosen, far below the 648 of
random orders: links that are built alike, along one axis, have one order too."""


class SortedPrincipalMoments(Cause):
    """The principal moments were written in the order of their size, without their axes.

    ## What happened
    CAD and mesh tools print principal moments sorted by size, and beside them the axes to which
    they belong. The three numbers were written as ixx, iyy, izz of every link, with products of 0,
    and the axes were left out.

    ## How it is recognised
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

    ## What undoes it
    The tensor in the link's axes: R diag(J) R^T with the axes that the program printed, or the
    rotation of the inertial's origin. The edit gives the moments the order, or the axes, of the
    shapes.

    ## What people search for
    "principal moments of inertia URDF ixx iyy izz"; "principal axes of inertia SolidWorks Px Py
    Pz"; "MeshLab principal axes".

    ## References
    The plausibility page.
    """

    name, prior = "sorted-principal-moments", 0.03
    kinds = frozenset({"stated"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The moments in another order, and along the axes of the shapes."""
        found = find_sorted_moments(subject.examination.votes)
        if found is None or np.sum(found.distinct & found.voters) < _LINKS:
            return
        if not found.bodies[subject.index]:
            return
        meant = [*_reorder_moments(subject), *_along_shapes(subject)]
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


def _reorder_moments(subject: Subject) -> Iterator[tuple[Floats, float, str]]:
    """Exchange the moments: the five other orders."""
    C_BBcm_Bi = resemblance.spread(subject.mass, subject.I_BBcm_Bi)
    for order in permutations(range(3)):
        if order != (0, 1, 2):
            turned = C_BBcm_Bi[np.ix_(order, order)]
            names = " ".join("xyz"[axis] for axis in order)
            yield resemblance.rotate(subject.R_BBi, turned), _ALONG_LINK, f"about {names}"


def _along_shapes(subject: Subject) -> Iterator[tuple[Floats, float, str]]:
    """The moments along the principal axes of each geometry, by their size."""
    likeness = subject.examination.likeness
    spreads = np.linalg.eigvalsh(subject.examination.assembly.C_BBcm_B[subject.index])
    for row in likeness.places_of(subject.index):
        _, axes = np.linalg.eigh(likeness.C_GGcm_B[row])
        yield (axes * spreads) @ axes.T, _ALONG_SHAPES, "along the axes of the shapes"


def transpose_axes(subject: Subject) -> Iterator[Reading]:
    """Transpose the principal axes of the tensor: R^T D R was written for R D R^T.

    The order and signs in which a program wrote the axes are not known: of a tensor V D V^T, R is
    any (V Q)^T, where Q exchanges and turns the axes; 24 tensors in all.
    """
    C_BBcm_Bi = resemblance.spread(subject.mass, subject.I_BBcm_Bi)
    off = np.max(np.abs(C_BBcm_Bi - np.diag(np.diag(C_BBcm_Bi))))
    if not off > tolerances.ROTATED_ZERO * np.trace(C_BBcm_Bi):
        return
    spreads, V = np.linalg.eigh(C_BBcm_Bi)
    Q = _axis_exchanges()
    R = np.swapaxes(V @ Q, 1, 2)
    meant = R @ (np.swapaxes(Q, 1, 2) @ np.diag(spreads) @ Q) @ np.swapaxes(R, 1, 2)
    for C in resemblance.rotate(subject.R_BBi, meant):
        yield Reading("wrong-frame", "with the matrix of its principal axes transposed", C)


@cache
def _axis_exchanges() -> Floats:
    """(24, 3, 3) the proper rotations among all exchanges and signs of three axes."""
    every = [
        np.eye(3)[:, list(order)] * np.array(signs)
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]
    return np.array([matrix for matrix in every if np.linalg.det(matrix) > 0])


def mirror_axes(subject: Subject) -> Iterator[Reading]:
    """Mirror one axis of the tensor, which negates two of the three products."""
    C_BBcm_Bi = resemblance.spread(subject.mass, subject.I_BBcm_Bi)
    meant = resemblance.rotate(subject.R_BBi, _MIRRORED * C_BBcm_Bi)
    for axis, C in zip("xyz", meant, strict=True):
        yield Reading("wrong-frame", f"with its {axis} axis mirrored", C)
