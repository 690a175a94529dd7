"""Rounds of a search that has to hold torques and distances at all times.

A descent holds them by penalties at few times; its answer is then checked at many, and what is
violated there is held more tightly in the next round. The last word has a pull back towards the
start, which is known to hold everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError
from inertial_check.identification.excitation.clearance import Closest
from inertial_check.identification.excitation.search import Held, Search

ROUNDS = 4
"""Largest number of descents from one start, each of which holds more tightly."""

HOLD = 0.998
"""Share of a torque limit that the samples of a proof may use: between them it may be more."""

_TARGET = 0.97
"""Share of a torque limit that the first round holds at its few samples."""

_WEIGHT = 100.0
"""Weight of the penalty in the first round: a limit exceeded by a tenth outweighs a tenth less of
the logarithm of a condition number."""

_SLACK = 0.1
"""Distance that the first round holds beyond the least, in median radii of the shapes."""

_GRID = 400
"""Random configurations among which one is looked for that holds everything while at rest."""

_WIDTHS = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0.05, 0.02)
"""Widths of the swing about its mean that are tried for a start, from the widest."""

_BACK = (1.0, 0.98, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.0)
"""Shares of the way from the start to the result of a descent, from the farthest."""


class Proof(NamedTuple):
    """Torques and distances of a motion, at many times.

    Attributes:
        torque: (n,) largest share of each torque limit, at 128 times in a period of the highest
            harmonic; None without limits.
        closest: Closest approach of its shapes; None without shapes.
        kept: Whether everything is kept.
    """

    torque: Floats | None
    closest: Closest | None
    kept: bool


def check_point(search: Search, point: Floats) -> Proof:
    """Check the torques and the distances of a point, at many times."""
    torque, closest, kept = None, None, True
    if search.torques is not None:
        found = search.torques.use(search.motion(point, search.proof_basis)).share
        torque = found.max(axis=0)
        kept = bool(np.all(torque <= HOLD))
    if search.clearance is not None:
        each = [search.clearance.prove(series) for series in search.series(point)]
        least = search.clearance.obstacles.least
        closest = min(each, key=lambda own: own.distance - least[own.pair])
        closest = closest._replace(kept=all(own.kept for own in each))
        kept = kept and closest.kept
    return Proof(torque, closest, kept)


def draw_starts(search: Search, rng: np.random.Generator, count: int) -> list[Floats]:
    """Draw random points that hold torques and distances at the few times of a search.

    Raises:
        ParameterError: No configuration was found in which the robot can be at rest.
    """
    drawn = [search.random(rng) for _ in range(count)]
    if search.torques is None and search.clearance is None:
        return drawn
    means = _find_rests(search, rng)
    for number, point in enumerate(drawn):
        chosen = means[rng.integers(len(means), size=len(point))]
        point[..., 0] = chosen
        wide = search.fit_limits(point, search.held, 1.0, np.inf)
        for width in _WIDTHS:
            drawn[number] = _widen(wide, width)
            if np.all(_hold(search, drawn[number])):
                break
    return drawn


def improve(search: Search, start: Floats, watch: Callable[[float], None] | None = None) -> Floats:
    """Improve a start to a local minimum that holds everything; else return the start."""
    if search.torques is None and search.clearance is None:
        point = search.descend(start, None, watch)
        return point if search.value(point) < search.value(start) else start
    held = Held(np.full(len(search.scale), _TARGET), 0.0, _WEIGHT)
    if search.clearance is not None:
        held = held._replace(slack=_SLACK * search.clearance.size)
    point = start
    for _ in range(ROUNDS):
        point = search.descend(point, held, watch)
        proof = check_point(search, point)
        if proof.kept:
            break
        held = _tighten(held, proof)
    start = _calm(search, start)
    point = point if proof.kept else _pull_back(search, start, point)
    return point if search.value(point) < search.value(start) else start


def _tighten(held: Held, proof: Proof) -> Held:
    target = held.target
    if proof.torque is not None:
        target = target * np.minimum(1.0, HOLD / np.maximum(proof.torque, 1.0))
    loose = proof.closest is not None and not proof.closest.kept
    return Held(target, held.slack * (2.0 if loose else 1.0), held.weight * 4)


def _find_rests(search: Search, rng: np.random.Generator) -> Floats:
    """Find means (k, n) in half ranges at which everything is held at rest."""
    n = len(search.scale)
    means = rng.uniform(-0.7, 0.7, (_GRID, n))
    home = -search.middle / search.half
    means[0] = np.clip(home, -0.7, 0.7)
    q = means * search.half + search.middle
    held, why = np.ones(len(q), dtype=bool), []
    if search.torques is not None:
        share = search.torques.use((q, np.zeros_like(q), np.zeros_like(q))).share
        fits = np.all(share <= _TARGET, axis=1)
        held &= fits
        if not fits.any():
            least = share.min(axis=0)
            joint = int(np.argmax(least))
            most = search.torques.limits.most[joint]
            why.append(
                f"joint {joint} takes {most * least[joint]:.3g} of its {most:.3g} N m or N at rest"
                if least[joint] > _TARGET
                else "the torque limits"
            )
    if search.clearance is not None:
        clear = search.clearance
        apart = clear.distances(q, 0.0) - clear.obstacles.least
        fits = np.all(apart > 0, axis=1)
        held &= fits
        if not fits.any():
            why.append("the distances to keep")
    if not held.any():
        raise ParameterError(
            f"none of {_GRID} configurations holds torque limits and distances at rest: "
            f"{' and '.join(why) or 'both together'}"
        )
    return means[held]


def _hold(search: Search, point: Floats) -> Mask:
    """Whether a point holds everything at the few times of a search (one entry each)."""
    held = []
    if search.torques is not None:
        held.append(np.all(search.torques.use(search.motion(point)).share <= _TARGET))
    if search.clearance is not None:
        q = search.motion(point, search.watched)[0]
        apart = search.clearance.distances(q, 0.0) - search.clearance.obstacles.least
        held.append(np.all(apart > 0))
    return np.array(held)


def _widen(point: Floats, width: float) -> Floats:
    """Scale the swing of a point about its mean."""
    return np.concatenate([point[..., :1], point[..., 1:] * width], axis=-1)


def _calm(search: Search, start: Floats) -> Floats:
    """Narrow a start until it holds everything at all times.

    Raises:
        ParameterError: Not even the narrowest does.
    """
    for width in _WIDTHS:
        point = _widen(start, width)
        if check_point(search, point).kept:
            return point
    raise ParameterError(
        "no motion was found that holds torque limits and distances at all times: allow larger "
        "torques, smaller distances or other positions"
    )


def _pull_back(search: Search, start: Floats, end: Floats) -> Floats:
    """Go from a start that holds everything as far towards an end as everything is held."""
    for share in _BACK:
        point = start + share * (end - start)
        if check_point(search, point).kept:
            return point
    return start
