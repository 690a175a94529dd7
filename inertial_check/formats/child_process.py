"""Client of a child process that reads documents, one for each Python process that asks."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Self

from inertial_check.files.access import Limits

# fmt: off
_PASSED = frozenset([
    "LANG", "LC_ALL", "LC_CTYPE",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
    "PYTHONHOME", "PYTHONUTF8", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX",
    "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR",
])
# fmt: on
"""Environment variables that a child process gets: Python starts with them, and none is a secret.
"""

_SHARE = 3.0
"""Time for a document divided by the time for one answer of a child process: 20 s of 60 s."""

_clients: dict[type, ChildClient] = {}


class ChildClient(ABC):
    """Client of a child process that is started when it is needed, and again after it has ended."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def current(cls) -> Self:
        """Return the client of this Python process; a fork starts its own."""
        client = _clients.get(cls)
        if not isinstance(client, cls) or client._owner != os.getpid():
            client = _clients[cls] = cls()
            atexit.register(client.close)
        return client

    def ensure_process(self) -> subprocess.Popen[bytes]:
        """Return the process that is running, or start one."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._start()
        return self._process

    @contextmanager
    def exchange(self) -> Iterator[subprocess.Popen[bytes]]:
        """Use the process for one request and its answer, which no other thread interrupts.

        If that is not completed, the process ends: the next request would get the wrong answer.
        """
        with self._lock:
            process = self.ensure_process()
            try:
                yield process
            except BaseException:  # also the end of the time for the document
                self.close()
                raise

    def close(self) -> None:
        """End the process, unless it belongs to the Python process of which this is a fork."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            self._end(process)

    @abstractmethod
    def _start(self) -> subprocess.Popen[bytes]:
        """Start the process."""

    @abstractmethod
    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End the process and remove what it leaves behind."""


def answer_seconds(limits: Limits) -> float:
    """Return the time in which a child process must answer [s], a part of that for a document."""
    return limits.seconds / _SHARE


def open_child(
    code: str,
    *arguments: str,
    environment: Mapping[str, str] = MappingProxyType({}),
    start_new_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a Python process with pipes for its input and output; it prints no errors.

    It finds modules where this process does, but not in the working directory, where a stranger's
    files may lie. It gets nothing of the environment but what Python needs, because a document that
    takes over the process could read all of it.

    Args:
        code: Python code that the process runs.
        arguments: Arguments of the process, in sys.argv[1:].
        environment: Environment variables that it gets besides.
        start_new_session: Whether signals from the terminal must not reach it.
    """
    paths = [path for path in sys.path if os.path.isabs(path)]
    code = f"import sys; sys.path[:] = {paths!r}; {code}"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**child_environment(), **environment},
        start_new_session=start_new_session,
    )


def child_environment() -> dict[str, str]:
    """Return the environment of a child process."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED or (name == "PATH" and sys.platform == "win32")  # finds libraries there
    }
