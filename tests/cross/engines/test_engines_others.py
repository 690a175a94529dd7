"""What is foretold of engines that have no further tests here, held against the engines."""

import pytest

import engine_agreement

MJCF = ("urdf", "mjcf", "mjcf_principal")
ENGINES = {
    "dart": ("dartpy==6.20.0", "dartpy", ("urdf",), {"accept", "warn", "replace"}),
    "genesis": ("genesis-world==1.4.5", "genesis", MJCF, {"accept", "warn", "alter", "reject"}),
    "idyntree": ("idyntree==15.1.0", "idyntree", ("urdf",), {"accept", "alter"}),
    "newton": ("newton==1.8.0", "newton", MJCF, {"accept", "alter", "reject"}),
    "pinocchio": ("pin==4.1.0", "pinocchio", MJCF, {"accept", "alter", "replace", "reject"}),
    "pybullet": ("pybullet==3.2.7", "pybullet", ("urdf",), {"accept", "replace"}),
}
"""What installs an engine, its module, the formats that it reads, and what it does with links."""


@pytest.mark.parametrize("engine", ENGINES)
def test_single_links(engine):
    package, module, doors, actions = ENGINES[engine]
    python = engine_agreement.interpreter(engine, module, f"pip install {package}")
    compared, printed = engine_agreement.compare(python, engine, doors)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == actions
    if engine in COUNTED:
        COUNTED[engine](compared, printed)
    for case in compared:
        if engine == "newton":
            corrected = "Inertia validation corrected" in case.live["log"]
            foretold = case.prediction.message.startswith("Inertia validation corrected")
            assert corrected == foretold, case
        elif engine == "genesis" and case.prediction.action == "warn":
            said = " ".join(case.live["log"].replace(" - Element", "").split())
            assert case.prediction.message in said, case
        elif engine == "genesis" and case.prediction.action == "accept" and case.door == "urdf":
            assert "legacy" not in case.live["log"], case


def count_dart(compared, printed):
    text = "A negative or zero mass"
    unread = engine_agreement.printed_count(compared, "is not a float")  # the mass is 0 then
    assert printed.count(text) == engine_agreement.printed_count(compared, text) + unread > unread


def count_idyntree(compared, printed):
    text = "Failed to obtain floating point representation"
    assert printed.count(text) == engine_agreement.printed_count(compared, text) > 0


def count_pybullet(compared, printed):
    text = "Bad inertia tensor properties, setting inertia to zero"  # it says so twice each
    assert printed.count(text) == 2 * engine_agreement.printed_count(compared, text) > 0


COUNTED = {"dart": count_dart, "idyntree": count_idyntree, "pybullet": count_pybullet}
"""Engines that print what they do: the messages are counted."""
