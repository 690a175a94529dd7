"""Addresses of models that are no plain paths, and limits of what is fetched for one.

`zip://MEMBER::BASE` and `tar://MEMBER::BASE` are written as fsspec writes them: BASE is a path or a
URL, and without a MEMBER all models in the archive are meant. A path or URL with the suffix of an
archive means the same. `git://MEMBER::BASE` is a file of the commit that HEAD names in a repository
without a working tree, or in a bundle.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, NamedTuple
from urllib.parse import urlsplit

from inertial_check.documents.files.access import ARCHIVE_SUFFIXES, Limits
from inertial_check.errors import UsageError

Kind = Literal["zip", "tar", "git"]

_SUFFIXES: dict[str, Kind] = {
    **{suffix: "zip" if suffix == ".zip" else "tar" for suffix in ARCHIVE_SUFFIXES},
    ".bundle": "git",
    ".git": "git",
}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_ARCHIVED = re.compile(r"(zip|tar|git)://(.*?)::(.+)", re.DOTALL)
WEB = frozenset(["http", "https"])
"""Schemes that are read by the standard library."""

STORES = frozenset(["s3", "s3a", "gs", "gcs", "abfs", "az", "memory"])
"""Schemes that are read by fsspec, and the library that it needs for them."""


class Address(NamedTuple):
    """Address of models that are fetched before they are checked.

    Attributes:
        kind: Kind of the archive; None for a model, or a folder of a store, that is no archive.
        member: Path of a single member of an archive; "" for all models in it.
        base: The URL, or the path of a local archive.
        shown: The base as reports show it: without user, password, query and fragment.
    """

    kind: Kind | None
    member: str
    base: str
    shown: str

    @property
    def is_local(self) -> bool:
        """Whether the base is a path."""
        return _SCHEME.match(self.base) is None

    @property
    def scheme(self) -> str:
        """The scheme of the base; "" for a path."""
        match = _SCHEME.match(self.base)
        return match[1].lower() if match else ""

    @property
    def upstream(self) -> str:
        """Name of the archive without its suffix; otherwise the host or the bucket."""
        if self.kind is None:
            return urlsplit(self.shown).hostname or self.scheme
        name = self.shown.rstrip("/").rpartition("/")[2]
        return name.removesuffix(_find_suffix(name)) or name

    def owns(self, path: str) -> bool:
        """Whether a path in a report is that of this address, or of a file in it."""
        if self.kind is not None:
            return path == self.shown or path.endswith(f"::{self.shown}")
        return path == self.shown or path.startswith(self.shown.rstrip("/") + "/")

    def show_member(self, member: str) -> str:
        """The path of a file, as reports show it."""
        if self.kind is None:
            return f"{self.shown}{member}"
        return f"{self.kind}://{member}::{self.shown}"


def parse_address(text: str) -> Address | None:
    """Parse an address; None for a plain path.

    Raises:
        UsageError: The scheme is unknown, or the address has another form.
    """
    if match := _ARCHIVED.fullmatch(text):
        kind: Kind = "zip" if match[1] == "zip" else "git" if match[1] == "git" else "tar"
        member, base = match[2].strip("/"), resolve_local(match[3])
        if _ARCHIVED.fullmatch(base) or "::" in base:
            raise UsageError(f"{hide_secrets(text)}: an archive in an archive is not read")
        _expect_scheme(base)
        return Address(kind, member, base, hide_secrets(base))
    base = resolve_local(text)
    found = _SCHEME.match(base)
    if found is None:
        suffix = _find_suffix(base)
        if suffix and (os.path.isfile(base) or (suffix == ".git" and is_repository(base))):
            return Address(_SUFFIXES[suffix], "", base, base.replace(os.sep, "/"))
        return None
    if found[1].lower() in ("zip", "tar", "git"):
        form = f"{found[1]}://MEMBER::ARCHIVE"
        raise UsageError(f"{hide_secrets(text)}: expected {form}, or the archive alone")
    _expect_scheme(base)
    suffix = _find_suffix(urlsplit(base).path)
    if suffix == ".git":
        raise UsageError(
            f"{hide_secrets(base)}: a repository on a server is not fetched; git clone makes a "
            "FOLDER of it, and FOLDER can be checked"
        )
    return Address(_SUFFIXES.get(suffix), "", base, hide_secrets(base))


def is_repository(path: str) -> bool:
    """Whether a folder is a git repository: one without a working tree, or that of such a tree."""
    return os.path.isfile(os.path.join(path, "HEAD")) and all(
        os.path.isdir(os.path.join(path, each)) for each in ("objects", "refs")
    )


def hide_secrets(text: str) -> str:
    """The text of an address without user, password, query and fragment.

    All of these may hold credentials: a presigned URL has its signature in the query.
    """
    head, separator, url = text.rpartition("::")
    match = _SCHEME.match(url)
    if match is None:
        return text
    host, slash, path = re.split(r"[?#]", url[match.end() :], maxsplit=1)[0].partition("/")
    return f"{head}{separator}{match[0]}{host.rpartition('@')[2]}{slash}{path}"


def resolve_local(text: str) -> str:
    """The path that a file:// URL means; any other text is given back."""
    if text.startswith("file://"):
        from urllib.request import url2pathname

        return url2pathname(text.removeprefix("file://").removeprefix("localhost"))
    return text


def _find_suffix(path: str) -> str:
    lower = path.lower()
    return next((each for each in sorted(_SUFFIXES, reverse=True) if lower.endswith(each)), "")


def _expect_scheme(base: str) -> None:
    match = _SCHEME.match(base)
    if match is not None and match[1].lower() not in WEB | STORES:
        known = ", ".join(sorted(WEB | STORES | {"file"}))
        raise UsageError(f"{hide_secrets(base)}: unknown scheme {match[1]}; known are {known}")
    if match is not None and not re.split(r"[/?#]", base[match.end() :])[0]:
        raise UsageError(f"{hide_secrets(base)}: no host or bucket")


_EXPANSION = 4
"""Largest size of all members of an archive, divided by the largest size of the archive."""

_MEMBERS = 100_000
"""Largest number of members of an archive, or of files in a folder of a store."""

_PATIENCE = 10.0
"""Time for fetching one address, divided by that for one document: 600 s and 60 s."""


_DOCUMENT_SUFFIXES = (".urdf", ".xacro", ".sdf", ".world", ".mjcf", ".xml", ".yaml", ".yml")
"""Suffixes of files that readers refuse above the limit of a document, so that they need not be
fetched."""


class RefusedError(Exception):
    """Something that is not fetched, or not unpacked; its text says why and names the option."""


@dataclass
class Budget:
    """Amounts that may still be fetched for one address.

    Attributes:
        limits: Limits of a document and of a mesh.
        largest: Largest size of a file or an archive [bytes].
        left: Size that all unpacked files together may still have [bytes].
        members: Number of files that may still be unpacked.
        deadline: Time of the monotonic clock at which everything ends [s].
    """

    limits: Limits
    largest: int = field(init=False)
    left: int = field(init=False)
    members: int = _MEMBERS
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        """Derive the amounts from the limits of a document."""
        self.largest = self.limits.mesh
        self.left = _EXPANSION * self.limits.mesh
        self.deadline = time.monotonic() + _PATIENCE * self.limits.seconds

    @property
    def seconds(self) -> float:
        """The time that is left [s].

        Raises:
            RefusedError: There is none.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise RefusedError(
                f"fetching it takes longer than {_PATIENCE * self.limits.seconds:g} s; --timeout "
                "raises that"
            )
        return left

    def expect_size(self, size: int, path: str = "") -> None:
        """Refuse a file of this size; a path that ends as documents do has the limit of these.

        Raises:
            RefusedError: It is too large.
        """
        is_document = path.lower().endswith(_DOCUMENT_SUFFIXES)
        largest = min(self.limits.document, self.largest) if is_document else self.largest
        if size > largest:
            raise RefusedError(
                f"too large: it has {size} bytes, and the limit is {largest}; "
                "--max-file-size raises it"
            )

    def copy(self, read: Callable[[], bytes], target: BinaryIO, path: str) -> None:
        """Copy the pieces of a file, and count their bytes.

        Args:
            read: Reads the next piece; no bytes at the end.
            target: The stream to which they are written.
            path: Path of the file.

        Raises:
            RefusedError: It is too large, or takes too long.
        """
        size = 0
        while piece := read():
            size += len(piece)
            self.expect_size(size, path)
            self.spend(len(piece))
            target.write(piece)

    def count_member(self) -> None:
        """Count a file.

        Raises:
            RefusedError: There are too many.
        """
        self.members -= 1
        if self.members < 0:
            raise RefusedError(f"it has more than {_MEMBERS} files, and no more are unpacked")

    def spend(self, size: int) -> None:
        """Count unpacked bytes.

        Raises:
            RefusedError: There are too many, or it has taken too long.
        """
        self.left -= size
        if self.left < 0:
            raise RefusedError(
                f"its files have more than {_EXPANSION * self.limits.mesh} bytes when unpacked; "
                "--max-file-size raises the limit"
            )
        _ = self.seconds
