"""A joint problem of bodies and their constraints, in units in which everything has size one.

Minimise u^T M u / 2 over the change u of the bodies and the auxiliary y, with g + Gu u + Gy y in a
product of cones. u is svec(L^-1 dPi L^-T) / size for each body, L L^T its reference; the rows of a
block are divided by their length; M has determinant 1 where it is definite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.inertia.representations import LARGEST
from inertial_check.inertia.tolerances import WEIGHED_DIRECTION
from inertial_check.projection.conic.cones import Part, complementarity, distance
from inertial_check.projection.constraint import Block, Cone, Constraint
from inertial_check.projection.quadratic import Quadratic
from inertial_check.projection.svec import (
    FROM_SVEC,
    TO_SVEC,
    Certificate,
    apply,
    congruence,
    factors,
    pack,
)


class Applied(NamedTuple):
    """A constraint on some of the bodies of a joint problem.

    Attributes:
        constraint: The constraint.
        bodies: Indices within the joint problem.
    """

    constraint: Constraint
    bodies: tuple[int, ...]


class JointProblem(NamedTuple):
    """A joint problem in its units.

    Attributes:
        M: (10 n, 10 n) positive semidefinite.
        Gu: (k, 10 n).
        Gy: (k, aux).
        g: (k,).
        parts: The cones of the rows; the first n are Pi - Delta >= 0, body by body.
        theta0: (n, 10) the given bodies [SI].
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
    theta0: Floats
    units: Floats
    inverses: Floats
    size: float
    weight: float

    @property
    def violation(self) -> float:
        """Distance by which the given bodies fail what needs no auxiliary variables."""
        alone = [p for p in self.parts if not self.Gy[p.rows].any()]
        return distance(self.g, tuple(alone))

    def change(self, theta: Floats) -> Floats:
        """Compute the change u (10 n,) that makes these bodies (n, 10)."""
        return self.image(theta - self.theta0)

    def image(self, theta: Floats) -> Floats:
        """Convert bodies, or changes of them, (n, 10) to the units of u (10 n,)."""
        return np.asarray(apply(self.inverses, theta @ TO_SVEC.T).ravel() / self.size)

    def theta(self, u: Floats) -> Floats:
        """Compute the bodies (n, 10) after a change u (10 n,)."""
        steps = np.matmul(self.units, u.reshape(-1, 10, 1))[:, :, 0]
        return np.asarray(self.theta0 + self.size * steps + 0.0)  # no -0

    def multipliers(self, z: Floats) -> Floats:
        """Compute svec (n, 10) of the multipliers Z of Pi - Delta >= 0 [SI] from the rows' z."""
        count = len(self.theta0)
        own = z[: 10 * count].reshape(count, 10) * (self.weight / self.size)
        return np.asarray(np.einsum("nij,ni->nj", congruence(self.inverses), own))


Frames = tuple[Floats, Floats]
"""Factors L (n, 4, 4) of bodies L L^T in whose units a problem is posed, and their inverses."""


def build_joint_problem(
    problem: Quadratic,
    applied: tuple[Applied, ...],
    shifts: Floats,
    frames: Frames | None = None,
) -> JointProblem:
    """Build the problem of these bodies together.

    Args:
        problem: Problem of the bodies.
        applied: The constraints on them, beside Pi - Delta >= 0.
        shifts: (n, 3) p_BoFo_B: the problem is in frames F, the constraints in B, with equal axes.
        frames: Units of the problem; those of its reference by default.
    """
    count = len(problem.theta0)
    L, inverses = factors(problem.reference) if frames is None else frames
    units = np.matmul(FROM_SVEC, congruence(L))
    floor = problem.theta0 @ TO_SVEC.T - pack(problem.Delta)
    given = apply(inverses, floor)
    alpha = float(np.max(L[:, 3, 3] ** 2 + np.sum(L[:, 3, :3] ** 2, axis=1)))
    cones: list[tuple[Cone, int]] = [("psd", 10)] * count
    A, B, b = [np.eye(10 * count)], [np.zeros((10 * count, 0))], [given.ravel()]
    for constraint, bodies in applied:
        blocks = _place(constraint, bodies, problem.theta0, units, shifts)
        cones += [(block.cone, len(block.b)) for block in blocks]
        A += [block.A for block in blocks]
        B.append(alpha * np.concatenate([_pad(block.B, blocks[-1].B.shape[1]) for block in blocks]))
        b += [block.b for block in blocks]
    parts = _part(cones)
    Gu, Gy, g = np.concatenate(A), _join_diagonally(B), np.concatenate(b)
    length = _measure_rows(parts, Gu, Gy)
    Gu, Gy, g = Gu / length[:, None], Gy / length[:, None], g / length
    alone = tuple(part for part in parts if not Gy[part.rows].any())
    size = max(float(np.max(np.linalg.norm(given, axis=1))), distance(g, alone))
    size = size if size > 0 else 1.0
    M, weight = _metric(problem, None if frames is None else L, units, size)
    return JointProblem(
        M,
        Gu,
        Gy,
        g / size,
        parts,
        problem.theta0,
        units,
        inverses,
        size,
        weight,
    )


def _part(cones: list[tuple[Cone, int]]) -> tuple[Part, ...]:
    """Number the rows of cones that stand one under the other."""
    parts, start = [], 0
    for cone, count in cones:
        parts.append(Part(cone, slice(start, start + count)))
        start += count
    return tuple(parts)


def _join_diagonally(matrices: list[Floats]) -> Floats:
    """Join matrices: each has rows and columns of its own."""
    shapes = np.cumsum([(0, 0), *(matrix.shape for matrix in matrices)], axis=0)
    joined = np.zeros(tuple(shapes[-1]))
    for (row, column), matrix in zip(shapes[:-1].tolist(), matrices, strict=True):
        joined[row : row + matrix.shape[0], column : column + matrix.shape[1]] = matrix
    return joined


def _place(
    constraint: Constraint, bodies: tuple[int, ...], theta0: Floats, units: Floats, shifts: Floats
) -> list[Block]:
    """Place the blocks of a constraint on the changes of all bodies.

    Raises:
        OverflowError: Numbers of it whose products float64 cannot hold.
    """
    maps = [np.eye(10) if constraint.in_frame else shift_map(shifts[i]) for i in bodies]
    given = np.stack([H @ theta0[i] for H, i in zip(maps, bodies, strict=True)])
    blocks = constraint.blocks(given)
    own = np.concatenate([block.A for block in blocks])
    largest = np.max(np.abs(own), initial=0.0)
    if not largest <= LARGEST:
        raise OverflowError(f"{constraint!r} has numbers of {largest:.1e}")
    A = np.zeros((len(own), 10 * len(theta0)))
    for k, (H, i) in enumerate(zip(maps, bodies, strict=True)):
        A[:, 10 * i : 10 * i + 10] += own[:, 10 * k : 10 * k + 10] @ (H @ units[i])
    b = own @ given.ravel() + np.concatenate([block.b for block in blocks])
    parts = _part([(block.cone, len(block.b)) for block in blocks])
    return [
        block._replace(A=A[part.rows], b=b[part.rows])
        for block, part in zip(blocks, parts, strict=True)
    ]


def shift_map(p_BoFo_B: Floats) -> Floats:
    """Build the map (10, 10) of theta about Fo to theta about Bo; 1 without a shift."""
    if not p_BoFo_B.any():
        return np.eye(10)
    X_BF = np.eye(4)
    X_BF[:3, 3] = p_BoFo_B
    return np.asarray(FROM_SVEC @ congruence(X_BF[None])[0] @ TO_SVEC)


def row_lengths(cone: Cone, A: Floats, B: Floats) -> Floats:
    """Measure the rows [A B] of one cone: (k,) lengths; that of the longest where it ties them."""
    return _measure_rows((Part(cone, slice(0, len(A))),), A, B)


def _measure_rows(parts: tuple[Part, ...], A: Floats, B: Floats) -> Floats:
    """Measure the rows [A B] of several cones: (k,)."""
    length = np.sqrt(np.einsum("ij,ij->i", A, A) + np.einsum("ij,ij->i", B, B))
    for cone, rows in parts:
        if cone in {"psd", "soc"}:
            length[rows] = np.max(length[rows], initial=0.0)
    return np.where(length > 0, length, 1.0)


def _pad(B: Floats, width: int) -> Floats:
    """Add columns of zeros up to a width."""
    if B.shape[1] == width:
        return B
    wide = np.zeros((len(B), width))
    wide[:, : B.shape[1]] = B
    return wide


def _metric(
    problem: Quadratic, L: Floats | None, units: Floats, size: float
) -> tuple[Floats, float]:
    """Build M of all bodies, and the weight by which it was divided.

    Args:
        problem: Problem of the bodies.
        L: (n, 4, 4) the units, where they are not those of its reference.
        units: (n, 10, 10) maps of these units to theta.
        size: By which svec is divided.
    """
    whiten = None
    if problem.W is None and L is not None:
        whiten = congruence(np.matmul(factors(problem.reference)[1], L)) * size
    count = len(problem.theta0)
    M = np.zeros((10 * count, 10 * count))
    for i in range(count):
        own = slice(10 * i, 10 * i + 10)
        if whiten is not None:
            M[own, own] = whiten[i].T @ whiten[i]
        elif problem.W is None:
            M[own, own] = np.eye(10) * size**2
        else:
            M[own, own] = units[i].T @ problem.W[i] @ units[i] * size**2
    M = (M + M.T) / 2
    values = np.linalg.eigvalsh(M)
    weighed = values[values > WEIGHED_DIRECTION * values[-1]]
    weight = float(np.exp(np.mean(np.log(weighed)))) if weighed.size else 1.0
    return M / weight, weight


class Piece(NamedTuple):
    """The proof of one joint problem.

    Attributes:
        rows: Rows of the batch.
        problem: The problem, in its units.
        y: (aux,) auxiliary variables.
        z: (k,) multipliers of the rows.
    """

    rows: Integers
    problem: JointProblem
    y: Floats
    z: Floats


class Proof(NamedTuple):
    """The multipliers of a batch under constraints, from which its certificate can be computed."""

    pieces: tuple[Piece, ...]

    def certify(self, theta: Floats, *, of_move: bool = False) -> Certificate:
        """Compute by how much bodies (n, 10) fail the optimality conditions.

        The residuals are in the units of each joint problem, whose bodies share them; `of_move`
        divides them by the size of the move there.
        """
        found = Certificate(*np.full((3, len(theta)), np.inf))  # where nothing is proven
        for rows, problem, y, z in self.pieces:
            move = float(np.linalg.norm(problem.change(theta[rows]))) if of_move else 1.0
            for whole, part in zip(found, certify(problem, theta[rows], y, z), strict=True):
                whole[rows] = part / (move if move > 0 else 1.0)
        return found


def certify(problem: JointProblem, theta: Floats, y: Floats, z: Floats) -> Certificate:
    """Compute by how much the bodies (n, 10) of a joint problem fail to be the nearest."""
    u = problem.change(theta)
    s = problem.g + problem.Gu @ u + problem.Gy @ y
    force = np.concatenate([problem.M @ u - problem.Gu.T @ z, problem.Gy.T @ z])
    outside = distance(z, problem.parts, dual=True)
    dual = max(float(np.linalg.norm(force)), outside)
    return Certificate(distance(s, problem.parts), dual, complementarity(s, z, problem.parts))
