"""TOML files that can tell in which line they say what."""

from __future__ import annotations

import os
import re
import tomllib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from inertial_check.errors import UsageError

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class TomlFile:
    """A TOML file, read.

    Attributes:
        path: As shown to the reader.
        values: What it says.
    """

    def __init__(self, path: str) -> None:
        """Read a file.

        Raises:
            UsageError: It cannot be read, or is no TOML; names line and column.
        """
        self.path = path
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot read {path}: {reason}") from None
        try:
            text = data.removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UsageError(f"{path}:{line}: not UTF-8 text, as TOML has to be") from None
        self._lines = [f"{line}\n" for line in text.split("\n")]
        try:
            self.values: Mapping[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(_explained(path, str(error), self._lines)) from None

    def line(self, keys: Sequence[str]) -> int:
        """The line in which the statement begins that gives a key, 1-based; 1 for no key.

        No parser tells places. But as a text may end after each statement, and nowhere else, the
        first beginning of the text that has the key ends with its statement.
        """
        if not keys:
            return 1
        last = bisect_left(range(len(self._lines)), True, key=lambda n: self._has(keys, n + 1)[0])
        _, end = self._has(keys, last + 1)
        first = end
        while first > 1 and _parsed(self._lines[: first - 1]) is None:
            first -= 1
        return first

    def _has(self, keys: Sequence[str], count: int) -> tuple[bool, int]:
        """Whether a key is known after so many lines, or more to where a statement ends."""
        while (values := _parsed(self._lines[:count])) is None and count < len(self._lines):
            count += 1
        found: Any = values
        for key in keys:
            if not isinstance(found, Mapping) or key not in found:
                return False, count
            found = found[key]
        return True, count


def _parsed(lines: Sequence[str]) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads("".join(lines))
    except tomllib.TOMLDecodeError:
        return None


def _explained(path: str, message: str, lines: Sequence[str]) -> str:
    """What is wrong with a text, behind its place."""
    place = _PLACE.search(message)
    reason = message[: place.start()] if place else message
    line, column = place.groups() if place else (None, None)
    if line is None:
        line, column = str(len(lines)), str(len(lines[-1]))
    return f"{path}:{line}:{column}: no valid TOML: {reason[:1].lower()}{reason[1:]}"


def shown(path: str) -> str:
    """A path as a reader in the working directory would write it."""
    absolute = os.path.abspath(path)
    try:
        relative = os.path.relpath(absolute)
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")
    outside = relative == os.pardir or relative.startswith(os.pardir + os.sep)
    return (absolute if outside else relative).replace(os.sep, "/")
