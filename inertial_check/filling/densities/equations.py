"""The equations of what is known, in terms of the masses of the bodies to fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.evidence.twin_names import find_twins
from inertial_check.filling.known import Knowledge
from inertial_check.filling.shapes.pieces import BodyPieces
from inertial_check.filling.shapes.poses import place_bodies
from inertial_check.geometry.priors import indices_of
from inertial_check.inertia import tolerances
from inertial_check.model import Model

EQUAL_SHAPES = 0.02
"""Largest relative difference of the volumes of twins that count as one part: mirrored meshes
agree to a few digits, and other parts differ by more."""


class MassSum(NamedTuple):
    """A known sum of masses of the bodies to fill.

    Attributes:
        name: The sum, for messages.
        coefficients: Coefficient of the mass of each body, by its place among those to fill.
        wanted: The sum [kg].
        deviation: By how much the sum may differ in intervals [kg].
        assumed: Whether it is not given, but assumed of twins, and gives way to what is given.
    """

    name: str
    coefficients: Mapping[int, float]
    wanted: float
    deviation: float = 0.0
    assumed: bool = False


class CenterSum(NamedTuple):
    """A known coordinate of the first moment of the whole model.

    Attributes:
        name: The sum, for messages.
        poses: (n, 4, 4) poses of the bodies to fill in the root.
        axis: Which coordinate.
        center: (3,) centre of mass in the root [m].
        wanted: First moment of the bodies to fill about the centre [kg m].
    """

    name: str
    poses: Floats
    axis: int
    center: Floats
    wanted: float


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The bodies to fill, and what is known of them.

    Attributes:
        model: The model.
        pieces: Pieces of each body to fill; every one has a volume.
        indices: Index in the model of each.
        held: Masses that the document states and that stay, by index in the model [kg].
        measured: (N,) masses of the bodies of the model that stay as they are; 0 of others [kg].
        centers: (N, 3) their centres of mass in their own frames [m].
        others: Pieces of measured bodies by index, which may be twins.
        teachers: Indices of those among them from whose densities those of others are learnt.
        prior: Densities that another model gives, by index [kg/m^3].
        prior_note: Which bodies it gives them to, in one line; "" without one.
        shapes: The pieces with their true volumes, which bound densities; those of a body that
            follows its twin are weighed in `pieces`. Empty where no body does.
    """

    model: Model
    pieces: tuple[BodyPieces, ...]
    indices: tuple[int, ...]
    held: Mapping[int, float]
    measured: Floats
    centers: Floats
    others: Mapping[int, BodyPieces]
    teachers: frozenset[int] = frozenset()
    prior: Mapping[int, float] = field(default_factory=dict)
    prior_note: str = ""
    shapes: tuple[BodyPieces, ...] = ()


def list_sums(unknowns: Unknowns, known: Knowledge) -> tuple[list[MassSum], list[CenterSum]]:
    """List the known sums of a model.

    Raises:
        ParameterError: A name that no body or several have; a body whose mass is given and that is
            measured; measured bodies with more than a sum.
    """
    place = {index: at for at, index in enumerate(unknowns.indices)}
    sums = _list_masses(unknowns, known, place)
    own = {at for each in sums for at in each.coefficients}
    if known.total_mass is not None:
        every = range(len(unknowns.model.bodies))
        mass, deviation = known.total_mass
        sums.append(_sum_of(unknowns, "a total mass", every, place, mass, deviation * mass))
    for name, mass in known.subtree_masses.items():
        (index,) = indices_of(unknowns.model, [name])
        carried = find_subtree(unknowns.model, index)
        sums.append(_sum_of(unknowns, f"what {name} carries", carried, place, mass, 0.0))
    sums += _list_twins(unknowns, known, place, own)
    centers = [] if known.center_of_mass is None else _list_centers(unknowns, known)
    return [each for each in sums if each.coefficients], centers


def _list_masses(unknowns: Unknowns, known: Knowledge, place: Mapping[int, int]) -> list[MassSum]:
    bodies = unknowns.model.bodies
    given = dict(
        zip(indices_of(unknowns.model, list(known.masses)), known.masses.values(), strict=True)
    )
    tentative = set(indices_of(unknowns.model, sorted(known.tentative)))
    given = {at: mass for at, mass in given.items() if at in place or at not in tentative}
    for index in given:
        if index not in place:
            raise ParameterError(
                f"the mass of {bodies[index].name} is given, and it is not filled: name it with "
                "--body if its numbers are to change, and see whether it has a shape"
            )
    held = {index: mass for index, mass in unknowns.held.items() if index not in given}
    return [
        MassSum(f"{mass:g} kg of {bodies[index].name}", {place[index]: 1.0}, mass)
        for index, mass in {**given, **held}.items()
    ]


def _sum_of(
    unknowns: Unknowns,
    what: str,
    bodies: Sequence[int],
    place: Mapping[int, int],
    mass: float,
    deviation: float,
) -> MassSum:
    """A sum over bodies of the model, less what the measured ones have.

    Raises:
        ParameterError: The measured ones have more.
    """
    measured = float(unknowns.measured[list(bodies)].sum())
    inside = {place[index]: 1.0 for index in bodies if index in place}
    if measured * (1 - tolerances.SUM_ROUNDING) > mass or (inside and not measured < mass):
        raise ParameterError(
            f"{what} of {mass:g} kg is given, and measured bodies have {measured:g} kg of it: "
            f"nothing is left for {len(inside)} bodies; correct the sum, or name a measured body "
            "with --body"
        )
    name = f"{what} of {mass:g} kg"
    if measured:
        name += f" ({measured:g} kg of it measured)"
    return MassSum(name, inside, mass - measured, deviation)


def find_subtree(model: Model, index: int) -> list[int]:
    """Indices of a body and of all that it carries."""
    children: dict[str, list[int]] = {}
    for at, body in enumerate(model.bodies):
        if body.parent is not None:
            children.setdefault(body.parent, []).append(at)
    found: list[int] = []
    waiting = [index]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.append(at)
            waiting += children.get(model.bodies[at].id, [])
    return found


def _list_twins(
    unknowns: Unknowns, known: Knowledge, place: Mapping[int, int], own: set[int]
) -> list[MassSum]:
    """Equations of twins; none for two bodies that have masses of their own."""
    bodies = unknowns.model.bodies
    pairs = []
    for one, other, *_ in known.pairs:
        first, second = indices_of(unknowns.model, [one, other])
        pairs.append((first, second, True))
    if known.twins:
        pairs += [(i, j, False) for i, j in find_twins([body.name for body in bodies])]
    sums = []
    for i, j, given in pairs:
        here, there = (i, j) if i in place else (j, i)
        if here not in place:
            continue
        name = f"one mass of {bodies[here].name} and {bodies[there].name}"
        if not (given or _are_equal(unknowns, place, here, there)):
            continue
        if there in place:
            if not {place[here], place[there]} <= own:
                coefficients = {place[here]: 1.0, place[there]: -1.0}
                sums.append(MassSum(name, coefficients, 0.0, assumed=not given))
        elif unknowns.measured[there] > 0 and place[here] not in own:
            mass = float(unknowns.measured[there])
            sums.append(MassSum(name, {place[here]: 1.0}, mass, assumed=not given))
    return sums


def _are_equal(unknowns: Unknowns, place: Mapping[int, int], here: int, there: int) -> bool:
    one = unknowns.pieces[place[here]]
    other = unknowns.pieces[place[there]] if there in place else unknowns.others.get(there)
    if other is None or one.guess != other.guess:
        return False
    return abs(one.volume - other.volume) <= EQUAL_SHAPES * max(one.volume, other.volume)


def _list_centers(unknowns: Unknowns, known: Knowledge) -> list[CenterSum]:
    """Equations of the centre of mass of the whole model.

    Raises:
        ParameterError: The bodies do not hang together, or a joint cannot be placed.
    """
    poses, roots = place_bodies(unknowns.model, known.positions)
    relevant = [*unknowns.indices, *np.flatnonzero(unknowns.measured > 0).tolist()]
    if len(set(roots[relevant].tolist())) > 1:
        raise ParameterError(
            "the centre of mass of a model is known of bodies that one root carries, and this "
            "model has several: give masses in its place"
        )
    c = np.array(known.center_of_mass, dtype=float)
    placed = np.einsum("nij,nj->ni", poses[:, :3, :3], unknowns.centers) + poses[:, :3, 3]
    mass = unknowns.measured
    first = mass @ np.where(mass[:, None] > 0, placed - c, 0.0)
    shown = ", ".join(f"{value:g}" for value in c)
    return [
        CenterSum(
            f"{'xyz'[axis]} of the centre of mass ({shown})",
            poses[list(unknowns.indices)],
            axis,
            c,
            -float(first[axis]),
        )
        for axis in range(3)
    ]
