"""Quantities, names and counts as messages print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_FEW = 3
"""Number of names that a message prints before it counts the rest."""


def length(meters: float) -> str:
    """A length, in millimetres below a metre."""
    return f"{1000 * meters:.3g} mm" if 0 < meters < 1 else f"{meters:.3g} m"


def box(edges: Iterable[float]) -> str:
    """The three edges of a box."""
    return " x ".join(map(length, edges))


def point(p: Iterable[float]) -> str:
    """The three coordinates of a point."""
    return f"({', '.join(f'{x:.4g}' for x in p)}) m"


def times(ratio: float) -> str:
    """A ratio of sizes: 3 times, 1/3."""
    return f"{ratio:.3g} times" if ratio > 1 else f"1/{1 / ratio:.3g}"


def between(values: Iterable[float]) -> str:
    """The range of several values."""
    ordered = sorted(values)
    low, high = ordered[0], ordered[-1]
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def beyond(density: float) -> str:
    """A known density to compare an implausible one [kg/m^3] with."""
    light = density < 1000
    return "foam has 15" if light else "osmium, the densest metal, has 22,600"


def having(names: Sequence[str]) -> str:
    """The first names of a list, the number of further ones, and the verb."""
    return f"{name_some(names)} {'has' if len(names) == 1 else 'have'}"


def count_noun(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun: 1 file, 2 files."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def name_some(names: Sequence[str]) -> str:
    """The first names of a list, and the number of further ones."""
    shown = ", ".join(names[:_FEW])
    return shown if len(names) <= _FEW else f"{shown} and {len(names) - _FEW} more"
