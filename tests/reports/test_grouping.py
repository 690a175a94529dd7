"""Every finding is in exactly one group, and one mistake in many places is one group."""

import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hand_made_reports as hand_made
from inertial_check.checking.report import (
    Excerpt,
    ExcerptLine,
    FileReport,
    Hypothesis,
    MarkedLine,
    Report,
    Severity,
)
from inertial_check.documents.source import Place
from inertial_check.reports.grouping import group_findings


def finding(body="link", line=1, cause="decimal-slip", **changes):
    causes = () if cause is None else (Hypothesis(cause, 0.9, "evidence", None),)
    place = Place(line, 1, line, 5, changes.pop("path", None))
    return hand_made.TRIANGLE._replace(
        body=body, body_id=f"/{body}", causes=causes, place=place, entries=(), **changes
    )


def file(path, *findings):
    return FileReport(path, "urdf", "robot", (), findings)


def groups_of(*files):
    return group_findings(Report(files))


def sizes(*files):
    return [(group.bodies, group.files, group.findings) for group in groups_of(*files)]


findings = st.builds(
    finding,
    body=st.sampled_from([None, "a", "b", "c"]),
    line=st.integers(1, 4),
    cause=st.sampled_from([None, "decimal-slip", "placeholder"]),
    path=st.sampled_from([None, "shared.xacro"]),
    code=st.sampled_from(["IC301", "IC501"]),
    severity=st.sampled_from(Severity),
    fact=st.sampled_from(["", "one", "two"]),
    fix=st.sampled_from([None, "safe", "unsafe"]),
    excerpt=st.sampled_from([None, hand_made.TRIANGLE.excerpt]),
    bodies=st.sampled_from([(), ("a", "b")]),
)


@given(st.lists(st.lists(findings, max_size=6), max_size=5))
def test_every_finding_is_in_exactly_one_group(lists):
    """Also the counts of the groups are those of their members, and their rules are one."""
    files = [file(f"{at}.urdf", *each) for at, each in enumerate(lists)]
    groups = groups_of(*files)
    counted = Counter((m.file.path, id(m.finding)) for group in groups for m in group.members)
    assert counted == Counter((each.path, id(one)) for each in files for one in each.findings)
    for group in groups:
        assert group.findings == len(group.members) == len(group.places) > 0
        assert group.representative in group.members
        rules = {(m.finding.code, m.finding.severity) for m in group.members}
        assert rules == {(group.code, group.severity)}
    assert [g.severity for g in groups] == sorted((g.severity for g in groups), reverse=True)


def test_bodies_of_a_file_with_one_cause_are_one_group():
    bodies = [finding(f"link_{i}", i) for i in range(14)]
    other = finding("tool", 20, cause="placeholder")
    assert sizes(file("a.urdf", *bodies, other)) == [(14, 1, 14), (1, 1, 1)]


def test_unrelated_robots_with_the_same_cause_are_two_groups():
    robots = file("a.urdf", finding(message="1")), file("b.urdf", finding(message="2"))
    assert sizes(*robots) == [(1, 1, 1), (1, 1, 1)]


def test_variants_of_a_robot_are_one_group():
    """The second has a body more, whose mistake only its other findings place in the group."""
    arm = [finding("upper", 1, fact="1"), finding("lower", 2, fact="2")]
    hand = finding("hand", 3, fact="3")
    assert sizes(file("arm.urdf", *arm), file("arm_with_hand.urdf", *arm, hand)) == [(5, 2, 5)]


def test_equal_bodies_that_stand_otherwise_to_others_are_two_groups():
    """The bug: "78 degrees, 2 bodies, 97 %" for one at 78 degrees and one with another cause."""
    askew = finding("left", 1, "wrong-frame", fact="1", message="turned by 78 degrees")
    negated = finding("right", 9, "sign-of-products", fact="1", message="its products are negated")
    assert sizes(file("a.urdf", askew, negated)) == [(1, 1, 1), (1, 1, 1)]


def test_bodies_from_one_macro_are_one_group_whatever_their_causes():
    excerpt = Excerpt((ExcerptLine(3, "<inertia/>", 0, 5),))
    place = {"path": "wheel.xacro", "excerpt": excerpt}
    one = [finding(name, 3, **place) for name in ("left", "right")]
    robots = file("a.xacro", *one), file("b.xacro", finding("rear", 3, "placeholder", **place))
    assert sizes(*robots) == [(3, 2, 3)]
    assert groups_of(*robots)[0].with_cause == 2


def test_a_finding_on_the_whole_model_is_a_group_of_its_own():
    whole = finding(None, 1, bodies=("a", "b", "c"), body_ids=("/a", "/b", "/c"))
    assert sizes(file("a.urdf", whole, finding("a", 2))) == [(3, 1, 1), (1, 1, 1)]


def test_the_worst_comes_first():
    """An error before warnings; what an engine refuses before what only looks odd, or is more."""
    refused = finding("forearm", 1, severity=Severity.WARNING, code="IC305")._replace(
        body_id=hand_made.INCONSISTENT.id
    )
    odd = [finding(f"odd_{i}", i, severity=Severity.WARNING, code="IC501") for i in range(9)]
    error = finding("base", 30, code="IC502")
    report = file("a.urdf", *odd, refused, error)._replace(bodies=(hand_made.INCONSISTENT,))
    assert [group.code for group in groups_of(report)] == ["IC502", "IC305", "IC501"]


def test_a_place_is_that_of_the_guilty_number():
    guilty = MarkedLine(Place(7, 3, 7, 4), '  izz="1"', ((7, 8),))
    assert groups_of(file("a.urdf", finding(guilty=guilty)))[0].places[0].line == 7


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, "inertial-check fix --unsafe --body link 'a b.urdf'"),
        ({"safe": True}, "inertial-check fix --body link 'a b.urdf'"),
        ({"helps": False}, None),
        ({"edits": (), "source": "hand"}, None),
        (
            {"bodies": ("twin",), "body_ids": ("/twin",)},
            "inertial-check fix --unsafe --body twin 'a b.urdf'",
        ),
    ],
)
def test_the_command_writes_the_remedy_and_no_other_body(changes, command):
    one = hand_made.remedy_of(finding(), **changes)
    assert groups_of(file("a b.urdf", one))[0].command == command


def test_many_bodies_and_files_keep_the_command_short():
    many = [finding(f"link_{i}", i, fact=str(i)) for i in range(9)]
    many = [hand_made.remedy_of(each, safe=True) for each in many]
    files = [file(f"{name}.urdf", *many) for name in "abcdef"]
    (group,) = groups_of(*files)
    assert group.command == "inertial-check fix --select IC301 a.urdf"
    assert group.more_files == 5


def test_the_time_of_a_finding_does_not_grow_with_their_number():
    """Steps of the grouping are counted, not seconds: comparisons of findings in pairs show."""

    def count_calls(size):
        bodies = [finding(f"link_{i}", i, fact=str(i % 100), cause=str(i % 7)) for i in range(size)]
        files = [file(f"{i}.urdf", *bodies[i::50]) for i in range(50)]
        calls = 0

        def profile(_, event, __):
            nonlocal calls
            calls += event == "call"

        sys.setprofile(profile)
        try:
            groups_of(*files)
        finally:
            sys.setprofile(None)
        return calls

    assert count_calls(1600) < 5 * count_calls(400)
