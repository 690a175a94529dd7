"""What is wrong with a recording: each fault is found where it is, and none where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.errors import ParameterError
from inertial_check.identification.diagnosis.diagnosis import (
    AGREEMENT,
    LAG_GAIN,
    UNITS,
    diagnose,
    find_lag,
    find_unit_errors,
    name_unit,
)

RATE = 200.0
T = np.arange(4000) / RATE
W = 2 * np.pi * np.array([0.3, 0.5, 0.8])
PHASE = np.array([0.0, 1.0, 2.0])
Q = np.sin(W * T[:, None] + PHASE)
U = W * np.cos(W * T[:, None] + PHASE)
DU = -(W**2) * Q
PREDICTED = 5 * np.cos(Q) + 0.3 * DU
TAU = 1.2 * PREDICTED + 0.5 * U + 0.8 * np.sign(U) + 0.1
LIMITS = np.tile([-2.0, 2.0], (3, 1))


def kinds(remarks):
    return [remark.kind for remark in remarks]


def only(remarks):
    (remark,) = remarks
    assert "\n" not in remark.message
    return remark


class TestDiagnosed:
    @given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6), st.floats(1e-3, 1e3))
    def test_a_sound_recording_has_no_remarks_in_any_unit_of_torque_or_time(self, seed, size, pace):
        rng = np.random.default_rng(seed)
        noise = 1e-4 * rng.normal(size=(3, *Q.shape))
        q, u, du = Q + noise[0], U / pace + noise[1] / pace, DU / pace**2
        tau = size * (TAU + noise[2])
        assert diagnose(q, tau, u, du, T * pace, limits=LIMITS) == ()

    @pytest.mark.parametrize("name", ["q", "u", "du", "tau"])
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_values_that_are_not_finite_are_refused_with_their_place(self, name, value):
        signals = {"q": Q, "u": U, "du": DU, "tau": TAU}
        wrong = signals[name].copy()
        wrong[[7, 9], 1] = value
        reason = rf"{name}\[7, 1\] is {value}: 2 of 12000 values are not finite, in 2 of 4000 samp"
        with pytest.raises(ParameterError, match=reason):
            diagnose(**(signals | {name: wrong}))

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"tau": 0 * TAU}, "tau is zero in all 4000 samples"),
            ({"q": 0 * Q}, "q is zero in all 4000 samples"),
            ({"tau": TAU[:, :2]}, r"tau has shape \(4000, 2\) and q has \(4000, 3\)"),
            ({"u": U[:-1]}, r"u has shape \(3999, 3\) and q"),
            ({"t": T[:-1]}, "t has 3999 samples and q has 4000"),
            ({"t": T[::-1]}, "sort them"),
            ({"limits": LIMITS[:2]}, r"limits has shape \(2, 2\), expected \(3, 2\)"),
            ({"joints": ["a"]}, "1 names of joints for 3 columns"),
            ({"q": Q[:, :0]}, r"q has shape \(4000, 0\), expected \(samples, joints\)"),
            ({"q": [["a"]]}, "expected an array of real numbers"),
        ],
    )
    def test_what_cannot_be_used(self, change, reason):
        with pytest.raises(ParameterError, match=reason):
            diagnose(**({"q": Q, "tau": TAU, "t": T} | change))

    def test_jitter_and_gaps(self):
        rng = np.random.default_rng(0)
        assert diagnose(Q, t=T + rng.uniform(-0.05, 0.05, len(T)) / RATE) == ()
        jitter = only(diagnose(Q, t=T + rng.uniform(-0.3, 0.3, len(T)) / RATE))
        assert jitter.values["jitter"] == pytest.approx(0.6 / np.sqrt(6), rel=0.1)
        kept = np.r_[0:1000, 1040:4000]
        gap = only(diagnose(Q[kept], t=T[kept]))
        assert gap.values["gaps"] == 1
        assert "the longest step at t = 4.995 s" in gap.message

    @pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-2])
    def test_a_joint_that_never_moves(self, noise):
        q = Q.copy()
        q[:, 1] = 1 + noise * np.random.default_rng(0).normal(size=len(q))
        remark = only(diagnose(q, joints=["a", "b", "c"]))
        assert remark.kind == "still"
        assert remark.message.startswith("b: never moves")
        assert remark.values["spread"][1] == pytest.approx(noise, rel=0.05, abs=1e-12)

    def test_nothing_moves_at_all(self):
        assert "no joint moves" in only(diagnose(np.ones((50, 2)))).message

    def test_a_torque_that_never_changes(self):
        tau = TAU.copy()
        tau[:, 2] = 0.0
        remark = only(diagnose(Q, tau))
        assert remark.message == "joint 3: the torque is 0 in all 4000 samples; was it recorded?"

    @given(st.integers(0, 2**32 - 1))
    def test_degrees_for_radians(self, seed):
        u = U + 0.01 * np.random.default_rng(seed).normal(size=U.shape)
        assert "positions are in degrees" in only(diagnose(np.rad2deg(Q), TAU, u, t=T)).message
        assert "velocities are in degrees" in only(diagnose(Q, TAU, np.rad2deg(u), t=T)).message
        of_both = diagnose(Q, TAU, u, np.rad2deg(DU), t=T)
        assert "accelerations are in degrees" in only(of_both).message
        assert only(of_both).values["ratios"] == pytest.approx(np.deg2rad([1, 1, 1]), rel=0.02)

    def test_degrees_all_through_show_in_the_range(self):
        everything = [np.rad2deg(each) for each in (Q, U, DU)]
        q, u, du = everything
        remark = only(diagnose(q, TAU, u, du, T))
        assert remark.kind == "degrees"
        assert remark.values["ranges"] == pytest.approx(np.ptp(q, axis=0))
        remark = only(diagnose(q, TAU, u, du, T, limits=LIMITS))
        assert "as degrees they are all inside" in remark.message

    def test_joints_without_limits_are_never_outside(self):
        free = np.tile([-np.inf, np.inf], (3, 1))
        assert diagnose(np.rad2deg(Q), limits=free) == ()

    def test_positions_outside_their_limits(self):
        limits = LIMITS.copy()
        limits[1] = -0.5, 2.0
        remark = only(diagnose(Q, limits=limits))
        assert remark.kind == "limits"
        assert (
            remark.message == "positions outside their limits: joint 2 -1 to 1 (limits -0.5 to 2)"
        )

    @pytest.mark.parametrize(("unit", "factor"), [("ms", 1e3), ("us", 1e6), ("min", 1 / 60)])
    def test_time_in_another_unit(self, unit, factor):
        remark = only(diagnose(Q, TAU, U, t=T * factor))
        assert remark.kind == "time"
        assert f"time is in {unit}, not in s" in remark.message

    @given(st.integers(0, 2), st.sampled_from([-1.0, 0.5, 1.2, 100.0]))
    def test_one_joint_whose_velocity_is_another(self, joint, factor):
        u = U.copy()
        u[:, joint] *= factor
        remark = only(diagnose(Q, TAU, u, t=T))
        assert remark.kind == "velocity"
        assert f"joint {joint + 1}; expected 1" in remark.message
        assert remark.values["ratios"][joint] == pytest.approx(1 / factor, rel=1e-3)

    def test_velocities_of_another_joint_are_no_ratio(self):
        remarks = diagnose(Q, TAU, U[:, [1, 0, 2]], t=T)
        assert kinds(remarks) == ["velocity"]
        assert "joint 1, joint 2: velocities have nothing to do" in remarks[0].message

    def test_gaps_do_not_look_like_other_velocities(self):
        kept = np.r_[0:1000, 1500:4000]
        assert kinds(diagnose(Q[kept], TAU[kept], U[kept], DU[kept], T[kept])) == ["clock"]


class TestUnits:
    @pytest.mark.parametrize(("unit", "factor"), UNITS.items())
    def test_every_unit_is_found_through_friction_and_a_poor_prior(self, unit, factor):
        remark = only(find_unit_errors(factor * TAU, PREDICTED, U))
        assert remark.kind == "unit"
        assert f"{unit} ({factor:.4g})" in remark.message
        assert remark.values["ratio"] == pytest.approx(1.2 * factor)

    @given(st.floats(0.4, 2.5), st.floats(0, 5), st.integers(0, 2**32 - 1))
    def test_a_poor_prior_is_no_other_unit(self, slope, friction, seed):
        noise = 0.1 * np.random.default_rng(seed).normal(size=TAU.shape)
        tau = slope * PREDICTED + friction * np.sign(U) + noise
        found = find_unit_errors(tau, PREDICTED, U)
        assert [remark for remark in found if remark.kind != "gain"] == []  # a note, no error

    def test_slopes_are_those_of_least_squares(self):
        tau = TAU + np.random.default_rng(0).normal(size=TAU.shape)
        values = find_unit_errors(100 * tau, PREDICTED, U)[0].values
        for k in range(3):
            columns = [PREDICTED[:, k], U[:, k], np.sign(U[:, k]), np.ones(len(T))]
            A = np.stack(columns, axis=1)
            x = np.linalg.lstsq(A, 100 * tau[:, k], rcond=None)[0]
            assert values["slopes"][k] == pytest.approx(x[0], rel=1e-9)
            rest = np.linalg.lstsq(A[:, 1:], 100 * tau[:, k], rcond=None)[1]
            share = 1 - np.sum((A @ x - 100 * tau[:, k]) ** 2) / rest
            assert values["shares"][k] == pytest.approx(share.item(), rel=1e-9)

    def test_signs(self):
        assert "all of them" in only(find_unit_errors(-TAU, PREDICTED, U)).message
        tau = TAU * [1, -1, 1]
        remark = only(find_unit_errors(tau, PREDICTED, U, joints=["a", "b", "c"]))
        assert remark.kind == "sign"
        assert "slope -1.2: b;" in remark.message

    def test_torques_of_the_motors(self):
        remark = only(find_unit_errors(TAU / 80, PREDICTED, U))
        assert "no unit of torque has that ratio; or they are those of the motors" in remark.message

    def test_what_the_prior_does_not_explain_says_nothing(self):
        noise = 500 * np.random.default_rng(0).normal(size=TAU.shape)
        assert find_unit_errors(noise, PREDICTED, U) == ()
        assert find_unit_errors(100 * TAU, 0 * PREDICTED + 1, U) == ()
        mixed = np.where([True, False, False], 1000 * TAU, noise)
        values = only(find_unit_errors(mixed, PREDICTED, U)).values
        assert values["ratio"] == pytest.approx(1200)
        assert values["shares"][1] < AGREEMENT

    def test_a_ratio_of_masses(self):
        assert name_unit(970.0) == "as if they were in N mm (1000)"
        assert name_unit(120.0) == "as if they were in N cm (100) or ozf in (141.6)"
        assert name_unit(-1000.0) == name_unit(1000.0)
        assert name_unit(1.0) is None
        assert name_unit(0.0) is None


class TestLag:
    @given(st.floats(-8, 8), st.integers(0, 2**32 - 1))
    def test_a_lag_is_found_between_samples(self, lag, seed):
        late = T[:, None] - lag / RATE
        q, u = np.sin(W * late + PHASE), W * np.cos(W * late + PHASE)
        tau = 1.2 * (5 * np.cos(q) - 0.3 * W**2 * q) + 0.5 * u + 0.8 * np.sign(u)
        tau += 0.01 * np.random.default_rng(seed).normal(size=tau.shape)
        remarks = find_lag(tau, PREDICTED, U, RATE)
        if abs(lag) < 0.3:
            assert remarks == ()
        elif abs(lag) > 1:
            remark = only(remarks)
            assert remark.values["samples"] == pytest.approx(lag, abs=0.6)
            assert remark.values["saved"] > LAG_GAIN
            assert ("behind" if lag > 0 else "ahead of") in remark.message
            assert " ms) " in remark.message

    @given(st.integers(0, 2**32 - 1))
    def test_noise_lags_nowhere(self, seed):
        noise = np.random.default_rng(seed).normal(size=TAU.shape)
        assert find_lag(TAU + noise, PREDICTED, U) == ()
        assert find_lag(noise, PREDICTED, U) == ()

    def test_friction_is_no_lag(self):
        assert find_lag(PREDICTED + 5 * np.sign(U) + 3 * U, PREDICTED, U) == ()

    def test_short_recordings_have_no_lag_to_find(self):
        assert find_lag(TAU[:9], PREDICTED[:9], U[:9]) == ()

    def test_a_recording_says_nothing_of_a_joint_that_stands_still(self):
        tau, predicted = TAU.copy(), PREDICTED.copy()
        tau[:, 0], predicted[:, 0] = 1.0, 2.0
        remark = only(find_lag(np.roll(tau, 3, axis=0), predicted, U, joints=["a", "b", "c"]))
        assert remark.message.endswith("in the mean of b, c")
        assert np.isnan(remark.values["joints"][0])


class TestRealRecordings:
    """Published recordings have no fault but their clocks; faults that are put in are found."""

    @pytest.mark.parametrize(
        ("file", "expected"),
        [
            ("ur10e/train_50s12h", []),
            ("ur10e/val_ptp10", []),
            ("panda/trajectory_1", ["clock"]),
            ("tx40/trajectory", []),
        ],
    )
    def test_nothing_is_said_of_sound_ones(self, datasets, file, expected):
        raw = np.load(datasets / f"{file}.npz")
        tau = raw["tau"] if "tau" in raw else raw["current"]
        assert kinds(diagnose(raw["q"], tau, raw.get("qd"), t=raw["t"])) == expected

    @pytest.mark.parametrize("file", ["ur10e/train_50s12h", "panda/trajectory_1"])
    def test_faults_are_found_in_noisy_ones(self, datasets, file):
        raw = np.load(datasets / f"{file}.npz")
        t, q, u = raw["t"], raw["q"], raw["qd"]
        assert "degrees" in kinds(diagnose(np.rad2deg(q), None, u, t=t))
        assert "degrees" in kinds(diagnose(q, None, np.rad2deg(u), t=t))
        assert "time" in kinds(diagnose(q, None, u, t=1e3 * t))
        for wrong in (-u, 1.1 * u, u[:, ::-1]):
            assert "velocity" in kinds(diagnose(q, None, wrong, t=t))


def test_a_pause_is_no_frozen_log_and_a_held_torque_no_end_of_a_range():
    """A robot slows down before a rest, in which torques of few digits repeat."""
    t = np.linspace(0, 20, 2001)
    swing = np.where(t < 10, 1 - np.cos(np.pi * np.minimum(t, 4)), 1 - np.cos(np.pi * (t - 10)))
    q = np.column_stack([np.round(swing, 4), np.round(0.5 * swing, 4)])
    tau = np.round(np.column_stack([5 * np.cos(q[:, 0]), 2 * np.sin(q[:, 1])]), 3)
    assert kinds(diagnose(q, tau, t=t)) == []
    late = np.where(
        (np.arange(len(t)) >= 1050) & (np.arange(len(t)) < 1080), 1050, np.arange(len(t))
    )
    assert kinds(diagnose(q[late], tau[late], t=t)) == ["frozen"]
    assert kinds(diagnose(q, np.minimum(tau, [4.0, 9.0]), t=t)) == ["saturated"]
