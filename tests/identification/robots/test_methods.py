"""The methods of the command that simulate the robot: known truth, and what is refused."""

import json

import numpy as np
import pytest

import recorded
from inertial_check.errors import UsageError
from inertial_check.identification.command import identify_robot
from inertial_check.identification.fit.solve import FitOptions
from inertial_check.identification.options import FrictionOptions, IdentifyOptions, RecordingOptions
from inertial_check.programs.cli.main import main


def ask(folder, arrays, method, **options):
    return IdentifyOptions(
        data=(recorded.written(folder, arrays),),
        model=str(recorded.ROBOT),
        method=method,
        friction=FrictionOptions(friction=()),
        fit=FitOptions(regularization=1.0),
        **options,
    )


def test_didim_finds_the_truth_without_measured_velocities(tmp_path):
    arrays = recorded.motion(duration=10.0, rate=100.0)
    rng = np.random.default_rng(1)
    wrong = 2 * arrays["qd"]  # twice what the robot did
    tau = arrays["tau"] + 0.05 * rng.normal(size=wrong.shape)
    arrays = {"t": arrays["t"], "q": arrays["q"], "qd": wrong, "tau": tau}
    plain = identify_robot(ask(tmp_path, arrays, "least-squares")).found
    found = identify_robot(ask(tmp_path, arrays, "didim")).found
    truth = found.base.basis @ recorded.TRUTH.ravel()
    assert np.abs((plain.base.values - truth) / plain.base.standard_deviation).max() > 10
    assert np.abs((found.base.values - truth) / found.base.standard_deviation).max() < 4
    assert (found.method, found.simulations >= 2) == ("didim", True)
    assert np.all(found.consistency.consistent)


def test_the_report_says_which_method_and_how_rounds_ended(tmp_path, capsys):
    path = recorded.written(tmp_path, recorded.with_friction(duration=6.0, noise=1.0))
    words = ["identify", path, "--model", str(recorded.ROBOT), "--method", "iv"]
    main([*words, "--regularization", "1", "--output-format", "json"])
    problem = json.loads(capsys.readouterr().out)["problem"]
    assert problem["method"] == "instrumental-variables"
    assert problem["simulations"] >= 2
    assert 0 <= problem["change"] <= 1e-3


@pytest.mark.parametrize("method", ["instrumental-variables", "didim"])
def test_what_is_not_simulated_is_refused_by_name(tmp_path, method):
    arrays = recorded.motion(duration=4.0)
    options = ask(tmp_path, arrays, method, recordings=RecordingOptions(gain="unknown"))
    with pytest.raises(UsageError, match="--gain unknown"):
        identify_robot(options)
