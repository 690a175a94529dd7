"""Certificates of the numbers that are returned, and moves hardly larger than their rounding."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.projection.constraints import FixedMass

PRIOR = np.array([0.5, 0, 0, 0.05, 0.205, 0, 0, 0.305, 0, 0.4])
WEIGHTS = np.arange(1.0, 11.0)
METRICS = {
    "inertia": {},
    "covariance": {},
    "prior": {"prior": PRIOR},
    "weighted": {"weights": WEIGHTS},
    "euclidean": {},
    "pseudo-inertia": {},
}
BITS = 220
"""Bits after the point that the oracle keeps."""


def draw(violation, count=4):
    """Bodies of condition 1e4 whose pseudo-inertia has one eigenvalue of minus the violation."""
    rng, found = np.random.default_rng(3), []
    while len(found) < count:
        Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        Pi = Q @ np.diag([-violation, 1e-4, 10 ** rng.uniform(-4, 0), 1]) @ Q.T
        if Pi[3, 3] > 0.05:
            S, h = Pi[:3, :3], Pi[:3, 3]
            six = (np.trace(S) * np.eye(3) - S)[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
            found.append(np.r_[Pi[3, 3], h, six])
    return np.array(found)


def short(x):
    return Fraction(round(x * 2**BITS), 2**BITS)


def matrix(theta):
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = theta
    return [
        [(yy + zz - xx) / 2, -xy, -xz, hx],
        [-xy, (xx + zz - yy) / 2, -yz, hy],
        [-xz, -yz, (xx + yy - zz) / 2, hz],
        [hx, hy, hz, m],
    ]


BASIS = [matrix([Fraction(int(i == k)) for i in range(10)]) for k in range(10)]


def times(A, v):
    return [short(sum(a * b for a, b in zip(row, v, strict=True))) for row in A]


def product(A, B):
    return [list(row) for row in zip(*(times(A, c) for c in zip(*B, strict=True)), strict=True)]


def solve(A, b):
    """Solve a linear system by elimination with pivots."""
    n, rows = len(b), [[*row, value] for row, value in zip(A, b, strict=True)]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for r in range(n):
            if r != i:
                ratio = rows[r][i] / rows[i][i]
                pairs = zip(rows[r], rows[i], strict=True)
                rows[r] = [short(x - ratio * y) for x, y in pairs]
    return [short(rows[i][n] / rows[i][i]) for i in range(n)]


def inverse_metric(metric):
    """Inverse of W on theta, in fractions."""
    one = [[Fraction(int(i == j)) for j in range(10)] for i in range(10)]
    if metric in ("weighted", "euclidean"):
        own = [Fraction(w) if metric == "weighted" else 1 for w in WEIGHTS]
        return [[x / w for x in row] for row, w in zip(one, own, strict=True)]
    P = matrix([Fraction(v) for v in PRIOR])
    unit = [row[:4] for row in one[:4]]
    inverse = unit if metric == "pseudo-inertia" else [solve(P, e) for e in unit]  # both symmetric
    left = [product(inverse, B) for B in BASIS]
    pairs = [[product(a, b) for b in left] for a in left]
    W = [[sum(M[i][i] for i in range(4)) for M in row] for row in pairs]
    return [solve(W, e) for e in one]


def find_nearest(theta, metric):
    """Find the nearest by Newton's method on X v = 0, X = X0 + D(v, v), with 220 bits."""
    theta = [Fraction(float(v)) for v in theta]
    Pi, central = matrix(theta), metric in ("inertia", "covariance")
    n, inverse = (3, None) if central else (4, inverse_metric(metric))
    h, m, share = theta[1:4], theta[0], Fraction(int(metric == "inertia"), 4)
    if central:
        Pi = [[Pi[i][j] - h[i] * h[j] / m for j in range(3)] for i in range(3)]

    def change(v, w):
        if central:  # of S_c, at fixed mass and centre of mass
            trace = share * sum(a * b for a, b in zip(v, w, strict=True))
            dyad = [[(v[i] * w[j] + v[j] * w[i]) / 2 for j in range(3)] for i in range(3)]
            return [[dyad[i][j] - trace * (i == j) for j in range(3)] for i in range(3)]
        slopes = [sum(a * b for a, b in zip(v, times(B, w), strict=True)) for B in BASIS]
        return matrix(times(inverse, slopes))

    values, vectors = np.linalg.eigh(np.array([[float(x) for x in row] for row in Pi]))
    start = change(*[[Fraction(float(x)) for x in vectors[:, 0]]] * 2)
    unit = vectors[:, 0] @ np.array([[float(x) for x in row] for row in start]) @ vectors[:, 0]
    v = [Fraction(float(x)) for x in vectors[:, 0] * np.sqrt(abs(values[0]) / unit)]
    axes = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    for _ in range(7):
        D = change(v, v)
        X = [[Pi[i][j] + D[i][j] for j in range(n)] for i in range(n)]
        columns = [times(change(v, e), v) for e in axes]
        J = [[X[i][j] + 2 * columns[j][i] for j in range(n)] for i in range(n)]
        v = [a - b for a, b in zip(v, solve(J, times(X, v)), strict=True)]
    D = change(v, v)
    trace = sum(D[i][i] for i in range(3))
    six = [trace * (i == j) - D[i][j] for i in range(3) for j in range(i, 3)]
    first = [D[3][3], D[0][3], D[1][3], D[2][3]] if n == 4 else [Fraction(0)] * 4
    return [a + b for a, b in zip(theta, [*first, *six], strict=True)]


def length(a, b):
    return sum((Fraction(float(x)) - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("violation", [1e-12, 1e-14])
def test_small_moves_are_as_near_as_rounding_allows(metric, violation):
    theta = draw(violation)
    found = ic.project(theta, metric, **METRICS[metric])
    assert (found.status == "projected").all()
    claims = np.max(found.certify("move"), axis=0)
    for given, row, claim in list(zip(theta, found.theta, claims, strict=True))[::2]:
        best = find_nearest(given, metric)
        move = length(given, best)
        assert length(row, best) <= 0.05 * move
        assert length(row, best) <= 5 * claim * move  # nothing better is claimed
    assert (np.max(found.certify(), axis=0) <= 1e-9).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("about", ["origin", "com"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_certificate_is_that_of_the_numbers_returned(metric, about, dtype):
    if about == "com" and metric in ("weighted", "euclidean"):
        pytest.skip("not linear in such numbers")
    given = ic.InertialParameters.from_theta(draw(1e-3)).as_theta(about=about).astype(dtype)
    more = dict(METRICS[metric])
    if "prior" in more:
        more["prior"] = ic.InertialParameters.from_theta(PRIOR)
    found = ic.project(given, metric, about=about, **more)
    assert found.theta.dtype == dtype
    size = 1e5 * np.finfo(dtype).eps
    assert np.max(found.certify()) <= size
    assert np.max(found.certify("move")) <= 1e3 * size
    assert float(np.max(found[1].gap_of_move)) == found.gap_of_move[1]
    nudged = np.array(found.canonical)
    nudged[:, 4:] += 0.1 * (nudged - given)[:, 4:]
    other = replace(found, canonical=nudged)
    assert (np.max(other.certify("move"), axis=0) >= 0.02).all()
    back = replace(found, canonical=(given + 0.9 * (found.canonical - given)).astype(dtype))
    assert (back.primal_residual_of_move >= 0.01).all()
    with pytest.raises(ic.ParameterError, match="relative_to is 'size'"):
        found.certify("size")


def test_results_of_numbers_of_any_size_are_computed_without_a_warning():
    """Sizes, distances and multipliers divide and multiply numbers near the ends of float64."""
    large = [5e-324, 1e300, -0.8, 1e-300, 0.1, -0.6, -0.8, 0.8, 0.4, -0.4]
    small = [1.2, 0, 0, 0, 2e-310, 0, 0, 3e-310, 0, 8e-310]
    mixed = [0.6, 2.4, 0.03, 1e200, 2.5e300, 1e-160, 0, 1e300, 0, 9e300]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in ("inertia", "covariance"):
            rows = np.array([large, small, mixed])
            assert ic.project(rows, metric, exact=True).distance.shape == (3,)
            found = ic.project(rows, metric, about="com")
            assert found.multiplier.shape == (3, 4, 4)
            assert found.gap.shape == found.relative_change.shape


@pytest.mark.parametrize(
    "arguments",
    [
        {"metric": "inertia"},
        {"metric": "inertia", "about": "com"},
        {"metric": "covariance", "margin": 0.1},
        {"metric": "inertia", "exact": True},
        {"metric": "weighted", "weights": np.ones(10)},
        {"metric": "prior", "prior": np.array([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1])},
        {"metric": "euclidean", "constraints": FixedMass(1.0)},
        {"metric": "pseudo-inertia", "margin": 0.01},
    ],
)
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("shape", [(10,), (4, 10)])
def test_a_result_owns_its_numbers(arguments, library, shape):
    """What is written into the caller's arrays later changes nothing, whenever it is computed."""
    theta = np.broadcast_to([1.0, 0.1, 0, 0, 1, 0, 0, 1.2, 0, 2.5], shape).copy()
    if len(shape) > 1:
        theta[1, 9] = 1.5  # a row that is not moved
    names = (
        *("theta", "status", "distance", "relative_change", "gap", "primal_residual", "changed"),
        *("dual_residual", "iterations", "vanished", "status_code", "gap_of_move", "multiplier"),
    )
    make = pytest.importorskip("torch").tensor if library == "torch" else np.array
    given, before = make(theta), ic.project(make(theta), **arguments)
    expected = {name: np.asarray(getattr(before, name)).copy() for name in names}
    mine = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    found, judged = ic.project(given, **mine), ic.check(given)
    for array in (given, *(v for v in mine.values() if isinstance(v, np.ndarray))):
        array[...] = 77.0
    for name in names:
        got = getattr(found, name)
        np.testing.assert_array_equal(got, expected[name], err_msg=name)
        assert not (isinstance(got, np.ndarray) and got.flags.writeable), name
    assert np.array_equal(judged.verdict, ic.check(theta).verdict)
    assert np.array_equal(judged.margin, ic.check(theta).margin)


def test_read_only_numbers_are_judged_without_a_copy():
    theta = np.tile([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], (3, 1)).copy()
    view = theta.view()
    view.flags.writeable = False
    assert not np.shares_memory(ic.check(view).theta, theta)  # it can be written to
    theta.flags.writeable = False
    assert np.shares_memory(ic.check(theta).theta, theta)
    for name in ("theta", "verdict_code", "margin", "witness", "principal_moments"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(ic.check(theta), name)[0] = 1
