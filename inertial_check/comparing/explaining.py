"""How far two bodies differ, and which mistakes of converters turn one into the other."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.comparing.conversions import MISTAKES, Change, Reading
from inertial_check.inertia import tolerances
from inertial_check.model.difference import (
    QUANTITIES,
    Deviations,
    Explanation,
    MassProperty,
    Which,
    fits,
)

_ALIKE = 10.0
"""Residuals within this factor of the least one rank alike: they are rounding, not evidence."""

_ROUNDING = 1e-9
"""Of a difference: residuals below are rounding in any case."""

_FORGETFUL = frozenset(mistake.name for mistake in MISTAKES if mistake.forgets)


class Scales(NamedTuple):
    """What deviations are relative to: mass [kg], radius of gyration [m], largest moment."""

    mass: float
    com: float
    inertia: float


def scales(*bodies: Reading) -> Scales:
    """The largest of each among some bodies.

    Of point masses it is the distance from the origin to which that of a centre of mass counts.
    """
    radii = [_radius_of_gyration(body) for body in bodies]
    offsets = [float(np.linalg.norm(body.p_BoBcm_B)) for body in bodies]
    return Scales(
        max(abs(body.mass) for body in bodies),
        max(radii) or max(offsets),
        max(float(np.linalg.norm(body.I_BBcm_B, 2)) for body in bodies),
    )


def _radius_of_gyration(body: Reading) -> float:
    if body.mass == 0:
        return 0.0
    return float(np.sqrt(abs(np.trace(body.I_BBcm_B) / 2 / body.mass)))


def deviations(a: Reading, b: Reading) -> Deviations:
    """How far two bodies differ, without units; see Deviations."""
    size = scales(a, b)
    # What has no mass has no centre of it.
    moved = 0.0 if 0 in (a.mass, b.mass) else _deviation(a.p_BoBcm_B, b.p_BoBcm_B, size.com)
    return Deviations(
        _deviation(a.mass, b.mass, size.mass),
        moved,
        _deviation(a.I_BBcm_B, b.I_BBcm_B, size.inertia),
    )


def _deviation(
    one: float | Floats, other: float | Floats, scale: float, enough: float = inf
) -> float:
    """The length of a vector, or the largest eigenvalue of a tensor, over a scale.

    A lower bound is good enough where it exceeds `enough`.
    """
    apart = np.asarray(one) - np.asarray(other)
    length = float(np.max(np.abs(apart)))
    if length == 0:
        return 0.0
    if not scale > 0 or not isfinite(length):
        return inf
    if apart.ndim and length <= enough * scale:
        length = float(np.linalg.norm(apart, 2))
    return length / scale


def floors(a: Reading, b: Reading) -> Deviations:
    """Up to which deviation two equal bodies, written in other axes, may differ by rounding."""
    floor = float(tolerances.floor(np.ones(())))
    size = scales(a, b)
    offset = max(float(np.linalg.norm(body.p_BoBcm_B)) for body in (a, b))
    return Deviations(floor, floor * (1 + offset / size.com if size.com else 1), floor)


def explain(
    a: Reading,
    b: Reading,
    differs: Sequence[MassProperty],
    tolerance: float,
) -> list[Explanation]:
    """The mistakes that turn one body into the other, to the digits in which they are written.

    Args:
        a: The body of the first model.
        b: Of the second.
        differs: What of it differs.
        tolerance: Up to which a deviation counts as none.

    Returns:
        Best first: those that explain more of what differs, then those that leave less of it. At
        most one of each name; none that explains only part of what another explains.
    """
    digits = [max(tolerance, sum(pair)) for pair in zip(a.digits, b.digits, strict=True)]
    directions: tuple[tuple[Which, Reading, _Goal], ...] = (
        ("a", a, _goal(a, b, differs, tolerance, digits)),
        ("b", b, _goal(b, a, differs, tolerance, digits)),
    )
    found: list[Explanation] = []
    for mistake in MISTAKES:
        own = [
            Explanation(mistake.name, of, change.clause, *fit)
            for of, body, goal in directions
            for change in mistake.changes(body, goal.body)
            if (fit := _fit(change, goal)) is not None
        ]
        found += _ranked(own)[:1]
    if {quantity for each in found for quantity in each.explains} != set(differs):
        found = [each for each in found if each.name not in _FORGETFUL]
    ranked = _ranked(found)
    return [
        explanation
        for explanation in ranked
        if not any(set(explanation.explains) < set(other.explains) for other in ranked)
    ]


def settled(each: Sequence[Sequence[Explanation]]) -> list[tuple[Explanation, ...]]:
    """The explanations of many bodies; of those that rank alike, what explains more bodies first.

    A converter makes one mistake in every body.
    """
    bodies = fits(each)
    return [tuple(_ranked(own, bodies)) for own in each]


class _Goal(NamedTuple):
    """What a change has to give.

    Attributes:
        body: The one to be met.
        differs: Whether each quantity differs.
        sizes: Of each quantity, to which deviations are relative.
        open_to: Up to which deviation each quantity counts as met.
        before: How far each quantity is before any change.
    """

    body: Reading
    differs: Sequence[bool]
    sizes: Scales
    open_to: Sequence[float]
    before: Sequence[float]


def _goal(
    start: Reading,
    body: Reading,
    differs: Sequence[MassProperty],
    tolerance: float,
    digits: Sequence[float],
) -> _Goal:
    """The goal of changes that start from one body and shall give another."""
    sizes = scales(body)
    before = [_deviation(*each) for each in zip(_parts(start), _parts(body), sizes, strict=True)]
    different = [quantity in differs for quantity in QUANTITIES]
    open_to = [
        min(max(tolerance, d), tolerances.EXPLAINED * far) if differ else tolerance
        for differ, d, far in zip(different, digits, before, strict=True)
    ]
    return _Goal(body, different, sizes, open_to, before)


def _fit(change: Change, goal: _Goal) -> tuple[tuple[MassProperty, ...], float] | None:
    """What of the difference a change explains, and how much it leaves; None where it does not.

    Whatever it changes has to come out as the goal has it.
    """
    left = 0.0
    explained: list[MassProperty] = []
    for place, wanted in enumerate(_parts(goal.body)):
        changed = change[1 + place]
        if changed is None or isinstance(changed, str):
            continue
        residual = _deviation(changed, wanted, goal.sizes[place], goal.open_to[place])
        if residual > goal.open_to[place]:
            return None
        if goal.differs[place]:
            explained.append(QUANTITIES[place])
            left = max(left, residual / goal.before[place])
    return (tuple(explained), left) if explained else None


def _parts(body: Reading) -> tuple[float | Floats, ...]:
    return body.mass, body.p_BoBcm_B, body.I_BBcm_B


def _ranked(
    explanations: Sequence[Explanation], bodies: dict[str, int] | None = None
) -> list[Explanation]:
    """Best first; those that fit alike by how many bodies they explain, then as they came."""
    least: dict[int, float] = {}
    for each in explanations:
        count = len(each.explains)
        least[count] = min(least.get(count, inf), each.residual)

    def key(each: Explanation) -> tuple[int, float, int]:
        count = len(each.explains)
        alike = each.residual <= max(_ALIKE * least[count], _ROUNDING)
        return -count, 0.0 if alike else each.residual, -(bodies or {}).get(each.name, 0)

    return sorted(explanations, key=key)
