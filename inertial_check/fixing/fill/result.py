"""Result of filling a model: new inertials, how sure they are, and the document with them.

The same as records for JSON, and as tables in text, Markdown, HTML and notebooks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.documents.escaping import markdown_code, markdown_text
from inertial_check.documents.files.access import Json
from inertial_check.documents.files.writing import WritableFolders
from inertial_check.documents.model import ENTRIES
from inertial_check.errors import RowIndexError
from inertial_check.fixing.result import Fix
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import EqualByValue, Floats, describe_counts
from inertial_check.inertia.notebook import (
    MOST_ROWS,
    Fragment,
    color_word,
    escape_text,
    write_box,
    write_table,
)
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import six
from inertial_check.projection.svec import Certificate

FillStatus = Literal["filled", "no-shape", "unwritten", "refused", "withheld"]
"""Outcome for one body. no-shape: nothing of it has a volume. unwritten: its document cannot hold
the numbers; the reason says why. refused: check has an error or a doubt about the new numbers,
or the shapes cannot hold the mass that the document states.
withheld: it could be written, but another body of the model could not."""

GUESS = 3.0
"""Ratio of the largest possible mass to the least, above which a mass is called a guess."""


class BodyInterval(NamedTuple):
    """Intervals of the numbers of one body.

    Attributes:
        mass: (2,) least and largest mass [kg].
        com: (2, 3) least and largest coordinates of the centre of mass in the body [m].
        inertia: (2, 6) least and largest entries of the tensor about the centre of mass of the
            answer, in the axes of the body [kg m^2], in the order of model.ENTRIES.
        exact: Whether some body that meets all sums reaches each of these bounds; else they are
            outer bounds, which hold and may be wider than they need be.
    """

    mass: Floats
    com: Floats
    inertia: Floats
    exact: bool = True


@dataclass(frozen=True, eq=False, repr=False)
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
        interval: What bounds and sums allow; None without numbers, and where a shape was skipped.
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

    @property
    def numbers(self) -> list[tuple[str, str, float, float, float]]:
        """The ten numbers of the body: name, unit, value, least and largest possible value.

        Mass, centre of mass, tensor about it; empty where there are no new numbers.
        """
        if self.parameters is None or self.interval is None:
            return []
        own, interval = self.parameters, self.interval
        names = ("mass", "kg"), *((axis, "m") for axis in "xyz")
        names += tuple((entry, "kg m^2") for entry in ENTRIES)
        values = np.concatenate([[own.mass], own.com, six(own.inertia_com)]).tolist()
        ends = np.concatenate([interval.mass[:, None], interval.com, interval.inertia], axis=1)
        return [
            (name, unit, value, least, most)
            for (name, unit), value, least, most in zip(names, values, *ends.tolist(), strict=True)
        ]


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
        found = describe_counts([body.status for body in self.bodies]) or "no bodies"
        return f"Filling({self.fix.source.path!r}: {found})"

    @property
    def parameters(self) -> dict[str, InertialParameters]:
        """New parameters of the bodies that were filled, by id."""
        found = ((body.id, body.parameters) for body in self.bodies if body.status == "filled")
        return {id_: parameters for id_, parameters in found if parameters is not None}

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
        count = len(names)
        known = (isinstance(index, int) and -count <= index < count) or index in names
        if not known:
            raise RowIndexError(f"no body {index!r} was to be filled; there are {len(names)}")
        return self.bodies[names.index(index) if isinstance(index, str) else index]

    def __iter__(self) -> Iterator[FilledBody]:
        """Over the bodies that were to be filled."""
        return iter(self.bodies)

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table of masses with their intervals."""
        # Show a filling: the mass of each body with its interval, those that are left first.
        shown = sorted(self.bodies, key=lambda body: body.status == "filled")
        columns = ("body", "status", ">mass [kg]", ">possible [kg]", "", "from")
        table = write_table(columns, map(_write_row, shown[:MOST_ROWS]), len(shown), "bodies")
        words = describe_counts([body.status for body in self.bodies]) or "no bodies"
        return write_box(
            "Filling",
            f"{self.fix.source.path} ({self.fix.format}): {words}",
            *([table] if shown else []),
        )

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
        self, path: str | os.PathLike[str] | None = None, writable: WritableFolders | None = None
    ) -> None:
        """Write the new bytes, whole or not at all; as fixing.result.Fix.write.

        Raises:
            UsageError: They cannot be written.
        """
        self.fix.write(path, writable)


def describe_filling(filling: Filling, written: str | None = None) -> dict[str, Json]:
    """Describe a filling for JSON.

    Args:
        filling: The filling.
        written: The path that it was written to; None if it was not.
    """
    certificate = filling.certificate
    bodies: list[Json] = []
    for body in filling.bodies:
        new: dict[str, Json] | None = None
        interval: dict[str, Json] | None = None
        if body.parameters is not None and body.interval is not None:
            values = {name: value for name, _, value, _, _ in body.numbers}
            ends = {name: [least, most] for name, _, _, least, most in body.numbers}
            new = {"mass": values["mass"], "com": [values[axis] for axis in "xyz"]}
            interval = {"mass": ends["mass"], "com": [ends[axis] for axis in "xyz"]}
            new |= {name: values[name] for name in ENTRIES}
            interval |= {name: ends[name] for name in ENTRIES}
        bodies.append(
            {
                "name": body.name,
                "id": body.id,
                "line": body.line,
                "status": body.status,
                "reason": body.reason,
                "source": body.source or None,
                "density": body.density,
                "guess": body.guess,
                "remarks": list(body.remarks),
                "new": new,
                "interval": interval,
                "interval_exact": None if body.interval is None else body.interval.exact,
            }
        )
    return {
        "path": filling.fix.source.path,
        "format": filling.fix.format,
        "changed": filling.changed,
        "complete": filling.complete,
        "written": written,
        "certificate": None
        if certificate is None
        else {name: float(value) for name, value in certificate._asdict().items()},
        "notes": list(filling.notes),
        "bodies": bodies,
    }


_LONGEST = 200
"""Largest number of characters of a text in a table."""

_COLUMNS = ("body", "result", "number", "value", "least possible", "largest possible", "")

_STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;
color-scheme:light dark;color:CanvasText;background:Canvas}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.3)}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"""


def write_lines(body: FilledBody) -> Iterator[str]:
    """Write a line of text for each number of a body."""
    for name, unit, value, least, most in body.numbers:
        yield f"{name:4} {value:.6g} {unit}, {least:.3g} to {most:.3g} {unit} possible"
    if body.interval is not None and not body.interval.exact:
        yield "the intervals are outer bounds: they hold, and may be wider than they need be"


def _list_rows(filling: Filling) -> Iterator[tuple[str, ...]]:
    """Rows of the table: the numbers of each body, or one row that says why it has none."""
    for body in filling.bodies:
        numbers = body.numbers if body.status == "filled" else []
        if not numbers or body.interval is None:
            yield (body.name, f"{body.status}: {body.reason}", "", "", "", "", "")
            continue
        _, _, mass, lightest, heaviest = numbers[0]
        if heaviest - lightest <= tolerances.MASS_KNOWN * mass:
            certainty = "known"
        else:
            certainty = "a guess" if body.guess else "within its interval"
        if not body.interval.exact:
            certainty += "; outer bounds"
        texts = body.name, f"{body.status}: {body.source or body.reason}", certainty
        for name, unit, value, least, most in numbers:
            ends = f"{value:.6g}", f"{least:.3g}", f"{most:.3g}"
            yield (*texts[:2], f"{name}, {unit}", *ends, texts[2])
            texts = "", "", ""  # they stand in the first row of a body


def write_markdown(fillings: Sequence[Filling]) -> str:
    """Write fillings as Markdown, a table for each model."""
    parts = []
    for filling in fillings:
        lines = [f"### {markdown_code(filling.fix.source.path, _LONGEST)}", ""]
        lines += [f"| {' | '.join(_COLUMNS)} |", "|---|---|---|--:|--:|--:|---|"]
        for row in _list_rows(filling):
            cells = (markdown_text(cell, _LONGEST) for cell in row)
            lines.append(f"| {' | '.join(cells)} |")
        lines += ["", *(f"- {markdown_text(note, 2 * _LONGEST)}" for note in filling.notes)]
        parts.append("\n".join(lines).rstrip() + "\n")
    return "\n".join(parts)


def write_html(fillings: Sequence[Filling]) -> str:
    """Write fillings as one HTML page without scripts and links, a table for each model."""
    heads = "".join(f"<th>{escape(column)}</th>" for column in _COLUMNS)
    sections = []
    for filling in fillings:
        rows = []
        for row in _list_rows(filling):
            cells = (
                f'<td class="n">{cell}</td>' if 3 <= place <= 5 else f"<td>{cell}</td>"
                for place, cell in enumerate(escape_text(text, _LONGEST) for text in row)
            )
            rows.append(f"<tr>{''.join(cells)}</tr>")
        notes = "".join(f"<li>{escape_text(note, 2 * _LONGEST)}</li>" for note in filling.notes)
        sections.append(
            f"<h2>{escape_text(filling.fix.source.path, _LONGEST)}</h2>"
            f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
            + (f"<ul>{notes}</ul>" if notes else "")
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\"><title>Filled inertials</title>"
        f"<style>{_STYLE}</style></head><body><h1>Filled inertials</h1>"
        "<p>Values deviate least from the nominal densities; between the least and the largest, "
        "every number is possible with what is known.</p>"
        f"{''.join(sections)}</body></html>\n"
    )


def _write_row(body: FilledBody) -> tuple[str | Fragment, ...]:
    mass = spread = "\N{EN DASH}"
    if body.numbers:
        _, _, value, least, most = body.numbers[0]
        mass, spread = f"{value:.4g}", f"{least:.3g} to {most:.3g}"
    return (
        escape_text(body.name),
        color_word(body.status, "good" if body.status == "filled" else "bad"),
        mass,
        spread,
        color_word("guess", "doubtful") if body.guess else "",
        escape_text(body.source or body.reason, 110),
    )
