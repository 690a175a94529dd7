"""Where samples come from: arrays, or a tree and its motion, whose regressor is made by blocks.

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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.identification.fit.nuisance import (
    Nuisance,
    OperatingPoint,
    add_load,
    find_load_rows,
    has_load,
)
from inertial_check.identification.fit.reduction import Reduction, label_columns, list_columns
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, read_floats
from inertial_check.inertia.representations import Order, reorder
from inertial_check.mechanics.equations import GRAVITY, regressor
from inertial_check.mechanics.tree import Tree

__all__ = ["ENTRIES", "Block", "InstrumentedReduction", "Measurements", "Samples", "read_nuisance"]


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
