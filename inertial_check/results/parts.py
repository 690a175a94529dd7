"""Parts of a table of results: files of Parquet, or of JSON lines, in a folder for each upstream.

The name of a part has its number, a digest of its bytes, by which anybody sees that it is whole,
and a seal by which the user who has written it knows it. A part is written beside its place and
renamed. Where two parts hold one document, the one with the larger number counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import quote

from inertial_check.files.access import NO_LINK_FLAGS
from inertial_check.reports.escaping import dump_json
from inertial_check.results.rows import COLUMNS, Row

Form = Literal["parquet", "jsonl"]
"""Form of the parts of a folder of results."""

FORMS: tuple[Form, ...] = ("parquet", "jsonl")

_NAME = re.compile(
    r"part-(?P<number>\d{6,12})-(?P<digest>[0-9a-f]{32})-(?P<seal>[0-9a-f]{40})\."
    r"(?P<form>parquet|jsonl)"
)
PREFIX = "upstream="
"""Beginning of the names of the folders in a folder of results."""

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


def name_part(number: int, data: bytes, seal: str, form: Form) -> str:
    """Name the file of a part."""
    return f"part-{number:06}-{digest_of(data)}-{seal}.{form}"


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
        from inertial_check.results.parquet import encode_stream

        return encode_stream(rows)
    lines = (dump_json({name: row.get(name) for name in COLUMNS}) + "\n" for row in rows)
    return "".join(lines).encode()


def join(pieces: Sequence[bytes], form: Form) -> bytes:
    """Join what `encode_rows` gives to the bytes of a part."""
    if form == "parquet":
        from inertial_check.results.parquet import encode_part

        return encode_part(pieces)
    return b"".join(pieces)


def encode_part(rows: Sequence[Row], form: Form) -> bytes:
    """Encode rows as the bytes of a part."""
    if form == "parquet":
        from inertial_check.results.parquet import encode_file

        return encode_file(rows)
    return encode_rows(rows, form)


def decode_rows(data: bytes, form: Form, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Decode the rows of a part.

    Raises:
        ValueError: It is damaged.
    """
    if form == "parquet":
        from inertial_check.results.parquet import read_rows

        yield from read_rows(data, columns)
        return
    for line in data.splitlines():
        row = json.loads(line)
        if not isinstance(row, dict) or not row.keys() >= set(COLUMNS):
            raise ValueError("no rows of results")
        yield row
