"""Worker processes that check documents for this process, and the encoding of their results.

Each is started with a fresh interpreter, reads tasks from its standard input and answers on its
standard output; so it ends when this process ends, for whatever reason. If a document crashes a
worker, or keeps it busy beyond the time limit, that becomes a finding, and the other documents are
checked. The documents of a task whose worker has ended are checked again one by one.

Results are named tuples of tuples, numbers and strings. JSON writes them as lists, exact to the
bit; decoding restores the types from their annotations. A line is never executed.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    BinaryIO,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from inertial_check.checking.check import (
    FULL_CONTENT,
    Document,
    DocumentResult,
    ReportContent,
    check_documents,
    describe_lateness,
    give_up,
)
from inertial_check.checking.report import Severity
from inertial_check.documents.children import (
    Interruption,
    Termination,
    count_interruptions,
    describe_report,
    ignore_swallowed_interruptions,
    limit_expansions,
    renew_total,
)
from inertial_check.running import find_size, prescribe_lazily

if TYPE_CHECKING:
    import numpy as np


_Decoder = Callable[[Any], Any]  # Any: parsed JSON of any type, and what is restored from it


def encode(answers: Sequence[tuple[object, ...]]) -> str:
    """Encode results, or rows of documents, as one line of JSON, without a line end."""
    return json.dumps(answers, default=_plain, separators=(",", ":"))


def decode(line: str | bytes) -> list[DocumentResult]:
    """Decode the results from a line.

    Raises:
        ValueError: The line does not hold results.
    """
    return restore(json.loads(line))


def restore(rows: object) -> list[DocumentResult]:
    """Restore results from parsed JSON.

    Raises:
        ValueError: The rows are not results.
    """
    if not isinstance(rows, list):
        raise ValueError("no results: not a list")
    decode_row = _named_tuple_decoder(DocumentResult)
    try:
        return [decode_row(row) for row in rows]
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"no results: {error}") from None


def _plain(value: Mapping[str, object] | np.generic) -> object:
    """Values that JSON can write, for other mappings and NumPy scalars."""
    return dict(value) if isinstance(value, Mapping) else value.item()


@cache
def _decoder(annotation: object) -> _Decoder | None:
    """The function that restores a value of an annotated type; None if JSON keeps the value."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        (inner,) = {_decoder(each) for each in arguments if each is not type(None)}
        return inner and (lambda value: None if value is None else inner(value))
    if origin is tuple:
        item = _decoder(arguments[0])
        return tuple if item is None else lambda values: tuple(map(item, values))
    if annotation is Any or origin is Literal or annotation in (str, int, float, bool):
        return None
    if annotation is Severity:
        return Severity
    if isinstance(origin, type) and issubclass(origin, Mapping):
        member = _decoder(arguments[1])
        return member and (lambda values: {key: member(value) for key, value in values.items()})
    return _named_tuple_decoder(annotation)


@cache
def _named_tuple_decoder(kind: Any) -> _Decoder:  # noqa: ANN401 - classes of NamedTuple share no type
    """The function that restores a named tuple from the list of its fields."""
    hints = get_type_hints(kind)
    inner = [(at, _decoder(hints[name])) for at, name in enumerate(kind._fields)]
    changed = [(at, decode) for at, decode in inner if decode is not None]
    count = len(inner)

    def decode(row: list[object]) -> object:
        if len(row) != count:
            raise ValueError(f"{kind.__name__} has {count} fields, not {len(row)}")
        for at, each in changed:
            if row[at] is not None:
                row[at] = each(row[at])
        return tuple.__new__(kind, row)

    return decode


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

_SIGN_PERIOD = 1.0
"""Shortest time between two signs of life of a worker [s]."""

_GRACE = 5.0
"""Time beyond the limit for one document after which a silent worker is killed [s]: it stops the
document itself, unless that keeps it inside a library that takes no signals."""

_ATTEMPTS = 2
"""Number of times that a document has to crash a worker that checks nothing else before it gets
the blame: something else may have killed the process, such as a lack of memory."""

_LAST = b"last "
"""Prefix of an answer after which the worker ends."""

_PARENT_PERIOD = 1.0
"""Time between two looks of a worker whether the process that started it still runs [s]."""


class Task(NamedTuple):
    """A group of documents that one worker checks, whose answers are results.

    Attributes:
        documents: The documents to check.
        content: The optional parts of the report.
        own_total: Whether the limit for all xacro files of a run holds for this task alone, so that
            its result does not depend on what the process has done before.
    """

    documents: tuple[Document, ...]
    content: ReportContent = FULL_CONTENT
    own_total: bool = False

    def only(self, documents: tuple[Document, ...]) -> Task:
        """The same task on some of its documents."""
        return self._replace(documents=documents)

    def check(self, process: WorkerProcess) -> list[DocumentResult]:
        """Have the documents checked by a process."""
        return [result for part in process.do(self) for result in part]

    def run(self, begin: Callable[[str], None] = lambda path: None) -> list[DocumentResult]:
        """Check the documents in this process; `begin` is called before each step."""
        prescribe = prescribe_lazily if self.content.remedies else None
        with renew_total() if self.own_total else nullcontext():
            return check_documents(self.documents, self.content, begin, prescribe)

    @property
    def seconds(self) -> float:
        """The largest time limit of one of the documents [s]."""
        return max(each.settings.context.granted.limits.seconds for each in self.documents)


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
    sized = ((measure_size(document), document) for document in quick)
    for size, document in sorted(sized, key=lambda each: (-each[0], each[1].path)):
        if part and (len(part) == _TASK_DOCUMENTS or total > _TASK_BYTES):
            parts.append(part)
            part, total = [], 0
        part.append(document)
        total += size
    if part:
        parts.append(part)
    return [Task(tuple(part), content) for part in parts]


def measure_size(document: Document) -> int:
    """Size of a document [bytes]; templates count for more, as each needs a process to expand."""
    return find_size(document) + (_TASK_BYTES >> 3) * document.path.lower().endswith(".xacro")


class WorkerProcess:
    """A process that does tasks, and is started again after a document has crashed or stopped it.

    One thread calls `do`; any may call `stop`, then `wait` and `release`.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: _Watch | None = None
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def do(self, task: Task) -> Generator[list[DocumentResult], None, None]:
        """Have a task done; if that ends the process, its documents are done one by one.

        Yields:
            Answers for some of the documents; of all of them unless `stop` is called.
        """
        results = self._ask(task)
        if results is None and len(task.documents) > 1:
            for each in task.documents:
                yield from self.do(task.only((each,)))
            return
        attempts = 1
        while results is None and not self._stopped.is_set() and not self._was_late():
            if attempts == _ATTEMPTS:
                break
            results, attempts = self._ask(task), attempts + 1
        if self._stopped.is_set():
            return
        yield self._give_up(task) if results is None else results

    def stop(self) -> None:
        """Terminate the process, and start none any more."""
        self._stopped.set()
        with self._lock:
            if self._process is not None:
                self._process.terminate()

    def wait(self) -> None:
        """Wait until the process has ended, after `stop`; it is killed if that takes long."""
        if self._process is not None:
            _end(self._process)

    def release(self) -> None:
        """Close the streams of the process, after `wait`."""
        if self._process is not None:
            _bury(self._process)
        if self._watch is not None:
            self._watch.close()

    def close(self) -> None:
        """Stop the process, wait for it and close its streams."""
        self.stop()
        self.wait()
        self.release()

    def _was_late(self) -> bool:
        return self._watch is not None and self._watch.rung

    def _give_up(self, task: Task) -> list[DocumentResult]:
        """The finding on the only document of a task that always ends the process."""
        (document,) = task.documents
        if self._was_late():
            return [give_up(document, describe_lateness(task.seconds))]
        how = "not started"
        if self._process is not None:
            code = self._process.wait()
            try:
                how = signal.Signals(-code).name
            except ValueError:
                how = f"exit code {code}"
        reason = f"checking it has crashed a process ({how}); the other files were checked"
        return [give_up(document, reason)]

    def _ask(self, task: Task) -> list[DocumentResult] | None:
        """Send a task to the process and read the answers; None if the process ends instead."""
        process = self._ensure_process()
        watch = self._watch
        if process is None or process.stdin is None or process.stdout is None or watch is None:
            return None
        request = pickle.dumps(task)
        watch.start_timer(process, task.seconds + _SIGN_PERIOD + _GRACE)
        try:
            process.stdin.write(len(request).to_bytes(8, "little") + request)
            process.stdin.flush()
            while (line := process.stdout.readline()) == b"\n":  # a sign of life
                watch.restart_timer()
            results = decode(line.removeprefix(_LAST))
            if line.startswith(_LAST):
                _end(process)
        except (OSError, ValueError):  # ValueError: only a part of an answer, or none
            _end(process)
            return None
        finally:
            watch.stop_timer()
        return results if len(results) == len(task.documents) else None

    def _ensure_process(self) -> subprocess.Popen[bytes] | None:
        """The running process, started if necessary; None once the worker is stopped."""
        with self._lock:
            if self._stopped.is_set():
                return None
            if self._watch is None:
                self._watch = _Watch()
                self._watch.start()
            if self._process is None or self._process.poll() is not None:
                if self._process is not None:
                    _bury(self._process)
                self._process = _start_process()
            return self._process


class _Watch(threading.Thread):
    """A thread that kills a process which gives no sign of life for too long.

    Attributes:
        rung: Whether the process of the last timer was killed.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.rung = False
        self._process: subprocess.Popen[bytes] | None = None
        self._period = self._due = 0.0
        self._closed = False
        self._condition = threading.Condition()

    def start_timer(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """Kill a process after a time without a call of `restart_timer`."""
        with self._condition:
            self._process, self._period, self.rung = process, seconds, False
            self._due = time.monotonic() + seconds
            self._condition.notify()

    def restart_timer(self) -> None:
        """Start the time anew."""
        self._due = time.monotonic() + self._period

    def stop_timer(self) -> None:
        """Kill nothing any more."""
        with self._condition:
            self._process = None

    def close(self) -> None:
        """End the thread."""
        with self._condition:
            self._process, self._closed = None, True
            self._condition.notify()
        self.join()

    def run(self) -> None:
        with self._condition:
            while not self._closed:
                left = self._due - time.monotonic()
                if self._process is None:
                    self._condition.wait()
                elif left > 0:
                    self._condition.wait(min(left, threading.TIMEOUT_MAX))
                else:
                    self.rung = True
                    self._process.kill()
                    self._process = None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process that ends by itself has ended; it is killed if that takes long."""
    try:
        process.wait(_TERMINATION_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _bury(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that ends, and close its streams."""
    with suppress(OSError, ValueError):
        process.communicate()


def _start_process() -> subprocess.Popen[bytes]:
    """Start a worker process with the module search path of this process."""
    code = f"from inertial_check.running.workers import main; main({os.getpid()})"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
        start_new_session=True,  # Ctrl-C is for this process, which then stops the worker
    )


@limit_expansions()
def main(parent: int | None = None) -> None:
    """Do tasks until there are no more: each is a length and a pickle, answered by a line of JSON.

    Empty lines before the answer are signs of life. Unpickling is safe here: the pickles come only
    from the process that started this one.

    Args:
        parent: Number of the process that started this one; None for that which is its parent now.
    """
    ignore_swallowed_interruptions()
    # An exception instead of the default action, so that readers delete their temporary files.
    signal.signal(signal.SIGTERM, _terminate)
    code = 0
    try:
        _watch_parent(os.getppid() if parent is None else parent)
        # The stream for answers; what libraries print to stdout goes to stderr instead.
        answers = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        _serve(sys.stdin.buffer, answers)
    except (Interruption, KeyboardInterrupt, BrokenPipeError):
        pass  # the process that asked ends, or has ended: there is nobody to tell
    except BaseException:
        code = 1  # the process that asked says which document it was
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(code)


def _terminate(number: int, _: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second signal must not disturb the cleaning
    raise Termination(number)


def _watch_parent(parent: int) -> None:
    """End this process when the one that started it is gone, even if a document keeps it busy."""
    if sys.platform == "win32":  # where the number of the parent stays that of the one that is gone
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_PERIOD)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_GRACE)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer tasks until there are no more, or until a document was stopped by the time limit."""
    heard = time.monotonic()

    def begin(_: str) -> None:
        nonlocal heard
        now = time.monotonic()
        if now - heard >= _SIGN_PERIOD:
            heard = now
            answers.write(b"\n")
            answers.flush()

    while (task := _receive(requests)) is not None:
        heard = time.monotonic()
        line = _encode_answers(task, task.run(begin)).encode() + b"\n"
        # After an interruption a library may be half imported: the next task gets a new process.
        last = count_interruptions() > 0
        answers.write(_LAST + line if last else line)
        answers.flush()
        if last:
            return


def _encode_answers(task: Task, answers: list[DocumentResult]) -> str:
    """Encode answers; one that has no JSON becomes a finding."""
    try:
        return encode(answers)
    except Exception:
        for at, (document, answer) in enumerate(zip(task.documents, answers, strict=True)):
            try:
                encode([answer])
            except Exception as error:
                answers[at] = give_up(document, describe_report(error))
        return encode(answers)


def _receive(stream: BinaryIO) -> Task | None:
    """Read the next task; None at the end of the stream."""
    length = stream.read(8)
    if len(length) < 8:
        return None
    task: Task = pickle.loads(stream.read(int.from_bytes(length, "little")))
    return task
