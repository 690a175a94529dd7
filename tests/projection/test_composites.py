"""A composite body shared back to its parts: their sum, their consistency, their nearness."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import frames
from inertial_check.projection.exact import are_exact
from inertial_check.projection.priors import FixedSum, split_composite

LINK = np.array([2.0, 0, 0, 0.4, 0.2, 0, 0, 0.2, 0, 0.02])
CHILDREN = ic.InertialParameters.from_com(
    [0.2, 0.1], [[0, 0, 0.01], [0, 0.1, 0.01]], [0.001 * np.eye(3), 1e-4 * np.diag([1, 2, 2.5])]
)
X_PC = np.array(
    [
        frames.homogeneous(np.eye(3), [0, 0, 0.4]),
        frames.homogeneous(np.eye(3)[[1, 2, 0]], [0.1, 0, 0.4]),
    ]
)
X = np.concatenate([np.eye(4)[None], X_PC])
OWN = np.concatenate([LINK[None], CHILDREN.as_theta()])
WHOLE = np.asarray(frames.transform(OWN, X)).sum(axis=0)

COMPOSITES = {
    "heavier": (1.05 * WHOLE, "remainder"),
    "lighter": (0.1 * WHOLE, "nearest"),
    "narrow": (
        ic.InertialParameters.from_com(2.0, [0.05, 0, 0.1], np.diag([1, 2, 2]) * 1e-4).as_theta(),
        "nearest",
    ),
    "flat": (
        ic.InertialParameters.from_com(2.0, [0.05, 0, 0.1], np.diag([1, 2, 3]) * 1e-4).as_theta(),
        None,  # whether some split is found near the boundary is a matter of rounding
    ),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_the_parts_add_up_and_are_bodies_in_exact_arithmetic(name):
    composite, method = COMPOSITES[name]
    found = split_composite(composite, LINK, CHILDREN, X_PC)
    assert method in (None, found.method)
    whole = np.asarray(frames.transform(found.theta, X)).sum(axis=0)
    np.testing.assert_allclose(whole, composite, atol=1e-14 * np.abs(composite).max())
    assert are_exact(found.theta, "origin").all()
    if found.method == "remainder":
        np.testing.assert_array_equal(found.theta[1:], CHILDREN.as_theta())


def test_the_nearest_split_is_no_farther_than_any_other():
    """Against random consistent splits of the same body, in the metric of the parts' own sizes."""
    composite, rng = COMPOSITES["lighter"][0], np.random.default_rng(0)
    found = split_composite(composite, LINK, CHILDREN, X_PC).theta
    least = distance(found)
    alike = np.asarray(frames.transform(np.tile(composite, (3, 1)), np.linalg.inv(X)))
    for _ in range(200):
        other = rng.dirichlet(np.ones(3))[:, None] * alike
        for near in (0.0, 0.5, 0.9):  # the cone is convex: mixtures are splits, too
            assert distance(near * found + (1 - near) * other) >= least * (1 - 1e-6)


def distance(parts):
    change = ic.InertialParameters.from_theta(parts).pseudo_inertia - PI
    root = np.linalg.inv(np.linalg.cholesky(PI))
    return np.sum((root @ change @ root.transpose(0, 2, 1)) ** 2)


PI = np.asarray(ic.InertialParameters.from_theta(OWN).pseudo_inertia)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match="X_PC is of 1 children"):
        split_composite(WHOLE, LINK, CHILDREN, X_PC[:1])
    with pytest.raises(ParameterError, match="2 bodies, expected 3"):
        ic.project(OWN[:2], "prior", prior=OWN[:2], constraints=FixedSum(WHOLE, X))
