"""Pools of processes, of this machine or of a Dask cluster, that check batches of documents.

The workers of a cluster read the documents under the same absolute paths, with the same version of
this package. Each has them checked by a process of its own, which a document may crash or keep busy
without harm to the worker. What a worker cannot do, this machine does: documents that the worker
sees with other content or not at all, and those of a worker that was lost.

What comes back from a batch of a folder of results is encoded rows, which the process that asked
writes as they are, in the order of the batches, of which a bounded number is under way.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from inertial_check.checking.check import Document, DocumentResult, ReportContent
from inertial_check.checking.settings import Settings
from inertial_check.errors import UsageError
from inertial_check.running.cache import Fingerprints, make_key, program_digest
from inertial_check.running.remote.addresses import Address, RefusedError
from inertial_check.running.remote.bundles import open_bundle
from inertial_check.running.results.reading import Form, encode_rows, join
from inertial_check.running.results.rows import ARCHIVE, Row, build_rows
from inertial_check.running.workers import Task, WorkerProcess, measure_size

if TYPE_CHECKING:
    import distributed
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
    folder, process = os.getcwd(), None
    with suppress(IndexError):
        known, process = _idle.pop()
        if known != folder:
            process.close()
            process = None
    if process is None:
        process = WorkerProcess()
        atexit.register(process.close)
    try:
        yield process
    finally:
        _idle.append((folder, process))


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


Promise = Callable[[], list[Answer]]
"""Waits for the answers to work: one, or two where different machines have done it."""


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

    def submit(self, work: Work[Answer]) -> Promise[Answer]:
        """Have work done by the next process that is free."""
        return self._start(work).result

    def _start(self, work: Work[Answer]) -> Future[list[Answer]]:
        def do() -> list[Answer]:
            process: WorkerProcess | None = getattr(self._own, "process", None)
            if process is None:
                process = self._own.process = WorkerProcess()
                self._processes.append(process)
            return [work.check(process)]

        return self._threads.submit(do)

    def do_all(self, works: Iterable[Work[Answer]]) -> Iterator[Answer]:
        """Have all work done; the answers come as soon as they are there."""
        for future in as_completed([self._start(work) for work in works]):
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


_ClusterFuture: TypeAlias = "distributed.Future[tuple[Answer, list[Document]] | None]"


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

    def submit(self, work: Work[Answer]) -> Promise[Answer]:
        """Have work done by a worker of the cluster."""
        return partial(self._finish, work, self._start(work))

    def _start(self, work: Work[Answer]) -> _ClusterFuture[Answer]:
        fingerprints = Fingerprints()
        seen = tuple(fingerprints.of(os.path.abspath(each.path)) for each in work.documents)
        packed = pickle.dumps(_Order(work, os.getcwd(), seen, program_digest()))
        self.sent += len(packed)
        return self._client.submit(_do_order, packed, pure=False)

    def do_all(self, works: Iterable[Work[Answer]]) -> Iterator[Answer]:
        """Have all work done; the answers come as soon as they are there."""
        import distributed

        started = {self._start(work): work for work in works}
        for future in distributed.as_completed(list(started), loop=self._client.loop):
            yield from self._finish(started.pop(future), future)

    def _finish(self, work: Work[Answer], future: _ClusterFuture[Answer]) -> list[Answer]:
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
        return [*answers, *self._here.submit(rest)()]

    def describe(self) -> str:
        """How many workers the scheduler has, as it says now."""
        workers = len(self._client.scheduler_info(n_workers=-1)["workers"])
        return f"{workers} workers of {self._address}"

    def close(self) -> None:
        """Leave the cluster; work that is not done is cancelled."""
        self._client.close()
        if self._here is not None:
            self._here.close()


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


Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    items: Iterable[Item], submit: Callable[[Item], Promise[Result]], window: int
) -> Iterator[tuple[Item, list[Result]]]:
    """Submit items, and give each with its answers, in their order.

    Items are taken only when there is room: of those that were submitted, at most `window` have not
    been given yet, whether or not their answers are there.

    Args:
        items: The items.
        submit: Starts the work on an item.
        window: Largest number of items under way.
    """
    pending: deque[tuple[Item, Promise[Result]]] = deque()
    for item in items:
        if len(pending) >= window:
            first, promise = pending.popleft()
            yield first, promise()
        pending.append((item, submit(item)))
    while pending:
        first, promise = pending.popleft()
        yield first, promise()


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

    def only(self, documents: tuple[Document, ...]) -> Batch:
        """The same batch with some of its documents."""
        return self._replace(documents=documents)

    def check(self, process: WorkerProcess) -> BatchAnswer:
        """Check the documents in a worker process, and encode their rows."""
        if not self.documents:
            return BatchAnswer(b"", ())
        fingerprints, content = Fingerprints(), repr(self.content)
        rows: list[Row] = []
        failures = []
        results = Task(self.documents, self.content, own_total=True).check(process)
        for document, result in zip(self.documents, results, strict=True):
            own = os.path.abspath(document.path)
            inputs = None
            if result.lookups is not None and not document.settings.history:
                paths = (own, *result.lookups, *result.witnesses)
                seen = {path: fingerprints.of(path) for path in paths}
                inputs = json.dumps(seen, separators=(",", ":"))
            key = make_key(document, content)
            rows += build_rows(self.upstream, result, fingerprints.of(own), key, inputs)
            if result.failure is not None:
                failures.append(result.failure)
        names = tuple(document.path for document in self.documents)
        return BatchAnswer(encode_rows(rows, self.form), names, tuple(failures), number=len(names))


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

    def only(self, documents: tuple[Document, ...]) -> None:
        """Say that an archive is checked as a whole."""

    def check(self, process: WorkerProcess) -> BatchAnswer:
        """Fetch the archive, check its documents, and encode their rows after its own."""
        address = self.address
        own = os.path.abspath(address.base)
        inputs = None
        if address.is_local and not os.path.isdir(own):  # of a repository the files do not tell
            inputs = json.dumps({own: Fingerprints().of(own)}, separators=(",", ":"))
        key = make_key(self.document, repr(self.content))
        rows: list[Row] = []
        failures: list[str] = []
        notes: tuple[str, ...] = ()
        seen_of = Fingerprints().of
        try:
            with open_bundle(address, self.settings, self.allowed) as bundle:
                notes = bundle.notes
                failures += bundle.failures
                for at in range(0, len(bundle.documents), DOCUMENTS):
                    task = Task(bundle.documents[at : at + DOCUMENTS], self.content, own_total=True)
                    for result in task.check(process):
                        found = build_rows(self.upstream, result, seen_of(result.path), "", None)
                        rows += bundle.rename_rows(found)
                        if result.failure is not None:
                            failures.append(found[0]["note"])
                count = len(bundle.documents)
        except RefusedError as error:
            failures, count, inputs = [f"{address.shown}: {error}"], 0, None
        (row,) = build_rows(self.upstream, DocumentResult(address.shown), "", key, inputs)
        row["status"] = ARCHIVE
        rows.insert(0, row)
        part = join([encode_rows(rows, self.form)], self.form)
        told = tuple(failures)
        return BatchAnswer(part, (address.shown,), told, number=count, notes=notes, whole=True)


AnyBatch = Batch | BundleBatch


class BatchAnswer(NamedTuple):
    """The results of a batch.

    Attributes:
        piece: The rows, as `results.reading.join` takes them.
        paths: Paths of the documents that were checked.
        failures: Why named documents could not be checked.
        number: Number of documents that were checked.
        notes: Lines about what was left out of archives.
        whole: Whether the rows are encoded as a whole part, which only has to be written.
    """

    piece: bytes
    paths: tuple[str, ...]
    failures: tuple[str, ...] = ()
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
