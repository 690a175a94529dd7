"""Where every body of a tree is and how it moves: one pass from the root, in the axes of I.

Bodies are seen from joint frames J, with the axis of the joint as z and its line through the origin
Jo; J is the body frame where there is no axis. Positions are measured from the root where that
floats, so that a robot far from the origin of I loses no digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Array, Floats, Namespace
from inertial_check.dynamics._batches import Chunk, configurations_first, configurations_last
from inertial_check.dynamics._vectors import applied, cross
from inertial_check.dynamics.tree import INERTIAL_FRAME, Tree
from inertial_check.spatial.rotations import matrix_from_quaternion

_Z = 2


class Frame(NamedTuple):
    """A frame F at all configurations; how it moves, where that is asked for.

    Attributes:
        R: (3, 3, k) R_IF.
        p: (3, k) p_IoFo_I [m].
        w: (3, k) angular velocity [rad/s].
        alpha: (3, k) angular acceleration [rad/s^2].
        a: (3, k) acceleration of Fo [m/s^2].
        A: (3, 3, k) alpha^ + w^ w^: a point at r from Fo has the acceleration a + A r.
    """

    R: Array
    p: Array
    w: Array | None = None
    alpha: Array | None = None
    a: Array | None = None
    A: Array | None = None


class Column(NamedTuple):
    """What one velocity at 1 does to the body that it belongs to, and to all that this carries.

    Attributes:
        turn: (3, k) angular velocity; None for none.
        slide: (3, k) velocity of the points Jo; None for none.
    """

    turn: Array | None
    slide: Array | None

    def twist(self, xp: Namespace, p: Array) -> tuple[Array, Array]:
        """Angular velocity, and velocity at the origin of p, of a body whose Jo is at p."""
        if self.turn is None:
            return xp.zeros_like(self.slide), self.slide
        return self.turn, cross(xp, p, self.turn)


def walk(
    tree: Tree, chunk: Chunk, moving: bool = False, gravity: Any = None
) -> Iterator[tuple[int, Frame]]:
    """The joint frames of all bodies, parents first; how they move, too, if `moving`.

    Args:
        tree: The tree.
        chunk: The configurations.
        moving: Whether to follow u and du.
        gravity: (3,) [m/s^2]; the frame I accelerates against it.
    """
    found: list[Any] = [None] * len(tree)
    still = _still(chunk, moving, gravity)
    turns = chunk.xp.sin(chunk.q), chunk.xp.cos(chunk.q)
    for body in tree.order:
        parent = int(tree.parents[body])
        above = still if parent == INERTIAL_FRAME else found[parent]
        joint, place = tree.joints[body], tree.coordinates[body]
        if joint == "floating":
            found[body] = _floating(tree, chunk, body, above)
            yield body, found[body]
            continue
        frame = _fixed(chunk, above, tree.X_PJ[body])
        if joint == "revolute":
            sine, cosine = (each[place.start] for each in turns)
            frame = _turned(chunk, frame, (sine, cosine), tree.velocities[body].start)
        elif joint == "prismatic":
            frame = _slid(chunk, frame, chunk.q[place.start], tree.velocities[body].start)
        found[body] = frame
        yield body, frame


def columns(tree: Tree, chunk: Chunk, body: int, frame: Frame) -> list[Column]:
    """What the velocities of a body's joint do."""
    joint = tree.joints[body]
    if joint == "revolute":
        return [Column(frame.R[:, _Z], None)]
    if joint == "prismatic":
        return [Column(None, frame.R[:, _Z])]
    if joint == "fixed":
        return []
    slides = chunk.constant(np.eye(3))[..., None] + chunk.zeros(3, 3)
    found = [Column(None, slides[i]) for i in range(3)]
    return found + [Column(frame.R[:, i], None) for i in range(3)]


def body_frame(tree: Tree, chunk: Chunk, body: int, frame: Frame) -> Frame:
    """The frame B of a body whose joint frame is given."""
    return frame if tree.is_joint_frame[body] else _fixed(chunk, frame, tree.X_JB[body])


def root_positions(tree: Tree, chunk: Chunk) -> list[Array]:
    """(3, k) for each body, from where in I the positions of its walk are measured."""
    found = {INERTIAL_FRAME: chunk.zeros(3)}
    for body in tree.order:
        found[body] = found[int(tree.parents[body])]
        if tree.joints[body] == "floating":
            start = tree.coordinates[body].start
            found[body] = chunk.q[start : start + 3]
    return [found[body] for body in range(len(tree))]


def _still(chunk: Chunk, moving: bool, gravity: Any) -> Frame:
    """The frame I."""
    identity = chunk.constant(np.eye(3))[..., None] + chunk.zeros(3, 3)
    still = Frame(identity, chunk.zeros(3))
    if not moving:
        return still
    none, a = chunk.zeros(3), chunk.zeros(3)
    if gravity is not None:
        a = a - chunk.constant(gravity)[:, None]
    return still._replace(w=none, alpha=none, a=a, A=chunk.zeros(3, 3))


def _fixed(chunk: Chunk, above: Frame, X_PF: Floats) -> Frame:
    """A frame that is fixed in another."""
    both = chunk.xp.matmul(chunk.constant(X_PF[:3].T), above.R)
    r = both[:, 3]
    a = None if above.a is None else above.a + applied(above.A, r)
    return above._replace(R=both[:, :3], p=above.p + r, a=a)


def _turned(chunk: Chunk, frame: Frame, turn: tuple[Array, Array], place: int) -> Frame:
    """A frame after a turn about its own z."""
    xp, (sine, cosine), old = chunk.xp, turn, frame.R
    x, y, z = (old[:, i] for i in range(3))
    if xp is np:
        R = np.empty_like(old)
        np.multiply(x, cosine, out=R[:, 0])
        R[:, 0] += y * sine
        np.multiply(y, cosine, out=R[:, 1])
        R[:, 1] -= x * sine
        R[:, 2] = z
    else:
        R = xp.stack([cosine * x + sine * y, cosine * y - sine * x, z], axis=1)
    if frame.w is None or frame.alpha is None:
        return frame._replace(R=R)
    w, alpha = frame.w, frame.alpha
    if chunk.u is not None:
        spin = chunk.u[place] * z
        alpha = alpha + cross(xp, w, spin)
        w = w + spin
    if chunk.du is not None:
        alpha = alpha + chunk.du[place] * z
    return frame._replace(R=R, w=w, alpha=alpha, A=_swing(xp, w, alpha))


def _slid(chunk: Chunk, frame: Frame, q: Array, place: int) -> Frame:
    """A frame after a slide along its own z."""
    z = frame.R[:, _Z]
    r, a = q * z, frame.a
    if a is not None:
        a = a + applied(frame.A, r)
        if chunk.u is not None:
            a = a + 2 * cross(chunk.xp, frame.w, chunk.u[place] * z)
        if chunk.du is not None:
            a = a + chunk.du[place] * z
    return frame._replace(p=frame.p + r, a=a)


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
    frame = still._replace(R=R)
    if frame.w is None:
        return frame
    w, alpha, a = frame.w, frame.alpha, frame.a
    if chunk.u is not None:
        w = applied(R, chunk.u[rates][3:])
    if chunk.du is not None:
        du = chunk.du[rates]
        alpha, a = applied(R, du[3:]), a + du[:3]
    return frame._replace(w=w, alpha=alpha, a=a, A=_swing(chunk.xp, w, alpha))
