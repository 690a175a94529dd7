"""Moments of cells with density 1, and the geometry that places them in a body."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.filling.shapes.quadrature import Points
from inertial_check.inertia import tolerances
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Shape


def find_capsule_radius(volume: float, length: float) -> float:
    """The radius of a capsule with a cylinder of this length [m] and this volume [m^3]."""
    # In parts of the length r solves 4/3 r^3 + r^2 = v, which grows with r: one root is positive.
    roots = np.roots([4 / 3, 1.0, 0.0, -volume / (np.pi * length**3)])
    real = roots[np.abs(roots.imag) <= tolerances.REAL_ROOT * np.abs(roots)].real
    return float(np.max(real)) * length


def agree(moments: Floats, whole: Floats) -> bool:
    """Whether cells add up to a whole (1, 10), relative to its volume and size."""
    size = np.abs(moments).sum(axis=0)
    volume, first, second = size[:1], size[1:4].max(keepdims=True), size[4:].max(keepdims=True)
    scale = np.concatenate([volume, np.repeat(first, 3), np.repeat(second, 6)])
    error = np.abs(moments.sum(axis=0) - whole[0])
    return bool(np.all(error <= tolerances.QUADRATURE * scale))


def list_moments(volumes: Floats, points: Floats, second: Floats | None = None) -> Floats:
    """(n, 10) inertial parameters of cells with density 1 about the origin.

    Args:
        volumes: (n,) [m^3].
        points: (n, 3) their centres [m].
        second: (n, 3, 3) their second moments about the origin per volume; None of points.
    """
    if second is None:
        second = np.einsum("ni,nj->nij", points, points)
    trace = np.einsum("nii->n", second)
    inertia = trace[:, None, None] * np.eye(3) - second
    theta: Floats = np.concatenate(
        [np.ones((len(volumes), 1)), points, inertia[:, *np.triu_indices(3)]], axis=1
    )
    return volumes[:, None] * theta


def integrate_form(unit: InertialParameters) -> Floats:
    """The (4, 4) integral of [p, 1] [p, 1]^T over a body of density 1."""
    return np.asarray(unit.pseudo_inertia)


def place_points(points: Points, shape: Shape) -> Points:
    """The same rule in the axes of the body that has the shape."""
    X_BG = homogeneous(shape.R_BG, shape.p_BoGo_B)
    return Points(points.volumes, points.points @ X_BG[:3, :3].T + X_BG[:3, 3])


def rotate_to(axis: Floats) -> Floats:
    """A rotation whose third column is a unit vector."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)  # not zero: the helper is the axis furthest from it
    return np.stack([x, np.cross(axis, x), axis], axis=1)
