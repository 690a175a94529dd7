"""Added mass in the equations of motion: Kirchhoff, Lagrange, energy, and what is refused."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.mechanics import composites, equations, forward, jacobians
from inertial_check.mechanics.equations import projected_newton_euler
from inertial_check.mechanics.tree import Tree

SCALES = [(1e-6, 1e-3), (1.0, 1.0), (1e5, 10.0)]
"""Masses [kg] and lengths [m] of a vehicle of a milligram, of a kilogram and of 100 tonnes."""


def _vehicle(mass: float, length: float, floating: bool, seed: int = 0) -> Tree:
    """A hull with an arm of two links, each in a fluid; a hull on a hinge unless it floats."""
    rng = np.random.default_rng(seed)
    count = 3
    unit = np.array([mass] * 3 + [mass * length**2] * 3) ** 0.5
    fluid = [unit[:, None] * (B @ B.T) * unit for B in rng.normal(size=(count, 6, 6)) / 2]
    bodies = ic.InertialParameters.from_com(
        mass * rng.uniform(0.5, 2, count),
        length * rng.normal(size=(count, 3)) / 5,
        mass * length**2 * np.diag([1.0, 2.0, 2.5])[None] * np.ones((count, 1, 1)),
    )
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, 3] = length * rng.normal(size=(count, 3))
    axes = rng.normal(size=(count, 3))
    return Tree(
        ["hull", "upper", "lower"],
        [-1, 0, 1],
        ["floating" if floating else "revolute", "revolute", "prismatic"],
        poses,
        axes / np.linalg.norm(axes, axis=1)[:, None],
        bodies.as_theta(),
        added_mass=np.array(fluid),
    )


def _state(tree: Tree, length: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    q, u, du = tree.neutral + 0.0, rng.normal(size=tree.n_u), rng.normal(size=tree.n_u)
    if tree.joints[0] == "floating":
        turn = rng.normal(size=4)
        q[3:7] = turn / np.linalg.norm(turn)
        u[:3], du[:3] = length * u[:3], length * du[:3]
    u[-1], du[-1] = length * u[-1], length * du[-1]
    q[-2:] = [0.7, 0.3 * length]
    return q, u, du


@pytest.mark.parametrize(("mass", "length"), SCALES)
def test_forces_are_those_of_lagrange(mass: float, length: float) -> None:
    """d/dt dT/du - dT/dq by differences of the energy alone, for joints with one coordinate."""
    tree = _vehicle(mass, length, floating=False)
    q, u, du = _state(tree, length)
    step = 1e-4 * np.array([1, 1, length])
    n = tree.n_u

    def energy(q: np.ndarray, u: np.ndarray) -> float:
        return float(equations.kinetic_energy(tree, q, u))

    # The energy is quadratic in u: differences in u are exact.
    def momentum(q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.array(
            [(energy(q, u + s) - energy(q, u - s)) / (2 * s.max()) for s in np.diag(step)]
        )

    forces = np.zeros(n)
    for k, s in enumerate(np.diag(step)):
        forces += (momentum(q + s, u) - momentum(q - s, u)) / (2 * step[k]) * u[k]
        forces[k] -= (energy(q + s, u) - energy(q - s, u)) / (2 * step[k])
    forces += momentum(q, du)
    found = equations.inverse_dynamics(tree, q, u, du, gravity=[0, 0, 0])
    np.testing.assert_allclose(found, forces, rtol=1e-6, atol=1e-6 * np.abs(forces).max())


@pytest.mark.parametrize(("mass", "length"), SCALES)
@pytest.mark.parametrize("floating", [False, True])
def test_the_power_of_the_forces_is_the_rate_of_the_energy(
    mass: float, length: float, floating: bool
) -> None:
    tree = _vehicle(mass, length, floating)
    q, u, du = _state(tree, length)

    def energy(t: float) -> float:
        moved = jacobians.move(tree, q, t * u + t * t / 2 * du)
        return float(equations.kinetic_energy(tree, moved, u + t * du))

    t = 1e-4
    rate = (8 * (energy(t) - energy(-t)) - (energy(2 * t) - energy(-2 * t))) / (12 * t)
    power = float(u @ equations.inverse_dynamics(tree, q, u, du, gravity=[0, 0, 0]))
    assert power == pytest.approx(rate, rel=1e-7, abs=1e-7 * energy(0))


def test_a_vehicle_obeys_the_equations_of_fossen() -> None:
    """One floating body: M_A dV + C_A(V) V with the C_A of the handbook, in body axes."""
    tree = _vehicle(3.0, 1.0, floating=True)
    one = Tree(["hull"], [-1], ["floating"], [np.eye(4)], [[0, 0, 1]], [np.zeros(10)],
               added_mass=tree.added_mass[:1])  # fmt: skip
    rng = np.random.default_rng(2)
    nu, dnu, turn = rng.normal(size=6), rng.normal(size=6), rng.normal(size=4)
    q = np.concatenate([rng.normal(size=3), turn / np.linalg.norm(turn)])
    R = np.asarray(jacobians.poses(one, q))[0, :3, :3]
    A, v, w = one.added_mass[0], nu[:3], nu[3:]

    def S(a: np.ndarray) -> np.ndarray:
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    linear, angular = A[:3] @ nu, A[3:] @ nu
    C = np.block([[np.zeros((3, 3)), -S(linear)], [-S(linear), -S(angular)]])
    expected = A @ dnu + C @ nu
    u = np.concatenate([R @ v, w])
    du = np.concatenate([R @ (dnu[:3] + np.cross(w, v)), dnu[3:]])
    tau = np.asarray(equations.inverse_dynamics(one, q, u, du))
    np.testing.assert_allclose(np.concatenate([R.T @ tau[:3], tau[3:]]), expected, rtol=1e-13)
    assert (nu @ C @ nu) == pytest.approx(0, abs=1e-12)


def test_a_body_alone_in_the_fluid_keeps_its_energy() -> None:
    tree = _vehicle(1.0, 1.0, floating=True)
    q, u, _ = _state(tree, 1.0)

    def slope(q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.linalg.solve(
            equations.mass_matrix(tree, q), -np.asarray(equations.bias_forces(tree, q, u))
        )

    before, h = float(equations.kinetic_energy(tree, q, u)), 2e-3
    for _ in range(60):
        a1 = slope(q, u)
        a2 = slope(jacobians.move(tree, q, h / 2 * u), u + h / 2 * a1)
        u_2 = u + h / 2 * a2
        a3 = slope(jacobians.move(tree, q, h / 2 * (u + h / 4 * a1)), u_2)
        a4 = slope(jacobians.move(tree, q, h * (u + h / 2 * a2)), u + h * a3)
        q = np.asarray(jacobians.move(tree, q, h * (u + h / 6 * (a1 + a2 + a3))))
        u = u + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    assert float(equations.kinetic_energy(tree, q, u)) == pytest.approx(before, rel=1e-5)


@pytest.mark.parametrize(("mass", "length"), SCALES)
def test_the_terms_agree_with_each_other(mass: float, length: float) -> None:
    tree = _vehicle(mass, length, floating=True)
    q, u, du = _state(tree, length)
    M = equations.mass_matrix(tree, q)
    assert M.tolist() == M.T.tolist()
    assert float(u @ M @ u) / 2 == pytest.approx(float(equations.kinetic_energy(tree, q, u)))
    tau = equations.inverse_dynamics(tree, q, u, du)
    parts = M @ du + equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q)
    np.testing.assert_allclose(tau, parts, rtol=1e-10, atol=1e-12 * np.abs(tau).max())
    terms = projected_newton_euler(tree, q, u)
    np.testing.assert_allclose(terms.M, M, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(terms.g, equations.gravity_forces(tree.without_added_mass(), q))
    out = np.empty((5, tree.n_u, tree.n_u))
    rows = np.tile(q, (5, 1))
    assert equations.mass_matrix(tree, rows, out=out) is out
    np.testing.assert_array_equal(out, equations.mass_matrix(tree, rows))
    np.testing.assert_allclose(out[3], M, atol=1e-14 * np.abs(M).max())


@pytest.mark.parametrize(("mass", "length"), SCALES)
@pytest.mark.parametrize("floating", [False, True])
def test_forward_dynamics_is_the_inverse(mass: float, length: float, floating: bool) -> None:
    tree = _vehicle(mass, length, floating)
    q, u, du = _state(tree, length)
    tau = equations.inverse_dynamics(tree, q, u, du)
    found = np.asarray(forward.forward_dynamics(tree, q, u, tau))
    np.testing.assert_allclose(found, du, rtol=1e-10, atol=1e-10 * np.abs(du).max())
    rows = forward.forward_dynamics(tree, np.tile(q, (3, 1)), u, tau)
    np.testing.assert_allclose(rows, np.tile(found, (3, 1)), rtol=1e-10)


@pytest.mark.parametrize(
    "function", ["centroidal_momentum_matrix", "centroidal_inertia", "composite_parameters"]
)
def test_sums_of_ten_parameters_refuse_it_by_name(function: str) -> None:
    tree = _vehicle(1.0, 1.0, floating=True)
    with pytest.raises(ic.ParameterError, match=f"{function}: hull has an added mass"):
        getattr(composites, function)(tree, tree.neutral)


def test_the_regressor_refuses_it_by_name() -> None:
    tree = _vehicle(1.0, 1.0, floating=False)
    q, u, du = _state(tree, 1.0)
    with pytest.raises(ic.ParameterError, match="regressor: hull has an added mass"):
        equations.regressor(tree, q, u, du)
    dry = tree.without_added_mass()
    Y = equations.regressor(dry, q, u, du)
    np.testing.assert_allclose(
        Y @ dry.theta.ravel(), equations.inverse_dynamics(dry, q, u, du), rtol=1e-10
    )


def test_what_is_no_added_mass_is_refused() -> None:
    tree = _vehicle(1.0, 1.0, floating=False)
    for wrong in (np.zeros((3, 5, 5)), np.zeros((2, 6, 6)), "text", np.triu(np.ones((3, 6, 6)))):
        with pytest.raises(ic.ParameterError, match="added_mass"):
            Tree(tree.names, tree.parents, tree.joints, tree.X_PB, tree.axes_B, tree.theta,
                 added_mass=wrong)  # fmt: skip


BUOY = """<sdf version="1.10"><model name="buoy"><link name="hull"><inertial>
<mass>20</mass><inertia><ixx>0.8</ixx><iyy>1.6</iyy><izz>1.8</izz></inertia>
<fluid_added_mass><xx>6</xx><xq>0.5</xq><yy>24</yy><zz>24</zz><qq>2</qq></fluid_added_mass>
</inertial></link></model></sdf>"""


def test_the_tree_of_a_file_has_it_and_new_parameters_keep_it() -> None:
    model = ic.load(BUOY.encode(), format="sdf")
    tree = model.tree("floating")
    np.testing.assert_array_equal(tree.added_mass, model.added_mass)
    M = equations.mass_matrix(tree, tree.neutral)
    dry = equations.mass_matrix(tree.without_added_mass(), tree.neutral)
    np.testing.assert_allclose(M - dry, model.added_mass[0])
    fixed = model.with_parameters(ic.InertialParameters.from_com([21.0], [[0, 0, 0]], [np.eye(3)]))
    again = ic.load(fixed.data, format="sdf")
    np.testing.assert_array_equal(again.added_mass, model.added_mass)
    assert again.theta[0, 0] == 21.0
