"""Predictions of what each physics engine does with a body.

The conditions are read from the source of the engine; tests compare them with the engine itself.
Most checks ask for the names of the engines alone.
"""

from __future__ import annotations

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

VALIDATORS = ("nvidia", "rep0158")
"""Names of validators of USD whose verdicts are predicted for USD alone; --engine takes them."""
