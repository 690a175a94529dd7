"""Conversion of texts to numbers. Nothing is guessed: a text that is no number gets a complaint."""

from __future__ import annotations

import math
import re

_DECIMAL_FORM = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_DECIMAL = re.compile(_DECIMAL_FORM)
_DECIMALS = re.compile(rf"(?:\s*+{_DECIMAL_FORM}(?=\s|\Z))*+\s*+")
_WORD = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_SIGNIFICANT = re.compile(r"[+-]?[0.]*[1-9]")
_HEXADECIMAL = re.compile(r"[+-]?0x[0-9a-f.]+(?:p[+-]?[0-9]+)?", re.IGNORECASE | re.ASCII)
_FORTRAN_EXPONENT = re.compile(r"(?<=[0-9.])[dD](?=[+-]?[0-9])")
_UNIT = re.compile(r"(?:\s*[A-DF-WYZa-df-wyz][\w^*/]*)?")
MOST_DIGITS = 1000
"""Largest number of digits of a number: 767 digits tell any two float64 apart, and no robot model
has more."""

_LONG_NUMBER = re.compile(rf"[-+.eE0-9]{{{MOST_DIGITS + 1}}}")
_LONGEST = 40
"""Largest number of characters of a text that a message quotes."""

_EXPECTED = "a decimal number such as 1.5 or 2e-3"
_ASCII = str.maketrans(
    "\N{MINUS SIGN}\N{EN DASH}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH FULL STOP}", "---."
)


def quote(text: str) -> str:
    """Put a text in quotation marks for a message; a long one is cut."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return f'"{cut}"'


def parse_number(text: str) -> tuple[float, str | None]:
    """Parse a number from a text without surrounding space.

    A number is decimal ASCII, or nan, inf, infinity in any case with a sign or without. Beyond the
    range of float64 it is an infinity, as in every engine.

    Returns:
        The value, NaN if the text is no number or has more than MOST_DIGITS; and a complaint that
        says what to write, or None.
    """
    if len(text) > MOST_DIGITS and (complaint := complain_of_length(text)) is not None:
        return math.nan, complaint
    if _DECIMAL.fullmatch(text):
        value = float(text)
        if value == 0.0 and _SIGNIFICANT.match(text):
            return value, f"{quote(text)} is below the smallest number that float64 holds: write 0"
        return value, None
    if _WORD.fullmatch(text):
        return float(text), None
    return math.nan, f"{quote(text)} is no number: {_suggest(text)}"


def has_long_number(text: str) -> bool:
    """Tell whether a text may hold a number of more than MOST_DIGITS."""
    return len(text) > MOST_DIGITS and _LONG_NUMBER.search(text) is not None


def complain_of_length(text: str) -> str | None:
    """Say that a number has too many digits, those of an exponent included; None if it has not."""
    if len(text) <= MOST_DIGITS or (digits := sum(map(str.isdigit, text))) <= MOST_DIGITS:
        return None
    return (
        f"{quote(text)} has {digits} digits, and the limit is {MOST_DIGITS}: no robot model "
        "needs more; write at most 17"
    )


def parse_optional(text: str | None) -> float | None:
    """Parse a number that may be absent: None without a text, NaN if the text is no number."""
    return None if text is None else parse_number(text.strip())[0]


def parse_finite(text: str, count: int) -> tuple[float, ...] | None:
    """Parse `count` finite numbers separated by space; None if the text is anything else."""
    # float() alone would also accept 1_000 or digits of other scripts; parse_number is slower.
    plain = len(text) <= MOST_DIGITS and _DECIMALS.fullmatch(text)
    read = float if plain else lambda word: parse_number(word)[0]
    values = tuple(map(read, text.split()))
    return values if len(values) == count and all(map(math.isfinite, values)) else None


def _suggest(text: str) -> str:
    if not text:
        return f"expected {_EXPECTED}"
    if "${" in text or "$(" in text:
        return "a xacro expression; expand the file first (xacro FILE > robot.urdf)"
    guess = _guess_number(text)
    return f"write {guess}" if guess else f"expected {_EXPECTED}"


def _guess_number(text: str) -> str | None:
    """Guess the decimal number that was meant, for the complaint only."""
    if len(text) > _LONGEST:
        return None
    if _HEXADECIMAL.fullmatch(text):
        try:
            return repr(float.fromhex(text))
        except (ValueError, OverflowError):
            return None
    digits = (str(int(c)) if c.isdecimal() else c for c in text.translate(_ASCII))
    plain = "".join(digits).replace("_", "")
    if plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    plain = _FORTRAN_EXPONENT.sub("e", plain)
    head = _DECIMAL.match(plain)
    return head[0] if head and _UNIT.fullmatch(plain, head.end()) else None
