"""NumPy's files: the arrays of an npz or npy, read row by row. Nothing is unpickled."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import DocumentError

_PIECE = 2**16


class Header(NamedTuple):
    """What an array is.

    Attributes:
        shape: Of all of it.
        fortran: Whether its first axis is the fastest in the file.
        dtype: Of its items.
    """

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


@dataclass
class ArrayStream:
    """An array that is read row by row, where it lies so in the file.

    Attributes:
        path: The file, as messages call it.
        name: The array; "" in an npy file.
        header: What it is.
    """

    path: str
    name: str
    header: Header
    _stream: IO[bytes]
    _whole: npt.NDArray[Any] | None = None
    _next: int = 0

    @classmethod
    def of(cls, stream: IO[bytes], path: str, name: str) -> ArrayStream:
        """The array that begins here.

        Raises:
            DocumentError: It is none, or one of Python objects.
        """
        with damaged(path, name):
            version = np.lib.format.read_magic(stream)
            if version not in _HEADERS:
                raise ValueError(f"version {version} of the format is not known")
            header = Header(*_HEADERS[version](stream))
            if min(header.shape, default=0) < 0:
                raise ValueError(f"its shape is {header.shape}")
        if header.dtype.hasobject:
            reason = "holds pickled Python objects, which are never read; save it as numbers"
            raise DocumentError(path, f"{_called(name)}{reason}")
        return cls(path, name, header, stream)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.header.shape[0] if self.header.shape else 1

    def take(self, rows: int) -> npt.NDArray[Any]:
        """The next rows, up to so many.

        Raises:
            DocumentError: The file ends before, or is damaged.
        """
        count = min(rows, self.rows - self._next)
        shape = (count, *self.header.shape[1:])
        start, self._next = self._next, self._next + count
        if self.header.fortran and len(self.header.shape) > 1:
            # Its first rows lie all over the file: it has to be there as a whole.
            if self._whole is None:
                flat = self._items(math.prod(self.header.shape))
                self._whole = flat.reshape(self.header.shape[::-1]).T
            return self._whole[start : start + count]
        return self._items(math.prod(shape)).reshape(shape)

    def _items(self, count: int) -> npt.NDArray[Any]:
        wanted = count * self.header.dtype.itemsize
        pieces = []
        with damaged(self.path, self.name):
            while wanted:
                piece = self._stream.read(min(wanted, _PIECE))
                if not piece:
                    raise EOFError("it ends before its last item")
                pieces.append(piece)
                wanted -= len(piece)
        if not self.header.dtype.itemsize:  # texts of no length
            return np.zeros(count, self.header.dtype)
        return np.frombuffer(b"".join(pieces), self.header.dtype, count)


_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@contextmanager
def damaged(path: str, name: str) -> Iterator[None]:
    """Say of an archive that cannot be read where that is.

    Raises:
        DocumentError: In place of what zipfile and NumPy raise over bytes that they cannot read,
            from BadZipFile to SyntaxError.
    """
    try:
        yield
    except DocumentError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DocumentError(path, f"{_called(name)}damaged or cut off: {reason}") from error


def _called(name: str) -> str:
    return f"{name}: " if name else ""


class Archive:
    """The arrays of an npz file by name.

    Attributes:
        zip: The file.
        members: Name of an array to what the archive calls it.
    """

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self.path = path
        with damaged(path, ""):
            self.zip = zipfile.ZipFile(stream)
        names = [item.filename for item in self.zip.infolist()]
        self.members = {name.removesuffix(".npy"): name for name in names}
        if len(self.members) < len(names):
            raise DocumentError(path, "two arrays have one name")

    def array(self, name: str) -> ArrayStream:
        """An array, from its beginning."""
        with damaged(self.path, name):
            stream = self.zip.open(self.members[name])
        return ArrayStream.of(stream, self.path, name)

    def copy(self, item: zipfile.ZipInfo, target: IO[bytes]) -> None:
        """Write what a member holds, whatever that is.

        Raises:
            DocumentError: It is damaged.
        """
        with damaged(self.path, item.filename), self.zip.open(item) as stream:
            while piece := stream.read(_PIECE):
                target.write(piece)
