"""What is foretold of DART, held against DART 6.20.0."""

import engine_agreement

DOORS = ("urdf",)


def test_single_links():
    python = engine_agreement.interpreter("dart", "dartpy", "pip install dartpy==6.20.0")
    compared, printed = engine_agreement.compare(python, "dart", DOORS)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "warn", "replace"}
    text = "A negative or zero mass"
    unread = engine_agreement.printed_count(compared, "is not a float")  # the mass is 0 then
    assert printed.count(text) == engine_agreement.printed_count(compared, text) + unread > unread
