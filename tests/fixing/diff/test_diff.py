"""Models compared: who is whose counterpart, what is merged, what counts as different."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.load import load
from inertial_check.documents.model import Model, Pose
from inertial_check.errors import DocumentError, UsageError
from inertial_check.fixing import diff
from inertial_check.fixing.diff import diff_models, lump, read_name_maps
from suspects import rotation

SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
TENSOR = (0.0125, 0.0011, -0.0007, 0.0153, 0.0004, 0.0185)


def link(name, mass=1.37, xyz="0.11 -0.032 0.27", rpy="0 0 0", six=TENSOR):
    entries = " ".join(f'{entry}="{value!r}"' for entry, value in zip(SIX, six, strict=True))
    return (
        f'<link name="{name}"><inertial><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<mass value="{mass!r}"/><inertia {entries}/></inertial></link>'
    )


def joint(parent, child, kind="fixed", origin='<origin xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"/>'):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{child}_joint" type="{kind}">{ends}{origin}</joint>'


def robot(*parts, version=""):
    return f'<robot name="r"{version}>{"".join(parts)}</robot>'.encode()


def renamed(data, **names):
    """The model with other names, as another format would give them."""
    model = load(data)
    bodies = tuple(body._replace(name=names.get(body.name, body.name)) for body in model.bodies)
    return Model(model.source, model.format, model.name, bodies)


def matched(difference):
    return {
        (None if body.a is None else body.a.name): (None if body.b is None else body.b.name)
        for body in difference.bodies
    }


def statuses(difference):
    return [body.status for body in difference.bodies]


# Who is whose counterpart


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({}, {}),
        ({}, {"arm": "robot::arm", "hand": "robot::hand"}),
        ({"arm": "world::robot::arm"}, {"arm": "robot::arm"}),
        ({"arm": "one::arm", "hand": "one::hand"}, {"arm": "two::arm", "hand": "two::hand"}),
        ({}, {"arm": "/World/robot/arm", "hand": "/World/robot/hand"}),
        ({"arm": "left-Arm 1"}, {"arm": "robot::left_arm_1"}),
    ],
)
def test_bodies_are_matched_by_name_and_by_the_end_of_scoped_names(a, b):
    data = robot(link("arm"), link("hand", mass=2.0))
    found = diff_models(renamed(data, **a), renamed(data, **b))
    assert statuses(found) == ["equal", "equal"]
    assert found.equal


def test_an_end_of_a_name_that_two_bodies_have_matches_neither():
    a = renamed(robot(link("one"), link("two")), one="left::arm", two="right::arm")
    found = diff_models(a, renamed(robot(link("arm"))))
    assert statuses(found) == ["only-a", "only-a", "only-b"]
    assert not found.equal


def test_longer_ends_of_names_decide_before_shorter_ones():
    a = renamed(robot(link("x"), link("y", 2.0)), x="r::base", y="r::arm::base")
    b = renamed(robot(link("x", 2.0), link("y")), x="arm::base", y="base")
    assert matched(diff_models(a, b)) == {"r::base": "base", "r::arm::base": "arm::base"}


def test_links_that_share_a_name_are_matched_in_order_where_there_are_as_many():
    twice = robot(link("arm"), link("arm", mass=2.0))
    assert statuses(diff_models(twice, twice)) == ["equal", "equal"]
    assert statuses(diff_models(twice, robot(link("arm")))) == ["only-a", "only-a", "only-b"]


def test_a_map_goes_before_names():
    a = robot(link("arm"), link("hand", mass=2.0))
    b = robot(link("arm", mass=2.0), link("hand"))
    assert statuses(diff_models(a, b)) == ["differs", "differs"]
    crossed = diff_models(a, b, names={"arm": "hand", "hand": "arm"})
    assert matched(crossed) == {"arm": "hand", "hand": "arm"}
    assert crossed.equal


def test_a_map_may_say_an_id_or_the_end_of_a_name():
    a = robot(link("arm"), link("arm", mass=2.0))
    b = renamed(robot(link("one"), link("two", mass=2.0)), one="m::one", two="m::two")
    names = {"/robot/link[@name='arm'][1]": "one", "/robot/link[@name='arm'][2]": "m::two"}
    assert diff_models(a, b, names=names).equal


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"amr": "arm"}, r"no body of <bytes> is called 'amr', .*; did you mean 'arm'\?"),
        ({"arm": "nothing"}, r"no body of <bytes> is called 'nothing'"),
        ({"arm": "arm", "hand": "arm"}, r"names a body twice"),
    ],
)
def test_a_map_of_names_that_no_body_has_is_refused(names, message):
    data = robot(link("arm"), link("hand"))
    with pytest.raises(UsageError, match=message):
        diff_models(data, data, names=names)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.json", '{"a": "x", "b c": "y"}'),
        ("m.toml", 'a = "x"\n"b c" = "y"\n'),
        ("m.csv", "a,x\n\nb c, y\n"),
        ("m.csv", "\ufeffa,x\r\nb c,y\r\n"),
    ],
)
def test_maps_are_read_from_files_and_arguments(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert read_name_maps([str(path), "l=m::r"]) == {"a": "x", "b c": "y", "l": "m::r"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.json", '{"a": 1}', "expected names only"),
        ("m.json", '["a"]', "expected names only"),
        ("m.json", '{"a": "x", "a": "y"}', "names 'a' twice"),
        ("m.json", "{", "m.json: "),
        ("m.json", "[" * 100_000, "m.json: "),
        ("m.toml", "a = [1]", "expected names only"),
        ("m.csv", "a,b,c", "row 1 has 3 columns"),
        ("m.txt", "a", "write A=B, or name a .csv"),
    ],
)
def test_a_file_that_is_no_map_is_refused(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_name_maps([str(path)])


@pytest.mark.parametrize("argument", ["=b", "a=", "gone.json", "a"])
def test_an_argument_that_is_no_map_is_refused(argument):
    with pytest.raises(UsageError, match="--map"):
        read_name_maps([argument])


# What counts as different


def test_a_frame_without_mass_on_one_side_is_no_difference():
    found = diff_models(robot(link("arm"), '<link name="tool0"/>'), robot(link("arm")))
    assert found.equal
    assert [body.frame for body in found.bodies] == [False, True]
    assert found.count("only-a") == 0


def test_a_body_with_mass_on_one_side_is_a_difference():
    found = diff_models(robot(link("arm")), robot(link("arm"), link("hand")))
    assert statuses(found) == ["equal", "only-b"]
    assert not found.equal


@pytest.mark.parametrize(
    "broken",
    [
        link("arm", mass=float("nan")),
        link("arm", six=(float("inf"), *TENSOR[1:])),
        link("arm", rpy="a b c"),
        '<link name="arm"><inertial><mass value="1"/></inertial></link>',
    ],
)
def test_numbers_that_cannot_be_read_are_not_compared_and_never_equal(broken):
    for pair in ((robot(link("arm")), robot(broken)), (robot(broken), robot(broken))):
        found = diff_models(*pair)
        assert statuses(found) == ["incomparable"]
        assert "no number, or not finite" in found.bodies[0].reason
        assert not found.equal


def test_the_tolerance_is_that_of_mass_radius_of_gyration_and_largest_moment():
    a = robot(link("arm", mass=1.0, xyz="0 0 0", six=(0.01, 0, 0, 0.01, 0, 0.01)))
    radius = np.sqrt(0.015)
    for b, expected in (
        (link("arm", 1 + 1e-3, "0 0 0", six=(0.01, 0, 0, 0.01, 0, 0.01)), "mass"),
        (link("arm", 1.0, f"0 {radius * 1e-3} 0", six=(0.01, 0, 0, 0.01, 0, 0.01)), "com"),
        (link("arm", 1.0, "0 0 0", six=(0.01, 1e-5, 0, 0.01, 0, 0.01)), "inertia"),
    ):
        assert diff_models(a, robot(b)).bodies[0].differs == (expected,)
        assert diff_models(a, robot(b), tolerance=1.01e-3).equal
        assert not diff_models(a, robot(b), tolerance=0.99e-3).equal


def test_without_any_tolerance_rounding_is_no_difference():
    """rpy turned into a tensor in the body's axes: equal but for the last bits."""
    a = load(robot(link("arm", rpy="0.3 0.2 -1.4")))
    full = diff_models(a, a).bodies[0].a
    b = robot(link("arm", six=full.I_BBcm_B))
    assert diff_models(a, b, tolerance=0.0).equal
    moved = link("arm", six=(full.I_BBcm_B[0] * (1 + 1e-13), *full.I_BBcm_B[1:]))
    assert not diff_models(a, robot(moved), tolerance=0.0).equal


@pytest.mark.parametrize("tolerance", [-1e-9, float("nan"), float("inf")])
def test_a_tolerance_that_is_none_is_refused(tolerance):
    data = robot(link("arm"))
    with pytest.raises(UsageError, match="tolerance is"):
        diff_models(data, data, tolerance=tolerance)


def test_the_public_name_takes_paths_and_says_where_bodies_stand(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_bytes(robot("\n", link("arm"), "\n", link("hand")))
    found = ic.diff_models(path, path.read_bytes())
    assert [(body.a.line, body.b.line) for body in found.bodies] == [(2, 2), (3, 3)]
    assert (found.a.path, found.b.path) == (str(path), "<bytes>")
    with pytest.raises(DocumentError, match="gone"):
        ic.diff_models(tmp_path / "gone.urdf", path)


def test_what_could_not_be_read_is_said_of_its_side_and_nothing_read_is_not_equal():
    plain = b'<sdf version="1.9"><model name="r"><link name="a"/>%b</model></sdf>'
    include = b"\n<include><uri>model://gone</uri></include>"
    whole, part = plain % b"", plain % include
    found = diff_models(whole, part)
    assert (found.a.unread, found.failed, found.equal) == ((), False, True)
    (unread,) = found.b.unread
    assert (unread.line, "model://gone" in unread.reason) == (2, True)
    empty = b'<sdf version="1.9"><model name="r">%b</model></sdf>' % include
    found = diff_models(empty, empty)
    assert (found.failed, found.equal) == (True, False)


def test_models_without_bodies_are_equal():
    assert diff_models(robot(), robot()).equal


# Which mistake


def test_what_explains_more_bodies_comes_first_among_equals():
    """1 kg and 1000 kg m^2 instead of 0.001: units or density for one body, density for both."""
    one, other = link("a", 0.001, six=tuple(1e-3 * x for x in TENSOR)), link("b", 1.0)
    heavier = link("a", 1.0), link("b", 1.7, six=tuple(1.7 * x for x in TENSOR))
    found = diff_models(robot(one, other), robot(*heavier))
    assert [body.explanations[0].name for body in found.bodies] == ["density", "density"]
    assert "units" in {each.name for each in found.bodies[0].explanations}
    assert next(iter(found.explained)) == "density"


def test_mistakes_are_looked_for_in_a_bounded_number_of_bodies(monkeypatch):
    monkeypatch.setattr(diff, "MOST_EXPLAINED", 2)
    a = robot(*(link(f"l{i}") for i in range(4)))
    b = robot(*(link(f"l{i}", xyz="0 0 0") for i in range(4)))
    found = diff_models(a, b)
    assert [bool(body.explanations) for body in found.bodies] == [True, True, False, False]
    assert found.notes == (
        "mistakes that explain a difference were looked for in the first 2 of the 4 bodies "
        "that differ",
    )


# Fixed joints

CHAIN = robot(
    link("base"),
    link("arm", 2.0),
    link("hand", 0.5, rpy="0.1 0.2 0.3"),
    link("finger", 0.1),
    '<link name="tool0"/>',
    joint("base", "arm", "revolute"),
    joint("arm", "hand"),
    joint("hand", "finger", origin='<origin xyz="0 0 0.2" rpy="0 1.1 0"/>'),
    joint("hand", "tool0"),
)


def pose(xyz, rpy):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation(rpy), xyz
    return X


def parameters(body):
    return ic.InertialParameters.from_com(body.mass, body.p_BoBcm_B, body.I_BBcm_B)


FINGER = pose([0, 0, 0.2], [0, 1.1, 0])


def test_what_is_fixed_is_merged_along_the_whole_chain():
    plain = {body.a.name: parameters(body.a) for body in diff_models(CHAIN, CHAIN).bodies}
    found = diff_models(CHAIN, CHAIN, lump_fixed=True)
    assert [body.a.name for body in found.bodies] == ["base", "arm"]
    arm = found.bodies[1].a
    assert arm.merged == ("hand", "finger", "tool0")
    X_AH = pose([0.1, 0.2, 0.3], [0.4, -0.5, 0.6])
    hand = plain["hand"].merge(plain["finger"], FINGER)
    expected = plain["arm"].merge(hand, X_AH)
    np.testing.assert_allclose(parameters(arm).as_theta(), expected.as_theta(), rtol=1e-13)


def test_a_merged_model_equals_the_one_that_was_merged_and_its_parts_are_named():
    arm = diff_models(CHAIN, CHAIN, lump_fixed=True).bodies[1].a
    xyz = " ".join(map(repr, arm.p_BoBcm_B))
    merged = robot(
        link("base"), link("arm", arm.mass, xyz, six=arm.I_BBcm_B), joint("base", "arm", "revolute")
    )
    assert diff_models(CHAIN, merged, lump_fixed=True).equal
    for a, b in ((CHAIN, merged), (merged, CHAIN)):
        found = diff_models(a, b)
        base, arm = found.bodies
        assert (found.equal, base.status, arm.status) == (True, "equal", "equal")
        parts = arm.a.merged or arm.b.merged
        assert parts == ("hand", "finger", "tool0")


def test_of_what_is_fixed_only_the_bodies_that_the_other_model_lacks_are_summed():
    """MuJoCo keeps fixed bodies that something refers to; the rest of the chain is merged."""
    kept = load(CHAIN)
    arm, hand = (diff_models(CHAIN, CHAIN).bodies[index].a for index in (1, 2))
    whole = parameters(hand).merge(parameters(diff_models(CHAIN, CHAIN).bodies[3].a), FINGER)
    six = whole.inertia_com[np.triu_indices(3)].tolist()
    xyz = " ".join(map(repr, whole.com.tolist()))
    other = robot(
        link("base"),
        link("arm", arm.mass),
        link("hand", float(whole.mass), xyz, six=six),
        joint("base", "arm", "revolute"),
        joint("arm", "hand"),
    )
    found = diff_models(kept, other)
    assert [body.a.merged for body in found.bodies] == [(), (), ("finger", "tool0")]
    assert found.equal


def test_bodies_that_the_other_model_left_out_are_no_part_of_a_sum():
    """The carrier is as it was, so its fixed bodies are missing; a third mass explains neither."""
    for mass in (2.0, 2.3):
        other = robot(link("base"), link("arm", mass), joint("base", "arm", "revolute"))
        found = diff_models(CHAIN, other)
        assert statuses(found)[1:] == ["equal" if mass == 2 else "differs"] + ["only-a"] * 3
        assert not any(body.a.merged for body in found.bodies)


def test_a_sum_that_differs_is_compared_with_its_parts_named():
    merged = diff_models(CHAIN, CHAIN, lump_fixed=True).bodies[1].a
    other = robot(link("base"), link("arm", merged.mass, "0 0 0", six=merged.I_BBcm_B))
    arm = diff_models(CHAIN, other).bodies[1]
    assert (arm.status, arm.differs, arm.a.merged[0]) == ("differs", ("com",), "hand")
    assert arm.explanations[0].name == "com-dropped"


def test_a_converter_that_keeps_what_it_merged_is_named():
    whole = diff_models(CHAIN, CHAIN, lump_fixed=True).bodies[1].a
    xyz = " ".join(map(repr, whole.p_BoBcm_B))
    arm = link("arm", whole.mass, xyz, six=whole.I_BBcm_B).encode()
    twice = CHAIN.replace(link("arm", 2.0).encode(), arm)
    body = diff_models(CHAIN, twice).bodies[1]
    (explanation,) = body.explanations
    assert (explanation.name, explanation.of) == ("merged-children", "a")
    assert "(hand, finger and tool0)" in explanation.change


@pytest.mark.parametrize(
    ("origin", "version"),
    [
        ('<origin xyz="0.1 0.2 0.3" rpy="0 0 0.8"/>', ""),
        (f'<origin xyz="0.1 0.2 0.3" quat_xyzw="0 0 {np.sin(0.4)} {np.cos(0.4)}"/>', "1.1"),
        ('<origin xyz="0.1 0.2 0.3" rpy="0 0 0.8" quat_xyzw="0 0 0 1"/>', "1.0"),
    ],
)
def test_a_fixed_joint_stands_where_its_origin_says(origin, version):
    version = f' version="{version}"' if version else ""
    model = load(robot(link("a"), link("b"), joint("a", "b", origin=origin), version=version))
    body = model.bodies[1]
    assert body.parent == model.bodies[0].id
    expected = pose([0.1, 0.2, 0.3], [0, 0, 0.8])
    np.testing.assert_allclose(body.X_PB.R_PB, expected[:3, :3], atol=1e-15)
    assert body.X_PB.p_PoBo_P == (0.1, 0.2, 0.3)


def test_a_fixed_joint_without_origin_puts_the_frames_together():
    a = robot(link("a"), link("b"), joint("a", "b", origin=""))
    body = diff_models(a, a, lump_fixed=True).bodies[0].a
    assert body.p_BoBcm_B == pytest.approx((0.11, -0.032, 0.27), rel=1e-15)
    assert body.I_BBcm_B == pytest.approx([2 * value for value in TENSOR], rel=1e-14)


@pytest.mark.parametrize(
    "origin",
    ['<origin xyz="0 0"/>', '<origin xyz="0 0 x"/>', '<origin rpy="0 inf 0"/>', '<origin rpy=""/>'],
)
def test_what_is_fixed_nobody_knows_where_stays_and_is_said(origin):
    data = robot(link("a"), link("b"), joint("a", "b", origin=origin))
    found = diff_models(data, data, lump_fixed=True)
    assert len(found.bodies) == 2
    assert found.notes[0] == "<bytes>: b was not merged: where it is fixed to a cannot be read"


def test_a_pose_that_is_not_finite_is_one_that_cannot_be_read():
    model = load(robot(link("a"), link("b"), joint("a", "b")))
    nowhere = Pose((0.0, 0.0, 0.0), ((float("nan"),) * 3,) * 3)
    bodies = (model.bodies[0], model.bodies[1]._replace(X_PB=nowhere))
    found = Model(model.source, model.format, "r", bodies)
    assert diff_models(found, found).equal
    assert "b was not merged" in diff_models(found, found, lump_fixed=True).notes[0]


def test_what_is_fixed_to_the_world_is_not_merged_into_it():
    data = robot('<link name="world"/>', link("base"), joint("world", "base"))
    found = diff_models(data, robot(link("base")), lump_fixed=True)
    assert statuses(found) == ["only-a", "equal"]
    assert found.equal


def test_bodies_that_are_fixed_in_a_circle_stay_and_are_said():
    circle = robot(
        *(link(name) for name in "abcd"),
        joint("c", "a"),
        joint("a", "b"),
        joint("b", "c"),
        joint("c", "d"),
    )
    model = load(circle)
    lumped = lump(model, np.ones((4, 10)))
    assert list(lumped.carrier) == [0, 1, 2, 2]
    assert [note.rpartition(": ")[0] for note in lumped.notes] == [
        f"<bytes>: {name} was not merged" for name in "abc"
    ]
    itself = robot(link("a"), joint("a", "a"))
    assert len(diff_models(itself, itself, lump_fixed=True).notes) == 2


def test_a_chain_of_any_length_is_merged():
    count = 3000
    links = [link(f"l{i}") for i in range(count)]
    joints = [joint(f"l{i}", f"l{i + 1}", origin="") for i in reversed(range(count - 1))]
    (body,) = diff_models(robot(*links, *joints), robot(), lump_fixed=True).bodies
    assert body.a.mass == pytest.approx(1.37 * count, rel=1e-12)


def test_a_part_that_cannot_be_read_makes_the_whole_unreadable():
    data = robot(link("a"), link("b", mass=float("nan")), joint("a", "b"))
    (body,) = diff_models(data, data, lump_fixed=True).bodies
    assert body.status == "incomparable"
    assert "b, merged into it: its mass is no number" in body.reason


IN_URDF = """<robot name="r">
<link name="base"><inertial><origin xyz="0.1 0 0.2"/><mass value="3"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<link name="sensor"><inertial><origin xyz="0 0.03 0" rpy="0 0 0.5"/><mass value="0.4"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></inertial></link>
<joint name="weld" type="fixed"><parent link="base"/><child link="sensor"/>
  <origin xyz="0.3 -0.1 0.2" rpy="0.7 0 1.2"/></joint></robot>"""
IN_MJCF = """<mujoco><compiler angle="radian" eulerseq="XYZ"/><worldbody>
<body name="base" pos="5 6 7"><freejoint/>
  <inertial pos="0.1 0 0.2" mass="3" diaginertia="0.1 0.2 0.25"/>
  <frame pos="0.3 -0.1 0.2" euler="0 0 1.2"><body name="sensor" axisangle="2 0 0 0.7">
    <inertial pos="0 0.03 0" mass="0.4" diaginertia="0.01 0.02 0.025" euler="0 0 0.5"/>
  </body></frame></body></worldbody></mujoco>"""
IN_SDF = """<sdf version="1.9"><model name="r"><pose>5 6 7 1 2 3</pose>
<link name="base"><pose>1 1 1 0.1 0.2 0.3</pose><inertial><pose>0.1 0 0.2 0 0 0</pose>
  <mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial></link>
<link name="sensor"><pose relative_to="mount">0 0 0.2 0.7 0 1.2</pose>
  <inertial><pose>0 0.03 0 0 0 0.5</pose><mass>0.4</mass>
  <inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.025</izz></inertia></inertial></link>
<frame name="mount" attached_to="base"><pose>0.3 -0.1 0 0 0 0</pose></frame>
<joint name="weld" type="fixed"><parent>base</parent><child>mount_of_sensor</child></joint>
<frame name="mount_of_sensor" attached_to="sensor"/></model></sdf>"""


@pytest.mark.parametrize(("a", "b"), [(IN_URDF, IN_MJCF), (IN_URDF, IN_SDF), (IN_SDF, IN_MJCF)])
def test_one_robot_in_three_formats_is_equal_with_what_is_fixed_merged(a, b):
    found = diff_models(a.encode(), b.encode(), lump_fixed=True)
    (base,) = found.bodies
    assert (base.status, found.notes) == ("equal", ())
    assert base.a.merged[0].endswith("sensor")
    assert base.b.merged[0].endswith("sensor")
    assert base.a.mass == pytest.approx(3.4, rel=1e-15)


@pytest.mark.parametrize(
    "data",
    [
        '<mujoco><worldbody><body name="base"/></worldbody></mujoco>',
        '<sdf version="1.9"><model name="r"><link name="base"/><joint name="j" type="fixed">'
        "<parent>world</parent><child>base</child></joint></model></sdf>",
    ],
)
def test_what_is_fixed_to_the_world_alone_is_no_note(data):
    found = diff_models(data.encode(), data.encode(), lump_fixed=True)
    assert (len(found.bodies), found.notes) == (1, ())


def test_a_copied_body_is_not_merged_and_that_is_said():
    copies = '<replicate count="2" offset="1 0 0"><body name="foot"/></replicate>'
    data = f'<mujoco><worldbody><body name="leg">{copies}</body></worldbody></mujoco>'.encode()
    found = diff_models(data, data, lump_fixed=True)
    assert len(found.bodies) == 2
    assert found.notes[0] == "<bytes>: foot was not merged: where it is fixed to leg cannot be read"


def test_a_format_whose_reader_tells_no_parents_is_said_to_merge_nothing():
    model = load(robot(link("a"), link("b"), joint("a", "b")))
    bodies = tuple(body._replace(parent=None, X_PB=None) for body in model.bodies)
    bare = Model(model.source, "other", "r", bodies)
    found = diff_models(bare, bare, lump_fixed=True)
    assert len(found.bodies) == 2
    assert "the reader of other does not tell what they are fixed to" in found.notes[0]


def test_what_a_fixed_joint_of_usd_holds_is_merged_where_its_frames_meet():
    pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')

    def body(name):
        schemas = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
        numbers = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)"
        return f'def Xform "{name}" ({schemas})\n{{\n{numbers}\n}}\n'

    joint = (
        'def PhysicsFixedJoint "j"\n{\nrel physics:body0 = </a>\nrel physics:body1 = </b>\n'
        "point3f physics:localPos0 = (2, 0, 0)\npoint3f physics:localPos1 = (0, 0, 0)\n}\n"
    )
    text = f"#usda 1.0\n(\nmetersPerUnit = 1\n)\n{body('a')}{body('b')}{joint}"
    model = load(text.encode())
    ten = [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
    lumped = lump(model, np.array([ten, ten], dtype=float))
    assert (dict(lumped.merged), list(lumped.notes)) == ({0: [1]}, [])
    # Two balls 2 m apart: each 1 m from their common centre.
    np.testing.assert_allclose(lumped.theta[0], [2, 2, 0, 0, 2, 0, 0, 4, 0, 4], atol=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        '<mujoco><compiler settotalmass="10"/><worldbody><body name="a"><freejoint/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>',
        '<robot name="r"><mujoco><compiler settotalmass="10"/></mujoco><link name="a"><inertial>'
        '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        "</link></robot>",
    ],
)
def test_numbers_that_an_engine_compiles_otherwise_are_said_to_be_compared_as_written(text):
    found = diff_models(text.encode(), text.encode())
    assert "compared as written: " in found.notes[0]
    assert "total mass" in found.notes[0]
    assert (found.compiled is not None) is text.startswith("<mujoco>")
