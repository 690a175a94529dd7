"""Reader of the limits, friction and rotors of the joints of a stage, and of joints they follow.

Angles are in degrees, lengths and masses in units of the stage. The attributes are those of
UsdPhysics, Newton, PhysX and MuJoCo; the first one that is authored counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from inertial_check.files.json import JsonObject
from inertial_check.formats.context import Context
from inertial_check.formats.usd.process import compose_stage
from inertial_check.model.joint import Joint, Mimic
from inertial_check.model.source import Source

_DEGREE = math.radians(1.0)
"""One degree [rad]."""


class _JointUnits(NamedTuple):
    """Sizes of the units of one type of joint, in the units of model.Joint."""

    position: float
    force: float
    damping: float
    armature: float


def read_joints(source: Source, context: Context) -> Mapping[str, Joint]:
    """Read the joints of a stage by their paths.

    Args:
        source: The root layer.
        context: Bytes of other layers, as for the bodies.

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


def _joint(entry: JsonObject, units: _JointUnits | None) -> Joint:
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


def _mimic(entry: JsonObject | None, position: float) -> Mimic | None:
    """Make a Mimic; NaN for a multiplier between an angle and a length, whose unit is unclear."""
    if entry is None:
        return None
    multiplier, offset = entry["multiplier"], entry["offset"]
    return Mimic(entry["joint"], multiplier if entry["alike"] else math.nan, position * offset)
