"""Fetching of the models at an address into a private folder, and renaming of what is said there.

An archive, or a folder of a store, is fetched whole. Of a single model the files that it refers to
are fetched as readers ask for them, from the folder of the model alone; or from the folder around
it if its own is one that holds only the documents of a package, as `urdf` in `arm/urdf/arm.urdf`.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import quote, unquote, urlsplit

from inertial_check.documents.files.access import LAYOUT_FOLDERS, Limits, open_regular
from inertial_check.running.remote.addresses import WEB, Address, Budget, Kind, RefusedError
from inertial_check.running.remote.archives import unpack
from inertial_check.running.remote.repositories import Exporter
from inertial_check.running.remote.web import MissingError, Store, download

_MOST_REFERENCES = 500
"""Largest number of files that are asked for because a model refers to them."""

_MOST_ROUNDS = 10
"""Largest depth of files that refer to files."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]")

FindReferences = Callable[[str], Collection[str]]
"""Gives the absolute paths of the files that the model at a path refers to, existing or not."""


@dataclass
class Fetched:
    """Files that were fetched for an address.

    Attributes:
        address: The address.
        root: The private folder that holds them.
        single: Path below the root of the only model; "" for all models in the folder.
        files: Paths of the files below the root.
        notes: Lines about what was left out.
        shown: Beginning of the URLs of files below the root, for a model that is no archive.
    """

    address: Address
    root: str
    single: str = ""
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    shown: str = ""

    def show(self, path: str) -> str:
        """The path of a file below the root, as reports show it."""
        if self.shown:
            return f"{self.shown}{path}"
        return self.address.show_member(path)

    def rename(self, value: Any) -> Any:  # noqa: ANN401 - parsed JSON of any type
        """Replace paths in the private folder by those that reports show, in all texts."""
        if isinstance(value, str):
            head, *pieces = value.split(self.root)
            return head + "".join(map(self._rename_piece, pieces))
        if isinstance(value, list | tuple):
            return [self.rename(each) for each in value]
        if isinstance(value, Mapping):
            return {key: self.rename(each) for key, each in value.items()}
        return value

    def _rename_piece(self, piece: str) -> str:
        """The text that follows the root in a message: a path, and the rest of the message."""
        if not piece.startswith(("/", os.sep)):
            return f"{self.address.shown}{piece}"
        rest = piece[1:]
        begins = (rest[: end.start()] for end in re.finditer(r"[\s\"'\\,;:()]|$", rest))
        known = max(filter(self._index.__contains__, begins), key=len, default=None)
        path = re.match(r"[^\s\"'\\,;:()]*", rest)[0] if known is None else known  # type: ignore[index]
        return f"{self.show(path)}{rest[len(path) :]}"

    @property
    def _index(self) -> frozenset[str]:
        if len(self._known) != len(self.files):
            self._known = frozenset(self.files)
        return self._known

    _known: frozenset[str] = frozenset()


@contextmanager
def fetch(
    address: Address,
    limits: Limits,
    allowed: Sequence[str] = (),
    find_references: FindReferences = lambda path: (),
) -> Iterator[Fetched]:
    """Fetch what is at an address; the files are deleted at the end of the context.

    Args:
        address: The address.
        limits: Limits of a document.
        allowed: Hosts to which servers may redirect.
        find_references: Finds the files to which a single model refers.

    Raises:
        RefusedError: It cannot be fetched, exceeds a limit, or does not exist.
        UsageError: A library that is needed is not installed.
    """
    budget = Budget(limits)
    outer = os.path.realpath(tempfile.mkdtemp(prefix="inertial-check-"))
    try:
        if address.kind is not None:
            yield _fetch_archive(address, outer, budget, allowed)
        else:
            yield _fetch_files(address, outer, budget, allowed, find_references)
    except MissingError:
        raise RefusedError("there is no such file") from None
    finally:
        shutil.rmtree(outer, ignore_errors=True)


def _fetch_archive(address: Address, outer: str, budget: Budget, allowed: Sequence[str]) -> Fetched:
    """Unpack an archive below a private folder."""
    opener = _open_repository if address.kind == "git" else _open_base
    with opener(address, outer, budget, allowed) as stream:
        root = os.path.join(outer, _name_folder(address.upstream))
        os.mkdir(root)
        fetched = Fetched(address, root, address.member)
        kind: Kind = "zip" if address.kind == "zip" else "tar"
        fetched.files, notes = unpack(stream, kind, root, budget, address.member)
        fetched.notes = [f"{address.shown}: {note}" for note in notes]
        return fetched


@contextmanager
def _open_base(
    address: Address, outer: str, budget: Budget, allowed: Sequence[str]
) -> Iterator[BinaryIO]:
    """Open an archive: a local one where it lies, another one as a copy."""
    if address.is_local:
        try:
            stream = open_regular(address.base, budget.largest, "--max-file-size")
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise RefusedError(getattr(error, "strerror", None) or str(error)) from None
        with stream:
            yield stream
        return
    with open(os.path.join(outer, "archive"), "w+b") as copy:
        unpacked = budget.left
        if address.scheme in WEB:
            download(address.base, copy, budget, allowed)
        else:
            store = Store(address)
            store.download(store.path, copy, budget)
        budget.left = unpacked  # the archive itself is no unpacked file
        copy.seek(0)
        yield copy


@contextmanager
def _open_repository(
    address: Address, outer: str, budget: Budget, allowed: Sequence[str]
) -> Iterator[BinaryIO]:
    """Open the files of a repository or a bundle of git as a tar archive."""
    folder = os.path.join(outer, "git")
    os.mkdir(folder)
    path = address.base
    if not address.is_local:
        with _open_base(address, outer, budget, allowed):
            path = os.path.join(outer, "archive")
    with open(os.path.join(outer, "files.tar"), "w+b") as target:
        Exporter(folder, budget).export(path, target)
        target.seek(0)
        yield target


def _fetch_files(
    address: Address,
    outer: str,
    budget: Budget,
    allowed: Sequence[str],
    find_references: FindReferences,
) -> Fetched:
    store = None if address.scheme in WEB else Store(address)
    if store is not None and store.is_folder():
        return _fetch_folder(address, store, outer, budget)
    base = urlsplit(address.base).path if store is None else store.path
    folder, name = posixpath.split(base)
    above = posixpath.dirname(folder)
    inside = ""
    if posixpath.basename(folder).lower() in LAYOUT_FOLDERS and above.strip("/"):
        folder, inside = above, f"{posixpath.basename(folder)}/"
    root = os.path.join(outer, _name_folder(unquote(posixpath.basename(folder)) or "model"))
    os.mkdir(root)
    own = inside + (unquote(name) if store is None else name)
    shown = address.shown.removesuffix(f"{inside}{name}")
    fetched = Fetched(address, root, own, shown=shown)

    def get(path: str) -> bool:
        """Fetch a file below the root; returns whether there is one."""
        budget.count_member()
        target = os.path.join(root, *path.split("/"))
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(f"{target}.part", "xb") as stream:
                if store is not None:
                    store.download(f"{folder}/{path}", stream, budget)
                elif path == own:
                    download(address.base, stream, budget, allowed)
                else:
                    place = f"{folder}/{quote(path)}"
                    url = urlsplit(address.base)._replace(path=place, query="", fragment="")
                    download(url.geturl(), stream, budget, allowed)
        except (MissingError, OSError, ValueError):
            return False
        os.replace(f"{target}.part", target)
        fetched.files.append(path)
        return True

    if _is_unsafe(own) or not get(own):
        raise MissingError
    _fetch_references(fetched, get, find_references)
    return fetched


def _fetch_references(
    fetched: Fetched, get: Callable[[str], bool], find_references: FindReferences
) -> None:
    """Fetch what a model refers to below its root, until it asks for nothing new."""
    asked = {fetched.single}
    for _ in range(_MOST_ROUNDS):
        paths = find_references(os.path.join(fetched.root, *fetched.single.split("/")))
        prefix = fetched.root + os.sep
        wanted = {
            path[len(prefix) :].replace(os.sep, "/") for path in paths if path.startswith(prefix)
        }
        wanted = {each for each in wanted - asked if posixpath.splitext(each)[1]}
        if not wanted:
            return
        asked |= wanted
        if len(asked) > _MOST_REFERENCES:
            raise RefusedError(f"it refers to more than {_MOST_REFERENCES} files")
        found = False
        for path in sorted(wanted):
            if not _is_unsafe(path):
                try:
                    found |= get(path)
                except RefusedError as error:
                    fetched.notes.append(f"{fetched.show(path)}: {error}")
        if not found:
            return


def _is_unsafe(path: str) -> bool:
    parts = path.split("/")
    return ".." in parts or "" in parts or "." in parts or "\0" in path or "\\" in path


def _fetch_folder(address: Address, store: Store, outer: str, budget: Budget) -> Fetched:
    """Fetch all files below a folder of a store."""
    root = os.path.join(outer, _name_folder(posixpath.basename(store.path.rstrip("/"))))
    os.mkdir(root)
    fetched = Fetched(address, root, shown=address.shown.rstrip("/") + "/")
    sizes = store.list_files(budget)
    if sum(sizes.values()) > budget.left:
        budget.spend(sum(sizes.values()))
    for path in sorted(sizes):
        if _is_unsafe(path):
            continue
        target = os.path.join(root, *path.split("/"))
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "xb") as stream:
                store.download(f"{store.path.rstrip('/')}/{path}", stream, budget)
        except (MissingError, OSError):
            continue
        except RefusedError as error:
            os.unlink(target)
            fetched.notes.append(f"{fetched.show(path)}: {error}")
            _ = budget.seconds
        else:
            fetched.files.append(path)
    return fetched


def _name_folder(name: str) -> str:
    """A folder name of harmless characters, which packages may have as their name."""
    return _UNSAFE.sub("_", name)[:100].lstrip(".") or "models"
