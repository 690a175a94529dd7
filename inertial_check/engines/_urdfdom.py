"""urdfdom, which reads URDF for several engines: a number that is not finite costs the inertial."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.engines._base import Outcome
from inertial_check.engines._batch import Batch


def unreadable(batch: Batch) -> Iterator[Outcome]:
    """What becomes of bodies with such a number."""

    def message(i: int) -> str:
        name, text = batch.unread(i)
        if name == "mass":
            return f"Inertial: mass [{text}] is not a float"
        return f"Inertial: inertia element {name} is not a valid double"

    yield Outcome(~np.isfinite(batch.mass), "replace", message, "0 kg without rotational inertia")
    yield Outcome(
        ~batch.finite,
        "replace",
        message,
        lambda i: f"{batch.mass[i]:.6g} kg without rotational inertia",
    )
