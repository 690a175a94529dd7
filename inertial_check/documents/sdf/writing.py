"""Insertion of an <inertial>, or of missing parts of one, into an SDF document.

Damping and friction of a joint, written into the <dynamics> of an axis of SDF.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inertial_check.documents.edits import CENTER, JointEdits, NotInsertable, print_changes
from inertial_check.documents.model import ENTRIES, Body, Model
from inertial_check.documents.sdf import SEPARATOR
from inertial_check.documents.sdf.links import is_true
from inertial_check.documents.source import Edit
from inertial_check.documents.xml.insertion import NewElement, XmlInserter, find_element
from inertial_check.documents.xml.markup import Element

_ORDER = ("pose", "mass", "inertia")
_POSE = "0 0 0 0 0 0"
_ENTRIES = {entry: NewElement(entry, text="0") for entry in ENTRIES}
_NEW = {
    "pose": NewElement("pose", text=_POSE),
    "mass": NewElement("mass", text="0"),
    "inertia": NewElement("inertia", children=tuple(_ENTRIES.values())),
}
_INERTIAL = NewElement("inertial", children=tuple(_NEW.values()))


def insert_numbers(
    model: Model, body: Body, names: frozenset[str], comment: str
) -> tuple[Edit, ...]:
    """Insert numbers; arguments and errors are those of documents.writing.insert."""
    link = XmlInserter.at(model, body.span, "link")
    inertial = link.element.first("inertial")
    if inertial is None:
        first = link.element.children[0] if link.element.children else None
        pose = first if first is not None and first.tag == "pose" else None
        link.add_children([_INERTIAL], pose, comment=comment)
        return link.edits
    if is_true(inertial.attributes.get("auto", "")):
        raise NotInsertable(
            'its <inertial auto="true"> has Gazebo compute the inertia from the collisions and '
            "ignore numbers: delete auto"
        )
    inside = link.inside(inertial)
    wanted = [
        tag
        for tag, its_names in (("pose", CENTER), ("mass", ("mass",)), ("inertia", ENTRIES))
        if not names.isdisjoint(its_names)
    ]
    inside.add_missing([_NEW[tag] for tag in wanted if inertial.first(tag) is None], _ORDER)
    for tag in wanted:
        child = inertial.first(tag)
        if child is None:
            continue
        if tag == "inertia":
            absent = [entry for entry in ENTRIES if entry in names and child.first(entry) is None]
            inside.add_missing([_ENTRIES[entry] for entry in absent], ENTRIES, child)
            for entry in ENTRIES:
                stated = child.first(entry)
                if entry in names and stated is not None and not inside.text_of(stated):
                    inside.set_text(stated, "0")
        elif not inside.text_of(child):
            quaternion = child.attributes.get("rotation_format", "").strip() == "quat_xyzw"
            blank = f"{_POSE} 1" if quaternion else _POSE
            inside.set_text(child, blank if tag == "pose" else "0")
    return inside.edits


_AXIS = ("xyz", "initial_position", "use_parent_model_frame", "mimic", "dynamics", "limit")
_DYNAMICS = ("damping", "friction", "spring_reference", "spring_stiffness")
_NUMBERS = ("damping", "friction")
_NO_ROTORS = "SDF has no place for the inertia of a rotor"


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of documents.writing.set_joint."""
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
    return JointEdits(axis.edits, {"armature": _NO_ROTORS} if "armature" in values else {})


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
