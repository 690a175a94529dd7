"""Floors under the answers, as projection/holding.py has them, in any array library.

The loop solves all rows, then raises the floor of those that have too little mass or no sound
verdict: by a share of a body of their own, and where that does not suffice, of the reference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Namespace
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.derivatives import repeat_while
from inertial_check.inertia.representations import pseudo_inertia
from inertial_check.projection.holding import LEAST_RISE, OWN_SHARE, RISE
from inertial_check.projection.moments import with_central_inertia
from inertial_check.projection.portable.problem import Problem, Solution, solve
from inertial_check.projection.portable.vectors import make_constant

ROUNDS = 400
"""Rounds at most in which a floor is raised: by LEAST_RISE from SOUND_SHARE to one takes 266."""


class Held(NamedTuple):
    """Answers that are bodies, with the floors that make them so.

    Attributes:
        solution: The answers.
        Delta: (..., 4, 4) the floors.
        floored: (...,) rows that end at the least mass.
    """

    solution: Solution
    Delta: Array
    floored: Array


class _Round(NamedTuple):
    """State of the loop: what is held, and by what each row is raised.

    Attributes:
        held: Answers and floors so far.
        below: (..., 4, 4) the floors of mass alone.
        body: (..., 4, 4) whose share is added to these.
        share: (...,) of it.
        level: (...,) 0 for no body, 1 for the row's own, 2 for the reference.
        going: (...,) rows that are solved again.
        round: Number of rounds so far.
    """

    held: Held
    below: Array
    body: Array
    share: Array
    level: Array
    going: Array
    round: Array


def hold(xp: Namespace, problem: Problem, mass_min: float | None) -> Held:
    """Solve, and again where the answer has too little mass or no sound verdict.

    Args:
        xp: The library of the arrays.
        problem: The problem, without floors.
        mass_min: Least mass [kg]; None for MASS_FLOOR of the mass given, or of the reference's
            where that is zero.
    """
    mass = problem.theta0[..., 0]
    zero, none = xp.zeros_like(mass), xp.zeros_like(problem.reference)
    given, own = xp.abs(mass), problem.reference[..., 3, 3]
    least = tolerances.MASS_FLOOR * xp.where(given > 0, given, own)
    if mass_min is not None:
        least = zero + mass_min
    corner = np.zeros((4, 4))
    corner[3, 3] = 1.0
    floor = least[..., None, None] * make_constant(xp, corner, none)

    def advance(state: _Round) -> _Round:
        anew = solve(xp, problem, state.held.Delta)
        held = _update(xp, state, anew)
        light = (state.round == 0) & (held.solution.theta[..., 0] < least)
        Delta = xp.where(light[..., None, None], floor, held.Delta)
        held = Held(held.solution, Delta, held.floored | light)
        below = xp.where(light[..., None, None], floor, state.below)
        bad = _find_bodiless(held.solution.theta) & state.going & ~light
        return _raise(xp, problem, state._replace(held=held, below=below), light, bad)

    count = xp.astype(zero, xp.int32)
    empty = Solution(problem.theta0, xp.zeros_like(problem.theta0), count)
    start = _Round(
        held=Held(empty, none, xp.zeros_like(mass, dtype=xp.bool)),
        below=none,
        body=none,
        share=zero,
        level=count,
        going=xp.ones_like(mass, dtype=xp.bool),
        round=xp.sum(xp.zeros_like(count)),
    )

    def goes_on(state: _Round) -> Array:
        return (state.round < ROUNDS) & xp.any(state.going)

    return repeat_while(xp, goes_on, advance, start).held


def _update(xp: Namespace, state: _Round, anew: Solution) -> Held:
    """Replace the answers of the rows that were solved again; their steps add up."""
    old, wide = state.held.solution, state.going[..., None]
    more = xp.where(state.going, anew.steps, xp.zeros_like(anew.steps))
    solution = Solution(
        xp.where(wide, anew.theta, old.theta),
        xp.where(wide, anew.dual, old.dual),
        old.steps + more,
    )
    return state.held._replace(solution=solution)


def _raise(xp: Namespace, problem: Problem, state: _Round, light: Array, bad: Array) -> _Round:
    """Raise the floors of rows without a sound verdict."""
    theta, level = state.held.solution.theta, state.level
    reached = Consistency(theta, "origin").margin
    rise = xp.where(reached > 0, xp.full_like(reached, LEAST_RISE), xp.full_like(reached, RISE))
    share = state.share * rise
    begins = bad & (level == 0)
    spent = bad & (level == 1) & (share > OWN_SHARE)
    ended = bad & (level == 2) & (share > 1.0)
    # Build isotropic bodies whose central spread is the answer's about the origin.
    spread = (theta[..., 4] + theta[..., 7] + theta[..., 9]) / 2
    usable = (spread > 0) & (theta[..., 0] > 0)
    moment, zero = 2 * spread / 3, xp.zeros_like(spread)
    six = xp.stack([moment, zero, zero, moment, zero, moment], axis=-1)
    one = xp.ones_like(spread)[..., None]
    mass = xp.where(usable[..., None], theta[..., :1], one)
    safe = xp.concat([mass, theta[..., 1:]], axis=-1)
    own_body = pseudo_inertia(with_central_inertia(safe, "origin", six))
    reference = _ball(xp, problem.reference)
    own = xp.where(usable[..., None, None], own_body, reference)
    body = xp.where(begins[..., None, None], own, state.body)
    body = xp.where(spent[..., None, None], reference, body)
    share = xp.where(begins | spent, xp.full_like(share, tolerances.SOUND_SHARE), share)
    level = level + xp.astype(begins | spent, level.dtype)
    raised = bad & ~ended
    Delta = state.below + share[..., None, None] * body
    Delta = xp.where(raised[..., None, None], Delta, state.held.Delta)
    held = state.held._replace(Delta=Delta)
    return _Round(held, state.below, body, share, level, light | raised, state.round + 1)


def _find_bodiless(theta: Array) -> Array:
    """Find the rows (...,) that are no body; theta = 0 is none, and lacks nothing."""
    code = Consistency(theta, "origin").verdict_code
    return (code > int(Verdict.BOUNDARY)) & (code != int(Verdict.MASSLESS))


def _ball(xp: Namespace, body: Array) -> Array:
    """Build isotropic bodies (..., 4, 4) about the origin with mass and spread of these."""
    spread = (body[..., 0, 0] + body[..., 1, 1] + body[..., 2, 2]) / 3
    units = xp.stack([spread, spread, spread, body[..., 3, 3]], axis=-1)
    return units[..., None] * make_constant(xp, np.eye(4), body)
