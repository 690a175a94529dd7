"""Weights and priors that stand in files beside a table: one for all rows, or one for each."""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError, ParameterError
from inertial_check.formats.archives import Archive, ArrayStream
from inertial_check.formats.tables import Block, Layout, TableReader, open_table, sniff_format
from inertial_check.inertia.consistency import Verdict, check
from inertial_check.inertia.representations import Order, Point, reorder
from inertial_check.projection.closed_form import BALL, needs_projection
from inertial_check.projection.given import read_prior, read_weights
from inertial_check.projection.priors import from_body

SELF = "self"
"""In place of a file of priors: every body is its own."""

_WEIGHTS = ("weights", "W")
_MATRIX_ROWS = 10


class Own(NamedTuple):
    """A table whose bodies are their own priors.

    Attributes:
        path: What it is called.
        margin: That its rows shall have; those that have it need no prior.
    """

    path: str
    margin: float


class Companion(ABC):
    """Gives each block of a table what its rows need."""

    @abstractmethod
    def beside(self, block: Block, theta: Floats) -> Any:
        """What goes with the rows of a block, as `inertial_check.project` takes it.

        Args:
            block: The block.
            theta: (n, 10) of its rows.

        Raises:
            ParameterError: It is no such thing; names the file and the row.
            DocumentError: Its file ends before the table does.
        """

    @abstractmethod
    def finish(self) -> None:
        """Look whether all of it was needed.

        Raises:
            DocumentError: There is more of it than of the table.
        """


def prior(
    stack: ExitStack, path: str | None, own: Own, about: Point, layout: Layout
) -> Companion | None:
    """The priors of a table's rows.

    Args:
        stack: Closes the file.
        path: A table of one row or of as many as there are; SELF for the bodies themselves.
        own: The table, for that.
        about: The point of both tables.
        layout: Of the table; bare numbers of the prior are in its order.

    Raises:
        DocumentError: The file is no table.
    """
    if path is None:
        return None
    if path == SELF:
        return _Own(own, layout.order, about)
    stream = opened(stack, path)
    single = _count(stream, path, layout.order, 2) == 1
    reader = open_table(stream, path, layout.order)

    def check(theta: Floats) -> object:
        return read_prior(theta, layout.order, about, theta.shape[:1])

    def theta_of(block: Block) -> Floats:
        theta = reader.layout.theta(block.values)
        return np.asarray(reorder(theta, reader.layout.order, layout.order))

    return _Rows(path, reader, theta_of, check, single)


def weights(stack: ExitStack, path: str | None, layout: Layout) -> Companion | None:
    """The weights of a table's rows, on theta in the order of the table.

    Args:
        stack: Closes the file.
        path: (10,), (10, 10), (n, 10) or (n, 10, 10) in npy or npz, or rows of ten in a table. Ten
            rows are a matrix. They go by their names, or by the sequence of the table's columns.
        layout: Of the table.

    Raises:
        DocumentError: The file holds no weights; names the shape.
    """
    if path is None:
        return None
    stream = opened(stack, path)
    form = sniff_format(stream.read(2**16), path)
    stream.seek(0)
    if form in ("npz", "npy"):
        return _array_weights(stream, path, form, layout)
    count = _count(stream, path, layout.order, _MATRIX_ROWS + 1)
    reader = open_table(stream, path, layout.order)
    if reader.layout.has_com:
        reason = "weights act on the first moment: call their columns hx hy hz"
        raise DocumentError(path, reason)
    own = reader.layout

    def in_order(values: Floats) -> Floats:
        if own.named:
            return np.asarray(reorder(values, "urdf", layout.order))
        return values[:, np.argsort(layout.sequence)]

    if count == _MATRIX_ROWS:
        values = next(reader.blocks(_MATRIX_ROWS)).values
        if own.named:  # as its columns are, though only they carry names
            values = values[np.argsort(own.sequence)]
        return _One(path, in_order(in_order(values).T).T, layout.order)

    def check(values: Floats) -> object:
        return read_weights(_diagonal(values), layout.order, values.shape[:1])

    return _Rows(path, reader, lambda block: in_order(block.values), check, count == 1, _diagonal)


def opened(stack: ExitStack, path: str) -> BinaryIO:
    """A file to read, from which one can read again.

    Raises:
        DocumentError: It cannot be opened.
    """
    try:
        stream = stack.enter_context(open(path, "rb"))  # noqa: SIM115 - the stack closes it
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None
    return stream if stream.seekable() else copied(stack, stream)


def copied(stack: ExitStack, stream: BinaryIO) -> BinaryIO:
    """A copy on the disk of what comes through a pipe, at its beginning."""
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    shutil.copyfileobj(stream, copy)
    copy.seek(0)
    return copy


def row_name(path: str, block: Block, row: int) -> str:
    """What messages call a row: the file, its line where it has one, its number and its name."""
    line = block.line(row)
    place = path if line is None else f"{path}:{line}"
    label = block.labels[row]
    return f"{place}: row {block.first + row + 1}" + ("" if label is None else f" [{label}]")


def blamed(check: Callable[[slice], object], rows: int) -> int:
    """The first of some rows that a check refuses, which all together it does.

    Args:
        check: Raises ParameterError for rows of which one is bad.
        rows: How many there are.
    """
    low, high = 0, rows
    while high - low > 1:
        middle = (low + high) // 2
        try:
            check(slice(low, middle))
        except ParameterError:
            high = middle
        else:
            low = middle
    return low


def explained(path: str, block: Block, check: Callable[[slice], object]) -> ParameterError:
    """What a check says of the first row that it refuses."""
    row = blamed(check, len(block.values))
    try:
        check(slice(row, row + 1))
    except ParameterError as error:
        reason = str(error).replace(" of body 0", "")
        return ParameterError(f"{row_name(path, block, row)}: {reason}")
    return ParameterError(f"{path}: rows that pass one by one, and not together")


class _Own(Companion):
    """Every body as its own prior."""

    def __init__(self, own: Own, order: Order, about: Point) -> None:
        self._own, self._order, self._about = own, order, about

    def beside(self, block: Block, theta: Floats) -> Any:
        # Rows that stay as they are need no prior, and may have none: point masses, nan.
        theta = np.where(self._moves(theta), theta, reorder(np.array(BALL), "urdf", self._order))
        try:
            return from_body(theta, self._order, self._about)
        except ParameterError:
            raise explained(
                self._own.path,
                block,
                lambda rows: from_body(theta[rows], self._order, self._about),
            ) from None

    def _moves(self, theta: Floats) -> Any:
        """(n, 1) rows that have to move."""
        judged = check(theta, order=self._order, about=self._about)
        few = needs_projection(judged, self._own.margin)
        finite = np.all(np.isfinite(theta), axis=1)
        impossible = judged.verdict_code == int(Verdict.INVALID)
        return np.asarray(finite & (few | impossible))[:, None]

    def finish(self) -> None:
        pass


class _One(Companion):
    """One matrix of weights for all rows."""

    def __init__(self, path: str, values: Floats, order: Order) -> None:
        self._values = values
        try:
            read_weights(values, order, ())
        except ParameterError as error:
            raise ParameterError(f"{path}: {error}") from None

    def beside(self, block: Block, theta: Floats) -> Any:
        return self._values

    def finish(self) -> None:
        pass


class _Rows(Companion):
    """Rows of another table, one for each row of the first or one for all.

    Args:
        path: The file.
        reader: That reads it.
        values_of: What a block of it means.
        check: Raises ParameterError if that is bad.
        single: Whether it has one row, for all.
        as_given: Makes of it what goes with the rows of a block.
    """

    def __init__(
        self,
        path: str,
        reader: TableReader,
        values_of: Callable[[Block], Floats],
        check: Callable[[Floats], object],
        single: bool,
        as_given: Callable[[Floats], Floats] = lambda values: values,
    ) -> None:
        self._path, self._reader = path, reader
        self._values_of, self._check, self._as_given = values_of, check, as_given
        self._blocks: Iterator[Block] | None = None
        self._one = self._checked(next(reader.blocks(1)))[0] if single else None

    def beside(self, block: Block, theta: Floats) -> Any:
        if self._one is not None:
            return self._one
        if self._blocks is None:
            blocks = self._reader.blocks(len(theta))  # so that theirs begin where the table's do
            self._blocks = (each for each in blocks if len(each.values))
        own = next(self._blocks, None)
        if own is None or len(own.values) < len(theta):
            count = block.first + (0 if own is None else len(own.values))
            raise self._mismatch(f"{count}, and the table has more")
        if len(own.values) > len(theta):
            raise self._mismatch(f"more than the table's {block.first + len(theta)}")
        return self._as_given(self._checked(own))

    def finish(self) -> None:
        if self._blocks is not None and next(self._blocks, None) is not None:
            raise self._mismatch("more than the table")

    def _checked(self, block: Block) -> Floats:
        values = self._values_of(block)
        try:
            self._check(values)
        except ParameterError:
            check = lambda rows: self._check(values[rows])  # noqa: E731 - used once
            raise explained(self._path, block, check) from None
        return values

    def _mismatch(self, found: str) -> DocumentError:
        return DocumentError(self._path, f"rows: {found}; expected one, or as many as the table")


def _diagonal(values: Floats) -> Floats:
    """Diagonals (n, 10) as matrices: ten of them would be taken for one; matrices as they are."""
    return values if values.ndim == 3 else np.asarray(values[:, :, None] * np.eye(10))


def _count(stream: BinaryIO, path: str, order: Order, most: int) -> int:
    """How many rows a table has, up to a number; the stream is left at its beginning."""
    reader = open_table(stream, path, order)
    count = len(next(reader.blocks(most)).values)
    stream.seek(0)
    return count


def _array_weights(stream: BinaryIO, path: str, form: str, layout: Layout) -> Companion:
    """Weights from an array."""
    if form == "npy":
        array = ArrayStream.of(stream, path, "")
    else:
        archive = Archive(stream, path)
        names = [name for name in _WEIGHTS if name in archive.members] or list(archive.members)
        if len(names) != 1:
            has = ", ".join(archive.members) or "nothing"
            raise DocumentError(path, f"the archive has {has}; expected one array, or weights")
        array = archive.array(names[0])
    shape, dtype = array.header.shape, array.header.dtype
    position = np.argsort(layout.sequence)
    if dtype.kind not in "fiu" or shape not in _shapes(shape):
        raise DocumentError(
            path,
            f"weights are {dtype} of shape {shape}, expected real numbers of shape (10,), "
            "(10, 10), or one of those for each row",
        )
    if shape in ((10,), (1, 10), (10, 10)):
        whole = array.take(array.rows).astype(np.float64)
        values = whole.reshape(10, -1) if shape == (10, 10) else whole.reshape(10)
        values = values[position]
        return _One(path, values[:, position] if values.ndim == 2 else values, layout.order)
    return _Rows(
        path,
        _ArrayRows(path, array),
        lambda block: _permuted(block.values, position),
        lambda values: read_weights(_diagonal(values), layout.order, values.shape[:1]),
        False,
        _diagonal,
    )


def _shapes(shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The shapes that weights can have, of so many rows."""
    rows = shape[:1]
    return (10,), (10, 10), (*rows, 10), (*rows, 10, 10)


def _permuted(values: Floats, position: Any) -> Floats:
    values = values[..., position]
    return values[:, position] if values.ndim == 3 else values


class _ArrayRows(TableReader):
    """The rows of an array of weights."""

    def __init__(self, path: str, array: ArrayStream) -> None:
        self.path, self._array = path, array

    def blocks(self, rows: int) -> Iterator[Block]:
        """The rows in their order, so many at a time."""
        for first in range(0, self._array.rows, rows):
            values = self._array.take(rows).astype(np.float64)
            yield Block(first, values, [None] * len(values))
