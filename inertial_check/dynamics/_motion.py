"""Where every body of a tree is and how it moves: one pass from the root, in the axes of I.

Bodies are seen from joint frames J, with the axis of the joint as z and its line through the origin
Jo; J is the body frame where there is no axis. Positions are measured from the root where that
floats, so that a robot far from the origin of I loses no digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Array, Floats, Namespace
from inertial_check.dynamics._batches import Chunk, configurations_first, configurations_last
from inertial_check.dynamics._vectors import apply, cross
from inertial_check.dynamics.tree import INERTIAL_FRAME, Tree
from inertial_check.spatial.rotations import matrix_from_quaternion

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
        frame = _attach(chunk, above, tree.X_PJ[body])
        if joint == "revolute":
            sine, cosine = (each[place.start] for each in turns)
            frame = _turn(chunk, frame, (sine, cosine), tree.velocities[body].start)
        elif joint == "prismatic":
            frame = _slid(chunk, frame, chunk.q[place.start], tree.velocities[body].start)
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


def _still(chunk: Chunk, moving: bool, gravity: Floats | None) -> Frame:
    """The frame I."""
    identity = chunk.constant(np.eye(3))[..., None] + chunk.zeros(3, 3)
    if not moving:
        return Frame(identity, chunk.zeros(3))
    none, a = chunk.zeros(3), chunk.zeros(3)
    if gravity is not None:
        a = a - chunk.constant(gravity)[:, None]
    return Frame(identity, chunk.zeros(3), Motion(none, none, a, chunk.zeros(3, 3)))


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


def _slid(chunk: Chunk, frame: Frame, q: Array, place: int) -> Frame:
    """A frame after a slide along its own z."""
    z = frame.R[:, _Z]
    r, motion = q * z, frame.motion
    if motion is not None:
        a = motion.a + apply(motion.A, r)
        if chunk.u is not None:
            a = a + 2 * cross(chunk.xp, motion.w, chunk.u[place] * z)  # Coriolis
        if chunk.du is not None:
            a = a + chunk.du[place] * z
        motion = motion._replace(a=a)
    return Frame(frame.R, frame.p + r, motion)


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
