"""Priors come strictly inside the cone, and what was done to them is said."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.identification.fit import solve
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.samples import Reduction

SOLID = [2.0, 0.2, 0, 0, 0.03, 0, 0, 0.05, 0, 0.05]
PLATE = [1.0, 0, 0, 0, 0.1, 0, 0, 0.25, 0, 0.35]
IMPOSSIBLE = [1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.5]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([SOLID], r"shape \(1, 10\), expected \(2, 10\)"),
        ([SOLID, np.zeros(10)], r"prior of body 1 has the mass 0.0.*\(bodies: a, b\)"),
        ([SOLID, [1.0, *[0] * 9]], "point mass"),
        ([SOLID, [np.nan] * 10], "not finite"),
    ],
)
def test_what_tells_nothing_of_a_body_is_refused(prior, message):
    with pytest.raises(ParameterError, match=message):
        solve.prepare_priors(prior, 2, "urdf", 1e-3, ("a", "b"))


@pytest.mark.parametrize(("kilograms", "meters"), [(1.0, 1.0), (1e-6, 1e-3), (1e5, 1e2)])
def test_without_a_prior_units_are_those_of_the_fit(kilograms, meters):
    """In its own units, every body is about one: a milligram bead and a crane alike."""
    scale = kilograms * meters ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    A = np.random.default_rng(0).normal(size=(60, 1, 10)) / scale
    tau = A @ (np.array(SOLID) * scale)
    found = solve.priors_from_samples(Reduction.of([(A, tau)]), Nuisance())
    np.testing.assert_allclose(found.theta[0, 0], 2.0 * kilograms, rtol=1e-6)
    np.testing.assert_allclose(found.theta[0, 4], 0.13 / 3 * kilograms * meters**2, rtol=1e-6)
