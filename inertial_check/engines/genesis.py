"""Genesis: compiles with MuJoCo, reads a URDF itself where that fails, and checks it itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.engines._base import Engine, Outcome
from inertial_check.engines._batch import Batch
from inertial_check.engines.mujoco import MOVING, NOT_A_NUMBER, POSITIVE, TRIANGLE, MuJoCo, refusals

_RELATIVE, _ABSOLUTE = 1e-6, 1e-9  # INERTIA_EIGVAL_RTOL; INERTIA_EIGVAL_ATOL [kg m^2]
_BOUND = 1e-15  # [kg m^2] boundinertia that it gives MuJoCo for a URDF
_EPS = float(np.finfo(np.float32).eps)  # gs.EPS [kg]

_FALLBACK = (
    "Falling back to legacy URDF parser. Default values of physics properties may be off: Error: "
)


class Genesis(Engine):
    """Genesis with the fixed links of a URDF kept apart, and its root in the world."""

    name, version = "genesis", "1.4.5"
    source = (
        "engine/entities/rigid_entity/description.py, _parse_scene, and utils/mjcf.py; run: "
        "gs.morphs.URDF(file, fixed=True, merge_fixed_links=False), gs.morphs.MJCF(file)"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "gs.morphs.URDF", "mjcf": "gs.morphs.MJCF"}

    def outcomes(self, batch: Batch, door: str) -> Iterator[Outcome]:
        """Its own check of the tensor; what has to come from geometry; what MuJoCo refuses."""
        if door == "mjcf":
            for outcome in MuJoCo().outcomes(batch, door):
                yield _unheard(outcome)
            return
        if batch.missing.all():
            yield from self._degenerate(batch)
            return
        nan = np.any(np.isnan(batch.I_BBcm_Bi), axis=1) & ~batch.missing
        yield Outcome(nan, "reject", "Inertia must be a symmetric matrix")
        yield from self._checked(batch)
        yield from self._degenerate(batch)
        unread = ~batch.finite | np.isnan(batch.mass)
        yield Outcome(unread & batch.moved, "warn", _FALLBACK + MOVING)
        positive, triangle = refusals(batch, np.any(batch.I_BBcm_Bi != 0, axis=1), _BOUND)
        yield Outcome(positive, "warn", _FALLBACK + POSITIVE)
        yield Outcome(triangle, "warn", _FALLBACK + TRIANGLE)

    def _checked(self, batch: Batch) -> Iterator[Outcome]:
        low, middle, high = np.where(batch.finite[:, None], batch.moments, np.nan).T
        largest = np.maximum(np.abs(low), np.abs(high))

        def eigenvalues(i: int) -> str:
            return f"(eigenvalues: {batch.moments[i]})"

        yield Outcome(
            low < -(largest * _RELATIVE + _ABSOLUTE),
            "reject",
            lambda i: (
                f"Inertia matrix of link '{batch.name(i)}' not positive definite {eigenvalues(i)}."
            ),
        )
        yield Outcome(
            low + middle < high * (1.0 - _RELATIVE) - _ABSOLUTE,
            "reject",
            lambda i: (
                f"Inertia matrix of link '{batch.name(i)}' does not satisfy A+B>=C for all "
                f"permutations {eigenvalues(i)}."
            ),
        )

    def _degenerate(self, batch: Batch) -> Iterator[Outcome]:
        """Links whose mass, or a diagonal entry of whose inertia, is not positive."""
        massless = batch.missing | (batch.mass <= 0)
        flat = np.any(~(batch.I_BBcm_Bi[:, [0, 3, 5]] > 0), axis=1)
        shaped = batch.some(massless | flat, batch.has_shape)
        replaced = shaped & (flat | (massless & batch.moved))
        yield Outcome(replaced, "replace", becomes="the inertia of its shapes")
        empty = batch.moved & massless
        empty &= ~batch.some(empty, lambda i: batch.carries(i, np.nextafter(0, 1), -np.inf))
        yield Outcome(
            empty,
            "alter",
            lambda i: (
                f"Moving link '{batch.name(i)}' has no mass, inertia or geometry, and no "
                "rigidly-attached child provides any. Setting its mass to 'gs.EPS'."
            ),
            f"{_EPS:.6g} kg",
        )
        yield Outcome(batch.missing, "accept")


def _unheard(outcome: Outcome) -> Outcome:
    """What Genesis lets through of MuJoCo: its errors, not what it prints."""
    if outcome.message != NOT_A_NUMBER:
        return outcome
    return outcome._replace(message="", action="accept" if outcome.action == "warn" else "alter")
