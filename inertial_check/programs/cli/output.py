"""Output and exit codes of the commands: the report on stdout, everything else on stderr.

Progress on a terminal is a bar of rich where that is installed, else a line every few seconds.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from inertial_check.documents.escaping import clip, printable
from inertial_check.documents.files.writing import WritableFolders, write_output
from inertial_check.errors import UsageError
from inertial_check.reports.text import count_columns, cut_text

if TYPE_CHECKING:
    import threading

    from rich.progress import Progress


PROGRAM = "inertial-check"

CLEAN: Final = 0
"""No finding of at least the severity of --fail-on; for `fix`, nothing left to do."""

FINDINGS: Final = 1
"""Findings of at least the severity of --fail-on, or work left to do.

For `fix`, a diff that was not written or a body that is still inconsistent; for `identify`, a body
that was not written; for `excite`, a motion that exceeds a limit.
"""

FAILURE: Final = 2
"""The command could not run: wrong usage or configuration, an unreadable named file, no files."""

INTERRUPTED: Final = 130
"""Interrupted from the keyboard: 128 + SIGINT, as shells report it."""

BROKEN_PIPE: Final = 141
"""The reader of stdout closed the pipe before the result was known: 128 + SIGPIPE."""


def write(payload: str, target: str | None = None, follow_outside: bool = False) -> None:
    """Write the report to stdout, or to a file, which gets all of it or stays as it was.

    A closed pipe (`| head`) is no error and does not change the exit code.

    Args:
        payload: The whole report, with its last line end.
        target: The file of --output-file; None for stdout. A pipe or a device is written directly.
        follow_outside: Whether a link may lead out of the repository.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        if target is None:
            if sys.stdout is None:
                raise OSError("it is closed")
            sys.stdout.write(payload)
            sys.stdout.flush()
        else:
            writable = WritableFolders(follow_outside=follow_outside)
            write_output(target, payload.encode("utf-8", "backslashreplace"), writable)
    except BrokenPipeError:
        discard_stdout()
    except OSError as error:
        if target is None:
            discard_stdout()
        name = "standard output" if target is None else target
        raise UsageError(f"cannot write {name}: {error.strerror or error}") from None


def open_stdin() -> BinaryIO:
    """Open standard input for reading bytes.

    Raises:
        UsageError: It is closed.
    """
    if sys.stdin is None:
        raise UsageError("cannot read standard input: it is closed")
    return sys.stdin.buffer


def note(message: str) -> None:
    """Print a note, which does not change the exit code."""
    print(phrase("note", message), file=sys.stderr)


def failure(message: str) -> None:
    """Print the reason of a failure."""
    print(phrase("error", message), file=sys.stderr)


def phrase(kind: str, message: str) -> str:
    """The line of a note or an error."""
    return f"{PROGRAM}: {kind}: {printable(message)}"


def wants_color(choice: str, stream: TextIO | None) -> bool:
    """Whether to colour the output on a stream.

    --color always or never decides; then NO_COLOR, then FORCE_COLOR, each if set and not empty;
    then whether the stream is a terminal.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def measure_width(stream: TextIO | None) -> int | None:
    """The width of the terminal that a stream is [columns]; None if it is no terminal.

    A COLUMNS that is set decides, also for a stream that is no terminal.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns[:6]) > 0:
        return int(columns[:6])
    try:
        if stream is not None and stream.isatty():
            return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):  # a terminal without a size, or a stream without a number
        pass
    return None


def tolerate_any_text() -> None:
    """Escape characters that the encoding of the terminal lacks, instead of failing on them."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def flush() -> None:
    """Flush stdout; a closed pipe is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()


def discard_stdout() -> None:
    """Redirect stdout to the null device, so that flushing at exit does not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # stdout is no file
        pass
    finally:
        os.close(nowhere)


_DELAY = 1.0
"""Time before the bar is first drawn [s]; shorter work shows none."""

_LINE_PERIOD = 5.0
"""Shortest time between two lines, where rich is not installed [s]."""

_WIDTH = 30
"""Width of the bar [characters]."""

_LONGEST_NAME = 4096
"""Longest path of which the end is shown [code points]."""

_LEAST_NAME = 10
"""Smallest width in which the name of a file is shown [columns]."""


class ProgressBar:
    """A bar of one line on a terminal, drawn by rich and erased at the end.

    A timer begins it, so that it stands there during a long step, too. Without rich a line is
    printed every few seconds instead.

    Args:
        wanted: Whether to show it at all.
        stream: The stream to draw it on, if that is a terminal; None for stderr.
        color: Whether to use colours.
    """

    def __init__(self, wanted: bool, stream: TextIO | None = None, color: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._color = color
        self._start = time.monotonic()
        self._next_line = self._start + _LINE_PERIOD
        self._part, self._name = 0.0, ""
        self._bar: Progress | None = None
        self._timer: threading.Timer | None = None
        if wanted and self._stream is not None and self._stream.isatty():
            if os.environ.get("TERM") == "dumb":
                return
            import threading

            self._lock = threading.Lock()
            self._timer = threading.Timer(_DELAY, self._open)
            self._timer.daemon = True
            self._timer.start()

    def __call__(self, part: float, name: str = "") -> None:
        """Show the completed fraction of the work, 0 to 1, and the name of the current file."""
        self._part, self._name = part, name
        if self._timer is None:
            return
        with self._lock:
            if self._bar is not None:
                self._update(self._bar)
            elif not self._timer.is_alive() and time.monotonic() >= self._next_line:
                self._next_line = time.monotonic() + _LINE_PERIOD
                seconds = (self._next_line - self._start) * (1 - part) / max(part, 1e-2)
                shown = _cut_beginning(name, 40)
                print(f"{part:4.0%}, {seconds:.0f} s left: {shown}", file=self._stream, flush=True)

    def close(self) -> None:
        """Erase the bar."""
        if self._timer is None:
            return
        self._timer.cancel()
        with self._lock:
            self._timer = None
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _open(self) -> None:
        """Draw the bar, where rich is installed; its own thread redraws it."""
        try:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                Progress,
                TaskProgressColumn,
                TextColumn,
                TimeRemainingColumn,
            )
        except ImportError:
            return
        with self._lock:
            if self._timer is None:
                return
            console = Console(file=self._stream, no_color=not self._color, highlight=False)
            name = TextColumn("{task.description}", markup=False)
            self._bar = Progress(
                BarColumn(_WIDTH),
                TaskProgressColumn(),
                TimeRemainingColumn(),
                name,
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._bar.add_task("", total=1.0)
            self._update(self._bar)
            self._bar.start()

    def _update(self, bar: Progress) -> None:
        room = max(bar.console.width - _WIDTH - 25, _LEAST_NAME)
        (task,) = bar.task_ids
        bar.update(task, completed=self._part, description=_cut_beginning(self._name, room))


def _cut_beginning(path: str, width: int) -> str:
    """The end of a path that fits into a width, without characters that act on a terminal."""
    shown = clip(path[-_LONGEST_NAME:], _LONGEST_NAME)
    return shown if count_columns(shown) <= width else cut_text(shown[::-1], width)[::-1]
