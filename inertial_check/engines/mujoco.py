"""MuJoCo: one invalid body is an error, and the model is not loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.engines import _words
from inertial_check.engines._base import Effect, Engine, Floors
from inertial_check.engines._batch import Batch, Flags
from inertial_check.model import Body, Bounds

_EIGENVALUE = 1e-14
"""Smallest positive eigenvalue of a full inertia [kg m^2]. If boundinertia raises the eigenvalues,
they may be negative by this much, or by this share of the largest if that is above 1 kg m^2."""

_MINIMUM = 1e-15
"""mjMINVAL: smallest mass [kg] and moment [kg m^2] of a moving body."""

_ROUNDING = 8 * float(np.finfo(float).eps)
"""Rounding error of the eigenvalues of a full inertia, relative to the largest. Within it, the last
bits of mju_eig3 decide whether A + B >= C; of plates askew in their axes MuJoCo refuses a third."""

_FULL_FLOORS = Floors(moment=_EIGENVALUE)
"""Floors for a full tensor: its eigenvalues must reach 1e-14 kg m^2."""

_PRINCIPAL_FLOORS = Floors(moment=_MINIMUM)
"""Floors for principal moments that are written as such: mjMINVAL."""

POSITIVE = "error 'inertia must have positive eigenvalues' in fullinertia"
TRIANGLE = "inertia must satisfy A + B >= C; use 'balanceinertia' to fix"
MOVING = "mass and inertia of moving bodies must be larger than mjMINVAL"
NOT_A_NUMBER = "XML contains a 'NaN'. Please check it carefully."


class MuJoCo(Engine):
    """MuJoCo's compiler."""

    name, version = "mujoco", "4.0.0"
    source = "user_objects.cc, mjCBody::Compile; run: mujoco.MjSpec.from_string(text).compile()"
    doors: ClassVar[dict[str, str]] = dict.fromkeys(("urdf", "mjcf"), "MjModel.from_xml_path")
    otherwise = "mjcf"
    exact = True

    def floors(self, body: Body) -> Floors:
        """The floor of full tensors, or that of principal moments that are written as such."""
        inertial = body.inertial
        # A product of inertia without a place in the document is implied by diaginertia.
        principal = inertial is not None and any(
            number.span is None for number in inertial.I_BBcm_Bi.values()
        )
        return _PRINCIPAL_FLOORS if principal else _FULL_FLOORS

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Eigenvalues of full inertias, bounds, A + B >= C, and the least of moving bodies."""
        bounds = batch.model.bounds if door == "mjcf" else Bounds()
        yield from self._missing(batch, door, bounds)
        mass, moments = _raise_to_bounds(batch, bounds)
        full = np.any(batch.I_BBcm_Bi != 0, axis=1) if door == "urdf" else ~batch.principal_form
        positive, triangle = find_refusals(batch, full, bounds.inertia)
        yield Effect(positive, "reject", POSITIVE)
        if bounds.balanced:
            moments = np.where(triangle[:, None], moments.mean(axis=1)[:, None], moments)
        else:
            yield Effect(triangle, "reject", TRIANGLE)
        unread = full & ~batch.finite
        alone = batch.moved & (unread | ~(mass >= _MINIMUM))
        alone |= batch.moved & ~np.all(moments >= _MINIMUM, axis=1)
        yield Effect(alone & ~_is_carried(batch, alone), "reject", MOVING)
        yield Effect(unread, "alter", NOT_A_NUMBER, "an inertia of 0, or one that is no number")
        nan = np.isnan(mass) | np.any(np.isnan(moments), axis=1)
        yield Effect(nan, "warn", NOT_A_NUMBER)
        changed = (mass != batch.mass) | np.any(moments != batch.moments, axis=1)
        yield Effect(changed, "alter", becomes=lambda i: _words.body(mass[i], moments[i]))

    def _missing(self, batch: Batch, door: str, bounds: Bounds) -> Iterator[Effect]:
        """Bodies without inertial: from collision shapes, from the bounds, or without inertia."""
        missing = batch.missing
        if door == "urdf":
            bulky = batch.some(missing, batch.has_collision)
            yield Effect(bulky & batch.some(bulky, batch.is_anchored), "accept")  # in the world
            yield Effect(bulky, "replace", becomes=_words.BOX)
        if bounds.mass >= _MINIMUM and bounds.inertia >= _MINIMUM:
            becomes = _words.body(bounds.mass, [bounds.inertia] * 3)
            yield Effect(missing, "alter", becomes=becomes)
        alone = missing & batch.moved
        yield Effect(alone & ~_is_carried(batch, alone), "reject", MOVING)
        yield Effect(missing, "accept")


def _is_carried(batch: Batch, where: Flags) -> Flags:
    """Whether a body welded below has the mass and the inertia that a body lacks."""
    return batch.some(where, lambda i: batch.carries(i, _MINIMUM, _MINIMUM))


def _raise_to_bounds(batch: Batch, bounds: Bounds) -> tuple[Floats, Floats]:
    """Masses and moments, raised to the bounds where they are below."""
    return np.maximum(batch.mass, bounds.mass), np.maximum(batch.moments, bounds.inertia)


def find_refusals(batch: Batch, full: Flags, least: float = 0.0) -> tuple[Flags, Flags]:
    """Find the bodies that MuJoCo refuses whether a joint moves them or not.

    Args:
        batch: The bodies.
        full: (N,) whether MuJoCo has to compute the principal moments itself.
        least: Bound to which smaller moments are raised [kg m^2].

    Returns:
        (N,) an eigenvalue is too small; (N,) the raised moments violate A + B >= C.
    """
    low, middle, high = batch.moments.T
    unread = full & ~batch.finite
    rounding = np.where(full & ~batch.diagonal, _ROUNDING * high, 0)
    raised = np.maximum(low, least) + np.maximum(middle, least)
    unequal = raised < np.maximum(high, least) - rounding
    floor = -_EIGENVALUE * np.maximum(1, high) if least > 0 else _EIGENVALUE
    return full & ~unread & (low < floor), ~unread & unequal
