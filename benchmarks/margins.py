"""Whether projections with a margin keep what they promise, judged by the returned numbers alone.

    python benchmarks/margins.py [--quick] [--rows 200] [--searched 20] [--seed 0]

Every metric, about both points where it takes both, with six margins from 1e-6 to 1/3, of bodies of
eight kinds, given as float64 and float32 of NumPy, as float64 of PyTorch and JAX. Each answer is
judged in its own precision and about its own point, by exact rational arithmetic where float64 does
not settle it. Counted, with the aim 0 each:

* raised: calls that raised an exception, one for each row that raises alone;
* outside: rows called projected or near that are no body;
* short: rows called feasible, projected, near or mass-floored whose margin is less than the one
  asked for by more than their numerical floor, 8 eps (1 + |c|^2 / k^2);
* unproven: rows called projected whose gap or dual residual is above 1e-9, and rows called near
  whose factor is above 1.05;
* far: rows called projected or near that are farther than 1.05 times what a search finds;
* refuted: rows called projected than which the search finds a nearer one.

The search (tests/truths/nearest_search.py) runs Newton's method from several starts on bodies that
have the margin by their form; it is given some rows of each cell, in float64 of NumPy, and none of
it is code of the package. `uncertified` counts the rows for which no claim is made.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

for variable in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # read when NumPy is imported
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests" / "truths")]

import numpy as np

import inertial_check as ic
import nearest_search
from nearest_search import Floats, Task, pseudo_inertia, weights_of_prior

METRICS = {
    "inertia": ("origin", "com"),
    "covariance": ("origin", "com"),
    "prior": ("origin", "com"),
    "weighted": ("origin",),
    "euclidean": ("origin",),
    "pseudo-inertia": ("origin", "com"),
    "entropic": ("origin", "com"),
    "affine-invariant": ("origin", "com"),
}
MARGINS = (1e-6, 1e-3, 0.05, 0.1, 0.2, 1 / 3)
KINDS = ("inside", "outside", "far", "plate", "rod", "point", "needle", "placeholder")
LIBRARIES = ("numpy", "float32", "torch", "jax")
COUNTS = ("raised", "outside", "short", "unproven", "far", "refuted")
STARTS = 8
FARTHER = 1.05
CERTIFIED = 1e-9
NEARER = 1e-6
"""Part of its distance by which a row called projected must be beaten to count as refuted."""


class Cell(NamedTuple):
    """One call: a metric, point, margin and library, with bodies of all kinds."""

    metric: str
    about: str
    margin: float
    library: str


class Bodies(NamedTuple):
    """Bodies (n, ...) with the priors and weights that go with them."""

    mass: Floats
    com: Floats
    inertia: Floats  # (n, 6) about the centre of mass
    prior: Floats  # (n, 10) about the origin
    weights: Floats  # (n, 10, 10) on theta about the origin
    kind: np.ndarray

    def theta(self, about: str) -> Floats:
        """The ten numbers (n, 10) in order "urdf"."""
        return build_theta(self.mass, self.com, self.inertia, about)


@dataclass
class Tally:
    """What was counted in one cell."""

    cell: Cell
    rows: int = 0
    searched: int = 0
    seconds: float = 0.0
    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: {name: Counter() for name in COUNTS}
    )
    statuses: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)

    def add(self, name: str, bad: np.ndarray, kinds: np.ndarray) -> None:
        """Count rows that a mask or indices choose, by their kind."""
        self.counts[name].update(kinds[bad].tolist())


def build_theta(mass: Floats, com: Floats, six: Floats, about: str) -> Floats:
    """[m, h, six] with the inertia (n, 6) about the centre of mass carried to the point."""
    h = mass[:, None] * com
    if about == "origin":
        six = six + steiner(mass, com)
    return np.concatenate([mass[:, None], h, six], axis=1)


def steiner(mass: Floats, com: Floats) -> Floats:
    """The inertia (n, 6) of points with these masses about the origin."""
    x, y, z = com.T
    six = [y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y]
    return np.asarray(mass * six).T


def draw(rows: int, seed: int) -> Bodies:
    """Bodies of every kind, `rows` of each."""
    parts = [
        draw_kind(kind, rows, np.random.default_rng([seed, k])) for k, kind in enumerate(KINDS)
    ]
    return Bodies(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def draw_kind(kind: str, rows: int, rng: np.random.Generator) -> Bodies:
    length = 10.0 ** rng.uniform(-2, 0, rows)
    mass = 10.0 ** rng.uniform(-2, 2, rows)
    com = rng.choice([0.0, 0.5, 3.0], (rows, 1)) * length[:, None] * rng.normal(size=(rows, 3))
    spreads = rng.uniform(0.2, 1, (rows, 3))
    plain = np.arange(rows) % 2 == 0  # bodies along the axes, of numbers without rounding
    if kind == "outside":
        spreads[:, 0] = -rng.uniform(1e-6, 0.5, rows)
    if kind in ("plate", "rod", "point"):
        spreads[:, : ("plate", "rod", "point").index(kind) + 1] = 0.0
        whole = np.array([mass, length]).T
        mass, length = np.where(plain[:, None], 2.0 ** np.round(np.log2(whole)), whole).T
        com = np.where(plain[:, None], rng.integers(-3, 4, (rows, 3)) * length[:, None] / 4, com)
        spreads = np.where(plain[:, None], np.ceil(8 * spreads) / 8, spreads)
    if kind == "needle":
        spreads[:, 0] *= 10.0 ** rng.uniform(-15, -6, rows)
        spreads[:, 1] = np.where(plain, spreads[:, 0], spreads[:, 1])
    values = (mass * length**2)[:, None] * spreads
    q = np.linalg.qr(rng.normal(size=(rows, 3, 3)))[0]
    q[plain] = np.eye(3)[:, rng.permutation(3)]
    S = np.einsum("nij,nj,nkj->nik", q, values, q)
    six = (
        np.einsum("nii->n", S)[:, None] * np.array([1, 0, 0, 1, 0, 1])
        - S.reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]]
    )
    if kind == "far":
        mass = mass * np.where(rng.random(rows) < 0.3, -1.0, 1.0)
        six = np.abs(mass)[:, None] * length[:, None] ** 2 * rng.normal(size=(rows, 6))
    if kind == "placeholder":
        mass = rng.choice([1.0, 0.1, 1e-3, 0.0], rows)
        six = (
            rng.choice([1.0, 1e-3, 1e-6, 0.0], (rows, 1))
            * np.array(
                [[1, 0, 0, 1, 0, 1], [1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]]
            )[rng.integers(0, 4, rows)]
        )
        com = np.where(plain[:, None], 0.0, com)
    size = np.where(mass == 0, 1.0, np.abs(mass))
    prior_mass = size * np.exp(rng.normal(size=rows) / 2)
    prior_com = com + length[:, None] * rng.normal(size=(rows, 3)) / 2
    S = prior_mass[:, None] * length[:, None] ** 2 * rng.uniform(0.3, 1, (rows, 3))
    inertia = np.zeros((rows, 6))
    inertia[:, [0, 3, 5]] = S.sum(axis=1, keepdims=True) - S
    prior = build_theta(prior_mass, prior_com, inertia, "origin")
    units = size[:, None] * length[:, None] ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    factor = rng.normal(size=(rows, 10, 10)) * 10.0 ** rng.uniform(-1.5, 0, (rows, 10, 1))
    weights = factor @ factor.swapaxes(1, 2) + 1e-3 * np.eye(10)
    weights = weights / units[:, :, None] / units[:, None, :]
    return Bodies(mass, com, six, prior, weights, np.full(rows, kind))


def has_margin(theta: np.ndarray, about: str, margin: Fraction) -> bool:
    """Whether m > 0 and S_c - margin tr(S_c) 1 >= 0, in exact rational arithmetic."""
    m, *h = (Fraction(float(value)) for value in theta[:4])
    xx, xy, xz, yy, yz, zz = (Fraction(float(value)) for value in theta[4:])
    if m <= 0:
        return False
    half = (xx + yy + zz) / 2
    S = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
    if about == "origin":
        S = [[S[i][j] - h[i] * h[j] / m for j in range(3)] for i in range(3)]
    if not any(map(any, S)):
        return margin <= 0  # that of a point
    taken = margin * (S[0][0] + S[1][1] + S[2][2])
    for i in range(3):
        S[i][i] -= taken
    pairs = all(S[i][i] * S[j][j] >= S[i][j] ** 2 for i, j in combinations(range(3), 2))
    (a, b, c), (_, d, e), (_, _, f) = S
    whole = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    return min(a, d, f) >= 0 and pairs and whole >= 0


def find_short(theta: np.ndarray, about: str, margin: float, floor: bool) -> np.ndarray:
    """Find rows (n,) without the margin; beyond their numerical floor, where that counts."""
    wide = np.asarray(theta, dtype=np.float64)
    with np.errstate(all="ignore"):
        c = wide[:, 1:4] / wide[:, :1]
        moved = steiner(wide[:, 0], c) if about == "origin" else 0.0
        six = np.where(np.isfinite(wide[:, 4:]), wide[:, 4:] - moved, 0.0)
        S = pseudo_inertia(np.concatenate([wide[:, :4], six], axis=1))[:, :3, :3]
        S = np.where(np.isfinite(S), S, 0.0)
        values = np.linalg.eigvalsh(S)
        spread = np.abs(values).sum(axis=1)
        kappa = np.ones(len(wide))
        if about == "origin":
            kappa = 1 + wide[:, 0] * np.einsum("ni,ni->n", c, c) / spread
        tau = 8 * kappa * np.finfo(theta.dtype).eps if floor else np.zeros(len(wide))
        clear = 64 * kappa * np.finfo(np.float64).eps
        sure = (wide[:, 0] > 0) & (values[:, 0] / spread > margin - tau + clear)
    short = ~sure
    for row in np.flatnonzero(short & np.isfinite(wide).all(axis=1)):
        if np.isfinite(tau[row]):
            short[row] = not has_margin(wide[row], about, Fraction(margin) - Fraction(tau[row]))
        else:
            short[row] = False  # a point mass off the origin: rounding hides its inertia
    return np.asarray(short)


def build_task(cell: Cell, bodies: Bodies) -> tuple[Task, Floats]:
    """The problem about the points (n, 3) that it belongs to: the origin, or the given centre."""
    own = np.where(bodies.mass[:, None] != 0, bodies.com, 0.0)
    fixed = cell.metric in ("inertia", "covariance")
    points = own if fixed or cell.about == "com" else np.zeros_like(own)
    theta0 = build_theta(bodies.mass, bodies.com - points, bodies.inertia, "origin")
    prior = move(bodies.prior, "origin", points)
    one = np.broadcast_to(np.eye(10), (len(theta0), 10, 10))
    squares = np.diag([1.0, 1, 1, 1, 1, 2, 2, 1, 2, 1])
    basis = pseudo_inertia(np.eye(10)).reshape(10, 16)
    if cell.metric == "inertia":
        return Task(theta0, squares * one, fixed=True), points
    if cell.metric == "covariance":
        spread = pseudo_inertia(np.eye(10))[:, :3, :3].reshape(10, 9)
        return Task(theta0, spread @ spread.T + 0 * one, fixed=True), points
    if cell.metric == "euclidean":
        return Task(theta0, one), points
    if cell.metric == "pseudo-inertia":
        return Task(theta0, basis @ basis.T + 0 * one), points
    if cell.metric == "weighted":
        return Task(theta0, bodies.weights), points
    task = Task(theta0, weights_of_prior(prior), prior=prior)
    if cell.metric != "prior":
        task = task._replace(rho=1.0, divergence=cell.metric)
    return task, points


def move(theta: Floats, about: str, points: Floats) -> Floats:
    """Bodies given about a point as theta about other origins (n, 3)."""
    mass = theta[:, 0]
    com = theta[:, 1:4] / np.where(mass != 0, mass, 1.0)[:, None]
    six = theta[:, 4:] - (steiner(mass, com) if about == "origin" else 0.0)
    return build_theta(mass, com - points, six, "origin")


def as_library(array: Floats, library: str) -> Any:  # noqa: ANN401 - of any library
    if library == "float32":
        return array.astype(np.float32)
    if library == "torch":
        import torch

        return torch.asarray(array)
    if library == "jax":
        import jax.numpy

        return jax.numpy.asarray(array)
    return array


def call(cell: Cell, bodies: Bodies) -> ic.Projection:
    theta = as_library(bodies.theta(cell.about), cell.library)
    options: dict[str, Any] = {}
    if cell.metric in ("prior", "entropic", "affine-invariant"):
        prior = bodies.prior
        if cell.about == "com":
            com = prior[:, 1:4] / prior[:, :1]
            prior = np.concatenate([prior[:, :4], prior[:, 4:] - steiner(prior[:, 0], com)], axis=1)
        options["prior"] = prior
    if cell.metric == "weighted":
        options["weights"] = bodies.weights
    return ic.project(theta, cell.metric, about=cell.about, margin=cell.margin, **options)


def take(bodies: Bodies, rows: np.ndarray) -> Bodies:
    return Bodies(*(part[rows] for part in bodies))


def project_all(cell: Cell, bodies: Bodies, tally: Tally) -> list[tuple[ic.Projection, Bodies]]:
    """Project all rows; where that raises, halves of them, down to the rows that raise alone."""
    waiting, done = [np.arange(len(bodies.mass))], []
    while waiting:
        rows = waiting.pop()
        part = take(bodies, rows)
        try:
            found = call(cell, part)
            found.gap, found.dual_residual, found.distance  # noqa: B018 - they may raise, too
            done.append((found, part))
        except Exception as error:  # what is counted
            if len(rows) == 1:
                tally.add("raised", np.array([0]), part.kind)
                tally.statuses[f"{type(error).__name__}: {str(error)[:60]}"] += 1
            else:
                waiting += [rows[: len(rows) // 2], rows[len(rows) // 2 :]]
    return done


def measure(cell: Cell, bodies: Bodies, searched: int, seed: int) -> Tally:
    tally, start = Tally(cell, rows=len(bodies.mass)), perf_counter()
    parts = project_all(cell, bodies, tally)
    tally.seconds = perf_counter() - start
    for found, part in parts:
        judge(cell, found, part, tally)
        if cell.library == "numpy" and searched:
            compare(cell, found, part, searched, np.random.default_rng(seed), tally)
    return tally


def judge(cell: Cell, found: ic.Projection, bodies: Bodies, tally: Tally) -> None:
    theta, words = np.asarray(found.theta), np.asarray(found.status)
    tally.statuses.update(words.tolist())
    claimed = np.isin(words, ["projected", "near"])
    some = np.flatnonzero(claimed)
    bare = cell.margin == 0  # then the nearest lies on the boundary, and rounds to either side
    tally.add("outside", some[find_short(theta[some], cell.about, 0.0, bare)], bodies.kind)
    heavy = np.any(theta != 0, axis=1)  # a frame without mass is feasible, and has no margin
    some = np.flatnonzero((claimed | np.isin(words, ["feasible", "mass-floored"])) & heavy)
    tally.add("short", some[find_short(theta[some], cell.about, cell.margin, True)], bodies.kind)
    residual = np.maximum(np.asarray(found.gap), np.asarray(found.dual_residual))
    unproven = (words == "projected") & ~(residual <= CERTIFIED)
    if hasattr(found, "factor"):
        unproven |= (words == "near") & ~(np.asarray(found.factor) <= FARTHER)
    tally.add("unproven", unproven, bodies.kind)


def compare(
    cell: Cell,
    found: ic.Projection,
    bodies: Bodies,
    searched: int,
    rng: np.random.Generator,
    tally: Tally,
) -> None:
    words, theta = np.asarray(found.status), np.asarray(found.theta)
    claimed = np.flatnonzero(np.isin(words, ["projected", "near"]))
    rows = np.concatenate([claimed[bodies.kind[claimed] == kind][:searched] for kind in KINDS])
    if not rows.size:
        return
    some = take(bodies, rows)
    task, points = build_task(cell, some)
    best = nearest_search.search(task, cell.margin, STARTS, rng)
    answer = move(theta[rows], cell.about, points)
    if task.fixed:
        answer[:, :4] = task.theta0[:, :4]
    value = nearest_search.objective(task, answer)
    # What rounding of the ten numbers, and of those about the origin, can add to the distance.
    size = np.abs(answer) + np.abs(task.theta0)
    if cell.about == "origin":
        size[:, 4:] += np.abs(bodies.theta("origin")[rows, 4:])
    rounding = (
        16 * np.finfo(float).eps * np.einsum("ni,nij,nj->n", size, np.abs(task.W), size) ** 0.5
    )
    ours, other = np.sqrt(value), np.sqrt(best.value)
    tally.searched += len(rows)
    tally.add("far", ours > FARTHER * other + rounding, some.kind)
    beaten = (words[rows] == "projected") & (other < (1 - NEARER) * ours - rounding)
    tally.add("refuted", beaten, some.kind)
    clear = other > rounding
    if clear.any():
        tally.worst["ratio"] = float(np.max(ours[clear] / other[clear]))


def list_cells(metrics: list[str], margins: tuple[float, ...], libraries: list[str]) -> list[Cell]:
    return [
        Cell(metric, about, margin, library)
        for metric in metrics
        for about, margin, library in product(METRICS[metric], margins, libraries)
    ]


def print_tally(tally: Tally) -> None:
    cell = tally.cell
    numbers = "".join(f"{sum(tally.counts[name].values()):10}" for name in COUNTS)
    ratio = f"{tally.worst['ratio']:9.4g}" if "ratio" in tally.worst else f"{'-':>9}"
    print(
        f"{cell.metric:17}{cell.about:8}{cell.margin:<9.3g}{cell.library:9}{tally.rows:6}{tally.statuses['uncertified']:12}{numbers}{ratio}"
        f"{tally.seconds:7.1f} s"
    )
    for name in COUNTS:
        if tally.counts[name]:
            text = ", ".join(f"{kind} {count}" for kind, count in tally.counts[name].items())
            print(f"{'':8}{name}: {text}")
    for text, count in tally.statuses.items():
        if ": " in text:
            print(f"{'':8}{count} x {text}")


def conclude(tallies: list[Tally]) -> bool:
    """Print the totals, one line each, and whether all aims are met."""
    rows, searched = (sum(getattr(t, name) for t in tallies) for name in ("rows", "searched"))
    statuses = sum((t.statuses for t in tallies), Counter[str]())
    told = ", ".join(f"{word} {count:,}" for word, count in statuses.items() if ": " not in word)
    print(f"\n{rows:,} rows, {searched:,} of them searched; {told}")
    met = True
    for name in COUNTS:
        count = sum(sum(t.counts[name].values()) for t in tallies)
        met &= count == 0
        print(f"{'met' if count == 0 else 'missed':7} {name} 0: {count:,}")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200, help="of each kind")
    parser.add_argument("--searched", type=int, default=20, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--metric", nargs="+", choices=METRICS, default=list(METRICS))
    parser.add_argument("--library", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    parser.add_argument("--margin", nargs="+", type=float, default=list(MARGINS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="20 rows of each kind, 4 searched")
    args = parser.parse_args()
    os.environ["JAX_ENABLE_X64"] = "1"  # read by the processes of the pool, which import JAX
    rows, searched = (20, 4) if args.quick else (args.rows, args.searched)
    bodies, start = draw(rows, args.seed), perf_counter()
    cells = list_cells(args.metric, tuple(args.margin), args.library)
    print(f"seed {args.seed}, {rows} bodies of each kind, {searched} of them searched")
    names = "".join(f"{name:>10}" for name in COUNTS)
    print(f"{'metric':17}{'about':8}{'margin':9}{'library':9}{'rows':>6}{'uncertified':>12}{names}"
          f"{'farthest':>9}{'time':>9}")  # fmt: skip
    tallies = []
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(measure, cell, bodies, searched, args.seed) for cell in cells]
        for each in waiting:
            tallies.append(each.result())
            print_tally(tallies[-1])
            sys.stdout.flush()
    met = conclude(tallies)
    print(f"{perf_counter() - start:.0f} s")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
