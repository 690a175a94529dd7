"""The caret stands under the number that the first cause would change, one attribute a line or not.

Documents have one planted defect, a single entry of one body among sound ones. Whatever the first
cause is, if it changes one number, the marked text is that number.
"""

import random
import re

import pytest

from inertial_check.checking.check import check_model
from inertial_check.checking.report import Report
from inertial_check.programs.cli.main import main
from inertial_check.reports import View, render

NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
URDF = """\
    <inertial>
      <origin xyz="0 0 0.1"/>
      <mass
        value="{mass}"/>
      <inertia
        ixx="{ixx}"
        ixy="{ixy}"
        ixz="{ixz}"
        iyy="{iyy}"
        iyz="{iyz}"
        izz="{izz}"/>
    </inertial>"""
ONE_LINE = """\
    <inertial>
      <mass value="{mass}"/> <origin xyz="0 0 0.1"/>
      <inertia ixx="{ixx}" ixy="{ixy}" ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/>
    </inertial>"""
SDF = """\
    <inertial><pose>0 0 0.1 0 0 0</pose>
      <mass>{mass}</mass>
      <inertia>
        <ixx>{ixx}</ixx>
        <ixy>{ixy}</ixy>
        <ixz>{ixz}</ixz>
        <iyy>{iyy}</iyy>
        <iyz>{iyz}</iyz>
        <izz>{izz}</izz>
      </inertia>
    </inertial>"""
MJCF = """\
    <inertial
      pos="0 0 0.1"
      mass="{mass}"
      fullinertia="{ixx} {iyy} {izz} {ixy} {ixz} {iyz}"/>"""


def urdf(bodies, inertial=URDF):
    links = "\n".join(
        f'  <link name="link_{i}">\n{inertial.format(**body)}\n  </link>'
        for i, body in enumerate(bodies)
    )
    joints = "\n".join(
        f'  <joint name="j{i}" type="revolute"><parent link="link_{i - 1}"/>'
        f'<child link="link_{i}"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for i in range(1, len(bodies))
    )
    return f'<robot name="r">\n{links}\n{joints}\n</robot>\n'


def sdf(bodies):
    links = "\n".join(
        f'  <link name="link_{i}">\n{SDF.format(**body)}\n  </link>'
        for i, body in enumerate(bodies)
    )
    return f'<sdf version="1.9"><model name="m">\n{links}\n</model></sdf>\n'


def mjcf(bodies):
    nested = "".join(
        f'  <body name="link_{i}"><joint/>\n{MJCF.format(**body)}\n'
        for i, body in enumerate(bodies)
    )
    closing = "</body>" * len(bodies)
    return f"<mujoco><worldbody>\n{nested}\n{closing}</worldbody></mujoco>\n"


FORMATS = {
    "urdf": urdf,
    "urdf on one line": lambda bodies: urdf(bodies, ONE_LINE),
    "sdf": sdf,
    "mjcf": mjcf,
}


def draw_body(draw):
    """A sound body of five digits: a box of 1000 kg/m^3, slightly turned."""
    a, b, c = sorted(draw.uniform(0.05, 0.4) for _ in range(3))
    mass = 1000 * a * b * c
    moments = [
        mass / 12 * (b * b + c * c),
        mass / 12 * (a * a + c * c),
        mass / 12 * (a * a + b * b),
    ]
    products = [draw.uniform(-0.02, 0.02) * min(moments) for _ in range(3)]
    values = (moments[0], products[0], products[1], moments[1], products[2], moments[2])
    return {"mass": f"{mass:.5g}", **{n: f"{v:.5g}" for n, v in zip(NAMES, values, strict=True)}}


def plant(draw, bodies):
    """A copy of the bodies in which one number of one body has a slip."""
    at, name = draw.randrange(len(bodies)), draw.choice(["ixx", "iyy", "izz", "ixy"])
    value = float(bodies[at][name]) * (draw.choice([-1, 1]) * 100 if name == "ixy" else 10)
    return [
        body | {name: f"{value:.5g}"} if index == at else dict(body)
        for index, body in enumerate(bodies)
    ]


def find_marked(finding):
    """The texts of the guilty line above the marks."""
    return [finding.guilty.text[start:end] for start, end in finding.guilty.marks]


def find_edited(finding):
    """The names of the numbers that the first cause changes."""
    edit = (finding.causes[0].edit or {}) if finding.causes else {}
    return list(edit.get("entries", ()))


def read_marked(file, finding, color):
    """The text above the carets of the report of one finding."""
    report = Report((file._replace(findings=(finding,)),))
    text = render(report, "full", View(exit_code=1, color=color, summary=False))
    lines = re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()
    place = finding.guilty.place
    assert f":{place.line}:{place.column}: " in lines[0]
    assert all(len(line) <= 100 for line in lines)
    at = next(index for index, line in enumerate(lines) if re.fullmatch(r" +\| *\^+", line))
    return lines[at - 1][lines[at].index("^") : len(lines[at])]


@pytest.mark.parametrize("format_", FORMATS)
def test_the_marked_number_is_the_one_that_the_first_cause_changes(format_, request):
    draw = random.Random(format_)
    seen = 0
    for _ in range(400 if request.config.getoption("--long") else 12):
        bodies = plant(draw, [draw_body(draw) for _ in range(4)])
        data = FORMATS[format_](bodies).encode()
        report = check_model(data)
        lines = data.decode().splitlines()
        for finding in report.findings:
            edited = find_edited(finding)
            if len(edited) != 1 or finding.bodies:
                continue
            seen += 1
            index = int(re.search(r"\d+$", finding.body)[0])
            assert find_marked(finding) == [bodies[index][edited[0]]]
            place = finding.guilty.place
            assert (
                lines[place.line - 1][place.column - 1 : place.end_column - 1]
                == (bodies[index][edited[0]])
            )
            named = rf"\b{edited[0]}\b" if format_ != "mjcf" else "fullinertia|mass"
            assert re.search(named, lines[place.line - 1])
            (file,) = report.files
            assert read_marked(file, finding, color=seen % 2 == 0) == bodies[index][edited[0]]
    assert seen > 5


def test_a_number_far_along_a_line_is_seen():
    """A document on one line of many thousand characters is cut around the guilty number."""
    draw = random.Random(1)
    for _ in range(9):
        bodies = plant(draw, [draw_body(draw) for _ in range(40)])
        data = " ".join(urdf(bodies, ONE_LINE).split()).encode()
        assert len(data) > 10_000
        (file,) = check_model(data).files
        for finding in file.findings:
            if len(edited := find_edited(finding)) == 1:
                index = int(re.search(r"\d+$", finding.body)[0])
                assert read_marked(file, finding, color=False) == bodies[index][edited[0]]
                return
    pytest.fail("no planted defect has a first cause that changes one number")


def test_the_long_form_marks_the_guilty_number_too(capsys):
    assert main(["check", "data/arm.urdf", "--isolated", "-v"]) == 1
    lines = capsys.readouterr().out.splitlines()
    (at,) = (i for i, line in enumerate(lines) if line.startswith("  38 |"))
    start = lines[at].index("0.0801")
    assert lines[at + 1] == "     |" + " " * (start - 6) + "^" * 6
