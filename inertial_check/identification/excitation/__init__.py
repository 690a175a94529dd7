"""Excitation: trajectories whose torques show the inertial parameters of a robot.

`condition_number` judges a trajectory, `optimise` finds one within the limits of the joints.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from inertial_check._renamed import old_names

if TYPE_CHECKING:
    from inertial_check.identification.excitation.design import (
        Condition,
        Excitation,
        condition_number,
        optimise,
    )
    from inertial_check.identification.excitation.fourier import FourierSeries
    from inertial_check.identification.excitation.search import Limits, LimitUse

__all__ = [
    "Condition",
    "Excitation",
    "FourierSeries",
    "LimitUse",
    "Limits",
    "condition_number",
    "optimise",
]

_HOME = {"FourierSeries": "fourier", "LimitUse": "search", "Limits": "search"}
"""Module of each public name that is not in the module `design`."""

_old_name = old_names(__name__, {"optimised": "optimise"})


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in __all__:
        return _old_name(name)
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'design')}"), name)
