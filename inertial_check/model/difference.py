"""Result of a comparison of two models: pairs of bodies, their deviations, and explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from inertial_check.arrays.equality import EqualByValue

MassProperty = Literal["mass", "com", "inertia", "added_mass"]
QUANTITIES: tuple[MassProperty, ...] = ("mass", "com", "inertia")
"""Mass properties of the rigid body: mass, centre of mass, and the inertia about it.

The added mass of a fluid is compared, too, where a model states one.
"""

Which = Literal["a", "b"]
"""One of the two models, in the order in which they were given."""

PairStatus = Literal["equal", "differs", "incomparable", "only-a", "only-b"]
"""Status of a pair of bodies, whose numbers are equal, differ or cannot be compared, or of a body
that only one of the models has."""


class Deviations(NamedTuple):
    """Deviations between two bodies (dimensionless).

    Attributes:
        mass: Difference of the masses, relative to the larger one.
        com: Distance of the centres of mass, relative to the larger radius of gyration.
        inertia: Largest eigenvalue, in magnitude, of the difference of the tensors about the
            centre of mass, relative to the largest of either tensor.
    """

    mass: float
    com: float
    inertia: float


class ComparedBody(NamedTuple):
    """One side of a pair, in SI units.

    Attributes:
        name: Name as written.
        id: Id, unique in its document.
        line: Line where it begins, 1-based.
        file: Document with that line; None for the main document of the model.
        mass: Mass [kg]; NaN if unknown, as all numbers here.
        p_BoBcm_B: Centre of mass in the body frame [m].
        I_BBcm_B: Six entries of the inertia about it in the body's axes [kg m^2].
        merged: Names of the bodies on fixed joints that are lumped into it.
        added_mass: Added mass of the fluid about the body's origin, 6x6; () where none is stated.
    """

    name: str
    id: str
    line: int
    file: str | None
    mass: float
    p_BoBcm_B: tuple[float, ...]
    I_BBcm_B: tuple[float, ...]
    merged: tuple[str, ...] = ()
    added_mass: tuple[tuple[float, ...], ...] = ()


class Explanation(NamedTuple):
    """A mistake of a converter that turns the numbers of one body into those of the other.

    Attributes:
        name: Name of the mistake, such as rotation-transposed.
        of: Model whose numbers become those of the other model by the mistake.
        change: The mistake as a clause, such as "with its rotation transposed".
        explains: Mass properties whose difference it explains.
        residual: Part of the difference that it leaves, from 0 to 1.
    """

    name: str
    of: Which
    change: str
    explains: tuple[MassProperty, ...]
    residual: float


class BodyDifference(NamedTuple):
    """Difference between a pair of bodies, or a body that only one model has.

    Attributes:
        status: Status of the pair.
        a: Body of the first model; None if only the second has it.
        b: Body of the second model; None if only the first has it.
        deviations: Deviations of the numbers; None if they cannot be compared.
        differs: Mass properties that deviate by more than the tolerance.
        reason: Why the pair cannot be compared; "" if it can.
        frame: Whether it is a single body without mass and inertia, whose absence has no effect.
        explanations: Mistakes that explain the difference, best first.
        added_mass: Norm of the difference of the added masses of the fluid, relative to the larger
            one; masses and inertias, which have other units, weigh the same. 0 where none is
            stated.
    """

    status: PairStatus
    a: ComparedBody | None
    b: ComparedBody | None
    deviations: Deviations | None = None
    differs: tuple[MassProperty, ...] = ()
    reason: str = ""
    frame: bool = False
    explanations: tuple[Explanation, ...] = ()
    added_mass: float = 0.0


class ComparedModel(NamedTuple):
    """One of the two models."""

    path: str
    format: str
    name: str


@dataclass(frozen=True, eq=False)
class Difference(EqualByValue):
    """Result of a comparison.

    Attributes:
        a: The first model.
        b: The second.
        tolerance: Largest deviation of numbers that count as equal.
        bodies: Pairs in the order of the first model, then the other bodies of the second.
        notes: Parts that were not compared and why, one line each.
    """

    a: ComparedModel
    b: ComparedModel
    tolerance: float
    bodies: tuple[BodyDifference, ...]
    notes: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether the models have the same mass properties, body by body."""
        return all(body.status == "equal" or body.frame for body in self.bodies)

    def count(self, status: PairStatus) -> int:
        """Count the pairs and single bodies with this status, without massless frames."""
        return sum(body.status == status and not body.frame for body in self.bodies)

    @property
    def explained(self) -> dict[str, int]:
        """Number of bodies that each mistake explains, largest first."""
        return dict(fits(body.explanations for body in self.bodies).most_common())


def fits(explanations: Iterable[Iterable[Explanation]]) -> Counter[str]:
    """Count the bodies that each mistake explains."""
    return Counter(name for each in explanations for name in dict.fromkeys(e.name for e in each))
