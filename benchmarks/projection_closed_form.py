"""The closed-form projection against a loop over cvxpy: bodies per second, all in one run.

Run it alone on a machine: python benchmarks/projection_closed_form.py
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when NumPy loads; a second thread only adds noise

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import cvxpy as cp
import numpy as np

from inertial_check.inertia import sampling
from inertial_check.projection.project import project

AIM = 5000
VIOLATING, SCREENED, LOOPED, REPEATS = 100_000, 1_000_000, 50, 5


def seconds_per_body(run: Callable[[], object], bodies: int, repeats: int = REPEATS) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return median(times) / bodies


def problem() -> tuple[cp.Problem, cp.Parameter, cp.Variable]:
    """The nearest inertia as one writes it with cvxpy: min ||I' - I||_F, tr(I')/2 1 - I' >= 0."""
    given, found = cp.Parameter((3, 3), symmetric=True), cp.Variable((3, 3), symmetric=True)
    cone = [cp.trace(found) / 2 * np.eye(3) - found >> 0]
    return cp.Problem(cp.Minimize(cp.sum_squares(found - given)), cone), given, found


def rebuilt(matrices: np.ndarray) -> list[Any]:
    answers = []
    for matrix in matrices:
        built, given, found = problem()
        given.value = matrix
        built.solve(solver="CLARABEL")
        answers.append(found.value)
    return answers


def reused(matrices: np.ndarray) -> list[Any]:
    built, given, found = problem()
    answers = []
    for matrix in matrices:
        given.value = matrix
        built.solve(solver="CLARABEL")
        answers.append(found.value)
    return answers


def main() -> None:
    rng = np.random.default_rng(0)
    broken = sampling.inconsistent(rng, VIOLATING).as_theta(about="com")
    mixed = sampling.consistent(rng, SCREENED, strata=["solid"]).as_theta(about="com").copy()
    mixed[rng.permutation(SCREENED)[: SCREENED // 100]] = broken[: SCREENED // 100]
    few = sampling.inconsistent(rng, LOOPED, mass=(1, 1), length=(1, 1))
    loop = few.as_theta(about="com")
    matrices = few.inertia_com

    batched = seconds_per_body(lambda: project(broken, about="com"), VIOLATING)
    screened = seconds_per_body(lambda: project(mixed, about="com"), SCREENED)
    single = seconds_per_body(lambda: [project(row, about="com") for row in loop], LOOPED)
    peers = {
        "cvxpy loop, problem rebuilt": seconds_per_body(lambda: rebuilt(matrices), LOOPED, 3),
        "cvxpy loop, DPP reused": seconds_per_body(lambda: reused(matrices), LOOPED, 3),
    }
    error = max(
        np.linalg.norm(theirs - ours) / np.linalg.norm(given)
        for theirs, ours, given in zip(
            reused(matrices),
            project(loop, about="com").parameters.inertia_com,
            matrices,
            strict=True,
        )
    )
    rows = {
        f"project, {VIOLATING} violating": batched,
        f"project, {SCREENED} with 1 % violating": screened,
        "project, one by one": single,
        **peers,
    }
    print(f"{'':<40}{'bodies/s':>12}" + "".join(f"{'x ' + name:>32}" for name in peers))
    for name, seconds in rows.items():
        ratios = "".join(f"{peer / seconds:>32,.1f}" for peer in peers.values())
        print(f"{name:<40}{1 / seconds:>12,.0f}{ratios}")
    print(f"aim: batched, {AIM:,} times the cvxpy loop")
    print(f"largest difference of the answers, relative to the inertia: {error:.1e}")


if __name__ == "__main__":
    main()
