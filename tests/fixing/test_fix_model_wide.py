"""fix --cause 1 on a mistake of the whole model: all links that it concerns, and no other."""

from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic

ARM = Path("data/defects/ic507-negated-products.urdf")
CORRECTED = (
    (b'ixz="-0.0018"', b'ixz="0.0018"'),
    (b'ixy="0.00069"', b'ixy="-0.00069"'),
    (b'ixz="0.00016"', b'ixz="-0.00016"'),
)


@pytest.fixture
def document():
    return (Path(__file__).parents[2] / ARM).read_bytes()


def test_all_links_are_edited_and_nothing_else_and_no_finding_is_left(document):
    fix = ic.fix_model(document, cause=1)
    expected = document
    for old, new in CORRECTED:
        expected = expected.replace(old, new)
    assert fix.data == expected
    assert [body.status for body in fix.bodies] == ["fixed"] * 3
    assert {body.cause for body in fix.bodies} == {"sign-of-products"}
    assert fix.complete
    assert ic.check_model(fix.data).findings == ()


def test_one_body_can_be_chosen(document):
    """The bug: an objection because the other links, which stay, still have the mistake."""
    fix = ic.fix_model(document, cause=1, bodies=["forearm"])
    assert fix.data == document.replace(*CORRECTED[1])
    assert [(body.name, body.status) for body in fix.bodies] == [("forearm", "fixed")]


def test_a_rule_can_be_chosen(document):
    """The bug: a finding without a body of its own that selects no body."""
    fix = ic.fix_model(document, cause=1, select=["IC507"])
    assert [body.status for body in fix.bodies] == ["fixed"] * 3


def test_a_second_cause_that_does_not_exist_changes_nothing(document):
    fix = ic.fix_model(document, cause=2)
    assert not fix.changed
    assert {body.status for body in fix.bodies} == {"no-such-cause"}


def test_the_edit_of_the_finding_is_what_is_written(document):
    (finding,) = ic.check_model(document).findings
    fix = ic.fix_model(document, cause=1)
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    for body in fix.bodies:
        new = dict(zip(names, body.new, strict=True))
        for name, value in finding.causes[0].edit["bodies"][body.name]["entries"].items():
            np.testing.assert_equal(new[name], value)
