"""Rules that look at unsound bodies only: the bodies that are left out have no finding."""

import hypothesis.strategies as st
from hypothesis import given, settings

from inertial_check.evidence import Examination
from inertial_check.formats import load
from inertial_check.model.judging import judge
from inertial_check.rules import ALL_RULES
from inertial_check.rules._base import BodyRule
from inertial_check.rules.inertia import _InertiaRule

NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.floats(1e-4, 10).map(repr),
    st.sampled_from(
        ["0", "-0.0", "1", "2", "3", "0.1", "0.20", "1e-9", "1e-320", "nan", "-inf", "-1", "x", ""]
    ),
)
LINK = (
    '<robot name="r"><link name="a"><inertial><origin xyz="{} {} {}"/><mass value="{}"/>'
    '<inertia ixx="{}" ixy="{}" ixz="{}" iyy="{}" iyz="{}" izz="{}"/></inertial></link></robot>'
)


@settings(max_examples=150, deadline=None)
@given(st.lists(NUMBERS, min_size=10, max_size=10), st.integers(0, 6), st.sampled_from([0.0, 0.1]))
def test_a_sound_body_has_no_finding_of_these_rules(numbers, simple, tolerance):
    """The bug: a rule on numbers that are finite, consistent and no crumbs, which no body gets."""
    zeros = [5, 6, 8, 0, 1, 2][:simple]  # products first
    texts = ["0" if place in zeros else text for place, text in enumerate(numbers)]
    model = load(LINK.format(*texts).encode())
    judgements = judge(model, tolerance)
    if Examination(model, judgements).unsound:
        return
    (body,), (judgement,) = model.bodies, judgements
    for rule in ALL_RULES:
        if issubclass(rule, BodyRule) and rule.only_unsound:
            assert list(rule(model).check(body, judgement)) == []
        elif issubclass(rule, _InertiaRule):
            assert rule(model).statement(body, judgement) is None


def test_numbers_with_something_to_say_are_unsound():
    """A body that no rule looks at would pass whatever is written."""
    boxes = [("1", "1", "1", "1"), ("0", "1", "1", "1"), ("1", "1", "1", "3"), ("1", "0", "0", "0")]
    boxes += [("nan", "1", "1", "1"), ("1", "1e-16", "1e-16", "1e-16"), ("1", "1", "1", "inf")]
    found = []
    for mass, xx, yy, zz in boxes:
        model = load(LINK.format(0, 0, 0, mass, xx, 0, 0, yy, 0, zz).encode())
        found.append(Examination(model, judge(model)).unsound)
    assert found == [(), *[(0,)] * 6]
