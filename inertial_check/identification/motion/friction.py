"""Friction of the joints: declared by terms, named, and stated in the robot's file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, isnan
from typing import NamedTuple

from inertial_check.checking.report import Severity
from inertial_check.documents.edits import JOINT_NUMBERS
from inertial_check.errors import UsageError
from inertial_check.fixing.writing import JointResult
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
)
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.options import (
    USUAL_TERMS,
    FrictionOptions,
    FrictionTerm,
)
from inertial_check.identification.robot import Robot
from inertial_check.mechanics.tree import SIZES
from inertial_check.reports.identification_types import FrictionValue, Remark


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


DISCONTINUOUS = ("fc", "fsm", "fcp", "fcn", "fst", "vs")


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
        UsageError: A coupling of a joint that does not exist, or Stribeck velocities that are
            neither one for all joints nor one for each.
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
        velocity, count = options.stribeck_velocity, len(robot.joints)
        if velocity is not None and len(velocity) not in (1, count):
            raise UsageError(
                f"--stribeck-velocity has {len(velocity)} numbers, expected one, or one for each "
                f"of the {count} joints: {', '.join(robot.joints)}"
            )
        scale = scales.get("stribeck", inf)
        columns.append(Stribeck(velocity=velocity, scale=scale, joints=moving))
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


def remark_on_friction(
    options: FrictionOptions, robot: Robot, found: Identification
) -> Iterator[Remark]:
    """Remark on what a friction model cannot tell apart, or does not find."""
    terms = options.friction or ()
    if "asymmetric" in terms and {"coulomb", "offset"} <= set(terms):
        message = (
            "Coulomb friction by direction and an offset are the same torque: forward it is "
            "Coulomb + offset, backward Coulomb - offset; without offset both are printed"
        )
        yield Remark(Severity.NOTE, "asymmetric", message)
    if "stribeck" not in terms or options.stribeck_velocity is not None:
        return
    missing = [
        robot.joints[number - 1]
        for symbol, number in filter(None, map(find_number, found.names))
        if symbol == "fst" and f"vs{number}" not in found.names
    ]
    if missing:
        message = (
            f"no Stribeck friction is seen on {', '.join(missing)}, so that its velocity stays "
            "that of the best profile: leave out stribeck, or record slow motion"
        )
        yield Remark(Severity.NOTE, "no-stribeck", message)


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


FIELDS = {"fv": "damping", "fc": "friction", "Ia": "armature"}
"""Number of a joint that states a friction number, by the symbol of the latter."""


def list_targets(robot: Robot, friction: Sequence[FrictionValue]) -> dict[str, dict[str, float]]:
    """List the identified numbers of each joint, by the id of the body that it moves."""
    targets: dict[str, dict[str, float]] = {}
    bodies = [
        body
        for body, joint in zip(robot.model.bodies, robot.tree.joints, strict=True)
        if SIZES[joint][1]
    ]
    for value in friction:
        place = find_number(value.name)
        if place is not None and place[0] in FIELDS:
            body = bodies[place[1] - 1]
            # -0.0 is 0 in every engine, and a sign would look like a mistake.
            targets.setdefault(body.id, {})[FIELDS[place[0]]] = value.value + 0.0
    return targets


def remark_on_joints(
    robot: Robot, friction: Sequence[FrictionValue], results: Sequence[JointResult]
) -> Iterator[Remark]:
    """Remark on joints that cannot be written, and on numbers that have no place in the file."""
    path = robot.model.source.path
    for result in results:
        if result.status == "refused":
            message = f"{path}: joint {result.name}: not written: {result.reason}"
            yield Remark(Severity.WARNING, "joint-not-written", message)
    reasons: dict[str, list[str]] = {}
    for result in results:
        for name, reason in result.left.items():
            reasons.setdefault(reason, []).append(f"{name} of {result.name}")
    for value in friction:
        place = find_number(value.name)
        if place is None or place[0] not in FIELDS:
            what = f"{value.meaning} of {value.joint}" if value.joint else value.name
            shown = f"{what} ({value.value:.4g}{f' {value.unit}' if value.unit else ''})"
            reasons.setdefault("joints of no format have a place for them", []).append(shown)
    for reason, names in reasons.items():
        message = f"{path}: not in the file: {', '.join(names)}: {reason}"
        yield Remark(Severity.WARNING, "joint-without-place", message)


def read_stated(robot: Robot) -> Mapping[str, float]:
    """Read the numbers that the robot's file states, by the names of friction numbers."""
    symbols = {field: symbol for symbol, field in FIELDS.items()}
    return {
        f"{symbols[field]}{number}": value
        for field in JOINT_NUMBERS
        for number, value in enumerate(getattr(robot.stated, field).tolist(), 1)
        if not isnan(value)  # none is stated
    }
