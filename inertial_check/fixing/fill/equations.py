"""The equations of what is known, over the masses of the bodies to fill, and over their cells.

`fill` deviates as little from nominal densities as the known sums allow: those that are stated, or
learnt from what is known of the model. Sums that are known within a deviation move within it where
they cannot all be met as they are stated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.checking.evidence.twins import find_twins
from inertial_check.checking.shapes.priors import indices_of
from inertial_check.documents.model import Judgement, Model
from inertial_check.errors import ParameterError
from inertial_check.fixing.fill.densities import (
    GUESS_SPREAD,
    LITRE,
    OWN_SPREAD,
    STATED_SPREAD,
    DensityProblem,
    LogSum,
    Sized,
    estimate_masses,
    find_common_density,
)
from inertial_check.fixing.fill.knowledge import WATER, Knowledge
from inertial_check.fixing.fill.overlaps import place_bodies
from inertial_check.fixing.fill.shapes import BodyPieces
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.inertia.parameters import InertialParameters

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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
        plain: Whether all shapes are primitives, which do not tell a motor from a cover.
        drawn: Volumes of what is drawn by index, from which masses are estimated, also where
            collision shapes tell the moments [m^3].
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
    plain: bool = False
    drawn: Mapping[int, float] = field(default_factory=dict)


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


class Cells(NamedTuple):
    """The problem of some bodies, and which cells are whose.

    Attributes:
        problem: The problem.
        moments: (n, 10) inertial parameters of the cells with density 1, in their bodies.
        body: (n,) place of the body of each cell among those to fill.
    """

    problem: DensityProblem
    moments: Floats
    body: Integers


def build_problem(
    unknowns: Unknowns,
    known: Knowledge,
    sums: Sequence[MassSum],
    centers: Sequence[CenterSum],
    nominal: Floats,
) -> Cells:
    """State the problem in cells: whole pieces where only masses are known, else points.

    Args:
        unknowns: The bodies.
        known: Bounds and the measure of deviation.
        sums: Known sums of masses.
        centers: Known first moments.
        nominal: Nominal density of each body [kg/m^3].
    """
    whole = not centers  # the densities of all cells of a piece are then equal
    volumes, moments, points, body = [], [], [], []
    for at, own in enumerate(unknowns.pieces):
        for piece in own.pieces:
            if whole:
                volumes.append(np.array([piece.volume]))
                moments.append(piece.moments.sum(axis=0)[None])
                points.append(piece.volumes[None] @ piece.points / piece.volume)
            else:
                volumes.append(piece.volumes)
                moments.append(piece.moments)
                points.append(piece.points)
            body.append(np.full(len(volumes[-1]), at))
    v, cell_body = np.concatenate(volumes), np.concatenate(body)
    low, high = known.density_range
    rho0 = nominal[cell_body]
    rows, wanted, names = _build_rows(sums, centers, cell_body, np.concatenate(points))
    problem = DensityProblem(
        v, rho0, np.full(len(v), low), np.full(len(v), high), rows, wanted, names, known.divergence
    )
    return Cells(problem, np.concatenate(moments), cell_body)


def _build_rows(
    sums: Sequence[MassSum], centers: Sequence[CenterSum], body: Integers, points: Floats
) -> tuple[csr_array, Floats, tuple[str, ...]]:
    from scipy.sparse import csr_array, vstack

    count = int(body[-1]) + 1
    entries = [
        (row, at, value) for row, each in enumerate(sums) for at, value in each.coefficients.items()
    ]
    places = np.array([entry[:2] for entry in entries], dtype=np.intp).reshape(-1, 2).T
    values = np.array([entry[2] for entry in entries], dtype=float)
    coefficients = csr_array((values, tuple(places)), (len(sums), count))
    membership = csr_array((np.ones(len(body)), (body, np.arange(len(body)))), (count, len(body)))
    parts = [csr_array(coefficients @ membership)]
    wanted = [each.wanted for each in sums]
    if centers:
        poses = centers[0].poses[body]
        placed = np.einsum("nij,nj->ni", poses[:, :3, :3], points) + poses[:, :3, 3]
        arms = placed - centers[0].center
        reach = float(np.max(np.abs(arms)))  # a row has coefficients of the order of 1
        for one in centers:
            parts.append(csr_array(arms[None, :, one.axis] / reach))
            wanted.append(one.wanted / reach)
    names = (*(each.name for each in sums), *(one.name for one in centers))
    return csr_array(vstack(parts)), np.array(wanted), names


TAUGHT_DENSITIES = (100.0, 12000.0)
"""Least and largest mean density from which others are learnt [kg/m^3]: from foam to lead; other
numbers stand for more or less than the shapes that are there."""

TAUGHT_MISFIT = 0.5
"""Largest relative difference of the tensors per mass of a measured body and of its shapes at which
the density of its shapes is taken as known."""


def fits_shapes(judgement: Judgement, own: BodyPieces) -> bool:
    """Whether the numbers of a measured body stand for the shapes that are there."""
    if not own.pieces or own.guess or judgement.verdict != "consistent":
        return False
    least, most = TAUGHT_DENSITIES
    points = np.concatenate([piece.points for piece in own.pieces])
    center = np.array(judgement.p_BoBcm_B)
    within = bool(np.all((points.min(axis=0) <= center) & (center <= points.max(axis=0))))
    dense = least <= judgement.mass / own.volume <= most
    return within and dense and compare_shapes(read_judgement(judgement), own)[1] <= TAUGHT_MISFIT


def read_judgement(judgement: Judgement) -> InertialParameters:
    """The numbers of a judged body."""
    return InertialParameters.from_com(judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_B)


def compare_shapes(stated: InertialParameters, own: BodyPieces) -> tuple[float, float]:
    """How far centre [radii of gyration] and tensor [per mass] are from those of the shapes."""
    unit = InertialParameters.from_theta(own.unit)
    one, other = stated.inertia_com / stated.mass, unit.inertia_com / unit.mass
    apart = np.linalg.norm(stated.com - unit.com) / np.sqrt(np.trace(other) / 2)
    return float(apart), float(np.linalg.norm(one - other) / np.linalg.norm(other))


def find_nominal(
    unknowns: Unknowns, known: Knowledge, sums: Sequence[MassSum]
) -> tuple[Floats, str]:
    """Find the nominal density of each body to fill, and say where it comes from.

    It is that of the pattern that matches, that of the prior model, or the given one. Where nothing
    states it, it is the one that most known bodies have; else the most probable one of a link of
    its size, given the densities of measured bodies and the known sums. Where all shapes are
    primitives and no density is known, it is that of water for all.

    Args:
        unknowns: The bodies.
        known: What is known.
        sums: Known sums of masses.

    Returns:
        (n,) densities [kg/m^3], and the source for those that nothing states.
    """
    # (n,) densities that a pattern, another model or the user states; NaN where none does.
    found = []
    for index, own in zip(unknowns.indices, unknowns.pieces, strict=True):
        link = next((k.density for k in known.links if fnmatchcase(own.body.name, k.pattern)), None)
        choices = (link, unknowns.prior.get(index), known.density)
        found.append(next((each for each in choices if each is not None), np.nan))
    stated = np.array(found, dtype=float)
    teachers = sorted(unknowns.teachers)
    usual = "that of robot links of their size"
    if teachers:
        usual += (
            f", given those of {len(teachers)} measured bod{'y' if len(teachers) == 1 else 'ies'}"
        )
    if not np.any(np.isnan(stated)):
        return stated, usual
    taught = [unknowns.others[index] for index in teachers]
    drawn = [unknowns.drawn.get(index, unknowns.others[index].volume) for index in teachers]
    measured = _size(unknowns, taught, np.array(drawn), np.full(len(taught), np.nan))
    densities = unknowns.measured[teachers] / measured.volumes
    positive = [
        LogSum(tuple(each.coefficients), each.wanted)
        for each in sums
        if each.wanted > 0 and all(value == 1 for value in each.coefficients.values())
    ]
    given = [(each.bodies[0], each.mass) for each in positive if len(each.bodies) == 1]
    whole = np.array([own.volume for own in unknowns.pieces])
    volumes = np.array(
        [unknowns.drawn.get(at, v) for at, v in zip(unknowns.indices, whole, strict=True)]
    )
    volumes = np.where(np.isnan(stated), volumes, whole)
    seen = np.array([*densities, *(mass / volumes[at] for at, mass in given)])
    if unknowns.plain and not len(seen):
        return np.where(np.isnan(stated), WATER, stated), usual
    if (common := find_common_density(seen)) is not None:
        stated = np.where(np.isnan(stated), common, stated)
        usual = f"{common:.4g} kg/m^3, which most known bodies have"
    sized = _size(unknowns, list(unknowns.pieces), volumes, stated)
    pairs = [each for each in sums if each.wanted == 0 and len(each.coefficients) == 2]
    equal = [(one, other) for one, other in (each.coefficients for each in pairs)]
    masses = estimate_masses(sized, measured, densities, positive, equal)
    return np.clip(masses / whole, *known.density_range), usual


def _size(
    unknowns: Unknowns, pieces: Sequence[BodyPieces], volumes: Floats, stated: Floats
) -> Sized:
    """The bodies as far as their likely density depends on them."""
    carriers = {body.parent for body in unknowns.model.bodies if body.moved}
    spreads = np.array([GUESS_SPREAD if own.guess else OWN_SPREAD for own in pieces])
    told = float(not unknowns.plain)
    return Sized(
        volumes,
        told * np.log(volumes / LITRE),
        np.array([told * (own.body.id in carriers) for own in pieces]),
        np.where(np.isnan(stated), spreads, STATED_SPREAD),
        stated,
    )


def list_coefficients(sums: Sequence[MassSum], bodies: int) -> Floats:
    """List the coefficients (k, n) of sums over the masses of bodies."""
    A = np.zeros((len(sums), bodies))
    for row, each in enumerate(sums):
        A[row, list(each.coefficients)] = list(each.coefficients.values())
    return A


def use_deviations(sums: Sequence[MassSum], low: Floats, high: Floats) -> list[MassSum] | None:
    """Move sums within their deviations as little as masses between bounds need.

    Args:
        sums: The sums; those without a deviation stay.
        low: (n,) least masses of the bodies [kg].
        high: (n,) largest masses [kg].

    Returns:
        The sums with what they are moved to; None where no deviations are enough, or none is there.
    """
    from scipy.optimize import linprog

    if not any(each.deviation > 0 for each in sums):
        return None
    n, k = len(low), len(sums)
    A = np.concatenate([list_coefficients(sums, n), -np.eye(k), np.eye(k)], axis=1)
    wanted = np.array([each.wanted for each in sums])
    deviation = np.array([each.deviation for each in sums])
    unit = max(float(np.max(np.abs(wanted))), float(np.finfo(float).tiny))
    bounds = np.stack(
        [np.concatenate([low, np.zeros(2 * k)]), np.concatenate([high, deviation, deviation])],
        axis=1,
    )
    costs = np.concatenate([np.zeros(n), np.ones(2 * k)])
    answer = linprog(costs, A_eq=A, b_eq=wanted / unit, bounds=bounds / unit, method="highs")
    if answer.status != 0:
        return None
    moved = answer.x[n : n + k] - answer.x[n + k :]
    moved = unit * np.where(np.abs(moved) > tolerances.SUM_ROUNDING, moved, 0.0)
    return [
        each._replace(wanted=each.wanted + float(move))
        for each, move in zip(sums, moved, strict=True)
    ]
