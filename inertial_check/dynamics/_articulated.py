"""Articulated bodies of forward dynamics, in NumPy and other array libraries.

An articulated body is a body with all that it carries, whose joints give way; see `forward`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Array, Namespace
from inertial_check.dynamics._batches import Chunk, constant_like
from inertial_check.dynamics._motion import Column, Frame
from inertial_check.dynamics._vectors import (
    apply,
    apply_transpose,
    cross,
    multiply_transpose,
    outer,
    product,
    symmetric,
)
from inertial_check.dynamics.tree import Tree
from inertial_check.spatial.added_mass import transform_added_mass

_LINEAR, _ANGULAR = slice(0, 3), slice(3, 6)


class Articulated(NamedTuple):
    """An articulated body about Jo, and the wrench that its joints' forces bring it.

    Attributes:
        A: (3, 3, k) moments of angular accelerations.
        B: (3, 3, k) moments of linear accelerations.
        C: (3, 3, k) forces of linear accelerations.
        moment: (3, k) about Jo.
        force: (3, k).
    """

    A: Array
    B: Array
    C: Array
    moment: Array
    force: Array


class Part(NamedTuple):
    """Joint terms of an articulated body, for one axis of its joint.

    Attributes:
        turning: (3, k) moment about Jo at a unit acceleration.
        moving: (3, k) force at a unit acceleration.
        inertia: (k,) along the axis itself.
        rest: (k,) force along the axis that the bodies behind it leave.
    """

    turning: Array
    moving: Array
    inertia: Array
    rest: Array


def compose_rigid(chunk: Chunk, body: int, frame: Frame) -> Articulated:
    """A rigid body alone, about Jo in the axes of I."""
    xp, theta = chunk.xp, chunk.theta[body]
    mass, h = theta[0], apply(frame.R, theta[1:4]) + chunk.zeros(3)
    inertia = product(frame.R, symmetric(xp, theta[4:]))
    none = xp.zeros_like(h[0])
    B = xp.stack(
        [
            xp.stack([none, -h[2], h[1]]),
            xp.stack([h[2], none, -h[0]]),
            xp.stack([-h[1], h[0], none]),
        ]
    )
    C = chunk.constant(np.eye(3))[..., None] * (mass + none)
    return Articulated(multiply_transpose(inertia, frame.R), B, C, chunk.zeros(3), chunk.zeros(3))


def add_fluid(tree: Tree, chunk: Chunk, body: int, frame: Frame, rigid: Articulated) -> Articulated:
    """A body with the added mass of the fluid around it."""
    X_JB = tree.X_JB[body].tolist()  # follows the library of the fluid's numbers
    added = transform_added_mass(tree.added_mass[body], X_JB, order="linear-angular")
    C, B, A = (
        constant_like(chunk.xp, added[rows, columns], frame.R)[..., None]
        for rows, columns in ((_LINEAR, _LINEAR), (_ANGULAR, _LINEAR), (_ANGULAR, _ANGULAR))
    )
    C, B, A = (multiply_transpose(product(frame.R, each), frame.R) for each in (C, B, A))
    return rigid._replace(A=rigid.A + A, B=rigid.B + B, C=rigid.C + C)


def give_way(chunk: Chunk, column: Column, whole: Articulated, tau: Array) -> Part:
    """Joint terms of an articulated body: its response to a unit acceleration of a column."""
    axis = column.axis
    if column.turns:
        turning, moving = apply(whole.A, axis), apply_transpose(whole.B, axis)
        return Part(turning, moving, dot(axis, turning), tau - dot(axis, whole.moment))
    turning, moving = apply(whole.B, axis), apply(whole.C, axis)
    return Part(turning, moving, dot(axis, moving), tau - dot(axis, whole.force))


def take_part(whole: Articulated, part: Part) -> Articulated:
    """An articulated body behind a joint that gives way."""
    turning, moving = part.turning / part.inertia, part.moving / part.inertia
    return Articulated(
        whole.A - outer(turning, part.turning),
        whole.B - outer(turning, part.moving),
        whole.C - outer(moving, part.moving),
        whole.moment + turning * part.rest,
        whole.force + moving * part.rest,
    )


def join_articulated(xp: Namespace, P: Articulated, body: Articulated, r: Array) -> Articulated:
    """An articulated body P with another one whose point Jo is at r from that of P."""
    C = body.C
    coupling = body.B + transpose(xp, cross(xp, r, transpose(xp, C)))
    # r^ B^T and (B + r^ C) r^, row by row: a^ of a column is a cross product.
    lifted = transpose(xp, cross(xp, r, body.B))
    return Articulated(
        P.A + body.A + lifted - cross(xp, coupling, r),
        P.B + coupling,
        P.C + C,
        P.moment + body.moment + cross(xp, r, body.force),
        P.force + body.force,
    )


def dot(a: Array, b: Array) -> Array:
    """(k,) of (3, k)."""
    both = a * b
    return both[0] + both[1] + both[2]


def transpose(xp: Namespace, M: Array) -> Array:
    """(3, 3, k) with rows and columns exchanged."""
    return xp.moveaxis(M, 0, 1)
