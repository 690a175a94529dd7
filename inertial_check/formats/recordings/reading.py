"""Options of the reading of recordings."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, NamedTuple

from inertial_check.formats.recordings.mapping import ColumnMap


class ReadingNote(NamedTuple):
    """What was chosen, converted or left out when a recording was read.

    Attributes:
        kind: What it is about.
        text: One line with the names or numbers.
    """

    kind: Literal["columns", "units", "topic", "rows", "joined"]
    text: str


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options of the reading of a recording.

    Attributes:
        needed: Quantities without which a recording is refused; a trajectory has no torques, and
            one of several files that belong together may lack positions.
        columns: Mapping of the columns; None to understand their names.
        skip_bad_rows: Whether samples that cannot be used are left out, with a note.
        topic: Topic of a ROS recording; None for the only one with joint states.
        partial: Whether torques of some joints may be missing: no column, or only NaN.
        further: Names of columns or arrays to be read besides those of the joints. Those of a
            moving base and of wrenches, as names.is_surrounding has them, are always read.
        joints: Names of the joints of the robot, for the choice among messages of several devices.
    """

    needed: tuple[str, ...] = ("q", "tau")
    columns: ColumnMap | None = None
    skip_bad_rows: bool = False
    topic: str | None = None
    partial: bool = False
    further: Collection[str] = ()
    joints: tuple[str, ...] = ()
