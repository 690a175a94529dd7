"""Neighbours of the apex, about the origin: exact fractions say which rows have a nearest."""

import csv
import json
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.programs.cli.main import main
from inertial_check.projection import constraints

APEX = np.array([1, 0.3, 0.1, 0.2, 0.01, 0, 0, 0.01, 0, 0.01])
PRIOR = np.array([1, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.04])
METRICS = {
    "inertia": {},
    "covariance": {},
    "prior": {"prior": PRIOR},
    "weighted": {"weights": np.arange(1.0, 11.0)},
    "pseudo-inertia": {},
}
CENTRAL = ("inertia", "covariance")
FLOORS = 2
"""Numerical floors that an answer may lie outside: of its verdict, and of the computed margin."""
NAMES = ["m", "hx", "hy", "hz", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"]


def draw(count=80):
    """Draw rows whose second moment about the centre of mass is mostly negative."""
    rng = np.random.default_rng(19)
    noise = rng.normal(size=(count, 10)) * np.r_[0.2, [0.05] * 3, [0.005] * 6]
    theta = APEX + noise
    theta[:, 4:] *= rng.choice([1.0, 4.0, 12.0], size=count)[:, None]
    theta[1::4, [4, 7, 9]] -= 0.2
    theta[0] = APEX
    return theta


THETA = draw()


def central_moment(theta):
    """Compute S_c of the numbers as they are stored, in fractions."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = (Fraction(float(v)) for v in theta)
    h, half = (hx, hy, hz), (xx + yy + zz) / 2
    S = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
    return [[S[i][j] - h[i] * h[j] / m for j in range(3)] for i in range(3)]


def lift(S, part):
    """Add an isotropic part."""
    return [[S[i][j] + part * (i == j) for j in range(3)] for i in range(3)]


def is_semidefinite(S):
    """Decide by all principal minors."""
    (a, b, c), (_, d, e), (_, _, f) = S
    det = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    pairs = (S[i][i] * S[j][j] - S[i][j] ** 2 for i, j in combinations(range(3), 2))
    return min(a, d, f, det, *pairs) >= 0


def has_nearest(theta, metric):
    """Decide whether the zero tensor is not the nearest: minus the gradient there is no body's."""
    S = central_moment(theta)
    trace = sum(S[i][i] for i in range(3)) if metric == "inertia" else 0
    return not is_semidefinite([[-v for v in row] for row in lift(S, trace)])


def is_body(theta):
    """Decide whether S_c is semidefinite, up to FLOORS of 8 eps kappa of its trace."""
    S = central_moment(theta)
    trace = sum(S[i][i] for i in range(3))
    if theta[0] <= 0 or trace <= 0:
        return False
    kappa = 1 + sum(Fraction(float(h)) ** 2 for h in theta[1:4]) / Fraction(float(theta[0])) / trace
    floor = FLOORS * 8 * Fraction(2) ** -52 * kappa
    return floor < Fraction(1, 100) and is_semidefinite(lift(S, floor * trace))


def check_rows(theta, found, metric):
    for given, row, status in zip(theta, found.theta, found.status, strict=True):
        if metric in CENTRAL and not has_nearest(given, metric):
            assert status == "no-nearest"
            assert (row == given).all()
        else:
            assert status in ("projected", "mass-floored", "feasible")
            assert is_body(row)


def test_the_oracle_finds_rows_of_either_kind():
    for metric in CENTRAL:
        assert 10 < sum(has_nearest(row, metric) for row in THETA) < 70
    assert not has_nearest(APEX, "inertia")
    assert not is_body(APEX)


@pytest.mark.parametrize("metric", METRICS)
def test_no_row_near_the_apex_is_called_a_body_that_it_is_not(metric):
    batch = ic.project(THETA, metric, **METRICS[metric])
    check_rows(THETA, batch, metric)
    for row, status in zip(THETA, batch.status, strict=True):
        alone = ic.project(row, metric, **METRICS[metric])
        assert alone.status == status
        assert status == "no-nearest" or is_body(alone.theta)


@pytest.mark.parametrize("metric", ["inertia", "covariance", "pseudo-inertia"])
def test_the_command_finds_what_the_library_finds(metric, tmp_path, capsys):
    path, report = tmp_path / "t.csv", tmp_path / "r.json"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([NAMES, *([repr(float(v)) for v in row] for row in THETA)])
    argv = ["project", str(path), "--about", "origin", "--metric", metric, "--report", str(report)]
    code = main(argv)
    found = ic.project(THETA, metric)
    assert code == int("no-nearest" in found.status)
    rows = [
        [float(v) for v in row] for row in list(csv.reader(capsys.readouterr().out.split()))[1:]
    ]
    assert (np.array(rows) == found.theta).all()
    assert json.loads(report.read_text())["statuses"] == Counter(found.status.tolist())


LIMITS = {
    "mass": [constraints.FixedMass()],
    "place": [constraints.FixedCom()],
    "slack": [constraints.MassBounds(0.1, 9.0), constraints.ComInBall(9.0)],
    "some": [constraints.FixedMass(bodies=range(0, 24, 2))],
}


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("metric", CENTRAL)
def test_constraints_that_change_nothing_leave_the_status(metric, limits):
    free = ic.project(THETA[:24], metric)
    found = ic.project(THETA[:24], metric, constraints=LIMITS[limits])
    assert {"no-nearest", "projected"} <= set(free.status)
    assert (found.status == free.status).all()
    assert (found.vanished == free.vanished).all()
    np.testing.assert_allclose(found.theta, free.theta, rtol=1e-7, atol=1e-9)
    check_rows(THETA[:24], found, metric)


@pytest.mark.parametrize("about", ["origin", "com"])
def test_what_has_no_nearest_comes_back_bit_for_bit(about):
    theta = ic.InertialParameters.from_theta(THETA[:16]).as_theta(about=about)
    limits = [constraints.FixedMass()]
    for margin, exact in ((0.0, False), (0.0, True), (0.1, False)):
        options = {"about": about, "margin": margin, "exact": exact}
        free = ic.project(theta, "inertia", **options)
        found = ic.project(theta, "inertia", constraints=limits, **options)
        none = free.status == "no-nearest"
        assert (found.status == free.status).all()
        assert (found.theta[none] == theta[none]).all()
        assert np.isnan(found.distance[none]).all()
        assert not found.changed[none].any()


def test_a_body_that_must_have_inertia_is_no_point():
    found = ic.project(APEX, "inertia", constraints=[constraints.FixedEntries({"Izz": 0.4})])
    assert found.status == "projected"
    assert is_body(found.theta)
    alone = ic.project(APEX, "inertia", constraints=[constraints.FixedMass()])
    assert alone.status == "no-nearest"
    assert (alone.theta == APEX).all()
    with pytest.raises(ic.ProjectionError, match="no nearest"):
        alone.raise_for_status()
