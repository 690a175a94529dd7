"""Proof that bodies with positive mass meet some constraints, or that none do.

Two programs decide it, each by the least slack t that all cones need together, which always exists:

* with the numbers of the constraints as they are, and any mass, zero too;
* with a mass of one for a body, and the numbers of the constraints times k >= 0.

A point of the first plus a multiple of one of the second has positive mass: t <= 0 in both is a
proof that a body exists. A positive t in either is the optimum of a program whose dual proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.projection._constraint import Block, Cone, UnmetError
from inertial_check.projection.conic.cones import Part
from inertial_check.projection.conic.interior import minimise_linear
from inertial_check.projection.conic.joint_problem import Applied, row_lengths, shift_map
from inertial_check.projection.conic.places import find_place
from inertial_check.solvers.svec import FROM_SVEC, congruence, order_of

TOLERANCE = tolerances.CONFLICT / 100
"""Tolerance of the solver, in programs of unit size: what it leaves of zero is far from a
conflict."""


class _Rows(NamedTuple):
    """Rows A x + B y + b in a cone, of unit length."""

    cone: Cone
    A: Floats
    B: Floats
    b: Floats


def are_infeasible(applied: Sequence[Applied], theta0: Floats, shifts: Floats) -> bool:
    """Decide whether no bodies with positive mass meet the constraints.

    Args:
        applied: The constraints, by the index of the body.
        theta0: (n, 10) the given bodies, about Fo: what "as given" means.
        shifts: (n, 3) p_BoFo_B [m]; constraints are about Bo.

    Returns:
        True where a dual shows it; False where a body meets them, and where rounding decides.
    """
    try:
        blocks = _build(applied, theta0, shifts)
    except UnmetError:  # what "as given" refers to is no number, as the place of no mass
        return True
    needed = sorted({body for one in applied for body in one.bodies})
    if any(np.any(rows.b) for rows in blocks) and _least_slack(blocks, None) > tolerances.CONFLICT:
        return True
    return any(_least_slack(blocks, 10 * i + 9) > tolerances.CONFLICT for i in needed)


def _build(applied: Sequence[Applied], theta0: Floats, shifts: Floats) -> list[_Rows]:
    """Build the cones of the bodies and of the constraints, in units of the constraints.

    Raises:
        UnmetError: A body leaves a constraint without a meaning.
    """
    given = np.stack([shift_map(s) @ t for s, t in zip(shifts, theta0, strict=True)])
    place = find_place([(one.constraint, given[list(one.bodies)]) for one in applied], given)
    count, frame = len(theta0), place.frame()[0]
    units = FROM_SVEC @ congruence(frame[None])[0]
    found: list[Block] = []
    for i in range(count):
        A = np.zeros((10, 10 * count))
        A[:, 10 * i : 10 * i + 10] = np.eye(10)
        found.append(Block("psd", A, np.zeros((10, 0)), np.zeros(10)))
    width = 0
    for constraint, bodies in applied:
        own = theta0 if constraint.in_frame else given
        blocks = constraint.blocks(own[list(bodies)])
        new = max(block.B.shape[1] for block in blocks)
        for block in blocks:
            A = np.zeros((len(block.b), 10 * count))
            for k, i in enumerate(bodies):
                into = shift_map(-shifts[i]) if constraint.in_frame else np.eye(10)
                A[:, 10 * i : 10 * i + 10] += block.A[:, 10 * k : 10 * k + 10] @ into @ units
            B = np.pad(place.mass * block.B, ((0, 0), (width, new - block.B.shape[1])))
            found.append(Block(block.cone, A, B, block.b))
        width += new
    rows = []
    for block in found:
        B = np.pad(block.B, ((0, 0), (0, width - block.B.shape[1])))
        length = row_lengths(block.cone, block.A, B)
        rows.append(
            _Rows(block.cone, block.A / length[:, None], B / length[:, None], block.b / length)
        )
    return rows


def _least_slack(blocks: list[_Rows], unit_mass: int | None) -> float:
    """Compute the least t for which all rows lie in their cones when t is added; 0 where unknown.

    Args:
        blocks: The rows.
        unit_mass: Variable that is one, while the numbers b are multiplied by a k >= 0; None for
            the numbers as they are.
    """
    bodies, aux = blocks[0].A.shape[1], blocks[0].B.shape[1]
    width = bodies + aux + 2  # x, y, k, t
    scale, slack = width - 2, width - 1
    A: list[Floats] = []
    b: list[Floats] = []
    parts: list[Part] = []

    def add(cone: Cone, rows: Floats, right: Floats) -> None:
        start = parts[-1].rows.stop if parts else 0
        A.append(rows)
        b.append(right)
        parts.append(Part(cone, slice(start, start + len(right))))

    fixed = np.zeros((1, width))
    if unit_mass is None:
        fixed[0, scale] = 1.0
        add("zero", fixed, -np.ones(1))
    else:
        fixed[0, unit_mass] = 1.0
        add("zero", fixed, -np.ones(1))
        add("nonneg", np.eye(width)[[scale]], np.zeros(1))
    add("nonneg", np.eye(width)[[slack]], np.ones(1))  # t >= -1: the program is bounded
    largest = max(float(np.max(np.abs(rows.b), initial=0.0)) for rows in blocks)
    unit = 1.0 if unit_mass is None or largest == 0 else largest  # any unit of k is as good
    for rows in blocks:
        count = len(rows.b)
        given = rows.b[:, None] / unit
        M = np.concatenate([rows.A, rows.B, given, np.zeros((count, 1))], axis=1)
        for cone, part in _loosen(rows.cone, M, slack):
            add(cone, part, np.zeros(len(part)))
    cost = np.eye(width)[slack]
    return minimise_linear(cost, np.concatenate(A), np.concatenate(b), tuple(parts), TOLERANCE)


def _loosen(cone: Cone, M: Floats, slack: int) -> list[tuple[Cone, Floats]]:
    """Add the slack t to rows M x of a cone: an equation becomes two bounds."""
    M = np.array(M)
    if cone == "zero":
        both = np.concatenate([M, -M])
        both[:, slack] = 1.0
        return [("nonneg", both)]
    if cone == "nonneg":
        M[:, slack] = 1.0
    elif cone == "soc":
        M[0, slack] = 1.0
    else:
        order = order_of(len(M))
        i, j = np.triu_indices(order)
        M[i == j, slack] = 1.0
    return [(cone, M)]
