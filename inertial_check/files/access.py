"""The one way in which files of a checkout are opened: regular, inside the root, and not too large.

Whoever wrote a model, or anything beside it, may be hostile. A file is opened only if it is a
regular file, its real path lies in a folder that the document may use, and its size is within a
limit. Devices, pipes and sockets are never opened.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from io import BufferedReader

from inertial_check.files.folders import (
    contains,
    is_in_package_of,
    list_packages,
    make_absolute,
    real_path,
    root_of,
)

SYSTEM_FOLDERS = ("/opt/ros",)
"""Folders that every document may use: where ROS is installed."""

READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that took the file's place must not keep us waiting
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
"""Flags with which files that others may have made are opened for reading."""

NO_LINK_FLAGS = READ_FLAGS | getattr(os, "O_NOFOLLOW", 0)
"""The same, where the file must be no link."""

_SIZE_OPTION = "--max-file-size"

_SIZE = re.compile(r"(\d{1,15})\s*(?:([KMG])i?)?B?", re.IGNORECASE | re.ASCII)
_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class RefusedFileError(OSError):
    """A file that is not opened; `strerror` says why and names the option that allows it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(errno.EACCES, reason, path)

    def __reduce__(self) -> tuple[type[RefusedFileError], tuple[str, str]]:
        """Name the arguments, which are not those that OSError keeps."""
        return type(self), (str(self.filename), str(self.strerror))


@dataclass(frozen=True)
class Limits:
    """Largest amounts that one document may take.

    Attributes:
        document: Size of a document, an included file or a setting [bytes].
        mesh: Size of a mesh [bytes]; meshes are read as streams.
        seconds: Time for one document with everything that it refers to [s].
    """

    document: int = 64 << 20
    mesh: int = 1 << 30
    seconds: float = 60.0

    def with_document(self, size: int) -> Limits:
        """Change the largest size of a document; that of meshes is never below it."""
        return replace(self, document=size, mesh=max(Limits.mesh, size))


_ceiling: str | None = None


def confine(folder: str) -> None:
    """Open files only in a folder, whatever a document, a link or an option names.

    It holds for every Access that this process makes from now on, also in the processes that it
    sends one to. The system's folders of ROS stay open.
    """
    global _ceiling  # noqa: PLW0603 - a wall of the whole process
    _ceiling = os.path.realpath(folder)


def is_beyond_ceiling(path: str) -> bool:
    """Tell whether a path lies outside the folder to which this process is confined, if it is."""
    return _ceiling is not None and not contains(_ceiling, os.path.realpath(path))


@dataclass(frozen=True)
class Access:
    """The files that a document may use.

    Attributes:
        roots: Real paths of the folders that the caller named, in which files may be opened beside
            those in the document's own repository.
        follow_outside: Whether files may be opened wherever they lie.
        limits: Largest amounts that one document may take.
        named: Absolute paths of the folders that the caller named, links in them not followed.
        ceiling: Real path of the folder to which everything is confined; None for no such wall.
        around: Real paths of the folders around packages outside a repository; files may be opened
            in each package that lies directly in one of them.
    """

    roots: tuple[str, ...] = ()
    follow_outside: bool = False
    limits: Limits = Limits()
    named: tuple[str, ...] = ()
    ceiling: str | None = field(default_factory=lambda: _ceiling)
    around: tuple[str, ...] = ()

    def of_document(self, path: str) -> Access:
        """Extend the roots by that of a document: see `root_of`.

        For a document below a folder that the caller named, it is the root of that folder, so that
        a linked folder inside it does not become a root. For another document in a package outside
        a repository, the packages beside that one are roots, too.
        """
        if self.follow_outside:
            return self
        absolute = make_absolute(path)
        named = next((each for each in self.named if contains(each, absolute)), None)
        root, is_package = root_of(named or absolute)
        if self.ceiling is not None and contains(root, self.ceiling):
            root = self.ceiling
        if self._holds(root):
            return self
        walled = named is not None or self.ceiling is not None
        around = (os.path.dirname(root),) if is_package and not walled else ()
        return replace(self, roots=(*self.roots, root), around=(*self.around, *around))

    def with_folders(self, folders: Iterable[str | os.PathLike[str]]) -> Access:
        """Extend the roots by folders that the caller named."""
        folders = tuple(folders)
        further = tuple(os.path.realpath(folder) for folder in folders)
        if not further:
            return self
        named = tuple(os.path.abspath(folder) for folder in folders)
        return replace(self, roots=(*self.roots, *further), named=(*self.named, *named))

    def allows(self, path: str) -> bool:
        """Tell whether the real path of a file or folder lies inside the roots."""
        if self.follow_outside and self.ceiling is None:
            return True
        real = real_path(path)
        inside = self.ceiling is None or contains(self.ceiling, real)
        if inside and (self.follow_outside or self._holds(real)):
            return True
        return any(contains(root, real) for root in SYSTEM_FOLDERS)

    def _holds(self, real: str) -> bool:
        """Tell whether a real path lies inside the roots, or in a package beside one."""
        for root in self.roots:
            if contains(root, real):
                return True
        return any(is_in_package_of(folder, real) for folder in self.around)

    def list_roots(self) -> tuple[str, ...]:
        """List the real paths of all folders in which files may be opened."""
        beside = (package for folder in self.around for package in list_packages(folder))
        return (*self.roots, *beside, *SYSTEM_FOLDERS)

    def reason_against(self, path: str) -> str | None:
        """Say why a path must not be opened; None if it may be. The path need not exist."""
        try:
            if self.allows(path):
                return None
        except ValueError:  # a NUL in the path: there is no such file
            return None
        return (
            "lies outside the repository and the folders that were named, and is not opened: "
            "--follow-outside allows it"
        )

    def open_mesh(self, path: str) -> BufferedReader:
        """Open a mesh for reading.

        Raises:
            RefusedFileError: The file lies outside, is no regular file, or is too large.
            OSError: The file does not exist or cannot be read.
        """
        self._expect_allowed(path)
        return open_regular(path, self.limits.mesh, _SIZE_OPTION)

    def read(self, path: str, largest: int | None = None) -> bytes:
        """Read a whole file.

        Args:
            path: The file.
            largest: Largest size [bytes], which no option raises; None for that of a document.

        Raises:
            RefusedFileError: The file lies outside, is no regular file, or is too large.
            OSError: The file does not exist or cannot be read.
        """
        self._expect_allowed(path)
        if largest is None:
            return read_regular(path, self.limits.document, _SIZE_OPTION)
        return read_regular(path, largest)

    def _expect_allowed(self, path: str) -> None:
        reason = self.reason_against(path)
        if reason is not None:
            raise RefusedFileError(path, reason)


def parse_size(text: str) -> int | None:
    """Parse a size such as 200MB, 1 GiB or 65536 [bytes]; None if the text is none.

    K, M and G are powers of 1024.
    """
    match = _SIZE.fullmatch(text.strip())
    return int(match[1]) * _FACTORS[(match[2] or "").upper()] if match else None


def open_regular(
    path: str, largest: int | None = None, option: str | None = None
) -> BufferedReader:
    """Open a regular file for reading.

    Args:
        path: The file.
        largest: Largest size [bytes]; None for any.
        option: Name of the option that raises this size, for the error; None if none does.

    Raises:
        RefusedFileError: The file is no regular file, or too large.
        OSError: The file does not exist or cannot be read.
    """
    # The kind is asked before opening, because opening a device may act; and again afterwards,
    # because another file may stand there by then.
    _expect_regular(path, os.stat(path))
    stream = os.fdopen(os.open(path, READ_FLAGS), "rb")
    try:
        status = os.fstat(stream.fileno())
        _expect_regular(path, status)
        if largest is not None and status.st_size > largest:
            raise _too_large(path, f"{status.st_size}", largest, option)
    except BaseException:
        stream.close()
        raise
    return stream


def read_regular(path: str, largest: int, option: str | None = None) -> bytes:
    """Read a whole regular file; arguments and errors are those of `open_regular`."""
    with open_regular(path, largest, option) as stream:
        data = stream.read(largest + 1)  # the file may have grown, and some have no size
    if len(data) > largest:
        raise _too_large(path, f"more than {largest}", largest, option)
    return data


def _expect_regular(path: str, status: os.stat_result) -> None:
    kind = status.st_mode
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(kind):
        raise RefusedFileError(path, "no regular file, so it is not opened")


def _too_large(path: str, size: str, largest: int, option: str | None) -> RefusedFileError:
    """Make the error for a file that is too large."""
    way = "" if option is None else f"; {option} raises it"
    reason = f"too large: it has {size} bytes, and the limit is {largest}{way}"
    return RefusedFileError(path, reason)
