"""Derivatives of margins and projections, in the libraries that differentiate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inertial_check as ic
from array_libraries import HOW_TO, stays_on_its_device
from inertial_check.inertia import sampling

RNG = np.random.default_rng(3)
DIRECTION = RNG.normal(size=10)


def draw_bodies(count: int) -> np.ndarray:
    """Bodies of kilogrammes and decimetres with distinct moments, half of them inconsistent."""
    turned = np.linalg.qr(RNG.normal(size=(count, 3, 3)))[0]
    spreads = np.stack([np.linspace(-0.3, 0.2, count), np.full(count, 0.5), np.full(count, 0.9)], 1)
    S = turned * spreads[:, None, :] @ turned.transpose(0, 2, 1)
    I_BBcm_B = np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S
    com = RNG.normal(size=(count, 3)) / 5
    return np.asarray(
        ic.InertialParameters.from_com(RNG.uniform(1, 3, count), com, I_BBcm_B).as_theta()
    )


BODIES = draw_bodies(4)
SYMMETRIC = np.array(
    [
        [1, 0, 0, 0, 0.4, 0, 0, 0.4, 0, 0.4],  # a sphere
        [1, 0.1, 0, 0, 0.4, 0, 0, 0.5, 0, 0.5],  # an axis of symmetry
        [1, 0, 0, 0, 1, 0, 0, 2, 0, 3],  # a plate
        [1, 0, 0, 0, 0, 0, 0, 1, 0, 1],  # a rod
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # a point mass
        [1, 0, 0, 0, 3, 0, 0, 1, 0, 1],  # no body, with an axis
        [1, 0.1, 0.2, 0, -1, 0, 0, -1, 0, -1],  # no body, and none near
        [-1, 0, 0, 0, 1, 0, 0, 1, 0, 1],  # no mass to speak of
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # a frame
    ]
)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason=HOW_TO["torch"])


def margin(theta: Any, like: Callable[..., Any] = np.asarray) -> Any:
    return ic.check(theta).margin


def nearest(metric: Any, **options: Any) -> Callable[..., Any]:
    def along(theta: Any, like: Callable[..., Any] = np.asarray) -> Any:
        return (ic.project(theta, metric, **options).theta * like(DIRECTION)).sum(-1)

    return along


FUNCTIONS = {
    "margin": margin,
    "inertia": nearest("inertia"),
    "inertia with a margin": nearest("inertia", margin=0.1, about="com"),
    "covariance to spheres": nearest("covariance", margin=1 / 3),
}


def central_differences(function: Callable[..., Any], theta: np.ndarray) -> np.ndarray:
    """All bodies and entries in one batch: the steps cost one call."""
    step = 1e-6
    moved = theta[:, None, None, :] + step * np.stack([np.eye(10), -np.eye(10)])
    values = np.asarray(function(moved))
    return (values[:, 0] - values[:, 1]) / (2 * step)


@pytest.mark.parametrize("name", FUNCTIONS)
class TestSlopes:
    def test_of_jax(self, jax: Any, name: str, request: pytest.FixtureRequest) -> None:
        if name != "margin" and not request.config.getoption("--long"):
            pytest.skip(COMPILES)
        function = FUNCTIONS[name]
        slopes = jax.grad(lambda t: function(t, jax.numpy.asarray).sum())
        both = np.asarray(slopes(jax.numpy.asarray(np.concatenate([BODIES, SYMMETRIC]))))
        found, finite = both[: len(BODIES)], both[len(BODIES) :]
        np.testing.assert_allclose(found, central_differences(function, BODIES), atol=1e-6)
        assert np.isfinite(finite).all()

    def test_of_torch(self, torch: Any, name: str) -> None:
        function = FUNCTIONS[name]
        slopes = torch.func.grad(lambda t: function(t, torch.asarray).sum())
        found = slopes(torch.asarray(BODIES)).numpy()
        np.testing.assert_allclose(found, central_differences(function, BODIES), atol=1e-6)
        mapped = torch.func.vmap(torch.func.jacrev(lambda t: function(t, torch.asarray)))
        np.testing.assert_allclose(mapped(torch.asarray(BODIES)).numpy(), found, atol=1e-12)
        assert bool(torch.isfinite(slopes(torch.asarray(SYMMETRIC))).all())


COMPILES = "JAX takes seconds to compile a projection: run pytest with --long"

PRIOR = np.array([2.0, 0.1, 0, 0.1, 0.5, 0.01, 0, 0.6, 0, 0.7])
SQUARE = RNG.normal(size=(10, 10))
GIVEN = {
    "prior": {"prior": PRIOR},
    "weighted": {"weights": SQUARE @ SQUARE.T + np.eye(10)},
    "euclidean": {},
    "pseudo-inertia": {},
}


@pytest.mark.parametrize("metric", GIVEN)
def test_matrix_metrics_have_the_slopes_of_differences(torch: Any, metric: Any) -> None:
    bodies = np.concatenate([BODIES, [[-1, 0.1, 0.2, 0.3, 1, 0, 0, 1.1, 0.1, 1.2]]])  # floored
    value = nearest(metric, **GIVEN[metric])
    given = torch.asarray(bodies).requires_grad_()
    options = {k: torch.asarray(v).requires_grad_() for k, v in GIVEN[metric].items()}
    nearest(metric, **options)(given, torch.asarray).sum().backward()
    expected = central_differences(value, bodies)
    np.testing.assert_allclose(given.grad.numpy(), expected, rtol=1e-6, atol=1e-6)
    for name, option in options.items():
        step = 1e-6 * np.diag(np.arange(10)) if name == "weights" else 1e-6 * np.arange(10)
        ahead, behind = (
            nearest(metric, **{name: GIVEN[metric][name] + sign * step})(bodies).sum()
            for sign in (1, -1)
        )
        slope = (option.grad.numpy() * step).sum() / 1e-6
        np.testing.assert_allclose(slope, (ahead - behind) / 2e-6, atol=1e-6)
    spheres = torch.asarray(SYMMETRIC).requires_grad_()
    nearest(metric, **GIVEN[metric])(spheres, torch.asarray).sum().backward()
    assert bool(torch.isfinite(spheres.grad).all())


FLOORED = np.array([-1, 0.1, 0.2, 0.3, 1, 0, 0, 1.1, 0.1, 1.2])
NOT_FINITE = np.array([np.nan, 0, 0, 0, 1, 0, 0, 1, 0, 1])
ROWS = np.concatenate([BODIES, SYMMETRIC, [FLOORED, NOT_FINITE]])
REQUESTS = {
    "prior": ("prior", {"prior": PRIOR}),
    "prior about the centre of mass": ("prior", {"prior": PRIOR, "about": "com"}),
    "weighted": ("weighted", GIVEN["weighted"]),
    "weighted with a prior": ("weighted", {"weights": np.arange(10.0), "prior": PRIOR}),
    "weighted with a least mass": ("weighted", {**GIVEN["weighted"], "mass_min": 0.3}),
    "euclidean": ("euclidean", {}),
    "pseudo-inertia about the centre of mass": ("pseudo-inertia", {"about": "com"}),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_callers_library_finds_what_numpy_finds(torch: Any, name: str) -> None:
    metric, options = REQUESTS[name]
    expected = ic.project(ROWS, metric, **options)
    found = ic.project(torch.asarray(ROWS).requires_grad_(), metric, **options)
    assert np.array_equal(found.status_code, expected.status_code)
    # Points and rods without a sound verdict are raised by shares of 1e-11, as rounding decides.
    theta, count = found.theta.detach().numpy(), len(BODIES)
    np.testing.assert_allclose(theta[:count], expected.theta[:count], rtol=0, atol=1e-12)
    np.testing.assert_allclose(theta, expected.theta, rtol=0, atol=1e-9)
    distance = found.distance.detach().numpy()
    np.testing.assert_allclose(distance, expected.distance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.multiplier, expected.multiplier, rtol=0, atol=1e-9)
    for residual in (found.primal_residual, found.dual_residual, found.gap):
        assert np.nanmax(residual.detach()) <= 1e-12


@pytest.mark.parametrize("name", REQUESTS)
@settings(max_examples=2)
@given(seed=st.integers(0, 2**32 - 1), violation=st.sampled_from([1e-9, 1e-4, 0.5]))
def test_both_newton_loops_find_the_same(name: str, seed: int, violation: float) -> None:
    """The loop that gathers NumPy's rows and the one that masks those of other libraries."""
    torch = pytest.importorskip("torch")
    metric, options = REQUESTS[name]
    near = {"violation": (violation / 10, violation), "mass": (0.3, 3), "length": (0.3, 3)}
    drawn = sampling.inconsistent(seed, 20, **near, offset=(0.1, 1))
    rows = np.array(drawn.as_theta(about=options.get("about", "origin")))
    expected = ic.project(rows, metric, **options)
    found = ic.project(torch.asarray(rows).requires_grad_(), metric, **options)
    assert np.array_equal(found.status_code, expected.status_code)
    size = np.abs(expected.theta).max(axis=1, keepdims=True)
    assert (np.abs(found.theta.detach().numpy() - expected.theta) <= 1e-9 * size).all()


@pytest.mark.parametrize("metric", ["weighted", "pseudo-inertia"])
def test_matrix_metrics_stay_on_a_device_that_numpy_cannot_read(metric: Any) -> None:
    given = {key: np.asarray(value) for key, value in GIVEN[metric].items()}

    def compute(theta: Any, *options: Any) -> Any:
        named = dict(zip(given, options, strict=True))
        found = ic.project(theta, metric, **named).theta
        plain = np.asarray(found.to_device(type(found.device)("CPU_DEVICE")))
        np.testing.assert_allclose(plain, ic.project(BODIES, metric, **given).theta, atol=1e-12)
        return found

    assert stays_on_its_device(compute, [BODIES, *given.values()])


def test_small_floats_stay_small(torch: Any) -> None:
    theta = torch.asarray(BODIES, dtype=torch.float32).requires_grad_()
    found = ic.project(theta, "weighted", **GIVEN["weighted"])
    assert found.theta.dtype == torch.float32
    expected = ic.project(BODIES, "weighted", **GIVEN["weighted"])
    np.testing.assert_allclose(found.theta.detach(), expected.theta, atol=3e-5)
    assert np.array_equal(found.status_code, expected.status_code)


def test_bad_weights_and_priors_of_a_trace_have_no_nearest(torch: Any) -> None:
    bad = torch.asarray([1.0, 0, 0, 0, -1, 0, 0, 1, 0, 1], dtype=torch.float64)
    with pytest.raises(ic.ParameterError, match="prior is not positive definite"):
        ic.project(torch.asarray(BODIES), "prior", prior=bad.clone().requires_grad_())
    priors = torch.stack([torch.asarray(PRIOR), bad])
    codes = torch.func.vmap(
        lambda theta, prior: ic.project(theta, "prior", prior=prior).status_code
    )(torch.asarray(BODIES[:2]), priors)
    assert codes.tolist() == [1, 3]


@pytest.mark.parametrize("metric", ["prior", "weighted"])
def test_jax_traces_matrix_metrics_without_a_callback(jax: Any, metric: Any) -> None:
    slopes = jax.vmap(jax.grad(lambda t: nearest(metric, **GIVEN[metric])(t, jax.numpy.asarray)))
    traced = str(jax.make_jaxpr(slopes)(BODIES))
    assert "while" in traced
    assert "callback" not in traced


@pytest.mark.parametrize("metric", GIVEN)
def test_jax_compiles_matrix_metrics(jax: Any, metric: Any, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long"):
        pytest.skip(COMPILES)

    def compute(theta: Any) -> Any:
        return ic.project(theta, metric, **GIVEN[metric]).theta

    expected = ic.project(BODIES, metric, **GIVEN[metric])
    found = jax.jit(jax.vmap(compute))(BODIES)
    np.testing.assert_allclose(found, expected.theta, rtol=0, atol=1e-12)
    value = nearest(metric, **GIVEN[metric])
    slopes = jax.jit(jax.vmap(jax.grad(lambda t: value(t, jax.numpy.asarray))))(BODIES)
    np.testing.assert_allclose(slopes, central_differences(value, BODIES), rtol=1e-6, atol=1e-6)


def test_the_slope_of_a_point_mass_is_that_without_its_floor(torch: Any) -> None:
    """The nearest is a point mass with a floor of 1e-11, which small differences see jump."""
    theta, step = np.array([2.0, 0, 0, 0, -1, 0.1, 0, -1, 0, -1]), 1e-4
    slopes = torch.func.jacrev(lambda t: ic.project(t, "pseudo-inertia").theta)
    ahead, behind = (
        ic.project(theta + sign * step * np.eye(10), "pseudo-inertia").theta for sign in (1, -1)
    )
    found = slopes(torch.asarray(theta)).numpy()
    np.testing.assert_allclose(found.T, (ahead - behind) / (2 * step), atol=1e-6)


def test_a_projection_is_a_layer_of_an_optimisation(torch: Any) -> None:
    """The program of docs/differentiation.md."""
    given = torch.tensor([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 3], dtype=torch.float64)
    optimizer = torch.optim.SGD([given], lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        ((ic.project(given, "euclidean").theta - target) ** 2).sum().backward()
        optimizer.step()
    six = ic.project(given, "euclidean").theta.detach()[4:]
    np.testing.assert_allclose(six, np.array([4, 0, 0, 4, 0, 8]) / 3, atol=1e-3)


def test_a_metric_without_derivatives_says_which_have_some(torch: Any) -> None:
    theta = torch.asarray(BODIES).requires_grad_()
    with pytest.raises(ic.ParameterError, match=r"prior, weighted, .* can be traced"):
        ic.project(theta, "entropic", prior=PRIOR)


def test_equal_eigenvalues_share_their_slope_in_any_axes(torch: Any) -> None:
    def slope(six: Any) -> Any:
        six = torch.asarray(six, requires_grad=True)
        ic.check(torch.cat([torch.ones(1), torch.zeros(3), six]).double()).margin.backward()
        return six.grad

    rod = slope([2.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    np.testing.assert_allclose(rod, slope([1.0, 0.0, 0.0, 1.0, 0.0, 2.0])[[5, 1, 2, 3, 4, 0]])
    assert rod[1] == rod[2] == 0


def test_second_slopes_of_a_margin(jax: Any, torch: Any) -> None:
    theta, step = BODIES[-1], 1e-6
    curvature = torch.func.jacrev(torch.func.jacrev(margin))(torch.asarray(theta)).numpy()
    slope = torch.func.grad(margin)
    ahead, behind = (
        np.stack([slope(torch.asarray(theta + sign * step * e)).numpy() for e in np.eye(10)])
        for sign in (1, -1)
    )
    np.testing.assert_allclose(curvature, (ahead - behind) / (2 * step), atol=1e-6)


def test_jax_compiles_a_projection_once(jax: Any, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long"):
        pytest.skip(COMPILES)

    @jax.jit
    def compute(theta: Any) -> Any:
        found = ic.project(theta, about="com")
        return found.theta, found.status_code, found.distance, found.primal_residual

    theta = BODIES + np.zeros((4, 10))
    theta[:, 1:4] = 0
    expected = ic.project(theta, about="com")
    for _ in range(2):
        moved, codes, distance, residual = map(np.asarray, compute(theta))
    assert compute._cache_size() == 1
    np.testing.assert_allclose(moved, expected.theta, rtol=0, atol=1e-12)
    np.testing.assert_allclose(distance, expected.distance, rtol=0, atol=1e-12)
    assert np.array_equal(codes, expected.status_code)
    assert np.all(residual <= 1e-12)
