"""Insertion of an <inertial>, or of missing attributes of one, into an MJCF document."""

from __future__ import annotations

from inertial_check.formats.context import Context
from inertial_check.formats.insertion import (
    CENTER,
    MOMENTS,
    PRODUCTS,
    ZERO_VECTOR,
    NotInsertable,
)
from inertial_check.formats.mjcf.constants import ORIENTATIONS
from inertial_check.formats.mjcf.settings import Compiler, read_compiler
from inertial_check.formats.mjcf.tree import MjcfDocument
from inertial_check.formats.xml.insertion import NewElement, XmlInserter
from inertial_check.model.body import Body, Model
from inertial_check.model.source import Edit

_ORDER = ("pos", *ORIENTATIONS, "mass", "diaginertia", "fullinertia")
_ALIGNED = "1 0 0 0"
"""Quaternion of axes that are those of the body."""


def insert_numbers(
    model: Model, body: Body, names: frozenset[str], comment: str
) -> tuple[Edit, ...]:
    """Insert numbers; arguments and errors are those of mjcf.insert."""
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
