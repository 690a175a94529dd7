"""Recording of a robot as plain data, and the checks that its arrays belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.recordings.bad_rows import BadRows, drop_bad_rows
from inertial_check.formats.recordings.reading import ReadingNote, ReadingOptions


class EntryPlace(NamedTuple):
    """Name of an entry of an array, and its line and column where the file has lines."""

    name: str
    line: int | None
    column: int | None


EntryFinder = Callable[[str, tuple[int, ...]], EntryPlace]
"""Finds the place of an entry, by the name of its quantity and its index."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """Samples of a robot's motion and torques, or of the equations that they make.

    Attributes:
        path: The file, as it was named.
        t: (S,) time [s], as stamped; None where the file has none.
        q: (S, n) positions of the joints [rad or m], or None.
        u: (S, n) velocities [rad/s or m/s], or None.
        du: (S, n) accelerations [rad/s^2 or m/s^2], or None.
        tau: (S, n) torques or forces [N m or N], or None where the caller can do without.
        Y: (S, n, 10 L) regressor, in place of the motion; or None.
        F: (S, n, k) columns of the effects beside the bodies, as friction; only with Y; or None.
        columns: Names of the columns of F, where the file gives them.
        joints: Names of the n joints in the order of the columns, where the file gives them.
        ignored: Names of all other columns or arrays.
        unmeasured: Indices of the joints whose torque the file does not have; it counts as 0.
        further: Columns (S,) or arrays (S, k) of a moving base, of wrenches, and those that were
            asked for, by their names.
        notes: What was chosen, converted and left out on reading.
        stated: Quantities that state their units, which were converted to SI units.
        has_currents: Whether motor currents [A] stand for the torques.
        has_others: Whether joints of other devices may stand in it, which a robot lacks.
        breaks: Samples at which a new stretch begins, which nothing ties to the one before.
    """

    path: str
    t: Floats | None = None
    q: Floats | None = None
    u: Floats | None = None
    du: Floats | None = None
    tau: Floats | None = None
    Y: Floats | None = None
    F: Floats | None = None
    columns: tuple[str, ...] | None = None
    joints: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()
    unmeasured: tuple[int, ...] = ()
    further: Mapping[str, Floats] = field(default_factory=dict)
    notes: tuple[ReadingNote, ...] = ()
    stated: frozenset[str] = frozenset()
    has_currents: bool = False
    has_others: bool = False
    breaks: tuple[int, ...] = ()

    def __repr__(self) -> str:
        """Name the arrays and their sizes."""
        held = ", ".join(name for name in ("t", *SIGNALS, "Y", "F") if name not in self.absent)
        return f"Recording({self.path!r}: {held}; samples {self.samples}, joints {self.count})"

    @property
    def absent(self) -> tuple[str, ...]:
        """Names among t, q, u, du, tau, Y and F that the file does not have."""
        return tuple(name for name in ("t", *SIGNALS, "Y", "F") if getattr(self, name) is None)

    @property
    def samples(self) -> int:
        """Number of samples, S."""
        return len(self._shown)

    @property
    def count(self) -> int:
        """Number of joints, n."""
        return int(self._shown.shape[1])

    @property
    def _shown(self) -> Floats:
        every = (self.Y, self.q, self.u, self.du, self.tau)
        shown = next((each for each in every if each is not None), None)
        assert shown is not None
        return shown


MOST_NUMBERS = 2**25
"""Largest number of numbers of a recording: an hour of seven joints at 250 Hz has 20 million, and
twice as many take half a gigabyte."""

TOO_LONG = "too long to be held in memory: cut the recording, or take fewer samples a second"

SIGNALS = ("q", "u", "du", "tau")
"""Names of the arrays with one column a joint."""


def settle_samples(
    about: Recording,
    arrays: Mapping[str, Floats],
    how: ReadingOptions,
    find: EntryFinder,
    rows: BadRows | None = None,
) -> Recording:
    """Refuse or leave out the samples that cannot be used, with a note; every reader does it last.

    Torques that are NaN in every sample were not measured, and become 0 where that is allowed.

    Args:
        about: All but the arrays, with those beside the joints.
        arrays: Time, signals, regressor and columns as they were read, in SI units, by name.
        how: Options of the reading.
        find: Finds the place of an entry for a message.
        rows: Samples that the reader has left out already, block by block; None for none.

    Raises:
        DocumentError: Names the first number that is not finite or stamp that does not increase.
    """
    every = {**arrays, **about.further}
    unmeasured: tuple[int, ...] = ()
    if how.partial and "tau" in arrays:
        empty = np.isnan(arrays["tau"]).all(axis=0)
        every["tau"] = np.where(empty, 0.0, arrays["tau"]) if empty.any() else arrays["tau"]
        unmeasured = tuple(np.flatnonzero(empty).tolist())
    if rows is not None or not how.skip_bad_rows:
        _refuse_not_finite(about.path, every, find)
    if rows is None:
        every, rows = drop_bad_rows(about.path, every, how.skip_bad_rows)
    held = {name: every[name] for name in arrays}
    return replace(
        about,
        t=held.get("t"),
        q=held.get("q"),
        u=held.get("u"),
        du=held.get("du"),
        tau=held.get("tau"),
        Y=held.get("Y"),
        F=held.get("F"),
        further={name: every[name] for name in about.further},
        unmeasured=unmeasured,
        notes=(*about.notes, *rows.finish()),
        # Without stamps nothing else says that samples are missing.
        breaks=tuple(rows.breaks if "t" in arrays else rows.gaps),
    )


def _refuse_not_finite(path: str, arrays: Mapping[str, Floats], find: EntryFinder) -> None:
    """Refuse numbers that are not finite: no sample can be used in part.

    Raises:
        DocumentError: Names the first of them, and how many samples have such numbers.
    """
    for name, array in arrays.items():
        bad = ~np.isfinite(array)
        if not bad.any():
            continue
        index = tuple(int(axis[0]) for axis in np.nonzero(bad))
        called, line, column = find(name, index)
        rows = int(bad.reshape(len(bad), -1).any(axis=1).sum())
        raise DocumentError(
            path,
            f"{called} is {array[index]}, expected a finite number: "
            f"leave out the {rows} of {len(bad)} samples in which {name} has such values, as "
            "--skip-bad-rows does",
            line,
            column,
        )


def refuse_unlike(path: str, arrays: Mapping[str, Floats]) -> None:
    """Refuse signals of different numbers of joints or samples.

    Args:
        path: The path that messages name.
        arrays: The time (S,) and signals (S, n) by name.

    Raises:
        DocumentError: Names two arrays that differ.
    """
    first = next((name for name in SIGNALS if name in arrays), None)
    for name, array in arrays.items():
        if first is None or name == first:
            continue
        if array.ndim > 1 and array.shape[1] != arrays[first].shape[1]:
            raise DocumentError(
                path,
                f"{name} has {array.shape[1]} and {first} has {arrays[first].shape[1]} columns: "
                "expected one for each joint in both",
            )
        if len(array) != len(arrays[first]):
            raise DocumentError(
                path,
                f"{name} has {len(array)} samples and {first} has {len(arrays[first])}: "
                "expected as many in both",
            )
