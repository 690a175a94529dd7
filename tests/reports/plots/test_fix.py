"""What the plot of a fix writes beside its numbers."""

import numpy as np
import pytest

import inertial_check as ic

pytest.importorskip("matplotlib", reason="pip install 'inertial-check[report]'")


def texts(before, after):
    figure = ic.plot.fix(before, after, names=["a"], order="urdf", about="com")
    return [each.get_text() for each in figure.axes[0].texts]


def test_rounding_is_no_change_and_thirty_times_is_not_thirty_per_cent():
    before = np.array([[1.0, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.04]])
    after = before.copy()
    after[0, 4] *= 1 + 5e-17 + 2.0**-52
    after[0, 9] *= 30
    after[0, 7] *= 1.1
    shown = texts(before, after)
    assert "0.02" in shown
    assert "0.04\n1.2 (30 times)" in shown
    assert not any("e-1" in each for each in shown)
    assert any(each.startswith("0.03\n0.033 (+") and each.endswith(" %)") for each in shown)
