"""What a check says of a file, as far as it is counted."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter
from typing import NamedTuple

import inertial_check as ic
from inertial_check.checking.causes import base
from inertial_check.checking.report import Severity
from inertial_check.checking.settings import Settings

Task = tuple[str, float | None]
"""A file, and what the whole model is said to weigh [kg]."""


class Said(NamedTuple):
    """A warning or an error.

    Attributes:
        body: Id of the body; None for the document.
        bodies: Ids of the bodies of a finding on the whole model.
        code: Of the rule.
        severity: As a number.
        causes: Names, best first.
        confidence: Of the first cause; 0 without one.
        message: In words.
    """

    body: str | None
    bodies: tuple[str, ...]
    code: str
    severity: int
    causes: tuple[str, ...]
    confidence: float
    message: str

    @property
    def subjects(self) -> frozenset[str | None]:
        """Every body that it speaks of, and None where it speaks of the model."""
        return frozenset({self.body, *self.bodies})


class Run(NamedTuple):
    """A check of a file.

    Attributes:
        said: Its warnings and errors.
        consistent: The ids of the bodies that it calls consistent, singular ones among them.
        seconds: How long it took [s].
        failure: What it raised; None where it came to an end.
    """

    said: tuple[Said, ...]
    consistent: frozenset[str]
    seconds: float
    failure: str | None = None


def examined(task: Task) -> Run:
    """Check one file."""
    path, expected_mass = task
    start = perf_counter()
    try:
        settings = Settings(expected_mass=None if expected_mass is None else (expected_mass, 0.01))
        report = ic.check_model(path, settings)
    except Exception as error:  # a crash is a result here
        seconds = perf_counter() - start
        return Run((), frozenset(), seconds, f"{type(error).__name__}: {error}")
    seconds = perf_counter() - start
    said = (
        Said(
            finding.body_id,
            tuple(finding.body_ids),
            finding.code,
            finding.severity,
            tuple(each.cause for each in finding.causes),
            finding.causes[0].confidence if finding.causes else 0.0,
            finding.message,
        )
        for finding in report.findings
        if finding.severity >= Severity.WARNING
    )
    good = {b.id for b in report.bodies if b.judgement.verdict in ("consistent", "boundary")}
    return Run(tuple(said), frozenset(good), seconds)


def examine(tasks: Iterable[Task], jobs: int, by_shares: bool = False) -> dict[Task, Run]:
    """Check files, each once.

    Args:
        tasks: The files.
        jobs: Number of processes.
        by_shares: Whether confidences are those of the shares alone, without the table of counts.
    """
    every = list(dict.fromkeys(tasks))
    with ProcessPoolExecutor(jobs, initializer=_leave_shares if by_shares else None) as pool:
        return dict(zip(every, pool.map(examined, every, chunksize=8), strict=True))


def _leave_shares() -> None:
    """Leave the confidences in this process as the shares of causes give them."""
    base.COUNTS = None
