"""Exit codes of the commands."""

from __future__ import annotations

from typing import Final

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


def of_signal(number: int) -> int:
    """The exit code of a command that a signal has ended, as shells report it: 143 for SIGTERM."""
    return 128 + number


BROKEN_PIPE: Final = 141
"""The reader of stdout closed the pipe before the result was known: 128 + SIGPIPE."""
