"""The bodies of a model together: twins, children, repetitions, the size of the skeleton.

Everything is computed when it is first asked for, once a model, for all bodies at once. What is
said here are facts of the document; whether they are suspicious is for rules and causes to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite, isnan, nan

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.twins import (
    Numbers,
    TwinPairs,
    apart_from_twin,
    compare_twins,
    find_twins,
    world_poses,
)
from inertial_check.documents.model import Judgement, Model, is_computable
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, LongIntegers, Mask

Flags = Mask
Indices = LongIntegers
Groups = tuple[tuple[int, ...], ...]
Three = tuple[float, float, float]

STATED = frozenset({"consistent", "boundary"})
"""Verdicts of bodies whose written numbers some body has."""

_WITHOUT_NUMBERS = (
    "twins", "children", "joints", "_child_joints", "skeleton", "scale", "poses", "parent_poses",
    "span", "reach",
)  # fmt: skip
"""Cached properties of an assembly that no mass, centre or tensor changes."""


class Assembly:
    """What the bodies of a model say of each other. Indices are those of the model's bodies.

    Attributes:
        model: As read.
        judgements: One a body.
        stated: (N,) which bodies state numbers that some body has, with mass, and not mere crumbs.
        mass: (N,) [kg]; NaN where unread.
        total_mass: Sum of all masses that are stated, or that a format's default states [kg].
        p_BoBcm_B: (N, 3) centres of mass in the body frames [m].
        moments: (N, 3) principal moments, ascending [kg m^2].
        placeholders: (N,) whether the tensor is a power of ten times the identity, up to a change
            of units.
        box: (N, 3) edges of the equivalent box, ascending [m].
        density: (N,) of the equivalent box [kg/m^3]; infinite for plates, rods and points.
        size: (N,) root mean square distance of the mass from its centre [m].
        C_BBcm_B: (N, 3, 3) covariance of the mass about its centre, in the body's axes [m^2].
    """

    def __init__(self, model: Model, judgements: Sequence[Judgement]) -> None:
        """Look at a model.

        Args:
            model: As read.
            judgements: One a body, in the model's order.
        """
        self.model, self.judgements = model, judgements
        self.stated: Flags = np.array(
            [
                judgement.verdict in STATED
                and judgement.mass > 0
                and not judgement.numerically_zero
                and all(map(isfinite, (*judgement.I_BBcm_B, *judgement.p_BoBcm_B)))
                and is_computable(judgement)
                for judgement in judgements
            ],
            dtype=bool,
        )
        self.mass: Floats = np.array([each.mass for each in judgements])
        self.total_mass = float(np.nansum(self.mass))
        self.p_BoBcm_B: Floats = np.array([each.p_BoBcm_B for each in judgements]).reshape(-1, 3)
        moments = np.array([each.principal_moments for each in judgements]).reshape(-1, 3)
        self.moments: Floats = moments
        self.box: Floats = np.array([each.equivalent_box for each in judgements]).reshape(-1, 3)
        six = np.array([each.I_BBcm_B for each in judgements]).reshape(-1, 6)
        self.C_BBcm_B = resemblance.spread(self.mass, resemblance.matrices(six))
        low, high = moments[:, 0], moments[:, 2]
        with np.errstate(all="ignore"):
            self.density: Floats = self.mass / np.prod(self.box, axis=1)
            self.size: Floats = np.sqrt(np.sum(moments, axis=1) / 2 / self.mass)
            power = 10.0 ** np.round(np.log10(high))
            rounding = float(tolerances.floor(np.ones(()))) * power
            self.placeholders: Flags = (low == high) & (np.abs(high - power) <= rounding)
        self._numbers = Numbers(self.mass, self.p_BoBcm_B, self.C_BBcm_B, moments)

    def keep(self, before: Assembly, changed: Collection[int]) -> None:
        """Keep what is known of the same bodies with other numbers, where these do not matter.

        Args:
            before: The bodies with other numbers.
            changed: Indices of those whose numbers are others.
        """
        twins = any(index in changed for pair in before.twins for index in pair)
        names = {*_WITHOUT_NUMBERS, *(() if twins else ("twin_pairs",))}
        self.__dict__ |= {name: v for name, v in before.__dict__.items() if name in names}

    @cached_property
    def twins(self) -> Sequence[tuple[int, int]]:
        """Pairs of bodies whose names differ in the side alone: left and right."""
        return find_twins([body.name for body in self.model.bodies])

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

    def add_carried_mass(self, index: int) -> float:
        """Mass of a body with all bodies that joints tie to it, and so on [kg]."""
        carried, open_ends = {index}, [index]
        while open_ends:
            new = [child for child in self.children[open_ends.pop()] if child not in carried]
            carried.update(new)
            open_ends += new
        return float(np.nansum(self.mass[sorted(carried)]))

    @cached_property
    def joints(self) -> tuple[Floats, ...]:
        """For each body (J, 3) its joints in its own frame: its own, and those to its children [m].

        Those that the document does not place are not among them.
        """
        own = [() if body.joint is None else ((0.0, 0.0, 0.0),) for body in self.model.bodies]
        return tuple(
            np.array(points + others).reshape(-1, 3)
            for points, others in zip(own, self._child_joints, strict=True)
        )

    @cached_property
    def _child_joints(self) -> tuple[tuple[Three, ...], ...]:
        """For each body its joints to its children in its own frame, where they are placed [m]."""
        poses = [body.X_PB for body in self.model.bodies]
        return tuple(
            tuple(pose.p_PoBo_P for child in children if (pose := poses[child]) is not None)
            for children in self.children
        )

    @cached_property
    def skeleton(self) -> Floats:
        """(N,) how far the farthest joint to a child is from the body's origin [m].

        0 where a body has no child, or where the document does not tell the joints' places.
        """
        squares = [[x * x + y * y + z * z for x, y, z in points] for points in self._child_joints]
        farthest = [nan if any(map(isnan, each)) else max(each, default=0.0) for each in squares]
        distances: Floats = np.sqrt(np.array(farthest))
        return distances

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
    def poses(self) -> Floats:
        """(N, 4, 4) poses of the bodies in their roots, where every joint is at its zero."""
        return world_poses(self.model)[0]

    @cached_property
    def parent_poses(self) -> Floats:
        """(N, 4, 4) poses of the bodies in their parents; the identity for those without."""
        poses: Floats = np.tile(np.eye(4), (len(self.model.bodies), 1, 1))
        for pose, body in zip(poses, self.model.bodies, strict=True):
            if body.X_PB is not None:
                pose[:3, :3], pose[:3, 3] = body.X_PB.R_PB, body.X_PB.p_PoBo_P
        return poses

    @cached_property
    def span(self) -> float:
        """The diagonal of the box about the origins of all bodies at the zero pose [m]."""
        origins = self.poses[:, :3, 3]
        return float(np.linalg.norm(np.ptp(origins, axis=0))) if len(origins) else 0.0

    @cached_property
    def reach(self) -> Floats:
        """(N,) length of each body by its joints, or the typical one where that is longer [m]."""
        reach: Floats = np.fmax(self.skeleton, np.nan_to_num(self.scale))
        return reach

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
    def copied_tensors(self) -> Mapping[int, tuple[int, ...]]:
        """Bodies that state one tensor beside masses too unlike for it, by each of them.

        They are three or more.
        """
        groups = (group for group in self.same_tensor if len(group) >= limits.REPEATED)
        masses = ((group, self.mass[[*group]]) for group in groups)
        copied = [group for group, m in masses if np.max(m) >= limits.OTHER_MASS * np.min(m)]
        return {index: group for group in copied for index in group}

    def share_copy(self, one: int, other: int) -> bool:
        """Whether two bodies have a copied tensor, whose digits are rather those of a third."""
        group = self.copied_tensors.get(one)
        return group is not None and group is self.copied_tensors.get(other)

    @cached_property
    def twin_pairs(self) -> TwinPairs:
        """How far twins that state numbers differ, in the symmetry of the model."""
        return compare_twins(self.model, self.twins, self.stated, self._numbers)

    def twin(self, index: int) -> int | None:
        """The body on the other side, where both state numbers; None without one."""
        row = self.twin_row(index)
        return None if row is None else int(self.twin_pairs.bodies[row].sum()) - index

    def twin_row(self, index: int) -> int | None:
        """The row of `twin_pairs` of a body; None for a body without a twin that states numbers."""
        return self.twin_rows.get(index)

    @cached_property
    def twin_rows(self) -> Mapping[int, int]:
        """The row of `twin_pairs` of each body that has one, known without comparing the twins."""
        stated = self.stated
        rows: dict[int, int] = {}
        compared = [pair for pair in self.twins if stated[pair[0]] and stated[pair[1]]]
        for row, pair in enumerate(compared):
            for index in pair:
                rows.setdefault(index, row)
        return rows

    def twin_map(self, index: int) -> Floats:
        """(4, 4) map from the frame of a body's twin to its own; the identity where unknown."""
        row = self.twin_row(index)
        if row is None or not self.twin_pairs.known[row]:
            return np.eye(4)
        X_12 = self.twin_pairs.symmetry[row]
        forth: Floats = X_12 if index == self.twin_pairs.bodies[row, 0] else np.linalg.inv(X_12)
        return forth

    def apart(self, index: Indices, p_BoBcm_B: Floats, C_BBcm_B: Floats) -> Floats:
        """How far other numbers of bodies are from those of their twins, in sizes of the twins.

        Args:
            index: (n,) of bodies with a twin.
            p_BoBcm_B: (n, 3) centres of mass that the bodies could have [m].
            C_BBcm_B: (n, 3, 3) spreads that they could have [m^2].

        Returns:
            (n,) in the symmetry of the model; in the axes that suit best where it has none.
        """
        return apart_from_twin(self.twin_pairs, index, self._numbers, p_BoBcm_B, C_BBcm_B)

    def _stating(self) -> Iterator[tuple[int, Judgement]]:
        stated = self.stated
        return ((i, judgement) for i, judgement in enumerate(self.judgements) if stated[i])


def _groups(keyed: Iterable[tuple[int, Hashable]]) -> Groups:
    """The indices that share a key, where two or more do."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for index, key in keyed:
        found[key].append(index)
    return tuple(tuple(group) for group in found.values() if len(group) > 1)


def times_the_identity(moment: float) -> str:
    """An isotropic tensor in words."""
    return "the identity" if moment == 1 else f"{moment:.6g} times the identity"
