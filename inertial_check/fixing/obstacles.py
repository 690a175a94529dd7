"""Why a body, or a number of it, is not to be touched."""

from __future__ import annotations

import os
from collections.abc import Mapping

from inertial_check.fixing.case import BROKEN, CENTER, MASS, QUATERNION, Case, Texts
from inertial_check.fixing.result import FixStatus
from inertial_check.formats import FORMATS
from inertial_check.model import ENTRIES, Model, Number, Span

_LAYERED = {MASS, *CENTER, "ixx", "iyy", "izz", *QUATERNION}
"""What a layer states; products are 0 in the axes that it states with them."""


_SPOKEN = {name: f"{name[1]} of the quaternion of its axes" for name in QUATERNION}


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
    nowhere = [name for name in changing if not is_in_text(numbers.get(name))]
    if nowhere and not (has_layers(case) and _fits_a_layer(numbers, changing)):
        wishes = ", ".join(f"{_SPOKEN.get(name, name)} = {changing[name]}" for name in nowhere)
        return "unwritten", f"not written where it could change: {wishes}; write it"
    computed = [
        f"{name} = {text} for {case.model.source_of(number.span).text(number.span)}"
        f" ({spot(case.model, number.span)})"
        for name, text in changing.items()
        for number in (numbers.get(name),)
        if number is not None and number.span is not None and not number.literal
    ]
    return ("expression", f"computed; change to {', '.join(computed)}") if computed else None


def _differs(number: Number | None, text: str) -> bool:
    return number is None or text != number.text


def is_in_text(number: Number | None) -> bool:
    """Whether a number stands in a text, which can be edited."""
    return number is not None and number.span is not None and number.span.start < number.span.end


def _fits_a_layer(numbers: Mapping[str, Number], changing: Texts) -> bool:
    """Whether a layer states numbers of these names, and their texts as they are."""
    known = [numbers[name] for name in changing if name in numbers]
    return changing.keys() <= _LAYERED and all(number.literal for number in known)


def has_layers(case: Case) -> bool:
    """Whether a layer over the document can override numbers of a body that has some."""
    written = getattr(FORMATS.get(case.model.format), "overlay", None) is not None
    on_disk = os.path.exists(case.model.source.path)
    return written and on_disk and case.body.inertial is not None


def spot(model: Model, span: Span) -> str:
    """Where a number stands, for a reader."""
    place = model.place(span)
    line = f"{place.line}:{place.column}"
    return f"{place.path}:{line}" if place.path else f"line {line}"
