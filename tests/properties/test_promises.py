"""What broke once at the heart of the package, number by number, through its public names alone."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import inertial_check as ic

BALL = np.array([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1])
make = ic.InertialParameters.from_com


def margin_of(theta, about="origin"):
    """mu of one body in rationals, as a polynomial has it: whether S_c - mu tr(S_c) 1 >= 0."""
    m, *h = map(Fraction, np.asarray(theta, dtype=np.float64)[:4].tolist())
    xx, xy, xz, yy, yz, zz = map(Fraction, np.asarray(theta, dtype=np.float64)[4:].tolist())
    half = (xx + yy + zz) / 2
    S = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
    if about == "origin":
        S = [[S[i][j] - h[i] * h[j] / m for j in range(3)] for i in range(3)]
    return float(
        np.linalg.eigvalsh(np.array(S, dtype=float))[0] / sum(float(S[i][i]) for i in range(3))
    )


def test_bodies_add_whatever_is_taken_away_first():
    old = make(1, [0, 0, 0.10], np.diag([0.002, 0.002, 0.001]))
    new = make(1, [0, 0, 0.25], np.diag([0.004, 0.004, 0.001]))
    base = make(3, [0, 0, -0.2], np.diag([0.02, 0.02, 0.005])) + old
    for whole in (base + (new - old), base - old + new, (new - old) + base):
        moments = np.diagonal(whole.inertia_com)
        np.testing.assert_allclose(moments, [0.175875, 0.175875, 0.006], rtol=1e-14)


def test_a_couple_of_far_bodies_and_a_light_one_are_added_in_every_order():
    """About a centre of mass at h / m the sum would lose what m |c|^2 is larger than its terms."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        theta = rng.normal(size=(3, 10)) * np.array([[1e3], [1e3], [0.1]])
        theta[:, 0] = 1e3, -1e3, 0.1
        theta[:, 1:4] *= 10.0 ** rng.uniform(-2, 1, (3, 1))
        bodies = [ic.InertialParameters.from_theta(row, about="com") for row in theta]
        exact = [_about_origin(map(Fraction, row)) for row in theta.tolist()]
        truth = [sum(column) for column in zip(*exact, strict=True)]
        size = max(abs(number) for row in exact for number in row)
        for i, j, k in permutations(range(3)):
            for whole in ((bodies[i] + bodies[j]) + bodies[k], bodies[i] + (bodies[j] + bodies[k])):
                got = whole.as_theta(about="origin").tolist()
                worst = max(abs(Fraction(g) - t) for g, t in zip(got, truth, strict=True))
                assert worst <= 9e-14 * size


def _about_origin(row):
    m, x, y, z, *six = row
    steiner = [y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y]
    return [m, x, y, z, *(own + more / m for own, more in zip(six, steiner, strict=True))]


ROUND = [1, 0, 0, 0, 1, 0, 0, 1, 0, 2]
ROD = [1, 0, 0, 0, 1, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("metric", ["weighted", "euclidean", "prior", "pseudo-inertia"])
@pytest.mark.parametrize("margin", [1e-6, 0.2])
def test_exact_plates_and_rods_do_not_raise(metric, margin):
    rng = np.random.default_rng(3)
    plates = np.array([[1, 0, 0, 0, a, 0, 0, b, 0, a + b] for a, b in rng.integers(1, 9, (8, 2))])
    theta = np.concatenate([plates / [1.0], [ROUND, ROD, ROD]])
    given = {"weighted": {"weights": np.ones(10)}, "prior": {"prior": BALL}}
    found = ic.project(theta, metric, margin=margin, **given.get(metric, {}))
    told = ["projected", "near", "mass-floored", "uncertified"]
    assert np.isin(found.status, told).all()
    assert (ic.check(found.theta).margin[found.status != "uncertified"] >= margin).all()
    exact = ic.project(theta, metric, margin=margin, exact=True, **given.get(metric, {}))
    assert exact.shape == (11,)


def test_a_prior_far_from_a_row_is_that_rows_matter():
    """About the centre of mass of the second row rounding hides the inertia of the prior."""
    broken = [1, 0.1, 0, 0, 1, 0, 0, 1, 0, 3]
    theta = np.array([broken, [1e-12, 1e12, 1e12, 0, -1, 0, 0, 1, 0, 1]])
    for metric in ("prior", "entropic", "affine-invariant"):
        for prior in (BALL, [BALL, BALL]):
            found = ic.project(theta, metric, about="com", prior=prior)
            assert found.status.tolist() == ["projected", "no-nearest"]
            np.testing.assert_array_equal(found.theta[1], theta[1])


def test_cleaning_takes_plates_with_a_margin():
    found = ic.clean([ROUND, ROD], order="urdf", about="origin", margin=0.01, prior=[BALL, BALL])
    assert (found.consistency.margin >= 0.01).all()


def test_the_command_writes_a_status_for_each_row(tmp_path):
    table, report = tmp_path / "table.csv", tmp_path / "report.json"
    rows = [ROUND, [np.nan, *ROUND[1:]], ROD, [1, 0, 0, 0, 1, 0, 0, 1, 0, 3], [0] * 10]
    table.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    options = ["--order", "urdf", "--about", "origin", "--metric", "pseudo-inertia"]
    more = ["--margin", "0.01", "--report", report, "-o", tmp_path / "out.csv"]
    command = [sys.executable, "-m", "inertial_check", "project", table, *options, *more]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert len((tmp_path / "out.csv").read_text().splitlines()) == len(rows)
    found = [row["status"] for row in json.loads(report.read_text())["bodies"]]
    assert found == ["projected", "no-nearest", "projected", "projected"]


@pytest.mark.parametrize("metric", ["inertia", "covariance"])
def test_near_a_third_the_result_has_the_margin(metric):
    rng = np.random.default_rng(1)
    theta = rng.normal(size=(300, 10))
    theta[:, 0] = 1
    margin = 1 / 3 - 1e-9
    found = ic.project(theta, metric, about="com", margin=margin)
    rows = found.theta[found.status == "projected"]
    assert min(margin_of(row, "com") for row in rows) >= margin * (1 - 1e-12)
    point = ic.project([1, 0.5, 0, 0, 0, 0, 0, 0, 0, 0], metric, about="com", margin=0.1)
    assert point.status != "feasible"


def test_a_status_is_a_certificate():
    theta = np.random.default_rng(2).normal(size=(40, 10))
    theta[:, 0] = np.abs(theta[:, 0])
    found = ic.project(theta, "prior", prior=BALL, margin=0.3)
    proven = found.status == "projected"
    assert proven.any()
    residual = np.maximum(found.gap, found.dual_residual)
    assert (residual[proven] <= 1e-9).all()


@pytest.mark.parametrize("small", [1e-12, 1e-17, 3e-40])
def test_moments_of_a_diagonal_are_its_numbers(small):
    body = make(1.0, [0, 0, 0], np.diag([small, 1, 1]))
    assert body.principal_moments()[0] == small
    single = ic.InertialParameters.from_theta(
        np.array([1, 0, 0, 0, 1e-12, 0, 0, 1, 0, 1], dtype=np.float32)
    )
    assert single.principal_moments()[0] == np.float32(1e-12)


def test_results_do_not_change_with_what_was_given():
    theta = np.array(ROUND, dtype=float)
    judged = ic.check(theta)
    projected = ic.project(theta + 0.0, "euclidean")
    verdict, truth = judged.verdict, float(ic.check(theta + 0.0).margin)
    theta[9] = 1
    assert (judged.verdict, float(judged.margin)) == (verdict, truth)
    with pytest.raises(ValueError, match="read-only"):
        projected.theta[0] = 2


def test_a_result_is_judged_about_its_own_point():
    body = make(1, [1, 0, 0], np.diag([0.01, 0.01, 0.015]))
    assert ic.check(ic.project(body).theta).consistent
    with pytest.raises(ic.ParameterError):
        ic.check(ic.project(body).theta, about="origin")
