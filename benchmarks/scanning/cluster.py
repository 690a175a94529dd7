"""A scheduler and workers as processes of their own, and what processes take."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
IDLE_SECONDS = 5.0
"""Time in which the scheduler is watched without work [s]."""

DASK = (sys.executable, "-m", "dask")
WORKER = ("--nthreads", "1", "--memory-limit", "0", "--local-directory")
QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}
"""Settings of Dask that docs/scale.md advises. By default a worker takes a sample of its stack 100
times a second, and each process looks at its event loop 50 times a second: 3.9 % of a core in an
idle worker and 2 % in the other processes; of all of these 0.6 % and less are left."""


class Cluster(NamedTuple):
    """A running scheduler with workers.

    Attributes:
        address: Address of the scheduler.
        scheduler: Its process.
        workers: The process that has started the workers.
        idle: Processor time that the scheduler takes without work [s/s].
    """

    address: str
    scheduler: int
    workers: int
    idle: float

    def kill_worker(self) -> None:
        """Kill the largest process that a worker is; it is started again."""
        lost = [pid for pid in children_of(self.workers) if b"python" in command_of(pid)]
        os.kill(max(lost, key=memory_of), signal.SIGKILL)


@contextmanager
def run_cluster(workers: int, folder: Path) -> Iterator[Cluster]:
    """Run a scheduler and workers of one thread each, as processes of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    common = ["--no-dashboard", "--host", "127.0.0.1"]
    log = open(folder / "cluster.log", "ab")  # noqa: SIM115 - closed with the stack
    with ExitStack() as stack:
        stack.callback(log.close)
        scheduler = start([*DASK, "scheduler", "--port", str(port), *common], log)
        stack.callback(stop, scheduler)
        nanny = start(
            [*DASK, "worker", address, "--nworkers", str(workers), *WORKER, str(folder), *common],
            log,
        )
        stack.callback(stop, nanny)
        wait_for_workers(address, workers)
        before = processor_time([scheduler.pid])
        time.sleep(IDLE_SECONDS)
        idle = (processor_time([scheduler.pid]) - before) / IDLE_SECONDS
        yield Cluster(address, scheduler.pid, nanny.pid, idle)


def start(command: list[str], log: object) -> subprocess.Popen[bytes]:
    environment = {**os.environ, **QUIET, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=ROOT)  # type: ignore[call-overload]


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=120)


def family(pids: list[int]) -> list[int]:
    """Processes and their children, and those of these."""
    found = list(pids)
    for pid in found:
        found += [child for child in children_of(pid) if child not in found]
    return found


def children_of(pid: int) -> list[int]:
    """Processes that a process has started."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except OSError:
        pass
    return found


def memory_of(pid: int) -> int:
    """Resident memory of a process [bytes]; 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_of(pid: int) -> int:
    """Largest resident memory that a process has had [bytes]; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    _, mark, rest = status.partition("VmHWM:")
    return int(rest.split()[0]) << 10 if mark else 0


def processor_time(pids: list[int]) -> float:
    """Processor time of processes and all their descendants [s]."""
    total = 0
    for pid in family(pids):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15] if pid in pids else fields[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
