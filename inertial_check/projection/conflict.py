"""Constraints that exclude each other, as a projection reports them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inertial_check.projection._constraint import Constraint


@dataclass(frozen=True)
class Conflict:
    """Irreducible set of constraints that no body meets: without any one of them, some body does.

    It iterates over its constraints, has their number as its length, and prints as a sentence.

    Attributes:
        constraints: The constraints.
        bodies: Rows of the batch that they hold for.
        message: The sentence that names them.
    """

    constraints: tuple[Constraint, ...]
    bodies: tuple[int, ...]
    message: str

    def __len__(self) -> int:
        """Count the constraints."""
        return len(self.constraints)

    def __iter__(self) -> Iterator[Constraint]:
        """Iterate over the constraints."""
        return iter(self.constraints)

    def __getitem__(self, index: int) -> Constraint:
        """Return one of the constraints."""
        return self.constraints[index]

    def __contains__(self, constraint: object) -> bool:
        """Tell whether a constraint is one of them."""
        return any(one is constraint or one == constraint for one in self.constraints)

    def __str__(self) -> str:
        """Write the sentence."""
        return self.message
