"""The USD format: text, binary and zipped layers, read by usd-core in a process of its own."""

from __future__ import annotations

from inertial_check.documents.context import Head

NAME = "usd"

SUFFIXES: tuple[str, ...] = (".usd", ".usda", ".usdc", ".usdz")
"""Endings of USD file names."""

TEXT = b"#usda "
"""First bytes of a text layer."""

BINARY = b"PXR-USDC"
"""First bytes of a binary (crate) layer."""

ZIP = b"PK\x03\x04"
"""First bytes of a zip archive; a .usdz package is one."""


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
