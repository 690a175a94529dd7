"""Excitation: trajectories whose torques show the inertial parameters of a robot.

`condition_number` judges a trajectory, `optimise` finds one within the limits of the joints.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inertial_check.identification.excitation.convex import ConvexShapes, Obstacles
    from inertial_check.identification.excitation.design import (
        Condition,
        Excitation,
        Trajectory,
        condition_number,
        optimise,
        predict_torques,
    )
    from inertial_check.identification.excitation.fourier import Criterion, FourierSeries
    from inertial_check.identification.excitation.search import (
        Limits,
        LimitUse,
        TorqueLimits,
        TorqueUse,
    )
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

_HOME = {
    "ConvexShapes": "convex",
    "Criterion": "fourier",
    "FourierSeries": "fourier",
    "LimitUse": "search",
    "Limits": "search",
    "Obstacles": "convex",
    "TorqueLimits": "torques",
    "TorqueUse": "torques",
    "Weights": "visibility",
}
"""Module of each public name that is not in the module `design`."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'design')}"), name)
