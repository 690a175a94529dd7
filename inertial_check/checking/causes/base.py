"""The base class of causes: each has its page as docstring and proposes what was meant.

What causes say of a body: candidates that were judged, and the body that was meant.

Numbers and phrases that the evidence of several causes shares.

The likelihoods behind all causes: widths, tails, and how a confidence is calibrated.

A likelihood says how often honest bodies look like this: honest are the numbers that a cause leads
to, if it is right, and the numbers as written, if it is not. Each is a mixture over how closely a
witness (the body's shapes, its twin) stands for the mass: its numbers were computed from the
witness, they are close to it, they are loosely so, or the witness says nothing. A narrow component
is a tall one, so that an agreement to three digits counts for far more than one to 10 %, and the
widest bounds what a disagreement can cost: no witness rules a body out alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import hypot
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from inertial_check.checking.evidence.examination import BodyGeometry, Examination
from inertial_check.checking.evidence.likeness import HONEST_MISFITS, STAND_IN
from inertial_check.checking.evidence.readings import (
    Reading,
    list_readings,
    read_body,
)
from inertial_check.documents.model import ENTRIES
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.intervals import half_units
from inertial_check.inertia.representations import second_moment


class Trials(NamedTuple):
    """Tensors that a cause would put in place of the written one, judged.

    Attributes:
        six: (n, 6) about the centre of mass, in the inertial's own axes, as ENTRIES [kg m^2].
        margin: (n,) mu of each; -1 where a tensor is zero or not finite.
        consistent: (n,) whether a body can have it.
    """

    six: Floats
    margin: Floats
    consistent: Mask


class Proposal(NamedTuple):
    """The body that was meant, if a cause is right.

    Attributes:
        weight: How much more probable the cause is than it would be by itself, seeing its
            signature; positive, 1 for no more.
        words: One sentence with the numbers that speak for it, or what makes it: few are told.
        mass: Meant [kg]; None for the written one.
        p_BoBcm_B: (3,) meant [m]; None for the written one.
        I_BBcm_Bi: (3, 3) meant, in the inertial's own axes as written [kg m^2]; None for the
            written one.
        editable: Whether writing what was meant into the document undoes the cause.
        gain: How many times as probable as the written body the meant one is, by its witnesses
            alone; None where the weight rests on more than that. Causes with one gain that mean
            one body cannot be told apart.
        veto: What speaks against the body that was meant, in one clause; "" if nothing does.
        guilt: Probability that this body is the wrong one, if the cause is right and the numbers
            could be those of another.
    """

    weight: float
    words: str | Callable[[], str]
    mass: float | None = None
    p_BoBcm_B: Floats | None = None
    I_BBcm_Bi: Floats | None = None
    editable: bool = True
    gain: float | None = None
    veto: str = ""
    guilt: float = 1.0

    @property
    def evidence(self) -> str:
        """One sentence with the numbers that speak for the cause."""
        return self.words if isinstance(self.words, str) else self.words()


def number(value: float) -> str:
    """A number with the digits in which it was written, ten at most."""
    return f"{value:.10g}"


def tensor(six: Floats) -> str:
    """The six entries by name, those that are zero left out."""
    named = zip(ENTRIES, six.tolist(), strict=True)
    return ", ".join(f"{entry} = {value:.6g}" for entry, value in named if value) or "0"


def a_body(margin: float) -> str:
    """Words for a tensor that a body can have, with its margin."""
    return f"one that a body can have (margin {max(margin, 0.0):.2g})"


def times_as_probable(gain: float) -> str:
    """A likelihood ratio in words; ratios that no witness can vouch for are not printed in full."""
    return f"{gain:.3g} times as probable" if gain < 1e4 else "over 10,000 times as probable"


def enumerate_words(words: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


MOST = 1e12
"""Largest likelihood ratio that is believed; larger ones are cut to it. Shapes that agree with form
and size to three digits stay below it."""

_WRONG_SIZE = 0.6
"""Width of the logarithm of the size of a body whose size is wrong by any factor; chosen for
factors of 2 to 5, as of other revisions and assemblies; a factor of 30 is that of a unit."""

DENSITY, DENSITY_DECADES = 2.5, 0.6
"""Centre and half-width of log10 of the density [kg/m^3] of a ball with the mass and radius of
gyration of the body; half of real bodies are within 0.6."""

IN_BOX, IN_BOX_DECADES = 2.4, 0.6
"""Centre and half-width of log10 of the mass of a body over the volume of the box about its shapes
[kg/m^3]. Chosen: links fill about half of it, hollow, with metal and plastic."""

OUTSIDE = 0.1
"""Width of the hull likelihood: distance of the centre of mass outside the hull, as a fraction of
its extent; chosen as the limit of IC201."""

FAR = 0.3
"""Width of the distance likelihood: decades by which the centre of mass is farther from the origin
than twice the body and the skeleton together."""

CEILING = 0.97
"""Largest confidence of a cause. Chosen: of planted defects with a first cause above 90 % some
percent had another cause, though the numbers seemed sure."""

_SUSPECTED, _PROVEN = 0.5, 0.75
"""Exponents of the calibration of the first cause of numbers that some body has, and of numbers
that no body has; fitted to the shares of first causes in defects planted in the tuned half of the
upstreams: 0.5 becomes 69 %, or with a proof 58 %. Noise breaks numbers without any cause, so that
proofs gain less."""

_TAIL = 1.5
"""Exponent of the tails: Student's density with two degrees of freedom."""

HEAVIER = _TAIL / 2
"""Exponent of tails heavier than Cauchy's: one body in ten is five deviations off or more."""


class Components(NamedTuple):
    """A mixture over how closely a witness stands for the mass of a body.

    Attributes:
        form: (..., k) widths of the misfit of honest bodies.
        size: (..., k) widths of the logarithm of their relative size.
        weight: (..., k) share of the bodies.
    """

    form: Floats
    size: Floats
    weight: Floats


_SHAPE_FORM = np.array([0.002, 0.03, 0.18, 0.6])
_SHAPE_SIZE = np.array([tolerances.COPIED_WIDTH, 0.2, 0.3, 0.8])
_CLOSE = np.array([0.30, 0.45, 0.20, 0.05])
_LOOSE = np.array([0.02, 0.18, 0.60, 0.20])
"""Components of bodies beside their shapes: computed from them, close, loose, unlike; their shares
where the centres agree, and where they do not. The widths of form are those of printed digits, the
two of HONEST_MISFITS, and UNLIKE; sizes and shares were chosen."""

_TWIN_OFF = np.array([0.002, 0.05, 0.5])
_TWIN_MASS = np.array([tolerances.COPIED_WIDTH, 0.03, 0.4])
_TWIN_WEIGHT = np.array([0.7, 0.2, 0.1])
"""Components of twins: copied, measured apart, different; distance of the bodies relative to their
size, logarithm of the ratio of their masses, and shares. Chosen: nine of ten pairs agree to the
last digit, fewer among those that have a finding."""


def calibrate(share: float, proven: bool) -> float:
    """Turn the share of the first cause among all into the frequency with which it is right.

    Monotone, so that no order changes. Shares are too low, because what no cause explains is met
    less often among findings than its prior says.

    Args:
        share: Of the first cause.
        proven: Whether no body has the numbers.
    """
    return CEILING * float(share ** (_PROVEN if proven else _SUSPECTED))


PROBABLE, SURE = 0.6, 0.9
"""Least confidences of a cause that is told as probable, and as sure."""

_REACHED = 0.92
"""Share of right stories, by Laplace's rule, from which a cause may be told as sure; chosen so that
of all stories told as sure 97 % are right."""

ReliabilityCounts = Mapping[str, tuple[tuple[int, int], tuple[int, int]]]

# fmt: off
COUNTS: ReliabilityCounts | None = MappingProxyType({
    "about-link-origin": ((26, 26), (19, 19)),
    "com-outside": ((1, 4), (57, 59)),
    "component-order": ((3, 3), (59, 59)),
    "copied-block": ((4, 4), (19, 19)),
    "decimal-slip": ((52, 55), (43, 44)),
    "density": ((3, 4), (1, 2)),
    "double-parallel-axis": ((4, 4), (32, 32)),
    "edited-copy": ((3, 3), (24, 24)),
    "few-digits": ((1, 2), (1, 1)),
    "fixed-decimals": ((15, 15), (32, 32)),
    "mirror": ((16, 27), (6, 6)),
    "negative-diagonal": ((4, 4), (31, 31)),
    "other-text": ((5, 5), (7, 8)),
    "placeholder": ((0, 0), (61, 61)),
    "same-number-everywhere": ((3, 3), (30, 30)),
    "sign-of-products": ((8, 8), (17, 19)),
    "size-mismatch": ((0, 3), (1, 3)),
    "units": ((50, 59), (74, 76)),
    "unpopulated": ((10, 13), (32, 37)),
    "wrong-entry": ((2, 2), (0, 1)),
    "wrong-formula": ((17, 20), (16, 16)),
    "wrong-frame": ((37, 41), (18, 20)),
})
# fmt: on
"""Counts of the first stories of each cause, right and told, between PROBABLE and SURE, and from
SURE on, by the shares alone; None to leave confidences as the shares give them. The
stories are those of defects planted into sound bodies, of public reports, and of real models that
were judged by hand; `benchmarks/reliability.py` writes the table."""


def limit_confidence(
    cause: str, confidence: float, counts: ReliabilityCounts | None = None
) -> float:
    """Limit the confidence of a first cause to how often its stories were right.

    Args:
        cause: Name of the cause.
        confidence: By its share among all causes.
        counts: The table; None for that of the package.

    Returns:
        The confidence, or the share of right stories by Laplace's rule of succession, (right + 1) /
        (told + 2), if that is less: what was never seen right is told as a coin's toss.
    """
    counts = COUNTS if counts is None else counts
    if counts is None or confidence < PROBABLE:
        return confidence
    both = counts.get(cause, ((0, 0), (0, 0)))
    probable, sure = ((right + 1) / (told + 2) for right, told in both)
    if confidence < SURE:
        return min(confidence, probable)
    # Stories that are surer are right at least as often as those that are less sure.
    return min(confidence, sure if sure >= _REACHED else min(max(probable, sure), SURE - 0.01))


def heavy_tail(deviation: Floats, exponent: float = _TAIL) -> Floats:
    """Student's density with two degrees of freedom, or a heavier tail; 1 at 0."""
    result: Floats = (1 + deviation**2 / 2) ** -exponent
    return result


def likelihood_of_density(mass: Floats, size: Floats) -> Floats:
    """(n,) likelihood of the density of a ball with this mass and radius of gyration.

    Args:
        mass: (n,) [kg].
        size: (n,) trace of the second moment of mass [kg m^2].
    """
    radius = np.sqrt(5 / 3 * size / mass)
    density = mass / (4 / 3 * np.pi * radius**3)
    return heavy_tail((np.log10(density) - DENSITY) / DENSITY_DECADES, HEAVIER)


def components_of_shapes(honest_misfit: float, digits: float) -> Components:
    """Say how closely shapes stand for the mass of a body.

    Args:
        honest_misfit: Median misfit of honest bodies whose shapes are as far from their mass.
        digits: Misfit that the printed digits alone allow.
    """
    near, far = HONEST_MISFITS
    share = float(np.clip((far - honest_misfit) / (far - near), 0.0, 1.0))
    return Components(
        np.hypot(_SHAPE_FORM, digits),
        np.hypot(_SHAPE_SIZE, digits / 2),
        share * _CLOSE + (1 - share) * _LOOSE,
    )


def likelihood_of_form(misfit: Floats, of: Components) -> Floats:
    """(n,) likelihood of a misfit, whatever the size."""
    result: Floats = _mix(heavy_tail(misfit[:, None] / of.form) / of.form, of.weight)
    return result


def likelihood_of_likeness(misfit: Floats, log_size: Floats, of: Components) -> Floats:
    """(n,) likelihood of a misfit together with the logarithm of the relative size."""
    form = heavy_tail(misfit[:, None] / of.form) / of.form
    size = heavy_tail(log_size[:, None] / of.size) / of.size
    result: Floats = _mix(form * size, of.weight)
    return result


def likelihood_of_wrong_size(misfit: Floats, log_size: Floats, of: Components) -> Floats:
    """(n,) likelihood of a misfit, where the size was wrong by any factor.

    Args:
        misfit: (n,) of form.
        log_size: (n,) logarithm of the size as written, relative to that of the shapes.
        of: The components of the shapes.
    """
    density = heavy_tail(log_size / _WRONG_SIZE) / _WRONG_SIZE
    result: Floats = likelihood_of_form(misfit, of) * density
    return result


def likelihood_of_twin(off: Floats, log_mass: Floats, digits: Floats) -> Floats:
    """(n,) likelihood of the differences between a body and its twin.

    Args:
        off: (n,) least distance of centre and spread from the twin's, relative to the size.
        log_mass: (n,) logarithm of the ratio of the masses.
        digits: (n,) distance that the printed digits alone allow.
    """
    widths, masses = (np.hypot(each, digits[:, None]) for each in (_TWIN_OFF, _TWIN_MASS))
    place = heavy_tail(off[:, None] / widths) / widths
    weight = heavy_tail(log_mass[:, None] / masses) / masses
    result: Floats = _mix(place * weight, _TWIN_WEIGHT)
    return result


def _mix(components: Floats, weight: Floats) -> Floats:
    """(n,) sums over the components, the same for a body whatever others are beside it."""
    result: Floats = np.sum(components * weight, axis=-1)
    return result


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
    "Signature",
    "Example",
    "Remedy",
    "Searched for",
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


class Subject:
    """One body of an examination, with its numbers as arrays. SI units throughout.

    Attributes:
        examination: The whole model.
        index: Which of its bodies.
        body: The body as the document states it.
        judgement: Judgement of the body by the consistency conditions.
        broken: Whether no body has these numbers, not even within their printed digits.
        numbers: The numbers as written, as arrays of one body.
        mass: [kg].
        R_BBi: (3, 3) rotation from the inertial's own axes to the body frame.
        p_BoBcm_B: (3,) centre of mass in the body frame [m].
        p_BoBcm_Bi: (3,) centre of mass from the body's origin, in the inertial's own axes [m].
        six: (6,) the entries as written, as ENTRIES [kg m^2].
        I_BBcm_Bi: (3, 3) rotational inertia as written: about the centre of mass, own axes
            [kg m^2].
        tried: The candidates of the causes, judged, by the cause's name.
        weighed: How many times as probable as the body the `meant` ones of a cause are, by the
            cause's name.
    """

    def __init__(self, examination: Examination, index: int) -> None:
        self.examination, self.index = examination, index
        self.body = examination.model.bodies[index]
        self.judgement = examination.judgements[index]
        self.broken = self.judgement.verdict == "inconsistent"
        self.numbers = read_body(examination, index)
        self.mass = self.judgement.mass
        self.R_BBi: Floats = self.numbers.R_BBi[0]
        self.p_BoBcm_B: Floats = self.numbers.p_BoBcm_B[0]
        self.p_BoBcm_Bi: Floats = self.R_BBi.T @ self.p_BoBcm_B
        self.six: Floats = self.numbers.I_BBcm_Bi[0]
        self.I_BBcm_Bi = resemblance.matrices(self.six)
        self.tried: dict[str, Trials] = {}
        self.weighed: dict[str, Floats] = {}

    @cached_property
    def readings(self) -> list[Reading]:
        """What else the numbers are known to have meant."""
        return list_readings(self.numbers)

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
        """Geometry of the body: "visual" before "collision"; empty where nothing is known."""
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
    by_digits: ClassVar[bool] = False
    """Flag: the digits as written show the cause, whatever the body was that it leads to."""
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
        """Propose what the body was to be where this cause shows its signature; else nothing."""

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
