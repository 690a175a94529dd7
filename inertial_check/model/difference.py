"""What a comparison of two models says: pairs of bodies, deviations, what explains them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

MassProperty = Literal["mass", "com", "inertia"]
QUANTITIES: tuple[MassProperty, ...] = ("mass", "com", "inertia")
"""What is compared of two bodies: mass, centre of mass, inertia about it."""

Which = Literal["a", "b"]
"""One of the two models, in the order in which they were given."""

PairStatus = Literal["equal", "differs", "incomparable", "only-a", "only-b"]
"""Of a pair: both have the same numbers; other numbers; numbers that cannot be told. Of one body:
it has no counterpart."""


class Deviations(NamedTuple):
    """How far two bodies differ, without units.

    Attributes:
        mass: Relative to the larger of the two.
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
        name: As written.
        id: Unique in its document.
        line: Where it begins, 1-based.
        file: The document in which that line is; None for the model's own.
        mass: [kg]; NaN where it cannot be told, as all numbers here.
        p_BoBcm_B: Centre of mass in the body frame [m].
        I_BBcm_B: The six of the inertia about it in the body's axes [kg m^2].
        merged: Names of the bodies on fixed joints that are counted in.
    """

    name: str
    id: str
    line: int
    file: str | None
    mass: float
    p_BoBcm_B: tuple[float, ...]
    I_BBcm_B: tuple[float, ...]
    merged: tuple[str, ...] = ()


class Explanation(NamedTuple):
    """A mistake of a converter that turns the numbers of one body into those of the other.

    Attributes:
        name: Of the mistake, rotation-transposed for one.
        of: Whose numbers, so changed, are those of the other model's body.
        change: What is done to them, as a clause: "with its rotation transposed".
        explains: Which of the quantities that differ.
        residual: What it leaves of the difference, 0 for nothing and 1 for all.
    """

    name: str
    of: Which
    change: str
    explains: tuple[MassProperty, ...]
    residual: float


class BodyDifference(NamedTuple):
    """What is said of a pair of bodies, or of one that has no counterpart.

    Attributes:
        status: See Status.
        a: The body of the first model; None where only the second has it.
        b: That of the second.
        deviations: None where nothing can be compared.
        differs: Which quantities deviate by more than the tolerance.
        reason: Why a pair cannot be compared; "" where it can.
        frame: It has no counterpart, and neither mass nor inertia: its absence changes nothing.
        explanations: Best first; none where no known mistake fits.
    """

    status: PairStatus
    a: ComparedBody | None
    b: ComparedBody | None
    deviations: Deviations | None = None
    differs: tuple[MassProperty, ...] = ()
    reason: str = ""
    frame: bool = False
    explanations: tuple[Explanation, ...] = ()


class ComparedModel(NamedTuple):
    """One of the two models."""

    path: str
    format: str
    name: str


@dataclass(frozen=True)
class Difference:
    """All that a comparison says.

    Attributes:
        a: The first model.
        b: The second.
        tolerance: Up to which a deviation counts as none.
        bodies: In the order of the first model; then those that only the second has, in its order.
        notes: What was not done, and why, one line each.
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
        """How many pairs, or bodies without a counterpart, have this status; frames apart."""
        return sum(body.status == status and not body.frame for body in self.bodies)

    @property
    def explained(self) -> dict[str, int]:
        """How many bodies each mistake explains, most first."""
        return dict(fits(body.explanations for body in self.bodies).most_common())


def fits(explanations: Iterable[Iterable[Explanation]]) -> Counter[str]:
    """How many bodies each mistake explains."""
    return Counter(name for each in explanations for name in dict.fromkeys(e.name for e in each))
