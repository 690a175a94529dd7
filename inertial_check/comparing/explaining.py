"""Deviations between two bodies, and the mistakes of converters that explain them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.comparing.conversions import MISTAKES, Conversion, MassProperties
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
"""Factor to the smallest residual within which residuals rank alike: they differ by rounding."""

_FORGETFUL = frozenset(mistake.name for mistake in MISTAKES if mistake.forgets)
"""Names of the mistakes whose result has nothing of the body's own numbers."""


class Scales(NamedTuple):
    """Scales of deviations: mass [kg], radius of gyration [m], largest moment [kg m^2]."""

    mass: float
    com: float
    inertia: float


def scales(*bodies: MassProperties) -> Scales:
    """Find the largest mass, radius of gyration and moment among some bodies.

    Point masses have no radius of gyration: their largest distance from the origin stands in.
    """
    radii = [_radius_of_gyration(body) for body in bodies]
    offsets = [float(np.linalg.norm(body.p_BoBcm_B)) for body in bodies]
    return Scales(
        max(abs(body.mass) for body in bodies),
        max(radii) or max(offsets),
        max(float(np.linalg.norm(body.I_BBcm_B, 2)) for body in bodies),
    )


def _radius_of_gyration(body: MassProperties) -> float:
    if body.mass == 0:
        return 0.0
    return float(np.sqrt(abs(np.trace(body.I_BBcm_B) / 2 / body.mass)))


def deviations(a: MassProperties, b: MassProperties) -> Deviations:
    """Measure how far two bodies differ, without units; see Deviations."""
    size = scales(a, b)
    # Without mass a body has no centre of mass that could differ.
    moved = 0.0 if 0 in (a.mass, b.mass) else _deviation(a.p_BoBcm_B, b.p_BoBcm_B, size.com)
    return Deviations(
        _deviation(a.mass, b.mass, size.mass),
        moved,
        _deviation(a.I_BBcm_B, b.I_BBcm_B, size.inertia),
    )


def _deviation(
    one: float | Floats, other: float | Floats, scale: float, enough: float = inf
) -> float:
    """Measure the length of a vector, or the largest eigenvalue of a tensor, over a scale.

    A lower bound is returned where it exceeds `enough`, which saves the eigenvalues.
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


def rounding_floors(a: MassProperties, b: MassProperties) -> Deviations:
    """Bound the deviation by rounding of two equal bodies that are written in different axes."""
    floor = float(tolerances.floor(np.ones(())))
    size = scales(a, b)
    offset = max(float(np.linalg.norm(body.p_BoBcm_B)) for body in (a, b))
    return Deviations(floor, floor * (1 + offset / size.com if size.com else 1), floor)


def explain(
    a: MassProperties,
    b: MassProperties,
    differs: Sequence[MassProperty],
    tolerance: float,
) -> list[Explanation]:
    """Find the mistakes that turn one body into the other, to the digits that are written.

    Args:
        a: The body of the first model.
        b: The body of the second model.
        differs: The quantities that differ.
        tolerance: Largest deviation that counts as none.

    Returns:
        Explanations, the best first: those that explain more quantities, then those that leave less
        of the difference. Each name comes once at most, and none explains only part of what another
        explains.
    """
    digits = [max(tolerance, sum(pair)) for pair in zip(a.digits, b.digits, strict=True)]
    directions: tuple[tuple[Which, MassProperties, _Goal], ...] = (
        ("a", a, _make_goal(a, b, differs, tolerance, digits)),
        ("b", b, _make_goal(b, a, differs, tolerance, digits)),
    )
    found: list[Explanation] = []
    for mistake in MISTAKES:
        own = [
            Explanation(mistake.name, of, conversion.clause, *fit)
            for of, body, goal in directions
            for conversion in mistake.convert(body, goal.body)
            if (fit := _fit(conversion, goal)) is not None
        ]
        found += _rank(own)[:1]
    if {quantity for each in found for quantity in each.explains} != set(differs):
        found = [each for each in found if each.name not in _FORGETFUL]
    ranked = _rank(found)
    return [
        explanation
        for explanation in ranked
        if not any(set(explanation.explains) < set(other.explains) for other in ranked)
    ]


def rank_by_model(each: Sequence[Sequence[Explanation]]) -> list[tuple[Explanation, ...]]:
    """Rank the explanations of many bodies: of equal ones, that which explains more bodies first.

    A converter makes the same mistake in every body.
    """
    bodies = fits(each)
    return [tuple(_rank(own, bodies)) for own in each]


class _Goal(NamedTuple):
    """Body that a conversion has to give.

    Attributes:
        body: The body.
        differs: Whether each quantity differs.
        sizes: Scale of each quantity.
        open_to: Largest deviation at which each quantity counts as met.
        before: Deviation of each quantity before any conversion.
    """

    body: MassProperties
    differs: Sequence[bool]
    sizes: Scales
    open_to: Sequence[float]
    before: Sequence[float]


def _make_goal(
    start: MassProperties,
    body: MassProperties,
    differs: Sequence[MassProperty],
    tolerance: float,
    digits: Sequence[float],
) -> _Goal:
    """Make the goal of conversions that start from one body and shall give another."""
    sizes = scales(body)
    before = [_deviation(*each) for each in zip(_parts(start), _parts(body), sizes, strict=True)]
    different = [quantity in differs for quantity in QUANTITIES]
    open_to = [
        min(max(tolerance, d), tolerances.EXPLAINED * far) if differ else tolerance
        for differ, d, far in zip(different, digits, before, strict=True)
    ]
    return _Goal(body, different, sizes, open_to, before)


def _fit(conversion: Conversion, goal: _Goal) -> tuple[tuple[MassProperty, ...], float] | None:
    """Find the quantities that a conversion explains, and the share of the difference it leaves.

    Every quantity that it changes has to meet the goal; None if one does not.
    """
    left = 0.0
    explained: list[MassProperty] = []
    for place, wanted in enumerate(_parts(goal.body)):
        changed = conversion[1 + place]
        if changed is None or isinstance(changed, str):
            continue
        residual = _deviation(changed, wanted, goal.sizes[place], goal.open_to[place])
        if residual > goal.open_to[place]:
            return None
        if goal.differs[place]:
            explained.append(QUANTITIES[place])
            left = max(left, residual / goal.before[place])
    return (tuple(explained), left) if explained else None


def _parts(body: MassProperties) -> tuple[float | Floats, ...]:
    return body.mass, body.p_BoBcm_B, body.I_BBcm_B


def _rank(
    explanations: Sequence[Explanation], bodies: dict[str, int] | None = None
) -> list[Explanation]:
    """Sort explanations, the best first; equal ones by the number of bodies, then as they came."""
    least: dict[int, float] = {}
    for each in explanations:
        count = len(each.explains)
        least[count] = min(least.get(count, inf), each.residual)

    def key(each: Explanation) -> tuple[int, float, int]:
        count = len(each.explains)
        alike = each.residual <= max(_ALIKE * least[count], tolerances.EXPLANATION_ROUNDING)
        return -count, 0.0 if alike else each.residual, -(bodies or {}).get(each.name, 0)

    return sorted(explanations, key=key)
