"""The regressor of a wrist sensor against Pinocchio's of a single body."""

import numpy as np
import pytest

from inertial_check.identification.fit.payload import wrench_regressor

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")


def test_the_regressor_of_a_wrench_is_that_of_pinocchio():
    rng = np.random.default_rng(0)
    gravity, w, alpha, a = rng.normal(size=(4, 20, 3))
    ours = wrench_regressor(gravity, w, alpha, a, order="pinocchio", spatial_order="linear-angular")
    for k in range(len(w)):  # So does not move at this instant, so that its accelerations agree
        velocity = pin.Motion(np.zeros(3), w[k])
        acceleration = pin.Motion(a[k] - gravity[k], alpha[k])
        theirs = pin.bodyRegressor(velocity, acceleration)
        np.testing.assert_allclose(ours[k], theirs, rtol=0, atol=1e-13)
