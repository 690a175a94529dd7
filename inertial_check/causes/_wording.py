"""Numbers and phrases that the evidence of several causes shares."""

from __future__ import annotations

from collections.abc import Sequence

from inertial_check.arrays.types import Floats
from inertial_check.model import ENTRIES


def number(value: float) -> str:
    """A number with the digits in which it was written, ten at most."""
    return f"{value:.10g}"


def tensor(six: Floats) -> str:
    """The six entries by name, those that are zero left out."""
    named = zip(ENTRIES, six.tolist(), strict=True)
    return ", ".join(f"{entry} = {value:.6g}" for entry, value in named if value) or "0"


def a_body(margin: float) -> str:
    """That a tensor is sound, with its margin."""
    return f"one that a body can have (margin {max(margin, 0.0):.2g})"


def times_as_probable(gain: float) -> str:
    """A likelihood ratio in words; ratios that no witness can vouch for are not printed in full."""
    return f"{gain:.3g} times as probable" if gain < 1e4 else "over 10,000 times as probable"


def enumerate_words(words: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
