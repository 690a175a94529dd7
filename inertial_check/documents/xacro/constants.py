"""Names that the modules of the xacro format share."""

from __future__ import annotations

NAME = "xacro"
