"""The URDF format: the robot descriptions of ROS."""

from __future__ import annotations

from inertial_check.documents.context import Head

NAME = "urdf"

XACRO_WORDS = frozenset(
    f"xacro:{word}"
    for word in (
        *("arg", "attribute", "call", "element", "if", "include"),
        *("insert_block", "macro", "property", "unless"),
    )
)
"""Elements that only a xacro file has; a document with one of them has to be expanded first."""


SUFFIXES: tuple[str, ...] = (".urdf",)
"""Endings of URDF file names."""


def matches(head: Head) -> bool:
    """Return whether a document is a URDF, judged by its root element."""
    return head.root_tag == "robot"
