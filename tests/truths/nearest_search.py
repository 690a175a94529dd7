"""The nearest body with a margin by search: Newton's method from many starts, on any body at all.

Bodies with margin mu or more are parametrised without constraints, whichever their centre of mass:
with b, v and a triangular F,

    m = b^2,   h = b v,   S = v v^T + mu tr(F F^T) 1 + (1 - 3 mu) F F^T,

so that S_c = S - h h^T / m has the margin by its form. The objective is then a smooth function of
ten numbers, and every point of the search is a body with the margin: what it finds is an upper
bound of the least distance, whatever else fails. At fixed mass and centre of mass F alone varies.
NumPy only, and nothing of the package.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 150
SETTLED = 1e-13  # relative decrease of the objective in a step
_ENTRIES = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]


class Task(NamedTuple):
    """Minimise (theta - theta0)^T W (theta - theta0) + rho D(theta, P), theta about the origin.

    Where `fixed` is true, over bodies with the mass and first moment of theta0, which is then about
    its centre of mass with h = 0.
    """

    theta0: Floats  # (n, 10)
    W: Floats  # (n, 10, 10)
    fixed: bool = False
    prior: Floats | None = None  # (n, 10)
    rho: float = 0.0
    divergence: str = ""

    def rows(self, index) -> "Task":
        prior = None if self.prior is None else self.prior[index]
        return self._replace(theta0=self.theta0[index], W=self.W[index], prior=prior)


class Found(NamedTuple):
    theta: Floats  # (n, 10) the best body of all starts
    value: Floats  # (n,) the objective there


def pseudo_inertia(theta: Floats) -> Floats:
    xx, xy, xz, yy, yz, zz = (theta[..., 4 + k] for k in range(6))
    half = (xx + yy + zz) / 2
    Pi = np.empty((*theta.shape[:-1], 4, 4))
    Pi[..., 0, 0], Pi[..., 1, 1], Pi[..., 2, 2] = half - xx, half - yy, half - zz
    Pi[..., 0, 1] = Pi[..., 1, 0] = -xy
    Pi[..., 0, 2] = Pi[..., 2, 0] = -xz
    Pi[..., 1, 2] = Pi[..., 2, 1] = -yz
    Pi[..., :3, 3] = Pi[..., 3, :3] = theta[..., 1:4]
    Pi[..., 3, 3] = theta[..., 0]
    return Pi


_BASIS = pseudo_inertia(np.eye(10))  # Pi = sum theta_k _BASIS[k]


def weights_of_prior(prior: Floats) -> Floats:
    """W (n, 10, 10) with d^T W d = tr(P^-1 dPi P^-1 dPi)."""
    units = np.sqrt(np.einsum("nii->ni", pseudo_inertia(prior)))
    both = units[:, :, None] * units[:, None, :]
    inverse = np.linalg.inv(pseudo_inertia(prior) / both) / both
    moved = np.einsum("nij,kjl->nkil", inverse, _BASIS)
    return np.einsum("nkil,njli->nkj", moved, moved)


def objective(task: Task, theta: Floats) -> Floats:
    """The objective (n,) at bodies (n, 10); infinite where the divergence does not exist."""
    return _evaluate(task, theta, slopes=False)[0]


def search(task: Task, margin: float, starts: int, rng: np.random.Generator) -> Found:
    """Search from some starts for every row: the clipped row, its prior, and random bodies."""
    count = len(task.theta0)
    units = _units(task)
    own = _in_units(task, units)
    x = np.concatenate([_start(own, margin, k, rng) for k in range(starts)])
    many = own.rows(np.tile(np.arange(count), starts))
    quadratic = _build(margin)
    x, value = _descend(many, quadratic, x)
    value = value.reshape(starts, count)
    best = np.argmin(value, axis=0), np.arange(count)
    theta = _theta(quadratic, x).reshape(starts, count, 10)[best]
    if task.fixed:
        theta[:, :4] = own.theta0[:, :4]
    theta *= units
    return Found(theta, objective(task, theta))


def _units(task: Task) -> Floats:
    """The size (n, 10) of each number: [m, m l, ..., m l^2, ...] of the row or of its prior."""
    theta = np.abs(task.theta0 if task.prior is None else task.prior)
    moment = theta[:, 4:].max(axis=1)
    mass = np.where(theta[:, 0] > 0, theta[:, 0], np.where(moment > 0, moment, 1.0))
    offset = (theta[:, 1:4].max(axis=1) / mass) ** 2
    square = np.maximum(moment / mass, offset)
    length = np.sqrt(np.where(square > 0, square, 1.0))
    return mass[:, None] * length[:, None] ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])


def _in_units(task: Task, units: Floats) -> Task:
    W = task.W * units[:, :, None] * units[:, None, :]
    prior = None if task.prior is None else task.prior / units
    if task.divergence:  # its weight counts beside that of W
        return task._replace(theta0=task.theta0 / units, W=W, prior=prior)
    scale = np.trace(W, axis1=1, axis2=2)[:, None, None] / 10
    return task._replace(theta0=task.theta0 / units, W=W / scale, prior=prior)


def _build(margin: float) -> Floats:
    """Q (10, 10, 10) with theta_k = x^T Q_k x for x = [b, v, F]."""
    Q = np.zeros((10, 10, 10))
    F = {entry: 4 + k for k, entry in enumerate((j, i) for i, j in _ENTRIES)}  # lower triangle

    def set_(k, i, j, value):
        Q[k, i, j] += value / 2
        Q[k, j, i] += value / 2

    set_(0, 0, 0, 1.0)
    for i in range(3):
        set_(1 + i, 0, 1 + i, 1.0)
    S = np.zeros((3, 3, 10, 10))
    for i in range(3):
        for j in range(3):
            S[i, j, 1 + i, 1 + j] += 1.0
            for k in range(min(i, j) + 1):
                S[i, j, F[i, k], F[j, k]] += 1 - 3 * margin
    for a in F.values():
        for i in range(3):
            S[i, i, a, a] += margin
    S = (S + S.swapaxes(2, 3)) / 2
    total = S[0, 0] + S[1, 1] + S[2, 2]
    for k, (i, j) in enumerate(_ENTRIES):
        Q[4 + k] = (total if i == j else 0.0) - S[i, j]
    return Q


def _theta(Q: Floats, x: Floats) -> Floats:
    return np.einsum("ni,kij,nj->nk", x, Q, x, optimize=True)


def _start(task: Task, margin: float, turn: int, rng: np.random.Generator) -> Floats:
    """Starts (n, 10): near the row, at the prior, and random bodies about its size."""
    count = len(task.theta0)
    theta = task.theta0 if task.prior is None or turn % 2 == 0 else task.prior
    mass = np.where(theta[:, 0] > 0, theta[:, 0], 0.1)
    spread = 0.0 if turn < 2 else 10.0 ** ((turn % 3) - 1.5)
    com = theta[:, 1:4] / mass[:, None] + spread * rng.normal(size=(count, 3))
    mass = mass * np.exp(0.5 * spread * rng.normal(size=count))
    if task.fixed:
        mass, com = np.ones(count), np.zeros((count, 3))
    S = pseudo_inertia(theta)[:, :3, :3] - mass[:, None, None] * com[:, :, None] * com[:, None, :]
    values, vectors = np.linalg.eigh(S)
    size = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-3)
    values = np.maximum(values, (1e-3 if turn % 4 < 2 else 0.3) * size)
    root = np.linalg.cholesky((vectors * values[:, None, :]) @ vectors.swapaxes(1, 2))
    x = np.zeros((count, 10))
    x[:, 0] = np.sqrt(mass)
    x[:, 1:4] = x[:, :1] * com
    for k, (i, j) in enumerate(_ENTRIES):
        x[:, 4 + k] = root[:, j, i]
    if turn >= 2:
        x[:, 4:] += 0.3 * rng.normal(size=(count, 6)) * np.sqrt(size)
    return x


def _descend(task: Task, Q: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Descend by Newton steps with |eigenvalues| of the Hessian, damped until each one helps."""
    x = np.array(x)
    free = np.ones(10)
    if task.fixed:
        free[:4] = 0.0
    value = objective(task, _merged(task, _theta(Q, x)))
    damping = np.full(len(x), 1e-3)
    rows, still = np.arange(len(x)), np.zeros(len(x), dtype=int)
    for _ in range(STEPS):
        if not rows.size:
            break
        part, point = task.rows(rows), x[rows]
        _, slope, curvature = _evaluate(part, _merged(part, _theta(Q, point)), slopes=True)
        J = 2 * np.einsum("kij,nj->nki", Q, point, optimize=True)
        gradient = np.einsum("nki,nk->ni", J, slope) * free
        hessian = J.swapaxes(1, 2) @ curvature @ J + 2 * np.einsum("nk,kij->nij", slope, Q)
        hessian *= free[:, None] * free
        bends, axes = np.linalg.eigh(hessian)
        bends = np.abs(bends) + damping[rows, None] * np.abs(bends).max(axis=1, keepdims=True)
        turned = np.einsum("nij,ni->nj", axes, gradient)
        step = -np.einsum("nij,nj->ni", axes, turned / np.where(bends > 0, bends, 1.0))
        trial = point + step
        after = objective(part, _merged(part, _theta(Q, trial)))
        before = value[rows]
        falls = after < before
        good = rows[falls]
        x[good], value[good] = trial[falls], after[falls]
        damping[rows] = np.where(falls, damping[rows] / 10, damping[rows] * 4)
        damping = np.clip(damping, 1e-15, 1e12)
        small = ~falls | (before - after <= SETTLED * np.abs(before))
        still[rows] = np.where(falls & ~small, 0, still[rows] + 1)
        rows = rows[still[rows] < 12]
    return x, value


def _merged(task: Task, theta: Floats) -> Floats:
    """Bodies of which mass and first moment stay, where they do."""
    if task.fixed:
        theta = np.concatenate([task.theta0[:, :4], theta[:, 4:]], axis=1)
    return theta


def _evaluate(task: Task, theta: Floats, slopes: bool) -> tuple[Floats, Floats, Floats]:
    """Objective (n,), and its slope (n, 10) and curvature (n, 10, 10) by theta."""
    change = theta - task.theta0
    pulled = np.einsum("nij,nj->ni", task.W, change)
    value = np.einsum("ni,ni->n", change, pulled)
    slope, curvature = 2 * pulled, 2 * task.W
    if not task.divergence:
        return value, slope, curvature
    Pi, P = pseudo_inertia(theta), pseudo_inertia(task.prior)
    units = np.sqrt(np.einsum("nii->ni", P))
    both = units[:, :, None] * units[:, None, :]
    whiten = np.linalg.inv(np.linalg.cholesky(P / both)) / units[:, None, :]
    X = whiten @ Pi @ whiten.swapaxes(1, 2)
    finite = np.isfinite(X).all(axis=(1, 2))
    eigen, axes = np.linalg.eigh(np.where(finite[:, None, None], X, -np.eye(4)))
    inside = eigen[:, 0] > 0
    eigen = np.where(inside[:, None], eigen, 1.0)
    log = np.log(eigen)
    if task.divergence == "entropic":
        more = np.sum(eigen - log - 1, axis=1)
        first = 1 - 1 / eigen
        second = 1 / (eigen[:, :, None] * eigen[:, None, :])
    else:
        more = np.sum(log**2, axis=1)
        first = 2 * log / eigen
        a, b = eigen[:, :, None], eigen[:, None, :]
        middle = (a + b) / 2
        near = np.abs(a - b) <= 1e-4 * middle
        quotient = (first[:, :, None] - first[:, None, :]) / np.where(near, 1.0, a - b)
        second = np.where(near, 2 * (1 - np.log(middle)) / middle**2, quotient)
    value = np.where(inside, value + task.rho * more, np.inf)
    if not slopes:
        return value, slope, curvature
    basis = np.einsum("nij,kjl->nkil", whiten, _BASIS) @ whiten.swapaxes(1, 2)[:, None]
    turned = axes.swapaxes(1, 2)[:, None] @ basis @ axes[:, None]
    slope = slope + task.rho * np.einsum("nkii,ni->nk", turned, first)
    bent = (turned * second[:, None]).reshape(len(turned), 10, 16)
    flat = turned.reshape(len(turned), 10, 16)
    return value, slope, curvature + task.rho * bent @ flat.swapaxes(1, 2)
