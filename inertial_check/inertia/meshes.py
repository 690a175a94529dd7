"""Uniform solids and shells of triangle meshes, and whether a mesh has an inside at all.

A mesh is its triangles, (n, 3, 3) corners in [m], or blocks of them one after the other: each is
looked at once, so that memory stays bounded by the block. Solids come from signed tetrahedra
between a point near the mesh and each triangle (the divergence theorem); they are right where
every edge is run through as often in one direction as in the other, whatever the point. That is
what `closed` says. Two corners count as one where they agree to single precision of the largest
coordinate: exporters write 1e-17 for 0, and STL holds no more. No corner is moved for it.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import meshes
>>> corners = np.array([[0, 0, 0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
>>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, show_value
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    ArrayLike,
    Floats,
    Integers,
    cross_components,
    expect_shape,
    read_floats,
    real_arrays,
)
from inertial_check.inertia.consistency import Verdict, check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import inertia_from_second_moment, symmetrise

Words = npt.NDArray[np.uint64]

Winding = Literal["outward", "inward", "none"]
"""Orientation of the triangles of a mesh; none where it is open or encloses no volume."""

Triangles = ArrayLike | Iterable[ArrayLike]
"""Triangles (..., 3, 3), or blocks of them one after another."""

BLOCK = 1 << 15
"""Triangles that are looked at together: with their temporaries they stay in the cache."""

_PRODUCTS = 1 << 17
"""Products of points and axes that are looked at together: a megabyte, for the same reason."""

_PAIRS = 1 << 20
"""Largest number of pairs of a line and a triangle that are looked at together: 8 MB an array."""

_LINES = 48
"""Lines of the Gauss-Legendre rule along each edge of a box around places that a mesh encloses
twice: exact for boxes, and to 1e-3 for balls. It is even, as edges lie in the middle."""

_DEPTH = 8
"""Largest number of times that such a box is narrowed or parted."""

_TIGHT = 0.95
"""Length of a box, in parts of the former one, above which it is not narrowed further; gaps between
places that are shorter than the rest of it do not part it."""

# Multipliers and shifts of SplitMix64 (Steele, Lea, Flood 2014), which spreads every bit.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


@dataclass(frozen=True, kw_only=True, eq=False)
class Mesh:
    """What the triangles of a mesh enclose and cover.

    Attributes:
        triangles: How many.
        degenerate: How many have two corners that count as one.
        closed: Whether every edge is run through as often one way as the other: it has an inside.
            Decided by a sum of hashes, wrong once in 2^64.
        volume: Signed [m^3]: negative where the triangles face inwards. Means nothing where the
            mesh is not closed.
        area: [m^2].
        lower: (3,) least coordinates [m].
        upper: (3,) greatest coordinates [m].
        solidity: Volume over the sum of the sizes of the signed tetrahedra that it is made of.
        reach: (k, 2) least and greatest coordinate along each of the axes that were asked for [m].
    """

    triangles: int
    degenerate: int
    closed: bool
    volume: float
    area: float
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    solidity: float
    reach: Floats = field(repr=False)
    _inside: Floats = field(repr=False)
    _surface: Floats = field(repr=False)
    _reference: Floats = field(repr=False)
    _cell: float = field(repr=False)

    @property
    def flat(self) -> bool:
        """Whether the triangles lie in one plane, to single precision; False without area."""
        if not self.area > 0:
            return False
        _, variances = _mean(self._surface)
        least, _, most = np.linalg.eigvalsh(variances)
        rounding = max(self._cell, tolerances.epsilon(np.float32, np) * most**0.5)
        return bool(least <= (tolerances.FLOOR_FACTOR * rounding) ** 2)

    @property
    def winding(self) -> Winding:
        """Which way the triangles face, by the sign of the volume."""
        rounding = float(tolerances.floor(np.ones(())))
        if not self.closed or abs(self.solidity) * tolerances.ILL_POSED_FLOOR <= rounding:
            return "none"
        return "outward" if self.volume > 0 else "inward"

    def solid(
        self, *, mass: float | None = None, density: float | None = None, inside_out: bool = False
    ) -> InertialParameters:
        """The uniform solid inside the mesh, about its centre of mass.

        Args:
            mass: [kg].
            density: [kg/m^3], instead of the mass.
            inside_out: Also of a mesh whose triangles face inwards, as if they were turned.

        Raises:
            ParameterError: The mesh is open, holds no volume, faces inwards without `inside_out`,
                or runs through itself so much that its moments are no body's; both or neither of
                mass and density given, or one that is not positive.
        """
        if not self.closed:
            raise ParameterError(
                f"the mesh of {self.triangles} triangles is not closed, so it has no inside: mend "
                "it, or take its convex hull or its shell"
            )
        if self.winding == "none":
            raise ParameterError(
                f"the mesh of {self.triangles} triangles encloses no volume ({self.volume:.3g} m^3 "
                "is rounding): take its shell"
            )
        if self.winding == "inward" and not inside_out:
            raise ParameterError(
                f"the triangles of the mesh face inwards: its volume is {self.volume:.6g} m^3; "
                "turn them, or ask for inside_out"
            )
        body = _uniform(self._inside, self._reference, mass, density)
        judged = check(body)
        if judged.verdict_code > int(Verdict.BOUNDARY):
            raise ParameterError(
                f"the moments of the mesh are no body's (margin {float(judged.margin):.3g}): it "
                "runs through itself, so that parts of it count as negative; mend it, or take its "
                "convex hull"
            )
        return body

    def shell(
        self, *, mass: float | None = None, density: float | None = None
    ) -> InertialParameters:
        """The triangles themselves as a thin shell, about its centre of mass; it may be open.

        Args:
            mass: [kg].
            density: [kg/m^2], instead of the mass.

        Raises:
            ParameterError: The mesh has no area; both or neither of mass and density given, or one
                that is not positive.
        """
        if not self.area > 0:
            raise ParameterError(f"the mesh of {self.triangles} triangles has no area")
        return _uniform(self._surface, self._reference, mass, density)


class EdgeFaults(NamedTuple):
    """Edges of a mesh that do not lie between exactly two triangles of the same sense.

    Attributes:
        open: Of one triangle alone: the rims of holes.
        turned: Between two triangles that face opposite ways.
        shared: Between more than two triangles.
    """

    open: int
    turned: int
    shared: int

    @property
    def watertight(self) -> bool:
        """Whether every edge lies between two triangles of the same sense."""
        return not any(self)


def measure(triangles: Triangles, axes: ArrayLike = ()) -> Mesh:
    """Measure a mesh.

    Args:
        triangles: (n, 3, 3) corners [m], counter-clockwise as seen from outside; or an iterable of
            such blocks, which is read once.
        axes: (k, 3) directions, along which also the reach of the mesh is measured.

    Returns:
        What the mesh encloses and covers. Coordinates far from the origin cost no digits.

    Raises:
        ParameterError: No triangle, a wrong shape, a corner that is not finite (naming it), or
            coordinates so large that their moments are not.

    Example:
        >>> mesh = meshes.measure(corners[faces])
        >>> print(mesh.closed, round(6 * mesh.volume, 9), mesh.lower, mesh.upper)
        True 1.0 (0.0, 0.0, 0.0) (1.0, 1.0, 1.0)
    """
    sums: _Sums | None = None
    count = 0
    (directions,) = read_floats((), axes=axes)
    if directions.size:
        expect_shape("axes", directions, 3)
    directions = directions.reshape(-1, 3)
    for block in _blocks(triangles):
        if not np.isfinite(block).all():
            row, corner, _ = np.argwhere(~np.isfinite(block))[0]
            raise ParameterError(
                f"corner {corner} of triangle {count + row} is {block[row, corner].tolist()}, "
                "expected finite numbers"
            )
        if sums is None:
            sums = _Sums(block, directions)
        with np.errstate(over="ignore", invalid="ignore"):  # said below
            sums.add(block)
        count += len(block)
    if sums is None:
        raise ParameterError("the mesh has no triangle")
    return sums.mesh(count)


def from_faces(vertices: ArrayLike, faces: ArrayLike) -> Iterator[Floats]:
    """Blocks of triangles (n, 3, 3) of an indexed mesh.

    Args:
        vertices: (n, 3) [m].
        faces: (k, 3) integers, indices of vertices.

    Raises:
        ParameterError: Wrong shapes, or an index that is none.

    Example:
        >>> (block,) = meshes.from_faces(corners, faces)
        >>> print(block.shape)
        (4, 3, 3)
    """
    _, (vertices,) = real_arrays(vertices=vertices)
    expect_shape("vertices", vertices, 3)
    try:
        faces = np.asarray(faces)
    except ValueError as error:
        raise ParameterError(f"faces cannot be read as an array: {error}") from error
    expect_shape("faces", faces, 3)
    if faces.size and not (np.issubdtype(faces.dtype, np.integer) and faces.min() >= 0):
        raise ParameterError("faces holds numbers that are no indices: expected integers from 0")
    if faces.size and faces.max() >= len(vertices):
        raise ParameterError(
            f"faces holds the index {faces.max()}, but there are {len(vertices)} vertices"
        )
    return (
        np.asarray(vertices[faces[i : i + BLOCK]], dtype=float) for i in range(0, len(faces), BLOCK)
    )


def edge_faults(triangles: Triangles) -> EdgeFaults:
    """Count the edges that keep a mesh from being watertight; its memory grows with the mesh.

    Args:
        triangles: As for `measure`. Of triangles with two corners in one place, the edges that
            have a length count.

    Raises:
        ParameterError: A wrong shape.

    Example:
        >>> print(meshes.edge_faults(corners[faces]))
        EdgeFaults(open=0, turned=0, shared=0)
        >>> print(meshes.edge_faults(corners[faces[:3]]))  # a face is missing: three open edges
        EdgeFaults(open=3, turned=0, shared=0)
    """
    named: list[tuple[Words, npt.NDArray[np.bool_]]] = []
    cell = 0.0
    for block in _blocks(triangles):
        cell = cell or _cell(block)
        named.append(_edges(_names(_by_coordinate(block), cell)))
    if not named:
        return EdgeFaults(0, 0, 0)
    edges, forward = (np.concatenate(parts) for parts in zip(*named, strict=True))
    _, which, total = np.unique(edges, return_inverse=True, return_counts=True)
    balance = np.bincount(which, weights=np.where(forward, 1.0, -1.0))
    two = total == 2
    return EdgeFaults(
        int(np.sum(total == 1)), int(np.sum(two & (balance != 0))), int(np.sum(total > 2))
    )


def convex_hull(triangles: Triangles) -> Floats:
    """The triangles (k, 3, 3), facing outwards, of the convex hull of a mesh [m].

    Args:
        triangles: As for `measure`.

    Raises:
        ParameterError: The corners lie in one plane, so that their hull has no inside.

    Example:
        >>> inside = np.vstack([corners[faces], corners[faces] * 0.1 + 0.1])
        >>> print(len(meshes.convex_hull(inside)))
        4
    """
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    corners = [_find_distinct(block.reshape(-1, 3)) for block in _blocks(triangles)]
    points = _find_distinct(np.concatenate(corners)) if corners else np.zeros((0, 3))
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        raise ParameterError(
            f"the {len(points)} corners of the mesh lie in one plane: their hull has no inside"
        ) from None
    found: Floats = points[hull.simplices]
    middle = points[hull.vertices].mean(axis=0)
    normal = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
    inwards = np.einsum("ij,ij->i", normal, found[:, 0] - middle) < 0
    found[inwards] = found[inwards][:, ::-1]
    return found


def wind_around(triangles: Floats, points: Floats) -> Floats:
    """How often a closed mesh encloses each point.

    Args:
        triangles: (n, 3, 3), facing outwards [m].
        points: (m, 3) [m].

    Returns:
        (m,) winding numbers: 1 inside, 0 outside, 2 where two parts overlap. They are counted along
        a ray upwards, by the crossings with their sense.

    Example:
        >>> print(meshes.wind_around(corners[faces], np.array([[0.1, 0.1, 0.1], [1.0, 1, 1]])))
        [1. 0.]
    """
    (triangles,) = read_floats((3, 3), triangles=triangles)
    (points,) = read_floats((3,), points=points)
    line, height, sense = _find_crossings(triangles.reshape(-1, 3, 3), points[:, :2])
    above = height > points[line, 2]
    found: Floats = np.bincount(line[above], sense[above], len(points)).astype(float)
    return found


class Segments(NamedTuple):
    """Parts of parallel lines that a mesh encloses.

    Attributes:
        line: (n,) number of the line.
        lower: (n,) least coordinate along it [m].
        upper: (n,) largest coordinate along it [m].
        winding: (n,) how often the mesh encloses it; negative where its triangles face inwards.
    """

    line: Integers
    lower: Floats
    upper: Floats
    winding: Floats


def trace_lines(triangles: Floats, lines: Floats, axis: int) -> Segments:
    """Find the parts of lines along an axis that a mesh encloses.

    Args:
        triangles: (n, 3, 3), facing outwards [m].
        lines: (m, 2) places of the lines on the axes axis + 1 and axis + 2, modulo 3 [m].
        axis: 0, 1 or 2.

    Example:
        >>> found = meshes.trace_lines(corners[faces], np.array([[0.25, 0.25]]), 2)
        >>> print(found.lower, found.upper, found.winding)
        [0.] [0.5] [1.]
    """
    # A rotation of the axes: triangles keep their sense.
    turned = triangles[..., [(axis + 1) % 3, (axis + 2) % 3, axis]]
    line, z, sense = _find_crossings(turned, lines)
    downwards = np.lexsort((-z, line))
    line, z, sense = line[downwards], z[downwards], sense[downwards]
    ends = np.bincount(line, sense, len(lines))  # not 0: the line leaves through a gap of rounding
    winding = np.cumsum(sense) - (np.cumsum(ends) - ends)[line]
    inside = (line[1:] == line[:-1]) & (winding[:-1] != 0) & (ends[line[:-1]] == 0)
    inside &= z[:-1] > z[1:]
    return Segments(line[:-1][inside], z[1:][inside], z[:-1][inside], winding[:-1][inside])


class UnitSolid(NamedTuple):
    """The inside of a closed mesh with density 1, each place once.

    Attributes:
        body: The body, whose mass is the volume [m^3].
        twice: Volume that parts of the mesh enclose again [m^3].
        turned: Volume of parts that face inwards outside all others [m^3].
    """

    body: InertialParameters
    twice: float
    turned: float


def count_once(triangles: Floats) -> UnitSolid:
    """Fill a closed mesh whose parts may overlap, lie in each other or stand twice.

    A part that faces inwards inside another is a cavity. The signed tetrahedra count a place as
    often as parts enclose it; what they count too much is taken away: exactly for triangles that
    stand twice as they are, else along lines, exact for boxes and to a part in 1000 for balls.

    Args:
        triangles: (n, 3, 3), facing outwards as a whole [m].

    Raises:
        ParameterError: As `Mesh.solid`.

    Example:
        >>> print(round(6 * float(meshes.count_once(corners[[*faces, *faces]]).body.mass), 9))
        1.0
    """
    unit = measure(triangles).solid(density=1.0, inside_out=True)
    moments, twice, turned = _find_excess(triangles, float(unit.mass))
    if twice + turned <= tolerances.ENCLOSED_TWICE * float(unit.mass):
        return UnitSolid(unit, 0.0, 0.0)
    names = _names(_by_coordinate(triangles), _cell(triangles)).T
    turns = (names.argmin(axis=1)[:, None] + np.arange(3)) % 3
    same = np.take_along_axis(names, turns, axis=1)
    distinct = triangles[np.unique(same, axis=0, return_index=True)[1]]
    # Single faces that two parts have in common do not bound anything without their copies.
    if len(distinct) < len(triangles) and (once := measure(distinct)).closed:
        unit = once.solid(density=1.0, inside_out=True)
        moments = _find_excess(distinct, float(unit.mass))[0]
    body = InertialParameters.from_pseudo_inertia(np.asarray(unit.pseudo_inertia) - moments)
    return UnitSolid(body, twice, turned)


def _find_excess(triangles: Floats, whole: float) -> tuple[Floats, float, float]:
    """Moments (4, 4) that signed tetrahedra count too much, and volumes as in UnitSolid.

    Lines find boxes around such places, which are narrowed, and parted at gaps, until they fit.
    """
    lower, upper = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    waiting, found = [(lower, upper, triangles, 0)], np.zeros((4, 4))
    twice = turned = 0.0
    while waiting:
        lower, upper, near, depth = waiting.pop()
        boxes, moments, volumes = _narrow(near, lower, upper, rough=depth == 0)
        if boxes and sum(volumes) > tolerances.WORTH_NARROWING * whole and depth < _DEPTH:
            for low, high in boxes:
                reaches = (near.min(axis=1) <= high) & (near.max(axis=1) >= low)
                waiting.append((low, high, near[reaches.sum(axis=1) > 1], depth + 1))
            continue
        found += moments
        twice, turned = twice + volumes[0], turned + volumes[1]
    return found, twice, turned


def _narrow(
    triangles: Floats, lower: Floats, upper: Floats, *, rough: bool
) -> tuple[list[tuple[Floats, Floats]], Floats, tuple[float, float]]:
    """Boxes around the excess in a box, none where they would be much the same; and the excess.

    A rough look, with half as many lines each way, is enough where there is none.
    """
    moments, twice, turned, bounds = np.zeros((4, 4)), 0.0, 0.0, []
    nodes, weights = np.polynomial.legendre.leggauss(_LINES // (1 + rough))
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        half = (upper - lower) / 2
        places = [lower[i] + half[i] * (1 + nodes) for i in (one, two)]
        lines = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1).reshape(-1, 2)
        areas = np.outer(half[one] * weights, half[two] * weights).ravel()
        line, low, high, winding = trace_lines(triangles, lines, axis)
        low, high = np.maximum(low, lower[axis]), np.minimum(high, upper[axis])
        kept = ((winding > 1) | (winding < 0)) & (high > low)
        line, low, high, winding = line[kept], low[kept], high[kept], winding[kept]
        volumes = areas[line] * (high - low) / 3  # of three directions, each a third
        twice += float(volumes @ np.maximum(winding - 1, 0))
        turned += float(volumes @ (winding < 0))
        p = np.ones((2, len(line), 4))  # both points of a rule that is exact for cubes
        p[..., [one, two]] = lines[line]
        p[..., axis] = (low + high) / 2 + np.array([[-1], [1]]) * (high - low) / np.sqrt(12)
        moments += np.einsum("n,kni,knj->ij", volumes * (winding - 1) / 2, p, p)
        bounds.append(_part(low, high) if len(low) else [(lower[axis], upper[axis])])
    if all(len(each) == 1 for each in bounds):
        low, high = np.array(bounds)[:, 0].T
        if not rough and np.all(high - low > _TIGHT * (upper - lower)):
            return [], moments, (twice, turned)
    boxes = [(np.array(each)[:, 0], np.array(each)[:, 1]) for each in itertools.product(*bounds)]
    return boxes, moments, (twice, turned)


def _part(lower: Floats, upper: Floats) -> list[tuple[float, float]]:
    """The one or two intervals that hold others, parted at their widest gap if it is wide."""
    order = np.argsort(lower)
    lower, upper = lower[order], np.maximum.accumulate(upper[order])
    gaps = np.append(lower[1:] - upper[:-1], 0.0)
    at = int(np.argmax(gaps))
    if gaps[at] <= (1 - _TIGHT) * (upper[-1] - lower[0]):
        return [(lower[0], upper[-1])]
    return [(lower[0], upper[at]), (lower[at + 1], upper[-1])]


def close_holes(triangles: Floats) -> Floats:
    """Make the triangles (k, 3, 3) that close the holes of a mesh: fans about the middles of rims.

    Args:
        triangles: (n, 3, 3) [m].

    Example:
        >>> patch = meshes.close_holes(corners[faces[:3]])
        >>> print(len(patch), meshes.measure(np.concatenate([corners[faces[:3]], patch])).closed)
        3 True
    """
    from scipy.sparse import csr_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    (triangles,) = read_floats((3, 3), triangles=triangles)
    triangles = triangles.reshape(-1, 3, 3)
    names = _names(_by_coordinate(triangles), _cell(triangles)).T.ravel()
    _, at, name = np.unique(names, return_index=True, return_inverse=True)
    count, points = len(at), triangles.reshape(-1, 3)[at]
    start, end = name, np.roll(name.reshape(-1, 3), -1, axis=1).ravel()
    edges, which = np.unique(
        np.minimum(start, end) * count + np.maximum(start, end), return_inverse=True
    )
    balance = np.bincount(which, np.sign(end - start), len(edges)).astype(int)
    low, high = np.divmod(np.repeat(edges, np.abs(balance)), count)
    forward = np.repeat(balance, np.abs(balance)) > 0
    start, end = np.where(forward, high, low), np.where(forward, low, high)
    joined = csr_array((np.ones(len(start)), (start, end)), (count, count))
    rim = connected_components(joined, directed=False)[1][start]
    length = np.linalg.norm(points[end] - points[start], axis=1)
    moments = np.array([np.bincount(rim, length * x) for x in (points[start] + points[end]).T])
    total = np.bincount(rim, 2 * length)
    middles = (moments / np.where(total > 0, total, 1.0)).T
    return np.stack([points[start], points[end], middles[rim]], axis=1)


class _Crossings(NamedTuple):
    """Crossings of a mesh with lines along z.

    Attributes:
        line: (n,) number of the line.
        height: (n,) z of the crossing [m].
        sense: (n,) +1 where the triangle faces up, -1 where it faces down.
    """

    line: Integers
    height: Floats
    sense: Floats


def _find_crossings(triangles: Floats, lines: Floats) -> _Crossings:
    """Find the crossings of triangles with lines along z at places (m, 2)."""
    (columns, column), (rows, row) = (np.unique(each, return_inverse=True) for each in lines.T)
    key = column * len(rows) + row
    order = np.argsort(key, kind="stable")
    key, most = key[order], np.bincount(column, minlength=1).max()
    found = [_Crossings(order[:0], np.zeros(0), np.zeros(0))]
    for block in map(_by_coordinate, _blocks(triangles)):
        lower, upper = block[:2].min(axis=1), block[:2].max(axis=1)
        first, low = np.searchsorted(columns, lower[0]), np.searchsorted(rows, lower[1])
        counts = np.searchsorted(columns, upper[0]) - first
        high = np.searchsorted(rows, upper[1])
        near = np.flatnonzero((counts > 0) & (high > low))
        pairs = np.cumsum(counts[near] * np.minimum(high - low, most)[near])
        for own in np.split(near, np.flatnonzero(np.diff(pairs // _PAIRS)) + 1):
            which, at = _expand(first[own], counts[own])
            y, z, sense = _cut(block.take(own[which], axis=2), columns[at])
            begin, end = (
                np.searchsorted(key, at * len(rows) + np.searchsorted(rows, edge))
                for edge in (y.min(axis=0), y.max(axis=0))
            )
            pair, at = _expand(begin, end - begin)
            line = order[at]
            # A line between both edges of a cut: these have different y.
            slope = (z[1] - z[0])[pair] / (y[1] - y[0])[pair]
            height = z[0, pair] + (rows[row[line]] - y[0, pair]) * slope
            found.append(_Crossings(line, height, sense[pair]))
    return _Crossings(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _expand(first: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Ranges of numbers, one after the other: the place of the range, and the number."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - (np.cumsum(counts) - counts - first)[which]


def _cut(corners: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Cut triangles, as (3, 3, n) by coordinate, with planes of some x (n,), one each.

    Returns:
        (2, n) y and z where two edges meet the plane, and +1 where the triangle faces up, else -1.
    """
    below = corners[0] <= x
    one = below.sum(axis=0) == 1
    apex, pairs = np.argmax(below == one, axis=0), np.arange(len(x))
    tip, *others = (corners[:, (apex + k) % 3, pairs] for k in range(3))
    ends = []
    for other in others:
        # Both triangles of an edge compute its cut from the same end, so that a line through an
        # edge meets one of them and never none or both.
        a, b = np.where(one, [tip, other], [other, tip])
        cut = a[1:] + (x - a[0]) / (b[0] - a[0]) * (b[1:] - a[1:])
        ends.append(np.clip(cut, np.minimum(a[1:], b[1:]), np.maximum(a[1:], b[1:])))
    (y, z), sense = np.stack(ends, axis=1), np.where(one, 1.0, -1.0)
    return y, z, np.where(y[1] > y[0], sense, -sense)


def _find_distinct(points: Floats) -> Floats:
    """Distinct points (n, 3), sorted: those of numpy.unique, in a fifth of its time."""
    ordered = points[np.lexsort(points.T[::-1])]
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    return ordered[new]


class _Sums:
    """Adds up blocks of triangles about a point near them.

    The moments are (4, 4): integrals of [r, 1] [r, 1]^T over the solid, times 6, and over the
    surface, times 2. A block is turned round to (3, 3, n), coordinates before corners: sums and
    extremes then run over memory in its order.
    """

    def __init__(self, first: Floats, axes: Floats) -> None:
        self._reference = first[0, 0].copy()
        self._cell = _cell(first)
        self._axes = axes
        self._inside = np.zeros((4, 4))
        self._surface = np.zeros((4, 4))
        self._sizes = 0.0
        self._degenerate = 0
        self._balance = np.zeros((), dtype=np.uint64)
        self._lower = np.full(3, np.inf)
        self._upper = np.full(3, -np.inf)
        self._reach = np.tile((np.inf, -np.inf), (len(axes), 1))

    def add(self, block: Floats) -> None:
        """Take in the triangles (n, 3, 3)."""
        corners = _by_coordinate(block)
        # Let the extremes reach the points (3, n).
        points = corners.reshape(3, -1)
        self._lower = np.minimum(self._lower, points.min(axis=1))
        self._upper = np.maximum(self._upper, points.max(axis=1))
        if len(self._axes):
            together = max(1, _PRODUCTS // len(self._axes))
            for i in range(0, points.shape[1], together):
                along = self._axes @ points[:, i : i + together]
                self._reach[:, 0] = np.minimum(self._reach[:, 0], along.min(axis=1))
                self._reach[:, 1] = np.maximum(self._reach[:, 1], along.max(axis=1))
        names = _names(corners, self._cell)
        self._degenerate += int(np.sum(np.any(names == np.roll(names, 1, axis=0), axis=0)))
        edges, forward = _edges(names)
        self._balance += np.where(forward, edges, ~edges + np.uint64(1)).sum(dtype=np.uint64)
        corners -= self._reference[:, None, None]
        a, b, c = (corners[:, i] for i in range(3))
        six_volumes = np.einsum("ij,ij->j", a, np.stack(cross_components(b, c)))
        normals = np.stack(cross_components(b - a, c - a))
        two_areas = np.sqrt(np.einsum("ij,ij->j", normals, normals))
        self._inside += _moments(corners, six_volumes, 4)
        self._surface += _moments(corners, two_areas, 3)
        self._sizes += float(np.abs(six_volumes).sum())

    def mesh(self, count: int) -> Mesh:
        """What has been added up."""
        six_volume, inside, surface = self._inside[3, 3], self._inside / 6, self._surface / 2
        if not np.isfinite([inside, surface]).all():
            raise ParameterError(
                f"the mesh reaches from {_three(self._lower)} to {_three(self._upper)}, too far "
                "for its moments to be finite numbers"
            )
        return Mesh(
            triangles=count,
            degenerate=self._degenerate,
            closed=not self._balance,
            volume=float(inside[3, 3]),
            area=float(surface[3, 3]),
            lower=_three(self._lower),
            upper=_three(self._upper),
            solidity=float(six_volume) / self._sizes if self._sizes > 0 else 0.0,
            reach=self._reach,
            _inside=inside,
            _surface=surface,
            _reference=self._reference,
            _cell=self._cell,
        )


def _by_coordinate(block: Floats) -> Floats:
    """A copy (3, 3, n) of triangles (n, 3, 3): coordinates, corners, triangles."""
    return np.array(block.transpose(2, 1, 0), order="C")


def _moments(corners: Floats, sizes: Floats, count: int) -> Floats:
    """The integral of [r, 1] [r, 1]^T over simplices of these sizes (n,), in the sizes' unit.

    Over a simplex of k corners p with sum s it is, per size, s / k and (sum p p^T + s s^T) /
    (k (k + 1)); of tetrahedra the fourth corner is the origin. Corners are (3, 3, n).
    """
    total = corners.sum(axis=1)
    points = corners.reshape(3, -1)
    second = (sizes * corners).reshape(3, -1) @ points.T + (sizes * total) @ total.T
    moments = np.empty((4, 4))
    moments[:3, :3] = second / (count * (count + 1))
    moments[:3, 3] = moments[3, :3] = total @ sizes / count
    moments[3, 3] = sizes.sum()
    return moments


def _uniform(
    moments: Floats, reference: Floats, mass: float | None, density: float | None
) -> InertialParameters:
    """The body whose density is uniform with these moments about `reference`."""
    if (mass is None) == (density is None):
        how_many = "neither" if mass is None else "both"
        raise ParameterError(f"{how_many} of mass and density given: give one of them")
    what, given = ("mass", mass) if density is None else ("density", density)
    try:
        amount = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        amount = np.nan
    if not 0 < amount < np.inf:
        raise ParameterError(f"{what} is {given!r}, expected a positive number")
    center, variances = _mean(moments)
    kilograms = amount * (1.0 if density is None else abs(float(moments[3, 3])))
    inertia = inertia_from_second_moment(kilograms * symmetrise(np, variances)) + 0.0  # no -0
    return InertialParameters.from_com(kilograms, reference + center, inertia)


def _mean(moments: Floats) -> tuple[Floats, Floats]:
    """The centre (3,) from the point of the moments, and the covariance (3, 3) about it."""
    size = moments[3, 3]
    center = moments[:3, 3] / size
    return center, moments[:3, :3] / size - np.outer(center, center)


def _blocks(triangles: Triangles) -> Iterator[Floats]:
    """The triangles as float64 blocks (n, 3, 3) of at most BLOCK, none of them empty."""
    whole = isinstance(triangles, (list, tuple)) or hasattr(triangles, "shape")
    pieces = (triangles,) if whole else triangles
    if not isinstance(pieces, Iterable):
        raise ParameterError(f"triangles is {show_value(triangles)}, expected blocks (n, 3, 3)")
    for piece in cast("Iterable[ArrayLike]", pieces):
        (block,) = read_floats((), triangles=piece)
        if block.size:
            expect_shape("triangles", block, 3, 3)
            block = block.reshape(-1, 3, 3)
        for i in range(0, len(block), BLOCK):
            yield block[i : i + BLOCK]


def _mix(words: Words) -> Words:
    """SplitMix64's finaliser: words that differ in one bit differ in half of them."""
    for shift, factor in zip(_SHIFTS, _MIX, strict=False):
        words = words ^ (words >> shift)
        words *= factor
    return words ^ (words >> _SHIFTS[2])


def _cell(block: Floats) -> float:
    """The unit of single precision of the largest coordinate [m]: corners in it are the same."""
    largest = float(np.abs(block).max())
    unit = tolerances.epsilon(np.float32, np) * largest
    return unit if 0 < unit < np.inf else 1.0


def _names(corners: Floats, cell: float) -> Words:
    """A word (3, n) for each corner of (3, 3, n), equal where the corners are."""
    bits = (np.rint(corners / cell) + 0.0).view(np.uint64)  # -0 is 0
    names = np.zeros(bits.shape[1:], dtype=np.uint64)
    for words in bits:
        names = _mix((names + _GOLDEN) ^ words)
    return names


def _edges(names: Words) -> tuple[Words, npt.NDArray[np.bool_]]:
    """A word for each edge that has a length, the same both ways, and which way it is run."""
    start, end = names.ravel(), np.roll(names, -1, axis=0).ravel()
    forward = start < end
    low, high = np.minimum(start, end), np.maximum(start, end)
    edges = _mix(_mix(low + _GOLDEN) ^ high)
    real = start != end
    return (edges, forward) if real.all() else (edges[real], forward[real])


def _three(values: Floats) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
