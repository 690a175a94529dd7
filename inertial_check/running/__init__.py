"""Many documents in one run: worker processes, cache, cluster, archives, stored results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inertial_check.checking.check import Document
    from inertial_check.checking.evidence.examination import Examination
    from inertial_check.checking.report import Finding
    from inertial_check.checking.settings import Settings


def prescribe_lazily(
    examination: Examination, findings: Sequence[Finding], settings: Settings
) -> Sequence[Finding]:
    """Give findings their remedies; few checks have one that needs the code for it."""
    from inertial_check.fixing.prescriptions import prescribe

    return prescribe(examination, findings, settings)


def find_size(document: Document) -> int:
    """Find the size of a document [bytes]; 0 of one that cannot be read."""
    try:
        return len(document.data) if document.data is not None else os.path.getsize(document.path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return 0
