"""Quadrature of triangle meshes: points on lines through the mesh, where they are inside.

Lines run along each of the three axes, so that a wall is met across whatever way it stands. The
weights are then tilted, by the least relative entropy, until volume, first and second moments are
those of the mesh.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.filling.shapes.quadrature import Points, join_points, legendre
from inertial_check.inertia import tolerances
from inertial_check.inertia.meshes import BLOCK

LINES = 12
"""Lines along each edge of a mesh's box: the moments before they are tilted err by a few percent,
and three times 144 lines take milliseconds."""

ON_LINE = 3
"""Points of the Gauss-Legendre rule on each part of a line that is inside."""

_SHIFT = (0.0137, -0.0291)
"""By how much lines stand beside the middles of their cells, in cells: edges of modelled parts lie
in the middle, and on an edge a line counts both of its triangles, or none."""

_STEPS = 60
"""Largest number of Newton's steps that tilt the weights; eight are enough as a rule."""


def fill_triangles(blocks: Iterable[Floats]) -> tuple[Points | None, bool]:
    """Find points inside a mesh whose triangles face outwards.

    Args:
        blocks: Blocks (n, 3, 3) of triangles [m].

    Returns:
        The points, with volumes that are estimates; None where no line meets the inside. And
        whether the mesh encloses some place more than once, which is counted once here.
    """
    triangles = np.concatenate(list(blocks))
    lower = triangles.min(axis=(0, 1))
    edges = triangles.max(axis=(0, 1)) - lower
    if not np.all(edges > 0):
        return None, False
    found, twice = [], False
    for axis in range(3):
        order = [(axis + 1) % 3, (axis + 2) % 3, axis]  # a rotation: triangles keep their sense
        part, multiple = _fill_lines(triangles, order, lower[order], edges[order])
        if part is not None:
            points = np.empty_like(part.points)
            points[:, order] = part.points
            found.append(Points(part.volumes, points))
            twice |= multiple
    if not found:
        return None, False
    joined = join_points(found)
    return Points(joined.volumes / len(found), joined.points), twice


def _fill_lines(
    triangles: Floats, order: list[int], lower: Floats, edges: Floats
) -> tuple[Points | None, bool]:
    """Points on lines along the last of the axes in this order; as for fill_triangles."""
    cell = edges[:2] / LINES
    start = lower[:2] + cell * (0.5 + np.array(_SHIFT))
    found = [
        _cross(triangles[at : at + BLOCK, :, order], start, cell)
        for at in range(0, len(triangles), BLOCK)
    ]
    line, z, sense = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if not len(line):
        return None, False
    downwards = np.lexsort((-z, line))
    line, z, sense = line[downwards], z[downwards], sense[downwards]
    # Seen from above, a line enters where a triangle faces up: the winding number below it.
    _, starts, counts = np.unique(line, return_index=True, return_counts=True)
    totals = np.add.reduceat(sense, starts)
    before = np.cumsum(totals) - totals
    winding = np.cumsum(sense) - np.repeat(before, counts)
    closed = np.repeat(totals == 0, counts)  # a line through an edge may count it twice
    same = line[1:] == line[:-1]
    inside = same & closed[:-1] & (winding[:-1] >= 1)
    if not np.any(inside):
        return None, False
    top, bottom, at = z[:-1][inside], z[1:][inside], line[:-1][inside]
    nodes, weights = legendre(ON_LINE, 0.0, 1.0)
    heights = bottom[:, None] + (top - bottom)[:, None] * nodes
    volumes = np.prod(cell) * (top - bottom)[:, None] * weights
    xy = start + cell * np.stack([at // LINES, at % LINES], axis=1)
    points = np.concatenate([np.repeat(xy, ON_LINE, axis=0), heights.reshape(-1, 1)], axis=1)
    kept = volumes.ravel() > 0
    if not np.any(kept):
        return None, False
    return Points(volumes.ravel()[kept], points[kept]), bool(np.any(winding[:-1][inside] > 1))


def _cross(triangles: Floats, start: Floats, cell: Floats) -> tuple[Floats, Floats, Floats]:
    """Crossings of lines and triangles: number of the line, height, and +1 where it faces up."""
    xy = (triangles[..., :2] - start) / cell  # line (i, j) stands at the integers i, j
    first = np.clip(np.ceil(xy.min(axis=1)), 0, LINES).astype(int)
    last = np.clip(np.floor(xy.max(axis=1)), -1, LINES - 1).astype(int)
    counts = np.maximum(last - first + 1, 0)
    total = counts[:, 0] * counts[:, 1]
    which = np.repeat(np.arange(len(triangles)), total)
    if not len(which):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    rank = np.arange(len(which)) - np.repeat(np.cumsum(total) - total, total)
    i = first[which, 0] + rank // counts[which, 1]
    j = first[which, 1] + rank % counts[which, 1]
    a, b, c = (xy[which, k] - np.stack([i, j], axis=1) for k in range(3))
    areas = np.stack([_area(b, c), _area(c, a), _area(a, b)], axis=1)
    whole = areas.sum(axis=1)
    hit = (np.all(areas >= 0, axis=1) | np.all(areas <= 0, axis=1)) & (whole != 0)
    shares = areas[hit] / whole[hit, None]
    z = np.einsum("nk,nk->n", shares, triangles[which[hit], :, 2])
    return (i * LINES + j)[hit], z, np.sign(whole[hit])


def _area(a: Floats, b: Floats) -> Floats:
    area: Floats = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return area


def tilt(points: Points, moments: Floats) -> Points | None:
    """Make the moments of a rule exact, by positive factors of least relative entropy.

    Args:
        points: The rule.
        moments: (4, 4) integral of [p, 1] [p, 1]^T over the solid [m^3, m^4, m^5].

    Returns:
        The rule with factors exp(q(p)), q a quadratic form; None where no such factors exist, as
        where all points lie in a plane.
    """
    volume = moments[3, 3]
    middle = moments[:3, 3] / volume
    reach = np.max(np.abs(points.points - middle))
    T = np.eye(4)
    T[:3, :3] /= reach
    T[:3, 3] = -middle / reach
    wanted = (T @ moments @ T.T)[np.triu_indices(4)] / volume
    places = np.concatenate([(points.points - middle) / reach, np.ones((len(points.points), 1))], 1)
    forms = np.einsum("ni,nj->nij", places, places)[:, *np.triu_indices(4)]
    weights = points.volumes / points.volumes.sum()
    multipliers = np.zeros(10)
    for _ in range(_STEPS):
        now = weights * np.exp(forms @ multipliers)
        missing = wanted - now @ forms
        if np.max(np.abs(missing)) <= tolerances.CELL_MOMENTS:
            return Points(now * volume, points.points)
        hessian = (forms * now[:, None]).T @ forms
        step = np.linalg.lstsq(hessian, missing, rcond=None)[0]
        size = float(np.max(np.abs(forms @ step)))
        if not np.isfinite(size):
            return None
        multipliers = multipliers + step * min(1.0, 1.0 / max(size, np.finfo(float).tiny))
        if np.max(np.abs(forms @ multipliers)) > 30:
            return None
    return None
