"""Projections onto products of cones, smoothed where asked, with their generalised Jacobians.

A cone here is one of those of constraints.Block, each its own dual but for {0}: w = s - z with s
its projection and z in the dual cone, orthogonal to s. Smoothed by mu, each eigenvalue l becomes
p(l) = (l + sqrt(l^2 + 4 mu^2)) / 2, and s z = mu^2 1 is the central path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.projection._constraint import Cone
from inertial_check.solvers.svec import eigenbasis, symmetric, triangle


class Part(NamedTuple):
    """Some consecutive rows that belong to one cone."""

    cone: Cone
    rows: slice


def projected(w: Floats, parts: tuple[Part, ...], mu: float = 0.0) -> Floats:
    """The projection (k,) of w onto the product of the cones."""
    point = np.zeros_like(w)
    for cone, rows in parts:
        if cone != "zero":
            values, assemble = _SPECTRA[cone](w[rows])
            point[rows] = assemble.point(_positive(values, mu)[0])
    return point


def slopes(w: Floats, parts: tuple[Part, ...], mu: float = 0.0) -> Floats:
    """The Jacobian (k, k) of the projection at w; one of its generalised ones at a kink."""
    slope = np.zeros((len(w), len(w)))
    for cone, rows in parts:
        if cone != "zero":
            values, assemble = _SPECTRA[cone](w[rows])
            slope[rows, rows] = assemble.slope(values, _positive(values, mu)[1])
    return slope


def distance(s: Floats, parts: tuple[Part, ...], *, dual: bool = False) -> float:
    """How far s leaves the product of the cones, or of their duals, measured by eigenvalues."""
    worst = [0.0]
    for cone, rows in parts:
        own = s[rows]
        if cone == "zero":
            worst.append(0.0 if dual else float(np.max(np.abs(own), initial=0.0)))
        elif cone == "nonneg":
            worst.append(float(-np.min(own, initial=0.0)))
        elif cone == "psd":
            worst.append(-float(np.linalg.eigvalsh(symmetric(own))[0]))
        else:
            worst.append(float(np.linalg.norm(own[1:]) - own[0]))
    return max(worst)


def gaps(s: Floats, z: Floats, parts: tuple[Part, ...]) -> float:
    """Sum of |<s, z>| over the cones."""
    return float(sum(abs(s[rows] @ z[rows]) for cone, rows in parts if cone != "zero"))


def _positive(values: Floats, mu: float) -> tuple[Floats, Floats]:
    """Function p of each eigenvalue, and sqrt(l^2 + 4 mu^2)."""
    radius = np.hypot(values, 2 * mu)
    below = np.where(values > 0, 1.0, radius - values)
    small = 2 * mu**2 / np.where(below > 0, below, 1.0)  # (l + r) / 2 would cancel
    return np.where(values > 0, (values + radius) / 2, small), radius


def _quotients(values: Floats, radius: Floats) -> Floats:
    """Divided differences (p(a) - p(b)) / (a - b), derivatives on the diagonal."""
    total = radius[:, None] + radius[None, :]
    return (1 + (values[:, None] + values[None, :]) / np.where(total > 0, total, 1.0)) / 2


class _Signs:
    """Non-negative numbers: each is its own eigenvalue."""

    def point(self, positive: Floats) -> Floats:
        """The vector with these eigenvalues."""
        return positive

    def slope(self, values: Floats, radius: Floats) -> Floats:
        """The Jacobian of the projection."""
        return np.diag((1 + values / np.where(radius > 0, radius, 1.0)) / 2)


class _Matrix:
    """A symmetric matrix by its eigenvectors (n, n)."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self.i, self.j, self.scale = triangle(len(vectors))

    def point(self, positive: Floats) -> Floats:
        """The svec with these eigenvalues."""
        matrix = (self.vectors * positive) @ self.vectors.T
        return np.asarray(matrix[self.i, self.j] * self.scale)

    def slope(self, values: Floats, radius: Floats) -> Floats:
        """The Jacobian of the projection: divided differences in the eigenbasis."""
        basis = eigenbasis(self.vectors)
        return np.asarray((basis.T * _quotients(values, radius)[self.i, self.j]) @ basis)


class _Arrow:
    """A vector (t, x), whose eigenvalues are t + |x| and t - |x|, by the direction of x."""

    def __init__(self, direction: Floats) -> None:
        self.direction = direction

    def point(self, positive: Floats) -> Floats:
        """The vector with these eigenvalues."""
        high, low = positive
        return np.concatenate([[(high + low) / 2], (high - low) / 2 * self.direction])

    def slope(self, values: Floats, radius: Floats) -> Floats:
        """The Jacobian of the projection."""
        (first, across), (_, second) = _quotients(values, radius)
        mean, half = (first + second) / 2, (first - second) / 2
        outer = np.outer(self.direction, self.direction)
        slope = np.empty((len(outer) + 1,) * 2)
        slope[0, 0] = mean
        slope[0, 1:] = slope[1:, 0] = half * self.direction
        slope[1:, 1:] = across * (np.eye(len(outer)) - outer) + mean * outer
        return slope


def _of_signs(w: Floats) -> tuple[Floats, _Signs]:
    return w, _Signs()


def _of_matrix(w: Floats) -> tuple[Floats, _Matrix]:
    values, vectors = np.linalg.eigh(symmetric(w))
    return values, _Matrix(vectors)


def _of_arrow(w: Floats) -> tuple[Floats, _Arrow]:
    length = float(np.linalg.norm(w[1:]))
    direction = w[1:] / length if length > 0 else np.eye(len(w) - 1)[0]
    return np.array([w[0] + length, w[0] - length]), _Arrow(direction)


_SPECTRA: dict[str, Callable[[Floats], tuple[Floats, Any]]] = {
    "nonneg": _of_signs,
    "psd": _of_matrix,
    "soc": _of_arrow,
}
"""Eigenvalues of the rows of a cone, and what turns eigenvalues into rows again."""
