"""`identify` estimates by how much noise of positions that passes the filter biases its numbers."""

import json

import numpy as np
import pytest

import recorded


@pytest.fixture
def identify(run, tmp_path, monkeypatch):
    """identify(q, *options) -> report on the same torques with these positions."""
    monkeypatch.chdir(tmp_path)
    data = recorded.with_friction(seed=1, noise=1.0)

    def identify(noise, seed, *options):
        q = data["q"] + noise * np.random.default_rng(seed).normal(size=data["q"].shape)
        recorded.written(tmp_path, {"t": data["t"], "q": q, "tau": data["tau"]})
        command = ("identify", "r.npz", "--model", str(recorded.ROBOT), "--output-format")
        return json.loads(run(*command, "json", *options)[1]), run(*command, "text", *options)[1]

    return identify


def rows_of(report, *names):
    rows = report["base"]["parameters"]
    return [np.array([row[name] for row in rows], dtype=float) for name in names]


def test_the_bias_is_that_of_fits_with_other_noise(identify):
    """Against the truth: the mean difference from the same torques with exact positions."""
    noise, cutoff = 1e-3, "--cutoff=8"
    exact, _ = identify(0.0, 0, cutoff)
    true, none, deviation = rows_of(exact, "value", "bias", "standard_deviation")
    assert np.all(np.abs(none) < 1e-3 * deviation)
    shifts, told = [], []
    for seed in range(4):
        value, bias, deviation = rows_of(
            identify(noise, seed, cutoff)[0], "value", "bias", "standard_deviation"
        )
        shifts.append((value - true) / deviation)
        told.append(bias / deviation)
    actual, told = np.mean(shifts, axis=0), np.mean(told, axis=0)
    scatter = np.sqrt(np.mean(np.var(shifts, axis=0) / 3))
    assert np.max(np.abs(actual)) > 1
    assert np.sqrt(np.mean((actual - told) ** 2)) < 1.5 * scatter + 0.15 * np.max(np.abs(actual))
    assert np.corrcoef(actual, told)[0, 1] > 0.8


def test_the_line_names_the_largest_and_what_helps(identify):
    for cutoff, hint in ((3, False), (20, True)):
        report, text = identify(2e-3, 0, f"--cutoff={cutoff}")
        bias, deviation = rows_of(report, "bias", "standard_deviation")
        (line,) = [each for each in text.splitlines() if each.startswith("Noise of positions")]
        largest = np.max(np.abs(bias) / deviation)
        assert f"by up to {largest:.2g} deviations" in line
        assert ("--method iv" in line) == (largest > 1) == hint


def test_other_equations_have_no_bias_of_this_kind(identify):
    report, text = identify(1e-3, 0, "--no-filter")
    assert all(row["bias"] is None for row in report["base"]["parameters"])
    assert "Noise of positions" not in text
