"""The joint problem of all bodies, in units of their priors, and the proof of an answer.

    minimise ||A x - b||^2 + rss + (x - x0)^T K (x - x0)
    over the bodies X_i >= floor_i and lower <= f <= upper

x holds svec(L_i^-1 Pi_i L_i^-T) of each body, P_i = L_i L_i^T its prior, which is 1 in these units,
then the further numbers f in units of their own. K is regularization times one for the bodies.
Without it most problems have no single answer: many bodies cause the same torques.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import check
from inertial_check.inertia.representations import pseudo_inertia
from inertial_check.solvers.certificate import Certificate
from inertial_check.solvers.svec import (
    FROM_SVEC,
    TO_SVEC,
    apply,
    congruence,
    factors,
    pack,
    root_of,
    unpack,
)


class _Answer(Protocol):
    @property
    def x(self) -> Floats:
        """The point that was found."""


AnswerT = TypeVar("AnswerT", bound=_Answer)

IDENTITY: Floats = pack(np.eye(4))
"""Svec of the 4x4 identity: every prior in its own units."""


class Bounds(NamedTuple):
    """Effect of the bounds of the further numbers on an answer.

    Attributes:
        left: (k,) projected gradient: half the gradient without the parts that active bounds hold.
        outside: Largest distance by which a bound is violated.
        apart: Complementarity gap, in the unit of the objective.
    """

    left: Floats
    outside: float
    apart: float


LIFTS = tuple(2.0**-k for k in range(44, 26, -1))
"""Parts of the prior, in turn, that lie under a body which rounding leaves outside the cone."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Joint problem of all bodies, in units of their priors.

    Attributes:
        A: (r, 10 L + k).
        b: (r,).
        rss: Residual sum of squares that no parameters explain.
        theta0: (L, 10) the priors, positive definite, in order "urdf" about the body origins [SI].
        regularization: Weight of the bodies' prior terms.
        pull: (L, 10, 10) matrices of the bodies' prior terms, 1 unless asked otherwise.
        beside: (k,) diagonal of K of the further numbers.
        unit: (k,) units by which the further numbers are divided.
        lower: (k,) bounds in these units.
        upper: (k,).
        f0: (k,) their prior, in these units.
        floor: (L, 4, 4) lower bound of every body, positive semidefinite, in these units.
        size: Sum of the weighted squares of the torques.
        names: (k,) names of the further numbers, for messages.
    """

    A: Floats
    b: Floats
    rss: float
    theta0: Floats
    regularization: float
    pull: Floats
    beside: Floats
    unit: Floats
    lower: Floats
    upper: Floats
    f0: Floats
    floor: Floats
    size: float
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        system: tuple[Floats, Floats, float],
        theta0: Floats,
        nuisance: Nuisance,
        regularization: float,
        *,
        spread: Floats | None = None,
        pull: Floats | None = None,
    ) -> Problem:
        """Build the problem of a system of equations in SI units.

        Args:
            system: A (r, p), b (r,), rss, of theta in order "urdf".
            theta0: (L, 10) priors.
            nuisance: Their bounds and priors.
            regularization: Weight of the prior terms, of bodies and further numbers alike.
            spread: (L,) least eigenvalue of every central second moment [kg m^2]; None for 0.
            pull: (L, 10, 10) other matrices than 1 for the bodies' prior terms.
        """
        A, b, rss = system
        count = len(theta0)
        to_theta = cls._to_theta(theta0)
        own = A[:, : 10 * count].reshape(len(A), count, 10)
        white = np.einsum("rij,ijk->rik", own, to_theta).reshape(len(A), -1)
        beside = A[:, 10 * count :]
        length = np.linalg.norm(beside, axis=0)
        usual = np.isfinite(nuisance.scale)
        unit = np.where(usual, nuisance.scale, 1 / np.where(length > 0, length, 1.0))
        return cls(
            np.concatenate([white, beside * unit], axis=1),
            b,
            rss,
            theta0,
            regularization,
            np.tile(np.eye(10), (count, 1, 1)) if pull is None else pull,
            np.where(usual, regularization, 0.0),
            unit,
            nuisance.lower / unit,
            nuisance.upper / unit,
            nuisance.prior / unit,
            _floors(theta0, np.zeros(count) if spread is None else spread),
            float(b @ b) + rss,
            nuisance.names,
        )

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.theta0)

    @property
    def barrier(self) -> float:
        """Weight of -log det of the bodies in half the objective: 0, they may be singular."""
        return 0.0

    @cached_property
    def to_theta(self) -> Floats:
        """(L, 10, 10) maps of a body's ten of x to its theta."""
        return self._to_theta(self.theta0)

    @staticmethod
    def _to_theta(theta0: Floats) -> Floats:
        L, _ = factors(pseudo_inertia(theta0))
        return np.asarray(np.matmul(FROM_SVEC, congruence(L)))

    @cached_property
    def prior(self) -> Floats:
        """(p,) the x of the priors."""
        return np.concatenate([np.tile(IDENTITY, self.bodies), self.f0])

    @cached_property
    def K(self) -> Floats:
        """(p, p) the matrix of the prior terms."""
        K = np.diag(np.concatenate([np.zeros(10 * self.bodies), self.beside]))
        for i, own in enumerate(self.pull):
            K[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = self.regularization * own
        return K

    @cached_property
    def H(self) -> Floats:
        """(p, p) half the second derivative of the objective."""
        H: Floats = self.A.T @ self.A + self.K
        return (H + H.T) / 2

    def theta(self, x: Floats) -> Floats:
        """Convert the bodies of x to theta (L, 10) [SI]."""
        own = x[: 10 * self.bodies].reshape(-1, 10, 1)
        return np.asarray(np.matmul(self.to_theta, own)[:, :, 0] + 0.0)

    def numbers(self, x: Floats) -> Floats:
        """Convert the further numbers of x to SI units (k,)."""
        return np.asarray(x[10 * self.bodies :] * self.unit + 0.0)

    def si(self, x: Floats) -> Floats:
        """Convert x to SI units (p,), in order "urdf"."""
        return np.concatenate([self.theta(x).ravel(), self.numbers(x)])

    def x(self, theta: Floats, numbers: Floats) -> Floats:
        """Convert bodies (L, 10) and further numbers (k,) [SI] to x."""
        _, inverse = factors(pseudo_inertia(self.theta0))
        bodies = apply(inverse, theta @ TO_SVEC.T)
        return np.concatenate([bodies.ravel(), numbers / self.unit])

    def matrices(self, x: Floats) -> Floats:
        """Unpack the bodies (L, 4, 4) of x, less the floor."""
        return np.asarray(unpack(x[: 10 * self.bodies].reshape(-1, 10)) - self.floor)

    def lift(self, parts: Floats) -> Problem:
        """Keep each body inside by a part (L,) of its prior."""
        return replace(self, floor=self.floor + parts[:, None, None] * np.eye(4))

    def independent(self, redundancy: float) -> Problem:
        """Scale the problem to independent samples.

        A filter makes neighbouring samples repeat each other: they tell as much as fewer samples
        would, and standard deviations that count each of them are too small.

        Args:
            redundancy: Number of samples that tell as much as one independent sample.
        """
        weight = 1 / np.sqrt(redundancy)
        return replace(
            self,
            A=weight * self.A,
            b=weight * self.b,
            rss=self.rss / redundancy,
            size=self.size / redundancy,
            regularization=self.regularization / redundancy,
            beside=self.beside / redundancy,
        )

    def sound(self, x: Floats) -> Mask:
        """Decide which bodies (L,) of x are consistent or on the boundary as ten numbers."""
        return np.asarray(check(self.theta(x)).consistent)

    def solve_soundly(self, solve: Callable[[Problem], AnswerT]) -> AnswerT:
        """Solve this problem, and again with those bodies lifted that rounding leaves outside.

        Args:
            solve: Function that finds the answer of a problem.
        """
        found, parts = solve(self), np.zeros(self.bodies)
        for lift in LIFTS:
            bad = ~self.sound(found.x)
            if not bad.any():
                break
            parts = np.where(bad, lift, parts)
            found = solve(self.lift(parts))
        return found

    def data_term(self, x: Floats) -> float:
        """Compute ||A x - b||^2 + rss."""
        left = self.A @ x - self.b
        return float(left @ left) + self.rss

    def prior_term(self, x: Floats) -> float:
        """Compute (x - x0)^T K (x - x0)."""
        change = x - self.prior
        return float(change @ self.K @ change)

    def objective(self, x: Floats) -> float:
        """Compute data term and prior term, the sum that is least."""
        return self.data_term(x) + self.prior_term(x)

    def gradient(self, x: Floats) -> Floats:
        """Compute half the gradient (p,), from the residuals themselves."""
        return np.asarray(self.A.T @ (self.A @ x - self.b) + self.K @ (x - self.prior))

    @cached_property
    def free(self) -> Floats:
        """(p,) the minimum without cones and bounds: regularised least squares.

        Raises:
            ParameterError: There is none: a direction has neither samples nor a prior.
        """
        root = np.concatenate([self.A, _root(self.K)])
        left = np.concatenate([self.b - self.A @ self.prior, np.zeros(len(self.K))])
        Q, R = np.linalg.qr(root)
        diagonal = np.abs(np.diag(R))
        if not diagonal.min(initial=np.inf) > self._least * diagonal.max(initial=0.0):
            self.refuse_open()
        return np.asarray(self.prior + np.linalg.solve(R, Q.T @ left))

    @property
    def _least(self) -> float:
        """Singular values below it, relative to the largest, are rounding."""
        return len(self.prior) * tolerances.EPS

    @cached_property
    def least_squares(self) -> tuple[Floats, int]:
        """The fit with the least change from the prior, consistent or not, and its rank."""
        left = self.b - self.A @ self.prior
        change, _, rank, _ = np.linalg.lstsq(self.A, left, rcond=self._least)
        return self.prior + change, int(rank)

    def refuse_open(self) -> None:
        """Refuse a problem, naming the parameters that neither samples nor a prior decide.

        Raises:
            ParameterError: Always.
        """
        root = np.concatenate([self.A, _root(self.K)])
        _, sizes, V = np.linalg.svd(root, full_matrices=False)
        open_ = sizes <= self._least * sizes.max(initial=0.0)
        share = np.sum(V[open_] ** 2, axis=0)
        count = 10 * self.bodies
        bodies = [
            f"body {i}" for i in range(self.bodies) if share[10 * i : 10 * i + 10].max() > 0.1
        ]
        numbers = [self.names[k] for k in np.flatnonzero(share[count:] > 0.1)]
        raise ParameterError(
            f"the samples decide {int((~open_).sum())} of {len(share)} parameters, and no prior "
            f"the others ({', '.join([*bodies, *numbers]) or 'combinations of all'}): give bodies "
            "a prior with a positive regularization, friction and the like a scale, or longer data"
        )

    def fit_numbers(self, x: Floats) -> Floats:
        """Keep the bodies of x (p,), and fit the further numbers to them."""
        fitted, count = np.array(x), 10 * self.bodies
        left = self.b - self.A[:, :count] @ x[:count]
        if self.A.shape[1] > count:
            fitted[count:] = np.linalg.lstsq(self.A[:, count:], left, rcond=None)[0]
        return fitted

    def certify(self, x: Floats) -> Certificate:
        """Bound how far x is from the optimum, from the data of the problem alone.

        With Z the part of half the gradient in the dual cone, and r the rest of it, no feasible
        point has an objective below this one's by more than 2 <Z, X - floor> + r^T H^-1 r.
        """
        count, gradient = 10 * self.bodies, self.gradient(x)
        slack = self.matrices(x)
        values, vectors = np.linalg.eigh(unpack(gradient[:count].reshape(-1, 10)))
        along = np.einsum("lik,lij,ljk->lk", vectors, slack, vectors)
        held = self.hold(values, along)
        Z = np.matmul(vectors * held[:, None, :], vectors.transpose(0, 2, 1))
        bounds = self.multipliers(x, gradient)
        left = np.concatenate([gradient[:count] - pack(Z).ravel(), bounds.left])
        inside = float(np.linalg.eigvalsh(slack)[:, 0].min(initial=0.0))
        scale = self.scale(x)
        short = self.shortfall(left) / scale
        apart = (2 * abs(float(np.sum(held * along))) + bounds.apart) / scale
        return Certificate(max(0.0, -inside, bounds.outside), short, apart + short)

    def multipliers(self, x: Floats, gradient: Floats) -> Bounds:
        """Split half the gradient (p,) into the part that bounds hold and the rest."""
        f, own = x[10 * self.bodies :], gradient[10 * self.bodies :]
        below, above = np.isfinite(self.lower), np.isfinite(self.upper)
        under = np.where(below, f - self.lower, 0.0)
        over = np.where(above, self.upper - f, 0.0)
        up = self.hold(np.where(below, own, 0.0), under)
        down = self.hold(np.where(above, -own, 0.0), over)
        outside = max(0.0, -float(under.min(initial=0.0)), -float(over.min(initial=0.0)))
        return Bounds(own - up + down, outside, 2 * abs(float(up @ under + down @ over)))

    def hold(self, force: Floats, slack: Floats) -> Floats:
        """Choose the part of a force that a boundary at this distance holds: the cheaper proof.

        A force that is held costs its product with the slack, one that is not its square over the
        least curvature: where nothing acts, that is rounding squared.
        """
        force = np.maximum(force, 0.0)
        return np.where(force >= 2 * self._curvature * np.maximum(slack, 0.0), force, 0.0)

    def shortfall(self, left: Floats) -> float:
        """Bound by left^T H^-1 left the decrease that an unheld force (p,) can bring."""
        values, vectors = self._spectrum
        certain = values > tolerances.EPS * len(values) * values[-1]
        along = vectors.T @ left
        return float(np.sum(along[certain] ** 2 / values[certain]))

    @property
    def _curvature(self) -> float:
        """Least eigenvalue of H."""
        return max(float(self._spectrum[0][0]), 0.0)

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues, ascending, and eigenvectors of H."""
        values, vectors = np.linalg.eigh(self.H)
        return np.asarray(values), np.asarray(vectors)

    def scale(self, x: Floats) -> float:
        """Return the objective, or what hides its rounding where that would show in a gap."""
        rounding = tolerances.SOLVED_FACTOR * tolerances.EPS * self.size
        scale = max(self.objective(x), rounding / tolerances.CERTIFIED)
        return scale if scale > 0 else 1.0


def _floors(theta0: Floats, spread: Floats) -> Floats:
    """Build floors for S_c >= spread 1: Pi >= diag(spread, spread, spread, 0), in units of x."""
    _, inverse = factors(pseudo_inertia(theta0))
    own = spread[:, None] * np.array([1.0, 1.0, 1.0, 0.0])
    return np.asarray(np.matmul(inverse * own[:, None, :], inverse.transpose(0, 2, 1)))


def _root(K: Floats) -> Floats:
    """Compute R with R^T R = K, which is positive semidefinite and mostly diagonal."""
    if np.count_nonzero(K) == np.count_nonzero(np.diag(K)):
        return np.diag(np.sqrt(np.diag(K)))
    return root_of(K)
