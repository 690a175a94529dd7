"""Model in, mended bytes out: the nearest consistent tensors over the numbers they replace.

Nothing but the six numbers of a mended body changes. Before a Fix exists, its bytes have been read
again and every body judged again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from inertial_check.errors import InertialCheckError, UsageError
from inertial_check.formats import load
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.representations import join
from inertial_check.model import (
    ENTRIES,
    Body,
    Edit,
    Inertial,
    Judgement,
    Model,
    Number,
    Source,
    Span,
)
from inertial_check.pipeline.check import check_model
from inertial_check.pipeline.digits import is_body, nearest_tensor, printed_nearest
from inertial_check.pipeline.judge import judge
from inertial_check.pipeline.settings import Settings
from inertial_check.pipeline.writing import replace_file, same_file
from inertial_check.projection.closed_form import validated_margin
from inertial_check.projection.metrics import INERTIA, named

Floats = npt.NDArray[np.float64]
Six = tuple[float, ...]

FixStatus = Literal[
    "unchanged",
    "fixed",
    "needs-unsafe",
    "no-nearest",
    "not-representable",
    "numerically-zero",
    "malformed",
    "negative-mass",
    "massless-with-inertia",
    "non-finite",
    "missing",
]
"""What became of a body; all but unchanged, fixed and missing leave something broken."""

_MENDED = ("inconsistent", "rounding")
_WHOLE = ("consistent", "boundary")
_INTACT = ("unchanged", "fixed", "missing")


@dataclass(frozen=True)
class BodyFix:
    """What is done about one body.

    Attributes:
        name: As written; can repeat.
        id: Unique in the document.
        line: Where the body begins, 1-based.
        status: See FixStatus.
        reason: One line in words; "" where there is nothing to say.
        old: The six entries as they were, in the inertial's own axes, in the order of
            model.body.ENTRIES [kg m^2]; None without an inertial.
        new: The entries as written, or as --unsafe would write them; None where nothing would be.
        relative_change: Relative Frobenius change of the principal moments from old to new.
        distance: ||new - old|| in the metric [kg m^2].
        margin_before: mu of the old entries; NaN where there is none.
        margin: mu of the new entries; of the old where there are no new ones.
    """

    name: str
    id: str
    line: int
    status: FixStatus
    reason: str
    old: Six | None
    new: Six | None = None
    relative_change: float = 0.0
    distance: float = 0.0
    margin_before: float = nan
    margin: float = nan


@dataclass(frozen=True)
class Fix:
    """A model's document with the nearest consistent tensors in it, not yet written.

    Attributes:
        source: The document as it was read.
        format: "urdf", ...
        data: The new bytes, read and judged again already; equal to the old where nothing changes.
        bodies: What is done about each body that was asked about, in document order.
    """

    source: Source
    format: str
    data: bytes = field(repr=False)
    bodies: tuple[BodyFix, ...]

    @property
    def changed(self) -> bool:
        """Whether the new bytes differ from the old."""
        return self.data != self.source.data

    @property
    def complete(self) -> bool:
        """Whether nothing that was asked about stays broken once the new bytes are written."""
        return all(body.status in _INTACT for body in self.bodies)

    def diff(self) -> str:
        """The change as a unified diff; "" where there is none."""
        return "".join(_unified(self.source, self.data))

    def write(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write the new bytes, whole or not at all.

        Args:
            path: Where to; None for the file that was read, which must still hold the old bytes,
                and is left alone where nothing changes.

        Raises:
            UsageError: There is no such file, it cannot be written, or it has changed meanwhile.
        """
        own = self.source.path
        target = own if path is None else os.fspath(path)
        if path is None and not os.path.exists(own):
            raise UsageError(f"{own}: not written: there is no such file; name one to write to")
        if path is None and not self.changed:
            return
        expected = self.source.data if path is None or same_file(target, own) else None
        replace_file(target, self.data, expected)


def fix_model(  # noqa: PLR0913 - the public signature
    model_or_path: Model | str | os.PathLike[str] | bytes,
    *,
    metric: str = "inertia",
    margin: float = 0.0,
    max_change: float = tolerances.MAX_CHANGE,
    unsafe: bool = False,
    bodies: Collection[str] = (),
    select: Collection[str] = (),
    tolerance: float = 0.0,
) -> Fix:
    """Move the inertia of every inconsistent body to the nearest that a body can have.

    Mass, centre of mass and axes stay as written. The new numbers pass a test without any tolerance
    after they have been printed and parsed, in float64 and rounded to float32.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        metric: What is least: "inertia", the change of the tensor, or "covariance", of the spread.
        margin: The results have at least this margin, 0 to 1/3.
        max_change: Larger relative changes of the principal moments are made only if `unsafe`.
        unsafe: Make them.
        bodies: Names or ids of the only bodies to look at; all if empty.
        select: Only bodies with findings of these rules (codes, prefixes, names); all if empty.
        tolerance: Bodies with margins down to -tolerance count as consistent.

    Returns:
        The new bytes, not written, and what was done about each body.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: An unknown metric, or a margin that is none.
        UsageError: No such body or rule, or a max_change that is no relative change.
    """
    wanted = _Wanted(named(metric).name, validated_margin(margin), max_change, unsafe)
    if not 0 <= max_change <= inf:
        raise UsageError(f"max-change is {max_change!r}; it is a relative change, so 0 or positive")
    model = model_or_path if isinstance(model_or_path, Model) else load(model_or_path)
    chosen = _chosen(model, bodies, select, tolerance)
    edits: list[Edit] = []
    results: list[BodyFix] = []
    for body, judgement in zip(model.bodies, judge(model, tolerance), strict=True):
        if body.id in chosen:
            result, changes = _mended(model, body, judgement, wanted)
            results.append(result)
            edits += changes
    data = model.source.edited(edits)
    _verify(model, data, {result.id: result for result in results}, tolerance)
    return Fix(model.source, model.format, data, tuple(results))


def unknown_bodies(model: Model, bodies: Collection[str]) -> list[str]:
    """Those of the names and ids that no body of the model has."""
    known = {key for body in model.bodies for key in (body.name, body.id)}
    return [name for name in bodies if name not in known]


@dataclass(frozen=True)
class _Wanted:
    """What the caller asks of every body."""

    metric: str
    margin: float
    max_change: float
    unsafe: bool


def _chosen(
    model: Model, bodies: Collection[str], select: Collection[str], tolerance: float
) -> set[str]:
    """Ids of the bodies to look at.

    Raises:
        UsageError: A body or rule that does not exist.
    """
    if unknown := unknown_bodies(model, bodies):
        raise UsageError(f"{model.source.path}: no body is called {unknown[0]!r}")
    chosen = {body.id for body in model.bodies if not bodies or {body.name, body.id} & set(bodies)}
    if select:
        report = check_model(model, Settings(select=tuple(select), tolerance=tolerance))
        chosen &= {finding.body_id for finding in report.findings if finding.body_id}
    return chosen


def _mended(
    model: Model, body: Body, judgement: Judgement, wanted: _Wanted
) -> tuple[BodyFix, list[Edit]]:
    """What is done about one body, and the edits that do it."""
    old = None if body.inertial is None else judgement.I_BBcm_Bi

    def result(status: FixStatus, reason: str = "", **values: Any) -> BodyFix:
        line = model.source.place(body.span).line
        values = {"margin_before": judgement.margin, "margin": judgement.margin, **values}
        return BodyFix(body.name, body.id, line, status, reason, old, **values)

    untouchable = _why_not(body, judgement)
    if untouchable or body.inertial is None or judgement.verdict not in _MENDED:
        return result(*(untouchable or ("unchanged",))), []
    before = np.array(judgement.I_BBcm_Bi)
    nearest = nearest_tensor(before, wanted.metric, wanted.margin)
    if nearest is None:
        return result("no-nearest", "the nearest tensor is zero; write the body's inertia"), []
    numbers = [body.inertial.I_BBcm_Bi[entry] for entry in ENTRIES]
    texts = printed_nearest(numbers, nearest, wanted.metric, wanted.margin)
    if texts is None:
        return result("not-representable", "no decimals of its size survive float32"), []
    after = np.array([float(text) for text in texts])
    size = float(INERTIA.distance(np.zeros(6), before))
    change = float(INERTIA.distance(before, after)) / size
    moved = {
        "new": tuple(after.tolist()),
        "relative_change": change,
        "distance": float(named(wanted.metric).distance(before, after)),
        "margin": _margin(after),
    }
    if change > wanted.max_change and not wanted.unsafe:
        return result(
            "needs-unsafe",
            f"its moments would change by {_percent(change)}, more than "
            f"{_percent(wanted.max_change)}; --unsafe does it",
            **moved,
        ), []
    reason = f"its moments change by {_percent(change)}"
    return result("fixed", reason, **moved), list(_edits(model.source, numbers, texts))


def _why_not(body: Body, judgement: Judgement) -> tuple[FixStatus, str] | None:
    """Status and reason of a body that is not to be touched; None where nothing forbids it."""
    inertial, verdict = body.inertial, judgement.verdict
    complaints = [problem.message for problem in body.problems if problem.kind == "malformed"]
    if complaints:
        return "malformed", complaints[0]
    if inertial is None:
        return ("missing", "a joint moves it and it has no inertial") if body.moved else None
    if verdict == "invalid":
        return _why_invalid(judgement.mass)
    if verdict in _MENDED and judgement.numerically_zero:
        return "numerically-zero", "it is smaller than a micrometre; write the body's inertia"
    if verdict in _MENDED and any(number.span is None for number in _six(inertial)):
        return "malformed", "some of its six numbers are not written"
    return None


def _why_invalid(mass: float) -> tuple[FixStatus, str]:
    if mass < 0:
        return "negative-mass", "its mass is negative; write the mass that the body has"
    if mass == 0:
        return "massless-with-inertia", "it has inertia but no mass; write its mass"
    return "non-finite", "one of its numbers is not finite"


def _six(inertial: Inertial) -> Iterator[Number]:
    return (inertial.I_BBcm_Bi[entry] for entry in ENTRIES)


def _edits(source: Source, numbers: Sequence[Number], texts: Sequence[str]) -> Iterator[Edit]:
    """The new texts on the spans of the six numbers, and wherever the tag states them again."""
    for entry, number, text in zip(ENTRIES, numbers, texts, strict=True):
        if number.span is not None and text != number.text:
            yield Edit(number.span, text)
            for again in _repeated(source, entry, number, number.span):
                yield Edit(again, text)


def _repeated(source: Source, entry: str, number: Number, span: Span) -> Iterator[Span]:
    """Where the tag around a number states it below the diagonal too: iyx beside ixy.

    Engines read neither, but a tensor that is not symmetric on paper is malformed.
    """
    width = len("<".encode(source.encoding))
    start = source.data.rfind("<".encode(source.encoding), 0, span.start) + width
    end = source.data.find(">".encode(source.encoding), span.end)
    tag = source.text(Span(start, end))
    transposed = f"i{entry[2]}{entry[1]}"
    for match in re.finditer(rf"\b{transposed}\s*=\s*([\"'])\s*([^\"']*?)\s*\1", tag):
        if transposed != entry and _is_number(match[2], number.value):
            before, after = (len(tag[:i].encode(source.encoding)) for i in match.span(2))
            yield Span(start + before, start + after)


def _is_number(text: str, value: float) -> bool:
    try:
        return float(text) == value
    except ValueError:
        return False


def _margin(six: Floats) -> float:
    theta = join(np.ones(()), np.zeros(3), six)
    return float(Consistency(theta, "com").margin)


def _verify(model: Model, data: bytes, results: Mapping[str, BodyFix], tolerance: float) -> None:
    """Read the new bytes again: mended bodies pass, and every other number stands as it stood.

    Raises:
        InertialCheckError: Something else changed, or a mended body does not pass.
    """
    if data == model.source.data:
        return
    again = load(data, format=model.format)
    path = model.source.path
    if [body.id for body in again.bodies] != [body.id for body in model.bodies]:
        raise InertialCheckError(f"{path}: not fixed: the new document reads as another model")
    for old, new, judgement in zip(
        model.bodies, again.bodies, judge(again, tolerance), strict=True
    ):
        result = results.get(old.id)
        fixed = result is not None and result.status == "fixed"
        if _stated(old, fixed) != _stated(new, fixed):
            raise InertialCheckError(
                f"{path}: not fixed: more than the inertia of {old.name} would change"
            )
        if result is None or not fixed:
            continue
        six = judgement.I_BBcm_Bi
        if six != result.new or judgement.verdict not in _WHOLE or not is_body(six):
            raise InertialCheckError(f"{path}: not fixed: {old.name} does not pass after writing")


def _stated(body: Body, fixed: bool) -> tuple[Any, ...]:
    """All that a body's text states; without the six numbers if those are to change."""
    inertial = body.inertial
    if inertial is None:
        return body.name, body.joint, body.moved, len(body.problems)
    numbers = [inertial.mass, *inertial.p_BoBcm_B, *(() if fixed else inertial.I_BBcm_Bi.values())]
    texts = tuple(None if number is None else number.text for number in numbers)
    return body.name, body.joint, body.moved, len(body.problems), inertial.R_BBi, texts


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"


def _unified(source: Source, data: bytes) -> Iterator[str]:
    """The lines of a unified diff, in the document's own encoding."""
    from difflib import unified_diff

    if data == source.data:
        return
    before, after = (_lines(source, version) for version in (source.data, data))
    name = source.path.replace(os.sep, "/").lstrip("/")
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(source: Source, data: bytes) -> list[str]:
    """A document's lines, as diff and patch see them: LF ends a line, a CR before it stays.

    In a document whose lines end with a lone CR, which a terminal would print over each other, that
    is shown as LF.
    """
    text = data[len(source.bom) :].decode(source.encoding, "backslashreplace")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
