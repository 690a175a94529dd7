"""Joints whose residuals follow the motion of each other."""

import numpy as np

from inertial_check.identification.diagnosis.diagnosis import find_couplings


def move(seed, count=4, samples=2_000):
    """Velocities and accelerations of joints, each a sum of three sines."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 20, samples)[:, None]
    rates, phases = rng.uniform(0.5, 6, (3, count)), rng.uniform(0, 6, (3, count))
    u = sum(np.sin(w * t + p) for w, p in zip(rates, phases, strict=True))
    du = sum(w * np.cos(w * t + p) for w, p in zip(rates, phases, strict=True))
    return u, du, rng.normal(size=(samples, count))


def test_joints_that_share_a_gear_are_found():
    u, du, noise = move(1)
    residuals = noise * 0.5
    residuals[:, 1] += 0.8 * u[:, 3] + 0.1 * du[:, 3]
    residuals[:, 3] += 0.8 * u[:, 1] + 0.1 * du[:, 1]
    (pair,) = find_couplings(residuals, u, du)
    assert pair.joints == (1, 3)
    assert min(pair.shares) > 0.5


def test_the_size_of_a_torque_does_not_matter():
    u, du, noise = move(1)
    residuals = noise * 0.5
    residuals[:, 1] += 0.8 * u[:, 3]
    residuals[:, 3] += 0.8 * u[:, 1]
    (pair,) = find_couplings(residuals, u, du)
    for scale in (1e-9, 1e9):
        (same,) = find_couplings(residuals * scale, u, du)
        np.testing.assert_allclose(same.shares, pair.shares)


def test_what_is_no_coupling_is_not_found():
    u, du, noise = move(2)
    own = noise + 3 * u + np.sign(u) + du  # friction and rotors that were not declared
    assert find_couplings(own, u, du) == ()
    assert find_couplings(noise, u, du) == ()
    one_way = noise.copy()
    one_way[:, 0] += 5 * u[:, 1]  # a force that joint 1 causes and does not feel
    assert find_couplings(one_way, u, du) == ()
    assert find_couplings(np.zeros_like(noise), u, du) == ()


def test_few_independent_samples_tell_nothing():
    u, du, noise = move(3)
    residuals = noise.copy()
    residuals[:, 0] += 5 * u[:, 1]
    residuals[:, 1] += 5 * u[:, 0]
    assert find_couplings(residuals, u, du)
    assert find_couplings(residuals, u, du, redundancy=100.0) == ()
