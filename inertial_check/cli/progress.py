"""A progress bar on a terminal."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

_DELAY = 1.0
"""Time before the bar is first drawn [s]; shorter work shows none."""

_PERIOD = 0.2
"""Shortest time between two drawings [s]."""

_WIDTH = 30
"""Width of the bar [characters]."""

_LEAST_PART = 1e-3
"""Fraction of the work from which the time that is left is extrapolated at the earliest."""


class ProgressBar:
    """A bar of one line without colours, redrawn in place and erased at the end.

    Args:
        wanted: Whether to show it at all.
        stream: The stream to draw it on, if that is a terminal; None for stderr.
    """

    def __init__(self, wanted: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shows = wanted and _is_terminal(self._stream)
        self._start = time.monotonic()
        self._next = self._start + _DELAY
        self._drawn = 0

    def __call__(self, part: float) -> None:
        """Show the completed fraction of the work, 0 to 1."""
        now = time.monotonic()
        if not self._shows or now < self._next:
            return
        self._next = now + _PERIOD
        full = round(_WIDTH * part)
        left = (now - self._start) * (1 - part) / max(part, _LEAST_PART)
        line = f"[{'#' * full}{' ' * (_WIDTH - full)}] {part:4.0%}  {left:.0f} s left"
        self._draw(line)

    def close(self) -> None:
        """Erase the bar."""
        if self._drawn:
            self._draw("")
            self._drawn = 0

    def _draw(self, line: str) -> None:
        end = "" if line else "\r"
        self._stream.write(f"\r{line:<{self._drawn}}{end}")
        self._stream.flush()
        self._drawn = max(self._drawn, len(line))


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
