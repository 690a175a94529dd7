"""The joint problem in units of its priors: its terms, and a proof that proves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from identification_problems import measured, robot
from inertial_check.errors import ParameterError
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem
from inertial_check.identification.fit.samples import Reduction
from inertial_check.inertia.representations import pseudo_inertia
from inertial_check.projection.svec import pack

Y, TAU, TRUTH, PRIOR, WEIGHTS = measured(robot(3, thin=True), 100, noise=1.0)
F = np.random.default_rng(0).normal(size=(100, 3, 2))
BESIDE = Nuisance.from_columns(
    F, lower=[0, -1], upper=[np.inf, 2], prior=[0.5, 0], scale=[2.0, np.inf]
)
SYSTEM = Reduction.of([(np.concatenate([Y, F], axis=2), TAU)]).stack(WEIGHTS)


def problem(regularization=0.7, **options):
    return Problem.of(SYSTEM, PRIOR, BESIDE, regularization, **options)


def anywhere(seed, spread=1.0):
    """x of bodies in the cone and numbers within bounds."""
    rng = np.random.default_rng(seed)
    G = np.eye(4) + spread * rng.normal(size=(3, 4, 4))
    f = np.array([abs(rng.normal()), rng.uniform(-1, 2)]) / problem().unit
    return np.concatenate([pack(G @ G.transpose(0, 2, 1)).ravel(), f])


@given(st.integers(0, 10_000), st.floats(0.01, 3), st.floats(0, 3))
def test_no_feasible_point_is_below_the_proven_bound(seed, near, far):
    """Whatever point the certificate is asked of, and with whatever else it is compared."""
    own = problem()
    best = interior_point.solve(own).x
    other = (best + near * anywhere(seed)) / (1 + near)
    proven = own.certify(other)
    assert proven.primal_residual == 0
    for rival in (best, anywhere(seed + 1, far)):
        below = own.objective(other) - own.objective(rival)
        assert below <= proven.gap * own.objective(other) * (1 + 1e-9)


def test_a_point_outside_is_told():
    own = problem()
    x = np.array(own.prior)
    x[:10] = pack(np.diag([1.0, 1.0, 1.0, -0.25]))
    assert own.certify(x).primal_residual == pytest.approx(0.25)
    x = np.array(own.prior)
    x[-1] = 2.5 / own.unit[1]
    assert own.certify(x).primal_residual == pytest.approx(0.5 / own.unit[1])


def test_a_spread_is_a_floor_of_the_central_second_moment():
    """S_c >= t 1 exactly where Pi - diag(t, t, t, 0) >= 0."""
    spread = np.array([1e-4, 0.0, 3e-3])
    own = problem(spread=spread)
    for seed in range(20):
        x = anywhere(seed, 0.3)
        theta = own.theta(x)
        central = [
            np.linalg.eigvalsh(
                pseudo_inertia(body)[:3, :3] - np.outer(body[1:4], body[1:4]) / body[0]
            )[0]
            for body in theta
        ]
        held = np.linalg.eigvalsh(own.matrices(x))[:, 0] >= 0
        np.testing.assert_array_equal(held, central >= spread)


def test_what_nothing_decides_is_named():
    A, b, rss = SYSTEM
    A = np.array(A)
    A[:, -1] = A[:, -2]
    loose = Nuisance(("a", "b"), -np.inf, np.inf, 0.0, np.inf)
    with pytest.raises(
        ParameterError, match=r"decide 31 of 32 parameters, and no prior the others \(a, b\)"
    ):
        _ = Problem.of((A, b, rss), PRIOR, loose, 1.0).free
    with pytest.raises(ParameterError, match="body 0"):
        _ = Problem.of(SYSTEM, PRIOR, BESIDE, 0.0).free
