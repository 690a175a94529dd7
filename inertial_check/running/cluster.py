"""The workers of a Dask cluster check documents for this process.

They read the documents under the same absolute paths, and have this package in the same version.
What a worker cannot do so, this machine does: a document that the worker sees otherwise or not at
all, and one that has ended a worker, which is then checked by a process of its own.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from inertial_check.checking.check import EVERYTHING, Document, Extent, Outcome
from inertial_check.errors import UsageError
from inertial_check.running.cache import Fingerprints, program
from inertial_check.running.encoding import decoded, encoded
from inertial_check.running.workers import Task, in_processes, tasks
from inertial_check.settings.settings import Settings

TOGETHER = 32
"""Documents in one task."""

_SECONDS = 10.0
"""To find the scheduler."""


class _Order(NamedTuple):
    """A task for a worker elsewhere.

    Attributes:
        task: What to do.
        folder: Where relative paths begin.
        seen: The fingerprint of each document, as this process sees it.
        program: The program that is to do it.
    """

    task: Task
    folder: str
    seen: tuple[str, ...]
    program: str


def on_cluster(
    address: str,
    documents: Sequence[tuple[Document, Settings]],
    tell: Callable[[str], None],
    extent: Extent = EVERYTHING,
) -> Iterator[Outcome]:
    """Have documents checked by the workers of a cluster.

    Args:
        address: Of the scheduler, tcp://HOST:PORT.
        documents: What to check, and how.
        tell: Is told what did not go as it should.
        extent: What is wanted besides findings and judgements.

    Yields:
        The outcomes, as soon as they are there.

    Raises:
        UsageError: Dask is not installed, or there is no such scheduler.
    """
    client, as_completed = _connected(address)
    with client:
        work = tasks(documents, extent, TOGETHER)
        orders = {client.submit(_carried_out, _order(task), pure=False): task for task in work}
        left: list[Task] = []
        for future in as_completed(list(orders), loop=client.loop):
            task = orders.pop(future)
            if future.status != "finished":  # it has ended several workers, or one was lost
                left += task.single()
                continue
            done, undone = _sorted(task, future.result())
            yield from done
            left += undone
            future.release()
    if left:
        tell(
            f"{len(left)} of {len(documents)} files were checked on this machine: no worker of "
            f"{address} could, which see other files, have another version, or have ended"
        )
    for outcomes in in_processes(left, 1):
        yield from outcomes


def _sorted(task: Task, lines: list[str | None]) -> tuple[list[Outcome], list[Task]]:
    """The outcomes of a task, and what of it was not done."""
    done: list[Outcome] = []
    undone: list[Task] = []
    for single, line in zip(task.single(), lines, strict=True):
        if line is None:
            undone.append(single)
        else:
            done += decoded(line)
    return done, undone


def _connected(address: str) -> tuple[Any, Any]:
    try:
        import distributed
    except ImportError:
        raise UsageError('--cluster needs Dask: pip install "inertial-check[cluster]"') from None
    try:
        library: Any = distributed
        client = library.Client(address, timeout=_SECONDS, set_as_default=False)
        return client, library.as_completed
    except (OSError, ValueError) as error:
        raise UsageError(f"--cluster {address}: no scheduler answers: {error}") from None


def _order(task: Task) -> bytes:
    fingerprints = Fingerprints()
    seen = tuple(fingerprints.of(os.path.abspath(each.path)) for each in task.documents)
    return pickle.dumps(_Order(task, os.getcwd(), seen, program()))


def _carried_out(order: bytes) -> list[str | None]:
    """What a worker answers: a line for each document, None for one that it cannot check."""
    asked: _Order = pickle.loads(order)
    task = asked.task
    try:
        os.chdir(asked.folder)
    except OSError:
        return [None] * len(task.documents)
    fingerprints = Fingerprints()
    if asked.program != program():
        return [None] * len(task.documents)
    lines: list[str | None] = []
    for single, seen in zip(task.single(), asked.seen, strict=True):
        same = fingerprints.of(os.path.abspath(single.documents[0].path)) == seen
        lines.append(encoded(single.done()) if same else None)
    return lines
