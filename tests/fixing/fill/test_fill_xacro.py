"""Filling of xacro files: numbers go where literals are, or one line says why they cannot."""

import numpy as np
import pytest

import inertial_check as ic

pytest.importorskip("xacro", reason='needs xacro: pip install "inertial-check[xacro]"')

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
BASE = """<link name="base"><inertial><mass value="4"/>
<inertia ixx="0.0133" ixy="0" ixz="0" iyy="0.0133" iyz="0" izz="0.02"/></inertial></link>
"""
MACRO = """<xacro:macro name="part" params="name l{more}">
  <link name="${{name}}">
    <visual><origin xyz="0 0 ${{l/2}}"/><geometry><box size="0.05 0.05 ${{l}}"/></geometry></visual>
    {inertial}
  </link>
  <joint name="j_${{name}}" type="revolute">
    <parent link="base"/><child link="${{name}}"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</xacro:macro>
"""
ARGUMENTS = """<inertial><origin xyz="0 0 ${c}"/><mass value="${m}"/>
<inertia ixx="${xx}" ixy="0" ixz="0" iyy="${yy}" iyz="0" izz="${zz}"/></inertial>"""
FORMULA = """<inertial><origin xyz="0 0 ${l/2}"/><mass value="${m}"/>
<inertia ixx="${m*l*l/12}" ixy="0" ixz="0" iyy="${m*l*l/12}" iyz="0" izz="${m/600}"/></inertial>"""
ZEROS = 'c="0" m="0" xx="0" yy="0" zz="0"'


def fill(folder, calls, more="", inertial=""):
    path = folder / "arm.xacro"
    macro = MACRO.format(more=more, inertial=inertial)
    path.write_text(HEAD + BASE + macro + "\n".join(calls) + "\n</robot>\n")
    return ic.fill(path, density=1000)


def expect_masses(filling, *masses):
    filling.write()
    again = ic.load(filling.fix.source.path)
    np.testing.assert_allclose(again.parameters.mass, [4, *masses], rtol=1e-9)
    assert not ic.check_model(again).files[0].findings


@pytest.mark.parametrize("names", ["a", "ab"])
def test_an_inertial_is_inserted_into_a_macro_that_makes_equal_bodies(names, tmp_path):
    filling = fill(tmp_path, [f'<xacro:part name="{name}" l="0.2"/>' for name in names])
    assert filling.fix.data.count(b"<inertial>") == 2
    expect_masses(filling, *[0.5] * len(names))


def test_literal_arguments_of_each_call_take_its_numbers(tmp_path):
    calls = [f'<xacro:part name="a" l="0.2" {ZEROS}/>', f'<xacro:part name="b" l="0.4" {ZEROS}/>']
    filling = fill(tmp_path, calls, " c m xx yy zz", ARGUMENTS)
    lines = [line for line in filling.diff().splitlines() if line.startswith("+<")]
    assert [line.split(' m="')[1].split('"')[0] for line in lines] == ["0.5", "1"]
    expect_masses(filling, 0.5, 1.0)


REFUSED = {
    "an element for bodies that differ": ("", "", "take the numbers as macro arguments"),
    "defaults that two calls share": (
        " c:=0 m:=0 xx:=0 yy:=0 zz:=0",
        ARGUMENTS,
        "which is written by the same text",
    ),
    "formulas": (" m:=0", FORMULA, "computed; change to"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_written_is_told_and_nothing_changes(what, tmp_path):
    more, inertial, message = REFUSED[what]
    calls = ['<xacro:part name="a" l="0.2"/>', '<xacro:part name="b" l="0.4"/>']
    filling = fill(tmp_path, calls, more, inertial)
    assert not filling.changed
    assert not filling.complete
    assert {body.status for body in filling.bodies} == {"unwritten"}
    for body in filling.bodies:
        assert message in body.reason
        assert "\n" not in body.reason


def test_an_included_file_gets_the_numbers_of_its_links(tmp_path):
    macro = MACRO.format(more="", inertial="")
    (tmp_path / "part.xacro").write_text(f"{HEAD}{macro}</robot>\n")
    path = tmp_path / "arm.xacro"
    own = (
        f'{HEAD}<xacro:include filename="part.xacro"/>{BASE}<xacro:part name="a" l="0.2"/></robot>'
    )
    path.write_text(own)
    filling = ic.fill(path, density=1000)
    assert [source.path for source, _ in filling.fix.others] == [str(tmp_path / "part.xacro")]
    expect_masses(filling, 0.5)
    assert path.read_text() == own
