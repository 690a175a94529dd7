"""Discovery of the files to check: named files, folder searches and globs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.checking.report import SkippedFiles
from inertial_check.documents.context import Head
from inertial_check.documents.files.access import (
    Access,
    FolderMemory,
    RefusedFileError,
    open_regular,
    remember_folders,
)
from inertial_check.documents.inertials import CountedFile, count_bytes
from inertial_check.documents.load import FORMATS, find_missing, match_format, root_tag
from inertial_check.documents.source import Source

if TYPE_CHECKING:
    from inertial_check.documents.files.walking import Glob, WalkEntry


_SNIFFED_BYTES = 1 << 18
"""Length of the beginning of a file from which its format is recognised [bytes]."""

_FRAGMENTS = frozenset(["mujocoinclude"])
"""Root elements of files that are checked only where other files include them, or when named."""

_MAGIC = frozenset("*?[")
"""Characters that make a path a glob."""


class File(NamedTuple):
    """A file to check.

    Attributes:
        path: Its path, beginning as the caller wrote it; "/" between folders.
        named: Whether the caller named it, so that a file that is no model is a failure.
    """

    path: str
    named: bool


class Discovery(NamedTuple):
    """The files that the paths name or contain.

    Attributes:
        files: Sorted by path, without duplicates.
        failures: A message for each path that could not be read.
        notes: Messages about files that were skipped.
        counted: Inertials of files that are no models, and so are not judged.
        skipped: Files that were met and are no models, by kind.
    """

    files: tuple[File, ...]
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    counted: tuple[CountedFile, ...] = ()
    skipped: tuple[SkippedFiles, ...] = ()


def discover(
    paths: Sequence[str],
    excludes: Callable[[str], bool] = lambda path: False,
    sniff: bool = False,
    access_of: Callable[[str], Access] = lambda path: Access().of_document(path),
) -> Discovery:
    """Find the robot models that paths name or contain.

    A named file is always included, without opening it. Files below a folder or matched by a glob
    are included if their root element shows that they are models of a supported format. A link that
    leads out of what may be used is included without opening it, so that the check reports it.

    Args:
        paths: Files, folders and globs (`**` matches folders of any depth). A path that exists is
            never taken as a glob.
        excludes: Whether a folder search leaves out the file at a path.
        sniff: Treat named files as a folder search does: skip excluded files and files that are no
            models.
        access_of: Gives the files that may be opened in a search that starts at a path.
    """
    search = _Search(excludes, sniff, access_of)
    for path in paths:
        search.add(path)
    return search.result()


class FileSearch:
    """A search whose files are given as they are found, so that it needs no memory for them.

    Arguments are those of `discover`. A file that two paths name or contain is given twice.
    """

    def __init__(
        self,
        excludes: Callable[[str], bool] = lambda path: False,
        sniff: bool = False,
        access_of: Callable[[str], Access] = lambda path: Access().of_document(path),
    ) -> None:
        self._search = _Search(excludes, sniff, access_of)

    def find(self, path: str) -> Iterator[File]:
        """Find the files that a path names or contains, folder by folder."""
        yield from self._search.stream(path)

    def messages(self) -> Discovery:
        """The failures and notes of the search so far, without files."""
        return self._search.result()


class _Search:
    """A search in progress: the files found, and the messages about it."""

    def __init__(
        self,
        excludes: Callable[[str], bool],
        sniff: bool,
        access_of: Callable[[str], Access],
    ) -> None:
        self._excludes = excludes
        self._sniffs = sniff
        self._access_of = access_of
        self._folders = FolderMemory()
        self._missing_extra = cache(find_missing)
        self._found: dict[str, File] = {}
        self._unread: Counter[str] = Counter()
        self._unable: Counter[str] = Counter()
        self._without_model: list[str] = []
        self._failures: list[str] = []
        self._notes: list[str] = []
        self._counted: list[CountedFile] = []

    def result(self) -> Discovery:
        notes = list(self._notes)
        if self._unread:
            kinds = ", ".join(f"{count} {name}" for name, count in sorted(self._unread.items()))
            notes.append(f"skipped files of formats that this version does not read: {kinds}")
        notes += [f"skipped {n} file{'s' * (n > 1)}: {why}" for why, n in self._unable.items()]
        if self._found or self._failures:  # otherwise "nothing to check" says it
            notes += [f"no robot model in {path}" for path in self._without_model]
        files, counted = tuple(sorted(self._found.values())), tuple(self._counted)
        return Discovery(files, tuple(self._failures), tuple(notes), counted)

    def add(self, path: str) -> None:
        for _ in self._steps(path):
            pass

    def stream(self, path: str) -> Iterator[File]:
        """Find the files of a path; each is given and forgotten."""
        for _ in self._steps(path):
            yield from self._found.values()
            self._found.clear()

    def _steps(self, path: str) -> Iterator[None]:
        """Consider the files of a path; a step for each."""
        printed = path.replace(os.sep, "/")
        if os.path.isdir(path):
            yield from self._search(printed.rstrip("/") or "/", path, None, printed)
        elif os.path.lexists(path) and self._sniffs:
            from inertial_check.documents.files.walking import WalkEntry

            entry = WalkEntry(printed, os.path.abspath(path), printed)
            self._consider(entry, self._access_of(path))
        elif os.path.lexists(path):
            self._take(printed, os.path.abspath(path), named=True)
        elif not _MAGIC.isdisjoint(path):
            yield from self._expand(printed)
        else:
            self._add_missing(path)
        yield

    def _expand(self, pattern: str) -> Iterator[None]:
        """Search a glob, from the folder before its first magic character."""
        from inertial_check.documents.files.walking import Glob

        parts = pattern.split("/")
        plain = next(i for i, part in enumerate(parts) if not _MAGIC.isdisjoint(part))
        start = "/".join(parts[:plain]) or ("/" if plain else "")
        glob = Glob.of("/".join(parts[plain:]).rstrip("/"))
        if glob is None or not os.path.isdir(start or "."):
            self._add_missing(pattern if glob is None else start)
        else:
            yield from self._search(start, start or ".", glob, pattern)

    def _search(self, printed: str, path: str, glob: Glob | None, given: str) -> Iterator[None]:
        from inertial_check.documents.files.walking import walk

        access = self._access_of(path)
        holds_models = False
        for entry in walk(printed, path, glob, self._add_failure):
            with remember_folders(self._folders):
                holds_models |= self._consider(entry, access)
            yield
        if not holds_models:
            self._without_model.append(given)

    def _consider(self, entry: WalkEntry, access: Access) -> bool:
        """Include a file if it is a model; returns whether it is one, of whatever format."""
        if self._excludes(entry.printed):
            return True  # so that a folder of excluded files is not reported as empty
        suffix = os.path.splitext(entry.absolute)[1].lower()
        try:
            # The format of a file, recognised by its beginning; None if it is no robot model.
            path = entry.absolute
            if (format_reason := access.reason_against(path)) is not None:
                raise RefusedFileError(path, format_reason)
            with open_regular(path) as stream:
                head = stream.read(_SNIFFED_BYTES)
                tag = root_tag(head)
                name = None if tag in _FRAGMENTS else match_format(Head(tag, head))
                reason = self._missing_extra(name)
                if reason is not None or name not in FORMATS:
                    head += stream.read(access.limits.document)
                    self._count(Source(entry.printed, head), tag or root_tag(head), reason)
        except RefusedFileError:
            self._take(entry.printed, entry.absolute, named=False)  # the check reports the reason
            return True
        except OSError as error:
            if not any(suffix in module.SUFFIXES for module in FORMATS.values()):
                self._notes.append(f"{entry.printed}: skipped, {_reason(error)}")
                return False
            self._take(entry.printed, entry.absolute, named=False)  # the check reports the error
            return True
        if reason is not None:
            self._unable[reason] += 1
        elif name in FORMATS:
            self._take(entry.printed, entry.absolute, named=False)
        elif name is not None:
            self._unread[name] += 1
        return name is not None

    def _count(self, source: Source, tag: str | None, reason: str | None) -> None:
        """Count the inertials of a file that is no model, or that no reader here can read."""
        if tag in _FRAGMENTS:
            reason = "no model of this run includes this fragment"
        elif reason is None:
            reason = f"the root element <{tag}> is no robot model" if tag else "it is no XML"
        if (counted := count_bytes(source, reason)).inertials:
            self._counted.append(counted)

    def _take(self, printed: str, absolute: str, named: bool) -> None:
        key = os.path.normcase(absolute)
        known = self._found.get(key)
        if known is None or named > known.named:
            self._found[key] = File(printed, named)

    def _add_missing(self, path: str) -> None:
        try:
            os.stat(path)
        except (OSError, ValueError) as error:
            self._failures.append(f"{path or repr(path)}: {_reason(error)}")

    def _add_failure(self, printed: str, error: OSError) -> None:
        self._failures.append(f"{printed}: {_reason(error)}")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
