"""Weight of the prior by each rule, and fixed weights, on recordings of three real robots.

    INERTIAL_CHECK_DATASETS=DIR python benchmarks/regularization_rules.py

Printed is by how much the weighted RMS of recordings that were not fitted (the worst one, where
there are several) is above that of the best fixed weight [%], and the weight that each rule chose.
Rows with seconds use the beginning of a recording only, with a prior on friction of scale 20. Aim:
2 % on the whole recordings, for the rule that is the default.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

for variable in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # read when NumPy is imported
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import numpy as np

import identification_data as data
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.samples import Reduction

AIM = 2.0
FIXED = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0)
RULES = ("evidence", "k-fold", "l-curve")
SCALE = 20.0
"""Standard deviation of friction about 0 where recordings are short."""


class Case(NamedTuple):
    """A recording to fit, and those to predict."""

    title: str
    robot: str
    training: data.Run
    validation: tuple[data.Run, ...]
    scale: float = np.inf


def main() -> None:
    given = os.environ.get("INERTIAL_CHECK_DATASETS")
    if given is None:
        sys.exit("set INERTIAL_CHECK_DATASETS to the folder of the recordings")
    folder = Path(given)
    heads = [f"{weight:g}" for weight in FIXED]
    print(f"{'recording':<14}" + "".join(f"{head:>8}" for head in heads), end="")
    print("".join(f"{rule:>17}" for rule in RULES))
    missed = 0
    for case in cases(folder):
        losses, weights = measure(folder, case)
        print(
            f"{case.title:<14}" + "".join(f"{loss:>8.2f}" for loss in losses[: len(FIXED)]), end=""
        )
        chosen = zip(losses[len(FIXED) :], weights, strict=True)
        print("".join(f"{loss:>8.2f} ({weight:>5.3g})" for loss, weight in chosen), flush=True)
        missed += np.isinf(case.scale) and losses[len(FIXED)] > AIM
    print(f"whole recordings on which the evidence is more than {AIM:g} % off: {missed}")


def cases(folder: Path) -> Iterator[Case]:
    runs = {}
    for name, robot in data.ROBOTS.items():
        runs[name] = data.reference(folder, name, robot.training)
        others = tuple(data.reference(folder, name, run) for run in robot.validation)
        yield Case(name, name, runs[name], others)
    short = data.reference(folder, "ur10e", "val_20s8h")
    for seconds in (10, 5, 2):
        part = short.part(slice(0, int(seconds * 93.4)))
        yield Case(f"ur10e, {seconds} s", "ur10e", part, (runs["ur10e"],), SCALE)
    other = data.reference(folder, "panda", "val_last40")
    for seconds in (5, 2):
        part = runs["panda"].part(slice(0, 250 * seconds))
        yield Case(f"panda, {seconds} s", "panda", part, (other,), SCALE)
    other = data.reference(folder, "tx40", "val_odd_blocks")
    yield Case("tx40, 2 s", "tx40", runs["tx40"].part(slice(0, 1000)), (other,), SCALE)


def measure(folder: Path, case: Case) -> tuple[list[float], list[float]]:
    """Losses of fixed weights and rules [%], and the weights of the rules."""
    known = data.problem(folder, case.robot)
    declared = data.nuisance(case.robot, case.scale)
    samples = data.sampled(folder, case.robot, case.training, declared)
    predicted = [
        data.sampled(folder, case.robot, run, declared).reduce() for run in case.validation
    ]
    found = [
        identify(samples, prior=known.prior, regularization=weight) for weight in (*FIXED, *RULES)
    ]
    errors = [error(each, predicted, known.weights) for each in found]
    best = min(errors[: len(FIXED)])
    losses = [100 * (value / best - 1) for value in errors]
    return losses, [each.regularization for each in found[len(FIXED) :]]


def error(found: Identification, predicted: list[Reduction], weights: np.ndarray) -> float:
    """Worst weighted RMS of recordings that were not fitted."""
    x = np.concatenate([found.theta.ravel(), list(found.nuisance.values())])
    return max(float(np.sqrt(run.weighted_mean_square(weights, x))) for run in predicted)


if __name__ == "__main__":
    main()
