"""Damping and friction of a joint, written into the <dynamics> of a URDF or a xacro file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inertial_check.errors import DocumentError
from inertial_check.formats.insertion import NotInsertable
from inertial_check.formats.joint_numbers import JointEdits, find_element, print_changes
from inertial_check.formats.xml.insertion import NewElement
from inertial_check.formats.xml.markup import Element
from inertial_check.model.body import Body, Model

_ORDER = (
    *("origin", "parent", "child", "axis", "calibration"),
    *("dynamics", "limit", "mimic", "safety_controller"),
)
_NUMBERS = ("damping", "friction")
_NO_ROTORS = "URDF has no place for the inertia of a rotor"


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of joint_writing.set_joint."""
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
        inserter.add_missing([NewElement("dynamics", tuple(changes.items()))], _ORDER)
    elif changes:
        inserter.add_attributes(changes, _NUMBERS, dynamics)
    left = {"armature": _NO_ROTORS} if "armature" in values else {}
    return JointEdits(inserter.edits, left)
