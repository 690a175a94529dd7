"""The URDF format: the robot descriptions of ROS."""

from __future__ import annotations

from inertial_check.documents.context import Context, Head
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Edit, Source
from inertial_check.documents.urdf.constants import NAME

__all__ = ["NAME", "SUFFIXES", "insert", "matches", "read"]

SUFFIXES: tuple[str, ...] = (".urdf",)
"""Endings of URDF file names."""


def matches(head: Head) -> bool:
    """Return whether a document is a URDF, judged by its root element."""
    return head.root_tag == "robot"


def read(source: Source, context: Context) -> Model:
    """Read a URDF document.

    Args:
        source: Path and bytes.
        context: Not used: a URDF includes no other document.

    Raises:
        DocumentError: The document cannot be read.
        NotAModelError: Its root is another element, or it is a xacro file that is not expanded.
    """
    from inertial_check.documents.urdf.reading import read_model  # not needed for other formats

    return read_model(source)


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
    from inertial_check.documents.urdf.writing import insert_numbers  # rarely needed

    return insert_numbers(model, body, names, comment)
