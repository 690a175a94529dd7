"""Baselines: known findings, which do not count unless they become worse.

For each file, body and rule a baseline stores the number of findings and their lowest margin. It
stores no line numbers, so that it survives changes of the layout of a document. Likewise it stores
for each file the number of inertials that are not judged.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import NamedTuple

from inertial_check.checking.report import FileReport, Finding, Lowering, Report, Suppression
from inertial_check.documents.context import NestingError, check_json_nesting
from inertial_check.documents.files.access import Limits, read_regular
from inertial_check.documents.files.writing import replace_file
from inertial_check.errors import UsageError
from inertial_check.inertia import tolerances

SCHEMA_VERSION = "1"
"""Version of the schema of baseline files."""


_LONGEST_INTEGER = 300
"""Largest number of digits of an integer, so that it is a float64, too."""

_BETWEEN = frozenset(" \t\r\n,")
"""Characters between two entries."""


class Key(NamedTuple):
    """The subject of an entry.

    Attributes:
        file: Path relative to the folder of the baseline, with "/" between names.
        body: Name of the body; "" for the document itself.
        code: Code of the rule.
    """

    file: str
    body: str
    code: str


class KnownFinding(NamedTuple):
    """The known findings of one rule on one body.

    Attributes:
        findings: Number of findings.
        margin: The lowest of their margins; None if they have none.
    """

    findings: int
    margin: float | None


class BaselineResult(NamedTuple):
    """The result of comparing a report with a baseline.

    Attributes:
        report: The report with known findings suppressed.
        gone: Entries whose findings no longer occur, among files that could be checked.
        kept: The baseline without these entries, tightened to findings that improved.
    """

    report: Report
    gone: tuple[Key, ...]
    kept: Baseline


@dataclass(frozen=True)
class Baseline:
    """A set of known findings.

    Attributes:
        path: Path of the file.
        entries: The known findings, by their subject.
        unjudged: Number of inertials of each file that are known not to be judged; None where an
            older baseline does not tell.
    """

    path: str
    entries: Mapping[Key, KnownFinding]
    unjudged: Mapping[str, int] | None = None

    @classmethod
    def read(cls, path: str) -> Baseline:
        """Read a baseline.

        Raises:
            UsageError: The file does not exist or is malformed; names the line.
        """
        try:
            text = read_regular(path, Limits.document).decode("utf-8-sig")
        except FileNotFoundError:
            way = f"--write-baseline {path} makes it"
            raise UsageError(f"no such baseline: {path}; {way}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot read the baseline {path}: {reason}") from None
        return cls(path, *_entries(path, text))

    @classmethod
    def of(cls, report: Report, path: str, known: Baseline | None = None) -> Baseline:
        """The baseline that makes all counting findings of a report known.

        Args:
            report: Report of a check.
            path: Path that the baseline will be written to.
            known: An older baseline, whose entries about files that were not checked are kept.
        """
        baseline = cls(path, {})
        entries = baseline._collect_entries(report.files)
        checked = {baseline._name(file.path) for file in report.files}
        for key, entry in () if known is None else known.entries.items():
            if key.file not in checked and baseline._exists(key.file):
                entries[key] = entry
        unjudged = dict(baseline._count_unjudged(report))
        older = {} if known is None or known.unjudged is None else known.unjudged
        for file, count in older.items():
            if file not in checked and baseline._exists(file):
                unjudged.setdefault(file, count)
        return cls(path, entries, unjudged)

    def apply(self, report: Report, rules_of: Callable[[str], Collection[str]]) -> BaselineResult:
        """Suppress known findings that have not become worse, and mark new unjudged inertials.

        Args:
            report: Report of a check.
            rules_of: Gives the codes of the rules that ran on the file at a path.
        """
        found = self._collect_entries(report.files)
        files = tuple(self._file(file, found) for file in report.files)
        readable = {self._name(file.path): file for file in report.files if file.format is not None}

        def is_gone(key: Key) -> bool:
            file = readable.get(key.file)
            if file is None:
                return not self._exists(key.file)
            return key not in found and key.code in rules_of(file.path)

        gone = {key for key in self.entries if is_gone(key)}
        kept = {
            key: _better(entry, found.get(key, entry))
            for key, entry in self.entries.items()
            if key not in gone
        }
        account, unjudged = report.account, self.unjudged
        if unjudged is not None:
            now = self._count_unjudged(report)
            more = {file for file, count in now.items() if count > unjudged.get(file, 0)}
            marked = (each._replace(new=self._name(each.path) in more) for each in account.unjudged)
            account = replace(account, unjudged=tuple(marked))
            met = {*readable, *now}
            lower = {
                file: min(count, now[file]) if file in met else count
                for file, count in unjudged.items()
                if self._exists(file)
            }
            unjudged = {file: count for file, count in lower.items() if count}
        shown = replace(report, files=files, account=account)
        if known := len(shown.suppressed) - len(report.suppressed):
            lowering = Lowering(self.path, 1, f"findings that are known in this baseline: {known}")
            account = replace(account, lowered_by=(*account.lowered_by, lowering))
            shown = replace(shown, account=account)
        return BaselineResult(shown, tuple(sorted(gone)), Baseline(self.path, kept, unjudged))

    def write(self) -> None:
        """Write the file as a whole or not at all.

        Raises:
            UsageError: The file cannot be written.
        """
        # Half a surrogate, which a name of a file may hold, becomes an escape of JSON.
        replace_file(self.path, self.text().encode("utf-8", "backslashreplace"))

    def text(self) -> str:
        """The content of the file: sorted, one line per entry."""
        entries = _write_items(
            {
                **key._asdict(),
                **{name: value for name, value in entry._asdict().items() if value is not None},
            }
            for key, entry in sorted(self.entries.items())
        )
        members = f'"schema_version": "{SCHEMA_VERSION}",\n "entries": {entries}'
        if self.unjudged is not None:
            counts = ({"file": file, "inertials": n} for file, n in sorted(self.unjudged.items()))
            members += f',\n "unjudged": {_write_items(counts)}'
        return f"{{\n {members}\n}}\n"

    def _name(self, path: str) -> str:
        """The path of a file relative to the baseline."""
        from inertial_check.documents.files.walking import relative_path  # with a baseline only

        folder = os.path.dirname(os.path.abspath(self.path))
        return relative_path(os.path.abspath(path), folder)

    def _count_unjudged(self, report: Report) -> Counter[str]:
        """Count the inertials of each file that were not judged."""
        return Counter(self._name(each.path) for each in report.account.unjudged)

    def _exists(self, name: str) -> bool:
        return os.path.lexists(os.path.join(os.path.dirname(os.path.abspath(self.path)), name))

    def _collect_entries(self, files: Iterable[FileReport]) -> dict[Key, KnownFinding]:
        """Collect the entries for all findings that count."""
        found: dict[Key, KnownFinding] = {}
        for file in files:
            name = self._name(file.path)
            for finding in file.findings:
                key = Key(name, finding.body or "", finding.code)
                known = found.get(key)
                margin = margin_of(finding)
                found[key] = (
                    KnownFinding(1, margin)
                    if known is None
                    else KnownFinding(
                        known[0] + 1,
                        min(
                            (each for each in (known[1], margin) if each is not None), default=None
                        ),
                    )
                )
        return found

    def _file(self, file: FileReport, found: Mapping[Key, KnownFinding]) -> FileReport:
        """The report on a file with known findings suppressed."""
        name = self._name(file.path)
        counting: list[Finding] = []
        suppressed = list(file.suppressed)
        for finding in file.findings:
            key = Key(name, finding.body or "", finding.code)
            now = found[key]
            margin = margin_of(finding)
            known = self.entries.get(key)
            if known is None or now.findings > known.findings:
                knows = False
            else:
                knows = (
                    margin is None
                    or known.margin is None
                    or margin >= known.margin - tolerances.WORSE
                )
            if knows:
                suppression = Suppression("external", f"known in {self.path}")
                suppressed.append(finding._replace(suppression=suppression))
            else:
                counting.append(finding)
        if len(suppressed) == len(file.suppressed):
            return file
        suppressed.sort(key=lambda each: (each.place.path or "", *each.place[:2], each.code))
        return file._replace(findings=tuple(counting), suppressed=tuple(suppressed))


def margin_of(finding: Finding) -> float | None:
    """The margin in the values of a finding; None if there is none."""
    margin = finding.values.get("margin")
    return float(margin) if isinstance(margin, int | float) and isfinite(margin) else None


def _better(known: KnownFinding, now: KnownFinding) -> KnownFinding:
    """The stricter of two entries: the lower count and the higher margin."""
    margin = known.margin
    if now.margin is not None:
        margin = now.margin if margin is None else max(margin, now.margin)
    return KnownFinding(min(known.findings, now.findings), margin)


def _write_items(items: Iterable[Mapping[str, object]]) -> str:
    """Write a list of JSON with a line for each item."""
    lines = [f"  {json.dumps(item, ensure_ascii=False)}" for item in items]
    return "[\n" + ",\n".join(lines) + "\n ]" if lines else "[]"


def _entries(path: str, text: str) -> tuple[dict[Key, KnownFinding], dict[str, int] | None]:
    """Parse the entries of a baseline, and its unjudged inertials by file.

    Raises:
        UsageError: The text is malformed or has two entries about one subject; names the line.
    """

    def wrong(at: int, reason: str) -> UsageError:
        return UsageError(f"{path}:{text.count(chr(10), 0, at) + 1}: no baseline: {reason}")

    try:
        check_json_nesting(text)
        document = json.loads(text, parse_int=_parse_integer)
    except NestingError as error:
        raise wrong(0, str(error)) from None
    except json.JSONDecodeError as error:
        raise wrong(error.pos, f"{error.msg[:1].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise wrong(0, "nested too deep") from None
    if not isinstance(document, dict) or not isinstance(document.get("entries"), list):
        raise wrong(0, 'expected an object with "schema_version" and "entries"')
    if document.get("schema_version") != SCHEMA_VERSION:
        version = document.get("schema_version")
        raise wrong(0, f"schema_version is {version!r}, and this program knows {SCHEMA_VERSION!r}")
    found: dict[Key, KnownFinding] = {}
    for at, item in zip(_starts(text, len(document["entries"])), document["entries"], strict=True):
        pair = _entry(item)
        if pair is None:
            raise wrong(at, 'expected {"file": ..., "body": ..., "code": ..., "findings": ...}')
        if pair[0] in found:
            raise wrong(at, f"a second entry on {', '.join(pair[0])}: delete one")
        found.update([pair])
    counts = document.get("unjudged")
    if counts is None:
        return found, None
    unjudged: dict[str, int] = {}
    for item in counts if isinstance(counts, list) else [None]:
        match item:
            case {"file": str(file), "inertials": int(count)} if count > 0 and file not in unjudged:
                unjudged[file] = count
            case _:
                expected = 'expected "unjudged" as [{"file": ..., "inertials": ...}, ...]'
                raise wrong(text.rfind('"unjudged"'), f"{expected}, each file once")
    return found, unjudged


def _parse_integer(text: str) -> float:
    """Parse an integer; one of too many digits is no number of findings."""
    return int(text) if len(text) <= _LONGEST_INTEGER else nan


def _starts(text: str, count: int) -> Iterator[int]:
    """Yield the position at which each entry begins; the text has been parsed before."""
    decoder = json.JSONDecoder(parse_int=_parse_integer)
    at = text.find("[", text.find('"entries"')) + 1
    for _ in range(count):
        while text[at : at + 1] in _BETWEEN:
            at += 1
        yield at
        try:
            _, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:  # another member had this name, too: its lines do as well
            continue


def _entry(item: object) -> tuple[Key, KnownFinding] | None:
    """Parse an entry; None if it is malformed."""
    if not isinstance(item, dict) or not item.keys() <= {*Key._fields, *KnownFinding._fields}:
        return None
    names = [name for field in Key._fields if isinstance(name := item.get(field), str)]
    findings, margin = item.get("findings"), item.get("margin")
    if len(names) < len(Key._fields):
        return None
    if type(findings) is not int or findings < 1:
        return None
    if margin is not None and not (type(margin) in (int, float) and isfinite(margin)):
        return None
    return Key(*names), KnownFinding(findings, None if margin is None else float(margin))
