"""Rules by which every iteration damps its steps and stops, and the two damped Newton loops.

An algorithm states its own limits, as one LineSearch and numbers of steps, beside itself; what is
done with them is written here once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.inertia import tolerances

Counts = npt.NDArray[np.int32]
"""Numbers of iterations, one for each row of a batch."""

Value = Floats | np.float64 | float
"""Value that a step has to lower: one number, or one for each row (n,)."""

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

    def accepts(self, after: Value, before: Value, length: float) -> Mask:
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


def is_flat(after: Value, before: Value) -> Mask:
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


class Equation(Protocol[P]):
    """A semismooth equation, for Newton's method.

    A step is a vector; what it does to a point is the equation's own business.
    """

    def value(self, point: P) -> Floats:
        """Compute the value (k,) that vanishes at a solution."""

    def directions(self, point: P, value: Floats) -> Iterable[Floats | None]:
        """Yield Newton steps to try in turn; None for one that could not be computed."""

    def move(self, point: P, step: Floats) -> P:
        """Make the step."""


def solve_equation(
    equation: Equation[P],
    point: P,
    search: LineSearch,
    *,
    steps: int,
    target: float = 0.0,
    patience: int | None = None,
) -> tuple[P, Floats]:
    """Run damped Newton steps until no step helps.

    Args:
        equation: Equation to solve.
        point: Point to begin at.
        search: Line search of each step, on the norm of the value.
        steps: Steps at most.
        target: Norm of the value at which it counts as solved: its rounding.
        patience: Steps in a row that may fail to halve the norm; None for any number.

    Returns:
        The last point, and the value there.
    """
    value, slow = equation.value(point), 0
    for _ in range(steps):
        norm = float(np.linalg.norm(value))
        if norm <= target or slow == patience:
            break
        steps_found = (
            None if step is None else _search(equation, point, norm, step, search)
            for step in equation.directions(point, value)
        )
        found = next((one for one in steps_found if one is not None), None)
        if found is None:
            break
        point, value = found
        slow = slow + 1 if np.linalg.norm(value) > norm / 2 else 0
    return point, value


def _search(
    equation: Equation[P], point: P, norm: float, step: Floats, search: LineSearch
) -> tuple[P, Floats] | None:
    """Shorten a step until the norm of the value falls; None if it never does."""

    def attempt(length: float) -> tuple[P, Floats] | None:
        trial = equation.move(point, length * step)
        value = equation.value(trial)
        return (
            (trial, value) if search.accepts(float(np.linalg.norm(value)), norm, length) else None
        )

    return search.find(attempt)
