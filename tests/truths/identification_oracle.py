"""The joint identification problem as one writes it with cvxpy, without a line of the package.

    minimise ||A x - b||^2 + lambda (sum_i ||L_i^-1 (Pi_i - P_i) L_i^-T||_F^2
             + sum_k ((f_k - f0_k) / scale_k)^2)
    over Pi_i >= 0 and lower <= f <= upper,  x = [theta of each body, f]

`naive` states it in theta over all samples, as a user would; `solve` in units of the priors, where
an interior-point solver keeps its digits.
"""

from typing import Any, NamedTuple

import numpy as np

TOLERANCES = ("tol_gap_abs", "tol_gap_rel", "tol_feas")


class Prior(NamedTuple):
    """What is expected of the bodies (L, 10) and of the further numbers, with their bounds (k,)."""

    theta: Any
    lower: Any
    upper: Any
    f: Any
    scale: Any  # infinite: no prior

    @classmethod
    def of(cls, theta, nonneg, scale=np.inf):
        """Priors at zero of one scale, and bounds at zero where `nonneg`."""
        count = len(nonneg)
        lower = np.where(nonneg, 0.0, -np.inf)
        return cls(theta, lower, np.full(count, np.inf), np.zeros(count), np.full(count, scale))


def pseudo_inertia(theta):
    """Pi (4, 4) of ten numbers."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = theta
    return np.array(
        [
            [(yy + zz - xx) / 2, -xy, -xz, hx],
            [-xy, (xx + zz - yy) / 2, -yz, hy],
            [-xz, -yz, (xx + yy - zz) / 2, hz],
            [hx, hy, hz, m],
        ]
    )


def theta_of(Pi):
    """Ten numbers of Pi (4, 4)."""
    trace = Pi[0, 0] + Pi[1, 1] + Pi[2, 2]
    inertia = trace * np.eye(3) - Pi[:3, :3]
    return np.array([Pi[3, 3], *Pi[:3, 3], *inertia[np.triu_indices(3)]])


BASIS = np.array([pseudo_inertia(row) for row in np.eye(10)])  # theta_k -> Pi
PAIRS = [(i, j) for i in range(4) for j in range(i, 4)]


def prior_term(theta, f, prior):
    """What lambda multiplies."""
    total = 0.0
    for own, expected in zip(np.reshape(theta, (-1, 10)), prior.theta, strict=True):
        L = np.linalg.inv(np.linalg.cholesky(pseudo_inertia(expected)))
        total += np.sum((L @ pseudo_inertia(own - expected) @ L.T) ** 2)
    return total + np.sum(((f - prior.f) / prior.scale) ** 2)


def objective(A, b, rss, x, regularization, prior):
    """The value at x."""
    links = 10 * len(prior.theta)
    data = np.sum((A @ x - b) ** 2) + rss
    return data + regularization * prior_term(x[:links], x[links:], prior)


def white_maps(thetas):
    """(10, 10) maps of a body's ten numbers in units of its prior to theta."""
    maps = []
    for theta in thetas:
        L = np.linalg.cholesky(pseudo_inertia(theta))
        columns = []
        for i, j in PAIRS:
            E = np.zeros((4, 4))
            E[i, j] = E[j, i] = 1.0 if i == j else np.sqrt(0.5)
            columns.append(theta_of(L @ E @ L.T))
        maps.append(np.array(columns).T)
    return maps


def solve(A, b, rss, regularization, prior, *, cones=True):
    """(x, objective) by Clarabel in units of the priors, for an A (r, p) that is small.

    `cones` False leaves out the cones and the bounds.
    """
    import cvxpy as cp

    count = len(prior.theta)
    maps = white_maps(prior.theta)
    extra = A[:, 10 * count :]
    size = np.linalg.norm(extra, axis=0)
    unit = np.where(np.isfinite(prior.scale), prior.scale, 1 / np.where(size > 0, size, 1.0))
    white = np.hstack([A[:, 10 * i : 10 * i + 10] @ maps[i] for i in range(count)] + [extra * unit])
    one = np.array([1.0 if i == j else 0.0 for i, j in PAIRS])
    start = np.concatenate([np.tile(one, count), prior.f / unit])
    pull = np.concatenate([np.ones(10 * count), (unit / prior.scale) ** 2]) * regularization
    change = cp.Variable(white.shape[1])  # from the prior, so that nothing cancels
    rest = b - white @ start
    scale = np.linalg.norm(rest) or 1.0
    terms = cp.sum_squares(white / scale @ change - rest / scale)
    terms += cp.sum_squares(cp.multiply(np.sqrt(pull) / scale, change))
    constraints = []
    x = start + change
    if cones:
        half = np.sqrt(0.5)
        for i in range(count):
            own = x[10 * i : 10 * i + 10]
            place = {pair: k for k, pair in enumerate(PAIRS)}
            rows = [
                [own[place[min(i, j), max(i, j)]] * (1.0 if i == j else half) for j in range(4)]
                for i in range(4)
            ]
            constraints.append(cp.bmat(rows) >> 0)
        low, high = np.isfinite(prior.lower), np.isfinite(prior.upper)
        further = x[10 * count :]
        if low.any():
            constraints.append(further[low] >= (prior.lower / unit)[low])
        if high.any():
            constraints.append(further[high] <= (prior.upper / unit)[high])
    problem = cp.Problem(cp.Minimize(terms), constraints)
    problem.solve(solver=cp.CLARABEL, **dict.fromkeys(TOLERANCES, 1e-9))
    found = start + change.value
    theta = np.concatenate([maps[i] @ found[10 * i : 10 * i + 10] for i in range(count)])
    solution = np.concatenate([theta, found[10 * count :] * unit])
    return solution, objective(A, b, rss, solution, regularization, prior)


def naive(Y, tau, regularization, prior_theta, weights=None):
    """(theta, objective) as one writes it: all samples, theta itself, no reduction."""
    import cvxpy as cp

    count = len(prior_theta)
    if weights is not None:
        Y, tau = Y * weights[:, None], tau * weights
    A, b = Y.reshape(-1, 10 * count), tau.ravel()
    theta = cp.Variable(10 * count)
    terms, constraints = cp.sum_squares(A @ theta - b), []
    for i, expected in enumerate(prior_theta):
        L = np.linalg.inv(np.linalg.cholesky(pseudo_inertia(expected)))
        Pi = sum(theta[10 * i + k] * BASIS[k] for k in range(10))
        constraints.append(Pi >> 0)
        terms += regularization * cp.sum_squares(L @ (Pi - pseudo_inertia(expected)) @ L.T)
    problem = cp.Problem(cp.Minimize(terms), constraints)
    problem.solve(solver=cp.CLARABEL)
    return np.asarray(theta.value), float(problem.value)
