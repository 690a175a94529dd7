"""What a cause is: one class, with its page as docstring, that proposes what the body was to be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.inertia.representations import symmetric
from inertial_check.model import ENTRIES, Body, BodyGeometry, Examination, Judgement

Floats = npt.NDArray[np.float64]

HEADINGS = (
    "What happened",
    "How it is recognised",
    "Example",
    "What undoes it",
    "What people search for",
    "References",
)
"""The sections of every cause's docstring, in this order."""


@dataclass(frozen=True)
class Subject:
    """One body of an examination, with its numbers as arrays. SI units throughout.

    Attributes:
        examination: The whole model.
        index: Which of its bodies.
    """

    examination: Examination
    index: int

    @property
    def body(self) -> Body:
        """As written."""
        return self.examination.model.bodies[self.index]

    @property
    def judgement(self) -> Judgement:
        """What the conditions say of it."""
        return self.examination.judgements[self.index]

    @property
    def mass(self) -> float:
        """[kg]."""
        return self.judgement.mass

    @cached_property
    def R_BBi(self) -> Floats:
        """(3, 3) rotation from the inertial's own axes to the body frame."""
        inertial = self.body.inertial
        return np.eye(3) if inertial is None else np.array(inertial.R_BBi)

    @cached_property
    def p_BoBcm_B(self) -> Floats:
        """(3,) centre of mass in the body frame [m]."""
        return np.array(self.judgement.p_BoBcm_B)

    @cached_property
    def p_BoBcm_Bi(self) -> Floats:
        """(3,) centre of mass from the body's origin, in the inertial's own axes [m]."""
        p_BoBcm_Bi: Floats = self.R_BBi.T @ self.p_BoBcm_B
        return p_BoBcm_Bi

    @cached_property
    def I_BBcm_Bi(self) -> Floats:
        """(3, 3) rotational inertia as written: about the centre of mass, own axes [kg m^2]."""
        tensor: Floats = symmetric(np.array(self.judgement.I_BBcm_Bi))
        return tensor

    @cached_property
    def S_BBcm_Bi(self) -> Floats:
        """(3, 3) second moment of mass about the centre of mass, own axes [kg m^2]."""
        S_BBcm_Bi: Floats = np.trace(self.I_BBcm_Bi) / 2 * np.eye(3) - self.I_BBcm_Bi
        return S_BBcm_Bi

    @property
    def texts(self) -> tuple[str, ...]:
        """The six entries as written; "" where one is not."""
        inertial = self.body.inertial
        if inertial is None:
            return ("",) * len(ENTRIES)
        numbers = (inertial.I_BBcm_Bi.get(entry) for entry in ENTRIES)
        return tuple("" if number is None else number.text for number in numbers)

    @property
    def geometry(self) -> tuple[BodyGeometry, ...]:
        """What its shapes say: "visual" before "collision"; empty where nothing is known."""
        return self.examination.geometry.bodies[self.index]


class Proposal(NamedTuple):
    """What a body was to be, if a cause is right.

    Attributes:
        weight: How much more probable the cause is than it would be by itself, seeing its
            signature; positive, 1 for no more.
        evidence: One sentence with the numbers that speak for it.
        mass: Meant [kg]; None for the written one.
        p_BoBcm_B: (3,) meant [m]; None for the written one.
        I_BBcm_Bi: (3, 3) meant, in the inertial's own axes as written [kg m^2]; None for the
            written one.
        editable: Whether writing what was meant into the document undoes the cause.
    """

    weight: float
    evidence: str
    mass: float | None = None
    p_BoBcm_B: Floats | None = None
    I_BBcm_Bi: Floats | None = None
    editable: bool = True


class Cause(ABC):
    """One way in which numbers go wrong; subclasses carry name, prior and their page."""

    name: ClassVar[str]
    prior: ClassVar[float]
    """How often it is the cause of a finding, among all, before the numbers are looked at."""

    @abstractmethod
    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """What the body was to be, where the signature of this cause is seen; nothing elsewhere."""


def edit(subject: Subject, proposal: Proposal) -> Mapping[str, Any] | None:
    """The entries that a proposal changes, in the document's own units.

    Returns:
        {"body": name, "entries": {...}}, entries among mass, x, y, z and ixx ... izz; None where
        nothing is to be written.
    """
    inertial = subject.body.inertial
    if inertial is None or not proposal.editable:
        return None
    kilograms, meters = inertial.kilograms_per_unit, inertial.meters_per_unit
    meant: dict[str, tuple[float, float]] = {}
    if proposal.mass is not None:
        meant["mass"] = subject.mass / kilograms, proposal.mass / kilograms
    if proposal.p_BoBcm_B is not None:
        pairs = zip("xyz", subject.p_BoBcm_B, proposal.p_BoBcm_B, strict=True)
        meant |= {name: (old / meters, new / meters) for name, old, new in pairs}
    if proposal.I_BBcm_Bi is not None:
        unit = kilograms * meters**2
        rows, columns = np.triu_indices(3)
        old, new = subject.I_BBcm_Bi[rows, columns], proposal.I_BBcm_Bi[rows, columns]
        pairs = zip(ENTRIES, old / unit, new / unit, strict=True)
        meant |= {name: (before, after) for name, before, after in pairs}
    entries = {name: float(after) for name, (before, after) in meant.items() if after != before}
    return {"body": subject.body.name, "entries": entries} if entries else None
