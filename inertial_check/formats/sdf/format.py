"""SDF: worlds and models, their links, and what each <inertial> says."""

from __future__ import annotations

from inertial_check.formats.context import Context, Head
from inertial_check.model.body import Model
from inertial_check.model.source import Source

NAME = "sdf"
SUFFIXES: tuple[str, ...] = (".sdf", ".world")

_ROOTS = ("sdf", "gazebo")
"""The second is what SDF called itself up to 1.2; libsdformat still reads it."""


def matches(head: Head) -> bool:
    """Whether a document that begins so is an SDF."""
    return head.root_tag in _ROOTS


def read(source: Source, context: Context | None = None) -> Model:
    """Read an SDF document and the models that it includes.

    Args:
        source: Path and bytes; the encoding is found anew.
        context: Where included models are found.

    Raises:
        DocumentError: The document cannot be read.
        NotAModelError: Its root is another element.
    """
    from inertial_check.formats.sdf.models import Reader  # what only SDF needs

    return Reader(source, context or Context(), _ROOTS).model(NAME)
