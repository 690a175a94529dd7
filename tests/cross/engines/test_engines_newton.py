"""What is foretold of Newton, held against Newton 1.8.0."""

import engine_agreement

DOORS = ("urdf", "mjcf", "mjcf_principal")


def test_single_links():
    python = engine_agreement.interpreter("newton", "newton", "pip install newton==1.8.0")
    compared, _ = engine_agreement.compare(python, "newton", DOORS)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "alter", "reject"}
    for case in compared:
        corrected = "Inertia validation corrected" in case.live["log"]
        foretold = case.prediction.message.startswith("Inertia validation corrected")
        assert corrected == foretold, case
