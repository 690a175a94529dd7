"""Random bodies for tests and experiments: consistent ones with every degeneracy, and broken ones.

A body is drawn by the spreads s_i of its mass along its principal axes (the eigenvalues of S_c),
turned by a uniform rotation and kept about its centre of mass, so that a plate is a plate up to the
rounding of that turn. Scales are drawn log-uniformly: no test is about kilograms and metres only.
NumPy only.

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.inertia import sampling

Inertial parameters of any density, by Monte Carlo, with the standard error of each number.

m = int rho dr, m c = int rho r dr, I_BBo = int rho (r^x)^T r^x dr (Heins, Rigid Body Inertial
Parameters, eqs. 1-3, and 5-8 about other points). Points drawn uniformly in a region of volume V
turn the integrals into sums over n point masses V rho(r_i) / n: the estimate of a density is itself
a body, consistent whatever n. Uniform solids and shells in closed form: densities, meshes.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import sampling as integrals
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    ArrayLike,
    Floats,
    Generator,
    Namespace,
    batch_shape,
    expect_shape,
    first_index,
    of_body,
    quiet,
    real_arrays,
    uniform,
)
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import inertia_from_second_moment, symmetric

Range = tuple[float, float]

Maker = Callable[["np.random.Generator", int], Floats]
Spread = Callable[["np.random.Generator", Floats], Floats]

THINNEST = 1e-12
"""Least relative spread of the near-degenerate strata: still hundreds of float64 floors thick."""


def consistent(
    rng: np.random.Generator | int,
    shape: int | tuple[int, ...] = (),
    *,
    strata: Sequence[str] | None = None,
    mass: Range = (1e-6, 1e6),
    length: Range = (1e-4, 1e2),
    offset: Range = (1e-3, 1e3),
) -> InertialParameters:
    """Bodies that exist: m > 0 and S_c >= 0, singular in the strata plate, rod and point.

    Args:
        rng: A NumPy generator, or a seed for one.
        shape: Of the batch; () for one body.
        strata: Names of STRATA to draw from, equally often; all of them by default. solid: any;
            sphere: equal spreads; round: two equal; thin, needle: nearly a plate, nearly a rod;
            plate, rod, point: no spread along one, two, three axes.
        mass: Range of the mass [kg].
        length: Range of the radius of gyration k [m]; for points only of the scale of the offset.
        offset: Range of |p_BoBcm| / k.

    Returns:
        About the centre of mass, float64. (..., 10) by as_theta.

    Raises:
        ParameterError: Unknown stratum, a range that is not 0 < low <= high.

    Example:
        >>> bodies = sampling.consistent(0, 1000)
        >>> print(len(bodies), bool(ic.check(bodies).consistent.all()))
        1000 True
    """
    expect("texts", "nothing", strata=strata)
    rng, shape = _generator(rng), _shape(shape)
    spreads = _mix_makers(rng, shape, STRATA, strata, "stratum")
    return _bodies(rng, spreads, mass, length, offset)


def inconsistent(  # noqa: PLR0913 - one range per scale, all with a default
    rng: np.random.Generator | int,
    shape: int | tuple[int, ...] = (),
    *,
    kinds: Sequence[str] | None = None,
    violation: Range = (1e-6, 0.9),
    mass: Range = (1e-6, 1e6),
    length: Range = (1e-4, 1e2),
    offset: Range = (1e-3, 1e3),
) -> InertialParameters:
    """Bodies of positive mass that no density has, by a known margin.

    Args:
        rng: A NumPy generator, or a seed for one.
        shape: Of the batch; () for one body.
        kinds: Names of KINDS to draw from, equally often; all of them by default. triangle: one
            negative spread and a positive semidefinite inertia (violation up to 1/3);
            negative-moment: one negative spread and a negative principal moment; two-facets: two
            negative spreads; three-facets: all negative (violation from 1/3).
        violation: Range of -mu = -min s_i / sum |s_i|, within (0, 1], drawn log-uniformly from the
            part of it that the kind can have.
        mass: Range of the mass [kg].
        length: Range of sqrt(sum |s_i|) [m], the radius of gyration if all counted positive.
        offset: Range of |p_BoBcm| over that length.

    Returns:
        About the centre of mass, float64. (..., 10) by as_theta.

    Raises:
        ParameterError: Unknown kind, a range that is not 0 < low <= high, or a violation that a
            kind cannot have.

    Example:
        >>> bodies = sampling.inconsistent(0, 1000, violation=(0.01, 0.1))
        >>> print(bool(ic.check(bodies).consistent.any()))
        False
    """
    expect("texts", "nothing", kinds=kinds)
    rng, shape = _generator(rng), _shape(shape)
    _refuse_range("violation", violation)
    makers: dict[str, Maker] = {}
    for name, (lowest, highest, make) in KINDS.items():
        low, high = max(violation[0], lowest), min(violation[1], highest)
        if low <= high:
            makers[name] = _violating(make, (low, high))
        elif kinds is not None and name in kinds:
            raise ParameterError(
                f"kind {name!r} has violations from {lowest:.3g} to {highest:.3g}, "
                f"none in {violation!r}"
            )
    spreads = _mix_makers(rng, shape, makers, kinds, "kind")
    return _bodies(rng, spreads, mass, length, offset)


def rotations(rng: np.random.Generator | int, shape: int | tuple[int, ...] = ()) -> Floats:
    """Rotation matrices, uniform in SO(3), from normal quaternions.

    Args:
        rng: A NumPy generator, or a seed for one.
        shape: Of the batch.

    Returns:
        (..., 3, 3) orthonormal to rounding, determinant 1.

    Example:
        >>> R = sampling.rotations(0, 5)
        >>> print(R.shape, np.linalg.det(R).round(9))
        (5, 3, 3) [1. 1. 1. 1. 1.]
    """
    quaternion = _generator(rng).normal(size=(*_shape(shape), 4))
    quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _round(rng: np.random.Generator, count: int) -> Floats:
    pair, axis = rng.uniform(0.05, 1, (2, count))
    return np.stack([pair, pair, axis], axis=-1)


def _thin(rng: np.random.Generator, count: int) -> Floats:
    spreads = _plate(rng, count)
    spreads[:, 0] = _log_uniform(rng, (THINNEST, 1e-2), (count,))
    return spreads


def _needle(rng: np.random.Generator, count: int) -> Floats:
    spreads = STRATA["rod"](rng, count)
    spreads[:, :2] = _log_uniform(rng, (THINNEST, 1e-2), (count, 2))
    return spreads


def _plate(rng: np.random.Generator, count: int) -> Floats:
    first = rng.uniform(0.05, 0.95, count)
    return np.stack([np.zeros(count), first, 1 - first], axis=-1)


STRATA: dict[str, Maker] = {
    "solid": lambda rng, count: rng.dirichlet(np.ones(3), count),
    "sphere": lambda rng, count: np.ones((count, 3)),
    "round": _round,
    "thin": _thin,
    "needle": _needle,
    "plate": _plate,
    "rod": lambda rng, count: np.tile([0.0, 0.0, 1.0], (count, 1)),
    "point": lambda rng, count: np.zeros((count, 3)),
}
"""Makers of (count, 3) relative spreads, none negative, by the shape that has them."""


def _triangle(rng: np.random.Generator, v: Floats) -> Floats:
    second = v + rng.uniform(size=v.shape) * (1 - 3 * v)
    return np.stack([-v, second, 1 - v - second], axis=-1)


def _negative_moment(rng: np.random.Generator, v: Floats) -> Floats:
    second = rng.uniform(0, 0.9, v.shape) * np.minimum(v, 1 - v)
    return np.stack([-v, second, 1 - v - second], axis=-1)


def _two_facets(rng: np.random.Generator, v: Floats) -> Floats:
    second = rng.uniform(0.1, 1, v.shape) * np.minimum(v, 1 - v)
    return np.stack([-v, -second, 1 - v - second], axis=-1)


def _three_facets(rng: np.random.Generator, v: Floats) -> Floats:
    low, high = np.maximum(0, 1 - 2 * v), np.minimum(v, 1 - v)
    second = low + rng.uniform(0.1, 0.9, v.shape) * (high - low)
    return np.stack([-v, -second, v + second - 1], axis=-1)


KINDS: dict[str, tuple[float, float, Spread]] = {
    "triangle": (0.0, 1 / 3, _triangle),
    "negative-moment": (0.0, 1.0, _negative_moment),
    "two-facets": (0.0, 1.0, _two_facets),
    "three-facets": (1 / 3, 1.0, _three_facets),
}
"""Least and largest violation of a kind, and the maker of its spreads (count, 3): sum |s_i| = 1."""


def _violating(make: Spread, violation: Range) -> Maker:
    return lambda rng, count: make(rng, _log_uniform(rng, violation, (count,)))


def _mix_makers(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    makers: dict[str, Maker],
    chosen: Sequence[str] | None,
    what: str,
) -> Floats:
    """Relative spreads (*shape, 3), each row from one of the chosen makers, in random order."""
    names = list(makers) if chosen is None else list(chosen)
    for name in names:
        if name not in makers:
            raise ParameterError(f"unknown {what} {name!r}, expected some of {', '.join(makers)}")
    if not names:
        raise ParameterError(f"no {what} to draw from, expected some of {', '.join(makers)}")
    which = rng.integers(len(names), size=prod(shape))
    spreads = np.empty((which.size, 3))
    for i, name in enumerate(names):
        rows = np.flatnonzero(which == i)
        spreads[rows] = makers[name](rng, rows.size)
    return rng.permuted(spreads, axis=-1).reshape(*shape, 3)


def _bodies(
    rng: np.random.Generator, spreads: Floats, mass: Range, length: Range, offset: Range
) -> InertialParameters:
    """Bodies with these relative spreads at random scales, places and attitudes."""
    for name, limits in (("mass", mass), ("length", length), ("offset", offset)):
        _refuse_range(name, limits)
    shape = spreads.shape[:-1]
    size = np.abs(spreads).sum(-1, keepdims=True)
    spreads = spreads / np.where(size > 0, size, 1)
    m, k = _log_uniform(rng, mass, shape), _log_uniform(rng, length, shape)
    direction = rotations(rng, shape)[..., 0]
    com = direction * (k * _log_uniform(rng, offset, shape))[..., None]
    spreads = (m * k * k)[..., None] * spreads
    a, b, c = np.moveaxis(spreads, -1, 0)
    moments = np.stack([b + c, c + a, a + b], axis=-1)
    return InertialParameters.from_principal(m, com, moments, rotations(rng, shape))


def _log_uniform(rng: np.random.Generator, limits: Range, shape: tuple[int, ...]) -> Floats:
    low, high = limits
    return np.clip(np.exp(rng.uniform(np.log(low), np.log(high), shape)), low, high)


def _shape(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    expect("whole", "list", shape=shape)
    axes = (shape,) if isinstance(shape, int) else tuple(shape)
    for axis in axes:
        expect("whole", shape=axis)
    if min(axes, default=0) < 0:
        raise ParameterError(f"shape is {shape!r}, expected lengths of 0 or more")
    return axes


def _generator(rng: np.random.Generator | int) -> np.random.Generator:
    expect("whole", np.random.Generator, "nothing", rng=rng)
    if isinstance(rng, int) and rng < 0:
        raise ParameterError(f"rng is {rng!r}, expected a generator, or a seed of 0 or more")
    return np.random.default_rng(rng)


def _refuse_range(name: str, limits: Range) -> None:
    expect("list", **{name: limits})
    for each in limits:
        expect("number", **{name: each})
    if len(limits) != 2 or not 0 < limits[0] <= limits[1] < np.inf:
        raise ParameterError(f"{name} is {limits!r}, expected a range with 0 < low <= high")


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
    count = points.shape[-2]
    _refuse(xp, densities, volume)
    batch = points.shape[:-2]
    if np.broadcast_shapes(batch, volume.shape, densities.shape[:-1]) != batch:
        raise ParameterError(
            f"volume has shape {tuple(volume.shape)} and densities {tuple(densities.shape)}, but "
            f"points are of a batch of shape {tuple(batch)}"
        )
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
    moments = [masses * arms[..., i] * arms[..., j] for i, j in SIX_PLACES]
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
