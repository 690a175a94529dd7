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
>>> from inertial_check.identification.fit import base

Estimated base parameters with their covariance: the table that identification papers print.

With weighted and independent samples the covariance of least squares is (A_b^T A_b)^-1, A_b being
the columns of the weighted regressor that stay. It counts the samples alone: neither the prior nor
the cones make it smaller. Source: Khalil and Dombre, Modeling, Identification and Control of
Robots, chapter 12.

Spread of the base parameters between runs: each recording alone against all of them together.

The covariance of one fit presumes independent noise. Recordings made apart differ by more: friction
warms up, the payload of a gripper hangs differently, noise has a colour. Cochran's Q, the weighted
squares of the runs' estimates about their mean, says by how much; its root over the degrees of
freedom is the Birge ratio, the factor by which the deviations are too small. Source: R. T. Birge,
The Calculation of Errors by the Method of Least Squares, Phys. Rev. 40 (1932).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.identification.fit.samples import ROWS, Reduction, Samples, read_reals
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    ArrayLike,
    EqualByValue,
    Floats,
    Integers,
    Mask,
    read_floats,
)
from inertial_check.inertia.representations import ORDERS, Order, reorder
from inertial_check.projection.svec import FROM_SVEC, unpack

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
    # Rank all columns: those that are kept rather than regrouped come first.
    width = reduction.columns
    own = [int(place) for place in np.argsort(reorder(np.arange(10.0), "urdf", order))]
    count = (width - len(beside)) // 10
    entries = [10 * body + own[entry] for body in range(count) for entry in PREFERENCE]
    preferred = np.array([*entries, *range(10 * count, width)], dtype=np.intp)
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


_UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)


@dataclass(frozen=True, eq=False, repr=False)
class BaseEstimate(EqualByValue):
    """Estimated base parameters, beta = K theta, and how well the samples decide them.

    Attributes:
        parameters: The base parameters: which columns stay, and what is regrouped into them.
        values: (b,) by weighted least squares: by the samples alone, without prior, cones and
            bounds, so that errors are within three deviations in 99.7 % of all cases [SI].
        covariance: (b, b) covariance of the values [SI].
        identified: (b,) of the identified bodies, friction and other numbers, which prior, cones
            and bounds can move from the values by some deviations [SI].
        further_units: (k,) units of the numbers beside the bodies; "" where they are not known.
    """

    parameters: BaseParameters
    values: Floats
    covariance: Floats
    identified: Floats
    further_units: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show the rank, and how many deviations are below a tenth of their values."""
        sure = int(np.count_nonzero(self.relative_standard_deviation < 10))
        return f"BaseEstimate({len(self)} base parameters, {sure} to better than 10 %)"

    def __str__(self) -> str:
        """Show the table: name, value, standard deviation, per cent."""
        rows = [
            (
                name,
                f"{value:.5g}",
                f"{deviation:.2g}",
                f"{percent:.2g}" if percent < 99.5 else f"{percent:.0f}",
            )
            for name, value, deviation, percent in zip(
                self.names,
                self.values.tolist(),
                self.standard_deviation.tolist(),
                self.relative_standard_deviation.tolist(),
                strict=True,
            )
        ]
        rows.insert(0, ("base parameter", "value", "deviation", "%"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        )

    def __len__(self) -> int:
        """Return the number of base parameters."""
        return len(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        """(b,) the combinations in symbols, as "Iyy(upper) + 0.16 m(lower)"."""
        return self.parameters.names

    @property
    def columns(self) -> tuple[str, ...]:
        """(p,) names of the single parameters: the columns of the regressor."""
        return self.parameters.columns

    @property
    def independent(self) -> Integers:
        """(b,) indices of the columns that stay, the first in each name."""
        return self.parameters.independent

    @property
    def basis(self) -> Floats:
        """(b, p) matrix K with beta = K theta; regressors are Y = Y[:, independent] K."""
        return self.parameters.K

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        return len(self)

    @property
    def condition(self) -> float:
        """Condition number of the regressor of the base parameters, columns of length one."""
        return self.parameters.condition

    @cached_property
    def standard_deviation(self) -> Floats:
        """(b,) roots of the diagonal of the covariance [SI]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @cached_property
    def relative_standard_deviation(self) -> Floats:
        """(b,) standard deviations in per cent of the values; infinite for a value of 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(100 * self.standard_deviation / np.abs(self.values))

    @cached_property
    def correlation(self) -> Floats:
        """(b, b) covariance in units of the standard deviations: ones on the diagonal."""
        sizes = np.where(self.standard_deviation > 0, self.standard_deviation, 1.0)
        return np.asarray(self.covariance / np.multiply.outer(sizes, sizes))

    @property
    def units(self) -> tuple[str, ...]:
        """(b,) SI units; "" for numbers beside the bodies whose unit is not known."""
        count = len(self.columns) - self.parameters.further
        further = self.further_units or ("",) * self.parameters.further
        return tuple(
            _UNITS[column % 10] if column < count else further[column - count]
            for column in self.independent.tolist()
        )


IMPOSSIBLE = 5.0
"""Deviations by which a number lies beyond what bodies can have, before it is marked: the least
of a hundred numbers is four by chance once in 300 times; chosen."""


def find_impossible(base: BaseEstimate, order: Order, lower: Floats, upper: Floats) -> Mask:
    """Find base parameters (b,) that no bodies have, by their sign.

    A combination of the ten parameters of a body is the inner product of its pseudo-inertia and a
    matrix of the coefficients. Where that is positive semidefinite, no body makes it negative.

    Args:
        base: The base parameters.
        order: Of the last six parameters of each body.
        lower: (k,) bounds of the numbers beside the bodies [SI].
        upper: (k,) the same.
    """
    K, count = base.basis, base.basis.shape[1] - base.parameters.further
    bodies = np.asarray(reorder(K[:, :count].reshape(len(K), -1, 10), order, "urdf"))
    sizes = np.linalg.eigvalsh(unpack(bodies @ FROM_SVEC)).reshape(len(K), -1)
    largest = np.abs(sizes).max(axis=1, initial=0.0)[:, None]
    sizes = np.where(np.abs(sizes) > tolerances.RANK * largest, sizes, 0.0)
    impossible = np.zeros(len(K), dtype=bool)
    for sign in (1, -1):
        beside = sign * K[:, count:]
        ends = np.where(beside > 0, lower, np.where(beside < 0, -upper, 0.0))
        never = np.all(sign * sizes >= 0, axis=1) & np.all(ends >= 0, axis=1)
        impossible |= never & (sign * base.values < -IMPOSSIBLE * base.standard_deviation)
    return impossible


def estimate_base(
    reduction: Reduction,
    weights: Floats,
    x: Floats,
    parameters: BaseParameters,
    redundancy: float = 1.0,
) -> BaseEstimate:
    """Estimate base parameters from reduced samples.

    Args:
        reduction: The samples.
        weights: (n,) one over the deviation of each joint's noise [1/(N m)].
        x: (p,) all parameters of the answer in the order of the reduction's columns [SI].
        parameters: Base parameters of joints with a positive weight.
        redundancy: Number of samples that tell as much as one independent sample.
    """
    A, b, _ = reduction.stack(weights)
    kept = A[:, parameters.independent]
    sizes = np.linalg.norm(kept, axis=0)
    # Columns of length one, so that units do not decide how well the triangle can be inverted.
    Q, R = np.linalg.qr(kept / sizes)
    inverse = np.linalg.solve(R, np.eye(len(R))) / sizes[:, None]
    covariance = redundancy * inverse @ inverse.T
    return BaseEstimate(parameters, inverse @ (Q.T @ b), covariance, parameters.of(x))


def find_base(
    reduction: Reduction,
    weights: Floats,
    bodies: Sequence[str],
    further: Sequence[str],
    order: Order,
) -> BaseParameters:
    """Find the base parameters of those joints whose residuals count.

    Args:
        reduction: The samples.
        weights: (n,) weights of the joints; a joint of weight 0 shows nothing.
        bodies: (L,) names.
        further: (k,) names of the numbers beside the bodies.
        order: Order of the last six of each body's columns.
    """
    counted = zip(reduction.systems, (weights > 0).tolist(), strict=True)
    systems = tuple(system for system, counts in counted if counts)
    return base_parameters(Reduction(reduction.columns, systems), bodies, further, order)


class Excess(NamedTuple):
    """Excess of the variances of base parameters by parts of the samples over those by all.

    Attributes:
        usual: Ratio of the variances of most of them, at least 1.
        own: (b,) ratios of each, at least the usual one; above it only where chance is no reason.
    """

    usual: float
    own: Floats


CHANCE = 2.0**-10
"""Probability of what a statistic shows by chance, below which it shows it."""


def measure_excess(
    base: BaseEstimate, parts: Sequence[Reduction], weights: Floats, redundancy: float
) -> Excess:
    """Compare the variances of base parameters with the spread of what parts add to them.

    Each part moves the least squares of all by (A^T A)^-1 times its own A^T r. Noise makes these
    sums as large as the covariance says; residuals with a colour longer than the filter's, or parts
    in which the robot is another, make them larger. Source: K.-Y. Liang, S. L. Zeger, Longitudinal
    data analysis using generalized linear models, Biometrika 73 (1986); for the share that each
    part has in the fit, R. M. Bell, D. F. McCaffrey, Bias reduction in standard errors for linear
    regression with multi-stage samples, Survey Methodology 28 (2002).

    Args:
        base: Base parameters of all samples.
        parts: Reductions of parts that follow each other, which are those of all together.
        weights: (n,) weights of the joints.
        redundancy: Number of samples that tell as much as one independent sample.
    """
    free = len(parts) - 1
    if free < 1 or not len(base):
        return Excess(1.0, np.ones(len(base)))
    # Rounding makes a covariance of many units indefinite: scaled, its eigenvalues are at least 0.
    sizes = np.sqrt(np.diag(base.covariance) / redundancy)
    values, axes = np.linalg.eigh(base.covariance / redundancy / np.outer(sizes, sizes))
    root = sizes[:, None] * axes * np.sqrt(np.maximum(values, 0.0))
    variances = np.zeros(len(base))
    for part in parts:
        A, b, _ = part.stack(weights)
        kept = A[:, base.independent]
        own = kept @ root
        # A part draws the fit to itself: residuals are smaller by the root of 1 - its share of it.
        shares, V = np.linalg.eigh(own.T @ own)
        left = V.T @ (own.T @ (b - kept @ base.values))
        left /= np.sqrt(np.maximum(1 - shares, tolerances.MADE_UP))
        variances += (root @ V @ left) ** 2
    ratios = variances / np.diag(base.covariance)
    median = (1 - 2 / (9 * free)) ** 3  # of chi squared over its degrees of freedom
    usual = max(float(np.median(ratios)) / median, 1.0)
    from scipy.special import chdtri

    return Excess(usual, np.where(ratios > usual * chdtri(free, CHANCE) / free, ratios, usual))


@dataclass(frozen=True, eq=False, repr=False)
class RunSpread(EqualByValue):
    """Base parameters of each run alone, by weighted least squares.

    Attributes:
        base: Base parameters of all runs together.
        values: (r, b) least squares of each run [SI]; NaN where a run alone does not decide one.
        standard_deviation: (r, b) of these values [SI]; infinite where a run does not decide one.
    """

    base: BaseEstimate
    values: Floats
    standard_deviation: Floats

    def __repr__(self) -> str:
        """Show the number of runs and the overall factor."""
        return f"RunSpread({len(self.values)} runs, Birge ratio {self.overall:.3g})"

    @cached_property
    def deviations(self) -> Floats:
        """(r, b) differences from the joint fit, in standard deviations of the difference.

        A run is a part of the joint fit, so the variance of the difference is that of the run less
        that of all. NaN where a run does not decide a parameter, or is all that decides it.
        """
        variance = self.standard_deviation**2 - self.base.standard_deviation**2
        alone = variance <= tolerances.RANK * self.standard_deviation**2
        variance = np.where(alone | ~np.isfinite(variance), np.nan, variance)
        return np.asarray((self.values - self.base.values) / np.sqrt(variance))

    @cached_property
    def birge_ratio(self) -> Floats:
        """(b,) root of Cochran's Q over the degrees of freedom: 1 where only noise differs.

        NaN for a parameter that fewer than two runs decide.
        """
        decided = np.isfinite(self.standard_deviation)
        weights = np.where(decided, 1 / np.where(decided, self.standard_deviation, 1.0) ** 2, 0.0)
        values = np.where(decided, self.values, 0.0)
        total = weights.sum(axis=0)
        mean = np.sum(weights * values, axis=0) / np.where(total > 0, total, 1.0)
        squares = np.sum(weights * (values - mean) ** 2, axis=0)
        free = decided.sum(axis=0) - 1
        return np.where(free > 0, np.sqrt(squares / np.maximum(free, 1)), np.nan)

    @cached_property
    def overall(self) -> float:
        """Root mean square of the Birge ratios of all parameters; NaN if there is none."""
        squares = self.birge_ratio[np.isfinite(self.birge_ratio)] ** 2
        return float(np.sqrt(squares.mean())) if len(squares) else float("nan")


def compare_runs(
    base: BaseEstimate, runs: Sequence[Reduction], weights: Floats, redundancy: float = 1.0
) -> RunSpread:
    """Estimate the base parameters of each run alone.

    Args:
        base: Base parameters of all runs together.
        runs: Reductions of the runs, with the same columns.
        weights: (n,) weights of the joints.
        redundancy: Number of samples that tell as much as one independent sample.

    Raises:
        ParameterError: Fewer than two runs, or one of other parameters.
    """
    if len(runs) < 2:
        raise ParameterError(f"{len(runs)} runs have no spread: expected two or more")
    width = len(base.columns)
    for run in runs:
        if run.columns != width:
            raise ParameterError(f"{run!r} has other columns than the base parameters: {width}")
    found = [_estimate_run(base, run, weights) for run in runs]
    values, deviations = (np.stack(each) for each in zip(*found, strict=True))
    return RunSpread(base, values, np.sqrt(redundancy) * deviations)


def _estimate_run(base: BaseEstimate, run: Reduction, weights: Floats) -> tuple[Floats, Floats]:
    """Estimate (b,) values and deviations of a run, as changes of the joint fit."""
    A, b, _ = run.stack(weights)
    kept = A[:, base.independent]
    # The joint fit's deviations are the units: a direction that this run hardly sees is then one
    # in which it is much less sure than all runs together.
    sizes = base.standard_deviation
    U, s, Vt = np.linalg.svd(kept * sizes, full_matrices=False)
    seen = s > tolerances.RANK * s.max(initial=0.0)
    along = (U.T @ (b - kept @ base.values))[seen] / s[seen]
    change = Vt[seen].T @ along
    variance = (Vt[seen].T ** 2) @ (1 / s[seen] ** 2)
    blind = 1 - np.sum(Vt[seen] ** 2, axis=0) > tolerances.BLIND
    values = np.where(blind, np.nan, base.values + sizes * change)
    return values, np.where(blind, np.inf, sizes * np.sqrt(variance))
