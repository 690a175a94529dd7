"""Reading of mesh files through trimesh: bounded input, and no further file outside the root.

trimesh reads a file whole, follows what it names, and allocates what it claims. So the claims are
looked at first, and a resolver that goes through Access opens what it names.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import struct
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.files.access import Access
from inertial_check.formats.lookups import note_lookup
from inertial_check.formats.nesting import NestingError, check_json_nesting

if TYPE_CHECKING:
    from trimesh.resolvers import Resolver

MOST_WHOLE = 5_000_000
"""Largest number of triangles, all instances counted, that trimesh puts together: about 1 GB."""

_ZIP = b"PK\x03\x04"
_GLB = b"glTF"
_GLB_CHUNK = 20
"""Size of the headers of a binary glTF and of its first chunk, which is the JSON text [bytes]."""

_COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_NEEDED = {".3mf": ("networkx", "lxml")}
"""Packages beside the extra [mesh] that trimesh needs for a format, by its suffix."""


class TooManyTrianglesError(ValueError):
    """A file that may be sound, but is too large to be read whole."""


def read_scene(
    path: str, suffix: str, data: bytes, access: Access, largest: int
) -> Iterator[Floats]:
    """Read the triangles of the pieces of a scene, in metres; lines and points are left out.

    Args:
        path: The file.
        suffix: Its suffix, in lower case.
        data: Its bytes.
        access: The files that it may name.
        largest: Largest size of what it holds and of each file that it names [bytes].

    Raises:
        TooManyTrianglesError: It is too large to be read whole.
        DocumentError: It has no triangle, or claims what no file has.
        Exception: Whatever trimesh raises on files that are none.
    """
    refuse_claims(path, data, largest)
    import trimesh

    scene = trimesh.load_scene(
        io.BytesIO(data),
        file_type=suffix[1:],
        resolver=_make_resolver(path, access, largest),
        process=False,
        skip_materials=True,
    )
    total = 0
    for name in scene.graph.nodes_geometry:
        piece = scene.geometry[scene.graph[name][1]]
        total += len(getattr(piece, "faces", ()))
        if total > MOST_WHOLE:
            raise TooManyTrianglesError(
                f"it has more than {MOST_WHOLE} triangles with all instances"
            )
    for piece in scene.dump():
        corners = getattr(piece, "triangles", None)
        if corners is not None and len(corners):
            yield np.asarray(corners, dtype=float) * _metres_per_unit(piece.units)


def refuse_claims(path: str, data: bytes, largest: int) -> None:
    """Refuse what a file claims to hold, before anything is allocated for it.

    Raises:
        DocumentError: Archives that unfold beyond a limit, entities of XML, glTF arrays of absurd
            size.
    """
    if data.startswith(_ZIP):
        _refuse_archive(path, data, largest)
    elif b"<!ENTITY" in data.replace(b"\0", b""):
        raise DocumentError(path, "declares XML entities, which are never expanded: delete them")
    elif data.startswith(_GLB) or data.lstrip()[:1] == b"{":
        _refuse_arrays(path, data, largest)


def _refuse_archive(path: str, data: bytes, largest: int) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = [item.file_size for item in archive.infolist()]
        if sum(sizes) > largest:
            raise DocumentError(
                path,
                f"its archive unfolds to {sum(sizes)} bytes, and the limit is {largest}; "
                "write it as binary STL",
            )
        for item in archive.infolist():
            if item.filename.endswith((".model", ".rels", ".xml", ".dae")):
                text = archive.read(item)
                if b"<!ENTITY" in text.replace(b"\0", b""):
                    reason = f"{item.filename} declares XML entities, which are never expanded"
                    raise DocumentError(path, reason)


def _refuse_arrays(path: str, data: bytes, largest: int) -> None:
    if data.startswith(_GLB):
        length = struct.unpack_from("<I", data, 12)[0] if len(data) >= _GLB_CHUNK else 0
        data = data[_GLB_CHUNK : _GLB_CHUNK + length]
    text = data.decode("utf-8-sig")
    try:
        check_json_nesting(text)
    except NestingError as error:
        raise DocumentError(path, str(error)) from None
    for accessor in json.loads(text).get("accessors", ()):
        count = accessor.get("count", 0)
        size = 4 * _COMPONENTS.get(accessor.get("type"), 1) * count
        if not 0 <= size <= largest:
            raise DocumentError(
                path, f"an accessor claims {count} elements, and the limit is {largest} bytes"
            )


def _make_resolver(path: str, access: Access, largest: int) -> Resolver:
    from trimesh.resolvers import Resolver

    folder = os.path.dirname(path)

    class AccessResolver(Resolver):  # type: ignore[misc]  # trimesh's base is untyped
        """Opens the buffers of a glTF and the like, where the document may read them."""

        def __init__(self) -> None:
            self._left = largest

        def get(self, key: str) -> bytes:
            name = os.path.join(folder, unquote(str(key).strip()))
            note_lookup(name)
            data = access.of_document(path).read(name, self._left)
            self._left -= len(data)
            return data

        def keys(self) -> list[str]:
            return []

        def write(self, name: str, data: object) -> None:
            raise PermissionError(f"{name} is not written")

        def namespaced(self, namespace: str) -> AccessResolver:
            return self

    return AccessResolver()


def _metres_per_unit(unit: str | None) -> float:
    """Convert the unit that a file states to metres; a file without unit is taken to be in metres.

    trimesh gives the unit of COLLADA as "0.01 * meters".
    """
    factor, times, name = (unit or "meters").rpartition(" * ")
    return float(factor) if times and name == "meters" else 1.0


def describe_missing(suffix: str, error: ImportError) -> tuple[str, str]:
    """Name the packages that reading a format needs and that are not installed.

    Returns:
        Their names with a verb, and what to give to pip install.
    """
    found = re.search(r"No module named '(\w+)", str(error))  # trimesh passes on the text only
    name = error.name or (found[1] if found else "trimesh")
    needed = _NEEDED.get(suffix, ())
    if name not in needed:
        return f"{name}, which is not", '"inertial-check[mesh]"'
    missing = [module for module in needed if importlib.util.find_spec(module) is None] or [name]
    verb = "which are not" if len(missing) > 1 else "which is not"
    return f"{' and '.join(missing)}, {verb}", " ".join(missing)
