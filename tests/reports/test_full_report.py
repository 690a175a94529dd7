"""The full form with all details of each finding, as --verbose shows it."""

import pytest

import hand_made_reports as hand_made
from inertial_check.checking.report import FileReport, Report
from inertial_check.reports import View, render


def shown(report, **view):
    return render(report, "full", View(exit_code=0, verbose=True, **view))


def report_of(*findings):
    return Report((FileReport("a.urdf", "urdf", "a", (), findings),))


def test_undecodable_path_can_be_encoded():
    name = b"caf\xe9.urdf".decode("utf-8", "surrogateescape")
    text = shown(Report((FileReport(name, "urdf", "a", (), (hand_made.TRIANGLE,)),)))
    assert r"caf\udce9.urdf:15:20" in text.encode("utf-8").decode()


def test_a_body_whose_name_repeats_goes_by_its_id():
    twin = hand_made.CONSISTENT._replace(name="forearm")
    mended = hand_made.remedy_of(hand_made.TRIANGLE)
    file = hand_made.ARM._replace(bodies=(twin, hand_made.INCONSISTENT), findings=(mended,))
    assert "--body '/robot/link[2]' " in shown(Report((file,)))


def test_a_name_that_no_shell_line_can_hold_is_not_offered():
    name = "x" * 1_000_000
    assert "--body" not in shown(hand_made.named(name))
    assert "--unsafe --body" in shown(hand_made.named("x" * 200))


@pytest.mark.parametrize("color", [False, True])
def test_hostile_names_stay_on_their_lines(color):
    plain = shown(hand_made.named("name"), color=color)
    wicked = shown(hand_made.named(hand_made.WICKED), color=color)
    assert len(wicked.splitlines()) == len(plain.splitlines())
    assert not set(wicked) & set("\x00\u202e\ud800\udce9")
    assert ("\x1b" in wicked) is color
    assert "\x1b[2J" not in wicked


@pytest.mark.parametrize("key", sorted(hand_made.TRIANGLE.values))
def test_any_value_may_be_absent(key):
    values = {name: value for name, value in hand_made.TRIANGLE.values.items() if name != key}
    assert "IC301" in shown(report_of(hand_made.TRIANGLE._replace(values=values)))


def test_a_body_at_the_boundary_is_not_told_to_change():
    assert "admissible" not in shown(report_of(hand_made.PLATE))
