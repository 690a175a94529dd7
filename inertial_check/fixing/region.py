"""The tensors that are good enough: of bodies, with a margin, above the floors of engines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.engines import NO_FLOORS, Floors
from inertial_check.fixing.strict import survives
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import six as six_of
from inertial_check.inertia.representations import symmetric
from inertial_check.projection.closed_form import ISOTROPIC, nearest_covariance, nearest_inertia

NEAREST = {"inertia": nearest_inertia, "covariance": nearest_covariance}
"""By the name of the metric, the nearest (6,) with a margin."""

_SPREADS = np.ones((3, 3)) / 2 - np.eye(3)
"""From principal moments to the second moments along their axes: s_i = tr(J)/2 - J_i."""

_FEASIBLE = 1e-12
"""By how much, of its largest moment, a corner of the region may miss a face: its rounding."""


@dataclass(frozen=True)
class Region:
    """A convex set of tensors that does not change with the axes.

    Attributes:
        metric: A name of NEAREST: whose change is least on the way into it.
        margin: That its tensors have at least, 0 to 1/3.
        floors: Of their principal moments.
    """

    metric: str = "inertia"
    margin: float = 0.0
    floors: Floors = NO_FLOORS

    def project(self, six: Floats, further: float = 0.0) -> Floats:
        """The nearest tensor (6,) of the region.

        Args:
            six: (6,) any symmetric tensor.
            further: How far inside it lies: added to the margin, and to the floors as a share.
        """
        margin = min(self.margin + further, ISOTROPIC)
        nearest: Floats = np.asarray(NEAREST[self.metric](six, margin))
        reached = np.linalg.eigvalsh(symmetric(nearest))
        floors = self.floors.raised(further, float(reached[-1]))
        if _above(reached, floors):
            return nearest
        moments, axes = np.linalg.eigh(symmetric(six))
        found = _nearest_moments(moments, self.metric, margin, floors)
        tensor: Floats = six_of(axes @ np.diag(found) @ axes.T)
        return tensor

    def nearest(self, six: Floats) -> Floats | None:
        """The nearest tensor (6,); None where that is zero up to rounding, or floors alone."""
        left = np.asarray(NEAREST[self.metric](six, self.margin))
        rounding = tolerances.floor(np.ones(())) * np.max(np.abs(six))
        return self.project(six) if np.max(np.abs(left)) > rounding else None

    def holds(self, written: Floats) -> bool:
        """Whether these six lie in it, without any tolerance, also in float32."""
        if not survives(written, self.margin):
            return False
        return _above(np.linalg.eigvalsh(symmetric(written)), self.floors)


def _above(moments: Floats, floors: Floors) -> bool:
    """Whether ascending moments reach the floors."""
    return bool(moments[0] >= max(floors.moment, floors.ratio * moments[-1]))


def _nearest_moments(moments: Floats, metric: str, margin: float, floors: Floors) -> Floats:
    """The nearest of a polyhedron: the best of its corners, edges and faces.

    The order of the moments stays on the way there, so the polyhedron is cut along it: of the
    triangle inequalities and the floors one each is left.

    Args:
        moments: (3,) ascending.
        metric: Whose change is least.
        margin: Of the result.
        floors: Of the result.
    """
    unit = max(float(np.max(np.abs(moments))), floors.moment)
    faces = np.array(
        [
            2 * _SPREADS[2] - margin,
            (1.0, 0.0, 0.0),
            (1.0, 0.0, -floors.ratio),
            (-1.0, 1.0, 0.0),
            (0.0, -1.0, 1.0),
        ]
    )
    least = np.array([0.0, floors.moment / unit, 0.0, 0.0, 0.0])
    lengths = np.eye(3) if metric == "inertia" else _SPREADS
    faces, given = faces @ np.linalg.inv(lengths), lengths @ (moments / unit)
    best, shortest = given, np.inf
    for count in range(4):
        for active in combinations(range(len(faces)), count):
            normals, heights = faces[list(active)], least[list(active)]
            point = given + np.linalg.pinv(normals) @ (heights - normals @ given)
            distance = float(np.linalg.norm(point - given))
            if distance < shortest and np.all(faces @ point - least >= -_FEASIBLE):
                best, shortest = point, distance
    found: Floats = np.linalg.inv(lengths) @ best * unit
    return found
