"""Published tables of identified robots: how far each link is from the nearest consistent one.

    INERTIAL_CHECK_DATASETS=DIR [INERTIAL_CHECK_CORPUS=DIR] python benchmarks/published_tables.py

For each link of eight tables of four robots that is not consistent: its margin, the distance to the
nearest body with the same mass and centre of mass (metric inertia) [kg m^2], by how much of its
principal moments that moves it, and how far each number moves at most, relative to the largest.
Links that are consistent come back bit for bit, and are counted only.

Then the odds that the tensors are about the other point than the one that is declared, for each
table as it is and as if it had been declared wrongly: 100 and more is doubted. With a corpus of
robot models, the same of its robots with three and more links that tell something: how many
right declarations are doubted, and how many wrong ones are noticed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).resolve().parents[1] / "tests" / folder) for folder in ("truths", "support")
]

import numpy as np

import inertial_check as ic
import table_files
from inertial_check.documents.model import judge
from inertial_check.errors import DocumentError
from inertial_check.identification.fit.cleaning import LINKS, OTHER, judge_declaration
from inertial_check.inertia.representations import about_origin, join

STATED = {"consistent", "boundary", "rounding", "inconsistent", "ill-posed"}


def main() -> int:
    datasets = os.environ.get("INERTIAL_CHECK_DATASETS")
    if not datasets:
        print("set INERTIAL_CHECK_DATASETS to the folder of tables/", file=sys.stderr)
        return 2
    tables = table_files.tables(Path(datasets))
    distances(tables)
    declarations(tables)
    corpus = os.environ.get("INERTIAL_CHECK_CORPUS")
    if corpus:
        robots(Path(corpus))
    return 0


def distances(tables: list[table_files.Table]) -> None:
    print(f"{'table':<24}{'link':<14}{'margin':>10}{'distance':>11}{'moments':>9}{'largest':>9}")
    for table in tables:
        found = ic.clean(table.theta, order="urdf", about=table.about, bodies=table.links)
        moved = np.flatnonzero(found.changed)
        print(f"{table.name:<24}{len(table.links) - len(moved)} of {len(table.links)} as they are")
        change = np.abs(found.theta - found.given).max(axis=1)
        largest = change / np.abs(found.given[:, 4:]).max(axis=1)
        for i in moved:
            print(
                f"{'':<24}{table.links[i]:<14}{found.before.margin[i]:>10.1e}"
                f"{found.distance[i]:>11.2e}{found.relative_change[i]:>9.1e}{largest[i]:>9.1e}"
            )


def declarations(tables: list[table_files.Table]) -> None:
    print(f"\n{'table':<24}{'about':<8}{'odds against it':>16}{'declared otherwise':>20}")
    for table in tables:
        right, wrong = (
            judge_declaration(table.theta, about) for about in (table.about, OTHER[table.about])
        )
        print(f"{table.name:<24}{table.about:<8}{right.odds:>16.2g}{wrong.odds:>20.2g}")


def robots(corpus: Path) -> None:
    """Every robot of the corpus once; its files are about the centres of mass by their formats."""
    seen, doubted, noticed, reverse, wrongly = set(), [], 0, 0, 0
    for path in sorted(corpus.rglob("*")):
        if path.suffix.lower() not in (".urdf", ".sdf", ".world", ".xml", ".mjcf", ".usda"):
            continue
        try:
            theta = stated(ic.load(path))
        except DocumentError:
            continue
        key = np.round(theta, 12).tobytes()
        if key in seen or judge_declaration(theta, "com").links < LINKS:
            continue
        seen.add(key)
        mass, h, six = theta[:, 0], theta[:, 1:4], theta[:, 4:]
        moved = np.asarray(join(mass, h, about_origin(mass, h, six)))
        if judge_declaration(theta, "com").doubtful:
            doubted.append(str(path.relative_to(corpus)))
        wrongly += judge_declaration(moved, "origin").doubtful
        noticed += judge_declaration(moved, "com").doubtful
        reverse += judge_declaration(theta, "origin").doubtful
    count = len(seen)
    print(f"\n{count} different robots of the corpus")
    print(f"about the centre of mass, declared so: {len(doubted)} doubted {json.dumps(doubted)}")
    print(f"about the origin, declared so: {wrongly} doubted")
    print(f"about the origin, declared about the centre of mass: {noticed / count:.0%} noticed")
    print(f"about the centre of mass, declared about the origin: {reverse / count:.0%} noticed")


def stated(model: object) -> np.ndarray:
    """(L, 10) about the centres of mass, of the bodies whose inertia the file states."""
    rows = [
        [own.mass, *(own.mass * np.array(own.p_BoBcm_B)), *own.I_BBcm_B]
        for own in judge(model)
        if own.verdict in STATED
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 10)


if __name__ == "__main__":
    sys.exit(main())
