"""Warnings on sound bodies: each listed with independent numbers, judged, and counted once a fact.

Opinions are the warnings of IC2xx, IC307, IC5xx and IC6xx: they say of a possible body that it is
probably another than was meant. `reviewed_findings.txt` says which are right, which false, and
which open.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.documents.model import ENTRIES
from planting.halves import Half, half_of
from planting.runs import Run
from planting.shapes import (
    Measured,
    content,
    largest_angle,
    measure,
    misfit,
    written_principal,
)
from planting.sites import Array, Site

COUNTED = ("IC2", "IC307", "IC5", "IC6")
"""Families of codes that are opinions."""
REVIEWS = Path(__file__).resolve().parents[1] / "reviewed_findings.txt"

Verdict = Literal["right", "false", "open", "unreviewed"]
VERDICTS: tuple[Verdict, ...] = ("right", "false", "open", "unreviewed")


class Review(NamedTuple):
    """A judgement of findings, by patterns of their codes, file and body."""

    verdict: Verdict
    codes: str
    file: str
    body: str
    reason: str

    def covers(self, code: str, file: str, body: str) -> bool:
        """Whether it speaks of this finding."""
        return code in self.codes.split(",") and self.names(file, body)

    def names(self, file: str, body: str) -> bool:
        """Whether it speaks of this body, whatever is found."""
        return fnmatchcase(file, self.file) and fnmatchcase(body, self.body)


def reviews(path: Path = REVIEWS) -> list[Review]:
    """What the file of reviews says: lines below [right], [false] and [open]."""
    found, verdict = [], "right"
    for line in path.read_text().splitlines():
        if line.strip("[]") in VERDICTS and line.startswith("["):
            verdict = line.strip("[]")
        elif line and not line.startswith("#"):
            found.append(Review(verdict, *line.split(" | ")))
    return found


class Opinion(NamedTuple):
    """A warning on a sound body, or on a model that has one.

    Attributes:
        site: The body; of a finding on the model, its first sound body.
        body: Name; "" of the model.
        code: Of the rule.
        message: In words.
        cause: The first; "" without one.
        bodies: Names of the bodies of a finding on the model.
        fact: What is the same in another file that says the same of the same body.
        verdict: As reviewed.
        reason: Of the verdict.
    """

    site: Site
    body: str
    code: str
    message: str
    cause: str
    bodies: tuple[str, ...]
    fact: tuple
    verdict: Verdict
    reason: str

    @property
    def half(self) -> Half:
        """The half of its upstream."""
        return half_of(self.site.upstream)


def opinions(sites: Sequence[Site], clean: Mapping[str, Run]) -> list[Opinion]:
    """Every opinion on sound bodies and on their models, in the order of the files."""
    sound: dict[str, dict[str, Site]] = {}
    for site in sites:
        sound.setdefault(site.file, {})[site.body.id] = site
    reviewed = reviews()
    found = []
    for file, bodies in sorted(sound.items()):
        for each in clean[file].said:
            named = [body for body in (each.body, *each.bodies) if body]
            about = [bodies[body] for body in named if body in bodies]
            if not each.code.startswith(COUNTED) or (named and not about):
                continue
            of_model = each.body is None
            body = "" if of_model else about[0].body.name
            review = next((r for r in reviewed if r.covers(each.code, file, body)), None)
            found.append(
                Opinion(
                    site=about[0] if about else next(iter(bodies.values())),
                    body=body,
                    code=each.code,
                    message=each.message,
                    cause=next(iter(each.causes), ""),
                    bodies=tuple(site.body.name for site in about) if of_model else (),
                    fact=(each.code, *sorted(content(site) for site in about)),
                    verdict="unreviewed" if review is None else review.verdict,
                    reason="" if review is None else review.reason,
                )
            )
    return found


class Figures(NamedTuple):
    """Opinions on the sound bodies of a half.

    Attributes:
        bodies: How many bodies there are.
        distinct: How many of them differ in mass, tensor or shapes.
        raw: How many opinions there are.
        facts: How many of them differ.
        flagged: How many bodies have one.
        by_verdict: Verdict -> opinions.
        facts_by_verdict: Verdict -> facts.
        codes: Code -> opinions; "CODE on the model" for those on no body.
    """

    bodies: int
    distinct: int
    raw: int
    facts: int
    flagged: int
    by_verdict: Counter[str]
    facts_by_verdict: Counter[str]
    codes: Counter[str]

    def rate(self, *verdicts: Verdict) -> float:
        """Opinions with these verdicts on 1,000 bodies; all of them without any."""
        count = sum(self.by_verdict[verdict] for verdict in verdicts) if verdicts else self.raw
        return 1000 * count / max(1, self.bodies)

    def fact_rate(self, *verdicts: Verdict) -> float:
        """The same of facts on 1,000 bodies that differ."""
        of = self.facts_by_verdict
        count = sum(of[verdict] for verdict in verdicts) if verdicts else self.facts
        return 1000 * count / max(1, self.distinct)


def figures(sites: Iterable[Site], found: Iterable[Opinion], half: Half) -> Figures:
    """Count the opinions of a half. The worst verdict on a fact is that of the fact."""
    own = [site for site in sites if half_of(site.upstream) == half]
    said = [each for each in found if each.half == half]
    worst: dict[tuple, Verdict] = {}
    for each in said:
        known = worst.get(each.fact, "right")
        worst[each.fact] = max(known, each.verdict, key=VERDICTS.index)
    return Figures(
        bodies=len(own),
        distinct=len({content(site) for site in own}),
        raw=len(said),
        facts=len(worst),
        flagged=len({(each.site.file, each.body) for each in said}),
        by_verdict=Counter(each.verdict for each in said),
        facts_by_verdict=Counter(worst.values()),
        codes=Counter(each.code if each.body else f"{each.code} on the model" for each in said),
    )


# ----------------------------------------------------------------- the table


def write_table(found: Iterable[Opinion], path: Path) -> None:
    """One row an opinion, parted by tabs; equal facts share a number."""
    facts: dict[tuple, int] = {}
    rows = []
    for each in found:
        number = facts.setdefault(each.fact, len(facts) + 1)
        rows.append({"fact": str(number), **_row(each)})
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter="\t", restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _row(each: Opinion) -> dict[str, str]:
    site = each.site
    moments, _ = written_principal(site)
    row = {
        "half": each.half,
        "upstream": site.upstream,
        "file": site.file,
        "body": each.body or f"({', '.join(each.bodies)})",
        "code": each.code,
        "verdict": each.verdict,
        "reason": each.reason,
        "cause": each.cause,
        "message": each.message,
        "mass": site.texts["mass"],
        "center": " ".join(site.texts[axis] for axis in "xyz"),
        "written": " ".join(site.texts[entry] for entry in ENTRIES),
        "rotated": "" if np.allclose(site.R_BBi, np.eye(3)) else "yes",
        "moments": _numbers(moments),
        "twin": "" if site.twin is None else site.twin.body.name,
    }
    for role in ("visual", "collision"):
        of_role = sum(shape.role == role for shape in site.body.shapes)
        measured = measure(site, role)
        if of_role:
            row[f"{role}: shapes"] = f"{measured.parts if measured else 0} of {of_role}"
        if measured is not None:
            row |= {f"{role}: {name}": text for name, text in _shapes(site, measured).items()}
    return row


def _shapes(site: Site, measured: Measured) -> dict[str, str]:
    return {
        "closed": "yes" if measured.closed else "no",
        "volume": f"{measured.volume:.4g}",
        "density": f"{site.mass / measured.volume:.4g}",
        "centroid": _numbers(measured.centroid),
        "moments": _numbers(measured.moments),
        "tensor": _numbers(measured.tensor[np.triu_indices(3)]),
        "misfit": f"{misfit(site, measured):.3f}",
        "angle": f"{largest_angle(site, measured):.1f}",
    }


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.4g}" for value in values)
