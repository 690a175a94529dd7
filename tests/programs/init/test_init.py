"""`init` writes files that check, TOML and YAML accept, whatever a repository calls its folders."""

import json
import os
import shlex
import subprocess
import tomllib

import pytest
import yaml

from inertial_check import __version__
from inertial_check.programs.cli.main import main
from inertial_check.programs.init import BASELINE, GITHUB, GITLAB, quote, write_pattern
from inertial_check.reports.hosts import find_address

MODEL = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="{}"/></inertial>{}</link></robot>"""
BAD, CLEAN = MODEL.format("0.4", ""), MODEL.format("0.1", "")
MESH = '<collision><geometry><mesh filename="package://arm_meshes/a.stl"/></geometry></collision>'
HOSTILE = ['a"b\n[x]', "*", "a]", "# c", "${{ x }}", "\u202e", "\U0001f916", "back\\slash", "'"]
on_posix = pytest.mark.skipif(os.name == "nt", reason="names that Windows does not allow")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").write_text(BAD)
    return tmp_path


@pytest.fixture
def init(capsys):
    def init(*argv):
        assert main(["init", *argv]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return init


def written(folder):
    found = (path for path in folder.rglob("*") if path.is_file() and ".git/" not in f"{path}")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_the_files_of_a_repository(repository, init):
    out = init()
    assert set(written(repository)) == {"robots/arm.urdf", "inertial-check.toml", GITHUB}
    assert "1 model file (1 urdf)" in out
    assert "1 file with 1 finding" in out
    assert f"wrote {GITHUB}" in out
    workflow = yaml.safe_load((repository / GITHUB).read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["inertial-check"]["steps"]
    assert 'inertial-check check . "${gate[@]}" ' in steps[-1]["run"]
    assert main(["check", "."]) == 1


def test_a_baseline_lets_the_gate_begin(repository, init):
    init("--baseline")
    entries = json.loads((repository / BASELINE).read_text())["entries"]
    assert [(each["file"], each["code"]) for each in entries] == [("robots/arm.urdf", "IC301")]
    assert main(["check", "."]) == 0
    (repository / "robots" / "new.urdf").write_text(BAD)
    assert main(["check", "."]) == 1


def test_nothing_is_overwritten(repository, init):
    for path in ("inertial-check.toml", GITHUB, BASELINE, ".gitlab-ci.yml", GITLAB):
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text("# mine\n")
    before = written(repository)
    out = init("--baseline")
    assert written(repository) == before
    for path in ("inertial-check.toml", GITHUB, BASELINE, GITLAB):
        assert f"left {path}, which exists" in out
    assert f'add to inertial-check.toml: baseline = "{BASELINE}"' in out


def test_a_table_of_pyproject_is_a_configuration(repository, init):
    (repository / "pyproject.toml").write_text("[tool.inertial-check]\nstrict = true\n")
    assert "left pyproject.toml" in init()
    assert not (repository / "inertial-check.toml").exists()


def test_gitlab(repository, init):
    (repository / ".gitlab-ci.yml").write_text("stages: [test]\n")
    out = init()
    job = yaml.safe_load((repository / GITLAB).read_text())["inertial-check"]
    assert any("inertial-check check ." in line for line in job["script"])
    assert GITLAB in out.partition("add to .gitlab-ci.yml")[2]
    assert not (repository / GITHUB).exists()


def test_a_dry_run_writes_nothing(repository, init):
    before = written(repository)
    out = init("--baseline", "--dry-run")
    assert written(repository) == before
    assert 'fail-on = "error"' in out
    assert f"--- {GITHUB}" in out
    assert '"code": "IC301"' in out


def test_below_the_root_no_workflow_is_written(repository, init):
    assert "run init there" in init("robots")
    assert not (repository / "robots" / ".github").exists()
    assert (repository / "robots" / "inertial-check.toml").exists()


def test_a_package_elsewhere_in_the_repository(repository, init):
    package = repository / "meshes" / "ros"
    package.mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm_meshes</name></package>")
    (package / "a.stl").write_bytes(b"")
    (repository / "robots" / "arm.urdf").write_text(MODEL.format("0.1", MESH))
    assert "not found" not in init()
    assert "package-path" not in (repository / "inertial-check.toml").read_text()


def test_a_submodule_is_another_project(repository, init):
    folder = repository / "shared_models"
    folder.mkdir()
    (folder / ".git").write_text("gitdir: ../.git/modules/shared_models\n")
    (folder / "b.urdf").write_text(BAD)
    init("--baseline")
    values = tomllib.loads((repository / "inertial-check.toml").read_text())
    assert values["exclude"] == ["/shared_models/"]
    assert "shared_models" not in (repository / BASELINE).read_text()


@on_posix
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(repository, init, name):
    for folder in (name, f"{name}x"):
        (repository / folder / "vendor").mkdir(parents=True)
        (repository / folder / "vendor" / "b.urdf").write_text(BAD)
    (repository / "robots" / "arm.urdf").write_text(CLEAN)
    out = init()
    assert "\u202e" not in out
    text = (repository / "inertial-check.toml").read_text(encoding="utf-8")
    expected = [write_pattern(f"{each}/vendor") for each in sorted([name, f"{name}x"])]
    assert set(tomllib.loads(text)) == {"fail-on", "exclude"}
    assert sorted(tomllib.loads(text)["exclude"]) == sorted(expected)
    assert main(["check", "."]) == 0
    assert name not in (repository / GITHUB).read_text() or name in "*'"


@on_posix
def test_a_name_that_is_no_text_is_left_out(repository, init):
    folder = os.fsencode(repository) + b"/\xff/vendor"
    try:
        os.makedirs(folder)
    except OSError:
        pytest.skip("the file system takes no such name")
    with open(folder + b"/b.urdf", "w") as stream:
        stream.write(BAD)
    assert "no pattern can name it" in init()
    assert "exclude" not in (repository / "inertial-check.toml").read_text()


@on_posix
@pytest.mark.parametrize("link", [".github", ".github/workflows", BASELINE])
def test_no_link_is_followed(repository, tmp_path_factory, link, capsys):
    outside = tmp_path_factory.mktemp("outside")
    path = repository / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside / "new" if link == BASELINE else outside)
    main(["init", "--baseline"])
    assert list(outside.iterdir()) == []
    captured = capsys.readouterr()
    assert "is a link" in captured.err or f"left {BASELINE}" in captured.out


def test_quoted_text_means_itself_in_toml_and_yaml():
    for text in ["\x00\x1f\x7f\x85\u2028\ufeff\U0001f916\U000e0001\"\\'\t\n${{ }}", *HOSTILE]:
        assert tomllib.loads(f"a = {quote(text)}") == {"a": text}
        assert yaml.safe_load(f"a: {quote(text)}") == {"a": text}


def test_a_folder_that_does_not_exist(capsys, tmp_path):
    folder = tmp_path / "absent"
    assert main(["init", str(folder)]) == 2
    assert capsys.readouterr().err == f"inertial-check: error: {folder}: no such folder\n"


def test_an_empty_repository(tmp_path, monkeypatch, init):
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    assert "No robot model found" in init()
    assert main(["check", ".", "--allow-empty"]) == 0


def test_the_next_command_checks_the_folder_with_its_baseline(repository, init, monkeypatch):
    (repository / "inertial-check.toml").write_text("strict = true\n")
    monkeypatch.chdir(repository.parent)
    command = init("--baseline", repository.name).partition("next: inertial-check ")[2]
    assert main(shlex.split(command)) == 0


def test_a_failure_says_what_was_written_before(repository, capsys):
    (repository / ".github").write_text("a file\n")
    assert main(["init"]) == 2
    captured = capsys.readouterr()
    assert "wrote inertial-check.toml\n" in captured.out
    assert "cannot write .github" in captured.err


def test_what_the_models_need_is_found_and_fetched_by_the_workflow(repository, init, monkeypatch):
    class Stored:
        def get_all(self, name):
            return ["Repository, https://git.example/robots/inertial-check"]

    monkeypatch.setattr("importlib.metadata.metadata", lambda name: Stored())
    find_address.cache_clear()
    (repository / "robots" / "arm.urdf").write_text("<part>" + CLEAN + "</part>")
    (repository / "robots" / "part.xacro").write_text(f"<x>{CLEAN}</x>")
    (repository / ".gitattributes").write_text("*.stl filter=lfs diff=lfs merge=lfs -text\n")
    (repository / ".gitmodules").write_text('[submodule "arm"]\n\tpath = arm\n')
    (repository / ".gitlab-ci.yml").write_text("test: {}\n")
    (repository / ".github").mkdir()
    try:
        out = init()
    finally:
        find_address.cache_clear()
    assert "2 inertials found, none judged: the root element <" in out
    assert "No robot model found" not in out
    assert "Git LFS" in out
    assert "submodules" in out
    steps = yaml.safe_load((repository / GITHUB).read_text())["jobs"]["inertial-check"]["steps"]
    wanted = {"fetch-depth": 2, "persist-credentials": False}
    wanted |= {"lfs": True, "submodules": "recursive"}
    assert steps[0]["with"] == wanted
    first, second = steps[2]["run"].split(" || ")
    assert first.endswith(f'"inertial-check[xacro]=={__version__}"')
    address = "git+https://git.example/robots/inertial-check"
    assert second.endswith(f'"inertial-check[xacro] @ {address}@v{__version__}"')
    job = yaml.safe_load((repository / GITLAB).read_text())["inertial-check"]
    assert job["variables"]["GIT_SUBMODULE_STRATEGY"] == "recursive"
    assert job["before_script"] == [steps[2]["run"]]
