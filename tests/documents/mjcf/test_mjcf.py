import itertools
import math
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import inertial_check as ic
from inertial_check.documents.load import load, sniff
from inertial_check.documents.model import ENTRIES
from inertial_check.errors import NotAModelError
from mjcf_documents import (
    CLASSES,
    EMPTY_INCLUDES,
    GEOMS,
    GOOD,
    POSE,
    REFUSED,
    REFUSED_SETTINGS,
    SETTINGS,
    fragment,
    include,
)


def model(bodies, compiler="", head=""):
    """The model with these bodies in its world."""
    return load(
        f"<mujoco><compiler {compiler}/>{head}<worldbody>{bodies}</worldbody></mujoco>".encode()
    )


def body(inside, compiler="", head=""):
    (found,) = model(f'<body name="a">{inside}</body>', compiler, head).bodies
    return found


def inertial(attributes, compiler=""):
    return body(f"<inertial {attributes}/>", compiler).inertial


def said(found, kind="malformed"):
    """The messages of a body or a model of one kind, without those that have other kinds."""
    kinds = (kind, "unread") if kind == "reference" else (kind,)
    return [problem.message for problem in found.problems if problem.kind in kinds]


def verdicts(found):
    return [each.judgement.verdict for each in ic.check_model(found).bodies]


def codes(found):
    return [finding.code for finding in ic.check_model(found).findings]


ARM = """<mujoco model="arm">
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base">
      <inertial pos="0 -.5e-1 +1." mass="1.20" diaginertia="0.02 0.030  0.04"/>
      <body name="forearm" pos="1 0 0">
        <joint type="slide"/>
        <joint/>
        <inertial mass="2" pos="1 2 3" fullinertia="1 2 3 .4 .5 .6"/>
        <body><freejoint/><geom size="1"/></body>
      </body>
    </body>
    <body name="it's"/>
  </worldbody>
</mujoco>"""


def test_a_model_as_written():
    arm = load(ARM.encode())
    assert (arm.format, arm.name, arm.problems, arm.others) == ("mjcf", "arm", (), ())
    assert [(found.name, found.joint, found.moved) for found in arm.bodies] == [
        ("base", "fixed", False),
        ("forearm", "slide", True),
        ("body#3", "free", True),
        ("it's", "fixed", False),
    ]
    assert [found.id for found in arm.bodies] == [
        "//body[@name='base']",
        "//body[@name='forearm']",
        "(//body)[3]",
        '//body[@name="it\'s"]',
    ]
    assert all(found.problems == () for found in arm.bodies)
    assert [found.inertia_from for found in arm.bodies] == ["file", "file", "geometry", "file"]
    base = arm.bodies[0].inertial
    assert (base.mass.value, base.mass.text) == (1.2, "1.20")
    assert [number.text for number in base.p_BoBcm_B] == ["0", "-.5e-1", "+1."]
    assert arm.source.text(arm.bodies[2].span) == '<body><freejoint/><geom size="1"/></body>'
    assert arm.source.text(base.span).startswith('<inertial pos="0')
    six = base.I_BBcm_Bi
    assert [six[entry].text for entry in ENTRIES] == ["0.02", "0", "0", "0.030", "0", "0.04"]
    assert [entry for entry in ENTRIES if six[entry].span is None] == ["ixy", "ixz", "iyz"]
    forearm = arm.bodies[1].inertial
    assert [forearm.I_BBcm_Bi[entry].value for entry in ENTRIES] == [1, 0.4, 0.5, 2, 0.6, 3]
    assert arm.source.text(forearm.mass.span) == "2"
    assert arm.place(forearm.mass.span).line == 9


angles = st.floats(-400, 400)
vectors = st.tuples(*[st.floats(-10, 10)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3)


def text(values):
    return " ".join(map(repr, values))


def axes(attribute, values, compiler=""):
    found = inertial(f'{POSE} diaginertia="1 2 2.5" {attribute}="{text(values)}"', compiler)
    return np.array(found.R_BBi)


@given(vectors, angles, st.booleans())
def test_axisangle(axis, angle, radian):
    turn = angle if radian else math.radians(angle)
    unit = np.array(axis) / np.linalg.norm(axis)
    expected = Rotation.from_rotvec(turn * unit).as_matrix()
    found = axes("axisangle", (*axis, angle), 'angle="radian"' if radian else "")
    np.testing.assert_allclose(found, expected, atol=1e-12)


SEQUENCES = ["".join(letters) for letters in itertools.product("xyzXYZ", repeat=3)]


@given(st.tuples(angles, angles, angles), st.sampled_from(SEQUENCES))
def test_euler_is_intrinsic_in_small_letters_and_extrinsic_in_capitals(turns, sequence):
    expected = Rotation.identity()
    for turn, letter in zip(turns, sequence, strict=True):
        one = Rotation.from_euler(letter.lower(), turn, degrees=True)
        expected = expected * one if letter.islower() else one * expected
    found = axes("euler", turns, f'eulerseq="{sequence}"')
    np.testing.assert_allclose(found, expected.as_matrix(), atol=1e-12)


def test_euler_is_in_degrees_unless_the_compiler_says_radian():
    half = axes("euler", (90.0, 0.0, 0.0))
    np.testing.assert_allclose(half, [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-15)
    found = axes("euler", (math.pi / 2, 0.0, 0.0), 'angle="radian"')
    np.testing.assert_allclose(found, half, atol=1e-15)


@given(vectors, vectors)
def test_xyaxes_keeps_x_and_straightens_y(x, y):
    if np.linalg.norm(np.cross(x, y)) < 1e-3 * np.linalg.norm(x) * np.linalg.norm(y):
        return
    found = axes("xyaxes", (*x, *y))
    np.testing.assert_allclose(found[:, 0], np.array(x) / np.linalg.norm(x), atol=1e-12)
    np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-12)
    assert np.linalg.det(found) > 0
    assert np.dot(found[:, 1], y) > 0
    assert abs(np.dot(found[:, 2], y)) < 1e-11 * np.linalg.norm(y)


@given(vectors)
def test_zaxis_is_the_smallest_rotation(z):
    found = axes("zaxis", z)
    unit = np.array(z) / np.linalg.norm(z)
    np.testing.assert_allclose(found[:, 2], unit, atol=1e-12)
    expected = math.acos(np.clip(unit[2], -1, 1))
    assert abs(Rotation.from_matrix(found).magnitude() - expected) < 1e-6


def test_zaxis_turned_over_is_half_a_turn_about_x():
    np.testing.assert_allclose(axes("zaxis", (0.0, 0.0, -2.0)), np.diag([1, -1, -1]), atol=1e-15)


@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        ("quat", "0 0 0 0"),
        ("quat", "nan 0 0 0"),
        ("quat", "inf 0 0 0"),
        ("axisangle", "0 0 0 30"),
        ("axisangle", "1 0 0 inf"),
        ("xyaxes", "1 0 0 -2 0 0"),
        ("xyaxes", ".1 .2 .3 .3 .6 .9"),
        ("xyaxes", "0 0 0 0 1 0"),
        ("zaxis", "0 0 0"),
        ("euler", "0 inf 0"),
    ],
)
def test_what_is_no_rotation_is_said_and_judged_all_the_same(attribute, values):
    found = body(f'<inertial {POSE} diaginertia="1 1 3" {attribute}="{values}"/>')
    (message,) = said(found)
    assert attribute in message
    assert values in message
    assert np.isnan(found.inertial.R_BBi).all()
    assert verdicts(model(f'<body><inertial {POSE} diaginertia="1 1 3"/></body>')) == [
        "inconsistent"
    ]


@pytest.mark.parametrize(("attributes", "expected"), REFUSED)
def test_what_mujoco_refuses_is_malformed(attributes, expected):
    found = body(f"<inertial {attributes}/>")
    (message,) = said(found)
    assert message.startswith('body "a": ')
    assert expected in message
    assert "IC004" in codes(model(f"<body><inertial {attributes}/></body>"))


def test_what_stands_beside_the_numbers_of_an_inertial():
    found = body(f'<inertial {POSE} fullinertia="1 2 2.5 0 0 0" diaginertia="0 0 0"/>')
    assert found.problems == ()
    assert found.inertial.I_BBcm_Bi["iyy"].value == 2
    found = body(f'<inertial {POSE} diaginertia="1 1 1"><origin/></inertial>')
    assert "<origin>" in said(found)[0]
    found = body(f'{GOOD}<inertial {POSE} diaginertia="1 1 5"/>')
    assert found.inertial.I_BBcm_Bi["izz"].text == "1"
    assert "second <inertial>" in said(found)[0]


def test_junk_among_the_numbers_is_invalid_and_points_at_itself():
    arm = load(ARM.replace("0.030", "0,03").encode())
    report = ic.check_model(arm)
    assert report.bodies[0].judgement.verdict == "invalid"
    (finding,) = (found for found in report.findings if found.code == "IC004")
    assert (finding.place.line, finding.place.column) == (5, 66)
    assert finding.body == "base"


@pytest.mark.parametrize("word", ["nan", "-NAN", "inf", "1e400"])
def test_a_number_that_is_not_finite(word):
    found = model(f'<body name="a"><inertial {POSE} diaginertia="1 {word} 1"/></body>')
    assert codes(found) == ["IC104"]
    assert verdicts(found) == ["invalid"]


@pytest.mark.parametrize("form", ['diaginertia="{0} {1} {2}"', 'fullinertia="{0} {1} {2} 0 0 0"'])
@pytest.mark.parametrize(
    ("moments", "verdict"),
    [
        ((1, 1, 1), "consistent"),
        ((0.1, 0.2, 0.3), "boundary"),
        (("0.110", "0.220", "0.3350"), "inconsistent"),
        (("0.33", "0.33", "0.67"), "rounding"),
        ((1, 1, -1), "inconsistent"),
    ],
)
def test_verdicts_are_on_the_printed_numbers(form, moments, verdict):
    for turn in ("", 'euler="10 20 30"', 'quat="0.3 0.4 0.5 0.6"'):
        if "full" in form and turn:
            continue
        text = form.format(*moments)
        found = model(f"<body><inertial {POSE} {text} {turn}/></body>")
        assert verdicts(found) == [verdict]


@pytest.mark.parametrize("setting", ["auto", "true", "false"])
@pytest.mark.parametrize("written", [GOOD, ""], ids=["written", "unwritten"])
@pytest.mark.parametrize(("geoms", "give_mass"), GEOMS.items())
def test_where_the_inertia_comes_from(geoms, give_mass, written, setting):
    found = model(
        f"<body>{written}{geoms}</body>",
        f'inertiafromgeom="{setting}" inertiagrouprange="0 3"',
        CLASSES,
    )
    geometry = give_mass and (setting == "true" or (setting == "auto" and not written))
    first = verdicts(found)[0]
    assert first == ("derived" if geometry else "consistent" if written else "missing")
    ignored = any("ignores this <inertial>" in text for text in said(found.bodies[0], "engine"))
    assert ignored == (geometry and bool(written))


def test_classes_of_bodies_and_of_joints_are_inherited():
    found = model(
        '<body childclass="nothing"><body><geom size="1"/></body></body>'
        '<body><geom size="1"/></body>',
        head=CLASSES,
    )
    assert [each.inertia_from for each in found.bodies] == ["file", "file", "geometry"]
    head = (
        '<default><joint type="ball"/><default class="s"><joint type="slide"/></default></default>'
    )
    found = model(
        '<body><joint/></body><body><joint class="s"/></body><body><freejoint/></body>'
        '<body><frame><joint type="hinge"/></frame></body><body mocap="true"/>',
        head=head,
    )
    assert [each.joint for each in found.bodies] == ["ball", "slide", "free", "hinge", "fixed"]
    assert [each.moved for each in found.bodies] == [True, True, True, True, False]


def test_only_a_moved_body_without_numbers_is_a_finding():
    assert codes(model('<body name="frame"/>')) == []
    (finding,) = ic.check_model(model("<body><joint type='slide'/></body>")).findings
    assert (finding.code, finding.body) == ("IC103", "body#1")
    assert "a slide joint moves this body" in finding.message


@pytest.mark.parametrize(("compiler", "numbers", "expected"), SETTINGS)
def test_what_the_compiler_makes_of_written_numbers_is_said(compiler, numbers, expected):
    found = model(f'<body><inertial pos="0 0 0" {numbers}/></body>', compiler)
    notes = said(found.bodies[0], "engine")
    assert len(notes) == len(expected)
    assert all(part in note for part, note in zip(expected, notes, strict=True))
    assert codes(found).count("IC710") == len(expected)


def test_balanceinertia_changes_no_verdict():
    found = model(f'<body><inertial {POSE} diaginertia="1 1 4"/></body>', 'balanceinertia="true"')
    assert verdicts(found) == ["inconsistent"]
    assert sorted(codes(found)) == ["IC301", "IC710"]


def test_settings_that_concern_the_whole_document_are_said_once():
    found = model(
        f"<body>{GOOD}<body/></body><body/>",
        'settotalmass="14" boundmass="1e-5" coordinate="global"',
    )
    notes = said(found, "engine")
    assert len(notes) == 3
    assert "1e-05 kg for 2 bodies" in notes[1]
    places = [found.source.text(problem.span) for problem in found.problems]
    assert places == ["14", "1e-5", "global"]
    assert not said(model("<body/>", 'settotalmass="-1" coordinate="local"'), "engine")


@pytest.mark.parametrize(("setting", "expected"), REFUSED_SETTINGS)
def test_a_setting_that_mujoco_refuses(setting, expected):
    found = model(f"<body>{GOOD}</body>", setting)
    (message,) = said(found)
    assert expected in message
    assert verdicts(found) == ["consistent"]


def test_of_several_compilers_the_last_word_counts():
    found = load(
        b'<mujoco><worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1" '
        b'euler="1 0 0"/></body></worldbody><compiler angle="radian"/><compiler eulerseq="zyx"/>'
        b"</mujoco>"
    )
    expected = Rotation.from_euler("z", 1).as_matrix()
    np.testing.assert_allclose(found.bodies[0].inertial.R_BBi, expected, atol=1e-15)


def test_a_frame_moves_the_inertial_in_it():
    found = body(
        '<frame pos="10 0 0" euler="0 0 90"><frame pos="0 0 1">'
        '<inertial pos="1 2 3" mass="7" diaginertia="1 2 2.5"/></frame></frame>'
    )
    center = [number.value for number in found.inertial.p_BoBcm_B]
    np.testing.assert_allclose(center, [8, 1, 4], atol=1e-14)
    assert all(number.span is None for number in found.inertial.p_BoBcm_B)
    np.testing.assert_allclose(found.inertial.R_BBi, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    assert [found.inertial.I_BBcm_Bi[entry].text for entry in ("ixx", "iyy")] == ["1", "2"]
    found = body(f"<frame>{GOOD}</frame>")
    assert found.inertial.p_BoBcm_B[0].span is not None


def matrix(p_PoBo_P, R_PB):
    X_PB = np.eye(4)
    X_PB[:3, :3], X_PB[:3, 3] = R_PB, p_PoBo_P
    return X_PB


def about(axis, degrees):
    return Rotation.from_euler(axis, degrees, degrees=True).as_matrix()


@pytest.mark.parametrize("joint", ["", "<joint/>", "<freejoint/>"])
def test_a_body_stands_in_its_parent_where_its_pose_and_the_frames_around_it_say(joint):
    found = model(
        '<body name="a" pos="9 9 9"><frame pos="1 0 0" euler="0 0 90"><frame pos="0 0 1">'
        f'<body name="b" pos="1 2 3" axisangle="1 0 0 30">{joint}</body></frame></frame>'
        '<body name="c"/></body>'
    )
    a, b, c = found.bodies
    assert (a.parent, a.X_PB) == (None, None)
    assert (b.parent, c.parent) == (a.id, a.id)
    expected = matrix([1, 0, 0], about("z", 90)) @ matrix([1, 2, 4], about("x", 30))
    np.testing.assert_allclose(matrix(*b.X_PB), expected, atol=1e-15)
    assert np.array_equal(matrix(*c.X_PB), np.eye(4))


def test_copies_and_bodies_in_global_coordinates_have_a_parent_and_no_place():
    found = model(
        '<frame pos="1 0 0"><body name="a"><body name="b" pos="1 0 0"/>'
        '<replicate count="2" offset="1 0 0"><body name="c"><body name="d" pos="2 0 0"/></body>'
        "</replicate></body></frame>"
    )
    a, b, c, d = found.bodies
    assert [each.parent for each in (b, c, d)] == [a.id, a.id, c.id]
    assert b.X_PB.p_PoBo_P == (1, 0, 0)
    assert c.X_PB is None
    assert d.X_PB.p_PoBo_P == (2, 0, 0)
    found = model('<body><body pos="1 2 3"/></body>', 'coordinate="global"')
    assert found.bodies[1].X_PB is None


def test_parents_are_told_by_ids_where_names_repeat():
    found = model("<body><body/></body>" + '<body name="x"><body name="x"/></body>')
    ids = [each.id for each in found.bodies]
    assert [each.parent for each in found.bodies] == [None, ids[0], None, ids[2]]


@pytest.mark.parametrize(
    "pose",
    [
        *('pos="1 2"', 'pos="1 2 x"', 'pos="inf 0 0"', 'pos="1e308 0 0"', 'quat="0 0 0 0"'),
        *('euler="1 2"', 'quat="1 0 0 0" euler="1 2 3"'),
    ],
)
def test_a_place_that_cannot_be_read_is_unknown_and_no_finding(pose):
    found = model(f'<body><frame pos="1e308 0 0"><body {pose}>{GOOD}</body></frame></body>')
    assert found.bodies[1].parent == found.bodies[0].id
    assert found.bodies[1].X_PB is None
    assert found.problems == ()
    assert [each.kind for each in found.bodies[1].problems] == ["differs"]  # it stands in a frame


def test_bodies_in_frames_and_replicates_are_listed_once():
    found = model(
        f'<frame pos="1 0 0"><body name="a">{GOOD}</body></frame>'
        f'<replicate count="3" offset="1 0 0"><frame><body name="b">{GOOD}<body/></body></frame>'
        "<body/></replicate>"
    )
    assert [each.name for each in found.bodies] == ["a", "b", "body#3", "body#4"]
    (note,) = said(found, "engine")
    assert 'count="3"' in note


def test_an_inertial_in_a_replicate_or_in_the_world_is_dropped():
    found = body(f'<replicate count="2">{GOOD}</replicate>')
    assert found.inertial is None
    assert "drops" in said(found)[0]
    found = model(GOOD)
    assert found.bodies == ()
    assert "in the world" in said(found)[0]


def test_models_that_are_attached_are_not_followed_and_that_is_said():
    found = model(
        '<body name="b"><attach model="hand" body="palm" prefix="l_"/></body>'
        '<frame><attach body="b" prefix="c_"/></frame>',
        head='<asset><model name="hand" file="hand.xml"/></asset>',
    )
    (message,) = said(found, "reference")
    assert 'model "hand"' in message
    assert codes(found) == ["IC003"]


@pytest.mark.parametrize("tag", ["flexcomp", "composite"])
def test_bodies_that_mujoco_makes_are_not_listed_and_that_is_said(tag):
    found = model(f'<body><{tag} name="f" count="3 3 1"/></body>')
    assert len(found.bodies) == 1
    assert f"<{tag}>" in said(found, "engine")[0]


def test_names_that_repeat_have_ids_that_do_not():
    found = model(
        '<body name="a"/><body name="a"/><body/><body name="body#3"/><body name="\'&quot;"/>'
    )
    ids = [each.id for each in found.bodies]
    assert len(set(ids)) == 5
    assert ids[:2] == ["(//body[@name='a'])[1]", "(//body[@name='a'])[2]"]


def test_bodies_stand_where_mujoco_looks_for_them():
    found = load(
        b"<mujoco><default><body/></default><worldbody><body name='a'/></worldbody>"
        b"<worldbody><body name='b'/></worldbody><sensor><body name='c'/></sensor></mujoco>"
    )
    assert [each.name for each in found.bodies] == ["a", "b"]
    found = load(f"<mujoco><body name='a'>{GOOD}</body><body/></mujoco>".encode())
    assert len(found.bodies) == 2
    (note,) = said(found, "engine")
    assert "MuJoCo ignores <body>" in note


# -- which documents ----------------------------------------------------------------------------


def test_the_root_decides():
    assert sniff(b"<mujoco/>") == "mjcf"
    assert sniff(b"<!-- x --><mujoco model='a'>") == "mjcf"
    assert sniff(b"<mujocoinclude/>") == "mjcf"
    assert sniff(b"<MuJoCo/>") is None  # nor does MuJoCo read it
    assert sniff(b"<robot><mujoco/></robot>") == "urdf"
    with pytest.raises(NotAModelError, match="that of MJCF is <mujoco>"):
        load(b"<robot/>", format="mjcf")
    found = load(b"<mujoco><worldbody/></mujoco>")
    assert (found.bodies, found.problems) == ((), ())


def test_a_fragment_is_checked_when_it_is_named_and_skipped_in_a_walk(tmp_path):
    (tmp_path / "part.xml").write_text(
        f"<mujocoinclude><body name='a'>{GOOD}</body></mujocoinclude>"
    )
    (tmp_path / "main.xml").write_text(
        '<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>'
    )
    from inertial_check.checking.settings import Settings
    from inertial_check.running.run import CheckRequest, check_paths

    settings = Settings().validate()
    report = check_paths(CheckRequest([str(tmp_path)], lambda _: settings))
    assert [file.path for file in report.files] == [f"{tmp_path}/main.xml"]
    assert [each.name for each in report.bodies] == ["a"]
    report = check_paths(CheckRequest([str(tmp_path / "part.xml")], lambda _: settings))
    assert [each.name for each in report.bodies] == ["a"]


def test_a_fragment_of_what_is_in_a_body():
    found = load(f"<mujocoinclude>{GOOD}<joint/><geom size='1'/></mujocoinclude>".encode())
    assert found.bodies == ()
    (message,) = said(found, "reference")
    assert "check the one that does" in message


# -- includes -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """folder(main=..., **others): the model of main.xml, beside the others; "__" is "/"."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.xml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return load(tmp_path / "main.xml")

    return write


def names(found):
    return [each.name for each in found.bodies]


def test_what_is_included_stands_in_place(folder):
    found = folder(
        main='<mujoco><worldbody><body name="a"/><body name="b"><include file="in.xml"/></body>'
        "<body/></worldbody></mujoco>",
        **{"in": fragment(f'{GOOD}<joint/><body name="c"/><body/>')},
    )
    assert names(found) == ["a", "b", "c", "body#4", "body#5"]
    assert found.bodies[1].moved
    assert found.bodies[1].span.file == 0
    assert found.bodies[1].inertial.mass.span.file == 1
    place = found.place(found.bodies[2].span)
    assert place.path.endswith("in.xml")
    assert [place.line, ic.check_model(found).bodies[2].file] == [1, place.path]


@pytest.mark.parametrize("root", ["mujoco", "mujocoinclude", "anything"])
def test_the_root_of_what_is_included_may_have_any_name(folder, root):
    assert names(folder(main=include("x.xml"), x=fragment("<body name='x'/>", root))) == ["x"]


def test_settings_and_classes_can_be_included_too(folder):
    found = folder(
        main='<mujoco><include file="x.xml"/><default><include file="y.xml"/></default>'
        f'<worldbody><body name="a"><inertial {POSE} diaginertia="1 1 1" euler="1 0 0"/></body>'
        '<body name="b"><geom size="1"/></body></worldbody></mujoco>',
        x=fragment('<compiler angle="radian"/>'),
        y=fragment('<geom density="0"/>'),
    )
    expected = Rotation.from_euler("x", 1).as_matrix()
    np.testing.assert_allclose(found.bodies[0].inertial.R_BBi, expected, atol=1e-15)
    assert verdicts(found) == ["consistent", "missing"]


def test_an_included_file_is_beside_the_main_one_else_beside_the_including_one(folder, tmp_path):
    files = {
        "main": include("sub/x.xml"),
        "sub__x": fragment('<include file="y.xml"/>'),
        "sub__y": fragment("<body name='below'/>"),
    }
    assert names(folder(**files)) == ["below"]
    assert names(folder(**files, y=fragment("<body name='beside'/>"))) == ["beside"]
    assert names(folder(main=include("sub\\x.xml"), sub__x=fragment("<body name='x'/>"))) == ["x"]


@pytest.mark.parametrize(
    ("main", "files", "expected"), [*EMPTY_INCLUDES, (include("/dev/zero"), {}, "no such file")]
)
def test_an_include_that_gives_nothing_is_said_where_it_stands(folder, main, files, expected):
    found = folder(main=main, **files)
    (message,) = said(found, "reference")
    assert expected in message
    assert found.bodies == ()
    (finding,) = ic.check_model(found).findings
    assert finding.code == "IC003"
    assert "<include" in found.source_of(found.problems[0].span).text(found.problems[0].span)


def test_problems_of_an_included_document_are_said_there(folder, tmp_path):
    found = folder(main=include("x.xml"), x="<!-- a -- b -->" + fragment("<body name='x'/>"))
    (finding,) = ic.check_model(found).findings
    assert finding.code == "IC002"
    assert finding.place.path.endswith("x.xml")
    (tmp_path / "again").symlink_to(".")
    found = folder(main=include("x.xml"), x=fragment('<include file="again/x.xml"/>'))
    assert "read already" in said(found, "reference")[0]


def test_a_long_chain_of_includes_ends_in_bounded_time(folder):
    count = 400
    files = {
        f"f{i}": fragment(f'<body name="b{i}"/><include file="f{i + 1}.xml"/>')
        for i in range(count)
    }
    began = time.perf_counter()
    found = folder(main=include("f0.xml"), **files)
    assert len(found.bodies) == count
    assert time.perf_counter() - began < 20


# -- hostile documents --------------------------------------------------------------------------


def test_many_unnamed_bodies_take_linear_time():
    one = f"<body><frame pos='x'/><inertial {POSE} diaginertia='1 1 x'/></body>"
    took = []
    for count in (1000, 4000):
        began = time.perf_counter()
        found = model(one * count)
        took.append(time.perf_counter() - began)
        assert len(found.bodies) == count
    assert took[1] < 20 * took[0] + 1


def test_classes_in_classes_take_bounded_memory():
    """As deep as a document may be nested; deeper ones are refused."""

    inside = "".join(f"<default class='c{i}'><geom a{i}='1'/>" for i in range(250))
    tracemalloc.start()
    load(f"<mujoco><default>{inside}{'</default>' * 250}</default></mujoco>".encode())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e8


# -- what engines read otherwise ----------------------------------------------------------------


FRAMES = ["<frame>{}</frame>", "<frame><frame pos='1 2 3'>{}</frame></frame>"]


def actions(found):
    """What check foretells of each body, by its name and the engine."""
    return {
        body.name: {name: each.action for name, each in body.predictions.items()}
        for body in ic.check_model(found).files[0].bodies
    }


@pytest.mark.parametrize(
    ("frame", "compiler", "words"),
    [
        ("{}", "inertiafromgeom='true'", "MuJoCo keeps this <inertial>"),
        *((frame, "", "move it into the <body>") for frame in FRAMES),
    ],
)
def test_inertials_in_frames_or_beside_no_geoms_are_read_by_mujoco_alone(frame, compiler, words):
    text = f"<inertial {POSE} diaginertia='1 1 1'/>"
    found = model(f"<body name='a'>{frame.format(text)}</body>", compiler)
    (message,) = said(found.bodies[0], "differs")
    assert words in message
    assert said(body(text, "inertiafromgeom='auto'"), "differs") == []
    assert said(body(f"{text}<geom size='1'/>", "inertiafromgeom='true'"), "differs") == []
    foretold = actions(found)["a"]
    assert foretold["mujoco"] == "accept"
    assert {foretold[name] for name in ("drake", "newton", "pinocchio")} == {"replace"}


@pytest.mark.parametrize("frame", [*FRAMES, "<replicate count='2'>{}</replicate>"])
def test_bodies_in_a_frame_are_left_out_by_two_engines(frame):
    text = f"<inertial {POSE} diaginertia='1 1 1'/>"
    inside = f"<body name='a'>{text}<body name='b'>{text}</body></body>"
    found = model(f"{frame.format(inside)}<body name='c'>{text}</body>")
    assert [len(said(each, "differs")) for each in found.bodies] == [1, 1, 0]
    foretold = actions(found)
    assert {foretold[name]["drake"] for name in "ab"} == {"drop"}
    assert {foretold[name]["pinocchio"] for name in "ab"} == {"drop"}
    assert {each["mujoco"] for each in foretold.values()} == {"accept"}
    assert foretold["c"]["drake"] == foretold["c"]["pinocchio"] == "accept"
