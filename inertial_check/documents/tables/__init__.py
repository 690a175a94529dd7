"""Tables of parameter vectors in csv, json, yaml, npz and npy: read in blocks, written in place.

A row is [m, a vector, six entries of the inertia]. The vector is the first moment h or, where the
columns say so, the centre of mass c. Columns with names go by their names; ten bare numbers go by
an order that the caller declares. No table says about which point the six entries are taken.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from inertial_check.documents.tables.reading import (
    ADVICE,
    BOM,
    Block,
    Layout,
    TableReader,
    TextBlock,
    check_order,
)
from inertial_check.errors import DocumentError
from inertial_check.inertia.representations import Order

__all__ = ["Block", "Layout", "TableReader", "TextBlock", "open_table", "sniff_format"]

_HEAD = 2**16
"""Number of first bytes that decide about the format."""

_YAML_LINE = re.compile(
    r"""(?:---|%YAML|%TAG)(?:\s|$) | -(?:\s|$)
    | (?:"[^"]*" | '[^']*' | [^\s,;"'\#\[\]{}&*!|>%@`][^,;\t]*? )\s*:(?:\s|$)
    | [&!]\S*\s*$""",
    re.VERBOSE,
)


def open_table(stream: BinaryIO, path: str, order: Order | None = None) -> TableReader:
    """Begin to read a table, whose first bytes tell its format.

    Args:
        stream: The file, at its beginning; it must be seekable.
        path: The path that messages name.
        order: A name of ORDERS for ten bare numbers; names of columns go before it.

    Raises:
        DocumentError: The file is no table, or its first row is none; names the place.
        UsageError: Bare numbers without a declared order, or an unknown one.
    """
    check_order(order)
    name = sniff_format(stream.read(_HEAD), path)
    stream.seek(0)
    if name == "csv":
        from inertial_check.documents.tables.delimited import CsvReader

        return CsvReader(stream, path, order)
    if name in ("json", "yaml"):
        from inertial_check.documents.tables.nested import JsonReader, YamlReader

        return (JsonReader if name == "json" else YamlReader)(stream, path, order)
    from inertial_check.documents.tables.arrays import NpyReader, NpzReader

    return (NpzReader if name == "npz" else NpyReader)(stream, path, order)


def sniff_format(head: bytes, path: str) -> str:
    """Tell the format of a table from its first bytes: "csv", "json", "yaml", "npz" or "npy".

    npz and npy are known by their magic bytes, json by its first character, yaml by its first line
    that is neither blank nor a comment; all else is csv.

    Raises:
        DocumentError: The file is neither text nor NumPy's.
    """
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "npz"
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head:
        raise DocumentError(path, f"not UTF-8 text: {ADVICE}")
    text = head.decode("utf-8", "surrogateescape").removeprefix(BOM)
    if text.lstrip()[:1] in ("[", "{"):
        return "json"
    lines = (line.strip() for line in text.split("\n"))
    line = next((line for line in lines if line and not line.startswith("#")), "")
    return "yaml" if _YAML_LINE.match(line) else "csv"
