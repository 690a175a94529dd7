"""Vectors as consistent bodies without their samples: what moves, how far, what must be said."""

from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import identification_data
import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.identification.fit import cleaning
from inertial_check.identification.fit.cleaning import clean
from inertial_check.inertia.representations import pseudo_inertia, reorder
from inertial_check.projection.constraints import FixedMass, TotalMass

ORIGIN = {"order": "urdf", "about": "origin"}


def robot(seed=0, count=3, *, noise=0.0):
    """Bodies of 6 points each, and the same with relative noise: some of them no bodies."""
    rng = np.random.default_rng(seed)
    masses, points = rng.uniform(0.1, 1, (count, 6)), rng.normal(size=(count, 6, 3))
    points[:, :, 2] *= 0.05
    truth = ic.InertialParameters.from_point_masses(masses, points).as_theta()
    size = np.abs(truth).max(axis=1, keepdims=True)
    return truth, truth + noise * size * rng.normal(size=truth.shape)


def information(seed, count, *, rank=None, coupled=True):
    rng = np.random.default_rng(seed)
    width = 10 * count
    rows = rng.normal(size=(rank or 2 * width, width)) * 10.0 ** rng.uniform(-1, 1, width)
    W = rows.T @ rows
    if not coupled:
        W *= np.kron(np.eye(count), np.ones((10, 10)))
    return W


def quadratic(W, change):
    return float(change.ravel() @ W @ change.ravel())


@pytest.mark.parametrize(
    ("said", "missing", "choices"),
    [
        ({"about": "origin"}, "order", "'urdf', 'pinocchio', 'mujoco', 'wensing', 'ksl'"),
        ({"order": "urdf"}, "about", "'origin', 'com'"),
    ],
)
def test_order_and_point_have_to_be_said(said, missing, choices):
    with pytest.raises(ParameterError, match=f"{missing} is not said") as error:
        clean(np.asarray(robot()[0]), **said)
    assert choices in str(error.value)


def test_parameters_know_their_point():
    own = ic.InertialParameters.from_com(
        [2.0, 1.0], [[0.1, 0, 0.2]] * 2, [[0.02, 0, 0, 0.03, 0, 0.06], [0.02, 0, 0, 0.03, 0, 0.04]]
    )
    found = clean(own)
    assert found.about == "com"
    assert found.status.tolist() == ["projected", "feasible"]
    expected = ic.project(own.as_theta(about="com"), about="com").theta
    np.testing.assert_array_equal(found.theta, expected)
    np.testing.assert_array_equal(found.parameters.mass, [2.0, 1.0])


@pytest.mark.parametrize("order", ["urdf", "mujoco"])
@pytest.mark.parametrize("about", ["origin", "com"])
def test_without_anything_known_it_is_the_projection(order, about):
    _, noisy = robot(1, noise=0.1)
    noisy = reorder(noisy, "urdf", order)
    found = clean(noisy, order=order, about=about)
    expected = ic.project(noisy, order=order, about=about)
    np.testing.assert_array_equal(found.theta, expected.theta)
    np.testing.assert_array_equal(found.distance, expected.distance)
    np.testing.assert_allclose(found.relative_change, expected.relative_change, rtol=1e-6)
    np.testing.assert_array_equal(found.given, noisy)
    assert found.metric == "inertia"
    assert "nothing is said of the errors" in found.remarks[0]
    flat = clean(noisy.ravel(), order=order, about=about)
    np.testing.assert_array_equal(flat.theta, found.theta)


def test_with_a_prior_alone_it_is_the_projection_in_its_units():
    truth, noisy = robot(2, noise=0.1)
    found = clean(noisy, **ORIGIN, prior=truth, margin=1e-6)
    expected = ic.project(noisy, metric="prior", prior=truth, margin=1e-6)
    np.testing.assert_array_equal(found.theta, expected.theta)
    assert found.total_distance == pytest.approx(np.linalg.norm(expected.distance))


FORMS = {
    "whole": lambda W: W,
    "blocks": lambda W: np.array([W[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] for i in range(3)]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ["urdf", "wensing"])
def test_information_without_ties_moves_bodies_one_by_one(form, order):
    _, noisy = robot(3, noise=0.05)
    noisy[1] = robot()[0][1]
    noisy = reorder(noisy, "urdf", order)
    W = information(3, 3, coupled=False)
    blocks = FORMS["blocks"](W)
    found = clean(noisy, order=order, about="origin", information=FORMS[form](W))
    expected = ic.project(noisy, metric="weighted", order=order, weights=blocks)
    np.testing.assert_allclose(found.theta, expected.theta, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.theta[1], noisy[1])
    np.testing.assert_allclose(found.distance, expected.distance, rtol=1e-6)
    assert not found.together.any()


@pytest.mark.parametrize("shape", [(30,), (3, 10)])
@pytest.mark.parametrize("kind", ["information", "covariance"])
def test_diagonals_are_weights_and_variances(shape, kind):
    _, noisy = robot(4, noise=0.05)
    diagonal = np.random.default_rng(4).uniform(0.1, 10, 30)
    given_ = {kind: (diagonal if kind == "information" else 1 / diagonal).reshape(shape)}
    found = clean(noisy, **ORIGIN, **given_)
    expected = ic.project(noisy, metric="weighted", weights=diagonal.reshape(3, 10))
    np.testing.assert_allclose(found.theta, expected.theta, rtol=1e-9, atol=1e-12)


def nearest(theta, W):
    """By cvxpy, in units of the bodies."""
    change = cp.Variable(theta.size)
    basis = pseudo_inertia(np.eye(10))
    bodies = [
        pseudo_inertia(row) + sum(basis[k] * change[10 * i + k] for k in range(10))
        for i, row in enumerate(theta)
    ]
    root = np.linalg.cholesky(W).T
    size = np.linalg.norm(root)
    problem = cp.Problem(
        cp.Minimize(cp.sum_squares(root / size @ change)), [body >> 0 for body in bodies]
    )
    problem.solve(solver="CLARABEL")
    return theta + change.value.reshape(theta.shape)


@pytest.mark.parametrize("seed", range(3))
def test_coupled_bodies_move_together_to_the_nearest(seed):
    _, noisy = robot(seed, noise=0.05)
    W = information(seed, 3)
    found = clean(noisy, **ORIGIN, information=W)
    assert found.consistency.consistent.all()
    assert found.together.all()
    assert found.gap.max() <= 1e-9
    total = quadratic(W, found.theta - noisy)
    assert found.total_distance == pytest.approx(np.sqrt(total))
    assert total == pytest.approx(quadratic(W, nearest(noisy, W) - noisy), rel=1e-5)
    alone = clean(noisy, **ORIGIN, information=FORMS["blocks"](W))
    assert quadratic(W, alone.theta - noisy) >= total * (1 - 1e-9)
    assert "moved together" in found.remarks[-1]


def test_a_covariance_is_the_inverse_of_information():
    _, noisy = robot(5, noise=0.05)
    W = information(5, 3)
    by_covariance = clean(noisy, **ORIGIN, covariance=np.linalg.inv(W))
    by_information = clean(noisy, **ORIGIN, information=W)
    np.testing.assert_allclose(by_covariance.theta, by_information.theta, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("order", ["mujoco", "pinocchio"])
def test_the_order_of_information_is_that_of_the_vector(order):
    _, noisy = robot(6, noise=0.05)
    W = information(6, 3)
    places = np.argsort(reorder(np.arange(10.0), "urdf", order))
    back = np.argsort((10 * np.arange(3)[:, None] + places).ravel())
    found = clean(
        reorder(noisy, "urdf", order),
        order=order,
        about="origin",
        information=W[np.ix_(back, back)],
    )
    expected = clean(noisy, **ORIGIN, information=W)
    np.testing.assert_allclose(reorder(found.theta, order, "urdf"), expected.theta, atol=1e-9)


@given(st.integers(0, 10**6), st.floats(-6, 6), st.floats(-4, 2))
def test_consistent_bodies_come_back_bit_for_bit_whatever_is_known(seed, mass, size):
    truth, _ = robot(seed)
    truth = truth * 10**mass * np.array([1, *[10**size] * 3, *[100**size] * 6])
    W = information(seed, 3, rank=12)
    for known in ({}, {"prior": 2 * truth}, {"information": W, "prior": 2 * truth}):
        found = clean(truth, **ORIGIN, **known)
        np.testing.assert_array_equal(found.theta, truth)
        assert not found.changed.any()
        assert found.total_distance == 0
        assert len(found.remarks) <= 2


def test_what_nothing_ties_to_a_bad_body_stays():
    truth, noisy = robot(7, 4, noise=0.2)
    given_ = np.array([noisy[0], truth[1], truth[2], truth[3]])
    W = information(7, 4)
    W[:20, 20:] = W[20:, :20] = 0.0  # the first two tied, and the last two
    found = clean(given_, **ORIGIN, information=W)
    assert found.together.tolist() == [True, True, False, False]
    np.testing.assert_array_equal(found.theta[2:], truth[2:])
    assert found.changed[0]


def test_singular_information_needs_a_prior():
    truth, noisy = robot(8, noise=0.05)
    W = information(8, 3, rank=18)
    with pytest.raises(ParameterError, match="give a prior beside it"):
        clean(noisy, **ORIGIN, information=W)
    strong, weak = (
        clean(noisy, **ORIGIN, information=W, prior=truth, regularization=weight)
        for weight in (100.0, 1e-3)
    )
    assert quadratic(W, weak.theta - noisy) < quadratic(W, strong.theta - noisy)
    assert weak.consistency.consistent.all()


def test_margins_and_constraints_hold_beside_information():
    truth, noisy = robot(9, noise=0.05)
    W = information(9, 3)
    found = clean(noisy, **ORIGIN, information=W, margin=0.01)
    assert (found.consistency.margin >= 0.01 * (1 - 1e-9)).all()
    total = float(truth[:, 0].sum())
    for known in ({"information": W}, {"prior": truth}):
        found = clean(noisy, **ORIGIN, **known, constraints=[TotalMass(total)])
        assert found.theta[:, 0].sum() == pytest.approx(total)
    found = clean(noisy, **ORIGIN, information=W, constraints=[FixedMass(2.0, bodies=[1])])
    assert found.theta[1, 0] == pytest.approx(2.0)


def test_what_has_no_nearest_is_said():
    truth, _ = robot(10, 2)
    truth[0, 0], truth[1, 5] = -1.0, np.nan
    found = clean(truth, **ORIGIN, bodies=["arm", "hand"])
    assert found.status.tolist() == ["no-nearest", "no-nearest"]
    np.testing.assert_array_equal(found.theta, truth)
    assert not found.changed.any()
    assert found.remarks[1:] == (
        "arm: unchanged, there is no nearest body: its mass is -1",
        "hand: unchanged, there is no nearest body: a number is not finite",
    )
    with pytest.raises(ParameterError, match=r"theta\[1, 5\] is nan"):
        clean(truth, **ORIGIN, information=information(10, 2))


def test_what_moved_is_said_with_its_numbers():
    theta = [[1.2, 0, 0, 0.3, 0.02, 0, 0, 0.03, 0, 0.08], [1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.04]]
    found = clean(theta, order="urdf", about="com", bodies=["arm", "hand"])
    (line,) = found.remarks[1:]
    assert line.startswith("arm: inconsistent (margin -0.158), moved by 0.017")
    assert line.endswith("%")
    assert "kg m^2" in line
    assert repr(found) == "Cleaned(1 feasible, 1 projected; metric='inertia')"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"theta": np.ones((3, 9))}, r"theta has shape \(3, 9\)"),
        ({"theta": np.ones(12)}, r"theta has shape \(12,\)"),
        ({"theta": "m"}, "theta cannot be read"),
        ({"order": "alphabetical"}, "unknown order 'alphabetical'"),
        ({"about": "tip"}, "unknown point about='tip'"),
        ({"information": np.eye(10)}, r"information has shape \(10, 10\), expected \(30, 30\)"),
        ({"information": -np.ones(30)}, r"information\[0, 0\] is -1.0, expected 0 or more"),
        ({"information": np.full((3, 10), np.inf)}, r"information\[0, 0\] is inf"),
        ({"information": np.triu(np.ones((30, 30)))}, "information is not symmetric"),
        ({"information": np.ones((30, 30)) - 0.9 * np.eye(30)}, "least eigenvalue is -9"),
        ({"covariance": np.zeros(30)}, r"covariance\[0, 0\] is 0.0.*FixedEntries"),
        ({"covariance": np.ones((30, 30))}, "covariance is not positive definite"),
        ({"information": np.ones(30), "covariance": np.ones(30)}, "give one of them"),
        ({"information": np.ones(30), "about": "com"}, "not linear"),
        ({"prior": np.ones((2, 10))}, "prior is of 2 bodies, expected 3"),
        ({"prior": np.zeros((3, 10))}, "prior of body 0 is not positive definite"),
        ({"bodies": ["a"]}, "bodies has 1 names, expected 3"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments, message):
    _, noisy = robot(11, noise=0.1)
    with pytest.raises(ParameterError, match=message):
        clean(**{"theta": noisy, **ORIGIN, **arguments})


def test_a_real_payload_is_the_nearest_that_is_known(datasets):
    """UR10e with 2.8 kg: ten numbers with their information matrix."""
    known = identification_data.baseline(datasets)["ur10e_payload"]
    theta, W = np.array(known["theta_ols"]), np.array(known["information_matrix"])
    found = clean(theta, **ORIGIN, information=W)
    np.testing.assert_allclose(found.theta[0], known["theta_consistent"], rtol=1e-3, atol=1e-4)
    change = np.array(known["theta_consistent"]) - theta
    assert quadratic(W, found.theta[0] - theta) <= quadratic(W, change) * (1 + 1e-6)
    assert found.before.margin[0] == pytest.approx(known["margin"], rel=1e-6)


def test_a_whole_robot_keeps_its_fit(datasets):
    """The least-squares UR10e, cleaned by its own information, explains the torques as well."""
    data = identification_data.problem(datasets, "ur10e")
    (row,) = (r for r in identification_data.rows(datasets, "ur10e") if "OLS, least" in r.method)
    x = np.array(row.entries["theta"])
    bodies, beside = data.R[:, :60], data.R[:, 60:]
    U, sizes, _ = np.linalg.svd(beside, full_matrices=False)
    U = U[:, sizes > 1e-10 * sizes[0]]
    B = bodies - U @ (U.T @ bodies)  # friction is fitted to whatever the bodies are
    found = clean(x[:60], **ORIGIN, information=B.T @ B, prior=data.prior)
    assert found.consistency.consistent.all()

    def fit(theta):
        left = data.rho - bodies @ theta
        left = left - U @ (U.T @ left)
        return np.sqrt((left @ left + data.rss) / (data.samples * data.joints))

    each = ic.project(x[:60].reshape(-1, 10), metric="prior", prior=data.prior).theta
    assert fit(found.theta.ravel()) < 1.006 * fit(x[:60])
    assert fit(each.ravel()) > 2 * fit(x[:60])


class TestHonestStatuses:
    """What rounding hides is not called projected or feasible, whatever the metric."""

    @pytest.mark.parametrize(("mass", "distance", "size"), [(1, 1e6, 1e-3), (7.6e6, 100, 1e-9)])
    @pytest.mark.parametrize("count", [1, 2])
    def test_ill_posed_bodies_are_uncertified(
        self, mass: float, distance: float, size: float, count: int
    ) -> None:
        tensor = size * np.diag([1.0, 1.0, 1.9])
        body = ic.InertialParameters.from_com(mass, [distance, 0, 0], tensor).as_theta()
        found = ic.clean(np.tile(body, (count, 1)), order="urdf", about="origin")
        assert found.consistency.verdict.tolist() == ["ill-posed"] * count
        assert found.status.tolist() == ["uncertified"] * count
        assert any("ill-posed: its inertia is hidden" in remark for remark in found.remarks)

    @pytest.mark.parametrize("distance", [1e6, 1e7, 1e9])
    @pytest.mark.parametrize("known", ["nothing", "prior", "information"])
    def test_clean_and_project_agree_on_ill_posed_bodies(self, distance: float, known: str) -> None:
        # Under a prior or information the answer is far larger, and no longer ill-posed itself.
        tensor = np.diag([0.01, 0.02, 0.05])
        body = ic.InertialParameters.from_com(1.0, [distance, 2 * distance, 0], tensor).as_theta()
        sound = [1.0, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.015]
        given, W, prior = np.array([body, sound]), np.tile(np.eye(10), (2, 1, 1)), [sound, sound]
        cleaning = {"nothing": {}, "prior": {"prior": prior}, "information": {"information": W}}
        metrics = {
            "nothing": {},
            "prior": {"metric": "prior", "prior": prior},
            "information": {"metric": "weighted", "weights": W},
        }
        cleaned = ic.clean(given, order="urdf", about="origin", **cleaning[known])
        projected = ic.project(given, **metrics[known])
        alone = ic.project(body)
        assert cleaned.status.tolist() == projected.status.tolist() == ["uncertified", "feasible"]
        assert alone.status == "uncertified"

    def test_no_row_decides_over_another(self) -> None:
        good = [1.0, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.015]
        far = ic.InertialParameters.from_com(7.6e6, [100, 0, 0], 1e-9 * np.eye(3)).as_theta()
        found = ic.clean([good, far, [0.0] * 10], order="urdf", about="origin")
        assert found.status.tolist() == ["feasible", "uncertified", "no-nearest"]
        assert found.theta[0].tolist() == good

    def test_tables_of_base_parameters_are_named(self) -> None:
        table = [[0.0, 0.3, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1], [2.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1]]
        found = ic.clean(table, order="urdf", about="origin")
        assert found.status.tolist() == ["no-nearest", "feasible"]
        assert any("identify_from_base" in remark for remark in found.remarks)
        sound = ic.clean(table[1:], order="urdf", about="origin")
        assert not any("identify_from_base" in remark for remark in sound.remarks)


def test_coupled_bodies_that_end_as_none_are_not_called_projected(monkeypatch):
    """Beside a body of tons, a solver's tolerance is more than the margin of one of grams."""
    heavy = np.array([7.6e6, 0, 0, 0, 2e6, 0, 0, 3e6, 0, 5.2e6])
    theta = np.stack([heavy, heavy * 1e-6])
    W = np.eye(20) / np.repeat([1e12, 1.0], 10)
    W[0, 10] = W[10, 0] = 1e-9
    real = cleaning.identify

    def spoil(*args, **options):
        found = real(*args, **options)
        theta = np.array(found.theta)
        theta[0, 9] *= 1 + 1e-6  # of whose moments the third is now more than the others
        names = ("status", "primal_residual", "dual_residual", "gap")
        return SimpleNamespace(theta=theta, **{name: getattr(found, name) for name in names})

    sound = ic.clean(theta, order="urdf", about="origin", information=W)
    assert (sound.consistency.margin >= -sound.consistency.tolerance)[
        sound.status == "projected"
    ].all()
    monkeypatch.setattr(cleaning, "identify", spoil)
    found = ic.clean(theta, order="urdf", about="origin", information=W)
    assert found.consistency.verdict[0] == "inconsistent"
    assert found.status[0] == "uncertified"
    assert any("the answer is not proven, or no body" in line for line in found.remarks)
