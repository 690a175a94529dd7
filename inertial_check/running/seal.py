"""The secret of a user, with which stored results are sealed.

Stored results lie in the checkout, and anybody can write a file that looks like one. So each is
sealed with a keyed digest, whose key only this user has: a file in the user's own cache folder,
outside the checkout.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from contextlib import suppress

from inertial_check.errors import UsageError
from inertial_check.files.access import NO_LINK_FLAGS
from inertial_check.files.folders import contains, root_of
from inertial_check.files.writing import remove_leftovers

_SIZE = 32
"""Size of the secret [bytes]: nobody guesses 256 bits."""

_NAME = "secret"


class RefusedStoreError(UsageError):
    """A cache or a journal that is not used, because somebody else may have made it."""


def read_secret(protected: str) -> bytes:
    """Read the secret of this user, which is made at its first use.

    Args:
        protected: The folder whose files are sealed; the secret must not lie in its checkout.

    Raises:
        RefusedStoreError: The user has no folder outside the checkout for it, or another user can
            read or replace it.
    """
    folder = _user_folder()
    where = os.path.realpath(folder)
    root = root_of(os.path.join(protected, _NAME)).path
    if any(contains(each, where) for each in (root, os.path.realpath(protected))):
        raise RefusedStoreError(
            f"the secret that seals results would lie in {folder}, inside the checkout; "
            "set INERTIAL_CHECK_USER_FOLDER to a folder outside"
        )
    path = os.path.join(folder, _NAME)
    try:
        try:
            return _read(path)
        except FileNotFoundError:
            _make(folder, path)
            return _read(path)
    except OSError as error:
        raise RefusedStoreError(
            f"the secret that seals results cannot be used: {path}: {error.strerror or error}"
        ) from None


def seal(secret: bytes, data: bytes) -> str:
    """Keyed BLAKE2 digest of bytes."""
    return hashlib.blake2b(data, key=secret, digest_size=20).hexdigest()


def _user_folder() -> str:
    """The folder of this program among the caches of the user."""
    if own := os.environ.get("INERTIAL_CHECK_USER_FOLDER"):
        return os.path.abspath(own)
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if not os.path.isabs(given):
        given = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(given, "inertial-check")


def _read(path: str) -> bytes:
    descriptor = os.open(path, NO_LINK_FLAGS)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size != _SIZE:
            raise OSError(f"it is no file of {_SIZE} bytes")
        if hasattr(os, "geteuid"):
            if os.geteuid() not in (0, status.st_uid):
                raise OSError("another user has made it")
            if status.st_mode & 0o077:
                raise OSError("other users may read it")
        return stream.read()


def _make(folder: str, path: str) -> None:
    """Make the secret; where two processes do so at once, the first one's stays."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    remove_leftovers(folder)
    temporary = os.path.join(folder, f".{_NAME}.inertial-check-{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(os.urandom(_SIZE))
        with suppress(FileExistsError):
            # A link, unlike a rename, replaces nothing; Windows' rename does not either.
            (os.rename if sys.platform == "win32" else os.link)(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
