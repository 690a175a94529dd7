"""Groups of findings for people: one mistake in many bodies or in many files is one entry.

A finding belongs to exactly one group. The findings of a group have one rule, one severity and, all
but a few, one first cause, so that what is said of its representative holds for the group:

* findings on bodies of one file with the same rule and first cause are one group;
* findings that state one fact in several files, or that stand at one place from which several
  bodies come (a macro of xacro, an included file), are one group with the first cause of most;
* files of which half of the facts are the same are variants of one robot, and count as one file.

`group_findings` takes time in proportion to the number of findings.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from inertial_check.checking.report import (
    PROVABLE,
    REFUSALS,
    FileReport,
    Finding,
    Hypothesis,
    Remedy,
    Report,
    Severity,
)
from inertial_check.documents.files.access import contains
from inertial_check.documents.source import Place
from inertial_check.reports.text import plain_path, write_command

MOST_NAMES = 3
"""Largest number of bodies that the command of a fix names; more are selected by their rules."""

_LONGEST = 1000
"""Longest path or name in a command that is offered [code points]."""


class GroupPlace(NamedTuple):
    """Place of one finding of a group.

    Attributes:
        path: Path of the document that holds the number.
        line: Line of the number, 1-based.
        column: Column of the number, 1-based [code points].
        body: Name of the body; None for a finding on the document or on the whole model.
    """

    path: str
    line: int
    column: int
    body: str | None


class GroupMember(NamedTuple):
    """One finding of a group.

    Attributes:
        file: The file of the report that has the finding.
        finding: The finding.
    """

    file: FileReport
    finding: Finding


class FindingGroup(NamedTuple):
    """Findings that one sentence describes.

    Attributes:
        code: Code of the rule.
        name: Name of the rule.
        severity: Severity of the findings.
        message: Message of the representative.
        cause: First cause of the representative; None if none is known.
        with_cause: Number of findings that have this first cause.
        places: Places of the findings, in the order of the report.
        bodies: Number of bodies with a finding of the group.
        files: Number of files with a finding of the group.
        findings: Number of findings.
        command: Command that shows the fix of the representative's file; None if no edit is known.
        more_files: Number of other files of the group, which need the same command.
        representative: The finding that is shown, with its file.
        members: All findings with their files, in the order of the report.
    """

    code: str
    name: str
    severity: Severity
    message: str
    cause: Hypothesis | None
    with_cause: int
    places: tuple[GroupPlace, ...]
    bodies: int
    files: int
    findings: int
    command: str | None
    more_files: int
    representative: GroupMember
    members: tuple[GroupMember, ...]


def group_findings(report: Report) -> list[FindingGroup]:
    """Group the findings of a report that count, worst first.

    The order is that of severity, then groups with a body that an engine refuses, then findings
    that follow from the numbers alone, then the number of bodies, of findings, and of the report.
    """
    members = [GroupMember(file, finding) for file in report.files for finding in file.findings]
    copies = _join_equal([_identify_mistake(member) for member in members])
    # Give each file the path of the first variant of its robot.
    paths = list_paths(members)
    index = {path: at for at, path in enumerate(paths)}
    sizes: Counter[str] = Counter()
    shared: Counter[tuple[str, str]] = Counter()
    for copy in copies:
        first, *others = list_paths(members[at] for at in copy)
        sizes.update((first, *others))
        shared.update((first, other) for other in others)
    sets = _Partition(len(paths))
    for (one, other), count in shared.items():
        if 2 * count >= min(sizes[one], sizes[other]):
            sets.join(index[one], index[other])
    robots = {path: paths[sets.find(at)] for at, path in enumerate(paths)}
    keys = [_identify_group([members[index] for index in copy], robots) for copy in copies]
    refused = {
        (file.path, body.id)
        for file in report.files
        if file.findings
        for body in file.bodies
        if any(each.action in REFUSALS for each in body.predictions.values())
    }
    groups = [
        _describe(
            [members[index] for index in sorted(index for at in group for index in copies[at])],
            report.options,
        )
        for group in _join_equal(keys)
    ]
    return sorted(groups, key=lambda group: _rank(group, refused))


def find_guilty_place(finding: Finding) -> Place:
    """The place of the first number that the first cause would change.

    Without such a number it is that of the first number that the finding is about, and without any
    number in text the finding's own place.
    """
    if finding.guilty is not None:
        return finding.guilty.place
    written = [each for each in finding.entries if each.place[:2] != each.place[2:4]]
    edited = name_edited_entries(finding)
    guilty = [each for each in written if each.name in edited]
    return next((each.place for each in (*guilty, *written)), finding.place)


def name_edited_entries(finding: Finding) -> frozenset[str]:
    """The names of the numbers that the first cause would change, in any of its bodies."""
    edit = (finding.causes[0].edit or {}) if finding.causes else {}
    bodies = edit.get("bodies") or {}
    names = set(edit.get("entries") or ())
    return frozenset(names.union(*(each["entries"] for each in bodies.values())))


def list_paths(members: Iterable[GroupMember]) -> list[str]:
    """The paths of the files of findings, each once, in their order."""
    return list(dict.fromkeys(member.file.path for member in members))


class _Partition:
    """Disjoint sets of numbers 0 ... size - 1 that can be joined (union-find)."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def find(self, index: int) -> int:
        """The smallest number of the set that holds a number."""
        parents = self._parents
        while parents[index] != index:
            parents[index] = parents[parents[index]]  # halves the path for the next search
            index = parents[index]
        return index

    def join(self, one: int, other: int) -> None:
        """Join the sets of two numbers."""
        low, high = sorted((self.find(one), self.find(other)))
        self._parents[high] = low


def _join_equal(keys: Sequence[Iterable[Hashable]]) -> list[list[int]]:
    """Join the indices of items that share a key, directly or through others.

    The sets and their indices are in ascending order.
    """
    sets = _Partition(len(keys))
    first: dict[Hashable, int] = {}
    for index, own in enumerate(keys):
        for key in own:
            sets.join(first.setdefault(key, index), index)
    joined: dict[int, list[int]] = {}
    for index in range(len(keys)):
        joined.setdefault(sets.find(index), []).append(index)
    return list(joined.values())


def _identify_mistake(member: GroupMember) -> list[Hashable]:
    """What tells the mistake behind a finding from others: its place in a text, and its fact."""
    finding = member.finding
    rule = finding.code, finding.severity, bool(finding.bodies)
    keys: list[Hashable] = []
    place = find_guilty_place(finding)
    if finding.excerpt is not None:  # a place in binary data is that of no number
        keys.append((*rule, "place", place.path or member.file.path, *place[:4]))
    if finding.fact:  # numbers and shapes, which may stand otherwise to another body
        keys.append((*rule, "fact", finding.fact, _first_cause(finding), finding.message))
    else:
        texts = () if finding.excerpt is None else [line.text for line in finding.excerpt.lines]
        keys.append((*rule, "words", finding.body, finding.message, tuple(texts)))
    return keys


def _identify_group(copies: Sequence[GroupMember], robots: dict[str, str]) -> list[Hashable]:
    """What tells the group of a mistake from others: rule, first cause, and each of its robots."""
    first, cause = copies[0].finding, _most_frequent_cause(copies)
    # Rules on documents say several things (a mesh, an include is not found), with other values;
    # what is expected of a body is said of no other.
    if first.body is None:
        subject = (*sorted(first.values), len(first.bodies) > 0)
    else:
        subject = (
            (first.body,) if any(name.startswith("expected_") for name in first.values) else ()
        )
    paths = dict.fromkeys(robots[member.file.path] for member in copies)
    return [(first.code, first.severity, cause, subject, path) for path in paths]


def _first_cause(finding: Finding) -> str:
    """The name of the first cause; "" without any."""
    return finding.causes[0].cause if finding.causes else ""


def _most_frequent_cause(members: Iterable[GroupMember]) -> str:
    """The first cause that most findings have, of several the one of the first finding."""
    counts = Counter(_first_cause(member.finding) for member in members)
    return max(counts, key=counts.__getitem__)


def _rank(group: FindingGroup, refused: set[tuple[str, str]]) -> tuple[int, ...]:
    """The place of a group in the order, worst first."""
    provable = group.code.startswith(PROVABLE)
    is_refused = provable and any(
        (member.file.path, member.finding.body_id or "") in refused for member in group.members
    )
    return -group.severity, -is_refused, -provable, -group.bodies, -group.findings


def _describe(members: Sequence[GroupMember], options: Sequence[str]) -> FindingGroup:
    """Describe a group by its most certain finding."""
    cause = _most_frequent_cause(members)
    representative = max(members, key=lambda member: _suitability(member.finding, cause))
    finding = representative.finding
    same = [each.finding for each in members if each.file.path == representative.file.path]
    command = write_remedy_command(representative.file, same, options)
    more = len(list_paths(members)) - 1 if command is not None else 0
    bodies = {
        (member.file.path, body)
        for member in members
        for body in (member.finding.body_ids or (member.finding.body_id,))
        if body is not None
    }
    return FindingGroup(
        finding.code,
        finding.name,
        finding.severity,
        finding.message,
        finding.causes[0] if finding.causes else None,
        sum(_first_cause(member.finding) == cause for member in members) if cause else 0,
        tuple(map(_locate, members)),
        len(bodies),
        len(list_paths(members)),
        len(members),
        command,
        more,
        representative,
        tuple(members),
    )


def _suitability(finding: Finding, cause: str) -> tuple[bool, bool, bool, float]:
    """How well a finding stands for a group with a cause: larger is better."""
    confidence = finding.causes[0].confidence if finding.causes else 0.0
    remedied = finding.remedy is not None and bool(finding.remedy.edits)
    edited = bool(name_edited_entries(finding))
    return _first_cause(finding) == cause, remedied, edited, confidence


def _locate(member: GroupMember) -> GroupPlace:
    place = find_guilty_place(member.finding)
    path = place.path or member.file.path
    return GroupPlace(path, place.line, place.column, member.finding.body)


def is_remedied(finding: Finding) -> bool:
    """Whether `fix` has numbers for a finding that leave fewer findings."""
    remedy = finding.remedy
    return remedy is not None and bool(remedy.edits) and remedy.helps


def write_remedy_command(
    file: FileReport, findings: Iterable[Finding], repeated: Sequence[str] = ()
) -> str | None:
    """The command that shows the remedies of findings of a file; None where none is known.

    It names the bodies that change; where they are many, the rules of their findings.
    """
    remedied = [each for each in findings if is_remedied(each)]
    remedies = [each.remedy for each in remedied if each.remedy is not None]
    if not remedies:
        return None
    counts = Counter(body.name for body in file.bodies)
    pairs = (pair for each in remedies for pair in zip(each.bodies, each.body_ids, strict=True))
    names = dict.fromkeys(name if counts[name] <= 1 else id_ for name, id_ in pairs)
    options = [*repeated, *([] if all(each.safe for each in remedies) else ["--unsafe"])]
    places = [each.place.path for remedy in remedies for each in remedy.replacements]
    if any(_is_beyond(place, file.path) for place in places) and "--follow-outside" not in options:
        options.append("--follow-outside")
    if len(names) > MOST_NAMES or not all(names):
        options += ["--select", ",".join(dict.fromkeys(each.code for each in remedied))]
    else:
        for name in names:  # one that begins as an option does stands in one word with --body
            options += [f"--body={name}"] if name.startswith("-") else ["--body", name]
    if any(len(each) > _LONGEST for each in (*options, file.path)):
        return None
    return write_command("fix", *options, plain_path(file.path))


def _is_beyond(place: str | None, path: str) -> bool:
    """Whether an edit is in a file that `fix` writes with --follow-outside alone."""
    folder = os.path.abspath(os.path.dirname(path))
    return place is not None and not contains(folder, os.path.abspath(place))


def describe_remedy(remedy: Remedy) -> str:
    """What a remedy writes and how sure it is, in one clause."""
    of = f" of {len(remedy.bodies)} bodies" if len(remedy.bodies) > 1 else ""
    sources = {
        "nearest": "the nearest body that can exist",
        "twin": "the numbers of the other side",
        "sibling": "the numbers of the same part",
        "expected": "the expected numbers",
        "hand": "by hand",
    }
    lead = sources.get(remedy.source, f"what the {remedy.source} says was meant")
    sure = "" if remedy.source in ("hand", "nearest") else f" ({100 * remedy.confidence:.0f} %)"
    return f"{lead}{of}{sure}: {remedy.why}"
