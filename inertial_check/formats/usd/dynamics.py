"""Damping, friction and armature of a joint, written into the text of its prim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose

from inertial_check.formats.insertion import NotInsertable
from inertial_check.formats.joint_numbers import JointEdits
from inertial_check.formats.usd.constants import TEXT
from inertial_check.formats.usd.insertion import apply_schema, insert_lines, read_prim
from inertial_check.formats.usd.joints import DYNAMICS, find_unit
from inertial_check.formats.usd.text import LayerPlaces, scan
from inertial_check.model.body import Body, Model
from inertial_check.model.source import Edit, Span

_INSERTED = {"damping": "mjc:damping", "friction": "mjc:frictionloss", "armature": "mjc:armature"}
"""Attributes that are inserted where none is authored: those of MuJoCo have a unit for each."""

_SCHEMA = b'"MjcJointAPI"'
"""Schema of the attributes that are inserted."""

_SINGLE = 2.0**-24
"""Relative rounding of a float32, as which most layers state these numbers."""


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the numbers of a joint; arguments and errors are those of joint_writing.set_joint."""
    joint = body.joints[0]
    file, path, places = _find_prim(model, joint.name)
    data = (model.source, *model.others)[file].data
    prim = places.prims[path]
    kilograms, meters = _units_of(model)
    edits: list[Edit] = []
    lines: list[str] = []
    for name, value in values.items():
        stated = [own for own in DYNAMICS[name] if f"{path}.{own}" in places.values]
        for own in stated:
            text = repr(value / find_unit(own, joint.type, kilograms, meters))
            pieces = places.values[f"{path}.{own}"].pieces
            if len(pieces) != 1:
                raise NotInsertable(f"its {own} is no number")
            if not isclose(float(pieces[0].text), float(text), rel_tol=_SINGLE, abs_tol=0.0):
                edits.append(Edit(Span(pieces[0].start, pieces[0].end, file), text))
        if not stated:
            own = _INSERTED[name]
            number = value / find_unit(own, joint.type, kilograms, meters)
            lines.append(f"uniform double {own} = {number!r}")
    if lines:
        opened = read_prim(data, prim.start)
        edits += insert_lines(data, opened, lines, file)
        edits += apply_schema(data, prim.start, opened, file, _SCHEMA)
    return JointEdits(tuple(edits))


def _find_prim(model: Model, name: str) -> tuple[int, str, LayerPlaces]:
    """Find the prim of a joint: number of its layer, its path, and the places of that layer.

    Raises:
        NotInsertable: No text layer defines it, or several prims have its name.
    """
    found = list(_find_prims(model, name))
    if len(found) != 1:
        raise NotInsertable(f"{len(found) or 'no'} prims {name!r} are defined in text layers")
    return found[0]


def _find_prims(model: Model, name: str) -> Iterator[tuple[int, str, LayerPlaces]]:
    wanted = [own for names in DYNAMICS.values() for own in names]
    for file, source in enumerate((model.source, *model.others)):
        if not source.data.startswith(TEXT):
            continue
        places = scan(source.data, wanted)
        for path in places.prims:
            if path.endswith((f"/{name}", f"}}{name}")):
                yield file, path, places


def _units_of(model: Model) -> tuple[float, float]:
    """Find the units of mass [kg] and length [m] of a stage, which all its bodies share.

    Raises:
        NotInsertable: No body states them.
    """
    for body in model.bodies:
        if body.inertial is not None:
            return body.inertial.kilograms_per_unit, body.inertial.meters_per_unit
    raise NotInsertable("no body of the stage states its units")
