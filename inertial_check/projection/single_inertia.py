"""The nearest inertia of one body, in Python floats, to the same bits as that of a batch.

A batch spends most of its time on arithmetic, one body on making arrays. Where a body needs arrays
(other units, a margin, an inertia that vanishes, rounding that has to be made good), nothing is
returned and `closed_form` moves it.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from inertial_check.arrays import scalars
from inertial_check.arrays.types import Array, Namespace
from inertial_check.inertia.consistency import Consistency, SingleBody, Verdict, measure_single
from inertial_check.inertia.eigen import Components
from inertial_check.inertia.representations import Point, parallel_axis_entries
from inertial_check.projection.closed_form import carries, find_goal, guard, move_entries
from inertial_check.projection.metrics import MomentMetric
from inertial_check.projection.small_moves import is_small_move
from inertial_check.projection.solver_result import SolverResult, describe_moments


def move_inertia(judged: Consistency, metric: MomentMetric) -> SolverResult | None:
    """Move one inconsistent body onto the cone, as `closed_form.move_inertias` does with margin 0.

    Args:
        judged: The given body and its verdict.
        metric: Which change is least.

    Returns:
        The result, or None where the body needs arrays.
    """
    body, about = judged.single, judged.about
    if body is None or body.judge() != Verdict.INCONSISTENT:
        return None
    try:
        found = _move_numbers(body, about, metric)
    except (ArithmeticError, ValueError):  # where arrays go on with NaN or infinity
        return None
    if found is None:
        return None
    before, after, theta = (np.array([numbers]) for numbers in found)
    given = judged.theta.reshape(1, 10)
    return describe_moments(theta, given, about, before, after, metric, 0.0, "closed form", None)


def _move_numbers(
    body: SingleBody, about: Point, metric: MomentMetric
) -> tuple[list[float], list[float], list[float]] | None:
    """Compute the inertia about the centre of mass before and after, and theta after."""
    first, before = body.theta[:4], body.theta[4:]
    arms = _parallel_axis(first) if about == "origin" else None
    if arms is not None:
        before = [own - arm for own, arm in zip(before, arms, strict=True)]
    one = cast("Components", tuple(before))
    # About the centre of mass the floor does not depend on the body: kappa is 1 there.
    goal = find_goal(0.0, guard(cast("Array", body.floor)))
    after = cast("list[float]", move_entries(cast("Namespace", scalars), one, goal, metric))
    back = after if arms is None else [own + arm for own, arm in zip(after, arms, strict=True)]
    if is_small_move(body.theta[4:], back):
        return None
    theta = first + back
    found = measure_single(theta, about)
    if found is None or not any(after):
        return None
    floor = cast("Array", found.floor)
    least = find_goal(0.0, floor / 4) if carries(floor) else -floor
    return (before, after, theta) if found.margin >= least else None


def _parallel_axis(first: list[float]) -> list[float]:
    """Compute (h.h 1 - h h^T) / m, six numbers."""
    mass, *h = cast("list[Array]", first)
    return cast("list[float]", parallel_axis_entries(cast("Namespace", scalars), mass, h))
