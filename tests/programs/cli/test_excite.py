"""`excite`: what the report says, what is written, which limits count, what ends in an error."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
import yaml

import inertial_check as ic
from inertial_check.checking.shapes.meshes import MeshFinder
from inertial_check.documents.context import Context
from inertial_check.documents.model import tree_of
from inertial_check.identification.excitation import excite
from inertial_check.identification.excitation.collisions import convert_shape
from inertial_check.identification.recordings import read_recording
from inertial_check.mechanics.equations import inverse_dynamics
from inertial_check.mechanics.jacobians import poses

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
    asked = excite.ExciteOptions(
        model=str(folder / "arm.urdf"),
        limits=excite.LimitOptions(acceleration_limit=["6"]),
        search=excite.SearchOptions(duration=4.0, harmonics=3, rate=200.0),
    )
    found = excite.excite(asked)
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
    assert "-o FILE.csv, FILE.npz or FILE.yaml writes the trajectory" in err


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


def test_a_message_of_ros_has_the_motion_and_whole_nanoseconds(run, arm, tmp_path):
    # 700 Hz: no sample but the first and the last is at a whole nanosecond or at a finite binary
    # fraction, and a sum of rounded steps would be 200 ns off at the end. A velocity of 1e-17 at
    # the ends must read back as a number, which YAML does not take "1e-17" for.
    args = ("--rate", "700", "--duration", "4", "--harmonics", "3", "--acceleration-limit", "6")
    path, other = tmp_path / "motion.yaml", tmp_path / "motion.npz"
    assert run("excite", arm, *args, "-o", str(path))[0] == 0
    assert run("excite", arm, *args, "-o", str(other))[0] == 0
    message, motion = yaml.safe_load(path.read_text()), np.load(other)
    assert list(message) == ["header", "joint_names", "points"]
    assert message["header"] == {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
    assert message["joint_names"] == ["shoulder", "elbow"]
    for field, signal in (("positions", "q"), ("velocities", "qd"), ("accelerations", "qdd")):
        numbers = [each[field] for each in message["points"]]
        assert {type(number) for row in numbers for number in row} == {float}
        assert np.array_equal(numbers, motion[signal])
    times = [each["time_from_start"] for each in message["points"]]
    assert all(type(value) is int for time in times for value in time.values())
    exact = [round(Fraction(k, 700) * 10**9) for k in range(2801)]
    assert [(time["sec"], time["nanosec"]) for time in times] == [divmod(at, 10**9) for at in exact]


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
    assert "no acceleration limit of slide, wheel, which" in err  # that of the elbow is assumed


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
        (("--max-torque", "elbow=-1"), "--max-torque elbow=-1: expected [JOINT=]VALUE"),
        (("--torque-margin", "-1"), "--torque-margin is -1.0, expected 0 or more"),
        (("--clearance", "near"), "--clearance near: expected a distance [m], or none"),
        (("--clearance=-1",), "--clearance is -1.0, expected 0 or more"),
        (("--allow-contact", "upper"), "--allow-contact upper: expected two bodies"),
        (
            ("--allow-contact", "upper,hand"),
            "'hand' is no body of the robot; there are base, upper",
        ),
        (("--keep-out", "0:1,0:1"), "--keep-out 0:1,0:1: expected XMIN:XMAX"),
        (("--weights", "knee=2"), "--weights: 'knee' is no body"),
        (("--weights", "upper=0"), "--weights upper=0: expected NAME=WEIGHT"),
        (("--trajectories", "0"), "trajectories is 0, expected 1 or more"),
        (("-o", "motion.txt"), "-o motion.txt: a motion is csv, npz or a ROS message"),
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
    assert "joint wrist follows elbow: this command does not model closed loops" in err
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


def test_a_torque_limit_that_gravity_alone_exceeds_is_refused(run, tmp_path):
    path = written(tmp_path, ARM.replace('effort="50"', 'effort="1"'))
    code, out, err = run("excite", path, *QUICK)
    assert (code, out) == (2, "")
    assert "configurations holds torque limits and distances at rest" in err
    assert re.search(r"joint 0 takes \d\S+ of its 1 N m or N at rest", err)
    code, _, err = run("excite", path, *QUICK, "--max-torque", "inf")
    assert code == 0
    path = written(tmp_path, ARM.replace('effort="50"', 'effort="0"'))
    code, _, err = run("excite", path, *QUICK)
    assert code == 2
    assert "the torque limit of shoulder is 0 and leaves no room: --max-torque shoulder=" in err


def test_the_torques_that_are_written_keep_their_limits_with_friction_and_margin(run, tmp_path):
    friction = LIMIT + '<dynamics damping="0.5" friction="1.5"/>'
    path = written(tmp_path, ARM.replace(LIMIT, friction))
    target, free = tmp_path / "held.npz", tmp_path / "free.npz"
    limit = ("--max-torque", "shoulder=11", "--max-torque", "elbow=2.6")
    assert run("excite", path, *QUICK, *limit, "-o", str(target))[0] == 0
    assert run("excite", path, *QUICK, "--max-torque", "inf", "-o", str(free))[0] == 0
    tree = tree_of(ic.load(path)).tree
    most = {}
    for name in (target, free):
        motion = read_recording(name, torques=False)
        tau = inverse_dynamics(tree, motion.q, motion.u, motion.du)
        most[name] = (np.abs(tau + 0.5 * motion.u) + 1.5).max(axis=0)
    assert np.all(most[target] < 0.98 * np.array([11, 2.6]))  # the margin is more than 2 %
    assert np.any(most[free] > [11, 2.6])


SHAPES = (
    '<collision><origin xyz="0 0 0.25"/><geometry><box size="0.1 0.1 0.5"/></geometry></collision>'
)


def folding(tmp_path, geometry=None):
    """Three links in a plane that can fold onto the first one and reach below their base."""
    shapes = SHAPES
    if geometry is not None:
        shapes = f"<collision><geometry>{geometry}</geometry></collision>"
    parts = [link(name).replace("</link>", shapes + "</link>") for name in "abc"]
    inside = '<limit lower="-3" upper="3" velocity="3" effort="400"/>'
    for name, parent, child in (("j1", "base", "a"), ("j2", "a", "b"), ("j3", "b", "c")):
        each = joint(name, parent, child, inside=inside)
        parts.append(
            each.replace('xyz="0.3 0 0.1"', f'xyz="0 0 {0.55 if parent != "base" else 0}"')
        )
    return written(tmp_path, robot(*parts))


def test_bodies_stay_apart_from_each_other_and_from_obstacles(run, tmp_path):
    """With the distances of corners of the boxes, which lie in one plane, as a second opinion."""
    path, target = folding(tmp_path), tmp_path / "motion.npz"
    args = (*QUICK, "--clearance", "0.05", "--floor=-0.6", "--keep-out=0.8:1,-1:1,0:3")
    code, out, _ = run("excite", path, *args, "-o", str(target))
    assert code == 0
    assert "kept at all times" in out
    assert "not looked at, adjacent: a-b, b-c" in out
    q = read_recording(target, torques=False).q
    X = np.asarray(poses(tree_of(ic.load(path)).tree, q))
    corners = np.array([[x, 0, z, 1] for x in (-0.05, 0.05) for z in (0.0, 0.5)])
    points = np.einsum("snij,cj->snci", X[:, 1:], corners)[..., :3]
    assert points[..., 2].min() >= -0.6 + 0.05
    high = points[..., 0][points[..., 2] > 0]
    assert high.max() <= 0.75
    line = np.linspace(0, 1, 40)[:, None]
    edges = [
        points[:, body, a][:, None] * (1 - line) + points[:, body, b][:, None] * line
        for body, a, b in ((0, 0, 1), (0, 2, 3), (2, 0, 1), (2, 2, 3))
    ]
    first, last = np.concatenate(edges[:2], axis=1), np.concatenate(edges[2:], axis=1)
    apart = np.linalg.norm(first[:, :, None] - last[:, None], axis=3)
    assert apart.min() >= 0.05
    free = run("excite", path, *QUICK, "--clearance", "none", "-o", str(target))
    assert free[0] == 0
    assert "collisions" not in free[1]
    code, out, _ = run("excite", path, "--from", str(target))
    assert code == 1
    assert "beyond its limit: distance of a and c" in out


def test_a_mesh_counts_as_a_hull_that_holds_all_of_it(run, tmp_path):
    """Of a ball with more corners than a hull keeps, and in an arm that folds."""
    turn, rise = np.meshgrid(np.arange(24) * np.pi / 12, np.arange(1, 12) * np.pi / 12)
    corners = np.stack([np.cos(turn) * np.sin(rise), np.sin(turn) * np.sin(rise), np.cos(rise)], -1)
    rings = corners.reshape(-1, 3) * [0.05, 0.05, 0.25] + [0, 0, 0.25]
    a = np.arange(len(rings) - 24)
    b = np.where(a % 24 == 23, a - 23, a + 1)
    faces = np.concatenate([np.stack([a, b, a + 24], 1), np.stack([b, b + 24, a + 24], 1)])
    lines = [f"v {x} {y} {z}" for x, y, z in rings] + [f"f {i} {j} {k}" for i, j, k in faces + 1]
    (tmp_path / "rod.obj").write_text("\n".join(lines), encoding="utf-8")
    path = folding(tmp_path, '<mesh filename="rod.obj"/>')
    shape = ic.load(path).bodies[1].shapes[0]
    points, _, radius = convert_shape(shape, MeshFinder(ic.load(path), Context()))
    assert len(points) <= 64
    ways = np.random.default_rng(0).normal(size=(2000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    excess = (points @ ways.T).max(axis=0) + radius - (rings @ ways.T).max(axis=0)
    assert excess.min() >= 0
    assert excess.max() < 0.02
    target = tmp_path / "motion.npz"
    code, out, err = run("excite", path, *QUICK, "--clearance", "0.05", "-o", str(target))
    assert (code, "a convex hull counts for each mesh of a, b, c" in out + err) == (0, True)
    X = np.asarray(poses(tree_of(ic.load(path)).tree, read_recording(target, torques=False).q))
    first, last = (rings @ X[:, i, :3, :3].swapaxes(1, 2) + X[:, i, None, :3, 3] for i in (1, 3))
    apart = min(
        np.linalg.norm(p[:, None] - r[None], axis=2).min()
        for p, r in zip(first[::8], last[::8], strict=True)
    )
    assert apart >= 0.05


def test_motions_that_are_designed_together_show_more(run, arm, tmp_path):
    args = (*QUICK, "--output-format", "json")
    one = json.loads(run("excite", arm, *args)[1])
    target = str(tmp_path / "motion.csv")
    code, out, _ = run("excite", arm, *args, "--trajectories", "2", "-o", target)
    both = json.loads(out)
    assert (code, both["trajectories"], both["condition_number"] < one["condition_number"]) == (
        *(0, 2, True),
    )
    assert both["files"] == [str(tmp_path / f"motion-{number}.csv") for number in (1, 2)]
    motions = [read_recording(path, torques=False) for path in both["files"]]
    assert not np.allclose(motions[0].q, motions[1].q)


def test_a_criterion_is_better_by_its_own_measure(run, arm):
    found = {
        name: json.loads(
            run("excite", arm, *QUICK, "--criterion", name, "--output-format", "json")[1]
        )
        for name in ("condition", "log-det", "mean-variance")
    }
    sizes = {name: np.array(each["singular_values"]) for name, each in found.items()}
    assert np.prod(sizes["log-det"]) > np.prod(sizes["condition"])
    variance = {name: np.mean(each**-2.0) for name, each in sizes.items()}
    assert variance["mean-variance"] < variance["condition"]
    assert found["log-det"]["criterion"]["value"] > found["log-det"]["criterion"]["before"]


def test_weights_ask_for_more_of_a_body_and_of_friction(run, arm):
    def condition(*args):
        return json.loads(run("excite", arm, *args, "--output-format", "json")[1])

    weights = ("--weights", "lower=5", "--weights", "coulomb=5")
    found = condition(*QUICK, *weights)
    assert found["columns"] == condition(*QUICK)["columns"]
    assert found["condition_number"] != condition(*QUICK)["condition_number"]


def test_a_long_search_is_announced(run, arm, monkeypatch):
    monkeypatch.setattr(excite, "_MANY", 1)
    assert "looking for a motion of 2 joints, which can take" in run("excite", arm, *QUICK)[2]
    assert run("excite", arm, *QUICK, "-q")[2] == ""


def test_the_line_of_the_readme_runs_as_it_stands(run, project_root, tmp_path, monkeypatch):
    text = (project_root / "README.md").read_text(encoding="utf-8")
    (line,) = [each for each in text.splitlines() if each.startswith("inertial-check excite ")]
    (tmp_path / "data").symlink_to(project_root / "data")
    monkeypatch.chdir(tmp_path)
    assert run(*line.split()[1:])[0] == 0
    motion = read_recording(tmp_path / "motion.csv", torques=False)
    assert motion.joints == ("turn", "lift", "bend")
