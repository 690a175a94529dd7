"""Which bodies of a model are filled: those whose numbers are missing or stand for none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inertial_check.checking.check import FINDINGS_ONLY, check_model
from inertial_check.geometry.priors import indices_of
from inertial_check.inertia.consistency import Verdict
from inertial_check.model import Judgement, Model
from inertial_check.model.judging import judge
from inertial_check.settings.settings import Settings

REASONS = {
    "IC103": "missing",
    "IC105": "default",
    "IC303": "zero",
    "IC304": "zero",
    "IC501": "placeholder",
}
"""Findings that ask for numbers, and a word for each."""

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


def select_targets(
    model: Model, names: Sequence[str] = (), settings: Settings | None = None
) -> list[Target]:
    """Select the bodies to fill.

    Args:
        model: The model.
        names: Names or ids of the bodies; empty for those whose numbers check misses: missing, the
            format's default, zero, or a placeholder.
        settings: Settings of the check; only its context and geometry matter.

    Raises:
        ParameterError: A name that no body or several have.
    """
    if names:
        return [Target(index, "named", None) for index in dict.fromkeys(indices_of(model, names))]
    context = (settings or Settings()).context
    report = check_model(model, Settings(context=context), FINDINGS_ONLY)
    reasons: dict[str, str] = {}
    for file in report.files:
        for finding in file.findings:
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
