"""Files are replaced whole or not at all, and keep what is theirs."""

import os
import stat

import pytest

from inertial_check.checking.discovery import discover
from inertial_check.documents.files.writing import (
    Replacement,
    Unnamed,
    fingerprint,
    replace_file,
    same_file,
)
from inertial_check.errors import UsageError

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
FULL = OSError(28, "No space left on device")


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
    target.unlink()
    replace_file(str(target), b"first")
    assert target.read_bytes() == b"first"


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


def test_a_file_that_changed_meanwhile_is_refused(target):
    with pytest.raises(UsageError, match="has changed since it was read"):
        replace_file(str(target), b"new", expected=b"older")
    assert target.read_bytes() == b"old"
    with pytest.raises(UsageError, match="has changed since it was read"):
        replace_file(str(target.with_name("gone.urdf")), b"new", expected=b"older")
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


@posix
def test_a_read_only_file_and_a_folder_are_refused_before_anything_is_written(target, tmp_path):
    target.chmod(0o444)
    cases = [(target, r"model\.urdf: cannot be written: the file is read-only"),
             (tmp_path, "no regular file"),
             (tmp_path / "no" / "t", "No such file or directory; nothing was changed")]  # fmt: skip
    for path, reason in cases:
        with pytest.raises(UsageError, match=reason):
            replace_file(str(path), b"new")
        with pytest.raises(UsageError, match=reason), Replacement(str(path)):
            raise AssertionError("entered")
    assert target.read_bytes() == b"old"
    assert alone(target)


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_a_failed_rename_leaves_the_old_file(target, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises((UsageError, KeyboardInterrupt)) as caught:
        replace_file(str(target), b"new")
    if isinstance(error, OSError):
        assert "Input/output error; nothing was changed" in str(caught.value)
    assert target.read_bytes() == b"old"
    assert alone(target)


def test_what_a_killed_writer_leaves_is_no_model(target):
    for name in (".model.urdf.inertial-check-0.tmp", ".model.urdf.inertial-check-0000000f.tmp"):
        target.with_name(name).write_text('<robot name="r"/>')
    target.write_text('<robot name="r"/>')
    assert [file.path for file in discover([str(target.parent)]).files] == [target.as_posix()]


# -- in pieces ----------------------------------------------------------------------------------


def test_what_was_committed_is_there_and_nothing_else(target):
    with Replacement(str(target)) as replacement:
        replacement.stream.write(b"new")
        assert target.read_bytes() == b"old"
        (temporary,) = (e.name for e in target.parent.iterdir() if e.name != target.name)
        assert temporary.startswith(".model.urdf.inertial-check-")
        assert temporary.endswith(".tmp")
        replacement.commit()
    assert target.read_bytes() == b"new"
    assert alone(target)


@pytest.mark.parametrize(
    ("error", "told", "words"),
    [
        (ValueError("mine"), ValueError, "mine"),
        (KeyboardInterrupt(), KeyboardInterrupt, None),
        (FULL, UsageError, r"model\.urdf: cannot be written: No space left"),
    ],
)
def test_what_was_not_committed_leaves_nothing(target, error, told, words):
    with pytest.raises(told, match=words), Replacement(str(target)):
        raise error
    assert target.read_bytes() == b"old"
    assert alone(target)


def test_a_file_that_changed_meanwhile_is_not_replaced(target):
    with target.open("rb") as read, Replacement(str(target), read) as replacement:
        assert read.tell() == 0
        target.write_bytes(b"young")
        with pytest.raises(UsageError, match="has changed since it was read; run again"):
            replacement.commit()
    assert target.read_bytes() == b"young"
    with target.open("rb") as read, Replacement(str(target), read) as replacement:
        target.unlink()
        with pytest.raises(UsageError, match="has changed since it was read"):
            replacement.commit()


def test_the_file_that_was_read_is_replaced(target):
    with target.open("rb") as read, Replacement(str(target), read) as replacement:
        replacement.stream.write(read.read() + b"er")
        replacement.commit()
    assert target.read_bytes() == b"older"


def test_what_has_no_name_can_be_read_again():
    with Unnamed() as target:
        target.stream.write(b"new")
        one = fingerprint(target.stream)
        target.stream.seek(0)
        assert target.stream.read() == b"new"
        target.stream.write(b"er")
        assert fingerprint(target.stream) != one


def test_no_room_for_what_has_no_name_is_one_line():
    with pytest.raises(UsageError, match=r"no room to work in .*: No space left"), Unnamed():
        raise FULL
