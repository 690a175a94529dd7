"""Samples that cannot be used: numbers that are not finite, and stamps that do not increase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import DocumentError
from inertial_check.formats.recordings.reading import ReadingNote

_SHOWN = 3
"""Number of samples that a note names."""

_MOST = 0.5
"""Largest part of the samples that is left out: where more are bad, the recording is."""

Place = tuple[int | None, int | None]
"""Line and column of a sample; None where the file has no lines."""


@dataclass
class BadRows:
    """Samples that were left out, and the reasons; blocks of samples come one after another.

    Attributes:
        path: Path of the recording.
        skip: Whether they are left out; else the first is an error.
        count: Number of samples left out.
        total: Number of samples looked at.
        kept: Number of samples kept.
        breaks: Kept samples before which the stamps ran backwards.
        gaps: Kept samples before which something was left out.
    """

    path: str
    skip: bool
    count: int = 0
    total: int = 0
    kept: int = 0
    breaks: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    _last: float = -inf
    _first: list[tuple[str, Place, str]] = field(default_factory=list)
    _reasons: dict[str, int] = field(default_factory=dict)
    _is_open: bool = False
    _is_back: bool = False

    def select(
        self,
        values: Floats,
        t: Floats | None,
        place: Callable[[int], Place],
        reasons: dict[int, str] | None = None,
    ) -> Mask:
        """Select the samples of a block that can be used.

        Args:
            values: (S, k) numbers.
            t: (S,) stamps, or None.
            place: Finds the place of a sample of the block.
            reasons: Why a sample has no numbers at all, by its index.
        """
        good: Mask = np.asarray(np.isfinite(values).all(axis=1))
        back: Mask = np.zeros(len(values), dtype=bool)
        again: Mask = np.zeros(len(values), dtype=bool)
        latest = np.full(len(values) + 1, -inf)
        if t is not None:
            good &= np.isfinite(t)
            stamps = np.where(good, t, -inf)
            latest = np.maximum.accumulate(np.concatenate([[self._last], stamps]))
            again = good & (stamps == latest[:-1])
            back = good & (stamps < latest[:-1])
            self._last = float(latest[-1])
        bad = ~good | back | again
        for index in np.flatnonzero(bad).tolist():
            kind = "stamp that runs backwards" if back[index] else ""
            kind = kind or ("stamp that is there twice" if again[index] else "")
            kind = kind or (reasons or {}).get(index, "number that is not finite")
            if len(self._first) < _SHOWN:
                number = self.total + index
                found = place(index)
                stamp = ""
                if t is not None and good[index]:
                    before = f"up to t[{number - 1}] {latest[index]:.12g} s"
                    stamp = f"t[{number}] is {t[index]:.12g} s, and {before}: "
                shown = f"sample {number}" if found[0] is None else f"line {found[0]}"
                self._first.append((shown, found, f"{stamp}a {kind}"))
            self._note(kind)
        self._find_ends(bad, back)
        self.total += len(bad)
        return ~bad

    def _note(self, kind: str) -> None:
        self.count += 1
        known = kind if kind in self._reasons or len(self._reasons) < _SHOWN else "other reason"
        self._reasons[known] = self._reasons.get(known, 0) + 1

    def _find_ends(self, bad: Mask, back: Mask) -> None:
        """Find the kept samples before which something was left out."""
        if not bad.any() and not self._is_open:
            self.kept += len(bad)
            return
        for is_bad, is_back in zip(bad.tolist(), back.tolist(), strict=True):
            if is_bad:
                self._is_open, self._is_back = True, self._is_back or is_back
                continue
            if self._is_open and self.kept:
                self.gaps.append(self.kept)
                if self._is_back:
                    self.breaks.append(self.kept)
            self._is_open = self._is_back = False
            self.kept += 1

    def finish(self) -> tuple[ReadingNote, ...]:
        """Return a note on what was left out.

        Raises:
            DocumentError: Nothing may be left out, or too much would be.
        """
        if not self.count:
            return ()
        shown, (line, column), kind = self._first[0]
        at = "" if line is not None or kind.startswith("t[") else f"{shown}: "
        if not self.skip:
            raise DocumentError(
                self.path,
                f"{at}{kind}; {self.count} of {self.total} samples cannot be used: correct them, "
                "or leave them out with --skip-bad-rows",
                line,
                column,
            )
        if self.count > _MOST * self.total:
            raise DocumentError(
                self.path,
                f"{at}{kind}; {self.count} of {self.total} samples cannot be used, and at most "
                "half of them are left out",
                line,
                column,
            )
        kinds = ", ".join(f"{count} x {kind}" for kind, count in self._reasons.items())
        first = ", ".join(each[0] for each in self._first)
        more = "" if self.count <= _SHOWN else ", ..."
        text = (
            f"{self.count} of {self.total} samples left out ({first}{more}): {kinds}; "
            "the filter bridges none of the gaps that are longer than half a period of its cut-off"
        )
        return (ReadingNote("rows", text),)


def drop_bad_rows(
    path: str, arrays: dict[str, Floats], skip: bool
) -> tuple[dict[str, Floats], BadRows]:
    """Leave out the samples of whole arrays that cannot be used; without `skip` refuse them.

    Args:
        path: Path of the recording.
        arrays: The time (S,) and signals (S, ...) by name, of equal lengths.
        skip: Whether they are left out.

    Raises:
        DocumentError: Names the first sample that cannot be used.
    """
    rows = BadRows(path, skip)
    count = len(next(iter(arrays.values())))
    finite = np.ones((count, 1))
    for name, array in arrays.items():
        if name != "t":
            finite[~np.isfinite(array).reshape(count, -1).all(axis=1)] = np.nan
    stamps = arrays.get("t")
    good = rows.select(finite, stamps, lambda _: (None, None))
    if good.all():
        return arrays, rows
    return {name: array[good] for name, array in arrays.items()}, rows
