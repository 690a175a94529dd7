"""Path patterns of settings, matched as git matches those of a folder's .gitignore."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

from inertial_check.files import gitignore


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
    expression = gitignore.translate_pattern(text) if text else None
    return None if expression is None else re.compile(expression, re.DOTALL)


@cache
def relative_path(path: str, folder: str) -> str:
    """Give the path from a folder with "/" between names; absolute on another drive."""
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")
