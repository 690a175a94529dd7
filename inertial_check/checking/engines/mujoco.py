"""MuJoCo: one invalid body is an error, and the model is not loaded.

Genesis: compiles with MuJoCo, falls back to its own URDF reader, checks inertias itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.checking.engines import base
from inertial_check.checking.engines.base import Engine, Floors
from inertial_check.checking.engines.predict import Batch, Effect, Flags
from inertial_check.checking.report import Action
from inertial_check.documents.model import Body, Parser

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

_SINGLE = float(np.finfo(np.float32).eps)
"""Relative rounding of a number that a layer of USD keeps as float32."""

_CENTER = "physics:centerOfMass"
_SHAPES = "mass and inertia of all its shapes, for centerOfMass is not written"
"""Body that MuJoCo simulates in place of one without a center of mass in USD."""

POSITIVE = "error 'inertia must have positive eigenvalues' in fullinertia"
TRIANGLE = "inertia must satisfy A + B >= C; use 'balanceinertia' to fix"
MOVING = "mass and inertia of moving bodies must be larger than mjMINVAL"
NOT_A_NUMBER = "XML contains a 'NaN'. Please check it carefully."


class MuJoCo(Engine):
    """MuJoCo's compiler."""

    name, version = "mujoco", "4.0.0"
    source = (
        "user_objects.cc, mjCBody::Compile; run: mujoco.MjSpec.from_string(text).compile(), for "
        "USD after plugin/usd_decoder/usd_decoder.cc, which no wheel has"
    )
    doors: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("urdf", "mjcf"), "MjModel.from_xml_path"),
        "usd": "MjSpec.from_file",
    }
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = dict.fromkeys(
        ("urdf", "mjcf"), ("tinyxml2", "mujoco")
    )
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
        if door == "usd":
            yield from _decode_usd(batch)
            return
        bounds = batch.model.bounds
        # Bodies without inertial: from collision shapes, from the bounds, or without inertia.
        missing = batch.missing
        if door == "urdf":
            bulky = batch.some(missing, batch.has_collision)
            yield Effect(bulky & batch.some(bulky, batch.is_anchored), "accept")  # in the world
            yield Effect(bulky, "replace", becomes=base.BOX)
        if bounds.mass >= _MINIMUM and bounds.inertia >= _MINIMUM:
            becomes = base.body(bounds.mass, [bounds.inertia] * 3)
            yield Effect(missing, "alter", becomes=becomes)
        missing_alone = missing & batch.moved
        yield Effect(missing_alone & ~_is_carried(batch, missing_alone), "reject", MOVING)
        yield Effect(missing, "accept")
        full = np.any(batch.I_BBcm_Bi != 0, axis=1) if door == "urdf" else ~batch.principal_form
        positive, triangle = find_refusals(batch, full, bounds.inertia)
        yield Effect(positive, "reject", POSITIVE)
        mass, moments = bounds.lift(batch.mass, batch.moments, triangle)
        if not bounds.balanced:
            yield Effect(triangle, "reject", TRIANGLE)
        unread = full & ~batch.finite
        alone = batch.moved & (unread | ~(mass >= _MINIMUM))
        alone |= batch.moved & ~np.all(moments >= _MINIMUM, axis=1)
        yield Effect(alone & ~_is_carried(batch, alone), "reject", MOVING)
        yield Effect(unread, "alter", NOT_A_NUMBER, "an inertia of 0, or one that is no number")
        nan = np.isnan(mass) | np.any(np.isnan(moments), axis=1)
        yield Effect(nan, "warn", NOT_A_NUMBER)
        changed = (mass != batch.mass) | np.any(moments != batch.moments, axis=1)
        yield Effect(changed, "alter", becomes=lambda i: base.body(mass[i], moments[i]))


def _decode_usd(batch: Batch) -> Iterator[Effect]:
    """Copy the attributes that are authored under PhysicsMassAPI, as float32 of the stage's units.

    Nothing else is read, no fallback, no newton:inertia and no unit. Without an authored center of
    mass the compiler takes mass and inertia of all shapes, visual ones too, and not those written.
    """
    count = len(batch.bodies)
    centered, lost, flat = (np.zeros(count, dtype=bool) for _ in range(3))
    mass, moments = np.zeros(count), np.zeros((count, 3))
    for i, body in enumerate(batch.bodies):
        own = {each.name: each for each in body.spellings if not each.prim}
        if own["PhysicsMassAPI"].state == "written":
            centered[i] = own[_CENTER].state != "absent"
            lost[i] = own[_CENTER].state == "fallback"
            flat[i] = own["physics:principalAxes"].state == "fallback"
            weights = [number.value for number in own["physics:mass"].numbers]
            mass[i] = np.float32(weights[0]) if len(weights) == 1 else 0.0
            diagonal = [number.value for number in own["physics:diagonalInertia"].numbers]
            if len(diagonal) == 3:
                moments[i] = np.sort(np.array(diagonal, dtype=np.float32))
    shaped = batch.some(~centered, batch.has_shape)
    yield Effect(shaped, "replace", becomes=_SHAPES)
    low, middle, high = moments.T
    yield Effect(low + middle < high, "reject", TRIANGLE)
    alone = batch.moved & ((mass < _MINIMUM) | (low < _MINIMUM))
    yield Effect(alone & ~_is_carried(batch, alone), "reject", MOVING)
    yield Effect(lost, "alter", becomes="a center of mass at minus infinity, which is written")
    yield Effect(flat, "alter", becomes="an inertia of 0, for axes of (0, 0, 0, 0) are written")
    near = np.abs(moments - batch.moments) <= _SINGLE * np.abs(batch.moments)
    same = np.all(near, axis=1) & (np.abs(mass - batch.mass) <= _SINGLE * np.abs(batch.mass))
    yield Effect(~same, "alter", becomes=lambda i: base.body(mass[i], moments[i]))


def _is_carried(batch: Batch, where: Flags) -> Flags:
    """Whether a body welded below has the mass and the inertia that a body lacks."""
    return batch.some(where, lambda i: batch.carries(i, _MINIMUM, _MINIMUM))


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


_RELATIVE = 1e-6
"""INERTIA_EIGVAL_RTOL: tolerance relative to the largest moment. Dimensionless."""

_ABSOLUTE = 1e-9
"""INERTIA_EIGVAL_ATOL [kg m^2]."""

_BOUND = 1e-15
"""boundinertia that Genesis passes to MuJoCo for a URDF [kg m^2]."""

_EPS = float(np.finfo(np.float32).eps)
"""gs.EPS: the mass of a moving link without mass, inertia and geometry [kg]."""

_FALLBACK = (
    "Falling back to legacy URDF parser. Default values of physics properties may be off: Error: "
)


class Genesis(Engine):
    """Genesis, with a URDF fixed to the world and its fixed links not merged."""

    name, version = "genesis", "1.4.5"
    source = (
        "engine/entities/rigid_entity/description.py, _parse_scene, and utils/mjcf.py; run: "
        "gs.morphs.URDF(file, fixed=True, merge_fixed_links=False), gs.morphs.MJCF(file)"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "gs.morphs.URDF", "mjcf": "gs.morphs.MJCF"}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Its own check of the tensor, inertias computed from geometry, and refusals of MuJoCo."""
        if door == "mjcf":
            for effect in MuJoCo().effects(batch, door):
                if effect.action in ("warn", "alter"):  # a warning, which Genesis does not show
                    quiet: Action = "accept" if effect.action == "warn" else "alter"
                    effect = effect._replace(message="", action=quiet)  # noqa: PLW2901
                yield effect
            return
        nan = np.any(np.isnan(batch.I_BBcm_Bi), axis=1) & ~batch.missing
        yield Effect(nan, "reject", "Inertia must be a symmetric matrix")
        # The check of Genesis itself: eigenvalues and triangle inequality.
        low, middle, high = np.where(batch.finite[:, None], batch.moments, np.nan).T
        largest = np.maximum(np.abs(low), np.abs(high))

        def eigenvalues(i: int) -> str:
            return f"(eigenvalues: {batch.moments[i]})"

        yield Effect(
            low < -(largest * _RELATIVE + _ABSOLUTE),
            "reject",
            lambda i: (
                f"Inertia matrix of link '{batch.name(i)}' not positive definite {eigenvalues(i)}."
            ),
        )
        yield Effect(
            low + middle < high * (1.0 - _RELATIVE) - _ABSOLUTE,
            "reject",
            lambda i: (
                f"Inertia matrix of link '{batch.name(i)}' does not satisfy A+B>=C for all "
                f"permutations {eigenvalues(i)}."
            ),
        )
        yield from self._degenerate(batch)
        unread = ~batch.finite | np.isnan(batch.mass)
        yield Effect(unread & batch.moved, "warn", _FALLBACK + MOVING)
        positive, triangle = find_refusals(batch, np.any(batch.I_BBcm_Bi != 0, axis=1), _BOUND)
        yield Effect(positive, "warn", _FALLBACK + POSITIVE)
        yield Effect(triangle, "warn", _FALLBACK + TRIANGLE)

    def _degenerate(self, batch: Batch) -> Iterator[Effect]:
        """Links whose mass or a diagonal entry of whose inertia is not positive."""
        massless = batch.missing | (batch.mass <= 0)
        flat = np.any(~(batch.I_BBcm_Bi[:, [0, 3, 5]] > 0), axis=1)
        shaped = batch.some(massless | flat, batch.has_shape)
        replaced = shaped & (flat | (massless & batch.moved))
        yield Effect(replaced, "replace", becomes="the inertia of its shapes")
        empty = batch.moved & massless
        empty &= ~batch.some(empty, lambda i: batch.carries(i, np.nextafter(0, 1), -np.inf))
        yield Effect(
            empty,
            "alter",
            lambda i: (
                f"Moving link '{batch.name(i)}' has no mass, inertia or geometry, and no "
                "rigidly-attached child provides any. Setting its mass to 'gs.EPS'."
            ),
            f"{_EPS:.6g} kg",
        )
        yield Effect(batch.missing, "accept")
