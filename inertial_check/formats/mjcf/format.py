"""MJCF: bodies, the joints in them, and what each <inertial> says, through every include."""

from __future__ import annotations

from inertial_check.formats.context import Context, Head
from inertial_check.model.body import Model
from inertial_check.model.source import Source

NAME = "mjcf"
SUFFIXES: tuple[str, ...] = (".mjcf",)  # and .xml, which says nothing of what is in it

FRAGMENT = "mujocoinclude"
"""The root of a document that other documents include; it is no model by itself."""


def matches(head: Head) -> bool:
    """Whether a document that begins so is MJCF; MuJoCo knows no other case of the letters."""
    return head.root_tag in {"mujoco", FRAGMENT}


def read(source: Source, context: Context | None = None) -> Model:
    """Read an MJCF document and what it includes.

    Args:
        source: Path and bytes; the encoding is found anew.
        context: Where included documents are found; None for the disk.

    Raises:
        DocumentError: The document cannot be read.
        NotAModelError: Its root is another element.
    """
    from inertial_check.formats.mjcf.reader import read_model  # most runs meet no MJCF

    return read_model(source, context or Context())
