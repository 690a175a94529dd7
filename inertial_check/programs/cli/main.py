"""The process of `inertial-check`: its signals, its errors and its end.

Whatever a command needs is imported when it runs: this module sets up the process first. A signal
that asks the command to end raises an exception, so that it cleans up and prints no traceback.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import TYPE_CHECKING, Final

from inertial_check.documents.children import Termination, ignore_swallowed_interruptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_NEW_OBJECTS = 50_000
"""Number of new objects, some megabytes, after which Python looks for cycles of unused ones."""


def entry_point() -> NoReturn:
    """Run the command line of this process, and end the process with its code."""
    # Matrices are 3x3 here: starting a pool of BLAS threads takes longer than most checks.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Almost nothing here is a cycle, and to look for some every 700 objects took 5 % of a check.
    gc.set_threshold(_NEW_OBJECTS, 20)
    # What `main` imports in front of its error handlers is loaded before a signal can raise.
    from inertial_check.programs.cli import output  # noqa: F401

    handle_signals()
    code = main(sys.argv[1:])
    ignore_signals()
    sys.exit(code)


def main(argv: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the exit code.

    No exception escapes: an error is one line on stderr, with a traceback only with -v.
    """
    from inertial_check.documents.children import Termination
    from inertial_check.programs.cli import output

    output.tolerate_any_text()
    try:
        from inertial_check.programs.cli.commands import run_command

        code = run_command(list(argv))
        output.flush()
        return code
    except BrokenPipeError:
        output.discard_stdout()
        return output.BROKEN_PIPE
    except KeyboardInterrupt:
        return output.INTERRUPTED
    except Termination as ending:
        return 128 + ending.number  # as shells report it: 143 for SIGTERM
    except Exception as error:
        if {"-v", "--verbose"}.intersection(argv):
            import traceback

            from inertial_check.documents.escaping import printable

            for line in traceback.format_exc().splitlines():
                print(printable(line), file=sys.stderr)
        from inertial_check.documents.children import describe_defect, describe_missing_dependency
        from inertial_check.documents.escaping import clip
        from inertial_check.errors import InertialCheckError

        message = str(error)
        if not isinstance(error, InertialCheckError):
            message = describe_missing_dependency(error) or (
                f"{describe_defect(error)}; please report it with the output of the same command "
                "and -v"
            )
        output.failure("\n".join(clip(line, _LONGEST_LINE) for line in message.splitlines()))
        return output.FAILURE


_LONGEST_LINE = 4000
"""Largest length of a line of an error that ends the program [code points]; it may quote a value of
any length."""

if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # what `signal` turns into enumerations, a hundredth of the start

_PATIENCE = 2.0
"""Time for cleaning up in which further signals are ignored [s]; a later one ends at once."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

_NUMBERS: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))

_first: list[float] = []
"""When the first signal came [s]; empty before."""


def handle_signals() -> None:
    """Have signals raise an exception in the main thread; those that are ignored stay so."""
    ignore_swallowed_interruptions()
    for number in _NUMBERS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _raise)


def ignore_signals() -> None:
    """Ignore signals while the process ends, which takes no longer than a second."""
    for number in _NUMBERS:
        signal.signal(number, signal.SIG_IGN)


def _raise(number: int, _: object) -> None:
    now = time.monotonic()
    if _first and now - _first[0] < _PATIENCE:
        return
    if _first:
        os._exit(128 + number)
    _first.append(now)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Termination(number)


if __name__ == "__main__":
    # A tool of the server for agents: python -m ...cli.main FOLDER COMMAND ARGUMENT ... opens no
    # file outside the folder, whatever a model or an option names.
    from inertial_check.documents.files.access import confine

    confine(sys.argv.pop(1))
    entry_point()
