"""Multipliers of two cones at once by an interior-point method, many problems together.

Minimise z^T M z + 2 <slope, z> over z = (svec(P), s), where P (4, 4) is positive semidefinite and s
lies between 0 and <a, svec(P)>. It is Mehrotra's predictor-corrector method (SIAM J. Optim. 2,
1992), in the basis of every step in which P is one and its own multiplier X diagonal: there the
linearised product of the two is diagonal, too. Every step ends inside, so that a multiplier serves
wherever it stops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.tolerances import BOUNDED
from inertial_check.projection import newton
from inertial_check.projection.quadratic import BOUNDARY_FRACTION, iterate_rows
from inertial_check.projection.svec import (
    COLUMN,
    ROW,
    congruence,
    decompose,
    pack,
    spectrum,
    unpack,
)

STEPS = 30
"""Steps at most; eight to fifteen are usual where enough is within reach."""

VAIN = 0.003
"""Part of what lacks to `enough` to which a proof that falls short is computed: it is not used."""


class _Iterates(NamedTuple):
    """Points inside of some problems, in the bases of their steps.

    Attributes:
        root: (n, 4, 4) R with P = R R^T.
        spread: (n, 4) diagonal of X in the basis R.
        slack: (n, 2) s and <a, svec(P)> - s.
        push: (n, 2) their multipliers.
        rest: (n, 11) residual of stationarity.
    """

    root: Floats
    spread: Floats
    slack: Floats
    push: Floats
    rest: Floats


def minimise(M: Floats, slope: Floats, a: Floats, enough: Floats) -> Floats:
    """Find z (n, 11) next to the least value, or with one of -`enough` (n,) at most.

    Args:
        M: (n, 11, 11) positive semidefinite, of size about one.
        slope: (n, 11).
        a: (n, 10) of the bound of s, positive on the identity.
        enough: (n,).
    """
    count, one = len(slope), pack(np.eye(4))
    z = np.concatenate([np.zeros((count, 10)) + one, (a @ one)[:, None] / 2], axis=1)
    bound = np.concatenate([a, -np.ones((count, 1))], axis=1)
    force = np.concatenate([one, [1.0]]) + bound
    at = _Iterates(
        np.zeros((count, 4, 4)) + np.eye(4),
        np.ones((count, 4)),
        np.repeat(z[:, 10:], 2, axis=1),
        np.ones((count, 2)),
        force - slope - np.matmul(M, z[:, :, None])[:, :, 0],
    )

    def advance(rows: Integers) -> Mask:
        now = _Iterates(*(part[rows] for part in at))
        new, better = _step(now, M[rows], bound[rows])
        rows, new = rows[better], _Iterates(*(part[better] for part in new))
        for whole, part in zip(at, new, strict=True):
            whole[rows] = part
        z[rows, :10], z[rows, 10] = pack(new.root @ new.root.transpose(0, 2, 1)), new.slack[:, 0]
        pulled = np.matmul(M[rows], z[rows, :, None])[:, :, 0] + 2 * slope[rows]
        value = -np.einsum("ni,ni->n", z[rows], pulled)
        apart = new.spread.sum(axis=1) + np.einsum("nk,nk->n", new.slack, new.push)
        apart += np.einsum("ni,ni->n", np.abs(new.rest), np.abs(z[rows]))
        short = np.maximum(BOUNDED * np.abs(value), VAIN * (enough[rows] - value))
        better[better] = (value < enough[rows]) & (2 * apart > short)
        return better

    with np.errstate(all="ignore"):
        for start in range(0, count, newton.CHUNK):
            some = np.arange(start, min(start + newton.CHUNK, count))
            iterate_rows(some, count, STEPS, advance)
    return z


def _step(at: _Iterates, M: Floats, bound: Floats) -> tuple[_Iterates, Mask]:
    """Make one step, and say in which problems it led on."""
    T = np.zeros_like(M)
    T[:, :10, :10], T[:, 10, 10] = congruence(at.root), 1.0
    turned = T.transpose(0, 2, 1) @ M @ T
    left = np.matmul(at.rest[:, None], T)[:, 0]
    sides = np.zeros((len(M), 2, 11))
    sides[:, 0, 10], sides[:, 1] = 1.0, np.matmul(bound[:, None], T)[:, 0]
    X, ratio = at.spread[:, :, None] * np.eye(4), at.push / at.slack
    system = turned + sides.transpose(0, 2, 1) @ (ratio[:, :, None] * sides)
    diagonal = (at.spread[:, ROW] + at.spread[:, COLUMN]) / 2
    system[:, range(10), range(10)] += diagonal
    inverse = newton.invert(system)

    def solve(matrix: Floats, pair: Floats) -> tuple[Floats, ...]:
        """Solve for the changes at which X P and the two products change by so much."""
        right = left + np.einsum("nk,nki->ni", pair / at.slack, sides)
        right[:, :10] += pack(matrix)
        dz = np.matmul(inverse, right[:, :, None])[:, :, 0]
        dP, slack = unpack(dz[:, :10]), np.einsum("nki,ni->nk", sides, dz)
        dX = matrix - unpack(diagonal * dz[:, :10])
        push = pair / at.slack - ratio * slack
        root = np.sqrt(at.spread)
        least = [
            spectrum(dP)[:, 0],
            spectrum(dX / root[:, :, None] / root[:, None, :])[:, 0],
            *(slack / at.slack).T,
            *(push / at.push).T,
        ]
        most = np.maximum(-np.min(least, axis=0), BOUNDARY_FRACTION)
        return dP, dX, slack, push, BOUNDARY_FRACTION / most

    products = at.push * at.slack
    dP, dX, slack, push, length = solve(-X, -products)
    size, by = (at.spread.sum(axis=1) + products.sum(axis=1)) / 6, length[:, None]
    after = np.einsum("nij,nij->n", X + by[:, :, None] * dX, np.eye(4) + by[:, :, None] * dP)
    after += np.einsum("nk,nk->n", at.push + by * push, at.slack + by * slack)
    goal = ((after / 6 / size) ** 3 * size)[:, None]
    both = dX @ dP
    matrix = goal[:, :, None] * np.eye(4) - X - (both + both.transpose(0, 2, 1)) / 2
    dP, dX, slack, push, length = solve(matrix, goal - products - slack * push)
    by = length[:, None]
    values, vectors = decompose(dP)
    stretch = vectors * np.sqrt(1 + by * values)[:, None, :]
    spread, turn = decompose(stretch.transpose(0, 2, 1) @ (X + by[:, :, None] * dX) @ stretch)
    new = _Iterates(
        at.root @ stretch @ turn,
        spread,
        at.slack + by * slack,
        at.push + by * push,
        (1 - by) * at.rest,
    )
    return new, np.asarray((spread[:, 0] > 0) & (length > 0))
