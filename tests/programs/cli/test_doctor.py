"""`doctor` says what is there without importing it or running anything of the checkout."""

import json
import os
import sys

import pytest

from inertial_check import __version__
from inertial_check.checking.engines.catalogue import ALL_ENGINES
from processes import captured

HEAVY = ["mujoco", "pydrake", "pinocchio", "pxr", "matplotlib", "scipy", "cvxpy", "trimesh"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_facts_as_json(run):
    code, out, err = run("doctor", "--output-format", "json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts["tool"] == {"name": "inertial-check", "version": __version__}
    assert facts["python"]["executable"] == sys.executable
    assert [each["name"] for each in facts["engines"]] == [engine.name for engine in ALL_ENGINES]
    extras = {each["name"]: each for each in facts["extras"]}
    assert {"xacro", "usd", "mesh"} <= extras.keys()
    assert "test" not in extras
    assert extras["xacro"]["install"] == 'pip install "inertial-check[xacro]"'
    for extra in extras.values():
        assert extra["installed"] == (None not in extra["packages"].values())
    assert facts["configuration"] == {"path": None, "set": {}, "error": None}


def test_an_absent_extra_comes_with_its_install_line(run, monkeypatch):
    from importlib import metadata

    def version(name):
        if name == "xacro":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", version)
    lines = run("doctor")[1].splitlines()
    assert '  xacro      absent: pip install "inertial-check[xacro]"' in lines
    assert "  lsp        lsprotocol 1.0, pygls 1.0" in lines


def test_package_paths_and_configuration(run, here, monkeypatch):
    (here / "inertial-check.toml").write_text("strict = true\n")
    gone = here / "gone\x1b[31m"
    (here / "arm").mkdir()
    (here / "arm/package.xml").write_text("<package><name>arm</name></package>")
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{here}{os.pathsep}{gone}")
    code, out, _ = run("doctor")
    assert code == 0
    assert f"  ROS_PACKAGE_PATH: {here} (1 package)\n" in out
    assert "\x1b" not in out
    assert "gone\\x1b[31m (no such folder)" in out
    assert "configuration: inertial-check.toml\n  strict (inertial-check.toml:1)\n" in out


def test_a_wrong_configuration(run, here):
    (here / "inertial-check.toml").write_text("strikt = true\n")
    code, out, err = run("doctor")
    assert (code, err) == (1, "")
    assert "configuration: error: inertial-check.toml:1: unknown key 'strikt'" in out


def test_nothing_heavy_is_imported_and_nothing_of_the_checkout(here):
    """A package of the checkout that is called as an engine would be run by an import."""
    for name in HEAVY:
        (here / f"{name}.py").write_text("raise SystemExit('ran')")
    program = (
        "import sys; from inertial_check.programs.cli.main import main; main(['doctor']); "
        f"sys.exit(','.join(sys.modules.keys() & set({HEAVY!r})))"
    )
    done = captured([sys.executable, "-c", program])
    assert done.stderr == "\n"
