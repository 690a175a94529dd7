"""Search for the files that a model names by package://, model:// or file:// URL or by path.

Nothing is downloaded, and no environment variable is read, so that the result is the same on every
machine with the same files. A package is a folder given by --package-path, or else the nearest
folder above the model that is the package or contains it, or else the nearest folder of the tree
around the model: its package.xml has the package's name, or the folder itself does.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from inertial_check.documents.context import Context, note_lookup
from inertial_check.documents.files.access import (
    PACKAGE_MARKS,
    Access,
    Limits,
    ask_once,
    contains,
    is_folder,
    read_regular,
    real_path,
    root_of,
)
from inertial_check.errors import UsageError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(//)?(.*)", re.DOTALL)
_PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_DRIVE = re.compile(r"/[A-Za-z]:")
_MANIFEST_HEAD = 1 << 16
"""Number of bytes at the start of a package.xml in which its name is searched for [bytes]."""

_MOST_FOLDERS = 20_000
"""Largest number of folders of one tree that are searched for packages, those near its root first:
it takes half a second, and workspaces of ROS have some thousand."""

_TREE = f"{os.sep}**{os.sep}"
"""Middle of the lookup ROOT/**/NAME, which stands for all folders and packages of a name that lie
below a root; no list of single folders could say that a new one of this name matters."""

_MANIFESTS = (("share", "*", "package.xml"), ("*", "share", "*", "package.xml"))
"""Places of manifests in an install tree, where packages share one prefix or have one each."""

_INSTALL = re.compile(r"\binstall\s*\(\s*(DIRECTORY|FILES)\s([^()]*)\)", re.IGNORECASE)
_SHARE = re.compile(
    r"(?:share|\$\{CMAKE_INSTALL_DATA(?:ROOT)?DIR\})/[^/]+|\$\{CATKIN_PACKAGE_SHARE_DESTINATION\}"
)
"""Folder into which a CMakeLists.txt installs the package's own files."""


class Resource(NamedTuple):
    """A file that a model refers to.

    Attributes:
        uri: As written.
        path: Path of the file; None if it was not found.
        reason: Why it was not found, and what to do, or which other folders are as near as that of
            the path; None if it was found in one.
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
    """Finds the files that one model names, and searches for each package only once.

    Attributes:
        refused: URIs of files that must not be opened, so that nobody knows whether they are there.
    """

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
        self.refused: set[str] = set()
        self._folders: dict[str, list[str]] = {}
        self._indexed: dict[str, list[tuple[tuple[int, int, int], str]]] = {}
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
        return self._existing(uri, [os.path.join(os.path.dirname(self._model), uri)])

    def _in_package(self, uri: str, rest: str) -> Resource:
        """Find the file of package://NAME/REST."""
        name, _, inside = rest.partition("/")
        if name in (os.curdir, os.pardir):
            self.refused.add(uri)
        if name in self._packages:
            return self._in_folders(uri, [os.fspath(self._packages[name])], inside)
        if not name or self._model is None:
            reason = f"the package {name} is sought above the model, which was read from no file"
            reason += f"; name it with --package-path {name}=DIR"
            return _none(uri, reason if name else "names no package: expected package://NAME/PATH")
        if name not in self._folders:
            self._above = self._above or list(_above(self._model, self._access))
            self._folders[name] = list(_folders(name, self._above, self._access))
        folders = self._folders[name]
        if folders and not inside and _manifest_name(folders[0], self._access) != name:
            # A folder that is named alone has to be the package: its manifest says so.
            folders = [*(at for (kind, *_), at in self._search_tree(name) if kind == 0), *folders]
        found = self._in_folders(uri, folders, inside)
        if found.path is not None:
            return found
        tree = [at for _, at in self._search_tree(name)]
        nearest = self._in_folders(uri, tree, inside)
        if nearest.path is not None:
            return nearest._replace(reason=self._describe_tie(name, nearest.path, inside))
        given = [at for each in self._access.trees for at in _list_packages(each, name)]
        installed = self._in_folders(uri, given, inside)
        if folders or tree or given:
            missing = found if folders else nearest if tree else installed
            return missing if installed.path is None else installed
        # Say which folder has the file, and so may be the package by another name.
        places = [(folder, os.path.join(folder, inside)) for folder in self._above if inside]
        note_lookup(*(at for _, at in places))
        standing = [each for each in places if _has_folder(each[1])]
        held = (f for f, at in standing if self._access.allows(at) and self._exists(at))
        reason = f"no folder above the model or in its tree is or holds the package {name}"
        return _none(uri, f"{reason}; name it with --package-path {name}={next(held, 'DIR')}")

    def _in_folders(self, uri: str, folders: Sequence[str], inside: str) -> Resource:
        """Find a file in the first folder that has it, else where it will be installed from."""
        if not folders:
            return _none(uri, "no folder")
        found = self._existing(uri, [os.path.join(folder, inside) for folder in folders])
        if found.path is None and inside:
            sources = []
            for folder in folders:
                cmake = os.path.join(folder, "CMakeLists.txt")
                note_lookup(cmake)
                allowed = self._access.reason_against(cmake) is None
                for source, target in ask_once(_read_installs, cmake) if allowed else ():
                    if target == inside:
                        sources.append(os.path.join(folder, source))
                    elif inside.startswith(f"{target}/" if target else "") and source[-1:] == "/":
                        rest = inside[len(target) :].lstrip("/")
                        sources.append(os.path.join(folder, source, rest))
            installed = self._existing(uri, sources) if sources else found
            return found if installed.path is None else installed
        return found

    def _search_tree(self, name: str) -> Sequence[tuple[tuple[int, int, int], str]]:
        """Find a package or model in the trees that the model may use, the nearest first.

        A package.xml of this name goes before folders of this name; of these, one with the
        package.xml of another package is the last.

        Returns:
            The folders, each with its kind and the numbers of levels up and down to it.
        """
        if name in self._indexed:
            return self._indexed[name]
        near = real_path(os.path.dirname(os.path.abspath(self._model or os.curdir)))
        roots = (*self._access.roots, root_of(near).path)
        usable = (each for each in roots if contains(each, near) and self._access.allows(each))
        root, found = min(usable, key=len, default=None), []
        if root is not None:
            note_lookup(f"{root.rstrip(os.sep)}{_TREE}{name}")
            index = ask_once(index_folders, root)
            for folder in index.find(name):
                common = os.path.commonpath([near, folder])
                levels = [each.rstrip(os.sep).count(os.sep) for each in (near, folder, common)]
                kind = index.rank(name, folder)
                found.append(((kind, levels[0] - levels[2], levels[1] - levels[2]), folder))
        self._indexed[name] = sorted(found)
        return self._indexed[name]

    def _describe_tie(self, name: str, path: str, inside: str) -> str | None:
        """Say which other folders have a file as well, and are as near as the one that has it."""
        found = [(os.path.join(folder, inside), key) for key, folder in self._search_tree(name)]
        key = dict(found).get(path)
        others = [
            at
            for at, each in found
            if each == key and self._access.allows(at) and self._is_there(at)
            if not os.path.samefile(at, path)
        ]
        if not others:
            return None
        way = f"--package-path {name}=DIR decides"
        return f"{path} is taken, and {', '.join(others)} is as near; {way}"

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
            self.refused.add(uri)
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


class FolderIndex(NamedTuple):
    """The folders of a tree, as far as packages and models are found by them.

    Attributes:
        named: Folders by their own names.
        packages: Folders by the names in their package.xml.
        marked: Folders with a package.xml, and folders with a model.config.
    """

    named: Mapping[str, Sequence[str]]
    packages: Mapping[str, Sequence[str]]
    marked: Sequence[Collection[str]]

    def find(self, name: str) -> set[str]:
        """Find the folders that are a package or model, or have its name."""
        return {*self.named.get(name, ()), *self.packages.get(name, ())}

    def rank(self, name: str, folder: str) -> int:
        """Tell how well a folder shows that it is a package or model; 0 is best."""
        if folder in self.packages.get(name, ()):
            return 0
        manifests, configs = self.marked
        return 0 if folder in configs else 1 + (folder in manifests)


def index_folders(root: str) -> FolderIndex:
    """Search a tree for the folders of packages and models, without hidden folders.

    No link is followed down; a linked folder counts by its name, and what it points to is checked
    when a file in it is opened.
    """
    named: dict[str, list[str]] = {}
    packages: dict[str, list[str]] = {}
    marked: tuple[set[str], set[str]] = (set(), set())
    pending = [root]
    for folder in pending:  # which grows
        named.setdefault(os.path.basename(folder), []).append(folder)
        try:
            with os.scandir(folder) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for child in children:
            if child.name in PACKAGE_MARKS:
                marked[PACKAGE_MARKS.index(child.name)].add(folder)
                is_manifest = child.name == PACKAGE_MARKS[0]
                inside = is_manifest and contains(root, os.path.realpath(child.path))
                name = _read_manifest_name(child.path, Limits.document) if inside else None
                if name is not None:
                    packages.setdefault(name, []).append(folder)
            elif child.is_dir(follow_symlinks=False):
                if len(pending) < _MOST_FOLDERS and not child.name.startswith("."):
                    pending.append(child.path)
            elif child.is_symlink() and os.path.isdir(child.path):
                named.setdefault(child.name, []).append(child.path)
    return FolderIndex(named, packages, marked)


def split_tree_lookup(path: str) -> tuple[str, str] | None:
    """Split the lookup ROOT/**/NAME into root and name; None for that of a file or folder."""
    root, tree, name = path.partition(_TREE)
    return (root or os.sep, name) if tree else None


def concerns_lookup(lookup: str, path: str) -> bool:
    """Tell whether a file that is new, changed or gone is one that a lookup is about."""
    split = split_tree_lookup(lookup)
    if split is None:
        return lookup == path
    root, name = split
    below = path.removeprefix(root.rstrip(os.sep) + os.sep).split(os.sep)
    return contains(root, path) and (name in below or below[-1] in PACKAGE_MARKS)


def _read_installs(path: str) -> tuple[tuple[str, str], ...]:
    """Read what a CMakeLists.txt installs into the package's share folder.

    Returns:
        Sources, a folder with "/" at its end, and targets relative to the share folder.
    """
    try:
        text = read_regular(path, _MANIFEST_HEAD).decode("utf-8", "replace")
    except OSError:
        return ()
    found = []
    for kind, body in _INSTALL.findall(re.sub(r"#.*", "", text)):
        words = [word.strip('"') for word in body.split()]
        upper = [word.upper() for word in words]
        if "DESTINATION" not in upper[:-1]:
            continue
        at = upper.index("DESTINATION")
        share = _SHARE.match(words[at + 1])
        if share is None:
            continue
        target = words[at + 1][share.end() :].strip("/")
        for word in words[:at]:
            source = word.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            parts = [target] if source.endswith("/") else [target, os.path.basename(source)]
            is_folder = kind.upper() == "DIRECTORY"
            joined = "/".join(filter(None, parts))
            found.append((source.rstrip("/") + "/" * is_folder, joined))
    return tuple(found)


class PackagePaths(NamedTuple):
    """Folders that the values of --package-path name.

    Attributes:
        packages: Folders by the names of their packages.
        trees: Folders of packages and install trees, in the order in which they are searched.
    """

    packages: dict[str, str]
    trees: tuple[str, ...]


def package_paths(texts: Iterable[str]) -> PackagePaths:
    """Parse the values of --package-path: PKG=DIR, a folder of packages, or several with ":".

    Of several, those that do not exist are left out, as ROS does.

    Raises:
        UsageError: A text has another form, a folder does not exist, or a package is named twice.
    """
    found: dict[str, str] = {}
    trees: dict[str, None] = {}
    for text in texts:
        parts = [part for part in text.split(os.pathsep) if part]
        names = [part.partition("=") for part in parts if not os.path.isdir(part)]
        there = [part for part in parts if os.path.isdir(part)]
        trees.update(dict.fromkeys(map(os.path.abspath, there)))
        if not parts or not all(name and folder for name, equals, folder in names if equals):
            expected = "PKG=DIR, a folder of packages or an install tree"
            raise UsageError(f"--package-path {text}: expected {expected}")
        for name, equals, folder in names:
            if os.path.isdir(folder):
                if found.setdefault(name, folder) != folder:
                    both = f"{found[name]} and {folder}"
                    raise UsageError(f"--package-path names {name} twice: {both}")
            elif equals or len(parts) == 1:
                raise UsageError(f"--package-path {text}: no such folder")
    return PackagePaths(found, tuple(trees))


def _list_packages(tree: str, name: str) -> Iterator[str]:
    """List the folders of a package in a folder of packages, or in an install tree of ROS."""
    installed = [os.path.join(tree, "share", name), os.path.join(tree, name, "share", name)]
    note_lookup(*installed)
    yield from filter(is_folder, installed)
    if not is_folder(os.path.join(tree, "share")):  # whose other folders hold no packages
        note_lookup(f"{tree.rstrip(os.sep)}{_TREE}{name}")
        index = ask_once(index_folders, tree)
        ranked = [(index.rank(name, at), at.count(os.sep), at) for at in index.find(name)]
        yield from (at for _, _, at in sorted(ranked))


def count_packages(tree: str) -> int:
    """Count the packages of an install tree, or the packages and models of a folder."""
    manifests = (glob.iglob(os.path.join(glob.escape(tree), *at)) for at in _MANIFESTS)
    count = sum(1 for each in manifests for _ in each)
    return count or sum(map(len, index_folders(tree).marked))


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
