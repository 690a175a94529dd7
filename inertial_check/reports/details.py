"""What stands behind a finding: numbers, probable causes, what engines do, how to mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inertial_check.model import (
    Action,
    BodyReport,
    FileReport,
    Finding,
    Hypothesis,
    Prediction,
)
from inertial_check.reports.text import clipped, interval, number, printable, rounded

_SHORT = 4
"""Significant digits of what nobody copies."""

_NAME = 200
"""[code points] A command with a longer name is not offered."""

_PATH = 4096
"""[code points] The same of a path: no system takes a longer one."""

_SENTENCE = 2000
"""[code points] A longer sentence is cut."""

_WORST_FIRST: tuple[Action, ...] = ("reject", "drop", "replace", "alter", "warn")
"""What engines do with a body other than accept it."""


class Row(NamedTuple):
    """A line of details.

    Attributes:
        label: What it is; "" where it goes on with the row before.
        text: One line.
    """

    label: str
    text: str


class Bodies:
    """The bodies of a file, as the details of its findings need them.

    Args:
        file: Whose findings are shown, each once and in order.
    """

    def __init__(self, file: FileReport) -> None:
        self._path = file.path
        self._by_id = {body.id: body for body in file.bodies}
        self._names = Counter(body.name for body in file.bodies)
        self._told: set[str] = set()

    def details(self, finding: Finding) -> Iterator[Row]:
        """Every row about a finding; what engines do is said once a body."""
        yield from _numbers(finding.values)
        yield from self._causes(finding)
        body = self._by_id.get(finding.body_id or "")
        if body is not None and body.id not in self._told:
            self._told.add(body.id)
            yield from engines(body)
        if finding.fix is not None and len(self._path) <= _PATH:
            option = ["--unsafe"] if finding.fix == "unsafe" else []
            yield Row("fix", _command(*option, self._path))

    def _causes(self, finding: Finding) -> Iterator[Row]:
        for index, cause in enumerate(finding.causes, 1):
            yield Row(f"cause {index}", in_words(cause))
            if not (cause.edit and cause.edit["entries"]):
                continue
            yield Row("", edit_in_words(cause, finding.written))
            name = self._selector(finding)
            if len(name) <= _NAME and len(self._path) <= _PATH:
                yield Row("", _command("--cause", str(index), "--body", name, self._path))

    def _selector(self, finding: Finding) -> str:
        """The body's name, or where others have the same, its id."""
        name = finding.body or ""
        return name if self._names[name] <= 1 else finding.body_id or name


def in_words(cause: Hypothesis) -> str:
    """A probable cause: its name, how probable it is, and why."""
    return f"{cause.cause} ({100 * cause.confidence:.0f} %): {clipped(cause.evidence, _SENTENCE)}"


def edit_in_words(cause: Hypothesis, written: Mapping[str, str]) -> str:
    """What would undo a cause: every entry, as written and as it would be; "" for nothing."""
    entries = cause.edit["entries"] if cause.edit else {}
    return ", ".join(
        f"{name} {clipped(written[name], _NAME)} -> {value!r}"
        if name in written
        else f"{name} = {value!r}"
        for name, value in entries.items()
    )


def lines_of_causes(finding: Finding) -> list[str]:
    """A line a cause, with its edit, for forms that have no rows."""
    lines = []
    for index, cause in enumerate(finding.causes, 1):
        edit = edit_in_words(cause, finding.written)
        lines.append(f"Cause {index}: {in_words(cause)}{f'; {edit}' if edit else ''}")
    return lines


def disagreeing(body: BodyReport) -> dict[str, Prediction]:
    """What the engines do that do not accept a body, by their names, worst action first."""
    return {
        name: each
        for action in _WORST_FIRST
        for name, each in body.predictions.items()
        if each.action == action
    }


def _numbers(values: Mapping[str, Any]) -> Iterator[Row]:
    """A row for every number that the finding carries and a reader can use."""
    margin = values.get("margin")
    if margin is not None:
        yield Row("margin", f"{margin:.4g} ({100 * margin:.4g} %)")
    moments = values.get("principal_moments")
    if moments is not None:
        yield Row("principal moments", ", ".join(map(number, moments)) + " kg m^2")
    if _is_violated(values) and "admissible" in values:
        yield from _admissible(values["admissible"])
    if "equivalent_box" in values:
        yield Row("equivalent box", box(values["equivalent_box"]))
    witness = values.get("witness")
    if witness is not None:
        yield Row("negative along", f"({', '.join(rounded(witness, _SHORT))})")


def _is_violated(values: Mapping[str, Any]) -> bool:
    """Whether a value would have to change; at the boundary every entry is as it may be."""
    margin, tolerance = values.get("margin"), values.get("tolerance", 0.0)
    return margin is not None and margin < -tolerance


def _admissible(intervals: Mapping[str, list[float] | None]) -> Iterator[Row]:
    """What an entry could be with the others as they are; entries that cannot help are left out."""
    helpful = [
        f"{entry} {interval(*ends)} kg m^2" for entry, ends in intervals.items() if ends is not None
    ]
    if not helpful:
        yield Row("admissible", "none alone")
        return
    yield Row("admissible", f"{helpful[0]} (one entry, the others as written)")
    for text in helpful[1:]:
        yield Row("", text)


def box(edges: Sequence[float | None]) -> str:
    """The edges of an equivalent box [m], as millimetres."""
    if all(edge is None for edge in edges):
        return "none has these moments"
    millimetres = [None if edge is None else 1000 * edge for edge in edges]
    return " x ".join(rounded(millimetres, _SHORT)) + " mm"


def engines(body: BodyReport) -> Iterator[Row]:
    """What engines do with the body besides loading it as it is; JSON has what they print."""
    alike: dict[tuple[Action, str], list[str]] = {}
    for name, each in disagreeing(body).items():
        alike.setdefault((each.action, each.becomes), []).append(name)
    told = [
        f"{', '.join(names)} {action if len(names) > 1 else f'{action}s'}"
        f"{f' ({clipped(becomes, _SENTENCE)})' if becomes else ''}"
        for (action, becomes), names in alike.items()
    ]
    if told:
        yield Row("engines", "; ".join(told))


def _command(*arguments: str) -> str:
    from shlex import quote

    return " ".join(("inertial-check", "fix", *(quote(printable(each)) for each in arguments)))
