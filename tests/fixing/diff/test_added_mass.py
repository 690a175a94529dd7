"""diff of the added mass of a fluid."""

import json

import pytest

import inertial_check as ic
from inertial_check.fixing.diff import compare_added_mass
from inertial_check.reports import View
from inertial_check.reports.difference import as_json, text

SDF = """<sdf version="1.10"><model name="m"><link name="hull"><inertial><mass>20</mass>
<inertia><ixx>0.8</ixx><iyy>1.6</iyy><izz>1.8</izz></inertia>{}</inertial></link></model></sdf>"""
FLUID = "<fluid_added_mass><xx>{}</xx><yy>24</yy><qq>2</qq></fluid_added_mass>"


def _load(fluid: str):
    return ic.load(SDF.format(fluid).encode())


@pytest.mark.parametrize("other", [FLUID.format(7), "", FLUID.format("nan")])
def test_another_added_mass_is_a_difference(other: str) -> None:
    found = ic.diff_models(_load(FLUID.format(6)), _load(other))
    (body,) = found.bodies
    assert (body.status, body.differs) == ("differs", ("added_mass",))
    assert body.added_mass > 0.01
    assert "added mass differs by" in text(found, View(exit_code=1))
    shown = json.loads(as_json(found, View(exit_code=1)))["bodies"][0]
    assert shown["a"]["added_mass"][0][0] == 6


def test_equal_ones_are_equal_and_no_unit_decides() -> None:
    found = ic.diff_models(_load(FLUID.format(6)), _load(FLUID.format("6.0")))
    assert found.equal
    sizes = []
    for mass, length in ((1e-6, 1e-3), (1e5, 10.0)):
        unit = [mass] * 3 + [mass * length**2] * 3
        one, other = (
            [[k * unit[i] * (i == j) for j in range(6)] for i in range(6)] for k in (1, 2)
        )
        sizes.append(compare_added_mass(one, other))
    assert sizes == pytest.approx([0.5, 0.5])
