"""`--friction asymmetric, stribeck, load` from recordings: filters, reports, wrong options."""

import json

import numpy as np
import pytest

import recorded
from inertial_check.errors import UsageError
from inertial_check.identification.command import identify_robot
from inertial_check.identification.motion.friction import split_by_direction
from inertial_check.identification.options import FrictionOptions, IdentifyOptions
from inertial_check.mechanics.equations import inverse_dynamics

FST, VS, FL = np.array([0.9, 0.8, 0.5]), np.array([0.2, 0.2, 0.3]), np.array([0.05, 0.08, 0.1])
FV, FC = np.array([1.8, 1.5, 0.7]), np.array([1.1, 1.4, 0.5])


@pytest.fixture
def recording(tmp_path):
    """Path of positions and torques with friction of every kind, which have to be filtered."""
    t, q, u, du = recorded.GENERATOR.motion(3, 20.0)
    base = np.asarray(inverse_dynamics(recorded.TREE, q, u, du))
    size = FC + FST * np.exp(-((u / VS) ** 2)) + FL * np.abs(base)
    noise = np.array([0.1, 0.2, 0.05]) * np.random.default_rng(3).normal(size=base.shape)
    tau = base + FV * u + size * np.sign(u) + np.where(u > 0, 0.3, -0.1) * u + noise
    return recorded.written(tmp_path, {"t": t, "q": q, "tau": tau})


def test_filtered_recordings_give_the_numbers_back(recording):
    terms = ("viscous", "coulomb", "offset", "asymmetric", "stribeck", "load")
    options = IdentifyOptions(
        data=(recording,), model=str(recorded.ROBOT), friction=FrictionOptions(friction=terms)
    )
    found = identify_robot(options)
    values = {value.name: value for value in found.report.friction}
    truth = {"fst": FST, "vs": VS, "fl": FL, "fc": FC, "fvp": FV + 0.3, "fvn": FV - 0.1}
    for symbol, own in truth.items():
        for k, value in enumerate(own.tolist(), 1):
            number = values[f"{symbol}{k}"]
            # Interpolation and derivatives of positions leave errors beside those of noise.
            near = max(6 * number.standard_deviation, 0.03 * value)
            assert abs(number.value - value) < near, (number, value)
    assert (values["vs1"].unit, values["fl1"].unit) == ("rad/s", "1")
    assert found.found.status == "certified"
    assert found.report.certificate.rounds > 1
    rows = {row.name: row for row in found.report.base.parameters}
    assert abs(rows["vs1"].value - values["vs1"].value) < 3 * rows["vs1"].standard_deviation
    kinds = {remark.kind for remark in found.report.remarks}
    assert "asymmetric" in kinds
    assert "uncertified" not in kinds


def test_which_terms_are_split_by_direction():
    both = ["asymmetric viscous", "asymmetric coulomb"]
    assert split_by_direction(("asymmetric",)) == both
    assert split_by_direction(("viscous", "coulomb", "asymmetric")) == both
    with_offset = split_by_direction(("viscous", "coulomb", "offset", "asymmetric"))
    assert with_offset == ["asymmetric viscous", "coulomb", "offset"]
    assert split_by_direction(("viscous", "stribeck")) == ["viscous", "coulomb"]
    assert split_by_direction(("coulomb", "rotor")) == ["coulomb", "rotor"]


def test_every_form_names_the_directions(run, recording):
    command = ("identify", recording, "--model", str(recorded.ROBOT), "--regularization", "10")
    terms = ("--friction", "viscous,coulomb,asymmetric,stribeck", "--stribeck-velocity", "0.2")
    document = json.loads(run(*command, *terms, "--output-format", "json")[1])
    names = [each["name"] for each in document["friction"]]
    assert {"fvp1", "fvn1", "fcp3", "fcn3", "fst2"} <= set(names)
    assert not any(name.startswith("vs") for name in names)
    for form in ("text", "markdown", "latex"):
        out = run(*command, *terms, "--output-format", form)[1]
        assert "viscous backward" in out
        assert "Coulomb forward" in out


def test_options_that_fit_nothing_are_named(run, recording):
    with pytest.raises(UsageError, match="--stribeck-velocity is for"):
        FrictionOptions(stribeck_velocity=(0.1,))
    with pytest.raises(UsageError, match="positive"):
        FrictionOptions(friction=("stribeck",), stribeck_velocity=(0.1, -1.0))
    stribeck = ("--friction", "coulomb,stribeck", "--stribeck-velocity", "0.1,0.2")
    code, _, err = run("identify", recording, "--model", str(recorded.ROBOT), *stribeck)
    assert (code, "one for each of the 3 joints" in err) == (2, True)
    code, _, err = run("excite", str(recorded.ROBOT), "--friction", "viscous,load")
    assert (code, "--friction load" in err) == (2, True)
