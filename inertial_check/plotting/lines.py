"""Lines of recorded signals: broken where samples are missing, and thinned to what a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.inertia.tolerances import GAP

MOST_POINTS = 4000
"""Largest number of points of a drawn line, besides those at its breaks; a longer one is drawn by
the extremes of each stretch, and the page says so."""


class BrokenLine(NamedTuple):
    """Points of a line that is interrupted where the recording is.

    Attributes:
        x: (k,) abscissae; NaN at a break.
        y: (k,) ordinates; NaN at a break.
        lone: (l, 2) points that are drawn as dots, as no line reaches them: samples between two
            breaks, and all points of a line with more breaks than points to be drawn.
    """

    x: Floats
    y: Floats
    lone: Floats


def count_in_stretch(samples: int) -> int:
    """Compute the number of samples of which the two extremes are drawn."""
    return -(-2 * samples // MOST_POINTS)


def find_joins(t: Floats, joins: Sequence[int] = ()) -> Mask:
    """Find the samples at which a new part of a recording begins.

    Args:
        t: (S,) times, or numbers of samples.
        joins: Samples at which a part is known to begin, as the first sample of another file.

    Returns:
        (S,) true where the time runs backwards or stands, is no number, or steps by more than GAP
        median steps from the sample before.
    """
    begins = np.zeros(t.size, dtype=bool)
    begins[[each for each in joins if 0 < each < t.size]] = True
    steps = np.diff(t)
    forward = steps[steps > 0]
    median = np.median(forward) if forward.size else np.inf
    begins[1:] |= ~((steps > 0) & (steps <= GAP * median))
    return begins


def break_line(t: Floats, values: Floats, begins: Mask) -> BrokenLine:
    """Break a line at joins and missing values, and thin it out to its extremes.

    Args:
        t: (S,) times.
        values: (S,) values; one that is not finite is missing.
        begins: (S,) samples that no line joins to the one before.
    """
    kept = np.flatnonzero(np.isfinite(values) & np.isfinite(t))
    # A part ends at a join, and where samples between two that are kept are missing.
    parts = np.cumsum(begins)[kept]
    new = np.ones(kept.size, dtype=bool)
    new[1:] = (np.diff(parts) > 0) | (np.diff(kept) > 1)
    dots_only = np.count_nonzero(new) > MOST_POINTS
    if t.size > MOST_POINTS:
        length = count_in_stretch(t.size)
        # Choose the least and the largest of each stretch of samples; no stretch spans a break.
        extremes_values = values[kept]
        extremes_new = np.zeros_like(new) if dots_only else new
        samples = np.arange(extremes_values.size)
        extremes_starts = np.maximum.accumulate(np.where(extremes_new, samples, 0))
        extremes_begins = np.flatnonzero((samples - extremes_starts) % length == 0)
        stretch = np.repeat(
            np.arange(extremes_begins.size),
            np.diff(np.append(extremes_begins, extremes_values.size)),
        )
        order = np.lexsort((extremes_values, stretch))
        ends = np.append(extremes_begins[1:], extremes_values.size) - 1
        # Sorted by stretch and then by value, the extremes stand at both ends of each stretch.
        chosen = np.unique(np.concatenate([order[extremes_begins], order[ends]]))
        kept, new = kept[chosen], np.diff(np.cumsum(new)[chosen], prepend=0) > 0
    points = np.stack([t[kept], values[kept]], axis=1)
    if dots_only:
        return BrokenLine(np.empty(0), np.empty(0), points)
    starts = np.flatnonzero(new)
    lengths = np.diff(np.append(starts, kept.size))
    lone = np.repeat(lengths == 1, lengths)
    broken = np.insert(points, starts[1:], np.nan, axis=0)
    return BrokenLine(broken[:, 0], broken[:, 1], points[lone])
