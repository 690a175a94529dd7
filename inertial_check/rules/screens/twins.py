"""Left and right bodies that differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence import Examination
from inertial_check.evidence.likeness import readings_of
from inertial_check.evidence.twin_names import mirror_names
from inertial_check.inertia import resemblance, tolerances
from inertial_check.model import Body
from inertial_check.rules._phrases import length
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import EVERY, Doubt, Doubts, Evidence, Found, is_explained
from inertial_check.rules.screens._limits import Limits


class _Difference(NamedTuple):
    """In what twins differ.

    Attributes:
        against: Kinds of evidence that disagree.
        what: The plainest difference, in words.
    """

    against: frozenset[Evidence]
    what: str


def twins(examination: Examination, limits: Limits, found: Found) -> Doubts:
    """Left and right that differ."""
    assembly, bodies = examination.assembly, examination.model.bodies
    if not assembly.twins:
        return
    pairs = assembly.twin_pairs
    allowed = float(np.fmax(limits.twin, _limits.TWIN_SCATTER * pairs.scatter))
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
        if pairs.mass[row] > limits.twin_mass and _are_divided_otherwise(examination, pair):
            continue
        difference = _describe(examination, row, limits.twin_mass, allowed)
        heavier = bool(pairs.mass[row] > limits.twin_mass)
        against = _leave_explained(difference.against, found, pair, heavier)
        for index, reason in _blame(examination, row) if against else ():
            name = bodies[pair[0] + pair[1] - index].name
            message = f"it is no mirror image of {name}: {difference.what}{reason}"
            values: dict[str, object] = {"twin": name}
            yield index, Doubt("IC601", "inertial", message, values, against=against)


def _leave_explained(
    against: frozenset[Evidence], found: Found, pair: list[int], heavier: bool
) -> frozenset[Evidence]:
    """The evidence that no other doubt about one of the two explains.

    What differs is the mistake that the other doubt is about, and the sound side is not to be
    named for it. A tensor that is doubted differs in size and form at once; a mass that differs is
    another matter.
    """
    doubts = [doubt for index in pair for doubt in found.get(index, ()) if not doubt.weak]
    by_tensor: set[Evidence] = {"form"} if heavier else {"form", "amount"}
    explained = by_tensor if any(doubt.where == "tensor" for doubt in doubts) else set()
    return frozenset(
        kind
        for kind in against - explained
        if not any(is_explained(found, index, frozenset({kind})) for index in pair)
    )


def _describe(examination: Examination, row: int, heavier: float, allowed: float) -> _Difference:
    """Say in what a pair differs."""
    assembly, pairs = examination.assembly, examination.assembly.twin_pairs
    pair = pairs.bodies[row]
    name = _name_plane(pairs.planes[row], float(np.max(assembly.size[pair])))
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
        return _Difference(EVERY, tensors)
    return _Difference(frozenset(found), next(iter(found.values())))


def _name_plane(plane: Floats, size: float) -> str:
    """The symmetry of the model in words, its place to a thousandth of the size of the bodies."""
    if not np.isfinite(plane[0]):
        return "in the axes in which the model's other twins agree"
    normal, step = plane[:3], tolerances.PLANE_PRINTED * size
    offset = step * round(float(plane[3]) / step)
    along = int(np.argmax(np.abs(normal)))
    if abs(normal[along]) > _limits.ALONG_AXIS:
        return (
            f"reflected in the plane {'xyz'[along]} = {offset * np.sign(normal[along]) + 0.0:.4g} m"
        )
    words = ", ".join(f"{x:.3g}" for x in normal)
    return f"reflected in the plane ({words}) . p = {offset:.4g} m"


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
    left, right = (_list_shapes(examination.model.bodies[index]) for index in pair)
    return bool(left) and left == right


def _are_divided_otherwise(examination: Examination, pair: list[int]) -> bool:
    """Whether one side has in a body what the other has in those that it carries.

    A palm with the mass of its fingers, which are frames without mass beside it, is no mistake.
    """
    assembly = examination.assembly
    one, other = (assembly.add_carried_mass(index) for index in pair)
    return abs(one - other) < _limits.CARRIED * abs(float(np.diff(assembly.mass[pair])[0]))


def _list_shapes(body: Body) -> list[tuple[object, ...]]:
    return [(s.kind, s.role, s.dimensions, s.p_BoGo_B, s.R_BG, s.uri, s.scale) for s in body.shapes]


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

    One where its own shapes contradict it far more than the other's do, or where one reading of
    its numbers makes it a twin and none of the other's does; both where nothing tells.
    """
    pair = examination.assembly.twin_pairs.bodies[row].tolist()
    worse = [_contradiction(examination, index) for index in pair]
    low, high = sorted(worse)
    if high > _limits.BLAME * max(low, _limits.FIT) and high - low > _limits.BLAME_LEAST:
        return [(pair[worse.index(high)], "; its shapes fit the other side's numbers, not its own")]
    if examination.assembly.twin_pairs.mass[row] > 1 + _limits.SAME_TWIN:
        return [(index, "") for index in pair]  # no reading of a tensor explains the mass
    meant = [_find_reading(examination, index) for index in pair]
    if (meant[0] is None) != (meant[1] is None):
        index, what = next(
            (i, what) for i, what in zip(pair, meant, strict=True) if what is not None
        )
        return [(index, f"; {what} it is one")]
    return [(index, "") for index in pair]


def _contradiction(examination: Examination, index: int) -> float:
    """How far a body is from its shapes, in centre, size and form; NaN without shapes."""
    likeness, assembly = examination.likeness, examination.assembly
    found = []
    for i in np.flatnonzero(likeness.body == index).tolist():
        center = np.linalg.norm(assembly.p_BoBcm_B[index] - likeness.rows[i].p_BoGcm_B)
        size = float(resemblance.size(likeness.C_GGcm_B[i]))
        found.append(float(np.hypot(center / size, likeness.discrepancy[i])))
    return min(found, default=np.nan)


def _find_reading(examination: Examination, index: int) -> str | None:
    """Another reading of a body's tensor that makes it the mirror image of its twin."""
    readings = readings_of(examination, index)
    if not readings:
        return None
    assembly = examination.assembly
    written = assembly.C_BBcm_B[index]
    C_BBcm_B = np.array([written, *(reading.C_BBcm_B for reading in readings)])
    centers = np.repeat(assembly.p_BoBcm_B[index][None], len(C_BBcm_B), axis=0)
    off = assembly.apart(np.full(len(centers), index), centers, C_BBcm_B)
    best = int(np.argmin(off[1:]))
    close = off[1:][best] <= min(_limits.SAME_TWIN, off[0] / _limits.FAR_TWIN)
    return readings[best].what if close else None
