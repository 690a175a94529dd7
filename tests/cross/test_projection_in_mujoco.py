"""Projected bodies, printed and read again: MuJoCo's test of A + B >= C, which has no tolerance.

Its rule on the printed decimals is decided in rationals for 1,400 of them, with --long for 6,000;
its compiler is asked about those that are heavy enough for its absolute limits.
"""

import numpy as np
import pytest

import inertial_check as ic
import oracles
import refused_links
from inertial_check.inertia import sampling
from inertial_check.inertia.tolerances import digits_margin

ABOUT = {
    "inertia": "com",
    "covariance": "com",
    "prior": "com",
    "pseudo-inertia": "com",
    "weighted": "origin",
    "euclidean": "origin",
}
DIGITS = (4, 6, 9, 17)
FULL_REPR = 4e-15
"""Margin for seventeen digits, which lose nothing: it covers the eigenvalues of whoever checks."""


def arguments(metric, bodies):
    """What the metric needs: weights or a prior of the bodies' own size."""
    mass, com = bodies.mass, bodies.com
    spread = np.abs(np.linalg.eigvalsh(bodies.central_second_moment)).sum(-1) / mass
    reach = np.sqrt(spread) + np.linalg.norm(com, axis=-1)
    if metric == "weighted":
        metres = np.array([0, 1, 1, 1, *[2] * 6])
        return {"weights": (mass[:, None] * reach[:, None] ** metres) ** -2.0}
    if metric == "prior":
        moments = (mass * spread)[:, None] * np.array([0.5, 0, 0, 0.6, 0, 0.7])
        prior = ic.InertialParameters.from_com(1.1 * mass, com, moments)
        return {"prior": prior.as_theta(about=ABOUT[metric])}
    return {}


def written(metric, bodies, digits):
    """Texts (n, 10) of what a writer prints: mass, first moment, six about the centre of mass.

    Data about the origin holds a margin only within its own floor; it is held again about the
    centre of mass, where it is printed.
    """
    margin, about = max(digits_margin(digits), FULL_REPR), ABOUT[metric]
    theta = bodies.as_theta(about=about)
    found = ic.project(theta, metric, about=about, margin=margin, **arguments(metric, bodies))
    has_nearest = found.status != "no-nearest"  # the nearest body of the others is a point mass
    assert np.mean(has_nearest) > 0.5
    assert has_nearest.all() or metric in ("inertia", "covariance")
    numbers = found.parameters.as_theta(about="com")[has_nearest]
    if about == "origin":
        again = ic.project(numbers, about="com", margin=margin)
        assert (again.relative_change <= ic.check(found.theta[has_nearest]).tolerance).all()
        numbers = again.theta
    return [[f"{number:.{digits - 1}e}" for number in row] for row in numbers.tolist()]


def refusal(row):
    """What MuJoCo's compiler says of the numbers that these texts are."""
    mass, *first_moment = map(float, row[:4])
    return refused_links.refusal(mass, np.array(first_moment) / mass, list(map(float, row[4:])))


def heavy_enough(row):
    """Above its absolute limit, and the least moment not lost beside the largest in its floats."""
    moments = np.linalg.eigvalsh(np.array(oracles.inertia(row[4:])).astype(float))
    return moments[0] > 1e-12 + 1e-12 * moments[2]


@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize("metric", ABOUT)
def test_printed_decimals_are_consistent_exactly(metric, digits, amount):
    """Catches a margin that is lost between the metric's frame, the centre of mass and the text."""
    bodies = sampling.inconsistent(np.random.default_rng([1, digits]), amount(60, 250))
    for row in written(metric, bodies, digits):
        assert float(row[0]) > 0
        assert oracles.is_consistent(row[4:]), row


@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize("metric", ABOUT)
def test_the_compiler_takes_them(metric, digits):
    bodies = sampling.inconsistent(
        np.random.default_rng([2, digits]),
        60,
        kinds=["triangle", "negative-moment", "two-facets"],
        mass=(0.1, 100),
        length=(0.05, 5),
        offset=(1e-3, 10),
    )
    rows = list(filter(heavy_enough, written(metric, bodies, digits)))
    assert [refusal(row) for row in rows] == [None] * len(rows)
    assert len(rows) >= 20  # the others are rods and points: too thin for any engine


@pytest.mark.parametrize("name", refused_links.SYNTHETIC)
def test_it_refuses_them_as_given(name):
    """Otherwise the tests here would show nothing."""
    assert "A + B >= C" in refused_links.refusal(*refused_links.SYNTHETIC[name])


@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize("metric", ABOUT)
def test_the_five_links_are_all_taken(cases, metric, digits):
    """On these figaroh's answers are refused: test_against_figaroh.py."""
    links = refused_links.five(cases)
    bodies = ic.InertialParameters.from_com(*map(np.array, zip(*links.values(), strict=True)))
    for name, row in zip(links, written(metric, bodies, digits), strict=True):
        assert oracles.is_consistent(row[4:]), name
        assert refusal(row) is None, name
