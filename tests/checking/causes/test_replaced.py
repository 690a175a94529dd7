"""A mass that was changed while the tensor stayed that of the shapes at an assumed density."""

import numpy as np
import pytest

from suspects import Link, box, box_moments, causes

EDGES = (0.1, 0.06, 0.24)


def link(density, mass):
    volume = float(np.prod(EDGES))
    return Link(mass, (0, 0, 0), box_moments(density * volume, EDGES), box(EDGES))


@pytest.mark.parametrize("density", [1000.0, 1.0])
def test_the_tensor_of_an_assumed_density_is_scaled_to_the_mass(density):
    """Catches a cause that scales by the size alone, and one that knows water only."""
    found = causes(link(density, 0.35))[0]
    assert found.cause == "mass-replaced"
    meant = box_moments(0.35, EDGES)
    assert found.edit["entries"]["ixx"] == pytest.approx(meant[0, 0], rel=1e-6)
    assert "mass" not in found.edit["entries"]


def test_another_density_is_no_assumed_one():
    """Catches a cause that names every tensor of another size than its shapes."""
    assert "mass-replaced" not in [each.cause for each in causes(link(1300.0, 0.35))]


def test_a_body_of_water_is_no_mistake():
    """Catches a cause that is named where the mass is the assumed one."""
    assert causes(link(1000.0, 1000.0 * float(np.prod(EDGES)))) == ()
