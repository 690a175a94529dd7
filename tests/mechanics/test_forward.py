"""Forward dynamics, composites and forces against sums over the bodies and M itself."""

import dataclasses

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.mechanics import batches, composites, contacts, equations, forward, jacobians
from inertial_check.mechanics.tree import Tree
from random_trees import configurations, random_tree

TREES = [
    pytest.param({"seed": 0}, id="fixed base"),
    pytest.param({"seed": 1, "base": "floating"}, id="floating base"),
    pytest.param({"seed": 2, "anchored": True, "shuffled": True}, id="axes beside origins"),
    pytest.param({"seed": 4, "base": "floating", "anchored": True, "shuffled": True}, id="all"),
    pytest.param({"seed": 5, "base": "fixed", "kinds": ("prismatic",)}, id="slides"),
]


def forest(seed):
    """Two floating robots in one world, as one tree."""
    one, two = (random_tree(seed + i, base="floating", count=4, anchored=True) for i in range(2))
    parents = np.concatenate([one.parents, np.where(two.parents < 0, -1, two.parents + len(one))])
    stack = {
        name: np.concatenate([getattr(one, name), getattr(two, name)])
        for name in ("X_PB", "axes_B", "theta", "points_B")
    }
    names = [f"{name}{i}" for i, tree in enumerate((one, two)) for name in tree.names]
    return Tree(names, parents, (*one.joints, *two.joints), **stack)


def assert_close(ours, expected, rtol=1e-11):
    size = np.abs(expected).max(initial=0.0) or 1.0
    np.testing.assert_allclose(np.asarray(ours) / size, expected / size, rtol=0, atol=rtol)


def bodies_in_I(tree, q):
    """Each body alone, in the frame I, one configuration."""
    X_IB = jacobians.poses(tree, q)
    return [
        ic.InertialParameters.from_theta(theta).transform(X)
        for theta, X in zip(tree.theta, X_IB, strict=True)
    ]


@pytest.mark.parametrize("options", TREES)
def test_forward_dynamics_solves_the_equations_of_motion(options):
    tree = random_tree(**options)
    q, u, tau = configurations(tree, 7)
    du = forward.forward_dynamics(tree, q, u, tau, gravity=[0.3, -2, 5])
    M = equations.mass_matrix(tree, q)
    h = equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q, gravity=[0.3, -2, 5])
    assert_close(du, np.linalg.solve(M, (tau - h)[..., None])[..., 0])
    assert_close(
        forward.solve_mass_matrix(tree, q, tau), np.linalg.solve(M, tau[..., None])[..., 0]
    )
    # theta for each configuration, and a batch that broadcasts
    theta = tree.theta * np.linspace(1, 2, 4)[:, None, None]
    both = forward.forward_dynamics(tree, q[:1], u[:1], tau, theta=theta)
    assert_close(both[3], forward.forward_dynamics(tree, q[0], u[0], tau[3], theta=theta[3]))


def test_the_added_mass_of_a_fluid_is_moved_too():
    tree = random_tree(4, base="floating", anchored=True, shuffled=True)
    rng = np.random.default_rng(2)
    root = rng.normal(size=(len(tree), 6, 6)) * (np.arange(len(tree)) % 2)[:, None, None]
    wet = dataclasses.replace(tree, added_mass=root @ root.swapaxes(1, 2))
    q, u, du = configurations(wet, 7)
    tau = equations.inverse_dynamics(wet, q, u, du)
    assert_close(forward.forward_dynamics(wet, q, u, tau), du, 1e-10)
    assert np.abs(forward.forward_dynamics(tree, q, u, tau) - du).max() > 0.1


def test_a_joint_that_moves_nothing_is_named():
    tree = random_tree(0, base="floating", count=4, kinds=("revolute",))
    theta = tree.theta.copy()
    theta[3] = 0
    q, u, tau = configurations(tree, 1)
    with pytest.raises(ParameterError, match=r"body 3 \(body3\) moves nothing that has inertia"):
        forward.forward_dynamics(tree, q, u, tau, theta=theta)
    with pytest.raises(ParameterError, match="tau has shape"):
        forward.forward_dynamics(tree, q, u, tau[:, :2])


@pytest.mark.parametrize("tree", [*(random_tree(**each.values[0]) for each in TREES), forest(3)])
def test_composites_are_sums_over_bodies(tree):
    for q, u, _ in zip(*configurations(tree, 5, (2,)), strict=True):
        bodies = bodies_in_I(tree, q)
        mass = sum(float(body.mass) for body in bodies)
        S = sum(np.asarray(body.first_moment) for body in bodies) / mass
        assert_close(composites.total_mass(tree), np.array(mass))
        assert_close(composites.center_of_mass(tree, q), S)
        about_S = sum(np.asarray(body.inertia_about(S)) for body in bodies)
        assert_close(composites.centroidal_inertia(tree, q), about_S)
        momentum = np.zeros(6)
        for index, body in enumerate(tree.theta):
            own = ic.InertialParameters.from_theta(body)
            twist = jacobians.jacobian(tree, q, index, own.com) @ u
            R = jacobians.poses(tree, q)[index, :3, :3]
            where = np.asarray(bodies[index].com)
            linear = float(own.mass) * twist[:3]
            momentum[3:] += linear
            momentum[:3] += R @ own.inertia_com @ R.T @ twist[3:] + np.cross(where - S, linear)
        A = composites.centroidal_momentum_matrix(tree, q)
        assert_close(A @ u, momentum)
        swapped = composites.centroidal_momentum_matrix(tree, q, "linear-angular")
        assert np.array_equal(swapped, A[[3, 4, 5, 0, 1, 2]])
        assert_close(mass * composites.center_of_mass_jacobian(tree, q) @ u, momentum[3:])
        X_IB = jacobians.poses(tree, q)
        for index, row in enumerate(composites.composite_parameters(tree, q)):
            carried = [i for i in range(len(tree)) if index in batches.list_carriers(tree, i)]
            X_BI = np.linalg.inv(X_IB[index])
            X_BI[3] = 0, 0, 0, 1
            X_BI[:3, :3] = X_IB[index, :3, :3].T
            parts = [np.asarray(bodies[i].transform(X_BI).as_theta()) for i in carried]
            assert_close(row, np.sum(parts, axis=0))


def test_a_robot_far_from_the_origin_keeps_its_digits():
    tree = random_tree(1, base="floating")
    q, u, _ = configurations(tree, 1)
    far = q.copy()
    far[:, :3] += 1e9
    for function in (composites.centroidal_inertia, composites.centroidal_momentum_matrix):
        assert_close(function(tree, far), function(tree, q), 1e-14)
    assert_close(forward.solve_mass_matrix(tree, far, u), forward.solve_mass_matrix(tree, q, u))


def velocity(tree, q, u, body, point):
    return np.einsum("kij,kj->ki", jacobians.jacobian(tree, q, body, point), u)[:, :3]


@pytest.mark.parametrize("tree", [random_tree(2, base="floating", anchored=True), forest(3)])
def test_forces_at_points_have_the_power_of_the_points(tree):
    q, u, _ = configurations(tree, 5)
    rng = np.random.default_rng(1)
    F, T, points = rng.normal(size=(3, 4, 3, 3))
    bodies = [tree.names[5], 2, tree.names[5]]
    f = contacts.generalized_forces(tree, q, bodies, F, T, points)
    power = np.zeros(4)
    for i, body in enumerate(bodies):
        twist = np.einsum("kij,kj->ki", jacobians.jacobian(tree, q, body, points[:, i]), u)
        power += np.sum(F[:, i] * twist[:, :3] + T[:, i] * twist[:, 3:], axis=-1)
    assert_close(np.sum(f * u, axis=-1), power)
    one = contacts.generalized_forces(tree, q, 5, moments=[0, 0, 1.0])
    assert_close(one, jacobians.jacobian(tree, q, 5)[:, 5])
    # Contacts of two bodies: W^T u is the difference of the velocities of one place.
    sides = ((5, 2), (6, -1), (1, 2))
    W = contacts.contact_directions(tree, q, [5, 6, 1], F, points, against=[2, -1, 2])
    X = jacobians.poses(tree, q)
    speeds = np.zeros((4, 3))
    for i, (body, other) in enumerate(sides):
        at = np.einsum("kij,kj->ki", X[:, body, :3, :3], points[:, i]) + X[:, body, :3, 3]
        v = velocity(tree, q, u, body, points[:, i])
        if other >= 0:
            R, p = X[:, other, :3, :3], X[:, other, :3, 3]
            v = v - velocity(tree, q, u, other, np.einsum("kji,kj->ki", R, at - p))
        speeds[:, i] = np.sum(v * F[:, i], axis=-1)
    assert_close(np.einsum("kji,kj->ki", W, u), speeds)
    magnitudes = rng.normal(size=(4, 3))
    assert_close(contacts.contact_forces(W, magnitudes), np.einsum("kij,kj->ki", W, magnitudes))


def test_what_does_not_fit_is_refused():
    tree = random_tree(0)
    q, _, _ = configurations(tree, 1)
    with pytest.raises(ParameterError, match="against names 1 bodies"):
        contacts.contact_directions(tree, q, [1, 2], [0, 0, 1.0], against=1)
    with pytest.raises(ParameterError, match="'claw' is no body"):
        contacts.generalized_forces(tree, q, "claw")
    with pytest.raises(ParameterError, match=r"forces has shape \(4, 3\)"):
        contacts.generalized_forces(tree, q, [1, 2], np.zeros((4, 3)))


def everything(tree, xp, q, u, tau):
    """What this file tests, as one array."""
    W = contacts.contact_directions(tree, q, [3, 2], [0, 0, 1.0], [0.1, 0, 0], against=[0, -1])
    parts = [
        forward.forward_dynamics(tree, q, u, tau),
        composites.center_of_mass(tree, q),
        composites.center_of_mass_jacobian(tree, q),
        composites.centroidal_momentum_matrix(tree, q),
        composites.centroidal_inertia(tree, q),
        composites.composite_parameters(tree, q),
        contacts.generalized_forces(tree, q, 3, u[..., :3], u[..., 1:4], [0.1, 0, 0.2]),
        contacts.contact_forces(W, tau[..., :2]),
        jacobians.velocities_from_rates(tree, q, jacobians.coordinate_rates(tree, q, tau)),
    ]
    return xp.concatenate([each.reshape(-1) for each in parts])


def difference_quotients(tree, given, function=everything):
    q, *rest = given
    found, step = np.zeros_like(q), 1e-6
    for place in np.ndindex(q.shape):
        sides = [q.copy(), q.copy()]
        sides[0][place] += step
        sides[1][place] -= step
        ahead, back = (np.sin(function(tree, np, each, *rest)).sum() for each in sides)
        found[place] = (ahead - back) / (2 * step)
    return found


def trees_and_arrays(count=4):
    floating, fixed = (random_tree(8, base=base, anchored=True, count=count)
                       for base in ("floating", "revolute"))  # fmt: skip
    return floating, configurations(floating, 1, (2,)), fixed, configurations(fixed, 1, ())


def test_torch_gives_the_same_and_its_gradients():
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install torch")
    floating, arrays, fixed, one = trees_and_arrays()
    ours = everything(floating, torch, *(torch.tensor(each) for each in arrays))
    assert_close(ours.numpy(), everything(floating, np, *arrays), 1e-12)
    q, *rest = (torch.tensor(each, requires_grad=True) for each in one)
    (slope,) = torch.autograd.grad(everything(fixed, torch, q, *rest).sin().sum(), [q])
    expected = difference_quotients(fixed, one)
    np.testing.assert_allclose(slope.numpy(), expected, atol=1e-6 * np.abs(expected).max())


def two_bodies(tree, xp, q, u, tau):
    """The part of `everything` that XLA compiles within seconds, for trees of two bodies."""
    parts = [
        forward.forward_dynamics(tree, q, u, tau),
        composites.center_of_mass_jacobian(tree, q),
        contacts.generalized_forces(tree, q, 1, [1.0, 2, 3], [4.0, 5, 6], [0.1, 0, 0.2]),
    ]
    return xp.concatenate([each.reshape(-1) for each in parts])


def test_jax_gives_the_same_and_its_gradients(request):
    jax = pytest.importorskip("jax", reason="needs JAX: pip install jax")
    # Compiling all of it takes more than a minute.
    long = request.config.getoption("--long")
    function, count = (everything, 4) if long else (two_bodies, 2)
    floating, arrays, fixed, one = trees_and_arrays(count)
    xp = jax.numpy
    with jax.enable_x64(True):
        traced = [xp.asarray(each) for each in arrays]
        ours = jax.jit(lambda *given: function(floating, xp, *given))(*traced)
        assert_close(ours, function(floating, np, *arrays), 1e-12)
        total = lambda *given: xp.sin(function(fixed, xp, *given)).sum()  # noqa: E731
        slope = jax.jit(jax.grad(total))(*(xp.asarray(each) for each in one))
    expected = difference_quotients(fixed, one, function)
    np.testing.assert_allclose(slope, expected, atol=1e-6 * np.abs(expected).max())


def test_single_precision_stays_single():
    tree = random_tree(4, anchored=True)
    given = [each.astype(np.float32) for each in configurations(tree, 1)]
    ours = everything(tree, np, *given)
    exact = everything(tree, np, *(each.astype(float) for each in given))
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, exact, atol=1e-4 * np.abs(exact).max())
