"""The plot that docs/plots.md shows is the one that its command draws."""

import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
