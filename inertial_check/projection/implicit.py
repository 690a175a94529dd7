"""Metrics of the whole pseudo-inertia under JAX and PyTorch: solved in NumPy, differentiated here.

The nearest is found by the same code as for NumPy arrays, in JAX through a pure_callback. Its
derivatives are those of the optimality conditions, in the caller's library: with x = svec(Pi) in
units in which the body has size one, M the metric, Y = X - Z and Q the derivative of the positive
part at Y, (M Q + 1 - Q) dY = M dx0 - dM (x - x0) and dX = Q dY (slopes.py has the source).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from inertial_check.arrays.broadcasting import device_of, real_arrays
from inertial_check.arrays.derivatives import Arrays, differentiable, hold_constant, is_jax
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, Floats, Namespace
from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import as_theta
from inertial_check.inertia.representations import (
    ORDERS,
    Point,
    about_com,
    about_origin,
    join,
    pseudo_inertia,
)
from inertial_check.projection._rows import Rows
from inertial_check.projection.closed_form import BALL
from inertial_check.projection.options import Options
from inertial_check.projection.result import Projection, Status
from inertial_check.projection.solver_result import Change, SolverResult
from inertial_check.solvers.certificate import Certificate
from inertial_check.solvers.svec import COLUMN, FROM_SVEC, ROW, SCALE, TO_SVEC

DIFFERENTIABLE = ("prior", "weighted", "euclidean", "pseudo-inertia")
"""Metrics of the whole pseudo-inertia that go through a trace."""

_BASIS = np.zeros((10, 4, 4))
_BASIS[np.arange(10), ROW, COLUMN] = _BASIS[np.arange(10), COLUMN, ROW] = 1 / SCALE
_BODIES = np.asarray(pseudo_inertia(np.eye(10)))


def project_implicitly(given: Array, about: Point, options: Options) -> Projection:
    """Project rows of a library that traces or differentiates.

    Args:
        given: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        options: The request, without constraints and margin.

    Raises:
        ParameterError: An option that cannot be traced; weights or a prior of a wrong shape.
    """
    _refuse_untraceable(options)
    theta, weights, prior = _read(given, about, options)
    xp, batch = array_namespace(theta), tuple(theta.shape[:-1])
    W = _read_metric(xp, theta, weights, prior, options)
    host = replace(options, order="urdf", about="origin", weights=None, prior=None)
    extras = [array for array in (weights, prior) if array is not None]

    def value(theta: Array, W: Array, *rest: Array) -> Arrays:
        return _call_host(xp, theta, rest, host, weights is not None)

    def slope(arrays: Arrays, results: Arrays, changes: Arrays) -> Arrays:
        moved = _change(xp, arrays[:2], results, changes[:2], options.mass_min)
        return moved, xp.zeros_like(results[1])

    constants = [hold_constant(array) for array in extras]
    found, facts = differentiable(xp, value, slope, theta, W, *constants)
    facts = hold_constant(facts)
    changed = facts[..., 0] != 0
    if about == "com":
        mass, moment = found[..., 0], found[..., 1:4]
        safe = xp.where(changed, mass, xp.ones_like(mass))
        found = join(mass, moment, about_com(safe, moment, found[..., 4:]))
    rows = Rows(changed)
    result = SolverResult(
        theta=found,
        changed=changed,
        vanished=facts[..., 1] != 0,
        floored=facts[..., 2] != 0,
        solver="newton" if options.metric in ("weighted", "euclidean") else "closed form",
        iterations=xp.astype(facts[..., 4], xp.int32),
        measure=lambda: Change(facts[..., 5], facts[..., 6]),
        certify=lambda: Certificate(facts[..., 7], facts[..., 8], facts[..., 9]),
    )
    return Projection(
        order=options.order,
        about=about,
        metric=options.metric,
        margin=options.margin,
        canonical=xp.where(xp.broadcast_to(changed[..., None], (*batch, 10)), found, given),
        rows=rows,
        result=result,
        codes=xp.astype(facts[..., 3], xp.int8),
        like=None,
    )


def _refuse_untraceable(options: Options) -> None:
    if (
        options.metric not in DIFFERENTIABLE
        or options.constraints
        or options.margin > 0
        or options.exact
    ):
        raise ParameterError(
            f"metric {options.metric!r} with margin {options.margin} and "
            f"{len(options.constraints)} constraints, exact={options.exact}, is computed in NumPy "
            "and has no derivatives; "
            f"inertia and covariance with any margin, and {', '.join(DIFFERENTIABLE)} without a "
            "margin or constraints, and none exactly, can be traced and differentiated"
        )


def _read(given: Array, about: Point, options: Options) -> tuple[Array, Array | None, Array | None]:
    """Read theta, weights (..., 10, 10) and prior (..., 10), about the origin, as one batch."""
    named: dict[str, Any] = {"theta": given}
    if options.weights is not None:
        named["weights"] = options.weights
    if options.prior is not None:
        prior, prior_about = as_theta(options.prior, options.order, about)
        if prior_about == "com":
            six = about_origin(prior[..., 0], prior[..., 1:4], prior[..., 4:])
            prior = join(prior[..., 0], prior[..., 1:4], six)
        named["prior"] = prior
    named = {
        name: array.tolist() if isinstance(array, np.ndarray) else array
        for name, array in named.items()
    }
    xp, arrays = real_arrays(**named)
    found = dict(zip(named, arrays, strict=True))
    theta = found["theta"]
    if about == "com":
        six = about_origin(theta[..., 0], theta[..., 1:4], theta[..., 4:])
        theta = join(theta[..., 0], theta[..., 1:4], six)
    batch = tuple(theta.shape[:-1])
    weights = found.get("weights")
    if weights is not None:
        if tuple(weights.shape[-2:]) != (10, 10):
            weights = weights[..., :, None] * _constant(xp, np.eye(10), theta)
        place = [*range(4), *(4 + ORDERS[options.order].index(e) for e in ORDERS["urdf"])]
        index = xp.asarray(place, device=device_of(theta))
        weights = xp.take(xp.take(weights, index, axis=-1), index, axis=-2)
        weights = xp.broadcast_to(weights, (*batch, 10, 10))
    priors = found.get("prior")
    if priors is not None:
        priors = xp.broadcast_to(priors, (*batch, 10))
    return theta, weights, priors


def _read_metric(
    xp: Namespace, theta: Array, weights: Array | None, prior: Array | None, options: Options
) -> Array:
    """Build W (..., 10, 10) of the metric on theta about the origin."""
    shape = (*theta.shape[:-1], 10, 10)
    if options.metric == "euclidean":
        return xp.broadcast_to(_constant(xp, np.eye(10), theta), shape)
    if options.metric == "pseudo-inertia":
        return xp.broadcast_to(_constant(xp, TO_SVEC.T @ TO_SVEC, theta), shape)
    total = None if weights is None else (weights + xp.matrix_transpose(weights)) / 2
    if prior is not None:
        own = _weights_of_prior(xp, prior)
        total = own if total is None else total + options.regularization * own
    assert total is not None  # options were validated
    return total


def _weights_of_prior(xp: Namespace, prior: Array) -> Array:
    """Build W with d^T W d = tr(P^-1 dPi P^-1 dPi), P the pseudo-inertias of the priors."""
    P = pseudo_inertia(prior)
    units = xp.sqrt(xp.stack([P[..., i, i] for i in range(4)], axis=-1))
    both = units[..., :, None] * units[..., None, :]  # mass and moments differ by many orders
    inverse = xp.linalg.inv(P / both) / both
    A = xp.matmul(inverse[..., None, :, :], _constant(xp, _BODIES, prior))
    A = xp.reshape(A, (*prior.shape[:-1], 10, 16))
    B = xp.reshape(xp.matrix_transpose(xp.reshape(A, (*prior.shape[:-1], 10, 4, 4))), A.shape)
    return xp.matmul(A, xp.matrix_transpose(B))


def _call_host(
    xp: Namespace, theta: Array, extras: Arrays, options: Options, weighted: bool
) -> Arrays:
    """Project in NumPy: (..., 10) theta, and (..., 10) facts of each row."""

    def project(theta: Any, *extras: Any) -> tuple[Any, Any]:  # noqa: ANN401
        kind = np.asarray(theta).dtype
        found, facts = _project_in_numpy(theta, extras, options, weighted)
        return found.astype(kind), facts.astype(kind)

    if is_jax(xp):
        import jax

        shape = jax.ShapeDtypeStruct(theta.shape, theta.dtype)  # type: ignore[no-untyped-call]
        found: Arrays = jax.pure_callback(
            project, (shape, shape), theta, *extras, vmap_method="broadcast_all"
        )
        return found
    device = device_of(theta)
    tensors: tuple[Any, ...] = (theta, *extras)
    plain = [array.detach().cpu().numpy() for array in tensors]
    return tuple(xp.asarray(part, device=device) for part in project(*plain))


def _project_in_numpy(
    theta: Array, extras: Arrays, options: Options, weighted: bool
) -> tuple[Floats, Floats]:
    from inertial_check.projection.project import project_with

    arrays: list[Any] = [np.asarray(array, dtype=np.float64) for array in extras]
    if weighted:
        options = replace(options, weights=arrays.pop(0))
    if arrays:
        options = replace(options, prior=arrays.pop(0))
    found = project_with(np.asarray(theta, dtype=np.float64), options)
    facts = [
        found.changed,
        found.vanished,
        np.asarray(found.status_code) == int(Status.MASS_FLOORED),
        found.status_code,
        found.iterations,
        found.distance,
        found.relative_change,
        found.primal_residual,
        found.dual_residual,
        found.gap,
    ]
    return np.asarray(found.theta), np.stack([np.asarray(f, dtype=float) for f in facts], axis=-1)


def _change(
    xp: Namespace, arrays: Arrays, results: Arrays, changes: Arrays, mass_min: float | None
) -> Array:
    """Compute the change (..., 10) of the nearest theta by the implicit function theorem."""
    (theta0, W), (found, facts), (dtheta, dW) = arrays, results, changes
    moved, floored = facts[..., :1] != 0, facts[..., 2] != 0
    ball = xp.zeros_like(theta0) + _constant(xp, np.asarray(BALL), theta0)
    before, after = xp.where(moved, theta0, ball), xp.where(moved, found, ball)
    W = xp.where(moved[..., None], W, _constant(xp, np.eye(10), W))
    apart = _constant(xp, np.eye(10)[9], theta0)
    least = xp.where(floored, after[..., 0], xp.zeros_like(after[..., 0]))
    rate = tolerances.MASS_FLOOR if mass_min is None else 0.0
    sign = xp.where(before[..., 0] >= 0, floored * 1.0, floored * -1.0)
    dleast = (rate * sign * dtheta[..., 0])[..., None] * apart
    to_svec, from_svec = (_constant(xp, m, theta0) for m in (TO_SVEC, FROM_SVEC))
    floor = least[..., None] * apart
    x0, x, dx0 = (
        xp.matmul(to_svec, v[..., None])[..., 0] - d
        for v, d in ((before, floor), (after, floor), (dtheta, dleast))
    )
    units = _choose_units(xp, before, after)
    M, dM = (
        xp.matmul(xp.matrix_transpose(from_svec), xp.matmul(m, from_svec))
        * units[..., :, None]
        * units[..., None, :]
        for m in (W, dW)
    )
    trace = xp.sum(xp.stack([M[..., i, i] for i in range(10)], axis=-1), axis=-1)
    size = hold_constant(trace)[..., None, None] / 10
    M, dM, x0, x, dx0 = M / size, dM / size, x0 / units, x / units, dx0 / units
    pulled = xp.matmul(M, (x - x0)[..., None])
    right = xp.matmul(M, dx0[..., None]) - xp.matmul(dM, (x - x0)[..., None])
    T, slopes = _positive_part(xp, x - pulled[..., 0])
    transposed = xp.matrix_transpose(T)
    jacobian = xp.matmul(transposed, xp.matmul(M, T)) * slopes[..., None, :]
    jacobian = jacobian + (1 - slopes)[..., None, :] * _constant(xp, np.eye(10), T)
    turned = xp.linalg.solve(jacobian, xp.matmul(transposed, right))
    dx = xp.matmul(T, slopes[..., :, None] * turned)[..., 0] * units + dleast
    dfound = xp.matmul(from_svec, dx[..., None])[..., 0]
    return xp.where(moved, dfound, dtheta)


def _choose_units(xp: Namespace, before: Array, after: Array) -> Array:
    """Choose the unit (..., 10) of each entry of svec(Pi): the size of the body about its frame."""
    both = xp.abs(pseudo_inertia(before)) + xp.abs(pseudo_inertia(after))
    total = both[..., 0, 0] + both[..., 1, 1] + both[..., 2, 2]
    length, mass = xp.sqrt(hold_constant(total)), xp.sqrt(hold_constant(both[..., 3, 3]))
    own = xp.stack([length, length, length, mass], axis=-1)
    own = xp.where(own > 0, own, xp.ones_like(own))
    rows, columns = ([own[..., int(i)] for i in index] for index in (ROW, COLUMN))
    return xp.stack([r * c for r, c in zip(rows, columns, strict=True)], axis=-1)


def _positive_part(xp: Namespace, y: Array) -> tuple[Array, Array]:
    """Compute the map (..., 10, 10) to the eigenbasis of Y, and the slopes of Y+ there."""
    basis = _constant(xp, _BASIS, y)
    Y = xp.sum(y[..., :, None, None] * basis, axis=-3)
    values, vectors = xp.linalg.eigh(Y)
    V = vectors[..., None, :, :]
    turned = xp.matmul(V, xp.matmul(basis, xp.matrix_transpose(V)))
    flat = xp.reshape(turned, (*y.shape[:-1], 10, 16))
    T = xp.matmul(xp.reshape(basis, (10, 16)), xp.matrix_transpose(flat))
    slopes = []
    for i, j in zip(ROW.tolist(), COLUMN.tolist(), strict=True):
        a, b = values[..., i], values[..., j]
        total = xp.abs(a) + xp.abs(b)
        slopes.append((1 + (a + b) / xp.where(total > 0, total, xp.ones_like(total))) / 2)
    return T, xp.stack(slopes, axis=-1)


def _constant(xp: Namespace, values: Floats, like: Array) -> Array:
    return xp.asarray(values.tolist(), dtype=like.dtype, device=device_of(like))
