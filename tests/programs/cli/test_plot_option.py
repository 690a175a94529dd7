"""--plot of check, fix and project: a file by its suffix, or a refusal before the work."""

import shutil
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[3] / "data"
MAGIC = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG"}
COMMANDS = {
    "check": ["arm.urdf"],
    "fix": ["arm.urdf"],
    "project": ["tables/cad-export.csv", "--about", "com"],
}


@pytest.fixture(autouse=True)
def beside_data(tmp_path, monkeypatch):
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("command", "suffix"), [("check", ".svg"), ("fix", ".pdf"), ("project", ".png")]
)
def test_the_suffix_decides_the_format_and_nothing_else_changes(run, command, suffix):
    pytest.importorskip(
        "matplotlib", reason='needs matplotlib: pip install "inertial-check[report]"'
    )
    plain = run(command, *COMMANDS[command])
    plotted = run(command, *COMMANDS[command], "--plot", f"out{suffix}")
    assert plotted == plain
    assert Path(f"out{suffix}").read_bytes().startswith(MAGIC[suffix])
    assert not list(Path().glob(".*.tmp"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_suffix_without_a_format_is_refused_before_the_work(run, command):
    code, out, err = run(command, *COMMANDS[command], "--plot", "out.gif")
    assert (code, out) == (2, "")
    assert "out.gif: the format of a plot is that of its suffix, expected .pdf, .svg or .png" in err


def test_no_plot_is_written_over_a_model(run):
    shutil.copy("arm.urdf", "arm.svg")
    before = Path("arm.svg").read_bytes()
    code, _, err = run("check", "arm.urdf", "arm.svg", "--plot", "arm.svg")
    assert code == 2
    assert "--plot would be written over arm.svg" in err
    assert Path("arm.svg").read_bytes() == before


def test_a_missing_library_is_one_line(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("check", "arm.urdf", "--plot", "out.svg")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        'inertial-check: error: plots need matplotlib: pip install "inertial-check[report]"'
    ]
