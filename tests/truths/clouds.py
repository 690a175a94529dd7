"""Independent truths for tests: bodies as sums over point masses, in floats and in rationals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Sums(NamedTuple):
    mass: float
    first_moment: Floats
    inertia: Floats
    second_moment: Floats
    pseudo_inertia: Floats
    spatial_inertia: Floats  # for twists [w, v]


def skew(r: Any) -> Floats:
    x, y, z = r
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)


def sums(masses: Any, points: Any) -> Sums:
    """Every representation about the origin by its own definition, a loop over the points."""
    mass, first_moment = 0.0, np.zeros(3)
    inertia, second_moment = np.zeros((3, 3)), np.zeros((3, 3))
    pseudo_inertia, spatial_inertia = np.zeros((4, 4)), np.zeros((6, 6))
    for m, r in zip(masses, points, strict=True):
        homogeneous = np.array([*r, 1.0])
        jacobian = np.hstack([-skew(r), np.eye(3)])  # velocity of the point is v - [r]x w
        mass += m
        first_moment = first_moment + m * np.asarray(r)
        inertia = inertia + m * skew(r).T @ skew(r)
        second_moment = second_moment + m * np.outer(r, r)
        pseudo_inertia = pseudo_inertia + m * np.outer(homogeneous, homogeneous)
        spatial_inertia = spatial_inertia + m * jacobian.T @ jacobian
    return Sums(mass, first_moment, inertia, second_moment, pseudo_inertia, spatial_inertia)


def exact_theta(masses: Any, points: Any, about: str) -> list[Fraction]:
    """[m, h, xx, xy, xz, yy, yz, zz] of the given floats without any rounding."""
    weights = [Fraction(float(m)) for m in masses]
    places = [[Fraction(float(x)) for x in r] for r in points]
    mass = sum(weights, Fraction(0))
    h = [
        sum((m * r[i] for m, r in zip(weights, places, strict=True)), Fraction(0)) for i in range(3)
    ]
    point = [x / mass for x in h] if about == "com" else [Fraction(0)] * 3
    six = [Fraction(0)] * 6
    for m, r in zip(weights, places, strict=True):
        x, y, z = (a - b for a, b in zip(r, point, strict=True))
        terms = [y * y + z * z, -x * y, -x * z, z * z + x * x, -y * z, x * x + y * y]
        six = [total + m * term for total, term in zip(six, terms, strict=True)]
    return [mass, *h, *six]


def cloud(
    seed: int, count: int = 9, spread: float = 1.0, at: Any = (0.0, 0.0, 0.0)
) -> tuple[Floats, Floats]:
    """Masses (count,) and points (count, 3) of a lump of size `spread` around `at`."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2.0, count), np.asarray(at) + spread * rng.normal(size=(count, 3))


def six_of(matrix: Any) -> Floats:
    """xx, xy, xz, yy, yz, zz of a matrix."""
    return np.array([matrix[i][j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))])


def theta_of(masses: Any, points: Any) -> Floats:
    """[m, h, six] about the origin."""
    body = sums(masses, points)
    return np.array([body.mass, *body.first_moment, *six_of(body.inertia)])
