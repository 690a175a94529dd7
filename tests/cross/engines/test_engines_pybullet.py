"""What is foretold of PyBullet, held against PyBullet 3.2.7."""

import engine_agreement

DOORS = ("urdf",)


def test_single_links():
    python = engine_agreement.interpreter("pybullet", "pybullet", "pip install pybullet==3.2.7")
    compared, printed = engine_agreement.compare(python, "pybullet", DOORS)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "replace"}
    text = "Bad inertia tensor properties, setting inertia to zero"
    assert (
        printed.count(text) == 2 * engine_agreement.printed_count(compared, text) > 0
    )  # twice each
