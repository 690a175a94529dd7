"""A twin of a measured body has its matter where that has it: mirrored, or the same."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError

SHAPE = '<visual><origin xyz="0 0 -0.1"/><geometry><box size="0.1 0.08 0.3"/></geometry></visual>'
JOINT = (
    '<joint name="{0}_j" type="revolute"><parent link="body"/><child link="{0}"/><origin '
    'xyz="0 {1} 0" rpy="{2}"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)
MEASURED = ic.InertialParameters.from_com(
    2.0,
    np.array([0.005, 0.006, -0.115]),
    np.array([[0.015, 0.0002, 0.0001], [0.0002, 0.0157, -0.0003], [0.0001, -0.0003, 0.0027]]),
)
TENSOR = 'ixx="0.015" ixy="0.0002" ixz="0.0001" iyy="0.0157" iyz="-0.0003" izz="0.0027"'
INERTIAL = (
    f'<inertial><origin xyz="0.005 0.006 -0.115"/><mass value="2"/><inertia {TENSOR}/></inertial>'
)


def make_robot(rpy="0 0 0"):
    """A body with a measured left arm, and a right one without numbers."""
    links = f'<link name="body"/><link name="left_arm">{INERTIAL}{SHAPE}</link>'
    links += f'<link name="right_arm">{SHAPE}</link>'
    joints = JOINT.format("left_arm", 0.2, "0 0 0") + JOINT.format("right_arm", -0.2, rpy)
    return f'<robot name="r">{links}{joints}</robot>'.encode()


def fill_right(text, **options):
    (body,) = ic.fill(text, bodies=["right_arm"], digits=16, **options).bodies
    assert body.status == "filled", body.reason
    return body


def map_measured(S):
    return S @ MEASURED.com, S @ MEASURED.inertia_com @ S.T


@pytest.mark.parametrize(
    ("rpy", "pair", "S"),
    [
        ("0 0 0", (), np.diag([1.0, -1, 1])),
        ("0 0 3.141592653589793", (), np.diag([-1.0, 1, 1])),
        ("0 0 0", (("left_arm", "right_arm", "mirrored"),), np.diag([1.0, -1, 1])),
        ("0 0 3.141592653589793", (("right_arm", "left_arm", "equal"),), np.eye(3)),
    ],
)
def test_centre_and_tensor_are_those_of_the_measured_twin(rpy, pair, S):
    body = fill_right(make_robot(rpy), pairs=pair)
    com, tensor = map_measured(S)
    assert float(body.parameters.mass) == pytest.approx(2.0, rel=1e-9)
    np.testing.assert_allclose(body.parameters.com, com, atol=1e-8)
    np.testing.assert_allclose(body.parameters.inertia_com, tensor, atol=1e-9)
    assert body.source.endswith("distributed as in left_arm")
    low, high = body.interval.inertia
    assert np.all(low <= high)
    assert high[0] > 1.5 * low[0]  # a twin is an assumption: the interval stays that of the shape


def test_a_twin_of_another_shape_keeps_its_own_distribution():
    text = make_robot().decode()
    at = text.rindex("0.1 0.08 0.3")
    body = fill_right((text[:at] + "0.1 0.3 0.08" + text[at + 12 :]).encode())
    assert "distributed" not in body.source


def test_without_twins_a_body_is_uniform():
    body = fill_right(make_robot(), twins=False)
    np.testing.assert_allclose(body.parameters.com, [0, 0, -0.1], atol=1e-12)


def test_a_relation_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="expected mirrored or equal"):
        ic.fill(make_robot(), pairs=[("left_arm", "right_arm", "same")])
