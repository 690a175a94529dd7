"""Gazebo: libsdformat refuses the world; links without mass in a URDF are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.engines._base import Effect, Engine
from inertial_check.engines._batch import Batch, Flags
from inertial_check.engines._urdfdom import replace_unreadable
from inertial_check.model import Prediction

_TOLERANCE = 10 * float(np.finfo(float).eps)
"""GZ_MASSMATRIX3_DEFAULT_TOLERANCE, relative to half the trace."""

_PRODUCTS = 1e-6
"""Products of inertia up to this share of the largest diagonal entry count as zero."""

_ENSURE = (
    "Please ensure this link has a valid mass to prevent any missing links or joints in the "
    "resulting SDF model."
)


class Gazebo(Engine):
    """libsdformat and gz-math, with which gz-sim loads worlds."""

    name, version = "gz", "libsdformat in Drake 1.51.1"
    source = (
        "gz/math/MassMatrix3.hh, IsValid; sdformat src/Link.cc and src/parser_urdf.cc; run: the "
        "libsdformat in Drake 1.51.1"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "gz sdf -p, then as SDF", "sdf": "sdf::Root::Load"}
    otherwise = "sdf"

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Links without mass, then MassMatrix3::IsValid."""
        if door == "urdf":
            massless = ~(np.isfinite(batch.mass) & (batch.mass > 0))
            lost = batch.some(massless, lambda i: not _is_lumped(batch, i))
            becomes = "neither this link nor those that hang on it"
            yield Effect(lost, "drop", lambda i: _massless(batch, i), becomes)
            yield Effect(massless, "accept")
            yield from replace_unreadable(batch)
        yield Effect(batch.missing, "accept")
        invalid = ~is_valid(batch.mass, batch.I_BBcm_Bi)
        yield Effect(invalid, "reject", lambda i: _invalid(batch.name(i)))

    def predict(self, batch: Batch) -> dict[int, Prediction]:
        """Predict the effects; bodies below a dropped body are dropped with it."""
        found = super().predict(batch)
        dropped = {row for row, prediction in found.items() if prediction.action == "drop"}
        gone: set[int] = set()
        for row in sorted(dropped):
            if row in gone or batch.family.parents[row] in dropped:
                continue  # it is dropped with its parent
            name = batch.name(row)
            prediction = found[row]._replace(becomes=f"left out with {name}, on which it hangs")
            below = set(batch.family.descendants(row))
            found.update(dict.fromkeys(below, prediction))
            gone |= below
        return found


def _is_lumped(batch: Batch, i: int) -> bool:
    """Whether a link without mass is merged into another link instead of being dropped."""
    body = batch.bodies[i]
    tied = body.joint == "fixed" and batch.family.parents[i] is not None
    return tied or body.name == "world" or batch.carries(i, np.nextafter(0, 1), -np.inf)


def _massless(batch: Batch, i: int) -> str:
    what = "a mass value of less than or equal to zero"
    if batch.missing[i]:
        what = "no <inertial> block defined"
    return f"urdf2sdf: link[{batch.name(i)}] has {what}. {_ENSURE}"


def _invalid(name: str) -> str:
    """The message names the link without the names of the models around it."""
    return f"A link named {name.rpartition('::')[2]} has invalid inertia."


def is_valid(mass: Floats, I_BBcm_Bi: Floats) -> Flags:
    """Evaluate MassMatrix3::IsValid for N bodies.

    Args:
        mass: (N,) [kg].
        I_BBcm_Bi: (N, 6) [kg m^2].

    Returns:
        (N,) whether each is valid.
    """
    xx, xy, xz, yy, yz, zz = I_BBcm_Bi.T
    floor = _TOLERANCE * 0.5 * np.abs(xx + yy + zz)
    minor = xx * yy - xy**2
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    positive = (mass >= 0) & (xx + floor >= 0) & (minor + floor >= 0) & (determinant + floor >= 0)
    moments = _principal_moments(I_BBcm_Bi)
    a, b, c = moments.T
    floor = _TOLERANCE * 0.5 * np.abs(a + b + c)
    least = np.min(moments, axis=1) + floor >= 0
    triangle = (a + b + floor >= c) & (b + c + floor >= a) & (c + a + floor >= b)
    return np.asarray(positive & least & triangle)


def _principal_moments(I_BBcm_Bi: Floats) -> Floats:
    """Compute MassMatrix3::PrincipalMoments, (N, 3), whose last digits decide on the boundary.

    Kronenburg, A Method for Fast Diagonalization of a 2x2 or 3x3 Real Symmetric Matrix, section 4.
    """
    xx, xy, xz, yy, yz, zz = I_BBcm_Bi.T
    entries = np.stack([xx, yy, zz], axis=1)
    negligible = _PRODUCTS * entries.max(axis=1)
    b = xx + yy + zz
    c = xx * yy - xy**2 + xx * zz - xz**2 + yy * zz - yz**2
    d = xx * yz**2 + yy * xz**2 + zz * xy**2 - xx * yy * zz - 2 * xy * xz * yz
    p = b**2 - 3 * c
    q = 2 * b**3 - 9 * b * c - 27 * d
    angle = np.arccos(np.clip(0.5 * q / p**1.5, -1, 1))
    turns = np.array([0, 2 * np.pi, -2 * np.pi])
    swing = 2 * np.sqrt(p)[:, None] * np.cos((angle[:, None] + turns) / 3)
    moments = np.sort((b[:, None] + swing) / 3, axis=1)
    round_ = p < negligible**2
    moments[round_] = (b / 3.0)[round_, None]
    diagonal = np.all(np.abs(I_BBcm_Bi[:, [1, 2, 4]]) <= negligible[:, None], axis=1)
    moments[diagonal] = entries[diagonal]
    return moments
