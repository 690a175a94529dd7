"""The SDF format: worlds and models of Gazebo."""

from __future__ import annotations

from inertial_check.documents.context import Head

NAME = "sdf"

ROOTS = ("sdf", "gazebo")
"""Root elements of SDF. The second was used up to version 1.2, and libsdformat still reads it."""

LATEST = 12
"""Minor version of SDF 1.12, the newest version that is read here."""

SEPARATOR = "::"
"""Separator of the parts of a scoped name."""


SUFFIXES: tuple[str, ...] = (".sdf", ".world")
"""Endings of SDF file names."""


def matches(head: Head) -> bool:
    """Return whether a document is SDF, judged by its root element, and no template of one."""
    return head.root_tag in ROOTS and not (b"xmlns:xacro" in head.data and b"${" in head.data)
