"""The SDF format: worlds and models of Gazebo."""

from __future__ import annotations

from inertial_check.documents.context import Context, Head
from inertial_check.documents.model import Body, Model
from inertial_check.documents.sdf.constants import NAME, ROOTS
from inertial_check.documents.source import Edit, Source

__all__ = ["NAME", "SUFFIXES", "insert", "matches", "read"]

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
    from inertial_check.documents.sdf.reading import read_model  # not needed for other formats

    return read_model(source, context)


def insert(model: Model, body: Body, names: frozenset[str], comment: str = "") -> tuple[Edit, ...]:
    """Insert placeholders of numbers that the document does not state.

    Args:
        model: The model as read.
        body: One of its bodies.
        names: Names of the numbers: mass; x, y, z; ixx ... izz.
        comment: A comment beside an inertial that is inserted as a whole; "" for none.

    Returns:
        Edits of the document, or of the one that it includes.

    Raises:
        NotInsertable: The document cannot state them; its reason says why.
    """
    from inertial_check.documents.sdf.writing import insert_numbers  # rarely needed

    return insert_numbers(model, body, names, comment)
