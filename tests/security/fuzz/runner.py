"""Runner: passes inputs to worker processes, replaces those that end, and collects failures."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzz.cases import Folder, Link, Pipe
from fuzz.inputs import make_input

HERE = Path(__file__).parent

SHARES = {
    **{"urdf": 14, "mjcf": 14, "sdf": 14, "ros-yaml": 8, "usd": 2, "xacro": 1, "command": 6},
    **{"configuration": 9, "baseline": 9, "gitignore": 6, "recording": 8, "table": 6, "weights": 2},
    **{"mesh": 9, "names": 3, "editor": 4, "messages": 2},
    **{"results": 9, "fill": 3, "journal": 3, "identify": 1},
}
"""Share of each target in a run; inputs whose check starts a process take longer, so are fewer."""

PATIENCE = 40.0
"""Longest time that the runner waits for one input [s]: far more than the processor time that a
worker may use, which ends it before unless it waits for something."""

_BATCH = 4000
"""Number of inputs after which a fresh worker goes on, so that memory that stays is no failure."""


@dataclass(frozen=True)
class Input:
    """What determines one input."""

    target: str
    seed: int
    number: int

    def __str__(self) -> str:
        return f"--target {self.target} --seed {self.seed} --input {self.number}"


@dataclass
class Outcome:
    """Result of a run.

    Attributes:
        counts: Number of inputs by target.
        failures: What went wrong, by input.
        slowest: The input of each target that took longest, and its processor time [s].
        total: Processor time of all inputs [s].
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: dict[Input, str] = field(default_factory=dict)
    slowest: dict[str, tuple[float, "Input"]] = field(default_factory=dict)
    total: float = 0.0

    def add(self, each: Input, seconds: float, problem: str) -> None:
        """Count one input."""
        self.counts[each.target] += 1
        self.total += seconds
        if seconds >= self.slowest.get(each.target, (0.0, each))[0]:
            self.slowest[each.target] = seconds, each
        if problem:
            self.failures[each] = problem


def choose_inputs(seed: int, count: int, targets: list[str] | None = None) -> list[Input]:
    """The inputs of a run, spread over the targets by their shares, in a random order."""
    shares = {name: SHARES[name] for name in targets or SHARES}
    whole = sum(shares.values())
    inputs = [
        Input(name, seed, number)
        for name, share in shares.items()
        for number in range(max(1, round(count * share / whole)))
    ]
    Random(seed).shuffle(inputs)  # so that a run that is stopped has seen every target
    return inputs


class _Worker:
    """A worker process and the lines that it answers."""

    def __init__(self, patience: float) -> None:
        self.patience = patience
        places = [str(HERE.parents[2]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = {
            **os.environ,
            **{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"},
            "PYTHONPATH": os.pathsep.join(filter(None, places)),
        }
        self.process = subprocess.Popen(
            [sys.executable, str(HERE), "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def run(self, each: Input) -> tuple[float, str]:
        """Run one input; returns its processor time and what is wrong."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{each.target}\t{each.seed}\t{each.number}\n")
            self.process.stdin.flush()
            if line := self.lines.get(timeout=self.patience):
                _, seconds, problem = line.rstrip("\n").split("\t")
                return float(seconds), problem
        except queue.Empty:
            self.close()
            return 0.0, f"it waits for more than {self.patience:g} s"
        except BrokenPipeError:
            pass
        code = self.process.wait()
        late = code == -signal.SIGPROF
        return 0.0, "it takes more than 10 s" if late else f"it ends the process with code {code}"

    @property
    def alive(self) -> bool:
        """Whether the process can take another input."""
        return self.process.poll() is None

    def close(self) -> None:
        """End the process and wait for it."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]


def run_inputs(
    inputs: list[Input],
    told: Callable[[Input, str], None] = lambda each, problem: None,
    patience: float = PATIENCE,
) -> Outcome:
    """Run inputs in one worker at a time; a worker that ends is replaced.

    Args:
        inputs: The inputs.
        told: Called with each input that fails, and what is wrong.
        patience: Longest time that the runner waits for one input [s].
    """
    outcome = Outcome()
    for each, seconds, problem in _run_all(inputs, patience):
        outcome.add(each, seconds, problem)
        if problem:
            told(each, problem)
    return outcome


def _run_all(inputs: list[Input], patience: float) -> Iterator[tuple[Input, float, str]]:
    worker, done = _Worker(patience), 0
    try:
        for each in inputs:
            if done >= _BATCH or not worker.alive:
                worker.close()
                worker, done = _Worker(patience), 0
            seconds, problem = worker.run(each)
            done += 1
            yield each, seconds, problem
    finally:
        worker.close()


def save_input(each: Input, folder: Path) -> Path:
    """Write the files of an input; links and pipes are described in a text instead."""
    case = make_input(each.target, each.seed, each.number)
    place = folder / f"{each.target}-{each.seed}-{each.number}"
    for name, content in case.files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            kinds = {Link: "link to {0.target}", Pipe: "pipe", Folder: "folder"}
            text = kinds[type(content)].format(content)
            path.with_name(f"{path.name}.{type(content).__name__}").write_text(f"{text}\n")
    return place / case.main
