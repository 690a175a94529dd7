"""Merging of bodies on fixed joints into the bodies that carry them, as converters do.

sdformat, MuJoCo's fusestatic and Isaac's importers merge the links of a URDF so. Bodies fixed to a
link called world are not merged into it: sdformat stops there too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.formats.poses import is_finite
from inertial_check.inertia import frames
from inertial_check.model.body import Body, Model

_WORLD = "world"
_FIXED = "fixed"
_WITH_PARENTS = frozenset(("urdf", "xacro", "mjcf", "sdf", "usd"))
"""Formats whose readers fill Body.parent."""


class LumpedModel(NamedTuple):
    """Parameters of the bodies of a model after merging.

    Attributes:
        theta: (n, 10) parameters of all bodies about their centres of mass, valid for carriers.
        merged: Indices of the bodies merged into each carrier, in order.
        carrier: Index of the body into which each body is merged; its own where into none.
        notes: Notes on the bodies that could not be merged.
    """

    theta: Floats
    merged: Mapping[int, Sequence[int]]
    carrier: Sequence[int]
    notes: Sequence[str]


class _Carrier(NamedTuple):
    """Carrier R of a body B: its index, and the pose of B in it."""

    carrier: int
    X_RB: Floats


def lump(model: Model, theta: Floats) -> LumpedModel:
    """Merge every body on a fixed joint into the body that carries it.

    Args:
        model: The model as read.
        theta: (n, 10) parameters of its bodies about their centres of mass, order "urdf"; a NaN
            makes the sum NaN.
    """
    parents, notes = _find_parents(model)
    places = _find_carriers(model.bodies, parents)
    total = np.array(theta)
    merged: dict[int, list[int]] = {}
    for index, place in enumerate(places):
        if place.carrier != index:
            root = place.carrier
            moved = frames.transform(theta[index], place.X_RB, "com")
            total[root] = frames.add(total[root], moved, "com")
            merged.setdefault(root, []).append(index)
    return LumpedModel(total, merged, [place.carrier for place in places], notes)


def _find_parents(model: Model) -> tuple[dict[int, int], list[str]]:
    """Find the body into which each body is merged, and note those that cannot be."""
    bodies, path = model.bodies, model.source.path
    held = [index for index, body in enumerate(bodies) if body.joint == _FIXED]
    silent = model.format not in _WITH_PARENTS and all(body.parent is None for body in bodies)
    if held and silent:
        reason = f"the reader of {model.format} does not tell what they are fixed to"
        return {}, [f"{path}: bodies on fixed joints were not merged: {reason}"]
    index_of = {body.id: index for index, body in enumerate(bodies)}
    parents: dict[int, int] = {}
    notes: list[str] = []
    for index in held:
        body = bodies[index]
        parent = index_of.get(body.parent or "")
        if parent is None or bodies[parent].name == _WORLD:
            continue
        if body.X_PB is None or not is_finite(body.X_PB):
            where = f"where it is fixed to {bodies[parent].name} cannot be read"
            notes.append(f"{path}: {body.name} was not merged: {where}")
        else:
            parents[index] = parent
    for index in _find_cycles(parents):
        notes.append(f"{path}: {bodies[index].name} was not merged: it is fixed to itself")
        del parents[index]
    return parents, notes


def _find_cycles(parents: Mapping[int, int]) -> list[int]:
    """Find bodies that carry themselves by way of others."""
    found: list[int] = []
    seen: dict[int, int] = {}
    for start in parents:
        index: int | None = start
        while index is not None and index not in seen:
            seen[index] = start
            index = parents.get(index)
        if index is not None and seen[index] == start:
            first = index
            while True:
                found.append(index)
                index = parents[index]
                if index == first:
                    break
    return sorted(found)


def _find_carriers(bodies: Sequence[Body], parents: Mapping[int, int]) -> list[_Carrier]:
    """Find the carrier of each body, and its pose there; its own where nothing carries it."""
    known: dict[int, _Carrier] = {}
    for start in range(len(bodies)):
        chain = [start]
        while chain[-1] in parents and chain[-1] not in known:
            chain.append(parents[chain[-1]])
        for index in reversed(chain):
            if index in known:
                continue
            pose = bodies[index].X_PB
            if index not in parents or pose is None:
                known[index] = _Carrier(index, np.eye(4))
                continue
            above, X_PB = known[parents[index]], frames.homogeneous(pose.R_PB, pose.p_PoBo_P)
            known[index] = _Carrier(above.carrier, above.X_RB @ X_PB)
    return [known[index] for index in range(len(bodies))]
