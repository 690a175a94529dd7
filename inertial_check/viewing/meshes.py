"""Mesh files of scenes: found, simplified, quantised, and kept once for each content."""

from __future__ import annotations

import base64
import hashlib
import os

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError, InertialCheckError
from inertial_check.files.access import Access
from inertial_check.files.json import Json
from inertial_check.formats.context import Context
from inertial_check.formats.meshes import triangles
from inertial_check.geometry.meshes import MeshFinder
from inertial_check.model import Model, Shape
from inertial_check.viewing.numbers import LARGEST_DRAWN
from inertial_check.viewing.simplification import LEVELS, simplify

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
