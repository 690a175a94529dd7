"""Many documents in one run: worker processes, cache, cluster, archives, stored results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inertial_check.checking.evidence.examination import Examination
    from inertial_check.checking.report import Finding
    from inertial_check.checking.settings import Settings


def prescribe_lazily(
    examination: Examination, findings: Sequence[Finding], settings: Settings
) -> Sequence[Finding]:
    """Give findings their remedies; few checks have one that needs the code for it."""
    from inertial_check.fixing.prescriptions import prescribe

    return prescribe(examination, findings, settings)
