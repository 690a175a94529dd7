"""The base class of causes: each has its page as docstring and proposes what was meant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import hypot
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.causes._results import Proposal, Trials
from inertial_check.causes.likelihoods import Components, components_of_shapes
from inertial_check.evidence import BodyGeometry, Examination
from inertial_check.evidence.likeness import STAND_IN, Reading
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.printed import half_units
from inertial_check.inertia.representations import second_moment
from inertial_check.model import ENTRIES, Body, Judgement

NOTHING: Floats = np.zeros((0, 6))
"""An empty batch of candidates."""

Kind = Literal["impossible", "placeholder", "stated", "other"]
"""Kinds of bodies: no body has the numbers; some body has them, and they are a power of ten times
the identity; some body has them otherwise; and all others, whose numbers are missing, not more than
rounding or not finite."""

KINDS: frozenset[Kind] = frozenset(get_args(Kind))
"""All kinds of bodies."""

STATED: frozenset[Kind] = frozenset({"stated", "placeholder"})
"""Kinds of bodies whose numbers some body has."""

HEADINGS = (
    "What happened",
    "How it is recognised",
    "Example",
    "What undoes it",
    "What people search for",
    "References",
)
"""The sections of every cause's docstring, in this order."""


class Meant(NamedTuple):
    """Bodies that were perhaps meant, one a row.

    Attributes:
        mass: (n,) [kg].
        p_BoBcm_B: (n, 3) [m].
        C_BBcm_B: (n, 3, 3) spreads, in the body's axes [m^2].
    """

    mass: Floats
    p_BoBcm_B: Floats
    C_BBcm_B: Floats


class Beside(NamedTuple):
    """A geometry that a body is compared with, as arrays.

    Attributes:
        form: (3, 3) spread of the shapes over its trace.
        size: Root mean square distance from their centre [m].
        components: How closely shapes like these stand for the mass of a body.
        directions: (D, 3) unit vectors.
        support: (D,) reach of the shapes and of the body's joints along them [m].
        extent: Diagonal of the box about the shapes [m].
        box: Volume of that box [m^3].
    """

    form: Floats
    size: float
    components: Components
    directions: Floats
    support: Floats
    extent: float
    box: float


@dataclass(frozen=True, eq=False)
class Subject:
    """One body of an examination, with its numbers as arrays. SI units throughout.

    Attributes:
        examination: The whole model.
        index: Which of its bodies.
        readings: What else its tensor may have meant, by the name of the cause; empty until the
            first cause asks.
        tried: The candidates of the causes, judged, by the cause's name.
        weighed: How many times as probable as the body the `meant` ones of a cause are, by the
            cause's name.
    """

    examination: Examination
    index: int
    readings: dict[str, list[Reading]] = field(default_factory=dict, repr=False)
    tried: dict[str, Trials] = field(default_factory=dict, repr=False)
    weighed: dict[str, Floats] = field(default_factory=dict, repr=False)

    @property
    def body(self) -> Body:
        """As written."""
        return self.examination.model.bodies[self.index]

    @cached_property
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
        return resemblance.matrices(self.six)

    @cached_property
    def six(self) -> Floats:
        """(6,) the entries as written, as ENTRIES [kg m^2]."""
        return np.array(self.judgement.I_BBcm_Bi)

    @cached_property
    def kind(self) -> Kind:
        """The kind of the body, on which depends which causes can explain it."""
        assembly = self.examination.assembly
        if self.broken:
            return "impossible"
        if not assembly.stated[self.index]:
            return "other"
        return "placeholder" if assembly.placeholders[self.index] else "stated"

    @cached_property
    def broken(self) -> bool:
        """Whether no body has these numbers, not even within their printed digits."""
        return self.judgement.verdict == "inconsistent"

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The six entries as written; "" where one is not."""
        inertial = self.body.inertial
        if inertial is None:
            return ("",) * len(ENTRIES)
        numbers = (inertial.I_BBcm_Bi.get(entry) for entry in ENTRIES)
        return tuple("" if number is None else number.text for number in numbers)

    @cached_property
    def printed_misfit(self) -> float:
        """Misfit that half a unit of the last printed digit of every entry can make."""
        xx, _, _, yy, _, zz = self.judgement.I_BBcm_Bi
        trace = xx + yy + zz
        if not all(self.texts) or not trace > 0:
            return 0.0
        return 2 * self.body.unit * hypot(*half_units(self.texts)) / trace

    @cached_property
    def beside(self) -> tuple[Beside, ...]:
        """The trustworthy geometries of the body."""
        likeness = self.examination.likeness
        joints = self.examination.assembly.joints[self.index]
        found = []
        for place in likeness.places_of(self.index):
            row = likeness.rows[place]
            directions, support = _as_array(row.directions), np.array(row.support)
            if len(joints):
                support = np.maximum(support, np.max(joints @ directions.T, axis=0))
            honest = float(likeness.honest_misfit[place])
            honest *= STAND_IN if likeness.unseen[place] else 1
            found.append(
                Beside(
                    likeness.form[place],
                    float(likeness.size[place]),
                    components_of_shapes(honest, self.printed_misfit),
                    directions,
                    support,
                    float(likeness.extent[place]),
                    float(likeness.box[place]),
                )
            )
        return tuple(found)

    @property
    def geometry(self) -> tuple[BodyGeometry, ...]:
        """What its shapes say: "visual" before "collision"; empty where nothing is known."""
        return self.examination.geometry.bodies[self.index]


@lru_cache(maxsize=8)
def _as_array(directions: tuple[tuple[float, float, float], ...]) -> Floats:
    """(D, 3) directions, which are mostly the same for all bodies."""
    return np.array(directions)


class Cause(ABC):
    """One way in which numbers go wrong; subclasses carry name, prior and their page."""

    name: ClassVar[str]
    prior: ClassVar[float]
    """Probability that this is the cause of a finding, before the numbers are looked at."""
    kinds: ClassVar[frozenset[Kind]] = KINDS
    """Kinds of bodies that the cause can explain; it is not asked about others."""
    mends: ClassVar[bool] = False
    """Flag: the weight of a proposal is multiplied by how natural the mended body is; False where
    the weight contains that already."""
    any_size: ClassVar[bool] = False
    """Flag: the size of what was `meant` was chosen to agree with the shapes, so that the agreement
    is no evidence."""

    def candidates(self, subject: Subject) -> Floats:
        """(n, 6) tensors that `proposals` will want to see judged; none unless a cause says so.

        Those of all causes and bodies of a model are judged in one batch.
        """
        return NOTHING

    def meant(self, subject: Subject) -> Meant | None:
        """Bodies that `proposals` will want to see weighed; None unless a cause says so.

        Those of all causes and bodies of a model are weighed in one batch, see `weigh_together`.
        """
        return None

    @abstractmethod
    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """What the body was to be, where the signature of this cause is seen; nothing elsewhere."""

    def trials(self, subject: Subject) -> Trials:
        """The candidates, judged."""
        if self.name not in subject.tried:
            six = self.candidates(subject)
            subject.tried[self.name] = Trials(six, *margins(six))
        return subject.tried[self.name]


def try_together(causes: Sequence[Cause], subjects: Sequence[Subject]) -> None:
    """Judge the candidates of all causes for all bodies at once, and leave them in `tried`."""
    asked = [
        (subject, cause.name, cause.candidates(subject))
        for subject in subjects
        for cause in causes
        if subject.kind in cause.kinds
    ]
    margin, consistent = margins(np.concatenate([NOTHING, *(six for _, _, six in asked)]))
    start = 0
    for subject, name, six in asked:
        rows = slice(start, start := start + len(six))
        subject.tried[name] = Trials(six, margin[rows], consistent[rows])


def margins(six: Floats) -> tuple[Floats, Mask]:
    """Margin mu of tensors, and whether a body can have them.

    Args:
        six: (n, 6) about the centre of mass [kg m^2].

    Returns:
        (n,) margins, -1 where the tensor is zero or not finite, and (n,) verdicts.
    """
    if not len(six):
        return np.zeros(0), np.zeros(0, dtype=bool)
    with np.errstate(all="ignore"):
        spreads = eigenvalues(second_moment(six))
        size = np.sum(np.abs(spreads), axis=-1)
        margin = spreads[..., 0] / size
    margin = np.where(np.isfinite(margin), margin, -1.0)
    return margin, margin >= -tolerances.floor(np.ones_like(margin))


def edit(subject: Subject, proposal: Proposal) -> Mapping[str, object] | None:
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
        unit = kilograms * (meters * meters)
        old, new = subject.six / unit, resemblance.entries(proposal.I_BBcm_Bi) / unit
        pairs = zip(ENTRIES, old.tolist(), new.tolist(), strict=True)
        meant |= {name: (before, after) for name, before, after in pairs}
    changed = {name: float(after) for name, (before, after) in meant.items() if after != before}
    return {"body": subject.body.name, "entries": changed} if changed else None
