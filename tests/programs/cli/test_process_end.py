"""The process ends with the exit code of its command, and after all of its report."""

import json
import sys

import pytest

from inertial_check.programs.cli import main
from processes import captured

MODEL = """<robot name="r">{}</robot>"""
BODY = """<link name="a{}"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.4"/></inertial></link>
<joint name="j{}" type="fixed"><parent link="a0"/><child link="a{}"/></joint>"""


@pytest.fixture(autouse=True)
def bad(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    links = [BODY.format(number, number, number) for number in range(60)]
    links[0] = links[0].partition("<joint")[0]
    (tmp_path / "bad.urdf").write_text(MODEL.format("\n".join(links)))


def run_program(code, *arguments):
    """Run a program that calls the entry point as a console script does."""
    door = "from inertial_check.programs.cli.main import entry_point"
    program = f"import sys\n{code}\n{door}\nentry_point()"
    return captured([sys.executable, "-c", program, *arguments])


def test_all_of_a_report_that_a_pipe_cannot_hold_arrives():
    """A pipe holds 64 KiB: the rest is written while the reader reads."""
    done = run_program("", "bad.urdf", "--output-format", "json")
    assert len(done.stdout) > 1 << 17
    assert json.loads(done.stdout)["summary"]["exit_code"] == done.returncode == 1


def test_a_program_that_calls_the_entry_point_goes_on(monkeypatch):
    for name in ("handle_signals", "ignore_signals"):
        monkeypatch.setattr(main, name, lambda: None)
    monkeypatch.setattr(sys, "argv", ["inertial-check", "bad.urdf", "-q"])
    with pytest.raises(SystemExit) as ending:
        main.entry_point()
    assert ending.value.code == 1
