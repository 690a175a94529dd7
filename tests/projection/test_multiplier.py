"""The public multiplier: anyone can verify from it how far the answer is from the nearest."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling

SCALES = {"mass": (0.5, 2), "length": (0.2, 0.5), "offset": (0.2, 0.5)}
THETA = sampling.inconsistent(5, 6, violation=(0.05, 0.2), **SCALES)
PRIOR = ic.InertialParameters.from_com(1.0, [0.1, 0, 0.2], np.diag([0.05, 0.06, 0.07]))
METRICS = {
    "inertia": {},
    "covariance": {},
    "prior": {"prior": PRIOR},
    "weighted": {"weights": np.arange(1.0, 11.0)},
    "pseudo-inertia": {},
}


@pytest.mark.parametrize("about", ["origin", "com"])
@pytest.mark.parametrize("metric", METRICS)
def test_the_multiplier_proves_the_distance(metric, about):
    """Half its square is the dual value -<Z, Pi0> / 2: the gap is zero."""
    if about == "com" and metric == "weighted":
        pytest.skip("weights are about the origin")
    found = ic.project(THETA.as_theta(about=about), metric, about=about, **METRICS[metric])
    near = np.isin(found.status, ["projected", "feasible"])
    assert near.sum() >= 4
    Z, Pi = found.multiplier[near], found.parameters.pseudo_inertia[near]
    size = np.linalg.norm(Z, axis=(1, 2))
    assert (np.linalg.eigvalsh(Z)[:, 0] >= -1e-9 * size).all()
    np.testing.assert_allclose(np.sum(Z * Pi, axis=(1, 2)), 0, atol=1e-9)
    given = np.sum(Z * THETA.pseudo_inertia[near], axis=(1, 2))
    np.testing.assert_allclose(found.distance[near] ** 2, -given, rtol=1e-7)
    assert found[0].multiplier.shape == (4, 4)
    assert (found[0].multiplier == found.multiplier[0]).all()
    body = ic.project(PRIOR, metric, **METRICS[metric])
    assert body.status == "feasible"
    assert not body.multiplier.any()
