"""The one way in which files of a checkout are opened: regular, inside the root, and not too large.

Whoever wrote a model, or anything beside it, may be hostile. A file is opened only if it is a
regular file, its real path lies in a folder that the document may use, and its size is within a
limit. Devices, pipes and sockets are never opened.

Facts about folders: their real paths, and the repositories and packages that they belong to.

While documents are checked together, the system is asked about each folder once: what it said is
kept by a FolderMemory, which is forgotten with the run. So a process that lives for long, such as
a language server, sees what has changed in the meantime.

Types of the values that JSON can hold.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import BufferedReader
from typing import Any, NamedTuple, TypeAlias, TypeVar, TypeVarTuple, cast

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PACKAGE_MARKS = ("package.xml", "model.config")
"""Files whose folder is a package: the root of a document that lies in no repository."""

LFS_POINTER = b"version https://git-lfs"
"""First bytes of a file that Git LFS puts in place of a large one."""

LAYOUT_FOLDERS = frozenset(
    ["mjcf", "model", "models", "robot", "robots", "sdf", "urdf", "usd", "worlds", "xacro", "xml"]
)
"""Names of folders that hold only the documents of a package; its meshes lie beside them."""

SUFFIXES = frozenset(
    [".urdf", ".xacro", ".sdf", ".world", ".xml", ".mjcf", ".usd", ".usda", ".usdc", ".usdz"]
)
"""File name suffixes of robot models: a walk without a glob yields files with one of these."""

MESH_SUFFIXES = frozenset([".3mf", ".dae", ".glb", ".gltf", ".obj", ".off", ".ply", ".stl"])
"""File name suffixes of meshes, which a walk without a glob yields as well: Git LFS may have left
pointers in their place."""

ARCHIVE_SUFFIXES = frozenset(
    [".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst"]
)
"""File name suffixes of archives: a walk without a glob yields them, and a search counts them."""

_REPOSITORY_MARK = ".git"
_REMEMBERED = 4096
"""Largest number of folders that one memory holds; the least recently used are forgotten."""

_DEEP = 64
"""Number of folders above each other from which the system resolves their links at once."""


class Root(NamedTuple):
    """The folder in which a document may use files.

    Attributes:
        path: Its real path.
        is_package: Whether it is a package outside a repository, so that the packages beside it may
            be used, too.
    """

    path: str
    is_package: bool = False


@dataclass(frozen=True, slots=True)
class FolderMemory:
    """The answers of the system about folders, each asked for once; of each question _REMEMBERED.

    Attributes:
        functions: Each function that asks, with its memory around it.
    """

    functions: dict[Callable[..., object], Callable[..., object]] = field(default_factory=dict)


_memory: ContextVar[FolderMemory | None] = ContextVar("_memory", default=None)


@contextmanager
def remember_folders(memory: FolderMemory | None = None) -> Iterator[None]:
    """Ask the system only once about each folder inside the context.

    Inside another such context this one changes nothing. It must not be held while a generator is
    suspended, because it would then hold for the caller of the generator as well.

    Args:
        memory: The memory to use; None for one that is forgotten with the context.
    """
    if _memory.get() is not None:
        yield
        return
    token = _memory.set(memory or FolderMemory())
    try:
        yield
    finally:
        _memory.reset(token)


def root_of(path: str) -> Root:
    """Find the folder in which a document, or a search of a folder, may use files.

    It is the nearest repository above the document, else the nearest package (PACKAGE_MARKS), else
    the document's own folder, or the one around a folder of LAYOUT_FOLDERS. Where the document or
    a folder above it is a link, the place of the link counts.
    """
    absolute = os.path.abspath(path)
    folder = absolute if is_folder(absolute) else os.path.dirname(absolute)
    return ask_once(_find_root, folder)


def _find_root(folder: str) -> Root:
    package, above = None, folder
    while True:
        if ask_once(os.path.lexists, os.path.join(above, _REPOSITORY_MARK)):
            return Root(real_path(above))
        if package is None and is_package(above):
            package = above
        outer = os.path.dirname(above)
        if outer == above:
            break
        above = outer
    if package is not None:
        return Root(real_path(package), is_package=True)
    in_layout = os.path.basename(folder).lower() in LAYOUT_FOLDERS
    return Root(real_path(os.path.dirname(folder) if in_layout else folder))


def is_package(folder: str) -> bool:
    """Tell whether a folder has the manifest of a package."""
    return any(ask_once(os.path.lexists, os.path.join(folder, mark)) for mark in PACKAGE_MARKS)


def ask_once(function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Call a function that asks the system about a path, only once for a batch of documents.

    Args:
        function: A function of a module: a bound method would be another function each time.
        arguments: The path, and whatever else the answer depends on.
    """
    memory = _memory.get()
    if memory is None:
        return function(*arguments)
    if function not in memory.functions:
        memory.functions[function] = lru_cache(_REMEMBERED)(function)
    return cast("T", memory.functions[function](*arguments))


def is_folder(path: str) -> bool:
    """Tell whether there is a folder at a path."""
    return ask_once(os.path.isdir, path)


def is_in_package_of(folder: str, path: str) -> bool:
    """Tell whether a real path is, or lies in, a package that lies directly in a folder."""
    if path == folder or not contains(folder, path):
        return False
    above = folder if folder.endswith(os.sep) else folder + os.sep
    return is_package(above + path[len(above) :].partition(os.sep)[0])


def list_packages(folder: str) -> tuple[str, ...]:
    """List the packages that lie directly in a folder, without links."""
    try:
        with os.scandir(folder) as entries:
            folders = sorted(each.path for each in entries if each.is_dir(follow_symlinks=False))
    except OSError:
        return ()
    return tuple(filter(is_package, folders))


def real_path(path: str) -> str:
    """Resolve all links in a path, as os.path.realpath does, but each folder only once."""
    if _memory.get() is None:
        return os.path.realpath(path)
    if not path.startswith(os.sep):
        path = os.path.join(os.getcwd(), path)
    folder, name = path.rpartition("/")[::2] if os.sep == "/" else os.path.split(path)
    # Behind a link, `..` is the folder above its target: only the system can tell which one.
    if name in {"", os.curdir} or (os.pardir in path and os.pardir in path.split(os.sep)):
        return os.path.realpath(path)
    real = ask_once(_find_real, folder or os.sep)
    real = f"{real}{name}" if real.endswith(os.sep) else f"{real}{os.sep}{name}"
    return os.path.realpath(real) if os.path.islink(real) else real


def _find_real(folder: str) -> str:
    """Resolve the links in a folder, from the folders above it, which are mostly known."""
    return os.path.realpath(folder) if folder.count(os.sep) > _DEEP else real_path(folder)


def is_archive(path: str) -> bool:
    """Tell whether a path has the suffix of an archive that can be named to be checked."""
    return path.lower().endswith(tuple(ARCHIVE_SUFFIXES))


def contains(folder: str, path: str) -> bool:
    """Tell whether a path is a folder or lies below it; both are real paths."""
    return path == folder or path.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def contains_any(folders: Collection[str], path: str) -> bool:
    """Tell whether a path is one of some folders or lies below one; all are real paths.

    A set of many folders takes no longer than one: the folders above the path are looked up in it.
    """
    above = ""
    while path != above and path not in folders:
        path, above = os.path.dirname(path), path
    return path != above


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

NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
"""Flags with which a file is made that must not exist, nor a link at its place."""

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
        trees: Folders of packages and install trees that the caller named; a package that the tree
            around a document does not hold is searched in them.
    """

    roots: tuple[str, ...] = ()
    follow_outside: bool = False
    limits: Limits = Limits()
    named: tuple[str, ...] = ()
    ceiling: str | None = field(default_factory=lambda: _ceiling)
    around: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()

    def of_document(self, path: str) -> Access:
        """Extend the roots by that of a document: see `root_of`.

        For a document below a folder that the caller named, it is the root of that folder, so that
        a linked folder inside it does not become a root. For another document in a package outside
        a repository, the packages beside that one are roots, too.
        """
        if self.follow_outside:
            return self
        absolute = os.path.abspath(path)
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
        beside = (package for folder in self.around for package in ask_once(list_packages, folder))
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
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise RefusedFileError(path, "no regular file, so it is not opened")


def _too_large(path: str, size: str, largest: int, option: str | None) -> RefusedFileError:
    """Make the error for a file that is too large."""
    way = "" if option is None else f"; {option} raises it"
    reason = f"too large: it has {size} bytes, and the limit is {largest}{way}"
    return RefusedFileError(path, reason)


Json: TypeAlias = "str | float | int | bool | Sequence[Json] | Mapping[str, Json] | None"
"""A JSON value: a text, a number, true, false, null, an array or an object."""

JsonObject: TypeAlias = dict[str, Any]  # Any: the reader of an object knows what its keys hold
"""A parsed JSON object whose form is known to the reader, such as an answer of another process."""
