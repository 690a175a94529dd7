"""Base parameters: the combinations of the parameters that torques can tell apart.

The columns of a regressor depend on each other: many robots cause the same torques. With b
independent columns Y_b, Y = Y_b K and Y theta = Y_b beta, beta = K theta, whatever theta is.

Which columns are taken is a choice. Here it is Gautier's and Khalil's: bodies in their order, from
the base on if they stand so; of each body the inertia, then the first moment, then the mass; then
what is no body. A column that depends on those before it is regrouped into them, so that what a
link shares with the one that carries it counts there. Sources: Gautier, Numerical Calculation of
the Base Inertial Parameters of Robots, 1991; Khalil and Dombre, Modeling, Identification and
Control of Robots, chapter 9.

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.identification.estimation import base
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import read_floats
from inertial_check.arrays.equality import EqualByValue
from inertial_check.arrays.types import ArrayLike, Floats, Integers, Mask
from inertial_check.errors import ParameterError, expect
from inertial_check.identification.estimation.reduction import ROWS, Reduction
from inertial_check.identification.estimation.sampled import Samples, read_reals
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import ORDERS, Order, reorder

PREFERENCE = (4, 5, 6, 7, 8, 9, 1, 2, 3, 0)
"""Entries of theta in order "urdf", those first that are kept rather than regrouped."""

DIGITS = 6
"""Significant digits of the coefficients in names; K has them all."""


class BaseTerm(NamedTuple):
    """A parameter in a base parameter: its coefficient, and the index of its column."""

    coefficient: float
    column: int


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(EqualByValue):
    """Base parameters: the combinations of parameters that torques can tell.

    Attributes:
        K: (b, p) beta = K theta, with ones in the columns of `independent`.
        independent: (b,) indices of the columns of Y that stay.
        names: (b,) the combinations, as "Izz1 + Iyy2 - 0.3 m3".
        columns: (p,) names of the single parameters.
        silent: (p,) which of them no torque shows at all: their columns are zero.
        singular_values: (c,) of the regressor with columns of length one, descending, without the
            silent ones.
        order: Of the last six of each body's columns.
        further: k, how many of the last columns are no body's.
        terms: (b,) the same combinations as coefficients and indices of columns: first the column
            that stays, with 1, then those regrouped into it; coefficients of rounding are left out.
    """

    K: Floats
    independent: Integers
    names: tuple[str, ...]
    columns: tuple[str, ...]
    silent: Mask
    singular_values: Floats
    order: Order = "urdf"
    further: int = 0
    terms: tuple[tuple[BaseTerm, ...], ...] = ()

    def __repr__(self) -> str:
        """The rank and the condition."""
        return f"BaseParameters({self.rank} of {len(self.columns)}, condition {self.condition:.3g})"

    @property
    def rank(self) -> int:
        """How many there are: b."""
        return len(self.independent)

    @cached_property
    def condition(self) -> float:
        """Of the regressor with columns of length one, in the directions that it has."""
        if not self.rank:
            return float("nan")
        return float(self.singular_values[0] / self.singular_values[self.rank - 1])

    def of(self, theta: ArrayLike) -> Floats:
        """The base parameters beta (..., b) of parameters.

        Args:
            theta: (..., p), or (..., L, 10) where there is nothing beside the bodies.

        Raises:
            ParameterError: A shape that does not fit.
        """
        (theta,) = read_floats((), theta=theta)
        array = np.asarray(theta, dtype=np.float64)
        width = len(self.columns)
        if array.ndim >= 2 and array.shape[-1] == 10 and array.shape[-2] * 10 == width:
            array = array.reshape(*array.shape[:-2], width)
        if array.shape[-1:] != (width,):
            raise ParameterError(
                f"theta has shape {array.shape}, expected (..., {width}) or one row of ten numbers "
                "for each body"
            )
        return np.asarray(array @ self.K.T)

    def regressor(self, Y: ArrayLike) -> Floats:
        """Y_b (..., b): the columns that stay of a regressor (..., p), with Y_b beta = Y theta.

        Raises:
            ParameterError: A shape that does not fit.
        """
        (Y,) = read_floats((), Y=Y)
        array = np.asarray(Y, dtype=np.float64)
        if array.shape[-1:] != (len(self.columns),):
            raise ParameterError(
                f"Y has shape {array.shape}, expected (..., {len(self.columns)}), as the regressor "
                "of which these are the base parameters"
            )
        return array[..., self.independent]


def base_parameters(
    Y: ArrayLike | Samples | Reduction,
    bodies: Sequence[str] | None = None,
    nuisance_names: Sequence[str] | None = None,
    order: Order = "urdf",
    tolerance: float = tolerances.RANK,
) -> BaseParameters:
    """Find the combinations of parameters that the torques of a motion can tell apart.

    The rank is that of the motion: what this trajectory does not excite has no column. Columns are
    compared at length one, so units do not matter; a column is zero where it is shorter than
    `tolerance` times the longest column of its kind (masses, first moments, inertias), and all
    columns of a kind are where the longest is so short beside those of the other kinds.

    Args:
        Y: (..., 10 L + k) the regressor, whose rows count one by one; (S, n, 10 L + k) is gone
            through joint by joint; or Samples, or a Reduction.
        bodies: (L,) names; numbers from 1 by default.
        nuisance_names: (k,) of the columns beside the bodies; those of Samples by default.
        order: Of the last six of each body's columns; Samples have their own.
        tolerance: Singular values below it, relative to the largest, are zero.

    Returns:
        The base parameters; Y = Y_b K to rounding.

    Raises:
        ParameterError: Shapes that do not fit, a number that is not finite, a tolerance not
            between 0 and 1.

    Example:
        >>> # A pendulum about y: torque = Iyy du - 9.81 hx cos q + 9.81 hz sin q
        >>> q, du = np.random.default_rng(0).normal(size=(2, 50))
        >>> Y = np.zeros((50, 10))
        >>> Y[:, 1], Y[:, 3], Y[:, 7] = -9.81 * np.cos(q), 9.81 * np.sin(q), du
        >>> found = ic.base_parameters(Y, bodies=["rod"])
        >>> print(found.rank)
        3
        >>> print([name for name in found.names])
        ['Iyy(rod)', 'hx(rod)', 'hz(rod)']
    """
    expect("texts", "nothing", bodies=bodies, nuisance_names=nuisance_names)
    expect("number", tolerance=tolerance)
    if not 0 < tolerance < 1:
        raise ParameterError(f"tolerance is {tolerance!r}, expected a number between 0 and 1")
    if isinstance(Y, Samples):
        order = Y.order
        nuisance_names = Y.nuisance.names if nuisance_names is None else nuisance_names
    reduction = _reduce_rows(Y)
    beside = () if nuisance_names is None else tuple(nuisance_names)
    columns = _name_columns(reduction.columns, bodies, beside, order)
    preferred = _rank_columns(reduction.columns, len(beside), order)
    A = reduction.stack(np.ones(reduction.joints))[0]
    length = np.linalg.norm(A, axis=0)
    heard = _find_excitation(length, len(beside), order, tolerance)
    ranks = np.argsort(preferred)[heard]  # place of each column in the order of preference
    found = _split(A[:, heard] / length[heard], ranks, tolerance)
    places = np.flatnonzero(heard)
    K = np.zeros((len(found.independent), reduction.columns))
    stay, go = places[found.independent], places[found.dependent]
    K[np.arange(len(stay)), stay] = 1.0
    K[:, go] = found.coefficients * (length[go] / length[stay][:, None])
    shown = np.zeros(K.shape, dtype=bool)
    shown[:, go] = np.abs(found.coefficients) > max(found.rounding, tolerance)
    terms = tuple(
        (BaseTerm(1.0, own), *(BaseTerm(float(row[k]), k) for k in np.flatnonzero(mask).tolist()))
        for own, row, mask in zip(stay.tolist(), K, shown, strict=True)
    )
    names = tuple(_combination(columns, own) for own in terms)
    values = found.singular_values
    return BaseParameters(K, stay, names, columns, ~heard, values, order, len(beside), terms)


@dataclass(frozen=True, eq=False)
class _Split:
    """Columns of length one as independent ones and combinations of these.

    Attributes:
        independent: (b,) indices.
        dependent: (c - b,) indices.
        coefficients: (b, c - b) with dependent = independent times these.
        rounding: What coefficients can be by rounding alone.
        singular_values: (c,) of all.
    """

    independent: Integers
    dependent: Integers
    coefficients: Floats
    rounding: float
    singular_values: Floats


def _split(A: Floats, preference: Integers, tolerance: float) -> _Split:
    """Choose among columns of length one; small `preference` stays rather than large."""
    _, values, rows = np.linalg.svd(A, full_matrices=True)
    values = np.append(values, np.zeros(A.shape[1] - len(values)))
    rank = int(np.count_nonzero(values > tolerance * values[0])) if len(values) else 0
    dependent = _choose_dependent(rows[rank:].T, preference)
    by_preference = np.argsort(preference)
    independent = by_preference[~np.isin(by_preference, dependent)]
    Q, R = np.linalg.qr(A[:, independent])
    coefficients = np.linalg.solve(R, Q.T @ A[:, dependent])
    rounding = tolerances.SOLVED_FACTOR * tolerances.epsilon(np.float64, np)
    coefficients[np.abs(coefficients) < rounding] = 0.0
    condition = float(np.linalg.cond(R)) if rank else 1.0
    return _Split(independent, dependent, coefficients, rounding * condition, values)


def _choose_dependent(null: Floats, preference: Integers) -> Integers:
    """Choose the dependent columns by an orthonormal basis (c, d) of the null space.

    The rows of those that go have to be independent. They are taken from the least preferred on,
    each one that keeps tolerances.BASE_PIVOT of what is left: exactly the columns that depend on
    preferred ones, where no coefficient gets too large.
    """
    left, gone = null.copy(), []
    backwards = np.argsort(-preference)
    for _ in range(null.shape[1]):
        size = np.linalg.norm(left, axis=1)
        large = size[backwards] >= tolerances.BASE_PIVOT * size.max()
        column = int(backwards[np.argmax(large)])
        gone.append(column)
        direction = left[column] / size[column]
        left -= np.outer(left @ direction, direction)
        left[column] = 0.0
    return np.array(sorted(gone), dtype=np.intp)


def _reduce_rows(Y: ArrayLike | Samples | Reduction) -> Reduction:
    """Reduce the rows of a regressor to one triangular system for each joint.

    Raises:
        ParameterError: No regressor, or a number that is not finite.
    """
    if isinstance(Y, Reduction):
        return Y
    if isinstance(Y, Samples):
        return Y.reduce()
    array = read_reals("Y", Y)
    if array.ndim < 2 or not array.size:
        raise ParameterError(
            f"Y has shape {array.shape}, expected (..., 10 L + k): a row for each torque, ten "
            "columns for each body"
        )
    if array.ndim != 3:
        array = array.reshape(-1, 1, array.shape[-1])

    def blocks() -> Iterator[tuple[Floats, Floats]]:
        for start in range(0, len(array), ROWS):
            block = array[start : start + ROWS]
            yield block, np.zeros(block.shape[:2])

    return Reduction.of(blocks(), array.shape[2])


def _name_columns(
    width: int, bodies: Sequence[str] | None, beside: tuple[str, ...], order: Order
) -> tuple[str, ...]:
    """Name all columns of the regressor.

    Raises:
        ParameterError: They do not fit the width, or the order is unknown.
    """
    count, rest = divmod(width - len(beside), 10)
    if rest or count < 0:
        raise ParameterError(
            f"the regressor has {width} columns, {len(beside)} of them beside the bodies by "
            "nuisance_names: expected ten for each body and one for each of those names"
        )
    if bodies is not None and len(bodies) != count:
        raise ParameterError(
            f"{len(bodies)} names of bodies, expected {count}: one for ten columns"
        )
    suffixes = [str(i + 1) for i in range(count)] if bodies is None else [f"({b})" for b in bodies]
    reorder(np.zeros(10), "urdf", order)  # refuses an unknown order
    entries = name_entries(order)
    return (*(f"{entry}{suffix}" for suffix in suffixes for entry in entries), *beside)


def name_entries(order: Order) -> tuple[str, ...]:
    """Name the ten entries of theta in an order: m, hx, hy, hz, then the six of the inertia.

    Example:
        >>> print(base.name_entries("mujoco"))
        ('m', 'hx', 'hy', 'hz', 'Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz')
    """
    if not isinstance(order, str) or order not in ORDERS:
        raise ParameterError(f"order is {order!r}, expected one of {', '.join(ORDERS)}")
    return ("m", "hx", "hy", "hz", *(f"I{entry}" for entry in ORDERS[order]))


def _rank_columns(width: int, beside: int, order: Order) -> Integers:
    """Rank all columns: those that are kept rather than regrouped come first."""
    own = [int(place) for place in np.argsort(reorder(np.arange(10.0), "urdf", order))]
    bodies = (width - beside) // 10
    entries = [10 * body + own[entry] for body in range(bodies) for entry in PREFERENCE]
    return np.array([*entries, *range(10 * bodies, width)], dtype=np.intp)


def _find_excitation(length: Floats, beside: int, order: Order, tolerance: float) -> Mask:
    """Find the columns that the motion excites: they are not zero, apart from rounding."""
    count = len(length) - beside
    kinds = np.array([*np.tile([0, 1, 1, 1, *[2] * 6], count // 10), *range(3, 3 + beside)])
    longest = np.zeros(3 + beside)
    np.maximum.at(longest, kinds, length)
    longest[longest <= tolerance * longest.max()] = np.inf  # a kind of rounding only
    return np.asarray(length > tolerance * longest[kinds])


def _combination(columns: tuple[str, ...], terms: Sequence[BaseTerm]) -> str:
    """Write a base parameter in symbols."""
    text = columns[terms[0].column]
    for coefficient, column in terms[1:]:
        factor = f"{abs(coefficient):.{DIGITS}g}"
        text += f" {'-' if coefficient < 0 else '+'} {'' if factor == '1' else factor + ' '}"
        text += columns[column]
    return text
