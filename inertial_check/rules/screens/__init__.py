"""The comparisons behind IC2xx, IC307, IC5xx and IC6xx: arrays over bodies, words for failures."""

from __future__ import annotations

from collections.abc import Callable

from inertial_check.evidence import Examination
from inertial_check.rules.screens._base import Doubts, Found
from inertial_check.rules.screens._limits import Limits
from inertial_check.rules.screens.centers import centers
from inertial_check.rules.screens.copies import copies
from inertial_check.rules.screens.digits import lost_decimals
from inertial_check.rules.screens.forms import forms
from inertial_check.rules.screens.placeholders import placeholders, repetitions
from inertial_check.rules.screens.sizes import box_densities, densities, sizes
from inertial_check.rules.screens.twins import twins

SCREENS: tuple[Callable[[Examination, Limits, Found], Doubts], ...] = (
    lost_decimals,
    placeholders,
    repetitions,
    copies,
    centers,
    sizes,
    densities,
    box_densities,
    forms,
    twins,
)
"""Comparisons in the order in which they are made, the plainest first: a body keeps the first
doubt on each evidence."""
