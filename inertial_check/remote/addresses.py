"""Addresses of models that are no plain paths: URLs, archives, and members of archives.

`zip://MEMBER::BASE` and `tar://MEMBER::BASE` are written as fsspec writes them: BASE is a path or a
URL, and without a MEMBER all models in the archive are meant. A path or URL with the suffix of an
archive means the same. `git://MEMBER::BASE` is a file of the commit that HEAD names in a repository
without a working tree, or in a bundle.
"""

from __future__ import annotations

import os
import re
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from inertial_check.errors import UsageError

Kind = Literal["zip", "tar", "git"]

_SUFFIXES: dict[str, Kind] = {
    ".zip": "zip",
    ".tar": "tar",
    ".tar.gz": "tar",
    ".tgz": "tar",
    ".tar.bz2": "tar",
    ".tbz2": "tar",
    ".tar.xz": "tar",
    ".txz": "tar",
    ".tar.zst": "tar",
    ".tzst": "tar",
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
        suffix = _find_suffix(name)
        return name.removesuffix(suffix) or name

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
        member, base = match[2].strip("/"), _strip_file(match[3])
        if _ARCHIVED.fullmatch(base) or "::" in base:
            raise UsageError(f"{hide_secrets(text)}: an archive in an archive is not read")
        _expect_scheme(base)
        return Address(kind, member, base, hide_secrets(base))
    base = _strip_file(text)
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
    parts = ("objects", "refs")
    return os.path.isfile(os.path.join(path, "HEAD")) and all(
        os.path.isdir(os.path.join(path, each)) for each in parts
    )


def resolve_local(text: str) -> str:
    """The path that a file:// URL means; any other text is given back."""
    return _strip_file(text)


def hide_secrets(text: str) -> str:
    """The text of an address without user, password, query and fragment.

    All of these may hold credentials: a presigned URL has its signature in the query.
    """
    head, separator, url = text.rpartition("::")
    match = _SCHEME.match(url)
    if match is None:
        return text
    rest = re.split(r"[?#]", url[match.end() :], maxsplit=1)[0]
    host, slash, path = rest.partition("/")
    return f"{head}{separator}{match[0]}{host.rpartition('@')[2]}{slash}{path}"


def _strip_file(text: str) -> str:
    """A file:// URL as a path."""
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
