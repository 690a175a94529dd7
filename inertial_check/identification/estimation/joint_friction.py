"""Friction models of joints beyond Coulomb and viscous: by direction, Stribeck's, by the load.

Stribeck's friction and that of the load are not linear in their numbers. They are linearised about
an operating point, whose numbers are unknowns as differences from it, and the fit is repeated from
the new point until it stays: there the gradient of the linear problem is that of the model itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.nuisance import JointColumn, JointTerm, Nuisance, Term

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
        values = np.asarray(self.velocity, dtype=np.float64)
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
