"""Thresholds from which on the diagnosis of a recording speaks, all ratios, and its units."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

NOISE = 3.0
"""Times the noise of a position: a spread of less is no motion."""

JITTER = 0.1
"""Largest deviation of a time step from the median step, relative to it: velocities by differences
at supposedly uniform steps are wrong by as much."""

MISMATCH = 0.05
"""Deviation of a ratio from the one it should have: neither noise nor a filter makes so much."""

AGREEMENT = 0.5
"""Share of the variance that has to be explained before a slope or a lag means something."""

TURNS = 2.0
"""Full turns: most joints turn less far, and most ranges in degrees, read as radians, are more."""

UNLIKE = 3.0
"""Factor between torques and those of a prior, which for masses that are guessed is mostly 2."""

FACTOR = 1.5
"""Factor between a slope and the one of a unit that may explain it, as the prior is inexact."""

GAIN = 1.08
"""Common multiple of the torques from which on it is told: drive gains are rarely known better."""

SCATTER = 0.25
"""Largest deviation of the logarithms of a common multiple, relative to its logarithm: those of
priors that are wrong link by link scatter by half and more."""

LAG_GAIN = 0.02
"""Share of the squared residuals that a shift must save; less is saved by chance."""

LAGS = 25
"""Samples by which one signal is shifted at most, and a tenth of all of them."""

DEGREES = float(np.rad2deg(1.0))

UNITS: Mapping[str, float] = MappingProxyType(
    {
        "N cm": 100.0,
        "N mm": 1000.0,
        "kgf cm": 10.197162,
        "lbf in": 8.8507458,
        "ozf in": 141.61193,
        "kgf m": 0.10197162,
        "kN m": 0.001,
    }
)
"""Units of torque, and how many of each are one newton metre."""

CLOCKS: Mapping[str, float] = MappingProxyType({"ms": 1e3, "us": 1e6, "ns": 1e9, "min": 1 / 60})
"""Units of time, and how many of each are one second."""
