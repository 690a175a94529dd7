"""Which constraints exclude each other: the smallest set that no deletion leaves infeasible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inertial_check.projection.conic.joint_problem import Applied

Infeasible = Callable[[tuple[Applied, ...]], bool]
"""Test of constraints: true if no consistent bodies meet all of them."""


def irreducible(applied: Sequence[Applied], infeasible: Infeasible) -> tuple[Applied, ...]:
    """A conflicting subset of which every constraint is needed for the conflict.

    One constraint after the other is left out for good where the rest still conflict.

    Args:
        applied: All of them, in conflict.
        infeasible: The judge; called once for each constraint.
    """
    kept = list(applied)
    for candidate in applied:
        rest = tuple(other for other in kept if other is not candidate)
        if infeasible(rest):
            kept = list(rest)
    return tuple(kept)


def sentence(conflict: Sequence[Applied], names: Sequence[int]) -> str:
    """What conflicts, of which bodies.

    Args:
        conflict: An irreducible subset.
        names: The caller's index of each body of the joint problem.
    """
    said = [f"{one.constraint!r}{_of(one, names)}" for one in conflict]
    if len(said) == 1:
        return f"no consistent body meets {said[0]}"
    return (
        f"no consistent body meets {', '.join(said[:-1])} and {said[-1]} together; "
        "without any one of these the others can be met"
    )


def name_bodies(names: Sequence[int]) -> str:
    """Body 3, or bodies 1, 2."""
    if len(names) == 1:
        return f"body {names[0]}"
    return f"bodies {', '.join(map(str, names))}"


def _of(applied: Applied, names: Sequence[int]) -> str:
    return f" of {name_bodies([names[i] for i in applied.bodies])}"
