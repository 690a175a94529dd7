"""Result of a fix: the new bytes, not yet written, their diff, and what was done for each body."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import Literal, NamedTuple

from inertial_check.checking.report import Action, RemedySource
from inertial_check.documents.escaping import quote_path
from inertial_check.documents.files.writing import (
    WritableFolders,
    check_replaceable,
    replace_file,
    same_file,
)
from inertial_check.documents.source import Edit, Source
from inertial_check.errors import UsageError
from inertial_check.inertia.arrays import EqualByValue, describe_counts
from inertial_check.inertia.notebook import (
    MOST_ROWS,
    color_word,
    escape_text,
    write_box,
    write_number,
    write_table,
)

Three = tuple[float, float, float]
Six = tuple[float, ...]
Matrix = tuple[tuple[float, ...], ...]

LayerWriter = Callable[[str], bytes]
"""Function that gives the bytes of a layer over a document for the path it will be written to."""

FixStatus = Literal[
    "unchanged",
    "fixed",
    "needs-unsafe",
    "no-nearest",
    "not-representable",
    "numerically-zero",
    "digits-lost",
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
    "overridden",
    "withheld",
]
"""Outcome of a fix for one body; all but unchanged, fixed and missing leave something to do.

digits-lost: so few digits are printed that the nearest tensor would be a guess. unwritten: a number
that would have to change is not in the text, for example a default value.
expression: a number is computed; the reason says where. shared: a number that would have to change
is used elsewhere, too. no-geometry: its shapes, or one of them, are not solid. no-such-cause,
cause-without-edit, cause-refused: the chosen cause does not exist, names no number to write, or
leaves the body no better. engine-refused: an engine that was named does not accept the body, and
nothing that could be written changes that. overridden: a setting of the document has its engine use
other numbers than those that would be written. withheld: it could be written, but another body of
the same answer could not, and all or none were asked for."""

INTACT = ("unchanged", "fixed", "missing")
"""Statuses that leave nothing to do, unless an engine refuses the body."""

REFUSALS = ("alter", "replace", "reject", "drop")
"""Actions of an engine that does not simulate a body as it is written."""


class EngineActions(NamedTuple):
    """Predicted action of an engine on a body before and after a fix."""

    before: Action
    after: Action


@dataclass(frozen=True, eq=False, repr=False)
class BodyFix(EqualByValue):
    """Result of a fix for one body.

    Attributes:
        name: Name as written; names can repeat.
        id: Unique in the document.
        line: Line on which the body begins, 1-based.
        status: See FixStatus.
        reason: Explanation in one line; "" where there is nothing to explain.
        old: The six entries before, in the inertial's own axes, in the order of model.body.ENTRIES
            [kg m^2]; None without an inertial.
        new: The six entries after, as written, or as --unsafe would write them, in the inertial's
            own axes, which write_parameters can turn; None where nothing would be written.
        relative_change: ||new - old||_F / ||old||_F of the tensor; where the axes stay, as they do
            under method nearest, that of the principal moments. Infinite where old is zero.
        distance: ||new - old|| in the metric [kg m^2].
        margin_before: Margin mu of the old entries; NaN where they have none.
        margin: Margin mu of the new entries; that of the old where there are no new ones.
        file: The included document that holds the line; None for the model's own document.
        mass: Old and new mass [kg]; None where it stays.
        com: Old and new centre of mass in the body frame [m]; None where it stays.
        cause: Name of the cause that was undone; None where none was.
        source: Source of the new numbers, where they are those of a remedy; see
            checking.report.Remedy.
        confidence: Probability that they were meant.
        added_mass: Added mass of the fluid before and after, 6x6 by rows; None where it stays.
        remarks: Remarks at the end of the reason that do not speak of a change.
        engines: By name of each requested engine, its action on the body before and after.
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
    source: RemedySource | None = None
    confidence: float | None = None
    added_mass: tuple[Matrix, Matrix] | None = None
    remarks: tuple[str, ...] = field(default=(), repr=False)
    engines: Mapping[str, EngineActions] = field(default_factory=dict)

    @property
    def intact(self) -> bool:
        """Whether the body needs no further work once the new bytes are written."""
        refused = any(each.after in REFUSALS for each in self.engines.values())
        return self.status in INTACT and not refused


@dataclass(frozen=True, eq=False, repr=False)
class Fix(EqualByValue):
    """A model's document with corrected numbers, not yet written.

    Attributes:
        source: The document as it was read.
        format: "urdf", ...
        data: The new bytes, which have been read and judged again; the old ones where nothing
            changes.
        bodies: Result for each requested body, in document order.
        others: Included documents in which numbers change, as read, and their new bytes.
        edits: The edits of each body that changes, by its id; empty with a layer.
        layer: Where no edit reaches a number, as in binary data: gives the bytes of a document that
            refers to this one and overrides its numbers, for the path to write to. `data` holds
            those for a path beside the document.
        follow_outside: Whether links and includes may be followed out of the folder of the file
            when it is written.
    """

    source: Source
    format: str
    data: bytes = field(repr=False)
    bodies: tuple[BodyFix, ...]
    others: tuple[tuple[Source, bytes], ...] = field(default=(), repr=False)
    edits: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict, repr=False)
    layer: LayerWriter | None = field(default=None, repr=False)
    follow_outside: bool = False

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        # Show a fix: what it does for each body that needs one, what it leaves first.
        shown = sorted(
            (body for body in self.bodies if body.status != "unchanged"),
            key=lambda body: body.intact,
        )
        columns = ("body", "status", ">change", ">margin before", ">margin after", "reason")
        table = write_table(columns, map(_write_row, shown[:MOST_ROWS]), len(shown), "bodies")
        return write_box(
            "Fix",
            f"{self.source.path} ({self.format}): "
            + (describe_counts([body.status for body in self.bodies]) or "no bodies"),
            *([table] if shown else []),
        )

    @property
    def changed(self) -> bool:
        """Whether the fix changes any byte."""
        return bool(self.others) or self.data != self.source.data

    @property
    def complete(self) -> bool:
        """Whether no requested body stays broken once the new bytes are written."""
        return all(body.intact for body in self.bodies)

    def diff(self) -> str:
        """The change as a unified diff; "" where there is none."""
        if self.layer is not None:
            return "".join(_diff_lines(Source(layer_path(self.source.path), b""), self.data))
        documents = ((self.source, self.data), *self.others)
        return "".join(line for document in documents for line in _diff_lines(*document))

    def write(
        self, path: str | os.PathLike[str] | None = None, writable: WritableFolders | None = None
    ) -> None:
        """Write the new bytes, whole or not at all.

        Args:
            path: File to write; None for the file that was read, which must still hold the old
                bytes, and is not touched where nothing changes.
            writable: The folders in which this file and included ones may be written; None for the
                folder of the file, which no link and no include may leave.

        Raises:
            UsageError: There is no such file, it cannot be written, it has changed since it was
                read, it lies outside, or numbers change in another file than the one that is named.
        """
        writable = self._choose(path, writable)
        for name, data, expected in self._list_writes(path, writable):
            replace_file(name, data, expected, writable)

    def check_write(
        self, path: str | os.PathLike[str] | None = None, writable: WritableFolders | None = None
    ) -> None:
        """Check that `write` would succeed, as far as that shows without writing anything.

        Args:
            path: As for `write`.
            writable: As for `write`.

        Raises:
            UsageError: As for `write`.
        """
        writable = self._choose(path, writable)
        for name, _, expected in self._list_writes(path, writable):
            check_replaceable(name, expected, writable)

    def _choose(
        self, path: str | os.PathLike[str] | None, writable: WritableFolders | None
    ) -> WritableFolders:
        """Choose the folders that may be written, where the caller names none."""
        if writable is not None:
            return writable
        own = self.source.path
        writable = (
            WritableFolders.around([os.path.join(os.path.dirname(own), os.curdir)])
            if path is None
            else WritableFolders()
        )
        return replace(writable, follow_outside=self.follow_outside)

    def _list_writes(
        self, path: str | os.PathLike[str] | None, writable: WritableFolders
    ) -> list[tuple[str, bytes, bytes | None]]:
        """List the files to write: path, new bytes, and the bytes that it must still hold.

        Raises:
            UsageError: There is no such file, one lies outside, or numbers change in another file
                than the one that is named.
        """
        own = self.source.path
        target = own if path is None else os.fspath(path)
        if path is None and not os.path.exists(own):
            raise UsageError(f"{own}: not written: there is no such file; name one to write to")
        if self.layer is not None:
            if path is None or same_file(target, own):
                raise UsageError(
                    f"{own}: not written: not all of its numbers are text that can be edited; "
                    f"-o {layer_path(own)} writes a layer over it"
                )
            return [(target, self.layer(target), None)]
        if path is not None and self.others:
            raise UsageError(
                f"{target}: not written: the numbers are in {self.others[0][0].path}, which "
                f"{own} includes; --write changes them there"
            )
        unchanged = path is None and self.data == self.source.data
        for name in [source.path for source, _ in self.others] + [target] * (not unchanged):
            writable.resolve(name)  # all of them before one is written
        found: list[tuple[str, bytes, bytes | None]] = [
            (source.path, data, source.data) for source, data in self.others
        ]
        if not unchanged:
            expected = self.source.data if path is None or same_file(target, own) else None
            found.append((target, self.data, expected))
        return found


def layer_path(path: str) -> str:
    """Default path of a layer over the document at a path."""
    return f"{os.path.splitext(path)[0]}.fixed.usda"


def _diff_lines(source: Source, data: bytes) -> Iterator[str]:
    """The lines of a unified diff that `git apply` takes, in the document's own encoding."""
    from difflib import unified_diff

    if data == source.data:
        return
    before, after = (_split_lines(source, version) for version in (source.data, data))
    name = source.path.replace(os.sep, "/").lstrip("/")
    sides = quote_path(f"a/{name}"), quote_path(f"b/{name}")
    for line in unified_diff(before, after, *sides):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _split_lines(source: Source, data: bytes) -> list[str]:
    """A document's lines, as diff and patch see them: LF ends a line, a CR before it stays.

    In a document whose lines end with a lone CR, which a terminal would print over each other, that
    is shown as LF.
    """
    text = data[len(source.bom) :].decode(source.encoding, "backslashreplace")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _write_row(body: BodyFix) -> tuple[str, ...]:
    change = f"{100 * body.relative_change:.3g} %" if body.new is not None else "\N{EN DASH}"
    return (
        escape_text(body.name),
        color_word(body.status, "good" if body.intact else "bad"),
        change,
        write_number(body.margin_before),
        write_number(body.margin),
        escape_text(body.reason, 110),
    )
