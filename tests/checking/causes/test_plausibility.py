"""How natural a body is."""

import numpy as np
import pytest

from inertial_check.checking.causes.weighing import naturalness
from inertial_check.checking.evidence.examination import BodyGeometry


def box(mass, *edges):
    a, b, c = np.square(edges) / 12 * mass
    return np.array([b + c, 0, 0, a + c, 0, a + b])


def shapes(*edges):
    a, b, c = np.square(edges) / 12
    return BodyGeometry(
        "visual", float(np.prod(edges)), (0, 0, 0), (a, 0, 0, b, 0, c), (0,) * 3, (0,) * 3, (), ()
    )


def natural(mass, six, geometry=(), R_BBi=None):
    return float(naturalness(np.array([mass]), six[None], geometry, R_BBi)[0])


def test_between_nothing_and_one():
    assert 0.5 < natural(1.0, box(1.0, 0.1, 0.12, 0.14)) <= 1
    assert natural(1.0, np.array([0.1, 0, 0, 0.1, 0, 0.3])) == 0
    assert natural(1.0, np.zeros(6)) == 0


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_only_the_density_knows_of_sizes(size):
    six = box(1.0, 0.1, 0.12, 0.14)
    assert natural(size**3, six * size**5) == pytest.approx(natural(1.0, six))


def test_odd_sizes_plates_and_large_products_are_less_natural():
    usual = natural(1.0, box(1.0, 0.1, 0.12, 0.14))
    assert natural(1.0, 1e4 * box(1.0, 0.1, 0.12, 0.14)) < 0.3 * usual
    assert natural(1.0, box(1.0, 0.0001, 0.12, 0.14)) < 0.3 * usual
    a = box(1.0, 0.05, 0.2, 0.06)
    turn = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])
    tensor = turn @ np.diag(a[[0, 3, 5]]) @ turn.T
    assert natural(1.0, tensor[np.triu_indices(3)]) < 0.8 * natural(1.0, a)


def test_shapes_say_more_than_the_mass():
    """A hollow link of a light material: too large for its mass, but not for its shape."""
    six = box(0.01, 0.5, 0.4, 0.3)
    assert natural(0.01, six, [shapes(0.5, 0.4, 0.3)]) > 3 * natural(0.01, six)
    assert natural(0.01, six, [shapes(0.5, 0.4, 0.3)]) > 3 * natural(
        0.01, six, [shapes(0.05, 0.04, 0.03)]
    )


def test_shapes_are_in_the_axes_of_the_body():
    six = box(1.0, 0.5, 0.1, 0.1)
    swap = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    along_y = [shapes(0.1, 0.5, 0.1)]
    assert natural(1.0, six, along_y, swap) > 2 * natural(1.0, six, along_y)


def test_a_stand_in_for_a_shape_rules_nothing_out():
    six = box(1.0, 0.1, 0.12, 0.14)
    marker, nothing = shapes(1e-3, 1e-3, 1e-3), shapes(0.0, 0.0, 0.0)
    assert 0.1 < natural(1.0, six, [marker]) < natural(1.0, six)
    assert natural(1.0, six, [nothing]) > 0.1
