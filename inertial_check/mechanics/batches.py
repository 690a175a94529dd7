"""Configurations that callers pass: looked over, of one library, configurations last, in chunks.

Vectors (..., 3, k) and matrices (..., 3, 3, k) over k configurations, the last axis.

With the configurations last, every operation runs over contiguous numbers, in any array library.

Where every body of a tree is and how it moves: one pass from the root, in the axes of I.

Bodies are seen from joint frames J, with the axis of the joint as z and its line through the origin
Jo; J is the body frame where there is no axis. Positions are measured from the root where that
floats, so that a robot far from the origin of I loses no digit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import frames, tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Floats,
    Namespace,
    NumpyArray,
    batch_shape,
    constant_like,
    cross_components,
    device_of,
    expect_shape,
    first_index,
    real_arrays,
)
from inertial_check.mechanics.rotations import matrix_from_quaternion
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree

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
        xp = self.xp
        for joint, place in zip(self.tree.joints, self.tree.coordinates, strict=True):
            if joint != "floating":
                continue
            square = xp.sum(self.like[..., place.start + 3 : place.stop] ** 2, axis=-1)
            floor = tolerances.rotation_floor(self.like.dtype, xp)
            bad = first_index(xp, ~(xp.abs(square - 1) <= floor))
            if bad is not None:
                where = f" of configuration {bad[0] if len(bad) == 1 else bad}" if bad else ""
                raise ParameterError(
                    f"the quaternion q[{place.start + 3}:{place.stop}]{where} has the length "
                    f"{float(square[bad]) ** 0.5:.10g}, expected 1"
                )
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
        fits = isinstance(out, np.ndarray) and out.shape == whole and out.flags.c_contiguous
        if self.xp is not np or not fits or out.dtype != self.like.dtype:
            got = f"{getattr(out, 'dtype', '')} {tuple(getattr(out, 'shape', ()))}"
            raise ParameterError(
                f"out is {type(out).__name__} {got}, expected a contiguous NumPy array of "
                f"{self.like.dtype} {whole}, for NumPy arrays q"
            )
        flat, start = out.reshape(self.count, *shape), 0
        for chunk in self._chunks():
            work(chunk, flat[start : start + chunk.count])
            start += chunk.count
        return out

    def _flat(self, array: Array, *trailing: int) -> Array:
        whole = self.xp.broadcast_to(array, (*self.shape, *trailing))
        return self.xp.reshape(whole, (self.count, *trailing))

    def _chunks(self) -> Iterator[Chunk]:
        size = max(self.count, 1)
        if self.xp is np:
            size = _AT_ONCE
        for start in range(0, max(self.count, 1), size):
            rows = slice(start, min(start + size, self.count))
            parts = {
                name: configurations_last(self.xp, array[rows])
                for name, array in self._rows.items()
            }
            if self._theta is None:
                theta = constant_like(self.xp, self.tree.theta_J, self.like)[..., None]
            elif self._theta.ndim == 2:
                theta = self._theta[..., None]
            else:
                theta = configurations_last(self.xp, self._theta[rows])
            count = rows.stop - rows.start
            beside = {name: parts[name] for name in self._beside}
            yield Chunk(self.xp, count, parts["q"], parts.get("u"), parts.get("du"), theta, beside)


_NEXT, _LAST = (1, 2, 0), (2, 0, 1)

_einsum: Callable[..., NumpyArray] = np.einsum  # NumPy declares the result of both as Any
_matmul: Callable[..., NumpyArray] = np.matmul


def cross(xp: Namespace, a: Array, b: Array) -> Array:
    """A x b, (..., 3, k)."""
    if xp is np:
        out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
        for i, j, k in zip(range(3), _NEXT, _LAST, strict=True):
            np.multiply(a[..., j, :], b[..., k, :], out=out[..., i, :])
            out[..., i, :] -= a[..., k, :] * b[..., j, :]
        return out
    first, second = ([v[..., i, :] for i in range(3)] for v in (a, b))
    return xp.stack(list(cross_components(first, second)), axis=-2)


def apply(M: Array, a: Array) -> Array:
    """M a, (3, k); one of them may be a constant, (..., 1)."""
    if isinstance(M, np.ndarray):
        if M.shape[-1] == 1:
            return _matmul(M[..., 0], a)
        if a.shape[-1] == 1:
            return _matmul(a[:, 0], M)
        return _einsum("ijk,jk->ik", M, a)
    return M[:, 0] * a[0] + M[:, 1] * a[1] + M[:, 2] * a[2]


def apply_transpose(M: Array, a: Array) -> Array:
    """M^T a, (3, k)."""
    if isinstance(M, np.ndarray):
        return _einsum("jik,jk->ik", M, a)
    return M[0] * a[0] + M[1] * a[1] + M[2] * a[2]


def product(A: Array, B: Array) -> Array:
    """A B, (3, 3, k); B may be a constant, (3, 3, 1)."""
    if isinstance(A, np.ndarray):
        if B.shape[-1] == 1:
            return _matmul(B[..., 0].T, A)
        return _einsum("ijk,jlk->ilk", A, B)
    return A[:, 0, None] * B[None, 0] + A[:, 1, None] * B[None, 1] + A[:, 2, None] * B[None, 2]


def multiply_transpose(A: Array, B: Array) -> Array:
    """A B^T, (3, 3, k)."""
    if isinstance(A, np.ndarray):
        return _einsum("ijk,ljk->ilk", A, B)
    parts = [A[:, i, None] * B[None, :, i] for i in range(3)]
    return parts[0] + parts[1] + parts[2]


def outer(a: Array, b: Array) -> Array:
    """The outer product a b^T, (..., 3, 3, k)."""
    return a[..., :, None, :] * b[..., None, :, :]


def trace(M: Array) -> Array:
    """(..., k)."""
    return M[..., 0, 0, :] + M[..., 1, 1, :] + M[..., 2, 2, :]


def symmetric(xp: Namespace, six: Array) -> Array:
    """(..., 3, 3, k) of xx, xy, xz, yy, yz, zz (..., 6, k)."""
    rows = ((0, 1, 2), (1, 3, 4), (2, 4, 5))
    return xp.stack([xp.stack([six[..., i, :] for i in row], axis=-2) for row in rows], axis=-3)


def second_moments(xp: Namespace, inertia: Array) -> Array:
    """S = tr(I)/2 1 - I, (..., 3, 3, k), of I (..., 3, 3, k) about the same point."""
    half = trace(inertia) / 2
    none = xp.zeros_like(half)
    rows = ((half, none, none), (none, half, none), (none, none, half))
    return xp.stack([xp.stack(row, axis=-2) for row in rows], axis=-3) - inertia


_Z = 2


class Motion(NamedTuple):
    """How a frame F moves, at all configurations.

    Attributes:
        w: (3, k) angular velocity [rad/s].
        alpha: (3, k) angular acceleration [rad/s^2].
        a: (3, k) acceleration of Fo [m/s^2].
        A: (3, 3, k) alpha^ + w^ w^: a point at r from Fo has the acceleration a + A r.
    """

    w: Array
    alpha: Array
    a: Array
    A: Array


class Frame(NamedTuple):
    """Where a frame F is at all configurations; how it moves, if the walk follows that.

    Attributes:
        R: (3, 3, k) R_IF.
        p: (3, k) p_IoFo_I [m].
        motion: Velocities and accelerations; None where the walk only follows positions.
    """

    R: Array
    p: Array
    motion: Motion | None = None


class Column(NamedTuple):
    """Motion of a body, and of all that it carries, while one of its velocities is 1, others 0.

    Attributes:
        axis: (3, k) angular velocity, or velocity of the point Jo.
        turns: Whether the axis is an angular velocity.
    """

    axis: Array
    turns: bool

    def twist(self, xp: Namespace, p: Array) -> tuple[Array, Array]:
        """Angular velocity, and velocity at the origin of p, of a body whose Jo is at p."""
        if not self.turns:
            return xp.zeros_like(self.axis), self.axis
        return self.axis, cross(xp, p, self.axis)


def walk(
    tree: Tree, chunk: Chunk, moving: bool = False, gravity: Floats | None = None
) -> Iterator[tuple[int, Frame]]:
    """The joint frames of all bodies, parents first; how they move, too, if `moving`.

    Args:
        tree: The tree.
        chunk: The configurations.
        moving: Whether to follow u and du.
        gravity: (3,) [m/s^2]; the frame I accelerates against it.
    """
    found: dict[int, Frame] = {}
    # The frame I.
    identity = chunk.constant(np.eye(3))[..., None] + chunk.zeros(3, 3)
    if not moving:
        still = Frame(identity, chunk.zeros(3))
    else:
        none, a = chunk.zeros(3), chunk.zeros(3)
        if gravity is not None:
            a = a - chunk.constant(gravity)[:, None]
        still = Frame(identity, chunk.zeros(3), Motion(none, none, a, chunk.zeros(3, 3)))
    turns = chunk.xp.sin(chunk.q), chunk.xp.cos(chunk.q)
    for body in tree.order:
        parent = int(tree.parents[body])
        above = still if parent == INERTIAL_FRAME else found[parent]
        joint, place = tree.joints[body], tree.coordinates[body]
        if joint == "floating":
            found[body] = _floating(tree, chunk, body, above)
            yield body, found[body]
            continue
        frame = _attach(chunk, above, tree.X_PJ[body])
        if joint == "revolute":
            sine, cosine = (each[place.start] for each in turns)
            frame = _turn(chunk, frame, (sine, cosine), tree.velocities[body].start)
        elif joint == "prismatic":
            # The frame slides along its own z axis.
            velocity, z = tree.velocities[body].start, frame.R[:, _Z]
            r, motion = chunk.q[place.start] * z, frame.motion
            if motion is not None:
                slide = motion.a + apply(motion.A, r)
                if chunk.u is not None:
                    coriolis = 2 * cross(chunk.xp, motion.w, chunk.u[velocity] * z)
                    slide = slide + coriolis
                if chunk.du is not None:
                    slide = slide + chunk.du[velocity] * z
                motion = motion._replace(a=slide)
            frame = Frame(frame.R, frame.p + r, motion)
        found[body] = frame
        yield body, frame


def columns(tree: Tree, chunk: Chunk, body: int, frame: Frame) -> list[Column]:
    """List the motions of a body that the velocities of its joint make."""
    joint = tree.joints[body]
    if joint == "revolute":
        return [Column(frame.R[:, _Z], turns=True)]
    if joint == "prismatic":
        return [Column(frame.R[:, _Z], turns=False)]
    if joint == "fixed":
        return []
    slides = chunk.constant(np.eye(3))[..., None] + chunk.zeros(3, 3)
    found = [Column(slides[i], turns=False) for i in range(3)]
    return found + [Column(frame.R[:, i], turns=True) for i in range(3)]


def body_frame(tree: Tree, chunk: Chunk, body: int, frame: Frame) -> Frame:
    """The frame B of a body whose joint frame is given."""
    return frame if tree.is_joint_frame[body] else _attach(chunk, frame, tree.X_JB[body])


def root_positions(tree: Tree, chunk: Chunk) -> list[Array]:
    """(3, k) for each body, from where in I the positions of its walk are measured."""
    found = {INERTIAL_FRAME: chunk.zeros(3)}
    for body in tree.order:
        found[body] = found[int(tree.parents[body])]
        if tree.joints[body] == "floating":
            start = tree.coordinates[body].start
            found[body] = chunk.q[start : start + 3]
    return [found[body] for body in range(len(tree))]


def _attach(chunk: Chunk, above: Frame, X_PF: Floats) -> Frame:
    """A frame that is fixed in another."""
    both = chunk.xp.matmul(chunk.constant(X_PF[:3].T), above.R)
    r = both[:, 3]
    motion = above.motion
    if motion is not None:
        motion = motion._replace(a=motion.a + apply(motion.A, r))
    return Frame(both[:, :3], above.p + r, motion)


def _turn(chunk: Chunk, frame: Frame, turn: tuple[Array, Array], place: int) -> Frame:
    """A frame after a turn about its own z."""
    xp, (sine, cosine), old = chunk.xp, turn, frame.R
    x, y, z = (old[:, i] for i in range(3))
    if xp is np:
        new = np.empty_like(old)
        np.multiply(x, cosine, out=new[:, 0])
        new[:, 0] += y * sine
        np.multiply(y, cosine, out=new[:, 1])
        new[:, 1] -= x * sine
        new[:, 2] = z
        R: Array = new
    else:
        R = xp.stack([cosine * x + sine * y, cosine * y - sine * x, z], axis=1)
    if frame.motion is None:
        return Frame(R, frame.p)
    w, alpha, a, _ = frame.motion
    if chunk.u is not None:
        spin = chunk.u[place] * z
        alpha = alpha + cross(xp, w, spin)
        w = w + spin
    if chunk.du is not None:
        alpha = alpha + chunk.du[place] * z
    return Frame(R, frame.p, Motion(w, alpha, a, _swing(xp, w, alpha)))


def _swing(xp: Namespace, w: Array, alpha: Array) -> Array:
    """alpha^ + w^ w^, (3, 3, k)."""
    wx, wy, wz = (w[i] for i in range(3))
    x, y, z = (alpha[i] for i in range(3))
    xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
    rows = (
        (-(yy + zz), xy - z, xz + y),
        (xy + z, -(xx + zz), yz - x),
        (xz - y, yz + x, -(xx + yy)),
    )
    return xp.stack([xp.stack(row) for row in rows])


def _floating(tree: Tree, chunk: Chunk, body: int, still: Frame) -> Frame:
    """The frame of a floating body, measured from itself."""
    place, rates = tree.coordinates[body].start, tree.velocities[body]
    quaternions = configurations_first(chunk.xp, chunk.q[place + 3 : place + 7])
    R = configurations_last(chunk.xp, matrix_from_quaternion(quaternions))
    if still.motion is None:
        return Frame(R, still.p)
    w, alpha, a, _ = still.motion
    if chunk.u is not None:
        w = apply(R, chunk.u[rates][3:])
    if chunk.du is not None:
        du = chunk.du[rates]
        alpha, a = apply(R, du[3:]), a + du[:3]
    return Frame(R, still.p, Motion(w, alpha, a, _swing(chunk.xp, w, alpha)))


def list_carriers(tree: Tree, body: int) -> list[int]:
    """The bodies on the way from the root to a body, both included."""
    found = [body]
    while tree.parents[found[-1]] != INERTIAL_FRAME:
        found.append(int(tree.parents[found[-1]]))
    return found[::-1]
