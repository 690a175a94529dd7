"""Client of a child process that reads documents, one for each Python process that asks.

Time that all xacro files of one run may take together.

Isolation of one document from the others: unexpected errors, signals and the time limit.

An unexpected error while a document is handled becomes a DefectError, which is reported like any
document that cannot be read. Only requests to end the process, and the time limit, pass through.
"""

from __future__ import annotations

import os
import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from inertial_check.documents.files.access import Limits
from inertial_check.errors import DefectError, DocumentError

# fmt: off
_PASSED = frozenset([
    "LANG", "LC_ALL", "LC_CTYPE",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
    "PYTHONHOME", "PYTHONUTF8", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX",
    "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR",
])
# fmt: on
"""Environment variables that a child process gets: Python starts with them, and none is a secret.
"""

_SHARE = 3.0
"""Time for a document divided by the time for one answer of a child process: 20 s of 60 s."""

_clients: dict[type, ChildClient] = {}


class ChildClient(ABC):
    """Client of a child process that is started when it is needed, and again after it has ended."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        import threading  # most runs start no child process

        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def current(cls) -> Self:
        """Return the client of this Python process; a fork starts its own."""
        client = _clients.get(cls)
        if not isinstance(client, cls) or client._owner != os.getpid():
            import atexit

            client = _clients[cls] = cls()
            atexit.register(client.close)
        return client

    def ensure_process(self) -> subprocess.Popen[bytes]:
        """Return the process that is running, or start one."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._start()
        return self._process

    @contextmanager
    def exchange(self) -> Iterator[subprocess.Popen[bytes]]:
        """Use the process for one request and its answer, which no other thread interrupts.

        If that is not completed, the process ends: the next request would get the wrong answer.
        """
        with self._lock:
            process = self.ensure_process()
            try:
                yield process
            except BaseException:  # also the end of the time for the document
                self.close()
                raise

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


def answer_seconds(limits: Limits) -> float:
    """Return the time in which a child process must answer [s], a part of that for a document."""
    return limits.seconds / _SHARE


def open_child(
    code: str,
    *arguments: str,
    environment: Mapping[str, str] = MappingProxyType({}),
    start_new_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a Python process with pipes for its input and output; it prints no errors.

    It finds modules where this process does, but not in the working directory, where a stranger's
    files may lie. It gets nothing of the environment but what Python needs, because a document that
    takes over the process could read all of it.

    Args:
        code: Python code that the process runs.
        arguments: Arguments of the process, in sys.argv[1:].
        environment: Environment variables that it gets besides.
        start_new_session: Whether signals from the terminal must not reach it.
    """
    import subprocess  # a tenth of the start, with what it imports

    paths = [path for path in sys.path if os.path.isabs(path)]
    code = f"import sys; sys.path[:] = {paths!r}; {code}"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={
            **{
                name: value
                for name, value in os.environ.items()
                if name in _PASSED
                or (name == "PATH" and sys.platform == "win32")  # finds libraries there
            },
            **environment,
        },
        start_new_session=start_new_session,
    )


_MOST_OPEN_FILES = 64
"""Largest number of open files; an expansion opens one at a time."""


def limit_resources(memory: int, seconds: float) -> None:
    """Limit the memory [bytes] and time [s] of this process, and forbid it to write files."""
    if sys.platform == "win32":  # has no such limits, but the parent stops the process in time
        return
    import resource

    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _MOST_OPEN_FILES),
        (resource.RLIMIT_NPROC, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (limit, limit))
        except (ValueError, OSError):  # macOS refuses a limit below what the process has already
            if sys.platform != "darwin":
                raise


if TYPE_CHECKING:
    import signal
    import subprocess
else:
    import _signal as signal  # what `signal` turns into enumerations, a hundredth of the start

T = TypeVar("T")

_LONGEST_MESSAGE = 200
"""Largest number of characters of an exception's own message in a finding."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
"""Address of an object in an exception's message, which differs from run to run."""

_DEPENDENCIES: Final = {
    "array_api_compat": "array-api-compat",
    "clarabel": "clarabel",
    "cvxpy": "cvxpy",
    "numpy": "numpy",
    "scipy": "scipy",
    "yaml": "pyyaml",
}
"""Distribution of each required library, by the name that is imported."""

_REPETITION = 5.0
"""Time after which the alarm rings again, in case a library has caught the first exception [s];
longer than the cleaning up after an exception takes."""

_SHORTEST = 1 / 2**20
"""Shortest time to which a timer is set [s]; zero would switch it off."""

_LONGEST = 1e8
"""Largest time of the interval timer [s]: three years; beyond it systems refuse the number."""


class Interruption(BaseException):
    """An exception that a signal raises and that no handler of errors of documents may catch."""


class Termination(Interruption):
    """The process was asked to end by a signal.

    Attributes:
        number: Number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class TimeLimitReached(Interruption):
    """The time for one document is used up."""


PASSING: Final = (DocumentError, KeyboardInterrupt, Interruption, GeneratorExit)
"""Exceptions that are no defects: errors of documents, and requests to stop."""


def describe_defect(error: BaseException) -> str:
    """Describe an unexpected exception in one line, the same in every process.

    The depth of a recursion and the size of a failed allocation depend on the process, so these
    two are named without their messages.
    """
    for kind in (MemoryError, RecursionError):
        if isinstance(error, kind):
            return f"internal error, {kind.__name__}"
    try:
        message = " ".join(_ADDRESS.sub("0x...", str(error)).split())
    except Exception:  # of the exception's own __str__
        message = ""
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[:_LONGEST_MESSAGE]}..."
    name = type(error).__name__
    return f"internal error, {name}: {message}" if message else f"internal error, {name}"


def describe_missing_dependency(error: BaseException) -> str | None:
    """Describe the import of a required library that is absent; None for any other exception.

    The package was then installed without its dependencies, which is enough for many commands.
    """
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    distribution = _DEPENDENCIES.get((missing or "").partition(".")[0])
    if distribution is None:
        return None
    return (
        f"this needs {distribution}, which is not installed: pip install {distribution}, or "
        "inertial-check with its dependencies"
    )


def describe_report(error: BaseException) -> str:
    """Describe an unexpected exception, and say how to report it."""
    return describe_missing_dependency(error) or (
        f"{describe_defect(error)}; please report it with the file and the output of the same "
        "command with -v and --jobs 1"
    )


@contextmanager
def raise_defects(path: str, *expected: type[Exception]) -> Iterator[None]:
    """Turn an unexpected exception inside the context into a DefectError of a document.

    Args:
        path: Path of the document, as the caller wrote it.
        expected: Exceptions that pass through besides those of PASSING.

    Raises:
        DefectError: Anything else was raised inside the context.
    """
    passing: tuple[type[BaseException], ...] = (*PASSING, *expected)
    try:
        yield
    except passing:
        raise
    except BaseException as error:  # SystemExit and the panics of extension modules, too
        # Log the traceback of the current exception, which -v shows.
        import logging  # an ordinary check does not need this import

        logging.getLogger("inertial_check").debug("%s", path, exc_info=True)
        raise DefectError(path, describe_report(error)) from error


@dataclass(slots=True)
class _Alarm:
    """The interval timer of this process and its state.

    Attributes:
        armed: Whether a document is being handled whose time is limited.
        rung: Number of documents whose time was used up in this process.
    """

    armed: bool = False
    rung: int = 0

    def ring(self, *_: object) -> None:
        """Handle SIGALRM."""
        if self.armed:
            raise TimeLimitReached


_alarm = _Alarm()


def count_interruptions() -> int:
    """Count the documents of this process that were stopped by the time limit.

    An exception in the middle of a library may leave it in any state, for example half imported;
    so a process that has stopped a document should not check many others.
    """
    return _alarm.rung


@contextmanager
def limit_times() -> Iterator[None]:
    """Make `run_within` effective inside the context.

    Only the main thread can be stopped, on systems that have an interval timer, and only if the
    caller does not use that timer. Elsewhere documents take the time that they need.
    """
    usable = (
        sys.platform != "win32"
        and _is_main_thread()
        and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )
    if sys.platform == "win32" or not usable:
        yield
        return
    before = signal.signal(signal.SIGALRM, _alarm.ring)
    try:
        yield
    finally:
        _disarm()
        signal.signal(signal.SIGALRM, before)


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """Call a function, and stop it after a time, if that is possible here: see `limit_times`.

    Raises:
        TimeLimitReached: The time is used up.
    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGALRM) != _alarm.ring:
        return work()
    if not _is_main_thread():
        return work()
    try:
        _alarm.armed = True
        signal.setitimer(signal.ITIMER_REAL, min(max(seconds, _SHORTEST), _LONGEST), _REPETITION)
        try:
            return work()
        finally:
            _disarm()
    except TimeLimitReached:
        _disarm()  # again: the alarm may have rung before the first call had done anything
        _alarm.rung += 1
        raise


def _is_main_thread() -> bool:
    """Whether this is the main thread; where nobody has imported `threading`, there is no other."""
    threading = sys.modules.get("threading")
    return threading is None or threading.current_thread() is threading.main_thread()


def ignore_swallowed_interruptions() -> None:
    """Print nothing about an Interruption in a destructor, which Python can only drop."""
    before = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, Interruption):
            before(unraisable)

    sys.unraisablehook = hook


def _disarm() -> None:
    _alarm.armed = False
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


class TimeBudget:
    """The time that is left for one document.

    Attributes:
        seconds: The whole time [s].
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = seconds

    def spend(self, work: Callable[[], T]) -> T:
        """Call a function within the time that is left.

        Raises:
            TimeLimitReached: The time is used up.
        """
        start = time.monotonic()
        try:
            return run_within(self._left, work)
        finally:
            self._left -= time.monotonic() - start


_DOCUMENTS = 2.0
"""Time for all xacro files of a run divided by that for one document: 120 s and 60 s."""


_spent: ContextVar[list[float] | None] = ContextVar("_spent", default=None)
"""Time that each expansion of a run has taken so far [s]."""


@contextmanager
def limit_expansions() -> Iterator[None]:
    """Limit the time for all xacro files that this thread expands inside the context.

    Inside another such context this one changes nothing.
    """
    with nullcontext() if _spent.get() is not None else renew_total():
        yield


@contextmanager
def renew_total() -> Iterator[None]:
    """Limit the time for the xacro files inside the context apart from those before it."""
    token = _spent.set([])
    try:
        yield
    finally:
        _spent.reset(token)


def reason_against_expanding(limits: Limits) -> str | None:
    """Say why no further file is expanded in this run; None if one may be."""
    known, most = _spent.get(), limits.seconds * _DOCUMENTS
    if known is None or (spent := sum(known)) < most:
        return None
    return (
        f"not expanded: the xacro files of this run have taken {spent:.0f} s, and the limit "
        f"for all of them is {most:g} s; --timeout raises it"
    )


@contextmanager
def count_expansion() -> Iterator[None]:
    """Count the time spent inside the context."""
    start = time.monotonic()
    try:
        yield
    finally:
        if (spent := _spent.get()) is not None:
            spent.append(time.monotonic() - start)
