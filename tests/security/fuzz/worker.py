"""Worker process: runs inputs one after another, with bounded memory and time."""

import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import TextIO

from fuzz.cases import OUTSIDE, SECRET, VARIABLE
from fuzz.inputs import make_input

MEMORY = 1 << 30
"""Largest address space of the worker and of the processes that it starts [bytes]."""

SECONDS = 10
"""Longest time for one input [s], of the processor, since the machine may be shared."""

_LOGGING = ("messages",)
"""Targets that log what they refuse with a traceback, for the author of the editor."""

_STRANGE = (b"Traceback", b"RuntimeWarning", b"internal error", SECRET.encode())


def work(numbers: TextIO, answers: TextIO) -> None:
    """Run the inputs whose target, seed and number stand on each line, and answer for each.

    The parent sends the next one after an answer, so it knows which one ended the process.
    """
    os.environ[VARIABLE] = SECRET
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # the kernel ends the process
    with tempfile.TemporaryDirectory() as root, _redirect_stderr(Path(root) / "stderr") as log:
        outside = Path(root) / OUTSIDE
        outside.mkdir()
        for name in ("secret.xml", "secret.yaml", "secret.dtd"):
            (outside / name).write_text(f"{SECRET}: [{SECRET}\n<{SECRET}>\n")
        inside = Path(root) / "inside"
        (inside / ".git").mkdir(parents=True)
        os.chdir(inside)
        for line in numbers:
            target, seed, number = line.rstrip("\n").split("\t")
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            start = time.process_time()
            problem = _run(target, int(seed), int(number), inside, log)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if sorted(os.listdir(outside)) != ["secret.dtd", "secret.xml", "secret.yaml"]:
                problem = problem or "a file outside the root was written"
            seconds = time.process_time() - start
            told = " / ".join((problem or "").splitlines()).replace("\t", " ")
            answers.write(f"{'wrong' if problem else 'right'}\t{seconds:.3f}\t{told}\n")
            answers.flush()


def _run(target: str, seed: int, number: int, inside: Path, log: Path) -> str | None:
    """Run one input in a folder of its own; returns what is wrong."""
    from fuzz.targets import ViolationError, run_target

    folder = inside / "case"
    noise: list[str] = []
    before = log.stat().st_size
    try:
        case = make_input(target, seed, number)
        path = case.write(folder)
        with _record_warnings(noise):
            run_target(target, case, path, Random(f"{number} {seed} {target}"))
    except ViolationError as error:
        cause = f"\n{_describe(error.__cause__)}" if error.__cause__ is not None else ""
        return f"{error}{cause}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}\n{_describe(error)}"
    finally:
        rmtree(folder, ignore_errors=True)
    if noise:
        return noise[0]
    if log.stat().st_size > before:
        written = log.read_bytes()[before:]
        strange = _STRANGE[1:] if target in _LOGGING else _STRANGE
        if any(each in written for each in strange):
            return f"on stderr: {written[-2000:].decode('utf-8', 'replace')}"
    return None


def _describe(error: BaseException | None) -> str:
    """The last frames of an exception, the innermost last."""
    frames = traceback.extract_tb(error.__traceback__ if error else None)[-8:]
    return "; ".join(f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames)


@contextmanager
def _record_warnings(noise: list[str]) -> Iterator[None]:
    """Record every RuntimeWarning with the frames that led to it."""

    def show(message: Warning | str, category: type[Warning], *_: object) -> None:
        if issubclass(category, RuntimeWarning):
            frames = traceback.extract_stack()[-7:-1]
            places = "; ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames)
            noise.append(f"RuntimeWarning: {message} at {places}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


@contextmanager
def _redirect_stderr(log: Path) -> Iterator[Path]:
    """Send what this process and its children print to stderr to a file."""
    with log.open("wb") as stream:
        os.dup2(stream.fileno(), sys.stderr.fileno())
        yield log
