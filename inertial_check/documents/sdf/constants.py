"""Names and versions that the modules of the SDF format share."""

from __future__ import annotations

NAME = "sdf"

ROOTS = ("sdf", "gazebo")
"""Root elements of SDF. The second was used up to version 1.2, and libsdformat still reads it."""

LATEST = 12
"""Minor version of SDF 1.12, the newest version that is read here."""

SEPARATOR = "::"
"""Separator of the parts of a scoped name."""
