"""Whether a body has six entries, without any tolerance: in decimals, in double, in single."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import symmetric


def survives(written: Floats, margin: float = 0.0) -> bool:
    """Whether a body has these entries, without any tolerance, in float64 and in float32.

    Decided twice: exactly, and by the eigenvalues that engines compute, which err by a few eps.

    Args:
        written: (6,) as parsed.
        margin: What they must have in float64; in float32 it is 0.
    """
    with np.errstate(over="ignore", under="ignore"):
        single = written.astype(np.float32)
    if not np.all(np.isfinite(single)):
        return False
    slack = float(tolerances.floor(np.ones(())))
    return (
        is_body(written.tolist(), margin)
        and is_body(single.tolist())
        and _obeys_triangle(written, slack)
        and _obeys_triangle(single, 0.0)
    )


def is_body(six: Sequence[float], margin: float = 0.0) -> bool:
    """Whether S - margin tr(S) 1 >= 0, S = tr(I)/2 1 - I, in exact arithmetic: all minors."""
    from fractions import Fraction

    xx, xy, xz, yy, yz, zz = map(Fraction, six)
    trace = xx + yy + zz
    kept = trace * (1 - Fraction(margin))  # all of this is twice S
    a, d, f = kept - 2 * xx, kept - 2 * yy, kept - 2 * zz
    b, c, e = -2 * xy, -2 * xz, -2 * yz
    determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    minors = (a, d, f, a * d - b * b, a * f - c * c, d * f - e * e, determinant)
    return trace > 0 and all(minor >= 0 for minor in minors)


def _obeys_triangle(six: npt.NDArray[Any], slack: float) -> bool:
    """Whether LAPACK, in the precision of the entries, finds 0 < J3 <= J2 <= J1 <= J2 + J3."""
    low, middle, high = np.linalg.eigvalsh(symmetric(six))
    return bool(low > 0 and low + middle - high >= slack * high)
