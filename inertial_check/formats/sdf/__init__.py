"""The SDF format: worlds and models of Gazebo."""

from __future__ import annotations

from inertial_check.formats.context import Context, Head
from inertial_check.formats.sdf.constants import NAME, ROOTS
from inertial_check.model.body import Model
from inertial_check.model.source import Source

__all__ = ["NAME", "SUFFIXES", "matches", "read"]

SUFFIXES: tuple[str, ...] = (".sdf", ".world")
"""Endings of SDF file names."""


def matches(head: Head) -> bool:
    """Return whether a document is SDF, judged by its root element."""
    return head.root_tag in ROOTS


def read(source: Source, context: Context) -> Model:
    """Read an SDF document and the models that it includes.

    Args:
        source: Path and bytes of the main document.
        context: Where included models are found.

    Raises:
        DocumentError: The document cannot be read.
        NotAModelError: Its root element is not one of SDF.
    """
    from inertial_check.formats.sdf.reader import read_model  # not needed for other formats

    return read_model(source, context)
