"""Writing of tables: in place, where only numbers change, or anew in another format."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import IO, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from inertial_check.documents.escaping import guard_cells
from inertial_check.documents.tables.arrays import ArrayStream, NpyReader, NpzReader
from inertial_check.documents.tables.reading import (
    Block,
    Layout,
    TableReader,
    TextBlock,
    find_changes,
)
from inertial_check.errors import UsageError
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import reorder, symmetric

_ROW_BYTES = 80
"""Size of a row of ten float64 in the spool [bytes]."""

_SELDOM_PRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COLUMNS = {
    "theta": slice(0, 10),
    "mass": slice(0, 1),
    "com": slice(1, 4),
    "first_moment": slice(1, 4),
    "inertia": slice(4, 10),
}
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of change of new members of an archive, so that equal tables give equal files."""


class Spool:
    """Rows of ten numbers and their names in temporary files, to be read as often as needed.

    Args:
        block: Number of rows that are in memory at a time.

    Attributes:
        block: The same number.
        rows: Number of rows in the spool.
        longest: Number of characters of the longest name; 0 where no row has one.
    """

    def __init__(self, block: int) -> None:
        self.block = block
        self._values = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        self._labels = tempfile.TemporaryFile()  # noqa: SIM115
        self.rows = self.longest = 0

    def __enter__(self) -> Self:
        """The spool itself."""
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Remove the temporary files."""
        self._values.close()
        self._labels.close()

    def append(self, values: Floats, labels: Sequence[str | None]) -> None:
        """Add rows: the values (n, 10) and the names."""
        self._values.write(np.ascontiguousarray(values).tobytes())
        self._labels.write("".join(json.dumps(label) + "\n" for label in labels).encode())
        self.longest = max(self.longest, *map(len, (label or "" for label in labels)), 0)
        self.rows += len(values)

    def values(self) -> Iterator[Floats]:
        """Read all values, a block at a time."""
        self._values.seek(0)
        while data := self._values.read(self.block * _ROW_BYTES):
            yield np.frombuffer(data, np.float64).reshape(-1, 10)

    def labels(self) -> Iterator[str | None]:
        """Read all names."""
        self._labels.seek(0)
        return (json.loads(line) for line in self._labels)


@dataclass
class TableWriter(ABC):
    """Writes a table while its blocks pass, or at the end; the spool gets every block.

    Args:
        stream: The empty file to write; it can be read.
        spool: The spool for the blocks that have passed.
    """

    stream: BinaryIO
    spool: Spool

    def append(self, block: Block, values: Floats) -> None:
        """Take a block with the values (n, 10) to write, laid out as they were read."""
        self.spool.append(values, block.labels)

    def finish(self) -> tuple[str, ...]:
        """Write what is left; returns notes for the user."""
        return ()


def choose_writer(
    reader: TableReader, format: str | None, stream: BinaryIO, spool: Spool
) -> TableWriter:
    """Choose the writer of a table that is being read, for its own format or another.

    Raises:
        UsageError: The format is unknown, or npy, which cannot name its columns.
    """
    if format is None or format == reader.format:
        if isinstance(reader, NpzReader):
            return _NpzCopy(stream, spool, reader)
        if isinstance(reader, NpyReader):
            return _NpyCopy(stream, spool, reader)
        stream.write(reader.mark.encode())
        return _TextCopy(stream, spool, reader.format == "csv")
    if format not in _FRESH:
        raise UsageError(f"no table is written as {format!r}: choose one of {', '.join(_FRESH)}")
    return _FRESH[format](stream, spool, reader.layout)


@dataclass
class _TextCopy(TableWriter):
    """The old text, with new numbers where they differ.

    Args:
        guards: Whether cells that a spreadsheet or a terminal would obey are made plain.
    """

    guards: bool

    def append(self, block: Block, values: Floats) -> None:
        super().append(block, values)
        if isinstance(block, TextBlock):
            text = block.edit(values)
            text = guard_cells(text) if self.guards else text
            self.stream.write(text.encode("utf-8", "surrogateescape"))


@dataclass
class _ArrayCopy(TableWriter):
    """The old arrays, with new rows where they differ, written when all blocks have passed."""

    changed: npt.NDArray[np.bool_] = field(
        default_factory=lambda: np.zeros(10, dtype=bool), init=False
    )

    def append(self, block: Block, values: Floats) -> None:
        super().append(block, values)
        for _, columns in find_changes(block.values, values):
            self.changed[columns] = True


@dataclass
class _NpyCopy(_ArrayCopy):
    """Copy of an npy file."""

    reader: NpyReader

    def finish(self) -> tuple[str, ...]:
        source = self.reader.reopen()
        if not self.changed.any():
            self.reader.stream.seek(0)
            shutil.copyfileobj(self.reader.stream, self.stream)
            return ()
        return _rewrite(source, self.spool, _COLUMNS["theta"], self.stream)


@dataclass
class _NpzCopy(_ArrayCopy):
    """Copy of an npz archive, member by member."""

    reader: NpzReader

    def finish(self) -> tuple[str, ...]:
        archive = self.reader.archive
        notes: list[str] = []
        moved = {
            name: _COLUMNS[role]
            for role, name in self.reader.roles.items()
            if role in _COLUMNS and self.changed[_COLUMNS[role]].any()
        }
        files = {archive.members[name]: name for name in moved}
        with zipfile.ZipFile(self.stream, "w", allowZip64=True) as target:
            for item in archive.zip.infolist():
                info = zipfile.ZipInfo(item.filename, item.date_time)
                info.compress_type, info.external_attr = item.compress_type, item.external_attr
                with target.open(info, "w", force_zip64=True) as stream:
                    if item.filename in files:
                        name = files[item.filename]
                        source = archive.array(name)
                        notes += _rewrite(source, self.spool, moved[name], stream)
                    else:
                        archive.copy(item, stream)
        return tuple(notes)


def _rewrite(
    source: ArrayStream, spool: Spool, columns: slice, stream: IO[bytes]
) -> tuple[str, ...]:
    """Write an array with the rows of the spool where they differ from its own.

    An array that cannot hold every float64 becomes one that can; the note returned says so.
    """
    header = source.header
    narrow = header.dtype.kind != "f" or header.dtype.itemsize < np.dtype(np.float64).itemsize
    dtype = np.dtype("<f8") if narrow else header.dtype
    _write_header(stream, header.shape, dtype)
    for values in spool.values():
        array = np.array(source.take(len(values)), dtype=dtype)
        new = _unflatten(values[:, columns], array.shape)
        # Give the numbers (n, k) of rows as the reader took them.
        numbers = np.asarray(array, dtype=np.float64)
        if numbers.ndim == 3:
            upper, lower = np.triu_indices(3), np.triu_indices(3)[::-1]
            flatten = (numbers[:, *upper] + numbers[:, *lower]) / 2
        else:
            flatten = numbers.reshape(len(numbers), -1)
        read = _unflatten(flatten, array.shape)
        array[...] = np.where((new == read) | (np.isnan(new) & np.isnan(read)), array, new)
        stream.write(np.ascontiguousarray(array).tobytes())
    if not narrow:
        return ()
    what = f"{source.name}: " if source.name else ""
    return (f"{what}{header.dtype} became {dtype}, which holds what moved",)


def _unflatten(values: Floats, shape: tuple[int, ...]) -> Floats:
    """Give rows of numbers (n, k) the shape of an array."""
    return np.asarray(symmetric(values)) if len(shape) == 3 else values.reshape(shape)


def _write_header(stream: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
    description = np.lib.format.dtype_to_descr(dtype)
    header = {"shape": shape, "fortran_order": False, "descr": description}
    np.lib.format.write_array_header_1_0(stream, header)


@dataclass
class _Fresh(TableWriter):
    """A new table, with the names and the ten numbers of the old one and nothing else."""

    layout: Layout

    def append(self, block: Block, values: Floats) -> None:
        self.spool.append(reorder(values, self.layout.order, "urdf"), block.labels)

    def _rows(self) -> Iterator[tuple[str | None, list[float]]]:
        rows = (row for values in self.spool.values() for row in values.tolist())
        return zip(self.spool.labels(), rows, strict=True)


class _FreshText(_Fresh):
    """A new table as text, line by line."""

    def finish(self) -> tuple[str, ...]:
        for text in self._lines():
            self.stream.write(text.encode("utf-8", "surrogateescape"))
        return ()

    @abstractmethod
    def _lines(self) -> Iterator[str]:
        """Write the rows."""


class _Csv(_FreshText):
    def _lines(self) -> Iterator[str]:
        named = self.spool.longest > 0
        head: tuple[str, Iterable[str]] = ("name", self.layout.names)
        rows = ((label or "", map(repr, numbers)) for label, numbers in self._rows())
        for label, cells in chain([head], rows):
            stream = io.StringIO(newline="")
            line = [*([label] if named else []), *cells]
            csv.writer(stream, lineterminator="\n").writerow(line)
            yield guard_cells(stream.getvalue())


class _Json(_FreshText):
    def _lines(self) -> Iterator[str]:
        before = "[\n"
        for label, numbers in self._rows():
            head = {"name": label} if self.spool.longest else {}
            row = {**head, **dict(zip(self.layout.names, numbers, strict=True))}
            yield before + json.dumps(row)
            before = ",\n"
        yield "\n]\n"


class _Yaml(_FreshText):
    def _lines(self) -> Iterator[str]:
        for label, numbers in self._rows():
            members = [f"name: {_format_yaml_text(label)}"] if self.spool.longest else []
            for name, number in zip(self.layout.names, numbers, strict=True):
                # Write a number that every version of yaml reads as one: in 1.1, 1e-05 is a text.
                text = repr(number)
                if not np.isfinite(number):
                    found = text.replace("nan", ".nan").replace("inf", ".inf")
                else:
                    found = text if "." in text else text.replace("e", ".0e")
                members.append(f"{name}: {found}")
            yield f"- {{{', '.join(members)}}}\n"


def _format_yaml_text(label: str | None) -> str:
    """Write a name as yaml text.

    Raises:
        UsageError: The name is no UTF-8, which yaml has to be.
    """
    if label is None:
        return "null"
    text = json.dumps(label, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the name {label!r} is no UTF-8, which yaml has to be") from None
    return _SELDOM_PRINTED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class _Npz(_Fresh):
    def finish(self) -> tuple[str, ...]:
        rows = self.spool.rows
        vector = "com" if self.layout.has_com else "first_moment"
        shapes = {"mass": (rows,), vector: (rows, 3), "inertia": (rows, 3, 3)}
        with zipfile.ZipFile(self.stream, "w", allowZip64=True) as target:

            def open_member(name: str) -> IO[bytes]:
                return target.open(zipfile.ZipInfo(f"{name}.npy", _EPOCH), "w", force_zip64=True)

            for name, shape in shapes.items():
                with open_member(name) as stream:
                    _write_header(stream, shape, np.dtype("<f8"))
                    for values in self.spool.values():
                        part = values[:, _COLUMNS[name]]
                        array = _unflatten(part, (len(part), *shape[1:]))
                        stream.write(np.ascontiguousarray(array).tobytes())
            if self.spool.longest:
                dtype = np.dtype(f"<U{self.spool.longest}")
                with open_member("name") as stream:
                    _write_header(stream, (rows,), dtype)
                    for label in self.spool.labels():
                        stream.write(np.array([label or ""], dtype=dtype).tobytes())
        return ()


_FRESH: dict[str, Callable[[BinaryIO, Spool, Layout], TableWriter]] = {
    "csv": _Csv,
    "json": _Json,
    "yaml": _Yaml,
    "npz": _Npz,
}
"""Writers of the formats in which any table can be written."""
