"""What is foretold of Genesis, held against Genesis 1.4.5."""

import engine_agreement

DOORS = ("urdf", "mjcf", "mjcf_principal")


def test_single_links():
    python = engine_agreement.interpreter("genesis", "genesis", "pip install genesis-world==1.4.5")
    compared, _ = engine_agreement.compare(python, "genesis", DOORS)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "warn", "alter", "reject"}
    for case in compared:
        if case.prediction.action == "warn":
            said = " ".join(case.live["log"].replace(" - Element", "").split())
            assert case.prediction.message in said, case
        elif case.prediction.action == "accept" and case.door == "urdf":
            assert "legacy" not in case.live["log"], case
