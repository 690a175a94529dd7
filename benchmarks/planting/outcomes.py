"""What became of each mutant: found, as one finding, with the right cause first?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inertial_check.checking.report import Severity
from planting.defects import Cause, Mutant
from planting.halves import Half, half_of
from planting.runs import Run, Said
from planting.shapes import measure, misfit
from planting.sites import Site

COVERED = 0.8
"""Part of the sound links that a defect of the model moved, of which a finding has to speak."""
FITS = 0.25
"""Misfit up to which shapes stand for the mass."""
BINS = 10
"""Of the reliability table: from 0 to 10 %, ..., from 90 to 100 %."""


class Outcome(NamedTuple):
    """What became of one mutant.

    Attributes:
        cause: Planted cause.
        kind: "provable", "valid" or "model".
        identifiable: As its Cause has it.
        seed: Of the choice.
        half: The half of its upstream.
        variant: Which form of the defect.
        file: The original.
        body: Name of the body; "" for the whole model.
        geometry: Whether a usable shape speaks of the body; of a model, of three links.
        fits: Whether shapes of one role, filled evenly, have the body's tensor as it was.
        twin: Whether a mirror image does.
        detected: Whether it was found.
        as_one: Whether one finding of the whole model says it; False for a body.
        as_error: Whether an error is among the new findings.
        first: Whether the right cause stands first.
        among_three: Whether it is among the first three.
        codes: Of the new findings.
        causes: The first three of the finding that has most.
        believed: Of each new finding with causes, the confidence of the first, whether it is right,
            and its name.
        before: Codes that the original has on the body.
        old: The numbers as they were; of one body.
        new: As they are.
        simcheck: Whether simcheck found it; None where it did not read the file.
        simcheck_anywhere: Whether it has anything new.
        failure: What the check raised.
    """

    cause: str
    kind: str
    identifiable: bool
    seed: int
    half: Half
    variant: str
    file: str
    body: str
    geometry: bool
    fits: bool
    twin: bool
    detected: bool
    as_one: bool
    as_error: bool
    first: bool
    among_three: bool
    codes: tuple[str, ...]
    causes: tuple[str, ...]
    believed: tuple[tuple[float, bool, str], ...]
    before: tuple[str, ...]
    old: dict[str, str]
    new: dict[str, str]
    simcheck: bool | None = None
    simcheck_anywhere: bool | None = None
    failure: str | None = None


def has_fitting_shapes(site: Site) -> bool:
    """Whether the shapes of one role stand for the mass of a sound body, by trimesh."""
    measured = (measure(site, role) for role in ("visual", "collision"))
    return any(each is not None and misfit(site, each) <= FITS for each in measured)


class New(NamedTuple):
    """A finding that the original does not have.

    Attributes:
        said: The finding.
        subjects: The bodies, of those that count, of which the original does not say it.
    """

    said: Said
    subjects: frozenset[str | None]


def outcome(which: Cause, mutant: Mutant, seed: int, before: Run, after: Run) -> Outcome:
    """Compare what was said of the original with what was said of the mutant."""
    site, change = mutant.site, mutant.change
    accepted = which.accepted | change.also
    new = new_findings(mutant, before, after)
    tops = [each.said.causes for each in new]
    if which.kind == "model":
        affected = frozenset(site.model.bodies[k].id for k in change.watched or ())
        as_one, leading = spoken_of_all(new, affected)
        detected, first = bool(leading), bool(leading & accepted)
    else:
        as_one, detected = False, bool(new)
        first = any(set(causes[:1]) & accepted for causes in tops)
    shown = site if site.index in change.texts else site.at(next(iter(change.texts)))
    shaped = sum(site.at(k).has_geometry for k in change.texts)
    return Outcome(
        cause=which.name,
        kind=which.kind,
        identifiable=which.identifiable,
        seed=seed,
        half=half_of(site.upstream),
        variant=change.variant,
        file=site.file,
        body="" if which.kind == "model" else site.body.name,
        geometry=shaped >= 3 if which.kind == "model" else site.has_geometry,
        fits=which.kind == "valid" and has_fitting_shapes(site),
        twin=site.has_twin,
        detected=detected,
        as_one=as_one,
        as_error=any(each.said.severity >= Severity.ERROR for each in new),
        first=first,
        among_three=first or any(set(causes[:3]) & accepted for causes in tops),
        codes=tuple(sorted({each.said.code for each in new})),
        causes=max(tops, key=len, default=())[:3],
        believed=tuple(
            (each.said.confidence, each.said.causes[0] in accepted, each.said.causes[0])
            for each in new
            if each.said.causes
        ),
        before=tuple(sorted({e.code for e in before.said if site.body.id in e.subjects})),
        old=shown.texts,
        new=shown.texts | dict(change.texts.get(shown.index, {})),
        failure=after.failure,
    )


def new_findings(mutant: Mutant, before: Run, after: Run) -> list[New]:
    """What is said of the mutant and not of its original, on the bodies that count."""
    known = {(subject, each.code) for each in before.said for subject in each.subjects}
    watched: set[str | None] | None = None
    if mutant.change.watched is not None:
        watched = {mutant.site.model.bodies[k].id for k in mutant.change.watched}
    found = []
    for each in after.said:
        unknown = {subject for subject in each.subjects if (subject, each.code) not in known}
        subjects = frozenset(unknown if watched is None else unknown & watched)
        if subjects:
            found.append(New(each, subjects))
    return found


def spoken_of_all(
    new: Sequence[New], affected: frozenset[str | None]
) -> tuple[bool, frozenset[str]]:
    """Whether one finding speaks of the model, and the first causes that explain most links.

    A finding of the whole model and findings of single bodies add up where they name one cause
    first: a body that became inconsistent has an error of its own.
    """
    enough = COVERED * len(affected)
    covered: dict[str, set[str | None]] = defaultdict(set)
    for each in new:
        covered[next(iter(each.said.causes), "")] |= each.subjects & affected
    leading = {cause for cause, bodies in covered.items() if len(bodies) >= enough}
    of_model = {
        next(iter(each.said.causes), "")
        for each in new
        if each.said.body is None and each.said.bodies
    }
    if leading & of_model:
        return True, frozenset(leading & of_model)
    return False, frozenset(leading - {""})


class Bin(NamedTuple):
    """First causes of about one confidence.

    Attributes:
        least: Of the confidence.
        count: How many there are.
        right: How many of them are.
        mean: Of the confidence.
    """

    least: float
    count: int
    right: int
    mean: float


def reliability(outcomes: Iterable[Outcome]) -> list[Bin]:
    """How many of the first causes of each confidence are right."""
    counts, right, sums = Counter[int](), Counter[int](), Counter[int]()
    for each in outcomes:
        for confidence, is_right, _ in each.believed:
            place = min(BINS - 1, int(BINS * confidence))
            counts[place] += 1
            right[place] += is_right
            sums[place] += confidence
    return [
        Bin(k / BINS, counts[k], right[k], sums[k] / counts[k] if counts[k] else 0.0)
        for k in range(BINS)
    ]
