"""Bodies, sound and broken, that tests of the adapters build in the libraries themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Given(NamedTuple):
    """A body to build: its numbers about the centre of mass, and what is to be said of it."""

    name: str
    mass: float
    p_BoBcm_B: tuple[float, float, float]
    I_BBcm_B: tuple[float, float, float, float, float, float]  # xx xy xz yy yz zz
    codes: tuple[str, ...]
    status: str

    @property
    def matrix(self) -> np.ndarray:
        xx, xy, xz, yy, yz, zz = self.I_BBcm_B
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


BODIES = (
    Given("sound", 2.0, (0.1, 0.0, 0.2), (0.02, 0.001, 0.0, 0.03, 0.002, 0.04), (), "unchanged"),
    Given("slim", 1.2, (0.0, 0.0, 0.1), (0.02, 0.0, 0.0, 0.03, 0.001, 0.0505), ("IC301",), "fixed"),
    Given("bead", 1e-6, (0.0, 0.0, 0.0), (4e-15, 0.0, 0.0, 4e-15, 0.0, 4e-15), (), "unchanged"),
    Given("far", 3.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.9), ("IC301",), "needs-unsafe"),
    Given("ton", 1e5, (1.0, 2.0, 0.5), (5e5, 1e4, 0.0, 6e5, 0.0, 1.11e6), ("IC301",), "fixed"),
)
"""slim, far and ton break the triangle inequality, far by much; a bead of a milligram is sound."""

CHANGED = {given.name for given in BODIES if given.status == "fixed"}


def triangle_slack(matrix: np.ndarray) -> float:
    """J1 + J2 - J3 over J3, by numpy alone."""
    low, middle, high = np.linalg.eigvalsh(matrix)
    return float((low + middle - high) / high)


def codes_by_body(report) -> dict[str, tuple[str, ...]]:
    """The codes of errors, by body."""
    found: dict[str, tuple[str, ...]] = {}
    for finding in report.findings:
        if finding.severity.word == "error":
            found[finding.body] = (*found.get(finding.body, ()), finding.code)
    return found


EXPECTED_CODES = {given.name: given.codes for given in BODIES if given.codes}
EXPECTED_STATUSES = [given.status for given in BODIES]
