"""Excitation: trajectories whose torques show the inertial parameters of a robot.

`condition_number` judges a trajectory, `optimise` finds one within the limits of the joints.
"""

from __future__ import annotations

from inertial_check.identification.excitation.convex import ConvexShapes, Obstacles
from inertial_check.identification.excitation.design import (
    Condition,
    Excitation,
    Limits,
    LimitUse,
    TorqueLimits,
    TorqueUse,
    Trajectory,
    condition_number,
    optimise,
    predict_torques,
)
from inertial_check.identification.excitation.fourier import Criterion, FourierSeries
from inertial_check.identification.excitation.visibility import Weights

__all__ = [
    "Condition",
    "ConvexShapes",
    "Criterion",
    "Excitation",
    "FourierSeries",
    "LimitUse",
    "Limits",
    "Obstacles",
    "TorqueLimits",
    "TorqueUse",
    "Trajectory",
    "Weights",
    "condition_number",
    "optimise",
    "predict_torques",
]
