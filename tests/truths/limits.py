"""Bodies and problems for the tests of constraints: shapes with points inside, weights by size."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

import inertial_check as ic
from inertial_check.projection.densities import (
    Density,
    DensityInBall,
    DensityInBox,
    DensityInCapsule,
    DensityInCylinder,
    DensityInEllipsoid,
    DensityInPolytope,
    DensityInUnion,
)
from inertial_check.projection.quadratic import Quadratic

METRES = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])


def quadratic(theta: Any, mass: float = 1.0, length: float = 1.0) -> Quadratic:
    """Weighted by a body's size, the same each way."""
    rows = np.asarray(theta, dtype=float).reshape(-1, 10)
    weights = np.diag((mass * length**METRES) ** -2.0)
    reference = np.diag([mass * length**2] * 3 + [mass])
    count = len(rows)
    return Quadratic(
        rows,
        np.tile(weights, (count, 1, 1)),
        np.zeros((count, 4, 4)),
        np.tile(reference, (count, 1, 1)),
    )


def worst(found: Any) -> float:
    """The largest residual."""
    return float(max(value.max() for value in found.certificate))


def of_points(rng: np.random.Generator, points: Any) -> np.ndarray:
    """Theta (10,) of random masses at these points."""
    masses = rng.uniform(0.1, 1, len(points))
    return np.asarray(ic.InertialParameters.from_point_masses(masses, points).as_theta())


class Shape(NamedTuple):
    """A density constraint, points inside its shape, and points on its outermost edge."""

    constraint: Density
    inside: Callable[[np.random.Generator, int], np.ndarray]
    extremes: np.ndarray

    @property
    def middle(self) -> np.ndarray:
        return self.extremes.mean(axis=0)


def _in_ball(rng: np.random.Generator, count: int) -> np.ndarray:
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction * rng.uniform(0, 1, (count, 1)) ** (1 / 3)


def _in_cylinder(rng: np.random.Generator, count: int) -> np.ndarray:
    angle, radius = rng.uniform(0, 2 * np.pi, count), np.sqrt(rng.uniform(0, 1, count))
    return np.stack(
        [radius * np.cos(angle), radius * np.sin(angle), rng.uniform(-1, 1, count)], axis=1
    )


CENTER = np.array([0.1, -0.2, 0.05])
R = np.array([[2.0, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3
HALF = np.array([0.3, 0.2, 0.1])
CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
CORNERS = CENTER + CUBE * HALF @ R.T
POINTS = np.array(
    [[0, 0, 0], [0.3, 0, 0], [0, 0.4, 0], [0, 0, 0.2], [0.3, 0.3, 0.3], [0.1, 0.4, 0.3]]
)
AXES = np.concatenate([np.eye(3), -np.eye(3)])
ROUND = np.array([[np.cos(a), np.sin(a)] for a in np.arange(6) * np.pi / 3])
RIMS = np.array([[x, y, z] for x, y in ROUND for z in (-1, 1)])

SHAPES = {
    "ball": Shape(
        DensityInBall(0.3, CENTER),
        lambda rng, n: CENTER + 0.3 * _in_ball(rng, n),
        CENTER + 0.3 * AXES,
    ),
    "ellipsoid": Shape(
        DensityInEllipsoid(HALF, CENTER, R),
        lambda rng, n: CENTER + _in_ball(rng, n) * HALF @ R.T,
        CENTER + AXES * HALF @ R.T,
    ),
    "box": Shape(
        DensityInBox(HALF, CENTER, R),
        lambda rng, n: CENTER + rng.uniform(-1, 1, (n, 3)) * HALF @ R.T,
        CORNERS,
    ),
    "box, vertices": Shape(
        DensityInBox(HALF, CENTER, R, form="vertices"),
        lambda rng, n: CENTER + rng.uniform(-1, 1, (n, 3)) * HALF @ R.T,
        CORNERS,
    ),
    "polytope": Shape(
        DensityInPolytope(POINTS), lambda rng, n: rng.dirichlet(np.ones(6), n) @ POINTS, POINTS
    ),
    "polytope, vertices": Shape(
        DensityInPolytope(POINTS, form="vertices"),
        lambda rng, n: rng.dirichlet(np.ones(6), n) @ POINTS,
        POINTS,
    ),
    "cylinder": Shape(
        DensityInCylinder(0.1, 0.6, CENTER, R),
        lambda rng, n: CENTER + _in_cylinder(rng, n) * [0.1, 0.1, 0.3] @ R.T,
        CENTER + RIMS * [0.1, 0.1, 0.3] @ R.T,
    ),
    "capsule": Shape(
        DensityInCapsule(0.1, 0.6, CENTER, R),
        lambda rng, n: (
            CENTER + (0.1 * _in_ball(rng, n) + rng.uniform(-0.3, 0.3, (n, 1)) * [0, 0, 1]) @ R.T
        ),
        CENTER + np.array([[0, 0, 0.4], [0, 0, -0.4]]) @ R.T,
    ),
    "union": Shape(
        DensityInUnion((DensityInBall(0.1), DensityInBox([0.1, 0.2, 0.3], [1.0, 0, 0]))),
        lambda rng, n: np.where(
            rng.uniform(size=(n, 1)) < 0.5,
            0.1 * _in_ball(rng, n),
            [1.0, 0, 0] + rng.uniform(-1, 1, (n, 3)) * [0.1, 0.2, 0.3],
        ),
        np.array([1.0, 0, 0]) + CUBE[4:] * [0.1, 0.2, 0.3],
    ),
}


def maximum_over(shape: Density, form: np.ndarray) -> float:
    """The global maximum of [x; 1]^T form [x; 1] over a shape, from its stationary points.

    Written without the moments: pieces are seen from frames in which they are the unit ball, the
    unit cylinder or the corners' simplex.
    """
    pieces = shape.parts() if hasattr(shape, "parts") else (shape,)
    best = -np.inf
    for piece in pieces:
        own = piece.frame().T @ form @ piece.frame()
        if isinstance(piece, DensityInCylinder):
            value = _over_cylinder(own)
        elif isinstance(piece, (DensityInBall, DensityInEllipsoid)):
            value = _over_ball(own)
        elif isinstance(piece, DensityInBox):
            value = maximum_over(piece, form)
        else:
            value = _over_simplex(own)
        best = max(best, value)
    return best


def _over_simplex(form: np.ndarray) -> float:
    """Over barycentric coordinates: the stationary point of every face."""
    best = -np.inf
    for pattern in np.ndindex(2, 2, 2, 2):
        face = np.flatnonzero(pattern)
        if face.size:
            inner = np.ones((face.size + 1,) * 2)
            inner[:-1, :-1], inner[-1, -1] = form[np.ix_(face, face)], 0
            x = np.linalg.solve(inner, np.append(np.zeros(face.size), 1.0))[:-1]
            if x.min() >= 0:
                best = max(best, x @ form[np.ix_(face, face)] @ x)
    return best


def _over_ball(form: np.ndarray) -> float:
    """Over the unit ball of any dimension: |(t 1 - A)^-1 b| = 1 with t >= lmax(A), 0."""
    A, b = form[:-1, :-1], form[:-1, -1]
    values, vectors = np.linalg.eigh(A)
    along = vectors.T @ b

    def length(t: float) -> float:
        return float(np.linalg.norm(along / (t - values)))

    low = max(values[-1], 0.0)
    if values[-1] < 0 and length(0.0) <= 1:
        t = 0.0
    else:
        t = brentq(lambda t: length(t) - 1, low + 1e-12, low + 1 + np.linalg.norm(b), xtol=1e-14)
    x = np.append(vectors @ (along / (t - values)), 1.0)
    return float(x @ form @ x)


def _over_cylinder(form: np.ndarray) -> float:
    """Over x^2 + y^2 <= 1, |z| <= 1: inside, on the two discs, and on the wall."""
    best = -np.inf
    for z in (-1.0, 1.0):
        disc = np.array([[1, 0, 0], [0, 1, 0], [0, 0, z], [0, 0, 1.0]])
        best = max(best, _over_ball(disc.T @ form @ disc))
    inside = np.append(np.linalg.solve(form[:3, :3], -form[:3, 3]), 1.0)
    if np.hypot(*inside[:2]) <= 1 and abs(inside[2]) <= 1:
        best = max(best, inside @ form @ inside)

    def wall(angle: float) -> float:
        x = np.array([np.cos(angle), np.sin(angle), 0, 1.0])
        slope = form[2] @ x
        z = np.clip(-slope / form[2, 2], -1, 1) if form[2, 2] < 0 else np.sign(slope)
        x[2] = z
        return float(x @ form @ x)

    angles = np.linspace(0, 2 * np.pi, 721)
    for angle in angles[np.argsort([-wall(a) for a in angles])[:4]]:
        near = minimize_scalar(
            lambda a: -wall(a), bounds=(angle - 0.01, angle + 0.01), method="bounded"
        )
        best = max(best, -near.fun)
    return best
