"""Pinocchio: accepts what is written; a negative mass displaces the centre of mass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.engines import _words
from inertial_check.engines._base import Effect, Engine
from inertial_check.engines._batch import Batch, Flags
from inertial_check.engines._urdfdom import replace_unreadable

_EPS = float(np.finfo(float).eps)


class Pinocchio(Engine):
    """Pinocchio's parsers, which do not call the constructor pin.Inertia and its check."""

    name, version = "pinocchio", "4.1.0"
    source = (
        "parsers/urdf/model.cpp, parsers/mjcf/mjcf-graph.cpp and spatial/inertia.hpp; run: "
        "buildModelFromXML, buildModelFromMJCF"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "buildModelFromUrdf", "mjcf": "buildModelFromMJCF"}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Numbers that cannot be read, and negative masses."""
        yield Effect(batch.missing, "accept")
        if door == "mjcf":
            yield from self._in_mjcf(batch)
            return
        yield from replace_unreadable(batch)

        def becomes(i: int) -> str:
            thrown = batch.mass[i] ** 2 / _EPS**2 * batch.p_BoBcm_B[i]
            return f"{batch.mass[i]:.6g} kg, centre of mass at {_words.join(thrown)} m"

        off = np.any(batch.p_BoBcm_B != 0, axis=1)
        yield Effect((batch.mass < 0) & off, "alter", becomes=becomes)

    def _in_mjcf(self, batch: Batch) -> Iterator[Effect]:
        """The bounds of MJCF, which Pinocchio applies to the entries of the diagonal."""
        text = 'conversion of data to type "double" failed'
        yield Effect(~np.isfinite(batch.mass), "reject", text)
        yield Effect(~batch.finite, "alter", becomes="an inertia that is not the one written")
        entries = batch.I_BBcm_Bi
        diagonal = entries[:, [0, 3, 5]]
        bounds = batch.model.bounds
        lifted: Flags = (batch.mass < bounds.mass) | np.any(diagonal < bounds.inertia, axis=1)

        def becomes(i: int) -> str:
            raised = _words.join(np.maximum(diagonal[i], bounds.inertia))
            return f"{max(batch.mass[i], bounds.mass):.6g} kg, ixx, iyy, izz = {raised} kg m^2"

        yield Effect(lifted, "alter", becomes=becomes)
