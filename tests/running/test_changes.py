"""What a change in git concerns: never less than what depends on it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from inertial_check.checking.settings import Settings
from inertial_check.errors import UsageError
from inertial_check.running.run import Changes, CheckRequest, check_paths

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="install git")

SETTINGS = Settings().validate()


def settings_of(path):
    return SETTINGS


URDF = """<robot name="r"><link name="a"><collision><geometry>
<mesh filename="{}"/></geometry></collision></link></robot>"""


def git(*arguments):
    options = ("-c", "user.email=a@b", "-c", "user.name=n", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *options, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, data_dir, monkeypatch):
    """Models with includes and meshes, committed; it is the working directory."""
    for name in ("mjcf", "xacro"):
        shutil.copytree(data_dir / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    Path("p/meshes").mkdir(parents=True)
    Path("p/package.xml").write_text("<package><name>named</name></package>")
    Path("p/meshes/m.stl").write_text("solid m\nendsolid m\n")
    Path("p/by-package.urdf").write_text(URDF.format("package://named/meshes/m.stl"))
    Path("p/missing.urdf").write_text(URDF.format("meshes/new.stl"))
    Path("plain.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    return tmp_path


def concerned(revision="HEAD", *paths):
    request = CheckRequest(paths or ["."], settings_of, changes=Changes(revision))
    report = check_paths(request)
    return [file.path.removeprefix("./") for file in report.files], report


def touch(name):
    Path(name).write_bytes(Path(name).read_bytes() + b"\n")


def test_without_a_change_nothing_is_checked_and_that_is_said(repository):
    files, report = concerned()
    assert files == []
    assert report.failures == ()
    assert report.notes == ("none of 6 files is affected by a change",)


@pytest.mark.parametrize("commit", ["", "add", "commit"])
def test_changes_count_committed_staged_or_neither(repository, commit):
    git("tag", "start")
    touch("plain.urdf")
    if commit:
        git("add", "-A")
    if commit == "commit":
        git("commit", "-q", "-m", "second")
    assert concerned("start")[0] == ["plain.urdf"]


def test_files_that_git_does_not_track_count(repository):
    """Also a mesh that a model has looked for in vain."""
    shutil.copy("plain.urdf", "new.urdf")
    Path(".gitignore").write_text("ignored.urdf\n")
    shutil.copy("new.urdf", "ignored.urdf")
    Path("p/meshes/new.stl").write_text("solid m\nendsolid m\n")
    assert concerned()[0] == ["new.urdf", "p/missing.urdf"]
    assert concerned("HEAD", "ignored.urdf")[0] == ["ignored.urdf"]


@pytest.mark.parametrize(
    ("changed", "root"),
    [
        ("mjcf/parts/gripper.xml", ["mjcf/arm.xml"]),
        ("xacro/parts/rod.xacro", ["xacro/arm.urdf.xacro"]),
        ("xacro/parts/inertial.yaml", ["xacro/arm.urdf.xacro"]),
        ("p/meshes/m.stl", ["p/by-package.urdf"]),
        ("p/package.xml", ["p/by-package.urdf"]),
    ],
)
def test_what_depends_on_a_changed_file_counts(repository, changed, root):
    touch(changed)
    assert set(root) <= set(concerned()[0])
    assert "plain.urdf" not in concerned()[0]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (("rm", "-q", "xacro/parts/rod.xacro"), ["xacro/arm.urdf.xacro"]),
        (
            ("mv", "xacro/parts/rod.xacro", "xacro/parts/other.xacro"),
            ["xacro/arm.urdf.xacro", "xacro/parts/other.xacro"],
        ),
        (("mv", "plain.urdf", "renamed.urdf"), ["renamed.urdf"]),
    ],
)
def test_what_is_gone_concerns_its_new_name_and_what_depends_on_it(repository, command, files):
    git(*command)
    assert concerned()[0] == files


def test_a_changed_configuration_concerns_all_below_it(repository):
    Path("p/inertial-check.toml").write_text('ignore = ["IC003"]\n')
    assert concerned()[0] == ["p/by-package.urdf", "p/missing.urdf"]
    Path("p/inertial-check.toml").unlink()
    Path("p/pyproject.toml").write_text("[tool.other]\n")
    assert concerned()[0] == []


def test_changes_on_the_other_side_of_the_merge_base_do_not_count(repository):
    git("checkout", "-q", "-b", "side")
    git("checkout", "-q", "-b", "ahead")
    touch("plain.urdf")
    git("commit", "-q", "-a", "-m", "on the other branch")
    git("checkout", "-q", "side")
    assert concerned("ahead")[0] == []


def test_it_works_below_the_root_and_with_names_that_git_would_quote(repository, monkeypatch):
    Path("p/ä b.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    git("add", "-A")
    git("commit", "-q", "-m", "second")
    touch("p/ä b.urdf")
    monkeypatch.chdir("p")
    assert concerned()[0] == ["ä b.urdf"]


@pytest.mark.parametrize(
    ("revision", "words"), [("nothing", "Not a valid object name"), ("-x", "expected a revision")]
)
def test_what_is_no_revision_is_told_in_the_words_of_git(repository, revision, words):
    with pytest.raises(UsageError, match=words):
        Changes(revision)


def test_without_a_repository_or_git_that_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="not a git repository"):
        Changes("HEAD")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="cannot be run"):
        Changes("HEAD")
