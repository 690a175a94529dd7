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
REPORTS = ["EVERYTHING", "CLEAN", "FAILED", "EMPTY"]


def validator(definition):
    schema = {**SCHEMA, "$ref": f"#/$defs/{definition}"}
    for key in ("type", "required"):
        del schema[key]
    return jsonschema.Draft202012Validator(schema)


def shown(report, **view):
    return render(report, "jsonl", View(exit_code=1, **view))


def lines(report, **view):
    return [json.loads(line) for line in shown(report, **view).splitlines()]


def test_everything(golden):
    text = shown(hand_made.EVERYTHING)
    golden("reports/check.jsonl", text.replace(f'"{inertial_check.__version__}"', '"VERSION"', 1))


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("statistics", [False, True])
def test_every_line_satisfies_the_schema(name, statistics):
    for line in lines(getattr(hand_made, name), statistics=statistics):
        validator("line").validate(line)


@pytest.mark.parametrize("wrong", [{"type": "body"}, {"schema_version": 1}, {"bodies": 3}])
def test_the_schema_refuses(wrong):
    line = lines(hand_made.EVERYTHING)[0]
    assert not validator("line").is_valid(line | wrong)


@pytest.mark.parametrize("statistics", [False, True])
def test_the_lines_together_are_the_json_report(statistics):
    view = View(exit_code=1, statistics=statistics)
    whole = json.loads(render(hand_made.EVERYTHING, "json", view))
    *found, summary = lines(hand_made.EVERYTHING, statistics=statistics)
    assert [line.pop("type") for line in found] == ["file"] * len(found)
    assert summary.pop("type") == "summary"
    for line in found:
        assert line.pop("schema_version") == "1"
    assert {**summary, "files": found} == whole


def test_any_name_survives():
    text = shown(hand_made.named(hand_made.WICKED))
    assert text.isascii()
    assert len(text.splitlines()) == 2
    assert json.loads(text.splitlines()[0])["bodies"][0]["name"] == hand_made.WICKED
