"""Results of solvers, with certificates computed from the numbers given and returned alone.

A certificate is computed from the ten numbers given and the ten returned, in the caller's point and
precision. Where the nearest body is 1e-12 of its size away, rounding of its numbers is a part of
that move: residuals relative to the body do not see it, residuals relative to the move do.
Differences of numbers so near are exact, and the least eigenvalue is computed in twice the digits
of float64: sums and products are kept as pairs of a number and its rounding error (Dekker, Numer.
Math. 18, 1971; Knuth, TAOCP 2, 4.2.2). In a basis in which a matrix is nearly diagonal, the entries
that such a congruence gives hold its small eigenvalues to all their digits, and Jacobi rotations
keep them.

`SolverResult` holds the rows that had to move, whatever the metric. Change, certificate and
multipliers are computed when they are asked for, because large batches are often projected without
any: together they take as long as the closed form itself. `Evidence` holds what they are computed
from; `Selection` gives those of some rows, so that a Projection can be indexed like its batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import Array, Floats, Integers, array_namespace
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import (
    Point,
    Units,
    about_origin,
    leaves_range,
    scale_by_powers,
    second_moment,
)
from inertial_check.inertia.tolerances import SOLVED_FACTOR
from inertial_check.projection.moments import (
    INERTIA,
    MomentMetric,
    find_multipliers,
    inner,
    trace,
    with_central_inertia,
)
from inertial_check.projection.quadratic import Normalised, Quadratic, normalise, stationarity
from inertial_check.projection.svec import (
    TO_SVEC,
    Certificate,
    apply,
    cone_residual,
    congruence,
    decompose,
    spectrum,
    unpack,
)

if TYPE_CHECKING:
    from inertial_check.projection.constraint import Constraint


_SPLIT = 2.0**27 + 1
"""Factor that splits a float64 into two halves of 26 digits whose products are exact (Veltkamp)."""

SWEEPS = 4
"""Sweeps of Jacobi rotations over a matrix that is nearly diagonal; they converge quadratically."""

Pair = tuple[Floats, Floats]
"""Numbers and what their rounding left."""


def two_sum(a: Floats, b: Floats) -> Pair:
    """Add numbers: the rounded sums, and the exact rest."""
    total = a + b
    # Knuth's sum without a branch: exact for any order of magnitude of a and b.
    part = total - a
    return total, (a - (total - part)) + (b - part)


def transform_pseudo_inertia(K: Floats, theta: Floats, Delta: Floats | None = None) -> Floats:
    """Compute K (Pi - Delta) K^T in twice the digits, rounded at the end.

    Args:
        K: (n, 4, 4).
        theta: (n, 10) in order "urdf" about the body origin.
        Delta: (n, 4, 4); None for zero.
    """
    whole, rests = np.zeros((len(theta), 4, 4)), np.zeros((len(theta), 4, 4))
    moments = theta[:, [4, 7, 9]]
    for i in range(3):
        part, rest = two_sum(moments[:, i - 2], moments[:, i - 1])
        total, more = two_sum(part, -moments[:, i])
        whole[:, i, i], rests[:, i, i] = total / 2, (rest + more) / 2
    for entry, (i, j) in zip((5, 6, 8), ((0, 1), (0, 2), (1, 2)), strict=True):
        whole[:, i, j] = whole[:, j, i] = -theta[:, entry]
    whole[:, :3, 3] = whole[:, 3, :3] = theta[:, 1:4]
    whole[:, 3, 3] = theta[:, 0]
    if Delta is not None:
        whole, rest = two_sum(whole, -Delta)
        rests = rests + rest
    left = _multiply((whole, rests), K)  # (Pi K^T)
    high, low = _multiply((left[0].transpose(0, 2, 1), left[1].transpose(0, 2, 1)), K)
    return high + low


def _multiply(matrix: Pair, K: Floats) -> Pair:
    """Multiply matrices (n, 4, 4) by K^T (n, 4, 4) from the right."""
    high, low = np.zeros_like(K), np.zeros_like(K)
    for i in range(4):
        factor = K[:, None, :, i]
        # The rounded product and its exact rest (Dekker).
        a = matrix[0][:, :, i, None]
        product = a * factor
        # Veltkamp's halves multiply without rounding; NumPy has no fused multiply-add for the rest.
        a_high, b_high = (_SPLIT * v - (_SPLIT * v - v) for v in (a, factor))
        a_low, b_low = a - a_high, factor - b_high
        rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
        high, more = two_sum(high, product)
        low = low + (more + (rest + matrix[1][:, :, i, None] * factor))
    return two_sum(high, low)


def diagonalise(T: Floats) -> tuple[Floats, Floats]:
    """Compute eigenvalues (n, k), ascending, of nearly diagonal matrices to their own digits.

    Returns:
        The eigenvalues, and the rotations R (n, k, k) with R^T T R diagonal.
    """
    T, size = np.array(T), T.shape[-1]
    R = np.zeros_like(T) + np.eye(size)
    with np.errstate(all="ignore"):
        for _ in range(SWEEPS):
            for p, q in combinations(range(size), 2):
                _rotate(T, R, p, q)
    values = np.einsum("nii->ni", T)
    order = np.argsort(values, axis=1)
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(R, order[:, None], axis=2)


def _rotate(T: Floats, R: Floats, p: int, q: int) -> None:
    """Rotate, in place, so that T[p, q] vanishes; the angle is 45 degrees at most."""
    off = T[:, p, q].copy()
    # The smaller root of t^2 + 2 ratio t - 1 = 0 (Golub and Van Loan, 4th ed., algorithm 8.5.1).
    # Jacobi keeps small eigenvalues that QR loses (Demmel and Veselic, SIAM J. Matrix Anal. Appl.
    # 13, 1992).
    ratio = (T[:, q, q] - T[:, p, p]) / np.where(off != 0, 2 * off, 1.0)
    t = np.where(off != 0, np.copysign(1.0, ratio) / (np.abs(ratio) + np.hypot(ratio, 1.0)), 0.0)
    cosine = 1 / np.hypot(t, 1.0)
    c, s = cosine[:, None], (t * cosine)[:, None]
    diagonal = T[:, p, p] - t * off, T[:, q, q] + t * off
    rows = T[:, p].copy(), T[:, q].copy()
    T[:, p] = T[:, :, p] = c * rows[0] - s * rows[1]
    T[:, q] = T[:, :, q] = s * rows[0] + c * rows[1]
    T[:, p, p], T[:, q, q] = diagonal
    # Set, not computed: rounding would leave a rest that is of the order of the small eigenvalues.
    T[:, p, q] = T[:, q, p] = 0.0
    turned = R[:, :, p].copy(), R[:, :, q].copy()
    R[:, :, p], R[:, :, q] = c * turned[0] - s * turned[1], s * turned[0] + c * turned[1]


Unit = Literal["body", "move"]
"""Size that residuals are relative to: that of the body, or of the change of it."""

_SIX = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]


class Spread(NamedTuple):
    """Central second moments in a basis in which they are diagonal, in twice the digits.

    Attributes:
        values: (n, 3) eigenvalues, ascending, each to its own digits.
        axes: (n, 3, 3) eigenvectors as columns.
    """

    values: Floats
    axes: Floats


def diagonalise_spread(theta: Floats, about: Point) -> Spread:
    """Diagonalise the central second moments of bodies (n, 10) of positive mass.

    The point about which the numbers are taken cancels in twice the digits.
    """
    theta = np.array(theta, dtype=np.float64)
    if about == "com":
        theta[:, 1:4] = 0.0
    K = np.zeros((len(theta), 4, 4)) + np.eye(4)
    K[:, :3, 3] = -theta[:, 1:4] / theta[:, :1]
    # Two passes: axes from the rounded moments make the second transform nearly diagonal, where
    # rounding at the end leaves each eigenvalue its own digits.
    axes = decompose(_central(transform_pseudo_inertia(K, theta)))[1]
    turn = np.zeros_like(K)
    turn[:, :3, :3], turn[:, 3, 3] = axes.transpose(0, 2, 1), 1.0
    values, rotation = diagonalise(_central(transform_pseudo_inertia(turn @ K, theta)))
    return Spread(values, axes @ rotation)


def _central(Pi: Floats) -> Floats:
    """Compute S_c (n, 3, 3) of pseudo-inertias about a point next to the centre of mass."""
    moment = Pi[:, :3, 3]
    spread = Pi[:, :3, :3] - moment[:, :, None] * moment[:, None, :] / Pi[:, 3:, 3:]
    return np.asarray(spread)


def verify_moments(
    given: Array, about: Point, metric: MomentMetric, margin: float, found: Array, unit: Unit
) -> Certificate:
    """Compute by how much rows (n, 10) fail to be the nearest at fixed mass and centre of mass.

    Args:
        given: (n, 10) before, in order "urdf", about `about`, of positive mass.
        about: "origin" or "com".
        metric: Metric that was to be least.
        margin: Margin mu that was asked for.
        found: (n, 10) as returned.
        unit: Size that the residuals are relative to.
    """
    before, after = (np.asarray(rows, dtype=np.float64) for rows in (given, found))
    spread = diagonalise_spread(before, about)
    change = np.asarray(second_moment(after[:, 4:] - before[:, 4:]))
    turned, gradient = (
        np.asarray(spread.axes.transpose(0, 2, 1) @ six[:, _SIX] @ spread.axes)
        for six in (change, np.asarray(metric.gradient(change)))
    )
    S = turned + spread.values[:, :, None] * np.eye(3)
    values, _ = diagonalise(S)
    trace = np.maximum(values.sum(axis=1), 0.0)
    outside = np.maximum(margin * trace - values[:, 0], 0.0)
    size = _or_one(np.abs(spread.values).sum(axis=1))
    if unit == "body":
        lowest = spectrum(gradient)[:, 0]
        total = np.einsum("nii->n", gradient)
        steepest = (margin * total + (1 - 3 * margin) * lowest) / size
        gap = np.abs(np.einsum("nij,nij->n", gradient, S)) / size**2
        return Certificate(outside / size, np.maximum(-steepest, 0.0), gap)
    Z = np.zeros_like(spread.values)
    low, middle, high = spread.values.T
    Z[:, 0], Z[:, 1], *_ = find_multipliers(np, (low, middle, high), margin, metric.trace_weight)
    # The gradient at the answer that the closed form proves, computed from what was given alone.
    best = (Z - margin * Z.sum(axis=1, keepdims=True))[:, :, None] * np.eye(3)
    unexplained = np.linalg.norm(gradient - best, axis=(1, 2))
    force = np.maximum(*(np.linalg.norm(G, axis=(1, 2)) for G in (gradient, best)))
    move = np.linalg.norm(turned, axis=(1, 2))
    slack = np.abs(np.einsum("nij,nij->n", best, S))
    return Certificate(*_relate(outside, unexplained, slack, move, force))


def _relate(
    outside: Floats, unexplained: Floats, slack: Floats, move: Floats, force: Floats
) -> tuple[Floats, Floats, Floats]:
    """Divide residuals by the size of the move and of the gradient there; 0 where nothing moved."""
    move, force = _or_one(move), _or_one(force)
    return outside / move, unexplained / force, slack / move / force


def _or_one(size: Floats) -> Floats:
    return np.where(size > 0, size, 1.0)


class Nearness(NamedTuple):
    """Answer of a quadratic problem next to what was given, in twice the digits.

    Attributes:
        X: (n, 4, 4) Pi - Delta in units of the normalised problem, in a basis in which it is nearly
            diagonal.
        basis: (n, 4, 4) the basis as columns.
        d: (n, 10) svec of the change, in those units and the problem's own axes.
    """

    X: Floats
    basis: Floats
    d: Floats


def find_nearness(problem: Quadratic, change: Floats, units: Normalised) -> Nearness:
    """Express what bodies become by a change of theta (n, 10) in units of their problem."""
    d = apply(units.inverse, change @ TO_SVEC.T) / units.size[:, None]
    basis = decompose(unpack(units.x0 + d))[1]
    turned = basis.transpose(0, 2, 1)
    K = turned @ units.inverse / np.sqrt(units.size)[:, None, None]
    # Given and change are turned one by one: their sum in theta would round the change away.
    T = transform_pseudo_inertia(K, problem.theta0, problem.Delta)
    return Nearness(T + turned @ unpack(d) @ basis, basis, d)


def verify_matrices(
    problem: Quadratic, dual: Floats, change: Floats, unit: Unit, units: Normalised | None = None
) -> Certificate:
    """Compute by how much bodies theta0 + change fail to be the nearest pseudo-inertias.

    Args:
        problem: The problem that was solved.
        dual: (n, 10) svec of the multiplier Z of its answer.
        change: (n, 10) as returned, in the frame of the problem.
        unit: Size that the residuals are relative to.
        units: Those of the problem, where they are known.
    """
    units = normalise(problem) if units is None else units
    near = find_nearness(problem, change, units)
    z = np.einsum("nij,ni->nj", congruence(units.factor), dual)
    z = z / (units.weight * units.size)[:, None]
    outside = np.maximum(-diagonalise(near.X)[0][:, 0], 0.0)
    unexplained = np.maximum(stationarity(units, units.x0, z, near.d), cone_residual(z))
    Z = near.basis.transpose(0, 2, 1) @ unpack(z) @ near.basis
    gap = np.abs(np.einsum("nij,nij->n", near.X, Z))
    residuals = outside, unexplained, gap
    if unit == "move":
        lengths = (np.linalg.norm(v, axis=1) for v in (near.d, z))
        residuals = _relate(*residuals, *lengths)
    return Certificate(*(np.where(np.isnan(each), np.inf, each) for each in residuals))


def find_change(given: Array, found: Array, about: Point, p_BoFo_B: Floats) -> Floats:
    """Compute the change of theta about Fo from numbers about Bo or the centre of mass.

    Fo is the centre of mass that was given where the numbers are about it, and else Bo.

    Args:
        given: (n, 10) before, in order "urdf".
        found: (n, 10) as returned.
        about: "origin" or "com".
        p_BoFo_B: (n, 3) p_BoFo_B [m].
    """
    before, after = (np.asarray(rows, dtype=np.float64) for rows in (given, found))
    change = after - before
    if about == "origin":
        return np.asarray(change)
    # Where there is mass, the first moment about Fo was zero.
    h = change[:, 1:4] - change[:, :1] * p_BoFo_B
    start = np.where(before[:, :1] != 0, 0.0, before[:, 1:4])
    six = np.asarray(about_origin(after[:, 0], start + h, np.zeros((len(h), 6))))
    own = np.asarray(about_origin(before[:, 0], start, np.zeros((len(h), 6))))
    return np.concatenate([change[:, :1], h, change[:, 4:] + (six - own)], axis=1)


@dataclass(frozen=True)
class Conflict:
    """Irreducible set of constraints that no body meets: without any one of them, some body does.

    It iterates over its constraints, has their number as its length, and prints as a sentence.

    Attributes:
        constraints: The constraints.
        bodies: Rows of the batch that they hold for.
        message: The sentence that names them.
    """

    constraints: tuple[Constraint, ...]
    bodies: tuple[int, ...]
    message: str

    def __len__(self) -> int:
        """Count the constraints."""
        return len(self.constraints)

    def __iter__(self) -> Iterator[Constraint]:
        """Iterate over the constraints."""
        return iter(self.constraints)

    def __getitem__(self, index: int) -> Constraint:
        """Return one of the constraints."""
        return self.constraints[index]

    def __contains__(self, constraint: object) -> bool:
        """Tell whether a constraint is one of them."""
        return any(one is constraint or one == constraint for one in self.constraints)

    def __str__(self) -> str:
        """Write the sentence."""
        return self.message


class Change(NamedTuple):
    """Sizes of the changes of some bodies.

    Attributes:
        distance: (n,) length of the change in the metric.
        relative: (n,) relative Frobenius change of the principal moments about the centre of mass.
    """

    distance: Array
    relative: Array


class RowFailure(NamedTuple):
    """Reason why a row has no certified answer.

    Attributes:
        row: Index among the rows of the result.
        conflict: The constraints that exclude each other; None where the answer is uncertified, or,
            with `nearest` false, where the data has no nearest.
        reason: The reason, as a sentence.
        nearest: Whether there is a nearest.
        instance: Problem that was to be solved, so that it can be solved again; None for the body.
    """

    row: int
    conflict: Conflict | None
    reason: str
    nearest: bool = True
    instance: object = None


class Evidence(Protocol):
    """What the change, the certificate and the multipliers of moved rows are computed from."""

    def measure(self) -> Change:
        """Measure how far the rows moved."""

    def certify(self, found: Array, unit: Unit) -> Certificate:
        """Compute the residuals of rows (n, 10) as they are returned, relative to body or move."""

    def multiply(self) -> Floats:
        """Compute the multipliers (n, 4, 4) of Pi >= 0 about the body origin."""

    def rows(self, rows: Integers) -> Evidence | None:
        """Select the evidence of some rows; None where all have one proof."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SolverResult:
    """The rows that had to move, after a solver moved them.

    Attributes:
        theta: (n, 10) after, in order "urdf", about the caller's point.
        changed: (n,) whether any number differs from what was given.
        vanished: (n,) whether the nearest has no inertia: it is a point mass.
        solver: Name of the solver.
        iterations: (n,) of the solver; None where it needs none.
        evidence: What proves the result; None where no row moved.
        failures: Rows without a certified answer, with the reason.
        residual: (n,) largest residual that the solver itself found; None where all are rounding.
        bound: (n,) lower bounds of the distance in the metric that hold; NaN where the certificate
            is the proof, None where it is everywhere.
    """

    theta: Array
    changed: Array
    vanished: Array
    solver: str
    iterations: Array | None = None
    evidence: Evidence | None = None
    failures: tuple[RowFailure, ...] = ()
    residual: Floats | None = None
    bound: Floats | None = None


def keep_all(solver: str) -> SolverResult:
    """Make the result of a NumPy batch in which no row has to move."""
    none = np.zeros(0, dtype=np.bool_)
    return SolverResult(theta=np.zeros((0, 10)), changed=none, vanished=none, solver=solver)


class MomentEvidence(NamedTuple):
    """Evidence of a metric under which mass and centre of mass stay.

    Attributes:
        given: (n, 10) before, in order "urdf", in `units`.
        about: "origin" or "com".
        before: (n, 6) I_BBcm as given, in `units`.
        after: (n, 6) as found, before it was moved back to `about`.
        metric: Metric that was least.
        margin: Margin mu that was asked for.
        units: Units in which the rows were moved; None for SI units.
    """

    given: Array
    about: Point
    before: Array
    after: Array
    metric: MomentMetric
    margin: float
    units: Units | None

    def measure(self) -> Change:
        """Measure how far the rows moved."""
        before, after = self.before, self.after
        xp = array_namespace(after)
        size = INERTIA.distance(xp.zeros_like(before), before)
        size = xp.where(size > 0, size, xp.ones_like(size))
        distance = self.metric.distance(before, after)
        if self.units is not None:
            distance = scale_by_powers(distance, self.units.inertia)
        # These metrics keep the principal axes, so the change of the tensor is that of its moments.
        return Change(distance, INERTIA.distance(before, after) / size)

    def rows(self, rows: Integers) -> MomentEvidence:
        """Select the evidence of some rows of a NumPy batch."""
        units = None if self.units is None else Units(*(part[rows] for part in self.units))
        given, before, after = (part[rows] for part in (self.given, self.before, self.after))
        return self._replace(given=given, before=before, after=after, units=units)

    def certify(self, found: Array, unit: Unit) -> Certificate:
        """Compute the residuals of rows as they are returned; before rounding under a trace.

        Raises:
            ParameterError: A trace hides the numbers of a move.
        """
        if not isinstance(found, np.ndarray):
            if unit == "move":
                raise ParameterError(HIDDEN_MOVE)
            return certify_moments(self.before, self.after, self.metric, self.margin)
        if self.units is not None:
            six = scale_by_powers(found[:, 4:], -self.units.inertia[:, None])
            found = np.concatenate([found[:, :4], six], axis=1)
        return verify_moments(self.given, self.about, self.metric, self.margin, found, unit)

    def multiply(self) -> Floats:
        """Compute the gradient of half the squared distance, as a matrix that multiplies Pi."""
        theta = np.asarray(self.given)
        change = np.asarray(second_moment(self.after - self.before))
        six = np.asarray(self.metric.gradient(change))
        central = np.zeros((*six.shape[:-1], 4, 4))
        central[..., :3, :3] = six[..., [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
        mass = np.where(theta[..., :1] != 0, theta[..., :1], 1.0)
        return see_from_origin(central, theta[..., 1:4] / mass)


class RoundedEvidence(NamedTuple):
    """Evidence of answers that were rounded to a type of fewer digits than float64.

    Residuals relative to the body are those of the answers, as far as the returned numbers are
    their rounding: rounding alone would leave 1e-7 in float32. Those relative to the move show it.

    Attributes:
        whole: Evidence of the answers.
        answer: (n, 10) the answers in float64.
        epsilon: Rounding unit of the type.
    """

    whole: Evidence
    answer: Floats
    epsilon: float

    def measure(self) -> Change:
        """Measure how far the answers moved."""
        return self.whole.measure()

    def certify(self, found: Array, unit: Unit) -> Certificate:
        """Compute the residuals of rows as they are returned, or of the answers they round."""
        found = np.asarray(found, dtype=np.float64)
        if unit == "body":
            rounded = np.ones(len(found), dtype=np.bool_)
            for block in (slice(0, 1), slice(1, 4), slice(4, 10)):
                answer = self.answer[:, block]
                allowed = SOLVED_FACTOR * self.epsilon * np.max(np.abs(answer), axis=1)
                rounded &= np.max(np.abs(found[:, block] - answer), axis=1) <= allowed
            found = np.where(rounded[:, None], self.answer, found)
        return self.whole.certify(found, unit)

    def multiply(self) -> Floats:
        """Compute the multipliers of the answers."""
        return self.whole.multiply()

    def rows(self, rows: Integers) -> RoundedEvidence | None:
        """Select the evidence of some rows; None where all have one proof."""
        part = self.whole.rows(rows)
        return None if part is None else RoundedEvidence(part, self.answer[rows], self.epsilon)


HIDDEN_MOVE = (
    "relative_to='move' compares the numbers given and returned in twice the digits, and a trace "
    "hides them; certify outside"
)
"""Reason why residuals relative to a move are refused under a trace."""


class Selection(NamedTuple):
    """Evidence of some rows of a result: computed from the whole problem, when it is asked for.

    Attributes:
        whole: Evidence of all rows.
        found: (n, 10) all rows as they are returned.
        places: Index of the rows among them.
    """

    whole: Evidence
    found: Array
    places: Any

    def measure(self) -> Change:
        """Measure how far the rows moved."""
        return Change(*(part[self.places] for part in self.whole.measure()))

    def certify(self, found: Array, unit: Unit) -> Certificate:
        """Compute the residuals of the rows."""
        parts = self.whole.certify(self.found, unit)
        return Certificate(*(part[self.places] for part in parts))

    def multiply(self) -> Floats:
        """Compute the multipliers of the rows."""
        return np.asarray(self.whole.multiply()[self.places])

    def rows(self, rows: Integers) -> Selection:
        """Select the evidence of some of them."""
        return self._replace(places=self.places[rows])


def result_of_moments(
    evidence: MomentEvidence, given: Array, solver: str, iterations: Array | None
) -> tuple[SolverResult, Array]:
    """Make the result of a metric under which mass and centre of mass stay, in the caller's units.

    Args:
        evidence: The rows before and after, in their units.
        given: (n, 10) before, in the caller's units.
        solver: Name of the solver.
        iterations: (n,) of the solver.

    Returns:
        The result, and (n,) which rows of it the floating-point type cannot hold: these are as
        given.
    """
    inner, about, before, after, _, _, units = evidence
    xp = array_namespace(after)
    theta = with_central_inertia(inner, about, after)
    changed, vanished = xp.any(after != before, axis=-1), xp.all(after == 0, axis=-1)
    lost = xp.zeros_like(vanished)
    if units is not None:
        with np.errstate(all="ignore"):
            six = scale_by_powers(theta[..., 4:], units.inertia[..., None])
            theta = xp.concat([given[..., :4], six], axis=-1)
            far = leaves_range(given, about)
            broken = Consistency(theta, about).verdict_code == int(Verdict.INCONSISTENT)
            held = xp.all(xp.isfinite(theta), axis=-1) & ~broken
            size = xp.max(xp.abs(six), axis=-1)
            lost = far & ~(held & ((size > 0) | vanished))
        theta = xp.where(lost[..., None], given, theta)
        changed, vanished = changed & ~lost, vanished & ~lost
    result = SolverResult(
        theta=theta,
        changed=changed,
        vanished=vanished,
        solver=solver,
        iterations=iterations,
        evidence=evidence,
    )
    return result, lost


def leave_points(result: SolverResult, given: Array) -> SolverResult:
    """Return the rows whose nearest inertia is the zero tensor as they were given.

    Their nearest is the apex of the cone, a point mass. About any other point its rounded numbers
    are those of no body, so it is reported (`vanished`) and not written.

    Args:
        result: The result of a metric of moments.
        given: (n, 10) before, in order "urdf".
    """
    xp, points = array_namespace(result.theta), result.vanished
    return replace(
        result,
        theta=xp.where(points[..., None], given, result.theta),
        changed=result.changed & ~points,
    )


def see_from_origin(Z: Floats, p_BoFo_B: Floats) -> Floats:
    """Convert matrices (..., 4, 4) that multiply Pi about Fo: <Z, X Pi X^T> = <X^T Z X, Pi>."""
    X = np.zeros_like(Z) + np.eye(4)
    X[..., :3, 3] = -p_BoFo_B
    return np.asarray(np.swapaxes(X, -1, -2) @ Z @ X)


def certify_moments(
    before: Array, after: Array, metric: MomentMetric, margin: float
) -> Certificate:
    """Compute by how much a projection at fixed mass and centre of mass fails to be the nearest.

    With S' in the cone C = {S : lmin(S) >= mu tr(S), tr(S) >= 0}, the gradient G of the squared
    distance must lie in its dual cone {G : mu tr(G) + (1 - 3 mu) lmin(G) >= 0}, and <G, S'> = 0.
    That is Z >= 0 and <Z, Q(S')> = 0 for G = Q(Z), Q(S) = S - mu tr(S) 1, without the inverse of Q,
    which does not exist at mu = 1/3.

    Args:
        before: (..., 6) I_BBcm given.
        after: (..., 6) I_BBcm found.
        metric: Metric that was to be least.
        margin: Margin mu that was asked for.

    Returns:
        Non-negative, dimensionless; of the order of the rounding unit for the closed form.
    """
    xp = array_namespace(before, after)
    given, found = second_moment(before), second_moment(after)
    size = xp.sum(xp.abs(eigenvalues(given)), axis=-1)
    size = xp.where(size > 0, size, xp.ones_like(size))[..., None]
    given, found = given / size, found / size
    gradient = metric.gradient(found - given)
    zero = xp.zeros_like(size[..., 0])
    lowest = eigenvalues(found)[..., 0]
    primal = xp.maximum(margin * xp.maximum(trace(found), zero) - lowest, zero)
    # The least value of <G, S> over the extreme rays of C: negative where G leaves the dual cone.
    # Its extreme rays are mu 1 + (1 - 3 mu) v v^T, so the least product with G is at the least
    # eigenvalue of G: no inverse of the map of the margin, which is singular at 1/3.
    steepest = margin * trace(gradient) + (1 - 3 * margin) * eigenvalues(gradient)[..., 0]
    return Certificate(primal, xp.maximum(-steepest, zero), xp.abs(inner(gradient, found)))
