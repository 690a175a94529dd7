import copy
import json
from importlib.resources import files

import jsonschema
import pytest

import hand_made_reports as hand_made
import inertial_check
from inertial_check.reports import View, render

SCHEMA = json.loads(
    files("inertial_check.reports").joinpath("check.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
REPORTS = ["EVERYTHING", "CLEAN", "FAILED", "EMPTY"]


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def shown(report, exit_code=1, **view):
    return render(report, "json", View(exit_code=exit_code, **view))


def parsed(report, **view):
    return json.loads(shown(report, **view), parse_constant=refuse)


def test_everything(golden):
    text = shown(hand_made.EVERYTHING)
    golden("reports/check.json", text.replace(f'"{inertial_check.__version__}"', '"VERSION"', 1))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("statistics", [False, True])
def test_reports_satisfy_the_schema(name, statistics):
    VALIDATOR.validate(parsed(getattr(hand_made, name), statistics=statistics))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), 1),
        (("summary", "exit_code"), 3),
        (("summary", "errors"), -1),
        (("files", 0, "bodies", 0, "verdict"), "fine"),
        (("files", 0, "bodies", 0, "margin"), "2"),
        (("files", 0, "bodies", 0, "com"), [0, 0]),
        (("files", 0, "bodies", 0, "mass"), "2"),
        (("files", 0, "bodies", 0, "inertia"), {"ixx": 1}),
        (("files", 0, "findings", 0, "code"), "E301"),
        (("files", 0, "findings", 0, "line"), 0),
        (("files", 0, "findings", 0, "fix"), "maybe"),
        (("files", 0, "findings", 0, "severity"), "fatal"),
    ],
)
def test_the_schema_refuses(path, value):
    document = copy.deepcopy(parsed(hand_made.EVERYTHING))
    target = document
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    assert not VALIDATOR.is_valid(document)


def test_every_member_that_is_written_is_described():
    """A new member without a description would be free to change unseen."""
    document = parsed(hand_made.EVERYTHING, statistics=True)
    file = document["files"][0]
    definitions = SCHEMA["$defs"]
    assert document.keys() <= SCHEMA["properties"].keys()
    assert document["summary"].keys() == SCHEMA["properties"]["summary"]["properties"].keys()
    assert file.keys() == definitions["file"]["properties"].keys()
    assert file["bodies"][0].keys() <= definitions["body"]["properties"].keys()
    assert file["findings"][0].keys() == definitions["finding"]["properties"].keys()


def test_what_is_no_number_is_null():
    body = parsed(hand_made.EVERYTHING)["files"][0]["bodies"][2]
    assert body["mass"] is None
    assert body["com"] == [None, 0.0, 0.0]
    assert body["inertia"]["iyy"] is None
    assert body["margin"] is None


def test_numbers_keep_every_bit():
    body = parsed(hand_made.EVERYTHING)["files"][0]["bodies"][0]
    assert body["inertia"]["izz"] == hand_made.CONSISTENT.judgement.I_BBcm_B[5]
    assert body["equivalent_box"][0] == 0.5477225575051661


def test_counts_and_exit_code():
    summary = parsed(hand_made.EVERYTHING, exit_code=2)["summary"]
    assert summary == {
        "files": 2,
        "bodies": 3,
        "errors": 3,
        "warnings": 1,
        "notes": 1,
        "distinct_findings": 5,
        "suppressed": 2,
        "accepted": 1,
        "exit_code": 2,
    }


def test_entries_say_what_is_unusual_about_them():
    """A reader of the JSON could not find a number in an included file, or edit an expression."""
    findings = parsed(hand_made.EVERYTHING)["files"][0]["findings"]
    plain, computed = next(each["entries"] for each in findings if each["code"] == "IC301")
    place = {"line": 15, "column": 20, "end_line": 15, "end_column": 24}
    assert plain == {"name": "ixx", "text": "0.02", **place}
    assert computed["path"] == "robots/units.xacro"
    assert computed["computed"] is True
    assert computed["text"] == "${8 * unit}"


def test_statistics_only_when_asked():
    assert "statistics" not in parsed(hand_made.EVERYTHING)
    assert parsed(hand_made.EVERYTHING, statistics=True)["statistics"] == {
        "IC001": 1,
        "IC103": 1,
        "IC301": 1,
        "IC302": 1,
        "IC306": 1,
    }


def test_each_body_is_one_line():
    text = shown(hand_made.EVERYTHING)
    assert sum('"verdict"' in line for line in text.splitlines()) == 3


def test_failures_and_notes_are_told():
    assert parsed(hand_made.FAILED)["failures"] == ["absent.urdf: No such file or directory"]
    assert parsed(hand_made.EVERYTHING)["notes"] == ["skipped files of formats: 2 mjcf"]


def test_any_name_survives():

    from inertial_check.checking.report import FileReport, Report

    body = hand_made.CONSISTENT._replace(name='"\u2028\ud800é\n')
    report = Report((FileReport("\udce9.urdf", "urdf", "é", (body,), ()),))
    text = shown(report)
    assert text.isascii()
    assert json.loads(text)["files"][0]["bodies"][0]["name"] == body.name
