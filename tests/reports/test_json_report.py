"""The JSON report of a check, whole and by lines, against the schema that is published."""

import json
from importlib.resources import files

import jsonschema
import pytest

import hand_made_reports as hand_made
import inertial_check as ic
from inertial_check.checking.report import FileReport, Report
from inertial_check.reports import View, render
from single_links import diagonal, urdf

SCHEMA = json.loads(
    files("inertial_check.reports").joinpath("check.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
LINE = jsonschema.Draft202012Validator(
    {key: value for key, value in SCHEMA.items() if key not in ("type", "required")}
    | {"$ref": "#/$defs/line"}
)
EVERY_REPORT = [
    pytest.param(getattr(hand_made, name), statistics, id=f"{name}-{statistics}")
    for name in ("EVERYTHING", "CLEAN", "FAILED", "EMPTY")
    for statistics in (False, True)
]


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def parsed(report, **view):
    return json.loads(render(report, "json", View(1, **view)), parse_constant=refuse)


def lines(report, **view):
    return [json.loads(line) for line in render(report, "jsonl", View(1, **view)).splitlines()]


@pytest.mark.parametrize(("report", "statistics"), EVERY_REPORT)
def test_reports_and_their_lines_satisfy_the_schema(report, statistics):
    VALIDATOR.validate(parsed(report, statistics=statistics))
    for line in lines(report, statistics=statistics):
        LINE.validate(line)


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
    document = target = parsed(hand_made.EVERYTHING)
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize("wrong", [{"type": "body"}, {"schema_version": 1}, {"bodies": 3}])
def test_the_schema_refuses_a_line(wrong):
    assert not LINE.is_valid(lines(hand_made.EVERYTHING)[0] | wrong)


def test_every_member_that_is_written_is_described():
    """A new member without a description would be free to change unseen."""
    document = parsed(hand_made.EVERYTHING, statistics=True)
    file = document["files"][0]
    definitions = SCHEMA["$defs"]
    assert document.keys() <= SCHEMA["properties"].keys()
    assert document["summary"].keys() == SCHEMA["properties"]["summary"]["properties"].keys()
    assert file.keys() <= definitions["file"]["properties"].keys()
    assert file["bodies"][0].keys() <= definitions["body"]["properties"].keys()
    assert file["findings"][0].keys() == definitions["finding"]["properties"].keys()


@pytest.mark.parametrize("statistics", [False, True])
def test_the_lines_together_are_the_json_report(statistics):
    *found, summary = lines(hand_made.EVERYTHING, statistics=statistics)
    assert [line.pop("type") for line in found] == ["file"] * len(found)
    assert summary.pop("type") == "summary"
    for line in found:
        assert line.pop("schema_version") == "1"
    assert {**summary, "files": found} == parsed(hand_made.EVERYTHING, statistics=statistics)


def test_the_moments_of_a_needle_are_the_printed_numbers():
    report = ic.check_model(urdf(diagonal(6, 1, 1e-12, 1)).encode())
    (body,) = [each for each in parsed(report)["files"][0]["bodies"] if each["mass"] == 6]
    assert body["principal_moments"] == [1e-12, 1, 1]
    assert body["equivalent_box"][:2] == pytest.approx([1e-6, 1e-6], rel=1e-15)


def test_any_name_survives():
    body = hand_made.CONSISTENT._replace(name='"\u2028\ud800é\n')
    report = Report((FileReport("\udce9.urdf", "urdf", "é", (body,), ()),))
    text = render(report, "json", View(1))
    assert text.isascii()
    assert json.loads(text)["files"][0]["bodies"][0]["name"] == body.name
    text = render(hand_made.named(hand_made.WICKED), "jsonl", View(1))
    assert text.isascii()
    assert len(text.splitlines()) == 2
    assert json.loads(text.splitlines()[0])["bodies"][0]["name"] == hand_made.WICKED
