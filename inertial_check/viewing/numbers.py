"""Numbers as JSON that every browser reads: no NaN, no infinity, and no digits that nobody sees."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import SupportsFloat

from inertial_check.files.json import Json

LARGEST_DRAWN = 1e18
"""Largest coordinate that is drawn [m]: its square fits into float32, as graphics cards compute."""


def encode_number(value: SupportsFloat | None, digits: int = 9) -> float | None:
    """Round a number to some significant digits; None if it is missing or not finite."""
    number = float("nan") if value is None else float(value)
    return float(f"{number:.{digits}g}") + 0.0 if isfinite(number) else None  # no -0.0


def encode_numbers(values: Iterable[SupportsFloat], digits: int = 9) -> list[Json]:
    """Round numbers; see encode_number."""
    return [encode_number(value, digits) for value in values]


def is_drawable(values: Iterable[SupportsFloat]) -> bool:
    """Whether coordinates are finite and small enough to be drawn."""
    return all(abs(float(value)) < LARGEST_DRAWN for value in values)
