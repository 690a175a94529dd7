import json

import jsonschema
import pytest

import hand_made_reports as hand_made
from inertial_check.checking.report import FileReport, Report
from inertial_check.reports import View, render

SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./|/)"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {
                            "begin": {"type": "integer", "minimum": 1},
                            "end": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            },
        },
    },
}
"""What GitLab's documentation of Code Quality asks of a report, written down as a schema."""


def shown(report):
    return render(report, "gitlab", View(exit_code=1))


def issues(report):
    found = json.loads(shown(report))
    jsonschema.validate(found, SCHEMA)
    return found


@pytest.mark.parametrize("name", ["EVERYTHING", "CLEAN", "FAILED", "EMPTY"])
def test_reports_are_what_gitlab_asks_for(name):
    issues(getattr(hand_made, name))


def test_a_failure_leaves_the_report_not_empty():
    (issue,) = issues(hand_made.FAILED)
    assert issue["severity"] == "blocker"
    assert issue["description"] == "absent.urdf: No such file or directory"


def test_no_two_issues_are_one():
    file = FileReport("a", "urdf", "a", (), (hand_made.BROKEN, hand_made.BROKEN))
    prints = [issue["fingerprint"] for issue in issues(Report((file, hand_made.ARM)))]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize("name", [hand_made.WICKED, "x" * 1_000_000])
def test_any_name_gives_json(name):
    text = shown(hand_made.named(name))
    assert text.isascii()
    assert len(issues(hand_made.named(name))) == 3
    assert max(len(issue["description"]) for issue in json.loads(text)) < 10_000_000
