"""Discovery of the files to check: named files, folder searches and globs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.checking.report import SkippedFiles
from inertial_check.documents.context import Head
from inertial_check.documents.files.access import (
    LFS_POINTER,
    MESH_SUFFIXES,
    SUFFIXES,
    Access,
    FolderMemory,
    RefusedFileError,
    contains,
    is_archive,
    open_regular,
    remember_folders,
    root_of,
)
from inertial_check.documents.inertials import CountedFile, count_bytes
from inertial_check.documents.load import (
    FORMATS,
    describe_root,
    find_missing,
    match_format,
    root_tag,
)
from inertial_check.documents.source import Source
from inertial_check.documents.spelling import suggest_path

if TYPE_CHECKING:
    from inertial_check.documents.files.walking import Glob, WalkEntry


_SNIFFED_BYTES = 1 << 18
"""Length of the beginning of a file from which its format is recognised [bytes]."""

_FRAGMENTS = frozenset(["mujocoinclude"])
"""Root elements of files that are checked only where other files include them, or when named."""

_MAGIC = frozenset("*?[")
"""Characters that make a path a glob."""


LINK_OUT = "link out of the repository"
"""Kind of links that a search does not follow; a gate refuses them."""

_REMEDIES = {
    "dangling link": "they lead to nothing",
    LINK_OUT: "name what they lead to, or --follow-outside",
    "Git LFS pointer": "`git lfs pull` fetches the files",
    "empty submodule": "`git submodule update --init --recursive` fetches them",
    "archive": "name an archive to check the models in it",
    "file in a hidden folder": "name the folder to check them",
    "file like a model": "their content is no robot model",
}
"""Kinds of what a search meets and does not check, and what the user can do about it."""

_COMMON = frozenset([".xacro", ".xml"])
"""Suffixes that most files without a robot model have as well."""

_SHOWN = 3
"""Number of paths that the note on a kind lists."""

_MOST_PATHS = 1000
"""Largest number of paths that are kept of one kind."""

_MOST_POINTER = 1 << 10
"""Largest size of a pointer of Git LFS [bytes]; larger files with the suffix of a mesh are not
opened by a search."""


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
        skipped: What was met and is no model, by kind; the notes count it, too.
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
    are included if their root element shows that they are models of a supported format, each once
    however many links name it. A link that leads out of what may be used is not opened; it is
    counted, or with `sniff` included, so that the check reports it.

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
        self._skipped: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()
        self._identities: set[tuple[int, int]] = set()

    def result(self) -> Discovery:
        notes = list(self._notes)
        if self._unread:
            kinds = ", ".join(f"{count} {name}" for name, count in sorted(self._unread.items()))
            notes.append(f"skipped files of formats that this version does not read: {kinds}")
        notes += [f"skipped {n} file{'s' * (n > 1)}: {why}" for why, n in self._unable.items()]
        if self._found or self._failures:  # otherwise "nothing to check" says it
            notes += [f"no robot model in {path}" for path in self._without_model]
        skipped = []
        for kind in filter(self._counts.__getitem__, _REMEDIES):
            count, paths = self._counts[kind], sorted(self._skipped[kind])
            skipped.append(SkippedFiles(kind, count, tuple(paths)))
            plural = kind.replace(" ", "s ", 1) if kind[:4] in {"link", "file"} else f"{kind}s"
            listed = ", ".join([*paths[:_SHOWN], *(["..."] if count > _SHOWN else [])])
            noun = kind if count == 1 else plural
            notes.append(f"skipped {count} {noun}: {_REMEDIES[kind]} ({listed})")
        files, counted = tuple(sorted(self._found.values())), tuple(self._counted)
        return Discovery(files, tuple(self._failures), tuple(notes), counted, tuple(skipped))

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
        outer = root_of(os.path.dirname(os.path.abspath(path))).path
        leaves = os.path.islink(path) and not contains(outer, os.path.realpath(path))
        if os.path.isdir(path) and leaves and self._sniffs:
            message = "a link out of the repository, which --sniff does not follow"
            self._failures.append(f"{printed}: {message}")
        elif os.path.isdir(path):
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
        from inertial_check.documents.files.walking import find_empty_submodules, walk

        access = self._access_of(path)
        holds_models = False
        start, root = os.path.realpath(path), root_of(path).path
        for module in find_empty_submodules(root):
            folder = os.path.join(root, *module.split("/"))
            if contains(start, folder):
                inside = os.path.relpath(folder, start).replace(os.sep, "/")
                self._skip("empty submodule", f"{printed.rstrip('/')}/{inside}")

        def enters(folder: WalkEntry) -> bool:
            if access.allows(folder.absolute):
                return True
            self._skip(LINK_OUT, folder.printed)
            return False

        def tell_hidden(folder: WalkEntry) -> None:
            link = os.path.islink(folder.absolute)
            if glob is not None or link or os.path.basename(folder.absolute) == ".git":
                return
            inside = walk(folder.printed, folder.absolute, None, self._add_failure, lambda _: False)
            for each in inside:
                suffix = os.path.splitext(each.printed)[1].lower()
                if suffix in SUFFIXES - {".xml"} and not self._excludes(each.printed):
                    self._skip("file in a hidden folder", each.printed)

        for entry in walk(printed, path, glob, self._add_failure, enters, tell_hidden):
            with remember_folders(self._folders):
                holds_models |= self._consider(entry, access)
            yield
        if not holds_models:
            self._without_model.append(given)

    def _consider(self, entry: WalkEntry, access: Access) -> bool:
        """Include a file if it is a model; returns whether it is one, of whatever format."""
        if self._excludes(entry.printed):
            return True  # so that a folder of excluded files is not reported as empty
        if is_archive(entry.absolute) and os.path.isfile(entry.absolute):
            self._skip("archive", entry.printed)
            return False
        if kind := self._find_kind_of_link(entry.absolute, access):
            self._skip(kind, entry.printed)
            return False
        suffix = os.path.splitext(entry.absolute)[1].lower()
        try:
            identity, head = self._read_head(entry.absolute, suffix, access)
        except OSError as error:
            taken = isinstance(error, RefusedFileError) or suffix in SUFFIXES - {".xml"}
            if taken:
                self._take(entry.printed, entry.absolute, named=False)  # the check says the reason
            else:
                self._notes.append(f"{entry.printed}: skipped, {_reason(error)}")
            return taken
        if head is None or identity in self._identities:
            return head is not None
        name = self._find_format(entry.printed, suffix, head)
        self._identities.update([identity] if name is not None else [])
        reason = self._missing_extra(name)
        if suffix not in MESH_SUFFIXES and (reason is not None or name not in FORMATS):
            self._count(entry, head, reason, access)
        if reason is not None:
            self._unable[reason] += 1
        elif name in FORMATS:
            self._take(entry.printed, entry.absolute, named=False)
        elif name is not None:
            self._unread[name] += 1
        return name is not None

    def _find_kind_of_link(self, path: str, access: Access) -> str | None:
        """Find the kind of a link that is not followed; None for another file."""
        if not os.path.islink(path):
            return None
        if access.reason_against(path) is not None:
            return None if self._sniffs else LINK_OUT
        return None if os.path.exists(path) else "dangling link"

    def _read_head(
        self, path: str, suffix: str, access: Access
    ) -> tuple[tuple[int, int], bytes | None]:
        """Read the identity of a file and its beginning, except that of a large mesh.

        Raises:
            RefusedFileError: It must not be opened.
            OSError: It cannot be read.
        """
        if (reason := access.reason_against(path)) is not None:
            raise RefusedFileError(path, reason)
        status = os.stat(path)
        identity = status.st_dev, status.st_ino
        if suffix in MESH_SUFFIXES and status.st_size > _MOST_POINTER:
            return identity, None
        with open_regular(path) as stream:
            return identity, stream.read(_SNIFFED_BYTES)

    def _find_format(self, printed: str, suffix: str, head: bytes) -> str | None:
        """Find the format of a file by its beginning; count what only looks like a model."""
        if head.startswith(LFS_POINTER):
            self._skip("Git LFS pointer", printed)
            return None
        tag = root_tag(head)
        name = None if tag in _FRAGMENTS else match_format(Head(tag, head))
        if name is None and suffix in SUFFIXES - _COMMON and tag not in _FRAGMENTS:
            self._skip("file like a model", printed)
        return name

    def _skip(self, kind: str, printed: str) -> None:
        """Count what is met and is no model."""
        self._counts[kind] += 1
        paths = self._skipped.setdefault(kind, [])
        if len(paths) < _MOST_PATHS:
            paths.append(printed)

    def _count(self, entry: WalkEntry, data: bytes, reason: str | None, access: Access) -> None:
        """Count the inertials of a file that is no model, or that no reader here can read."""
        if len(data) == _SNIFFED_BYTES:
            with suppress(OSError):
                data = access.read(entry.absolute)
        tag = root_tag(data)
        if tag in _FRAGMENTS:
            reason = "no model of this run includes this fragment"
        elif reason is None:
            reason = describe_root(tag) if tag else "it is no XML"
        if (counted := count_bytes(Source(entry.printed, data), reason)).inertials:
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
            hint = suggest_path(path) if isinstance(error, FileNotFoundError) else ""
            self._failures.append(f"{path or repr(path)}: {_reason(error)}{hint}")

    def _add_failure(self, printed: str, error: OSError) -> None:
        self._failures.append(f"{printed}: {_reason(error)}")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
