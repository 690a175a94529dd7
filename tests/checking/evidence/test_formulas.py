"""Formulas of an inertia: their dimensions, by names alone."""

import pytest

import inertial_check as ic
from inertial_check.checking.evidence.formulas import find_mismatch
from inertial_check.documents.model import Number


def mismatch(expression, mass=2.0):
    return find_mismatch(expression, Number(mass, str(mass), None))


@pytest.mark.parametrize(
    "expression",
    [
        "m*(3*r*r + h*h)/12",
        "mass / 12.0 * (y**2 + z**2)",
        "0.0833333 * mass * (3*radius*radius + height*height)",
        "(1.0/12.0) * link_mass * (width*width + depth*depth)",
        "2.0*mass*(radius*radius)/5.0",
        "0.5 * wheel_mass * pow(wheel_radius, 2)",
        "mass*(3*(radius + thickness)**2 + length**2)/12",
        "inertia_x",
        "i_x",
        "mass*r2/2",
        "m*radius_sq/2",
        "scale*mass",
        "mass*0.01",
        "mass*(0.04*radius + height*height)/12",
        "mass",
        "ixx_base + m*(y*y + z*z)",
        "a*m*l*l",
        "__import__('os')",
        "",
        "m*(",
    ],
)
def test_formulas_that_are_right_or_tell_nothing_are_silent(expression):
    assert mismatch(expression) == ""


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("m*(3*r + h*h)/12", "3 * r is in m and h * h in m^2, which cannot be added"),
        ("0.0833333*mass*(3*radius*radius + length)", "radius is in m^2 and length in m"),
        ("mass*(y**2 + z)/12", "y ** 2 is in m^2 and z in m"),
        ("0.4*mass*(pow(radius, 2) - thickness)", "in m^2 and thickness in m"),
        ("(3*r*r + h*h)/12", "is in m^2: an inertia is a mass times a squared length"),
        ("mass*radius/2", "is in kg m: an inertia is a mass times a squared length"),
        ("mass*mass*radius*radius/2", "is in kg^2 m^2: an inertia is"),
    ],
)
def test_formulas_whose_dimensions_contradict_each_other(expression, said):
    assert said in mismatch(expression)


def test_a_formula_for_one_kilogram_may_leave_the_mass_out():
    assert mismatch("(3*r*r + h*h)/12", mass=1.0) == ""


def test_a_formula_of_a_macro_is_told_once_with_its_cause():
    pytest.importorskip("xacro", reason="needs xacro: pip install xacro")
    text = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="tube" params="m r h">
  <inertial><mass value="${m}"/>
    <inertia ixx="${m*(3*r + h*h)/12}" ixy="0" ixz="0" iyy="${m*(3*r*r + h*h)/12}" iyz="0"
     izz="${m*r*r/2}"/></inertial>
</xacro:macro>
<link name="one"><xacro:tube m="2" r="0.1" h="0.9"/></link>
<link name="two"><xacro:tube m="3" r="0.2" h="1.9"/></link>
</robot>"""
    report = ic.check_model(text.encode())
    (finding,) = [each for each in report.findings if each.code == "IC509"]
    assert (finding.body, finding.place.line) == ("one", 4)
    assert finding.causes[0].cause == "wrong-formula"
    assert finding.causes[0].edit is None


@pytest.mark.parametrize(
    "expression",
    ["+".join(["r*r*m"] * 300), "(" * 900 + "r" + ")" * 900, "-" * 1900 + "r", "m*" * 900 + "r"],
)
def test_formulas_that_mean_harm_end(expression):
    assert isinstance(mismatch(expression), str)
