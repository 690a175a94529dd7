"""Filling of models, end to end: known sums are met, every format, nothing else changes."""

import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import InertialCheckError, ParameterError
from inertial_check.fixing.fill.densities import InfeasibleSumsError
from inertial_check.fixing.fill.knowledge import parse_assignments
from inertial_check.programs.cli.main import main

DATA = Path(__file__).resolve().parents[3] / "data" / "fill"
ARM = DATA / "arm.urdf"
FINGERS = ["finger_left", "finger_right"]


def masses(filling):
    """Masses of all bodies of the new document, by name."""
    again = ic.load(filling.fix.data)
    return dict(zip(again.names, np.asarray(again.parameters.mass).tolist(), strict=True))


def test_known_sums_are_met_and_the_rest_has_likely_densities():
    filling = ic.fill(ARM, total_mass=9.0, masses={"finger_left": 0.05})
    found = masses(filling)
    assert filling.complete
    assert filling.certificate.worst <= 1e-9
    assert sum(found.values()) == pytest.approx(9.0, rel=1e-8)
    assert found["base"] == 4.0
    assert found["finger_left"] == found["finger_right"] == 0.05
    densities = {body.name: body.density for body in filling.bodies}
    assert 1 < densities["forearm"] / densities["upper_arm"] < 1.5  # it is smaller, and so denser
    assert [body.name for body in filling.bodies if body.guess] == ["upper_arm", "forearm"]


def test_the_new_document_is_checked_and_only_gains_lines():
    filling = ic.fill(ARM, total_mass=9.0, provenance=True)
    lines = filling.diff().splitlines()
    assert not [line for line in lines if line.startswith("-") and not line.startswith("---")]
    assert sum("<!-- inertial-check fill: " in line for line in lines) == 4
    report = ic.check_model(filling.fix.data)
    assert not report.files[0].findings


def test_without_any_sum_the_density_follows_those_of_measured_bodies():
    filling = ic.fill(ARM)
    assert "given those of 1 measured body" in filling.notes[0]
    heavier = ARM.read_text().replace('<mass value="4"/>', '<mass value="6"/>')
    for body, other in zip(filling.bodies, ic.fill(heavier.encode()).bodies, strict=True):
        assert 1.1 < other.density / body.density < 1.4  # a part of the 1.5 of one body
    assert [body.density for body in ic.fill(ARM, density=500).bodies] == pytest.approx([500] * 4)


def test_a_center_of_mass_is_met():
    wanted = np.array([0.0, 0.001, 0.2])
    filling = ic.fill(ARM, total_mass=9.0, com=wanted)
    model = ic.load(filling.fix.data)
    heights = np.array([0, 0.1, 0.5, 0.8, 0.8])
    across = np.array([0, 0, 0, 0.04, -0.04])
    mass, com = np.asarray(model.parameters.mass), np.asarray(model.parameters.com)
    placed = com + np.stack([0 * heights, across, heights], axis=1)
    np.testing.assert_allclose(mass @ placed / mass.sum(), wanted, atol=1e-8)
    assert np.all(ic.check(model.parameters).consistent)


def test_a_center_of_mass_is_met_where_joints_stand(tmp_path):
    turned = {"shoulder": 0.5, "left": 0.02}
    wanted = np.array([0.02, 0.0, 0.15])
    filling = ic.fill(ARM, total_mass=9.0, com=wanted, at=turned)
    q = [turned.get(name, 0.0) for name in ("shoulder", "elbow", "left", "right")]
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "arm.urdf").write_bytes(filling.fix.data)
    loaded = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.urdf"))
    data = mujoco.MjData(loaded)
    data.qpos[:] = q
    mujoco.mj_forward(loaded, data)
    base = np.array([0, 0, 0.05]) * 4.0  # MuJoCo drops the mass of what is fixed to the world
    moved = data.subtree_com[0] * loaded.body_subtreemass[0]
    np.testing.assert_allclose((moved + base) / (loaded.body_subtreemass[0] + 4), wanted, atol=1e-8)
    for at, message in (
        ({"shouldr": 1}, "did you mean 'shoulder'"),
        ({"shoulder": np.nan}, "expected a number"),
    ):
        with pytest.raises(ParameterError, match=message):
            ic.fill(ARM, com=wanted, at=at)
    with pytest.raises(ParameterError, match="without the centre of mass"):
        ic.fill(ARM, at={"shoulder": 1})


def test_a_prior_gives_densities_to_parts_that_are_scaled(tmp_path):
    other = tmp_path / "other.urdf"
    small = ARM.read_text().replace("0.08 0.06 0.3", "0.04 0.06 0.3").replace("finger", "digit")
    other.write_bytes(ic.fill(small.encode(), masses={"forearm": 1.0}).fix.data)
    filling = ic.fill(ARM, prior=other)
    assert masses(filling)["forearm"] == pytest.approx(2.0, rel=1e-6)
    (note,) = (note for note in filling.notes if "prior" in note)
    assert note.endswith("densities of 2 of 4 bodies; not of finger_left, finger_right")
    other.write_text('<robot name="r"><link name="none"/></robot>')
    with pytest.raises(ParameterError, match="no body of the prior"):
        ic.fill(ARM, prior=other)


def test_the_intervals_hold_what_other_knowledge_gives():
    wide = {body.name: body.interval for body in ic.fill(ARM, total_mass=9.0).bodies}
    for known in ({"com": (0, 0.001, 0.2)}, {"masses": {"forearm": 1.0}}, {"twins": False}):
        for body in ic.fill(ARM, total_mass=9.0, **known).bodies:
            interval, new = wide[body.name], body.parameters
            assert interval.mass[0] <= new.mass <= interval.mass[1]
            assert np.all((interval.com[0] <= new.com) & (new.com <= interval.com[1]))


def test_a_subtree_and_materials(tmp_path):
    carried = masses(ic.fill(ARM, subtree_masses={"forearm": 1.2}))
    assert sum(carried[name] for name in ("forearm", *FINGERS)) == pytest.approx(1.2, rel=1e-8)
    table = tmp_path / "materials.toml"
    table.write_text('[materials]\nmine = 900\n[links]\n"finger_*" = "steel"\nforearm = "mine"\n')
    densities = {body.name: body.density for body in ic.fill(ARM, materials=table).bodies}
    assert densities["finger_left"] == pytest.approx(7850)
    assert densities["forearm"] == pytest.approx(900)


def test_a_placeholder_keeps_its_mass_and_gets_a_tensor():
    text = ARM.read_text()
    inertia = "".join(
        f' i{x}="{v}"'
        for x, v in zip(("xx", "xy", "xz", "yy", "yz", "zz"), (1, 0, 0, 1, 0, 1), strict=True)
    )
    for mass, kept in (("2.5", True), ("1", False)):
        block = f'<inertial><mass value="{mass}"/><inertia{inertia}/></inertial>'
        changed = text.replace('<link name="forearm">', f'<link name="forearm">{block}')
        filling = ic.fill(changed.encode(), total_mass=9.0)
        (forearm,) = (body for body in filling.bodies if body.name == "forearm")
        assert forearm.reason == "its inertial was placeholder"
        assert (float(forearm.parameters.mass) == pytest.approx(float(mass))) == kept


ZERO = '<inertial><mass value="{}"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'


def with_zeros(text, mass):
    return text.replace('name="forearm">', f'name="forearm">{ZERO.format(mass)}</inertial>', 1)


def test_a_written_mass_that_no_shape_holds_is_refused_and_counts():
    filling = ic.fill(with_zeros(ARM.read_text(), "9000").encode(), total_mass=9010)
    states = {body.name: body.status for body in filling.bodies}
    assert states.pop("forearm") == "refused"
    assert set(states.values()) == {"filled"}
    assert not filling.complete
    assert sum(masses(filling).values()) == pytest.approx(9010)


def test_a_guess_is_as_large_as_its_mass_needs():
    text = re.sub(r"<visual>.*?</visual>", "", ARM.read_text())
    filling = ic.fill(with_zeros(text, "2.5").encode(), bodies=())
    (forearm,) = (body for body in filling.bodies if body.name == "forearm")
    assert (forearm.status, forearm.guess) == ("filled", True)
    assert forearm.density == pytest.approx(1000)
    assert float(forearm.parameters.mass) == pytest.approx(2.5)


@pytest.mark.parametrize("name", ["arm.sdf", "arm.xml", "arm.usda"])
def test_every_format_gets_the_numbers_of_its_shapes(name):
    path = DATA / name
    model = ic.load(path)
    body = model.bodies[-1]
    filling = ic.fill(model, bodies=[body.name], total_mass=6.0, provenance=True)
    again = ic.load(filling.fix.data)
    new = again.parameters[-1]
    assert filling.complete
    assert float(new.mass) == pytest.approx(2.0, rel=1e-6)
    np.testing.assert_allclose(new.com, [0, 0, 0.2], atol=1e-6)
    assert bool(ic.check(new).consistent)
    kept = [line for line in filling.diff().splitlines() if re.match(r"-(?!--)", line)]
    assert len(kept) <= 1  # USD names the schema in a line that is there


WRONG = {
    "pairs that differ": (
        {
            "masses": {"finger_left": 0.1, "forearm": 0.45},
            "subtree_masses": {"forearm": 0.6},
            "pairs": [("finger_left", "finger_right")],
        },
        "one mass of finger_left and finger_right",
    ),
    "a solver that is not there": ({"solver": "nosolver"}, "is not installed"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_knowledge_is_refused_with_one_line(what):
    known, message = WRONG[what]
    with pytest.raises(InertialCheckError, match=re.escape(message)) as raised:
        ic.fill(ARM, **known)
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, ParameterError)


def test_the_conflict_of_sums_is_named():
    with pytest.raises(InfeasibleSumsError) as raised:
        ic.fill(ARM, total_mass=9, masses={"forearm": 6})
    assert raised.value.conflict == (
        "6 kg of forearm",
        "a total mass of 9 kg (4 kg of it measured)",
    )


def test_numbers_that_check_doubts_are_not_written():
    filling = ic.fill(ARM, density=40_000, density_range=(10, 100_000))
    assert {body.status for body in filling.bodies} <= {"refused", "withheld"}
    assert "IC503" in filling.bodies[0].reason
    assert not filling.changed
    assert not filling.complete


def test_a_total_mass_is_met_within_its_deviation_where_others_exclude_it():
    known = {"masses": {"forearm": 2.0, "upper_arm": 2.5, "finger_left": 0.2}}
    with pytest.raises(InfeasibleSumsError) as raised:
        ic.fill(ARM, total_mass=(12.0, 0.001), **known)
    assert len(raised.value.conflict) > 1
    filling = ic.fill(ARM, total_mass=(9.0, 0.02), **known)
    assert sum(masses(filling).values()) == pytest.approx(8.9)
    assert "0.1 kg below, within its deviation" in "".join(filling.notes)
    for body in filling.bodies:
        assert np.ptp(body.interval.mass) <= 1e-9


def test_twins_give_way_to_given_sums():
    known = {"masses": {"finger_left": 0.1, "forearm": 0.45}, "subtree_masses": {"forearm": 0.6}}
    filling = ic.fill(ARM, **known)
    assert masses(filling)["finger_right"] == pytest.approx(0.05)
    assert "exclude one mass of finger_left and finger_right" in filling.notes[-1]


def test_a_name_in_an_option_may_hold_an_equals_sign():
    assert parse_assignments("--mass", ["a=b=2"], "LINK=KG") == {"a=b": 2.0}


def test_a_body_without_shape_and_joints_is_left():
    text = re.sub(r"<visual>.*?</visual>", "", ARM.read_text())
    filling = ic.fill(text.encode(), bodies=FINGERS)
    assert {body.status for body in filling.bodies} == {"no-shape"}
    assert not filling.changed
    assert not filling.complete


CHAIN = '<robot name="r">{}</robot>'
LINK = (
    '<link name="l{0}">{1}<visual><geometry>{2}</geometry></visual>'
    "<collision><geometry>{3}</geometry></collision></link>"
)
JOINT = (
    '<joint name="j{0}" type="revolute"><parent link="l{1}"/><child link="l{0}"/>'
    '<origin xyz="0 0 5"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="9" velocity="1"/></joint>'
)


def make_chain(edges, inertials, boxes=None):
    """A chain of boxes with their edges; inertials by number; other edges of collision shapes."""
    box = '<box size="{} {} {}"/>'
    links = [
        LINK.format(i, inertials.get(i, ""), box.format(*own), box.format(*(boxes or edges)[i]))
        for i, own in enumerate(edges)
    ]
    links += [JOINT.format(i, i - 1) for i in range(1, len(edges))]
    return CHAIN.format("".join(links)).encode()


def write_box_inertial(edges, density):
    a, b, c = edges
    m = density * a * b * c
    moments = m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12
    values = " ".join(f'{n}="{v!r}"' for n, v in zip(("ixx", "iyy", "izz"), moments, strict=True))
    return f'<inertial><mass value="{m!r}"/><inertia {values} ixy="0" ixz="0" iyz="0"/></inertial>'


EDGES = [(0.3, 0.2, 0.1), (0.1, 0.05, 0.4), (0.02, 0.03, 0.05), (0.1, 0.1, 0.2)]


def test_primitives_of_which_nothing_is_known_but_a_sum_have_one_density():
    filling = ic.fill(make_chain(EDGES, {}), bodies=["l0", "l1", "l2", "l3"], total_mass=7.0)
    density = 7.0 / sum(a * b * c for a, b, c in EDGES)
    assert [body.density for body in filling.bodies] == pytest.approx([density] * 4, rel=1e-9)


def test_a_density_that_most_measured_bodies_have_is_that_of_the_others():
    inertials = {i: write_box_inertial(EDGES[i], 2345.0) for i in (0, 1)}
    filling = ic.fill(make_chain(EDGES, inertials), bodies=["l2", "l3"])
    assert [body.density for body in filling.bodies] == pytest.approx([2345] * 2, rel=1e-6)
    assert "2345 kg/m^3, which most known bodies have" in filling.notes[0]


def test_collision_shapes_come_first_where_measured_numbers_are_theirs():
    boxes = [(1.1 * a, 1.2 * b, 0.9 * c) for a, b, c in EDGES]
    for measured, role in ((boxes, "collision"), (EDGES, "visual")):
        inertials = {i: write_box_inertial(measured[i], 2345.0) for i in (0, 1, 2)}
        (body,) = ic.fill(make_chain(EDGES, inertials, boxes), bodies=["l3"]).bodies
        assert f"in {role} box" in body.source
        assert body.density == pytest.approx(2345, rel=1e-6)
    (body,) = ic.fill(
        make_chain(EDGES, inertials, boxes), bodies=["l3"], roles=["collision"]
    ).bodies
    assert "in collision box" in body.source


CUBE = [
    (0, 3, 1), (0, 2, 3), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4),
    (2, 7, 3), (2, 6, 7), (0, 6, 2), (0, 4, 6), (1, 3, 7), (1, 7, 5),
]  # fmt: skip


def draw_as_meshes(chain, folder):
    """The same chain, with the visual boxes as meshes in files."""

    def draw(found):
        edges = np.array(found[1].split(), dtype=float)
        corners = np.array([[i >> 2, i >> 1 & 1, i & 1] for i in range(8)]) - 0.5
        name = f"{'_'.join(found[1].split())}.stl"
        triangles = b"".join(
            struct.pack("<12fH", 0, 0, 0, *(corners[list(face)] * edges).ravel(), 0)
            for face in CUBE
        )
        (folder / name).write_bytes(bytes(80) + struct.pack("<I", len(CUBE)) + triangles)
        return f'<visual><geometry><mesh filename="{name}"/>'

    path = folder / "chain.urdf"
    path.write_text(re.sub('<visual><geometry><box size="(.*?)"/>', draw, chain.decode()))
    return path


@pytest.mark.parametrize(("factor", "role"), [(1.1, "collision box"), (2.0, "visual mesh")])
def test_primitives_that_fit_what_is_drawn_tell_the_moments_and_the_drawing_the_mass(
    tmp_path, factor, role
):
    """Where nothing is measured; a box along one edge of which tensors differ by half is none."""
    boxes = [(a * factor, b, c) for a, b, c in EDGES]
    boxes[1] = EDGES[1]
    names = ["l0", "l1", "l2", "l3"]
    filling = ic.fill(
        draw_as_meshes(make_chain(EDGES, {}, boxes), tmp_path), bodies=names, total_mass=7.0
    )
    plain = ic.fill(
        draw_as_meshes(make_chain(EDGES, {}), tmp_path),
        bodies=names, total_mass=7.0, roles=["visual"],
    )  # fmt: skip
    assert role in filling.bodies[0].source
    edges = np.array(boxes[0] if factor < 2 else EDGES[0])
    for body, drawn in zip(filling.bodies, plain.bodies, strict=True):
        assert body.parameters.mass == pytest.approx(drawn.parameters.mass, rel=1e-6)
    own = filling.bodies[0].parameters
    spread = np.diag(own.central_second_moment) / own.mass
    np.testing.assert_allclose(spread, edges**2 / 12, rtol=1e-6)


def test_measured_numbers_of_what_is_drawn_keep_primitives_away(tmp_path):
    boxes = [(1.1 * a, b, c) for a, b, c in EDGES]
    inertials = {0: write_box_inertial(EDGES[0], 900.0)}
    path = draw_as_meshes(make_chain(EDGES, inertials, boxes), tmp_path)
    (body,) = ic.fill(path, bodies=["l3"]).bodies
    assert "visual mesh" in body.source


# --- command -------------------------------------------------------------------------------------


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(ARM.read_bytes())
    return path


def test_the_command_shows_a_diff_and_then_writes(arm, capsys):
    before = arm.read_bytes()
    assert main(["fill", str(arm), "--total-mass", "9:0.01"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("--- ")
    assert out.count("+    <inertial>") == 4
    assert "[forearm] filled: its inertial was missing; 1.5" in err
    assert "a guess" in err
    assert err.endswith("4 bodies would be filled in 1 file; --write does it.\n")
    assert arm.read_bytes() == before
    assert main(["fill", str(arm), "--total-mass", "9", "--write"]) == 0
    assert sum(np.asarray(ic.load(arm).parameters.mass)) == pytest.approx(9, rel=1e-8)
    assert main(["fill", str(arm)]) == 0  # nothing is missing now


def test_the_json_has_numbers_and_intervals(arm, capsys):
    assert main(["fill", str(arm), "--total-mass", "9", "--output-format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["schema_version"] == "1"
    (file,) = report["files"]
    assert file["certificate"]["gap"] <= 1e-9
    for body in file["bodies"]:
        center = body["interval"].pop("com")
        for name, (low, high) in body["interval"].items():
            assert low <= body["new"][name] <= high
        for value, (low, high) in zip(body["new"]["com"], center, strict=True):
            assert low <= value <= high


def test_a_body_without_a_usable_shape_has_no_twin_to_follow():
    """Catches a crash where the measured twin of a filled body has no shape."""
    model = """<robot name="r"><link name="base"/>
      <link name="left_pad"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
      <link name="right_pad"><inertial><mass value="0.4"/>
        <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
      <joint name="a" type="revolute"><parent link="base"/><child link="left_pad"/></joint>
      <joint name="b" type="revolute"><parent link="base"/><child link="right_pad"/></joint>
    </robot>"""
    filling = ic.fill(model.encode())
    assert [body.name for body in filling.bodies if body.status == "filled"] == ["left_pad"]


def test_a_finding_on_the_document_that_stays_is_not_told():
    text = f"<!-- first -->\n<?xml version='1.0'?>\n{ARM.read_text()}".encode()
    before = [finding.code for finding in ic.check_model(text).findings if not finding.body]
    filling = ic.fill(text, total_mass=9.0)
    assert before == ["IC002"]
    assert filling.complete
    assert filling.notes == ()
