"""Predictions of what each physics engine does with a body.

The conditions are read from the source of the engine; tests compare them with the engine itself.
The engines are loaded when one of them is asked for, as most checks ask for their names alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inertial_check.checking.engines.base import NO_FLOORS, Engine, Floors
    from inertial_check.checking.engines.catalogue import (
        ALL_ENGINES,
        exact_engines,
        floors,
        predict,
    )
    from inertial_check.checking.engines.predict import Batch


__all__ = [
    "ALL_ENGINES",
    "ENGINES",
    "NO_FLOORS",
    "Batch",
    "Engine",
    "Floors",
    "exact_engines",
    "floors",
    "predict",
]

ENGINES = (
    "mujoco",
    "drake",
    "gz",
    "newton",
    "pybullet",
    "pinocchio",
    "idyntree",
    "genesis",
    "dart",
    "physx",
)
"""Names of the engines whose behaviour is predicted, as --engine takes them."""


def __getattr__(name: str) -> object:
    """Load a public name with all engines."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from inertial_check.checking.engines import catalogue

    globals()[name] = value = getattr(catalogue, name)
    return value
