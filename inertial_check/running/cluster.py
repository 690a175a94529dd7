"""Connecting to a Dask cluster, and the processes that its workers keep."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inertial_check.errors import UsageError
from inertial_check.running.workers import WorkerProcess

if TYPE_CHECKING:
    from distributed import Client

_CONNECTION_TIMEOUT = 10.0
"""Time to wait for an answer of the scheduler [s]."""


def connect(address: str) -> Client:
    """Connect to the scheduler of a cluster.

    Raises:
        UsageError: Dask is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError('--cluster needs Dask: pip install "inertial-check[cluster]"') from None
    try:
        return Client(address, timeout=_CONNECTION_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--cluster {address}: no scheduler answers: {error}") from None


_idle: list[tuple[str, WorkerProcess]] = []
"""Processes of this worker that wait for an order, each with the folder in which it runs."""


@contextmanager
def borrow_process() -> Iterator[WorkerProcess]:
    """A process in the working directory that no other thread uses; it is kept for later orders."""
    folder = os.getcwd()
    try:
        known, process = _idle.pop()
    except IndexError:
        known, process = folder, WorkerProcess()
        atexit.register(_close, process)
    if known != folder:
        _close(process)
        process = WorkerProcess()
        atexit.register(_close, process)
    try:
        yield process
    finally:
        _idle.append((folder, process))


def _close(process: WorkerProcess) -> None:
    process.stop()
    process.wait()
    process.release()
