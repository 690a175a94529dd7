"""Facts about folders: their real paths, and the repositories and packages that they belong to.

While a batch of documents is checked, the system is asked about each folder once: what it said is
kept by a FolderMemory, which is forgotten with the batch. So a process that lives for long, such as
a language server, sees what has changed in the meantime.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import NamedTuple, TypeVar, TypeVarTuple, cast

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PACKAGE_MARKS = ("package.xml", "model.config")
"""Files whose folder is a package: the root of a document that lies in no repository."""

LAYOUT_FOLDERS = frozenset(
    ["mjcf", "model", "models", "robot", "robots", "sdf", "urdf", "usd", "worlds", "xacro", "xml"]
)
"""Names of folders that hold only the documents of a package; its meshes lie beside them."""

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


class FolderMemory:
    """The answers of the system about folders, each asked for once; of each question _REMEMBERED.

    Attributes:
        functions: Each function that asks, with its memory around it.
    """

    def __init__(self) -> None:
        self.functions: dict[Callable[..., object], Callable[..., object]] = {}


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


def make_absolute(path: str | os.PathLike[str]) -> str:
    """Make a path absolute, as os.path.abspath does; most are already, which is soon told."""
    path = os.fspath(path)
    if os.sep == "/" and path.startswith("/") and "//" not in path and "/." not in path:
        return path if path == "/" else path.removesuffix("/")
    return os.path.abspath(path)


def root_of(path: str) -> Root:
    """Find the folder in which a document, or a search of a folder, may use files.

    It is the nearest repository above the document, else the nearest package (PACKAGE_MARKS), else
    the document's own folder, or the one around a folder of LAYOUT_FOLDERS. Where the document or
    a folder above it is a link, the place of the link counts.
    """
    absolute = make_absolute(path)
    folder = absolute if is_folder(absolute) else os.path.dirname(absolute)
    return ask_once(_find_root, folder)


def _find_root(folder: str) -> Root:
    package, above = None, folder
    while True:
        if ask_once(_is_repository, above):
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


def _is_repository(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, _REPOSITORY_MARK))


def is_package(folder: str) -> bool:
    """Tell whether a folder has the manifest of a package."""
    return ask_once(_is_package, folder)


def _is_package(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in PACKAGE_MARKS)


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
    return ask_once(_list_packages, folder)


def _list_packages(folder: str) -> tuple[str, ...]:
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
