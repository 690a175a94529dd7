"""The help of a command: examples, the options most people need, and with `all` the rest."""

import re
import shlex
from pathlib import Path

import pytest

from inertial_check.errors import UsageError
from inertial_check.programs.cli.commands import COMMANDS, WITHDRAWN, build_parser
from inertial_check.programs.cli.main import main

SHORT = [name for name, entry in COMMANDS.items() if entry.options]


@pytest.mark.parametrize("name", SHORT)
def test_a_short_help_has_three_examples_and_at_most_ten_options(name, capsys):
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    examples = re.findall(rf"^  (inertial-check {name} .*?) +# (.+)$", text, re.MULTILINE)
    assert len(examples) == 3
    parser = build_parser(name)
    for command, _ in examples:
        parser.parse_intermixed_args(shlex.split(command)[2:])
    listed = re.findall(r"^  (-[^ ]+)", text, re.MULTILINE)
    assert len(listed) <= 10
    assert len(listed) == len(COMMANDS[name].options)
    assert f"{name} --help all` lists all" in text


@pytest.mark.parametrize("name", SHORT)
def test_all_lists_every_option(name, capsys):
    assert main([name, "--help", "all"]) == 0
    text = capsys.readouterr().out
    for option in build_parser(name)._option_string_actions:
        assert option in text


@pytest.mark.parametrize(("name", "option"), WITHDRAWN)
def test_an_option_that_is_gone_names_what_replaces_it(name, option, capsys):
    assert option not in build_parser(name)._option_string_actions
    words = {"identify": ["--model", "r.urdf"], "project": ["--about", "com"]}.get(name, [])
    assert main([name, "file", *words, option, "1"]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert f"{option} is gone: {WITHDRAWN[name, option]}" in err
    listed = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"`{name} {option}`" in listed


def test_a_command_with_few_options_shows_all(capsys):
    assert main(["doctor", "-h"]) == 0
    assert "--color" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "meant"),
    [("robots/amr.urdf", "robots/arm.urdf"), ("robtos/arm.urdf", "robots/arm.urdf")],
)
def test_a_mistyped_path_gets_a_suggestion(path, meant, tmp_path, monkeypatch, capsys):
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").write_text("<robot name='a'><link name='b'/></robot>")
    monkeypatch.chdir(tmp_path)
    for command in ("check", "fix", "report"):
        assert main([command, path, "-q"]) == 2
        assert f"; did you mean {meant!r}?" in capsys.readouterr().err
    assert main(["check", "nothing/like/it", "-q"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_all_missing_arguments_of_a_template_are_told_in_one_run(tmp_path, capsys):
    pytest.importorskip("xacro", reason="xacro is not installed")
    path = tmp_path / "arm.xacro"
    path.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="$(arg name)"><link name="a">'
        '<inertial><mass value="$(arg mass)"/><origin xyz="0 0 $(arg height)"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>'
    )
    main(["check", str(path), "--output-format", "concise"])
    text = capsys.readouterr().out
    assert all(f"--xacro-arg {name}:=VALUE" in text for name in ("name", "mass", "height"))


def test_identify_tells_its_progress():
    from inertial_check.identification.command import identify_robot
    from inertial_check.programs.cli.identify import read_options

    words = ["data/recordings/train.csv", "--model", "data/recordings/arm.urdf"]
    seen = []
    args = build_parser("identify").parse_intermixed_args(words)
    identify_robot(read_options(args), lambda part, name: seen.append((part, name)))
    assert seen[0][1] == "reading recordings"
    assert [part for part, _ in seen] == sorted(part for part, _ in seen)
    assert len(seen) == 4


def test_an_unknown_word_of_help_is_refused():
    with pytest.raises(UsageError, match="--help"):
        build_parser("check").parse_args(["--help", "nothing"])
