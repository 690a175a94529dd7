"""Region of the inertia tensors that a fix may write, with its nearest point and its exact test.

The region is convex and independent of the axes: tensors that a body can have, with a least margin,
above the floors of simulation engines. Whether a printed tensor lies in it is decided without any
tolerance: in exact arithmetic, and by the eigenvalues that engines compute in float64 and float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats, NumpyArray
from inertial_check.engines import NO_FLOORS, Floors
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import six as six_of
from inertial_check.inertia.representations import symmetric
from inertial_check.projection.closed_form import ISOTROPIC, nearest_moments
from inertial_check.projection.exact import is_exact_tensor
from inertial_check.projection.metrics import find_metric

_SPREADS = np.ones((3, 3)) / 2 - np.eye(3)
"""Matrix from principal moments J to second moments along the principal axes: tr(J)/2 - J_i."""


@dataclass(frozen=True)
class Region:
    """Convex set of inertia tensors that is the same in all axes.

    Attributes:
        metric: Name of the metric in which the nearest tensor of the region is taken.
        margin: Least margin of its tensors, 0 to 1/3.
        floors: Lower bounds of their principal moments.
    """

    metric: str = "inertia"
    margin: float = 0.0
    floors: Floors = NO_FLOORS

    def project(self, six: Floats, inside: float = 0.0) -> Floats:
        """The nearest tensor (6,) of the region.

        Args:
            six: (6,) any symmetric tensor.
            inside: Distance from the border: added to the margin, and to the floors as a share of
                the largest moment.
        """
        margin = min(self.margin + inside, ISOTROPIC)
        nearest: Floats = np.asarray(nearest_moments(six, find_metric(self.metric), margin))
        reached = np.linalg.eigvalsh(symmetric(nearest))
        floors = self.floors.raise_by(inside, float(reached[-1]))
        if _reach(reached, floors):
            return nearest
        moments, axes = np.linalg.eigh(symmetric(six))
        found = _project_moments(moments, self.metric, margin, floors)
        tensor: Floats = six_of(axes @ np.diag(found) @ axes.T)
        return tensor

    def find_nearest(self, six: Floats) -> Floats | None:
        """The nearest tensor (6,); None where only rounding or the floors keep it from zero."""
        metric = find_metric(self.metric)
        without_floors = np.asarray(nearest_moments(six, metric, self.margin))
        rounding = tolerances.floor(np.ones(())) * np.max(np.abs(six))
        return self.project(six) if np.max(np.abs(without_floors)) > rounding else None

    def contains(self, written: Floats) -> bool:
        """Whether a tensor (6,) lies in the region, without any tolerance, also in float32."""
        if not survives_rounding(written, self.margin):
            return False
        return _reach(np.linalg.eigvalsh(symmetric(written)), self.floors)


def _reach(moments: NumpyArray, floors: Floors) -> bool:
    """Whether principal moments, in ascending order, reach the floors."""
    return bool(moments[0] >= max(floors.moment, floors.ratio * moments[-1]))


def survives_rounding(written: Floats, margin: float = 0.0) -> bool:
    """Whether a tensor is consistent without any tolerance, in float64 and rounded to float32.

    It is tested twice: in exact arithmetic, and by the eigenvalues that engines compute, which are
    wrong by a few eps.

    Args:
        written: (6,) entries as parsed.
        margin: Least margin in float64; in float32 it is 0.
    """
    with np.errstate(over="ignore", under="ignore"):
        single = written.astype(np.float32)
    if not np.all(np.isfinite(single)):
        return False
    slack = float(tolerances.floor(np.ones(())))
    return (
        is_exact_tensor(written.tolist(), margin)
        and is_exact_tensor(single.tolist())
        and _meets_triangle_inequality(written, slack)
        and _meets_triangle_inequality(single, 0.0)
    )


def _meets_triangle_inequality(six: npt.NDArray[np.floating], slack: float) -> bool:
    """Whether LAPACK, in the precision of the entries, finds 0 < J3 <= J2 <= J1 <= J2 + J3."""
    low, middle, high = np.linalg.eigvalsh(symmetric(six))
    return bool(low > 0 and low + middle - high >= slack * high)


def _project_moments(moments: Floats, metric: str, margin: float, floors: Floors) -> Floats:
    """The nearest point of a polyhedron of principal moments, by trying its faces and corners.

    A projection keeps the order of the moments. So the polyhedron is the part in which they ascend,
    where one triangle inequality and one of each kind of floor imply the others.

    Args:
        moments: (3,) ascending.
        metric: Name of the metric.
        margin: Least margin of the result.
        floors: Lower bounds of the result.
    """
    # Not zero: without a floor of the moment, a tensor of zeros needs no projection.
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
    heights = np.array([0.0, floors.moment / unit, 0.0, 0.0, 0.0])
    # In these coordinates the metric is the Euclidean distance.
    weight = find_metric(metric).trace_weight
    root = np.eye(3) + (np.sqrt(1 + 3 * weight) - 1) / 3  # of 1 + weight 1 1^T
    lengths = np.eye(3) if weight == 1 else root @ _SPREADS  # 1: that of the moments themselves
    faces, given = faces @ np.linalg.inv(lengths), lengths @ (moments / unit)
    best, shortest = given, np.inf
    for count in range(4):
        for active in combinations(range(len(faces)), count):
            normals, offsets = faces[list(active)], heights[list(active)]
            point = given + np.linalg.pinv(normals) @ (offsets - normals @ given)
            distance = float(np.linalg.norm(point - given))
            inside = np.all(faces @ point - heights >= -tolerances.ON_FACE)
            if distance < shortest and inside:
                best, shortest = point, distance
    found: Floats = np.linalg.inv(lengths) @ best * unit
    return found
