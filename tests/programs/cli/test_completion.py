"""The scripts of --generate-completion complete what the parsers accept."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from inertial_check.programs.cli.commands import COMMANDS, SHELLS, build_parser

pytestmark = pytest.mark.skipif(os.name == "nt", reason="shells of POSIX")

_COMPLETE = """source {script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_shtab_inertial_check
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def script(run, tmp_path):
    def script(shell):
        code, out, err = run("--generate-completion", shell)
        assert (code, err) == (0, "")
        path = tmp_path / f"completion.{shell}"
        path.write_text(out)
        return path

    return script


def need(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


def output(*argv):
    environment = {**os.environ, "HOME": "/nonexistent"}
    done = subprocess.run(argv, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_accepts_its_script(script, shell):
    need(shell)
    assert output(shell, "-n", str(script(shell))) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_has_every_command_and_option(script, shell):
    text = script(shell).read_text()
    dashes = "-l " if shell == "fish" else "--"
    for name in COMMANDS:
        assert re.search(rf"\b{name}\b", text), name
        for action in build_parser(name)._actions:
            for option in action.option_strings:
                if option.startswith("--"):
                    assert re.search(rf"{re.escape(dashes + option[2:])}\b", text), option


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_has_the_words_of_engines_rules_and_causes(script, shell):
    text = script(shell).read_text()
    for word in ("mujoco", "IC301", "triangle-inequality-violation", "decimal-slip"):
        assert word in text


def test_a_missing_library_is_said_with_its_extra(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    code, out, err = run("--generate-completion", "bash")
    assert (code, out) == (2, "")
    assert 'pip install "inertial-check[completion]"' in err


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("inertial-check ch", ["check"]),
        ("inertial-check fix --wr", ["--write"]),
        ("inertial-check arm.urdf --output-format js", ["json", "jsonl"]),
        ("inertial-check check --engine muj", ["mujoco"]),
        ("inertial-check explain decimal-s", ["decimal-slip"]),
        ("inertial-check check --config /dev/nul", ["/dev/null"]),
        ("inertial-check /dev/nul", [""]),  # left to the file names of the shell
    ],
)
def test_bash_completes(script, words, completed):
    need("bash")
    text = _COMPLETE.format(script=script("bash"), words=words)
    assert output("bash", "--norc", "-c", text) == completed


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("inertial-check chec", "check"),
        ("inertial-check fix --wri", "--write"),
        ("inertial-check arm.urdf --output-format jun", "junit"),
        ("inertial-check explain decimal-sl", "decimal-slip"),
    ],
)
def test_fish_completes(script, line, completed, monkeypatch, tmp_path):
    need("fish")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    text = f"source {script('fish')}; complete -C '{line}'"
    assert completed in [each.split("\t")[0] for each in output("fish", "-c", text)]


def test_an_unknown_shell(run):
    for argv in ([], ["fisch"], ["bash", "zsh"]):
        code, out, err = run("--generate-completion", *argv)
        assert (code, out) == (2, "")
        assert "takes one shell: bash, zsh, fish" in err
    assert "did you mean 'fish'?" in run("--generate-completion", "fisch")[2]
