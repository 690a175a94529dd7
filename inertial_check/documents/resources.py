"""Search for the files that a model names by package://, model:// or file:// URL or by path.

Nothing is downloaded, and no environment variable is read, so that the result is the same on every
machine with the same files. A package is a folder given by --package-path, or else the nearest
folder above the model that is the package or contains it: its package.xml has the package's name,
or the folder itself does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from inertial_check.documents.context import Context, note_lookup
from inertial_check.documents.files.access import Access, ask_once, is_folder, read_regular
from inertial_check.errors import UsageError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(//)?(.*)", re.DOTALL)
_PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_DRIVE = re.compile(r"/[A-Za-z]:")
_MANIFEST_HEAD = 1 << 16
"""Number of bytes at the start of a package.xml in which its name is searched for [bytes]."""


class Resource(NamedTuple):
    """A file that a model refers to.

    Attributes:
        uri: As written.
        path: Path of the file; None if it was not found.
        reason: Why it was not found, and what to do; None if it was found.
    """

    uri: str
    path: str | None
    reason: str | None


def resolve(
    uri: str,
    model: str | None,
    context: Context | None = None,
    exists: Callable[[str], bool] = os.path.isfile,
) -> Resource:
    """Find the file that a URI names; see ResourceFinder for many files of one model.

    Args:
        uri: package://NAME/REST, model://NAME/REST, file:///PATH, or a path relative to the
            folder of the model.
        model: Path of the model file; None for one without a file.
        context: Folders of packages, and the files that may be used.
        exists: Test of existence; os.path.exists also accepts folders, such as model://NAME.

    Returns:
        The path of a file that exists, or the reason why none was found.
    """
    return ResourceFinder(model, context, exists).find(uri)


class ResourceFinder:
    """Finds the files that one model names, and searches for each package only once."""

    def __init__(
        self,
        model: str | None,
        context: Context | None = None,
        exists: Callable[[str], bool] = os.path.isfile,
    ) -> None:
        """Take the arguments of `resolve`."""
        context = context or Context()
        self._model = model
        self._packages = context.packages
        self._access = context.of_document(model or os.curdir).granted
        self._exists = exists
        self._folders: dict[str, list[str]] = {}
        self._above: list[str] = []

    def find(self, uri: str) -> Resource:
        """Find the file that a URI names."""
        match = _SCHEME.fullmatch(uri)
        scheme = match[1].lower() if match and match[2] else ""
        rest = match[3] if match else ""
        if match and scheme in {"package", "model"}:
            return self._in_package(uri, rest)
        if match and scheme == "file":
            return self._at_url(uri, rest)
        if scheme:
            known = "package://, model://, file:// or a path"
            return _none(uri, f"{scheme}:// is not fetched: expected {known}")
        if os.path.isabs(uri):
            return self._existing(uri, [uri])
        if self._model is None:
            return _none(uri, "a relative path, but the model was read from no file")
        beside = os.path.join(os.path.dirname(self._model), uri)
        return self._existing(uri, [beside])

    def _in_package(self, uri: str, rest: str) -> Resource:
        """Find the file of package://NAME/REST."""
        name, _, inside = rest.partition("/")
        if not name:
            return _none(uri, "names no package: expected package://NAME/PATH")
        if name in self._packages:
            folder = os.fspath(self._packages[name])
            return self._existing(uri, [os.path.join(folder, inside)])
        if self._model is None:
            reason = f"the package {name} is sought above the model, which was read from no file"
            return _none(uri, f"{reason}; name it with --package-path {name}=DIR")
        if name not in self._folders:
            self._above = self._above or list(_above(self._model, self._access))
            self._folders[name] = list(_folders(name, self._above, self._access))
        folders = self._folders[name]
        if not folders:
            places = ((folder, os.path.join(folder, inside)) for folder in self._above if inside)
            held = (f for f, at in places if self._access.allows(at) and self._is_there(at))
            alike = next(held, "DIR")
            reason = f"no folder above the model is or holds the package {name}"
            return _none(uri, f"{reason}; name it with --package-path {name}={alike}")
        return self._existing(uri, [os.path.join(folder, inside) for folder in folders])

    def _is_there(self, path: str) -> bool:
        """Tell whether a file exists; in a missing folder, nothing is asked for."""
        note_lookup(path)
        return _has_folder(path) and self._exists(path)

    def _existing(self, uri: str, candidates: list[str]) -> Resource:
        """Take the first of these paths that exists and may be used."""
        path = candidates[0]
        refusal = self._access.reason_against(path)
        for candidate in candidates:
            reason = refusal if candidate is path else self._access.reason_against(candidate)
            if reason is None and self._is_there(candidate):
                return Resource(uri, candidate, None)
        if refusal is not None:
            note_lookup(path)
            return _none(uri, refusal)
        stands = _has_folder(path) and os.path.exists(path)
        reason = f"not a file: {path}" if stands else f"no such file: {path}"
        return _none(uri, reason + _hint(path))

    def _at_url(self, uri: str, rest: str) -> Resource:
        """Find the file of file://REST."""
        from urllib.parse import unquote  # slow to import, and rarely needed

        host, slash, path = rest.partition("/")
        if host not in {"", "localhost"} or not slash:
            return _none(uri, f"names the host {host!r}: write file:///PATH, or a path alone")
        path = slash + path
        if _DRIVE.match(path) and os.sep == "\\":
            path = path[1:]
        return self._existing(uri, [path, unquote(path)])


def package_paths(texts: Iterable[str]) -> dict[str, str]:
    """Parse texts of the form PKG=DIR, the values of --package-path.

    Raises:
        UsageError: A text has another form, a folder does not exist, or a package is named twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            raise UsageError(f"--package-path {text}: expected PKG=DIR")
        if not os.path.isdir(folder):
            raise UsageError(f"--package-path {text}: no such folder")
        if found.setdefault(name, folder) != folder:
            raise UsageError(f"--package-path names {name} twice: {found[name]} and {folder}")
    return found


def _none(uri: str, reason: str) -> Resource:
    return Resource(uri, None, f"{uri}: {reason}")


def _has_folder(path: str) -> bool:
    """Tell whether the folder exists in which a path lies."""
    return is_folder(os.path.dirname(path) or os.curdir)


def _hint(path: str) -> str:
    """Suggest a file beside the missing one that may be meant."""
    if "\\" in path and os.sep != "\\":
        return "; write / for \\"
    folder, name = os.path.split(path)
    note_lookup(folder or ".")
    if not is_folder(folder or "."):
        return ""
    try:
        with os.scandir(folder or ".") as entries:
            alike = sorted(e.name for e in entries if e.name.lower() == name.lower())
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return ""
    return f"; there is {alike[0]}" if alike else ""


def _above(model: str, access: Access) -> Iterator[str]:
    """List the folder of the model, the folders above it that may be used, and the one around."""
    folder, below = os.path.dirname(os.path.abspath(model)), ""
    while folder != below and access.allows(below or folder):
        yield folder
        folder, below = os.path.dirname(folder), folder


def _folders(name: str, above: Iterable[str], access: Access) -> Iterator[str]:
    """Find folders that may be the package, among those above the model, the nearest first."""
    for folder in above:
        if os.path.basename(folder) == name or _manifest_name(folder, access) == name:
            yield folder
        inside = os.path.join(folder, name)
        note_lookup(inside)
        if name not in {os.curdir, os.pardir} and is_folder(inside) and access.allows(inside):
            yield inside


def _manifest_name(folder: str, access: Access) -> str | None:
    """Read the name in the package.xml of a folder, if that may be used."""
    manifest = os.path.join(folder, "package.xml")
    note_lookup(manifest)
    if access.reason_against(manifest) is not None:
        return None
    return ask_once(_read_manifest_name, manifest, access.limits.document)


def _read_manifest_name(manifest: str, largest: int) -> str | None:
    try:
        match = _PACKAGE_NAME.search(read_regular(manifest, largest)[:_MANIFEST_HEAD])
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return match[1].decode("utf-8", "replace") if match else None
