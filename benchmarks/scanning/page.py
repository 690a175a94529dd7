"""The figures of a benchmark as tables, which docs/scale.md takes as they are printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scanning.scans import ROLES, Scan

WORKERS = (1, 2, 64, 1024)
"""Numbers of workers for which the throughput is extrapolated."""


class Work(NamedTuple):
    """Processor time that a model takes.

    Attributes:
        serial: In the client, which more workers cannot share [s].
        scheduler: In the scheduler, beside the client [s].
        parallel: In the workers [s].
    """

    serial: float
    scheduler: float
    parallel: float

    def rate(self, workers: int) -> float:
        """Models a second by Amdahl's law, with a core for each process [1/s]."""
        return 1 / max(self.serial + self.parallel / workers, self.scheduler)

    def share(self, workers: int) -> float:
        """Part of the time in which the workers wait for the client."""
        return self.serial * self.rate(workers)

    @property
    def half(self) -> float:
        """Number of workers from which on they wait for the client half of the time."""
        return self.parallel / self.serial if self.serial else float("inf")


def measure_work(done: Scan, alone: Scan) -> Work:
    """Measure what a model takes, without what each client takes to start and to print.

    Args:
        done: A scan.
        alone: The scan of one archive, which is nearly all start.
    """
    clients = len(done.attempts)  # each takes as long to start
    models = max(done.models - clients * alone.models, 1)
    serial = max(done.processor("client") - clients * alone.processor("client"), 0.0) / models
    return Work(serial, *(done.processor(role) / done.models for role in ("scheduler", "worker")))


def write_tables(scans: Mapping[str, tuple[Scan, float]], work: Work) -> str:
    """Write the tables of docs/scale.md.

    Args:
        scans: The scans by their titles, each with its models a second [1/s].
        work: What a model takes.
    """
    rows: dict[str, list[str]] = {
        "models": [f"{scan.models:,}" for scan, _ in scans.values()],
        "models a second": [f"{rate:,.0f}" for _, rate in scans.values()],
    }
    for role in ("worker", "client"):
        title = f"processor time of the {role}{'s' * (role == 'worker')} a model"
        times = [scan.processor(role) / scan.models for scan, _ in scans.values()]
        rows[title] = [f"{1e6 * each:,.0f} µs" for each in times]
    rows[f"largest {', '.join(ROLES)}"] = [
        ", ".join(f"{scan.peak(role) / 1e6:.0f}" for role in ROLES) + " MB"
        for scan, _ in scans.values()
    ]
    rows["slope of the client's memory"] = [
        f"{scan.slope():.2f} bytes a model" for scan, _ in scans.values()
    ]
    rows["sent to the workers, received from them"] = [
        _find_bytes(scan) for scan, _ in scans.values()
    ]
    first = _write_table(["", *scans], [[title, *cells] for title, cells in rows.items()])
    head = ["workers, each on a core of its own", "models a second", "a million takes"]
    second = _write_table(
        [*head, "workers wait for the client"],
        [
            [
                f"{workers:,}",
                f"{work.rate(workers):,.0f}",
                _tell_time(1e6 / work.rate(workers)),
                f"{100 * work.share(workers):.1f} %",
            ]
            for workers in WORKERS
        ],
    )
    return f"{first}\n{second}"


def _write_table(head: list[str], rows: list[list[str]]) -> str:
    lines = (f"| {' | '.join(cells)} |\n" for cells in rows)
    return f"| {' | '.join(head).strip()} |\n{'|---' * len(head)}|\n{''.join(lines)}"


def _find_bytes(scan: Scan) -> str:
    """What the last client says of bytes; of one that was killed nothing is known."""
    told = [line for line in scan.attempts[-1].told.splitlines() if "MB sent" in line]
    if not told:
        return "-"
    sent, _, received = told[-1].removeprefix("inertial-check: note: ").partition(", ")
    return f"{sent.split()[0]}, {received.split()[0]} MB"


def _tell_time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 300 else f"{seconds:.0f} s"
