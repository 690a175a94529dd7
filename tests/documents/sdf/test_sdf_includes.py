"""What <include> brings in, where its bodies stand, and what is said where it brings nothing."""

import re
import time

import pytest

import inertial_check as ic
from inertial_check.checking.settings import Settings
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.sdf import includes
from inertial_check.programs.cli.main import main

SOUND = "<ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz>"
BROKEN = "<ixx>0.10</ixx><iyy> 0.10 </iyy><izz>0.213</izz>"


def link(name="l", entries=SOUND):
    inertial = f"<inertial><mass>1</mass><inertia>{entries}</inertia></inertial>"
    return f'<link name="{name}">{inertial}</link>'


def sdf(inside, version="1.9"):
    return f'<sdf version="{version}">{inside}</sdf>\n'


def include(uri, more="", attributes=""):
    return f"<include{attributes}><uri>{uri}</uri>{more}</include>"


def config(*files):
    entries = "".join(f'<sdf version="{version}">{file}</sdf>' for version, file in files)
    return f'<?xml version="1.0"?>\n<model><name>n</name>{entries}</model>'


@pytest.fixture
def tree(tmp_path):
    """tree({"path": text, ...}) -> the folder that holds these files."""

    def make(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return make


def names(model):
    return [body.name for body in model.bodies]


def said(model):
    """The one problem of kind reference or unread."""
    (problem,) = model.problems
    assert problem.kind in ("reference", "unread")
    plain = Settings(ignore=("IC2", "IC5", "IC6"))
    assert [f.code for f in ic.check_model(model, plain).findings] == ["IC003"]
    return problem.message


class TestWhere:
    def test_beside_the_document(self, tree):
        folder = tree(
            {
                "w.world": sdf(include("arm.sdf")),
                "arm.sdf": sdf(f'<model name="arm">{link()}</model>'),
            }
        )
        model = load(folder / "w.world")
        assert names(model) == ["arm::l"]
        assert model.problems == ()
        (body,) = ic.check_model(model).bodies
        assert (body.file, body.line) == (str(folder / "arm.sdf"), 1)
        assert model.others[0].text(body_span(model)) == "0.1"

    def test_by_the_model_config_of_a_folder(self, tree):
        arm = sdf(f'<model name="arm">{link()}</model>')
        folder = tree(
            {
                "w.world": sdf(f'<world name="w">{include("model://arm")}{include("arm")}</world>'),
                "arm/model.config": config(("1.9", "arm.sdf")),
                "arm/arm.sdf": arm,
            }
        )
        assert names(load(folder / "w.world")) == ["arm::l", "arm::l"]

    @pytest.mark.parametrize(
        ("files", "expected"),
        [
            ([("1.4", "a.sdf"), ("1.9", "b.sdf"), ("1.10", "c.sdf")], "c"),
            ([("1.10", "a.sdf"), ("1.9", "b.sdf"), ("1.4", "c.sdf")], "a"),
            ([("1.4", "a.sdf"), ("1.13", "b.sdf"), ("2.0", "c.sdf")], "a"),
            ([("1.13", "b.sdf")], "b"),
            ([("", "c.sdf")], "c"),
        ],
    )
    def test_the_best_version(self, tree, files, expected):
        """1.10 is newer than 1.9; what is newer than all that is known is the last resort."""
        folder = tree(
            {
                "w.sdf": sdf(include("model://m")),
                "m/model.config": config(*files),
                **{
                    f"m/{name}.sdf": sdf(f'<model name="{name}">{link()}</model>') for name in "abc"
                },
            }
        )
        assert names(load(folder / "w.sdf")) == [f"{expected}::l"]

    def test_on_a_package_path(self, tree):
        folder = tree(
            {
                "worlds/w.sdf": sdf(
                    include("model://m") + include("m") + include("model://m/m.sdf")
                ),
                "elsewhere/model.config": config(("1.9", "m.sdf")),
                "elsewhere/m.sdf": sdf(f'<model name="m">{link()}</model>'),
            }
        )
        path = folder / "worlds" / "w.sdf"
        assert len(load(path).problems) == 3
        context = Context(packages={"m": str(folder / "elsewhere")})
        found = load(path, context=context)
        assert (names(found), found.problems) == (["m::l"] * 3, ())

    def test_in_a_folder_above(self, tree):
        folder = tree(
            {
                "models/hand/model.config": config(("1.9", "hand.sdf")),
                "models/hand/hand.sdf": sdf(
                    f'<model name="hand">{include("model://finger")}</model>'
                ),
                "models/finger/model.config": config(("1.9", "finger.sdf")),
                "models/finger/finger.sdf": sdf(f'<model name="finger">{link()}</model>'),
                "w.sdf": sdf(include("models/hand")),
            }
        )
        assert names(load(folder / "w.sdf")) == ["hand::finger::l"]

    def test_not_without_a_file(self):
        message = said(load(sdf(include("arm.sdf")).encode()))
        assert "read from no file" in message


def body_span(model):
    return model.bodies[0].inertial.I_BBcm_Bi["ixx"].span


class TestWhat:
    def included(self, tree, include_text, inside=None):
        inside = (
            link("a") + '<model name="n"><link name="b"/></model>' if inside is None else inside
        )
        folder = tree(
            {
                "w.sdf": sdf(f'<model name="top"><link name="z"/>{include_text}</model>'),
                "m.sdf": sdf(f'<model name="m">{inside}</model>'),
            }
        )
        return load(folder / "w.sdf")

    def test_its_own_name_unless_it_is_merged(self, tree):
        model = self.included(tree, include("m.sdf"))
        assert names(model) == ["top::z", "top::m::a", "top::m::n::b"]
        assert model.bodies[1].id == "/sdf/model[@name='top']/include[1]/model/link[@name='a']"
        model = self.included(tree, include("m.sdf", attributes=' merge="true"'))
        assert names(model) == ["top::z", "top::a", "top::n::b"]

    def test_another_name(self, tree):
        twice = include("m.sdf", "<name>left</name>") + include("m.sdf", "<name>right</name>")
        model = self.included(tree, twice)
        assert names(model)[1:] == [
            f"top::{side}::{name}" for side in ("left", "right") for name in ("a", "n::b")
        ]
        assert len({body.id for body in model.bodies}) == 5
        assert len(model.others) == 1

    def test_pose_and_placement_leave_the_inertia(self, tree):
        moved = include("m.sdf", "<pose>1 2 3 1 1 1</pose><placement_frame>a</placement_frame>")
        inertial = self.included(tree, moved).bodies[1].inertial
        assert [number.value for number in inertial.p_BoBcm_B] == [0, 0, 0]
        assert inertial.R_BBi == ((1, 0, 0), (0, 1, 0), (0, 0, 1))

    def test_static_is_overridden(self, tree):
        static = self.included(tree, include("m.sdf", "<static>true</static>"))
        assert [body.moved for body in static.bodies] == [True, False, False]
        free = self.included(
            tree, include("m.sdf", "<static>false</static>"), "<static>1</static>" + link()
        )
        assert [body.moved for body in free.bodies] == [True, True]

    def test_joints_reach_into_it(self, tree):
        joint = '<joint name="j" type="fixed"><parent>z</parent><child>m</child></joint>'
        model = self.included(tree, include("m.sdf") + joint)
        assert [body.joint for body in model.bodies] == [None, "fixed", None]

    def test_changes_to_it_are_not_made_and_said(self, tree):
        params = '<experimental:params xmlns:experimental="x"/>'
        model = self.included(tree, include("m.sdf", params))
        assert len(model.bodies) == 3
        (problem,) = model.problems
        assert (problem.kind, "not made here" in problem.message) == ("reference", True)

    def test_problems_of_an_included_document_have_its_place(self, tree):
        folder = tree(
            {
                "w.sdf": sdf(include("m.sdf")),
                "m.sdf": '<!-- --><?xml version="1.0"?>' + sdf('<model name="m"/>', "7"),
            }
        )
        report = ic.check_model(folder / "w.sdf")
        assert [f.code for f in report.findings] == ["IC002", "IC002"]
        assert {f.place.path for f in report.findings} == {str(folder / "m.sdf")}

    def test_problems_of_a_document_that_is_included_often_are_said_once(self, tree):
        again = "".join(include("m.sdf", f"<name>{k}</name>") for k in range(5))
        model = self.included(tree, again, include("absent.sdf") + link())
        assert (len(model.bodies), len(model.problems)) == (6, 1)

    def test_lights_bring_no_links(self, tree):
        folder = tree({"w.sdf": sdf(include("m.sdf")), "m.sdf": sdf('<light name="m"/>')})
        assert load(folder / "w.sdf").problems == ()


class TestPlaces:
    """Where a link of an included model is fixed to a link of the one that includes it."""

    @pytest.mark.parametrize(
        ("more", "attributes", "x"),
        [
            ("", "", 3),
            ("<pose>4 0 0 0 0 0</pose>", "", 4),
            ('<pose relative_to="a">4 0 0 0 0 0</pose>', "", 14),
            ("<pose>4 0 0 0 0 0</pose>", ' merge="true"', 4),
            ("<pose>4 0 0 0 0 0</pose><placement_frame>l</placement_frame>", "", None),
        ],
    )
    def test_an_include_places_its_model(self, tree, more, attributes, x):
        weld = (
            '<joint name="{0}" type="fixed"><parent>{1}</parent><child>{2}</child></joint>'.format
        )
        part = f"<pose>3 0 0 0 0 0</pose>{link()}{link('k')}{weld('w', 'l', 'k')}"
        link_a = '<link name="a"><pose>10 0 0 0 0 0</pose></link>'
        scope = "" if attributes else "arm::"
        outer = link_a + include("arm.sdf", more, attributes) + weld("v", "a", f"{scope}l")
        folder = tree(
            {
                "m.sdf": sdf(f'<model name="m">{outer}</model>'),
                "arm.sdf": sdf(f'<model name="arm">{part}</model>'),
            }
        )
        base, first, second = load(folder / "m.sdf").bodies
        assert (first.parent, second.parent) == (base.id, first.id)
        assert second.X_PB.p_PoBo_P == (0, 0, 0)
        place = None if first.X_PB is None else first.X_PB.p_PoBo_P
        assert place == (None if x is None else (x - 10, 0, 0))


class TestNothing:
    @pytest.mark.parametrize(
        ("files", "uri", "reason"),
        [
            ({}, "absent.sdf", "no such file"),
            ({}, "model://absent", "name it with --package-path absent=DIR"),
            ({}, "absent", "--package-path absent=DIR"),
            ({}, "https://fuel.gazebosim.org/1.0/x/models/y", "https:// is not fetched"),
            ({}, "", "names no <uri>"),
            ({}, "a&#0;b", None),
            ({"m/model.sdf": "<sdf/>"}, "model://m", "not a file"),
            ({"m/model.config": "<model/>"}, "model://m", "names no SDF"),
            ({"m/model.config": config(("1.9", "x.sdf"))}, "model://m", "names 'x.sdf'"),
            ({"m/model.config": "<model><sdf version='1.9'>"}, "model://m", "ends inside <sdf>"),
            ({"m.sdf": ""}, "m.sdf", "is empty"),
            ({"m.sdf": "<sdf><model>"}, "m.sdf", "ends inside <model>"),
            ({"m.sdf": "\0\1\2"}, "m.sdf", "m.sdf"),
            ({"m.sdf": "<sdf version='1.9'><world name='w'/></sdf>"}, "m.sdf", "holds no <model>"),
            ({"m.sdf": "<robot name='r'/>"}, "m.sdf", "check it by itself"),
            ({"m.sdf": "<model name='m'/>"}, "m.sdf", "an SDF's is <sdf>"),
        ],
    )
    def test_the_reason_is_said_and_the_rest_is_read(self, tree, files, uri, reason):
        files = {**files, "w.sdf": sdf(f'<model name="m">{include(uri)}{link()}</model>')}
        model = load(tree(files) / "w.sdf")
        assert names(model) == ["m::l"]
        if reason is not None:
            message = said_among(model)
            assert "its links are not checked" in message
            assert reason in message

    def test_a_circle(self, tree):
        folder = tree(
            {
                "a.sdf": sdf(f'<model name="a">{include("b.sdf")}{link()}</model>'),
                "b.sdf": sdf(f'<model name="b">{include("a.sdf")}{link()}</model>'),
                "c.sdf": sdf(f'<model name="c">{include("c.sdf")}{link()}</model>'),
            }
        )
        model = load(folder / "a.sdf")
        assert names(model) == ["a::b::l", "a::l"]
        assert "a.sdf -> " in said(model)
        assert "it includes itself" in said(load(folder / "c.sdf"))

    def test_a_bomb_of_includes_is_bounded(self, tree, monkeypatch):
        """Each file includes the next ten times: 10^12 links, were they read."""
        monkeypatch.setattr(includes, "_MOST_INCLUDES", 500)
        files = {
            f"{k}.sdf": sdf(f'<model name="m">{include(f"{k + 1}.sdf") * 10}{link()}</model>')
            for k in range(12)
        }
        files["12.sdf"] = sdf(f'<model name="m">{link()}</model>')
        start = time.perf_counter()
        model = load(tree(files) / "0.sdf")
        assert len(model.bodies) <= 501
        assert any("more than 500 includes" in problem.message for problem in model.problems)
        assert time.perf_counter() - start < 20

    def test_a_large_file_included_often_is_bounded(self, tree, monkeypatch):
        monkeypatch.setattr(includes, "_MOST_ELEMENTS", 1000)
        folder = tree(
            {
                "w.sdf": sdf(f'<model name="m">{include("big.sdf") * 50}</model>'),
                "big.sdf": sdf(f'<model name="big">{link() * 100}</model>'),
            }
        )
        model = load(folder / "w.sdf")
        assert len(model.bodies) == 1000
        assert "more than 1000 elements" in model.problems[0].message


def said_among(model):
    """The message of the problem of kind reference or unread."""
    (message,) = [p.message for p in model.problems if p.kind in ("reference", "unread")]
    return message


class TestFix:
    def files(self):
        return {
            "w.sdf": sdf(include("m.sdf") + include("m.sdf", "<name>n</name>")),
            "m.sdf": sdf(f'<model name="m">\n{link("l", BROKEN)}\n</model>'),
        }

    def test_the_numbers_change_where_they_stand_for_all_bodies_that_have_them(self, tree):
        folder = tree(self.files())
        before = (folder / "m.sdf").read_text()
        fix = ic.fix_model(folder / "w.sdf")
        assert [result.status for result in fix.bodies] == ["fixed", "fixed"]
        assert fix.data == fix.source.data
        assert fix.diff().count("+++") == 1
        fix.write()
        after = (folder / "m.sdf").read_text()
        assert after != before
        assert (folder / "w.sdf").read_text() == self.files()["w.sdf"]
        assert strip_digits(after) == strip_digits(before)
        again = ic.fix_model(folder / "w.sdf")
        assert (again.changed, again.complete) == (False, True)
        fix = ic.fix_model(tree(self.files()) / "w.sdf", bodies=["n::l"])
        found = [(result.name, result.status) for result in fix.bodies]
        assert found == [("m::l", "fixed"), ("n::l", "fixed")]

    def test_on_the_command_line(self, tree, capsys, monkeypatch):
        folder = tree(
            {
                "w.sdf": sdf(include("model://m")),
                "far/model.config": config(("1.9", "m.sdf")),
                "far/m.sdf": self.files()["m.sdf"],
            }
        )
        monkeypatch.chdir(folder)
        argv = ["w.sdf", "--package-path", "m=far"]
        assert main(["check", *argv, "-q"]) == 1
        assert "far/m.sdf:2:" in capsys.readouterr().out
        assert main(["fix", *argv, "-o", "new.sdf"]) == 2
        assert "the numbers are in far/m.sdf" in capsys.readouterr().err
        assert main(["fix", *argv, "--write"]) == 0
        assert main(["check", *argv, "-q"]) == 0
        assert main(["check", "w.sdf", "-q", "--fail-on", "warning"]) == 1
        assert main(["check", "w.sdf", "--package-path", "m"]) == 2
        assert main(["fix", "w.sdf", "--package-path", "m=absent"]) == 2


def strip_digits(text):
    """The text without what stands in the elements of an inertia."""
    return re.sub(r"(<i[xyz]{2}>\s*)[^<\s]*", r"\1", text)
