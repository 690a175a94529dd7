import json

import pytest

from inertial_check.checking.causes.base import HEADINGS
from inertial_check.checking.causes.catalogue import ALL_CAUSES
from inertial_check.checking.pages import cause_page, rule_page
from inertial_check.checking.rules.catalogue import ALL_RULES


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)
def test_every_rule_has_its_page(run, rule):
    assert run("explain", rule.code) == (0, rule_page(rule), "")
    assert run("explain", rule.name) == (0, rule_page(rule), "")


def test_codes_in_any_case(run):
    assert run("explain", "ic301") == run("explain", "IC301")


def test_json(run):
    code, out, _ = run("explain", "IC301", "--output-format", "json")
    rule = json.loads(out)
    assert code == 0
    assert (rule["code"], rule["name"]) == ("IC301", "triangle-inequality-violation")
    assert rule["severity"] == "error"


@pytest.mark.parametrize("cause", ALL_CAUSES, ids=lambda cause: cause.name)
def test_every_cause_has_its_page(run, cause):
    assert run("explain", cause.name) == (0, cause_page(cause), "")
    assert run("explain", cause.name.upper()) == run("explain", cause.name)
    listed = json.loads(run("explain", cause.name, "--output-format", "json")[1])
    assert listed["cause"] == cause.name
    assert tuple(listed["explanation"]) == HEADINGS


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ("decimal-slpi", "did you mean 'decimal-slip'?"),
        ("double-paralel-axis", "did you mean 'double-parallel-axis'?"),
        ("triangle-inequality-violatoin", "did you mean 'triangle-inequality-violation'?"),
        ("whatever", "`inertial-check rules` lists them"),
        ("IC3", "more than one rule"),
        ("ALL", "more than one rule"),
    ],
)
def test_what_is_no_rule_and_no_cause(run, wanted, answer):
    code, out, err = run("explain", wanted)
    assert (code, out) == (2, "")
    assert answer in err
    assert len(err.splitlines()) == 1


def test_rules_lists_every_rule_in_order(run):
    code, out, _ = run("rules")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [rule.code for rule in ALL_RULES]
    assert [line.split()[1] for line in out.splitlines()] == [
        rule.severity.word for rule in ALL_RULES
    ]
    listed = json.loads(run("rules", "--output-format", "json")[1])
    assert [rule["code"] for rule in listed] == [rule.code for rule in ALL_RULES]
