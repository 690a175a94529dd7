"""A joint problem of bodies and their constraints, in units in which everything has size one.

Minimise u^T M u / 2 over the change u of the bodies and the auxiliary y, with g + Gu u + Gy y in a
product of cones. u is svec(L^-1 dPi L^-T) / size for each body, L L^T its reference; the rows of a
block are divided by their length; M has determinant 1 where it is definite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.projection._constraint import Block, Cone, Constraint
from inertial_check.projection.conic.cones import Part, distance
from inertial_check.projection.quadratic import Quadratic
from inertial_check.solvers.svec import FROM_SVEC, TO_SVEC, apply, congruence, factors, pack

_WEIGHED = 1e-12
"""Directions with less than this part of the largest weight count as without one."""


class Applied(NamedTuple):
    """A constraint on some of the bodies of a joint problem.

    Attributes:
        constraint: None for Pi - Delta >= 0 itself.
        bodies: Indices within the joint problem.
    """

    constraint: Constraint | None
    bodies: tuple[int, ...]


class Posed(NamedTuple):
    """A joint problem in its units.

    Attributes:
        M: (10 n, 10 n) positive semidefinite.
        Gu: (k, 10 n).
        Gy: (k, aux).
        g: (k,).
        parts: The cones of the rows; the first n are Pi - Delta >= 0, body by body.
        owners: Index into `applied` of each part.
        applied: What was posed.
        theta0: (n, 10) [SI].
        units: (n, 10, 10) theta = theta0 + size units u.
        inverses: (n, 4, 4) L^-1.
        size: By which svec was divided.
        weight: By which M was divided.
    """

    M: Floats
    Gu: Floats
    Gy: Floats
    g: Floats
    parts: tuple[Part, ...]
    owners: tuple[int, ...]
    applied: tuple[Applied, ...]
    theta0: Floats
    units: Floats
    inverses: Floats
    size: float
    weight: float

    @property
    def violation(self) -> float:
        """By how much the given bodies fail what needs no auxiliary variables."""
        alone = [p for p in self.parts if not self.Gy[p.rows].any()]
        return distance(self.g, tuple(alone))

    def change(self, theta: Floats) -> Floats:
        """The change u (10 n,) that makes these bodies (n, 10)."""
        return self.image(theta - self.theta0)

    def image(self, theta: Floats) -> Floats:
        """Bodies, or changes of them, (n, 10) in the units of u (10 n,)."""
        return np.asarray(apply(self.inverses, theta @ TO_SVEC.T).ravel() / self.size)

    def theta(self, u: Floats) -> Floats:
        """The bodies (n, 10) after a change u (10 n,)."""
        steps = np.matmul(self.units, u.reshape(-1, 10, 1))[:, :, 0]
        return np.asarray(self.theta0 + self.size * steps + 0.0)  # no -0

    def multipliers(self, z: Floats) -> Floats:
        """Svec (n, 10) of the multipliers Z of Pi - Delta >= 0 [SI], from those z of the rows."""
        count = len(self.theta0)
        own = z[: 10 * count].reshape(count, 10) * (self.weight / self.size)
        return np.asarray(np.einsum("nij,ni->nj", congruence(self.inverses), own))


def posed(problem: Quadratic, applied: tuple[Applied, ...], shifts: Floats) -> Posed:
    """The problem of these bodies together.

    Args:
        problem: Of the bodies.
        applied: The constraints on them, beside Pi - Delta >= 0.
        shifts: (n, 3) p_BoFo_B: the problem is in frames F, the constraints in B, with equal axes.
    """
    count = len(problem.theta0)
    cones = tuple(Applied(None, (i,)) for i in range(count))
    L, inverses = factors(problem.reference)
    units = np.matmul(FROM_SVEC, congruence(L))
    floor = problem.theta0 @ TO_SVEC.T - pack(problem.Delta)
    given = apply(inverses, floor)
    blocks = [_own(given, i) for i in range(count)]
    owners = list(range(count))
    alpha = float(np.max(problem.reference[:, 3, 3]))
    width = 0
    for index, (constraint, bodies) in enumerate(applied):
        assert constraint is not None
        found = _placed(constraint, bodies, problem.theta0, units, shifts)
        new = max(block.B.shape[1] for block in found)
        for block in found:
            B = np.pad(alpha * block.B, ((0, 0), (width, new - block.B.shape[1])))
            blocks.append(_scaled(block._replace(B=B)))
            owners.append(count + index)
        width += new
    parts, rows = [], 0
    for block in blocks:
        parts.append(Part(block.cone, slice(rows, rows + len(block.b))))
        rows += len(block.b)
    g = np.concatenate([block.b for block in blocks])
    size = max(float(np.max(np.linalg.norm(given, axis=1))), _largest_lack(blocks))
    size = size if size > 0 else 1.0
    M, weight = _metric(problem, units, size)
    return Posed(
        M,
        np.concatenate([block.A for block in blocks]),
        np.concatenate([_padded(block.B, width) for block in blocks]),
        g / size,
        tuple(parts),
        tuple(owners),
        (*cones, *applied),
        problem.theta0,
        units,
        inverses,
        size,
        weight,
    )


def _own(given: Floats, i: int) -> Block:
    """Pi - Delta >= 0 of a body, from those of all (n, 10) in their units."""
    A = np.zeros((10, given.size))
    A[:, 10 * i : 10 * i + 10] = np.eye(10)
    return Block("psd", A, np.zeros((10, 0)), given[i])


def _placed(
    constraint: Constraint, bodies: tuple[int, ...], theta0: Floats, units: Floats, shifts: Floats
) -> list[Block]:
    """The blocks of a constraint, on the changes of all bodies."""
    maps = [_shift(shifts[i]) for i in bodies]
    given = np.stack([H @ theta0[i] for H, i in zip(maps, bodies, strict=True)])
    blocks = []
    for block in constraint.blocks(given):
        A = np.zeros((len(block.b), 10 * len(theta0)))
        for k, (H, i) in enumerate(zip(maps, bodies, strict=True)):
            A[:, 10 * i : 10 * i + 10] += block.A[:, 10 * k : 10 * k + 10] @ H @ units[i]
        b = block.A @ given.ravel() + block.b
        blocks.append(block._replace(A=A, b=b))
    return blocks


def _shift(p_BoFo_B: Floats) -> Floats:
    """The map (10, 10) of theta about Fo to theta about Bo; 1 without a shift."""
    if not p_BoFo_B.any():
        return np.eye(10)
    X_BF = np.eye(4)
    X_BF[:3, 3] = p_BoFo_B
    return np.asarray(FROM_SVEC @ congruence(X_BF[None])[0] @ TO_SVEC)


def _scaled(block: Block) -> Block:
    """The rows divided by their length."""
    length = lengths(block.cone, block.A, block.B)
    A, B = block.A / length[:, None], block.B / length[:, None]
    return block._replace(A=A, B=B, b=block.b / length)


def lengths(cone: Cone, A: Floats, B: Floats) -> Floats:
    """Lengths (k,) of the rows [A B]; that of the longest where the cone holds them together."""
    length = np.linalg.norm(np.concatenate([A, B], axis=1), axis=1)
    if cone in {"psd", "soc"}:
        length = np.full_like(length, np.max(length, initial=0.0))
    return np.where(length > 0, length, 1.0)


def _largest_lack(blocks: list[Block]) -> float:
    """By how much the given bodies fail what needs no auxiliary variables."""
    own = [
        distance(block.b, (Part(block.cone, slice(None)),)) for block in blocks if not block.B.any()
    ]
    return max(own)


def _padded(B: Floats, width: int) -> Floats:
    return np.pad(B, ((0, 0), (0, width - B.shape[1])))


def _metric(problem: Quadratic, units: Floats, size: float) -> tuple[Floats, float]:
    """M of all bodies, and by what it was divided."""
    count = len(problem.theta0)
    M = np.zeros((10 * count, 10 * count))
    for i in range(count):
        own = slice(10 * i, 10 * i + 10)
        if problem.W is None:
            M[own, own] = np.eye(10) * size**2
        else:
            M[own, own] = units[i].T @ problem.W[i] @ units[i] * size**2
    M = (M + M.T) / 2
    values = np.linalg.eigvalsh(M)
    weighed = values[values > _WEIGHED * values[-1]]
    weight = float(np.exp(np.mean(np.log(weighed)))) if weighed.size else 1.0
    return M / weight, weight
