"""Numbers into text: a tensor in as few digits as let it survive the printing.

A tensor on the boundary rounds to either side of it. So the projection is asked for a margin that
covers the digits, and what was printed is parsed and judged again, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.fixing.region import Region
from inertial_check.inertia import tolerances
from inertial_check.model import Number
from inertial_check.projection.metrics import INERTIA

MOST_DIGITS = 17
"""Significant digits that tell every float64 from its neighbours."""

_TINY_EXPONENT, _HUGE_EXPONENT = -4, 16
"""Between these, repr writes no exponent; neither do we where the file shows no preference."""

_FIXED_REACH = 3
"""A number written without exponent stays so until it is this many decades smaller than it was."""

FEWEST_DIGITS = next(
    n for n in range(1, MOST_DIGITS) if tolerances.digits_margin(n) <= tolerances.NEAREST_WRITTEN
)
"""With fewer, the margin that survives printing is farther than the nearest tensor may be left."""

_DOUBLINGS = 8
"""Of the margin, for each number of digits; more would always leave the nearest tensor too far."""


def significant_digits(text: str) -> int:
    """Digits of a decimal number from its first that is not zero; 0 for a zero."""
    mantissa = text.lower().partition("e")[0]
    return len("".join(char for char in mantissa if char.isdigit()).lstrip("0"))


def formatted(value: float, digits: int, like: str) -> str:
    """A number with at most so many significant digits, in the style of another text.

    Zeros at the end are left out, but never below the digits that `like` shows; digits beyond those
    that name the float64 are never invented.

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
    mantissa, _, exponent = shown.partition("e")
    figures = mantissa.replace(".", "").rstrip("0").ljust(fewest, "0")
    sign = "-" if value < 0 else ""
    if _wants_exponent(int(exponent), like):
        return sign + _scientific(figures, int(exponent), like)
    return sign + _fixed(figures, int(exponent))


def _wants_exponent(exponent: int, like: str) -> bool:
    if "e" in like.lower():
        return True
    lowest = _TINY_EXPONENT
    if significant_digits(like):
        written = int(f"{float(like):e}".partition("e")[2])
        lowest = min(written, _TINY_EXPONENT) - _FIXED_REACH
    return not lowest <= exponent < _HUGE_EXPONENT


def _scientific(figures: str, exponent: int, like: str) -> str:
    """Mantissa and exponent, with the letter, the plus sign and the width of `like`'s exponent."""
    letter = "E" if "E" in like else "e"
    shown = like.lower().partition("e")[2]
    width = len(shown.lstrip("+-")) or 2
    plus = "+" if "+" in shown or not shown else ""
    sign = "-" if exponent < 0 else plus
    point = "." if len(figures) > 1 else ""
    return f"{figures[0]}{point}{figures[1:]}{letter}{sign}{abs(exponent):0{width}d}"


def _fixed(figures: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + figures
    whole, part = figures[: exponent + 1].ljust(exponent + 1, "0"), figures[exponent + 1 :]
    return f"{whole}.{part}" if part else whole


_SLIPS = range(-12, 13)
"""Powers of ten by which a decimal point can have slipped."""


def exactly(value: float, like: str) -> str:
    """A number as the shortest decimal that is this float, in the style of another text.

    Where it is that text with its point or its sign elsewhere, up to the rounding of whoever
    computed it, the digits of the text are kept: 0.01676359 / 10 is 0.001676359.

    Args:
        value: Finite.
        like: The text that this one replaces; no fewer digits than it has are written.
    """
    return formatted(_slipped(value, like), MOST_DIGITS, like)


def _slipped(value: float, like: str) -> float:
    """The text's own digits with their point elsewhere, if that is the value up to rounding."""
    try:
        written = abs(Decimal(like))
    except InvalidOperation:
        return value
    rounding = float(tolerances.floor(np.ones(()))) * abs(value)
    if not written.is_finite():
        return value
    for power in _SLIPS:
        shifted = float(written.scaleb(power))
        if abs(shifted - abs(value)) <= rounding:
            return shifted if value > 0 else -shifted
    return value


def printed(
    numbers: Sequence[Number], values: Sequence[float], digits: int, unmoved: float
) -> list[str]:
    """Values over those that are written, in so many digits; see `formatted`.

    Args:
        numbers: As written.
        values: What they shall be, in the document's own units.
        digits: Significant digits of each.
        unmoved: Numbers that are off by no more keep their text.
    """
    return [
        number.text
        if abs(value - number.value) <= unmoved
        else formatted(value, digits, number.text)
        for number, value in zip(numbers, values, strict=True)
    ]


def printed_nearest(
    numbers: Sequence[Number], nearest: Floats, region: Region, fewest: int = FEWEST_DIGITS
) -> list[str] | None:
    """A tensor of a region as texts, with the fewest digits that survive the printing.

    It is moved on to a margin that covers the digits, and float32 at least. Entries that are left
    as they were keep their text.

    Args:
        numbers: The six entries as written, in the order of model.body.ENTRIES.
        nearest: (6,) what they shall be.
        region: In which the tensor is once its text has been parsed.
        fewest: The least number of digits that is tried.

    Returns:
        Six texts; None where no number of digits serves, as for entries beyond float32.
    """
    allowed = tolerances.NEAREST_WRITTEN * INERTIA.distance(np.zeros(6), nearest)
    unmoved = tolerances.floor(np.ones(())) * np.max(np.abs(nearest))
    single = tolerances.epsilon(np.float32, np)
    for digits in range(fewest, MOST_DIGITS + 1):
        further = max(tolerances.digits_margin(digits), single)
        for doubling in range(_DOUBLINGS):
            target = region.project(nearest, further * 2**doubling)
            texts = printed(numbers, target.tolist(), digits, unmoved)
            written = np.array([float(text) for text in texts])
            if not INERTIA.distance(written, nearest) <= allowed:
                break
            if region.holds(written):
                return texts
    return None
