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

DYNAMICS = {
    "damping": ("newton:damping", "mjc:damping"),
    "friction": ("newton:friction", "mjc:frictionloss"),
    "armature": ("newton:armature", "physxJoint:armature", "mjc:armature"),
}
"""Attributes of the numbers of a joint's dynamics; the first one that is authored counts."""


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
    units = {kind: _units(kind, kilograms, meters) for kind in ("revolute", "prismatic")}
    return {entry["path"]: _joint(entry, units.get(entry["type"])) for entry in answer["joints"]}


def _units(kind: str, kilograms: float, meters: float) -> _JointUnits:
    inertia = kilograms * meters * meters
    if kind == "revolute":
        return _JointUnits(_DEGREE, inertia, inertia, inertia)
    return _JointUnits(meters, kilograms * meters, kilograms, kilograms)


def find_unit(attribute: str, kind: str, kilograms: float, meters: float) -> float:
    """Find the unit of an attribute of DYNAMICS, in the units of model.Joint.

    Args:
        attribute: Name of the attribute.
        kind: Type of the joint, revolute or prismatic.
        kilograms: Unit of mass of the stage [kg].
        meters: Unit of length of the stage [m].
    """
    units = _units(kind, kilograms, meters)
    if attribute in DYNAMICS["friction"]:
        return units.force
    if attribute in DYNAMICS["armature"]:
        return units.armature
    per_degree = attribute == "newton:damping" and kind == "revolute"
    return units.damping / _DEGREE if per_degree else units.damping


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
        friction=first(units.force, *DYNAMICS["friction"]),
        armature=first(units.armature, *DYNAMICS["armature"]),
        mimic=_mimic(entry["mimic"], units.position),
    )


def _mimic(entry: JsonObject | None, position: float) -> Mimic | None:
    """Make a Mimic; NaN for a multiplier between an angle and a length, whose unit is unclear."""
    if entry is None:
        return None
    multiplier, offset = entry["multiplier"], entry["offset"]
    return Mimic(entry["joint"], multiplier if entry["alike"] else math.nan, position * offset)
