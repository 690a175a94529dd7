"""The base class of causes: each has its page as docstring and proposes what was meant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from math import hypot
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.causes._results import Proposal, Results, Trials, recall_results, recall_trials
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
        readings: What else its tensor may have meant, each with its share among the readings of
            its cause; empty until the first cause asks.
        reread: The same, and how many times as probable each is.
    """

    examination: Examination
    index: int
    readings: list[tuple[Reading, float]] = field(default_factory=list, repr=False)
    reread: list[tuple[Reading, float, float]] = field(default_factory=list, repr=False)

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
    def S_BBcm_Bi(self) -> Floats:
        """(3, 3) second moment of mass about the centre of mass, own axes [kg m^2]."""
        S_BBcm_Bi: Floats = np.trace(self.I_BBcm_Bi) / 2 * np.eye(3) - self.I_BBcm_Bi
        return S_BBcm_Bi

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
    def results(self) -> Results:
        """The results of its causes, shared with the bodies that have the same content."""
        return recall_results(self.content)

    @property
    def content(self) -> tuple[Hashable, ...]:
        """All numbers that candidates, meant bodies and their weights depend on; no text."""
        own, inertial = self.judgement, self.body.inertial
        axes = () if inertial is None else tuple(chain.from_iterable(inertial.R_BBi))
        tensors = *own.I_BBcm_Bi, *own.I_BBcm_B, *own.principal_moments, *axes
        numbers = array("d", (own.mass, *own.p_BoBcm_B, *tensors))
        written = self.kind, numbers.tobytes()  # bytes tell -0.0 from 0.0
        if self.kind not in STATED:
            return written  # nothing else is meant, so that no witness is asked
        assembly = self.examination.assembly
        reach = float(assembly.reach[self.index])
        if not any(own.p_BoBcm_B):
            reach = float(reach > 0)  # no distance is compared with it
        shapes = self.examination.likeness.describe(self.index)
        twins = assembly.describe_twins(self.index)
        return *written, self.printed_misfit, reach, shapes, twins

    @cached_property
    def twin_name(self) -> str | None:
        """Name of the body on the other side, where it states numbers that some body has.

        None where this body states none, as nothing is compared with its twin then.
        """
        if self.kind not in STATED:
            return None
        row = self.examination.assembly.twin_row(self.index)
        if row is None:
            return None
        one, other = self.examination.assembly.twin_pairs.bodies[row].tolist()
        name: str = self.examination.model.bodies[one + other - self.index].name
        return name

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The six entries as written; "" where one is not."""
        inertial = self.body.inertial
        if inertial is None:
            return ("",) * len(ENTRIES)
        numbers = (inertial.I_BBcm_Bi.get(entry) for entry in ENTRIES)
        return tuple("" if number is None else number.text for number in numbers)

    @cached_property
    def printed(self) -> tuple[Hashable, ...]:
        """The verdict on the printed numbers, and all that their texts tell besides the values."""
        inertial, own = self.body.inertial, self.judgement
        mass = "" if inertial is None or inertial.mass is None else inertial.mass.text
        return own.verdict, own.margin, self.body.unit, mass, self.texts

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
    repeating: ClassVar[frozenset[Kind]] = frozenset()
    """Kinds of bodies for which the proposals depend on the content of the body, on the name of its
    twin and on what `reads` gives, alone, so that all that agree in these share them."""

    def candidates(self, subject: Subject) -> Floats:
        """(n, 6) tensors that `proposals` will want to see judged; none unless a cause says so.

        They depend on the content of the body alone, see `Subject.content`. Those of all causes
        and bodies of a model are judged in one batch.
        """
        return NOTHING

    def meant(self, subject: Subject) -> Meant | None:
        """Bodies that `proposals` will want to see weighed; None unless a cause says so.

        They depend on the content of the body alone, see `Subject.content`. Those of all causes
        and bodies of a model are weighed in one batch, see `weigh_together`.
        """
        return None

    @classmethod
    def has_candidates(cls) -> bool:
        """Whether the cause has candidates of any body."""
        return cls.candidates is not Cause.candidates

    @classmethod
    def has_meant(cls) -> bool:
        """Whether the cause says of any body what was meant."""
        return cls.meant is not Cause.meant

    @abstractmethod
    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """What the body was to be, where the signature of this cause is seen; nothing elsewhere."""

    def reads(self, subject: Subject) -> Hashable:
        """Return what the proposals depend on besides the content of a body; None if on nothing.

        Bodies for which it is equal, and whose content is, have the same proposals.
        """
        return None

    def propose(self, subject: Subject) -> Sequence[Proposal]:
        """The proposals, where a body with the same content may have them already."""
        if subject.kind not in self.repeating:
            return [*self.proposals(subject)]
        known, key = subject.results.proposed, (self.name, subject.twin_name, self.reads(subject))
        if key not in known:
            known[key] = [*self.proposals(subject)]
        return known[key]

    def trials(self, subject: Subject) -> Trials:
        """The candidates, judged."""
        if self.name not in subject.results.tried:
            try_together([self], [subject])
        return subject.results.tried[self.name]


def try_together(causes: Sequence[Cause], subjects: Sequence[Subject]) -> None:
    """Judge the candidates of all causes for all bodies at once, and leave them in `tried`."""
    asked = [
        (subject, cause.name, cause.candidates(subject))
        for subject, cause in list_open(causes, subjects, lambda subject: subject.results.tried)
    ]
    known = [recall_trials(six.tobytes()) for _, _, six in asked]
    new = {id(place): (six, place) for (_, _, six), place in zip(asked, known, strict=True)}
    _judge([(six, place) for six, place in new.values() if not place])
    for (subject, name, _), place in zip(asked, known, strict=True):
        subject.results.tried[name] = place[0]


def _judge(batches: Sequence[tuple[Floats, list[Trials]]]) -> None:
    """Judge batches of candidates (n, 6) at once, and leave the trials of each beside it."""
    margin, consistent = margins(np.concatenate([NOTHING, *(six for six, _ in batches)]))
    start = 0
    for six, place in batches:
        rows = slice(start, start := start + len(six))
        place.append(Trials(six, margin[rows], consistent[rows]))


def list_open(
    causes: Sequence[Cause],
    subjects: Sequence[Subject],
    results: Callable[[Subject], Mapping[str, object]],
) -> Iterator[tuple[Subject, Cause]]:
    """List the bodies and causes without a result, of bodies that share their results the first.

    Args:
        causes: The causes; each is asked about its kinds alone.
        subjects: The bodies.
        results: Gives the results of a body, by the cause's name.
    """
    listed: set[int] = set()
    for subject in subjects:
        known = results(subject)
        if id(known) in listed:
            continue
        listed.add(id(known))
        for cause in causes:
            if subject.kind in cause.kinds and cause.name not in known:
                yield subject, cause


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
