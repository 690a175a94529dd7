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
margin, bounds theirs. Where that proves too little, `_cover` covers the space of centres of mass,
its points at infinity included, by regions that multipliers prove empty of nearer bodies. Where
(c, 1)^T B (c, 1) >= 0 in a ball of centres c, as R^2 - |c - q|^2, bodies with the margin have
Pi + k <B, Pi> E >= 0 for some k that B_S gives, besides Pi >= 0, which is convex. The multiplier Y
of both that their nearest body gives proves all c with [c, 1]^T Y [c, 1] >= 0, mostly more than the
ball.
"""

from __future__ import annotations

from collections.abc import Callable
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
from inertial_check.projection import interior, newton
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
    spectrum,
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

UNIT = 2.2
"""Length that is one in the charts of centres of mass, of the geometric mean of two sizes: of 50
rows with priors of their own at a margin of 0.2 two stay unproven; with 1 seven, with 3 three."""

LEAST_BEND = 0.05
"""Least weight of a cell's form, of its largest eigenvalue: more than the margin asks is wasted."""

SPLITS, BOXES = 24, 400
"""Rounds in which boxes of centres are halved, and boxes that are tried for one body, at most."""

REGIONS = 32
"""Proven regions of a body that its boxes are compared with, besides the outside."""

Term = Callable[[Integers, Floats], tuple[Floats, Floats, Floats]]
"""Values (n,), gradients (n, 10) and Hessians (n, 10, 10) of some rows at bodies (n, 10)."""

_E = np.array([0.0, 0, 0, 0, 2, 0, 0, 2, 0, 2])
_CHARTS = np.eye(4)[[[*(j for j in range(4) if j != k), k] for k in range(4)]]
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
    # A point is as near as rounding to bodies with the margin: that no bound can prove.
    assert problem.W is not None  # the caller has built it
    size = np.abs(problem.theta0)
    rounding = np.einsum("ni,nij,nj->n", size, np.abs(problem.W), size) * (SOLVED_FACTOR * EPS) ** 2
    bound = _prove(problem, form, margin, free, best, ~light & (best.value > rounding))
    best, light = _keep_mass(problem, form, light, best, least)
    return best, light, np.where(light, np.nan, bound)


def find_estimate(
    problem: Quadratic, margin: float, starts: tuple[Floats, ...], term: Term
) -> Descent:
    """Find bodies with a margin that are least in the squared distance and a term beside it.

    Args:
        problem: The problem, with W.
        margin: The margin, above 0.
        starts: (n, 10) each, bodies near which the descents start.
        term: The term.
    """
    form, loose = build_form(margin), np.zeros(len(problem.theta0), dtype=np.bool_)
    ends = [
        _descend(problem, form, loose, _enter(a, a[:, 1:4] / a[:, :1], margin), STEPS, term)
        for a in starts
    ]
    best = ends[0]
    for end in ends[1:]:
        rows = np.flatnonzero(end.value < best.value)
        best.put(rows, end.rows(rows))
    return best


def bound_missing(moved: Quadratic, margin: float, theta: Floats) -> Floats:
    """Bound by how much bodies with the margin have less than the squared distance of theta.

    Args:
        moved: The problem, mostly moved so that theta is the least for what else acts on it.
        margin: The margin.
        theta: (n, 10) answers.

    Returns:
        (n,) parts of the squared distances that may be missing.
    """
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
            best.put(rows, nearer)
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

    def put(self, rows: Integers, part: Descent) -> None:
        """Replace some of the rows, in place."""
        for whole, new in zip(self, part, strict=True):
            np.asarray(whole)[rows] = new


def build_form(margin: float) -> Floats:
    """Build B (10, 10, 10) with theta_k = u^T B_k u for the entries u of N = [[L, v], [0, r]].

    N N^T is the pseudo-inertia with S_c = L L, L symmetric; with the margin, theta has
    S_c = (1 - 3 mu) L L + mu tr(L L) 1. A triangular L would be ambiguous where S_c is singular.
    """
    basis = np.zeros((10, 4, 4))
    basis[range(10), _ROWS, _COLUMNS] = 1.0
    basis[range(6), _COLUMNS[:6], _ROWS[:6]] = 1.0
    Pi = np.einsum("aij,bkj->abik", basis, basis)
    if margin >= ISOTROPIC:
        Pi[1:6] = Pi[:, 1:6] = 0.0
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
    if margin >= ISOTROPIC:  # only the trace of L L is left
        entries = np.sqrt(total) * (np.arange(6) == 0)
    return np.concatenate([entries, np.sqrt(mass) * center, np.sqrt(mass)], axis=1)


def _descend(
    problem: Quadratic, form: Floats, held: Mask, start: Floats, most: int, term: Term | None = None
) -> Descent:
    """Descend by Newton's method from u (n, 10); rows that are `held` keep their mass u[:, 9]^2."""
    u, W = np.array(start), problem.W
    assert W is not None  # the caller has built it

    def evaluate(rows: Integers, at: Floats) -> tuple[Floats, Floats, Floats]:
        theta = np.einsum("nka,na->nk", np.tensordot(at, form, (1, 1)), at)
        change = theta - problem.theta0[rows]
        force = np.matmul(W[rows], change[:, :, None])[:, :, 0]
        value = np.einsum("nk,nk->n", change, force)
        if term is not None:
            more, slope, _ = term(rows, theta)
            value, force = value + more, force + slope / 2
        return theta, value, force

    theta, value, force = evaluate(np.arange(len(u)), u)
    hoped = np.array(value)

    def advance(rows: Integers) -> Mask:
        J = 2 * np.tensordot(u[rows], form, (1, 1))
        bent = W[rows] if term is None else W[rows] + term(rows, theta[rows])[2] / 2
        square = J.transpose(0, 2, 1) @ bent @ J
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
        found.put(rows, _descend(problem.rows(rows), form, light[rows], start, STEPS))
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
    values = spectrum(unpack(force @ FROM_SVEC)[:, :3, :3])
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
        value: (n,) what bounds the squared distances.
    """

    point: Floats
    K: Floats
    reach: Floats
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
        mass = found.theta[:, 0]
        one = share[:, None, None] * np.eye(3)
        values, axes = decompose(unpack(Z @ FROM_SVEC)[:, :3, :3])
        root = axes * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        # The dual value is no less for centres with p^T K p <= s^2. Z moves with the centre by -B p
        # beside S, by as much as raises the least curvature most: of
        # 2 m p^T K p - 4 ||(e - B) p||_V^2 with K = e 1 - B^T Z^-1 B.
        pulled = 4 * root.transpose(0, 2, 1) @ V[:, 1:, 1:]
        part = newton.solve_systems(
            pulled @ root + 2 * mass[:, None, None] * np.eye(3), pulled @ one
        )
        K, left = one - part.transpose(0, 2, 1) @ part, one - root @ part
        values, axes = decompose(K)
        turn = left @ (axes / np.sqrt(values)[:, None, :])
        bent = spectrum(4 * turn.transpose(0, 2, 1) @ V[:, 1:, 1:] @ turn)[:, 2]
        # On m the dual moves by -p^T K p, whose norm is added to that of the rest: a quadratic in
        # the reach s.
        reach = (np.sqrt(2 * mass) - np.sqrt(bent)) / np.sqrt(V[:, 0, 0])
    known = (reach > 0) & np.isfinite(K).all(axis=(1, 2)) & np.isfinite(reach)
    K, reach = np.where(known[:, None, None], K, np.eye(3)), np.where(known, reach, 0.0)
    return Neighbourhood(point, K, reach, dual)


def _invert(problem: Quadratic) -> Floats:
    """Invert the weights (n, 10, 10)."""
    assert problem.W is not None  # the caller has built it
    return newton.invert(problem.W)


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
    problem: Quadratic, inverse: Floats, margin: float, cells: Cells, enough: Floats
) -> tuple[Floats, Floats, Floats]:
    """Bound the squared distance of bodies with their centre of mass in the balls of cells.

    Args:
        problem: The problem.
        inverse: (n, 10, 10) of its weights.
        margin: The margin.
        cells: The cells, one for each row.
        enough: (n,) bounds that need not be raised.

    Returns:
        The bounds (n,), bodies (n, 10) that are as near, and the multipliers (n, 10) on theta.
    """
    B = cells.build_forms()
    values = spectrum(B[:, :3, :3])
    # Y = P + s B with P >= 0 is a multiplier of bodies with the margin for 0 <= s <= k tr(P_S).
    most = (3 * margin - 1) * values[:, 0] - margin * values.sum(axis=1)
    most = np.maximum(most, LEAST_BEND * np.abs(values).max(axis=1))
    to_y = np.zeros((len(B), 11, 10)) + np.concatenate([TO_SVEC, np.zeros((1, 10))])
    to_y[:, 10] = (margin / most)[:, None] * (pack(B) @ TO_SVEC)
    # The dual: the least z^T N z + 2 <z, X0> over z = (svec(P), s / k).
    N = to_y @ inverse @ to_y.transpose(0, 2, 1)
    X0 = np.matmul(to_y, problem.theta0[:, :, None])[:, :, 0]
    with np.errstate(all="ignore"):
        log_d = -np.log(np.einsum("nii->ni", N[:, :10, :10])) @ UNITS_FIT.T / 2
        units = np.exp(log_d - log_d.mean(axis=1, keepdims=True))
        a, scale = np.zeros_like(X0[:, :10]), units[:, ROW] * units[:, COLUMN]
        a[:, _DIAGONAL] = scale[:, _DIAGONAL]
        size = np.linalg.norm(a, axis=1, keepdims=True)
        a, scale = a / size, np.concatenate([scale, size], axis=1)
        N, X0 = N * scale[:, :, None] * scale[:, None, :], X0 * scale
        length, weight = np.linalg.norm(X0, axis=1), np.trace(N, axis1=1, axis2=2) / 11
        N, X0 = (N + N.transpose(0, 2, 1)) / (2 * weight[:, None, None]), X0 / length[:, None]
        z = interior.minimise(N, X0, a, enough * weight / length**2)
        z = z * scale * (length / weight)[:, None]
        y, size = (np.einsum("nij,ni->nj", a, b) for a, b in ((to_y, z), (np.abs(to_y), np.abs(z))))
    theta = problem.theta0 + np.matmul(inverse, y[:, :, None])[:, :, 0]
    return _measure_dual(problem, inverse, y, size), theta, y


class Cells(NamedTuple):
    """Boxes of centres of mass, those at infinity included, with the balls around them.

    A centre p about the answer is the line through v = (p / unit, 1), and w = v / v_k without its
    entry k, which is the largest: four charts of lines, each a cube, that leave out none.

    Attributes:
        row: (b,) the body of each box.
        chart: (b,) k.
        middle: (b, 3) middles of the boxes, as w.
        half: (b, 3) halves of their edges.
        low: (b,) lower bounds of the squared distance of bodies with their centre there.
        frame: (b, 4, 4) v as a map of (c, 1), c about the origin of the problem.
    """

    row: Integers
    chart: Integers
    middle: Floats
    half: Floats
    low: Floats
    frame: Floats

    def rows(self, rows: Integers | Mask) -> Cells:
        """Select some of the cells."""
        row, chart, middle, half, low, frame = self
        return Cells(row[rows], chart[rows], middle[rows], half[rows], low[rows], frame[rows])

    def build_forms(self) -> Floats:
        """Build B (b, 4, 4) with (c, 1)^T B (c, 1) >= 0 for the centres c in the balls."""
        own = np.zeros((len(self.row), 4, 4))
        own[:, range(3), range(3)] = -1.0
        own[:, :3, 3] = own[:, 3, :3] = self.middle
        own[:, 3, 3] = np.sum(self.half**2, axis=1) - np.sum(self.middle**2, axis=1)
        turn = _CHARTS[self.chart] @ self.frame
        return np.asarray(turn.transpose(0, 2, 1) @ own @ turn)

    def halve(self) -> Cells:
        """Halve boxes along their longest edges; bodies, charts and bounds are kept."""
        twice = self.rows(np.repeat(np.arange(len(self.row)), 2))
        edge = twice.half.argmax(axis=1)[:, None] == np.arange(3)
        half = np.where(edge, twice.half / 2, twice.half)
        side = np.tile([-1.0, 1.0], len(self.row))[:, None]
        return twice._replace(middle=twice.middle + side * edge * half, half=half)


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
    proofs = np.zeros((REGIONS + 1, count, 4, 4))
    proofs[:, :, 3, 3] = -1.0  # holds nowhere
    back = np.zeros((count, 4, 4)) + np.eye(4)
    # Between the sizes of the bodies and of what the weights measure by: both are in reach.
    trace, bodies = _build_trace(near.point), (best.theta, problem.theta0)
    spread = np.maximum(*(np.abs(np.einsum("ni,ni->n", trace, a)) for a in bodies))
    unit = np.trace(problem.reference[:, :3, :3], axis1=1, axis2=2) / problem.reference[:, 3, 3]
    back[:, range(3), range(3)] *= UNIT * (spread / best.theta[:, 0] * unit)[:, None] ** 0.25
    back[:, :3, 3] = near.point
    row, zero = np.repeat(np.arange(count), 4), np.zeros((4 * count, 3))
    chart, frame = np.tile(np.arange(4), count), newton.invert(back)[row]
    open_ = Cells(row, chart, zero, zero + 1, least[row], frame)
    tried, aim = np.zeros(count, dtype=np.int32), np.zeros(count)

    def know(rows: Integers) -> None:
        # About the answer itself the bound is that of its multiplier.
        C = np.zeros((len(rows), 4, 4))
        C[:, :3, :3], C[:, 3, 3] = -near.K[rows], near.reach[rows] ** 2
        aim[rows] = best.value[rows] * (1 - CERTIFIED)
        proofs[REGIONS, rows] = see_from_origin(C, near.point[rows])
        proofs[REGIONS, rows[near.value[rows] < aim[rows]]] *= 0.0

    know(np.arange(count))
    for _ in range(SPLITS):
        lowest = np.full(count, np.inf)
        np.minimum.at(lowest, open_.row, open_.low)
        # First what an answer called near needs, where it is not given yet.
        goal = np.where(lowest * NEAR**2 < best.value, best.value / NEAR**2, aim)
        todo = (open_.low < goal[open_.row]) & (tried[open_.row] < BOXES)
        cells, open_ = open_.rows(todo), open_.rows(~todo)
        cells = cells.rows(~_are_proven(proofs, back, cells))
        if not cells.row.size:
            break
        np.add.at(tried, cells.row, 1)
        value, theta, y = _relax(
            problem.rows(cells.row), inverse[cells.row], margin, cells, aim[cells.row]
        )
        cells = cells._replace(low=np.maximum(cells.low, value))
        # The lowest of each body's boxes is where a nearer one may be.
        order = np.lexsort((cells.low, cells.row))
        order = order[np.unique(cells.row[order], return_index=True)[1]]
        moved = _try_starts(problem, form, margin, best, cells.row[order], theta[order])
        if moved.size:
            found = _find_neighbourhood(problem.rows(moved), best.rows(moved))
            for whole, part in zip(near, found, strict=True):
                whole[moved] = part
            know(moved)
        kept = np.flatnonzero(value >= aim[cells.row])
        proofs[kept % REGIONS, cells.row[kept]] = unpack(y[kept] @ FROM_SVEC)
        cells = cells.rows(cells.low < aim[cells.row]).halve()
        open_ = Cells._make(np.concatenate(both) for both in zip(open_, cells, strict=True))
    lowest = np.array(aim)
    np.minimum.at(lowest, open_.row, open_.low)
    return np.where(lowest >= best.value * (1 - CERTIFIED), np.nan, np.sqrt(lowest))


def _are_proven(proofs: Floats, back: Floats, cells: Cells) -> Mask:
    """Find cells whose ball is in one proven region of their body.

    Args:
        proofs: (k, n, 4, 4) Y of regions (c, 1)^T Y (c, 1) >= 0 that are proven.
        back: (n, 4, 4) of (c, 1) as a map of v.
        cells: The cells.
    """
    R = np.linalg.norm(cells.half, axis=1)
    place = np.concatenate([cells.middle, np.ones_like(R)[:, None]], axis=1)
    turn = back[cells.row] @ _CHARTS[cells.chart].transpose(0, 2, 1)
    closed = np.zeros(len(R), dtype=np.bool_)
    for proof in proofs:
        rows = np.flatnonzero(~closed)
        Y = turn[rows].transpose(0, 2, 1) @ proof[cells.row[rows]] @ turn[rows]
        slope = np.matmul(Y, place[rows][:, :, None])[:, :, 0]
        value = np.einsum("ni,ni->n", place[rows], slope)
        value -= 2 * R[rows] * np.linalg.norm(slope[:, :3], axis=1)
        some = np.flatnonzero(value > 0)  # bends only take from that
        bend = np.minimum(spectrum(Y[some, :3, :3])[:, 0], 0.0)
        closed[rows[some]] = value[some] + bend * R[rows[some]] ** 2 > 0
    return closed


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
    best.put(rows, _descend(problem.rows(rows), form, loose[better], tried.u[better], STEPS))
    return rows
