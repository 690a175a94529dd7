"""Insertion of an <inertial>, or of missing parts of one, into a URDF or a xacro file."""

from __future__ import annotations

from inertial_check.formats.insertion import CENTER, ZERO_VECTOR
from inertial_check.formats.xml.insertion import NewElement, XmlInserter
from inertial_check.model.body import ENTRIES, Body, Model
from inertial_check.model.source import Edit

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
    """Insert numbers; arguments and errors are those of urdf.insert."""
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
