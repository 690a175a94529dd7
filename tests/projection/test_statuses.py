"""Every row has a status of its own: conflicts, missing answers, places and masses far apart."""

from dataclasses import replace
from itertools import combinations, product
from unittest import mock

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.projection import problems, project
from inertial_check.projection.constraints import (
    ComInBall,
    ComInBox,
    ComInHull,
    FixedCom,
    FixedEntries,
    FixedMass,
    MassBounds,
    TotalMass,
)
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
        ([ComInBox([0] * 3, [1] * 3), ComInBox([2] * 3, [3] * 3)], (0, 1)),
        ([DensityInBox([1] * 3), DensityInBox([1] * 3, center=[5, 0, 0])], (0, 1)),
        ([ComInBox([1] * 3, [2] * 3), FixedCom()], (0, 1)),
        ([FixedMass(1.0), ComInBox([1] * 3, [2] * 3), FixedCom([0] * 3)], (1, 2)),
        ([ComInHull(CORNERS), MassBounds(0, 9), ComInHull(CORNERS + 5)], (0, 2)),
        ([FixedMass(1e-6), MassBounds(1e-5, 1), ComInBall(0.5)], (0, 1)),
        ([ComInBall(0.01, [900, 0, 0]), DensityInBall(0.02, [900.05, 0, 0])], (0, 1)),
        ([FixedMass(), MassBounds(2.0, 3.0), ComInBall(1.0)], (0, 1)),
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
        (FixedMass(), 0.3),
        (FixedMass(), 1 / 3),
        (FixedCom(), 0.333),
        (MassBounds(2.0, 3.0), 0.02),
        (ComInBox([0.5] * 3, [0.6] * 3), 0.3),
        (ComInBall(0.1, [0.5, 0, 0]), 1 / 3),
        (DensityInEllipsoid([0.2, 0.5, 0.01]), 0.3),
        (FixedEntries({"Izz": 0.4}), 0.1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_margins_are_reached_under_every_constraint(limit, margin):
    for theta, metric in ((BODY, "weighted"), (ROD, "prior")):
        found = ic.project(theta, metric, constraints=[limit], margin=margin, **METRICS[metric])
        # Only a bound may be missing, where the centre of mass is free.
        assert found.status in ("projected", "near", "mass-floored") or found.factor > 1.05
        assert found.factor == 1 or not isinstance(limit, FixedCom)
        judged = ic.check(found.theta)
        assert judged.consistent
        assert judged.margin >= margin - judged.tolerance


def test_a_margin_at_a_fixed_place_is_the_nearest():
    """Against the closed form, which knows the cone of the margin."""
    limits = [FixedMass(), FixedCom()]
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
        [ComInBox(place, place + size)],
        [FixedMass(), ComInHull(shape)],
        [FixedMass(), DensityInPolytope(shape)],
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
    [[FixedMass()], [FixedCom()], [FixedMass(0.3, bodies=1), MassBounds(1, bodies=1)]],
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
        odd = 2 if isinstance(limits[0], FixedCom) else 1
        assert found.status[odd] == "infeasible"
        assert found.conflict[odd][0] is limits[0]


@pytest.mark.parametrize(
    "limit",
    [
        FixedMass(1e200, bodies=1),
        FixedEntries({"m": -1.0}, bodies=1),
        FixedCom([1e200, 0, 0], bodies=1),
        ComInBox([1e300] * 3, [1e301] * 3, bodies=1),
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
    found = ic.project(theta, "euclidean", constraints=[TotalMass(3.0, bodies=(0, 1))])
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
    monkeypatch.setattr(project, "CERTIFIED", 0.0)
    found = ic.project(GOOD, "weighted", weights=np.ones(10))
    assert "uncertified" in found.status[:3]
    assert np.isfinite(found.gap).all()
    with pytest.raises(ic.ProjectionError, match="no certified answer"):
        found.raise_for_status()


BALL = np.array([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1])
ROUNDED = [1, 0.3, -1.1, 0.3, -1.8, -0.5, -0.2, -0.9, 0.8, -1.7]


def draw_rows(count, dtype=float):
    return np.random.default_rng(7).normal(size=(count, 10)).astype(dtype)


@pytest.mark.parametrize("metric", ["prior", "pseudo-inertia"])
def test_what_rounding_left_outside_comes_back_inside(metric):
    """The shift back from the centre of mass that was given loses digits of the answer's own."""
    theta = np.vstack([ROUNDED, draw_rows(3000)])
    given = {"prior": BALL} if metric == "prior" else {}
    found = ic.project(theta, metric, about="com", **given)
    claimed = found.status == "projected"
    assert claimed.sum() > 1000
    assert claimed[0]
    judged = ic.check(found.theta, about="com")
    assert judged.consistent[claimed].all()
    assert (judged.margin >= -judged.tolerance / 2)[claimed].all()
    assert (np.array(found.certify())[:, claimed] <= 1e-9).all()


@pytest.mark.parametrize("margin", [0.0, 1e-3])
@pytest.mark.parametrize("metric", [*METRICS, "inertia", "covariance", "euclidean"])
def test_answers_in_float32_are_bodies_in_float32_or_not_claimed(metric, margin):
    free = margin == 0 or metric in ("inertia", "covariance")
    theta = draw_rows(400 if free else 28, np.float32)  # a margin takes a hundred times as long
    given = METRICS.get(metric, {})
    found = ic.project(theta, metric, margin=margin, **given)
    wide = ic.project(theta.astype(float), metric, margin=margin, **given)
    claimed = found.status == "projected"
    assert (claimed | (found.status == "near")).sum() > len(theta) // 14
    judged = ic.check(found.theta)
    assert judged.theta.dtype == np.float32
    assert judged.consistent[claimed].all()
    exact = ic.check(found.theta.astype(float))
    assert (exact.margin >= np.maximum(0, margin - judged.tolerance))[claimed].all()
    assert (np.maximum(found.gap, found.dual_residual)[claimed] <= 1e-9).all()
    # They are the rounded answers of float64, but for a part of the floor that brings them inside.
    size = np.abs(wide.theta).max(axis=1, keepdims=True)
    assert (np.abs(found.theta - wide.theta) <= 64 * np.finfo(np.float32).eps * size)[claimed].all()
    others = {"feasible", "near", "no-nearest", "mass-floored", "uncertified"}
    assert set(found.status[~claimed]) <= others


def test_where_float32_holds_no_such_body_nothing_is_claimed():
    """A body a millionth as large as its offset: the nearest in float64 is a body, rounded none."""
    theta = ic.InertialParameters.from_com(1.0, [1e3, 0, 0], np.diag([1.0, 1.0, 2.1])).as_theta()
    assert ic.project(theta, "pseudo-inertia").status == "projected"
    found = ic.project(theta.astype(np.float32), "pseudo-inertia")
    assert found.status == "uncertified"
    assert np.isfinite(found.theta).all()


def test_every_library_has_the_statuses_of_numpy():
    """Also with subnormal numbers, which XLA takes for zero."""
    libraries = [pytest.importorskip(each) for each in ("torch", "jax.numpy", "array_api_strict")]
    theta = draw_rows(12, np.float32)
    theta[6:] = np.array([1, 0, 0, 0, 2e-40, 0, 0, 3e-40, 0, 8e-40]) * np.arange(1, 7)[:, None]
    theta[9:, 0] = 1e-40
    for metric, margin in product(("inertia", "covariance", "prior"), (0.0, 0.1)):
        given = METRICS.get(metric, {})
        expected = ic.project(theta, metric, margin=margin, **given)
        for xp in libraries:
            found = ic.project(xp.asarray(theta), metric, margin=margin, **given)
            assert found.status.tolist() == expected.status.tolist()
            assert type(found.gap) is type(xp.asarray(theta))


def test_an_answer_with_a_bound_is_called_by_its_factor():
    """The distance is 1.02 and 1.2 times a bound, and all of the bound."""
    plain = ic.project(GOOD, "weighted", weights=np.ones(10))
    solve = problems.project_matrices

    def bounded(*args):
        result, floored = solve(*args)
        bound = plain.distance / [1.02, 1.2, 1.0]
        return replace(result, bound=bound), floored

    with mock.patch.object(problems, "project_matrices", bounded):
        found = ic.project(GOOD, "weighted", weights=np.ones(10))
    assert found.status.tolist() == ["near", "uncertified", "projected"]
    np.testing.assert_allclose(found.factor, [1.02, 1.2, 1.0])
    np.testing.assert_allclose(found.gap, [1 - 1 / 1.02, 1 - 1 / 1.2, 0], atol=1e-12)
    assert found[0].factor == found.factor[0]
    assert (plain.factor == 1).all()
    with pytest.raises(ic.ProjectionError, match="no certified answer"):
        found.raise_for_status()
    found[::2].raise_for_status()


def test_a_distance_that_rounding_hides_is_not_claimed():
    """About an origin 1e5 sizes away the numbers themselves leave more than 1e-9."""
    far = sampling.inconsistent(6, 300, violation=(0.1, 0.2), length=(1, 1), offset=(1e3, 1e5))
    found = ic.project(far.as_theta(about="origin"), margin=0.05)
    worst = np.maximum(found.gap, found.dual_residual)
    assert (worst[found.status == "projected"] <= 1e-9).all()
    assert (found.status == "uncertified").any()
    assert (found.status == "projected").any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_answer_without_the_margin_is_not_called_feasible_nor_lifted_to_it(dtype):
    """Regularised estimates know no margin: they have it, or nothing is claimed of them."""
    theta = draw_rows(24, dtype)
    found = ic.project(theta, "entropic", prior=PRIOR, margin=0.2)
    claimed = np.isin(found.status, ["projected", "near", "feasible"])
    judged = ic.check(found.theta)
    assert (judged.margin >= 0.2 - judged.tolerance)[claimed].all()
    assert (np.maximum(found.gap, found.dual_residual)[found.status == "projected"] <= 1e-9).all()
    assert (found.status == "uncertified").any()
