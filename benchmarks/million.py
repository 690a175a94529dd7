"""What a scan of a million different models takes, on a local Dask cluster of one and two workers.

    python benchmarks/million.py [--models 1000000] [--workers 1,2] [--folder DIR]
                                 [--losses after|during|none]

Generates models from templates in data/valid with other masses and inertias in each, seeded, and
plants a negative mass or a broken triangle inequality into one of eight. They are written into
archives of 1,000, so that a million files never lie on the disk. Then whole processes scan them:
`check --results --cluster` as the client, a scheduler, and workers of one thread each. For each
number of workers:

* models a second in all and in each tenth, and the processor time of client, scheduler and workers
  for each model,
* the peak memory of each process, and the slope of the client's memory over the last four fifths of
  the models,
* the bytes that went to the workers and came back.

Then the losses, a client and a worker that are killed. With `--losses after` (the default) each has
a scan of its own, and the cost is what that takes beyond an undisturbed one. With `--losses during`
both are killed within the last scan, the client after one third, whereupon the same command takes
the scan up, and a worker after two thirds; then one worker scans the archives around both losses
and at both ends without any. That takes a million models once instead of four times. At the end
there is a run in which nothing has changed. The rows of all scans are compared byte by byte, and
the findings with what was planted. The last lines are the tables of docs/scale.md.

With `--folder` all that is done stays there, and the same command goes on after an interruption:
archives that are complete and scans that are finished are kept, and a scan that was interrupted is
taken up.

Aims: 1 GB a process, no slope, two workers 1.8 times one, the same bytes.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from scanning.cluster import run_cluster
from scanning.models import Models, generate
from scanning.page import WORKERS, Work, measure_work, write_tables
from scanning.scans import ROLES, Job, Loss, Scan, digest_rows, run_scan

MEMORY_AIM, SPEED_AIM = 1 << 30, 1.8
DURING = (Loss("client", 1 / 3), Loss("worker", 2 / 3))
"""What is killed in the last scan with `--losses during`."""

AT_ENDS, AROUND_LOSS = 4, 20
"""Numbers of archives at each end, and from each loss on, that are scanned again undisturbed: no
more than 16 are under way on a cluster of up to four workers."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=1_000_000)
    parser.add_argument("--archive", type=int, default=1000, help="models in an archive")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, with commas between")
    parser.add_argument("--folder", type=Path, help="for archives and results; default: temporary")
    parser.add_argument("--results-format", default="parquet", choices=("parquet", "jsonl"))
    parser.add_argument("--losses", default="after", choices=("after", "during", "none"))
    args = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        Measurement(args, folder.resolve()).run()


class Measurement:
    """All scans of one command."""

    def __init__(self, args: argparse.Namespace, folder: Path) -> None:
        self._args, self._folder = args, folder
        self._scans: dict[int, Scan] = {}
        self._digests: dict[str, str] = {}
        start = time.perf_counter()
        self._models = generate(args.models, args.archive, folder / "models")
        self._paths = self._models.paths
        describe_models(args.models, self._models, time.perf_counter() - start)

    def run(self) -> None:
        """Make all scans, and print what they took."""
        numbers = [int(each) for each in self._args.workers.split(",")]
        during = DURING if self._args.losses == "during" else ()
        for workers in numbers:
            losses = during if workers == numbers[-1] else ()
            with run_cluster(workers, self._folder) as cluster:
                if not self._scans:  # one archive: what the client takes to start, and to print
                    alone = run_scan(cluster, self._job("one-archive", self._paths[:1]))
                done = run_scan(cluster, self._job(f"{workers}-workers", losses=losses))
                self._scans[workers] = done
                name = f"{workers} workers"
                describe(name, done)
                self._digests[name] = digest_rows(done.job.out)
                if losses:
                    again = self._job("unchanged", results=done.job.name)
                    describe_unchanged(run_scan(cluster, again))
        expect_planted(self._models, done.job.out)
        if during:
            self._compare_with_undisturbed(done)
        compare_speed(self._scans)
        work = measure_work(max(self._scans.values(), key=lambda scan: scan.models), alone)
        extrapolate(work)
        if self._args.losses == "after":
            self._measure_losses(done, workers)
        if len(self._digests) > 1:
            same = len(set(self._digests.values())) == 1
            print(
                f"rows of {', '.join(self._digests)}: {'the same bytes' if same else 'DIFFERENT'}"
            )
        print_tables(self._scans, work)

    def _job(
        self,
        name: str,
        paths: Sequence[Path] = (),
        losses: tuple[Loss, ...] = (),
        results: str = "",
    ) -> Job:
        """A scan of some archives, or of all; into the results of another scan if one is named."""
        return Job(
            name,
            paths or self._paths,
            self._args.archive,
            self._folder,
            self._args.results_format,
            self._models.digest,
            losses,
            results,
        )

    def _compare_with_undisturbed(self, disturbed: Scan) -> None:
        """Scan the archives around losses again, with one worker that nothing disturbs."""
        number = len(self._paths)
        starts = [parts for _, parts in disturbed.lost]
        chosen = {*range(AT_ENDS), *range(number - AT_ENDS, number)}
        for start in starts:
            chosen.update(range(start - 1, start + AROUND_LOSS))
        paths = [self._paths[at] for at in sorted(chosen) if 0 <= at < number]
        with run_cluster(1, self._folder) as cluster:
            done = run_scan(cluster, self._job("undisturbed", paths))
        describe("one worker, undisturbed", done)
        same = digest_rows(done.job.out) == digest_rows(disturbed.job.out, paths)
        print(
            f"rows of {len(paths):,} archives around both losses and at both ends, against one "
            f"undisturbed worker: {'the same bytes' if same else 'DIFFERENT'}"
        )
        self._scans.setdefault(1, done)

    def _measure_losses(self, undisturbed: Scan, workers: int) -> None:
        """Kill the client, then a worker; print what that costs."""
        for role in ("client", "worker"):
            job = self._job(f"lost-{role}", losses=(Loss(role, 0.5),))
            with run_cluster(workers, self._folder) as cluster:
                done = run_scan(cluster, job)
                again = self._job("unchanged", results=job.name)
                unchanged = run_scan(cluster, again) if role == "client" else None
            more = done.seconds - undisturbed.seconds
            print(f"{role} killed halfway: {done.seconds:.1f} s, {more:+.1f} s")
            if unchanged is not None:
                describe_notes(done)
                describe_unchanged(unchanged)
            self._digests[f"a {role} that was killed"] = digest_rows(job.out)


def describe_models(count: int, models: Models, seconds: float) -> None:
    kept = len(models.paths) - models.made
    planted = ", ".join(f"{number:,} {code}" for code, number in sorted(models.planted.items()))
    print(
        f"{count:,} models in {len(models.paths):,} archives, {models.size / 1e6:,.0f} MB, "
        f"{kept:,} of them kept, the others made in {seconds:.0f} s; planted: {planted}"
    )


def describe(name: str, done: Scan) -> None:
    print(f"{name}: {done.seconds:.1f} s, {done.models / done.seconds:,.0f} models/s")
    print(f"  models/s in each tenth: {' '.join(f'{rate:.0f}' for rate in done.rates())}")
    for role in ROLES:
        peak = done.peak(role)
        met = "met" if peak <= MEMORY_AIM else "missed"
        print(
            f"  {role:<9} {1e6 * done.processor(role) / done.models:8.1f} us of processor time a "
            f"model, at most {peak / 1e6:.0f} MB a process (aim 1 GB: {met})"
        )
    print(f"  slope of the client's memory: {done.slope():.2f} bytes a model")
    describe_notes(done)


def describe_notes(done: Scan) -> None:
    """Print what the clients say about files and bytes; one that was killed says nothing."""
    for role, parts in done.lost:
        print(f"  {role} killed after {parts * done.job.each:,} models")
    for attempt in done.attempts:
        for line in attempt.told.splitlines():
            if "MB" in line or "checked" in line:
                print(f"  {line.removeprefix('inertial-check: note: ')}")


def describe_unchanged(done: Scan) -> None:
    print(f"nothing changed: {done.seconds:.1f} s, {done.models / done.seconds:,.0f} models/s")


def find_rate(done: Scan) -> float:
    """Models a second [1/s]; if something was killed, the median of the tenths."""
    return statistics.median(done.rates()) if done.lost else done.models / done.seconds


def compare_speed(scans: Mapping[int, Scan]) -> None:
    """Print how much faster two workers are than one."""
    if {1, 2} <= scans.keys():
        ratio = find_rate(scans[2]) / find_rate(scans[1])
        print(
            f"two workers: {ratio:.2f} x one, aim {SPEED_AIM} x: "
            f"{'met' if ratio >= SPEED_AIM else 'missed'} ({os.cpu_count()} cores, load "
            f"{os.getloadavg()[0]:.1f})"
        )


def extrapolate(work: Work) -> None:
    """Print what Amdahl's law makes of the client's part."""
    print(
        f"serial part: {1e6 * work.serial:.1f} us a model in the client, beside it "
        f"{1e6 * work.scheduler:.1f} us in the scheduler; parallel part {1e6 * work.parallel:.0f} "
        f"us; from {work.half:,.0f} workers on they wait for the client half of the time"
    )
    for workers in WORKERS:
        rate = work.rate(workers)
        print(f"  Amdahl, {workers:>4} workers on cores of their own: {rate:,.0f} models/s")


def print_tables(scans: Mapping[int, Scan], work: Work) -> None:
    """Print the figures of docs/scale.md in one block."""
    titles = {1: "one worker", 2: "two workers"}
    named = {
        titles.get(workers, f"{workers} workers"): (scan, find_rate(scan))
        for workers, scan in sorted(scans.items())
    }
    print(f"\nThe tables of docs/scale.md:\n\n{write_tables(named, work)}", end="")


def expect_planted(models: Models, out: Path) -> None:
    """Compare the findings with what was planted."""
    from inertial_check.running.results.reading import read_counts

    start = time.perf_counter()
    counts = read_counts(str(out), print)
    found = {group.keys[0]: group.number for group in counts.project(["rule"])}
    seconds = time.perf_counter() - start
    for code, number in sorted(models.planted.items()):
        right = "all found" if found.get(code, 0) == number else "WRONG"
        print(f"{code}: {number:,} planted, {found.get(code, 0):,} findings: {right}")
    others = [f"{found[code]:,} {code}" for code in sorted(found) if code not in models.planted]
    print(f"findings of other rules: {', '.join(others) or 'none'}")
    print(f"summary of {counts.total()['bodies']:,} bodies: {seconds:.1f} s")


if __name__ == "__main__":
    main()
