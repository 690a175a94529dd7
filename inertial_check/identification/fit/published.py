"""Bodies from base parameters that were identified before, as Sousa and Cortesao ask for them.

Base parameters beta = K theta leave many directions of theta open, and often no consistent bodies
have them: noise moves them out of the image of the cone. Asked for are consistent bodies with

    minimum of (beta - K theta)^T C^-1 (beta - K theta) + regularization * (prior terms),

C the covariance of beta: an identification with the rows C^-1/2 K. Without a covariance the base
parameters hold as far as any consistent bodies can have them, and of those bodies the nearest to
the prior are taken, by the method of multipliers. Source: Sousa, Cortesao, Physical Feasibility of
Robot Base Inertial Parameter Identification, Int. J. Robot. Res. 33 (2014).

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError, expect
from inertial_check.identification.fit.base import BaseParameters
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.solve import prepare_priors
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, read_floats
from inertial_check.inertia.parameters import InertialParameters, body_names
from inertial_check.inertia.representations import refuse_asymmetric, reorder
from inertial_check.projection.constraint import Constraint

WEIGHTS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1.0)
"""Weights of the prior in the rounds of the method, in units of the weight of the base
parameters."""

ROUNDS = 30
"""Rounds at most; three to six are usual."""


@dataclass(frozen=True, eq=False)
class FromBase:
    """Consistent bodies for base parameters.

    Attributes:
        identification: The bodies, with the proof of the problem that gave them.
        base: What base parameters are.
        distance: Of the bodies' base parameters from those given, in deviations of all together.
        least: The same of any consistent bodies: above 0 no robot has what was given. NaN where no
            answer to that question could be certified.
        realisable: Whether any has it.
        deviations: (b,) differences of the bodies' own from those given, in units of the noise that
            is left beside the base parameters before.
    """

    identification: Identification
    base: BaseParameters
    distance: float
    least: float
    realisable: bool
    deviations: Floats

    @property
    def theta(self) -> Floats:
        """(L, 10) about the body origins, in the order of the base's columns."""
        return self.identification.theta

    @property
    def beta(self) -> Floats:
        """(b,) the bodies' own base parameters."""
        return self.base.of(self.identification.si)

    @property
    def doubt(self) -> str:
        """Why it is doubtful that any consistent bodies have the base parameters; "" if not."""
        if self.realisable:
            return ""
        if np.isnan(self.least):
            return "whether any consistent bodies have these base parameters could not be certified"
        return (
            "no consistent bodies have these base parameters: the nearest lie "
            f"{self.least:.3g} deviations away, over all {self.base.rank} together"
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on what was assumed or is doubtful, one line each."""
        return (*self.identification.remarks, *filter(None, [self.doubt]))


def identify_from_base(  # noqa: PLR0913 - what is known and what is wanted
    beta: ArrayLike,
    base: BaseParameters,
    prior: InertialParameters | ArrayLike,
    *,
    covariance: ArrayLike | None = None,
    regularization: float = 1.0,
    nuisance: Nuisance | None = None,
    constraints: Constraint | Sequence[Constraint] = (),
    margin: float = 0.0,
    bodies: Sequence[str] | None = None,
) -> FromBase:
    """Find the consistent bodies whose base parameters are nearest to given ones.

    Args:
        beta: (b,) base parameters [SI], in the order of `base.names`.
        base: What they are combinations of.
        prior: InertialParameters or (L, 10), in the order of the columns of `base`: it decides what
            the base parameters leave open.
        covariance: (b, b) of beta, or (b,) variances. None: beta holds as far as it can, and where
            no consistent bodies have it, deviations are those that the prior leaves it.
        regularization: Weight of the prior beside a covariance.
        nuisance: Bounds and priors of what is no body, if `base` has columns for it.
        constraints: As for `identify`.
        margin: Least margin of the bodies.
        bodies: L names, for the remarks.

    Returns:
        The bodies, and how far their base parameters and those of any others are from beta.

    Raises:
        ParameterError: Shapes that do not fit, a covariance that is not positive definite, a prior
            that is none.
        ProjectionError: No answer could be certified, or the constraints exclude each other.

    Example:
        >>> # The torques of a pendulum show hx, hz and Iyy; the prior says the rest
        >>> q, du = np.random.default_rng(0).normal(size=(2, 50))
        >>> Y = np.zeros((50, 10))
        >>> Y[:, 1], Y[:, 3], Y[:, 7] = -9.81 * np.cos(q), 9.81 * np.sin(q), du
        >>> base = ic.base_parameters(Y)
        >>> rod = np.array([2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01])
        >>> prior = np.array([1.5, 0, 0, -0.6, 0.5, 0, 0, 0.5, 0, 0.02])
        >>> found = ic.identify_from_base(base.of(rod), base, prior, regularization=1e-6)
        >>> print(found.theta[0, [1, 3, 7]].round(3) + 0.0)
        [ 0.  -1.   0.7]
        >>> print(ic.check(found.theta).verdict)
        ['consistent']
    """
    expect(BaseParameters, base=base)
    expect(Nuisance, "nothing", nuisance=nuisance)
    beta, beside = _read_base_parameters(beta, base), _beside(base, nuisance)
    count = (len(base.columns) - base.further) // 10
    names = body_names(bodies, count)
    theta0 = prepare_priors(prior, count, base.order, tolerances.PRIOR_MARGIN, names).theta
    # (b, b) covariance of beta under a prior of weight 1, in which what has no scale counts 1.
    problem = Problem.of((_canonical(base), np.zeros(base.rank), 0.0), theta0, beside, 1.0)
    of_prior = np.asarray(problem.A @ problem.A.T)
    given = None if covariance is None else _read_covariance(covariance, base)
    rows, values = _whiten(base.K, beta, of_prior if given is None else given)
    weighs = 1.0 if given is None else float(base.rank / np.trace(np.linalg.solve(of_prior, given)))

    def solve(wanted: Floats, weight: float) -> Identification:
        columns = rows[:, None, 10 * count :]
        return identify(
            rows[:, : 10 * count],
            wanted,
            prior,
            weights=1.0,
            constraints=constraints,
            order=base.order,
            regularization=weight,
            margin=margin,
            bodies=bodies,
            nuisance=replace(beside, ready=columns) if base.further else None,
        ).require_certificate()

    try:
        nearest, least = _nearest(solve, rows, values, weighs)
    except ProjectionError:
        if given is None:
            raise
        least = np.nan
    reached = bool(least <= tolerances.BASE_REACHED * np.linalg.norm(values))
    if given is None:
        return FromBase(nearest, base, least, least, reached, values - rows @ nearest.si)
    found = solve(values, regularization)
    deviations = values - rows @ found.si
    distance = float(np.linalg.norm(deviations))
    return FromBase(found, base, distance, least, reached, deviations)


def _nearest(
    solve: Callable[[Floats, float], Identification], rows: Floats, values: Floats, weighs: float
) -> tuple[Identification, float]:
    """Bodies with rows x = values, as far as there are any, nearest to the prior; their distance.

    What is left is added to what is wanted, round by round: so the prior can weigh enough for the
    problem to be well posed, and still give way.

    Raises:
        ProjectionError: No weight of the prior gives a certified answer.
    """
    *weights, largest = WEIGHTS
    for weight in weights:
        with suppress(ProjectionError):
            return _iterate(solve, rows, values, weight * weighs)
    return _iterate(solve, rows, values, largest * weighs)


def _iterate(
    solve: Callable[[Floats, float], Identification], rows: Floats, values: Floats, weight: float
) -> tuple[Identification, float]:
    """Iterate the method of multipliers with one weight of the prior until it settles."""
    wanted, last = values, np.inf
    for _ in range(ROUNDS):
        found = solve(wanted, weight)
        left = values - rows @ found.si
        distance = float(np.linalg.norm(left))
        done = distance <= tolerances.MEETS * np.linalg.norm(values)
        if done or distance >= (1 - tolerances.BASE_SETTLED) * last:
            break
        wanted, last = wanted + left, distance
    return found, distance


def _read_base_parameters(beta: ArrayLike, base: BaseParameters) -> Floats:
    """Read base parameters as an array (b,).

    Raises:
        ParameterError: Another shape, or a number that is not finite.
    """
    (array,) = read_floats((), beta=beta)
    if array.shape != (base.rank,):
        raise ParameterError(f"beta has shape {array.shape}, expected ({base.rank},)")
    if not np.all(np.isfinite(array)):
        bad = int(np.argmin(np.isfinite(array)))
        raise ParameterError(f"beta[{bad}] ({base.names[bad]}) is {array[bad]}, expected a number")
    return array


def _beside(base: BaseParameters, nuisance: Nuisance | None) -> Nuisance:
    """Make the nuisance of the columns that belong to no body.

    Raises:
        ParameterError: Of other ones.
    """
    names = base.columns[len(base.columns) - base.further :]
    if nuisance is None:
        none, unbounded = np.zeros(len(names)), np.full(len(names), np.inf)
        return Nuisance(names, -unbounded, unbounded, none, unbounded)
    if nuisance.names != names:
        raise ParameterError(
            f"nuisance is of {', '.join(nuisance.names) or 'nothing'}, expected that of the base "
            f"parameters: {', '.join(names) or 'nothing'}"
        )
    return nuisance


def _canonical(base: BaseParameters) -> Floats:
    """K with the columns of each body in order "urdf"."""
    count = len(base.columns) - base.further
    bodies = base.K[:, :count].reshape(base.rank, -1, 10)
    own = np.asarray(reorder(bodies, base.order, "urdf")).reshape(base.rank, count)
    return np.concatenate([own, base.K[:, count:]], axis=1)


def _read_covariance(covariance: ArrayLike, base: BaseParameters) -> Floats:
    """Read a covariance (b, b).

    Raises:
        ParameterError: Another shape, a number that is not finite, a matrix that is not symmetric.
    """
    (array,) = read_floats((), covariance=covariance)
    if array.shape == (base.rank,):
        array = np.diag(array)
    if array.shape != (base.rank, base.rank):
        raise ParameterError(
            f"covariance has shape {array.shape}, expected {(base.rank, base.rank)} or "
            f"({base.rank},) variances"
        )
    if not np.all(np.isfinite(array)):
        raise ParameterError("covariance holds a number that is not finite")
    refuse_asymmetric(np, "covariance", array)
    return array


def _whiten(K: Floats, beta: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Whiten the equations K theta = beta by their covariance C: C^-1/2 K and C^-1/2 beta.

    Raises:
        ParameterError: C is not positive definite.
    """
    sizes = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if not np.all(sizes > 0):
        bad = int(np.argmin(sizes))
        raise ParameterError(
            f"covariance[{bad}, {bad}] is {float(covariance[bad, bad])!r}, expected a positive "
            "variance"
        )
    try:
        root = np.linalg.cholesky(covariance / (sizes[:, None] * sizes))
    except np.linalg.LinAlgError:
        raise ParameterError(
            "covariance is not positive definite: a combination of base parameters has no variance"
        ) from None
    both = np.linalg.solve(root, np.column_stack([K, beta]) / sizes[:, None])
    return np.asarray(both[:, :-1]), np.asarray(both[:, -1])
