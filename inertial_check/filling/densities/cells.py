"""The problem of `fill` in cells: which densities belong to which body, and what they sum up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.filling.densities.equations import CenterSum, MassSum, Unknowns
from inertial_check.filling.densities.problem import DensityProblem
from inertial_check.filling.known import Knowledge

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Cells(NamedTuple):
    """The problem of some bodies, and which cells are whose.

    Attributes:
        problem: The problem.
        moments: (n, 10) inertial parameters of the cells with density 1, in their bodies.
        body: (n,) place of the body of each cell among those to fill.
    """

    problem: DensityProblem
    moments: Floats
    body: Integers


def build_problem(
    unknowns: Unknowns,
    known: Knowledge,
    sums: Sequence[MassSum],
    centers: Sequence[CenterSum],
    nominal: Floats,
) -> Cells:
    """State the problem in cells: whole pieces where only masses are known, else points.

    Args:
        unknowns: The bodies.
        known: Bounds and the measure of deviation.
        sums: Known sums of masses.
        centers: Known first moments.
        nominal: Nominal density of each body [kg/m^3].
    """
    whole = not centers  # the densities of all cells of a piece are then equal
    volumes, moments, points, body = [], [], [], []
    for at, own in enumerate(unknowns.pieces):
        for piece in own.pieces:
            if whole:
                volumes.append(np.array([piece.volume]))
                moments.append(piece.moments.sum(axis=0)[None])
                points.append(piece.volumes[None] @ piece.points / piece.volume)
            else:
                volumes.append(piece.volumes)
                moments.append(piece.moments)
                points.append(piece.points)
            body.append(np.full(len(volumes[-1]), at))
    v, cell_body = np.concatenate(volumes), np.concatenate(body)
    low, high = known.density_range
    rho0 = nominal[cell_body]
    rows, wanted, names = _build_rows(sums, centers, cell_body, np.concatenate(points))
    problem = DensityProblem(
        v, rho0, np.full(len(v), low), np.full(len(v), high), rows, wanted, names, known.divergence
    )
    return Cells(problem, np.concatenate(moments), cell_body)


def _build_rows(
    sums: Sequence[MassSum], centers: Sequence[CenterSum], body: Integers, points: Floats
) -> tuple[csr_array, Floats, tuple[str, ...]]:
    from scipy.sparse import csr_array, vstack

    count = int(body[-1]) + 1
    entries = [
        (row, at, value) for row, each in enumerate(sums) for at, value in each.coefficients.items()
    ]
    places = np.array([entry[:2] for entry in entries], dtype=np.intp).reshape(-1, 2).T
    values = np.array([entry[2] for entry in entries], dtype=float)
    coefficients = csr_array((values, tuple(places)), (len(sums), count))
    membership = csr_array((np.ones(len(body)), (body, np.arange(len(body)))), (count, len(body)))
    parts = [csr_array(coefficients @ membership)]
    wanted = [each.wanted for each in sums]
    if centers:
        poses = centers[0].poses[body]
        placed = np.einsum("nij,nj->ni", poses[:, :3, :3], points) + poses[:, :3, 3]
        arms = placed - centers[0].center
        reach = float(np.max(np.abs(arms)))  # a row has coefficients of the order of 1
        for one in centers:
            parts.append(csr_array(arms[None, :, one.axis] / reach))
            wanted.append(one.wanted / reach)
    names = (*(each.name for each in sums), *(one.name for one in centers))
    return csr_array(vstack(parts)), np.array(wanted), names
