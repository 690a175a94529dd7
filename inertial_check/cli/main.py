"""The process of `inertial-check`: its memory, its signals, its errors and its end.

Whatever a command needs is imported when it runs: this module sets up the process first.
"""

from __future__ import annotations

import atexit
import gc
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
    # A model is thousands of objects with few reference cycles: search for them less often.
    gc.set_threshold(100_000, 20, 50)
    # What `main` imports in front of its error handlers is loaded before a signal can raise.
    from inertial_check.cli import exit_codes, output, signals  # noqa: F401

    signals.handle_signals()
    code = main(sys.argv[1:])
    signals.ignore_signals()
    if sys._getframe(1).f_globals is vars(sys.modules["__main__"]) and not _is_observed():
        _leave(code)
    sys.exit(code)


def _is_observed() -> bool:
    """Whether a profiler, a debugger, -i or -X dev looks at this process when Python ends."""
    monitoring = getattr(sys, "monitoring", None)  # by which Python 3.12 and later profile
    tools = () if monitoring is None else map(monitoring.get_tool, range(6))
    return any((sys.gettrace(), sys.getprofile(), sys.flags.inspect, sys.flags.dev_mode, *tools))


def _leave(code: int) -> None:
    """End the process if nothing is left to do but to free memory; return if there is.

    Python frees the objects of all modules one by one when it ends, which takes a tenth of the
    check of one file, and the system frees them at once. So this does what else Python does then,
    in its order: it waits for threads, which is left to Python where there are any; it calls the
    functions of `atexit`, which close logs, end worker processes and remove temporary folders; and
    it flushes both streams, where a failure, too, is left to Python, which reports it.
    """
    threading = sys.modules.get("threading")  # who has started a thread has imported it
    if threading is not None:
        others = [each for each in threading.enumerate() if not each.daemon]
        if others != [threading.main_thread()]:
            return
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # as where it was closed before the start
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


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
