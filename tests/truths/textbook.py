"""Densities inside shapes as papers write them: on Pi, with lifted variables of full size.

Nothing of the package: these formulations are what its own, smaller ones are compared with.
"""

from collections.abc import Sequence
from typing import Any

import cvxpy as cp
import numpy as np

from limits import CENTER, CORNERS, CUBE, HALF, POINTS, R

Conditions = list[Any]


def inside(name: str, Pi: Any) -> Conditions:
    """What a density inside the shape of that name (limits.SHAPES) means for Pi (4, 4)."""
    return _WAYS[name](Pi)


def ellipsoid(half: np.ndarray, center: np.ndarray, axes: np.ndarray, Pi: Any) -> Conditions:
    """tr(Pi Q) >= 0 with Q the form that is positive inside; 0 in `half` for no bound that way."""
    shape = axes @ np.diag([0.0 if h == 0 else h**-2.0 for h in half]) @ axes.T
    corner = np.array([[1 - center @ shape @ center]])
    Q = np.block([[-shape, (shape @ center)[:, None]], [(shape @ center)[None], corner]])
    return [Pi >> 0, cp.trace(Q @ Pi) >= 0]


def fan(corners: np.ndarray, Pi: Any) -> Conditions:
    """In a hull: bodies in tetrahedra from its middle to every face, V Y V^T with Y >= 0 twice."""
    from scipy.spatial import ConvexHull

    bodies, found = 0, []
    for face in ConvexHull(corners).simplices:
        tetrahedron = np.concatenate([corners.mean(axis=0)[None], corners[face]])
        V = np.append(tetrahedron.T, np.ones((1, 4)), axis=0)
        Y = cp.Variable((4, 4), PSD=True)
        found.append(Y >= 0)
        bodies = bodies + V @ Y @ V.T
    return [*found, bodies == Pi]


def lasserre(corners: np.ndarray, Pi: Any) -> Conditions:
    """In a hull: moments up to the fourth, localised by every face (order two of the hierarchy).

    A relaxation: necessary, and not sufficient.
    """
    from scipy.spatial import ConvexHull

    linear = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    squares = [_sum(p, q) for i, p in enumerate(linear[1:]) for q in linear[1 + i :]]
    basis = linear + squares
    index: dict[tuple[int, ...], int] = {}
    for p in basis:
        for q in basis:
            index.setdefault(_sum(p, q), len(index))
    y = cp.Variable(len(index))
    moments = [[y[index[_sum(p, q)]] for q in basis] for p in basis]
    found = [cp.bmat(moments) >> 0]
    for *normal, offset in ConvexHull(corners).equations:
        slack = dict(zip(linear, (-offset, *(-n for n in normal)), strict=True))
        local = [
            [sum(c * y[index[_sum(p, q, e)]] for e, c in slack.items()) for q in linear]
            for p in linear
        ]
        found.append(cp.bmat(local) >> 0)
    homogeneous = [*linear[1:], linear[0]]
    own = [[y[index[_sum(p, q)]] for q in homogeneous] for p in homogeneous]
    return [*found, cp.bmat(own) == Pi]


def cylinder(Pi: Any) -> Conditions:
    """Two flat bodies on the end discs, less what is too much along the axis."""
    axis, found = R[:, 2], [Pi >> 0]
    discs = [cp.Variable((4, 4), PSD=True) for _ in range(2)]
    for disc, sign in zip(discs, (1, -1), strict=True):
        end = CENTER + sign * 0.3 * axis
        found.append(disc @ np.append(axis, -axis @ end) == 0)
        found.extend(ellipsoid(np.array([0.1, 0.1, 0]), end, R, disc))
    along = np.append(axis, 0.0)
    return [*found, discs[0] + discs[1] == Pi + cp.Variable(nonneg=True) * np.outer(along, along)]


def capsule(Pi: Any) -> Conditions:
    """A cylinder and two balls."""
    *ends, middle = (cp.Variable((4, 4), symmetric=True) for _ in range(3))
    found = [*cylinder(middle), sum(ends) + middle == Pi]
    for end, sign in zip(ends, (1, -1), strict=True):
        found.extend(ellipsoid(np.full(3, 0.1), CENTER + sign * 0.3 * R[:, 2], R, end))
    return found


def union(Pi: Any) -> Conditions:
    """A ball and a box apart."""
    ball, box = (cp.Variable((4, 4), symmetric=True) for _ in range(2))
    corners = np.array([1.0, 0, 0]) + CUBE * [0.1, 0.2, 0.3]
    return [
        *ellipsoid(np.full(3, 0.1), np.zeros(3), np.eye(3), ball),
        *fan(corners, box),
        ball + box == Pi,
    ]


def polytope_vertices(Pi: Any) -> Conditions:
    """Point masses at the corners with the same m and h, and no less spread."""
    bodies = _point_masses(POINTS)
    return [Pi >> 0, Pi[:, 3] == bodies[:, 3], (bodies - Pi)[:3, :3] >> 0]


def box_vertices(Pi: Any) -> Conditions:
    """Point masses at the corners with the same m, h and products, and no less along the axes."""
    X_EB = np.eye(4)
    X_EB[:3, :3], X_EB[:3, 3] = R.T, -R.T @ CENTER
    surplus = X_EB @ (_point_masses(CORNERS) - Pi) @ X_EB.T
    return [Pi >> 0, cp.upper_tri(surplus) == 0, surplus[3, 3] == 0, cp.diag(surplus)[:3] >= 0]


def _point_masses(corners: np.ndarray) -> Any:
    masses = cp.Variable(len(corners), nonneg=True)
    points = np.append(corners, np.ones((len(corners), 1)), axis=1)
    return sum(masses[k] * np.outer(p, p) for k, p in enumerate(points))


def _sum(*exponents: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*exponents, strict=True)))


_WAYS = {
    "ball": lambda Pi: ellipsoid(np.full(3, 0.3), CENTER, np.eye(3), Pi),
    "ellipsoid": lambda Pi: ellipsoid(HALF, CENTER, R, Pi),
    "box": lambda Pi: fan(CORNERS, Pi),
    "box, vertices": box_vertices,
    "polytope": lambda Pi: fan(POINTS, Pi),
    "polytope, vertices": polytope_vertices,
    "cylinder": cylinder,
    "capsule": capsule,
    "union": union,
}
