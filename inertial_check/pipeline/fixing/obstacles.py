"""Why a body, or a number of it, is not to be touched."""

from __future__ import annotations

from inertial_check.formats import FORMATS
from inertial_check.model import ENTRIES, Model, Number, Span
from inertial_check.pipeline.fixing.case import BROKEN, Case, Texts
from inertial_check.pipeline.fixing.result import FixStatus


def complaint(case: Case) -> tuple[FixStatus, str] | None:
    """Status and reason of a body whose text is not as its format asks; None where it is."""
    complaints = [problem.message for problem in case.body.problems if problem.kind == "malformed"]
    return ("malformed", complaints[0]) if complaints else None


def why_not(case: Case) -> tuple[FixStatus, str] | None:
    """Status and reason of a body without a mass and six numbers to start from; None with them."""
    inertial, verdict = case.body.inertial, case.judgement.verdict
    if (malformed := complaint(case)) is not None:
        return malformed
    if inertial is None:
        missing = case.body.moved and case.body.inertia_from == "file"
        return ("missing", "it moves and has no inertial") if missing else None
    if verdict == "invalid":
        return _why_invalid(case.judgement.mass)
    if verdict in BROKEN and len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return "malformed", "some of its six numbers are not written"
    return None


def is_stated(case: Case) -> bool:
    """Whether the document states all six numbers of the body's inertia, and they count."""
    inertial = case.body.inertial
    stated = inertial is not None and len(inertial.I_BBcm_Bi) == len(ENTRIES)
    return stated and case.body.inertia_from == "file"


def _why_invalid(mass: float) -> tuple[FixStatus, str]:
    if mass < 0:
        return "negative-mass", "its mass is negative; write the mass that the body has"
    if mass == 0:
        return "massless-with-inertia", "it has inertia but no mass; write its mass"
    return "non-finite", "one of its numbers is not finite"


def unreachable(case: Case, texts: Texts) -> tuple[FixStatus, str] | None:
    """Status and reason where no edit gives the numbers these texts; None where one does."""
    numbers = case.numbers
    changing = {name: text for name, text in texts.items() if _differs(numbers.get(name), text)}
    nowhere = [name for name in changing if not _is_in_text(numbers.get(name))]
    layered = getattr(FORMATS.get(case.model.format), "overlay", None) is not None
    if nowhere and not (layered and _in_a_layer(case, changing)):
        wishes = ", ".join(f"{name} = {changing[name]}" for name in nowhere)
        return "unwritten", f"not written where it could change: {wishes}; write it"
    computed = [
        f"{name} = {text} for {case.model.source_of(number.span).text(number.span)}"
        f" ({spot(case.model, number.span)})"
        for name, text in changing.items()
        for number in (numbers[name],)
        if number.span is not None and not number.literal
    ]
    return ("expression", f"computed; change to {', '.join(computed)}") if computed else None


def _differs(number: Number | None, text: str) -> bool:
    return number is None or text != number.text


def _is_in_text(number: Number | None) -> bool:
    return number is not None and number.span is not None and number.span.start < number.span.end


def _in_a_layer(case: Case, changing: Texts) -> bool:
    """Whether a layer over the document can override all of these: moments, whose axes stay."""
    return changing.keys() <= {"ixx", "iyy", "izz"} and case.body.inertial is not None


def spot(model: Model, span: Span) -> str:
    """Where a number stands, for a reader."""
    place = model.place(span)
    line = f"{place.line}:{place.column}"
    return f"{place.path}:{line}" if place.path else f"line {line}"
