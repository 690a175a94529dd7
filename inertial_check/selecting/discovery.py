"""From the paths on a command line to the files to check."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.formats import FORMATS, root_tag, sniff

if TYPE_CHECKING:
    from inertial_check.files.walk import Glob, WalkEntry

_SNIFFED_BYTES = 1 << 18
_FRAGMENTS = frozenset(["mujocoinclude"])  # read where others include them, or when named
_MAGIC = frozenset("*?[")


class File(NamedTuple):
    """A file to check.

    Attributes:
        path: As given, joined with the walk; "/" between folders.
        named: The caller named it, so that not being a model is a failure.
    """

    path: str
    named: bool


class Discovery(NamedTuple):
    """What the paths hold.

    Attributes:
        files: Sorted by path, without duplicates.
        failures: What could not be looked at, one line each.
        notes: What was left out, one line each.
    """

    files: tuple[File, ...]
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def discover(
    paths: Sequence[str],
    excludes: Callable[[str], bool] = lambda path: False,
    sniff: bool = False,
) -> Discovery:
    """Find the robot models that paths name or hold.

    A named file is always taken, and not opened. Of the files below a folder or behind a glob,
    those are taken that hold a model, by their root element, of a format that is read here.

    Args:
        paths: Files, folders, globs (`**` goes through folders). What exists under the very name
            is no glob.
        excludes: Whether to leave out a file that a walk meets, by its path.
        sniff: Treat named files as a walk does: look into them, and leave out what is excluded.
    """
    search = _Search(excludes, sniff)
    for path in paths:
        search.add(path)
    return search.result()


class _Search:
    """Collects files, and what is to be said about the search."""

    def __init__(self, excludes: Callable[[str], bool], sniff: bool) -> None:
        self._excludes = excludes
        self._sniffs = sniff
        self._found: dict[str, File] = {}
        self._unread: Counter[str] = Counter()
        self._unable: Counter[str] = Counter()
        self._without_model: list[str] = []
        self._failures: list[str] = []
        self._notes: list[str] = []

    def result(self) -> Discovery:
        notes = list(self._notes)
        if self._unread:
            kinds = ", ".join(f"{count} {name}" for name, count in sorted(self._unread.items()))
            notes.append(f"skipped files of formats that this version does not read: {kinds}")
        notes += [f"skipped {n} file{'s' * (n > 1)}: {why}" for why, n in self._unable.items()]
        if self._found or self._failures:  # otherwise "nothing to check" says it
            notes += [f"no robot model in {path}" for path in self._without_model]
        return Discovery(tuple(sorted(self._found.values())), tuple(self._failures), tuple(notes))

    def add(self, path: str) -> None:
        printed = path.replace(os.sep, "/")
        if os.path.isdir(path):
            self._search(printed.rstrip("/") or "/", path, None, printed)
        elif os.path.lexists(path) and self._sniffs:
            from inertial_check.files.walk import WalkEntry

            self._weigh(WalkEntry(printed, os.path.abspath(path), printed))
        elif os.path.lexists(path):
            self._take(printed, os.path.abspath(path), named=True)
        elif not _MAGIC.isdisjoint(path):
            self._expand(printed)
        else:
            self._missing(path)

    def _expand(self, pattern: str) -> None:
        """Search from the folder before the first magic character."""
        from inertial_check.files.walk import Glob

        parts = pattern.split("/")
        plain = next(i for i, part in enumerate(parts) if not _MAGIC.isdisjoint(part))
        start = "/".join(parts[:plain]) or ("/" if plain else "")
        glob = Glob.of("/".join(parts[plain:]).rstrip("/"))
        if glob is None or not os.path.isdir(start or "."):
            self._missing(pattern if glob is None else start)
        else:
            self._search(start, start or ".", glob, pattern)

    def _search(self, printed: str, path: str, glob: Glob | None, given: str) -> None:
        from inertial_check.files.walk import walk

        held = [self._weigh(entry) for entry in walk(printed, path, glob, self._failed)]
        if not any(held):
            self._without_model.append(given)

    def _weigh(self, entry: WalkEntry) -> bool:
        """Take a file that holds a model; returns whether it does, of whatever format."""
        if self._excludes(entry.printed):
            return True  # whether it does nobody wants to know
        suffix = os.path.splitext(entry.absolute)[1].lower()
        try:
            name = _format(entry.absolute)
        except OSError as error:
            if not any(suffix in module.SUFFIXES for module in FORMATS.values()):
                self._notes.append(f"{entry.printed}: skipped, {_reason(error)}")
                return False
            self._take(entry.printed, entry.absolute, named=False)  # the check will say why
            return True
        if (reason := _to_install(name)) is not None:
            self._unable[reason] += 1
        elif name in FORMATS:
            self._take(entry.printed, entry.absolute, named=False)
        elif name is not None:
            self._unread[name] += 1
        return name is not None

    def _take(self, printed: str, absolute: str, named: bool) -> None:
        key = os.path.normcase(absolute)
        known = self._found.get(key)
        if known is None or named > known.named:
            self._found[key] = File(printed, named)

    def _missing(self, path: str) -> None:
        try:
            os.stat(path)
        except (OSError, ValueError) as error:
            self._failures.append(f"{path or repr(path)}: {_reason(error)}")

    def _failed(self, printed: str, error: OSError) -> None:
        self._failures.append(f"{printed}: {_reason(error)}")


def _format(path: str) -> str | None:
    """The format that a file's head betrays; None where it is no robot model."""
    with open(path, "rb") as stream:
        head = stream.read(_SNIFFED_BYTES)
    if root_tag(head) in _FRAGMENTS:
        return None
    return sniff(head)


def _to_install(name: str | None) -> str | None:
    """What has to be installed before documents of a format can be read; None where nothing has."""
    missing = getattr(FORMATS.get(name or ""), "missing", None)
    return None if missing is None else missing()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
