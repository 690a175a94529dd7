"""One body at a time: our calls in units of one direct Clarabel call, in paired runs.

    python benchmarks/single_calls.py [--rounds 15]

Each call is run in turn with Clarabel, asked directly for the nearest of the same body in the same
weights: without constraints, except that FixedMass and the exact box are asked as their own
problem, too. The exact box is also run with the same model written in cvxpy and compiled once
(DPP), and moved bodies with the plain NumPy formula. A figure is the median of the ratios of the
pairs, so that a busy machine slows both sides. One process, one thread, processor time.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import combinations
from time import process_time
from typing import NamedTuple

import projection_speed as batches  # sets the number of threads before NumPy is imported

# isort: split
import clarabel
import cvxpy as cp
import numpy as np
from scipy import sparse

import inertial_check as ic
from inertial_check.mechanics import compact
from inertial_check.projection import constraints
from inertial_check.projection.densities import DensityInBox
from inertial_check.projection.svec import COLUMN, ENTRY, ROW, TO_SVEC, congruence

HALF_EXTENTS = (0.3, 0.3, 0.3)
MANY = 100_000


class Pair(NamedTuple):
    """Two calls to compare, how often each is run in a round, and the ratio that is aimed at."""

    name: str
    ours: Callable[[], object]
    other: Callable[[], object]
    repeats: int
    aim: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15, help="pairs of each kind")
    rounds = parser.parse_args().rounds
    pairs = [*projections(), *moves(1, 200), *moves(MANY, 1)]
    print(f"{'':34}    ours [us]   other [us]    ratio     aim")
    for pair in pairs:
        seconds = compare(pair, rounds)
        ratio = float(np.median(seconds[:, 0] / seconds[:, 1]))
        own, other = 1e6 * np.median(seconds, axis=0)
        word = "met" if ratio <= pair.aim else "missed"
        print(f"{pair.name:34} {own:12.1f} {other:12.1f} {ratio:8.2f} {pair.aim:7g}  {word}")


def compare(pair: Pair, rounds: int) -> np.ndarray:
    """Seconds of our call and of the other, (rounds, 2), after a first that does not count."""
    seconds = np.empty((rounds + 1, 2))
    for row in seconds:
        for k, run in enumerate((pair.ours, pair.other)):
            start = process_time()
            for _ in range(pair.repeats):
                run()
            row[k] = (process_time() - start) / pair.repeats
    return seconds[1:]


def projections() -> list[Pair]:
    bad, good = batches.drawn(20, infeasible=1.0), batches.drawn(20, infeasible=0.0, seed=3)
    theta, sigma, fine = bad.theta[0], bad.sigma[0], good.theta[0]
    W, own = sigma**-2.0, good.sigma[0] ** -2.0
    prior = ic.InertialParameters.from_theta(batches.sphere(bad.first(1)).as_theta()[0])
    box = DensityInBox(HALF_EXTENTS)
    mass = constraints.FixedMass()

    def clarabel() -> object:
        return batches.by_clarabel(theta, sigma)

    def weighted(**more: object) -> object:
        return ic.project(theta, "weighted", weights=W, **more).theta

    return [
        Pair("check", lambda: ic.check(theta).verdict, clarabel, 20, 0.1),
        Pair("feasible, metric inertia", lambda: ic.project(fine).theta, clarabel, 20, 0.3),
        Pair(
            "feasible, metric weighted",
            lambda: ic.project(fine, "weighted", weights=own).theta,
            clarabel,
            20,
            0.3,
        ),
        Pair("inertia", lambda: ic.project(theta).theta, clarabel, 20, 0.5),
        Pair("prior", lambda: ic.project(theta, "prior", prior=prior).theta, clarabel, 20, 1.0),
        Pair("weighted", weighted, clarabel, 20, 1.5),
        Pair("FixedMass", lambda: weighted(constraints=mass), clarabel, 5, 3.0),
        Pair(
            "FixedMass to its own problem",
            lambda: weighted(constraints=mass),
            lambda: fixed_by_clarabel(theta, sigma),
            5,
            3.0,
        ),
        Pair("exact DensityInBox", lambda: weighted(constraints=box), clarabel, 2, 30.0),
        Pair(
            "exact DensityInBox to its own",
            lambda: weighted(constraints=box),
            box_in_clarabel(theta, sigma),
            2,
            30.0,
        ),
        Pair(
            "exact DensityInBox to cvxpy (DPP)",
            lambda: weighted(constraints=box),
            box_in_cvxpy(theta, sigma),
            2,
            1.0,
        ),
    ]


def solve_directly(
    sigma: np.ndarray, theta0: np.ndarray, A: sparse.csc_matrix, b: np.ndarray, cones: list[object]
) -> np.ndarray:
    """One call of Clarabel: minimise ||(theta - theta0) / sigma|| with b - A [theta, ...] in K."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    weights = np.zeros(A.shape[1])
    weights[:10] = sigma**-2.0
    q = np.zeros(A.shape[1])
    q[:10] = -weights[:10] * theta0
    P = sparse.diags_array(weights, format="csc")
    solver = clarabel.DefaultSolver(P, q, A, b, cones, settings)
    return np.array(solver.solve().x)[:10]


MASS = sparse.csc_matrix(np.eye(1, 10))
FIXED = sparse.vstack([MASS, -batches.UPPER], format="csc")


def fixed_by_clarabel(theta0: np.ndarray, sigma: np.ndarray) -> np.ndarray:
    """The nearest with the given mass."""
    b = np.zeros(11)
    b[0] = theta0[0]
    cones = [clarabel.ZeroConeT(1), clarabel.PSDTriangleConeT(4)]
    return solve_directly(sigma, theta0, FIXED, b, cones)


def tetrahedra() -> list[np.ndarray]:
    """Homogeneous corners (4, 4) of the five tetrahedra of the box, as columns."""
    corners = [np.array(c) * HALF_EXTENTS for c in np.ndindex(2, 2, 2)]
    corners = [2 * c - np.array(HALF_EXTENTS) for c in corners]
    places = ((0, 1, 2, 4), (3, 1, 2, 7), (5, 1, 4, 7), (6, 2, 4, 7), (1, 2, 4, 7))
    return [np.vstack([np.array([corners[k] for k in some]).T, np.ones(4)]) for some in places]


def box_in_clarabel(theta0: np.ndarray, sigma: np.ndarray) -> Callable[[], object]:
    """The exact box with five J as variables, its matrices built once."""
    maps = [congruence(V[None])[0] for V in tetrahedra()]
    upper = [k for j in range(4) for k in (ENTRY[i, j] for i in range(j + 1))]
    above = [k for k, (i, j) in enumerate(zip(ROW, COLUMN, strict=True)) if i != j]
    sums = np.hstack([TO_SVEC, *(-one for one in maps)])
    rows, cones = [sums], [clarabel.ZeroConeT(10)]
    for t in range(5):
        own = np.eye(10, 60, 10 + 10 * t)
        rows += [-own[upper], -own[above]]
        cones += [clarabel.PSDTriangleConeT(4), clarabel.NonnegativeConeT(6)]
    A = sparse.csc_matrix(np.vstack(rows))
    b = np.zeros(A.shape[0])
    return lambda: solve_directly(sigma, theta0, A, b, cones)


def box_in_cvxpy(theta0: np.ndarray, sigma: np.ndarray) -> Callable[[], object]:
    """The exact box as one writes it with cvxpy: five tetrahedra, none of whose J is negative."""
    theta, weight, target = cp.Variable(10), cp.Parameter(10, nonneg=True), cp.Parameter(10)
    moments, conditions = [], []
    for V in tetrahedra():
        J = cp.Variable((4, 4), PSD=True)
        conditions += [J[i, j] >= 0 for i, j in combinations(range(4), 2)]
        moments.append(V @ J @ V.T)
    conditions.append(batches.pseudo_inertia(theta) == sum(moments))
    length = cp.sum_squares(cp.multiply(weight, theta) - target)
    problem = cp.Problem(cp.Minimize(length), conditions)

    def solve() -> object:
        weight.value, target.value = 1 / sigma, theta0 / sigma
        problem.solve(solver=cp.CLARABEL)
        return theta.value

    return solve


def moves(count: int, repeats: int) -> list[Pair]:
    """KSL operations on so many bodies, to the plain formula."""
    rng = np.random.default_rng(0)
    quaternion = rng.normal(size=(count, 4))
    x, y, z, w = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
    D = np.zeros((count, 4, 4))
    D[:, 0, 0], D[:, 0, 1], D[:, 0, 2] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
    )
    D[:, 1, 0], D[:, 1, 1], D[:, 1, 2] = (
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
    )
    D[:, 2, 0], D[:, 2, 1], D[:, 2, 2] = (
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )
    D[:, :3, 3], D[:, 3, 3] = rng.normal(size=(count, 3)), 1
    terms = 3 + rng.normal(size=(count, 10))
    if count == 1:
        terms, D = terms[0], D[0]
    R, t = np.ascontiguousarray(D[..., :3, :3]), np.ascontiguousarray(D[..., :3, 3])
    aim = 2.0 if count == 1 else 1.2
    calls: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("transform", lambda: compact.transform(terms, D), lambda: plain(terms, R, t)),
        ("rotate", lambda: compact.rotate(terms, R), lambda: plain(terms, R, None)),
        ("translate", lambda: compact.translate(terms, t), lambda: plain(terms, None, t)),
    ]
    return [Pair(f"{name}, n = {count:,}", a, b, repeats, aim) for name, a, b in calls]


def plain(terms: np.ndarray, R: np.ndarray | None, t: np.ndarray | None) -> np.ndarray:
    """The formula in NumPy, without any check."""
    if R is None:
        moved = terms.copy()
        moved[..., 1:4] += terms[..., :1] * t
        return moved
    h = (R @ terms[..., 1:4, None])[..., 0]
    if t is not None:
        h = h + terms[..., :1] * t
    M = terms[..., [4, 7, 9, 7, 5, 8, 9, 8, 6]].reshape(*terms.shape[:-1], 3, 3)
    M = R @ M @ np.swapaxes(R, -1, -2)
    six = M[..., [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]
    return np.concatenate([terms[..., :1], h, six], axis=-1)


if __name__ == "__main__":
    main()
