"""project(): what comes back for every kind of row, in every order, about both points."""

import subprocess
import sys

import numpy as np
import pytest

import inertial_check as ic
import oracles
from inertial_check.inertia import sampling
from inertial_check.inertia.representations import about_com, reorder
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection.certificate import certify_moments
from inertial_check.projection.moments import METRICS
from inertial_check.projection.result import Status

EPS = np.finfo(float).eps

PLATE = [2.0, 0.2, 0, 0, 0.1, 0, 0, 0.2, 0, 0.3]
BALL = [1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1]
LONG = [1.0, 0.3, -2, 0.1, 1, 0.01, 0, 1, 0.02, 4]  # one facet violated
NOTHING_NEAR = [1.0, 0, 0, 0, -1, 0, 0, -1, 0, -1]
NO_BODY = {
    "no mass": [0.0, 0, 0, 0, 1, 0, 0, 1, 0, 1],
    "massless": [0.0] * 10,
    "negative mass": [-1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1],
    "nan": [1.0, 0, 0, 0, np.nan, 0, 0, 1, 0, 1],
    "nan centre": [1.0, np.nan, 0, 0, 1, 0, 0, 1, 0, 1],
    "infinite": [1.0, 0, 0, 0, 1, 0, -np.inf, 1, 0, 1],
    "infinite mass": [np.inf, 0, 0, 0, 1, 0, 0, 1, 0, 1],
}
EVERY = np.array([PLATE, BALL, LONG, NOTHING_NEAR, *NO_BODY.values()])
STATUS = ["feasible", "feasible", "projected", "no-nearest"] + ["no-nearest"] * len(NO_BODY)


@pytest.mark.parametrize("solver", [None, "clarabel"])
@pytest.mark.parametrize("metric", METRICS)
class TestEveryKindOfRow:
    def test_status_and_unchanged_bits(self, metric, solver):
        found = ic.project(EVERY, metric, about="com", solver=solver)
        assert found.status.tolist() == STATUS
        same = np.array(STATUS) != "projected"
        assert found.theta[same].tobytes() == EVERY[same].tobytes()
        assert (found.changed == ~same).all()
        assert found.vanished.tolist() == [i == 3 for i in range(len(EVERY))]
        assert found.theta[:, :4].tobytes() == EVERY[:, :4].tobytes()

    def test_numbers_are_nan_where_nothing_is_near(self, metric, solver):
        found = ic.project(EVERY, metric, about="com", solver=solver)
        none = np.array(STATUS) == "no-nearest"
        for name in ("distance", "relative_change", "primal_residual", "dual_residual", "gap"):
            values = getattr(found, name)
            assert (np.isnan(values) == none).all(), name
            assert (values[~none] >= 0).all(), name
            assert (values[:2] == 0).all(), name
        assert found.distance[2] > 0
        assert (np.nan_to_num(np.array(found.certify())) <= CERTIFIED).all()

    def test_single_bodies_give_scalars_and_words(self, metric, solver):
        for row, status in zip(EVERY, STATUS, strict=True):
            found = ic.project(row, metric, about="com", solver=solver)
            assert found.status == status
            assert type(found.status) is str
            assert found.theta.shape == (10,)
            for name in ("distance", "relative_change", "gap", "changed", "iterations"):
                assert np.ndim(getattr(found, name)) == 0, name
            assert bool(found.changed) == (status == "projected")

    def test_raise_for_status_names_the_bodies(self, metric, solver):
        ic.project(EVERY[:3], metric, solver=solver).raise_for_status()
        with pytest.raises(
            ic.ProjectionError, match=r"8 of 11 .*indices: 3, 4, 5, 6, 7, 8, 9, 10$"
        ):
            ic.project(EVERY, metric, solver=solver).raise_for_status()
        with pytest.raises(ic.ProjectionError, match=r"^the body has no nearest") as caught:
            ic.project(NO_BODY["nan"], metric, solver=solver).raise_for_status()
        np.testing.assert_array_equal(caught.value.instance, NO_BODY["nan"])
        batch = np.array([[PLATE, BALL], [NO_BODY["massless"], LONG]])
        with pytest.raises(ic.ProjectionError, match=r"1 of 4 bodies .*indices: \(1, 0\)$"):
            ic.project(batch, metric, solver=solver).raise_for_status()


class TestShapes:
    @pytest.mark.parametrize("shape", [(0,), (1,), (3, 1, 2), (2, 0)])
    @pytest.mark.parametrize("about", ["com", "origin"])
    def test_leading_axes_stay(self, shape, about):
        theta = np.broadcast_to(np.array(LONG), (*shape, 10))
        found = ic.project(theta, about=about, margin=0.01)
        assert found.theta.shape == (*shape, 10)
        alone = ic.project(LONG, about=about, margin=0.01)
        assert (found.theta == alone.theta).all()
        assert found.status.shape == found.gap.shape == found.distance.shape == shape
        assert (found.distance == alone.distance).all()

    def test_lists_and_integers(self):
        assert ic.project([1, 0, 0, 0, 1, 0, 0, 1, 0, 4], about="com").theta[-1] == pytest.approx(
            4 - 2 / 3, rel=1e-14
        )

    @pytest.mark.parametrize("shape", [(9,), (2, 11), (), (10, 3)])
    def test_other_shapes_are_refused(self, shape):
        with pytest.raises(ic.ParameterError, match=r"shape"):
            ic.project(np.ones(shape))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": None}, r"metric is None; available are 'inertia', 'covariance'"),
        ({"constraints": ["fixed mass"]}, r"fixed mass"),
        ({"margin": 0.4}, r"margin is 0.4"),
        ({"order": "drake"}, r"drake"),
        ({"about": "cm"}, r"cm"),
        ({"solver": "simplex"}, r"solver 'simplex' is not installed; installed are .*'clarabel'"),
        ({"solver": "osqp"}, r"solver 'osqp' has no semidefinite cones; installed are .*'scs'"),
        ({"solver": 3}, r"solver 3 is not installed"),
    ],
)
def test_arguments_that_cannot_be_honoured_are_refused(arguments, message):
    with pytest.raises(ic.ParameterError, match=message):
        ic.project(LONG, **arguments)


class TestOrdersAndPoints:
    @pytest.mark.parametrize("metric", METRICS)
    def test_both_points_give_the_same_body(self, metric):
        bodies = sampling.inconsistent(2, 300, offset=(0.01, 100))
        at_com = ic.project(bodies.as_theta(about="com"), metric, about="com", margin=0.01)
        at_origin = ic.project(bodies.as_theta(about="origin"), metric, margin=0.01)
        assert at_origin.about == "origin"
        back = about_com(at_origin.theta[:, 0], *np.split(at_origin.theta[:, 1:], [3], axis=-1))
        size = np.abs(bodies.as_theta(about="origin")[:, 4:]).max(-1, keepdims=True)
        assert (np.abs(back - at_com.theta[:, 4:]) <= 64 * EPS * size).all()

    @pytest.mark.parametrize("about", ["com", "origin"])
    def test_parameters_keep_their_point(self, about):
        bodies = ic.InertialParameters.from_theta(LONG, about=about)
        found = ic.project(bodies)
        assert found.about == found.parameters.about == about
        assert (found.theta == ic.project(LONG, about=about).theta).all()

    def test_parameters_come_back_in_the_order_asked_for(self):
        bodies = ic.InertialParameters.from_theta(LONG)
        plain, found = ic.project(bodies), ic.project(bodies, order="ksl")
        assert (found.theta == reorder(plain.theta, "urdf", "ksl")).all()
        with pytest.raises(ic.ParameterError, match="drake"):
            ic.project(bodies, order="drake")

    def test_mass_and_centre_of_mass_stay_bit_for_bit(self):
        theta = sampling.inconsistent(3, 500).as_theta(about="origin")
        found = ic.project(theta, "covariance", margin=0.1)
        assert (found.changed == ~found.vanished).all()
        assert found.theta[:, :4].tobytes() == theta[:, :4].tobytes()


class TestNumbers:
    def test_relative_change_is_that_of_the_sorted_moments(self):
        bodies = sampling.inconsistent(4, 200)
        found = ic.project(bodies, margin=0.02)
        old, new = bodies.principal_moments(), found.parameters.principal_moments()
        expected = np.linalg.norm(new - old, axis=-1) / np.linalg.norm(old, axis=-1)
        some = ~found.vanished
        assert some.sum() > 100
        np.testing.assert_allclose(found.relative_change[some], expected[some], rtol=1e-6)

    @pytest.mark.parametrize("metric", METRICS)
    def test_distance_is_the_frobenius_norm_at_any_scale(self, metric):
        for scale in (1e-180, 1e-13, 1.0, 1e8, 1e180):
            theta = np.array(LONG) * scale
            found = ic.project(theta, metric, about="com")
            change = (found.theta - theta)[4:] / scale
            tensor = change[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
            expected = np.linalg.norm(tensor)
            if metric != "inertia":
                spread = np.trace(tensor) / 2 * np.eye(3) - tensor
                root = METRICS[metric].trace_weight ** 0.5
                expected = np.hypot(np.linalg.norm(spread), root * np.trace(spread))
            assert found.distance / scale == pytest.approx(expected, rel=1e-12)

    def test_repr_counts(self):
        text = repr(ic.project(EVERY, about="com"))
        assert "2 feasible" in text
        assert "8 no-nearest" in text

    def test_words_are_those_of_the_contract(self):
        words = [status.word for status in Status]
        assert words == [
            "feasible",
            "projected",
            "mass-floored",
            "no-nearest",
            "infeasible",
            "uncertified",
            "near",
        ]


class TestCertificate:
    """A certificate that passed a wrong answer would be worth nothing."""

    BEFORE = np.array([1.0, 0.01, 0, 1, 0.02, 4])

    @pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
    @pytest.mark.parametrize("margin", [0.0, 0.01, 1 / 3])
    def test_passes_the_answer_alone(self, metric, margin):
        theta = np.r_[1.0, 0, 0, 0, self.BEFORE]
        right = ic.project(theta, metric.name, about="com", margin=margin).theta[4:]
        assert max(certify_moments(self.BEFORE, right, metric, margin)) <= 32 * EPS
        change = right - self.BEFORE
        ball = np.array([1.0, 0, 0, 1, 0, 1])
        wrong = {
            "too far": self.BEFORE + 1.001 * change,
            "not far enough": self.BEFORE + 0.999 * change,
            "inside": right + 1e-6 * ball,
            "another axis": right + 1e-6 * np.array([0, 1.0, 0, 0, 0, 0]),
            "larger": right * (1 + 1e-6),
            "the zero tensor": 0 * right,
        }
        for name, answer in wrong.items():
            assert max(certify_moments(self.BEFORE, answer, metric, margin)) > CERTIFIED, name

    def test_the_zero_tensor_must_be_earned(self):
        for spreads, earned in (((-1, -1, 0.99), True), ((-1, -1, 1.01), False)):
            s = np.array(spreads)
            moments = s.sum() - s
            before = np.array([moments[0], 0, 0, moments[1], 0, moments[2]])
            worst = max(certify_moments(before, 0 * before, METRICS["inertia"], 0.0))
            assert (worst <= CERTIFIED) == earned

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_every_kind_of_violation_passes(self, dtype):
        eps = np.finfo(dtype).eps
        bodies = sampling.inconsistent(5, 2000, violation=(1e-14, 1), length=(1e-3, 1e3))
        theta = bodies.as_theta(about="com").astype(dtype)
        for metric in METRICS:
            for margin in (0.0, 0.01, 1 / 3):
                found = ic.project(theta, metric, about="com", margin=margin)
                certificate = np.array(found.certify())
                assert np.max(certificate[:, ~found.vanished]) <= 64 * eps
                assert np.isnan(certificate[:, found.vanished]).all()


@pytest.mark.parametrize("solver", [None, "clarabel"])
def test_a_point_mass_has_no_nearest_with_a_margin(solver):
    """It has no margin, and nothing that has one is nearest."""
    theta = [2.0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    found = ic.project(theta, about="com", margin=0.1, solver=solver)
    assert found.status == "no-nearest"
    assert found.vanished
    assert (found.theta == theta).all()
    assert ic.project(theta, about="com").status == "feasible"


class TestIllPosed:
    """Data about the origin that the precision cannot tell: nothing may crash or pretend."""

    def test_a_point_mass_away_from_the_origin_is_left_alone(self):
        theta = np.array([1.0, 1, 0, 0, 0, 0, 0, 1, 0, 1])
        found = ic.project(theta)
        assert found.status == "uncertified"
        assert found.theta.tobytes() == theta.tobytes()

    def test_a_violation_that_may_be_rounding_is_projected(self):
        """The verdict is that nothing is known; the numbers as they stand are not left negative."""
        body = sampling.inconsistent(11, violation=(0.5, 0.5), length=(1, 1), offset=(6e6, 6e6))
        theta = body.as_theta(about="origin")
        judged = ic.check(theta)
        assert judged.verdict == "ill-posed"
        assert judged.margin < 0
        found = ic.project(theta)
        assert found.status == "uncertified"
        assert found.changed

    def test_boundary_bodies_are_certified_within_their_floor(self):
        plates = sampling.consistent(10, 500, strata=["plate", "rod"], offset=(1e2, 1e4))
        found = ic.project(plates.as_theta(about="origin"))
        assert (ic.check(found.theta).margin < 0).any()
        assert (found.status == "feasible").all()
        assert (found.primal_residual <= CERTIFIED).all()

    @pytest.mark.parametrize("margin", [0.0, 0.01, 1 / 3])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("about", ["com", "origin"])
    def test_no_result_is_projected_again(self, margin, dtype, about):
        """Also where the numbers cannot hold the margin, and at the largest that there is."""
        limits = (1e-2, 1e1) if dtype == np.float32 else (1e-2, 1e4)
        bodies = sampling.inconsistent(11, 1000, offset=limits, length=(1e-2, 1e2))
        once = ic.project(bodies.as_theta(about=about).astype(dtype), about=about, margin=margin)
        again = ic.project(once.theta, about=about, margin=margin)
        posed = ic.check(once.theta, about=about).tolerance <= 1e-3
        assert posed.sum() > 500
        assert (again.theta == once.theta)[posed].all()
        assert (again.status == np.where(once.vanished, "no-nearest", "feasible"))[posed].all()

    def test_margins_hold_within_the_floor_of_the_result(self):
        bodies = sampling.inconsistent(6, 2000, offset=(1e3, 1e5))
        found = ic.project(bodies.as_theta(about="origin"), margin=0.05)
        judged = ic.check(found.theta)
        posed = (judged.tolerance <= 1e-3) & ~found.vanished
        assert posed.sum() > 500
        assert (judged.margin >= 0.05 - judged.tolerance)[posed].all()
        # The residuals are those of the numbers about the origin, with their rounding.
        least = np.maximum(CERTIFIED, judged.tolerance)
        assert (np.array(found.certify()) <= least)[:, ~found.vanished].all()

    def test_the_margin_holds_strictly_where_the_numbers_can_carry_it(self):
        bodies = sampling.inconsistent(7, 3000, offset=(1e-2, 1e2))
        found = ic.project(bodies.as_theta(about="origin"), margin=0.05)
        judged = ic.check(found.theta)
        fine = (judged.tolerance <= 1e-10) & ~found.vanished
        assert fine.sum() > 1500
        assert (judged.margin >= 0.05)[fine].all()


@pytest.mark.parametrize("about", ["com", "origin"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_body_whose_nearest_is_a_point_has_none(metric, about):
    """Rounded numbers of a point mass about another point are those of no body."""
    rows = np.random.default_rng(12).normal(size=(60, 10))
    rows[:, 0] = 1
    rows[2:12, 4:] = [-2, 0.3, 0, -3, 0.2, -2]  # every principal moment is negative
    rows[0] = [1, 0.3, 0.1, 0.2, 0.01, 0, 0, 0.01, 0, 0.01]
    rows[1] = [1, 1, 0, 0, 0.01, 0, 0, 0.01, 0, 0.01]  # about the centre of mass, read otherwise
    found = ic.project(rows, metric, about=about)
    points = found.vanished
    assert points.sum() > 5
    if metric == "inertia":
        assert points[:2].tolist() == [about == "origin"] * 2
    assert (found.status[points] == "no-nearest").all()
    assert found.theta[points].tobytes() == rows[points].tobytes()
    assert not found.changed[points].any()
    assert np.isnan(np.array(found.certify())[:, points]).all()
    assert np.isnan(found.distance[points]).all()
    moved = found.status == "projected"
    exact = [
        oracles.margin(six)
        for six in found.parameters.inertia_com.reshape(-1, 9)[moved][:, [0, 1, 2, 4, 5, 8]]
    ]
    assert min(exact) > -1e-12
    with pytest.raises(ic.ProjectionError, match="nearest inertia not zero"):
        found.raise_for_status()


class TestOtherArrayLibraries:
    @pytest.mark.parametrize("about", ["com", "origin"])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    @pytest.mark.parametrize("solver", [None, "clarabel"])
    def test_the_same_numbers_in_the_same_library(self, about, dtype, solver):
        xp = pytest.importorskip("array_api_strict")
        rows = np.concatenate(
            [EVERY, sampling.inconsistent(8, 4, offset=(0.1, 10)).as_theta(about=about)]
        ).astype(dtype)
        expected = ic.project(rows, about=about, margin=0.01, solver=solver)
        found = ic.project(xp.asarray(rows), about=about, margin=0.01, solver=solver)
        for name in ("theta", "changed", "vanished", "distance", "relative_change", "status_code"):
            value = getattr(found, name)
            assert value.__array_namespace__() is xp, name
            wanted = getattr(expected, name)
            eps, size = np.finfo(dtype).eps, np.max(wanted, where=np.isfinite(wanted), initial=0)
            np.testing.assert_allclose(
                np.asarray(value), wanted, rtol=1e3 * eps, atol=16 * eps * float(size)
            )
        assert found.theta.dtype == getattr(xp, dtype)
        assert found.status.tolist() == expected.status.tolist()
        assert float(found.gap[2]) <= 64 * np.finfo(dtype).eps


ADDED = """
import sys
from inertial_check.projection import moments as metrics
metrics.METRICS["halfway"] = metrics.MomentMetric("halfway", 0.5)
import numpy as np
import inertial_check as ic
body, other = [1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08], [1.2, 0, 0, 0, 0.03, 0, 0, 0.04, 0, 0.07]
found = ic.project([body, other], "halfway")
assert found.status.tolist() == ["projected", "feasible"], found
assert found.gap.max() <= 1e-9
named = ic.project(body, "halfway", solver="clarabel")
np.testing.assert_allclose(named.theta, found.theta[0], rtol=0, atol=1e-12)
mass = ic.projection.constraints.FixedMass()
limited = ic.project(body, "halfway", constraints=[mass])
np.testing.assert_allclose(limited.theta, found.theta[0], rtol=0, atol=1e-9)
model = ic.load(sys.argv[1])
fixed = ic.fix_model(sys.argv[1], metric="halfway")
assert fixed.bodies[0].relative_change > 0.1, fixed
"""
"""Program of a contributor who added a metric: run where nothing else is imported."""


def test_a_metric_is_one_line(tmp_path):
    """Catches a second list of metrics: `project` refused a new one, `fix_model` had a KeyError."""
    text = """<robot name="one"><link name="body"><inertial><mass value="1.2"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.08"/></inertial></link></robot>"""
    path = tmp_path / "one.urdf"
    path.write_text(text)
    run = subprocess.run(
        [sys.executable, "-c", ADDED, str(path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
