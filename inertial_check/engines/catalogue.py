"""The list of all engines, and what they do with the bodies of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from inertial_check.engines._base import NO_FLOORS, Engine, Floors
from inertial_check.engines._batch import Batch, Bounds, find_doubtful, read_bounds
from inertial_check.engines.dart import Dart
from inertial_check.engines.drake import Drake
from inertial_check.engines.genesis import Genesis
from inertial_check.engines.gz import Gazebo
from inertial_check.engines.idyntree import IDynTree
from inertial_check.engines.mujoco import MuJoCo
from inertial_check.engines.newton import Newton
from inertial_check.engines.physx import PhysX
from inertial_check.engines.pinocchio import Pinocchio
from inertial_check.engines.pybullet import PyBullet
from inertial_check.model import Body, Judgement, Model, Prediction

ALL_ENGINES: tuple[Engine, ...] = (
    MuJoCo(),
    Drake(),
    Gazebo(),
    Newton(),
    PyBullet(),
    Pinocchio(),
    IDynTree(),
    Genesis(),
    Dart(),
    PhysX(),
)
"""Every engine, in the order of reports."""

_BY_NAME: Mapping[str, Engine] = MappingProxyType({each.name: each for each in ALL_ENGINES})

_ACCEPTED: Mapping[str, Prediction] = {
    engine.name: engine.predict_acceptance() for engine in ALL_ENGINES
}
"""Predictions of a body that every engine accepts; one object for all such bodies.

It is a plain dict, because pickle knows no mapping proxy and reports hold it.
"""


def exact_engines(engines: Sequence[str]) -> tuple[str, ...]:
    """Those of the named engines in which rounding decides on the boundary; see `Engine.exact`."""
    return tuple(name for name in engines if _BY_NAME[name].exact)


def floors(body: Body, engines: Sequence[str]) -> Floors:
    """The highest floors [kg m^2] that the named engines set for a body.

    Args:
        body: The body as it is written.
        engines: Names of engines, as in ENGINES.
    """
    own = [NO_FLOORS, *(_BY_NAME[name].floors(body) for name in engines)]
    return Floors(max(each.moment for each in own), max(each.ratio for each in own))


def predict(model: Model, judgements: Sequence[Judgement]) -> tuple[Mapping[str, Prediction], ...]:
    """Predict what every engine does with each body of a model.

    Args:
        model: The model; its format decides which reader of an engine reads it.
        judgements: One for each body.

    Returns:
        For each body the predictions, by the name of the engine.
    """
    return predict_all([model], [judgements])[0]


def predict_all(
    models: Sequence[Model], judgements: Sequence[Sequence[Judgement]]
) -> list[tuple[Mapping[str, Prediction], ...]]:
    """Predict what every engine does with each body of several models; see `predict`.

    A model has few bodies that an engine might not accept, and a batch of few takes as long as one
    of hundreds. So those of all models of one format are looked at together.
    """
    groups: dict[tuple[str, Bounds], list[int]] = {}
    for index, model in enumerate(models):
        groups.setdefault((model.format, read_bounds(model)), []).append(index)
    result: list[tuple[Mapping[str, Prediction], ...]] = [()] * len(models)
    for group in groups.values():
        together = [models[index] for index in group]
        others = _predict_others(together, [judgements[index] for index in group])
        start = 0
        for index in group:
            rows = range(start, start := start + len(models[index].bodies))
            result[index] = tuple(
                {**_ACCEPTED, **others[row]} if row in others else _ACCEPTED for row in rows
            )
    return result


def _predict_others(
    models: Sequence[Model], judgements: Sequence[Sequence[Judgement]]
) -> dict[int, dict[str, Prediction]]:
    """The predictions of engines that do not accept a body, by its index among all bodies."""
    every = [judgement for each in judgements for judgement in each]
    batches = {}
    for least in {engine.least for engine in ALL_ENGINES}:
        rows: list[int] = []
        start = 0
        for model, judged in zip(models, judgements, strict=True):
            rows += [start + row for row in find_doubtful(model, judged, least)]
            start += len(model.bodies)
        batches[least] = Batch(models, every, rows)
    others: dict[int, dict[str, Prediction]] = {}
    with np.errstate(all="ignore"):  # NaN and infinity are compared as in C
        for engine in ALL_ENGINES:
            batch = batches[engine.least]
            predictions = engine.predict(batch) if batch.rows else {}
            for row, prediction in predictions.items():
                others.setdefault(row, {})[engine.name] = prediction
    return others
