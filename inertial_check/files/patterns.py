"""Patterns of paths, as git reads them in the .gitignore of a folder."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

from inertial_check.files import gitignore


class PathPattern(NamedTuple):
    """Files by their path from a folder.

    A pattern without "/" is that of a name, wherever it stands in the path; any other is that of a
    path from the folder. "*" stops at "/", "**" does not. What matches a folder matches all that is
    in it.

    Attributes:
        folder: Absolute.
        pattern: As written.
    """

    folder: str
    pattern: str

    @property
    def valid(self) -> bool:
        """Whether the pattern can match anything."""
        return _compiled(self.pattern) is not None

    def matches(self, path: str) -> bool:
        """Whether a file, or a folder above it, is meant."""
        expression = _compiled(self.pattern)
        if expression is None:
            return False
        parts = _relative(os.path.abspath(path), self.folder).split("/")
        named = "/" not in self.pattern.rstrip("/")
        for count in range(1, len(parts) + (not self.pattern.endswith("/"))):
            candidate = parts[count - 1] if named else "/".join(parts[:count])
            if parts[count - 1] != os.pardir and expression.fullmatch(candidate):
                return True
        return False


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    text = pattern.removeprefix("./").removeprefix("/").rstrip("/")
    expression = gitignore.translated(text) if text else None
    return None if expression is None else re.compile(expression, re.DOTALL)


@cache
def _relative(path: str, folder: str) -> str:
    """The path from a folder, with "/" between names; absolute on another drive."""
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")
