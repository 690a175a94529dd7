"""Reading of mesh files as blocks of triangles.

STL and OBJ, the formats of most collision meshes, are read here, with every corner as it stands in
the file; STL in blocks, so that the memory needed is bounded. All other formats go through trimesh,
which needs the extra [mesh], takes a second to import, and reads a file whole.

Reading of mesh files through trimesh: bounded input, and no further file outside the root.

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
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from inertial_check.documents.context import NestingError, check_json_nesting, note_lookup
from inertial_check.documents.files.access import LFS_POINTER, Access, RefusedFileError
from inertial_check.documents.numbers import quote
from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.meshes import BLOCK, from_faces

if TYPE_CHECKING:
    from trimesh.resolvers import Resolver


THROUGH_TRIMESH = frozenset((".3mf", ".dae", ".glb", ".gltf", ".off", ".ply"))
"""Suffixes of the formats that need the extra [mesh]."""

LARGEST_WHOLE = 1 << 26
"""Largest file that is given to trimesh [bytes], which takes up to twenty times as much memory."""

LARGEST_OBJ = 1 << 27
"""Largest OBJ file [bytes]; its corners and faces take up to three times as much memory."""

MOST_TRIANGLES = 50_000_000
"""Largest number of triangles of a mesh, 2.5 GB as binary STL; robots have up to a few million."""

MOST_CORNERS = 100_000
"""Largest number of corners of one face; modelling programs write up to a few hundred."""

LONGEST_LINE = 1 << 22
"""Largest size of a line of a text format [bytes]: a face with MOST_CORNERS fits."""

_TOO_MANY = f"more than {MOST_TRIANGLES} triangles: no robot model needs more; simplify the mesh"
_TOO_LONG = f"a line of more than {LONGEST_LINE} bytes: no mesh needs more"

_HEADER = 84
"""Size of the header of a binary STL [bytes], with the number of triangles."""

_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_CORNERS = 3
_LARGEST_INDEX = 2**31 - 1
"""Largest index of a corner that 32 bits hold; a corner takes at least six bytes of the file."""

_SHORT = 400
"""Number of characters or words of a line that are looked at where only a few are expected."""

_PIECE = 1 << 17
"""Size of the pieces of an OBJ file that are split into words together [bytes]."""


class NotReadError(UsageError):
    """A mesh file is not read though it may be sound: an extra is missing, or it is too large.

    Attributes:
        note: A note for the user, the same for all files that have the reason in common.
    """

    def __init__(self, path: str, note: str, each: bool = True) -> None:
        """Make the error.

        Args:
            path: The file.
            note: The reason and the way out.
            each: Whether they concern this file only.
        """
        super().__init__(f"{path}: {note}")
        self.note = str(self) if each else note


def triangles(path: str | os.PathLike[str], access: Access | None = None) -> Iterator[Floats]:
    """Read the triangles of a mesh file, block after block.

    Args:
        path: An STL or OBJ file, or one of THROUGH_TRIMESH.
        access: The files that may be used; None for all.

    Returns:
        Blocks (n, 3, 3) of corners, in the file's unit: in metres for COLLADA, which states its
        unit, and for glTF, which has no other.

    Raises:
        DocumentError: While the blocks are read: there is no such file, or it is no such mesh;
            names the line or the number that is wrong.
        NotReadError: While the blocks are read: the format needs the extra [mesh], or the file is
            too large to be read whole.
        UsageError: The format is unknown.
    """
    access = access or Access(follow_outside=True)
    path = os.fsdecode(path)
    suffix = os.path.splitext(path)[1].lower()
    if (read := {".stl": _read_stl, ".obj": _read_obj}.get(suffix)) is not None:
        return _bound(path, _open(path, read, access))
    if suffix in THROUGH_TRIMESH:
        return _bound(path, _read_through_trimesh(path, suffix, access))
    known = ", ".join([".stl", ".obj", *sorted(THROUGH_TRIMESH)])
    raise UsageError(f"{path}: unknown mesh format {suffix or 'without suffix'!r}; known: {known}")


def _bound(path: str, blocks: Iterator[Floats]) -> Iterator[Floats]:
    """Pass blocks on until there are too many triangles."""
    count = 0
    for block in blocks:
        count += len(block)
        if count > MOST_TRIANGLES:
            raise DocumentError(path, _TOO_MANY)
        yield block


def _open(
    path: str, read: Callable[[str, BinaryIO], Iterator[Floats]], access: Access
) -> Iterator[Floats]:
    try:
        with access.open_mesh(path) as file:
            _refuse_pointer(path, file.peek(len(LFS_POINTER)))
            yield from read(path, file)
    except RefusedFileError as error:
        raise DocumentError(path, str(error.strerror)) from None
    except (FileNotFoundError, IsADirectoryError):
        _expect_file(path)
        raise
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None


def _expect_file(path: str) -> None:
    if not os.path.isfile(path):
        raise DocumentError(path, "not a file" if os.path.exists(path) else "no such file")


def _refuse_pointer(path: str, head: bytes) -> None:
    if head.startswith(LFS_POINTER):
        raise NotReadError(path, "pointers of Git LFS stand for meshes: run `git lfs pull`", False)


def _refuse_large(path: str, largest: int) -> None:
    size = os.path.getsize(path)
    if size > largest:
        raise NotReadError(
            path,
            f"not read: it has {size} bytes, and its format is read whole up to {largest} only; "
            "write it as binary STL, which is read in blocks of any number",
        )


def _read_stl(path: str, file: BinaryIO) -> Iterator[Floats]:
    head = file.read(_HEADER)
    size = os.fstat(file.fileno()).st_size
    count = int.from_bytes(head[80:], "little")
    if len(head) == _HEADER and size == _HEADER + count * _FACET.itemsize:
        while (facets := np.fromfile(file, _FACET, BLOCK)).size:
            with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused as any other
                corners = facets["corners"].astype(float)
            yield corners
    elif head.lstrip().lower().startswith(b"solid"):
        file.seek(0)
        numbers = array("d")
        of_facet, line = 0, 0
        for line, text in enumerate(iter(partial(_read_line, path, file), b""), 1):
            words = text[:_SHORT].split()
            word = words[0].lower() if words else b""
            if word == b"vertex":
                numbers.extend(_parse_corner(path, line, words[1:]))
                of_facet += 1
                if of_facet > _CORNERS:
                    raise DocumentError(path, "a facet of more than 3 corners", line, 1)
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
    else:
        raise DocumentError(
            path,
            f"no STL: it has {size} bytes; a binary file of {count} triangles, as it says, has "
            f"{_HEADER + count * _FACET.itemsize}, and a text file begins with solid",
        )


def _read_line(path: str, file: BinaryIO) -> bytes:
    line = file.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise DocumentError(path, _TOO_LONG)
    return line


def _parse_corner(path: str, line: int, words: list[bytes]) -> list[float]:
    try:
        x, y, z = map(float, words)
    except ValueError:
        reason = f"vertex {_quote(words)}: expected three numbers"
        raise DocumentError(path, reason, line, 1) from None
    return [x, y, z]


def _read_obj(path: str, file: BinaryIO) -> Iterator[Floats]:
    _refuse_large(path, LARGEST_OBJ)
    text = _ObjText(path)
    while data := file.read(_PIECE):
        lines = [data, _read_line(path, file)]
        size = 0
        while (lines[-1] or data)[-3:].rstrip(b"\r\n").endswith(b"\\") and (
            more := _read_line(path, file)
        ):
            lines.append(more)
            size += len(more)
            if size > LONGEST_LINE:
                raise DocumentError(path, _TOO_LONG)
        text.add(b"".join(lines))
    return text.blocks()


class _ObjText:
    """Corners and faces of an OBJ file; all other lines of the format are passed over.

    A face may name corners that follow it, so that triangles are put together at the end.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._corners = array("d")
        self._faces = array("i")  # half the memory of 64 bits: a file has fewer corners
        self._line = 0

    def add(self, data: bytes) -> None:
        """Read whole lines."""
        try:
            corners, faces = _read_plain_lines(data)
        except (ValueError, OverflowError):
            for number, text in _join_lines(data):
                line = self._line + number
                word, *words = text.split() or [b""]
                if word == b"v":
                    self._corners.extend(_parse_corner(self._path, line, words[:3]))
                elif word == b"f":
                    known = len(self._corners) // 3
                    first, *others = _parse_face(self._path, line, words, known)
                    for second, third in pairwise(others):
                        self._faces.extend((first, second, third))
        else:
            self._corners.frombytes(corners.tobytes())
            self._faces.frombytes(faces.tobytes())
        self._line += data.count(b"\n")
        if len(self._faces) > 3 * MOST_TRIANGLES:
            raise DocumentError(self._path, _TOO_MANY, self._line, 1)

    def blocks(self) -> Iterator[Floats]:
        """Put the triangles together."""
        corners = np.frombuffer(self._corners).reshape(-1, 3)
        faces = np.frombuffer(self._faces, dtype=np.int32).reshape(-1, _CORNERS)
        if not len(faces):
            raise DocumentError(self._path, "it holds no triangle")
        if faces.max() > len(corners):
            reason = f"a face has the corner {faces.max()}, but the file has {len(corners)}"
            raise DocumentError(self._path, reason)
        faces -= 1
        return from_faces(corners, faces)


def _read_plain_lines(data: bytes) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Read the corners (n, 3) and faces (k, 3) of plain lines together.

    Raises:
        ValueError: Some lines are not plain, as few are, and have to be read one by one.
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
        if not _CORNERS < count <= MOST_CORNERS + 1:
            raise ValueError
        if b"/" in data:  # corner/texture/normal
            columns = [[word.partition(b"/")[0] for word in column] for column in columns]
        indices = np.array([[*map(int, column)] for column in columns], dtype=np.int64)
        if indices.min() < 1 or indices.max() > _LARGEST_INDEX:
            raise ValueError
        faces += [indices[[0, i, i + 1]].T for i in range(1, len(indices) - 1)]
    return corners, np.concatenate(faces).astype(np.int32)


def _join_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their numbers; a line that ends in a backslash goes on in the next."""
    begun: list[bytes] = []
    first = 0
    for line, text in enumerate(data.split(b"\n"), 1):
        piece, first = text.rstrip(), first or line
        if piece.endswith(b"\\"):
            begun.append(piece[:-1])
        else:
            yield first, b" ".join([*begun, piece])
            begun, first = [], 0
    if begun:
        yield first, b" ".join(begun)


def _parse_face(path: str, line: int, words: list[bytes], known: int) -> list[int]:
    """Read the corners of a face, counted from 1; negative ones count back from the last so far."""
    try:
        indices = [int(word.partition(b"/")[0]) for word in words]
        if len(indices) < _CORNERS:
            raise ValueError
    except ValueError:
        reason = f"face {_quote(words)}: expected the numbers of three corners or more"
        raise DocumentError(path, reason, line, 1) from None
    if len(indices) > MOST_CORNERS:
        reason = f"a face of {len(indices)} corners, and the limit is {MOST_CORNERS}: split it"
        raise DocumentError(path, reason, line, 1)
    if max(indices) > _LARGEST_INDEX:
        reason = f"face {_quote(words)}: no file has so many corners"
        raise DocumentError(path, reason, line, 1)
    if min(indices) < 1:
        indices = [index + known + 1 if index < 0 else index for index in indices]
        if min(indices) < 1:
            reason = f"face {_quote(words)}: {known} corners precede it, counted from 1"
            raise DocumentError(path, reason, line, 1)
    return indices


def _quote(words: Sequence[bytes]) -> str:
    """Put the beginning of some words in quotation marks."""
    return quote(b" ".join(words[:_SHORT]).decode("latin-1"))


def _read_through_trimesh(path: str, suffix: str, access: Access) -> Iterator[Floats]:

    _expect_file(path)
    _refuse_large(path, LARGEST_WHOLE)
    try:
        data = access.read(path, LARGEST_WHOLE)
        _refuse_pointer(path, data)
        found = False
        for whole in read_scene(path, suffix, data, access, LARGEST_WHOLE):
            found = True
            for i in range(0, len(whole), BLOCK):
                yield whole[i : i + BLOCK]
        if not found:
            raise DocumentError(path, "it holds no triangle")
    except ImportError as error:
        # Name the packages that reading a format needs and that are not installed.
        told = re.search(r"No module named '(\w+)", str(error))  # trimesh passes on the text only
        name = error.name or (told[1] if told else "trimesh")
        needed = _NEEDED.get(suffix, ())
        if name not in needed:
            lacking, install = f"{name}, which is not", '"inertial-check[mesh]"'
        else:
            missing = [module for module in needed if importlib.util.find_spec(module) is None] or [
                name
            ]
            verb = "which are not" if len(missing) > 1 else "which is not"
            lacking, install = f"{' and '.join(missing)}, {verb}", " ".join(missing)
        raise NotReadError(
            path, f"reading {suffix} needs {lacking} installed: pip install {install}", each=False
        ) from None
    except (DocumentError, NotReadError):
        raise
    except TooManyTrianglesError as error:
        raise NotReadError(
            path, f"not read: {error}; write it as binary STL, which is read in blocks"
        ) from None
    except RefusedFileError as error:
        named = "" if error.filename == path else f"{error.filename} "
        raise DocumentError(path, f"{named}{error.strerror}") from None
    except Exception as error:  # the parsers of a dozen formats raise many types on broken files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DocumentError(path, f"trimesh cannot read it: {reason}") from None


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
    # Refuse what a file claims to hold, before anything is allocated for it.
    if data.startswith(_ZIP):
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
    elif b"<!ENTITY" in data.replace(b"\0", b""):
        raise DocumentError(path, "declares XML entities, which are never expanded: delete them")
    elif data.startswith(_GLB) or data.lstrip()[:1] == b"{":
        _refuse_arrays(path, data, largest)
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
            # A file without unit is taken to be in metres.
            factor, times, name = (piece.units or "meters").rpartition(" * ")
            yield np.asarray(corners, dtype=float) * (
                float(factor) if times and name == "meters" else 1.0
            )


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
