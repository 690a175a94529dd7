import pytest

import hand_made_reports as hand_made
from inertial_check.model import FileReport, Report
from inertial_check.reports import View, render


def shown(report, **view):
    return render(report, "full", View(exit_code=0, **view))


def report_of(*findings):
    return Report((FileReport("a.urdf", "urdf", "a", (), findings),))


def test_everything(golden):
    golden("reports/full.txt", shown(hand_made.EVERYTHING))


def test_colours(golden):
    golden("reports/full-colour.txt", shown(hand_made.EVERYTHING, color=True))


def test_statistics_come_before_the_summary(golden):
    golden("reports/full-statistics.txt", shown(hand_made.EVERYTHING, statistics=True))


def test_a_clean_run_says_what_it_looked_at():
    assert shown(hand_made.CLEAN) == "Checked 1 body in 1 file: no findings.\n"


def test_quiet_without_findings_is_silent():
    assert shown(hand_made.CLEAN, summary=False) == ""


def test_colour_only_adds_escapes():
    import re

    coloured = shown(hand_made.EVERYTHING, color=True)
    plain = shown(hand_made.EVERYTHING)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_a_name_cannot_command_the_terminal():
    wicked = hand_made.MISSING._replace(body="\x1b[2Jgone\n\u202e", message="tab\there")
    text = shown(report_of(wicked), summary=False)
    assert text.splitlines()[0].endswith(r"[\x1b[2Jgone\n\u202e]")
    assert text.splitlines()[1] == r"  tab\there"
    assert len(text.splitlines()) == 2


def test_undecodable_path_can_be_encoded():
    name = b"caf\xe9.urdf".decode("utf-8", "surrogateescape")
    text = shown(Report((FileReport(name, "urdf", "a", (), (hand_made.TRIANGLE,)),)))
    assert r"caf\udce9.urdf:15:20" in text.encode("utf-8").decode()


def test_the_fix_can_be_pasted_into_a_shell():
    import shlex

    line = next(line for line in shown(hand_made.EVERYTHING).splitlines() if "--unsafe" in line)
    command = line.split(maxsplit=1)[1]
    assert shlex.split(command) == ["inertial-check", "fix", "--unsafe", "robots/arm one.urdf"]


@pytest.mark.parametrize("key", sorted(hand_made.TRIANGLE.values))
def test_any_value_may_be_absent(key):
    values = {name: value for name, value in hand_made.TRIANGLE.values.items() if name != key}
    assert "IC301" in shown(report_of(hand_made.TRIANGLE._replace(values=values)))


def test_a_body_at_the_boundary_is_not_told_to_change():
    assert "admissible" not in shown(report_of(hand_made.PLATE))
