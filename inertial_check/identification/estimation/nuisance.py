"""Torques of a joint besides those of the bodies: friction, offsets, rotors, couplings.

Each is a number times a signal of the joint's own motion, a column beside those of the bodies: with
a name, bounds, and a prior of its own. None of them is part of a body.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from inertial_check.arrays.broadcasting import read_floats
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError, expect

if TYPE_CHECKING:
    from inertial_check.identification.estimation.joint_friction import OperatingPoint


@dataclass(frozen=True, kw_only=True)
class JointTerm(ABC):
    """One kind of torque, with numbers for each of some joints.

    Attributes:
        joints: Indices of the joints that have it, from 0; None for all.
        lower: Least value of the number.
        upper: Largest value.
        prior: Expected value.
        scale: How far from it is usual; infinite for no prior at all.
    """

    symbol: ClassVar[str]
    """Prefix of the names of the numbers; the joint follows, counted from 1."""

    joints: Sequence[int] | None = None
    lower: float = 0.0
    upper: float = np.inf
    prior: float = 0.0
    scale: float = np.inf

    @abstractmethod
    def columns(self, joints: int) -> list[JointColumn]:
        """List the columns of the term on a robot with so many joints."""


@dataclass(frozen=True, kw_only=True)
class Term(JointTerm):
    """Torque with one number for each joint, which multiplies a signal of the joint's motion."""

    @abstractmethod
    def signal(self, u: Floats, du: Floats) -> Floats:
        """Factor (s, n) of the number in the torque, from velocities and accelerations (s, n)."""

    def columns(self, joints: int) -> list[JointColumn]:
        """One column for each joint."""
        chosen = range(joints) if self.joints is None else self.joints
        return [
            JointColumn(f"{self.symbol}{joint + 1}", self, (joint,), (joint,)) for joint in chosen
        ]


class Viscous(Term):
    """Friction in proportion to the velocity: fv u."""

    symbol = "fv"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """The velocity."""
        return u


class Coulomb(Term):
    """Friction against the motion, of one size: fc sign(u). Filter u first: at rest it is noise."""

    symbol = "fc"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """The sign of the velocity."""
        return np.asarray(np.sign(u))


class RotorInertia(Term):
    """The rotor behind the gear, as the joint feels it: Ia du."""

    symbol = "Ia"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """The acceleration."""
        return du


@dataclass(frozen=True, kw_only=True)
class Offset(Term):
    """A torque that is always there: off."""

    symbol = "off"

    lower: float = -np.inf

    def signal(self, u: Floats, du: Floats) -> Floats:
        """Ones."""
        return np.ones_like(u)


Kind = Literal["inertia", "viscous", "coulomb"]


@dataclass(frozen=True, kw_only=True)
class Coupling(Term):
    """Two joints whose motors turn each other's gears, as in many wrists.

    One number: in the row of each joint the acceleration, or the velocity, of the other one; for
    kind "coulomb", in both rows the sign of the sum of their velocities.

    Attributes:
        joints: The two.
        kind: "inertia" (Iam), "viscous" (fvm) or "coulomb" (fsm); the name counts the second joint.
    """

    kind: Kind = "inertia"
    lower: float = -np.inf

    def __post_init__(self) -> None:
        """Refuse what is no coupling."""
        expect("text", kind=self.kind)
        expect("list", "nothing", joints=self.joints)
        for joint in () if self.joints is None else self.joints:
            expect("whole", joints=joint)
        if self.kind not in _COUPLED:
            raise ParameterError(
                f"a coupling of kind {self.kind!r}: expected {', '.join(map(repr, _COUPLED))}"
            )
        if self.joints is None or len(set(self.joints)) != 2:
            raise ParameterError(f"a coupling of joints {self.joints!r}, expected two of them")

    def signal(self, u: Floats, du: Floats) -> Floats:
        """Signals of both joints, each in the row of the other."""
        assert self.joints is not None
        first, second = self.joints
        signal = np.zeros_like(u)
        if self.kind == "coulomb":
            signal[:, [first, second]] = np.sign(u[:, [first]] + u[:, [second]])
        else:
            source = du if self.kind == "inertia" else u
            signal[:, [first, second]] = source[:, [second, first]]
        return signal

    def columns(self, joints: int) -> list[JointColumn]:
        """One column, in two rows."""
        assert self.joints is not None
        name = f"{_COUPLED[self.kind]}{self.joints[1] + 1}"
        return [JointColumn(name, self, tuple(self.joints), tuple(self.joints))]


NEVER_NEGATIVE = ("fv", "fc", "Ia")
"""Symbols of numbers that are not below 0: no joint's friction drives it, and rotors have mass."""


def _default_bound(name: str) -> float:
    """Lower bound of a number by its name: 0 for fv1, fc2, Ia3 and the like, else none."""
    bounded = re.fullmatch(rf"({'|'.join(NEVER_NEGATIVE)})[1-9]\d*", name)
    return -np.inf if bounded is None else 0.0


_COUPLED = {"inertia": "Iam", "viscous": "fvm", "coulomb": "fsm"}


@dataclass(frozen=True)
class JointColumn:
    """One number of a term: its name, the term, and the joints in whose rows it stands."""

    name: str
    term: Term
    rows: tuple[int, ...]
    joints: tuple[int, ...]


def _no_numbers() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Nuisance:
    """All numbers that stand beside the bodies, in the order of their columns.

    Attributes:
        names: Of the numbers, each once.
        lower: (k,) bounds.
        upper: (k,).
        prior: (k,) expected values.
        scale: (k,) how far from them is usual; infinite for no prior.
        ready: (S, n, k) columns that were given; None where they come from the motion.
        terms: Terms that were declared; () for columns that were given.
        joints: Number of the robot's joints, with terms.
        point: Operating point about which nonlinear terms are linearised; None without one.
        references: (k,) what each number is a difference from; () for 0.
    """

    names: tuple[str, ...] = ()
    lower: Floats = field(default_factory=_no_numbers)
    upper: Floats = field(default_factory=_no_numbers)
    prior: Floats = field(default_factory=_no_numbers)
    scale: Floats = field(default_factory=_no_numbers)
    ready: Floats | None = None
    terms: tuple[JointTerm, ...] = field(default=(), repr=False)
    joints: int = 0
    point: OperatingPoint | None = field(default=None, repr=False)
    references: tuple[float, ...] = field(default=(), repr=False)
    _columns: tuple[JointColumn, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Look over what was given."""
        expect("texts", names=self.names)
        object.__setattr__(self, "names", tuple(self.names))
        count = len(self.names)
        repeated = sorted({name for name in self.names if self.names.count(name) > 1})
        if repeated:
            raise ParameterError(
                f"names of nuisance: {', '.join(repeated)} is declared more than once"
            )
        for name in ("lower", "upper", "prior", "scale"):
            (values,) = read_floats((), **{name: getattr(self, name)})
            if values.shape not in ((), (1,), (count,)):
                raise ParameterError(
                    f"{name} has shape {values.shape}, expected one number, or {count}: one a name"
                )
            values = np.broadcast_to(values, (count,))
            object.__setattr__(self, name, values)
        free = np.isinf(self.scale) & (self.lower < self.upper)  # no prior: only a place to start
        started = np.where(free, np.clip(self.prior, self.lower, self.upper), self.prior)
        object.__setattr__(self, "prior", started)
        for name, lower, upper, prior, scale in zip(
            self.names, self.lower, self.upper, self.prior, self.scale, strict=True
        ):
            if not (lower < upper and scale > 0 and lower <= prior <= upper):
                raise ParameterError(
                    f"nuisance {name}: bounds {lower:g} to {upper:g}, prior {prior:g}, scale "
                    f"{scale:g}; expected lower < upper, the prior between them, a positive scale"
                )

    def __len__(self) -> int:
        """How many numbers there are."""
        return len(self.names)

    @classmethod
    def of(cls, *terms: JointTerm, joints: int) -> Nuisance:
        """The numbers of these terms, on a robot with so many joints.

        Raises:
            ParameterError: A joint that there is not, a bound that excludes the prior, a number
                declared twice.
        """
        return cls._declare(terms, [(term, 0.0) for term in terms], joints, None)

    @property
    def nonlinear(self) -> bool:
        """Whether a term has to be linearised about an operating point."""
        return any(hasattr(term, "linearise") for term in self.terms)

    @property
    def reference(self) -> Floats:
        """(k,) what each number is a difference from."""
        return np.array(self.references or (0.0,) * len(self))

    def linearise(self, point: OperatingPoint | None) -> Nuisance:
        """Linearise nonlinear terms about a point; without one they are left out."""
        if not self.nonlinear:
            return self
        linear: list[tuple[JointTerm, float]] = []
        for term in self.terms:
            expand = getattr(term, "linearise", None)
            if expand is None:
                linear.append((term, 0.0))
            elif point is not None:
                linear += expand(point)
        return self._declare(self.terms, linear, self.joints, point)

    @classmethod
    def _declare(
        cls,
        terms: Sequence[JointTerm],
        linear: Sequence[tuple[JointTerm, float]],
        joints: int,
        point: OperatingPoint | None,
    ) -> Nuisance:
        """Declare the columns of linear terms, each with what its number is a difference from."""
        pairs = [(column, at) for term, at in linear for column in term.columns(joints)]
        columns = [column for column, _ in pairs]
        for column in columns:
            for joint in column.joints:
                if not 0 <= joint < joints:
                    raise ParameterError(
                        f"{type(column.term).__name__} of joint {joint}: there are joints 0 to "
                        f"{joints - 1}"
                    )
        of = [column.term for column in columns]
        return cls(
            tuple(column.name for column in columns),
            np.array([term.lower for term in of]),
            np.array([term.upper for term in of]),
            np.array([term.prior for term in of]),
            np.array([term.scale for term in of]),
            None,
            tuple(terms),
            joints,
            point,
            tuple(at for _, at in pairs),
            tuple(columns),
        )

    @classmethod
    def from_columns(
        cls,
        columns: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike = np.inf,
        prior: ArrayLike = 0.0,
        scale: ArrayLike = np.inf,
    ) -> Nuisance:
        """Make a nuisance of columns that are ready.

        Args:
            columns: (S, n, k), or (S, k) beside a regressor (S, 10 L).
            names: Of the numbers; f1, f2, ... by default.
            lower: (k,) or one bound for all. None for 0 for the names of viscous and Coulomb
                friction and of rotor inertias (fv1, fc1, Ia1, ...), as `Nuisance.of` has them, and
                for no bound for other names.
            upper: The same.
            prior: Expected values.
            scale: How far from them is usual.
        """
        expect("texts", "nothing", names=names)
        (ready,) = read_floats((), columns=columns)
        if ready.ndim == 2:
            ready = ready[:, None, :]
        if ready.ndim != 3:
            raise ParameterError(
                f"nuisance columns have shape {ready.shape}, expected (S, n, k) or (S, k)"
            )
        if names is None:
            names = [f"f{k + 1}" for k in range(ready.shape[2])]
        if len(names) != ready.shape[2]:
            raise ParameterError(f"{len(names)} names for {ready.shape[2]} nuisance columns")
        if lower is None:
            lower = [_default_bound(name) for name in names]
        lower, upper, prior, scale = read_floats(
            (), lower=lower, upper=upper, prior=prior, scale=scale
        )
        return cls(tuple(names), lower, upper, prior, scale, ready)

    def find_columns(self, kind: type[Term]) -> Iterator[tuple[int, int]]:
        """Find the columns of one kind of term: index of the column, and of its joint."""
        for k, column in enumerate(self._columns):
            if isinstance(column.term, kind):
                yield k, column.joints[0]

    def columns(self, u: Floats, du: Floats, rest: Floats | float = 0.0) -> Floats:
        """The columns of a motion.

        Args:
            u: (s, n) velocities of the joints.
            du: (s, n) accelerations.
            rest: (n,) speeds up to which a joint stands still.

        Returns:
            (s, n, k).
        """
        found = np.zeros((*u.shape, len(self)))
        u = np.where(np.abs(u) <= rest, 0.0, u)
        for k, column in enumerate(self._columns):
            rows = list(column.rows)
            found[:, rows, k] = column.term.signal(u, du)[:, rows]
        return found
