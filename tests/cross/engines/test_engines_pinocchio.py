"""What is foretold of Pinocchio, held against Pinocchio 4.1.0."""

import engine_agreement

DOORS = ("urdf", "mjcf", "mjcf_principal")


def test_single_links():
    python = engine_agreement.interpreter("pinocchio", "pinocchio", "pip install pin==4.1.0")
    compared, _ = engine_agreement.compare(python, "pinocchio", DOORS)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "alter", "replace", "reject"}
