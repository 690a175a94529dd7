"""Newton: corrects inertias when the model is finalized, and says how many, not which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from inertial_check.checking.engines import base
from inertial_check.checking.engines.base import Effect, Engine, Floors
from inertial_check.checking.engines.predict import Batch, Flags
from inertial_check.documents.model import Body
from inertial_check.inertia.arrays import Floats

if TYPE_CHECKING:
    import numpy.typing as npt

    Singles = npt.NDArray[np.float32]

_EPS = np.finfo(np.float32).eps

_RELATIVE = np.float32(1e-6)
"""inertia_relative_tolerance: least moment relative to the largest. Dimensionless."""

_ABSOLUTE = np.float32(1e-10)
"""inertia_absolute_tolerance: least moment [kg m^2]."""

_CORRECTION = np.float32(1e-6)
"""inertia_correction: what the kernel adds to corrected moments [kg m^2]."""

_ROUNDING = 8 * float(_EPS)
"""Tolerance of the MJCF importer in A + B >= C, relative to the largest moment."""

_FLOORS = Floors(moment=1.01e-10, ratio=1.5e-6)
"""Floors of the kernel, max(1e-6 of the largest moment, 1e-10 kg m^2), with room for its single
precision, which moves the moments of a tensor by about 1e-7 of the largest."""

TRIANGLE = "MJCF body inertia must satisfy A + B >= C; use 'balanceinertia' to fix."
UNREADABLE = "Eigenvalues did not converge"


class Repaired(NamedTuple):
    """The mass and moments of N bodies after the kernel.

    Attributes:
        corrected: (N,) whether the kernel counts the body as corrected.
        mass: (N,) masses [kg].
        moments: (N, 3) ascending principal moments [kg m^2].
    """

    corrected: Flags
    mass: Singles
    moments: Floats


class Newton(Engine):
    """newton.ModelBuilder with its default settings."""

    name, version = "newton", "1.8.0"
    source = (
        "geometry/inertia.py, validate_and_correct_inertia_kernel, and utils/import_mjcf.py; run: "
        "ModelBuilder.finalize()"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "add_urdf", "mjcf": "add_mjcf", "usd": "add_usd"}

    def floors(self, body: Body) -> Floors:
        """The floors of the kernel, whatever the form of the document."""
        return _FLOORS

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """MuJoCo's rules in single precision for an MJCF, then the validation of the model."""
        yield Effect(batch.some(batch.missing, batch.has_collision), "replace", becomes=base.BOX)
        yield Effect(batch.missing, "accept")
        mass, tensors = batch.mass.astype(np.float32), batch.I_BBcm_B.astype(np.float32)
        lifted: Flags = np.zeros(len(mass), dtype=np.bool_)
        if door == "mjcf":
            yield Effect(~batch.finite, "reject", UNREADABLE)
            bounds = batch.model.bounds
            moments = _eigenvalues(tensors, batch.finite)
            lifted = (batch.mass < bounds.mass) | (moments[:, 0] < bounds.inertia)
            moments = np.maximum(moments, bounds.inertia)
            low, middle, high = moments.T
            unequal = low + middle < high - _ROUNDING * high
            if bounds.balanced:
                lifted |= unequal
                moments = np.where(unequal[:, None], moments.mean(axis=1)[:, None], moments)
            else:
                yield Effect(unequal, "reject", TRIANGLE)
            mass = np.maximum(mass, np.float32(bounds.mass))
            # (N, 6) diagonal tensors with these moments; directions of axes have no effect here.
            diagonal_tensors = np.zeros((len(moments), 6), dtype=np.float32)
            diagonal_tensors[:, [0, 3, 5]] = moments
            tensors = np.where(lifted[:, None], diagonal_tensors, tensors)
        repaired = _run_kernel(mass, tensors)
        count = int(np.sum(repaired.corrected & ~batch.missing & ~batch.derived))
        yield Effect(
            repaired.corrected,
            "alter",
            (
                f"Inertia validation corrected {count} bodies. Set "
                "validate_inertia_detailed=True for detailed per-body warnings."
            ),
            lambda i: base.body(repaired.mass[i], repaired.moments[i]),
        )
        yield Effect(
            lifted, "alter", becomes=lambda i: base.body(repaired.mass[i], repaired.moments[i])
        )


def _run_kernel(mass: Singles, tensors: Singles) -> Repaired:
    """Run the validation kernel, in single precision as it does."""
    readable = np.isfinite(mass) & np.all(np.isfinite(tensors), axis=1)
    corrected = ~readable | (mass < 0)
    mass = np.where(corrected, np.float32(0), mass)
    none = mass == 0
    weights = np.array([1, 2, 2, 1, 2, 1], dtype=np.float32)
    corrected |= none & (np.sum(weights * tensors * tensors, axis=1, dtype=np.float32) > 0)
    moments = _eigenvalues(tensors, readable & ~none).astype(np.float32)
    low, _, high = moments.T
    floor = np.maximum(_RELATIVE * high, _ABSOLUTE)
    raised = ~none & (low < floor)
    moments = moments + np.where(raised, floor - low + _CORRECTION, np.float32(0))[:, None]
    low, middle, high = moments.T
    unequal = ~none & (low + middle < high - np.maximum(_EPS * high, _ABSOLUTE))
    shift = np.where(unequal, high - low - middle + _CORRECTION, np.float32(0))
    moments = np.where(none[:, None], np.float32(0), moments + shift[:, None])
    return Repaired(corrected | raised | unequal, mass, moments.astype(np.float64))


def _eigenvalues(tensors: Singles, where: Flags) -> Floats:
    """(N, 3) ascending eigenvalues in double precision; 0 where not wanted or not finite."""
    where = where & np.all(np.isfinite(tensors), axis=1)
    xx, xy, xz, yy, yz, zz = np.where(where[:, None], tensors, 0).astype(np.float64).T
    rows = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)
    return np.asarray(np.linalg.eigvalsh(rows), dtype=np.float64)
