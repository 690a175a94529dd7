"""action.yml: its steps run under bash, with inputs and environment as GitHub gives them."""

import json
import os
import re
import shutil
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from processes import captured

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
        self.temporary = folder.parent / "runner"
        self.temporary.mkdir()
        self.files = {}
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"):
            self.files[name] = folder.parent / name
            self.files[name].touch()
        self.event = {}
        self.inputs = {name: each["default"] for name, each in action["inputs"].items()}

    def value(self, expression):
        if expression == "github.action_path":
            return str(self.source)
        if expression.startswith("github.event."):
            return self.event.get(expression.removeprefix("github.event."), "")
        return self.inputs[expression.removeprefix("inputs.")]

    def step(self, name, **environment):
        (step,) = (each for each in self.action["runs"]["steps"] if each["name"] == name)
        assert not EXPRESSION.search(step["run"])  # inputs never become text of a script
        given = {
            key: EXPRESSION.sub(lambda found: self.value(found[1]), str(text))
            for key, text in step["env"].items()
        }
        files = {key: str(path) for key, path in self.files.items()}
        return captured(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env={**os.environ, **given, **files, "RUNNER_TEMP": str(self.temporary), **environment},
        )

    def said(self, name):
        return self.files[name].read_text()


@pytest.fixture
def runner(action, robots, project_root):
    return Runner(action, robots.parent, project_root)


@pytest.fixture
def installed(runner, on_path):
    """The program where the first step installs it."""
    programs = runner.temporary / "inertial-check" / "bin"
    programs.mkdir(parents=True)
    (on_path / "inertial-check").rename(programs / "inertial-check")


@pytest.mark.usefixtures("installed")
def test_findings_are_annotations_a_summary_and_sarif_and_fail_the_job(runner):
    runner.inputs["sarif-file"] = "found.sarif"
    done = runner.step("Check")
    assert done.returncode == 1
    assert "::error file=robots/broken.urdf,line=38," in done.stdout
    assert "IC301" in runner.said("GITHUB_STEP_SUMMARY")
    assert runner.said("GITHUB_OUTPUT") == "exit-code=1\n"
    sarif = json.loads((runner.folder / "found.sarif").read_text())
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} >= {"IC301", "IC103"}


@pytest.mark.usefixtures("installed")
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


@pytest.mark.usefixtures("installed")
def test_nothing_in_the_checkout_is_executed(runner):
    plant_modules(runner.folder)
    done = runner.step("Check")
    assert done.returncode == 1
    assert "PLANTED" not in done.stdout + done.stderr


def plant_modules(folder):
    """Modules with the names of those that Python, pip and this package import."""
    for name in ("venv", "pip", "numpy", "json", "argparse", "ensurepip", "sitecustomize"):
        (folder / f"{name}.py").write_text('import os\nos.write(1, b"PLANTED")\n')


def test_the_action_installs_itself(runner, copy_source, tmp_path):
    """Offline: what the package is built with and needs is taken from this environment."""
    if find_spec("hatchling") is None:
        pytest.skip("install hatchling, with which the package is built")
    plant_modules(runner.folder)
    site = next(p for p in map(Path, sys.path) if (p / "hatchling").is_dir())
    source = copy_source(tmp_path / "source")
    pinned = source / ".github" / "action"
    for each in (runner.source / ".github" / "action").iterdir():
        pinned.mkdir(parents=True, exist_ok=True)
        (pinned / each.name).write_text("# nothing\n")  # lists that ask for nothing
    offline = {"PYTHONPATH": str(site), "PIP_NO_INDEX": "1", "SOURCE": str(source)}
    runner.source = source
    done = runner.step("Install inertial-check", **offline)
    assert done.returncode == 0, done.stderr
    assert "PLANTED" not in done.stdout + done.stderr
    environment = {"PYTHONPATH": str(site)}
    assert runner.step("Check", **environment).returncode == 1


def test_a_version_is_asked_of_the_registry(runner, tmp_path):
    fake = tmp_path / "fake"
    fake.mkdir()
    python = fake / "python3"
    python.write_text(  # venv makes an interpreter that tells what pip is asked for
        '#!/bin/sh\nmkdir -p "$4/bin"\n'
        'printf \'#!/bin/sh\\necho "$@"\\n\' > "$4/bin/python"\nchmod +x "$4/bin/python"\n'
    )
    python.chmod(0o755)
    path = f"{fake}{os.pathsep}{os.environ['PATH']}"
    runner.inputs.update(version="==0.1.0", extras="xacro,usd")
    pinned, own = runner.step("Install inertial-check", PATH=path).stdout.splitlines()
    lists = [Path(each).name for each in pinned.split() if each.endswith(".txt")]
    assert lists == ["base.txt", "xacro.txt", "usd.txt"]
    assert "--require-hashes" in pinned
    assert own.split()[-2:] == ["--no-deps", "inertial-check==0.1.0"]
    runner.inputs.update(version="", extras="")
    done = runner.step("Install inertial-check", PATH=path)
    assert done.stdout.split()[-1] == str(runner.source)


@pytest.mark.parametrize("extras", ["../../evil", "xacro,nothing", "$(touch pwned)"])
def test_extras_that_are_not_pinned_are_refused(runner, extras):
    runner.inputs.update(extras=extras)
    done = runner.step("Install inertial-check", PATH=os.environ["PATH"])
    assert done.returncode == 2
    assert "pins no extra" in done.stdout
    assert list(runner.temporary.iterdir()) == []  # nothing is installed before, nor executed


def test_every_requirement_is_pinned_with_hashes(project_root):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    folder = project_root / ".github" / "action"
    needed = [
        each
        for each in project["project"]["dependencies"]
        if not each.startswith(
            ("clarabel", "cvxpy", "scipy")
        )  # check needs none: test_isolation.py
    ]
    asked = {"base": [*needed, *project["build-system"]["requires"]]}
    asked |= {name: extras[name] for name in ("xacro", "mesh", "usd", "report", "lsp")}
    assert {path.stem for path in folder.iterdir()} == set(asked)
    for name, requirements in asked.items():
        text = (folder / f"{name}.txt").read_text(encoding="utf-8")
        pinned = {
            block.split("==")[0] for block in re.split(r"\n(?=\w)", text) if "sha256:" in block
        }
        assert {re.split(r"[><=\[]", each)[0] for each in requirements} <= pinned
        assert not pinned & {"clarabel", "cvxpy", "scipy"}
        assert "://" not in text


def test_every_input_is_used_and_described(action, project_root):
    text = (project_root / "action.yml").read_text(encoding="utf-8")
    page = (project_root / "docs" / "integrations.md").read_text(encoding="utf-8")
    for name in action["inputs"]:
        assert f"inputs.{name} " in text
        assert f"* `{name}`:" in page
