"""The bodies of a model together: twins, children, repetitions, the size of the skeleton.

Everything is computed when it is first asked for, once a model, for all bodies at once. What is
said here are facts of the document; whether they are suspicious is for rules and causes to say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import permutations, product
from math import isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.inertia import resemblance, tolerances
from inertial_check.model.body import Model
from inertial_check.model.finding import Judgement
from inertial_check.model.judging import is_computable

Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]
Groups = tuple[tuple[int, ...], ...]

SIGNS: Floats = np.array(list(product((1.0, -1.0), repeat=3)))
"""(8, 3) the reflections that keep the axes, the identity first."""

_FRAMES: Floats = np.array(
    [np.eye(3)[list(order)] * signs[:, None] for order in permutations(range(3)) for signs in SIGNS]
)

STATED = frozenset({"consistent", "boundary"})
"""Verdicts of bodies whose written numbers some body has."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_LEFT_AND_RIGHT = (
    ("left", "right"), ("l", "r"), ("fl", "fr"), ("rl", "rr"), ("bl", "br"), ("hl", "hr"),
    ("ml", "mr"), ("cl", "cr"), ("lf", "rf"), ("lr", "rr"), ("lh", "rh"), ("lb", "rb"),
    ("lm", "rm"), ("lft", "rgt"),
)  # fmt: skip
_SIDES: dict[str, list[str]] = {}
"""Words for a side, and those for the other; rr is rear right, or right rear."""
for _one, _other in _LEFT_AND_RIGHT:
    _SIDES.setdefault(_one, []).append(_other)
    _SIDES.setdefault(_other, []).append(_one)


class TwinPairs(NamedTuple):
    """Twins that both state numbers, one row a pair, and how far they differ.

    Attributes:
        bodies: (T, 2) their indices.
        mass: (T,) ratio of the larger mass to the smaller.
        moments: (T,) largest difference of the principal moments per unit of mass, relative to the
            largest of either.
        apart: (T,) least distance of the centres of mass, and of the spreads' Frobenius norms,
            over all ways in which the axes of one can stand to those of the other (signs and
            exchanges), relative to the size of the bodies and its square: 0 for twins.
        reflections: (T, 8) the same for each reflection of SIGNS alone.
    """

    bodies: Indices
    mass: Floats
    moments: Floats
    apart: Floats
    reflections: Floats


class Assembly:
    """What the bodies of a model say of each other. Indices are those of the model's bodies."""

    def __init__(self, model: Model, judgements: Sequence[Judgement]) -> None:
        """Look at a model.

        Args:
            model: As read.
            judgements: One a body, in the model's order.
        """
        self.model = model
        self.judgements = judgements

    @cached_property
    def stated(self) -> Flags:
        """(N,) which bodies state numbers that some body has, with mass, and not mere crumbs."""
        return np.array(
            [
                judgement.verdict in STATED
                and judgement.mass > 0
                and not judgement.numerically_zero
                and all(map(isfinite, (*judgement.I_BBcm_B, *judgement.p_BoBcm_B)))
                and is_computable(judgement)
                for judgement in self.judgements
            ],
            dtype=bool,
        )

    @cached_property
    def mass(self) -> Floats:
        """(N,) [kg]; NaN where unread."""
        return np.array([judgement.mass for judgement in self.judgements])

    @cached_property
    def p_BoBcm_B(self) -> Floats:
        """(N, 3) [m]."""
        return np.array([judgement.p_BoBcm_B for judgement in self.judgements]).reshape(-1, 3)

    @cached_property
    def moments(self) -> Floats:
        """(N, 3) principal moments, ascending [kg m^2]."""
        return np.array([j.principal_moments for j in self.judgements]).reshape(-1, 3)

    @cached_property
    def placeholders(self) -> Flags:
        """(N,) whether the tensor is a power of ten times the identity, up to a change of units."""
        low, high = self.moments[:, 0], self.moments[:, 2]
        with np.errstate(all="ignore"):
            power = 10.0 ** np.round(np.log10(high))
            rounding = float(tolerances.floor(np.ones(()))) * power
            result: Flags = (low == high) & (np.abs(high - power) <= rounding)
        return result

    @cached_property
    def box(self) -> Floats:
        """(N, 3) edges of the equivalent box, ascending [m]."""
        return np.array([j.equivalent_box for j in self.judgements]).reshape(-1, 3)

    @cached_property
    def size(self) -> Floats:
        """(N,) root mean square distance of the mass from its centre [m]."""
        with np.errstate(all="ignore"):
            size: Floats = np.sqrt(np.sum(self.moments, axis=1) / 2 / self.mass)
        return size

    @cached_property
    def C_BBcm_B(self) -> Floats:
        """(N, 3, 3) covariance of the mass about its centre, in the body's axes [m^2]."""
        six = np.array([judgement.I_BBcm_B for judgement in self.judgements]).reshape(-1, 6)
        return resemblance.spread(self.mass, resemblance.matrices(six))

    @cached_property
    def density(self) -> Floats:
        """(N,) of the equivalent box [kg/m^3]; infinite for plates, rods and points."""
        with np.errstate(all="ignore"):
            density: Floats = self.mass / np.prod(self.box, axis=1)
        return density

    @cached_property
    def total_mass(self) -> float:
        """Sum of all masses that are stated, or that a format's default states [kg]."""
        return float(np.nansum(self.mass))

    @cached_property
    def children(self) -> Groups:
        """(N,) the bodies that joints tie to each body."""
        indices = {body.id: index for index, body in enumerate(self.model.bodies)}
        children: list[list[int]] = [[] for _ in self.model.bodies]
        for index, body in enumerate(self.model.bodies):
            parent = indices.get(body.parent or "")
            if parent is not None:
                children[parent].append(index)
        return tuple(map(tuple, children))

    @cached_property
    def joints(self) -> tuple[Floats, ...]:
        """For each body (J, 3) its joints in its own frame: its own, and those to its children [m].

        Those that the document does not place are not among them.
        """
        poses = [body.X_PB for body in self.model.bodies]
        found = []
        for body, children in zip(self.model.bodies, self.children, strict=True):
            points = [] if body.joint is None else [(0.0, 0.0, 0.0)]
            points += [pose.p_PoBo_P for child in children if (pose := poses[child]) is not None]
            found.append(np.array(points).reshape(-1, 3))
        return tuple(found)

    @cached_property
    def skeleton(self) -> Floats:
        """(N,) how far the farthest joint to a child is from the body's origin [m].

        0 where a body has no child, or where the document does not tell the joints' places.
        """
        return np.array(
            [np.max(np.linalg.norm(joints, axis=1), initial=0.0) for joints in self.joints]
        )

    @cached_property
    def scale(self) -> float:
        """The typical length of the model's skeleton: the median of the joint distances > 0 [m].

        NaN where the document tells none.
        """
        known = np.sort(self.skeleton[self.skeleton > 0])  # np.median would import numpy.ma
        return (
            float(known[known.size // 2] + known[(known.size - 1) // 2]) / 2
            if known.size
            else np.nan
        )

    @cached_property
    def same_numbers(self) -> Groups:
        """Bodies with the same ten written numbers, two or more together.

        The tensor is that in the inertial's own axes: who copies numbers may leave the rotation.
        """
        return _groups(
            (index, (judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_Bi))
            for index, judgement in self._stating()
        )

    @cached_property
    def same_tensor(self) -> Groups:
        """Bodies that state the same six entries of the inertia, two or more together."""
        return _groups((index, judgement.I_BBcm_Bi) for index, judgement in self._stating())

    @cached_property
    def twins(self) -> tuple[tuple[int, int], ...]:
        """Pairs of bodies whose names differ in the side alone: left and right."""
        names = [body.name for body in self.model.bodies]
        places: dict[str, int] = {}
        for index, name in enumerate(names):
            places.setdefault(name, index)
        pairs = []
        for index, name in enumerate(names):
            if places[name] != index:
                continue
            other = next((places[each] for each in mirror_names(name) if each in places), None)
            if other is not None and other > index and not _in_a_row(name, names[other], places):
                pairs.append((index, other))
        return tuple(pairs)

    @cached_property
    def twin_pairs(self) -> TwinPairs:
        """How far twins differ, whatever the axes in which their numbers are written."""
        stated = self.stated
        pairs = np.array(
            [pair for pair in self.twins if stated[pair[0]] and stated[pair[1]]], dtype=np.int64
        ).reshape(-1, 2)
        one, other = pairs.T
        with np.errstate(all="ignore"):
            moments = self.moments / self.mass[:, None]
            larger = np.maximum(moments[one, 2], moments[other, 2])
            ratio = self.mass[one] / self.mass[other]
            unlike = np.max(np.abs(moments[one] - moments[other]), axis=1) / larger
            off = _offsets(
                (self.p_BoBcm_B[one], self.C_BBcm_B[one]),
                (self.p_BoBcm_B[other], self.C_BBcm_B[other]),
                np.maximum(self.size[one], self.size[other]),
            )
        return TwinPairs(
            pairs,
            np.maximum(ratio, 1 / ratio),
            unlike,
            np.min(off, axis=1, initial=np.inf),
            off[:, : len(SIGNS)],
        )

    def apart(self, index: int, p_BoBcm_B: Floats, C_BBcm_B: Floats) -> Floats:
        """How far bodies are from being a twin of one of the model's, relative to its own size.

        Args:
            index: Of the model's body.
            p_BoBcm_B: (n, 3) centres of mass of the others [m].
            C_BBcm_B: (n, 3, 3) their spreads [m^2].

        Returns:
            (n,).
        """
        count = len(p_BoBcm_B)
        one = (
            np.tile(self.p_BoBcm_B[index], (count, 1)),
            np.tile(self.C_BBcm_B[index], (count, 1, 1)),
        )
        off = _offsets(one, (p_BoBcm_B, C_BBcm_B), np.repeat(self.size[index], count))
        least: Floats = np.min(off, axis=1)
        return least

    def _stating(self) -> Iterator[tuple[int, Judgement]]:
        stated = self.stated
        return ((i, judgement) for i, judgement in enumerate(self.judgements) if stated[i])


def _offsets(one: tuple[Floats, Floats], other: tuple[Floats, Floats], size: Floats) -> Floats:
    """(T, F) how far bodies lie from others, turned into each of _FRAMES: 0 where they agree.

    Args:
        one: (T, 3) centres of mass and (T, 3, 3) spreads, of which the turned ones are taken.
        other: The same, of which none is turned.
        size: (T,) the length that counts as one [m].
    """
    (p, C), (p_other, C_other) = one, other
    centers = np.einsum("fij,tj->tfi", _FRAMES, p)
    spreads = _FRAMES @ C[:, None] @ _FRAMES.transpose(0, 2, 1)
    apart = np.linalg.norm(centers - p_other[:, None], axis=2)
    unlike = np.linalg.norm(spreads - C_other[:, None], axis=(2, 3))
    with np.errstate(all="ignore"):
        off: Floats = np.maximum(apart / size[:, None], unlike / size[:, None] ** 2)
    return off


def mirror_names(name: str) -> Iterator[str]:
    """Names that the body on the other side may have, the most probable first.

    A side is a word of its own (left, r, FL, lh), where case, digits or other characters part
    words, or begins or ends one (lleg, leftarm, wheelR). Of several, all change together first.
    """
    words = _WORDS.findall(name)
    sided = [i for i, word in enumerate(words) if word.lower() in _SIDES]
    if len(sided) > 1:
        first = (_others(word)[0] if i in sided else word for i, word in enumerate(words))
        yield "".join(first)
    for i in sided:
        for other in _others(words[i]):
            yield "".join((*words[:i], other, *words[i + 1 :]))
    if sided:
        return
    for one, other in (("left", "right"), ("right", "left")):
        for pattern in (one, one.title(), one.upper()):
            if pattern in name:
                yield name.replace(pattern, _match_case(other, pattern))
    for i, word in enumerate(words):
        if len(word) > 1 and word[0] in "lrLR":
            other = _others(word[0])[0] + word[1:]
            if other.lower() not in _SIDES:  # no light is the left of a right
                yield "".join((*words[:i], other, *words[i + 1 :]))


def _in_a_row(name: str, other: str, names: Container[str]) -> bool:
    """Whether names differ in one letter that others have too: axes s, l, u, r, b, t of an arm."""
    differing = [i for i, pair in enumerate(zip(name, other, strict=False)) if pair[0] != pair[1]]
    if len(name) != len(other) or len(differing) != 1:
        return False
    (i,) = differing
    alone = not (name[i - 1 : i].isalpha() or name[i + 1 : i + 2].isalpha())
    letters = "abdeghijknopqstuvwxyz"  # neither a side, nor front, centre or middle
    return alone and any(
        name[:i] + _match_case(x, name[i]) + name[i + 1 :] in names for x in letters
    )


def _others(word: str) -> list[str]:
    """Words for the other side, in the case of the given one."""
    return [_match_case(other, word) for other in _SIDES[word.lower()]]


def _match_case(word: str, like: str) -> str:
    if like.isupper():
        return word.upper()
    return word.title() if like[0].isupper() else word


def _groups(keyed: Iterable[tuple[int, Hashable]]) -> Groups:
    """The indices that share a key, where two or more do."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for index, key in keyed:
        found[key].append(index)
    return tuple(tuple(group) for group in found.values() if len(group) > 1)


def times_the_identity(moment: float) -> str:
    """An isotropic tensor in words."""
    return "the identity" if moment == 1 else f"{moment:.6g} times the identity"
