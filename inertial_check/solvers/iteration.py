"""Rules by which every iteration damps its steps and stops, and the two damped Newton loops.

An algorithm states its own limits, as one LineSearch and numbers of steps, beside itself; what is
done with them is written here once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.inertia import tolerances

Counts = npt.NDArray[np.int32]
"""Numbers of iterations, one for each row of a batch."""

P = TypeVar("P")
T = TypeVar("T")

PATIENCE = 4
"""Steps in a row that may fail to improve the answer before an iteration ends: it has stalled."""

BOUNDARY_FRACTION = 0.99
"""Fraction of the way to the boundary of a cone that a step goes: at the boundary none is left."""


@dataclass(frozen=True)
class LineSearch:
    """Backtracking line search: the longest step first, then half of it, and so on.

    Attributes:
        trials: Lengths that are tried at most; below the last, no step in this direction helps.
        decrease: Part of the promised decrease that a step has to bring (Armijo's rule); 0 accepts
            any decrease.
    """

    trials: int
    decrease: float = 0.0

    def lengths(self, longest: float = 1.0) -> Iterator[float]:
        """Yield the lengths to try, in turn."""
        for _ in range(self.trials):
            yield longest
            longest /= 2

    def accepts(self, after: Floats, before: Floats, length: float) -> Mask:
        """Decide whether a value (n,) fell enough by a step of this length."""
        return np.asarray(after < before * (1 - self.decrease * length))

    def find(self, attempt: Callable[[float], T | None], longest: float = 1.0) -> T | None:
        """Return what `attempt` gives for the first length that it accepts; None if for none."""
        found = (attempt(length) for length in self.lengths(longest))
        return next((one for one in found if one is not None), None)

    def find_rows(self, count: int, attempt: Callable[[Integers, float], Mask]) -> None:
        """Search for each row of a batch.

        Args:
            count: Number of rows.
            attempt: Tries a length on some rows, keeps what it finds, and says which accept it.
        """
        rows = np.arange(count)
        for length in self.lengths():
            if not rows.size:
                break
            rows = rows[~attempt(rows, length)]


def is_flat(after: Floats | float, before: Floats | float) -> Mask:
    """Decide whether values differ by no more than the rounding of what they were computed from."""
    rounding = tolerances.SOLVED_FACTOR * tolerances.EPS
    return np.asarray(np.abs(after - before) <= rounding * np.abs(before))


def length_to_boundary(shrinkage: float, fraction: float = BOUNDARY_FRACTION) -> float:
    """Return the length of a step, at most 1, that stays inside a cone.

    Args:
        shrinkage: Inverse of the length at which the step meets the boundary; 0 for never.
        fraction: Fraction of the way to the boundary that the step may go.
    """
    return 1.0 if shrinkage <= fraction else fraction / shrinkage


def iterate_rows(
    rows: Integers, count: int, most: int, advance: Callable[[Integers], Mask]
) -> Counts:
    """Iterate on the rows of a batch, each until it has no further step.

    Args:
        rows: Rows that need any.
        count: Number of rows of the batch.
        most: Steps at most.
        advance: Makes one step on some rows, in place, and says which of them go on.

    Returns:
        (count,) steps of every row, int32.
    """
    steps = np.zeros(count, dtype=np.int32)
    for _ in range(most):
        if not rows.size:
            break
        steps[rows] += 1
        rows = rows[advance(rows)]
    return steps
