"""Many simple shapes at once: what they hold, and how far they reach.

For a model's worth of shapes in a few array operations; `densities` is the batched interface for
bodies. Shapes stand as there: the axis along z, the middle of the length at the origin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats

_CUBIC = np.array(
    [
        (1, 0, 0), (0, 1, 0), (0, 0, 1),  # faces
        (1, 1, 0), (1, 0, 1), (1, 0, -1), (1, -1, 0), (0, 1, 1), (0, 1, -1),  # edges
        (1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1),  # corners
        (2, 1, 0), (2, 0, 1), (2, 0, -1), (2, -1, 0), (1, 2, 0), (1, 0, 2),
        (1, 0, -2), (1, -2, 0), (0, 2, 1), (0, 2, -1), (0, 1, 2), (0, 1, -2),
    ]
)  # fmt: skip
"""(25, 3) axes through the faces, edges and corners of a cube, and twelve between them; of opposite
ones that with a positive first number."""

AXES: Floats = _CUBIC / np.linalg.norm(_CUBIC, axis=1, keepdims=True)
"""(25, 3) unit vectors along which the reach of shapes is measured, x, y, z first. Of points that
lie 10 % of the extent outside of a box, the half-spaces that they bound leave unnoticed, over all
orientations, 1 % beside a rod, 6 % beside a plate and 17 % beside a cube; none where the box lies
along x, y, z."""


class Solids(NamedTuple):
    """Uniform solids of one kind, each with its principal axes along those of its frame.

    Attributes:
        volume: (n,) [m^3].
        height: (n,) coordinate of the centre along z [m].
        variances: (n, 3) second moments about the centre per unit of mass [m^2].
    """

    volume: Floats
    height: Floats
    variances: Floats


class Primitive(NamedTuple):
    """A kind of shape.

    Attributes:
        solid: What shapes of given lengths (n, k) hold.
        support: The greatest d . p (n, m) over the points p of shapes of lengths (n, k) [m], for
            directions d (n, m, 3).
    """

    solid: Callable[[Floats], Solids]
    support: Callable[[Floats, Floats], Floats]


def _columns(lengths: Floats) -> tuple[Floats, Floats]:
    return lengths[..., 0], lengths[..., 1]


def _box(edges: Floats) -> Solids:
    return Solids(edges.prod(axis=-1), np.zeros(len(edges)), edges * edges / 12)


def _ellipsoid(radii: Floats) -> Solids:
    return Solids(4 / 3 * pi * radii.prod(axis=-1), np.zeros(len(radii)), radii * radii / 5)


def _sphere(lengths: Floats) -> Solids:
    return _ellipsoid(np.repeat(lengths, 3, axis=-1))


def _cylinder(lengths: Floats) -> Solids:
    r, h = _columns(lengths)
    return Solids(pi * r * r * h, np.zeros_like(h), _stack(r * r / 4, h * h / 12))


def _capsule(lengths: Floats) -> Solids:
    r, h = _columns(lengths)
    tube, balls = h, 4 / 3 * r  # volumes over pi r^2
    whole = np.where(r > 0, tube + balls, 1.0)
    across = r * r * (tube / 4 + balls / 5) / whole
    # A half ball has its centroid 3 r / 8 beyond its disc, and its second moment there is r^2 / 5.
    ends = h * h / 4 + 3 / 8 * r * h + r * r / 5
    along = (tube * h * h / 12 + balls * ends) / whole
    return Solids(pi * r * r * (tube + balls), np.zeros_like(h), _stack(across, along))


def _cone(lengths: Floats) -> Solids:
    r, h = _columns(lengths)
    return Solids(pi / 3 * r * r * h, -h / 4, _stack(3 / 20 * r * r, 3 / 80 * h * h))


def _stack(across: Floats, along: Floats) -> Floats:
    return np.stack([across, across, along], axis=-1)


def _norm(d: Floats) -> Floats:
    length: Floats = np.sqrt(np.einsum("nmi,nmi->nm", d, d))
    return length


def _box_support(edges: Floats, d: Floats) -> Floats:
    support: Floats = np.einsum("nmi,ni->nm", np.abs(d), edges) / 2
    return support


def _ellipsoid_support(radii: Floats, d: Floats) -> Floats:
    return _norm(d * radii[:, None, :])


def _sphere_support(lengths: Floats, d: Floats) -> Floats:
    return _ellipsoid_support(lengths, d)


def _cylinder_support(lengths: Floats, d: Floats) -> Floats:
    r, h = _columns(lengths[:, None])
    return r * _norm(d[..., :2]) + h / 2 * np.abs(d[..., 2])


def _capsule_support(lengths: Floats, d: Floats) -> Floats:
    r, h = _columns(lengths[:, None])
    return r * _norm(d) + h / 2 * np.abs(d[..., 2])


def _cone_support(lengths: Floats, d: Floats) -> Floats:
    r, h = _columns(lengths[:, None])
    tip = h / 2 * d[..., 2]
    return np.maximum(tip, r * _norm(d[..., :2]) - tip)


PRIMITIVES: Mapping[str, Primitive] = MappingProxyType(
    {
        "box": Primitive(_box, _box_support),
        "sphere": Primitive(_sphere, _sphere_support),
        "ellipsoid": Primitive(_ellipsoid, _ellipsoid_support),
        "cylinder": Primitive(_cylinder, _cylinder_support),
        "capsule": Primitive(_capsule, _capsule_support),
        "cone": Primitive(_cone, _cone_support),
    }
)
"""The kinds that have a volume in closed form, by the names of model.shape.DIMENSIONS."""
