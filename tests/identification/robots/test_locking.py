"""Joints that a recording does not have: held, named, or without a torque."""

import numpy as np
import pytest

import recorded
from inertial_check.errors import DocumentError, UsageError
from inertial_check.identification.command import identify_robot
from inertial_check.identification.options import IdentifyOptions, RobotOptions, read_locks

GRIPPER = """
  <link name="finger"><inertial><origin xyz="0 0 0.02"/><mass value="0.1"/>
    <inertia ixx="0.0002" ixy="0" ixz="0" iyy="0.0002" iyz="0" izz="0.0001"/></inertial></link>
  <joint name="grip" type="prismatic"><parent link="forearm"/><child link="finger"/>
    <origin xyz="0 0 0.3"/><axis xyz="1 0 0"/>
    <limit lower="0.01" upper="0.04" effort="10" velocity="1"/></joint>
  <link name="thumb"><inertial><origin xyz="0 0 0.02"/><mass value="0.1"/>
    <inertia ixx="0.0002" ixy="0" ixz="0" iyy="0.0002" iyz="0" izz="0.0001"/></inertial></link>
  <joint name="follow" type="prismatic"><parent link="forearm"/><child link="thumb"/>
    <origin xyz="0 0 0.3"/><axis xyz="-1 0 0"/><mimic joint="{leader}"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
</robot>"""


def gripper(folder, leader="grip"):
    path = folder / "gripper.urdf"
    text = recorded.ROBOT.read_text().replace("</robot>", GRIPPER.format(leader=leader))
    path.write_text(text)
    return str(path)


def named(folder, drop=(), torques=True, **changes):
    """The path of a csv whose columns have the names of the joints."""
    data = recorded.with_friction(seed=1, noise=1.0)
    columns = {"t": data["t"]}
    for k, joint in enumerate(recorded.JOINTS):
        columns[f"q_{joint}"] = data["q"][:, k]
        if joint not in drop and torques:
            columns[f"tau_{joint}"] = data["tau"][:, k]
    columns |= changes
    path = folder / "named.csv"
    rows = np.stack(list(columns.values()), axis=1)
    np.savetxt(path, rows, delimiter=",", header=",".join(columns), comments="")
    return str(path)


def test_joints_of_no_recording_are_held_and_named(tmp_path):
    data, model = named(tmp_path), gripper(tmp_path)
    with pytest.raises(UsageError, match=r"of grip, follow are not recorded.*--locked others"):
        identify_robot(IdentifyOptions(data=(data,), model=model))
    half = RobotOptions(locked={"follow": 0.0})
    with pytest.raises(UsageError, match=r"nothing of grip; .*--locked others.*grip=POSITION"):
        identify_robot(IdentifyOptions(data=(data,), model=model, robot=half))
    locked, others = read_locks(["others", "follow=0.02"])
    options = RobotOptions(locked=locked, lock_others=others)
    found = identify_robot(IdentifyOptions(data=(data,), model=model, robot=options))
    assert found.robot.joints == recorded.JOINTS
    told = [each for each in found.report.remarks if each.kind == "locked"]
    texts = " | ".join(each.message for each in told)
    assert "grip is in no recording and is held at 0" in texts
    assert "follow is held at 0.02" in texts
    assert "grip is held at 0, outside its limits, 0.01 to 0.04" in texts
    named_each = RobotOptions(locked={"grip": 0.0, "follow": 0.02})
    same = identify_robot(IdentifyOptions(data=(data,), model=model, robot=named_each))
    np.testing.assert_array_equal(same.found.theta, found.found.theta)


def test_a_joint_that_follows_a_recorded_one_is_not_held(tmp_path):
    others = RobotOptions(lock_others=True)
    with pytest.raises(UsageError, match="follow is in no recording and follows bend"):
        identify_robot(
            IdentifyOptions(data=(named(tmp_path),), model=gripper(tmp_path, "bend"), robot=others)
        )


def test_others_needs_names(tmp_path):
    data = recorded.written(tmp_path, recorded.with_friction(seed=1))
    others = RobotOptions(lock_others=True)
    with pytest.raises(UsageError, match="needs the names of the joints"):
        identify_robot(IdentifyOptions(data=(data,), model=gripper(tmp_path), robot=others))


@pytest.mark.parametrize("column", ["none", "empty", "garbage"])
def test_the_row_of_an_unmeasured_joint_is_left_out(tmp_path, column):
    """A row of zeros, or of what stands in its column, would make the links lighter."""
    count = len(recorded.with_friction(seed=1)["t"])
    value = {"empty": np.full(count, np.nan), "garbage": np.linspace(0, 50, count)}
    kept = {} if column == "none" else {"tau_turn": value[column]}
    data, model = named(tmp_path, drop=("turn",), **kept), str(recorded.ROBOT)
    if column != "garbage":
        with pytest.raises(DocumentError):
            identify_robot(IdentifyOptions(data=(data,), model=model))
        wrong = RobotOptions(unmeasured=("lift",))
        with pytest.raises(UsageError, match="no torque of turn; --unmeasured turn"):
            identify_robot(IdentifyOptions(data=(data,), model=model, robot=wrong))
    options = RobotOptions(unmeasured=("turn",))
    found = identify_robot(IdentifyOptions(data=(data,), model=model, robot=options))
    assert not any(name.endswith("1") for name in found.found.names)
    told = {each.kind: each.message for each in found.report.remarks}
    assert "turn" in told["unmeasured"]
    assert "constant" not in told
    whole = identify_robot(IdentifyOptions(data=(named(tmp_path),), model=model))
    np.testing.assert_allclose(found.found.theta[2], whole.found.theta[2], atol=0.1)
    from inertial_check.reports import View
    from inertial_check.reports.identification import render

    for form in ("text", "json", "markdown", "latex"):
        assert "turn" in render(found.report, form, View(exit_code=0))
