"""A scan by whole processes: watched, disturbed on request, and taken up where it was interrupted.

What is seen of a scan is written to a file as it is seen, so that a benchmark that is started again
goes on where the last one ended, and does not repeat scans that are finished.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from scanning.cluster import ROOT, Cluster, command_of, family, memory_of, peak_of, processor_time

ROLES = ("client", "scheduler", "worker")
WATCH_PERIOD, WRITE_PERIOD, TELL_PERIOD = 2.0, 4.0, 60.0
"""Times between two looks at processes, two lines in the file, and two lines of progress [s]. A
look takes up to 10 ms, which two workers on two cores lack and one worker does not."""

FINISHED = (0, 1)
"""Exit codes of a client that has checked everything."""


class Loss(NamedTuple):
    """A process that is killed during a scan.

    Attributes:
        role: The client or a worker.
        part: Part of the archives after which it is killed.
    """

    role: str
    part: float


class Job(NamedTuple):
    """A scan of archives into a folder of results.

    Attributes:
        name: Its name, also that of its files.
        paths: Paths of the archives.
        each: Number of models in an archive.
        folder: Folder of the results, of lists, and of what is seen.
        form: Form of the results.
        digest: Digest of what determines the models.
        losses: What is killed during the scan.
        results: Name of the scan whose finished results this one goes on from; "" for its own.
    """

    name: str
    paths: Sequence[Path]
    each: int
    folder: Path
    form: str
    digest: str
    losses: tuple[Loss, ...] = ()
    results: str = ""

    @property
    def out(self) -> Path:
        """The folder of results."""
        return self.folder / f"results-{self.results or self.name}"

    @property
    def watched(self) -> Path:
        """The file of what is seen of the scan."""
        return self.folder / f"watched-{self.name}.jsonl"

    @property
    def header(self) -> list[Any]:
        """What a file has to begin with to be of this scan."""
        parts = (str(self.out), self.form, self.digest, [list(loss) for loss in self.losses])
        return ["scan", len(self.paths), *parts]


@dataclass
class Attempt:
    """What is seen while one client runs.

    Attributes:
        looks: Times since its start, the numbers of parts that are written, and its memory.
        processor: Processor time of each role [s]; that of the scheduler beyond what it takes idle.
        peak: Largest memory of a process of each role [bytes].
        lost: Roles of the processes that were killed, with the number of parts at that moment.
        told: What the client has printed to standard error.
        code: Its exit code; None if it was interrupted.
    """

    looks: list[tuple[float, int, int]] = field(default_factory=list)
    processor: dict[str, float] = field(default_factory=dict)
    peak: dict[str, int] = field(default_factory=dict)
    lost: list[tuple[str, int]] = field(default_factory=list)
    told: str = ""
    code: int | None = None


class Scan(NamedTuple):
    """A finished scan: the attempts until a client came to its end."""

    job: Job
    attempts: list[Attempt]

    @property
    def seconds(self) -> float:
        """Time on the wall, of all clients [s]."""
        return sum(each.looks[-1][0] for each in self.attempts if each.looks)

    @property
    def models(self) -> int:
        """Number of models; the last archive may have fewer than the others."""
        return len(self.job.paths) * self.job.each

    @property
    def lost(self) -> list[tuple[str, int]]:
        """What was killed, with the number of parts that were written."""
        return [lost for each in self.attempts for lost in each.lost]

    def processor(self, role: str) -> float:
        """Processor time of a role [s]."""
        return sum(each.processor.get(role, 0.0) for each in self.attempts)

    def peak(self, role: str) -> int:
        """Largest memory of a process of a role [bytes]."""
        return max(each.peak.get(role, 0) for each in self.attempts)

    def slope(self) -> float:
        """Slope of the last client's memory over the last four fifths of its models [bytes/model].

        The end is left out, when results are counted.
        """
        looks = self.attempts[-1].looks
        parts = [at for _, at, _ in looks]
        begin = parts[0] + (max(parts) - parts[0]) / 5
        points = [
            (at * self.job.each, memory)
            for _, at, memory in looks
            if memory and begin <= at < len(self.job.paths)
        ]
        if len({at for at, _ in points}) < 3:
            return float("nan")
        slope, _ = np.polyfit(*np.array(points, dtype=float).T, 1)
        return float(slope)

    def rates(self, pieces: int = 10) -> list[float]:
        """Models a second in each tenth of the archives, with the losses in it."""
        seconds, parts, before = [0.0], [0], 0.0
        for attempt in self.attempts:
            for at, part, _ in attempt.looks:
                if part > parts[-1]:
                    seconds.append(before + at)
                    parts.append(part)
            before += attempt.looks[-1][0] if attempt.looks else 0.0
        edges = np.interp(np.linspace(0, len(self.job.paths), pieces + 1), parts, seconds)
        return [float(each) for each in self.models / pieces / np.maximum(np.diff(edges), 1e-9)]


def run_scan(cluster: Cluster, job: Job, tell: Callable[[str], None] = print) -> Scan:
    """Scan the archives of a job, or go on where an earlier scan was interrupted."""
    attempts = read_attempts(job)
    if attempts is None:
        if not job.results:
            shutil.rmtree(job.out, ignore_errors=True)
        job.watched.write_text(json.dumps(job.header) + "\n")
        attempts = []
    listing = job.folder / f"list-{job.name}.txt"
    listing.write_text("".join(f"{path}\n" for path in job.paths))
    while not attempts or attempts[-1].code not in FINISHED:
        lost = {role for each in attempts for role, _ in each.lost}
        left = [loss for loss in job.losses if loss.role not in lost]
        with open(job.watched, "a") as file:
            file.write("\n")  # the last line may have been interrupted
            attempt = _Watch(cluster, job, listing, left, file, tell).run()
        attempts.append(attempt)
        killed = attempt.code == -signal.SIGKILL and "client" in dict(attempt.lost)
        if not killed and attempt.code not in FINISHED:
            sys.exit(f"the client left with {attempt.code}:\n{attempt.told[-2000:]}")
    return Scan(job, attempts)


def read_attempts(job: Job) -> list[Attempt] | None:
    """Read what was seen of a job by an earlier benchmark; None if that was another one."""
    try:
        first, *lines = job.watched.read_text().splitlines()
        if json.loads(first) != job.header or not job.out.exists():
            return None
    except (OSError, ValueError):
        return None
    attempts: list[Attempt] = []
    for line in lines:
        try:
            seen = json.loads(line)
        except ValueError:  # it was interrupted in the middle of a line
            continue
        if "begin" in seen:
            _end_client(job, seen["begin"])
            attempts.append(Attempt())
        elif attempts:
            _add(attempts[-1], seen)
    return attempts


def _end_client(job: Job, pid: int) -> None:
    """Kill the client of a benchmark that was killed itself: two must not write into one folder."""
    if os.fsencode(job.out) in command_of(pid).split(b"\0"):
        os.kill(pid, signal.SIGKILL)


def _add(attempt: Attempt, seen: dict[str, Any]) -> None:
    """Add a line of the file to what is known of a client."""
    attempt.looks += [tuple(each) for each in seen.get("looks", ())]
    attempt.processor = seen.get("processor", attempt.processor)
    attempt.peak = seen.get("peak", attempt.peak)
    attempt.lost += [tuple(each) for each in seen.get("lost", ())]
    attempt.told = seen.get("told", attempt.told)
    attempt.code = seen.get("code", attempt.code)


class _Watch:
    """A client that runs, and what is seen of it."""

    def __init__(
        self,
        cluster: Cluster,
        job: Job,
        listing: Path,
        losses: Sequence[Loss],
        file: TextIO,
        tell: Callable[[str], None],
    ) -> None:
        self._cluster, self._job, self._listing = cluster, job, listing
        self._losses = list(losses)
        self._file, self._tell = file, tell
        self._attempt = Attempt()
        self._full: set[str] = set()
        self._written = 0

    def run(self) -> Attempt:
        """Run the client to its end; it is killed if this process is interrupted."""
        job, attempt = self._job, self._attempt
        command = [sys.executable, "-m", "inertial_check", "check", "--isolated", "-v"]
        command += ["--files-from", str(self._listing), "--cluster", self._cluster.address]
        command += ["--results", str(job.out), "--results-format", job.form]
        own = resource.getrusage(resource.RUSAGE_CHILDREN)
        roles = {"scheduler": [self._cluster.scheduler], "worker": [self._cluster.workers]}
        before = {role: processor_time(pids) for role, pids in roles.items()}
        begin = time.perf_counter()
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as client:
            try:
                self._save(begin=client.pid)
                roles["client"], before["client"] = [client.pid], 0.0
                due = told = 0.0
                while client.poll() is None:
                    seconds = time.perf_counter() - begin
                    self._look(seconds, client.pid, roles, before)
                    if seconds >= due:
                        self._save(**self._news())
                        due = seconds + WRITE_PERIOD
                    if seconds >= told + TELL_PERIOD:
                        told = seconds
                        self._tell_progress()
                    with suppress(subprocess.TimeoutExpired):
                        client.wait(WATCH_PERIOD)
                _, attempt.told = client.communicate()
            finally:
                client.kill()
        seconds = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._look(seconds, 0, {role: roles[role] for role in ("scheduler", "worker")}, before)
        spent = after.ru_utime + after.ru_stime - own.ru_utime - own.ru_stime
        attempt.processor["client"] = spent
        attempt.code = client.returncode
        self._save(**self._news(), told=attempt.told, code=attempt.code)
        return attempt

    def _look(
        self,
        seconds: float,
        client: int,
        roles: dict[str, list[int]],
        before: dict[str, float],
    ) -> None:
        attempt = self._attempt
        parts = self._count_parts()
        for role, pids in roles.items():
            peak = max(map(peak_of, family(pids)), default=0)
            attempt.peak[role] = max(attempt.peak.get(role, 0), peak)
            spent = processor_time(pids) - before[role]
            if role == "scheduler":
                spent -= self._cluster.idle * seconds
            attempt.processor[role] = max(attempt.processor.get(role, 0.0), spent)
        attempt.looks.append((round(seconds, 3), parts, memory_of(client) if client else 0))
        for loss in self._losses:
            if client and parts >= loss.part * len(self._job.paths):
                self._losses.remove(loss)
                attempt.lost.append((loss.role, parts))
                self._save(lost=[(loss.role, parts)])
                self._tell(f"  {loss.role} killed after {parts * self._job.each:,} models")
                if loss.role == "client":
                    os.kill(client, signal.SIGKILL)
                else:
                    self._cluster.kill_worker()
                break

    def _count_parts(self) -> int:
        """Number of archives whose rows are written; each is an upstream of its own."""
        if self._job.out.exists():
            with os.scandir(self._job.out) as folders:
                new = [each for each in folders if each.name not in self._full]
            for folder in new:
                if any(name.startswith("part-") for name in os.listdir(folder.path)):
                    self._full.add(folder.name)
        return len(self._full)

    def _news(self) -> dict[str, Any]:
        """What was seen since the last line."""
        attempt = self._attempt
        looks, self._written = attempt.looks[self._written :], len(attempt.looks)
        return {"looks": looks, "processor": attempt.processor, "peak": attempt.peak}

    def _save(self, **seen: object) -> None:
        self._file.write(json.dumps(seen) + "\n")
        self._file.flush()

    def _tell_progress(self) -> None:
        """Print how far the scan is, its speed in the last minutes, and the client's memory."""
        job, looks = self._job, self._attempt.looks
        seconds, parts, memory = looks[-1]
        earlier = next(look for look in looks if look[0] >= seconds - 5 * TELL_PERIOD)
        rate = (parts - earlier[1]) * job.each / max(seconds - earlier[0], 1e-9)
        rest = (len(job.paths) - parts) * job.each / rate / 60 if rate else float("inf")
        self._tell(
            f"  {time.strftime('%H:%M:%S')} {job.name}: {parts * job.each:,} of "
            f"{len(job.paths) * job.each:,} models, {rate:,.0f}/s, client {memory / 1e6:.0f} MB, "
            f"{rest:.0f} min to go"
        )


def digest_rows(out: Path, only: Sequence[Path] | None = None) -> str:
    """Digest of the parts of some archives, or of all, by the digests in their names."""
    known = None if only is None else {f"upstream={path.stem}" for path in only}
    names = sorted(
        f"{path.parent.name} {path.name.split('-')[2]}"
        for path in out.glob("*/part-*")
        if known is None or path.parent.name in known
    )
    return hashlib.sha256("\n".join(names).encode()).hexdigest()
