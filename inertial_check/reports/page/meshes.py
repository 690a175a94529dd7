"""Mesh files of scenes: found, simplified, quantised, and kept once for each content.

Simplification of triangle meshes for drawing: vertex clustering with quadric error placement.

The vertices in each cell of a grid become one vertex, at the point that is nearest to the planes of
the triangles there (Lindstrom 2000). It takes one pass over the triangles and needs no library.

Numbers as JSON that every browser reads: no NaN, no infinity, and no digits that nobody sees.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import NamedTuple, SupportsFloat

import numpy as np
import numpy.typing as npt

from inertial_check.checking.shapes.meshes import MeshFinder
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access, Json
from inertial_check.documents.meshes import triangles
from inertial_check.documents.model import Model, Shape
from inertial_check.errors import DocumentError, InertialCheckError
from inertial_check.inertia.arrays import Floats

Indices = npt.NDArray[np.int64]

LEVELS = 65534
"""Steps of a quantised coordinate across the bounding box of a mesh; the largest even number of
16 bits, so that rounding does not part corners that lie in the middle of a symmetric mesh."""

_TRIANGLES_PER_CELL = 2.4
"""Triangles that clustering leaves for each square of the area of a mesh with the edge of a cell,
measured on meshes of robots."""

_MOST_CELLS = 1 << 20
"""Number of cells along an axis, so that three indices fit into one 64-bit key."""

_REGULARISATION = 1e-2
"""Weight, relative to the planes, of the mean of the vertices of a cell. Without it the point on a
flat face or a straight edge is not determined."""

_BLOCK = 1 << 17
"""Triangles that are worked on at a time, so that a large mesh needs little more memory than its
corners."""

_ATTEMPTS = 4
"""Largest number of grids tried until a mesh has few enough triangles."""


class IndexedMesh(NamedTuple):
    """Triangles that share their vertices, quantised to 16 bits.

    Attributes:
        positions: (n, 3) vertices, in steps of extent / LEVELS from `lower`.
        faces: (t, 3) indices of the vertices.
        lower: (3,) least coordinates.
        extent: (3,) size of the bounding box.
    """

    positions: npt.NDArray[np.uint16]
    faces: Indices
    lower: Floats
    extent: Floats


def simplify(corners: Floats, most: int) -> IndexedMesh:
    """Quantise a mesh, and simplify it if it has too many triangles.

    Args:
        corners: (t, 3, 3) finite corners of at least one triangle.
        most: Largest number of triangles of the result.
    """
    points = corners.reshape(-1, 3)
    lower = points.min(axis=0)
    extent = points.max(axis=0) - lower
    if len(corners) > most:
        vertices, faces = _cluster(corners, lower, extent, most)
    else:
        vertices, faces = points, np.arange(len(points), dtype=np.int64).reshape(-1, 3)
    steps = np.divide(LEVELS, extent, out=np.zeros(3), where=extent > 0)
    quantised = np.clip(np.rint((vertices - lower) * steps), 0, LEVELS).astype(np.int64)
    keys, index = np.unique(quantised @ (1 << np.array([32, 16, 0])), return_inverse=True)
    positions = np.stack([keys >> 32, keys >> 16 & LEVELS, keys & LEVELS], axis=1)
    faces = _drop_degenerate(index.reshape(-1)[faces])
    return IndexedMesh(positions.astype(np.uint16), faces, lower, extent)


def _cluster(corners: Floats, lower: Floats, extent: Floats, most: int) -> tuple[Floats, Indices]:
    """Cluster the vertices of a mesh; returns vertices (n, 3) and faces (t, 3)."""
    area = sum(float(lengths.sum()) for _, _, lengths in _measure_blocks(corners)) / 2
    by_area = np.sqrt(_TRIANGLES_PER_CELL * area / most)
    # A mesh without extent has cells of no size, by which nothing can be divided.
    cell = max(by_area, float(extent.max()) / _MOST_CELLS, np.finfo(float).tiny)
    for _ in range(_ATTEMPTS):
        # Find the occupied cells (n, 3), and the number of the cell of each corner (3 t).
        points = corners.reshape(-1, 3)
        shape = ((points.max(axis=0) - lower) / cell).astype(np.int64) + 1
        flat = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _BLOCK):
            grid = ((points[start : start + _BLOCK] - lower) / cell).astype(np.int64)
            flat[start : start + _BLOCK] = (grid[:, 0] * shape[1] + grid[:, 1]) * shape[2] + grid[
                :, 2
            ]
        keys, index = np.unique(flat, return_inverse=True)
        rest, z = np.divmod(keys, shape[2])
        x, y = np.divmod(rest, shape[1])
        cells, index = np.stack([x, y, z], axis=1), index.reshape(-1)
        faces = _drop_repeated(_drop_degenerate(index.reshape(-1, 3)))
        if len(faces) <= most:
            break
        cell *= 1.05 * np.sqrt(len(faces) / most)
    faces = faces[:most]
    return _place_vertices(corners, index, cells, (lower, cell)), faces


def _measure_blocks(corners: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield blocks of triangles: their slice, normals (n, 3) and the lengths of these (n,)."""
    for start in range(0, len(corners), _BLOCK):
        part = slice(start, min(start + _BLOCK, len(corners)))
        a, b, c = corners[part].transpose(1, 0, 2)
        normals = np.cross(b - a, c - a)
        yield part, normals, np.linalg.norm(normals, axis=1)


def _place_vertices(
    corners: Floats, index: Indices, cells: Indices, grid: tuple[Floats, float]
) -> Floats:
    """Place one vertex in each cell, nearest to the planes of the triangles that touch the cell."""
    lower, cell = grid
    count = len(cells)
    weights = np.bincount(index, minlength=count)
    points = corners.reshape(-1, 3)
    means = np.stack(
        [np.bincount(index, points[:, axis], count) / weights for axis in range(3)], axis=1
    )
    matrices = np.zeros((count, 3, 3))
    right = np.zeros((count, 3))
    for part, normals, lengths in _measure_blocks(corners):
        places = index[3 * part.start : 3 * part.stop]
        units = np.divide(
            normals, lengths[:, None], out=np.zeros_like(normals), where=lengths[:, None] > 0
        )
        normal = np.repeat(units, 3, axis=0)
        area = np.repeat(lengths, 3)
        # Offsets of the planes from the mean of the cell: small numbers, so no digits are lost.
        first = np.repeat(corners[part, 0], 3, axis=0)
        offset = np.einsum("ni,ni->n", normal, first - means[places])
        for i in range(3):
            right[:, i] += np.bincount(places, area * normal[:, i] * offset, count)
            for j in range(i, 3):
                sums = np.bincount(places, area * normal[:, i] * normal[:, j], count)
                matrices[:, i, j] += sums
                matrices[:, j, i] = matrices[:, i, j]
    trace = np.trace(matrices, axis1=1, axis2=2)
    scale = np.where(trace > 0, trace, 1.0)
    matrices = matrices / scale[:, None, None] + _REGULARISATION * np.eye(3)
    moves = np.linalg.solve(matrices, (right / scale[:, None])[:, :, None])[:, :, 0]
    corner = lower + cells * cell
    clipped: Floats = np.clip(means + moves, corner, corner + cell)
    return clipped


def _drop_degenerate(faces: Indices) -> Indices:
    """Drop triangles with two equal vertices."""
    a, b, c = faces.T
    kept: Indices = faces[(a != b) & (b != c) & (c != a)]
    return kept


def _drop_repeated(faces: Indices) -> Indices:
    """Drop triangles that occur before, whichever vertex they begin with."""
    if not len(faces):
        return faces
    first = np.argmin(faces, axis=1)
    rows = np.arange(len(faces))
    turned = np.stack([faces[rows, (first + k) % 3] for k in range(3)], axis=1)
    count = int(faces.max()) + 1
    if count >= 1 << 21:  # three indices no longer fit into one 64-bit key
        kept: Indices = np.unique(turned, axis=0)
        return kept
    keys = (turned[:, 0] * count + turned[:, 1]) * count + turned[:, 2]
    _, at = np.unique(keys, return_index=True)
    kept = turned[np.sort(at)]
    return kept


LARGEST_DRAWN = 1e18
"""Largest coordinate that is drawn [m]: its square fits into float32, as graphics cards compute."""


def encode_number(value: SupportsFloat | None, digits: int = 9) -> float | None:
    """Round a number to some significant digits; None if it is missing or not finite."""
    number = float("nan") if value is None else float(value)
    return float(f"{number:.{digits}g}") + 0.0 if isfinite(number) else None  # no -0.0


def encode_numbers(values: Iterable[SupportsFloat], digits: int = 9) -> list[Json]:
    """Round numbers; see encode_number."""
    return [encode_number(value, digits) for value in values]


def is_drawable(values: Iterable[SupportsFloat]) -> bool:
    """Whether coordinates are finite and small enough to be drawn."""
    return all(abs(float(value)) < LARGEST_DRAWN for value in values)


MODEL_TRIANGLES = 120_000
"""Triangles that the meshes of one model may have together: about 1.5 MB of the page."""

LEAST_TRIANGLES, MOST_TRIANGLES = 256, 8192
"""Bounds on the triangles of one mesh: below, a part has no form; above, nothing more is seen."""

LARGEST_MESH = 2_000_000
"""Triangles of the largest file that is drawn: a report with one takes about 560 MB of memory."""

_SHORT_INDEX = 1 << 16
"""Number of vertices up to which an index takes two bytes."""


class MeshLibrary:
    """The simplified meshes of all scenes of a page, each kept once.

    Attributes:
        contents: The meshes as plain data, by the digest of their content.
    """

    def __init__(self) -> None:
        self.contents: dict[str, Json] = {}
        self._known: dict[tuple[str, int, int, int], str] = {}

    def add(self, path: str, access: Access, most: int) -> str:
        """Simplify a mesh file, unless that was done before.

        Args:
            path: The file.
            access: The files that may be read.
            most: Largest number of triangles.

        Returns:
            The digest of the mesh.

        Raises:
            InertialCheckError: The file cannot be read, or has too many triangles to be drawn.
            OSError: The file has been removed.
        """
        status = os.stat(path)
        key = os.path.abspath(path), status.st_mtime_ns, status.st_size, most
        if key not in self._known:
            # Read the finite triangles of a file.
            blocks: list[Floats] = []
            count = 0
            for block in triangles(path, access):
                count += len(block)
                if count > LARGEST_MESH:
                    raise DocumentError(
                        path, f"not drawn: more than {LARGEST_MESH} triangles; simplify the mesh"
                    )
                # Coordinates are drawn in float32, up to 3.4e38; squares must stay below it.
                corners = np.asarray(block, dtype=float)
                drawable = np.all(np.abs(corners) < LARGEST_DRAWN, axis=(1, 2))
                blocks.append(corners[drawable])
            if not any(map(len, blocks)):
                raise DocumentError(path, "not drawn: it has no triangle with finite corners")
            digest, content = _encode(np.concatenate(blocks), most)
            self.contents.setdefault(digest, content)
            self._known[key] = digest
        return self._known[key]


class ModelMeshes:
    """The meshes of one model.

    Args:
        model: The model.
        context: Folders of packages, and the files that may be used.
        library: The meshes of all scenes.
        most: Triangles that the meshes of the model may have together.

    Attributes:
        used: Digests of the meshes of the model.
    """

    def __init__(self, model: Model, context: Context, library: MeshLibrary, most: int) -> None:
        self._finder = MeshFinder(model, context)
        self._library = library
        shapes = [shape for body in model.bodies for shape in body.shapes]
        meshes = [shape for shape in shapes if shape.kind == "mesh" and shape.note is None]
        files = len(
            {path for shape in meshes if (path := self._finder.find(shape).path) is not None}
        )
        share = max(most // max(files, 1), LEAST_TRIANGLES)
        self._share = int(min(1 << share.bit_length() - 1, MOST_TRIANGLES))
        self.used: set[str] = set()

    def read(self, shape: Shape) -> tuple[str | None, str | None]:
        """Read the mesh of a shape.

        Returns:
            Its digest, and None; or None, and why it is not drawn.
        """
        resource = self._finder.find(shape)
        if resource.path is None:
            return None, resource.reason
        try:
            digest = self._library.add(resource.path, self._finder.access, self._share)
        except InertialCheckError as error:
            return None, str(error)
        except OSError as error:
            return None, f"{resource.path}: {error.strerror or error}"
        self.used.add(digest)
        return digest, None


def _encode(corners: Floats, most: int) -> tuple[str, Json]:
    """Simplify a mesh; returns its digest and its plain data."""
    mesh = simplify(corners, most)
    wide = "<u2" if len(mesh.positions) <= _SHORT_INDEX else "<u4"
    positions = mesh.positions.astype("<u2").tobytes()
    faces = mesh.faces.astype(wide).tobytes()
    steps = mesh.extent / LEVELS
    digest = hashlib.sha256(b"\0".join([positions, faces, mesh.lower.tobytes(), steps.tobytes()]))
    return digest.hexdigest()[:16], {
        "lower": mesh.lower.tolist(),
        "step": steps.tolist(),
        "positions": base64.b64encode(positions).decode("ascii"),
        "indices": base64.b64encode(faces).decode("ascii"),
        "index_bytes": int(wide[-1]),
        "triangles": len(mesh.faces),
        "read_triangles": len(corners),
    }
