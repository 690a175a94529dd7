"""Inertial parameters of any density, by Monte Carlo, with the standard error of each number.

m = int rho dr, m c = int rho r dr, I_BBo = int rho (r^x)^T r^x dr (Heins, Rigid Body Inertial
Parameters, eqs. 1-3, and 5-8 about other points). Points drawn uniformly in a region of volume V
turn the integrals into sums over n point masses V rho(r_i) / n: the estimate of a density is itself
a body, consistent whatever n. Uniform solids and shells in closed form: densities, meshes.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import integrals
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inertial_check.arrays.broadcasting import (
    batch_shape,
    expect_shape,
    first_index,
    of_body,
    quiet,
    real_arrays,
)
from inertial_check.arrays.random import uniform
from inertial_check.arrays.types import Array, ArrayLike, Generator, Namespace
from inertial_check.errors import ParameterError
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import inertia_from_second_moment, symmetric


@dataclass(frozen=True, slots=True)
class StandardError:
    """One standard deviation of each number of an estimate; names and units are the estimate's.

    Those of `com` and `inertia_com` are to first order: both divide by the estimated mass.

    Attributes:
        mass: (...,) [kg].
        first_moment: (..., 3) [kg m].
        com: (..., 3) [m].
        inertia_origin: (..., 3, 3) [kg m^2].
        inertia_com: (..., 3, 3) [kg m^2].
    """

    mass: Array
    first_moment: Array
    com: Array
    inertia_origin: Array
    inertia_com: Array


@dataclass(frozen=True, slots=True)
class Estimate:
    """Inertial parameters estimated from random points.

    Attributes:
        parameters: The point masses together, kept about their centre of mass.
        standard_error: How far each number may be from the integral.
    """

    parameters: InertialParameters
    standard_error: StandardError


def integrate(
    density: Callable[[Array], Array],
    lower: ArrayLike,
    upper: ArrayLike,
    rng: Generator,
    count: int = 100_000,
) -> Estimate:
    """Inertial parameters of a density, from points drawn uniformly in a box that holds it all.

    The error falls with 1 / sqrt(count), and grows with what the box holds besides the body.

    Args:
        density: Takes points (..., count, 3) in the body frame [m] and gives densities
            (..., count) [kg/m^3], none negative.
        lower: (..., 3) corner of the box [m].
        upper: (..., 3) opposite corner [m].
        rng: A seed or a numpy.random.Generator, with any array library; a torch.Generator or a JAX
            key, with its own.
        count: Number of points of each body.

    Returns:
        (...,) estimates in the array library of the corners.

    Raises:
        ParameterError: Shapes that do not fit, a box without volume, fewer than two points, a
            density that is negative, not finite, or 0 at all points; names the body.

    Example:
        >>> # A ball of radius 1 m and 3 kg/m^3: 4 pi = 12.57 kg
        >>> ball = lambda points: 3.0 * ((points**2).sum(axis=-1) <= 1)
        >>> found = integrals.integrate(ball, [-1, -1, -1], [1, 1, 1], 0)
        >>> print(abs(found.parameters.mass - 4 * np.pi) < 3 * found.standard_error.mass)
        True
    """
    if not isinstance(count, (int, np.integer)) or count < 2:
        raise ParameterError(f"count is {count!r}, expected an integer of at least 2 points")
    xp, (lower, upper) = real_arrays(lower=lower, upper=upper)
    expect_shape("lower", lower, 3)
    expect_shape("upper", upper, 3)
    batch = batch_shape(lower=lower.shape[:-1], upper=upper.shape[:-1])
    edges = upper - lower
    where = first_index(xp, ~(xp.isfinite(edges) & (edges > 0)))
    if where is not None:
        raise ParameterError(
            f"the box{of_body(where[:-1])} is {float(edges[where])!r} m long in axis {where[-1]}, "
            "expected a positive length: upper above lower"
        )
    share = uniform(rng, (*batch, count, 3), xp, edges)
    points = lower[..., None, :] + edges[..., None, :] * share
    return from_samples(density(points), points, xp.prod(edges, axis=-1))


@quiet
def from_samples(densities: ArrayLike, points: ArrayLike, volume: ArrayLike) -> Estimate:
    """The same, from points that were drawn already, uniformly in a region of known volume.

    Points drawn from the mass itself, more where it is denser, have densities of 1 and the mass in
    the place of the volume.

    Args:
        densities: (..., n) [kg/m^3].
        points: (..., n, 3) p_BoQ_B [m], independent.
        volume: (...,) of the region [m^3].

    Returns:
        (...,) estimates.

    Raises:
        ParameterError: Shapes that do not fit, fewer than two points, a density or volume that is
            negative or not finite, densities that are all 0; names the body.

    Example:
        >>> found = integrals.from_samples([1.0, 1.0], [[1.0, 0, 0], [-1.0, 0, 0]], volume=4.0)
        >>> print(found.parameters.mass, found.parameters.com)
        4.0 [0. 0. 0.]
    """
    xp, (densities, points, volume) = real_arrays(densities=densities, points=points, volume=volume)
    expect_shape("points", points, 3)
    if densities.ndim == 0 or points.ndim == 1 or points.shape[-2] < 2:
        raise ParameterError(
            f"densities {tuple(densities.shape)} and points {tuple(points.shape)} have no axis of "
            "at least two points, expected (..., n) and (..., n, 3)"
        )
    batch_shape(densities=densities.shape, points=points.shape[:-1])
    batch_shape(densities=densities.shape[:-1], volume=volume.shape)
    batch = points.shape[:-2]
    if np.broadcast_shapes(batch, volume.shape, densities.shape[:-1]) != batch:
        raise ParameterError(
            f"volume has shape {tuple(volume.shape)}, and points are {tuple(batch)} bodies"
        )
    count = points.shape[-2]
    _refuse(xp, densities, volume)
    masses = xp.broadcast_to(volume[..., None] * densities / count, points.shape[:-1])
    body = InertialParameters.from_point_masses(masses, points)
    arms = points - body.com[..., None, :]
    mass = body.mass[..., None]
    return Estimate(
        body,
        StandardError(
            mass=_error(xp, masses[..., None])[..., 0],
            first_moment=_error(xp, masses[..., None] * points),
            com=_error(xp, masses[..., None] * arms) / mass,
            inertia_origin=symmetric(_error(xp, _inertias(xp, masses, points))),
            inertia_com=symmetric(_error(xp, _inertias(xp, masses, arms))),
        ),
    )


def _inertias(xp: Namespace, masses: Array, arms: Array) -> Array:
    """The six (..., n, 6) of m (r^x)^T r^x for each point."""
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    moments = [masses * arms[..., i] * arms[..., j] for i, j in pairs]
    return inertia_from_second_moment(xp.stack(moments, axis=-1))


def _error(xp: Namespace, terms: Array) -> Array:
    """Standard deviation (..., k) of the sum of n independent terms (..., n, k)."""
    count = terms.shape[-2]
    deviations = terms - xp.mean(terms, axis=-2, keepdims=True)
    return xp.sqrt(xp.sum(deviations * deviations, axis=-2) * (count / (count - 1)))


def _refuse(xp: Namespace, densities: Array, volume: Array) -> None:
    for name, values, trailing in (("density", densities, 1), ("volume", volume, 0)):
        where = first_index(xp, ~(xp.isfinite(values) & (values >= 0)))
        if where is not None:
            body, at = where[: len(where) - trailing], where[len(where) - trailing :]
            place = f" at point {at[0]}" if at else ""
            raise ParameterError(
                f"{name}{of_body(body)}{place} is {float(values[where])!r}, expected 0 or more"
            )
    where = first_index(xp, xp.all(densities == 0, axis=-1))
    if where is not None:
        raise ParameterError(
            f"the density{of_body(where)} is 0 at all {densities.shape[-1]} points: no mass was "
            "met; draw more points, or in a smaller box"
        )
