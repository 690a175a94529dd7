"""The files below a folder that may be robot models, by their names alone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from inertial_check.files import gitignore

SUFFIXES = frozenset(
    [".urdf", ".xacro", ".sdf", ".world", ".xml", ".mjcf", ".usd", ".usda", ".usdc", ".usdz"]
)
"""Of the files that a walk yields where no glob says otherwise."""

_TEMPORARY = re.compile(r"\..*\.inertial-check-[^.]*\.tmp", re.DOTALL)


class Entry(NamedTuple):
    """A file or a folder: where it is for the reader, on the disk, and from the walk's start."""

    printed: str
    absolute: str
    relative: str

    def inside(self, name: str) -> Entry:
        """The entry of this name in this folder."""
        return Entry(
            _joined(self.printed, name),
            os.path.join(self.absolute, name),
            _joined(self.relative, name),
        )


class Glob(NamedTuple):
    """What to look for: a pattern of the path from the walk's start."""

    expression: re.Pattern[str]
    levels: float

    @classmethod
    def of(cls, pattern: str) -> Glob | None:
        """The glob of a pattern; None where it is none, as with a `[` that is never closed."""
        expression = gitignore.translated(pattern)
        if expression is None:
            return None
        levels = float("inf") if "**" in pattern else pattern.count("/")
        return cls(re.compile(expression, re.DOTALL), levels)

    def matches(self, entry: Entry) -> bool:
        """Whether the entry is what to look for."""
        return self.expression.fullmatch(entry.relative) is not None

    def goes_below(self, folder: Entry) -> bool:
        """Whether something inside the folder could match."""
        return folder.relative.count("/") < self.levels


class _Folder(NamedTuple):
    """A folder still to be read, and what holds inside it."""

    entry: Entry
    glob: Glob | None
    ignores: gitignore.Ignores


def walk(
    printed: str, path: str, glob: Glob | None, failed: Callable[[str, OSError], None]
) -> Iterator[Entry]:
    """Files below a folder, each once: those with a model's suffix, or those that a glob wants.

    Left out are hidden folders, what git ignores (but not because of a folder above the start:
    naming a folder overrules that), temporary files of `fix`, and what is no regular file. Links to
    folders are followed, after everything that can be reached without them.

    Args:
        printed: How the start is called in reports.
        path: The start.
        glob: What to look for; a folder that matches is walked as if it had been named.
        failed: Told of each folder that cannot be read.
    """
    start = os.path.abspath(path)
    folders = [_Folder(Entry(printed, start, ""), glob, gitignore.above(start))]
    links: list[_Folder] = []
    seen: set[tuple[int, int]] = set()
    while folders or links:
        folder = folders.pop() if folders else links.pop(0)
        try:
            children = _children(folder.entry.absolute, seen)
        except OSError as error:
            failed(folder.entry.printed, error)
            continue
        ignores = gitignore.within(folder.entry.absolute, folder.ignores)
        for child in children:
            real_folder = child.is_dir(follow_symlinks=False)
            if gitignore.is_ignored(ignores, child.path, real_folder):
                continue
            entry = folder.entry.inside(child.name)
            if not (real_folder or (child.is_symlink() and os.path.isdir(child.path))):
                if _is_wanted(child, entry, folder.glob):
                    yield entry
            elif not child.name.startswith("."):
                (folders if real_folder else links).extend(_entered(entry, folder.glob, ignores))


def _children(absolute: str, seen: set[tuple[int, int]]) -> list[os.DirEntry[str]]:
    """The entries of a folder by name; none if it has been seen, by whatever name."""
    status = os.stat(absolute)
    identity = status.st_dev, status.st_ino
    if identity in seen:
        return []
    seen.add(identity)
    with os.scandir(absolute) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _entered(entry: Entry, glob: Glob | None, ignores: gitignore.Ignores) -> Iterator[_Folder]:
    """The folder, if there is anything to look for inside it."""
    if glob is None or glob.matches(entry):
        yield _Folder(entry, None, ignores)
    elif glob.goes_below(entry):
        yield _Folder(entry, glob, ignores)


def _is_wanted(child: os.DirEntry[str], entry: Entry, glob: Glob | None) -> bool:
    if glob is None:
        wanted = os.path.splitext(child.name)[1].lower() in SUFFIXES
    else:
        wanted = glob.matches(entry) and not _TEMPORARY.fullmatch(child.name)
    # Neither a pipe nor a device; a link that leads nowhere is for the reader to tell of.
    return wanted and (os.path.isfile(child.path) or not os.path.exists(child.path))


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and not folder.endswith("/") else folder + name
