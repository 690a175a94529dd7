"""Directory walk that finds the files that may be robot models, by their names alone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from inertial_check.documents.files import ignoring

SUFFIXES = frozenset(
    [".urdf", ".xacro", ".sdf", ".world", ".xml", ".mjcf", ".usd", ".usda", ".usdc", ".usdz"]
)
"""File name suffixes of robot models: a walk without a glob yields files with one of these."""

_TEMPORARY = re.compile(r"\..*\.inertial-check-[^.]*\.tmp", re.DOTALL)


class WalkEntry(NamedTuple):
    """File or folder in a walk.

    Attributes:
        printed: The path as reports show it.
        absolute: The path on the disk.
        relative: The path from the start of the walk.
    """

    printed: str
    absolute: str
    relative: str

    def inside(self, name: str) -> WalkEntry:
        """Give the entry of this name in this folder."""
        return WalkEntry(
            _join(self.printed, name),
            os.path.join(self.absolute, name),
            _join(self.relative, name),
        )


class Glob(NamedTuple):
    """Pattern of the paths to find, relative to the start of the walk.

    Attributes:
        expression: The pattern as a regular expression.
        levels: Number of folders between the start and what the pattern can match.
    """

    expression: re.Pattern[str]
    levels: float

    @classmethod
    def of(cls, pattern: str) -> Glob | None:
        """Compile a pattern; None where it is invalid, as with a `[` that is never closed."""
        expression = ignoring.translate_pattern(pattern)
        if expression is None:
            return None
        levels = float("inf") if "**" in pattern else pattern.count("/")
        return cls(re.compile(expression, re.DOTALL), levels)

    def matches(self, entry: WalkEntry) -> bool:
        """Tell whether the entry matches the pattern."""
        return self.expression.fullmatch(entry.relative) is not None

    def goes_below(self, folder: WalkEntry) -> bool:
        """Tell whether something inside the folder could match."""
        return folder.relative.count("/") < self.levels


class _PendingFolder(NamedTuple):
    """Folder still to be read, with the glob and the ignore files that apply inside it."""

    entry: WalkEntry
    glob: Glob | None
    ignores: ignoring.Ignores


def walk(
    printed: str, path: str, glob: Glob | None, failed: Callable[[str, OSError], None]
) -> Iterator[WalkEntry]:
    """Find the files below a folder, each once: models by their suffix, or what a glob matches.

    The walk leaves out hidden folders, what git ignores (but not because of a folder above the
    start: naming a folder overrules that), temporary files of `fix`, and what is no regular file.
    Links to folders are followed after everything that can be reached without them.

    Args:
        printed: The start as reports show it.
        path: The folder at which to start.
        glob: The pattern of files to find; a folder that matches is walked as if it were named.
        failed: Called with each folder that cannot be read, and the error.
    """
    start = os.path.abspath(path)
    folders = [_PendingFolder(WalkEntry(printed, start, ""), glob, ignoring.above(start, failed))]
    links: list[_PendingFolder] = []
    seen: set[tuple[int, int]] = set()
    while folders or links:
        folder = folders.pop() if folders else links.pop(0)
        try:
            entries = _read_entries(folder.entry.absolute, seen)
        except OSError as error:
            failed(folder.entry.printed, error)
            continue
        ignores = ignoring.within(folder.entry.absolute, folder.ignores, failed)
        for child in entries:
            real_folder = child.is_dir(follow_symlinks=False)
            if ignoring.is_ignored(ignores, child.path, real_folder):
                continue
            entry = folder.entry.inside(child.name)
            if not (real_folder or (child.is_symlink() and os.path.isdir(child.path))):
                wanted_glob = folder.glob
                if wanted_glob is None:
                    wanted = os.path.splitext(child.name)[1].lower() in SUFFIXES
                else:
                    wanted = wanted_glob.matches(entry) and not _TEMPORARY.fullmatch(child.name)
                if wanted and (os.path.isfile(child.path) or not os.path.exists(child.path)):
                    yield entry
            elif not child.name.startswith("."):
                (folders if real_folder else links).extend(_enter(entry, folder.glob, ignores))


def _read_entries(absolute: str, seen: set[tuple[int, int]]) -> list[os.DirEntry[str]]:
    """Read the entries of a folder by name; none if it has been seen, under whatever name."""
    status = os.stat(absolute)
    identity = status.st_dev, status.st_ino
    if identity in seen:
        return []
    seen.add(identity)
    with os.scandir(absolute) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _enter(
    entry: WalkEntry, glob: Glob | None, ignores: ignoring.Ignores
) -> Iterator[_PendingFolder]:
    """Yield the folder, if there is anything to find inside it."""
    if glob is None or glob.matches(entry):
        yield _PendingFolder(entry, None, ignores)
    elif glob.goes_below(entry):
        yield _PendingFolder(entry, glob, ignores)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and not folder.endswith("/") else folder + name
