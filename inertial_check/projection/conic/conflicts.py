"""Which constraints exclude each other: the smallest set that no deletion leaves infeasible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from inertial_check.projection.conflict import Conflict
from inertial_check.projection.conic.joint_problem import Applied

Infeasible = Callable[[tuple[Applied, ...]], bool]
"""Test of constraints: true if no consistent bodies meet all of them."""


SMALL_SETS = 2
"""Size up to which every set of constraints is tried, so that no larger conflict hides a pair."""

MOST_TRIED = 12
"""Number of constraints up to which the small sets are tried: 78 programs."""


def irreducible(applied: Sequence[Applied], infeasible: Infeasible) -> tuple[Applied, ...]:
    """Find a conflicting subset of which every constraint is needed for the conflict.

    A single one or a pair, where there is one; else one constraint after the other is left out for
    good where the rest still conflict.

    Args:
        applied: All of them, in conflict.
        infeasible: The judge of a subset.
    """
    if len(applied) <= MOST_TRIED:
        for size in range(1, min(SMALL_SETS, len(applied) - 1) + 1):
            for some in combinations(applied, size):
                if infeasible(some):
                    return some
    kept = list(applied)
    for candidate in applied:
        rest = tuple(other for other in kept if other is not candidate)
        if infeasible(rest):
            kept = list(rest)
    return tuple(kept)


def describe(conflict: Sequence[Applied], names: Sequence[int], margin: float = 0.0) -> Conflict:
    """Describe a conflict by its constraints, their bodies and a sentence.

    Args:
        conflict: An irreducible subset.
        names: The caller's index of each body of the joint problem.
        margin: Margin with which they conflict.
    """
    return Conflict(
        tuple(one.constraint for one in conflict),
        tuple(sorted({names[body] for one in conflict for body in one.bodies})),
        sentence(conflict, names, margin),
    )


def sentence(conflict: Sequence[Applied], names: Sequence[int], margin: float = 0.0) -> str:
    """Describe the constraints that conflict, and their bodies.

    Args:
        conflict: An irreducible subset.
        names: The caller's index of each body of the joint problem.
        margin: Margin with which they conflict.
    """
    body = f"body with the margin {margin:g}" if margin > 0 else "consistent body"
    said = [f"{one.constraint!r}{_of(one, names)}" for one in conflict]
    if len(said) == 1:
        return f"no {body} meets {said[0]}"
    return (
        f"no {body} meets {', '.join(said[:-1])} and {said[-1]} together; "
        "without any one of these the others can be met"
    )


def name_bodies(names: Sequence[int]) -> str:
    """Body 3, or bodies 1, 2."""
    if len(names) == 1:
        return f"body {names[0]}"
    return f"bodies {', '.join(map(str, names))}"


def _of(applied: Applied, names: Sequence[int]) -> str:
    return f" of {name_bodies([names[i] for i in applied.bodies])}"
