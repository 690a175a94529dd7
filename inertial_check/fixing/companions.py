"""Files of weights and priors that go with a table: one entry for all rows, or one for each."""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import BinaryIO, cast

import numpy as np

from inertial_check.documents.spelling import suggest_path
from inertial_check.documents.tables import open_table, sniff_format
from inertial_check.documents.tables.arrays import Archive, ArrayStream, as_float64
from inertial_check.documents.tables.reading import Block, Layout, TableReader
from inertial_check.errors import DocumentError, ParameterError
from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.inertia.representations import Order, Point, reorder
from inertial_check.inertia.tolerances import OWN_PRIOR_MARGIN
from inertial_check.projection.metrics import read_prior, read_weights
from inertial_check.projection.project import project

SELF = "self"
"""Word in place of a file of priors: every body is its own prior."""

_WEIGHTS = ("weights", "W")
"""Names of the array of weights in an npz file that holds others, too."""

_MATRIX_ROWS = 10
"""Number of rows of a table of weights that is one matrix."""


class Companion(ABC):
    """Gives the weights or priors of each block of a table."""

    @abstractmethod
    def read_for(self, block: Block, theta: Floats) -> Floats:
        """Read what goes with the rows of a block, as `inertial_check.project` takes it.

        Args:
            block: The block.
            theta: (n, 10) parameters of its rows.

        Raises:
            ParameterError: The numbers are no weights or no prior; names the file and the row.
            DocumentError: The file ends before the table does.
        """

    def finish(self) -> None:  # noqa: B027 - shared values end with any table
        """Check that the file ends with the table; by default there are no rows to be left over.

        Raises:
            DocumentError: The file has more rows than the table.
        """


def open_prior(
    stack: ExitStack, path: str | None, about: Point, layout: Layout
) -> Companion | None:
    """Open the priors of a table's rows.

    Args:
        stack: Closes the file in the end.
        path: A table of one row or of as many as the table has; SELF for the bodies themselves.
        about: The point of both tables.
        layout: Layout of the table; bare numbers of the prior are in its order.

    Raises:
        DocumentError: The file is no table.
    """
    if path is None:
        return None
    if path == SELF:
        return _SelfPrior(layout.order, about)
    stream = open_input(stack, path)
    single = _count_rows(stream, path, layout.order, 2) == 1
    reader = open_table(stream, path, layout.order)

    def check(theta: Floats) -> object:
        return read_prior(theta, layout.order, about, theta.shape[:1])

    def theta_of(block: Block) -> Floats:
        theta = reader.layout.theta(block.values)
        return np.asarray(reorder(theta, reader.layout.order, layout.order))

    return _RowCompanion(path, reader, theta_of, check, single)


def open_weights(stack: ExitStack, path: str | None, layout: Layout) -> Companion | None:
    """Open the weights of a table's rows, on theta in the order of the table.

    Args:
        stack: Closes the file in the end.
        path: (10,), (10, 10), (n, 10) or (n, 10, 10) in npy or npz, or rows of ten in a table. Ten
            rows are a matrix. They go by their names, or by the sequence of the table's columns.
        layout: Layout of the table.

    Raises:
        DocumentError: The file holds no weights; names the shape.
    """
    if path is None:
        return None
    stream = open_input(stack, path)
    form = sniff_format(stream.read(2**16), path)
    stream.seek(0)
    if form in ("npz", "npy"):
        return _open_array_weights(stream, path, form, layout)
    count = _count_rows(stream, path, layout.order, _MATRIX_ROWS + 1)
    reader = open_table(stream, path, layout.order)
    if reader.layout.has_com:
        reason = "weights act on the first moment: call their columns hx hy hz"
        raise DocumentError(path, reason)
    own = reader.layout

    def reorder_columns(values: Floats) -> Floats:
        if own.named:
            return np.asarray(reorder(values, "urdf", layout.order))
        return values[:, np.argsort(layout.sequence)]

    if count == _MATRIX_ROWS:
        values = next(reader.blocks(_MATRIX_ROWS)).values
        if own.named:  # the rows are in the sequence of the columns, which alone carry names
            values = values[np.argsort(own.sequence)]
        return _SharedWeights(path, reorder_columns(reorder_columns(values).T).T, layout.order)

    def check(values: Floats) -> object:
        return read_weights(_diagonal(values), layout.order, values.shape[:1])

    return _RowCompanion(
        path, reader, lambda block: reorder_columns(block.values), check, count == 1, _diagonal
    )


def open_input(stack: ExitStack, path: str) -> BinaryIO:
    """Open a file for reading more than once.

    Raises:
        DocumentError: The file cannot be opened.
    """
    try:
        stream = stack.enter_context(open(path, "rb"))  # noqa: SIM115 - the stack closes it
    except OSError as error:
        hint = suggest_path(path) if isinstance(error, FileNotFoundError) else ""
        raise DocumentError(path, (error.strerror or str(error)).lower() + hint) from None
    return stream if stream.seekable() else copy_to_disk(stack, stream)


def copy_to_disk(stack: ExitStack, stream: BinaryIO) -> BinaryIO:
    """Copy what comes through a pipe to a temporary file, and return that at its beginning."""
    temporary = tempfile.TemporaryFile()  # noqa: SIM115 - the stack closes it
    copy = cast("BinaryIO", stack.enter_context(temporary))  # on Windows a wrapper of one
    shutil.copyfileobj(stream, copy)
    copy.seek(0)
    return copy


def row_name(path: str, block: Block, row: int) -> str:
    """Name a row in messages: the file, the line where it has one, the number and the name."""
    line = block.line(row)
    place = path if line is None else f"{path}:{line}"
    label = block.labels[row]
    return f"{place}: row {block.first + row + 1}" + ("" if label is None else f" [{label}]")


def _refused_row_error(path: str, block: Block, check: Callable[[slice], object]) -> ParameterError:
    """Make the error of the first row that a check refuses."""

    def refuses(count: int) -> bool:
        try:
            check(slice(0, count))
        except ParameterError:
            return True
        return False

    # All rows together are refused, so that the last one is to blame if no fewer rows are.
    row = bisect_left(range(1, len(block.values)), True, key=refuses)
    try:
        check(slice(row, row + 1))
    except ParameterError as error:
        reason = str(error).replace(" of body 0", "")
        return ParameterError(f"{row_name(path, block, row)}: {reason}")
    return ParameterError(f"{path}: rows that pass one by one, and not together")


class _SelfPrior(Companion):
    """Priors that are the bodies of the table themselves, with a margin.

    A row that has no such body is a prior of none, and has no nearest if it has to move.
    """

    def __init__(self, order: Order, about: Point) -> None:
        self._order, self._about = order, about

    def read_for(self, block: Block, theta: Floats) -> Floats:
        found = project(theta, order=self._order, about=self._about, margin=OWN_PRIOR_MARGIN)
        return np.asarray(found.theta)


class _SharedWeights(Companion):
    """Weights that hold for all rows."""

    def __init__(self, path: str, values: Floats, order: Order) -> None:
        self._values = values
        try:
            read_weights(values, order, ())
        except ParameterError as error:
            raise ParameterError(f"{path}: {error}") from None

    def read_for(self, block: Block, theta: Floats) -> Floats:
        return self._values


class _RowCompanion(Companion):
    """Rows of another table, one for each row of the first or one for all.

    Args:
        path: The file of the other table.
        reader: Its reader.
        values_of: Converts a block to weights or priors.
        check: Raises ParameterError if some of them are bad.
        single: Whether the other table has one row, for all.
        as_given: Converts them to what the projection takes.
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
        self._one: Floats | None = None
        if single:
            self._one = np.asarray(self._check_block(next(reader.blocks(1)))[0])

    def read_for(self, block: Block, theta: Floats) -> Floats:
        if self._one is not None:
            return self._one
        if self._blocks is None:
            blocks = self._reader.blocks(len(theta))  # blocks of both tables begin at the same rows
            self._blocks = (each for each in blocks if len(each.values))
        own = next(self._blocks, None)
        if own is None or len(own.values) < len(theta):
            count = block.first + (0 if own is None else len(own.values))
            raise self._mismatch(f"{count}, and the table has more")
        if len(own.values) > len(theta):
            raise self._mismatch(f"more than the table's {block.first + len(theta)}")
        return self._as_given(self._check_block(own))

    def finish(self) -> None:
        if self._blocks is not None and next(self._blocks, None) is not None:
            raise self._mismatch("more than the table")

    def _check_block(self, block: Block) -> Floats:
        values = self._values_of(block)
        try:
            self._check(values)
        except ParameterError:
            check = lambda rows: self._check(values[rows])  # noqa: E731 - used once
            raise _refused_row_error(self._path, block, check) from None
        return values

    def _mismatch(self, found: str) -> DocumentError:
        return DocumentError(self._path, f"rows: {found}; expected one, or as many as the table")


def _diagonal(values: Floats) -> Floats:
    """Turn diagonals (n, 10) into matrices, since ten of them would be taken for one matrix."""
    if values.ndim == 3:
        return values
    return np.where(np.eye(10, dtype=bool), values[:, :, None], 0.0)


def _count_rows(stream: BinaryIO, path: str, order: Order, most: int) -> int:
    """Count the rows of a table up to a number; the stream is left at its beginning."""
    reader = open_table(stream, path, order)
    count = len(next(reader.blocks(most)).values)
    stream.seek(0)
    return count


def _open_array_weights(stream: BinaryIO, path: str, form: str, layout: Layout) -> Companion:
    """Open the weights in an npz or npy file."""
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
    allowed = (10,), (10, 10), (*shape[:1], 10), (*shape[:1], 10, 10)
    if dtype.kind not in "fiu" or shape not in allowed:
        raise DocumentError(
            path,
            f"weights are {dtype} of shape {shape}, expected real numbers of shape (10,), "
            "(10, 10), or one of those for each row",
        )
    if shape in ((10,), (1, 10), (10, 10)):
        whole = as_float64(array.take(array.rows))
        values = whole.reshape(10, -1) if shape == (10, 10) else whole.reshape(10)
        values = values[position]
        return _SharedWeights(
            path, values[:, position] if values.ndim == 2 else values, layout.order
        )
    return _RowCompanion(
        path,
        _ArrayRows(path, array),
        lambda block: _permute(block.values, position),
        lambda values: read_weights(_diagonal(values), layout.order, values.shape[:1]),
        False,
        _diagonal,
    )


def _permute(values: Floats, position: Integers) -> Floats:
    values = values[..., position]
    return values[:, position] if values.ndim == 3 else values


class _ArrayRows(TableReader):
    """Reads the rows of an array of weights."""

    def __init__(self, path: str, array: ArrayStream) -> None:
        self.path, self._array = path, array

    def blocks(self, rows: int) -> Iterator[Block]:
        """Read the rows in their order, so many at a time."""
        for first in range(0, self._array.rows, rows):
            values = as_float64(self._array.take(rows))
            yield Block(first, values, [None] * len(values))
