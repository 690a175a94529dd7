"""The skill for agents: each of its commands runs, and says what the page says it does."""

import re
import shlex
import sys
from pathlib import Path

import inertial_check.programs
from processes import captured

SKILL = Path(inertial_check.programs.__file__).with_name("SKILL.md")
COMMAND = re.compile(r"^\s*inertial-check (.+)$", re.MULTILINE)
CODES = {"check": {0, 1}, "explain": {0}, "fix": {0, 1}, "diff": {0, 1}, "rules": {0}}


def test_each_command_runs(tmp_path, project_root):
    text = SKILL.read_text(encoding="utf-8")
    robot = tmp_path / "robot.urdf"
    robot.write_bytes((project_root / "data" / "arm.urdf").read_bytes())
    (tmp_path / "converted.xml").write_bytes(
        (project_root / "data" / "diff" / "gripper.xml").read_bytes()
    )
    commands = [shlex.split(line) for line in COMMAND.findall(text)]
    assert {command[0] for command in commands} == set(CODES)
    for command in commands:
        done = captured([sys.executable, "-m", "inertial_check", *command], cwd=tmp_path)
        assert done.returncode in CODES[command[0]], (command, done.stderr)
        assert done.stdout or done.stderr


def test_it_says_units_frames_and_points_and_what_never_to_do():
    text = SKILL.read_text(encoding="utf-8")
    assert text.startswith("---\nname: inertial-check\ndescription: ")
    for word in ("kg m^2", "about the centre of mass", "in the axes of the body", "--unsafe"):
        assert word in text


def test_the_tools_say_units_frames_and_points():
    from inertial_check.programs.mcp import Tools

    for tool in (Tools.check, Tools.report, Tools.fix):
        assert "kg m^2" in tool.__doc__
        assert "centre of mass" in tool.__doc__
