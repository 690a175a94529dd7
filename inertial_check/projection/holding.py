"""Floors under the answers, so that these have mass, the margin and a sound verdict.

The closure of the cone holds matrices that no body has (m = 0 with S != 0), and an answer on its
boundary may lie a rounding unit outside. Rows of either kind are solved again inside Pi >= Delta.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import (
    pseudo_inertia,
    second_moment,
    theta_from_pseudo_inertia,
)
from inertial_check.projection.moments import central_inertia, with_central_inertia, with_margin
from inertial_check.projection.quadratic import Quadratic, Solution, certify

Solver = Callable[[Quadratic], Solution]
"""Function that finds the nearest with Pi >= Delta."""

RISE, LEAST_RISE = 4.0, 1.1
"""Largest and least factor by which a floor is raised where it was not enough."""

OWN_SHARE = 1 / 64
"""Largest share of its own spread with which an answer is lifted to a sound verdict. Rounding needs
far less. A spread that is itself rounding would need as much as it takes, and the mass would grow
with it; the reference lifts such an answer."""


class Held(NamedTuple):
    """Answers that are bodies, with the floors that make them so.

    Attributes:
        problem: The given problem, with the floors of mass and of the margin as its Delta.
        solution: The answers.
        floored: (n,) rows that end at the least mass.
    """

    problem: Quadratic
    solution: Solution
    floored: Mask


def hold(
    solve: Solver,
    problem: Quadratic,
    margin: float,
    mass_min: float | None,
    prior: Floats | None = None,
) -> Held:
    """Solve, and again where the answer has no mass, less than the margin, or no sound verdict.

    Args:
        solve: Gives the nearest with Pi >= Delta.
        problem: A problem with Delta = 0.
        margin: Least margin of the results, 0 to 1/3.
        mass_min: Least mass [kg]; None for MASS_FLOOR of the mass given, or of the reference's
            where that is zero.
        prior: (n, 4, 4) bodies of which a margin takes a share; None for the isotropic bodies of
            the answers without a margin.
    """
    found = solve(problem)
    least = least_mass(problem, mass_min)
    floored = found.theta[:, 0] < least
    Delta = np.array(problem.Delta)
    Delta[floored, 3, 3] = least[floored]
    held = Held(problem._replace(Delta=Delta), found, floored)
    _solve_again(solve, held, np.flatnonzero(floored))
    if margin == 0 and not lacks_margin(held.solution.theta, 0.0).any():
        return held
    every = np.arange(len(floored))
    unlifted, below = held.solution.rows(every), np.array(held.problem.Delta)
    _restore(held, _raise(solve, held, 0.0, spread_about_origin, OWN_SHARE), unlifted, below)
    _raise(solve, held, 0.0, like_reference)
    if margin > 0:
        sound, below = held.solution.rows(every), np.array(held.problem.Delta)
        if prior is not None:
            _restore(held, _raise(solve, held, margin, lambda _, rows: prior[rows]), sound, below)
        short = _raise(solve, held, margin, isotropic)
        _restore(held, short, sound, below)
        theta = held.solution.theta[short]
        six = with_margin(theta, "origin", central_inertia(theta, "origin"), margin)
        held.solution.theta[short] = with_central_inertia(theta, "origin", six)
        # Compute the residuals of some answers again, in place.
        part = held.solution.rows(short)
        certificate = certify(held.problem.rows(short), part.theta, part.dual)
        held.solution.put(short, part._replace(certificate=certificate))
    return held


def least_mass(problem: Quadratic, mass_min: float | None) -> Floats:
    """Compute the least mass (n,) [kg]: as asked, or MASS_FLOOR of the given or reference's."""
    if mass_min is not None:
        return np.full(len(problem.theta0), mass_min)
    given = np.abs(problem.theta0[:, 0])
    return tolerances.MASS_FLOOR * np.where(given > 0, given, problem.reference[:, 3, 3])


def _restore(held: Held, rows: Integers, sound: Solution, below: Floats) -> None:
    """Give rows, in place, the answers and floors that they had before they were raised."""
    held.solution.put(rows, sound.rows(rows))
    held.problem.Delta[rows] = below[rows]


def _raise(
    solve: Solver,
    held: Held,
    margin: float,
    bodies: Callable[[Held, Integers], Floats],
    most: float = 1.0,
) -> Integers:
    """Raise Delta, in place, under the answers that lack the margin or a sound verdict.

    Args:
        solve: As for `hold`.
        held: Answers and floors so far, replaced in place.
        margin: Least margin.
        bodies: Gives the bodies (n, 4, 4) of which Delta takes a share, for some rows.
        most: Largest share of a body, at most 1.

    Returns:
        Rows to which this share of a body under the answer would not give the margin.
    """
    theta, failed = held.solution.theta, [np.zeros(0, dtype=np.intp)]
    short = np.flatnonzero(lacks_margin(theta, margin))
    if not short.size:
        return short
    body, Delta = bodies(held, short), held.problem.Delta[short]
    # Compute the share (n,) of a body whose least spread is the margin times the answer's.
    share_theta = theta[short]
    around = central_inertia(theta_from_pseudo_inertia(body), "origin")
    least = eigenvalues(second_moment(around))[:, 0]
    six = np.asarray(central_inertia(share_theta, "origin"))
    spread = np.maximum(six[:, [0, 3, 5]].sum(axis=1) / 2, 0.0)
    share = margin * spread / np.where(least > 0, least, 1.0)
    share = np.asarray(np.clip(share, tolerances.SOUND_SHARE, 1.0))
    while short.size:
        held.problem.Delta[short] = Delta + share[:, None, None] * body
        _solve_again(solve, held, short)
        reached = Consistency(theta[short], "origin").margin
        with np.errstate(all="ignore"):  # a margin of zero divides by zero where it is not used
            rise = np.where(reached > 0, margin / reached, RISE)
        share = share * np.clip(rise, LEAST_RISE, RISE)
        missing = lacks_margin(theta[short], margin)
        failed.append(short[missing & (share > most)])
        left = missing & (share <= most)
        short, body, Delta, share = (part[left] for part in (short, body, Delta, share))
    return np.concatenate(failed)


def _solve_again(solve: Solver, held: Held, rows: Integers) -> None:
    """Replace some of the answers, in place; their steps add up."""
    if rows.size:
        anew = solve(held.problem.rows(rows))
        anew = anew._replace(iterations=held.solution.iterations[rows] + anew.iterations)
        held.solution.put(rows, anew)


def lacks_margin(theta: Floats, margin: float) -> Mask:
    """Find the rows (n,) that are no body with this margin; theta = 0 lacks nothing."""
    judged = Consistency(theta, "origin")
    code = judged.verdict_code
    bad = code > int(Verdict.BOUNDARY)
    if margin > 0:
        bad |= ~(judged.margin >= margin)
    return np.asarray(bad & (code != int(Verdict.MASSLESS)))


def find_points(held: Held) -> Mask:
    """Find the answers (n,) that are point masses where mass and first moment stay.

    Their spread is nothing beside that of the given body, to the accuracy of a solver, or hidden by
    the rounding of the first moment. Rows that were given as bodies are none of them.
    """
    problem, theta = held.problem, held.solution.theta
    if not problem.fixed:
        return np.zeros(len(theta), dtype=np.bool_)
    both = theta, theta_from_pseudo_inertia(problem.reference)
    six = (np.abs(central_inertia(some, "origin")) for some in both)
    found, whole = (some[:, [0, 3, 5]].sum(axis=1) for some in six)
    hidden = Consistency(theta, "origin").verdict_code == int(Verdict.ILL_POSED)
    nothing = (found <= tolerances.CERTIFIED * whole) | hidden
    return np.asarray(nothing & lacks_margin(problem.theta0, 0.0))


def spread_about_origin(held: Held, rows: Integers) -> Floats:
    """Build bodies, mostly for points, whose central spread is the answer's about the origin."""
    theta = held.solution.theta[rows]
    return _body(held, rows, theta[:, [4, 7, 9]].sum(axis=1) / 2)


def isotropic(held: Held, rows: Integers) -> Floats:
    """Build isotropic bodies (n, 4, 4) with mass, centre of mass and spread of the answers."""
    six = np.asarray(central_inertia(held.solution.theta[rows], "origin"))
    return _body(held, rows, six[:, [0, 3, 5]].sum(axis=1) / 2)


def like_reference(held: Held, rows: Integers) -> Floats:
    """Build isotropic bodies (n, 4, 4) with mass and spread of the reference."""
    # Build isotropic bodies (n, 4, 4) about the origin with mass and spread of these.
    body = held.problem.reference[rows]
    ball = np.zeros_like(body)
    ball[:, range(3), range(3)] = np.trace(body[:, :3, :3], axis1=1, axis2=2)[:, None] / 3
    ball[:, 3, 3] = body[:, 3, 3]
    return ball


def _body(held: Held, rows: Integers, spread: Floats) -> Floats:
    """Build isotropic bodies (n, 4, 4) with tr(S_c) = spread, or like the reference for none."""
    theta = held.solution.theta[rows]
    moment = 2 * spread / 3
    six = moment[:, None] * np.array([1.0, 0, 0, 1, 0, 1])
    body = np.asarray(pseudo_inertia(with_central_inertia(theta, "origin", six)))
    usable = (spread > 0) & (theta[:, 0] > 0)
    return np.where(usable[:, None, None], body, like_reference(held, rows))
