"""Numbers as text in the style of a document, and tensors in the fewest digits that stay valid.

A tensor on the border of the consistent ones rounds to either side of it. So the projection aims at
a margin that covers the digits, and the printed text is parsed and tested again, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, DecimalException

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.fixing.region import Region
from inertial_check.inertia import tolerances
from inertial_check.model import Number
from inertial_check.projection.metrics import INERTIA

MOST_DIGITS = 17
"""Significant digits that tell every float64 from its neighbours."""

_TINY_EXPONENT, _HUGE_EXPONENT = -4, 16
"""Decimal exponents between which repr writes none; fix does the same where the file shows none."""

_FIXED_REACH = 3
"""Decades by which a number written without exponent may shrink before it is given one."""

FEWEST_DIGITS = next(
    n for n in range(1, MOST_DIGITS) if tolerances.digits_margin(n) <= tolerances.NEAREST_WRITTEN
)
"""Fewest significant digits that are tried: with fewer, the margin that survives printing is larger
than the distance from the nearest tensor that is allowed."""

_DOUBLINGS = 8
"""Number of margins that are tried for each number of digits, each twice the one before; larger
margins would always be too far from the nearest tensor."""

_SHIFTS = range(-12, 13)
"""Powers of ten by which a decimal point may be misplaced in a text."""

_MOST_EXPONENT = 1000
"""Largest decimal exponent that is shifted: beyond it no text is a number of float64."""


def significant_digits(text: str) -> int:
    """Digits of a decimal number from its first that is not zero; 0 for a zero."""
    mantissa = text.lower().partition("e")[0]
    return len("".join(char for char in mantissa if char.isdigit()).lstrip("0"))


def format_number(value: float, digits: int, like: str) -> str:
    """A number with at most `digits` significant digits, in the style of another text.

    Zeros at the end are left out, but never below the number of digits of `like`; digits beyond
    those that identify the float64 are never added.

    Args:
        value: Finite.
        digits: Significant digits, 1 to MOST_DIGITS; raised to those of `like`.
        like: The text that this one replaces; its exponent form, or its lack of one, is kept.
    """
    if value == 0:
        return "0"
    fewest = min(max(significant_digits(like), 1), MOST_DIGITS)
    most = min(max(digits, fewest), MOST_DIGITS)
    shown = f"{abs(value):.{min(most, significant_digits(repr(value))) - 1}e}"
    if float(shown) != abs(value):
        shown = f"{abs(value):.{most - 1}e}"
    mantissa, _, power = shown.partition("e")
    figures, exponent = mantissa.replace(".", "").rstrip("0").ljust(fewest, "0"), int(power)
    sign = "-" if value < 0 else ""
    write = _write_scientific if _wants_exponent(exponent, like) else _write_fixed_point
    return sign + write(figures, exponent, like)


def _wants_exponent(exponent: int, like: str) -> bool:
    if "e" in like.lower():
        return True
    lowest = _TINY_EXPONENT
    if significant_digits(like):
        written = int(f"{float(like):e}".partition("e")[2])
        lowest = min(written, _TINY_EXPONENT) - _FIXED_REACH
    return not lowest <= exponent < _HUGE_EXPONENT


def _write_scientific(figures: str, exponent: int, like: str) -> str:
    """Mantissa and exponent, with the letter, the plus sign and the width of `like`'s exponent."""
    letter = "E" if "E" in like else "e"
    shown = like.lower().partition("e")[2]
    width = len(shown.lstrip("+-")) or 2
    plus = "+" if "+" in shown or not shown else ""
    sign = "-" if exponent < 0 else plus
    point = "." if len(figures) > 1 else ""
    return f"{figures[0]}{point}{figures[1:]}{letter}{sign}{abs(exponent):0{width}d}"


def _write_fixed_point(figures: str, exponent: int, like: str) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + figures
    whole, part = figures[: exponent + 1].ljust(exponent + 1, "0"), figures[exponent + 1 :]
    return f"{whole}.{part}" if part else whole


def format_exactly(value: float, like: str) -> str:
    """A number as the shortest decimal that is this float64, in the style of another text.

    Where the value is that of the text with its point or sign elsewhere, up to the rounding of the
    computation, the digits of the text are kept: 0.01676359 / 10 is 0.001676359.

    Args:
        value: Finite.
        like: The text that this one replaces; no fewer digits than it has are written.
    """
    return format_number(_shift_point(value, like), MOST_DIGITS, like)


def _shift_point(value: float, like: str) -> float:
    """The number that a text has with its point moved, if that is the value up to rounding."""
    try:
        written = abs(Decimal(like))
    except DecimalException:
        return value
    if not written.is_finite():
        return value
    rounding = float(tolerances.floor(np.ones(()))) * abs(value)
    for power in _SHIFTS if abs(written.adjusted()) < _MOST_EXPONENT else ():
        shifted = float(written.scaleb(power))
        if abs(shifted - abs(value)) <= rounding:
            return shifted if value > 0 else -shifted
    return value


def print_numbers(
    numbers: Sequence[Number], values: Sequence[float], digits: int, unmoved: float
) -> list[str]:
    """Texts of new values in the style of the numbers that are written; see format_number.

    Args:
        numbers: As written.
        values: The new values, in the document's own units.
        digits: Significant digits of each.
        unmoved: Numbers that change by no more than this keep their text.
    """
    return [
        number.text
        if abs(value - number.value) <= unmoved
        else format_number(value, digits, number.text)
        for number, value in zip(numbers, values, strict=True)
    ]


def print_nearest(
    numbers: Sequence[Number], nearest: Floats, region: Region, fewest: int = FEWEST_DIGITS
) -> list[str] | None:
    """Texts of a tensor of a region, in the fewest digits with which it is still in the region.

    The tensor is moved inside by a margin that covers the digits, and float32 at least. Entries
    that do not change keep their text.

    Args:
        numbers: The six entries as written, in the order of model.body.ENTRIES.
        nearest: (6,) the new entries.
        region: In which the tensor is, once its text has been parsed.
        fewest: The least number of digits that is tried.

    Returns:
        Six texts; None where no number of digits is enough, as for entries beyond float32.
    """
    allowed = tolerances.NEAREST_WRITTEN * INERTIA.distance(np.zeros(6), nearest)
    unmoved = tolerances.floor(np.ones(())) * np.max(np.abs(nearest))
    single = tolerances.epsilon(np.float32, np)
    for digits in range(fewest, MOST_DIGITS + 1):
        inside = max(tolerances.digits_margin(digits), single)
        for doubling in range(_DOUBLINGS):
            target = region.project(nearest, inside * 2**doubling)
            texts = print_numbers(numbers, target.tolist(), digits, unmoved)
            written = np.array([float(text) for text in texts])
            if not INERTIA.distance(written, nearest) <= allowed:  # also true where it is NaN
                break
            if region.contains(written):
                return texts
    return None
