"""The USD format: text, binary and zipped layers, read by usd-core in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping

from inertial_check.documents.context import Context, Head
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Edit, Source
from inertial_check.documents.usd.constants import BINARY, NAME, SUFFIXES, TEXT, ZIP

__all__ = ["NAME", "SUFFIXES", "insert", "matches", "missing", "overlay", "read"]

_NAME_LENGTH, _FIRST_NAME = slice(26, 28), 30
"""Bytes of a zip archive: the length of the first file's name, and where that name begins."""


def matches(head: Head) -> bool:
    """Return whether a document is a USD layer: text, crate, or a zip of layers."""
    if head.data.startswith(ZIP):
        length = int.from_bytes(head.data[_NAME_LENGTH], "little")
        first = head.data[_FIRST_NAME : _FIRST_NAME + length].decode("utf-8", "replace")
        return first.lower().endswith(SUFFIXES)
    return head.data.startswith((TEXT, BINARY))


def missing() -> str | None:
    """Say how to install what reading needs; None if it is installed."""
    from importlib.util import find_spec

    if find_spec("pxr") is not None:
        return None
    return 'USD is read by usd-core: pip install "inertial-check[usd]"'


def read(source: Source, context: Context) -> Model:
    """Compose the stage of a layer and read its bodies.

    Args:
        source: Path and bytes of the root layer.
        context: Bytes to read in place of layers on the disk.

    Raises:
        DocumentError: The layer cannot be read.
        MissingExtraError: usd-core is not installed.
    """
    from inertial_check.documents.usd.reading import read_model  # not needed for other formats
    from inertial_check.errors import MissingExtraError

    if (reason := missing()) is not None:
        raise MissingExtraError(source.path, reason)
    return read_model(source, context)


def overlay(model: Model, texts: Mapping[str, Mapping[str, str]], path: str) -> bytes:
    """Make a text layer that changes mass properties of some bodies of a document.

    Args:
        model: The document, which lies on the disk and stays as it is.
        texts: The new numbers of each body by the body's id, and then by name: mass; x, y, z; ixx,
            iyy, izz; qw, qx, qy, qz. Of each property either all numbers are given or none.
        path: Where the layer will be written; it refers to the document from there.

    Raises:
        UsageError: The path is not that of a text layer, or no layer reaches a body.
    """
    from inertial_check.documents.usd.text import write_layer

    return write_layer(model, texts, path)


def insert(model: Model, body: Body, names: frozenset[str], comment: str = "") -> tuple[Edit, ...]:
    """Insert placeholders of numbers that the document does not state.

    Args:
        model: The model as read.
        body: One of its bodies.
        names: Names of the numbers: mass; x, y, z; ixx ... izz; qw, qx, qy, qz.
        comment: A comment beside an inertial that is inserted as a whole; "" for none.

    Returns:
        Edits of the document, or of the one that it includes.

    Raises:
        NotInsertable: The document cannot state them; its reason says why.
    """
    from inertial_check.documents.usd.writing import insert_numbers  # rarely needed

    return insert_numbers(model, body, names, comment)
