"""Damping, friction and armature of a joint, written into an MJCF document.

Numbers that a default class gives a joint are stated at the joint itself, so that no other changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inertial_check.formats.insertion import NotInsertable
from inertial_check.formats.joint_numbers import JointEdits, print_changes
from inertial_check.formats.xml.insertion import XmlInserter
from inertial_check.formats.xml.markup import Element
from inertial_check.model.body import Body, Model

_ATTRIBUTES = {"armature": "armature", "damping": "damping", "friction": "frictionloss"}
_ORDER = (
    *("name", "class", "type", "group", "pos", "axis", "springdamper", "limited"),
    *("actuatorfrclimited", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
    *("stiffness", "range", "actuatorfrcrange", "actuatorgravcomp", "margin", "ref", "springref"),
    *("armature", "damping", "frictionloss", "user"),
)


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of joint_writing.set_joint."""
    joint = body.joints[0]
    inserter = XmlInserter.at(model, body.span, "body")
    found = [
        each
        for each in _joints_of(inserter.element)
        if each.attributes.get("name", "").strip() == joint.name
    ]
    if len(found) != 1:
        raise NotInsertable(f"{len(found) or 'no'} joints {joint.name!r} are written in its body")
    element = found[0]
    if "damping" in values and element.attributes.get("springdamper", "").strip():
        raise NotInsertable("its springdamper has MuJoCo compute the damping: delete it")
    wanted = {_ATTRIBUTES[name]: value for name, value in values.items()}
    changes = print_changes(element.attributes, wanted)
    if "damping" in changes:
        # Terms in higher powers of the speed, of a default class, would stay beside one number.
        terms = _count_terms(XmlInserter.at_root(model, 0).element)
        changes["damping"] += " 0" * (terms - 1)
    inserter.add_attributes(changes, _ORDER, element)
    return JointEdits(inserter.edits)


def _joints_of(body: Element) -> Iterator[Element]:
    """Iterate over the joints of a body, also those inside frames."""
    for child in body.children:
        if child.tag == "joint":
            yield child
        elif child.tag == "frame":
            yield from _joints_of(child)


def _count_terms(root: Element) -> int:
    """Count the terms of the longest damping that a default class has; at least one."""
    counts, pending = [1], root.all("default")
    while pending:
        own = pending.pop()
        counts += [len(joint.attributes.get("damping", "").split()) for joint in own.all("joint")]
        pending += own.all("default")
    return max(counts)
