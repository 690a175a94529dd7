"""A progress bar on a terminal."""

from __future__ import annotations

import os
import sys
import time
from typing import Protocol, TextIO

from inertial_check.reports.escaping import clip
from inertial_check.reports.layout import count_columns, cut_text

_DELAY = 1.0
"""Time before the bar is first drawn [s]; shorter work shows none."""

_PERIOD = 0.2
"""Shortest time between two drawings [s]."""

_WIDTH = 30
"""Width of the bar [characters]."""

_LEAST_PART = 1e-2
"""Fraction of the work from which the time that is left is extrapolated."""

_LONGEST_NAME = 4096
"""Longest path of which the end is shown [code points]."""

_LEAST_NAME = 10
"""Smallest width in which the name of a file is shown [columns]."""


class Display(Protocol):
    """Interface of a display of progress on a terminal."""

    def show(self, part: float, seconds: float, name: str) -> None:
        """Show the completed fraction, the time since the start [s], and the current file."""

    def erase(self) -> None:
        """Remove everything that was drawn."""


class ProgressBar:
    """A bar of one line, redrawn in place and erased at the end.

    On the terminal of stderr a thread redraws it, so that it moves during a long step, too, and it
    is drawn by rich where that is installed.

    Args:
        wanted: Whether to show it at all.
        stream: The stream to draw it on, if that is a terminal; None for stderr.
        color: Whether to use colours.
    """

    def __init__(self, wanted: bool, stream: TextIO | None = None, color: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shows = wanted and _is_terminal(self._stream)
        self._start = time.monotonic()
        self._next = self._start + _DELAY
        self._part, self._name = 0.0, ""
        self._display: Display | None = None
        self._color = color
        self._is_ours = stream is None
        if not self._shows:
            return
        import threading

        self._lock = threading.RLock()
        self._ended = threading.Event()
        if self._is_ours:
            threading.Thread(target=self._beat, daemon=True).start()

    def __call__(self, part: float, name: str = "") -> None:
        """Show the completed fraction of the work, 0 to 1, and the name of the current file."""
        self._part, self._name = part, name
        if self._shows and time.monotonic() >= self._next:
            self._draw()

    def close(self) -> None:
        """Erase the bar."""
        if not self._shows:
            return
        self._ended.set()
        with self._lock:
            if self._display is not None:
                self._display.erase()
                self._display = None
            self._shows = False

    def _beat(self) -> None:
        """Redraw the bar while nobody calls."""
        while not self._ended.wait(_PERIOD):
            if time.monotonic() >= self._next:
                try:
                    self._draw()
                except (OSError, ValueError):  # the terminal has gone
                    return

    def _draw(self) -> None:
        with self._lock:
            if not self._shows:
                return
            now = time.monotonic()
            self._next = now + _PERIOD
            if self._display is None:
                self._display = _choose_display(self._stream, self._color, rich=self._is_ours)
            self._display.show(self._part, now - self._start, _clip_path(self._name))


class PlainDisplay:
    """A bar of plain characters."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = 0

    def show(self, part: float, seconds: float, name: str) -> None:
        """Draw the bar over the one before."""
        full = round(_WIDTH * part)
        if part >= _LEAST_PART:
            left = f"{seconds * (1 - part) / part:.0f} s left"
        else:
            left = f"{seconds:.0f} s"
        line = f"[{'#' * full}{' ' * (_WIDTH - full)}] {part:4.0%}  {left}"
        room = _measure_width(self._stream) - len(line) - 3
        if name and room >= _LEAST_NAME:
            line += f"  {_cut_beginning(name, room)}"
        self._write(line)

    def erase(self) -> None:
        """Overwrite the bar with spaces."""
        if self._drawn:
            self._write("")
            self._drawn = 0

    def _write(self, line: str) -> None:
        width = count_columns(line)
        end = "" if line else "\r"
        self._stream.write(f"\r{line}{' ' * (self._drawn - width)}{end}")
        self._stream.flush()
        self._drawn = max(self._drawn, width)


class RichDisplay:
    """A bar of the library rich.

    Raises:
        ImportError: rich is not installed.
    """

    def __init__(self, stream: TextIO, color: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        console = Console(file=stream, no_color=not color, highlight=False)
        name = TextColumn("{task.description}", markup=False)
        self._progress = Progress(
            BarColumn(_WIDTH),
            TaskProgressColumn(),
            TextColumn("{task.fields[time]}", markup=False),
            name,
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._progress.start()
        self._task = self._progress.add_task("", total=1.0, time="")

    def show(self, part: float, seconds: float, name: str) -> None:
        """Hand the numbers to rich, which draws them ten times a second."""
        left = f"{seconds * (1 - part) / part:.0f} s left" if part >= _LEAST_PART else ""
        room = max(self._progress.console.width - _WIDTH - 25, _LEAST_NAME)
        self._progress.update(
            self._task, completed=part, time=left, description=_cut_beginning(name, room)
        )

    def erase(self) -> None:
        """Remove the bar and show the cursor again."""
        self._progress.stop()


def _choose_display(stream: TextIO, color: bool, rich: bool) -> Display:
    """A bar of rich if that is installed and wanted, else a plain one."""
    if rich:
        try:
            return RichDisplay(stream, color)
        except Exception:  # not installed, or of a version that has other names
            pass
    return PlainDisplay(stream)


def _clip_path(path: str) -> str:
    """The end of a path, without characters that act on a terminal."""
    return clip(path[-_LONGEST_NAME:], _LONGEST_NAME)


def _cut_beginning(path: str, width: int) -> str:
    """The end of a printable path that fits into a width, as the name of a file stands there."""
    if count_columns(path) <= width:
        return path
    backwards = cut_text(path[::-1], width)
    return backwards[::-1]


def _measure_width(stream: TextIO) -> int:
    """The width of a terminal [columns]."""
    from inertial_check.cli.output import measure_width

    return measure_width(stream) or 80


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
