"""badge: an SVG image that states how a run ended."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import hand_made_reports as hand_made
from inertial_check.checking.report import Report
from inertial_check.programs.cli.main import main
from inertial_check.reports import View, render

SVG = "{http://www.w3.org/2000/svg}"


def read_text(badge):
    root = ET.fromstring(badge)
    assert [each.tag for each in root.iter() if each.tag == f"{SVG}script"] == []
    left, right = (each.text for each in root.iter(f"{SVG}text"))
    assert root.get("aria-label") == f"{left}: {right}"
    return right


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("data/arm.urdf",), "2 errors"),
        (("data/arm.urdf", "--select", "IC305,IC103"), "2 warnings"),
        (("data/valid/rod.urdf",), "no errors in 2 bodies"),
    ],
)
def test_the_badge_says_what_the_run_found(
    project_root, tmp_path, monkeypatch, arguments, expected
):
    monkeypatch.chdir(project_root)
    target = tmp_path / "badge.svg"
    page = tmp_path / "report.html"
    assert main(["report", *arguments, "-o", str(page), "-q", "--badge", str(target)]) == 0
    assert read_text(target.read_text(encoding="utf-8")) == expected


def test_names_of_a_document_never_reach_the_badge():
    badge = render(hand_made.EVERYTHING, "badge", View(1))
    assert "error" in read_text(badge)
    assert "script" not in badge


def test_a_run_that_could_not_check_everything_is_not_green():
    report = Report((), failures=("a.urdf: cannot be read",))
    assert read_text(render(report, "badge", View(2))) == "not everything checked"
    assert read_text(render(replace(report, failures=()), "badge", View(0))) == "no bodies"


def test_another_file_is_not_replaced(project_root, tmp_path, capsys):
    model = tmp_path / "arm.urdf"
    model.write_bytes((project_root / "data" / "arm.urdf").read_bytes())
    other = tmp_path / "notes.txt"
    other.write_text("keep me")
    arguments = ["report", str(model), "-o", str(tmp_path / "r.html"), "--badge", str(other)]
    assert main(arguments) == 2
    assert "is no SVG image, so it is not replaced" in capsys.readouterr().err
    assert other.read_text() == "keep me"
