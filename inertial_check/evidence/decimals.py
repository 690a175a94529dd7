"""Numbers that were printed with so few decimals that little of the tensor is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inertial_check.inertia.printed import decimal_places

COARSE = 0.04
"""Share of the trace above which half a count of the last decimal is a coarse one: 24 of 32 tensors
printed with so few decimals exceed it, and none of 3,136 clean bodies does."""

_FEW_DIGITS = 2
"""Digits that no entry of a tensor exceeds whose trace is that of so few counts."""

COUNTS = 2.5
"""Counts of the last printed decimal below which a moment has less than one significant digit."""

_DIGITS_OF_MASS = 3
"""Significant digits of a mass, without zeros at its ends, from which the numbers were measured or
computed, not guessed: 100. and 1.0 have one."""


def is_measured(mass: str) -> bool:
    """Whether a mass as printed has so many digits that it was measured or computed."""
    return count_digits(mass) >= _DIGITS_OF_MASS


def last_count(texts: Sequence[str], unit: float) -> float | None:
    """One count of the last decimal that any entry of a tensor shows [kg m^2].

    Args:
        texts: The six entries as printed.
        unit: Size of the document's unit of inertia [kg m^2].

    Returns:
        None where an entry is missing, has an exponent, or none has a decimal.
    """
    together = " ".join(texts)
    if "e" in together or "E" in together or not all(texts):
        return None
    places = [each for each in map(decimal_places, texts) if each is not None]
    if len(places) < 3 or max(places) < 1:
        return None
    return unit * float(f"1e-{max(places)}") or None


def has_lost_decimals(texts: Sequence[str], six: Iterable[float], unit: float, mass: str) -> bool:
    """Whether a tensor that a body has was printed with too few decimals to tell which.

    Half a count of the last decimal is more than COARSE of the trace, and that is no guess of a
    person: the mass was measured, or the zeros have as many decimals as the moments, as a program
    prints them. Three equal moments without products are guessed more often than printed: the
    zeros have to have the decimals, and a power of ten needs the measured mass as well. A zero with
    a minus is a number that was rounded away.

    Args:
        texts: The six entries as printed.
        six: (6,) the same as numbers [kg m^2].
        unit: Size of the document's unit of inertia [kg m^2].
        mass: The mass as printed.
    """
    for text in texts:
        if len(text) > _FEW_DIGITS and len(text.strip("-+0.")) > _FEW_DIGITS:
            return False  # a trace of at most 12 counts has no longer entry
    xx, xy, xz, yy, yz, zz = (float(each) for each in six)
    count = last_count(texts, unit)
    if count is None or not 0 < xx + yy + zz < count / 2 / COARSE:
        return False
    places = {decimal_places(text) for text in texts}
    zeros = [text for text in texts if not text.strip("-+0.")]
    padded = bool(zeros) and len(places) == 1 and max(filter(None, places)) > 1
    if padded and any(text.startswith("-") for text in zeros):
        return True
    measured = is_measured(mass)
    if not xx == yy == zz or xy or xz or yz:
        return padded or measured
    power = texts[0].strip("+0.") == "1"
    return padded and (measured or not power)


def is_padded(texts: Sequence[str]) -> bool:
    """Whether numbers have one number of decimals, and a zero at the end of one of them.

    A format such as "%.3f" prints so: 0.120, 0.000. A person leaves such zeros out.
    """
    if not any(text.endswith("0") for text in texts):
        return False
    places = set(map(decimal_places, texts))
    together = " ".join(texts)
    exponents = "e" in together or "E" in together
    return len(places) == 1 and None not in places and not exponents


def count_digits(text: str) -> int:
    """Number of significant digits of a printed number, zeros at its ends left out."""
    mantissa = text.lower().partition("e")[0]
    return len("".join(filter(str.isdigit, mantissa)).strip("0"))
