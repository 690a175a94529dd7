"""Nonlinear friction by repeated linear problems, from a profile over the Stribeck velocity.

Each round linearises the friction about the last answer (Gauss and Newton) and solves the convex
problem of all bodies. Where a round changes nothing, its certificate is one of the model itself:
the gradients of both are equal there, so that the answer is stationary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from inertial_check.identification.fit.nuisance import (
    FASTEST,
    SLOWEST,
    Nuisance,
    OperatingPoint,
    Stribeck,
)
from inertial_check.identification.fit.result import Identification
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats

PROFILE = (0.01, 0.03, 0.1, 0.2, 0.4)
"""Stribeck velocities of the profile, relative to the highest speed of each joint."""

ROUNDS = 60
"""Largest number of rounds; five to twenty are usual."""

SEEN = 4.0
"""Standard deviations by which Stribeck's friction has to differ from 0 before its velocity is
sought: a velocity of no friction means nothing."""

_SLOW = 0.8
"""Part of the last step above which the next ones are shortened."""

_FINE = 1e-2
"""Standard deviations below which steps that do not fall go to and fro about a sample whose load
is zero: the signs of the loads stay from there on."""

_SHORTER, _LONGER = 0.5, 1.5
"""Factors by which steps are shortened where they do not fall, and grow again where they do."""

Solve = Callable[[OperatingPoint | None, float | None], Identification]
"""Function that solves the linear problem about a point, with a weight of the prior or its rule."""


def solve_nonlinear(
    solve: Solve, nuisance: Nuisance, fastest: Floats
) -> tuple[Identification, OperatingPoint]:
    """Find bodies and friction of a nonlinear model.

    The weight of the prior is chosen twice: without the nonlinear friction, and with it.

    Args:
        solve: Solves the linear problem about an operating point, or without nonlinear friction.
        nuisance: Friction as declared.
        fastest: (n,) highest speeds of the joints.

    Returns:
        The answer, and the point about which its problem is linear.
    """
    first = solve(None, None)
    weight = first.regularization / first.redundancy
    point = _find_start(solve, nuisance, fastest, first, weight)
    found, point = _iterate(solve, point, weight, ROUNDS)
    chosen = solve(point, None)
    if chosen.choice is None and chosen.regularization == found.regularization:
        return found, point
    weight = chosen.regularization / chosen.redundancy
    again, point = _iterate(solve, point, weight, ROUNDS)
    return replace(again, choice=chosen.choice, rounds=found.rounds + again.rounds), point


def _find_start(
    solve: Solve, nuisance: Nuisance, fastest: Floats, first: Identification, weight: float
) -> OperatingPoint:
    """Find the point from which rounds start: that of the best profile of each joint."""
    theta = first.si[: 10 * len(first.bodies)]
    none = np.zeros(len(fastest))
    terms = [term for term in nuisance.terms if isinstance(term, Stribeck)]
    best: OperatingPoint | None = None
    least = np.full(len(fastest), np.inf)
    for part in PROFILE:
        velocity = terms[0].start(fastest, part) if terms else np.ones(len(fastest))
        point = OperatingPoint(velocity, none, none, theta, fastest)
        if best is None:
            best = point
        if not terms:
            return point
        trial = solve(point, weight)
        excess = _read(trial, "fst", none)
        least_seen = SEEN * _read_deviations(trial, "fst", none)
        better = trial.rmse < least
        best = best._replace(
            velocity=np.where(better, velocity, best.velocity),
            excess=np.where(better, np.where(excess > least_seen, excess, 0.0), best.excess),
        )
        least = np.where(better, trial.rmse, least)
        if terms[0].fixed:
            break
    assert best is not None
    return best


def _iterate(
    solve: Solve, point: OperatingPoint, weight: float, rounds: int
) -> tuple[Identification, OperatingPoint]:
    """Repeat linear problems until the point stays."""
    last: dict[str, float] = {}
    lengths: dict[str, float] = {}
    before, stays = np.inf, False
    for count in range(1, rounds + 1):
        found = solve(point, weight)
        steps = dict(zip(found.names, found.problem.numbers(found.x).tolist(), strict=True))
        moved = {name: step for name, step in steps.items() if name.startswith(("vs", "fl"))}
        # Measure the largest change in standard deviations.
        deviations = found.nuisance_standard_deviation
        sizes = [
            abs(step) / deviations[name] if deviations[name] > 0 else float(step != 0) * np.inf
            for name, step in moved.items()
            if step != 0
        ]
        step = float(max(sizes, default=0.0))
        found = replace(found, rounds=count, step=step)
        if step <= tolerances.STATIONARY and _same_signs(found, point):
            return found, point
        if count == rounds:
            break
        stays = stays or (step < _FINE and step > _SLOW * before)
        before = step
        for name, own in moved.items():
            slow = abs(own) > _SLOW * abs(last.get(name, np.inf))
            factor = _SHORTER if slow else _LONGER
            lengths[name] = min(1.0, factor * lengths.get(name, 1.0))
        shortened = {name: lengths[name] * own for name, own in moved.items()}
        ahead = _advance(found, point, shortened)
        point, last = ahead._replace(theta=point.theta) if stays else ahead, moved
    return found, point


def _same_signs(found: Identification, point: OperatingPoint) -> bool:
    """Decide whether the excess of the point, by which slopes are scaled, is that of the answer."""
    excess = _read(found, "fst", point.excess)
    slopes = np.array([f"vs{joint + 1}" in found.names for joint in range(len(excess))])
    near = np.abs(excess - point.excess) <= np.sqrt(tolerances.STATIONARY) * np.abs(excess)
    return bool(np.all(near | ~slopes))


def _advance(
    found: Identification, point: OperatingPoint, moved: dict[str, float]
) -> OperatingPoint:
    """Move a point to an answer."""
    velocity, load = np.array(point.velocity), np.array(point.load)
    for name, step in moved.items():
        joint = int(name.removeprefix("vs").removeprefix("fl")) - 1
        if name.startswith("vs"):
            most = point.fastest[joint]
            velocity[joint] = np.clip(velocity[joint] + step, SLOWEST * most, FASTEST * most)
        else:
            load[joint] += step
    theta = found.si[: 10 * len(found.bodies)]
    excess = np.where(point.excess > 0, _read(found, "fst", point.excess), 0.0)
    return OperatingPoint(velocity, excess, load, theta, point.fastest)


def _read(found: Identification, symbol: str, before: Floats) -> Floats:
    """Read the numbers (n,) of one kind from an answer."""
    numbers = found.nuisance
    return np.array(
        [numbers.get(f"{symbol}{joint + 1}", own) for joint, own in enumerate(before.tolist())]
    )


def _read_deviations(found: Identification, symbol: str, before: Floats) -> Floats:
    """Read the standard deviations (n,) of one kind; infinite where a joint has none."""
    deviations = found.nuisance_standard_deviation
    return np.array(
        [deviations.get(f"{symbol}{joint + 1}", np.inf) for joint in range(len(before))]
    )
