"""What is foretold of Drake, held against Drake 1.51.1."""

import re

import engine_agreement
from single_links import sdf

NUMBER = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?")


def masked(text):
    """Without line ends and numbers, of which Drake prints the last digits too."""
    return NUMBER.sub("#", " ".join(text.split()))


DOORS = ("urdf", "sdf", "mjcf", "mjcf_principal")


def test_single_links():
    python = engine_agreement.interpreter("drake", "pydrake", "pip install drake==1.51.1")
    compared, _ = engine_agreement.compare(python, "drake", DOORS)
    assert len(compared) >= 1000
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "replace", "reject"}
    for case in compared:
        if case.prediction.action == "replace":
            said = masked(case.live["log"])
            for words in case.prediction.message.split("Failure: "):
                assert masked(words) in said, (case, said)
        elif case.door == "urdf":
            assert not case.live["log"]


def test_gazebo_says_what_the_libsdformat_in_drake_says():
    """Drake reads SDF with libsdformat, whose errors about inertias it shows as warnings."""
    python = engine_agreement.interpreter("drake", "pydrake", "pip install drake==1.51.1")
    compared, _ = engine_agreement.compare(python, "drake", ("sdf",))
    wrong = []
    every = engine_agreement.foretold([sdf(case.link) for case in compared])
    for case, (predictions, _) in zip(compared, every, strict=True):
        prediction = predictions["gz"]
        said = "A link named link has invalid inertia." in case.live["log"]
        if said != (prediction.action == "reject"):
            wrong.append((case.link, prediction))
    assert wrong == []
