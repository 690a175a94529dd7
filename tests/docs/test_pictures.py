"""The pictures of the pages show what their commands draw, and what the rules say."""

import math
import platform
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from inertial_check.checking import limits

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "overview.svg"
VERSION = re.compile(r"Matplotlib v([^,]*),")


def draw_overview(path: Path) -> str:
    command = [sys.executable, "-m", "inertial_check", "check", "data/arm.urdf", "--plot", path]
    subprocess.run([*command, "-q"], cwd=ROOT, capture_output=True, check=False)
    return path.read_text(encoding="utf-8")


def test_the_overview_is_what_the_command_draws(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    pytest.importorskip("matplotlib", reason="pip install 'inertial-check[report]'")
    drawn = draw_overview(tmp_path / "overview.svg")
    if request.config.getoption("--update-golden"):
        PICTURE.write_text(drawn, encoding="utf-8", newline="\n")
    shown = PICTURE.read_text(encoding="utf-8")
    # A comment stands before each text, which is drawn as outlines: bodies, axes and numbers.
    labels = re.compile(r"<!-- (.*?) -->")
    assert labels.findall(shown) == labels.findall(drawn)
    assert "forearm" in labels.findall(shown)
    # Other versions of Matplotlib, and other processors, place the outlines a little differently.
    same_processor = (platform.system(), platform.machine()) == ("Linux", "x86_64")
    if VERSION.findall(shown) == VERSION.findall(drawn) and same_processor:
        assert shown == drawn


def test_twenty_five_pictures_stand_on_pages_and_diagrams_follow_the_scheme() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"[\w-]+\.(?:svg|png)", page.read_text(encoding="utf-8"))
    }
    found = [*(ROOT / "docs").rglob("*.svg"), *(ROOT / "docs").rglob("*.png")]
    files = {path.name for path in found}
    assert len(shown & files) >= 25
    assert files <= shown
    script = (ROOT / "docs" / "generate_diagrams.py").read_text(encoding="utf-8")
    names = re.findall(r'"([\w-]+)": \w+', script.partition("DIAGRAMS: ")[2].partition("}")[0])
    diagrams = {path.stem: path for path in (ROOT / "docs" / "diagrams").glob("*.svg")}
    assert sorted(names) == sorted(diagrams)
    for path in diagrams.values():
        text = path.read_text(encoding="utf-8")
        assert "prefers-color-scheme:dark" in text
        assert len(text) < 60_000


def test_the_picture_of_the_votes_agrees_with_the_rule_and_with_itself() -> None:
    """The bug: a rule that changed, or a count that was edited, beside an old picture."""
    text = (ROOT / "docs" / "votes.svg").read_text(encoding="utf-8")
    places = dict(
        re.findall(r'<text x="([\d.]+)" y="228" text-anchor="middle">([\d/]+)</text>', text)
    )
    ticks = sorted((float(x), math.log(Fraction(times))) for x, times in places.items())
    (zero,) = (x for x, log in ticks if log == 0)
    octave = (ticks[-1][0] - zero) / ticks[-1][1]
    # The fields begin where a reading fits as many times better as a vote needs.
    fields = re.findall(r'<rect x="([\d.]+)" y="30" width="([\d.]+)"', text)
    edge = math.log(limits.GAIN) * octave
    assert [float(fields[0][0]) + float(fields[0][1]), float(fields[1][0])] == pytest.approx(
        [zero - edge, zero + edge]
    )
    rows = re.split(r"<text [^>]*font-weight", text)[1:]
    assert len(rows) == 2
    for row in rows:
        said = re.search(r"(\d+) for, (\d+) against", row)
        assert said is not None
        dots = [
            (float(x), color)
            for x, color in re.findall(r'<circle cx="([\d.]+)"[^>]*fill="(#\w+)"', row)
        ]
        pro = [color for x, color in dots if x >= zero + edge]
        contra = [color for x, color in dots if x <= zero - edge]
        assert (len(pro), len(contra)) == (int(said[1]), int(said[2]))
        assert {*pro, *contra} <= {"#b91c1c", "#1d4ed8"}
        found = len(pro) >= limits.VOTES and len(pro) >= 2 * len(contra)
        assert found == ("one finding" in row)
