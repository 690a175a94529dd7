"""Quadrature of primitives: positive weights at points inside, exact to the second order and more.

Every rule is a product of Gauss-Legendre rules and of equal angles, in the frame of the shape as
model.shape.DIMENSIONS has it. Weights add up to the volume [m^3].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats

ALONG = 6
"""Points of a Gauss-Legendre rule along a straight direction: exact to the eleventh degree, and
fine enough that a tilted density keeps four digits of its moments."""

RADIAL = 4
"""Points of a Gauss-Legendre rule along a radius, whose weight r^2 dr takes two of its degrees."""

AROUND = 8
"""Equal angles around an axis: exact for waves up to the seventh."""


class Points(NamedTuple):
    """A quadrature rule: cells with a volume and a point each.

    Attributes:
        volumes: (n,) positive weights [m^3].
        points: (n, 3) points inside the shape [m].
    """

    volumes: Floats
    points: Floats


class _Counts(NamedTuple):
    """Numbers of points of a rule: along straight directions, along radii, around axes."""

    along: int
    radial: int
    around: int


def fill_primitive(kind: str, dimensions: tuple[float, ...], fineness: int = 1) -> Points | None:
    """Make the quadrature rule of a primitive; None of a kind without a volume.

    Args:
        kind: Kind of the shape.
        dimensions: Its dimensions [m].
        fineness: Factor of the number of points along each direction.
    """
    rule = _RULES.get(kind)
    counts = _Counts(ALONG * fineness, RADIAL * fineness, AROUND * fineness)
    return None if rule is None else rule(counts, *dimensions)


def legendre(count: int, lower: float, upper: float) -> tuple[Floats, Floats]:
    """Nodes and weights of the Gauss-Legendre rule between two numbers."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    half = (upper - lower) / 2
    return lower + half * (nodes + 1), half * weights


def _fill_box(counts: _Counts, x: float, y: float, z: float) -> Points:
    axes = [legendre(counts.along, -edge / 2, edge / 2) for edge in (x, y, z)]
    return _product([nodes for nodes, _ in axes], [weights for _, weights in axes])


def _fill_ellipsoid(counts: _Counts, x: float, y: float, z: float) -> Points:
    ball = _fill_ball_zone(counts, -1.0, 1.0, counts.along)
    radii = np.array([x, y, z])
    return Points(ball.volumes * np.prod(radii), ball.points * radii)


def _fill_sphere(counts: _Counts, radius: float) -> Points:
    return _fill_ellipsoid(counts, radius, radius, radius)


def _fill_cylinder(counts: _Counts, radius: float, length: float) -> Points:
    z, along = legendre(counts.along, -length / 2, length / 2)
    disc = _fill_disc(counts)
    return _stack_discs(disc, z, along, np.full(len(z), radius))


def _fill_capsule(counts: _Counts, radius: float, length: float) -> Points:
    parts = [_fill_cylinder(counts, radius, length)] if length > 0 else []
    for sign in (1.0, -1.0):
        half = _fill_ball_zone(counts, 0.0, 1.0, counts.radial)
        points = half.points * [radius, radius, sign * radius] + [0, 0, sign * length / 2]
        parts.append(Points(half.volumes * radius**3, points))
    return join_points(parts)


def _fill_cone(counts: _Counts, radius: float, length: float) -> Points:
    s, along = legendre(counts.along, 0.0, 1.0)  # from the tip, at +length / 2, to the base
    return _stack_discs(_fill_disc(counts), length / 2 - s * length, along * length, radius * s)


def _fill_disc(counts: _Counts) -> Points:
    """The rule of the unit disc, with areas for volumes and z = 0."""
    r, along = legendre(counts.radial, 0.0, 1.0)
    angles = 2 * pi * (np.arange(counts.around) + 0.5) / counts.around
    areas = np.repeat(along * r * 2 * pi / counts.around, counts.around)
    x, y = np.outer(r, np.cos(angles)).ravel(), np.outer(r, np.sin(angles)).ravel()
    return Points(areas, np.stack([x, y, np.zeros_like(x)], axis=1))


def _stack_discs(disc: Points, z: Floats, along: Floats, radii: Floats) -> Points:
    """Discs of these radii at heights z, each as thick as its weight."""
    points = disc.points[None] * np.stack([radii, radii, 0 * radii], axis=1)[:, None]
    points[..., 2] += z[:, None]
    volumes = np.outer(along * radii**2, disc.volumes)
    return Points(volumes.ravel(), points.reshape(-1, 3))


def _fill_ball_zone(counts: _Counts, lower: float, upper: float, count: int) -> Points:
    """The rule of the unit ball where the cosine with z lies between two numbers."""
    r, radial = legendre(counts.radial, 0.0, 1.0)
    cosines, polar = legendre(count, lower, upper)
    angles = 2 * pi * (np.arange(counts.around) + 0.5) / counts.around
    sines = np.sqrt(1 - cosines**2)
    unit = np.stack(
        [
            np.outer(sines, np.cos(angles)),
            np.outer(sines, np.sin(angles)),
            np.repeat(cosines[:, None], counts.around, axis=1),
        ],
        axis=-1,
    ).reshape(-1, 3)
    solid = np.repeat(polar * 2 * pi / counts.around, counts.around)
    volumes = np.outer(radial * r**2, solid).ravel()
    return Points(volumes, (r[:, None, None] * unit[None]).reshape(-1, 3))


def _product(nodes: list[Floats], weights: list[Floats]) -> Points:
    points = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    volumes = np.einsum("i,j,k->ijk", *weights).ravel()
    return Points(volumes, points)


def join_points(parts: list[Points]) -> Points:
    """Put several rules together."""
    return Points(
        np.concatenate([part.volumes for part in parts]),
        np.concatenate([part.points for part in parts]),
    )


_RULES: Mapping[str, Callable[..., Points]] = {
    "box": _fill_box,
    "ellipsoid": _fill_ellipsoid,
    "sphere": _fill_sphere,
    "cylinder": _fill_cylinder,
    "capsule": _fill_capsule,
    "cone": _fill_cone,
}


def contains(kind: str, dimensions: tuple[float, ...], points: Floats) -> npt.NDArray[np.bool_]:
    """Tell which points (n, 3), in the frame of a primitive, lie inside it; (n,) of bool."""
    x, y, z = points.T
    if kind == "box":
        inside = np.all(np.abs(points) <= np.array(dimensions) / 2, axis=1)
    elif kind in ("sphere", "ellipsoid"):
        radii = np.array(dimensions if kind == "ellipsoid" else dimensions * 3)
        inside = np.sum((points / radii) ** 2, axis=1) <= 1
    else:
        radius, length = dimensions
        across = np.hypot(x, y)
        if kind == "cylinder":
            inside = (across <= radius) & (np.abs(z) <= length / 2)
        elif kind == "capsule":
            inside = np.hypot(across, np.maximum(np.abs(z) - length / 2, 0)) <= radius
        else:
            inside = (np.abs(z) <= length / 2) & (across <= radius * (0.5 - z / length))
    return np.asarray(inside)
