"""Tables of parameter vectors: csv, json, yaml, npz, npy; read in blocks, written in place.

A row is [m, a vector, six of the inertia]. The vector is the first moment h or, where the columns
say so, the centre of mass c. Columns that carry names go by them; ten bare numbers go by an order
that the caller declares. About which point the six are taken no table says.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import BinaryIO

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.tables.columns import Layout, known_order
from inertial_check.formats.tables.reading import BOM, NOT_TEXT, Block, TableReader, TextBlock

__all__ = ["Block", "Floats", "Layout", "TableReader", "TextBlock", "open_table", "sniffed"]

_HEAD = 2**16
_MODULES = {"csv": "csv", "json": "json", "yaml": "yaml", "npz": "npz", "npy": "npz"}
_YAML = re.compile(
    r"""(?:---|%YAML|%TAG)(?:\s|$) | -(?:\s|$)
    | (?:"[^"]*" | '[^']*' | [^\s,;"'\#\[\]{}&*!|>%@`][^,;\t]*? )\s*:(?:\s|$)
    | [&!]\S*\s*$""",
    re.VERBOSE,
)


def open_table(stream: BinaryIO, path: str, order: str | None = None) -> TableReader:
    """Begin to read a table, whose first bytes say what it is.

    Args:
        stream: The file, at its beginning; it must be seekable.
        path: What to call it.
        order: A name of ORDERS for ten bare numbers; names of columns go before it.

    Raises:
        DocumentError: It is no table, or its first row is none; names the place.
        UsageError: Bare numbers without a declared order, or an unknown one.
    """
    known_order(order)
    name = sniffed(stream.read(_HEAD), path)
    stream.seek(0)
    module = import_module(f"{__name__}.{_MODULES[name]}")
    reader: TableReader = getattr(module, f"{name.capitalize()}Reader")(stream, path, order)
    return reader


def sniffed(head: bytes, path: str) -> str:
    """The form of a table that begins like this, a name of _MODULES.

    npz and npy by their magic bytes, json by its first character, yaml by its first line that is
    neither blank nor a comment; all else is csv.

    Raises:
        DocumentError: It is neither text nor NumPy's.
    """
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "npz"
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head:
        raise DocumentError(path, NOT_TEXT)
    text = head.decode("utf-8", "surrogateescape").removeprefix(BOM)
    if text.lstrip()[:1] in ("[", "{"):
        return "json"
    lines = (line.strip() for line in text.split("\n"))
    line = next((line for line in lines if line and not line.startswith("#")), "")
    return "yaml" if _YAML.match(line) else "csv"
