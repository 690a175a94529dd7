import hand_made_reports as hand_made
from inertial_check.checking.report import FileReport, Report
from inertial_check.reports import View, render


def shown(report, **view):
    return render(report, "concise", View(exit_code=0, **view))


def test_everything(golden):
    golden("reports/concise.txt", shown(hand_made.EVERYTHING))


def test_statistics_follow(golden):
    golden("reports/concise-statistics.txt", shown(hand_made.EVERYTHING, statistics=True))


def test_a_clean_run_says_what_it_looked_at():
    assert shown(hand_made.CLEAN) == "Checked 1 body in 1 file: no findings.\n"
    assert shown(hand_made.CLEAN, summary=False) == ""


def test_no_findings_is_not_said_beside_a_failure():
    text = shown(hand_made.FAILED)
    assert "no findings" not in text
    assert text.endswith("1 failure: not everything could be checked.\n")


def test_one_line_a_finding_whatever_the_names_hold():
    wicked = hand_made.MISSING._replace(body="a\nb", message="c\rd\u2028e")
    report = Report((FileReport("x\ny.urdf", "urdf", "a", (), (wicked, wicked)),))
    assert len(shown(report, summary=False).splitlines()) == 2
