"""Friction of the load in recordings: its rows, which pass the filter that the torques passed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.dynamics.equations import GRAVITY, regressor
from inertial_check.errors import UsageError
from inertial_check.identification.estimation.joint_friction import (
    OperatingPoint,
    find_load_rows,
    has_load,
)
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import ROWS, list_columns
from inertial_check.identifying.options import IdentifyOptions
from inertial_check.identifying.recordings.motion import JointMotion
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia import tolerances

MOST_BYTES = 2_000_000_000
"""Largest size of the rows of one recording [bytes], which all pass the filter together."""


@dataclass(frozen=True, eq=False)
class FilteredLoad:
    """Rows of the friction of the load, filtered like the torques.

    The friction changes its sign with the velocity, in a step that the filter makes a slope.

    Attributes:
        values: (S, n, 10 L) rows.
    """

    values: Floats

    @classmethod
    def of(
        cls, nuisance: Nuisance, motion: JointMotion, options: IdentifyOptions, robot: Robot
    ) -> FilteredLoad | None:
        """Compute and filter the rows of a whole recording; None without friction of the load.

        Raises:
            UsageError: They would take too much memory.
        """
        point = nuisance.point
        if point is None or not has_load(nuisance):
            return None
        shape = (len(motion), len(robot.joints), 10 * len(robot.bodies))
        if 8 * int(np.prod(shape)) > MOST_BYTES:
            raise UsageError(
                f"--friction load: {len(motion):,} samples of {shape[1]} joints and "
                f"{len(robot.bodies)} bodies need {8 * int(np.prod(shape)) / 10**9:.1f} GB: "
                "--decimate N keeps every N-th sample"
            )
        values = np.empty(shape)
        rest = tolerances.REST * np.abs(motion.u).max(axis=0)
        for start in range(0, len(motion), ROWS):
            rows = slice(start, start + ROWS)
            values[rows] = _find_rows(motion, rows, point, rest, options, robot)
        return cls(motion.filter(values))

    def part(self, rows: Mask) -> FilteredLoad:
        """Select some samples."""
        return replace(self, values=self.values[rows])


def _find_rows(
    motion: JointMotion,
    rows: slice,
    point: OperatingPoint,
    rest: Floats,
    options: IdentifyOptions,
    robot: Robot,
) -> Floats:
    gravity = options.robot.gravity
    u = motion.u[rows]
    own = np.asarray(
        regressor(
            robot.tree,
            motion.q[rows],
            u,
            motion.du[rows],
            gravity=GRAVITY if gravity is None else gravity,
        )
    )
    Y = own[:, :, list_columns(robot.bodies)]
    signs = find_load_rows(Y, np.where(np.abs(u) <= rest, 0.0, u), point.theta)
    return np.asarray(signs[:, :, None] * Y)
