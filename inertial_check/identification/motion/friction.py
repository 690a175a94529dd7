"""Friction, offsets, rotors and couplings of a robot's joints: their columns, names and units.

Friction of the load in recordings: its rows, which pass the filter that the torques passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.errors import UsageError
from inertial_check.identification.fit.nuisance import (
    Asymmetric,
    Coulomb,
    Coupling,
    JointTerm,
    Kind,
    LoadFriction,
    Nuisance,
    Offset,
    RotorInertia,
    Stribeck,
    Viscous,
    find_load_rows,
    has_load,
)
from inertial_check.identification.fit.reduction import ROWS, list_columns
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.motion.motion import JointMotion
from inertial_check.identification.options import (
    USUAL_TERMS,
    FrictionOptions,
    FrictionTerm,
    IdentifyOptions,
)
from inertial_check.identification.robot.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.mechanics.equations import GRAVITY, regressor
from inertial_check.reports.identification_types import Remark


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
    "fvp": _Quantity("viscous forward", "N m s/rad", "N s/m"),
    "fvn": _Quantity("viscous backward", "N m s/rad", "N s/m"),
    "fcp": _Quantity("Coulomb forward", "N m", "N"),
    "fcn": _Quantity("Coulomb backward", "N m", "N"),
    "fst": _Quantity("static - Coulomb", "N m", "N"),
    "vs": _Quantity("Stribeck velocity", "rad/s", "m/s"),
    "fl": _Quantity("load", "1", "1"),
    "fvm": _Quantity("viscous coupling", "N m s/rad", "N s/m"),
    "fsm": _Quantity("Coulomb coupling", "N m", "N"),
    "Iam": _Quantity("inertia coupling", "kg m^2", "kg"),
}
"""Friction quantities by the symbol that the names of their numbers begin with."""

_DISCONTINUOUS = ("fc", "fsm", "fcp", "fcn", "fst", "vs")

_COLUMNS: dict[str, Callable[..., JointTerm]] = {
    "viscous": Viscous,
    "coulomb": Coulomb,
    "offset": Offset,
    "rotor": RotorInertia,
    "asymmetric viscous": partial(Asymmetric, kind="viscous"),
    "asymmetric coulomb": partial(Asymmetric, kind="coulomb"),
}
"""Linear terms by their names, and those that are split by direction."""

SYMBOLS: dict[FrictionTerm, tuple[str, ...]] = {
    "viscous": ("fv", "fvp", "fvn"),
    "coulomb": ("fc", "fcp", "fcn"),
    "offset": ("off",),
    "rotor": ("Ia",),
    "asymmetric": ("fvp", "fvn", "fcp", "fcn"),
    "stribeck": ("fst", "vs"),
    "load": ("fl",),
}
"""Symbols that the names of the numbers of each term begin with, together and by direction."""

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
    terms = USUAL_TERMS if options.friction is None else options.friction
    moving = [joint for joint in moving if joint not in unmeasured]
    measured = [joint for joint in range(len(robot.joints)) if joint not in unmeasured]
    columns = [
        _COLUMNS[term](
            scale=_find_scale(scales, term), joints=measured if term == "offset" else moving
        )
        for term in split_by_direction(terms)
    ]
    if "stribeck" in terms:
        columns.append(_declare_stribeck(options, robot, moving))
    if "load" in terms:
        columns.append(LoadFriction(scale=scales.get("load", inf), joints=moving))
    for pair in options.coupling:
        joints = tuple(robot.joint(name, "--coupling") for name in pair)
        columns += [
            Coupling(joints=joints, kind=kind, scale=scales.get(term, inf))
            for kind, term in _COUPLINGS.items()
        ]
    return Nuisance.of(*columns, joints=len(robot.joints))


def _find_scale(scales: Mapping[FrictionTerm, float], term: str) -> float:
    """Find the deviation of a term; one that is split has that of both names."""
    names = term.split() if term.startswith("asymmetric") else [term]
    return min((own for name, own in scales.items() if name in names), default=inf)


def split_by_direction(terms: Sequence[FrictionTerm]) -> list[str]:
    """List the terms that are linear, with those that "asymmetric" splits by direction.

    Without viscous and Coulomb friction to split, it splits both. With an offset, Coulomb friction
    needs no split, since the offset is half the difference of both directions.
    """
    linear: list[str] = [term for term in terms if term in _COLUMNS]
    if "stribeck" in terms and not {"coulomb", "asymmetric"} & set(terms):
        linear.append("coulomb")
    if "asymmetric" not in terms:
        return linear
    if not {"viscous", "coulomb"} & set(linear):
        linear += ["viscous", "coulomb"]
    return [
        f"asymmetric {term}"
        if term == "viscous" or (term == "coulomb" and "offset" not in linear)
        else term
        for term in linear
    ]


def _declare_stribeck(options: FrictionOptions, robot: Robot, moving: Sequence[int]) -> Stribeck:
    """Declare Stribeck's friction.

    Raises:
        UsageError: The velocities are not one for all joints, or one for each.
    """
    velocity, count = options.stribeck_velocity, len(robot.joints)
    if velocity is not None and len(velocity) not in (1, count):
        raise UsageError(
            f"--stribeck-velocity has {len(velocity)} numbers, expected one, or one for each of "
            f"the {count} joints: {', '.join(robot.joints)}"
        )
    scale = options.friction_prior.get("stribeck", inf)
    return Stribeck(velocity=velocity, scale=scale, joints=moving)


def remark_on_friction(
    options: FrictionOptions, robot: Robot, found: Identification
) -> Iterator[Remark]:
    """Remark on what a friction model cannot tell apart, or does not find."""
    terms = options.friction or ()
    if "asymmetric" in terms and {"coulomb", "offset"} <= set(terms):
        yield Remark(
            Severity.NOTE,
            "asymmetric",
            "Coulomb friction by direction and an offset are the same torque: forward it is "
            "Coulomb + offset, backward Coulomb - offset; without offset both are printed",
        )
    if "stribeck" not in terms or options.stribeck_velocity is not None:
        return
    missing = [
        robot.joints[number - 1]
        for symbol, number in filter(None, map(find_number, found.names))
        if symbol == "fst" and f"vs{number}" not in found.names
    ]
    if missing:
        yield Remark(
            Severity.NOTE,
            "no-stribeck",
            f"no Stribeck friction is seen on {', '.join(missing)}, so that its velocity stays "
            "that of the best profile: leave out stribeck, or record slow motion",
        )


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


MOST_BYTES = 2_000_000_000
"""Largest size of the rows of one recording [bytes], which all pass the filter together."""


def filter_load_rows(
    nuisance: Nuisance, motion: JointMotion, options: IdentifyOptions, robot: Robot
) -> Floats | None:
    """Compute the rows of the friction of the load, filtered like the torques.

    The friction changes its sign with the velocity, in a step that the filter makes a slope.

    Returns:
        (S, n, 10 L) rows of a whole recording; None without friction of the load.

    Raises:
        UsageError: They would take too much memory.
    """
    point, gravity = nuisance.point, options.robot.gravity
    if point is None or not has_load(nuisance):
        return None
    shape = (len(motion), len(robot.joints), 10 * len(robot.bodies))
    if 8 * int(np.prod(shape)) > MOST_BYTES:
        raise UsageError(
            f"--friction load: {len(motion):,} samples of {shape[1]} joints and "
            f"{len(robot.bodies)} bodies need {8 * int(np.prod(shape)) / 10**9:.1f} GB: "
            "--decimate N keeps every N-th sample"
        )
    values = np.empty(shape)
    rest = tolerances.REST * np.abs(motion.u).max(axis=0)
    gravity = GRAVITY if gravity is None else gravity
    for start in range(0, len(motion), ROWS):
        rows = slice(start, start + ROWS)
        q, u, du = motion.q[rows], motion.u[rows], motion.du[rows]
        own = np.asarray(regressor(robot.tree, q, u, du, gravity=gravity))
        Y = own[:, :, list_columns(robot.bodies)]
        signs = find_load_rows(Y, np.where(np.abs(u) <= rest, 0.0, u), point.theta)
        values[rows] = signs[:, :, None] * Y
    return motion.filter(values)
