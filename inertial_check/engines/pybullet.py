"""PyBullet: sets an inertia with inconsistent moments to zero, and prints the name of the link."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import ClassVar

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.engines._base import Effect, Engine
from inertial_check.engines._batch import Batch

_NEGLIGIBLE = 1e-6
"""Largest product of inertia, relative to the sum of the diagonal, after which
btMatrix3x3::diagonalize does one more rotation and stops."""

_ROTATIONS = 30
"""Largest number of Jacobi rotations of btMatrix3x3::diagonalize."""

_EPS = float(np.finfo(float).eps)
"""SIMD_EPSILON of Bullet in double precision."""

_EDGE = 1e-9
"""Distance from the triangle inequality, relative to the largest moment, within which the digits of
btMatrix3x3::diagonalize decide; it leaves products of about 1e-12 of the sum of the moments."""

_NO_DATA = (
    "No inertial data for link, using mass=1, localinertiadiagonal = 1,1,1, identity local "
    "inertial frame"
)
_BAD = "Bad inertia tensor properties, setting inertia to zero for link: "


class PyBullet(Engine):
    """Bullet's URDF importer with URDF_USE_INERTIA_FROM_FILE."""

    name, version = "pybullet", "3.2.7"
    source = (
        "BulletUrdfImporter.cpp, getMassAndInertia2; run: loadURDF(file, "
        "flags=URDF_USE_INERTIA_FROM_FILE)"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "loadURDF(file, flags=URDF_USE_INERTIA_FROM_FILE)"}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Missing inertials, then the moments, without any tolerance."""
        yield Effect(batch.missing, "replace", _NO_DATA, "1 kg, principal moments 1, 1, 1 kg m^2")
        low, middle, high = moments = batch.moments.T.copy()
        edge = _EDGE * np.abs(high)
        doubt = np.minimum(np.abs(low), np.abs(low + middle - high)) <= edge
        for i in (doubt & batch.finite & ~batch.diagonal).nonzero()[0].tolist():
            moments[:, i] = np.sort(_diagonalize(batch.I_BBcm_Bi[i]))
        bad = (low < 0) | (high > low + middle)
        yield Effect(
            bad,
            "replace",
            lambda i: f"{_BAD}{batch.name(i)}",
            lambda i: f"{batch.mass[i]:.6g} kg without rotational inertia",
        )


def _diagonalize(entries: Floats) -> list[float]:
    """Repeat btMatrix3x3::diagonalize operation by operation: its last bits decide on the edge."""
    xx, xy, xz, yy, yz, zz = entries.tolist()
    matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    for _ in range(_ROTATIONS):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda place: abs(matrix[place[0]][place[1]]))
        negligible = _NEGLIGIBLE * sum(abs(matrix[k][k]) for k in range(3))
        largest = abs(matrix[p][q])
        if largest <= _EPS * negligible:
            break
        _rotate(matrix, p, q)
        if largest <= negligible:
            break
    return [matrix[k][k] for k in range(3)]


def _rotate(matrix: list[list[float]], p: int, q: int) -> None:
    """Do one Jacobi rotation, which makes the product of inertia of two axes zero."""
    r = 3 - p - q
    product = matrix[p][q]
    theta = (matrix[q][q] - matrix[p][p]) / (2 * product)
    square = theta * theta
    if square * square < 10 / _EPS:
        root = sqrt(1 + square)
        tangent = 1 / (theta + root) if theta >= 0 else 1 / (theta - root)
        cosine = 1 / sqrt(1 + tangent * tangent)
        sine = cosine * tangent
    else:
        tangent = 1 / (theta * (2 + 0.5 / square))
        cosine = 1 - 0.5 * tangent * tangent
        sine = cosine * tangent
    matrix[p][q] = matrix[q][p] = 0.0
    matrix[p][p] -= tangent * product
    matrix[q][q] += tangent * product
    rp, rq = matrix[r][p], matrix[r][q]
    matrix[r][p] = matrix[p][r] = cosine * rp - sine * rq
    matrix[r][q] = matrix[q][r] = cosine * rq + sine * rp
