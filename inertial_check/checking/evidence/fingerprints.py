"""Printed digits as fingerprints: bodies of one model whose equal digits refute each other.

Ten numbers with three digits and more do not agree by chance. Where those of two bodies do, the two
are one part: as it is, mirrored, or turned by quarter turns. These are the 48 signed permutations
of the axes, and each of them maps the centre of mass and the tensor together. Where none of them
maps one body onto the other, the two cannot both be right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations, product
from math import isfinite
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.assembly import STATED, Assembly
from inertial_check.checking.evidence.digits import count_digits
from inertial_check.checking.evidence.elsewhere import Other
from inertial_check.documents.model import ENTRIES, Body, Judgement
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, LongIntegers, Mask
from inertial_check.inertia.intervals import half_units

Kind = Literal["signs", "places", "power", "entry", "tensor"]
"""In what two bodies with equal digits differ: in signs alone; in the slots of equal magnitudes; by
a power of ten; in one number, or in two of the tensor; in the tensor beside an equal mass and
centre."""

_Frames = Literal["axes", "origin", ""]
"""Knowledge of the frames of two bodies: their axes and origins are those of one part; their
origins are, as those of twins; or nothing."""

NAMES = ("mass", "x", "y", "z", *ENTRIES)
"""The ten numbers of a body, in the order of this module."""

CENTER, TENSOR, PRODUCTS = slice(1, 4), slice(4, 10), [5, 6, 8]
_DIAGONAL, _PLACES = [0, 3, 5], [1, 2, 4]
_FACTORS = np.array([(0, 1), (0, 2), (1, 2)])
"""Places of the moments and of the products in a tensor, and the coordinates of each product."""

OF_TERM: Mapping[float, tuple[str, ...]] = {
    1.0: ("about-link-origin",),
    -1.0: ("double-parallel-axis", "origin-tensor-read-as-com"),
}
"""The mistakes that put a parallel-axis term into the products, by the part of the term."""

_NEAR = 0.1
"""Part of the largest product of a parallel-axis term by which those of a body may differ from it
before their digits are compared; chosen, far above the rounding of two digits."""

DIGITS = 3
"""Significant digits from which a number tells something: numbers of one or two are guessed, and
agree by chance."""

_MOST_DIGITS = 6
"""Largest number of digits that count of one number: computed ones are printed with 17."""

TOLD = 11
"""Least number of digits that equal magnitudes have to show together, each magnitude once: three
numbers of three and four digits, or ten of one and two."""

NUMBERS = 3
"""Number of values of DIGITS digits among mass and centre that fix the frame of a part, so that the
tensors of two bodies that share them have to agree."""

_LONG = 2
"""Least number of different magnitudes of DIGITS digits that two bodies share."""

_SHARED = 3
"""Least number of equal numbers of two digits and more of a pair that is compared at all."""

SMALL = 2e-3
"""Part like NOISE_OF_CAD below which numbers of fewer than DIGITS digits have no sign."""

OTHER_TENSOR = 0.02
"""Part of the largest entry by which tensors beside one mass and one centre differ as a whole; the
halves of a robot that were drawn apart, with masses and centres made equal, differ by less."""

_COMMON = 100
"""Bodies with other numbers that share one magnitude, above which it tells no part from another:
a scene of boxes of one edge would be compared by pairs."""

TEXTS = 2
"""Number of files from which the numbers that they agree on refute others: of two texts nobody
knows which is the later one."""

_SLOT = {pair: slot for slot, pair in enumerate([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)])}


def _list_maps() -> tuple[LongIntegers, Floats]:
    """(48, 10) slot and (48, 10) sign that each number takes under each exchange of the axes."""
    slots, signs = [], []
    for order in permutations(range(3)):
        for sign in product((1.0, -1.0), repeat=3):
            pairs = [sorted((order[i], order[j])) for i, j in _SLOT]
            slots.append([0, *(1 + axis for axis in order), *(4 + _SLOT[i, j] for i, j in pairs)])
            signs.append([1.0, *sign, *(sign[i] * sign[j] for i, j in _SLOT)])
    return np.array(slots), np.array(signs)


SLOTS, SIGNS = _list_maps()


class Contradiction(NamedTuple):
    """Two bodies whose equal digits refute each other.

    Attributes:
        bodies: Their indices.
        kind: In what they differ.
        entries: The numbers that differ, by their place in NAMES, in the first and in the second.
        meant: (2, 10) numbers that the second has for the first, and the first for the second, in
            the body's axes [SI].
        blamed: Index of the body that is wrong; None where nothing tells.
        witnesses: Number of further bodies that agree with the other one.
    """

    bodies: tuple[int, int]
    kind: Kind
    entries: tuple[tuple[int, ...], tuple[int, ...]]
    meant: Floats
    blamed: int | None = None
    witnesses: int = 0

    def of(self, index: int) -> tuple[int, tuple[int, ...], Floats]:
        """The other body, the numbers that differ, and the ten meant, for one of the two."""
        side = self.bodies.index(index)
        return self.bodies[1 - side], self.entries[side], self.meant[side]


class _Print(NamedTuple):
    """The ten numbers of a body as a fingerprint.

    Attributes:
        values: (10,) in the body's axes [SI].
        digits: (10,) significant digits.
        counts: (10,) half a unit of the last digit [SI].
        turned: Whether the tensor is printed in other axes than the body's.
    """

    values: Floats
    digits: LongIntegers
    counts: Floats
    turned: bool


_KNOWN: WeakKeyDictionary[Assembly, Sequence[Contradiction]] = WeakKeyDictionary()


def list_contradictions(assembly: Assembly) -> Sequence[Contradiction]:
    """List the pairs of bodies of a model whose equal digits refute each other, found once."""
    if assembly not in _KNOWN:
        _KNOWN[assembly] = _find_contradictions(assembly)
    return _KNOWN[assembly]


def _find_contradictions(assembly: Assembly) -> list[Contradiction]:
    """Find the pairs of bodies of a model whose equal digits refute each other.

    Bodies with the same ten numbers are compared once; each of them is in a pair.
    """
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, judgement in enumerate(assembly.judgements):
        if judgement.mass > 0 and not judgement.numerically_zero:
            numbers = judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_B
            alike[numbers].append(index)
    copies = {group[0]: group for group in alike.values()}
    agreeing = {first: len(group) - 1 for first, group in copies.items()}
    prints: dict[int, _Print | None] = {}
    found: list[Contradiction] = []
    twins = {*assembly.twins}
    for one, other in _list_candidates(assembly, copies):
        for index in (one, other):
            if index not in prints:
                body, judgement = assembly.model.bodies[index], assembly.judgements[index]
                prints[index] = _read_print(body, judgement)
        first, second = prints[one], prints[other]
        if first is None or second is None:
            continue
        known: _Frames = "origin" if (one, other) in twins else ""
        outcome = _compare(first, second, known, partial(_share_frame, assembly, one, other))
        if outcome == "equal":
            agreeing[one] += len(copies[other])
            agreeing[other] += len(copies[one])
        elif isinstance(outcome, Contradiction):
            found.append(outcome._replace(bodies=(one, other)))
    pairs = []
    for each in found:
        one, other = each.bodies
        blamed = _blame(assembly, each, agreeing)
        for pair in (*((i, other) for i in copies[one]), *((one, i) for i in copies[other][1:])):
            side = None if blamed is None else pair[each.bodies.index(blamed)]
            witnesses = max(agreeing[one], agreeing[other])
            pairs.append(each._replace(bodies=pair, blamed=side, witnesses=witnesses))
    return pairs


def contradict_texts(
    body: Body, judgement: Judgement, others: Sequence[Other]
) -> tuple[tuple[str, ...], Contradiction] | None:
    """Find the files whose numbers of a body refute those of its document, and agree.

    Args:
        body: As the document states it.
        judgement: Of its numbers.
        others: The body in the files that have other numbers.

    Returns:
        Where the files have the body, two of them at least, and the contradiction, whose first
        body is that of the document; None without one.
    """
    groups: dict[tuple[str, ...], list[Other]] = defaultdict(list)
    for each in others:
        theirs = each.judgement
        ten = theirs.ten
        if theirs.verdict in STATED:
            groups[tuple([f"{x:.6g}" for x in ten])].append(each)
    agreeing = max(groups.values(), key=len, default=[])
    if len(agreeing) < TEXTS or 2 * len(agreeing) <= len(others):
        return None
    first, second = (_read_print(*each) for each in ((body, judgement), agreeing[0][1:3]))
    if first is None or second is None:
        return None
    known: _Frames = "axes" if agreeing[0].in_one_frame else ""
    outcome = _compare(first, second, known, lambda: False)
    if not isinstance(outcome, Contradiction):
        return None
    return tuple([each.where for each in agreeing]), outcome


def find_own_term(body: Body, judgement: Judgement) -> float:
    """Find whether the products of a body are those of its mass at its centre, digit for digit.

    The parallel-axis term leaves them where planes of symmetry meet in the centre of mass, and the
    tensor was moved to the link's origin, or from there once too often.

    Returns:
        The part of the term that the tensor has too much: 1, -1, or 0 where its products are
        others, or have too few digits to tell.
    """
    mass, x, y, z = judgement.ten[:4]
    sizes = [abs(mass * x * y), abs(mass * x * z), abs(mass * y * z)]
    off = [abs(abs(judgement.ten[row]) - size) for row, size in zip(PRODUCTS, sizes, strict=True)]
    own = _read_print(body, judgement) if max(off) < _NEAR * max(sizes) else None
    if own is None or own.turned:
        return 0.0
    mass, p_BoBcm_B, I_BBcm_B = own.values[0], own.values[CENTER], own.values[TENSOR]
    factors, halves = p_BoBcm_B[_FACTORS], own.counts[CENTER][_FACTORS]
    area = np.prod(factors, axis=1)
    # Half a unit of the last digit of each product, and of the three numbers that it is made of.
    slack = own.counts[PRODUCTS] + own.counts[0] * np.abs(area)
    slack += mass * np.sum(halves * np.abs(factors[:, ::-1]), axis=1)
    slack += tolerances.EQUAL_TEXTS * mass * np.abs(area)
    for part in (1.0, -1.0):
        if np.all(np.abs(I_BBcm_B[_PLACES] + part * mass * area) <= slack):
            # What is left may be 0 by chance, beside the moments of the body about its centre.
            term = mass * (p_BoBcm_B @ p_BoBcm_B - p_BoBcm_B**2)
            largest = np.max(np.abs(I_BBcm_B[_DIAGONAL] - part * term))
            shown = mass * np.abs(area) > slack
            if np.sum(np.log10(largest / slack[shown])) >= DIGITS:
                return part
    return 0.0


def find_lost_product(body: Body, judgement: Judgement) -> int:
    """Find the product of a body that is 0 beside two that are not, and have many digits.

    A plane of symmetry leaves one product, and a body without any has three.

    Returns:
        The row of the ten numbers; 0 where no product is lost, or the digits are too few to tell.
    """
    trace = sum(judgement.ten[TENSOR.start + place] for place in (0, 3, 5))
    (*zeros,) = (row for row in PRODUCTS if judgement.ten[row] == 0)
    beside = [row for row in PRODUCTS if judgement.ten[row] != 0]
    least = min((abs(judgement.ten[row]) for row in beside), default=0.0)
    if len(zeros) != 1 or not least > tolerances.LOST_BESIDE * trace > 0:
        return 0
    own = _read_print(body, judgement)
    if own is None or own.turned or body.inertial is None:
        return 0
    texts = [body.inertial.I_BBcm_Bi[NAMES[row]].text for row in beside]
    enough = min(count_digits(text) for text in texts) >= limits.LOST_DIGITS
    return int(zeros[0]) if enough else 0


def _read_print(body: Body, judgement: Judgement) -> _Print | None:
    """The fingerprint of a body; None where it does not state ten numbers."""
    inertial = body.inertial
    if inertial is None or inertial.mass is None or body.inertia_from != "file":
        return None
    if len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return None
    values = np.array(judgement.ten)
    if not np.all(np.isfinite(values)):
        return None
    six = tuple([inertial.I_BBcm_Bi[entry].text for entry in ENTRIES])
    texts = (inertial.mass.text, *(number.text for number in inertial.p_BoBcm_B), *six)
    digits = np.array([min(count_digits(text), _MOST_DIGITS) for text in texts])
    counts = np.array([*half_units(texts[:1]), *half_units(texts[1:4]), *half_units(six)])
    counts[0] *= inertial.kilograms_per_unit
    counts[CENTER] *= inertial.meters_per_unit
    counts[TENSOR] *= body.unit
    turned = inertial.R_BBi != ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    if turned:
        digits[TENSOR], counts[TENSOR] = np.max(digits[TENSOR]), np.max(counts[TENSOR])
    return _Print(values, digits, counts, turned)


def _list_candidates(assembly: Assembly, indices: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Pairs of bodies that share enough magnitudes."""
    owners: dict[tuple[str, int], set[int]] = defaultdict(set)
    for index in indices:
        judgement = assembly.judgements[index]
        seen: Counter[str] = Counter()
        for value in judgement.ten:
            key = f"{abs(value):.5g}" if value else ""
            if count_digits(key) > 1:
                seen[key] += 1
                owners[key, seen[key]].add(index)
    shared: Counter[tuple[int, int]] = Counter()
    for bodies in owners.values():
        if 1 < len(bodies) <= _COMMON:
            shared.update(combinations(sorted(bodies), 2))
    return (pair for pair, count in sorted(shared.items()) if count >= _SHARED)


def _compare(
    first: _Print, second: _Print, known: _Frames, share_frame: Callable[[], bool]
) -> Contradiction | Literal["equal"] | None:
    """Compare the fingerprints of two bodies.

    Args:
        first: Of the one.
        second: Of the other.
        known: What is known of their frames.
        share_frame: Tells whether the origins of the two stand at one place of the part; asked
            where nothing is known.

    Returns:
        A contradiction, without the bodies; "equal" where an exchange of axes maps one onto the
        other; None where the two share too few digits to be one part.
    """
    slots, signs = (SLOTS[:1], SIGNS[:1]) if known == "axes" else (SLOTS, SIGNS)
    a, b = first.values[slots] * signs, second.values
    digits = np.minimum(first.digits[slots], second.digits)
    counts = first.counts[slots] + second.counts  # both rounded, one up and one down
    largest = np.maximum(_largest(first.values), _largest(b))
    slack = tolerances.EQUAL_TEXTS * np.maximum(np.abs(a), np.abs(b))
    if first.turned or second.turned:
        slack[:, TENSOR] = tolerances.TURNED_DIGITS * largest[TENSOR]
    same = np.abs(np.abs(a) - np.abs(b)) <= slack
    off = np.abs(a - b)
    size = np.maximum(np.abs(a), np.abs(b))
    silent = (size < tolerances.NOISE_OF_CAD * largest) | (
        (size < SMALL * largest) & (digits < DIGITS)
    )
    near = ~same & (off <= np.maximum(tolerances.OTHER_NUMBER * largest, counts))
    magnitudes, whole = ~(same | silent | near), ~((off <= slack) | silent | near)
    wrong, unlike = np.sum(magnitudes, axis=1), np.sum(whole, axis=1)
    row = int(np.lexsort((np.sum(near, axis=1), unlike, wrong))[0])
    differ, close = magnitudes[row], near[row]
    # Near numbers are no accident where they are the other's, in other places or a power of ten.
    shown, rows = (
        np.maximum(first.digits[slots[row]], second.digits),
        np.flatnonzero(differ | close),
    )
    left = a[row][rows], b[rows], shown[rows]
    if (len(rows) > 1 and _hold_same(*left)) or (len(rows) and _is_power(*left)):
        differ, close, whole[row] = differ | close, np.zeros_like(close), whole[row] | close
    matched = same[row] & ~silent[row]
    if not np.any(whole[row]):
        return "equal" if _tells(b, digits[row], matched) else None
    kind = _name_difference(a[row], b, shown, differ, close, matched)
    if kind == "moved":
        held = np.any((matched & (shown >= DIGITS))[CENTER])
        kind = "entry" if known or (held and share_frame()) else None
    told = matched | differ if kind in ("places", "power") else matched
    if kind is None or not _tells(b, shown, told):
        return None
    differing = np.flatnonzero(whole[row])
    own = tuple(sorted(slots[row][differing].tolist()))
    back = np.empty(len(NAMES))
    back[slots[row]] = signs[row] * b
    # What agrees keeps its own digits: turned axes and silent numbers leave traces in them.
    meant = np.stack([first.values, second.values])
    meant[0, list(own)], meant[1, differing] = back[list(own)], a[row][differing]
    return Contradiction((0, 1), kind, (own, tuple(differing.tolist())), meant)


def _largest(values: Floats) -> Floats:
    """(10,) the largest magnitude of the kind of each number: mass, centre, tensor."""
    center, tensor = np.max(np.abs(values[CENTER])), np.max(np.abs(values[TENSOR]))
    return np.array([abs(values[0]), *[center] * 3, *[tensor] * 6])


def _tells(values: Floats, digits: LongIntegers, matched: Mask) -> bool:
    """Whether equal numbers have so many digits that they are those of one part."""
    told: dict[str, int] = {
        f"{abs(value):.5g}": count
        for value, count, equal in zip(values.tolist(), digits.tolist(), matched, strict=True)
        if equal and value
    }
    several = sum(count >= DIGITS for count in told.values())
    return several >= _LONG and sum(told.values()) >= TOLD


def _name_difference(
    a: Floats, b: Floats, digits: LongIntegers, magnitudes: Mask, near: Mask, matched: Mask
) -> Kind | Literal["moved"] | None:
    """Name the difference of two bodies in the exchange of axes that suits best.

    Args:
        a: (10,) numbers of the first body in that exchange.
        b: (10,) of the second.
        digits: (10,) significant digits that the one with more of them has.
        magnitudes: (10,) which magnitudes differ.
        near: (10,) which differ by so little that rounding or CAD explains it.
        matched: (10,) which are equal and no noise.

    Returns:
        "moved" for one coordinate of the centre, which another origin of the link explains; None
        where so much differs that the two may be two parts.
    """
    rows, inexact = np.flatnonzero(magnitudes), int(np.sum(magnitudes | near))
    # Mass and centre fix the frame of a part: in one frame one part has one tensor.
    fixed = np.sum(matched[:4] & (digits[:4] >= DIGITS)) >= NUMBERS
    if not len(rows):
        return "signs" if fixed or inexact <= 1 else None
    places = {0 if row == 0 else 1 if row < TENSOR.start else 2 for row in rows.tolist()}
    if len(places) > 1:
        return None
    off = np.max(np.abs(a - b)[TENSOR])
    largest = max(np.max(np.abs(a[TENSOR])), np.max(np.abs(b[TENSOR])))
    kind: Kind | Literal["moved"] | None = None
    if len(rows) > 1 and _hold_same(a[rows], b[rows], digits[rows]):
        kind = "places"
    elif _is_power(a[rows], b[rows], digits[rows]):
        kind = "power"
    elif inexact == 1:
        kind = "moved" if places == {1} else "entry"
    elif fixed and places == {2}:
        kind = "entry" if inexact == 2 else "tensor" if off > OTHER_TENSOR * largest else None
    return kind


def _hold_same(a: Floats, b: Floats, digits: LongIntegers) -> bool:
    """Whether the same magnitudes stand in two lists, in other places, with digits that tell."""
    one, other = np.sort(np.abs(a)), np.sort(np.abs(b))
    same = np.all(np.abs(one - other) <= tolerances.EQUAL_TEXTS * other)
    return bool(same) and int(np.max(digits)) >= DIGITS


def _is_power(a: Floats, b: Floats, digits: LongIntegers) -> bool:
    """Whether all numbers differ by one power of ten, and show the same digits."""
    if not np.all(a) or not np.all(b) or np.max(digits) < DIGITS:
        return False
    decades = np.log10(np.abs(a / b))
    power = np.round(decades[0])
    rounding = tolerances.COPIED_WIDTH
    return bool(power) and bool(np.all(np.abs(decades - power) <= rounding))


def _share_frame(assembly: Assembly, one: int, other: int) -> bool:
    """Whether two links have their origins at one place of the part, by joints and shapes."""
    places = [_list_places(assembly, index) for index in (one, other)]
    return bool(places[0]) and places[0] == places[1]


def _list_places(assembly: Assembly, index: int) -> list[tuple[float, ...]]:
    """Distances along the axes, without signs, at which a body has its further joints and shapes.

    Nothing where all of them are at the origin, as any part may have them.
    """
    body: Body = assembly.model.bodies[index]
    points: Sequence[Sequence[float]] = [
        *(point for point in assembly.joints[index].tolist()),
        *(shape.p_BoGo_B for shape in body.shapes),
    ]
    places = sorted(tuple(sorted(abs(float(f"{x:.9g}")) for x in point)) for point in points)
    return places if any(map(any, places)) and all(isfinite(x) for p in places for x in p) else []


def _blame(assembly: Assembly, found: Contradiction, agreeing: Mapping[int, int]) -> int | None:
    """Index of the body that is wrong: one against several, or the one that nobody has."""
    one, other = found.bodies
    if agreeing[one] != agreeing[other]:
        return one if agreeing[one] < agreeing[other] else other
    possible = [assembly.judgements[index].verdict in STATED for index in found.bodies]
    if possible[0] != possible[1]:
        return one if possible[1] else other
    return None
