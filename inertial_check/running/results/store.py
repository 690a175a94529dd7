"""Folder of results that runs extend: only documents that have changed are checked again.

Every document has a row with a digest of the program, its settings and its path, and with the
fingerprints of all files on which its result depends. A part is taken only if the seal in its name
is that of its bytes with the secret of this user; otherwise it is damaged, or somebody else's, and
its documents are checked again.
"""

from __future__ import annotations

import hmac
import json
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress

from inertial_check.documents.files.writing import ANYWHERE_NAMED, remove_leftovers, replace_file
from inertial_check.errors import UsageError
from inertial_check.running.cache import Fingerprints, digest, read_secret, seal
from inertial_check.running.results.reading import (
    PREFIX,
    Form,
    Part,
    decode_rows,
    digest_of,
    encode_rows,
    join,
    list_folders,
    list_parts,
    name_folder,
)
from inertial_check.running.results.rows import Row

_FILES_OF_PART = 4096
"""Number of documents after which a part is written: what a run that is killed has to do again."""

_BYTES_OF_PART = 64 << 20
"""Size of the rows after which a part is written [bytes]."""


def is_current(key: str, row: Row, fingerprints: Fingerprints) -> bool:
    """Whether the row of a document still holds: same key, and no file has changed."""
    if row["key"] != key or row["inputs"] is None:
        return False
    try:
        inputs = json.loads(row["inputs"])
        return all(fingerprints.of(path) == seen for path, seen in inputs.items())
    except (ValueError, AttributeError):
        return False


class ResultsStore:
    """A folder of results that is open for a run.

    Args:
        path: Its path; it is made if it does not exist.
        form: Form of new parts.
        warn: Called with a line about each part that cannot be used.

    Raises:
        UsageError: The folder holds other things, or cannot be written to.
    """

    def __init__(self, path: str, form: Form, warn: Callable[[str], None]) -> None:
        self._path, self._form, self._warn = path, form, warn
        self._secret = read_secret(os.path.abspath(path))
        self._opened: set[str] = set()
        ANYWHERE_NAMED.resolve(path)
        try:
            os.makedirs(path, exist_ok=True)
            if any(not name.startswith((PREFIX, ".")) for name in os.listdir(path)):
                raise UsageError(
                    f"--results {path}: holds other files; name a folder that does not exist yet"
                )
        except OSError as error:
            raise UsageError(
                f"--results {path}: {(error.strerror or str(error)).lower()}"
            ) from None

    def open_upstream(self, upstream: str) -> UpstreamStore:
        """Open the folder of an upstream, whose name the rows will have."""
        name = name_folder(upstream)
        self._opened.add(digest(name.encode()))
        return self._open(os.path.join(self._path, name))

    def drop_others(self, covers: Callable[[str], bool]) -> None:
        """Drop the documents that are gone from the upstreams that were not opened."""
        for folder in list_folders(self._path):
            if digest(os.fsencode(os.path.basename(folder))) not in self._opened:
                self._open(folder).close(covers)

    def _open(self, folder: str) -> UpstreamStore:
        with suppress(FileExistsError):
            os.mkdir(folder)
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise UsageError(f"{folder}: a link or no folder, and nothing is written there")
        return UpstreamStore(folder, self._form, self._secret, self._warn)


class UpstreamStore:
    """The parts of one upstream, and the rows that a run adds.

    Attributes:
        known: Row of each document in earlier parts, with the columns that say whether it holds.
    """

    def __init__(self, folder: str, form: Form, secret: bytes, warn: Callable[[str], None]) -> None:
        self._folder, self._form, self._secret = folder, form, secret
        self._pieces: list[bytes] = []
        self._files = self._size = 0
        self._kept: set[str] = set()
        self._checked: set[str] = set()
        remove_leftovers(folder)
        self._parts: list[Part] = []
        self.known: dict[str, Row] = {}
        for part in list_parts(folder):
            try:
                for row in decode_rows(self._read(part), part.form, _KNOWN):
                    if row["body_id"] is None:
                        self.known[row["path"]] = row
            except (OSError, ValueError):
                warn(f"{part.path} is damaged, or another user's: its files are checked again")
                os.unlink(part.path)
            else:
                self._parts.append(part)
        self._number = max((part.number for part in self._parts), default=0)

    def _read(self, part: Part) -> bytes:
        data = part.read()
        if not hmac.compare_digest(seal(self._secret, data), part.seal):
            raise ValueError("not sealed by this user")
        return data

    def keep(self, paths: Sequence[str]) -> None:
        """Keep the rows of documents that have not changed."""
        self._kept.update(paths)

    def replace(self, paths: Sequence[str]) -> None:
        """Drop the earlier rows of documents at the end."""
        self._checked.update(paths)

    def add_part(self, data: bytes, paths: Sequence[str]) -> None:
        """Write the bytes of a part with the rows of documents, or of an archive."""
        self.flush()
        self._checked.update(path for path in paths if path in self.known)
        self._number += 1
        self._write(self._number, data, self._form)

    def add(self, piece: bytes, paths: Sequence[str]) -> None:
        """Add encoded rows of documents; a part is written when there are enough of them."""
        self._pieces.append(piece)
        self._checked.update(path for path in paths if path in self.known)
        self._files += len(paths)
        self._size += len(piece)
        if self._files >= _FILES_OF_PART or self._size >= _BYTES_OF_PART:
            self.flush()

    def flush(self) -> None:
        """Write the rows that were added as a part, in one step."""
        if self._pieces:
            self._number += 1
            self._write(self._number, join(self._pieces, self._form), self._form)
            self._pieces, self._files, self._size = [], 0, 0

    def close(self, covers: Callable[[str], bool]) -> None:
        """Write the last rows, then drop those of documents that have changed or are gone.

        Args:
            covers: Whether this run would have come across a document, if it existed.
        """
        self.flush()
        gone = {path for path in self.known if path not in self._kept and covers(path)}
        gone |= self._checked
        if not gone:
            return
        for part in self._parts:
            rows = list(decode_rows(self._read(part), part.form))
            left = [row for row in rows if row["path"] not in gone]
            if len(left) == len(rows):
                continue
            if left:
                piece = encode_rows(left, part.form)
                self._write(part.number, join([piece], part.form), part.form)
            os.unlink(part.path)

    def _write(self, number: int, data: bytes, form: Form) -> None:
        name = f"part-{number:06}-{digest_of(data)}-{seal(self._secret, data)}.{form}"
        replace_file(os.path.join(self._folder, name), data)


_KNOWN = ("path", "body_id", "key", "inputs")
"""Columns by which a run tells whether a stored result holds."""
