"""From logged samples to smooth ones: one clock, one filter, derivatives, and what is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import butter, filtfilt, sosfreqz

from inertial_check.errors import ParameterError
from inertial_check.identification.motion.signals import (
    BANDWIDTHS,
    NOISY,
    Smoothing,
    bandwidth,
    differentiate,
    filter_signals,
    limit_noise,
    memory,
    noise_band,
    resample,
    smooth,
)


def tones(t, frequencies, order=0):
    """Sine waves of these frequencies, one a column, or a derivative of them."""
    w = 2 * np.pi * np.asarray(frequencies)
    return w**order * np.sin(w * t[:, None] + np.arange(len(w)) + order * np.pi / 2)


def relative(a, b):
    return np.sqrt(np.mean((a - b) ** 2) / np.mean(b**2))


class TestClock:
    @given(
        st.floats(1e-3, 1e4),
        st.integers(2, 200),
        st.floats(-1e3, 1e3),
        st.integers(0, 2**32 - 1),
    )
    def test_a_uniform_clock_keeps_its_samples(self, rate, samples, start, seed):
        signals = np.random.default_rng(seed).normal(size=(samples, 2))
        t = (start + np.arange(samples)) / rate
        even = resample(t, signals)
        assert even.signals is signals
        assert even.rate == pytest.approx(rate, rel=1e-3 / samples)
        assert "not resampled" in even.notes[0]

    @given(st.integers(3, 100), st.floats(0.3, 3), st.integers(0, 2**32 - 1))
    def test_straight_lines_are_kept_on_any_clock(self, samples, faster, seed):
        rng = np.random.default_rng(seed)
        t = 5 + np.cumsum(rng.uniform(0.5, 1.5, samples)) / 100
        line = np.stack([t, 2 - 3 * t], axis=1)
        even = resample(t, line, faster * 100)
        np.testing.assert_allclose(np.diff(even.t), 1 / (faster * 100), rtol=1e-6)
        assert even.t[0] == t[0]
        assert t[-1] - 1.001 / (faster * 100) < even.t[-1] <= t[-1] * (1 + 1e-6)
        np.testing.assert_allclose(even.signals, np.stack([even.t, 2 - 3 * even.t], 1), rtol=1e-6)

    def test_the_default_rate_is_that_of_the_median_step(self):
        t = np.cumsum([0.0, 0.01, 0.01, 0.012, 0.008, 0.01, 0.035])
        even = resample(t, np.sin(t))
        assert even.rate == pytest.approx(100)
        assert "steps of 8 to 35 ms, median 10 ms" in even.notes[0]
        assert even.notes[1].startswith(
            "gaps: steps longer than 3 median steps: 1, the longest of 35 ms at t = 0.05 s"
        )

    def test_a_slower_clock_is_told_to_alias(self):
        assert "aliasing" in resample(np.arange(9.0), np.arange(9.0), 0.5).notes[-1]

    @pytest.mark.parametrize(
        ("t", "reason"),
        [
            ([0.0, 1, 1, 2], r"t\[2\] is 1\.0 s, not later than t\[1\], 1\.0 s, and 1 of 4"),
            ([0.0, 1, 0.5, 2], r"t\[2\] is 0\.5 s"),
            ([0.0, np.nan, 1, 2], r"t\[1\] is nan: 1 of 4 values are not finite"),
            ([0.0, 1, 2], "signals have 4 samples and t has 3"),
        ],
    )
    def test_time_has_to_go_on(self, t, reason):
        with pytest.raises(ParameterError, match=reason):
            resample(t, np.zeros(4))


class TestFilter:
    @given(st.integers(1, 6), st.floats(0.02, 0.45), st.integers(0, 2**32 - 1))
    def test_it_is_scipys_forward_and_backward(self, order, cutoff, seed):
        signal = np.random.default_rng(seed).normal(size=400)
        b, a = butter(order, cutoff, fs=1.0)
        pad = min(399, memory(1.0, cutoff, order))
        expected = filtfilt(b, a, signal, padlen=pad)
        np.testing.assert_allclose(filter_signals(signal, 1.0, cutoff, order), expected, atol=1e-6)

    @given(st.floats(0.2, 20))
    def test_a_tone_shrinks_by_the_square_of_the_gain_and_is_not_shifted(self, frequency):
        t = np.arange(4000) / 500
        wave = tones(t, [frequency])
        sections = butter(4, 10, fs=500, output="sos")
        gain = abs(sosfreqz(sections, [frequency], fs=500)[1][0]) ** 2
        inside = slice(500, -500)
        np.testing.assert_allclose(
            filter_signals(wave, 500, 10)[inside], gain * wave[inside], atol=1e-4
        )

    def test_half_of_the_amplitude_passes_at_the_cutoff(self):
        t = np.arange(4000) / 500
        wave = tones(t, [10.0])
        inside = slice(500, -500)
        np.testing.assert_allclose(
            filter_signals(wave, 500, 10)[inside], wave[inside] / 2, atol=1e-4
        )

    @pytest.mark.parametrize("order", [1, 2, 4, 8])
    def test_white_noise_keeps_the_variance_of_its_band(self, order):
        noise = np.random.default_rng(order).normal(size=400_000)
        kept = filter_signals(noise, 1000.0, 40.0, order).var()
        assert kept == pytest.approx(2 * noise_band(40.0, order) / 1000, rel=0.03)

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_signals_of_any_shape_and_layout(self, order):
        signals = np.random.default_rng(0).normal(size=(200, 2, 3))
        smooth = filter_signals(np.array(signals, order=order), 100.0, 5.0)
        alone = filter_signals(signals[:, 1, 2], 100.0, 5.0)
        np.testing.assert_array_equal(smooth[:, 1, 2], alone)
        t = np.sort(np.random.default_rng(1).uniform(size=200))
        even = resample(t, np.array(signals, order=order), 100.0).signals
        np.testing.assert_array_equal(even[:, 0, 1], resample(t, signals[:, 0, 1], 100.0).signals)

    @pytest.mark.parametrize("cutoff", [0.0, 50.0, 60.0, np.nan])
    def test_cutoffs_that_no_filter_has(self, cutoff):
        with pytest.raises(ParameterError, match="below half the rate, 50 Hz"):
            filter_signals(np.zeros(100), 100.0, cutoff)


class TestDerivatives:
    @given(st.lists(st.floats(-10, 10), min_size=3, max_size=3), st.floats(0.1, 1e3))
    def test_parabolas_are_differentiated_exactly_up_to_the_ends(self, c, rate):
        t = np.arange(20) / rate
        rates = differentiate(c[0] + c[1] * t + c[2] * t**2, rate)
        scale = max(1.0, np.abs(c).max()) * max(rate, 1.0)
        np.testing.assert_allclose(rates, c[1] + 2 * c[2] * t, atol=1e-12 * scale)

    def test_a_tone_is_damped_as_documented(self):
        rate, f = 100.0, 6.0
        t = np.arange(500) / rate
        x = 2 * np.pi * f / rate
        rates = differentiate(tones(t, [f]), rate)[1:-1]
        np.testing.assert_allclose(rates, tones(t, [f], 1)[1:-1] * np.sin(x) / x, atol=1e-10)

    def test_two_samples_have_no_derivative_of_second_order(self):
        with pytest.raises(ParameterError, match="has 2 samples, expected at least 3"):
            differentiate(np.zeros((2, 1)), 1.0)


class TestBandwidth:
    @given(st.floats(0.2, 2.0), st.floats(1e-6, 1e6))
    def test_it_is_the_highest_frequency_of_the_motion_in_any_unit(self, highest, unit):
        t = np.arange(6000) / 100
        q = unit * tones(t, [0.2, highest])
        assert bandwidth(q, 100.0) == pytest.approx(highest, abs=3 / 60)

    @pytest.mark.parametrize("noise", [1e-4, 1e-3, 1e-2])
    def test_noise_of_the_encoders_is_not_motion(self, noise):
        t = np.arange(20_000) / 1000
        q = tones(t, [0.3, 0.5]) + noise * np.random.default_rng(0).normal(size=(20_000, 2))
        assert bandwidth(q, 1000.0) == pytest.approx(0.5, abs=3 / 20)

    @pytest.mark.parametrize(("order", "noise"), [(2, 1e-3), (1, 0.02)])
    def test_accelerations_keep_as_much_noise_as_is_allowed(self, order, noise):
        rate, rng = 250.0, np.random.default_rng(order)
        t = np.arange(0, 60, 1 / rate)
        true = tones(t, [0.4, 0.7], 2 - order)
        noisy = noise * rng.normal(size=true.shape)
        limit, deviation = limit_noise(true + noisy, rate, 1.0, order)
        assert deviation == pytest.approx(noise, rel=0.1)
        derived = [filter_signals(each, rate, limit) for each in (true, noisy)]
        for _ in range(order):
            derived = [differentiate(each, rate) for each in derived]
        part = np.max(np.var(derived[1][250:-250], axis=0) / np.var(derived[0][250:-250], axis=0))
        assert part == pytest.approx(NOISY, rel=0.5)

    def test_a_joint_that_only_trembles_limits_nothing(self):
        t = np.arange(0, 20, 0.004)
        q = tones(t, [0.4, 0.7]) + 1e-4 * np.random.default_rng(0).normal(size=(len(t), 2))
        still = 1e-4 * np.random.default_rng(1).normal(size=(len(t), 1))
        limits = [limit_noise(each, 250.0, 1.0, 2)[0] for each in (q, np.hstack([q, still]))]
        assert limits[1] == limits[0]
        assert limit_noise(tones(t, [0.4]), 250.0, 1.0, 2)[0] > 30

    def test_what_stands_still_or_only_trembles_has_none(self):
        assert np.isnan(bandwidth(np.ones((100, 2)), 1.0))
        rng = np.random.default_rng(1)
        assert np.isnan(bandwidth(rng.normal(size=(5000, 2)), 1.0))


class TestChain:
    t = np.arange(3000) / 100
    frequencies = (0.3, 0.5)
    tau = tones(t, (0.4, 0.2))

    def test_smooth_motion_comes_out_as_it_is(self):
        q = tones(self.t, self.frequencies)
        signals = smooth(self.t, q, self.tau)
        assert signals.cutoff == pytest.approx(BANDWIDTHS * 0.5, rel=0.2)
        for order, own in enumerate((signals.q, signals.u, signals.du)):
            assert relative(own, tones(signals.t, self.frequencies, order)) < 2e-3
        assert relative(signals.tau, tones(signals.t, (0.4, 0.2))) < 1e-6
        assert signals.runs == (slice(0, len(signals.t)),)

    def test_measured_rates_are_filtered_and_not_differentiated(self):
        q, u = tones(self.t, self.frequencies), 2 * tones(self.t, self.frequencies, 1)
        signals = smooth(self.t, q, self.tau, u)
        assert relative(signals.u, 2 * tones(signals.t, self.frequencies, 1)) < 1e-5
        assert relative(signals.du, 2 * tones(signals.t, self.frequencies, 2)) < 2e-3
        assert "velocities: measured" in signals.notes
        with_du = smooth(self.t, q, self.tau, u, 3 * u)
        assert relative(with_du.du, 3 * with_du.u) < 1e-12
        assert "accelerations: measured" in with_du.notes

    def test_all_signals_pass_the_same_filter(self):
        noise = np.random.default_rng(0).normal(size=(3000, 2))
        signals = smooth(self.t, noise, noise, noise, noise, Smoothing(cutoff=5.0))
        for own in (signals.u, signals.du, signals.tau):
            np.testing.assert_array_equal(own, signals.q)

    def test_refiltered_derivatives_pass_once_more(self):
        q = np.random.default_rng(0).normal(size=(3000, 2))
        how = Smoothing(cutoff=5.0, refilter=True, trim=200)
        signals = smooth(self.t, q, self.tau, how=how)
        once = filter_signals(q, 100.0, 5.0)
        twice = filter_signals(differentiate(once, 100.0), 100.0, 5.0)
        np.testing.assert_allclose(signals.u, twice[200:-200], atol=1e-12)
        plain = smooth(self.t, q, self.tau, how=Smoothing(cutoff=5.0, trim=200))
        np.testing.assert_allclose(plain.u, differentiate(once, 100.0)[200:-200], atol=1e-12)

    def test_pauses_part_runs_which_do_not_touch_each_other(self):
        whole = tones(self.t, self.frequencies)
        kept = np.r_[0:1000, 1400:3000]
        signals = smooth(self.t[kept], whole[kept], self.tau[kept], how=Smoothing(cutoff=8.0))
        parts = [
            smooth(self.t[part], whole[part], self.tau[part], how=Smoothing(cutoff=8.0))
            for part in (slice(0, 1000), slice(1400, 3000))
        ]
        assert [run.stop - run.start for run in signals.runs] == [len(p.t) for p in parts]
        for run, part in zip(signals.runs, parts, strict=True):
            np.testing.assert_allclose(signals.du[run], part.du, atol=1e-9)
        assert any(note.startswith("runs: 2, parted by pauses") for note in signals.notes)

    def test_short_runs_are_left_out_and_told(self):
        kept = np.r_[0:1000, 1400:1410]
        q = tones(self.t, self.frequencies)
        signals = smooth(self.t[kept], q[kept], self.tau[kept], how=Smoothing(cutoff=8.0))
        assert len(signals.runs) == 1
        assert any("1 left out, shorter than 0.5 s" in note for note in signals.notes)

    def test_gaps_that_the_filter_bridges_are_filled(self):
        kept = np.r_[0:1000, 1004:3000]
        q = tones(self.t, self.frequencies)
        signals = smooth(self.t[kept], q[kept], self.tau[kept], how=Smoothing(cutoff=5.0))
        assert len(signals.runs) == 1
        assert relative(signals.q, tones(signals.t, self.frequencies)) < 1e-3
        assert any(
            note.startswith("gaps: steps longer than 3 median steps: 1,") for note in signals.notes
        )

    def test_jitter_of_the_stamps_hardly_shows(self):
        rng = np.random.default_rng(0)
        t = self.t + rng.uniform(-0.3, 0.3, 3000) / 100
        signals = smooth(t, tones(t, self.frequencies), tones(t, (0.4, 0.2)))
        for order, own in enumerate((signals.q, signals.u, signals.du)):
            assert relative(own, tones(signals.t, self.frequencies, order)) < 5e-3

    def test_every_number_can_be_chosen_and_is_told(self):
        q = tones(self.t, self.frequencies)
        how = Smoothing(rate=200.0, cutoff=7.0, order=3, trim=11, decimate=4)
        signals = smooth(self.t, q, self.tau, how=how)
        assert (signals.rate, signals.cutoff) == (50.0, 7.0)
        assert signals.t[0] == pytest.approx(11 / 200)
        notes = "\n".join(signals.notes)
        for said in ("resampled at 200 Hz", "of order 3", "7 Hz, as asked", "11 at both ends"):
            assert said in notes
        assert "then every 4th kept" in notes
        assert repr(signals).endswith("joints 2, runs 1, at 50 Hz, filtered at 7 Hz)")

    def test_no_filter_if_none_is_wanted(self):
        q = tones(self.t, self.frequencies)
        signals = smooth(self.t, q, self.tau, how=Smoothing(cutoff=np.inf))
        np.testing.assert_array_equal(signals.q, q[1:-1])
        assert signals.redundancy == 1
        assert "filter: none, as asked" in signals.notes

    def test_samples_without_stamps_need_a_rate(self):
        q = tones(self.t, self.frequencies)
        with pytest.raises(ParameterError, match="no time: give t, or the rate"):
            smooth(None, q, self.tau)
        signals = smooth(None, q, self.tau, how=Smoothing(rate=100.0))
        np.testing.assert_allclose(signals.q, smooth(self.t, q, self.tau).q, atol=1e-9)

    def test_fewer_independent_samples_than_samples(self):
        """Standard deviations from filtered noise are right once multiplied by the root."""
        rng = np.random.default_rng(3)
        wave = tones(self.t, [0.3])
        how = Smoothing(cutoff=6.0)
        slopes, told = [], []
        for _ in range(200):
            tau = wave + rng.normal(size=wave.shape)
            signals = smooth(self.t, wave, tau, how=how)
            x, y = signals.q[:, 0], signals.tau[:, 0]
            slope = x @ y / (x @ x)
            slopes.append(slope)
            told.append(np.sqrt(np.mean((y - slope * x) ** 2) / (x @ x) * signals.redundancy))
        assert np.std(slopes) == pytest.approx(np.mean(told), rel=0.15)

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"tau": tau[:, :1]}, r"tau has shape \(3000, 1\) and q has \(3000, 2\)"),
            ({"q": tau[:, 0]}, r"q has shape \(3000,\), expected \(samples, joints\)"),
            ({"t": t[:7]}, "t has 7 samples and q has 3000"),
            ({"u": np.where(tau > 0.999, np.nan, tau)}, r"u\[\d+, \d\] is nan: \d+ of 6000 values"),
            ({"how": Smoothing(cutoff=50.0)}, "expected below half the rate, 50 Hz"),
            ({"how": Smoothing(cutoff=0.05)}, "no run is longer than 76"),
        ],
    )
    def test_what_cannot_be_smoothed(self, change, reason):
        with pytest.raises(ParameterError, match=reason):
            smooth(**({"t": self.t, "q": self.tau, "tau": self.tau} | change))

    @pytest.mark.parametrize(
        "wrong",
        [
            {"rate": 0.0},
            {"rate": np.nan},
            {"cutoff": -1.0},
            {"order": 0},
            {"trim": -1},
            {"decimate": 1.5},
        ],
    )
    def test_numbers_that_are_no_choice(self, wrong):
        (name,) = wrong
        with pytest.raises(ParameterError, match=f"^{name} is .*expected a"):
            Smoothing(**wrong)


class TestRealRecordings:
    """Published recordings, against smoothed ones that were made of them independently."""

    @pytest.mark.parametrize(
        ("robot", "file", "references", "how"),
        [
            ("ur10e", "train_50s12h", ["train_50s12h"], {"cutoff": 6.0, "trim": 20}),
            ("ur10e", "val_ptp10", ["val_ptp10"], {"cutoff": 6.0, "trim": 20}),
            (
                "panda",
                "trajectory_1",
                ["train_first60", "val_last40"],
                {"rate": 1000.0, "cutoff": 10.0, "decimate": 4, "trim": 100},
            ),
            (
                "tx40",
                "trajectory",
                ["train_even_blocks", "val_odd_blocks"],
                {"cutoff": 60.0, "decimate": 10, "trim": 150},
            ),
        ],
    )
    def test_the_references_are_reproduced(self, datasets, robot, file, references, how):
        raw = np.load(datasets / robot / f"{file}.npz")
        gain = np.array([14.87, 13.26, 11.13, 10.62, 11.03, 11.47])
        tau = raw["tau"] if "tau" in raw else raw["current"] * gain
        t = raw["t"]
        how = {"rate": (len(t) - 1) / (t[-1] - t[0])} | how
        signals = smooth(t, raw["q"], tau, raw.get("qd"), how=Smoothing(**how, refilter=True))
        for name in references:
            expected = np.load(datasets / robot / "ref" / f"{name}.npz")
            rows = np.searchsorted(signals.t, expected["t"] - 1e-3 / signals.rate)
            np.testing.assert_allclose(signals.t[rows], expected["t"], atol=1e-9)
            for own, theirs, close in (
                (signals.q, "q", 1e-6),
                (signals.u, "qd", 1e-5),
                (signals.du, "qdd", 1e-3),
                (signals.tau, "tau", 1e-4),
            ):
                assert relative(own[rows], expected[theirs]) < close

    @pytest.mark.parametrize(
        ("file", "chosen"),
        [("ur10e/train_50s12h", 6.0), ("panda/trajectory_1", 10.0), ("tx40/trajectory", 60.0)],
    )
    def test_the_default_cutoff_is_about_what_people_chose(self, datasets, file, chosen):
        raw = np.load(datasets / f"{file}.npz")
        signals = smooth(raw["t"], raw["q"], raw["q"])
        assert 0.5 * chosen < signals.cutoff < 2 * chosen
