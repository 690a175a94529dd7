"""Commands for bodies of files that lie beside the folder of the model that includes them."""

import shlex

import pytest

from inertial_check.programs.cli.main import main

PART = """<sdf version="1.6"><model name="part"><link name="box"><inertial><mass>1.2</mass>
<inertia><ixx>0.00101234</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.00101278</iyy><iyz>0</iyz><izz>0.00204128</izz></inertia>
</inertial></link></model></sdf>
"""
ROBOT = """<sdf version="1.6"><model name="robot"><include><uri>{uri}</uri></include></model></sdf>
"""
CONFIG = "<model><name>{0}</name><sdf version='1.6'>model.sdf</sdf></model>"


@pytest.mark.parametrize(("uri", "beyond"), [("model://part", True), ("part.sdf", False)])
def test_the_command_of_an_included_file_is_carried_out(tmp_path, monkeypatch, capsys, uri, beyond):
    """The bug: a command that refuses what it was printed for."""
    (tmp_path / ".git").mkdir()
    for name in ("robot", "part"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.config").write_text(CONFIG.format(name))
    (tmp_path / "robot" / "model.sdf").write_text(ROBOT.format(uri=uri))
    for folder in ("robot/part.sdf", "part/model.sdf"):
        (tmp_path / folder).write_text(PART)
    monkeypatch.chdir(tmp_path)
    arguments = ["--isolated", "--no-cache", "--package-path", f"part={tmp_path / 'part'}"]
    main(["check", *arguments, "robot/model.sdf"])
    printed = capsys.readouterr().out
    (command,) = {
        line.split(": ", 1)[1].strip()
        for line in printed.replace(" \\\n       ", " ").splitlines()
        if line.lstrip().startswith("fix: inertial-check fix")
    }
    assert ("--follow-outside" in command) == beyond
    assert main([*shlex.split(command)[1:], "--write"]) == 0
    assert main(["check", *arguments, "--fail-on", "warning", "robot/model.sdf"]) == 0
