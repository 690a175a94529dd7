"""Pools of processes, of this machine or of a Dask cluster, that check batches of documents.

The workers of a cluster read the documents under the same absolute paths, with the same version of
this package. Each has them checked by a process of its own, which a document may crash or keep busy
without harm to the worker. What a worker cannot do, this machine does: documents that the worker
sees with other content or not at all, and those of a worker that was lost.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import compress
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeVar

from inertial_check.checking.check import Document
from inertial_check.errors import UsageError
from inertial_check.running.cache import Fingerprints, program_digest
from inertial_check.running.cluster import borrow_process, connect
from inertial_check.running.workers import WorkerProcess

if TYPE_CHECKING:
    import distributed

_LEAST_WINDOW = 16
"""Smallest number of batches under way on a cluster."""

_BATCHES_OF_THREAD = 4
"""Number of batches under way for each thread of a cluster."""

Answer = TypeVar("Answer")
Answer_co = TypeVar("Answer_co", covariant=True)


class Work(Protocol[Answer_co]):
    """Documents that are checked together."""

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, which have to be the same files where they are checked."""

    def only(self, documents: tuple[Document, ...]) -> Self | None:
        """The same work on some of its documents; None if it cannot be divided."""

    def check(self, process: WorkerProcess) -> Answer_co:
        """Have the documents checked by a process."""


class Promise(Protocol[Answer]):
    """Answers that may not be there yet, such as a future of them."""

    def result(self) -> list[Answer]:
        """Wait for the answers: one, or two where different machines have done the work."""


class LocalPool:
    """Processes of this machine that do work.

    Args:
        jobs: Number of processes.

    Attributes:
        window: Largest number of batches that are worth being under way.
        undone: Number of documents that were checked on another machine than was asked for.
        sent: Size of what went to other machines [bytes].
    """

    undone = sent = 0

    def __init__(self, jobs: int) -> None:
        self._threads = ThreadPoolExecutor(jobs)
        self._own = threading.local()
        self._processes: list[WorkerProcess] = []
        self.window = 4 * jobs

    def submit(self, work: Work[Answer]) -> Future[list[Answer]]:
        """Have work done by the next process that is free."""

        def do() -> list[Answer]:
            process: WorkerProcess | None = getattr(self._own, "process", None)
            if process is None:
                process = self._own.process = WorkerProcess()
                self._processes.append(process)
            return [work.check(process)]

        return self._threads.submit(do)

    def do_all(self, works: Iterable[Work[Answer]]) -> Iterator[Answer]:
        """Have all work done; the answers come as soon as they are there."""
        for future in as_completed([self.submit(work) for work in works]):
            yield from future.result()

    def describe(self) -> str:
        """How many processes check."""
        return f"{len(self._processes)} processes"

    def close(self) -> None:
        """Stop the processes; work that is not done is lost."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.stop()
        for process in self._processes:
            process.wait()
        self._threads.shutdown()
        for process in self._processes:
            process.release()


class _Order(NamedTuple):
    """Work for a worker on another machine.

    Attributes:
        work: The work.
        folder: The working directory, from which relative paths start.
        fingerprints: The fingerprint of each document, as this process sees it.
        program: Digest of the program that has to check it.
    """

    work: Work[Any]
    folder: str
    fingerprints: tuple[str, ...]
    program: str


class ClusterPool:
    """Workers of a Dask cluster that do work; what they cannot do, this machine does.

    Args:
        address: Address of the scheduler, tcp://HOST:PORT.

    Raises:
        UsageError: Dask is not installed, or no scheduler answers.
    """

    def __init__(self, address: str) -> None:
        self._client: distributed.Client = connect(address)
        self._address = address
        self._here: LocalPool | None = None
        self.undone = self.sent = 0
        threads = sum(self._client.nthreads().values())
        self.window = max(_LEAST_WINDOW, _BATCHES_OF_THREAD * threads)

    def submit(self, work: Work[Answer]) -> _ClusterPromise[Answer]:
        """Have work done by a worker of the cluster."""
        fingerprints = Fingerprints()
        seen = tuple(fingerprints.of(os.path.abspath(each.path)) for each in work.documents)
        packed = pickle.dumps(_Order(work, os.getcwd(), seen, program_digest()))
        self.sent += len(packed)
        return _ClusterPromise(self, work, self._client.submit(_do_order, packed, pure=False))

    def do_all(self, works: Iterable[Work[Answer]]) -> Iterator[Answer]:
        """Have all work done; the answers come as soon as they are there."""
        import distributed

        promises = {promise.future: promise for promise in map(self.submit, works)}
        for future in distributed.as_completed(list(promises), loop=self._client.loop):
            yield from promises.pop(future).result()

    def finish(
        self, work: Work[Answer], future: distributed.Future[tuple[Answer, list[Document]] | None]
    ) -> list[Answer]:
        """Wait for work, and do what the worker could not.

        Raises:
            UsageError: The scheduler is gone.
        """
        try:
            done = future.result()
        except CancelledError:
            raise UsageError(
                f"--cluster {self._address}: the scheduler is gone; the same command goes on from "
                "what is done"
            ) from None
        except Exception:  # workers that had the work have ended, more often than Dask allows
            done = None
        future.release()
        answers, left = ([], [*work.documents]) if done is None else ([done[0]], done[1])
        if done is not None and not left:
            return answers
        self.undone += len(left)
        if self._here is None:
            self._here = LocalPool(1)
        rest = work if done is None else work.only(tuple(left))
        assert rest is not None  # only work that can be divided is done in part
        return [*answers, *self._here.submit(rest).result()]

    def describe(self) -> str:
        """How many workers the scheduler has, as it says now."""
        workers = len(self._client.scheduler_info(n_workers=-1)["workers"])
        return f"{workers} workers of {self._address}"

    def close(self) -> None:
        """Leave the cluster; work that is not done is cancelled."""
        self._client.close()
        if self._here is not None:
            self._here.close()


class _ClusterPromise(Generic[Answer]):
    def __init__(
        self,
        pool: ClusterPool,
        work: Work[Answer],
        future: distributed.Future[tuple[Answer, list[Document]] | None],
    ) -> None:
        self._pool, self._work, self.future = pool, work, future

    def result(self) -> list[Answer]:
        return self._pool.finish(self._work, self.future)


def _do_order(packed: bytes) -> tuple[object, list[Document]] | None:
    """Do an order on a worker of a cluster.

    Returns:
        The answer, and the documents that are others here; None if nothing can be done.
    """
    order: _Order = pickle.loads(packed)
    work = order.work
    try:
        os.chdir(order.folder)
    except OSError:
        return None
    if order.program != program_digest():
        return None
    fingerprints = Fingerprints()
    same = [
        fingerprints.of(os.path.abspath(each.path)) == seen
        for each, seen in zip(work.documents, order.fingerprints, strict=True)
    ]
    left: list[Document] = []
    if not all(same):
        left = [each for each, is_same in zip(work.documents, same, strict=True) if not is_same]
        part = work.only(tuple(compress(work.documents, same))) if any(same) else None
        if part is None:
            return None
        work = part
    with borrow_process() as process:
        return work.check(process), left


Pool = LocalPool | ClusterPool


@contextmanager
def open_pool(cluster: str | None, jobs: int) -> Iterator[Pool]:
    """Open the processes, or the cluster, that check."""
    pool = LocalPool(jobs) if cluster is None else ClusterPool(cluster)
    try:
        yield pool
    finally:
        pool.close()
