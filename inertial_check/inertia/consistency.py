"""Whether a body can have these inertial parameters: every condition, once.

The margin is mu = lmin(S_c) / (|s1| + |s2| + |s3|), with s_i the eigenvalues of the central second
moment S_c = S - h h^T / m. It is dimensionless, lies in [-1, 1/3], and does not change with the
frame or the units; it is negative exactly where no non-negative density has the parameters (Heins,
Rigid Body Inertial Parameters, "Full Physical Consistency": m > 0 and Pi >= 0, by Schur S_c >= 0).

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.inertia import consistency

Margins of rows of bodies, and the sign tests that settle most rows without a margin.

Which of two bodies has its mass farther out, in every direction at once.

Bodies are ordered by their second moments, S' - S >= 0; inertia follows, I' - I = tr(S' - S) 1 -
(S' - S) >= 0, and not the other way round (Heins, Rigid Body Inertial Parameters, "Bigger S, Bigger
I"). It is a partial order: of two bodies neither may spread more.

The examples of this module continue this session:

>>> from inertial_check.inertia import consistency as ordering
>>> ball, plate = [2.0, 0, 0, 2.0, 0, 2.0], [1.0, 0, 0, 1.0, 0, 2.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import intervals, tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Device,
    EqualByValue,
    Namespace,
    NumpyArray,
    array_namespace,
    as_number,
    batch_shape,
    cached_array,
    copy_array,
    count_rows,
    describe_counts,
    expect_shape,
    first_index,
    quiet,
    read_floats,
    read_only,
    real_arrays,
    select_rows,
)
from inertial_check.inertia.eigen import (
    CHUNK,
    Components,
    eigensystem,
    eigenvalues,
    eigenvalues_of_entries,
)
from inertial_check.inertia.representations import (
    ABOUTS,
    Order,
    Point,
    Units,
    about_com,
    change_units,
    find_form,
    has_central_inertia,
    read_theta,
    scale_by_powers,
    second_moment,
)

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "Bodies",
    "Consistency",
    "Verdict",
    "apply_in_chunks",
    "check",
    "check_printed_numbers",
    "list_central_entries",
    "list_central_moments",
    "measure_margin",
    "realize",
    "resists_more",
    "screen_rows",
    "spreads_more",
]


def measure_margin(
    xp: Namespace, columns: Sequence[Array], about: Point
) -> tuple[Array, Array, Array]:
    """Margin, numerical floor and |s1| + |s2| + |s3| from the ten columns of theta."""
    low, middle, high = eigenvalues_of_entries(xp, list_central_entries(xp, columns, about))
    spread = xp.abs(low) + xp.abs(middle) + xp.abs(high)
    safe = xp.where(spread > 0, spread, xp.ones_like(spread))
    kappa = xp.ones_like(spread)
    if about == "origin":
        # h (h / m) in this order: h^2 alone leaves the range of float32 for small bodies.
        mass, hx, hy, hz = columns[:4]
        mass = xp.where(mass != 0, xp.abs(mass), xp.ones_like(mass))
        # S_c = S - h h^T / m cancels: its rounding is that of S, 1 + |h|^2 / (m tr S_c) times
        # larger.
        offset = hx * (hx / mass) + hy * (hy / mass) + hz * (hz / mass)
        point = (spread == 0) & ((hx != 0) | (hy != 0) | (hz != 0))
        kappa = xp.where(point, xp.full_like(kappa, np.inf), 1 + offset / safe)
    return low / safe, tolerances.floor(kappa), spread


def list_central_moments(xp: Namespace, theta: Array, about: Point) -> Components:
    """The six entries of S_c; NaN where S_c does not exist (m = 0 and h != 0)."""
    return list_central_entries(xp, [theta[..., i] for i in range(10)], about)


def list_central_entries(xp: Namespace, columns: Sequence[Array], about: Point) -> Components:
    """The same from the ten columns of theta."""
    xx, xy, xz, yy, yz, zz = columns[4:]
    # S = tr(I) / 2 1 - I; halved before they are added, so that no sum overflows.
    half = xx / 2 + yy / 2 + zz / 2
    xx, yy, zz = half - xx, half - yy, half - zz
    mass, hx, hy, hz = columns[:4]
    has_mass = mass != 0
    exists = has_mass | ((hx == 0) & (hy == 0) & (hz == 0))
    xx = xp.where(exists, xx, xp.full_like(xx, np.nan))
    if about == "com":
        return xx, -xy, -xz, yy, -yz, zz
    safe = xp.where(has_mass, mass, xp.ones_like(mass))
    # The Schur complement of m in Pi, which is semidefinite where Pi is (Boyd and Vandenberghe,
    # Convex Optimization, A.5.5): three eigenvalues instead of four.
    cx, cy, cz = hx / safe, hy / safe, hz / safe
    return xx - hx * cx, -xy - hx * cy, -xz - hx * cz, yy - hy * cy, -yz - hy * cz, zz - hz * cz


def apply_in_chunks(xp: Namespace, theta: Array, function: Callable[[Array], Array]) -> Array:
    """function(theta), whose last axis is the bodies, on NumPy by chunks that stay in the cache."""
    with np.errstate(all="ignore"):
        if xp is not np or theta.ndim != 2 or theta.shape[0] <= CHUNK:
            return function(theta)
        parts = [function(theta[i : i + CHUNK]) for i in range(0, theta.shape[0], CHUNK)]
    whole: Array = np.concatenate(parts, axis=-1)
    return whole


def screen_rows(theta: NumpyArray, about: Point, slow: Callable[[Array], Array]) -> NumpyArray:
    """Codes of NumPy rows: the sign tests where they settle a row, the margin for the others.

    The first test rounds float64 to float32, which moves half as many bytes. Of a million solid
    bodies, 14 about the centre of mass and 94 about the origin need the second, in float64.
    """
    rows = theta.reshape(-1, 10)
    codes = np.zeros(rows.shape[0], dtype=np.int8)
    settled = apply_in_chunks(np, rows, lambda chunk: _settle(np.asarray(chunk), about))
    unsettled = np.flatnonzero(~settled)
    if unsettled.size:
        codes[unsettled] = apply_in_chunks(np, rows[unsettled], slow)
    return codes.reshape(theta.shape[:-1])


_FEW = 16
"""Number of rows up to which the margin is computed where the first sign test does not settle a
row: a second test of so few takes as long as their margins."""


def _settle(rows: NumpyArray, about: Point) -> NumpyArray:
    """Tell which rows (n, 10) are consistent for certain, first in float32, then as they are."""
    precise = tolerances.FLOOR_FACTOR * tolerances.epsilon(rows.dtype, np)
    precise = 2 * precise if about == "com" else precise / tolerances.ILL_POSED_FLOOR
    if rows.dtype == np.float32:
        return _surely_consistent(np.array(rows.T, order="C"), about, precise)
    # One tau of float32 covers the rounding of the rows to it, and a second that of the pivots.
    coarse = 2 * tolerances.FLOOR_FACTOR * tolerances.epsilon(np.dtype(np.float32), np)
    rounded = np.ascontiguousarray(rows.astype(np.float32).T)
    settled = _surely_consistent(rounded, about, max(coarse, precise))
    if len(rows) > _FEW and not settled.all():
        left = np.flatnonzero(~settled)
        settled[left] = _surely_consistent(np.array(rows[left].T, order="C"), about, precise)
    return settled


def _surely_consistent(columns: NumpyArray, about: Point, shift: float) -> NumpyArray:
    """Tell for which columns (10, n) S_c - shift tr(S) has only positive pivots; overwrite them.

    S is S_c about the centre of mass, and S_Bo about the origin. The elimination is LDL^T, whose
    pivots are those of a matrix that differs by rounding (Higham, Accuracy and Stability, theorem
    10.3). About the centre of mass the shift is 2 tau: the second tau covers that rounding. About
    the origin it is 8 eps / ILL_POSED_FLOOR, which leaves no row whose tau is above that floor.
    NaN and infinity fail every comparison and stay unsettled. So do masses and pivots so small or
    large that a product or quotient of theirs may under- or overflow.
    """
    mass, h0, h1, h2, xx, xy, xz, yy, yz, zz = columns
    least = float(tolerances.limits(columns.dtype, np).tiny) ** 0.5
    raised = xx + yy
    raised += zz
    # (tr(I) / 2) (1 - shift) 1 - I is S - shift tr(S) 1, since tr(S) = tr(I) / 2.
    raised *= 0.5 - 0.5 * shift
    sure: NumpyArray = raised < 1 / least
    a, d, f = (np.subtract(raised, moment, out=moment) for moment in (xx, yy, zz))
    product = raised  # its memory, used again: a new array costs as much as the product
    sure &= mass > least
    inverse = np.divide(1, mass, out=mass)
    sure &= inverse > least
    if about == "origin":
        # The products of inertia enter S with the other sign, so here they are added to.
        c = h0 * inverse
        a -= np.multiply(h0, c, out=product)
        xy += np.multiply(h1, c, out=product)
        xz += np.multiply(h2, c, out=product)
        np.multiply(h1, inverse, out=c)
        d -= np.multiply(h1, c, out=product)
        yz += np.multiply(h2, c, out=product)
        inverse *= h2
        inverse *= h2
        f -= inverse
    else:
        h0 += h1
        h0 += h2
        sure &= np.isfinite(h0)
    # Pivots decide the sign without eigenvalues (Sylvester); pivoting is not needed, because a row
    # with a pivot near zero is left to the margin.
    sure &= a > least
    quotient = np.divide(xy, a, out=h0)
    d -= np.multiply(quotient, xy, out=product)
    sure &= d > least
    yz += np.multiply(quotient, xz, out=product)  # against the sign of yz in S, as above
    np.divide(xz, a, out=quotient)
    f -= np.multiply(quotient, xz, out=product)
    np.divide(yz, d, out=quotient)
    f -= np.multiply(quotient, yz, out=product)
    sure &= f > least
    return sure


@runtime_checkable
class Bodies(Protocol):
    """Inertial parameters that know their own point: InertialParameters."""

    @property
    def about(self) -> Point:
        """The point about which the inertia is stored."""

    def as_theta(self, order: Order = ..., about: Point = ...) -> Array:
        """The (..., 10) parameters in an order, about a point."""


class Verdict(IntEnum):
    """What can be said of one set of parameters; `.word` is its name in reports."""

    CONSISTENT = 0
    BOUNDARY = 1
    ROUNDING = 2
    INCONSISTENT = 3
    ILL_POSED = 4
    INVALID = 5
    MASSLESS = 6
    MISSING = 7
    DERIVED = 8
    DEFAULTED = 9

    @property
    def word(self) -> str:
        """The verdict as it is printed."""
        return self.name.lower().replace("_", "-")


_WORDS = np.array([verdict.word for verdict in Verdict])


class Consistency(EqualByValue):
    """The verdict on each body, and the numbers behind it, computed when first asked.

    Index it as an array of bodies: result[2], result[bad]; it has a length, iterates over rows,
    equals another one with equal numbers (NaN equal to NaN), and copies and pickles. It has no
    hash. NumPy's arrays of it are read-only; what `check` was given is copied unless that is, too.

    Attributes:
        theta: (..., 10) as judged, order "urdf", about the point `about`.
        about: "origin" or "com".
        requested: The tolerance on the margin that the caller asked for.
    """

    def __init__(
        self, theta: Array, about: Point, tolerance: float = 0.0, radii: Array | None = None
    ) -> None:
        xp, (theta,) = real_arrays(theta=theta)
        self.theta = read_only(theta)
        self.about = about
        self.requested = tolerance
        self._radii = radii
        self._xp = xp

    def __repr__(self) -> str:
        """One body's verdict and margin; of a batch, how many bodies have each verdict."""
        try:
            words = np.asarray(self.verdict)
            margin = None if self.shape else float(self.margin)
        except Exception:  # a trace hides the values: the shape is all that is known
            return f"Consistency(shape={self.shape}, about={self.about!r}, traced)"
        if margin is not None:
            whole = bool(has_central_inertia(self._xp, self.theta))
            why = "" if whole else ", without mass and so without a centre of mass"
            return f"Consistency({words}{why}, margin={margin:.6g}, about={self.about!r})"
        return f"Consistency({describe_counts(words)}; shape={self.shape}, about={self.about!r})"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch; () for one body."""
        return tuple(self.theta.shape[:-1])

    def __len__(self) -> int:
        """Length of the first batch axis.

        Raises:
            TypeError: There is one body and no batch.
        """
        return count_rows(self.shape)

    def __getitem__(self, index: object) -> Consistency:
        """The same for the bodies at an index of the batch axes.

        Raises:
            IndexError: There are no such bodies.
        """
        radii = None if self._radii is None else select_rows(self._radii, index, 1)
        return Consistency(select_rows(self.theta, index, 1), self.about, self.requested, radii)

    def __iter__(self) -> Iterator[Consistency]:
        """Over the first batch axis."""
        return (self[i] for i in range(len(self)))

    def __getstate__(self) -> tuple[object, ...]:
        """What pickle and copy keep: the numbers given, from which all others are computed."""
        return self._values()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Restore it from a pickle."""
        Consistency.__init__(self, *state)

    def _values(self) -> tuple[object, ...]:
        return self.theta, self.about, self.requested, self._radii

    def __bool__(self) -> bool:
        """Refuse to be one truth value, which would be true for inconsistent bodies, too.

        Raises:
            ParameterError: Always; names what to ask instead.
        """
        raise ParameterError(
            "a Consistency holds a verdict for each body and is neither true nor false; ask "
            ".consistent.all() for all of them, or .consistent for each"
        )

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        from inertial_check.inertia.notebook import read_consistency, write_box  # notebooks only

        shown = read_consistency(self)
        found = describe_counts(shown.verdicts)
        return write_box("Consistency", found, shown.write_table(), shown.draw_triangle())

    @cached_array
    def verdict_code(self) -> Array:
        """(...,) integers of Verdict, in the caller's array library."""
        if not isinstance(self.theta, np.ndarray):
            codes = self._codes(self.theta, self.margin, self.tolerance)
            return self._judge_subnormal(codes, lambda judged: judged.verdict_code)
        codes = screen_rows(self.theta, self.about, self._slow_codes)
        if self._radii is not None:
            # Turn inconsistent into rounding, in place, where the box of digits meets the cone.
            radii = np.asarray(self._radii)
            flat = codes.reshape(-1)
            rows = np.flatnonzero(flat == int(Verdict.INCONSISTENT))
            if rows.size:
                scaled, units = change_units(self.theta.reshape(-1, 10)[rows], "com")
                errors: Array = radii.reshape(-1, 6)[rows]
                if units is not None:
                    errors = scale_by_powers(errors, -units.inertia[:, None])
                explained = intervals.explained_by_digits(
                    np.asarray(scaled[:, 4:]), np.asarray(errors)
                )
                flat[rows[explained]] = int(Verdict.ROUNDING)
        return codes

    @property
    def verdict(self) -> str | npt.NDArray[np.str_]:
        """(...,) words; a str for a single body."""
        codes = np.asarray(self.verdict_code)
        return str(_WORDS[codes]) if codes.ndim == 0 else _WORDS[codes]

    @property
    def consistent(self) -> Array:
        """(...,) whether the verdict is consistent or boundary: a non-negative density exists."""
        return self.verdict_code <= int(Verdict.BOUNDARY)

    @property
    def possible(self) -> Array:
        """(...,) whether it is consistent, or a frame without mass: nothing has to be repaired."""
        return self.consistent | (self.verdict_code == int(Verdict.MASSLESS))

    @cached_array
    def margin(self) -> Array:
        """(...,) mu; NaN where S_c is not finite or does not exist (m = 0, h != 0)."""
        return self._measures[0, ...]

    @cached_array
    def tolerance(self) -> Array:
        """(...,) the numerical floor tau, or the requested tolerance where that is larger."""
        xp, floor = self._xp, self._measures[1, ...]
        return xp.maximum(floor, xp.full_like(floor, self.requested))

    @property
    def mass_positive(self) -> Array:
        """(...,) m > 0."""
        return self.theta[..., 0] > 0

    @cached_array
    def inertia_psd(self) -> Array:
        """(...,) I_BBcm positive semidefinite, up to the tolerance: necessary, not sufficient."""
        xp, spread = self._xp, self._measures[2, ...]
        least = apply_in_chunks(xp, self.theta, lambda theta: self._moments_of(theta)[0][0, ...])
        return least / xp.where(spread > 0, spread, 1.0) >= -self.tolerance

    @property
    def triangle_inequality(self) -> Array:
        """(...,) no principal moment larger than the sum of the others, up to the tolerance."""
        return self.margin >= -self.tolerance

    @property
    def pseudo_inertia_psd(self) -> Array:
        """(...,) Pi positive semidefinite, up to the tolerance; with m > 0 this is consistency.

        A zero on the diagonal of a semidefinite matrix has zeros beside it: m = 0 asks for h = 0.
        """
        xp, mass = self._xp, self.theta[..., 0]
        finite = xp.all(xp.isfinite(self.theta), axis=-1)
        still = xp.all(self.theta[..., 1:4] == 0, axis=-1)
        return finite & ((mass > 0) | ((mass == 0) & still)) & self.triangle_inequality

    @cached_array
    def principal_moments(self) -> Array:
        """(..., 3) eigenvalues of I_BBcm, ascending [kg m^2]."""
        moments = apply_in_chunks(self._xp, self.theta, self._moments_in_si)
        return self._xp.stack([moments[i, ...] for i in range(3)], axis=-1)

    @cached_array
    def witness(self) -> Array:
        """(..., 3) unit v, in the axes of the data, with v^T S_c v < 0; NaN unless inconsistent."""
        xp = self._xp
        bad = (self.verdict_code == int(Verdict.INCONSISTENT))[..., None]
        theta, _ = change_units(self.theta, self.about)
        central = xp.stack(list(list_central_moments(xp, theta, self.about)), axis=-1)
        direction = eigensystem(xp.where(bad, central, xp.zeros_like(central)))[1][..., 0]
        return xp.where(bad, direction, xp.full_like(direction, xp.nan))

    @cached_array
    def _measures(self) -> Array:
        """(3, ...) margin, numerical floor, |s1| + |s2| + |s3|; NaN where S_c does not exist.

        The third is in the units of `change_units`.
        """
        measures = apply_in_chunks(self._xp, self.theta, self._measures_of)
        return self._judge_subnormal(measures, lambda judged: judged._measures)

    def _judge_subnormal(self, own: Array, judge: Callable[[Consistency], Array]) -> Array:
        """Replace values (..., n) of bodies with subnormal numbers by those that NumPy computes.

        Some array libraries, as XLA, take subnormal numbers for zero, and their bodies for others.
        """
        judged = self._in_numpy
        if judged is None:
            return own
        xp = self._xp
        values, rows = np.array(judge(judged)), _has_subnormal(np.asarray(judged.theta))
        like = dict(_device(own))
        return xp.where(xp.asarray(rows, **like), xp.asarray(values, dtype=own.dtype, **like), own)

    @cached_array
    def _in_numpy(self) -> Consistency | None:
        """The same judged in NumPy where another library holds subnormal numbers; else None."""
        if isinstance(self.theta, np.ndarray):
            return None
        try:
            theta = np.asarray(self.theta)
        except Exception:  # a trace, a gradient or another device: the library computes alone
            return None
        if theta.dtype.kind != "f" or not np.any(_has_subnormal(theta)):
            return None
        return Consistency(theta, self.about, self.requested)

    def _moments_of(self, theta: Array) -> tuple[Array, Units | None]:
        """(3, ...) principal moments in the units that are returned, too."""
        theta, units = change_units(theta, self.about)
        six = theta[..., 4:]
        if self.about == "origin":
            six = about_com(theta[..., 0], theta[..., 1:4], six)
        exists = has_central_inertia(self._xp, theta)[..., None]
        values = eigenvalues(self._xp.where(exists, six, self._xp.full_like(six, np.nan)))
        return self._xp.stack([values[..., i] for i in range(3)]), units

    def _moments_in_si(self, theta: Array) -> Array:
        moments, units = self._moments_of(theta)
        return moments if units is None else scale_by_powers(moments, units.inertia[None, ...])

    def _measures_of(self, theta: Array) -> Array:
        xp, (theta, _) = self._xp, change_units(theta, self.about)
        columns = [theta[..., i] for i in range(10)]
        return xp.stack(list(measure_margin(xp, columns, self.about)))

    def _slow_codes(self, theta: Array) -> Array:
        """Codes from the margin itself, for rows that the sign test did not settle."""
        whole = theta.size == self.theta.size  # as one body is: its margin is computed once
        margin, floor, _ = self._measures.reshape(3, -1) if whole else self._measures_of(theta)
        return self._codes(theta, margin, np.maximum(floor, self.requested), floor)

    def _codes(
        self, theta: Array, margin: Array, tolerance: Array, floor: Array | None = None
    ) -> Array:
        xp = self._xp
        floor = self._measures[1, ...] if floor is None else floor
        mass = theta[..., 0]
        finite = xp.all(xp.isfinite(theta), axis=-1)
        rest = xp.all(theta[..., 1:] == 0, axis=-1)

        def choose(condition: Array, code: Verdict, otherwise: Array) -> Array:
            return xp.where(condition, xp.full_like(otherwise, int(code)), otherwise)

        codes = xp.full_like(mass, int(Verdict.INCONSISTENT), dtype=xp.int8)
        codes = choose(margin >= -tolerance, Verdict.BOUNDARY, codes)
        codes = choose(margin >= floor, Verdict.CONSISTENT, codes)
        codes = choose(floor > tolerances.ILL_POSED_FLOOR, Verdict.ILL_POSED, codes)
        codes = choose(mass == 0, Verdict.INVALID, codes)
        codes = choose((mass == 0) & rest, Verdict.MASSLESS, codes)
        return choose(~finite | (mass < 0), Verdict.INVALID, codes)


def check(
    theta: ArrayLike | Bodies,
    order: Order | None = None,
    about: Point | None = None,
    tolerance: float = 0.0,
) -> Consistency:
    """Judge inertial parameters: m > 0 and Pi >= 0, with margin, moments and witness on request.

    Args:
        theta: (..., 10) [m, hx, hy, hz, six of the inertia] in kg, kg m, kg m^2, body axes, from
            any array library; or InertialParameters.
        order: Order of the last six: urdf, pinocchio, mujoco, wensing or ksl. None for theta's
            own, as parameters and `theta` of results have one, else urdf.
        about: Point about which those six are taken: "origin" or "com". None for theta's own, else
            the origin.
        tolerance: Widens the boundary: margins down to -tolerance pass. Dimensionless.

    Returns:
        The verdicts; rows with non-finite entries are invalid.

    Raises:
        ParameterError: Wrong shape, an order or point that is unknown or contradicts theta's own,
            tolerance negative or not finite.

    Example:
        >>> result = ic.check([1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08])
        >>> print(result.verdict, float(result.margin.round(4)))  # 0.08 is more than 0.02 + 0.03
        inconsistent -0.1579
        >>> print(ic.check([1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.04]).consistent)
        True
    """
    if not 0 <= as_number(tolerance) < np.inf:
        raise ParameterError(
            f"tolerance is {tolerance!r}; it is a margin, so 0 or a positive number"
        )
    theta, about = as_theta(theta, order, about)
    return Consistency(copy_array(array_namespace(theta), theta), about, float(tolerance))


def check_printed_numbers(
    mass: ArrayLike,
    p_BoBcm_B: ArrayLike,
    I_BBcm_Bi: ArrayLike,
    radii: ArrayLike,
    tolerance: float = 0.0,
) -> Consistency:
    """Judge bodies whose numbers were printed, about the centre of mass, in their own axes.

    Args:
        mass: (...,) [kg].
        p_BoBcm_B: (..., 3) [m]; only asked to be finite.
        I_BBcm_Bi: (..., 6) [kg m^2], in any axes.
        radii: (..., 6) half a unit of the last printed digit of each entry [kg m^2].
        tolerance: As for `check`.

    Example:
        >>> # 0.0049 is more than 0.0024 + 0.0024, but 0.00485 is not more than 0.00245 + 0.00245
        >>> inertia, radii = [0.0024, 0, 0, 0.0024, 0, 0.0049], [5e-5, 0, 0, 5e-5, 0, 5e-5]
        >>> print(consistency.check_printed_numbers(1.0, [0, 0, 0], inertia, radii).verdict)
        rounding
    """
    expect("number", tolerance=tolerance)
    (mass,), (position,) = read_floats((), mass=mass), read_floats((3,), p_BoBcm_B=p_BoBcm_B)
    six, radii = read_floats((6,), I_BBcm_Bi=I_BBcm_Bi, radii=radii)
    batch = batch_shape(mass=mass.shape, p_BoBcm_B=position.shape[:-1], I_BBcm_Bi=six.shape[:-1])
    mass = mass[..., None]
    with np.errstate(all="ignore"):
        first_moment = mass * position
    # About the centre of mass no verdict depends on the first moment, as long as it is finite.
    largest = np.finfo(float).max
    overflows = np.isinf(first_moment) & np.isfinite(mass) & np.isfinite(position)
    first_moment = np.where(overflows, np.copysign(largest, first_moment), first_moment)
    parts = [np.broadcast_to(part, (*batch, part.shape[-1])) for part in (mass, first_moment, six)]
    theta = np.concatenate(parts, axis=-1)
    return Consistency(theta, "com", tolerance, radii)


def realize(
    theta: ArrayLike | Bodies, order: Order | None = None, about: Point | None = None
) -> tuple[Array, Array]:
    """Four point masses that have exactly these parameters: the proof that a body can have them.

    A quarter of the mass stands at each vertex of the regular tetrahedron, stretched by the
    standard deviations of the mass along the principal axes: sum m/4 r r^T = S_c.

    Args:
        theta: (..., 10), or InertialParameters, as for `check`.
        order: Order of the last six entries; None as for `check`.
        about: Point about which they are taken; None as for `check`.

    Returns:
        (..., 4) masses [kg], none negative, and (..., 4, 3) points p_BoQ_B [m]; points that a trace
        keeps from being refused are NaN.

    Raises:
        ParameterError: A body is not consistent, so no such masses exist; names its index.

    Example:
        >>> masses, points = ic.realize([4.0, 0, 0, 0, 2.0, 0, 0, 2.0, 0, 2.0])
        >>> print(masses)
        [1. 1. 1. 1.]
        >>> # Their second moment is that of the body, tr(I) / 2 - I
        >>> print((points.T * masses @ points).round(9) + 0.0)
        [[1. 0. 0.]
         [0. 1. 0.]
         [0. 0. 1.]]
    """
    theta, about = as_theta(theta, order, about)
    xp = array_namespace(theta)
    result = Consistency(theta, about)
    refuse_impossible(result, "no masses have these parameters")
    given = theta[..., 0]
    theta, units = change_units(theta, about)
    spread, axes = eigensystem(xp.stack(list(list_central_moments(xp, theta, about)), axis=-1))
    mass = theta[..., 0]
    safe = xp.where(mass > 0, mass, xp.ones_like(mass))[..., None]
    variance, p_BoBcm_B = spread / safe, theta[..., 1:4] / safe
    deviation = xp.sqrt(xp.where(variance > 0, variance, xp.zeros_like(variance)))
    vertices = xp.asarray(
        [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=theta.dtype, **_device(theta)
    )
    stretched = axes * deviation[..., None, :]
    stretched = xp.matmul(vertices, xp.matrix_transpose(stretched))
    if units is not None:
        p_BoBcm_B = scale_by_powers(p_BoBcm_B, (units.moment - units.mass)[..., None])
        spreading = (units.inertia - units.mass) // 2
        stretched = scale_by_powers(stretched, spreading[..., None, None])
    points = p_BoBcm_B[..., None, :] + stretched
    points = xp.where(result.possible[..., None, None], points, xp.full_like(points, xp.nan))
    return xp.stack([given / 4] * 4, axis=-1), points


def refuse_impossible(result: Consistency, consequence: str) -> None:
    """Refuse bodies that no density has; frames without mass pass.

    Args:
        result: Their verdicts; those that a trace hides are not looked at.
        consequence: What does not exist for such a body, for the message.

    Raises:
        ParameterError: With index, verdict and margin of the first.
    """
    index = first_index(result._xp, ~result.possible)
    if index is None:
        return
    word, margin = np.asarray(result.verdict)[index], float(result.margin[index])
    body = f"body {index}" if index else "the body"
    raise ParameterError(
        f"{body} is {word} (margin {margin:.3g}): {consequence}; "
        "inertial_check.project gives the nearest that some have"
    )


def as_theta(
    theta: ArrayLike | Bodies, order: Order | None = None, about: Point | None = None
) -> tuple[Array, Point]:
    """The (..., 10) array in order "urdf", and its point, of an array or of InertialParameters.

    Raises:
        ParameterError: As read_theta.
    """
    if type(theta) is np.ndarray and theta.dtype == np.float64 and theta.shape[-1:] == (10,):
        plain = order is None or (isinstance(order, str) and order == "urdf")
        if plain and (about is None or (isinstance(about, str) and about in ABOUTS)):
            return theta, about or "origin"  # nothing is left to read
    if isinstance(theta, Bodies):
        _, about = find_form(theta, order, about)
        theta = theta.as_theta(order="urdf", about=about)
        order = "urdf"
    _, vector, about = read_theta(theta, order, about)
    return vector, about


def _device(array: Array) -> dict[str, Device]:
    """Where new arrays belong, for libraries that ask; a traced array does not know."""
    device = getattr(array, "device", None)
    return {} if device is None else {"device": device}


def _has_subnormal(theta: NumpyArray) -> NumpyArray:
    """Which bodies (...,) have a number below the smallest normal one that is not zero."""
    size = np.abs(theta)
    found: NumpyArray = np.any((size < np.finfo(theta.dtype).tiny) & (size > 0), axis=-1)
    return found


def spreads_more(inertia: ArrayLike, than: ArrayLike) -> Array:
    """Whether S - S_than is positive semidefinite, up to rounding; equal bodies do.

    Then the body also resists every turn at least as much: I - I_than is positive semidefinite.

    Args:
        inertia: (..., 6) rotational inertia of one body, about a point and in axes [kg m^2].
        than: (..., 6) of the other, about the same point in the same axes [kg m^2].

    Returns:
        (...,) False, too, where a number is not finite.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(ordering.spreads_more(ball, plate), ordering.spreads_more(plate, ball))
        True False
    """
    difference, scale = _difference(inertia, than)
    return _semidefinite(second_moment(difference), scale)


def resists_more(inertia: ArrayLike, than: ArrayLike) -> Array:
    """Whether I - I_than is positive semidefinite, up to rounding; equal bodies do.

    Weaker than spreads_more: a ring resists every turn more than the ball of its mass and radius
    that fills it, but has no spread along its axis.

    Args:
        inertia: (..., 6) rotational inertia of one body, about a point and in axes [kg m^2].
        than: (..., 6) of the other, about a point in the same axes [kg m^2].

    Returns:
        (...,) False, too, where a number is not finite.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(ordering.resists_more(ball, plate), ordering.resists_more(plate, ball))
        True False
    """
    return _semidefinite(*_difference(inertia, than))


@quiet
def _difference(inertia: ArrayLike, than: ArrayLike) -> tuple[Array, Array]:
    """The difference (..., 6), and the largest entry (...,) that rounding could have come from."""
    xp, (inertia, than) = real_arrays(inertia=inertia, than=than)
    expect_shape("inertia", inertia, 6)
    expect_shape("than", than, 6)
    batch_shape(inertia=inertia.shape[:-1], than=than.shape[:-1])
    return inertia - than, xp.max(xp.maximum(xp.abs(inertia), xp.abs(than)), axis=-1)


@quiet
def _semidefinite(six: Array, scale: Array) -> Array:
    xp = array_namespace(six)
    finite = xp.all(xp.isfinite(six), axis=-1)
    six = xp.where(finite[..., None], six, xp.zeros_like(six))
    rounding = tolerances.floor(xp.where(finite, scale, xp.zeros_like(scale)))
    return finite & (eigenvalues(six)[..., 0] >= -rounding)
