"""Python floats as an array library: formulas written for arrays run on the numbers of one body.

A product of two floats costs a tenth of a product of two arrays of one number. Where Python raises
and IEEE arithmetic goes on (a division by zero, the root of a negative number), callers catch
ArithmeticError and ValueError and compute with arrays instead. Cosines are NumPy's, so that one
body and a batch give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

copysign = math.copysign
isfinite = math.isfinite
sqrt = math.sqrt


def abs(x: float) -> float:
    """|x|."""
    return math.fabs(x)


def acos(x: float) -> float:
    """Angle in [0, pi] with this cosine."""
    return float(np.arccos(x))


def cos(x: float) -> float:
    """Cosine of an angle [rad]."""
    return float(np.cos(x))


def hypot(x: float, y: float) -> float:
    """sqrt(x^2 + y^2)."""
    return float(np.hypot(x, y))


def maximum(a: float, b: float) -> float:
    """The larger number; NaN if one is."""
    return b if b > a or math.isnan(b) else a


def minimum(a: float, b: float) -> float:
    """The smaller number; NaN if one is."""
    return b if b < a or math.isnan(b) else a


def where(condition: bool, yes: float, no: float) -> float:
    """One of two numbers."""
    return yes if condition else no


def ones_like(_: float) -> float:
    """1."""
    return 1.0


def zeros_like(_: float) -> float:
    """0."""
    return 0.0


def full_like(_: float, value: float) -> float:
    """The value."""
    return value


def stack(values: Sequence[float], axis: int = 0) -> list[float]:
    """The numbers as a list."""
    return list(values)
