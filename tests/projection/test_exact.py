"""Results that are consistent in exact rational arithmetic, as they are printed by repr."""

from fractions import Fraction

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.projection import constraints

PRIOR = ic.InertialParameters.from_com(1.0, [0, 0, 0.1], np.diag([0.02, 0.03, 0.04]))
METRICS = {
    "inertia": {},
    "covariance": {},
    "prior": {"prior": PRIOR},
    "weighted": {"weights": np.arange(1.0, 11.0)},
    "euclidean": {},
    "pseudo-inertia": {},
    "entropic": {"prior": PRIOR},
    "affine-invariant": {},
}
SPHERE = np.array([1.0, 0, 0, 1, 0, 1])
FOUND = ("feasible", "projected", "mass-floored")


def is_inside(theta, about="origin"):
    """Whether a body is one both as it is stored and as it is printed."""
    return all(
        is_body([number(float(v)) for v in theta], about)
        for number in (Fraction, lambda v: Fraction(repr(v)))
    )


def is_body(theta, about):
    """m > 0 and all principal minors of S_c, in fractions."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = theta
    h = (hx, hy, hz)
    S = [
        [(yy + zz - xx) / 2, -xy, -xz],
        [-xy, (xx + zz - yy) / 2, -yz],
        [-xz, -yz, (xx + yy - zz) / 2],
    ]
    if m <= 0:
        return False
    if about == "origin":
        S = [[S[i][j] - h[i] * h[j] / m for j in range(3)] for i in range(3)]
    (a, b, c), (_, d, e), (_, _, f) = S
    pairs = min(a * d - b * b, a * f - c * c, d * f - e * e)
    det = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    return min(a, d, f, pairs, det) >= 0


def draw(seed, count):
    bodies = sampling.inconsistent(seed, count), sampling.consistent(seed + 1, count)
    return np.concatenate([part.as_theta() for part in bodies])


def balls(theta):
    """Build a prior of its own size for every row: one far from all of them proves no answer."""
    size = np.abs(theta[:, [4, 7, 9]].astype(float)).sum(axis=1)[:, None] / 3
    own = np.concatenate([np.abs(theta[:, :1]), np.zeros((len(theta), 3)), size * SPHERE], axis=1)
    return ic.InertialParameters.from_theta(own)


def count_outside(metric, theta, about="origin"):
    more = {"prior": balls(theta)} if metric == "affine-invariant" else METRICS[metric]
    found = ic.project(theta, metric, about=about, exact=True, **more)
    posed = ic.check(theta, about=about).verdict != "ill-posed"  # others are "uncertified"
    assert set(found.status[posed]) <= {*FOUND, "no-nearest"}
    rows = found.theta[np.isin(found.status, FOUND)].astype(float)
    return sum(not is_inside(row, about) for row in rows)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("metric", METRICS)
def test_none_is_outside(metric, dtype):
    assert count_outside(metric, draw(1, 25).astype(dtype)) == 0


@pytest.mark.parametrize("metric", ["inertia", "covariance"])
def test_none_is_outside_about_the_centre_of_mass(metric):
    bodies = ic.InertialParameters.from_theta(draw(2, 30))
    assert count_outside(metric, bodies.as_theta(about="com"), "com") == 0


@pytest.mark.parametrize("metric", METRICS)
def test_none_of_a_hundred_thousand_is_outside(metric, request):
    """Eight metrics with 14,300 results each, in the long form."""
    if not request.config.getoption("--long"):
        pytest.skip("the long form")
    assert count_outside(metric, draw(7, 7150)) == 0


def test_what_is_exact_stays_and_the_others_move_by_rounding():
    plate = np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.30000000000000004])
    whole = np.array([1.0, 0, 0, 0, 0.5, 0, 0, 0.25, 0, 0.75])
    theta = np.stack([plate, whole])
    assert [is_inside(row) for row in theta] == [False, True]
    for metric in ("inertia", "euclidean"):
        assert (ic.project(theta, metric).theta == theta).all()
        found = ic.project(theta, metric, exact=True)
        assert found.status[1] == "feasible"
        assert (found.theta[1] == whole).all()
        assert (found.theta[:, :4] == theta[:, :4]).all()
        np.testing.assert_allclose(found.theta, theta, rtol=0, atol=1e-13)
        assert all(is_inside(row) for row in found.theta)


def test_fixed_numbers_stay_or_the_row_says_that_they_cannot():
    plate = np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.30000000000000004])
    some = [constraints.FixedEntries(("m", "Ixx"))]
    found = ic.project(plate, "euclidean", constraints=some, exact=True)
    assert found.theta[4] == 0.1
    assert is_inside(found.theta)
    every = [
        constraints.FixedEntries(("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"))
    ]
    assert ic.project(plate, "euclidean", constraints=every, exact=True).status == "uncertified"
    with pytest.raises(ic.ParameterError, match="exact is 'yes'"):
        ic.project(plate, exact="yes")
