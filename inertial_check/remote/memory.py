"""Private folders in memory, in which small archives are unpacked.

Models are small files, of which a disk makes some thousand a second, and processes that make them
wait for each other. A process that is killed cannot delete its folder, and memory is scarcer than a
disk; so a process holds a lock on its folder, and the next one removes folders without a lock.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform != "win32":
    import fcntl

_FOLDER = "/dev/shm"
"""Folder of Linux whose files lie in memory."""

_PREFIX = "inertial-check-memory-"

LARGEST = 32 << 20
"""Largest size of all files of an archive that is unpacked in memory [bytes]."""

MOST_FILES = LARGEST >> 12
"""Largest number of these files: each takes at least a page of 4,096 bytes."""

_STALE_AGE = 60.0
"""Age from which a folder without a lock is left over [s]: a new one is locked within this time."""


def may_use_memory() -> bool:
    """Whether there is such a folder with enough room, and TMPDIR does not name another place."""
    try:
        free = shutil.disk_usage(_FOLDER).free
    except OSError:
        return False
    return free >= 2 * LARGEST and tempfile.gettempdir() == "/tmp"


@contextmanager
def make_memory_folder() -> Iterator[str]:
    """Make a private folder in memory, which is deleted at the end of the context.

    Raises:
        OSError: There is no such folder.
    """
    _remove_leftovers()
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=_FOLDER)
    try:
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
        finally:
            os.close(lock)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers() -> None:
    """Remove the folders of this user whose processes were killed."""
    with os.scandir(_FOLDER) as entries:
        found = [each.path for each in entries if each.name.startswith(_PREFIX)]
    for path in found:
        with suppress(OSError):  # it is locked, or another process removes it
            status = os.lstat(path)
            if status.st_uid != os.geteuid() or time.time() - status.st_mtime < _STALE_AGE:
                continue
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
