"""Tables onto a stream: in place, where only numbers change, or anew in another form."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.formats.archives import ArrayStream
from inertial_check.formats.tables.columns import Layout, differing
from inertial_check.formats.tables.npz import NpyReader, NpzReader
from inertial_check.formats.tables.reading import Block, TableReader, TextBlock
from inertial_check.inertia.representations import reorder, symmetric

_PIECE = 2**16
_ROW_BYTES = 80
_SELDOM_PRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COLUMNS = {
    "theta": slice(0, 10),
    "mass": slice(0, 1),
    "com": slice(1, 4),
    "first_moment": slice(1, 4),
    "inertia": slice(4, 10),
}
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Spool:
    """Rows of ten numbers, and their names, on the disk: written once, read as often as needed.

    Args:
        block: Rows that are in memory at a time.

    Attributes:
        block: The same.
        rows: How many.
        longest: Characters of the longest name; 0 where no row has one.
    """

    def __init__(self, block: int) -> None:
        self.block = block
        self._values = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        self._labels = tempfile.TemporaryFile()  # noqa: SIM115
        self.rows = self.longest = 0

    def __enter__(self) -> Self:
        """The spool itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the disk back."""
        self._values.close()
        self._labels.close()

    def append(self, values: Floats, labels: Sequence[str | None]) -> None:
        """More rows: the values (n, 10) and the names."""
        self._values.write(np.ascontiguousarray(values).tobytes())
        self._labels.write("".join(json.dumps(label) + "\n" for label in labels).encode())
        self.longest = max(self.longest, *map(len, (label or "" for label in labels)), 0)
        self.rows += len(values)

    def values(self) -> Iterator[Floats]:
        """All values, a block at a time."""
        self._values.seek(0)
        while data := self._values.read(self.block * _ROW_BYTES):
            yield np.frombuffer(data, np.float64).reshape(-1, 10)

    def labels(self) -> Iterator[str | None]:
        """All names."""
        self._labels.seek(0)
        return (json.loads(line) for line in self._labels)


class Writer(ABC):
    """Writes a table while its blocks pass, or once all have; the spool gets them in any case.

    Args:
        stream: Where to; it is empty, and can be read.
        spool: What has passed.
    """

    def __init__(self, stream: BinaryIO, spool: Spool) -> None:
        self.stream, self.spool = stream, spool

    def append(self, block: Block, values: Floats) -> None:
        """Take a block with these values (n, 10), laid out as it was read."""
        self.spool.append(values, block.labels)

    @abstractmethod
    def finish(self) -> tuple[str, ...]:
        """Write what is left; returns what to tell about it."""


def writer(reader: TableReader, format: str | None, stream: BinaryIO, spool: Spool) -> Writer:
    """What writes a table that is being read, in its own form or another.

    Raises:
        UsageError: The form is unknown, or npy, which cannot name its columns.
    """
    if format is None or format == reader.format:
        if isinstance(reader, NpzReader):
            return _NpzCopy(stream, spool, reader)
        if isinstance(reader, NpyReader):
            return _NpyCopy(stream, spool, reader)
        return _TextCopy(stream, spool, reader.mark)
    if format not in _NEW:
        raise UsageError(f"no table is written as {format!r}: choose one of {', '.join(_NEW)}")
    return _NEW[format](stream, spool, reader.layout)


class _TextCopy(Writer):
    """The text as it was, with new numbers where they differ."""

    def __init__(self, stream: BinaryIO, spool: Spool, mark: str) -> None:
        super().__init__(stream, spool)
        stream.write(mark.encode())

    def append(self, block: Block, values: Floats) -> None:
        super().append(block, values)
        if isinstance(block, TextBlock):
            self.stream.write(block.edited(values).encode("utf-8", "surrogateescape"))

    def finish(self) -> tuple[str, ...]:
        return ()


class _ArrayCopy(Writer):
    """Arrays as they were, with new rows where they differ, written once all have passed."""

    def __init__(self, stream: BinaryIO, spool: Spool) -> None:
        super().__init__(stream, spool)
        self.changed = np.zeros(10, dtype=bool)

    def append(self, block: Block, values: Floats) -> None:
        super().append(block, values)
        for _, columns in differing(block.values, values):
            self.changed[columns] = True


class _NpyCopy(_ArrayCopy):
    """One array."""

    def __init__(self, stream: BinaryIO, spool: Spool, reader: NpyReader) -> None:
        super().__init__(stream, spool)
        self._reader = reader

    def finish(self) -> tuple[str, ...]:
        source = self._reader.reopened()
        if not self.changed.any():
            _copy(self._reader.stream, self.stream)
            return ()
        return _rewritten(source, self.spool, _COLUMNS["theta"], self.stream)


class _NpzCopy(_ArrayCopy):
    """An archive, member by member."""

    def __init__(self, stream: BinaryIO, spool: Spool, reader: NpzReader) -> None:
        super().__init__(stream, spool)
        self._reader = reader

    def finish(self) -> tuple[str, ...]:
        archive = self._reader.archive
        notes: list[str] = []
        moved = {
            name: _COLUMNS[role]
            for role, name in self._reader.roles.items()
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
                        notes += _rewritten(source, self.spool, moved[name], stream)
                    else:
                        archive.copy(item, stream)
        return tuple(notes)


def _rewritten(
    source: ArrayStream, spool: Spool, columns: slice, stream: IO[bytes]
) -> tuple[str, ...]:
    """Write an array with the rows of the spool where they differ from its own."""
    header = source.header
    narrow = header.dtype.kind != "f" or header.dtype.itemsize < np.dtype(np.float64).itemsize
    dtype = np.dtype("<f8") if narrow else header.dtype
    _write_header(stream, header.shape, dtype)
    for values in spool.values():
        array = np.array(source.take(len(values)), dtype=dtype)
        new = _shaped(values[:, columns], array.shape)
        read = _shaped(_flat(array), array.shape)
        array[...] = np.where((new == read) | (np.isnan(new) & np.isnan(read)), array, new)
        stream.write(np.ascontiguousarray(array).tobytes())
    if not narrow:
        return ()
    what = f"{source.name}: " if source.name else ""
    return (f"{what}{header.dtype} became {dtype}, which holds what moved",)


def _flat(array: npt.NDArray[Any]) -> Floats:
    """(n, k) the numbers of rows as the reader took them."""
    values = np.asarray(array, dtype=np.float64)
    if values.ndim == 3:
        upper, lower = np.triu_indices(3), np.triu_indices(3)[::-1]
        return (values[:, *upper] + values[:, *lower]) / 2
    return values.reshape(len(values), -1)


def _shaped(values: Floats, shape: tuple[int, ...]) -> Floats:
    """Rows of numbers (n, k) in the shape of an array."""
    return np.asarray(symmetric(values)) if len(shape) == 3 else values.reshape(shape)


def _write_header(stream: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    description = np.lib.format.dtype_to_descr(dtype)
    header = {"shape": shape, "fortran_order": False, "descr": description}
    np.lib.format.write_array_header_1_0(stream, header)


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    source.seek(0)
    while piece := source.read(_PIECE):
        target.write(piece)


class _Fresh(Writer):
    """A new table: the names and the ten numbers, nothing else of the old one."""

    def __init__(self, stream: BinaryIO, spool: Spool, layout: Layout) -> None:
        super().__init__(stream, spool)
        self._layout = layout

    def append(self, block: Block, values: Floats) -> None:
        self.spool.append(reorder(values, self._layout.order, "urdf"), block.labels)

    def _rows(self) -> Iterator[tuple[str | None, list[float]]]:
        rows = (row for values in self.spool.values() for row in values.tolist())
        return zip(self.spool.labels(), rows, strict=True)

    @property
    def _named(self) -> bool:
        return self.spool.longest > 0

    def _send(self, texts: Iterable[str]) -> tuple[str, ...]:
        for text in texts:
            self.stream.write(text.encode("utf-8", "surrogateescape"))
        return ()


class _Csv(_Fresh):
    def finish(self) -> tuple[str, ...]:
        return self._send(self._lines())

    def _lines(self) -> Iterator[str]:
        head = ["name"] if self._named else []
        yield _csv_line([*head, *self._layout.names])
        for label, numbers in self._rows():
            yield _csv_line([*([label or ""] if self._named else []), *map(repr, numbers)])


def _csv_line(cells: Sequence[str]) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()


class _Json(_Fresh):
    def finish(self) -> tuple[str, ...]:
        return self._send(self._lines())

    def _lines(self) -> Iterator[str]:
        before = "[\n"
        for label, numbers in self._rows():
            head = {"name": label} if self._named else {}
            row = {**head, **dict(zip(self._layout.names, numbers, strict=True))}
            yield before + json.dumps(row)
            before = ",\n"
        yield "\n]\n"


class _Yaml(_Fresh):
    def finish(self) -> tuple[str, ...]:
        return self._send(self._lines())

    def _lines(self) -> Iterator[str]:
        for label, numbers in self._rows():
            members = [f"name: {yaml_text(label)}"] if self._named else []
            for name, number in zip(self._layout.names, numbers, strict=True):
                members.append(f"{name}: {yaml_number(number)}")
            yield f"- {{{', '.join(members)}}}\n"


def yaml_number(value: float) -> str:
    """A number that every version of yaml reads as one: in 1.1 a text is 1e-05, not 1.0e-05."""
    text = repr(value)
    if not np.isfinite(value):
        return text.replace("nan", ".nan").replace("inf", ".inf")
    return text if "." in text else text.replace("e", ".0e")


def yaml_text(label: str | None) -> str:
    """A name as yaml writes it.

    Raises:
        UsageError: It is no UTF-8, which yaml has to be.
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
        vector = "com" if self._layout.has_com else "first_moment"
        shapes = {"mass": (rows,), vector: (rows, 3), "inertia": (rows, 3, 3)}
        with zipfile.ZipFile(self.stream, "w", allowZip64=True) as target:
            for name, shape in shapes.items():
                with _member(target, name) as stream:
                    _write_header(stream, shape, np.dtype("<f8"))
                    for values in self.spool.values():
                        part = values[:, _COLUMNS[name]]
                        array = _shaped(part, (len(part), *shape[1:]))
                        stream.write(np.ascontiguousarray(array).tobytes())
            if self._named:
                dtype = np.dtype(f"<U{self.spool.longest}")
                with _member(target, "name") as stream:
                    _write_header(stream, (rows,), dtype)
                    for label in self.spool.labels():
                        stream.write(np.array([label or ""], dtype=dtype).tobytes())
        return ()


def _member(target: zipfile.ZipFile, name: str) -> IO[bytes]:
    return target.open(zipfile.ZipInfo(f"{name}.npy", _EPOCH), "w", force_zip64=True)


_NEW: dict[str, Callable[[BinaryIO, Spool, Layout], Writer]] = {
    "csv": _Csv,
    "json": _Json,
    "yaml": _Yaml,
    "npz": _Npz,
}
"""The forms in which any table can be written."""
