"""Inertial parameters of uniform densities: solids and thin shells of simple shapes.

The shapes stand with their centre at the origin of their frame and their axis along z; `transform`
and `+` of InertialParameters place and join them. A density is a mass per volume [kg/m^3] for a
solid and a mass per area [kg/m^2] for a shell; one of mass and density is given. Everything is
batched over leading axes, keeps the caller's array library and precision, and comes back about the
centre of mass. Triangle meshes are in `meshes`.

Each shape is its size (volume or area), its centroid, and its variances: the second moments about
the centroid for unit mass. Those of compound surfaces are mixtures over their pieces.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import solids as densities

Many simple shapes at once: what they hold, and how far they reach.

For a model's worth of shapes in a few array operations; `densities` is the batched interface for
bodies. Shapes stand as there: the axis along z, the middle of the length at the origin.

The surface of an ellipsoid: its area, and the second moments of a uniform thin shell of it.

With n on the unit sphere, the surface at (a n_x, b n_y, c n_z) has the element sqrt(Q) dn, where
Q = x n_x^2 + y n_y^2 + z n_z^2 and x, y, z = (b c)^2, (a c)^2, (a b)^2. Averages over the sphere
are symmetric elliptic integrals: that of sqrt(Q) is R_G, that of 1 / sqrt(Q) is R_F, and that of
n_z^2 / Q^(3/2) is R_D / 3. The divergence theorem on the sphere, for n_i sqrt(Q) and
n_i / sqrt(Q) along the projection of axis i, gives the others from them:

    avg(n_i^2 sqrt(Q))   = (avg(sqrt(Q)) + x_i avg(n_i^2 / sqrt(Q))) / 4
    avg(n_i^2 / sqrt(Q)) = (R_F - x_i avg(n_i^2 / Q^(3/2))) / 2

Source: B. C. Carlson, Numerical computation of real or complex elliptic integrals, Numerical
Algorithms 10 (1995); DLMF, chapter 19.

Uniform solids that have a body's mass and principal moments: what the numbers look like.

The spreads s_i = (J_j + J_k - J_i) / 2 are the eigenvalues of the central second moment. A uniform
box has them with edges sqrt(12 s_i / m), a uniform ellipsoid with semi-axes sqrt(5 s_i / m). Where
no body has the moments, no solid does: those entries are NaN.

The examples of this module continue this session:

>>> from inertial_check.inertia import solids as equivalents
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    ArrayLike,
    Floats,
    Namespace,
    batch_shape,
    expect_shape,
    first_index,
    of_body,
    quiet,
    real_arrays,
)
from inertial_check.inertia.frames import cross
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import inertia_from_second_moment

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


class _Form(NamedTuple):
    """A uniform shape of unit mass.

    Attributes:
        size: (...,) volume [m^3] or area [m^2].
        variances: Six (...,) entries xx, xy, xz, yy, yz, zz about the centroid [m^2].
        centroid: Three (...,) [m].
    """

    size: Array
    variances: tuple[Array, ...]
    centroid: tuple[Array, ...]


class Primitive(NamedTuple):
    """A kind of shape that has a volume in closed form.

    Attributes:
        form: Shape of unit mass, from an array namespace and each of its lengths (...,).
        support: The greatest d . p (n, m) over the points p of shapes of lengths (n, k) [m], for
            directions d (n, m, 3).
    """

    form: Callable[..., _Form]
    support: Callable[[Floats, Floats], Floats]

    def solid(self, lengths: Floats) -> Solids:
        """Measure shapes of these lengths (n, k)."""
        form = self.form(np, *(lengths[:, i] for i in range(lengths.shape[1])))
        xx, _, _, yy, _, zz = form.variances
        height = np.asarray(form.centroid[2])
        return Solids(np.asarray(form.size), height, np.stack([xx, yy, zz], axis=-1))


def _norm(d: Floats) -> Floats:
    length: Floats = np.sqrt(np.einsum("nmi,nmi->nm", d, d))
    return length


def _capsule_form(xp: Namespace, r: Array, h: Array) -> _Form:
    balls = _share(xp, 4 / 3 * r, h + 4 / 3 * r)
    across = r * r * (1 / 4 - balls / 20)
    # A half ball has its centroid 3 r / 8 beyond its disc, and its second moment there is r^2 / 5.
    ends = h * h / 4 + 3 / 8 * r * h + r * r / 5
    along = (1 - balls) * h * h / 12 + balls * ends
    return _center_form(xp, pi * r * r * (h + 4 / 3 * r), across, across, along)


PRIMITIVES: Mapping[str, Primitive] = MappingProxyType(
    {
        "box": Primitive(
            lambda xp, a, b, c: _center_form(xp, a * b * c, a * a / 12, b * b / 12, c * c / 12),
            lambda edges, d: np.einsum("nmi,ni->nm", np.abs(d), edges) / 2,
        ),
        "sphere": Primitive(
            lambda xp, r: _center_form(xp, 4 / 3 * pi * r * r * r, *[r * r / 5] * 3),
            lambda radius, d: _norm(d * radius[:, None, :]),
        ),
        "ellipsoid": Primitive(
            lambda xp, a, b, c: _center_form(
                xp, 4 / 3 * pi * a * b * c, a * a / 5, b * b / 5, c * c / 5
            ),
            lambda radii, d: _norm(d * radii[:, None, :]),
        ),
        "cylinder": Primitive(
            lambda xp, r, h: _center_form(xp, pi * r * r * h, r * r / 4, r * r / 4, h * h / 12),
            lambda rh, d: rh[:, :1] * _norm(d[..., :2]) + rh[:, 1:] / 2 * np.abs(d[..., 2]),
        ),
        "capsule": Primitive(
            _capsule_form, lambda rh, d: rh[:, :1] * _norm(d) + rh[:, 1:] / 2 * np.abs(d[..., 2])
        ),
        "cone": Primitive(
            lambda xp, r, h: _center_form(
                xp,
                pi / 3 * r * r * h,
                3 / 20 * r * r,
                3 / 20 * r * r,
                3 / 80 * h * h,
                height=-h / 4,
            ),
            # Of the tip, or of the rim of the base.
            lambda rh, d: np.maximum(
                rh[:, 1:] / 2 * d[..., 2], rh[:, :1] * _norm(d[..., :2]) - rh[:, 1:] / 2 * d[..., 2]
            ),
        ),
    }
)
"""The kinds that have a volume in closed form, by the names of model.shape.DIMENSIONS."""


_DOUBLINGS = 18
"""Steps of Carlson's duplication: ten halve the exponent of the largest ratio of radii that is not
rounding, and each further one divides the differences by 4, until their sixth power is rounding."""


def _integrate_f(xp: Namespace, x: Array, y: Array, z: Array) -> Array:
    """R_F(x, y, z), by duplication and a series of fifth order (Carlson, eq. 2.12)."""
    for _ in range(_DOUBLINGS):
        step = _step(xp, x, y, z)
        x, y, z = ((each + step) / 4 for each in (x, y, z))
    mean = (x + y + z) / 3
    X, Y = 1 - x / mean, 1 - y / mean
    Z = -X - Y
    E2, E3 = X * Y - Z * Z, X * Y * Z
    series = 1 - E2 / 10 + E3 / 14 + E2 * E2 / 24 - 3 * E2 * E3 / 44
    return series / xp.sqrt(mean)


def _integrate_d(xp: Namespace, x: Array, y: Array, z: Array) -> Array:
    """R_D(x, y, z), which is not symmetric in z (Carlson, eq. 2.30)."""
    total, share = xp.zeros_like(x), 1.0
    for _ in range(_DOUBLINGS):
        step = _step(xp, x, y, z)
        total = total + share / (xp.sqrt(z) * (z + step))
        x, y, z = ((each + step) / 4 for each in (x, y, z))
        share /= 4
    mean = (x + y + 3 * z) / 5
    X, Y = 1 - x / mean, 1 - y / mean
    Z = -(X + Y) / 3
    E2, E3 = X * Y - 6 * Z * Z, (3 * X * Y - 8 * Z * Z) * Z
    E4, E5 = 3 * (X * Y - Z * Z) * Z * Z, X * Y * Z * Z * Z
    series = 1 - 3 * E2 / 14 + E3 / 6 + 9 * E2 * E2 / 88 - 3 * E4 / 22 - 9 * E2 * E3 / 52
    series = series + 3 * E5 / 26
    return 3 * total + share * series / (mean * xp.sqrt(mean))


def _step(xp: Namespace, x: Array, y: Array, z: Array) -> Array:
    p, q, r = xp.sqrt(x), xp.sqrt(y), xp.sqrt(z)
    return p * q + p * r + q * r


def box(
    edges: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """A solid box: variances a^2 / 12.

    Args:
        edges: (..., 3) along x, y, z [m]; one of 0 is a plate, two are a rod.
        mass: (...,) [kg].
        density: (...,) [kg/m^3], instead of the mass.

    Raises:
        ParameterError: Wrong shapes, a length or mass that is negative or not finite (naming the
            body), both or neither of mass and density.

    Example:
        >>> print(densities.box([0.1, 0.2, 0.3], density=1000.0).mass.round(9))
        6.0
        >>> print(np.diag(densities.box([1.0, 2.0, 3.0], mass=12.0).inertia_com))  # b^2 + c^2, ...
        [13. 10.  5.]
    """
    return _make_solid("box", (3,), {"edges": edges}, mass, density)


def box_shell(
    edges: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """The six faces of a box.

    Args:
        edges: (..., 3) along x, y, z [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^2], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> print(densities.box_shell([1.0, 1.0, 1.0], density=2.0).mass)  # kg/m^2 on six faces
        12.0
    """
    xp, (edges,), amount = _check_arguments((3,), {"edges": edges}, mass, density)
    a, b, c = (edges[..., i] for i in range(3))
    area = 2 * (a * b + b * c + c * a)

    def variance(along: Array, one: Array, other: Array) -> Array:
        """The two faces across lie at along / 2, the other four are spread as the solid is."""
        return along * along / 12 * (1 + 2 * _share(xp, 2 * one * other, area))

    form = _center_form(xp, area, variance(a, b, c), variance(b, c, a), variance(c, a, b))
    return _body(xp, form, *amount)


def ellipsoid(
    radii: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """A solid ellipsoid: variances r^2 / 5.

    Args:
        radii: (..., 3) semi-axes along x, y, z [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^3], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> print(densities.ellipsoid([1.0, 2.0, 3.0], mass=5.0).covariance.diagonal())  # r^2 / 5
        [0.2 0.8 1.8]
    """
    return _make_solid("ellipsoid", (3,), {"radii": radii}, mass, density)


def ellipsoid_shell(
    radii: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """The surface of an ellipsoid, of the same thickness everywhere: elliptic integrals.

    A shell between two similar ellipsoids is thinner where it is flatter, and has the variances
    r^2 / 3 instead: a solid `ellipsoid` less a smaller one.

    Args:
        radii: (..., 3) semi-axes along x, y, z [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^2], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> shell = densities.ellipsoid_shell([1.0, 1.0, 1.0], mass=3.0)
        >>> print(shell.covariance.diagonal().round(9))  # of a sphere: r^2 / 3
        [0.33333333 0.33333333 0.33333333]
    """
    xp, (radii,), amount = _check_arguments((3,), {"radii": radii}, mass, density)
    # Area (...,) [m^2] and variances (..., 3) along the axes [m^2], by Carlson's integrals.
    largest = xp.max(radii, axis=-1, keepdims=True)
    unit = xp.where(largest > 0, largest, xp.ones_like(largest))
    # A flat ellipsoid is one of the thickness of rounding, of which all integrals are finite.
    shape = xp.maximum(radii / unit, tolerances.epsilon(radii.dtype, xp) * xp.ones_like(radii))
    a, b, c = (shape[..., i] for i in range(3))
    squares = ((b * c) ** 2, (a * c) ** 2, (a * b) ** 2)
    first = _integrate_f(xp, *squares)
    slopes = []
    for i in range(3):
        x, y, z = (squares[(i + k) % 3] for k in (1, 2, 0))
        slopes.append((first - z * _integrate_d(xp, x, y, z) / 3) / 2)
    mean = sum(x * slope for x, slope in zip(squares, slopes, strict=True))
    moments = [(mean + x * slope) / 4 for x, slope in zip(squares, slopes, strict=True)]
    shares = xp.stack([moment / mean for moment in moments], axis=-1)
    flat = xp.sum(xp.astype(radii > 0, xp.int32), axis=-1) < 2  # a needle or a point
    area = 4 * pi * mean * unit[..., 0] ** 2
    area = xp.where(flat, xp.zeros_like(area), area)
    variances = radii * radii * shares
    form = _center_form(xp, area, *(variances[..., i] for i in range(3)))
    return _body(xp, form, *amount)


def sphere(
    radius: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """A solid ball: variances r^2 / 5.

    Args:
        radius: (...,) [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^3], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> print(densities.sphere(0.5, mass=10.0).principal_moments())  # 2/5 m r^2
        [1. 1. 1.]
    """
    return _make_solid("sphere", (), {"radius": radius}, mass, density)


def sphere_shell(
    radius: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """A sphere: variances r^2 / 3.

    Args:
        radius: (...,) [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^2], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> print(densities.sphere_shell(1.0, mass=3.0).principal_moments())  # 2/3 m r^2
        [2. 2. 2.]
    """
    xp, (r,), amount = _check_arguments((), {"radius": radius}, mass, density)
    form = _center_form(xp, 4 * pi * r * r, *[r * r / 3] * 3)
    return _body(xp, form, *amount)


def cylinder(
    radius: ArrayLike,
    length: ArrayLike,
    *,
    mass: ArrayLike | None = None,
    density: ArrayLike | None = None,
) -> InertialParameters:
    """A solid cylinder along z: variances r^2 / 4, r^2 / 4, h^2 / 12.

    Args:
        radius: (...,) [m].
        length: (...,) [m]; 0 is a disc.
        mass: (...,) [kg].
        density: (...,) [kg/m^3], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> body = densities.cylinder(1.0, 2.0, mass=12.0)
        >>> print(body.inertia_com.diagonal())  # m (r^2 / 4 + h^2 / 12) twice, m r^2 / 2
        [7. 7. 6.]
    """
    return _make_solid("cylinder", (), {"radius": radius, "length": length}, mass, density)


def cylinder_shell(
    radius: ArrayLike,
    length: ArrayLike,
    *,
    mass: ArrayLike | None = None,
    density: ArrayLike | None = None,
) -> InertialParameters:
    """The surface of a cylinder along z, with its two end discs.

    Args:
        radius: (...,) [m].
        length: (...,) [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^2], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> shell = densities.cylinder_shell(1.0, 1.0, density=1.0)
        >>> print((shell.mass / np.pi).round(9))  # 2 r h + 2 r^2
        4.0
    """
    xp, (r, h), amount = _check_arguments((), {"radius": radius, "length": length}, mass, density)
    discs = _share(xp, r, h + r)
    across = r * r * (1 / 2 - discs / 4)
    form = _center_form(xp, 2 * pi * r * (h + r), across, across, h * h * (1 / 12 + discs / 6))
    return _body(xp, form, *amount)


def capsule(
    radius: ArrayLike,
    length: ArrayLike,
    *,
    mass: ArrayLike | None = None,
    density: ArrayLike | None = None,
) -> InertialParameters:
    """A solid cylinder along z between two half balls.

    Args:
        radius: (...,) [m].
        length: (...,) of the cylinder, without the half balls [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^3], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> body = densities.capsule(1.0, 1.0, density=3.0)
        >>> print((body.mass / np.pi).round(9))  # 3 (r^2 h + 4/3 r^3)
        7.0
    """
    return _make_solid("capsule", (), {"radius": radius, "length": length}, mass, density)


def capsule_shell(
    radius: ArrayLike,
    length: ArrayLike,
    *,
    mass: ArrayLike | None = None,
    density: ArrayLike | None = None,
) -> InertialParameters:
    """The surface of a capsule along z.

    Args:
        radius: (...,) [m].
        length: (...,) of the cylinder, without the half spheres [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^2], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> shell = densities.capsule_shell(1.0, 1.0, density=1.0)
        >>> print((shell.mass / np.pi).round(9))  # 2 r h + 4 r^2
        6.0
    """
    xp, (r, h), amount = _check_arguments((), {"radius": radius, "length": length}, mass, density)
    spheres = _share(xp, 2 * r, h + 2 * r)
    across = r * r * (1 / 2 - spheres / 6)
    ends = h * h / 4 + r * h / 2 + r * r / 3
    along = (1 - spheres) * h * h / 12 + spheres * ends
    form = _center_form(xp, 2 * pi * r * (h + 2 * r), across, across, along)
    return _body(xp, form, *amount)


def cone(
    radius: ArrayLike,
    length: ArrayLike,
    *,
    mass: ArrayLike | None = None,
    density: ArrayLike | None = None,
) -> InertialParameters:
    """A solid cone along z, its base at -length / 2 and its tip at +length / 2.

    Args:
        radius: (...,) of the base [m].
        length: (...,) from base to tip [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^3], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> print(densities.cone(1.0, 2.0, mass=1.0).com)  # a quarter of the length above the base
        [ 0.   0.  -0.5]
    """
    return _make_solid("cone", (), {"radius": radius, "length": length}, mass, density)


def cone_shell(
    radius: ArrayLike,
    length: ArrayLike,
    *,
    mass: ArrayLike | None = None,
    density: ArrayLike | None = None,
) -> InertialParameters:
    """The surface of a cone along z with its base, which is at -length / 2.

    Args:
        radius: (...,) of the base [m].
        length: (...,) from base to tip [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^2], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> shell = densities.cone_shell(3.0, 4.0, density=1.0)
        >>> print((shell.mass / np.pi).round(9))  # r times the slant height of 5 m, and r^2
        24.0
    """
    xp, (r, h), amount = _check_arguments((), {"radius": radius, "length": length}, mass, density)
    slant = xp.hypot(r, h)
    base = _share(xp, r, slant + r)
    across = r * r / 4 + xp.zeros_like(base)
    # The lateral surface has its centroid at a third of the height, and h^2 / 18 about it.
    along = (1 - base) * h * h * (1 / 18 + base / 9)
    height = -h / 6 - base * h / 3
    form = _center_form(xp, pi * r * (slant + r), across, across, along, height=height)
    return _body(xp, form, *amount)


def tetrahedron(
    vertices: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """A solid tetrahedron: the covariance of its vertices about their mean, over 20.

    Args:
        vertices: (..., 4, 3) [m]; in one plane they make a plate.
        mass: (...,) [kg].
        density: (...,) [kg/m^3], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> corners = [[0, 0, 0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
        >>> body = densities.tetrahedron(corners, density=6.0)
        >>> print(body.mass.round(9), body.com.round(9))
        1.0 [0.25 0.25 0.25]
    """
    return _simplex(vertices, 4, mass, density)


def triangle(
    vertices: ArrayLike, *, mass: ArrayLike | None = None, density: ArrayLike | None = None
) -> InertialParameters:
    """A thin triangle: the covariance of its vertices about their mean, over 12.

    Args:
        vertices: (..., 3, 3) [m].
        mass: (...,) [kg].
        density: (...,) [kg/m^2], instead of the mass.

    Raises:
        ParameterError: As `box`.

    Example:
        >>> body = densities.triangle([[0, 0, 0], [3.0, 0, 0], [0, 3.0, 0]], density=2.0)
        >>> print(body.mass, body.com)
        9.0 [1. 1. 0.]
    """
    return _simplex(vertices, 3, mass, density)


def _make_solid(
    kind: str,
    trailing: tuple[int, ...],
    lengths: dict[str, ArrayLike],
    mass: ArrayLike | None,
    density: ArrayLike | None,
) -> InertialParameters:
    """Make bodies of one of PRIMITIVES; three lengths along x, y, z may stand in one array."""
    xp, arrays, amount = _check_arguments(trailing, lengths, mass, density)
    each = arrays if trailing == () else [arrays[0][..., i] for i in range(3)]
    return _body(xp, PRIMITIVES[kind].form(xp, *each), *amount)


@quiet
def _simplex(
    vertices: ArrayLike, corners: int, mass: ArrayLike | None, density: ArrayLike | None
) -> InertialParameters:
    lengths = {"vertices": vertices}
    xp, (vertices,), amount = _check_arguments((corners, 3), lengths, mass, density, signed=True)
    mean = xp.mean(vertices, axis=-2)
    arm = vertices - mean[..., None, :]
    factor = corners * (corners + 1)
    variances = tuple(xp.sum(arm[..., i] * arm[..., j], axis=-1) / factor for i, j in SIX_PLACES)
    one, two, *three = (vertices[..., i, :] - vertices[..., 0, :] for i in range(1, corners))
    normal = cross(xp, one, two)
    if three:
        size = xp.abs(xp.sum(normal * three[0], axis=-1)) / 6
    else:
        size = xp.hypot(xp.hypot(normal[..., 0], normal[..., 1]), normal[..., 2]) / 2
    return _body(xp, _Form(size, variances, tuple(mean[..., i] for i in range(3))), *amount)


def _center_form(
    xp: Namespace, size: Array, x: Array, y: Array, z: Array, height: Array | None = None
) -> _Form:
    """A shape whose principal axes are those of its frame, its centroid on z."""
    zero = xp.zeros_like(size)
    centroid = (zero, zero, zero if height is None else height)
    return _Form(size, (x, zero, zero, y, zero, z), centroid)


def _share(xp: Namespace, part: Array, whole: Array) -> Array:
    """The quotient; 0 of nothing."""
    some = whole > 0
    return xp.where(some, part / xp.where(some, whole, xp.ones_like(whole)), xp.zeros_like(part))


@quiet
def _body(xp: Namespace, form: _Form, what: str, amount: Array) -> InertialParameters:
    """The shape with this mass, or density."""
    mass = amount * form.size if what == "density" else amount + xp.zeros_like(form.size)
    variances = xp.stack(xp.broadcast_arrays(*form.variances), axis=-1)
    com = xp.stack(xp.broadcast_arrays(*form.centroid), axis=-1)
    inertia = inertia_from_second_moment(mass[..., None] * variances) + 0.0  # no -0
    return InertialParameters.from_com(mass, com, inertia)


def _check_arguments(
    trailing: tuple[int, ...],
    lengths: dict[str, ArrayLike],
    mass: ArrayLike | None,
    density: ArrayLike | None,
    signed: bool = False,
) -> tuple[Namespace, tuple[Array, ...], tuple[str, Array]]:
    """The array namespace, the lengths, and the name and value of mass or density.

    Args:
        trailing: The last axes of the lengths, which are of one body.
        lengths: By the names that messages call them.
        mass: As given.
        density: As given.
        signed: Whether the lengths are places, which may be negative.
    """
    if (mass is None) == (density is None):
        given = "neither" if mass is None else "both"
        raise ParameterError(f"{given} of mass and density given: give one of them")
    what = "mass" if density is None else "density"
    amount = mass if mass is not None else density
    assert amount is not None  # one of them is given
    xp, (*arrays, amount) = real_arrays(**{**lengths, what: amount})
    batches = {what: amount.shape}
    for name, array in zip(lengths, arrays, strict=True):
        expect_shape(name, array, *trailing)
        batches[name] = array.shape[: array.ndim - len(trailing)]
        _refuse(xp, name, array, len(trailing), signed)
    _refuse(xp, what, amount)
    batch_shape(**batches)
    return xp, tuple(arrays), (what, amount)


def _refuse(
    xp: Namespace, name: str, array: Array, trailing: int = 0, signed: bool = False
) -> None:
    """Refuse what is not finite, or negative; the last axes are of one body."""
    good = xp.isfinite(array)
    where = first_index(xp, ~(good if signed else good & (array >= 0)))
    if where is not None:
        expected = "a finite number" if signed else "0 or a positive number"
        raise ParameterError(
            f"{name}{of_body(where[: len(where) - trailing])} is {float(array[where])!r}, "
            f"expected {expected}"
        )


def equivalent_box(mass: ArrayLike, principal_moments: ArrayLike) -> Array:
    """Edges of the uniform box with this mass and these principal moments.

    Args:
        mass: (...,) [kg].
        principal_moments: (..., 3) about the centre of mass, in any order [kg m^2].

    Returns:
        (..., 3) edges, ascending [m]; 0 for the thickness of a plate (also where rounding has made
        it negative), NaN where the spread is negative or the mass not positive.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # 12 kg: I = (b^2 + c^2, a^2 + c^2, a^2 + b^2) for edges a, b, c
        >>> print(equivalents.equivalent_box(12.0, [13.0, 10.0, 5.0]).round(9))
        [1. 2. 3.]
    """
    return _lengths(mass, principal_moments, 12.0)


def equivalent_ellipsoid(mass: ArrayLike, principal_moments: ArrayLike) -> Array:
    """Semi-axes of the uniform ellipsoid with this mass and these principal moments.

    Args:
        mass: (...,) [kg].
        principal_moments: (..., 3) about the centre of mass, in any order [kg m^2].

    Returns:
        (..., 3) semi-axes, ascending [m]; 0 and NaN as for equivalent_box.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # A ball: each moment is 2/5 m r^2
        >>> print(equivalents.equivalent_ellipsoid(5.0, [2.0, 2.0, 2.0]).round(9))
        [1. 1. 1.]
    """
    return _lengths(mass, principal_moments, 5.0)


@quiet
def radius_of_gyration(mass: ArrayLike, principal_moments: ArrayLike) -> Array:
    """Root mean square distance of the mass from its centre: k = sqrt(tr(S_c) / m).

    Args:
        mass: (...,) [kg].
        principal_moments: (..., 3) about the centre of mass, in any order [kg m^2].

    Returns:
        (...,) [m]; NaN where the moments sum to less than 0 or the mass is not positive.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(equivalents.radius_of_gyration(2.0, [2.0, 1.0, 1.0]))  # tr(S) is tr(I) / 2 = 2
        1.0
    """
    xp, mass, moments = _check_moments(mass, principal_moments)
    return _root(xp, xp.sum(moments, axis=-1) / 2, mass)


@quiet
def _lengths(mass: ArrayLike, principal_moments: ArrayLike, factor: float) -> Array:
    """sqrt(factor s_i / m), ascending."""
    xp, mass, moments = _check_moments(mass, principal_moments)
    moments = xp.sort(moments, axis=-1)
    low, middle, high = (moments[..., i] for i in range(3))
    # The difference first: added to one of the others, a small moment would lose its digits.
    doubled = [low + (middle - high), low + (high - middle), high + (middle - low)]
    spreads = xp.stack(doubled, axis=-1) / 2
    size = xp.sum(xp.abs(spreads), axis=-1, keepdims=True)
    rounding = (spreads < 0) & (spreads >= -tolerances.floor(size))
    spreads = xp.sort(xp.where(rounding, xp.zeros_like(spreads), spreads), axis=-1)
    return _root(xp, factor * spreads, mass[..., None])


def _root(xp: Namespace, moment: Array, mass: Array) -> Array:
    """sqrt(moment / mass), NaN where the moment is negative or the mass not positive."""
    possible = (moment >= 0) & (mass > 0)
    root = xp.sqrt(xp.where(possible, moment / mass, xp.zeros_like(moment)))
    return xp.where(possible, root, xp.full_like(root, xp.nan))


def _check_moments(mass: ArrayLike, principal_moments: ArrayLike) -> tuple[Namespace, Array, Array]:
    xp, (mass, moments) = real_arrays(mass=mass, principal_moments=principal_moments)
    expect_shape("principal_moments", moments, 3)
    batch_shape(mass=mass.shape, principal_moments=moments.shape[:-1])
    return xp, mass, moments
