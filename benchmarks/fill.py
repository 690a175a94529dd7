"""How near filled inertials come to published ones, and how long filling takes.

    python benchmarks/fill.py --corpus FOLDER [--corpus FOLDER...] [--most 400] [--largest 1048576]

The bodies whose published numbers fit their shapes are hidden in every model of the folders: their
density lies between 100 and 12000 kg/m^3, their centre of mass within the shapes' box, and the
misfit of their tensor, per mass and size, is below a half. They are then filled one by one, by
halves (every second one), and all at once, with the total mass of these bodies given; and all at
once with the masses of every second one given too. Errors are those of the mass (relative), of the
centre of mass (relative to the size of the body) and of the tensor (Frobenius norm, relative to the
published one). Beside them stand other rules: one density for all hidden bodies scaled to the
total; Gazebo's automatic inertials; and what MuJoCo itself compiles from the geoms, with its own
kind of mesh inertia and with hulls. The last column says how many published masses, centres and
tensors lie in the stated intervals. Every corpus has a table of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from _fill_rules import OtherRules

import inertial_check as ic
from inertial_check.documents.model import Body, Model, judge
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.fill.fill import FillOptions, fill_model
from inertial_check.fixing.fill.knowledge import Knowledge, TotalMass
from inertial_check.fixing.fill.overlaps import PieceReader
from inertial_check.fixing.fill.result import FilledBody
from inertial_check.fixing.fill.shapes import BodyPieces
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.parameters import InertialParameters

SUFFIXES = (".urdf", ".sdf", ".xml", ".usda")
FITS = 0.5
"""Largest relative difference of the tensors per mass of bodies that fit."""
ROUNDING = 1e-6
"""Relative error at which a number is that of an interval without width: published digits."""


class Truth(NamedTuple):
    """A model and its bodies whose published numbers fit their shapes."""

    model: Model
    names: tuple[str, ...]
    bodies: dict[str, InertialParameters]
    visual: dict[str, BodyPieces]
    others: dict[str, dict[str, Floats]]


class Errors(NamedTuple):
    """Relative errors of one body, and whether its numbers lie in the intervals."""

    mass: float
    com: float
    tensor: float
    inside: tuple[bool, bool, bool] | None = None


def find_truth(path: Path) -> Truth | None:
    """The bodies of a model that fit; None where there are fewer than two."""
    try:
        model = ic.load(path)
        reader = PieceReader(model)
        rules = OtherRules(model)
        names = list(model.names)
        fitting, visual, others = {}, {}, {}
        for body, judgement in zip(model.bodies, judge(model), strict=True):
            if names.count(body.name) > 1 or judgement.verdict != "consistent":
                continue
            pieces = reader.read(body)
            if not pieces.pieces or pieces.guess:
                continue
            stated = InertialParameters.from_com(
                judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_B
            )
            if fits(stated, pieces):
                fitting[body.name] = stated
                visual[body.name], others[body.name] = pieces, apply_rules(rules, body)
    except InertialCheckError:
        return None
    return Truth(model, tuple(fitting), fitting, visual, others) if len(fitting) > 1 else None


def apply_rules(rules: OtherRules, body: Body) -> dict[str, Floats]:
    """What other programs give a body; a rule that refuses its shapes is left out."""
    found: dict[str, Floats | None] = {
        "Gazebo": rules.run_gazebo(body),
        "MuJoCo": rules.run_mujoco(body, convex=False),
        "MuJoCo, hulls": rules.run_mujoco(body, convex=True),
    }
    return {rule: theta for rule, theta in found.items() if theta is not None}


def fits(stated: InertialParameters, pieces: BodyPieces) -> bool:
    """Whether published numbers stand for the shapes."""
    density = float(stated.mass) / pieces.volume
    unit = InertialParameters.from_theta(pieces.unit)
    points = np.concatenate([piece.points for piece in pieces.pieces])
    inside = np.all((stated.com >= points.min(axis=0)) & (stated.com <= points.max(axis=0)))
    one, other = stated.inertia_com / stated.mass, unit.inertia_com / unit.mass
    misfit = np.linalg.norm(one - other) / np.linalg.norm(other)
    return bool(100 <= density <= 12000 and inside and misfit <= FITS)


def measure(truth: InertialParameters, theta: Floats) -> Errors:
    """Errors of a body (10,) about the origin."""
    found = InertialParameters.from_theta(theta)
    size = np.sqrt(np.trace(truth.second_moment_about(truth.com)) / truth.mass)
    return Errors(
        abs(float(found.mass / truth.mass) - 1),
        float(np.linalg.norm(found.com - truth.com) / size),
        float(
            np.linalg.norm(found.inertia_com - truth.inertia_com)
            / np.linalg.norm(truth.inertia_com)
        ),
    )


def is_inside(truth: InertialParameters, body: FilledBody) -> tuple[bool, bool, bool]:
    """Whether mass, centre and tensor about the filled centre lie in the intervals."""
    assert body.interval is not None
    assert body.parameters is not None
    tensor = np.asarray(truth.inertia_about(np.asarray(body.parameters.com)))
    pairs = (
        (truth.mass, body.interval.mass),
        (truth.com, body.interval.com),
        (tensor[np.triu_indices(3)], body.interval.inertia),
    )
    mass, com, inertia = (
        bool(
            np.all(value >= low - ROUNDING * np.max(np.abs(value)))
            and np.all(value <= high + ROUNDING * np.max(np.abs(value)))
        )
        for value, (low, high) in pairs
    )
    return mass, com, inertia


def list_rules(truth: Truth, hidden: Sequence[str]) -> Iterator[tuple[str, str, Floats]]:
    """Name of a rule, name of a body, and what the rule gives it (10,)."""
    total = sum(float(truth.bodies[name].mass) for name in hidden)
    volume = sum(truth.visual[name].volume for name in hidden)
    for name in hidden:
        yield "one density", name, truth.visual[name].unit * (total / volume)
        for rule, theta in truth.others[name].items():
            yield rule, name, theta


def run(truth: Truth, hidden: Sequence[str], given: Sequence[str]) -> dict[str, list[Errors]]:
    """Errors by rule where some bodies are hidden, and the masses of a few are given."""
    total = float(np.nansum(np.asarray(truth.model.parameters.mass)))
    known = Knowledge(
        total_mass=TotalMass(total),
        masses={name: float(truth.bodies[name].mass) for name in given},
    )
    found: dict[str, list[Errors]] = {}
    free = [name for name in hidden if name not in given]
    filling = fill_model(truth.model, known, FillOptions(digits=16), hidden)
    for body in filling.bodies:
        if body.parameters is not None and body.name in free:
            stated = truth.bodies[body.name]
            errors = measure(stated, np.asarray(body.parameters.as_theta()))
            found.setdefault("fill", []).append(errors._replace(inside=is_inside(stated, body)))
    for rule, name, theta in list_rules(truth, hidden):
        if name in free:
            found.setdefault(rule, []).append(measure(truth.bodies[name], theta))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", action="append", required=True, type=Path)
    parser.add_argument("--most", type=int, default=400, help="models of each corpus")
    parser.add_argument("--largest", type=int, default=1 << 20, help="size of a document [bytes]")
    args = parser.parse_args()
    for folder in args.corpus:
        run_corpus(folder, args.most, args.largest)


def run_corpus(folder: Path, most: int, largest: int) -> None:
    """Print the table of one corpus."""
    results: dict[str, dict[str, list[Errors]]] = {}
    models = bodies = 0
    seconds = 0.0
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in SUFFIXES or models >= most:
            continue
        if path.stat().st_size > largest or (truth := find_truth(path)) is None:
            continue
        models, bodies = models + 1, bodies + len(truth.names)
        begin = perf_counter()
        for case, hidden, given in list_cases(truth.names):
            try:
                found = run(truth, hidden, given)
            except InertialCheckError as error:
                print(f"# {path}: {case}: {error}")
                continue
            for rule, errors in found.items():
                results.setdefault(case, {}).setdefault(rule, []).extend(errors)
        seconds += perf_counter() - begin
    print(f"{folder.name}: {models} models, {bodies} bodies that fit, {seconds:.0f} s", flush=True)
    print_results(results)


def list_cases(names: Sequence[str]) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """Name of a case, the bodies that are hidden, and those of them whose masses are given."""
    for name in names:
        yield "one by one", [name], ()
    yield "by halves", names[::2], ()
    yield "by halves", names[1::2], ()
    yield "all", names, ()
    yield "all, half of the masses", names, names[::2]


def print_results(results: dict[str, dict[str, list[Errors]]]) -> None:
    """Print a row for each case and rule: medians and 90 % of the errors, shares inside."""
    print(
        "| hidden | rule | bodies | mass 50 % | 90 % | com 50 % | 90 % | tensor 50 % | 90 % | in |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for case, by_rule in results.items():
        for rule, errors in by_rule.items():
            cells = [case, rule, str(len(errors))]
            for name in ("mass", "com", "tensor"):
                values = [getattr(each, name) for each in errors]
                cells += [f"{np.quantile(values, q):.3f}" for q in (0.5, 0.9)]
            inside = [each.inside for each in errors if each.inside is not None]
            shares = [f"{share:.0%}" for share in np.mean(inside, axis=0)] if inside else []
            print(f"| {' | '.join([*cells, ' '.join(shares)])} |")


if __name__ == "__main__":
    main()
