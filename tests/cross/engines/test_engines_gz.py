"""What is foretold of Gazebo, held against gz-math's MassMatrix3."""

import numpy as np
import pytest

from inertial_check.checking.engines.others import is_valid
from single_links import links


def test_single_links():
    """IsValid of gz-math; what libsdformat says with it is compared in test_engines_drake."""
    math = pytest.importorskip(
        "ignition.math", reason="needs gz-math: apt install python3-ignition-math (6.10)"
    )
    cases = list(links(4000, 20260))
    mass = np.array([link.mass for link in cases])
    entries = np.array([link.entries for link in cases])
    with np.errstate(all="ignore"):
        foretold = is_valid(mass, entries)
    live = []
    for m, (xx, xy, xz, yy, yz, zz) in zip(mass.tolist(), entries.tolist(), strict=True):
        matrix = math.MassMatrix3d(m, math.Vector3d(xx, yy, zz), math.Vector3d(xy, xz, yz))
        live.append(matrix.is_valid())
    assert [link for link, a, b in zip(cases, foretold, live, strict=True) if a != b] == []
    assert 0.2 < np.mean(live) < 0.8
