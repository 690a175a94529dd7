"""Parts of a table of results, their names and seals, and reading of what was stored.

A part is a file of Parquet, or of JSON lines, in a folder for each upstream. Its name has its
number, a digest of its bytes, by which anybody sees that it is whole, and a seal by which the user
who has written it knows it. A part is written beside its place and renamed. Where two parts hold
one document, the one with the larger number counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple
from urllib.parse import quote

from inertial_check.documents.escaping import clip, dump_json
from inertial_check.documents.files.access import NO_LINK_FLAGS, JsonObject, open_regular
from inertial_check.errors import UsageError
from inertial_check.running.results.counts import (
    Counts,
    PendingTables,
    encode_part,
    encode_stream,
    read_batches,
)
from inertial_check.running.results.rows import CHECKED, COLUMNS, Row

Form = Literal["parquet", "jsonl"]
"""Form of the parts of a folder of results."""

FORMS: tuple[Form, ...] = ("parquet", "jsonl")

_NAME = re.compile(
    r"part-(?P<number>\d{6,12})-(?P<digest>[0-9a-f]{32})-(?P<seal>[0-9a-f]{40})\."
    r"(?P<form>parquet|jsonl)"
)
PREFIX = "upstream="
"""Beginning of the names of the folders in a folder of results."""

_LONGEST_REASON = 200
"""Largest length of a reason in a message [code points]."""

_LARGEST_PART = 1 << 30
"""Largest size of a part that is read [bytes]; those that a run writes have some megabytes."""

_LONGEST_NAME = 200
"""Longest name of an upstream as a folder [characters]; a file name has at most 255 bytes."""


class Part(NamedTuple):
    """A file with rows.

    Attributes:
        path: Its path.
        number: Its number; rows of larger ones replace those of smaller ones.
        digest: Digest of its bytes, as its name states it.
        seal: Keyed digest of its bytes, as its name states it.
        form: Form of its content.
    """

    path: str
    number: int
    digest: str
    seal: str
    form: Form

    def read(self) -> bytes:
        """Read the bytes of the part.

        Raises:
            ValueError: They are not those that were written.
            OSError: The file cannot be read.
        """
        with os.fdopen(os.open(self.path, NO_LINK_FLAGS), "rb") as stream:
            if os.fstat(stream.fileno()).st_size > _LARGEST_PART:
                raise ValueError("damaged")
            data = stream.read()
        if digest_of(data) != self.digest:
            raise ValueError("damaged")
        return data


def digest_of(data: bytes) -> str:
    """Digest of the bytes of a part."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def name_folder(upstream: str) -> str:
    """Name the folder of an upstream, as tools read partitions: upstream=NAME."""
    quoted = quote(upstream.encode("utf-8", "surrogateescape"), safe=" +,@()")
    if len(quoted) > _LONGEST_NAME:
        quoted = f"{quoted[:_LONGEST_NAME]}~{digest_of(quoted.encode())[:16]}"
    return f"{PREFIX}{quoted}"


def list_folders(path: str) -> list[str]:
    """List the folders of upstreams in a folder of results, by name.

    Raises:
        OSError: The folder cannot be read.
    """
    with os.scandir(path) as entries:
        names = [
            each.name
            for each in entries
            if each.name.startswith(PREFIX) and each.is_dir(follow_symlinks=False)
        ]
    return [os.path.join(path, name) for name in sorted(names)]


def list_parts(folder: str) -> list[Part]:
    """List the parts in the folder of an upstream, by number; other files are passed over."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    parts = []
    for name in names:
        if match := _NAME.fullmatch(name):
            form: Form = "parquet" if match["form"] == "parquet" else "jsonl"
            path = os.path.join(folder, name)
            parts.append(Part(path, int(match["number"]), match["digest"], match["seal"], form))
    return sorted(parts, key=lambda part: (part.number, part.path))


def encode_rows(rows: Sequence[Row], form: Form) -> bytes:
    """Encode rows as `join` takes them: lines of JSON, or a stream of Arrow."""
    if form == "parquet":
        return encode_stream(rows)
    lines = (dump_json({name: row.get(name) for name in COLUMNS}) + "\n" for row in rows)
    return "".join(lines).encode()


def join(pieces: Sequence[bytes], form: Form) -> bytes:
    """Join what `encode_rows` gives to the bytes of a part."""
    if form == "parquet":
        return encode_part(pieces)
    return b"".join(pieces)


def decode_rows(data: bytes, form: Form, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Decode the rows of a part.

    Raises:
        ValueError: It is damaged.
    """
    if form == "parquet":
        for batch in read_batches(data, columns):
            yield from batch.to_pylist()
        return
    for line in data.splitlines():
        row = json.loads(line)
        if not isinstance(row, dict) or not row.keys() >= set(COLUMNS):
            raise ValueError("no rows of results")
        yield row


_DAMAGE = (
    *(OSError, ValueError, RecursionError, KeyError, IndexError, TypeError),
    *(AttributeError, OverflowError),
)
"""Errors of reading what `check` has not written."""

_MAGIC = b"PAR1"
"""First bytes of a file of Parquet."""


def read_counts(path: str, warn: Callable[[str], None]) -> Counts:
    """Count the results at a path.

    Args:
        path: A folder that `check --results` has written, a part of one, or a report of `check` in
            the form json or jsonl.
        warn: Called with a line about each part that is damaged, which is left out.

    Raises:
        UsageError: There are no results at the path.
    """
    tables = PendingTables(Counts())
    try:
        if os.path.isdir(path):
            folders = list_folders(path)
            if not folders:
                raise UsageError(f"{path}: no results: a folder that check --results has written")
            for folder in folders:
                _count_folder(tables, folder, warn)
        else:
            _count_file(tables, path)
        tables.flush()
    except _DAMAGE as error:
        reason = getattr(error, "strerror", None) or clip(str(error), _LONGEST_REASON) or "damaged"
        told = reason if isinstance(error, OSError | ValueError) else f"not as written: {reason}"
        raise UsageError(f"{path}: no results: {told}") from None
    return tables.counts


def _add_part(tables: PendingTables, form: Form, data: bytes) -> None:
    """Count the rows of a part.

    Raises:
        ValueError: It is damaged.
    """
    if form == "jsonl":
        tables.counts.add_rows(list(decode_rows(data, form)))
    else:
        tables.add(data)


def _count_folder(tables: PendingTables, folder: str, warn: Callable[[str], None]) -> None:
    """Count the parts of an upstream, from the last: a document counts as it was checked last."""
    parts = list_parts(folder)
    seen: set[str] = set()
    for part in reversed(parts):
        try:
            data = part.read()
            if len(parts) == 1:
                _add_part(tables, part.form, data)
            else:
                own = {
                    row["path"]
                    for row in decode_rows(data, part.form, ["path", "body_id"])
                    if row["body_id"] is None
                }
                if seen.isdisjoint(own):
                    _add_part(tables, part.form, data)
                else:
                    tables.counts.add_rows(
                        row for row in decode_rows(data, part.form) if row["path"] not in seen
                    )
                seen |= own
        except _DAMAGE:
            warn(f"{part.path} is damaged and is left out: the same check --results rewrites it")


def _count_file(tables: PendingTables, path: str) -> None:
    """Count a single file, whose form shows in its first bytes.

    Raises:
        ValueError: It has none of the forms.
    """
    with open_regular(path) as stream:
        counts = tables.counts
        if stream.read(len(_MAGIC)) == _MAGIC:
            stream.seek(0)
            tables.add(stream.read())
            return
        stream.seek(0)
        first = stream.readline()
        try:
            opening = json.loads(first)
        except ValueError:  # the document of --output-format json, or no JSON at all
            stream.seek(0)
            _count_report(counts, json.loads(stream.read()))
            return
        if not isinstance(opening, dict):
            raise ValueError("neither a report of check in JSON nor rows of results")
        lines = chain([opening], map(_parse_line, stream))
        if opening.keys() >= set(COLUMNS):
            counts.add_rows(lines)
        elif "type" in opening:
            files: list[JsonObject] = []
            last: JsonObject = {}
            for line in lines:
                if line.get("type") == "file":
                    files.append(line)
                else:
                    last = line
            _count_report(counts, {**last, "files": files})
        else:
            _count_report(counts, opening)


def _parse_line(line: bytes) -> JsonObject:
    parsed = json.loads(line)
    if not isinstance(parsed, dict):
        raise ValueError("a line is no JSON object")
    return parsed


def _count_report(counts: Counts, report: object) -> None:
    """Count a report of `check` in JSON; the upstream is the first folder that paths differ in.

    Raises:
        ValueError: It is no such report.
    """
    files = report.get("files") if isinstance(report, dict) else None
    if not isinstance(files, list):
        raise ValueError("neither a report of check in JSON nor rows of results")
    # Make the function that names the upstream of a path: the first folder in which paths differ.
    paths = [file["path"] for file in files]
    folders: list[list[str]] = [path.replace(os.sep, "/").split("/")[:-1] for path in paths]
    first, last = min(folders, default=[]), max(folders, default=[])  # the two that differ most
    differing = (at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    common = next(differing, min(len(first), len(last)))

    def name(path: str) -> str:
        parts = path.replace(os.sep, "/").split("/")
        return parts[common] if len(parts) > common + 1 else "."

    for file in files:
        counts.add_rows(convert_file(name(file["path"]), file))
    summary = report["summary"] if isinstance(report, dict) else {}
    counts.single += int(summary["distinct_findings"])


def convert_file(upstream: str, file: JsonObject) -> Iterator[Row]:
    """Convert a file of a report in JSON to rows, with the columns that are counted."""
    known = {body["id"] for body in file["bodies"]}
    by_body: dict[str | None, list[Row]] = {}
    for finding in file["findings"]:
        cause = finding["causes"][0] if finding["causes"] else {}
        where = finding["body_id"] if finding["body_id"] in known else None
        by_body.setdefault(where, []).append(
            {
                **{name: finding[name] for name in ("code", "name", "severity")},
                "cause": cause.get("cause"),
                "confidence": cause.get("confidence"),
            }
        )
    same = {"upstream": upstream, "path": file["path"], "format": file["format"]}
    yield {**same, "status": CHECKED, "body_id": None, "findings": by_body.get(None, [])}
    for body in file["bodies"]:
        yield {
            **same,
            "body_id": body["id"],
            "verdict": body["verdict"],
            "engines": body["engines"],
            "findings": by_body.get(body["id"], []),
        }
