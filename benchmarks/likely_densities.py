"""How dense links of robots are: maximum likelihood of the numbers of likely_densities.py.

    python benchmarks/likely_densities.py --corpus FOLDER [--corpus FOLDER...]

Every folder holds one folder for each repository. Of all models in it the bodies are taken whose
published numbers fit their shapes. A repository counts as at most MOST bodies, whatever variants of
one robot it has. The numbers are found from all repositories, and from each half of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import inertial_check as ic
from inertial_check.documents.model import judge
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.fill.densities import LITRE
from inertial_check.fixing.fill.equations import fits_shapes
from inertial_check.fixing.fill.overlaps import PieceReader
from inertial_check.inertia.arrays import Floats

SUFFIXES = (".urdf", ".sdf", ".xml", ".usda")
MOST = 20
"""Largest number of bodies that one repository counts as."""
LARGEST = 1 << 20
"""Largest size of a document [bytes]."""


def read_rows(path: Path) -> Floats:
    """(n, 3) of the bodies of a model: log volume [l], carries a joint, log density."""
    rows = set()
    try:
        model = ic.load(path)
        reader = PieceReader(model)
        carriers = {body.parent for body in model.bodies if body.moved}
        for body, judgement in zip(model.bodies, judge(model), strict=True):
            if body.inertia_from != "file" or not judgement.mass > 0:
                continue
            pieces = reader.read(body)
            if fits_shapes(judgement, pieces):
                size = np.log(pieces.volume / LITRE)
                density = np.log(judgement.mass / pieces.volume)
                rows.add((round(size, 2), float(body.id in carriers), round(density, 2)))
    except InertialCheckError:
        return np.zeros((0, 3))
    return np.array(sorted(rows)).reshape(-1, 3)


def find_numbers(repositories: list[list[Floats]]) -> Floats:
    """Level, factor of carriers, exponent, and spreads of the level, the exponent and a body."""

    def weigh(x: Floats) -> float:
        level, carrier, slope = x[:3]
        between, tilt, own = np.exp(x[3:])
        total = 0.0
        for models in repositories:
            cost, count = 0.0, 0
            for rows in models:
                size, carries, density = rows.T
                off = density - level - carrier * carries - slope * size
                K = between**2 + tilt**2 * np.outer(size, size) + own**2 * np.eye(len(size))
                cost += off @ np.linalg.solve(K, off) / 2 + np.linalg.slogdet(K)[1] / 2
                count += len(size)
            total += cost / count * min(count, MOST)
        return float(total)

    x = np.array([np.log(700.0), 0.5, -0.15, np.log(0.5), np.log(0.1), np.log(0.5)])
    bounds = [(None, None)] * 3 + [(-7.0, 2.0)] * 3
    for _ in range(3):  # the simplex method starts anew where it stalls
        x = minimize(weigh, x, method="Nelder-Mead", bounds=bounds).x
    return np.array([np.exp(x[0]), np.exp(x[1]), x[2], *np.exp(x[3:])])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", action="append", required=True, type=Path)
    args = parser.parse_args()
    found: dict[str, dict[bytes, Floats]] = {}
    for folder in args.corpus:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in SUFFIXES and path.stat().st_size <= LARGEST:
                rows = read_rows(path)
                if len(rows) > 1:  # variants with the same bodies count once
                    name = path.relative_to(folder).parts[0]
                    found.setdefault(name, {})[rows.tobytes()] = rows
    every = [list(found[name].values()) for name in sorted(found)]
    print(f"{len(every)} repositories, {sum(len(r) for m in every for r in m)} bodies")
    print("| repositories | level | carrier | exponent | between | of exponent | own |")
    print("|---|---|---|---|---|---|---|")
    for name, part in (("all", every), ("first half", every[::2]), ("second half", every[1::2])):
        print(f"| {name} | {' | '.join(f'{value:.3g}' for value in find_numbers(part))} |")


if __name__ == "__main__":
    main()
