"""Parts of a table of results in Parquet, by pyarrow, which the extra `cluster` installs.

Workers send their rows as streams of Arrow, which the process that writes joins without looking at
single rows. Only this module imports pyarrow, when it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from inertial_check.engines import ENGINES
from inertial_check.errors import UsageError
from inertial_check.results.counts import BodyKind, Counts, FindingKind, name_cause
from inertial_check.results.rows import COLUMNS, NUMBERS, Row

Table = Any  # a pyarrow.Table: pyarrow has no types

_TEXTS = frozenset(
    ["upstream", "path", "digest", "key", "inputs", "status", "note", "format", "model"]
).union(["body", "body_id", "body_file", "verdict"])
_COUNTS = frozenset(["bodies", "line"])
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
        "engines": pa.struct([(name, pa.string()) for name in ENGINES]),
    }
    return pa.schema([(name, types[name]) for name in COLUMNS])


def encode_stream(rows: Sequence[Row]) -> bytes:
    """Encode rows as a stream of Arrow."""
    return _write_stream(_make_table(rows))


def _make_table(rows: Sequence[Row]) -> Table:
    pa = load_pyarrow()
    try:
        return pa.Table.from_pylist(rows, schema())
    except UnicodeEncodeError:  # a text has a lone surrogate, which UTF-8 cannot hold
        return pa.Table.from_pylist([_escape_row(row) for row in rows], schema())


def _write_stream(table: Table) -> bytes:
    pa = load_pyarrow()
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, schema(), options=options) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _read_streams(streams: Sequence[bytes]) -> Table:
    pa = load_pyarrow()
    return pa.concat_tables([pa.ipc.open_stream(each).read_all() for each in streams])


def encode_part(streams: Sequence[bytes]) -> bytes:
    """Encode the rows of streams as one file of Parquet."""
    return _write_file(_read_streams(streams))


def encode_file(rows: Sequence[Row]) -> bytes:
    """Encode rows as one file of Parquet: the bytes that their stream alone would give."""
    return _write_file(_make_table(rows))


def _write_file(table: Table) -> bytes:
    pa = load_pyarrow()
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def read_rows(data: bytes, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Read the rows of a file of Parquet.

    Raises:
        ValueError: It is damaged, or has other columns.
    """
    for batch in _read_batches(data, columns):
        yield from batch.to_pylist()


def _read_batches(data: bytes, columns: Sequence[str] | None = None) -> Iterator[Table]:
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

    Args:
        counts: The counts, which are complete after `flush`.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._tables: list[Table] = []
        self._rows = 0

    def add(self, data: bytes) -> None:
        """Add the rows of a file.

        Raises:
            ValueError: It is damaged, or has other columns.
        """
        wanted = ["upstream", "status", "format", "verdict", "body_id", "findings", "engines"]
        tables = list(_read_batches(data, wanted))
        self._tables += tables
        self._rows += sum(table.num_rows for table in tables)
        if self._rows >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Count the rows that were added."""
        if self._tables:
            _count_table(self._counts, load_pyarrow().concat_tables(self._tables))
            self._tables, self._rows = [], 0


def _count_table(counts: Counts, table: Table) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_file = pc.is_null(table["body_id"])
    grouped = table.filter(is_file).group_by(["upstream", "status"]).aggregate([([], "count_all")])
    for row in grouped.to_pylist():
        counts.files[row["upstream"], row["status"]] += row["count_all"]
    flat = {
        "upstream": table["upstream"],
        "format": pc.fill_null(table["format"], ""),
        "verdict": pc.fill_null(table["verdict"], ""),
        **{name: pc.struct_field(table["engines"], name) for name in ENGINES},
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
    sure = [name_cause(*each) for each in zip(*_causes(flat), strict=True)]
    flat["finding cause"] = pa.array(sure, pa.string())
    for fact in flat.pop("finding fact").to_pylist():
        counts.add_fact(fact)
    del flat["finding confidence"]
    found = pa.table(flat)
    for row in found.group_by(list(flat)).aggregate([([], "count_all")]).to_pylist():
        own = (row[f"finding {name}"] for name in ("code", "name", "severity", "cause"))
        counts.findings[FindingKind(*_body_kind(row), *own)] += row["count_all"]


def _causes(flat: Row) -> tuple[list[str | None], list[float | None]]:
    return flat["finding cause"].to_pylist(), flat["finding confidence"].to_pylist()


def _body_kind(row: Row) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
    actions = tuple((name, row[name]) for name in ENGINES if row[name] is not None)
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
