"""`excite`: what the report says, what is written, which limits count, what ends in an error."""

import json

import numpy as np
import pytest

from inertial_check.formats.recordings import read_recording
from inertial_check.identifying import excite as excitation

INERTIAL = (
    '<inertial><origin xyz="0.1 0.02 0.03"/><mass value="2"/>'
    '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="1.5" velocity="2" effort="50"/>'


def link(name):
    return f'<link name="{name}">{INERTIAL}</link>'


def joint(name, parent, child, kind="revolute", inside=LIMIT, axis="0 1 0"):
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0.3 0 0.1"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="{axis}"/>{inside}</joint>'
    )


def robot(*parts):
    return f'<robot name="r"><link name="base"/>{"".join(parts)}</robot>'


ARM = robot(
    *(link("upper"), link("lower")),
    *(joint("shoulder", "base", "upper"), joint("elbow", "upper", "lower", axis="1 0 0")),
)
QUICK = ("--duration", "4", "--harmonics", "3", "--rate", "50", "--acceleration-limit", "6")


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return str(path)


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    """A motion of the arm as `excite` writes it, and its condition number."""
    folder = tmp_path_factory.mktemp("motion")
    (folder / "arm.urdf").write_text(ARM)
    asked = excitation.ExciteOptions(
        model=str(folder / "arm.urdf"),
        limits=excitation.LimitOptions(acceleration_limit=["6"]),
        search=excitation.SearchOptions(duration=4.0, harmonics=3, rate=200.0),
    )
    found = excitation.excite(asked)
    (folder / "motion.npz").write_bytes(found.file("motion.npz"))
    return folder / "motion.npz", found.condition.number


def written(tmp_path, text):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return str(path)


def test_the_report_says_what_was_gained_and_what_is_used(run, arm):
    code, out, err = run("excite", arm, *QUICK)
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == f"{arm}: 2 joints, 201 samples of 4 s"
    assert "shows all" in lines[1]
    before, after = map(float, lines[2].split(",")[0].split()[2::2])
    assert after < before
    assert lines[2].endswith("the best motion of 3 harmonics (seed 0)")
    assert lines[5].split()[:3] == ["shoulder", "position", "[rad]"]
    assert lines[5].split()[-6:-2] == ["-1", "to", "1.5", "file"]
    assert lines[7].split()[-6:-2] == ["-6", "to", "6", "option"]
    assert lines[8].split()[-6:-2] == ["-50", "to", "50", "file"]
    assert "-o FILE.csv or FILE.npz writes the trajectory" in err


def test_quiet_is_the_report_alone(run, arm):
    assert run("excite", arm, *QUICK, "-q")[2] == ""


@pytest.mark.parametrize("name", ["motion.csv", "motion.npz"])
def test_what_is_written_reads_back_and_keeps_the_limits(run, arm, tmp_path, name):
    path = tmp_path / name
    code, _, err = run("excite", arm, *QUICK, "-o", str(path))
    assert (code, f"{path}: written" in err) == (0, True)
    motion = read_recording(path, torques=False)
    assert motion.joints == ("shoulder", "elbow")
    assert motion.t[[0, -1]].tolist() == [0.0, 4.0]
    assert motion.q.shape == (201, 2)
    assert motion.q.min() >= -1
    assert motion.q.max() <= 1.5
    assert np.abs(motion.u).max() <= 2
    assert np.abs(motion.du).max() <= 6
    np.testing.assert_allclose(motion.u[[0, -1]], 0, atol=1e-9)
    np.testing.assert_allclose(motion.du[[0, -1]], 0, atol=1e-9)
    step = motion.t[1]
    np.testing.assert_allclose(np.gradient(motion.q, step, axis=0)[1:-1], motion.u[1:-1], atol=0.01)


def test_the_same_seed_gives_the_same_file(run, arm, tmp_path):
    for name, seed in (("a.npz", "1"), ("b.npz", "1"), ("c.npz", "2")):
        run("excite", arm, *QUICK, "--seed", seed, "-o", str(tmp_path / name))
    a, b, c = ((tmp_path / f"{name}.npz").read_bytes() for name in "abc")
    assert a == b != c


def test_json(run, arm, tmp_path):
    path = str(tmp_path / "motion.csv")
    code, out, _ = run("excite", arm, *QUICK, "--output-format", "json", "-o", path)
    document = json.loads(out)
    assert (code, document["exit_code"], document["written"]) == (0, 0, path)
    assert document["rank"] == document["columns"] == len(document["singular_values"])
    assert document["condition_number"] < document["condition_number_before"]
    shoulder, elbow = document["joints"]
    assert (shoulder["joint"], elbow["joint"]) == ("shoulder", "elbow")
    speed = shoulder["velocity"]
    assert (speed["unit"], speed["lower"], speed["upper"]) == ("rad/s", -2.0, 2.0)
    assert speed["source"] == "file"
    assert speed["share"] == pytest.approx(max(-speed["least"], speed["most"]) / 2)
    assert speed["share"] <= 1


def judged(run, arm, path, *args):
    """Exit code, report and stderr of `excite --from`."""
    code, out, err = run("excite", arm, "--from", str(path), "--output-format", "json", *args)
    return code, json.loads(out), err


def test_a_trajectory_is_judged(run, arm, motion):
    path, number = motion
    code, report, _ = judged(run, arm, path)
    assert code == 0
    assert report["condition_number"] == pytest.approx(number, rel=0.05)
    assert (report["condition_number_before"], report["given"]) == (None, str(path))
    use = report["joints"][0]
    assert use["acceleration"]["share"] is None
    speed = use["velocity"]
    assert speed["share"] == pytest.approx(max(-speed["least"], speed["most"]) / 2)


def test_a_trajectory_beyond_a_limit_is_a_finding(run, arm, motion):
    code, out, _ = run("excite", arm, "--from", str(motion[0]), "--velocity-limit", "elbow=0.5")
    assert code == 1
    assert out.endswith("beyond its limit: velocity of elbow\n")


def test_a_trajectory_of_positions_is_differentiated_and_that_is_said(run, arm, motion, tmp_path):
    path, number = motion
    with np.load(path) as held:
        np.savez(tmp_path / "positions.npz", t=held["t"], q=held["q"])
    code, report, err = judged(run, arm, tmp_path / "positions.npz")
    assert code == 0
    assert "central differences, unfiltered" in err
    assert report["condition_number"] == pytest.approx(number, rel=0.05)


def test_a_recording_is_filtered_and_that_is_said(run, arm, motion, tmp_path):
    path, number = motion
    with np.load(path) as held:
        q = held["q"] + np.random.default_rng(0).normal(0, 1e-4, held["q"].shape)
        np.savez(tmp_path / "recording.npz", t=held["t"], q=q, tau=np.ones_like(q))
    wide = ("--position-limit=-2:2", "--velocity-limit=3")  # the noise goes beyond the limits
    code, report, err = judged(run, arm, tmp_path / "recording.npz", *wide)
    assert code == 0
    assert "torques, so it was measured: filtered as before an identification" in err
    assert report["condition_number"] == pytest.approx(number, rel=0.2)


def test_columns_go_by_their_names(run, arm, motion, tmp_path):
    path, _ = motion
    with np.load(path) as held:
        turned = {name: held[name][..., ::-1] for name in ("q", "qd", "qdd", "joints")}
        np.savez(tmp_path / "turned.npz", t=held["t"], **turned)
    reports = [judged(run, arm, each)[1] for each in (path, tmp_path / "turned.npz")]
    assert reports[0] | {"given": ""} == reports[1] | {"given": ""}


def test_options_stand_in_for_the_file_and_one_joint_for_all(run, arm):
    args = (*QUICK, "--velocity-limit", "2=0.7", "--velocity-limit=1", "--output-format", "json")
    code, out, _ = run("excite", arm, *args, "--position-limit", "shoulder=-0.5:0.25")
    shoulder, elbow = json.loads(out)["joints"]
    assert code == 0
    assert (shoulder["velocity"]["upper"], elbow["velocity"]["upper"]) == (1.0, 0.7)
    assert (shoulder["position"]["lower"], shoulder["position"]["upper"]) == (-0.5, 0.25)
    assert (elbow["position"]["upper"], elbow["position"]["source"]) == (1.5, "file")
    assert shoulder["position"]["most"] <= 0.25


def test_limits_that_are_nowhere_are_named_with_the_options(run, tmp_path):
    path = written(
        tmp_path,
        robot(
            *(link("a"), link("b"), link("c")),
            joint("slide", "base", "a", "prismatic", ""),
            joint("wheel", "a", "b", "continuous", ""),
            joint("elbow", "b", "c"),
        ),
    )
    code, out, err = run("excite", path)
    assert (code, out) == (2, "")
    assert (
        "no position limit of slide, wheel, which --position-limit LOWER:UPPER gives to all joints "
        "and --position-limit JOINT=LOWER:UPPER to one [m or rad]; no velocity limit of slide, "
        "wheel, which"
    ) in err
    assert "no acceleration limit of slide, wheel, elbow, which" in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--position-limit", "elbow=1:-1"), "position limit of elbow is 1 to -1 and leaves no"),
        (("--velocity-limit", "0"), "velocity limit of shoulder is 0 and leaves no room"),
        (("--velocity-limit", "knee=1"), "--velocity-limit: 'knee' is no joint"),
        (("--velocity-limit", "elbow="), "--velocity-limit elbow=: expected [JOINT=]VALUE"),
        (("--velocity-limit", "1:2"), "--velocity-limit 1:2: expected [JOINT=]VALUE"),
        (("--position-limit", "1"), "--position-limit 1: expected [JOINT=]LOWER:UPPER"),
        (("--acceleration-limit", "nan"), "--acceleration-limit nan: expected [JOINT=]VALUE"),
        (("--locked", "knee"), "knee"),
        (("--duration", "0"), "duration is 0.0, expected a positive number"),
        (("--harmonics", "1"), "harmonics is 1, expected 2 or more"),
        (("--friction", "sticky"), "'sticky' is none of viscous"),
        (("-o", "motion.txt"), "-o motion.txt: a trajectory is csv or npz"),
        (("--from", "motion.csv", "--rate", "9"), "--from only judges a trajectory: leave out"),
        (("--from", "nowhere.csv"), "nowhere.csv: no such file"),
        (("--gravity", "1,x"), "'1,x' is not a comma-separated list of numbers"),
    ],
)
def test_what_cannot_be_done(run, arm, args, words):
    code, out, err = run("excite", arm, "--acceleration-limit", "6", *args)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"q": np.zeros((5, 3)), "t": np.arange(5.0)}, "3 joints, and the robot has 2 that move"),
        ({"q": np.zeros((5, 2))}, "no t, and not both qd and qdd"),
        ({"Y": np.zeros((5, 2, 20)), "tau": np.zeros((5, 2))}, "it has Y and no q"),
    ],
)
def test_trajectories_that_say_too_little(run, arm, tmp_path, arrays, words):
    path = tmp_path / "motion.npz"
    np.savez(path, **arrays)
    code, out, err = run("excite", arm, "--from", str(path))
    assert (code, out) == (2, "")
    assert words in err


def test_a_trajectory_that_shows_less_is_told_its_rank(run, arm, tmp_path):
    t = np.linspace(0, 1, 50)
    np.savez(tmp_path / "m.npz", t=t, q=np.stack([np.sin(t), 0 * t], axis=1))
    args = ("--from", str(tmp_path / "m.npz"), "--output-format", "json", "--friction", "none")
    code, out, _ = run("excite", arm, *args)
    document = json.loads(out)
    assert code == 0
    assert document["rank"] < document["columns"]
    assert document["condition_number"] is None
    text = run("excite", arm, *args[:2])[1]
    assert "condition number inf" in text


def test_joints_that_follow_others_are_locked_or_refused(run, tmp_path):
    follower = LIMIT + '<mimic joint="elbow"/>'
    parts = (*(link("a"), link("b"), link("c")), joint("shoulder", "base", "a"))
    parts += (joint("elbow", "a", "b"), joint("wrist", "b", "c", inside=follower))
    path = written(tmp_path, robot(*parts))
    code, _, err = run("excite", path, *QUICK)
    assert code == 2
    assert "joint wrist follows elbow and has no torque of its own" in err
    args = (*QUICK, "--locked", "elbow=0.5", "--locked", "wrist", "--output-format", "json")
    code, out, _ = run("excite", path, *args)
    assert [each["joint"] for each in json.loads(out)["joints"]] == ["shoulder"]


def test_names_that_no_header_holds_become_numbers(run, tmp_path):
    text = ARM.replace('"shoulder"', '"a,b"')
    path, target = written(tmp_path, text), tmp_path / "motion.csv"
    assert run("excite", path, *QUICK, "-o", str(target))[0] == 0
    assert target.read_text().startswith("t,q_1,q_2,qd_1,qd_2,qdd_1,qdd_2\n")


def test_the_robot_is_not_written_over(run, tmp_path):
    path = tmp_path / "arm.csv"
    path.write_text(ARM)
    code, _, err = run("excite", str(path), *QUICK, "-o", str(path))
    assert (code, path.read_text()) == (2, ARM)
    assert "-o and ROBOT name one file" in err


def test_torques_beyond_the_files_are_a_finding_and_the_motion_is_written(run, tmp_path):
    path = written(tmp_path, ARM.replace('effort="50"', 'effort="1"'))
    target = tmp_path / "motion.npz"
    code, out, _ = run("excite", path, *QUICK, "-o", str(target))
    assert (code, target.exists()) == (1, True)
    assert out.splitlines()[-1].startswith("beyond its limit: torque of ")


def test_a_long_search_is_announced(run, arm, monkeypatch):
    monkeypatch.setattr(excitation, "_MANY", 1)
    assert "looking for a motion of 2 joints, which can take" in run("excite", arm, *QUICK)[2]
    assert run("excite", arm, *QUICK, "-q")[2] == ""
