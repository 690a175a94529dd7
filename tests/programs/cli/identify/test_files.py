"""`identify --with`: positions and torques in two files, of different rates and clocks."""

import os
import shutil

import numpy as np
import pytest

import bags
import recorded

OFFSET = 1234.5678


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files pos.csv at 500 Hz and tau.csv at 125 Hz, whose clock is ahead."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, "arm.urdf")
    run = recorded.with_friction(rate=500.0)
    head = ",".join(f"{name}.position" for name in recorded.JOINTS)
    np.savetxt(
        "pos.csv", np.column_stack([run["t"], run["q"]]), delimiter=",", header=f"t,{head}",
        comments="",
    )  # fmt: skip
    tau, t = run["tau"][103:-100:4], run["t"][103:-100:4]
    tau = tau + recorded.GENERATOR.NOISE * np.random.default_rng(4).normal(size=tau.shape)
    order = (2, 0, 1)
    head = ",".join(f"effort.{recorded.JOINTS[k].title()}" for k in order)
    np.savetxt(
        "tau.csv", np.column_stack([t + OFFSET, tau[:, order]]), delimiter=",",
        header=f"stamp,{head}", comments="",
    )  # fmt: skip
    return tmp_path


@pytest.mark.parametrize(
    ("offset", "said"),
    [(str(OFFSET), "1234.5678 s ahead, as given"), ("estimate", "s ahead, estimated: pos.csv")],
)
def test_two_files_of_one_motion_give_the_robot(run, files, offset, said):
    options = ["--with", "tau.csv", "--clock-offset", offset, "-o", "out.urdf"]
    code, out, err = run("identify", "pos.csv", "--model", "arm.urdf", *options)
    assert (code, err) == (0, "")
    assert said in out
    assert "500 Hz filtered at 50 Hz against aliasing" in out
    assert os.path.exists("out.urdf")
    row = next(line.split() for line in out.splitlines() if line.startswith("  forearm"))
    assert abs(float(row[2]) - recorded.TRUTH[2, 0]) < 0.1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--with", "tau.csv"], "--clock-offset estimate finds it"),
        (["--with", "pos.csv"], "nothing in it that the other files do not have"),
        (["--with", "gone.csv"], "gone.csv: no such file"),
        (["--with", "tau.csv", "--clock-offset", "soon"], "'soon' is no number"),
        (["--with", "tau.csv", "--clock-offset", "0.5"], "no sample is common"),
        (["--with", "tau.csv", "--validation", "pos.csv"], "DATA=FILE says to which"),
    ],
)
def test_files_that_do_not_fit_end_in_one_line(run, files, options, said):
    code, _, err = run("identify", "pos.csv", "--model", "arm.urdf", *options)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_a_recording_of_ros_gives_the_robot_and_names_what_it_does_not_use(run, files):
    motion = recorded.with_friction(duration=5.0, rate=50.0, noise=1.0)
    names = (*recorded.JOINTS, "finger")
    wider = {
        name: values if name == "t" else np.column_stack([values, 0 * values[:, 0]])
        for name, values in motion.items()
    }
    (files / "run.mcap").write_bytes(bags.write_mcap(bags.messages(wider, names)))
    code, out, err = run("identify", "run.mcap", "--model", "arm.urdf", "--topic", "/joint_states")
    assert (code, err) == (0, "")
    assert "run.mcap: topic: /joint_states, 250 messages of turn, lift, bend, finger" in out
    assert "run.mcap: no joints of the robot, not used: finger" in out
    code, _, err = run("identify", "run.mcap", "--model", "arm.urdf", "--topic", "/up")
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.parametrize("form", ["{}_position {}_effort", "{}_pos {}_tau", "q_{} tau_{}"])
def test_the_word_joint_may_stand_in_the_names_of_joints(run, tmp_path, monkeypatch, form):
    """The bug: turn_joint_position was read as the joint_position of turn, and refused."""
    monkeypatch.chdir(tmp_path)
    text = recorded.ROBOT.read_text()
    for joint in recorded.JOINTS:
        text = text.replace(f'<joint name="{joint}"', f'<joint name="{joint}_joint"')
    (tmp_path / "arm.urdf").write_text(text)
    data = recorded.with_friction(noise=1.0)
    head = [word.format(f"{joint}_joint") for word in form.split() for joint in recorded.JOINTS]
    np.savetxt(
        "log.csv", np.column_stack([data["t"], data["q"], data["tau"]]), delimiter=",",
        header=",".join(["t", *head]), comments="",
    )  # fmt: skip
    code, _, err = run("identify", "log.csv", "--model", "arm.urdf", "-o", "out.urdf")
    assert (code, err) == (0, "")
