"""Files that are written in pieces are replaced whole or not at all, and keep what is theirs."""

import os
import stat

import pytest

from inertial_check.documents.files.writing import Replacement, Unnamed, fingerprint
from inertial_check.errors import UsageError

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"old")
    return path


def alone(path):
    return [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_what_was_committed_is_there_and_nothing_else(target):
    with Replacement(str(target)) as replacement:
        replacement.stream.write(b"new")
        assert target.read_bytes() == b"old"
        (temporary,) = (e.name for e in target.parent.iterdir() if e.name != target.name)
        assert temporary.startswith(".table.csv.inertial-check-")
        assert temporary.endswith(".tmp")
        replacement.commit()
    assert target.read_bytes() == b"new"
    assert alone(target)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_was_not_committed_leaves_nothing(target, error):
    with pytest.raises(error), Replacement(str(target)):
        raise error
    assert target.read_bytes() == b"old"
    assert alone(target)


def test_a_full_disk_is_one_line_and_leaves_nothing(target):
    with (
        pytest.raises(UsageError, match=r"table\.csv: cannot be written: No space left"),
        Replacement(str(target)),
    ):
        raise OSError(28, "No space left on device")
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


@posix
def test_mode_and_link_stay(target, tmp_path):
    target.chmod(0o640)
    link = tmp_path / "folder" / "link.csv"
    link.parent.mkdir()
    link.symlink_to("../table.csv")
    with Replacement(str(link)) as replacement:
        replacement.stream.write(b"new")
        replacement.commit()
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@posix
def test_a_read_only_file_and_a_folder_are_refused_before_anything_is_written(target, tmp_path):
    target.chmod(0o444)
    cases = [(target, "the file is read-only"), (tmp_path, "no regular file"),
             (tmp_path / "no" / "t", "No such file")]  # fmt: skip
    for path, reason in cases:
        with pytest.raises(UsageError, match=reason), Replacement(str(path)):
            raise AssertionError("entered")
    assert alone(target)


def test_a_failed_rename_leaves_the_old_file(target, monkeypatch):
    def fail(*_):
        raise OSError(5, "Input/output error")

    with Replacement(str(target)) as replacement:
        replacement.stream.write(b"new")
        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(UsageError, match="Input/output error; nothing was changed"):
            replacement.commit()
    assert target.read_bytes() == b"old"
    assert alone(target)


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
        raise OSError(28, "No space left on device")
