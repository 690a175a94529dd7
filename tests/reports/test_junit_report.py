from xml.etree import ElementTree

import junitparser
import pytest

import hand_made_reports as hand_made
from inertial_check.checking.report import Severity
from inertial_check.reports import View, render


def shown(report, **view):
    return render(report, "junit", View(exit_code=1, **view))


def parsed(report, **view):
    return junitparser.JUnitXml.fromroot(ElementTree.fromstring(shown(report, **view)))


def cases(report, **view):
    return {(case.classname, case.name): case for suite in parsed(report, **view) for case in suite}


@pytest.mark.parametrize(
    ("fail_on", "failing"),
    [
        (Severity.ERROR, {"forearm", "(document)"}),
        (Severity.WARNING, {"forearm", "tool", "(document)"}),
        (Severity.NOTE, {"base", "forearm", "tool", "(document)"}),
        (None, set()),
    ],
)
def test_what_fails_the_run_fails_its_case(fail_on, failing):
    found = cases(hand_made.EVERYTHING, fail_on=fail_on)
    broken = {name for (_, name), case in found.items() if case.result}
    assert broken == failing
    document = parsed(hand_made.EVERYTHING, fail_on=fail_on)
    assert document.failures == sum(suite.failures for suite in document)
    assert document.failures == len([case for case in found.values() if case.result])
    assert document.tests == len(found)


def test_what_could_not_be_done_is_an_error():
    document = parsed(hand_made.FAILED)
    assert document.errors == 1
    case = cases(hand_made.FAILED)["(run)", "failure 1"]
    assert case.result[0].message == "absent.urdf: No such file or directory"


def test_nothing_is_an_empty_report():
    assert parsed(hand_made.EMPTY).tests == 0


def test_statistics():
    root = ElementTree.fromstring(shown(hand_made.EVERYTHING, statistics=True))
    assert "1  IC301 triangle-inequality-violation\n" in root.find("system-out").text


def test_bodies_of_one_name_are_told_apart():
    twin = hand_made.CONSISTENT._replace(name="forearm")
    file = hand_made.ARM._replace(bodies=(twin, hand_made.INCONSISTENT), findings=())
    report = hand_made.Report((file,))
    assert [case.name for suite in parsed(report) for case in suite] == [
        "(document)", "forearm /robot/link[1]", "forearm /robot/link[2]"
    ]  # fmt: skip


@pytest.mark.parametrize("name", [hand_made.WICKED, "x" * 1_000_000, ""])
def test_any_name_gives_xml(name):
    text = shown(hand_made.named(name))
    assert text.isascii()
    assert len(text) < 500_000
    assert len(list(parsed(hand_made.named(name)))) == 2
