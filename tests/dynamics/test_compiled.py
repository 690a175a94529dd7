"""Loops that Numba compiles against the NumPy path that they stand for."""

import dataclasses

import numpy as np
import pytest

from inertial_check.dynamics import composites, equations, forward
from inertial_check.dynamics._compiled import choice
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import ParameterError
from random_trees import configurations, random_tree

pytest.importorskip("numba")

TREES = [
    pytest.param({"seed": 2, "anchored": True, "shuffled": True}, id="axes beside origins"),
    pytest.param({"seed": 4, "base": "floating", "anchored": True, "shuffled": True}, id="all"),
    pytest.param({"seed": 5, "base": "fixed", "kinds": ("prismatic",)}, id="slides"),
]

SHAPE = (23, 27)
"""More configurations than the least, and no multiple of the loops' blocks."""

FUNCTIONS = {
    "mass matrix": lambda tree, q, u, du: equations.mass_matrix(tree, q),
    "bias": lambda tree, q, u, du: equations.bias_forces(tree, q, u),
    "gravity": lambda tree, q, u, du: equations.gravity_forces(tree, q, gravity=[0.3, -2, 5]),
    "inverse": equations.inverse_dynamics,
    "regressor": lambda *state: equations.regressor(*state, order="mujoco"),
    "centre": lambda tree, q, u, du: composites.center_of_mass_jacobian(tree, q),
    "momentum": lambda tree, q, u, du: composites.centroidal_momentum_matrix(tree, q),
    "forward": forward.forward_dynamics,
}


@pytest.fixture
def compare(monkeypatch):
    """The results of a function by compiled loops and by NumPy, and their distance."""

    def call(function, *arguments, **options):
        compiled = function(*arguments, **options)
        with monkeypatch.context() as patch:
            patch.setattr(choice, "LEAST", 10**9)
            plain = function(*arguments, **options)
        assert compiled.shape == plain.shape
        # Equal to the bit is what two calls of the same path are.
        assert not np.array_equal(compiled, plain)
        size = np.abs(plain).max()
        np.testing.assert_allclose(compiled / size, plain / size, rtol=0, atol=1e-12)
        return compiled

    return call


@pytest.mark.parametrize("options", TREES)
def test_compiled_loops_give_what_numpy_gives(options, compare):
    tree = random_tree(**options)
    state = configurations(tree, 7, SHAPE)
    for name, function in FUNCTIONS.items():
        if name == "bias" and "kinds" in options:
            continue  # slides alone have none
        result = compare(function, tree, *state)
        if name == "mass matrix":
            assert np.array_equal(result, result.swapaxes(-1, -2))


def test_other_parameters_of_all_configurations_and_given_arrays(compare):
    tree = random_tree(4, base="floating", anchored=True)
    q, *_ = configurations(tree, 3, SHAPE)
    other = np.random.default_rng(0).normal(size=tree.theta.shape)
    M = compare(equations.mass_matrix, tree, q, theta=other)
    out = np.full(M.shape, np.nan)
    assert equations.mass_matrix(tree, q, theta=other, out=out) is out
    assert np.array_equal(out, M)
    each = np.broadcast_to(other, (*SHAPE, *other.shape))
    np.testing.assert_allclose(equations.mass_matrix(tree, q, theta=each), M, atol=1e-12)


def test_two_robots_in_one_tree(compare):
    """Positions are measured from each root, but momenta from the one centre of mass."""
    one, two = (random_tree(seed, base="floating", count=4, anchored=True) for seed in (3, 4))
    parents = np.concatenate([one.parents, np.where(two.parents < 0, -1, two.parents + len(one))])
    names = [f"{name}{i}" for i, tree in enumerate((one, two)) for name in tree.names]
    stack = {
        name: np.concatenate([getattr(one, name), getattr(two, name)])
        for name in ("X_PB", "axes_B", "theta", "points_B")
    }
    both = Tree(names, parents, (*one.joints, *two.joints), **stack)
    state = configurations(both, 3, (600,))
    for function in FUNCTIONS.values():
        compare(function, both, *state)


def test_the_fluid_around_the_bodies_is_moved_too(compare):
    tree = random_tree(1, base="floating", count=3)
    root = np.random.default_rng(2).normal(size=(len(tree), 6, 6))
    tree = dataclasses.replace(tree, added_mass=root @ root.swapaxes(1, 2))
    q, u, du = configurations(tree, 3, SHAPE)
    tau = compare(equations.inverse_dynamics, tree, q, u, du)
    M = compare(equations.mass_matrix, tree, q)
    held = equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q)
    np.testing.assert_allclose(np.einsum("...ij,...j->...i", M, du) + held, tau, atol=1e-8)
    np.testing.assert_allclose(forward.forward_dynamics(tree, q, u, tau), du, atol=1e-8)


def test_a_row_that_is_not_finite_spoils_no_other():
    tree = random_tree(2, anchored=True)
    q, u, du = configurations(tree, 3, (600,))
    sound = [function(tree, q, u, du) for function in FUNCTIONS.values()]
    q = q.copy()
    q[70] = np.nan
    for function, expected in zip(list(FUNCTIONS.values())[:-1], sound, strict=False):
        result = function(tree, q, u, du)
        assert np.array_equal(np.delete(result, 70, 0), np.delete(expected, 70, 0))
        assert np.isnan(result[70]).any()


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_a_joint_that_moves_nothing_is_named(base):
    tree = random_tree(0, base=base, count=3)
    tree = dataclasses.replace(tree, theta=0 * tree.theta)
    q, u, du = configurations(tree, 3, (600,))
    with pytest.raises(ParameterError, match="moves nothing that has inertia"):
        forward.forward_dynamics(tree, q, u, du)


def test_other_arrays_and_small_batches_stay_with_numpy():
    tree = random_tree(0)
    q, *_ = configurations(tree, 3, (600,))
    assert equations.mass_matrix(tree, q.astype(np.float32)).dtype == np.float32
    few = equations.mass_matrix(tree, q[: choice.LEAST - 1])
    many = equations.mass_matrix(tree, q)
    np.testing.assert_allclose(few, many[: len(few)], atol=1e-12 * np.abs(many).max())
    assert not np.array_equal(few, many[: len(few)])
