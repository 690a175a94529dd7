"""The MJCF format: the model files of MuJoCo."""

from __future__ import annotations

from inertial_check.formats.context import Context, Head
from inertial_check.formats.mjcf.constants import NAME, ROOTS
from inertial_check.model.body import Model
from inertial_check.model.source import Source

__all__ = ["NAME", "SUFFIXES", "matches", "read"]

SUFFIXES: tuple[str, ...] = (".mjcf",)
"""Endings of MJCF file names; .xml is not among them, because files of any format end in it."""


def matches(head: Head) -> bool:
    """Return whether a document is MJCF, judged by its root element."""
    return head.root_tag in ROOTS


def read(source: Source, context: Context) -> Model:
    """Read an MJCF document and the documents that it includes.

    Args:
        source: Path and bytes of the main document.
        context: Where included documents are found.

    Raises:
        DocumentError: The document cannot be read.
        NotAModelError: Its root element is not one of MJCF.
    """
    from inertial_check.formats.mjcf.reader import read_model  # not needed for other formats

    return read_model(source, context)
