"""Every row has a status of its own: conflicts, missing answers, places and masses far apart."""

from itertools import combinations, product

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.projection import constraints, problems
from inertial_check.projection.densities import (
    DensityInBall,
    DensityInBox,
    DensityInEllipsoid,
    DensityInPolytope,
)

BODY = np.array([1, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.05])
ROD = np.array([1, 0.3, 0.1, 0.2, 0.2, 0, 0, 0.3, 0, 0.9])
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
PRIOR = np.array([1, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.01])
METRICS = {"weighted": {"weights": np.ones(10)}, "prior": {"prior": PRIOR}, "pseudo-inertia": {}}
SCALES = {"mass": (0.5, 2), "length": (0.2, 0.5), "offset": (0.2, 0.5)}
GOOD = sampling.inconsistent(5, 3, violation=(0.05, 0.2), **SCALES).as_theta()


@pytest.mark.parametrize(
    ("limits", "needed"),
    [
        ([constraints.ComInBox([0] * 3, [1] * 3), constraints.ComInBox([2] * 3, [3] * 3)], (0, 1)),
        ([DensityInBox([1] * 3), DensityInBox([1] * 3, center=[5, 0, 0])], (0, 1)),
        ([constraints.ComInBox([1] * 3, [2] * 3), constraints.FixedCom()], (0, 1)),
        (
            [
                constraints.FixedMass(1.0),
                constraints.ComInBox([1] * 3, [2] * 3),
                constraints.FixedCom([0] * 3),
            ],
            (1, 2),
        ),
        (
            [
                constraints.ComInHull(CORNERS),
                constraints.MassBounds(0, 9),
                constraints.ComInHull(CORNERS + 5),
            ],
            (0, 2),
        ),
        (
            [
                constraints.FixedMass(1e-6),
                constraints.MassBounds(1e-5, 1),
                constraints.ComInBall(0.5),
            ],
            (0, 1),
        ),
        ([constraints.ComInBall(0.01, [900, 0, 0]), DensityInBall(0.02, [900.05, 0, 0])], (0, 1)),
        (
            [constraints.FixedMass(), constraints.MassBounds(2.0, 3.0), constraints.ComInBall(1.0)],
            (0, 1),
        ),
    ],
    ids=["boxes", "densities", "as given", "pair of three", "hulls", "masses", "far", "limits"],
)
@pytest.mark.parametrize("metric", ["weighted", "prior"])
def test_conflicts_are_named_and_irreducible(metric, limits, needed):
    found = ic.project(BODY, metric, constraints=limits, **METRICS[metric])
    assert found.status == "infeasible"
    assert [one in found.conflict for one in limits] == [i in needed for i in range(len(limits))]
    assert (found.theta == BODY).all()
    for some in combinations(found.conflict, len(found.conflict) - 1):
        rest = ic.project(BODY, metric, constraints=list(some), **METRICS[metric])
        assert rest.status in ("projected", "feasible", "mass-floored")
        assert rest.conflict is None


@pytest.mark.parametrize(
    ("limit", "margin"),
    [
        (constraints.FixedMass(), 0.3),
        (constraints.FixedMass(), 1 / 3),
        (constraints.FixedCom(), 0.333),
        (constraints.MassBounds(2.0, 3.0), 0.02),
        (constraints.ComInBox([0.5] * 3, [0.6] * 3), 0.3),
        (constraints.ComInBall(0.1, [0.5, 0, 0]), 1 / 3),
        (DensityInEllipsoid([0.2, 0.5, 0.01]), 0.3),
        (constraints.FixedEntries({"Izz": 0.4}), 0.1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_margins_are_reached_under_every_constraint(limit, margin):
    for theta, metric in ((BODY, "weighted"), (ROD, "prior")):
        found = ic.project(theta, metric, constraints=[limit], margin=margin, **METRICS[metric])
        assert found.status in ("projected", "mass-floored")
        judged = ic.check(found.theta)
        assert judged.consistent
        assert judged.margin >= margin - judged.tolerance


def test_a_margin_at_a_fixed_place_is_the_nearest():
    """Against the closed form, which knows the cone of the margin."""
    limits = [constraints.FixedMass(), constraints.FixedCom()]
    for margin in (0.05, 0.3):
        free = ic.project(ROD, "inertia", margin=margin)
        found = ic.project(ROD, "inertia", margin=margin, constraints=limits)
        np.testing.assert_allclose(found.theta, free.theta, rtol=1e-7, atol=1e-9)
        assert max(found.certify()) <= 1e-9


@pytest.mark.parametrize(
    ("place", "mass", "size"),
    [([10, 0, 0], 1.0, 1.0), ([10, 0, 0], 1e-6, 1e-3), ([30, -20, 10], 1e5, 10.0)],
)
def test_place_and_mass_do_not_decide_whether_there_is_an_answer(place, mass, size):
    theta = mass * BODY * np.r_[1, [size] * 3, [size**2] * 6]
    place, weights = np.array(place) * size, theta.max() ** -2 * np.ones(10)
    shape = size * CORNERS + place
    cases = [
        [constraints.ComInBox(place, place + size)],
        [constraints.FixedMass(), constraints.ComInHull(shape)],
        [constraints.FixedMass(), DensityInPolytope(shape)],
    ]
    for limits, metric in product(cases, ("weighted", "prior")):
        more = {"weights": weights}
        if metric == "prior":
            more = {"prior": mass * PRIOR * np.r_[1, [size] * 3, [size**2] * 6]}
        found = ic.project(theta, metric, constraints=limits, **more)
        assert found.status in ("projected", "mass-floored"), (limits, metric)
        com = found.theta[1:4] / found.theta[0]
        assert np.all(com >= place - 1e-9 * np.abs(place).max())
        assert np.all(com <= place + size + 1e-9 * np.abs(place).max())


NEGATIVE = BODY * np.r_[-1, [1] * 9]
NO_MASS = BODY * np.r_[0, [1] * 9]
UNKNOWN = BODY * np.r_[[1] * 5, np.nan, [1] * 4]


@pytest.mark.parametrize("metric", ["inertia", "weighted", "prior", "pseudo-inertia"])
@pytest.mark.parametrize(
    "limits",
    [
        [constraints.FixedMass()],
        [constraints.FixedCom()],
        [constraints.FixedMass(0.3, bodies=1), constraints.MassBounds(1, bodies=1)],
    ],
    ids=["mass", "com", "one row"],
)
def test_no_row_decides_over_another(metric, limits):
    theta = np.stack([GOOD[0], NEGATIVE, NO_MASS, GOOD[1], UNKNOWN, GOOD[2]])
    more = METRICS.get(metric, {})
    found = ic.project(theta, metric, constraints=limits, **more)
    shared = [one for one in limits if one.bodies is None]
    for i in (0, 3, 5):
        alone = ic.project(theta[[i, i]], metric, constraints=shared, **more)
        same = 0 if shared else 1e-9  # alone without constraints, another solver finds it
        np.testing.assert_allclose(found.theta[i], alone.theta[0], rtol=same, atol=same)
        assert found.status[i] == alone.status[0]
        single = ic.project(theta[i], metric, constraints=shared, **more)
        np.testing.assert_allclose(found.theta[i], single.theta, rtol=1e-9, atol=1e-9)
    assert found.status[4] == "no-nearest"
    if metric != "inertia":
        odd = 2 if isinstance(limits[0], constraints.FixedCom) else 1
        assert found.status[odd] == "infeasible"
        assert found.conflict[odd][0] is limits[0]


@pytest.mark.parametrize(
    "limit",
    [
        constraints.FixedMass(1e200, bodies=1),
        constraints.FixedEntries({"m": -1.0}, bodies=1),
        constraints.FixedCom([1e200, 0, 0], bodies=1),
        constraints.ComInBox([1e300] * 3, [1e301] * 3, bodies=1),
    ],
)
def test_a_limit_of_one_row_that_cannot_be_is_that_rows_matter(limit):
    found = ic.project(GOOD, "weighted", weights=np.ones(10), constraints=[limit])
    assert found.status[1] in ("uncertified", "infeasible")
    assert (found.theta[1] == GOOD[1]).all()
    assert not np.isfinite(found.gap[1])
    assert (found.status[[0, 2]] == "projected").all()


def test_coupled_rows_share_what_one_of_them_lacks():
    theta = np.stack([GOOD[0], UNKNOWN, GOOD[1]])
    found = ic.project(theta, "euclidean", constraints=[constraints.TotalMass(3.0, bodies=(0, 1))])
    assert found.status.tolist() == ["no-nearest", "no-nearest", "projected"]


@pytest.mark.parametrize("full", [False, True])
def test_singular_weights_of_one_row_are_that_rows_matter(full):
    weights = np.ones((3, 10))
    weights[1, 4] = 0
    if full:
        weights = np.stack([np.diag(row) for row in weights])
    found = ic.project(GOOD, "weighted", weights=weights)
    assert found.status.tolist() == ["projected", "no-nearest", "projected"]
    for i in (0, 2):
        twice = ic.project(GOOD[[i, i]], "weighted", weights=weights[[i, i]])
        assert (found.theta[i] == twice.theta[0]).all()
        alone = ic.project(GOOD[i], "weighted", weights=weights[i])
        np.testing.assert_allclose(alone.theta, found.theta[i], rtol=1e-12, atol=1e-14)


def test_an_answer_without_proof_is_uncertified(monkeypatch):

    monkeypatch.setattr(problems, "CERTIFIED", 0.0)
    found = ic.project(GOOD, "weighted", weights=np.ones(10))
    assert "uncertified" in found.status[:3]
    assert np.isfinite(found.gap).all()
    with pytest.raises(ic.ProjectionError, match="no certified answer"):
        found.raise_for_status()
