"""Constraints in ic.project: every metric, against a problem written out by hand."""

import cvxpy as cp
import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.projection.constraints import (
    ComInBox,
    FixedCom,
    FixedEntries,
    FixedMass,
    MassBounds,
    TotalMass,
)
from inertial_check.projection.densities import DensityInBall

SCALES = {"mass": (0.5, 2), "length": (0.2, 0.5), "offset": (0.2, 1)}
VIOLATING = sampling.inconsistent(5, 4, violation=(0.05, 0.5), **SCALES).as_theta()
WHOLE = sampling.consistent(5, 3, strata=["solid"], **SCALES).as_theta()
BOTH = np.concatenate([VIOLATING, WHOLE])
PRIOR = ic.InertialParameters.from_com(1.0, [0.1, 0, 0.2], np.diag([0.05, 0.06, 0.07]))
W = np.diag(np.arange(1.0, 11.0))
METRICS = {
    "inertia": {},
    "covariance": {},
    "prior": {"prior": PRIOR},
    "weighted": {"weights": W},
    "euclidean": {},
    "pseudo-inertia": {},
}


def pseudo_inertia(theta):
    """Of a cvxpy expression (10,), written out by hand."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = (theta[i] for i in range(10))
    rows = [
        [(yy + zz - xx) / 2, -xy, -xz, hx],
        [-xy, (xx + zz - yy) / 2, -yz, hy],
        [-xz, -yz, (xx + yy - zz) / 2, hz],
        [hx, hy, hz, m],
    ]
    return cp.bmat(rows)


def length(metric, given, theta):
    """The distance, by the definition of the metric."""
    change = theta - given
    if metric == "weighted":
        return cp.norm(np.sqrt(W) @ change)
    if metric == "euclidean":
        return cp.norm(change)
    Pi = pseudo_inertia(change)
    if metric == "prior":
        values, vectors = np.linalg.eigh(PRIOR.pseudo_inertia)
        root = (vectors / np.sqrt(values)) @ vectors.T
        return cp.norm(root @ Pi @ root, "fro")
    if metric == "covariance":
        return cp.norm(Pi[:3, :3], "fro")
    if metric == "inertia":
        S = Pi[:3, :3]
        return cp.norm(cp.trace(S) * np.eye(3) - S, "fro")
    return cp.norm(Pi, "fro")


@pytest.mark.parametrize("metric", METRICS)
def test_agrees_with_a_problem_written_out_by_hand(metric):
    """Radius bound tr(S) <= R^2 m, and where the metric moves the mass, bounds on it."""
    given = WHOLE[0]
    spread, place = given[[4, 7, 9]].sum() / 2 / given[0], np.sum(given[1:4] ** 2) / given[0] ** 2
    radius = np.sqrt((spread + place) / 2)  # between what the body is and a point at its place
    limits = [DensityInBall(radius)]
    if metric not in ("inertia", "covariance"):
        limits.append(MassBounds(0.7, 0.8))
    found = ic.project(given, metric, constraints=limits, **METRICS[metric])
    theta = cp.Variable(10)
    rules = [
        pseudo_inertia(theta) >> 0,
        cp.trace(pseudo_inertia(theta)[:3, :3]) <= radius**2 * theta[0],
    ]
    if metric in ("inertia", "covariance"):
        rules.append(theta[:4] == given[:4])
    else:
        rules += [theta[0] >= 0.7, theta[0] <= 0.8]
    problem = cp.Problem(cp.Minimize(length(metric, given, theta)), rules)
    problem.solve(solver="SCS", eps_abs=1e-9, eps_rel=1e-9, max_iters=100_000)
    assert problem.value > 1e-3  # the limits bind
    assert found.distance == pytest.approx(problem.value, rel=1e-6)
    np.testing.assert_allclose(found.theta, theta.value, atol=1e-5 * np.abs(given).max())
    assert max(found.certify()) <= 1e-9


@pytest.mark.parametrize("metric", ["prior", "weighted", "euclidean", "pseudo-inertia"])
def test_random_limits_agree_with_cvxpy_and_the_certificate_is_that_of_the_limits(metric):
    """Bounds of mass, a box of centres, a fixed product of inertia, and sums of two bodies."""
    rng = np.random.default_rng(8)
    for turn in range(3):
        given = BOTH[rng.choice(len(BOTH), 2, replace=False)] + 0.02 * rng.normal(size=(2, 10))
        low, high = np.sort(rng.uniform(0.3, 3.0, 2))
        corner = np.sort(rng.normal(size=(2, 3)) / 2, axis=0)
        product, total = 0.05 * rng.normal(), rng.uniform(2 * low, 2 * high)
        limits = [
            MassBounds(low, high),
            ComInBox(*corner),
            FixedEntries({"Ixy": product}, bodies=0),
        ]
        limits += [TotalMass(total, bodies=(0, 1))] if turn else []
        found = ic.project(given, metric, constraints=limits, **METRICS[metric])
        both = cp.Variable(10), cp.Variable(10)
        rules = [both[0][5] == product]
        for theta in both:
            rules += [pseudo_inertia(theta) >> 0, theta[0] >= low, theta[0] <= high]
            rules += [theta[1:4] >= corner[0] * theta[0], theta[1:4] <= corner[1] * theta[0]]
        rules += [both[0][0] + both[1][0] == total] if turn else []
        squares = [length(metric, *pair) ** 2 for pair in zip(given, both, strict=True)]
        problem = cp.Problem(cp.Minimize(sum(squares)), rules)
        problem.solve(solver="CLARABEL")
        assert (found.status == "projected").all()
        assert np.sum(found.distance**2) == pytest.approx(problem.value, rel=1e-6)
        assert np.max(found.certify()) <= 1e-9
        # Without the limits the same answers would not be the nearest.
        assert (ic.project(given, metric, **METRICS[metric]).distance < found.distance).all()


@pytest.mark.parametrize("metric", METRICS)
def test_what_meets_them_stays_bit_for_bit(metric):
    limits = (DensityInBall(9.0), MassBounds(0.1, 9.0))
    found = ic.project(BOTH, metric, constraints=limits, **METRICS[metric])
    free = ic.project(BOTH, metric, **METRICS[metric])
    near = free.status != "no-nearest"  # under inertia and covariance, no body is near a point mass
    expected = np.where(near, ["projected"] * 4 + ["feasible"] * 3, "no-nearest")
    assert (found.status == expected).all()
    assert (found.theta[4:] == BOTH[4:]).all()
    assert not found.changed[4:].any()
    assert (found.theta[~near] == BOTH[~near]).all()
    assert near.sum() == (5 if metric in ("inertia", "covariance") else 7)
    np.testing.assert_allclose(found.distance[near], free.distance[near], rtol=1e-7, atol=1e-12)
    assert (np.array(found.certify())[:, near] <= 1e-9).all()


@pytest.mark.parametrize("metric", METRICS)
def test_margins_hold_under_constraints(metric):
    limits = [FixedMass()] if metric in ("inertia", "covariance") else [MassBounds(0.4, 0.9)]
    found = ic.project(BOTH, metric, constraints=limits, margin=0.02, **METRICS[metric])
    near = found.status != "no-nearest"
    free = ic.project(BOTH, metric, margin=0.02, **METRICS[metric])
    assert (near == (free.status != "no-nearest")).all()
    assert (ic.check(found.theta[near]).margin >= 0.02).all()
    if metric not in ("inertia", "covariance"):
        assert (found.theta[:, 0] <= 0.9 + 1e-12).all()
        assert (found.theta[:, 0] >= 0.4 - 1e-12).all()


def test_a_margin_for_which_there_is_no_room_is_refused():
    flat = ic.InertialParameters.from_com(1.0, [0, 0, 0], np.diag([0.02, 0.03, 0.045]))
    six = dict(zip(("Ixx", "Iyy", "Izz"), (0.02, 0.03, 0.045), strict=True))
    limits = [FixedCom([0, 0, 0]), FixedEntries(six)]
    assert ic.project(flat, "euclidean", constraints=limits).status == "feasible"
    found = ic.project(flat, "euclidean", constraints=limits, margin=0.1)
    assert found.status == "infeasible"
    assert list(found.conflict) == limits
    with pytest.raises(ic.ProjectionError, match=r"no body with the margin 0.1 meets FixedCom"):
        found.raise_for_status()
    # Without the place the margin is there: away from the origin, where no gradient points to it.
    free = ic.project(flat, "euclidean", constraints=limits[1:], margin=0.1)
    # Two places are as near, and the forces of either do not fit both.
    assert 1.05 < free.factor <= 1.5
    assert free.status == "uncertified"
    assert ic.check(free.theta).margin >= 0.1


def test_conflicts_name_the_constraints_and_the_body_of_the_batch():
    limits = [MassBounds(0.1, 50.0), FixedMass(2.0), MassBounds(0.5, 1.0, bodies=(2,))]
    found = ic.project(BOTH, "euclidean", constraints=limits)
    assert found.status.tolist() == ["projected"] * 2 + ["infeasible"] + ["projected"] * 4
    assert [conflict is None for conflict in found.conflict] == [True, True, False] + [True] * 4
    assert (found.theta[2] == BOTH[2]).all()
    assert np.isnan(found.gap[2])
    with pytest.raises(ic.ProjectionError) as caught:
        found.raise_for_status()
    message = str(caught.value)
    assert message == str(found.conflict[2])
    assert "FixedMass(2.0 kg)" in message
    assert "MassBounds(0.5 to 1.0 kg)" in message
    assert "body 2" in message
    assert "50" not in message
    assert (caught.value.instance == BOTH[2]).all()
    assert found[2].status == "infeasible"
    assert str(found[2].conflict) == message
    assert found[3].conflict is None
    assert [conflict is None for conflict in found[1:4].conflict] == [True, False, True]


def test_rows_without_a_nearest_are_left_out_and_indices_stay():
    theta = np.array([WHOLE[0], np.full(10, np.nan), WHOLE[1]])
    limits = [FixedMass(0.5, bodies=(2,))]
    found = ic.project(theta, "euclidean", constraints=limits)
    assert found.status.tolist() == ["feasible", "no-nearest", "projected"]
    assert found.theta[2, 0] == 0.5


def test_bodies_together():
    total = WHOLE[:, 0].sum()
    found = ic.project(WHOLE, "euclidean", constraints=[TotalMass(1.5 * total)])
    assert found.theta[:, 0].sum() == pytest.approx(1.5 * total, rel=1e-12)
    assert found.changed.all()


@pytest.mark.parametrize("shape", [(10,), (1, 10), (2, 2, 10)])
def test_leading_axes_orders_and_points(shape):
    theta = VIOLATING[: int(np.prod(shape)) // 10].reshape(shape)
    limits = [FixedMass()]
    plain = ic.project(theta, "prior", prior=PRIOR, constraints=limits)
    assert plain.theta.shape == shape
    bodies = ic.InertialParameters.from_theta(theta)
    about = bodies.as_theta(order="mujoco", about="com")
    seen = ic.project(
        about,
        "prior",
        "mujoco",
        "com",
        prior=PRIOR.as_theta(order="mujoco", about="com"),
        constraints=limits,
    )
    again = ic.InertialParameters.from_theta(seen.theta, order="mujoco", about="com").as_theta()
    np.testing.assert_allclose(again, plain.theta, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
@pytest.mark.parametrize("metric", ["prior", "weighted", "euclidean", "pseudo-inertia"])
def test_any_solver_by_name_gives_what_the_own_ones_do(metric, solver):
    own = ic.project(BOTH, metric, **METRICS[metric])
    found = ic.project(BOTH, metric, solver=solver, **METRICS[metric])
    assert found.solver == solver
    np.testing.assert_allclose(found.theta, own.theta, atol=1e-9 * np.abs(BOTH).max())
    assert (np.array(found.certify()) <= 1e-9).all()
    assert (found.theta[4:] == BOTH[4:]).all()


def test_regularisers_take_none():
    with pytest.raises(ic.ParameterError, match=r"'entropic' takes no constraints.*conic"):
        ic.project(VIOLATING, "entropic", prior=PRIOR, constraints=[FixedMass()])


def test_no_mass_under_constraints_is_floored():
    theta = np.array([-2.0, 0, 0, 0, -1, 0, 0, -1, 0, -1])
    found = ic.project(theta, "euclidean", constraints=[ComInBox([-1.0] * 3, [1.0] * 3)])
    assert found.status == "mass-floored"
    assert found.theta[0] >= 2e-6 * (1 - 1e-9)
    assert ic.check(found.theta).consistent


@pytest.mark.parametrize("metric", ["inertia", "euclidean"])
@pytest.mark.parametrize("bodies", [7, (0, 9), (7, 8)])
def test_a_constraint_on_a_row_that_does_not_exist_is_refused(metric, bodies):
    first = bodies if isinstance(bodies, int) else next(i for i in bodies if i >= len(BOTH))
    with pytest.raises(
        ic.ParameterError, match=rf"names body {first}, but the batch has rows 0 to 6"
    ):
        ic.project(BOTH, metric, constraints=[FixedMass(2.0, bodies=bodies)])
    with pytest.raises(ic.ParameterError, match=r"names body 3, but the batch has only row 0"):
        ic.project(BOTH[0], metric, constraints=[FixedMass(2.0, bodies=3)])
    nobody = np.array(BOTH)
    nobody[3, 4] = np.nan  # a row that exists and has no nearest is no reason to refuse
    found = ic.project(nobody, metric, constraints=[MassBounds(0.1, 9.0, bodies=(3, 4))])
    assert found.status[3] == "no-nearest"
