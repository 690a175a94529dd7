"""Derivatives of a regressor with the motion, against differences."""

import numpy as np
import pytest

from inertial_check.identification.excitation.visibility import RegressorSlope
from inertial_check.mechanics.equations import regressor
from random_trees import random_tree


@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_those_of_differences_on_trees_with_every_joint(seed):
    tree = random_tree(seed, count=7, kinds=("revolute", "prismatic", "fixed"))
    rng, gravity = np.random.default_rng(seed), np.array([1.0, -4.0, 9.0])
    motion = tuple(rng.normal(size=(3, 5, tree.n_u)))
    weights = rng.normal(size=(5, tree.n_u, len(tree), 10))

    def total(*motion):
        return np.sum(regressor(tree, *motion, gravity=gravity) * weights.reshape(5, tree.n_u, -1))

    found = RegressorSlope(tree, gravity).differentiate(motion, weights)
    step = rng.normal(size=(3, 5, tree.n_u)) * 1e-5
    for which in range(3):
        ahead, back = (
            total(*(each + sign * step[i] * (i == which) for i, each in enumerate(motion)))
            for sign in (1, -1)
        )
        assert (ahead - back) / 2 == pytest.approx(np.sum(found[which] * step[which]), rel=1e-6)
