"""Rows of a solver's result, so that a Projection can be indexed like the batch that it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from inertial_check.arrays.rows import select_rows
from inertial_check.arrays.types import Array, NumpyArray
from inertial_check.projection._rows import Rows
from inertial_check.projection.solver_result import RowFailure, SolverResult


def select_result(rows: Rows, result: SolverResult, index: object) -> tuple[Rows, SolverResult]:
    """The part of a solver's result that belongs to some rows of the batch.

    Args:
        rows: Which rows of the whole batch had to move.
        result: The result for them.
        index: Index of the batch axes.

    Returns:
        The same for the rows at the index. Measures and certificates are still computed from the
        whole problem, when they are asked for.
    """
    mask = select_rows(rows.mask, index, 0)
    places: Any = index
    if isinstance(rows.mask, (np.ndarray, np.generic)):
        # NumPy results hold the moved rows alone, one after another: find where those are.
        mask = np.asarray(mask)
        numbers = np.full(np.shape(rows.mask), -1, dtype=np.int64)
        numbers[rows.mask] = np.arange(np.count_nonzero(rows.mask))
        places = select_rows(numbers, index, 0)[mask]
    return Rows(mask), replace(result, **_select_fields(result, places))


def _select_fields(result: SolverResult, places: object) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for name in (each.name for each in fields(result)):
        value = getattr(result, name)
        if name == "problem":
            chosen[name] = None  # it is that of all rows
        elif name == "failures":
            chosen[name] = _select_failures(value, np.asarray(places).reshape(-1)) if value else ()
        elif callable(value):
            chosen[name] = partial(_select_values, value, places)
        elif hasattr(value, "shape") and value.shape:
            chosen[name] = value[places]
    return chosen


def _select_failures(
    failures: tuple[RowFailure, ...], places: NumpyArray
) -> tuple[RowFailure, ...]:
    """Select the failures of some rows, numbered as these are."""
    return tuple(
        failure._replace(row=int(row))
        for failure in failures
        for row in np.flatnonzero(places == failure.row)
    )


def _select_values(
    function: Callable[..., tuple[Array, ...]], places: object, *arguments: object
) -> tuple[Array, ...]:
    """Compute the measures of all rows, and take those of some; a named tuple keeps its type."""
    values = function(*arguments)
    chosen = [value[places] if getattr(value, "shape", ()) else value for value in values]
    return type(values)(*chosen)
