"""Wrenches whose forces and moments are exchanged: refused, with the order that explains them."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.identification.fit.payload import (
    from_wrench,
    identify_payload,
    wrench_regressor,
)

TOOL = ic.InertialParameters.from_com(1.3, [0.02, -0.03, 0.12], np.diag([0.004, 0.005, 0.002]))
BIAS = np.array([0.1, 0.2, -0.1, 1.0, 2.0, -1.0])


def record(poses, moving, bias):
    """Wrenches of a known tool with noise, and its motion."""
    rng = np.random.default_rng(0)
    gravity = rng.normal(size=(poses, 3))
    gravity *= 9.81 / np.linalg.norm(gravity, axis=1)[:, None]
    names = ("w", "alpha", "a") if moving else ()
    motion = {"gravity_S": gravity, **{name: rng.normal(size=(poses, 3)) for name in names}}
    wrench = wrench_regressor(**motion) @ np.asarray(TOOL.as_theta())
    return wrench + 0.002 * rng.normal(size=wrench.shape) + bias * BIAS, motion


@pytest.mark.parametrize("poses", [3, 40])
@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_an_exchanged_wrench_is_refused_and_the_order_mends_it(poses, moving, bias):
    wrench, motion = record(poses, moving, bias)
    sound = from_wrench(wrench, **motion, bias=bias)
    exchanged = np.roll(wrench, 3, axis=1)
    with pytest.raises(ParameterError, match='give spatial_order="linear-angular"'):
        from_wrench(exchanged, **motion, bias=bias)
    mended = from_wrench(exchanged, **motion, bias=bias, spatial_order="linear-angular")
    masses = [identify_payload(each, weights=1.0).theta[0] for each in (sound, mended)]
    np.testing.assert_allclose(masses, 1.3, rtol=0.02)
