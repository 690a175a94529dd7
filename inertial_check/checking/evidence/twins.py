"""Twins: bodies whose names differ in the side alone, and how one side maps onto the other.

A robot that is built symmetric is a mirror image of itself at its zero pose. The plane is not told
by any format; it is found as the one in which most pairs agree. Everything here is a fact of the
document; whether a difference is suspicious is for rules and causes to say.

Names of twins: bodies whose names differ in the side alone, left and right.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from inertial_check.documents.model import Model
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, LongIntegers, Mask

Flags = Mask
Indices = LongIntegers

SIGNS: Floats = np.array(list(product((1.0, -1.0), repeat=3)))
"""(8, 3) the reflections that keep the axes, the identity first."""

SIGNS_OF_ENTRIES: Floats = SIGNS[:, :, None] * SIGNS[:, None]
"""(8, 3, 3) the factors of the entries of a tensor under the reflections of SIGNS."""

AGREEMENT = 0.03
"""Largest distance of a pair from a symmetry, in sizes of the bodies, at which the pair votes for
it. Nine of ten pairs of real models agree to the last digit, so that three tell a plane."""

VOTES = 3
"""Number of pairs that a symmetry needs: one pair has many planes, and two may share one by
chance. One less for a plane that mirrors the joints of all twins."""

MAJORITY = 0.6
"""Share of all pairs that the symmetries of a model have to explain; below it the two sides stand
in different poses, or are built differently, and say nothing about each other."""

ALIGNED = 0.2
"""Largest distance of the joints of a pair from being mirrored, in sizes of the bodies, at which
the plane holds for the pair; beyond it the sides stand in different poses."""

_CANDIDATES = 200
"""Largest number of planes that are tried for one model; every pair that votes proposes one, so
that more add nothing but time."""

_PARALLEL = 0.05
"""Sine of the largest angle between joint axes that are parallel: three degrees, so that axes from
rounded angles are."""

_FRAMES: Floats = np.array(
    [np.eye(3)[list(order)] * signs[:, None] for order in permutations(range(3)) for signs in SIGNS]
)
"""(48, 3, 3) all ways in which the axes of one frame can lie along those of another, the identity
first."""

_AXES: Indices = np.argmax(np.abs(_FRAMES), axis=2)
_ALONG: Floats = np.sum(_FRAMES, axis=2)
_ALONG_BOTH: Floats = _ALONG[:, :, None] * _ALONG[:, None]
"""(48, 3) which axis each row of _FRAMES takes and with which sign, (48, 3, 3) the signs of the
entries of a tensor: to pick entries is ten times as fast as to multiply matrices."""

_TURNS = np.flatnonzero((np.linalg.det(_FRAMES) > 0) & (np.arange(len(_FRAMES)) > 0))
"""Those of _FRAMES that turn a body and do not mirror it, without the identity."""


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
        spread: (T,) the same of the spreads alone, which do not depend on the origins of the links;
            NaN where the axes of the two links do not lie along each other at the zero pose.
        turned: (T,) whether one is exactly the other, turned by quarter or half turns: one part
            mounted twice.
        symmetry: (T, 4, 4) the map from the frame of the second body to that of the first under
            the symmetry of the model that fits the pair best: a reflection, or a motion where
            copies are mounted twice. NaN where the model has none.
        offsets: (T, 2) distances of the centres of mass and of the spreads after that map,
            relative to the size of the bodies and its square; NaN where the model has none.
        planes: (T, 4) the unit normal n and the offset d [m] of the plane n . p = d of that
            symmetry in the frame of the root; NaN where it is no plane.
        aligned: (T,) whether a symmetry maps the joints of the two bodies, and those of the twins
            that they carry, onto each other.
        scatter: The 60th percentile of the larger offset over all pairs; NaN without a symmetry.
    """

    bodies: Indices
    mass: Floats
    moments: Floats
    apart: Floats
    spread: Floats
    turned: Flags
    symmetry: Floats
    offsets: Floats
    planes: Floats
    aligned: Flags
    scatter: float

    @property
    def known(self) -> Flags:
        """(T,) whether the model has a symmetry for the pair."""
        known: Flags = np.isfinite(self.offsets[:, 0])
        return known


class Numbers(NamedTuple):
    """The numbers of several bodies, each in its own frame.

    Attributes:
        mass: (N,) [kg].
        p_BoBcm_B: (N, 3) centres of mass [m].
        C_BBcm_B: (N, 3, 3) spreads [m^2].
        moments: (N, 3) principal moments, ascending [kg m^2].
    """

    mass: Floats
    p_BoBcm_B: Floats
    C_BBcm_B: Floats
    moments: Floats

    def of(self, rows: Indices) -> Numbers:
        """Select bodies."""
        return Numbers(*(each[rows] for each in self))

    @property
    def size(self) -> Floats:
        """(N,) root mean square distance of the mass from its centre [m]."""
        return resemblance.size(self.C_BBcm_B)


def compare_twins(
    model: Model, twins: Sequence[tuple[int, int]], stated: Flags, numbers: Numbers
) -> TwinPairs:
    """Measure how far twins differ, in the symmetry of the model and in any axes.

    Args:
        model: As read.
        twins: Indices of all twins.
        stated: (N,) which bodies state numbers; pairs of others are left out of the comparison.
        numbers: Of all bodies of the model.
    """
    pairs = [pair for pair in twins if stated[pair[0]] and stated[pair[1]]]
    if not pairs:
        # Comparison of the twins of a model that has none: arrays of no rows.
        none_numbers, flags = np.zeros(0), np.zeros(0, dtype=bool)
        none_bodies, planes = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 4))
        maps, offsets = np.zeros((0, 4, 4)), np.zeros((0, 2))
        ratios = none_numbers, none_numbers, none_numbers, none_numbers
        return TwinPairs(none_bodies, *ratios, flags, maps, offsets, planes, flags, np.nan)
    bodies = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    one, other = (numbers.of(column) for column in bodies.T)
    joints = Joints(model, twins)
    with np.errstate(all="ignore"):
        ratio = one.mass / other.mass
        moments, others = one.moments / one.mass[:, None], other.moments / other.mass[:, None]
        larger = np.maximum(moments[:, 2], others[:, 2])
        unlike = np.max(np.abs(moments - others), axis=1) / larger
        centers, spreads = _offsets_in_any_axes(one, other)
        apart = np.min(np.maximum(centers, spreads), axis=1, initial=np.inf)
        spread = np.min(spreads, axis=1, initial=np.inf)
        spread = np.where(joints.are_square(bodies), spread, np.nan)
        # (T,) whether one body is exactly the other, turned by quarter or half turns.
        off = np.maximum(centers, spreads)
        copied = np.any(off[:, _TURNS] <= tolerances.TURNED_COPY, axis=1)
        turned: Flags = copied & (off[:, 0] > tolerances.TURNED_COPY)
        found = _stand_in_symmetry(joints, bodies, one, other, turned)
    mass = np.maximum(ratio, 1 / ratio)
    return TwinPairs(bodies, mass, unlike, apart, spread, turned, *found)


def _stand_in_symmetry(
    joints: Joints, bodies: Indices, one: Numbers, other: Numbers, turned: Flags
) -> tuple[Floats, Floats, Floats, Flags, float]:
    """What TwinPairs says of the symmetry."""
    count = len(bodies)
    unknown = np.full((count, 4, 4), np.nan), np.full((count, 2), np.nan)
    nothing = (*unknown, np.full((count, 4), np.nan), np.zeros(count, dtype=bool), np.nan)
    if count < VOTES:
        return nothing
    maps, planes, signs = find_symmetries(joints, bodies, one, other, turned)
    if not len(maps):
        return nothing
    # The map that carries origin to origin is an excuse for joints that are a little off, and no
    # more: where it does not bring the pair together, the pose of the body counts.
    offsets = measure_offsets(maps, one, other)
    worst = np.nan_to_num(np.max(offsets, axis=-1), nan=np.inf)
    rows = np.arange(count)
    closer = ((worst[:, 1] < worst[:, 0]) & (worst[:, 1] <= ALIGNED)).astype(np.int64)
    places = np.arange(len(maps))[:, None], closer, rows
    maps, offsets, worst = maps[places], offsets[places], worst[places]
    aligned = np.array(
        [
            joints.align(plane, sign, bodies, np.maximum(one.size, other.size))
            for plane, sign in zip(planes, signs, strict=True)
        ]
    )
    aligned &= np.isfinite(worst)
    # The first symmetry on which a pair agrees, or else the nearest of those that hold for it.
    rank = np.where(worst <= AGREEMENT, 0.0, np.where(aligned, worst, 1e3 + worst))
    best = np.argmin(rank, axis=0)
    least = np.min(worst, axis=0)
    scatter = float(np.sort(least)[int(MAJORITY * (count - 1))])
    held = np.any(aligned, axis=0) & (least > AGREEMENT) | aligned[best, rows]
    return maps[best, rows], offsets[best, rows], planes[best], held, scatter


class Symmetries(NamedTuple):
    """Symmetries of a model, the one on which most of its twins agree first.

    Attributes:
        maps: (K, 2, T, 4, 4) from the second body's frame to the first's, the second one with
            origin to origin.
        planes: (K, 4) normal and offset [m] in the root; NaN where the symmetry is no plane.
        signs: (K, 3) signs of the axes of the links; NaN where the symmetry is a plane.
    """

    maps: Floats
    planes: Floats
    signs: Floats


def find_symmetries(
    joints: Joints, bodies: Indices, one: Numbers, other: Numbers, turned: Flags
) -> Symmetries:
    """Find the symmetries of a model on which its twins agree.

    Candidates are all planes between positions of the two sides, at the zero pose, and the
    reflections that keep the axes of the links, whatever the pose: the identity among them, for
    copies of one part. The one with most votes is taken; of several, the plane that mirrors most
    joints, and then the closest. Others are taken too where at least VOTES pairs agree on them that
    none before explains, as in a robot whose legs are mirrored and whose arms are one part mounted
    twice.

    Args:
        joints: Of all twins.
        bodies: (T, 2) the pairs.
        one: Numbers of the first bodies.
        other: Numbers of the second bodies.
        turned: (T,) whether one body is exactly the other, turned by quarter or half turns.

    Returns:
        None at all where the twins do not agree.
    """
    count = len(bodies)
    X_W1, X_W2 = joints.place(bodies)
    planes = _propose_planes(X_W1, X_W2, one, other)
    signs = np.concatenate([np.full((len(planes), 3), np.nan), SIGNS])
    every = np.concatenate([planes, np.full((len(SIGNS), 4), np.nan)])
    sizes = np.maximum(one.size, other.size)
    reflected = _measure_reflected(planes, X_W1, X_W2, one, other, sizes)
    # (8, 2, T) the same for the reflections of SIGNS, which map origin to origin anyway.
    off = SIGNS[:, None] * other.p_BoBcm_B - one.p_BoBcm_B
    unlike = SIGNS_OF_ENTRIES[:, None] * other.C_BBcm_B - one.C_BBcm_B
    spreads = resemblance.norm(unlike, axis=(-2, -1)) / sizes**2
    farther = np.maximum(resemblance.norm(off) / sizes, spreads)
    offsets = np.concatenate([reflected, np.stack([farther, farther], axis=1)])
    size = float(np.max(sizes))
    lengths = joints.mirror(planes)
    distance = np.nan_to_num(lengths / size, nan=np.inf)  # poses that overflow mirror nothing
    mirrored, whole = np.zeros(len(every)), np.zeros(len(every), dtype=bool)
    mirrored[: len(planes)] = np.mean(np.maximum(1 - distance / AGREEMENT, 0.0), axis=1)
    whole[: len(planes)] = np.all(distance <= ALIGNED, axis=1)
    # The map that carries origin to origin is one and the same for all parallel planes: a pair that
    # agrees by it alone is for those that mirror its joint, and counts half.
    exact, votes = offsets[:, 0] <= AGREEMENT, offsets[:, 1] <= AGREEMENT
    votes[: len(planes)] &= lengths[:, joints.rows_of(bodies)] <= ALIGNED * sizes
    votes |= exact
    # The offset of a plane shows in the poses alone; half of the pairs may be anything.
    closeness = np.sort(np.minimum(np.nan_to_num(offsets[:, 0], nan=1.0), 1.0), axis=1)
    preference = 0.9 * mirrored - 0.05 * closeness[:, count // 2]  # less than one vote
    needed = np.where(whole, VOTES - 1, VOTES)
    chosen: list[int] = []
    explained = np.zeros(count, dtype=bool)
    while True:
        gained = np.sum(votes & ~explained, axis=1)
        worth = (gained + np.sum(exact & ~explained, axis=1)) / 2 + preference / 2
        best = int(np.argmax(np.where(gained < needed, -1.0, worth)))
        if gained[best] < needed[best]:
            break
        chosen.append(best)
        explained |= votes[best]
        needed[:] = VOTES
    if np.sum(explained) < MAJORITY * np.sum(~turned | explained):
        chosen = []
    maps = _map(every[chosen], signs[chosen], X_W1, X_W2)
    return Symmetries(maps, every[chosen], signs[chosen])


def _measure_reflected(
    planes: Floats, X_W1: Floats, X_W2: Floats, one: Numbers, other: Numbers, sizes: Floats
) -> Floats:
    """(K, 2, T) how far pairs lie from the reflection in planes, in sizes of the bodies.

    The larger of the distances of centres and spreads, at the zero pose and with origin to origin.
    Lengths are the same in all frames, so that bodies are placed in the root once for all planes.
    """
    M, t = _reflections(planes)
    arm, twin_arm = _turn(X_W1, one.p_BoBcm_B), _turn(X_W2, other.p_BoBcm_B)
    here, there = arm + X_W1[:, :3, 3], twin_arm + X_W2[:, :3, 3]
    off = np.stack([there @ M + t - here, twin_arm @ M - arm], axis=1)
    C_1W = resemblance.rotate(X_W1[:, :3, :3], one.C_BBcm_B)
    C_2W = resemblance.rotate(X_W2[:, :3, :3], other.C_BBcm_B)
    # (K, T, 3, 3) symmetric tensors (T, 3, 3) under reflections (K, 3, 3): M S M.
    shape = len(M), *C_2W.shape
    halves = (C_2W.reshape(-1, 3) @ M).reshape(shape)
    rows = np.swapaxes(halves, -1, -2).reshape(len(M), 3 * len(C_2W), 3)  # of M S
    mirrored: Floats = (rows @ M).reshape(shape)
    spreads = resemblance.norm(mirrored - C_1W, axis=(-2, -1)) / sizes**2
    farther: Floats = np.maximum(resemblance.norm(off) / sizes, spreads[:, None])
    return farther


def _reflections(planes: Floats) -> tuple[Floats, Floats]:
    """(K, 3, 3) symmetric matrices and (K, 1, 3) translations that reflect points in planes."""
    n, d = planes[:, None, :3], planes[:, None, 3:]
    return np.eye(3) - 2 * planes[:, :3, None] * n, 2 * d * n


def _map(planes: Floats, signs: Floats, X_W1: Floats, X_W2: Floats) -> Floats:
    """(K, 2, T, 4, 4) maps of symmetries from the second bodies' frames to the first's.

    Joints that are not mirrored to the millimetre move whole links: the second map of a plane
    carries origin to origin.
    """
    maps = np.tile(np.eye(4), (len(planes), 2, len(X_W1), 1, 1))
    for each, plane, kept in zip(maps, planes, signs, strict=True):
        if np.isnan(kept[0]):
            # (K, T, 4, 4) maps from the second body's frame to the first's by reflection in planes.
            reflect_planes = plane[None]
            n, d = reflect_planes[:, :3], reflect_planes[:, 3]
            M = np.tile(np.eye(4), (len(reflect_planes), 1, 1))
            M[:, :3, :3] -= 2 * n[:, :, None] * n[:, None, :]
            M[:, :3, 3] = 2 * d[:, None] * n
            R_1W = np.swapaxes(X_W1[:, :3, :3], -1, -2)
            X_1W = np.tile(np.eye(4), (len(X_W1), 1, 1))
            X_1W[:, :3, :3] = R_1W
            X_1W[:, :3, 3] = -np.einsum("tij,tj->ti", R_1W, X_W1[:, :3, 3])
            reflect_maps: Floats = X_1W @ M[:, None] @ X_W2
            each[:] = reflect_maps
            each[1, :, :3, 3] = 0.0
        else:
            each[..., [0, 1, 2], [0, 1, 2]] = kept
    return maps


class Joints:
    """The joints of twins, to see whether the two sides stand in one pose."""

    def __init__(self, model: Model, twins: Sequence[tuple[int, int]]) -> None:
        """Collect them.

        Args:
            model: As read.
            twins: Indices of all twins.
        """
        self._X_PB, self._placed = _poses_in_parents(model)
        self._X_WB, roots = _chain_poses(model, self._X_PB, self._placed)
        self._bodies = model.bodies
        self._pairs = np.array(twins, dtype=np.int64).reshape(-1, 2)
        self._together = roots[self._pairs[:, 0]] == roots[self._pairs[:, 1]]
        bodies = [model.bodies[index] for index in self._pairs.ravel().tolist()]
        parents = [(model.bodies[one].parent, model.bodies[other].parent) for one, other in twins]
        self._share_parent = np.array([one == other for one, other in parents], dtype=bool)
        axes = np.array([body.axis_B or (0.0, 0.0, 0.0) for body in bodies])
        points = np.array([body.p_BoJo_B or (0.0, 0.0, 0.0) for body in bodies])
        self._axes, self._points = axes.reshape(-1, 2, 3), points.reshape(-1, 2, 3)

    def place(self, bodies: Indices) -> tuple[Floats, Floats]:
        """(T, 4, 4) poses of the two sides of pairs in their common root; NaN without one."""
        X_W1, X_W2 = self._X_WB[bodies[:, 0]], self._X_WB[bodies[:, 1]]
        pairs = {tuple(pair) for pair in self._pairs[self._together].tolist()}
        apart = [tuple(pair) not in pairs for pair in bodies.tolist()]
        X_W1[apart] = np.nan
        return X_W1, X_W2

    def rows_of(self, bodies: Indices) -> Indices:
        """(T,) the rows of some pairs among all twins."""
        rows = {tuple(pair): row for row, pair in enumerate(self._pairs.tolist())}
        return np.array([rows[tuple(pair)] for pair in bodies.tolist()], dtype=np.int64)

    def are_square(self, bodies: Indices) -> Flags:
        """(T,) whether the axes of the two sides lie along each other at the zero pose."""
        X_W1, X_W2 = self.place(bodies)
        R_12 = np.abs(np.swapaxes(X_W1[:, :3, :3], -1, -2) @ X_W2[:, :3, :3])
        square: Flags = np.all((R_12 < _PARALLEL) | (R_12 > 1 - _PARALLEL), axis=(1, 2))
        return square

    def align(self, plane: Floats, signs: Floats, bodies: Indices, size: Floats) -> Flags:
        """Tell for which pairs a symmetry maps their joints onto each other.

        A body's own joint is compared, and those of the twins that it carries, which show where
        it is turned about its own.

        Args:
            plane: (4,) in the root; NaN for a symmetry of the links' axes.
            signs: (3,) of these axes.
            bodies: (T, 2) the pairs.
            size: (T,) of the bodies [m].
        """
        distance = self.mirror(plane[None])[0] if np.isfinite(plane[3]) else self.keep(signs)
        farthest: dict[frozenset[str | None], float] = {}
        for (one, other), each in zip(self._pairs.tolist(), distance.tolist(), strict=True):
            pair = self._bodies[one], self._bodies[other]
            for key in (frozenset(b.id for b in pair), frozenset(b.parent for b in pair)):
                farthest[key] = max(farthest.get(key, 0.0), each)
        ids = [frozenset(self._bodies[index].id for index in row) for row in bodies.tolist()]
        aligned: Flags = np.array([farthest[key] for key in ids]) <= ALIGNED * size
        return aligned

    def mirror(self, planes: Floats) -> Floats:
        """(K, P) distances of the joints after reflection in planes, at the zero pose [m].

        A frame may stand anywhere along the axis of its joint, so that the distance is that
        between the axes; where there is none, that between the points. Infinite where the axes
        are not mirrored, or where the two sides have no common root.

        Args:
            planes: (K, 4) in the root.
        """
        X_WB = self._X_WB[self._pairs]
        axes = np.einsum("psij,psj->psi", X_WB[..., :3, :3], self._axes)
        points = np.einsum("psij,psj->psi", X_WB[..., :3, :3], self._points) + X_WB[..., :3, 3]
        M, t = _reflections(planes)
        distance = _distance_of_lines(
            axes[:, 0], points[:, 0], axes[:, 1] @ M, points[:, 1] @ M + t
        )
        return np.where(self._together, distance, np.inf)

    def keep(self, signs: Floats) -> Floats:
        """(P,) distances of the joints after a reflection that keeps the axes of the links [m].

        Bodies on the same parent may be mounted anywhere; others have to stand alike in theirs.
        """
        distance = _distance_of_lines(
            self._axes[:, 0],
            self._points[:, 0],
            self._axes[:, 1] * signs,
            self._points[:, 1] * signs,
        )
        X_P1, X_P2 = self._X_PB[self._pairs[:, 0]], self._X_PB[self._pairs[:, 1]]
        turns = X_P1[:, :3, :3] - np.outer(signs, signs) * X_P2[:, :3, :3]
        off = resemblance.norm(X_P1[:, :3, 3] - signs * X_P2[:, :3, 3])
        alike = np.max(np.abs(turns), axis=(1, 2)) < _PARALLEL
        standing = np.where(alike, np.maximum(distance, off), np.inf)
        standing = np.where(self._share_parent, distance, standing)
        kept: Floats = np.where(np.all(self._placed[self._pairs], axis=1), standing, np.inf)
        return kept


def _distance_of_lines(axis: Floats, point: Floats, other: Floats, moved: Floats) -> Floats:
    """(..., P) distances between lines; infinite where not parallel, or only one has an axis.

    Args:
        axis: (P, 3) directions; 0 for a point.
        point: (P, 3) [m].
        other: (..., P, 3) directions of the others.
        moved: (..., P, 3) points of the others [m].
    """
    offset = moved - point
    beside = offset - np.sum(offset * axis, axis=-1, keepdims=True) * axis
    across = other - np.sum(other * axis, axis=-1, keepdims=True) * axis
    twisted = resemblance.norm(across) > _PARALLEL
    twisted |= np.any(axis != 0, axis=-1) != np.any(other != 0, axis=-1)
    distance: Floats = np.where(twisted, np.inf, resemblance.norm(beside))
    return distance


def measure_offsets(
    maps: Floats, one: Numbers, other: Numbers, size: Floats | None = None
) -> Floats:
    """Measure how far the second bodies, mapped, lie from the first.

    Args:
        maps: (..., T, 4, 4) from the second body's frame to the first's.
        one: T bodies.
        other: T bodies.
        size: (T,) length that counts as one [m]; None for the size of the larger body.

    Returns:
        (..., T, 2) distance of the centres of mass, and Frobenius distance of the spreads, relative
        to that length and its square; NaN where a map is unknown.
    """
    size = np.maximum(one.size, other.size) if size is None else size
    # (..., T) distances of the centres of mass, relative to the size.
    with np.errstate(all="ignore"):
        centers = np.einsum("...ij,...j->...i", maps[..., :3, :3], other.p_BoBcm_B)
        distance: Floats = resemblance.norm(centers + maps[..., :3, 3] - one.p_BoBcm_B) / size
    centers = distance
    # (..., T) Frobenius distances of the spreads, relative to the square of the size.
    R = maps[..., :3, :3]
    with np.errstate(all="ignore"):
        spreads = resemblance.rotate(R, other.C_BBcm_B) - one.C_BBcm_B
        spreads_distance: Floats = resemblance.norm(spreads, axis=(-2, -1)) / size**2
    spreads = spreads_distance
    return np.stack([centers, spreads], axis=-1)


def _propose_planes(X_W1: Floats, X_W2: Floats, one: Numbers, other: Numbers) -> Floats:
    """(K, 4) planes between the origins and the centres of mass of twins: normal and offset [m].

    Each is proposed as it is, and with its normal along the nearest axis of the root.
    """
    here = np.concatenate([X_W1[:, :3, 3], _place(X_W1, one.p_BoBcm_B)])
    there = np.concatenate([X_W2[:, :3, 3], _place(X_W2, other.p_BoBcm_B)])
    between, middle = here - there, (here + there) / 2
    length = np.linalg.norm(between, axis=1)
    reach = np.max(np.nan_to_num(length), initial=0.0)
    # The plane between points that nearly coincide is rounding.
    far = length > tolerances.PLANE_BASE * reach
    farthest = np.argsort(-length[far], kind="stable")  # whose plane is the most exact
    normals, middle = (between[far] / length[far, None])[farthest], middle[far][farthest]
    axes = np.eye(3)[np.argmax(np.abs(normals), axis=1)]
    normals = np.concatenate([axes, normals])
    middle = np.concatenate([middle, middle])
    offsets = np.sum(normals * middle, axis=1)
    largest = np.argmax(np.abs(normals), axis=1)[:, None]
    sign = np.sign(np.take_along_axis(normals, largest, axis=1))  # n, d and -n, -d are one plane
    planes = np.concatenate([normals, offsets[:, None]], axis=1) * sign
    unit = tolerances.SAME_PLANE * np.array([1.0, 1.0, 1.0, reach])
    unit = np.maximum(unit, np.finfo(float).tiny)
    first: dict[tuple[float, ...], int] = {}  # np.unique sorts rows, in ten times the time
    for place, row in enumerate(np.round(planes / unit).tolist()):
        first.setdefault(tuple(row), place)
    distinct: Floats = planes[[*first.values()][:_CANDIDATES]]
    return distinct


def _place(X_WB: Floats, p_B: Floats) -> Floats:
    placed: Floats = _turn(X_WB, p_B) + X_WB[:, :3, 3]
    return placed


def _turn(X_WB: Floats, v_B: Floats) -> Floats:
    turned: Floats = np.einsum("tij,tj->ti", X_WB[:, :3, :3], v_B)
    return turned


def world_poses(model: Model) -> tuple[Floats, Indices]:
    """Poses of all bodies where every joint is at its zero.

    Returns:
        (N, 4, 4) poses in the root that carries each body, and (N,) the index of that root: the
        nearest body above, or itself, whose pose in its parent is unknown.
    """
    return _chain_poses(model, *_poses_in_parents(model))


def _poses_in_parents(model: Model) -> tuple[Floats, Flags]:
    """(N, 4, 4) poses of bodies in their parents, identity if unknown, and (N,) which are known."""
    poses = [body.X_PB for body in model.bodies]
    known = np.array([pose is not None for pose in poses], dtype=bool)
    placed = [pose for pose in poses if pose is not None]
    X_PB = np.tile(np.eye(4), (len(poses), 1, 1))
    X_PB[known, :3, :3] = np.array([pose.R_PB for pose in placed]).reshape(-1, 3, 3)
    X_PB[known, :3, 3] = np.array([pose.p_PoBo_P for pose in placed]).reshape(-1, 3)
    return X_PB, known


def _chain_poses(model: Model, X_PB: Floats, placed: Flags) -> tuple[Floats, Indices]:
    """Compute the poses and the roots that `world_poses` returns, from the poses in parents."""
    index_of = {body.id: index for index, body in enumerate(model.bodies)}
    known = placed.tolist()
    own = list(X_PB)
    X_WB = [np.eye(4)] * len(own)
    roots = [-1] * len(own)
    for start in range(len(own)):
        chain = []
        index: int | None = start
        while index is not None and roots[index] < 0 and index not in chain:
            chain.append(index)
            parent = index_of.get(model.bodies[index].parent or "")
            index = parent if known[index] else None
        for place in reversed(chain):
            if index is None or not known[place]:
                roots[place] = place
            else:
                # One product of two matrices takes dot a fifth of the time of @.
                X_WB[place], roots[place] = X_WB[index].dot(own[place]), roots[index]
            index = place
    return np.array(X_WB).reshape(-1, 4, 4), np.array(roots, dtype=np.int64)


def apart_from_twin(
    pairs: TwinPairs, index: Indices, numbers: Numbers, p_BoBcm_B: Floats, C_BBcm_B: Floats
) -> Floats:
    """How far other numbers of bodies are from those of their twins, in sizes of the twins.

    Args:
        pairs: The twins of the model.
        index: (n,) of bodies with a twin.
        numbers: Of all bodies of the model.
        p_BoBcm_B: (n, 3) centres of mass that the bodies could have [m].
        C_BBcm_B: (n, 3, 3) spreads that they could have [m^2].

    Returns:
        (n,) in the symmetry of the model; in the axes that suit best where it has none.
    """
    places = np.zeros(len(numbers.mass), dtype=np.int64)
    places[pairs.bodies.ravel()] = np.arange(pairs.bodies.size)
    row, column = np.divmod(places[index], 2)
    twin = numbers.of(pairs.bodies[row, 1 - column])
    body = twin._replace(p_BoBcm_B=p_BoBcm_B, C_BBcm_B=C_BBcm_B)
    known, size = pairs.known[row], twin.size
    apart = np.zeros(len(index))
    if len(rows := np.flatnonzero(~known)):
        off = _offsets_in_any_axes(twin.of(rows), body.of(rows), size[rows])
        apart[rows] = np.min(np.maximum(*off), axis=1)
    for side, (one, other) in enumerate(((body, twin), (twin, body))):
        if len(rows := np.flatnonzero(known & (column == side))):
            maps = pairs.symmetry[row[rows]]
            mapped = measure_offsets(maps, one.of(rows), other.of(rows), size[rows])
            apart[rows] = np.max(mapped, axis=-1)
    return apart


def _offsets_in_any_axes(
    one: Numbers, other: Numbers, size: Floats | None = None
) -> tuple[Floats, Floats]:
    """(T, 48) how far centres and spreads lie from others, turned into each of _FRAMES."""
    size = np.maximum(one.size, other.size) if size is None else size
    centers = one.p_BoBcm_B[:, _AXES] * _ALONG
    spreads = one.C_BBcm_B[:, _AXES[:, :, None], _AXES[:, None]] * _ALONG_BOTH
    apart = resemblance.norm(centers - other.p_BoBcm_B[:, None])
    unlike = resemblance.norm(spreads - other.C_BBcm_B[:, None], axis=(2, 3))
    with np.errstate(all="ignore"):
        return apart / size[:, None], unlike / size[:, None] ** 2


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
_WRITTEN_OUT = (
    ("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"),
    ("right", "left"), ("Right", "Left"), ("RIGHT", "LEFT"),
)  # fmt: skip
"""Sides that are found within a word, and what the other side has in their place."""

_LONGEST = 100
"""Largest number of characters of a name whose mirror images are remembered."""


def find_twins(names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Pairs of bodies whose names differ in the side alone: left and right."""
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


def mirror_names(name: str) -> tuple[str, ...]:
    """List the names that the body on the other side may have, the most probable first."""
    return _recall_mirrored(name) if len(name) <= _LONGEST else tuple(_mirror(name))


def _mirror(name: str) -> Iterator[str]:
    """Mirror a name in every way.

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
    for pattern, other in _WRITTEN_OUT:
        if pattern in name:
            yield name.replace(pattern, other)
    for i, word in enumerate(words):
        if len(word) > 1 and word[0] in "lrLR":
            other = _others(word[0])[0] + word[1:]
            if other.lower() not in _SIDES:  # no light is the left of a right
                yield "".join((*words[:i], other, *words[i + 1 :]))


@lru_cache(maxsize=2048)  # variants of a robot have the same names
def _recall_mirrored(name: str) -> tuple[str, ...]:
    return tuple(_mirror(name))


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
