"""Client of a child process that reads documents, one for each Python process that asks."""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

_clients: dict[type, ChildClient] = {}


class ChildClient(ABC):
    """Client of a child process that is started when it is needed, and again after it has ended.

    Subclasses hold `_lock` while they exchange a request and its answer with the process.
    """

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


def open_child(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    start_new_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a process with pipes for its input and output; what it prints as errors is dropped."""
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=start_new_session,
    )
