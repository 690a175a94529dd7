"""TOML files with the line of each key."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from inertial_check.documents.files.access import Access
from inertial_check.errors import UsageError

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


LARGEST = 1 << 20
"""Largest size of a configuration file [bytes]."""

DEEPEST = 64
"""Largest number of parts of a key, as a.b.c has three; the options of this program have two."""

_BETWEEN_KEYS = re.compile(r"[=,\[\]{}#]")
_TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5} | \'{3}.*?\'{3,5}
    | "(?:\\.|[^"\\\n])*" | '[^'\n]*' | \#[^\n]* | [\[\]{}\n]''',
    re.DOTALL | re.VERBOSE,
)
"""Parts of a valid document that matter for where its statements end."""

_QUOTED_PART = re.compile(r"""["']\s*\.""")


class TomlFile:
    """A parsed TOML file.

    Attributes:
        path: Path of the file, as messages show it.
        values: The parsed table.
    """

    def __init__(self, file: str, access: Access, path: str = "") -> None:
        """Read a file.

        Args:
            file: The file.
            access: The files that may be opened.
            path: Its path in messages; "" for the same.

        Raises:
            UsageError: It cannot be read, or is not valid TOML; names line and column.
        """
        self.path = path = path or file
        try:
            data = access.read(file, LARGEST)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot read {path}: {reason}") from None
        try:
            text = data.removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UsageError(f"{path}:{line}: not UTF-8 text, as TOML has to be") from None
        import tomllib  # a pyproject.toml without our table is not parsed

        self._lines = [f"{line}\n" for line in text.split("\n")]
        refuse_deep_keys(path, self._lines)
        try:
            self.values: Mapping[str, object] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            # The error message of the parser, with the place first.
            message = str(error)
            lines = self._lines
            place = _PLACE.search(message)
            message_reason = message[: place.start()] if place else message
            message_line, column = place.groups() if place else (None, None)
            if message_line is None:
                message_line, column = str(len(lines)), str(len(lines[-1]))
            raise UsageError(
                f"{path}:{message_line}:{column}: no valid TOML: "
                f"{message_reason[:1].lower()}{message_reason[1:]}"
            ) from None
        except RecursionError:
            raise UsageError(f"{path}: arrays and tables are nested too deep") from None
        except ValueError as error:  # an integer of thousands of digits, for example
            raise UsageError(f"{path}: no valid TOML: {error}") from None

    def line(self, keys: Sequence[str]) -> int:
        """The line on which the statement that sets a key begins, 1-based; 1 without a key.

        The number of an item of a list, counted from 1, is a key, too.

        The parser of the standard library gives no places. But a prefix of the text that ends with
        a statement is valid TOML, so the shortest one that has the key ends with the statement
        that sets it. There may be very many lines, so that not every prefix can be parsed.
        """
        if not keys:
            return 1
        ends = self._ends
        at = bisect_left(range(len(ends)), True, key=lambda n: self._has(keys, ends[n]))
        return ends[at - 1] + 1 if at else 1

    def lines_of_items(self, keys: Sequence[str], count: int) -> list[int]:
        """The line on which each of the items of a list of tables begins, 1-based.

        Items written as [[key]] have lines of their own; those of an inline list that of its key.
        """
        ends = [0, *self._ends]
        lines = [
            start + 1
            for start, end in pairwise(ends)
            if self._lines[start].lstrip().startswith("[[")
            and _is_header_of(keys, "".join(self._lines[start:end]))
        ]
        return lines if len(lines) == count else [self.line(keys)] * count

    def _has(self, keys: Sequence[str], count: int) -> bool:
        """Whether the first lines, which end with a statement, set a key."""
        import tomllib

        found: object = tomllib.loads("".join(self._lines[:count]))
        for key in keys:
            if isinstance(found, list) and key.isdecimal() and 0 < int(key) <= len(found):
                found = found[int(key) - 1]
            elif isinstance(found, Mapping) and key in found:
                found = found[key]
            else:
                return False
        return True

    @cached_property
    def _ends(self) -> list[int]:
        """Numbers of the last lines of all statements, comments and blank lines."""
        ends: list[int] = []
        line, depth = 1, 0
        for token in map(re.Match.group, _TOKEN.finditer("".join(self._lines))):
            if token in ("[", "{"):
                depth += 1
            elif token in ("]", "}"):
                depth -= 1
            elif token == "\n" and depth == 0:
                ends.append(line)
            line += token.count("\n")
        return ends


def _is_header_of(keys: Sequence[str], text: str) -> bool:
    """Whether a statement [[a.b.c]] begins an item of the list that the keys name."""
    import tomllib

    try:
        found: object = tomllib.loads(text)
    except ValueError:  # the end of a string of several lines
        return False
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found == [{}]


def refuse_deep_keys(path: str, lines: Sequence[str]) -> None:
    """Refuse keys with more parts than DEEPEST; the parser would take quadratic time for them.

    Raises:
        UsageError: Names the line.
    """
    for number, line in enumerate(lines, 1):
        if line.count(".") < DEEPEST:
            continue
        for text in map(str.strip, _BETWEEN_KEYS.split(line)):
            is_key = text[:1] not in "\"'" or _QUOTED_PART.search(text)
            if text.count(".") >= DEEPEST and is_key:
                raise UsageError(f"{path}:{number}: a key of more than {DEEPEST} parts")


def relative_path(path: str) -> str:
    """A path relative to the working directory if it is below that, else absolute."""
    absolute = os.path.abspath(path)
    try:
        relative = os.path.relpath(absolute)
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")
    outside = relative == os.pardir or relative.startswith(os.pardir + os.sep)
    return (absolute if outside else relative).replace(os.sep, "/")
