"""Drake: warns and substitutes a sphere (URDF, SDF), or throws (MJCF)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.checking.engines import base
from inertial_check.checking.engines.base import Engine
from inertial_check.checking.engines.predict import Batch, Effect
from inertial_check.documents.model import Parser

_PRECISION = 16 * float(np.finfo(float).eps)
"""Tolerance of CouldBePhysicallyValid, relative to half the trace (at least 1 kg m^2)."""

_DENSITY = 1000.0
"""Density of the sphere that Drake substitutes [kg/m^3]."""

_MASS_POSITIVE = "condition 'mass > 0' failed."
_RATIONAL = "did not pass the test CouldBePhysicallyValid()."
NEGATIVE = "are invalid since at least one is negative."
UNEQUAL = "do not satisfy the triangle inequality."
NOT_FINITE = "Non-finite moment or product of inertia detected in RotationalInertia."
NOT_VALID = "Spatial inertia fails SpatialInertia::IsPhysicallyValid()."


class Drake(Engine):
    """Drake's Parser with its default diagnostics."""

    name, version = "drake", "1.51.1"
    source = (
        "multibody/parsing/detail_common.cc, ParseSpatialInertia, and multibody/tree/"
        "rotational_inertia.h, CouldBePhysicallyValid; run: Parser(plant).AddModelsFromString"
    )
    doors: ClassVar[dict[str, str]] = dict.fromkeys(("urdf", "sdf", "mjcf"), "Parser.AddModels")
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = {
        "urdf": ("tinyxml2", "drake"),
        "mjcf": ("tinyxml2", "drake"),
        "sdf": ("tinyxml2", "sdformat", "drake"),
    }

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """The check of the tensor alone, then that of the mass."""
        yield Effect(batch.missing, "accept")
        low, middle, high = batch.moments.T
        spread = np.maximum(1, np.abs(batch.moments.sum(axis=1)) / 2)
        negative = low < -_PRECISION * spread
        unequal = low + middle + _PRECISION * spread < high
        unread = ~batch.finite | ~np.isfinite(batch.mass)
        if door != "sdf":
            yield Effect(unread, "reject", lambda i: _not_finite_error(batch, i, door))
        if door == "mjcf":
            yield Effect(~(batch.mass > 0), "reject", _MASS_POSITIVE)
            yield Effect(negative | unequal, "reject", NOT_VALID)
            return

        # Tensors that fail the check of the tensor alone.
        def message(i: int) -> str:
            if not batch.finite[i]:
                return f"{_RATIONAL} {NOT_FINITE}"
            values = " ".join(
                repr(moment).removesuffix(".0") for moment in batch.moments[i].tolist()
            )
            what = NEGATIVE if negative[i] else UNEQUAL
            return f"{_RATIONAL} The associated principal moments of inertia: {values} {what}"

        def becomes(i: int) -> str:
            mass = float(batch.mass[i])
            return base.sphere(mass if 0 < mass < np.inf else 1.0, _DENSITY)

        yield Effect(negative | unequal | ~batch.finite, "replace", message, becomes)
        massless = (batch.mass == 0) & ~np.any(batch.I_BBcm_Bi != 0, axis=1)
        yield Effect(massless, "accept")
        one = base.sphere(1, _DENSITY)
        parting = f"While re-expressing as central inertia: Failure: {_MASS_POSITIVE}"
        yield Effect(~(batch.mass > 0), "replace", parting, one)
        yield Effect(
            np.isinf(batch.mass),
            "replace",
            f"While re-expressing as central inertia: {NOT_VALID} mass = inf is negative or not "
            "finite.",
            one,
        )


def _not_finite_error(batch: Batch, i: int, door: str) -> str:
    """The message with which Drake raises if a number is not finite."""
    name, text = batch.unread(i)
    if door == "urdf":
        attribute = "value" if name == "mass" else name
    elif name == "mass":
        attribute = name
    else:
        form = "diaginertia" if batch.principal_form[i] else "fullinertia"
        count = 3 if batch.principal_form[i] else 6
        return f"Expected {count} values for attribute {form}"
    return f"Expected single value for attribute '{attribute}' got '{text}'"
