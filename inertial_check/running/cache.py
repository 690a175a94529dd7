"""Stored results of earlier runs, used again while nothing that they depend on has changed.

An entry belongs to a document at one path with one set of settings. It holds digests of the bytes
of the document and of every file that was looked up for it, existing or not. Its key contains a
digest of this program and of the libraries that it reads files with. Entries are JSON and are never
executed. A damaged or outdated entry is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import sys
import time
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple, Protocol, TypedDict

from inertial_check.checking.check import FULL_CONTENT, Document, DocumentResult, ReportContent
from inertial_check.errors import UsageError
from inertial_check.running.encoding import encode, restore

LARGEST = 256 << 20
"""Largest size of a cache after a run [bytes]; the least recently used entries are deleted."""

_ENTRIES = "entries"
_GITIGNORE = "# Made by inertial-check; may be deleted at any time.\n*\n"
_JOURNAL = b'{"inertial-check": "outcomes of a run, a line each, to be resumed"}\n'
_LINE = re.compile(r'\{"seal":"(?P<seal>[0-9a-f]+)",(?P<body>"key":"(?P<key>[0-9a-f]+)",)')
_STALE_AGE = 3600.0
"""Age from which a temporary file belongs to no running process and is deleted [s]."""

_READERS = ("numpy", "scipy", "trimesh", "pycollada", "usd-core", "xacro", "pyyaml")
"""Distributions that read or compute what a result depends on; their versions are part of keys."""


class Store(Protocol):
    """A store of results."""

    def get(self, document: Document) -> DocumentResult | None:
        """The stored result of a document; None if the document has to be checked."""

    def put(self, document: Document, result: DocumentResult) -> None:
        """Store the result of a document."""

    def close(self) -> None:
        """Tidy up; the store is not used afterwards."""


class Fingerprints:
    """Fingerprints of files and folders, each computed once in a run."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Digest of a file's bytes, or of the names in a folder; "" if neither exists."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = _fingerprint(path)
        return known


def _fingerprint(path: str) -> str:
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            return f"folder {digest(*sorted(map(os.fsencode, os.listdir(path))))}"
        if stat.S_ISREG(status.st_mode):
            with open(path, "rb") as stream:
                return digest(stream.read())
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return ""
    return f"special {status.st_mtime_ns}"


def digest(*parts: bytes) -> str:
    """Digest of a sequence of byte strings and their lengths, so that parts cannot shift."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


class _StoredEntry(TypedDict):
    """The JSON object of a line."""

    key: str
    files: dict[str, str]
    outcomes: object


class _Entry(NamedTuple):
    """A stored result.

    Attributes:
        key: Cache key of the document and its settings.
        files: Fingerprint of each file that the result depends on, by absolute path.
        outcomes: The result as JSON.
    """

    key: str
    files: Mapping[str, str]
    outcomes: str

    def line(self) -> str:
        """The entry as a line of JSON that begins with a digest of the rest."""
        files = json.dumps(self.files, separators=(",", ":"))
        body = f'"key":"{self.key}","files":{files},"outcomes":{self.outcomes}}}'
        return f'{{"seal":"{digest(body.encode())}",{body}\n'

    @staticmethod
    def key_of(line: str) -> str | None:
        """The key of a line; None if the line is no entry."""
        match = _LINE.match(line)
        return match and match["key"]

    @staticmethod
    def read(line: str) -> _StoredEntry:
        """Parse a line.

        Raises:
            ValueError: The line is damaged.
        """
        match = _LINE.match(line)
        if match is None or digest(line[match.start("body") :].rstrip().encode()) != match["seal"]:
            raise ValueError("damaged")
        content: _StoredEntry = json.loads(line)
        return content


class _Validator:
    """Makes entries, and checks whether a stored entry is still valid."""

    def __init__(self, content: ReportContent) -> None:
        self._content = repr(content)
        self._fingerprints = Fingerprints()

    def key(self, document: Document) -> str:
        """The cache key of a document: its path, its settings, the content and the program."""
        where = (document.path, os.path.abspath(document.path), str(document.named), self._content)
        settings = document.settings.text.encode()
        return digest(program_digest().encode(), settings, *(os.fsencode(part) for part in where))

    def make_line(self, document: Document, result: DocumentResult) -> bytes:
        """The entry of a document, as a line."""
        paths = (os.path.abspath(document.path), *(result.lookups or ()))
        files = {path: self._fingerprints.of(path) for path in paths}
        return _Entry(self.key(document), files, encode([result])).line().encode()

    def result(self, key: str, line: str) -> DocumentResult | None:
        """The result in a line, if it is an entry with this key and still valid."""
        try:
            content = _Entry.read(line)
            if content["key"] != key:
                return None
            if any(self._fingerprints.of(path) != seen for path, seen in content["files"].items()):
                return None
            (result,) = restore(content["outcomes"])
            return result
        except (ValueError, TypeError):
            return None


class Folder:
    """A cache folder with one file for each entry; processes may share it.

    A file is written under a temporary name and renamed, so that no reader sees a part of it.
    """

    def __init__(
        self, path: str, content: ReportContent = FULL_CONTENT, largest: int = LARGEST
    ) -> None:
        """Create the folder, with a .gitignore inside, if it does not exist.

        Args:
            path: Path of the folder.
            content: The optional parts of the stored reports.
            largest: Largest size after a run [bytes].

        Raises:
            UsageError: The folder cannot be created or written to.
        """
        self._path = os.path.join(path, _ENTRIES)
        self._largest = largest
        self._validator = _Validator(content)
        self._written = False
        try:
            os.makedirs(self._path, exist_ok=True)
            ignore = os.path.join(path, ".gitignore")
            if not os.path.exists(ignore):
                _write(ignore, _GITIGNORE.encode())
            if not os.access(self._path, os.W_OK | os.X_OK):
                raise PermissionError(13, "permission denied")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(
                f"cannot use {path} as a cache: {reason}; name another with --cache DIR, or "
                "switch it off with --no-cache"
            ) from None

    def get(self, document: Document) -> DocumentResult | None:
        """The stored result of a document; None if the document has to be checked."""
        key = self._validator.key(document)
        path = os.path.join(self._path, key)
        try:
            with open(path, encoding="utf-8") as stream:
                found = self._validator.result(key, stream.read())
            if found is not None:
                os.utime(path)  # the time of the last use, by which entries are deleted
        except (OSError, ValueError):
            return None
        return found

    def put(self, document: Document, result: DocumentResult) -> None:
        """Store a result, if files determine it; a failure to write only costs time later."""
        if result.lookups is None:
            return
        line = self._validator.make_line(document, result)
        with contextlib.suppress(OSError):
            _write(os.path.join(self._path, self._validator.key(document)), line)
            self._written = True

    def close(self) -> None:
        """Delete the least recently used entries if the cache is larger than it may be."""
        if self._written:
            with contextlib.suppress(OSError):
                _prune(self._path, self._largest)


def _write(path: str, data: bytes) -> None:
    """Write a file as a whole or not at all, without waiting until it is on the disk."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _prune(folder: str, largest: int) -> None:
    """Delete stale temporary files, then the least recently used entries beyond a size [bytes]."""
    entries = []
    with os.scandir(folder) as found:
        for each in found:
            with contextlib.suppress(FileNotFoundError):  # another process may prune as well
                status = each.stat(follow_symlinks=False)
                if not each.name.endswith(".tmp"):
                    entries.append((status.st_mtime_ns, status.st_size, each.path))
                elif status.st_mtime < time.time() - _STALE_AGE:
                    os.unlink(each.path)
    excess = sum(size for _, size, _ in entries) - largest
    for _, size, path in sorted(entries):
        if excess <= 0:
            break
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        excess -= size


class Journal:
    """A file with the results of a run that can be resumed: one line each, in any order.

    Unlike a cache it also stores results that files alone do not determine, as it belongs to one
    run.
    """

    def __init__(self, path: str, content: ReportContent = FULL_CONTENT) -> None:
        """Read the results so far, and drop an incomplete last line.

        Raises:
            UsageError: The file cannot be read or written, or was not written by this command.
        """
        self._validator = _Validator(content)
        self._lines: dict[str, str] = {}
        try:
            self._stream = open(path, "a+b")  # noqa: SIM115 - open as long as the run lasts
            self._stream.seek(0)
            self._take(path, self._stream.read())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"--resume {path}: {reason}") from None

    def _take(self, path: str, data: bytes) -> None:
        """Take over the lines of earlier runs.

        Raises:
            UsageError: No run has written the file; it stays as it is.
        """
        if not (data.startswith(_JOURNAL) or _JOURNAL.startswith(data)):
            self._stream.close()
            raise UsageError(
                f"--resume {path}: no run of this command has written it; name a file that does "
                "not exist yet"
            )
        if len(data) < len(_JOURNAL):
            self._stream.truncate(0)
            self._stream.write(_JOURNAL)
            return
        *lines, unfinished = data[len(_JOURNAL) :].split(b"\n")
        self._stream.truncate(len(data) - len(unfinished))
        for line in lines:
            text = line.decode(errors="replace")
            if (key := _Entry.key_of(text)) is not None:
                self._lines[key] = text

    def get(self, document: Document) -> DocumentResult | None:
        """The stored result of a document; None if the document has to be checked."""
        key = self._validator.key(document)
        line = self._lines.get(key)
        return None if line is None else self._validator.result(key, line)

    def put(self, document: Document, result: DocumentResult) -> None:
        """Store a result at once, so that it is there if the run is stopped."""
        self._stream.write(self._validator.make_line(document, result))
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


@cache
def program_digest() -> str:
    """Digest of this program: Python, its own files, and the versions of `_READERS`."""
    from importlib.metadata import PackageNotFoundError, version

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parts = [sys.version.encode()]
    for name in _READERS:
        try:
            parts.append(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            parts.append(f"no {name}".encode())
    for folder, _, names in sorted(os.walk(package)):
        for name in sorted(names):
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                written = f"{name} {status.st_size} {status.st_mtime_ns}"
                parts.append(written.encode())
    return digest(*parts)
