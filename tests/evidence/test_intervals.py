"""The admissible intervals of a batch of documents."""

import numpy as np

from inertial_check.evidence.intervals import Intervals
from inertial_check.formats import load
from inertial_check.inertia.intervals import admissible_intervals
from inertial_check.model.judging import judge_all

LINK = (
    '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="{}" '
    'ixz="0.3" iyy="1" iyz="{}" izz="{}"/></inertial></link></robot>'
)


def judge(*numbers):
    judged = judge_all([load(LINK.format(*each).encode()) for each in numbers])
    return [body for bodies in judged for body in bodies]


def test_a_batch_gives_each_body_the_intervals_that_it_has_alone(monkeypatch):
    """Bodies are told apart by all bits: 0 and -0 turn the axes of a tensor in opposite ways."""
    bodies = judge((0, 0, 4), ("-0.0", "-0.0", 4), (0.1, 0.2, 5), (0, 0, 4), (0, 0, 1.5))
    calls = []

    def measure(six):
        calls.append(len(six))
        return admissible_intervals(six)

    monkeypatch.setattr("inertial_check.inertia.intervals.admissible_intervals", measure)
    intervals = Intervals(lambda: bodies)
    for body in bodies:  # the last one is sound, and not among those that rules report on
        (found,) = intervals.find([body])
        alone = admissible_intervals(np.array([body.I_BBcm_Bi]))[0].tolist()
        assert np.array(found).tobytes() == np.array(alone).tobytes()
    assert calls == [3, 1]


def test_bodies_outside_the_batch_are_measured_when_they_are_asked_for():
    one, other = judge((0, 0, 4), (0, 0, 5))
    assert len(Intervals().find([one, other])) == 2
    assert len(Intervals(lambda: [one]).find([other])) == 1
