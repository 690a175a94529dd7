"""Densities that follow from mass and inertia alone."""

from __future__ import annotations

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.evidence.material import OSMIUM, bound_density, bound_printed_density
from inertial_check.checking.settings import Settings
from inertial_check.documents.load import load
from inertial_check.documents.model import judge


def test_the_bound_is_the_density_of_a_uniform_ellipsoid():
    axes, mass = np.array([0.1, 0.2, 0.05]), 3.0
    squares = axes**2
    moments = mass / 5 * (np.sum(squares) - squares)
    expected = mass / (4 / 3 * np.pi * np.prod(axes))
    assert bound_density(np.array(mass), moments) == pytest.approx(expected)


def test_no_body_of_two_densities_is_less_dense_than_the_bound():
    """100,000 boxes, each with a box of another density inside it, off the centre and turned."""
    rng, count = np.random.default_rng(20261128), 100_000
    outer = 10 ** rng.uniform(-2, 1, (count, 3))
    inner = outer * rng.uniform(0.02, 0.9, (count, 3))
    center = (outer - inner) / 2 * rng.uniform(-1, 1, (count, 3))
    low, high = np.sort(10 ** rng.uniform(1, 4.3, (count, 2)), axis=1).T
    denser = rng.random(count) < 0.5  # the inner one
    dense_out, dense_in = np.where(denser, low, high), np.where(denser, high, low)
    first = dense_out * np.prod(outer, axis=1)
    second = (dense_in - dense_out) * np.prod(inner, axis=1)
    mass = first + second
    mean = second[:, None] * center / mass[:, None]
    squares = (first[:, None] * outer**2 + second[:, None] * inner**2) / 12
    spread = squares[:, :, None] * np.eye(3)
    spread += second[:, None, None] * center[:, :, None] * center[:, None, :]
    spread -= mass[:, None, None] * mean[:, :, None] * mean[:, None, :]
    eigenvalues = np.linalg.eigvalsh(spread)
    moments = np.sum(eigenvalues, axis=1, keepdims=True) - eigenvalues
    bound = bound_density(mass, moments)
    assert np.all(bound <= high * (1 + 1e-9))
    assert np.max(bound / high) > 0.88  # a uniform box has 0.888 of its density


def _robot(mass, xx, yy, zz, shape=""):
    return (
        f'<robot name="r"><link name="base"/><link name="link"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial>{shape}'
        '</link><joint name="j" type="revolute"><parent link="base"/><child link="link"/></joint>'
        "</robot>"
    ).encode()


def test_a_denser_body_than_osmium_is_found_whatever_its_shapes_say():
    ball = '<visual><geometry><sphere radius="0.0004"/></geometry></visual>'
    heavy = _robot("0.011", "1.234e-9", "1.432e-9", "1.321e-9", ball)
    model = load(heavy)
    (finding,) = [each for each in ic.check_model(heavy).findings if each.code == "IC503"]
    judgement = judge(model)[1]
    least = bound_printed_density(model.bodies[1], judgement.mass, judgement.principal_moments)
    assert finding.values["density"] == least > OSMIUM
    assert "whatever its shape" in finding.message


def test_digits_that_leave_room_for_a_larger_body_say_nothing():
    """Half a unit of the last digit is a third of each moment."""
    coarse = _robot("0.5", "0.000002", "0.000002", "0.000002")
    model = load(coarse)
    judgement = judge(model)[1]
    assert bound_density(np.array(judgement.mass), np.array(judgement.principal_moments)) > OSMIUM
    exact = bound_printed_density(model.bodies[1], judgement.mass, judgement.principal_moments)
    wide = load(_robot("0.5", "0.00000200000", "0.00000200000", "0.00000200000"))
    finer = bound_printed_density(wide.bodies[1], judgement.mass, judgement.principal_moments)
    assert exact < finer


KNEE = (
    '<collision><geometry><cylinder radius="{}" length="0.1"/></geometry></collision>'
    '<visual><geometry><box size="{} 0.1 0.1"/></geometry></visual>'
)


@pytest.mark.parametrize(
    ("radius", "edge", "said"),
    [
        (0.02, 0.4, "collision shapes are 2.98e+04 kg/m^3, denser than osmium: the solid cylinder"),
        (0.05, 0.4, None),
        (0.05, 1000, "visual shapes are 0.374 kg/m^3, lighter than aerogel: the solid box"),
    ],
)
def test_solid_shapes_that_no_solid_fills_are_a_note_by_their_kind(radius, edge, said):
    """Of a body of 3.74 kg whose inertia is that of a limb, with a stand-in for collisions."""
    text = _robot("3.74", "0.0525", "0.0527", "0.0062", KNEE.format(radius, edge))
    for preset, severity in (("default", "note"), ("strict", "warning")):
        found = ic.check_model(text, Settings(preset=preset)).findings
        said_now = [each for each in found if each.code == "IC503"]
        if said is None:
            assert not said_now
            continue
        (finding,) = said_now
        assert f"3.74 kg inside the body's {said}" in finding.message
        assert finding.severity.name.lower() == severity
        assert finding.body == "link"
