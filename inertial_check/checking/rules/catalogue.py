"""The list of all rules."""

from __future__ import annotations

from inertial_check.checking.rules.base import Rule
from inertial_check.checking.rules.document import DOCUMENT_RULES
from inertial_check.checking.rules.engines import ENGINE_RULES
from inertial_check.checking.rules.numbers import NUMBER_RULES
from inertial_check.checking.rules.plausibility import SUSPICIONS
from inertial_check.checking.rules.usd import USD_RULES

ALL_RULES: tuple[type[Rule], ...] = tuple(
    sorted(
        (*DOCUMENT_RULES, *NUMBER_RULES, *SUSPICIONS, *ENGINE_RULES, *USD_RULES),
        key=lambda rule: rule.code,
    )
)
"""Every rule, in the order of the codes; each file of rules ends with its own."""
