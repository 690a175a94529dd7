"""Bodies with the same numbers and witnesses share what was found, and only those."""

import re

import numpy as np
import pytest

from inertial_check.causes import Subject
from inertial_check.causes._results import recall_results
from inertial_check.causes.ranking import hypotheses
from inertial_check.checking.check import examine
from inertial_check.formats import load
from inertial_check.model.judging import judge
from inertial_check.settings.settings import Settings
from spoilt import robot, subjects

ARM = {
    "twin": "left_arm",
    "mass": "2.13",
    "com": "0.01 1.4 0.02",
    "rpy": "0 0 0",
    "six": 'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"',
    "box": "0.1 0.3 0.2",
    "place": "0 0.1 0",
    "twins_mass": "2.4",
    "twins_com": "0.01 -0.1 0.02",
    "twins_six": 'ixx="0.02" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.018"',
    "joint": "0 0.3 0",
}
"""A right arm with a placeholder, beside a left arm: all that the causes compare it with."""

STATED = 'ixx="0.0231" ixy="0.0021" ixz="0" iyy="0.011" iyz="0.0004" izz="0.017"'
"""A tensor that is no placeholder, and that a body can have."""


def arms(**changed):
    """URDF of two arms on a base, each with a hand."""
    return """<robot name="r"><link name="base"/>
    <link name="right_arm"><inertial><origin xyz="{com}" rpy="{rpy}"/><mass value="{mass}"/>
      <inertia {six}/></inertial>
      <visual><origin xyz="{place}"/><geometry><box size="{box}"/></geometry></visual></link>
    <link name="{twin}"><inertial><origin xyz="{twins_com}"/><mass value="{twins_mass}"/>
      <inertia {twins_six}/></inertial></link>
    <link name="hand"/>
    <joint name="a" type="revolute"><parent link="base"/><child link="right_arm"/></joint>
    <joint name="b" type="revolute"><parent link="base"/><child link="{twin}"/></joint>
    <joint name="c" type="revolute"><origin xyz="{joint}"/>
      <parent link="right_arm"/><child link="hand"/></joint></robot>""".format(**ARM | changed)


def explain(document):
    """The causes of the right arm, and how many times as probable what each of them means is."""
    model = load(document.encode())
    examination = examine(model, judge(model), Settings().validate())
    (arm,) = (i for i, body in enumerate(model.bodies) if body.name == "right_arm")
    subject = Subject(examination, arm)
    causes = hypotheses([subject])
    return causes, {name: ratio.tolist() for name, ratio in subject.results.weighed.items()}


@pytest.mark.parametrize("own", [{}, {"six": STATED}], ids=["placeholder", "stated"])
@pytest.mark.parametrize(
    "changed",
    [
        {"mass": "2.14"},
        {"com": "0.01 -1.4 0.02"},
        {"com": "0 0 0"},
        {"rpy": "0 0.7 0"},
        {"box": "0.1 0.6 0.2"},
        {"place": "0 -0.1 0"},
        {"twin": "other_arm"},
        {"twins_mass": "2.13"},
        {"twins_com": "0.4 -3.1 0.02"},
        {"twins_six": 'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"'},
        {"joint": "0 1.3 0"},
    ],
    ids="-".join,
)
def test_a_body_that_differs_shares_nothing(own, changed):
    recall_results.cache_clear()
    alone = explain(arms(**own | changed))
    recall_results.cache_clear()
    before = explain(arms(**own))
    assert before != alone
    assert explain(arms(**own | changed)) == alone


def test_a_body_without_shapes_shares_nothing_with_one_of_longer_links():
    near, far = (
        re.sub("<visual>.*</visual>", "", arms(joint=place)) for place in ("0 0.3 0", "0 1.3 0")
    )
    recall_results.cache_clear()
    alone = explain(far)
    recall_results.cache_clear()
    assert explain(near) != alone
    assert explain(far) == alone


def test_bodies_with_the_same_content_share_their_results():
    same, other = (1.5, (0, 0, 0), (1, 0, 0, 1, 0, 1)), (1.5, (0, 0, 0), (2, 0, 0, 2, 0, 1))
    one, two, three = subjects(robot(same, same, other))
    (elsewhere,) = subjects(robot(same))
    assert one.results is two.results is elsewhere.results
    assert three.results is not one.results


def test_a_zero_with_a_minus_is_another_number():
    plus, minus = subjects(
        robot((1, (0, 0, 0), (1, "0", 0, 1, 0, 3)), (1, (0, 0, 0), (1, "-0", 0, 1, 0, 3)))
    )
    assert np.signbit(minus.six[1])
    assert not np.signbit(plus.six[1])
    assert plus.results is not minus.results


def test_results_are_kept_of_a_bounded_number_of_bodies():
    assert recall_results.cache_info().maxsize <= 4096


def first_of(document):
    """What is said of the first body of a document that states an inertia."""
    model = load(document.encode())
    examination = examine(model, judge(model), Settings().validate())
    index = next(i for i, body in enumerate(model.bodies) if body.inertial is not None)
    return hypotheses([Subject(examination, index)])


CUT_OFF = robot((1.5, (0, 0, 0), ("0.0021", 0, 0, "0.0034", 0, "0.0057")))
FINGER = """<robot name="r"><link name="base"/><link name="finger"><inertial><mass value="0.5"/>
  <inertia ixx="0.0034" ixy="0" ixz="0" iyy="0.0017" iyz="0" izz="0.0021"/></inertial>
  <visual><geometry><box size="0.2 0.1 0.03"/></geometry></visual></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="finger"/>
  <axis xyz="1 0 0"/></joint></robot>"""
ROW_BY_ROW = robot((2, (0, 0, 0), (4, 2.5, 1, 2.5, 0.3, 1.2)))
ROW_BY_ROW_IN_MJCF = """<mujoco><worldbody><body name="b0"><joint/><inertial pos="0 0 0" mass="2"
  fullinertia="4 2.5 1.2 2.5 1 0.3"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CUT_OFF, re.sub(r"(0\.00\d\d)", r"\g<1>0", CUT_OFF)),
        (FINGER, FINGER.replace("1 0 0", "0 1 0")),
        (ROW_BY_ROW, ROW_BY_ROW_IN_MJCF),
    ],
    ids=["other digits", "another axis", "another format"],
)
def test_a_cause_that_reads_more_than_numbers_shares_nothing_where_that_differs(one, other):
    recall_results.cache_clear()
    alone = first_of(other)
    recall_results.cache_clear()
    assert first_of(one) != alone
    assert first_of(other) == alone
