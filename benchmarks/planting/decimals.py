"""Exact arithmetic on the decimals of a document: is there a body with these numbers?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from inertial_check.documents.model import ENTRIES

DIAGONAL = ("ixx", "iyy", "izz")
PRODUCTS = ("ixy", "ixz", "iyz")
AXES = ("x", "y", "z")
SLACK = Fraction(1, 10**12)
"""A defect that leaves a tensor nearer to the boundary is none that float64 can hold."""


def exact(text: str) -> Fraction:
    """The number that a decimal text says."""
    return Fraction(Decimal(text))


def is_psd(matrix: Sequence[Sequence[Fraction]]) -> bool:
    """Whether a symmetric 3x3 matrix of rationals is PSD: no principal minor is negative."""
    (a, d, e), (_, b, f), (_, _, c) = matrix
    minors = (a, b, c, a * b - d * d, a * c - e * e, b * c - f * f)
    determinant = a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - e * b)
    return all(minor >= 0 for minor in (*minors, determinant))


def is_consistent(texts: Mapping[str, str], slack: Fraction = Fraction(0)) -> bool:
    """Whether a non-negative density has the tensor that six decimal texts say.

    Args:
        texts: The entries by name.
        slack: By how much of its trace the second moment may fail to be PSD.
    """
    xx, xy, xz, yy, yz, zz = (exact(texts[entry]) for entry in ENTRIES)
    half = (xx + yy + zz) / 2
    half += slack * abs(half)
    return is_psd([[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]])


def is_numerically_zero(texts: Mapping[str, str]) -> bool:
    """Whether no mass is farther than about a micrometre from the centre: nobody meant that."""
    largest = max(abs(exact(texts[entry])) for entry in ENTRIES)
    return largest < exact(texts["mass"]) / 10**12


def is_one_digit_of_identity(texts: Mapping[str, str]) -> bool:
    """Whether the tensor is the identity times a number of one digit: 1, 0.001, 0.3."""
    diagonal = {exact(texts[entry]) for entry in DIAGONAL}
    if len(diagonal) > 1 or any(exact(texts[entry]) for entry in PRODUCTS):
        return False
    return len(Decimal(texts["ixx"]).normalize().as_tuple().digits) == 1
