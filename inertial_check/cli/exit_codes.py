"""What the process tells its caller: one number, one meaning."""

from __future__ import annotations

from typing import Final

CLEAN: Final = 0
"""Nothing at or above --fail-on; for `fix`, nothing left to do."""

FINDINGS: Final = 1
"""Findings at or above --fail-on; what is left to do.

For `fix`, a diff that was not written or a body still broken; for `identify`, a body that was not
written; for `excite`, a motion beyond a limit.
"""

FAILURE: Final = 2
"""The job could not be done: usage, configuration, an unreadable named file, nothing to check."""

INTERRUPTED: Final = 130
"""Stopped from the keyboard: 128 + SIGINT, as a shell reports it."""

BROKEN_PIPE: Final = 141
"""The reader of stdout left before the result was known: 128 + SIGPIPE."""
