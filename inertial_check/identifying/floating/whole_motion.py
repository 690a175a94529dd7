"""Motion of a whole tree: base, joints and forces from outside, and the rows of its equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats, Integers, Mask
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.sampled import Block, Samples
from inertial_check.identifying.floating.contacts import Wrench
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia import tolerances

BASE_ROWS = ("fx", "fy", "fz", "mx", "my", "mz")
"""Endings of the names of the six equations of the base: forces in the axes of the world, and
moments about its origin in its own axes."""


class Rows(NamedTuple):
    """Equations that a recording gives, in their order.

    Attributes:
        names: Names: those of joints, or of the base with BASE_ROWS.
        units: Units, N m or N.
        velocities: Index of the tree's velocity that each equation belongs to.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    velocities: tuple[int, ...]

    @classmethod
    def of(cls, robot: Robot, measured: Sequence[int], base: bool) -> Rows:
        """List the equations of joints with a torque, and those of the base behind them."""
        names = [robot.joints[joint] for joint in measured]
        units = [robot.units[joint] for joint in measured]
        velocities = [robot.velocities[joint] for joint in measured]
        if base and robot.base is not None:
            root = robot.tree.names[robot.base]
            names += [f"{root}.{ending}" for ending in BASE_ROWS]
            units += ["N"] * 3 + ["N m"] * 3
            own = robot.tree.velocities[robot.base]
            velocities += range(own.start, own.stop)
        return cls(tuple(names), tuple(units), tuple(velocities))

    @classmethod
    def of_velocities(cls, robot: Robot, velocities: Sequence[int]) -> Rows:
        """List equations by the velocities of the tree: joints first, then those of the base."""
        joints = [joint for joint, own in enumerate(robot.velocities) if own in velocities]
        found = cls.of(robot, joints, robot.base is not None)
        kept = [k for k, own in enumerate(found.velocities) if own in velocities]
        return cls(*(tuple(each[k] for k in kept) for each in found))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class WholeMotion:
    """Motion and forces of a tree besides those of its recorded joints.

    Attributes:
        rows: Equations.
        joints: Indices of the joints whose torque is measured.
        base: (S, 19) pose, twist and acceleration of the base; no columns if it is fixed.
        forces: (S, n_u) forces of the joints that the wrenches are worth [N m or N].
        wrenches: Wrenches, filtered.
        maps: (S, r, n_u) combinations of the tree's equations in which no force of a loop is left;
            None for those of `rows.velocities` as they are.
    """

    rows: Rows
    joints: tuple[int, ...]
    base: Floats
    forces: Floats
    wrenches: tuple[Wrench, ...] = ()
    maps: Floats | None = None

    def part(self, rows: slice | Integers | Mask) -> WholeMotion:
        """Select some samples."""
        wrenches = tuple(each._replace(values=each.values[rows]) for each in self.wrenches)
        maps = None if self.maps is None else self.maps[rows]
        return replace(
            self, base=self.base[rows], forces=self.forces[rows], wrenches=wrenches, maps=maps
        )

    def combine(self, forces: Floats, rows: slice | None = None) -> Floats:
        """Combine forces (s, n_u, ...) of the tree's velocities to the equations (s, r, ...)."""
        if self.maps is None:
            return forces[:, list(self.rows.velocities)]
        maps = self.maps if rows is None else self.maps[rows]
        flat = forces.reshape(*forces.shape[:2], -1)
        return np.asarray(np.matmul(maps, flat).reshape(*maps.shape[:2], *forces.shape[2:]))

    def assemble(
        self, robot: Robot, q: Floats, u: Floats, du: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Assemble coordinates, velocities and accelerations of the tree from those of joints."""
        tree = robot.tree
        count, n_u = len(q), tree.n_u
        whole: tuple[Floats, Floats, Floats] = (
            np.zeros((count, tree.n_q)),
            np.zeros((count, n_u)),
            np.zeros((count, n_u)),
        )
        for array, own, places in zip(
            whole, (q, u, du), (robot.coordinates, robot.velocities, robot.velocities), strict=True
        ):
            array[:, list(places)] = own
        if robot.base is not None:
            own_q, own_u = tree.coordinates[robot.base], tree.velocities[robot.base]
            for array, place, columns in zip(
                whole,
                (own_q, own_u, own_u),
                (slice(0, 7), slice(7, 13), slice(13, 19)),
                strict=True,
            ):
                array[:, place] = self.base[:, columns]
        return whole

    def row_velocities(self, robot: Robot, u: Floats) -> Floats:
        """(S, r) velocity that each equation belongs to."""
        _, whole, _ = self.assemble(robot, u, u, u)
        return np.asarray(whole[:, list(self.rows.velocities)])

    def spread(self, robot: Robot, tau: Floats) -> Floats:
        """(S, n_u) torques of joints (S, n) as forces of all velocities, and those of wrenches."""
        whole = np.array(self.forces)
        whole[:, list(robot.velocities)] += tau
        return whole


class ColumnSteps(Protocol):
    """Columns of friction after the filter that the torques passed."""

    def replace_in(self, F: Floats, samples: slice) -> Floats:
        """Put these columns in their places in the columns F (s, n, k) of some samples."""


def build_equations(  # noqa: PLR0913 - a motion, and what stands in its equations
    robot: Robot,
    whole: WholeMotion,
    signals: tuple[Floats, Floats, Floats, Floats],
    nuisance: Nuisance,
    *,
    gravity: ArrayLike,
    steps: ColumnSteps | None = None,
    count: int | None = None,
) -> Samples:
    """Build the equations Y theta + F f = S^T tau + sum of J^T w, in the rows of a whole motion.

    Args:
        robot: Robot.
        whole: Base, wrenches and rows.
        signals: q, u, du and tau of the joints, (S, n) each.
        nuisance: Friction of the joints.
        gravity: (3,) in the axes of the world [m/s^2].
        steps: Filtered columns in place of discontinuous ones; None to use those.
        count: Number of samples in memory at a time; None for some megabytes.
    """
    q, u, du, tau = signals
    tree_motion = whole.assemble(robot, q, u, du)
    samples = Samples.of_trajectory(
        robot.tree,
        *tree_motion,
        whole.spread(robot, tau),
        bodies=robot.bodies,
        gravity=gravity,
        rows=count,
    )
    slowest = tolerances.REST * np.abs(u).max(axis=0, initial=0.0)

    def source() -> Iterator[Block]:
        start = 0
        for Y, _, forces in samples.source():
            part = slice(start, start + len(forces))
            own = nuisance.columns(u[part], du[part], slowest)
            if steps is not None:
                own = steps.replace_in(own, part)
            F = np.zeros((*forces.shape, len(nuisance)))
            F[:, list(robot.velocities)] = own
            yield tuple(whole.combine(each, part) for each in (Y, F, forces))  # type: ignore[misc]
            start = part.stop

    return replace(samples, joints=len(whole.rows.names), nuisance=nuisance, source=source)
