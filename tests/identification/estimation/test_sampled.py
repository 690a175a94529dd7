"""Samples from arrays and from motions: the same numbers, in bounded blocks."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.identification.fit.nuisance import Coulomb, Nuisance, Viscous
from inertial_check.identification.fit.samples import Samples
from inertial_check.mechanics.equations import inverse_dynamics, regressor
from random_trees import configurations, random_tree

TREE = random_tree(3, count=5, kinds=("revolute", "prismatic"))
Q, U, DU = configurations(TREE, 1, (70,))
TAU = inverse_dynamics(TREE, Q, U, DU)


def test_a_motion_gives_what_its_regressor_gives():
    nuisance = Nuisance.of(Viscous(), Coulomb(), joints=TREE.n_u)
    of_motion = Samples.of_trajectory(TREE, Q, U, DU, TAU, nuisance, rows=32)
    blocks = list(of_motion.blocks())
    assert [len(tau) for *_, tau in blocks] == [32, 32, 6]
    Y = regressor(TREE, Q, U, DU)
    np.testing.assert_array_equal(np.concatenate([block[0] for block in blocks]), Y)
    F = np.concatenate([block[1] for block in blocks])
    ready = Nuisance.from_columns(F, nuisance.names)
    of_arrays = Samples.of_arrays(Y, TAU, ready)
    x = np.random.default_rng(0).normal(size=of_motion.columns)
    ours, theirs = (each.reduce().residual_squares(x) for each in (of_motion, of_arrays))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_bodies_come_in_the_order_that_is_asked_for():
    order = [2, 0, 4, 1, 3]
    samples = Samples.of_trajectory(TREE, Q, U, DU, TAU, bodies=order)
    left = samples.reduce().residual_squares(np.array(TREE.theta)[order].ravel())
    assert np.all(left <= 1e-24 * np.sum(TAU**2))


def test_rounding_is_no_motion():
    u = np.array(U)
    u[:30, 1] = 1e-12 * np.random.default_rng(0).normal(size=30)
    nuisance = Nuisance.of(Coulomb(joints=[1]), joints=TREE.n_u)
    samples = Samples.of_trajectory(TREE, Q, u, DU, TAU, nuisance)
    F = np.concatenate([block[1] for block in samples.blocks()])
    assert not F[:30].any()
    assert F[30:, 1].all()


def test_samples_can_be_gone_through_again():
    samples = Samples.of_trajectory(TREE, Q, U, DU, TAU)
    first, second = (samples.reduce().residual_squares(np.ones(50)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("order", ["urdf", "wensing"])
def test_bodies_that_are_left_out_keep_what_the_tree_says(order):
    some = Samples.of_trajectory(TREE, Q, U, DU, TAU, bodies=[4, 2], order=order)
    assert (some.bodies, some.columns) == (2, 20)
    from inertial_check.inertia.representations import reorder

    theta = reorder(np.array(TREE.theta)[[4, 2]], "urdf", order).ravel()
    left = some.reduce().residual_squares(theta)
    assert np.all(left <= 1e-24 * np.sum(TAU**2))


def test_folds_are_stretches_that_make_up_the_whole():
    samples = Samples.of_trajectory(TREE, Q, U, DU, TAU, rows=16)
    folds = samples.folds(3)
    assert [fold.samples[0] for fold in folds] == [23, 23, 24]
    x = np.random.default_rng(1).normal(size=50)
    whole = samples.reduce().residual_squares(x)
    np.testing.assert_allclose(sum(f.residual_squares(x) for f in folds), whole, rtol=1e-12)
    first = Samples.of_trajectory(TREE, Q[:23], U[:23], DU[:23], TAU[:23]).reduce()
    np.testing.assert_allclose(folds[0].residual_squares(x), first.residual_squares(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Samples.of_arrays(np.ones((4, 2, 15)), np.ones((4, 2))), r"shape \(4, 2, 15\)"),
        (lambda: Samples.of_arrays(np.ones((4, 2, 10)), np.ones((4, 3))), r"tau \(4, 3\)"),
        (lambda: Samples.of_arrays("Y", np.ones(3)), "Y cannot be read as an array"),
        (
            lambda: Samples.of_arrays(
                np.ones((4, 2, 10)), np.ones((4, 2)), Nuisance.of(Viscous(), joints=2)
            ),
            "columns follow from the motion",
        ),
        (
            lambda: Samples.of_arrays(
                np.ones((4, 2, 10)), np.ones((4, 2)), Nuisance.from_columns(np.ones((3, 2, 1)))
            ),
            r"shape \(3, 2, 1\), expected \(4, 2, 1\)",
        ),
        (lambda: Samples.of_trajectory(TREE, Q[:, :2], U, DU, TAU), r"q has shape \(70, 2\)"),
        (lambda: Samples.of_trajectory(TREE, Q, U, DU, TAU[:, :1]), r"tau has shape \(70, 1\)"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
