"""Every name that a person types and misspells gets the name that was probably meant."""

import pytest

from inertial_check.checking.settings import Settings
from inertial_check.programs.cli.commands import COMMANDS
from inertial_check.running.run import CheckRequest, check_paths

MODEL = """<robot name="r"><link name="forearm"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.4"/></inertial></link></robot>"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(MODEL)
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (["chek", "arm.urdf"], "check"),
        (["--vesion"], "--version"),
        (["arm.urdf", "--output-formt", "json"], "--output-format"),
        (["arm.urdf", "--fail_on=never"], "--fail-on"),
        (["explain", "--outputformat", "json"], "--output-format"),
        (["identify", "--modle", "arm.urdf"], "--model"),
        (["arm.urdf", "--output-format", "jsno"], "json"),
        (["arm.urdf", "--also", "srif=x"], "sarif"),
        (["arm.urdf", "--engine", "mujuco"], "mujoco"),
        (["fix", "arm.urdf", "--engine", "mujuco"], "mujoco"),
        (["arm.urdf", "--preset", "strikt"], "strict"),
        (["arm.urdf", "--preset", "simulator:darke"], "simulator:drake"),
        (["fix", "arm.urdf", "--body", "forarm"], "forearm"),
        (["arm.urdf", "--select", "negative-mas"], "negative-mass"),
    ],
)
def test_the_name_that_was_meant_is_suggested(run, argv, meant):
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert f"did you mean {meant!r}" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_suggests_its_options(run, command):
    code, _, err = run(command, "--verbos")
    assert code == 2
    assert "unknown option --verbos; did you mean '--verbose'?" in err


def test_a_word_of_the_document_stays_on_its_line(run, here):
    (here / "arm.urdf").write_text(MODEL.replace("forearm", "&#10;fore&#x202e;arm"))
    _, _, err = run("fix", "arm.urdf", "--body", "forearm")
    assert len(err.splitlines()) == 1
    assert "\u202e" not in err


@pytest.mark.parametrize("path", ["chek", "./chek", "chek.urdf", "chek/arm.urdf"])
def test_a_path_stays_a_path(run, here, path):
    if path == "chek":
        (here / path).mkdir()
        (here / path / "arm.urdf").write_text(MODEL)
    code, _, err = run(path)
    assert "did you mean" not in err
    assert code == (1 if path == "chek" else 2)


def test_a_name_like_none_is_a_path_that_is_missing(run):
    code, _, err = run("robots")
    assert (code, err) == (2, "inertial-check: error: robots: No such file or directory\n")


def test_a_value_after_two_dashes_is_no_option(run):
    assert "unknown option" not in run("--", "--verbos")[2]


def test_an_option_in_place_of_a_command_is_not_suggested_for_itself(run):
    code, _, err = run("check", "--generate-completion", "bash")
    assert code == 2
    assert "write inertial-check --generate-completion" in err
    assert "did you mean" not in err


def test_the_progress_bar_names_a_file_from_the_beginning(here):
    (here / "other.urdf").write_text(MODEL)
    names = []
    settings = Settings().validate()
    check_paths(
        CheckRequest(["."], lambda _: settings, progress=lambda _, name: names.append(name))
    )
    assert names[0] == "./arm.urdf"
    assert "" not in names
