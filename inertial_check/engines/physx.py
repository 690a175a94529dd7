"""PhysX behind USD: UsdPhysics ignores a small inertia, PhysX refuses some others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.engines._base import Effect, Engine
from inertial_check.engines._batch import Batch

_UNWRITTEN = 1e-5
"""Length of diagonalInertia, in the units of the stage, up to which it counts as not written."""

_CALL = "PxRigidBody::setMassSpaceInertiaTensor(): "
_ADVICE = (
    "Either specify correct values in the mass properties, or add collider(s) to any shape(s) that "
    "you wish to automatically compute mass properties for."
)
_COLLIDERS = "the inertia of its colliders"


class PhysX(Engine):
    """UsdPhysics.RigidBodyAPI.ComputeMassProperties, then PhysX."""

    name, version = "physx", "5, USD 26.11"
    source = (
        "pxr/usd/usdPhysics/rigidBodyAPI.cpp (run: ComputeMassProperties) and PhysX "
        "NpRigidBodyTemplate.h (read)"
    )
    doors: ClassVar[dict[str, str]] = {"usd": "UsdPhysics.RigidBodyAPI.ComputeMassProperties"}
    otherwise = "usd"

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Inertias that count as not written, in the units of the stage, then refusals of PhysX."""
        single = (batch.moments / batch.unit[:, None]).astype(np.float32)
        squares = (single * single).sum(axis=1, dtype=np.float32)
        massless = batch.missing | ~(batch.mass.astype(np.float32) > 0)
        yield Effect(
            massless,
            "replace",
            lambda i: "" if batch.has_collision(i) else _possibly_invalid(batch.name(i)),
            "mass and inertia of its colliders at 1000 kg/m^3",
        )
        small = squares <= np.float64(_UNWRITTEN) ** 2
        solid = batch.some(small, batch.has_collision)
        yield Effect(small & solid, "replace", becomes=f"{_COLLIDERS}, at its own mass")
        yield Effect(
            small,
            "replace",
            lambda i: _small_sphere(batch.name(i)),
            lambda i: (
                f"a sphere of radius 0.1: {batch.mass[i]:.6g} kg, I = "
                f"{0.4 * batch.mass[i] * 0.01:.6g} kg m^2"
            ),
        )
        kept = "the inertia that the link had before: 1, 1, 1 kg m^2 where none was set"
        unread = ~np.all(np.isfinite(single), axis=1)
        yield Effect(unread, "replace", f"{_CALL}invalid inertia", kept)
        negative = np.any(single < 0, axis=1)
        articulated = batch.moved & np.any(single <= 0, axis=1)
        message = f"{_CALL}components must be > 0 for articulations"
        yield Effect(articulated, "replace", message, kept)
        yield Effect(negative, "replace", f"{_CALL}components must be non-negative", kept)


def _possibly_invalid(name: str) -> str:
    return (
        f"The rigid body at {name} has a possibly invalid inertia tensor of {{1.0, 1.0, 1.0}} and "
        f"a negative mass. {_ADVICE}"
    )


def _small_sphere(name: str) -> str:
    return (
        f"The rigid body at {name} has a possibly invalid inertia tensor of {{1.0, 1.0, 1.0}}, "
        f"small sphere approximated inertia was used. {_ADVICE}"
    )
