"""Where samples come from: arrays, or a tree and its motion, whose regressor is made by blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.dynamics.equations import GRAVITY, regressor
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import ParameterError, expect
from inertial_check.identification.estimation.joint_friction import (
    OperatingPoint,
    add_load,
    find_load_rows,
    has_load,
)
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import Reduction, list_columns
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import Order, reorder

__all__ = [
    "ENTRIES",
    "Block",
    "Samples",
]

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
        """The samples, from the first on."""
        if self.gains is None and not len(self.known):
            return self.source()
        return self._convert_blocks()

    def _convert_blocks(self) -> Iterator[Block]:
        """Multiply torques by the drive gains, and subtract those of known bodies."""
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
        fastest = _find_fastest(motion[1])
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


def _find_fastest(u: Floats) -> Floats:
    """Find the highest speeds (n,) of velocities (S, n), without an array as large as they are."""
    fastest: Floats = np.maximum(u.max(axis=0, initial=0.0), -u.min(axis=0, initial=0.0))
    return fastest


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
