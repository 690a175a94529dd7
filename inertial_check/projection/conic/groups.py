"""Which bodies have to be found together, and which constraints they are under."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Mask
from inertial_check.errors import ParameterError
from inertial_check.projection._constraint import Constraint
from inertial_check.projection.conic.joint_problem import Applied

Group = tuple[npt.NDArray[np.intp], tuple[Applied, ...]]
"""Rows of the batch, and the constraints on them by index within the group."""


def find_tied_to_missing(constraints: Iterable[Constraint], present: Mask) -> Mask:
    """Find rows (n,) that constraints couple, also through others, with a row that is not present.

    Args:
        constraints: By row.
        present: (n,) rows that have numbers.
    """
    missing = ~present
    coupling = [one for one in constraints if one.coupling]
    while True:
        before = np.array(missing)
        for one in coupling:
            rows = slice(None) if one.bodies is None else list(one.bodies)
            if missing[rows].any():
                missing[rows] = True
        if np.array_equal(before, missing):
            return np.asarray(missing & present)


def groups(
    constraints: tuple[Constraint, ...], names: Sequence[int], *, whole: bool
) -> list[Group]:
    """The bodies that belong together, by row, and the constraints on each group.

    Args:
        constraints: By the caller's indices.
        names: (n,) the caller's index of each body that is here.
        whole: Whether these are all bodies that there are; else a constraint on another one is
            none of ours, unless it couples it with these.

    Raises:
        ParameterError: A constraint names a body that there is not.
    """
    place = {name: i for i, name in enumerate(names)}
    leader = list(range(len(names)))

    def root(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    touched: list[tuple[Constraint, list[int]]] = []
    for one in constraints:
        wanted = list(names) if one.bodies is None else list(one.bodies)
        missing = [body for body in wanted if body not in place]
        if missing and (whole or (one.coupling and len(missing) < len(wanted))):
            raise ParameterError(
                f"{one!r} names body {missing[0]}, but the bodies are "
                f"{', '.join(map(str, list(names)[:10]))}{', ...' if len(names) > 10 else ''}"
            )
        own = [place[body] for body in wanted if body in place]
        if not own:
            continue
        if one.coupling:
            touched.append((one, own))
            for i in own[1:]:
                leader[root(i)] = root(own[0])
        else:
            touched.extend((one, [i]) for i in own)
    members: dict[int, list[int]] = {}
    for i in range(len(names)):
        members.setdefault(root(i), []).append(i)
    applied: dict[int, list[Applied]] = {}
    for one, own in touched:
        at = members[root(own[0])]
        bodies = tuple(at.index(i) for i in own)
        applied.setdefault(root(own[0]), []).append(Applied(one, bodies))
    return [(np.array(at), tuple(applied.get(key, ()))) for key, at in members.items()]
