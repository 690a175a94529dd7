"""Samples as one small triangular system a joint: all that least squares needs of them.

Tall-skinny QR, block by block: memory does not grow with the samples, and unlike normal equations
nothing is squared. Joints stay apart, so that their noise can be weighed, and their residuals told,
without another look at the samples; what was reduced apart can be merged.

Reduced samples under drive gains: torques scaled, loads subtracted, columns of gains added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, Mask
from inertial_check.inertia.representations import Order, reorder

ROWS = 512
"""Samples of a joint that are reduced at a time: they stay in the cache with their triangle."""

WIDEST_BLOCK = 64
"""Columns that LAPACK may work on together; with less room it takes one after the other."""

TALL = 2
"""Times as many samples as columns, at least: else each triangle is worked over too often."""


class System(NamedTuple):
    """The samples of one joint: their residuals at any x have the squares that these have.

    Sum of (A x - tau)^2 over its samples = ||R x[columns] - rho||^2 + rss.

    Attributes:
        columns: (c,) the columns that are anywhere not zero.
        R: (r, c), r at most c.
        rho: (r,).
        rss: What no parameters explain.
        samples: How many.
        total: The sum of tau.
        squares: The sum of tau^2.
    """

    columns: Integers
    R: Floats
    rho: Floats
    rss: float
    samples: int
    total: float
    squares: float

    @property
    def augmented(self) -> Floats:
        """(r + 1, c + 1) [R rho; 0 sqrt(rss)]."""
        rows = len(self.rho)
        whole = np.zeros((rows + 1, len(self.columns) + 1))
        whole[:rows, :-1], whole[:rows, -1] = self.R, self.rho
        whole[rows, -1] = np.sqrt(self.rss)
        return whole


@dataclass(frozen=True, eq=False, repr=False)
class Reduction:
    """The samples of all joints, reduced.

    Attributes:
        columns: How many parameters there are: of the bodies, ten each, and further ones.
        systems: One a joint.
    """

    columns: int
    systems: tuple[System, ...]

    def __repr__(self) -> str:
        """The sizes."""
        return (
            f"Reduction({len(self.systems)} joints, {self.columns} columns, "
            f"{int(self.samples.max(initial=0))} samples)"
        )

    @classmethod
    def of(cls, blocks: Iterable[tuple[Floats, ...]], columns: int | None = None) -> Reduction:
        """Reduce blocks of samples.

        Args:
            blocks: Of A (s, n, p) and tau (s, n), and, where samples count for more or less,
                (s, n) factors of their squares.
            columns: p, for the case that there is no block.

        Raises:
            ParameterError: No samples, shapes that do not fit, a number that is not finite: names
                the sample.
        """
        joints: list[_Joint] = []
        first = 0
        for A, tau, *importance in blocks:
            fits = A.ndim == 3 and tau.shape == A.shape[:2] and columns in (None, A.shape[2])
            if not fits or len(joints) not in (0, A.shape[1]):
                expected = f"(s, {len(joints) or 'n'}, {columns or 'p'})"
                raise ParameterError(
                    f"a block of samples has shape {A.shape} and torques {tau.shape}, expected "
                    f"{expected} and (s, {len(joints) or 'n'})"
                )
            for name, array in (("the torque", tau), ("the regressor", A)):
                if not np.isfinite(array.sum()):
                    _refuse_unfinite(name, array, first)
            columns = int(A.shape[2])
            joints = joints or [_Joint(columns) for _ in range(A.shape[1])]
            seen = np.asarray(A.any(axis=0))
            for j, joint in enumerate(joints):
                joint.widen(seen[j])
                joint.add(A[:, j], tau[:, j], *(factors[:, j] for factors in importance))
            first += len(A)
        if not joints or columns is None:
            raise ParameterError("there are no samples to identify anything from")
        return cls(columns, tuple(joint.system() for joint in joints))

    def merge(self, *others: Reduction) -> Reduction:
        """The reduction of the samples of all of them together.

        Raises:
            ParameterError: They are of different parameters or joints.
        """
        for other in others:
            if (other.columns, other.joints) != (self.columns, self.joints):
                raise ParameterError(
                    f"{other!r} cannot be merged with {self!r}: expected the same joints and "
                    "columns"
                )
        systems = zip(*(each.systems for each in (self, *others)), strict=True)
        return Reduction(self.columns, tuple(_together(self.columns, each) for each in systems))

    def relabel(self, labels: Integers) -> Reduction:
        """The same samples with the columns in another order.

        Args:
            labels: (p,) the new place of each column.
        """
        systems = tuple(system._replace(columns=labels[system.columns]) for system in self.systems)
        return Reduction(self.columns, systems)

    @property
    def joints(self) -> int:
        """How many joints there are."""
        return len(self.systems)

    @cached_property
    def samples(self) -> npt.NDArray[np.int64]:
        """(n,) how many samples each joint has."""
        return np.array([system.samples for system in self.systems])

    @cached_property
    def squares(self) -> Floats:
        """(n,) sums of tau^2."""
        return np.array([system.squares for system in self.systems])

    def stack(self, weights: Floats) -> tuple[Floats, Floats, float]:
        """One triangular system of all joints.

        Args:
            weights: (n,) factors of the residuals of each joint.

        Returns:
            A (r, p), b (r,) and what no parameters explain: the weighted squares of all samples are
            ||A x - b||^2 and that.
        """
        stack = np.zeros((0, self.columns + 1))
        for system, weight in zip(self.systems, weights.tolist(), strict=True):
            own = np.zeros((len(system.rho) + 1, self.columns + 1))
            own[:, np.append(system.columns, self.columns)] = weight * system.augmented
            stack = np.concatenate([stack, own])
            if len(stack) > 2 * self.columns:
                stack = _triangle(stack)
        stack = _triangle(stack)
        rest = stack[self.columns :, -1]
        stack = stack[: self.columns]
        return stack[:, :-1], stack[:, -1], float(rest @ rest)

    def residual_squares(self, x: Floats) -> Floats:
        """(n,) sums of the squares of the residuals at x (p,), unweighted."""
        found = []
        for system in self.systems:
            left = system.R @ x[system.columns] - system.rho
            found.append(left @ left + system.rss)
        return np.array(found)

    def rmse(self, x: Floats) -> Floats:
        """(n,) root mean squares of the residuals at x (p,), in the unit of tau."""
        return np.asarray(np.sqrt(self.residual_squares(x) / np.maximum(self.samples, 1)))

    def weighted_mean_square(self, weights: Floats, x: Floats) -> float:
        """Mean of the squared residuals at x (p,), times weights (n,), of joints that have one."""
        count = max(int(self.samples[weights > 0].sum()), 1)
        return float(weights**2 @ self.residual_squares(x)) / count

    def r_squared(self, x: Floats) -> Floats:
        """(n,) parts of the variance of tau that x (p,) explains; NaN where tau has none."""
        means = np.array([system.total for system in self.systems]) / np.maximum(self.samples, 1)
        variance = self.squares - self.samples * means**2
        spread = variance > np.finfo(np.float64).eps * self.samples * self.squares
        left = self.residual_squares(x) / np.where(spread, variance, 1.0)
        return np.where(spread, 1 - left, np.nan)


class _Joint:
    """The samples of one joint while they come in: a triangle, and rows that wait below it."""

    def __init__(self, width: int) -> None:
        self.columns = np.zeros(0, dtype=np.intp)
        self.width = width
        self.samples = 0
        self.total = self.squares = 0.0
        self._filled = 0
        self._make_room(np.zeros((0, 1)))

    def widen(self, seen: Mask) -> None:
        """Make room for columns (p,) that were zero until now."""
        columns = np.union1d(self.columns, np.flatnonzero(seen))
        if len(columns) == len(self.columns):
            return
        wider = np.zeros((self._filled, len(columns) + 1))
        wider[:, np.searchsorted(columns, self.columns)] = self._stack[: self._filled, :-1]
        wider[:, -1] = self._stack[: self._filled, -1]
        self.columns = columns
        self._make_room(wider)

    def add(self, A: Floats, tau: Floats, importance: Floats | None = None) -> None:
        """Take in rows A (s, p) and tau (s,)."""
        self.samples += len(tau)
        if importance is not None:
            root = np.sqrt(importance)
            A, tau = A * root[:, None], tau * root
        self.total += float(tau.sum())
        self.squares += float(tau @ tau)
        self._append(A, tau)

    def take(self, system: System) -> None:
        """Take in samples that were reduced before."""
        self.samples += system.samples
        self.total += system.total
        self.squares += system.squares
        whole = system.augmented
        rows = np.zeros((len(whole), self.width))
        rows[:, system.columns] = whole[:, :-1]
        self.widen(np.asarray(rows.any(axis=0)))
        self._append(rows, whole[:, -1])

    def _append(self, A: Floats, tau: Floats) -> None:
        """Put rows below those that wait."""
        start = 0
        while start < len(tau):
            own = slice(start, start + len(self._stack) - self._filled)
            start = own.stop
            rows = slice(self._filled, self._filled + len(tau[own]))
            columns = self.columns
            first, last = (columns[0], columns[-1]) if len(columns) else (0, -1)
            self._stack[rows, :-1] = A[
                own, slice(first, last + 1) if last - first + 1 == len(columns) else columns
            ]
            self._stack[rows, -1] = tau[own]
            self._filled = rows.stop
            if self._filled == len(self._stack):
                self._reduce()

    def system(self) -> System:
        """Reduce the rows that came in to a triangular system."""
        self._reduce()
        width, triangle = len(self.columns), self._stack[: self._filled]
        R, rest = np.array(triangle[:width]), triangle[width:, -1]
        rss = float(rest @ rest)
        return System(
            self.columns, R[:, :-1], R[:, -1], rss, self.samples, self.total, self.squares
        )

    def _reduce(self) -> None:
        """Make a triangle of all rows."""
        triangle = _triangle(self._stack[: self._filled])
        self._filled = len(triangle)
        self._stack[: self._filled] = triangle

    def _make_room(self, rows: Floats) -> None:
        """A stack with these rows at its top, and place for as many as are reduced at a time."""
        width = rows.shape[1]
        height = len(rows) + width + max(ROWS, TALL * width)
        self._stack = np.empty((height, width), order="F")  # as LAPACK has it: it works in place
        self._stack[: len(rows)] = rows
        self._filled = len(rows)


def list_columns(bodies: ArrayLike) -> Integers:
    """List the ten columns of each of some bodies (b,), given by their indices."""
    return (10 * np.asarray(bodies, dtype=np.intp)[:, None] + np.arange(10)).ravel()


def label_columns(bodies: int, order: Order) -> Integers:
    """Label the columns (10 L,) of bodies in an order with their places in order "urdf"."""
    own = np.asarray(reorder(np.arange(10.0), "urdf", order)).astype(np.intp)
    return np.asarray((10 * np.arange(bodies)[:, None] + own).ravel())


def _triangle(rows: Floats) -> Floats:
    """R (min(s, c), c) of the QR decomposition of rows (s, c), which are overwritten."""
    from scipy.linalg import lapack

    if not rows.size:
        return rows[:0]
    # A triangle of triangles is that of all rows: QR of tall matrices block by block (Demmel,
    # Grigori, Hoemmen, Langou, SIAM J. Sci. Comput. 34, 2012).
    factors, *_ = lapack.dgeqrf(rows, lwork=WIDEST_BLOCK * rows.shape[1], overwrite_a=True)
    return np.asarray(np.triu(factors[: min(rows.shape)]))


def _together(width: int, systems: tuple[System, ...]) -> System:
    """The systems of one joint as one."""
    joint = _Joint(width)
    for system in systems:
        joint.take(system)
    return joint.system()


def _refuse_unfinite(name: str, array: Floats, first: int) -> None:
    """Name the first number that is not finite, if there is one.

    Raises:
        ParameterError: There is.
    """
    finite = np.isfinite(array.reshape(len(array), -1)).all(axis=1)
    if finite.all():  # large numbers, whose sum is beyond all
        return
    bad = np.flatnonzero(~finite)
    joint = int(np.argwhere(~np.isfinite(array[bad[0]]))[0, 0])
    raise ParameterError(
        f"{name} of sample {first + int(bad[0])}, joint {joint} is not finite, as in {len(bad)} "
        "samples of its block: leave them out"
    )


def scale_torques(recorded: Reduction, gains: Floats) -> Reduction:
    """Multiply recorded torques by drive gains (n,), and subtract those of known loads.

    Args:
        recorded: Reduction as recorded, with the torque of known loads in the last column.
        gains: (n,) drive gains.

    Returns:
        The reduction without that column. Its sums of torques and squares are of what was
        measured, loads included.
    """
    last = recorded.columns - 1
    systems = []
    for system, gain in zip(recorded.systems, gains.tolist(), strict=True):
        own = system.columns != last
        load = system.R[:, ~own].sum(axis=1)
        systems.append(
            System(
                system.columns[own],
                system.R[:, own],
                gain * system.rho - load,
                gain**2 * system.rss,
                system.samples,
                gain * system.total,
                gain**2 * system.squares,
            )
        )
    return Reduction(last, tuple(systems))


def add_gain_columns(recorded: Reduction, gains: Floats, x: Floats, joints: Integers) -> Reduction:
    """Multiply recorded torques by drive gains, and add a column for each gain.

    The column of a gain is the torque of its joint that the parameters predict, loads included, and
    its number the relative change of the inverse of the gain.

    Args:
        recorded: Reduction as recorded, with the torque of known loads in the last column.
        gains: (n,) drive gains.
        x: (p,) parameters in the order of the columns [SI].
        joints: Indices of the joints whose gains are unknown.
    """
    reduction, whole = scale_torques(recorded, gains), np.append(x, 1.0)
    count, systems = reduction.columns, list(reduction.systems)
    for place, joint in enumerate(joints.tolist()):
        own, system = recorded.systems[joint], systems[joint]
        predicted = own.R @ whole[own.columns]
        systems[joint] = system._replace(
            columns=np.append(system.columns, count + place),
            R=np.column_stack([system.R, predicted]),
        )
    return Reduction(count + len(joints), tuple(systems))


def correlate_torques(recorded: Reduction, gains: Floats) -> Floats:
    """Products (p, n) of all columns with the measured torque of each joint, loads included."""
    last = recorded.columns - 1
    found = np.zeros((last, recorded.joints))
    for joint, (system, gain) in enumerate(zip(recorded.systems, gains.tolist(), strict=True)):
        own = system.columns != last
        found[system.columns[own], joint] = gain * system.R[:, own].T @ system.rho
    return found
