"""The numbers of bodies beside their geometry: what agrees, and which other reading would.

One row is one role (visual, collision) of one body whose shapes could all be used; a role with open
meshes has two, its surface and its hull. All rows of a model are compared at once. A body is spoken
of where all its rows agree: two roles that contradict each other are no witness. One that fits
equally well both ways tells nothing: a box without products is silent about their signs.

The guilt of twins that differ: which of the two sides is wrong, by tests that are symmetric.

Every mistake on one side is undone by the numbers of the other, reflected, and every explanation
of one side has an inverse that explains the other as well. So the numbers of each are tried against
the shapes of both, and against other bodies of the model that are built alike.

Whether the added mass of a fluid leaves a body without inertia in some direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import exp, isfinite, log, log1p
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.checking.evidence.readings import Reading
from inertial_check.documents.model import Inertial, Judgement
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, LongIntegers, Mask
from inertial_check.inertia.tolerances import ILL_POSED_FLOOR

if TYPE_CHECKING:
    from inertial_check.checking.evidence.examination import BodyGeometry, Examination, Geometry


Flags = Mask
Indices = LongIntegers

OVERLAP = 1.02
"""Shapes whose volumes sum to more than that of the box about them overlap, rounding aside."""

DENSEST = 25_000.0
"""[kg/m^3] No body is denser: osmium has 22,600."""

UNHOLDABLE = 1000.0
"""Times the mass that the box about shapes can hold, from which these are placeholders; a mass in
grams read as kilograms exceeds it by 1,000 divided by the ratio of osmium to the link, some 25."""

PLAUSIBLE = (50.0, 12_000.0)
"""[kg/m^3] Densities of equivalent boxes of links, from a hollow cover to lead."""

HONEST_OFFSETS = (0.01, 0.06)
"""Distances of the centre of mass from the centroid of the shapes, in parts of their extent,
between which the misfit of honest bodies grows."""

HONEST_MISFITS = (0.03, 0.18)
"""Median misfit of honest bodies up to the first of HONEST_OFFSETS, and from the second on: shapes
whose centroid is elsewhere do not show where the mass is."""

OFFSET_OF_SIZE = 0.15
"""Offset of the centroid that counts as much as one e-fold of the size; chosen so that sizes that
agree within 10 % leave the shapes nearly as good as centres that agree within 1 %."""

SILENT = 1.1
"""Times that one of two readings fits a geometry better, up to which it cannot tell them apart;
boxes that stand in for a collision have no products, and are equally far from either sign."""

STAND_IN = 2.0
"""Factor on the misfit of honest bodies whose visual shapes are not there to be read; chosen, since
the collision shapes beside them are often cylinders about a link, with its size and not its
form."""


_FACTORS = 33
"""Number of sizes between those of the shapes and of the body as written that are tried."""


class LeftOut(NamedTuple):
    """A body beside each of its shapes, with the centre of mass that was perhaps left out.

    Attributes:
        p_BoBcm_B: (r, 3) centres of mass [m].
        C_BBcm_B: (r, 3, 3) spreads about them [m^2].
        rest: (r,) discrepancies that they leave; inf where the body states a centre, or no such
            place is near the middle of its shapes.
    """

    p_BoBcm_B: Floats
    C_BBcm_B: Floats
    rest: Floats


class Likeness:
    """The bodies of a model beside their geometries.

    Attributes:
        assembly: The bodies.
        rows: The geometries that can be trusted, of bodies that state numbers; at the end the hulls
            of those with open meshes.
        body: (R,) whose each of them is.
        known: (N,) which bodies have a geometry to compare with.
        C_GGcm_B: (R, 3, 3) spreads of the geometries, in the bodies' axes [m^2].
        form: (R, 3, 3) spreads of the geometries over their traces.
        size: (R,) root mean square distances of the geometries from their centres [m].
        lower: (R, 3) corner of the box about the shapes, along the body's axes, with the least
            coordinates [m].
        edges: (R, 3) edges of this box [m].
        extent: (R,) diagonal of that box [m].
        box: (R,) volumes of the boxes about the shapes [m^3].
        C_BBcm_B: (R, 3, 3) spreads of the bodies [m^2].
        offset: (R,) distance of the centre of mass from the shapes' centroid, in parts of the
            extent.
        honest_misfit: (R,) misfit that a body may have whose centre lies so far from that of its
            shapes.
        size_ratio: (R,) how many times as large the body is as its geometry.
        misfit: (R,) of shape and axes together.
        discrepancy: (R,) of size, shape and axes together.
    """

    def __init__(self, assembly: Assembly, geometry: Geometry) -> None:
        """Choose the rows.

        Args:
            assembly: The bodies.
            geometry: Their shapes.
        """
        self.assembly = assembly
        self.geometry = geometry
        stated, densities = assembly.stated.tolist(), assembly.density.tolist()
        masses, sizes = assembly.mass.tolist(), assembly.size.tolist()
        chosen = [
            (index, shapes)
            for index, roles in enumerate(geometry.bodies)
            if stated[index]
            for shapes in roles
            if is_whole(shapes)
            and not _is_stand_in(shapes, masses[index], densities[index], sizes[index])
        ]
        hulls = [
            (index, shapes._replace(p_BoGcm_B=shapes.hull[0], C_GGcm_B=shapes.hull[1]))
            for index, shapes in chosen
            if shapes.hull is not None
        ]
        self.rows: tuple[BodyGeometry, ...] = tuple(shapes for _, shapes in chosen + hulls)
        self.body: Indices = np.array([index for index, _ in chosen + hulls], dtype=np.int64)
        self._first = len(chosen)
        self._places: dict[int, list[int]] = {}
        self._left_out: dict[int, LeftOut] = {}
        for place, index in enumerate(self.body.tolist()):
            self._places.setdefault(index, []).append(place)
        self.known: Flags = np.zeros(len(assembly.judgements), dtype=bool)
        self.known[self.body] = True
        six = np.array([row.C_GGcm_B for row in self.rows]).reshape(-1, 6)
        self.C_GGcm_B = resemblance.matrices(six)
        self.form = resemblance.form(self.C_GGcm_B)
        self.size = resemblance.size(self.C_GGcm_B)
        self.lower: Floats = np.array([row.lower for row in self.rows]).reshape(-1, 3)
        self.edges: Floats = np.array([row.upper for row in self.rows]).reshape(-1, 3) - self.lower
        self.extent = resemblance.norm(self.edges)
        self.box: Floats = np.prod(self.edges, axis=1)
        self.C_BBcm_B: Floats = assembly.C_BBcm_B[self.body]
        centers = np.array([row.p_BoGcm_B for row in self.rows]).reshape(-1, 3)
        with np.errstate(all="ignore"):
            apart = resemblance.norm(assembly.p_BoBcm_B[self.body] - centers)
            self.offset: Floats = apart / self.extent
        self.honest_misfit = _find_honest_misfit(self.offset)
        self.size_ratio = resemblance.size_ratio(self.C_BBcm_B, self.C_GGcm_B)
        self.misfit = resemblance.misfit(self.C_BBcm_B, self.C_GGcm_B)
        with np.errstate(all="ignore"):
            self.discrepancy: Floats = np.hypot(np.log(self.size_ratio), self.misfit)

    def places_of(self, index: int) -> Sequence[int]:
        """Indices of the rows of a body."""
        return self._places.get(index, ())

    def measure_offsets(self, p_BoBcm_B: Floats) -> Floats:
        """(N,) distances of places from the nearest centre of shapes, in extents; NaN without."""
        offsets = np.full(len(p_BoBcm_B), np.nan)
        centers = np.array([each.p_BoGcm_B for each in self.rows]).reshape(-1, 3)
        away = resemblance.norm(p_BoBcm_B[self.body] - centers)
        order = np.argsort(-away, kind="stable")  # the nearest of a body is written last
        with np.errstate(all="ignore"):
            offsets[self.body[order]] = (away / self.extent)[order]
        return offsets

    @cached_property
    def partial(self) -> Flags:
        """(R,) whether the body has shapes of the other role that could not be used.

        A collision shape whose visual mesh is missing may stand for the body loosely.
        """
        bodies = self.assembly.model.bodies
        usable: dict[int, set[str]] = {}
        for row, index in zip(self.rows, self.body.tolist(), strict=True):
            usable.setdefault(index, set()).add(row.role)
        unseen = {
            index: any(shape.role not in roles for shape in bodies[index].shapes)
            for index, roles in usable.items()
        }
        return np.array([unseen[index] for index in self.body.tolist()], dtype=bool)

    @cached_property
    def unseen(self) -> Flags:
        """(R,) whether the body has visual shapes, and some of them could not be used."""
        seen = set(self.body[[row.role == "visual" for row in self.rows]].tolist())
        bodies = self.assembly.model.bodies
        drawn = {
            index: any(shape.role == "visual" for shape in bodies[index].shapes)
            for index in set(self.body.tolist())
        }
        return np.array(
            [drawn[index] and index not in seen for index in self.body.tolist()], dtype=bool
        )

    @cached_property
    def honest_misfit_of_form(self) -> Floats:
        """(R,) the same, as far as sizes that disagree and unseen shapes raise it."""
        with np.errstate(all="ignore"):
            unlike = OFFSET_OF_SIZE * np.log(self.size_ratio)
        misfit = _find_honest_misfit(np.hypot(self.offset, unlike))
        return misfit * np.where(self.unseen, STAND_IN, 1.0)

    @cached_property
    def fitting(self) -> Flags:
        """(N,) bodies whose own shapes have the size, form and place that the numbers state.

        Where several bodies share numbers, these are the body that the numbers belong to.
        """
        with np.errstate(all="ignore"):
            sized = np.abs(np.log(self.size_ratio)) <= np.log(limits.FITTING_SIZE)
        formed = self.misfit <= limits.FITTING_FORM
        return self.all_of(sized & formed & (self.offset <= limits.FITTING_PLACE))

    def find_left_out(self, index: int) -> LeftOut:
        """Centres of mass that a body without one has, if its tensor is about the origin.

        Less c c^T, the spread about the origin has to be that of the shapes, times a factor: c lies
        along the longest axis of what is too much. Of all factors the one counts that leaves the
        best form: sizes of honest bodies differ more.
        """
        if index not in self._left_out:
            rows = [*self.places_of(index)]
            ratios = self.size_ratio[rows]
            center, rest = np.full((len(rows), 3), np.nan), np.full(len(rows), np.inf)
            C_left = self.C_BBcm_B[rows]
            able = np.isfinite(ratios) & ~np.any(self.assembly.p_BoBcm_B[index])
            for at in np.flatnonzero(able).tolist():
                row, C_BBo_B = rows[at], C_left[at].copy()
                ratio = np.clip(ratios[at], 1 / limits.ODD_SIZE, limits.ODD_SIZE)
                factors = np.geomspace(1.0, ratio, _FACTORS)[:, None, None] ** 2
                C_G, middle = self.C_GGcm_B[row], np.array(self.rows[row].p_BoGcm_B)
                beyond, axes = np.linalg.eigh(C_BBo_B - factors * C_G)
                places = axes[:, :, 2] * np.sqrt(np.maximum(beyond[:, 2:], 0.0))
                places *= np.where(places @ middle < 0, -1.0, 1.0)[:, None]
                left = C_BBo_B - places[:, :, None] * places[:, None, :]
                away = resemblance.norm(places - middle) / self.extent[row]
                sound = (np.linalg.eigvalsh(left)[:, 0] > 0) & (away <= limits.INSIDE)
                best = int(np.argmin(np.where(sound, resemblance.misfit(left, C_G), np.inf)))
                if sound[best]:
                    center[at], C_left[at] = places[best], left[best]
                    rest[at] = resemblance.discrepancy(left[best], C_G)
            self._left_out[index] = LeftOut(center, C_left, rest)
        return self._left_out[index]

    @cached_property
    def sizes(self) -> Floats:
        """(N, 2) sizes of the visual and the collision geometry of each body [m]; NaN without."""
        sizes = np.full((len(self.assembly.judgements), 2), np.nan)
        first = slice(self._first)
        columns = [("visual", "collision").index(row.role) for row in self.rows[first]]
        sizes[self.body[first], columns] = resemblance.size(self.C_GGcm_B[first])
        return sizes

    @cached_property
    def excess(self) -> Floats:
        """(R,) how far the centre of mass is outside, in parts of the extent.

        Outside the hull of the shapes and the body's joints: what joins them is part of the body,
        drawn or not.
        """
        beyond = np.zeros(len(self.rows))
        alike: dict[int, list[int]] = {}  # the directions of support are mostly the same for all
        for i, row in enumerate(self.rows):
            alike.setdefault(id(row.directions), []).append(i)
        for places in alike.values():
            axes = np.array(self.rows[places[0]].directions)
            support = np.array([self.rows[i].support for i in places])
            points = self.assembly.p_BoBcm_B[self.body[places]]
            beyond[places] = resemblance.excess(points, axes, support, self.extent[places])
        for i in np.flatnonzero(beyond > 0).tolist():
            row, index = self.rows[i], int(self.body[i])
            axes, support = np.array(row.directions), np.array(row.support)
            reach = self.assembly.joints[index] @ axes.T
            support = np.maximum(support, np.max(reach, axis=0, initial=-np.inf))
            point = self.assembly.p_BoBcm_B[index]
            beyond[i] = resemblance.excess(point, axes, support, self.extent[i])
        return beyond

    @cached_property
    def density(self) -> Floats:
        """(R, 2) bounds of the mean density [kg/m^3]: over the box about the shapes, over them.

        NaN where the volume is not known: surfaces, shapes that overlap, remarks.
        """
        mass = self.assembly.mass[self.body]
        with np.errstate(all="ignore"):
            box = self.box
            inside = np.array([row.volume for row in self.rows]).reshape(-1)
            doubtful = np.array([bool(row.remarks) for row in self.rows], dtype=bool)
            inside = np.where(doubtful | (inside > OVERLAP * box), np.nan, inside)
            density: Floats = np.stack([mass / box, mass / inside], axis=-1)
            return density

    def any_of(self, rows: Flags) -> Flags:
        """(N,) bodies of which a row is flagged."""
        found = np.zeros(len(self.assembly.judgements), dtype=bool)
        found[self.body[rows]] = True
        return found

    def all_of(self, rows: Flags) -> Flags:
        """(N,) bodies that have a geometry, and of which every row is flagged."""
        against = np.zeros(len(self.assembly.judgements), dtype=bool)
        against[self.body[~rows]] = True
        return self.known & ~against


def _find_honest_misfit(offset: Floats) -> Floats:
    """(R,) the misfit of honest bodies at an offset; that of the farthest where none is known."""
    known = np.where(np.isnan(offset), np.inf, offset)
    misfit: Floats = np.interp(known, HONEST_OFFSETS, HONEST_MISFITS)
    return misfit


def _is_stand_in(shapes: BodyGeometry, mass: float, density: float, size: float) -> bool:
    """Whether the shapes are too small for the mass, while the numbers fit each other.

    A link without shape of its own is given a tiny ball, for engines that ask for one. One that
    is a thousand times too small for its mass, and of another size than its tensor says, a box of a
    millimetre on a link of kilograms, stands for nothing, whatever the numbers are.

    Args:
        shapes: The geometry of a body.
        mass: Mass of the body [kg].
        density: Density of its equivalent box [kg/m^3].
        size: Root mean square distance of its mass from its centre [m].
    """
    low, high = PLAUSIBLE
    x, y, z = (up - down for up, down in zip(shapes.upper, shapes.lower, strict=True))
    held = DENSEST * (x * y * z)  # the mass that they can hold [kg]
    if low < density < high:
        return mass > held
    return mass > UNHOLDABLE * held and size > limits.ODD_SIZE * max(x, y, z)


def is_whole(shapes: BodyGeometry) -> bool:
    """Whether all shapes of the role were used, and take up space."""
    if shapes.skipped or not all(map(isfinite, (*shapes.C_GGcm_B, *shapes.lower, *shapes.upper))):
        return False
    return sum(shapes.C_GGcm_B[i] for i in (0, 3, 5)) > 0


def find_guilt(examination: Examination, index: int) -> float:
    """Probability that a body is the wrong one of two twins of which one is.

    Args:
        examination: The model.
        index: Of a body with a twin that states numbers.
    """
    assembly = examination.assembly
    row = assembly.twin_row(index)
    if row is None:
        return 0.5
    twin = int(np.sum(assembly.twin_pairs.bodies[row]) - index)
    score = log(limits.SIBLINGS) * (
        _has_sibling(examination, twin, index) - _has_sibling(examination, index, twin)
    )
    if assembly.twin_pairs.known[row]:
        score += _contradict(examination, index, twin) - _contradict(examination, twin, index)
    return 1 / (1 + exp(-float(np.clip(score, -limits.MOST_GUILT, limits.MOST_GUILT))))


def _contradict(examination: Examination, index: int, twin: int) -> float:
    """Logarithm of how much better the twin's numbers, reflected, fit a body's shapes than its own.

    What both have in common, as motors that no shape shows, is no matter of the sides; and where
    the shapes stand for the mass badly, their form counts for less.
    """
    assembly, likeness = examination.assembly, examination.likeness
    X_BT = assembly.twin_map(index)
    centers = np.array(
        [assembly.p_BoBcm_B[index], X_BT[:3, :3] @ assembly.p_BoBcm_B[twin] + X_BT[:3, 3]]
    )
    spreads = np.array(
        [assembly.C_BBcm_B[index], resemblance.rotate(X_BT[:3, :3], assembly.C_BBcm_B[twin])]
    )
    found = []
    for row in likeness.places_of(index):
        middle = np.array(likeness.rows[row].p_BoGcm_B)
        away = resemblance.norm(centers - middle) / likeness.size[row]
        unlike = resemblance.discrepancy(spreads, likeness.C_GGcm_B[row])
        width = 2 * float(likeness.honest_misfit_of_form[row])
        squares = (away / limits.GUILT_WIDTH) ** 2
        squares = squares + unlike**2 / (limits.GUILT_WIDTH**2 + width**2)
        own, other = squares.tolist()
        found.append(1.5 * (log1p(max(own - other, 0) / 2) - log1p(max(other - own, 0) / 2)))
    return min(found, key=abs, default=0.0)


def _has_sibling(examination: Examination, index: int, twin: int) -> bool:
    """Whether a third body is one of the kind of a body: its shapes, mass and moments.

    It also has to lie to its own shapes as the body does.
    """
    assembly, likeness = examination.assembly, examination.likeness
    looks = [
        sorted((s.role, s.kind, s.dimensions, s.uri or "") for s in body.shapes)
        for body in examination.model.bodies
    ]
    same = np.abs(assembly.mass - assembly.mass[index]) <= (
        tolerances.SAME_READING * assembly.mass[index]
    )
    off = np.max(np.abs(assembly.moments - assembly.moments[index]), axis=1)
    same &= assembly.stated & (off <= tolerances.SAME_READING * assembly.moments[index, 2])
    same[[index, twin]] = False
    if not looks[index]:
        return False
    own = [(likeness.offset[row], likeness.misfit[row]) for row in likeness.places_of(index)]
    for other in np.flatnonzero(same).tolist():
        theirs = [(likeness.offset[row], likeness.misfit[row]) for row in likeness.places_of(other)]
        if looks[other] == looks[index] and len(own) == len(theirs):
            apart = np.abs(np.array(own) - np.array(theirs))
            if np.max(apart, initial=0.0) <= limits.SHAPE_FIT:
                return True
    return False


class Better(NamedTuple):
    """A reading that fits better than what is written.

    Attributes:
        reading: What it is.
        gain: How many times better it fits, at least, over the geometries that can tell.
        rest: Discrepancy that it leaves from them, at most.
        nearest: Discrepancy that it leaves from them, at least.
        drops: (G,) by how much the discrepancy from each geometry drops; NaN where one cannot tell.
    """

    reading: Reading
    gain: float
    rest: float
    nearest: float
    drops: Floats


def best_reading(
    candidates: Sequence[Reading], written: Floats, C_GGcm_B: Sequence[Floats], floor: float
) -> Better | None:
    """The reading that fits all geometries of a body best.

    Turns and signs leave the size alone and are compared by shape and axes, so that a hollow body
    is no hindrance; a shift of the point changes the size and is compared by all three.

    Args:
        candidates: Readings.
        written: (3, 3) spread as written, body axes [m^2].
        C_GGcm_B: Spreads of the geometries, body axes [m^2].
        floor: Distance below which two fits are equally good.

    Returns:
        The reading with the greatest gain over what is written; None without candidates.
    """
    if not candidates:
        return None
    meant, shapes = np.array([each.C_BBcm_B for each in candidates]), np.array(C_GGcm_B)
    shifted = np.array([each.cause == "about-link-origin" for each in candidates])[:, None]
    pairs = meant[:, None], shapes
    after = np.where(shifted, resemblance.discrepancy(*pairs), resemblance.misfit(*pairs))
    before = np.where(
        shifted, resemblance.discrepancy(written, shapes), resemblance.misfit(written, shapes)
    )
    gains = np.maximum(before, floor) / np.maximum(after, floor)
    # (K, R) geometries of one body that tell a reading from the numbers as written.
    log_gains = np.log(gains)
    telling: Flags = np.abs(log_gains) > np.log(SILENT)
    telling |= ~np.any(telling, axis=1, keepdims=True)
    least = np.min(gains, axis=1, where=telling, initial=np.inf)
    best = int(np.argmax(least))
    rests, tell = after[best], telling[best]
    drops = np.where(tell, np.broadcast_to(before, after.shape)[best] - rests, np.nan)
    nearest, rest = float(np.min(rests[tell])), float(np.max(rests[tell]))
    return Better(candidates[best], float(least[best]), rest, nearest, drops)


Margins = dict[str, float]
"""Margins of a body with its added mass, by the names of the attributes of AddedMassJudgement."""


def read_added_mass(inertial: Inertial) -> list[list[float]]:
    """The added mass of an inertial as a 6x6 matrix of numbers."""
    return [[number.value for number in row] for row in inertial.fluid_added_mass]


def has_known_numbers(judgement: Judgement, added: list[list[float]]) -> bool:
    """Whether all numbers of a body and of its added mass are finite."""
    numbers = judgement.ten
    return bool(np.isfinite(numbers).all() and np.isfinite(added).all())


def measure_added_mass(
    judgements: list[Judgement], added: list[list[list[float]]]
) -> list[Margins]:
    """Judgements of judge_added_mass for each body, all judged together."""
    from inertial_check.inertia.parameters import InertialParameters
    from inertial_check.mechanics.added_mass import judge_added_mass

    mass, com, inertia = (
        np.array([getattr(judgement, name) for judgement in judgements])
        for name in ("mass", "p_BoBcm_B", "I_BBcm_B")
    )
    rigid = InertialParameters.from_com(mass, com, inertia)
    judged = judge_added_mass(rigid, np.array(added), order="linear-angular")
    names = ("margin", "added_margin", "rigid_margin", "tolerance")
    columns = [getattr(judged, name).tolist() for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def is_to_blame(margins: Margins) -> bool:
    """Whether the sum is not positive definite, and would be better without the added mass."""
    together, alone, floor = (margins[name] for name in ("margin", "rigid_margin", "tolerance"))
    if floor > ILL_POSED_FLOOR:
        return False
    return alone >= -floor if together < -floor else together <= floor < alone
