"""Details of a finding: lines of the document, numbers, probable causes, engines, and the fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from inertial_check.model import (
    Action,
    BodyReport,
    Excerpt,
    FileReport,
    Finding,
    FindingEntry,
    Hypothesis,
    Place,
    Prediction,
    Values,
)
from inertial_check.reports.escaping import clip, printable
from inertial_check.reports.grouping import list_explained
from inertial_check.reports.layout import count_columns, show_source, write_command
from inertial_check.reports.text import PATH_LENGTH, Style, interval, number, round_together

LABEL_WIDTH = 18
"""Width of the column of labels before the details [columns]."""

_SHORT = 4
"""Significant digits of numbers for reading that nobody copies."""

_NAME_LENGTH = 200
"""Longest name in a command that is offered [code points]."""

_MOST_BODIES = 3
"""Number of bodies whose edits are shown; JSON has those of all."""

_SENTENCE_LENGTH = 2000
"""Longest sentence that is shown in full [code points]."""

_WORST_FIRST: tuple[Action, ...] = ("reject", "drop", "replace", "alter", "warn")
"""Actions of engines that do not accept a body, worst first."""


class Row(NamedTuple):
    """A line of details.

    Attributes:
        label: Its label; "" where it continues the row before.
        text: Its text, on one line.
    """

    label: str
    text: str


class BodyDetails:
    """Details of the findings of a file, with what engines do with each body told once.

    Args:
        file: The file; each of its findings is shown once, in order.
    """

    def __init__(self, file: FileReport) -> None:
        self._path = file.path
        self._by_id = {body.id: body for body in file.bodies}
        self._names = Counter(body.name for body in file.bodies)
        self._shown: set[str] = set()
        self._explained = list_explained(file)

    def details(self, finding: Finding) -> Iterator[Row]:
        """The rows of a finding; those about engines only for the first finding of a body."""
        yield from _numbers(finding.values)
        if finding.bodies:
            yield Row("bodies", clip(printable(", ".join(finding.bodies)), _SENTENCE_LENGTH))
        yield from self._causes(finding)
        body = self._by_id.get(finding.body_id or "")
        if body is not None and body.id not in self._shown:
            self._shown.add(body.id)
            yield from describe_engines(body)
        told = finding.body_id in self._explained  # beside its cause, with the command
        if finding.fix is not None and not told and len(self._path) <= PATH_LENGTH:
            option = ["--unsafe"] if finding.fix == "unsafe" else []
            yield Row("fix", _command(*option, self._path))

    def _causes(self, finding: Finding) -> Iterator[Row]:
        if finding.no_cause:
            yield Row("no cause", finding.no_cause)
        for index, cause in enumerate(finding.causes, 1):
            yield Row(f"cause {index}", describe_cause(cause))
            if not (cause.edit and (cause.edit["entries"] or cause.edit.get("bodies"))):
                continue
            yield Row("", describe_edit(cause, finding.written))
            if finding.bodies and len(self._path) <= PATH_LENGTH:
                yield Row("", _command("--cause", str(index), self._path))
                continue
            # The body's name; its id where other bodies have the same name.
            name = finding.body or ""
            name = name if self._names[name] <= 1 else finding.body_id or name
            if len(name) <= _NAME_LENGTH and len(self._path) <= PATH_LENGTH:
                yield Row("", _command("--cause", str(index), "--body", name, self._path))


def pinpoint(finding: Finding) -> Place:
    """The place of the first number that a finding is about; its own place if it has none."""
    return next((each.place for each in written_entries(finding)), finding.place)


def written_entries(finding: Finding) -> list[FindingEntry]:
    """The numbers that a finding is about and that are text; those in binary data have no place."""
    return [each for each in finding.entries if each.place[:2] != each.place[2:4]]


def list_places(finding: Finding) -> list[tuple[Place, str]]:
    """The places of the numbers that a finding is about, each with their names and texts.

    A finding on the whole model has one place for each body: that of the first of its numbers.
    """
    entries = written_entries(finding)
    if not finding.bodies:
        return [(each.place, _describe_entry(each)) for each in entries]
    places = []
    for id_, name in zip(finding.body_ids, finding.bodies, strict=True):
        own = [each for each in entries if each.body_id == id_]
        if own:
            numbers = ", ".join(map(_describe_entry, own))
            places.append((own[0].place, f"{clip(name, _NAME_LENGTH)}: {numbers}"))
    return places


def _describe_entry(entry: FindingEntry) -> str:
    return f"{entry.name} = {clip(entry.text, _NAME_LENGTH)}"


def describe_cause(cause: Hypothesis) -> str:
    """The name, the probability and the evidence of a cause."""
    return (
        f"{cause.cause} ({100 * cause.confidence:.0f} %): {clip(cause.evidence, _SENTENCE_LENGTH)}"
    )


def describe_edit(cause: Hypothesis, written: Mapping[str, str]) -> str:
    """The edit that undoes a cause: each entry as written and as meant; "" without an edit."""
    edit = cause.edit or {}
    if edit.get("bodies"):
        # The edits of the first bodies of a model, and the number of further ones.
        bodies = edit["bodies"]
        shown = [
            f"{clip(printable(name), _NAME_LENGTH)}: "
            + ", ".join(f"{entry} = {value!r}" for entry, value in edit["entries"].items())
            for name, edit in list(bodies.items())[:_MOST_BODIES]
        ]
        more = len(bodies) - len(shown)
        return "; ".join(shown) + (f"; and {more} more bodies" if more else "")
    entries = edit.get("entries", {})
    return ", ".join(
        f"{name} {clip(written[name], _NAME_LENGTH)} -> {value!r}"
        if name in written
        else f"{name} = {value!r}"
        for name, value in entries.items()
    )


def list_causes(finding: Finding) -> list[str]:
    """A line for each cause, with its edit, for forms without rows."""
    lines = []
    for index, cause in enumerate(finding.causes, 1):
        edit = describe_edit(cause, finding.written)
        lines.append(f"Cause {index}: {describe_cause(cause)}{f'; {edit}' if edit else ''}")
    if finding.no_cause:
        lines.append(f"No cause: {finding.no_cause}")
    return lines


def list_disagreements(body: BodyReport) -> dict[str, Prediction]:
    """Predictions of the engines that do not accept a body, by name, worst action first."""
    return select_disagreements(body.predictions.items())


def select_disagreements(predictions: Iterable[tuple[str, Prediction]]) -> dict[str, Prediction]:
    """The predictions among some by which an engine does not accept a body, worst action first."""
    others = [item for item in predictions if item[1].action != "accept"]
    return dict(sorted(others, key=lambda item: _WORST_FIRST.index(item[1].action)))


def _numbers(values: Values) -> Iterator[Row]:
    """The rows of a finding's numbers that a reader can use."""
    margin = values.get("margin")
    if margin is not None:
        yield Row("margin", f"{margin:.4g} ({100 * margin:.4g} %)")
    moments = values.get("principal_moments")
    if moments is not None:
        yield Row("principal moments", ", ".join(map(number, moments)) + " kg m^2")
    if _is_violated(values) and "admissible" in values:
        # The interval of each entry in which the body is consistent, with the others as written.
        intervals = values["admissible"]
        helpful = [
            f"{entry} {interval(*ends)} kg m^2"
            for entry, ends in intervals.items()
            if ends is not None
        ]
        if not helpful:
            yield Row("admissible", "none alone")
        else:
            yield Row("admissible", f"{helpful[0]} (one entry, the others as written)")
            for text in helpful[1:]:
                yield Row("", text)
    if "equivalent_box" in values:
        yield Row("equivalent box", describe_box(values["equivalent_box"]))
    witness = values.get("witness")
    if witness is not None:
        yield Row("negative along", f"({', '.join(round_together(witness, _SHORT))})")


def _is_violated(values: Values) -> bool:
    """Whether a value has to change; at the boundary, every entry is within its interval."""
    margin, tolerance = values.get("margin"), values.get("tolerance", 0.0)
    return margin is not None and margin < -tolerance


def describe_box(edges: Sequence[float | None]) -> str:
    """The edges of an equivalent box [m], as millimetres."""
    if all(edge is None for edge in edges):
        return "none has these moments"
    millimetres = [None if edge is None else 1000 * edge for edge in edges]
    return " x ".join(round_together(millimetres, _SHORT)) + " mm"


def describe_engines(body: BodyReport) -> Iterator[Row]:
    """The row of the engines that do not load the body as it is; JSON has their messages."""
    alike: dict[tuple[Action, str], list[str]] = {}
    for name, each in list_disagreements(body).items():
        alike.setdefault((each.action, each.becomes), []).append(name)
    words = [
        f"{', '.join(names)} {action if len(names) > 1 else f'{action}s'}"
        f"{f' ({clip(becomes, _SENTENCE_LENGTH)})' if becomes else ''}"
        for (action, becomes), names in alike.items()
    ]
    if words:
        yield Row("engines", "; ".join(words))


def _command(*arguments: str) -> str:
    return write_command("fix", *arguments)


def draw_excerpt(excerpt: Excerpt, style: Style, severity: str) -> Iterator[str]:
    """Each line of an excerpt with its number, and carets in the severity's colour under the place.

    The lines are those of the document, without characters that move a cursor.
    """
    width = len(str(excerpt.lines[-1].number))
    margin = style("label", f"{'':>{width}} |")
    for line in excerpt.lines:
        before, marked = line.text[: line.start], line.text[line.start : line.end]
        number_ = style("label", f"{line.number:>{width}} |")
        yield f"{number_} {show_source(line.text).rstrip()}".rstrip()
        carets = style(severity, "^" * max(count_columns(show_source(marked)), 1))
        yield f"{margin} {' ' * count_columns(show_source(before))}{carets}"
    if excerpt.more:
        yield f"{margin} ..."
