"""Checking documents on the workers of a Dask cluster.

The workers read the documents under the same absolute paths, with the same version of this
package. Each has them checked by a process of its own, which a document may crash or keep busy
without harm to the worker. What a worker cannot do, this machine does: documents that the worker
sees with other content or not at all, and those of a worker that was lost.
"""

from __future__ import annotations

import atexit
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.checking.check import FULL_CONTENT, Document, DocumentResult, ReportContent
from inertial_check.errors import UsageError
from inertial_check.running.cache import Fingerprints, program_digest
from inertial_check.running.encoding import decode, encode
from inertial_check.running.workers import (
    Task,
    WorkerProcess,
    check_in_processes,
    split_into_tasks,
)

if TYPE_CHECKING:
    from distributed import Client, Future

_CONNECTION_TIMEOUT = 10.0
"""Time to wait for an answer of the scheduler [s]."""


class _Order(NamedTuple):
    """A task for a worker on another machine.

    Attributes:
        task: The task.
        folder: The working directory, from which relative paths start.
        fingerprints: The fingerprint of each document, as this process sees it.
        program: Digest of the program that has to do the task.
    """

    task: Task
    folder: str
    fingerprints: tuple[str, ...]
    program: str


def check_on_cluster(
    address: str,
    documents: Sequence[Document],
    tell: Callable[[str], None],
    content: ReportContent = FULL_CONTENT,
) -> Iterator[DocumentResult]:
    """Check documents on the workers of a cluster.

    Args:
        address: Address of the scheduler, tcp://HOST:PORT.
        documents: The documents to check.
        tell: Called with each remark for the user.
        content: The optional parts of the report.

    Yields:
        The results, as soon as they arrive.

    Raises:
        UsageError: Dask is not installed, or no scheduler answers.
    """
    with connect(address) as client:
        from distributed import as_completed

        orders = {
            client.submit(_do_order, _order(task), pure=False): task
            for task in split_into_tasks(documents, content)
        }
        left: list[Task] = []
        for future in as_completed(list(orders), loop=client.loop):
            task = orders.pop(future)
            lines = _gather(future) or [None] * len(task.documents)
            for single, line in zip(task.split(), lines, strict=True):
                if line is None:
                    left.append(single)
                else:
                    yield from decode(line)
            future.release()
    if left:
        tell(
            f"{len(left)} of {len(documents)} files were checked on this machine: the workers of "
            f"{address} see other files, have another version, or have ended"
        )
    for results in check_in_processes(left, 1):
        yield from results


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


def _gather(future: Future[list[str | None]]) -> list[str | None] | None:
    """The lines of an order; None if workers that did it were lost too often."""
    if future.status != "finished":
        return None
    try:
        lines: list[str | None] = future.result()
    except Exception:  # the worker was lost after it was done, and the order could not be repeated
        return None
    return lines


def _order(task: Task) -> bytes:
    """Pack a task, with what the worker needs to see whether it has the same files and program."""
    fingerprints = Fingerprints()
    seen = tuple(fingerprints.of(os.path.abspath(each.path)) for each in task.documents)
    return pickle.dumps(_Order(task, os.getcwd(), seen, program_digest()))


def _do_order(packed: bytes) -> list[str | None]:
    """Do a task on a worker: a line per document, None for a document that it cannot check."""
    order: _Order = pickle.loads(packed)
    try:
        os.chdir(order.folder)
    except OSError:
        return [None] * len(order.task.documents)
    if order.program != program_digest():
        return [None] * len(order.task.documents)
    fingerprints = Fingerprints()
    same = [
        fingerprints.of(os.path.abspath(each.path)) == seen
        for each, seen in zip(order.task.documents, order.fingerprints, strict=True)
    ]
    documents = tuple(compress(order.task.documents, same))
    results: list[DocumentResult] = []
    if documents:
        with borrow_process() as process:
            for part in process.do(order.task._replace(documents=documents)):
                results += part
    lines = iter(results)
    return [encode([next(lines)]) if each else None for each in same]


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
