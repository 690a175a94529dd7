"""Batches of documents that are checked for a folder of results, here or by workers of a cluster.

What comes back from a batch is encoded rows, which the process that asked writes as they are.
"""

from __future__ import annotations

import json
import os
import pickle
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.checking.check import Document, DocumentResult, ReportContent
from inertial_check.errors import UsageError
from inertial_check.remote.addresses import Address
from inertial_check.remote.limits import RefusedError
from inertial_check.results.parts import Form, encode_rows, join
from inertial_check.results.rows import ARCHIVE, Row, build_rows
from inertial_check.running.bundles import open_bundle
from inertial_check.running.cache import Fingerprints, program_digest
from inertial_check.running.cluster import borrow_process, connect
from inertial_check.running.ordered import Promise
from inertial_check.running.results_store import make_key
from inertial_check.running.workers import Task, WorkerProcess, measure_size
from inertial_check.settings.settings import Settings

if TYPE_CHECKING:
    from distributed import Client, Future

DOCUMENTS = 64
"""Largest number of documents in one batch."""

_BYTES = 1 << 21
"""Size of the documents of one batch above which no further one is added [bytes]."""


class Batch(NamedTuple):
    """Documents of one upstream.

    Attributes:
        upstream: Name of the upstream.
        documents: The documents.
        content: The optional parts of their reports.
        form: Form of the rows.
    """

    upstream: str
    documents: tuple[Document, ...]
    content: ReportContent
    form: Form


class BundleBatch(NamedTuple):
    """An archive or a URL, which the process that checks it fetches itself.

    Attributes:
        upstream: Name of the upstream.
        address: The address.
        settings: The settings of the run.
        content: The optional parts of the reports.
        form: Form of the rows.
        allowed: Hosts to which servers may redirect.
    """

    upstream: str
    address: Address
    settings: Settings
    content: ReportContent
    form: Form
    allowed: tuple[str, ...] = ()

    @property
    def document(self) -> Document:
        """The archive itself as a document, whose row says whether its members' rows hold."""
        return Document(self.address.shown, bool(self.address.member), self.settings)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The files that have to be the same on a worker."""
        local = self.document._replace(path=self.address.base)
        return (local,) if self.address.is_local else ()


AnyBatch = Batch | BundleBatch


class BatchAnswer(NamedTuple):
    """The results of a batch.

    Attributes:
        piece: The rows, as `results.parts.join` takes them.
        paths: Paths of the documents that were checked.
        failures: Why named documents could not be checked.
        undone: Documents that the worker could not check.
        number: Number of documents that were checked.
        notes: Lines about what was left out of archives.
        whole: Whether the rows are encoded as a whole part, which only has to be written.
    """

    piece: bytes
    paths: tuple[str, ...]
    failures: tuple[str, ...] = ()
    undone: tuple[Document, ...] = ()
    number: int = 0
    notes: tuple[str, ...] = ()
    whole: bool = False


def split_into_batches(
    upstream: str, documents: Iterable[Document], content: ReportContent, form: Form
) -> Iterator[Batch]:
    """Group documents into batches, in their order."""
    part: list[Document] = []
    total = 0
    for document in documents:
        size = measure_size(document)
        if part and (len(part) == DOCUMENTS or total + size > _BYTES):
            yield Batch(upstream, tuple(part), content, form)
            part, total = [], 0
        part.append(document)
        total += size
    if part:
        yield Batch(upstream, tuple(part), content, form)


def check_batch(batch: AnyBatch, process: WorkerProcess) -> BatchAnswer:
    """Check the documents of a batch in a worker process, and encode their rows."""
    if isinstance(batch, BundleBatch):
        return _check_bundle(batch, process)
    results: list[DocumentResult] = []
    if batch.documents:
        for part in process.do(Task(batch.documents, batch.content, own_total=True)):
            results += part
    return encode_answer(batch, results)


def encode_answer(batch: Batch, results: Sequence[DocumentResult]) -> BatchAnswer:
    """Encode the rows of documents with the fingerprints of all files that they depend on."""
    fingerprints = Fingerprints()
    content = repr(batch.content)
    rows: list[Row] = []
    for document, result in zip(batch.documents, results, strict=True):
        own = os.path.abspath(document.path)
        inputs = None
        if result.lookups is not None:
            seen = {path: fingerprints.of(path) for path in (own, *result.lookups)}
            inputs = json.dumps(seen, separators=(",", ":"))
        key = make_key(document, content)
        rows += build_rows(batch.upstream, result, fingerprints.of(own), key, inputs)
    failures = tuple(each.failure for each in results if each.failure is not None)
    paths = tuple(document.path for document in batch.documents)
    piece = encode_rows(rows, batch.form) if rows else b""
    return BatchAnswer(piece, paths, failures, number=len(paths))


def _check_bundle(batch: BundleBatch, process: WorkerProcess) -> BatchAnswer:
    """Fetch an archive or a URL, check its documents, and encode their rows after its own."""
    address = batch.address
    own = os.path.abspath(address.base)
    inputs = None
    if address.is_local:
        inputs = json.dumps({own: Fingerprints().of(own)}, separators=(",", ":"))
    key = make_key(batch.document, repr(batch.content))
    rows: list[Row] = []
    failures: list[str] = []
    notes: tuple[str, ...] = ()
    seen_of = Fingerprints().of
    try:
        with open_bundle(address, batch.settings, batch.allowed) as bundle:
            notes = bundle.notes
            failures += bundle.failures
            for at in range(0, len(bundle.documents), DOCUMENTS):
                task = Task(bundle.documents[at : at + DOCUMENTS], batch.content, own_total=True)
                for result in (each for part in process.do(task) for each in part):
                    own_rows = build_rows(batch.upstream, result, seen_of(result.path), "", None)
                    rows += map(bundle.rename_row, own_rows)
                    if result.failure is not None:
                        failures.append(own_rows[0]["note"])
            count = len(bundle.documents)
    except RefusedError as error:
        failures, count, inputs = [f"{address.shown}: {error}"], 0, None
    row = build_rows(batch.upstream, DocumentResult(address.shown), "", key, inputs)[0]
    row["status"] = ARCHIVE
    rows.insert(0, row)
    part = join([encode_rows(rows, batch.form)], batch.form)
    told = tuple(failures)
    return BatchAnswer(part, (address.shown,), told, number=count, notes=notes, whole=True)


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
        from inertial_check.results.parts import join_pieces

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


_LEAST_WINDOW = 16
"""Smallest number of batches under way on a cluster."""

_BATCHES_OF_THREAD = 4
"""Number of batches under way for each thread of a cluster."""


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
