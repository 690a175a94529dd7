"""Cones and distances in a user's own cvxpy problem: what they stand for, and their answers."""

import re

import cvxpy as cp
import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.projection import conic, constraints
from inertial_check.projection.densities import DensityInBox
from limits import METRES, SHAPES, quadratic

BODY = sampling.consistent(1, strata=["solid"], mass=(1, 2), length=(0.1, 0.2), offset=(0.5, 1))
THETA = np.asarray(BODY.as_theta(about="origin"))
OTHER = np.asarray(
    sampling.consistent(
        2, strata=["solid"], mass=(1, 2), length=(0.1, 0.2), offset=(0.5, 1)
    ).as_theta(about="origin")
)


def broken(seed, count=1):
    bodies = sampling.inconsistent(
        seed, count, violation=(0.05, 0.5), mass=(1, 2), length=(0.1, 0.3), offset=(0.1, 1)
    )
    return np.asarray(bodies.as_theta(about="origin"))


def solved(objective, conditions):
    value = cp.Problem(cp.Minimize(objective), conditions).solve(solver="CLARABEL")
    assert np.isfinite(value)
    return value


@pytest.mark.parametrize("order", ORDERS)
def test_the_pseudo_inertia_is_that_of_the_numbers_in_every_order(order):
    theta = cp.Variable(10, value=reorder(THETA, "urdf", order))
    expected = BODY.pseudo_inertia
    np.testing.assert_allclose(
        conic.pseudo_inertia(theta, order).value, expected, rtol=0, atol=1e-14 * expected.max()
    )


@pytest.mark.parametrize("name", ["box", "cylinder", "union"])
def test_a_problem_of_the_users_own_has_the_answer_of_the_projection(name):
    given = broken(3)[0]
    problem = quadratic(given)
    shape, mass = SHAPES[name].constraint, constraints.MassBounds(2.0)
    theta = cp.Variable(10)
    value = solved(
        conic.squared_distance(theta, given, weights=np.diag(problem.W[0])),
        [*conic.consistent(theta), *conic.constrain(theta, [shape, mass])],
    )
    found = conic.nearest(problem, [shape, mass]).theta[0]
    change = found - given
    assert value == pytest.approx(change @ problem.W[0] @ change, rel=1e-6)
    np.testing.assert_allclose(theta.value, found, rtol=0, atol=1e-4)


def test_bodies_are_rows_and_constraints_find_theirs():
    given = broken(4, 3)
    theta = cp.Variable((3, 10))
    limits = [
        constraints.Mirrored(bodies=(0, 2)),
        constraints.FixedMass(bodies=1),
        constraints.TotalMass(6.0),
    ]
    conditions = [*conic.consistent(theta), *conic.constrain(theta, limits, given)]
    total = solved(cp.sum_squares(theta - given), conditions)
    assert theta.value[:, 0].sum() == pytest.approx(6.0)
    assert theta.value[1, 0] == pytest.approx(given[1, 0])
    assert limits[0].violation(theta.value[[0, 2]]) < 1e-6
    found = conic.nearest(quadratic(given), limits)
    assert total == pytest.approx(np.sum((found.theta - given) ** 2), rel=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_constraints_mean_the_same_in_every_order(order):
    given = broken(5)[0]
    values = {}
    for own in ("urdf", order):
        theta, there = cp.Variable(10), reorder(given, "urdf", own)
        limits = [constraints.FixedEntries("Ixy"), constraints.ComInBox([0, 0, 0], [1, 1, 1])]
        conditions = [
            *conic.consistent(theta, order=own),
            *conic.constrain(theta, limits, there, order=own),
        ]
        values[own] = solved(
            conic.squared_distance(theta, there, "euclidean", order=own), conditions
        )
    assert values[order] == pytest.approx(values["urdf"], rel=1e-6, abs=1e-9)


def test_a_part_of_the_reference_stays():
    given = broken(6)[0]
    theta = cp.Variable(10)
    solved(
        conic.squared_distance(theta, given, "euclidean"),
        conic.consistent(theta, 0.01, reference=BODY),
    )
    left = conic.pseudo_inertia(theta).value - 0.01 * BODY.pseudo_inertia
    assert np.linalg.eigvalsh(left)[0] >= -1e-8
    assert ic.check(theta.value).margin > 1e-4


def test_in_units_of_a_reference_a_bead_is_solved_like_any_body():
    """A milligram and a tenth of a millimetre: in SI a solver's tolerance hides the whole body."""
    scale = 1e-6 * 1e-4**METRES
    given, bead = broken(7)[0], THETA * scale
    box = DensityInBox([0.1, 0.2, 0.3])
    small = DensityInBox(np.array([0.1, 0.2, 0.3]) * 1e-4)
    values = []
    for shape, unit, body in ((box, np.ones(10), THETA), (small, scale, bead)):
        x = cp.Variable(10)
        theta = cp.multiply(unit, x)
        conditions = [
            *conic.consistent(theta, reference=body),
            *conic.constrain(theta, [shape], reference=body),
        ]
        values.append(solved(conic.squared_distance(x, given, "euclidean"), conditions))
    assert values[1] == pytest.approx(values[0], rel=1e-6)


class TestDistances:
    @pytest.mark.parametrize("order", ["urdf", "pinocchio"])
    def test_are_the_numbers_that_their_definitions_give(self, order):
        theta = cp.Variable(10, value=reorder(OTHER, "urdf", order))
        given = reorder(THETA, "urdf", order)
        change = ic.InertialParameters.from_theta(OTHER).pseudo_inertia - BODY.pseudo_inertia
        L = np.linalg.cholesky(BODY.pseudo_inertia)
        white = np.linalg.solve(L, np.linalg.solve(L, change).T)
        S = change[:3, :3]
        weights = np.arange(1.0, 11.0)
        expected = {
            "weighted": weights @ (theta.value - given) ** 2,
            "euclidean": np.sum((theta.value - given) ** 2),
            "pseudo-inertia": np.sum(change**2),
            "prior": np.sum(white**2),
            "covariance": np.sum(S**2),
            "inertia": np.sum((np.trace(S) * np.eye(3) - S) ** 2),
        }
        for metric, value in expected.items():
            extra = {"weighted": {"weights": weights}, "prior": {"prior": given}}.get(metric, {})
            distance = conic.squared_distance(theta, given, metric, order=order, **extra)
            assert distance.is_convex()
            assert distance.value == pytest.approx(value, rel=1e-10), metric

    def test_full_weights_may_be_singular(self):
        theta = cp.Variable(10, value=OTHER)
        rows = np.random.default_rng(0).normal(size=(4, 10))
        value = conic.squared_distance(theta, THETA, weights=rows.T @ rows).value
        assert value == pytest.approx(np.sum((rows @ (OTHER - THETA)) ** 2), rel=1e-10)

    @pytest.mark.parametrize("metric", ["inertia", "covariance"])
    def test_with_mass_and_centre_fixed_they_are_the_closed_forms(self, metric):
        given = broken(9)[0]
        theta = cp.Variable(10)
        fixed = [constraints.FixedMass(), constraints.FixedCom()]
        value = solved(
            conic.squared_distance(theta, given, metric),
            [*conic.consistent(theta), *conic.constrain(theta, fixed, given)],
        )
        assert value == pytest.approx(ic.project(given, metric).distance ** 2, rel=1e-5)

    def test_entropic_is_the_divergence_zero_at_the_prior_and_convex(self):
        theta = cp.Variable(10, value=OTHER)
        divergence = conic.entropic(theta, BODY)
        relative = np.linalg.solve(
            BODY.pseudo_inertia, ic.InertialParameters.from_theta(OTHER).pseudo_inertia
        )
        expected = np.trace(relative) - np.log(np.linalg.det(relative)) - 4
        assert divergence.is_convex()
        assert divergence.value == pytest.approx(expected, rel=1e-9)
        theta.value = THETA
        assert abs(divergence.value) < 1e-12
        solved(divergence, [theta[0] == 1.1 * THETA[0]])
        assert ic.check(theta.value).verdict == "consistent"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda t: conic.pseudo_inertia(t[:9]), "theta has shape (9,), expected (10,)"),
        (lambda t: conic.pseudo_inertia(t, "dynamic"), "unknown order 'dynamic'"),
        (lambda t: conic.consistent(t, -1.0), "delta is -1.0, expected a number, 0 or more"),
        (lambda t: conic.consistent(t, reference=np.ones(10)), "is not positive definite"),
        (
            lambda t: conic.constrain(t, constraints.FixedMass()),
            "FixedMass(as given) keeps what each",
        ),
        (
            lambda t: conic.constrain(t, constraints.FixedMass(1, bodies=2)),
            "names body 2, but theta has 1",
        ),
        (lambda t: conic.constrain(t, [1]), "constraints[0] is 1, expected a constraint"),
        (lambda t: conic.constrain(t, constraints.FixedMass(), np.ones(9)), "theta0 has shape"),
        (lambda t: conic.constrain(t, constraints.Mirrored()), "1 bodies, expected two"),
        (lambda t: conic.squared_distance(t, THETA), "metric 'weighted' needs weights="),
        (lambda t: conic.squared_distance(t, THETA, "prior"), "metric 'prior' needs prior="),
        (lambda t: conic.squared_distance(t, THETA, "taxi"), "metric is 'taxi'; available are"),
        (lambda t: conic.squared_distance(t, THETA, weights=-np.ones(10)), "weights"),
        (lambda t: conic.entropic(t, np.ones(10)), "is not positive definite"),
    ],
)
def test_what_cannot_be_posed_is_refused(make, said):
    with pytest.raises(ic.ParameterError, match=re.escape(said)):
        make(cp.Variable(10))


def test_no_solver_is_imported_before_it_is_asked_for():
    import subprocess
    import sys

    code = (
        "import sys; from inertial_check.projection import conic, constraints; "
        "heavy = {'cvxpy', 'clarabel', 'scipy'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
