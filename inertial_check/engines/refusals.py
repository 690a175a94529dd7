"""The bodies that an engine refuses, found with as few engines as that takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from inertial_check.engines._batch import Batch, find_doubtful
from inertial_check.engines.mujoco import MuJoCo
from inertial_check.model import REFUSALS, Judgement, Model, Prediction


def predict_refusals(
    model: Model, judgements: Sequence[Judgement], asked: Collection[int]
) -> tuple[Mapping[str, Prediction], ...]:
    """Predict for some bodies of a model what engines do with them, up to the first refusal.

    MuJoCo refuses most of the bodies that any engine refuses. Where it refuses all that are asked
    about, no other engine is loaded.

    Args:
        model: The model.
        judgements: One for each body.
        asked: Indices of the bodies in question.

    Returns:
        For each body of the model the predictions, by the name of the engine: those of MuJoCo alone
        if it refuses all bodies in question, else those of every engine.
    """
    engine = MuJoCo()
    rows = find_doubtful(model, judgements, engine.least) if asked else []
    found: Mapping[int, Prediction] = {}
    if rows:
        with np.errstate(all="ignore"):  # NaN and infinity are compared as in C
            found = engine.predict(Batch([model], judgements, rows))
    if all(row in found and found[row].action in REFUSALS for row in asked):
        return tuple(
            {engine.name: found[row]} if row in found else {} for row in range(len(model.bodies))
        )
    from inertial_check.engines.catalogue import predict

    return predict(model, judgements)
