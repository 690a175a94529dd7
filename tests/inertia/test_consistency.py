from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
import oracles
from inertial_check.inertia.consistency import Consistency, Verdict, check_printed_numbers

EPS = np.finfo(float).eps


def vector(six, mass=1.0, h=(0, 0, 0)):
    return np.concatenate([[mass], h, np.asarray(six, dtype=float)])


def rows_of_every_kind(rng, count):
    """Consistent, inconsistent and degenerate theta about the centre of mass, all scales."""
    s = rng.uniform(0, 1, size=(count, 3))
    kind = rng.integers(6, size=count)
    s[kind == 1, 0] = 0
    s[kind == 2, :2] = 0
    s[kind == 3, 0] *= -1
    s[kind == 4, :2] *= -1
    s[kind == 5] = 0
    rotation = oracles.rotations(rng, count)
    second = (rotation * s[:, None, :]) @ rotation.transpose(0, 2, 1)
    tensor = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    six = oracles.six_of(tensor) * 10.0 ** rng.uniform(-14, 9, size=(count, 1))
    mass = 10.0 ** rng.uniform(-6, 6, size=(count, 1))
    return np.concatenate([mass, rng.normal(size=(count, 3)), six], axis=-1), kind


class TestVerdicts:
    @pytest.mark.parametrize(
        ("theta", "about", "verdict"),
        [
            (vector((1, 0, 0, 1, 0, 1)), "com", "consistent"),
            (vector((0.1, 0, 0, 0.2, 0, 0.3)), "com", "boundary"),
            (vector((0, 0, 0, 1, 0, 1)), "com", "boundary"),
            (vector((0,) * 6), "com", "boundary"),
            (vector((1, 0, 0, 1, 0, 2.1)), "com", "inconsistent"),
            (vector((-1, 0, 0, 1, 0, 1)), "com", "inconsistent"),
            (vector((-1, 0, 0, -1, 0, -1)), "com", "inconsistent"),
            (vector((1, 0, 0, 1, 0, 1), mass=-1), "com", "invalid"),
            (vector((1, 0, 0, 1, 0, 1), mass=0), "com", "invalid"),
            (vector((0,) * 6, mass=0), "com", "massless"),
            (vector((0,) * 6, mass=0, h=(1, 0, 0)), "com", "invalid"),
            (vector((0,) * 6, mass=0, h=(1, 0, 0)), "origin", "invalid"),
            (vector((np.nan, 0, 0, 1, 0, 1)), "com", "invalid"),
            (vector((1, 0, 0, 1, 0, 1), h=(np.inf, 0, 0)), "com", "invalid"),
            (vector((1, 0, 0, 1, 0, 1), mass=np.inf), "com", "invalid"),
            (vector((1, 0, 0, 1, 0, 1), mass=-np.inf), "com", "invalid"),
            # A tensor about the centre of mass declared as about the origin: m |c|^2 too small.
            (vector((0.01, 0, 0, 0.01, 0, 0.01), h=(1, 0, 0)), "origin", "inconsistent"),
            # A point away from the origin: these digits cannot tell it from a small ball.
            (vector((0, 0, 0, 1, 0, 1), h=(1, 0, 0)), "origin", "ill-posed"),
            (vector((1e-9, 0, 0, 1e18, 0, 1e18), h=(1e9, 0, 0)), "origin", "ill-posed"),
        ],
    )
    def test_single(self, theta, about, verdict):
        result = ic.check(theta, about=about)
        assert result.verdict == verdict
        assert isinstance(result.verdict, str)
        assert bool(result.consistent) == (verdict in ("consistent", "boundary"))
        assert ic.check(np.stack([theta] * 3), about=about).verdict.tolist() == [verdict] * 3

    def test_fast_path_equals_the_margin(self):
        theta, _ = rows_of_every_kind(np.random.default_rng(1), 30_000)
        for about in ("com", "origin"):
            fast = ic.check(theta, about=about)
            slow = Consistency(theta, about)
            codes = slow._codes(theta, slow.margin, slow.tolerance)
            assert np.array_equal(fast.verdict_code, codes)

    def test_rounding_to_float32_decides_nothing(self):
        """Bodies closer to the boundary than float32 tells, at every size that float64 holds."""
        rng = np.random.default_rng(5)
        depth = 10.0 ** rng.uniform(-15, -4, 4_000) * rng.choice([-1, 1], 4_000)
        moments = np.stack([np.ones(4_000), np.ones(4_000), 2 - depth], axis=-1)
        turn = np.linalg.qr(rng.normal(size=(4_000, 3, 3)))[0]
        tensors = (turn * moments[:, None]) @ turn.swapaxes(-1, -2)
        upper = tensors[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        mass, h = np.ones((4_000, 1)), rng.normal(size=(4_000, 3))
        for size in 10.0 ** np.array([-60, -25, -12, 0, 6, 25, 60]):
            theta = np.concatenate([mass, h * size, upper * size**2], axis=-1)
            fast, slow = ic.check(theta, about="com"), Consistency(theta, "com")
            codes = slow._codes(theta, slow.margin, slow.tolerance)
            assert np.array_equal(fast.verdict_code, codes)
            sure = np.abs(depth) > 1e-12
            assert np.array_equal(fast.consistent[sure], depth[sure] > 0)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("count", [1, 2, 300])
    def test_the_numbers_of_the_caller_stay(self, dtype, order, count):
        theta = np.array(rows_of_every_kind(np.random.default_rng(6), 300)[0][:count])
        theta = np.array(theta, dtype=dtype, order=order)
        for about in ("com", "origin"):
            before = theta.copy()
            assert ic.check(theta, about=about).verdict_code.shape == (count,)
            assert np.array_equal(theta, before)

    def test_strata_get_their_verdicts(self):
        theta, kind = rows_of_every_kind(np.random.default_rng(2), 30_000)
        verdict = ic.check(theta, about="com").verdict
        assert set(verdict[np.isin(kind, [1, 2, 5])]) == {"boundary"}
        assert set(verdict[np.isin(kind, [3, 4])]) == {"inconsistent"}
        assert set(verdict[kind == 0]) <= {"consistent", "boundary"}
        assert np.mean(verdict[kind == 0] == "consistent") > 0.999

    def test_exact_decimals_decide(self):
        """Plates whose decimals are exactly singular are boundary; one unit more is not."""
        rng = np.random.default_rng(3)
        for _ in range(500):
            a, b = (Fraction(int(rng.integers(1, 10**6)), 10**6) for _ in range(2))
            scale = Fraction(10) ** int(rng.integers(-12, 9))
            plate = [a * scale, 0, 0, b * scale, 0, (a + b) * scale]
            assert oracles.is_singular(plate)
            assert ic.check(vector(plate), about="com").verdict == "boundary"
            beyond = [*plate[:5], plate[5] + scale / 10**6]
            assert not oracles.is_consistent(beyond)
            assert ic.check(vector(beyond), about="com").verdict == "inconsistent"

    def test_tolerance_only_widens_the_boundary(self):
        theta = vector((1, 0, 0, 1, 0, 2.1))
        margin = float(ic.check(theta, about="com").margin)
        assert ic.check(theta, about="com", tolerance=-margin * 1.01).verdict == "boundary"
        assert ic.check(theta, about="com", tolerance=-margin * 0.99).verdict == "inconsistent"
        ball = vector((1, 0, 0, 1, 0, 1))
        assert ic.check(ball, about="com", tolerance=10.0).verdict == "consistent"

    def test_every_order_and_point_agree(self):
        theta, _ = rows_of_every_kind(np.random.default_rng(4), 2000)
        parameters = ic.InertialParameters.from_theta(theta, about="com")
        reference = ic.check(theta, about="com")
        for order in ("urdf", "pinocchio", "mujoco", "wensing", "ksl"):
            again = ic.check(parameters.as_theta(order=order, about="com"), order, "com")
            assert np.array_equal(again.verdict_code, reference.verdict_code)
        origin = ic.check(parameters.as_theta(order="ksl", about="origin"), order="ksl")
        posed = origin.verdict != "ill-posed"
        decided = posed & (np.abs(reference.margin) > origin.tolerance)
        assert np.array_equal(origin.consistent[decided], reference.consistent[decided])
        assert decided.mean() > 0.3
        assert np.array_equal(ic.check(parameters).verdict_code, reference.verdict_code)

    def test_float32_agrees_outside_its_floor(self):
        theta, _ = rows_of_every_kind(np.random.default_rng(5), 20_000)
        double = ic.check(theta, about="com")
        single = ic.check(theta.astype(np.float32), about="com")
        decided = np.abs(double.margin) > 2 * single.tolerance
        assert single.margin.dtype == np.float32
        assert decided.mean() > 0.4
        assert np.array_equal(single.consistent[decided], double.consistent[decided])
        assert set(single.verdict[np.abs(double.margin) < 1e-12]) == {"boundary"}


class TestMargin:
    def test_against_lapack(self):
        theta, _ = rows_of_every_kind(np.random.default_rng(6), 3000)
        truth = [oracles.margin(row[4:]) for row in theta]
        assert np.allclose(ic.check(theta, about="com").margin, truth, rtol=0, atol=16 * EPS)

    @given(
        st.integers(0, 2**32 - 1),
        st.floats(-6, 6),
        st.floats(-4, 2),
        st.tuples(*[st.floats(-1, 1)] * 3),
    )
    def test_invariant_under_frame_and_units(self, seed, mass_unit, length_unit, offset):
        theta, _ = rows_of_every_kind(np.random.default_rng(seed), 8)
        body = ic.InertialParameters.from_theta(theta, about="com")
        rotation = oracles.rotations(np.random.default_rng(seed), 1)[0]
        margin = ic.check(theta, about="com").margin
        turned = ic.check(body.rotate(rotation).as_theta(about="com"), about="com")
        assert np.allclose(turned.margin, margin, rtol=0, atol=32 * EPS)
        kg, m = 10.0**mass_unit, 10.0**length_unit
        units = kg * np.array([1, m, m, m, *[m * m] * 6])
        rescaled = ic.check(theta * units, about="com")
        assert np.allclose(rescaled.margin, margin, rtol=0, atol=32 * EPS)
        moved = ic.check(body.translate(np.array(offset)).as_theta(about="origin"))
        assert np.all(np.abs(moved.margin - margin) <= moved.tolerance + 32 * EPS)

    @given(st.integers(0, 2**32 - 1))
    def test_sums_of_consistent_bodies_are_consistent(self, seed):
        theta, kind = rows_of_every_kind(np.random.default_rng(seed), 12)
        theta = theta[~np.isin(kind, [3, 4])]
        total = ic.InertialParameters.from_theta(theta, about="com")
        combined = total[:1]
        for index in range(1, len(theta)):
            combined = combined + total[index : index + 1]
            assert np.all(combined.inertia_com == combined.inertia_com)
            assert bool(np.all(ic.check(combined).consistent))

    def test_range(self):
        theta, _ = rows_of_every_kind(np.random.default_rng(7), 5000)
        margin = ic.check(theta, about="com").margin
        assert margin.min() >= -1
        assert margin.max() <= 1 / 3 + EPS
        assert ic.check(vector((-1, 0, 0, -1, 0, -1)), about="com").margin == pytest.approx(-1 / 3)


class TestConditions:
    def test_each_condition_by_itself(self):
        triangle = ic.check(vector((1, 0, 0, 1, 0, 2.5)), about="com")
        assert (triangle.inertia_psd, triangle.triangle_inequality) == (True, False)
        assert not triangle.pseudo_inertia_psd
        indefinite = ic.check(vector((-1, 0, 0, 1, 0, 1)), about="com")
        assert not indefinite.inertia_psd
        negative = ic.check(vector((1, 0, 0, 1, 0, 1), mass=-2), about="com")
        assert (negative.mass_positive, negative.triangle_inequality) == (False, True)
        assert not negative.pseudo_inertia_psd

    @pytest.mark.parametrize("about", ["com", "origin"])
    @pytest.mark.parametrize(
        ("mass", "h", "expected"),
        [
            (1, (0, 0, 0), True),
            (0, (0, 0, 0), True),  # in the closure of the cone, although no body
            (0, (1e-9, 0, 0), False),
            (1, (np.nan, 0, 0), False),
            (np.inf, (0, 0, 0), False),
        ],
    )
    def test_pseudo_inertia_without_mass_or_number(self, mass, h, expected, about):
        result = ic.check(vector((1, 0, 0, 1, 0, 1), mass=mass, h=h), about=about)
        assert bool(result.pseudo_inertia_psd) is expected

    def test_moments_are_eigenvalues_of_the_inertia(self):
        theta, _ = rows_of_every_kind(np.random.default_rng(8), 500)
        moments = ic.check(theta, about="com").principal_moments
        for row, got in zip(theta, moments, strict=True):
            tensor = row[4:][[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)
            scale = np.abs(tensor).max()
            assert np.allclose(got, np.linalg.eigvalsh(tensor), rtol=0, atol=32 * EPS * scale)


class TestProofs:
    def test_witness_has_negative_spread_in_exact_arithmetic(self):
        theta, _ = rows_of_every_kind(np.random.default_rng(9), 400)
        result = ic.check(theta, about="com")
        for row, witness, verdict in zip(theta, result.witness, result.verdict, strict=True):
            if verdict != "inconsistent":
                assert np.isnan(witness).all()
                continue
            v = [Fraction(x) for x in witness]
            second = oracles.twice_second_moment(row[4:])
            assert sum(v[i] * second[i][j] * v[j] for i in range(3) for j in range(3)) < 0
            assert np.linalg.norm(witness) == pytest.approx(1, rel=1e-12)

    def test_witness_of_data_about_the_origin(self):
        theta = vector((0.01, 0, 0, 0.01, 0, 0.01), mass=2, h=(1, 1, 0))
        witness = ic.check(theta).witness
        second = np.eye(3) * 0.005 - np.outer([1, 1, 0], [1, 1, 0]) / 2
        assert witness @ second @ witness < 0

    @pytest.mark.parametrize("about", ["com", "origin"])
    def test_realize_reproduces_theta(self, about):
        theta, kind = rows_of_every_kind(np.random.default_rng(10), 5000)
        theta = theta[~np.isin(kind, [3, 4])]
        body = ic.InertialParameters.from_theta(theta, about="com")
        given = body.as_theta(about=about)
        given = given[ic.check(given, about=about).consistent]
        masses, points = ic.realize(given, about=about)
        assert masses.shape == (len(given), 4)
        assert points.shape == (len(given), 4, 3)
        assert masses.min() >= 0
        again = ic.InertialParameters.from_point_masses(masses, points).as_theta(about="origin")
        wanted = ic.InertialParameters.from_theta(given, about=about).as_theta(about="origin")
        for part in (slice(0, 1), slice(1, 4), slice(4, 10)):
            size = np.linalg.norm(wanted[:, part], axis=-1)
            error = np.linalg.norm(again[:, part] - wanted[:, part], axis=-1)
            if part.start == 1:  # h = 0 is reached by cancelling points a radius of gyration away
                reach = np.linalg.norm(points, axis=-1).max(axis=-1)
                size = np.maximum(size, wanted[:, 0] * reach)
            assert np.all(error <= 1e-12 * size)

    def test_realize_refuses_with_index_and_margin(self):
        theta = np.stack([vector((1, 0, 0, 1, 0, 1)), vector((1, 0, 0, 1, 0, 3))])
        with pytest.raises(
            ic.ParameterError, match=r"body \(1,\) is inconsistent \(margin -0\.143\)"
        ):
            ic.realize(theta, about="com")

    def test_realize_of_what_a_trace_hides_is_nan(self):
        jax = pytest.importorskip("jax", reason="pip install jax")
        theta = np.array([[1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], [1.0, 0, 0, 0, 1, 0, 0, 1, 0, 3]])
        _, points = jax.jit(lambda theta: ic.realize(theta, about="com"))(theta)
        assert np.isnan(np.asarray(points)).all(axis=(1, 2)).tolist() == [False, True]

    def test_realize_of_nothing(self):
        masses, points = ic.realize(np.zeros(10))
        assert not masses.any()
        assert not points.any()


class TestPrinted:
    def test_rounding_needs_radii(self):
        six = [[0.1, 0, 0, 0.2, 0, 0.31]] * 2
        radii = [[0.05, 0, 0, 0.05, 0, 0.005], [0] * 6]
        result = check_printed_numbers([1, 1], np.zeros((2, 3)), six, radii)
        assert result.verdict.tolist() == ["rounding", "inconsistent"]
        assert result.margin[0] < 0

    def test_massless_with_a_center(self):
        result = check_printed_numbers(0.0, [1, 2, 3], np.zeros(6), np.zeros(6))
        assert result.verdict == "massless"

    def test_center_not_finite(self):
        result = check_printed_numbers(1.0, [np.nan, 0, 0], [1, 0, 0, 1, 0, 1], np.zeros(6))
        assert result.verdict == "invalid"


class TestErrors:
    @pytest.mark.parametrize("tolerance", [-1e-9, np.nan, np.inf])
    def test_tolerance(self, tolerance):
        with pytest.raises(ic.ParameterError, match="tolerance is"):
            ic.check(np.zeros(10), tolerance=tolerance)

    def test_shape_is_named(self):
        with pytest.raises(ic.ParameterError, match=r"\(9,\)"):
            ic.check(np.zeros(9))

    def test_words(self):
        assert [verdict.word for verdict in Verdict] == [
            "consistent", "boundary", "rounding", "inconsistent", "ill-posed", "invalid",
            "massless", "missing", "derived", "defaulted",
        ]  # fmt: skip
