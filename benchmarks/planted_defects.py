"""How often a planted defect is found, and its cause: real models, one defect a copy.

    python benchmarks/planted_defects.py [--corpus DIR] [--per-cause 40] [--jobs 2] [--seed 1]
        [--cause NAME ...] [--simcheck PROGRAM | --no-simcheck] [--json FILE] [--misses FILE]

The models are those of INERTIAL_CHECK_CORPUS: a folder with TRUTH.jsonl, which says of each link
whether it is consistent, decided in rational arithmetic on the printed decimals. The folder is
copied to a temporary one, where each mutant is written beside its original, so that meshes and
packages are found. The choice is seeded and the same on every machine.

A body is *sound*, and defects are planted into it, where

* TRUTH.jsonl says that it is consistent, and so does the exact test of `_planting.py`;
* its mass is positive, and its tensor is that of a body larger than a micrometre;
* its tensor is not the identity times a number of one digit, and its six numbers do not stand on
  three or more bodies of the model that are not of one mass (exactly, on the decimals);
* no body of its model is inconsistent, the reader has no complaint about the body, and the document
  is no test of a parser;
* nothing refutes it: within the box about its shapes, where all of them can be had, there is a body
  of its mass, centre and spread that is not denser than osmium (`Site.refutation`).

The last is a proof too and no opinion, but as it asks about shapes the false findings are counted
without it as well: sound by numbers. A sound body can still have the inertia of another shape, or
another than its twin; what is said of that counts as a false finding, unless a review by hand found
it right: `reviewed_findings.txt` has the reasons. The figures with these are printed beside.

A *provable* mutant is certified inconsistent, by more than 1e-12 of its size, a *valid* one
consistent, in the same arithmetic.
Each counts as detected where the check has a warning or an error on the mutated body with a code
that the unmutated file does not have on that body (a twin's or a donor's body counts where the
defect is a difference between the two; any finding where it is in the whole model). The right
cause is first where one of these findings names it first. Evidence is what besides the numbers
speaks of the body: a usable shape, or a mirror image on the other side.

simcheck runs without engines on the same files, as far as it reads them (no SDF, no MJCF without
its meshes): a new pair of check and target, warning or error, that names the body, and in brackets
any new pair at all, since it speaks of welded links under one name. It names no causes. Its false
findings are the warnings and errors of its checks inertia.* on sound bodies.

Aims: every provable mutant detected, right cause first in 85 % where it is identifiable; 85 % of
the valid ones with evidence, 70 % of all; fewer than 5 warnings on 1,000 sound bodies.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, zip_longest
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from _planting import CAUSES, Cause, Mutant, Site, plant
from _sound_bodies import reviews, sound_by_numbers

import inertial_check as ic
from inertial_check.model import Severity
from inertial_check.settings.settings import Settings

COUNTED = ("IC2", "IC5", "IC6")
"""Families of codes that are opinions: their warnings on sound bodies are false findings."""
UPSTREAM_SHARE = 0.4
PER_FILE = 2
LEAST = 20
"""Mutants of a cause below which one file may give more than PER_FILE."""
WITH_EVIDENCE = 0.6
"""Of the mutants of a valid cause, as far as there are sites: the others have mostly none."""
SIMCHECK_READS = ("urdf", "mjcf")
MAXIMUM_SIMCHECK_SECONDS = 60


# ----------------------------------------------------------------- choice


def mutants_of(which: Cause, sites: Sequence[Site], count: int, seed: int) -> list[Mutant]:
    """Mutants of one cause: of several upstreams, few of a file, no two of the same numbers."""
    rng = np.random.default_rng([seed, *which.key.encode()])
    found: list[Mutant] = []
    seen: set[tuple] = set()
    files: Counter[str] = Counter()
    upstreams: Counter[str] = Counter()
    most = max(1, int(UPSTREAM_SHARE * count))
    shuffled = [sites[k] for k in rng.permutation(len(sites))]
    evident = [site for site in shuffled if site.evidence != "neither"]
    stages = [(shuffled, count, PER_FILE), (shuffled, min(count, LEAST), count)]
    if which.kind == "valid":
        stages.insert(0, (evident, int(WITH_EVIDENCE * count), PER_FILE))
    for candidates, enough, per_file in stages:
        for site in _in_turns(candidates):
            if len(found) >= enough:
                break
            numbers = tuple(site.texts.values())
            full = upstreams[site.upstream] >= most or files[site.file] >= per_file
            if full or numbers in seen or not _has_what(which, site):
                continue
            mutant = plant(which, site, rng)
            if mutant is not None:
                found.append(mutant)
                seen.add(numbers)
                files[site.file] += 1
                upstreams[site.upstream] += 1
    return found


def _has_what(which: Cause, site: Site) -> bool:
    if which.needs is None:
        return True
    return ("geometry" in which.needs and bool(site.usable_shapes)) or (
        "twin" in which.needs and site.twin is not None
    )


def _in_turns(sites: Iterable[Site]) -> Iterator[Site]:
    """One of each upstream after the other."""
    by_upstream: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for site in sites:
        by_upstream[site.upstream, site.model.format].append(site)
    turns = zip_longest(*(by_upstream[key] for key in sorted(by_upstream)))
    return (site for site in chain.from_iterable(turns) if site is not None)


# ----------------------------------------------------------------- this project's check


class Said(NamedTuple):
    """A finding, as far as it is counted: causes best first."""

    body: str | None
    code: str
    severity: int
    causes: tuple[str, ...]
    message: str


class Run(NamedTuple):
    """A check of a file.

    Attributes:
        said: Its warnings and errors.
        consistent: The ids of the bodies that it calls consistent, singular ones among them.
        seconds: How long it took [s].
        failure: What it raised; None where it came to an end.
    """

    said: tuple[Said, ...]
    consistent: frozenset[str]
    seconds: float
    failure: str | None = None


def examined(task: tuple[str, float | None]) -> Run:
    """Check one file."""
    path, expected_mass = task
    start = perf_counter()
    try:
        settings = Settings(expected_mass=None if expected_mass is None else (expected_mass, 0.01))
        report = ic.check_model(path, settings)
    except Exception as error:  # a crash is a result here
        seconds = perf_counter() - start
        return Run((), frozenset(), seconds, f"{type(error).__name__}: {error}")
    seconds = perf_counter() - start
    said = (
        Said(f.body_id, f.code, f.severity, tuple(each.cause for each in f.causes), f.message)
        for f in report.findings
        if f.severity >= Severity.WARNING
    )
    good = {b.id for b in report.bodies if b.judgement.verdict in ("consistent", "boundary")}
    return Run(tuple(said), frozenset(good), seconds)


class Outcome(NamedTuple):
    """What became of one mutant."""

    cause: str
    kind: str
    identifiable: bool
    variant: str
    file: str
    body: str
    evidence: str
    detected: bool
    as_error: bool
    first: bool
    among_three: bool
    codes: tuple[str, ...]
    causes: tuple[str, ...]
    before: tuple[str, ...]
    old: dict[str, str]
    new: dict[str, str]
    simcheck: bool | None = None
    simcheck_anywhere: bool | None = None
    failure: str | None = None


def outcome(which: Cause, mutant: Mutant, before: Run, after: Run) -> Outcome:
    """Compare what was said of the original with what was said of the mutant."""
    site, change = mutant.site, mutant.change
    bodies = site.model.bodies
    watched = None if change.watched is None else {bodies[k].id for k in change.watched}
    known = {(each.body, each.code) for each in before.said}
    new = [
        each
        for each in after.said
        if (each.body, each.code) not in known and (watched is None or each.body in watched)
    ]
    tops = [each.causes for each in new]
    shown = site if site.index in change.texts else site.at(next(iter(change.texts)))
    changed = change.texts.get(shown.index, {})
    return Outcome(
        cause=which.name,
        kind=which.kind,
        identifiable=which.identifiable,
        variant=change.variant,
        file=site.file,
        body=site.body.name,
        evidence=site.evidence,
        detected=bool(new),
        as_error=any(each.severity >= Severity.ERROR for each in new),
        first=any(set(causes[:1]) & which.accepted for causes in tops),
        among_three=any(set(causes[:3]) & which.accepted for causes in tops),
        codes=tuple(sorted({each.code for each in new})),
        causes=max(tops, key=len, default=())[:3],
        before=tuple(sorted({e.code for e in before.said if e.body == site.body.id})),
        old=site.texts,
        new=site.texts | changed,
        failure=after.failure,
    )


# ----------------------------------------------------------------- simcheck


Pairs = dict[tuple[str, str], str]
"""(check, target) -> message."""
UNREAD = "unread"
"""Stands for a check where nothing of a file could be checked."""


def run_simcheck(program: str, paths: Sequence[str], jobs: int) -> dict[str, tuple[Pairs, float]]:
    """Warnings and errors of simcheck by file, and the seconds it says it took."""
    with tempfile.TemporaryDirectory() as folder:
        names, out = Path(folder, "files.txt"), Path(folder, "out.jsonl")
        names.write_text("".join(f"{path}\n" for path in paths))
        limits = ["-j", str(jobs), "--timeout", str(MAXIMUM_SIMCHECK_SECONDS)]
        options = ["--static-only", "--no-config", "-q", "--files-from", str(names)]
        command = [program, "scan", *options, *limits, "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not out.exists():
            sys.exit(f"{program} left with {done.returncode}:\n{done.stderr[-2000:]}")
        lines = out.read_text().splitlines()
    results = {}
    for report in map(json.loads, lines):
        findings = chain.from_iterable(result["findings"] for result in report["results"])
        pairs = {
            (f["check"], f["target"]): f["message"]
            for f in findings
            if f["severity"] in ("warning", "error")
        }
        if report.get("error") or report["stats"].get("unreadable"):
            pairs[UNREAD, ""] = report.get("error") or "unreadable"
        results[report["asset"]] = pairs, report["stats"].get("seconds", float("nan"))
    return results


def with_simcheck(each: Outcome, mutant: Mutant, before: Pairs, after: Pairs) -> Outcome:
    """The outcome with what simcheck found."""
    new = {pair: message for pair, message in after.items() if pair not in before}
    watched = mutant.change.watched
    names = {mutant.site.model.bodies[k].name for k in watched} if watched is not None else None
    named = names is None or any(
        pair[1] in names or any(f"'{name}'" in message for name in names)
        for pair, message in new.items()
    )
    return each._replace(simcheck=bool(new) and named, simcheck_anywhere=bool(new))


# ----------------------------------------------------------------- the whole run


def main() -> None:
    args = _arguments()
    chosen = [which for which in CAUSES if not args.cause or which.name in args.cause]
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        corpus = Path(folder).resolve() / "corpus"
        shutil.copytree(args.corpus, corpus)
        _make_writable(corpus)
        results = _run(corpus, chosen, args)
    print(table(results))
    if args.json:
        Path(args.json).write_text(json.dumps(as_json(results), indent=1))
    if args.misses:
        lines = [*map(miss, misses(results)), *results.ours.lines]
        Path(args.misses).write_text("".join(f"{line}\n" for line in lines))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default=os.environ.get("INERTIAL_CHECK_CORPUS"))
    parser.add_argument("--per-cause", type=int, default=40, help="mutants of a cause, at most")
    parser.add_argument("--cause", action="append", help="only this one; can be repeated")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simcheck", help="the program, if it is not found beside this Python")
    parser.add_argument("--no-simcheck", action="store_true")
    parser.add_argument("--json", help="write all figures and outcomes there")
    parser.add_argument("--misses", help="write a line there for each miss and false finding")
    args = parser.parse_args()
    if not args.corpus or not Path(args.corpus, "TRUTH.jsonl").exists():
        parser.error("set INERTIAL_CHECK_CORPUS to the folder of real models with TRUTH.jsonl")
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


def _make_writable(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | 0o700)


class Planted(NamedTuple):
    """A mutant on the disk."""

    cause: Cause
    mutant: Mutant
    path: str
    original: str


class Figures(NamedTuple):
    """What was counted on sound bodies.

    Attributes:
        bodies: How many sound bodies there are.
        files: How many files they are in.
        warnings: Code -> findings on them; "CODE on the model" for those on no body.
        flagged: How many of the bodies have one.
        distinct: How many bodies differ in name or numbers, and how many of these have one: a
            robot that is in many files counts once.
        lines: One a finding, in words.
        right: How many of the findings are right, as reviewed_findings.txt says.
        seconds: Median time a file [s] within a process that is up, over the mutants that simcheck
            reads.
    """

    bodies: int
    files: int
    warnings: Counter[str]
    flagged: int
    right: int
    seconds: float
    distinct: tuple[int, int]
    lines: list[str]

    @property
    def rate(self) -> float:
        """Findings on 1,000 sound bodies."""
        return 1000 * self.warnings.total() / max(1, self.bodies)

    @property
    def false_rate(self) -> float:
        """The same without those that are right."""
        return 1000 * (self.warnings.total() - self.right) / max(1, self.bodies)


class Results(NamedTuple):
    """All that one run found.

    Attributes:
        outcomes: One a mutant.
        ours: On sound bodies.
        by_numbers: On those that are sound by numbers.
        simcheck: The same for simcheck, on the sound bodies of the files that it read.
        consistent: How many consistent bodies there are, sound or not.
        raw: Code -> warnings on the consistent bodies.
        failures: What could not be checked.
    """

    outcomes: list[Outcome]
    ours: Figures
    by_numbers: Figures
    simcheck: Figures | None
    consistent: int
    raw: Counter[str]
    failures: list[str]


def _run(corpus: Path, chosen: Sequence[Cause], args: argparse.Namespace) -> Results:
    _say("reading the models")
    models, by_numbers = sound_by_numbers(corpus)
    sites = [site for site in by_numbers if site.refutation is None]
    planted = _planted(corpus, chosen, sites, args)
    _say(f"checking {len(models)} models and {len(planted)} mutants")
    ours = _ours(corpus, models, planted, args.jobs)
    outcomes = [
        outcome(
            each.cause,
            each.mutant,
            ours[each.original, each.mutant.change.expected_mass],
            ours[each.path, each.mutant.change.expected_mass],
        )
        for each in planted
    ]
    simcheck = None
    if args.simcheck:
        outcomes, simcheck = _with_peer(corpus, sites, planted, outcomes, args)
    mutated = [
        ours[each.path, each.mutant.change.expected_mass].seconds
        for each in planted
        if each.mutant.site.model.format in SIMCHECK_READS
    ]
    clean = {file: ours[str(corpus / file), None] for file in models}
    consistent, raw = _raw(clean.values())
    return Results(
        outcomes,
        _false_findings(sites, clean, median(mutated)),
        _false_findings(by_numbers, clean, median(mutated)),
        simcheck,
        consistent,
        raw,
        [f"{path}: {run.failure}" for (path, _), run in ours.items() if run.failure],
    )


def _planted(
    corpus: Path, chosen: Sequence[Cause], sites: Sequence[Site], args: argparse.Namespace
) -> list[Planted]:
    """The mutants of all causes, each in a file beside its original."""
    planted = []
    for which in chosen:
        made = mutants_of(which, sites, args.per_cause, args.seed)
        _say(f"{len(made):5} {which.key}")
        for mutant in made:
            original = corpus / mutant.site.file
            name = f"{original.stem}--{len(planted)}{original.suffix}"
            path = original.with_name(name)
            path.write_bytes(mutant.data)
            planted.append(Planted(which, mutant, str(path), str(original)))
    return planted


def _ours(
    corpus: Path, models: Iterable[str], planted: Sequence[Planted], jobs: int
) -> dict[tuple[str, float | None], Run]:
    """Every original and every mutant, checked, by path and expected mass."""
    tasks: list[tuple[str, float | None]] = [(str(corpus / file), None) for file in models]
    for each in planted:
        expected_mass = each.mutant.change.expected_mass
        tasks += [(path, expected_mass) for path in (each.original, each.path)]
    tasks = list(dict.fromkeys(tasks))
    with ProcessPoolExecutor(jobs) as pool:
        return dict(zip(tasks, pool.map(examined, tasks, chunksize=8), strict=True))


def _false_findings(sites: Sequence[Site], clean: dict[str, Run], seconds: float) -> Figures:
    """Warnings of this project that are opinions, on sound bodies and on their models."""
    sound = {(site.file, site.body.id): site for site in sites}
    files = {site.file for site in sites}
    warnings: Counter[str] = Counter()
    flagged, right, lines, reviewed = set(), 0, [], reviews()
    for file in sorted(files):
        for each in clean[file].said:
            site = sound.get((file, each.body or ""))
            if not each.code.startswith(COUNTED) or (site is None and each.body is not None):
                continue
            warnings[each.code if site else f"{each.code} on the model"] += 1
            if site:
                flagged.add((file, each.body))
            name = site.body.name if site else ""
            if any(review.covers(each.code, file, name) for review in reviewed):
                right += 1
                continue
            place = f"{file} {name} ({site.evidence})" if site else file
            lines.append(f"false finding | {each.code} | {place} | {each.message}")
    return Figures(
        len(sound),
        len(files),
        warnings,
        len(flagged),
        right,
        seconds,
        (_distinct(sites), _distinct([sound[each] for each in flagged])),
        lines,
    )


def _distinct(sites: Sequence[Site]) -> int:
    return len({(site.body.name, *site.texts.values()) for site in sites})


def _raw(runs: Iterable[Run]) -> tuple[int, Counter[str]]:
    """How many consistent bodies there are, sound or not, and the same warnings on them."""
    consistent, raw = 0, Counter[str]()
    for run in runs:
        consistent += len(run.consistent)
        raw.update(
            each.code
            for each in run.said
            if each.body in run.consistent and each.code.startswith(COUNTED)
        )
    return consistent, raw


def _with_peer(
    corpus: Path,
    sites: Sequence[Site],
    planted: Sequence[Planted],
    outcomes: Sequence[Outcome],
    args: argparse.Namespace,
) -> tuple[list[Outcome], Figures]:
    """The outcomes with what simcheck finds, and its own false findings."""
    readable = [each for each in planted if each.mutant.site.model.format in SIMCHECK_READS]
    files = {site.file for site in sites if site.model.format in SIMCHECK_READS}
    originals = {str(corpus / file) for file in files}
    _say(f"simcheck: {len(originals)} models and {len(readable)} mutants")
    paths = [*sorted(originals), *(each.path for each in readable)]
    said = run_simcheck(args.simcheck, paths, args.jobs)
    read = {path for path in originals & set(said) if (UNREAD, "") not in said[path][0]}
    compared = [
        with_simcheck(result, each.mutant, said[each.original][0], said[each.path][0])
        if each.original in read and each.path in said
        else result
        for result, each in zip(outcomes, planted, strict=True)
    ]
    warnings: Counter[str] = Counter()
    judged = [site for site in sites if str(corpus / site.file) in read]
    flagged = []
    for site in judged:
        path = str(corpus / site.file)
        found = {check for check, target in said[path][0] if target == site.body.name}
        of_inertia = [check for check in found if check.startswith("inertia.")]
        warnings.update(of_inertia)
        if of_inertia:
            flagged.append(site)
    seconds = median(said[each.path][1] for each in readable if each.path in said)
    return compared, Figures(
        len(judged),
        len(read),
        warnings,
        len(flagged),
        0,
        seconds,
        (_distinct(judged), _distinct(flagged)),
        [],
    )


# ----------------------------------------------------------------- what is printed


def table(results: Results) -> str:
    """All figures as Markdown."""
    head = (
        "| cause | kind | planted | detected | as error | cause first | in first three "
        "| with evidence | simcheck |"
    )
    lines = [head, "|" + "---|" * 9]
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for each in results.outcomes:
        groups[each.cause, each.kind].append(each)
    lines += [_row(name, kind, group) for (name, kind), group in groups.items()]
    for kind in ("provable", "valid"):
        group = [each for each in results.outcomes if each.kind == kind]
        if group:
            lines.append(_row("all", kind, group))
    return "\n".join([*lines, "", *_aims(results), "", *_clean(results)])


def _row(name: str, kind: str, group: list[Outcome]) -> str:
    with_evidence = [each for each in group if each.evidence != "neither"]
    read = [each for each in group if each.simcheck is not None]
    named, anywhere = (
        sum(e.simcheck or 0 for e in read),
        sum(e.simcheck_anywhere or 0 for e in read),
    )
    cells = [
        f"{name}{'' if group[0].identifiable or name == 'all' else ' *'}",
        kind,
        str(len(group)),
        _share(each.detected for each in group),
        _share(each.as_error for each in group),
        _share(each.first for each in group),
        _share(each.among_three for each in group),
        _share(each.detected for each in with_evidence) if kind == "valid" else "-",
        f"{named} [{anywhere}] of {len(read)}" if read else "-",
    ]
    return f"| {' | '.join(cells)} |"


def _share(values: Iterable[bool]) -> str:
    known = list(values)
    return f"{sum(known)}/{len(known)} ({np.mean(known):.0%})" if known else "-"


def _aims(results: Results) -> list[str]:
    """One line an aim: met or missed."""
    by_kind = {
        kind: [each for each in results.outcomes if each.kind == kind]
        for kind in ("provable", "valid")
    }
    sure = [each for each in results.outcomes if each.identifiable]
    evident = [each for each in by_kind["valid"] if each.evidence != "neither"]
    asked = [
        ("provable: detected", [e.detected for e in by_kind["provable"]], 1.0),
        (
            "provable and identifiable: right cause first",
            [e.first for e in sure if e.kind == "provable"],
            0.85,
        ),
        (
            "valid, identifiable, detected: right cause first",
            [e.first for e in sure if e.kind == "valid" and e.detected],
            0.85,
        ),
        ("valid with evidence: detected", [e.detected for e in evident], 0.85),
        ("valid: detected", [e.detected for e in by_kind["valid"]], 0.70),
    ]
    lines = [
        f"* {name} {_share(values)}, aim {aim:.0%}: {_verdict(np.mean(values) >= aim)}"
        for name, values, aim in asked
        if values
    ]
    false, every = results.ours.false_rate, results.ours.rate
    return [
        *lines,
        f"* false warnings on 1,000 sound bodies {false:.1f} (with those that a review found right "
        f"{every:.1f}), aim < 5: {_verdict(false < 5)}",
    ]


def _verdict(met: bool) -> str:
    return "met" if met else "missed"


def _clean(results: Results) -> list[str]:
    ours, peer = results.ours, results.simcheck
    lines = [
        _figures("inertial-check", ours),
        _figures("inertial-check, sound by numbers", results.by_numbers),
    ]
    if peer is not None:
        lines.append(_figures("simcheck (its checks inertia.*)", peer))
    raw = ", ".join(f"{code} {count}" for code, count in sorted(results.raw.items())) or "none"
    lines.append(f"* on all {results.consistent} consistent bodies, sound or not: {raw}")
    reasons = Counter(failure.split(": ", 1)[1] for failure in results.failures)
    crashes = [f"* {count} files could not be checked: {why}" for why, count in reasons.items()]
    return [*lines, *crashes]


def _figures(name: str, of: Figures) -> str:
    codes = ", ".join(f"{code} {count}" for code, count in sorted(of.warnings.items())) or "none"
    return (
        f"* {name}: {of.bodies} sound bodies in {of.files} files, {of.flagged} of them with a "
        f"warning ({1000 * of.flagged / max(1, of.bodies):.1f} of 1,000; {of.distinct[1]} of "
        f"{of.distinct[0]} that differ): {codes}; median "
        f"{1e3 * of.seconds:.0f} ms a file"
    )


def misses(results: Results) -> list[Outcome]:
    """Mutants that were not found, or whose cause was to be first and is not."""
    return [
        each
        for each in results.outcomes
        if not each.detected or (each.identifiable and not each.first)
    ]


def miss(each: Outcome) -> str:
    """One line: what was planted where, and what was found."""
    moved = [name for name, text in each.new.items() if text != each.old[name]]
    numbers = " ".join(f"{name}: {each.old[name]} -> {each.new[name]}" for name in moved)
    found = f"{' '.join(each.codes)}: {', '.join(each.causes) or 'no cause'}"
    said = found if each.detected else f"nothing (before: {' '.join(each.before) or 'nothing'})"
    if each.failure:
        said = f"that the check fails: {each.failure}"
    place = f"{each.file} {each.body} ({each.evidence})"
    return f"{each.cause} [{each.kind}] | {each.variant} | {place} | {numbers} | found {said}"


def as_json(results: Results) -> dict[str, Any]:
    """Everything, for other programs."""
    return {
        "ours": results.ours._asdict()
        | {"per_1000": results.ours.rate, "false_per_1000": results.ours.false_rate},
        "by_numbers": results.by_numbers._asdict() | {"per_1000": results.by_numbers.rate},
        "simcheck": None
        if results.simcheck is None
        else results.simcheck._asdict() | {"per_1000": results.simcheck.rate},
        "consistent": results.consistent,
        "raw": results.raw,
        "failures": results.failures,
        "outcomes": [each._asdict() for each in results.outcomes],
    }


if __name__ == "__main__":
    main()
