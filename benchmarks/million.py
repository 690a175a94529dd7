"""What a scan of a million different models takes, on a local Dask cluster of one and two workers.

    python benchmarks/million.py [--models 1000000] [--workers 1,2] [--folder DIR] [--skip-losses]

Generates models from templates in data/valid with other masses and inertias in each, seeded, and
plants a negative mass or a broken triangle inequality into one of eight. They are written into
archives of 1,000, so that a million files never lie on the disk. Then whole processes scan them:
`check --results --cluster` as the client, a scheduler, and workers of one thread each. For each
number of workers:

* models a second, and the processor time of client, scheduler and workers for each model,
* the peak memory of each process, and the slope of the client's memory over the models written,
* the bytes that went to the workers and came back.

Then the losses: a client that is killed halfway, and a worker that is killed; what the resumed run
takes beyond an undisturbed one; and a run in which nothing has changed. The rows of all runs are
compared byte by byte, and the findings with what was planted.

Aims: 1 GB a process, no slope, two workers 1.8 times one, the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ("arm", "crane", "fixed-frames", "inertial-rpy")
START_SECONDS = 1.0
"""Processor time that the client takes to start, import Dask, connect and print [s]."""

DEFECTS = 8
"""One of so many models has a planted defect."""

MEMORY_AIM, SPEED_AIM = 1 << 30, 1.8
INERTIAL = re.compile(r'(<mass value=")([^"]+)("/>.*?<inertia )([^>]+?)(/>)', re.DOTALL)
ENTRY = re.compile(r'(i\w\w)="([^"]+)"')


class Scan(NamedTuple):
    """A finished scan.

    Attributes:
        seconds: Time on the wall [s].
        processor: Processor time of each role [s]; that of the scheduler beyond what it takes idle.
        peak: Largest memory of a process of each role [bytes].
        slope: Growth of the client's memory [bytes/model].
        told: What the client has printed to standard error.
    """

    seconds: float
    processor: dict[str, float]
    peak: dict[str, int]
    slope: float
    told: str


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=1_000_000)
    parser.add_argument("--archive", type=int, default=1000, help="models in an archive")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, with commas between")
    parser.add_argument("--folder", type=Path, help="for archives and results; default: temporary")
    parser.add_argument("--results-format", default="parquet", choices=("parquet", "jsonl"))
    parser.add_argument("--skip-losses", action="store_true", help="kill nothing")
    args = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        measure(args, folder)


def measure(args: argparse.Namespace, folder: Path) -> None:
    start = time.perf_counter()
    planted, listing = generate(args.models, args.archive, folder)
    size = sum(path.stat().st_size for path in (folder / "models").iterdir())
    archives = -(-args.models // args.archive)
    print(
        f"{args.models:,} models in {archives:,} archives, {size / 1e6:,.0f} MB, "
        f"made in {time.perf_counter() - start:.0f} s; planted: {dict(sorted(planted.items()))}"
    )
    scans: dict[int, Scan] = {}
    digests: dict[str, str] = {}
    for workers in map(int, args.workers.split(",")):
        out = folder / f"results-{workers}"
        shutil.rmtree(out, ignore_errors=True)
        with run_cluster(workers, folder) as cluster:
            if not scans:  # one archive alone: what the client takes to start, and to print
                first = folder / "first.txt"
                first.write_text(listing.read_text().partition("\n")[0] + "\n")
                alone = scan(cluster, first, out, args)
                shutil.rmtree(out)
            scans[workers] = scan(cluster, listing, out, args)
        describe(f"{workers} workers", scans[workers], args.models)
        digests[f"{workers} workers"] = digest_rows(out)
    expect_planted(planted, out)
    compare_speed(scans, alone, args)
    if not args.skip_losses:
        undisturbed = scans[workers].seconds
        measure_losses(args, folder, listing, workers, undisturbed, digests)
    same = len(set(digests.values())) == 1
    print(f"rows of {', '.join(digests)}: {'the same bytes' if same else 'DIFFERENT'}")


def generate(count: int, each: int, folder: Path) -> tuple[Counter[str], Path]:
    """Write the archives; returns the number of planted defects by rule, and a list of paths."""
    models = folder / "models"
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir()
    texts = [(ROOT / f"data/valid/{name}.urdf").read_text() for name in TEMPLATES]
    planted: Counter[str] = Counter()
    paths = []
    for first in range(0, count, each):
        path = models / f"shard-{first // each:06}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for number in range(first, min(first + each, count)):
                text, code = make_model(texts, number)
                planted.update([code] if code else [])
                archive.writestr(f"robots/{number:07}.urdf", text)
        paths.append(str(path))
    listing = folder / "list.txt"
    listing.write_text("\n".join(paths) + "\n")
    return planted, listing


def make_model(texts: list[str], number: int) -> tuple[str, str | None]:
    """Make a model from its number alone; returns the rule that finds its defect, if it has one."""
    draw = random.Random(number)
    text = texts[number % len(texts)]
    bodies = INERTIAL.findall(text)
    defect = draw.choice(("IC101", "IC301")) if draw.randrange(DEFECTS) == 0 else None
    place = draw.choice([at for at, body in enumerate(bodies) if float(body[1]) > 0])
    numbers = iter(range(len(bodies)))

    def change(match: re.Match[str]) -> str:
        factor = draw.uniform(0.5, 2.0)
        broken = next(numbers) == place
        mass = float(match[2]) * factor * (-1 if broken and defect == "IC101" else 1)
        entries = {name: float(value) * factor for name, value in ENTRY.findall(match[4])}
        if broken and defect == "IC301":
            entries["izz"] = 2.5 * (entries["ixx"] + entries["iyy"] + entries["izz"])
        written = " ".join(f'{name}="{value:.9g}"' for name, value in entries.items())
        return f"{match[1]}{mass:.9g}{match[3]}{written}{match[5]}"

    return INERTIAL.sub(change, text), defect


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


IDLE_SECONDS = 5.0
"""Time in which the scheduler is watched without work [s]."""

DASK = (sys.executable, "-m", "dask")
WORKER = ("--nthreads", "1", "--memory-limit", "0", "--local-directory")


def start(command: list[str], log: object) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
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


def scan(
    cluster: Cluster,
    listing: Path,
    out: Path,
    args: argparse.Namespace,
    disturb: Callable[[int, int], bool] = lambda parts, client: False,
) -> Scan:
    """Scan the archives of a list, and watch all processes.

    Args:
        cluster: The cluster.
        listing: The list.
        out: The folder of results.
        args: The command line.
        disturb: Called with the number of parts that are written and the client's process, until it
            returns true.
    """
    command = [sys.executable, "-m", "inertial_check", "check", "--files-from", str(listing)]
    command += ["--results", str(out), "--results-format", args.results_format, "--isolated"]
    command += ["--cluster", cluster.address, "-v"]
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    roles = {"scheduler": [cluster.scheduler], "worker": [cluster.workers]}
    before = {role: processor_time(pids) for role, pids in roles.items()}
    begin = time.perf_counter()
    client = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    roles["client"] = [client.pid]
    peak: dict[str, int] = {}
    memory: list[tuple[int, int]] = []
    spent: dict[str, float] = {}
    disturbed = False
    while client.poll() is None:
        parts = sum(1 for _ in out.glob("*/part-*")) if out.exists() else 0
        for role, pids in roles.items():
            peak[role] = max(peak.get(role, 0), *map(memory_of, family(pids)), 0)
            spent[role] = max(spent.get(role, 0.0), processor_time(pids))
        memory.append((parts, memory_of(client.pid)))
        disturbed = disturbed or disturb(parts, client.pid)
        time.sleep(0.5)
    _, told = client.communicate()
    seconds = time.perf_counter() - begin
    if client.returncode not in (0, 1, -signal.SIGKILL):
        sys.exit(f"the client left with {client.returncode}:\n{told[-2000:]}")
    for role in before:
        spent[role] = max(spent.get(role, 0.0), processor_time(roles[role]))
    processor = {role: spent[role] - before[role] for role in before}
    processor["scheduler"] = max(processor["scheduler"] - cluster.idle * seconds, 0.0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor["client"] = after.ru_utime + after.ru_stime - own.ru_utime - own.ru_stime
    return Scan(seconds, processor, peak, find_slope(memory, args.archive), told)


def find_slope(memory: list[tuple[int, int]], each: int) -> float:
    """Slope of the memory over the number of models, after the first fifth [bytes/model]."""
    most = max((parts for parts, _ in memory), default=0)
    late = [(parts * each, used) for parts, used in memory if used and parts >= most / 5]
    if len({parts for parts, _ in late}) < 3:
        return float("nan")
    slope, _ = np.polyfit(*np.array(late, dtype=float).T, 1)
    return float(slope)


def family(pids: list[int]) -> list[int]:
    """Processes and their children, and those of these."""
    found = list(pids)
    for pid in found:
        try:
            tasks = Path(f"/proc/{pid}/task").iterdir()
            found += [
                int(child)
                for task in tasks
                for child in (task / "children").read_text().split()
                if int(child) not in found
            ]
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


def describe(name: str, done: Scan, models: int) -> None:
    print(f"{name}: {done.seconds:.1f} s, {models / done.seconds:,.0f} models/s")
    for role in ("client", "scheduler", "worker"):
        each = 1e6 * done.processor[role] / models
        peak = done.peak[role]
        met = "met" if peak <= MEMORY_AIM else "missed"
        print(
            f"  {role:<9} {each:8.1f} us of processor time a model, at most {peak / 1e6:.0f} MB a "
            f"process (aim 1 GB: {met})"
        )
    print(f"  slope of the client's memory: {done.slope:.1f} bytes a model")
    for line in done.told.splitlines():
        if "MB" in line or "checked" in line:
            print(f"  {line.removeprefix('inertial-check: note: ')}")


def compare_speed(scans: dict[int, Scan], start: Scan, args: argparse.Namespace) -> None:
    """Print the ratio, and what Amdahl's law makes of the client's part."""
    if {1, 2} <= scans.keys():
        ratio = scans[1].seconds / scans[2].seconds
        print(
            f"two workers: {ratio:.2f} x one, aim {SPEED_AIM} x: "
            f"{'met' if ratio >= SPEED_AIM else 'missed'} ({os.cpu_count()} cores, load "
            f"{os.getloadavg()[0]:.1f})"
        )
    done = scans[min(scans)]
    models = args.models - args.archive
    serial = (done.processor["client"] - start.processor["client"]) / models
    scheduler = done.processor["scheduler"] / models
    parallel = done.processor["worker"] / models
    print(
        f"serial part: {1e6 * serial:.1f} us a model in the client, beside it "
        f"{1e6 * scheduler:.1f} us in the scheduler; parallel part {1e6 * parallel:.0f} us"
    )
    for workers in (1, 2, 64, 1024):
        each = max(serial + parallel / workers, scheduler)
        print(f"  Amdahl, {workers:>4} workers on cores of their own: {1 / each:,.0f} models/s")


def measure_losses(
    args: argparse.Namespace,
    folder: Path,
    listing: Path,
    workers: int,
    undisturbed: float,
    digests: dict[str, str],
) -> None:
    """Kill the client, then a worker; print what that costs, and compare the rows."""
    half = -(-args.models // args.archive) // 2

    def kill_client(parts: int, client: int) -> bool:
        if parts < half:
            return False
        os.kill(client, signal.SIGKILL)
        return True

    out = folder / "results-lost"
    shutil.rmtree(out, ignore_errors=True)
    with run_cluster(workers, folder) as cluster:
        first = scan(cluster, listing, out, args, kill_client)
        second = scan(cluster, listing, out, args)
        third = scan(cluster, listing, out, args)
    digests["a client that was killed"] = digest_rows(out)
    both = first.seconds + second.seconds
    print_kept(second)
    print(
        f"client killed halfway: {first.seconds:.1f} s and {second.seconds:.1f} s, "
        f"{both - undisturbed:+.1f} s against an undisturbed run"
    )
    print(f"nothing changed: {third.seconds:.1f} s, {args.models / third.seconds:,.0f} models/s")

    def kill_worker(parts: int, client: int) -> bool:
        if parts < half:
            return False
        lost = [pid for pid in family([cluster.workers])[1:] if b"python" in command_of(pid)]
        os.kill(max(lost, key=memory_of), signal.SIGKILL)
        return True

    shutil.rmtree(out)
    with run_cluster(workers, folder) as cluster:
        done = scan(cluster, listing, out, args, kill_worker)
    digests["a worker that was killed"] = digest_rows(out)
    print(f"worker killed halfway: {done.seconds:.1f} s, {done.seconds - undisturbed:+.1f} s")
    shutil.rmtree(out)


def print_kept(done: Scan) -> None:
    """Print how many models were checked again after a loss."""
    for line in done.told.splitlines():
        if "checked" in line:
            print(f"  resumed: {line.removeprefix('inertial-check: note: ')}")


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def digest_rows(out: Path) -> str:
    """Digest of all parts, by the digests in their names; each archive is a part of its own."""
    names = sorted(f"{path.parent.name} {path.name.split('-')[2]}" for path in out.glob("*/part-*"))
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def expect_planted(planted: Counter[str], out: Path) -> None:
    """Compare the findings with what was planted."""
    from inertial_check.results.reading import read_counts

    start = time.perf_counter()
    counts = read_counts(str(out), print)
    found = {group.keys[0]: group.number for group in counts.project(["rule"])}
    seconds = time.perf_counter() - start
    for code, number in sorted(planted.items()):
        right = "all found" if found.get(code, 0) == number else "WRONG"
        print(f"{code}: {number:,} planted, {found.get(code, 0):,} findings: {right}")
    print(f"summary of {counts.total()['bodies']:,} bodies: {seconds:.1f} s")


if __name__ == "__main__":
    main()
