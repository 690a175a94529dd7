"""How far the weighted projection is from the nearest, proven by another road, on six families.

    python benchmarks/projection_accuracy.py [--instances 2000] [--seed 0] [--family NAME ...]

The families are those of tests/truths/families.py, the reference that of
tests/truths/projection_oracle.py: SCS at 1e-10 in a formulation of its own, refined in decimals of
a hundred digits and proven by its duality gap; none of it is code of the package. Printed for each
family, over the rows that move:

* residual: the largest of primal residual, dual residual and gap, as the Projection states them;
* deviation: ||theta - reference||_W / ||reference - theta0||_W, relative to the *move*, however
  small that is; `squared` is the relative deviation of the squared distance;
* bound: how far the reference itself may be from the nearest, proven, relative to the move;
* SCS: the deviation of SCS's own answer, before it is refined.

Where the nearest has no mass, or is a point so far from the origin that float64 does not hold its
inertia, the package solves above a floor, Pi >= Delta: `held` counts these rows, and the reference
is above the same floor. What that costs is told.

Ten float64 numbers hold a move that is 1e-8 of them to eight digits only. A deviation above the aim
is therefore held against what rounding theta itself can cause, and must lie within ROUNDINGS of it.
Rows that are feasible up to the numerical floor must come back bit for bit; how many of them an
exact sign test finds outside, by less than the floor, is told.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest import mock

for variable in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # read when NumPy is imported
sys.path[:0] = [
    str(Path(__file__).resolve().parents[1] / "tests" / folder) for folder in ("truths", "support")
]

import numpy as np

import families
import inertial_check as ic
from inertial_check.projection import conic
from projection_oracle import Reference, reference

DEVIATION_AIM = 1e-8
RESIDUAL_AIM = 1e-9
ROUNDINGS = 64
NOTED_EVERY = 5.0  # seconds


@dataclass(frozen=True)
class Measured:
    """One family: what was found, and everything it is held against, over the rows that moved."""

    name: str
    count: int
    identical: int  # feasible rows of which every bit is as it was
    below_floor: int  # feasible rows that an exact sign test finds outside
    held: int
    conic: int  # rows handed to the conic path
    seconds: float
    residual: float
    deviations: np.ndarray
    squared: float
    roundings: np.ndarray  # deviations in units of what rounding theta can cause
    bound: float
    cost_of_floors: float
    first_order: np.ndarray  # deviations of SCS's own answers
    steps: int

    @property
    def feasible(self) -> int:
        """Rows that had not to move."""
        return self.count - len(self.deviations)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--instances", type=int, default=2000, help="of each family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", nargs="+", choices=families.FAMILIES, metavar="NAME")
    args = parser.parse_args()
    if args.instances < 20:
        parser.error("at least 20 instances of each family, some of which have to move")
    names = args.family or families.FAMILIES
    rows = [measured(name, families.draw(name, args.instances, args.seed)) for name in names]
    report(rows)
    report_first_order(rows)
    conclude(rows)


def measured(name: str, drawn: families.Instances) -> Measured:
    theta, matrices, count = drawn.theta, drawn.matrices, len(drawn.theta)
    found, seconds, handed = projected(drawn)
    floors = np.zeros((count, 4, 4))
    floors[found.rows.mask] = found.outcome.problem.Delta
    truths = [reference(theta[i], matrices[i], floors[i]) for i in noted(range(count), name)]
    moved = found.status != "feasible"
    kept = np.flatnonzero(~moved)
    pairs = [(truths[i], found.theta[i]) for i in np.flatnonzero(moved)]
    deviations = np.array([truth.deviation(answer) for truth, answer in pairs])
    held = np.flatnonzero(floors.any(axis=(1, 2)))
    return Measured(
        name=name,
        count=count,
        identical=sum(found.theta[i].tobytes() == theta[i].tobytes() for i in kept),
        below_floor=sum(truths[i].move > 0 for i in kept),
        held=len(held),
        conic=handed,
        seconds=seconds,
        residual=float(np.max(found.certify())),
        deviations=deviations,
        squared=max(truth.objective_deviation(answer) for truth, answer in pairs),
        roundings=deviations / [truth.rounding for truth, _ in pairs],
        bound=max(truth.bound for truth in truths),
        cost_of_floors=max((further(truths[i], theta[i], matrices[i]) for i in held), default=0.0),
        first_order=np.array([truth.deviation(truth.first) for truth, _ in pairs]),
        steps=max(truth.steps for truth, _ in pairs),
    )


def projected(drawn: families.Instances) -> tuple[Any, float, int]:
    """The Projection, its seconds, and the number of rows handed to the conic path."""
    theta, weights = drawn
    ic.project(theta, "weighted", weights=weights)  # imports and first calls do not count
    with mock.patch.object(conic, "nearest", wraps=conic.nearest) as solver:
        start = perf_counter()
        found = ic.project(theta, "weighted", weights=weights)
        seconds = perf_counter() - start
    return found, seconds, sum(len(call.args[0].theta0) for call in solver.call_args_list)


def further(held: Reference, theta: np.ndarray, weights: np.ndarray) -> float:
    """By how much, relatively, a row above a floor is further than the nearest matrix."""
    free = reference(theta, weights).move
    return held.move / free - 1 if free else 0.0


def noted(rows: Iterable[int], name: str) -> Iterator[int]:
    """The rows, saying on stderr now and then how far they are."""
    start = last = perf_counter()
    for i in rows:
        yield i
        if perf_counter() - last > NOTED_EVERY:
            last = perf_counter()
            print(f"{name}: {i + 1} references in {last - start:.0f} s", file=sys.stderr)


def report(rows: list[Measured]) -> None:
    moved = sum(len(row.deviations) for row in rows)
    print(f"{sum(row.count for row in rows):,} instances, {moved:,} of which have to move")
    print(
        f"{'family':17}{'moved':>7}{'feasible':>10}{'identical':>11}{'held':>6}{'conic':>8}"
        f"{'us/body':>9}{'residual':>10}{'median':>9}{'99 %':>9}{'max':>9}{'squared':>9}"
        f"{'bound':>9}"
    )
    for row in rows:
        print(
            f"{row.name:17}{len(row.deviations):7}{row.feasible:10}{row.identical:11}{row.held:6}"
            f"{row.conic / row.count:8.2%}{1e6 * row.seconds / row.count:9.0f}{row.residual:10.1e}"
            f"{quantiles(row.deviations)}{row.squared:9.1e}{row.bound:9.1e}"
        )


def report_first_order(rows: list[Measured]) -> None:
    print("\nSCS at 1e-10, before it is refined")
    print(f"{'family':17}{'median':>9}{'99 %':>9}{'max':>9}{'> 1e-8':>9}{'iterations, max':>17}")
    for row in rows:
        share = (row.first_order > DEVIATION_AIM).mean()
        print(f"{row.name:17}{quantiles(row.first_order)}{share:9.1%}{row.steps:17}")
    print()


def quantiles(values: np.ndarray) -> str:
    return "".join(f"{np.quantile(values, q):9.1e}" for q in (0.5, 0.99, 1))


def conclude(rows: list[Measured]) -> None:
    """The aims, one line each."""
    say(max(row.residual for row in rows) <= RESIDUAL_AIM, f"residual {RESIDUAL_AIM:.0e} on all")
    kept, feasible = sum(row.identical for row in rows), sum(row.feasible for row in rows)
    say(kept == feasible, f"feasible rows bit for bit: {kept} of {feasible}")
    over = np.concatenate([row.roundings[row.deviations > DEVIATION_AIM] for row in rows])
    text = f"deviation {DEVIATION_AIM:.0e} of the move on all but {over.size}"
    if over.size:
        text += f"; there it is {over.max():.0f} roundings of theta itself, or less"
    say(bool((over <= ROUNDINGS).all()), text)
    cost = max(row.cost_of_floors for row in rows)
    print(f"held rows are further than the nearest matrix by {cost:.1e} of the distance, or less")
    below = sum(row.below_floor for row in rows)
    print(f"feasible up to the numerical floor, outside by an exact sign test: {below}")


def say(met: bool, aim: str) -> None:
    print(f"{'met' if met else 'missed':7} {aim}")


if __name__ == "__main__":
    main()
