import re
from urllib.parse import unquote

import pytest

import hand_made_reports as hand_made
from inertial_check.checking.report import FileReport, Report
from inertial_check.reports import View, render

COMMAND = re.compile(r"::(error|warning|notice) ?([^:\n]*)::(.*)")


def shown(report, **view):
    return render(report, "github", View(exit_code=1, **view))


def commands(report):
    """Commands as the runner reads them: kind, properties, message."""
    found = []
    for line in shown(report, summary=False).splitlines():
        kind, properties, message = COMMAND.fullmatch(line).groups()
        pairs = dict(pair.split("=", 1) for pair in properties.split(","))
        found.append((kind, {k: unquote(v) for k, v in pairs.items()}, unquote(message)))
    return found


def test_several_lines_have_no_columns():
    """GitHub drops an annotation's columns where it spans lines, and says so in the log."""
    place = hand_made.MISSING.place._replace(end_line=30)
    finding = hand_made.MISSING._replace(place=place)
    ((_, properties, _),) = commands(Report((FileReport("a", "urdf", "a", (), (finding,)),)))
    assert properties.keys() == {"file", "line", "endLine", "title"}


def test_the_summary_says_what_is_not_shown():
    file = FileReport("a", "urdf", "a", (), (hand_made.TRIANGLE,) * 14 + (hand_made.PLATE,) * 11)
    text = shown(Report((file,)))
    assert text.count("::error") == 14
    assert text.splitlines()[-1] == (
        "Checked 0 bodies in 1 file: 14 errors, 11 notes. GitHub shows 10 annotations of a kind "
        "for a step: 4 errors, 1 notice stand only in this log."
    )


def test_a_failure_is_an_error():
    text = shown(hand_made.FAILED)
    assert "::error title=inertial-check::absent.urdf: No such file or directory\n" in text


def test_the_path_is_the_one_of_the_repository():
    file = hand_made.ARM._replace(path="./robots/../robots/arm.urdf")
    assert commands(Report((file,)))[0][1]["file"] == "robots/arm.urdf"


@pytest.mark.parametrize("name", [hand_made.WICKED, "x" * 1_000_000, "a,b:c%0A::stop"])
def test_no_name_gives_a_command(name):
    found = commands(hand_made.named(name))
    assert [kind for kind, _, _ in found] == ["error"] * 3
    assert all(
        properties.keys() <= {"file", "line", "endLine", "col", "endColumn", "title"}
        for _, properties, _ in found
    )
    lines = shown(hand_made.named(name)).splitlines()
    assert sum(line.startswith("::") for line in lines) == 3
