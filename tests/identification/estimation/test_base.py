"""Base parameters: how many there are, that they explain every torque, and what they are called."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exact_regressor
import identification_data
import random_trees
from inertial_check.errors import ParameterError
from inertial_check.identification.fit.base import base_parameters
from inertial_check.identification.fit.nuisance import (
    Coulomb,
    Nuisance,
    Offset,
    RotorInertia,
    Viscous,
)
from inertial_check.identification.fit.samples import Samples
from inertial_check.inertia.representations import reorder
from inertial_check.mechanics.equations import regressor
from inertial_check.mechanics.tree import Tree

QUARTER_X = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
TURNS = {
    "parallel": np.eye(3, dtype=int),
    "crossed": QUARTER_X,
    "crossed back": QUARTER_X.T,
    "oblique": np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) * Fraction(1, 3),
}
STEPS = {
    "none": [0, 0, 0],
    "along": [0, 0, Fraction(1, 4)],
    "aside": [Fraction(3, 8), 0, 0],
    "anywhere": [Fraction(1, 4), Fraction(-1, 8), Fraction(1, 2)],
}


def chain(turns, steps, kinds=None, parents=None):
    """The same tree in exact numbers and in floats."""
    count = len(turns)
    exact = exact_regressor.Chain(
        list(range(-1, count - 1)) if parents is None else parents,
        kinds or ["revolute"] * count,
        np.array([TURNS[turn] for turn in turns], dtype=object),
        np.array([STEPS[step] for step in steps], dtype=object),
    )
    X_PB = np.tile(np.eye(4), (count, 1, 1))
    X_PB[:, :3, :3] = exact.R.astype(float)
    X_PB[:, :3, 3] = exact.p.astype(float)
    names = [f"b{i}" for i in range(count)]
    axes = np.tile([0.0, 0.0, 1.0], (count, 1))
    tree = Tree(names, exact.parents, exact.kinds, X_PB, axes, np.zeros((count, 10)))
    return exact, tree


def motion(tree, seed=0, states=60):
    return random_trees.configurations(tree, seed, (states,))


def matrix(tree, seed=0):
    return regressor(tree, *motion(tree, seed))


PENDULUM = chain(["crossed"], ["none"])[1]
TURNTABLE = chain(["parallel"], ["none"])[1]
TWO_IN_A_PLANE = chain(["crossed", "parallel"], ["none", "aside"])[1]


def test_a_turntable_shows_one_number_and_a_pendulum_three():
    assert base_parameters(matrix(TURNTABLE)).names == ("Izz1",)
    assert base_parameters(matrix(PENDULUM)).names == ("Izz1", "hx1", "hy1")


def test_two_links_in_a_plane_as_in_every_textbook():
    found = base_parameters(matrix(TWO_IN_A_PLANE))
    assert set(found.names) == {
        "Izz1 + 0.140625 m2",
        "hx1 + 0.375 m2",
        "hy1",
        "Izz2",
        "hx2",
        "hy2",
    }


def test_links_and_columns_are_called_as_the_caller_calls_them():
    Y = matrix(TWO_IN_A_PLANE)
    F = np.zeros((len(Y), 2, 2))
    F[:, 0, 0] = F[:, 1, 1] = np.arange(len(Y)) % 7
    found = base_parameters(np.concatenate([Y, F], axis=2), ["arm", "hand"], ["fa", "fb"])
    assert "Izz(arm) + 0.140625 m(hand)" in found.names
    assert found.names[-2:] == ("fa", "fb")
    assert found.columns[10] == "m(hand)"
    assert found.silent[[0, 4, 10]].tolist() == [True, True, False]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(TURNS)),
            st.sampled_from(list(STEPS)),
            st.sampled_from(["revolute", "revolute", "prismatic"]),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(0, 2**32 - 1),
)
def test_the_rank_is_that_of_exact_arithmetic(links, seed):
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(-1, i)) for i in range(len(links))]
    exact, tree = chain(*map(list, zip(*links, strict=True)), parents=parents)
    Y = matrix(tree, seed)
    found = base_parameters(Y)
    assert found.rank == exact_regressor.rank(exact, seed=seed)
    close(found, Y)


def close(found, Y, tolerance=1e-12):
    """Y = Y_b K, relative to the terms of the sum, or to the longest where it is rounding."""
    Y = Y.reshape(-1, Y.shape[-1])
    length = np.linalg.norm(Y, axis=0)
    own = found.regressor(Y)
    left = np.linalg.norm(own @ found.K - Y, axis=0)
    terms = np.linalg.norm(own, axis=0) @ np.abs(found.K)
    assert np.all(left <= tolerance * np.where(found.silent, length.max(), terms))


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.sampled_from(["revolute", "floating"]))
def test_they_explain_every_torque(seed, count, base):
    tree = random_trees.random_tree(seed, count=count, base=base, shuffled=True, anchored=True)
    Y = matrix(tree, seed)
    found = base_parameters(Y)
    close(found, Y)
    theta = np.random.default_rng(seed).normal(size=(count, 10))
    torques, beta = Y @ theta.ravel(), found.of(theta)
    np.testing.assert_allclose(
        found.regressor(Y) @ beta, torques, atol=1e-11 * np.abs(torques).max()
    )
    np.testing.assert_array_equal(found.of(theta.ravel()), beta)
    np.testing.assert_array_equal(found.K[:, found.independent], np.eye(found.rank))
    if base == "floating":
        assert not found.silent.any()


def test_another_motion_of_the_same_robot_has_the_same_combinations():
    tree = random_trees.random_tree(5, count=6)
    one, other = (base_parameters(matrix(tree, seed)) for seed in (1, 2))
    assert one.names == other.names
    np.testing.assert_allclose(one.K, other.K, atol=1e-10)


@given(st.floats(-4, 4), st.floats(-3, 3), st.integers(0, 100))
def test_units_do_not_matter(length, time, seed):
    tree = random_trees.random_tree(seed, count=4)
    metre, second = 10.0**length, 10.0**time
    of_columns = np.array([metre**2, *[metre] * 3, *[1.0] * 6] * 4) / second**2
    Y = matrix(tree, seed)
    one, other = base_parameters(Y), base_parameters(Y * of_columns)
    np.testing.assert_array_equal(other.independent, one.independent)
    assert other.condition == pytest.approx(one.condition)


@pytest.mark.parametrize("order", ["pinocchio", "mujoco", "wensing", "ksl"])
def test_the_order_of_the_columns_does_not_matter(order):
    tree = random_trees.random_tree(3, count=4)
    motions = motion(tree, 3)
    one = base_parameters(regressor(tree, *motions))
    other = base_parameters(regressor(tree, *motions, order=order), order=order)
    assert {n.split(" ")[0] for n in other.names} == {n.split(" ")[0] for n in one.names}
    theta = np.random.default_rng(0).normal(size=(4, 10))
    beta = other.of(reorder(theta, "urdf", order))
    by_name = dict(zip((n.split(" ")[0] for n in other.names), beta, strict=True))
    for name, value in zip(one.names, one.of(theta), strict=True):
        assert by_name[name.split(" ")[0]] == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_samples_and_their_reduction_give_what_the_array_gives():
    tree = random_trees.random_tree(8, count=5, kinds=("revolute",))
    q, u, du = motion(tree, 8)
    nuisance = Nuisance.of(Viscous(), Coulomb(), Offset(), RotorInertia(), joints=tree.n_u)
    samples = Samples.of_trajectory(tree, q, u, du, np.zeros_like(u), nuisance, order="mujoco")
    ((Y, F, _),) = samples.blocks()
    whole = np.concatenate([Y, F], axis=2)
    expected = base_parameters(whole, nuisance_names=nuisance.names, order="mujoco")
    for found in (
        base_parameters(samples),
        base_parameters(samples.reduce(), nuisance_names=nuisance.names, order="mujoco"),
    ):
        assert found.names == expected.names
        np.testing.assert_allclose(found.K, expected.K, atol=1e-11)
    joined = next(name for name in expected.names if "Ia1" in name)
    assert joined.startswith("I")  # the rotor turns with its link


def test_a_joint_that_never_moves_hides_what_only_it_shows():
    tree = random_trees.random_tree(4, count=3, kinds=("revolute",))
    q, u, du = motion(tree, 4)
    for array in (q, u, du):
        array[:, 2] = 0.3 * (array is q)
    found, moving = base_parameters(regressor(tree, q, u, du)), base_parameters(matrix(tree, 4))
    assert found.rank < moving.rank


def test_a_motion_without_torques_has_no_base_parameters():
    found = base_parameters(np.zeros((5, 2, 20)))
    assert found.rank == 0
    assert found.names == ()
    assert found.silent.all()
    assert np.isnan(found.condition)
    assert found.of(np.ones(20)).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((4, 1, 12)),), "12 columns"),
        ((np.ones((4, 1, 12)), None, ["fv"]), "12 columns, 1 of them"),
        ((np.ones(10),), r"shape \(10,\)"),
        ((np.ones((0, 2, 10)),), r"shape \(0, 2, 10\)"),
        ((np.ones((4, 1, 10)), ["a", "b"]), "2 names of bodies, expected 1"),
        ((np.full((4, 1, 10), np.nan),), "sample 0, joint 0 is not finite"),
        ((np.ones((4, 10)), None, None, "alphabetical"), "unknown order 'alphabetical'"),
        ((np.ones((4, 10)), None, None, "urdf", 0.0), "tolerance is 0.0"),
        (("regressor",), "cannot be read"),
    ],
)
def test_what_is_no_regressor_is_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        base_parameters(*arguments)


@pytest.mark.parametrize("shape", [(19,), (2, 11), (3, 10)])
def test_parameters_of_another_robot_are_refused(shape):
    found = base_parameters(matrix(TWO_IN_A_PLANE))
    with pytest.raises(ParameterError, match="expected"):
        found.of(np.ones(shape))
    with pytest.raises(ParameterError, match="expected"):
        found.regressor(np.ones((4, 19)))


RANKS = {"ur10e": 36, "panda": 43, "tx40": 36}
"""Of the bodies alone; those of exact arithmetic on the kinematics of the URDF files."""


@pytest.mark.parametrize("name", RANKS)
def test_the_real_robots(datasets, name):
    problem = identification_data.problem(datasets, name)
    bodies = problem.R[:, : problem.prior.size]
    found = base_parameters(bodies)
    assert found.rank == RANKS[name]
    close(found, bodies)
    with_friction = base_parameters(problem.R, nuisance_names=problem.names)
    lost = [
        n for n in problem.names if n not in [name.split(" ")[0] for name in with_friction.names]
    ]
    # the rotors of the first two joints turn with their links; the others' are geared against them
    assert lost == ([] if name == "panda" else ["Ia1", "Ia2"])
    close(with_friction, problem.R, 1e-10)  # tx40's file has its right angles to 5e-12


@pytest.mark.parametrize("name", RANKS)
def test_their_ranks_are_exact(datasets, name):
    tree, moving = identification_data.tree(datasets, name)
    count = len(moving)
    align = [_onto(tree.axes_B[body]) for body in moving]
    above = [np.eye(3, dtype=int), *align]
    poses = [tree.X_PB[body] for body in moving]
    turns = [
        before.T @ np.round(X[:3, :3]).astype(int) @ own
        for before, X, own in zip(above, poses, align, strict=False)
    ]
    exact = exact_regressor.Chain(
        list(range(-1, count - 1)),
        ["revolute"] * count,
        np.array(turns, dtype=object),
        np.array(
            [
                before.T @ [Fraction(repr(round(float(x), 9))) for x in X[:3, 3]]
                for before, X in zip(above, poses, strict=False)
            ],
            dtype=object,
        ),
    )
    assert exact_regressor.rank(exact) == RANKS[name]


def _onto(axis):
    """A turn by whole quarters that takes z onto a coordinate axis."""
    k = int(np.argmax(np.abs(axis)))
    turn = np.zeros((3, 3), dtype=int)
    for column in range(3):
        turn[(k + 1 + column) % 3, column] = 1
    assert np.allclose(turn @ [0, 0, 1], axis)
    return turn
