"""Result of filling a model: new inertials, how sure they are, and the document with them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from inertial_check.arrays.equality import EqualByValue
from inertial_check.errors import RowIndexError
from inertial_check.files.writing import WritableFolders
from inertial_check.filling.intervals import BodyInterval
from inertial_check.fixing.result import Fix
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.solvers.certificate import Certificate

FillStatus = Literal["filled", "no-shape", "unwritten", "refused", "withheld"]
"""Outcome for one body. no-shape: nothing of it has a volume. unwritten: its document cannot hold
the numbers; the reason says why. refused: check has an error or a doubt about the new numbers,
or the shapes cannot hold the mass that the document states.
withheld: it could be written, but another body of the model could not."""

GUESS = 3.0
"""Ratio of the largest possible mass to the least, above which a mass is called a guess."""


@dataclass(frozen=True, eq=False)
class FilledBody(EqualByValue):
    """Result for one body.

    Attributes:
        name: Name as written; names can repeat.
        id: Unique in the document.
        line: Line on which the body begins, 1-based.
        status: See FillStatus.
        reason: Explanation in one line: why it was filled, or why not.
        source: Where the numbers come from: shapes, and density.
        parameters: The new numbers, about the centre of mass; None where there are none.
        density: Mean density of the shapes [kg/m^3]; None without numbers.
        interval: What bounds and sums allow; None without numbers.
        guess: Whether the shapes are a guess, not all of them could be used, or the mass may be
            several times as large.
        remarks: One line for each shape that was skipped or taken for something else.
    """

    name: str
    id: str
    line: int
    status: FillStatus
    reason: str
    source: str = ""
    parameters: InertialParameters | None = None
    density: float | None = None
    interval: BodyInterval | None = None
    guess: bool = False
    remarks: tuple[str, ...] = ()


def _is_place(index: object, count: int) -> bool:
    return isinstance(index, int) and -count <= index < count


@dataclass(frozen=True, eq=False, repr=False)
class Filling(EqualByValue):
    """A model with new inertials, not yet written.

    Attributes:
        fix: The new bytes, which have been read and checked again; the old ones where nothing is
            written.
        bodies: Result for each body that was to be filled, in the order of the model.
        certificate: Residuals and gap of the densities; None where there was nothing to solve.
        notes: What holds for the whole model, one line each.
    """

    fix: Fix = field(repr=False)
    bodies: tuple[FilledBody, ...]
    certificate: Certificate | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show the document, and how many bodies have each status."""
        words = Counter(body.status for body in self.bodies)
        found = ", ".join(f"{count} {word}" for word, count in words.items()) or "no bodies"
        return f"Filling({self.fix.source.path!r}: {found})"

    def __len__(self) -> int:
        """How many bodies were to be filled."""
        return len(self.bodies)

    def __bool__(self) -> bool:
        """True, also where no body was to be filled: `changed` and `complete` say what was done."""
        return True

    def __getitem__(self, index: int | str) -> FilledBody:
        """The result for a body, by its place or its name.

        Raises:
            RowIndexError: There is no such body.
        """
        names = [body.name for body in self.bodies]
        known = index in names if isinstance(index, str) else _is_place(index, len(names))
        if not known:
            raise RowIndexError(f"no body {index!r} was to be filled; there are {len(names)}")
        return self.bodies[names.index(index) if isinstance(index, str) else index]

    def __iter__(self) -> Iterator[FilledBody]:
        """Over the bodies that were to be filled."""
        return iter(self.bodies)

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table of masses with their intervals."""
        from inertial_check.filling._notebook import show_filling  # notebooks only

        return show_filling(self)

    @property
    def changed(self) -> bool:
        """Whether any byte changes."""
        return self.fix.changed

    @property
    def complete(self) -> bool:
        """Whether every body that was to be filled is."""
        return all(body.status == "filled" for body in self.bodies)

    @property
    def follow_outside(self) -> bool:
        """Whether links and includes may be followed out of the folder of the file."""
        return self.fix.follow_outside

    def diff(self) -> str:
        """The change as a unified diff; "" where there is none."""
        return self.fix.diff()

    def write(
        self,
        path: str | os.PathLike[str] | None = None,
        writable: WritableFolders | None = None,
    ) -> None:
        """Write the new bytes, whole or not at all; as fixing.result.Fix.write.

        Raises:
            UsageError: They cannot be written.
        """
        self.fix.write(path, writable)
