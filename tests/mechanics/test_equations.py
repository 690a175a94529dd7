"""Equations of motion: a second way to them, energies, gradients, batches, what is refused."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.mechanics import equations, jacobians
from inertial_check.mechanics.equations import projected_newton_euler
from inertial_check.mechanics.tree import Tree
from random_trees import configurations, random_tree

TREES = [
    pytest.param({"seed": 0}, id="fixed base"),
    pytest.param({"seed": 1, "base": "floating"}, id="floating base"),
    pytest.param({"seed": 2, "anchored": True, "shuffled": True}, id="axes beside origins"),
    pytest.param({"seed": 3, "axes": "coordinate"}, id="axes of coordinates"),
    pytest.param({"seed": 4, "base": "floating", "anchored": True, "shuffled": True}, id="all"),
    pytest.param({"seed": 5, "base": "fixed", "kinds": ("prismatic",)}, id="slides"),
]


def assert_close(ours, expected, ulps=4096):
    size = np.abs(expected).max(initial=0.0) or 1.0
    np.testing.assert_allclose(ours / size, expected / size, rtol=0, atol=ulps * 2.2e-16)


@pytest.mark.parametrize("options", TREES)
def test_recursions_agree_with_the_projected_newton_euler_sums(options):
    tree = random_tree(**options)
    q, u, du = configurations(tree, 7)
    terms = projected_newton_euler(tree, q, u)
    M = equations.mass_matrix(tree, q)
    assert_close(M, terms.M)
    assert np.array_equal(M, M.swapaxes(-1, -2))
    assert_close(equations.bias_forces(tree, q, u), terms.b)
    assert_close(equations.gravity_forces(tree, q), terms.g)
    tau = np.einsum("kij,kj->ki", M, du) + terms.b + terms.g
    assert_close(equations.inverse_dynamics(tree, q, u, du), tau)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("options", TREES)
def test_the_regressor_times_theta_is_tau(options, order):
    tree = random_tree(**options)
    q, u, du = configurations(tree, 7)
    Y = equations.regressor(tree, q, u, du, order=order)
    theta = reorder(tree.theta, "urdf", order)
    assert_close(Y @ theta.ravel(), equations.inverse_dynamics(tree, q, u, du))


def test_no_row_of_the_regressor_sees_a_body_that_it_does_not_move():
    tree = random_tree(2, count=9, shuffled=True)
    Y = equations.regressor(tree, *configurations(tree, 1))
    for body, columns in enumerate(tree.columns):
        others = np.setdiff1d(np.arange(tree.n_u), columns)
        assert not Y[:, others, 10 * body : 10 * body + 10].any()


@pytest.mark.parametrize("options", TREES)
def test_energies(options):
    tree = random_tree(**options)
    q, u, _ = configurations(tree, 3)
    M = equations.mass_matrix(tree, q)
    expected = np.einsum("ki,kij,kj->k", u, M, u) / 2
    assert_close(equations.kinetic_energy(tree, q, u), expected)
    step, slopes = 1e-6, []
    for direction in np.eye(tree.n_u):
        ahead, back = (jacobians.move(tree, q, s * step * direction) for s in (1, -1))
        potentials = [equations.potential_energy(tree, each) for each in (ahead, back)]
        slopes.append((potentials[0] - potentials[1]) / (2 * step))
    gravity = equations.gravity_forces(tree, q)
    np.testing.assert_allclose(gravity, np.transpose(slopes), atol=1e-7 * np.abs(gravity).max())


@pytest.mark.parametrize("options", TREES)
def test_without_forces_energy_stays(options):
    """The power u . tau is the rate of T + V, whatever u and du are."""
    tree = random_tree(**options)
    q, u, du = configurations(tree, 3)
    step = 1e-6

    def energy(time):
        # to second order in time: q moves by u t + du t^2 / 2
        at = jacobians.move(tree, q, u * time + du * time**2 / 2)
        rates = u + du * time
        return equations.kinetic_energy(tree, at, rates) + equations.potential_energy(tree, at)

    slope = (energy(step) - energy(-step)) / (2 * step)
    power = np.einsum("ki,ki->k", u, equations.inverse_dynamics(tree, q, u, du))
    np.testing.assert_allclose(slope, power, atol=1e-6 * np.abs(power).max())


def test_where_a_floating_robot_stands_costs_no_digit():
    tree = random_tree(1, base="floating")
    q, u, du = configurations(tree, 3)
    far = q.copy()
    far[:, :3] += 1e9
    assert np.array_equal(equations.mass_matrix(tree, q), equations.mass_matrix(tree, far))
    near, away = (equations.regressor(tree, each, u, du) for each in (q, far))
    assert np.array_equal(near, away)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_small_and_large_robots_are_as_exact(size):
    tree = random_tree(6, anchored=True)
    scaled = _scaled(tree, size)
    q, u, _ = configurations(tree, 2)
    slides = [
        place.start
        for joint, place in zip(tree.joints, tree.coordinates, strict=True)
        if joint == "prismatic"
    ]
    unit = np.ones(tree.n_u)
    unit[slides] = size
    M, M_scaled = equations.mass_matrix(tree, q), equations.mass_matrix(scaled, q * unit)
    # mass as length cubed: energies as length to the fifth
    assert_close(M_scaled * np.outer(unit, unit) / size**5, M)
    b = equations.bias_forces(scaled, q * unit, u * unit)
    assert_close(b * unit / size**5, equations.bias_forces(tree, q, u))


def _scaled(tree, size):
    X_PB = tree.X_PB.copy()
    X_PB[:, :3, 3] *= size
    theta = tree.theta * size ** np.array([3, *[4] * 3, *[5] * 6])
    args = tree.names, tree.parents, tree.joints, X_PB, tree.axes_B, theta
    return Tree(*args, tree.points_B * size)


def test_leading_axes_are_a_batch_and_chunks_do_not_show():
    tree = random_tree(0)
    q, u, du = configurations(tree, 0, (5, 3000))
    Y, M = equations.regressor(tree, q, u, du), equations.mass_matrix(tree, q)
    tau = equations.inverse_dynamics(tree, q, u, du)
    assert Y.shape == (5, 3000, tree.n_u, 80)
    for place in ((0, 0), (2, 1234), (4, 2999)):
        at = q[place], u[place], du[place]
        assert_close(Y[place], equations.regressor(tree, *at))
        assert_close(M[place], equations.mass_matrix(tree, at[0]))
        assert_close(tau[place], equations.inverse_dynamics(tree, *at))
    one = equations.inverse_dynamics(tree, q[0, 0], u[0], du[0, 0])
    assert one.shape == (3000, tree.n_u)
    assert equations.mass_matrix(tree, q[:, :0]).shape == (5, 0, tree.n_u, tree.n_u)


def test_results_are_written_where_they_are_wanted():
    tree = random_tree(2, shuffled=True)
    q, u, du = configurations(tree, 0)
    M, Y = np.full((4, tree.n_u, tree.n_u), np.nan), np.full((4, tree.n_u, 80), np.nan)
    assert equations.mass_matrix(tree, q, out=M) is M
    assert np.array_equal(M, equations.mass_matrix(tree, q))
    assert equations.regressor(tree, q, u, du, out=Y) is Y
    assert np.array_equal(Y, equations.regressor(tree, q, u, du))
    with pytest.raises(ParameterError, match=r"out is ndarray float64 \(3, .*expected a contig"):
        equations.mass_matrix(tree, q, out=M[:3])


def test_theta_of_each_configuration():
    tree = random_tree(4, base="floating", anchored=True)
    q, u, du = configurations(tree, 1)
    theta = tree.theta * np.random.default_rng(0).uniform(0.5, 1.5, (4, 1, 10))
    Y = equations.regressor(tree, q, u, du)
    tau = equations.inverse_dynamics(tree, q, u, du, theta=theta)
    assert_close(tau, np.einsum("kij,kj->ki", Y, theta.reshape(4, -1)))
    M = equations.mass_matrix(tree, q, theta=theta)
    assert_close(M[2], equations.mass_matrix(tree, q[2], theta=theta[2]))


def test_single_precision_stays_single():
    tree = random_tree(4, anchored=True)
    q, u, du = (each.astype(np.float32) for each in configurations(tree, 1))
    Y = equations.regressor(tree, q, u, du)
    assert Y.dtype == np.float32
    exact = equations.regressor(tree, *(each.astype(float) for each in (q, u, du)))
    np.testing.assert_allclose(Y, exact, atol=1e-5 * np.abs(exact).max())
    assert equations.mass_matrix(tree, q).dtype == np.float32


FUNCTIONS = {
    "M": lambda tree, q, u, du: equations.mass_matrix(tree, q),
    "tau": equations.inverse_dynamics,
    "Y": equations.regressor,
    "g": lambda tree, q, u, du: equations.gravity_forces(tree, q),
    "T": lambda tree, q, u, du: equations.kinetic_energy(tree, q, u),
    "V": lambda tree, q, u, du: equations.potential_energy(tree, q),
    "J": lambda tree, q, u, du: jacobians.jacobian(tree, q, 5, (0.1, 0.2, 0.3)),
    "dJ": lambda tree, q, u, du: jacobians.jacobian_derivative(tree, q, u, 5),
    "H": lambda tree, q, u, du: jacobians.hessian(tree, q, 5),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_torch_gives_the_same_and_its_gradients(name):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install torch")
    tree = random_tree(8, base="fixed", anchored=True, count=6)
    arrays = configurations(tree, 1, (2,))
    of = FUNCTIONS[name]
    ours = of(tree, *(torch.tensor(each) for each in arrays))
    assert_close(ours.numpy(), of(tree, *arrays))
    tensors = [torch.tensor(each, requires_grad=True) for each in arrays]
    (slope,) = torch.autograd.grad(of(tree, *tensors).sin().sum(), tensors[:1])
    assert_close_slope(of, tree, arrays, slope.numpy())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jax_gives_the_same_and_its_gradients(name):
    jax = pytest.importorskip("jax", reason="needs JAX: pip install jax")
    tree = random_tree(8, base="fixed", anchored=True, count=6)
    arrays = configurations(tree, 1, (2,))
    of = FUNCTIONS[name]

    def total(*given):
        value = of(tree, *given)
        return jax.numpy.sin(value).sum(), value

    with jax.enable_x64(True):
        traced = [jax.numpy.asarray(each) for each in arrays]
        slope, value = jax.jit(jax.grad(total, has_aux=True))(*traced)
    assert_close(np.asarray(value), of(tree, *arrays))
    assert_close_slope(of, tree, arrays, np.asarray(slope))


def assert_close_slope(of, tree, arrays, slope):
    q, step, expected = arrays[0], 1e-6, np.zeros_like(arrays[0])
    for place in np.ndindex(q.shape):
        moved = [q.copy(), q.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        ahead, back = (np.sin(of(tree, each, *arrays[1:])).sum() for each in moved)
        expected[place] = (ahead - back) / (2 * step)
    np.testing.assert_allclose(slope, expected, atol=1e-6 * max(np.abs(expected).max(), 1.0))


def test_gradients_reach_theta():
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install torch")
    tree = random_tree(4, base="floating", anchored=True)
    arrays = configurations(tree, 1)
    theta = torch.tensor(tree.theta, requires_grad=True)
    tau = equations.inverse_dynamics(tree, *(torch.tensor(a) for a in arrays), theta=theta)
    (slope,) = torch.autograd.grad(tau.sum(), theta)
    Y = equations.regressor(tree, *arrays)
    assert_close(slope.numpy().ravel(), Y.sum(axis=(0, 1)))


def test_what_does_not_fit_is_refused():
    tree = random_tree(1, base="floating")
    q, u, du = configurations(tree, 0)
    with pytest.raises(ParameterError, match=r"q has shape \(4, 3\), expected"):
        equations.mass_matrix(tree, q[:, :3])
    with pytest.raises(ParameterError, match="do not broadcast"):
        equations.bias_forces(tree, q, u[:3])
    with pytest.raises(ParameterError, match=r"gravity has shape \(2,\)"):
        equations.gravity_forces(tree, q, gravity=(0, 1))
    with pytest.raises(ParameterError, match="unknown order"):
        equations.regressor(tree, q, u, du, order="alphabet")
    with pytest.raises(ParameterError, match=r"theta has shape \(3, 10\)"):
        equations.mass_matrix(tree, q, theta=np.zeros((3, 10)))
    q[2, 3:7] *= 2
    with pytest.raises(ParameterError, match=r"q\[3:7\] of configuration 2 has the length 2"):
        equations.mass_matrix(tree, q)


def test_a_tree_that_does_not_move():
    tree = random_tree(0, base="fixed", kinds=("fixed",))
    q = np.zeros((3, 0))
    assert equations.mass_matrix(tree, q).shape == (3, 0, 0)
    assert equations.inverse_dynamics(tree, q, q, q).shape == (3, 0)
    assert equations.regressor(tree, q, q, q).shape == (3, 0, 80)
    assert jacobians.jacobian(tree, q, 2).shape == (3, 6, 0)
