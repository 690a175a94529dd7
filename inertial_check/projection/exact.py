"""Consistency in exact rational arithmetic of the numbers as they are stored and printed by repr.

A float is a binary fraction; its shortest decimal, which repr prints, is another number within half
a unit of its last place. With all ten numbers of a body over one denominator, m > 0 and
m S - h h^T >= 0 (all principal minors are non-negative) are statements about integers, which Python
decides without rounding. They have to hold for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.representations import Point

LIFTS = 40
"""Doublings of the isotropic part that is added to a body, from a rounding unit of its moments."""

_TRACE = [4, 7, 9]


def are_exact(theta: Floats, about: Point) -> Mask:
    """Decide which bodies (n, 10) are consistent in exact arithmetic; zero rows are frames, and so.

    Args:
        theta: Numbers in order "urdf", of any floating-point type.
        about: Point about which the inertia is taken.
    """
    sure = np.array(Consistency(theta, about).verdict_code == int(Verdict.CONSISTENT))
    finite = np.all(np.isfinite(theta), axis=-1)
    for row in np.flatnonzero(~sure & finite):
        wide = [float(v) for v in theta[row]]
        forms = [_as_integers([v.as_integer_ratio() for v in wide])]
        # Both as stored and as printed: repr is the shortest text that reads back as the same
        # float, and lies up to half a unit away.
        short = tuple(np.format_float_scientific(v) for v in theta[row])
        for texts in {tuple(map(repr, wide)), short}:
            forms.append(_as_integers([Decimal(text).as_integer_ratio() for text in texts]))
        sure[row] = not any(wide) or all(_is_inside(form, about) for form in forms)
    return np.asarray(sure & finite)


def is_exact_tensor(six: Sequence[float], margin: float = 0.0) -> bool:
    """Decide whether a tensor about a centre of mass has a margin, in exact arithmetic.

    Args:
        six: ixx, ixy, ixz, iyy, iyz, izz as stored; not all of them zero.
        margin: Least eigenvalue of the second moment S, in units of its trace.
    """
    xx, xy, xz, yy, yz, zz = map(Fraction, six)
    trace = xx + yy + zz
    # S - margin tr(S) 1 is the second moment of the tensor I - margin tr(I) 1.
    taken = Fraction(margin) * trace
    entries = (xx - taken, xy, xz, yy - taken, yz, zz - taken)
    whole = _as_integers([entry.as_integer_ratio() for entry in entries])
    return trace > 0 and _is_inside([1, 0, 0, 0, *whole], "com")


def _as_integers(ratios: list[tuple[int, int]]) -> list[int]:
    """Bring fractions to their common denominator, and return the numerators."""
    # Integers over one denominator: the sign needs no division, where Fraction reduces each sum.
    whole = lcm(*(denominator for _, denominator in ratios))
    return [numerator * (whole // denominator) for numerator, denominator in ratios]


def _is_inside(numbers: list[int], about: Point) -> bool:
    """Decide whether ten integers are a body."""
    m, *h, xx, xy, xz, yy, yz, zz = numbers
    if m <= 0:
        return False
    a, d, f = yy + zz - xx, xx + zz - yy, xx + yy - zz  # twice the second moment
    b, c, e = -2 * xy, -2 * xz, -2 * yz
    if about == "origin":
        a, d, f = (m * s - 2 * p * p for s, p in zip((a, d, f), h, strict=True))
        b, c, e = m * b - 2 * h[0] * h[1], m * c - 2 * h[0] * h[2], m * e - 2 * h[1] * h[2]
    # All principal minors and not the leading ones alone: these decide definiteness, but not
    # semidefiniteness (Horn and Johnson, Matrix Analysis, theorem 7.2.5). Plates have zeros among
    # them.
    minors = a, d, f, a * d - b * b, a * f - c * c, d * f - e * e
    if min(minors) < 0:
        return False
    return a * minors[5] - b * (b * f - c * e) + c * (b * e - c * d) >= 0


def make_exact(theta: Floats, about: Point, fixed: Mask | None = None) -> tuple[Floats, Mask]:
    """Add to the moments of bodies the least of an isotropic part that makes them exact.

    Args:
        theta: (n, 10) in order "urdf", consistent except for rounding, of any floating-point type.
        about: Point about which the inertia is taken.
        fixed: (n, 10) numbers that stay.

    Returns:
        The bodies, in the same type, and which of them are consistent in exact arithmetic. Mass and
        first moment stay.
    """
    found = np.array(theta)
    exact = are_exact(found, about)
    unit = tolerances.epsilon(theta.dtype, np)
    # |tr I| may be rounding where the body is a point at its origin: then m is the only size.
    with np.errstate(over="ignore"):  # infinite only for rows that are lifted in vain
        size = np.abs(theta[:, _TRACE]).sum(axis=1)
    for power in range(LIFTS):
        rows = np.flatnonzero(~exact)
        if not rows.size:
            break
        lifted = np.array(theta[rows])
        part = np.asarray(unit * 2.0**power * size[rows], dtype=theta.dtype)
        lifted[:, _TRACE] += part[:, None]
        if fixed is not None:
            lifted = np.where(fixed[rows], theta[rows], lifted)
        good = are_exact(lifted, about)
        found[rows[good]], exact[rows[good]] = lifted[good], True
    return found, exact
