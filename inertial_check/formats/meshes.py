"""Mesh files -> blocks of triangles.

STL, the format of most collision meshes, is read here because trimesh reads it whole and merges
corners: in blocks it takes bounded memory, and keeps every corner as it stands. All others go
through trimesh, which needs the extra [mesh].
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.meshes import BLOCK

Floats = npt.NDArray[np.float64]

THROUGH_TRIMESH = frozenset((".3mf", ".dae", ".glb", ".gltf", ".obj", ".off", ".ply"))
"""Suffixes of the formats that the extra [mesh] reads."""

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_CORNERS = 3


def triangles(path: str | os.PathLike[str]) -> Iterator[Floats]:
    """The triangles of a mesh file, block after block.

    Args:
        path: An STL file, or one of THROUGH_TRIMESH.

    Returns:
        Blocks (n, 3, 3) of corners, in the file's unit: in metres for COLLADA, which states its
        unit, and for glTF, which has no other.

    Raises:
        DocumentError: While the blocks are taken: there is no such file, or it is no such mesh;
            names the line or the number where it goes wrong.
        UsageError: The format is unknown, or needs the extra [mesh].
    """
    path = os.fsdecode(path)
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".stl":
        return _stl(path)
    if suffix in THROUGH_TRIMESH:
        return _through_trimesh(path, suffix)
    known = ", ".join([".stl", *sorted(THROUGH_TRIMESH)])
    raise UsageError(f"{path}: unknown mesh format {suffix or 'without suffix'!r}; known: {known}")


def _stl(path: str) -> Iterator[Floats]:
    try:
        if not os.path.isfile(path):
            what = "not a file" if os.path.exists(path) else "no such file"
            raise DocumentError(path, what)
        with open(path, "rb") as file:
            head = file.read(_HEADER)
            size = os.fstat(file.fileno()).st_size
            count = int.from_bytes(head[80:], "little")
            binary = len(head) == _HEADER and size == _HEADER + count * _FACET.itemsize
            if not binary and not head.lstrip().lower().startswith(b"solid"):
                needed = _HEADER + count * _FACET.itemsize
                raise DocumentError(
                    path,
                    f"no STL: it has {size} bytes; a binary file of {count} triangles, as it says, "
                    f"has {needed}, and a text file begins with solid",
                )
            if binary:
                yield from _binary(file)
            else:
                file.seek(0)
                yield from _text(path, file)
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None


def _binary(file: BinaryIO) -> Iterator[Floats]:
    while data := file.read(BLOCK * _FACET.itemsize):
        yield np.frombuffer(data, _FACET)["corners"].astype(float)


def _text(path: str, file: BinaryIO) -> Iterator[Floats]:
    numbers = array("d")
    of_facet, line = 0, 0
    for line, text in enumerate(file, 1):
        words = text.split()
        word = words[0].lower() if words else b""
        if word == b"vertex":
            numbers.extend(_corner(path, line, words[1:]))
            of_facet += 1
        elif word == b"endfacet":
            if of_facet != _CORNERS:
                raise DocumentError(path, f"a facet of {of_facet} corners, expected 3", line, 1)
            of_facet = 0
            if len(numbers) >= 3 * _CORNERS * BLOCK:
                yield np.array(numbers).reshape(-1, _CORNERS, 3)
                numbers = array("d")
    if of_facet:
        raise DocumentError(path, "the file ends inside a facet", line, 1)
    if numbers:
        yield np.array(numbers).reshape(-1, _CORNERS, 3)


def _corner(path: str, line: int, words: list[bytes]) -> list[float]:
    try:
        x, y, z = map(float, words)
    except ValueError:
        said = b" ".join(words).decode("latin-1")
        raise DocumentError(path, f'vertex "{said}": expected three numbers', line, 1) from None
    return [x, y, z]


def _through_trimesh(path: str, suffix: str) -> Iterator[Floats]:
    if not os.path.isfile(path):
        raise DocumentError(path, "not a file" if os.path.exists(path) else "no such file")
    try:
        yield from _scene_triangles(path)
    except ImportError as error:
        raise UsageError(
            f"{path}: reading {suffix} needs {error.name or 'trimesh'}, which is not installed: "
            'pip install "inertial-check[mesh]"'
        ) from None
    except DocumentError:
        raise
    except Exception as error:  # whatever the parsers of a dozen formats raise on broken files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DocumentError(path, f"trimesh cannot read it: {reason}") from None


def _scene_triangles(path: str) -> Iterator[Floats]:
    import trimesh

    scene: Any = trimesh.load_scene(path, process=False, skip_materials=True)
    found = False
    for piece in scene.dump():
        corners = getattr(piece, "triangles", None)
        if corners is None or not len(corners):
            continue  # lines and points enclose nothing
        found = True
        whole = np.asarray(corners, dtype=float) * _metres(piece.units)
        for i in range(0, len(whole), BLOCK):
            yield whole[i : i + BLOCK]
    if not found:
        raise DocumentError(path, "it holds no triangle")


def _metres(unit: str | None) -> float:
    """What the unit that a file states is in metres; files that state none are taken as they are.

    trimesh gives COLLADA's as "0.01 * meters".
    """
    factor, times, name = (unit or "meters").rpartition(" * ")
    return float(factor) if times and name == "meters" else 1.0
