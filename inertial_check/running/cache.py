"""Stored results of earlier runs, used again while nothing that they depend on has changed.

An entry belongs to a document at one path with one set of settings. It holds digests of the bytes
of the document and of every file that was looked up for it, existing or not. Its key contains a
digest of this program and of the libraries that it reads files with. Entries are lines of a seal, a
key and JSON, and are never executed. A damaged or outdated entry is ignored.

A cache lies in the checkout, where a stranger may have put something in its place. So only a folder
that this user's runs have made is used, links are not followed, and only files with the names of
entries are read, replaced or deleted. Entries are sealed with a keyed digest, whose key only this
user has: a file in the user's own cache folder, outside the checkout.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import json
import os
import re
import stat
import sys
import weakref
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from inertial_check.checking.check import FULL_CONTENT, Document, DocumentResult, ReportContent
from inertial_check.documents.files.access import (
    NEW_FLAGS,
    NO_LINK_FLAGS,
    FolderMemory,
    Limits,
    ask_once,
    contains,
    remember_folders,
    root_of,
)
from inertial_check.documents.files.writing import (
    ANYWHERE_NAMED,
    lock,
    remove_if_dead,
    remove_leftovers,
)
from inertial_check.documents.resources import index_folders, split_tree_lookup
from inertial_check.errors import UsageError
from inertial_check.running.workers import encode, restore

_SIZE = 32
"""Size of the secret [bytes]: nobody guesses 256 bits."""

_NAME = "secret"


class RefusedStoreError(UsageError):
    """A cache or a journal that is not used, because somebody else may have made it."""


def read_secret(protected: str) -> bytes:
    """Read the secret of this user, which is made at its first use.

    Args:
        protected: The folder whose files are sealed; the secret must not lie in its checkout.

    Raises:
        RefusedStoreError: The user has no folder outside the checkout for it, or another user can
            read or replace it.
    """
    # The folder of this program among the caches of the user.
    if own := os.environ.get("INERTIAL_CHECK_USER_FOLDER"):
        folder = os.path.abspath(own)
    else:
        given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
        if not os.path.isabs(given):
            given = os.path.join(os.path.expanduser("~"), ".cache")
        folder = os.path.join(given, "inertial-check")
    where = os.path.realpath(folder)
    root = root_of(os.path.join(protected, _NAME)).path
    if any(contains(each, where) for each in (root, os.path.realpath(protected))):
        raise RefusedStoreError(
            f"the secret that seals results would lie in {folder}, inside the checkout; "
            "set INERTIAL_CHECK_USER_FOLDER to a folder outside"
        )
    path = os.path.join(folder, _NAME)
    try:
        try:
            return _read(path)
        except FileNotFoundError:
            # Make the secret; where two processes do so at once, the first one's stays.
            os.makedirs(folder, mode=0o700, exist_ok=True)
            remove_leftovers(folder)
            temporary = os.path.join(folder, f".{_NAME}.inertial-check-{os.urandom(4).hex()}.tmp")
            descriptor = os.open(temporary, NEW_FLAGS, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(os.urandom(_SIZE))
                with suppress(FileExistsError):
                    # A link, unlike a rename, replaces nothing; Windows' rename does not either.
                    (os.rename if sys.platform == "win32" else os.link)(temporary, path)
            finally:
                with suppress(OSError):
                    os.unlink(temporary)
            return _read(path)
    except OSError as error:
        raise RefusedStoreError(
            f"the secret that seals results cannot be used: {path}: {error.strerror or error}"
        ) from None


def seal(secret: bytes, data: bytes) -> str:
    """Keyed BLAKE2 digest of bytes."""
    return hashlib.blake2b(data, key=secret, digest_size=20).hexdigest()


def _read(path: str) -> bytes:
    descriptor = os.open(path, NO_LINK_FLAGS)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size != _SIZE:
            raise OSError(f"it is no file of {_SIZE} bytes")
        if hasattr(os, "geteuid"):
            if os.geteuid() not in (0, status.st_uid):
                raise OSError("another user has made it")
            if status.st_mode & 0o077:
                raise OSError("other users may read it")
        return stream.read()


LARGEST = 256 << 20
"""Largest size of a cache after a run [bytes]; the least recently used entries are deleted."""

_ENTRIES = "entries"
_GITIGNORE = "# Made by inertial-check; may be deleted at any time.\n*\n"
_JOURNAL = b'{"inertial-check": "outcomes of a run, a line each, to be resumed"}\n'
_MARKER = ".inertial-check-cache"
"""File with the seal of its folder, by which a run knows a folder that an earlier run has made."""

_ENTRY_NAME = re.compile(r"[0-9a-f]{40}")
_TEMPORARY_NAME = re.compile(r"\.[^/]+\.[0-9a-f]{8}\.tmp")

_LARGEST_ENTRY = 64 << 20
"""Largest size of an entry that is read [bytes]; that of a whole cache is 256 MB."""

_DIGITS = 40
"""Number of hexadecimal digits of a digest: the first of SHA-256, for which most processors have
instructions, so that no other is computed as quickly."""

_PIECE = 1 << 20
"""Size of the pieces in which a file is read for its digest [bytes]."""

_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
"""Whether the system reaches files relative to an open folder, which nobody can replace."""

_READERS = ("numpy", "scipy", "trimesh", "pycollada", "usd_core", "xacro", "pyyaml")
"""Distributions that read or compute what a result depends on; their versions are part of keys."""

_READER_METADATA = re.compile(
    rf"(?P<name>{'|'.join(_READERS)})(?P<version>-.*)?\.(?:dist|egg)-info", re.IGNORECASE
)
"""The name of a file or folder with the metadata of one of them."""


class Fingerprints:
    """Fingerprints of files and folders, each computed once in a run."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._folders = FolderMemory()

    def of(self, path: str) -> str:
        """Digest of a file's bytes, or of the names in a folder; "" if neither exists.

        That of ROOT/**/NAME tells which folders of a tree are or hold the package.
        """
        known = self._known.get(path)
        if known is None:
            with remember_folders(self._folders):
                known = self._known[path] = _fingerprint(path)
        return known


def _fingerprint(path: str) -> str:
    if (tree := split_tree_lookup(path)) is not None:
        root, name = tree
        index = ask_once(index_folders, root)
        ranked = (f"{index.rank(name, each)} {each}" for each in index.find(name))
        return f"tree {digest(*sorted(map(os.fsencode, ranked)))}"
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            return f"folder {digest(*sorted(map(os.fsencode, os.listdir(path))))}"
        if stat.S_ISREG(status.st_mode) and status.st_size <= Limits.mesh:
            # Give the same as `digest` of a file's bytes, without holding them at once.
            state = hashlib.sha256(status.st_size.to_bytes(8, "little"))
            with open(path, "rb") as stream:
                while piece := stream.read(_PIECE):
                    state.update(piece)
            return state.hexdigest()[:_DIGITS]
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return ""
    # A device, or a file larger than any that is read unless an option raises the limits.
    return f"special {status.st_size} {status.st_mtime_ns}"


def digest(*parts: bytes) -> str:
    """Digest of a sequence of byte strings and their lengths, so that parts cannot shift."""
    state = hashlib.sha256()
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()[:_DIGITS]


def make_key(document: Document, content: str) -> str:
    """Digest of all that a result depends on besides files: path, settings, content, program."""
    parts = (program_digest(), document.settings.text, content, str(document.named))
    paths = (document.path, os.path.abspath(document.path))
    return digest(*(part.encode() for part in parts), *map(os.fsencode, paths))


class _Validator:
    """Makes entries, and checks whether a stored entry is still valid."""

    def __init__(self, content: ReportContent, secret: bytes) -> None:
        self._content = repr(content)
        self._secret = secret
        self._fingerprints = Fingerprints()

    def key(self, document: Document) -> str:
        """The cache key of a document."""
        return make_key(document, self._content)

    def make_line(self, document: Document, result: DocumentResult) -> bytes:
        """The entry of a document as a line: seal, key, and JSON of files and result."""
        paths = (os.path.abspath(document.path), *(result.lookups or ()), *result.witnesses)
        files = json.dumps({path: self._fingerprints.of(path) for path in paths})
        body = f"{self.key(document)} [{files},{encode([result])}]"
        return f"{self._seal(body)} {body}\n".encode()

    def result(self, key: str, line: str) -> DocumentResult | None:
        """The result in a line, if it is an entry with this key and still valid."""
        try:
            mark, body = line.rstrip().split(" ", 1)
            named, content = body.split(" ", 1)
            if named != key or not hmac.compare_digest(self._seal(body), mark):
                return None
            files, rows = json.loads(content)
            if any(self._fingerprints.of(path) != seen for path, seen in files.items()):
                return None
            (result,) = restore(rows)
            return result
        except (ValueError, TypeError, AttributeError):
            return None

    def _seal(self, text: str) -> str:
        """Seal a text by its digest, which is quicker to compute than a keyed one of all of it."""
        return seal(self._secret, digest(text.encode()).encode())


class _Directory:
    """An open folder of this user, whose files are reached by name without following links.

    Raises:
        OSError: There is no such folder, or it cannot be opened.
        RefusedStoreError: It is a link, or another user's.
    """

    def __init__(self, path: str, within: _Directory | None = None) -> None:
        name = path
        if within is not None:
            path, name = os.path.join(within.path, path), within.name(path)
        self.path: str = path
        self._descriptor: int | None = None
        given = within.given if within is not None else {}
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise RefusedStoreError(f"{path} is a link or no folder")
        if sys.platform != "win32" and _BY_DESCRIPTOR:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(name, flags, **given)
            weakref.finalize(self, os.close, self._descriptor)
            status = os.fstat(self._descriptor)
        else:
            status = os.lstat(path)
        if hasattr(os, "geteuid") and os.geteuid() not in (0, status.st_uid):
            raise RefusedStoreError(f"{path} is a folder of another user")

    @property
    def given(self) -> dict[str, int]:
        """The arguments of a system call on one of its files besides the name."""
        return {} if self._descriptor is None else {"dir_fd": self._descriptor}

    def name(self, name: str) -> str:
        """One of its files, as a system call takes it."""
        return os.path.join(self.path, name) if self._descriptor is None else name

    def scan(self) -> contextlib.AbstractContextManager[Iterator[os.DirEntry[str]]]:
        """List its files and folders."""
        return os.scandir(self.path if self._descriptor is None else self._descriptor)

    def make_folder(self, name: str) -> _Directory:
        """Open a folder in it, which is made if it does not exist."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.name(name), **self.given)
        return _Directory(name, self)

    def read(self, name: str) -> bytes:
        """Read a regular file of limited size.

        Raises:
            OSError: It does not exist, is a link, a pipe or a device, or is too large.
        """
        descriptor = os.open(self.name(name), NO_LINK_FLAGS, **self.given)
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_ENTRY:
                raise OSError(errno.EINVAL, "no entry")
            return stream.read(_LARGEST_ENTRY)

    def write(self, name: str, data: bytes) -> None:
        """Write a file as a whole or not at all, without waiting until it is on the disk."""
        temporary = f".{name}.{os.urandom(4).hex()}.tmp"
        descriptor = os.open(self.name(temporary), NEW_FLAGS, 0o666, **self.given)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                if not lock(descriptor):  # another run takes it for one that was left behind
                    raise OSError(errno.EAGAIN, "removed by another run")
                stream.write(data)
                stream.flush()
                if _BY_DESCRIPTOR:  # while it is open, and so locked
                    self._rename(temporary, name)
            if not _BY_DESCRIPTOR:
                self._rename(temporary, name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(self.name(temporary), **self.given)
            raise

    def _rename(self, old: str, new: str) -> None:
        given = {f"{side}_{name}": to for name, to in self.given.items() for side in ("src", "dst")}
        os.replace(self.name(old), self.name(new), **given)

    def touch(self, name: str) -> None:
        """Note the time of the last use, by which entries are deleted."""
        if _BY_DESCRIPTOR:
            os.utime(name, dir_fd=self._descriptor, follow_symlinks=False)
        else:
            os.utime(self.name(name))

    def unlink(self, name: str) -> None:
        """Delete a file."""
        os.unlink(self.name(name), **self.given)

    def remove_leftovers(self) -> None:
        """Delete the temporary files of dead processes."""
        with self.scan() as found:
            names = [each.name for each in found if _TEMPORARY_NAME.fullmatch(each.name)]
        for name in names:
            with contextlib.suppress(OSError):  # its process lives
                remove_if_dead(self.name(name), **self.given)


class Folder:
    """A cache folder with one file for each entry; processes of a user may share it.

    A file is written under a temporary name and renamed, so that no reader sees a part of it.
    """

    def __init__(
        self, path: str, content: ReportContent = FULL_CONTENT, largest: int = LARGEST
    ) -> None:
        """Create the folder, with a marker and a .gitignore inside, if it does not exist.

        Args:
            path: Path of the folder.
            content: The optional parts of the stored reports.
            largest: Largest size after a run [bytes].

        Raises:
            UsageError: The folder cannot be created or written to.
            RefusedStoreError: No run of this user has made the folder.
        """
        self._largest = largest
        self._written = False
        try:
            secret = read_secret(os.path.dirname(os.path.abspath(path)))
            # Open the folder of entries of a cache, which is made if it does not exist.
            absolute = os.path.abspath(path)
            if os.path.islink(absolute):
                raise RefusedStoreError(f"{path} is a link")
            try:
                ANYWHERE_NAMED.resolve(absolute)
            except UsageError as refusal:
                raise RefusedStoreError(str(refusal)) from None
            if not os.path.isdir(absolute):
                os.makedirs(absolute)
            folder = _Directory(absolute)
            folder.remove_leftovers()
            mark = seal(secret, os.fsencode(os.path.realpath(absolute))).encode() + b"\n"
            try:
                made = hmac.compare_digest(folder.read(_MARKER), mark)
            except OSError:
                with folder.scan() as found:  # what another run is just making counts as empty
                    made = all(_TEMPORARY_NAME.fullmatch(each.name) for each in found)
                if made:
                    folder.write(_MARKER, mark)
                    folder.write(".gitignore", _GITIGNORE.encode())
            if not made:
                raise RefusedStoreError(
                    f"{path} was not made by this command for this user; delete it if it may go"
                )
            self._entries = folder.make_folder(_ENTRIES)
            if not os.access(self._entries.path, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, "permission denied")
        except RefusedStoreError as error:
            raise RefusedStoreError(
                f"no cache is used: {error}; --cache DIR names another, --no-cache none"
            ) from None
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(
                f"cannot use {path} as a cache: {reason}; name another with --cache DIR, or "
                "switch it off with --no-cache"
            ) from None
        self._validator = _Validator(content, secret)

    def get(self, document: Document) -> DocumentResult | None:
        """The stored result of a document; None if the document has to be checked."""
        key = self._validator.key(document)
        try:
            found = self._validator.result(key, self._entries.read(key).decode("utf-8"))
            if found is not None:
                self._entries.touch(key)
        except (OSError, ValueError):
            return None
        return found

    def put(self, document: Document, result: DocumentResult) -> None:
        """Store a result, if files determine it; a failure to write only costs time later."""
        if result.lookups is None or document.settings.history:
            return
        line = self._validator.make_line(document, result)
        with contextlib.suppress(OSError):
            self._entries.write(self._validator.key(document), line)
            self._written = True

    def close(self) -> None:
        """Delete the least recently used entries if the cache is larger than it may be."""
        with contextlib.suppress(OSError):
            self._entries.remove_leftovers()
            if self._written:
                # Delete the least recently used entries beyond a size [bytes].
                entries = []
                with self._entries.scan() as found:
                    for each in found:
                        # Another process may prune as well.
                        with contextlib.suppress(FileNotFoundError):
                            status = each.stat(follow_symlinks=False)
                            if _ENTRY_NAME.fullmatch(each.name) and stat.S_ISREG(status.st_mode):
                                entries.append((status.st_mtime_ns, status.st_size, each.name))
                excess = sum(size for _, size, _ in entries) - self._largest
                for _, size, name in sorted(entries):
                    if excess <= 0:
                        break
                    with contextlib.suppress(FileNotFoundError):
                        self._entries.unlink(name)
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
        absolute = os.path.abspath(path)
        self._validator = _Validator(content, read_secret(os.path.dirname(absolute)))
        self._lines: dict[str, str] = {}
        ANYWHERE_NAMED.resolve(path)
        try:
            if os.path.isdir(path):
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError(errno.EINVAL, "no regular file")
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
            if text.count(" ") >= 2:
                self._lines[text.split(" ", 2)[1]] = text

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


Store = Folder | Journal
"""A store of results."""


@cache
def program_digest() -> str:
    """Digest of this program: Python, its own files, and the versions of `_READERS`."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parts = [sys.version.encode(), *map(os.fsencode, _list_readers())]
    for folder, _, names in sorted(os.walk(package)):
        for name in sorted(names):
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                parts.append(f"{name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest(*parts)


def _list_readers() -> Iterator[str]:
    """List the installed `_READERS` with their versions, as the names of their metadata say them.

    Reading all metadata would take as long as reading a hundred entries.
    """
    for folder in sys.path:
        try:
            names = sorted(os.listdir(folder or os.curdir))
        except OSError:
            continue
        for match in filter(None, map(_READER_METADATA.fullmatch, names)):
            yield match[0]
            if match["version"] is None:  # installed in place, for its development
                from importlib.metadata import distributions

                yield from (each.version for each in distributions(name=match["name"]))
