"""Mapping file of a recording: TOML that says what each column means.

[columns]
"M3 angle" = { quantity = "position", joint = "elbow", unit = "deg", sign = -1 }
"clock"    = { quantity = "time", unit = "ms" }
"M3 aux"   = { quantity = "ignore" }
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inertial_check.errors import DocumentError
from inertial_check.files.access import open_regular
from inertial_check.formats.recordings.names import CURRENTS, MEANING, ColumnName
from inertial_check.formats.recordings.units import describe_units, find_factor
from inertial_check.spelling import suggest_name

_LARGEST = 2**20
"""Largest size of a mapping file [bytes]: a line for each column of any log is far less."""

_KEYS = ("quantity", "joint", "unit", "sign")
_WORDS = {
    "t": "time",
    "q": "position",
    "u": "velocity",
    "du": "acceleration",
    "tau": "torque",
}
"""Word of a mapping file for each quantity."""

_IGNORE = "ignore"
_QUANTITIES = (*_WORDS.values(), *CURRENTS[:1], _IGNORE)


class MappedColumn(NamedTuple):
    """Meaning of a column by a mapping file.

    Attributes:
        name: Quantity, joint and unit; None for a column that is left out.
        sign: 1 or -1, which the values are multiplied by.
        is_current: Whether the torque is a motor current.
    """

    name: ColumnName | None
    sign: float
    is_current: bool


@dataclass(frozen=True)
class ColumnMap:
    """Mapping of the columns of a recording.

    Attributes:
        path: Path of the file.
        columns: Meaning of each column, by its name.
    """

    path: str
    columns: Mapping[str, MappedColumn]

    def check_used(self, titles: Sequence[str], path: str) -> None:
        """Refuse names that a recording does not have.

        Raises:
            DocumentError: Names the column and those of the recording.
        """
        missing = [name for name in self.columns if name not in titles]
        if missing:
            hint = suggest_name(missing[0], titles, f"; it has {', '.join(titles)}")
            raise DocumentError(
                self.path, f"[columns] {json.dumps(missing[0])}: {path} has no such column{hint}"
            )


def read_column_map(path: str) -> ColumnMap:
    """Read a mapping file.

    Raises:
        DocumentError: The file cannot be read, or holds something else; names the line.
    """
    import tomllib

    try:
        with open_regular(path) as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None
    if len(data) > _LARGEST:
        raise DocumentError(path, f"more than {_LARGEST} bytes: no mapping of columns")
    try:
        text = data.decode("utf-8")
        values = tomllib.loads(text)
    except UnicodeDecodeError:
        raise DocumentError(path, "not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise DocumentError(path, f"no TOML: {error}") from None
    except RecursionError:
        raise DocumentError(path, "no mapping of columns: nested too deeply") from None
    return _read_tables(_MapText(os.fspath(path), text), values)


class _MapText(NamedTuple):
    """Text of a mapping file, which finds the places of its keys."""

    path: str
    text: str

    def error(self, key: str, reason: str, within: str | None = None) -> DocumentError:
        """Make an error with the place of a key, of a column within which it stands."""
        start = 0
        if within is not None:
            found = re.search(_spell(within), self.text)
            start = found.end() if found else 0
        match = re.compile(_spell(key)).search(self.text, start)
        if match is None:
            return DocumentError(self.path, reason)
        line = self.text.count("\n", 0, match.start()) + 1
        column = match.start() - self.text.rfind("\n", 0, match.start())
        return DocumentError(self.path, reason, line, column)


def _spell(key: str) -> str:
    """Return a pattern of a key as TOML may write it."""
    quoted = re.escape(json.dumps(key, ensure_ascii=False))
    return rf"{quoted}|'{re.escape(key)}'|(?<![\w-]){re.escape(key)}(?![\w-])"


def _read_tables(text: _MapText, values: Mapping[str, object]) -> ColumnMap:
    for key in values:
        if key != "columns":
            raise text.error(key, f"{json.dumps(key)} is unknown: expected the table [columns]")
    columns = values.get("columns")
    if not isinstance(columns, dict) or not columns:
        raise DocumentError(text.path, "expected a table [columns] with a line for each column")
    read = {name: _read_column(text, name, entry) for name, entry in columns.items()}
    seen: dict[tuple[str, str | int | None], str] = {}
    for name, column in read.items():
        if column.name is not None:
            meaning = (column.name.quantity, column.name.joint)
            if meaning in seen:
                raise text.error(name, f"{name} means the same as {seen[meaning]}: keep one")
            seen[meaning] = name
    return ColumnMap(text.path, read)


def _read_column(text: _MapText, name: str, entry: object) -> MappedColumn:
    if not isinstance(entry, dict):
        form = '{ quantity = "position", joint = "elbow" }'
        raise text.error(name, f"{json.dumps(name)}: expected {form}")
    for key in entry:
        if key not in _KEYS:
            hint = suggest_name(key, _KEYS, f"; known are {', '.join(_KEYS)}")
            raise text.error(key, f"{json.dumps(name)}: {key} is unknown{hint}", name)
    quantity, word = _read_quantity(text, name, entry.get("quantity"))
    if quantity is None:
        return MappedColumn(None, 1.0, False)
    joint = entry.get("joint")
    if joint is not None and (isinstance(joint, bool) or not isinstance(joint, str | int)):
        raise text.error("joint", f"{json.dumps(name)}: joint is {joint!r}, expected a name", name)
    if quantity == "t" and joint is not None:
        raise text.error("joint", f"{json.dumps(name)}: the time belongs to no joint", name)
    unit = entry.get("unit")
    if unit is not None and (not isinstance(unit, str) or find_factor(quantity, unit) is None):
        reason = f"{json.dumps(name)}: unit is {unit!r}, expected {describe_units(quantity)}"
        raise text.error("unit", reason, name)
    sign = entry.get("sign", 1)
    if isinstance(sign, bool) or sign not in (1, -1):
        raise text.error("sign", f"{json.dumps(name)}: sign is {sign!r}, expected 1 or -1", name)
    is_current = word in CURRENTS
    return MappedColumn(ColumnName(quantity, joint, unit), float(sign), is_current)


def _read_quantity(text: _MapText, name: str, word: object) -> tuple[str | None, str]:
    """Read the quantity of a column; None for one that is left out."""
    folded = word.casefold() if isinstance(word, str) else ""
    if folded == _IGNORE:
        return None, folded
    if folded in CURRENTS:
        return "tau", folded
    if folded in MEANING:
        return MEANING[folded], folded
    what = "is missing" if word is None else f"is {word!r}"
    reason = f"{json.dumps(name)}: quantity {what}, expected one of {', '.join(_QUANTITIES)}"
    raise text.error("quantity" if word is not None else name, reason, name if word else None)


def write_column_map(columns: Mapping[str, ColumnName | None]) -> str:
    """Write the text of a mapping file, to be corrected by hand."""
    lines = ["[columns]"]
    for name, meaning in columns.items():
        if meaning is None:
            entry = f'quantity = "{_IGNORE}"'
        else:
            entry = f'quantity = "{_WORDS[meaning.quantity]}"'
            if meaning.joint is not None:
                entry += f", joint = {json.dumps(meaning.joint, ensure_ascii=False)}"
        lines.append(f"{json.dumps(name, ensure_ascii=False)} = {{ {entry} }}")
    return "\n".join(lines)
