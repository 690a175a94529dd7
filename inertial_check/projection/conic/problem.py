"""A joint problem of bodies and their constraints, in units in which everything has size one.

Minimise u^T M u / 2 over the change u of the bodies and the auxiliary y, with g + Gu u + Gy y in a
product of cones. u is svec(L^-1 dPi L^-T) / size for each body, L L^T its reference; the rows of a
block are divided by their length; M has determinant 1 where it is definite.

A conic solver loses as many digits as a body lies lengths from the origin, and so does the
factorisation of its steps. `find_place` gives a frame at the constraints, in units of their own
size, in which it does not.

Two programs decide whether bodies with positive mass meet some constraints, each by the least slack
t that all cones need together, which always exists:

* with the numbers of the constraints as they are, and any mass, zero too;
* with a mass of one for a body, and the numbers of the constraints times k >= 0.

A point of the first plus a multiple of one of the second has positive mass: t <= 0 in both is a
proof that a body exists. A positive t in either is the optimum of a program whose dual proves it.
Which constraints exclude each other is the smallest set that no deletion leaves infeasible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import LARGEST, second_moment
from inertial_check.inertia.tolerances import WEIGHED_DIRECTION
from inertial_check.projection.certificate import Conflict
from inertial_check.projection.conic.cones import Part, complementarity, distance
from inertial_check.projection.conic.solvers import minimise_linear
from inertial_check.projection.constraint import Block, Cone, Constraint, UnmetError
from inertial_check.projection.constraints import (
    ComInBall,
    ComInBox,
    ComInHull,
    FixedCom,
    FixedEntries,
    FixedMass,
    MassBounds,
    TotalMass,
)
from inertial_check.projection.densities import Density, DensityInUnion
from inertial_check.projection.moments import central_inertia
from inertial_check.projection.quadratic import Quadratic
from inertial_check.projection.svec import (
    FROM_SVEC,
    TO_SVEC,
    Certificate,
    apply,
    congruence,
    factors,
    order_of,
    pack,
)


class Applied(NamedTuple):
    """A constraint on some of the bodies of a joint problem.

    Attributes:
        constraint: The constraint.
        bodies: Indices within the joint problem.
    """

    constraint: Constraint
    bodies: tuple[int, ...]


class JointProblem(NamedTuple):
    """A joint problem in its units.

    Attributes:
        M: (10 n, 10 n) positive semidefinite.
        Gu: (k, 10 n).
        Gy: (k, aux).
        g: (k,).
        parts: The cones of the rows; the first n are Pi - Delta >= 0, body by body.
        theta0: (n, 10) the given bodies [SI].
        units: (n, 10, 10) theta = theta0 + size units u.
        inverses: (n, 4, 4) L^-1.
        size: By which svec was divided.
        weight: By which M was divided.
    """

    M: Floats
    Gu: Floats
    Gy: Floats
    g: Floats
    parts: tuple[Part, ...]
    theta0: Floats
    units: Floats
    inverses: Floats
    size: float
    weight: float

    @property
    def violation(self) -> float:
        """Distance by which the given bodies fail what needs no auxiliary variables."""
        alone = [p for p in self.parts if not self.Gy[p.rows].any()]
        return distance(self.g, tuple(alone))

    def image(self, theta: Floats) -> Floats:
        """Convert bodies, or changes of them, (n, 10) to the units of u (10 n,)."""
        return np.asarray(apply(self.inverses, theta @ TO_SVEC.T).ravel() / self.size)

    def theta(self, u: Floats) -> Floats:
        """Compute the bodies (n, 10) after a change u (10 n,)."""
        steps = np.matmul(self.units, u.reshape(-1, 10, 1))[:, :, 0]
        return np.asarray(self.theta0 + self.size * steps + 0.0)  # no -0

    def multipliers(self, z: Floats, rows: slice | None = None) -> Floats:
        """Compute svec (n, 10) of what multipliers z pull with [SI], by those of Pi - Delta >= 0.

        Args:
            z: (k,) of the rows.
            rows: Others than those.
        """
        count = len(self.theta0)
        some = slice(10 * count) if rows is None else rows
        own = (self.Gu[some].T @ z[some]).reshape(count, 10) * (self.weight / self.size)
        return np.asarray(np.einsum("nij,ni->nj", congruence(self.inverses), own))


Frames = tuple[Floats, Floats]
"""Factors L (n, 4, 4) of bodies L L^T in whose units a problem is posed, and their inverses."""


def build_joint_problem(
    problem: Quadratic, applied: tuple[Applied, ...], shifts: Floats, frames: Frames | None = None
) -> JointProblem:
    """Build the problem of these bodies together.

    Args:
        problem: Problem of the bodies.
        applied: The constraints on them, beside Pi - Delta >= 0.
        shifts: (n, 3) p_BoFo_B: the problem is in frames F, the constraints in B, with equal axes.
        frames: Units of the problem; those of its reference by default.
    """
    count = len(problem.theta0)
    L, inverses = factors(problem.reference) if frames is None else frames
    units = np.matmul(FROM_SVEC, congruence(L))
    floor = problem.theta0 @ TO_SVEC.T - pack(problem.Delta)
    given = apply(inverses, floor)
    alpha = float(np.max(L[:, 3, 3] ** 2 + np.sum(L[:, 3, :3] ** 2, axis=1)))
    cones: list[tuple[Cone, int]] = [("psd", 10)] * count
    A, B, b = [np.eye(10 * count)], [np.zeros((10 * count, 0))], [given.ravel()]
    for constraint, bodies in applied:
        blocks = _place(constraint, bodies, problem.theta0, units, shifts)
        cones += [(block.cone, len(block.b)) for block in blocks]
        A += [block.A for block in blocks]
        width = blocks[-1].B.shape[1]
        wide = [np.pad(block.B, ((0, 0), (0, width - block.B.shape[1]))) for block in blocks]
        B.append(alpha * np.concatenate(wide))
        b += [block.b for block in blocks]
    parts = _part(cones)
    # Join matrices: each has rows and columns of its own.
    shapes = np.cumsum([(0, 0), *(matrix.shape for matrix in B)], axis=0)
    joined = np.zeros(tuple(shapes[-1]))
    for (row, column), matrix in zip(shapes[:-1].tolist(), B, strict=True):
        joined[row : row + matrix.shape[0], column : column + matrix.shape[1]] = matrix
    Gu, Gy, g = np.concatenate(A), joined, np.concatenate(b)
    length = _measure_rows(parts, Gu, Gy)
    Gu, Gy, g = Gu / length[:, None], Gy / length[:, None], g / length
    alone = tuple(part for part in parts if not Gy[part.rows].any())
    size = max(float(np.max(np.linalg.norm(given, axis=1))), distance(g, alone))
    size = size if size > 0 else 1.0
    M, weight = _metric(problem, None if frames is None else L, units, size)
    return JointProblem(M, Gu, Gy, g / size, parts, problem.theta0, units, inverses, size, weight)


def _part(cones: list[tuple[Cone, int]]) -> tuple[Part, ...]:
    """Number the rows of cones that stand one under the other."""
    parts, start = [], 0
    for cone, count in cones:
        parts.append(Part(cone, slice(start, start + count)))
        start += count
    return tuple(parts)


def _place(
    constraint: Constraint, bodies: tuple[int, ...], theta0: Floats, units: Floats, shifts: Floats
) -> list[Block]:
    """Place the blocks of a constraint on the changes of all bodies.

    Raises:
        OverflowError: Numbers of it whose products float64 cannot hold.
    """
    maps = [np.eye(10) if constraint.in_frame else shift_map(shifts[i]) for i in bodies]
    given = np.stack([H @ theta0[i] for H, i in zip(maps, bodies, strict=True)])
    blocks = constraint.blocks(given)
    own = np.concatenate([block.A for block in blocks])
    largest = np.max(np.abs(own), initial=0.0)
    if not largest <= LARGEST:
        raise OverflowError(f"{constraint!r} has numbers of {largest:.1e}")
    A = np.zeros((len(own), 10 * len(theta0)))
    for k, (H, i) in enumerate(zip(maps, bodies, strict=True)):
        A[:, 10 * i : 10 * i + 10] += own[:, 10 * k : 10 * k + 10] @ (H @ units[i])
    b = own @ given.ravel() + np.concatenate([block.b for block in blocks])
    parts = _part([(block.cone, len(block.b)) for block in blocks])
    return [
        block._replace(A=A[part.rows], b=b[part.rows])
        for block, part in zip(blocks, parts, strict=True)
    ]


def shift_map(p_BoFo_B: Floats) -> Floats:
    """Build the map (10, 10) of theta about Fo to theta about Bo; 1 without a shift."""
    if not p_BoFo_B.any():
        return np.eye(10)
    X_BF = np.eye(4)
    X_BF[:3, 3] = p_BoFo_B
    return np.asarray(FROM_SVEC @ congruence(X_BF[None])[0] @ TO_SVEC)


def row_lengths(cone: Cone, A: Floats, B: Floats) -> Floats:
    """Measure the rows [A B] of one cone: (k,) lengths; that of the longest where it ties them."""
    return _measure_rows((Part(cone, slice(0, len(A))),), A, B)


def _measure_rows(parts: tuple[Part, ...], A: Floats, B: Floats) -> Floats:
    """Measure the rows [A B] of several cones: (k,)."""
    length = np.sqrt(np.einsum("ij,ij->i", A, A) + np.einsum("ij,ij->i", B, B))
    for cone, rows in parts:
        if cone in {"psd", "soc"}:
            length[rows] = np.max(length[rows], initial=0.0)
    return np.where(length > 0, length, 1.0)


def _metric(
    problem: Quadratic, L: Floats | None, units: Floats, size: float
) -> tuple[Floats, float]:
    """Build M of all bodies, and the weight by which it was divided.

    Args:
        problem: Problem of the bodies.
        L: (n, 4, 4) the units, where they are not those of its reference.
        units: (n, 10, 10) maps of these units to theta.
        size: By which svec is divided.
    """
    whiten = None
    if problem.W is None and L is not None:
        whiten = congruence(np.matmul(factors(problem.reference)[1], L)) * size
    count = len(problem.theta0)
    M = np.zeros((10 * count, 10 * count))
    for i in range(count):
        own = slice(10 * i, 10 * i + 10)
        if whiten is not None:
            M[own, own] = whiten[i].T @ whiten[i]
        elif problem.W is None:
            M[own, own] = np.eye(10) * size**2
        else:
            M[own, own] = units[i].T @ problem.W[i] @ units[i] * size**2
    M = (M + M.T) / 2
    # Geometric mean of the directions that have a weight: a singular W has determinant 0.
    values = np.linalg.eigvalsh(M)
    weighed = values[values > WEIGHED_DIRECTION * values[-1]]
    weight = float(np.exp(np.mean(np.log(weighed)))) if weighed.size else 1.0
    return M / weight, weight


class Piece(NamedTuple):
    """The proof of one joint problem.

    Attributes:
        rows: Rows of the batch.
        problem: The problem, in its units.
        y: (aux,) auxiliary variables.
        z: (k,) multipliers of the rows.
    """

    rows: Integers
    problem: JointProblem
    y: Floats
    z: Floats


class Proof(NamedTuple):
    """The multipliers of a batch under constraints, from which its certificate can be computed."""

    pieces: tuple[Piece, ...]

    def certify(self, theta: Floats, *, of_move: bool = False) -> Certificate:
        """Compute by how much bodies (n, 10) fail the optimality conditions.

        The residuals are in the units of each joint problem, whose bodies share them; `of_move`
        divides them by the size of the move there.
        """
        found = Certificate(*np.full((3, len(theta)), np.inf))  # where nothing is proven
        for rows, problem, y, z in self.pieces:
            move = (
                float(np.linalg.norm(problem.image(theta[rows] - problem.theta0)))
                if of_move
                else 1.0
            )
            for whole, part in zip(found, certify(problem, theta[rows], y, z), strict=True):
                whole[rows] = part / (move if move > 0 else 1.0)
        return found


def certify(problem: JointProblem, theta: Floats, y: Floats, z: Floats) -> Certificate:
    """Compute by how much the bodies (n, 10) of a joint problem fail to be the nearest."""
    u = problem.image(theta - problem.theta0)
    s = problem.g + problem.Gu @ u + problem.Gy @ y
    force = np.concatenate([problem.M @ u - problem.Gu.T @ z, problem.Gy.T @ z])
    outside = distance(z, problem.parts, dual=True)
    dual = max(float(np.linalg.norm(force)), outside)
    return Certificate(distance(s, problem.parts), dual, complementarity(s, z, problem.parts))


Infeasible = Callable[[tuple[Applied, ...]], bool]
"""Test of constraints: true if no consistent bodies meet all of them."""


SMALL_SETS = 2
"""Size up to which every set of constraints is tried, so that no larger conflict hides a pair."""

MOST_TRIED = 12
"""Number of constraints up to which the small sets are tried: 78 programs."""


def irreducible(applied: Sequence[Applied], infeasible: Infeasible) -> tuple[Applied, ...]:
    """Find a conflicting subset of which every constraint is needed for the conflict.

    A single one or a pair, where there is one; else one constraint after the other is left out for
    good where the rest still conflict.

    Args:
        applied: All of them, in conflict.
        infeasible: The judge of a subset.
    """
    if len(applied) <= MOST_TRIED:
        for size in range(1, min(SMALL_SETS, len(applied) - 1) + 1):
            for some in combinations(applied, size):
                if infeasible(some):
                    return some
    # Deletion filter (Chinneck and Dravnieks, ORSA J. Comput. 3, 1991): as many tests as
    # constraints, and every one that stays is needed.
    kept = list(applied)
    for candidate in applied:
        rest = tuple(other for other in kept if other is not candidate)
        if infeasible(rest):
            kept = list(rest)
    return tuple(kept)


def describe(conflict: Sequence[Applied], names: Sequence[int], margin: float = 0.0) -> Conflict:
    """Describe a conflict by its constraints, their bodies and a sentence.

    Args:
        conflict: An irreducible subset.
        names: The caller's index of each body of the joint problem.
        margin: Margin with which they conflict.
    """
    body = f"body with the margin {margin:g}" if margin > 0 else "consistent body"
    said = [
        f"{one.constraint!r} of {name_bodies([names[i] for i in one.bodies])}" for one in conflict
    ]
    message = f"no {body} meets {said[0]}"
    if len(said) > 1:
        message = (
            f"no {body} meets {', '.join(said[:-1])} and {said[-1]} together; "
            "without any one of these the others can be met"
        )
    bodies = sorted({names[i] for one in conflict for i in one.bodies})
    return Conflict(tuple(one.constraint for one in conflict), tuple(bodies), message)


def name_bodies(names: Sequence[int]) -> str:
    """Body 3, or bodies 1, 2."""
    if len(names) == 1:
        return f"body {names[0]}"
    return f"bodies {', '.join(map(str, names))}"


class Place(NamedTuple):
    """Units of the bodies of a problem.

    Attributes:
        center: (3,) origin of the frame [m].
        length: Unit of length [m].
        mass: Unit of mass [kg].
    """

    center: Floats
    length: float
    mass: float

    def frame(self) -> tuple[Floats, Floats]:
        """Build L (4, 4) of the body L L^T with these units, and its inverse, without rounding."""
        root = np.sqrt(self.mass)
        L, inverse = root * np.eye(4), np.eye(4) / root
        L[:3, :3] *= self.length
        L[:3, 3] = root * self.center
        inverse[:3, :3] /= self.length
        inverse[:3, 3] = -self.center / (self.length * root)
        return L, inverse


def find_place(constraints: Sequence[tuple[Constraint, Floats]], theta: Floats) -> Place:
    """Find units for bodies (n, 10) under constraints, each with the bodies that it holds for."""
    corners = [points_of(one, own) for one, own in constraints]
    points = np.concatenate([np.zeros((0, 3)), *corners])
    masses = [mass for one, own in constraints for mass in _masses_of(one, own)]
    center, length, mass = _place_of_bodies(theta)
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
        center = (low + high) / 2
        size = float(np.max(high - low)) / 2
        length = size if size > 0 else length
    if masses:
        mass = float(np.exp(np.mean(np.log(masses))))
    return Place(center, length, mass)


def points_of(constraint: Constraint, theta: Floats) -> Floats:
    """Find points (k, 3) around what a constraint says of the place of bodies (n, 10) [m]."""
    if isinstance(constraint, Density):
        return np.concatenate([_corners(shape) for shape in _shapes(constraint)])
    if isinstance(constraint, ComInBall):
        arms = constraint.radius * np.eye(3)
        return np.concatenate([constraint.center + arms, constraint.center - arms])
    if isinstance(constraint, ComInBox):
        return np.stack([constraint.lower, constraint.upper])
    if isinstance(constraint, ComInHull):
        return np.asarray(constraint.points)
    if isinstance(constraint, FixedCom):
        heavy = theta[theta[:, 0] != 0]
        given = heavy[:, 1:4] / heavy[:, :1]
        return np.atleast_2d(given if constraint.com is None else np.asarray(constraint.com))
    return np.zeros((0, 3))


def find_fixed_places(
    applied: Iterable[tuple[Constraint, tuple[int, ...]]], theta0: Floats, shifts: Floats
) -> dict[int, Floats]:
    """Find the centres of mass (3,) that constraints fix, by body, in the frame of the problem [m].

    Args:
        applied: The constraints, with the bodies that each holds for.
        theta0: (n, 10) the given bodies, in that frame.
        shifts: (n, 3) p_BoFo_B [m]; constraints are about Bo.
    """
    found: dict[int, Floats] = {}
    for constraint, bodies in applied:
        for i in bodies:
            given = theta0[i, 1:4] / theta0[i, 0] if theta0[i, 0] != 0 else None
            if isinstance(constraint, FixedCom) and constraint.com is not None:
                found[i] = np.asarray(constraint.com, dtype=np.float64) - shifts[i]
            elif isinstance(constraint, FixedCom) and given is not None:
                found[i] = given
            elif isinstance(constraint, FixedEntries):
                values = [constraint.value_of(k, theta0[i]) for k in range(4)]
                known = None not in values and not (shifts[i].any() and not constraint.anywhere)
                if known and values[0]:
                    mass, *h = (float(value) for value in values if value is not None)
                    found[i] = np.array(h) / mass
    return found


def _shapes(density: Density) -> Iterable[Density]:
    if isinstance(density, DensityInUnion):
        for shape in density.shapes:
            yield from _shapes(shape)
    else:
        yield density


def _corners(density: Density) -> Floats:
    """Find points around a shape that is no union (k, 3), from its own frame."""
    frame = density.frame()
    if np.array_equal(frame[3], np.ones(4)):  # the corners of a tetrahedron
        return np.asarray(frame[:3].T)
    axes, center = frame[:3, :3], frame[:3, 3]
    return np.concatenate([center + axes.T, center - axes.T])


def _masses_of(constraint: Constraint, theta: Floats) -> list[float]:
    """Find the positive masses that a constraint names [kg]."""
    named: list[float] = []
    if isinstance(constraint, FixedMass):
        named = [float(theta[0, 0]) if constraint.mass is None else constraint.mass]
    elif isinstance(constraint, MassBounds):
        named = [constraint.lower, constraint.upper]
    elif isinstance(constraint, TotalMass):
        named = [constraint.mass / len(theta)]
    return [mass for mass in named if 0 < mass < np.inf]


def _place_of_bodies(theta: Floats) -> tuple[Floats, float, float]:
    """Find the middle [m], size [m] and mean mass [kg] of bodies (n, 10); one where there is none.

    The numbers need not be those of a body: only their magnitudes count.
    """
    heavy = theta[np.abs(theta[:, 0]) > 0]
    if not len(heavy):
        return np.zeros(3), 1.0, 1.0
    mass = np.abs(heavy[:, 0])
    com = heavy[:, 1:4] / heavy[:, :1]
    with np.errstate(all="ignore"):
        spread = np.abs(eigenvalues(second_moment(central_inertia(heavy, "origin")))).sum(axis=1)
    center = com.mean(axis=0)
    reach = np.sqrt(spread / mass) + np.linalg.norm(com - center, axis=1)
    length = float(np.max(reach))
    if not (0 < length < np.inf):
        length = 1.0
    return center, length, float(np.exp(np.mean(np.log(mass))))


TOLERANCE = tolerances.CONFLICT / 100
"""Tolerance of the solver, in programs of unit size: what it leaves of zero is far from a
conflict."""


def are_infeasible(applied: Sequence[Applied], theta0: Floats, shifts: Floats) -> bool:
    """Decide whether no bodies with positive mass meet the constraints.

    Args:
        applied: The constraints, by the index of the body.
        theta0: (n, 10) the given bodies, about Fo: what "as given" means.
        shifts: (n, 3) p_BoFo_B [m]; constraints are about Bo.

    Returns:
        True where a dual shows it; False where a body meets them, and where rounding decides.
    """
    try:
        blocks = _build(applied, theta0, shifts)
    except UnmetError:  # what "as given" refers to is no number, as the place of no mass
        return True
    needed = sorted({body for one in applied for body in one.bodies})
    if any(np.any(rows.b) for rows in blocks) and _least_slack(blocks, None) > tolerances.CONFLICT:
        return True
    return any(_least_slack(blocks, 10 * i + 9) > tolerances.CONFLICT for i in needed)


def _build(applied: Sequence[Applied], theta0: Floats, shifts: Floats) -> list[Block]:
    """Build the cones of the bodies and of the constraints, in units of the constraints.

    Their rows A x + B y + b have unit length.

    Raises:
        UnmetError: A body leaves a constraint without a meaning.
    """
    given = np.stack([shift_map(s) @ t for s, t in zip(shifts, theta0, strict=True)])
    place = find_place([(one.constraint, given[list(one.bodies)]) for one in applied], given)
    count, frame = len(theta0), place.frame()[0]
    units = FROM_SVEC @ congruence(frame[None])[0]
    found: list[Block] = []
    for i in range(count):
        A = np.zeros((10, 10 * count))
        A[:, 10 * i : 10 * i + 10] = np.eye(10)
        found.append(Block("psd", A, np.zeros((10, 0)), np.zeros(10)))
    width = 0
    for constraint, bodies in applied:
        own = theta0 if constraint.in_frame else given
        blocks = constraint.blocks(own[list(bodies)])
        new = max(block.B.shape[1] for block in blocks)
        for block in blocks:
            A = np.zeros((len(block.b), 10 * count))
            for k, i in enumerate(bodies):
                into = shift_map(-shifts[i]) if constraint.in_frame else np.eye(10)
                A[:, 10 * i : 10 * i + 10] += block.A[:, 10 * k : 10 * k + 10] @ into @ units
            B = np.pad(place.mass * block.B, ((0, 0), (width, new - block.B.shape[1])))
            found.append(Block(block.cone, A, B, block.b))
        width += new
    rows = []
    for block in found:
        B = np.pad(block.B, ((0, 0), (0, width - block.B.shape[1])))
        length = row_lengths(block.cone, block.A, B)
        rows.append(
            Block(block.cone, block.A / length[:, None], B / length[:, None], block.b / length)
        )
    return rows


def _least_slack(blocks: list[Block], unit_mass: int | None) -> float:
    """Compute the least t for which all rows lie in their cones when t is added; 0 where unknown.

    Args:
        blocks: The rows.
        unit_mass: Variable that is one, while the numbers b are multiplied by a k >= 0; None for
            the numbers as they are.
    """
    bodies, aux = blocks[0].A.shape[1], blocks[0].B.shape[1]
    width = bodies + aux + 2  # x, y, k, t
    scale, slack = width - 2, width - 1
    A: list[Floats] = []
    b: list[Floats] = []
    parts: list[Part] = []

    def add(cone: Cone, rows: Floats, right: Floats) -> None:
        start = parts[-1].rows.stop if parts else 0
        A.append(rows)
        b.append(right)
        parts.append(Part(cone, slice(start, start + len(right))))

    fixed = np.zeros((1, width))
    if unit_mass is None:
        fixed[0, scale] = 1.0
        add("zero", fixed, -np.ones(1))
    else:
        fixed[0, unit_mass] = 1.0
        add("zero", fixed, -np.ones(1))
        add("nonneg", np.eye(width)[[scale]], np.zeros(1))
    # With a slack the program has an inside, so strong duality holds and its dual value proves the
    # verdict (Boyd and Vandenberghe, sec. 5.9.4); a phase-one status would be a solver's word.
    add("nonneg", np.eye(width)[[slack]], np.ones(1))  # t >= -1: the program is bounded
    largest = max(float(np.max(np.abs(rows.b), initial=0.0)) for rows in blocks)
    unit = 1.0 if unit_mass is None or largest == 0 else largest  # any unit of k is as good
    for rows in blocks:
        count = len(rows.b)
        given = rows.b[:, None] / unit
        M = np.concatenate([rows.A, rows.B, given, np.zeros((count, 1))], axis=1)
        for cone, part in _loosen(rows.cone, M, slack):
            add(cone, part, np.zeros(len(part)))
    cost = np.eye(width)[slack]
    return minimise_linear(cost, np.concatenate(A), np.concatenate(b), tuple(parts), TOLERANCE)


def _loosen(cone: Cone, M: Floats, slack: int) -> list[tuple[Cone, Floats]]:
    """Add the slack t to rows M x of a cone: an equation becomes two bounds."""
    M = np.array(M)
    if cone == "zero":
        both = np.concatenate([M, -M])
        both[:, slack] = 1.0
        return [("nonneg", both)]
    if cone == "nonneg":
        M[:, slack] = 1.0
    elif cone == "soc":
        M[0, slack] = 1.0
    else:
        order = order_of(len(M))
        i, j = np.triu_indices(order)
        M[i == j, slack] = 1.0
    return [(cone, M)]
