"""The nearest of one body by a metric of the whole pseudo-inertia, without batches of one.

The same equations as newton.py and quadratic.py, on vectors and matrices without a leading axis:
for one body most of the time of those goes into calls. Where an answer needs more than plain Newton
steps (a least mass, a little body under a point, the central path, a solver), nothing is returned
and `general` finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from inertial_check.arrays.types import Array, Floats
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta, measure_single
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import about_origin, join, split
from inertial_check.projection.general import read_definite_weights
from inertial_check.projection.newton import DYAD, POINT_STEPS, SEARCH, STEPS
from inertial_check.projection.options import Options
from inertial_check.projection.quadratic import UNITS_FIT, Quadratic, certify
from inertial_check.projection.small_moves import is_small_move
from inertial_check.projection.solver_result import (
    SolverResult,
    empty_result,
    measure_matrices,
    multiply_matrices,
    verify_returned,
)
from inertial_check.projection.verification import Unit, verify_matrices
from inertial_check.solvers.certificate import Certificate
from inertial_check.solvers.svec import (
    COLUMN,
    ENTRY,
    FROM_SVEC,
    ROW,
    SCALE,
    TO_SVEC,
    congruence,
)

_LOG_UNITS = (np.eye(4) - 0.25) @ UNITS_FIT / 2
"""Map (4, 10) from the logarithms of the diagonal of W on svec to those of the four units."""

_NUMPY = (np.ndarray, list, tuple, type(None))
_PRIORS = (InertialParameters, *_NUMPY)

_FROM_SQUARES = FROM_SVEC**2
_ENTRY_SCALE = 1 / SCALE[ENTRY]


class SingleRoot(NamedTuple):
    """Answer in SI units.

    Attributes:
        theta: (10,) order "urdf" about the body origin.
        dual: (10,) svec of the multiplier of Pi >= 0.
        residual: Largest of the three residuals of its certificate.
        reference: (4, 4) in whose units the problem was solved.
        steps: Newton steps.
    """

    theta: Floats
    dual: Floats
    residual: float
    reference: Floats
    steps: int


def move_body(judged: Consistency, options: Options) -> SolverResult | None:
    """Move one body by weights or by a prior, as `general.project_matrices` does.

    Args:
        judged: The given body, about its origin, and its verdict.
        options: The request, without constraints.

    Returns:
        The result, empty where the body is feasible; None where `general` has to find it.

    Raises:
        ParameterError: Weights that are none.
    """
    body, weighted = judged.single, options.prior is None
    if body is None or judged.about != "origin" or not asks_plainly(options):
        return None
    verdict = body.judge()
    if verdict > Verdict.INCONSISTENT:
        return None
    given = read_single_weights(options, judged.shape) if weighted else _read_prior(options)
    if given is None:
        return None
    if verdict <= Verdict.BOUNDARY:
        return empty_result("newton" if weighted else "closed form", floored=True, iterations=True)
    project = project_by_weights if weighted else project_by_prior
    return project(np.asarray(judged.theta).reshape(10), given, options.mass_min)


def asks_plainly(options: Options) -> bool:
    """Decide whether a request is for a metric that is solved here, and for nothing beside it.

    Weights and a prior may stand beside each other elsewhere only.
    """
    more = options.solver is not None or options.margin != 0 or options.exact
    if more or options.metric not in ("weighted", "euclidean", "prior"):
        return False
    numbers = isinstance(options.weights, _NUMPY) and isinstance(options.prior, _PRIORS)
    return numbers and (options.prior is None or options.metric == "prior")


def read_single_weights(options: Options, shape: tuple[int, ...]) -> Floats | None:
    """Read weights in order "urdf", (10,) where they are diagonal; None for singular ones."""
    if options.metric == "euclidean":
        return np.ones(10)
    weights = read_definite_weights(options, shape)
    if weights.singular.any():
        return None
    W = weights.values.reshape(weights.values.shape[len(shape) :])
    if weights.diagonal:
        return W
    diagonal = W.diagonal()
    return np.array(diagonal) if np.count_nonzero(W) == np.count_nonzero(diagonal) else W


def _read_prior(options: Options) -> Floats | None:
    """Read the pseudo-inertia (4, 4) of one prior; None where `read_prior` has to look at it."""
    prior = options.prior
    if isinstance(prior, InertialParameters):
        theta, about = prior.as_theta(about=prior.about), prior.about
    else:
        theta, about = as_theta(cast("Floats", prior), options.order, "origin")
    if type(theta) is not np.ndarray or theta.shape != (10,) or theta.dtype != np.float64:
        return None
    body = measure_single(theta.tolist(), about)
    if body is None or not (body.theta[0] > 0 and body.margin > body.floor):
        return None
    if about == "com":
        mass, h, six = split(theta)
        theta = join(mass, h, about_origin(mass, h, six))
    return unpack_single(TO_SVEC @ theta)


def project_by_weights(theta0: Floats, W: Floats, mass_min: float | None) -> SolverResult | None:
    """Find the nearest of a body by weights.

    Args:
        theta0: (10,) in order "urdf" about the body origin, finite.
        W: (10,) a diagonal, or (10, 10) positive definite.
        mass_min: Least mass [kg]; None for a part of that of the body.

    Returns:
        The result, or None where plain Newton steps from a good guess do not find it.
    """
    try:
        with np.errstate(all="ignore"):
            found = _solve_weighted(theta0, W)
    except np.linalg.LinAlgError:
        return None
    if found is None or not is_sound(found, theta0, mass_min):
        return None
    whole = np.diag(W) if W.ndim == 1 else W
    return describe_single(theta0, whole[None], found, "newton")


def project_by_prior(theta0: Floats, prior: Floats, mass_min: float | None) -> SolverResult | None:
    """Find the nearest of a body in the units of a prior (4, 4), as `project_by_whitening` does.

    Returns:
        The result, or None where the answer needs a least mass or a little body under it.
    """
    try:
        with np.errstate(all="ignore"):
            found = _whiten(theta0, prior)
    except np.linalg.LinAlgError:
        return None
    if not is_sound(found, theta0, mass_min):
        return None
    return describe_single(theta0, None, found, "closed form")


def is_sound(found: SingleRoot, theta0: Floats, mass_min: float | None) -> bool:
    """Decide whether an answer is certified, has the least mass and is a body."""
    if not found.residual <= tolerances.CERTIFIED:
        return False
    numbers = found.theta.tolist()
    if is_small_move(theta0.tolist(), numbers):  # found in twice the digits
        return False
    if mass_min is None:
        given = abs(float(theta0[0]))
        mass_min = tolerances.MASS_FLOOR * (given if given > 0 else float(found.reference[3, 3]))
    body = measure_single(numbers, "origin") if numbers[0] >= mass_min else None
    return body is not None and body.spread > 0 and body.judge() <= Verdict.BOUNDARY


def describe_single(
    theta0: Floats, W: Floats | None, found: SingleRoot, solver: str
) -> SolverResult:
    """Make the result of a body that was moved."""
    theta, dual = found.theta[None], found.dual[None]
    problem = Quadratic(theta0[None], W, np.zeros((1, 4, 4)), found.reference[None])
    no = np.zeros(1, dtype=np.bool_)
    return SolverResult(
        theta=theta,
        changed=np.array([bool((found.theta != theta0).any())]),
        vanished=no,
        floored=no,
        solver=solver,
        iterations=np.array([found.steps], dtype=np.int32),
        measure=partial(measure_matrices, problem, theta),
        certify=partial(certify, problem, theta, dual),
        problem=problem,
        multiply=partial(multiply_matrices, dual, np.zeros((1, 3))),
        verify=bind_verification(problem, partial(verify_matrices, problem, dual)),
    )


def bind_verification(
    problem: Quadratic, certify: Callable[[Floats, Unit], Certificate]
) -> Callable[[Array, Unit], Certificate]:
    """Bind the certificate of a change of theta to the body that was given about its origin."""
    return partial(verify_returned, certify, problem.theta0, "origin", np.zeros((1, 3)))


def _whiten(theta0: Floats, prior: Floats) -> SingleRoot:
    """Whiten, clip the eigenvalues and un-whiten, with the certificate of what was rounded."""
    units = np.sqrt(prior.diagonal())
    factor = np.linalg.cholesky(prior / (units[:, None] * units))
    L, inverse = units[:, None] * factor, np.linalg.inv(factor) / units
    X0 = inverse @ unpack_single(TO_SVEC @ theta0) @ inverse.T
    size = float(np.sqrt((X0 * X0).sum())) or 1.0
    X0 /= size
    values, vectors = np.linalg.eigh(X0)
    Z = (vectors * np.maximum(-values, 0.0)) @ vectors.T
    theta = FROM_SVEC @ pack_single(L @ ((X0 + Z) * size) @ L.T)
    dual = pack_single(inverse.T @ Z @ inverse) * size
    X = inverse @ unpack_single(TO_SVEC @ theta) @ inverse.T / size
    Z = L.T @ unpack_single(dual) @ L / size
    pull = X - X0 - Z
    least = _least_eigenvalues(X, Z)
    residual = max(float(np.sqrt((pull * pull).sum())), -least, abs(float((X * Z).sum())))
    return SingleRoot(theta, dual, residual, prior, 0)


class SingleUnits(NamedTuple):
    """The problem of one body in its units: ||x0|| = 1 and det M = 1, theta = K x.

    Attributes:
        x0: (10,) svec of what is to be moved.
        M: (10, 10) the metric.
        K: (10, 10) map of x to theta.
        svec_unit: (10,) unit of each entry of svec(Pi).
        weight: By which M was divided.
        reference: (4, 4) diagonal, in whose units the weights are most even.
        rounding: Residual that counts as rounding.
    """

    x0: Floats
    M: Floats
    K: Floats
    svec_unit: Floats
    weight: float
    reference: Floats
    rounding: float


def normalise_single(theta0: Floats, W: Floats) -> SingleUnits:
    """Put the problem of a body into the units in which its weights are most even.

    Raises:
        LinAlgError: The weights are not positive definite, but for rounding.
    """
    diagonal = W @ _FROM_SQUARES if W.ndim == 1 else ((W @ FROM_SVEC) * FROM_SVEC).sum(axis=0)
    units = np.exp(_LOG_UNITS @ np.log(diagonal))
    products = units[ROW] * units[COLUMN]
    x0 = (TO_SVEC @ theta0) * products
    size = float(np.sqrt(x0 @ x0)) or 1.0
    svec_unit = size / products
    K = FROM_SVEC * svec_unit
    M = K.T @ (W[:, None] * K if W.ndim == 1 else W @ K)
    weight = float(np.exp(np.log(np.linalg.cholesky(M).diagonal()).sum() / 5))
    M = (M + M.T) / (2 * weight)
    rounding = tolerances.ROUNDING_FACTOR * tolerances.EPS * (1 + float(np.sqrt((M * M).sum())))
    reference = np.diag(size / units**2)
    target = min(rounding, tolerances.CERTIFIED)
    return SingleUnits(x0 / size, M, K, svec_unit, weight, reference, target)


def _solve_weighted(theta0: Floats, W: Floats) -> SingleRoot | None:
    """Solve the normal map, and certify what was rounded."""
    units = normalise_single(theta0, W)
    root = _iterate(units.M, units.x0, units.rounding)
    if root is None:
        return None
    x, z, steps = root
    return certify_single(units, units.K @ x, z, 0.0, steps)


def certify_single(
    units: SingleUnits, theta: Floats, z: Floats, held: Floats | float, steps: int
) -> SingleRoot:
    """Compute the residuals of a rounded answer.

    Args:
        units: The problem.
        theta: (10,) the answer.
        z: (10,) the multiplier of Pi >= 0, in units of the problem.
        held: (10,) part of the gradient that fixed numbers hold.
        steps: Newton steps that it took.
    """
    dual = z * (units.weight / units.svec_unit)
    x, z = (TO_SVEC @ theta) / units.svec_unit, dual * units.svec_unit / units.weight
    pull = units.M @ (x - units.x0) - z - held
    least = _least_eigenvalues(unpack_single(x), unpack_single(z))
    residual = max(float(np.sqrt(pull @ pull)), -least, abs(float(x @ z)))
    return SingleRoot(theta, dual, residual, units.reference, steps)


def _iterate(M: Floats, x0: Floats, target: float) -> tuple[Floats, Floats, int] | None:
    """Find x and z with F(Y) = M (x - x0) - z = 0, x = Y+, z = Y+ - Y; None where a step fails."""
    values, vectors = np.linalg.eigh(unpack_single(x0))
    Y = x0
    if values[0] < 0 <= values[1]:
        Y = _guess_rank_one(M, x0, float(values[0]), vectors[:, 0])
    before = np.inf
    for step in range(STEPS):
        values, vectors = np.linalg.eigh(unpack_single(Y))
        x = pack_single((vectors * np.maximum(values, 0.0)) @ vectors.T)
        F = M @ (x - x0) + Y - x
        norm = float(np.sqrt(F @ F))
        if norm <= target:
            return x, x - Y, step
        if not SEARCH.accepts(norm, before, 1.0):
            return None
        Y, before = Y + _newton_step(M, F, values, vectors), norm
    return None


def _newton_step(M: Floats, F: Floats, values: Floats, vectors: Floats) -> Floats:
    """Solve (M Q + 1 - Q) s = -F for the step s of Y."""
    T, jacobian, _ = differentiate(M, values, vectors)
    return np.asarray(-(T @ np.linalg.solve(jacobian, T.T @ F)))


def differentiate(M: Floats, values: Floats, vectors: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute the Jacobian M Q + 1 - Q of the normal map in the eigenbasis of Y.

    Returns:
        The map T (10, 10) from that basis, the Jacobian (10, 10) in it, and Q (10,), the divided
        differences of the positive part.
    """
    radius = np.abs(values)
    total = radius[ROW] + radius[COLUMN]
    slopes = (1 + (values[ROW] + values[COLUMN]) / np.where(total > 0, total, 1.0)) / 2
    T = congruence(vectors[None])[0]
    jacobian = (T.T @ M @ T) * slopes
    jacobian.flat[::11] += 1 - slopes  # its diagonal
    return T, jacobian, slopes


def _guess_rank_one(M: Floats, x0: Floats, value: float, v: Floats) -> Floats:
    """Guess Y = X - v v^T as `newton` does: X = x0 + M^-1 svec(v v^T) with v in its kernel.

    Args:
        M: (10, 10) the metric.
        x0: (10,) what is to be moved.
        value: Its negative eigenvalue.
        v: (4,) the eigenvector.
    """
    inverse = np.linalg.inv(M)
    z = v[ROW] * v[COLUMN] * SCALE
    reach = float(z @ inverse @ z)
    v = v * np.sqrt(max(-value / reach, 0.0)) if reach > 0 else 0 * v
    for _ in range(POINT_STEPS):
        C = (v @ DYAD).reshape(10, 4)
        spread = inverse @ C
        X = unpack_single(x0 + spread @ v / 2)
        jacobian = X + C.T @ spread / 2
        v = v - np.linalg.solve(jacobian, X @ v)
    z = v[ROW] * v[COLUMN] * SCALE
    return np.asarray(x0 + inverse @ z - z)


def unpack_single(vector: Floats) -> Floats:
    """Unpack one svec (10,) to its matrix (4, 4)."""
    return np.asarray(vector[ENTRY] * _ENTRY_SCALE)


def pack_single(matrix: Floats) -> Floats:
    """Pack one symmetric matrix (4, 4) as svec (10,)."""
    return np.asarray(matrix[ROW, COLUMN] * SCALE)


def _least_eigenvalues(X: Floats, Z: Floats) -> float:
    """Compute the least eigenvalue of two matrices (4, 4)."""
    return float(np.linalg.eigvalsh(np.array([X, Z]))[:, 0].min())
