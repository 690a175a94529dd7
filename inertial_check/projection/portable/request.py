"""Weights, priors and bodies of a request as arrays of one library, checked row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Floats, Namespace, device_of, real_arrays
from inertial_check.inertia.consistency import Consistency, as_theta
from inertial_check.inertia.derivatives import hold_constant
from inertial_check.inertia.frames import translate
from inertial_check.inertia.representations import ORDERS, Point, about_origin, join, pseudo_inertia
from inertial_check.projection.moments import BALL
from inertial_check.projection.options import Options
from inertial_check.projection.portable.vectors import diagonal, make_constant
from inertial_check.projection.svec import TO_SVEC

_BODIES = np.asarray(pseudo_inertia(np.eye(10)))


class Request(NamedTuple):
    """The bodies of a request in frames F, in which the given numbers stay exact.

    Attributes:
        theta: (..., 10) about Fo.
        p_BoFo_B: (..., 3) origin of F, None where that is the body origin.
        weights: (..., 10, 10), or None.
        prior: (..., 10) about Fo, or None.
        usable: (...,) rows whose prior and weights are positive definite.
    """

    theta: Array
    p_BoFo_B: Array | None
    weights: Array | None
    prior: Array | None
    usable: Array


def read_request(given: Array, about: Point, options: Options) -> Request:
    """Read theta, weights and prior as one batch, in frames F.

    Raises:
        ParameterError: As `project_implicitly` does.
    """
    named: dict[str, Any] = {"theta": given}
    prior_about = about
    if options.weights is not None:
        named["weights"] = options.weights
    if options.prior is not None:
        named["prior"], prior_about = as_theta(options.prior, options.order, about)
    _refuse_visible(named, prior_about, options)
    named = {
        name: array.tolist() if isinstance(array, np.ndarray) else array
        for name, array in named.items()
    }
    xp, arrays = real_arrays(**named)
    found = dict(zip(named, arrays, strict=True))
    theta, prior, weights = found["theta"], found.get("prior"), found.get("weights")
    batch, p_BoFo_B = tuple(theta.shape[:-1]), None
    usable = xp.ones_like(theta[..., 0], dtype=xp.bool)
    if about == "com":
        mass, h = theta[..., :1], theta[..., 1:4]
        some = mass != 0
        p_BoFo_B = xp.where(some, h / xp.where(some, mass, xp.ones_like(mass)), xp.zeros_like(h))
        theta = join(theta[..., 0], xp.where(some, xp.zeros_like(h), h), theta[..., 4:])
    if prior is not None:
        prior = xp.broadcast_to(prior, (*batch, 10))
        judged = Consistency(hold_constant(prior), prior_about)
        usable = usable & judged.mass_positive & (judged.margin > judged.tolerance)
        prior = xp.where(usable[..., None], prior, make_constant(xp, np.asarray(BALL), prior))
        if prior_about == "com":
            six = about_origin(prior[..., 0], prior[..., 1:4], prior[..., 4:])
            prior = join(prior[..., 0], prior[..., 1:4], six)
        prior = prior if p_BoFo_B is None else translate(prior, -p_BoFo_B)
    if weights is not None:
        weights = _read_weights(xp, weights, batch, options)
        definite = _find_definite(xp, weights, prior is not None)
        usable = usable & definite
        one = make_constant(xp, np.eye(10), weights)
        weights = xp.where(definite[..., None, None], weights, one)
    return Request(theta, p_BoFo_B, weights, prior, usable)


def _refuse_visible(named: dict[str, Any], prior_about: Point, options: Options) -> None:
    """Refuse weights and priors by the rules for NumPy arrays, where their numbers can be seen.

    Raises:
        ParameterError: As these rules say.
    """
    from inertial_check.projection.metrics import read_prior
    from inertial_check.projection.problems import read_definite_weights

    batch = tuple(named["theta"].shape[:-1])
    prior = see_numbers(named.get("prior"))
    if prior is not None:
        read_prior(prior, "urdf", prior_about, batch)
    weights = see_numbers(options.weights)
    if weights is not None:
        read_definite_weights(replace(options, weights=weights), batch)


def see_numbers(array: Any) -> Floats | None:  # noqa: ANN401 - an array of any library, or a list
    """Return the numbers of an array in NumPy; None where there is none, or a trace hides them."""
    if array is None:
        return None
    try:
        plain = array.detach().cpu() if hasattr(array, "detach") else array
        return np.asarray(plain, dtype=np.float64)
    except Exception:  # a trace: libraries raise errors of their own
        return None


def _read_weights(xp: Namespace, weights: Array, batch: tuple[int, ...], options: Options) -> Array:
    """Read weights as symmetric matrices (..., 10, 10) on theta in order "urdf"."""
    if tuple(weights.shape[-2:]) != (10, 10):
        weights = weights[..., :, None] * make_constant(xp, np.eye(10), weights)
    place = [*range(4), *(4 + ORDERS[options.order].index(e) for e in ORDERS["urdf"])]
    index = xp.asarray(place, device=device_of(weights))
    weights = xp.take(xp.take(weights, index, axis=-1), index, axis=-2)
    weights = (weights + xp.matrix_transpose(weights)) / 2
    return xp.broadcast_to(weights, (*batch, 10, 10))


def _find_definite(xp: Namespace, weights: Array, with_prior: bool) -> Array:
    """Find the rows (...,) whose weights are positive definite; with a prior, semidefinite."""
    W = hold_constant(weights)
    W = xp.where(xp.isfinite(W), W, -xp.ones_like(W))
    own = diagonal(xp, W)
    units = xp.sqrt(xp.where(own > 0, own, xp.ones_like(own)))
    least = xp.linalg.eigvalsh(W / units[..., :, None] / units[..., None, :])[..., 0]
    rounding = tolerances.SOLVED_FACTOR * tolerances.epsilon(W.dtype, xp)
    definite: Array = least >= -rounding if with_prior else least > rounding
    return definite


def read_metric(
    xp: Namespace, theta: Array, weights: Array | None, prior: Array | None, options: Options
) -> Array:
    """Build W (..., 10, 10) of the metric on theta about the origin."""
    shape = (*theta.shape[:-1], 10, 10)
    if options.metric == "euclidean":
        return xp.broadcast_to(make_constant(xp, np.eye(10), theta), shape)
    if options.metric == "pseudo-inertia":
        return xp.broadcast_to(make_constant(xp, TO_SVEC.T @ TO_SVEC, theta), shape)
    total = weights
    if prior is not None:
        # Build W with d^T W d = tr(P^-1 dPi P^-1 dPi), P the pseudo-inertias of the priors.
        P = pseudo_inertia(prior)
        units = xp.sqrt(xp.stack([P[..., i, i] for i in range(4)], axis=-1))
        both = units[..., :, None] * units[..., None, :]  # mass and moments differ by many orders
        inverse = xp.linalg.inv(P / both) / both
        A = xp.matmul(inverse[..., None, :, :], make_constant(xp, _BODIES, prior))
        A = xp.reshape(A, (*prior.shape[:-1], 10, 16))
        B = xp.reshape(xp.matrix_transpose(xp.reshape(A, (*prior.shape[:-1], 10, 4, 4))), A.shape)
        own = xp.matmul(A, xp.matrix_transpose(B))
        total = own if total is None else total + options.regularization * own
    assert total is not None  # options were validated
    return total
