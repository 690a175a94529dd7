"""Reading of results that were stored: folders of parts, and reports of `check` in JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from inertial_check.errors import UsageError
from inertial_check.files.access import open_regular
from inertial_check.files.json import JsonObject
from inertial_check.results.counts import Counts
from inertial_check.results.parts import Form, Part, decode_rows, list_folders, list_parts
from inertial_check.results.rows import CHECKED, COLUMNS, Row

if TYPE_CHECKING:
    from inertial_check.results.parquet import PendingTables

_MAGIC = b"PAR1"
"""First bytes of a file of Parquet."""


def read_counts(path: str, warn: Callable[[str], None]) -> Counts:
    """Count the results at a path.

    Args:
        path: A folder that `check --results` has written, a part of one, or a report of `check` in
            the form json or jsonl.
        warn: Called with a line about each part that is damaged, which is left out.

    Raises:
        UsageError: There are no results at the path.
    """
    counts = Counts()
    counter = _PartCounter(counts)
    try:
        if os.path.isdir(path):
            folders = list_folders(path)
            if not folders:
                raise UsageError(f"{path}: no results: a folder that check --results has written")
            for folder in folders:
                _count_folder(counter, folder, warn)
        else:
            _count_file(counter, path)
        counter.finish()
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "damaged"
        raise UsageError(f"{path}: no results: {reason}") from None
    return counts


class _PartCounter:
    """Counts parts and reports.

    Args:
        counts: The counts, which are complete after `finish`.
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self._tables: PendingTables | None = None

    def add_part(self, form: Form, data: bytes) -> None:
        """Count the rows of a part.

        Raises:
            ValueError: It is damaged.
        """
        if form == "jsonl":
            self.counts.add_rows(list(decode_rows(data, form)))
            return
        if self._tables is None:
            from inertial_check.results.parquet import PendingTables

            self._tables = PendingTables(self.counts)
        self._tables.add(data)

    def finish(self) -> None:
        """Count what is left."""
        if self._tables is not None:
            self._tables.flush()


def _count_folder(counter: _PartCounter, folder: str, warn: Callable[[str], None]) -> None:
    """Count the parts of an upstream, from the last: a document counts as it was checked last."""
    parts = list_parts(folder)
    seen: set[str] = set()
    for part in reversed(parts):
        try:
            data = part.read()
            if len(parts) == 1:
                counter.add_part(part.form, data)
            else:
                _count_newest(counter, part, data, seen)
        except (OSError, ValueError):
            warn(f"{part.path} is damaged and is left out: the same check --results rewrites it")


def _count_newest(counter: _PartCounter, part: Part, data: bytes, seen: set[str]) -> None:
    """Count the documents of a part that no later part holds."""
    own = {
        row["path"]
        for row in decode_rows(data, part.form, ["path", "body_id"])
        if row["body_id"] is None
    }
    if seen.isdisjoint(own):
        counter.add_part(part.form, data)
    else:
        counter.counts.add_rows(
            row for row in decode_rows(data, part.form) if row["path"] not in seen
        )
    seen |= own


def _count_file(counter: _PartCounter, path: str) -> None:
    """Count a single file, whose form shows in its first bytes.

    Raises:
        ValueError: It has none of the forms.
    """
    with open_regular(path) as stream:
        counts = counter.counts
        if stream.read(len(_MAGIC)) == _MAGIC:
            stream.seek(0)
            counter.add_part("parquet", stream.read())
            return
        stream.seek(0)
        first = stream.readline()
        try:
            opening = json.loads(first)
        except ValueError:  # the document of --output-format json, or no JSON at all
            stream.seek(0)
            _count_report(counts, json.loads(stream.read()))
            return
        if not isinstance(opening, dict):
            raise ValueError("neither a report of check in JSON nor rows of results")
        lines = chain([opening], map(_parse_line, stream))
        if opening.keys() >= set(COLUMNS):
            counts.add_rows(lines)
        elif "type" in opening:
            files: list[JsonObject] = []
            last: JsonObject = {}
            for line in lines:
                if line.get("type") == "file":
                    files.append(line)
                else:
                    last = line
            _count_report(counts, {**last, "files": files})
        else:
            _count_report(counts, opening)


def _parse_line(line: bytes) -> JsonObject:
    parsed = json.loads(line)
    if not isinstance(parsed, dict):
        raise ValueError("a line is no JSON object")
    return parsed


def _count_report(counts: Counts, report: object) -> None:
    """Count a report of `check` in JSON; the upstream is the first folder that paths differ in.

    Raises:
        ValueError: It is no such report.
    """
    files = report.get("files") if isinstance(report, dict) else None
    if not isinstance(files, list):
        raise ValueError("neither a report of check in JSON nor rows of results")
    try:
        name = find_upstreams([file["path"] for file in files])
        for file in files:
            counts.add_rows(convert_file(name(file["path"]), file))
        summary = report["summary"] if isinstance(report, dict) else {}
        counts.single += int(summary["distinct_findings"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not as docs/json.md describes it: {error}") from None


def find_upstreams(paths: list[str]) -> Callable[[str], str]:
    """Make the function that names the upstream of a path: the first folder in which paths differ.

    Files beside these folders belong to the upstream ".".
    """
    folders = [path.replace(os.sep, "/").split("/")[:-1] for path in paths]
    first, last = min(folders, default=[]), max(folders, default=[])  # the two that differ most
    differing = (at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    common = next(differing, min(len(first), len(last)))

    def name(path: str) -> str:
        parts = path.replace(os.sep, "/").split("/")
        return parts[common] if len(parts) > common + 1 else "."

    return name


def convert_file(upstream: str, file: JsonObject) -> Iterator[Row]:
    """Convert a file of a report in JSON to rows, with the columns that are counted."""
    known = {body["id"] for body in file["bodies"]}
    by_body: dict[str | None, list[Row]] = {}
    for finding in file["findings"]:
        cause = finding["causes"][0] if finding["causes"] else {}
        where = finding["body_id"] if finding["body_id"] in known else None
        by_body.setdefault(where, []).append(
            {
                **{name: finding[name] for name in ("code", "name", "severity")},
                "cause": cause.get("cause"),
                "confidence": cause.get("confidence"),
            }
        )
    same = {"upstream": upstream, "path": file["path"], "format": file["format"]}
    yield {**same, "status": CHECKED, "body_id": None, "findings": by_body.get(None, [])}
    for body in file["bodies"]:
        yield {
            **same,
            "body_id": body["id"],
            "verdict": body["verdict"],
            "engines": body["engines"],
            "findings": by_body.get(body["id"], []),
        }
