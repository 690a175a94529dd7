"""What is foretold of iDynTree, held against iDynTree 15.1.0."""

import engine_agreement

DOORS = ("urdf",)


def test_single_links():
    python = engine_agreement.interpreter("idyntree", "idyntree", "pip install idyntree==15.1.0")
    compared, printed = engine_agreement.compare(python, "idyntree", DOORS)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "alter"}
    text = "Failed to obtain floating point representation"
    assert printed.count(text) == engine_agreement.printed_count(compared, text) > 0
