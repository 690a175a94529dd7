"""What the torques hold beside the bodies, as a request declares it, and what it is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.identification.estimation.nuisance import (
    Coulomb,
    Coupling,
    Kind,
    Nuisance,
    Offset,
    RotorInertia,
    Viscous,
)
from inertial_check.identification.estimation.nuisance import Term as Column
from inertial_check.identification.estimation.reduction import ROWS
from inertial_check.identification.estimation.sampled import REST
from inertial_check.identifying.motion import Motion
from inertial_check.identifying.request import USUAL_TERMS, Request, Term
from inertial_check.identifying.robot import Robot


class _Meaning(NamedTuple):
    """What a kind of number is called, and its units at turning and sliding joints."""

    words: str
    turning: str
    sliding: str


_MEANINGS = {
    "fv": _Meaning("viscous", "N m s/rad", "N s/m"),
    "fc": _Meaning("Coulomb", "N m", "N"),
    "off": _Meaning("offset", "N m", "N"),
    "Ia": _Meaning("rotor inertia", "kg m^2", "kg"),
    "fvm": _Meaning("viscous coupling", "N m s/rad", "N s/m"),
    "fsm": _Meaning("Coulomb coupling", "N m", "N"),
    "Iam": _Meaning("inertia coupling", "kg m^2", "kg"),
}
"""By what their names begin with."""

_JUMPING = ("fc", "fsm")
_NEVER_NEGATIVE = ("fv", "fc", "Ia")

_COLUMNS: dict[Term, type[Column]] = {
    "viscous": Viscous,
    "coulomb": Coulomb,
    "offset": Offset,
    "rotor": RotorInertia,
}
_COUPLINGS: dict[Kind, Term] = {"inertia": "rotor", "viscous": "viscous", "coulomb": "coulomb"}
"""Kinds of couplings, and the term whose prior they share."""


def nuisance_of(request: Request, robot: Robot, moving: Sequence[int]) -> Nuisance:
    """What stands beside the bodies where the motion is known.

    Args:
        request: Which terms there are.
        robot: Whose joints they belong to.
        moving: Places of the joints that move: others have an offset only.

    Raises:
        UsageError: A coupling of a joint that there is not.
    """
    scales = request.friction_prior
    columns = [
        _COLUMNS[term](scale=scales.get(term, inf), joints=None if term == "offset" else moving)
        for term in (USUAL_TERMS if request.friction is None else request.friction)
    ]
    for pair in request.coupling:
        joints = tuple(robot.joint(name, "--coupling") for name in pair)
        columns += [
            Coupling(joints=joints, kind=kind, scale=scales.get(term, inf))
            for kind, term in _COUPLINGS.items()
        ]
    return Nuisance.of(*columns, joints=len(robot.joints))


def nuisance_given(F: Floats, names: Sequence[str] | None) -> Nuisance:
    """Columns that a file gives; those with the names of friction have its bounds.

    Args:
        F: (S, n, k).
        names: (k,), or None.

    Raises:
        ParameterError: Names that repeat.
    """
    known = [_parts(name) for name in names or ()]
    lower = [0.0 if own and own[0] in _NEVER_NEGATIVE else -inf for own in known]
    return Nuisance.given(F, names, lower=lower if names else -inf)


@dataclass(frozen=True, eq=False)
class Steps:
    """Columns that jump where a velocity changes its sign, as they are after the torques' filter.

    A filter turns the steps that Coulomb friction makes in the torques into slopes. Against columns
    that still jump, each change of direction leaves a spike in the residual.

    Attributes:
        columns: (c,) which of the nuisance columns they are.
        rows: (n, c) in the torques of which joints each stands.
        values: (S, c).
    """

    columns: npt.NDArray[np.intp]
    rows: npt.NDArray[np.bool_]
    values: Floats

    @classmethod
    def of(cls, nuisance: Nuisance, motion: Motion) -> Steps | None:
        """Those of a motion; None where no column jumps."""
        names = map(_parts, nuisance.names)
        chosen = np.array(
            [k for k, own in enumerate(names) if own and own[0] in _JUMPING], dtype=np.intp
        )
        if not len(chosen):
            return None
        rows = np.zeros((motion.u.shape[1], len(chosen)), dtype=bool)
        values = np.zeros((len(motion), len(chosen)))
        rest = REST * np.abs(motion.u).max(axis=0)
        for start in range(0, len(motion), ROWS):
            part = slice(start, start + ROWS)
            own = nuisance.columns(motion.u[part], motion.du[part], rest)[:, :, chosen]
            rows |= own.any(axis=0)
            values[part] = np.take_along_axis(own, np.abs(own).argmax(axis=1)[:, None], 1)[:, 0]
        return cls(chosen, rows, motion.through_filter(values))

    def part(self, rows: npt.NDArray[np.bool_]) -> Steps:
        """Those of some samples."""
        return replace(self, values=self.values[rows])

    def into(self, F: Floats, samples: slice) -> Floats:
        """The columns F (s, n, k) of some samples, with these in their places."""
        F[:, :, self.columns] = self.values[samples][:, None, :] * self.rows
        return F


def described(name: str, robot: Robot) -> tuple[str, str, str]:
    """The joint, the meaning and the unit of a number, by its name; "" for what is not known."""
    own = _parts(name)
    if own is None or not 1 <= own[1] <= len(robot.joints):
        return "", name, ""
    symbol, number = own
    meaning = _MEANINGS[symbol]
    unit = meaning.turning if robot.units[number - 1] == "N m" else meaning.sliding
    return robot.joints[number - 1], meaning.words, unit


def _parts(name: str) -> tuple[str, int] | None:
    """Symbol and number of a name, as fv1; None for other names."""
    found = re.fullmatch(rf"({'|'.join(_MEANINGS)})([1-9]\d*)", name)
    return None if found is None else (found[1], int(found[2]))
