"""Counts of results by upstream, rule, cause, engine and other dimensions, and their tables.

Bodies and findings that agree in every dimension are counted together, so that the counts of a
million models take no more memory than those of a hundred. Tables are text, JSON, Markdown or CSV,
the same on every run. Rows in Parquet are encoded and joined here as streams of Arrow, by pyarrow,
which the extra `cluster` installs and which is imported when it is used.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from inertial_check.checking.engines import ENGINES, VALIDATORS
from inertial_check.documents.escaping import dump_json, markdown_text, printable
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError
from inertial_check.reports.json import SCHEMA_VERSION, TOOL
from inertial_check.reports.text import align_columns
from inertial_check.running.results.rows import (
    ARCHIVE,
    CHECKED,
    COLUMNS,
    FAILED,
    NUMBERS,
    SKIPPED,
    SURE,
    Row,
)

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
        inertials: Number of inertials of all documents, with those that they include.
        judged: Number of those that were judged.
    """

    files: Counter[tuple[str, str]] = field(default_factory=Counter)
    bodies: Counter[BodyKind] = field(default_factory=Counter)
    findings: Counter[FindingKind] = field(default_factory=Counter)
    facts: Facts = field(default_factory=Facts)
    single: int = 0
    inertials: int = 0
    judged: int = 0

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Count rows of documents and bodies.

        Raises:
            KeyError, TypeError, AttributeError: A row is none that `check` has written.
        """
        for row in rows:
            upstream, shape = row["upstream"], row.get("format") or ""
            engines = row.get("engines") or {}
            actions = tuple(pair for pair in engines.items() if pair[1] is not None)
            verdict = row.get("verdict") or ""
            texts = [upstream, shape, verdict, *chain(*actions)]
            if row.get("body_id") is None:
                texts.append(row["status"])
                self.files[upstream, row["status"]] += 1
                self.inertials += row.get("inertials") or 0
                self.judged += row.get("judged") or 0
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
                texts += kind[4:]
                self.findings[kind] += 1
                if "fact" in finding:  # reports in JSON give only the number of facts
                    self.add_fact(finding["fact"])
            for text in texts:
                if not isinstance(text, str):
                    raise TypeError(f"expected a text, not {dump_json(text)}")

    def add(self, other: Counts) -> None:
        """Add the counts of other results."""
        self.files += other.files
        self.bodies += other.bodies
        self.findings += other.findings
        self.single += other.single
        self.inertials += other.inertials
        self.judged += other.judged
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
        for name in dimensions:
            if name not in DIMENSIONS:
                hint = suggest_name(name, DIMENSIONS)
                raise UsageError(f"--by {name}: expected some of {', '.join(DIMENSIONS)}{hint}")
        if len(set(dimensions)) < len(dimensions):
            raise UsageError(f"--by {','.join(dimensions)}: a dimension is given twice")
        kinds = self.findings if _OF_FINDINGS.intersection(dimensions) else self.bodies
        items = _spread(kinds, dimensions)
        totals: Counter[tuple[str, ...]] = Counter()
        actions: dict[tuple[str, ...], Counter[str]] = {}
        for keys, action, count in items:
            totals[keys] += count
            if action:
                actions.setdefault(keys, Counter())[action] += count
        groups = (CountedGroup(keys, totals[keys], actions.get(keys, {})) for keys in totals)
        return sorted(groups, key=lambda group: (-group.number, group.keys))


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


FORMS = ("text", "json", "markdown", "csv")
"""Forms of a summary."""

_OVERVIEW: tuple[tuple[str, ...], ...] = (("upstream",), ("rule",), ("cause",), ("engine",))
"""Tables of a summary for which no dimensions are given."""

_LENGTH = 500
"""Longest name in a table of Markdown [characters]."""

_MOST_ROWS = 40
"""Largest number of rows of a table of text, of those that no dimensions were given for."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which spreadsheets take a text for a formula."""


class _Table:
    """A table of counts by dimensions.

    Args:
        counts: The counts.
        dimensions: The dimensions.
    """

    def __init__(self, counts: Counts, dimensions: Sequence[str]) -> None:
        self.dimensions = tuple(dimensions)
        self.groups = counts.project(dimensions)
        self._names = {kind.rule: kind.name for kind in counts.findings}
        self.noun = "findings" if {"rule", "cause", "severity"} & set(dimensions) else "bodies"
        self.actions = ACTIONS if "engine" in dimensions else ()
        self.title = f"{self.noun} by {' and '.join(dimensions)}"
        self.head = [*dimensions, self.noun, *self.actions]

    def cells(self, group: CountedGroup) -> list[str]:
        """The cells of a row, with the names of rules beside their codes."""
        keys = (
            f"{key} {self._names.get(key, '')}" if name == "rule" else key or "-"
            for name, key in zip(self.dimensions, group.keys, strict=True)
        )
        return [*keys, str(group.number), *(str(group.actions.get(a, 0)) for a in self.actions)]


def render(counts: Counts, dimensions: Sequence[str], form: str) -> str:
    """Render a summary.

    Args:
        counts: The counts.
        dimensions: What they are told apart by; none for one table each of the usual ones.
        form: One of FORMS.

    Raises:
        UsageError: A dimension is unknown or given twice.
    """
    wanted = [tuple(dimensions)] if dimensions else _OVERVIEW
    tables = [_Table(counts, each) for each in wanted]
    if form == "json":
        return _render_json(counts, tables)
    if form == "csv":
        # Tables of comma-separated values, with an empty line between two.
        texts = []
        for table in tables:
            stream = io.StringIO()
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(table.head)
            for group in table.groups:
                keys = [f"'{key}" if key.startswith(_FORMULA) else key for key in group.keys]
                writer.writerow(
                    [*keys, group.number, *(group.actions.get(a, 0) for a in table.actions)]
                )
            texts.append(stream.getvalue())
        return "\n".join(texts)
    words = [f"{number} {name.replace('_', ' ')}" for name, number in counts.total().items()]
    total = ", ".join(words) + "\n"
    if form == "markdown":
        lines = [total]
        for table in tables:
            lines += [f"## {table.title[:1].upper()}{table.title[1:]}\n"]
            lines += ["| " + " | ".join(table.head) + " |", "|---" * len(table.head) + "|"]
            for row in map(table.cells, table.groups):
                lines.append("| " + " | ".join(markdown_text(c, _LENGTH) for c in row) + " |")
            lines.append("")
        return "\n".join(lines)
    most = None if dimensions else _MOST_ROWS
    return "\n".join([total, *(_render_text(each, most) for each in tables)])


def _render_text(table: _Table, most: int | None) -> str:
    rows = [[printable(cell) for cell in table.cells(each)] for each in table.groups[:most]]
    aligned = align_columns([table.head, *rows], len(table.dimensions))
    lines = [table.title, *(f"  {line}" for line in aligned)]
    if len(table.groups) > len(rows):
        by = ",".join(table.dimensions)
        lines.append(f"  and {len(table.groups) - len(rows)} more rows: --by {by} shows them")
    return "\n".join(lines) + "\n"


def _render_json(counts: Counts, tables: Sequence[_Table]) -> str:
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        "summary": counts.total(),
        "tables": [
            {
                "by": list(table.dimensions),
                "counts": table.noun,
                "rows": [
                    {
                        **dict(zip(table.dimensions, group.keys, strict=True)),
                        table.noun: group.number,
                        **({"actions": dict(group.actions)} if table.actions else {}),
                    }
                    for group in table.groups
                ],
            }
            for table in tables
        ],
    }
    return dump_json(document, 1) + "\n"


Table = Any  # a pyarrow.Table: pyarrow has no types

_TEXTS = frozenset(
    ["upstream", "path", "digest", "key", "inputs", "status", "note", "format", "model"]
).union(["body", "body_id", "body_file", "verdict"])
_COUNTS = frozenset(["bodies", "inertials", "judged", "line"])
_BATCH = 65536
"""Number of rows that are read at once."""


def load_pyarrow() -> Any:  # noqa: ANN401 - a module without types
    """Import pyarrow.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            'Parquet needs pyarrow: pip install "inertial-check[cluster]", or choose '
            "--results-format jsonl"
        ) from None
    return pyarrow


@cache
def schema() -> Any:  # noqa: ANN401
    """The schema of Arrow of the rows."""
    pa = load_pyarrow()
    finding = pa.struct(
        [(name, pa.string()) for name in ("code", "name", "severity")]
        + [(name, pa.int64()) for name in ("line", "column")]
        + [(name, pa.string()) for name in ("message", "fact", "cause")]
        + [("confidence", pa.float64())]
    )
    types = {
        **dict.fromkeys(_TEXTS, pa.string()),
        **dict.fromkeys(_COUNTS, pa.int64()),
        **dict.fromkeys(("margin", "tolerance", *NUMBERS), pa.float64()),
        "findings": pa.list_(finding),
        "engines": pa.struct([(name, pa.string()) for name in (*ENGINES, *VALIDATORS)]),
    }
    return pa.schema([(name, types[name]) for name in COLUMNS])


def encode_stream(rows: Sequence[Row]) -> bytes:
    """Encode rows as a stream of Arrow."""
    pa = load_pyarrow()
    try:
        table = pa.Table.from_pylist(rows, schema())
    except UnicodeEncodeError:  # a text has a lone surrogate, which UTF-8 cannot hold
        table = pa.Table.from_pylist([_escape_row(row) for row in rows], schema())
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, schema(), options=options) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def encode_part(streams: Sequence[bytes]) -> bytes:
    """Encode the rows of streams as one file of Parquet."""
    pa = load_pyarrow()
    table = pa.concat_tables([pa.ipc.open_stream(each).read_all() for each in streams])
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def read_batches(data: bytes, columns: Sequence[str] | None = None) -> Iterator[Table]:
    """Read the rows of a file of Parquet as tables.

    Raises:
        ValueError: It is damaged, or holds no rows of results.
    """
    pa = load_pyarrow()
    try:
        file = pa.parquet.ParquetFile(pa.BufferReader(data))
        missing = set(COLUMNS) - set(file.schema_arrow.names)
        if missing:
            raise ValueError(f"no column {', '.join(sorted(missing))}")
        for batch in file.iter_batches(_BATCH, columns=columns):
            yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError) as error:
        raise ValueError(" ".join(str(error).split())) from None


class PendingTables:
    """Rows of files of Parquet that are counted by columns, many at once: small files are many.

    Rows one by one take five times as long (3.2 for 0.7 s of 200,000 rows).
    `test_both_ways_count_the_same` holds both ways to the same counts.

    Args:
        counts: The counts, which are complete after `flush`.
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self._tables: list[Table] = []
        self._rows = 0

    def add(self, data: bytes) -> None:
        """Add the rows of a file.

        Raises:
            ValueError: It is damaged, or has other columns.
        """
        wanted = ["upstream", "status", "format", "verdict", "body_id", "findings", "engines"]
        wanted += ["inertials", "judged"]
        tables = list(read_batches(data, wanted))
        self._tables += tables
        self._rows += sum(table.num_rows for table in tables)
        if self._rows >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Count the rows that were added."""
        if self._tables:
            _count_table(self.counts, load_pyarrow().concat_tables(self._tables))
            self._tables, self._rows = [], 0


def _count_table(counts: Counts, table: Table) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_file = pc.is_null(table["body_id"])
    counts.inertials += pc.sum(table["inertials"]).as_py() or 0
    counts.judged += pc.sum(table["judged"]).as_py() or 0
    grouped = table.filter(is_file).group_by(["upstream", "status"]).aggregate([([], "count_all")])
    for row in grouped.to_pylist():
        counts.files[row["upstream"], row["status"]] += row["count_all"]
    flat = {
        "upstream": table["upstream"],
        "format": pc.fill_null(table["format"], ""),
        "verdict": pc.fill_null(table["verdict"], ""),
        **{name: pc.struct_field(table["engines"], name) for name in (*ENGINES, *VALIDATORS)},
    }
    names = list(flat)
    bodies = pa.table(flat).filter(pc.invert(is_file))
    for row in bodies.group_by(names).aggregate([([], "count_all")]).to_pylist():
        counts.bodies[BodyKind(*_body_kind(row))] += row["count_all"]
    parents = pc.list_parent_indices(table["findings"].combine_chunks())
    findings = pc.list_flatten(table["findings"].combine_chunks())
    for name in ("code", "name", "severity", "cause", "confidence", "fact"):
        flat[f"finding {name}"] = pc.struct_field(findings, name)
    for name in names:
        flat[name] = flat[name].combine_chunks().take(parents)
    sure = [
        name_cause(*each)
        for each in zip(
            *(flat["finding cause"].to_pylist(), flat["finding confidence"].to_pylist()),
            strict=True,
        )
    ]
    flat["finding cause"] = pa.array(sure, pa.string())
    for fact in flat.pop("finding fact").to_pylist():
        counts.add_fact(fact)
    del flat["finding confidence"]
    found = pa.table(flat)
    for row in found.group_by(list(flat)).aggregate([([], "count_all")]).to_pylist():
        own = (row[f"finding {name}"] for name in ("code", "name", "severity", "cause"))
        counts.findings[FindingKind(*_body_kind(row), *own)] += row["count_all"]


def _body_kind(row: Row) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
    actions = tuple((name, row[name]) for name in (*ENGINES, *VALIDATORS) if row[name] is not None)
    return row["upstream"], row["format"], row["verdict"], actions


def _escape_row(row: Row) -> Row:
    """The row with texts that UTF-8 can hold: a lone surrogate is written as its escape."""
    return {key: _escape(value) for key, value in row.items()}


def _escape(value: object) -> object:
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_escape_row(each) for each in value]
    return value
