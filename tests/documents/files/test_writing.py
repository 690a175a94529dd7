"""Files are replaced whole or not at all, and keep what is theirs."""

import os
import random
import stat
import subprocess
import sys
import time

import pytest

from inertial_check.checking.discovery import discover
from inertial_check.documents.files.writing import replace_file, same_file
from inertial_check.errors import UsageError

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "model.urdf"
    path.write_bytes(b"old")
    return path


def alone(path):
    return [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_new_bytes_and_nothing_else_in_the_folder(target):
    replace_file(str(target), b"new\r\n\xff", expected=b"old")
    assert target.read_bytes() == b"new\r\n\xff"
    assert alone(target)


def test_a_file_that_is_not_there_yet(tmp_path):
    replace_file(str(tmp_path / "out.urdf"), b"new")
    assert (tmp_path / "out.urdf").read_bytes() == b"new"


@posix
@pytest.mark.parametrize("mode", [0o640, 0o600, 0o755])
def test_the_mode_stays(target, mode):
    target.chmod(mode)
    replace_file(str(target), b"new")
    assert stat.S_IMODE(target.stat().st_mode) == mode


@posix
def test_a_new_file_has_the_mode_of_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        replace_file(str(tmp_path / "out.urdf"), b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.urdf").stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a superuser")
def test_the_owner_stays(target):
    os.chown(target, 4321, 4322)
    replace_file(str(target), b"new")
    assert (target.stat().st_uid, target.stat().st_gid) == (4321, 4322)


@posix
def test_a_link_stays_and_its_target_is_replaced(target, tmp_path):
    link = tmp_path / "folder" / "link.urdf"
    link.parent.mkdir()
    link.symlink_to("../model.urdf")
    replace_file(str(link), b"new", expected=b"old")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert [entry.name for entry in link.parent.iterdir()] == ["link.urdf"]


@posix
def test_a_read_only_file_is_refused(target):
    target.chmod(0o444)
    with pytest.raises(UsageError, match=r"model\.urdf: cannot be written: the file is read-only"):
        replace_file(str(target), b"new")
    assert target.read_bytes() == b"old"
    assert alone(target)


def test_a_file_that_changed_meanwhile_is_refused(target):
    with pytest.raises(UsageError, match="has changed since it was read"):
        replace_file(str(target), b"new", expected=b"older")
    assert target.read_bytes() == b"old"
    with pytest.raises(UsageError, match="has changed since it was read"):
        replace_file(str(target.with_name("gone.urdf")), b"new", expected=b"older")
    assert alone(target)


def test_a_folder_and_a_missing_folder_are_refused(tmp_path):
    with pytest.raises(UsageError, match="no regular file"):
        replace_file(str(tmp_path), b"new")
    with pytest.raises(UsageError, match="No such file or directory; nothing was changed"):
        replace_file(str(tmp_path / "nowhere" / "out.urdf"), b"new")


def test_a_failed_rename_leaves_no_temporary_file(target, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(UsageError, match="No space left on device; nothing was changed"):
        replace_file(str(target), b"new")
    assert target.read_bytes() == b"old"
    assert alone(target)


def test_an_interruption_leaves_no_temporary_file(target, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_file(str(target), b"new")
    assert target.read_bytes() == b"old"
    assert alone(target)


def test_a_disk_that_loses_bytes_is_noticed(target, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: os.ftruncate(descriptor, 1))
    with pytest.raises(UsageError, match="does not read back the same"):
        replace_file(str(target), b"new")
    assert target.read_bytes() == b"old"
    assert alone(target)


@posix
def test_the_longest_name_of_a_file_system(tmp_path):
    path = tmp_path / ("é" * 125 + ".urdf")
    path.write_bytes(b"old")
    replace_file(str(path), b"new")
    assert path.read_bytes() == b"new"


def test_same_file(target, tmp_path):
    assert same_file(str(target), str(tmp_path / "." / "model.urdf"))
    assert not same_file(str(target), str(tmp_path / "nothing"))


WRITER = """
import sys
from inertial_check.documents.files.writing import replace_file
contents = [bytes([65 + i]) * 3_000_000 for i in range(2)]
print("ready", flush=True)
for turn in range(10**9):
    replace_file(sys.argv[1], contents[turn % 2])
"""


@posix
def test_a_killed_writer_leaves_the_old_file_or_the_new(tmp_path, request):
    target = tmp_path / "model.urdf"
    target.write_bytes(b"A" * 3_000_000)
    rng = random.Random(5)
    for _ in range(60 if request.config.getoption("--long") else 6):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0.0, 0.05))
        process.kill()
        process.communicate()
        data = target.read_bytes()
        assert len(data) == 3_000_000
        assert data[:1] in (b"A", b"B")
        assert data.count(data[:1]) == len(data)
    leftovers = [entry.name for entry in tmp_path.iterdir() if entry.name != "model.urdf"]
    assert all(name.startswith(".model.urdf.inertial-check-") for name in leftovers)
    assert all(name.endswith(".tmp") for name in leftovers)
    (tmp_path / "model.urdf").write_text('<robot name="r"/>')
    for name in [*leftovers, ".model.urdf.inertial-check-0.tmp"]:
        (tmp_path / name).write_text('<robot name="r"/>')
    assert [file.path for file in discover([str(tmp_path)]).files] == [target.as_posix()]
