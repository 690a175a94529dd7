"""Distances between convex shapes, many pairs at once, with lower bounds that are proven.

A shape is the Minkowski sum of the convex hull of points, an ellipsoid and a ball: a sphere is a
point and a ball, a capsule a segment and a ball, a cylinder a segment and a flat ellipsoid, a box
and the hull of a mesh are points alone. The distance of two of them is found by the algorithm of
Gilbert, Johnson and Keerthi (A Fast Procedure for Computing the Distance Between Complex Objects in
Three-Dimensional Space, 1988). Any direction of its search proves that the shapes are apart by at
least the gap that they leave along it; the largest gap is what is returned.

Clearance of a robot from itself and from fixed obstacles, in a motion and between its samples.

Bodies carry convex shapes. Distances are proven lower bounds; between two samples a distance falls
no faster than the speeds of the joints between the two bodies, times their reach, allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from inertial_check.identification.excitation.fourier import PROVEN_AT, FourierSeries
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, Mask
from inertial_check.mechanics.jacobians import poses
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree

ROUNDS = 40
"""Largest number of points added to a simplex: polytopes need about five, round shapes ten."""

_SUBSETS = tuple(each for size in range(1, 5) for each in combinations(range(4), size))
"""Vertices, edges, triangles and the whole of a simplex of four corners."""


class ConvexShapes(NamedTuple):
    """Convex shapes, each fixed in a frame.

    Attributes:
        corners: (k, V, 3) points of the hulls [m]; a shape with fewer repeats its first.
        spread: (k, 3, 3) matrix M of the ellipsoid M x, |x| <= 1 [m]; zeros for none.
        radius: (k,) radius of the ball [m].
    """

    corners: Floats
    spread: Floats
    radius: Floats

    @property
    def centers(self) -> Floats:
        """(k, 3) middle of each shape [m]."""
        return np.asarray((self.corners.min(axis=1) + self.corners.max(axis=1)) / 2)

    @property
    def reach(self) -> Floats:
        """(k,) radius of a ball about each centre that holds the shape [m]."""
        away = np.linalg.norm(self.corners - self.centers[:, None], axis=2).max(axis=1)
        return np.asarray(away + np.linalg.norm(self.spread, axis=(1, 2)) + self.radius)

    def rows(self, index: Integers) -> ConvexShapes:
        """Return the shapes of these indices, one for each."""
        return ConvexShapes(self.corners[index], self.spread[index], self.radius[index])

    def move(self, R: Floats, p: Floats) -> ConvexShapes:
        """Rotate each shape by R (k, 3, 3) and translate it by p (k, 3)."""
        corners = self.corners @ np.swapaxes(R, 1, 2) + p[:, None]
        return ConvexShapes(corners, R @ self.spread, self.radius)

    def support(self, d: Floats) -> Floats:
        """Return the point (k, 3) farthest along each direction (k, 3), without the ball."""
        along = np.matmul(self.corners, d[:, :, None])[:, :, 0]
        point = self.corners[np.arange(len(d)), np.argmax(along, axis=1)]
        inner = np.matmul(np.swapaxes(self.spread, 1, 2), d[:, :, None])
        length = np.linalg.norm(inner, axis=1, keepdims=True)
        unit = inner / np.where(length > 0, length, 1.0)  # zeros: any point of the ellipsoid serves
        return np.asarray(point + np.matmul(self.spread, unit)[:, :, 0])


class Gaps(NamedTuple):
    """Distances of pairs of shapes A and B.

    Attributes:
        distance: (m,) proven lower bound of the distance [m]; 0 or less where shapes overlap.
        normal: (m, 3) unit vector from B to A along which they are that far apart.
        points_A: (m, 3) nearest points of A, without its ball [m].
        points_B: (m, 3) nearest points of B, without its ball [m].
    """

    distance: Floats
    normal: Floats
    points_A: Floats
    points_B: Floats


def pad_shapes(shapes: Sequence[tuple[Floats, Floats, float]]) -> ConvexShapes:
    """Put shapes into arrays.

    Args:
        shapes: Corners (V, 3), spread (3, 3) and radius of each.
    """
    width = max((len(corners) for corners, _, _ in shapes), default=1)
    corners = np.zeros((len(shapes), width, 3))
    for own, (given, _, _) in zip(corners, shapes, strict=True):
        own[:] = given[0]
        own[: len(given)] = given
    spread = np.array([each for _, each, _ in shapes]).reshape(-1, 3, 3)
    return ConvexShapes(corners, spread, np.array([radius for _, _, radius in shapes]))


def measure_gaps(A: ConvexShapes, B: ConvexShapes, enough: ArrayLike = np.inf) -> Gaps:
    """Measure the distances of pairs of shapes (m), in one frame.

    Args:
        A: First shapes.
        B: Second ones.
        enough: (m,) or a number: distances from which a lower bound suffices [m]. Most pairs that
            are that far apart are settled by the first direction. Their nearest points are those of
            the search until then, zeros where there was none.
    """
    apart = A.centers - B.centers
    length = np.linalg.norm(apart, axis=1, keepdims=True)
    v = np.where(length > 0, apart / np.where(length > 0, length, 1.0), np.array([0.0, 0.0, 1.0]))
    size = A.reach + B.reach
    best = Gaps(np.full(len(v), -np.inf), v.copy(), np.zeros_like(v), np.zeros_like(v))
    simplex, active = np.zeros((2, len(v), 4, 3)), np.zeros((len(v), 4), dtype=bool)
    running, settled = np.arange(len(v)), np.asarray(enough) + A.radius + B.radius
    for _ in range(ROUNDS):
        own = v[running]
        new = np.stack([A.rows(running).support(-own), B.rows(running).support(own)])
        norm = np.linalg.norm(own, axis=1)
        # No point of A - B is nearer along v than that of the support points: a plane across v
        # parts the shapes by this gap. The textbook's |v| is an upper bound until the search ends.
        gap = np.sum(own * (new[0] - new[1]), axis=1) / norm
        better = running[gap > best.distance[running]]
        best.distance[running] = np.maximum(best.distance[running], gap)
        best.normal[better] = v[better] / np.linalg.norm(v[better], axis=1, keepdims=True)
        near = best.distance[running] < settled[running]
        running, new = running[near], new[:, near]
        if not len(running):
            break
        slot = np.argmin(active[running], axis=1)
        simplex[:, running, slot], active[running, slot] = new, True
        weights, nearest = _find_nearest(simplex[0, running] - simplex[1, running], active[running])
        active[running] = weights > 0
        v[running] = nearest
        points = np.einsum("mk,amkc->amc", weights, simplex[:, running])
        best.points_A[running], best.points_B[running] = points
        left = np.linalg.norm(nearest, axis=1)
        open_ = left - best.distance[running] > tolerances.DISTANCE_SETTLED * size[running]
        inside = left <= tolerances.DISTANCE_SETTLED * size[running]
        running = running[open_ & ~inside & ~active[running].all(axis=1)]
    return best._replace(distance=best.distance - A.radius - B.radius)


def _find_nearest(points: Floats, active: Mask) -> tuple[Floats, Floats]:
    """Find the point nearest to the origin in each simplex (m, 4, 3), and its weights (m, 4).

    The weights on a face are cofactors of its Gram matrix, by Johnson's recursion; of the faces
    whose weights are all positive the nearest one holds the point.
    """
    gram = np.matmul(points, np.swapaxes(points, 1, 2))
    cofactors: dict[tuple[int, ...], Floats] = {}
    best = np.full(len(points), np.inf)
    weights = np.zeros((len(points), 4))
    for face in _SUBSETS:
        own = np.zeros((len(points), 4))
        for j in face:
            rest = tuple(each for each in face if each != j)
            if not rest:
                own[:, j] = 1.0
                continue
            k = rest[0]
            own[:, j] = sum(cofactors[rest][:, i] * (gram[:, i, k] - gram[:, i, j]) for i in rest)
        cofactors[face] = own
        chosen = list(face)
        valid = active[:, chosen].all(axis=1) & (own[:, chosen] > 0).all(axis=1)
        total = np.where(valid, own.sum(axis=1), 1.0)  # positive where the face is valid
        shares = own / total[:, None]
        point = np.matmul(shares[:, None, :], points)[:, 0]
        square = np.where(valid, np.sum(point**2, axis=1), np.inf)
        nearer = square < best
        best[nearer], weights[nearer] = square[nearer], shares[nearer]
    return weights, np.matmul(weights[:, None, :], points)[:, 0]


SPLITS = 12
"""Largest number of times that an interval between samples is halved in a proof."""

CHUNK = 20_000
"""Largest number of pairs of shapes whose distances are computed at once, some 30 MB."""


class Obstacles(NamedTuple):
    """Shapes of the bodies, and the pairs of them that have to stay apart.

    Attributes:
        shapes: (k,) shapes, each in the frame of its body.
        body: (k,) index of the body of each; -1 for what stands still in the inertial frame.
        pairs: (P, 2) indices of the shapes of each pair.
        least: (P,) distance that each pair has to keep [m].
    """

    shapes: ConvexShapes
    body: Integers
    pairs: Integers
    least: Floats


class Closest(NamedTuple):
    """Closest approach of the pairs in a motion.

    Attributes:
        pair: Index of the pair that comes nearest to the distance that it has to keep.
        distance: Its least distance at the samples [m].
        kept: Whether all pairs keep their distances at all times, as proven.
    """

    pair: int
    distance: float
    kept: bool


@dataclass(frozen=True, eq=False)
class Clearance:
    """Distances between the shapes of a robot.

    Attributes:
        tree: The robot.
        obstacles: Its shapes and pairs.
    """

    tree: Tree
    obstacles: Obstacles

    @cached_property
    def size(self) -> float:
        """Median radius of the shapes of bodies [m], in which shortfalls are counted."""
        moving = self.obstacles.body != INERTIAL_FRAME
        return float(np.median(self.obstacles.shapes.reach[moving]))

    @cached_property
    def signs(self) -> Floats:
        """(P, n) 1 where a joint moves the first shape of a pair only, -1 the second only, or 0."""
        moves = np.zeros((len(self.tree) + 1, self.tree.n_u))
        for body, joints in enumerate(self.tree.columns):
            moves[body, list(joints)] = 1.0
        first, second = self.obstacles.body[self.obstacles.pairs].T
        return np.asarray(moves[first] - moves[second])  # the last row is that of -1, the world

    def distances(self, q: Floats, most: float = np.inf) -> Floats:
        """Compute lower bounds (S, P) of the distances in configurations (S, n) [m].

        Args:
            q: The configurations.
            most: Excess over the distance to keep from which a lower bound suffices [m].
        """
        X = self._place(q)
        found = self._bound_by_balls(X)
        sample, pair = np.nonzero(found < self.obstacles.least + most)
        for part in _split(len(sample)):
            own = sample[part], pair[part]
            enough = self.obstacles.least[pair[part]] + most
            found[own] = np.maximum(found[own], self._measure(X, *own, enough).distance)
        return found

    def shortfall(self, q: Floats, slack: float) -> tuple[float, Floats]:
        """Sum the squares of what distances fall short of, in sizes of a shape, and its slope.

        Args:
            q: (S, n) configurations.
            slack: Distance to keep beyond the least one [m].

        Returns:
            The sum, and its derivatives (S, n) with the coordinates.
        """
        X, value, slope = self._place(q), 0.0, np.zeros_like(q)
        target = self.obstacles.least + slack
        sample, pair = np.nonzero(self._bound_by_balls(X) < target)
        for part in _split(len(sample)):
            rows, pairs = sample[part], pair[part]
            gaps = self._measure(X, rows, pairs, target[pairs])
            short = np.maximum(target[pairs] - gaps.distance, 0.0) / self.size
            value += float(np.sum(short**2))
            open_ = short > 0
            rows, pairs = rows[open_], pairs[open_]
            gaps = Gaps(*(each[open_] for each in gaps))
            moved = self._follow(X[rows], self.signs[pairs], gaps)
            np.add.at(slope, rows, -2 / self.size * short[open_, None] * moved)
        return value, slope

    def prove(self, series: FourierSeries) -> Closest:
        """Prove that all pairs keep their distances at all times of a motion.

        Around a sample, a distance changes no faster than the sum of the speeds of the joints
        between the two bodies, each times the farthest that a shape is ever from its axis. Where
        that does not settle an interval, it is halved.
        """
        samples = PROVEN_AT * series.a.shape[1]
        half = series.duration / samples / 2
        reach = self._reach(np.abs(series.q0) + series.peaks[0]) * np.abs(self.signs)
        t = np.arange(samples) * 2 * half + half
        times, pairs = (each.ravel() for each in np.indices((samples, len(reach))))
        best, excess = Closest(-1, np.inf, True), np.inf
        least = self.obstacles.least
        for _ in range(SPLITS):
            q, u, _ = series.at(t)
            # The speed at the middle of an interval and the acceleration's peak bound that in it.
            speed = np.sum((np.abs(u[times]) + half * series.peaks[2]) * reach[pairs], axis=1)
            found = self._bound(q, times, pairs, least[pairs] + speed * half)
            place = int(np.argmin(found - least[pairs]))
            if found[place] - least[pairs[place]] < excess:
                excess = float(found[place] - least[pairs[place]])
                best = best._replace(pair=int(pairs[place]), distance=float(found[place]))
            if np.any(found < least[pairs]):
                return best._replace(kept=False)
            open_ = found - speed * half < least[pairs]
            if not open_.any():
                return best
            left, index = np.unique(times[open_], return_inverse=True)
            half /= 2
            t = np.concatenate([t[left] - half, t[left] + half])
            times = np.concatenate([index, index + len(left)])
            pairs = np.tile(pairs[open_], 2)
        return best._replace(kept=False)

    def _place(self, q: Floats) -> Floats:
        """Poses (S, N + 1, 4, 4) of the bodies; the last is the inertial frame."""
        X = np.asarray(poses(self.tree, q))
        world = np.broadcast_to(np.eye(4), (len(q), 1, 4, 4))
        return np.concatenate([X, world], axis=1)

    def _bound_by_balls(self, X: Floats) -> Floats:
        """Bound the distances (S, P) by balls about the shapes."""
        shapes, body = self.obstacles.shapes, self.obstacles.body
        own = X[:, body]
        centers = np.einsum("skij,kj->ski", own[..., :3, :3], shapes.centers) + own[..., :3, 3]
        first, second = self.obstacles.pairs.T
        apart = np.linalg.norm(centers[:, first] - centers[:, second], axis=2)
        return np.asarray(apart - shapes.reach[first] - shapes.reach[second])

    def _bound(self, q: Floats, times: Integers, pairs: Integers, enough: Floats) -> Floats:
        """Bound the distances of some pairs at some samples, precisely where less than enough."""
        X = self._place(q)
        found = self._bound_by_balls(X)[times, pairs]
        near = np.flatnonzero(found < enough)
        for part in _split(len(near)):
            own = near[part]
            gaps = self._measure(X, times[own], pairs[own], enough[own])
            found[own] = np.maximum(found[own], gaps.distance)
        return found

    def _measure(self, X: Floats, sample: Integers, pair: Integers, enough: Floats) -> Gaps:
        """Measure pairs at samples, in the inertial frame, precisely where less than enough."""
        moved = []
        for index in self.obstacles.pairs[pair].T:
            own = X[sample, self.obstacles.body[index]]
            moved.append(self.obstacles.shapes.rows(index).move(own[:, :3, :3], own[:, :3, 3]))
        return measure_gaps(moved[0], moved[1], enough)

    def _follow(self, X: Floats, signs: Floats, gaps: Gaps) -> Floats:
        """Derivatives (m, n) of distances with the coordinates.

        Args:
            X: (m, N + 1, 4, 4) poses.
            signs: (m, n) of each distance.
            gaps: The distances.
        """
        tree = self.tree
        movers = [body for body, joint in enumerate(tree.joints) if joint != "fixed"]
        own = X[:, movers]
        axis = np.einsum("mjab,jb->mja", own[..., :3, :3], tree.axes_B[movers])
        start = np.einsum("mjab,jb->mja", own[..., :3, :3], tree.points_B[movers]) + own[..., :3, 3]
        points = np.where(signs[:, :, None] > 0, gaps.points_A[:, None], gaps.points_B[:, None])
        turning = np.array([tree.joints[body] == "revolute" for body in movers])
        moved = np.where(turning[:, None], np.cross(axis, points - start), axis)
        return np.asarray(signs * np.einsum("mja,ma->mj", moved, gaps.normal))

    def _reach(self, travel: Floats) -> Floats:
        """Farthest distance (P, n) of the moved shape of each pair from the axis of each joint [m].

        For a prismatic joint it is 1: it moves all points alike.

        Args:
            travel: (n,) largest absolute coordinates.
        """
        shapes, tree = self.obstacles.shapes, self.tree
        found = np.zeros((len(shapes.radius), tree.n_u))
        for shape, own in enumerate(self.obstacles.body.tolist()):
            body = own
            point, way = shapes.centers[shape], float(shapes.reach[shape])
            while body != INERTIAL_FRAME:
                way += float(np.linalg.norm(point - tree.points_B[body]))
                point = tree.X_PB[body, :3, :3] @ tree.points_B[body] + tree.X_PB[body, :3, 3]
                place = tree.velocities[body].start
                if tree.joints[body] == "revolute":
                    found[shape, place] = way
                elif tree.joints[body] == "prismatic":
                    found[shape, place] = 1.0
                    way += float(travel[place])
                body = int(tree.parents[body])
        first, second = self.obstacles.pairs.T
        return np.asarray(np.where(self.signs > 0, found[first], found[second]))


def _split(count: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, count, CHUNK))
