"""The examination that rules and causes look at: a model, its judgements and the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.checking.evidence.likeness import Likeness
from inertial_check.checking.evidence.votes import Votes
from inertial_check.checking.report import Prediction
from inertial_check.documents.model import Body, Judgement, Model, Problem, Role
from inertial_check.documents.poses import Vector

if TYPE_CHECKING:
    from inertial_check.checking.evidence.elsewhere import Copy, Elsewhere
    from inertial_check.checking.evidence.readings import Misreading
    from inertial_check.checking.expected import Expected


Three = tuple[float, float, float]
Six = tuple[float, float, float, float, float, float]
Predictions = Mapping[str, Prediction]


class BodyGeometry(NamedTuple):
    """What the shapes of one role say of a body, as if one density filled them.

    Attributes:
        role: Whose shapes they are: "visual" or "collision".
        volume: Inside them [m^3]; where shapes overlap it counts twice. NaN where they have none.
        p_BoGcm_B: Centre of that volume in the body frame [m]; of the surface where volume is NaN.
        C_GGcm_B: Second moment about that centre per unit of mass [m^2], xx xy xz yy yz zz: the
            covariance of the volume, or of the surface where volume is NaN.
        lower: Least coordinates of the shapes in the body frame [m].
        upper: Greatest coordinates [m].
        support: For each of `directions` d, the greatest d . p over all points p of the shapes [m].
        directions: Unit vectors in the body frame to which `support` belongs.
        meshes: How many of the shapes are meshes.
        skipped: How many shapes of this role could not be used.
        remarks: One line for each shape that was skipped, or not taken for what it says.
        hull: Centre in the body frame [m], and covariance about it [m^2], of the convex hull of
            the shapes; None where `volume` is known, so that nobody needs a second opinion.
    """

    role: Role
    volume: float
    p_BoGcm_B: Three
    C_GGcm_B: Six
    lower: Three
    upper: Three
    support: tuple[float, ...]
    directions: tuple[Three, ...]
    meshes: int = 0
    skipped: int = 0
    remarks: tuple[str, ...] = ()
    hull: tuple[Three, Six] | None = None


Fault = Literal["unreadable", "empty", "inward", "open", "flat", "crossing"]
"""Reason why a mesh shows no volume as it stands: it cannot be read; it covers nothing; its
triangles face inwards; it has holes; it lies in a plane, or is a sheet with two sides; it runs
through itself, so that parts count as negative."""


class MeshFault(NamedTuple):
    """A mesh that was found, and is no evidence of a volume as it stands.

    Attributes:
        uri: The file, as the document names it.
        body: Index of the first body that names it.
        fault: What is wrong with it.
        reason: One line: what was seen, and what it was taken for instead.
    """

    uri: str
    body: int
    fault: Fault
    reason: str


class Geometry(NamedTuple):
    """What was read of the shapes of all bodies.

    Attributes:
        bodies: For each body of the model, one BodyGeometry a role that has a usable shape,
            "visual" before "collision"; empty where there is none.
        missing: The files that were not found, as the document names them, each with the index of
            the first body that names it and the reason.
        notes: What was left out besides, one line each: a missing extra, a file too large.
        found: How many of the files that the document names were found.
        faults: The meshes that were found and show no volume as they stand.
    """

    bodies: Sequence[tuple[BodyGeometry, ...]]
    missing: tuple[tuple[str, int, str], ...] = ()
    notes: tuple[str, ...] = ()
    found: int = 0
    faults: tuple[MeshFault, ...] = ()


@dataclass(frozen=True)
class Examination:
    """One model under examination.

    Attributes:
        model: As read.
        judgements: One a body, in the model's order.
        read_geometry: Reads the shapes; None where geometry is off.
        predict: Foretells what engines do with each body.
        read_elsewhere: Finds what other texts say of a body; None where none is asked.
        engines: The engines that this run is gated on.
        expected_mass: Total mass [kg] and the relative deviation that is allowed; None if not told.
        expected: Expected numbers of bodies.
        strictness: "default" keeps sound models quiet; "strict" wants to hear every doubt.
        before: An examination of the same model with other numbers, whose evidence holds where
            they do not matter; None for the first one.
    """

    model: Model
    judgements: Sequence[Judgement]
    read_geometry: Callable[[], Geometry] | None = field(default=None, repr=False)
    predict: Callable[[], Sequence[Predictions]] | None = field(default=None, repr=False)
    read_elsewhere: Callable[[], Elsewhere] | None = field(default=None, repr=False)
    engines: tuple[str, ...] = ()
    expected_mass: tuple[float, float] | None = None
    expected: tuple[Expected, ...] = ()
    strictness: Literal["default", "strict"] = "default"
    before: Examination | None = field(default=None, repr=False)

    @cached_property
    def changed_bodies(self) -> frozenset[int]:
        """Indices of bodies that have other numbers than before; of all without an earlier one.

        Their forms alone are compared with their shapes.
        """
        old = {} if self.before is None else dict(enumerate(self.before.judgements))
        return frozenset(at for at, own in enumerate(self.judgements) if own != old.get(at))

    @cached_property
    def geometry(self) -> Geometry:
        """The geometry of every body; of none where geometry is off. Read when first asked for."""
        if self.before is not None:
            return self.before.geometry
        if self.read_geometry is None:
            return Geometry(((),) * len(self.model.bodies))
        return self.read_geometry()

    @cached_property
    def problems(self) -> Mapping[str, Sequence[tuple[Body | None, Problem]]]:
        """Problems of the reader by their kinds: of the document, then of its bodies.

        Each has its body beside it; None for a problem of the document.
        """
        found: dict[str, list[tuple[Body | None, Problem]]] = {}
        for problem in self.model.problems:
            found.setdefault(problem.kind, []).append((None, problem))
        for body in self.model.bodies:
            for problem in body.problems:
                found.setdefault(problem.kind, []).append((body, problem))
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out of the geometry, one line each; nothing where none was asked for."""
        return self.geometry.notes if "geometry" in self.__dict__ else ()

    @cached_property
    def copies(self) -> Mapping[tuple[float, ...], Sequence[tuple[str, float, Vector]]]:
        """Names, masses and centres of bodies by their tensors: three of each mass and centre."""
        found: dict[tuple[float, ...], list[tuple[str, float, Vector]]] = {}
        counts: Counter[tuple[tuple[float, ...], float, Vector]] = Counter()
        for body, judgement in zip(self.model.bodies, self.judgements, strict=True):
            six, mass, center = judgement.I_BBcm_Bi, judgement.mass, judgement.p_BoBcm_B
            counts[six, mass, center] += 1
            if counts[six, mass, center] <= 3:  # as many as a message names
                found.setdefault(six, []).append((body.name, mass, center))
        return found

    @cached_property
    def assembly(self) -> Assembly:
        """How the bodies belong together."""
        assembly = Assembly(self.model, self.judgements)
        if self.before is not None:
            assembly.keep(self.before.assembly, self.changed_bodies)
        return assembly

    @cached_property
    def likeness(self) -> Likeness:
        """The bodies beside their geometries."""
        return Likeness(self.assembly, self.geometry)

    @cached_property
    def elsewhere(self) -> Elsewhere:
        """Other texts that may state the bodies, where any is asked."""
        if self.read_elsewhere is None:
            raise ValueError("this examination asks no other text")
        return self.read_elsewhere()

    @cached_property
    def find_copies(self) -> Callable[[int], Sequence[Copy]]:
        """Function that finds the numbers that other texts have for a body, by its index."""
        if self.read_elsewhere is None:
            return lambda index: ()
        find, bodies, judgements = self.elsewhere.find, self.model.bodies, self.judgements
        return cache(lambda index: find(bodies[index], judgements[index]))

    def find_misreading(self, index: int) -> Misreading | None:
        """The misread formula that gives the tensor of a body, found once."""
        if index not in self._misreadings:
            from inertial_check.checking.evidence.readings import (
                misread_formula,  # where one is suspected
            )

            judgement = self.judgements[index]
            self._misreadings[index] = misread_formula(
                self.model.bodies[index], judgement.mass, judgement.I_BBcm_Bi
            )
        return self._misreadings[index]

    @cached_property
    def _misreadings(self) -> dict[int, Misreading | None]:
        """Cache of the misreadings, by the index of the body."""
        return {}

    @cached_property
    def votes(self) -> Votes:
        """The votes of the bodies between readings of the whole model."""
        return Votes(self)

    def release(self) -> None:
        """Forget the votes, which refer back to the examination.

        Then it is freed with its model as soon as nobody uses it. In a cycle of references both
        would stay until the garbage collector has searched everything for them.
        """
        self.__dict__.pop("votes", None)

    @cached_property
    def predictions(self) -> Sequence[Predictions]:
        """What each engine does with each body, by the engine's name."""
        if self.predict is None:
            return ({},) * len(self.model.bodies)
        return self.predict()
