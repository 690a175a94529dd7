"""--expect and [expect]: what a table says of bodies, what it refuses, and [accept]."""

import json
import os
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.checking.configuration import Configurations
from inertial_check.checking.expected import COLUMNS, Expected, read_row
from inertial_check.checking.settings import Settings
from inertial_check.programs.cli.main import main

LINK = """<link name="{name}"><inertial><origin xyz="0.01 0 0.2" rpy="{rpy}"/><mass value="2"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>"""
JOINT = """<joint name="{name}_joint" type="revolute"><parent link="base"/><child link="{name}"/>
<axis xyz="0 0 1"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint>"""
HEADER = "body,mass,com_x,com_y,com_z,ixx,ixy,ixz,iyy,iyz,izz,tolerance,source\n"


@pytest.fixture(autouse=True)
def robot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(left="0 0 0", right="0 0 1.5707963267948966")


def write(path="r.urdf", **bodies):
    links = "".join(
        LINK.format(name=name, rpy=rpy) + JOINT.format(name=name) for name, rpy in bodies.items()
    )
    text = f'<robot name="r"><link name="base"/>{links}</robot>'
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def check(capsys, table, name="t.csv", *options):
    with open(name, "w", encoding="utf-8") as stream:
        stream.write(table)
    code = main(["check", "r.urdf", "--output-format", "json", "--expect", name, *options])
    out, err = capsys.readouterr()
    files = json.loads(out)["files"] if out else []
    found = [each for file in files for each in file["findings"]]
    mine = {each["body"]: each for each in found if each["code"] == "IC508"}
    return code, mine, err


def test_each_number_is_compared_in_body_axes_and_the_wrong_one_is_named(capsys):
    rows = "left,2,0.01,0,0.2,0.02,0,0,0.03,0,0.04,,\nright,2,0.01,0,0.2,0.03,0,0,0.02,0,0.04,,\n"
    assert check(capsys, HEADER + rows) == (0, {}, "")
    code, found, _ = check(capsys, HEADER + rows.replace("0.03,0,0.04", "0.03,0,0.05", 1))
    assert (code, list(found)) == (1, ["left"])
    (finding,) = found.values()
    assert finding["severity"] == "error"
    assert finding["values"] == {"izz": 0.04, "expected_izz": 0.05, "tolerance": 0.01}
    assert "izz is 0.04, expected 0.05" in finding["message"]
    assert "t.csv:2" in finding["message"]


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("t.csv", "body;mass;source\nleft;3;sheet"),
        ("t.tsv.csv", "mass\tbody\n3\tleft\n"),
        ("t.toml", "[left]\nmass = 3"),
        ("t.toml", "[[expect]]\nbody = 'left'\nmass = 3"),
        ("t.toml", "[expect.left]\nmass = 3"),
        ("t.json", '[{"body": "left", "mass": 3}]'),
        ("t.json", '{"expect": [{"body": "l*", "mass": 3.0}]}'),
        ("t.json", '{"left": {"mass": 3}}'),
    ],
)
def test_a_table_is_csv_toml_or_json(capsys, name, table):
    code, found, _ = check(capsys, table, name)
    assert (code, list(found)) == (1, ["left"])


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("t.csv", "body,mass\nnobody,2\n", "t.csv:2: no body that was checked is named nobody"),
        ("t.csv", "body,mass\nleft,2\n*ft,3\n", "t.csv:3: mass of *ft is 3, and t.csv:2 expects 2"),
        ("t.csv", 'body,mass\n"left\n",2\nright,x\n', 't.csv:4: mass: "x" is no number'),
        ("t.csv", "body,mass\nleft,\n", "t.csv:2: the row expects nothing"),
        ("t.csv", "body,mass\nleft,-2\n", "t.csv:2: mass is -2: expected a positive number"),
        ("t.csv", "body,mass\nleft,inf\n", "t.csv:2: mass: inf is not finite"),
        ("t.csv", "body,mas\nleft,2\n", "t.csv:2: unknown column 'mas'"),
        ("t.csv", "body,mass\nleft,2,3\n", "t.csv:2: 3 cells, where the header has 2"),
        ("t.csv", "mass\n2\n", "t.csv:1: expected a header"),
        ("t.csv", 'body,mass\n"left,2\n', "t.csv:2: no valid CSV"),
        ("t.csv", HEADER + "left,1,,,,1,0,0,1,0,3,,\n", "t.csv:2: no body has the expected tensor"),
        ("t.csv", "", "t.csv:1: expected a header"),
        ("t.csv", "body,mass\n", "t.csv: the table has no rows"),
        ("t.toml", "\n[left]\nmass = true", "t.toml:2: mass"),
        ("t.toml", "left = 3", "t.toml:1: expected a table of columns"),
        ("t.toml", "left = ", "t.toml:1:"),
        ("t.json", '[{"body": "left", "mass": 2},\n{"body": "a", "mass": "y"}]', "t.json:2: mass"),
        ("t.json", "[1]", "t.json:1: expected a table of columns"),
        ("t.json", "3", "t.json:1: expected a list of rows"),
        ("t.json", "[\n[", "t.json:2: no valid JSON"),
        ("t.json", "[" * 100_000, "t.json:1: no valid JSON"),
        ("t.json", '[{"body": "left", "mass": 2,\n"mass": 3}]', "'mass' is given twice"),
        ("t.json", '{"left": {"mass": 2},\n"left": {"mass": 3}}', "'left' is given twice"),
        ("t.xls", "", "expected a table .csv, .toml or .json"),
    ],
)
def test_a_wrong_row_is_named_with_its_line_and_exit_code_2(capsys, name, table, message):
    code, _, err = check(capsys, table, name)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


def test_rows_about_one_body_are_joined(capsys):
    table = "body,mass,izz,tolerance\nleft,2,,\n*,,0.05,0.1\n"
    _, found, _ = check(capsys, table)
    assert sorted(found) == ["base", "left", "right"]
    assert found["left"]["values"] == {"izz": 0.04, "expected_izz": 0.05, "tolerance": 0.1}
    assert "izz is absent" in found["base"]["message"]


def test_a_row_names_its_files_with_two_colons(capsys):
    write("other.urdf", left="0 0 0")
    table = "body,mass\n*.urdf::left,2\nother.urdf::left,3\n"
    assert check(capsys, table)[:2] == (0, {})  # the other file is not checked: none is asked for
    code, found, _ = check(capsys, table.replace("*.urdf", "r.urdf"), "t.csv", "other.urdf")
    assert (code, list(found)) == (1, ["left"])
    assert "t.csv:3" in found["left"]["message"]


def test_the_edit_writes_what_is_whole_in_the_axes_of_the_inertial(capsys):
    table = HEADER + (
        "left,4,0,,,,,,,,,,a\n"  # a coordinate alone is no centre; the tensor follows the mass
        "right,2,0,0,0.1,0.05,0,0,0.06,0,0.07,,\n"
    )
    _, found, _ = check(capsys, table)
    (cause,) = found["left"]["causes"]
    assert (cause["cause"], cause["confidence"]) == ("expected", 1.0)
    assert "t.csv:2 (a)" in cause["evidence"]
    assert "scaled with the mass" in cause["evidence"]
    entries = {"mass": 4.0, "ixx": 0.04, "iyy": 0.06, "izz": 0.08}
    assert cause["edit"] == {"body": "left", "entries": entries}
    (cause,) = found["right"]["causes"]
    entries = {"x": 0.0, "z": 0.1, "ixx": 0.06, "iyy": 0.05, "izz": 0.07}  # turned by 90 degrees
    assert cause["edit"]["entries"] == pytest.approx(entries, rel=1e-11)
    _, found, _ = check(capsys, "body,ixx\nleft,0.5\nbase,1\n")
    assert [each["causes"] for each in found.values()] == [[], []]


@given(
    numbers=st.fixed_dictionaries(
        {"mass": st.floats(1e-250, 1e250), "tolerance": st.floats(1e-6, 0.5)}
    )
)
def test_the_tolerance_is_relative_at_any_scale(numbers):
    mass, tolerance = numbers["mass"], numbers["tolerance"]
    row = read_row({"body": "b", **numbers}, "t:1", "")
    bound = Fraction(mass) * Fraction(tolerance)
    for factor, deviates in ((1 + 2 * tolerance, True), (1 + tolerance / 2, False)):
        assert (abs(Fraction(mass * factor) - Fraction(mass)) > bound) is deviates
        inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        inertial = f'<inertial><mass value="{mass * factor!r}"/>{inertia}</inertial>'
        body = f'<link name="b">{inertial}</link>'
        model = ic.load(f'<robot name="r">{body}</robot>'.encode())
        report = ic.check_model(model, Settings(select=("IC508",), expected=(row,)))
        assert bool(report.findings) is deviates


def test_rows_of_a_configuration_and_its_table_are_read(capsys):
    text = '[expect]\nleft = {mass = 3, source = "sheet"}\n'
    with open("inertial-check.toml", "w", encoding="utf-8") as stream:
        stream.write(text)
    (row,) = Configurations().settings("r.urdf").expected
    assert row == Expected("left", (("mass", 3.0),), 0.01, "sheet", "inertial-check.toml:2")
    assert main(["check", "r.urdf"]) == 1
    assert "inertial-check.toml:2 (sheet): mass is 2, expected 3" in capsys.readouterr().out
    with open("inertial-check.toml", "w", encoding="utf-8") as stream:
        stream.write('expect = "../t.csv"\n')
    os.mkdir(".git")
    assert main(["check", "r.urdf"]) == 2
    assert "lies outside the repository" in capsys.readouterr().err


def test_columns_are_those_of_the_documented_table():
    assert HEADER.strip().split(",") == ["body", *COLUMNS, "tolerance", "source"]


class TestAccept:
    def accept(self, text):
        with open("inertial-check.toml", "w", encoding="utf-8") as stream:
            stream.write(f"[accept]\n{text}\n")
        return main(["check", ".", "--output-format", "json"])

    def test_a_warning_about_a_body_on_purpose_does_not_count(self, capsys):
        with open("r.urdf", encoding="utf-8") as stream:
            text = stream.read()
        with open("r.urdf", "w", encoding="utf-8") as stream:
            stream.write(
                text.replace('ixx="0.02"', 'ixx="1"').replace("0.03", "1").replace("0.04", "1")
            )
        assert self.accept('"r.urdf::left" = {codes = ["IC501"], reason = "inflated"}') == 0
        found = json.loads(capsys.readouterr().out)
        assert [each["body"] for each in found["files"][0]["findings"]] == ["right"]

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            (
                '"r.urdf::left" = {codes = ["IC301"], reason = "x"}',
                "IC301 is an error about numbers",
            ),
            ('"r.urdf::left" = {codes = ["ALL"], reason = "x"}', "is an error about numbers"),
            ('"r.urdf::left" = {codes = ["IC501"]}', "needs both"),
            ('"r.urdf::left" = ["IC501"]', "needs both"),
            ('"r.urdf::left" = {codes = ["IC501"], reason = " "}', "is blank"),
            ('"left" = {codes = ["IC501"], reason = "x"}', "expected FILES::BODY"),
        ],
    )
    def test_what_cannot_be_accepted(self, capsys, entry, message):
        assert self.accept(entry) == 2
        err = capsys.readouterr().err
        assert message in err
        assert "inertial-check.toml:2" in err
