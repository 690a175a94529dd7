"""A line on a terminal that says how far long work has come."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

_PATIENCE = 1.0
"""[s] Work that takes no longer needs no bar."""

_PERIOD = 0.2
"""[s] Between two drawings."""

_WIDTH = 30


class ProgressBar:
    """One line, drawn over and over, and gone in the end. It has no colours.

    Args:
        wanted: Whether anybody wants to see it.
        stream: Where to draw it, if that is a terminal.
    """

    def __init__(self, wanted: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shows = wanted and _is_terminal(self._stream)
        self._start = time.monotonic()
        self._next = self._start + _PATIENCE
        self._drawn = 0

    def __call__(self, part: float) -> None:
        """Which part of the work is done, 0 to 1."""
        now = time.monotonic()
        if not self._shows or now < self._next:
            return
        self._next = now + _PERIOD
        full = round(_WIDTH * part)
        left = (now - self._start) * (1 - part) / max(part, 1e-3)
        line = f"[{'#' * full}{' ' * (_WIDTH - full)}] {part:4.0%}  {left:.0f} s left"
        self._draw(line)

    def close(self) -> None:
        """Take the line away."""
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
