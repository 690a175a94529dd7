"""Projections onto products of cones, smoothed where asked, with their generalised Jacobians.

A cone here is one of those of constraints.Block, each its own dual but for {0}: w = s - z with s
its projection and z in the dual cone, orthogonal to s. Smoothed by mu, each eigenvalue l becomes
p(l) = (l + sqrt(l^2 + 4 mu^2)) / 2, and s z = mu^2 1 is the central path.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.projection._constraint import Cone
from inertial_check.solvers.certificate import least_eigenvalue
from inertial_check.solvers.svec import eigenbasis, smooth_positive, symmetric, triangle


class Part(NamedTuple):
    """Consecutive rows that belong to one cone."""

    cone: Cone
    rows: slice


def project(w: Floats, parts: tuple[Part, ...], mu: float = 0.0) -> Floats:
    """Project w (k,) onto the product of the cones."""
    point = np.zeros_like(w)
    for cone, rows in parts:
        if cone != "zero":
            values, spectrum = _decompose(cone, w[rows])
            point[rows] = spectrum.point(smooth_positive(values, mu)[0])
    return point


def slopes(w: Floats, parts: tuple[Part, ...], mu: float = 0.0) -> Floats:
    """Compute the Jacobian (k, k) of the projection at w; a generalised one at a kink."""
    slope = np.zeros((len(w), len(w)))
    for cone, rows in parts:
        if cone != "zero":
            values, spectrum = _decompose(cone, w[rows])
            slope[rows, rows] = spectrum.slope(values, smooth_positive(values, mu)[1])
    return slope


def distance(s: Floats, parts: tuple[Part, ...], *, dual: bool = False) -> float:
    """Measure by eigenvalues how far s leaves the product of the cones, or of their duals."""
    worst = [0.0]
    for cone, rows in parts:
        own = s[rows]
        if cone == "zero":
            worst.append(0.0 if dual else float(np.max(np.abs(own), initial=0.0)))
        elif cone == "nonneg":
            worst.append(float(-np.min(own, initial=0.0)))
        elif cone == "psd":
            worst.append(-least_eigenvalue(own))
        else:
            worst.append(float(np.linalg.norm(own[1:]) - own[0]))
    return max(worst)


def complementarity(s: Floats, z: Floats, parts: tuple[Part, ...]) -> float:
    """Add up |<s, z>| over the cones."""
    return float(sum(abs(s[rows] @ z[rows]) for cone, rows in parts if cone != "zero"))


def _quotients(values: Floats, radius: Floats) -> Floats:
    """Compute divided differences (p(a) - p(b)) / (a - b), derivatives on the diagonal."""
    total = radius[:, None] + radius[None, :]
    return (1 + (values[:, None] + values[None, :]) / np.where(total > 0, total, 1.0)) / 2


class _Spectrum(Protocol):
    """Rows of a cone, seen from their eigenvalues."""

    def point(self, positive: Floats) -> Floats:
        """Build the vector with these eigenvalues."""

    def slope(self, values: Floats, radius: Floats) -> Floats:
        """Compute the Jacobian of the projection."""


class _Signs:
    """Non-negative numbers: each is its own eigenvalue."""

    def point(self, positive: Floats) -> Floats:
        """Build the vector with these eigenvalues."""
        return positive

    def slope(self, values: Floats, radius: Floats) -> Floats:
        """Compute the Jacobian of the projection."""
        return np.diag((1 + values / np.where(radius > 0, radius, 1.0)) / 2)


class _Matrix:
    """Symmetric matrix, by its eigenvectors (n, n)."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self.i, self.j, self.scale = triangle(len(vectors))

    def point(self, positive: Floats) -> Floats:
        """Build the svec with these eigenvalues."""
        matrix = (self.vectors * positive) @ self.vectors.T
        return np.asarray(matrix[self.i, self.j] * self.scale)

    def slope(self, values: Floats, radius: Floats) -> Floats:
        """Compute the Jacobian of the projection: divided differences in the eigenbasis."""
        basis = eigenbasis(self.vectors)
        return np.asarray((basis.T * _quotients(values, radius)[self.i, self.j]) @ basis)


class _Arrow:
    """Vector (t, x), whose eigenvalues are t + |x| and t - |x|, by the direction of x."""

    def __init__(self, direction: Floats) -> None:
        self.direction = direction

    def point(self, positive: Floats) -> Floats:
        """Build the vector with these eigenvalues."""
        high, low = positive
        return np.concatenate([[(high + low) / 2], (high - low) / 2 * self.direction])

    def slope(self, values: Floats, radius: Floats) -> Floats:
        """Compute the Jacobian of the projection."""
        (first, across), (_, second) = _quotients(values, radius)
        mean, half = (first + second) / 2, (first - second) / 2
        outer = np.outer(self.direction, self.direction)
        slope = np.empty((len(outer) + 1,) * 2)
        slope[0, 0] = mean
        slope[0, 1:] = slope[1:, 0] = half * self.direction
        slope[1:, 1:] = across * (np.eye(len(outer)) - outer) + mean * outer
        return slope


def _decompose(cone: Cone, w: Floats) -> tuple[Floats, _Spectrum]:
    """Compute the eigenvalues of the rows of a cone, and what turns eigenvalues into rows again."""
    if cone == "nonneg":
        return w, _Signs()
    if cone == "psd":
        values, vectors = np.linalg.eigh(symmetric(w))
        return values, _Matrix(vectors)
    length = float(np.linalg.norm(w[1:]))
    # At the axis every direction is as good: the projection is the same.
    direction = w[1:] / length if length > 0 else np.eye(len(w) - 1)[0]
    return np.array([w[0] + length, w[0] - length]), _Arrow(direction)
