"""Building blocks for a user's own cvxpy problem: the same cones and distances, as expressions.

Theta is a cvxpy expression, (10,) for one body or (n, 10) for several, in `order`, about the body
origin [kg, kg m, kg m^2]. A solver's tolerance is absolute: pose bodies that are far from one
kilogram and one metre with `reference`, a body of about their size, in whose units the conditions
then stand. A solver's answer lies on the boundary or a little outside: ask for `delta`, or check.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import ArrayLike, Floats, expect_shape, real_arrays
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, reorder
from inertial_check.inertia.representations import pseudo_inertia as pseudo_inertia_of
from inertial_check.projection.conic.problem import row_lengths
from inertial_check.projection.conic.solvers import member
from inertial_check.projection.constraint import Constraint, read_constraints
from inertial_check.projection.metrics import read_prior, read_weights
from inertial_check.projection.svec import FROM_SVEC, TO_SVEC, congruence, factors, root_of, unsvec

if TYPE_CHECKING:
    import cvxpy as cp


_ROOT2 = np.sqrt(2.0)
_SECOND = [0, 1, 2, 4, 5, 7]  # where S stands in svec(Pi)


def pseudo_inertia(theta: cp.Expression, order: Order = "urdf") -> cp.Expression:
    """The pseudo-inertia [[S, h], [h^T, m]] of one body, (4, 4), linear in theta.

    Args:
        theta: (10,) expression.
        order: Order of its last six: a name of representations.ORDERS.

    Raises:
        ParameterError: Another shape, an unknown order.

    Example:
        >>> theta.value = ball
        >>> print(conic.pseudo_inertia(theta).value.diagonal().round(6))
        [0.015 0.015 0.015 1.2  ]
    """
    return _matrix(TO_SVEC @ _canonical(theta, order))


def consistent(
    theta: cp.Expression,
    delta: float = 0.0,
    reference: InertialParameters | ArrayLike | None = None,
    order: Order = "urdf",
) -> list[cp.Constraint]:
    """The constraints that make bodies consistent: Pi >= delta Pi_ref.

    With delta = 0 these are exactly the bodies that some density has, and the closure of their
    cone. The margin of inertial_check.check has no such form; delta > 0 keeps a part of the
    reference's.

    Args:
        theta: (10,) or (n, 10) expression.
        delta: Part of the reference that stays, 0 or more.
        reference: A body in whose units the condition is posed: InertialParameters or (10,) in
            `order` about the origin. Without one, 1 kg and 1 kg m^2 each way.
        order: Order of the last six.

    Raises:
        ParameterError: A wrong shape, a negative delta, a reference that is no body with an inside.

    Example:
        >>> # The greatest izz of a body with these ixx and iyy is their sum
        >>> limits = [*conic.consistent(theta), theta[:9] == ball[:9]]
        >>> largest = cp.Problem(cp.Maximize(theta[9]), limits).solve(solver="CLARABEL")
        >>> print(round(float(largest), 6))
        0.06
    """
    if not isinstance(delta, (int, float)) or not delta >= 0:
        raise ParameterError(f"delta is {delta!r}, expected a number, 0 or more")
    whiten = np.eye(10) if reference is None else congruence(_factor(reference, order)[1][None])[0]
    bodies = [_matrix(whiten @ TO_SVEC @ one) for one in _bodies(theta, order)]
    return [Pi >> delta * np.eye(4) for Pi in bodies]


def constrain(
    theta: cp.Expression,
    constraints: Constraint | Iterable[Constraint],
    theta0: ArrayLike | None = None,
    reference: InertialParameters | ArrayLike | None = None,
    order: Order = "urdf",
) -> list[cp.Constraint]:
    """Constraints of projection.constraints as cvxpy's; put `consistent` beside them.

    Args:
        theta: (10,) or (n, 10) expression; `bodies` of the constraints are its rows.
        constraints: One or several.
        theta0: Numbers of the same shape: what "as given" means; needed only by those that say so.
        reference: A body of about the size of the result, in whose units the rows are posed.
        order: Order of the last six, of theta and theta0.

    Raises:
        ParameterError: A wrong shape, a body that there is not, something that is no constraint.

    Example:
        >>> limits = conic.constrain(theta, constraints.MassBounds(2.0, 3.0))
        >>> least = cp.Problem(cp.Minimize(theta[0]), limits).solve(solver="CLARABEL")
        >>> print(round(float(least), 6))
        2.0
    """
    import cvxpy as cp

    bodies = _bodies(theta, order)
    given = _read_numbers(theta0, len(bodies), order)
    L = None if reference is None else _factor(reference, order)
    found: list[cp.Constraint] = []
    for one in read_constraints(constraints):
        # The rows that a constraint holds for, together or each by itself.
        count = len(bodies)
        rows = list(range(count)) if one.bodies is None else list(one.bodies)
        if max(rows) >= count:
            raise ParameterError(f"{one!r} names body {max(rows)}, but theta has {count}")
        for group in [rows] if one.coupling else [[i] for i in rows]:
            blocks = one.blocks(given[group])
            if not all(np.all(np.isfinite(part)) for block in blocks for part in block[1:]):
                raise ParameterError(f"{one!r} keeps what each body was given: say theta0=")
            # Rows are divided by their size at the reference, so that a solver sees numbers near 1.
            together = cp.hstack([bodies[i] for i in group])
            aux = max(block.B.shape[1] for block in blocks)
            y = cp.Variable(aux) if aux else None
            units, unit = np.eye(10 * len(group)), 1.0
            if L is not None:
                own = FROM_SVEC @ congruence(L[0][None])[0]
                units, unit = np.kron(np.eye(len(group)), own), float(L[0][3, 3] ** 2)
            for block in blocks:
                length = row_lengths(block.cone, block.A @ units, unit * block.B)[:, None]
                expression = (block.A / length) @ together + block.b / length[:, 0]
                if y is not None and block.B.shape[1]:
                    expression += (unit * block.B / length) @ y
                found.append(member(block.cone, expression))
    return found


def squared_distance(
    theta: cp.Expression,
    theta0: ArrayLike,
    metric: str = "weighted",
    *,
    weights: ArrayLike | None = None,
    prior: InertialParameters | ArrayLike | None = None,
    order: Order = "urdf",
) -> cp.Expression:
    """The square of a metric's distance between a body and numbers, as a convex expression.

    Args:
        theta: (10,) expression, in `order`, about the body origin.
        theta0: (10,) numbers, likewise.
        metric: "weighted", (theta - theta0)^T W (theta - theta0); "prior",
            ||L^-1 (Pi - Pi0) L^-T||_F^2 with the prior's Pi = L L^T; "pseudo-inertia",
            ||Pi - Pi0||_F^2; "euclidean", W = 1. "inertia", ||I - I0||_F^2, and "covariance",
            ||S - S0||_F^2, are the metrics of that name where mass and centre of mass are fixed
            beside them, and not convex in theta otherwise: fix them.
        weights: Of metric "weighted": (10,) diagonal or (10, 10) positive semidefinite, in `order`.
        prior: Of metric "prior": InertialParameters or (10,).
        order: Order of the last six.

    Raises:
        ParameterError: An unknown metric, weights or a prior that are none or missing.

    Example:
        >>> distance = conic.squared_distance(theta, broken, "euclidean")
        >>> limits = [*conic.consistent(theta), theta[:4] == broken[:4]]
        >>> _ = cp.Problem(cp.Minimize(distance), limits).solve(solver="CLARABEL")
        >>> print(theta.value[[4, 7, 9]].round(4))
        [0.03 0.04 0.07]
    """
    import cvxpy as cp

    given = _read_numbers(theta0, 1, order)[0]
    change = _canonical(theta, order) - given
    root = _root_of(metric, weights, prior, order)
    return cp.sum_squares(root @ change)


def entropic(
    theta: cp.Expression, prior: InertialParameters | ArrayLike, order: Order = "urdf"
) -> cp.Expression:
    """The log-det Bregman divergence to a prior P: tr(P^-1 Pi) - log det(P^-1 Pi) - 4.

    Zero at the prior, it grows without bound towards the boundary of the cone and so keeps Pi > 0
    by itself; rotations, shifts and units do not change it.

    Args:
        theta: (10,) expression, in `order`, about the body origin.
        prior: InertialParameters or (10,), a body with an inside.
        order: Order of the last six.

    Raises:
        ParameterError: A prior that is no such body.

    Example:
        >>> divergence = conic.entropic(theta, ball)
        >>> theta.value = ball
        >>> print(abs(float(divergence.value)) < 1e-9)  # of the prior from itself
        True
    """
    import cvxpy as cp

    whiten = congruence(_factor(prior, order)[1][None])[0]
    relative = _matrix(whiten @ TO_SVEC @ _canonical(theta, order))
    return cp.trace(relative) - cp.log_det(relative) - 4


def _canonical(theta: cp.Expression, order: Order) -> cp.Expression:
    """One body in order "urdf"."""
    if tuple(theta.shape) != (10,):
        raise ParameterError(f"theta has shape {tuple(theta.shape)}, expected (10,)")
    return theta if order == "urdf" else np.asarray(reorder(np.eye(10), order, "urdf").T) @ theta


def _bodies(theta: cp.Expression, order: Order) -> list[cp.Expression]:
    """Every body in order "urdf"."""
    if len(theta.shape) == 2:
        return [_canonical(theta[i], order) for i in range(theta.shape[0])]
    return [_canonical(theta, order)]


def _read_numbers(theta0: ArrayLike | None, count: int, order: Order) -> Floats:
    """Numbers (n, 10) in order "urdf"; NaN where there are none."""
    if theta0 is None:
        return np.full((count, 10), np.nan)
    _, (rows,) = real_arrays(theta0=theta0)
    expect_shape("theta0", rows, 10)
    if rows.size != 10 * count:
        raise ParameterError(f"theta0 has shape {rows.shape}, but theta holds {count} bodies")
    rows = np.asarray(reorder(rows, order, "urdf"), dtype=np.float64)
    return rows.reshape(count, 10)


def _factor(body: InertialParameters | ArrayLike, order: Order) -> tuple[Floats, Floats]:
    """L (4, 4) of the body's Pi = L L^T, and its inverse.

    Raises:
        ParameterError: No body with an inside.
    """
    Pi = pseudo_inertia_of(read_prior(body, order, "origin", ()))
    L, inverse = factors(Pi[None])
    return L[0], inverse[0]


def _matrix(svec: cp.Expression) -> cp.Expression:
    """The symmetric (4, 4) of an svec expression (10,)."""
    import cvxpy as cp

    return cp.reshape(unsvec(4) @ svec, (4, 4), order="C")


def _root_of(
    metric: str,
    weights: ArrayLike | None,
    prior: InertialParameters | ArrayLike | None,
    order: Order,
) -> Floats:
    """R with ||R d||^2 the squared length of a change d (10,) of theta in order "urdf".

    Raises:
        ParameterError: An unknown metric, weights or a prior that are none or missing.
    """
    if metric == "weighted" and weights is not None:
        W = read_weights(weights, order, ()).values
        return root_of(np.diag(W) if W.ndim == 1 else W)
    if metric == "prior" and prior is not None:
        return np.asarray(congruence(_factor(prior, order)[1][None])[0] @ TO_SVEC)
    known = {
        "euclidean": np.eye(10),
        "pseudo-inertia": TO_SVEC,
        "inertia": np.diag([0.0, 0, 0, 0, 1, _ROOT2, _ROOT2, 1, _ROOT2, 1]),
        "covariance": TO_SVEC[_SECOND],
    }
    if metric in known:
        return known[metric]
    if metric in {"weighted", "prior"}:
        needed = "weights" if metric == "weighted" else "prior"
        raise ParameterError(f"metric {metric!r} needs {needed}=")
    names = ", ".join(map(repr, ("weighted", "prior", *known)))
    raise ParameterError(f"metric is {metric!r}; available are {names}")
