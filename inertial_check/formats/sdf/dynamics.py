"""Damping and friction of a joint, written into the <dynamics> of an axis of SDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inertial_check.formats.insertion import NotInsertable
from inertial_check.formats.joint_numbers import JointEdits, find_element, print_changes
from inertial_check.formats.sdf.constants import SEPARATOR
from inertial_check.formats.xml.insertion import NewElement, XmlInserter
from inertial_check.formats.xml.markup import Element
from inertial_check.model.body import Body, Model

_AXIS = ("xyz", "initial_position", "use_parent_model_frame", "mimic", "dynamics", "limit")
_DYNAMICS = ("damping", "friction", "spring_reference", "spring_stiffness")
_NUMBERS = ("damping", "friction")
_NO_ROTORS = "SDF has no place for the inertia of a rotor"


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of joint_writing.set_joint."""
    axis = _find_axis(model, body)
    dynamics = axis.element.first("dynamics")
    tags = [name for name in _NUMBERS if name in values]
    stated = {} if dynamics is None else {tag: dynamics.first(tag) for tag in tags}
    texts = {tag: axis.text_of(each) for tag, each in stated.items() if each is not None}
    changes = print_changes(texts, {tag: values[tag] for tag in tags})
    new = [NewElement(tag, text=text) for tag, text in changes.items() if tag not in texts]
    if dynamics is None and new:
        axis.add_missing([NewElement("dynamics", children=tuple(new))], _AXIS)
    elif dynamics is not None:
        axis.add_missing(
            [each for each in new if dynamics.first(each.tag) is None], _DYNAMICS, dynamics
        )
        for tag, element in stated.items():
            if element is not None and tag in changes:
                axis.replace_text(element, changes[tag])
    left = {"armature": _NO_ROTORS} if "armature" in values else {}
    return JointEdits(axis.edits, left)


def _find_axis(model: Model, body: Body) -> XmlInserter:
    """Find the axis of the joint of a body.

    Raises:
        NotInsertable: There is none, or several joints can be meant.
    """
    scoped = body.joints[0].name
    *models, name = scoped.split(SEPARATOR)
    inner = models[-1:]

    def accept(path: Sequence[Element]) -> bool:
        own = path[-1]
        if own.tag != "joint" or own.attributes.get("name", "") != name:
            return False
        # The outermost model of an included document has the name that the include gives it.
        around = [each.attributes.get("name", "") for each in path if each.tag == "model"]
        return len(around) < 2 or around[-1:] == inner

    inserter = find_element(model, body.span.file, f"a joint {scoped!r}", accept)
    axis = None if inserter is None else inserter.element.first("axis")
    if inserter is None or axis is None:
        raise NotInsertable(f"no axis of a joint {scoped!r} is written beside its link")
    return inserter.inside(axis)
