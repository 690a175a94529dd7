"""Milliseconds a body of the weighted projection, against cvxpy, Clarabel, SCS and figaroh.

    python benchmarks/projection_speed.py [--rounds 7] [--bodies 10000] [--many 1000000]

One problem for all: links of an arm (1 to 10 kg, 0.1 to 1 m) with noise of up to a third of their
size, every one of them infeasible, nearest in W = diag(1 / size^2). Everything runs in one process
on one thread, in rounds: every contender once a round, so that a busy machine slows all of them.
Processor time is counted. A figure is the median over the rounds, a ratio the median of the rounds'
own ratios to ours at --bodies at once. The batch of --many bodies, half of them infeasible, is
solved once.

`deviation` is the largest ||theta - ours||_W / ||ours - theta0||_W of the first bodies, ours being
certified; `benchmarks/projection_accuracy.py` says how far ours is from the proven nearest. A peer
that cannot be imported is named with the command that installs it.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

for variable in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # read when NumPy is imported
sys.path[:0] = [
    str(Path(__file__).resolve().parents[1] / "tests" / folder) for folder in ("truths", "support")
]

import clarabel
import cvxpy as cp
import numpy as np
import scs
from scipy import sparse

import families
import inertial_check as ic

Floats = np.ndarray
NOISE = (-2.0, -0.5)  # powers of ten, of the body's own size
SCS_TOLERANCE = 1e-9
SINGLE, BATCH = "ours, N = 1", "ours, N = {:,}"
REBUILT, REUSED, DIRECT = "cvxpy, built each time", "cvxpy, DPP, reused", "Clarabel, direct"
AIMS = {REBUILT: 450.0, REUSED: 75.0}
SECONDS_AIM, SINGLE_AIM = 20.0, 5.0  # seconds of a million; milliseconds of one body
PINOCCHIO = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # figaroh's order of the ten numbers


@dataclass(frozen=True)
class Bodies:
    """Given parameters, and the sizes of their errors."""

    theta: Floats  # (n, 10)
    sigma: Floats  # (n, 10) standard deviations: W = diag(sigma^-2)

    def first(self, count: int) -> Bodies:
        """So many of them."""
        return Bodies(self.theta[:count], self.sigma[:count])


@dataclass(frozen=True)
class Contender:
    """One line of the table: `run()` answers `bodies` bodies, theta (bodies, 10) or None."""

    name: str
    bodies: int
    run: Callable[[], Any]


def drawn(count: int, infeasible: float, seed: int = 0) -> Bodies:
    """Links of an arm, a fraction of them infeasible, in random places of the batch."""
    rng = np.random.default_rng(seed)
    moving = round(infeasible * count)
    parts = [_links(rng, moving, False), _links(rng, count - moving, True)]
    theta, sigma = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = rng.permutation(count)
    return Bodies(theta[order], sigma[order])


def _links(rng: np.random.Generator, count: int, feasible: bool) -> tuple[Floats, Floats]:
    """Draws until it has so many that are feasible, or that are not."""
    found: list[tuple[Floats, Floats]] = [(np.empty((0, 10)), np.empty((0, 10)))]
    while sum(len(theta) for theta, _ in found) < count:
        body = families.lumps(rng, max(count, 16), mass=(0, 1), length=(-1, 0))
        noise = rng.normal(size=body.theta.shape) * 10.0 ** rng.uniform(
            *NOISE, (len(body.theta), 1)
        )
        theta = body.theta + body.units * noise
        keep = ic.check(theta).consistent == feasible
        found.append((theta[keep], body.units[keep]))
    theta, units = (np.concatenate(part)[:count] for part in zip(*found, strict=True))
    return theta, units


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="at least 3")
    parser.add_argument("--bodies", type=int, default=10_000, help="of the batch that is compared")
    parser.add_argument("--many", type=int, default=1_000_000, help="of the largest batch")
    args = parser.parse_args()
    if args.rounds < 3 or args.bodies < 100:
        parser.error("a median needs at least 3 rounds, and a batch 100 bodies")
    bodies = drawn(args.bodies, infeasible=1.0)
    contenders, missing = peers(bodies)
    contenders += ours(bodies)
    seconds = rounds(contenders, args.rounds)
    print(f"NumPy {np.__version__}, one thread, median of {args.rounds} interleaved rounds")
    report(contenders, seconds, deviations(contenders, bodies), BATCH.format(args.bodies))
    print(*missing, sep="\n", end="\n" if missing else "")
    largest(args.many)


def ours(bodies: Bodies) -> list[Contender]:
    """The same bodies by N at once; and other metrics, for scale."""
    count = len(bodies.theta)
    prior = sphere(bodies)

    def batch(some: Bodies) -> Floats:
        return np.asarray(ic.project(some.theta, "weighted", weights=some.sigma**-2.0).theta)

    def single(theta0: Floats, sigma: Floats) -> Floats:
        return batch(Bodies(theta0, sigma))

    half = drawn(count, infeasible=0.5, seed=2)
    return [
        looped(SINGLE, single, bodies.first(50)),
        Contender(f"ours, half feasible, N = {count:,}", count, lambda: (batch(half), None)),
        Contender(BATCH.format(100), 100, lambda: batch(bodies.first(100))),
        Contender(BATCH.format(count), count, lambda: batch(bodies)),
        Contender(
            f"ours, metric prior, N = {count:,}",
            count,
            lambda: ic.project(bodies.theta, "prior", prior=prior),
        ),
        Contender(f"ours, metric inertia, N = {count:,}", count, lambda: ic.project(bodies.theta)),
    ]


def peers(bodies: Bodies) -> tuple[list[Contender], list[str]]:
    """Loops over other software, and what could not be imported."""
    found = [
        looped(REBUILT, built_each_time(), bodies.first(20)),
        looped(REUSED, reused(), bodies.first(50)),
        looped(DIRECT, by_clarabel, bodies.first(100)),
        looped(f"SCS, direct, {SCS_TOLERANCE:.0e}", by_scs, bodies.first(100)),
    ]
    try:
        found.append(looped("figaroh, project_p10_lmi", by_figaroh(), bodies.first(20)))
    except ImportError:
        return found, ["figaroh: not installed (pip install figaroh==1.0.2)"]
    return found, []


Solve = Callable[[Floats, Floats], Floats]


def looped(name: str, solve: Solve, bodies: Bodies) -> Contender:
    pairs = list(zip(bodies.theta, bodies.sigma, strict=True))
    return Contender(name, len(pairs), lambda: np.array([solve(*pair) for pair in pairs]))


def pseudo_inertia(theta: Any) -> Any:  # noqa: ANN401 - expressions of cvxpy, which has no types
    """Pi as one writes it with cvxpy."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = (theta[k] for k in range(10))
    return cp.bmat(
        [
            [(yy + zz - xx) / 2, -xy, -xz, hx],
            [-xy, (xx + zz - yy) / 2, -yz, hy],
            [-xz, -yz, (xx + yy - zz) / 2, hz],
            [hx, hy, hz, m],
        ]
    )


def built_each_time() -> Solve:
    def solve(theta0: Floats, sigma: Floats) -> Floats:
        theta = cp.Variable(10)
        length = cp.sum_squares(cp.multiply(1 / sigma, theta - theta0))
        problem = cp.Problem(cp.Minimize(length), [pseudo_inertia(theta) >> 0])
        problem.solve(solver=cp.CLARABEL)
        return np.asarray(theta.value)

    return solve


def reused() -> Solve:
    theta, weight, target = cp.Variable(10), cp.Parameter(10, nonneg=True), cp.Parameter(10)
    length = cp.sum_squares(cp.multiply(weight, theta) - target)
    problem = cp.Problem(cp.Minimize(length), [pseudo_inertia(theta) >> 0])

    def solve(theta0: Floats, sigma: Floats) -> Floats:
        weight.value, target.value = 1 / sigma, theta0 / sigma
        problem.solve(solver=cp.CLARABEL)
        return np.asarray(theta.value)

    return solve


def triangle(upper: bool) -> sparse.csc_matrix:
    """(10, 10) of the scaled triangle of Pi, stacked by columns, by theta."""
    columns = [(i, j) for j in range(4) for i in (range(j + 1) if upper else range(j, 4))]
    basis = [np.array(pseudo_inertia(row).value, dtype=float) for row in np.eye(10)]
    entries = [[Pi[i, j] * (1 if i == j else np.sqrt(2)) for Pi in basis] for i, j in columns]
    return sparse.csc_matrix(entries)


UPPER, LOWER = triangle(upper=True), triangle(upper=False)


def by_clarabel(theta0: Floats, sigma: Floats) -> Floats:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    weights = sigma**-2.0
    cone = [clarabel.PSDTriangleConeT(4)]
    P = sparse.diags_array(weights, format="csc")
    solver = clarabel.DefaultSolver(P, -weights * theta0, -UPPER, np.zeros(10), cone, settings)
    return np.array(solver.solve().x)


def by_scs(theta0: Floats, sigma: Floats) -> Floats:
    weights = sigma**-2.0
    data = {
        "P": sparse.diags_array(weights, format="csc"),
        "A": -LOWER,
        "b": np.zeros(10),
        "c": -weights * theta0,
    }
    asked = {"eps_abs": SCS_TOLERANCE, "eps_rel": SCS_TOLERANCE, "verbose": False}
    return np.asarray(scs.SCS(data, {"s": [4]}, **asked).solve()["x"])


def by_figaroh() -> Solve:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its bindings register a type twice
        from figaroh.identification.physical_consistency import project_p10_lmi

    def solve(theta0: Floats, sigma: Floats) -> Floats:
        found, _ = project_p10_lmi(theta0[PINOCCHIO], weights=1 / sigma[PINOCCHIO])
        return np.asarray(found)[PINOCCHIO]  # the order is its own inverse

    return solve


def rounds(contenders: list[Contender], count: int) -> Floats:
    """Seconds a body, (count, contenders), after a first round that does not count."""
    seconds = np.empty((count + 1, len(contenders)))
    for row in seconds:
        for i, contender in enumerate(contenders):
            start = process_time()
            contender.run()
            row[i] = (process_time() - start) / contender.bodies
    return seconds[1:]


def deviations(contenders: list[Contender], bodies: Bodies) -> list[float | None]:
    """The largest deviation from our batch; None for other metrics."""
    best = np.asarray(ic.project(bodies.theta, "weighted", weights=bodies.sigma**-2.0).theta)
    found: list[float | None] = []
    for contender in contenders:
        answer, n = contender.run(), contender.bodies
        if not isinstance(answer, np.ndarray):
            found.append(None)
            continue
        error = np.linalg.norm((answer - best[:n]) / bodies.sigma[:n], axis=1)
        move = np.linalg.norm((best[:n] - bodies.theta[:n]) / bodies.sigma[:n], axis=1)
        found.append(float(np.max(error / move)))
    return found


def report(
    contenders: list[Contender], seconds: Floats, errors: list[float | None], reference: str
) -> None:
    names = [contender.name for contender in contenders]
    ratios = np.median(seconds / seconds[:, [names.index(reference)]], axis=0)
    width = max(map(len, names))
    print(f"{'':{width}}  ms/body  x slower  deviation    aim")
    for i, name in enumerate(names):
        line = f"{name:{width}}  {1e3 * np.median(seconds[:, i]):7.4f}  {ratios[i]:8.2f}"
        line += f"  {'':9}" if errors[i] is None else f"  {errors[i]:9.1e}"
        if name in AIMS:
            line += f"  {AIMS[name]:5.0f}  {'met' if ratios[i] >= AIMS[name] else 'missed'}"
        print(line)
    single = 1e3 * np.median(seconds[:, names.index(SINGLE)])
    print(
        f"one at a time, ours takes {single:.2f} ms, aim {SINGLE_AIM:.0f}: "
        f"{'met' if single <= SINGLE_AIM else 'missed'}"
    )


def largest(count: int) -> None:
    """One batch of which half has to move."""
    bodies = drawn(count, infeasible=0.5, seed=1)
    weights = bodies.sigma**-2.0
    start = process_time()
    found = ic.project(bodies.theta, "weighted", weights=weights)
    seconds = process_time() - start
    moved = int((found.status != "feasible").sum())
    aim = SECONDS_AIM * count / 1_000_000
    print(
        f"{count:,} bodies, {moved:,} of which move: {seconds:.1f} s, {1e3 * seconds / count:.4f} "
        f"ms/body, aim {aim:g} s: {'met' if seconds <= aim else 'missed'}"
    )
    for metric, named in (("prior", {"prior": sphere(bodies)}), ("inertia", {})):
        start = process_time()
        ic.project(bodies.theta, metric, **named)
        print(f"{'':4}the same by metric {metric}: {process_time() - start:.2f} s")


def sphere(bodies: Bodies) -> ic.InertialParameters:
    """Solid spheres of each body's own size."""
    count = len(bodies.theta)
    moments = bodies.sigma[:, [4]] * [0.5, 0, 0, 0.5, 0, 0.5]
    return ic.InertialParameters.from_com(bodies.sigma[:, 0], np.zeros((count, 3)), moments)


if __name__ == "__main__":
    main()
