"""A. Heins, *Rigid Body Inertial Parameters*, equation by equation, in the order of the document.

docs/theory.md lists the functions that compute each; the last test holds the two together. What an
equation says is computed here from its own definition (clouds.sums, integrals over points), and
compared with what the package computes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clouds
import inertial_check as ic
from clouds import skew
from inertial_check.inertia import frames, meshes, representations, solids
from inertial_check.inertia.consistency import resists_more, spreads_more
from inertial_check.inertia.sampling import consistent, inconsistent, integrate
from inertial_check.mechanics import rotations
from mesh_files import box

PAGE = Path(__file__).resolve().parents[2] / "docs" / "theory.md"
ONE = np.eye(3)
EDGES, AT, DENSITY = np.array([0.4, 0.3, 0.2]), np.array([0.3, -0.2, 0.5]), 700.0
SOLID = solids.box(EDGES, density=DENSITY).translate(AT)
P, Q = np.array([0.7, -1.1, 0.4]), np.array([-0.3, 0.2, 2.0])

seeds = st.integers(0, 10**6)


def block(points: Any) -> Any:
    """The density of the solid above."""
    return DENSITY * (abs(points - AT) <= EDGES / 2).all(-1)


@pytest.fixture(scope="module")
def estimate() -> Any:
    return integrate(block, AT - EDGES, AT + EDGES, rng=1, count=200_000)


def agrees(estimate: Any, name: str) -> None:
    """The integral by points is within four standard errors of the closed form."""
    got, error = getattr(estimate.parameters, name), getattr(estimate.standard_error, name)
    assert np.all(np.abs(got - getattr(SOLID, name)) <= 4 * error)
    assert np.all(error <= 0.02 * np.abs(getattr(SOLID, name)).max())


def body(seed: int = 0) -> tuple[ic.InertialParameters, Any, Any]:
    """Point masses as a body, the masses and the points."""
    masses, points = clouds.cloud(seed, at=[1.0, -2.0, 0.5])
    return ic.InertialParameters.from_point_masses(masses, points), masses, points


def close(got: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    size = max(float(np.abs(expected).max()), 1e-300)
    np.testing.assert_allclose(np.asarray(got) / size, expected / size, rtol=0, atol=1e-12)


def eigenvalues(matrix: Any) -> Any:
    """Ascending, by LAPACK."""
    return np.linalg.eigvalsh(matrix)


def judged(inertia: Any, mass: float = 1.0, com: Any = (0.0, 0.0, 0.0)) -> ic.Consistency:
    """About the centre of mass."""
    return ic.check(ic.InertialParameters.from_com(mass, com, np.asarray(inertia, dtype=float)))


# Density


def test_eq_1_mass(estimate: Any) -> None:
    agrees(estimate, "mass")
    assert pytest.approx(DENSITY * EDGES.prod()) == SOLID.mass


def test_eq_2_first_moment(estimate: Any) -> None:
    agrees(estimate, "first_moment")
    close(SOLID.first_moment, SOLID.mass * AT)


def test_eq_3_inertia_about_the_origin(estimate: Any) -> None:
    agrees(estimate, "inertia_origin")
    mesh = meshes.measure(box(EDGES, AT)).solid(density=DENSITY)
    np.testing.assert_allclose(mesh.inertia_origin, SOLID.inertia_origin, rtol=1e-7)
    got, masses, points = body()
    bodies = list(zip(masses, points, strict=True))
    close(got.inertia_origin, sum(m * skew(r).T @ skew(r) for m, r in bodies))
    close(got.inertia_origin, -sum(m * skew(r) @ skew(r) for m, r in bodies))


def test_eq_4_cross_product_matrix() -> None:
    np.testing.assert_array_equal(
        rotations.skew([1.0, 2.0, 3.0]), [[0, -3, 2], [3, 0, -1], [-2, 1, 0]]
    )
    close(rotations.skew(P) @ Q, np.cross(P, Q))
    np.testing.assert_array_equal(rotations.skew(P).T, -rotations.skew(P))


def test_eq_5_inertia_about_any_point() -> None:
    got, masses, points = body()
    close(
        got.inertia_about(P),
        -sum(m * skew(r - P) @ skew(r - P) for m, r in zip(masses, points, strict=True)),
    )


def test_eq_6_inertia_about_the_centre_of_mass(estimate: Any) -> None:
    agrees(estimate, "inertia_com")
    got, masses, points = body()
    arms = points - masses @ points / masses.sum()
    expected = -sum(m * skew(d) @ skew(d) for m, d in zip(masses, arms, strict=True))
    close(got.inertia_com, expected)
    close(got.inertia_about(got.com), expected)


# Probability


def test_mean_of_the_density(estimate: Any) -> None:
    agrees(estimate, "com")
    got, masses, points = body()
    close(got.com, np.average(points, axis=0, weights=masses))


def test_eq_7_covariance() -> None:
    got, masses, points = body()
    close(got.covariance, np.cov(points.T, aweights=masses, ddof=0))


def test_eq_8_second_moment() -> None:
    got, masses, points = body()
    close(got.second_moment, clouds.sums(masses, points).second_moment)


def test_second_moment_about_the_centre_of_mass() -> None:
    got, masses, points = body()
    arms = points - got.com
    close(got.central_second_moment, (masses[:, None] * arms).T @ arms)


# Physical consistency


def test_eq_9_mass_positive_and_inertia_semidefinite() -> None:
    good = ic.check(body()[0])
    assert good.mass_positive
    assert good.inertia_psd
    negative = judged(np.diag([-1.0, 2.0, 2.0]), mass=-1.0)
    assert not negative.mass_positive
    assert not negative.inertia_psd


def test_no_mass_no_inertia() -> None:
    assert judged(np.zeros((3, 3)), mass=0.0).verdict == "massless"
    assert judged(ONE, mass=0.0).verdict == "invalid"


def test_zero_volume_bodies_are_bodies() -> None:
    for moments in ([1.0, 2, 3], [0.0, 1, 1], [0.0, 0, 0]):
        assert judged(np.diag(moments)).verdict == "boundary"


# Triangle inequality


def test_identity_of_the_cross_product_matrix() -> None:
    r = P
    close(skew(r).T @ skew(r), r @ r * ONE - np.outer(r, r))
    close(skew(r).T @ skew(r), np.trace(np.outer(r, r)) * ONE - np.outer(r, r))


@given(seeds)
def test_eq_10_inertia_from_second_moment_and_back(seed):
    truth = clouds.sums(*clouds.cloud(seed))
    got = representations.inertia_from_second_moment(clouds.six_of(truth.second_moment))
    close(representations.symmetric(got), truth.inertia)
    back = representations.second_moment(clouds.six_of(truth.inertia))
    close(representations.symmetric(back), truth.second_moment)


@given(seeds)
def test_eq_11_trace_of_the_inertia_is_twice_that_of_the_second_moment(seed):
    got = body(seed)[0]
    close(np.trace(got.inertia_origin), 2 * np.trace(got.second_moment))


@given(seeds)
def test_eq_12_largest_moment_at_most_the_trace_of_the_second_moment(seed):
    got = body(seed)[0]
    values, vectors = np.linalg.eigh(got.inertia_com)
    v = vectors[:, 2]
    close(values[2], np.trace(got.central_second_moment) - v @ got.central_second_moment @ v)
    assert values[2] <= np.trace(got.central_second_moment) * (1 + 1e-12)


@given(seeds)
def test_triangle_inequality(seed):
    got = body(seed)[0]
    low, middle, high = got.principal_moments()
    assert high <= (low + middle) * (1 + 1e-12)
    assert ic.check(got).triangle_inequality
    assert not ic.check(inconsistent(seed)).triangle_inequality


@given(seeds)
def test_full_consistency_is_realisability(seed):
    """Necessary: point masses have it. Sufficient: what has it is made of point masses."""
    assert ic.check(body(seed)[0]).consistent
    wanted = consistent(seed, offset=(1e-3, 1))
    masses, points = ic.realize(wanted)
    got = ic.InertialParameters.from_point_masses(masses, points)
    assert (masses >= 0).all()
    close(got.inertia_com, wanted.inertia_com)


# Pseudo-inertia


def test_pseudo_inertia_and_its_integral() -> None:
    got, masses, points = body()
    homogeneous = np.append(points, np.ones((len(points), 1)), axis=1)
    close(got.pseudo_inertia, (masses[:, None] * homogeneous).T @ homogeneous)
    close(got.pseudo_inertia[:3, :3], got.second_moment)
    close(got.pseudo_inertia[:3, 3], got.mass * got.com)
    assert got.pseudo_inertia[3, 3] == got.mass


@given(seeds)
def test_mass_and_pseudo_inertia_decide(seed):
    for bodies in (consistent(seed, 5), inconsistent(seed, 5)):
        result = ic.check(bodies)
        both = result.mass_positive & result.pseudo_inertia_psd
        assert np.array_equal(both, result.consistent)


@given(seeds)
def test_schur_complement(seed):
    """With m > 0, Pi and S_c are semidefinite together."""
    near = {"mass": (0.5, 2), "length": (0.5, 2), "offset": (0.1, 1)}
    good = consistent(seed, strata=["solid"], **near)
    bad = inconsistent(seed, violation=(0.01, 0.5), **near)
    for parameters, sign in ((good, 1), (bad, -1)):
        assert sign * eigenvalues(parameters.central_second_moment)[0] > 0
        assert sign * eigenvalues(parameters.pseudo_inertia)[0] > 0
        c, m = parameters.com, parameters.mass
        close(parameters.second_moment - m * np.outer(c, c), parameters.central_second_moment)


@given(seeds)
def test_a_second_moment_that_is_indefinite_breaks_the_triangle_inequality(seed):
    result = ic.check(inconsistent(seed))
    v, inertia = result.witness, inconsistent(seed).inertia_com
    trace = np.trace(inertia) / 2
    assert v @ inertia @ v > trace  # v^T I v > tr(S)
    low, middle, high = eigenvalues(inertia)
    assert high > low + middle


# Changing the reference frame


def test_eq_13_parallel_axis() -> None:
    got = body()[0]
    dp = P - got.com
    expected = got.inertia_com - got.mass * skew(dp) @ skew(dp)
    close(got.inertia_about(P), expected)
    from_com = representations.about_point(
        got.mass, np.zeros(3), representations.six(got.inertia_com), dp
    )
    close(representations.symmetric(from_com), expected)


@given(seeds)
def test_eq_13_no_point_has_less_inertia_than_the_centre_of_mass(seed):
    got = body(seed)[0]
    point = np.random.default_rng(seed).normal(size=3)
    at_point, at_com = (representations.six(m) for m in (got.inertia_about(point), got.inertia_com))
    assert resists_more(at_point, at_com)
    assert not resists_more(at_com, at_point)  # equality at the centre of mass alone
    assert resists_more(at_com, representations.six(got.inertia_about(got.com)))


def test_eq_13_between_two_arbitrary_points() -> None:
    got = body()[0]
    dp, dq = P - got.com, Q - got.com
    at_q = got.inertia_about(Q)
    close(
        got.inertia_about(P), at_q + got.mass * skew(dq) @ skew(dq) - got.mass * skew(dp) @ skew(dp)
    )
    straight = representations.about_point(
        got.mass, got.mass * (got.com - Q), representations.six(at_q), P - Q
    )
    close(representations.symmetric(straight), got.inertia_about(P))


def test_eq_14_second_moment_about_any_point() -> None:
    got, masses, points = body()
    dp, dq = P - got.com, Q - got.com
    arms = points - P
    expected = (masses[:, None] * arms).T @ arms
    close(got.second_moment_about(P), expected)
    close(got.central_second_moment + got.mass * np.outer(dp, dp), expected)
    at_q = got.second_moment_about(Q)
    close(at_q - got.mass * np.outer(dq, dq) + got.mass * np.outer(dp, dp), expected)
    straight = representations.second_moment_about_point(
        got.mass, got.mass * (got.com - Q), representations.six(at_q), P - Q
    )
    close(representations.symmetric(straight), expected)


def pose() -> Any:
    T_ba = np.eye(4)
    T_ba[:3, :3] = rotations.matrix_from_rotation_vector([0.3, -1.0, 0.7])
    T_ba[:3, 3] = P
    return T_ba


def test_pose_maps_points() -> None:
    """T_ba takes points of {a} to {b}: the body of the mapped points is the body transformed."""
    got, masses, points = body()
    mapped = np.append(points, np.ones((len(points), 1)), axis=1) @ pose().T
    again = ic.InertialParameters.from_point_masses(masses, mapped[:, :3])
    close(got.transform(pose()).as_theta(), again.as_theta())


def test_eq_15_sandwich_rule() -> None:
    got = body()[0]
    expected = pose() @ got.pseudo_inertia @ pose().T
    close(got.transform(pose()).pseudo_inertia, expected)
    close(frames.transform(got.as_theta(), pose()), got.transform(pose()).as_theta())


def test_eq_15_gives_the_parallel_axis_theorem() -> None:
    """T_pc Pi_c T_pc^T = [[S_p, -m dp], [-m dp^T, m]]."""
    got = body()[0]
    dp = P - got.com
    central = got.translate(-got.com)
    expected = np.zeros((4, 4))
    expected[:3, :3], expected[3, 3] = got.central_second_moment, got.mass
    close(central.pseudo_inertia, expected)  # Pi_c
    T_pc = np.eye(4)
    T_pc[:3, 3] = -dp
    moved = T_pc @ expected @ T_pc.T
    close(central.transform(T_pc).pseudo_inertia, moved)
    close(moved[:3, :3], got.second_moment_about(P))
    close(moved[:3, 3], -got.mass * dp)


# More on the inertia matrix


def test_two_point_masses() -> None:
    got = ic.InertialParameters.from_point_masses([0.5, 0.5], [[1.0, 0, 0], [-1.0, 0, 0]])
    np.testing.assert_array_equal(got.inertia_origin, np.diag([0.0, 1, 1]))
    np.testing.assert_array_equal(got.second_moment, np.diag([1.0, 0, 0]))
    assert ic.check(got).verdict == "boundary"


def test_invalid_example() -> None:
    inertia = np.diag([1.0, 0, 0])
    got = representations.second_moment(clouds.six_of(inertia))
    np.testing.assert_array_equal(representations.symmetric(got), np.diag([-0.5, 0.5, 0.5]))
    result = judged(inertia)
    assert result.inertia_psd
    assert not result.triangle_inequality
    assert result.verdict == "inconsistent"
    np.testing.assert_allclose(np.abs(result.witness), [1, 0, 0])


@given(seeds)
def test_bigger_second_moment_bigger_inertia(seed):
    rng = np.random.default_rng(seed)
    root, more = rng.normal(size=(2, 3, 3))
    small, large = root @ root.T, root @ root.T + more @ more.T
    six = [
        representations.inertia_from_second_moment(representations.six(s)) for s in (large, small)
    ]
    assert spreads_more(*six)
    assert resists_more(*six)
    difference = representations.symmetric(six[0] - six[1])
    close(difference, np.trace(large - small) * ONE - (large - small))


# Where the document is not to be taken at its word


def test_slip_mean_is_the_first_moment_for_unit_mass_alone() -> None:
    got = SOLID
    assert not np.allclose(got.com, got.first_moment)
    close(got.com, got.first_moment / got.mass)


def test_slip_central_second_moment_is_the_covariance_for_unit_mass_alone() -> None:
    close(SOLID.central_second_moment, SOLID.mass * SOLID.covariance)
    assert not np.allclose(SOLID.central_second_moment, SOLID.covariance)


def test_slip_second_moment_needs_the_identity() -> None:
    inertia = body()[0].inertia_origin
    literal = np.trace(inertia) / 2 - inertia  # a number less a matrix
    truth = body()[0].second_moment
    assert not np.allclose(literal, truth)
    close(np.trace(inertia) / 2 * ONE - inertia, truth)


def test_slip_definite_inertia_does_not_exclude_planes() -> None:
    """Of the three kinds without volume, I_c > 0 excludes points and lines; S_c > 0 all three."""
    plate, line, point = np.diag([1.0, 1, 2]), np.diag([0.0, 1, 1]), np.zeros((3, 3))
    assert eigenvalues(plate)[0] > 0
    assert eigenvalues(line)[0] == eigenvalues(point)[0] == 0
    for inertia in (plate, line, point):
        moment = representations.second_moment(clouds.six_of(inertia))
        assert eigenvalues(representations.symmetric(moment))[0] == 0


def test_slip_triangle_inequality_about_the_origin_is_not_sufficient() -> None:
    """m > 0, I_c >= 0 and the inequality for I about the origin hold, and no density has them."""
    inertia = np.diag([1.0, 1.0, 3.0])
    parameters = ic.InertialParameters.from_com(1.0, [0.0, 0.0, 2.0], inertia)
    low, middle, high = eigenvalues(parameters.inertia_origin)
    assert parameters.mass > 0
    assert eigenvalues(parameters.inertia_com)[0] >= 0
    assert high <= low + middle
    assert ic.check(parameters).verdict == "inconsistent"
    assert eigenvalues(parameters.pseudo_inertia)[0] < 0


def test_slip_a_mass_bound_of_zero_lets_inertia_without_mass_pass() -> None:
    """With m >= 0 in place of m > 0, Pi >= 0 has a member with m = 0 and S not 0."""
    theta = np.array([0.0, 0, 0, 0, 2, 0, 0, 2, 0, 2])
    assert eigenvalues(representations.pseudo_inertia(theta))[0] >= 0
    result = ic.check(theta)
    assert result.pseudo_inertia_psd
    assert not result.mass_positive
    assert result.verdict == "invalid"


def test_slip_not_every_turn_about_another_point_is_harder() -> None:
    """I_p >= I_c is no strict order: about the axis through both points nothing changes."""
    got = body()[0]
    axis = (P - got.com) / np.linalg.norm(P - got.com)
    assert axis @ got.inertia_about(P) @ axis == pytest.approx(axis @ got.inertia_com @ axis)
    assert eigenvalues(got.inertia_about(P) - got.inertia_com)[2] > 0


def test_no_slip_in_the_sign_of_the_translation() -> None:
    """With +dp in T_pc the second moment is the same, and the centre of mass on the wrong side."""
    got = body()[0]
    dp = P - got.com
    T = np.eye(4)
    T[:3, 3] = dp
    wrong = T @ got.translate(-got.com).pseudo_inertia @ T.T
    close(wrong[:3, :3], got.second_moment_about(P))
    close(wrong[:3, 3], -got.translate(-P).first_moment)


# The page


def test_the_page_has_every_numbered_equation_and_each_has_a_test() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [int(n) for n in re.findall(r"^\* \((\d+)\)", text, re.MULTILINE)] == list(range(1, 16))
    tested = {int(found[1]) for name in globals() if (found := re.match(r"test_eq_(\d+)_", name))}
    assert tested == set(range(1, 16))
