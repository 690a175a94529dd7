"""What a comparison says of a body, and the helpers that several comparisons share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.evidence import Examination
from inertial_check.evidence.likeness import Likeness
from inertial_check.rules.screens import _limits

Flags = Mask
Where = Literal["mass", "center", "tensor", "inertial"]
Evidence = Literal["amount", "center", "form"]
"""A kind of evidence: the amount (mass, and the size that mass and tensor give), the centre of
mass, and the form of the tensor (shares and axes, which no change of mass or unit touches)."""

EVERY: frozenset[Evidence] = frozenset({"amount", "center", "form"})
"""Evidence against the whole inertial, as where it is that of another body."""

_EVIDENCE: Mapping[str, frozenset[Evidence]] = MappingProxyType(
    {
        "IC201": frozenset({"center"}),
        "IC202": frozenset({"center"}),
        "IC307": frozenset({"amount", "form"}),
        "IC501": frozenset({"amount", "form"}),
        "IC502": frozenset({"amount"}),
        "IC503": frozenset({"amount"}),
        "IC504": frozenset({"form"}),
        "IC505": frozenset({"form"}),
        "IC602": EVERY,
        "IC603": frozenset({"amount", "form"}),
    }
)
"""Evidence that the doubts of a code rest on, unless the doubt itself names it."""


class Doubt(NamedTuple):
    """What is suspicious about a body.

    Attributes:
        code: Of the rule that says it.
        where: Which of the written numbers it is about.
        message: One line.
        values: The numbers behind it.
        weak: Flag: the evidence is too weak for a warning, so that the finding is a note.
        against: Evidence that the doubt rests on; None for that of its code.
    """

    code: str
    where: Where
    message: str
    values: dict[str, object]
    weak: bool = False
    against: frozenset[Evidence] | None = None

    @property
    def evidence(self) -> frozenset[Evidence]:
        """The evidence that the doubt rests on; every kind where the code names none."""
        return _EVIDENCE.get(self.code, EVERY) if self.against is None else self.against


Doubts = Iterator[tuple[int, Doubt]]
Found = Mapping[int, Sequence[Doubt]]
"""Doubts about each suspicious body so far, the plainest first; no two share evidence."""


def is_explained(
    found: Found, index: int, evidence: frozenset[Evidence] = EVERY, weak: bool = False
) -> bool:
    """Whether a doubt about the body rests on some of this evidence already.

    One mistake shows in several comparisons of one evidence and is to be reported once; a mistake
    in the mass says nothing about the axes.

    Args:
        found: The doubts so far.
        index: Of the body.
        evidence: That of the new doubt.
        weak: Whether the new doubt is weak; one that is not yields to no weak one.
    """
    return any(
        doubt.evidence & evidence and (weak or not doubt.weak) for doubt in found.get(index, ())
    )


def find_frames(examination: Examination) -> Flags:
    """(N,) bodies that nothing moves, with next to no mass: frames with numbers."""
    assembly, bodies = examination.assembly, examination.model.bodies
    held = np.array([body.joint is not None and not body.moved for body in bodies], dtype=bool)
    with np.errstate(invalid="ignore"):
        long = assembly.box[:, 2] > assembly.scale
        light: Flags = assembly.mass < _limits.FRAME_SHARE * assembly.total_mass
    return held & light & ~long


def find_fitting(examination: Examination) -> Flags:
    """(N,) bodies whose own shapes have the size, form and place that the numbers state.

    Where several bodies share numbers, these are the body that the numbers belong to.
    """
    likeness = examination.likeness
    with np.errstate(all="ignore"):
        sized = np.abs(np.log(likeness.size_ratio)) <= np.log(_limits.FITTING_SIZE)
    formed = likeness.misfit <= _limits.FITTING_FORM
    return likeness.all_of(sized & formed & (likeness.offset <= _limits.FITTING_PLACE))


def find_mildest(rows: Flags, measure: Floats) -> int:
    """Of the flagged rows the one with the least measure."""
    return int(np.argmin(np.where(rows, measure, np.inf)))


def is_weak(examination: Examination, clear: Flags) -> bool:
    """Whether none of a body's shapes makes the doubt clear enough for a warning.

    Args:
        examination: The model; with the preset strict no doubt is weak.
        clear: One flag for each geometry of the body.
    """
    return examination.strictness == "default" and not np.any(clear)


def explain_weakness(likeness: Likeness, index: int, weak: bool) -> str:
    """The end of a message that says why the finding is a note; nothing where it is none."""
    if not weak:
        return ""
    rows = likeness.body == index
    if np.any(likeness.unseen[rows]):
        return "; only a note, since its visual shapes could not be read"
    apart = 100 * float(np.min(likeness.offset[rows]))
    return (
        f"; only a note, since the centre of mass is {apart:.2g} % of the extent away from that of "
        "the shapes, which may not show where the mass is"
    )
