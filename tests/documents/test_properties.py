"""Bodies in the texts of CAD programs, in kilograms and metres."""

import numpy as np
import pytest

from inertial_check.documents.properties import read_properties

HEAD = (
    "Link Name,Center of Mass X,Center of Mass Y,Center of Mass Z,Center of Mass Roll,"
    "Center of Mass Pitch,Center of Mass Yaw,Mass,Moment Ixx,Moment Ixy,Moment Ixz,Moment Iyy,"
    "Moment Iyz,Moment Izz,Mesh Filename"
)
TEN = [1.25, 0.01, -0.02, 0.03, 0.004, -0.0005, 0.0002, 0.003, 0.0001, 0.0025]

REPORT = """Mass properties of upper_arm.SLDPRT
     Configuration: Default
     Coordinate system: -- default --

Density = 2700.00 kilograms per cubic meter

Mass = 1250.00 grams

Volume = 0.00 cubic meters

Surface area = 0.10  square meters

Center of mass: ( millimeters )
\tX = 10.00
\tY = -20.00
\tZ = 30.00

Principal axes of inertia and principal moments of inertia: ( grams * square millimeters )
Taken at the center of mass.
\t Ix = ( 0.17,  0.98,  0.00)   \tPx = 2400000.00
\t Iy = (-0.98,  0.17,  0.00)   \tPy = 3000000.00
\t Iz = ( 0.00,  0.00,  1.00)   \tPz = 4100000.00

Moments of inertia: ( grams * square millimeters )
Taken at the center of mass and aligned with the output coordinate system.{notation}
\tLxx = 4000000.00\tLxy = {sign}500000.00\tLxz = {other}200000.00
\tLyx = {sign}500000.00\tLyy = 3000000.00\tLyz = {other}100000.00
\tLzx = {other}200000.00\tLzy = {other}100000.00\tLzz = 2500000.00

Moments of inertia: ( grams * square millimeters )
Taken at the output coordinate system.
\tIxx = 5625000.00\tIxy = 1.00\tIxz = 1.00
"""

PROPERTIES = """upper arm v3

Area\t5876.196 mm^2
Density\t0.008 g / mm^3
Mass\t1250.00 g
Volume\t5569.58 mm^3

Bounding Box
\tLength \t 43.39 mm
World X,Y,Z\t0.00 mm, 0.00 mm, 0.00 mm
Center of Mass\t10.00 mm, -20.00 mm, 30.00 mm

Moment of Inertia at Center of Mass   (g mm^2)
\tIxx = 4.0E+06
\tIxy = -5.0E+05
\tIxz = 2.0E+05
\tIyx = -5.0E+05
\tIyy = 3.0E+06
\tIyz = 1.0E+05
\tIzx = 2.0E+05
\tIzy = 1.0E+05
\tIzz = 2.5E+06

Moment of Inertia at Origin   (g mm^2)
\tIxx = 1.0
"""


ROW = "0.01,-0.02,0.03,0,0,0,1.25,0.004,-0.0005,0.0002,0.003,0.0001,0.0025,a.STL"
POSITIVE = REPORT.format(notation=" (Using positive tensor notation.)", sign="", other="-")
UNNAMED = REPORT.format(notation="", sign="", other="-")
NEGATIVE = REPORT.format(notation=" (Using negative tensor notation.)", sign="-", other="")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"{HEAD}\nupper_arm,{ROW}\n", "upper_arm"),
        (POSITIVE, "upper_arm.SLDPRT"),
        (UNNAMED, "upper_arm.SLDPRT"),
        (NEGATIVE, "upper_arm.SLDPRT"),
        (PROPERTIES, ""),
    ],
)
def test_a_part_has_its_numbers_in_kilograms_and_metres(text, name):
    (found,) = read_properties(text.replace("\n", "\r\n") if name == "upper_arm" else text)
    assert found.name == name
    np.testing.assert_allclose(found.ten, TEN, rtol=1e-12)


def test_pounds_and_inches_and_several_parts():
    text = (
        UNNAMED.replace("grams", "pounds")
        .replace("millimeters", "inches")
        .replace("1250.00", "2.0")
    )
    first, second = read_properties(text + UNNAMED.replace("upper_arm", "forearm"))
    assert (first.name, second.name) == ("upper_arm.SLDPRT", "forearm.SLDPRT")
    assert first.ten[0] == pytest.approx(0.90718474)
    assert first.ten[1] == pytest.approx(0.254)
    assert first.ten[4] == pytest.approx(4e6 * 0.45359237 * 0.0254**2)
    np.testing.assert_allclose(second.ten, TEN, rtol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Mass = 3 stones\n",
        PROPERTIES.replace("1250.00 g", "1250.00 stone"),
        f"{HEAD}\nupper_arm,a,0,0,0,0,0,1,1,0,0,1,0,1,a.STL\n",
        f"{HEAD}\nturned,0,0,0,0.1,0,0,1,1,0,0,1,0,1,a.STL\n",
        "a,b\n1,2\n",
        f"{HEAD}\n{'x' * 200_000},{ROW}\n",  # a field of more characters than csv reads
        f"{HEAD},{'x' * 200_000}\nupper_arm,{ROW}\n",
        f"{HEAD}\nupper_arm\n",
    ],
)
def test_other_texts_state_nothing(text):
    assert read_properties(text) == []


def test_a_hostile_text_is_read_once():
    """The bug: patterns with anything between two words, tried from every first word to the end."""
    pieces = (
        *("Mass = 1 g\n", "Mass 1 g\n", "Mass properties of a\n", "Center of Mass 1 m, ", "X = 1 "),
        *("1", " ", "\n", "a", "[", "e1"),
    )
    starts = ("", "Mass = 1 g\n", UNNAMED[: UNNAMED.index("Lxx")], PROPERTIES[:-400], HEAD + "\n")
    for piece in pieces:
        for start in starts:
            read_properties(start + piece * (400_000 // len(piece)))
