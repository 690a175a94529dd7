"""Samples near a body: every one exists, and each width moves what it says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import solids
from inertial_check.inertia.randomisation import NORMALS
from inertial_check.inertia.sampling import STRATA, consistent, inconsistent, rotations

WIDTHS = {"mass": 0.1, "com": 0.2, "spread": 0.3, "ratios": 0.2, "axes": 0.3}
LINK = ic.InertialParameters.from_com(2.0, [0.1, 0.0, 0.2], np.diag([0.02, 0.03, 0.04]))
COUNT = 20_000
STEADY = 5 / np.sqrt(COUNT)
"""Five standard errors of a mean of COUNT unit normals; of their deviation it is seven."""

scales = st.floats(1e-3, 1e3)


def spreads_of(body: ic.InertialParameters) -> Any:
    """Eigenvalues of the covariance of the mass, ascending, by LAPACK [m^2]."""
    return np.linalg.eigvalsh(body.covariance)


def radius_of(body: ic.InertialParameters) -> Any:
    return np.sqrt(np.trace(body.covariance, axis1=-2, axis2=-1))


def normal(values: Any, deviation: float) -> None:
    """Mean 0 and this deviation; the seed is fixed, so it passes or fails for good."""
    assert abs(values.mean()) < STEADY * deviation
    assert abs(values.std() / deviation - 1) < STEADY


class TestEverySampleExists:
    @pytest.mark.parametrize("about", ["com", "origin"])
    @pytest.mark.parametrize("stratum", STRATA)
    def test_at_zero_tolerance_in_both_precisions(self, stratum: str, about: str) -> None:
        near = {"offset": (1e-3, 10)} if about == "origin" else {}
        bodies = consistent(11, 200, strata=[stratum], **near).as_theta(about=about)
        if stratum == "point" and about == "origin":
            bodies[..., 1:] = 0  # beside the origin a point cannot be told from a small body
        drawn = ic.sample(bodies, 20, about=about, rng=12, **WIDTHS)
        nominal = ic.check(bodies, about=about)
        result = ic.check(drawn, about=about)
        assert result.consistent.all()
        if stratum in ("plate", "rod", "point"):
            assert (result.verdict == "boundary").all()
            assert (nominal.verdict == "boundary").all()
        with np.errstate(over="ignore", under="ignore"):
            single = ic.check(drawn.astype(np.float32), about=about)
        kept = np.isfinite(single.theta).all(-1) & (single.tolerance < 1e-3)
        assert kept.mean() > 0.9
        assert single.consistent[kept].all()

    @pytest.mark.parametrize("stratum", ["solid", "sphere", "plate", "rod"])
    def test_drawn_in_single_precision(self, stratum: str) -> None:
        ordinary = {"mass": (1e-3, 1e3), "length": (1e-3, 1e1), "offset": (1e-3, 1.0)}
        bodies = consistent(13, 300, strata=[stratum], **ordinary)
        theta = bodies.as_theta(about="com").astype(np.float32)
        drawn = ic.sample(theta, 20, about="com", rng=14, **WIDTHS)
        assert drawn.dtype == np.float32
        assert ic.check(drawn, about="com").consistent.all()

    @given(st.integers(0, 10**6), scales, scales, st.floats(0, 2), st.floats(0, 2))
    def test_however_wide_the_widths(self, seed, mass, length, narrow, wide):
        bodies = consistent(seed, 30, mass=(mass, 2 * mass), length=(length, 2 * length))
        widths = {"mass": wide, "com": wide, "spread": narrow, "ratios": wide, "axes": wide}
        assert ic.check(ic.sample(bodies, 10, rng=seed, **widths)).consistent.all()


class TestZeroWidthsReturnTheBody:
    @pytest.mark.parametrize("about", ["com", "origin"])
    def test_bit_for_bit(self, about: str) -> None:
        near = {"offset": (1e-3, 10)}
        bodies = consistent(1, 300, strata=[*STRATA][:-1], **near).as_theta("mujoco", about)
        bodies = np.concatenate([[[1.0, -0.0, 0.0, -0.0, 1.0, 1.0, 1.0, -0.0, 0.0, -0.0]], bodies])
        drawn = ic.sample(bodies, 3, order="mujoco", about=about, rng=0)
        assert drawn.shape == (3, 301, 10)
        assert drawn.tobytes() == np.stack([bodies] * 3).tobytes()

    def test_parameters_with_their_centre_of_mass(self) -> None:
        bodies = consistent(2, 50)
        drawn = ic.sample(bodies, rng=0)
        assert drawn.about == bodies.about
        assert drawn.as_theta(about="com").tobytes() == bodies.as_theta(about="com").tobytes()
        assert drawn.com.tobytes() == bodies.com.tobytes()

    def test_only_where_all_are_zero(self) -> None:
        bodies = consistent(3, 2, strata=["solid"])
        drawn = ic.sample(bodies, rng=0, mass=[0.0, 0.1])
        assert (drawn.as_theta() == bodies.as_theta())[0].all()
        assert drawn.mass[1] != bodies.mass[1]

    def test_a_frame_without_mass_stays_one(self) -> None:
        assert not ic.sample(np.zeros((2, 10)), 5, rng=0, **WIDTHS).any()


class TestEachWidthMovesOneThing:
    def drawn(self, **widths: float) -> ic.InertialParameters:
        return ic.sample(LINK, COUNT, rng=21, **widths)

    def test_mass(self) -> None:
        drawn = self.drawn(mass=0.1)
        normal(np.log(drawn.mass / LINK.mass), 0.1)
        np.testing.assert_allclose(drawn.com, np.broadcast_to(LINK.com, drawn.com.shape))
        ratio = drawn.inertia_com / drawn.mass[:, None, None]
        np.testing.assert_allclose(ratio - LINK.inertia_com / LINK.mass, 0, atol=1e-16)

    def test_com(self) -> None:
        drawn = self.drawn(com=0.1)
        ways = (drawn.com - LINK.com) / np.sqrt(np.diag(LINK.covariance))
        for axis in range(3):
            normal(ways[:, axis], 0.1)
        square = ((drawn.com - LINK.com) ** 2).sum(-1).mean()
        assert np.sqrt(square) == pytest.approx(0.1 * radius_of(LINK), rel=0.02)
        assert (drawn.mass == LINK.mass).all()
        assert (drawn.inertia_com == LINK.inertia_com).all()

    def test_spread(self) -> None:
        drawn = self.drawn(spread=0.1)
        normal(np.log(radius_of(drawn) / radius_of(LINK)), 0.1)
        shares = spreads_of(drawn) / spreads_of(drawn).sum(-1, keepdims=True)
        np.testing.assert_allclose(
            shares - spreads_of(LINK) / spreads_of(LINK).sum(), 0, atol=1e-14
        )
        assert (drawn.mass == LINK.mass).all()
        assert (drawn.com == LINK.com).all()

    def test_ratios(self) -> None:
        drawn = self.drawn(ratios=0.05)
        logs = (np.log(np.diagonal(drawn.covariance, axis1=-2, axis2=-1))) / 2
        nominal = np.log(np.diag(LINK.covariance)) / 2
        for i, j in ((0, 1), (0, 2), (1, 2)):
            normal(logs[:, i] - logs[:, j] - (nominal[i] - nominal[j]), 0.05)
        np.testing.assert_allclose(radius_of(drawn), radius_of(LINK), rtol=1e-13)
        off = drawn.inertia_com[:, ~np.eye(3, dtype=bool)]
        assert not off.any()  # the axes stay
        assert (drawn.com == LINK.com).all()

    def test_axes(self) -> None:
        drawn = self.drawn(axes=0.1)
        np.testing.assert_allclose(spreads_of(drawn) - spreads_of(LINK), 0, atol=1e-16)
        turned = drawn.principal_axes()
        cosine = np.abs(turned[:, 2, 2])  # z is turned by what is not about z: chi with two degrees
        angle = np.arccos(np.minimum(cosine, 1))
        assert np.sqrt((angle**2).mean()) == pytest.approx(0.1 * np.sqrt(2), rel=0.02)

    def test_they_are_independent(self) -> None:
        drawn = self.drawn(**WIDTHS)
        logs = np.log(np.linalg.eigvalsh(drawn.covariance)) / 2
        things = [
            np.log(drawn.mass),
            *drawn.com.T,
            np.log(radius_of(drawn)),
            logs[:, 2] - logs[:, 1],
        ]
        correlation = np.corrcoef(things) - np.eye(len(things))
        assert np.abs(correlation).max() < STEADY


@pytest.mark.parametrize(
    ("edges", "percent"),
    [((1, 1, 1), 0), ((3, 2, 1), 12), ((10, 10, 1), 46), ((10, 1, 1), 89), ((30, 1, 1), 99)],
)
def test_noise_on_each_moment_leaves_the_set_as_the_page_says(edges: Any, percent: int) -> None:
    moments = solids.box(edges, mass=1.0).principal_moments()
    noisy = moments * np.exp(0.1 * np.random.default_rng(0).normal(size=(COUNT, 3)))
    bodies = ic.InertialParameters.from_com(1.0, np.zeros(3), noisy[:, :, None] * np.eye(3))
    assert 100 * (1 - ic.check(bodies).consistent.mean()) == pytest.approx(percent, abs=1)


class TestInvariance:
    """The law of the samples does not know units or frames."""

    def noise(self, count: int = 50) -> Any:
        return np.random.default_rng(31).normal(size=(count, NORMALS))

    @given(st.floats(1e-6, 1e6), st.floats(1e-4, 1e4))
    def test_units(self, mass_unit, length_unit):
        unit = mass_unit * np.array([1.0] + [length_unit] * 3 + [length_unit**2] * 6)
        body, noise = consistent(32, strata=["solid"]).as_theta(about="com"), self.noise()
        plain, scaled = (
            ic.sample(theta, noise=noise, about="com", **WIDTHS) for theta in (body, body * unit)
        )
        size = np.abs(plain).max(axis=0)
        np.testing.assert_allclose(scaled / unit / size, plain / size, rtol=0, atol=1e-12)

    @given(st.integers(0, 10**6))
    @settings(max_examples=20)
    def test_origin(self, seed):
        body, noise = consistent(seed, strata=["solid"], offset=(0.1, 1)), self.noise()
        way = np.random.default_rng(seed).normal(size=3) * radius_of(body)
        moved = ic.sample(body.translate(way), noise=noise, **WIDTHS)
        expected = ic.sample(body, noise=noise, **WIDTHS).translate(way)
        size = np.abs(expected.as_theta()).max(axis=0)
        np.testing.assert_allclose((moved.as_theta() - expected.as_theta()) / size, 0, atol=1e-12)

    @given(st.integers(0, 10**6))
    @settings(max_examples=20)
    def test_axes_turned_with_their_noise(self, seed):
        """Noise of vectors turns with the body; its law does not change by that."""
        body, R_AB, noise = consistent(33, strata=["solid"]), rotations(seed), self.noise()
        turned = noise.copy()
        for part in (slice(1, 4), slice(8, 11)):
            turned[:, part] = noise[:, part] @ R_AB.T
        got = ic.sample(body.rotate(R_AB), noise=turned, **WIDTHS).as_theta()
        expected = ic.sample(body, noise=noise, **WIDTHS).rotate(R_AB).as_theta()
        size = np.abs(expected).max()
        np.testing.assert_allclose(got / size, expected / size, rtol=0, atol=1e-11)

    @pytest.mark.parametrize("spreads", [(1.0, 1.0, 1.0), (1.0, 1.0, 3.0), (1.0, 3.0, 3.0)])
    def test_equal_spreads_have_no_preferred_axes(self, spreads: tuple[float, ...]) -> None:
        """A ball or a cylinder is drawn as one, however its frame lies: the mean body is round."""
        a, b, c = spreads
        inertia = np.diag([b + c, c + a, a + b])
        drawn = ic.sample(
            ic.InertialParameters.from_com(1.0, np.zeros(3), inertia), COUNT, rng=34, ratios=0.3
        )
        mean = drawn.covariance.mean(axis=0)
        equal = [i for i in range(3) if spreads.count(spreads[i]) > 1]
        diagonal = mean[equal, equal]
        np.testing.assert_allclose(diagonal, diagonal.mean(), rtol=0.02)
        assert np.abs(mean[~np.eye(3, dtype=bool)]).max() < 0.02
        fourth = (drawn.covariance - mean) ** 2
        i, j = equal[:2]
        # Round to second order, too: of a matrix H, var H_ij = var((H_ii - H_jj) / 2).
        difference = drawn.covariance[:, i, i] - drawn.covariance[:, j, j]
        assert fourth[:, i, j].mean() == pytest.approx((difference**2).mean() / 4, rel=0.05)


class TestSingularBodies:
    def test_a_plate_is_moved_in_its_plane(self) -> None:
        plate = ic.InertialParameters.from_com(1.0, [0.0, 0, 0.5], np.diag([1.0, 2.0, 3.0]))
        drawn = ic.sample(plate, 1000, rng=41, mass=0.1, com=0.3, spread=0.2, ratios=0.3)
        assert (drawn.com[:, 2] == 0.5).all()
        assert drawn.com[:, :2].std() > 0.1
        assert np.abs(drawn.covariance[:, 2, 2]).max() <= 1e-15

    def test_a_rod_keeps_its_length_under_ratios(self) -> None:
        rod = ic.InertialParameters.from_com(1.0, [0.0, 0, 0], np.diag([1.0, 1.0, 0.0]))
        drawn = ic.sample(rod, 100, rng=42, ratios=0.5)
        np.testing.assert_allclose(drawn.inertia_com, [rod.inertia_com] * 100, atol=1e-15)

    def test_a_point_changes_its_mass_alone(self) -> None:
        point = ic.InertialParameters.from_com(1.0, [1.0, 2, 3], np.zeros((3, 3)))
        drawn = ic.sample(point, 10, rng=43, **WIDTHS)
        assert not drawn.inertia_com.any()
        np.testing.assert_allclose(drawn.com, [[1.0, 2, 3]] * 10, rtol=1e-15)
        assert drawn.mass.std() > 0


class TestArguments:
    def test_shapes(self) -> None:
        bodies = consistent(1, (4, 3), strata=["solid"]).as_theta()
        assert ic.sample(bodies, rng=0, mass=0.1).shape == (4, 3, 10)
        assert ic.sample(bodies, 5, rng=0, mass=0.1).shape == (5, 4, 3, 10)
        assert ic.sample(bodies, (2, 5), rng=0, com=[0.1, 0.2, 0.3]).shape == (2, 5, 4, 3, 10)
        assert ic.sample(bodies[0, 0], 5, rng=0, com=[0.1, 0.2]).shape == (5, 2, 10)
        assert ic.sample(bodies, noise=np.zeros((7, 1, 3, NORMALS))).shape == (7, 4, 3, 10)

    def test_no_noise_no_change(self) -> None:
        bodies = consistent(1, 20, strata=["solid"]).as_theta(about="com")
        drawn = ic.sample(bodies, noise=np.zeros(NORMALS), about="com", **WIDTHS)
        size = np.abs(bodies[:, 4:]).max(axis=-1, keepdims=True)
        np.testing.assert_allclose(drawn[:, :4], bodies[:, :4], rtol=1e-15)
        np.testing.assert_allclose((drawn - bodies)[:, 4:] / size, 0, atol=1e-14)

    def test_orders_are_read_and_kept(self) -> None:
        body = consistent(5, strata=["solid"])
        for order in ("urdf", "wensing"):
            theta = body.as_theta(order, "com")
            drawn = ic.sample(theta, 4, order=order, about="com", rng=3, **WIDTHS)
            again = ic.InertialParameters.from_theta(drawn, order, "com")
            expected = ic.sample(body, 4, rng=3, **WIDTHS)
            assert np.array_equal(again.inertia_com, expected.inertia_com)

    def test_a_seed_repeats_and_a_generator_goes_on(self) -> None:
        rng = np.random.default_rng(3)
        first, second = (ic.sample(LINK, rng=rng, mass=0.1).mass for _ in range(2))
        assert first == ic.sample(LINK, rng=3, mass=0.1).mass
        assert first != second

    def test_impossible_bodies_are_refused_with_their_index(self) -> None:
        bodies = consistent(1, (2, 3), strata=["solid"]).as_theta(about="com").copy()
        bodies[1, 2] = inconsistent(1).as_theta(about="com")
        with pytest.raises(ParameterError, match=r"body \(1, 2\) is inconsistent .*project"):
            ic.sample(bodies, about="com", rng=0)
        with pytest.raises(ParameterError, match="the body is invalid"):
            ic.sample([-1.0] + [0.0] * 9, rng=0)

    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
    def test_what_is_no_width(self, width: str, value: float) -> None:
        with pytest.raises(ParameterError, match=f"{width} of body 1 is .*standard deviation"):
            ic.sample(LINK.as_theta(), rng=0, **{width: [0.1, value]})

    def test_where_the_numbers_come_from_is_said(self) -> None:
        with pytest.raises(ParameterError, match="neither of rng and noise"):
            ic.sample(LINK)
        with pytest.raises(ParameterError, match="both of rng and noise"):
            ic.sample(LINK, rng=0, noise=np.zeros(NORMALS))
        with pytest.raises(ParameterError, match=r"shape is \(3,\) beside noise"):
            ic.sample(LINK, 3, noise=np.zeros(NORMALS))
        with pytest.raises(ParameterError, match=r"noise has shape \(5,\)"):
            ic.sample(LINK, noise=np.zeros(5))
        with pytest.raises(ParameterError, match=r"noise at \(3,\) is nan"):
            ic.sample(LINK, noise=np.where(np.arange(NORMALS) == 3, np.nan, 0))
        with pytest.raises(ParameterError, match="do not broadcast"):
            ic.sample(np.tile(LINK.as_theta(), (3, 1)), noise=np.zeros((2, NORMALS)))

    @pytest.mark.parametrize("shape", [-1, 1.5, "3", (2, -1), True, [2]])
    def test_what_is_no_shape(self, shape: Any) -> None:
        with pytest.raises(ParameterError, match=r"shape is .* number of samples"):
            ic.sample(LINK, shape, rng=0)

    @pytest.mark.parametrize("width", ["mass", "spread", "ratios"])
    def test_widths_that_leave_the_range_of_the_numbers(self, width: str) -> None:
        with pytest.raises(
            ParameterError, match=r"a sample of body \d+ leaves the range of float64"
        ):
            ic.sample(LINK, 100, rng=0, **{width: 1e4})


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="pip install torch")


def slopes(function: Any, at: Any) -> Any:
    """Central differences of a function of one vector."""
    turns = 1e-6 * np.eye(len(at))
    return np.array([function(at + e) - function(at - e) for e in turns]) / 2e-6


def weighted(about: str, theta: Any, widths: Any, noise: Any, weights: Any) -> Any:
    """A weighted sum of the numbers of one sample."""
    named = dict(zip(WIDTHS, widths, strict=True))
    return ic.sample(theta, noise=noise, about=about, **named) @ weights


def draws() -> tuple[Any, Any, Any]:
    """Widths, the noise of one sample, and weights of its numbers."""
    rng = np.random.default_rng(6)
    return np.array([*WIDTHS.values()]), rng.normal(size=NORMALS), rng.normal(size=10)


@cache
def compiled_slopes(about: str) -> Callable[[Any, Any], tuple[Any, Any]]:
    """JAX's slopes in theta and in widths, which take seconds to compile: once for all bodies."""
    import jax

    noise, weights = (jax.numpy.asarray(a, dtype=float) for a in draws()[1:])

    def value(theta: Any, widths: Any) -> Any:
        return weighted(about, theta, widths, noise, weights)

    return jax.jit(jax.grad(value, (0, 1)))


class TestOtherLibraries:
    def body(self, stratum: str = "solid", about: str = "com") -> Any:
        ordinary = {"mass": (0.5, 2), "length": (0.3, 1), "offset": (0.5, 2)}
        return consistent(5, strata=[stratum], **ordinary).as_theta(about=about)

    def torch_slopes(self, torch: Any, about: str, *given: Any) -> tuple[Any, Any]:
        theta, widths, noise, weights = (torch.asarray(np.array(a)) for a in given)
        theta.requires_grad_()
        widths.requires_grad_()
        weighted(about, theta, widths, noise, weights).backward()
        return theta.grad.numpy(), widths.grad.numpy()

    def jax_slopes(self, jax: Any, about: str, *given: Any) -> tuple[Any, Any]:
        theta, widths = (jax.numpy.asarray(a, dtype=float) for a in given)
        return tuple(np.asarray(g) for g in compiled_slopes(about)(theta, widths))

    @pytest.mark.parametrize("about", ["com", "origin"])
    def test_slopes_are_those_of_differences(self, torch: Any, jax: Any, about: str) -> None:
        theta = self.body(about=about)
        widths, *rest = draws()
        expected = (
            slopes(lambda t: weighted(about, t, widths, *rest), theta),
            slopes(lambda w: weighted(about, theta, w, *rest), widths),
        )
        for got in (
            self.torch_slopes(torch, about, theta, *draws()),
            self.jax_slopes(jax, about, theta, widths),
        ):
            for mine, theirs in zip(got, expected, strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-7 * np.abs(theirs).max())

    @pytest.mark.parametrize("stratum", ["sphere", "round", "plate", "rod", "point"])
    def test_slopes_are_finite_and_right_where_shapes_are_singular(
        self, torch: Any, jax: Any, stratum: str
    ) -> None:
        theta = self.body(stratum)
        widths, noise, weights = draws()
        expected = slopes(lambda w: weighted("com", theta, w, noise, weights), widths)
        mine = self.torch_slopes(torch, "com", theta, widths, noise, weights)
        theirs = self.jax_slopes(jax, "com", theta, widths)
        for one, other in zip(mine, theirs, strict=True):
            assert np.isfinite(one).all()
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.abs(one).max())
        np.testing.assert_allclose(mine[1], expected, rtol=0, atol=1e-7 * np.abs(expected).max())

    def test_slopes_at_zero_widths(self, torch: Any) -> None:
        """The value is the body itself, and its slope is not lost by that."""
        theta = self.body()
        widths, noise, weights = draws()
        none = 0 * widths
        in_theta, in_widths = self.torch_slopes(torch, "com", theta, none, noise, weights)
        np.testing.assert_allclose(in_theta, weights, atol=1e-12)
        step = 1e-7
        for i, (name, slope) in enumerate(zip(WIDTHS, in_widths, strict=True)):
            drawn = ic.sample(theta, noise=noise, about="com", **{name: step})
            expected = float((drawn - theta) @ weights) / step
            assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6 * np.abs(in_widths).max()), i

    @pytest.mark.parametrize("stratum", ["solid", "sphere", "round", "plate", "rod"])
    def test_the_same_noise_gives_the_same_bodies(self, torch: Any, stratum: str) -> None:
        theta, noise = self.body(stratum), np.random.default_rng(8).normal(size=(20, NORMALS))
        expected = ic.sample(theta, noise=noise, about="com", **WIDTHS)
        given = (torch.asarray(a.tolist(), dtype=torch.float64) for a in (theta, noise))
        body, numbers = given
        got = ic.sample(body, noise=numbers, about="com", **WIDTHS)
        np.testing.assert_allclose(got.numpy(), expected, rtol=0, atol=1e-11)
        strict = pytest.importorskip("array_api_strict", reason="pip install array-api-strict")
        got = ic.sample(
            strict.asarray(theta.tolist()),
            noise=strict.asarray(noise.tolist()),
            about="com",
            **WIDTHS,
        )
        np.testing.assert_allclose(np.asarray(got), expected, rtol=0, atol=1e-11)

    def test_generators_of_the_libraries(self, torch: Any, jax: Any) -> None:
        for theta, rng in (
            (torch.asarray(self.body().tolist()), torch.Generator().manual_seed(1)),
            (jax.numpy.asarray(self.body(), dtype="float32"), jax.random.key(1)),
            (jax.numpy.asarray(self.body(), dtype="float32"), jax.random.PRNGKey(1)),
            (torch.asarray(self.body().tolist()), np.random.default_rng(1)),
            (jax.numpy.asarray(self.body(), dtype="float32"), 1),
        ):
            drawn = ic.sample(theta, 4000, about="com", rng=rng, mass=0.1)
            assert type(drawn) is type(theta)
            assert drawn.dtype == theta.dtype
            logs = np.log(np.asarray(drawn)[:, 0] / float(theta[0]))
            assert abs(logs.mean()) < 0.1 * 5 / 4000**0.5
            assert abs(logs.std() - 0.1) < 0.1 * 5 / 4000**0.5

    def test_a_generator_of_another_library_is_refused(self, torch: Any) -> None:
        with pytest.raises(ParameterError, match="arrays of one library"):
            ic.sample(self.body(), about="com", rng=torch.Generator(), mass=0.1)
        drawn = ic.sample(self.body().tolist(), about="com", rng=torch.Generator(), mass=0.1)
        assert isinstance(drawn, torch.Tensor)  # a list belongs to no library

    def test_what_a_trace_hides_from_refusal_is_nan(self, jax: Any) -> None:
        bodies = np.stack([self.body(), inconsistent(1).as_theta(about="com")])
        draw = jax.jit(lambda theta, key: ic.sample(theta, about="com", rng=key, **WIDTHS))
        drawn = np.asarray(draw(bodies, jax.random.key(0)))
        assert ic.check(drawn[0], about="com").consistent
        assert np.isnan(drawn[1]).all()


def test_samples_go_into_mujoco_as_they_are() -> None:
    """The compiled model has the drawn masses, places and moments: nothing is balanced."""
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
    drawn = ic.sample(LINK, 20, rng=51, **WIDTHS)
    for body in drawn:
        spec = mujoco.MjSpec()
        spec.compiler.balanceinertia = False
        link = spec.worldbody.add_body(name="link", explicitinertial=True)
        link.add_freejoint()
        link.mass, link.ipos = float(body.mass), body.com
        link.fullinertia = body.as_theta(order="mujoco", about="com")[4:]
        model = spec.compile()
        assert model.body_mass[1] == pytest.approx(float(body.mass), rel=1e-14)
        np.testing.assert_allclose(model.body_ipos[1], body.com, rtol=1e-14)
        moments = np.linalg.eigvalsh(body.inertia_com)
        np.testing.assert_allclose(np.sort(model.body_inertia[1]), moments, rtol=1e-9)
