"""What the weighted projection keeps, whatever the body, the weights and the units."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import families
import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.inertia.representations import (
    ORDERS,
    pseudo_inertia,
    reorder,
    theta_from_pseudo_inertia,
)
from inertial_check.inertia.tolerances import CERTIFIED

EPS = np.finfo(float).eps
METRES = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])

seeds = st.integers(0, 2**32 - 1)
names = st.sampled_from(sorted(families.FAMILIES))
orders = st.sampled_from(sorted(ORDERS))


@st.composite
def instances(draw, name=names):
    """One row of one of the families: theta (10,) and W (10, 10)."""
    drawn = families.draw(draw(name), 1, draw(seeds))
    return drawn.theta[0], drawn.matrices[0]


def project(theta, W, **named):
    return ic.project(theta, "weighted", weights=W, **named)


def length(change, W):
    return np.sqrt(np.maximum(np.einsum("...i,...ij,...j->...", change, W, change), 0.0))


def assert_same(found, expected, W, moved):
    """Two answers, in W: to CERTIFIED of the move, and what rounding theta itself can cause."""
    rounding = np.sqrt(np.abs(expected) @ np.abs(W) @ np.abs(expected)) * EPS
    assert length(found - expected, W) <= 1e3 * (CERTIFIED * moved + rounding)


@given(instances())
def test_feasible_comes_back_and_the_rest_becomes_feasible(instance):
    theta, W = instance
    found = project(theta, W)
    if ic.check(theta).consistent:
        assert found.status == "feasible"
    if found.status == "feasible":
        assert found.theta.tobytes() == theta.tobytes()
    else:
        assert ic.check(found.theta).consistent
        assert found.changed
    assert np.max(found.certify()) <= CERTIFIED


@given(instances())
def test_projecting_twice_is_projecting_once(instance):
    theta, W = instance
    once = project(theta, W)
    twice = project(once.theta, W)
    assert twice.status == "feasible"
    assert twice.theta.tobytes() == once.theta.tobytes()


@given(instances(), st.integers(-40, 40), st.integers(-20, 20), st.integers(-60, 60))
def test_units_of_body_and_weights_change_nothing(instance, mass, metre, price):
    """Of the body by powers of two, which round nothing; a tolerance with a unit would show."""
    theta, W = instance
    unit = 2.0 ** (mass + metre * METRES)
    plain = project(theta, W)
    scaled = project(theta * unit, W * 2.0**price / np.outer(unit, unit))
    assert scaled.status == plain.status
    assert_same(scaled.theta / unit, plain.theta, W, length(plain.theta - theta, W))


@given(instances(st.sampled_from(["noisy", "garbage", "condition 1e4"])), seeds)
def test_another_frame_with_its_weights_has_the_same_answer(instance, seed):
    """W is covariant: theta' = G theta, W' = G^-T W G^-1 for the pose of a frame."""
    theta, W = instance
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = sampling.rotations(rng)
    pose[:3, 3] = rng.normal(size=3) * (W[0, 0] / np.diagonal(W)[4:].mean()) ** 0.25
    basis = pose @ pseudo_inertia(np.eye(10)) @ pose.T
    G = theta_from_pseudo_inertia((basis + basis.swapaxes(1, 2)) / 2).T
    inverse = np.linalg.inv(G)
    there = inverse.T @ W @ inverse
    first, then = project(theta, W), project(G @ theta, (there + there.T) / 2)
    assert (first.status == "feasible") == (then.status == "feasible")
    if first.status == then.status == "projected":
        assert_same(inverse @ then.theta, first.theta, W, length(first.theta - theta, W))


@given(instances(), orders)
def test_orders_permute_weights_and_answer(instance, order):
    """Bit for bit: the order is how the numbers are written, not another problem."""
    theta, W = instance
    place = reorder(np.arange(10.0), "urdf", order).astype(int)
    plain = project(theta, W)
    found = project(theta[place], W[np.ix_(place, place)], order=order)
    assert found.theta.tobytes() == plain.theta[place].tobytes()
    diagonal = np.diagonal(W)
    plain = project(theta, diagonal)
    found = project(theta[place], diagonal[place], order=order)
    assert found.theta.tobytes() == plain.theta[place].tobytes()


@given(instances(st.sampled_from(["noisy", "garbage", "relative weights", "singular truth"])))
def test_a_diagonal_is_a_matrix(instance):
    theta, W = instance
    assert project(theta, np.diagonal(W)).theta.tobytes() == project(theta, W).theta.tobytes()


@given(st.lists(instances(), min_size=1, max_size=8), st.booleans())
def test_a_batch_is_a_loop(rows, shared):
    theta, W = (np.stack(part) for part in zip(*rows, strict=True))
    weights = W[0] if shared else W
    W = np.broadcast_to(weights, W.shape)
    together = ic.project(theta, "weighted", weights=weights)
    alone = [project(*row) for row in zip(theta, W, strict=True)]
    assert together.status.tolist() == [found.status for found in alone]
    for i, found in enumerate(alone):
        moved = length(found.theta - theta[i], W[i])
        assert_same(together.theta[i], found.theta, W[i], moved)


@given(instances(), seeds)
def test_no_sampled_body_is_nearer(instance, seed):
    """Bodies on the segments from the answer to others: the cone is convex, and the answer best."""
    theta, W = instance
    found = project(theta, W)
    if found.status == "mass-floored":
        return  # nearest among those that have mass
    rng = np.random.default_rng(seed)
    others = families.lumps(rng, 50).theta
    others *= np.abs(found.theta[0]) / others[:, :1] if found.theta[0] else 1.0
    share = 10.0 ** rng.uniform(-8, 0, (50, 1))
    rivals = found.theta + share * (others - found.theta)
    least = length(found.theta - theta, W)
    rounding = np.sqrt(np.abs(theta) @ np.abs(W) @ np.abs(theta)) * EPS
    assert (length(rivals - theta, W) >= least * (1 - 1e-7) - 1e3 * rounding).all()
