"""The table [fill] of a configuration: precedence, names of other models, untrusted paths."""

import os
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.programs.cli.main import main

ARM = Path(__file__).resolve().parents[3] / "data" / "fill" / "arm.urdf"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A function that writes a configuration beside a model, both in a repository."""
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / "arm.urdf").write_bytes(ARM.read_bytes())
    monkeypatch.chdir(root)

    def write(text):
        (root / "inertial-check.toml").write_text(text)

    return write


def fill(*arguments):
    """Masses by name, after the command has written the model; and its exit code."""
    code = main(["fill", "arm.urdf", "-o", "new.urdf", *arguments])
    if code == 2 or not os.path.exists("new.urdf"):
        return code, {}
    model = ic.load("new.urdf")
    return code, dict(zip(model.names, model.parameters.mass.tolist(), strict=True))


EVERYTHING = """
[fill]
total-mass = "9:0.01"
pair = [["finger_left", "finger_right"], ["another", "model"]]
twins = false
density-range = [20, 20000]
shapes = "visual"
thickness = 0.002
divergence = "entropic"
com = [0, 0, 0.25]
at = { shoulder = 0.0, another_joint = 1.0 }
[fill.mass]
finger_left = 0.05
base = 3.0
link_of_another_model = 2
[fill.subtree-mass]
forearm = 1.2
[fill.materials]
printed = 850
[fill.links]
"upper_*" = "printed"
"""


def test_every_key_is_read_and_other_models_names_do_not_count(project):
    project(EVERYTHING)
    code, found = fill()
    assert code == 0
    assert sum(found.values()) == pytest.approx(9)
    assert found["base"] == 4  # measured: a mass of the configuration does not change it
    assert found["finger_left"] == found["finger_right"] == 0.05
    assert found["forearm"] == pytest.approx(1.1)


def test_the_command_line_wins_over_the_file_and_that_over_the_configuration(project):
    project(
        "[fill]\ntotal-mass = 20\nmass = { forearm = 3, upper_arm = 2 }\n"
        'links = { "finger_*" = "steel" }\n'
    )
    table = Path("parts.toml")
    table.write_text('[links]\nfinger_left = "water"\n')
    _, found = fill("--total-mass", "7.5", "--mass", "forearm=1", "--materials", "parts.toml")
    assert sum(found.values()) == pytest.approx(7.5)
    assert (found["forearm"], found["upper_arm"]) == pytest.approx((1, 2))
    _, found = fill("--isolated", "--no-twins", "--materials", "parts.toml", "--density", "500")
    assert found["finger_left"] == pytest.approx(2 * found["finger_right"])
    project('[fill]\nmaterials = "parts.toml"\ntwins = false\ndensity = 500')
    assert fill()[1]["finger_left"] == pytest.approx(found["finger_left"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("density = -1", "inertial-check.toml:2: fill.density is -1: expected a positive number"),
        ('total-mass = "9:2"', "fill.total-mass is '9:2': expected KG or KG:REL"),
        ("com = [1, 2]", "fill.com is [1, 2]: expected a list of three numbers"),
        ("mass = { a = 0 }", "fill.mass.a is 0: expected a positive number"),
        ('pair = [["a"]]', "expected a list of pairs of names"),
        ("density-range = [5, 2]", "0 <= LOW < HIGH"),
        ("totl-mass = 9", "fill.totl-mass: unknown key; did you mean 'total-mass'"),
        ('prior = "../secret.urdf"', "../secret.urdf lies outside the repository"),
        ('materials = "/etc/passwd"', "/etc/passwd lies outside the repository"),
        ('links = { "*" = "stele" }', "unknown material 'stele' of *"),
    ],
)
def test_a_wrong_table_is_one_line_and_writes_nothing(project, capsys, text, message):
    project(f"[fill]\n{text}\n")
    code, _ = fill()
    (line,) = capsys.readouterr().err.splitlines()
    assert code == 2
    assert message in line
    assert not os.path.exists("new.urdf")


def test_the_settings_that_hold_are_shown(project, capsys):
    project('[fill]\ntotal-mass = 9\n[fill.links]\n"a*" = "steel"\n')
    assert main(["check", "arm.urdf", "--show-settings"]) == 0
    out = capsys.readouterr().out
    assert "fill.total-mass = 9  # inertial-check.toml:2" in out
    assert 'fill.links = { "a*" = "steel" }  # inertial-check.toml:3' in out
