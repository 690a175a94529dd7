"""Counts of results by upstream, rule, cause, engine and other dimensions.

Bodies and findings that agree in every dimension are counted together, so that the counts of a
million models take no more memory than those of a hundred.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from inertial_check.errors import UsageError
from inertial_check.results.rows import ARCHIVE, CHECKED, FAILED, SKIPPED, SURE, Row
from inertial_check.spelling import suggest_name

Actions = tuple[tuple[str, str], ...]
"""Actions of engines on a body, with the names of the engines."""


class BodyKind(NamedTuple):
    """The dimensions of a body; bodies with the same ones are counted together."""

    upstream: str
    format: str
    verdict: str
    actions: Actions


class FindingKind(NamedTuple):
    """The dimensions of a finding, and of the body that it is on."""

    upstream: str
    format: str
    verdict: str
    actions: Actions
    rule: str
    name: str
    severity: str
    cause: str


DIMENSIONS = ("upstream", "format", "rule", "cause", "severity", "verdict", "engine")
"""Dimensions by which findings can be counted."""

_OF_FINDINGS = frozenset(["rule", "cause", "severity"])
"""Dimensions that only findings have."""

ACTIONS = ("accept", "warn", "alter", "replace", "reject", "drop")
"""Actions of an engine, in the order of tables."""


class Facts:
    """A set of facts, by the first 64 bits of their digests: 8 bytes for each."""

    def __init__(self) -> None:
        self._sorted = np.empty(0, np.uint64)
        self._new: set[int] = set()

    def add(self, fact: str) -> None:
        """Add the hexadecimal digest of a fact."""
        self._new.add(int(fact[:16], 16))
        if len(self._new) >= _NEW_FACTS:
            self._settle()

    def merge(self, other: Facts) -> None:
        """Add the facts of another set."""
        other._settle()
        self._settle()
        self._sorted = np.union1d(self._sorted, other._sorted)

    def __len__(self) -> int:
        """The number of facts."""
        self._settle()
        return len(self._sorted)

    def _settle(self) -> None:
        if self._new:
            new = np.fromiter(self._new, np.uint64, len(self._new))
            self._sorted = np.union1d(self._sorted, new)
            self._new = set()


_NEW_FACTS = 1 << 16
"""Number of facts that a set holds as Python objects, before they become an array."""


@dataclass
class Counts:
    """Numbers of files, bodies and findings.

    Attributes:
        files: Number of files by upstream and status.
        bodies: Number of bodies of each kind.
        findings: Number of findings of each kind.
        facts: Facts behind findings.
        single: Number of findings that are facts of their own.
    """

    files: Counter[tuple[str, str]] = field(default_factory=Counter)
    bodies: Counter[BodyKind] = field(default_factory=Counter)
    findings: Counter[FindingKind] = field(default_factory=Counter)
    facts: Facts = field(default_factory=Facts)
    single: int = 0

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Count rows of documents and bodies."""
        for row in rows:
            upstream, shape = row["upstream"], row.get("format") or ""
            actions = tuple((row.get("engines") or {}).items())
            verdict = row.get("verdict") or ""
            if row.get("body_id") is None:
                self.files[upstream, row["status"]] += 1
            else:
                self.bodies[BodyKind(upstream, shape, verdict, actions)] += 1
            for finding in row.get("findings") or ():
                kind = FindingKind(
                    upstream,
                    shape,
                    verdict,
                    actions,
                    finding["code"],
                    finding["name"],
                    finding["severity"],
                    name_cause(finding["cause"], finding["confidence"]),
                )
                self.findings[kind] += 1
                if "fact" in finding:  # reports in JSON give only the number of facts
                    self.add_fact(finding["fact"])

    def add(self, other: Counts) -> None:
        """Add the counts of other results."""
        self.files += other.files
        self.bodies += other.bodies
        self.findings += other.findings
        self.single += other.single
        self.facts.merge(other.facts)

    def add_fact(self, fact: str | None) -> None:
        """Count the fact behind a finding; None for a finding that is a fact of its own."""
        if fact is None:
            self.single += 1
        else:
            self.facts.add(fact)

    @property
    def upstreams(self) -> list[str]:
        """Names of the upstreams that have a file."""
        return sorted({name for name, status in self.files if status != ARCHIVE})

    def total(self) -> dict[str, int]:
        """Numbers of files, bodies and findings in all."""
        severity: Counter[str] = Counter()
        for kind, count in self.findings.items():
            severity[kind.severity] += count
        statuses: Counter[str] = Counter()
        for (_, status), count in self.files.items():
            statuses[status] += count
        return {
            "upstreams": len(self.upstreams),
            "files": statuses[CHECKED],
            "failed": statuses[FAILED],
            "skipped": statuses[SKIPPED],
            "bodies": self.bodies.total(),
            "errors": severity["error"],
            "warnings": severity["warning"],
            "notes": severity["note"],
            "distinct_findings": len(self.facts) + self.single,
        }

    def project(self, dimensions: Sequence[str]) -> list[CountedGroup]:
        """Count by dimensions, the most frequent first.

        Findings are counted where one of the dimensions is rule, cause or severity, otherwise
        bodies. With the dimension engine, each is counted once for each engine, by what the engine
        does with the body.

        Raises:
            UsageError: A dimension is unknown or given twice.
        """
        _validate(dimensions)
        kinds = self.findings if _OF_FINDINGS.intersection(dimensions) else self.bodies
        return _group(_spread(kinds, dimensions))


class CountedGroup(NamedTuple):
    """A row of a table of counts.

    Attributes:
        keys: Value of each dimension; "" where there is none.
        number: Number of findings or of bodies.
        actions: The same by what the engine does; empty without the dimension engine.
    """

    keys: tuple[str, ...]
    number: int
    actions: Mapping[str, int]


def name_cause(cause: str | None, confidence: float | None) -> str:
    """Name the cause for which a finding counts; "" if its first one is not probable."""
    return cause if cause is not None and (confidence or 0.0) >= SURE else ""


def _validate(dimensions: Sequence[str]) -> None:
    for name in dimensions:
        if name not in DIMENSIONS:
            hint = suggest_name(name, DIMENSIONS)
            raise UsageError(f"--by {name}: expected some of {', '.join(DIMENSIONS)}{hint}")
    if len(set(dimensions)) < len(dimensions):
        raise UsageError(f"--by {','.join(dimensions)}: a dimension is given twice")


def _spread(
    kinds: Mapping[BodyKind, int] | Mapping[FindingKind, int], dimensions: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """The keys, the action and the number of each kind, once for each engine if that is asked."""
    for kind, count in kinds.items():
        values = kind._asdict()
        if "engine" not in dimensions:
            yield tuple(values[name] for name in dimensions), "", count
            continue
        for engine, action in kind.actions:
            values["engine"] = engine
            yield tuple(values[name] for name in dimensions), action, count


def _group(items: Iterable[tuple[tuple[str, ...], str, int]]) -> list[CountedGroup]:
    totals: Counter[tuple[str, ...]] = Counter()
    actions: dict[tuple[str, ...], Counter[str]] = {}
    for keys, action, count in items:
        totals[keys] += count
        if action:
            actions.setdefault(keys, Counter())[action] += count
    groups = (CountedGroup(keys, totals[keys], actions.get(keys, {})) for keys in totals)
    return sorted(groups, key=lambda group: (-group.number, group.keys))
