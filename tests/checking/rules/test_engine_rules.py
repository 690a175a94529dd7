"""IC701 and IC702: what gated engines do is said, and nothing is computed without a gate."""

import pytest

import inertial_check as ic
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.rules.engines import EngineChangesBody, EngineWarns
from inertial_check.checking.settings import Settings
from inertial_check.documents.model import judge
from single_links import TABLE, diagonal, urdf


def findings(link, *engines):
    report = ic.check_model(urdf(link).encode(), Settings(engines=engines))
    return [f for f in report.findings if f.code in ("IC701", "IC702")]


@pytest.mark.parametrize("rule", [EngineChangesBody, EngineWarns])
def test_without_a_gate_nothing_is_foretold(rule):
    def forbidden():
        raise AssertionError("asked for predictions")

    model = ic.load(urdf(TABLE["rod"]).encode())
    examination = Examination(model, judge(model), predict=forbidden)
    assert list(rule(model).findings(examination)) == []


def test_one_finding_a_body_and_engine():
    found = findings(TABLE["izz twice as large"], "mujoco", "drake", "pinocchio")
    assert [(f.code, f.body, f.values["engine"]) for f in found] == [
        ("IC701", "link", "mujoco"),
        ("IC701", "link", "drake"),
    ]


def test_the_message_quotes_the_engine_says_what_becomes_of_it_and_the_way_out():
    (finding,) = findings(TABLE["izz twice as large"], "drake")
    assert finding.message == (
        "drake 1.51.1 puts a stand-in in the place of this body (did not pass the test "
        "CouldBePhysicallyValid(). The associated principal moments of inertia: 0.1 0.1 0.4 do not "
        "satisfy the triangle inequality); it becomes a sphere of 1000 kg/m^3: 1 kg, I = "
        "0.00153934 kg m^2: write numbers that it takes; `fix --engine drake` looks for the nearest"
    )
    assert finding.values["action"] == "replace"


def test_a_warning_is_no_error():
    (finding,) = findings(diagonal(-1.0, 1.0, 1.0, 1.0), "dart")
    assert (finding.code, finding.severity.word) == ("IC702", "warning")
    assert finding.message.endswith(": write the mass and the inertia that the body has")
