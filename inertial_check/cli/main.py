"""The process of `inertial-check`: its signals, its errors and its end.

Whatever a command needs is imported when it runs: this module sets up the process first.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def entry_point() -> NoReturn:
    """Run the command line of this process, and end the process with its code."""
    # Matrices are 3x3 here: starting a pool of BLAS threads takes longer than most checks.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What `main` imports in front of its error handlers is loaded before a signal can raise.
    from inertial_check.cli import exit_codes, output, signals  # noqa: F401

    signals.handle_signals()
    code = main(sys.argv[1:])
    signals.ignore_signals()
    sys.exit(code)


def main(argv: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the exit code.

    No exception escapes: an error is one line on stderr, with a traceback only with -v.
    """
    from inertial_check.cli import exit_codes, output
    from inertial_check.isolation import Termination

    output.tolerate_any_text()
    try:
        from inertial_check.cli.commands import run_command

        code = run_command(list(argv))
        output.flush()
        return code
    except BrokenPipeError:
        output.discard_stdout()
        return exit_codes.BROKEN_PIPE
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    except Termination as ending:
        return exit_codes.of_signal(ending.number)
    except Exception as error:
        if {"-v", "--verbose"}.intersection(argv):
            import traceback

            from inertial_check.reports.escaping import printable

            for line in traceback.format_exc().splitlines():
                print(printable(line), file=sys.stderr)
        output.failure(_error_message(error))
        return exit_codes.FAILURE


def _error_message(error: Exception) -> str:
    """One line about an error; an unexpected exception is reported as an internal error."""
    from inertial_check.errors import InertialCheckError
    from inertial_check.isolation import describe_defect, describe_missing_dependency

    if isinstance(error, InertialCheckError):
        return str(error)
    return describe_missing_dependency(error) or (
        f"{describe_defect(error)}; please report it with the output of the same command and -v"
    )
