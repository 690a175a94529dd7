"""Configurations that callers pass: looked over, of one library, configurations last, in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.broadcasting import (
    batch_shape,
    device_of,
    expect_shape,
    first_index,
    real_arrays,
)
from inertial_check.arrays.types import Array, ArrayLike, Namespace, NumpyArray
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import frames, tolerances

_AT_ONCE = 2048
"""Configurations in a chunk: fewer, and calls cost more than their work; more, and memory does."""


@dataclass(frozen=True)
class Chunk:
    """Some configurations.

    Attributes:
        xp: The array library.
        count: How many configurations: k.
        q: (n_q, k) coordinates.
        u: (n_u, k) velocities; None for zero.
        du: (n_u, k) their derivatives; None for zero.
        theta: (N, 10, k) or (N, 10, 1) about the joint frames' origins, in their axes.
        beside: What else was passed with the configurations, (..., k), by name.
    """

    xp: Namespace
    count: int
    q: Array
    u: Any  # Any: Array | None; whoever asks for velocities has passed them
    du: Any  # Any: as u
    theta: Array
    beside: Mapping[str, Array]

    def constant(self, values: NumpyArray) -> Array:
        """An array of the tree's, of the library, the precision and the device of q."""
        return constant_like(self.xp, values, self.q)

    def zeros(self, *shape: int) -> Array:
        """Zeros (*shape, k)."""
        xp = self.xp
        return xp.zeros((*shape, self.count), dtype=self.q.dtype, device=device_of(self.q))

    def only(self, mask: npt.NDArray[np.bool_], array: Array) -> Array:
        """The array where the mask says so, zero elsewhere."""
        xp = self.xp
        chosen = mask if xp is np else xp.asarray(mask.tolist(), device=device_of(array))
        return xp.where(chosen, array, xp.zeros_like(array[..., :1, :1]))


def constant_like(xp: Namespace, values: Array | NumpyArray, like: Array) -> Array:
    """Make an array, mostly of NumPy, one of the library, precision and device of another."""
    if not isinstance(values, np.ndarray):  # a leaf of a JAX pytree
        return xp.asarray(values, dtype=like.dtype)
    if xp is np:
        return values.astype(like.dtype, copy=False)
    return xp.asarray(values.tolist(), dtype=like.dtype, device=device_of(like))


def configurations_first(xp: Namespace, array: Array) -> Array:
    """(..., k) as (k, ...)."""
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(np.moveaxis(array, -1, 0))
    return xp.moveaxis(array, -1, 0)


def configurations_last(xp: Namespace, array: Array) -> Array:
    """(k, ...) as (..., k)."""
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(np.moveaxis(array, 0, -1))
    return xp.moveaxis(array, 0, -1)


class Batch:
    """Configurations of a tree as a caller passes them, read as one batch.

    Args:
        tree: Whose.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities; None for zero.
        du: (..., n_u) their derivatives; None for zero.
        theta: (..., N, 10) in place of the tree's own; None for those.
        **beside: Other arrays with the configurations' axes before their own, by name, and the
            shape of their own axes.

    Raises:
        ParameterError: Shapes that do not fit, no real numbers, a quaternion that is not of length
            1; says where.
    """

    def __init__(
        self,
        tree: Tree,
        q: ArrayLike,
        u: ArrayLike | None = None,
        du: ArrayLike | None = None,
        theta: ArrayLike | None = None,
        **beside: tuple[ArrayLike, tuple[int, ...]],
    ) -> None:
        expect(Tree, tree=tree)
        if theta is None and not isinstance(tree.theta, np.ndarray):
            theta = tree.theta  # a tree that went through JAX: its numbers may be traced
        given: dict[str, Any] = {"q": q, "u": u, "du": du, "theta": theta}
        given |= {name: value for name, (value, _) in beside.items()}
        optional = ("u", "du", "theta")
        said = {
            name: value
            for name, value in given.items()
            if value is not None or name not in optional
        }
        if not isinstance(tree.theta, np.ndarray):  # numbers follow the library of the tree's
            for name, value in said.items():
                said[name] = value.tolist() if isinstance(value, np.ndarray) else value
        self.xp, arrays = real_arrays(**said)
        found = dict(zip(said, arrays, strict=True))
        sizes: dict[str, tuple[int, ...]] = {"q": (tree.n_q,), "theta": (len(tree), 10)}
        sizes |= {"u": (tree.n_u,), "du": (tree.n_u,)}
        sizes |= {name: shape for name, (_, shape) in beside.items()}
        batches = {}
        for name, array in found.items():
            expect_shape(name, array, *sizes[name])
            batches[name] = tuple(array.shape[: array.ndim - len(sizes[name])])
        self.tree = tree
        self.shape = batch_shape(**batches)
        self.count = int(np.prod(self.shape, dtype=np.int64))
        self.like = found["q"]
        self._refuse_quaternions(self.like)
        self._rows = {
            name: self._flat(found[name], *sizes[name])
            for name in ("q", "u", "du", *beside)
            if name in found
        }
        self._beside = tuple(beside)
        self._theta = None
        if "theta" in found:
            theta = frames.transform(found["theta"], tree.X_JB.tolist())
            self._theta = theta if theta.ndim == 2 else self._flat(theta, *sizes["theta"])

    def map(self, work: Callable[[Chunk], Array]) -> Array:
        """The results of a function of chunks, each (count, ...), as one array (*batch, ...)."""
        xp = self.xp
        parts = [work(chunk) for chunk in self._chunks()]
        whole = parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
        return xp.reshape(whole, (*self.shape, *whole.shape[1:]))

    def fill(
        self, work: Callable[[Chunk, NumpyArray], None], out: NumpyArray | None, *shape: int
    ) -> Array:
        """As map, for a function that writes into arrays (count, *shape); NumPy alone.

        Args:
            work: Writes every entry.
            out: Array (*batch, *shape) to write into; None for a new one.
            *shape: Of the result for one configuration.

        Raises:
            ParameterError: Another array than this can be written into.
        """
        whole = (*self.shape, *shape)
        if out is None:
            out = np.empty(whole, self.like.dtype)
        self._refuse_out(out, whole)
        flat, start = out.reshape(self.count, *shape), 0
        for chunk in self._chunks():
            work(chunk, flat[start : start + chunk.count])
            start += chunk.count
        return out

    def _refuse_out(self, out: NumpyArray, shape: tuple[int, ...]) -> None:
        fits = isinstance(out, np.ndarray) and out.shape == shape and out.flags.c_contiguous
        if self.xp is not np or not fits or out.dtype != self.like.dtype:
            got = f"{getattr(out, 'dtype', '')} {tuple(getattr(out, 'shape', ()))}"
            raise ParameterError(
                f"out is {type(out).__name__} {got}, expected a contiguous NumPy array of "
                f"{self.like.dtype} {shape}, for NumPy arrays q"
            )

    def _flat(self, array: Array, *trailing: int) -> Array:
        whole = self.xp.broadcast_to(array, (*self.shape, *trailing))
        return self.xp.reshape(whole, (self.count, *trailing))

    def _refuse_quaternions(self, q: Array) -> None:
        xp = self.xp
        for joint, place in zip(self.tree.joints, self.tree.coordinates, strict=True):
            if joint != "floating":
                continue
            square = xp.sum(q[..., place.start + 3 : place.stop] ** 2, axis=-1)
            floor = tolerances.rotation_floor(q.dtype, xp)
            bad = first_index(xp, ~(xp.abs(square - 1) <= floor))
            if bad is not None:
                where = f" of configuration {bad[0] if len(bad) == 1 else bad}" if bad else ""
                raise ParameterError(
                    f"the quaternion q[{place.start + 3}:{place.stop}]{where} has the length "
                    f"{float(square[bad]) ** 0.5:.10g}, expected 1"
                )

    def _chunks(self) -> Iterator[Chunk]:
        size = max(self.count, 1)
        if self.xp is np:
            size = _AT_ONCE
        for start in range(0, max(self.count, 1), size):
            yield self._chunk(slice(start, min(start + size, self.count)))

    def _chunk(self, rows: slice) -> Chunk:
        parts = {
            name: configurations_last(self.xp, array[rows]) for name, array in self._rows.items()
        }
        if self._theta is None:
            theta = constant_like(self.xp, self.tree.theta_J, self.like)[..., None]
        elif self._theta.ndim == 2:
            theta = self._theta[..., None]
        else:
            theta = configurations_last(self.xp, self._theta[rows])
        count = rows.stop - rows.start
        beside = {name: parts[name] for name in self._beside}
        return Chunk(self.xp, count, parts["q"], parts.get("u"), parts.get("du"), theta, beside)
