"""Directory walk that finds the files that may be robot models, by their names alone.

Reading of .gitignore files, to leave out of a walk what git would ignore.

Paths are matched byte by byte, as git does, in strings that hold one character a byte (Latin-1):
neither a pattern nor a name has to be valid text.

Path patterns of settings, matched as git matches those of a folder's .gitignore.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from inertial_check.documents.files.access import (
    MESH_SUFFIXES,
    SUFFIXES,
    contains,
    is_archive,
    read_regular,
)

_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


LONGEST_PATTERN = 4096
"""Largest length of a pattern [characters], that of a path on Linux; a longer one matches nothing.
An expression of a million characters takes seconds to compile."""


class _IgnorePattern(NamedTuple):
    """One line of an ignore file, compiled."""

    matches: re.Pattern[str]
    negated: bool
    directories_only: bool
    whole_path: bool


class IgnoreFile(NamedTuple):
    """The patterns of one ignore file, and the folder that they are relative to."""

    folder: str
    patterns: tuple[_IgnorePattern, ...]

    def verdict(self, path: str, directory: bool) -> bool | None:
        """Tell whether an absolute path is ignored; None where no pattern matches it."""
        below = path[len(self.folder) :].replace(os.sep, "/").lstrip("/")
        relative = os.fsencode(below).decode("latin-1")
        name = relative.rpartition("/")[2]
        for pattern in reversed(self.patterns):
            if pattern.directories_only and not directory:
                continue
            if pattern.matches.fullmatch(relative if pattern.whole_path else name):
                return not pattern.negated
        return None


_LARGEST_INDEX = 1 << 26
"""Largest size of an index of git [bytes]: a million files have less."""

_WORK_TREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(.+?)[ \t\r]*$", re.MULTILINE)
_LARGEST_POINTER = 1 << 13
"""Largest size of a file that names a folder of git [bytes]: paths have at most 4,096."""


def is_tracked(path: str, repository: str) -> bool:
    """Tell whether the index of a repository has a file, or one in a folder: git ignores neither.

    Nothing is tracked where the index cannot be read.
    """
    index = os.path.join(_find_git_folder(repository), "index")
    try:
        changed = os.lstat(index).st_mtime_ns
    except OSError:
        return False
    return path in _read_index(repository, index, changed)


def _find_git_folder(repository: str) -> str:
    """Find the folder that git keeps for a repository: `.git`, or what a file of that name says.

    The file is believed where the folder that it names tells of this repository in turn: as
    `gitdir` for a worktree, as `core.worktree` for a submodule. So one made by a stranger leads to
    nothing of another's.
    """
    mark = os.path.join(repository, ".git")
    try:
        text = os.fsdecode(read_regular(mark, _LARGEST_POINTER)).replace("\0", "")
    except OSError:  # a folder, usually
        return mark
    folder = os.path.join(repository, text.removeprefix("gitdir: ").rstrip("\n"))
    for name, told in (("gitdir", re.compile("(.+)")), ("config", _WORK_TREE)):
        try:
            found = told.search(os.fsdecode(read_regular(f"{folder}/{name}", _LARGEST_POINTER)))
        except OSError:
            continue
        back = os.path.join(folder, found[1].replace("\0", "")) if found else ""
        if found and os.path.realpath(back) in map(os.path.realpath, (mark, repository)):
            return folder
    return mark


@lru_cache(maxsize=8)
def _read_index(repository: str, index: str, changed: int) -> frozenset[str]:
    """List the files of an index of git as it was changed last, and the folders above them.

    The layout is that of gitformat-index(5): version 4 leaves out what a name has in common with
    the one before it, and pads nothing. An index of a repository with SHA-256 has longer hashes.
    """
    try:
        data = b"" if os.path.islink(index) else read_regular(index, _LARGEST_INDEX)
    except OSError:
        data = b""
    version = int.from_bytes(data[4:8], "big") if data[:4] == b"DIRC" else 0
    if version not in (2, 3, 4):
        return frozenset()
    # The last hash is that of all that stands before it, so it tells which hash the index has.
    longer = hashlib.sha256(data[:-32]).digest() == data[-32:]
    flags = 40 + (32 if longer else 20)
    found: set[str] = set()
    name, at = b"", 12
    for _ in range(int.from_bytes(data[8:12], "big")):
        extended = bool(data[at + flags : at + flags + 1] >= b"@" and data[at + flags] & 0x40)
        start = at + flags + 2 + 2 * extended
        kept = 0
        if version == 4:
            dropped, start = _read_offset(data, start)
            kept = max(len(name) - dropped, 0)
        end = data.find(b"\0", start)
        if end < 0:
            return frozenset()
        name = name[:kept] + data[start:end]
        at = end + 1 if version == 4 else end + 8 - (end - at) % 8
        path = os.path.join(repository, os.fsdecode(name))
        while path not in found and path != repository:
            found.add(path)
            path = os.path.dirname(path)
    return frozenset(found)


def _read_offset(data: bytes, at: int) -> tuple[int, int]:
    """Read an offset as git packs it, seven bits a byte; returns it and where it ends."""
    value = -1
    for byte in data[at : at + 10]:
        at += 1
        value = ((value + 1) << 7) | (byte & 0x7F)
        if byte < 0x80:
            break
    return max(value, 0), at


LARGEST = 1 << 17
"""Largest size of an ignore file [bytes]: thousands of patterns, as each of them is compared with
each path of the folder."""

Failed = Callable[[str, OSError], None]
"""Function that is told of a path that cannot be read, and the error."""

Ignores = tuple[IgnoreFile, ...]
"""The ignore files that apply in a folder, from the outermost to the innermost, which decides."""


def is_ignored(ignores: Ignores, path: str, directory: bool) -> bool:
    """Tell whether git would ignore an entry whose parent folder is not ignored.

    Args:
        ignores: The ignore files that apply in the parent folder.
        path: Absolute path of the entry.
        directory: Whether it is a directory; for git, a symbolic link is none.
    """
    for ignore in reversed(ignores):
        verdict = ignore.verdict(path, directory) if ignore.patterns else None
        if verdict is not None:
            return verdict and not is_tracked(path, ignores[0].folder)
    return False


def above(folder: str, failed: Failed) -> Ignores:
    """Read the ignore files that lie above a folder, within its repository."""
    inherited: list[str] = []
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, inner = os.path.dirname(folder), folder
        if folder == inner:
            return ()
        inherited.append(folder)
    ignores: Ignores = ()
    for parent in reversed(inherited):
        ignores = within(parent, ignores, failed)
    return ignores


def within(folder: str, ignores: Ignores, failed: Failed) -> Ignores:
    """Read the ignore files that apply inside a folder, given those that apply in its parent."""
    repository = os.path.join(folder, ".git")
    if os.path.lexists(repository):
        # A repository of its own, to which the ignore files around it do not apply.
        own = _read(folder, os.path.join(repository, "info", "exclude"), failed)
        ignores = (IgnoreFile(folder, ()), *own)
    return ignores + _read(folder, os.path.join(folder, ".gitignore"), failed)


def _read(folder: str, path: str, failed: Failed) -> Ignores:
    """Read an ignore file; git follows no link there, and `failed` is told what is not read."""
    if os.path.islink(path):
        return ()
    try:
        data = read_regular(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):  # in a worktree, .git is a file
        return ()
    except OSError as error:
        failed(path, error)
        return ()
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    return (IgnoreFile(folder, tuple(_read_patterns(lines))),)


def _read_patterns(lines: list[str]) -> Iterator[_IgnorePattern]:
    for line in lines:
        if line.startswith("#"):
            continue
        # Remove the spaces at the end of a text, except one that a backslash keeps.
        text = line.removesuffix("\r")
        kept = text.rstrip(" ")
        backslashes = len(kept) - len(kept.rstrip("\\"))
        text = kept + " " if backslashes % 2 and len(kept) < len(text) else kept
        negated = text.startswith("!")
        text = text[negated:]
        directories_only = text.endswith("/")
        text = text[: len(text) - directories_only]
        expression = translate_pattern(text.removeprefix("/")) if text else None
        if expression is not None:
            yield _IgnorePattern(
                re.compile(expression, re.DOTALL), negated, directories_only, "/" in text
            )


def translate_pattern(pattern: str) -> str | None:
    """Translate a path pattern of git, in which `*` stops at `/` and `**` does not.

    The expression is matched in linear time for each `**` and `*`: what lies between two of them is
    matched at the first place where it fits and never tried again further on (atomic groups). That
    loses no match, because the star behind it can skip whatever a later place would.

    Returns:
        The regular expression for a full match; None for a pattern that can match nothing.
    """
    tokens = _read_tokens(pattern) if len(pattern) <= LONGEST_PATTERN else None
    if tokens is None:
        return None
    *between, last = (
        "/".join(map(_translate_name, _split(part, "/"))) for part in _split(tokens, _FOLDERS)
    )
    pieces = [text if at == 0 else f"(?>{_FOLDERS}{text})" for at, text in enumerate(between)]
    return "".join([*pieces, _FOLDERS if between else "", last])


_STAR, _FOLDERS, _REST = "[^/]*", "(?:[^/]*+/)*?", ".*"
"""Expressions of a star, of `**/` and of `**` at the end of a pattern."""


def _read_tokens(pattern: str) -> list[str] | None:
    """Read a pattern as expressions of single characters, and of stars; None if it is invalid."""
    tokens: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            found, at = _read_stars(pattern, at)
            tokens += found
        elif char == "?":
            tokens.append("[^/]")
            at += 1
        elif char == "[":
            bracket = _translate_bracket(pattern, at + 1)
            if bracket is None:
                return None
            tokens.append(bracket[0])
            at = bracket[1]
        else:
            at += char == "\\"
            if at == len(pattern):
                return None
            tokens.append(re.escape(pattern[at]))
            at += 1
    return tokens


def _read_stars(pattern: str, start: int) -> tuple[list[str], int]:
    """Read a run of stars; returns its expressions and where the pattern goes on."""
    end = start
    while pattern[end : end + 1] == "*":
        end += 1
    begins_a_name = start == 0 or pattern[start - 1] == "/"
    if end - start == 1 or not begins_a_name:
        return [_STAR], end
    if end == len(pattern):
        return [_REST], end
    if pattern[end] == "/":
        return [_FOLDERS], end + 1
    if pattern.startswith("\\/", end):  # one folder or more
        return [_FOLDERS, _STAR, "/"], end + 2
    return [_STAR], end


def _translate_name(tokens: list[str]) -> str:
    """Translate the part of a pattern between two slashes."""
    first, *others = map("".join, _split(tokens, _STAR))
    if not others:
        return first
    *between, last = others
    return first + "".join(f"(?>[^/]*?{text})" for text in between) + _STAR + last


def _split(tokens: list[str], mark: str) -> list[list[str]]:
    """Split expressions at each that is the mark."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _translate_bracket(pattern: str, at: int) -> tuple[str, int] | None:
    """Translate a set whose `[` stands before `at`; None if it is never closed."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    low = ""  # the last character: a following `-` begins a range with it
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        if at >= len(pattern):
            return None
        if pattern.startswith("[:", at) and (named := _read_class(pattern, at)) is not None:
            member, at = named
            if not member:
                return None
            members.append(member)
            low = ""
            continue
        is_range = pattern[at] == "-" and low and pattern[at + 1 : at + 2] not in ("", "]")
        at += bool(is_range)
        at += pattern[at] == "\\"
        if at >= len(pattern):
            return None
        char = pattern[at]
        at += 1
        if is_range:
            members += [f"{re.escape(low)}-{re.escape(char)}"] if low <= char else []
            low = ""
        else:
            members.append(re.escape(char))
            low = char
    inside = "".join(members)
    if not inside:
        return ("[^/]" if negated else "(?!)"), at + 1
    return (f"[^/{inside}]" if negated else f"(?!/)[{inside}]"), at + 1


def _read_class(pattern: str, at: int) -> tuple[str, int] | None:
    """Read a `[:class:]`: its members, "" if unknown; None where `[` is just a character."""
    end = pattern.find("]", at + 2)
    if end < 0:
        return "", at
    if end == at + 2 or pattern[end - 1] != ":":
        return None
    return _POSIX_CLASSES.get(pattern[at + 2 : end - 1], ""), end + 1


class PathPattern(NamedTuple):
    """Pattern of file paths relative to a folder.

    A pattern without "/" is matched against every name in the path; any other against the path from
    the folder. "*" stops at "/", "**" does not. A pattern that matches a folder matches all files
    in it.

    Attributes:
        folder: Absolute path of the folder.
        pattern: The pattern as written.
    """

    folder: str
    pattern: str

    @property
    def valid(self) -> bool:
        """Whether the pattern can match anything."""
        return _compile(self.pattern) is not None

    @property
    def exact_path(self) -> str | None:
        """The absolute path that the pattern names; None if other paths match it, too."""
        wild = any(sign in self.pattern for sign in "*?[\\")
        if wild or "/" not in self.pattern.rstrip("/"):
            return None
        return os.path.abspath(os.path.join(self.folder, self.pattern.lstrip("/")))

    def matches(self, path: str) -> bool:
        """Tell whether the pattern matches a file, or a folder above it."""
        expression = _compile(self.pattern)
        if expression is None:
            return False
        parts = relative_path(os.path.abspath(path), self.folder).split("/")
        named = "/" not in self.pattern.rstrip("/")
        for count in range(1, len(parts) + (not self.pattern.endswith("/"))):
            candidate = parts[count - 1] if named else "/".join(parts[:count])
            if parts[count - 1] != os.pardir and expression.fullmatch(candidate):
                return True
        return False


@cache
def _compile(pattern: str) -> re.Pattern[str] | None:
    text = pattern.removeprefix("./").removeprefix("/").rstrip("/")
    expression = translate_pattern(text) if text else None
    return None if expression is None else re.compile(expression, re.DOTALL)


@cache
def relative_path(path: str, folder: str) -> str:
    """Give the path from a folder with "/" between names; absolute on another drive."""
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")


_SUBMODULE = re.compile(r"^[ \t]*path[ \t]*=[ \t]*(.+?)[ \t\r]*$", re.MULTILINE)
_MOST_SUBMODULES = 1000
"""Largest number of submodules that one .gitmodules may name, and that are looked into."""

_TEMPORARY = re.compile(r"\..*\.inertial-check-[^.]*\.tmp", re.DOTALL)


_WANTED = SUFFIXES | MESH_SUFFIXES


class WalkEntry(NamedTuple):
    """File or folder in a walk.

    Attributes:
        printed: The path as reports show it.
        absolute: The path on the disk.
        relative: The path from the start of the walk.
    """

    printed: str
    absolute: str
    relative: str

    def inside(self, name: str) -> WalkEntry:
        """Give the entry of this name in this folder."""
        return WalkEntry(
            _join(self.printed, name), os.path.join(self.absolute, name), _join(self.relative, name)
        )


class Glob(NamedTuple):
    """Pattern of the paths to find, relative to the start of the walk.

    Attributes:
        expression: The pattern as a regular expression.
        levels: Number of folders between the start and what the pattern can match.
    """

    expression: re.Pattern[str]
    levels: float

    @classmethod
    def of(cls, pattern: str) -> Glob | None:
        """Compile a pattern; None where it is invalid, as with a `[` that is never closed."""
        expression = translate_pattern(pattern)
        if expression is None:
            return None
        levels = float("inf") if "**" in pattern else pattern.count("/")
        return cls(re.compile(expression, re.DOTALL), levels)

    def matches(self, entry: WalkEntry) -> bool:
        """Tell whether the entry matches the pattern."""
        return self.expression.fullmatch(entry.relative) is not None


class _PendingFolder(NamedTuple):
    """Folder still to be read, with the glob and the ignore files that apply inside it."""

    entry: WalkEntry
    glob: Glob | None
    ignores: Ignores


def walk(
    printed: str,
    path: str,
    glob: Glob | None,
    failed: Callable[[str, OSError], None],
    enters: Callable[[WalkEntry], bool] = lambda folder: True,
    hidden: Callable[[WalkEntry], None] = lambda folder: None,
) -> Iterator[WalkEntry]:
    """Find the files below a folder: models and meshes by their suffix, or what a glob matches.

    The walk leaves out hidden folders, what git ignores (but not because of a folder above the
    start: naming a folder overrules that), temporary files of `fix`, and what is no regular file.
    Links to folders are followed after everything that can be reached without them, and links to
    files come last.

    Args:
        printed: The start as reports show it.
        path: The folder at which to start.
        glob: The pattern of files to find; a folder that matches is walked as if it were named.
        failed: Called with each folder that cannot be read, and the error.
        enters: Tells whether a link to a folder is followed.
        hidden: Called with each hidden folder that is left out.
    """
    start = os.path.abspath(path)
    folders = [_PendingFolder(WalkEntry(printed, start, ""), glob, above(start, failed))]
    links: list[_PendingFolder] = []
    linked: list[WalkEntry] = []
    seen: set[tuple[int, int]] = set()
    while folders or links:
        folder = folders.pop() if folders else links.pop(0)
        try:
            entries = _read_entries(folder.entry.absolute, seen)
        except OSError as error:
            failed(folder.entry.printed, error)
            continue
        found: list[WalkEntry] = []
        ignores = within(folder.entry.absolute, folder.ignores, failed)
        for child in entries:
            real_folder = child.is_dir(follow_symlinks=False)
            if is_ignored(ignores, child.path, real_folder):
                continue
            entry = folder.entry.inside(child.name)
            if not (real_folder or (child.is_symlink() and os.path.isdir(child.path))):
                if folder.glob is None:
                    name = child.name.lower()
                    wanted = os.path.splitext(name)[1] in _WANTED or is_archive(name)
                else:
                    wanted = folder.glob.matches(entry) and not _TEMPORARY.fullmatch(child.name)
                if wanted and (child.is_symlink() or os.path.isfile(child.path)):
                    pending = linked if child.is_symlink() else found
                    pending.append(entry)
            elif child.name.startswith("."):
                hidden(entry)
            elif real_folder or enters(entry):
                (folders if real_folder else links).extend(_enter(entry, folder.glob, ignores))
        yield from found
    for entry in linked:
        if os.path.isfile(entry.absolute) or not os.path.exists(entry.absolute):
            yield entry


def find_empty_submodules(repository: str) -> Iterator[str]:
    """Find the submodules of a repository, and of its submodules, that are not there.

    Args:
        repository: Root folder of the repository, a real path.

    Returns:
        Paths relative to the root folder, with "/".
    """
    pending = [""]
    for above in pending:  # which grows
        modules = os.path.join(repository, above, ".gitmodules")
        try:  # git follows no link there
            text = "" if os.path.islink(modules) else read_regular(modules, LARGEST).decode("utf-8")
        except (OSError, ValueError):  # ValueError: no UTF-8
            continue
        for path in _SUBMODULE.findall(text)[:_MOST_SUBMODULES]:
            inside = _join(above, path.strip().strip('"').rstrip("/"))
            folder = os.path.join(repository, *inside.split("/"))
            try:
                if not contains(repository, os.path.realpath(folder)) or os.path.islink(folder):
                    continue
                empty = not os.path.isdir(folder) or not os.listdir(folder)
            except (OSError, ValueError):  # ValueError: a NUL in the path
                continue
            if empty:
                yield inside
            elif inside not in pending and len(pending) < _MOST_SUBMODULES:
                pending.append(inside)


def _read_entries(absolute: str, seen: set[tuple[int, int]]) -> list[os.DirEntry[str]]:
    """Read the entries of a folder by name; none if it has been seen, under whatever name."""
    status = os.stat(absolute)
    identity = status.st_dev, status.st_ino
    if identity in seen:
        return []
    seen.add(identity)
    with os.scandir(absolute) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _enter(entry: WalkEntry, glob: Glob | None, ignores: Ignores) -> Iterator[_PendingFolder]:
    """Yield the folder, if there is anything to find inside it."""
    if glob is None or glob.matches(entry):
        yield _PendingFolder(entry, None, ignores)
    elif entry.relative.count("/") < glob.levels:
        yield _PendingFolder(entry, glob, ignores)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and not folder.endswith("/") else folder + name
