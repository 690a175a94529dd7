"""Weights and priors that are none are refused by name, body and value; others mean as they say."""

import numpy as np
import pytest

import array_libraries
import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import frames, sampling
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.projection.priors import from_body

THETA = np.array(sampling.inconsistent(0, 3, mass=(0.5, 2), length=(0.2, 0.5)).as_theta())
PRIOR = ic.InertialParameters.from_com(1.0, [0, 0, 0.1], np.diag([0.02, 0.03, 0.04]))


def spoiled(index, value):
    weights = np.tile(np.eye(10), (3, 1, 1))
    weights[index] = value
    return weights


def plate():
    return ic.InertialParameters.from_com(1.0, [0, 0, 0], np.diag([0.02, 0.03, 0.05]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "weighted"}, r"'weighted' needs weights"),
        ({"metric": "prior"}, r"'prior' needs prior"),
        ({"metric": "entropic"}, r"'entropic' needs prior"),
        ({"metric": "inertia", "weights": np.eye(10)}, r"'inertia' takes no weights; 'weighted'"),
        ({"metric": "pseudo-inertia", "prior": PRIOR}, r"'pseudo-inertia' takes no prior"),
        ({"metric": "mahalanobis"}, r"metric is 'mahalanobis'; available are 'inertia'"),
        ({"metric": "weighted", "weights": np.ones(9)}, r"weights have shape \(9,\)"),
        ({"metric": "weighted", "weights": np.ones((4, 10))}, r"weights have shape \(4, 10\)"),
        ({"metric": "weighted", "weights": np.ones((2, 10, 10))}, r"shape \(2, 10, 10\)"),
        (
            {"metric": "weighted", "weights": spoiled((1, 4, 4), -2.5)[1]},
            r"weights .*\[4, 4\] is -2.5",
        ),
        (
            {"metric": "weighted", "weights": spoiled((2, [0, 3], [3, 0]), 1.5)[2]},
            r"weights are not positive semidefinite.*-0.5",
        ),
        (
            {"metric": "weighted", "weights": spoiled((2, 0, 3), 0.5)[2]},
            r"weights is not symmetric: entry \[0, 3\]",
        ),
        (
            {"metric": "weighted", "weights": spoiled((0, 7, 7), np.nan)[0]},
            r"weights hold nan at \[7, 7\]",
        ),
        (
            {"metric": "weighted", "weights": [1, 1, 1, -1, 1, 1, 1, 1, 1, 1]},
            r"entry \[3, 3\] is -1.0",
        ),
        (
            {"metric": "weighted", "weights": [1, 1, 0, 1, 1, 1, 1, 1, 1, 1]},
            r"weights are singular.*give a prior",
        ),
        ({"metric": "prior", "prior": plate()}, r"prior is not positive definite: mass 1.0"),
        ({"metric": "prior", "prior": THETA[0]}, r"prior is not positive definite: .*margin -"),
        ({"metric": "prior", "prior": [PRIOR.as_theta()] * 2}, r"prior has leading axes \(2,\)"),
        ({"metric": "prior", "prior": [1.0] * 9}, r"shape \(9,\)"),
        (
            {"metric": "prior", "prior": np.full(10, np.nan)},
            r"prior is not positive definite: mass nan",
        ),
        ({"metric": "weighted", "weights": np.eye(10), "about": "com"}, r"not linear"),
        ({"metric": "euclidean", "about": "com"}, r"'euclidean' with about='com'"),
        ({"metric": "euclidean", "mass_min": 0.0}, r"mass_min is 0.0"),
        ({"metric": "prior", "prior": PRIOR, "regularization": -1}, r"regularization is -1"),
        ({"metric": "weighted", "weights": "heavy"}, r"weights"),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(ic.ParameterError, match=message):
        ic.project(THETA, **arguments)


@pytest.mark.parametrize(
    ("arguments", "row"),
    [
        ({"metric": "weighted", "weights": spoiled((1, 4, 4), -2.5)}, 1),
        ({"metric": "weighted", "weights": spoiled((2, [0, 3], [3, 0]), 1.5)}, 2),
        ({"metric": "weighted", "weights": spoiled((2, 0, 3), 0.5)}, 2),
        ({"metric": "weighted", "weights": spoiled((0, 7, 7), np.nan)}, 0),
        ({"metric": "weighted", "weights": 1 - 2 * np.eye(3, 10, 4) * [[0], [1], [0]]}, 1),
        ({"metric": "prior", "prior": [PRIOR.as_theta(), THETA[0], PRIOR.as_theta()]}, 1),
        ({"metric": "entropic", "prior": [[np.nan] * 10, *[PRIOR.as_theta()] * 2]}, 0),
    ],
)
def test_what_one_row_is_given_wrongly_is_its_own_matter(arguments, row):
    kept = np.arange(3) != row
    own = "weights" if "weights" in arguments else "prior"
    found = ic.project(THETA, **arguments)
    rest = ic.project(THETA[kept], **{**arguments, own: np.asarray(arguments[own])[kept]})
    assert found.status[row] == "no-nearest"
    assert (found.status[kept] == "projected").all()
    np.testing.assert_allclose(found.theta[kept], rest.theta, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(found.theta[row], THETA[row])
    with pytest.raises(ic.ProjectionError, match=r"1 of 3 .*its own prior"):
        found.raise_for_status()


@pytest.mark.parametrize("order", ORDERS)
def test_weights_act_on_theta_exactly_as_passed(order):
    rng = np.random.default_rng(1)
    root = rng.normal(size=(12, 10)) * [1, 2, 2, 2, 9, 9, 9, 9, 9, 9]
    W = root.T @ root
    places = reorder(np.arange(10.0), "urdf", order).astype(int)
    plain = ic.project(THETA, "weighted", weights=W)
    permuted = ic.project(
        reorder(THETA, "urdf", order), "weighted", order, weights=W[places][:, places]
    )
    again = reorder(permuted.theta, order, "urdf")
    np.testing.assert_allclose(again, plain.theta, rtol=1e-9, atol=1e-12)
    change = permuted.theta - reorder(THETA, "urdf", order)
    length = np.sqrt(np.einsum("ni,ij,nj->n", change, W[places][:, places], change))
    np.testing.assert_allclose(permuted.distance, length, rtol=1e-9)


def test_ten_by_ten_is_one_matrix_also_for_ten_bodies():
    theta = sampling.inconsistent(0, 10, mass=(0.5, 2), length=(0.2, 0.5)).as_theta()
    W = np.diag(np.arange(1.0, 11.0))
    whole = ic.project(theta, "weighted", weights=W).theta
    alone = [ic.project(row, "weighted", weights=W).theta for row in theta]
    np.testing.assert_allclose(whole, alone, rtol=1e-12, atol=1e-15)


def test_weights_of_each_body():
    W = np.array([1.0, 10.0, 100.0])[:, None] * np.arange(1.0, 11.0)
    found = ic.project(THETA, "weighted", weights=W)
    for row, weights, theta in zip(THETA, W, found.theta, strict=True):
        alone = ic.project(row, "weighted", weights=weights)
        np.testing.assert_allclose(alone.theta, theta, rtol=1e-12, atol=1e-15)


def test_a_prior_decides_what_singular_weights_leave_open():
    W = np.diag([1e6, 0, 0, 0, 1e6, 1e6, 1e6, 1e6, 1e6, 0])
    found = ic.project(THETA, "weighted", weights=W, prior=PRIOR)
    assert (np.array(found.certify()) <= 1e-9).all()
    assert ic.check(found.theta).consistent.all()
    for rho in (0.1, 10.0):
        other = ic.project(THETA, "weighted", weights=W, prior=PRIOR, regularization=rho)
        assert not np.allclose(other.theta, found.theta, rtol=1e-6)


def test_the_same_prior_about_either_point_and_as_an_object():
    found = ic.project(THETA, "prior", prior=PRIOR)
    listed = ic.project(THETA, "prior", prior=PRIOR.as_theta().tolist())
    np.testing.assert_array_equal(listed.theta, found.theta)
    bodies = ic.InertialParameters.from_theta(THETA)
    theta_com = bodies.as_theta(about="com")
    seen = ic.project(theta_com, "prior", about="com", prior=PRIOR.as_theta(about="com"))
    again = ic.InertialParameters.from_theta(seen.theta, about="com").as_theta()
    np.testing.assert_allclose(again, found.theta, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size", [1e308, 1e100, 1e-100, 1e-308])
@pytest.mark.parametrize("shape", ["diagonal", "matrix"])
def test_weights_whose_products_overflow_are_refused_with_their_place(size, shape):
    """Newton's method would find a singular matrix."""
    theta, weights = np.tile([-1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], (3, 1)), np.ones((3, 10))
    weights[1, 3] = size
    if shape == "matrix":
        weights = weights[:, :, None] * np.eye(10)
    with pytest.raises(ic.ParameterError, match=r"weights hold .* only their ratios count"):
        ic.project(theta, "weighted", weights=weights[1])
    found = ic.project(theta, "weighted", weights=weights)
    assert (found.status == ["mass-floored", "no-nearest", "mass-floored"]).all()


FAR = ic.InertialParameters.from_com(
    [1.0, 2.0],
    [[1.0, 0, 0], [0, -3, 1]],
    [[0.01, 0, 0, 0.01, 0, 0.015], [0.02, 0, 0, 0.01, 0, 0.05]],
)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("about", ["com", "origin"])
def test_theta_of_a_result_is_taken_as_it_says(order, about):
    """Every door takes its order and point from a value that knows them."""
    found = ic.project(FAR.as_theta(order, about))
    assert (found.order, found.about) == (found.theta.order, found.theta.about) == (order, about)
    truth = found.parameters.as_theta()
    theta = found.theta
    masses, points = ic.realize(theta)
    drawn = ic.sample(theta, 2, rng=0, mass=0.1)
    prior = ic.project(THETA[0], "prior", prior=found.theta[0]).theta
    expected = ic.project(THETA[0], "prior", prior=FAR[0]).theta
    np.testing.assert_allclose(prior, expected, rtol=0, atol=1e-9)
    X = np.eye(4)
    X[:3, 3] = 1, 2, 3
    for got in (
        ic.InertialParameters.from_theta(theta),
        ic.InertialParameters.from_theta(ic.project(theta).theta),
        ic.InertialParameters.from_point_masses(masses, points),
        ic.InertialParameters.from_theta(
            frames.translate(frames.transform(theta, X), [-1.0, -2, -3])
        ),
        ic.InertialParameters.from_theta(frames.add(theta, frames.add(theta, -1 * theta))),
        ic.InertialParameters.from_theta(2 * frames.total(theta[:, None], (1,)) / 2),
        from_body(theta, margin=1e-12),
        ic.clean(theta).parameters,
    ):
        np.testing.assert_allclose(got.as_theta(), truth, rtol=0, atol=1e-9)
    for given in (theta, theta[0], list(theta), drawn, drawn[0]):
        assert np.all(ic.check(given).consistent)


def test_a_metric_answers_about_the_point_of_its_body():
    body = ic.InertialParameters.from_com(1, [1, 0, 0], np.diag([0.01, 0.01, 0.015]))
    for metric, arguments in (("inertia", {}), ("covariance", {}), ("euclidean", {})):
        found = ic.project(body, metric, **arguments)
        assert ic.check(found.theta).consistent
        assert ic.check(found.theta) == ic.check(found.parameters)
    broken = ic.InertialParameters.from_com(1, [1, 0, 0], np.diag([0.01, 0.01, 0.5]))
    for metric in ("inertia", "prior"):
        prior = {"prior": body} if metric == "prior" else {}
        found = ic.project(broken, metric, **prior)
        assert ic.check(found.theta).verdict in ("consistent", "boundary")
        with pytest.raises(ParameterError, match="about='origin' contradicts"):
            ic.check(found.theta, about="origin")


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_arrays_of_other_libraries_know_their_form_too(name):
    library = array_libraries.Library(name)
    theta = library.array(np.array(FAR.as_theta("ksl", "com")), "float32")
    found = ic.project(theta, order="ksl", about="com")
    assert np.asarray(ic.check(found.theta).consistent).all()
    assert ic.project(found.theta).order == "ksl"
    with pytest.raises(ParameterError, match="about='origin' contradicts"):
        ic.check(found.theta, about="origin")
    if name == "jax":

        def judge(numbers):
            inner = ic.project(numbers, order="ksl", about="com")
            return ic.check(inner.theta).margin

        margin = library.module.jit(judge)(theta)
        np.testing.assert_allclose(margin, np.asarray(ic.check(found.theta).margin), atol=1e-6)
        ball = library.xp.asarray([[1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1]])
        assert ic.project(ball).about == "origin"  # nothing is remembered of arrays that are gone
