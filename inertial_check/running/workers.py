"""Processes that check documents for this one.

Each is started anew, asked on its standard input, and answers on its standard output; so it ends
when this process ends, however that comes about. A document that ends a worker becomes a finding of
its own, and the others are checked.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from typing import BinaryIO, NamedTuple

from inertial_check.checking.check import (
    EVERYTHING,
    Document,
    Extent,
    Outcome,
    check_documents,
    unreadable,
)
from inertial_check.running.encoding import decoded, encoded
from inertial_check.settings.settings import Settings

_TOGETHER = 32
"""Documents in one task."""

_BYTES = 1 << 18
"""Of them, unless it is only one."""

_SLOW_STARTS = (".usd", ".usda", ".usdc", ".usdz")
"""Read through a library that takes long to load: better by few workers than by all."""

_MOST_SLOW = 128

_PATIENCE = 1.0
"""[s] For a worker to end by itself."""


class Task(NamedTuple):
    """Documents for one worker.

    Attributes:
        documents: What to check.
        settings: Of each, by a number in `kinds`.
        kinds: The settings that occur.
        extent: What is wanted besides findings and judgements.
    """

    documents: tuple[Document, ...]
    settings: tuple[int, ...]
    kinds: tuple[Settings, ...]
    extent: Extent = EVERYTHING

    def single(self) -> list[Task]:
        """The same, one document a task."""
        return [
            self._replace(documents=(document,), settings=(kind,))
            for document, kind in zip(self.documents, self.settings, strict=True)
        ]

    def done(self) -> list[Outcome]:
        """The outcomes."""
        kinds = {
            document.path: self.kinds[kind]
            for document, kind in zip(self.documents, self.settings, strict=True)
        }
        return check_documents(self.documents, kinds.__getitem__, self.extent)

    def given_up(self, reason: str) -> list[Outcome]:
        """The outcomes where nothing can be said of the documents, and why."""
        return [
            unreadable(document, self.kinds[kind], reason)
            for document, kind in zip(self.documents, self.settings, strict=True)
        ]


def tasks(
    documents: Sequence[tuple[Document, Settings]],
    extent: Extent = EVERYTHING,
    together: int = _TOGETHER,
) -> list[Task]:
    """Documents in tasks, what takes long first."""
    kinds: dict[int, tuple[int, Settings]] = {}
    for _, settings in documents:
        kinds.setdefault(id(settings), (len(kinds), settings))
    numbered = [(_size(document), document, kinds[id(own)][0]) for document, own in documents]
    slow = [each for each in numbered if each[1].path.lower().endswith(_SLOW_STARTS)]
    quick = [each for each in numbered if not each[1].path.lower().endswith(_SLOW_STARTS)]
    parts = [slow[at : at + _MOST_SLOW] for at in range(0, len(slow), _MOST_SLOW)]
    part: list[tuple[int, Document, int]] = []
    for each in sorted(quick, key=lambda each: (-each[0], each[1].path)):
        if part and (len(part) == together or sum(size for size, *_ in part) > _BYTES):
            parts.append(part)
            part = []
        part.append(each)
    if part:
        parts.append(part)
    shared = tuple(settings for _, settings in kinds.values())
    return [
        Task(tuple(each[1] for each in part), tuple(each[2] for each in part), shared, extent)
        for part in parts
    ]


def _size(document: Document) -> int:
    """Bytes; a template counts for more, as it takes a process of its own."""
    try:
        size = len(document.data) if document.data is not None else os.path.getsize(document.path)
    except (OSError, ValueError):
        size = 0
    return size + (_BYTES >> 3) * document.path.lower().endswith(".xacro")


def in_processes(work: Sequence[Task], jobs: int) -> Generator[list[Outcome], None, None]:
    """Have tasks done by worker processes.

    Args:
        work: The tasks.
        jobs: How many workers.

    Yields:
        The outcomes of a task, as soon as it is done.
    """
    pending: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[list[Outcome] | BaseException] = queue.SimpleQueue()
    for task in work:
        pending.put(task)
    workers = [_Worker(pending, done) for _ in range(min(jobs, len(work)))]
    try:
        for worker in workers:
            worker.start()
        left = sum(len(task.documents) for task in work)
        while left:
            outcomes = done.get()
            if isinstance(outcomes, BaseException):
                raise outcomes
            left -= len(outcomes)
            yield outcomes
    finally:
        for worker in workers:
            pending.put(None)
            worker.stop()
        for worker in workers:
            worker.close()


class _Worker(threading.Thread):
    """Asks one process after the other: a new one where a document has ended the last."""

    def __init__(
        self,
        pending: queue.SimpleQueue[Task | None],
        done: queue.SimpleQueue[list[Outcome] | BaseException],
    ) -> None:
        super().__init__(daemon=True)
        self._pending, self._done = pending, done
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        try:
            while (task := self._pending.get()) is not None and not self._stopped.is_set():
                self._do(task)
        except BaseException as error:  # the main thread raises it
            self._done.put(error)

    def stop(self) -> None:
        """Have the process end, and those that it has started."""
        self._stopped.set()
        with self._lock:
            if self._process is not None:
                self._process.terminate()

    def close(self) -> None:
        """See that it has ended, after `stop`."""
        if self._process is not None:
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
        if self.ident is not None:
            self.join()
        if self._process is not None:
            self._process.communicate()

    def _do(self, task: Task) -> None:
        """Have a task done; if it ends the process, its documents one by one."""
        outcomes = self._asked(task)
        if self._stopped.is_set():
            return
        if outcomes is None and len(task.documents) > 1:
            for each in task.single():
                self._do(each)
            return
        if outcomes is None:
            how = "not started" if self._process is None else _how_it_ended(self._process.wait())
            reason = f"checking it has ended a process ({how}); the other files were checked"
            outcomes = task.given_up(reason)
        self._done.put(outcomes)

    def _asked(self, task: Task) -> list[Outcome] | None:
        """The outcomes; None where the process has ended instead."""
        process = self._running()
        if process is None or process.stdin is None or process.stdout is None:
            return None
        request = pickle.dumps(task)
        try:
            process.stdin.write(len(request).to_bytes(8, "little") + request)
            process.stdin.flush()
        except OSError:
            return None
        line = process.stdout.readline()
        return decoded(line) if line.endswith(b"\n") else None

    def _running(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped.is_set():
                return None
            if self._process is None or self._process.poll() is not None:
                if self._process is not None:
                    self._process.communicate()
                self._process = _started()
            return self._process


def _how_it_ended(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"


def _started() -> subprocess.Popen[bytes]:
    """A worker; it finds the modules that this process finds, wherever it starts."""
    code = "from inertial_check.running.workers import main; main()"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
        start_new_session=True,  # what interrupts this process is not for it: it is stopped
    )


def main() -> None:
    """Do tasks until there are none: each a length and a pickle, answered by a line of JSON.

    The pickles come from the process that started this one, and from nowhere else.
    """
    spare_collector()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # readers leave nothing behind
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer
    while (task := _received(requests)) is not None:
        answers.write(encoded(task.done()).encode() + b"\n")
        answers.flush()


def spare_collector() -> None:
    """Have Python look for cycles less often: a model is thousands of objects, and few cycles."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def _received(stream: BinaryIO) -> Task | None:
    length = stream.read(8)
    if len(length) < 8:
        return None
    task: Task = pickle.loads(stream.read(int.from_bytes(length, "little")))
    return task
