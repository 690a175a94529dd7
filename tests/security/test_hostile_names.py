"""Names of files that pose as options, commands, annotations or markup, through each entry point.

Every model of a repository with such names is broken: an entry point finds each of them, writes
nothing but its own reports, and runs nothing.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest
import yaml

from inertial_check.programs.cli.main import main
from inertial_check.programs.init import GITHUB, GITLAB

pytestmark = pytest.mark.skipif(
    os.name == "nt" or not (shutil.which("bash") and shutil.which("git")), reason="runs bash"
)

BROKEN = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.00100" iyy="0.00100" izz="0.00300" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def write_names(outside):
    """Names of models; those of folders that end in a path lead to a file outside."""
    options = ["output-file", "also=html", "cache", "results", "write-baseline", "resume", "plot"]
    return (
        "--exclude=*.urdf",
        "--fail-on=never.urdf",
        "--isolated.urdf",
        "-q.urdf",
        "--.urdf",
        "@names.urdf",
        "a\nb.urdf",
        "a\r::stop-commands::x.urdf",
        "'\".urdf",
        "$(touch pwned).urdf",
        "`touch pwned`.urdf",
        "$GITHUB_ENV.urdf",
        "${{ github.token }}.urdf",
        "a;touch pwned;.urdf",
        "a|touch pwned|&.urdf",
        "::error::x.urdf",
        "%0A##[error]x.urdf",
        "\u202efdru.urdf",
        "  lead.urdf",
        "*.urdf",
        "[a].urdf",
        "\\.urdf",
        *(f"--{each}={outside}/x.urdf" for each in options),
    )


@pytest.fixture
def outside(tmp_path):
    """A folder beside the repository with a file that nothing may touch."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "x.urdf").write_text("precious")
    return folder


@pytest.fixture
def repository(tmp_path, outside, monkeypatch):
    """The repository, whose index holds the names, with the program first in PATH."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for name in write_names(outside):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x") as stream:
            stream.write(BROKEN)
    programs = tmp_path / "programs"
    programs.mkdir()
    script = programs / "inertial-check"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m inertial_check "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for command in (["init", "-q"], ["add", "--all", "."]):
        subprocess.run(["git", *command], check=True)
    return folder


@pytest.fixture
def unharmed(repository, outside):
    """Holds after a test that nothing but reports was written, and that nothing was run."""

    def look():
        paths = (path for path in repository.rglob("*") if ".git" not in path.parts)
        return {path: path.read_bytes() for path in paths if path.is_file()}

    before = look()
    yield
    after = look()
    reports = {"found.sarif", "inertial-check.xml", "gl-code-quality-report.json"}
    own = {path for path in after if path.name in reports or path.parts[-2] == ".github"}
    own |= {path for path in after if ".inertial_check_cache" in path.parts}
    written = {".pre-commit-config.yaml", "inertial-check.toml", ".gitlab-ci.yml", "CMakeLists.txt"}
    own |= {path for path in after if path.name in written or path.name == "inertial-check.yml"}
    assert {path: data for path, data in after.items() if path not in own} == before
    assert [path.name for path in outside.iterdir()] == ["x.urdf"]
    assert (outside / "x.urdf").read_text() == "precious"
    assert "pwned" not in {path.name for path in after}


def bash(script, **environment):
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def expect_all(paths, outside):
    """Each of the models is found, under its own name as a report may write it."""
    assert len(paths) == len(set(paths)) == len(write_names(outside))


def list_annotations(text):
    assert not re.search(r"^(?!::(error|warning|notice|group|endgroup)\b)(::|##\[)", text, re.M)
    return re.findall(r"^::error file=([^,]*),", text, re.MULTILINE)


@pytest.mark.usefixtures("unharmed")
def test_pre_commit(repository, outside, project_root):
    if find_spec("pre_commit") is None:
        pytest.skip("install pre-commit")
    hooks = yaml.safe_load((project_root / ".pre-commit-hooks.yaml").read_text())
    count = len(write_names(outside))
    for arguments in (["--engine=mujoco", "--"], ["--engine=mujoco"]):
        changes = {"language": "system", "additional_dependencies": [], "args": arguments}
        config = {"repos": [{"repo": "local", "hooks": [{**hooks[0], **changes}]}]}
        (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        command = [sys.executable, "-m", "pre_commit", "run", "--color=never"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        if arguments[-1] == "--":
            assert re.search(rf"in {count} files: ({count}|{2 * count}) errors", done.stdout)
        else:  # a name before -- is no option, and stops the run
            assert "is a file here, and no option" in done.stdout


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("pull", [False, True], ids=["push", "pull request"])
def test_the_action(repository, outside, project_root, pull, monkeypatch):
    action = yaml.safe_load((project_root / "action.yml").read_text())
    inputs = {name: each["default"] for name, each in action["inputs"].items()}
    inputs["sarif-file"] = "found.sarif"
    commit = ("-c", "user.email=a@b", "-c", "user.name=n", "commit", "-q", "--allow-empty", "-m")
    subprocess.run(["git", *commit, "all"], check=True)
    sha = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    event = dict.fromkeys(("base.sha", "head.sha"), sha.stdout.strip() if pull else "")
    (step,) = (each for each in action["runs"]["steps"] if each["name"] == "Check")

    def value(match):
        name = match[1]
        if name.startswith("github.event.pull_request."):
            return event[name.removeprefix("github.event.pull_request.")]
        return inputs[name.removeprefix("inputs.")]

    given = {key: EXPRESSION.sub(value, str(text)) for key, text in step["env"].items()}
    programs = os.path.join(os.environ["RUNNER_TEMP"], "inertial-check")
    os.makedirs(programs)
    os.symlink(os.path.dirname(shutil.which("inertial-check")), os.path.join(programs, "bin"))
    done = bash(step["run"], **given)
    assert done.returncode == 1, done.stderr
    expect_all(list_annotations(done.stdout), outside)
    results = json.loads((repository / "found.sarif").read_text())["runs"][0]["results"]
    places = [each["locations"][0]["physicalLocation"] for each in results]
    expect_all([place["artifactLocation"]["uri"] for place in places], outside)


@pytest.mark.usefixtures("unharmed")
def test_the_workflows_of_init(repository, outside, capsys):
    (repository / ".gitlab-ci.yml").write_text("test: {}\n")
    (repository / ".github").mkdir()
    assert main(["init"]) == 0
    capsys.readouterr()
    step = yaml.safe_load((repository / GITHUB).read_text())["jobs"]["inertial-check"]["steps"][-1]
    commit = ("-c", "user.email=a@b", "-c", "user.name=n", "commit", "-q", "--allow-empty", "-m")
    for message in ("base", "change"):
        subprocess.run(["git", *commit, message], check=True)
    for pull in ("false", "true"):
        done = bash(step["run"], PULL=pull, ALLOWED="false")
        assert done.returncode == 1, done.stderr
        expect_all(list_annotations(done.stdout), outside)
    job = yaml.safe_load((repository / GITLAB).read_text())["inertial-check"]
    for variables in ({}, {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD"}):
        assert bash("\n".join(job["script"]), **variables).returncode == 1
        quality = json.loads((repository / "gl-code-quality-report.json").read_text())
        expect_all([each["location"]["path"] for each in quality], outside)


@pytest.mark.usefixtures("unharmed")
def test_the_job_of_gitlab(repository, outside, project_root):
    text = (project_root / "docs" / "ci" / "gitlab-ci.yml").read_text()
    (job,) = yaml.safe_load(text).values()
    assert bash("\n".join(job["script"]), **job["variables"]).returncode == 1
    quality = json.loads((repository / "gl-code-quality-report.json").read_text())
    expect_all([each["location"]["path"] for each in quality], outside)


@pytest.mark.usefixtures("unharmed")
def test_cmake(repository, outside, project_root, tmp_path):
    if not (shutil.which("cmake") and shutil.which("ctest")):
        pytest.skip("install CMake")
    modules = (project_root / "docs" / "ci").as_posix()
    (repository / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(robots NONE)\n"
        f"list(APPEND CMAKE_MODULE_PATH {modules})\ninclude(InertialCheck)\nenable_testing()\n"
        "file(GLOB_RECURSE models RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} --*.urdf)\n"
        "inertial_check_add_test(named ${models})\ninertial_check_add_test(all .)\n"
    )
    build = tmp_path / "build"
    subprocess.run(["cmake", "-S", repository, "-B", build], check=True, capture_output=True)
    command = ["ctest", "--output-on-failure"]
    done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
    names = write_names(outside)
    assert f"in {len(names)} files: {len(names)} errors" in done.stdout
    count = sum(name.startswith("--") and "/" not in name for name in names)
    assert f"in {count} files: {count} errors" in done.stdout


@pytest.mark.usefixtures("unharmed")
def test_lists_of_files(repository, outside):
    """As `git diff` and `find` write them, through xargs and --files-from."""
    names = len(write_names(outside))
    for script in (
        "git ls-files -z | inertial-check check --no-cache --files-from -",
        "git ls-files -z | xargs -0 inertial-check check --no-cache --",
    ):
        done = bash(script)
        assert f"in {names} files: {names} errors" in done.stdout, done.stderr
    done = bash("git ls-files -z | xargs -0 inertial-check check --no-cache")
    assert "is a file here, and no option" in done.stderr


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("command", ["check", "fix", "fill", "report", "diff", "summary", "view"])
def test_a_name_in_front_of_the_dashes_is_no_option(command, capsys):
    for name in ("--exclude=*.urdf", "-q.urdf", "--.urdf"):
        assert main([command, name]) == 2
        told = capsys.readouterr().err
        assert f"{name!r} is a file here, and no option" in told
        assert shlex.quote(os.path.join(os.curdir, name)).strip("'") in told
