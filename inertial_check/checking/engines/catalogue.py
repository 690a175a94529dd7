"""The list of all engines, and what they do with the bodies of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from inertial_check.checking.engines.base import NO_FLOORS, Engine, Floors
from inertial_check.checking.engines.drake import Drake
from inertial_check.checking.engines.mujoco import Genesis, MuJoCo
from inertial_check.checking.engines.others import (
    Dart,
    Gazebo,
    IDynTree,
    Newton,
    PhysX,
    Pinocchio,
    PyBullet,
)
from inertial_check.checking.engines.predict import Batch
from inertial_check.checking.engines.usd import VALIDATORS
from inertial_check.checking.report import Prediction
from inertial_check.documents.model import Body, Judgement, Model
from inertial_check.documents.usd import NAME as USD

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

_BY_NAME: Mapping[str, Engine] = MappingProxyType(
    {each.name: each for each in (*ALL_ENGINES, *VALIDATORS)}
)


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
        For each body the predictions, by the name of the engine; for USD, of validators, too. All
        bodies that every engine accepts have the same object.
    """
    engines = (*ALL_ENGINES, *VALIDATORS) if model.format == USD else ALL_ENGINES
    accepted = {each.name: Prediction(each.name, each.version, "accept") for each in engines}
    others: dict[int, dict[str, Prediction]] = {}
    batch = Batch(model, judgements)
    with np.errstate(all="ignore"):  # NaN and infinity are compared as in C
        for engine in engines if model.bodies else ():
            for row, prediction in engine.predict(batch).items():
                others.setdefault(row, {})[engine.name] = prediction
    rows = range(len(model.bodies))
    return tuple({**accepted, **others[row]} if row in others else accepted for row in rows)
