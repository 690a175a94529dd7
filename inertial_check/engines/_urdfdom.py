"""urdfdom, which reads URDF for several engines and drops inertials with numbers not finite."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.engines._base import Effect
from inertial_check.engines._batch import Batch


def replace_unreadable(batch: Batch) -> Iterator[Effect]:
    """The effects of urdfdom on bodies with such a number."""

    def message(i: int) -> str:
        name, text = batch.unread(i)
        if name == "mass":
            return f"Inertial: mass [{text}] is not a float"
        return f"Inertial: inertia element {name} is not a valid double"

    yield Effect(~np.isfinite(batch.mass), "replace", message, "0 kg without rotational inertia")
    yield Effect(
        ~batch.finite,
        "replace",
        message,
        lambda i: f"{batch.mass[i]:.6g} kg without rotational inertia",
    )
