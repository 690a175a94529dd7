"""Insertion of an <inertial>, or of missing attributes of one, into an MJCF document.

Damping, friction and armature of a joint, written into an MJCF document.

Numbers that a default class gives a joint are stated at the joint itself, so that no other changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inertial_check.documents.context import Context
from inertial_check.documents.edits import (
    CENTER,
    MOMENTS,
    PRODUCTS,
    ZERO_VECTOR,
    JointEdits,
    NotInsertable,
    print_changes,
)
from inertial_check.documents.mjcf import ORIENTATIONS
from inertial_check.documents.mjcf.compiler import Compiler, MjcfDocument, read_compiler
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Edit
from inertial_check.documents.xml.insertion import NewElement, XmlInserter
from inertial_check.documents.xml.markup import Element

_ORDER = ("pos", *ORIENTATIONS, "mass", "diaginertia", "fullinertia")
_ALIGNED = "1 0 0 0"
"""Quaternion of axes that are those of the body."""


def insert_numbers(
    model: Model, body: Body, names: frozenset[str], comment: str
) -> tuple[Edit, ...]:
    """Insert numbers; arguments and errors are those of documents.writing.insert."""
    turned = not names.isdisjoint(PRODUCTS)
    inertia = ("fullinertia", "0 0 0 0 0 0") if turned else ("diaginertia", ZERO_VECTOR)
    if body.inertial is None:
        inserter = XmlInserter.at(model, body.span, "body")
        new = NewElement("inertial", (("pos", ZERO_VECTOR), ("mass", "0"), inertia))
        inserter.add_children([new], comment=comment)
        return inserter.edits
    inserter = XmlInserter.at(model, body.inertial.span, "inertial")
    present = inserter.element.attributes
    oriented = [name for name in ORIENTATIONS if present.get(name, "").strip()]
    wanted: dict[str, str] = {}
    if not names.isdisjoint(CENTER):
        if present.get("pos", "").strip():
            raise NotInsertable("a <frame> around its <inertial> moves the centre of mass")
        wanted["pos"] = ZERO_VECTOR
    if "mass" in names:
        wanted["mass"] = "0"
    if not names.isdisjoint(MOMENTS):
        if turned and oriented:
            inertia = ("diaginertia", ZERO_VECTOR)
        wanted[inertia[0]] = inertia[1]
        turned = turned and bool(oriented)
    if turned and oriented != ["quat"]:
        if oriented:
            raise NotInsertable(
                f"its principal axes turn, and its {oriented[0]} is no quaternion: write quat"
            )
        wanted["quat"] = _ALIGNED
    inserter.add_attributes(wanted, _ORDER)
    return inserter.edits


class Overrides:
    """Settings by which MuJoCo uses other numbers than those that a document states."""

    def __init__(self, model: Model, context: Context) -> None:
        tree = MjcfDocument(model.source, context.of_document(model.source.path))
        self._compiler: Compiler = read_compiler(tree)[0]

    def describe(self, body: Body, mass: float, least_moment: float) -> str | None:
        """Say which setting keeps MuJoCo from the numbers of a body; None where none does.

        Args:
            body: The body.
            mass: The mass that the document is to state [kg].
            least_moment: Its least principal moment [kg m^2].
        """
        compiler = self._compiler
        if compiler.settotalmass > 0:
            return f"settotalmass: MuJoCo scales all masses to {compiler.settotalmass:.6g} kg"
        if compiler.coordinate == "global":
            return 'coordinate="global", which MuJoCo refuses: write local coordinates'
        if compiler.inertiafromgeom == "true" and body.inertia_from == "geometry":
            return 'inertiafromgeom="true": MuJoCo ignores an <inertial> beside geoms: write "auto"'
        if mass < compiler.boundmass:
            return f"boundmass: MuJoCo raises the mass to {compiler.boundmass:.6g} kg"
        if least_moment < compiler.boundinertia:
            low = compiler.boundinertia
            return f"boundinertia: MuJoCo raises its principal moments to {low:.6g} kg m^2"
        return None


_ATTRIBUTES = {"armature": "armature", "damping": "damping", "friction": "frictionloss"}
_JOINT_ORDER = (
    *("name", "class", "type", "group", "pos", "axis", "springdamper", "limited"),
    *("actuatorfrclimited", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
    *("stiffness", "range", "actuatorfrcrange", "actuatorgravcomp", "margin", "ref", "springref"),
    *("armature", "damping", "frictionloss", "user"),
)


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of documents.writing.set_joint."""
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
        # Count the terms of the longest damping that a default class has; at least one.
        counts, pending = [1], XmlInserter.at_root(model, 0).element.all("default")
        while pending:
            own = pending.pop()
            counts += [
                len(joint.attributes.get("damping", "").split()) for joint in own.all("joint")
            ]
            pending += own.all("default")
        changes["damping"] += " 0" * (max(counts) - 1)
    inserter.add_attributes(changes, _JOINT_ORDER, element)
    return JointEdits(inserter.edits)


def _joints_of(body: Element) -> Iterator[Element]:
    """Iterate over the joints of a body, also those inside frames."""
    for child in body.children:
        if child.tag == "joint":
            yield child
        elif child.tag == "frame":
            yield from _joints_of(child)
