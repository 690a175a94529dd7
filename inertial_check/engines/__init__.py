"""What each engine does with a body: predicates read from its source, held against the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inertial_check.model import Judgement, Model, Prediction

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
"""The engines of which something is foretold, by the names that --engine takes."""


def predict(model: Model, judgements: Sequence[Judgement]) -> tuple[Mapping[str, Prediction], ...]:
    """What every engine does with each body of a model.

    Args:
        model: As read; its format decides by which door an engine takes it in.
        judgements: One a body.

    Returns:
        One mapping a body, by the engine's name.
    """
    return tuple({} for _ in model.bodies)
