"""action.yml: its steps run under bash, with inputs and environment as GitHub gives them."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="runs the steps under bash"
)
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@pytest.fixture(scope="module")
def action(project_root):
    return yaml.safe_load((project_root / "action.yml").read_text(encoding="utf-8"))


class Runner:
    """What GitHub does with a composite action, as far as this one asks for it."""

    def __init__(self, action, folder, source):
        self.action, self.folder, self.source = action, folder, source
        self.files = {}
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"):
            self.files[name] = folder.parent / name
            self.files[name].touch()
        self.inputs = {name: each["default"] for name, each in action["inputs"].items()}

    def value(self, expression):
        if expression == "github.action_path":
            return str(self.source)
        return self.inputs[expression.removeprefix("inputs.")]

    def step(self, name, **environment):
        (step,) = (each for each in self.action["runs"]["steps"] if each["name"] == name)
        assert not EXPRESSION.search(step["run"])  # inputs never become text of a script
        given = {
            key: EXPRESSION.sub(lambda found: self.value(found[1]), str(text))
            for key, text in step["env"].items()
        }
        files = {key: str(path) for key, path in self.files.items()}
        temporary = self.folder.parent / "runner"
        temporary.mkdir(exist_ok=True)
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env={**os.environ, **given, **files, "RUNNER_TEMP": str(temporary), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def said(self, name):
        return self.files[name].read_text()


@pytest.fixture
def runner(action, robots, project_root):
    return Runner(action, robots.parent, project_root)


@pytest.mark.usefixtures("on_path")
def test_findings_are_annotations_a_summary_and_sarif_and_fail_the_job(runner):
    runner.inputs["sarif-file"] = "found.sarif"
    done = runner.step("Check")
    assert done.returncode == 1
    assert "::error file=robots/broken.urdf,line=38," in done.stdout
    assert "IC301" in runner.said("GITHUB_STEP_SUMMARY")
    assert runner.said("GITHUB_OUTPUT") == "exit-code=1\n"
    sarif = json.loads((runner.folder / "found.sarif").read_text())
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} >= {"IC301", "IC103"}


@pytest.mark.usefixtures("on_path")
@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"paths": "robots/sound.urdf"}, 0),
        ({"paths": "robots/sound.urdf\n\nrobots/broken.urdf\n"}, 1),
        ({"paths": "robots/*.urdf", "fail-on": "never"}, 0),
        ({"fail-on": "warning", "args": "--select=IC103"}, 1),
        ({"args": "--select=IC103\n--geometry=off"}, 0),
        ({"paths": "none.urdf"}, 2),
        ({"args": "--select=IC103", "sarif-file": "no/such/folder.sarif"}, 2),
        ({"paths": "robots/sound.urdf; touch pwned"}, 2),
        ({"paths": "$(touch pwned)"}, 2),
    ],
)
def test_inputs_are_options_and_paths(runner, inputs, code):
    runner.inputs.update(inputs)
    assert runner.step("Check").returncode == code
    assert f"exit-code={code}\n" in runner.said("GITHUB_OUTPUT")
    assert not (runner.folder / "pwned").exists()


def test_the_action_installs_itself(runner):
    """Offline: what the package is built with and needs is taken from this environment."""
    if find_spec("hatchling") is None:
        pytest.skip("install hatchling, with which the package is built")
    site = next(p for p in map(Path, sys.path) if (p / "hatchling").is_dir())
    offline = {
        "PYTHONPATH": str(site),
        "PIP_NO_BUILD_ISOLATION": "0",  # of a flag that begins with no, 0 turns it on
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
    }
    done = runner.step("Install inertial-check", **offline)
    assert done.returncode == 0, done.stderr
    program = Path(runner.said("GITHUB_PATH").strip()) / "inertial-check"
    command = [program, "check", "robots/broken.urdf"]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    checked = subprocess.run(command, cwd=runner.folder, env=environment, check=False)
    assert checked.returncode == 1


def test_a_version_is_asked_of_the_registry(runner, tmp_path):
    fake = tmp_path / "fake"
    fake.mkdir()
    python = fake / "python3"
    python.write_text(  # venv makes an interpreter that tells what pip is asked for
        '#!/bin/sh\nmkdir -p "$3/bin"\n'
        'printf \'#!/bin/sh\\necho "$@"\\n\' > "$3/bin/python"\nchmod +x "$3/bin/python"\n'
    )
    python.chmod(0o755)
    runner.inputs.update(version="==0.1.0", extras="xacro,usd")
    done = runner.step("Install inertial-check", PATH=f"{fake}{os.pathsep}{os.environ['PATH']}")
    assert done.stdout.split()[-1] == "inertial-check[xacro,usd]==0.1.0"
    runner.inputs.update(version="", extras="")
    done = runner.step("Install inertial-check", PATH=f"{fake}{os.pathsep}{os.environ['PATH']}")
    assert done.stdout.split()[-1] == str(runner.source)


def test_every_input_is_used_and_described(action, project_root):
    text = (project_root / "action.yml").read_text(encoding="utf-8")
    page = (project_root / "docs" / "ci.md").read_text(encoding="utf-8")
    for name in action["inputs"]:
        assert f"inputs.{name} " in text
        assert f"| `{name}` |" in page
