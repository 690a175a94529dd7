"""SDF as libsdformat reads it: element text, defaults, poses, scopes, who holds a link."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inertial_check as ic
from inertial_check.checking.settings import Settings
from inertial_check.documents.load import load, sniff
from inertial_check.documents.model import ENTRIES
from inertial_check.errors import NotAModelError

SIX = {"ixx": "1", "ixy": "0.1", "ixz": "0.2", "iyy": "1.5", "iyz": "0.3", "izz": "2"}
ADDED = [a + b for i, a in enumerate("xyzpqr") for b in "xyzpqr"[i:]]


def inertia(**entries):
    return "".join(f"<{entry}>{text}</{entry}>" for entry, text in entries.items())


GOOD = f"<mass>3</mass><inertia>{inertia(**SIX)}</inertia>"


def sdf(inside, version="1.9"):
    return load(f'<sdf version="{version}">{inside}</sdf>'.encode())


def model(inside, attributes='name="m"'):
    return sdf(f"<model {attributes}>{inside}</model>")


def link(inertial, attributes="", name="l"):
    return f'<link name="{name}"><inertial{attributes}>{inertial}</inertial></link>'


def only_body(document):
    (body,) = document.bodies
    return body


def problems(document):
    """The problems of the one body: kind, message, the text at which it points."""
    source = document.source
    found = only_body(document).problems
    return [(kind, message, source.text(span)) for kind, message, span, _ in found]


def verdict(document):
    (body,) = ic.check_model(document).bodies
    return body.judgement.verdict


PLAIN = Settings(ignore=("IC2", "IC5", "IC6"))
"""Numbers here are round, not those of bodies: whether they are plausible is no question."""


def codes(document):
    return [finding.code for finding in ic.check_model(document, PLAIN).findings]


class TestNumbers:
    def test_as_element_text(self):
        body = only_body(model(link(f"<pose>1 2 3 0 0 0</pose>{GOOD}")))
        inertial = body.inertial
        assert (inertial.mass.value, inertial.mass.text) == (3, "3")
        assert [number.value for number in inertial.p_BoBcm_B] == [1, 2, 3]
        assert {e: n.text for e, n in inertial.I_BBcm_Bi.items()} == SIX
        assert (body.problems, body.inertia_from) == ((), "file")
        assert inertial.R_BBi == ((1, 0, 0), (0, 1, 0), (0, 0, 1))

    @pytest.mark.parametrize("empty", ["<ixx/>", "<ixx></ixx>", "<ixx> </ixx>"])
    def test_an_empty_entry_is_said(self, empty):
        """libsdformat refuses it, while it takes the default for an empty mass."""
        document = model(link(f"<mass>3</mass><inertia>{empty}<iyy>1</iyy><izz>1</izz></inertia>"))
        ((kind, message, _),) = problems(document)
        assert (kind, "<ixx> is empty" in message) == ("malformed", True)
        assert (verdict(document), codes(document)) == ("invalid", ["IC004"])

    def test_text_in_two_pieces_is_said(self):
        """libsdformat takes the text before the comment: 0. and not 0.5."""
        document = model(link(f"<mass>2.<!-- -->5</mass><inertia>{inertia(**SIX)}</inertia>"))
        assert only_body(document).inertial.mass.text == "2."
        ((kind, message, _),) = problems(document)
        assert kind == "malformed"
        assert 'read "2." alone' in message

    @pytest.mark.parametrize("text", ["1,5", "1.5kg", "0x10", "${mass}", "1 2", "\u0661"])
    def test_what_is_no_number_is_none(self, text):
        document = model(link(f"<mass>{text}</mass><inertia>{inertia(**SIX)}</inertia>"))
        assert math.isnan(only_body(document).inertial.mass.value)
        ((kind, message, where),) = problems(document)
        assert kind == "malformed"
        assert "is no number" in message
        assert where == text
        assert verdict(document) == "invalid"

    def test_urdf_in_sdf_is_not_read_silently(self):
        """engines take 1 kg and identity where URDF's attributes stand."""
        document = model(
            link('<origin xyz="1 2 3"/><mass value="7"/><inertia ixx="1" iyy="1" izz="1"/>')
        )
        found = problems(document)
        assert [kind for kind, _, _ in found] == ["malformed"] * 3
        assert ["as in URDF" in message for _, message, _ in found] == [True] * 3
        assert verdict(document) == "defaulted"

    def test_misspelt_and_second_elements_are_said(self):
        document = model(link(f"<Mass>7</Mass>{GOOD}<mass>8</mass>"))
        found = problems(document)
        assert only_body(document).inertial.mass.value == 3
        assert [where for _, _, where in found] == ["<Mass>", "<mass>"]
        document = model(
            f'<link name="l"><inertial>{GOOD}</inertial><inertial><mass>-1</mass></inertial></link>'
        )
        assert only_body(document).inertial.mass.value == 3
        assert codes(document) == ["IC004"]


class TestDefaults:
    @pytest.mark.parametrize(
        "inside",
        [
            '<link name="l"/>',
            '<link name="l"><inertial/></link>',
            link("<mass>3</mass>"),
            link("<pose>0 0 1 0 0 0</pose>"),
            link("<mass>3</mass><inertia/>"),
            link("<mass/><inertia/>"),
            link(f"<mass>3</mass><Inertia>{inertia(ixx='5')}</Inertia>"),
        ],
    )
    def test_stand_in_where_no_inertia_is_written(self, inside):
        document = model(inside)
        body = only_body(document)
        assert body.inertia_from == "default"
        assert [body.inertial.I_BBcm_Bi[entry].value for entry in ENTRIES] == [1, 0, 0, 1, 0, 1]
        assert all(number.span is None for number in body.inertial.I_BBcm_Bi.values())
        assert verdict(document) == "defaulted"
        assert "IC105" in codes(document)

    def test_the_finding_names_what_is_not_written(self):
        whole, part = model('<link name="l"/>'), model(link("<mass>3</mass>"))
        (first,), (second,) = (ic.check_model(each).findings for each in (whole, part))
        assert first.values == {"mass": 1, "ixx": 1, "iyy": 1, "izz": 1}
        assert second.values == {"ixx": 1, "iyy": 1, "izz": 1}
        assert "not written: ixx, iyy, izz" in second.message

    def test_products_are_zero_and_a_mass_one_kilogram(self):
        document = model(link(f"<mass>3</mass><inertia>{inertia(ixx=1, iyy=1, izz=1)}</inertia>"))
        assert (verdict(document), codes(document)) == ("consistent", [])
        document = model(link(f"<inertia>{inertia(**SIX)}</inertia>"))
        assert only_body(document).inertial.mass[:3] == (1.0, "1", None)
        assert (verdict(document), codes(document)) == ("consistent", ["IC105"])

    def test_one_forgotten_moment_is_one(self):
        """izz = 1 beside moments of a finger is no body: both are said, nothing is fixed."""
        document = model(link(f"<mass>3</mass><inertia>{inertia(ixx=0.1, iyy=0.1)}</inertia>"))
        assert verdict(document) == "inconsistent"
        assert sorted(codes(document)) == ["IC105", "IC301"]
        fix = ic.fix_model(document, unsafe=True)
        assert [result.status for result in fix.bodies] == ["unwritten"]
        assert not fix.changed

    @pytest.mark.parametrize("static", ["true", "1", " True "])
    def test_a_static_model_is_silent(self, static):
        document = model(f'<static>{static}</static><model name="n"><link name="l"/></model>')
        assert (verdict(document), codes(document)) == ("defaulted", [])

    def test_a_fixed_joint_adds_the_default_to_its_parent(self):
        """A link on a fixed joint is not moved, and its 1 kg burdens the robot all the same."""
        document = model(
            link(GOOD, name="a")
            + '<link name="b"/><joint name="j" type="fixed"><parent>a</parent><child>b</child>'
            "</joint>"
        )
        (finding,) = ic.check_model(document, PLAIN).findings
        assert (finding.code, finding.body) == ("IC105", "m::b")


class TestAuto:
    def test_is_derived_unless_it_is_false(self):
        body = only_body(model(link("<density>500</density>", ' auto="true"')))
        assert (body.inertial, body.inertia_from, body.problems) == (None, "geometry", ())
        assert verdict(model(link("", ' auto="1"'))) == "derived"
        assert verdict(model(link(GOOD, ' auto="false"'))) == "consistent"
        assert ic.fix_model(model(link("", ' auto="true"'))).complete

    def test_what_is_written_beside_it_is_said_and_not_judged(self):
        broken = inertia(ixx=1, iyy=1, izz=5)
        document = model(link(f"<mass>3</mass><inertia>{broken}</inertia>", ' auto="true"'))
        assert verdict(document) == "derived"
        ((kind, message, _),) = problems(document)
        assert kind == "engine"
        assert "<mass>, <inertia> beside it" in message
        assert only_body(document).inertial.mass.value == 3
        fix = ic.fix_model(document, unsafe=True)
        assert [result.status for result in fix.bodies] == ["unchanged"]

    @pytest.mark.parametrize("density", ["-5", "0", "heavy"])
    def test_a_density_that_is_none_is_said(self, density):
        document = model(link(f"<density>{density}</density>", ' auto="true"'))
        assert codes(document) == ["IC004"]


class TestPose:
    def rotation(self, text, attributes=""):
        document = model(link(f"<pose{attributes}>{text}</pose>{GOOD}"))
        assert only_body(document).problems == ()
        return np.array(only_body(document).inertial.R_BBi)

    def test_it_turns_the_tensor_into_the_links_axes_and_not_back(self):
        document = model(
            link(
                f'<pose degrees="true">0 0 0 0 0 30</pose><mass>1</mass>'
                f"<inertia>{inertia(ixx=1, iyy=2, izz=2)}</inertia>"
            )
        )
        (body,) = ic.check_model(document).bodies
        assert body.judgement.I_BBcm_B[1] == pytest.approx(-math.sqrt(3) / 4)
        assert self.rotation("0 0 0 0 0 3.14159265358979")[0, 0] == pytest.approx(-1)
        document = model(link(f'<pose frame="">0 0 0 0 0 0</pose>{GOOD}'))
        assert problems(document) == []

    @pytest.mark.parametrize("text", ["", "  ", "<!-- none -->"])
    def test_empty_is_the_identity(self, text):
        np.testing.assert_array_equal(self.rotation(text), np.eye(3))

    @pytest.mark.parametrize(
        ("attributes", "text", "said"),
        [
            ("", "1 2 3", "expected 6 numbers, x y z roll pitch yaw"),
            ("", "1 2 3 4 5 6 7", "expected 6 numbers"),
            ("", "1, 2, 3, 0, 0, 0", "write 1 2 3 0 0 0"),
            ("", "a 0 0 0 0 0", "is no number"),
            (' rotation_format="quat_xyzw"', "0 0 0 0 0 0", "expected 7 numbers"),
            (' rotation_format="quat_xyzw"', "0 0 0 0 0 0 0", "no rotation"),
            (' rotation_format="quat_xyzw" degrees="true"', "0 0 0 0 0 0 1", "delete it"),
            (' rotation_format="quat_wxyz"', "0 0 0 1 0 0 0", "expected euler_rpy or quat_xyzw"),
            (' relative_to="f"', "0 0 0 0 0 0", "in the frame of its link"),
            (' frame="f"', "0 0 0 0 0 0", "in the frame of its link"),
            (' degrees="yes"', "0 0 0 0 0 0", "expected true or false"),
        ],
    )
    def test_what_is_none_is_said(self, attributes, text, said):
        document = model(link(f"<pose{attributes}>{text}</pose>{GOOD}"))
        ((kind, message, _),) = problems(document)
        assert kind == "malformed"
        assert said in message


class TestAddedMass:
    def test_is_kept_as_written_and_symmetric(self):
        inside = "".join(f"<{entry}>{k}</{entry}>" for k, entry in enumerate(ADDED, 1))
        body = only_body(model(link(f"{GOOD}<fluid_added_mass>{inside}</fluid_added_mass>")))
        matrix = np.array([[n.value for n in row] for row in body.inertial.fluid_added_mass])
        np.testing.assert_array_equal(matrix, matrix.T)
        np.testing.assert_array_equal(matrix[np.triu_indices(6)], range(1, 22))
        assert body.inertial.fluid_added_mass[5][0].text == "6"  # xr

    def test_absent_entries_are_zero_and_text_is_said(self):
        body = only_body(model(link(f"{GOOD}<fluid_added_mass><yy>4</yy></fluid_added_mass>")))
        assert sum(n.value for row in body.inertial.fluid_added_mass for n in row) == 4
        assert only_body(model(link(GOOD))).inertial.fluid_added_mass == ()
        document = model(link(f"{GOOD}<fluid_added_mass><yy>x</yy></fluid_added_mass>"))
        assert codes(document) == ["IC004"]


class TestScopes:
    def names(self, document):
        return [body.name for body in document.bodies]

    def test_document_order_and_names(self):
        document = sdf(
            '<world name="w"><model name="a"><link name="1"/><model name="b"><link name="2"/>'
            '</model><link name="3"/></model><light name="x"/><model name="c"><link name="1"/>'
            "</model></world>"
        )
        assert self.names(document) == ["a::1", "a::b::2", "a::3", "c::1"]
        assert (document.name, document.format) == ("w", "sdf")
        assert document.bodies[1].id == (
            "/sdf/world[@name='w']/model[@name='a']/model[@name='b']/link[@name='2']"
        )
        document = sdf(
            '<model name="a"><link name="l"/></model><world name="w"><population name="p">'
            '<model name="b"><link name="l"/></model></population></world>'
        )
        assert self.names(document) == ["a::l", "b::l"]

    def test_ids_are_unique_where_names_repeat(self):
        twice = '<model name="a"><link name="l"/><link name="l"/><link/><link/></model>'
        document = sdf(twice * 2 + "<model name=\"q'\"/><model name='q\"'/>")
        ids = [body.id for body in document.bodies]
        assert len(set(ids)) == len(ids) == 8

    def test_states_and_actors_hold_no_bodies(self):
        """<state> repeats the names of links; an actor's skeleton is moved by a script."""
        document = sdf(
            '<world name="w"><state world_name="w"><model name="a"><link name="l"/></model>'
            '</state><actor name="x"><link name="l"/></actor></world>'
        )
        assert document.bodies == ()

    def test_misspelt_elements_and_links_without_name_are_said(self):
        document = model('<Link name="l"/>')
        assert document.bodies == ()
        assert codes(document) == ["IC004"]
        assert codes(model(f"<link><inertial>{GOOD}</inertial></link>")) == ["IC004"]

    def test_a_long_name_is_cut_before_every_link_repeats_it(self):
        document = model('<link name="l"/>' * 3, f'name="{"n" * 5000}"')
        assert {len(body.name) for body in document.bodies} == {246}
        assert [problem.kind for problem in document.problems] == ["repair"]

    @pytest.mark.parametrize("tag", ["world", "population"])
    def test_worlds_without_end_are_skipped_and_said(self, tag):
        document = sdf(f"<{tag}>" * 200 + '<model name="m"/>' + f"</{tag}>" * 200)
        assert [problem.kind for problem in document.problems] == ["unread"]

    def test_models_without_end_are_skipped_and_said(self):
        depth = 200
        document = sdf('<model name="m"><link name="l"/>' * depth + "</model>" * depth)
        assert len(document.bodies) == 64
        (problem,) = document.problems
        assert problem.kind == "unread"
        assert "more than 64 deep" in problem.message


def joint(kind, parent, child, name="j"):
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        "</joint>"
    )


def links(names):
    return "".join(f'<link name="{name}"/>' for name in names)


HELD = {
    "free, jointed and fixed": (
        links("abcd")
        + joint("revolute", "a", "b")
        + joint("fixed", "b", "c")
        + joint("fixed", "world", "d"),
        {"a": (None, True), "b": ("revolute", True), "c": ("fixed", False), "d": ("fixed", False)},
    ),
    "static": ("<static>1</static>" + links("a"), {"a": (None, False)}),
    "a fixed joint whose child is the world": (
        links("a") + joint("fixed", "a", "world"),
        {"a": ("fixed", False)},
    ),
    "a gearbox moves nothing": (
        links("ab") + joint("fixed", "a", "b") + joint("gearbox", "a", "b"),
        {"a": (None, True), "b": ("fixed", False)},
    ),
    "a hinge beside a weld moves": (
        links("ab") + joint("fixed", "a", "b") + joint("revolute", "a", "b"),
        {"a": (None, True), "b": ("revolute", True)},
    ),
    "through frames and nested models": (
        links("a") + '<frame name="f" attached_to="g"/><frame name="g" attached_to="a"/>'
        f'<model name="n" canonical_link="y">{links("xy")}</model>'
        f'<model name="o">{links("z")}<frame name="f"/></model>'
        + joint("fixed", "world", "f")
        + joint("revolute", "a", "n")
        + joint("prismatic", "a", "n::x")
        + joint("screw", "a", "o::f"),
        {
            "a": ("fixed", False),
            "n::x": ("prismatic", True),
            "n::y": ("revolute", True),
            "o::z": ("screw", True),
        },
    ),
    "frames in a circle": (
        links("a") + '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'
        + joint("fixed", "world", "f"),
        {"a": (None, True)},
    ),
}  # fmt: skip


class TestWhoHoldsALink:
    @pytest.mark.parametrize(("inside", "expected"), HELD.values(), ids=HELD)
    def test_what_ties_a_link_and_whether_it_moves(self, inside, expected):
        bodies = model(inside).bodies
        assert {b.name.partition("::")[2]: (b.joint, b.moved) for b in bodies} == expected

    def test_joints_of_the_world(self):
        document = sdf(
            f'<world name="w"><model name="m"><link name="l"/></model>'
            f"{joint('fixed', 'world', 'm::l')}</world>"
        )
        assert only_body(document).joint == "fixed"

    def test_rules_speak_of_free_links(self):
        empty = "<mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"
        free, point = model(link(empty)), model(link(empty.replace("0", "1", 1)))
        held = model(f"<static>1</static>{link(empty)}")
        assert codes(free) == ["IC103"]
        assert ic.check_model(free).findings[0].message.startswith("nothing holds this body")
        assert codes(point) == ["IC303"]
        assert codes(held) == []


def matrix(p_PoBo_P, R_PB):
    X_PB = np.eye(4)
    X_PB[:3, :3], X_PB[:3, 3] = R_PB, p_PoBo_P
    return X_PB


def placed(text):
    """The pose of x y z roll pitch yaw."""
    numbers = [float(word) for word in text.split()]
    return matrix(numbers[:3], Rotation.from_euler("xyz", numbers[3:]).as_matrix())


A, B, C, M = ("1 2 3 0.1 0.2 0.3", "0.1 0.2 0.3 0.4 -0.5 0.6", "-3 1 2 1 -0.5 2", "5 0 1 0.3 0 1.5")


def at(pose, base=None, attributes=""):
    named = "" if base is None else f'relative_to="{base}"'
    return f"<pose {named} {attributes}>{pose}</pose>"


def tied(child, tag="a", more=""):
    """A link, what holds another, and the joint that ties them."""
    return f'<link name="{tag}">{at(A)}</link>{child}{more}' + joint("fixed", tag, "b")


class TestWhereALinkIsFixed:
    """Drake's cross-checks hold the same for whole graphs."""

    def place(self, inside, attributes='name="m"'):
        (body,) = (b for b in model(inside, attributes).bodies if b.joint == "fixed")
        return None if body.X_PB is None else matrix(*body.X_PB)

    def test_in_the_frame_of_the_link_that_holds_it(self):
        document = model(tied(f'<link name="b">{at(B)}</link>'))
        a, b = document.bodies
        assert (a.parent, b.parent) == (None, a.id)
        expected = np.linalg.inv(placed(A)) @ placed(B)
        np.testing.assert_allclose(matrix(*b.X_PB), expected, atol=1e-14)

    @pytest.mark.parametrize(
        ("pose", "more", "expected"),
        [
            (at(B, "a"), "", placed(B)),
            (at(B, ""), "", np.linalg.inv(placed(A)) @ placed(B)),
            (at(B, "__model__"), "", np.linalg.inv(placed(A)) @ placed(B)),
            ("", "", np.linalg.inv(placed(A))),
            ("<pose/>", "", np.linalg.inv(placed(A))),
            (at(B, "f"), f'<frame name="f" attached_to="a">{at(C)}</frame>', placed(C) @ placed(B)),
            (
                at(B, "f"),
                f'<frame name="f">{at(C)}</frame>',
                np.linalg.inv(placed(A)) @ placed(C) @ placed(B),
            ),
            (
                at(B, "k"),
                joint("ball", "world", "a", "k").replace("<parent>", f"{at(C)}<parent>"),
                placed(C) @ placed(B),
            ),
            (
                at(B, "n::y"),
                f'<model name="n">{at(C, "a")}<link name="y">{at(M)}</link></model>',
                placed(C) @ placed(M) @ placed(B),
            ),
            (at("0 0 1 0 0 90", "a", 'degrees="true"'), "", placed(f"0 0 1 0 0 {math.pi / 2}")),
            (
                at("0 0 1 0 0 3 3", "a", 'rotation_format="quat_xyzw"'),
                "",
                placed(f"0 0 1 0 0 {math.pi / 2}"),
            ),
        ],
    )
    def test_relative_to_what_its_pose_names(self, pose, more, expected):
        found = self.place(tied(f'<link name="b">{pose}</link>', more=more))
        np.testing.assert_allclose(found, expected, atol=1e-14)

    def test_through_the_poses_of_nested_models(self):
        inside = (
            f'<link name="a">{at(A)}</link>'
            f'<model name="n">{at(B)}<link name="b">{at(C)}</link></model>'
        )
        found = self.place(inside + joint("fixed", "a", "n::b"))
        expected = np.linalg.inv(placed(A)) @ placed(B) @ placed(C)
        np.testing.assert_allclose(found, expected, atol=1e-14)

    def test_of_models_of_a_world(self):
        first, second = (
            f'<model name="{name}">{at(pose)}<link name="l"/></model>'
            for name, pose in (("m", M), ("n", C))
        )
        weld = joint("fixed", "m::l", "n::l")
        document = sdf(f'<world name="w">{first}{second}{weld}</world>')
        expected = np.linalg.inv(placed(M)) @ placed(C)
        np.testing.assert_allclose(matrix(*document.bodies[1].X_PB), expected, atol=1e-14)

    def test_wherever_the_model_stands_to_the_last_digit(self):
        inside = tied(f'<link name="b">{at(B)}</link>')
        near, far = self.place(inside), self.place(at("1e9 0 0 0 0 1") + inside)
        assert np.array_equal(near, far)

    def test_to_the_world_is_to_no_body(self):
        for ends in (("world", "b"), ("b", "world")):
            (body,) = model(f'<link name="b">{at(B)}</link>' + joint("fixed", *ends)).bodies
            assert (body.joint, body.parent, body.X_PB) == ("fixed", None, None)

    def test_one_that_moves_stands_where_its_joint_is_at_zero(self):
        links = f'<link name="a">{at(A)}</link><link name="b">{at(B)}</link>'
        a, b = model(links + joint("revolute", "a", "b")).bodies
        assert b.parent == a.id
        expected = np.linalg.inv(placed(A)) @ placed(B)
        np.testing.assert_allclose(matrix(*b.X_PB), expected, atol=1e-14)

    @pytest.mark.parametrize(
        "pose",
        [
            at("1 2 3"),
            at("1 2 3 0 0 x"),
            at("1 2 3 0 0 inf"),
            at("1 2 3 0 0 0 0", attributes='rotation_format="quat_xyzw"'),
            at("1 2 3 0 0 0 1", attributes='rotation_format="quat_wxyz"'),
            at(B, attributes='frame="a"'),
            at(B, "nothing"),
            at(B, "b"),
            at(B, "f"),
        ],
    )
    def test_a_place_that_cannot_be_read_is_unknown_and_no_finding(self, pose):
        circle = '<frame name="f" attached_to="g"/><frame name="g" attached_to="b"/>'
        inertial = f"<inertial>{GOOD}</inertial>"
        document = model(tied(f'<link name="b">{pose}{inertial}</link>', more=circle))
        assert document.bodies[1].parent == document.bodies[0].id
        assert document.bodies[1].X_PB is None
        assert (document.problems, document.bodies[1].problems) == ((), ())

    def test_what_cannot_be_told_does_not_spread_to_what_can(self):
        links = f'<link name="a"><pose>junk</pose></link><link name="b">{at(B, "a")}</link>'
        found = self.place(links + joint("fixed", "a", "b"))
        np.testing.assert_allclose(found, placed(B), atol=1e-15)

    def test_a_model_that_is_placed_by_another_frame_is_somewhere(self):
        nested = (
            '<model name="n" placement_frame="b"><link name="b"/><link name="c"/>'
            f"{joint('fixed', 'b', 'c')}</model>"
        )
        document = model('<link name="a"/>' + nested + joint("fixed", "a", "n::b"))
        known = {body.name: body.X_PB is not None for body in document.bodies}
        assert known == {"m::a": False, "m::n::b": False, "m::n::c": True}

    def test_links_of_one_name_have_no_place_and_joints_may_have_theirs(self):
        links = '<link name="a"/><link name="b"/><link name="b"/>'
        bodies = model(links + joint("fixed", "a", "b")).bodies
        assert [body.X_PB for body in bodies] == [None, None, None]
        links = f'<link name="a">{at(A)}</link><link name="b">{at(B)}</link>'
        found = self.place(links + joint("fixed", "a", "b", name="b"))
        np.testing.assert_allclose(found, np.linalg.inv(placed(A)) @ placed(B), atol=1e-14)

    def test_a_chain_of_any_length_takes_linear_time(self):
        count = 5000
        links = "".join(
            f'<link name="{i}">{at("0 0 1 0 0 0", i - 1)}</link>' for i in range(1, count)
        )
        joints = "".join(joint("fixed", "0", f"{i}", f"j{i}") for i in range(1, count))
        bodies = model('<link name="0"/>' + links + joints).bodies
        assert bodies[-1].X_PB.p_PoBo_P == (0, 0, count - 1)


class TestVersions:
    @pytest.mark.parametrize("minor", range(2, 13))
    def test_known(self, minor):
        assert sdf('<model name="m"/>', f"1.{minor}").problems == ()

    @pytest.mark.parametrize("version", ["1.0", "1.13", "100", "2.0", "", "latest", "1.9.1", "1."])
    def test_unknown_versions_are_said_and_read(self, version):
        document = sdf(f'<model name="m">{link(GOOD)}</model>', version)
        assert len(document.bodies) == 1
        (problem,) = document.problems
        assert (problem.kind, "1.2 to 1.12" in problem.message) == ("repair", True)

    def test_no_version_and_the_old_root(self):
        (problem,) = load(b'<sdf><model name="m"/></sdf>').problems
        assert "names no version" in problem.message
        text = f'<gazebo version="1.2"><model name="m">{link(GOOD)}</model></gazebo>'
        document = load(text.encode())
        assert len(document.bodies) == 1
        (problem,) = document.problems
        assert problem.misreadings[0].parsers == ("sdformat",)


class TestWhatIsAnSdf:
    def test_content_decides(self, tmp_path):
        path = tmp_path / "robot.urdf"
        path.write_text('<!-- --><sdf version="1.9"/>')
        assert load(path).format == "sdf"
        assert sniff(b"<sdf/>") == sniff(b"<gazebo/>") == "sdf"

    def test_a_bare_model_is_none_and_a_document_without_links_is_clean(self):
        """libsdformat refuses it; and model.config has the same root."""
        with pytest.raises(NotAModelError):
            load(b'<model name="m"><link name="l"/></model>')
        with pytest.raises(NotAModelError, match="an SDF's is <sdf>"):
            load(b"<model/>", format="sdf")
        for text in (b'<sdf version="1.9"/>', b'<sdf version="1.9"><world name="w"/></sdf>'):
            assert ic.check_model(text).findings == ()

    def test_values_without_quotes_are_read_as_gazebo_once_did(self):
        document = load(b"<sdf version=1.5><model name=m><link name='l'/></model></sdf>")
        assert [body.name for body in document.bodies] == ["m::l"]
        assert {problem.kind for problem in document.problems} == {"repair"}
