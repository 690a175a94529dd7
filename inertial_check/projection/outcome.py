"""What an engine found for the rows that had to move, and everything that can be said of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import quiet
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, Floats
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.frames import translate
from inertial_check.inertia.representations import Point, second_moment
from inertial_check.projection.closed_form import central_inertia, with_central_inertia
from inertial_check.projection.metrics import INERTIA, MomentMetric, inner, trace
from inertial_check.projection.quadratic import Quadratic, Solution, residuals, separation


class Certificate(NamedTuple):
    """The optimality conditions of a projection, in a problem of unit size: dimensionless.

    A convex problem has no other minimum: where all three are small, nothing nearer is feasible.

    Attributes:
        primal_residual: (...,) by how much the result leaves the feasible set.
        dual_residual: (...,) by how much the gradient leaves the dual cone, as it would if a
            feasible direction came closer.
        gap: (...,) what moving along the result itself would gain.
    """

    primal_residual: Array
    dual_residual: Array
    gap: Array


class Outcome(ABC):
    """The rows that moved, before and after. Properties hold one value for each of them."""

    @property
    @abstractmethod
    def theta(self) -> Array:
        """(n, 10) after, in order "urdf", about the caller's point."""

    @property
    @abstractmethod
    def changed(self) -> Array:
        """(n,) whether any number differs from what was given."""

    @property
    @abstractmethod
    def vanished(self) -> Array:
        """(n,) whether no inertia is left: the nearest is a point mass."""

    @property
    @abstractmethod
    def distance(self) -> Array:
        """(n,) length of the change in the metric."""

    @property
    @abstractmethod
    def relative_change(self) -> Array:
        """(n,) relative Frobenius change of the principal moments about the centre of mass."""

    @abstractmethod
    def certify(self) -> Certificate:
        """The residuals, from the data alone."""


@dataclass(frozen=True, eq=False)
class MomentOutcome(Outcome):
    """Of a metric under which mass and centre of mass stay.

    Attributes:
        given: (n, 10) before, in order "urdf", about `about`.
        about: "origin" or "com".
        before: (n, 6) I_BBcm as given [kg m^2].
        after: (n, 6) as found, before it was moved back to `about`.
        metric: What was least.
        margin: mu that was asked for.
    """

    given: Array
    about: Point
    before: Array
    after: Array
    metric: MomentMetric
    margin: float

    @cached_property
    def theta(self) -> Array:
        """(n, 10) after, in order "urdf", about the caller's point."""
        return with_central_inertia(self.given, self.about, self.after)

    @property
    def changed(self) -> Array:
        """(n,) whether the inertia about the centre of mass differs from what was given."""
        return array_namespace(self.after).any(self.after != self.before, axis=-1)

    @property
    def vanished(self) -> Array:
        """(n,) whether the nearest is the zero tensor, the apex of the cone."""
        return array_namespace(self.after).all(self.after == 0, axis=-1)

    @property
    def distance(self) -> Array:
        """(n,) ||I' - I||_F for inertia, ||S' - S||_F for covariance [kg m^2]."""
        return self.metric.distance(self.before, self.after)

    @property
    def relative_change(self) -> Array:
        """(n,) ||I' - I||_F / ||I||_F: these metrics keep the principal axes."""
        xp = array_namespace(self.after)
        size = INERTIA.distance(xp.zeros_like(self.before), self.before)
        size = xp.where(size > 0, size, xp.ones_like(size))
        return INERTIA.distance(self.before, self.after) / size

    def certify(self) -> Certificate:
        """The residuals of the problem about the centre of mass."""
        return certificate(self.before, self.after, self.metric, self.margin)


Measure = Callable[[Quadratic, Floats, Floats], tuple[Floats, Floats, Floats]]
"""Primal residual, dual residual and gap (n,) of theta and its multiplier."""


@dataclass(frozen=True, eq=False)
class MatrixOutcome(Outcome):
    """Of a metric of the whole pseudo-inertia.

    Attributes:
        about: "origin" or "com", of `theta`.
        problem: What was solved, in the frame F with the body's axes and its origin at Fo.
        solution: Its answer.
        p_BoFo_B: (n, 3) where that is [m].
        measure: What the residuals are.
    """

    about: Point
    problem: Quadratic
    solution: Solution
    p_BoFo_B: Floats
    measure: Measure = residuals

    @cached_property
    def theta(self) -> Floats:
        """(n, 10) after, in order "urdf", about the caller's point."""
        found = self.solution.theta
        if self.about == "com":
            found = np.concatenate([found[:, :4], central_inertia(found, "origin")], axis=1)
        if not self.p_BoFo_B.any():
            return found
        return np.asarray(translate(found, self.p_BoFo_B, self.about))

    @property
    def changed(self) -> Array:
        """(n,) whether any number differs from what was given."""
        return np.asarray(np.any(self.solution.theta != self.problem.theta0, axis=1))

    @property
    def vanished(self) -> Array:
        """(n,) whether no inertia about the centre of mass is left."""
        return np.asarray(np.all(central_inertia(self.solution.theta, "origin") == 0, axis=1))

    @property
    def distance(self) -> Array:
        """(n,) sqrt(d^T W d), or ||P^-1/2 (Pi' - Pi) P^-1/2||_F in the units of a prior."""
        return separation(self.problem, self.solution.theta)

    @property
    @quiet
    def relative_change(self) -> Array:
        """(n,) of the sorted principal moments; infinite where there was no inertia before."""
        before, after = (
            eigenvalues(central_inertia(theta, "origin"))
            for theta in (self.problem.theta0, self.solution.theta)
        )
        change, size = (np.linalg.norm(v, axis=1) for v in (after - before, before))
        return np.where(change > 0, change / size, 0.0)

    def certify(self) -> Certificate:
        """The residuals of the problem that was solved."""
        return Certificate(*self.measure(self.problem, self.solution.theta, self.solution.dual))


@dataclass(frozen=True, eq=False)
class Parts(Outcome):
    """Of a batch that was worked on in parts, whose matrices are never together in memory.

    Attributes:
        parts: In the order of the rows.
    """

    parts: tuple[Outcome, ...]

    @property
    def theta(self) -> Array:
        """(n, 10) after, in order "urdf", about the caller's point."""
        return np.concatenate([part.theta for part in self.parts])

    @property
    def changed(self) -> Array:
        """(n,) whether any number differs from what was given."""
        return np.concatenate([part.changed for part in self.parts])

    @property
    def vanished(self) -> Array:
        """(n,) whether no inertia is left."""
        return np.concatenate([part.vanished for part in self.parts])

    @property
    def distance(self) -> Array:
        """(n,) length of the change in the metric."""
        return np.concatenate([part.distance for part in self.parts])

    @property
    def relative_change(self) -> Array:
        """(n,) of the sorted principal moments."""
        return np.concatenate([part.relative_change for part in self.parts])

    def certify(self) -> Certificate:
        """The residuals of every part."""
        proofs = [part.certify() for part in self.parts]
        return Certificate(*(np.concatenate(values) for values in zip(*proofs, strict=True)))


def certificate(before: Array, after: Array, metric: MomentMetric, margin: float) -> Certificate:
    """The optimality conditions of a projection at fixed mass and centre of mass.

    With S' in the cone C = {S : lmin(S) >= mu tr(S), tr(S) >= 0}, the gradient G of the squared
    distance must lie in its dual cone {G : mu tr(G) + (1 - 3 mu) lmin(G) >= 0}, and <G, S'> = 0.
    That is Z >= 0 and <Z, Q(S')> = 0 for G = Q(Z), Q(S) = S - mu tr(S) 1, without the inverse of Q,
    which does not exist at mu = 1/3.

    Args:
        before: (..., 6) I_BBcm given.
        after: (..., 6) I_BBcm found.
        metric: What was to be least.
        margin: mu.

    Returns:
        Non-negative, dimensionless; of the order of the rounding unit for the closed form.
    """
    xp = array_namespace(before, after)
    given, found = second_moment(before), second_moment(after)
    size = xp.sum(xp.abs(eigenvalues(given)), axis=-1)
    size = xp.where(size > 0, size, xp.ones_like(size))[..., None]
    given, found = given / size, found / size
    gradient = metric.gradient(found - given)
    zero = xp.zeros_like(size[..., 0])
    lowest = eigenvalues(found)[..., 0]
    primal = xp.maximum(margin * xp.maximum(trace(found), zero) - lowest, zero)
    steepest = margin * trace(gradient) + (1 - 3 * margin) * eigenvalues(gradient)[..., 0]
    return Certificate(primal, xp.maximum(-steepest, zero), xp.abs(inner(gradient, found)))
