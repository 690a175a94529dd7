"""Textbook moments against the densities of the package, and their misreadings."""

import numpy as np
import pytest

from inertial_check.checking.evidence.readings import misread_formula, moments_of
from inertial_check.documents.load import load
from inertial_check.inertia import solids
from suspects import Link, box, cylinder, robot


def shapes_of(text):
    return load(robot(Link(1.0, (0, 0, 0), np.eye(3), text)).encode()).bodies[1]


def test_right_formulas_are_those_of_the_densities():
    sizes = (0.1, 0.2, 0.3)
    (shape,) = shapes_of(box(sizes)).shapes
    right = solids.box(sizes, mass=1.0).inertia_com.diagonal()
    assert moments_of(shape) == pytest.approx(right)
    (shape,) = shapes_of(cylinder(0.1, 0.4)).shapes
    right = solids.cylinder(0.1, 0.4, mass=1.0).inertia_com.diagonal()
    assert moments_of(shape) == pytest.approx(right)


@pytest.mark.parametrize(
    ("mistake", "moments"),
    [
        ("the mass left out", (0.0108333, 0.0083333, 0.0041667)),
        ("the axes exchanged", (0.0166667, 0.0433333, 0.0333333)),
        ("the box taken for a thin rod", (0.03, 0.03, 0)),
        ("half edges for edges", (0.0108333, 0.0083333, 0.0041667)),
    ],
)
def test_misreadings_of_a_box_of_four_kilograms(mistake, moments):
    body = shapes_of(box((0.1, 0.2, 0.3)))
    found = misread_formula(body, 4.0, np.array([moments[0], 0, 0, moments[1], 0, moments[2]]))
    assert found is not None
    assert found.kind == "box"
    if mistake != "half edges for edges":  # at 4 kg the same as no mass
        assert found.mistake == mistake
    assert found.moments == pytest.approx([0.0433333, 0.0333333, 0.0166667], rel=1e-5)


def test_the_right_formula_and_anything_else_are_no_misreading():
    body = shapes_of(box((0.1, 0.2, 0.3)))
    right = np.array([0.0433333, 0, 0, 0.0333333, 0, 0.0166667])
    assert misread_formula(body, 4.0, right) is None
    assert misread_formula(body, 4.0, right * 1.37) is None
    assert misread_formula(body, 4.0, right + 0.01 * np.eye(6)[1]) is None
    two = shapes_of(box((0.1, 0.2, 0.3)) + box((0.1, 0.1, 0.1)))
    assert misread_formula(two, 4.0, right[[5, 1, 2, 3, 4, 0]]) is None
    assert misread_formula(shapes_of(""), 4.0, right) is None
