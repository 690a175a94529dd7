"""Indexing of objects that hold a batch of bodies: which rows an index means, and how many."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertial_check.arrays.types import Array, NumpyArray
from inertial_check.errors import RowIndexError


def select_rows(array: Array, index: object, trailing: int) -> Array:
    """The rows of an array at an index of its batch axes; the trailing axes stay whole.

    Args:
        array: (..., k) with as many trailing axes as are said.
        index: Whatever the array library takes as an index of the batch axes; None adds one.
        trailing: Number of axes that belong to one row.

    Raises:
        RowIndexError: There are no such rows, or there is only one body.
    """
    parts: Any = index if isinstance(index, tuple) else (index,)
    names_rows = any(part is not None and part is not Ellipsis for part in parts)
    if array.ndim == trailing and names_rows:
        raise RowIndexError("there is one body, without rows; a batch is an array (n, 10)")
    try:
        return array[(*parts, *[slice(None)] * trailing)]
    except (IndexError, TypeError, ValueError) as error:
        raise RowIndexError(f"index {index!r} names no rows: {error}") from None


def count_rows(shape: tuple[int, ...]) -> int:
    """The length of the first batch axis, for __len__.

    Raises:
        TypeError: There is one body and no batch, as for len() of a number.
    """
    if not shape:
        raise TypeError(
            "one body has no length: the parameters are not batched, as an array (n, 10) is"
        )
    return shape[0]


def describe_counts(words: NumpyArray) -> str:
    """How often each word occurs, for a repr: "2 consistent, 1 inconsistent"."""
    names, counts = np.unique(words, return_counts=True)
    return ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))
