"""Genesis: compiles with MuJoCo, falls back to its own URDF reader, checks inertias itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.engines._base import Effect, Engine
from inertial_check.engines._batch import Batch
from inertial_check.engines.mujoco import (
    MOVING,
    POSITIVE,
    TRIANGLE,
    MuJoCo,
    find_refusals,
)

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
                    quiet = "accept" if effect.action == "warn" else "alter"
                    effect = effect._replace(message="", action=quiet)  # noqa: PLW2901
                yield effect
            return
        nan = np.any(np.isnan(batch.I_BBcm_Bi), axis=1) & ~batch.missing
        yield Effect(nan, "reject", "Inertia must be a symmetric matrix")
        yield from self._check_tensors(batch)
        yield from self._degenerate(batch)
        unread = ~batch.finite | np.isnan(batch.mass)
        yield Effect(unread & batch.moved, "warn", _FALLBACK + MOVING)
        positive, triangle = find_refusals(batch, np.any(batch.I_BBcm_Bi != 0, axis=1), _BOUND)
        yield Effect(positive, "warn", _FALLBACK + POSITIVE)
        yield Effect(triangle, "warn", _FALLBACK + TRIANGLE)

    def _check_tensors(self, batch: Batch) -> Iterator[Effect]:
        """The check of Genesis itself: eigenvalues and triangle inequality."""
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
