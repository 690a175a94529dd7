"""Outcomes of earlier runs: taken again while all that they depend on is as it was.

An entry belongs to a document under one name and one set of settings. It holds a digest of the
bytes of the document and of every file that was looked at for it, there or not, and of this program
and the libraries that it reads with. Entries are JSON: what lies in a cache is never executed. One
that is damaged, or that anything has changed for, is as good as none.
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
from typing import Any, NamedTuple, Protocol

from inertial_check.checking.check import EVERYTHING, Document, Extent, Outcome
from inertial_check.errors import UsageError
from inertial_check.running.encoding import encoded, restored
from inertial_check.settings.settings import Settings

LARGEST = 256 << 20
"""Bytes of a cache; when a run leaves more, the entries that were not used for longest go."""

_ENTRIES = "entries"
_GITIGNORE = "# Made by inertial-check; may be deleted at any time.\n*\n"
_JOURNAL = b'{"inertial-check": "outcomes of a run, a line each, to be resumed"}\n'
_LINE = re.compile(r'\{"seal":"(?P<seal>[0-9a-f]+)",(?P<body>"key":"(?P<key>[0-9a-f]+)",)')
_STALE = 3600.0
"""[s] A temporary file this old belongs to no process that still runs."""

_EXTRAS = ("numpy", "scipy", "trimesh", "pycollada", "usd-core", "xacro", "pyyaml")


class Store(Protocol):
    """Where outcomes are kept."""

    def get(self, document: Document, settings: Settings) -> Outcome | None:
        """The outcome of a document; None where it has to be checked."""

    def put(self, document: Document, settings: Settings, outcome: Outcome) -> None:
        """Keep an outcome."""

    def close(self) -> None:
        """Leave the store in order."""


class Fingerprints:
    """What lies under paths, each looked at once in a run."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """A digest of a file's bytes, or of the names in a folder; "" where there is neither."""
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
    """A digest of byte strings that no other sequence of them has."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


class _Entry(NamedTuple):
    """What is kept of a document.

    Attributes:
        key: Of the document's name and its settings.
        files: By absolute path what its fingerprint was.
        outcomes: As a line of JSON.
    """

    key: str
    files: Mapping[str, str]
    outcomes: str

    def line(self) -> str:
        """As a line of JSON, which shows by itself whether it is whole."""
        files = json.dumps(self.files, separators=(",", ":"))
        body = f'"key":"{self.key}","files":{files},"outcomes":{self.outcomes}}}'
        return f'{{"seal":"{digest(body.encode())}",{body}\n'

    @staticmethod
    def key_of(line: str) -> str | None:
        """The key of a line; None of a line that is none of these."""
        match = _LINE.match(line)
        return match and match["key"]

    @staticmethod
    def read(line: str) -> dict[str, Any]:
        """What a line holds.

        Raises:
            ValueError: The line is damaged.
        """
        match = _LINE.match(line)
        if match is None or digest(line[match.start("body") :].rstrip().encode()) != match["seal"]:
            raise ValueError("damaged")
        content: dict[str, Any] = json.loads(line)
        return content


class _Keeper:
    """Makes entries, and tells whether one still holds."""

    def __init__(self, extent: Extent) -> None:
        self._extent = repr(extent)
        self._fingerprints = Fingerprints()
        self._settings: dict[int, tuple[Settings, bytes]] = {}

    def key(self, document: Document, settings: Settings) -> str:
        """By the document's name, where that leads, and all settings that it is checked by."""
        known = self._settings.get(id(settings))
        if known is None:  # held, so that no other object gets its id
            known = self._settings[id(settings)] = (settings, repr(settings).encode())
        where = (document.path, os.path.abspath(document.path), str(document.named), self._extent)
        return digest(program().encode(), known[1], *(os.fsencode(part) for part in where))

    def entry(self, key: str, document: Document, outcome: Outcome) -> _Entry:
        paths = (os.path.abspath(document.path), *(outcome.lookups or ()))
        files = {path: self._fingerprints.of(path) for path in paths}
        return _Entry(key, files, encoded([outcome]))

    def outcome(self, key: str, line: str) -> Outcome | None:
        """The outcome of a line, if it is an entry of this key, and holds."""
        try:
            content = _Entry.read(line)
            if content["key"] != key:
                return None
            if any(self._fingerprints.of(path) != seen for path, seen in content["files"].items()):
                return None
            (outcome,) = restored(content["outcomes"])
            return outcome
        except (ValueError, TypeError):
            return None


class Folder:
    """A cache: a folder with a file for each entry, which processes may share.

    A file is written beside its place and renamed, so that it is there whole or not at all.
    """

    def __init__(self, path: str, extent: Extent = EVERYTHING, largest: int = LARGEST) -> None:
        """Make the folder, with a .gitignore of its own, where there is none.

        Args:
            path: Of the folder.
            extent: What the outcomes hold.
            largest: Bytes that it may have.

        Raises:
            UsageError: It cannot be made or written to.
        """
        self._path = os.path.join(path, _ENTRIES)
        self._largest = largest
        self._keeper = _Keeper(extent)
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

    def get(self, document: Document, settings: Settings) -> Outcome | None:
        """The outcome of a document; None where it has to be checked."""
        key = self._keeper.key(document, settings)
        path = os.path.join(self._path, key)
        try:
            with open(path, encoding="utf-8") as stream:
                found = self._keeper.outcome(key, stream.read())
            if found is not None:
                os.utime(path)
        except (OSError, ValueError):
            return None
        return found

    def put(self, document: Document, settings: Settings, outcome: Outcome) -> None:
        """Keep an outcome that files determine; that it cannot be kept costs time, no more."""
        if outcome.lookups is None:
            return
        key = self._keeper.key(document, settings)
        line = self._keeper.entry(key, document, outcome).line()
        with contextlib.suppress(OSError):
            _write(os.path.join(self._path, key), line.encode())
            self._written = True

    def close(self) -> None:
        """Delete what was not used for longest, if there is too much."""
        if self._written:
            with contextlib.suppress(OSError):
                _prune(self._path, self._largest)


def _write(path: str, data: bytes) -> None:
    """A file, whole or not at all; whether it outlives a loss of power does not matter."""
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
    entries = []
    with os.scandir(folder) as found:
        for each in found:
            with contextlib.suppress(FileNotFoundError):  # another process deletes, too
                status = each.stat(follow_symlinks=False)
                if not each.name.endswith(".tmp"):
                    entries.append((status.st_mtime_ns, status.st_size, each.path))
                elif status.st_mtime < time.time() - _STALE:
                    os.unlink(each.path)
    excess = sum(size for _, size, _ in entries) - largest
    for _, size, path in sorted(entries):
        if excess <= 0:
            break
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        excess -= size


class Journal:
    """The outcomes of a run that may be taken up again: a file with a line for each, in any order.

    Unlike a cache it also keeps what files alone do not determine: it is of one run.
    """

    def __init__(self, path: str, extent: Extent = EVERYTHING) -> None:
        """Read what is done, and drop a last line that was not finished.

        Raises:
            UsageError: The file cannot be read or written, or is none of these.
        """
        self._keeper = _Keeper(extent)
        self._lines: dict[str, str] = {}
        try:
            self._stream = open(path, "a+b")  # noqa: SIM115 - open as long as the run lasts
            self._stream.seek(0)
            self._take(path, self._stream.read())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"--resume {path}: {reason}") from None

    def _take(self, path: str, data: bytes) -> None:
        """Take up what earlier runs have written.

        Raises:
            UsageError: They have not written it; it stays as it is.
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

    def get(self, document: Document, settings: Settings) -> Outcome | None:
        """The outcome of a document; None where it has to be checked."""
        key = self._keeper.key(document, settings)
        line = self._lines.get(key)
        return None if line is None else self._keeper.outcome(key, line)

    def put(self, document: Document, settings: Settings, outcome: Outcome) -> None:
        """Keep an outcome."""
        key = self._keeper.key(document, settings)
        self._stream.write(self._keeper.entry(key, document, outcome).line().encode())
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


@cache
def program() -> str:
    """A digest of this program: of its files, and of the versions of what it reads with."""
    from importlib.metadata import PackageNotFoundError, version

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parts = [sys.version.encode()]
    for name in _EXTRAS:
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
