"""DART: warns about a mass that is not positive, and uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inertial_check.engines._base import Effect, Engine
from inertial_check.engines._batch import Batch
from inertial_check.engines._urdfdom import replace_unreadable


class Dart(Engine):
    """DART's URDF loader."""

    name, version = "dart", "6.20.0"
    source = (
        "dart/dynamics/BodyNode.cpp, setMass, and dart/utils/urdf; run: "
        "dartpy.utils.DartLoader().parseSkeleton(file)"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "DartLoader.parseSkeleton"}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Missing inertials, unreadable numbers, masses; DART does not check the inertia."""
        default = "1 kg, principal moments 1, 1, 1 kg m^2"
        yield Effect(batch.missing, "replace", becomes=default)
        yield from replace_unreadable(batch)

        def message(i: int) -> str:
            return (
                f"[BodyNode] A negative or zero mass [{batch.mass[i]:.6g}] is set to BodyNode "
                f"[{batch.name(i)}], which can cause invalid physical behavior or segfault. "
                "Consider setting positive value instead."
            )

        yield Effect(batch.mass <= 0, "warn", message)
