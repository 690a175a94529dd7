"""Reduced samples under drive gains: torques scaled, loads subtracted, columns of gains added."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.identification.estimation.reduction import Reduction, System


def scale_torques(recorded: Reduction, gains: Floats) -> Reduction:
    """Multiply recorded torques by drive gains (n,), and subtract those of known loads.

    Args:
        recorded: Reduction as recorded, with the torque of known loads in the last column.
        gains: (n,) drive gains.

    Returns:
        The reduction without that column. Its sums of torques and squares are of what was
        measured, loads included.
    """
    last = recorded.columns - 1
    systems = []
    for system, gain in zip(recorded.systems, gains.tolist(), strict=True):
        own = system.columns != last
        load = system.R[:, ~own].sum(axis=1)
        systems.append(
            System(
                system.columns[own],
                system.R[:, own],
                gain * system.rho - load,
                gain**2 * system.rss,
                system.samples,
                gain * system.total,
                gain**2 * system.squares,
            )
        )
    return Reduction(last, tuple(systems))


def add_gain_columns(recorded: Reduction, gains: Floats, x: Floats, joints: Integers) -> Reduction:
    """Multiply recorded torques by drive gains, and add a column for each gain.

    The column of a gain is the torque of its joint that the parameters predict, loads included, and
    its number the relative change of the inverse of the gain.

    Args:
        recorded: Reduction as recorded, with the torque of known loads in the last column.
        gains: (n,) drive gains.
        x: (p,) parameters in the order of the columns [SI].
        joints: Indices of the joints whose gains are unknown.
    """
    reduction, whole = scale_torques(recorded, gains), np.append(x, 1.0)
    count, systems = reduction.columns, list(reduction.systems)
    for place, joint in enumerate(joints.tolist()):
        own, system = recorded.systems[joint], systems[joint]
        predicted = own.R @ whole[own.columns]
        systems[joint] = system._replace(
            columns=np.append(system.columns, count + place),
            R=np.column_stack([system.R, predicted]),
        )
    return Reduction(count + len(joints), tuple(systems))


def correlate_torques(recorded: Reduction, gains: Floats) -> Floats:
    """Products (p, n) of all columns with the measured torque of each joint, loads included."""
    last = recorded.columns - 1
    found = np.zeros((last, recorded.joints))
    for joint, (system, gain) in enumerate(zip(recorded.systems, gains.tolist(), strict=True)):
        own = system.columns != last
        found[system.columns[own], joint] = gain * system.R[:, own].T @ system.rho
    return found
