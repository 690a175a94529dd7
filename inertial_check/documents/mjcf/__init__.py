"""The MJCF format: the model files of MuJoCo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inertial_check.documents.context import Context, Head
from inertial_check.documents.mjcf.constants import NAME, ROOTS
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Edit, Source

if TYPE_CHECKING:
    from inertial_check.documents.mjcf.writing import Overrides


__all__ = ["NAME", "SUFFIXES", "find_overrides", "insert", "matches", "read"]

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
    from inertial_check.documents.mjcf.reading import read_model  # not needed for other formats

    return read_model(source, context)


def insert(model: Model, body: Body, names: frozenset[str], comment: str = "") -> tuple[Edit, ...]:
    """Insert placeholders of numbers that the document does not state.

    Args:
        model: The model as read.
        body: One of its bodies.
        names: Names of the numbers: mass; x, y, z; ixx ... izz; products without
            a name are 0.
        comment: A comment beside an inertial that is inserted as a whole; "" for none.

    Returns:
        Edits of the document, or of the one that it includes.

    Raises:
        NotInsertable: The document cannot state them; its reason says why.
    """
    from inertial_check.documents.mjcf.writing import insert_numbers  # rarely needed

    return insert_numbers(model, body, names, comment)


def find_overrides(model: Model, context: Context) -> Overrides:
    """Find the settings by which MuJoCo uses other numbers than those that a document states."""
    from inertial_check.documents.mjcf.writing import Overrides  # rarely needed

    return Overrides(model, context)
