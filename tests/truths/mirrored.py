"""Robots that are mirror images of themselves, in any plane and with any frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from suspects import box_moments, rotation


class Side(NamedTuple):
    """One body of a pair; all but mass in its own frame, whose pose in the base is R, p."""

    name: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    R: np.ndarray
    p: np.ndarray
    axis: np.ndarray
    shape: str = ""
    parent: str = "base"


def reflection(normal: np.ndarray) -> np.ndarray:
    return np.eye(3) - 2 * np.outer(normal, normal)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    return rotation(rng.uniform(-1.4, 1.4, 3))


def random_side(rng: np.random.Generator, name: str, length: float) -> Side:
    """A box with skew axes, its centre away from the origin."""
    edges = length * rng.uniform(0.1, 0.3, 3) * [1, 2, 4]
    R = random_rotation(rng)
    inertia = R @ box_moments(1.0, edges) @ R.T
    axis = random_rotation(rng)[:, 0]
    com, place = length * rng.uniform(-1, 1, 3), 3 * length * rng.uniform(-1, 1, 3)
    return Side(name, 1.0, com, inertia, random_rotation(rng), place, axis)


def mirror(side: Side, name: str, normal, offset: float, frame=None, along: float = 0.0) -> Side:
    """The other side: its frame turned by `frame`, and moved along the axis of its joint.

    Args:
        side: One side.
        name: Of the other.
        normal: Of the plane, length 1.
        offset: Of the plane from the origin of the base [m].
        frame: (3, 3) the axes of the other side's frame in the base; None for those of the base.
        along: How far its origin stands along the joint's axis [m].
    """
    H = reflection(normal)
    R = np.eye(3) if frame is None else frame
    axis_W = H @ side.R @ side.axis
    p = H @ side.p + 2 * offset * np.asarray(normal) + along * axis_W
    com_W = H @ (side.R @ side.com + side.p) + 2 * offset * np.asarray(normal)
    turn = R.T @ H @ side.R
    return Side(
        name, side.mass, R.T @ (com_W - p), turn @ side.inertia @ turn.T, R, p, R.T @ axis_W
    )


def _words(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _angles(R: np.ndarray) -> tuple[float, float, float]:
    pitch = -np.arcsin(np.clip(R[2, 0], -1, 1))
    return np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])


def text_of(*sides: Side, joint: str = "revolute") -> str:
    """A URDF with every body on a joint of the base, unless it has another parent."""
    parts = []
    for side in sides:
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        six = zip(names, side.inertia[np.triu_indices(3)], strict=True)
        entries = " ".join(f'{name}="{float(value)!r}"' for name, value in six)
        parts.append(
            f'<link name="{side.name}"><inertial><origin xyz="{_words(side.com)}"/>'
            f'<mass value="{side.mass!r}"/><inertia {entries}/></inertial>{side.shape}</link>'
            f'<joint name="j_{side.name}" type="{joint}"><parent link="{side.parent}"/>'
            f'<child link="{side.name}"/><origin xyz="{_words(side.p)}" '
            f'rpy="{_words(_angles(side.R))}"/><axis xyz="{_words(side.axis)}"/></joint>'
        )
    return f'<robot name="r"><link name="base"/>{"".join(parts)}</robot>'


def robot_of(
    rng: np.random.Generator, count: int, length: float, normal, offset: float
) -> list[Side]:
    """Pairs left_k, right_k, whose frames stand in any way along the axes of their joints."""
    sides = []
    for k in range(count):
        one = random_side(rng, f"left_{k}", length)
        along = length * float(rng.uniform(-0.5, 0.5))
        other = mirror(one, f"right_{k}", normal, offset, random_rotation(rng), along)
        sides += [one, other]
    return sides
