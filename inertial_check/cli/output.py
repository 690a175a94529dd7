"""Output of the commands: the report on stdout, everything else on stderr."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from inertial_check.errors import UsageError
from inertial_check.files.writing import WritableFolders, write_output
from inertial_check.reports.escaping import printable

PROGRAM = "inertial-check"


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


def note(message: str) -> None:
    """Print a note, which does not change the exit code."""
    _say("note", message)


def failure(message: str) -> None:
    """Print the reason of a failure."""
    _say("error", message)


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


def _say(kind: str, message: str) -> None:
    print(phrase(kind, message), file=sys.stderr)
