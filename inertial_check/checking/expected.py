"""Expected values of bodies: a table from a data sheet, a CAD program or an older release.

A table is CSV with a header, TOML or JSON: a list of rows, by itself or as `expect`, or rows by the
patterns of their bodies. Columns are those of COLUMNS, the pattern `body`, `tolerance`, `source`.
Tensors are about the centre of mass, in the axes of the body.
"""

from __future__ import annotations

import csv
import json
import json.scanner
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import zip_longest
from math import hypot, isfinite, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.checking.report import Hypothesis
from inertial_check.checking.toml import TomlFile
from inertial_check.documents.files.access import Access
from inertial_check.documents.files.walking import PathPattern
from inertial_check.documents.model import ENTRIES, Judgement
from inertial_check.documents.numbers import parse_number
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError
from inertial_check.inertia import tolerances
from inertial_check.inertia.resemblance import matrices

if TYPE_CHECKING:
    from inertial_check.checking.evidence.examination import Examination

CENTER = ("com_x", "com_y", "com_z")
COLUMNS = ("mass", *CENTER, *ENTRIES)
"""Numbers of a row: [kg], [m] in body axes, [kg m^2] about the centre of mass in body axes."""

Rows = Mapping[str, object] | list[object]
"""Rows by the patterns of their bodies, or a list of rows."""

_TEXTS = ("body", "source")
_KNOWN = (*COLUMNS, *_TEXTS, "tolerance")
_ROWS = "expect"
"""Name of the list of rows, where it is not the document itself."""

_LARGEST = 16 << 20
"""Largest size of a table [bytes]: more bodies than any robot has."""

_DELIMITERS = ",;\t"


class Expected(NamedTuple):
    """Expected numbers of the bodies that a pattern names.

    Attributes:
        body: Name or id of the bodies, with "*" for any text.
        numbers: Each number that is known with its column, in the order of COLUMNS.
        tolerance: Relative deviation that is allowed.
        source: Where the numbers are from, as the table says; "" if it does not.
        place: Place of the row, such as arm.csv:3.
        files: The documents whose bodies it is about; None for all.
    """

    body: str
    numbers: tuple[tuple[str, float], ...]
    tolerance: float
    source: str
    place: str
    files: PathPattern | None = None

    def covers(self, names: Iterable[str | None], path: str) -> bool:
        """Whether it is about a body with these names, in the document at a path."""
        if self.files is not None and not self.files.matches(path):
            return False
        return any(name is not None and fnmatchcase(name, self.body) for name in names)


class Deviation(NamedTuple):
    """A number of a body that is not the expected one.

    Attributes:
        column: Its column.
        written: The number; NaN where the body has none.
        expected: The expected number.
        row: The row that expects it.
    """

    column: str
    written: float
    expected: float
    row: Expected


def read_expected(path: str, access: Access, folder: str) -> tuple[Expected, ...]:
    """Read a table of expected values.

    Args:
        path: A file .csv, .toml or .json.
        access: The files that may be opened.
        folder: Folder that patterns of files start at.

    Raises:
        UsageError: The file cannot be read, or a row is wrong; names the line.
    """
    form = os.path.splitext(path)[1].lower()
    if form not in _READERS:
        raise UsageError(f"{path}: expected a table .csv, .toml or .json")
    pairs = list(_READERS[form](path, access))
    if not pairs:
        raise UsageError(f"{path}: the table has no rows")
    return tuple(read_row(row, place, folder) for place, row in pairs)


def read_row(row: object, place: str, folder: str) -> Expected:
    """Read one row.

    Args:
        row: The values by their columns.
        place: Place of the row, for messages.
        folder: Folder that patterns of files start at.

    Raises:
        UsageError: A column is unknown or missing, or a value is none that a body has.
    """
    if not isinstance(row, Mapping):
        raise UsageError(f"{place}: expected a table of columns such as mass = 1.2")
    values = {key: value for key, value in row.items() if value != ""}
    for key in values:
        if key not in _KNOWN:
            hint = suggest_name(str(key), _KNOWN, f": expected one of {', '.join(_KNOWN)}")
            raise UsageError(f"{place}: unknown column {key!r}{hint}")
    texts = {"body": ""} | {key: values[key] for key in _TEXTS if key in values}
    for key, value in texts.items():
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{place}: {key} is {value!r}: expected a text")
    numbers = {key: _number(key, values[key], place) for key in COLUMNS if key in values}
    if not numbers:
        raise UsageError(f"{place}: the row expects nothing: give one of {', '.join(COLUMNS)}")
    tolerance = _number("tolerance", values.get("tolerance", tolerances.EXPECTED), place)
    for key, value in (("mass", numbers.get("mass", 1.0)), ("tolerance", tolerance)):
        if value <= 0:
            raise UsageError(f"{place}: {key} is {value:g}: expected a positive number")
    _refuse_impossible(numbers, tolerance, place)
    name, source = str(texts["body"]).strip(), str(texts.get("source", ""))
    pattern, (files, _, inside) = None, name.partition("::")
    if inside and ("/" in files or "." in files):  # else a scoped name of SDF, outer::link
        pattern, name = PathPattern(os.path.abspath(folder), files), inside
        if not pattern.valid:
            raise UsageError(f"{place}: {files!r} is no pattern of paths as in a .gitignore")
    return Expected(name, (*numbers.items(),), tolerance, source, place, pattern)


def _number(column: str, value: object, place: str) -> float:
    text = value.strip() if isinstance(value, str) else repr(value)
    number, complaint = parse_number(text)
    if complaint or not isfinite(number):
        raise UsageError(f"{place}: {column}: {complaint or f'{text} is not finite'}")
    return number


def _refuse_impossible(numbers: Mapping[str, float], tolerance: float, place: str) -> None:
    """Refuse a whole tensor that is no body's, even within the tolerance: a mistyped row."""
    if not all(entry in numbers for entry in ENTRIES):
        return
    from inertial_check.inertia.consistency import check

    tensor = [numbers[entry] for entry in ENTRIES]
    theta = [numbers.get("mass", 1.0), 0.0, 0.0, 0.0, *tensor]
    found = check(theta, about="com", tolerance=tolerance)
    if not bool(found.consistent):
        raise UsageError(
            f"{place}: no body has the expected tensor: its margin is {float(found.margin):.3g}"
        )


def _read_csv(path: str, access: Access) -> Iterator[tuple[str, object]]:
    text = _read_text(path, access)
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    line = 1
    try:
        header = [name.strip() for name in next(reader, [])]
        if "body" not in header or len(set(header)) < len(header):
            raise UsageError(
                f"{path}:1: expected a header with each column once: body, and some of "
                f"{', '.join(_KNOWN[:-1])}, tolerance"
            )
        line = reader.line_num + 1
        for cells in reader:
            if any(map(str.strip, cells)):
                if len(cells) > len(header):
                    raise UsageError(
                        f"{path}:{line}: {len(cells)} cells, where the header has {len(header)}"
                    )
                row = zip_longest(header, map(str.strip, cells), fillvalue="")
                yield f"{path}:{line}", dict(row)
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{path}:{line}: no valid CSV: {error}") from None


def _read_toml(path: str, access: Access) -> Iterator[tuple[str, object]]:
    file = TomlFile(path, access)
    keys, found = _find_rows(file.values)
    if isinstance(found, list):
        lines = file.lines_of_items(keys, len(found))
        yield from ((f"{path}:{line}", row) for line, row in zip(lines, found, strict=True))
    else:
        for name, row in found.items():
            yield f"{path}:{file.line((*keys, name))}", _named(name, row)


def _refuse_repeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object with these members; KeyError for a name that two of them have."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise KeyError(name)
        found[name] = value
    return found


class _PlacedDecoder(json.JSONDecoder):
    """Decoder of JSON that remembers the line of each object, by its id."""

    parse_object: Callable[..., tuple[object, int]]
    scan_once: Callable[..., tuple[object, int]]

    def __init__(self) -> None:
        super().__init__(object_pairs_hook=_refuse_repeated)
        self.lines: dict[int, int] = {}
        decode = self.parse_object

        def remember(at: tuple[str, int], *arguments: object) -> tuple[object, int]:
            try:
                value, end = decode(at, *arguments)
            except KeyError as error:
                message = f"{error.args[0]!r} is given twice"
                raise json.JSONDecodeError(message, *at) from None
            self.lines[id(value)] = at[0].count("\n", 0, at[1]) + 1
            return value, end

        # Only the scanner written in Python calls `parse_object`, which alone tells positions.
        self.parse_object = remember
        self.scan_once = vars(json.scanner)["py_make_scanner"](self)


def _read_json(path: str, access: Access) -> Iterator[tuple[str, object]]:
    text = _read_text(path, access)
    decoder = _PlacedDecoder()
    try:
        found = decoder.decode(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UsageError(f"{path}:{line}: no valid JSON: {error}") from None
    if not isinstance(found, list | dict):
        raise UsageError(f"{path}:1: expected a list of rows, or rows by the names of bodies")
    _, rows = _find_rows(found)
    pairs = rows.items() if isinstance(rows, Mapping) else (("", row) for row in rows)
    for name, row in pairs:
        yield f"{path}:{decoder.lines.get(id(row), 1)}", _named(name, row) if name else row


def _find_rows(found: Rows) -> tuple[tuple[str, ...], Rows]:
    """Find the rows in a document, and the keys that lead to them."""
    if isinstance(found, Mapping) and len(found) == 1:
        inner = found.get(_ROWS)
        if isinstance(inner, list | dict):
            return (_ROWS,), inner
    return (), found


def _named(name: str, row: object) -> object:
    return {"body": name} | row if isinstance(row, dict) else row


def _read_text(path: str, access: Access) -> str:
    try:
        return access.read(path, _LARGEST).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read {path}: {reason}") from None


_READERS: Mapping[str, Callable[[str, Access], Iterator[tuple[str, object]]]] = {
    ".csv": _read_csv,
    ".toml": _read_toml,
    ".json": _read_json,
}


def merge(rows: Iterable[Expected]) -> dict[str, tuple[float, Expected]]:
    """Collect the expected numbers of one body, in the order of COLUMNS.

    Raises:
        UsageError: Two rows expect different numbers; names both.
    """
    found: dict[str, tuple[float, Expected]] = {}
    for row in rows:
        for column, value in row.numbers:
            before, other = found.setdefault(column, (value, row))
            if before != value:
                raise UsageError(
                    f"{row.place}: {column} of {row.body} is {value:g}, and {other.place} expects "
                    f"{before:g} of the same body: leave one of them"
                )
    return {column: found[column] for column in COLUMNS if column in found}


def compare(
    judgement: Judgement, expected: Mapping[str, tuple[float, Expected]]
) -> list[Deviation]:
    """The numbers of a body that deviate by more than the tolerance of their row.

    A mass is compared with itself, a coordinate with the length of the expected centre or the
    body's radius of gyration, whichever is larger, and an entry of the tensor with the root of the
    product of its two diagonal entries: a product of 0 has no size of its own.
    """
    wanted = {column: value for column, (value, _) in expected.items()}
    written = dict(zip(COLUMNS, judgement.ten, strict=True))
    likely = {column: wanted.get(column, written[column]) for column in COLUMNS}
    trace = sum(abs(likely[entry]) for entry in ("ixx", "iyy", "izz"))
    radius = sqrt(trace / 2 / likely["mass"]) if likely["mass"] > 0 and isfinite(trace) else 0.0
    reach = max(hypot(*(wanted.get(each, 0.0) for each in CENTER)), radius)

    def size(column: str) -> float:
        if column == "mass":
            return likely["mass"]
        if column in CENTER:
            return reach
        return sqrt(abs(likely[f"i{column[1] * 2}"])) * sqrt(abs(likely[f"i{column[2] * 2}"]))

    return [
        Deviation(column, written[column], value, row)
        for column, (value, row) in expected.items()
        if not abs(written[column] - value) <= row.tolerance * size(column)
    ]


def correct(
    examination: Examination, index: int, expected: Mapping[str, tuple[float, Expected]]
) -> tuple[Hypothesis, ...]:
    """The edit that writes the expected numbers of a body; nothing where none is complete.

    A centre and a tensor are taken whole or not at all, and a tensor that the table does not have
    is scaled with the mass, if it is that of a body.
    """
    from inertial_check.checking.causes.base import Proposal, Subject, edit
    from inertial_check.checking.causes.weighing import tidy

    subject = Subject(examination, index)
    if subject.body.inertial is None:
        return ()
    known = {column: value for column, (value, _) in expected.items()}
    sources = {
        f"{row.place} ({row.source})" if row.source else row.place for _, row in expected.values()
    }
    center = np.array([known[each] for each in CENTER]) if set(CENTER) <= known.keys() else None
    mass, tensor, scaled = known.get("mass"), None, ""
    if set(ENTRIES) <= known.keys():
        R_BBi = subject.R_BBi
        turned = R_BBi.T @ matrices(np.array([known[entry] for entry in ENTRIES])) @ R_BBi
        tensor = tidy(turned)
    elif subject.broken:
        pass  # no scale makes it that of a body: other evidence has to tell it
    elif mass is not None and mass != subject.mass and subject.mass > 0:
        tensor = tidy(subject.I_BBcm_Bi * (mass / subject.mass))
        scaled = ", and the tensor is scaled with the mass"
    change = edit(subject, Proposal(1.0, "", mass, center, tensor))
    evidence = f"{', '.join(sorted(sources))} says so{scaled}"
    return () if change is None else (Hypothesis("expected", 1.0, evidence, change),)


def find_unmatched(
    rows: Sequence[Expected],
    bodies: Iterable[tuple[str, Sequence[str | None]]],
    whole: bool = True,
) -> list[str]:
    """Say which rows name no body of a run, and which two disagree about one.

    Args:
        rows: The rows.
        bodies: Path of the document and names of each body that was checked.
        whole: Whether these are all bodies; of a part, none is missing.

    Returns:
        One line for each such row, with its place.
    """
    left = {id(row): row for row in rows}
    problems: dict[str, None] = {}
    paths: set[str] = set()
    for path, names in bodies:
        paths.add(path)
        mine = [row for row in rows if row.covers(names, path)]
        for row in mine:
            left.pop(id(row), None)
        try:
            merge(mine)
        except UsageError as error:
            problems[str(error)] = None
    # A row about files that this run does not check is not asked for.
    missing = [
        row
        for row in left.values()
        if whole and (row.files is None or any(map(row.files.matches, paths)))
    ]
    lines = (f"{row.place}: no body that was checked is named {row.body}" for row in missing)
    return [*lines, *problems]
