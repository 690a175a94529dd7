"""The nearest consistent inertia in closed form: mass and centre of mass stay, moments move.

Both metrics here keep the principal axes, so a projection acts on the three eigenvalues s of the
central second moment. The bodies with margin mu or more are the cone s_i >= mu (s1 + s2 + s3); its
faces meet a sorted s in a fixed order: the facet of the smallest eigenvalue, then the edge of the
two smallest, then the apex.

A metric at fixed mass and centre of mass is one line in METRICS: `project`, `fix` and tables take
it by its name, in closed form. The name also stands in `metrics.Metric` for type checkers, and with
its help in `programs/cli/options.py` for the command line.

The examples of this module continue this session:

>>> from inertial_check.projection import moments as metrics

The nearest is a function of the eigenvalues of S_c, so its derivative has divided differences
between the axes (Daleckii and Krein 1965). On the boundary of a face it is that of one of the
sides. `Rows` works on the rows of a batch that need it, and leaves every other bit as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertial_check.errors import ParameterError, show_value
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    Namespace,
    array_namespace,
    device_of,
    expect_shape,
    quiet,
    real_arrays,
)
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.derivatives import Arrays, Slope, differentiable, is_traced
from inertial_check.inertia.eigen import (
    CHUNK,
    Vector,
    close_pairs,
    columns,
    eigensystem,
    eigensystem_of_entries,
    eigenvalues,
    in_eigenbasis,
)
from inertial_check.inertia.frames import rotate_tensor
from inertial_check.inertia.representations import (
    Point,
    about_com,
    about_origin,
    second_moment,
    second_moment_entries,
)


@dataclass(frozen=True)
class MomentMetric:
    """||dS||_F^2 + trace_weight tr(dS)^2 of a change dS of S_c, at fixed mass and centre of mass.

    It does not change with the axes, the point of the frame, or the units of mass and length (but
    for one factor), so neither does the nearest body.

    Attributes:
        name: As `project` takes it.
        trace_weight: 1 measures the inertia, since ||dI||_F^2 = ||dS||_F^2 + tr(dS)^2; 0 the
            covariance of the mass.
    """

    name: str
    trace_weight: float

    def distance(self, before: Array, after: Array) -> Array:
        """Length of the change between two inertias (..., 6) [kg m^2]."""
        xp = array_namespace(before, after)
        change = after - before
        largest = xp.max(xp.abs(change), axis=-1)
        # Scaled as hypot is: squares of moments below 1e-154 kg m^2 would be 0.
        unit = xp.where(largest > 0, largest, xp.ones_like(largest))  # no square underflows
        change = second_moment(change / unit[..., None])
        square = inner(change, change) + self.trace_weight * trace(change) ** 2
        return xp.sqrt(square) * largest

    def gradient(self, change: Array) -> Array:
        """Gradient of half the squared length at the change (..., 6) of S_c; the same shape."""
        xp = array_namespace(change)
        weighted = self.trace_weight * trace(change)
        return add_isotropic(xp, change, weighted)


INERTIA = MomentMetric("inertia", 1.0)
COVARIANCE = MomentMetric("covariance", 0.0)

METRICS = {metric.name: metric for metric in (INERTIA, COVARIANCE)}
"""The metrics that `project` offers, by name."""


def find_metric(name: str) -> MomentMetric:
    """The metric of that name.

    Raises:
        ParameterError: No such metric; names those that exist.

    Example:
        >>> print(metrics.find_metric("covariance").name)
        covariance
    """
    if not isinstance(name, str):
        raise ParameterError(f"the name of the metric is {show_value(name)}, expected a text")
    if name not in METRICS:
        raise ParameterError(f"metric is {name!r}; available are {', '.join(map(repr, METRICS))}")
    return METRICS[name]


def trace(six: Array) -> Array:
    """Trace (...,) of symmetric matrices given by six entries."""
    _, (six,) = real_arrays(six=six)
    expect_shape("six", six, 6)
    return six[..., 0] + six[..., 3] + six[..., 5]


def inner(a: Array, b: Array) -> Array:
    """Frobenius inner product (...,) of symmetric matrices given by six entries."""
    _, (a, b) = real_arrays(a=a, b=b)
    expect_shape("a", a, 6)
    expect_shape("b", b, 6)
    diagonal = a[..., 0] * b[..., 0] + a[..., 3] * b[..., 3] + a[..., 5] * b[..., 5]
    return diagonal + 2 * (a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2] + a[..., 4] * b[..., 4])


def add_isotropic(xp: Namespace, six: Array, amount: Array) -> Array:
    """Six entries of A + amount 1."""
    xx, xy, xz, yy, yz, zz = (six[..., i] for i in range(6))
    return xp.stack([xx + amount, xy, xz, yy + amount, yz, zz + amount], axis=-1)


class Rows:
    """The rows that a mask selects: gathered on NumPy, computed beside the others elsewhere.

    Array libraries that trace or compile know no shape that depends on data. There `take` gives all
    rows, with a harmless stand-in where the mask is false, and `put` keeps the others by `where`.

    Attributes:
        mask: (...,) booleans.
    """

    def __init__(self, mask: Array) -> None:
        self.mask = mask
        self._gathers = isinstance(mask, (np.ndarray, np.generic))

    def take(self, array: Array, blank: tuple[float, ...]) -> Array:
        """The rows of array (..., k), (n, k) on NumPy; blank (k,) stands in elsewhere."""
        if self._gathers:
            return array[self.mask]
        xp = array_namespace(array)
        stand_in = xp.asarray(blank, dtype=array.dtype, device=device_of(array))
        return xp.where(self.mask[..., None], array, stand_in)

    def put(self, values: Array, into: Array) -> Array:
        """A copy of `into`, (...,) or (..., k), with these values in the selected rows."""
        if self._gathers:
            result = np.array(into)
            with np.errstate(over="ignore"):  # float32 may have no number as large
                result[self.mask] = values
            return result
        xp = array_namespace(into)
        mask = self.mask if into.ndim == self.mask.ndim else self.mask[..., None]
        return xp.where(mask, values, into)

    @property
    def none(self) -> bool:
        """Known to be empty; False where the library cannot say without looking."""
        return self._gathers and not np.any(self.mask)


ISOTROPIC = 1 / 3
"""The largest margin that a body can have: three equal principal moments."""

BALL = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
"""A harmless theta, consistent about any point, that stands in for rows which are not computed."""

LIFTS = 3
"""Rounds of raising the margin after rounding; one suffices, unless hardly any inertia is left."""


def nearest_inertia(I_BBcm: Array, margin: float = 0.0) -> Array:
    """The nearest inertia that a body can have, by the change of the inertia tensor.

    Minimises ||I' - I_BBcm||_F; one violated facet with slack s = J2 + J3 - J1 < 0 gives
    J1 - |s|/3, J2 + |s|/3, J3 + |s|/3.

    Args:
        I_BBcm: (..., 6) entries xx, xy, xz, yy, yz, zz about the centre of mass [kg m^2], any axes.
        margin: The result has at least this margin, 0 to 1/3.

    Returns:
        (..., 6) about the same point. Rows that are already feasible, or not finite, come back bit
        for bit. The zero tensor is the nearest of those that point away from every body.

    Raises:
        ParameterError: The margin is not in [0, 1/3].
    """
    return nearest_moments(I_BBcm, INERTIA, margin)


def nearest_covariance(I_BBcm: Array, margin: float = 0.0) -> Array:
    """The nearest inertia that a body can have, by the change of the central second moment.

    Minimises ||S' - S_c||_F, S = tr(I)/2 1 - I; with margin 0 it clips the eigenvalues of S_c.
    Takes and gives inertias about the centre of mass, as `nearest_inertia` does.
    """
    return nearest_moments(I_BBcm, COVARIANCE, margin)


def read_margin(margin: float) -> float:
    """The margin as a float.

    Raises:
        ParameterError: Not a number in [0, 1/3].
    """
    try:
        value = float(margin)
    except (TypeError, ValueError):
        value = np.nan
    if not 0 <= value <= ISOTROPIC:
        raise ParameterError(
            f"margin is {margin!r}; it is a number from 0 (plates, rods) to 1/3 (isotropic bodies)"
        )
    return value


def nearest_moments(I_BBcm: Array, metric: MomentMetric, margin: float = 0.0) -> Array:
    """The nearest inertia by any metric of moments; `nearest_inertia` says the rest."""
    margin, xp = read_margin(margin), array_namespace(I_BBcm)
    # Bodies of unit mass at the origin carry the tensors.
    first_moment = xp.zeros_like(I_BBcm[..., :3])
    theta = xp.concat([xp.ones_like(I_BBcm[..., :1]), first_moment, I_BBcm], axis=-1)
    rows = Rows(needs_projection(Consistency(theta, "com"), margin))
    if rows.none:
        return xp.asarray(I_BBcm, copy=True)
    _, after = move_inertias(rows.take(theta, BALL), "com", metric, margin)
    return rows.put(after, I_BBcm)


@quiet
def needs_projection(judged: Consistency, margin: float) -> Array:
    """Rows (...,) that are bodies with less than this margin; with margin 0, by the verdict.

    A positive margin is asked for strictly, save where no result could hold it: there a row is left
    within the numerical floor, or projecting twice would not give what projecting once does. The
    zero tensor has margin 0. An ill-posed row counts by its margin as computed: its verdict says
    that nothing is known.
    """
    code = judged.verdict_code
    if margin > 0:
        floor = judged.tolerance
        xp, body = array_namespace(floor), code <= int(Verdict.ILL_POSED)
        strict = carries(floor) & (floor / 2 <= ISOTROPIC - margin)
        return body & (judged.margin < margin - xp.where(strict, xp.zeros_like(floor), floor))
    bad, unknown = code == int(Verdict.INCONSISTENT), code == int(Verdict.ILL_POSED)
    if isinstance(unknown, (np.ndarray, np.generic)) and not np.any(unknown):
        return bad
    return bad | (unknown & (judged.margin < 0))


def find_unsound(judged: Consistency, margin: float, inside: bool = False) -> Array:
    """Rows (...,) of results that are no body with the margin, so that they cannot be claimed.

    Half the numerical floor covers the rounding of the margin, so that no exact one lies below the
    floor; a result that has to be inside is so in exact arithmetic.
    """
    floor = judged.tolerance
    least = floor / 4 if inside else -floor / 2
    bad = needs_projection(judged, margin) | ~(judged.margin >= least)
    return bad | (judged.verdict_code > int(Verdict.BOUNDARY))


def move_inertias(
    theta: Array, about: Point, metric: MomentMetric, margin: float
) -> tuple[Array, Array]:
    """The projection of rows that need it.

    Args:
        theta: (..., 10) in order urdf, finite, of positive mass.
        about: "origin" or "com".
        metric: Which change is least.
        margin: What the result has at least, both about the centre of mass and after it has moved
            back to `about`; where that move alone costs more than the certificate allows, the
            margin holds within the numerical floor.

    Returns:
        (..., 6) inertias about the centre of mass before and after.
    """
    xp = array_namespace(theta)
    if xp is not np:
        before = central_inertia(theta, about)

        def value(theta: Array, before: Array) -> tuple[Array]:
            return (_move(xp, theta, about, before, metric, margin),)

        (after,) = differentiable(xp, value, slope_of_moments(metric, margin), theta, before)
        return before, after
    starts = range(0, max(len(theta), 1), CHUNK)
    with np.errstate(under="ignore"):
        chunks = [theta[i : i + CHUNK] for i in starts]
        befores = [central_inertia(chunk, about) for chunk in chunks]
        parts = [
            (before, _move(np, chunk, about, before, metric, margin))
            for chunk, before in zip(chunks, befores, strict=True)
        ]
    before, after = (np.concatenate(side) for side in zip(*parts, strict=True))
    return before, after


def central_inertia(theta: Array, about: Point) -> Array:
    """I_BBcm (..., 6) of theta, whose last six are about that point."""
    six = theta[..., 4:]
    return six if about == "com" else about_com(theta[..., 0], theta[..., 1:4], six)


def with_central_inertia(theta: Array, about: Point, I_BBcm: Array) -> Array:
    """Theta (..., 10) with another inertia, given about the centre of mass; m and h stay."""
    xp = array_namespace(theta)
    back = I_BBcm if about == "com" else about_origin(theta[..., 0], theta[..., 1:4], I_BBcm)
    return xp.concat([theta[..., :4], back], axis=-1)


def with_margin(theta: Array, about: Point, I_BBcm: Array, margin: float, turn: int = 1) -> Array:
    """The inertia (..., 6), raised where rounding has left theta less than the margin promised."""
    if is_traced(theta, I_BBcm):  # rounds as a loop, which is compiled once
        from jax.lax import fori_loop

        raised: Array = fori_loop(
            1, LIFTS + 1, lambda k, six: _raise_short(theta, about, six, margin, k)[1], I_BBcm
        )
        return raised
    short, lifted = _raise_short(theta, about, I_BBcm, margin, turn)
    if short.none or turn >= LIFTS:
        return lifted
    again = with_margin(
        short.take(theta, BALL), about, short.take(lifted, BALL[4:]), margin, turn + 1
    )
    return short.put(again, lifted)


def _raise_short(
    theta: Array, about: Point, I_BBcm: Array, margin: float, turn: int
) -> tuple[Rows, Array]:
    """Find the rows that are short of the margin, and raise them by one round's guard."""
    xp = array_namespace(theta)
    judged = Consistency(with_central_inertia(theta, about, I_BBcm), about)
    floor = judged.tolerance
    # A quarter of the floor covers the rounding of the margin, so the exact one is no less.
    least = xp.where(carries(floor), find_goal(margin, floor / 4), margin - floor)
    short = Rows((judged.margin < least) & xp.any(I_BBcm != 0, axis=-1))
    if short.none:
        return short, I_BBcm
    goal = find_goal(margin, turn * guard(floor))
    row = short.take(xp.concat([I_BBcm, goal[..., None]], axis=-1), (*BALL[4:], 0.0))
    return short, short.put(lift(row[..., :6], row[..., 6]), I_BBcm)


def _move(
    xp: Namespace, theta: Array, about: Point, before: Array, metric: MomentMetric, margin: float
) -> Array:
    """Move inertias (..., 6) about the centre of mass, those of theta, onto the cone."""
    one = xp.ones_like(theta[..., 0])
    floor = tolerances.floor(one) if about == "com" else Consistency(theta, about).tolerance
    goal = find_goal(margin, guard(floor))
    return with_margin(theta, about, onto_cone(before, goal, metric), margin)


def onto_cone(I_BBcm: Array, margin: Array, metric: MomentMetric) -> Array:
    """The nearest inertias (..., 6) with margins (...,), in exact arithmetic.

    Formed as I + change, so that a small move keeps its digits: with multipliers z of the violated
    facets, I' = I + (1 - 2 b) tr(Z) 1 - Z, Z = sum z_i v_i v_i^T.
    """
    xp = array_namespace(I_BBcm)
    inertia = columns(I_BBcm)
    spreads = second_moment_entries(inertia)
    # The metrics depend on eigenvalues alone, so the nearest has the same axes (Lewis, SIAM J.
    # Optim. 6, 1996): three numbers are projected instead of six.
    values, rows = eigensystem_of_entries(xp, spreads)
    z1, z2, share, apex = find_multipliers(xp, values, margin, metric.trace_weight)
    isotropic = (1 - 2 * share) * (z1 + z2)
    entries = []
    for k, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
        # The change is summed and not V diag(s') V^T: where it is 1e-12 of I, that product would
        # round the digits of the change away.
        first = z1 * rows[i][0] * rows[j][0]
        dyads = first + z2 * rows[i][1] * rows[j][1]
        moved_entry = inertia[k] + ((isotropic - dyads) if i == j else -dyads)
        entries.append(xp.where(apex, xp.zeros_like(moved_entry), moved_entry))
    return xp.stack(entries, axis=-1)


def find_multipliers(
    xp: Namespace, s: Vector, mu: Array | float, trace_weight: float
) -> tuple[Array, Array, Array | float, Array]:
    """Multipliers of the facets s1 >= mu sum s and s2 >= mu sum s, for s ascending.

    Stationarity reads s' = s + z - b sum(z), so q = s - mu sum(s) becomes q' = q + z - c sum(z).

    Returns:
        z1, z2 (0 where only one facet is violated), b, and whether the nearest is the apex: no
        extreme ray (mu, mu, 1 - 2 mu) of the cone has a positive product with s.
    """
    b = (trace_weight + mu) / (1 + 3 * trace_weight)
    c = mu + b - 3 * mu * b
    low, middle, high = s
    total = low + middle + high
    q1, q2 = low - mu * total, middle - mu * total
    # One facet: q1' = 0 with z2 = 0. c is at most 1/3 for every metric and margin, so neither 1 - c
    # nor 1 - 2 c vanishes.
    facet = xp.where(q1 < 0, -q1, xp.zeros_like(q1)) / (1 - c)
    edge = q2 < c * facet
    both = c / (1 - 2 * c) * (q1 + q2)
    z1 = xp.where(edge, -q1 - both, facet)
    z2 = xp.where(edge, -q2 - both, xp.zeros_like(q2))
    ray = mu * (low + middle) + (1 - 2 * mu) * high + trace_weight * total
    return z1, z2, b, ray <= 0


def lift(I_BBcm: Array, margin: Array) -> Array:
    """Inertias (..., 6) with this margin (...,), by the least mixing with an isotropic one.

    The trace stays; well conditioned up to margin 1/3, where the deviator vanishes exactly.
    """
    xp = array_namespace(I_BBcm)
    s = eigenvalues(second_moment(I_BBcm))
    total = s[..., 0] + s[..., 1] + s[..., 2]
    some = total > 0
    lowest = s[..., 0] / xp.where(some, total, xp.ones_like(total))
    # Convex mixing: the least share grows linearly from `lowest` to 1/3 as the part goes to 1.
    room = xp.where(lowest < margin, ISOTROPIC - lowest, xp.ones_like(lowest))
    part = xp.minimum((margin - lowest) / room, xp.ones_like(room))
    part = xp.where(lowest < margin, part, xp.zeros_like(part))
    part = xp.where(margin < xp.full_like(part, ISOTROPIC), part, xp.ones_like(part))
    mean = trace(I_BBcm) / 3
    mixed = add_isotropic(xp, (1 - part[..., None]) * I_BBcm, part * mean)
    return xp.where(some[..., None], mixed, xp.zeros_like(mixed))


def find_goal(margin: float, guard: Array) -> Array:
    """The margin to aim at, so that rounding leaves at least `margin`."""
    xp = array_namespace(guard)
    return xp.minimum(margin + guard, xp.full_like(guard, ISOTROPIC))


def guard(floor: Array) -> Array:
    """Half the numerical floor: covers rounding, and leaves a projected body on the boundary."""
    xp = array_namespace(floor)
    return xp.where(carries(floor), floor, tolerances.floor(xp.ones_like(floor))) / 2


def carries(floor: Array) -> Array:
    """Rows whose own precision can hold a margin without a move that the certificate would see."""
    xp = array_namespace(floor)
    return floor <= tolerances.PROMISING_FLOOR * float(tolerances.epsilon(floor.dtype, xp) ** 0.5)


def slope_of_moments(metric: MomentMetric, margin: float) -> Slope:
    """Build the derivative of the nearest inertia (..., 6) about the centre of mass.

    Args:
        metric: Metric of moments that was least.
        margin: Margin mu of the results.

    Returns:
        A slope of functions whose last argument is I_BBcm, and whose result is the nearest.
    """

    def slope(arrays: Arrays, results: Arrays, changes: Arrays) -> Arrays:
        # dI' = dI + (1 - 2 b) tr(dZ) 1 - dZ for a change dI (..., 6).
        I_BBcm, dI = arrays[-1], changes[-1]
        xp = array_namespace(I_BBcm)
        values, vectors = eigensystem(second_moment(I_BBcm))
        low, middle, high = (values[..., i] for i in range(3))
        z1, z2, b, apex = find_multipliers(xp, (low, middle, high), margin, metric.trace_weight)
        aa, ab, ac, bb, bc, cc = in_eigenbasis(second_moment(dI), vectors)
        c = margin + b - 3 * margin * b
        total = aa + bb + cc
        r1, r2 = margin * total - aa, margin * total - bb
        zero = xp.zeros_like(z1)
        one_facet, two_facets = (z1 > 0) & ~(z2 > 0), z2 > 0
        common = c / (1 - 2 * c) * (r1 + r2)
        d1 = xp.where(two_facets, r1 + common, xp.where(one_facet, r1 / (1 - c), zero))
        d2 = xp.where(two_facets, r2 + common, zero)
        # Divided differences (f(a) - f(b)) / (a - b) become f' where a and b meet (Higham,
        # Functions of Matrices, 2008, theorem 3.11).
        first, second = close_pairs(values)
        limit = xp.where(two_facets, zero - 1, zero)
        alone = limit if margin == ISOTROPIC else zero

        def divide(numerator: Array, gap: Array, equal: Array, otherwise: Array) -> Array:
            ratio = numerator / xp.where(equal, xp.ones_like(gap), gap)
            return xp.where(equal, otherwise, ratio)

        xy = ab * divide(z1 - z2, low - middle, first, limit)
        xz = ac * divide(z1, low - high, first & second, limit)
        yz = bc * divide(z2, middle - high, second, alone)
        dZ = rotate_tensor(xp, vectors, xp.stack([d1, xy, xz, d2, yz, zero], axis=-1))
        moved = add_isotropic(xp, dI - dZ, (1 - 2 * b) * (d1 + d2))
        return (xp.where(apex[..., None], xp.zeros_like(moved), moved),)

    return slope
