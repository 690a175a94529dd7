"""The same ten numbers on bodies that look different.

Left and right bodies that differ.

Tensors that some body has, printed with too few decimals to tell which.

Doubts about consistent bodies: all comparisons of a model, made once.

A body gets the first doubt of SCREENS that it gives rise to, and a later one where it rests on
other evidence than those before it: the amount of mass, its centre, and the form of the tensor can
be wrong independently. The causes of a finding say what else speaks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import dist
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from inertial_check.checking import limits as _limits
from inertial_check.checking.evidence.assembly import Assembly, Indices
from inertial_check.checking.evidence.digits import has_lost_decimals
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.fingerprints import list_contradictions
from inertial_check.checking.evidence.likeness import find_guilt
from inertial_check.checking.evidence.twins import mirror_names
from inertial_check.checking.limits import LIMITS, Limits
from inertial_check.checking.report import Finding, Severity
from inertial_check.checking.rules.base import (
    EVERY,
    Doubt,
    Doubts,
    Evidence,
    Flags,
    FoundDoubts,
    Rule,
    Where,
    contradict_shapes,
    find_frames,
    having,
    hull,
    is_explained,
    length,
)
from inertial_check.checking.rules.fingerprints import contradictions
from inertial_check.checking.rules.shapes import (
    box_densities,
    centers,
    densities,
    forms,
    matter,
    placeholders,
    repetitions,
    sizes,
    solids,
    spreads,
)
from inertial_check.documents.children import PASSING
from inertial_check.documents.model import ENTRIES, measure_open_share
from inertial_check.inertia import resemblance, tolerances


def copies(examination: Examination, limits: Limits, found: FoundDoubts) -> Doubts:
    """The same ten numbers on bodies that look different."""
    assembly, bodies = examination.assembly, examination.model.bodies
    groups = [
        group
        for group in assembly.same_numbers
        if not all(is_explained(found, index) for index in group)
    ]
    if not groups:
        return
    likeness, looks = examination.likeness, _look_at_all(examination)
    same_size = np.abs(np.log(likeness.size_ratio)) <= np.log(_limits.FITTING_SIZE)
    sized = likeness.all_of(same_size)
    for group in groups:
        members = np.array(group)
        unlike = _find_unlike(examination, members, looks)
        # The numbers are those of the one that fits, or whose size they have where none does; of
        # two that fit, of the far nearer one.
        fits = likeness.fitting[members]
        fits = fits if np.any(fits) else sized[members]
        away = np.array([contradict_shapes(examination, index) for index in group])
        far = _limits.GAIN * np.maximum(away, _limits.SHAPE_FIT)[:, None] <= away
        unlike &= ~(fits[:, None] & (~fits | far))
        for place in np.flatnonzero(np.any(unlike, axis=1)).tolist():
            index = group[place]
            others = [
                other
                for other in members[unlike[place]].tolist()
                if (min(index, other), max(index, other)) not in assembly.twins
            ]
            if others:
                names = [bodies[other].name for other in others]
                message = (
                    f"{having(names)} the same ten numbers, mass, centre and inertia, but "
                    f"{_describe_difference(examination, index, others[0], looks)}"
                )
                yield index, Doubt("IC602", "inertial", message, {"same_numbers": names})


def _find_unlike(examination: Examination, members: Indices, looks: _Looks) -> Flags:
    """(G, G) which bodies of a group are different parts, by the best evidence there is."""
    assembly = examination.assembly
    by_shapes, known = _compare_looks([looks.get(index, {}) for index in members.tolist()])
    skeleton = assembly.skeleton[members]
    with np.errstate(all="ignore"):
        ratio = np.abs(np.log(skeleton[:, None] / skeleton))
    joined = (skeleton[:, None] > 0) & (skeleton > 0)
    # Numbers of one digit are made up, and may be so of several bodies.
    measured = bool(examination.votes.measured[members[0]])
    far = joined & (ratio > np.log(_limits.OTHER_JOINTS)) & measured
    moved = (skeleton[:, None] > 0) ^ (skeleton > 0)
    moved |= joined & (ratio > np.log(_limits.OTHER_HOLES))
    others = ~known & moved
    if np.any(others):
        drawn = [
            frozenset(
                shape.uri or f"{shape.kind} {shape.dimensions}"
                for shape in examination.model.bodies[index].shapes
            )
            for index in members.tolist()
        ]
        others &= np.array(
            [[bool(a and b) and not a & b for b in drawn] for a in drawn], dtype=bool
        )
    if np.any(others):
        # Whether the numbers of a body come from the drawing of one part.
        index = int(members[0])
        judgement = examination.judgements[index]
        six, center = judgement.I_BBcm_Bi, judgement.p_BoBcm_B
        different = len({six[entry] for entry in (0, 3, 5)}) == len(center)
        if not (any(six[entry] for entry in (1, 2, 4)) or (different and any(center))):
            # (G, G) which bodies have no kind of shape in common: a box and a mesh are two parts.
            bodies = examination.model.bodies
            kinds = [{shape.kind for shape in bodies[index].shapes} for index in members.tolist()]
            others &= np.array([[not one & other for other in kinds] for one in kinds], dtype=bool)
        # The one whose centre lies between its joints owns the numbers.
        owns = np.array([_is_between_joints(examination, i) for i in members.tolist()])
        others &= ~(owns[:, None] & ~owns)
    unlike: Flags = by_shapes | (~known & far) | others
    return unlike


def _is_between_joints(examination: Examination, index: int) -> bool:
    """Whether the centre of mass of a body lies between its own joint and the farthest other."""
    assembly = examination.assembly
    joints, center = assembly.joints[index], assembly.p_BoBcm_B[index]
    if not len(joints):
        return False
    farthest = joints[np.argmax(np.linalg.norm(joints, axis=1))]
    along, length = float(center @ farthest), float(farthest @ farthest)
    beside = float(np.linalg.norm(center * length - along * farthest))
    return 0 < along < length and beside < along * np.sqrt(length)


class _Look(NamedTuple):
    """Measures of the shapes of one role, which do not depend on the pose or side of the part.

    Attributes:
        size: Root mean square distance from their centre [m].
        volume: Inside them [m^3]; NaN where it is not known.
        shares: Their three principal spreads, as shares.
        offset: Distance of the centre of mass from their centre, in parts of their extent.
        misfit: Between them and the stated tensor.
    """

    size: float
    volume: float
    shares: tuple[float, ...]
    offset: float
    misfit: float

    def is_like(self, other: _Look) -> bool:
        """Whether both may be one part, mounted in one way or mirrored."""
        if self == other:
            return True
        larger, smaller = max(self.volume, other.volume), min(self.volume, other.volume)
        return (
            max(self.size, other.size) <= _limits.OTHER_SIZE * min(self.size, other.size)
            and not larger > _limits.OTHER_VOLUME * smaller  # also where one is NaN
            and dist(self.shares, other.shares) <= _limits.OTHER_FORM
            and abs(self.offset - other.offset) <= _limits.OTHER_PLACE
            and abs(self.misfit - other.misfit) <= _limits.OTHER_FORM
        )


_Looks = Mapping[int, Mapping[str, _Look]]
"""Measures of the shapes of bodies, by the index of the body and the role of the shapes."""


def _look_at_all(examination: Examination) -> _Looks:
    """Measure the shapes of all bodies."""
    likeness = examination.likeness
    if not likeness.rows:
        return {}
    found: dict[int, dict[str, _Look]] = {}
    mass = examination.assembly.mass[likeness.body]
    rows = zip(
        likeness.body.tolist(),
        likeness.rows,
        resemblance.size(likeness.C_GGcm_B).tolist(),
        (mass / likeness.density[:, 1]).tolist(),
        map(tuple, resemblance.shares(likeness.C_GGcm_B).tolist()),
        likeness.offset.tolist(),
        likeness.misfit.tolist(),
        strict=True,
    )
    for index, shapes, *numbers in rows:
        # The surface of an open mesh comes before its hull.
        found.setdefault(index, {}).setdefault(shapes.role, _Look(*numbers))
    return found


def _compare_looks(looks: Sequence[Mapping[str, _Look]]) -> tuple[Flags, Flags]:
    """(G, G) which bodies differ in every role known of both, and where there is such a role."""
    count = len(looks)
    unlike, known = np.zeros((count, count), dtype=bool), np.zeros((count, count), dtype=bool)
    for i, one in enumerate(looks):
        for j, other in enumerate(looks[:i]):
            common = one.keys() & other.keys()
            known[i, j] = known[j, i] = bool(common)
            alike = any(one[role].is_like(other[role]) for role in common)
            unlike[i, j] = unlike[j, i] = bool(common) and not alike
    return unlike, known


def _describe_difference(examination: Examination, one: int, other: int, looks: _Looks) -> str:
    """In what two bodies differ that are not the same part."""
    ours, theirs = looks.get(one, {}), looks.get(other, {})
    for role in ("visual", "collision"):
        if role in ours and role in theirs:
            mine, its = ours[role], theirs[role]
            if max(mine.size, its.size) > _limits.OTHER_SIZE * min(mine.size, its.size):
                return f"its shapes spread over {length(its.size)}, these over {length(mine.size)}"
            if dist(mine.shares, its.shares) > _limits.OTHER_FORM:
                return "its shapes have another form than these"
            if abs(mine.offset - its.offset) > _limits.OTHER_PLACE:
                return "its shapes lie elsewhere beside the centre of mass than these"
            return "its shapes have another volume, or stand otherwise, than these"
    ours_far, theirs_far = examination.assembly.skeleton[[one, other]].tolist()
    if ours_far and theirs_far:
        return f"its joints are {length(theirs_far)} apart, these {length(ours_far)}"
    return "its shapes are other ones, and only one of both carries a further joint"


def twins(examination: Examination, limits: Limits, found: FoundDoubts) -> Doubts:
    """Left and right that differ."""
    assembly, bodies = examination.assembly, examination.model.bodies
    if not assembly.twins:
        return
    pairs = assembly.twin_pairs
    refuted = {frozenset(each.bodies) for each in list_contradictions(assembly)}
    allowed = float(np.fmax(limits.twin, _limits.TWIN_SCATTER * pairs.scatter))
    # Bodies of a mistake that runs through the model, which is told once for all of them.
    shared = {index for each, *_ in examination.votes.elections for index in each.bodies}
    with np.errstate(invalid="ignore"):
        off = ~(np.max(pairs.offsets, axis=1) <= allowed)
        off &= ~(pairs.turned & (pairs.offsets[:, 0] > allowed))
        # Where no symmetry holds for a pair, only what no frame can change is compared.
        alone = np.fmax(pairs.moments, pairs.spread) > limits.twin
        off &= pairs.aligned | alone
    for row in np.flatnonzero((pairs.mass > limits.twin_mass) | off).tolist():
        pair = pairs.bodies[row].tolist()
        if _are_other_parts(examination, pair) or _have_other_twins(examination, pair):
            continue
        if frozenset(pair) in refuted:
            continue  # told by their digits, which need no tolerance
        heavier = bool(pairs.mass[row] > limits.twin_mass)
        if heavier:
            # A palm with the mass of its fingers, which are frames without mass beside it, is no
            # mistake: one side has in a body what the other has in those that it carries.
            one, other = map(assembly.add_carried_mass, pair)
            apart = float(np.diff(assembly.mass[pair])[0])
            if abs(one - other) < _limits.CARRIED * abs(apart):
                continue
        disagreeing, what = _describe(examination, row, limits.twin_mass, allowed)
        # The evidence that no other doubt about one of the two explains.
        doubts = [doubt for index in pair for doubt in found.get(index, ()) if not doubt.weak]
        by_tensor: set[Evidence] = {"form"} if heavier else {"form", "amount"}
        explained = by_tensor if any(doubt.where == "tensor" for doubt in doubts) else set()
        against = frozenset(
            kind
            for kind in disagreeing - explained
            if not any(is_explained(found, index, frozenset({kind})) for index in pair)
        )
        # What runs through the model leaves mirror images, and is told of none of them.
        doubted = [index for index in pair if found.get(index)]
        if doubted and not against and shared.issuperset(doubted):
            against = frozenset({"sides"})
        for index, reason in _blame(examination, row) if against else ():
            name = bodies[pair[0] + pair[1] - index].name
            message = f"it is no mirror image of {name}: {what}{reason}"
            values: dict[str, object] = {"twin": name}
            yield index, Doubt("IC601", "inertial", message, values, against=against)


def _describe(
    examination: Examination, row: int, heavier: float, allowed: float
) -> tuple[frozenset[Evidence], str]:
    """Say in what twins differ: the kinds of evidence that disagree, and the plainest in words."""
    assembly, pairs = examination.assembly, examination.assembly.twin_pairs
    pair = pairs.bodies[row]
    # The symmetry of the model in words, its place to a thousandth of the size of the bodies.
    plane = pairs.planes[row]
    size = float(np.max(assembly.size[pair]))
    if not np.isfinite(plane[0]):
        name = "in the axes in which the model's other twins agree"
    else:
        normal, step = plane[:3], tolerances.PLANE_PRINTED * size
        offset = step * round(float(plane[3]) / step)
        along = int(np.argmax(np.abs(normal)))
        if abs(normal[along]) > _limits.ALONG_AXIS:
            name = (
                f"reflected in the plane {'xyz'[along]} = "
                f"{offset * np.sign(normal[along]) + 0.0:.4g} m"
            )
        else:
            words = ", ".join(f"{x:.3g}" for x in normal)
            name = f"reflected in the plane ({words}) . p = {offset:.4g} m"
    found: dict[Evidence, str] = {}
    if pairs.mass[row] > heavier:
        one, other = assembly.mass[pair].tolist()
        found["amount"] = f"they weigh {one:.6g} and {other:.6g} kg"
    center, spread = pairs.offsets[row].tolist()
    if pairs.known[row]:
        R = pairs.symmetry[row, :3, :3]
        theirs = resemblance.rotate(R, assembly.C_BBcm_B[pair[1]])
        form = float(resemblance.misfit(assembly.C_BBcm_B[pair[0]], theirs))
        tensors = f"{name}, their tensors differ by {100 * spread:.0f} %"
    else:
        form = float(resemblance.shape_distance(*assembly.C_BBcm_B[pair]))
        tensors = f"their moments differ by {100 * pairs.moments[row]:.0f} % per kilogram"
    sizes = assembly.size[pair] ** 2
    if np.ptp(sizes) > allowed * np.max(sizes):
        found.setdefault("amount", tensors)
    if form > allowed:
        found["form"] = tensors
    if center > allowed:
        length_off = length(center * float(np.max(assembly.size[pair])))
        found["center"] = f"{name}, their centres of mass are {length_off} apart"
    if not found:
        return EVERY, tensors
    return frozenset(found), next(iter(found.values()))


def _are_other_parts(examination: Examination, pair: list[int]) -> bool:
    """Whether the shapes say that two bodies are no twins, or one part mounted twice."""
    sizes = examination.likeness.sizes[pair]
    with np.errstate(invalid="ignore"):
        ratio = np.max(sizes, axis=0) / np.min(sizes, axis=0)
    known = np.isfinite(ratio)
    if np.any(known) and np.all(ratio[known] > _limits.OTHER_SIZE):
        return True
    one, other = (examination.judgements[index] for index in pair)
    if (one.mass, one.p_BoBcm_B, one.I_BBcm_B) != (other.mass, other.p_BoBcm_B, other.I_BBcm_B):
        return False
    left, right = (
        [
            (s.kind, s.role, s.dimensions, s.p_BoGo_B, s.R_BG, s.uri, s.scale)
            for s in examination.model.bodies[index].shapes
        ]
        for index in pair
    )
    return bool(left) and left == right


def _have_other_twins(examination: Examination, pair: list[int]) -> bool:
    """Whether both bodies are copies of others that may be their twins by name.

    In grippers that are one part mounted twice, the left finger of the left one is a copy of the
    left finger of the right one.
    """
    bodies, judgements = examination.model.bodies, examination.judgements
    index_of = {body.name: index for index, body in enumerate(bodies)}

    def has_copy(index: int) -> bool:
        own = judgements[index]
        others = {index_of.get(name) for name in mirror_names(bodies[index].name)}
        return any(
            (own.mass, own.p_BoBcm_B, own.I_BBcm_B)
            == (judgements[o].mass, judgements[o].p_BoBcm_B, judgements[o].I_BBcm_B)
            for o in others
            if o is not None and o not in pair
        )

    return all(map(has_copy, pair))


def _blame(examination: Examination, row: int) -> list[tuple[int, str]]:
    """The bodies of a pair that are named, each with the reason why it is that one.

    One where shapes or siblings show its guilt, tried in the same way on both sides; else both.
    """
    pair = examination.assembly.twin_pairs.bodies[row].tolist()
    guilt = find_guilt(examination, pair[0])
    if _limits.GUILTY > guilt > 1 - _limits.GUILTY:
        return [(index, "") for index in pair]
    guilty = pair[0] if guilt > 1 / 2 else pair[1]
    known = any(examination.likeness.known[pair])
    witness = "the shapes of the two" if known else "other bodies of its kind"
    return [(guilty, f"; {witness} speak for the numbers of the other side")]


def lost_decimals(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Tensors that some body has, of which a few counts of the last decimal are left."""
    bodies, judgements = examination.model.bodies, examination.judgements
    few = examination.assembly.stated & examination.votes.in_few_counts
    for index in np.flatnonzero(few).tolist():
        body = bodies[index]
        inertial = body.inertial
        if inertial is None or inertial.mass is None or len(inertial.I_BBcm_Bi) < len(ENTRIES):
            continue
        texts = [inertial.I_BBcm_Bi[entry].text for entry in ENTRIES]
        six = judgements[index].I_BBcm_Bi
        if has_lost_decimals(texts, six, body.unit, inertial.mass.text):
            share = measure_open_share(body)
            message = (
                "the inertia was printed with too few decimals: half a unit of the last is "
                f"{100 * share:.2g} % of the trace, so that bodies of many forms print the same; "
                "write it again with more digits, or with an exponent"
            )
            yield index, Doubt("IC307", "tensor", message, {"open_share": share})


SCREENS: Mapping[Callable[[Examination, Limits, FoundDoubts], Doubts], tuple[str, ...]] = {
    contradictions: ("IC605",),
    lost_decimals: ("IC307",),
    placeholders: ("IC501",),
    repetitions: ("IC603",),
    copies: ("IC602",),
    centers: ("IC201", "IC202"),
    sizes: ("IC502",),
    matter: ("IC503",),
    densities: ("IC503",),
    box_densities: ("IC503",),
    forms: ("IC504", "IC505"),
    twins: ("IC601",),
    solids: ("IC503",),
    spreads: ("IC502",),
}
"""Comparisons with the codes of their doubts, in the order in which they are made, the plainest
first: a body keeps the first doubt on each evidence."""


class _Doubts(NamedTuple):
    """The doubts about the bodies of a model by their codes, each with the index of its body.

    Attributes:
        by_code: The doubts.
        failed: The error of each comparison that failed, by the codes of its doubts.
    """

    by_code: Mapping[str, Sequence[tuple[int, Doubt]]]
    failed: Mapping[str, Exception]


_KNOWN: WeakKeyDictionary[Assembly, _Doubts] = WeakKeyDictionary()

_EXPLAINED = frozenset({"IC502", "IC503", "IC504", "IC505"})
"""Codes of the doubts that a reading of the whole model explains."""

_ONLY_FORM = frozenset({"sign-of-products", "wrong-frame", "sorted-principal-moments"})
"""Causes that leave the trace of a tensor as it is, and so explain no doubt about a size."""

_NAMES: Mapping[Where, tuple[str, ...]] = {
    "mass": ("mass",),
    "center": ("x", "y", "z"),
    "tensor": ENTRIES,
    "inertial": ("mass", *ENTRIES),
}
"""Names of the numbers that a doubt is about."""


def doubts(examination: Examination) -> _Doubts:
    """Find the doubts about suspicious bodies.

    No two doubts about a body rest on one evidence. A comparison that fails costs its own doubts.
    """
    assembly = examination.assembly
    if assembly not in _KNOWN:
        found: dict[int, list[Doubt]] = {}
        failed: dict[str, Exception] = {}
        wanted = len(examination.judgements) > 1 or assembly.stated.any()
        for screen, codes in SCREENS.items() if wanted else ():
            try:
                for index, doubt in screen(examination, LIMITS[examination.strictness], found):
                    if not is_explained(found, index, doubt.evidence, doubt.weak):
                        so_far = found.get(index, ())
                        kept = [each for each in so_far if not each.evidence & doubt.evidence]
                        found[index] = [*kept, doubt]
            except PASSING:
                raise
            except Exception as error:
                failed |= dict.fromkeys(codes, error)
        try:
            found = _heed_the_model(examination, found)
        except PASSING:
            raise
        except Exception as error:
            failed |= dict.fromkeys(_EXPLAINED, error)
        by_code: dict[str, list[tuple[int, Doubt]]] = {}
        for index, each in sorted(found.items()):
            for doubt in each:
                by_code.setdefault(doubt.code, []).append((index, doubt))
        _KNOWN[assembly] = _Doubts(by_code, failed)
    return _KNOWN[assembly]


def _heed_the_model(
    examination: Examination, found: Mapping[int, Sequence[Doubt]]
) -> dict[int, list[Doubt]]:
    """The doubts about single bodies that the whole model leaves.

    A doubt that a reading of the model explains is not repeated. A reading of one body that all
    others contradict is a note, unless its fit is near exact.
    """
    # Placeholders of light frames on fixed joints, which IC501 leaves out, are told by no other.
    dummies: list[int] = []
    if found:
        frames = find_frames(examination) & examination.assembly.placeholders
        dummies = np.flatnonzero(frames).tolist()
    explained = {index: {*_EXPLAINED, "IC602"} for index in dummies}
    resized: dict[int, tuple[float, float]] = {}
    for reading, *_ in examination.votes.elections:
        # One count of the last decimal, on all three moments, looks like a placeholder, and
        # different parts come to share a tensor.
        also = {"IC307", "IC501", "IC602", "IC603"} if reading.cause == "fixed-decimals" else set()
        kept = {"IC502", "IC503"} if reading.cause in _ONLY_FORM else set()
        if reading.centers is not None:
            also, kept = {"IC201", "IC202", "IC601", "IC605"}, set(_EXPLAINED)
        with np.errstate(all="ignore"):
            spreads = resemblance.spread(reading.mass, resemblance.matrices(reading.I_BBcm_Bi))
            heavier = np.log(reading.mass / examination.assembly.mass)
            larger = np.log(resemblance.size(spreads) / examination.assembly.size)
        for index in reading.bodies:
            explained.setdefault(index, set()).update(_EXPLAINED - kept | also)
            resized[index] = float(heavier[index]), float(larger[index])
    left: dict[int, list[Doubt]] = {}
    for index, every in found.items():
        for doubt in every:
            codes = explained.get(index, set())
            # A spread along one axis is a matter of form, too.
            told = doubt.code in codes or (codes and "variance_ratio" in doubt.values)
            if told and not _is_left(doubt, resized.get(index)):
                continue
            cause, rest = doubt.values.get("cause"), doubt.values.get("nearest")
            weak = False
            if cause is not None and isinstance(rest, float) and rest > _limits.NEAR_EXACT:
                weak = any(
                    int(np.sum(each.contra)) >= _limits.CONTRADICTED * max(int(np.sum(each.pro)), 1)
                    for each in examination.votes.forms
                    if each.cause == cause
                )
            why = "; only a note, since other bodies of the model fit as they are written"
            noted = doubt._replace(weak=True, message=doubt.message + why) if weak else doubt
            left.setdefault(index, []).append(noted)
    return left


def _is_left(doubt: Doubt, change: tuple[float, float] | None) -> bool:
    """Whether a mass or a size is nearly as odd in the reading of the model as it was before.

    Args:
        doubt: About the body.
        change: Logarithms of the factors on mass and size; None where no reading concerns the body.
    """
    if change is None:
        return False
    heavier, larger = change
    ratio, density = doubt.values.get("size_ratio"), doubt.values.get("density")
    with np.errstate(all="ignore"):
        if isinstance(ratio, float):
            before, usual = np.log(ratio), np.log([1 / _limits.SIZE, _limits.SIZE])
            after = before + larger
        elif isinstance(density, float):
            before = np.log(density / _limits.USUAL_DENSITY)
            usual = np.log(np.divide(_limits.DENSITIES, _limits.USUAL_DENSITY))
            after = before + heavier - (3 * larger if doubt.where == "tensor" else 0)
        else:
            return False
    return bool(not usual[0] < after < usual[1] and 2 * abs(after) > abs(before))


class DoubtRule(Rule):
    """A rule whose findings are the doubts of its code."""

    explained = True

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The findings on bodies with a doubt of this code; notes where the evidence is weak."""
        yield from find_doubts(self, examination)


def find_doubts(rule: Rule, examination: Examination) -> Iterator[Finding]:
    """Find the bodies with a doubt of a rule's code; notes where the evidence is weak."""
    known = doubts(examination)
    if rule.code in known.failed:
        raise known.failed[rule.code]
    for index, doubt in known.by_code.get(rule.code, ()):
        body = rule.model.bodies[index]
        where, inertial, span = doubt.where, body.inertial, body.span
        if inertial is not None:
            span = inertial.span
            if where == "tensor":
                span = hull(inertial.I_BBcm_Bi.values(), span)
            elif where == "center":
                span = hull(inertial.p_BoBcm_B, span)
            elif where == "mass" and inertial.mass is not None:
                span = inertial.mass.span or span
        about = _NAMES[where]
        finding = rule.at(span, doubt.message, body, doubt.values, about=about)
        yield finding._replace(severity=Severity.NOTE) if doubt.weak else finding
