"""What a planted defect is: a cause, a change of numbers, and the document that results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.documents.model import ENTRIES, Number
from inertial_check.documents.source import Edit
from planting.decimals import DIAGONAL, SLACK, exact, is_consistent
from planting.sites import Array, Site, Texts, change, tensor

Kind = Literal["provable", "valid", "model"]

RELEVANT = 0.1
"""Least relative change of the tensor: what moves it by less, nobody would call a defect."""
ORDERS = {
    "urdf": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "pinocchio": ("ixx", "ixy", "iyy", "ixz", "iyz", "izz"),
    "mujoco": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "wensing": ("ixx", "iyy", "izz", "iyz", "ixz", "ixy"),
}
ROW_MAJOR = ("ixx", "ixy", "ixz", "ixy", "iyy", "iyz")
"""What lands in the six slots of a URDF when nine numbers are written row by row."""
COARSE = 0.04
"""Half a count of the last decimal, as a part of the trace, from which decimals are too few."""
UNITS = {
    "g mm^2": 1e-9,
    "g cm^2": 1e-7,
    "kg mm^2": 1e-6,
    "kg cm^2": 1e-4,
    "lb in^2": 2.926397e-4,
    "g m^2": 1e-3,
}
"""What one of each unit is in kg m^2."""


class Change(NamedTuple):
    """One candidate of a cause for a body.

    Attributes:
        variant: Which form of the defect, in words.
        texts: New texts by body and number.
        watched: The bodies on which a finding counts; None for any, and for the model itself.
        expected_mass: What the whole model is said to weigh [kg]; None where nothing is said.
        also: Further causes that are right answers to this form of the defect.
    """

    variant: str
    texts: Mapping[int, Texts]
    watched: tuple[int, ...] | None
    expected_mass: float | None = None
    also: frozenset[str] = frozenset()


Mutator = Callable[[Site, np.random.Generator], Iterator[Change]]


@dataclass(frozen=True)
class Cause:
    """A way in which numbers go wrong.

    Attributes:
        name: As the project calls it.
        kind: "provable": every mutant is certified inconsistent; "valid": certified consistent;
            "model": all bodies of a model are changed, and some may become inconsistent.
        mutate: Makes candidates for one body.
        accepted: Names of causes that are right answers.
        identifiable: Whether numbers and evidence can tell this cause from every other.
        needs: "geometry" or "twin" where nothing else could ever show it.
    """

    name: str
    kind: Kind
    mutate: Mutator
    accepted: frozenset[str]
    identifiable: bool = True
    needs: str | None = None

    @property
    def key(self) -> str:
        """Its name and kind, which together are unique."""
        return f"{self.name} ({self.kind})"


CAUSES: list[Cause] = []
FURTHER: list[Cause] = []
"""The second list, of `--further`: its names are those of mistakes, and not of causes."""


def cause(
    name: str,
    kind: Kind,
    *also: str,
    identifiable: bool = True,
    needs: str | None = None,
    into: list[Cause] = CAUSES,
) -> Callable[[Mutator], Mutator]:
    """Register a mutator in a list; `also` are further causes that are right answers to it."""

    def register(mutate: Mutator) -> Mutator:
        into.append(Cause(name, kind, mutate, frozenset({name, *also}), identifiable, needs))
        return mutate

    return register


# ----------------------------------------------------------------- parts of mutators


def one_body(site: Site, variant: str, texts: Texts) -> Change:
    """A change of one body's numbers."""
    return Change(variant, {site.index: texts}, (site.index,))


def one_tensor(site: Site, variant: str, matrix: Array) -> Change:
    """A change of one body's tensor."""
    return one_body(site, variant, site.write(matrix))


def shuffled(rng: np.random.Generator, choices: Sequence) -> list:
    """The choices in another order."""
    return [choices[k] for k in rng.permutation(len(choices))]


def plain(number: Decimal) -> str:
    """A decimal without exponent where that stays short."""
    text = format(number, "f")
    return text if len(text) <= 24 else str(number)


def negated(text: str) -> str:
    """A decimal with the other sign."""
    return text[1:] if text.startswith("-") else "-" + text.removeprefix("+")


def moves(site: Site, texts: Texts, least: float = RELEVANT) -> bool:
    """Whether the tensor moves by what one would notice."""
    new = tensor([float(texts.get(entry, site.texts[entry])) for entry in ENTRIES])
    return change(new, site.I_BBcm_Bi) >= least


def scaled(site: Site, factor: float) -> Texts:
    """The six texts of the tensor times a number."""
    return site.write(site.I_BBcm_Bi * factor)


def coarse(site: Site) -> Texts | None:
    """The entries printed with so few decimals that half a count is 4 % of the trace or more.

    None where that leaves no moment of inertia.
    """
    trace = float(np.trace(site.I_BBcm_Bi))
    decimals = int(np.floor(-np.log10(2 * COARSE * trace))) if trace > 0 else 0
    if decimals < 1:
        return None
    texts = {entry: f"{float(site.texts[entry]):.{decimals}f}" for entry in ENTRIES}
    return texts if all(exact(texts[entry]) > 0 for entry in DIAGONAL) else None


# ----------------------------------------------------------------- planting


def _literal(number: Number | None) -> bool:
    return number is not None and number.span is not None and number.literal


class Mutant(NamedTuple):
    """A document with one defect.

    Attributes:
        site: The body.
        change: What was done.
        data: The document's bytes.
    """

    site: Site
    change: Change
    data: bytes


def plant(which: Cause, site: Site, rng: np.random.Generator) -> Mutant | None:
    """The first candidate of a cause that the document can express and that is what it claims."""
    for candidate in which.mutate(site, rng):
        edits = _edits(site, candidate)
        claimed = (_as_claimed(which, site.at(k), t) for k, t in candidate.texts.items())
        if edits and not _move_others(edits, site, candidate) and all(claimed):
            return Mutant(site, candidate, site.model.source.apply_edits(edits))
    return None


def _edits(site: Site, candidate: Change) -> list[Edit]:
    """Every number that changes, as an edit; none where one has no text of its own to change."""
    edits = {}
    for index, texts in candidate.texts.items():
        each = site.at(index)
        for name, text in texts.items():
            number = each.numbers[name]
            if text == number.text:
                continue
            if not _literal(number) or number.span is None or number.span.file:
                if exact(text) == exact(number.text):
                    continue
                return []
            if edits.setdefault(number.span, text) != text:
                return []
    return [Edit(span, text) for span, text in edits.items()]


def _move_others(edits: Sequence[Edit], site: Site, candidate: Change) -> bool:
    """Whether a text that changes is the number of a further body: a macro called twice."""
    spans = {edit.span for edit in edits}
    others = (k for k in range(len(site.model.bodies)) if k not in candidate.texts)
    return any(number.span in spans for k in others for number in site.at(k).known_numbers)


def _as_claimed(which: Cause, site: Site, new: Texts) -> bool:
    texts = site.texts | new
    if exact(texts["mass"]) <= 0:
        return False
    if which.kind == "model":
        return True
    provable = which.kind == "provable"
    return is_consistent(texts, SLACK if provable else Fraction(0)) != provable
