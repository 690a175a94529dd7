"""Friction, offsets, rotors and couplings of a robot's joints: their columns, names and units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.identification.estimation.nuisance import (
    Coulomb,
    Coupling,
    Kind,
    Nuisance,
    Offset,
    RotorInertia,
    Term,
    Viscous,
)
from inertial_check.identification.estimation.reduction import ROWS
from inertial_check.identifying.motion import JointMotion
from inertial_check.identifying.options import USUAL_TERMS, FrictionOptions, FrictionTerm
from inertial_check.identifying.robot import Robot
from inertial_check.inertia import tolerances


class _Quantity(NamedTuple):
    """Name of a friction number, and its units at revolute and prismatic joints."""

    words: str
    revolute: str
    prismatic: str


_QUANTITIES = {
    "fv": _Quantity("viscous", "N m s/rad", "N s/m"),
    "fc": _Quantity("Coulomb", "N m", "N"),
    "off": _Quantity("offset", "N m", "N"),
    "Ia": _Quantity("rotor inertia", "kg m^2", "kg"),
    "fvm": _Quantity("viscous coupling", "N m s/rad", "N s/m"),
    "fsm": _Quantity("Coulomb coupling", "N m", "N"),
    "Iam": _Quantity("inertia coupling", "kg m^2", "kg"),
}
"""Friction quantities by the symbol that the names of their numbers begin with."""

_DISCONTINUOUS = ("fc", "fsm")

_COLUMNS: dict[FrictionTerm, type[Term]] = {
    "viscous": Viscous,
    "coulomb": Coulomb,
    "offset": Offset,
    "rotor": RotorInertia,
}
SYMBOLS: dict[FrictionTerm, str] = {term: kind.symbol for term, kind in _COLUMNS.items()}
"""Symbol that the names of the numbers of each term begin with."""

_COUPLINGS: dict[Kind, FrictionTerm] = {
    "inertia": "rotor",
    "viscous": "viscous",
    "coulomb": "coulomb",
}
"""Kinds of couplings, and the friction term whose prior they share."""


def build_nuisance(
    options: FrictionOptions, robot: Robot, moving: Sequence[int], unmeasured: Sequence[int] = ()
) -> Nuisance:
    """Declare the friction of joints whose motion is known.

    Args:
        options: Friction terms, their priors, and couplings.
        robot: Robot with these joints.
        moving: Indices of the joints that move: the others have an offset only.
        unmeasured: Indices of joints without a measured torque, which have nothing.

    Raises:
        UsageError: A coupling of a joint that does not exist.
    """
    scales = options.friction_prior
    moving = [joint for joint in moving if joint not in unmeasured]
    measured = [joint for joint in range(len(robot.joints)) if joint not in unmeasured]
    columns = [
        _COLUMNS[term](scale=scales.get(term, inf), joints=measured if term == "offset" else moving)
        for term in (USUAL_TERMS if options.friction is None else options.friction)
    ]
    for pair in options.coupling:
        joints = tuple(robot.joint(name, "--coupling") for name in pair)
        columns += [
            Coupling(joints=joints, kind=kind, scale=scales.get(term, inf))
            for kind, term in _COUPLINGS.items()
        ]
    return Nuisance.of(*columns, joints=len(robot.joints))


def wrap_columns(F: Floats, names: Sequence[str] | None) -> Nuisance:
    """Declare columns that a file gives; those with the names of friction get its bounds.

    Args:
        F: (S, n, k) columns.
        names: (k,) their names, or None.

    Raises:
        ParameterError: Names repeat.
    """
    return Nuisance.from_columns(F, names)


@dataclass(frozen=True, eq=False)
class FilteredSteps:
    """Discontinuous friction columns, after the filter that the torques passed.

    A filter turns the steps that Coulomb friction makes in the torques into slopes. With columns
    that still jump, each change of direction would leave a spike in the residual.

    Attributes:
        columns: (c,) indices of the nuisance columns that they replace.
        rows: (n, c) joints in whose torques each column stands.
        values: (S, c) values.
    """

    columns: Integers
    rows: Mask
    values: Floats

    @classmethod
    def of(cls, nuisance: Nuisance, motion: JointMotion) -> FilteredSteps | None:
        """Filter the discontinuous columns of a motion; None if it has none."""
        names = map(find_number, nuisance.names)
        chosen = np.array(
            [k for k, own in enumerate(names) if own and own[0] in _DISCONTINUOUS], dtype=np.intp
        )
        if not len(chosen):
            return None
        rows = np.zeros((motion.u.shape[1], len(chosen)), dtype=bool)
        values = np.zeros((len(motion), len(chosen)))
        rest = tolerances.REST * np.abs(motion.u).max(axis=0)
        for start in range(0, len(motion), ROWS):
            part = slice(start, start + ROWS)
            own = nuisance.columns(motion.u[part], motion.du[part], rest)[:, :, chosen]
            rows |= own.any(axis=0)
            values[part] = np.take_along_axis(own, np.abs(own).argmax(axis=1)[:, None], 1)[:, 0]
        return cls(chosen, rows, motion.filter(values))

    def part(self, rows: Mask) -> FilteredSteps:
        """Select some samples."""
        return replace(self, values=self.values[rows])

    def replace_in(self, F: Floats, samples: slice) -> Floats:
        """Put these columns in their places in the columns F (s, n, k) of some samples."""
        F[:, :, self.columns] = self.values[samples][:, None, :] * self.rows
        return F


def describe_number(name: str, robot: Robot) -> tuple[str, str, str]:
    """Return joint, meaning and unit of a friction number; "" for joint and unit if unknown."""
    own = find_number(name)
    if own is None or not 1 <= own[1] <= len(robot.joints):
        return "", name, ""
    symbol, number = own
    quantity = _QUANTITIES[symbol]
    unit = quantity.revolute if robot.units[number - 1] == "N m" else quantity.prismatic
    return robot.joints[number - 1], quantity.words, unit


def find_number(name: str) -> tuple[str, int] | None:
    """Split a name such as fv1 into symbol and number of the joint; None for other names."""
    found = re.fullmatch(rf"({'|'.join(_QUANTITIES)})([1-9]\d*)", name)
    return None if found is None else (found[1], int(found[2]))
