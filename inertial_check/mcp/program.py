"""Runs of this program in a process of their own, for one call of a tool.

A model that takes too long, or crashes a library, costs one call and not the server.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Semaphore
from typing import IO, NamedTuple

LONGEST_RUN = 300.0
"""Largest time of one call [s]; a document alone has the limit of --timeout."""

MOST_OUTPUT = 32 << 20
"""Largest output of a run that is read [bytes]."""

_MOST_MESSAGES = 20_000
"""Largest part of the messages on standard error that is read [bytes]."""

_FAILED_IN_PART = 2
"""Exit code of a run that has failed; its report, if it has one, holds the reasons."""

_MOST_RUNS = 2
"""Largest number of runs at one time."""


class ToolFailure(Exception):
    """A call that cannot be carried out; the message is for the client."""


class ProgramResult(NamedTuple):
    """Result of a run.

    Attributes:
        code: Exit code.
        output: Standard output.
        messages: Standard error.
    """

    code: int
    output: str
    messages: str


@dataclass(frozen=True)
class Program:
    """This program, confined to a folder.

    Attributes:
        command: Command line that runs it, up to the name of a command.
        root: Real path of the folder in which it runs, and out of which it opens no file.
        runs: Limits the number of runs at one time.
    """

    command: tuple[str, ...]
    root: str
    runs: Semaphore

    @classmethod
    def of(cls, command: Sequence[str], root: str) -> Program:
        """Make the program of a server."""
        return cls(tuple(command), os.path.realpath(root), Semaphore(_MOST_RUNS))

    def run(self, *arguments: str) -> ProgramResult:
        """Run a command line, and stop it with all its processes when its time is used up.

        Raises:
            ToolFailure: It takes too long, writes too much, or fails without a report.
        """
        with self.runs, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                [*self.command, *arguments],
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                code = process.wait(LONGEST_RUN)
            except subprocess.TimeoutExpired:
                _stop(process)
                raise ToolFailure(f"stopped after {LONGEST_RUN:g} s: name fewer paths") from None
            output, messages = _read(out, MOST_OUTPUT + 1), _read(err, _MOST_MESSAGES)
        if len(output) > MOST_OUTPUT:
            raise ToolFailure(f"the report is larger than {MOST_OUTPUT} bytes: name fewer paths")
        if code not in (0, 1) and not (code == _FAILED_IN_PART and output):
            raise ToolFailure(messages.strip() or f"it ended with exit code {code}")
        return ProgramResult(code, output, messages)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a run with the processes that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(stream: IO[bytes], size: int) -> str:
    """Read the beginning of a file from its start."""
    stream.seek(0)
    return stream.read(size).decode("utf-8", "replace")
