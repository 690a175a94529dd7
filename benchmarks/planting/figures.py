"""Figures of a run as Markdown and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from planting.halves import HALVES
from planting.opinions import VERDICTS, Figures, Opinion
from planting.outcomes import Outcome, reliability
from planting.peer import PeerFigures


class Results(NamedTuple):
    """All that one run found.

    Attributes:
        outcomes: One a mutant.
        opinions: On sound bodies.
        sound: Half -> their figures.
        by_numbers: Half -> those of the bodies that are sound by numbers.
        simcheck: The same for simcheck, on the sound bodies of the files that it read.
        failures: What could not be checked.
        seconds: How long reading, planting and checking took [s].
    """

    outcomes: list[Outcome]
    opinions: list[Opinion]
    sound: dict[str, Figures]
    by_numbers: dict[str, Figures]
    simcheck: PeerFigures | None
    failures: list[str]
    seconds: dict[str, float]


class Aim(NamedTuple):
    """A share that is to be reached.

    Attributes:
        name: In words.
        counts: Which outcomes are asked.
        is_met: What is asked of each.
        least: The share.
    """

    name: str
    counts: Callable[[Outcome], bool]
    is_met: Callable[[Outcome], bool]
    least: float


def _named(cause: str) -> Callable[[Outcome], bool]:
    return lambda each: each.kind == "valid" and each.cause == cause


AIMS = (
    Aim("provable: found", lambda e: e.kind == "provable", lambda e: e.detected, 1.0),
    Aim(
        "provable, identifiable: right cause first",
        lambda e: e.kind == "provable" and e.identifiable,
        lambda e: e.first,
        0.97,
    ),
    Aim("valid: found", lambda e: e.kind == "valid", lambda e: e.detected, 0.80),
    Aim(
        "valid with geometry: found",
        lambda e: e.kind == "valid" and e.geometry,
        lambda e: e.detected,
        0.90,
    ),
    Aim(
        "valid with shapes that fit: found",
        lambda e: e.kind == "valid" and e.fits,
        lambda e: e.detected,
        0.90,
    ),
    Aim(
        "valid with a twin: found",
        lambda e: e.kind == "valid" and e.twin,
        lambda e: e.detected,
        0.92,
    ),
    Aim(
        "valid, identifiable, found: right cause first",
        lambda e: e.kind == "valid" and e.identifiable and e.detected,
        lambda e: e.first,
        0.75,
    ),
    Aim("valid, all: right cause first", lambda e: e.kind == "valid", lambda e: e.first, 0.75),
    Aim("mirror: found", _named("mirror"), lambda e: e.detected, 0.85),
    Aim("mirror: right cause first", _named("mirror"), lambda e: e.first, 0.75),
    Aim("copied-block: found", _named("copied-block"), lambda e: e.detected, 0.85),
    Aim("copied-block: right cause first", _named("copied-block"), lambda e: e.first, 0.75),
    Aim("whole model: found", lambda e: e.kind == "model", lambda e: e.detected, 0.95),
    Aim("whole model: as one finding", lambda e: e.kind == "model", lambda e: e.as_one, 0.95),
    Aim("whole model: right cause first", lambda e: e.kind == "model", lambda e: e.first, 0.90),
)


def table(results: Results) -> str:
    """All figures as Markdown."""
    sections = [_aims(results.outcomes), _causes(results.outcomes)]
    sections += [_reliability(results.outcomes), _sound(results), _rest(results)]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _share(values: Iterable[bool]) -> str:
    known = list(values)
    return f"{sum(known)}/{len(known)} ({np.mean(known):.1%})" if known else "-"


def _aims(outcomes: Sequence[Outcome]) -> list[str]:
    """One row an aim: by half and seed, and whether the untouched half meets it."""
    seeds = sorted({each.seed for each in outcomes})
    parts = [(half, seed) for half in HALVES for seed in seeds]
    rows = []
    for aim in AIMS:
        asked = [each for each in outcomes if aim.counts(each)]
        untouched = [aim.is_met(each) for each in asked if each.half == "untouched"]
        cells = [
            _share(aim.is_met(each) for each in asked if (each.half, each.seed) == part)
            for part in parts
        ]
        met = "-" if not untouched else "met" if np.mean(untouched) >= aim.least else "missed"
        cells += [_share(untouched), _share(map(aim.is_met, asked)), f"{aim.least:.0%}", met]
        rows.append([aim.name, *cells])
    head = [f"{half}, seed {seed}" for half, seed in parts]
    return _markdown(["aim", *head, "untouched", "all", "least", "untouched half"], rows)


def _causes(outcomes: Sequence[Outcome]) -> list[str]:
    """One row a cause, seeds together."""
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for each in outcomes:
        groups[each.cause, each.kind].append(each)
    rows = []
    for (name, kind), group in groups.items():
        cells = [f"{name}{'' if group[0].identifiable else ' *'}", kind]
        for half in HALVES:
            own = [each for each in group if each.half == half]
            cells += [_share(e.detected for e in own), _share(e.first for e in own)]
        cells += [_share(e.among_three for e in group), _share(e.as_error for e in group)]
        rows.append([*cells, _peer(group)])
    head = ["cause", "kind"]
    head += [f"{half}: {what}" for half in HALVES for what in ("found", "cause first")]
    return _markdown([*head, "in first three", "as error", "simcheck"], rows)


def _peer(group: Sequence[Outcome]) -> str:
    read = [each for each in group if each.simcheck is not None]
    named, anywhere = (
        sum(bool(each.simcheck) for each in read),
        sum(bool(each.simcheck_anywhere) for each in read),
    )
    return f"{named} [{anywhere}] of {len(read)}" if read else "-"


def _reliability(outcomes: Sequence[Outcome]) -> list[str]:
    """One row a tenth of confidence: how many first causes are right."""
    groups = [
        (f"{half}, {kind}", [e for e in outcomes if (e.half, e.kind) == (half, kind)])
        for half in HALVES
        for kind in ("provable", "valid", "model")
    ]
    tables = [reliability(group) for _, group in groups]
    rows = [
        [
            f"{bins[0].least:.0%} to {bins[0].least + 0.1:.0%}",
            *(
                f"{b.right} of {b.count} ({b.right / b.count:.0%})" if b.count else "-"
                for b in bins
            ),
        ]
        for bins in zip(*tables, strict=True)
    ]
    return _markdown(["confidence of the first cause", *(name for name, _ in groups)], rows)


def _sound(results: Results) -> list[str]:
    """One row a half: opinions on sound bodies."""
    rows = []
    for name, figures in (("", results.sound), (", sound by numbers", results.by_numbers)):
        for half, of in figures.items():
            codes = ", ".join(f"{code} {count}" for code, count in sorted(of.codes.items()))
            judged = [f"{of.by_verdict[v]} [{of.facts_by_verdict[v]}]" for v in VERDICTS]
            rates = [
                f"{of.rate():.1f} [{of.fact_rate():.1f}]",
                f"{of.rate('false', 'unreviewed'):.1f} [{of.fact_rate('false', 'unreviewed'):.1f}]",
            ]
            counts = [f"{of.bodies} [{of.distinct}]", f"{of.raw} [{of.facts}]"]
            rows.append([f"{half}{name}", *counts, *judged, *rates, codes or "none"])
    head = ["half", "bodies [that differ]", "warnings [facts]", *VERDICTS]
    return _markdown([*head, "all of 1,000", "false or unreviewed of 1,000", "codes"], rows)


def _rest(results: Results) -> list[str]:
    lines = []
    if results.simcheck is not None:
        peer = results.simcheck
        codes = ", ".join(f"{check} {count}" for check, count in sorted(peer.warnings.items()))
        lines.append(
            f"* simcheck (its checks inertia.*): {peer.bodies} sound bodies in {peer.files} files, "
            f"{peer.flagged} with a warning "
            f"({1000 * peer.flagged / max(1, peer.bodies):.1f} of 1,000): {codes or 'none'}"
        )
    took = ", ".join(f"{what} {seconds:.0f} s" for what, seconds in results.seconds.items())
    lines.append(f"* time: {took}")
    reasons = Counter(failure.split(": ", 1)[1] for failure in results.failures)
    return lines + [f"* {n} files could not be checked: {why}" for why, n in reasons.items()]


def misses(results: Results) -> list[str]:
    """One line a mutant that was not found, or whose cause was to be first and is not."""
    return [
        miss(each)
        for each in results.outcomes
        if not each.detected or (each.identifiable and not each.first)
    ]


def miss(each: Outcome) -> str:
    """What was planted where, and what was found."""
    moved = [name for name, text in each.new.items() if text != each.old[name]]
    numbers = " ".join(f"{name}: {each.old[name]} -> {each.new[name]}" for name in moved)
    found = f"{' '.join(each.codes)}: {', '.join(each.causes) or 'no cause'}"
    said = found if each.detected else f"nothing (before: {' '.join(each.before) or 'nothing'})"
    if not each.detected and each.codes:
        said = f"not of {'the whole' if each.kind == 'model' else 'it'}, but {found}"
    if each.failure:
        said = f"that the check fails: {each.failure}"
    speaks = [name for name in ("geometry", "twin") if getattr(each, name)]
    place = f"{each.file} {each.body} ({', '.join(speaks) or 'neither'})"
    head = f"{each.half}, seed {each.seed} | {each.cause} [{each.kind}] | {each.variant}"
    return f"{head} | {place} | {numbers} | found {said}"


def as_json(results: Results) -> dict[str, Any]:
    """Everything, for other programs."""
    return {
        "aims": {aim.name: _counts(aim, results.outcomes) for aim in AIMS},
        "reliability": {
            half: {
                kind: [
                    each._asdict()
                    for each in reliability(
                        e for e in results.outcomes if (e.half, e.kind) == (half, kind)
                    )
                ]
                for kind in ("provable", "valid", "model")
            }
            for half in HALVES
        },
        "sound": {half: of._asdict() for half, of in results.sound.items()},
        "by_numbers": {half: of._asdict() for half, of in results.by_numbers.items()},
        "simcheck": None if results.simcheck is None else results.simcheck._asdict(),
        "failures": results.failures,
        "seconds": results.seconds,
        "outcomes": [each._asdict() for each in results.outcomes],
    }


def _counts(aim: Aim, outcomes: Sequence[Outcome]) -> dict[str, list[int]]:
    """Half -> how many meet the aim, and how many are asked."""
    counts = {}
    for half in HALVES:
        asked = [each for each in outcomes if each.half == half and aim.counts(each)]
        counts[half] = [sum(map(aim.is_met, asked)), len(asked)]
    return counts
