"""`identify --payload`: a known load back, from joint torques and from a wrist sensor."""

import json
import re
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import inertial_check as ic
import recorded
from inertial_check.mechanics.equations import inverse_dynamics

LOAD = ic.InertialParameters.from_com(0.8, [0.01, -0.02, 0.3], np.diag([4, 5, 3]) * 1e-3)


@pytest.fixture
def identify(run, tmp_path, monkeypatch):
    """identify(arrays, *options) -> exit code, stdout, stderr, beside the robot's file."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, tmp_path / "arm.urdf")

    def identify(arrays, *options):
        recorded.written(tmp_path, arrays)
        return run("identify", "r.npz", "--model", "arm.urdf", "--payload", "forearm", *options)

    return identify


def read_schema(name):
    """The schema of a form of the command."""
    reports = Path(ic.__file__).with_name("reports")
    return json.loads((reports / f"identification_{name}.schema.json").read_text())


def loaded(noise=0.02, duration=10.0):
    """Torques of the robot of the file with a load, friction and noise."""
    data = recorded.motion(seed=1, duration=duration)
    tree = ic.load(recorded.ROBOT).tree()
    theta = np.array(tree.theta)
    theta[recorded.MOVED[2]] += LOAD.as_theta()
    tau = inverse_dynamics(tree, data["q"], data["qd"], data["qdd"], theta=theta)
    tau = tau + recorded.GENERATOR.friction(data["qd"])
    tau += noise * np.random.default_rng(0).normal(size=tau.shape)
    return {**data, "tau": tau}


def test_a_load_comes_back_from_joint_torques(identify, tmp_path):
    code, out, err = identify(loaded(), "--output-format", "json", "-o", "tool.urdf")
    assert (code, err) == (0, "")
    document = json.loads(out)
    values = {name: each["value"] for name, each in document["parameters"].items()}
    z = [
        (own - true) / document["parameters"][name]["standard_deviation"]
        for (name, own), true in zip(values.items(), LOAD.as_theta().tolist(), strict=True)
    ]
    assert np.abs(z).max() < 4
    assert document["verdict"] == "consistent"
    jsonschema.validate(document, read_schema("payload"))
    assert (document["written"]["path"], document["written"]["done"]) == ("tool.urdf", True)
    assert "<inertial>" in (tmp_path / "tool.urdf").read_text()


@pytest.mark.parametrize("factor", [1.2, 0.8])
def test_torques_of_another_scale_are_told_before_a_payload_is_believed(identify, factor):
    """The bug: 3.31 kg for 1.8, without a warning."""
    data = loaded()
    code, out, _ = identify(data | {"tau": factor * data["tau"]}, "--output-format", "json")
    (remark,) = [each for each in json.loads(out)["remarks"] if each["kind"] == "scale"]
    told = float(re.search(r"are (\S+) \+- ", remark["message"])[1])
    assert (code, remark["severity"]) == (1, "error")
    assert told == pytest.approx(factor, rel=0.05)


@pytest.mark.parametrize(
    ("kind", "named"),
    [("lag", "behind their motion"), ("gravity", "gravity is 9.81"), ("zero", "lift: its zero")],
)
def test_what_else_is_wrong_is_named_and_no_payload_is_written(identify, tmp_path, kind, named):
    """The bug: payloads up to 15 deviations off were written with exit code 0."""
    data = loaded()
    if kind == "lag":
        data["tau"] = np.roll(data["tau"], 3, axis=0)
        data = {name: data[name][3:] for name in ("t", "q", "tau")}
    elif kind == "zero":
        data["q"] = data["q"] + [0.0, 0.2, 0.0]
    options = ("--gravity=9.81,0,0",) if kind == "gravity" else ()
    code, out, err = identify(data, "-o", "tool.urdf", "--output-format", "json", *options)
    assert code in (1, 2)
    first = json.loads(out)["remarks"][0]["message"] if out else err
    assert named in first or kind == "gravity"
    assert not (tmp_path / "tool.urdf").exists()


def test_a_robot_that_is_not_that_of_the_file_is_told(identify, tmp_path):
    """A body of the file three fifths too heavy: the payload takes up the difference."""
    text = (tmp_path / "arm.urdf").read_text()
    model = ic.load(recorded.ROBOT)
    theta = np.array(model.tree().theta)
    theta[recorded.MOVED[1]] *= 1.6
    names = [model.bodies[k].name for k in recorded.MOVED]
    bodies = ic.InertialParameters.from_theta(theta[list(recorded.MOVED)])
    (tmp_path / "arm.urdf").write_bytes(model.with_parameters(bodies, bodies=names).data)
    assert (tmp_path / "arm.urdf").read_text() != text
    code, out, _ = identify(loaded(), "-o", "tool.urdf", "--output-format", "json")
    remarks = json.loads(out)["remarks"]
    assert code == 1
    assert {each["kind"] for each in remarks if each["severity"] == "error"} <= {"robot", "scale"}
    assert not (tmp_path / "tool.urdf").exists()


def test_each_snippet_is_read_as_the_same_body(identify, tmp_path):
    found = {}
    for name, frame in {
        "tool.urdf": '<robot name="r"><link name="a">{}</link></robot>',
        "tool.sdf": '<sdf version="1.9"><model name="m"><link name="a">{}</link></model></sdf>',
        "tool.xml": '<mujoco><worldbody><body name="a"><freejoint/>{}</body></worldbody></mujoco>',
    }.items():
        assert identify(loaded(), "-o", name)[0] == 0
        document = frame.format((tmp_path / name).read_text())
        found[name] = np.asarray(ic.load(document.encode()).parameters.as_theta())[0]
        if name == "tool.xml":
            mujoco = pytest.importorskip("mujoco")
            model = mujoco.MjModel.from_xml_string(document)
            np.testing.assert_allclose(model.body_mass[1], found[name][0], rtol=1e-12)
    for each in found.values():
        np.testing.assert_allclose(each, found["tool.urdf"], rtol=1e-9, atol=1e-12)
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, _ = identify(loaded(), "-o", "other.sdf", "--dry-run")
    assert code == 0
    assert "<pose>" in out
    assert "Not written: other.sdf: it would be, without --dry-run." in out
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert identify(loaded(), "-o", "tool.usda")[0] == 2


def sensed(bias):
    """What a sensor at the forearm's origin feels, by the motion of the frame, step by step."""
    from inertial_check.mechanics.jacobians import jacobian, poses

    data = recorded.motion(seed=2, duration=20.0, rate=500.0)
    tree, place = ic.load(recorded.ROBOT).tree(), recorded.MOVED[2]
    J = np.asarray(jacobian(tree, data["q"], place))
    R = np.asarray(poses(tree, data["q"]))[:, place, :3, :3]
    twist = np.einsum("sij,sj->si", J, data["qd"])
    rate = np.gradient(twist, data["t"], axis=0, edge_order=2)
    v, w, a, alpha = (
        np.einsum("sji,sj->si", R, each)
        for each in (twist[:, :3], twist[:, 3:], rate[:, :3], rate[:, 3:])
    )
    down = np.einsum("sji,j->si", R, [0, 0, -9.81])
    m, c, tensor = float(LOAD.mass), np.asarray(LOAD.com), np.asarray(LOAD.inertia_com)
    a_c = a + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) - down
    force = m * a_c
    moment = alpha @ tensor + np.cross(w, w @ tensor) + np.cross(c, force)
    noise = 0.002 * np.random.default_rng(1).normal(size=(len(v), 6))
    return {
        "t": data["t"],
        "q": data["q"],
        "joints": np.array(recorded.JOINTS),
        "wrench_forearm": np.concatenate([force, moment], axis=1) + noise + bias,
    }


def test_a_load_comes_back_from_a_wrist_sensor(identify):
    """By Newton's and Euler's laws about the centre; filtered like the positions."""
    bias = np.array([1.0, -2.0, 3.0, 0.1, 0.0, -0.2])
    data = sensed(bias)
    code, out, err = identify(data, "--wrench", "--output-format", "json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    jsonschema.validate(document, read_schema("payload"))
    assert abs(document["mass"] - 0.8) < 0.01
    np.testing.assert_allclose(document["com"], [0.01, -0.02, 0.3], atol=0.005)
    assert abs(document["nuisance"]["bias_fz"] - 3.0) < 0.1
    turned = {**data, "wrench_forearm": -data["wrench_forearm"]}
    code, _, err = identify(turned, "--wrench")
    assert code == 2
    assert "negative" in err or "negate" in err
    again = json.loads(identify(turned, "--wrench", "--gain=-1", "--output-format", "json")[1])
    assert again["mass"] == document["mass"]


@pytest.mark.parametrize("source", ["joint torques", "a wrist sensor"])
def test_deviations_hold_for_noise_that_changes_slowly(identify, source):
    """The bug: slow noise counted as independent, and deviations were three times too small."""
    from scipy.signal import lfilter

    data = sensed(np.zeros(6)) if source == "a wrist sensor" else loaded(0.0, 30.0)
    name = "wrench_forearm" if source == "a wrist sensor" else "tau"
    options = ("--wrench",) if source == "a wrist sensor" else ()
    step = float(data["t"][1])
    z = []
    for seed in range(6):
        white = np.random.default_rng(seed).normal(size=data[name].shape)
        kept = np.exp(-step / 0.1)
        slow = 0.05 * np.sqrt(1 - kept**2) * lfilter([1.0], [1.0, -kept], white, axis=0)
        noisy = data | {name: data[name] + slow}
        document = json.loads(identify(noisy, *options, "--output-format", "json")[1])
        rows = zip(document["parameters"].values(), LOAD.as_theta().tolist(), strict=True)
        z += [(own["least_squares"] - true) / own["standard_deviation"] for own, true in rows]
    assert 0.8 < np.sqrt(np.mean(np.square(z))) < 1.25


def test_units_in_the_header_are_converted_once(run, tmp_path, monkeypatch):
    """--degrees and --time-unit beside a header that states its units change nothing."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, tmp_path / "arm.urdf")
    data = sensed(np.zeros(6))
    axes = ("fx", "fy", "fz", "mx", "my", "mz")
    titles = ["t[s]", *(f"{name}.position[rad]" for name in recorded.JOINTS)]
    titles += [f"wrench_forearm_{axis}" for axis in axes]
    table = np.column_stack([data["t"], data["q"], data["wrench_forearm"]])
    np.savetxt("r.csv", table, delimiter=",", header=",".join(titles), comments="")
    common = ("identify", "r.csv", "--model", "arm.urdf", "--payload", "forearm", "--wrench")
    plain = run(*common, "--output-format", "json")
    again = run(*common, "--output-format", "json", "--degrees", "--time-unit", "ms")
    assert plain[0] == again[0] == 0
    assert json.loads(plain[1])["mass"] == json.loads(again[1])["mass"]


def test_samples_that_leave_the_mass_open_name_what_is_open_and_take_a_prior(identify, tmp_path):
    """At rest in one pose a sensor with an unknown offset tells nothing of a payload."""
    data = sensed(np.zeros(6))
    rest = {name: np.repeat(own[:1], 500, axis=0) for name, own in data.items() if name != "joints"}
    rest |= {"joints": data["joints"], "t": data["t"][:500]}
    rest["wrench_forearm"] = data["wrench_forearm"][:1] + 1e-3 * np.random.default_rng(2).normal(
        size=(500, 6)
    )
    code, out, err = identify(rest, "--wrench")
    assert (code, out) == (2, "")
    assert "leave the mass open (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)" in err
    assert "--prior MODEL, whose body forearm is the expected payload" in err
    (tmp_path / "tool.urdf").write_text(
        '<robot name="r"><link name="forearm"><inertial><origin xyz="0 0 0.3"/><mass value="0.7"/>'
        '<inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.003"/></inertial></link>'
        "</robot>"
    )
    options = ("--prior", "tool.urdf", "--output-format", "json")
    code, out, err = identify(rest, "--wrench", *options)
    document = json.loads(out)
    assert (code, document["rank"], len(document["open"])) == (0, 0, 10)
    assert document["mass"] == pytest.approx(0.7, rel=1e-6)
    assert any("the prior decides" in each["message"] for each in document["remarks"])
    assert identify(rest, "--wrench", "--prior", "geometry")[0] == 2


@pytest.mark.parametrize("known", [("--mass", "forearm=0.75"), ("--total-mass", "0.75")])
def test_a_known_mass_of_the_payload_is_kept(identify, known):
    code, out, err = identify(loaded(), *known, "--output-format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["mass"] == pytest.approx(0.75, rel=1e-9)


def test_a_known_mass_of_another_link_is_refused(identify):
    code, out, err = identify(loaded(), "--mass", "shoulder=0.8")
    assert (code, out) == (2, "")
    assert "expected --mass forearm=0.8" in err


def test_options_that_a_payload_has_no_use_for_are_refused(identify, run):
    for options in ("--write", "--plot a.pdf", "--output-format latex", "--method iv"):
        code, _, err = identify(loaded(), *options.split())
        assert code == 2
        assert "--payload" in err
    assert run("identify", "r.npz", "--model", "arm.urdf", "--wrench")[0] == 2
    code, _, err = run("identify", "r.npz", "--model", "arm.urdf", "--payload", "fourarm")
    assert code == 2
    assert "did you mean" in err
