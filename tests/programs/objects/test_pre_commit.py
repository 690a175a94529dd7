""".pre-commit-hooks.yaml: which files the hooks claim, and what they do in a repository."""

import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec

import pytest
import yaml

from inertial_check.documents.files.access import SUFFIXES
from processes import captured

IDENTITY = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]


@pytest.fixture(scope="module")
def hooks(project_root):
    text = (project_root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return {hook["id"]: hook for hook in yaml.safe_load(text)}


def test_the_hooks_claim_the_files_that_a_walk_opens(hooks):
    assert set(hooks) == {"inertial-check", "inertial-check-fix"}
    for hook in hooks.values():
        pattern = re.compile(hook["files"])
        assert all(pattern.search(f"robots/arm{suffix}") for suffix in SUFFIXES)
        assert pattern.search("ARM.URDF")
        for other in ("README.md", "robots/arm.urdf.orig", "mesh.stl", "usd.py"):
            assert not pattern.search(other)


def test_the_hooks_install_the_xacro_of_the_extra(hooks, project_root):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["xacro"]
    assert all(hook["additional_dependencies"] == extra for hook in hooks.values())


@pytest.fixture
def repository(robots):
    """A git repository whose index holds the files of `robots`."""
    folder = robots.parent
    for command in (["init", "-q"], ["add", "robots"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def configure(repository, hooks, *ids, **changes):
    """A configuration with the hooks as they stand but for their environment."""
    local = [
        {**hooks[id_], "language": "system", **changes, "additional_dependencies": []}
        for id_ in ids
    ]
    config = {"repos": [{"repo": "local", "hooks": local}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))


def write_command(hook):
    """The words in front of the names, as pre-commit joins them."""
    return [*shlex.split(hook["entry"]), *hook["args"]]


def pre_commit(repository, *arguments):
    command = [sys.executable, "-m", "pre_commit", "run", "--color=never", *arguments]
    return captured(command, cwd=repository)


needs_pre_commit = pytest.mark.skipif(find_spec("pre_commit") is None, reason="install pre-commit")


@needs_pre_commit
@pytest.mark.usefixtures("on_path")
def test_a_commit_with_a_broken_model_is_refused(repository, hooks):
    configure(repository, hooks, "inertial-check")
    done = pre_commit(repository)
    assert done.returncode == 1
    assert "robots/broken.urdf:38:51: error IC301" in done.stdout
    assert "package.xml" not in done.stdout


@needs_pre_commit
@pytest.mark.usefixtures("on_path")
def test_sound_models_and_foreign_xml_pass(repository, hooks):
    configure(repository, hooks, "inertial-check", "inertial-check-fix")
    for files in (["robots/sound.urdf", "robots/package.xml"], ["robots/package.xml"]):
        done = pre_commit(repository, "--files", *files)
        assert done.returncode == 0, done.stdout
        assert done.stdout.count("Passed") == 2


@needs_pre_commit
@pytest.mark.usefixtures("on_path")
def test_what_the_configuration_excludes_passes(repository, hooks):
    (repository / "inertial-check.toml").write_text('exclude = ["broken.urdf"]\n')
    configure(repository, hooks, "inertial-check")
    assert pre_commit(repository).returncode == 0


@needs_pre_commit
@pytest.mark.usefixtures("on_path")
def test_the_fixing_hook_writes_and_fails_until_nothing_is_left(repository, hooks):
    configure(repository, hooks, "inertial-check-fix")
    model = repository / "robots" / "broken.urdf"
    before = model.read_bytes()
    done = pre_commit(repository)
    assert done.returncode == 1
    assert "[finger_left] fixed" in done.stdout
    assert "[forearm] needs-unsafe" in done.stdout
    assert model.read_bytes() != before
    again = model.read_bytes()
    assert pre_commit(repository).returncode == 1  # forearm stays broken
    assert model.read_bytes() == again


@needs_pre_commit
def test_the_manifest_is_one_of_pre_commit(project_root):
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    subprocess.run(command, cwd=project_root, check=True)


@pytest.mark.usefixtures("on_path")
@pytest.mark.parametrize("id_", ["inertial-check", "inertial-check-fix"])
def test_the_entries_run_with_file_names_behind_them(repository, hooks, id_):
    command = [*write_command(hooks[id_]), "robots/package.xml", "robots/sound.urdf"]
    assert subprocess.run(command, cwd=repository, check=False).returncode == 0


@pytest.mark.usefixtures("on_path")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<package/>", 0),
        ("no markup", 0),
        ('<mujocoinclude><body name="b"/></mujocoinclude>', 0),  # read where it is included
        ('<robot name="r"><link name="a">', 1),  # a model that cannot be read
        ('<robot name="r"><link name="a"/></robot>', 0),
    ],
)
def test_a_named_file_is_taken_as_a_walk_takes_it(repository, hooks, text, code):
    (repository / "robots" / "given.xml").write_text(text)
    entry = write_command(hooks["inertial-check"])
    done = subprocess.run([*entry, "robots/given.xml"], cwd=repository, check=False)
    assert done.returncode == code


@needs_pre_commit
def test_the_hooks_install_and_run_from_a_clone(
    repository, copy_source, tmp_path, monkeypatch, request
):
    """As users run them: an environment of their own, made by pip from the registry."""
    if not request.config.getoption("--long"):
        pytest.skip("needs a package registry: run with --long")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    clone = copy_source(tmp_path / "clone")
    for command in (["init", "-q"], ["add", "."], [*IDENTITY, "commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=clone, check=True)
    command = [sys.executable, "-m", "pre_commit", "try-repo", "--color=never", str(clone)]
    command += ["inertial-check", "--files", "robots/broken.urdf", "robots/package.xml"]
    done = captured(command, cwd=repository)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "robots/broken.urdf:38:51: error IC301" in done.stdout
