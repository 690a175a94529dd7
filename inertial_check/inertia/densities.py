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
>>> from inertial_check.inertia import densities
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

from inertial_check.arrays.broadcasting import (
    batch_shape,
    expect_shape,
    first_index,
    of_body,
    quiet,
    real_arrays,
)
from inertial_check.arrays.so3 import cross
from inertial_check.arrays.types import Array, ArrayLike, Namespace
from inertial_check.errors import ParameterError
from inertial_check.inertia.ellipsoid_surface import measure_shell
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import inertia_from_second_moment


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
    xp, (edges,), amount = _check_arguments((3,), {"edges": edges}, mass, density)
    a, b, c = (edges[..., i] for i in range(3))
    form = _center_form(xp, a * b * c, a * a / 12, b * b / 12, c * c / 12)
    return _body(xp, form, *amount)


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
    xp, (radii,), amount = _check_arguments((3,), {"radii": radii}, mass, density)
    a, b, c = (radii[..., i] for i in range(3))
    form = _center_form(xp, 4 / 3 * pi * a * b * c, a * a / 5, b * b / 5, c * c / 5)
    return _body(xp, form, *amount)


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
    area, variances = measure_shell(xp, radii)
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
    xp, (r,), amount = _check_arguments((), {"radius": radius}, mass, density)
    form = _center_form(xp, 4 / 3 * pi * r * r * r, *[r * r / 5] * 3)
    return _body(xp, form, *amount)


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
    xp, (r, h), amount = _check_arguments((), {"radius": radius, "length": length}, mass, density)
    form = _center_form(xp, pi * r * r * h, r * r / 4, r * r / 4, h * h / 12)
    return _body(xp, form, *amount)


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
    xp, (r, h), amount = _check_arguments((), {"radius": radius, "length": length}, mass, density)
    balls = _share(xp, 4 / 3 * r, h + 4 / 3 * r)
    across = r * r * (1 / 4 - balls / 20)
    # A half ball has its centroid 3 r / 8 beyond its disc, and its second moment there is r^2 / 5.
    ends = h * h / 4 + 3 / 8 * r * h + r * r / 5
    along = (1 - balls) * h * h / 12 + balls * ends
    form = _center_form(xp, pi * r * r * (h + 4 / 3 * r), across, across, along)
    return _body(xp, form, *amount)


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
    xp, (r, h), amount = _check_arguments((), {"radius": radius, "length": length}, mass, density)
    across = 3 / 20 * r * r
    form = _center_form(xp, pi / 3 * r * r * h, across, across, 3 / 80 * h * h, height=-h / 4)
    return _body(xp, form, *amount)


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


@quiet
def _simplex(
    vertices: ArrayLike, corners: int, mass: ArrayLike | None, density: ArrayLike | None
) -> InertialParameters:
    lengths = {"vertices": vertices}
    xp, (vertices,), amount = _check_arguments((corners, 3), lengths, mass, density, signed=True)
    mean = xp.mean(vertices, axis=-2)
    arm = vertices - mean[..., None, :]
    factor = corners * (corners + 1)
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    variances = tuple(xp.sum(arm[..., i] * arm[..., j], axis=-1) / factor for i, j in pairs)
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
