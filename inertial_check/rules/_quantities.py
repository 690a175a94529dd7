"""Quantities and names as a reader wants them in a message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def length(meters: float) -> str:
    """In millimetres below a metre."""
    return f"{1000 * meters:.3g} mm" if 0 < meters < 1 else f"{meters:.3g} m"


def box(edges: Iterable[float]) -> str:
    """Three edges."""
    return " x ".join(map(length, edges))


def point(p: Iterable[float]) -> str:
    """Three coordinates."""
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
    """What a density is to be compared with."""
    light = density < 1000
    return "foam has 15" if light else "osmium, the densest metal, has 22,600"


def having(names: Sequence[str]) -> str:
    """The first of several names, how many more there are, and the verb."""
    if len(names) == 1:
        return f"{names[0]} has"
    shown = ", ".join(names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{shown}{more} have"
