"""Pools of processes, of this machine or of a Dask cluster, that check batches of documents."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.errors import UsageError
from inertial_check.results.parts import join_pieces
from inertial_check.running.batches import AnyBatch, Batch, BatchAnswer, BundleBatch, check_batch
from inertial_check.running.cache import Fingerprints, program_digest
from inertial_check.running.cluster import borrow_process, connect
from inertial_check.running.ordered import Promise
from inertial_check.running.workers import WorkerProcess

if TYPE_CHECKING:
    from distributed import Client, Future

_LEAST_WINDOW = 16
"""Smallest number of batches under way on a cluster."""

_BATCHES_OF_THREAD = 4
"""Number of batches under way for each thread of a cluster."""


class LocalPool:
    """Processes of this machine that check batches.

    Args:
        jobs: Number of processes.
    """

    def __init__(self, jobs: int) -> None:
        self._threads = ThreadPoolExecutor(jobs)
        self._own = threading.local()
        self._processes: list[WorkerProcess] = []
        self.window = 4 * jobs

    def submit(self, batch: AnyBatch) -> Promise[BatchAnswer]:
        """Have a batch checked by the next process that is free."""
        return self._threads.submit(self._check, batch)

    def _check(self, batch: AnyBatch) -> BatchAnswer:
        process: WorkerProcess | None = getattr(self._own, "process", None)
        if process is None:
            process = self._own.process = WorkerProcess()
            self._processes.append(process)
        return check_batch(batch, process)

    def describe(self) -> str:
        """How many processes check."""
        return f"{len(self._processes)} processes"

    def close(self) -> None:
        """Stop the processes; batches that are not done are lost."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.stop()
        for process in self._processes:
            process.wait()
        self._threads.shutdown()
        for process in self._processes:
            process.release()


class _Order(NamedTuple):
    """A batch for a worker on another machine.

    Attributes:
        batch: The batch.
        folder: The working directory, from which relative paths start.
        fingerprints: The fingerprint of each document, as this process sees it.
        program: Digest of the program that has to check it.
    """

    batch: AnyBatch
    folder: str
    fingerprints: tuple[str, ...]
    program: str


class ClusterPool:
    """Workers of a Dask cluster that check batches; what they cannot do, this machine does.

    Args:
        address: Address of the scheduler.

    Raises:
        UsageError: Dask is not installed, or no scheduler answers.
    """

    def __init__(self, address: str) -> None:
        self._client: Client = connect(address)
        self._address = address
        self._here: LocalPool | None = None
        self.undone = self.sent = self.received = 0
        threads = sum(self._client.nthreads().values())
        self.window = max(_LEAST_WINDOW, _BATCHES_OF_THREAD * threads)

    def submit(self, batch: AnyBatch) -> Promise[BatchAnswer]:
        """Have a batch checked by a worker of the cluster."""
        fingerprints = Fingerprints()
        seen = tuple(fingerprints.of(os.path.abspath(each.path)) for each in batch.documents)
        packed = pickle.dumps(_Order(batch, os.getcwd(), seen, program_digest()))
        self.sent += len(packed)
        return _ClusterPromise(self, batch, self._client.submit(_check_order, packed, pure=False))

    def finish(self, batch: AnyBatch, future: Future[BatchAnswer]) -> BatchAnswer:
        """Wait for a batch, and do what the worker could not.

        Raises:
            UsageError: The scheduler is gone.
        """
        from concurrent.futures import CancelledError

        try:
            answer: BatchAnswer = future.result()
        except CancelledError:
            raise UsageError(
                f"--cluster {self._address}: the scheduler is gone; the same command goes on from "
                "what is done"
            ) from None
        except Exception:  # workers that had the batch have ended, more often than Dask allows
            answer = BatchAnswer(b"", ())
        future.release()
        self.received += len(answer.piece)
        if answer.paths and not answer.undone:
            return answer
        undone = answer.undone or batch.documents
        self.undone += len(undone)
        if self._here is None:
            self._here = LocalPool(1)
        if isinstance(batch, Batch):
            batch = batch._replace(documents=undone)
        rest = self._here.submit(batch).result()
        if not answer.paths:
            return rest
        return self._join(batch, answer, rest)

    @staticmethod
    def _join(batch: AnyBatch, answer: BatchAnswer, rest: BatchAnswer) -> BatchAnswer:
        piece = join_pieces([answer.piece, rest.piece], batch.form)
        failures = answer.failures + rest.failures
        count = answer.number + rest.number
        return BatchAnswer(piece, answer.paths + rest.paths, failures, number=count)

    def describe(self) -> str:
        """How many workers the scheduler has, as it says now."""
        workers = len(self._client.scheduler_info(n_workers=-1)["workers"])
        return f"{workers} workers of {self._address}"

    def close(self) -> None:
        """Leave the cluster; batches that are not done are cancelled."""
        self._client.close()
        if self._here is not None:
            self._here.close()


class _ClusterPromise:
    def __init__(self, pool: ClusterPool, batch: AnyBatch, future: Future[BatchAnswer]) -> None:
        self._pool, self._batch, self._future = pool, batch, future

    def result(self) -> BatchAnswer:
        return self._pool.finish(self._batch, self._future)


def _check_order(packed: bytes) -> BatchAnswer:
    """Check a batch on a worker of a cluster."""
    order: _Order = pickle.loads(packed)
    batch = order.batch
    nothing = BatchAnswer(b"", (), (), batch.documents)
    try:
        os.chdir(order.folder)
    except OSError:
        return nothing
    if order.program != program_digest():
        return nothing
    fingerprints = Fingerprints()
    same = [
        fingerprints.of(os.path.abspath(each.path)) == seen
        for each, seen in zip(batch.documents, order.fingerprints, strict=True)
    ]
    undone = tuple(compress(batch.documents, (not each for each in same)))
    if isinstance(batch, BundleBatch):
        if undone:
            return nothing
        with borrow_process() as process:
            return check_batch(batch, process)
    documents = tuple(compress(batch.documents, same))
    with borrow_process() as process:
        answer = check_batch(batch._replace(documents=documents), process)
    return answer._replace(undone=undone)


Pool = LocalPool | ClusterPool


@contextmanager
def open_pool(cluster: str | None, jobs: int) -> Iterator[Pool]:
    """Open the processes, or the cluster, that check."""
    pool = LocalPool(jobs) if cluster is None else ClusterPool(cluster)
    try:
        yield pool
    finally:
        pool.close()
