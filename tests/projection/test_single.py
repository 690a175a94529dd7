"""One body has the answer that it has in a batch, whatever stands beside it."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection import constraints

SCALES = {"mass": (1e-3, 1e3), "length": (1e-3, 10.0)}
NAMES = ("distance", "relative_change", "changed", "vanished", "status_code", "multiplier")


def bodies():
    """Some that are consistent, some a little outside and some far, and numbers at random."""
    rng = np.random.default_rng(5)
    near = sampling.inconsistent(1, 25, violation=(1e-14, 1e-2), **SCALES).as_theta()
    far = sampling.inconsistent(2, 25, violation=(1e-2, 0.9), **SCALES).as_theta()
    fine = sampling.consistent(3, 10, **SCALES).as_theta()
    noise = rng.normal(size=(15, 10))
    nobody = np.array([np.zeros(10), [0, 1, 0, 0, 1, 0, 0, 1, 0, 1], [np.nan] * 10, -fine[0]])
    return np.concatenate([near, far, fine, noise, nobody])


THETA = bodies()
NEAR, FAR = 25, 50


@pytest.mark.parametrize("about", ["origin", "com"])
@pytest.mark.parametrize("metric", ["inertia", "covariance"])
def test_moments_of_one_body_are_those_of_a_batch_bit_for_bit(metric, about):
    """Catches a formula, a guard or a floor that the floats of one body and arrays do not share."""
    found = ic.project(THETA, metric, about=about)
    for i, theta in enumerate(THETA):
        one = ic.project(theta, metric, about=about)
        assert one.theta.tobytes() == found.theta[i].tobytes(), i
        for name in (*NAMES, "gap", "dual_residual"):
            assert np.array_equal(getattr(one, name), getattr(found, name)[i], equal_nan=True), name


def requests():
    rng = np.random.default_rng(7)
    mass = np.maximum(np.abs(np.nan_to_num(THETA[:, :1])), 1e-3)
    inertia = np.maximum(np.abs(np.nan_to_num(THETA[:, 4:])).max(axis=1, keepdims=True), 1e-9)
    size = np.hstack([mass, *[np.sqrt(mass * inertia)] * 3, *[inertia] * 6])
    root = rng.normal(size=(len(THETA), 10, 10)) / size[:, None, :]
    balls = size * [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
    return [
        ("weighted", {"weights": size**-2}),
        ("weighted", {"weights": root.transpose(0, 2, 1) @ root}),
        ("prior", {"prior": balls}),
        ("euclidean", {}),
    ]


@pytest.mark.parametrize(("metric", "given"), requests(), ids=["diagonal", "full", "prior", "none"])
def test_matrices_of_one_body_are_those_of_a_batch(metric, given):
    """Catches wrong units, a multiplier of another size, a status that only one of them has."""
    found = ic.project(THETA, metric, **given)
    for i, theta in enumerate(THETA):
        one = ic.project(theta, metric, **{name: value[i] for name, value in given.items()})
        assert one.status == found.status[i], i
        if found.status[i] == "feasible":
            assert one.theta.tobytes() == theta.tobytes()
        if found.status[i] == "projected":
            assert max(one.certify()) <= CERTIFIED
        if found.status[i] == "projected" and i >= NEAR:  # the others move by little but rounding
            assert one.distance == pytest.approx(found.distance[i], rel=1e-9)
            size = np.linalg.norm(found.multiplier[i])
            np.testing.assert_allclose(one.multiplier, found.multiplier[i], atol=1e-3 * size)


@pytest.mark.parametrize(
    "limits",
    [
        [constraints.FixedMass()],
        [constraints.FixedMass(), constraints.FixedCom()],
        [constraints.FixedEntries(("Ixx", "Ixy"))],
    ],
    ids=["mass", "mass and com", "entries"],
)
def test_fixed_numbers_of_one_body_are_certified(limits):
    """Catches a wrong sign of their multipliers, numbers that are fixed but for rounding."""
    projected = 0
    for metric, given in requests()[:2]:
        for theta, weights in zip(THETA[NEAR : NEAR + 8], given["weights"][NEAR:], strict=False):
            one = ic.project(theta, metric, weights=weights, constraints=limits)
            if one.status == "projected":
                projected += 1
                assert max(one.certify()) <= CERTIFIED
                assert all(limit.violation(one.theta, theta) <= 1e-15 for limit in limits)
                assert ic.check(one.theta).consistent
    assert projected >= 8
