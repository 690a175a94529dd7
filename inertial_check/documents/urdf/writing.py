"""Insertion of an <inertial>, or of missing parts of one, into a URDF or a xacro file.

Damping and friction of a joint, written into the <dynamics> of a URDF or a xacro file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inertial_check.documents.edits import (
    CENTER,
    ZERO_VECTOR,
    JointEdits,
    NotInsertable,
    print_changes,
)
from inertial_check.documents.model import ENTRIES, Body, Model
from inertial_check.documents.source import Edit
from inertial_check.documents.xml.insertion import NewElement, XmlInserter, find_element
from inertial_check.documents.xml.markup import Element
from inertial_check.errors import DocumentError

_ORDER = ("origin", "mass", "inertia")
_ORIGIN = ("xyz", "rpy", "quat_xyzw")
_NEW = {
    "origin": NewElement("origin", (("xyz", ZERO_VECTOR),)),
    "mass": NewElement("mass", (("value", "0"),)),
    "inertia": NewElement("inertia", tuple((entry, "0") for entry in ENTRIES)),
}
_TURNED = NewElement("origin", (("xyz", ZERO_VECTOR), ("rpy", ZERO_VECTOR)))
_INERTIAL = NewElement("inertial", children=(_TURNED, _NEW["mass"], _NEW["inertia"]))


def insert_numbers(
    model: Model, body: Body, names: frozenset[str], comment: str
) -> tuple[Edit, ...]:
    """Insert numbers; arguments and errors are those of documents.writing.insert."""
    if body.inertial is None:
        inserter = XmlInserter.at(model, body.span, "link")
        inserter.add_children([_INERTIAL], comment=comment)
        return inserter.edits
    inserter = XmlInserter.at(model, body.inertial.span, "inertial")
    wanted = {
        "origin": {"xyz": ZERO_VECTOR} if not names.isdisjoint(CENTER) else {},
        "mass": {"value": "0"} if "mass" in names else {},
        "inertia": {entry: "0" for entry in ENTRIES if entry in names},
    }
    absent = [tag for tag in _ORDER if wanted[tag] and inserter.element.first(tag) is None]
    inserter.add_missing([_NEW[tag] for tag in absent], _ORDER)
    orders = {"origin": _ORIGIN, "mass": ("value",), "inertia": ENTRIES}
    for tag in _ORDER:
        child = inserter.element.first(tag)
        if child is not None and wanted[tag]:
            inserter.add_attributes(wanted[tag], orders[tag], child)
    return inserter.edits


_JOINT_ORDER = (
    *("origin", "parent", "child", "axis", "calibration"),
    *("dynamics", "limit", "mimic", "safety_controller"),
)
_NUMBERS = ("damping", "friction")
_NO_ROTORS = "URDF has no place for the inertia of a rotor"


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of documents.writing.set_joint."""
    joint = body.joints[0]

    def accept(path: Sequence[Element]) -> bool:
        own = path[-1]
        # A <joint> of a transmission or of ros2_control has the same name, and no child link.
        named = own.tag == "joint" and own.attributes.get("name", "") == joint.name
        return named and own.first("child") is not None

    found = []
    for file in range(1 + len(model.others)):
        try:
            inserter = find_element(model, file, f"a joint {joint.name!r}", accept)
        except DocumentError:  # a xacro file also reads documents that are no XML
            continue
        if inserter is not None:
            found.append(inserter)
    if len(found) != 1:
        raise NotInsertable(f"{len(found) or 'no'} joints {joint.name!r} are written as such")
    (inserter,) = found
    dynamics = inserter.element.first("dynamics")
    stated = {} if dynamics is None else dynamics.attributes
    wanted = {name: values[name] for name in _NUMBERS if name in values}
    changes = print_changes(stated, wanted)
    if changes and dynamics is None:
        inserter.add_missing([NewElement("dynamics", tuple(changes.items()))], _JOINT_ORDER)
    elif changes:
        inserter.add_attributes(changes, _NUMBERS, dynamics)
    left = {"armature": _NO_ROTORS} if "armature" in values else {}
    return JointEdits(inserter.edits, left)
