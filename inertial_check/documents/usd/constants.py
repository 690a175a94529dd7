"""Names and signatures that the modules of the USD format share."""

from __future__ import annotations

NAME = "usd"

SUFFIXES: tuple[str, ...] = (".usd", ".usda", ".usdc", ".usdz")
"""Endings of USD file names."""

TEXT = b"#usda "
"""First bytes of a text layer."""

BINARY = b"PXR-USDC"
"""First bytes of a binary (crate) layer."""

ZIP = b"PK\x03\x04"
"""First bytes of a zip archive; a .usdz package is one."""
