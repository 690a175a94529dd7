"""A cache never changes a report, whatever changes under it or happens to it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inertial_check.checking.check import Document, DocumentResult, ReportContent, check_documents
from inertial_check.checking.settings import Settings
from inertial_check.documents.context import Context
from inertial_check.errors import UsageError
from inertial_check.reports import View, render
from inertial_check.running import cache, run
from inertial_check.running.cache import Folder
from inertial_check.running.run import CheckRequest, check_paths, default_cache
from waiting import wait_until

SETTINGS = Settings().validate()


def settings_of(path):
    return SETTINGS


URDF = """<robot name="r"><link name="a"><inertial><mass value="{mass}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>{shape}</link></robot>"""
MESH = '<collision><geometry><mesh filename="{}"/></geometry></collision>'


@pytest.fixture
def checked(monkeypatch):
    """The paths of the documents that were not taken from the cache, by run."""
    asked = []
    check = check_documents

    def counting(documents, *rest):
        asked.extend(document.path for document in documents)
        return check(documents, *rest)

    monkeypatch.setattr(run, "check_documents", counting)

    def report(*paths, settings=SETTINGS, folder="cache", **options):
        asked.clear()
        request = CheckRequest(
            paths, lambda path: settings, cache=folder, always_cache=True, **options
        )
        found = check_paths(request)
        return render(found, "json", View(exit_code=0)), sorted(asked)

    return report


@pytest.fixture
def models(tmp_path, data_dir, monkeypatch):
    for name in ("valid", "defects", "mjcf", "xacro", "sdf", "usd"):
        if (data_dir / name).is_dir():
            shutil.copytree(data_dir / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_second_run_checks_nothing_and_says_the_same(models, checked):
    cold, first = checked(".")
    warm, second = checked(".")
    assert len(first) > 40
    assert second == []
    assert warm == cold
    assert check_paths(CheckRequest(["."], settings_of)) is not None
    assert cold == render(check_paths(CheckRequest(["."], settings_of)), "json", View(exit_code=0))


@pytest.mark.parametrize(
    ("document", "other"),
    [
        ("valid/rod.urdf", "valid/rod.urdf"),
        ("mjcf/arm.xml", "mjcf/parts/gripper.xml"),
        ("xacro/arm.urdf.xacro", "xacro/parts/rod.xacro"),
        ("xacro/arm.urdf.xacro", "xacro/parts/inertial.yaml"),
        ("usd/gripper.usda", "usd/finger.usda"),
        ("sdf/workcell.world", "sdf/gripper/model.config"),
        ("sdf/workcell.world", "sdf/gripper/gripper.sdf"),
    ],
)
def test_a_change_of_the_file_or_of_what_it_includes_is_seen(models, checked, document, other):
    checked(document)
    assert checked(document)[1] == []
    text = Path(other).read_bytes()
    Path(other).write_bytes(text + b"\n")
    assert checked(document)[1] == [document]
    Path(other).write_bytes(text)
    assert checked(document)[1] == [document]
    if other != document:
        Path(other).unlink()
        assert checked(document)[1] == [document]


def test_a_file_that_was_missing_and_appears_is_seen(tmp_path, monkeypatch, checked):
    monkeypatch.chdir(tmp_path)
    Path("r.urdf").write_text(URDF.format(mass=1, shape=MESH.format("package://p/m.stl")))
    missing, _ = checked("r.urdf")
    assert "IC003" in missing
    assert checked("r.urdf")[1] == []
    Path("p").mkdir()
    assert checked("r.urdf")[1] == ["r.urdf"]
    Path("p/m.stl").write_text("solid m\nendsolid m\n")
    found, asked = checked("r.urdf")
    assert asked == ["r.urdf"]
    assert "IC003" not in found
    Path("p/m.stl").write_text("solid other\nendsolid other\n")
    assert checked("r.urdf")[1] == ["r.urdf"]


def test_other_variables_for_xacro_have_other_entries(tmp_path, monkeypatch, checked):
    pytest.importorskip("xacro", reason="pip install xacro")
    monkeypatch.chdir(tmp_path)
    first, second = (
        Settings(context=Context(xacro_env={"MASS": mass})).validate() for mass in ("1", "2")
    )
    Path("r.xacro").write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:property name="x" value="1"/><link name="a"><inertial>'
        '<mass value="$(env MASS)"/></inertial></link></robot>'
    )
    one, _ = checked("r.xacro", settings=first)
    other, asked = checked("r.xacro", settings=second)
    assert asked == ["r.xacro"]
    assert one != other


@pytest.mark.parametrize(
    "settings", [{"tolerance": 0.1}, {"ignore": ("IC3",)}, {"strict": True}, {"geometry": "off"}]
)
def test_other_settings_have_other_entries(models, checked, settings):
    path, given = "defects/ic301-triangle.urdf", Settings(**settings).validate()
    checked(path)
    other, asked = checked(path, settings=given)
    assert asked
    assert other == checked(path, settings=given, folder="new")[0]
    assert checked(path)[1] == []


def test_another_name_and_being_named_are_told_apart(models, checked, monkeypatch):
    checked("valid")
    _, asked = checked("valid/rod.urdf")
    assert asked == ["valid/rod.urdf"]
    monkeypatch.chdir("valid")
    short, asked = checked("rod.urdf", folder="../cache")
    assert asked == ["rod.urdf"]
    assert '"path": "rod.urdf"' in short


def test_another_program_has_other_entries(models, checked, monkeypatch):
    checked("valid")
    monkeypatch.setattr(cache, "program_digest", lambda: "other")
    assert checked("valid")[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "numpy-2.0.1.dist-info"),
        ("xacro-2.0.9.egg-info", "xacro-2.1.0.egg-info"),
        ("PyYAML-6.0.1.dist-info", "pyyaml-6.0.2.dist-info"),
        ("usd_core.egg-info 25.5", "usd_core.egg-info 25.8"),
    ],
)
def test_another_version_of_a_library_is_another_program(tmp_path, monkeypatch, before, after):
    def digest_with(metadata):
        shutil.rmtree(tmp_path / "installed", ignore_errors=True)
        name, _, version = metadata.partition(" ")
        folder = tmp_path / "installed" / name
        folder.mkdir(parents=True)
        (folder / "PKG-INFO").write_text(f"Name: {name}\nVersion: {version}\n")
        cache.program_digest.cache_clear()
        return cache.program_digest()

    monkeypatch.syspath_prepend(tmp_path / "installed")
    first, second, again = map(digest_with, (before, after, after))
    assert first != second == again
    assert digest_with("numpy_stl-3.0.dist-info") == digest_with("")
    cache.program_digest.cache_clear()


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(models, checked):
    path = Path("valid/rod.urdf")
    checked("valid")
    status, text = path.stat(), path.read_text()
    path.write_text(text.replace('mass value="', 'mass value="-', 1).replace(" ", "", 1))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert "valid/rod.urdf" in checked("valid")[1]  # and those that ask it for their causes


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b'"error"', b'"fine"').replace(b"3", b"4"),
        lambda data: b"\xff" * 100,
        lambda data: b"0 0 [{},[]]",
    ],
)
def test_a_damaged_entry_is_none(models, checked, damage):
    path = "defects/ic301-triangle.urdf"
    cold, first = checked(path)
    for entry in Path("cache/entries").iterdir():
        entry.write_bytes(damage(entry.read_bytes()))
    again, second = checked(path)
    assert second == first
    assert again == cold
    assert checked(path)[1] == []


def test_an_entry_of_another_key_under_this_name_is_none(models, checked):
    checked("valid")
    entries = sorted(Path("cache/entries").iterdir())
    texts = [entry.read_bytes() for entry in entries]
    for entry, text in zip(entries, texts[1:] + texts[:1], strict=True):
        entry.write_bytes(text)
    assert len(checked("valid")[1]) == len(entries)


def test_the_folder_is_ignored_by_git_and_bounded(models):
    store = Folder("cache", largest=4000)
    assert Path("cache/.gitignore").read_text().endswith("*\n")
    old = Path(f"cache/entries/.{40 * '0'}.{8 * '0'}.tmp")  # of a process that was killed
    old.write_bytes(b"")
    os.utime(old, (0, 0))
    for number in range(40):
        path = Path(f"{number:02}.urdf")
        path.write_text("x")
        document = Document(str(path), False, SETTINGS)
        store.put(document, DocumentResult(str(path), lookups=()))
        newest = max(Path("cache/entries").iterdir(), key=lambda entry: entry.stat().st_mtime_ns)
        os.utime(newest, (number, number))
    store.close()
    entries = list(Path("cache/entries").iterdir())
    assert not old.exists()
    assert 0 < sum(entry.stat().st_size for entry in entries) <= 4000
    assert store.get(Document("39.urdf", False, SETTINGS)) is not None
    assert store.get(Document("00.urdf", False, SETTINGS)) is None


def test_few_files_leave_no_cache_unless_it_was_asked_for(models):
    check_paths(CheckRequest(["valid"], settings_of, cache="unasked"))
    assert not Path("unasked").exists()


def test_the_default_lies_in_the_root_of_the_project_and_a_file_is_no_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot use .*file.*: .*--no-cache"):
        Folder(str(tmp_path / "file"))
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "inertial-check.toml").write_text("")
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert default_cache() == str(tmp_path / "a" / ".inertial_check_cache")


def test_a_run_is_taken_up_where_it_was_left(models, checked, tmp_path):
    whole, first = checked("defects", resume="run.jsonl", folder=None)
    lines = Path("run.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == len(first) + 1
    for line in lines:
        json.loads(line if line is lines[0] else line.split(b" ", 2)[2])
    Path("run.jsonl").write_bytes(b"".join(lines[:10]) + lines[10][:50])
    again, second = checked("defects", resume="run.jsonl", folder=None)
    assert again == whole
    assert len(second) == len(first) - 9
    assert checked("defects", resume="run.jsonl", folder=None)[1] == []


@pytest.mark.parametrize("content", [b"<robot/>", b"mine\n", b'{"inertial-check": 3}\n'])
def test_a_file_that_no_run_has_written_is_left_alone(models, checked, content):
    Path("mine").write_bytes(content)
    with pytest.raises(UsageError, match="no run of this command has written it"):
        checked("valid", resume="mine")
    assert Path("mine").read_bytes() == content


def test_a_run_that_is_killed_leaves_a_cache_that_holds(models, request):
    """With few entries or many: the next run says what it should."""
    command = [sys.executable, "-m", "inertial_check", "check", "valid", "defects", "--jobs", "1"]
    command += ["--output-format", "json", "--cache", "killed"]
    content = ReportContent(remedies=True)
    right = check_paths(CheckRequest(["valid", "defects"], settings_of, content=content))
    documents = len(right.files)
    turns = 20 if request.config.getoption("--long") else 3
    for turn in range(turns):
        shutil.rmtree("killed", ignore_errors=True)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
            wait_until(
                lambda turn=turn: (
                    len([*Path("killed").glob("entries/*")]) > turn * documents // turns
                )
            )
            child.kill()
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.stdout.decode() == render(right, "json", View(exit_code=1))
