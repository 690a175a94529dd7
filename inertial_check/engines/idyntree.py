"""iDynTree: accepts what is written; its check of consistency runs only on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.engines._base import Effect, Engine
from inertial_check.engines._batch import Batch


class IDynTree(Engine):
    """iDynTree's ModelLoader, which does not call SpatialInertia.isPhysicallyConsistent()."""

    name, version = "idyntree", "15.1.0"
    source = "src/model_io/codecs/src/InertialElement.cpp; run: ModelLoader.loadModelFromString"
    doors: ClassVar[dict[str, str]] = {"urdf": "ModelLoader.loadModelFromFile"}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Effects on numbers that cannot be read."""
        yield Effect(batch.missing, "accept")
        for element, where, becomes in (
            ("mass", ~np.isfinite(batch.mass), "0 kg with the inertia as written"),
            ("inertia", ~batch.finite, "an inertia from memory that was never set"),
        ):
            message = (
                f"[WARNING] InertiaElement :: childElementForName::{element}::f_attribute : Failed "
                f"to obtain floating point representation for the {element} element."
            )
            yield Effect(where, "alter", message, becomes)
