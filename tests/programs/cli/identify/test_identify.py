"""`inertial-check identify`: the report, the robot's file, exit codes, what bad data meet."""

import json
import os
import re
import shutil
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

import inertial_check as ic
import recorded
from inertial_check.identification.fit import problem
from inertial_check.mechanics.equations import inverse_dynamics, regressor

SCHEMA = json.loads(
    files("inertial_check.reports")
    .joinpath("identification.schema.json")
    .read_text(encoding="utf-8")
)


@pytest.fixture
def identify(run, tmp_path, monkeypatch):
    """identify(arrays or path, *options) -> exit code, stdout, stderr; beside the robot's file."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, tmp_path / "arm.urdf")

    def identify(data, *options):
        path = data if isinstance(data, str) else recorded.written(tmp_path, data)
        return run("identify", os.path.basename(path), "--model", "arm.urdf", *options)

    return identify


THETA = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
BODIES = ("shoulder", "upper_arm", "forearm")


def noisy(**options):
    return recorded.with_friction(seed=1, noise=1.0, **options)


def report(done):
    """The JSON of a run, looked over."""
    document = json.loads(done[1])
    jsonschema.validate(document, SCHEMA)
    assert document["summary"]["exit_code"] == done[0]
    return document


def kinds(document, severity):
    return [each["kind"] for each in document["remarks"] if each["severity"] == severity]


def theta_of(document):
    return np.array(
        [[each["value"] for each in body["parameters"].values()] for body in document["bodies"]]
    )


def regress(data):
    """The regressor of a motion, (samples, joints, bodies, 10)."""
    Y = np.asarray(regressor(recorded.TREE, data["q"], data["qd"], data["qdd"]))
    return Y.reshape(*data["tau"].shape, -1, 10)


def test_what_was_identified_is_written_and_only_numbers_change(identify, tmp_path):
    before = (tmp_path / "arm.urdf").read_text()
    done = identify(noisy(), "-o", "out.urdf", "--output-format", "json")
    document = report(done)
    assert done[0] == 0
    assert (tmp_path / "arm.urdf").read_text() == before
    after = (tmp_path / "out.urdf").read_text()
    shape = [text.split('"')[::2] for text in (before, after)]  # what is not in quotes
    assert shape[0] == shape[1]
    changed = [a != b for a, b in zip(before.splitlines(), after.splitlines(), strict=True)]
    assert 3 <= sum(changed) <= 9
    found = ic.check_model("out.urdf").files[0]
    assert [body.judgement.verdict for body in found.bodies[:4]] == ["consistent"] * 4
    for body in document["bodies"]:
        own = next(each for each in found.bodies if each.name == body["name"])
        np.testing.assert_allclose(own.judgement.mass, body["mass"], rtol=1e-14)
        np.testing.assert_allclose(
            own.judgement.I_BBcm_B, list(body["inertia"].values()), rtol=1e-9, atol=1e-12
        )
    assert document["written"]["path"] == "out.urdf"
    assert document["written"]["done"]
    assert [body["status"] for body in document["written"]["bodies"]] == ["fixed"] * 3


def test_an_uncertified_answer_is_reported_and_not_written(identify, tmp_path, monkeypatch):
    """The optimum was missed by 1e-9 and a little: the answer is shown with its gap."""
    monkeypatch.setattr(problem, "STEPS", 3)
    data = recorded.with_friction(seed=1, noise=10.0)
    weight = ("--regularization", "1")
    code, out, err = identify(data, "-o", "out.urdf", "--output-format", "json", *weight)
    document = report((code, out, err))
    assert (code, err) == (1, "")
    assert document["solution"]["status"] == "uncertified"
    assert document["solution"]["gap"] > 1e-9
    assert kinds(document, "error") == ["uncertified"]
    assert [body["verdict"] for body in document["bodies"]] == ["consistent"] * 3
    assert not document["written"]["done"]
    assert not (tmp_path / "out.urdf").exists()
    code, out, _ = identify("r.npz", *weight)
    assert code == 1
    assert re.search(r"^Uncertified: .* gap \S+e-\d+; interior point\.$", out, re.MULTILINE)
    assert "error: no certified answer: gap" in out


def test_the_table_of_base_parameters_is_in_every_form(identify, tmp_path):
    """Two recordings of one robot: the values are the truth's to a few of their deviations."""
    shutil.move(
        recorded.written(tmp_path, recorded.with_friction(seed=2, noise=1.0)),
        tmp_path / "again.npz",
    )
    document = report(identify(noisy(), "again.npz", "--output-format", "json"))
    base = document["base"]
    theta = {
        name: dict(zip(THETA, own, strict=True))
        for name, own in zip(BODIES, recorded.TRUTH.tolist(), strict=True)
    }
    rows = [row for row in base["parameters"] if all(each["body"] for each in row["terms"])]
    assert len(rows) == 15
    for row in rows:
        truth = sum(t["coefficient"] * theta[t["body"]][t["parameter"]] for t in row["terms"])
        assert abs(row["value"] - truth) < 4 * row["standard_deviation"]
        assert row["percent"] == pytest.approx(100 * row["standard_deviation"] / abs(row["value"]))
    assert 0.5 < base["birge_ratio"] < 2
    covariance = np.array(base["covariance"])
    deviations = [row["standard_deviation"] for row in base["parameters"]]
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), deviations)
    assert np.linalg.eigvalsh(covariance / np.outer(deviations, deviations)).min() > 0
    assert [run["path"] for run in base["runs"]] == ["r.npz", "again.npz"]
    assert [each["joint"] for each in document["residuals"]] == ["turn", "lift", "bend"]
    assert all(each["whiteness"]["p_value"] > 1e-3 for each in document["residuals"])
    name = rows[-1]["name"]
    for form in ("text", "markdown", "latex"):
        out = identify("r.npz", "--output-format", form)[1]
        assert "Base parameters" in out
        assert "Standard deviations" in out
        assert (name in out) is (form != "latex")  # there it is a formula
    assert r"\begin{tabular}" in out
    assert "Parameters of the bodies" not in identify("r.npz")[1]
    long = identify("r.npz", "-v")[1]
    assert "Parameters of the bodies" in long
    assert "Mean residual by velocity" in long


def test_in_place(identify, tmp_path):
    assert identify(noisy(), "--write")[0] == 0
    text = (tmp_path / "arm.urdf").read_bytes()
    assert text != recorded.ROBOT.read_bytes()
    identify(noisy(), "-o", "again.urdf", "--prior", str(recorded.ROBOT))
    again = ic.load("again.urdf")
    assert [b.name for b in again.bodies] == [b.name for b in ic.load("arm.urdf").bodies]


def test_without_a_target_nothing_is_written(identify, tmp_path):
    code, out, err = identify(noisy())
    assert (code, err) == (0, "")
    assert sorted(os.listdir(tmp_path)) == ["arm.urdf", "r.npz"]
    assert "arm.urdf: 3 bodies identified from r.npz" in out


def test_joints_go_by_their_names(identify, tmp_path):
    data = noisy()
    turned = {k: v if v.ndim == 1 else v[:, ::-1] for k, v in data.items()}
    named = {**turned, "joints": np.array(recorded.JOINTS[::-1])}
    straight, by_name = (
        report(identify(each, "--output-format", "json")) for each in (data, named)
    )
    np.testing.assert_allclose(theta_of(by_name), theta_of(straight), rtol=1e-7, atol=1e-9)


def test_csv_with_names(run, data_dir, monkeypatch):
    monkeypatch.chdir(data_dir / "recordings")
    done = run(
        "identify", "train.csv", "--model", "arm.urdf", "--validation", "validation.csv",
        "--output-format", "json",
    )  # fmt: skip
    document = report(done)
    train, validation = document["fits"]
    assert (train["role"], validation["role"]) == ("train", "validation")
    assert validation["weighted"] < 0.6 * validation["weighted_before"]
    assert train["weighted"] == pytest.approx(1, abs=0.02)
    assert [body["least_squares_verdict"] for body in document["bodies"]].count("consistent") < 3


def test_numbers_that_no_body_has_are_marked(run, data_dir, monkeypatch):
    monkeypatch.chdir(data_dir / "recordings")
    command = ("identify", "train.csv", "--model", "arm.urdf", "--output-format")
    turned = report(run(*command, "json", "--gain=1,1,-1"))
    marked = [each["name"] for each in turned["base"]["parameters"] if each["impossible"]]
    assert marked
    assert all(
        each["name"] in marked
        for each in turned["base"]["parameters"]
        if each["name"] in ("fv3", "fc3")
    )
    assert any(body["impossible"] for body in turned["bodies"])
    assert " !  " in run(*command, "text", "--gain=1,1,-1")[1]
    straight = report(run(*command, "json"))
    assert not any(each["impossible"] for each in straight["base"]["parameters"])
    assert not any(body["impossible"] for body in straight["bodies"])
    assert " !  " not in run(*command, "text")[1]


def test_equations_in_place_of_motion(identify):
    """Of the bodies that move, or of all in no declared order, as a regressor of the tree is."""
    data = recorded.motion(seed=1)
    Y = regress(data)
    direct = report(identify(data, "--friction", "none", "--output-format", "json"))
    moved, whole = Y[:, :, recorded.MOVED], Y.reshape(*Y.shape[:2], -1)
    equations = {
        order: ic.inertia.representations.reorder(moved, "urdf", order).reshape(*Y.shape[:2], -1)
        for order in ("urdf", "mujoco")
    }
    for order, own in (*equations.items(), (None, whole)):
        options = ("--output-format", "json", *(("--order", order) if order else ()))
        document = report(identify({"Y": own, "tau": data["tau"]}, *options))
        np.testing.assert_allclose(theta_of(document), theta_of(direct), rtol=1e-5, atol=1e-8)
    (remark,) = [each for each in document["remarks"] if each["kind"] == "order"]
    assert "taken for urdf" in remark["message"]


def test_several_recordings_are_fitted_together(identify, tmp_path):
    data = noisy()
    halves = [{k: v[part] for k, v in data.items()} for part in (slice(0, 250), slice(250, None))]
    paths = [recorded.written(tmp_path, half, f"{i}.npz") for i, half in enumerate(halves)]
    whole = report(identify(data, "--output-format", "json"))
    both = report(identify(paths[0], "1.npz", "--output-format", "json"))
    np.testing.assert_allclose(theta_of(both), theta_of(whole), rtol=1e-6, atol=1e-9)
    assert both["data"] == ["0.npz", "1.npz"]


def test_a_part_is_held_out(identify):
    document = report(identify(noisy(), "--holdout", "0.2", "--output-format", "json"))
    train, kept = document["fits"]
    assert (train["samples"], kept["samples"]) == (400, 100)
    assert kept["path"] == "r.npz, held out"


def test_a_locked_joint_is_left_out(identify):
    data = noisy()
    for name, value in (("q", 0.4), ("qd", 0.0), ("qdd", 0.0)):
        data[name][:, 0] = value
    rng = np.random.default_rng(0)
    tree = recorded.TREE
    data["tau"] = inverse_dynamics(tree, data["q"], data["qd"], data["qdd"])
    data["tau"] += 0.05 * rng.normal(size=data["tau"].shape)
    two = {k: v if v.ndim == 1 else v[:, 1:] for k, v in data.items()}
    locked = ("--locked", "turn=0.4", "--friction", "none", "--output-format", "json")
    document = report(identify(two, *locked))
    assert [body["name"] for body in document["bodies"]] == ["upper_arm", "forearm"]
    assert [joint["joint"] for joint in document["fits"][0]["joints"]] == ["lift", "bend"]
    assert document["fits"][0]["joints"][0]["after"] == pytest.approx(0.05, rel=0.2)
    np.testing.assert_array_equal(theta_of(report(identify(data, *locked))), theta_of(document))


@pytest.mark.parametrize("sign", [-1.0, 1e-3])
def test_torques_of_another_unit_or_sign_are_an_error_and_gain_mends_it(identify, tmp_path, sign):
    data = noisy()
    data["tau"] = data["tau"] * sign
    done = identify(data, "-o", "out.urdf", "--output-format", "json")
    document = report(done)
    assert done[0] == 1
    assert kinds(document, "error") == ["sign" if sign < 0 else "unit"]
    assert not document["written"]["done"]
    assert not (tmp_path / "out.urdf").exists()
    again = identify(data, f"--gain={1 / sign}", "-o", "out.urdf", "--output-format", "json")
    assert kinds(report(again), "error") == []
    assert (tmp_path / "out.urdf").exists()


def test_only_force_writes_in_spite_of_an_error(identify, tmp_path):
    data = noisy()
    data["tau"] = data["tau"] * 100
    assert identify(data, "-o", "out.urdf", "--fail-on", "never")[0] == 0
    assert not (tmp_path / "out.urdf").exists()
    code, out, _ = identify(data, "-o", "out.urdf", "--force")
    assert code == 1
    assert "Written: out.urdf" in out
    assert (tmp_path / "out.urdf").exists()
    assert identify(noisy(), "--fail-on", "note")[0] == 1


def test_a_joint_that_never_moves_is_told_and_has_no_friction(identify):
    data = noisy()
    data["q"][:, 0] = 0.3
    data["qd"][:, 0] = data["qdd"][:, 0] = 0.0
    tau = inverse_dynamics(recorded.TREE, data["q"], data["qd"], data["qdd"])
    noise = 0.05 * np.random.default_rng(0).normal(size=tau.shape)
    data["tau"] = tau + recorded.GENERATOR.friction(data["qd"]) + noise
    document = report(identify(data, "--output-format", "json"))
    assert {"still", "no-friction"} <= set(kinds(document, "warning"))
    names = [each["name"] for each in document["friction"]]
    assert "fv1" not in names
    assert {"off1", "fv2", "fc3"} <= set(names)


def test_little_data_leaves_friction_open_and_a_prior_closes_it(identify):
    data = {k: v[:40] for k, v in noisy().items()}
    code, _, err = identify(data)
    assert code == 2
    assert "the samples decide 36 of 39 parameters" in err
    assert "fc1, fc2, fc3, off1, off2, off3" in err
    document = report(identify(data, "--friction-prior", "2", "--output-format", "json"))
    assert all(each["standard_deviation"] < 2.01 for each in document["friction"])


def test_friction_known_too_badly_is_a_warning_with_its_number(identify):
    data = {k: v[:120] for k, v in recorded.with_friction(seed=1, noise=30.0).items()}
    document = report(identify(data, "--output-format", "json"))
    (remark,) = [each for each in document["remarks"] if each["kind"] == "friction-open"]
    assert "% of the torque" in remark["message"]
    assert "--friction-prior" in remark["message"]


def without(data, name):
    return {k: v for k, v in data.items() if k != name}


def spoilt(data, name, change):
    found = {k: np.array(v) for k, v in data.items()}
    found[name] = change(found[name])
    return found


def put(index, value):
    def change(array):
        array[index] = value
        return array

    return change


@pytest.mark.parametrize(
    ("make", "options", "expected"),
    [
        (lambda d: spoilt(d, "q", put((17, 1), np.nan)), [], ["q[17, 1] is nan", "1 of 500"]),
        (lambda d: spoilt(d, "tau", lambda x: x[:, :2]), [], ["tau has 2", "q has 3"]),
        (lambda d: spoilt(d, "tau", lambda x: 0 * x), [], ["tau is zero in all 500 samples"]),
        (lambda d: spoilt(d, "q", lambda x: 0 * x), [], ["q is zero in all 500 samples"]),
        (lambda d: spoilt(d, "t", put(40, 0.78)), [], ["t[40] is 0.78 s", "t[39]"]),
        (lambda d: without(d, "tau"), [], ["no tau", "torque", "effort"]),
        (lambda d: without(without(d, "t"), "qdd"), [], ["no t", "--rate HZ"]),
        (lambda d: {k: v if v.ndim == 1 else v[:, :2] for k, v in d.items()}, [],
         ["2 joints, and the robot has 3", "turn, lift, bend", "--locked"]),
        (lambda d: {**d, "joints": np.array(["turn", "lift", "knee"])}, [],
         ["nothing of bend", "turn, lift, knee"]),
        (lambda d: {k: v[:2] for k, v in d.items()}, [], ["2 samples of 3 joints are too few"]),
        (lambda d: spoilt(d, "tau", lambda x: x[:, 0]), [], ["tau has shape (500,)"]),
        (lambda d: d, ["--regularization", "0"], ["the samples decide 24 of 39 parameters"]),
        (lambda d: d, ["--order", "urdf"], ["--order is for a given Y"]),
        (lambda d: d, ["--base", "floating"], ["--base floating", "base_qw", "wrench_BODY_fx"]),
        (lambda d: d, ["--holdout", "1"], ["--holdout is 1.0"]),
        (lambda d: d, ["--gravity", "0,1"], ["--gravity has 2 numbers"]),
        (lambda d: d, ["--gravity", "a"], ["'a' is not a comma-separated list of numbers"]),
        (lambda d: d, ["--gain", "1,2"], ["--gain has 2 numbers", "3 joints: turn, lift, bend"]),
        (lambda d: d, ["--gain", "0"], ["--gain is [0.0]"]),
        (lambda d: d, ["--weights", "1,2"], ["--weights has 2 numbers"]),
        (lambda d: d, ["--friction", "stiction"], ["'stiction'", "viscous, coulomb"]),
        (lambda d: d, ["--friction-prior", "viscous=0"], ["viscous is 0.0"]),
        (lambda d: d, ["--friction-prior", "few"], ["'few' is no number"]),
        (lambda d: d, ["--coupling", "lift"], ["expected two joints"]),
        (lambda d: d, ["--coupling", "lift,knee"], ["'knee' is no joint", "turn, lift, bend"]),
        (lambda d: d, ["--locked", "knee"], ["'knee'", "turn, lift, bend"]),
        (lambda d: d, ["--mass", "knee=1"], ["'knee' is no body", "shoulder"]),
        (lambda d: d, ["--mass", "tool0=1"], ["'tool0' is left as it is written: without mass"]),
        (lambda d: d, ["--mass", "forearm=-1"], ["-1.0 kg, expected more than 0"]),
        (lambda d: d, ["--total-mass", "8:2"], ["--total-mass 8:2"]),
        (lambda d: d, ["--regularization", "much"], ["'much'", "k-fold", "l-curve"]),
        (lambda d: d, ["--prior", "gone.urdf"], ["gone.urdf"]),
        (lambda d: d, ["--no-filter", "--cutoff", "5"], ["--no-filter", "--cutoff"]),
        (lambda d: d, ["--cutoff", "50"], ["cutoff is 50 Hz", "half the rate"]),
        (lambda d: d, ["--write", "-o", "x.urdf"], ["--write", "-o", "choose one"]),
        (lambda d: d, ["-o", "r.npz"], ["-o and DATA name one file"]),
        (lambda d: d, ["--output-file", "arm.urdf"], ["--output-file and --model name one file"]),
        (lambda d: d, ["-o", "no/where.urdf"], ["no/where.urdf: cannot be written"]),
        (lambda d: d, ["--total-mass", "8", "--metric", "entropic"], ["entropic", "constraints"]),
    ],
)  # fmt: skip
def test_what_cannot_be_done_ends_in_one_line(identify, tmp_path, make, options, expected):
    code, _, err = identify(make(noisy()), *options)
    assert code == 2
    for words in expected:
        assert words in err
    assert err.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["arm.urdf", "r.npz"]


def test_a_prior_without_mass_is_refused_by_the_body(identify, tmp_path):
    text = recorded.ROBOT.read_text(encoding="utf-8")
    light = re.sub(r'<mass value="[^"]*"', '<mass value="0"', text)
    (tmp_path / "light.urdf").write_text(light, encoding="utf-8")
    code, _, err = identify(noisy(), "--prior", "light.urdf")
    assert code == 2
    assert "light.urdf: body 'shoulder' is invalid, so it cannot be a prior" in err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", "r.csv"),
        (b"t,q_turn\n0,x\n", "r.csv"),
        (b"PK\x03\x04 nothing", "r.csv"),
        (b"t,turn.position,turn.effort\n0,0.1,1\n0.1,a,1\n", "r.csv:3:5"),
    ],
)
def test_files_that_are_no_recordings(identify, tmp_path, text, expected):
    (tmp_path / "r.csv").write_bytes(text)
    code, out, err = identify("r.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err


@pytest.mark.parametrize(
    ("make", "options", "expected"),
    [
        (lambda Y: {"Y": Y[:, :, :20], "tau": Y[:, :, 0]}, ["--order", "urdf"],
         ["columns of 2 bodies", "shoulder, upper_arm, forearm; or of all 5"]),
        (lambda Y: {"Y": Y[:, :2], "tau": Y[:, :2, 0]}, ["--order", "urdf"],
         ["2 joints, and the robot has 3"]),
        (lambda Y: {"Y": 0 * Y, "tau": 1 + Y[:, :, 0]},
         ["--order", "urdf", "--regularization", "0"],
         ["the samples decide 0 of 30"]),
    ],
)  # fmt: skip
def test_equations_that_do_not_fit(identify, make, options, expected):
    data = recorded.motion(seed=1)
    Y = regress(data)[:, :, recorded.MOVED].reshape(*data["tau"].shape, -1)
    code, _, err = identify(make(Y), *options)
    assert code == 2
    assert [words for words in expected if words not in err] == []


def test_robots_that_nothing_can_be_identified_of(identify, tmp_path):
    data = noisy()
    text = recorded.ROBOT.read_text()
    (tmp_path / "still.urdf").write_text(text.replace('type="revolute"', 'type="fixed"'))
    code, _, err = identify(data, "--model", "still.urdf")
    assert code == 2
    assert "no joint moves anything" in err
    code, _, err = identify(data, "--model", "r.npz")
    assert code == 2
    assert "r.npz" in err
    bare = "".join(line for line in text.splitlines(True) if "<mass" not in line)
    (tmp_path / "bare.urdf").write_text(bare)
    assert identify(data, "--model", "bare.urdf")[0] == 2


def test_a_recording_in_which_a_joint_does_not_follow_is_an_error(identify, tmp_path):
    text = recorded.ROBOT.read_text()
    follows = text.replace(
        '<limit lower="-2.5" upper="2.5"', '<mimic joint="lift"/><limit lower="-2.5" upper="2.5"'
    )
    (tmp_path / "mimic.urdf").write_text(follows)
    code, out, err = identify(noisy(), "--model", "mimic.urdf", "-o", "written.urdf")
    assert code == 1
    assert "leave joint bend follows lift open by" in out + err
    assert not (tmp_path / "written.urdf").exists()


def test_the_report_goes_where_it_is_told(identify, tmp_path):
    code, out, _ = identify(noisy(), "--output-format", "markdown", "--output-file", "report.md")
    assert (code, out) == (0, "")
    assert (tmp_path / "report.md").read_text().startswith("## arm.urdf: 3 bodies")


def test_pictures(identify, tmp_path):
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install matplotlib")
    assert identify(noisy(), "--plot", "pictures.pdf")[0] == 0
    assert (tmp_path / "pictures.pdf").read_bytes().startswith(b"%PDF")
    assert identify(noisy(), "--holdout", "0.3", "--plot", "pictures")[0] == 0
    assert {"1-torques-1.svg", "2-torques-1.svg"} <= set(os.listdir(tmp_path / "pictures"))


def test_what_the_file_does_not_state_is_inserted(identify, tmp_path):
    """An <inertial> without <origin> stayed as it was, beside bodies of the same joint answer."""
    text = recorded.ROBOT.read_text()
    kept = re.sub(r"<origin [^>]*/>\s*(?=<mass)", "", text)
    assert kept != text
    (tmp_path / "bare.urdf").write_text(kept)
    done = identify(noisy(), "--model", "bare.urdf", "-o", "out.urdf", "--output-format", "json")
    document = report(done)
    assert [body["status"] for body in document["written"]["bodies"]] == ["fixed"] * 3
    model = ic.load(tmp_path / "out.urdf")
    rows = [model.names.index(body["name"]) for body in document["bodies"]]
    np.testing.assert_allclose(model.theta[rows], theta_of(document), rtol=1e-9, atol=1e-12)


def test_a_number_that_is_computed_keeps_all_as_they_are_and_fails_the_run(identify, tmp_path):
    pytest.importorskip("xacro", reason="needs xacro: pip install xacro")
    text = recorded.ROBOT.read_text()
    head, tail = text.split('<robot name="arm">')
    declared = (
        '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:property name="m" value="1.2"/>'
    )
    tail = tail.replace('<mass value="1.2"/>', '<mass value="${m * 1.0}"/>')
    (tmp_path / "arm.urdf.xacro").write_text(head + declared + tail)
    done = identify(
        noisy(), "--model", "arm.urdf.xacro", "-o", "out.xacro", "--output-format", "json"
    )
    document = report(done)
    assert done[0] == 1
    assert not document["written"]["complete"]
    status = {body["name"]: body["status"] for body in document["written"]["bodies"]}
    assert status["upper_arm"] == "withheld"
    assert status["forearm"] == "expression"
    assert not document["written"]["done"]
    assert not (tmp_path / "out.xacro").exists()
    out = identify(noisy(), "--model", "arm.urdf.xacro", "-o", "out.xacro")[1]
    assert "forearm: expression: " in out
