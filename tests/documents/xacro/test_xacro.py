"""xacro: what it expands to, and where each number was written."""

import contextlib
import copy
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.documents import xacro
from inertial_check.documents.context import Context
from inertial_check.documents.load import load, sniff
from inertial_check.documents.model import judge
from inertial_check.documents.source import Source
from inertial_check.documents.xacro.expressions import Traced
from inertial_check.documents.xacro.reading import ExpansionLimits, XacroServer, _request, expand
from inertial_check.errors import MissingExtraError, NotAModelError, NotExpandedError
from waiting import GUARD
from written_numbers import assert_literals_are_the_sources, named

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
INERTIAL = """<inertial><origin xyz="0 0 {z}"/><mass value="{mass}"/>
<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial>"""
NUMBERS = {"z": "0.1", "mass": "1.5", "ixx": "0.01", "iyy": "0.02", "izz": "0.025"}


def inertial(**numbers):
    return INERTIAL.format(**{**NUMBERS, **numbers})


def robot(*parts):
    return "\n".join([HEAD, *parts, "</robot>\n"])


def link(name="body", **numbers):
    return f'<link name="{name}">{inertial(**numbers)}</link>'


@pytest.fixture
def files(tmp_path):
    """Writes files into an empty folder; returns the path of the first."""

    def write(**texts):
        paths = [tmp_path / name.replace("__", ".") for name in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(paths[0])

    return write


def read(text, **context):
    return load(text.encode(), path="arm.xacro", context=Context(**context))


def where(model, number):
    """The file, the line and the text at which a number is said to stand."""
    place = model.place(number.span)
    path = os.path.basename(place.path) if place.path else None
    return path, place.line, model.source_of(number.span).text(number.span)


class TestSniffing:
    @pytest.mark.parametrize(
        "inside",
        [
            '<xacro:property name="m" value="1"/><link name="a"/>',
            '<link name="a"><xacro:if value="1"/></link>',
            '<xacro:include filename="b.xacro"/>',
            "<xacro:arm/>",
            '<link name="${prefix}base"/>',
        ],
    )
    def test_by_the_words_of_xacro(self, inside):
        text = robot(inside)
        assert sniff(text.encode()) == sniff(text.encode("utf-16")) == "xacro"

    @pytest.mark.parametrize(
        "inside",
        [
            '<!-- <xacro:if value="1"/> --><link name="a"/>',
            '<link name="a"/><xacro:left_over/>',
            '<link name="a"/><!-- ${x} -->',
            '<link name="a"/><joint name="j"><origin rpy="$(optenv IMU_RPY 0 0 0)"/></joint>',
            '<link name="a"><![CDATA[<xacro:if>]]></link>',
        ],
    )
    def test_what_xacro_leaves_behind_is_a_urdf(self, inside):
        assert sniff(robot(inside).encode()) == "urdf"

    @pytest.mark.parametrize("unit", ["<!--", "<![CDATA[", 'xmlns:xacro="', "= ", '="${ '])
    def test_hostile_documents_are_told_soon(self, unit):
        started = time.monotonic()
        sniff(robot(unit * (10**6 // len(unit))).encode())
        assert time.monotonic() - started < GUARD

    def test_another_root_is_no_robot(self):
        assert sniff(b'<launch xmlns:xacro="u"><xacro:arg name="a" default=""/></launch>') is None


M2 = '<xacro:property name="m" value="2"/>'
WRITTEN = {
    "in the text": (
        ['<xacro:if value="1">', link(), "</xacro:if>"],
        {"izz": (4, "0.025"), "z": (3, "0.1"), "mass": (3, "1.5")},
    ),
    "a property of a property": (
        [
            '<xacro:property name="m" value="1.50"/>',
            '<xacro:property name="mass" value="${m}"/>',
            link(mass="${mass}"),
        ],
        {"mass": (2, "1.50")},
    ),
    **{
        expression: ([M2, link(mass=expression)], {"mass": (3, expression)})
        for expression in (
            *("${m * 2}", "${-m}", "1${m}", "${m}e-1", "${float(m)}", "${pi}", "${[m * 1][0]}"),
        )
    },
    "a computed property": (
        [
            '<xacro:property name="r" value="0.5"/>',
            '<xacro:property name="i" value="${0.4 * r**2}"/>',
            link(ixx="${i}", iyy="${i}", izz="${r}"),
        ],
        {"ixx": (3, "${0.4 * r**2}"), "izz": (2, "0.5")},
    ),
    "words of one attribute": (
        [
            '<xacro:property name="xyz" value="0.25  ${y} 0.75"/>',
            '<xacro:property name="y" value="0.5"/>',
            link().replace("0 0 0.1", "${xyz}"),
        ],
        {"x": (2, "0.25"), "y": (3, "0.5"), "z": (2, "0.75")},
    ),
    "scopes, lazy and eager evaluation": (
        [
            '<xacro:property name="a" value="0.01"/>',
            '<xacro:property name="lazy" value="${a}"/>',
            '<xacro:property name="eager" value="${a}" lazy_eval="false"/>',
            '<xacro:property name="a" value="0.0125"/>',
            '<xacro:macro name="set" params="">',
            '<xacro:property name="up" value="0.015" scope="parent"/>',
            '<xacro:property name="top" value="${0.016}" scope="global"/>',
            "</xacro:macro>",
            "<xacro:set/>",
            '<xacro:property name="a" default="9"/>',
            link("a", ixx="${lazy}", iyy="${eager}", izz="${up}", mass="${top}"),
        ],
        {"ixx": (5, "0.0125"), "iyy": (2, "0.01"), "izz": (7, "0.015"), "mass": (8, "0.016")},
    ),
}
"""Parts of a robot, and the line and the text at which numbers of its link were written."""


class TestPlaces:
    @pytest.mark.parametrize(("parts", "expected"), WRITTEN.values(), ids=WRITTEN)
    def test_a_number_is_followed_to_where_it_was_written(self, parts, expected):
        model = read(robot(*parts))
        assert model.format == "xacro"
        numbers = named(model.bodies[0])
        for role, (line, text) in expected.items():
            assert where(model, numbers[role]) == (None, line, text)
            assert numbers[role].literal == ("${" not in text)
        assert_literals_are_the_sources(model)

    def test_a_macro_parameter_is_followed_to_the_call_through_nested_macros(self):
        text = robot(
            '<xacro:macro name="inner" params="name ixx mass:=3.5 iyy:=^">',
            link("${name}_link", mass="${mass}", ixx="${ixx}", iyy="${iyy}"),
            "</xacro:macro>",
            '<xacro:macro name="outer" params="side iyy izz">',
            '<xacro:inner name="${side}" ixx="0.0125"/>',
            "</xacro:macro>",
            '<xacro:outer side="left" iyy="0.013" izz="0"/>',
            '<xacro:outer side="right" iyy=" 1.4e-2 " izz="0"/>',
        )
        model = read(text)
        left, right = map(named, model.bodies)
        assert [body.name for body in model.bodies] == ["left_link", "right_link"]
        assert where(model, left["iyy"]) == (None, 9, "0.013")
        assert where(model, right["iyy"]) == (None, 10, "1.4e-2")
        assert where(model, left["ixx"]) == where(model, right["ixx"]) == (None, 7, "0.0125")
        assert where(model, left["mass"]) == (None, 2, "3.5")
        assert model.place(model.bodies[0].span).line == 3
        assert_literals_are_the_sources(model)

    def test_an_included_file_and_a_namespace(self, files):
        path = files(
            arm__xacro=robot(
                '<xacro:include filename="parts.xacro" ns="parts"/>',
                '<xacro:parts.part name="a" mass="2.25"/>',
            ),
            parts__xacro=robot(
                '<xacro:property name="ixx" value="0.011"/>',
                '<xacro:macro name="part" params="name mass">',
                link("${name}", mass="${mass}", ixx="${ixx}"),
                "</xacro:macro>",
            ),
        )
        model = load(path)
        numbers = named(model.bodies[0])
        assert where(model, numbers["mass"]) == (None, 3, "2.25")
        assert where(model, numbers["ixx"]) == ("parts.xacro", 2, "0.011")
        assert where(model, numbers["izz"]) == ("parts.xacro", 5, "0.025")
        assert_literals_are_the_sources(model)

    YAML = (
        "# masses [kg]\n"
        "defaults: &defaults {ixx: 0.01, iyy: 0.02}\n"
        "arm:\r\n"
        "  mass: 1.50   # weighed\n"
        "  quoted: &q '0.025'\n"
        "  turned: !degrees 30\n"
        "  scientific: 12e-3\n"
        "  com: [0.1, 0.2, 0.30]\n"
        "  <<: *defaults\n"
    )

    def test_yaml_values_are_followed_to_their_keys(self, files):
        path = files(
            arm__xacro=robot(
                '<xacro:property name="c" value="${xacro.load_yaml(\'c.yaml\')}"/>',
                '<xacro:property name="arm" value="${c[\'arm\']}"/>',
                link(
                    mass="${arm.mass}",
                    ixx="${arm['ixx']}",
                    iyy="${arm['scientific']}",
                    izz="${arm.quoted}",
                    z="${arm.com[2]}",
                ),
                link("turned", z="${arm.turned}"),
            ),
            c__yaml=self.YAML,
        )
        model = load(path)
        numbers, turned = map(named, model.bodies)
        assert where(model, numbers["mass"]) == ("c.yaml", 4, "1.50")
        assert where(model, numbers["ixx"]) == ("c.yaml", 2, "0.01")
        assert where(model, numbers["iyy"]) == ("c.yaml", 7, "12e-3")
        assert where(model, numbers["izz"]) == ("c.yaml", 5, "0.025")
        assert where(model, numbers["z"]) == ("c.yaml", 8, "0.30")
        assert all(number.literal for number in numbers.values())
        assert not turned["z"].literal  # it has a unit
        assert where(model, turned["z"])[:2] == ("c.yaml", 6)
        assert_literals_are_the_sources(model)

    def test_blocks_arguments_and_choices(self):
        text = robot(
            '<xacro:arg name="m" default="2.5"/>',
            '<xacro:property name="heavy" value="true"/>',
            '<xacro:property name="shared">',
            inertial(mass="${5.5 if heavy else 1}", ixx="${max(0.0, 0.012)}"),
            "</xacro:property>",
            '<xacro:macro name="one" params="name *origin **rest">',
            '<link name="${name}"><inertial><xacro:insert_block name="origin"/>',
            '<xacro:insert_block name="rest"/></inertial></link>',
            "</xacro:macro>",
            '<xacro:one name="a"><origin xyz="0 0 0.75"/>',
            '<rest><mass value="$(arg m)"/>',
            '<inertia ixx="${0.01}" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></rest>',
            "</xacro:one>",
            '<link name="b"><xacro:insert_block name="shared"/></link>',
        )
        model = read(text)
        a, b = map(named, model.bodies)
        assert where(model, a["z"]) == (None, 12, "0.75")
        assert where(model, a["mass"]) == (None, 2, "2.5")
        assert where(model, a["ixx"]) == (None, 14, "0.01")
        assert where(model, b["mass"]) == (None, 5, "${5.5 if heavy else 1}")
        assert not b["mass"].literal
        assert not b["ixx"].literal
        assert_literals_are_the_sources(model)

    def test_an_argument_of_the_command_line_stands_where_it_is_asked_for(self):
        text = robot('<xacro:arg name="m" default="2.5"/>', link(mass="$(arg m)"))
        model = read(text, xacro_args={"m": "4"})
        mass = model.bodies[0].inertial.mass
        assert (mass.value, mass.literal) == (4.0, False)
        assert where(model, mass) == (None, 3, "$(arg m)")

    def test_elements_and_attributes_that_xacro_makes(self):
        text = robot(
            '<xacro:element xacro:name="link" name="a">',
            inertial().replace(
                '<mass value="1.5"/>', '<mass><xacro:attribute name="value" value="3"/></mass>'
            ),
            "</xacro:element>",
            '<xacro:macro name="m" params="name"><link name="${name}"/></xacro:macro>',
            '<xacro:call macro="m" name="b"/>',
        )
        model = read(text)
        assert [body.name for body in model.bodies] == ["a", "b"]
        assert where(model, model.bodies[0].inertial.mass) == (None, 3, "3")
        assert_literals_are_the_sources(model)

    def test_escaped_dollars_and_references_to_characters(self):
        text = robot(link("a$${b}", mass="&#49;.5"), link("c&amp;d", mass="${'2' + '.5'}"))
        model = read(text)
        assert [body.name for body in model.bodies] == ["a${b}", "c&d"]
        first, second = (body.inertial.mass for body in model.bodies)
        assert where(model, first) == (None, 2, "&#49;.5")
        assert not first.literal
        assert not second.literal

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
    def test_columns_count_code_points_in_any_encoding_and_line_end(self, encoding):
        declared = "utf-8" if encoding == "utf-8-sig" else encoding
        text = f'<?xml version="1.0" encoding="{declared}"?>\r\n' + robot(
            '<!-- é --><xacro:property name="m" value="1.25"/>', link("né", mass="${m}")
        ).replace("\n", "\r\n")
        model = load(text.encode(encoding), path="arm.xacro")
        mass = model.bodies[0].inertial.mass
        place = model.place(mass.span)
        assert (place.line, place.column) == (3, text.split("\r\n")[2].index("1.25") + 1)
        assert model.bodies[0].name == "né"
        assert_literals_are_the_sources(model)

    def test_problems_stand_where_their_text_stands(self):
        text = robot(
            '<xacro:property name="m" value="1,5"/>',
            '<link name="a"><inertial><mass value="${m}"/><inertia ixx="1"/></inertial></link>',
            '<Link name="b"/>',
        )
        model = read(text)
        said = {
            (model.place(problem.span).line, model.source.text(problem.span))
            for problem in (*model.problems, *model.bodies[0].problems)
        }
        assert (2, "1,5") in said
        assert (3, '<inertia ixx="1"/>') in said
        assert (4, '<Link name="b"/>') in said

    def test_shapes_stand_where_they_are_written(self):
        shape = '<visual><geometry><box size="${2 * 1} 1 1"/></geometry></visual>'
        model = read(robot(f'<xacro:if value="1"><link name="a">{shape}</link></xacro:if>'))
        (box,) = model.bodies[0].shapes
        assert box.dimensions == (2.0, 1.0, 1.0)
        assert model.source.text(box.span) == shape


def test_a_copy_of_a_traced_text_is_the_text_itself():
    """xacro copies the names of its files with each macro; the whole document hangs on a name."""
    text = Traced("macros.xacro")
    assert copy.deepcopy([text])[0] is text


class TestReferences:
    def test_packages_are_found_by_argument_and_above_the_file(self, tmp_path):
        package = tmp_path / "arm_description"
        (package / "urdf").mkdir(parents=True)
        (package / "urdf" / "part.xacro").write_text(robot(link("part")))
        main = package / "urdf" / "arm.xacro"
        main.write_text(
            robot('<xacro:include filename="$(find arm_description)/urdf/part.xacro"/>')
        )
        assert [body.name for body in load(str(main)).bodies] == ["part"]
        elsewhere = tmp_path / "x.xacro"
        elsewhere.write_bytes(main.read_bytes().replace(b"arm_description", b"other"))
        (problem,) = load(str(elsewhere)).problems
        assert "--package-path other=DIR" in problem.message
        context = Context(packages={"other": str(package)})
        assert [body.name for body in load(str(elsewhere), context=context).bodies] == ["part"]

    def test_relative_packages_installed_ones_and_those_of_the_tree(self, tmp_path, monkeypatch):
        for name in ("ws/.git", "ws/robots/urdf", "ws/libs/ros-hand/model/urdf", "deep/other"):
            (tmp_path / name).mkdir(parents=True)
        hand = tmp_path / "ws/libs/ros-hand"
        (hand / "package.xml").write_text("<package><name>hand</name></package>")
        (hand / "CMakeLists.txt").write_text("install(DIRECTORY model/ DESTINATION share/hand)")
        (hand / "model/urdf/palm.xacro").write_text(robot(link("palm")))
        (tmp_path / "deep/other/tool.xacro").write_text(robot(link("tool")))
        main = tmp_path / "ws/robots/urdf/arm.xacro"
        find = '<xacro:include filename="$(find {})/{}"/>'
        text = find.format("hand", "urdf/palm.xacro"), find.format("other", "tool.xacro")
        main.write_text(robot(*text))
        monkeypatch.chdir(tmp_path / "deep")
        model = load(str(main), context=Context(packages={"other": "other"}))
        assert [body.name for body in model.bodies] == ["palm", "tool"]

    def test_a_file_that_is_named_relatively_has_findings_under_relative_names(
        self, tmp_path, monkeypatch
    ):
        folder = tmp_path / "arm_description"
        folder.mkdir()
        (folder / "part.xacro").write_text(robot(link("part")))
        text = robot('<xacro:include filename="$(find arm_description)/part.xacro"/>')
        (folder / "arm.xacro").write_text(text)
        monkeypatch.chdir(tmp_path)
        (body,) = (model := load("arm_description/arm.xacro")).bodies
        assert model.place(body.span).path == os.path.join("arm_description", "part.xacro")

    def test_an_optional_include_may_be_missing_and_a_pattern_that_matches_nothing_is_told(self):
        model = read(
            robot(
                '<xacro:include filename="none.xacro" optional="true"/>',
                '<xacro:include filename="none_*.xacro"/>',
                link(),
            )
        )
        (problem,) = model.problems
        assert problem.kind == "reference"
        assert "none_*.xacro" in problem.message
        assert model.place(problem.span).line == 3


class TestFailures:
    @pytest.mark.parametrize(
        ("inside", "line", "said"),
        [
            ('\n<link name="${nobody}"/><xacro:if value="0"/>', 3, "'nobody' is not defined"),
            ("\n<xacro:nobody/>", 3, "unknown macro name: xacro:nobody"),
            ('<xacro:if value="$(arg side)"/>', 2, "--xacro-arg side:=VALUE"),
            ('<xacro:include filename="none.xacro"/>', 2, "No such file or directory: none.xacro"),
            ('<xacro:include filename="."/>', 2, "not a file"),
            ('<xacro:if value="maybe"/>', 2, "not a boolean expression"),
            ('<xacro:property name="a" value="${1 / 0}"/><link name="${a}"/>', 2, "division by"),
            ("<xacro:if/>", 2, "missing attribute 'value'"),
            (f"<xacro:{'n' * 5000}/>", 2, "unknown macro name: xacro:nnn"),
        ],
    )
    def test_say_what_and_where_and_cost_the_rest_nothing(self, inside, line, said):
        """Without tolerance a single piece that is not there hides every body of its file."""
        model = read(robot(inside, M2, link("rest")))
        (problem,) = model.problems
        assert (problem.kind, model.place(problem.span).line) == ("reference", line)
        assert said in problem.message
        assert len(problem.message) < 1000
        assert (model.bodies[-1].name, judge(model)[-1].verdict) == ("rest", "consistent")

    @pytest.mark.parametrize(
        ("part", "said", "place"),
        [
            (robot("", '<link name="${nobody}"/>'), "'nobody' is not defined", ("part.xacro", 3)),
            ("<robot><", "part.xacro:1:", (None, 2)),
        ],
    )
    def test_in_an_included_file_name_that_file(self, files, part, said, place):
        model = load(
            files(arm__xacro=robot('<xacro:include filename="part.xacro"/>'), part__xacro=part)
        )
        (problem,) = model.problems
        assert said in problem.message
        assert where(model, problem)[:2] == place

    def test_entity_declarations_are_refused(self):
        text = '<!DOCTYPE robot [<!ENTITY a "b">]>' + robot('<xacro:if value="0"/>')
        with pytest.raises(NotExpandedError, match="entity declarations are refused"):
            read(text)

    def test_without_the_extra_the_command_that_installs_it_is_told(self, monkeypatch):
        monkeypatch.setattr(xacro, "missing", lambda: 'pip install "inertial-check[xacro]"')
        with pytest.raises(MissingExtraError, match=r"inertial-check\[xacro\]"):
            read(robot('<xacro:if value="0"/>'))

    def test_another_format_than_urdf_is_no_model(self):
        text = robot('<xacro:if value="1"/>').replace("<robot", "<xacro:element xacro:name='x'")
        with pytest.raises(NotAModelError):
            load(text.replace("</robot", "</xacro:element").encode(), format="xacro")


POWER = robot('<xacro:property name="x" value="${10**10**8}"/><link name="${x}"/>')


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc, as Linux has it"
)
class TestForks:
    def test_one_that_is_stopped_leaves_no_process_and_the_next_is_read(self):
        source = Source("bomb.xacro", POWER.encode())
        with pytest.raises(NotExpandedError, match="within 1 s"):
            expand(source, Context(), ExpansionLimits(seconds=1.0))
        assert forks_of(XacroServer.current().ensure_process().pid) == []
        assert [body.name for body in read(robot(link(), '<xacro:if value="0"/>')).bodies]

    def test_one_that_ends_without_an_answer_is_said(self, monkeypatch):
        source = Source("bomb.xacro", POWER.encode())
        limits = ExpansionLimits(seconds=60.0)
        stopper = threading.Timer(1.0, stop_forks, [XacroServer.current().ensure_process().pid])
        stopper.start()
        with pytest.raises(NotExpandedError, match="without an answer"):
            expand(source, Context(), limits)

    def test_the_default_of_a_variable_that_is_not_allowed_is_taken_with_a_problem(
        self, monkeypatch
    ):
        monkeypatch.setenv("HAND_MASS", "0.5")
        text = robot(
            '<xacro:property name="m" value="$(optenv HAND_MASS 2.5)"/>', link(mass="${m}")
        )
        model = read(text)
        assert model.bodies[0].inertial.mass.value == 2.5
        (problem,) = model.problems
        assert "--xacro-env HAND_MASS allows it" in problem.message

    def test_an_allowed_variable_has_its_value_or_its_default(self):
        optional, needed = (
            robot(f'<xacro:property name="m" value="{each}"/>', link(mass="${m}"))
            for each in ("$(optenv HAND_MASS 2.5)", "$(env HAND_MASS)")
        )
        (body,) = read(optional, xacro_env={"HAND_MASS": None}).bodies
        assert body.inertial.mass.value == 2.5
        model = read(needed, xacro_env={"HAND_MASS": None})
        assert "HAND_MASS is not set" in model.problems[0].message
        assert math.isnan(model.bodies[0].inertial.mass.value)
        (body,) = read(needed, xacro_env={"HAND_MASS": "0.25"}).bodies
        assert body.inertial.mass.value == 0.25

    def test_the_folder_is_that_of_the_asking_process(self, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "part.xacro").write_text(robot(link()))
        other = robot('<xacro:include filename="$(cwd)/part.xacro"/>')
        assert [body.name for body in read(other).bodies] == ["body"]

    def test_threads_wait_for_each_other(self):
        text = robot('<xacro:property name="m" value="2"/>', link(mass="${m * %d}"))
        with ThreadPoolExecutor(4) as pool:
            models = list(pool.map(read, [text % k for k in range(1, 13)]))
        assert [m.bodies[0].inertial.mass.value for m in models] == [2.0 * k for k in range(1, 13)]

    def test_what_is_prepared_once_serves_all(self):
        """An import in a fork is made again for every document, if it is not refused there."""
        code = """
            import json, sys
            from inertial_check.documents.xacro import child
            child.prepare_expansions()
            late = []
            sys.addaudithook(lambda event, of: event == "import" and late.append(of[0]))
            child._expand(json.loads(sys.stdin.buffer.read()))
            print(late)
        """
        calls = '<xacro:macro name="m" params="a:=1"><b c="${a + 1}"/></xacro:macro><xacro:m/>'
        text = robot(
            link(), '<xacro:property name="a" value="$(optenv A 1)"/>', calls, "<!-- ' & -->"
        )
        request = _request(Source("arm.xacro", text.encode()), Context(), ExpansionLimits(20.0))
        done = subprocess.run(
            [sys.executable, "-P", "-c", textwrap.dedent(code)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            input=request,
            capture_output=True,
            check=False,
        )
        assert done.stdout.strip() == b"[]", done.stderr

    def test_a_process_that_is_gone_is_started_again(self):
        first = XacroServer.current().ensure_process()
        first.kill()
        first.wait()
        assert read(robot(link(), '<xacro:if value="0"/>')).bodies


def forks_of(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def stop_forks(pid):
    for fork in forks_of(pid):
        os.kill(fork, signal.SIGKILL)


def test_nothing_is_written(files, tmp_path):
    path = files(arm__xacro=robot(link(), '<xacro:if value="0"/>'))
    load(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["arm.xacro"]


def test_judged_as_the_expansion_is():
    text = robot('<xacro:property name="i" value="0.5"/>', link(ixx="0.1", iyy="0.1", izz="${i}"))
    (finding,) = ic.check_model(read(text)).findings
    assert (finding.code, finding.body) == ("IC301", "body")
