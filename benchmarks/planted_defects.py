"""How often a planted defect is found, and its cause: real models, one defect a copy.

    python benchmarks/planted_defects.py [--corpus DIR ...] [--seed 1 2] [--per-cause 20] [--jobs 2]
        [--half HALF] [--kind KIND] [--cause NAME ...] [--cache DIR]
        [--simcheck PROGRAM | --no-simcheck] [--json FILE] [--misses FILE] [--warnings FILE]
        [--stories FILE] [--further]

The models are those of INERTIAL_CHECK_CORPUS and INERTIAL_CHECK_MESHES: folders with one subfolder
an upstream. They are copied to a temporary one, where each mutant is written beside its original,
so that meshes and packages are found. The choice is seeded and the same on every machine; upstreams
are parted into a half that rules may be tuned on and one on which they are only measured
(`planting/halves.py`).

A body is *sound*, and defects are planted into it, where

* TRUTH.jsonl of its folder, if there is one, calls it and all bodies of its model consistent, and
  so does the exact arithmetic of `planting/decimals.py` of the body;
* its mass is positive, and its tensor is that of a body larger than a micrometre;
* its tensor is not the identity times a number of one digit, and its six numbers do not stand on
  three or more bodies of the model that are not of one mass (exactly, on the decimals);
* the reader has no complaint about it, and the document is no test of a parser;
* nothing refutes it: within the box about its shapes, where all of them can be had, there is a body
  of its mass, centre and spread that is not denser than osmium (`Site.refutation`).

The last is a proof too and no opinion, but as it asks about shapes the warnings are counted without
it as well: sound by numbers. A sound body can still have the inertia of another shape, or another
than its twin: `reviewed_findings.txt` judges what is said of sound bodies, right, false or open.
Nothing is planted into a body of which something right is said already, or of its whole model, and
no defect of the whole model where that is so of one of its bodies.

A *provable* mutant is certified inconsistent, by more than 1e-12 of its size, a *valid* one
consistent, in the same arithmetic; a defect of the *model* is in all its links at once. Mutants of
one body count as found where the check has a warning or an error on the mutated body with a code
that the original does not have on it (a twin's or a donor's body counts where the defect is a
difference between the two). The right cause is first where one of these findings names it first. A
defect of the model is found where findings with one first cause speak of 80 % of the sound links
that it moved, and *as one* where a finding of the whole model is among them.

simcheck runs without engines on the same files, as far as it reads them (no SDF, no MJCF without
its meshes): a new pair of check and target, warning or error, that names the body, and in brackets
any new pair at all, since it speaks of welded links under one name. It names no causes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from planting.catalogue import CAUSES, FURTHER
from planting.choosing import mutants_of
from planting.corpora import Collection, collect
from planting.defects import Cause, Mutant
from planting.figures import Results, as_json, misses, table
from planting.halves import HALVES, half_of
from planting.opinions import figures, opinions, reviews, write_table
from planting.outcomes import Outcome, outcome
from planting.peer import READS, UNREAD, PeerFigures, peer_figures, run_simcheck, with_simcheck
from planting.runs import Run, Task, examine
from planting.sites import Site


class Planted(NamedTuple):
    """A mutant on the disk.

    Attributes:
        cause: What was planted.
        mutant: The document.
        seed: Of the choice.
        path: Of the mutant.
        original: Of the original.
    """

    cause: Cause
    mutant: Mutant
    seed: int
    path: str
    original: str

    @property
    def tasks(self) -> tuple[Task, Task]:
        """The checks of original and mutant."""
        expected_mass = self.mutant.change.expected_mass
        return (self.original, expected_mass), (self.path, expected_mass)


def main() -> None:
    args = _arguments()
    start = perf_counter()
    _say("reading the models")
    collection = collect(args.corpus, args.jobs, args.cache)
    read = perf_counter()
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copies = _copies(collection, Path(folder).resolve())
        planted = _planted(collection, copies, args)
        planting = perf_counter()
        results = _results(collection, copies, planted, args)
    seconds = {"reading": read - start, "planting": planting - read}
    results.seconds.update(seconds, checking=perf_counter() - planting)
    print(table(results))
    if args.json:
        args.json.write_text(json.dumps(as_json(results), indent=1))
    if args.misses:
        args.misses.write_text("".join(f"{line}\n" for line in misses(results)))
    if args.warnings:
        write_table(results.opinions, args.warnings)
    if args.stories:
        args.stories.write_text("".join(f"{line}\n" for line in stories(results.outcomes)))


def stories(outcomes: Sequence[Outcome]) -> list[str]:
    """The first cause of each new finding on a mutant, one a line, as reliability.py reads them."""
    return [
        json.dumps(
            {
                "upstream": each.file.partition("/")[0],
                "cause": cause,
                "confidence": confidence,
                "right": right,
            }
        )
        for each in outcomes
        for confidence, right, cause in each.believed
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", action="append", type=Path, help="can be repeated")
    parser.add_argument("--per-cause", type=int, default=20, help="of a half and seed, at most")
    parser.add_argument("--cause", action="append", help="only this one; can be repeated")
    parser.add_argument("--further", action="store_true", help="plant the second list of mistakes")
    parser.add_argument("--kind", choices=("provable", "valid", "model"), help="only this one")
    parser.add_argument("--half", choices=HALVES, help="only this one")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--cache", type=Path, help="a folder of your own that keeps read models")
    parser.add_argument("--simcheck", help="the program, if it is not found beside this Python")
    parser.add_argument("--no-simcheck", action="store_true")
    parser.add_argument("--json", type=Path, help="write everything to this file")
    parser.add_argument("--misses", type=Path, help="write a line a miss to this file")
    parser.add_argument("--stories", type=Path, help="write the first causes, for reliability.py")
    parser.add_argument("--warnings", type=Path, help="write what is said of sound bodies")
    args = parser.parse_args()
    variables = ("INERTIAL_CHECK_CORPUS", "INERTIAL_CHECK_MESHES")
    args.corpus = args.corpus or [Path(os.environ[v]) for v in variables if os.environ.get(v)]
    if not args.corpus:
        parser.error("set INERTIAL_CHECK_CORPUS to a folder of real models, or give --corpus")
    beside = Path(sys.executable).with_name("simcheck")
    if args.no_simcheck:
        args.simcheck = None
    elif not args.simcheck:
        args.simcheck = str(beside) if beside.exists() else shutil.which("simcheck")
        if not args.simcheck:
            _say("no simcheck here: pip install simcheck==0.2.0, or name it with --simcheck")
    return args


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _copies(collection: Collection, folder: Path) -> dict[str, str]:
    """A copy of every upstream that can be written to: the path of each model in it."""
    for upstream, root in collection.roots.items():
        shutil.copytree(Path(root, upstream), folder / upstream)
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | 0o700)
    return {file: str(folder / file) for file in collection.models}


def _places(collection: Collection) -> tuple[list[Site], list[Site]]:
    """Sound bodies of which nothing right is said, and those in models where that is of none."""
    known = [review for review in reviews() if review.verdict == "right"]
    sound = [site for site in collection.sites if site.refutation is None]
    wrong = {
        (site.file, site.index)
        for site in sound
        if any(review.names(site.file, name) for review in known for name in (site.body.name, ""))
    }
    wrong_files = {file for file, _ in wrong}
    return (
        [site for site in sound if (site.file, site.index) not in wrong],
        [site for site in sound if site.file not in wrong_files],
    )


def _planted(
    collection: Collection, copies: dict[str, str], args: argparse.Namespace
) -> list[Planted]:
    """The mutants of all causes, halves and seeds, each in a file beside its original."""
    sites, of_whole_models = _places(collection)
    planted: list[Planted] = []
    chosen = FURTHER if args.further else CAUSES
    named = [each for each in chosen if not args.cause or each.name in args.cause]
    for which in (each for each in named if args.kind in (None, each.kind)):
        before = len(planted)
        for half in (half for half in HALVES if args.half in (None, half)):
            places = of_whole_models if which.kind == "model" else sites
            own = [site for site in places if half_of(site.upstream) == half]
            for seed in args.seed:
                for mutant in mutants_of(which, own, args.per_cause, seed):
                    original = Path(copies[mutant.site.file])
                    name = f"{original.stem}--{len(planted)}{original.suffix}"
                    path = original.with_name(name)
                    path.write_bytes(mutant.data)
                    planted.append(Planted(which, mutant, seed, str(path), str(original)))
        _say(f"{len(planted) - before:5} {which.key}")
    return planted


def _results(
    collection: Collection,
    copies: dict[str, str],
    planted: Sequence[Planted],
    args: argparse.Namespace,
) -> Results:
    """Everything checked, compared and counted."""
    files = sorted({site.file for site in collection.sites})
    _say(f"checking {len(files)} models and {len(planted)} mutants")
    tasks: list[Task] = [(copies[file], None) for file in files]
    for each in planted:
        tasks += each.tasks
    runs = examine(tasks, args.jobs, by_shares=args.stories is not None)
    outcomes = [
        outcome(each.cause, each.mutant, each.seed, *(runs[task] for task in each.tasks))
        for each in planted
    ]
    sound = [site for site in collection.sites if site.refutation is None]
    simcheck = None
    if args.simcheck:
        outcomes, simcheck = _with_peer(copies, sound, planted, outcomes, args)
    clean: dict[str, Run] = {file: runs[copies[file], None] for file in files}
    said, said_by_numbers = opinions(sound, clean), opinions(collection.sites, clean)
    return Results(
        outcomes,
        said,
        {half: figures(sound, said, half) for half in HALVES},
        {half: figures(collection.sites, said_by_numbers, half) for half in HALVES},
        simcheck,
        [f"{path}: {run.failure}" for (path, _), run in runs.items() if run.failure],
        {},
    )


def _with_peer(
    copies: dict[str, str],
    sites: Sequence[Site],
    planted: Sequence[Planted],
    outcomes: Sequence[Outcome],
    args: argparse.Namespace,
) -> tuple[list[Outcome], PeerFigures]:
    """The outcomes with what simcheck finds, and what it says of sound bodies."""
    readable = [each for each in planted if each.mutant.site.model.format in READS]
    paths = {site.file: copies[site.file] for site in sites if site.model.format in READS}
    _say(f"simcheck: {len(paths)} models and {len(readable)} mutants")
    asked = [*sorted(paths.values()), *(each.path for each in readable)]
    said = run_simcheck(args.simcheck, asked, args.jobs)
    compared = [
        with_simcheck(result, each.mutant, said[each.original], said[each.path])
        if each.path in said and (UNREAD, "") not in said.get(each.original, {(UNREAD, ""): ""})
        else result
        for result, each in zip(outcomes, planted, strict=True)
    ]
    return compared, peer_figures(sites, paths, said)


if __name__ == "__main__":
    main()
