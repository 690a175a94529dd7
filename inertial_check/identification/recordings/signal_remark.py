"""Remark on the signals of a recording, with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Values = Mapping[str, float | tuple[float, ...]]
"""Numbers of a remark by name."""


@dataclass(frozen=True)
class SignalRemark:
    """Something about a recording that its user should know.

    Attributes:
        kind: One word: clock, still, constant, degrees, limits, time, velocity, acceleration, unit,
            sign, lag.
        message: One line with the numbers.
        values: The numbers by name.
    """

    kind: str
    message: str
    values: Mapping[str, float | tuple[float, ...]]
