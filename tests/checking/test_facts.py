"""One mistake that a run meets in several places counts as one fact."""

import json

import inertial_check as ic
from inertial_check.checking.report import Report
from inertial_check.reports import View, render
from inertial_check.reports.text import summary

LINK = (
    '<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="0.001" ixy="0" ixz="0" '
    'iyy="0.001" iyz="0" izz="{izz}"/></inertial>{shape}</link>'
)
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


def link(name, mass=0.5, izz=0.004, shape=""):
    return LINK.format(name=name, mass=mass, izz=izz, shape=shape)


def check(*links):
    return ic.check_model(f'<robot name="r">{"".join(links)}</robot>'.encode())


def facts(*links):
    return [finding.fact for finding in check(*links).findings if finding.code == "IC301"]


def test_equal_bodies_are_one_fact_whatever_their_names():
    one, other = facts(link("a"), link("b"))
    assert one
    assert one == other


def test_other_numbers_or_shapes_are_other_facts():
    """A count that merged them would hide mistakes."""
    meshes = [MESH.format(name) for name in ("a.stl", "b.stl")]
    found = facts(
        link("a"), link("b", mass=0.6), link("c", izz=0.005), *map(link, "de", (0.5,) * 2,
        (0.004,) * 2, meshes),
    )  # fmt: skip
    assert len(set(found)) == 5


def test_variants_keep_their_meshes_in_folders_of_their_own():
    one, other = facts(
        link("a", shape=MESH.format("package://v1/meshes/arm.stl")),
        link("b", shape=MESH.format("package://v2/meshes/arm.stl")),
    )
    assert one == other


def test_the_same_robot_in_several_files_counts_once():
    report = check(link("a"), link("b", mass=0.6))
    twice = Report((*report.files, report.files[0]._replace(path="copy.urdf")))
    assert (len(twice.findings), twice.distinct) == (4, 2)
    assert "4 errors (2 distinct)" in summary(twice)
    assert "distinct" not in summary(report)


def test_bodies_without_numbers_are_facts_of_their_own():
    joint = (
        '<joint name="j{0}" type="revolute"><parent link="base"/><child link="{0}"/>'
        '<axis xyz="0 0 1"/></joint><link name="{0}"/>'
    )
    report = check('<link name="base"/>', joint.format("a"), joint.format("b"))
    assert {(finding.code, finding.fact) for finding in report.findings} == {("IC103", "")}
    assert report.distinct == len(report.findings) == 2


def test_json_has_both_counts():
    report = check(link("a"), link("b"))
    counts = json.loads(render(report, "json", View(exit_code=1)))["summary"]
    assert (counts["errors"], counts["distinct_findings"]) == (2, 1)
