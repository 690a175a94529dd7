"""Samples as one small triangular system a joint: all that least squares needs of them.

Tall-skinny QR, block by block: memory does not grow with the samples, and unlike normal equations
nothing is squared. Joints stay apart, so that their noise can be weighed, and their residuals told,
without another look at the samples; what was reduced apart can be merged.

Reduced samples under drive gains: torques scaled, loads subtracted, columns of gains added.

Where samples come from: arrays, or a tree and its motion, whose regressor is made by blocks.

Measurements of an identification: samples, or only their reduction, with their columns.

Instrumental variables: least squares whose regressor is projected on that of another motion.

Noise in recorded positions is in the regressor Y, too, and biases least squares. Instruments Z are
columns that follow the noise-free Y and not the noise, such as the regressor of a simulated robot.
The estimate solves Z^T W (Y theta - tau) = 0, W the squared weights of the joints.

With the orthonormal columns Q that span those of W^1/2 Z, these equations are the normal equations
of two-stage least squares: the least of ||Q^T W^1/2 (Y theta - tau)||^2, so that priors, cones and
constraints keep their meaning. The covariance of the base parameters is (Y_b^T W^1/2 Q Q^T W^1/2
Y_b)^-1.

Sources: Janot, Vandanjon, Gautier, A Generic Instrumental Variable Approach for Industrial Robot
Identification, IEEE Trans. Control Syst. Technol. 22 (2014); Young, Recursive Estimation and
Time-Series Analysis, 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, expect
from inertial_check.identification.fit.nuisance import (
    Nuisance,
    OperatingPoint,
    add_load,
    find_load_rows,
    has_load,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, Mask, read_floats
from inertial_check.inertia.representations import Order, reorder
from inertial_check.mechanics.equations import GRAVITY, regressor
from inertial_check.mechanics.tree import Tree

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
                with np.errstate(over="ignore", invalid="ignore"):  # of finite numbers, too
                    total = array.sum()
                if not np.isfinite(total):
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
            with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest
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


Block = tuple[Floats, Floats, Floats]
"""Y (s, n, 10 L), F (s, n, k) and tau (s, n)."""


ENTRIES = 2**20
"""Number of regressor entries in memory at a time: eight megabytes."""


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """Samples that can be gone through again and again, a block at a time.

    Attributes:
        bodies: L.
        joints: n.
        nuisance: What stands beside the bodies.
        source: Gives the blocks anew each time it is called.
        samples: S.
        order: Of the last six of each body's columns.
        known: (K, 10) known bodies, in the same order: the regressor of the source has their
            columns after those of the L bodies, and their torque is subtracted.
        gains: (n,) drive gains, factors of the recorded torques; None for 1.
        fastest: (n,) highest speeds of the joints; None where the motion is not known.
        linearised: Gives the samples with nonlinear friction about an operating point, or without
            it; None where there is no nonlinear friction.
    """

    bodies: int
    joints: int
    nuisance: Nuisance
    source: Callable[[], Iterator[Block]]
    samples: int
    order: Order = "urdf"
    known: Floats = field(default_factory=lambda: np.zeros((0, 10)))
    gains: Floats | None = None
    fastest: Floats | None = None
    linearised: Callable[[OperatingPoint | None], Samples] | None = None

    def __repr__(self) -> str:
        """The sizes."""
        return f"Samples({self.bodies} bodies, {self.joints} joints, {len(self.nuisance)} further)"

    @property
    def columns(self) -> int:
        """How many parameters there are."""
        return 10 * self.bodies + len(self.nuisance)

    def blocks(self) -> Iterator[Block]:
        """The samples, from the first on: torques by the gains, less those of known bodies."""
        if self.gains is None and not len(self.known):
            yield from self.source()
            return
        count, known = 10 * self.bodies, self.known.ravel()
        for Y, F, recorded in self.source():
            tau = recorded if self.gains is None else recorded * self.gains
            yield Y[:, :, :count], F, tau - Y[:, :, count:] @ known

    def recorded_rows(self) -> Iterator[tuple[Floats, Floats]]:
        """Blocks of A = [Y F K] (s, n, p + 1) and of the torques (s, n) as they were recorded.

        K is the torque of the known bodies, 0 where there are none.
        """
        count, known = 10 * self.bodies, self.known.ravel()
        for Y, F, recorded in self.source():
            K = Y[:, :, count:] @ known
            yield np.concatenate([Y[:, :, :count], F, K[:, :, None]], axis=2), recorded

    def with_gains(self, gains: Floats) -> Samples:
        """The same samples with their recorded torques multiplied by drive gains (n,)."""
        return replace(self, gains=gains)

    def reduce(self, importance: Callable[[Floats, Floats], Floats] | None = None) -> Reduction:
        """Reduce the samples to the triangular systems that least squares needs.

        Args:
            importance: Gives, for blocks A (s, n, p) and tau (s, n), factors (s, n) of the squares.
        """
        return Reduction.of(self.rows(importance), self.columns)

    def folds(self, count: int) -> list[Reduction]:
        """The samples in so many stretches of equal length, each reduced by itself, in one pass."""
        expect("whole", count=count)
        parts = groupby(self._cut(count), key=itemgetter(0))
        return [Reduction.of((rows[1:] for rows in part), self.columns) for _, part in parts]

    def _cut(self, count: int) -> Iterator[tuple[int, Floats, Floats]]:
        """The rows, each part of a block with the number of the stretch that it is of."""
        stretches = list(pairwise(np.linspace(0, self.samples, count + 1).astype(int).tolist()))
        at = 0
        for A, tau in self.rows():
            for k, (first, last) in enumerate(stretches):
                own = slice(max(first - at, 0), max(last - at, 0))
                if len(tau[own]):
                    yield k, A[own], tau[own]
            at += len(tau)

    def rows(
        self, importance: Callable[[Floats, Floats], Floats] | None = None
    ) -> Iterator[tuple[Floats, ...]]:
        """Blocks of A = [Y F] (s, n, p) and tau (s, n), with factors (s, n) where asked for."""
        for Y, F, tau in self.blocks():
            A = Y if not len(self.nuisance) else np.concatenate([Y, F], axis=2)
            yield (A, tau) if importance is None else (A, tau, importance(A, tau))

    @classmethod
    def of_arrays(
        cls, Y: ArrayLike, tau: ArrayLike, nuisance: Nuisance | None = None, order: Order = "urdf"
    ) -> Samples:
        """Samples that are there.

        Args:
            Y: (S, n, 10 L), tau = Y theta; or (S, 10 L), which counts as one joint.
            tau: (S, n), or (S,).
            nuisance: With ready columns.
            order: Of the last six of each body's columns.

        Raises:
            ParameterError: Shapes that do not fit.
        """
        expect(Nuisance, "nothing", nuisance=nuisance)
        Y, tau = read_reals("Y", Y), read_reals("tau", tau)
        if Y.ndim == 2 and tau.ndim == 1:
            Y, tau = Y[:, None, :], tau[:, None]
        if Y.ndim != 3 or Y.shape[2] % 10 or Y.shape[2] == 0 or tau.shape != Y.shape[:2]:
            raise ParameterError(
                f"Y has shape {Y.shape} and tau {tau.shape}, expected (S, n, 10 L) and (S, n), or "
                "(S, 10 L) and (S,): ten columns for each body, a row for each torque"
            )
        beside = nuisance or Nuisance()
        if len(beside) and beside.ready is None:
            raise ParameterError(
                "friction and the like are declared by terms, whose columns follow from the "
                "motion: give Samples.of_trajectory, or the columns by Nuisance.from_columns"
            )
        F = np.zeros((*tau.shape, 0)) if beside.ready is None else beside.ready
        if F.shape[:2] != tau.shape:
            raise ParameterError(
                f"nuisance columns have shape {F.shape}, expected {(*tau.shape, len(beside))}"
            )

        def source() -> Iterator[Block]:
            step = max(16, ENTRIES // max(Y[:1].size, 1))
            for start in range(0, len(tau), step):
                rows = slice(start, start + step)
                yield Y[rows], F[rows], tau[rows]

        return cls(Y.shape[2] // 10, Y.shape[1], beside, source, len(tau), order)

    @classmethod
    def of_trajectory(  # noqa: PLR0913 - a motion and what is asked of it
        cls,
        tree: Tree,
        q: ArrayLike,
        u: ArrayLike,
        du: ArrayLike,
        tau: ArrayLike,
        nuisance: Nuisance | None = None,
        *,
        bodies: Sequence[int] | None = None,
        gravity: ArrayLike = GRAVITY,
        order: Order = "urdf",
        rest: float = tolerances.REST,
        rows: int | None = None,
        load_rows: Floats | None = None,
    ) -> Samples:
        """Samples of a motion.

        Args:
            tree: The robot.
            q: (S, n_q) coordinates.
            u: (S, n) velocities.
            du: (S, n) accelerations.
            tau: (S, n) torques [N m] or forces [N].
            nuisance: What stands beside the bodies.
            bodies: Indices of those to identify; the others stay as the tree has them, and their
                torque is subtracted. None for all.
            gravity: (3,) in the axes of I [m/s^2].
            order: Of the last six of each body's columns.
            rest: Part of the fastest a joint gets up to which it stands still, without Coulomb
                friction.
            rows: Samples in memory at a time; None for some megabytes.
            load_rows: (S, n, 10 L) rows of the friction of the load, if they are not those of the
                motion but filtered ones.

        Raises:
            ParameterError: Shapes that do not fit, an unknown order.
        """
        expect(Tree, tree=tree)
        expect(Nuisance, "nothing", nuisance=nuisance)
        expect("list", "nothing", bodies=bodies)
        for body in () if bodies is None else bodies:
            expect("whole", "text", bodies=body)
        expect("number", rest=rest)
        beside = nuisance or Nuisance()
        motion = [
            read_reals(name, value)
            for name, value in zip(("q", "u", "du"), (q, u, du), strict=True)
        ]
        tau = read_reals("tau", tau)
        if tau.ndim != 2:
            raise ParameterError(f"tau has shape {tau.shape}, expected (S, {tree.n_u})")
        if motion[0].ndim and len(motion[0]) != len(tau):
            raise ParameterError(f"q has {len(motion[0])} samples and tau {len(tau)}")
        widths = (tree.n_q, tree.n_u, tree.n_u, tree.n_u)
        for name, array, width in zip(("q", "u", "du", "tau"), (*motion, tau), widths, strict=True):
            if array.shape != (len(tau), width):
                raise ParameterError(
                    f"{name} has shape {array.shape}, expected {(len(tau), width)}"
                )
        chosen = list(range(len(tree))) if bodies is None else [tree.index(body) for body in bodies]
        kept = list_columns(chosen)
        rest_of = [
            body
            for body in range(len(tree))
            if body not in chosen and tree.columns[body] and np.any(tree.theta[body])
        ]
        others = list_columns(rest_of)
        fixed = np.asarray(reorder(tree.theta[rest_of], "urdf", order))
        whole = np.array_equal(kept, np.arange(10 * len(tree)))
        loaded = has_load(beside)
        u = motion[1]
        fastest: Floats = np.maximum(u.max(axis=0, initial=0.0), -u.min(axis=0, initial=0.0))
        slowest = rest * fastest
        if rows is None:
            rows = max(16, ENTRIES // max(10 * len(tree) * tree.n_u, 1))

        def source() -> Iterator[Block]:
            for start in range(0, len(tau), rows):
                part = slice(start, start + rows)
                q_, u_, du_ = (array[part] for array in motion)
                Y = np.asarray(regressor(tree, q_, u_, du_, gravity=gravity, order=order))
                own = tau[part]
                if not whole:
                    Y = Y[:, :, np.append(kept, others) if len(fixed) else kept]
                F = beside.columns(u_, du_, slowest) if beside.ready is None else beside.ready[part]
                if loaded and beside.point is not None:
                    moving = np.where(np.abs(u_) <= slowest, 0.0, u_)
                    theta = np.append(beside.point.theta, fixed.ravel())
                    signs = find_load_rows(Y, moving, theta)
                    loads = signs[:, :, None] * Y if load_rows is None else load_rows[part]
                    yield add_load(beside, (Y, F, own), loads, theta)
                else:
                    yield Y, F, own

        def linearise(point: OperatingPoint | None) -> Samples:
            return cls.of_trajectory(
                tree,
                motion[0],
                motion[1],
                motion[2],
                tau,
                beside.linearise(point),
                bodies=bodies,
                gravity=gravity,
                order=order,
                rest=rest,
                rows=rows,
            )

        again = linearise if beside.nonlinear and beside.point is None else None
        return cls(
            len(chosen),
            tree.n_u,
            beside,
            source,
            len(tau),
            order,
            fixed,
            fastest=fastest,
            linearised=again,
        )


def read_reals(name: str, value: ArrayLike) -> Floats:
    """Read an argument as an array of doubles.

    Raises:
        ParameterError: It holds no numbers. The message names the argument.
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "Oc":  # NumPy would read None as NaN, and drop imaginary parts
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} cannot be read as an array: {error}") from error
    raise ParameterError(f"{name} holds {array.dtype}, expected real numbers")


@dataclass(frozen=True, eq=False, repr=False)
class InstrumentedReduction(Reduction):
    """Reduction of samples whose equations are projected on instruments.

    Residuals are those of the samples; the system to be solved is the projected one.

    Attributes:
        extended: Reduction of the same torques with the columns [Z Y].
    """

    extended: Reduction

    @classmethod
    def of_samples(cls, samples: Samples, instruments: Samples) -> InstrumentedReduction:
        """Reduce samples and their instruments, block by block.

        Args:
            samples: Samples of the equations Y theta = tau.
            instruments: Samples of the same size, whose columns are the instruments; their torques
                have no effect.

        Raises:
            ParameterError: Instruments of other sizes, or samples that cannot be reduced.
        """
        found = (instruments.samples, instruments.joints, instruments.columns, instruments.order)
        expected = (samples.samples, samples.joints, samples.columns, samples.order)
        if found != expected:
            raise ParameterError(
                f"instruments have {found[0]} samples of {found[1]} joints and {found[2]} columns "
                f"in order {found[3]}, expected {expected[0]}, {expected[1]}, {expected[2]} and "
                f"{expected[3]}, as the regressor has"
            )
        extended = Reduction.of(_pair_rows(samples, instruments), 2 * samples.columns)
        plain = samples.reduce()
        return cls(plain.columns, plain.systems, extended)

    def relabel(self, labels: Integers) -> InstrumentedReduction:
        """Return the same samples with the columns in another order."""
        plain = super().relabel(labels)
        both = np.concatenate([labels, len(labels) + labels])
        return InstrumentedReduction(plain.columns, plain.systems, self.extended.relabel(both))

    def merge(self, *others: Reduction) -> Reduction:
        """Return the reduction of all samples together.

        Raises:
            ParameterError: One of them has other columns, or no instruments.
        """
        extended = [each.extended for each in others if isinstance(each, InstrumentedReduction)]
        if len(extended) < len(others):
            raise ParameterError("a reduction with instruments merges only with others of them")
        plain = super().merge(*others)
        whole = self.extended.merge(*extended)
        return InstrumentedReduction(plain.columns, plain.systems, whole)

    def stack(self, weights: Floats) -> tuple[Floats, Floats, float]:
        """Build the projected system of all joints.

        Args:
            weights: (n,) factors of the residuals of each joint.

        Returns:
            A (r, p), b (r,) and the squares of the torques that the instruments do not explain.
        """
        count = self.columns
        whole, b, rest = self.extended.stack(weights)
        Z, Y = whole[:count, :count], whole[:count, count:]
        size = np.linalg.norm(Z, axis=0)
        U, values, _ = np.linalg.svd(Z / np.where(size > 0, size, 1.0))
        # Bodies have dependent columns, so that QR leaves rows of rounding, which are no
        # instruments: only directions above the rounding of the samples are kept.
        least = count * tolerances.EPS * values.max(initial=0.0)
        basis = U[:, : int(np.sum(values > least))]
        projected = basis.T @ b[:count]
        squares = max(float(b @ b) + rest - float(projected @ projected), 0.0)
        return basis.T @ Y, projected, squares


def _pair_rows(samples: Samples, instruments: Samples) -> Iterator[tuple[Floats, Floats]]:
    """Give blocks of [Z Y] (s, n, 2 p) and tau (s, n), whatever the blocks of each are."""
    others = instruments.rows()
    waiting = np.zeros((0, samples.joints, samples.columns))
    for Y, tau in samples.rows():
        while len(waiting) < len(Y):
            waiting = np.concatenate([waiting, next(others)[0]])
        yield np.concatenate([waiting[: len(Y)], Y], axis=2), tau
        waiting = waiting[len(Y) :]


@dataclass(frozen=True, eq=False)
class Measurements:
    """Samples, or only their reduction, and the meaning of their columns.

    Attributes:
        samples: None if only the reduction is known.
        reduced: The reduction, if it is known or there are no samples.
        nuisance: Torques besides those of the bodies.
        order: Order of the last six columns of each body.
        instruments: Samples whose columns are instruments; None for least squares.
    """

    samples: Samples | None
    reduced: Reduction | None
    nuisance: Nuisance
    order: Order = "urdf"
    instruments: Samples | None = None

    def with_instruments(self, instruments: ArrayLike | Samples) -> Measurements:
        """Project the equations on instruments.

        Raises:
            ParameterError: There are no samples, only their reduction; friction is nonlinear; or
                the instruments have another shape.
        """
        samples = self.samples
        if samples is None:
            raise ParameterError(
                "instruments are columns for each sample: a Reduction has none; give Samples or "
                "arrays"
            )
        if samples.nuisance.nonlinear:
            raise ParameterError("instruments go with friction that is linear in its numbers")
        if not isinstance(instruments, Samples):
            Z = read_reals("instruments", instruments)
            expected = (samples.samples, samples.joints, 10 * samples.bodies)
            if Z.ndim == 2 and samples.joints == 1:
                Z = Z[:, None, :]
            if Z.shape != expected:
                raise ParameterError(
                    f"instruments have shape {Z.shape}, expected {expected}, as the regressor has"
                )
            beside = np.concatenate([F for _, F, _ in samples.blocks()])
            nuisance = replace(samples.nuisance, ready=beside)
            instruments = Samples.of_arrays(Z, 0 * Z[:, :, 0], nuisance, samples.order)
        return replace(self, reduced=None, instruments=instruments)

    @classmethod
    def read(
        cls,
        Y: ArrayLike | Samples | Reduction,
        tau: ArrayLike | None,
        nuisance: Nuisance | Mapping[str, ArrayLike] | ArrayLike | None,
        order: Order,
    ) -> Measurements:
        """Read the arguments of `identify`.

        Raises:
            ParameterError: Arguments contradict each other, or shapes do not fit.
        """
        reorder(np.zeros(10), "urdf", order)  # refuses an unknown order
        if isinstance(Y, (Samples, Reduction)) and tau is not None:
            raise ParameterError(f"{Y!r} holds its torques: expected tau=None beside it")
        if isinstance(Y, Samples):
            if nuisance is not None:
                raise ParameterError("Samples hold their nuisance: declare it where they are made")
            return cls(Y, None, Y.nuisance, Y.order)
        further = read_nuisance(nuisance)
        if isinstance(Y, Reduction):
            if Y.columns <= len(further) or (Y.columns - len(further)) % 10:
                raise ParameterError(
                    f"{Y!r} beside {len(further)} nuisance columns: expected ten columns a body"
                )
            return cls(None, Y, further, order)
        if tau is None:
            raise ParameterError("tau is None: the torques (S, n) are needed beside a regressor")
        return cls(Samples.of_arrays(Y, tau, further, order), None, further, order)

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        if self.samples is not None:
            return self.samples.bodies
        assert self.reduced is not None
        return (self.reduced.columns - len(self.nuisance)) // 10

    @property
    def labels(self) -> Integers:
        """(p,) place of each column in order "urdf"."""
        further = 10 * self.bodies + np.arange(len(self.nuisance))
        return np.concatenate([label_columns(self.bodies, self.order), further])

    @cached_property
    def whole(self) -> Reduction:
        """Reduction of all samples, in order "urdf"."""
        if self.reduced is not None:
            return self.reduced.relabel(self.labels)
        assert self.samples is not None
        if self.instruments is not None:
            reduction = InstrumentedReduction.of_samples(self.samples, self.instruments)
            return reduction.relabel(self.labels)
        return self.samples.reduce().relabel(self.labels)

    def folds(self, count: int) -> list[Reduction]:
        """Reduce consecutive parts of the samples, each by itself, in order "urdf".

        Raises:
            ParameterError: There are no samples, only their reduction.
        """
        if self.samples is None:
            raise ParameterError(
                "regularization 'k-fold' leaves out samples in turn: a Reduction has none; give "
                "Samples, arrays, or a number"
            )
        return [fold.relabel(self.labels) for fold in self.samples.folds(count)]


def read_nuisance(
    given: Nuisance | Mapping[str, ArrayLike] | ArrayLike | None,
) -> Nuisance:
    """Read the torques besides those of the bodies, in any of their forms.

    Raises:
        ParameterError: Columns of different shapes.
    """
    if given is None:
        return Nuisance()
    if isinstance(given, Nuisance):
        return given
    if isinstance(given, Mapping):
        columns = [read_floats((), nuisance=column)[0] for column in given.values()]
        shapes = {column.shape for column in columns}
        if len(shapes) > 1:
            raise ParameterError(f"nuisance columns have shapes {shapes}, expected one for all")
        return Nuisance.from_columns(np.stack(columns, axis=-1), list(given))
    return Nuisance.from_columns(read_floats((), nuisance=given)[0])
