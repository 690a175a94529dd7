"""Torques of a joint besides those of the bodies: friction, offsets, rotors, couplings.

Each is a number times a signal of the joint's own motion, a column beside those of the bodies: with
a name, bounds, and a prior of its own. None of them is part of a body.

Friction models of joints beyond Coulomb and viscous: by direction, Stribeck's, by the load.

Stribeck's friction and that of the load are not linear in their numbers. They are linearised about
an operating point, whose numbers are unknowns as differences from it, and the fit is repeated from
the new point until it stays: there the gradient of the linear problem is that of the model itself.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia.arrays import ArrayLike, Floats, read_floats


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
            bounded = re.compile(rf"({'|'.join(NEVER_NEGATIVE)})[1-9]\d*")
            lower = [0.0 if bounded.fullmatch(name) else -np.inf for name in names]
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


SLOWEST = 1 / 1000
"""Least Stribeck velocity relative to the highest speed of its joint: no sample is slower."""

FASTEST = 0.5
"""Largest Stribeck velocity relative to the highest speed of its joint: beyond it, Coulomb and
viscous friction look nearly like the curve."""


class OperatingPoint(NamedTuple):
    """Numbers about which nonlinear friction is linearised.

    Attributes:
        velocity: (n,) Stribeck velocities of the joints [rad/s or m/s].
        excess: (n,) static friction less Coulomb friction [N m or N]; 0 for joints whose Stribeck
            velocity stays.
        load: (n,) Coulomb friction over the torque of the load.
        theta: (10 L,) parameters of the bodies, in the order of the regressor's columns.
        fastest: (n,) highest speeds of the joints.
    """

    velocity: Floats
    excess: Floats
    load: Floats
    theta: Floats
    fastest: Floats


class ViscousForward(Term):
    """Viscous friction of motions in the positive direction: fvp max(u, 0)."""

    symbol = "fvp"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """The velocity, where it is positive."""
        return np.maximum(u, 0.0)


class ViscousBackward(Term):
    """Viscous friction of motions in the negative direction: fvn min(u, 0)."""

    symbol = "fvn"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """The velocity, where it is negative."""
        return np.minimum(u, 0.0)


class CoulombForward(Term):
    """Coulomb friction of motions in the positive direction: fcp where u > 0."""

    symbol = "fcp"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """One where the velocity is positive."""
        return np.asarray(np.where(u > 0, 1.0, 0.0))


class CoulombBackward(Term):
    """Coulomb friction of motions in the negative direction: -fcn where u < 0."""

    symbol = "fcn"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """Minus one where the velocity is negative."""
        return np.asarray(np.where(u < 0, -1.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class Asymmetric(JointTerm):
    """Viscous or Coulomb friction with a number for each direction of the motion.

    Coulomb friction by direction and an offset are the same torque, so that one of them excludes
    the other: fcp = fc + off and fcn = fc - off.

    Attributes:
        kind: "viscous" (fvp and fvn, in place of fv) or "coulomb" (fcp and fcn, in place of fc).
    """

    kind: Literal["viscous", "coulomb"] = "coulomb"

    def __post_init__(self) -> None:
        """Refuse other kinds."""
        if self.kind not in _DIRECTED:
            raise ParameterError(
                f"asymmetric friction of kind {self.kind!r}: expected 'viscous' or 'coulomb'"
            )

    def columns(self, joints: int) -> list[JointColumn]:
        """Two columns for each joint: forward, then backward."""
        both = [
            term(
                joints=self.joints,
                lower=self.lower,
                upper=self.upper,
                prior=self.prior,
                scale=self.scale,
            ).columns(joints)
            for term in _DIRECTED[self.kind]
        ]
        return [column for pair in zip(*both, strict=True) for column in pair]


_DIRECTED: dict[str, tuple[type[Term], type[Term]]] = {
    "viscous": (ViscousForward, ViscousBackward),
    "coulomb": (CoulombForward, CoulombBackward),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class StribeckCurve(Term):
    """Stribeck's friction at known velocities: fst sign(u) exp(-(u / v_s)^2).

    Attributes:
        velocity: (n,) Stribeck velocities of all joints.
    """

    symbol = "fst"

    velocity: Floats = field(default_factory=lambda: np.zeros(0))

    def signal(self, u: Floats, du: Floats) -> Floats:
        """The sign of the velocity, less and less of it at higher speeds."""
        return np.asarray(np.sign(u) * np.exp(-((u / self.velocity) ** 2)))


@dataclass(frozen=True, kw_only=True, eq=False)
class StribeckSlope(Term):
    """Derivative of Stribeck's friction by its velocity, for its difference from a known one.

    Attributes:
        velocity: (n,) Stribeck velocities of all joints.
        excess: (n,) their static friction less Coulomb friction.
    """

    symbol = "vs"

    lower: float = -np.inf
    velocity: Floats = field(default_factory=lambda: np.zeros(0))
    excess: Floats = field(default_factory=lambda: np.zeros(0))

    def signal(self, u: Floats, du: Floats) -> Floats:
        """The derivative d/dv of excess sign(u) exp(-(u / v)^2)."""
        square = (u / self.velocity) ** 2
        return np.asarray(2 * self.excess / self.velocity * np.sign(u) * square * np.exp(-square))


class LoadColumn(Term):
    """Place of the friction of the load, whose column follows from the bodies: see add_load."""

    symbol = "fl"

    def signal(self, u: Floats, du: Floats) -> Floats:
        """Zeros, which add_load replaces."""
        return np.zeros_like(u)


@dataclass(frozen=True, kw_only=True)
class NonlinearTerm(JointTerm):
    """Friction that is linearised about an operating point, and is left out without one."""

    def columns(self, joints: int) -> list[JointColumn]:
        """No columns without an operating point."""
        return []

    @abstractmethod
    def linearise(self, point: OperatingPoint) -> Iterator[tuple[Term, float]]:
        """Make linear terms about a point, each with the number that its own is a difference from.

        Args:
            point: The point.
        """

    def joints_of(self, point: OperatingPoint) -> Sequence[int]:
        """List the joints that have it."""
        return range(len(point.fastest)) if self.joints is None else self.joints


@dataclass(frozen=True, kw_only=True, eq=False)
class Stribeck(NonlinearTerm):
    """Friction that falls from its static size to Coulomb's: fst sign(u) exp(-(u / v_s)^2).

    It stands beside Coulomb, so that fst is the static friction less the Coulomb friction.

    Attributes:
        velocity: v_s, one for all joints or one for each [rad/s or m/s]; None to estimate one for
            each joint (vs1, vs2, ...).
    """

    symbol = "fst"

    velocity: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Refuse velocities that are not positive."""
        if self.velocity is None:
            return
        (values,) = read_floats((), velocity=self.velocity)
        if values.ndim > 1 or not np.all(np.isfinite(values) & (values > 0)):
            raise ParameterError(
                f"Stribeck velocity is {self.velocity!r}, expected a positive number, or one for "
                "each joint"
            )

    @property
    def fixed(self) -> bool:
        """Whether the velocities are known."""
        return self.velocity is not None

    def start(self, fastest: Floats, part: float) -> Floats:
        """Choose velocities (n,): those that are known, or this part of the highest speeds.

        Raises:
            ParameterError: Their number is not that of the joints.
        """
        if self.velocity is None:
            return part * np.where(fastest > 0, fastest, 1.0)
        given = np.asarray(self.velocity, dtype=np.float64)
        if given.size not in (1, len(fastest)):
            raise ParameterError(
                f"{given.size} Stribeck velocities, expected one, or one for each of the "
                f"{len(fastest)} joints"
            )
        return np.array(np.broadcast_to(given, (len(fastest),)))

    def linearise(self, point: OperatingPoint) -> Iterator[tuple[Term, float]]:
        """Make the curve at the velocities of the point, and its slopes where there is a curve."""
        joints = self.joints_of(point)
        for joint in joints:
            curve = StribeckCurve(
                joints=[joint],
                lower=self.lower,
                upper=self.upper,
                prior=self.prior,
                scale=self.scale,
                velocity=point.velocity,
            )
            yield curve, 0.0
        for joint in joints if not self.fixed else ():
            if point.excess[joint] <= 0:  # without a curve, its velocity means nothing
                continue
            at, most = float(point.velocity[joint]), float(point.fastest[joint])
            slope = StribeckSlope(
                joints=[joint],
                lower=max(SLOWEST * most, at / 2) - at,  # a step that the slope can still predict
                upper=min(FASTEST * most, 2 * at) - at,
                velocity=point.velocity,
                excess=point.excess,
            )
            yield slope, at


@dataclass(frozen=True, kw_only=True)
class LoadFriction(NonlinearTerm):
    """Coulomb friction in proportion to the load: fl |Y theta| sign(u), Y theta of the bodies."""

    symbol = "fl"

    upper: float = 1.0

    def linearise(self, point: OperatingPoint) -> Iterator[tuple[Term, float]]:
        """Make a column for each joint, for the difference from its number at the point."""
        for joint in self.joints_of(point):
            at = float(point.load[joint])
            column = LoadColumn(
                joints=[joint],
                lower=self.lower - at,
                upper=self.upper - at,
                prior=self.prior - at,
                scale=self.scale,
            )
            yield column, at


def find_load_rows(Y: Floats, u: Floats, theta: Floats) -> Floats:
    """Find the signs (s, n) with which friction of the load follows the torque of the bodies.

    Args:
        Y: (s, n, p) regressor.
        u: (s, n) velocities, 0 at rest.
        theta: (p,) parameters of the bodies, which decide the sign of the torque.
    """
    return np.asarray(np.sign(Y @ theta) * np.sign(u))


def add_load(
    nuisance: Nuisance, block: tuple[Floats, Floats, Floats], rows: Floats, theta: Floats
) -> tuple[Floats, Floats, Floats]:
    """Add the friction of the load to the equations of some samples, linearised about its point.

    The torque is (1 + fl s) Y theta with the signs s, so that the friction of the point belongs to
    the columns of the bodies, and its change to a column of its own.

    Args:
        nuisance: Friction with an operating point.
        block: Y (s, n, p), F (s, n, k) and tau (s, n).
        rows: (s, n, p) regressor times the signs of find_load_rows.
        theta: (p,) parameters of the bodies at the point.
    """
    Y, F, tau = block
    point = nuisance.point
    assert point is not None
    column = rows @ theta
    load = np.zeros(len(point.load))
    for k, joint in nuisance.find_columns(LoadColumn):
        F[:, joint, k] = column[:, joint]
        load[joint] = point.load[joint]
    return Y + load[:, None] * rows, F, tau


def has_load(nuisance: Nuisance) -> bool:
    """Whether friction of the load is among the columns."""
    return nuisance.point is not None and bool(list(nuisance.find_columns(LoadColumn)))
