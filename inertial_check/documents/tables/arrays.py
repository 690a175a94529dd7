"""Tables as NumPy arrays: npy of shape (n, 10), npz with named arrays; read in pieces.

An npz holds `theta` (n, 10), or `mass` (n,), `com` or `first_moment` (n, 3) and `inertia` (n, 6) or
(n, 3, 3); `name` (n,) if rows have names. Other arrays are kept when the table is written again.

Reading of NumPy's npz and npy files, array by array and row by row. Nothing is unpickled.
"""

from __future__ import annotations

import math
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.documents.tables.reading import Block, Layout, TableReader, require_order
from inertial_check.errors import DocumentError, ParameterError
from inertial_check.inertia.arrays import Floats, quiet
from inertial_check.inertia.representations import Order, six

LARGEST_WHOLE = 2**29
"""Largest size of the arrays of an archive that are read whole, together [bytes]."""

_PIECE = 2**16
"""Size of the pieces in which a file is read [bytes]."""


_MOST_AXES = 32
"""Largest number of axes of an array, in every release of numpy."""

AnyArray = npt.NDArray[Any]  # Any: the file decides about the type of its items


class ArrayHeader(NamedTuple):
    """Header of an array.

    Attributes:
        shape: Shape of the whole array.
        fortran: Whether the first axis is the fastest in the file.
        dtype: Type of the items.
    """

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[np.generic]

    @classmethod
    def of(cls, stream: IO[bytes]) -> ArrayHeader:
        """Read the header at the beginning of a stream.

        Raises:
            ValueError: It is no header, or one of an unknown version.
        """
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"version {version} of the format is not known")
        shape, fortran, dtype = _HEADERS[version](stream)
        found = cls(tuple(map(int, shape)), fortran, dtype)  # True is an int, too
        if min(found.shape, default=0) < 0 or len(found.shape) > _MOST_AXES:
            raise ValueError(f"its shape is {found.shape}")
        return found


@dataclass
class ArrayStream:
    """Array that is read row by row, where it lies so in the file.

    Attributes:
        path: The path that messages name.
        name: Name of the array; "" in an npy file.
        header: ArrayHeader of the array.
    """

    path: str
    name: str
    header: ArrayHeader
    _stream: IO[bytes]
    _whole: AnyArray | None = None
    _next: int = 0

    @classmethod
    def of(cls, stream: IO[bytes], path: str, name: str) -> ArrayStream:
        """Read the header of the array that begins here.

        Raises:
            DocumentError: There is no array, or one of Python objects.
        """
        with _report_damage(path, name):
            header = ArrayHeader.of(stream)
        if header.dtype.hasobject:
            reason = "holds pickled Python objects, which are never read; save it as numbers"
            raise DocumentError(path, f"{_prefix(name)}{reason}")
        return cls(path, name, header, stream)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.header.shape[0] if self.header.shape else 1

    def take(self, rows: int) -> AnyArray:
        """Read the next rows, up to so many.

        Raises:
            DocumentError: The file is damaged, or ends before.
        """
        count = min(rows, self.rows - self._next)
        shape = (count, *self.header.shape[1:])
        start, self._next = self._next, self._next + count
        if self.header.fortran and len(self.header.shape) > 1:
            # In this order the first rows lie all over the file, so that all of it has to be read.
            if self._whole is None:
                flat = self._read_items(math.prod(self.header.shape))
                self._whole = flat.reshape(self.header.shape[::-1]).T
            return self._whole[start : start + count]
        return self._read_items(math.prod(shape)).reshape(shape)

    def _read_items(self, count: int) -> AnyArray:
        wanted = count * max(self.header.dtype.itemsize, 1)
        if wanted > LARGEST_WHOLE:
            raise DocumentError(
                self.path,
                f"{_prefix(self.name)}{wanted} bytes have to be read at once, and the limit is "
                f"{LARGEST_WHOLE}: save fewer rows, in C order",
            )
        if not self.header.dtype.itemsize:  # texts of no length
            return np.zeros(count, self.header.dtype)
        # What a header claims and the file does not hold is never touched, and takes no memory.
        data = np.empty(wanted, dtype=np.uint8).data
        position = 0
        with _report_damage(self.path, self.name):
            while position < wanted:
                piece = self._stream.read(min(wanted - position, _PIECE))
                if not piece:
                    raise EOFError("it ends before its last item")
                data[position : position + len(piece)] = piece
                position += len(piece)
        return np.frombuffer(data, self.header.dtype, count)


_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@contextmanager
def _report_damage(path: str, name: str) -> Iterator[None]:
    """Turn whatever zipfile and NumPy raise about damaged bytes into an error with its place.

    Raises:
        DocumentError: In place of their errors, from BadZipFile to SyntaxError.
    """
    try:
        yield
    except DocumentError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DocumentError(path, f"{_prefix(name)}damaged or cut off: {reason}") from error


def _prefix(name: str) -> str:
    return f"{name}: " if name else ""


class Archive:
    """Arrays of an npz file by name.

    Attributes:
        zip: The archive.
        members: Name of each array, to the name of its file in the archive.
    """

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self.path = path
        self._held = 0
        with _report_damage(path, ""):
            self.zip = zipfile.ZipFile(stream)
        names = [item.filename for item in self.zip.infolist()]
        self.members = {name.removesuffix(".npy"): name for name in names}
        if len(self.members) < len(names):
            raise DocumentError(path, "two arrays have one name")

    def array(self, name: str) -> ArrayStream:
        """Begin to read an array."""
        with _report_damage(self.path, name):
            stream = self.zip.open(self.members[name])
        return ArrayStream.of(stream, self.path, name)

    def array_header(self, name: str) -> ArrayHeader:
        """Read the header of an array, also where it holds Python objects."""
        with _report_damage(self.path, name), self.zip.open(self.members[name]) as stream:
            return ArrayHeader.of(stream)

    def read(self, name: str) -> AnyArray:
        """Read a whole array."""
        stream = self.array(name)
        self._held += math.prod(stream.header.shape) * stream.header.dtype.itemsize
        if self._held > LARGEST_WHOLE:
            raise DocumentError(
                self.path,
                f"its arrays have more than {LARGEST_WHOLE} bytes: too many to be held in memory",
            )
        values = stream.take(stream.rows)
        return values if stream.header.shape else values.reshape(())

    def copy(self, item: zipfile.ZipInfo, target: IO[bytes]) -> None:
        """Copy a member, whatever it holds.

        Raises:
            DocumentError: The member is damaged.
        """
        with _report_damage(self.path, item.filename), self.zip.open(item) as stream:
            while piece := stream.read(_PIECE):
                target.write(piece)


@quiet  # a signalling NaN, or a number beyond float64, is no reason for a warning
def as_float64(values: AnyArray) -> Floats:
    """Convert real numbers of any precision to float64; those beyond it become infinite."""
    return np.asarray(values, dtype=np.float64)


def decode_texts(array: AnyArray) -> list[str]:
    """Convert an array of texts, or of their bytes in UTF-8, to strings."""
    if array.dtype.kind == "S":
        return [text.decode("utf-8", "surrogateescape") for text in array.tolist()]
    if array.dtype.kind == "U" and array.dtype.itemsize:
        array = np.array(array, array.dtype.newbyteorder("="), order="C")
        codes = array.view(np.uint32)
        # Numbers that are no characters, without the surrogates that stand for bytes.
        none = (codes > sys.maxunicode) | ((codes >> 11 == 0x1B) & (codes >> 7 != 0x1B9))
        codes[none] = ord("\N{REPLACEMENT CHARACTER}")
    return list(array.tolist())


_MEMBERS = {
    "theta": ("theta",),
    "mass": ("mass", "m"),
    "com": ("com",),
    "first_moment": ("first_moment", "h"),
    "inertia": ("inertia",),
    "name": ("name",),
}
_ROWS = {"theta": (10,), "mass": (), "com": (3,), "first_moment": (3,), "name": ()}
_MATRIX, _BARE = (3, 3), (6,)


class NpzReader(TableReader):
    """Reads the arrays of a table in an npz file side by side."""

    format = "npz"

    def __init__(self, stream: BinaryIO, path: str, order: Order | None) -> None:
        self.path = path
        self.archive = Archive(stream, path)
        self.roles = self._find_roles()
        self.arrays = {role: self.archive.array(name) for role, name in self.roles.items()}
        # Refuse arrays of wrong shape or type, or of different numbers of rows.
        rows = None
        for role, array in self.arrays.items():
            shape, kind = array.header.shape, array.header.dtype.kind
            expected = [_ROWS[role]] if role != "inertia" else [_BARE, _MATRIX]
            if not shape or shape[1:] not in expected:
                wanted = " or ".join(
                    ("(" + ", ".join(["n", *map(str, each)]) + ("," if not each else "") + ")")
                    for each in expected
                )
                reason = f"{array.name}: has shape {shape}, expected {wanted}"
                raise DocumentError(self.path, reason)
            if kind not in ("US" if role == "name" else "fiu"):
                wanted = "text" if role == "name" else "real numbers"
                reason = f"{array.name}: holds {array.header.dtype}, expected {wanted}"
                raise DocumentError(self.path, reason)
            if rows is not None and rows != shape[0]:
                first = next(iter(self.arrays.values()))
                reason = f"{array.name}: has {shape[0]} rows, and {first.name} has {rows}"
                raise DocumentError(self.path, reason)
            rows = shape[0]
        bare = "theta" in self.roles or self.arrays["inertia"].header.shape[1:] == _BARE
        self.layout = Layout(
            require_order(order, path) if bare else "urdf", not bare, "com" in self.roles
        )
        self.rows = next(iter(self.arrays.values())).rows
        if not self.rows:
            raise DocumentError(path, "the table has no rows")

    def blocks(self, rows: int) -> Iterator[Block]:
        """Read the rows in their order, so many at a time."""
        for first in range(0, self.rows, rows):
            taken = {role: array.take(rows) for role, array in self.arrays.items()}
            values = self._values(taken, first)
            labels = [None] * len(values) if "name" not in taken else decode_texts(taken["name"])
            yield Block(first, values, labels)

    def _find_roles(self) -> dict[str, str]:
        """Find the name of the array for each role.

        Raises:
            DocumentError: An array is missing, or two have one role.
        """
        roles: dict[str, str] = {}
        for role, names in _MEMBERS.items():
            found = [name for name in names if name in self.archive.members]
            if len(found) > 1:
                raise DocumentError(self.path, f"{found[0]} and {found[1]} mean the same: keep one")
            roles |= dict.fromkeys([role] if found else [], found[0] if found else "")
        vectors = [role for role in ("com", "first_moment") if role in roles]
        parts = {"mass", "inertia"} & roles.keys()
        if "theta" in roles and (parts or vectors):
            other = next(iter([*sorted(parts), *vectors]))
            raise DocumentError(self.path, f"theta and {other} say the same twice: keep one")
        if len(vectors) == 2:
            raise DocumentError(self.path, "both a first moment and a centre of mass: keep one")
        if "theta" not in roles and (len(parts) < 2 or not vectors):
            has = ", ".join(sorted(self.archive.members)) or "nothing"
            raise DocumentError(
                self.path,
                f"the archive has {has}; expected theta (n, 10), or mass (n,), com or first_moment "
                "(n, 3) and inertia (n, 6) or (n, 3, 3)",
            )
        return roles

    def _values(self, taken: dict[str, AnyArray], first: int) -> Floats:
        """Put the arrays of some rows side by side."""
        if "theta" in taken:
            return as_float64(taken["theta"])
        vector = taken["com" if "com" in taken else "first_moment"]
        inertia = as_float64(taken["inertia"])
        if inertia.ndim == 3:
            inertia = self._upper(inertia, first)
        return np.column_stack([as_float64(taken["mass"]), as_float64(vector), inertia])

    def _upper(self, inertia: Floats, first: int) -> Floats:
        """Take the six entries of matrices, averaging halves that differ by rounding.

        Raises:
            DocumentError: A matrix is not symmetric; names its row.
        """
        try:
            return np.asarray(six(inertia))
        except ParameterError:
            for row, matrix in enumerate(inertia):  # one by one, to find the row
                try:
                    six(matrix)
                except ParameterError as error:
                    place = f"{self.roles['inertia']}[{first + row}]"
                    raise DocumentError(self.path, f"{place}: {error}") from None
            raise


class NpyReader(TableReader):
    """Reads the rows of the array in an npy file."""

    format = "npy"

    def __init__(self, stream: BinaryIO, path: str, order: Order | None) -> None:
        self.path, self.stream = path, stream
        self.array = ArrayStream.of(stream, path, "")
        header = self.array.header
        if header.shape[1:] != (10,) or header.dtype.kind not in "fiu":
            reason = f"an array of {header.dtype} of shape {header.shape}"
            raise DocumentError(path, f"{reason}, expected real numbers of shape (n, 10)")
        if not self.array.rows:
            raise DocumentError(path, "the table has no rows")
        self.layout = Layout(require_order(order, path))

    def blocks(self, rows: int) -> Iterator[Block]:
        """Read the rows in their order, so many at a time."""
        for first in range(0, self.array.rows, rows):
            values = as_float64(self.array.take(rows))
            yield Block(first, values, [None] * len(values))

    def reopen(self) -> ArrayStream:
        """Begin to read the array again."""
        self.stream.seek(0)
        return ArrayStream.of(self.stream, self.path, "")
