"""Insertion of an <inertial>, or of missing parts of one, into an SDF document."""

from __future__ import annotations

from inertial_check.formats.insertion import CENTER, NotInsertable
from inertial_check.formats.sdf.links import is_true
from inertial_check.formats.xml.insertion import NewElement, XmlInserter
from inertial_check.formats.xml.markup import Element
from inertial_check.model.body import ENTRIES, Body, Model
from inertial_check.model.source import Edit

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
    """Insert numbers; arguments and errors are those of sdf.insert."""
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
            _insert_entries(inside, child, names)
        elif not inside.text_of(child):
            quaternion = child.attributes.get("rotation_format", "").strip() == "quat_xyzw"
            blank = f"{_POSE} 1" if quaternion else _POSE
            inside.set_text(child, blank if tag == "pose" else "0")
    return inside.edits


def _insert_entries(inside: XmlInserter, inertia: Element, names: frozenset[str]) -> None:
    absent = [entry for entry in ENTRIES if entry in names and inertia.first(entry) is None]
    inside.add_missing([_ENTRIES[entry] for entry in absent], ENTRIES, inertia)
    for entry in ENTRIES:
        child = inertia.first(entry)
        if entry in names and child is not None and not inside.text_of(child):
            inside.set_text(child, "0")
