"""Worker processes that check documents for this process.

Each is started with a fresh interpreter, reads tasks from its standard input and answers on its
standard output; so it ends when this process ends, for whatever reason. If a document crashes a
worker, that becomes a finding, and the other documents are checked.
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
    FULL_CONTENT,
    Document,
    DocumentResult,
    ReportContent,
    check_documents,
    give_up,
)
from inertial_check.running.encoding import decode, encode

_TASK_DOCUMENTS = 32
"""Largest number of documents in one task."""

_TASK_BYTES = 1 << 18
"""Largest size of the documents of one task [bytes]; a single larger document is a task."""

_SLOW_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")
"""Suffixes of files whose reader is a library that takes seconds to import: they are checked by
few workers, so that few import it."""

_SLOW_TASK_DOCUMENTS = 128
"""Largest number of documents with such a suffix in one task."""

_TERMINATION_TIMEOUT = 1.0
"""Time after which a worker that was asked to terminate is killed [s]."""


class Task(NamedTuple):
    """A group of documents that one worker checks.

    Attributes:
        documents: The documents to check.
        content: The optional parts of the report.
    """

    documents: tuple[Document, ...]
    content: ReportContent = FULL_CONTENT

    def split(self) -> list[Task]:
        """The same documents, one in each task."""
        return [self._replace(documents=(document,)) for document in self.documents]

    def run(self) -> list[DocumentResult]:
        """Check the documents in this process."""
        return check_documents(self.documents, self.content)


def split_into_tasks(
    documents: Sequence[Document], content: ReportContent = FULL_CONTENT
) -> list[Task]:
    """Group documents into tasks; those that take longest come first."""
    slow = [each for each in documents if each.path.lower().endswith(_SLOW_SUFFIXES)]
    quick = [each for each in documents if not each.path.lower().endswith(_SLOW_SUFFIXES)]
    parts = [
        slow[at : at + _SLOW_TASK_DOCUMENTS] for at in range(0, len(slow), _SLOW_TASK_DOCUMENTS)
    ]
    part: list[Document] = []
    total = 0
    sized = ((_size(document), document) for document in quick)
    for size, document in sorted(sized, key=lambda each: (-each[0], each[1].path)):
        if part and (len(part) == _TASK_DOCUMENTS or total > _TASK_BYTES):
            parts.append(part)
            part, total = [], 0
        part.append(document)
        total += size
    if part:
        parts.append(part)
    return [Task(tuple(part), content) for part in parts]


def _size(document: Document) -> int:
    """Size of a document [bytes]; templates count for more, as each needs a process to expand."""
    try:
        size = len(document.data) if document.data is not None else os.path.getsize(document.path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        size = 0
    return size + (_TASK_BYTES >> 3) * document.path.lower().endswith(".xacro")


def check_in_processes(
    tasks: Sequence[Task], jobs: int
) -> Generator[list[DocumentResult], None, None]:
    """Check the documents of tasks in worker processes.

    Args:
        tasks: The tasks.
        jobs: Number of workers.

    Yields:
        The results of a task, as soon as it is done.
    """
    pending: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[list[DocumentResult] | BaseException] = queue.SimpleQueue()
    for task in tasks:
        pending.put(task)
    workers = [_Worker(pending, done) for _ in range(min(jobs, len(tasks)))]
    try:
        for worker in workers:
            worker.start()
        left = sum(len(task.documents) for task in tasks)
        while left:
            results = done.get()
            if isinstance(results, BaseException):
                raise results
            left -= len(results)
            yield results
    finally:
        for worker in workers:
            pending.put(None)
            worker.stop()
        for worker in workers:
            worker.close()


class _Worker(threading.Thread):
    """A thread that passes tasks to a process, and starts another when a document crashes it."""

    def __init__(
        self,
        pending: queue.SimpleQueue[Task | None],
        done: queue.SimpleQueue[list[DocumentResult] | BaseException],
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
        """Terminate the process, which ends the processes that it has started."""
        self._stopped.set()
        with self._lock:
            if self._process is not None:
                self._process.terminate()

    def close(self) -> None:
        """Wait until thread and process have ended, after `stop`."""
        if self._process is not None:
            try:
                self._process.wait(_TERMINATION_TIMEOUT)
            except subprocess.TimeoutExpired:
                self._process.kill()
        if self.ident is not None:
            self.join()
        if self._process is not None:
            self._process.communicate()

    def _do(self, task: Task) -> None:
        """Have the process do a task; if that crashes it, do the documents one by one."""
        results = self._ask(task)
        if self._stopped.is_set():
            return
        if results is None and len(task.documents) > 1:
            for each in task.split():
                self._do(each)
            return
        if results is None:
            how = "not started" if self._process is None else _ending(self._process.wait())
            reason = f"checking it has crashed a process ({how}); the other files were checked"
            results = [give_up(document, reason) for document in task.documents]
        self._done.put(results)

    def _ask(self, task: Task) -> list[DocumentResult] | None:
        """Send a task to the process and read the results; None if the process ends instead."""
        process = self._ensure_process()
        if process is None or process.stdin is None or process.stdout is None:
            return None
        request = pickle.dumps(task)
        try:
            process.stdin.write(len(request).to_bytes(8, "little") + request)
            process.stdin.flush()
        except OSError:
            return None
        line = process.stdout.readline()
        return decode(line) if line.endswith(b"\n") else None

    def _ensure_process(self) -> subprocess.Popen[bytes] | None:
        """The running process, started if necessary; None once the worker is stopped."""
        with self._lock:
            if self._stopped.is_set():
                return None
            if self._process is None or self._process.poll() is not None:
                if self._process is not None:
                    self._process.communicate()
                self._process = _start_process()
            return self._process


def _ending(code: int) -> str:
    """How a process ended: the signal that killed it, or its exit code."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"


def _start_process() -> subprocess.Popen[bytes]:
    """Start a worker process with the module search path of this process."""
    code = "from inertial_check.running.workers import main; main()"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
        start_new_session=True,  # Ctrl-C is for this process, which then stops the worker
    )


def main() -> None:
    """Do tasks until there are no more: each is a length and a pickle, answered by a line of JSON.

    Unpickling is safe here: the pickles come only from the process that started this one.
    """
    relax_garbage_collector()
    # sys.exit instead of the default action, so that readers delete their temporary files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries that print to stdout must not garble the answers
    while (task := _receive(requests)) is not None:
        answers.write(encode(task.run()).encode() + b"\n")
        answers.flush()


def relax_garbage_collector() -> None:
    """Have Python search for reference cycles less often: models are many objects, few cycles."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def _receive(stream: BinaryIO) -> Task | None:
    """Read the next task; None at the end of the stream."""
    length = stream.read(8)
    if len(length) < 8:
        return None
    task: Task = pickle.loads(stream.read(int.from_bytes(length, "little")))
    return task
