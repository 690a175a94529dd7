"""Model in, mended bytes out: the nearest consistent tensors over the numbers they replace.

Nothing but the six numbers of a mended body changes. Before a Fix exists, its bytes have been read
again and every body judged again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, nan
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from inertial_check.errors import InertialCheckError, UsageError
from inertial_check.formats import FORMATS, Context, load
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.representations import join
from inertial_check.model import (
    ENTRIES,
    Body,
    Edit,
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
Layer = Callable[[str], bytes]

FixStatus = Literal[
    "unchanged",
    "fixed",
    "needs-unsafe",
    "no-nearest",
    "not-representable",
    "numerically-zero",
    "malformed",
    "expression",
    "shared",
    "negative-mass",
    "massless-with-inertia",
    "non-finite",
    "missing",
]
"""What became of a body; all but unchanged, fixed and missing leave something broken.

expression: a number is computed; the reason says where. shared: what would have to change is used
for something else, too."""

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
        file: The included document in which that line is; None for the model's own.
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
    file: str | None = None


@dataclass(frozen=True)
class Fix:
    """A model's document with the nearest consistent tensors in it, not yet written.

    Attributes:
        source: The document as it was read.
        format: "urdf", ...
        data: The new bytes, read and judged again already; equal to the old where nothing changes.
        bodies: What is done about each body that was asked about, in document order.
        others: Included documents in which numbers change, as read, and their new bytes.
        layer: Where no edit reaches a number, as in binary data: by the path to write to, the bytes
            of a document that refers to this one and overrides its numbers. `data` is the one that
            belongs beside it.
    """

    source: Source
    format: str
    data: bytes = field(repr=False)
    bodies: tuple[BodyFix, ...]
    others: tuple[tuple[Source, bytes], ...] = field(default=(), repr=False)
    layer: Layer | None = field(default=None, repr=False)

    @property
    def changed(self) -> bool:
        """Whether any new bytes differ from the old."""
        return bool(self.others) or self.data != self.source.data

    @property
    def complete(self) -> bool:
        """Whether nothing that was asked about stays broken once the new bytes are written."""
        return all(body.status in _INTACT for body in self.bodies)

    def diff(self) -> str:
        """The change as a unified diff; "" where there is none."""
        if self.layer is not None:
            return "".join(_unified(Source(_beside(self.source.path), b""), self.data))
        documents = ((self.source, self.data), *self.others)
        return "".join(line for document in documents for line in _unified(*document))

    def write(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write the new bytes, whole or not at all.

        Args:
            path: Where to; None for the file that was read, which must still hold the old bytes,
                and is left alone where nothing changes.

        Raises:
            UsageError: There is no such file, it cannot be written, it has changed meanwhile, or
            numbers change in another file than the one that is named.
        """
        own = self.source.path
        target = own if path is None else os.fspath(path)
        if path is None and not os.path.exists(own):
            raise UsageError(f"{own}: not written: there is no such file; name one to write to")
        if self.layer is not None:
            if path is None or same_file(target, own):
                raise UsageError(
                    f"{own}: not written: its numbers stand in binary data, which is not edited; "
                    f"-o {_beside(own)} writes a layer over it"
                )
            replace_file(target, self.layer(target))
            return
        if path is not None and self.others:
            raise UsageError(
                f"{target}: not written: the numbers stand in {self.others[0][0].path}, which "
                f"{own} includes; --write changes them there"
            )
        for source, data in self.others:
            replace_file(source.path, data, source.data)
        if path is None and self.data == self.source.data:
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
    context: Context | None = None,
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
        context: Where what the document includes is found.

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
    context = context or Context()
    if isinstance(model_or_path, Model):
        model = model_or_path
    else:
        model = load(model_or_path, context=context)
    chosen = _chosen(model, bodies, select, tolerance)
    moved: dict[str, Sequence[str]] = {}
    results: list[BodyFix] = []
    for body, judgement in zip(model.bodies, judge(model, tolerance), strict=True):
        if body.id in chosen:
            result, texts = _mended(model, body, judgement, wanted)
            results.append(result)
            if texts:
                moved[body.id] = texts
    by_id = {result.id: result for result in results}
    if (layer := _layer_over(model, moved)) is not None:
        beside = _beside(model.source.path)
        data = layer(beside)
        _verify(model, beside, data, context, by_id, tolerance)
        return Fix(model.source, model.format, data, tuple(results), layer=layer)
    while model.rest and (disagreeing := _disagreeing(model, moved)):
        _leave(disagreeing, moved, by_id)
    data, changed = _settled(model, moved, by_id, context, tolerance)
    return Fix(model.source, model.format, data, tuple(by_id.values()), changed)


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
    return chosen | _with_the_same_text(model, chosen)


def _with_the_same_text(model: Model, chosen: set[str]) -> set[str]:
    """Ids of the bodies that change with those, as a text that is included can state several."""
    stated = {body.id: _places(body) for body in model.bodies}
    places = {stated[id_] for id_ in chosen} - {()}
    return {id_ for id_ in stated if stated[id_] in places}


def _places(body: Body) -> tuple[Span | str, ...]:
    """Where each number of a body's inertia stands, or the default; () where none is written."""
    numbers = body.inertial.I_BBcm_Bi.values() if body.inertial is not None else ()
    spans = [number.span for number in numbers if number.span is not None]
    if not spans or any(span.start == span.end for span in spans):
        return ()
    return tuple(number.span or number.text for number in numbers)


def _mended(
    model: Model, body: Body, judgement: Judgement, wanted: _Wanted
) -> tuple[BodyFix, Sequence[str]]:
    """What is done about one body, and the texts of its six numbers if they are to change."""
    old = None if body.inertial is None else judgement.I_BBcm_Bi

    def result(status: FixStatus, reason: str = "", **values: Any) -> BodyFix:
        place = model.place(body.span)
        values = {"margin_before": judgement.margin, "margin": judgement.margin, **values}
        return BodyFix(
            body.name, body.id, place.line, status, reason, old, **values, file=place.path
        )

    untouchable = _why_not(body, judgement)
    if untouchable or body.inertial is None or judgement.verdict not in _MENDED:
        return result(*(untouchable or ("unchanged",))), []
    numbers = _six(body)
    unit = body.inertial.kilograms_per_unit * body.inertial.meters_per_unit**2
    before = np.array([number.value for number in numbers])  # in the document's own units
    nearest = nearest_tensor(before, wanted.metric, wanted.margin)
    if nearest is None:
        return result("no-nearest", "the nearest tensor is zero; write the body's inertia"), []
    texts = printed_nearest(numbers, nearest, wanted.metric, wanted.margin)
    if texts is None:
        return result("not-representable", "no decimals of its size survive float32"), []
    if (unreachable := _unreachable(model, numbers, texts)) is not None:
        return result(*unreachable), []
    after = np.array([float(text) for text in texts])
    size = float(INERTIA.distance(np.zeros(6), before))
    change = float(INERTIA.distance(before, after)) / size
    moved = {
        "new": tuple((unit * after).tolist()),
        "relative_change": change,
        "distance": unit * float(named(wanted.metric).distance(before, after)),
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
    return result("fixed", reason, **moved), texts


def _why_not(body: Body, judgement: Judgement) -> tuple[FixStatus, str] | None:
    """Status and reason of a body that is not to be touched; None where nothing forbids it."""
    inertial, verdict = body.inertial, judgement.verdict
    complaints = [problem.message for problem in body.problems if problem.kind == "malformed"]
    if complaints:
        return "malformed", complaints[0]
    if inertial is None:
        missing = body.moved and body.inertia_from == "file"
        return ("missing", "it moves and has no inertial") if missing else None
    if verdict == "invalid":
        return _why_invalid(judgement.mass)
    if verdict in _MENDED and judgement.numerically_zero:
        return "numerically-zero", "it is smaller than a micrometre; write the body's inertia"
    if verdict in _MENDED and len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return "malformed", "some of its six numbers are not written"
    return None


def _why_invalid(mass: float) -> tuple[FixStatus, str]:
    if mass < 0:
        return "negative-mass", "its mass is negative; write the mass that the body has"
    if mass == 0:
        return "massless-with-inertia", "it has inertia but no mass; write its mass"
    return "non-finite", "one of its numbers is not finite"


def _six(body: Body) -> list[Number]:
    """The six numbers of a body that has them."""
    entries = body.inertial.I_BBcm_Bi if body.inertial is not None else {}
    return [entries[entry] for entry in ENTRIES]


def _is_out_of_reach(numbers: Sequence[Number], texts: Sequence[str]) -> bool:
    """Whether a number would have to change that stands nowhere in a text."""
    return any(
        text != number.text and (number.span is None or number.span.start == number.span.end)
        for number, text in zip(numbers, texts, strict=True)
    )


def _unreachable(
    model: Model, numbers: Sequence[Number], texts: Sequence[str]
) -> tuple[FixStatus, str] | None:
    """Status and reason where no edit gives the numbers these texts; None where one does."""
    if _is_out_of_reach(numbers, texts) and _overlay(model) is None:
        return "malformed", "some of its six numbers are not written"
    wishes = [
        f"{entry} = {text} for {model.source_of(number.span).text(number.span)}"
        f" ({_spot(model, number.span)})"
        for entry, number, text in zip(ENTRIES, numbers, texts, strict=True)
        if text != number.text and number.span is not None and not number.literal
    ]
    return ("expression", f"computed; change to {', '.join(wishes)}") if wishes else None


def _spot(model: Model, span: Span) -> str:
    place = model.place(span)
    line = f"{place.line}:{place.column}"
    return f"{place.path}:{line}" if place.path else f"line {line}"


def _disagreeing(model: Model, moved: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Bodies that cannot change because what they change stands for another number too, and why."""
    users: dict[Span, list[tuple[Body, str, Number, str]]] = {}
    for body in model.bodies:
        for name, number, text in _wished(body, moved.get(body.id)):
            if number.span is not None and number.literal:
                users.setdefault(number.span, []).append((body, name, number, text))
    reasons = {}
    for body in model.bodies:
        for name, number, text in _wished(body, moved.get(body.id)):
            if text == number.text or number.span is None:
                continue
            for other, its_name, _, its_text in users[number.span]:
                if its_text != text:
                    reasons[body.id] = (
                        f"{name} = {text} would change {its_name} of {other.name}, which is written"
                        f" by the same text ({_spot(model, number.span)}): write it apart"
                    )
    return reasons


def _wished(body: Body, texts: Sequence[str] | None) -> Iterator[tuple[str, Number, str]]:
    """The numbers of a body: name, as it stands, and the text that it is to have."""
    if body.inertial is None:
        return
    new = dict(zip(ENTRIES, texts, strict=True)) if texts else {}
    if body.inertial.mass is not None:
        yield "the mass", body.inertial.mass, body.inertial.mass.text
    for number in body.inertial.p_BoBcm_B:
        yield "the centre of mass", number, number.text
    for entry, number in body.inertial.I_BBcm_Bi.items():
        yield entry, number, new.get(entry, number.text)


def _overlay(model: Model) -> Callable[[Model, Mapping[str, Sequence[str]], str], bytes] | None:
    """What writes a document over one of this format; None where the format knows no such thing."""
    return getattr(FORMATS.get(model.format), "overlay", None)


def _layer_over(model: Model, moved: Mapping[str, Sequence[str]]) -> Layer | None:
    """What writes a document with the new texts over the model's; None where edits do."""
    overlay = _overlay(model)
    reached = not any(
        _is_out_of_reach(_six(body), moved[body.id]) for body in model.bodies if body.id in moved
    )
    return None if overlay is None or reached else partial(overlay, model, moved)


def _beside(path: str) -> str:
    """Where a layer over a document would stand if nobody says where."""
    return f"{os.path.splitext(path)[0]}.fixed.usda"


def _leave(
    reasons: Mapping[str, str], moved: dict[str, Sequence[str]], results: dict[str, BodyFix]
) -> None:
    """Take bodies out of those that change."""
    for id_, reason in reasons.items():
        del moved[id_]
        results[id_] = replace(results[id_], status="shared", reason=reason)


def _settled(
    model: Model,
    moved: dict[str, Sequence[str]],
    results: dict[str, BodyFix],
    context: Context,
    tolerance: float,
) -> tuple[bytes, tuple[tuple[Source, bytes], ...]]:
    """The new bytes of the document and of those it includes, verified.

    In a template, a number can have effects that only its expansion shows. What has such effects is
    taken out of `moved`, and its result says so.

    Raises:
        InertialCheckError: Something else would change.
    """

    def attempt(ids: Collection[str]) -> tuple[bytes, tuple[tuple[Source, bytes], ...]]:
        data, changed = _edited(model, {id_: moved[id_] for id_ in ids})
        overlay = {os.path.abspath(source.path): new for source, new in changed}
        if ids:
            some = {id_: result for id_, result in results.items() if id_ in ids}
            within = replace(context, overlay={**context.overlay, **overlay})
            _verify(model, model.source.path, data, within, some, tolerance)
        return data, changed

    try:
        return attempt(moved)
    except InertialCheckError:
        if not model.rest:
            raise
    for group in _groups(model, moved):
        try:
            attempt(group)
        except InertialCheckError as error:
            reason = f"its numbers have other effects, too ({error})"
            _leave(dict.fromkeys(group, reason), moved, results)
    return attempt(moved)


def _groups(model: Model, moved: Mapping[str, Sequence[str]]) -> list[set[str]]:
    """Bodies that can only change together, as the same text states their numbers."""
    groups: list[tuple[set[Span], set[str]]] = []
    for body in model.bodies:
        if body.id not in moved:
            continue
        spans = {edit.span for edit in _edits(model, _six(body), moved[body.id])}
        joined = [group for group in groups if group[0] & spans]
        groups = [group for group in groups if not group[0] & spans]
        groups.append(
            (
                spans.union(*(group[0] for group in joined)),
                {body.id}.union(*(group[1] for group in joined)),
            )
        )
    return [ids for _, ids in groups]


def _edited(
    model: Model, moved: Mapping[str, Sequence[str]]
) -> tuple[bytes, tuple[tuple[Source, bytes], ...]]:
    """The document's bytes with the new texts, and those of the included ones that change."""
    # A document that is included twice states two bodies once.
    edits = dict.fromkeys(
        edit
        for body in model.bodies
        if body.id in moved
        for edit in _edits(model, _six(body), moved[body.id])
    )
    data, *others = (
        source.edited(edit for edit in edits if edit.span.file == file)
        for file, source in enumerate((model.source, *model.others))
    )
    pairs = zip(model.others, others, strict=True)
    return data, tuple((source, new) for source, new in pairs if new != source.data)


def _edits(model: Model, numbers: Sequence[Number], texts: Sequence[str]) -> Iterator[Edit]:
    """The new texts on the spans of the six numbers, and wherever the tag states them again."""
    for entry, number, text in zip(ENTRIES, numbers, texts, strict=True):
        if number.span is not None and text != number.text:
            yield Edit(number.span, text)
            for again in _repeated(model.source_of(number.span), entry, number, number.span):
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
            yield Span(start + before, start + after, span.file)


def _is_number(text: str, value: float) -> bool:
    try:
        return float(text) == value
    except ValueError:
        return False


def _margin(six: Floats) -> float:
    theta = join(np.ones(()), np.zeros(3), six)
    return float(Consistency(theta, "com").margin)


def _verify(
    model: Model,
    path: str,
    data: bytes,
    context: Context,
    results: Mapping[str, BodyFix],
    tolerance: float,
) -> None:
    """Read the new bytes again: mended bodies pass, and every other number stands as it stood.

    Raises:
        InertialCheckError: Something else changed, or a mended body does not pass.
    """
    again = load(data, format=model.format, path=path, context=context)
    if again.rest != model.rest:
        raise InertialCheckError(f"{path}: not fixed: more than an inertia would change")
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
    # What an engine would make of the numbers is not stated, and ends when they are mended.
    problems = sum(problem.kind != "engine" for problem in body.problems)
    if inertial is None:
        return body.name, body.joint, body.moved, problems
    numbers = [inertial.mass, *inertial.p_BoBcm_B, *(() if fixed else inertial.I_BBcm_Bi.values())]
    texts = tuple(None if number is None else number.text for number in numbers)
    return body.name, body.joint, body.moved, problems, inertial.R_BBi, texts


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
