"""Bodies with a margin: a convex set about a known centre of mass, and none where it is free.

The margin asks for S_c >= mu tr(S_c) 1 with S_c = S - h h^T / m, which is no convex set of theta.
For the moments S', h' about a point q it is implied by the linear matrix inequality

    [[S' - mu tr(S') 1, h'], [h'^T, m]] >= 0,

because tr(S') is at least tr(S_c), and it is the same where q is the centre of mass. About the
origin it is Pi - mu <T, Pi> E >= 0 with E = diag(1, 1, 1, 0) and <T, Pi> = tr(S').

`find_nearest` descends over factors whose products have the margin (Burer and Monteiro, Math.
Program. 95, 2003) from several starts. With the multiplier Z of the inequality about the centre of
mass q of the answer, W (theta - theta0) = Z - e T with e = mu tr(Z_S). As a weak dual about every
point q + p this Z, or one that moves with p, bounds the distance to the bodies with their centre
there, by no less than that of the answer for all p of some ellipsoid p^T K p <= s^2. Bodies with
their centre outside have <K, S'> >= s^2 m, which is linear: the nearest under this cut, without the
margin, bounds theirs. Where that proves too little, `_cover` covers the space of centres of mass by
regions that multipliers prove empty of nearer bodies. In a ball of radius R about q the margin
implies Pi - mu (<T, Pi> - R^2 m) E >= 0, which is convex, and exact on the sphere; the multiplier Y
of Pi that its nearest body gives proves wherever [c, 1]^T Y [c, 1] >= 0, mostly more than the ball.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.representations import SMALLEST, pseudo_inertia
from inertial_check.inertia.tolerances import (
    CERTIFIED,
    EPS,
    FIRST_SPREAD,
    MARGIN_SETTLED,
    NEAR,
    NEARLY_ISOTROPIC,
    SADDLE,
    SOLVED_FACTOR,
    SUFFICIENT_DECREASE,
)
from inertial_check.projection import newton
from inertial_check.projection.certificate import see_from_origin
from inertial_check.projection.constraint import ArrayField, Block, Constraint
from inertial_check.projection.moments import ISOTROPIC
from inertial_check.projection.quadratic import (
    UNITS_FIT,
    Counts,
    Quadratic,
    iterate_rows,
    measure_change,
    normalise,
    to_si,
)
from inertial_check.projection.svec import (
    COLUMN,
    FROM_SVEC,
    ROW,
    TO_SVEC,
    Certificate,
    apply,
    cone_residual,
    congruence,
    decompose,
    pack,
    unpack,
)

_DIAGONAL = [0, 4, 7]  # where S has its diagonal in svec(Pi)

STEPS = 60
"""Newton steps of a descent at most; ten are usual."""

SCREENING = 8
"""Newton steps from each further start; one that ends nearer goes on."""

CUTS = 12
"""Weights of a cut that are tried at most."""

BRIEF = 15
"""Newton steps for a multiplier at most: it bounds wherever they end, and six are usual."""

OUTER = 6
"""Balls about an answer, each twice as large, whose outside is tried to be proven, at most."""

SPLITS, BOXES = 24, 400
"""Rounds in which boxes of centres are halved, and boxes that are tried for one body, at most."""

REGIONS = 32
"""Proven regions of a body that its boxes are compared with, besides the outside."""

_E = np.array([0.0, 0, 0, 0, 2, 0, 0, 2, 0, 2])
_ROWS, _COLUMNS = [0, 1, 1, 2, 2, 2, 0, 1, 2, 3], [0, 0, 1, 0, 1, 2, 3, 3, 3, 3]


@dataclass(frozen=True, eq=False, repr=False)
class MarginAbout(Constraint):
    """A margin mu of the moments about a point of the problem's own frame.

    Attributes:
        margin: The margin, 0 to 1/3.
        center: (3,) the point, in the frame of the problem [m].
    """

    in_frame: ClassVar[bool] = True

    margin: float = 0.0
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """The linear matrix inequality; near 1/3, where it has no inside, its equations."""
        about = np.eye(4)
        about[:3, 3] = -self.center
        moments = congruence(about[None])[0] @ TO_SVEC
        if self.margin < ISOTROPIC - NEARLY_ISOTROPIC:
            rows = np.array(moments)
            rows[_DIAGONAL] -= self.margin * moments[_DIAGONAL].sum(axis=0)
            return (Block("psd", rows, np.zeros((10, 0)), np.zeros(10)),)
        zero = np.array(moments)
        zero[_DIAGONAL] -= moments[_DIAGONAL].mean(axis=0)
        zero = zero[[0, 1, 2, 3, 4, 5, 6, 8]]  # the last diagonal entry follows, and m is free
        return (Block("zero", zero, np.zeros((8, 0)), np.zeros(8)),)

    def describe(self) -> str:
        """The margin."""
        return f"margin {self.margin:g}"


def find_nearest(
    problem: Quadratic, margin: float, free: Floats, least: Floats, floored: Mask
) -> tuple[Descent, Mask, Floats]:
    """Find bodies with a margin near what was given, and bounds below which there is none.

    Args:
        problem: The problem, with W and without a floor.
        margin: The margin, above 0.
        free: (n, 10) the nearest without the margin, of positive mass.
        least: (n,) least mass [kg].
        floored: (n,) rows that end at the least mass already.

    Returns:
        The bodies; (n,) which end at the least mass; and (n,) lower bounds of their distances, or
        NaN where nothing is nearer, to be said by the certificate, or the mass is the least.
    """
    form = build_form(margin)
    start = _enter(free, free[:, 1:4] / free[:, :1], margin)
    best = _descend(problem, form, floored, start, STEPS)
    best, light = _keep_mass(problem, form, floored, best, least)
    bound = _prove(problem, form, margin, free, best, ~light)
    best, light = _keep_mass(problem, form, light, best, least)
    return best, light, np.where(light, np.nan, bound)


def bound_under_forces(problem: Quadratic, margin: float, theta: Floats, push: Floats) -> Floats:
    """Bound by how much constraints and the margin allow less than the answers' squared distance.

    The forces of constraints on theta, at whichever answer, are those of a problem whose given
    bodies are moved: the Lagrangian, which no body that meets them exceeds.

    Args:
        problem: The problem, with W and without a floor.
        margin: The margin.
        theta: (n, 10) answers.
        push: (n, 10) forces of the constraints, as functionals on theta.

    Returns:
        (n,) parts of the squared distances that may be missing.
    """
    shift = np.matmul(_invert(problem), push[:, :, None])[:, :, 0]
    moved = problem._replace(theta0=problem.theta0 + shift)
    value, form = measure_change(moved, theta) ** 2, build_form(margin)
    loose = np.zeros(len(value), dtype=np.bool_)
    with np.errstate(all="ignore"):
        # A neighbourhood is that of a body at which nothing pulls, to rounding.
        best = _descend(
            moved, form, loose, _enter(theta, theta[:, 1:4] / theta[:, :1], margin), STEPS
        )
        bound = _prove(moved, form, margin, newton.project(moved).theta, best, ~loose)
    return value - np.where(np.isnan(bound), best.value * (1 - CERTIFIED), bound**2)


def _prove(
    problem: Quadratic, form: Floats, margin: float, free: Floats, best: Descent, rest: Mask
) -> Floats:
    """Find bounds as `find_bound`, and better ones, or in place nearer bodies, for the `rest`."""
    with np.errstate(all="ignore"):  # a body may have ended without mass, and so without a centre
        bound = find_bound(problem, free, best)
        rows = np.flatnonzero(~np.isnan(bound) & rest)
        if rows.size:
            part, nearer = problem.rows(rows), best.rows(rows)
            covered = _cover(part, form, margin, nearer, measure_change(part, free[rows]) ** 2)
            bound[rows] = np.where(np.isnan(covered), np.nan, np.fmax(bound[rows], covered))
            for whole, new in zip(best, nearer, strict=True):
                np.asarray(whole)[rows] = np.asarray(new)
    return bound


class Descent(NamedTuple):
    """Ends of descents.

    Attributes:
        u: (n, 10) factors.
        theta: (n, 10) in order "urdf" about the origin of the problem.
        value: (n,) squared distances.
        promised: (n,) decrease of them that the last step promised.
        steps: (n,) Newton steps.
    """

    u: Floats
    theta: Floats
    value: Floats
    promised: Floats
    steps: Counts

    def rows(self, rows: Integers) -> Descent:
        """Select some of the rows."""
        u, theta, value, promised, steps = self
        return Descent(u[rows], theta[rows], value[rows], promised[rows], steps[rows])


def build_form(margin: float) -> Floats:
    """Build B (10, 10, 10) with theta_k = u^T B_k u for the entries u of N = [[L, v], [0, r]].

    N N^T is the pseudo-inertia with S_c = L L, L symmetric; with the margin, theta has
    S_c = (1 - 3 mu) L L + mu tr(L L) 1. A triangular L would be ambiguous where S_c is singular.
    """
    basis = np.zeros((10, 4, 4))
    basis[range(10), _ROWS, _COLUMNS] = 1.0
    basis[range(6), _COLUMNS[:6], _ROWS[:6]] = 1.0
    Pi = np.einsum("aij,bkj->abik", basis, basis)
    own = Pi[:6, :6]
    spread = np.einsum("abii->ab", own)[:, :, None, None] * np.diag([1.0, 1, 1, 0])
    Pi[:6, :6] = own + margin * (spread - 3 * own)
    return np.asarray((pack((Pi + Pi.swapaxes(0, 1)) / 2) @ FROM_SVEC.T).transpose(2, 0, 1))


def _enter(theta: Floats, center: Floats, margin: float) -> Floats:
    """Build u (n, 10) of bodies near theta with the margin and another centre of mass (n, 3)."""
    mass = theta[:, :1]
    spread = np.asarray(pseudo_inertia(theta))[:, :3, :3]
    values, axes = decompose(spread - mass[:, :, None] * center[:, :, None] * center[:, None, :])
    total = np.abs(values).sum(axis=1, keepdims=True)
    # A factor without rank would stay so: its derivative vanishes where it does.
    wide = np.maximum(values - margin * total, min(FIRST_SPREAD, margin) * total)
    wide *= total / np.where(total > 0, wide.sum(axis=1, keepdims=True), 1.0)
    root = (axes * np.sqrt(wide)[:, None, :]) @ axes.transpose(0, 2, 1)
    entries = root[:, _ROWS[:6], _COLUMNS[:6]]
    return np.concatenate([entries, np.sqrt(mass) * center, np.sqrt(mass)], axis=1)


def _descend(problem: Quadratic, form: Floats, held: Mask, start: Floats, most: int) -> Descent:
    """Descend by Newton's method from u (n, 10); rows that are `held` keep their mass u[:, 9]^2."""
    u, W = np.array(start), problem.W
    assert W is not None  # the caller has built it

    def evaluate(rows: Integers, at: Floats) -> tuple[Floats, Floats, Floats]:
        theta = np.einsum("nka,na->nk", np.tensordot(at, form, (1, 1)), at)
        change = theta - problem.theta0[rows]
        force = np.matmul(W[rows], change[:, :, None])[:, :, 0]
        return theta, np.einsum("nk,nk->n", change, force), force

    theta, value, force = evaluate(np.arange(len(u)), u)
    hoped = np.array(value)

    def advance(rows: Integers) -> Mask:
        J = 2 * np.tensordot(u[rows], form, (1, 1))
        square = J.transpose(0, 2, 1) @ W[rows] @ J
        H = square + 2 * np.tensordot(force[rows], form, (1, 0))
        gradient = np.einsum("nka,nk->na", J, force[rows])
        still = held[rows]
        gradient[still, 9] = H[still, 9] = H[still, :, 9] = 0.0
        size = np.sqrt(np.maximum(*(np.abs(np.einsum("nii->ni", M)) for M in (square, H))))
        unit = np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 0.0)
        values, vectors = decompose(H * unit[:, :, None] * unit[:, None, :])
        # With the absolute values the step goes down also next to a saddle.
        curvature = np.abs(values)
        curvature = np.maximum(curvature, SADDLE * curvature.max(axis=1, keepdims=True))
        along = np.einsum("nba,nb->na", vectors, gradient * unit) / curvature
        step = -unit * np.einsum("nab,nb->na", vectors, along)
        promised = -np.einsum("na,na->n", gradient, step)
        before, origin, hoped[rows] = value[rows], u[rows], promised
        settled = promised <= MARGIN_SETTLED * before  # below rounding a last step needs no proof

        def attempt(some: Integers, length: float) -> Mask:
            at = origin[some] + length * step[some]
            found = evaluate(rows[some], at)
            enough = newton.SEARCH.decrease * length * promised[some]
            better = (found[1] < before[some] - enough) | settled[some]
            chosen = rows[some[better]]
            for whole, part in zip((u, theta, value, force), (at, *found), strict=True):
                whole[chosen] = part[better]
            return np.asarray(better)

        newton.SEARCH.find_rows(len(rows), attempt)
        return np.asarray((value[rows] < before) & ~settled)

    with np.errstate(all="ignore"):
        steps = iterate_rows(np.arange(len(u)), len(u), most, advance)
    return Descent(u, theta, value, hoped, steps)


def _keep_mass(
    problem: Quadratic, form: Floats, floored: Mask, found: Descent, least: Floats
) -> tuple[Descent, Mask]:
    """Descend again, with the least mass, where a descent ended with less."""
    light = ~floored & ~(found.theta[:, 0] >= least)
    rows = np.flatnonzero(light)
    if rows.size:
        start = np.array(found.u[rows])
        start[:, 9] = np.sqrt(least[rows])
        again = _descend(problem.rows(rows), form, light[rows], start, STEPS)
        for whole, part in zip(found, again, strict=True):
            np.asarray(whole)[rows] = part
    return found, floored | light


def _build_trace(point: Floats) -> Floats:
    """Build T (n, 10), which gives the trace of S' about points (n, 3) as a product with theta."""
    trace = np.zeros((len(point), 10))
    trace[:, 0], trace[:, 1:4] = np.einsum("ni,ni->n", point, point), -2 * point
    trace[:, [4, 7, 9]] = 0.5
    return trace


class Proof(NamedTuple):
    """Multipliers of the margin about the centres of mass of some answers.

    Attributes:
        point: (n, 3) the centres of mass q [m].
        trace: (n, 10) T as a functional on theta.
        share: (n,) e = mu tr(Z_S).
        Z: (n, 10) the multiplier as a functional on theta.
    """

    point: Floats
    trace: Floats
    share: Floats
    Z: Floats


def find_multipliers(problem: Quadratic, change: Floats) -> Proof:
    """Find the multipliers under which theta0 + change (n, 10) would be stationary."""
    assert problem.W is not None  # the caller has built it
    theta = problem.theta0 + change
    point = theta[:, 1:4] / theta[:, :1]
    trace = _build_trace(point)
    force = np.matmul(problem.W, change[:, :, None])[:, :, 0]
    # Any share proves that makes Z semidefinite and is at most mu tr(Z_S): the least proves most.
    values = decompose(unpack(force @ FROM_SVEC)[:, :3, :3])[0]
    share = np.maximum(-values[:, 0], EPS * np.abs(values).sum(axis=1))
    return Proof(point, trace, share, force + share[:, None] * trace)


def certify_margin(
    problem: Quadratic, change: Floats, margin: float, *, of_move: bool
) -> Certificate:
    """Compute by how much theta0 + change (n, 10) fails to be stationary, in units of the problem.

    Args:
        problem: The problem, with W; a floor of mass as its Delta.
        change: (n, 10) of theta.
        margin: The margin.
        of_move: Whether residuals are relative to the move, and not to the body.
    """
    units, proof = normalise(problem), find_multipliers(problem, change)
    force = proof.Z - proof.share[:, None] * proof.trace
    # Points leave a choice of shares: the largest proves them in spite of rounding.
    most = margin * (force @ _E) / np.maximum(1 - 3 * margin, NEARLY_ISOTROPIC)
    share = np.maximum(proof.share, most)
    Z, theta = force + share[:, None] * proof.trace, problem.theta0 + change
    matrix = unpack(Z @ FROM_SVEC)
    # A floor of mass has a multiplier of its own: what pushes the mass at the centre of mass.
    v = np.concatenate([proof.point, np.ones_like(proof.point[:, :1])], axis=1)
    push = np.einsum("ni,nij,nj->n", v, matrix, v) * (problem.Delta[:, 3, 3] > 0)
    matrix[:, 3, 3] -= push
    force[:, 0] -= push
    flat = theta - margin * np.einsum("ni,ni->n", proof.trace, theta)[:, None] * _E
    x = apply(units.inverse, flat @ TO_SVEC.T) / units.size[:, None]
    scale, back = (units.weight * units.size)[:, None], congruence(units.factor)
    # A share above mu tr(Z_S) is none of the margin's.
    rest = np.maximum(share - margin * (Z @ _E), 0.0)[:, None] * proof.trace @ FROM_SVEC
    z, rest, force = (
        np.einsum("nij,ni->nj", back, a) / scale for a in (pack(matrix), rest, force @ FROM_SVEC)
    )
    own = apply(units.inverse, theta @ TO_SVEC.T) / units.size[:, None]
    unexplained = np.maximum(cone_residual(z), np.linalg.norm(rest, axis=1))
    residuals = cone_residual(x), unexplained, np.abs(np.einsum("ni,ni->n", own, force))
    if of_move:
        d = apply(units.inverse, change @ TO_SVEC.T) / units.size[:, None]
        move, force = (np.maximum(np.linalg.norm(a, axis=1), SMALLEST) for a in (d, z))
        residuals = residuals[0] / move, residuals[1] / force, residuals[2] / move / force
    return Certificate(*(np.where(np.isnan(each), np.inf, each) for each in residuals))


def find_bound(problem: Quadratic, free: Floats, found: Descent) -> Floats:
    """Find lower bounds (n,) of distances to bodies with the margin; NaN for that which was found.

    Args:
        problem: The problem, with W and without a floor.
        free: (n, 10) the nearest without the margin.
        found: The bodies with the margin.
    """
    value, least = found.value, measure_change(problem, free) ** 2
    rows = np.flatnonzero(value * (1 - CERTIFIED) > least)
    part = problem.rows(rows)
    inverse, near = _invert(part), _find_neighbourhood(part, found.rows(rows))
    # <K, S'> - s^2 m about the centre of mass, as a matrix that multiplies Pi about the origin.
    C = np.zeros((len(rows), 4, 4))
    C[:, :3, :3], C[:, 3, 3] = near.K, -(near.reach**2)
    cut = pack(see_from_origin(C, near.point)) @ TO_SVEC
    outside = _bound_outside(part, cut, inverse, value[rows])[0]
    known = np.where(near.reach > 0, np.minimum(outside, near.value), 0.0)
    least[rows] = np.maximum(least[rows], known)
    return np.where(value * (1 - CERTIFIED) <= least, np.nan, np.sqrt(least))


class Neighbourhood(NamedTuple):
    """Centres of mass about those of some answers whose bodies are no nearer.

    Attributes:
        point: (n, 3) the centres of mass q of the answers [m].
        K: (n, 3, 3) of p^T K p <= s^2 for the centres q + p.
        reach: (n,) s; 0 for none.
        share: (n,) e, no less than the largest eigenvalue of K.
        value: (n,) what bounds the squared distances.
    """

    point: Floats
    K: Floats
    reach: Floats
    share: Floats
    value: Floats


def _find_neighbourhood(problem: Quadratic, found: Descent) -> Neighbourhood:
    """Find the centres of mass whose bodies are no nearer than what was found."""
    point, trace, share, Z = find_multipliers(problem, found.theta - problem.theta0)
    # The dual value is that of the minimum which a descent has all but reached, or else less by
    # what scaling the body would still bring.
    scaled = np.einsum("ni,ni->n", Z - share[:, None] * trace, found.theta)
    reached = (found.steps < STEPS) & (found.promised < SUFFICIENT_DECREASE * found.value)
    dual = found.value - 2 * np.where(reached, found.promised, np.abs(scaled))
    shift = np.zeros((len(point), 4, 4)) + np.eye(4)
    shift[:, 1:, 0] = -point
    V = shift @ _invert(problem)[:, :4, :4] @ shift.transpose(0, 2, 1)
    with np.errstate(all="ignore"):
        K, reach = _find_reach(unpack(Z @ FROM_SVEC)[:, :3, :3], share, V, found.theta[:, 0])
    known = (reach > 0) & np.isfinite(K).all(axis=(1, 2)) & np.isfinite(reach)
    K, reach = np.where(known[:, None, None], K, np.eye(3)), np.where(known, reach, 0.0)
    return Neighbourhood(point, K, reach, share, dual)


def _invert(problem: Quadratic) -> Floats:
    """Invert the weights (n, 10, 10)."""
    assert problem.W is not None  # the caller has built it
    return newton.invert(problem.W)


def _find_reach(Z: Floats, share: Floats, V: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """Find K (n, 3, 3) and s (n,): the dual value is no less for centres with p^T K p <= s^2.

    Args:
        Z: (n, 3, 3) the multiplier of S, positive semidefinite.
        share: (n,) e.
        V: (n, 4, 4) the block of W^-1 of mass and first moment about the answer's centre of mass.
        mass: (n,) of the answer.
    """
    one = share[:, None, None] * np.eye(3)
    values, axes = decompose(Z)
    root = axes * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    # Z moves with the centre by -B p beside S, by as much as raises the least curvature most: of
    # 2 m p^T K p - 4 ||(e - B) p||_V^2 with K = e 1 - B^T Z^-1 B.
    pulled = 4 * root.transpose(0, 2, 1) @ V[:, 1:, 1:]
    part = newton.solve_systems(pulled @ root + 2 * mass[:, None, None] * np.eye(3), pulled @ one)
    K, left = one - part.transpose(0, 2, 1) @ part, one - root @ part
    values, axes = decompose(K)
    turn = left @ (axes / np.sqrt(values)[:, None, :])
    bent = decompose(4 * turn.transpose(0, 2, 1) @ V[:, 1:, 1:] @ turn)[0][:, 2]
    # On m the dual moves by -p^T K p, whose norm is added to that of the rest: a quadratic in s.
    return K, (np.sqrt(2 * mass) - np.sqrt(bent)) / np.sqrt(V[:, 0, 0])


def _bound_outside(
    problem: Quadratic, cut: Floats, inverse: Floats, enough: Floats
) -> tuple[Floats, Floats]:
    """Find lower bounds (n,) of the squared distance under cut . theta >= 0, up to `enough`.

    Returns:
        The bounds, and the multipliers (n, 10) on theta that prove them.
    """
    answer = np.matmul(inverse, cut[:, :, None])[:, :, 0]
    length, given = (np.einsum("ni,ni->n", cut, a) for a in (answer, problem.theta0))
    with np.errstate(all="ignore"):
        weight = np.maximum(-given / length, 0.0)
    low, high, best, proof = 0 * weight, weight + np.inf, 0 * weight, np.zeros_like(cut)

    def advance(rows: Integers) -> Mask:
        own = weight[rows]
        moved = problem.theta0[rows] + own[:, None] * answer[rows]
        part = problem.rows(rows)._replace(theta0=moved)
        units = normalise(part)
        root = newton.iterate(units, BRIEF, newton.BRIEF)
        theta, z = to_si(part, units, root.x, root.z)
        # Any weight of the cut bounds, with any multiplier of Pi >= 0.
        terms = z @ TO_SVEC, own[:, None] * cut[rows]
        y, size = terms[0] + terms[1], np.abs(terms[0]) + np.abs(terms[1])
        value = _measure_dual(problem.rows(rows), inverse[rows], y, size)
        better = value > best[rows]
        best[rows[better]], proof[rows[better]] = value[better], y[better]
        under = np.einsum("ni,ni->n", cut[rows], theta) < 0
        low[rows], high[rows] = np.where(under, own, low[rows]), np.where(under, high[rows], own)
        wide = np.isinf(high[rows])
        weight[rows] = np.where(wide, 2 * own, (low[rows] + np.where(wide, 0.0, high[rows])) / 2)
        return np.asarray((best[rows] < enough[rows]) & (weight[rows] > 0))

    with np.errstate(all="ignore"):
        iterate_rows(np.arange(len(weight)), len(weight), CUTS, advance)
    return best, proof


def _measure_dual(problem: Quadratic, inverse: Floats, y: Floats, terms: Floats) -> Floats:
    """Compute the squared distances (n,) that multipliers y (n, 10) on theta prove, or 0.

    They prove up to the rounding of the `terms`, as absolute values (n, 10), that y is a sum of.
    """
    value = -2 * np.einsum("ni,ni->n", y, problem.theta0)
    value -= np.einsum("ni,nij,nj->n", y, inverse, y)
    value -= SOLVED_FACTOR * EPS * np.einsum("ni,ni->n", terms, np.abs(problem.theta0))
    return np.where(np.isfinite(value), np.maximum(value, 0.0), 0.0)


def _relax(
    problem: Quadratic, inverse: Floats, margin: float, center: Floats, square: Floats
) -> tuple[Floats, Floats, Floats]:
    """Bound the squared distance of bodies with their centre of mass in a ball.

    Args:
        problem: The problem.
        inverse: (n, 10, 10) of its weights.
        margin: The margin.
        center: (n, 3) of the balls [m].
        square: (n,) of their radii [m^2].

    Returns:
        The bounds (n,), bodies (n, 10) that are as near, and the multipliers (n, 10) on theta.
    """
    T = _build_trace(center)
    T[:, 0] -= square
    # X = theta - mu <T, theta> E has to be semidefinite. That map has no inverse at 1/3, so the
    # dual is solved: the least z^T N z + 2 <z, X0> over z >= 0, whose gradient is X.
    to_X = TO_SVEC @ (np.eye(10) - margin * _E[:, None] * T[:, None, :])
    N = to_X @ inverse @ to_X.transpose(0, 2, 1)
    X0 = np.matmul(to_X, problem.theta0[:, :, None])[:, :, 0]
    with np.errstate(all="ignore"):
        log_d = -np.log(np.einsum("nii->ni", N)) @ UNITS_FIT.T / 2
        units = np.exp(log_d - log_d.mean(axis=1, keepdims=True))
        scale = units[:, ROW] * units[:, COLUMN]
        N, X0 = N * scale[:, :, None] * scale[:, None, :], X0 * scale
        length, weight = np.linalg.norm(X0, axis=1), np.trace(N, axis1=1, axis2=2) / 10
        N, X0 = (N + N.transpose(0, 2, 1)) / (2 * weight[:, None, None]), X0 / length[:, None]
        z = newton.minimise(N, X0, BRIEF) * scale * (length / weight)[:, None]
        y, size = (np.einsum("nij,ni->nj", a, b) for a, b in ((to_X, z), (np.abs(to_X), np.abs(z))))
    theta = problem.theta0 + np.matmul(inverse, y[:, :, None])[:, :, 0]
    return _measure_dual(problem, inverse, y, size), theta, y


def _cover(problem: Quadratic, form: Floats, margin: float, best: Descent, least: Floats) -> Floats:
    """Cover the centres of mass by regions without nearer bodies, or find these.

    Args:
        problem: The problem, with W and without a floor.
        form: That of bodies with the margin.
        margin: The margin.
        best: The nearest so far, replaced in place where a nearer one is found.
        least: (n,) squared distance of the nearest without the margin.

    Returns:
        (n,) as `find_bound`.
    """
    count, inverse, near = len(least), _invert(problem), _find_neighbourhood(problem, best)
    proofs, bends = np.zeros((REGIONS + 1, count, 4, 4)), np.zeros((REGIONS + 1, count))
    proofs[:, :, 3, 3] = -1.0  # holds nowhere

    def keep(slots: Integers | int, rows: Integers, y: Floats) -> None:
        proofs[slots, rows] = unpack(y @ FROM_SVEC)
        values = decompose(proofs[slots, rows][:, :3, :3])[0]
        bends[slots, rows] = np.minimum(values[:, 0], 0.0)

    far, radius, y = _find_outside(problem, inverse, near.point, best, least)
    keep(REGIONS, np.arange(count), y)
    # What is bound to stay open outside needs no better proof inside.
    aim = np.minimum(far, best.value * (1 - CERTIFIED))
    row = np.flatnonzero(aim * NEAR**2 >= best.value)
    center, half = near.point[row], np.repeat(radius[row, None], 3, axis=1)
    low, bound, tried = least[row], np.zeros(count), np.zeros(count, dtype=np.int32)
    bound[row] = aim[row]
    for _ in range(SPLITS):
        left = ~_are_proven(near, (proofs, bends), aim, row, center, half)
        spent = left & (tried[row] >= BOXES)
        np.minimum.at(bound, row[spent], low[spent])
        left &= ~spent
        row, center, half, low = row[left], center[left], half[left], low[left]
        if not row.size:
            break
        np.add.at(tried, row, 1)
        square = np.einsum("ni,ni->n", half, half)
        value, theta, y = _relax(problem.rows(row), inverse[row], margin, center, square)
        low = np.maximum(low, value)
        # The lowest of each body's boxes is where a nearer one may be.
        order = np.lexsort((low, row))
        order = order[np.unique(row[order], return_index=True)[1]]
        moved = _try_starts(problem, form, margin, best, row[order], theta[order])
        if moved.size:
            aim[moved] = np.minimum(aim[moved], best.value[moved] * (1 - CERTIFIED))
            bound = np.minimum(bound, aim)
            found = _find_neighbourhood(problem.rows(moved), best.rows(moved))
            for whole, part in zip(near, found, strict=True):
                whole[moved] = part
        found_regions = np.flatnonzero(value >= aim[row])
        keep(found_regions % REGIONS, row[found_regions], y[found_regions])
        left = low < aim[row]
        row, center, half, low = _halve(row[left], center[left], half[left], low[left])
    np.minimum.at(bound, row, low)
    proven = bound >= best.value * (1 - CERTIFIED)
    return np.where(proven, np.nan, np.sqrt(bound))


def _find_outside(
    problem: Quadratic, inverse: Floats, point: Floats, best: Descent, least: Floats
) -> tuple[Floats, Floats, Floats]:
    """Find balls about the answers outside which no centre of mass has a nearer body.

    Returns:
        (n,) squared distances that are proven there, at least `least`; the radii (n,) [m]; and the
        multipliers (n, 10) on theta of what is more.
    """
    trace, rows = _build_trace(point), np.arange(len(point))
    spread = [np.abs(np.einsum("ni,ni->n", trace, a)) for a in (best.theta, problem.theta0)]
    radius, proof = np.sqrt(np.maximum(*spread) / best.theta[:, 0]), np.zeros_like(trace)
    proof[:, 0] = -1.0  # holds nowhere
    far = np.array(least)
    for turn in range(OUTER):
        radius[rows] *= min(turn, 1) + 1
        cut = trace[rows]
        cut[:, 0] -= radius[rows] ** 2
        outside, y = _bound_outside(problem.rows(rows), cut, inverse[rows], best.value[rows])
        better = outside > far[rows]
        far[rows[better]], proof[rows[better]] = outside[better], y[better]
        rows = rows[far[rows] < best.value[rows] * (1 - CERTIFIED)]
    return far, radius, proof


def _are_proven(
    near: Neighbourhood,
    regions: tuple[Floats, Floats],
    aim: Floats,
    row: Integers,
    center: Floats,
    half: Floats,
) -> Mask:
    """Find boxes in a proven region, or about the answer, with the ball around each.

    Args:
        near: Neighbourhoods of the answers (n).
        regions: (k, n, 4, 4) Y of proven regions [c, 1]^T Y [c, 1] >= 0, and (k, n) their least
            curvatures, at most 0.
        aim: (n,) squared distances that are to be proven.
        row: (b,) the body of each box.
        center: (b, 3) centres of the boxes [m].
        half: (b, 3) halves of their edges [m].
    """
    R = np.linalg.norm(half, axis=1)
    p, place = center - near.point[row], np.concatenate([center, np.ones_like(R)[:, None]], axis=1)
    inside = np.sqrt(np.maximum(np.einsum("ni,nij,nj->n", p, near.K[row], p), 0.0))
    closed = inside + R * np.sqrt(near.share[row]) <= near.reach[row]
    closed &= near.value[row] >= aim[row]
    for proof, bend in zip(*regions, strict=True):
        slope = np.matmul(proof[row], place[:, :, None])[:, :, 0]
        value = np.einsum("ni,ni->n", place, slope) + bend[row] * R**2
        closed |= value >= 2 * R * np.linalg.norm(slope[:, :3], axis=1)
    return np.asarray(closed)


def _halve(
    row: Integers, center: Floats, half: Floats, low: Floats
) -> tuple[Integers, Floats, Floats, Floats]:
    """Halve boxes along their longest edges; the bodies and bounds of the boxes are kept."""
    row, low = np.repeat(row, 2), np.repeat(low, 2)
    center, half = np.repeat(center, 2, axis=0), np.repeat(half, 2, axis=0)
    edge = half.argmax(axis=1)[:, None] == np.arange(3)
    half = np.where(edge, half / 2, half)
    center[::2] -= (edge * half)[::2]
    center[1::2] += (edge * half)[1::2]
    return row, center, half, low


def _try_starts(
    problem: Quadratic, form: Floats, margin: float, best: Descent, rows: Integers, theta: Floats
) -> Integers:
    """Descend from near theta (n, 10), replace in place what was found, and say in which rows."""
    some = np.flatnonzero((theta[:, 0] > 0) & np.isfinite(theta).all(axis=1))
    rows, theta = rows[some], theta[some]
    start = _enter(theta, theta[:, 1:4] / theta[:, :1], margin)
    loose = np.zeros(len(rows), dtype=np.bool_)
    tried = _descend(problem.rows(rows), form, loose, start, SCREENING)
    better = tried.value < best.value[rows] * (1 - CERTIFIED)
    rows = rows[better]
    found = _descend(problem.rows(rows), form, loose[better], tried.u[better], STEPS)
    for whole, part in zip(best, found, strict=True):
        np.asarray(whole)[rows] = part
    return rows
