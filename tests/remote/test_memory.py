"""Small archives are unpacked in memory where the system has such a folder, others on the disk."""

import os
import sys
import tempfile
import zipfile

import pytest

from inertial_check.files.access import Limits
from inertial_check.remote import fetch as fetching
from inertial_check.remote import memory as in_memory
from inertial_check.remote.addresses import parse_address
from inertial_check.remote.limits import RefusedError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/dev/shm is a folder of Linux")


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """The folder in memory, for which a plain one stands in; 4,096 bytes of an archive fit in."""
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(in_memory, "_FOLDER", str(folder))
    monkeypatch.setattr(fetching, "LARGEST", 4096)
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    return folder


@pytest.fixture
def pack(tmp_path):
    """pack(size, *names) -> address of an archive with files of this size."""

    def pack(size, *names):
        path = tmp_path / "robots.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names or ("a.urdf", "b/c.urdf"):
                archive.writestr(name, bytes(size))
        return parse_address(str(path))

    return pack


@pytest.mark.parametrize(("size", "inside"), [(100, True), (3000, False)])
def test_what_does_not_fit_into_memory_is_unpacked_on_the_disk(memory, pack, size, inside):
    with fetching.fetch(pack(size), Limits()) as fetched:
        assert fetched.files == ["a.urdf", "b/c.urdf"]
        assert all(
            os.path.getsize(os.path.join(fetched.root, each)) == size for each in fetched.files
        )
        assert fetched.root.startswith(str(memory)) is inside
        assert any(memory.iterdir()) is inside
    assert not os.path.exists(fetched.root)
    assert not any(memory.iterdir())


def test_a_folder_that_the_user_names_is_used(memory, pack, tmp_path, monkeypatch):
    (tmp_path / "named").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "named"))
    with fetching.fetch(pack(100), Limits()) as fetched:
        assert fetched.root.startswith(str(tmp_path / "named"))


def test_limits_hold_in_memory_and_nothing_is_left(memory, pack):
    address = pack(3000, "a.urdf", "b.urdf", "c.urdf", "d.urdf", "e.urdf")
    refused = pytest.raises(RefusedError, match="when unpacked")
    with refused, fetching.fetch(address, Limits(mesh=3000)):
        pass
    assert not any(memory.iterdir())


def test_the_folder_of_a_killed_process_is_removed_and_no_other(memory, pack):
    killed, other = memory / "inertial-check-memory-killed", memory / "somebody-else"
    for folder in (killed, other):
        folder.mkdir()
        os.utime(folder, (0, 0))
    with fetching.fetch(pack(100), Limits()) as running:
        assert not killed.exists()
        os.utime(os.path.dirname(running.root), (0, 0))  # old, and its process holds the lock
        with fetching.fetch(pack(100), Limits()):
            assert os.path.exists(running.root)
    assert list(memory.iterdir()) == [other]
