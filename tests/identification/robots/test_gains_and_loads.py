"""Drive gains and loads of recordings in files: found, reported, refused where they do not fit."""

import json
from dataclasses import replace

import numpy as np
import pytest

import inertial_check as ic
import recorded
from inertial_check.checking.report import Severity
from inertial_check.errors import UsageError
from inertial_check.identification.command import identify_robot
from inertial_check.identification.loads import Load, find_inseparable
from inertial_check.identification.options import FrictionOptions, IdentifyOptions, RecordingOptions
from inertial_check.mechanics.equations import inverse_dynamics
from inertial_check.reports import View
from inertial_check.reports.identification import render

GAINS = np.array([12.0, 30.0, -8.0])
DISC = ic.InertialParameters.from_com(2.0, [0.0, 0.02, 0.25], np.diag([0.004, 0.005, 0.003]))
KNOWN = "mass = 2.0\ncom = [0, 0.02, 0.25]\ninertia = [0.004, 0, 0, 0.005, 0, 0.003]\n"
HEAD = '[[load]]\nname = "disc"\nlink = "forearm"\nrecordings = ["loaded.npz"]\n'


@pytest.fixture
def recordings(tmp_path):
    """Write a recording without and one with the disc; return a function that makes options."""
    gains = {}

    def make(known, *, gain=None):
        scale = GAINS if gain else np.ones(3)
        for name, seed in (("free.npz", 1), ("loaded.npz", 3)):
            data = recorded.with_friction(seed=seed, duration=20.0, noise=1.0)
            theta = recorded.TREE.theta.copy()
            theta[recorded.MOVED[-1]] += np.asarray(DISC.as_theta()) * (name == "loaded.npz")
            motion = (data["q"], data["qd"], data["qdd"])
            extra = inverse_dynamics(recorded.TREE, *motion, theta=theta - recorded.TREE.theta)
            data["tau"] = (data["tau"] + extra) / scale
            gains[name] = recorded.written(tmp_path, data, name)
        loads = tmp_path / "loads.toml"
        loads.write_text(HEAD + known, encoding="utf-8")
        return IdentifyOptions(
            data=tuple(gains.values()),
            model=str(recorded.ROBOT),
            recordings=RecordingOptions(gain=gain),
            friction=FrictionOptions(),
            loads=str(loads),
        )

    return make


def test_a_known_load_decides_the_gains(recordings):
    result = identify_robot(recordings(KNOWN, gain="unknown"))
    report = result.report
    values = np.array([[each.value, each.standard_deviation] for each in report.gains])
    assert np.abs((values[:, 0] - GAINS) / values[:, 1]).max() < 4
    assert np.all(values[:, 1] < 0.02 * np.abs(GAINS))
    assert report.gain_scale == "loads"
    assert report.fits[0].weighted < 1.1
    assert [body.name for body in report.bodies] == list(recorded.BODIES)
    assert result.fix().complete
    assert "gain-sign" in {remark.kind for remark in report.remarks}
    assert not {"sign", "unit", "poor-fit"} & {remark.kind for remark in report.remarks}
    view = View(exit_code=0, color=False, summary=True, verbose=0)
    assert "common scale by known loads" in render(report, "text", view)
    document = json.loads(render(report, "json", view))
    assert document["gain_scale"] == "loads"
    assert document["loads"][0]["known"] == ["mass", "com", "inertia"]


def test_without_a_load_the_report_says_that_gains_are_relative_to_the_prior(recordings):
    options = recordings(KNOWN, gain="unknown")
    plain = IdentifyOptions(
        data=options.data[:1], model=options.model, recordings=options.recordings
    )
    report = identify_robot(plain).report
    assert report.gain_scale == "prior"
    (remark,) = [each for each in report.remarks if each.kind == "gain-scale"]
    assert remark.severity == Severity.WARNING
    ratios = np.array([each.value for each in report.gains]) / GAINS
    np.testing.assert_allclose(ratios / ratios.mean(), 1, atol=0.03)
    assert all(each.ratio_standard_deviation < 0.02 for each in report.gains)
    z = [(each.value - gain) / each.standard_deviation for each, gain in zip(report.gains, GAINS)]  # noqa: B905
    assert np.abs(z).max() < 3


def test_an_unknown_load_is_identified_beside_the_robot(recordings):
    result = identify_robot(recordings(""))
    (load,) = result.report.loads
    assert load.link == "forearm"
    z = (np.array(load.theta) - np.asarray(DISC.as_theta())) / np.array(load.standard_deviation)
    assert np.abs(z[np.array(load.share) > 0.99]).max() < 4
    assert load.mass == pytest.approx(2.0, rel=0.01)
    assert load.margin >= 0
    mass = sum(body.mass for body in result.report.bodies)
    assert result.report.total_mass == pytest.approx(mass)


def test_a_load_in_every_recording_is_named_with_its_link(recordings):
    options = recordings("")
    options = replace(options, data=options.data[1:])
    (remark,) = [each for each in identify_robot(options).report.remarks if each.kind == "load"]
    assert remark.severity == Severity.ERROR
    assert "load disc and link forearm are told apart by no recording" in remark.message


@pytest.mark.parametrize(
    ("carried", "found"),
    [
        ([(), ("a",), ("a", "b")], []),
        ([("a",), ("a", "b"), ("a", "c")], [("a", (), True)]),
        ([(), ("a", "b"), ("c",)], [("b", ("a",), False)]),
        ([("a",), ("b",), ("c",)], [("c", ("a", "b"), True)]),
    ],
)
def test_loads_that_no_recording_tells_apart(carried, found):
    loads = [Load("a", 2), Load("b", 2), Load("c", 2), Load("elsewhere", 1)]
    recordings = [(*each, *(["elsewhere"] if place else [])) for place, each in enumerate(carried)]
    shown = [
        (load.name, tuple(each.name for each in others), with_body)
        for load, others, with_body in find_inseparable(loads, recordings)
    ]
    assert shown == found


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ("weight = 2.0\n", "'weight' is no key"),
        ("mass = -2.0\n", "expected more than 0"),
        ('mass = "two"\n', "mass: expected a finite number"),
        ("mass = nan\n", "mass: expected a finite number"),
        ("com = [0, 0, 0]\n", "com needs mass"),
        ("mass = 1\ncom = [0, 0]\n", "com: expected 3 finite numbers"),
        ("mass = 1\ncom = [0, 0, 0]\ninertia = [1, 0, 0, 1, 0, 3]\n", "no body has"),
        (
            '[[load]]\nname = "disc"\nlink = "forearm"\nrecordings = ["free.npz"]\n',
            "several bodies",
        ),
        ('[[load]]\nname = "a"\nlink = "hand"\nrecordings = ["free.npz"]\n', "'hand'"),
        ('[[load]]\nname = "a"\nlink = "forearm"\nrecordings = ["x.npz"]\n', "'x.npz' is no"),
        ("[other]\n", "expected tables"),
        ("mass = \n", "TOML|toml|Invalid"),
    ],
)
def test_entries_that_do_not_fit_are_refused_by_name(recordings, known, words):
    with pytest.raises(UsageError, match=words):
        identify_robot(recordings(known))
