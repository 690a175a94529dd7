"""DART: warns of a mass that is not positive, and takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inertial_check.engines._base import Engine, Outcome
from inertial_check.engines._batch import Batch
from inertial_check.engines._urdfdom import unreadable


class Dart(Engine):
    """DART's URDF loader."""

    name, version = "dart", "6.20.0"
    source = (
        "dart/dynamics/BodyNode.cpp, setMass, and dart/utils/urdf; run: "
        "dartpy.utils.DartLoader().parseSkeleton(file)"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "DartLoader.parseSkeleton"}

    def outcomes(self, batch: Batch, door: str) -> Iterator[Outcome]:
        """No inertial; numbers that cannot be read; the mass. The inertia is not looked at."""
        default = "1 kg, principal moments 1, 1, 1 kg m^2"
        yield Outcome(batch.missing, "replace", becomes=default)
        yield from unreadable(batch)

        def message(i: int) -> str:
            return (
                f"[BodyNode] A negative or zero mass [{batch.mass[i]:.6g}] is set to BodyNode "
                f"[{batch.name(i)}], which can cause invalid physical behavior or segfault. "
                "Consider setting positive value instead."
            )

        yield Outcome(batch.mass <= 0, "warn", message)
