"""Bodies, transforms and trees as JAX pytrees."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.mechanics import equations, forward, vectors
from inertial_check.mechanics.tree import Tree

THETA = np.array([2.0, 0.2, 0, 0.1, 1.0, 0.01, 0, 0.9, 0, 0.8])
BODY = ic.InertialParameters.from_com(2.0, [0.1, 0.0, 0.05], np.diag([1.0, 0.9, 0.8]))
ARM = Tree(
    names=("upper", "lower"),
    parents=[-1, 0],
    joints=("revolute", "revolute"),
    X_PB=np.stack([np.eye(4), np.eye(4)]),
    axes_B=[[0, 0, 1], [0, 1, 0]],
    theta=np.stack([THETA, THETA]),
)
FLUID = np.diag([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
SWIMMER = replace(ARM, added_mass=np.stack([np.zeros((6, 6)), FLUID]))
OBJECTS = {
    "body": BODY,
    "body about its origin": ic.InertialParameters.from_theta(THETA),
    "plx": vectors.plx(np.eye(3), [1.0, 2.0, 3.0]),
    "plxb": vectors.plxb(np.eye(3), [1.0, 2.0, 3.0]),
    "tree": ARM,
    "tree in a fluid": SWIMMER,
}


@pytest.mark.parametrize("name", OBJECTS)
def test_round_trip(jax: Any, name: str) -> None:
    value = OBJECTS[name]
    leaves, structure = jax.tree_util.tree_flatten(value)
    again = jax.tree_util.tree_unflatten(structure, leaves)
    assert type(again) is type(value)
    assert again == value
    assert hash(structure) == hash(jax.tree_util.tree_structure(value))
    placeholders = jax.tree_util.tree_unflatten(structure, [object()] * len(leaves))
    assert len(jax.tree_util.tree_leaves(placeholders)) == len(leaves)


def test_bodies_go_through_jit_and_grad(jax: Any) -> None:
    batch = ic.InertialParameters.from_theta(np.stack([THETA, 2 * THETA]))
    masses = jax.vmap(lambda body: body.mass)(batch)
    assert np.array_equal(masses, [2.0, 4.0])
    double = jax.jit(lambda body: body + body)(BODY)
    assert isinstance(double, ic.InertialParameters)
    np.testing.assert_allclose(double.mass, 4.0)
    assert double.about == "com"
    slope = jax.grad(lambda body: body.principal_moments()[0])(BODY)
    np.testing.assert_allclose(slope.as_theta(about="com")[4:], [0, 0, 0, 0, 0, 1], atol=1e-14)


COMPILES = "JAX takes seconds to compile the dynamics of a tree: run pytest with --long"


def test_trees_of_equal_joints_are_compiled_once(jax: Any) -> None:
    compute = jax.jit(lambda tree: tree.theta.sum() + tree.added_mass.sum())
    for scale in (1.0, 2.0):
        scaled = replace(SWIMMER, theta=scale * ARM.theta, added_mass=scale * SWIMMER.added_mass)
        np.testing.assert_allclose(compute(scaled), scale * (2 * THETA.sum() + 6.6))
    assert compute._cache_size() == 1
    with pytest.raises(ic.ParameterError, match="lower has an added mass"):
        jax.jit(lambda tree: equations.regressor(tree, *np.zeros((3, 2))))(SWIMMER)


def test_trees_are_differentiated_by_their_bodies(jax: Any, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long"):
        pytest.skip(COMPILES)
    q = np.array([0.3, -0.5])
    compute = jax.jit(equations.mass_matrix)
    for scale in (1.0, 2.0):
        scaled = jax.tree_util.tree_map(lambda theta, s=scale: s * theta, ARM)
        np.testing.assert_allclose(
            compute(scaled, q), scale * equations.mass_matrix(ARM, q), atol=1e-14
        )
    assert compute._cache_size() == 1
    slope = jax.grad(lambda tree: equations.mass_matrix(tree, q)[0, 0])(ARM)
    assert slope.theta.shape == (2, 10)
    np.testing.assert_allclose(slope.theta[0, 9], 1.0)  # Izz about the first axis


def test_the_fluid_is_a_leaf_of_a_tree(jax: Any, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long"):
        pytest.skip(COMPILES)
    q, step = np.array([0.3, -0.5]), 1e-6

    def entry(tree: Tree, xp: Any = np) -> Any:
        turned = forward.forward_dynamics(tree, xp.asarray(q), xp.ones(2), xp.ones(2))
        return turned[1] + equations.mass_matrix(tree, xp.asarray(q))[1, 1]

    compute = jax.jit(lambda tree: entry(tree, jax.numpy))
    for scale in (1.0, 2.0):
        scaled = replace(SWIMMER, added_mass=scale * SWIMMER.added_mass)
        np.testing.assert_allclose(compute(scaled), entry(scaled), rtol=1e-12)
    assert compute._cache_size() == 1
    slope = jax.jit(jax.grad(lambda tree: entry(tree, jax.numpy)))(SWIMMER)
    ahead, behind = (
        entry(replace(SWIMMER, added_mass=(1 + sign * step) * SWIMMER.added_mass))
        for sign in (1, -1)
    )
    along = (np.asarray(slope.added_mass) * SWIMMER.added_mass).sum()
    np.testing.assert_allclose(along, (ahead - behind) / (2 * step), rtol=1e-6)


PROGRAM = """
import sys
import inertial_check as ic
body = ic.InertialParameters.from_theta([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1])
assert "jax" not in sys.modules, "importing inertial_check imported JAX"
import jax
assert float(jax.jit(lambda body: body.mass)(body)) == 1.0
import importlib.metadata
assert not any("pytrees" in type(each).__module__ for each in sys.meta_path)
"""


def test_jax_may_be_imported_later() -> None:
    pytest.importorskip("jax", reason="pip install jax")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
