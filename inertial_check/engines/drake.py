"""Drake: warns and takes a sphere (URDF, SDF), or throws (MJCF)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.engines import _words
from inertial_check.engines._base import Engine, Outcome
from inertial_check.engines._batch import Batch, Flags

_PRECISION = 16 * float(np.finfo(float).eps)
_DENSITY = 1000.0  # [kg/m^3] of the sphere that stands in
_SURE = "condition 'mass > 0' failed."
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

    def outcomes(self, batch: Batch, door: str) -> Iterator[Outcome]:
        """The tensor by itself, then the mass."""
        yield Outcome(batch.missing, "accept")
        low, middle, high = batch.moments.T
        spread = np.maximum(1, np.abs(batch.moments.sum(axis=1)) / 2)
        negative = low < -_PRECISION * spread
        unequal = low + middle + _PRECISION * spread < high
        unread = ~batch.finite | ~np.isfinite(batch.mass)
        if door != "sdf":
            yield Outcome(unread, "reject", lambda i: _single(batch, i, door))
        if door == "mjcf":
            yield Outcome(~(batch.mass > 0), "reject", _SURE)
            yield Outcome(negative | unequal, "reject", NOT_VALID)
            return
        yield from _replaced(batch, negative, unequal)
        massless = (batch.mass == 0) & ~np.any(batch.I_BBcm_Bi != 0, axis=1)
        yield Outcome(massless, "accept")
        one = _words.sphere(1, _DENSITY)
        parting = f"While re-expressing as central inertia: Failure: {_SURE}"
        yield Outcome(~(batch.mass > 0), "replace", parting, one)
        yield Outcome(
            np.isinf(batch.mass),
            "replace",
            f"While re-expressing as central inertia: {NOT_VALID} mass = inf is negative or not "
            "finite.",
            one,
        )


def _replaced(batch: Batch, negative: Flags, unequal: Flags) -> Iterator[Outcome]:
    """What becomes of tensors that fail by themselves."""

    def message(i: int) -> str:
        if not batch.finite[i]:
            return f"{_RATIONAL} {NOT_FINITE}"
        values = " ".join(repr(moment).removesuffix(".0") for moment in batch.moments[i].tolist())
        what = NEGATIVE if negative[i] else UNEQUAL
        return f"{_RATIONAL} The associated principal moments of inertia: {values} {what}"

    def becomes(i: int) -> str:
        mass = float(batch.mass[i])
        return _words.sphere(mass if 0 < mass < np.inf else 1.0, _DENSITY)

    yield Outcome(negative | unequal | ~batch.finite, "replace", message, becomes)


def _single(batch: Batch, i: int, door: str) -> str:
    """What Drake raises where a number is not finite."""
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
