"""Names that the modules of the URDF format share."""

from __future__ import annotations

NAME = "urdf"

XACRO_WORDS = frozenset(
    f"xacro:{word}"
    for word in (
        *("arg", "attribute", "call", "element", "if", "include"),
        *("insert_block", "macro", "property", "unless"),
    )
)
"""Elements that only a xacro file has; a document with one of them has to be expanded first."""
