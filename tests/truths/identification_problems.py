"""Small robots, their torques, and priors that are near but not right."""

import numpy as np

import inertial_check as ic
from inertial_check.mechanics.equations import regressor
from inertial_check.mechanics.tree import Tree
from random_trees import configurations, random_tree

RNG = np.random.default_rng(2024)


def robot(count, seed=0, thin=False):
    """A chain of revolute joints; thin bodies are nearly rods, which noise makes inconsistent."""
    tree = random_tree(seed, count=count, kinds=("revolute",))
    if not thin:
        return tree
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 6, 3)) * np.array([0.3, 0.01, 0.01])
    masses = rng.uniform(0.1, 1, (count, 6))
    theta = ic.InertialParameters.from_point_masses(masses, points).as_theta()
    centers = np.array(tree.points_B)
    return Tree(tree.names, tree.parents, tree.joints, tree.X_PB, tree.axes_B, theta, centers)


def measured(tree, samples, noise=0.1, seed=1):
    """Y, tau with noise [N m], the truth, a prior that is off, and the right weights."""
    rng = np.random.default_rng([seed, 7])
    Y = regressor(tree, *configurations(tree, seed, (samples,)))
    truth = np.array(tree.theta)
    tau = Y @ truth.ravel()
    deviation = np.broadcast_to(np.asarray(noise, dtype=float), (tree.n_u,))
    tau = tau + deviation * rng.normal(size=tau.shape)
    bodies = ic.InertialParameters.from_theta(truth)
    isotropic = np.trace(bodies.inertia_com, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    prior = ic.InertialParameters.from_com(
        bodies.mass * rng.uniform(0.6, 1.6, len(truth)),
        bodies.com + 0.1 * rng.normal(size=(len(truth), 3)),
        isotropic * rng.uniform(0.5, 2, (len(truth), 1, 1)),
    ).as_theta()
    weights = 1 / np.where(deviation > 0, deviation, 1.0)
    return Y, tau, truth, np.array(prior), weights
