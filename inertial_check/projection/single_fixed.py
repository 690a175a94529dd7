"""The nearest of one body by weights, some of whose numbers are fixed, by Newton's method.

With E x = e the fixed numbers and nu their multipliers, the normal map of newton.py becomes

    M (Y+ - x0) + Y - Y+ - E^T nu = 0,    E Y+ = e.

It needs no solver of conic programs. Where plain steps do not solve it (numbers that no body has,
an answer without mass), nothing is returned and `constrained` finds the body or the conflict.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.projection._constraint import Constraint, UnmetError
from inertial_check.projection.constraints import FixedCom, FixedEntries, FixedMass
from inertial_check.projection.newton import SEARCH, STEPS
from inertial_check.projection.options import Options
from inertial_check.projection.quadratic import Quadratic, normalise, to_units
from inertial_check.projection.single_matrix import (
    SingleUnits,
    asks_plainly,
    bind_verification,
    certify_single,
    describe_single,
    differentiate,
    is_sound,
    normalise_single,
    pack_single,
    read_single_weights,
    unpack_single,
)
from inertial_check.projection.solver_result import SolverResult
from inertial_check.projection.verification import Unit, verify_matrices
from inertial_check.solvers.certificate import Certificate
from inertial_check.solvers.svec import FROM_SVEC, congruence

_FIXING = (FixedMass, FixedCom, FixedEntries)


class _Equations(NamedTuple):
    """Fixed numbers of a body: A theta + b = 0, rows of any length.

    Attributes:
        A: (k, 10).
        b: (k,).
    """

    A: Floats
    b: Floats


def move_fixed_body(judged: Consistency, options: Options) -> SolverResult | None:
    """Move one inconsistent body by weights, with what is fixed exactly so.

    Args:
        judged: The given body, about its origin, and its verdict.
        options: The request.

    Returns:
        The result, or None where `constrained` has to find it.

    Raises:
        ParameterError: Weights that are none.
    """
    body, limits = judged.single, options.constraints
    if body is None or judged.about != "origin" or body.judge() != Verdict.INCONSISTENT:
        return None
    weighted = asks_plainly(options) and options.prior is None
    if not (weighted and all(isinstance(one, _FIXING) for one in limits)):
        return None
    W, theta0 = read_single_weights(options, judged.shape), np.array(body.theta)
    if W is None:
        return None
    try:
        fixed = _read_equations(limits, theta0)
        with np.errstate(all="ignore"):
            return _solve(theta0, W, fixed, limits, options.mass_min)
    except (UnmetError, np.linalg.LinAlgError):
        return None


def _read_equations(limits: tuple[Constraint, ...], theta0: Floats) -> _Equations:
    """Read the fixed numbers of a body.

    Raises:
        UnmetError: They mean nothing for this body.
    """
    blocks = [block for one in limits for block in one.blocks(theta0[None])]
    return _Equations(
        np.concatenate([block.A for block in blocks]), np.concatenate([block.b for block in blocks])
    )


def _solve(
    theta0: Floats,
    W: Floats,
    fixed: _Equations,
    limits: tuple[Constraint, ...],
    mass_min: float | None,
) -> SolverResult | None:
    """Solve, set what is fixed exactly, and certify that."""
    units = normalise_single(theta0, W)
    E = fixed.A @ units.K
    length = np.sqrt((E * E).sum(axis=1))
    E, e = E / length[:, None], -fixed.b / length
    found = _iterate(units, E, e)
    if found is None:
        return None
    x, z, held, steps = found
    theta = _snap(limits, units.K @ x, theta0)
    root = certify_single(units, theta, z, held, steps)
    if not is_sound(root, theta0, mass_min):
        return None
    whole = np.diag(W) if W.ndim == 1 else W
    result = describe_single(theta0, whole[None], root, "newton")
    assert result.problem is not None  # it has just been made
    proof = partial(_certify, result.problem, fixed, root.dual[None])
    change = root.theta[None] - result.problem.theta0
    verify = bind_verification(result.problem, proof)
    return replace(result, certify=partial(proof, change, "body"), verify=verify)


def _iterate(units: SingleUnits, E: Floats, e: Floats) -> tuple[Floats, Floats, Floats, int] | None:
    """Find x, its multiplier z and E^T nu; None where a step does not help."""
    x0, M, count = units.x0, units.M, len(e)
    Y, nu, before = x0, np.zeros(count), np.inf
    step, change = np.zeros(10), np.zeros(count)
    system = np.zeros((10 + count,) * 2)
    for taken in range(STEPS):
        for length in SEARCH.lengths():
            trial, own = Y + length * step, nu + length * change
            values, vectors = np.linalg.eigh(unpack_single(trial))
            x = pack_single((vectors * np.maximum(values, 0.0)) @ vectors.T)
            F, G = M @ (x - x0) + trial - x - own @ E, E @ x - e
            norm = float(np.sqrt(F @ F + G @ G))
            if SEARCH.accepts(norm, before, length):
                break
        else:
            return None
        Y, nu, before = trial, own, norm
        if norm <= units.rounding:
            return x, x - Y, nu @ E, taken
        T, jacobian, slopes = differentiate(M, values, vectors)
        turned = E @ T
        system[:10, :10], system[:10, 10:] = jacobian, -turned.T
        system[10:, :10] = turned * slopes
        found = np.linalg.solve(system, -np.concatenate([T.T @ F, G]))
        step, change = T @ found[:10], found[10:]
    return None


def _snap(limits: tuple[Constraint, ...], theta: Floats, theta0: Floats) -> Floats:
    """Set fixed numbers exactly; twice, because a centre of mass follows the mass."""
    rows = theta[None] + 0.0  # no -0 but where it was fixed so
    for one in (*limits, *limits):
        rows = one.snap(rows, theta0[None])
    return np.asarray(rows[0])


def _certify(
    problem: Quadratic, fixed: _Equations, dual: Floats, change: Floats, unit: Unit
) -> Certificate:
    """Compute the certificate of a change (1, 10), and how far it is from what is fixed."""
    theta = problem.theta0 + change
    units = normalise(problem)
    x, z = to_units(problem, units, theta, dual)
    E = fixed.A @ FROM_SVEC @ congruence(units.factor)[0] * units.size
    length = np.linalg.norm(E, axis=1)
    pull = (units.M[0] @ (x - units.x0)[0]) - z[0]
    # Any multipliers of the fixed numbers prove it: those that explain most are taken.
    nu = np.linalg.lstsq(E.T, pull, rcond=None)[0]
    held = units._replace(slope=units.slope - (nu @ E)[None])
    found = verify_matrices(problem, dual, change, unit, held)
    apart = np.max(np.abs(fixed.A @ theta[0] + fixed.b) / length)
    if unit == "move":
        apart /= np.linalg.norm(x - units.x0) or 1.0
    return found._replace(primal_residual=np.maximum(found.primal_residual, apart))
