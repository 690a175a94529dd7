"""Random bodies for tests and experiments: consistent ones with every degeneracy, and broken ones.

A body is drawn by the spreads s_i of its mass along its principal axes (the eigenvalues of S_c),
turned by a uniform rotation and kept about its centre of mass, so that a plate is a plate up to the
rounding of that turn. Scales are drawn log-uniformly: no test is about kilograms and metres only.
NumPy only.

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.inertia import sampling
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, expect
from inertial_check.inertia.parameters import InertialParameters

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


def _solid(rng: np.random.Generator, count: int) -> Floats:
    return rng.dirichlet(np.ones(3), count)


def _sphere(rng: np.random.Generator, count: int) -> Floats:
    return np.ones((count, 3))


def _round(rng: np.random.Generator, count: int) -> Floats:
    pair, axis = rng.uniform(0.05, 1, (2, count))
    return np.stack([pair, pair, axis], axis=-1)


def _thin(rng: np.random.Generator, count: int) -> Floats:
    spreads = _plate(rng, count)
    spreads[:, 0] = _log_uniform(rng, (THINNEST, 1e-2), (count,))
    return spreads


def _needle(rng: np.random.Generator, count: int) -> Floats:
    spreads = _rod(rng, count)
    spreads[:, :2] = _log_uniform(rng, (THINNEST, 1e-2), (count, 2))
    return spreads


def _plate(rng: np.random.Generator, count: int) -> Floats:
    first = rng.uniform(0.05, 0.95, count)
    return np.stack([np.zeros(count), first, 1 - first], axis=-1)


def _rod(rng: np.random.Generator, count: int) -> Floats:
    return np.tile([0.0, 0.0, 1.0], (count, 1))


def _point(rng: np.random.Generator, count: int) -> Floats:
    return np.zeros((count, 3))


STRATA: dict[str, Maker] = {
    "solid": _solid,
    "sphere": _sphere,
    "round": _round,
    "thin": _thin,
    "needle": _needle,
    "plate": _plate,
    "rod": _rod,
    "point": _point,
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
