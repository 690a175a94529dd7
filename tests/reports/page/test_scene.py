"""The scene of a model against its text and against formulas written here."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import inertial_check as ic
import usd_spellings
from inertial_check.reports.page.scene import find_parents, read_scene

ROOT = Path(__file__).parents[3]
ARM = str(ROOT / "data" / "arm.urdf")


@pytest.fixture(scope="module")
def arm():
    return read_scene(ARM).as_dict()


def body_of(scene, name):
    return next(body for body in scene["bodies"] if body["name"] == name)


def link(name, inertial="", shapes=""):
    return f'<link name="{name}">{inertial}{shapes}</link>'


def inertial(mass="1", moments=("0.02", "0.03", "0.04"), center="0 0 0"):
    xx, yy, zz = moments
    return (
        f'<inertial><origin xyz="{center}"/><mass value="{mass}"/><inertia ixx="{xx}" ixy="0" '
        f'ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial>'
    )


def write(tmp_path, *parts):
    path = tmp_path / "model.urdf"
    path.write_text(f'<robot name="r">{"".join(parts)}</robot>', encoding="utf-8")
    return str(path)


def load_strictly(text):
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_equivalent_solids_have_the_written_inertia(arm):
    """A uniform ellipsoid has m/5 (b^2 + c^2) about its axis a, a box m/12 of its edges."""
    entries = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
    checked = 0
    for body, report in zip(arm["bodies"], ic.check_model(ARM).bodies, strict=True):
        if body["margin"] is None or body["margin"] < 0:
            continue
        checked += 1
        R = np.array(body["axes"]).reshape(3, 3)
        assert np.linalg.det(R) == pytest.approx(1, abs=1e-6)
        for solid, share in (("ellipsoid", 5), ("box", 12)):
            squares = np.array(body[solid]) ** 2
            about = body["mass"] / share * (squares.sum() - squares)
            tensor = R @ np.diag(about) @ R.T
            written = np.array(report.judgement.I_BBcm_B)[entries]
            assert tensor == pytest.approx(written, rel=1e-5, abs=1e-6 * written.max())
    assert checked == 6  # of 10: two are inconsistent, one is so by rounding, one has no numbers


def test_an_impossible_body_has_no_length_along_the_axis_that_spoils_it(arm):
    forearm = body_of(arm, "forearm")
    assert forearm["ellipsoid"][2] is None
    axes = np.array(forearm["axes"]).reshape(3, 3)
    assert abs(axes[:, 2] @ np.array(forearm["witness"])) == pytest.approx(1)


def test_frames_and_joints_are_those_of_the_document(arm):
    root = ElementTree.parse(ARM).getroot()
    index_of = {body["name"]: i for i, body in enumerate(arm["bodies"])}
    for joint in root.iter("joint"):
        node = arm["nodes"][index_of[joint.find("child").get("link")]]
        assert node["parent"] == index_of[joint.find("parent").get("link")]
        assert node["position"] == [float(x) for x in joint.find("origin").get("xyz").split()]
        assert node["joint"]["name"] == joint.get("name")
        if (limit := joint.find("limit")) is not None and node["joint"]["motion"] != "none":
            assert node["joint"]["lower"] == float(limit.get("lower"))


def test_marks_are_on_the_guilty_number_and_changed_lines_are_those_of_the_fix(arm):
    finding = next(each for each in arm["findings"] if each["code"] == "IC301")
    written = Path(ARM).read_text(encoding="utf-8").splitlines()
    (line,) = finding["lines"]
    assert line["text"] == written[line["number"] - 1]
    assert [line["text"][a:b] for a, b in line["marks"]] == ["0.0801"]
    (remedy,) = body_of(arm, "forearm")["fixes"]
    fixed = ic.fix_model(ARM, unsafe=True, bodies=["forearm"]).data.decode().splitlines()
    (change,) = remedy["lines"]
    assert change["new"]["text"] == fixed[change["new"]["number"] - 1]
    assert remedy["moments"] == pytest.approx([0.00081, 0.00801, 0.00801])
    assert finding["remedy"]["command"] == remedy["command"]
    assert finding["remedy"]["lines"] == remedy["lines"]


def test_long_lines_are_cut_around_the_mark(tmp_path):
    comment = f"<!-- {'x' * 5000} -->"
    bad = inertial(moments=("0.02", "0.03", "0.4"))
    scene = read_scene(write(tmp_path, comment, link("a", bad), comment)).as_dict()
    (line,) = scene["findings"][0]["lines"]
    assert len(line["text"]) < 200
    assert {line["text"][a:b] for a, b in line["marks"]} <= {"0.02", "0.03", "0.4"}


def test_numbers_that_are_not_finite_leave_json_that_every_browser_reads(tmp_path):
    huge = "1e308"
    parts = [
        link("a", inertial(mass="nan")),
        link("b", inertial(moments=("inf", huge, huge)), f'<visual><origin xyz="{huge} 0 0"/>'
             f'<geometry><sphere radius="{huge}"/></geometry></visual>'),
        link("c", inertial(mass=huge, center="nan inf -inf")),
        f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="nan 0 '
        f'{huge}"/><axis xyz="0 0 0"/><limit lower="-inf" upper="nan"/></joint>',
    ]  # fmt: skip
    scene = load_strictly(read_scene(write(tmp_path, *parts)).as_json())
    assert [body["name"] for body in scene["bodies"]] == ["a", "b", "c"]
    assert scene["shapes"] == []
    assert any("not finite" in note for note in scene["notes"])


def test_loops_of_parents_are_opened_once():
    class Node:
        def __init__(self, id_, parent):
            self.id, self.parent = id_, parent

    nodes = [Node("a", "b"), Node("b", "c"), Node("c", "a"), Node("d", "c"), Node("e", "e")]
    parents = find_parents(nodes)
    assert parents.count(None) == 2
    for start in range(len(nodes)):
        at, steps = start, 0
        while at is not None:
            at, steps = parents[at], steps + 1
            assert steps <= len(nodes)


def test_a_mesh_is_stored_once_and_its_density_is_that_of_its_solid(tmp_path, monkeypatch):
    corners = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1]])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    (tmp_path / "t.obj").write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
        + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)
    )
    shape = '<visual><geometry><mesh filename="t.obj"/></geometry></visual>'
    parts = [link(f"l{i}", inertial(mass="2"), shape) for i in range(3)]
    scene = read_scene(write(tmp_path, *parts)).as_dict()
    assert len(scene["meshes"]) == 1
    assert len({shape["mesh"] for shape in scene["shapes"]}) == 1
    assert scene["bodies"][0]["density"]["value"] == pytest.approx(2 / (0.3 * 0.2 * 0.1 / 6))


def test_a_document_that_cannot_be_read_is_a_scene_that_says_so(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text("<robot name='r'><link")
    scene = read_scene(str(path)).as_dict()
    assert scene["bodies"] == []
    assert scene["findings"][0]["code"] == "IC001"


@pytest.mark.parametrize(
    ("mass", "said"),
    [
        ("1", ""),
        ("40", "denser than osmium: the solid box is smaller than the body"),
        ("0.0005", "lighter than aerogel: the solid box is hollow in truth"),
    ],
)
def test_a_density_beyond_all_solids_says_so_by_the_kind_of_shape(mass, said, tmp_path):
    box = '<collision><geometry><box size=".1 .1 .1"/></geometry></collision>'
    part = link("a", inertial(mass, (".01",) * 3), box)
    (body,) = read_scene(write(tmp_path, part)).as_dict()["bodies"]
    assert body["density"]["remark"].startswith(said)
    assert bool(body["density"]["remark"]) == bool(said)


def test_a_body_of_usd_says_how_its_attributes_are_stated(tmp_path):
    pytest.importorskip("pxr")
    path = tmp_path / "link.usda"
    lines = "    float physics:mass = 1\n    double[] newton:inertia = []"
    schemas = '"PhysicsRigidBodyAPI", "PhysicsMassAPI"'
    path.write_text(
        usd_spellings.DOCUMENT.format(meters=1, kilograms=1, schemas=schemas, lines=lines)
    )
    (body,) = read_scene(str(path)).as_dict()["bodies"]
    assert body["attributes"]["physics:mass"] == "written"
    assert body["attributes"]["physics:density"] == "absent"
    assert body["attributes"]["newton:inertia"] == "fallback"
