"""What a stage says of its joints beside their frames and axes: limits, rotors, what they follow.

Angles are in degrees, lengths and masses in units of the stage. The attributes are those of
UsdPhysics, and of Newton, PhysX and MuJoCo beside it; the first of them that is written counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from inertial_check.formats.context import Context
from inertial_check.formats.usd.process import compose_stage
from inertial_check.model.joint import Joint, Mimic
from inertial_check.model.source import Source

_DEGREE = math.radians(1.0)


class _JointUnits(NamedTuple):
    """What the units of one kind of joint are, in those of Joint."""

    position: float
    force: float
    damping: float
    armature: float


def read_joints(source: Source, context: Context) -> Mapping[str, Joint]:
    """The joints of a stage by their paths.

    Args:
        source: The root layer.
        context: As for reading the bodies.

    Raises:
        DocumentError: The layer cannot be read any more.
    """
    answer = compose_stage(source, context, "joints")
    kilograms, meters = answer["kilograms"], answer["meters"]
    inertia = kilograms * meters * meters
    units = {
        "revolute": _JointUnits(_DEGREE, inertia, inertia, inertia),
        "prismatic": _JointUnits(meters, kilograms * meters, kilograms, kilograms),
    }
    return {entry["path"]: _joint(entry, units.get(entry["type"])) for entry in answer["joints"]}


def _joint(entry: Mapping[str, Any], units: _JointUnits | None) -> Joint:
    name, kind, values = entry["name"], entry["type"], entry["values"]
    if units is None:
        return Joint(name, kind)

    def first(unit: float, *names: str) -> float | None:
        return next((unit * values[name] for name in names if name in values), None)

    drive = "angular" if kind == "revolute" else "linear"
    per_degree = units.damping / _DEGREE if kind == "revolute" else units.damping
    damping = first(per_degree, "newton:damping")
    return Joint(
        name,
        kind,
        first(units.position, "physics:lowerLimit"),
        first(units.position, "physics:upperLimit"),
        velocity=first(units.position, "newton:velocityLimit", "physxJoint:maxJointVelocity"),
        effort=first(units.force, f"drive:{drive}:physics:maxForce"),
        damping=first(units.damping, "mjc:damping") if damping is None else damping,
        friction=first(units.force, "newton:friction", "mjc:frictionloss"),
        armature=first(units.armature, "newton:armature", "physxJoint:armature", "mjc:armature"),
        mimic=_mimic(entry["mimic"], units.position),
    )


def _mimic(entry: Mapping[str, Any] | None, position: float) -> Mimic | None:
    """What a joint follows; a multiplier between an angle and a length has no unit: NaN."""
    if entry is None:
        return None
    multiplier, offset = entry["multiplier"], entry["offset"]
    return Mimic(entry["joint"], multiplier if entry["alike"] else math.nan, position * offset)
