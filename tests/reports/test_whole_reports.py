"""Reports written by hand, in every form, from the first byte to the last."""

import re

import pytest

import hand_made_reports as hand_made
import inertial_check
from inertial_check.checking.report import FileReport, Report
from inertial_check.reports import View, render


@pytest.mark.parametrize(
    ("name", "form", "view"),
    [
        ("concise.txt", "concise", {}),
        ("concise-statistics.txt", "concise", {"statistics": True}),
        ("full.txt", "full", {"verbose": True}),
        ("full-colour.txt", "full", {"verbose": True, "color": True}),
        ("full-statistics.txt", "full", {"verbose": True, "statistics": True}),
        ("grouped.txt", "full", {}),
        ("grouped-colour.txt", "full", {"color": True}),
        ("check.json", "json", {}),
        ("check.junit.xml", "junit", {}),
        ("check.md", "markdown", {"statistics": True}),
        ("github.txt", "github", {"statistics": True}),
        ("gitlab.json", "gitlab", {}),
    ],
)
def test_everything(golden, name, form, view):
    text = render(hand_made.EVERYTHING, form, View(exit_code=1, **view))
    golden(f"reports/{name}", text.replace(f'"{inertial_check.__version__}"', '"VERSION"', 1))


@pytest.mark.parametrize("verbose", [False, True])
def test_colour_only_adds_escapes(verbose):
    plain, coloured = (
        render(hand_made.EVERYTHING, "full", View(1, verbose=verbose, color=color))
        for color in (False, True)
    )
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain != coloured


@pytest.mark.parametrize(("form", "verbose"), [("concise", False), ("full", False), ("full", True)])
def test_a_clean_run_says_what_it_looked_at(form, verbose):
    loud, quiet = (View(0, verbose=verbose, summary=summary) for summary in (True, False))
    assert render(hand_made.CLEAN, form, loud) == "Checked 1 body in 1 file: no findings.\n"
    assert render(hand_made.CLEAN, form, quiet) == ""


@pytest.mark.parametrize("report", [hand_made.FAILED, Report((), ("a: no such file",))])
@pytest.mark.parametrize("form", ["full", "concise", "markdown", "github"])
def test_no_findings_is_never_said_beside_a_failure(report, form):
    text = render(report, form, View(exit_code=2))
    assert "no findings" not in text
    assert "no findings" in render(hand_made.CLEAN, form, View(exit_code=0))
    assert form != "concise" or text.endswith("1 failure: not everything could be checked.\n")


def test_a_concise_finding_is_one_line_whatever_the_names_hold():
    wicked = hand_made.MISSING._replace(body="a\nb", message="c\rd\u2028e")
    report = Report((FileReport("x\ny.urdf", "urdf", "a", (), (wicked, wicked)),))
    assert len(render(report, "concise", View(exit_code=1, summary=False)).splitlines()) == 2
