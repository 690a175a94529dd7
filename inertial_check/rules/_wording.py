"""Phrases that several rules use."""

from __future__ import annotations

from collections.abc import Sequence

_FEW = 3


def counted(count: int, one: str, more: str | None = None) -> str:
    """The number and the noun: 1 file, 2 files."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def some(names: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    said = ", ".join(names[:_FEW])
    return said if len(names) <= _FEW else f"{said} and {len(names) - _FEW} more"
