"""The table of standards: complete, about rules that exist, and current in every report."""

import json
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.checking.pages import describe_rule, find_rule, rule_page
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.standards import (
    DISAGREEMENTS,
    REQUIREMENTS,
    STANDARDS,
    list_requirements,
    write_page,
)
from inertial_check.programs.cli.main import main

NAMED = {
    "simready": {
        "RB.007",
        "RB.008",
        "RB.011",
        "NEWTON.MAS.001",
        *(f"UN.00{n}" for n in range(1, 8)),
    },
    "rep0158": {"1.1.1", "1.1.2", "1.1.3", "1.1.5", "1.3", "1.3.3"},
    "newton": {"NEWTON.MAS.001", "newton:inertia is not positive semidefinite"},
    "nvidia": {
        *("MassChecker", "RigidBodyChecker", "RigidBodyHasMassAPI", "RigidBodyMassChecker"),
        *("NestedRigidBodyMassChecker", "NewtonMassAttributesChecker", "StageMetadataChecker"),
        *("UnitsInMetersChecker", "UpAxisZChecker"),
    },
    "urdfdom": {
        "Inertial element must have a mass element",
        "Inertial: mass element must have value attribute",
        "Inertial: mass [X] is not a float",
        "Inertial element must have inertia element",
        "Inertial: inertia element missing X attribute",
        "Inertial: inertia element X is not a valid double",
    },
    "sdformat": {
        *("LINK_INERTIA_INVALID", "ELEMENT_MISSING (density)", "ELEMENT_INVALID"),
        *("URI_LOOKUP", "FILE_READ"),
    },
    "mujoco": {
        "inertia must have positive eigenvalues",
        "inertia must satisfy A + B >= C",
        "mass and inertia of moving bodies must be larger than mjMINVAL",
        "mass and inertia cannot be negative",
        "fullinertia and diagonal inertia cannot both be specified",
        "fullinertia and inertial orientation cannot both be specified",
    },
}
"""Identifiers that users are asked for, of each standard."""


def test_every_requirement_that_users_are_asked_for_is_there():
    assert [each.name for each in STANDARDS] == list(NAMED)
    for name, ids in NAMED.items():
        assert ids <= {each.id for each in list_requirements(name)}


def test_every_requirement_has_a_relation_its_reason_and_rules_that_exist():
    codes = {rule.code for rule in ALL_RULES}
    assert len({each[:2] for each in REQUIREMENTS}) == len(REQUIREMENTS)
    for each in REQUIREMENTS:
        assert each.reason
        assert set(each.codes) <= codes
        assert (each.relation == "none") == (not each.codes), each
    assert all(set(rules) <= codes for _, rules in DISAGREEMENTS)


def test_messages_of_mujoco_are_those_of_its_library():
    """A message that MuJoCo does not print would be found by nobody."""
    mujoco = pytest.importorskip("mujoco")
    library = next(Path(mujoco.__file__).parent.glob("libmujoco.*"))
    data = library.read_bytes()
    for each in list_requirements("mujoco"):
        assert each.id.encode() in data, each.id


@pytest.mark.parametrize("name", NAMED)
def test_the_command_lists_a_standard(name, capsys):
    assert main(["rules", "--standard", name]) == 0
    text = capsys.readouterr().out
    assert main(["rules", "--standard", name, "--output-format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["id"] for each in listed] == [each.id for each in list_requirements(name)]
    for each in listed:
        assert f"{each['id']}: {each['asks']}\n  {each['relation']}" in text


def test_the_page_is_current(project_root):
    assert (project_root / "docs" / "standards.md").read_text(encoding="utf-8") == write_page()
    assert "NEWTON.MAS.001 specifies one" in write_page()


def test_rules_name_what_they_cover():
    rule = find_rule("IC301")
    assert "\nStandards: simready, nvidia, sdformat, mujoco\n" in rule_page(rule)
    assert {"standard": "simready", "id": "RB.008", "relation": "stricter"} in (
        describe_rule(rule)["covers"]
    )
    assert "Standards:" not in rule_page(find_rule("IC901"))


def test_sarif_names_them(tmp_path, capsys):
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0.02" ixy="0" '
        'ixz="0" iyy="0.03" iyz="0" izz="0.08"/></inertial></link></robot>'
    )
    assert next(each.code for each in ic.check_model(path).findings) == "IC301"
    assert main(["check", "--isolated", "--output-format", "sarif", str(path)]) == 1
    log = json.loads(capsys.readouterr().out)
    (found,) = log["runs"]
    target = {"id": "RB.008", "toolComponent": {"name": "simready"}}
    assert target in found["results"][0]["taxa"]
    rule = found["tool"]["driver"]["rules"][found["results"][0]["ruleIndex"]]
    (relationship,) = (each for each in rule["relationships"] if each["target"] == target)
    assert relationship["properties"] == {"relation": "stricter"}
    (taxonomy,) = (each for each in found["taxonomies"] if each["name"] == "simready")
    assert "RB.008" in {each["id"] for each in taxonomy["taxa"]}
