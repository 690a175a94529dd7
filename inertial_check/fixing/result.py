"""What `fix` gives back: the new bytes, not yet written, and what was done about each body."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Literal, NamedTuple

from inertial_check.errors import UsageError
from inertial_check.files.writing import replace_file, same_file
from inertial_check.fixing.patch import unified
from inertial_check.model import Action, Source

Three = tuple[float, float, float]
Six = tuple[float, ...]
Layer = Callable[[str], bytes]

FixStatus = Literal[
    "unchanged",
    "fixed",
    "needs-unsafe",
    "no-nearest",
    "not-representable",
    "numerically-zero",
    "malformed",
    "unwritten",
    "expression",
    "shared",
    "negative-mass",
    "massless-with-inertia",
    "non-finite",
    "missing",
    "no-geometry",
    "no-such-cause",
    "cause-without-edit",
    "cause-refused",
    "engine-refused",
]
"""What became of a body; all but unchanged, fixed and missing leave something to do.

unwritten: a number that would have to change is not in the text, as where a default stands in.
expression: a number is computed; the reason says where. shared: what would have to change is used
for something else, too. no-geometry: its shapes, or one of them, give no solid. no-such-cause,
cause-without-edit, cause-refused: the cause that was chosen does not exist, names no number to
write, or leaves the body no better. engine-refused: an engine that was named does not take the
body, and what could be written does not change that."""

INTACT = ("unchanged", "fixed", "missing")
"""Statuses that leave nothing to do, unless an engine says otherwise."""

REFUSALS = ("alter", "replace", "reject", "drop")
"""What an engine does that does not take a body as it is written."""


class EngineActions(NamedTuple):
    """What an engine does with a body before and after a fix, as it is predicted."""

    before: Action
    after: Action


@dataclass(frozen=True)
class BodyFix:
    """What is done about one body.

    Attributes:
        name: As written; can repeat.
        id: Unique in the document.
        line: Where the body begins, 1-based.
        status: See FixStatus.
        reason: One line in words; "" where there is nothing to say.
        old: The six entries as they were, in the inertial's own axes, in the order of
            model.body.ENTRIES [kg m^2]; None without an inertial.
        new: The entries as written, or as --unsafe would write them, in the inertial's own axes,
            which `assign` can turn; None where nothing would be.
        relative_change: ||new - old||_F / ||old||_F of the tensor; where the axes stay, as they do
            under method nearest, that of the principal moments. Infinite where old is zero.
        distance: ||new - old|| in the metric [kg m^2].
        margin_before: mu of the old entries; NaN where there is none.
        margin: mu of the new entries; of the old where there are no new ones.
        file: The included document in which that line is; None for the model's own.
        mass: Old and new [kg]; None where it stays.
        com: Old and new centre of mass in the body frame [m]; None where it stays.
        cause: The name of the cause that was undone; None where none was.
        engines: By the name of each engine that was asked for, what it does with the body.
    """

    name: str
    id: str
    line: int
    status: FixStatus
    reason: str
    old: Six | None
    new: Six | None = None
    relative_change: float = 0.0
    distance: float = 0.0
    margin_before: float = nan
    margin: float = nan
    file: str | None = None
    mass: tuple[float, float] | None = None
    com: tuple[Three, Three] | None = None
    cause: str | None = None
    engines: Mapping[str, EngineActions] = field(default_factory=dict)

    @property
    def intact(self) -> bool:
        """Whether nothing is left to do about it once the new bytes are written."""
        refused = any(each.after in REFUSALS for each in self.engines.values())
        return self.status in INTACT and not refused


@dataclass(frozen=True)
class Fix:
    """A model's document with better numbers in it, not yet written.

    Attributes:
        source: The document as it was read.
        format: "urdf", ...
        data: The new bytes, read and judged again already; equal to the old where nothing changes.
        bodies: What is done about each body that was asked about, in document order.
        others: Included documents in which numbers change, as read, and their new bytes.
        layer: Where no edit reaches a number, as in binary data: by the path to write to, the bytes
            of a document that refers to this one and overrides its numbers. `data` is the one that
            belongs beside it.
    """

    source: Source
    format: str
    data: bytes = field(repr=False)
    bodies: tuple[BodyFix, ...]
    others: tuple[tuple[Source, bytes], ...] = field(default=(), repr=False)
    layer: Layer | None = field(default=None, repr=False)

    @property
    def changed(self) -> bool:
        """Whether any new bytes differ from the old."""
        return bool(self.others) or self.data != self.source.data

    @property
    def complete(self) -> bool:
        """Whether nothing that was asked about stays broken once the new bytes are written."""
        return all(body.intact for body in self.bodies)

    def diff(self) -> str:
        """The change as a unified diff; "" where there is none."""
        if self.layer is not None:
            return "".join(unified(Source(beside(self.source.path), b""), self.data))
        documents = ((self.source, self.data), *self.others)
        return "".join(line for document in documents for line in unified(*document))

    def write(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write the new bytes, whole or not at all.

        Args:
            path: Where to; None for the file that was read, which must still hold the old bytes,
                and is left alone where nothing changes.

        Raises:
            UsageError: There is no such file, it cannot be written, it has changed meanwhile, or
            numbers change in another file than the one that is named.
        """
        own = self.source.path
        target = own if path is None else os.fspath(path)
        if path is None and not os.path.exists(own):
            raise UsageError(f"{own}: not written: there is no such file; name one to write to")
        if self.layer is not None:
            if path is None or same_file(target, own):
                raise UsageError(
                    f"{own}: not written: not all of its numbers stand in a text that is edited; "
                    f"-o {beside(own)} writes a layer over it"
                )
            replace_file(target, self.layer(target))
            return
        if path is not None and self.others:
            raise UsageError(
                f"{target}: not written: the numbers stand in {self.others[0][0].path}, which "
                f"{own} includes; --write changes them there"
            )
        for source, data in self.others:
            replace_file(source.path, data, source.data)
        if path is None and self.data == self.source.data:
            return
        expected = self.source.data if path is None or same_file(target, own) else None
        replace_file(target, self.data, expected)


def beside(path: str) -> str:
    """Where a layer over a document would stand if nobody says where."""
    return f"{os.path.splitext(path)[0]}.fixed.usda"
