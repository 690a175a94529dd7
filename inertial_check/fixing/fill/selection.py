"""Selection of the bodies to fill: those whose numbers are missing or stand for none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from inertial_check.checking.check import ReportContent, check_model
from inertial_check.checking.report import FileReport
from inertial_check.checking.settings import Settings
from inertial_check.checking.shapes.priors import indices_of
from inertial_check.documents.context import Context
from inertial_check.documents.model import Judgement, Model, judge
from inertial_check.documents.spelling import suggest_name
from inertial_check.fixing.fill.knowledge import LinkDensity
from inertial_check.inertia.consistency import Verdict

REASONS = {
    "IC103": "missing",
    "IC105": "default",
    "IC303": "zero",
    "IC304": "zero",
    "IC501": "placeholder",
}
"""Findings that ask for numbers, and a word for each."""

_CONTENT = ReportContent(predictions="none", causes=False)

_ENGINE_RULES = {
    "mjcf": "MuJoCo computes them from geoms (inertiafromgeom)",
    "sdf": 'Gazebo computes them from collisions (<inertial auto="true">)',
    "usd": "physics engines compute them from colliders and their density",
}
"""By format, the engine's own rule for bodies whose document leaves their numbers to shapes."""

_MOST_NAMES = 4
"""Most names in one note; more would bury its end."""

_UNWRITTEN = (Verdict.MISSING.word, Verdict.DERIVED.word, Verdict.DEFAULTED.word)


class Target(NamedTuple):
    """A body to fill.

    Attributes:
        at: Its index in the model.
        reason: "missing", "default", "zero", "placeholder" or "named".
        mass: Mass that the document states and that stays [kg]; None where it states none or it is
            a placeholder too.
    """

    at: int
    reason: str
    mass: float | None


def examine_model(model: Model, context: Context) -> FileReport:
    """Check a model for what fill needs: its findings, with the default rules."""
    (file,) = check_model(model, Settings(context=context), _CONTENT).files
    return file


def select_targets(model: Model, names: Sequence[str], report: FileReport) -> list[Target]:
    """Select the bodies to fill.

    Args:
        model: The model.
        names: Names or ids of the bodies; empty for those whose numbers check misses: missing, the
            format's default, zero, or a placeholder.
        report: What check finds of the model.

    Raises:
        ParameterError: A name that no body or several have.
    """
    if names:
        return [Target(index, "named", None) for index in dict.fromkeys(indices_of(model, names))]
    reasons: dict[str, str] = {}
    for finding in report.findings:
        if finding.code in REASONS and finding.body_id is not None:
            reasons.setdefault(finding.body_id, REASONS[finding.code])
    judgements = judge(model)
    return [
        Target(index, reasons[body.id], _held_mass(judgements[index], reasons[body.id]))
        for index, body in enumerate(model.bodies)
        if body.id in reasons
    ]


def _held_mass(judgement: Judgement, reason: str) -> float | None:
    """The mass that a document states beside a tensor that stands for none."""
    mass = judgement.mass
    if reason in ("missing", "default") or judgement.verdict in _UNWRITTEN or not mass > 0:
        return None
    if reason == "placeholder" and mass == judgement.principal_moments[0]:
        return None  # 1 kg and 1 kg m^2: neither was measured
    return mass


def note_derived_bodies(model: Model, targets: Sequence[Target]) -> Iterator[str]:
    """Say which bodies have no numbers and are not filled, as the engine has a rule for them."""
    filled = {target.at for target in targets}
    names = [
        body.name
        for index, body in enumerate(model.bodies)
        if body.inertia_from == "geometry" and index not in filled
    ]
    if names:
        shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
        rule = _ENGINE_RULES.get(model.format, "engines compute them from shapes")
        yield f"not filled, as {rule}: {shown}; --body NAME fills one"


def note_unmatched_patterns(model: Model, links: Sequence[LinkDensity]) -> Iterator[str]:
    """Say which patterns of a table of materials match no body of a model."""
    for link in links:
        if not any(fnmatchcase(body.name, link.pattern) for body in model.bodies):
            hint = suggest_name(link.pattern, [body.name for body in model.bodies])
            yield f"no body matches {link.pattern!r} of the materials{hint}"
