"""Mesh files -> blocks of triangles.

STL and OBJ, the formats of most collision meshes, are read here: in blocks, which take bounded
memory for STL, and keeping every corner as it stands. All others go through trimesh, which needs
the extra [mesh], takes a second to import, and reads a file whole.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.meshes import BLOCK, from_faces

THROUGH_TRIMESH = frozenset((".3mf", ".dae", ".glb", ".gltf", ".off", ".ply"))
"""Suffixes of the formats that the extra [mesh] reads."""

LARGEST_WHOLE = 1 << 26
"""[bytes] Files above it are not given to trimesh, which takes up to twenty times their size."""

LARGEST_OBJ = 1 << 27
"""[bytes] Of an OBJ file, whose corners and faces take up to three times their text's memory."""

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_CORNERS = 3
_PIECE = 1 << 17
"""[bytes] Of a text file that are split into words together."""
_POINTER = b"version https://git-lfs"


class NotReadError(UsageError):
    """A mesh file that may well be sound, but is not read: an extra is missing, it is too large.

    Attributes:
        note: What to say once for all files that it concerns.
    """

    def __init__(self, path: str, note: str, each: bool = True) -> None:
        """Say why.

        Args:
            path: The file.
            note: The reason and the way out.
            each: Whether they are this file's own.
        """
        super().__init__(f"{path}: {note}")
        self.note = str(self) if each else note


def triangles(path: str | os.PathLike[str]) -> Iterator[Floats]:
    """The triangles of a mesh file, block after block.

    Args:
        path: An STL or OBJ file, or one of THROUGH_TRIMESH.

    Returns:
        Blocks (n, 3, 3) of corners, in the file's unit: in metres for COLLADA, which states its
        unit, and for glTF, which has no other.

    Raises:
        DocumentError: While the blocks are taken: there is no such file, or it is no such mesh;
            names the line or the number where it goes wrong.
        NotReadError: While the blocks are taken: the format needs the extra [mesh], or the file is
            larger than is read whole.
        UsageError: The format is unknown.
    """
    path = os.fsdecode(path)
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".stl":
        return _opened(path, _stl)
    if suffix == ".obj":
        return _opened(path, _obj)
    if suffix in THROUGH_TRIMESH:
        return _through_trimesh(path, suffix)
    known = ", ".join([".stl", ".obj", *sorted(THROUGH_TRIMESH)])
    raise UsageError(f"{path}: unknown mesh format {suffix or 'without suffix'!r}; known: {known}")


def _opened(path: str, read: Callable[[str, BinaryIO], Iterator[Floats]]) -> Iterator[Floats]:
    try:
        _expect_file(path)
        with open(path, "rb") as file:
            yield from read(path, file)
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None


def _expect_file(path: str) -> None:
    if not os.path.isfile(path):
        raise DocumentError(path, "not a file" if os.path.exists(path) else "no such file")


def _refuse_pointer(path: str, head: bytes) -> None:
    if head.startswith(_POINTER):
        raise DocumentError(path, "a pointer of Git LFS stands for the file: run git lfs pull")


def _refuse_large(path: str, largest: int) -> None:
    size = os.path.getsize(path)
    if size > largest:
        raise NotReadError(
            path,
            f"not read: it has {size} bytes, and its format is read whole up to {largest} only; "
            "write it as binary STL, which is read in blocks of any number",
        )


def _stl(path: str, file: BinaryIO) -> Iterator[Floats]:
    head = file.read(_HEADER)
    size = os.fstat(file.fileno()).st_size
    count = int.from_bytes(head[80:], "little")
    if len(head) == _HEADER and size == _HEADER + count * _FACET.itemsize:
        yield from _binary(file)
    elif head.lstrip().lower().startswith(b"solid"):
        file.seek(0)
        yield from _text(path, file)
    else:
        _refuse_pointer(path, head)
        raise DocumentError(
            path,
            f"no STL: it has {size} bytes; a binary file of {count} triangles, as it says, has "
            f"{_HEADER + count * _FACET.itemsize}, and a text file begins with solid",
        )


def _binary(file: BinaryIO) -> Iterator[Floats]:
    while (facets := np.fromfile(file, _FACET, BLOCK)).size:
        yield facets["corners"].astype(float)


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


def _obj(path: str, file: BinaryIO) -> Iterator[Floats]:
    _refuse_large(path, LARGEST_OBJ)
    text = _ObjText(path)
    while data := file.read(_PIECE):
        data += file.readline()
        while data.rstrip(b"\r\n").endswith(b"\\") and (more := file.readline()):
            data += more
        text.add(data)
    return text.blocks()


class _ObjText:
    """Collects corners and faces of OBJ; all else of the format has no corners.

    Faces may name corners that follow, so that they are put together at the end.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._corners = array("d")
        self._faces = array("q")
        self._line = 0

    def add(self, data: bytes) -> None:
        """Take in whole lines."""
        if not self._line:
            _refuse_pointer(self._path, data)
        try:
            corners, faces = _at_once(data)
        except ValueError:
            self._by_line(data)
        else:
            self._corners.frombytes(corners.tobytes())
            self._faces.frombytes(faces.tobytes())
        self._line += data.count(b"\n")

    def _by_line(self, data: bytes) -> None:
        for number, text in _lines(data):
            line = self._line + number
            word, *words = text.split() or [b""]
            if word == b"v":
                self._corners.extend(_corner(self._path, line, words[:3]))
            elif word == b"f":
                known = len(self._corners) // 3
                first, *others = _indices(self._path, line, words, known)
                for second, third in pairwise(others):
                    self._faces.extend((first, second, third))

    def blocks(self) -> Iterator[Floats]:
        """The triangles."""
        corners = np.frombuffer(self._corners).reshape(-1, 3)
        faces = np.frombuffer(self._faces, dtype=np.int64).reshape(-1, _CORNERS)
        if not len(faces):
            raise DocumentError(self._path, "it holds no triangle")
        if faces.max() > len(corners):
            reason = f"a face has the corner {faces.max()}, but the file has {len(corners)}"
            raise DocumentError(self._path, reason)
        faces -= 1
        return from_faces(corners, faces)


def _at_once(data: bytes) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Corners (n, 3) and faces (k, 3) of lines that are as plain as nearly all are.

    Raises:
        ValueError: Some are not: they are to be read one after the other.
    """
    if b"\\" in data:
        raise ValueError
    rows = list(filter(None, map(bytes.split, data.split(b"\n"))))
    corners = np.zeros((0, 3))
    if written := [row[1:4] for row in rows if row[0] == b"v"]:
        x, y, z = zip(*written, strict=True)
        corners = np.array([[*map(float, x)], [*map(float, y)], [*map(float, z)]]).T
    by_count: dict[int, list[list[bytes]]] = {}
    for row in rows:
        if row[0] == b"f":
            by_count.setdefault(len(row), []).append(row)
    faces = [np.zeros((0, 3), dtype=np.int64)]
    for count, alike in by_count.items():
        columns: Sequence[Sequence[bytes]] = list(zip(*alike, strict=True))[1:]
        if count <= _CORNERS:
            raise ValueError
        if b"/" in data:  # corner/texture/normal
            columns = [[word.partition(b"/")[0] for word in column] for column in columns]
        indices = np.array([[*map(int, column)] for column in columns], dtype=np.int64)
        if indices.min() < 1:
            raise ValueError
        faces += [indices[[0, i, i + 1]].T for i in range(1, len(indices) - 1)]
    return corners, np.concatenate(faces)


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; those that end in a backslash go on in the next."""
    begun, first = b"", 0
    for line, text in enumerate(data.split(b"\n"), 1):
        begun, first = begun + text.rstrip(), first or line
        if begun.endswith(b"\\"):
            begun = begun[:-1] + b" "
        else:
            yield first, begun
            begun, first = b"", 0
    if begun:
        yield first, begun


def _indices(path: str, line: int, words: list[bytes], known: int) -> list[int]:
    """The corners of a face, from 1; negative ones count back from the last so far."""
    try:
        indices = [int(word.partition(b"/")[0]) for word in words]
        if len(indices) < _CORNERS:
            raise ValueError
    except ValueError:
        said = b" ".join(words).decode("latin-1")
        reason = f'face "{said}": expected the numbers of three corners or more'
        raise DocumentError(path, reason, line, 1) from None
    if min(indices) < 1:
        indices = [index + known + 1 if index < 0 else index for index in indices]
        if min(indices) < 1:
            said = b" ".join(words).decode("latin-1")
            reason = f'face "{said}": {known} corners precede it, counted from 1'
            raise DocumentError(path, reason, line, 1)
    return indices


def _through_trimesh(path: str, suffix: str) -> Iterator[Floats]:
    _expect_file(path)
    _refuse_large(path, LARGEST_WHOLE)
    try:
        yield from _scene_triangles(path)
    except ImportError as error:
        raise NotReadError(
            path,
            f"reading {suffix} needs {error.name or 'trimesh'}, which is not installed: "
            'pip install "inertial-check[mesh]"',
            each=False,
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
